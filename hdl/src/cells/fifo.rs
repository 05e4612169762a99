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

/// A FIFO kept in registers: a beat is at the output one cycle after it was taken.
pub fn register_fifo(p: &Fifo) -> Module<FifoPorts> {
    fifo(p, "registers", |m, io, at| {
        let beats = m.reg_array("beats", p.depth as usize, bits(p.width));
        when(io.input.fires(), || beats.at(at.place(*at.write)).set(io.input.data));
        io.output.valid.set(at.read.differs(*at.write));
        io.output.data.set(beats.at(at.place(*at.read)));
        m.assert("never more beats than places", at.in_order());
    })
}

/// A FIFO kept in block RAM: a beat is at the output two cycles after it was taken.
///
/// What is read was written at an earlier clock edge (`visible` follows `write` one cycle late), so the RAM never reads
/// and writes one word at once. A beat is in it for two cycles at least, so two places alone give two beats in three.
pub fn ram_fifo(p: &Fifo) -> Module<FifoPorts> {
    fifo(p, "ram", |m, io, at| {
        let beats = m.memory("beats", p.depth as usize, bits(p.width)).attribute("ram_style", "block");
        let visible = m.reg("visible", bits(at.place_bits + 1)).reset(0);
        visible.set(*at.write);
        when(io.input.fires(), || beats.write(at.place(*at.write), io.input.data));
        io.output.valid.set(at.read.differs(*visible));
        io.output.data.set(beats.read_registered("head", at.place(at.next_read), lit(true), Collision::DontCare));
        let one_behind = at.after(*visible).equals(*at.write) & at.read.differs(*at.write);
        let seen = visible.equals(*at.write) | one_behind;
        m.assert("never more beats than places, and all visible but the one just taken", at.in_order() & seen);
    })
}

/// A pointer is a place in the low bits, and above it a bit that turns over with each round through the places.
struct Pointers {
    depth: u32,
    place_bits: u32,
    /// Where the next beat goes.
    write: Reg<Bits>,
    /// Where the oldest beat is: at `write` if there is none, one round apart from it if there is no room.
    read: Reg<Bits>,
    /// What `read` is after the coming clock edge.
    next_read: Bits,
}

impl Pointers {
    fn place(&self, pointer: Bits) -> Bits {
        pointer.slice(0..self.place_bits)
    }

    /// One place on; after the last one, the places up to the next power of two are left out.
    fn after(&self, pointer: Bits) -> Bits {
        match (1 << self.place_bits) - self.depth {
            0 => pointer + 1,
            absent => {
                let step = |places: u32| Value::new(self.place_bits + 1, places).lit();
                pointer + mux(self.place(pointer).equals(self.depth - 1), step(1 + absent), step(1))
            }
        }
    }

    /// Whether `write` is not behind `read`, and not more than one round before it.
    fn in_order(&self) -> Bit {
        let (write, read) = (self.place(*self.write), self.place(*self.read));
        mux((*self.write ^ *self.read).bit(self.place_bits), write.at_most(read), read.at_most(write))
    }
}

/// The pointers and the input side, for any depth; `store` keeps the beats and gives them out.
fn fifo(p: &Fifo, kind: &str, store: impl FnOnce(&ModuleBuilder, FifoPorts, &Pointers)) -> Module<FifoPorts> {
    let (depth, width, place_bits) = (p.depth, p.width, p.depth.next_power_of_two().ilog2().max(1));
    module(format!("cells_fifo_{kind}_{depth}x{width}"), FifoPorts::shape(p), |m, io| {
        m.describe("FIFO: beats leave in the order in which they came.");
        m.parameter("depth", depth, "beats it holds");
        m.parameter("width", width, "bits of a beat");
        let write = m.reg("write", bits(place_bits + 1)).reset(0);
        let read = m.reg("read", bits(place_bits + 1)).reset(0);
        let next_read = m.wire("next_read", bits(place_bits + 1));
        let at = Pointers { depth, place_bits, write, read, next_read };
        next_read.set(mux(io.output.fires(), at.after(*read), *read));
        read.set(next_read);
        when(io.input.fires(), || write.set(at.after(*write)));
        io.input.ready.set((*write ^ *read).differs(1u32 << place_bits));
        store(m, io, &at);
    })
}
