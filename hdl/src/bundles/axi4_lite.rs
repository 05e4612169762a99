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
#[bundle(p: Axi4LiteParameters)]
pub struct Axi4Lite {
    /// Write address: offered.
    pub awvalid: Bit,
    /// Write address: taken.
    pub awready: Reverse<Bit>,
    /// Write address: first byte.
    pub awaddr: Bits<{ p.address_bits }>,
    /// Write address: privileged, non-secure, instruction.
    pub awprot: Bits<3>,
    /// Write data: offered.
    pub wvalid: Bit,
    /// Write data: taken.
    pub wready: Reverse<Bit>,
    /// Write data: the beat.
    pub wdata: Bits<{ p.data_bits }>,
    /// Write data: the bytes to write.
    pub wstrb: Bits<{ p.data_bits / 8 }>,
    /// Write response: offered.
    pub bvalid: Reverse<Bit>,
    /// Write response: taken.
    pub bready: Bit,
    /// Write response: what became of it.
    pub bresp: Reverse<Code<Response>>,
    /// Read address: offered.
    pub arvalid: Bit,
    /// Read address: taken.
    pub arready: Reverse<Bit>,
    /// Read address: first byte.
    pub araddr: Bits<{ p.address_bits }>,
    /// Read address: privileged, non-secure, instruction.
    pub arprot: Bits<3>,
    /// Read data: offered.
    pub rvalid: Reverse<Bit>,
    /// Read data: taken.
    pub rready: Bit,
    /// Read data: the beat.
    pub rdata: Reverse<Bits<{ p.data_bits }>>,
    /// Read data: what became of it.
    pub rresp: Reverse<Code<Response>>,
}

/// An address with its protection bits.
#[bundle(p: Axi4LiteParameters)]
pub struct Axi4LiteAddress {
    /// First byte.
    pub addr: Bits<{ p.address_bits }>,
    /// Privileged, non-secure, instruction.
    pub prot: Bits<3>,
}

/// A beat of write data.
#[bundle(p: Axi4LiteParameters)]
pub struct Axi4LiteWriteData {
    /// The beat.
    pub data: Bits<{ p.data_bits }>,
    /// The bytes to write.
    pub strb: Bits<{ p.data_bits / 8 }>,
}

/// A beat of read data.
#[bundle(p: Axi4LiteParameters)]
pub struct Axi4LiteReadData {
    /// The beat.
    pub data: Bits<{ p.data_bits }>,
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
