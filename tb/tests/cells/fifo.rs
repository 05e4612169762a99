//! The FIFO, in registers and in block RAM: a queue, with exact latencies.

use std::collections::VecDeque;

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use tb::{ClockAndReset, RESET_CYCLES, any_bits, configurations, model, rules};
use tollgate_cosim::{
    Beat, Bench, Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Probe, Run, Scoreboard, Stalls, StreamDriver,
    StreamMonitor, StreamSink,
};
use tollgate_golden::cells::fifo::Fifo;
use tollgate_spec::config::{self, Config};

use super::watched;

/// What the beats are kept in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage {
    Registers,
    Ram,
}

impl Storage {
    const ALL: [Self; 2] = [Self::Registers, Self::Ram];

    /// Cycles from a beat going in to the same beat standing at the output, if none is before it: no more, and no less.
    fn latency(self) -> u64 {
        match self {
            Self::Registers => 1,
            Self::Ram => 2,
        }
    }

    fn parameters(self, config: &Config) -> &config::Fifo {
        match self {
            Self::Registers => &config.cells.register_fifo,
            Self::Ram => &config.cells.ram_fifo,
        }
    }

    fn module(self, config: &Config) -> String {
        let config::Fifo { depth, width } = self.parameters(config);
        match self {
            Self::Registers => format!("cells_fifo_registers_{depth}x{width}"),
            Self::Ram => format!("cells_fifo_ram_{depth}x{width}"),
        }
    }

    fn model(self, config: &Config) -> ModelBuilder {
        model(config, &self.module(config))
    }
}

/// The FIFO between its drivers and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    storage: Storage,
    depth: usize,
    /// Bits of a beat.
    width: u32,
    feed: StreamDriver,
    drain: StreamSink,
    output_ready: Input,
    /// The sink takes nothing, whatever its stall profile says.
    hold: bool,
    went_in: StreamMonitor,
    came_out: StreamMonitor,
    input_ready: Probe,
    output_valid: Probe,
    golden: Fifo<Beat>,
    /// The cycle in which each beat within went in, the oldest first.
    entered: VecDeque<u64>,
    beats: Scoreboard,
}

/// What the edge at the end of a cycle does.
#[derive(Clone, Copy)]
struct Transfers {
    /// The beats within before it.
    occupancy: usize,
    input: bool,
    output: bool,
}

impl<'a> Testbench<'a> {
    /// The FIFO after reset, with a stall profile for each side.
    fn new(
        dut: &'a mut Dut,
        config: &Config,
        storage: Storage,
        [input, output]: [Stalls; 2],
        rng: &mut impl Rng,
    ) -> Outcome<Self> {
        let config::Fifo { depth, width } = *storage.parameters(config);
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            storage,
            depth: depth as usize,
            width,
            feed: StreamDriver::new(dut, "input", input, rng.next_u64())?,
            drain: StreamSink::new(dut, "output", output, rng.next_u64())?,
            output_ready: dut.input("output_ready")?,
            hold: false,
            went_in: StreamMonitor::new(dut, "input")?,
            came_out: StreamMonitor::new(dut, "output")?,
            input_ready: dut.probe("input_ready")?,
            output_valid: dut.probe("output_valid")?,
            golden: Fifo::new(depth as usize),
            entered: VecDeque::new(),
            beats: Scoreboard::new("beat"),
            dut,
        };
        testbench.reset()?;
        Ok(testbench)
    }

    /// Holds the reset: what is within is lost.
    fn reset(&mut self) -> Outcome {
        self.timing.rst.set(1);
        for _ in 0..RESET_CYCLES {
            self.drive();
            self.dut.eval()?;
            let cycle = self.timing.cycle(self.dut);
            self.went_in.sample(cycle)?;
            self.came_out.sample(cycle)?;
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        self.entered.clear();
        Ok(())
    }

    /// Queues beats of random bits for the input.
    fn push(&mut self, beats: usize, rng: &mut impl Rng) -> Outcome {
        for _ in 0..beats {
            let data = any_bits(rng, self.width);
            self.feed.push(self.feed.layout().beat().with("data", data)?);
        }
        Ok(())
    }

    fn drive(&mut self) {
        self.feed.drive();
        self.drain.drive();
        if self.hold {
            self.output_ready.set(0);
        }
    }

    /// One cycle.
    fn cycle(&mut self) -> Outcome<Transfers> {
        self.drive();
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        self.drain.check_independence(self.dut, cycle)?;
        self.check_timing(cycle)?;
        self.feed.sample();

        let occupancy = self.golden.occupancy();
        let output = self.came_out.sample(cycle)?.cloned();
        if let Some(beat) = &output {
            self.entered.pop_front();
            if let Some(oldest) = self.golden.take() {
                self.beats.expect(oldest);
            }
            self.beats.check(cycle, beat)?;
        }
        let input = self.went_in.sample(cycle)?.cloned();
        let transfers = Transfers { occupancy, input: input.is_some(), output: output.is_some() };
        if let Some(beat) = input {
            let lost = |beat| Failure::other(format!("cycle {cycle}: {beat} went in where there is no room"));
            self.golden.put(beat).map_err(lost)?;
            self.entered.push_back(cycle);
        }
        self.dut.step(self.timing.clk)?;
        Ok(transfers)
    }

    /// The sink side shows a beat as many cycles after it went in as the latency says, and the source side is held back
    /// by a full FIFO alone.
    fn check_timing(&self, cycle: u64) -> Outcome {
        let arrived = self.entered.front().is_some_and(|entered| cycle >= entered + self.storage.latency());
        for (port, expected) in [(&self.output_valid, arrived), (&self.input_ready, !self.golden.is_full())] {
            if port.is_set() != expected {
                let transaction = format!("{} of {} beats within", self.golden.occupancy(), self.depth);
                let [rtl, golden] = [port.is_set(), expected].map(u8::from);
                return Err(Failure::mismatch(cycle, transaction, port.name(), rtl, golden));
            }
        }
        Ok(())
    }

    /// Runs until everything that was pushed has come out; fails if that takes more than `bound` cycles.
    fn run_dry(&mut self, bound: u64, mut seen: impl FnMut(Transfers)) -> Outcome {
        for _ in 0..bound {
            if self.feed.pending() == 0 && self.golden.is_empty() {
                return Ok(());
            }
            seen(self.cycle()?);
        }
        let (waiting, within) = (self.feed.pending(), self.golden.occupancy());
        Err(Failure::other(format!("after {bound} cycles {waiting} beats wait and {within} are within")))
    }

    /// Fills the FIFO, while nothing is taken.
    fn fill(&mut self, rng: &mut impl Rng, mut seen: impl FnMut(Transfers)) -> Outcome {
        self.hold = true;
        self.push(self.depth, rng)?;
        for _ in 0..self.depth as u64 * PATIENCE {
            if self.golden.is_full() {
                self.hold = false;
                return Ok(());
            }
            seen(self.cycle()?);
        }
        Err(Failure::other(format!("only {} of {} beats went in", self.golden.occupancy(), self.depth)))
    }
}

/// The stall profiles of the two sides for a seed: nine seeds in a row cross all with all.
fn stalls_of(seed: u64) -> [Stalls; 2] {
    let all = Stalls::all();
    let choose = |number: u64| all[(number % 3) as usize];
    [choose(seed), choose(seed / 3)]
}

const SEEDS: u64 = 9;

/// Cycles in which a beat has surely come out, whatever the two sides' stalls are.
const PATIENCE: u64 = 40;

/// Names of transfers.
const TRANSFERS: [&str; 4] = ["none", "in", "out", "both"];

/// How full it is.
fn fill_of(occupancy: usize, depth: usize) -> &'static str {
    match occupancy {
        0 => "empty",
        _ if occupancy == depth => "full",
        1 => "one",
        _ if occupancy + 1 == depth => "one place free",
        _ => "some",
    }
}

/// The stalls of both sides.
fn stalls_covered() -> Coverage {
    let profiles = Stalls::all().map(Stalls::name);
    Coverage::new()
        .point("input stalls", profiles)
        .point("output stalls", profiles)
        .cross(["input stalls", "output stalls"])
}

/// The stalls of both sides, how full it was, and what was transferred.
fn corners_covered(depth: usize) -> Coverage {
    let mut fills: Vec<_> = (0..=depth).map(|occupancy| fill_of(occupancy, depth)).collect();
    fills.dedup();
    stalls_covered()
        .point("fill", fills)
        .point("transfer", TRANSFERS)
        .cross(["fill", "transfer"])
        .impossible(&[("fill", "empty"), ("transfer", "out")], "nothing is within")
        .impossible(&[("fill", "empty"), ("transfer", "both")], "a beat stays for a cycle")
        .impossible(&[("fill", "full"), ("transfer", "in")], "there is no room")
        .impossible(&[("fill", "full"), ("transfer", "both")], "ready knows of no transfer in the same cycle")
}

/// Runs a scenario with every stall profile on both sides, in both storages, in every configuration, with the checkers of
/// the hardware language at both ports.
fn check(
    condition: &str,
    coverage: impl Fn(usize) -> Coverage,
    scenario: impl Fn(&mut Testbench<'_>, &mut ChaCha8Rng, &mut dyn FnMut(Transfers)) -> Outcome,
) {
    for (config, storage) in variants() {
        let config::Fifo { depth, width } = *storage.parameters(&config);
        let coverage = coverage(depth as usize);
        let has_corners = coverage != stalls_covered();
        let watched = watched(&config, &storage.module(&config), width, &["input"], &["output"]);
        let run = run(condition, &config, storage).seeds(SEEDS).coverage(coverage);
        run.check(&watched, |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let stalls = stalls_of(*seed);
            let [input, output] = stalls.map(Stalls::name);
            coverage.sample(&[("input stalls", input), ("output stalls", output)]);
            let mut count = |Transfers { occupancy, input, output }| {
                if has_corners {
                    let transfer = TRANSFERS[usize::from(input) + 2 * usize::from(output)];
                    coverage.sample(&[("fill", fill_of(occupancy, depth as usize)), ("transfer", transfer)]);
                }
            };
            scenario(&mut Testbench::new(dut, &config, storage, stalls, rng)?, rng, &mut count)
        });
    }
}

/// A test in one storage and configuration.
fn run(condition: &str, config: &Config, storage: Storage) -> Run {
    tb::run(module_path!(), condition, config).variant(format!("{}, {storage:?}", config.name))
}

/// Both storages in every configuration.
fn variants() -> Vec<(Config, Storage)> {
    let both = |config: Config| Storage::ALL.map(|storage| (config.clone(), storage));
    configurations().into_iter().flat_map(both).collect()
}

/// The source always has one more beat.
#[test]
fn a_long_run() {
    check(
        "a_long_run",
        |_| stalls_covered(),
        |testbench, rng, seen| {
            testbench.push(400, rng)?;
            testbench.run_dry(400 * PATIENCE, seen)
        },
    );
}

/// Runs of one to five beats, with pauses of up to five cycles between them.
#[test]
fn bursts() {
    check(
        "bursts",
        |_| stalls_covered(),
        |testbench, rng, seen| {
            for _ in 0..100 {
                testbench.push(rng.random_range(1..=5), rng)?;
                for _ in 0..rng.random_range(1..=10) {
                    seen(testbench.cycle()?);
                }
            }
            testbench.run_dry(500 * PATIENCE, seen)
        },
    );
}

/// A beat comes in when the one before it is out.
#[test]
fn single_beats() {
    check(
        "single_beats",
        |_| stalls_covered(),
        |testbench, rng, seen| {
            for _ in 0..100 {
                testbench.push(1, rng)?;
                testbench.run_dry(PATIENCE, &mut *seen)?;
            }
            Ok(())
        },
    );
}

/// Everything that can happen in one cycle, at every filling: it hovers about empty, then about full.
#[test]
fn full_and_empty_corners() {
    check("full_and_empty_corners", corners_covered, |testbench, rng, seen| {
        for _ in 0..200 {
            testbench.push(rng.random_range(0..=2), rng)?;
            testbench.hold = rng.random_ratio(1, 4);
            seen(testbench.cycle()?);
        }
        testbench.fill(rng, &mut *seen)?;
        for _ in 0..400 {
            testbench.hold = rng.random_ratio(1, 2);
            if testbench.feed.pending() < 2 && !testbench.golden.is_full() {
                testbench.push(rng.random_range(0..=2), rng)?;
            }
            seen(testbench.cycle()?);
        }
        testbench.hold = false;
        let left = testbench.feed.pending() + testbench.golden.occupancy();
        testbench.run_dry((left as u64 + 1) * PATIENCE, seen)
    });
}

/// Several times full and empty again: the pointers go round, and every place is used.
#[test]
fn full_rounds() {
    check(
        "full_rounds",
        |_| stalls_covered(),
        |testbench, rng, seen| {
            for _ in 0..3 {
                testbench.fill(rng, &mut *seen)?;
                testbench.run_dry(testbench.depth as u64 * PATIENCE, &mut *seen)?;
                // The next round begins at another place.
                testbench.push(1, rng)?;
                testbench.run_dry(PATIENCE, &mut *seen)?;
            }
            Ok(())
        },
    );
}

/// A reset at any time empties the FIFO: what comes out after it went in after it.
#[test]
fn reset_in_the_middle() {
    check(
        "reset_in_the_middle",
        |_| stalls_covered(),
        |testbench, rng, seen| {
            for _ in 0..40 {
                testbench.push(20, rng)?;
                testbench.hold = rng.random_ratio(1, 2);
                for _ in 0..rng.random_range(1..20) {
                    seen(testbench.cycle()?);
                }
                testbench.reset()?;
            }
            testbench.hold = false;
            testbench.run_dry(800 * PATIENCE, seen)
        },
    );
}

/// One beat a cycle when nobody stalls: `n` beats take `n` cycles and the latency of the last one.
#[test]
fn throughput() {
    for (config, storage) in variants() {
        let run = run("throughput", &config, storage).seeds(1);
        run.check(&storage.model(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, storage, [Stalls::Never; 2], rng)?;
            testbench.push(10_000, rng)?;
            let mut cycles = 0;
            testbench.run_dry(20_000, |_| cycles += 1)?;
            assert_eq!(cycles, 10_000 + storage.latency(), "cycles for 10,000 beats, {storage:?}");
            Ok(())
        });
    }
}

/// A sink that takes nothing holds back as many beats as the depth says, and not one more.
#[test]
fn it_holds_its_depth() {
    for (config, storage) in variants() {
        let run = run("it_holds_its_depth", &config, storage).seeds(1);
        run.check(&storage.model(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, storage, [Stalls::Never; 2], rng)?;
            let depth = testbench.depth;
            testbench.push(depth + 5, rng)?;
            testbench.hold = true;
            for _ in 0..depth + 20 {
                testbench.cycle()?;
            }
            assert_eq!((testbench.went_in.transfers(), testbench.feed.pending()), (depth as u64, 5));
            testbench.hold = false;
            testbench.run_dry(depth as u64 + 50, |_| {})
        });
    }
}

/// Within a cycle, nothing goes from one side to the other, nor from `valid` or the payload to `ready`.
#[test]
fn no_path_between_the_sides() {
    for (config, storage) in variants() {
        let run = run("no_path_between_the_sides", &config, storage).seeds(4);
        run.check(&storage.model(&config), |bench| rules::no_path(&mut bench.dut, &mut bench.rng));
    }
}

/// After reset, nothing that counts depends on what the registers and the RAM held before.
#[test]
fn reset_forgets() {
    for (config, storage) in variants() {
        rules::reset_forgets(run("reset_forgets", &config, storage), &storage.model(&config), rules::random_inputs);
    }
}

/// A source that breaks its promise is stopped by the checker at the port that it drives.
#[test]
fn a_broken_promise_stops() {
    for (config, storage) in variants() {
        let config::Fifo { depth, width } = *storage.parameters(&config);
        let watched = watched(&config, &storage.module(&config), width, &["input"], &["output"]);
        let model = watched.build().unwrap_or_else(|error| panic!("{error}"));
        let stopped = withdraws(&mut model.instance(1).unwrap(), depth).unwrap_err().to_string();
        assert!(stopped.contains("input_checker: stream rule 2: valid fell before the transfer"), "{stopped}");
    }
}

/// Fills the FIFO, offers one more beat, and withdraws it.
fn withdraws(dut: &mut Dut, depth: u32) -> Outcome {
    let timing = ClockAndReset::of(dut)?;
    let (valid, ready) = (dut.input("input_valid")?, dut.output("input_ready")?);
    timing.reset(dut)?;
    valid.set(1);
    for _ in 0..depth {
        dut.step(timing.clk)?;
    }
    dut.eval()?;
    if ready.is_set() {
        return Err(Failure::other(format!("the FIFO is still ready after {depth} beats")));
    }
    dut.step(timing.clk)?;
    valid.set(0);
    dut.step(timing.clk)
}
