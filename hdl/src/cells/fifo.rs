//! FIFO: keeps beats in order, in registers or in block RAM.

use crate::bundles::{Stream, stream};
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Fifo;

/// Ports of the FIFO.
#[derive(Ports, Clone, Copy)]
#[ports(params = Fifo)]
pub struct FifoPorts {
    /// Beats in.
    #[sink]
    #[shape(stream(bits(p.width)))]
    pub input: Stream<Bits>,
    /// The same beats, in order.
    #[source]
    #[shape(stream(bits(p.width)))]
    pub output: Stream<Bits>,
}

/// A FIFO kept in registers: a beat is at the output one cycle after it was taken.
///
/// The depth is a power of two. Both `input_ready` and `output_valid` depend on registers alone.
pub fn register_fifo(p: &Fifo) -> Module<FifoPorts> {
    fifo(p, "registers", |m, io, pointers| {
        let beats = m.reg_array("beats", p.depth as usize, bits(p.width));
        let place = pointers.write.slice(0..pointers.address_bits);
        when(io.input.fires(), || beats.at(place).set(io.input.data));
        io.output.valid.set(pointers.read.differs(*pointers.write));
        io.output.data.set(beats.at(pointers.read.slice(0..pointers.address_bits)));
    })
}

/// A FIFO kept in block RAM: a beat is at the output two cycles after it was taken.
///
/// The depth is a power of two. What is read was written at an earlier clock edge (`visible` follows `write` one cycle
/// late), so the RAM never reads and writes one word at once.
pub fn ram_fifo(p: &Fifo) -> Module<FifoPorts> {
    fifo(p, "ram", |m, io, pointers| {
        let beats = m.memory("beats", p.depth as usize, bits(p.width)).attribute("ram_style", "block");
        let visible = m.reg("visible", bits(pointers.address_bits + 1)).reset(0);
        visible.set(*pointers.write);
        when(io.input.fires(), || beats.write(pointers.write.slice(0..pointers.address_bits), io.input.data));
        let next = pointers.next_read.slice(0..pointers.address_bits);
        io.output.valid.set(pointers.read.differs(*visible));
        io.output.data.set(beats.read_registered("head", next, lit(true), Collision::DontCare));
    })
}

/// Pointers with one bit more than an address: equal when empty, apart by the depth when full.
struct Pointers {
    address_bits: u32,
    write: Reg<Bits>,
    read: Reg<Bits>,
    /// What `read` is after the coming clock edge.
    next_read: Bits,
}

fn fifo(p: &Fifo, kind: &str, store: impl FnOnce(&ModuleBuilder, FifoPorts, &Pointers)) -> Module<FifoPorts> {
    let name = format!("cells_fifo_{kind}_{}x{}", p.depth, p.width);
    module(name, FifoPorts::shape(p), |m, io| {
        m.describe("FIFO: beats leave in the order in which they came.");
        m.parameter("depth", p.depth, "beats it holds");
        m.parameter("width", p.width, "bits of a beat");
        let address_bits = p.depth.ilog2();
        let write = m.reg("write", bits(address_bits + 1)).reset(0);
        let read = m.reg("read", bits(address_bits + 1)).reset(0);
        let next_read = m.named("next_read", mux(io.output.fires(), *read + 1, *read));
        io.input.ready.set((*write - *read).differs(p.depth));
        when(io.input.fires(), || write.set(*write + 1));
        read.set(next_read);
        m.assert("never more beats than places", (*write - *read).at_most(p.depth));
        store(m, io, &Pointers { address_bits, write, read, next_read });
    })
}
