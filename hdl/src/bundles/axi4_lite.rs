//! AXI4-Lite (AMBA AXI and ACE protocol specification, IHI 0022, part B), seen from the manager.

use super::Stream;
use tollgate_rtl::prelude::*;

/// Widths of an AXI4-Lite interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axi4LiteParameters {
    /// Bits of an address.
    pub address_bits: u32,
    /// Bits of a beat: 32 or 64.
    pub data_bits: u32,
}

/// What became of a transfer: `BRESP` and `RRESP`.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Response {
    /// Done.
    Okay = 0,
    /// Done exclusively.
    ExclusiveOkay = 1,
    /// The subordinate refuses.
    SubordinateError = 2,
    /// There is no subordinate at the address.
    DecodeError = 3,
}

/// The five channels, with the signal names of the standard.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4LiteParameters)]
pub struct Axi4Lite {
    /// Write address: offered.
    pub awvalid: Bit,
    /// Write address: taken.
    #[reverse]
    pub awready: Bit,
    /// Write address: first byte.
    #[shape(bits(p.address_bits))]
    pub awaddr: Bits,
    /// Write address: privileged, non-secure, instruction.
    #[shape(bits(3))]
    pub awprot: Bits,
    /// Write data: offered.
    pub wvalid: Bit,
    /// Write data: taken.
    #[reverse]
    pub wready: Bit,
    /// Write data: the beat.
    #[shape(bits(p.data_bits))]
    pub wdata: Bits,
    /// Write data: the bytes to write.
    #[shape(bits(p.data_bits / 8))]
    pub wstrb: Bits,
    /// Write response: offered.
    #[reverse]
    pub bvalid: Bit,
    /// Write response: taken.
    pub bready: Bit,
    /// Write response: what became of it.
    #[reverse]
    pub bresp: Code<Response>,
    /// Read address: offered.
    pub arvalid: Bit,
    /// Read address: taken.
    #[reverse]
    pub arready: Bit,
    /// Read address: first byte.
    #[shape(bits(p.address_bits))]
    pub araddr: Bits,
    /// Read address: privileged, non-secure, instruction.
    #[shape(bits(3))]
    pub arprot: Bits,
    /// Read data: offered.
    #[reverse]
    pub rvalid: Bit,
    /// Read data: taken.
    pub rready: Bit,
    /// Read data: the beat.
    #[reverse]
    #[shape(bits(p.data_bits))]
    pub rdata: Bits,
    /// Read data: what became of it.
    #[reverse]
    pub rresp: Code<Response>,
}

/// An address with its protection bits.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4LiteParameters)]
pub struct Axi4LiteAddress {
    /// First byte.
    #[shape(bits(p.address_bits))]
    pub addr: Bits,
    /// Privileged, non-secure, instruction.
    #[shape(bits(3))]
    pub prot: Bits,
}

/// A beat of write data.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4LiteParameters)]
pub struct Axi4LiteWriteData {
    /// The beat.
    #[shape(bits(p.data_bits))]
    pub data: Bits,
    /// The bytes to write.
    #[shape(bits(p.data_bits / 8))]
    pub strb: Bits,
}

/// A beat of read data.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4LiteParameters)]
pub struct Axi4LiteReadData {
    /// The beat.
    #[shape(bits(p.data_bits))]
    pub data: Bits,
    /// What became of it.
    pub resp: Code<Response>,
}

impl Axi4Lite {
    /// The write address channel.
    pub fn aw(self) -> Stream<Axi4LiteAddress> {
        let data = Axi4LiteAddress { addr: self.awaddr, prot: self.awprot };
        Stream { valid: self.awvalid, ready: self.awready, data }
    }

    /// The write data channel.
    pub fn w(self) -> Stream<Axi4LiteWriteData> {
        let data = Axi4LiteWriteData { data: self.wdata, strb: self.wstrb };
        Stream { valid: self.wvalid, ready: self.wready, data }
    }

    /// The write response channel.
    pub fn b(self) -> Stream<Code<Response>> {
        Stream { valid: self.bvalid, ready: self.bready, data: self.bresp }
    }

    /// The read address channel.
    pub fn ar(self) -> Stream<Axi4LiteAddress> {
        let data = Axi4LiteAddress { addr: self.araddr, prot: self.arprot };
        Stream { valid: self.arvalid, ready: self.arready, data }
    }

    /// The read data channel.
    pub fn r(self) -> Stream<Axi4LiteReadData> {
        let data = Axi4LiteReadData { data: self.rdata, resp: self.rresp };
        Stream { valid: self.rvalid, ready: self.rready, data }
    }
}
