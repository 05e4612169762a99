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
#[bundle(p: Axi4Parameters)]
pub struct Axi4 {
    /// Write address: offered.
    pub awvalid: Bit,
    /// Write address: taken.
    pub awready: Reverse<Bit>,
    /// Write address: transaction id.
    pub awid: Bits<{ p.id_bits }>,
    /// Write address: first byte.
    pub awaddr: Bits<{ p.address_bits }>,
    /// Write address: beats of the burst less one.
    pub awlen: Bits<8>,
    /// Write address: log2 of the bytes of a beat.
    pub awsize: Bits<3>,
    /// Write address: how addresses go on: 0 fixed, 1 rising, 2 wrapping.
    pub awburst: Bits<2>,
    /// Write address: exclusive access.
    pub awlock: Bit,
    /// Write address: memory type.
    pub awcache: Bits<4>,
    /// Write address: privileged, non-secure, instruction.
    pub awprot: Bits<3>,
    /// Write address: quality of service.
    pub awqos: Bits<4>,
    /// Write data: offered.
    pub wvalid: Bit,
    /// Write data: taken.
    pub wready: Reverse<Bit>,
    /// Write data: the beat.
    pub wdata: Bits<{ p.data_bits }>,
    /// Write data: the bytes to write.
    pub wstrb: Bits<{ p.data_bits / 8 }>,
    /// Write data: last beat of the burst.
    pub wlast: Bit,
    /// Write response: offered.
    pub bvalid: Reverse<Bit>,
    /// Write response: taken.
    pub bready: Bit,
    /// Write response: transaction id.
    pub bid: Reverse<Bits<{ p.id_bits }>>,
    /// Write response: what became of it.
    pub bresp: Reverse<Code<Response>>,
    /// Read address: offered.
    pub arvalid: Bit,
    /// Read address: taken.
    pub arready: Reverse<Bit>,
    /// Read address: transaction id.
    pub arid: Bits<{ p.id_bits }>,
    /// Read address: first byte.
    pub araddr: Bits<{ p.address_bits }>,
    /// Read address: beats of the burst less one.
    pub arlen: Bits<8>,
    /// Read address: log2 of the bytes of a beat.
    pub arsize: Bits<3>,
    /// Read address: how addresses go on: 0 fixed, 1 rising, 2 wrapping.
    pub arburst: Bits<2>,
    /// Read address: exclusive access.
    pub arlock: Bit,
    /// Read address: memory type.
    pub arcache: Bits<4>,
    /// Read address: privileged, non-secure, instruction.
    pub arprot: Bits<3>,
    /// Read address: quality of service.
    pub arqos: Bits<4>,
    /// Read data: offered.
    pub rvalid: Reverse<Bit>,
    /// Read data: taken.
    pub rready: Bit,
    /// Read data: transaction id.
    pub rid: Reverse<Bits<{ p.id_bits }>>,
    /// Read data: the beat.
    pub rdata: Reverse<Bits<{ p.data_bits }>>,
    /// Read data: what became of it.
    pub rresp: Reverse<Code<Response>>,
    /// Read data: last beat of the burst.
    pub rlast: Reverse<Bit>,
}

/// A burst.
#[bundle(p: Axi4Parameters)]
pub struct Axi4Address {
    /// Transaction id.
    pub id: Bits<{ p.id_bits }>,
    /// First byte.
    pub addr: Bits<{ p.address_bits }>,
    /// Beats of the burst less one.
    pub len: Bits<8>,
    /// Log2 of the bytes of a beat.
    pub size: Bits<3>,
    /// How addresses go on: 0 fixed, 1 rising, 2 wrapping.
    pub burst: Bits<2>,
    /// Exclusive access.
    pub lock: Bit,
    /// Memory type.
    pub cache: Bits<4>,
    /// Privileged, non-secure, instruction.
    pub prot: Bits<3>,
    /// Quality of service.
    pub qos: Bits<4>,
}

/// A beat of write data.
#[bundle(p: Axi4Parameters)]
pub struct Axi4WriteData {
    /// The beat.
    pub data: Bits<{ p.data_bits }>,
    /// The bytes to write.
    pub strb: Bits<{ p.data_bits / 8 }>,
    /// Last beat of the burst.
    pub last: Bit,
}

/// The answer to a write.
#[bundle(p: Axi4Parameters)]
pub struct Axi4WriteResponse {
    /// Transaction id.
    pub id: Bits<{ p.id_bits }>,
    /// What became of it.
    pub resp: Code<Response>,
}

/// A beat of read data.
#[bundle(p: Axi4Parameters)]
pub struct Axi4ReadData {
    /// Transaction id.
    pub id: Bits<{ p.id_bits }>,
    /// The beat.
    pub data: Bits<{ p.data_bits }>,
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
