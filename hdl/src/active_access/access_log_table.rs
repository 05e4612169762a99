//! Access log table: which access log a user domain has (AA-15).
//!
//! Every command is judged on the state before its clock edge and answered in the next cycle; one of each is taken in
//! every cycle. The golden model is `tollgate_golden::active_access::access_log_table`.

use crate::bundles::{Valid, valid};
use tollgate_rtl::prelude::*;
use tollgate_spec::config::{Config, Storage};

/// The ring of an access log, and how it is written.
#[bundle(p: Config)]
pub struct Ring {
    /// Physical address of its first byte.
    pub base: Bits<{ p.access_log_table.address_bits }>,
    /// Where the next record starts: the producer's, a physical address in the ring.
    pub head: Bits<{ p.access_log_table.address_bits }>,
    /// Where the consumer reads next, a physical address in the ring.
    pub tail: Bits<{ p.access_log_table.address_bits }>,
    /// Its size in bytes.
    pub size: Bits<{ p.access_log_table.size_bits }>,
    /// Payloads alone are logged.
    pub compact: Bit,
    /// A record that finds no room is dropped and counted, not stalled.
    pub drop: Bit,
}

/// The access log of a user domain.
#[bundle(p: Config)]
pub struct Descriptor {
    /// The user domain.
    pub iuid: Bits<{ p.pte.iuid_bits() }>,
    /// Its ring.
    pub ring: Ring,
}

/// A command to fill an entry.
#[bundle(p: Config)]
pub struct Program {
    /// The entry.
    pub index: Bits<{ p.access_log_table.program_index_bits() }>,
    /// What it shall hold.
    pub descriptor: Descriptor,
}

/// Why a command to fill an entry is refused; all 0 if it is not.
#[bundle]
pub struct Refusal {
    /// There is no such entry.
    pub index: Bit,
    /// The entry is valid: it must be invalidated first.
    pub enabled: Bit,
    /// Another valid entry has the user domain.
    pub duplicate: Bit,
    /// Base, head, tail or size is no multiple of the granule.
    pub unaligned: Bit,
    /// The size is 0.
    pub zero_size: Bit,
    /// The ring does not hold the largest record and one granule.
    pub too_small: Bit,
    /// Head or tail is outside the ring, or the ring leaves the address space.
    pub outside: Bit,
}

/// An entry that was found.
#[bundle(p: Config)]
pub struct Found {
    /// The entry.
    pub index: Bits<{ p.access_log_table.index_bits() }>,
    /// What it holds.
    pub descriptor: Descriptor,
}

/// Ports of the table.
#[ports(p: Config)]
pub struct AccessLogTablePorts {
    /// Fills an entry and makes it valid, unless it is refused.
    pub program: Input<Valid<Program>>,
    /// One cycle after `program`: why it was refused.
    pub refused: Output<Valid<Refusal>>,
    /// Makes an entry invalid; one that is not there is passed over.
    pub invalidate: Input<Valid<Bits<{ p.access_log_table.program_index_bits() }>>>,
    /// Asks for the log of a user domain.
    pub lookup: Input<Valid<Bits<{ p.pte.iuid_bits() }>>>,
    /// One cycle after `lookup`: the log, if there is one.
    pub found: Output<Valid<Found>>,
}

/// The table of a configuration, in the storage that it asks for.
pub fn access_log_table(p: &Config) -> Module<AccessLogTablePorts> {
    let table = &p.access_log_table;
    let entries = table.entries as usize;
    module("active_access_access_log_table", AccessLogTablePorts::shape(p), |m, io| {
        m.describe("Access log table: finds the access log of a user domain.");
        m.parameter("entries", entries, "logs that may be open at a time");
        let program = io.program.data;
        let enabled = m.reg_array("enabled", entries, bit()).reset(0);
        let keys = m.reg_array("keys", entries, bits(p.pte.iuid_bits()));

        let refusal = m.named("refusal", refusal_of(p, program, enabled.into(), keys.into()));
        let accepted = m.named("accepted", io.program.valid & refusal.packed().none());
        let here = |i: Index| accepted & program.index.equals(i);
        each("entry", entries, |i| {
            when(io.invalidate.valid & io.invalidate.data.equals(i), || enabled.at(i).set(false));
            when(here(i), || {
                enabled.at(i).set(true);
                keys.at(i).set(program.descriptor.iuid);
            });
        });

        let hits = each("hits", entries, |i| enabled.at(i) & keys.at(i).equals(io.lookup.data));
        m.assert("at most one entry has a user domain", hits.at_most_one());
        let index = hits.position("index", table.index_bits());
        let ring = match table.storage {
            Storage::FlipFlops => {
                let rings = m.reg_array("rings", entries, Ring::shape(p));
                each("ring_entry", entries, |i| {
                    when(here(i), || rings.at(i).set(program.descriptor.ring));
                });
                hits.select("ring", rings)
            }
            Storage::LutRam => {
                let rings = m.memory("rings", entries, Ring::shape(p)).attribute("ram_style", "distributed");
                when(accepted, || rings.write(program.index.slice(0..table.index_bits()), program.descriptor.ring));
                rings.read(index)
            }
        };

        let refused = m.reg("answer", valid(Refusal::shape(p))).reset_member(|answer| answer.valid, 0);
        refused.set(Valid { valid: io.program.valid, data: refusal });
        io.refused.set(*refused);
        let found = m.reg("located", valid(Found::shape(p))).reset_member(|found| found.valid, 0);
        let descriptor = Descriptor { iuid: io.lookup.data, ring };
        found.set(Valid { valid: io.lookup.valid & hits.any(), data: Found { index, descriptor } });
        io.found.set(*found);
    })
}

/// All that speaks against a command to fill an entry.
fn refusal_of(p: &Config, program: Program, enabled: Array<Bit>, keys: Array<Bits>) -> Refusal {
    let table = &p.access_log_table;
    let Descriptor { iuid, ring } = program.descriptor;
    let twins = each("twins", enabled.count(), |i| enabled.at(i) & keys.at(i).equals(iuid) & program.index.differs(i));
    let low_bits = ring.base | ring.head | ring.tail | ring.size.extend(table.address_bits);
    let unaligned = |granule: u32| low_bits.slice(0..granule.ilog2()).any();
    let too_small = |compact| ring.size.less_than(table.smallest_ring_bytes(compact));
    // One bit more than an address, so that the end of the address space is told from its start.
    let wide = |value: Bits| value.extend(table.address_bits + 1);
    let end = wide(ring.base) + wide(ring.size);
    let beyond = end.bit(table.address_bits) & end.slice(0..table.address_bits).any();
    let is_outside = |pointer: Bits| pointer.less_than(ring.base) | wide(pointer).at_least(end);
    Refusal {
        index: program.index.at_least(table.entries),
        enabled: enabled.at(program.index),
        duplicate: twins.any(),
        unaligned: mux(ring.compact, unaligned(table.granule(true)), unaligned(table.granule(false))),
        zero_size: ring.size.none(),
        too_small: mux(ring.compact, too_small(true), too_small(false)),
        outside: is_outside(ring.head) | is_outside(ring.tail) | beyond,
    }
}
