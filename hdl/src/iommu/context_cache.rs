//! Context cache: the contexts of the requesters last seen, as the context walker read them (AA-01).
//!
//! Every command is judged on the state before its clock edge; one of each is taken in every cycle. The golden model is
//! `tollgate_golden::iommu::context_cache`.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::{Config, Storage};
use tollgate_spec::context::{FUNCTION_MASK_BITS, REQUESTER_BITS};

/// What an invalidation covers: VT-d's codes.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Scope {
    /// Everything.
    Global = 1,
    /// All requesters of the domain.
    Domain = 2,
    /// The requester, and what the function mask adds to it.
    Device = 3,
}

/// What the context entry of a requester says.
#[bundle(p: Config)]
pub struct Context {
    /// DID: the domain id.
    pub domain: Bits<{ p.iotlb.domain_bits }>,
    /// SLPTPTR: number of the page that the PML4 table is in; any with `pass_through`.
    pub page_table: Bits<{ p.pte.frame_bits() }>,
    /// TT: requests go on as they are.
    pub pass_through: Bit,
    /// FPD: faults are not recorded.
    pub fault_processing_disable: Bit,
    /// Active access is on, if it is globally (U-01).
    pub active: Bit,
}

/// A context to keep.
#[bundle(p: Config)]
pub struct Fill {
    /// The requester: bus, device, function.
    pub requester: Bits<{ REQUESTER_BITS }>,
    /// Its context.
    pub context: Context,
}

/// What to forget.
#[bundle(p: Config)]
pub struct Invalidation {
    /// What it covers.
    pub scope: Code<Scope>,
    /// The domain id; of account where the scope is a domain.
    pub domain: Bits<{ p.iotlb.domain_bits }>,
    /// The requester; of account where the scope is a device.
    pub requester: Bits<{ REQUESTER_BITS }>,
    /// VT-d's function mask: 0 the requester alone, 1 without bit 2 of the function, 2 without bits 2:1, 3 all functions.
    pub function_mask: Bits<{ FUNCTION_MASK_BITS }>,
}

/// What finds an entry, and what forgets it.
#[bundle(p: Config)]
pub struct Key {
    /// The requester.
    pub requester: Bits<{ REQUESTER_BITS }>,
    /// Its domain.
    pub domain: Bits<{ p.iotlb.domain_bits }>,
}

/// Ports of the context cache.
#[ports(p: Config)]
pub struct ContextCachePorts {
    /// Asks for the context of a requester.
    pub lookup: Input<Valid<Bits<{ REQUESTER_BITS }>>>,
    /// One cycle after `lookup`: the context, if there is one.
    pub hit: Output<Valid<Context>>,
    /// One cycle after `lookup`: there is none.
    pub miss: Output<Bit>,
    /// Keeps a context, in place of the one of that requester; does nothing beside an invalidation.
    pub fill: Input<Valid<Fill>>,
    /// Forgets contexts.
    pub invalidate: Input<Valid<Invalidation>>,
}

/// The context cache of a configuration.
pub fn context_cache(p: &Config) -> Module<ContextCachePorts> {
    let (count, index_bits) = (p.context_cache.entries as usize, p.context_cache.index_bits());
    module("iommu_context_cache", ContextCachePorts::shape(p), |m, io| {
        m.describe("Context cache: finds the domain and the page table of a requester.");
        for (name, value, meaning) in p.context_cache.parameters() {
            m.parameter(name, value, meaning);
        }
        m.parameter("domain_bits", p.iotlb.domain_bits, "bits of a domain id");
        m.parameter("frame_bits", p.pte.frame_bits(), "bits of the number of a page in memory");
        let (fill, invalidate) = (io.fill.data, io.invalidate.data);
        let live = m.reg_array("live", count, bit()).reset(0).describe("The entry can be found.");
        let keys = m.reg_array("keys", count, Key::shape(p)).describe("What finds each entry, and what forgets it.");
        let style = if p.context_cache.storage == Storage::LutRam { "distributed" } else { "registers" };
        let contexts = m.memory("contexts", count, Context::shape(p)).attribute("ram_style", style);
        let contexts = contexts.describe("By entry.");

        let hits = each("hits", count, |i| live.at(i) & keys.at(i).requester.equals(io.lookup.data));
        m.assert("at most one entry has a requester", hits.at_most_one());
        let found = contexts.read(hits.position("index", index_bits));
        let found = m.delayed("found", Valid { valid: io.lookup.valid & hits.any(), data: found });
        io.hit.set(*found.reset_member(|found| found.valid, 0).describe("What was found."));
        let missed = m.delayed("missed", io.lookup.valid & !hits.any()).reset(0);
        io.miss.set(*missed.describe("Nothing was found."));

        // A fill forgets its requester, as an invalidation of it alone does.
        let fills = m.named("fills", io.fill.valid & !io.invalidate.valid);
        let gone = m.named("gone", mux(io.invalidate.valid, invalidate.requester, fill.requester));
        let mask = invalidate.function_mask;
        let functions =
            concat([mask.any().bits(), mask.slice(1..2), mask.all().bits()]) & io.invalidate.valid.repeat(3);
        let ignored = m.named("ignored", functions.extend(REQUESTER_BITS));
        let all = m.named("all", io.invalidate.valid & invalidate.scope.is(Scope::Global));
        let domain = m.named("domain", io.invalidate.valid & invalidate.scope.is(Scope::Domain));
        let forgets = m.named("forgets", io.fill.valid | io.invalidate.valid);
        let stays = each("stays", count, |i| {
            let Key { requester, domain: of } = keys.at(i);
            let same_requester = ((requester ^ gone) & !ignored).none();
            let goes = all | mux(domain, of.equals(invalidate.domain), same_requester);
            live.at(i) & !(forgets & goes)
        });

        // The entries make room in turn, once none is free.
        let free = m.named("free", !stays.bits());
        let turn = m.reg("turn", bits(index_bits)).reset(0).describe("The entry that makes room next.");
        let victim = each("victim", count, |i| turn.equals(i));
        when(fills & free.none(), || turn.set(*turn + 1));
        let chosen = mux(free.any(), free & (!free + 1), victim.bits());
        let filled = m.named("filled", chosen & fills.repeat(p.context_cache.entries)).array();
        each("entry", count, |i| {
            live.at(i).set(stays.at(i) | filled.at(i));
            let key = Key { requester: fill.requester, domain: fill.context.domain };
            when(filled.at(i), || keys.at(i).set(key));
        });
        when(fills, || contexts.write(filled.position("filled_index", index_bits), fill.context));
    })
}
