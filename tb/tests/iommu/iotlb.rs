//! The IOTLB: every answer is the golden model's, one cycle after its lookup.

use std::collections::{BTreeSet, VecDeque};

use rand::{Rng, RngExt, SeedableRng};
use tb::{ClockAndReset, RESET_CYCLES, ValidDriver, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{Beat, Bench, Coverage, Dut, Error, Failure, Outcome, Probe, Scoreboard};
use tollgate_golden::iommu::iotlb::{Answer, Commands, Fill, Invalidation, Iotlb, Page, Translation};
use tollgate_spec::config::{Config, Replacement};
use tollgate_spec::iotlb::{
    ADDRESS_MASK_BITS,
    PageSize::{self, *},
    Scope,
};

const MODULE: &str = "iommu_iotlb";

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
        let lookup = commands.lookup.map(|page| with_page(self.lookup.layout().beat(), "", page));
        let fill = commands.fill.map(|Fill { page, translation }| {
            let beat = with_page(self.fill.layout().beat(), "page_", page)?;
            with_translation(beat, "translation_", &translation)
        });
        let invalidate = commands.invalidate.map(|invalidation| {
            let (scope, page, mask) = match invalidation {
                Invalidation::Global => (Scope::Global, None, None),
                Invalidation::Domain(domain) => (Scope::Domain, Some(Page { domain, number: 0 }), None),
                Invalidation::Page { page, address_mask } => (Scope::Page, Some(page), Some(address_mask)),
            };
            let beat = self.invalidate.layout().beat().with("scope", scope.number())?;
            let beat = with_page(beat, "page_", page.unwrap_or(Page { domain: 0, number: 0 }))?;
            beat.with("address_mask", mask.unwrap_or(0))
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
        let lookup = self.lookup.sample(cycle)?.map(|beat| page_of(&beat, ""));
        let fill = self.fill.sample(cycle)?.map(|beat| {
            let translation = translation_of(&beat, "translation_")?;
            Ok::<_, Error>(Fill { page: page_of(&beat, "page_")?, translation })
        });
        let invalidate = self.invalidate.sample(cycle)?.map(|beat| {
            let page = page_of(&beat, "page_")?;
            let scope = field(&beat, "scope")?;
            Ok::<_, Error>(match Scope::ALL.into_iter().find(|known| u64::from(known.number()) == scope) {
                None | Some(Scope::Global) => Invalidation::Global,
                Some(Scope::Domain) => Invalidation::Domain(page.domain),
                Some(Scope::Page) => Invalidation::Page { page, address_mask: field(&beat, "address_mask")? as u32 },
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

fn with_page(beat: Beat, prefix: &str, page: Page) -> Result<Beat, Error> {
    beat.with(&format!("{prefix}domain"), page.domain)?.with(&format!("{prefix}number"), page.number)
}

fn page_of(beat: &Beat, prefix: &str) -> Result<Page, Error> {
    let number = |name: &str| field(beat, &format!("{prefix}{name}"));
    Ok(Page { domain: number("domain")?, number: number("number")? })
}

fn with_translation(beat: Beat, prefix: &str, translation: &Translation) -> Result<Beat, Error> {
    let Translation { frame, size, iuid, .. } = *translation;
    let numbers = [("frame", frame), ("size", size.number().into()), ("iuid", iuid)];
    let flags = flags(translation).map(|(name, flag)| (name, u64::from(flag)));
    numbers.into_iter().chain(flags).try_fold(beat, |beat, (name, value)| beat.with(&format!("{prefix}{name}"), value))
}

fn translation_of(beat: &Beat, prefix: &str) -> Result<Translation, Error> {
    let number = |name: &str| field(beat, &format!("{prefix}{name}"));
    let flag = |name: &str| Ok::<_, Error>(number(name)? == 1);
    let size = number("size")?;
    Ok(Translation {
        frame: number("frame")?,
        size: PageSize::ALL.into_iter().find(|known| u64::from(known.number()) == size).unwrap_or(FourKib),
        read: flag("read")?,
        write: flag("write")?,
        write_log: flag("write_log")?,
        write_log_data: flag("write_log_data")?,
        read_log: flag("read_log")?,
        read_log_data: flag("read_log_data")?,
        active_destination: flag("active_destination")?,
        iuid: number("iuid")?,
    })
}

/// The bits of a translation that stand alone, with the names of their ports.
fn flags(translation: &Translation) -> [(&'static str, bool); 7] {
    [
        ("read", translation.read),
        ("write", translation.write),
        ("write_log", translation.write_log),
        ("write_log_data", translation.write_log_data),
        ("read_log", translation.read_log),
        ("read_log_data", translation.read_log_data),
        ("active_destination", translation.active_destination),
    ]
}

fn field(beat: &Beat, name: &str) -> Result<u64, Error> {
    Ok(beat.get(beat.layout().field(name)?))
}

/// The IOTLB between its drivers and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    driver: Driver,
    commands: CommandMonitor,
    answers: AnswerMonitor,
    golden: Iotlb,
    /// Commands, and what the golden model answered and the ports have yet to show; the next first.
    due: VecDeque<(Commands, Option<Answer>)>,
    hits: Scoreboard,
}

impl<'a> Testbench<'a> {
    /// The IOTLB of a configuration after reset.
    fn new(dut: &'a mut Dut, config: &Config, seed: u64) -> Outcome<Self> {
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            driver: Driver::new(dut, seed)?,
            commands: CommandMonitor::new(dut)?,
            answers: AnswerMonitor { hit: ValidMonitor::new(dut, "hit")?, miss: dut.probe("miss")?.of_width(1)? },
            golden: Iotlb::new(config),
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
        if let Some(Answer::Hit(translation)) = due {
            let blank = self.answers.hit.layout().beat();
            self.hits.expect(with_translation(blank, "", &translation)?);
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

    fn fill(&mut self, page: Page, translation: Translation) -> Outcome {
        self.cycle(&filling(page, translation)).map(drop)
    }

    fn invalidate(&mut self, invalidation: Invalidation) -> Outcome {
        self.cycle(&Commands { invalidate: Some(invalidation), ..Commands::default() }).map(drop)
    }

    /// Looks a page up; gives its frame, if it is found.
    fn look_up(&mut self, page: Page) -> Outcome<Option<u64>> {
        Ok(match self.cycle(&Commands { lookup: Some(page), ..Commands::default() })? {
            Some(Answer::Hit(translation)) => Some(translation.frame),
            _ => None,
        })
    }
}

fn filling(page: Page, translation: Translation) -> Commands {
    Commands { fill: Some(Fill { page, translation }), ..Commands::default() }
}

/// The commands of a cycle in words, for the reader of a mismatch.
fn shown(commands: &Commands) -> String {
    let page = |page: Page| format!("page {:#x} of domain {:#x}", page.number, page.domain);
    let lookup = commands.lookup.map(|asked| format!("look up {}", page(asked)));
    let fill = commands.fill.map(|fill| format!("fill {}: {:x?}", page(fill.page), fill.translation));
    let invalidate = commands.invalidate.map(|invalidation| match invalidation {
        Invalidation::Global => "invalidate everything".into(),
        Invalidation::Domain(domain) => format!("invalidate domain {domain:#x}"),
        Invalidation::Page { page: of, address_mask } => format!("invalidate {} with AM {address_mask}", page(of)),
    });
    let all: Vec<_> = [lookup, fill, invalidate].into_iter().flatten().collect();
    if all.is_empty() { "no command".into() } else { all.join(", ") }
}

/// The numbers of a configuration that the stimulus is made of.
#[derive(Clone, Copy)]
struct Limits {
    entries: u64,
    ways: u64,
    sets: u64,
    replacement: Replacement,
    domain_bits: u32,
    number_bits: u32,
    frame_bits: u32,
    iuid_bits: u32,
}

impl Limits {
    fn of(config: &Config) -> Self {
        let iotlb = &config.iotlb;
        Self {
            entries: iotlb.entries.into(),
            ways: iotlb.ways.into(),
            sets: iotlb.sets().into(),
            replacement: iotlb.replacement,
            domain_bits: iotlb.domain_bits,
            number_bits: iotlb.page_number_bits(),
            frame_bits: config.pte.frame_bits(),
            iuid_bits: config.pte.iuid_bits(),
        }
    }

    /// A translation of any content.
    fn any_translation(self, rng: &mut dyn Rng, size: PageSize) -> Translation {
        Translation {
            frame: rng.random_range(0..1 << self.frame_bits),
            size,
            read: rng.random(),
            write: rng.random(),
            write_log: rng.random(),
            write_log_data: rng.random(),
            read_log: rng.random(),
            read_log_data: rng.random(),
            active_destination: rng.random(),
            iuid: rng.random_range(0..1 << self.iuid_bits),
        }
    }

    fn any_page(self, rng: &mut dyn Rng) -> Page {
        let (domain, number) = (rng.random_range(0..1 << self.domain_bits), rng.random_range(0..1 << self.number_bits));
        Page { domain, number }
    }
}

/// A translation that says nothing but its frame.
fn bare(frame: u64, size: PageSize) -> Translation {
    Translation {
        frame,
        size,
        read: false,
        write: false,
        write_log: false,
        write_log_data: false,
        read_log: false,
        read_log_data: false,
        active_destination: false,
        iuid: 0,
    }
}

/// Runs `test` over `seeds` in every configuration: two-way and LRU in flip-flops, fully associative and LRU, four-way and
/// random; `coverage` gives the bins that the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(Limits) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, Limits, &mut dyn Rng, &mut Coverage) -> Outcome,
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
fn enumerated(_: Limits) -> Coverage {
    Coverage::new()
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
            let page = Page { domain: 1, number: 5 };
            let both = Commands { lookup: Some(page), ..filling(page, bare(9, FourKib)) };
            let none = Commands::default();
            let lookup = Commands { lookup: Some(page), ..none };
            let mut seen = Vec::new();
            for commands in [&both, &none, &lookup, &lookup, &none, &none] {
                driver.drive(commands)?;
                dut.eval()?;
                seen.push((hit.is_set(), miss.is_set()));
                dut.step(timing.clk)?;
            }
            // The first lookup comes with the fill of its page, and is too early to find it.
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
    check("one_lookup_and_one_fill_every_cycle", 1, enumerated, |testbench, limits, rng, _| {
        let mut last: Option<Page> = None;
        for _ in 0..2_000 {
            let page = limits.any_page(rng);
            let size = PageSize::ALL[rng.random_range(0..3)];
            let commands = Commands { lookup: last, ..filling(page, limits.any_translation(rng, size)) };
            let answer = testbench.cycle(&commands)?;
            assert!(matches!(answer, Some(Answer::Hit(_))) == last.is_some(), "{}", shown(&commands));
            last = Some(page);
        }
        Ok(())
    });
}

/// AA-02: every bit of a translation comes back, alone and with all others, from every entry.
#[test]
fn every_bit_of_a_translation() {
    check("every_bit_of_a_translation", 1, enumerated, |testbench, limits, rng, _| {
        let mut translations = vec![bare(0, FourKib)];
        translations.extend((0..limits.frame_bits).map(|bit| bare(1 << bit, FourKib)));
        translations.extend((0..limits.iuid_bits).map(|bit| Translation { iuid: 1 << bit, ..bare(0, FourKib) }));
        for flag in 0..7 {
            let is = |number| flag == number;
            translations.push(Translation {
                read: is(0),
                write: is(1),
                write_log: is(2),
                write_log_data: is(3),
                read_log: is(4),
                read_log_data: is(5),
                active_destination: is(6),
                ..bare(0, FourKib)
            });
        }
        translations.extend(PageSize::ALL.map(|size| bare(0, size)));
        translations.extend((0..4 * limits.entries).map(|_| limits.any_translation(rng, FourKib)));
        for (number, translation) in (0..).zip(translations) {
            let page = Page { domain: 1, number: number << 18 | number };
            testbench.fill(page, translation)?;
            let answer = testbench.cycle(&Commands { lookup: Some(page), ..Commands::default() })?;
            assert_eq!(answer, Some(Answer::Hit(translation)));
        }
        Ok(())
    });
}

/// A page of each size is found from its first to its last 4 KiB, and in no other domain; every bit above counts.
#[test]
fn every_bit_of_a_page() {
    check("every_bit_of_a_page", 2, enumerated, |testbench, limits, rng, _| {
        for size in PageSize::ALL {
            for _ in 0..4 {
                let page = limits.any_page(rng);
                testbench.invalidate(Invalidation::Global)?;
                testbench.fill(page, limits.any_translation(rng, size))?;
                for bit in 0..limits.number_bits {
                    let other = Page { number: page.number ^ 1 << bit, ..page };
                    let found = testbench.look_up(other)?.is_some();
                    assert_eq!(found, bit < size.inner_bits(), "{other:x?} beside {page:x?} of {}", size.name());
                }
                for bit in 0..limits.domain_bits {
                    let other = Page { domain: page.domain ^ 1 << bit, ..page };
                    assert_eq!(testbench.look_up(other)?, None, "{other:x?} beside {page:x?} of {}", size.name());
                }
                let inner = (1 << size.inner_bits()) - 1;
                for number in [page.number & !inner, page.number | inner] {
                    assert!(testbench.look_up(Page { number, ..page })?.is_some());
                }
            }
        }
        Ok(())
    });
}

/// Every address mask, around pages of every size: a page goes if and only if it overlaps the range, as a whole.
#[test]
fn every_address_mask() {
    check("every_address_mask", 1, enumerated, |testbench, limits, rng, _| {
        for address_mask in 0..1 << ADDRESS_MASK_BITS {
            for size in PageSize::ALL {
                let page = limits.any_page(rng);
                let first = address_mask.max(size.inner_bits());
                // The last bit that does not matter, the first one that does, and one farther up.
                for bit in [first.checked_sub(1), Some(first), Some(first + 3)].into_iter().flatten() {
                    if bit >= limits.number_bits {
                        continue;
                    }
                    testbench.fill(page, limits.any_translation(rng, size))?;
                    let other = Page { number: page.number ^ 1 << bit, ..page };
                    testbench.invalidate(Invalidation::Page { page: other, address_mask })?;
                    let stays = testbench.look_up(page)?.is_some();
                    assert_eq!(stays, bit >= first, "AM {address_mask}, bit {bit}, {}", size.name());
                }
                testbench.fill(page, limits.any_translation(rng, size))?;
                let domain = page.domain ^ 1 << rng.random_range(0..limits.domain_bits);
                testbench.invalidate(Invalidation::Page { page: Page { domain, ..page }, address_mask })?;
                assert!(testbench.look_up(page)?.is_some(), "another domain was invalidated");
            }
        }
        Ok(())
    });
}

/// A full IOTLB of pages of two domains, invalidated by domain and as a whole.
#[test]
fn every_scope() {
    check("every_scope", 4, enumerated, |testbench, limits, rng, _| {
        let [one, other] = [limits.any_page(rng).domain, limits.any_page(rng).domain];
        let other = if one == other { other ^ 1 } else { other };
        let fill_all = |testbench: &mut Testbench<'_>, rng: &mut dyn Rng| -> Outcome<Vec<Page>> {
            let page = |number: u64| Page {
                domain: if (number / limits.sets).is_multiple_of(2) { one } else { other },
                number,
            };
            let pages: Vec<Page> = (0..limits.entries).map(page).collect();
            for page in &pages {
                testbench.fill(*page, limits.any_translation(rng, FourKib))?;
            }
            Ok(pages)
        };
        for invalidation in [Invalidation::Domain(one), Invalidation::Domain(other), Invalidation::Global] {
            let pages = fill_all(testbench, rng)?;
            for page in &pages {
                assert!(testbench.look_up(*page)?.is_some(), "{page:x?} is one of as many as there are entries");
            }
            testbench.invalidate(invalidation)?;
            for page in &pages {
                let stays =
                    !matches!(invalidation, Invalidation::Global) && invalidation != Invalidation::Domain(page.domain);
                assert_eq!(testbench.look_up(*page)?.is_some(), stays, "{page:x?} after {invalidation:x?}");
            }
        }
        Ok(())
    });
}

/// Codes that have no meaning: a reserved scope is global, a reserved size is 4 KiB.
#[test]
fn codes_without_meaning() {
    for config in configurations() {
        let run = tb::run(module_path!(), "codes_without_meaning", &config).seeds(2);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, *seed)?;
            let (page, next) = (Page { domain: 1, number: 1 << 9 }, Page { domain: 1, number: 1 << 9 | 1 });
            let found = testbench.dut.probe("hit_valid")?;
            let (size, scope) =
                (testbench.dut.input("fill_data_translation_size")?, testbench.dut.input("invalidate_data_scope")?);
            let mut ask = |commands: Commands, reserved: (u64, u64)| -> Outcome<bool> {
                testbench.driver.drive(&commands)?;
                size.set(reserved.0);
                scope.set(reserved.1);
                testbench.dut.step(testbench.timing.clk)?;
                testbench.dut.eval()?;
                Ok(found.is_set())
            };
            let lookup = |page| Commands { lookup: Some(page), ..Commands::default() };
            let unlikely = Page { domain: 2, number: 7 };
            let global = Invalidation::Page { page: unlikely, address_mask: 0 };
            ask(filling(page, bare(1, FourKib)), (3, 1))?;
            assert_eq!([ask(lookup(page), (0, 1))?, ask(lookup(next), (0, 1))?], [true, false], "a page of 4 KiB");
            ask(Commands { invalidate: Some(global), ..Commands::default() }, (0, 0))?;
            assert!(!ask(lookup(page), (0, 1))?, "a reserved scope forgets everything");
            Ok(())
        });
    }
}

/// What meets in one cycle is judged on the state before it; a fill beside an invalidation does nothing.
#[test]
fn commands_that_meet() {
    check("commands_that_meet", 1, enumerated, |testbench, limits, rng, _| {
        for number in 0..limits.entries {
            let page = Page { domain: 1, number };
            let [old, new] = [1, 2].map(|frame| bare(frame, FourKib));
            let asked = |commands| Commands { lookup: Some(page), ..commands };
            // A lookup does not see what is filled beside it, and sees what is replaced or forgotten beside it.
            assert_eq!(testbench.cycle(&asked(filling(page, old)))?, Some(Answer::Miss));
            assert_eq!(testbench.cycle(&asked(filling(page, new)))?, Some(Answer::Hit(old)));
            let leaving =
                Commands { invalidate: Some(Invalidation::Page { page, address_mask: 0 }), ..Commands::default() };
            assert_eq!(testbench.cycle(&asked(leaving))?, Some(Answer::Hit(new)));
            assert_eq!(testbench.look_up(page)?, None);
            // Whatever is invalidated, the fill is dropped, and what it would have replaced stays.
            let elsewhere = Page { domain: 2, number };
            for invalidation in [
                Invalidation::Global,
                Invalidation::Domain(2),
                Invalidation::Page { page: elsewhere, address_mask: rng.random_range(0..36) },
            ] {
                let both = Commands { invalidate: Some(invalidation), ..filling(page, old) };
                testbench.cycle(&both)?;
                assert_eq!(testbench.look_up(page)?, None, "{}", shown(&both));
            }
            testbench.fill(page, old)?;
            testbench.cycle(&Commands { invalidate: Some(Invalidation::Domain(2)), ..filling(page, new) })?;
            assert_eq!(testbench.look_up(page)?, Some(old.frame));
            // The page of a fill that meets an invalidation is no more than a page of that invalidation's domain.
            testbench.cycle(&Commands { invalidate: Some(Invalidation::Domain(1)), ..filling(elsewhere, new) })?;
            assert_eq!([testbench.look_up(page)?, testbench.look_up(elsewhere)?], [None, None]);
        }
        Ok(())
    });
}

/// Two pages of one domain never both match: a fill takes the place of all that overlap it, for every two sizes, in both
/// orders and wherever they are in each other.
#[test]
fn a_fill_takes_the_place_of_what_overlaps() {
    check("a_fill_takes_the_place_of_what_overlaps", 4, enumerated, |testbench, limits, rng, _| {
        for before in PageSize::ALL {
            for after in PageSize::ALL {
                let page = limits.any_page(rng);
                let inner = (1_u64 << before.inner_bits().max(after.inner_bits())) - 1;
                let other = Page { number: page.number & !inner | rng.next_u64() & inner, ..page };
                let elsewhere = Page { domain: page.domain ^ 1, ..page };
                testbench.invalidate(Invalidation::Global)?;
                testbench.fill(elsewhere, bare(1, before))?;
                testbench.fill(page, bare(2, before))?;
                testbench.fill(other, bare(3, after))?;
                let of = |size: PageSize, page: Page| page.number >> size.inner_bits();
                let same = of(after, page) == of(after, other);
                let message = format!("{} under {}: {page:x?}, {other:x?}", before.name(), after.name());
                assert_eq!(testbench.look_up(other)?, Some(3), "{message}");
                assert_eq!(testbench.look_up(page)?, same.then_some(3), "{message}");
                assert_eq!(testbench.look_up(elsewhere)?, Some(1), "{message}");
            }
        }
        // All 4 KiB that an IOTLB holds of a 2 MiB page go at once, whatever set they are in.
        let domain = 3;
        for number in 0..limits.entries {
            testbench.fill(Page { domain, number }, bare(number, FourKib))?;
        }
        testbench.fill(Page { domain, number: 5 }, bare(7, TwoMib))?;
        for number in 0..limits.entries {
            assert_eq!(testbench.look_up(Page { domain, number })?, Some(7));
        }
        assert_eq!(testbench.golden.live().filter(|fill| fill.page.domain == domain).count(), 1);
        Ok(())
    });
}

/// Pages of one set push each other out and no page of another; which one goes is the replacement's choice (AA-59).
#[test]
fn replacement() {
    check("replacement", 4, enumerated, |testbench, limits, rng, _| {
        for size in PageSize::ALL {
            let inner = size.inner_bits();
            for set in 0..limits.sets {
                testbench.invalidate(Invalidation::Global)?;
                // One page of each other set, which stays.
                let others = (0..limits.sets).filter(|other| *other != set);
                let others: Vec<Page> = others.map(|other| Page { domain: 1, number: other << inner }).collect();
                for page in &others {
                    testbench.fill(*page, bare(1, size))?;
                }
                // More pages of the set than it holds, tagged apart by their domains where the address has no room.
                let pages: Vec<Page> = (0..limits.ways + 4)
                    .map(|number| Page { domain: 2 + number % 8, number: (set + number / 8 * limits.sets) << inner })
                    .collect();
                for _ in 0..6 * limits.ways.min(16) {
                    let page = pages[rng.random_range(0..pages.len())];
                    let (lookup, fill) =
                        (pages[rng.random_range(0..pages.len())], Fill { page, translation: bare(2, size) });
                    let fill = rng.random_bool(0.6).then_some(fill);
                    testbench.cycle(&Commands { lookup: Some(lookup), fill, invalidate: None })?;
                }
                let mut left = 0;
                for page in &pages {
                    left += u64::from(testbench.look_up(*page)?.is_some());
                }
                assert!(left <= limits.ways, "{left} pages in a set of {}", limits.ways);
                for page in &others {
                    assert_eq!(testbench.look_up(*page)?, Some(1), "{page:x?} is in another set");
                }
            }
        }
        Ok(())
    });
}

/// Commands of all kinds that often meet, on few pages of all sizes in few domains.
#[test]
fn random() {
    let coverage = |limits: Limits| {
        let sizes = PageSize::ALL.map(PageSize::name);
        let replaced = if limits.replacement == Replacement::Lru { "lru" } else { "random" };
        Coverage::new()
            .point("lookup", ["none", "4 KiB", "2 MiB", "1 GiB", "miss"])
            .point("fill", ["none", "4 KiB", "2 MiB", "1 GiB"])
            .point("invalidate", ["none", "global", "domain", "page"])
            .cross(["lookup", "fill", "invalidate"])
            .point("filled", sizes)
            .point("in place of", ["a free way", "what overlaps", replaced])
            .cross(["filled", "in place of"])
            .point("forgotten", ["none", "one", "several"])
            .point("superpage hit at", ["its first 4 KiB", "another"])
    };
    check("random", 8, coverage, |testbench, limits, rng, coverage| {
        let mut traffic = Traffic::new(limits, rng);
        for phase in 0..4 {
            traffic.invalidates = [0.004, 0.3][phase % 2];
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

/// Commands on few pages.
struct Traffic {
    limits: Limits,
    /// Pages that translations are filled for, with their sizes: more than there are entries, some within others.
    pages: Vec<(Page, PageSize)>,
    /// How often something is invalidated.
    invalidates: f64,
}

impl Traffic {
    fn new(limits: Limits, rng: &mut dyn Rng) -> Self {
        let roots: Vec<Page> = (0..2).map(|_| limits.any_page(rng)).collect();
        let pages = (0..2 * limits.entries + 8).map(|_| {
            let root = roots[rng.random_range(0..roots.len())];
            let within = [2, 4, 10, 20][rng.random_range(0..4)];
            let number = root.number ^ rng.random_range(0..1 << within);
            let size = [FourKib, FourKib, FourKib, FourKib, TwoMib, OneGib][rng.random_range(0..6)];
            (Page { number, ..root }, size)
        });
        Self { limits, pages: pages.collect(), invalidates: 0.0 }
    }

    fn any(&self, rng: &mut dyn Rng) -> (Page, PageSize) {
        self.pages[rng.random_range(0..self.pages.len())]
    }

    /// A page in use, or one beside it, or the start of it.
    fn any_page(&self, rng: &mut dyn Rng) -> Page {
        let (page, size) = self.any(rng);
        match rng.random_range(0..8) {
            0 => Page { number: page.number ^ 1 << rng.random_range(0..self.limits.number_bits), ..page },
            1 => Page { domain: page.domain ^ 1 << rng.random_range(0..self.limits.domain_bits), ..page },
            2 => Page { number: page.number >> size.inner_bits() << size.inner_bits(), ..page },
            _ => page,
        }
    }

    fn commands(&self, rng: &mut dyn Rng) -> Commands {
        let lookup = rng.random_bool(0.8).then(|| self.any_page(rng));
        let fill = rng.random_bool(0.6).then(|| {
            let (page, size) = self.any(rng);
            Fill { page, translation: self.limits.any_translation(rng, size) }
        });
        let invalidate = rng.random_bool(self.invalidates).then(|| match rng.random_range(0..16) {
            0 => Invalidation::Global,
            1 | 2 => Invalidation::Domain(self.any_page(rng).domain),
            3 => Invalidation::Page { page: self.any_page(rng), address_mask: rng.random_range(0..64) },
            _ => Invalidation::Page { page: self.any_page(rng), address_mask: rng.random_range(0..4) },
        });
        Commands { lookup, fill, invalidate }
    }
}

/// Counts what a cycle was a case of.
fn cover(
    coverage: &mut Coverage,
    limits: Limits,
    before: &Iotlb,
    after: &Iotlb,
    commands: &Commands,
    answer: Option<Answer>,
) {
    let lookup = match answer {
        None => "none",
        Some(Answer::Miss) => "miss",
        Some(Answer::Hit(translation)) => translation.size.name(),
    };
    let fill = commands.fill.map_or("none", |fill| fill.translation.size.name());
    let invalidate = match commands.invalidate {
        None => "none",
        Some(Invalidation::Global) => "global",
        Some(Invalidation::Domain(_)) => "domain",
        Some(Invalidation::Page { .. }) => "page",
    };
    coverage.sample(&[("lookup", lookup), ("fill", fill), ("invalidate", invalidate)]);
    if let (Some(page), Some(Answer::Hit(translation))) = (commands.lookup, answer)
        && translation.size != FourKib
    {
        let at =
            if page.number.trailing_zeros() >= translation.size.inner_bits() { "its first 4 KiB" } else { "another" };
        coverage.sample(&[("superpage hit at", at)]);
    }
    let left: BTreeSet<Page> = after.live().map(|fill| fill.page).collect();
    let gone = before.live().filter(|fill| !left.contains(&fill.page)).count();
    match (commands.invalidate, commands.fill) {
        (Some(_), _) => coverage.sample(&[("forgotten", ["none", "one", "several"][gone.min(2)])]),
        (None, Some(fill)) => {
            let Fill { page, translation: Translation { size, .. } } = fill;
            let inner = size.inner_bits();
            let overlaps = before.live().any(|live| {
                let inner = inner.max(live.translation.size.inner_bits());
                live.page.domain == page.domain && live.page.number >> inner == page.number >> inner
            });
            let is_full = before.occupancy(page, size) as u64 == limits.ways;
            let replaced = match (overlaps, is_full) {
                (true, _) => "what overlaps",
                (false, false) => "a free way",
                (false, true) if limits.replacement == Replacement::Lru => "lru",
                (false, true) => "random",
            };
            coverage.sample(&[("filled", size.name()), ("in place of", replaced)]);
        }
        (None, None) => {}
    }
}

/// Resets of one cycle or more at any time: what was kept, the answers under way and the commands in reset are lost.
#[test]
fn reset_in_the_middle() {
    let coverage = |_| Coverage::new().point("cycles of reset", ["1", "2", "3"]);
    check("reset_in_the_middle", 4, coverage, |testbench, limits, rng, coverage| {
        let mut traffic = Traffic::new(limits, rng);
        traffic.invalidates = 0.01;
        for _ in 0..30 {
            for _ in 0..rng.random_range(1..4 * limits.entries) {
                testbench.cycle(&traffic.commands(rng))?;
            }
            let lost: Vec<Commands> = (0..rng.random_range(1..=3)).map(|_| traffic.commands(rng)).collect();
            testbench.reset(&lost)?;
            coverage.sample(&[("cycles of reset", ["1", "2", "3"][lost.len() - 1])]);
            for (page, _) in traffic.pages.clone() {
                assert_eq!(testbench.look_up(page)?, None, "reset forgets");
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
