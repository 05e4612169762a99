//! The context cache: every answer is the golden model's, one cycle after its lookup.

use std::collections::{BTreeSet, VecDeque};

use rand::{Rng, RngExt, SeedableRng};
use tb::{ClockAndReset, RESET_CYCLES, ValidDriver, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{Beat, Bench, Coverage, Dut, Error, Failure, Outcome, Probe, Scoreboard};
use tollgate_golden::iommu::context_cache::{Answer, Commands, Context, ContextCache, Fill, Invalidation};
use tollgate_spec::config::Config;
use tollgate_spec::context::{FUNCTION_MASK_BITS, REQUESTER_BITS, Scope};

const MODULE: &str = "iommu_context_cache";

/// Cycles from a lookup to its answer: no more, and no less.
const LATENCY: usize = 1;

/// Gives commands.
struct Driver {
    lookup: ValidDriver,
    fill: ValidDriver,
    invalidate: ValidDriver,
}

impl Driver {
    fn new(dut: &Dut, seed: u64) -> Outcome<Self> {
        Ok(Self {
            lookup: ValidDriver::new(dut, "lookup", seed)?,
            fill: ValidDriver::new(dut, "fill", seed + 1)?,
            invalidate: ValidDriver::new(dut, "invalidate", seed + 2)?,
        })
    }

    fn drive(&mut self, commands: &Commands) -> Outcome {
        let lookup = commands.lookup.map(|requester| self.lookup.layout().beat().with("data", requester));
        let fill = commands.fill.map(|Fill { requester, context }| {
            with_context(self.fill.layout().beat().with("requester", requester)?, "context_", &context)
        });
        let invalidate = commands.invalidate.map(|invalidation| {
            let (scope, domain, requester, mask) = match invalidation {
                Invalidation::Global => (Scope::Global, 0, 0, 0),
                Invalidation::Domain(domain) => (Scope::Domain, domain, 0, 0),
                Invalidation::Device { requester, function_mask } => (Scope::Device, 0, requester, function_mask),
            };
            let beat = self.invalidate.layout().beat().with("scope", scope.number())?.with("domain", domain)?;
            beat.with("requester", requester)?.with("function_mask", mask)
        });
        self.lookup.drive(lookup.transpose()?.as_ref())?;
        self.fill.drive(fill.transpose()?.as_ref())?;
        self.invalidate.drive(invalidate.transpose()?.as_ref())
    }
}

/// Sees commands, whoever gave them.
struct CommandMonitor {
    lookup: ValidMonitor,
    fill: ValidMonitor,
    invalidate: ValidMonitor,
}

impl CommandMonitor {
    fn new(dut: &Dut) -> Outcome<Self> {
        Ok(Self {
            lookup: ValidMonitor::new(dut, "lookup")?,
            fill: ValidMonitor::new(dut, "fill")?,
            invalidate: ValidMonitor::new(dut, "invalidate")?,
        })
    }

    fn sample(&mut self, cycle: u64) -> Outcome<Commands> {
        let lookup = self.lookup.sample(cycle)?.map(|beat| Ok::<_, Error>(field(&beat, "data")? as u16));
        let fill = self.fill.sample(cycle)?.map(|beat| {
            let requester = field(&beat, "requester")? as u16;
            Ok::<_, Error>(Fill { requester, context: context_of(&beat, "context_")? })
        });
        let invalidate = self.invalidate.sample(cycle)?.map(|beat| {
            let scope = field(&beat, "scope")?;
            Ok::<_, Error>(match Scope::ALL.into_iter().find(|known| u64::from(known.number()) == scope) {
                None | Some(Scope::Global) => Invalidation::Global,
                Some(Scope::Domain) => Invalidation::Domain(field(&beat, "domain")?),
                Some(Scope::Device) => Invalidation::Device {
                    requester: field(&beat, "requester")? as u16,
                    function_mask: field(&beat, "function_mask")? as u8,
                },
            })
        });
        Ok(Commands { lookup: lookup.transpose()?, fill: fill.transpose()?, invalidate: invalidate.transpose()? })
    }
}

/// Sees answers.
struct AnswerMonitor {
    hit: ValidMonitor,
    miss: Probe,
}

fn with_context(beat: Beat, prefix: &str, context: &Context) -> Result<Beat, Error> {
    let Context { domain, page_table, pass_through, fault_processing_disable, active } = *context;
    let fields = [
        ("domain", domain),
        ("page_table", page_table),
        ("pass_through", pass_through.into()),
        ("fault_processing_disable", fault_processing_disable.into()),
        ("active", active.into()),
    ];
    fields.into_iter().try_fold(beat, |beat, (name, value)| beat.with(&format!("{prefix}{name}"), value))
}

fn context_of(beat: &Beat, prefix: &str) -> Result<Context, Error> {
    let number = |name: &str| field(beat, &format!("{prefix}{name}"));
    let flag = |name: &str| Ok::<_, Error>(number(name)? == 1);
    Ok(Context {
        domain: number("domain")?,
        page_table: number("page_table")?,
        pass_through: flag("pass_through")?,
        fault_processing_disable: flag("fault_processing_disable")?,
        active: flag("active")?,
    })
}

fn field(beat: &Beat, name: &str) -> Result<u64, Error> {
    Ok(beat.get(beat.layout().field(name)?))
}

/// The context cache between its drivers and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    driver: Driver,
    commands: CommandMonitor,
    answers: AnswerMonitor,
    golden: ContextCache,
    /// Commands, and what the golden model answered and the ports have yet to show; the next first.
    due: VecDeque<(Commands, Option<Answer>)>,
    hits: Scoreboard,
}

impl<'a> Testbench<'a> {
    /// The context cache of a configuration after reset.
    fn new(dut: &'a mut Dut, config: &Config, seed: u64) -> Outcome<Self> {
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            driver: Driver::new(dut, seed)?,
            commands: CommandMonitor::new(dut)?,
            answers: AnswerMonitor { hit: ValidMonitor::new(dut, "hit")?, miss: dut.probe("miss")?.of_width(1)? },
            golden: ContextCache::new(config),
            due: VecDeque::new(),
            hits: Scoreboard::new("hit"),
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
            self.answers.hit.sample(cycle)?;
            if held > 0 && self.answers.miss.is_set() {
                return Err(Failure::other(format!("cycle {cycle}: a miss is answered in reset")));
            }
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        self.due = vec![Default::default(); LATENCY].into();
        Ok(())
    }

    /// One cycle; gives what the golden model answers to the lookup.
    fn cycle(&mut self, commands: &Commands) -> Outcome<Option<Answer>> {
        self.driver.drive(commands)?;
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        let (asked, due) = self.due.pop_front().expect("an answer is due in every cycle");
        self.judge(cycle, due).map_err(|failure| failure.with_note(shown(&asked)))?;
        let asked = self.commands.sample(cycle)?;
        let answer = self.golden.step(&asked);
        self.due.push_back((asked, answer));
        self.dut.step(self.timing.clk)?;
        Ok(answer)
    }

    /// Compares what the ports show with what is due: all of it, in this cycle, and nothing else.
    fn judge(&mut self, cycle: u64, due: Option<Answer>) -> Outcome {
        if let Some(Answer::Hit(context)) = due {
            let blank = self.answers.hit.layout().beat();
            self.hits.expect(with_context(blank, "", &context)?);
        }
        if let Some(beat) = self.answers.hit.sample(cycle)? {
            self.hits.check(cycle, &beat)?;
        }
        self.hits.finish(cycle)?;
        let [rtl, golden] = [self.answers.miss.is_set(), due == Some(Answer::Miss)].map(u8::from);
        if rtl != golden { Err(Failure::mismatch(cycle, "lookup", "miss", rtl, golden)) } else { Ok(()) }
    }

    /// Lets the last answers come.
    fn finish(&mut self) -> Outcome {
        (0..LATENCY).try_for_each(|_| self.cycle(&Commands::default()).map(drop))
    }

    fn fill(&mut self, requester: u16, context: Context) -> Outcome {
        self.cycle(&filling(requester, context)).map(drop)
    }

    fn invalidate(&mut self, invalidation: Invalidation) -> Outcome {
        self.cycle(&Commands { invalidate: Some(invalidation), ..Commands::default() }).map(drop)
    }

    /// Looks a requester up; gives its context, if it is found.
    fn look_up(&mut self, requester: u16) -> Outcome<Option<Context>> {
        Ok(match self.cycle(&Commands { lookup: Some(requester), ..Commands::default() })? {
            Some(Answer::Hit(context)) => Some(context),
            _ => None,
        })
    }
}

fn filling(requester: u16, context: Context) -> Commands {
    Commands { fill: Some(Fill { requester, context }), ..Commands::default() }
}

/// The commands of a cycle in words, for the reader of a mismatch.
fn shown(commands: &Commands) -> String {
    let lookup = commands.lookup.map(|requester| format!("look up {requester:#06x}"));
    let fill = commands.fill.map(|fill| format!("fill {:#06x}: {:x?}", fill.requester, fill.context));
    let invalidate = commands.invalidate.map(|invalidation| match invalidation {
        Invalidation::Global => "invalidate everything".into(),
        Invalidation::Domain(domain) => format!("invalidate domain {domain:#x}"),
        Invalidation::Device { requester, function_mask } => {
            format!("invalidate {requester:#06x} with FM {function_mask}")
        }
    });
    let all: Vec<_> = [lookup, fill, invalidate].into_iter().flatten().collect();
    if all.is_empty() { "no command".into() } else { all.join(", ") }
}

/// The numbers of a configuration that the stimulus is made of.
#[derive(Clone, Copy)]
struct Limits {
    entries: u16,
    domain_bits: u32,
    frame_bits: u32,
}

impl Limits {
    fn of(config: &Config) -> Self {
        Self {
            entries: config.context_cache.entries as u16,
            domain_bits: config.iotlb.domain_bits,
            frame_bits: config.pte.frame_bits(),
        }
    }

    fn any_domain(self, rng: &mut dyn Rng) -> u64 {
        rng.random_range(0..1 << self.domain_bits)
    }

    /// A context of any content.
    fn any_context(self, rng: &mut dyn Rng) -> Context {
        Context {
            domain: self.any_domain(rng),
            page_table: rng.random_range(0..1 << self.frame_bits),
            pass_through: rng.random(),
            fault_processing_disable: rng.random(),
            active: rng.random(),
        }
    }
}

/// A context that says nothing but its domain.
fn bare(domain: u64) -> Context {
    Context { domain, page_table: 0, pass_through: false, fault_processing_disable: false, active: false }
}

/// Runs `test` over `seeds` in every configuration; `coverage` has the bins that the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: Coverage,
    test: impl Fn(&mut Testbench<'_>, Limits, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let limits = Limits::of(&config);
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage.clone());
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config, *seed)?;
            test(&mut testbench, limits, rng, coverage)?;
            testbench.finish()
        });
    }
}

/// Answers come in the cycle after the lookup and stay for that cycle; watched at the ports, without the testbench.
#[test]
fn answers_come_after_one_cycle() {
    for config in configurations() {
        let run = tb::run(module_path!(), "answers_come_after_one_cycle", &config).seeds(2);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, .. } = bench;
            let timing = ClockAndReset::of(dut)?;
            let mut driver = Driver::new(dut, *seed)?;
            let (hit, miss) = (dut.probe("hit_valid")?, dut.probe("miss")?);
            driver.drive(&Commands::default())?;
            timing.reset(dut)?;
            let both = Commands { lookup: Some(5), ..filling(5, bare(1)) };
            let none = Commands::default();
            let lookup = Commands { lookup: Some(5), ..none };
            let mut seen = Vec::new();
            for commands in [&both, &none, &lookup, &lookup, &none, &none] {
                driver.drive(commands)?;
                dut.eval()?;
                seen.push((hit.is_set(), miss.is_set()));
                dut.step(timing.clk)?;
            }
            // The first lookup comes with the fill of its requester, and is too early to find it.
            let expected =
                [(false, false), (false, true), (false, false), (true, false), (true, false), (false, false)];
            assert_eq!(seen, expected, "(hit_valid, miss) of each cycle");
            Ok(())
        });
    }
}

/// One lookup and one fill in every cycle, each lookup of what was filled one cycle before: all hit.
#[test]
fn one_lookup_and_one_fill_every_cycle() {
    check("one_lookup_and_one_fill_every_cycle", 1, Coverage::new(), |testbench, limits, rng, _| {
        let mut last: Option<u16> = None;
        for _ in 0..2_000 {
            let requester = rng.random();
            let commands = Commands { lookup: last, ..filling(requester, limits.any_context(rng)) };
            let answer = testbench.cycle(&commands)?;
            assert!(matches!(answer, Some(Answer::Hit(_))) == last.is_some(), "{}", shown(&commands));
            last = Some(requester);
        }
        Ok(())
    });
}

/// Every bit of a context comes back, alone and with all others, from every entry.
#[test]
fn every_bit_of_a_context() {
    check("every_bit_of_a_context", 1, Coverage::new(), |testbench, limits, rng, _| {
        let mut contexts = vec![bare(0)];
        contexts.extend((0..limits.domain_bits).map(|bit| bare(1 << bit)));
        contexts.extend((0..limits.frame_bits).map(|bit| Context { page_table: 1 << bit, ..bare(0) }));
        contexts.push(Context { pass_through: true, ..bare(0) });
        contexts.push(Context { fault_processing_disable: true, ..bare(0) });
        contexts.push(Context { active: true, ..bare(0) });
        contexts.extend((0..4 * limits.entries).map(|_| limits.any_context(rng)));
        for (requester, context) in (0..).zip(contexts) {
            testbench.fill(requester, context)?;
            assert_eq!(testbench.look_up(requester)?, Some(context));
        }
        Ok(())
    });
}

/// A context is found for its requester alone: every bit of bus, device and function counts.
#[test]
fn every_bit_of_a_requester() {
    check("every_bit_of_a_requester", 4, Coverage::new(), |testbench, limits, rng, _| {
        for _ in 0..limits.entries {
            let requester: u16 = rng.random();
            testbench.invalidate(Invalidation::Global)?;
            testbench.fill(requester, limits.any_context(rng))?;
            for bit in 0..REQUESTER_BITS {
                let other = requester ^ 1 << bit;
                assert_eq!(testbench.look_up(other)?, None, "{other:#06x} beside {requester:#06x}");
            }
            assert!(testbench.look_up(requester)?.is_some());
        }
        Ok(())
    });
}

/// Every function mask, on requesters that differ in each bit: it goes if and only if the mask ignores the bit.
#[test]
fn every_function_mask() {
    check("every_function_mask", 4, Coverage::new(), |testbench, limits, rng, _| {
        let ignored: [&[u32]; 1 << FUNCTION_MASK_BITS] = [&[], &[2], &[2, 1], &[2, 1, 0]];
        for (function_mask, ignored) in (0..).zip(ignored) {
            let requester = rng.random();
            for bit in 0..REQUESTER_BITS {
                let other = requester ^ 1 << bit;
                testbench.fill(other, limits.any_context(rng))?;
                testbench.invalidate(Invalidation::Device { requester, function_mask })?;
                let goes = testbench.look_up(other)?.is_none();
                assert_eq!(goes, ignored.contains(&bit), "FM {function_mask} of {requester:#06x}, {other:#06x}");
            }
            testbench.fill(requester, limits.any_context(rng))?;
            testbench.invalidate(Invalidation::Device { requester, function_mask })?;
            assert_eq!(testbench.look_up(requester)?, None);
        }
        Ok(())
    });
}

/// A full cache of two domains, invalidated by domain and as a whole.
#[test]
fn every_scope() {
    check("every_scope", 4, Coverage::new(), |testbench, limits, rng, _| {
        let one = limits.any_domain(rng);
        let other = one ^ 1 << rng.random_range(0..limits.domain_bits);
        let first: u16 = rng.random();
        for invalidation in [Invalidation::Domain(one), Invalidation::Domain(other), Invalidation::Global] {
            let all =
                (0..limits.entries).map(|number| (first.wrapping_add(number), [one, other][usize::from(number % 2)]));
            for (requester, domain) in all.clone() {
                testbench.fill(requester, Context { domain, ..limits.any_context(rng) })?;
            }
            for (requester, _) in all.clone() {
                assert!(testbench.look_up(requester)?.is_some(), "one of as many as there are entries");
            }
            testbench.invalidate(invalidation)?;
            for (requester, domain) in all {
                let stays = invalidation != Invalidation::Global && invalidation != Invalidation::Domain(domain);
                assert_eq!(
                    testbench.look_up(requester)?.is_some(),
                    stays,
                    "domain {domain:#x} after {invalidation:x?}"
                );
            }
        }
        Ok(())
    });
}

/// A reserved scope is global.
#[test]
fn a_scope_without_meaning() {
    for config in configurations() {
        let run = tb::run(module_path!(), "a_scope_without_meaning", &config).seeds(2);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, *seed)?;
            let found = testbench.dut.probe("hit_valid")?;
            let scope = testbench.dut.input("invalidate_data_scope")?;
            let mut ask = |commands: Commands| -> Outcome<bool> {
                testbench.driver.drive(&commands)?;
                scope.set(0);
                testbench.dut.step(testbench.timing.clk)?;
                testbench.dut.eval()?;
                Ok(found.is_set())
            };
            let lookup = Commands { lookup: Some(5), ..Commands::default() };
            ask(filling(5, bare(1)))?;
            assert!(ask(lookup)?, "it is there");
            let elsewhere = Invalidation::Device { requester: 6, function_mask: 0 };
            ask(Commands { invalidate: Some(elsewhere), ..Commands::default() })?;
            assert!(!ask(lookup)?, "a reserved scope forgets everything");
            Ok(())
        });
    }
}

/// What meets in one cycle is judged on the state before it; a fill beside an invalidation does nothing.
#[test]
fn commands_that_meet() {
    check("commands_that_meet", 1, Coverage::new(), |testbench, limits, rng, _| {
        for requester in 0..limits.entries {
            let [old, new] = [1, 2].map(bare);
            let asked = |commands| Commands { lookup: Some(requester), ..commands };
            // A lookup does not see what is filled beside it, and sees what is replaced or forgotten beside it.
            assert_eq!(testbench.cycle(&asked(filling(requester, old)))?, Some(Answer::Miss));
            assert_eq!(testbench.cycle(&asked(filling(requester, new)))?, Some(Answer::Hit(old)));
            let leaving = Invalidation::Device { requester, function_mask: 0 };
            let leaving = Commands { invalidate: Some(leaving), ..Commands::default() };
            assert_eq!(testbench.cycle(&asked(leaving))?, Some(Answer::Hit(new)));
            assert_eq!(testbench.look_up(requester)?, None);
            // Whatever is invalidated, the fill is dropped, and what it would have replaced stays.
            let elsewhere = requester ^ 0x100;
            for invalidation in [
                Invalidation::Global,
                Invalidation::Domain(3),
                Invalidation::Device { requester: elsewhere, function_mask: rng.random_range(0..4) },
            ] {
                let both = Commands { invalidate: Some(invalidation), ..filling(requester, old) };
                testbench.cycle(&both)?;
                assert_eq!(testbench.look_up(requester)?, None, "{}", shown(&both));
            }
            testbench.fill(requester, old)?;
            testbench.cycle(&Commands { invalidate: Some(Invalidation::Domain(3)), ..filling(requester, new) })?;
            assert_eq!(testbench.look_up(requester)?, Some(old));
            // The domain of a fill that meets an invalidation does not count.
            testbench.cycle(&Commands { invalidate: Some(Invalidation::Domain(1)), ..filling(elsewhere, new) })?;
            assert_eq!([testbench.look_up(requester)?, testbench.look_up(elsewhere)?], [None, None]);
        }
        Ok(())
    });
}

/// A requester has one context, the last one filled, wherever it is; its domain of before is forgotten.
#[test]
fn a_fill_takes_the_place_of_the_same_requester() {
    check("a_fill_takes_the_place_of_the_same_requester", 2, Coverage::new(), |testbench, limits, rng, _| {
        let requesters = 0..limits.entries;
        for requester in requesters.clone() {
            testbench.fill(requester, bare(1))?;
        }
        for requester in requesters.clone() {
            let context = Context { domain: 2, ..limits.any_context(rng) };
            testbench.fill(requester, context)?;
            assert_eq!(testbench.look_up(requester)?, Some(context));
        }
        testbench.invalidate(Invalidation::Domain(1))?;
        for requester in requesters.clone() {
            assert!(testbench.look_up(requester)?.is_some(), "{requester:#06x} is of domain 2 now");
        }
        testbench.invalidate(Invalidation::Domain(2))?;
        for requester in requesters {
            assert_eq!(testbench.look_up(requester)?, None);
        }
        Ok(())
    });
}

/// More requesters than entries: the first free entry is taken, and else they make room in turn, several times round.
#[test]
fn replacement() {
    check("replacement", 4, Coverage::new(), |testbench, limits, rng, _| {
        // From empty, as many as there are entries stay; each one more takes the place of the one that came first.
        for requester in 0..3 * limits.entries {
            testbench.fill(requester, limits.any_context(rng))?;
            for before in 0..=requester {
                let stays = before + limits.entries > requester;
                assert_eq!(testbench.look_up(before)?.is_some(), stays, "{before:#06x} after {requester:#06x}");
            }
        }
        // With entries that were freed in between.
        for _ in 0..20 * limits.entries {
            let requester = rng.random_range(0..limits.entries + 3);
            if rng.random_bool(0.2) {
                testbench.invalidate(Invalidation::Device { requester, function_mask: 0 })?;
            } else {
                testbench.fill(requester, limits.any_context(rng))?;
            }
            testbench.look_up(rng.random_range(0..limits.entries + 3))?;
        }
        Ok(())
    });
}

/// Commands of all kinds that often meet, on few requesters in few domains.
#[test]
fn random() {
    let coverage = Coverage::new()
        .point("lookup", ["none", "hit", "miss"])
        .point("fill", ["none", "some"])
        .point("invalidate", ["none", "global", "domain", "device"])
        .cross(["lookup", "fill", "invalidate"])
        .point("in place of", ["a free entry", "the same requester", "another requester"])
        .point("forgotten", ["none", "one", "several"])
        .point("by", ["global", "domain", "device"])
        .cross(["by", "forgotten"]);
    check("random", 8, coverage, |testbench, limits, rng, coverage| {
        let mut traffic = Traffic::new(limits, rng);
        for phase in 0..4 {
            traffic.invalidates = [0.02, 0.3][phase % 2];
            for _ in 0..1_500 {
                let commands = traffic.commands(rng);
                let before = testbench.golden.clone();
                let answer = testbench.cycle(&commands)?;
                cover(coverage, limits, &before, &testbench.golden, &commands, answer);
            }
        }
        Ok(())
    });
}

/// Commands on few requesters.
struct Traffic {
    limits: Limits,
    /// More than there are entries, some of them functions of one device.
    requesters: Vec<u16>,
    /// Half as many as there are entries.
    domains: Vec<u64>,
    /// How often something is invalidated.
    invalidates: f64,
}

impl Traffic {
    fn new(limits: Limits, rng: &mut dyn Rng) -> Self {
        let devices: Vec<u16> = (0..3).map(|_| rng.random()).collect();
        let requesters = (0..2 * limits.entries + 4).map(|_| {
            let within = [1, 3, 6][rng.random_range(0..3)];
            devices[rng.random_range(0..devices.len())] ^ rng.random_range(0..1 << within)
        });
        let requesters = requesters.collect();
        let domains = (0..limits.entries / 2).map(|_| limits.any_domain(rng)).collect();
        Self { limits, requesters, domains, invalidates: 0.0 }
    }

    /// A requester in use, or one beside it.
    fn any_requester(&self, rng: &mut dyn Rng) -> u16 {
        let requester = self.requesters[rng.random_range(0..self.requesters.len())];
        if rng.random_bool(0.1) { requester ^ 1 << rng.random_range(0..REQUESTER_BITS) } else { requester }
    }

    fn any_domain(&self, rng: &mut dyn Rng) -> u64 {
        self.domains[rng.random_range(0..self.domains.len())]
    }

    fn commands(&self, rng: &mut dyn Rng) -> Commands {
        let lookup = rng.random_bool(0.8).then(|| self.any_requester(rng));
        let fill = rng.random_bool(0.6).then(|| {
            let context = Context { domain: self.any_domain(rng), ..self.limits.any_context(rng) };
            Fill { requester: self.any_requester(rng), context }
        });
        let invalidate = rng.random_bool(self.invalidates).then(|| match rng.random_range(0..16) {
            0 | 1 => Invalidation::Global,
            2..5 => Invalidation::Domain(self.any_domain(rng)),
            _ => Invalidation::Device { requester: self.any_requester(rng), function_mask: rng.random_range(0..4) },
        });
        Commands { lookup, fill, invalidate }
    }
}

/// Counts what a cycle was a case of.
fn cover(
    coverage: &mut Coverage,
    limits: Limits,
    before: &ContextCache,
    after: &ContextCache,
    commands: &Commands,
    answer: Option<Answer>,
) {
    let lookup = match answer {
        None => "none",
        Some(Answer::Miss) => "miss",
        Some(Answer::Hit(_)) => "hit",
    };
    let fill = if commands.fill.is_some() { "some" } else { "none" };
    let invalidate = match commands.invalidate {
        None => "none",
        Some(Invalidation::Global) => "global",
        Some(Invalidation::Domain(_)) => "domain",
        Some(Invalidation::Device { .. }) => "device",
    };
    coverage.sample(&[("lookup", lookup), ("fill", fill), ("invalidate", invalidate)]);
    let held = |cache: &ContextCache| cache.live().map(|fill| fill.requester).collect::<BTreeSet<u16>>();
    let (had, has) = (held(before), held(after));
    match (commands.invalidate, commands.fill) {
        (Some(_), _) => {
            let gone = had.difference(&has).count();
            coverage.sample(&[("by", invalidate), ("forgotten", ["none", "one", "several"][gone.min(2)])]);
        }
        (None, Some(fill)) => {
            let replaced = match had.contains(&fill.requester) {
                true => "the same requester",
                false if had.len() == usize::from(limits.entries) => "another requester",
                false => "a free entry",
            };
            coverage.sample(&[("in place of", replaced)]);
        }
        (None, None) => {}
    }
}

/// Resets of one cycle or more at any time: what was kept, the answers under way and the commands in reset are lost.
#[test]
fn reset_in_the_middle() {
    let coverage = Coverage::new().point("cycles of reset", ["1", "2", "3"]);
    check("reset_in_the_middle", 4, coverage, |testbench, limits, rng, coverage| {
        let traffic = Traffic { invalidates: 0.01, ..Traffic::new(limits, rng) };
        for _ in 0..30 {
            for _ in 0..rng.random_range(1..4 * limits.entries) {
                testbench.cycle(&traffic.commands(rng))?;
            }
            let lost: Vec<Commands> = (0..rng.random_range(1..=3)).map(|_| traffic.commands(rng)).collect();
            testbench.reset(&lost)?;
            coverage.sample(&[("cycles of reset", ["1", "2", "3"][lost.len() - 1])]);
            for requester in traffic.requesters.clone() {
                assert_eq!(testbench.look_up(requester)?, None, "reset forgets");
            }
        }
        Ok(())
    });
}

/// Within a cycle, nothing goes from the commands to the answers.
#[test]
fn no_path_to_the_answers() {
    for config in configurations() {
        let run = tb::run(module_path!(), "no_path_to_the_answers", &config).seeds(4);
        run.check(&model(&config, MODULE), |bench| rules::no_path(&mut bench.dut, &mut bench.rng));
    }
}

/// After reset, nothing that counts depends on what the registers and the memory held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &model(&config, MODULE), |dut, seed| {
            let limits = Limits::of(&config);
            let mut driver = Driver::new(dut, seed)?;
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let traffic = Traffic { invalidates: 0.01, ..Traffic::new(limits, &mut rng) };
            Ok(move |_| driver.drive(&traffic.commands(&mut rng)).expect("commands fit the ports"))
        });
    }
}
