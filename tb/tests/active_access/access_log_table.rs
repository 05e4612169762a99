//! The access log table: every answer is the golden model's, one cycle after its command.

use std::collections::{BTreeSet, VecDeque};

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tb::{ClockAndReset, RESET_CYCLES, ValidDriver, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{Beat, Bench, Coverage, Dut, Error, Failure, Outcome, Scoreboard};
use tollgate_golden::active_access::access_log_table::{AccessLogTable, Answers, Commands, Descriptor, Found, Program};
use tollgate_spec::access_log::ProgramError::{self, *};
use tollgate_spec::config::{self, Config};

const MODULE: &str = "active_access_access_log_table";

/// Cycles from a command to its answer: no more, and no less.
const LATENCY: usize = 1;

/// Gives commands.
struct Driver {
    program: ValidDriver,
    invalidate: ValidDriver,
    lookup: ValidDriver,
}

impl Driver {
    fn new(dut: &Dut, seed: u64) -> Outcome<Self> {
        Ok(Self {
            program: ValidDriver::new(dut, "program", seed)?,
            invalidate: ValidDriver::new(dut, "invalidate", seed + 1)?,
            lookup: ValidDriver::new(dut, "lookup", seed + 2)?,
        })
    }

    fn drive(&mut self, commands: &Commands) -> Outcome {
        let program = commands.program.map(|Program { index, descriptor }| {
            with_descriptor(self.program.layout().beat().with("index", index)?, &descriptor)
        });
        let number = |driver: &ValidDriver, number: u64| driver.layout().beat().with("data", number);
        let invalidate = commands.invalidate.map(|index| number(&self.invalidate, index));
        let lookup = commands.lookup.map(|iuid| number(&self.lookup, iuid));
        self.program.drive(program.transpose()?.as_ref())?;
        self.invalidate.drive(invalidate.transpose()?.as_ref())?;
        self.lookup.drive(lookup.transpose()?.as_ref())
    }
}

/// Sees commands, whoever gave them.
struct CommandMonitor {
    program: ValidMonitor,
    invalidate: ValidMonitor,
    lookup: ValidMonitor,
}

impl CommandMonitor {
    fn new(dut: &Dut) -> Outcome<Self> {
        Ok(Self {
            program: ValidMonitor::new(dut, "program")?,
            invalidate: ValidMonitor::new(dut, "invalidate")?,
            lookup: ValidMonitor::new(dut, "lookup")?,
        })
    }

    fn sample(&mut self, cycle: u64) -> Outcome<Commands> {
        let program = self.program.sample(cycle)?;
        let program = program
            .map(|beat| Ok::<_, Error>(Program { index: field(&beat, "index")?, descriptor: descriptor_of(&beat)? }));
        let number = |beat: Option<Beat>| beat.map(|beat| field(&beat, "data")).transpose();
        Ok(Commands {
            program: program.transpose()?,
            invalidate: number(self.invalidate.sample(cycle)?)?,
            lookup: number(self.lookup.sample(cycle)?)?,
        })
    }
}

/// Sees answers.
struct AnswerMonitor {
    refused: ValidMonitor,
    found: ValidMonitor,
}

/// Where the fields of a descriptor are in a beat.
fn with_descriptor(beat: Beat, descriptor: &Descriptor) -> Result<Beat, Error> {
    let Descriptor { iuid, base, head, tail, size, compact, drop } = *descriptor;
    beat.with("iuid", iuid)?
        .with("ring_base", base)?
        .with("ring_head", head)?
        .with("ring_tail", tail)?
        .with("ring_size", size)?
        .with("ring_compact", u8::from(compact))?
        .with("ring_drop", u8::from(drop))
}

fn descriptor_of(beat: &Beat) -> Result<Descriptor, Error> {
    Ok(Descriptor {
        iuid: field(beat, "iuid")?,
        base: field(beat, "ring_base")?,
        head: field(beat, "ring_head")?,
        tail: field(beat, "ring_tail")?,
        size: field(beat, "ring_size")?,
        compact: field(beat, "ring_compact")? == 1,
        drop: field(beat, "ring_drop")? == 1,
    })
}

fn field(beat: &Beat, name: &str) -> Result<u64, Error> {
    Ok(beat.get(beat.layout().field(name)?))
}

/// The table between its drivers and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    driver: Driver,
    commands: CommandMonitor,
    answers: AnswerMonitor,
    golden: AccessLogTable,
    /// Commands, and what the golden model answered and the ports have yet to show; the next first.
    due: VecDeque<(Commands, Answers)>,
    refusals: Scoreboard,
    findings: Scoreboard,
}

impl<'a> Testbench<'a> {
    /// The table of a configuration after reset.
    fn new(dut: &'a mut Dut, config: &Config, seed: u64) -> Outcome<Self> {
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            driver: Driver::new(dut, seed)?,
            commands: CommandMonitor::new(dut)?,
            answers: AnswerMonitor {
                refused: ValidMonitor::new(dut, "refused")?,
                found: ValidMonitor::new(dut, "found")?,
            },
            golden: AccessLogTable::new(config),
            due: VecDeque::new(),
            refusals: Scoreboard::new("program"),
            findings: Scoreboard::new("lookup"),
            dut,
        };
        testbench.reset(&vec![Commands::default(); RESET_CYCLES as usize])?;
        Ok(testbench)
    }

    /// Holds the reset, a cycle for each of some commands, which are lost like the answers under way.
    fn reset(&mut self, lost: &[Commands]) -> Outcome {
        self.timing.rst.set(1);
        for (held, commands) in lost.iter().enumerate() {
            self.driver.drive(commands)?;
            self.dut.eval()?;
            let cycle = self.timing.cycle(self.dut);
            let answers = [self.answers.refused.sample(cycle)?, self.answers.found.sample(cycle)?];
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
    fn cycle(&mut self, commands: &Commands) -> Outcome<Answers> {
        self.driver.drive(commands)?;
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        let (asked, due) = self.due.pop_front().expect("an answer is due in every cycle");
        self.judge(cycle, &asked, &due)?;
        let asked = self.commands.sample(cycle)?;
        let answers = self.golden.step(&asked);
        self.due.push_back((asked, answers.clone()));
        self.dut.step(self.timing.clk)?;
        Ok(answers)
    }

    /// Compares what the ports show with what is due: all of it, in this cycle, and nothing else.
    fn judge(&mut self, cycle: u64, asked: &Commands, due: &Answers) -> Outcome {
        if let Some(errors) = &due.programmed {
            let blank = self.answers.refused.layout().beat();
            self.refusals.expect(errors.iter().try_fold(blank, |beat, error| beat.with(error.name(), 1_u8))?);
        }
        if let Some(Found { index, descriptor }) = &due.found {
            let blank = self.answers.found.layout().beat();
            self.findings.expect(with_descriptor(blank.with("index", *index)?, descriptor)?);
        }
        let program = self.answers.refused.sample(cycle)?;
        let program = program.map_or(Ok(()), |beat| self.refusals.check(cycle, &beat));
        program.and_then(|()| self.refusals.finish(cycle)).map_err(|failure| failure.with_note(shown(asked)))?;
        let lookup = self.answers.found.sample(cycle)?;
        let lookup = lookup.map_or(Ok(()), |beat| self.findings.check(cycle, &beat));
        lookup.and_then(|()| self.findings.finish(cycle)).map_err(|failure| failure.with_note(shown(asked)))
    }

    /// Lets the last answers come.
    fn finish(&mut self) -> Outcome {
        (0..LATENCY).try_for_each(|_| self.cycle(&Commands::default()).map(drop))
    }

    /// Programs an entry; gives what speaks against it.
    fn program(&mut self, index: u64, descriptor: Descriptor) -> Outcome<Vec<ProgramError>> {
        let answers = self.cycle(&program(index, descriptor))?;
        Ok(answers.programmed.expect("programming is always answered"))
    }

    fn invalidate(&mut self, index: u64) -> Outcome {
        self.cycle(&Commands { invalidate: Some(index), ..Commands::default() }).map(drop)
    }

    /// Looks a user domain up; gives its entry.
    fn lookup(&mut self, iuid: u64) -> Outcome<Option<u64>> {
        let answers = self.cycle(&Commands { lookup: Some(iuid), ..Commands::default() })?;
        Ok(answers.found.map(|found| found.index))
    }
}

fn program(index: u64, descriptor: Descriptor) -> Commands {
    Commands { program: Some(Program { index, descriptor }), ..Commands::default() }
}

/// The commands of a cycle in words, for the reader of a mismatch.
fn shown(commands: &Commands) -> String {
    let program = commands.program.map(|Program { index, descriptor }| {
        let Descriptor { iuid, base, head, tail, size, compact, .. } = descriptor;
        let kind = if compact { "compact " } else { "" };
        format!(
            "program {kind}log of {iuid:#x} in {index}: base {base:#x} head {head:#x} tail {tail:#x} size {size:#x}"
        )
    });
    let invalidate = commands.invalidate.map(|index| format!("invalidate {index}"));
    let lookup = commands.lookup.map(|iuid| format!("look up {iuid:#x}"));
    let all: Vec<_> = [program, invalidate, lookup].into_iter().flatten().collect();
    if all.is_empty() { "no command".into() } else { all.join(", ") }
}

/// The numbers of a configuration that the stimulus is made of.
#[derive(Clone, Copy)]
struct Limits<'c> {
    table: &'c config::AccessLogTable,
    entries: u64,
    domains: u64,
}

impl<'c> Limits<'c> {
    fn of(config: &'c Config) -> Self {
        let table = &config.access_log_table;
        Self { table, entries: table.entries.into(), domains: 1 << config.pte.iuid_bits() }
    }

    /// The user domains that have a log.
    fn open(self, table: &AccessLogTable) -> BTreeSet<u64> {
        (0..self.entries).filter_map(|index| table.entry(index)).map(|log| log.iuid).collect()
    }

    fn granule(self, compact: bool) -> u64 {
        self.table.granule(compact).into()
    }

    fn smallest_ring(self, compact: bool) -> u64 {
        self.table.smallest_ring_bytes(compact).into()
    }

    /// The indices that the port can carry and the table does not have.
    fn indices_beyond(self) -> std::ops::Range<u64> {
        self.entries..1 << self.table.program_index_bits()
    }

    /// A small ring with room on both sides of head and tail: nothing speaks against it.
    fn log(self, iuid: u64, compact: bool) -> Descriptor {
        let granule = self.granule(compact);
        let (base, size) = (0x10_0000, self.smallest_ring(compact) + 4 * granule);
        Descriptor { iuid, base, head: base + granule, tail: base + 2 * granule, size, compact, drop: false }
    }

    /// Any ring that nothing speaks against, anywhere in the address space.
    fn any_log(self, rng: &mut dyn Rng, iuid: u64) -> Descriptor {
        let compact = rng.random();
        let granule = self.granule(compact);
        let largest = ((1 << self.table.size_bits) - 1) / granule;
        let smallest = self.smallest_ring(compact).div_ceil(granule);
        let size = match rng.random_range(0..4) {
            0 => smallest,
            1 => largest,
            _ => rng.random_range(smallest..=largest),
        };
        let last_base = (1_u128 << self.table.address_bits) / u128::from(granule) - u128::from(size);
        let last_base = u64::try_from(last_base).expect("a granule is at least 2 bytes");
        let base = match rng.random_range(0..4) {
            0 => 0,
            1 => last_base,
            _ => rng.random_range(0..=last_base),
        };
        let mut pointer = || match rng.random_range(0..4) {
            0 => base,
            1 => base + size - 1,
            _ => base + rng.random_range(0..size),
        };
        let (head, tail) = (granule * pointer(), granule * pointer());
        Descriptor { iuid, base: granule * base, head, tail, size: granule * size, compact, drop: rng.random() }
    }

    /// A ring that may be wrong in any way.
    fn any_descriptor(self, rng: &mut dyn Rng, iuid: u64) -> Descriptor {
        let mut log = self.any_log(rng, iuid);
        if rng.random_bool(0.7) {
            return log;
        }
        let addresses = ones(self.table.address_bits);
        let flip = 1 << rng.random_range(0..self.table.address_bits);
        match rng.random_range(0..8) {
            0 => log.base ^= flip,
            1 => log.head ^= flip,
            2 => log.tail ^= flip,
            3 => log.size = 0,
            4 => log.size = self.granule(log.compact) * rng.random_range(1..16),
            5 => log.size ^= 1 << rng.random_range(0..self.table.size_bits),
            6 => log.base = addresses - rng.random_range(0..8_192),
            _ => log.compact ^= true,
        }
        log
    }
}

fn ones(bits: u32) -> u64 {
    u64::MAX >> (u64::BITS - bits)
}

/// Runs `test` over `seeds` in every configuration, which have both kinds of storage; `coverage` gives the bins that
/// the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(Limits<'_>) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, Limits<'_>, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let limits = Limits::of(&config);
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(limits));
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config, *seed)?;
            test(&mut testbench, limits, rng, coverage)?;
            testbench.finish()
        });
    }
}

/// Nothing to cover: the test enumerates its cases.
fn enumerated(_: Limits<'_>) -> Coverage {
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
            let (refused, found) = (dut.probe("refused_valid")?, dut.probe("found_valid")?);
            driver.drive(&Commands::default())?;
            timing.reset(dut)?;
            let commands = Commands { lookup: Some(5), ..program(1, Limits::of(&config).log(5, false)) };
            let none = Commands::default();
            let mut seen = Vec::new();
            for commands in [&commands, &none, &commands, &commands, &none, &none] {
                driver.drive(commands)?;
                dut.eval()?;
                seen.push((refused.is_set(), found.is_set()));
                dut.step(timing.clk)?;
            }
            // The first lookup comes with the programming of its log, and is too early to find it.
            let expected = [(false, false), (true, false), (false, false), (true, true), (true, true), (false, false)];
            assert_eq!(seen, expected, "(refused_valid, found_valid) of each cycle");
            Ok(())
        });
    }
}

/// Each error alone where that is possible, at both ends of its range, and nothing just short of it.
#[test]
fn each_refusal() {
    check("each_refusal", 1, enumerated, |testbench, limits, _, _| {
        for compact in [false, true] {
            let granule = limits.granule(compact);
            let log = limits.log(1, compact);
            let end = log.base + log.size;
            let space = 1_u128 << limits.table.address_bits;
            let last_base = |size: u64| u64::try_from(space - u128::from(size)).expect("a ring is not empty");
            let at = |base: u64, size: u64| Descriptor { base, head: base, tail: base, size, ..log };
            let smallest = limits.smallest_ring(compact);

            let mut cases: Vec<(u64, Descriptor, Vec<ProgramError>)> = vec![
                (0, log, vec![]),
                (limits.entries - 1, log, vec![]),
                (0, Descriptor { head: log.base, tail: log.base, ..log }, vec![]),
                (0, Descriptor { head: end - granule, tail: end - granule, ..log }, vec![]),
                (0, Descriptor { head: end, ..log }, vec![Outside]),
                (0, Descriptor { tail: end, ..log }, vec![Outside]),
                (0, Descriptor { head: log.base - granule, ..log }, vec![Outside]),
                (0, Descriptor { tail: log.base - granule, ..log }, vec![Outside]),
                (0, Descriptor { head: 0, ..log }, vec![Outside]),
                (0, Descriptor { tail: last_base(granule), ..log }, vec![Outside]),
                (0, at(last_base(smallest), smallest), vec![]),
                (0, at(last_base(smallest) + granule, smallest), vec![Outside]),
                // The ring goes over the end of the address space: its start is not in it.
                (0, Descriptor { head: 0, ..at(last_base(granule), smallest) }, vec![Outside]),
                (0, at(0, smallest), vec![]),
                (0, at(0, smallest - granule), vec![TooSmall]),
                (0, at(0, smallest - 1), vec![Unaligned, TooSmall]),
                (0, at(0, smallest + 1), vec![Unaligned]),
                (0, at(0, granule), vec![TooSmall]),
                (0, at(0, 0), vec![ZeroSize, TooSmall, Outside]),
                (0, at(0, ones(limits.table.size_bits) & !(granule - 1)), vec![]),
            ];
            for index in limits.indices_beyond() {
                cases.push((index, log, vec![Index]));
            }
            for bit in (0..granule.ilog2()).map(|bit| 1 << bit) {
                cases.push((0, Descriptor { base: log.base + bit, ..log }, vec![Unaligned]));
                cases.push((0, Descriptor { head: log.head + bit, ..log }, vec![Unaligned]));
                cases.push((0, Descriptor { tail: log.tail + bit, ..log }, vec![Unaligned]));
                cases.push((0, Descriptor { size: log.size + bit, ..log }, vec![Unaligned]));
            }
            for (index, descriptor, expected) in cases {
                assert_eq!(testbench.program(index, descriptor)?, expected, "entry {index}: {descriptor:x?}");
                let found = testbench.lookup(descriptor.iuid)?;
                assert_eq!(found, expected.is_empty().then_some(index), "entry {index}: {descriptor:x?}");
                testbench.invalidate(index)?;
            }

            testbench.program(0, log)?;
            assert_eq!(testbench.program(0, log)?, [Enabled]);
            assert_eq!(testbench.program(0, limits.log(2, compact))?, [Enabled]);
            for index in 1..limits.entries {
                assert_eq!(testbench.program(index, log)?, [Duplicate]);
            }
            assert_eq!((testbench.lookup(1)?, testbench.lookup(2)?), (Some(0), None));
            testbench.invalidate(0)?;
        }
        Ok(())
    });
}

/// Every set of errors that can come together.
#[test]
fn refusals_together() {
    check("refusals_together", 1, enumerated, |testbench, limits, _, _| {
        let mut possible = 0;
        for compact in [false, true] {
            testbench.program(0, limits.log(1, compact))?;
            testbench.program(1, limits.log(2, compact))?;
            for set in 0..1_u32 << ProgramError::COUNT {
                let has = |error: ProgramError| set >> error.bit() & 1 == 1;
                // An entry that is not there is not valid, and an empty ring holds nothing.
                if has(Index) && has(Enabled) || has(ZeroSize) && !(has(TooSmall) && has(Outside)) {
                    continue;
                }
                possible += 1;
                let index = match (has(Index), has(Enabled)) {
                    (true, _) => limits.entries,
                    (_, true) => 0,
                    _ => 2,
                };
                let iuid = match (has(Duplicate), has(Enabled)) {
                    (true, true) => 2,
                    (true, false) => 1,
                    _ => 3,
                };
                let mut log = limits.log(iuid, compact);
                log.tail += u64::from(has(Unaligned));
                if has(TooSmall) {
                    log.size = limits.smallest_ring(compact) - limits.granule(compact);
                }
                if has(ZeroSize) {
                    log.size = 0;
                }
                if has(Outside) {
                    log.head = log.base + log.size;
                }
                let expected: Vec<ProgramError> = ProgramError::ALL.into_iter().filter(|error| has(*error)).collect();
                assert_eq!(testbench.program(index, log)?, expected, "entry {index}: {log:x?}");
                testbench.invalidate(2)?;
            }
            testbench.invalidate(0)?;
            testbench.invalidate(1)?;
        }
        assert_eq!(possible, 2 * 60, "6 of 8 sets of the first three errors, alignment, 5 of 8 sets of the last three");
        Ok(())
    });
}

/// A log is programmed, another looked up and a third invalidated in every cycle, and all of it succeeds.
#[test]
fn one_command_of_each_every_cycle() {
    check("one_command_of_each_every_cycle", 1, enumerated, |testbench, limits, rng, _| {
        let entry = |number: u64| number % limits.entries;
        let domain = |number: u64| number % limits.domains;
        for number in 2..2 + 4 * limits.domains {
            let commands = Commands {
                lookup: Some(domain(number - 1)),
                invalidate: Some(entry(number - 2)),
                ..program(entry(number), limits.any_log(rng, domain(number)))
            };
            let Answers { programmed, found } = testbench.cycle(&commands)?;
            assert_eq!(programmed.as_deref(), Some([].as_slice()), "{commands:x?}");
            let expected = (number > 2).then_some(entry(number - 1));
            assert_eq!(found.map(|found| found.index), expected, "{commands:x?}");
        }
        Ok(())
    });
}

/// Commands of one cycle are judged on the state before it.
#[test]
fn commands_that_meet() {
    check("commands_that_meet", 1, enumerated, |testbench, limits, _, _| {
        let log = |iuid| limits.log(iuid, false);
        let both = |index, iuid, invalidated| Commands { invalidate: Some(invalidated), ..program(index, log(iuid)) };
        for index in 0..limits.entries {
            let other = (index + 1) % limits.entries;
            // Of an invalid entry: it becomes valid.
            assert_eq!(testbench.cycle(&both(index, 1, index))?.programmed, Some(vec![]));
            assert_eq!(testbench.lookup(1)?, Some(index));
            // Of a valid entry: it is refused, and becomes invalid.
            assert_eq!(testbench.cycle(&both(index, 2, index))?.programmed, Some(vec![Enabled]));
            assert_eq!((testbench.lookup(1)?, testbench.lookup(2)?), (None, None));
            // A user domain that is just leaving is still a duplicate.
            testbench.program(index, log(1))?;
            assert_eq!(testbench.cycle(&both(other, 1, index))?.programmed, Some(vec![Duplicate]));
            assert_eq!(testbench.lookup(1)?, None);
            // Two entries change at once.
            testbench.program(index, log(1))?;
            assert_eq!(testbench.cycle(&both(other, 2, index))?.programmed, Some(vec![]));
            assert_eq!((testbench.lookup(1)?, testbench.lookup(2)?), (None, Some(other)));
            testbench.invalidate(other)?;
            // A lookup does not see what is programmed or invalidated beside it.
            let asked = |commands| Commands { lookup: Some(1), ..commands };
            assert_eq!(testbench.cycle(&asked(program(index, log(1))))?.found, None);
            let leaving = Commands { invalidate: Some(index), ..Commands::default() };
            assert!(testbench.cycle(&asked(leaving))?.found.is_some());
            assert_eq!(testbench.lookup(1)?, None);
        }
        for index in limits.indices_beyond() {
            testbench.program(0, log(1))?;
            testbench.invalidate(index)?;
            assert_eq!(testbench.lookup(1)?, Some(0), "there is no entry {index} to invalidate");
            testbench.invalidate(0)?;
        }
        Ok(())
    });
}

/// P-14: every user domain can have a log, and in a full table exactly those are found that have one.
#[test]
fn every_user_domain() {
    check("every_user_domain", 1, enumerated, |testbench, limits, rng, _| {
        for first in (0..limits.domains).step_by(limits.entries as usize) {
            let programmed = first..limits.domains.min(first + limits.entries);
            for iuid in programmed.clone() {
                assert_eq!(testbench.program(iuid - first, limits.any_log(rng, iuid))?, []);
            }
            for iuid in 0..limits.domains {
                let expected = programmed.contains(&iuid).then(|| iuid - first);
                assert_eq!(testbench.lookup(iuid)?, expected, "user domain {iuid}");
            }
            for index in 0..limits.entries {
                testbench.invalidate(index)?;
            }
        }
        Ok(())
    });
}

/// Commands of all kinds that often meet, in a table that fills and empties.
#[test]
fn random() {
    let coverage = |limits: Limits<'_>| {
        let refusals = ProgramError::ALL.map(ProgramError::name);
        Coverage::new()
            .point("refusal", refusals)
            .point("program", ["none", "accepted", "refused"])
            .point("invalidate", ["none", "the same entry", "another entry", "no such entry"])
            .point("lookup", ["none", "hit", "miss"])
            .cross(["program", "invalidate", "lookup"])
            .impossible(&[("program", "none"), ("invalidate", "the same entry")], "nothing is programmed")
            .point(
                "meeting",
                [
                    "program and invalidate a valid entry",
                    "program and invalidate an invalid entry",
                    "look up what is programmed",
                    "look up what is invalidated",
                    "program a user domain that leaves",
                ],
            )
            .point("occupancy", ["empty", "some", "full"])
            .point("found in", (0..limits.entries).map(|index| index.to_string()))
    };
    check("random", 8, coverage, |testbench, limits, rng, coverage| {
        let mut traffic = Traffic::new(limits, rng);
        for phase in 0..4 {
            traffic.fills = phase % 2 == 0;
            for _ in 0..1_000 {
                let commands = traffic.commands(rng, &testbench.golden);
                let before = testbench.golden.clone();
                let answers = testbench.cycle(&commands)?;
                cover(coverage, limits, &before, &commands, &answers);
            }
        }
        Ok(())
    });
}

/// Commands that often meet.
struct Traffic<'c> {
    limits: Limits<'c>,
    /// From one user domain in use to the next: odd, so that all are different.
    stride: u64,
    /// Whether the table fills or empties.
    fills: bool,
}

impl<'c> Traffic<'c> {
    /// Traffic that fills the table, with few user domains out of all.
    fn new(limits: Limits<'c>, rng: &mut dyn Rng) -> Self {
        Self { limits, stride: rng.next_u64() | 1, fills: true }
    }

    /// One of the user domains in use.
    fn domain(&self, number: u64) -> u64 {
        number.wrapping_mul(self.stride) % self.limits.domains
    }

    /// The commands of a cycle, for a table as it is before it.
    fn commands(&self, rng: &mut dyn Rng, table: &AccessLogTable) -> Commands {
        let Self { limits, fills, .. } = *self;
        let any_domain = |rng: &mut dyn Rng| self.domain(rng.random_range(0..limits.entries + 3));
        let first_free = (0..limits.entries).find(|index| table.entry(*index).is_none());
        let index = match (first_free, rng.random_range(0..8)) {
            (_, 0) => limits.indices_beyond().start,
            (Some(free), 1..4) => free,
            _ => rng.random_range(0..limits.entries),
        };
        let open = limits.open(table);
        let first_closed = (0..limits.domains).map(|number| self.domain(number)).find(|iuid| !open.contains(iuid));
        let iuid = match (first_closed, rng.random_range(0..8)) {
            (Some(closed), 0..5) => closed,
            _ => any_domain(rng),
        };
        let programs = rng.random_bool(if fills { 0.8 } else { 0.5 });
        let program = programs.then(|| Program { index, descriptor: limits.any_descriptor(rng, iuid) });
        let invalidates = rng.random_bool(if fills { 0.1 } else { 0.9 });
        let invalidate = invalidates.then(|| match rng.random_range(0..4) {
            0 => index,
            1 => limits.indices_beyond().start,
            _ => rng.random_range(0..limits.entries),
        });
        let leaving = invalidate.and_then(|index| table.entry(index)).map(|log| log.iuid);
        let lookup = rng.random_bool(0.8).then(|| match (leaving, rng.random_range(0..4)) {
            (Some(leaving), 0) => leaving,
            (_, 1) => iuid,
            // One bit beside a user domain in use.
            (_, 2) => any_domain(rng) ^ (1 << rng.random_range(0..limits.domains.ilog2())),
            _ => any_domain(rng),
        });
        Commands { program, invalidate, lookup }
    }
}

/// Counts what a cycle was a case of.
fn cover(coverage: &mut Coverage, limits: Limits<'_>, before: &AccessLogTable, commands: &Commands, answers: &Answers) {
    let &Commands { program, invalidate, lookup } = commands;
    for error in answers.programmed.iter().flatten() {
        coverage.sample(&[("refusal", error.name())]);
    }
    let programmed = match answers.programmed.as_deref() {
        None => "none",
        Some([]) => "accepted",
        Some(_) => "refused",
    };
    let invalidated = match (invalidate, program) {
        (None, _) => "none",
        (Some(index), _) if index >= limits.entries => "no such entry",
        (Some(index), Some(program)) if index == program.index => "the same entry",
        (Some(_), _) => "another entry",
    };
    let looked_up = match (lookup, answers.found) {
        (None, _) => "none",
        (_, Some(_)) => "hit",
        (_, None) => "miss",
    };
    coverage.sample(&[("program", programmed), ("invalidate", invalidated), ("lookup", looked_up)]);

    let entry = |index: u64| before.entry(index);
    let leaving = invalidate.and_then(entry).map(|log| log.iuid);
    let coming = program.filter(|_| programmed == "accepted").map(|program| program.descriptor.iuid);
    let meetings = [
        ("program and invalidate a valid entry", invalidated == "the same entry" && leaving.is_some()),
        ("program and invalidate an invalid entry", invalidated == "the same entry" && leaving.is_none()),
        ("look up what is programmed", lookup.is_some() && lookup == coming),
        ("look up what is invalidated", lookup.is_some() && lookup == leaving),
        (
            "program a user domain that leaves",
            invalidated == "another entry"
                && leaving.is_some()
                && program.map(|program| program.descriptor.iuid) == leaving,
        ),
    ];
    for (meeting, _) in meetings.iter().filter(|(_, holds)| *holds) {
        coverage.sample(&[("meeting", meeting)]);
    }
    let occupied = (0..limits.entries).filter(|index| entry(*index).is_some()).count() as u64;
    let occupancy = if occupied == 0 {
        "empty"
    } else if occupied == limits.entries {
        "full"
    } else {
        "some"
    };
    coverage.sample(&[("occupancy", occupancy)]);
    if let Some(found) = answers.found {
        coverage.sample(&[("found in", &found.index.to_string())]);
    }
}

/// A reset in the middle of everything: answers under way are lost, and no log is found any more.
#[test]
fn reset_in_the_middle() {
    let coverage = |_: Limits<'_>| Coverage::new().point("lost answer", ["refused", "found"]);
    check("reset_in_the_middle", 4, coverage, |testbench, limits, rng, coverage| {
        let traffic = Traffic::new(limits, rng);
        for _ in 0..10 {
            let mut last = Answers::default();
            for _ in 0..rng.random_range(20..200) {
                let commands = traffic.commands(rng, &testbench.golden);
                last = testbench.cycle(&commands)?;
            }
            let lost = [("refused", last.programmed.is_some()), ("found", last.found.is_some())];
            for (answer, _) in lost.iter().filter(|(_, holds)| *holds) {
                coverage.sample(&[("lost answer", answer)]);
            }
            let open = limits.open(&testbench.golden);
            assert!(!open.is_empty(), "the reset has something to forget");
            let during: Vec<_> =
                (0..rng.random_range(1..4)).map(|_| traffic.commands(rng, &testbench.golden)).collect();
            testbench.reset(&during)?;
            for iuid in open {
                assert_eq!(testbench.lookup(iuid)?, None);
            }
        }
        Ok(())
    });
}

/// After reset, nothing that counts depends on what registers and memories held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let limits = Limits::of(&config);
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &model(&config, MODULE), |dut, seed| {
            let mut driver = Driver::new(dut, 7)?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (traffic, table) = (Traffic::new(limits, &mut rng), AccessLogTable::new(&config));
            Ok(move |_| {
                let commands = traffic.commands(&mut rng, &table);
                driver.drive(&commands).expect("commands fit the ports");
            })
        });
    }
}
