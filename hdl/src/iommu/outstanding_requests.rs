//! Outstanding requests: every non-posted request that is in flight, what completions of it are right, and which are lost.
//!
//! Everything is judged on the state before its clock edge and answered in the next cycle; a request and a completion are
//! taken in every cycle. The golden model is `tollgate_golden::iommu::outstanding_requests`.

use super::tlp_parser::first_of;
use crate::bundles::{Stream, Valid};
use tollgate_rtl::prelude::*;
use tollgate_spec::config::{Config, OutstandingRequests};
use tollgate_spec::outstanding_requests::{AGE_BITS, LOST_AGE};
use tollgate_spec::tlp::READ_COMPLETION_BOUNDARY_BYTES;

/// What a completion is to the request that it names.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 3)]
pub enum Outcome {
    /// Data, and more to come.
    Part = 0,
    /// The last data.
    Last = 1,
    /// A failure, which ends the request.
    Failed = 2,
    /// Not what was asked for: to be dropped, and the request waits on.
    Mismatch = 3,
    /// There is no such request: to be dropped.
    #[reset]
    Unexpected = 4,
}

/// What a request is known by: no two that are in flight have the same.
#[bundle(p: Config)]
pub struct Name {
    /// Requester id.
    pub requester: Bits<16>,
    /// Tag.
    pub tag: Bits<{ p.tlp.tag_bits }>,
}

/// Data that are still to come.
#[bundle]
pub struct Rest {
    /// Bytes: 1 to 4096.
    pub byte_count: Bits<13>,
    /// Bits 6:0 of the address of the first of them; of an AtomicOp 0.
    pub lower_address: Bits<7>,
}

/// A request that goes out.
#[bundle(p: Config)]
pub struct Request {
    /// Its name.
    pub name: Name,
    /// It is an AtomicOp, not a read.
    pub atomic: Bit,
    /// What its completions shall bring.
    pub rest: Rest,
}

/// What was asked for.
#[bundle]
pub struct Asked {
    /// It is an AtomicOp.
    pub atomic: Bit,
    /// All of the data.
    pub rest: Rest,
}

/// Where a request was put.
#[bundle(p: Config)]
pub struct Issued {
    /// Its entry.
    pub index: Bits<{ p.outstanding_requests.index_bits() }>,
    /// It takes the place of one of the same name that was in flight.
    pub superseded: Bit,
}

/// A completion that comes back.
#[bundle(p: Config)]
pub struct Completion {
    /// The name of its request.
    pub name: Name,
    /// It completes a locked read, which nobody has sent.
    pub locked: Bit,
    /// Completion Status; all but 0 are failures.
    pub status: Bits<3>,
    /// What it says is still to come.
    pub rest: Rest,
    /// Doublewords of data that it carries.
    pub payload: Bits<11>,
}

/// What a completion is.
#[bundle(p: Config)]
pub struct Matched {
    /// What it is to its request.
    pub outcome: Code<Outcome>,
    /// The entry of the request; any if unexpected.
    pub index: Bits<{ p.outstanding_requests.index_bits() }>,
    /// The request was given up as lost before.
    pub late: Bit,
}

/// A request that is lost.
#[bundle(p: Config)]
pub struct Lost {
    /// Its entry.
    pub index: Bits<{ p.outstanding_requests.index_bits() }>,
    /// Its name.
    pub name: Name,
}

/// Ports of the table.
#[ports(p: Config)]
pub struct OutstandingRequestsPorts {
    /// A non-posted request goes out; not ready if the table is full.
    pub issue: Sink<Stream<Request>>,
    /// One cycle after `issue`: where it was put.
    pub issued: Output<Valid<Issued>>,
    /// A completion comes back.
    pub completion: Input<Valid<Completion>>,
    /// One cycle after `completion`: what it is.
    pub matched: Output<Valid<Matched>>,
    /// A request is given up as lost: told once.
    pub lost: Output<Valid<Lost>>,
    /// Marks the requests that are pending and the one that is issued now.
    pub mark: Input<Bit>,
    /// No marked request is pending.
    pub drained: Output<Bit>,
    /// Requests in flight that are not given up.
    pub pending: Output<Bits<{ p.outstanding_requests.count_bits() }>>,
}

/// The table of a configuration.
pub fn outstanding_requests(p: &Config) -> Module<OutstandingRequestsPorts> {
    let of = &p.outstanding_requests;
    let (count, index_bits) = (of.entries as usize, of.index_bits());
    module("iommu_outstanding_requests", OutstandingRequestsPorts::shape(p), |m, io| {
        m.describe("Outstanding requests: matches completions with the requests in flight.");
        for (name, value, meaning) in of.parameters() {
            m.parameter(name, value, meaning);
        }
        m.parameter("tag_bits", p.tlp.tag_bits, "bits of a transaction tag");
        let (request, completion) = (io.issue.data, io.completion.data);
        let live = m.reg_array("live", count, bit()).reset(0).describe("The entry holds a request.");
        let names = m.reg_array("names", count, Name::shape(p)).describe("The name of each request.");
        let marked =
            m.reg_array("marked", count, bit()).reset(0).describe("The request is pending since the last mark.");
        let begun = m.reg_array("begun", count, bit()).describe("Part of the data has come.");
        let asked = m.memory("asked", count, Asked::shape(&())).attribute("ram_style", "distributed");
        let asked = asked.describe("What was asked for, by entry.");
        let left = m.memory("left", count, Rest::shape(&())).attribute("ram_style", "distributed");
        let left = left.describe("What is still to come if part has, by entry.");
        let timer = Timer::of(m, of);
        let given_up = |i: Index| timer.as_ref().map_or(lit(false), |timer| timer.given_up.at(i));
        let pending = each("is_pending", count, |i| live.at(i) & !given_up(i));

        // A request takes the place of one of its name, or a free entry, or one that was given up.
        let twins = each("twins", count, |i| live.at(i) & names.at(i).packed().equals(request.name.packed()));
        let free = !live.packed();
        let room = m.named("room", timer.as_ref().map_or(free, |timer| mux(free.any(), free, timer.given_up.packed())));
        io.issue.ready.set(room.any());
        let issues = m.named("issues", io.issue.fires());
        let place = mux(twins.any(), twins.bits(), room & (!room + 1)) & issues.repeat(of.entries);
        let place = m.named("place", place).array();
        let place_index = place.position("place_index", index_bits);
        let superseded = m.named("superseded", (twins.bits() & pending.bits()).any());
        when(issues, || asked.write(place_index, Asked { atomic: request.atomic, rest: request.rest }));
        let issued = Valid { valid: issues, data: Issued { index: place_index, superseded } };
        let issued = m.delayed("placed", issued).reset_member(|issued| issued.valid, 0);
        io.issued.set(*issued.describe("Where the last request was put."));

        let hits = each("hits", count, |i| live.at(i) & names.at(i).packed().equals(completion.name.packed()));
        m.assert("at most one entry has a name", hits.at_most_one());
        let index = hits.position("index", index_bits);
        let whole = asked.read(index);
        let has_begun = m.named("has_begun", (hits.bits() & begun.packed()).any());
        let rest = m.named("rest", mux(has_begun, left.read(index), whole.rest));
        let (data, next) = judge(m, completion, whole.atomic, rest);
        let outcome = m.wire("outcome", code::<Outcome>());
        let outcomes = [
            (Outcome::Unexpected, !hits.any()),
            (Outcome::Mismatch, completion.locked),
            (Outcome::Failed, completion.status.any()),
            (Outcome::Last, data.last),
            (Outcome::Part, data.part),
        ];
        first_of(outcomes, |of| outcome.set(of), || outcome.set(Outcome::Mismatch));
        let late = timer.as_ref().map_or(lit(false), |timer| (hits.bits() & timer.given_up.packed()).any());
        let matched = Valid { valid: io.completion.valid, data: Matched { outcome, index, late } };
        let matched = m.delayed("judged", matched).reset_member(|matched| matched.valid, 0);
        io.matched.set(*matched.describe("What the last completion was."));

        let part = m.named("part", io.completion.valid & outcome.is(Outcome::Part));
        when(part, || left.write(index, next));
        let ends = io.completion.valid & (outcome.is(Outcome::Last) | outcome.is(Outcome::Failed));
        let ended = m.named("ended", hits.bits() & ends.repeat(of.entries)).array();

        // What is matched or superseded in this cycle is not given up.
        let spared = hits.bits() & io.completion.valid.repeat(of.entries) | place.bits();
        let lost = timer.as_ref().map(|timer| timer.lost(m, pending.bits() & !spared));
        let is_lost = |i: Index| lost.map_or(lit(false), |lost| lost.at(i));
        each("entry", count, |i| {
            when(io.mark & pending.at(i), || marked.at(i).set(true));
            when(ended.at(i) | is_lost(i), || marked.at(i).set(false));
            when(part & hits.at(i), || begun.at(i).set(true));
            when(ended.at(i), || live.at(i).set(false));
            when(place.at(i), || {
                live.at(i).set(true);
                names.at(i).set(request.name);
                begun.at(i).set(false);
                marked.at(i).set(io.mark);
            });
            if let Some(timer) = &timer {
                timer.step(i, pending.at(i), is_lost(i), place.at(i));
            }
        });
        io.drained.set(marked.packed().none());
        match lost {
            Some(lost) => {
                let name = lost.select("lost_name", names);
                let told = Lost { index: lost.position("lost_index", index_bits), name };
                let told = m.delayed("told", Valid { valid: lost.any(), data: told });
                io.lost.set(*told.reset_member(|told| told.valid, 0).describe("The last request that was given up."));
            }
            None => {
                io.lost.valid.set(false);
                io.lost.data.set(dont_care(io.lost.data));
            }
        }

        let pending_count =
            m.reg("pending_count", bits(of.count_bits())).reset(0).describe("Requests that are pending.");
        let gone = (ended.bits() & pending.bits() & !place.bits()).any();
        let given_up = lost.map_or(lit(false), |lost| lost.any());
        let wide = |bit: Bit| bit.bits().extend(of.count_bits());
        pending_count.set(*pending_count + wide(issues & !superseded) - wide(gone) - wide(given_up));
        io.pending.set(*pending_count);
    })
}

/// Whether a completion brings the data that are due.
struct Data {
    /// All of them.
    last: Bit,
    /// Some of them, up to where they may be split.
    part: Bit,
}

/// Compares a successful completion with what is still to come; gives what is to come after it (PCIe base specification,
/// sections 2.2.9 and 2.3.1.1).
fn judge(m: &ModuleBuilder, completion: Completion, atomic: Bit, rest: Rest) -> (Data, Rest) {
    let start = rest.lower_address;
    let skipped = start.slice(0..2).extend(13);
    let due = m.named("due", (rest.byte_count + skipped + 3).slice(2..13));
    let same_address = atomic | completion.rest.lower_address.equals(start);
    let fits = m.named("fits", completion.rest.byte_count.equals(rest.byte_count) & same_address);
    let carried = concat([completion.payload, Value::zero(2).lit()]) - skipped;
    let ends_at = m.named("ends_at", start.slice(2..7) + completion.payload.slice(0..5));
    let next = Rest { byte_count: rest.byte_count - carried, lower_address: concat([ends_at, Value::zero(2).lit()]) };
    let may_split = next.lower_address.slice(0..READ_COMPLETION_BOUNDARY_BYTES.ilog2()).none();
    let some = completion.payload.any() & completion.payload.less_than(due);
    let data = Data { last: fits & completion.payload.equals(due), part: fits & some & may_split & !atomic };
    (data, next)
}

/// What tells how long requests have waited.
struct Timer {
    /// A quarter of the timeout is over.
    tick: Bit,
    ages: Reg<Array<Bits>>,
    given_up: Reg<Array<Bit>>,
}

impl Timer {
    /// None if nothing is ever lost.
    fn of(m: &ModuleBuilder, of: &OutstandingRequests) -> Option<Self> {
        let quarter = of.quarter_cycles()?;
        let (count, last) = (of.entries as usize, quarter - 1);
        let clock = m.reg("clock", bits(u32::BITS - last.leading_zeros())).reset(0).describe("Cycles of this quarter.");
        let tick = m.named("tick", clock.equals(last));
        clock.set(mux(tick, Value::zero(clock.width()).lit(), *clock + 1));
        let ages = m.reg_array("ages", count, bits(AGE_BITS)).describe("Quarters that began since the request.");
        let given_up = m.reg_array("given_up", count, bit()).reset(0).describe("The request is lost.");
        Some(Self { tick, ages, given_up })
    }

    /// The request that is given up now, if any: the first of `candidates` that has waited too long.
    fn lost(&self, m: &ModuleBuilder, candidates: Bits) -> Array<Bit> {
        let candidates = candidates.array();
        let overdue = each("overdue", candidates.count(), |i| candidates.at(i) & self.ages.at(i).equals(LOST_AGE));
        m.named("lost_now", overdue.bits() & (!overdue.bits() + 1)).array()
    }

    /// One cycle of an entry.
    fn step(&self, i: Index, pending: Bit, lost: Bit, placed: Bit) {
        let age = self.ages.at(i);
        when(self.tick & pending & age.differs(LOST_AGE), || age.set(age + 1));
        when(lost, || self.given_up.at(i).set(true));
        when(placed, || {
            age.set(0);
            self.given_up.at(i).set(false);
        });
    }
}
