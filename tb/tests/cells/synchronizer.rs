//! The synchronizer: a bit from another clock arrives, late by its stages and by no more.

use rand::{Rng, RngExt};
use tb::{configurations, model};
use tollgate_cosim::{Bench, Clock, Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Output};
use tollgate_golden::cells::synchronizer::Synchronizer;
use tollgate_spec::config::Config;

fn synchronizer(config: &Config) -> ModelBuilder {
    model(config, &format!("cells_synchronizer_{}", stages(config)))
}

fn stages(config: &Config) -> u64 {
    config.cells.synchronizer.stages.into()
}

/// Picoseconds between two clock edges.
const PERIOD: u64 = 10_000;

/// The synchronizer, the time of its clock, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    clk: Clock,
    asynchronous: Input,
    synchronous: Output,
    golden: Synchronizer,
    /// The time of the next clock edge, picoseconds.
    next_edge: u64,
}

/// What a clock edge saw.
#[derive(Clone, Copy)]
struct Edge {
    time: u64,
    sampled: bool,
    /// The output after it, once it is known.
    output: Option<bool>,
}

impl<'a> Testbench<'a> {
    fn new(dut: &'a mut Dut, config: &Config) -> Outcome<Self> {
        Ok(Self {
            clk: dut.clock("clk")?,
            asynchronous: dut.input("asynchronous")?.of_width(1)?,
            synchronous: dut.output("synchronous")?.of_width(1)?,
            golden: Synchronizer::new(stages(config) as usize),
            next_edge: PERIOD,
            dut,
        })
    }

    /// Changes the bit between two clock edges: the output must not follow.
    fn change(&mut self, bit: bool) -> Outcome {
        self.asynchronous.set(bit.into());
        self.dut.eval()?;
        self.check()
    }

    /// The next clock edge; the other one, at which the clock falls, changes nothing.
    fn edge(&mut self) -> Outcome<Edge> {
        let sampled = self.asynchronous.is_set();
        self.dut.step(self.clk)?;
        self.golden.edge(sampled);
        self.check()?;
        self.dut.eval()?;
        self.check()?;
        let time = self.next_edge;
        self.next_edge += PERIOD;
        Ok(Edge { time, sampled, output: self.golden.output() })
    }

    fn check(&self) -> Outcome {
        match (self.synchronous.is_set(), self.golden.output()) {
            (rtl, Some(golden)) if rtl != golden => {
                let cycle = self.dut.cycle(self.clk);
                let transaction = format!("after edge {cycle}");
                Err(Failure::mismatch(cycle, transaction, "synchronous", u8::from(rtl), u8::from(golden)))
            }
            _ => Ok(()),
        }
    }
}

/// The clock of the source beside ours, and what became of its changes.
fn covered() -> Coverage {
    Coverage::new()
        .point("source clock", ["slower", "equal", "faster"])
        .point("change", ["arrives", "is too short"])
        .cross(["source clock", "change"])
        .impossible(&[("source clock", "slower"), ("change", "is too short")], "each lasts for an edge of ours")
        .impossible(&[("source clock", "equal"), ("change", "is too short")], "each lasts for an edge of ours")
        .point("phase", ["just before the edge", "at the edge", "just after the edge", "elsewhere"])
}

/// Where in the period a change lies; half a percent of it is "just".
fn phase(time: u64) -> &'static str {
    match time % PERIOD {
        0 => "at the edge",
        after if after <= PERIOD / 200 => "just after the edge",
        after if after >= PERIOD - PERIOD / 200 => "just before the edge",
        _ => "elsewhere",
    }
}

/// A source on a clock of its own, with any period and phase: what its bit was at our edges comes out, each change that
/// lasts for an edge exactly `stages` edges of ours after it, counted from the first one that sees it.
#[test]
fn a_source_on_another_clock() {
    for config in configurations() {
        let run = tb::run(module_path!(), "a_source_on_another_clock", &config).seeds(24).coverage(covered());
        run.check(&synchronizer(&config), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let (name, period) = match *seed % 3 {
                0 => ("slower", rng.random_range(PERIOD + 1..5 * PERIOD)),
                1 => ("equal", PERIOD),
                _ => ("faster", rng.random_range(PERIOD / 20..PERIOD)),
            };
            // Phases near our edge are drawn often; of an equal clock it stays so.
            let near = [0, 1, PERIOD - 1, 20, PERIOD - 20];
            let phase_of_source = match rng.random_ratio(1, 2) {
                true => near[rng.random_range(0..near.len())],
                false => rng.random_range(0..PERIOD),
            };
            let mut source = Source { next: PERIOD + phase_of_source, period, bit: false };
            testbench.change(source.bit)?;
            let mut before = source.bit;
            for _ in 0..1000 {
                let edge_time = testbench.next_edge;
                let changes = source.changes_until(edge_time, rng);
                // Of a change at the very edge, the edge sees the old bit or the new one.
                let is_missed = changes.last().is_some_and(|(time, _)| *time == edge_time) && rng.random();
                let (seen, missed) = changes.split_at(changes.len() - usize::from(is_missed));
                for (_, bit) in seen {
                    testbench.change(*bit)?;
                }
                let edge = testbench.edge()?;
                for (_, bit) in missed {
                    testbench.change(*bit)?;
                }

                changes.iter().for_each(|(time, _)| coverage.sample(&[("phase", phase(*time))]));
                if edge.sampled != before {
                    coverage.sample(&[("source clock", name), ("change", "arrives")]);
                }
                if seen.len() > 1 {
                    coverage.sample(&[("source clock", name), ("change", "is too short")]);
                }
                before = edge.sampled;
            }
            Ok(())
        });
    }
}

/// A bit that may change at the rising edges of a clock of its own.
struct Source {
    /// Its next edge, picoseconds.
    next: u64,
    period: u64,
    bit: bool,
}

impl Source {
    /// The changes from now to `time`, which is included: when, and to what.
    fn changes_until(&mut self, time: u64, rng: &mut impl Rng) -> Vec<(u64, bool)> {
        let mut changes = vec![];
        while self.next <= time {
            if rng.random() {
                self.bit = !self.bit;
                changes.push((self.next, self.bit));
            }
            self.next += self.period;
        }
        changes
    }
}

/// One change, at any time in the period: it is at the output after more than `stages - 1` periods, and `stages` at most.
#[test]
fn latency() {
    for config in configurations() {
        let run = tb::run(module_path!(), "latency", &config).seeds(4);
        run.check(&synchronizer(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let stages = stages(&config);
            let mut bit = false;
            for _ in 0..=stages {
                testbench.edge()?;
            }
            for _ in 0..200 {
                bit = !bit;
                let changed = testbench.next_edge - rng.random_range(1..PERIOD);
                testbench.change(bit)?;
                let arrived = loop {
                    let edge = testbench.edge()?;
                    if edge.output == Some(bit) {
                        break edge.time;
                    }
                };
                let took = arrived - changed;
                let bound = (stages - 1) * PERIOD + 1..=stages * PERIOD;
                assert!(bound.contains(&took), "a change takes {took} ps, the bound is {bound:?}");
            }
            Ok(())
        });
    }
}

/// Within a cycle nothing passes.
#[test]
fn no_combinational_path() {
    for config in configurations() {
        let run = tb::run(module_path!(), "no_combinational_path", &config).seeds(2);
        run.check(&synchronizer(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for _ in 0..stages(&config) {
                testbench.edge()?;
            }
            for _ in 0..200 {
                for _ in 0..rng.random_range(1..10) {
                    testbench.change(rng.random())?;
                }
                testbench.edge()?;
            }
            Ok(())
        });
    }
}

/// Whatever the flip-flops held at first is gone after `stages` edges: there is no reset, and none is needed.
#[test]
fn the_first_state_is_forgotten() {
    for config in configurations() {
        let run = tb::run(module_path!(), "the_first_state_is_forgotten", &config).seeds(16);
        let run = run.coverage(Coverage::new().point("output at first", ["0", "1"]).point("bit", ["0", "1"]));
        run.check(&synchronizer(&config), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let bit: bool = rng.random();
            testbench.change(bit)?;
            let names = |bit| if bit { "1" } else { "0" };
            coverage.sample(&[("output at first", names(testbench.synchronous.is_set())), ("bit", names(bit))]);
            for _ in 0..stages(&config) {
                testbench.edge()?;
            }
            assert_eq!(testbench.synchronous.is_set(), bit);
            Ok(())
        });
    }
}
