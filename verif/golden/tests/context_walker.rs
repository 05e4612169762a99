//! The context walker: what entries mean, and what becomes of walks.

use std::collections::BTreeMap;

use tollgate_golden::iommu::context_cache::Context;
use tollgate_golden::iommu::context_walker::{ContextWalker, Done, Events, Fault, Outcome, Tables};
use tollgate_spec::config::Config;
use tollgate_spec::fault::FaultReason;

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Config::shipped("default", &sets).unwrap()
}

fn tables() -> Tables {
    Tables::new(&config(&[]))
}

/// The entry of domain 0x1234 with the table at 0x7FFF_FFFF_F000: present, translated, 48 bits.
const ENTRY: u128 = 0x0012_3402_0000_7FFF_FFFF_F001;

/// What it says.
const CONTEXT: Context = Context {
    domain: 0x1234,
    page_table: 0x7_FFFF_FFFF,
    pass_through: false,
    fault_processing_disable: false,
    active: false,
};

/// The reason and the FPD of a context entry.
fn refused(entry: u128) -> (u8, bool) {
    let fault = tables().context(Some(entry)).unwrap_err();
    (fault.reason.number(), fault.fault_processing_disable)
}

#[test]
fn a_requester_numbers_its_entries() {
    assert_eq!(Tables::root_address(0xABCDE, 0x1234), 0xABCD_E120);
    assert_eq!(Tables::context_address(0xABCDE, 0x1234), 0xABCD_E340);
    assert_eq!(Tables::root_address(0, 0xFFFF), 0xFF0);
    assert_eq!(Tables::context_address(0xF_FFFF_FFFF, 0x00FF), 0xFFFF_FFFF_FFF0);
}

#[test]
fn a_root_entry_leads_to_a_context_table() {
    let tables = tables();
    assert_eq!(tables.root(Some(0x1234_5678_9001)), Ok(0x1_2345_6789));
    assert_eq!(tables.root(Some(0x0001)), Ok(0));
    let reason = |entry| tables.root(entry).unwrap_err().reason.number();
    assert_eq!(reason(None), 0x8);
    assert_eq!(reason(Some(0x1234_5678_9000)), 0x1);
    assert_eq!(reason(Some(u128::MAX - 1)), 0x1, "an entry that is not present is not looked at");
    for bit in (1..12).chain(48..128) {
        assert_eq!(reason(Some(0x1234_5678_9001 | 1 << bit)), 0xA, "bit {bit}");
    }
    assert!(!tables.root(Some(0x0003)).unwrap_err().fault_processing_disable);
}

#[test]
fn a_context_entry_says_what_becomes_of_requests() {
    let tables = tables();
    assert_eq!(tables.context(Some(ENTRY)), Ok(CONTEXT));
    let with = |bits: u128| tables.context(Some(ENTRY | bits)).unwrap();
    assert_eq!(with(1 << 1), Context { fault_processing_disable: true, ..CONTEXT });
    assert_eq!(with(2 << 2), Context { pass_through: true, ..CONTEXT });
    assert_eq!(with(1 << 67), Context { active: true, ..CONTEXT });
    for ignored in 68..71 {
        assert_eq!(with(1 << ignored), CONTEXT, "bit {ignored}");
    }
    assert_eq!(with(0xFFFF << 72).domain, 0xFFFF);
}

#[test]
fn a_context_entry_is_refused_for_the_first_reason() {
    assert_eq!(
        tables().context(None),
        Err(Fault { reason: FaultReason::ContextEntryUnreachable, fault_processing_disable: false })
    );
    assert_eq!(refused(ENTRY - 1), (0x2, false));
    assert_eq!(refused((ENTRY - 1) | 2), (0x2, true), "FPD counts in an entry that is not present");
    assert_eq!(refused(u128::MAX - 1), (0x2, true));
    for bit in (4..12).chain(48..64).chain([71]).chain(88..128) {
        assert_eq!(refused(ENTRY | 1 << bit), (0xB, false), "bit {bit}");
        assert_eq!(refused(ENTRY | 1 << bit | 0b1110), (0xB, true), "bit {bit} comes before the translation type");
    }
    assert_eq!(refused(ENTRY | 1 << 2), (0x3, false), "device TLB");
    assert_eq!(refused(ENTRY | 3 << 2), (0x3, false), "reserved translation type");
    assert_eq!(refused(ENTRY | 1 << 2 | 2), (0x3, true));
    for width in [0, 1, 3, 4, 5, 6, 7] {
        assert_eq!(refused(ENTRY ^ (width ^ 2) << 64), (0x3, false), "AW {width}");
        assert_eq!(refused(ENTRY ^ (width ^ 2) << 64 | 2 << 2), (0x3, false), "AW {width} and pass-through");
    }
}

#[test]
fn what_a_smaller_unit_has_not_is_reserved() {
    let small = Tables::new(&Config::shipped("small", &[]).unwrap());
    assert_eq!(small.root(Some(0x40_0000_0001)).map_err(|fault| fault.reason.number()), Ok(0x400_0000));
    assert_eq!(small.root(Some(0x80_0000_0001)).map_err(|fault| fault.reason.number()), Err(0xA));
    let context =
        |entry| small.context(Some(entry)).map(|context| context.domain).map_err(|fault| fault.reason.number());
    assert_eq!(context(0x0000_0F02_0000_0000_0000_0001), Ok(0xF));
    assert_eq!(context(0x0000_1002_0000_0000_0000_0001), Err(0xB), "a domain id of more bits than there are");
    assert_eq!(context(0x0000_0002_0000_0080_0000_0001), Err(0xB), "an address beyond the host");
}

#[test]
fn a_walk_reads_two_entries() {
    let memory = BTreeMap::from([(0x5000 + 0x12 * 16, 0x9001), (0x9000 + 0x34 * 16, ENTRY)]);
    let walk = |requester| tables().walk(5, requester, |address| memory.get(&address).copied());
    assert_eq!(walk(0x1234), Ok(CONTEXT));
    assert_eq!(walk(0x1334).unwrap_err().reason.number(), 0x8);
    assert_eq!(walk(0x1235).unwrap_err().reason.number(), 0x9);
}

fn request(requester: u16) -> Events {
    Events { request: Some(requester), root_table: 5, ..Events::default() }
}

/// A read of a walk is taken, and answered in the cycle after.
fn answer(walker: &mut ContextWalker, walk: usize, entry: Option<u128>) -> Option<Done> {
    assert_eq!(walker.step(&Events { taken: Some(walk), ..Events::default() }), None);
    walker.step(&Events { answer: Some((walk, entry)), ..Events::default() })
}

fn done(requester: u16, outcome: Outcome) -> Option<Done> {
    Some(Done { requester, outcome })
}

#[test]
fn a_walk_ends_with_its_context_and_is_free_again() {
    let mut walker = ContextWalker::new(&config(&["context_walker.walks=2"]));
    walker.step(&request(0x1234));
    assert!(walker.may_read(0, 0x5120) && !walker.may_read(0, 0x5130) && !walker.may_read(1, 0x5120));
    assert_eq!(answer(&mut walker, 0, Some(0x9001)), None);
    assert!(walker.may_read(0, 0x9340) && !walker.may_read(0, 0x5120));
    assert_eq!(answer(&mut walker, 0, Some(ENTRY)), done(0x1234, Outcome::Context(CONTEXT)));
    assert_eq!(walker.in_flight(), 0);
    assert!(!walker.may_read(0, 0x9340));
}

#[test]
fn requests_merge_with_fresh_walks_alone() {
    let mut walker = ContextWalker::new(&config(&["context_walker.walks=2"]));
    walker.step(&request(7));
    walker.step(&request(7));
    assert_eq!(walker.in_flight(), 1);
    walker.step(&Events { invalidate: true, ..request(7) });
    assert_eq!(walker.in_flight(), 1, "the walk was fresh before the cycle");
    walker.step(&request(7));
    assert_eq!(walker.in_flight(), 2);
    assert!(!walker.is_ready());
    assert_eq!(answer(&mut walker, 0, Some(0x9001)), done(7, Outcome::Stale), "a stale walk ends with its next answer");
    assert_eq!(answer(&mut walker, 1, Some(0x9001)), None);
    assert_eq!(
        answer(&mut walker, 1, None).unwrap().outcome,
        Outcome::Fault(Fault { reason: FaultReason::ContextEntryUnreachable, fault_processing_disable: false })
    );
}

#[test]
fn a_request_beside_an_invalidation_starts_after_it() {
    let mut walker = ContextWalker::new(&config(&[]));
    walker.step(&Events { invalidate: true, ..request(7) });
    assert_eq!(
        answer(&mut walker, 0, Some(0)).unwrap().outcome,
        Outcome::Fault(Fault { reason: FaultReason::RootEntryNotPresent, fault_processing_disable: false })
    );
}

#[test]
fn an_answer_beside_an_invalidation_is_stale() {
    let mut walker = ContextWalker::new(&config(&[]));
    walker.step(&request(7));
    walker.step(&Events { taken: Some(0), ..Events::default() });
    let events = Events { answer: Some((0, Some(0))), invalidate: true, ..request(7) };
    assert_eq!(walker.step(&events), done(7, Outcome::Stale));
    assert_eq!(walker.in_flight(), 0, "the request has merged");
}

#[test]
fn the_lowest_free_walk_is_started() {
    let mut walker = ContextWalker::new(&config(&["context_walker.walks=3"]));
    for requester in 1..4 {
        walker.step(&request(requester));
    }
    assert_eq!(answer(&mut walker, 1, None).unwrap().requester, 2);
    walker.step(&request(9));
    assert_eq!(answer(&mut walker, 1, None).unwrap().requester, 9);
}

#[test]
fn what_nobody_asked_for_is_ignored() {
    let mut walker = ContextWalker::new(&config(&["context_walker.walks=3"]));
    walker.step(&request(7));
    for walk in 0..4 {
        assert_eq!(walker.step(&Events { answer: Some((walk, None)), ..Events::default() }), None);
    }
    assert_eq!(walker.in_flight(), 1);
}

#[test]
fn the_root_table_may_be_any_since_the_request() {
    let mut walker = ContextWalker::new(&config(&[]));
    walker.step(&request(0));
    walker.step(&Events { root_table: 6, ..Events::default() });
    assert!(walker.may_read(0, 0x5000) && walker.may_read(0, 0x6000) && !walker.may_read(0, 0x7000));
    walker.reset();
    assert!(!walker.may_read(0, 0x5000));
}
