//! The page walker against walks written by hand from VT-d's figures of second-level paging, and what its cache keeps.

use std::collections::BTreeMap;

use tollgate_golden::iommu::iotlb::{self, Page, Translation};
use tollgate_golden::iommu::page_walker::{
    Accepted, Done, Events, Invalidation, Outcome, PageWalker, Position, Reaction, Request, walk,
};
use tollgate_spec::config::Config;
use tollgate_spec::iotlb::PageSize;
use tollgate_spec::page_walker as codes;
use tollgate_spec::pte::Level;

/// The address 0x7FFF_DEAD_B123 of domain 5: entries 0xFF of the root, 0x1FF, 0xF5, 0xDB below it.
const PAGE: Page = Page { domain: 5, number: 0x7_FFFD_EADB };

/// A table at 0x1000, the next ones at 0x2000, 0x3000, 0x4000; the page is at 0x1234_5678_9000.
const TABLES: [(u64, u64); 4] = [
    (0x17F8, 0x0000_0000_0000_2003),
    (0x2FF8, 0x0000_0000_0000_3003),
    (0x37A8, 0x0000_0000_0000_4003),
    (0x46D8, 0x0000_1234_5678_9003),
];

const REQUEST: Request = Request { page: PAGE, table: 1, active: false };

fn config() -> Config {
    Config::shipped("default", &[]).unwrap()
}

/// The end of the walk of [`REQUEST`], with other entries in place of some.
fn end(active: bool, others: &[(u64, u64)]) -> Outcome {
    let memory: BTreeMap<u64, u64> = TABLES.iter().chain(others).copied().collect();
    walk(&config().pte, &Request { active, ..REQUEST }, |address| memory.get(&address).copied())
}

/// A translation with R and W, and no more.
fn plain(frame: u64, size: PageSize) -> Translation {
    Translation {
        frame,
        size,
        read: true,
        write: true,
        write_log: false,
        write_log_data: false,
        read_log: false,
        read_log_data: false,
        active_destination: false,
        iuid: 0,
    }
}

#[test]
fn addresses_are_those_of_four_indices_of_nine_bits() {
    let address = |level, table| Position { level, ..Position::root(table) }.address(PAGE);
    assert_eq!(address(Level::PageMapLevel4, 1), 0x17F8);
    assert_eq!(address(Level::PageDirectoryPointer, 2), 0x2FF8);
    assert_eq!(address(Level::PageDirectory, 3), 0x37A8);
    assert_eq!(address(Level::PageTable, 0xF_FFFF_FFFF), 0xFFFF_FFFF_F6D8);
}

#[test]
fn a_walk_ends_at_a_leaf_of_each_size() {
    let translated = |frame, size| Outcome::Translated(plain(frame, size));
    assert_eq!(end(false, &[]), translated(0x1_2345_6789, PageSize::FourKib));
    assert_eq!(end(false, &[(0x37A8, 0x1234_5660_0083)]), translated(0x1_2345_6600, PageSize::TwoMib));
    assert_eq!(end(false, &[(0x2FF8, 0x1234_4000_0083)]), translated(0x1_2344_0000, PageSize::OneGib));
}

#[test]
fn permissions_are_those_of_all_levels() {
    let permissions = |others: &[(u64, u64)]| match end(false, others) {
        Outcome::Translated(Translation { read, write, .. }) => (read, write),
        other => panic!("{other:?}"),
    };
    assert_eq!(permissions(&[]), (true, true));
    assert_eq!(permissions(&[(0x17F8, 0x2001)]), (true, false));
    assert_eq!(permissions(&[(0x2FF8, 0x3002)]), (false, true));
    assert_eq!(permissions(&[(0x37A8, 0x4001)]), (true, false));
    assert_eq!(permissions(&[(0x46D8, 0x9002)]), (false, true));
    assert_eq!(permissions(&[(0x17F8, 0x2001), (0x37A8, 0x4002)]), (false, false));
}

#[test]
fn a_walk_ends_where_it_cannot_go_on() {
    for (address, _) in TABLES {
        assert_eq!(end(false, &[(address, 0)]), Outcome::NotPresent);
        assert_eq!(end(true, &[(address, 0)]), Outcome::NotPresent);
        assert_eq!(end(false, &[(address, 0xFFF0_0000_0000_0F7C)]), Outcome::NotPresent);
        assert_eq!(end(false, &[(address, 0x0001_0000_0000_0001)]), Outcome::Reserved, "bit 48 of {address:#x}");
    }
    assert_eq!(end(false, &[(0x17F8, 0x2083)]), Outcome::Reserved, "page size at the root");
    assert_eq!(end(false, &[(0x2FF8, 0x2000_0083)]), Outcome::Reserved, "half a GiB");
    assert_eq!(end(false, &[(0x37A8, 0x0010_0083)]), Outcome::Reserved, "half of 2 MiB");
    for lost in 0..4 {
        let mut left = TABLES.iter().enumerate().filter(|(place, _)| *place != lost).map(|(_, entry)| *entry);
        let memory = |address| left.clone().find(|(at, _)| *at == address).map(|(_, entry)| entry);
        assert_eq!(walk(&config().pte, &REQUEST, memory), Outcome::Unreachable);
        assert!(left.next().is_some());
    }
}

/// U-08, U-09: an active leaf without R and W is there, an entry without them that leads on is not.
#[test]
fn an_active_leaf_says_all_that_it_says() {
    // WL, WLD, RL, RLD, E, user domain 0x155.
    let log = 0x9550_1234_5678_9780;
    let active = |entry| match end(true, &[(0x46D8, entry)]) {
        Outcome::Translated(translation) => translation,
        other => panic!("{other:?}"),
    };
    let all = Translation {
        read: false,
        write: false,
        write_log: true,
        write_log_data: true,
        read_log: true,
        read_log_data: true,
        active_destination: true,
        iuid: 0x155,
        ..plain(0x1_2345_6789, PageSize::FourKib)
    };
    assert_eq!(active(log), all);
    assert_eq!(active(log | 2), Translation { write: true, ..all });
    assert_eq!(active(log & !0x80), Translation { write_log: false, ..all });
    assert_eq!(end(false, &[(0x46D8, log)]), Outcome::NotPresent);
    assert_eq!(end(false, &[(0x46D8, log | 3)]), Outcome::Translated(plain(0x1_2345_6789, PageSize::FourKib)));
    assert_eq!(end(true, &[(0x37A8, 0x9550_0000_0000_4700)]), Outcome::NotPresent);
}

/// A page walker whose memory takes every address at once and answers when it is told to.
struct Unit {
    walker: PageWalker,
    memory: BTreeMap<u64, u64>,
}

impl Unit {
    fn new(sets: &[&str]) -> Self {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let walker = PageWalker::new(&Config::shipped("default", &sets).unwrap());
        Self { walker, memory: TABLES.into_iter().collect() }
    }

    fn step(&mut self, events: Events) -> Reaction {
        self.walker.step(&events)
    }

    fn ask(&mut self, request: Request) -> Option<Accepted> {
        self.step(Events { request: Some(request), ..Events::default() }).accepted
    }

    /// The address that a walk reads, and what its entry leads to.
    fn read(&mut self, number: usize) -> (u64, Reaction) {
        let address = self.walker.to_read(number).expect("it has something to read");
        self.step(Events { read: Some(number), ..Events::default() });
        let answer = Some((number, self.memory.get(&address).copied()));
        (address, self.step(Events { answer, ..Events::default() }))
    }

    /// The addresses that a walk reads to its end, and the end.
    fn finish(&mut self, number: usize) -> (Vec<u64>, Outcome) {
        let mut addresses = vec![];
        loop {
            let (address, reaction) = self.read(number);
            addresses.push(address);
            if let Some(Done { outcome, .. }) = reaction.done {
                return (addresses, outcome);
            }
        }
    }

    fn invalidate(&mut self, of: iotlb::Invalidation, leaf_only: bool) {
        self.step(Events { invalidate: Some(Invalidation { of, leaf_only }), ..Events::default() });
    }

    /// The addresses that the walk of a page reads.
    fn addresses(&mut self, request: Request) -> Vec<u64> {
        match self.ask(request) {
            Some(Accepted::Starts(number, _)) => self.finish(number).0,
            other => panic!("{other:?}"),
        }
    }
}

const TRANSLATED: Outcome = Outcome::Translated(Translation {
    frame: 0x1_2345_6789,
    size: PageSize::FourKib,
    read: true,
    write: true,
    write_log: false,
    write_log_data: false,
    read_log: false,
    read_log_data: false,
    active_destination: false,
    iuid: 0,
});

#[test]
fn a_walk_reads_an_entry_of_each_level() {
    let mut unit = Unit::new(&[]);
    assert_eq!(unit.ask(REQUEST), Some(Accepted::Starts(0, Level::PageMapLevel4)));
    assert_eq!(unit.finish(0), (TABLES.map(|(address, _)| address).to_vec(), TRANSLATED));
    assert_eq!(unit.walker.in_flight(), 0);
}

#[test]
fn what_leads_on_is_kept() {
    let mut unit = Unit::new(&[]);
    unit.addresses(REQUEST);
    let addresses =
        |unit: &mut Unit, number| unit.addresses(Request { page: Page { number, ..PAGE }, ..REQUEST }).first().copied();
    assert_eq!(addresses(&mut unit, PAGE.number), Some(0x46D8));
    assert_eq!(addresses(&mut unit, PAGE.number ^ 1), Some(0x46D0), "the same table");
    assert_eq!(addresses(&mut unit, PAGE.number ^ 1 << 9), Some(0x37A0), "the same directory");
    assert_eq!(addresses(&mut unit, PAGE.number ^ 1 << 18), Some(0x2FF0), "the same 512 GiB");
    assert_eq!(addresses(&mut unit, PAGE.number ^ 1 << 27), Some(0x17F0), "the root");
    let other = Request { page: Page { domain: 6, ..PAGE }, ..REQUEST };
    assert_eq!(unit.addresses(other).len(), 4, "another domain");
}

#[test]
fn an_invalidation_forgets_what_it_covers() {
    let page = |number, address_mask| iotlb::Invalidation::Page { page: Page { number, ..PAGE }, address_mask };
    let reads = |of, leaf_only| {
        let mut unit = Unit::new(&[]);
        unit.addresses(REQUEST);
        unit.invalidate(of, leaf_only);
        unit.addresses(REQUEST).len()
    };
    assert_eq!(reads(iotlb::Invalidation::Global, true), 4);
    assert_eq!(reads(iotlb::Invalidation::Domain(5), true), 4);
    assert_eq!(reads(iotlb::Invalidation::Domain(4), false), 1);
    assert_eq!(reads(page(PAGE.number, 0), false), 4);
    assert_eq!(reads(page(PAGE.number, 0), true), 1, "leaves alone have changed");
    assert_eq!(reads(page(PAGE.number ^ 0x1FF, 0), false), 4, "the same 2 MiB");
    assert_eq!(reads(page(PAGE.number ^ 0x200, 0), false), 1, "what is kept of the 2 MiB is not covered");
    assert_eq!(reads(page(PAGE.number ^ 0x200, 10), false), 4);
    assert_eq!(reads(page(0, 63), false), 4);
    assert_eq!(reads(page(0, 34), false), 1);
}

#[test]
fn equal_requests_merge_while_the_walk_is_not_stale() {
    let mut unit = Unit::new(&[]);
    unit.ask(REQUEST);
    assert_eq!(unit.ask(REQUEST), Some(Accepted::Merges(0)));
    let beside = Request { page: Page { number: PAGE.number ^ 1, ..PAGE }, ..REQUEST };
    assert_eq!(unit.ask(beside), Some(Accepted::Starts(1, Level::PageMapLevel4)));
    unit.invalidate(iotlb::Invalidation::Domain(9), true);
    assert_eq!(unit.ask(REQUEST), Some(Accepted::Starts(2, Level::PageMapLevel4)));
    assert_eq!(unit.ask(REQUEST), Some(Accepted::Merges(2)));
    assert_eq!(unit.read(0).1.done, Some(Done { page: PAGE, outcome: Outcome::Stale }));
    assert_eq!(unit.walker.kept().count(), 0, "a stale walk keeps nothing");
    assert_eq!(unit.finish(2).1, TRANSLATED);
}

#[test]
fn what_meets_in_a_cycle() {
    let mut unit = Unit::new(&[]);
    let everything = Some(Invalidation { of: iotlb::Invalidation::Global, leaf_only: false });
    // A request beside an invalidation is before it.
    unit.step(Events { request: Some(REQUEST), invalidate: everything, ..Events::default() });
    assert_eq!(unit.read(0).1.done.map(|done| done.outcome), Some(Outcome::Stale));
    // So is an answer.
    unit.ask(REQUEST);
    unit.step(Events { read: Some(0), ..Events::default() });
    let answer = Some((0, Some(0x2003)));
    let reaction = unit.step(Events { answer, invalidate: everything, ..Events::default() });
    assert_eq!(reaction.done, Some(Done { page: PAGE, outcome: Outcome::Stale }));
    // A request beside the last answer merges, one cycle later it starts a walk.
    unit.ask(REQUEST);
    (0..3).for_each(|_| assert_eq!(unit.read(0).1.descends, Some(0)));
    unit.step(Events { read: Some(0), ..Events::default() });
    let answer = Some((0, Some(0x1234_5678_9003)));
    let reaction = unit.step(Events { request: Some(REQUEST), answer, ..Events::default() });
    assert_eq!(reaction.accepted, Some(Accepted::Merges(0)));
    assert_eq!(reaction.done, Some(Done { page: PAGE, outcome: TRANSLATED }));
    assert_eq!(unit.ask(REQUEST), Some(Accepted::Starts(0, Level::PageTable)));
}

#[test]
fn the_oldest_entry_makes_room() {
    let mut unit = Unit::new(&["page_walker.cache_entries=2"]);
    unit.addresses(REQUEST);
    let levels = |unit: &Unit| {
        let mut levels: Vec<Level> = unit.walker.kept().map(|(_, level, _)| level).collect();
        levels.sort_unstable();
        levels
    };
    assert_eq!(levels(&unit), [Level::PageDirectory, Level::PageDirectoryPointer]);
    assert_eq!(unit.addresses(REQUEST), [0x46D8]);
    // One of the same directory puts its own in place of the older one.
    unit.memory.insert(0x37A0, 0x5003);
    unit.memory.insert(0x56D8, 0x9003);
    let beside = Request { page: Page { number: PAGE.number ^ 1 << 9, ..PAGE }, ..REQUEST };
    assert_eq!(unit.addresses(beside), [0x37A0, 0x56D8]);
    assert_eq!(levels(&unit), [Level::PageDirectory, Level::PageDirectory]);
}

#[test]
fn walks_are_as_many_as_there_are() {
    let mut unit = Unit::new(&["page_walker.walks=2"]);
    for (number, domain) in [(0, 1), (1, 2)] {
        assert!(unit.walker.has_room());
        let request = Request { page: Page { domain, ..PAGE }, ..REQUEST };
        assert_eq!(unit.ask(request), Some(Accepted::Starts(number, Level::PageMapLevel4)));
    }
    assert!(!unit.walker.has_room());
    assert_eq!(unit.walker.to_read(2), None);
    // Nobody waits for these answers.
    for number in [0, 1, 2] {
        let reaction = unit.step(Events { answer: Some((number, Some(0))), ..Events::default() });
        assert_eq!(reaction, Reaction::default());
    }
    unit.memory.clear();
    assert_eq!(unit.finish(1).1, Outcome::Unreachable);
    assert!(unit.walker.has_room());
    unit.walker.reset();
    assert_eq!(unit.walker.in_flight(), 0);
}

#[test]
fn ends_have_codes() {
    let ends = [TRANSLATED, Outcome::NotPresent, Outcome::Reserved, Outcome::Unreachable, Outcome::Stale];
    assert_eq!(ends.map(|end| end.code()), codes::Outcome::ALL);
}
