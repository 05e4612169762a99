//! RAM with byte enables: one write port, one read port.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Ram;

/// A write of some bytes of a word.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Ram)]
pub struct Write {
    /// The word.
    #[shape(bits(p.address_bits()))]
    pub address: Bits,
    /// The bytes to write, bit 0 for the lowest.
    #[shape(bits(p.width / 8))]
    pub enables: Bits,
    /// Their values.
    #[shape(bits(p.width))]
    pub data: Bits,
}

/// Ports of the RAM.
#[derive(Ports, Clone, Copy)]
#[ports(params = Ram)]
pub struct RamPorts {
    /// Writes bytes of a word at the clock edge; nothing beyond the depth.
    #[input]
    pub write: Valid<Write>,
    /// Reads a word at the clock edge.
    #[input]
    #[shape(Valid::of(bits(p.address_bits())))]
    pub read: Valid<Bits>,
    /// The word last read, as it was before that edge; 0 beyond the depth.
    #[output]
    #[shape(bits(p.width))]
    pub word: Bits,
}

/// A RAM that reads and writes in the same cycle; of one word, the read sees what was there before the write.
pub fn ram(p: &Ram) -> Module<RamPorts> {
    module(format!("cells_ram_{}x{}", p.depth, p.width), RamPorts::shape(p), |m, io| {
        m.describe("RAM with byte enables: one write port, one synchronous read port that sees the old word.");
        m.parameter("depth", p.depth, "words");
        m.parameter("width", p.width, "bits of a word");
        let words = m.memory("words", p.depth as usize, bits(p.width)).granule(8).attribute("ram_style", "block");
        let write = io.write.data;
        when(io.write.valid, || words.write_enabled(write.address, write.data, write.enables));
        io.word.set(words.read_registered("last", io.read.data, io.read.valid, Collision::Old));
    })
}
