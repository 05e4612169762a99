//! RAM with byte enables: one write port, one read port.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Ram;

/// A write of some bytes of a word.
#[bundle(p: Ram)]
pub struct Write {
    /// The word.
    pub address: Bits<{ p.address_bits() }>,
    /// The bytes to write, bit 0 for the lowest.
    pub enables: Bits<{ p.width / 8 }>,
    /// Their values.
    pub data: Bits<{ p.width }>,
}

/// Ports of the RAM.
#[ports(p: Ram)]
pub struct RamPorts {
    /// Writes bytes of a word at the clock edge; nothing beyond the depth.
    pub write: Input<Valid<Write>>,
    /// Reads a word at the clock edge.
    pub read: Input<Valid<Bits<{ p.address_bits() }>>>,
    /// The word last read, as it was before that edge; 0 beyond the depth.
    pub word: Output<Bits<{ p.width }>>,
}

/// A RAM that reads and writes in the same cycle; of one word, the read sees what was there before the write.
pub fn ram(p: &Ram) -> Module<RamPorts> {
    module(format!("cells_ram_{}x{}", p.depth, p.width), RamPorts::shape(p), |m, io| {
        m.describe("RAM with byte enables: one write port, one synchronous read port that sees the old word.");
        m.parameter("depth", p.depth, "words");
        m.parameter("width", p.width, "bits of a word");
        let words = m.memory("words", p.depth as usize, bits(p.width)).granule(8).describe("What is kept.");
        let words = words.attribute("ram_style", "block");
        let write = io.write.data;
        when(io.write.valid, || words.write_enabled(write.address, write.data, write.enables));
        io.word.set(words.read_registered("last", io.read.data, io.read.valid, Collision::Old));
    })
}
