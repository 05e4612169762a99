//! PCIe transaction-layer packets: the generic interface that shims to the hard blocks of several vendors speak, one
//! segment wide.

use super::Stream;
use tollgate_rtl::prelude::*;

/// Widths of a TLP interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TlpParameters {
    /// Bits of payload a beat: 128, 256 or 512.
    pub data_bits: u32,
}

/// A stream of TLPs in beats.
#[bundle(p: TlpParameters)]
pub struct Tlp {
    /// A beat is offered.
    pub valid: Bit,
    /// It is taken.
    pub ready: Reverse<Bit>,
    /// Payload, the first byte lowest.
    pub data: Bits<{ p.data_bits }>,
    /// The doublewords of `data` that hold payload.
    pub strb: Bits<{ p.data_bits / 32 }>,
    /// Header, its first byte highest, 4 doublewords; with 3, the last is 0. Meaningful with `sop`.
    pub hdr: Bits<128>,
    /// First beat of the packet.
    pub sop: Bit,
    /// Last beat of the packet.
    pub eop: Bit,
    /// The packet is poisoned or its source has failed. Meaningful with `eop`.
    pub error: Bit,
}

/// A beat.
#[bundle(p: TlpParameters)]
pub struct TlpBeat {
    /// Payload, the first byte lowest.
    pub data: Bits<{ p.data_bits }>,
    /// The doublewords of `data` that hold payload.
    pub strb: Bits<{ p.data_bits / 32 }>,
    /// Header; see [`Tlp::hdr`].
    pub hdr: Bits<128>,
    /// First beat of the packet.
    pub sop: Bit,
    /// Last beat of the packet.
    pub eop: Bit,
    /// See [`Tlp::error`].
    pub error: Bit,
}

impl Tlp {
    /// The beats.
    pub fn beats(self) -> Stream<TlpBeat> {
        let Self { valid, ready, data, strb, hdr, sop, eop, error } = self;
        Stream { valid, ready, data: TlpBeat { data, strb, hdr, sop, eop, error } }
    }
}
