//! AXI4 (AMBA AXI and ACE protocol specification, IHI 0022, part A), seen from the manager.

use super::{Response, Stream};
use tollgate_rtl::prelude::*;

/// Widths of an AXI4 interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axi4Parameters {
    /// Bits of an address.
    pub address_bits: u32,
    /// Bits of a beat: a power of two from 8 to 1024.
    pub data_bits: u32,
    /// Bits of a transaction id.
    pub id_bits: u32,
}

/// The five channels, with the signal names of the standard.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4Parameters)]
pub struct Axi4 {
    /// Write address: offered.
    pub awvalid: Bit,
    /// Write address: taken.
    #[reverse]
    pub awready: Bit,
    /// Write address: transaction id.
    #[shape(bits(p.id_bits))]
    pub awid: Bits,
    /// Write address: first byte.
    #[shape(bits(p.address_bits))]
    pub awaddr: Bits,
    /// Write address: beats of the burst less one.
    #[shape(bits(8))]
    pub awlen: Bits,
    /// Write address: log2 of the bytes of a beat.
    #[shape(bits(3))]
    pub awsize: Bits,
    /// Write address: how addresses go on: 0 fixed, 1 rising, 2 wrapping.
    #[shape(bits(2))]
    pub awburst: Bits,
    /// Write address: exclusive access.
    pub awlock: Bit,
    /// Write address: memory type.
    #[shape(bits(4))]
    pub awcache: Bits,
    /// Write address: privileged, non-secure, instruction.
    #[shape(bits(3))]
    pub awprot: Bits,
    /// Write address: quality of service.
    #[shape(bits(4))]
    pub awqos: Bits,
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
    /// Write data: last beat of the burst.
    pub wlast: Bit,
    /// Write response: offered.
    #[reverse]
    pub bvalid: Bit,
    /// Write response: taken.
    pub bready: Bit,
    /// Write response: transaction id.
    #[reverse]
    #[shape(bits(p.id_bits))]
    pub bid: Bits,
    /// Write response: what became of it.
    #[reverse]
    pub bresp: Code<Response>,
    /// Read address: offered.
    pub arvalid: Bit,
    /// Read address: taken.
    #[reverse]
    pub arready: Bit,
    /// Read address: transaction id.
    #[shape(bits(p.id_bits))]
    pub arid: Bits,
    /// Read address: first byte.
    #[shape(bits(p.address_bits))]
    pub araddr: Bits,
    /// Read address: beats of the burst less one.
    #[shape(bits(8))]
    pub arlen: Bits,
    /// Read address: log2 of the bytes of a beat.
    #[shape(bits(3))]
    pub arsize: Bits,
    /// Read address: how addresses go on: 0 fixed, 1 rising, 2 wrapping.
    #[shape(bits(2))]
    pub arburst: Bits,
    /// Read address: exclusive access.
    pub arlock: Bit,
    /// Read address: memory type.
    #[shape(bits(4))]
    pub arcache: Bits,
    /// Read address: privileged, non-secure, instruction.
    #[shape(bits(3))]
    pub arprot: Bits,
    /// Read address: quality of service.
    #[shape(bits(4))]
    pub arqos: Bits,
    /// Read data: offered.
    #[reverse]
    pub rvalid: Bit,
    /// Read data: taken.
    pub rready: Bit,
    /// Read data: transaction id.
    #[reverse]
    #[shape(bits(p.id_bits))]
    pub rid: Bits,
    /// Read data: the beat.
    #[reverse]
    #[shape(bits(p.data_bits))]
    pub rdata: Bits,
    /// Read data: what became of it.
    #[reverse]
    pub rresp: Code<Response>,
    /// Read data: last beat of the burst.
    #[reverse]
    pub rlast: Bit,
}

/// A burst.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4Parameters)]
pub struct Axi4Address {
    /// Transaction id.
    #[shape(bits(p.id_bits))]
    pub id: Bits,
    /// First byte.
    #[shape(bits(p.address_bits))]
    pub addr: Bits,
    /// Beats of the burst less one.
    #[shape(bits(8))]
    pub len: Bits,
    /// Log2 of the bytes of a beat.
    #[shape(bits(3))]
    pub size: Bits,
    /// How addresses go on: 0 fixed, 1 rising, 2 wrapping.
    #[shape(bits(2))]
    pub burst: Bits,
    /// Exclusive access.
    pub lock: Bit,
    /// Memory type.
    #[shape(bits(4))]
    pub cache: Bits,
    /// Privileged, non-secure, instruction.
    #[shape(bits(3))]
    pub prot: Bits,
    /// Quality of service.
    #[shape(bits(4))]
    pub qos: Bits,
}

/// A beat of write data.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4Parameters)]
pub struct Axi4WriteData {
    /// The beat.
    #[shape(bits(p.data_bits))]
    pub data: Bits,
    /// The bytes to write.
    #[shape(bits(p.data_bits / 8))]
    pub strb: Bits,
    /// Last beat of the burst.
    pub last: Bit,
}

/// The answer to a write.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4Parameters)]
pub struct Axi4WriteResponse {
    /// Transaction id.
    #[shape(bits(p.id_bits))]
    pub id: Bits,
    /// What became of it.
    pub resp: Code<Response>,
}

/// A beat of read data.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Axi4Parameters)]
pub struct Axi4ReadData {
    /// Transaction id.
    #[shape(bits(p.id_bits))]
    pub id: Bits,
    /// The beat.
    #[shape(bits(p.data_bits))]
    pub data: Bits,
    /// What became of it.
    pub resp: Code<Response>,
    /// Last beat of the burst.
    pub last: Bit,
}

impl Axi4 {
    /// The write address channel.
    pub fn aw(self) -> Stream<Axi4Address> {
        let data = Axi4Address {
            id: self.awid,
            addr: self.awaddr,
            len: self.awlen,
            size: self.awsize,
            burst: self.awburst,
            lock: self.awlock,
            cache: self.awcache,
            prot: self.awprot,
            qos: self.awqos,
        };
        Stream { valid: self.awvalid, ready: self.awready, data }
    }

    /// The write data channel.
    pub fn w(self) -> Stream<Axi4WriteData> {
        let data = Axi4WriteData { data: self.wdata, strb: self.wstrb, last: self.wlast };
        Stream { valid: self.wvalid, ready: self.wready, data }
    }

    /// The write response channel.
    pub fn b(self) -> Stream<Axi4WriteResponse> {
        let data = Axi4WriteResponse { id: self.bid, resp: self.bresp };
        Stream { valid: self.bvalid, ready: self.bready, data }
    }

    /// The read address channel.
    pub fn ar(self) -> Stream<Axi4Address> {
        let data = Axi4Address {
            id: self.arid,
            addr: self.araddr,
            len: self.arlen,
            size: self.arsize,
            burst: self.arburst,
            lock: self.arlock,
            cache: self.arcache,
            prot: self.arprot,
            qos: self.arqos,
        };
        Stream { valid: self.arvalid, ready: self.arready, data }
    }

    /// The read data channel.
    pub fn r(self) -> Stream<Axi4ReadData> {
        let data = Axi4ReadData { id: self.rid, data: self.rdata, resp: self.rresp, last: self.rlast };
        Stream { valid: self.rvalid, ready: self.rready, data }
    }
}
