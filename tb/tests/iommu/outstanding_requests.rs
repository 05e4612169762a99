//! The table of outstanding requests: every answer is the golden model's, one cycle after its command.

use std::collections::VecDeque;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tb::{ClockAndReset, RESET_CYCLES, ValidDriver, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{Beat, Bench, Coverage, Dut, Error, Failure, Input, Outcome as Tested, Probe, Scoreboard};
use tollgate_golden::iommu::outstanding_requests::{
    Answers, Commands, Completion, Issued, Lost, Matched, Name, OutstandingRequests, Request,
};
use tollgate_spec::config::Config;
use tollgate_spec::outstanding_requests::Outcome::{self, *};

const MODULE: &str = "iommu_outstanding_requests";

/// Cycles from a command to its answer: no more, and no less.
const LATENCY: usize = 1;

/// Gives commands.
struct Driver {
    issue: ValidDriver,
    completion: ValidDriver,
    mark: Input,
}

impl Driver {
    fn new(dut: &Dut, seed: u64) -> Tested<Self> {
        Ok(Self {
            issue: ValidDriver::new(dut, "issue", seed)?,
            completion: ValidDriver::new(dut, "completion", seed + 1)?,
            mark: dut.input("mark")?,
        })
    }

    fn drive(&mut self, commands: &Commands) -> Tested {
        let issue = commands.issue.map(|request| {
            named(self.issue.layout().beat(), request.name)?
                .with("atomic", u8::from(request.atomic))?
                .with("rest_byte_count", request.byte_count)?
                .with("rest_lower_address", request.lower_address)
        });
        let completion = commands.completion.map(|completion| {
            named(self.completion.layout().beat(), completion.name)?
                .with("locked", u8::from(completion.locked))?
                .with("status", completion.status)?
                .with("rest_byte_count", completion.byte_count)?
                .with("rest_lower_address", completion.lower_address)?
                .with("payload", completion.payload)
        });
        self.issue.drive(issue.transpose()?.as_ref())?;
        self.completion.drive(completion.transpose()?.as_ref())?;
        self.mark.set(commands.mark.into());
        Ok(())
    }
}

fn named(beat: Beat, name: Name) -> Result<Beat, Error> {
    beat.with("name_requester", name.requester)?.with("name_tag", name.tag)
}

/// Sees answers, and what is always there.
struct Monitor {
    issued: ValidMonitor,
    matched: ValidMonitor,
    lost: ValidMonitor,
    ready: Probe,
    drained: Probe,
    pending: Probe,
}

impl Monitor {
    fn new(dut: &Dut) -> Tested<Self> {
        Ok(Self {
            issued: ValidMonitor::new(dut, "issued")?,
            matched: ValidMonitor::new(dut, "matched")?,
            lost: ValidMonitor::new(dut, "lost")?,
            ready: dut.probe("issue_ready")?,
            drained: dut.probe("drained")?,
            pending: dut.probe("pending")?,
        })
    }
}

/// The table between its driver and monitor, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    driver: Driver,
    monitor: Monitor,
    golden: OutstandingRequests,
    /// Commands, and what the golden model answered and the ports have yet to show; the next first.
    due: VecDeque<(Commands, Answers)>,
    issues: Scoreboard,
    completions: Scoreboard,
    losses: Scoreboard,
}

impl<'a> Testbench<'a> {
    /// The table of a configuration after reset.
    fn new(dut: &'a mut Dut, config: &Config, seed: u64) -> Tested<Self> {
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            driver: Driver::new(dut, seed)?,
            monitor: Monitor::new(dut)?,
            golden: OutstandingRequests::new(config),
            due: VecDeque::new(),
            issues: Scoreboard::new("request"),
            completions: Scoreboard::new("completion"),
            losses: Scoreboard::new("loss"),
            dut,
        };
        testbench.reset(&vec![Commands::default(); RESET_CYCLES as usize])?;
        Ok(testbench)
    }

    /// Holds the reset, a cycle for each of some commands, which are lost like the answers under way.
    fn reset(&mut self, lost: &[Commands]) -> Tested {
        self.timing.rst.set(1);
        for (held, commands) in lost.iter().enumerate() {
            self.driver.drive(commands)?;
            self.dut.eval()?;
            let cycle = self.timing.cycle(self.dut);
            let monitor = &mut self.monitor;
            let answers = [monitor.issued.sample(cycle)?, monitor.matched.sample(cycle)?, monitor.lost.sample(cycle)?];
            if let (1.., Some(answer)) = (held, answers.into_iter().flatten().next()) {
                return Err(Failure::other(format!("cycle {cycle}: {answer} is answered in reset")));
            }
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        self.due = vec![Default::default(); LATENCY].into();
        Ok(())
    }

    /// One cycle; gives what the golden model answers to the commands.
    fn cycle(&mut self, commands: &Commands) -> Tested<Answers> {
        self.driver.drive(commands)?;
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        let (asked, due) = self.due.pop_front().expect("an answer is due in every cycle");
        self.judge(cycle, &asked, &due).map_err(|failure| failure.with_note(format!("{asked:?}")))?;
        let answers = self.golden.step(commands);
        self.due.push_back((*commands, answers));
        self.dut.step(self.timing.clk)?;
        Ok(answers)
    }

    /// Compares what the ports show with what is due: all of it, in this cycle, and nothing else.
    fn judge(&mut self, cycle: u64, asked: &Commands, due: &Answers) -> Tested {
        let monitor = &mut self.monitor;
        let shown = [
            ("issue_ready", &monitor.ready, usize::from(self.golden.is_ready())),
            ("drained", &monitor.drained, usize::from(self.golden.is_drained())),
            ("pending", &monitor.pending, self.golden.pending()),
        ];
        for (port, probe, expected) in shown {
            let seen = probe.get();
            if seen != expected as u64 {
                return Err(Failure::other(format!(
                    "cycle {cycle}: {port} rtl={seen} golden={expected} after {asked:?}"
                )));
            }
        }
        if let Some(Issued { index, superseded }) = due.issued {
            let blank = monitor.issued.layout().beat();
            self.issues.expect(blank.with("index", index)?.with("superseded", u8::from(superseded))?);
        }
        if let Some(Matched { outcome, index, late }) = due.matched {
            let layout = monitor.matched.layout();
            let beat = layout.beat().with("outcome", outcome.number())?.with("index", index.unwrap_or_default())?;
            let mut fields = vec![layout.field("outcome")?, layout.field("late")?];
            fields.extend(index.map(|_| layout.field("index")).transpose()?);
            self.completions.expect_fields(beat.with("late", u8::from(late))?, &fields);
        }
        if let Some(Lost { index, name }) = due.lost {
            self.losses.expect(named(monitor.lost.layout().beat().with("index", index)?, name)?);
        }
        for (port, board) in [
            (&mut monitor.issued, &mut self.issues),
            (&mut monitor.matched, &mut self.completions),
            (&mut monitor.lost, &mut self.losses),
        ] {
            port.sample(cycle)?.map_or(Ok(()), |beat| board.check(cycle, &beat))?;
            board.finish(cycle)?;
        }
        Ok(())
    }

    fn idle(&mut self, cycles: usize) -> Tested<Vec<Lost>> {
        let answers = (0..cycles).map(|_| Ok(self.cycle(&Commands::default())?.lost)).collect::<Tested<Vec<_>>>()?;
        Ok(answers.into_iter().flatten().collect())
    }

    fn issue(&mut self, request: Request) -> Tested<Option<Issued>> {
        Ok(self.cycle(&Commands { issue: Some(request), ..Commands::default() })?.issued)
    }

    fn complete(&mut self, completion: Completion) -> Tested<Matched> {
        let answers = self.cycle(&Commands { completion: Some(completion), ..Commands::default() })?;
        Ok(answers.matched.expect("a completion is always judged"))
    }

    /// Completes and compares with what was written by hand.
    fn expect(&mut self, completion: Completion, outcome: Outcome) -> Tested {
        let seen = self.complete(completion)?.outcome;
        if seen == outcome {
            Ok(())
        } else {
            Err(Failure::other(format!("{completion:?} is {seen:?}, not {outcome:?}")))
        }
    }
}

/// The `n`-th name: different requesters use the same tags.
fn name(n: usize) -> Name {
    Name { requester: 0x0100 + (n % 3) as u16, tag: (n / 3) as u16 }
}

fn read(name: Name, byte_count: u32, lower_address: u32) -> Request {
    Request { name, atomic: false, byte_count, lower_address }
}

/// The doublewords from the first byte that is due to the last.
fn doublewords(rest: &Request) -> u32 {
    (rest.lower_address % 4 + rest.byte_count).div_ceil(4)
}

/// A completion that brings so many doublewords of what is due.
fn bringing(rest: &Request, payload: u32) -> Completion {
    let Request { name, byte_count, lower_address, .. } = *rest;
    Completion { name, locked: false, status: 0, byte_count, lower_address, payload }
}

/// One that brings all.
fn whole(rest: &Request) -> Completion {
    bringing(rest, doublewords(rest))
}

/// The doublewords to the `boundary`-th multiple of 64 bytes from the first byte on; `None` if that is all, or more.
fn to_boundary(rest: &Request, boundary: u32) -> Option<u32> {
    let payload = 16 * boundary - rest.lower_address % 64 / 4;
    (payload < doublewords(rest)).then_some(payload)
}

/// What is to come after so many doublewords that end at a boundary.
fn after(rest: &Request, payload: u32) -> Request {
    let end = rest.lower_address / 4 * 4 + 4 * payload;
    Request { byte_count: rest.byte_count - (end - rest.lower_address), lower_address: end % 128, ..*rest }
}

/// Whether a simulation sees requests being lost.
fn loses(config: &Config) -> bool {
    (1..1000).contains(&config.outstanding_requests.timeout_cycles)
}

/// Runs `test` over `seeds` in every configuration; `coverage` gives the bins that the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(&Config) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, &Config, &mut dyn Rng, &mut Coverage) -> Tested,
) {
    for config in configurations() {
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(&config));
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config, *seed)?;
            test(&mut testbench, &config, rng, coverage)?;
            testbench.idle(LATENCY).map(drop)
        });
    }
}

/// Nothing to cover: the test enumerates its cases.
fn enumerated(_: &Config) -> Coverage {
    Coverage::new()
}

/// Answers come in the cycle after the command and stay for that cycle; watched at the ports, without the testbench.
#[test]
fn answers_come_after_one_cycle() {
    for config in configurations() {
        let run = tb::run(module_path!(), "answers_come_after_one_cycle", &config).seeds(2);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, .. } = bench;
            let timing = ClockAndReset::of(dut)?;
            let mut driver = Driver::new(dut, *seed)?;
            let (issued, matched) = (dut.probe("issued_valid")?, dut.probe("matched_valid")?);
            driver.drive(&Commands::default())?;
            timing.reset(dut)?;
            let request = read(name(0), 16, 0);
            let issue = Commands { issue: Some(request), ..Commands::default() };
            let complete = Commands { completion: Some(whole(&request)), ..Commands::default() };
            let none = Commands::default();
            let mut seen = Vec::new();
            for commands in [&issue, &none, &complete, &complete, &none, &issue, &none] {
                driver.drive(commands)?;
                dut.eval()?;
                seen.push((issued.get(), matched.get()));
                dut.step(timing.clk)?;
            }
            assert_eq!(seen, [(0, 0), (1, 0), (0, 0), (0, 1), (0, 1), (0, 0), (1, 0)]);
            Ok(())
        });
    }
}

/// Reads of every length at which something changes, from every byte of 128, completed at once; and again.
#[test]
fn whole_reads() {
    check("whole_reads", 1, enumerated, |testbench, _, _, _| {
        for byte_count in [1, 2, 3, 4, 5, 8, 63, 64, 65, 128, 1000, 2048, 4095, 4096] {
            for lower_address in 0..128 {
                let request = read(name(byte_count as usize % 3), byte_count, lower_address);
                testbench.issue(request)?;
                testbench.expect(whole(&request), Last)?;
                testbench.expect(whole(&request), Unexpected)?;
            }
        }
        Ok(())
    });
}

/// Reads split at every boundary, in parts of every size, from every byte; each part twice.
#[test]
fn split_reads() {
    check("split_reads", 1, enumerated, |testbench, _, _, _| {
        for (boundaries, byte_count) in [(1, 130), (1, 577), (1, 4096), (2, 4096), (3, 1500), (8, 4090), (63, 4096)] {
            for lower_address in 0..128 {
                let mut rest = read(name(boundaries as usize), byte_count, lower_address);
                testbench.issue(rest)?;
                while let Some(payload) = to_boundary(&rest, boundaries) {
                    testbench.expect(bringing(&rest, payload), Part)?;
                    testbench.expect(bringing(&rest, payload), Mismatch)?;
                    rest = after(&rest, payload);
                }
                testbench.expect(whole(&rest), Last)?;
                testbench.expect(whole(&rest), Unexpected)?;
            }
        }
        Ok(())
    });
}

/// Every payload that a completion can carry, for the first and for a later part: right at boundaries and at the end alone.
#[test]
fn every_payload() {
    check("every_payload", 1, enumerated, |testbench, _, _, _| {
        for (byte_count, lower_address) in [(300, 0x2A), (4096, 0), (1, 0x7F), (260, 0x40)] {
            let request = read(name(1), byte_count, lower_address);
            testbench.issue(request)?;
            for payload in 0..=1024 {
                let boundary = (4 * payload + lower_address / 4 * 4).is_multiple_of(64);
                let outcome = match payload {
                    0 => Mismatch,
                    _ if payload == doublewords(&request) => Last,
                    _ if payload < doublewords(&request) && boundary => Part,
                    _ => Mismatch,
                };
                testbench.expect(bringing(&request, payload), outcome)?;
                if matches!(outcome, Last | Part) {
                    testbench.issue(request)?;
                }
            }
            testbench.expect(whole(&request), Last)?;
        }
        Ok(())
    });
}

/// Everything about a completion that can be wrong, bit by bit, for the first part and for a later one: the request waits
/// on, and what is right is taken.
#[test]
fn what_was_not_asked_for() {
    check("what_was_not_asked_for", 1, enumerated, |testbench, _, _, _| {
        let mut rest = read(name(2), 200, 0x36);
        testbench.issue(rest)?;
        for later in [false, true] {
            let right = whole(&rest);
            for bit in 0..13 {
                testbench.expect(Completion { byte_count: right.byte_count ^ 1 << bit, ..right }, Mismatch)?;
            }
            for bit in 0..7 {
                testbench.expect(Completion { lower_address: right.lower_address ^ 1 << bit, ..right }, Mismatch)?;
            }
            testbench.expect(Completion { locked: true, ..right }, Mismatch)?;
            testbench.expect(Completion { locked: true, status: 1, ..right }, Mismatch)?;
            if !later {
                let payload = to_boundary(&rest, 2).expect("200 bytes reach beyond two boundaries");
                testbench.expect(bringing(&rest, payload), Part)?;
                rest = after(&rest, payload);
            }
        }
        testbench.expect(whole(&rest), Last)
    });
}

/// Every status but success ends a request, with any counts.
#[test]
fn failures() {
    check("failures", 1, enumerated, |testbench, _, _, _| {
        for status in 1..8 {
            for parts in 0..2 {
                let mut rest = read(name(0), 300, 0x40);
                testbench.issue(rest)?;
                for _ in 0..parts {
                    let payload = to_boundary(&rest, 1).expect("300 bytes reach beyond a boundary");
                    testbench.expect(bringing(&rest, payload), Part)?;
                    rest = after(&rest, payload);
                }
                let failure = Completion { status, byte_count: 4, lower_address: 0, ..bringing(&rest, 0) };
                testbench.expect(failure, Failed)?;
                testbench.expect(failure, Unexpected)?;
                testbench.expect(whole(&rest), Unexpected)?;
            }
        }
        Ok(())
    });
}

/// AtomicOps of every operand: one completion, of exactly the operand, at any lower address.
#[test]
fn atomic_ops() {
    check("atomic_ops", 1, enumerated, |testbench, _, _, _| {
        for byte_count in [4, 8, 16] {
            let request = Request { atomic: true, ..read(name(4), byte_count, 0) };
            testbench.issue(request)?;
            for payload in (0..=1024).filter(|payload| *payload != byte_count / 4) {
                testbench.expect(bringing(&request, payload), Mismatch)?;
            }
            testbench.expect(Completion { byte_count: byte_count + 4, ..whole(&request) }, Mismatch)?;
            testbench.expect(whole(&request), Last)?;
            for bit in 0..7 {
                testbench.issue(request)?;
                testbench.expect(Completion { lower_address: 1 << bit, ..whole(&request) }, Last)?;
            }
        }
        // As long as a part of a read would be.
        let request = Request { atomic: true, ..read(name(4), 128, 0) };
        testbench.issue(request)?;
        testbench.expect(bringing(&request, 16), Mismatch)?;
        testbench.expect(whole(&request), Last)
    });
}

/// A name with any bit wrong belongs to nobody, and every entry has a name.
#[test]
fn names_are_compared_whole() {
    check("names_are_compared_whole", 1, enumerated, |testbench, config, _, _| {
        let entries = config.outstanding_requests.entries as usize;
        let name = |n: usize| Name { requester: 0xA500 + n as u16, tag: 0 };
        for n in 0..entries {
            testbench.issue(read(name(n), 4, 0))?;
        }
        for n in 0..entries {
            let right = whole(&read(name(n), 4, 0));
            for bit in entries.next_power_of_two().ilog2()..16 {
                let wrong = Name { requester: right.name.requester ^ 1 << bit, ..right.name };
                testbench.expect(Completion { name: wrong, ..right }, Unexpected)?;
            }
            for bit in 0..config.tlp.tag_bits {
                let wrong = Name { tag: right.name.tag ^ 1 << bit, ..right.name };
                testbench.expect(Completion { name: wrong, ..right }, Unexpected)?;
            }
        }
        for n in (0..entries).rev() {
            let matched = testbench.complete(whole(&read(name(n), 4, 0)))?;
            assert_eq!(matched, Matched { outcome: Last, index: Some(n), late: false });
        }
        Ok(())
    });
}

/// A full table takes nothing, keeps matching, and takes the next request in the cycle after one has ended.
#[test]
fn a_full_table_waits() {
    check("a_full_table_waits", 1, enumerated, |testbench, config, _, _| {
        let entries = config.outstanding_requests.entries as usize;
        // One request a cycle.
        for n in 0..entries {
            assert_eq!(testbench.issue(read(name(n), 4, 0))?, Some(Issued { index: n, superseded: false }));
        }
        let next = read(name(entries), 4, 0);
        for n in 0..entries {
            assert_eq!(testbench.issue(next)?, None, "{n}");
            let issue = Some(next);
            let completion = Some(whole(&read(name(n), 4, 0)));
            let answers = testbench.cycle(&Commands { issue, completion, mark: false })?;
            assert_eq!(answers.issued, None);
            let issued = testbench.issue(next)?;
            assert_eq!(issued, Some(Issued { index: n, superseded: false }));
            testbench.expect(whole(&next), Last)?;
            testbench.issue(read(name(n), 4, 0))?;
        }
        Ok(())
    });
}

/// A request and a completion in every cycle: none waits.
#[test]
fn one_of_each_every_cycle() {
    check("one_of_each_every_cycle", 1, enumerated, |testbench, config, _, _| {
        let ahead = config.outstanding_requests.entries as usize - 1;
        for n in 0..2000_usize {
            let request = |n: usize| read(name(n % (ahead + 2)), 64, 0);
            let completion = n.checked_sub(ahead).map(|n| whole(&request(n)));
            let answers = testbench.cycle(&Commands { issue: Some(request(n)), completion, mark: false })?;
            assert!(answers.issued.is_some_and(|issued| !issued.superseded), "{n}");
            assert!(answers.matched.is_none_or(|matched| matched.outcome == Last), "{n}");
        }
        Ok(())
    });
}

/// A second request of one name takes the place of the first, in every entry; also while the first ends.
#[test]
fn one_name_twice() {
    check("one_name_twice", 1, enumerated, |testbench, config, _, _| {
        let entries = config.outstanding_requests.entries as usize;
        for n in 0..entries - 1 {
            testbench.issue(read(name(n), 300, 0x40))?;
        }
        for n in 0..entries - 1 {
            let (first, second) = (read(name(n), 300, 0x40), read(name(n), 8, 4));
            testbench.expect(bringing(&first, 16), Part)?;
            assert_eq!(testbench.issue(second)?, Some(Issued { index: n, superseded: true }));
            testbench.expect(whole(&first), Mismatch)?;
            let third = read(name(n), 12, 8);
            let completion = Some(whole(&second));
            let answers = testbench.cycle(&Commands { issue: Some(third), completion, mark: false })?;
            assert_eq!(answers.issued, Some(Issued { index: n, superseded: true }));
            assert_eq!(answers.matched.map(|matched| matched.outcome), Some(Last));
            // While part of it comes: what follows is the new one's beginning.
            let fourth = read(name(n), 300, 0x40);
            testbench.issue(fourth)?;
            let fifth = read(name(n), 400, 0x40);
            let completion = Some(bringing(&fourth, 16));
            testbench.cycle(&Commands { issue: Some(fifth), completion, mark: false })?;
            testbench.expect(bringing(&fifth, 16), Part)?;
            testbench.expect(whole(&after(&fifth, 16)), Last)?;
        }
        assert_eq!(testbench.golden.pending(), 0);
        Ok(())
    });
}

/// `drained` waits for all that was issued with the mark or before it, and for nothing else.
#[test]
fn marks() {
    check("marks", 1, enumerated, |testbench, config, _, _| {
        let entries = config.outstanding_requests.entries as usize;
        let request = |n: usize| read(name(n), 4, 0);
        let with_mark = |issue: Option<Request>, completion| Commands { issue, completion, mark: true };
        testbench.cycle(&with_mark(None, None))?;
        assert!(testbench.golden.is_drained());
        for n in 0..entries - 2 {
            testbench.issue(request(n))?;
        }
        testbench.cycle(&with_mark(Some(request(entries - 2)), None))?;
        testbench.issue(request(entries - 1))?;
        for n in (0..entries - 1).rev() {
            assert!(!testbench.golden.is_drained(), "{n}");
            testbench.expect(whole(&request(n)), Last)?;
        }
        assert!(testbench.golden.is_drained());
        // A mark in the cycle in which the last one ends has nothing to wait for.
        testbench.cycle(&with_mark(None, Some(whole(&request(entries - 1)))))?;
        assert!(testbench.golden.is_drained());
        // What takes the place of a marked request is not marked.
        testbench.issue(request(0))?;
        testbench.cycle(&with_mark(None, None))?;
        testbench.issue(request(0))?;
        assert!(testbench.golden.is_drained());
        Ok(())
    });
}

/// A request is lost after the timeout, and no later than five quarters of it, rounded up; watched at the ports, without
/// the golden model, from several cycles on.
#[test]
fn the_timeout() {
    for config in configurations() {
        let of = &config.outstanding_requests;
        let run = tb::run(module_path!(), "the_timeout", &config).seeds(if loses(&config) { 4 } else { 1 });
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, .. } = bench;
            let timing = ClockAndReset::of(dut)?;
            let mut driver = Driver::new(dut, *seed)?;
            let (lost, pending) = (dut.probe("lost_valid")?, dut.probe("pending")?);
            driver.drive(&Commands::default())?;
            timing.reset(dut)?;
            let quarter = u64::from(of.quarter_cycles().unwrap_or(1000));
            for _ in 0..rng.random_range(0..quarter) {
                dut.step(timing.clk)?;
            }
            driver.drive(&Commands { issue: Some(read(name(0), 4, 0)), ..Commands::default() })?;
            dut.step(timing.clk)?;
            driver.drive(&Commands::default())?;
            let issued = timing.cycle(dut);
            let (from, to) = (u64::from(of.timeout_cycles), 5 * quarter);
            while lost.get() == 0 && timing.cycle(dut) - issued <= to + LATENCY as u64 {
                dut.step(timing.clk)?;
            }
            let waited = timing.cycle(dut) - issued - LATENCY as u64;
            if of.timeout_cycles == 0 {
                assert_eq!((lost.get(), pending.get()), (0, 1));
            } else if !(from..=to).contains(&waited) || lost.get() == 0 {
                return Err(Failure::other(format!("the request waited {waited} cycles, not {from} to {to}")));
            }
            Ok(())
        });
    }
}

/// A full table is lost at once: told one a cycle, lowest entry first; room for others; late data are known; names may be
/// used again. Where nothing is lost in a simulation, nothing is.
#[test]
fn losses() {
    check("losses", 1, enumerated, |testbench, config, _, _| {
        let entries = config.outstanding_requests.entries as usize;
        let request = |n: usize| read(name(n), 300, 0x40);
        for n in 0..entries {
            testbench.cycle(&Commands { issue: Some(request(n)), mark: true, completion: None })?;
        }
        testbench.expect(bringing(&request(1), 16), Part)?;
        let told = testbench.idle(400)?;
        if !loses(config) {
            assert_eq!((told, testbench.golden.pending()), (vec![], entries));
            return Ok(());
        }
        assert_eq!(told, (0..entries).map(|index| Lost { index, name: name(index) }).collect::<Vec<_>>());
        assert!(testbench.golden.is_drained() && testbench.golden.is_ready());
        assert_eq!(testbench.golden.pending(), 0);
        // A late part, and a late end.
        let rest = after(&request(1), 16);
        assert!(testbench.complete(bringing(&rest, 16))?.late);
        let matched = testbench.complete(whole(&after(&rest, 16)))?;
        assert_eq!(matched, Matched { outcome: Last, index: Some(1), late: true });
        assert_eq!(testbench.golden.pending(), 0);
        // The free entry first, then those that were given up, unless the name is there.
        assert_eq!(testbench.issue(request(entries))?, Some(Issued { index: 1, superseded: false }));
        assert_eq!(testbench.issue(request(2))?, Some(Issued { index: 2, superseded: false }));
        assert_eq!(testbench.issue(request(entries + 1))?, Some(Issued { index: 0, superseded: false }));
        assert_eq!(testbench.golden.pending(), 3);
        testbench.expect(whole(&request(0)), Unexpected)?;
        let matched = testbench.complete(whole(&request(2)))?;
        assert_eq!(matched, Matched { outcome: Last, index: Some(2), late: false });
        // The new ones are lost in their turn.
        let told: Vec<_> = testbench.idle(400)?.into_iter().map(|lost| lost.name).collect();
        assert_eq!(told, [name(entries + 1), name(entries)]);
        Ok(())
    });
}

/// In the cycle in which a request would be given up, and in those around it: a completion, a second request, a mark.
#[test]
fn the_last_moment() {
    check("the_last_moment", 1, enumerated, |testbench, config, _, _| {
        if !loses(config) {
            return testbench.idle(1).map(drop);
        }
        let waits = 5 * config.outstanding_requests.quarter_cycles().expect("requests are lost") as usize;
        let (first, second) = (read(name(0), 300, 0x40), read(name(1), 300, 0x40));
        // The clock starts with the reset, so the loss is in the same cycle each time.
        for moment in waits - 5..waits + 5 {
            for (completion, issue, mark) in [
                (Some(whole(&first)), None, false),
                (Some(bringing(&first, 16)), None, true),
                (Some(whole(&second)), None, true),
                (None, Some(first), false),
                (None, None, true),
                (Some(whole(&first)), Some(first), true),
            ] {
                testbench.reset(&vec![Commands::default(); RESET_CYCLES as usize])?;
                testbench.issue(first)?;
                testbench.issue(second)?;
                testbench.idle(moment)?;
                testbench.cycle(&Commands { issue, completion, mark })?;
                testbench.idle(waits + 8)?;
            }
        }
        Ok(())
    });
}

/// Random commands: what goes out, what comes back of it, right and wrong, by names that meet.
struct Traffic {
    names: usize,
    /// The request that waits to go out.
    offered: Option<Request>,
    /// How often, of 100 cycles, a request is offered, and a completion comes.
    rates: (u32, u32),
}

impl Traffic {
    fn new(config: &Config) -> Self {
        Self { names: config.outstanding_requests.entries as usize + 3, offered: None, rates: (50, 50) }
    }

    /// The commands of a cycle; the request of the cycle before, if the table was not ready for it.
    fn commands(&mut self, rng: &mut dyn Rng, table: &OutstandingRequests) -> Commands {
        if rng.random_bool(0.01) {
            self.rates =
                *[(90, 10), (10, 90), (50, 50), (100, 100), (5, 5), (30, 2)].choose(rng).expect("there are rates");
        }
        let offered = self.offered.or_else(|| rng.random_ratio(self.rates.0, 100).then(|| self.request(rng, table)));
        self.offered = offered.filter(|_| !table.is_ready());
        let completion = rng.random_ratio(self.rates.1, 100).then(|| self.completion(rng, table));
        Commands { issue: offered, completion, mark: rng.random_bool(0.03) }
    }

    fn request(&self, rng: &mut dyn Rng, table: &OutstandingRequests) -> Request {
        let any = rng.random_range(0..self.names);
        let in_flight = |n: &usize| table.entries().any(|(_, entry)| entry.rest.name == name(*n));
        let free = (any..self.names).chain(0..any).find(|n| !in_flight(n)).unwrap_or(any);
        let name = name(if rng.random_bool(0.9) { free } else { any });
        match rng.random_range(0..6) {
            0 => Request { atomic: true, ..read(name, 4 << rng.random_range(0..3), 0) },
            1 => read(name, 1, rng.random_range(0..128)),
            2 => read(name, 4096, 0),
            _ => read(name, rng.random_range(1..600), rng.random_range(0..128)),
        }
    }

    fn completion(&self, rng: &mut dyn Rng, table: &OutstandingRequests) -> Completion {
        let rests: Vec<_> = table.entries().map(|(_, entry)| entry.rest).collect();
        let Some(rest) = rests.choose(rng).filter(|_| rng.random_bool(0.95)) else {
            return whole(&read(name(rng.random_range(0..self.names)), 64, 0));
        };
        let part = to_boundary(rest, rng.random_range(1..4)).filter(|_| rng.random_bool(0.6));
        let mut completion = bringing(rest, part.unwrap_or(doublewords(rest)));
        match rng.random_range(0..20) {
            0 => completion.byte_count ^= 1 << rng.random_range(0..13),
            1 => completion.lower_address ^= 1 << rng.random_range(0..7),
            2 => completion.payload = rng.random_range(0..=1024),
            3 => completion.locked = true,
            4 | 5 => completion.status = rng.random_range(1..8),
            6 => completion.name.tag ^= 1,
            _ => {}
        }
        completion
    }
}

fn yes(set: bool) -> &'static str {
    ["no", "yes"][usize::from(set)]
}

/// The whole space of commands, with a bias to right ones.
#[test]
fn random() {
    let coverage = |config: &Config| {
        let outcomes = Outcome::ALL.map(|outcome| format!("{outcome:?}"));
        let coverage = Coverage::new()
            .point("outcome", outcomes)
            .point("superseded", ["no", "yes"])
            .point("drained", ["no", "yes"])
            .point("ready", ["no", "yes"])
            .point("completion beside", ["no request", "a request"])
            .cross(["outcome", "completion beside"]);
        if loses(config) {
            coverage
                .point("late", ["no", "yes"])
                .point("lost", ["no", "yes"])
                .cross(["outcome", "late"])
                .impossible(&[("outcome", "Unexpected"), ("late", "yes")], "it belongs to no request")
        } else {
            coverage
        }
    };
    check("random", 8, coverage, |testbench, config, rng, coverage| {
        let mut traffic = Traffic::new(config);
        for _ in 0..4_000 {
            let commands = traffic.commands(rng, &testbench.golden);
            let ready = testbench.golden.is_ready();
            let answers = testbench.cycle(&commands)?;
            coverage.sample(&[("ready", yes(ready)), ("drained", yes(testbench.golden.is_drained()))]);
            if let Some(Issued { superseded, .. }) = answers.issued {
                coverage.sample(&[("superseded", yes(superseded))]);
            }
            if let Some(Matched { outcome, late, .. }) = answers.matched {
                let beside = ["no request", "a request"][usize::from(answers.issued.is_some())];
                let outcome = format!("{outcome:?}");
                coverage.sample(&[("outcome", &outcome), ("completion beside", beside)]);
                if loses(config) {
                    coverage.sample(&[("outcome", &outcome), ("late", yes(late))]);
                }
            }
            if loses(config) {
                coverage.sample(&[("lost", yes(answers.lost.is_some()))]);
            }
        }
        Ok(())
    });
}

/// Resets in random traffic: answers under way and commands in reset are lost, and nothing is in flight after it.
#[test]
fn reset_in_the_middle() {
    check("reset_in_the_middle", 2, enumerated, |testbench, config, rng, _| {
        for _ in 0..40 {
            let mut traffic = Traffic::new(config);
            for _ in 0..rng.random_range(20..60) {
                let commands = traffic.commands(rng, &testbench.golden);
                testbench.cycle(&commands)?;
            }
            let in_flight: Vec<_> = testbench.golden.entries().map(|(_, entry)| entry.rest).collect();
            let during: Vec<_> =
                (0..rng.random_range(1..4)).map(|_| traffic.commands(rng, &testbench.golden)).collect();
            testbench.reset(&during)?;
            for rest in in_flight {
                testbench.expect(whole(&rest), Unexpected)?;
            }
        }
        Ok(())
    });
}

/// Within a cycle, no output follows an input: `ready` least of all.
#[test]
fn no_path_from_input_to_output() {
    for config in configurations() {
        let run = tb::run(module_path!(), "no_path_from_input_to_output", &config).seeds(1);
        run.check(&model(&config, MODULE), |bench| rules::no_path(&mut bench.dut, &mut bench.rng));
    }
}

/// After reset, nothing that counts depends on what registers and memories held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &model(&config, MODULE), |dut, seed| {
            let mut driver = Driver::new(dut, 7)?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (mut traffic, mut table) = (Traffic::new(&config), OutstandingRequests::new(&config));
            Ok(move |_| {
                let commands = traffic.commands(&mut rng, &table);
                table.step(&commands);
                driver.drive(&commands).expect("commands fit the ports");
            })
        });
    }
}
