//! Drivers, sinks, monitors and scoreboards on a FIFO, and the rules on a source that breaks them.

use rand::{Rng, RngExt};
use tollgate_cosim::{Bench, Dut, Failure, Outcome, Run, Scoreboard, Stalls, StreamDriver, StreamMonitor, StreamSink};

use crate::{model, source};

/// Sends `count` random beats through the FIFO and compares them with what went in.
pub fn through_the_fifo(bench: &mut Bench, stalls: [Stalls; 2], count: u64) -> Outcome {
    let Bench { dut, rng, .. } = bench;
    let mut feed = StreamDriver::new(dut, "in", stalls[0], rng.next_u64())?;
    let mut drain = StreamSink::new(dut, "out", stalls[1], rng.next_u64())?;
    let mut went_in = StreamMonitor::new(dut, "in")?;
    let mut came_out = StreamMonitor::new(dut, "out")?;
    let mut scoreboard = Scoreboard::new("beat");
    let (clk, rst) = (dut.clock("clk")?, dut.input("rst")?);
    let bound = 20 * count + 50; // periodic stalls on both sides cost less than 20 cycles a beat

    dut.reset(&rst, clk, 2)?;
    for _ in 0..count {
        let address = rng.random::<u64>() >> 24;
        let beat = feed.layout().beat().with("address", address)?;
        feed.push(beat.with("level", rng.random_range(0..8u32))?);
    }
    while scoreboard.matched() < count {
        let cycle = dut.cycle(clk);
        if cycle > bound {
            return Err(Failure::other(format!("{} of {count} beats", scoreboard.matched())));
        }
        feed.drive();
        drain.drive();
        dut.eval()?;
        feed.sample();
        if let Some(beat) = went_in.sample(cycle)? {
            scoreboard.expect(beat.clone());
        }
        drain.check_independence(dut, cycle)?;
        if let Some(beat) = came_out.sample(cycle)? {
            scoreboard.check(cycle, beat)?;
        }
        dut.step(clk)?;
    }
    scoreboard.finish(dut.cycle(clk))
}

#[test]
fn a_fifo_keeps_order_under_all_stalls() {
    for input in Stalls::all() {
        for output in Stalls::all() {
            let test = "streams::a_fifo_keeps_order_under_all_stalls";
            Run::of(test)
                .package("tollgate-cosim")
                .seeds(4)
                .check(&source("fifo"), |bench| through_the_fifo(bench, [input, output], 200));
        }
    }
}

/// Watches `outlaw` break `rule`, while it is ready in one cycle of four.
fn break_rule(rule: u64) -> Outcome {
    let dut: &mut Dut = &mut model("outlaw").instance(1)?;
    let (clk, rst) = (dut.clock("clk")?, dut.input("rst")?);
    let mut sink = StreamSink::new(dut, "out", Stalls::Periodic { run: 1, pause: 3 }, 1)?;
    let mut monitor = StreamMonitor::new(dut, "out")?;
    dut.input("rule")?.set(rule);
    for cycle in 0..20 {
        rst.set((cycle < 3).into());
        sink.drive();
        dut.eval()?;
        monitor.sample(cycle)?;
        sink.check_independence(dut, cycle)?;
        dut.step(clk)?;
    }
    assert!(monitor.transfers() > 2);
    Ok(())
}

#[test]
fn each_broken_rule_is_seen() {
    break_rule(0).unwrap();
    let text = |rule| break_rule(rule).unwrap_err().to_string();
    assert_eq!(text(2), "out breaks stream rule 2: valid fell before the transfer of {data=7}");
    assert!(text(3).starts_with("out breaks stream rule 3: valid is "), "{}", text(3));
    assert_eq!(text(4), "out breaks stream rule 4: valid is high in reset");
    assert!(text(5).starts_with("out breaks stream rule 2: data changed from "), "{}", text(5));
}

#[test]
fn the_driver_holds_back_and_holds_on() {
    let dut = &mut model("fifo").instance(1).unwrap();
    let (clk, rst) = (dut.clock("clk").unwrap(), dut.input("rst").unwrap());
    let mut feed = StreamDriver::new(dut, "in", Stalls::Never, 1).unwrap();
    let valid = dut.probe("in_valid").unwrap();
    let level = dut.probe("in_data_level").unwrap();
    for value in 0..6u32 {
        feed.push(feed.layout().beat().with("level", value).unwrap());
    }
    rst.set(1);
    feed.drive();
    assert!(!valid.is_set(), "rule 4");
    dut.reset(&rst, clk, 2).unwrap();

    for cycle in 0..8 {
        feed.drive();
        dut.eval().unwrap();
        assert!(valid.is_set());
        assert_eq!(level.get(), cycle.min(4), "the full FIFO holds the fifth beat");
        assert_eq!(feed.sample(), cycle < 4);
        dut.step(clk).unwrap();
    }
    assert_eq!(feed.pending(), 2);
}

#[test]
fn sides_of_a_stream_are_not_confused() {
    let dut = &model("fifo").instance(1).unwrap();
    let error = StreamDriver::new(dut, "out", Stalls::Never, 1).err().unwrap();
    assert!(error.to_string().starts_with("model fifo has no output `out_ready`; it has: "));
    let error = StreamSink::new(dut, "in", Stalls::Never, 1).err().unwrap();
    assert!(error.to_string().starts_with("model fifo has no output `in_valid`; it has: "));
    let error = StreamMonitor::new(dut, "input").err().unwrap();
    assert!(error.to_string().starts_with("model fifo has no port `input_valid`; it has: "));
}
