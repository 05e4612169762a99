//! Context walkers of the sizes that no configuration ships, in the reference interpreter, against the golden model.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_golden::iommu::context_walker::{ContextWalker, Events, Outcome};
use tollgate_hdl::bundles::Response;
use tollgate_hdl::iommu::context_walker::{self as hardware, context_walker};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_spec::config::Config;

/// A root entry or a context entry; one in four has a wrong bit.
fn any_entry(rng: &mut impl Rng, is_context: bool) -> u128 {
    let upper = if is_context { rng.random_range(0..1 << 16) << 8 | 2 } else { 0 };
    let entry = upper << 64 | rng.random_range(0..1 << 36) << 12 | 1;
    if rng.random_bool(0.25) { entry ^ 1 << rng.random_range(0..128) } else { entry }
}

/// Runs one against the golden model; gives how many walks have ended with a context, and whether all were in flight.
fn run(walks: usize, data_bits: u32) -> (usize, bool) {
    let sets = [format!("context_walker.walks={walks}"), format!("data_path.bits={data_bits}")];
    let config = Config::shipped("default", &sets).expect("the sizes keep all rules");
    let design = elaborate(|| context_walker(&config)).unwrap_or_else(|errors| panic!("{errors}"));
    let mut rng = ChaCha8Rng::seed_from_u64(walks as u64);
    let mut sim = Sim::new(&design, rng.next_u64());
    let mut golden = ContextWalker::new(&config);
    let io = sim.io();
    let (mut contexts, mut was_full) = (0, false);
    for valid in [io.request.valid, io.read_data.valid, io.invalidate] {
        sim.set(valid, 0);
    }
    sim.set(io.root_table, 5);
    sim.reset();
    // Reads under way: walk and address.
    let mut open: Vec<(usize, u64)> = vec![];
    for _ in 0..3_000 {
        let mut events = Events { root_table: 5, invalidate: rng.random_bool(0.01), ..Events::default() };
        sim.set(io.invalidate, i32::from(events.invalidate));
        let requester = rng.random_range(0..2_u16) << 8 | rng.random_range(0..16);
        let asks = rng.random_bool(0.7);
        sim.set(io.request.valid, i32::from(asks));
        sim.set(io.request.data, requester);
        events.request = (asks && golden.is_ready()).then_some(requester);
        sim.expect(io.request.ready, i32::from(golden.is_ready()));
        was_full |= !golden.is_ready();

        let answered = (!open.is_empty() && rng.random_bool(0.6)).then(|| rng.random_range(0..open.len()));
        sim.set(io.read_data.valid, i32::from(answered.is_some()));
        if let Some(position) = answered {
            let (walk, address) = open.remove(position);
            let entry = any_entry(&mut rng, golden.has_root(walk));
            let low = 8 * (address % u64::from(data_bits / 8)) as u32;
            let beat = Value::new(128, entry).bits() << low;
            sim.set(io.read_data.data.id, walk);
            sim.set(io.read_data.data.data, Value::new(data_bits, beat));
            sim.set(io.read_data.data.resp, Response::Okay);
            events.answer = Some((walk, Some(entry)));
        }

        let takes = rng.random_bool(0.7);
        sim.set(io.read_address.ready, i32::from(takes));
        let number = |value: Value| u64::try_from(value.bits()).expect("at most 64 bits");
        if takes && sim.get(io.read_address.valid) {
            let walk = number(sim.get(io.read_address.data.id)) as usize;
            let address = number(sim.get(io.read_address.data.addr));
            assert!(golden.may_read(walk, address), "{walks} walks: walk {walk} reads {address:#x}");
            open.push((walk, address));
            events.taken = Some(walk);
        }
        sim.step();
        let done = golden.step(&events);
        sim.expect(io.done.valid, i32::from(done.is_some()));
        if let Some(done) = done {
            sim.expect(io.done.data.requester, done.requester);
            let (outcome, reason) = match done.outcome {
                Outcome::Stale => (hardware::Outcome::Stale, None),
                Outcome::Fault(fault) => (hardware::Outcome::Fault, Some(fault.reason.number())),
                Outcome::Context(context) => {
                    contexts += 1;
                    sim.expect(io.done.data.context.domain, context.domain);
                    sim.expect(io.done.data.context.page_table, context.page_table);
                    (hardware::Outcome::Context, None)
                }
            };
            sim.expect(io.done.data.outcome, outcome);
            if let Some(reason) = reason {
                sim.expect(io.done.data.reason, reason);
            }
        }
    }
    (contexts, was_full)
}

#[test]
fn a_context_walker_has_any_size() {
    for (walks, data_bits) in [(2, 128), (2, 512), (5, 256), (16, 512)] {
        let (contexts, was_full) = run(walks, data_bits);
        assert!(contexts > 50, "{walks} walks: only {contexts} contexts");
        assert!(was_full, "{walks} walks were never all in flight");
    }
}
