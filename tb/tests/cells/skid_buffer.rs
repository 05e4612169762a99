//! The skid buffer: no beat is lost, doubled, changed or reordered, and none waits without a reason.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use tb::{ClockAndReset, RESET_CYCLES, any_bits, configurations, model, rules};
use tollgate_cosim::{
    Beat, Bench, Coverage, Dut, Failure, ModelBuilder, Outcome, Probe, Scoreboard, Stalls, StreamDriver, StreamMonitor,
    StreamSink,
};
use tollgate_golden::cells::skid_buffer::SkidBuffer;
use tollgate_spec::config::Config;

use super::watched;

/// Cycles from a beat going in to the same beat standing at the output, if none is before it: no more, and no less.
const LATENCY: u64 = 1;

fn module(config: &Config) -> String {
    format!("cells_skid_buffer_{}", config.cells.skid_buffer.width)
}

/// The skid buffer of a configuration.
fn skid_buffer(config: &Config) -> ModelBuilder {
    model(config, &module(config))
}

/// The buffer between its drivers and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    /// Bits of a beat.
    width: u32,
    feed: StreamDriver,
    drain: StreamSink,
    went_in: StreamMonitor,
    came_out: StreamMonitor,
    input_ready: Probe,
    output_valid: Probe,
    golden: SkidBuffer<Beat>,
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
    /// The buffer after reset, with a stall profile for each side.
    fn new(dut: &'a mut Dut, [input, output]: [Stalls; 2], rng: &mut impl Rng) -> Outcome<Self> {
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            width: dut.input("input_data")?.width(),
            feed: StreamDriver::new(dut, "input", input, rng.next_u64())?,
            drain: StreamSink::new(dut, "output", output, rng.next_u64())?,
            went_in: StreamMonitor::new(dut, "input")?,
            came_out: StreamMonitor::new(dut, "output")?,
            input_ready: dut.probe("input_ready")?,
            output_valid: dut.probe("output_valid")?,
            golden: SkidBuffer::new(),
            beats: Scoreboard::new("beat"),
            dut,
        };
        testbench.reset(RESET_CYCLES)?;
        Ok(testbench)
    }

    /// Holds the reset: what is within is lost.
    fn reset(&mut self, cycles: u64) -> Outcome {
        self.timing.rst.set(1);
        for _ in 0..cycles {
            self.feed.drive();
            self.drain.drive();
            self.dut.eval()?;
            let cycle = self.timing.cycle(self.dut);
            self.went_in.sample(cycle)?;
            self.came_out.sample(cycle)?;
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        Ok(())
    }

    /// Queues a beat of random bits for the input.
    fn push(&mut self, rng: &mut impl Rng) -> Outcome {
        let data = any_bits(rng, self.width);
        self.feed.push(self.feed.layout().beat().with("data", data)?);
        Ok(())
    }

    /// One cycle.
    fn cycle(&mut self) -> Outcome<Transfers> {
        self.feed.drive();
        self.drain.drive();
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        self.drain.check_independence(self.dut, cycle)?;
        self.check_timing(cycle)?;
        self.feed.sample();

        let occupancy = self.golden.occupancy();
        let output = self.came_out.sample(cycle)?.cloned();
        if let Some(beat) = &output {
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
        }
        self.dut.step(self.timing.clk)?;
        Ok(transfers)
    }

    /// The sink side shows a beat [`LATENCY`] cycles after it went in, and the source side is held back by a full
    /// buffer alone.
    fn check_timing(&self, cycle: u64) -> Outcome {
        let beats = self.golden.occupancy();
        let expected = [(&self.output_valid, beats > 0), (&self.input_ready, self.golden.has_room())];
        for (port, expected) in expected {
            if port.is_set() != expected {
                let [rtl, golden] = [port.is_set(), expected].map(u8::from);
                let failure = Failure::mismatch(cycle, format!("{beats} beats within"), port.name(), rtl, golden);
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Runs until everything that was pushed has come out; fails if that takes more than `bound` cycles.
    fn run_dry(&mut self, bound: u64, mut seen: impl FnMut(Transfers)) -> Outcome {
        for _ in 0..bound {
            if self.feed.pending() == 0 && self.golden.occupancy() == 0 {
                return Ok(());
            }
            seen(self.cycle()?);
        }
        let (waiting, within) = (self.feed.pending(), self.golden.occupancy());
        Err(Failure::other(format!("after {bound} cycles {waiting} beats wait and {within} are within")))
    }
}

/// The stall profiles of the two sides for a seed: nine seeds in a row cross all with all.
fn stalls_of(seed: u64) -> [Stalls; 2] {
    let all = Stalls::all();
    let choose = |number: u64| all[(number % 3) as usize];
    [choose(seed), choose(seed / 3)]
}

const SEEDS: u64 = 9;
const OCCUPANCIES: [&str; 3] = ["0", "1", "2"];

/// The stalls of both sides, what was within, and what was transferred.
fn coverage() -> Coverage {
    let profiles = Stalls::all().map(Stalls::name);
    Coverage::new()
        .point("input stalls", profiles)
        .point("output stalls", profiles)
        .cross(["input stalls", "output stalls"])
        .point("beats within", OCCUPANCIES)
        .point("transfer", ["none", "in", "out", "both"])
        .cross(["beats within", "transfer"])
        .impossible(&[("beats within", "0"), ("transfer", "out")], "nothing is within")
        .impossible(&[("beats within", "0"), ("transfer", "both")], "a beat stays for a cycle")
        .impossible(&[("beats within", "2"), ("transfer", "in")], "there is no room")
        .impossible(&[("beats within", "2"), ("transfer", "both")], "ready knows of no transfer in the same cycle")
}

/// Runs a scenario with every stall profile on both sides, in every configuration, with the checkers of the hardware
/// language at both ports.
fn check(
    condition: &str,
    coverage: Coverage,
    scenario: impl Fn(&mut Testbench<'_>, &mut ChaCha8Rng, &mut dyn FnMut(Transfers)) -> Outcome,
) {
    for config in configurations() {
        let run = tb::run(module_path!(), condition, &config).seeds(SEEDS).coverage(coverage.clone());
        let width = config.cells.skid_buffer.width;
        run.check(&watched(&config, &module(&config), width, &["input"], &["output"]), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let stalls = stalls_of(*seed);
            let [input, output] = stalls.map(Stalls::name);
            let mut count = |transfers: Transfers| {
                coverage.sample(&[
                    ("input stalls", input),
                    ("output stalls", output),
                    ("beats within", OCCUPANCIES[transfers.occupancy]),
                    (
                        "transfer",
                        ["none", "in", "out", "both"][usize::from(transfers.input) + 2 * usize::from(transfers.output)],
                    ),
                ]);
            };
            scenario(&mut Testbench::new(dut, stalls, rng)?, rng, &mut count)
        });
    }
}

/// Cycles in which a beat has surely come out, whatever the two sides' stalls are.
const PATIENCE: u64 = 40;

/// The source always has one more beat.
#[test]
fn a_long_run() {
    check("a_long_run", coverage(), |testbench, rng, seen| {
        for _ in 0..400 {
            testbench.push(rng)?;
        }
        testbench.run_dry(400 * PATIENCE, seen)
    });
}

/// Runs of one to five beats, with pauses of up to five cycles between them.
#[test]
fn bursts() {
    check("bursts", coverage(), |testbench, rng, seen| {
        for _ in 0..100 {
            for _ in 0..rng.random_range(1..=5) {
                testbench.push(rng)?;
            }
            for _ in 0..rng.random_range(1..=10) {
                seen(testbench.cycle()?);
            }
        }
        testbench.run_dry(500 * PATIENCE, seen)
    });
}

/// A beat comes in when the one before it is out.
#[test]
fn single_beats() {
    let coverage = coverage()
        .impossible(&[("beats within", "2")], "one beat is under way")
        .impossible(&[("transfer", "both")], "one beat is under way")
        .impossible(&[("beats within", "1"), ("transfer", "in")], "one beat is under way");
    check("single_beats", coverage, |testbench, rng, seen| {
        for _ in 0..100 {
            testbench.push(rng)?;
            testbench.run_dry(PATIENCE, &mut *seen)?;
        }
        Ok(())
    });
}

/// A reset at any time empties the buffer, even one of one cycle: what comes out after it went in after it.
#[test]
fn reset_in_the_middle() {
    check("reset_in_the_middle", coverage(), |testbench, rng, seen| {
        for _ in 0..40 {
            for _ in 0..20 {
                testbench.push(rng)?;
            }
            for _ in 0..rng.random_range(1..20) {
                seen(testbench.cycle()?);
            }
            testbench.reset(rng.random_range(1..=RESET_CYCLES))?;
        }
        testbench.run_dry(800 * PATIENCE, seen)
    });
}

/// One beat a cycle when nobody stalls: `n` beats take `n` cycles and the latency of the last one.
#[test]
fn throughput() {
    for config in configurations() {
        tb::run(module_path!(), "throughput", &config).seeds(1).check(&skid_buffer(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, [Stalls::Never; 2], rng)?;
            for _ in 0..10_000 {
                testbench.push(rng)?;
            }
            let mut cycles = 0;
            testbench.run_dry(20_000, |_| cycles += 1)?;
            assert_eq!(cycles, 10_000 + LATENCY);
            Ok(())
        });
    }
}

/// A sink that never takes holds back exactly as many beats as the buffer has room for, and loses none of them;
/// watched at the ports, without the testbench.
#[test]
fn it_holds_two_beats() {
    for config in configurations() {
        tb::run(module_path!(), "it_holds_two_beats", &config).seeds(2).check(&skid_buffer(&config), |bench| {
            let dut = &mut bench.dut;
            let timing = ClockAndReset::of(dut)?;
            let (input_valid, input_data) = (dut.input("input_valid")?, dut.input("input_data")?);
            let output_ready = dut.input("output_ready")?;
            let (input_ready, output_valid) = (dut.output("input_ready")?, dut.output("output_valid")?);
            let output_data = dut.output("output_data")?;
            timing.reset(dut)?;
            input_valid.set(1);
            // The beats 0, 1, 2, ... are offered; the sink takes from cycle 4 on.
            let mut seen = Vec::new();
            let mut offered = 0;
            for cycle in 0..8 {
                input_data.set(offered);
                output_ready.set((cycle >= 4).into());
                dut.eval()?;
                let output = output_valid.is_set().then(|| output_data.get_big());
                seen.push((input_ready.is_set(), output));
                offered += u64::from(input_ready.is_set());
                dut.step(timing.clk)?;
            }
            let holds = |beat: u64| Some(beat.into());
            let expected = [
                (true, None),
                (true, holds(0)),
                (false, holds(0)),
                (false, holds(0)),
                (false, holds(0)),
                (true, holds(1)),
                (true, holds(2)),
                (true, holds(3)),
            ];
            assert_eq!(seen, expected, "(input_ready, output beat) of each cycle");
            Ok(())
        });
    }
}

/// What the block is for: within a cycle, nothing goes from `ready` to `ready`, or from the input to the output.
#[test]
fn no_path_between_the_sides() {
    for config in configurations() {
        let run = tb::run(module_path!(), "no_path_between_the_sides", &config).seeds(4);
        run.check(&skid_buffer(&config), |bench| rules::no_path(&mut bench.dut, &mut bench.rng));
    }
}

/// After reset, nothing that counts depends on what the registers held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &skid_buffer(&config), rules::random_inputs);
    }
}
