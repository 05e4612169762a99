//! Context caches of the sizes that no configuration ships, in the reference interpreter, against the golden model.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_golden::iommu::context_cache::{Answer, Commands, Context, ContextCache, Fill, Invalidation};
use tollgate_hdl::iommu::context_cache::{self as hardware, ContextCachePorts, context_cache};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_spec::config::Config;
use tollgate_spec::context::Scope;

/// Drives the commands of a cycle.
fn drive(sim: &mut Sim<ContextCachePorts>, commands: &Commands) {
    let io = sim.io();
    sim.set(io.lookup.valid, i32::from(commands.lookup.is_some()));
    sim.set(io.fill.valid, i32::from(commands.fill.is_some()));
    sim.set(io.invalidate.valid, i32::from(commands.invalidate.is_some()));
    if let Some(requester) = commands.lookup {
        sim.set(io.lookup.data, requester);
    }
    if let Some(Fill { requester, context }) = commands.fill {
        let to = io.fill.data.context;
        sim.set(io.fill.data.requester, requester);
        sim.set(to.domain, context.domain);
        sim.set(to.page_table, context.page_table);
        sim.set(to.pass_through, i32::from(context.pass_through));
        sim.set(to.fault_processing_disable, i32::from(context.fault_processing_disable));
        sim.set(to.active, i32::from(context.active));
    }
    if let Some(invalidation) = commands.invalidate {
        let to = io.invalidate.data;
        let (scope, domain, requester, function_mask) = match invalidation {
            Invalidation::Global => (Scope::Global, 0, 0, 0),
            Invalidation::Domain(domain) => (Scope::Domain, domain, 0, 0),
            Invalidation::Device { requester, function_mask } => (Scope::Device, 0, requester, function_mask),
        };
        sim.set(to.scope, hardware::Scope::VARIANTS[usize::from(scope.number()) - 1]);
        sim.set(to.domain, domain);
        sim.set(to.requester, requester);
        sim.set(to.function_mask, function_mask);
    }
}

/// Commands on requesters that fill the cache about twice.
fn any_commands(rng: &mut impl Rng, entries: u16) -> Commands {
    let mut any_requester = || rng.random_range(0..2 * entries);
    let [lookup, requester, gone] = [any_requester(), any_requester(), any_requester()];
    let context = Context {
        domain: rng.random_range(0..4),
        page_table: rng.random_range(0..1 << 36),
        pass_through: rng.random(),
        fault_processing_disable: rng.random(),
        active: rng.random(),
    };
    let invalidation = match rng.random_range(0..16) {
        0 => Invalidation::Global,
        1 => Invalidation::Domain(context.domain),
        _ => Invalidation::Device { requester: gone, function_mask: rng.random_range(0..4) },
    };
    Commands {
        lookup: rng.random_bool(0.8).then_some(lookup),
        fill: rng.random_bool(0.8).then_some(Fill { requester, context }),
        invalidate: rng.random_bool(0.02).then_some(invalidation),
    }
}

#[test]
fn a_context_cache_has_any_size() {
    for entries in [2, 16, 256] {
        let config = Config::shipped("default", &[format!("context_cache.entries={entries}")]);
        let config = config.expect("the size keeps all rules");
        let design = elaborate(|| context_cache(&config)).unwrap_or_else(|errors| panic!("{errors}"));
        let mut rng = ChaCha8Rng::seed_from_u64(entries.into());
        let mut sim = Sim::new(&design, rng.next_u64());
        let mut golden = ContextCache::new(&config);
        let io = sim.io();
        let (mut hits, mut full) = (0, 0);
        drive(&mut sim, &Commands::default());
        sim.reset();
        for _ in 0..1_500 {
            let commands = any_commands(&mut rng, entries);
            drive(&mut sim, &commands);
            sim.step();
            let answer = golden.step(&commands);
            full += usize::from(golden.live().count() == usize::from(entries));
            sim.expect(io.miss, i32::from(answer == Some(Answer::Miss)));
            sim.expect(io.hit.valid, i32::from(matches!(answer, Some(Answer::Hit(_)))));
            if let Some(Answer::Hit(context)) = answer {
                hits += 1;
                sim.expect(io.hit.data.domain, context.domain);
                sim.expect(io.hit.data.page_table, context.page_table);
                sim.expect(io.hit.data.pass_through, i32::from(context.pass_through));
                sim.expect(io.hit.data.fault_processing_disable, i32::from(context.fault_processing_disable));
                sim.expect(io.hit.data.active, i32::from(context.active));
            }
        }
        assert!(hits > 100, "{entries} entries: only {hits} hits");
        assert!(full > 20, "{entries} entries: full in only {full} cycles");
    }
}
