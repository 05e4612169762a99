//! Access log table: which access log a user domain has (AA-15).
//!
//! Every command is judged on the state before its clock edge and answered in the next cycle; one of each is taken in
//! every cycle. The golden model is `tollgate_golden::active_access::access_log_table`.

use crate::bundles::Valid;
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

/// A command to fill an entry.
#[bundle(p: Config)]
pub struct Program {
    /// The entry.
    pub index: Bits<{ p.access_log_table.program_index_bits() }>,
    /// The user domain that it shall be for.
    pub iuid: Bits<{ p.pte.iuid_bits() }>,
    /// The ring that it shall hold.
    pub ring: Ring,
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
    /// The user domain that it is for.
    pub iuid: Bits<{ p.pte.iuid_bits() }>,
    /// The ring that it holds.
    pub ring: Ring,
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
        m.parameter("iuid_bits", p.pte.iuid_bits(), "bits of a user domain");
        for (name, value, meaning) in table.parameters() {
            m.parameter(name, value, meaning);
        }
        let program = io.program.data;
        let enabled = m.reg_array("enabled", entries, bit()).reset(0).describe("The entry is valid.");
        let keys = m.reg_array("keys", entries, bits(p.pte.iuid_bits())).describe("The user domain of each entry.");

        let refusal = m.named("refusal", refusal_of(p, program, enabled.into(), keys.into()));
        let accepted = m.named("accepted", io.program.valid & refusal.packed().none());
        each("entry", entries, |i| {
            when(io.invalidate.valid & io.invalidate.data.equals(i), || enabled.at(i).set(false));
            when(accepted & program.index.equals(i), || {
                enabled.at(i).set(true);
                keys.at(i).set(program.iuid);
            });
        });

        let hits = each("hits", entries, |i| enabled.at(i) & keys.at(i).equals(io.lookup.data));
        m.assert("at most one entry has a user domain", hits.at_most_one());
        let index = hits.position("index", table.index_bits());
        let style = if table.storage == Storage::LutRam { "distributed" } else { "registers" };
        let rings = m.memory("rings", entries, Ring::shape(p)).attribute("ram_style", style).describe("By entry.");
        when(accepted, || rings.write(program.index.slice(0..table.index_bits()), program.ring));

        let refused = Valid { valid: io.program.valid, data: refusal };
        io.refused.set(*m.delayed("answer", refused).reset_member(|answer| answer.valid, 0).describe("The answer."));
        let found = Found { index, iuid: io.lookup.data, ring: rings.read(index) };
        let found = Valid { valid: io.lookup.valid & hits.any(), data: found };
        io.found.set(*m.delayed("located", found).reset_member(|found| found.valid, 0).describe("What was found."));
    })
}

/// All that speaks against a command to fill an entry.
fn refusal_of(p: &Config, program: Program, enabled: Array<Bit>, keys: Array<Bits>) -> Refusal {
    let table = &p.access_log_table;
    let ring = program.ring;
    let twins =
        each("twins", enabled.count(), |i| enabled.at(i) & keys.at(i).equals(program.iuid) & program.index.differs(i));
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
