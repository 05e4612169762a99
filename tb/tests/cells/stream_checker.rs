//! The stream checker: it stops at what breaks a rule, says which, and stops at nothing else.

use std::collections::BTreeSet;

use rand::{Rng, RngExt};
use tb::{ClockAndReset, any_bits, configurations, model};
use tollgate_cosim::{Bench, Coverage, Dut, Failure, Input, Outcome, Run};
use tollgate_golden::cells::stream_checker::{Seen, StreamChecker, Violation};
use tollgate_spec::config::Config;

/// The checkers that are delivered: of each side, for the streams of each width.
fn modules(config: &Config) -> Vec<String> {
    let of = &config.cells;
    let widths = BTreeSet::from([of.skid_buffer.width, of.register_fifo.width, of.ram_fifo.width]);
    let of_width = |width| ["sink", "source"].map(|side| format!("cells_stream_checker_{side}_{width}"));
    widths.into_iter().flat_map(of_width).collect()
}

/// A stream that the checker watches, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    valid: Input,
    ready: Input,
    data: Input,
    golden: StreamChecker<u64>,
    last: Seen<u64>,
    /// A broken rule that is told at the first edge outside of reset.
    due: Option<Violation>,
}

impl<'a> Testbench<'a> {
    /// A stream without any edge so far.
    fn new(dut: &'a mut Dut) -> Outcome<Self> {
        Ok(Self {
            timing: ClockAndReset::of(dut)?,
            valid: dut.input("valid")?.of_width(1)?,
            ready: dut.input("ready")?.of_width(1)?,
            data: dut.input("data")?,
            golden: StreamChecker::new(),
            last: Seen { reset: true, valid: false, ready: false, data: 0 },
            due: None,
            dut,
        })
    }

    /// One edge; what the checker had to say, and said.
    fn edge(&mut self, now: Seen<u64>) -> Outcome<Option<Violation>> {
        self.timing.rst.set(now.reset.into());
        self.valid.set(now.valid.into());
        self.ready.set(now.ready.into());
        self.data.set_big(&(any_bits(&mut Repeated(now.data), self.data.width())));
        self.last = now;
        let broken = self.golden.edge(now);
        let told = if now.reset { None } else { broken.or(self.due.take()) };
        if now.reset {
            self.due = self.due.or(broken);
        }
        let cycle = self.timing.cycle(self.dut);
        match (self.dut.step(self.timing.clk), told) {
            (Ok(()), None) => Ok(None),
            (Ok(()), Some(violation)) => Err(Failure::other(format!("cycle {cycle}: nothing was told of {violation}"))),
            (Err(Failure::Stopped(stopped)), Some(violation)) => {
                let text = Failure::Stopped(stopped).to_string();
                let is_named = text.contains(&violation.to_string());
                if is_named { Ok(told) } else { Err(Failure::other(format!("{text}: this was {violation}"))) }
            }
            (Err(failure), _) => Err(failure),
        }
    }

    /// What the next edge may be without breaking a rule.
    fn right(&self, rng: &mut impl Rng) -> Seen<u64> {
        let (reset, ready) = (rng.random_ratio(1, if self.last.reset { 3 } else { 12 }), rng.random());
        let any = Seen { reset, valid: rng.random(), ready, data: rng.random() };
        let waits = !self.last.reset && self.last.valid && !self.last.ready;
        match (self.last.reset, reset) {
            (true, true) => Seen { valid: false, ..any },
            (false, false) if waits => Seen { valid: true, data: self.last.data, ..any },
            _ => any,
        }
    }
}

/// A payload that is one number again and again: two are equal if the numbers are.
struct Repeated(u64);

impl rand::TryRng for Repeated {
    type Error = std::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.0 as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0 as u8);
        Ok(())
    }
}

/// A test of one checker in a configuration.
fn run(condition: &str, config: &Config, module: &str) -> Run {
    tb::run(module_path!(), condition, config).variant(format!("{}, {module}", config.name))
}

/// What a wrong edge does.
const WRONGS: [&str; 3] = ["withdrawn", "changed", "valid in reset"];

/// Streams that keep the rules, resets of any length among them: nothing is told.
#[test]
fn a_right_stream_passes() {
    let reached = Coverage::new().point("edge", ["idle", "waits", "transfer", "reset"]);
    for config in configurations() {
        for module in modules(&config) {
            let run = run("a_right_stream_passes", &config, &module).coverage(reached.clone());
            run.check(&model(&config, &module), |bench| {
                let Bench { dut, rng, coverage, .. } = bench;
                let mut testbench = Testbench::new(dut)?;
                for _ in 0..3000 {
                    let now = testbench.right(rng);
                    coverage.sample(&[(
                        "edge",
                        match now {
                            Seen { reset: true, .. } => "reset",
                            Seen { valid: false, .. } => "idle",
                            Seen { ready: false, .. } => "waits",
                            Seen { .. } => "transfer",
                        },
                    )]);
                    testbench.edge(now)?;
                }
                Ok(())
            });
        }
    }
}

/// After a while of keeping the rules, one of them is broken: it is told, by its number, at that edge, or if it was in
/// reset, at the first one after.
#[test]
fn a_broken_rule_is_told() {
    let reached = Coverage::new().point("wrong", WRONGS).point("bit that changed", ["lowest", "highest", "any"]);
    for config in configurations() {
        for module in modules(&config) {
            let run = run("a_broken_rule_is_told", &config, &module).seeds(60).coverage(reached.clone());
            run.check(&model(&config, &module), |bench| {
                let Bench { dut, seed, rng, coverage } = bench;
                let mut testbench = Testbench::new(dut)?;
                for _ in 0..rng.random_range(2..100) {
                    let now = testbench.right(rng);
                    testbench.edge(now)?;
                }
                let wrong = WRONGS[(*seed % 3) as usize];
                coverage.sample(&[("wrong", wrong)]);
                let told = match wrong {
                    "valid in reset" => testbench.breaks_rule_4(rng)?,
                    wrong => testbench.breaks_rule_2(wrong == "withdrawn", rng, coverage)?,
                };
                let expected = match wrong {
                    "withdrawn" => Violation::Withdrawn,
                    "changed" => Violation::Changed,
                    _ => Violation::ValidInReset,
                };
                assert_eq!(told, Some(expected));
                Ok(())
            });
        }
    }
}

impl Testbench<'_> {
    /// Offers a payload, and withdraws or changes it.
    fn breaks_rule_2(
        &mut self,
        withdraws: bool,
        rng: &mut impl Rng,
        coverage: &mut Coverage,
    ) -> Outcome<Option<Violation>> {
        let data = self.last.data;
        let offered = Seen { reset: false, valid: true, ready: false, data };
        // What still waits from before is taken first.
        self.edge(Seen { ready: true, valid: self.last.valid && !self.last.reset, ..offered })?;
        for _ in 0..rng.random_range(1..4) {
            self.edge(offered)?;
        }
        if withdraws {
            return self.edge(Seen { valid: false, ready: rng.random(), data: rng.random(), ..offered });
        }
        let top = self.data.width().min(32) - 1;
        let (name, bit) = [("lowest", 0), ("highest", top), ("any", rng.random_range(0..=top))][rng.random_range(0..3)];
        coverage.sample(&[("bit that changed", name)]);
        self.edge(Seen { ready: rng.random(), data: data ^ 1 << bit, ..offered })
    }

    /// Raises `valid` in a reset that has acted, for one edge or more.
    fn breaks_rule_4(&mut self, rng: &mut impl Rng) -> Outcome<Option<Violation>> {
        let quiet = Seen { reset: true, valid: false, ready: rng.random(), data: rng.random() };
        for _ in 0..rng.random_range(1..3) {
            self.edge(quiet)?;
        }
        for _ in 0..rng.random_range(1..3) {
            self.edge(Seen { valid: true, ..quiet })?;
        }
        for _ in 0..rng.random_range(0..3) {
            self.edge(quiet)?;
        }
        self.edge(Seen { reset: false, ..quiet })
    }
}
