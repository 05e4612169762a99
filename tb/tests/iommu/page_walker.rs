//! The page walker: every read, every end of a walk and its cycle are the golden model's, and every end is that of a walk
//! from the root over the tables as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use rand::{Rng, RngExt};
use tb::{ClockAndReset, RESET_CYCLES, ValidDriver, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{
    Beat, Bench, Coverage, Dut, Error, Failure, Outcome, Probe, ReadMemory, Scoreboard, Stalls, StreamDriver,
    StreamMonitor, Word,
};
use tollgate_golden::active_access::pte_decoder::{Inputs, decode, reserved_bits};
use tollgate_golden::iommu::iotlb::{self, Page, Translation};
use tollgate_golden::iommu::page_walker::{
    Accepted, Done, Events, Invalidation, Outcome as End, PageWalker, Position, Reaction, Request, walk,
};
use tollgate_spec::config::Config;
use tollgate_spec::iotlb::Scope;
use tollgate_spec::page_walker as codes;
use tollgate_spec::pte::{Access, Level, PteLayout, Step, extract, insert};

const MODULE: &str = "iommu_page_walker";

/// Cycles from a request to the first read of its walk, if memory takes addresses and no other read is first: no more.
const FIRST_READ: u64 = 2;

/// Cycles from an answer to the next read of its walk, likewise.
const NEXT_READ: u64 = 1;

/// Cycles from the last answer to the end of the walk: no more, and no less.
const END: u64 = 1;

/// AXI4 bursts of one beat of 8 bytes, rising, not locked, normal memory that is not cached, unprivileged data.
const BURST: [(&str, u64); 7] =
    [("len", 0), ("size", 3), ("burst", 1), ("lock", 0), ("cache", 3), ("prot", 0), ("qos", 0)];

/// Gives requests and invalidations.
struct Driver {
    request: StreamDriver,
    invalidate: ValidDriver,
}

impl Driver {
    fn ask(&mut self, request: &Request) -> Outcome {
        let beat = with_page(self.request.beat(), "page_", request.page)?;
        let beat = beat.with("table", request.table)?.with("active", u8::from(request.active))?;
        self.request.push(beat);
        Ok(())
    }

    fn drive(&mut self, invalidation: Option<&Invalidation>) -> Outcome {
        self.request.drive();
        let beat = invalidation.map(|Invalidation { of, leaf_only }| {
            let (scope, page, mask) = match *of {
                iotlb::Invalidation::Global => (Scope::Global, NOWHERE, 0),
                iotlb::Invalidation::Domain(domain) => (Scope::Domain, Page { domain, ..NOWHERE }, 0),
                iotlb::Invalidation::Page { page, address_mask } => (Scope::Page, page, address_mask),
            };
            let beat = with_page(self.invalidate.layout().beat(), "page_", page)?;
            let beat = beat.with("scope", scope.number())?.with("address_mask", mask)?;
            beat.with("leaf_only", u8::from(*leaf_only))
        });
        self.invalidate.drive(beat.transpose()?.as_ref())
    }
}

const NOWHERE: Page = Page { domain: 0, number: 0 };

/// Sees what goes in and what comes out, whoever gave it.
struct Monitor {
    request: StreamMonitor,
    request_ready: Probe,
    invalidate: ValidMonitor,
    read_address: StreamMonitor,
    read_address_valid: Probe,
    read_data: StreamMonitor,
    done: ValidMonitor,
}

impl Monitor {
    fn new(dut: &Dut) -> Outcome<Self> {
        Ok(Self {
            request: StreamMonitor::new(dut, "request")?,
            request_ready: dut.probe("request_ready")?.of_width(1)?,
            invalidate: ValidMonitor::new(dut, "invalidate")?,
            read_address: StreamMonitor::new(dut, "read_address")?,
            read_address_valid: dut.probe("read_address_valid")?.of_width(1)?,
            read_data: StreamMonitor::new(dut, "read_data")?,
            done: ValidMonitor::new(dut, "done")?,
        })
    }
}

fn with_page(beat: Beat, prefix: &str, page: Page) -> Result<Beat, Error> {
    beat.with(&format!("{prefix}domain"), page.domain)?.with(&format!("{prefix}number"), page.number)
}

fn page_of(beat: &Beat, prefix: &str) -> Result<Page, Error> {
    let number = |name: &str| field(beat, &format!("{prefix}{name}"));
    Ok(Page { domain: number("domain")?, number: number("number")? })
}

fn field(beat: &Beat, name: &str) -> Result<u64, Error> {
    Ok(beat.get(beat.layout().field(name)?))
}

fn request_of(beat: &Beat) -> Result<Request, Error> {
    Ok(Request { page: page_of(beat, "page_")?, table: field(beat, "table")?, active: field(beat, "active")? == 1 })
}

fn invalidation_of(beat: &Beat) -> Result<Invalidation, Error> {
    let page = page_of(beat, "page_")?;
    let scope = field(beat, "scope")?;
    let of = match Scope::ALL.into_iter().find(|known| u64::from(known.number()) == scope) {
        None | Some(Scope::Global) => iotlb::Invalidation::Global,
        Some(Scope::Domain) => iotlb::Invalidation::Domain(page.domain),
        Some(Scope::Page) => iotlb::Invalidation::Page { page, address_mask: field(beat, "address_mask")? as u32 },
    };
    Ok(Invalidation { of, leaf_only: field(beat, "leaf_only")? == 1 })
}

/// The fields of an end; those of a translation count where there is one.
fn with_done(beat: Beat, done: &Done) -> Result<(Beat, Vec<&'static str>), Error> {
    let beat = with_page(beat, "page_", done.page)?.with("outcome", done.outcome.code().number())?;
    let names = vec!["page_domain", "page_number", "outcome"];
    let End::Translated(translation) = done.outcome else {
        return Ok((beat, names));
    };
    let Translation { frame, size, iuid, .. } = translation;
    let fields = [
        ("translation_frame", frame),
        ("translation_size", size.number().into()),
        ("translation_read", translation.read.into()),
        ("translation_write", translation.write.into()),
        ("translation_write_log", translation.write_log.into()),
        ("translation_write_log_data", translation.write_log_data.into()),
        ("translation_read_log", translation.read_log.into()),
        ("translation_read_log_data", translation.read_log_data.into()),
        ("translation_active_destination", translation.active_destination.into()),
        ("translation_iuid", iuid),
    ];
    let beat = fields.iter().try_fold(beat, |beat, (name, value)| beat.with(name, *value))?;
    Ok((beat, names.into_iter().chain(fields.map(|(name, _)| name)).collect()))
}

/// Page tables in memory.
struct Tables {
    pte: PteLayout,
    entries: BTreeMap<u64, u64>,
    /// Addresses that are answered with this response and whatever bits.
    responses: BTreeMap<u64, u8>,
    /// The PML4 table of each domain, and whether active access is enabled for it.
    contexts: BTreeMap<u64, (u64, bool)>,
    /// Frames of tables.
    taken: BTreeSet<u64>,
    /// Whether entries that lead to tables may lack R or W.
    any_permissions: bool,
}

impl Tables {
    fn new(config: &Config) -> Self {
        Self {
            pte: config.pte.clone(),
            entries: BTreeMap::new(),
            responses: BTreeMap::new(),
            contexts: BTreeMap::new(),
            taken: BTreeSet::new(),
            any_permissions: false,
        }
    }

    fn word(&self, address: u64) -> Word {
        let data = self.entries.get(&address).copied().unwrap_or(0);
        Word { data, response: self.responses.get(&address).copied().unwrap_or(0) }
    }

    /// What a read gives: nothing if the response is an error.
    fn entry(&self, address: u64) -> Option<u64> {
        let Word { data, response } = self.word(address);
        (response < 2).then_some(data)
    }

    /// A frame that no table has.
    fn any_frame(&mut self, rng: &mut dyn Rng) -> u64 {
        loop {
            let frame = rng.random_range(0..1 << self.pte.frame_bits());
            if self.taken.insert(frame) {
                return frame;
            }
        }
    }

    /// The request for a page; its domain gets an empty table if it has none.
    fn request(&mut self, rng: &mut dyn Rng, page: Page) -> Request {
        let context = self.contexts.get(&page.domain).copied();
        let (table, active) = context.unwrap_or_else(|| (self.any_frame(rng), rng.random()));
        self.contexts.insert(page.domain, (table, active));
        Request { page, table, active }
    }

    /// The same, in a domain whose mode the test says.
    fn request_in(&mut self, rng: &mut dyn Rng, page: Page, active: bool) -> Request {
        let Request { table, .. } = self.request(rng, page);
        self.contexts.insert(page.domain, (table, active));
        Request { page, table, active }
    }

    /// Whether an entry leads to a table.
    fn leads_on(&self, level: Level, entry: u64) -> bool {
        let inputs = Inputs {
            entry,
            level,
            upper_read: true,
            upper_write: true,
            active: false,
            access: Access::Read,
            zero_length: false,
        };
        decode(&self.pte, &inputs).step == Step::Descend
    }

    /// An entry that leads to a new table: with R and W, or where permissions are any with some of them.
    fn any_table(&mut self, rng: &mut dyn Rng) -> u64 {
        let ignored = insert(rng.next_u64(), &(self.pte.address.start..self.pte.address_reserved.end), 0);
        let permissions = if self.any_permissions { rng.random_range(1..4) } else { 3 };
        let frame = self.any_frame(rng);
        let entry = insert(insert(ignored, &self.pte.page_size, 0), &self.pte.address, frame);
        insert(insert(entry, &self.pte.read, permissions), &self.pte.write, permissions >> 1)
    }

    /// Puts an entry of a level on the way to a page, and new tables where none lead to it.
    fn put(&mut self, rng: &mut dyn Rng, page: Page, level: Level, entry: u64) -> Put {
        let mut table = self.request(rng, page).table;
        let mut put = Put { path: vec![], changed: level, leads_on: false };
        let mut is_changed = false;
        for at in Level::ALL.into_iter().rev().take_while(|at| *at >= level) {
            let address = Position { level: at, ..Position::root(table) }.address(page);
            put.path.push(address);
            let before = self.entries.get(&address).copied().unwrap_or(0);
            let after = match at == level {
                true => entry,
                false if self.leads_on(at, before) => before,
                false => self.any_table(rng),
            };
            if !is_changed && (before != after || at == level) {
                let leads_on = [before, after].into_iter().any(|entry| self.leads_on(at, entry));
                (put.changed, put.leads_on, is_changed) = (at, leads_on, true);
            }
            self.entries.insert(address, after);
            table = extract(after, &self.pte.address);
        }
        put
    }

    /// Maps a page by a leaf with R and W of a level that leads to a frame; gives the addresses of the entries on the way.
    fn map(&mut self, rng: &mut dyn Rng, page: Page, level: Level, frame: u64) -> Vec<u64> {
        let leaf = leaf(&self.pte, level, frame);
        self.put(rng, page, level, leaf).path
    }

    /// The end of a walk over the tables as they are.
    fn walk(&self, page: Page) -> End {
        let (table, active) = self.contexts[&page.domain];
        walk(&self.pte, &Request { page, table, active }, |address| self.entry(address))
    }
}

/// What was put into page tables.
struct Put {
    /// The addresses of the entries on the way, from the root.
    path: Vec<u64>,
    /// The highest level at which an entry has changed.
    changed: Level,
    /// Whether that one leads to a table, or did so before.
    leads_on: bool,
}

/// What was seen in a cycle.
struct Seen {
    events: Events,
    reaction: Reaction,
    /// The walk that the golden model says has ended one cycle before.
    done: Option<Done>,
}

/// The page walker between its drivers, its memory and its monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    seed: u64,
    timing: ClockAndReset,
    driver: Driver,
    memory: ReadMemory,
    monitor: Monitor,
    tables: Tables,
    /// Whether tables are as they were when the walks under way began.
    tables_hold: bool,
    golden: PageWalker,
    /// What the ports have to show in the coming cycle.
    due: Option<Done>,
    ends: Scoreboard,
    /// The walks that have an entry to read, each with the cycle in which its address is offered at the latest.
    to_read: BTreeMap<usize, u64>,
    /// The address that each walk has read last.
    read: BTreeMap<usize, u64>,
    /// Pages of accepted requests, each with its cycle, that no end has answered.
    waiting: Vec<(Page, u64)>,
}

/// How the memory behaves.
#[derive(Clone)]
struct MemoryKind {
    latency: RangeInclusive<u64>,
    stalls: Stalls,
}

impl MemoryKind {
    /// Takes every address at once and answers each after so many cycles.
    fn of(latency: u64) -> Self {
        Self { latency: latency..=latency, stalls: Stalls::Never }
    }
}

impl<'a> Testbench<'a> {
    /// The page walker of a configuration after reset, before memory of a kind.
    fn new(dut: &'a mut Dut, config: &Config, seed: u64, memory: &MemoryKind, requests: Stalls) -> Outcome<Self> {
        let mut testbench = Self {
            seed,
            timing: ClockAndReset::of(dut)?,
            driver: Driver {
                request: StreamDriver::new(dut, "request", requests, seed)?,
                invalidate: ValidDriver::new(dut, "invalidate", seed + 1)?,
            },
            memory: read_memory(dut, memory, seed)?,
            monitor: Monitor::new(dut)?,
            tables: Tables::new(config),
            tables_hold: true,
            golden: PageWalker::new(config),
            due: None,
            ends: Scoreboard::new("walk"),
            to_read: BTreeMap::new(),
            read: BTreeMap::new(),
            waiting: Vec::new(),
            dut,
        };
        testbench.reset(memory, RESET_CYCLES)?;
        Ok(testbench)
    }

    /// Holds the reset; the memory behind it is a new one.
    fn reset(&mut self, memory: &MemoryKind, cycles: u64) -> Outcome {
        self.timing.rst.set(1);
        for _ in 0..cycles {
            self.driver.drive(None)?;
            self.memory.drive(self.now(), |_| Word::default())?;
            self.dut.eval()?;
            let cycle = self.now();
            self.monitor.done.sample(cycle)?;
            self.monitor.read_address.sample(cycle)?;
            self.monitor.read_data.sample(cycle)?;
            self.monitor.request.sample(cycle)?;
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        self.due = None;
        self.to_read.clear();
        self.waiting.clear();
        self.seed += 1;
        self.memory = read_memory(self.dut, memory, self.seed)?;
        Ok(())
    }

    fn now(&self) -> u64 {
        self.timing.cycle(self.dut)
    }

    /// One cycle.
    fn cycle(&mut self, invalidation: Option<&Invalidation>) -> Outcome<Seen> {
        let cycle = self.now();
        self.driver.drive(invalidation)?;
        self.memory.drive(cycle, |address| self.tables.word(address))?;
        self.dut.eval()?;
        self.driver.request.sample();
        self.memory.sample(cycle)?;
        let done = self.judge(cycle)?;
        let events = self.events(cycle)?;
        let reaction = self.golden.step(&events);
        self.follow(cycle, &events, &reaction)?;
        self.dut.step(self.timing.clk)?;
        Ok(Seen { events, reaction, done })
    }

    /// What happens at the ports in this cycle. Checks the read that is taken.
    fn events(&mut self, cycle: u64) -> Outcome<Events> {
        let request = self.monitor.request.sample(cycle)?.map(request_of).transpose()?;
        let invalidate = self.monitor.invalidate.sample(cycle)?.as_ref().map(invalidation_of).transpose()?;
        let read = self.monitor.read_address.sample(cycle)?.cloned();
        let read = read.map(|beat| self.judge_read(cycle, &beat)).transpose()?;
        let read_data = self.monitor.read_data.sample(cycle)?.cloned();
        let answer = read_data.map(|beat| {
            let number = field(&beat, "id")? as usize;
            let data = beat.big("data")?;
            let lanes = data.iter_u64_digits().collect::<Vec<_>>();
            let all = self.dut.input("read_data_data_data")?.width() / u64::BITS;
            let lane = self.read.get(&number).map_or(0, |address| address / 8 % u64::from(all));
            let entry = lanes.get(lane as usize).copied().unwrap_or(0);
            Ok::<_, Error>((number, (field(&beat, "resp")? < 2).then_some(entry)))
        });
        Ok(Events { request, read, answer: answer.transpose()?, invalidate })
    }

    /// Compares an address with the golden model's; gives the walk.
    fn judge_read(&mut self, cycle: u64, beat: &Beat) -> Outcome<usize> {
        let (number, address) = (field(beat, "id")? as usize, field(beat, "addr")?);
        let golden = self.golden.to_read(number);
        if golden != Some(address) {
            let golden = golden.map_or_else(|| "nothing".to_owned(), |golden| format!("{golden:#x}"));
            let text = format!("cycle {cycle}: walk {number} reads {address:#x}, the golden model reads {golden}");
            return Err(Failure::other(text));
        }
        for (name, value) in BURST {
            let seen = field(beat, name)?;
            if seen != value {
                return Err(Failure::mismatch(cycle, "read", name, seen, value));
            }
        }
        self.to_read.remove(&number);
        self.read.insert(number, address);
        Ok(number)
    }

    /// Compares what the ports show with what is due in this cycle, all of it, and nothing else; gives the end that is due.
    fn judge(&mut self, cycle: u64) -> Outcome<Option<Done>> {
        let due = self.due.take();
        if let Some(done) = &due {
            let (beat, names) = with_done(self.monitor.done.layout().beat(), done)?;
            let fields = names.into_iter().map(|name| beat.layout().field(name)).collect::<Result<Vec<_>, _>>()?;
            self.ends.expect_fields(beat, &fields);
        }
        if let Some(beat) = self.monitor.done.sample(cycle)? {
            let page = page_of(&beat, "page_")?;
            self.waiting.retain(|(waiting, since)| *waiting != page || *since >= cycle);
            self.ends.check(cycle, &beat).map_err(|failure| failure.with_note(format!("{due:x?}")))?;
        }
        self.ends.finish(cycle)?;
        let pairs = [
            ("request_ready", self.monitor.request_ready.is_set(), self.golden.has_room()),
            ("read_address_valid", self.monitor.read_address_valid.is_set(), self.is_read_due(cycle)),
        ];
        for (name, rtl, golden) in pairs {
            if rtl != golden {
                return Err(Failure::mismatch(cycle, "cycle", name, u8::from(rtl), u8::from(golden)));
            }
        }
        Ok(due)
    }

    fn is_read_due(&self, cycle: u64) -> bool {
        self.to_read.values().any(|since| *since <= cycle)
    }

    /// Notes what follows from a cycle, and compares the end of a walk with one from the root.
    fn follow(&mut self, cycle: u64, events: &Events, reaction: &Reaction) -> Outcome {
        self.waiting.extend(events.request.map(|request| (request.page, cycle)));
        if let Some(Accepted::Starts(number, _)) = reaction.accepted {
            self.to_read.insert(number, cycle + FIRST_READ);
        }
        if let Some(number) = reaction.descends {
            self.to_read.insert(number, cycle + NEXT_READ);
        }
        self.due = reaction.done;
        if let Some(Done { page, outcome }) = reaction.done
            && self.tables_hold
            && outcome != End::Stale
            && outcome != self.tables.walk(page)
        {
            let text = format!("cycle {cycle}: the walk of {page:x?} ends in {outcome:x?}, one from the root does not");
            return Err(Failure::other(text));
        }
        Ok(())
    }

    /// So many cycles without a new request.
    fn cycles(&mut self, count: u64) -> Outcome<Vec<Seen>> {
        (0..count).map(|_| self.cycle(None)).collect()
    }

    /// Cycles until all requests are answered, and the last end was shown.
    fn settle(&mut self) -> Outcome<Vec<Seen>> {
        let mut seen = vec![];
        while self.driver.request.pending() + self.golden.in_flight() > 0 || self.due.is_some() {
            seen.push(self.cycle(None)?);
            assert!(seen.len() < 100_000, "walks do not end");
        }
        seen.push(self.cycle(None)?);
        assert_eq!(self.waiting, [], "requests without an answer");
        Ok(seen)
    }

    /// Asks for a page, alone, and waits for the end.
    fn ask(&mut self, request: &Request) -> Outcome<Walked> {
        self.driver.ask(request)?;
        let seen = self.settle()?;
        let done = seen.iter().find_map(|seen| seen.done).expect("a walk ends");
        let first = seen.iter().find_map(|seen| match seen.reaction.accepted {
            Some(Accepted::Starts(_, level)) => Some(level),
            _ => None,
        });
        let cycle_of = |what: fn(&Seen) -> bool| seen.iter().position(what).expect("it was seen") as u64;
        Ok(Walked {
            outcome: done.outcome,
            first: first.expect("a walk alone starts"),
            cycles: cycle_of(|seen| seen.done.is_some()) - cycle_of(|seen| seen.events.request.is_some()),
        })
    }

    fn invalidate(&mut self, of: iotlb::Invalidation) -> Outcome {
        self.cycle(Some(&Invalidation { of, leaf_only: false })).map(drop)
    }
}

/// How a walk went that was alone.
#[derive(Debug, PartialEq)]
struct Walked {
    outcome: End,
    /// The level of the first entry that it read.
    first: Level,
    /// From the request to the end.
    cycles: u64,
}

impl Walked {
    fn frame(&self) -> Option<u64> {
        match self.outcome {
            End::Translated(translation) => Some(translation.frame),
            _ => None,
        }
    }
}

fn read_memory(dut: &Dut, kind: &MemoryKind, seed: u64) -> Result<ReadMemory, Error> {
    ReadMemory::new(dut, ("read_address", "read_data"), kind.latency.clone(), kind.stalls, seed)
}

/// The numbers of a configuration that the stimulus is made of.
#[derive(Clone, Copy)]
struct Limits {
    walks: u64,
    cache_entries: u64,
    domain_bits: u32,
    number_bits: u32,
}

impl Limits {
    fn of(config: &Config) -> Self {
        Self {
            walks: config.page_walker.walks.into(),
            cache_entries: config.page_walker.cache_entries.into(),
            domain_bits: config.iotlb.domain_bits,
            number_bits: config.iotlb.page_number_bits(),
        }
    }

    fn any_page(self, rng: &mut dyn Rng) -> Page {
        let (domain, number) = (rng.random_range(0..1 << self.domain_bits), rng.random_range(0..1 << self.number_bits));
        Page { domain, number }
    }
}

/// Runs `test` over `seeds` in every configuration, before memory of a kind, with requests whenever there are some;
/// `coverage` gives the bins that the seeds fill together.
fn check_with(
    condition: &str,
    seeds: u64,
    kinds: &[(MemoryKind, Stalls)],
    coverage: impl Fn(&Config) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, Limits, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let limits = Limits::of(&config);
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(&config));
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let (kind, requests) = &kinds[*seed as usize % kinds.len()];
            let mut testbench = Testbench::new(dut, &config, *seed, kind, *requests)?;
            test(&mut testbench, limits, rng, coverage)?;
            testbench.settle().map(drop)
        });
    }
}

/// As [`check_with`], before a memory that answers after two cycles, with nothing to cover: the test enumerates its cases.
fn check(condition: &str, seeds: u64, test: impl Fn(&mut Testbench<'_>, Limits, &mut dyn Rng) -> Outcome) {
    let kinds = [(MemoryKind::of(2), Stalls::Never)];
    check_with(condition, seeds, &kinds, nothing, |testbench, limits, rng, _| test(testbench, limits, rng));
}

/// Nothing to cover: the test enumerates its cases.
fn nothing(_: &Config) -> Coverage {
    Coverage::new()
}

/// A leaf with R and W that leads to a frame, of a page of any size.
fn leaf(pte: &PteLayout, level: Level, frame: u64) -> u64 {
    let entry = insert(3, &pte.address, frame);
    if level.may_be_superpage() { insert(entry, &pte.page_size, 1) } else { entry }
}

/// A frame of a page of this level: its low bits are 0.
fn any_page_frame(rng: &mut dyn Rng, pte: &PteLayout, level: Level) -> u64 {
    let inner = level.offset_bits() - 12;
    rng.random_range(0..1_u64 << (pte.frame_bits() - inner)) << inner
}

/// The levels that have leaves.
const LEAVES: [Level; 3] = [Level::PageTable, Level::PageDirectory, Level::PageDirectoryPointer];

/// Maps a page in each of so many domains by a leaf of a level; gives the requests for them.
fn map_apart(
    testbench: &mut Testbench<'_>,
    limits: Limits,
    rng: &mut dyn Rng,
    count: u64,
    level: Level,
) -> Vec<Request> {
    let pte = testbench.tables.pte.clone();
    let requests = (0..count).map(|domain| {
        let page = Page { domain, ..limits.any_page(rng) };
        let frame = any_page_frame(rng, &pte, level);
        testbench.tables.map(rng, page, level, frame);
        testbench.tables.request(rng, page)
    });
    requests.collect()
}

/// Cycles from a request to the end of its walk, if it reads so many entries and memory answers after `latency`.
const fn walk_cycles(reads: u64, latency: u64) -> u64 {
    FIRST_READ + reads * latency + (reads - 1) * NEXT_READ + END
}

/// The most cycles of a walk that reads all four levels, and of one that reads the lowest alone.
const COLD: fn(u64) -> u64 = |latency| 4 * latency + 6;
const WARM: fn(u64) -> u64 = |latency| latency + 4;

/// A walk takes a memory latency and a cycle for each entry that it reads, and two cycles.
#[test]
fn latency_of_a_walk() {
    for latency in [1, 2, 3, 5, 8, 13, 20, 70] {
        let kinds = [(MemoryKind::of(latency), Stalls::Never)];
        check_with("latency_of_a_walk", 1, &kinds, nothing, |testbench, _, rng, _| {
            let pte = testbench.tables.pte.clone();
            let mut measured = vec![];
            for (level, reads) in LEAVES.into_iter().zip([4, 3, 2]) {
                let page = Page { domain: 1, number: u64::from(level.number()) << 18 | 0x155 };
                let frame = any_page_frame(rng, &pte, level);
                testbench.tables.map(rng, page, level, frame);
                let request = testbench.tables.request(rng, page);
                let walks = [testbench.ask(&request)?, testbench.ask(&request)?];
                assert_eq!(walks.each_ref().map(Walked::frame), [Some(frame); 2]);
                assert_eq!(walks.each_ref().map(|walk| walk.first), [Level::PageMapLevel4, level]);
                let cycles = walks.map(|walk| walk.cycles);
                assert_eq!(cycles, [walk_cycles(reads, latency), walk_cycles(1, latency)], "L = {latency}");
                testbench.invalidate(iotlb::Invalidation::Global)?;
                measured.extend(cycles);
            }
            let [small, warm, large, _, huge, _] = measured[..] else { unreachable!("three sizes, two walks") };
            assert!(small <= COLD(latency) && warm <= WARM(latency));
            println!("L = {latency}: 4 KiB {small}, 2 MiB {large}, 1 GiB {huge}; one read {warm}");
            Ok(())
        });
    }
}

/// A request in every cycle in which a walk is free; with walks enough, an address and an answer in every cycle.
#[test]
fn as_many_walks_as_there_are() {
    const LATENCY: u64 = 4;
    const READS: u64 = 4;
    const CYCLES: u64 = 10_000;
    let kinds = [(MemoryKind::of(LATENCY), Stalls::Never)];
    check_with("as_many_walks_as_there_are", 1, &kinds, nothing, |testbench, limits, rng, _| {
        // So many domains that nothing is kept when a page has its next turn: every walk reads all levels.
        let requests = map_apart(testbench, limits, rng, 4 * limits.walks, Level::PageTable);
        requests.iter().take(limits.walks as usize).try_for_each(|request| testbench.driver.ask(request))?;
        let burst = testbench.cycles(limits.walks)?;
        assert!(burst.iter().all(|seen| seen.events.request.is_some()), "a request in every cycle");
        testbench.settle()?;

        let (mut reads, mut walks, mut most) = (0, 0, 0);
        let mut turns = requests.iter().cycle();
        for _ in 0..CYCLES {
            if testbench.driver.request.pending() == 0 {
                testbench.driver.ask(turns.next().expect("turns do not end"))?;
            }
            let seen = testbench.cycle(None)?;
            assert!(!matches!(seen.reaction.accepted, Some(Accepted::Merges(_))), "all pages differ");
            reads += u64::from(seen.events.read.is_some());
            walks += u64::from(seen.done.is_some());
            most = most.max(testbench.golden.in_flight() as u64);
        }
        assert_eq!(most, limits.walks, "walks in flight");
        let possible = CYCLES.min(CYCLES * READS * limits.walks / walk_cycles(READS, LATENCY));
        println!("{} walks, L = {LATENCY}: {walks} walks, {reads} reads in {CYCLES} cycles", limits.walks);
        assert!(reads >= possible * 99 / 100, "{reads} reads where {possible} are possible");
        Ok(())
    });
}

/// A request for a page that is being walked waits for that walk, from the cycle after its request to that of its last
/// answer. In the cycle of its end it starts another: every request is before the end that answers it.
#[test]
fn equal_requests_merge() {
    check("equal_requests_merge", 1, |testbench, limits, rng| {
        let whole = walk_cycles(4, 2);
        for offset in 1..whole + 4 {
            let [request] = map_apart(testbench, limits, rng, 1, Level::PageTable)[..] else {
                unreachable!("one page")
            };
            testbench.invalidate(iotlb::Invalidation::Global)?;
            testbench.driver.ask(&request)?;
            testbench.cycles(offset)?;
            testbench.driver.ask(&request)?;
            let second = testbench.cycle(None)?;
            let merges = offset < whole;
            assert!(second.events.request.is_some(), "a walk is free");
            assert_eq!(matches!(second.reaction.accepted, Some(Accepted::Merges(_))), merges, "after {offset} cycles");
            let ends = testbench.settle()?.iter().filter(|seen| seen.done.is_some()).count();
            assert_eq!(ends, 1, "one end for both, or another one, after {offset} cycles");
        }
        // A page of another domain, and one beside it, are others.
        let page = Page { domain: 2, ..limits.any_page(rng) };
        for other in [Page { domain: 3, ..page }, Page { number: page.number ^ 1, ..page }] {
            testbench.invalidate(iotlb::Invalidation::Global)?;
            for page in [page, other] {
                let request = testbench.tables.request(rng, page);
                testbench.driver.ask(&request)?;
            }
            let seen = testbench.settle()?;
            assert_eq!(seen.iter().filter(|seen| seen.done.is_some()).count(), 2, "{page:x?} and {other:x?}");
        }
        Ok(())
    });
}

/// An invalidation of whatever scope makes every walk under way stale, from the cycle of its request to that of its last
/// answer; beside the end it is too late. A stale walk ends with its next answer, and nothing merges with it.
#[test]
fn an_invalidation_makes_walks_stale() {
    check("an_invalidation_makes_walks_stale", 1, |testbench, limits, rng| {
        let [request] = map_apart(testbench, limits, rng, 1, Level::PageTable)[..] else { unreachable!("one page") };
        let elsewhere = Page { domain: request.page.domain ^ 1, number: 0 };
        let scopes = [
            iotlb::Invalidation::Global,
            iotlb::Invalidation::Domain(elsewhere.domain),
            iotlb::Invalidation::Page { page: elsewhere, address_mask: 0 },
        ];
        let whole = walk_cycles(4, 2);
        for (of, leaf_only) in scopes.into_iter().flat_map(|of| [(of, false), (of, true)]) {
            for offset in 0..=whole {
                testbench.invalidate(iotlb::Invalidation::Global)?;
                testbench.driver.ask(&request)?;
                testbench.cycles(offset)?;
                let mut seen = vec![testbench.cycle(Some(&Invalidation { of, leaf_only }))?];
                if offset > 0 {
                    testbench.driver.ask(&request)?;
                    let again = testbench.cycle(None)?;
                    assert!(
                        matches!(again.reaction.accepted, Some(Accepted::Starts(..))),
                        "merges with a stale walk, {offset} cycles after its request"
                    );
                    seen.push(again);
                }
                seen.extend(testbench.settle()?);
                let ends: Vec<End> = seen.iter().filter_map(|seen| Some(seen.done?.outcome)).collect();
                let first = ends[0];
                assert_eq!(first == End::Stale, offset < whole, "{of:x?} {offset} cycles after the request");
                let others = ends[1..].iter().all(|end| matches!(end, End::Translated(_)));
                assert!(others && ends.len() == 1 + usize::from(offset > 0), "{ends:x?}");
            }
        }
        Ok(())
    });
}

/// What a walk keeps: an entry of each level that leads on, found within what it maps and in its domain alone.
#[test]
fn what_is_kept_is_found() {
    check("what_is_kept_is_found", 4, |testbench, limits, rng| {
        for level in LEAVES {
            let page = limits.any_page(rng);
            testbench.invalidate(iotlb::Invalidation::Global)?;
            let frame = any_page_frame(rng, &testbench.tables.pte.clone(), level);
            testbench.tables.map(rng, page, level, frame);
            let request = testbench.tables.request(rng, page);
            testbench.ask(&request)?;
            for bit in 0..limits.number_bits {
                let other = Page { number: page.number ^ 1 << bit, ..page };
                // The lowest table that both pages are under, if its entry was read.
                let common = Level::from_number(bit / 9 + 1).expect("a page number has four indices");
                let request = testbench.tables.request(rng, other);
                testbench.driver.ask(&request)?;
                let first = testbench.settle()?.iter().find_map(|seen| match seen.reaction.accepted {
                    Some(Accepted::Starts(_, level)) => Some(level),
                    _ => None,
                });
                assert_eq!(first, Some(common.max(level)), "bit {bit} of {page:x?} of level {}", level.number());
            }
            for bit in 0..limits.domain_bits {
                let request = testbench.tables.request(rng, Page { domain: page.domain ^ 1 << bit, ..page });
                assert_eq!(testbench.ask(&request)?.first, Level::PageMapLevel4, "bit {bit} of the domain");
            }
        }
        Ok(())
    });
}

/// Permissions are those of all levels, R and W apart, whether the levels above are read or kept.
#[test]
fn permissions_of_all_levels() {
    check("permissions_of_all_levels", 1, |testbench, limits, rng| {
        let page = limits.any_page(rng);
        let path = testbench.tables.map(rng, page, Level::PageTable, 5);
        let request = testbench.tables.request_in(rng, page, true);
        let pte = testbench.tables.pte.clone();
        for permissions in 0..3_u64.pow(3) * 4 {
            // Upper entries have R, W or both; the leaf may have none.
            let upper = [0, 1, 2].map(|place| permissions / 4 / 3_u64.pow(place) % 3 + 1);
            let all = [upper[0], upper[1], upper[2], permissions % 4];
            for (address, permission) in path.iter().zip(all) {
                let entry = insert(testbench.tables.entries[address], &pte.read, permission);
                testbench.tables.entries.insert(*address, insert(entry, &pte.write, permission >> 1));
            }
            testbench.invalidate(iotlb::Invalidation::Global)?;
            let expected = all.into_iter().fold(3, |all, one| all & one);
            for first in [Level::PageMapLevel4, Level::PageTable] {
                let walked = testbench.ask(&request)?;
                let End::Translated(Translation { read, write, .. }) = walked.outcome else {
                    panic!("{all:?}: {walked:?}");
                };
                assert_eq!((walked.first, u64::from(read) + 2 * u64::from(write)), (first, expected), "{all:?}");
            }
        }
        Ok(())
    });
}

/// AA-02: every bit of a leaf comes through, on pages of every size, in active and in legacy domains.
#[test]
fn every_bit_of_a_leaf() {
    check("every_bit_of_a_leaf", 1, |testbench, limits, rng| {
        let pte = testbench.tables.pte.clone();
        for level in LEAVES {
            for active in [false, true] {
                let page = limits.any_page(rng);
                let blank = leaf(&pte, level, 0);
                for bit in 0..PteLayout::BITS {
                    testbench.tables.put(rng, page, level, blank ^ 1 << bit);
                    let request = testbench.tables.request_in(rng, page, active);
                    testbench.invalidate(iotlb::Invalidation::Global)?;
                    testbench.ask(&request)?;
                }
                testbench.tables.put(rng, page, level, 0);
            }
        }
        Ok(())
    });
}

/// Faults at every level: not present, each reserved bit, each response of memory. The unit goes on, and keeps nothing of
/// the entry.
#[test]
fn faults_at_every_level() {
    check("faults_at_every_level", 1, |testbench, limits, rng| {
        let pte = testbench.tables.pte.clone();
        for level in Level::ALL {
            let page = limits.any_page(rng);
            let path = testbench.tables.map(rng, page, Level::PageTable, 9);
            let address = path[4 - level.number() as usize];
            let right = testbench.tables.entries[&address];
            let request = testbench.tables.request_in(rng, page, false);
            let try_entry = |testbench: &mut Testbench<'_>, entry, response, expected| -> Outcome {
                testbench.invalidate(iotlb::Invalidation::Global)?;
                testbench.tables.entries.insert(address, entry);
                testbench.tables.responses.insert(address, response);
                // Twice: nothing is kept of an entry that ends a walk.
                for first in [Level::PageMapLevel4, level] {
                    let walked = testbench.ask(&request)?;
                    let code = walked.outcome.code();
                    assert_eq!((code, walked.first), (expected, first), "{entry:#x} at level {}", level.number());
                }
                testbench.tables.entries.insert(address, right);
                testbench.tables.responses.insert(address, 0);
                assert_eq!(testbench.ask(&request)?.frame(), Some(9), "the unit goes on");
                Ok(())
            };
            try_entry(testbench, right & !3, 0, codes::Outcome::NotPresent)?;
            let reserved_in = |entry| (0..64).filter(|bit| reserved_bits(&pte, level, entry | 1 << bit) != 0).collect();
            let plain: Vec<u32> = reserved_in(right);
            for bit in plain {
                try_entry(testbench, right | 1 << bit, 0, codes::Outcome::Reserved)?;
            }
            if level.may_be_superpage() {
                let superpage = leaf(&pte, level, 0);
                let within: Vec<u32> = reserved_in(superpage);
                assert!(within.len() >= level.offset_bits() as usize - 12);
                for bit in within {
                    try_entry(testbench, superpage | 1 << bit, 0, codes::Outcome::Reserved)?;
                }
            }
            for response in [2, 3] {
                try_entry(testbench, right, response, codes::Outcome::Unreachable)?;
                try_entry(testbench, 0, response, codes::Outcome::Unreachable)?;
            }
            testbench.invalidate(iotlb::Invalidation::Global)?;
            testbench.tables.responses.insert(address, 1);
            assert_eq!(testbench.ask(&request)?.frame(), Some(9), "EXOKAY is no error");
            testbench.tables.responses.insert(address, 0);
        }
        Ok(())
    });
}

/// The three entries that the walk of a page leaves are forgotten if and only if the range overlaps what they map; with
/// the hint that leaves alone have changed they stay.
#[test]
fn every_address_mask() {
    check("every_address_mask", 1, |testbench, limits, rng| {
        for address_mask in 0..64_u32 {
            for level in [2, 3, 4] {
                let inner = 9 * (level - 1);
                let first = address_mask.max(inner);
                for bit in [first.checked_sub(1), Some(first), Some(first + 3)].into_iter().flatten() {
                    if bit >= limits.number_bits {
                        continue;
                    }
                    let page = limits.any_page(rng);
                    testbench.tables.map(rng, page, Level::PageTable, 1);
                    let request = testbench.tables.request(rng, page);
                    testbench.invalidate(iotlb::Invalidation::Global)?;
                    testbench.ask(&request)?;
                    let other = Page { number: page.number ^ 1 << bit, ..page };
                    let elsewhere = Page { domain: page.domain ^ 1, ..page };
                    for (page, leaf_only) in [(elsewhere, false), (other, true)] {
                        let of = iotlb::Invalidation::Page { page, address_mask };
                        testbench.cycle(Some(&Invalidation { of, leaf_only }))?;
                        assert_eq!(testbench.golden.kept().count(), 3, "AM {address_mask}, {page:x?}");
                        assert_eq!(testbench.ask(&request)?.first, Level::PageTable);
                    }
                    testbench.invalidate(iotlb::Invalidation::Page { page: other, address_mask })?;
                    let stays = |level| bit >= address_mask.max(9 * (level - 1));
                    let lowest = (2..=4).find(|level| stays(*level)).map_or(4, |level| level - 1);
                    let walked = testbench.ask(&request)?;
                    assert_eq!(walked.first.number(), lowest, "AM {address_mask}, bit {bit} of {page:x?}");
                }
            }
        }
        Ok(())
    });
}

/// Scopes: a domain and everything; the hint is of no account there.
#[test]
fn every_scope() {
    check("every_scope", 2, |testbench, limits, rng| {
        let requests = map_apart(testbench, limits, rng, 2, Level::PageDirectoryPointer);
        let [one, other] = [requests[0].page.domain, requests[1].page.domain];
        let scopes =
            [iotlb::Invalidation::Domain(one), iotlb::Invalidation::Domain(other), iotlb::Invalidation::Global];
        for (of, leaf_only) in scopes.into_iter().flat_map(|of| [(of, false), (of, true)]) {
            for request in &requests {
                testbench.ask(request)?;
                assert_eq!(testbench.ask(request)?.first, Level::PageDirectoryPointer);
            }
            testbench.cycle(Some(&Invalidation { of, leaf_only }))?;
            for request in &requests {
                let goes = of == iotlb::Invalidation::Global || of == iotlb::Invalidation::Domain(request.page.domain);
                let first = if goes { Level::PageMapLevel4 } else { Level::PageDirectoryPointer };
                assert_eq!(testbench.ask(request)?.first, first, "{request:x?} after {of:x?}");
            }
        }
        Ok(())
    });
}

/// The oldest entry makes room; one that is read again stays where it is. A request in the very cycle in which the entry
/// for it makes room starts above it.
#[test]
fn the_oldest_entry_makes_room() {
    check("the_oldest_entry_makes_room", 1, |testbench, limits, rng| {
        // One entry for each page: a page of 1 GiB leaves the one of the root.
        let requests = map_apart(testbench, limits, rng, limits.cache_entries + 1, Level::PageDirectoryPointer);
        let (last, kept) = requests.split_last().expect("there are some");
        let last_read = walk_cycles(2, 2) - END - (2 + NEXT_READ);
        for offset in 0..walk_cycles(2, 2) + 2 {
            testbench.invalidate(iotlb::Invalidation::Global)?;
            // Ends with the first entry as the next to make room, wherever it was before.
            while testbench.ask(&kept[0])?.first != Level::PageDirectoryPointer {}
            for request in &kept[1..] {
                assert_eq!(testbench.ask(request)?.first, Level::PageMapLevel4);
            }
            for request in kept {
                assert_eq!(testbench.ask(request)?.first, Level::PageDirectoryPointer, "all of them are kept");
            }
            testbench.driver.ask(last)?;
            testbench.cycles(offset)?;
            if offset > 0 {
                testbench.driver.ask(&kept[0])?;
                let seen = testbench.cycle(None)?;
                let first = if offset < last_read { Level::PageDirectoryPointer } else { Level::PageMapLevel4 };
                let Some(Accepted::Starts(_, level)) = seen.reaction.accepted else { panic!("it starts") };
                assert_eq!(level, first, "{offset} cycles after the request that takes the place");
            }
            testbench.settle()?;
        }
        Ok(())
    });
}

/// What a cache of tables may do, and what ends it: an entry that has changed is used as it was until an invalidation
/// covers it; one that says that leaves alone have changed does not.
#[test]
fn tables_that_change_without_an_invalidation() {
    check("tables_that_change_without_an_invalidation", 1, |testbench, limits, rng| {
        let page = limits.any_page(rng);
        let path = testbench.tables.map(rng, page, Level::PageTable, 1);
        let request = testbench.tables.request(rng, page);
        assert_eq!(testbench.ask(&request)?.frame(), Some(1));
        testbench.tables_hold = false;
        // Another table, in which the page leads elsewhere; the old one stays as it was.
        testbench.tables.entries.insert(path[2], 0);
        testbench.tables.map(rng, page, Level::PageTable, 2);
        assert_eq!(testbench.ask(&request)?.frame(), Some(1), "as it was kept");
        let of = iotlb::Invalidation::Page { page, address_mask: 0 };
        testbench.cycle(Some(&Invalidation { of, leaf_only: true }))?;
        assert_eq!(testbench.ask(&request)?.frame(), Some(1), "leaves alone have changed");
        // A leaf is never kept.
        testbench.tables.entries.insert(path[3], leaf(&testbench.tables.pte, Level::PageTable, 3));
        assert_eq!(testbench.ask(&request)?.frame(), Some(3), "the leaf is read anew");
        testbench.tables_hold = true;
        testbench.invalidate(of)?;
        assert_eq!(testbench.ask(&request)?.frame(), Some(2), "forgotten");
        Ok(())
    });
}

/// Answers that no walk waits for are passed over, whether it is free, begins, or has yet to read.
#[test]
fn answers_that_nobody_waits_for() {
    let slow = MemoryKind { latency: 6..=6, stalls: Stalls::Periodic { run: 1, pause: 9 } };
    let kinds = [(slow, Stalls::Never)];
    check_with("answers_that_nobody_waits_for", 4, &kinds, nothing, |testbench, limits, rng, _| {
        let requests = map_apart(testbench, limits, rng, 2, Level::PageTable);
        let mut passed_over = 0;
        for turn in 0..200 {
            if turn % 50 == 10 {
                requests.iter().try_for_each(|request| testbench.driver.ask(request))?;
            }
            let number = rng.random_range(0..limits.walks);
            let waits = testbench.golden.to_read(number as usize).is_none() && testbench.golden.in_flight() > 0;
            if !waits && testbench.memory.pending() == 0 {
                testbench.memory.answer_unasked(testbench.now(), number);
                passed_over += 1;
            }
            let seen = testbench.cycle(None)?;
            if let Some((answered, _)) = seen.events.answer
                && answered as u64 == number
                && !waits
            {
                assert_eq!((seen.reaction.done, seen.reaction.descends), (None, None));
            }
        }
        assert!(passed_over > 50, "only {passed_over} answers that nobody waits for");
        Ok(())
    });
}

/// Requests, changes of tables and invalidations on few pages.
struct Traffic {
    /// Pages that are asked for, some within others.
    pages: Vec<Page>,
    /// How often there is a request, a change of the tables, and an invalidation without one.
    rates: [f64; 3],
}

impl Traffic {
    /// Pages of two domains, and what they are mapped to.
    fn new(testbench: &mut Testbench<'_>, limits: Limits, rng: &mut dyn Rng) -> Self {
        let roots = [limits.any_page(rng), limits.any_page(rng)];
        let pages = (0..3 * limits.cache_entries + 8).map(|_| {
            let root = roots[rng.random_range(0..2)];
            let within = [2, 6, 12, 20, limits.number_bits][rng.random_range(0..5)];
            Page { number: root.number ^ rng.random_range(0..1 << within), ..root }
        });
        let traffic = Self { pages: pages.collect(), rates: [0.0; 3] };
        testbench.tables.any_permissions = true;
        for page in &traffic.pages {
            let (level, entry) = any_entry(rng, &testbench.tables.pte);
            testbench.tables.put(rng, *page, level, entry);
        }
        traffic
    }

    fn any(&self, rng: &mut dyn Rng) -> Page {
        self.pages[rng.random_range(0..self.pages.len())]
    }

    /// One cycle; gives what was seen, and the invalidation.
    fn cycle(&self, testbench: &mut Testbench<'_>, limits: Limits, rng: &mut dyn Rng) -> Outcome<Seen> {
        let [asks, changes, invalidates] = self.rates;
        if testbench.driver.request.pending() < 2 && rng.random_bool(asks) {
            let page = self.any(rng);
            let number = if rng.random_bool(0.1) {
                page.number ^ 1 << rng.random_range(0..limits.number_bits)
            } else {
                page.number
            };
            let request = testbench.tables.request(rng, Page { number, ..page });
            testbench.driver.ask(&request)?;
        }
        let invalidation = if rng.random_bool(changes) {
            Some(self.change(testbench, rng))
        } else {
            rng.random_bool(invalidates).then(|| {
                let (page, address_mask) = (self.any(rng), rng.random_range(0..64));
                Invalidation { of: any_scope(rng, page, address_mask), leaf_only: rng.random() }
            })
        };
        // A change may be told to the unit or not.
        let told = invalidation.filter(|_| testbench.tables_hold || rng.random());
        testbench.cycle(told.as_ref())
    }

    /// Changes an entry, or how memory answers for it; gives an invalidation that covers the change.
    fn change(&self, testbench: &mut Testbench<'_>, rng: &mut dyn Rng) -> Invalidation {
        let page = self.any(rng);
        let (level, entry) = any_entry(rng, &testbench.tables.pte);
        let Put { path, changed, leads_on } = testbench.tables.put(rng, page, level, entry);
        let address = path[path.len() - 1];
        let response = if rng.random_bool(0.1) { rng.random_range(1..4) } else { 0 };
        testbench.tables.responses.insert(address, response);
        let least = 9 * (changed.number() - 1);
        let address_mask = rng.random_range(least..least + 4);
        let of = any_scope(rng, page, address_mask);
        Invalidation { of, leaf_only: !leads_on && rng.random() }
    }
}

/// An invalidation that covers so many pages, or more.
fn any_scope(rng: &mut dyn Rng, page: Page, address_mask: u32) -> iotlb::Invalidation {
    match rng.random_range(0..8) {
        0 => iotlb::Invalidation::Global,
        1 => iotlb::Invalidation::Domain(page.domain),
        _ => iotlb::Invalidation::Page { page, address_mask },
    }
}

/// An entry of any level: most are leaves, on level 1 above all; some lead nowhere, and some are wrong.
fn any_entry(rng: &mut dyn Rng, pte: &PteLayout) -> (Level, u64) {
    let level = Level::ALL[[0, 0, 0, 0, 1, 1, 2, 3][rng.random_range(0..8)]];
    let entry = rng.next_u64();
    let tame = entry & !reserved_bits(pte, level, entry | leaf(pte, level, 0));
    let leaf = if level.may_be_superpage() { insert(tame, &pte.page_size, 1) } else { tame };
    let entry = match rng.random_range(0..12) {
        0 => 0,
        1 => entry | 1,
        2 => insert(insert(leaf, &pte.read, 0), &pte.write, 0),
        3 => tame & !reserved_bits(pte, Level::PageMapLevel4, tame),
        _ => leaf,
    };
    (level, entry)
}

const LEVELS: [&str; 4] = ["4 KiB", "2 MiB", "1 GiB", "512 GiB"];
const ENDS: [&str; 5] = ["translated", "not present", "reserved", "unreachable", "stale"];

/// What random traffic has to be a case of.
fn cases(config: &Config) -> Coverage {
    let coverage = Coverage::new()
        .point(
            "request",
            ["none", "starts at 4 KiB", "starts at 2 MiB", "starts at 1 GiB", "starts at 512 GiB", "merges"],
        )
        .point("answer", ["none", "descends", "ends"])
        .point("invalidation", ["none", "global", "domain", "page", "leaves of pages"])
        .cross(["request", "answer"])
        .cross(["request", "invalidation"])
        .cross(["answer", "invalidation"])
        .point("end", ENDS)
        .point("level", LEVELS)
        .cross(["end", "level"])
        .impossible(&[("end", "translated"), ("level", "512 GiB")], "there are no pages of 512 GiB")
        .point("in flight", ["none", "some", "all"])
        .point("kept entry that is asked for", ["stays", "makes room", "is read again"]);
    let unlike = ["global", "domain", "page", "leaves of pages"];
    let coverage = unlike.into_iter().fold(coverage, |coverage, invalidation| {
        let bin = [("answer", "descends"), ("invalidation", invalidation)];
        coverage.impossible(&bin, "a stale walk ends")
    });
    if !config.pte.address_reserved.is_empty() {
        return coverage;
    }
    coverage.impossible(&[("end", "reserved"), ("level", "4 KiB")], "the host has all address bits")
}

/// Counts what a cycle was a case of. `reads` holds the page of each walk, and the level of the entry that it reads.
fn cover(
    coverage: &mut Coverage,
    limits: Limits,
    reads: &mut BTreeMap<usize, (Page, Level)>,
    (before, after): (&PageWalker, &PageWalker),
    seen: &Seen,
) {
    const STARTS: [&str; 4] = ["starts at 4 KiB", "starts at 2 MiB", "starts at 1 GiB", "starts at 512 GiB"];
    let Seen { events, reaction, .. } = seen;
    let answer = match (reaction.descends, reaction.done) {
        (Some(_), _) => "descends",
        (_, Some(_)) => "ends",
        _ => "none",
    };
    if let (Some((number, _)), Some(done)) = (events.answer, reaction.done) {
        let (_, level) = reads[&number];
        let end = ENDS[usize::from(done.outcome.code().number())];
        coverage.sample(&[("end", end), ("level", LEVELS[level as usize - 1])]);
    }
    let read = reaction.descends.map(|number| {
        let (page, level) = reads[&number];
        reads.insert(number, (page, Level::from_number(level.number() - 1).expect("a table leads to another")));
        key(page, level)
    });
    let request = match reaction.accepted {
        None => "none",
        Some(Accepted::Merges(_)) => "merges",
        Some(Accepted::Starts(number, level)) => {
            reads.insert(number, (events.request.expect("it starts a walk").page, level));
            STARTS[level as usize - 1]
        }
    };
    let invalidation = match events.invalidate {
        None => "none",
        Some(Invalidation { of: iotlb::Invalidation::Global, .. }) => "global",
        Some(Invalidation { of: iotlb::Invalidation::Domain(_), .. }) => "domain",
        Some(Invalidation { leaf_only: false, .. }) => "page",
        Some(Invalidation { leaf_only: true, .. }) => "leaves of pages",
    };
    coverage.sample(&[("request", request), ("answer", answer), ("invalidation", invalidation)]);
    let in_flight = match before.in_flight() as u64 {
        0 => "none",
        all if all == limits.walks => "all",
        _ => "some",
    };
    coverage.sample(&[("in flight", in_flight)]);
    if let (Some(Request { page, .. }), Some(Accepted::Starts(..)), Some(read)) =
        (events.request, reaction.accepted, read)
    {
        for kept in before.kept().filter(|kept| *kept == key(page, kept.1)) {
            let what = match after.kept().any(|other| other == kept) {
                false => "makes room",
                true if kept == read => "is read again",
                true => "stays",
            };
            coverage.sample(&[("kept entry that is asked for", what)]);
        }
    }
}

/// What tells the entry of a level on the way to a page from others.
fn key(page: Page, level: Level) -> (u64, Level, u64) {
    (page.domain, level, page.number >> (level.offset_bits() - 12))
}

/// Every kind of memory: quick, slow, out of order, one that stalls; crossed with requests that stall or do not.
fn every_kind() -> Vec<(MemoryKind, Stalls)> {
    let latencies = [1..=1, 2..=5, 20..=20, 1..=30];
    let memories = latencies
        .into_iter()
        .flat_map(|latency| Stalls::all().map(|stalls| MemoryKind { latency: latency.clone(), stalls }));
    memories.flat_map(|memory| Stalls::all().map(|requests| (memory.clone(), requests))).collect()
}

/// Requests, invalidations and changes of tables that often meet, before every kind of memory. Tables change beside
/// invalidations that cover the change, so that every end is that of a walk from the root.
#[test]
fn random() {
    let kinds = every_kind();
    check_with("random", kinds.len() as u64, &kinds, cases, |testbench, limits, rng, coverage| {
        let mut reads = BTreeMap::new();
        let phases = [[0.6, 0.004, 0.002], [0.9, 0.02, 0.0], [0.3, 0.02, 0.05]];
        run_traffic(testbench, limits, rng, phases, |golden, seen| cover(coverage, limits, &mut reads, golden, seen))
    });
}

/// The same, where tables change without a word too: every end is that of the entries that memory gave.
#[test]
fn tables_change_at_any_time() {
    let kinds = [1..=1, 1..=8].map(|latency| (MemoryKind { latency, stalls: Stalls::Never }, Stalls::Never));
    check_with("tables_change_at_any_time", 6, &kinds, nothing, |testbench, limits, rng, _| {
        testbench.tables_hold = false;
        run_traffic(testbench, limits, rng, [[0.9, 0.05, 0.0], [0.9, 0.3, 0.01], [0.5, 0.1, 0.05]], |_, _| {})
    });
}

/// Traffic in phases of different rates. `cover` is given the golden model before and after each cycle.
fn run_traffic(
    testbench: &mut Testbench<'_>,
    limits: Limits,
    rng: &mut dyn Rng,
    phases: [[f64; 3]; 3],
    mut cover: impl FnMut((&PageWalker, &PageWalker), &Seen),
) -> Outcome {
    let mut traffic = Traffic::new(testbench, limits, rng);
    for rates in phases {
        traffic.rates = rates;
        for _ in 0..700 {
            let before = testbench.golden.clone();
            let seen = traffic.cycle(testbench, limits, rng)?;
            cover((&before, &testbench.golden), &seen);
        }
    }
    Ok(())
}

/// Resets in the middle of random traffic, which goes on with the tables as they are: nothing of before is known.
#[test]
fn reset_in_the_middle() {
    let memory = MemoryKind { latency: 1..=9, stalls: Stalls::Random { percent: 40 } };
    let kinds = [(memory.clone(), Stalls::Never)];
    check_with("reset_in_the_middle", 4, &kinds, nothing, |testbench, limits, rng, _| {
        let mut traffic = Traffic::new(testbench, limits, rng);
        traffic.rates = [0.7, 0.01, 0.01];
        for turn in 0..40 {
            for _ in 0..rng.random_range(1..100) {
                traffic.cycle(testbench, limits, rng)?;
            }
            testbench.reset(&memory, 1 + turn % 3)?;
        }
        Ok(())
    });
}

/// No output follows an input within the cycle.
#[test]
fn no_path_to_the_outputs() {
    for config in configurations() {
        let run = tb::run(module_path!(), "no_path_to_the_outputs", &config).seeds(2);
        run.check(&model(&config, MODULE), |Bench { dut, rng, .. }| rules::no_path(dut, rng));
    }
}

/// After reset nothing depends on what was there before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &model(&config, MODULE), rules::random_inputs);
    }
}
