//! The round-robin arbiter: who is granted, and that nobody waits too long.

use rand::RngExt;
use tb::{ClockAndReset, RESET_CYCLES, configurations, model, rules};
use tollgate_cosim::{Bench, Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Output};
use tollgate_golden::cells::round_robin_arbiter::RoundRobinArbiter;
use tollgate_spec::config::Config;

fn arbiter(config: &Config) -> ModelBuilder {
    model(config, &format!("cells_round_robin_arbiter_{}", requesters(config)))
}

fn requesters(config: &Config) -> usize {
    config.cells.round_robin_arbiter.requesters as usize
}

/// The arbiter with its ports, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    request: Input,
    taken: Input,
    grant: Output,
    golden: RoundRobinArbiter,
    /// Grants that were taken since each requester, which asks all the time, was last served.
    passed_over: Vec<usize>,
}

impl<'a> Testbench<'a> {
    /// The arbiter after reset.
    fn new(dut: &'a mut Dut, config: &Config) -> Outcome<Self> {
        let requesters = requesters(config);
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            request: dut.input("request")?.of_width(requesters as u32)?,
            taken: dut.input("taken")?.of_width(1)?,
            grant: dut.output("grant")?.of_width(requesters as u32)?,
            golden: RoundRobinArbiter::new(requesters),
            passed_over: vec![0; requesters],
            dut,
        };
        testbench.reset()?;
        Ok(testbench)
    }

    fn reset(&mut self) -> Outcome {
        self.timing.rst.set(1);
        for _ in 0..RESET_CYCLES {
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        self.passed_over.fill(0);
        Ok(())
    }

    /// One cycle in which these ask and the grant is taken or not; who is granted.
    fn cycle(&mut self, requests: &[bool], taken: bool) -> Outcome<Option<usize>> {
        let vector = (0..).zip(requests).map(|(requester, asks)| u64::from(*asks) << requester).sum();
        self.request.set(vector);
        self.taken.set(taken.into());
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        let expected = self.golden.grant(requests);
        let [rtl, golden] = [self.grant.get(), expected.map_or(0, |requester| 1 << requester)];
        if rtl != golden {
            let failure = Failure::mismatch(cycle, format!("requests {vector:#b}"), "grant", rtl, golden);
            return Err(failure);
        }
        if taken {
            self.golden.take(requests);
            self.count_turns(cycle, requests, rtl)?;
        }
        self.dut.step(self.timing.clk)?;
        Ok(expected)
    }

    /// Fairness, from the ports alone: who asks all the time is served after all others at the latest.
    fn count_turns(&mut self, cycle: u64, requests: &[bool], grant: u64) -> Outcome {
        let bound = self.passed_over.len() - 1;
        for (requester, passed_over) in self.passed_over.iter_mut().enumerate() {
            let served = grant >> requester & 1 == 1;
            *passed_over = if served || !requests[requester] { 0 } else { *passed_over + 1 };
            if *passed_over > bound {
                let waits = format!("requester {requester} was passed over {passed_over} times, the bound is {bound}");
                return Err(Failure::other(format!("cycle {cycle}: {waits}")));
            }
        }
        Ok(())
    }
}

/// Which requester, as a bin.
fn names(config: &Config) -> Vec<String> {
    (0..requesters(config)).map(|requester| requester.to_string()).collect()
}

/// Each after each, and who was first after reset.
fn turns_covered(config: &Config) -> Coverage {
    let with_reset = |mut names: Vec<String>| {
        names.push("reset".into());
        names
    };
    Coverage::new()
        .point("last served", with_reset(names(config)))
        .point("granted", names(config))
        .cross(["last served", "granted"])
        .point("taken", ["yes", "no"])
        .point("asking", ["none", "one", "several", "all"])
        .cross(["asking", "taken"])
}

/// Any requests, with any density, taken or not.
#[test]
fn random_requests() {
    for config in configurations() {
        let run = tb::run(module_path!(), "random_requests", &config).coverage(turns_covered(&config));
        run.check(&arbiter(&config), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let mut last = "reset".to_owned();
            for _ in 0..100 {
                let asks = rng.random_range(0.0..=1.0);
                let takes = [1.0, 0.7][rng.random_range(0..2)];
                for _ in 0..50 {
                    let requests: Vec<_> = (0..requesters(&config)).map(|_| rng.random_bool(asks)).collect();
                    let taken = rng.random_bool(takes);
                    let granted = testbench.cycle(&requests, taken)?;
                    count(coverage, &requests, taken);
                    if let Some(granted) = granted {
                        coverage.sample(&[("last served", &last), ("granted", &granted.to_string())]);
                        if taken {
                            last = granted.to_string();
                        }
                    }
                }
                if rng.random_ratio(1, 2) {
                    testbench.reset()?;
                    last = "reset".into();
                }
            }
            Ok(())
        });
    }
}

fn count(coverage: &mut Coverage, requests: &[bool], taken: bool) {
    let asking = match requests.iter().filter(|asks| **asks).count() {
        0 => "none",
        all if all == requests.len() => "all",
        1 => "one",
        _ => "several",
    };
    coverage.sample(&[("asking", asking), ("taken", if taken { "yes" } else { "no" })]);
}

/// All combinations of requests, from every state.
#[test]
fn every_request_from_every_state() {
    for config in configurations() {
        let requesters = requesters(&config);
        let run = tb::run(module_path!(), "every_request_from_every_state", &config).seeds(1);
        run.check(&arbiter(&config), |bench| {
            let mut testbench = Testbench::new(&mut bench.dut, &config)?;
            let asking =
                |vector: u64| (0..requesters).map(|requester| vector >> requester & 1 == 1).collect::<Vec<_>>();
            // With many requesters, some combinations stand for all.
            let step = if requesters > 8 { 37 } else { 1 };
            for last in 0..requesters {
                testbench.cycle(&asking(1 << last), true)?;
                for vector in (0..1 << requesters).step_by(step) {
                    testbench.cycle(&asking(vector), false)?;
                }
            }
            Ok(())
        });
    }
}

/// When all ask all the time, each is served once in as many cycles as there are requesters, in rising order.
#[test]
fn all_in_turn() {
    for config in configurations() {
        let requesters = requesters(&config);
        let run = tb::run(module_path!(), "all_in_turn", &config).seeds(2);
        run.check(&arbiter(&config), |bench| {
            let mut testbench = Testbench::new(&mut bench.dut, &config)?;
            for turn in 0..10 * requesters {
                assert_eq!(testbench.cycle(&vec![true; requesters], true)?, Some(turn % requesters), "turn {turn}");
            }
            Ok(())
        });
    }
}

/// One that asks all the time, among others that ask as they like: it is served within as many cycles as there are
/// requesters, and the bound is reached.
#[test]
fn the_bound_of_waiting() {
    for config in configurations() {
        let requesters = requesters(&config);
        let reached = Coverage::new().point("longest wait", ["shorter", "bound"]);
        let run = tb::run(module_path!(), "the_bound_of_waiting", &config).coverage(reached);
        run.check(&arbiter(&config), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let one = rng.random_range(0..requesters);
            let mut waited = 1;
            for _ in 0..2000 {
                let mut requests: Vec<_> = (0..requesters).map(|_| rng.random_ratio(15, 16)).collect();
                requests[one] = true;
                if testbench.cycle(&requests, true)? == Some(one) {
                    coverage.sample(&[("longest wait", if waited == requesters { "bound" } else { "shorter" })]);
                    waited = 0;
                }
                waited += 1;
                assert!(waited <= requesters, "requester {one} waits for {waited} cycles of {requesters}");
            }
            Ok(())
        });
    }
}

/// A grant that is not taken stays, as long as the same ask.
#[test]
fn a_grant_stays_until_it_is_taken() {
    for config in configurations() {
        let requesters = requesters(&config);
        let run = tb::run(module_path!(), "a_grant_stays_until_it_is_taken", &config).seeds(4);
        run.check(&arbiter(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for _ in 0..100 {
                let mut requests: Vec<_> = (0..requesters).map(|_| rng.random()).collect();
                requests[rng.random_range(0..requesters)] = true;
                let granted = testbench.cycle(&requests, false)?;
                for _ in 0..rng.random_range(0..10) {
                    assert_eq!(testbench.cycle(&requests, false)?, granted);
                }
                assert_eq!(testbench.cycle(&requests, true)?, granted);
            }
            Ok(())
        });
    }
}

/// After reset, nothing depends on what the register held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &arbiter(&config), rules::random_inputs);
    }
}
