//! Cells of sizes that no configuration ships, in the reference interpreter; and the stream checker at work in a block.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_hdl::bundles::Stream;
use tollgate_hdl::cells::fifo::{Storage, fifo};
use tollgate_hdl::cells::stream_checker::Side;
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_spec::config::Fifo;

/// Runs a FIFO of `depth` beats of 8 bits against a queue, both sides in as many of 100 cycles as `percent` says, and gives
/// how many beats came out in 1000 cycles. `latency` is what a beat takes to the output.
fn run(storage: Storage, depth: u32, latency: u64, percent: [u32; 2], seed: u64) -> usize {
    let design = elaborate(|| fifo(&Fifo { depth, width: 8 }, storage)).unwrap_or_else(|errors| panic!("{errors}"));
    let mut sim = Sim::new(&design, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let io = sim.io();
    // The cycle from which on a beat is at the output, and the beat.
    let mut within: VecDeque<(u64, u8)> = VecDeque::new();
    let mut came_out = 0;
    sim.set(io.input.valid, 0);
    sim.set(io.output.ready, 0);
    sim.reset();
    for cycle in 0..1000 {
        let beat: u8 = rng.random();
        let [offers, takes] = percent.map(|percent| rng.random_range(0..100) < percent);
        sim.set(io.input.valid, i32::from(offers));
        sim.set(io.input.data, beat);
        sim.set(io.output.ready, i32::from(takes));
        let oldest = within.front().filter(|(from, _)| *from <= cycle).map(|(_, beat)| *beat);
        sim.expect(io.input.ready, i32::from(within.len() < depth as usize));
        sim.expect(io.output.valid, i32::from(oldest.is_some()));
        if let Some(oldest) = oldest {
            sim.expect(io.output.data, oldest);
        }
        let has_room = within.len() < depth as usize;
        if takes && oldest.is_some() {
            within.pop_front();
            came_out += 1;
        }
        if offers && has_room {
            within.push_back((cycle + latency, beat));
        }
        sim.step();
    }
    came_out
}

/// Runs a FIFO of each depth with sides of several speeds.
fn run_depths(storage: Storage, depths: &[u32], latency: u64) {
    for depth in depths {
        for (seed, percent) in (1..).zip([[100, 50], [50, 100], [50, 50], [95, 90]]) {
            let came_out = run(storage, *depth, latency, percent, seed);
            assert!(came_out > 200, "depth {depth}, seed {seed}: {came_out} beats in 1000 cycles");
        }
    }
}

#[test]
fn a_fifo_in_registers_has_any_depth() {
    run_depths(Storage::Registers, &[1, 2, 3, 4, 5, 7, 8, 12], 1);
}

#[test]
fn a_fifo_in_ram_has_any_depth() {
    run_depths(Storage::BlockRam, &[2, 3, 4, 5, 7, 8, 12], 2);
}

#[test]
fn small_depths_cost_throughput() {
    let full_speed = |storage, depth, latency| run(storage, depth, latency, [100, 100], 1);
    assert_eq!([1, 2, 3].map(|depth| full_speed(Storage::Registers, depth, 1)), [500, 999, 999]);
    assert_eq!([2, 3, 4].map(|depth| full_speed(Storage::BlockRam, depth, 2)), [666, 998, 998]);
}

/// Ports of a block that lets a stream through, or breaks it.
#[ports]
struct ThroughPorts {
    /// What comes in.
    input: Sink<Stream<Bits<4>>>,
    /// What goes out.
    output: Source<Stream<Bits<4>>>,
    /// Drops `valid`.
    withdraw: Input<Bit>,
    /// Changes the payload.
    change: Input<Bits<4>>,
}

/// A block whose sides are checked.
fn through() -> Module<ThroughPorts> {
    module("through", ThroughPorts::shape(&()), |m, io| {
        m.describe("Lets a stream through.");
        io.output.valid.set(io.input.valid & !io.withdraw);
        io.output.data.set(io.input.data ^ io.change);
        io.input.ready.set(io.output.ready);
        io.input.check(m, "input", Side::Sink);
        io.output.check(m, "output", Side::Source);
    })
}

/// One cycle: reset, `valid`, payload, `ready`, `withdraw`, `change`.
type Cycle = (bool, i32, i32, i32, i32, i32);

/// What the checkers say of some cycles; nothing if they are content.
fn verdict(cycles: &[Cycle]) -> Option<String> {
    let design = elaborate(through).unwrap_or_else(|errors| panic!("{errors}"));
    // Before the first edge the checkers know nothing, whatever state they wake up in.
    (0..20).map(|seed| verdict_from(&mut Sim::new(&design, seed), cycles)).reduce(|one, other| {
        assert_eq!(one, other, "the verdict depends on the state before the first edge");
        one
    })?
}

fn verdict_from(sim: &mut Sim<ThroughPorts>, cycles: &[Cycle]) -> Option<String> {
    let io = sim.io();
    for (reset, valid, data, ready, withdraw, change) in cycles {
        sim.set_reset("", *reset);
        sim.set(io.input.valid, *valid);
        sim.set(io.input.data, *data);
        sim.set(io.output.ready, *ready);
        sim.set(io.withdraw, *withdraw);
        sim.set(io.change, *change);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| sim.step())) {
            let text = panic.downcast_ref::<String>().expect("a panic with a message");
            let line = text.lines().find(|line| line.contains("stream rule")).expect("a rule of the contract");
            let (_, said) = line.split_once("through.").expect("the instance is named");
            let (instance, rest) = said.split_once(',').expect("the cycle follows");
            let (_, rule) = rest.split_once(" failed: ").expect("the rule follows");
            return Some(format!("{instance}: {rule}"));
        }
    }
    None
}

/// A cycle of reset without `valid`.
const RESET: Cycle = (true, 0, 0, 0, 0, 0);

#[test]
fn a_right_stream_passes_its_checkers() {
    let cycles = [RESET, RESET, (false, 1, 5, 0, 0, 0), (false, 1, 5, 1, 0, 0), (false, 0, 6, 0, 0, 0)];
    assert_eq!(verdict(&cycles), None);
    assert_eq!(verdict(&[(false, 1, 5, 0, 0, 0), RESET, (false, 0, 3, 0, 0, 0)]), None, "a reset ends the promise");
}

#[test]
fn what_breaks_a_rule_is_told_with_the_side() {
    let offered = (false, 1, 5, 0, 0, 0);
    let broken = |next: Cycle| verdict(&[RESET, RESET, offered, next]).expect("a rule is broken");
    assert_eq!(broken((false, 0, 5, 0, 0, 0)), "input_checker: stream rule 2: valid fell before the transfer");
    assert_eq!(broken((false, 1, 4, 0, 0, 0)), "input_checker: stream rule 2: the payload changed before the transfer");
    assert_eq!(broken((false, 1, 5, 0, 1, 0)), "output_checker: stream rule 2: valid fell before the transfer");
    assert_eq!(
        broken((false, 1, 5, 1, 0, 1)),
        "output_checker: stream rule 2: the payload changed before the transfer"
    );
}

#[test]
fn valid_in_reset_is_told_after_it() {
    let valid = (true, 1, 5, 0, 0, 0);
    let after = (false, 0, 0, 0, 0, 0);
    assert_eq!(verdict(&[valid, after, after]), None, "the first edge of a reset has not acted");
    let rule = "input_checker: stream rule 4: valid was high in reset";
    assert_eq!(verdict(&[RESET, valid, after]).as_deref(), Some(rule));
    assert_eq!(verdict(&[RESET, valid, RESET, RESET, after]).as_deref(), Some(rule));
    assert_eq!(verdict(&[after, valid, RESET, after, after]), None, "the first edge of a later reset");
}
