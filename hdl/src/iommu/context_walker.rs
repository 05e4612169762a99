//! Context walker: reads the root entry and the context entry of a requester (AA-01).
//!
//! Several walks are in flight at a time, each with one read at most; the number of a walk is the AXI id of its reads.
//! The golden model is `tollgate_golden::iommu::context_walker`.

use super::context_cache::Context;
use crate::bundles::{Axi4Address, Axi4Parameters, Axi4ReadData, Response, Stream, Valid};
use crate::cells::round_robin_arbiter::round_robin_arbiter;
use std::ops::Range;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Config;
use tollgate_spec::context::{
    BUS, DEVICE_FUNCTION, ENTRY_BITS, FOUR_LEVELS, REQUESTER_BITS, TranslationType, context_entry, root_entry,
};
use tollgate_spec::fault::FaultReason;

/// Log2 of the bytes of an entry.
const ENTRY_SIZE: u32 = (ENTRY_BITS / 8).ilog2();

/// How a walk ends.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    /// An invalidation came while it was in flight: whoever waits asks again.
    Stale = 0,
    /// With a context.
    Context = 1,
    /// With a fault.
    Fault = 2,
}

/// The end of a walk.
#[bundle(p: Config)]
pub struct Done {
    /// The requester.
    pub requester: Bits<{ REQUESTER_BITS }>,
    /// How the walk ended.
    pub outcome: Code<Outcome>,
    /// The context; of a fault, `fault_processing_disable` alone, 0 if no context entry was read.
    pub context: Context,
    /// Of a fault, its reason: a `FAULT_REASON` of the headers.
    pub reason: Bits<{ FaultReason::BITS }>,
}

/// Ports of the context walker.
#[ports(p: Config)]
pub struct ContextWalkerPorts {
    /// Number of the page that the root table is in (RTADDR).
    pub root_table: Input<Bits<{ p.pte.frame_bits() }>>,
    /// Asks for the context of a requester: starts a walk, or waits for the one that is in flight for it.
    pub request: Sink<Stream<Bits<{ REQUESTER_BITS }>>>,
    /// The end of a walk, for all whose requests were taken in a cycle before.
    pub done: Output<Valid<Done>>,
    /// Makes all walks in flight stale.
    pub invalidate: Input<Bit>,
    /// Reads of entries: bursts of one beat of 16 bytes.
    pub read_address: Source<Stream<Axi4Address<{ memory(p) }>>>,
    /// The entries.
    pub read_data: Sink<Stream<Axi4ReadData<{ memory(p) }>>>,
}

/// The side of memory.
fn memory(p: &Config) -> Axi4Parameters {
    let id_bits = p.context_walker.walk_bits();
    Axi4Parameters { address_bits: p.host_address_bits, data_bits: p.data_path.bits, id_bits }
}

/// The context walker of a configuration.
pub fn context_walker(p: &Config) -> Module<ContextWalkerPorts> {
    let (walks, walk_bits) = (p.context_walker.walks, p.context_walker.walk_bits());
    let count = walks as usize;
    module("iommu_context_walker", ContextWalkerPorts::shape(p), |m, io| {
        m.describe("Context walker: reads the root entry and the context entry of a requester.");
        for (name, value, meaning) in p.context_walker.parameters() {
            m.parameter(name, value, meaning);
        }
        m.parameter("host_address_bits", p.host_address_bits, "bits of an address in memory");
        m.parameter("data_bits", p.data_path.bits, "bits of a beat of memory");
        m.parameter("domain_bits", p.iotlb.domain_bits, "bits of a domain id");

        let flags = |name: &str, meaning| m.reg_array(name, count, bit()).describe(meaning);
        let in_flight = flags("in_flight", "The walk is in flight.").reset(0);
        let asks = flags("asks", "Its next read is not taken yet.").reset(0);
        let has_root = flags("has_root", "It has read the root entry, and now reads the context entry.");
        let stale = flags("stale", "An invalidation came since it was started.");
        let requesters = m.reg_array("requesters", count, bits(REQUESTER_BITS)).describe("Whose context it looks for.");
        let tables = m.memory("tables", count, bits(p.pte.frame_bits())).attribute("ram_style", "distributed");
        let tables = tables.describe("By walk: number of the page that the context table is in.");

        // Requests: the lowest free walk is started, unless a fresh one is for the same requester.
        let free = m.named("free", !in_flight.bits());
        io.request.ready.set(free.any());
        let same = each("same", count, |i| in_flight.at(i) & !stale.at(i) & requesters.at(i).equals(io.request.data));
        m.assert("at most one fresh walk is for a requester", same.at_most_one());
        let starts = m.named("starts", io.request.fires() & !same.any());
        let started = m.named("started", free & (!free + 1) & starts.repeat(walks)).array();

        // Reads: each walk that asks in turn. One that is offered stays until it is taken: the turn passes on at once.
        let arbiter = m.instance("arbiter", &round_robin_arbiter(walks));
        let ask = io.read_address;
        let held = m.delayed("held", arbiter.grant & (!ask.ready).repeat(walks)).reset(0);
        let held = held.describe("The walk whose read is offered and was not taken, one-hot.");
        arbiter.request.set(mux(held.any(), *held, asks.bits()));
        arbiter.taken.set(true);
        let taken = m.named("taken", arbiter.grant & ask.ready.repeat(walks)).array();
        let root_table = m.reg("root_table_used", bits(p.pte.frame_bits()));
        let root_table = root_table.describe("Number of the page that the root table is in, while a read is offered.");
        when(!ask.valid | ask.ready, || root_table.set(io.root_table));
        let asking = arbiter.grant.array().position("asking", walk_bits);
        let asks_context = m.named("asks_context", has_root.at(asking));
        let table = mux(asks_context, tables.read(asking), *root_table);
        ask.valid.set(arbiter.grant.any());
        ask.data.id.set(asking);
        let asks_for = m.named("asks_for", requesters.at(asking));
        ask.data.addr.set(concat([table, index(asks_for, asks_context), Value::zero(ENTRY_SIZE).lit()]));
        ask.data.len.set(0);
        ask.data.size.set(ENTRY_SIZE);
        ask.data.burst.set(1);
        ask.data.lock.set(false);
        ask.data.cache.set(0b0011);
        ask.data.prot.set(0);
        ask.data.qos.set(0);

        // Entries: on the lanes that their address says.
        let Stream { valid: arrives, ready, data: beat } = io.read_data;
        ready.set(true);
        m.ignore("last", beat.last, "a burst has one beat");
        let walk = beat.id;
        let answered = m.named("answered", arrives & in_flight.at(walk) & !asks.at(walk));
        let requester = m.named("requester", requesters.at(walk));
        let is_context = m.named("is_context", has_root.at(walk));
        let entry = match (p.data_path.bits / ENTRY_BITS).ilog2() {
            0 => beat.data,
            lanes => beat.data.elements(ENTRY_BITS).at(index(requester, is_context).slice(0..lanes)),
        };
        let entry = m.named("entry", entry);
        let (root, context) =
            (root_entry(p.host_address_bits), context_entry(p.host_address_bits, p.iotlb.domain_bits));
        let is_set = |gaps: Vec<Range<u32>>| {
            let any = gaps.into_iter().map(|gap| entry.slice(gap).any());
            any.reduce(|one, other| one | other).expect("an entry has reserved bits")
        };
        let field = |name| entry.slice(context.range(name));

        let readable = m.named("readable", beat.resp.is(Response::Okay) | beat.resp.is(Response::ExclusiveOkay));
        let present = m.named("present", entry.slice(root.range("present")).any());
        let reserved = m.named("reserved", mux(is_context, is_set(context.gaps()), is_set(root.gaps())));
        let pass_through = field("translation_type").equals(TranslationType::PassThrough.number());
        let pass_through = m.named("pass_through", pass_through);
        let supported = (pass_through | field("translation_type").equals(TranslationType::Translate.number()))
            & field("address_width").equals(FOUR_LEVELS);
        let faulty = m.named("faulty", !readable | !present | reserved | (is_context & !supported));
        let reason = m.wire("reason", bits(FaultReason::BITS));
        let either = |of_context: FaultReason, of_root: FaultReason| {
            let [of_context, of_root] =
                [of_context, of_root].map(|reason| Value::new(FaultReason::BITS, reason.number()).lit());
            mux(is_context, of_context, of_root)
        };
        use FaultReason as Reason;
        when(!readable, || reason.set(either(Reason::ContextEntryUnreachable, Reason::RootEntryUnreachable)))
            .or_when(!present, || reason.set(either(Reason::ContextEntryNotPresent, Reason::RootEntryNotPresent)))
            .or_when(reserved, || reason.set(either(Reason::ContextEntryReserved, Reason::RootEntryReserved)))
            .otherwise(|| reason.set(Reason::InvalidContextEntry.number()));

        let outdated = m.named("outdated", stale.at(walk) | io.invalidate);
        let ends = m.named("ends", answered & (is_context | faulty | outdated));
        let outcome = m.wire("outcome", code::<Outcome>());
        when(outdated, || outcome.set(Outcome::Stale))
            .or_when(faulty, || outcome.set(Outcome::Fault))
            .otherwise(|| outcome.set(Outcome::Context));
        let context = Context {
            domain: field("domain"),
            page_table: field("page_table"),
            pass_through,
            fault_processing_disable: field("fault_processing_disable").any() & is_context & readable,
            active: field("active").any(),
        };
        let done = m.delayed("ended", Valid { valid: ends, data: Done { requester, outcome, context, reason } });
        io.done.set(*done.reset_member(|done| done.valid, 0).describe("The walk that has ended."));

        let goes_on = m.named("goes_on", answered & !ends);
        when(goes_on, || tables.write(walk, entry.slice(root.range("context_table"))));
        each("walk", count, |i| {
            let this = walk.equals(i);
            let continues = goes_on & this;
            in_flight.at(i).set((in_flight.at(i) & !(ends & this)) | started.at(i));
            asks.at(i).set((asks.at(i) & !taken.at(i)) | started.at(i) | continues);
            has_root.at(i).set((has_root.at(i) | continues) & !started.at(i));
            stale.at(i).set((stale.at(i) | io.invalidate) & !started.at(i));
            when(started.at(i), || requesters.at(i).set(io.request.data));
        });
    })
}

/// Which entry of its table a walk reads: the bus numbers root entries, device and function context entries.
fn index(requester: Bits, is_context: Bit) -> Bits {
    mux(is_context, requester.slice(DEVICE_FUNCTION), requester.slice(BUS))
}
