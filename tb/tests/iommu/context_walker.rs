//! The context walker: every walk ends as the golden model says, in the cycle that its last answer says, and everybody who
//! asked is told.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};
use tb::{ClockAndReset, Memory, RESET_CYCLES, Read, ReadMonitor, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{
    Beat, Bench, Coverage, Dut, Error, Failure, FieldId, Input, Outcome, Probe, Scoreboard, Stalls, StreamDriver,
    StreamMonitor,
};
use tollgate_golden::iommu::context_cache::Context;
use tollgate_golden::iommu::context_walker::{ContextWalker, Done, Events, Fault, Outcome as Ending, Tables};
use tollgate_spec::config::Config;
use tollgate_spec::context::{BUS, REQUESTER_BITS, TranslationType};
use tollgate_spec::fault::FaultReason;

const MODULE: &str = "iommu_context_walker";

/// The channels of memory.
const MEMORY: [&str; 2] = ["read_address", "read_data"];

/// Cycles from an answer that ends a walk to the broadcast: no more, and no less.
const BROADCAST: u64 = 1;

/// Cycles from a request to the broadcast of a walk that has memory to itself, whose reads are answered after `latency`
/// cycles: one to the first read, one from its answer to the second, and the broadcast.
const fn walk_cycles(latency: u64) -> u64 {
    1 + latency + 1 + latency + BROADCAST
}

/// The same of a walk that ends with its root entry.
const fn root_cycles(latency: u64) -> u64 {
    1 + latency + BROADCAST
}

/// Cycles that a walk waits at most for the reads of the others, which are taken at once: each goes first once for each of
/// its two reads.
const fn turns(walks: u64) -> u64 {
    2 * (walks - 1)
}

/// Cycles in which a walk has surely ended, whatever memory does in these tests.
const PATIENCE: u64 = 400;

/// What is in memory.
#[derive(Clone, Default)]
struct World {
    /// In units of 4 KiB.
    root_table: u64,
    /// Entries by their addresses; `None` cannot be read.
    entries: BTreeMap<u64, Option<u128>>,
}

impl World {
    /// What is at an address: zeros where nothing was put.
    fn read(&self, address: u64) -> Option<u128> {
        self.entries.get(&address).copied().unwrap_or(Some(0))
    }

    fn put_root(&mut self, requester: u16, entry: Option<u128>) {
        self.entries.insert(Tables::root_address(self.root_table, requester), entry);
    }

    /// Puts the context entry of a requester into a table, and the root entry that leads there.
    fn put(&mut self, requester: u16, context_table: u64, entry: Option<u128>) {
        self.put_root(requester, Some(root_entry(context_table)));
        self.entries.insert(Tables::context_address(context_table, requester), entry);
    }
}

/// A root entry that is present and right.
fn root_entry(context_table: u64) -> u128 {
    u128::from(context_table) << 12 | 1
}

/// A context entry that is present and right.
fn context_entry(context: &Context) -> u128 {
    let Context { domain, page_table, pass_through, fault_processing_disable, active } = *context;
    let low = page_table << 12 | u64::from(pass_through) << 3 | u64::from(fault_processing_disable) << 1 | 1;
    let high = domain << 8 | u64::from(active) << 3 | 2;
    u128::from(high) << 64 | u128::from(low)
}

/// A context that says nothing but its domain.
fn bare(domain: u64) -> Context {
    Context { domain, page_table: 0, pass_through: false, fault_processing_disable: false, active: false }
}

fn fault(reason: FaultReason, fault_processing_disable: bool) -> Ending {
    Ending::Fault(Fault { reason, fault_processing_disable })
}

/// Sees the ports, whoever drives them.
struct Monitor {
    request: StreamMonitor,
    request_ready: Probe,
    root_table: Probe,
    invalidate: Probe,
    reads: ReadMonitor,
    data_ready: Probe,
    done: ValidMonitor,
}

impl Monitor {
    fn new(dut: &Dut) -> Outcome<Self> {
        Ok(Self {
            request: StreamMonitor::new(dut, "request")?,
            request_ready: dut.probe("request_ready")?,
            root_table: dut.probe("root_table")?,
            invalidate: dut.probe("invalidate")?,
            reads: ReadMonitor::new(dut, MEMORY)?,
            data_ready: dut.probe("read_data_ready")?,
            done: ValidMonitor::new(dut, "done")?,
        })
    }
}

/// The fields of a broadcast that count, and their values.
fn shown(blank: Beat, Done { requester, outcome }: &Done) -> Result<(Beat, Vec<FieldId>), Error> {
    let mut fields: Vec<(&str, u64)> = vec![("requester", (*requester).into())];
    match outcome {
        Ending::Stale => fields.push(("outcome", 0)),
        Ending::Context(context) => fields.extend([
            ("outcome", 1),
            ("context_domain", context.domain),
            ("context_page_table", context.page_table),
            ("context_pass_through", context.pass_through.into()),
            ("context_fault_processing_disable", context.fault_processing_disable.into()),
            ("context_active", context.active.into()),
        ]),
        Ending::Fault(fault) => fields.extend([
            ("outcome", 2),
            ("reason", fault.reason.number().into()),
            ("context_fault_processing_disable", fault.fault_processing_disable.into()),
        ]),
    }
    let ids = fields.iter().map(|(name, _)| blank.layout().field(name)).collect::<Result<_, _>>()?;
    Ok((fields.into_iter().try_fold(blank, |beat, (name, value)| beat.with(name, value))?, ids))
}

/// What a cycle was.
#[derive(Clone, Copy)]
struct Cycle {
    number: u64,
    events: Events,
    /// A walk has ended, and this is the cycle of its broadcast.
    done: Option<Done>,
}

/// The walker between its drivers and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    requests: StreamDriver,
    root_table: Input,
    invalidate: Input,
    memory: Memory,
    monitor: Monitor,
    world: World,
    /// The world changes beside invalidations alone, so that a fresh walk knows it as it is.
    is_settled: bool,
    golden: ContextWalker,
    tables: Tables,
    /// The broadcast that the ports have yet to show.
    due: Option<Done>,
    ends: Scoreboard,
    /// Requests that were taken and not answered, with their cycles.
    waiting: Vec<(u64, u16)>,
    /// The longest that a request has waited.
    longest: u64,
}

impl<'a> Testbench<'a> {
    /// The walker of a configuration after reset; requests and addresses wait as `stalls` says.
    fn new(
        dut: &'a mut Dut,
        config: &Config,
        [request, address]: [Stalls; 2],
        latency: std::ops::RangeInclusive<u64>,
        rng: &mut dyn Rng,
    ) -> Outcome<Self> {
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            requests: StreamDriver::new(dut, "request", request, rng.next_u64())?,
            root_table: dut.input("root_table")?,
            invalidate: dut.input("invalidate")?,
            memory: Memory::new(dut, MEMORY, latency, address, rng.next_u64())?,
            monitor: Monitor::new(dut)?,
            world: World::default(),
            is_settled: true,
            golden: ContextWalker::new(config),
            tables: Tables::new(config),
            due: None,
            ends: Scoreboard::new("walk"),
            waiting: Vec::new(),
            longest: 0,
            dut,
        };
        testbench.reset(RESET_CYCLES)?;
        Ok(testbench)
    }

    /// Holds the reset: walks in flight and their requests are lost.
    fn reset(&mut self, cycles: u64) -> Outcome {
        self.timing.rst.set(1);
        self.memory.reset();
        for _ in 0..cycles {
            let cycle = self.timing.cycle(self.dut);
            self.drive(cycle, false);
            self.dut.eval()?;
            self.monitor.request.sample(cycle)?;
            self.monitor.reads.sample(cycle)?;
            self.monitor.done.sample(cycle)?;
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.monitor.reads.reset();
        self.golden.reset();
        self.due = None;
        self.waiting.clear();
        Ok(())
    }

    fn now(&self) -> u64 {
        self.timing.cycle(self.dut)
    }

    fn drive(&mut self, cycle: u64, invalidate: bool) {
        self.requests.drive();
        self.memory.drive(cycle);
        self.root_table.set(self.world.root_table);
        self.invalidate.set(invalidate.into());
    }

    /// Queues a request.
    fn request(&mut self, requester: u16) -> Outcome {
        self.requests.push(self.requests.layout().beat().with("data", requester)?);
        Ok(())
    }

    /// One cycle.
    fn cycle(&mut self, invalidate: bool) -> Outcome<Cycle> {
        let number = self.now();
        self.drive(number, invalidate);
        self.dut.eval()?;
        self.requests.sample();
        self.memory.sample(self.dut, number)?;
        let done = self.judge(number)?;
        let events = self.events(number)?;
        self.due = self.golden.step(&events);
        if let (true, Some(Done { requester, outcome })) = (self.is_settled, self.due)
            && outcome != Ending::Stale
        {
            let now = self.tables.walk(self.world.root_table, requester, |address| self.world.read(address));
            let now = now.map_or_else(Ending::Fault, Ending::Context);
            assert_eq!(outcome, now, "cycle {number}: {requester:#06x} ends otherwise than its tables say");
        }
        self.dut.step(self.timing.clk)?;
        Ok(Cycle { number, events, done })
    }

    /// Compares the broadcast of this cycle with what is due: all of it, and nothing else.
    fn judge(&mut self, cycle: u64) -> Outcome<Option<Done>> {
        let due = self.due.take();
        if let Some(done) = &due {
            let (beat, fields) = shown(self.monitor.done.layout().beat(), done)?;
            self.ends.expect_fields(beat, &fields);
        }
        if let Some(beat) = self.monitor.done.sample(cycle)? {
            self.ends.check(cycle, &beat)?;
        }
        self.ends.finish(cycle)?;
        if let Some(Done { requester, .. }) = due {
            let is_told = |(asked, of): &mut (u64, u16)| *of == requester && *asked < cycle;
            for (asked, _) in self.waiting.extract_if(.., is_told) {
                self.longest = self.longest.max(cycle - asked);
            }
        }
        Ok(due)
    }

    /// What happens in this cycle, seen at the ports; and what the ports say of the walks in flight.
    fn events(&mut self, cycle: u64) -> Outcome<Events> {
        let ready = [self.monitor.request_ready.is_set(), self.monitor.data_ready.is_set()];
        let expected = [self.golden.is_ready(), true];
        for ((port, rtl), golden) in ["request_ready", "read_data_ready"].into_iter().zip(ready).zip(expected) {
            if rtl != golden {
                let walks = format!("{} walks in flight", self.golden.in_flight());
                return Err(Failure::mismatch(cycle, walks, port, u8::from(rtl), u8::from(golden)));
            }
        }
        let request =
            self.monitor.request.sample(cycle)?.map(|beat| Ok::<_, Error>(beat.get(beat.layout().field("data")?)));
        let request = request.transpose()?.map(|requester| requester as u16);
        self.waiting.extend(request.map(|requester| (cycle, requester)));
        let transfers = self.monitor.reads.sample(cycle)?;
        let taken = transfers.read.map(|read| {
            if !self.golden.may_read(read.id as usize, read.address) || read.bytes != 16 {
                let Read { id, address, bytes } = read;
                let seen = format!("walk {id} reads {bytes} bytes at {address:#x}, which it must not");
                return Err(Failure::other(format!("cycle {cycle}: {seen}")));
            }
            self.memory.take(cycle, read, self.world.read(read.address))?;
            Ok(read.id as usize)
        });
        Ok(Events {
            request,
            taken: taken.transpose()?,
            answer: transfers.data.map(|(id, entry)| (id as usize, entry)),
            invalidate: self.monitor.invalidate.is_set(),
            root_table: self.monitor.root_table.get(),
        })
    }

    /// Runs until everybody is told.
    fn finish(&mut self) -> Outcome {
        for _ in 0..PATIENCE {
            if self.requests.pending() == 0
                && self.waiting.is_empty()
                && self.golden.in_flight() == 0
                && self.due.is_none()
            {
                return Ok(());
            }
            self.cycle(false)?;
        }
        let waiting = self.waiting.iter().map(|(cycle, requester)| format!("{requester:#06x} since cycle {cycle}"));
        let waiting: Vec<String> = waiting.collect();
        let left = self.requests.pending();
        Err(Failure::other(format!("nobody answers {}; {left} requests are not taken", waiting.join(", "))))
    }

    /// Runs until so many walks are told; gives what all the cycles were.
    fn until_told(&mut self, walks: usize) -> Outcome<Vec<Cycle>> {
        let (mut cycles, mut told) = (vec![], 0);
        for _ in 0..PATIENCE {
            let cycle = self.cycle(false)?;
            cycles.push(cycle);
            told += usize::from(cycle.done.is_some());
            if told == walks {
                return Ok(cycles);
            }
        }
        Err(Failure::other(format!("only {told} of {walks} walks are told in {PATIENCE} cycles")))
    }

    /// Asks for a requester alone, in a cycle in which it is taken at once; gives the walk.
    fn walk(&mut self, requester: u16) -> Outcome<Walk> {
        self.request(requester)?;
        let first = self.cycle(false)?;
        if first.events.request != Some(requester) {
            return Err(Failure::other(format!("cycle {}: the request is not taken at once", first.number)));
        }
        let mut reads = Vec::new();
        for _ in 0..PATIENCE {
            let Cycle { number, events, done } = self.cycle(false)?;
            reads.extend(events.taken.map(|_| number - first.number));
            if let Some(Done { outcome, .. }) = done {
                return Ok(Walk { outcome, reads, cycles: number - first.number });
            }
        }
        Err(Failure::other(format!("the walk for {requester:#06x} has no end")))
    }

    /// As [`Testbench::walk`], and gives the end alone.
    fn outcome(&mut self, requester: u16) -> Outcome<Ending> {
        Ok(self.walk(requester)?.outcome)
    }
}

/// A walk that was alone; its cycles are counted from that of its request.
struct Walk {
    outcome: Ending,
    /// When its reads were taken.
    reads: Vec<u64>,
    /// When it was told.
    cycles: u64,
}

/// The numbers of a configuration that the stimulus is made of.
#[derive(Clone, Copy)]
struct Limits {
    walks: u16,
    host_address_bits: u32,
    domain_bits: u32,
    frame_bits: u32,
}

impl Limits {
    fn of(config: &Config) -> Self {
        Self {
            walks: config.context_walker.walks as u16,
            host_address_bits: config.host_address_bits,
            domain_bits: config.iotlb.domain_bits,
            frame_bits: config.pte.frame_bits(),
        }
    }

    fn any_frame(self, rng: &mut dyn Rng) -> u64 {
        rng.random_range(0..1 << self.frame_bits)
    }

    /// A context of any content.
    fn any_context(self, rng: &mut dyn Rng) -> Context {
        Context {
            domain: rng.random_range(0..1 << self.domain_bits),
            page_table: self.any_frame(rng),
            pass_through: rng.random(),
            fault_processing_disable: rng.random(),
            active: rng.random(),
        }
    }

    /// The bits of a root entry that are reserved (VT-d, root entry).
    fn reserved_of_root(self) -> impl Iterator<Item = u32> {
        (1..12).chain(self.host_address_bits..128)
    }

    /// The bits of a context entry that are reserved (VT-d, context entry).
    fn reserved_of_context(self) -> impl Iterator<Item = u32> {
        (4..12).chain(self.host_address_bits..64).chain([71]).chain(72 + self.domain_bits..128)
    }
}

/// Runs `test` over `seeds` in every configuration, with memory that takes addresses at once.
fn check(condition: &str, seeds: u64, test: impl Fn(&mut Testbench<'_>, Limits, &mut dyn Rng) -> Outcome) {
    for config in configurations() {
        let limits = Limits::of(&config);
        tb::run(module_path!(), condition, &config).seeds(seeds).check(&model(&config, MODULE), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, [Stalls::Never; 2], 1..=1, rng)?;
            test(&mut testbench, limits, rng)?;
            testbench.finish()
        });
    }
}

/// A walk takes twice the latency of memory and three cycles, and asks at once each time; one that ends with its root entry
/// takes the latency and two.
#[test]
fn a_walk_takes_two_reads() {
    check("a_walk_takes_two_reads", 2, |testbench, limits, rng| {
        for latency in [1, 2, 3, 4, 7, 14, 40] {
            testbench.memory.latency = latency..=latency;
            let requester = rng.random();
            testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&limits.any_context(rng))));
            let Walk { reads, cycles, .. } = testbench.walk(requester)?;
            assert_eq!((reads, cycles), (vec![1, latency + 2], 2 * latency + 3), "latency {latency}");
            assert_eq!(cycles, walk_cycles(latency));
            testbench.world.put_root(requester, Some(0));
            let Walk { reads, cycles, .. } = testbench.walk(requester)?;
            assert_eq!((reads, cycles), (vec![1], latency + 2), "latency {latency}, and no context table");
            assert_eq!(cycles, root_cycles(latency));
        }
        Ok(())
    });
}

/// As many requests as there are walks are taken in consecutive cycles, read in consecutive cycles, and told in consecutive
/// cycles; one more is taken in the cycle in which the first is told.
#[test]
fn walks_overlap() {
    check("walks_overlap", 2, |testbench, limits, rng| {
        let latency = 3 * u64::from(limits.walks);
        testbench.memory.latency = latency..=latency;
        let first = testbench.now();
        for requester in 0..=limits.walks {
            testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&bare(1))));
            testbench.request(requester)?;
        }
        let (mut taken, mut reads, mut told) = (vec![], vec![], vec![]);
        for Cycle { number, events, done } in testbench.until_told(limits.walks.into())? {
            let number = number - first;
            taken.extend(events.request.map(|_| number));
            reads.extend(events.taken.map(|_| number));
            told.extend(done.map(|_| number));
        }
        let walks = u64::from(limits.walks);
        let from = |start: u64| start..start + walks;
        assert_eq!(taken, from(0).chain([walk_cycles(latency)]).collect::<Vec<_>>(), "requests");
        let first_and_second = from(1).chain(from(1 + latency + 1));
        assert!(reads.starts_with(&first_and_second.collect::<Vec<_>>()), "reads in {reads:?}");
        assert_eq!(told, from(walk_cycles(latency)).collect::<Vec<_>>(), "broadcasts");
        Ok(())
    });
}

/// Under as many requests as it takes, of memory that is quick, a walk waits for the others no longer than a turn of each;
/// there is a read in nearly every cycle.
#[test]
fn walks_take_turns() {
    check("walks_take_turns", 2, |testbench, limits, rng| {
        for requester in 0..64 {
            testbench.world.put(requester, 1, Some(context_entry(&bare(1))));
        }
        for latency in [1, 2, 5] {
            testbench.memory.latency = latency..=latency;
            testbench.longest = 0;
            let mut reads = 0_u64;
            let mut next = 0;
            for _ in 0..2_000 {
                if testbench.requests.pending() == 0 {
                    next = (next + 1 + rng.random_range(0..2)) % 64;
                    testbench.request(next)?;
                }
                reads += u64::from(testbench.cycle(false)?.events.taken.is_some());
            }
            testbench.finish()?;
            let bound = walk_cycles(latency) + turns(limits.walks.into());
            assert!(testbench.longest <= bound, "{} cycles, the bound is {bound}", testbench.longest);
            if latency == 1 {
                assert!(reads >= 1_900, "{reads} reads in 2,000 cycles");
            }
        }
        Ok(())
    });
}

/// Every bit of where the root table is, of the requester and of where the context table is, alone and all with others.
#[test]
fn every_bit_of_an_address() {
    check("every_bit_of_an_address", 2, |testbench, limits, rng| {
        let frames = |rng: &mut dyn Rng| {
            let alone = (0..limits.frame_bits).map(|bit| 1 << bit);
            alone.chain([0, (1 << limits.frame_bits) - 1, limits.any_frame(rng)]).collect::<Vec<u64>>()
        };
        let requesters = (0..REQUESTER_BITS).map(|bit| 1 << bit).chain([0, u16::MAX, rng.random()]);
        let (roots, tables) = (frames(rng), frames(rng));
        let random = (limits.any_frame(rng), rng.random::<u16>(), limits.any_frame(rng));
        let by_root = roots.into_iter().map(|root| (root, random.1, random.2));
        let by_requester = requesters.map(|requester| (random.0, requester, random.2));
        let by_table = tables.into_iter().map(|table| (random.0, random.1, table));
        for (root_table, requester, context_table) in by_root.chain(by_requester).chain(by_table) {
            let context = limits.any_context(rng);
            testbench.world = World { root_table, ..World::default() };
            // The two tables may be one, and the two entries as well: the context entry is put last.
            testbench.world.put(requester, context_table, Some(context_entry(&context)));
            if testbench.world.entries.len() == 2 {
                let outcome = testbench.outcome(requester)?;
                assert_eq!(outcome, Ending::Context(context), "{root_table:#x}, {requester:#06x}, {context_table:#x}");
            }
        }
        Ok(())
    });
}

/// Every bit of a context comes back, alone and with all others; what software may use does not count.
#[test]
fn every_bit_of_a_context() {
    check("every_bit_of_a_context", 2, |testbench, limits, rng| {
        let mut contexts = vec![bare(0)];
        contexts.extend((0..limits.domain_bits).map(|bit| bare(1 << bit)));
        contexts.extend((0..limits.frame_bits).map(|bit| Context { page_table: 1 << bit, ..bare(0) }));
        contexts.push(Context { pass_through: true, ..bare(0) });
        contexts.push(Context { fault_processing_disable: true, ..bare(0) });
        contexts.push(Context { active: true, ..bare(0) });
        contexts.extend((0..20).map(|_| limits.any_context(rng)));
        for context in contexts {
            let requester = rng.random();
            let available = rng.random_range(0..8_u128) << 68;
            testbench.world.put(requester, 1, Some(context_entry(&context) | available));
            assert_eq!(testbench.outcome(requester)?, Ending::Context(context));
        }
        Ok(())
    });
}

/// Every fault of a root entry, whatever else is wrong with it; FPD does not qualify them.
#[test]
fn every_fault_of_a_root_entry() {
    check("every_fault_of_a_root_entry", 2, |testbench, limits, rng| {
        let requester = rng.random();
        let entry = root_entry(limits.any_frame(rng));
        let mut ends = |entry, reason| {
            testbench.world.put_root(requester, entry);
            assert_eq!(testbench.outcome(requester)?, fault(reason, false), "{entry:x?}");
            Ok::<_, Failure>(())
        };
        for _ in 0..8 {
            ends(None, FaultReason::RootEntryUnreachable)?;
        }
        ends(Some(0), FaultReason::RootEntryNotPresent)?;
        ends(Some(u128::MAX - 1), FaultReason::RootEntryNotPresent)?;
        for bit in limits.reserved_of_root() {
            ends(Some(1 << bit), FaultReason::RootEntryNotPresent)?;
            ends(Some(entry | 1 << bit), FaultReason::RootEntryReserved)?;
        }
        ends(Some(u128::MAX), FaultReason::RootEntryReserved)
    });
}

/// Every fault of a context entry, in the order in which they count; FPD qualifies those of an entry that was read.
#[test]
fn every_fault_of_a_context_entry() {
    check("every_fault_of_a_context_entry", 2, |testbench, limits, rng| {
        let requester = rng.random();
        let entry =
            context_entry(&Context { pass_through: false, fault_processing_disable: false, ..limits.any_context(rng) });
        let mut ends = |entry, outcome| {
            testbench.world.put(requester, 1, entry);
            assert_eq!(testbench.outcome(requester)?, outcome, "{entry:x?}");
            Ok::<_, Failure>(())
        };
        for _ in 0..8 {
            ends(None, fault(FaultReason::ContextEntryUnreachable, false))?;
        }
        for disable in [false, true] {
            let entry = entry | u128::from(disable) << 1;
            let refused = |reason| fault(reason, disable);
            ends(Some(entry & !1), refused(FaultReason::ContextEntryNotPresent))?;
            for bit in limits.reserved_of_context() {
                ends(Some(entry & !1 | 1 << bit), refused(FaultReason::ContextEntryNotPresent))?;
                ends(Some(entry | 1 << bit), refused(FaultReason::ContextEntryReserved))?;
                ends(Some(entry | 1 << bit | 0b1100), refused(FaultReason::ContextEntryReserved))?;
            }
            for kind in 0..4 {
                for width in 0..8 {
                    let entry = entry & !(0b1100 | 0b111 << 64) | kind << 2 | width << 64;
                    let is_supported = width == 2 && matches!(kind, 0 | 2);
                    if !is_supported {
                        ends(Some(entry), refused(FaultReason::InvalidContextEntry))?;
                        ends(Some(entry & !1), refused(FaultReason::ContextEntryNotPresent))?;
                    }
                }
            }
        }
        Ok(())
    });
}

/// A second request for a requester, in every cycle from the first request to beyond its broadcast: it is answered by the
/// same walk if it is taken before the broadcast, and else by a walk of its own.
#[test]
fn requests_for_one_requester_merge() {
    check("requests_for_one_requester_merge", 1, |testbench, limits, rng| {
        for latency in [1, 4] {
            testbench.memory.latency = latency..=latency;
            let end = walk_cycles(latency);
            for second in 1..=end + 2 {
                let requester = rng.random();
                testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&limits.any_context(rng))));
                let (mut reads, mut told) = (0, vec![]);
                testbench.request(requester)?;
                for cycle in 0..=2 * end + 2 {
                    if cycle == second {
                        testbench.request(requester)?;
                    }
                    let Cycle { events, done, .. } = testbench.cycle(false)?;
                    assert_eq!(events.request.is_some(), cycle == 0 || cycle == second, "ready all the time");
                    reads += u32::from(events.taken.is_some());
                    told.extend(done.map(|_| cycle));
                }
                let expected = if second < end { (2, vec![end]) } else { (4, vec![end, second + end]) };
                assert_eq!((reads, told), expected, "reads and broadcasts; second request in cycle {second}");
                assert!(testbench.waiting.is_empty(), "both are told");
            }
        }
        Ok(())
    });
}

/// Requests for different requesters never merge: each bit of the requester counts.
#[test]
fn requests_for_others_do_not_merge() {
    check("requests_for_others_do_not_merge", 2, |testbench, limits, rng| {
        testbench.memory.latency = 6..=6;
        for bit in 0..REQUESTER_BITS {
            let pair: [u16; 2] = {
                let one = rng.random();
                [one, one ^ 1 << bit]
            };
            for (requester, domain) in pair.into_iter().zip([1, 2]) {
                let table = if bit < BUS.start { 1 } else { u64::from(requester) };
                testbench.world.put(
                    requester,
                    table & ((1 << limits.frame_bits) - 1),
                    Some(context_entry(&bare(domain))),
                );
                testbench.request(requester)?;
            }
            let told: Vec<Done> = testbench.until_told(2)?.iter().filter_map(|cycle| cycle.done).collect();
            let expected = pair.into_iter().zip([1, 2]);
            let expected =
                expected.map(|(requester, domain)| Done { requester, outcome: Ending::Context(bare(domain)) });
            assert_eq!(told, expected.collect::<Vec<_>>());
        }
        Ok(())
    });
}

/// An invalidation in every cycle of a walk, with a table that changes at once: the walk is stale from the cycle after its
/// request to that of its last answer, whoever asks later knows the new table, and a request beside it waits for the walk.
#[test]
fn an_invalidation_in_every_cycle() {
    check("an_invalidation_in_every_cycle", 1, |testbench, limits, rng| {
        for latency in [1, 4] {
            testbench.memory.latency = latency..=latency;
            let end = walk_cycles(latency);
            for invalidation in 0..=end + 1 {
                for beside in [false, true] {
                    let requester = rng.random();
                    let [old, new] = [1, 2].map(bare);
                    testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&old)));
                    testbench.request(requester)?;
                    let mut told = vec![];
                    for cycle in 0..=3 * end {
                        if cycle == invalidation {
                            testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&new)));
                        }
                        if cycle == invalidation + 1 || beside && cycle > 0 && cycle == invalidation {
                            testbench.request(requester)?;
                        }
                        let Cycle { events, done, .. } = testbench.cycle(cycle == invalidation)?;
                        assert_eq!(events.invalidate, cycle == invalidation);
                        told.extend(done.map(|done| (cycle, done.outcome)));
                    }
                    let again = (invalidation + 1 + end, Ending::Context(new));
                    let expected = match invalidation {
                        // The walk begins after the invalidation, and the request of the next cycle merges with it.
                        0 => vec![(end, Ending::Context(new))],
                        // Its next answer is that of the root entry.
                        _ if invalidation <= 1 + latency => vec![(root_cycles(latency), Ending::Stale), again],
                        _ if invalidation < end => vec![(end, Ending::Stale), again],
                        // The walk has ended. A request beside the invalidation begins a walk, which the next one waits for.
                        _ if beside => vec![(end, Ending::Context(old)), (invalidation + end, Ending::Context(new))],
                        _ => vec![(end, Ending::Context(old)), again],
                    };
                    assert_eq!(told, expected, "invalidation in cycle {invalidation}, a request beside it: {beside}");
                    testbench.finish()?;
                }
            }
        }
        Ok(())
    });
}

/// All walks in flight are stale at once, and as many fresh ones follow them.
#[test]
fn an_invalidation_of_all_walks() {
    check("an_invalidation_of_all_walks", 2, |testbench, limits, _| {
        let latency = 3 * u64::from(limits.walks);
        testbench.memory.latency = latency..=latency;
        for requester in 0..limits.walks {
            testbench.world.put(requester, 1, Some(context_entry(&bare(1))));
            testbench.request(requester)?;
            testbench.cycle(false)?;
        }
        testbench.cycle(true)?;
        for requester in 0..limits.walks {
            testbench.request(requester)?;
        }
        let cycles = testbench.until_told(2 * usize::from(limits.walks))?;
        let told = cycles.iter().filter_map(|cycle| cycle.done.map(|done| (done.requester, done.outcome)));
        let told: Vec<_> = told.collect();
        let all = |outcome| (0..limits.walks).map(move |requester| (requester, outcome));
        let expected = all(Ending::Stale).chain(all(Ending::Context(bare(1))));
        assert_eq!(told, expected.collect::<Vec<_>>());
        Ok(())
    });
}

/// Reads are plain bursts of one beat of 16 bytes, whatever they are for.
#[test]
fn reads_are_plain() {
    check("reads_are_plain", 1, |testbench, limits, rng| {
        let fields = [("len", 0), ("size", 4), ("burst", 1), ("lock", 0), ("cache", 3), ("prot", 0), ("qos", 0)];
        for requester in 0..20 {
            testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&bare(1))));
            testbench.request(requester)?;
            for _ in 0..walk_cycles(1) + 1 {
                for (field, value) in fields {
                    let port = testbench.dut.probe(&format!("read_address_data_{field}"))?;
                    assert_eq!(port.get(), value, "{field}");
                }
                testbench.cycle(false)?;
            }
        }
        Ok(())
    });
}

/// The stall profiles of requests and of addresses for a seed: nine seeds in a row cross all with all.
fn stalls_of(seed: u64) -> [Stalls; 2] {
    let all = Stalls::all();
    let choose = |number: u64| all[(number % 3) as usize];
    [choose(seed), choose(seed / 3)]
}

/// The root table moves in any cycle, while reads wait to be taken as well: a read that is offered stays as it is, and each
/// is one of those since the request.
#[test]
fn the_root_table_moves() {
    for config in configurations() {
        let limits = Limits::of(&config);
        let run = tb::run(module_path!(), "the_root_table_moves", &config).seeds(9);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, stalls_of(*seed), 1..=6, rng)?;
            testbench.is_settled = false;
            let roots: Vec<u64> = (0..3).map(|_| limits.any_frame(rng)).collect();
            for (domain, root) in (1..).zip(&roots) {
                testbench.world.root_table = *root;
                for requester in 0..4 {
                    testbench.world.put(requester << 8, limits.any_frame(rng), Some(context_entry(&bare(domain))));
                }
            }
            for _ in 0..1_000 {
                testbench.world.root_table = roots[rng.random_range(0..roots.len())];
                if testbench.requests.pending() == 0 {
                    testbench.request(rng.random_range(0..4) << 8)?;
                }
                testbench.cycle(rng.random_bool(0.02))?;
            }
            testbench.finish()
        });
    }
}

/// Data that nobody asked for, of walks that are free, of walks whose read is not taken yet, and of no walk: ignored.
#[test]
fn data_that_nobody_asked_for() {
    for config in configurations() {
        let limits = Limits::of(&config);
        let ids = u64::from(limits.walks).next_power_of_two();
        let mut coverage = Coverage::new().point("data of", ["a free walk", "a walk that asks", "no walk"]);
        if ids == u64::from(limits.walks) {
            coverage = coverage.impossible(&[("data of", "no walk")], "every id is that of a walk");
        }
        let run = tb::run(module_path!(), "data_that_nobody_asked_for", &config).seeds(9).coverage(coverage);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config, stalls_of(*seed), 1..=6, rng)?;
            for requester in 0..8 {
                testbench.world.put(requester, limits.any_frame(rng), Some(context_entry(&limits.any_context(rng))));
            }
            for _ in 0..1_500 {
                if testbench.requests.pending() == 0 && rng.random_bool(0.5) {
                    testbench.request(rng.random_range(0..8))?;
                }
                let id = rng.random_range(0..ids);
                let cycle = testbench.now();
                let entry = [None, Some(rng.random::<u128>() | 1), Some(root_entry(3))][rng.random_range(0..3)];
                if !testbench.golden.awaits(id as usize) && testbench.memory.inject(cycle, id, entry)? {
                    let is_walk = id < limits.walks.into();
                    let of = match testbench.golden.is_free(id as usize) {
                        _ if !is_walk => "no walk",
                        true => "a free walk",
                        false => "a walk that asks",
                    };
                    coverage.sample(&[("data of", of)]);
                }
                testbench.cycle(false)?;
            }
            testbench.finish()
        });
    }
}

/// Few requesters in tables of any content, right and wrong.
struct Traffic {
    limits: Limits,
    requesters: Vec<u16>,
}

impl Traffic {
    fn new(limits: Limits, rng: &mut dyn Rng) -> Self {
        let buses: Vec<u16> = (0..4).map(|_| rng.random::<u16>() & !0xFF).collect();
        let requesters = (0..12).map(|_| buses[rng.random_range(0..4)] | rng.random_range(0..4));
        Self { limits, requesters: requesters.collect() }
    }

    fn any(&self, rng: &mut dyn Rng) -> u16 {
        self.requesters[rng.random_range(0..self.requesters.len())]
    }

    /// New tables for all requesters. Those of one bus share the root entry.
    fn fill(&self, world: &mut World, rng: &mut dyn Rng) {
        let limits = self.limits;
        *world = World { root_table: limits.any_frame(rng), ..World::default() };
        for requester in &self.requesters {
            let root = Tables::root_address(world.root_table, *requester);
            if world.entries.contains_key(&root) {
                continue;
            }
            let table = limits.any_frame(rng);
            let bits: Vec<u32> = limits.reserved_of_root().collect();
            let entry = match rng.random_range(0..12) {
                0 => None,
                1 => Some(root_entry(table) & !1),
                2 => Some(root_entry(table) | 1 << bits[rng.random_range(0..bits.len())]),
                _ => Some(root_entry(table)),
            };
            world.entries.insert(root, entry);
            for function in 0..4 {
                let requester = requester & !0xFF | function;
                world.entries.insert(Tables::context_address(table, requester), self.any_entry(rng));
            }
        }
    }

    fn any_entry(&self, rng: &mut dyn Rng) -> Option<u128> {
        let entry = context_entry(&self.limits.any_context(rng));
        let bits: Vec<u32> = self.limits.reserved_of_context().collect();
        match rng.random_range(0..12) {
            0 => None,
            1 => Some(entry & !1),
            2 => Some(entry | 1 << bits[rng.random_range(0..bits.len())]),
            3 => Some(entry & !0b1100 | u128::from(TranslationType::DeviceTlb.number()) << 2),
            4 => Some(entry ^ 1 << (64 + rng.random_range(0..3))),
            _ => Some(entry),
        }
    }
}

/// Requests of few requesters, tables that change beside invalidations, memory of any speed and order.
#[test]
fn random() {
    let profiles = Stalls::all().map(Stalls::name);
    let reasons = FaultReason::ALL.into_iter().filter(|reason| ends_a_walk(*reason)).map(FaultReason::name);
    let coverage = Coverage::new()
        .point("request stalls", profiles)
        .point("address stalls", profiles)
        .cross(["request stalls", "address stalls"])
        .point("end", ["context", "pass-through", "stale"].into_iter().chain(reasons))
        .point("request", ["none", "starts a walk", "merges", "for a requester with a stale walk"])
        .point("invalidation", ["no", "yes"])
        .point("answer", ["none", "root entry", "context entry"])
        .cross(["request", "invalidation", "answer"])
        .point("walks", ["none", "some", "all"])
        .point("data", ["of the oldest read", "of another"])
        .point("response", ["OKAY", "EXOKAY", "SLVERR", "DECERR"])
        .point("of", ["root entry", "context entry"])
        .cross(["response", "of"]);
    for config in configurations() {
        let limits = Limits::of(&config);
        let run = tb::run(module_path!(), "random", &config).seeds(18).coverage(coverage.clone());
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let stalls = stalls_of(*seed);
            let [request, address] = stalls.map(Stalls::name);
            coverage.sample(&[("request stalls", request), ("address stalls", address)]);
            let response = dut.probe("read_data_data_resp")?;
            let mut testbench = Testbench::new(dut, &config, stalls, 1..=8, rng)?;
            let traffic = Traffic::new(limits, rng);
            traffic.fill(&mut testbench.world, rng);
            let mut open: Vec<usize> = vec![];
            for number in 0..2_500 {
                if number % 500 == 0 {
                    testbench.memory.latency = [1..=8, 1..=1, 3..=3, 1..=30, 2..=4][number / 500].clone();
                }
                if testbench.requests.pending() < 2 && rng.random_bool(0.8) {
                    testbench.request(traffic.any(rng))?;
                }
                let invalidate = rng.random_bool(0.06);
                if invalidate {
                    traffic.fill(&mut testbench.world, rng);
                }
                let before = testbench.golden.clone();
                let Cycle { events, done, .. } = testbench.cycle(invalidate)?;
                let of =
                    events.answer.map(|(walk, _)| if before.has_root(walk) { "context entry" } else { "root entry" });
                let request = events.request.map_or("none", |requester| match before.merges(requester) {
                    true => "merges",
                    false if before.is_walked(requester) => "for a requester with a stale walk",
                    false => "starts a walk",
                });
                let invalidation = if invalidate { "yes" } else { "no" };
                coverage.sample(&[
                    ("request", request),
                    ("invalidation", invalidation),
                    ("answer", of.unwrap_or("none")),
                ]);
                let walks = match before.in_flight() {
                    0 => "none",
                    all if all == usize::from(limits.walks) => "all",
                    _ => "some",
                };
                coverage.sample(&[("walks", walks)]);
                if let (Some(of), Some((walk, _))) = (of, events.answer) {
                    let code = ["OKAY", "EXOKAY", "SLVERR", "DECERR"][response.get() as usize];
                    coverage.sample(&[("response", code), ("of", of)]);
                    let is_oldest = open.first() == Some(&walk);
                    coverage.sample(&[("data", if is_oldest { "of the oldest read" } else { "of another" })]);
                    open.retain(|other| *other != walk);
                }
                open.extend(events.taken);
                if let Some(Done { outcome, .. }) = done {
                    let end = match outcome {
                        Ending::Stale => "stale",
                        Ending::Context(context) if context.pass_through => "pass-through",
                        Ending::Context(_) => "context",
                        Ending::Fault(fault) => fault.reason.name(),
                    };
                    coverage.sample(&[("end", end)]);
                }
            }
            testbench.finish()
        });
    }
}

/// Whether a walk of contexts may end with this reason (VT-d, fault conditions of root and context entries).
fn ends_a_walk(reason: FaultReason) -> bool {
    matches!(reason.number(), 0x1..=0x3 | 0x8..=0xB)
}

/// Resets of one cycle or more at any time: walks in flight and requests are lost, and nothing of them comes later.
#[test]
fn reset_in_the_middle() {
    for config in configurations() {
        let limits = Limits::of(&config);
        let coverage = Coverage::new().point("walks", ["none", "some", "all"]);
        let run = tb::run(module_path!(), "reset_in_the_middle", &config).seeds(9).coverage(coverage);
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config, stalls_of(*seed), 1..=8, rng)?;
            let traffic = Traffic::new(limits, rng);
            for _ in 0..40 {
                traffic.fill(&mut testbench.world, rng);
                for _ in 0..rng.random_range(0..40) {
                    if testbench.requests.pending() == 0 {
                        testbench.request(traffic.any(rng))?;
                    }
                    testbench.cycle(false)?;
                }
                let walks = match testbench.golden.in_flight() {
                    0 => "none",
                    all if all == usize::from(limits.walks) => "all",
                    _ => "some",
                };
                coverage.sample(&[("walks", walks)]);
                testbench.reset(rng.random_range(1..=3))?;
                if rng.random_bool(0.3) {
                    testbench.finish()?;
                }
            }
            testbench.finish()
        });
    }
}

/// Within a cycle, nothing goes from the inputs to the outputs.
#[test]
fn no_path_to_the_outputs() {
    for config in configurations() {
        let run = tb::run(module_path!(), "no_path_to_the_outputs", &config).seeds(4);
        run.check(&model(&config, MODULE), |bench| rules::no_path(&mut bench.dut, &mut bench.rng));
    }
}

/// After reset, nothing that counts depends on what the registers and the memory held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &model(&config, MODULE), rules::random_inputs);
    }
}
