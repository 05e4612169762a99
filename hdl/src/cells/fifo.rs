//! FIFO: keeps beats in order, in registers or in block RAM.

use crate::bundles::Stream;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Fifo;

/// Ports of the FIFO.
#[ports(p: Fifo)]
pub struct FifoPorts {
    /// Beats in.
    pub input: Sink<Stream<Bits<{ p.width }>>>,
    /// The same beats, in order.
    pub output: Source<Stream<Bits<{ p.width }>>>,
}

/// What the beats are kept in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Registers: a beat is at the output one cycle after it was taken.
    Registers,
    /// Block RAM: a beat is at the output two cycles after it was taken. It is in the RAM for two cycles at least, so two
    /// places alone give two beats in three cycles.
    BlockRam,
}

/// A FIFO of any depth.
///
/// A pointer is a place in the low bits, and above it a bit that turns over with each round through the places: equal
/// pointers say that there is no beat, pointers that are one round apart that there is no room.
pub fn fifo(p: &Fifo, storage: Storage) -> Module<FifoPorts> {
    let (depth, width, place_bits) = (p.depth, p.width, p.depth.next_power_of_two().ilog2().max(1));
    let (kind, style) = if storage == Storage::BlockRam { ("ram", "block") } else { ("registers", "registers") };
    module(format!("cells_fifo_{kind}_{depth}x{width}"), FifoPorts::shape(p), |m, io| {
        m.describe("FIFO: beats leave in the order in which they came.");
        m.parameter("depth", depth, "beats it holds");
        m.parameter("width", width, "bits of a beat");
        m.parameter("storage", kind, "what the beats are kept in");
        let write = m.reg("write", bits(place_bits + 1)).reset(0).describe("Where the next beat is put.");
        let read = m.reg("read", bits(place_bits + 1)).reset(0).describe("Where the oldest beat is.");
        let beats = m.memory("beats", depth as usize, bits(width)).attribute("ram_style", style).describe("By place.");
        let place = |pointer: Bits| pointer.slice(0..place_bits);
        let step = |places: u32| Value::new(place_bits + 1, places).lit();
        // One place on; after the last one, those up to the next power of two are left out.
        let after = |pointer: Bits| match (1 << place_bits) - depth {
            0 => pointer + 1,
            absent => pointer + mux(place(pointer).equals(depth - 1), step(1 + absent), step(1)),
        };

        let next_read = m.named("next_read", mux(io.output.fires(), after(*read), *read));
        read.set(next_read);
        when(io.input.fires(), || {
            write.set(after(*write));
            beats.write(place(*write), io.input.data);
        });
        io.input.ready.set((*write ^ *read).differs(1u32 << place_bits));
        let turned = (*write ^ *read).bit(place_bits);
        let ordered = mux(turned, place(*write).at_most(place(*read)), place(*read).at_most(place(*write)));
        m.assert("never more beats than places", ordered);

        match storage {
            Storage::Registers => {
                io.output.valid.set(read.differs(*write));
                io.output.data.set(beats.read(place(*read)));
            }
            Storage::BlockRam => {
                // What is read was written at an earlier clock edge: the RAM never reads and writes one word at once.
                let visible = m.delayed("visible", *write).reset(0).describe("`write` of one cycle before.");
                io.output.valid.set(read.differs(*visible));
                io.output.data.set(beats.read_registered("head", place(next_read), lit(true), Collision::DontCare));
                let one_behind = after(*visible).equals(*write) & read.differs(*write);
                m.assert("all beats are visible but the one just taken", visible.equals(*write) | one_behind);
            }
        }
    })
}
