//! The reset synchronizer: asserts without a clock, releases at a clock edge.

use rand::RngExt;
use tb::{configurations, model};
use tollgate_cosim::{Bench, Clock, Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Output};
use tollgate_golden::cells::reset_synchronizer::ResetSynchronizer;
use tollgate_spec::config::Config;

fn reset_synchronizer(config: &Config) -> ModelBuilder {
    model(config, &format!("cells_reset_synchronizer_{}", stages(config)))
}

fn stages(config: &Config) -> usize {
    config.cells.reset_synchronizer.stages as usize
}

/// The reset synchronizer with its ports, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    clk: Clock,
    rst: Input,
    reset: Output,
    golden: ResetSynchronizer,
}

impl<'a> Testbench<'a> {
    /// Before the first reset.
    fn new(dut: &'a mut Dut, config: &Config) -> Outcome<Self> {
        Ok(Self {
            clk: dut.clock("clk")?,
            rst: dut.input("rst")?.of_width(1)?,
            reset: dut.output("reset")?.of_width(1)?,
            golden: ResetSynchronizer::new(stages(config)),
            dut,
        })
    }

    /// The reset that comes in is asserted or released between two clock edges; the other one follows at once or not at
    /// all.
    fn set(&mut self, asserted: bool) -> Outcome {
        self.rst.set(asserted.into());
        self.dut.eval()?;
        self.golden.set(asserted);
        self.check(if asserted { "assertion" } else { "release" })
    }

    /// A clock edge; the other one, at which the clock falls, changes nothing.
    fn edge(&mut self) -> Outcome {
        self.dut.step(self.clk)?;
        self.golden.edge();
        self.check("rising edge")?;
        self.dut.eval()?;
        self.check("falling edge")
    }

    fn check(&self, after: &str) -> Outcome {
        match (self.reset.is_set(), self.golden.output()) {
            (rtl, Some(golden)) if rtl != golden => {
                let cycle = self.dut.cycle(self.clk);
                let transaction = format!("after a {after}");
                Err(Failure::mismatch(cycle, transaction, "reset", u8::from(rtl), u8::from(golden)))
            }
            _ => Ok(()),
        }
    }
}

/// What happens to the reset that comes in, and how far the last release had come then.
fn covered(stages: usize) -> Coverage {
    let progress = (0..stages).map(|edges| format!("{edges} edges")).chain(["released".into()]);
    Coverage::new()
        .point("asserted after", progress)
        .point("held for", ["no edge", "one edge", "more edges"])
        .point("reset before", ["0", "1"])
}

/// Resets of any length, a pulse between two edges among them, at any time after the last release.
#[test]
fn random_resets() {
    for config in configurations() {
        let stages = stages(&config);
        let run = tb::run(module_path!(), "random_resets", &config).seeds(16).coverage(covered(stages));
        run.check(&reset_synchronizer(&config), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            testbench.dut.eval()?;
            coverage.sample(&[("reset before", if testbench.reset.is_set() { "1" } else { "0" })]);
            for _ in 0..rng.random_range(0..3) {
                testbench.edge()?;
            }
            for _ in 0..300 {
                testbench.set(true)?;
                let held = rng.random_range(0..4);
                for _ in 0..held {
                    testbench.edge()?;
                }
                coverage.sample(&[("held for", ["no edge", "one edge", "more edges"][held.min(2)])]);
                testbench.set(false)?;
                let released = rng.random_range(0..stages + 4);
                for _ in 0..released {
                    testbench.edge()?;
                }
                let after = if released >= stages { "released".into() } else { format!("{released} edges") };
                coverage.sample(&[("asserted after", &after)]);
            }
            Ok(())
        });
    }
}

/// Without any clock edge: the reset goes out in the moment it comes in, and stays when it goes.
#[test]
fn it_asserts_without_a_clock() {
    for config in configurations() {
        let run = tb::run(module_path!(), "it_asserts_without_a_clock", &config).seeds(8);
        run.check(&reset_synchronizer(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            if rng.random() {
                // From the released state, or else from the one it woke up in.
                (0..stages(&config)).try_for_each(|_| testbench.edge())?;
            }
            testbench.set(true)?;
            assert!(testbench.reset.is_set(), "asserted");
            for _ in 0..10 {
                testbench.set(rng.random())?;
                assert!(testbench.reset.is_set(), "no clock edge, no release");
            }
            Ok(())
        });
    }
}

/// The release is at the clock edge number `stages` after the other one, wherever in the cycle that was: exactly.
#[test]
fn it_releases_after_exactly_its_stages() {
    for config in configurations() {
        let run = tb::run(module_path!(), "it_releases_after_exactly_its_stages", &config).seeds(8);
        run.check(&reset_synchronizer(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for _ in 0..50 {
                testbench.set(true)?;
                for _ in 0..rng.random_range(0..5) {
                    testbench.edge()?;
                }
                testbench.set(false)?;
                let mut edges = 0;
                while testbench.reset.is_set() {
                    testbench.edge()?;
                    edges += 1;
                    assert!(edges <= stages(&config), "still asserted after {edges} edges");
                }
                assert_eq!(edges, stages(&config), "edges from release to release");
                for _ in 0..5 {
                    testbench.edge()?;
                }
            }
            Ok(())
        });
    }
}
