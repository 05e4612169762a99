//! The table: what is refused and why, and what happens when commands meet.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tollgate_golden::active_access::access_log_table::{AccessLogTable, Answers, Commands, Descriptor, Found, Program};
use tollgate_spec::access_log::ProgramError::{self, *};
use tollgate_spec::config::Config;

fn config(name: &str, sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Config::shipped(name, &sets).unwrap()
}

fn table() -> AccessLogTable {
    AccessLogTable::new(&config("default", &[]))
}

/// A right descriptor: the smallest ring of a default log.
fn log(iuid: u64) -> Descriptor {
    let base = 0x10_0000;
    Descriptor { iuid, base, head: base, tail: base, size: 4160, ..Descriptor::default() }
}

/// The smallest ring of a compact log.
fn compact(iuid: u64) -> Descriptor {
    Descriptor { size: 4100, compact: true, ..log(iuid) }
}

fn program(index: u64, descriptor: Descriptor) -> Commands {
    Commands { program: Some(Program { index, descriptor }), ..Commands::default() }
}

fn invalidate(index: u64) -> Commands {
    Commands { invalidate: Some(index), ..Commands::default() }
}

fn lookup(iuid: u64) -> Commands {
    Commands { lookup: Some(iuid), ..Commands::default() }
}

fn refusals(table: &mut AccessLogTable, index: u64, descriptor: Descriptor) -> Vec<ProgramError> {
    table.step(&program(index, descriptor)).programmed.expect("programming is always answered")
}

fn found(table: &mut AccessLogTable, iuid: u64) -> Option<Found> {
    table.step(&lookup(iuid)).found
}

#[test]
fn what_is_programmed_is_found() {
    let mut table = table();
    let log = Descriptor { head: 0x10_0020, tail: 0x10_1020, drop: true, ..log(7) };
    assert_eq!(refusals(&mut table, 15, log), []);
    assert_eq!(found(&mut table, 7), Some(Found { index: 15, descriptor: log }));
    assert_eq!(found(&mut table, 8), None);
}

#[test]
fn nothing_is_found_after_reset() {
    let mut table = table();
    assert_eq!(found(&mut table, 0), None);
    table.step(&program(0, log(0)));
    table.reset();
    assert_eq!(found(&mut table, 0), None);
    assert_eq!(table.entry(0), None);
}

#[test]
fn all_user_domains_are_usable() {
    let mut table = table();
    for iuid in 0..1024 {
        assert_eq!(refusals(&mut table, iuid % 16, log(iuid)), []);
        assert_eq!(found(&mut table, iuid).unwrap().index, iuid % 16);
        table.step(&invalidate(iuid % 16));
    }
}

#[test]
fn no_command_has_no_answer() {
    assert_eq!(table().step(&Commands::default()), Answers::default());
}

#[test]
fn an_index_beyond_the_table_is_refused() {
    let mut table = table();
    assert_eq!(refusals(&mut table, 16, log(1)), [Index]);
    assert_eq!(refusals(&mut table, u64::MAX, log(1)), [Index]);
    assert_eq!(found(&mut table, 1), None);
    assert_eq!(table.entry(16), None);
}

#[test]
fn a_valid_entry_is_refused_until_it_is_invalidated() {
    let mut table = table();
    table.step(&program(3, log(1)));
    assert_eq!(refusals(&mut table, 3, log(2)), [Enabled]);
    assert_eq!(refusals(&mut table, 3, log(1)), [Enabled]);
    assert_eq!(table.entry(3), Some(&log(1)));
    table.step(&invalidate(3));
    assert_eq!(refusals(&mut table, 3, log(2)), []);
}

#[test]
fn a_user_domain_has_one_log() {
    let mut table = table();
    table.step(&program(3, log(1)));
    assert_eq!(refusals(&mut table, 4, log(1)), [Duplicate]);
    table.step(&program(4, log(2)));
    assert_eq!(refusals(&mut table, 4, log(1)), [Enabled, Duplicate]);
    assert_eq!(refusals(&mut table, 16, log(1)), [Index, Duplicate]);
    table.step(&invalidate(3));
    assert_eq!(refusals(&mut table, 5, log(1)), []);
}

#[test]
fn everything_is_aligned_to_the_granule() {
    let right = Descriptor { size: 8192, head: 0x10_0040, tail: 0x10_0040, ..log(1) };
    let wrong = |by| {
        [
            Descriptor { base: right.base + by, ..right },
            Descriptor { head: right.head + by, ..right },
            Descriptor { tail: right.tail + by, ..right },
            Descriptor { size: right.size + by, ..right },
        ]
    };
    for by in [1, 4, 16, 31] {
        for descriptor in wrong(by) {
            assert_eq!(refusals(&mut table(), 0, descriptor), [Unaligned], "{descriptor:x?}");
        }
    }
    for descriptor in wrong(32) {
        assert_eq!(refusals(&mut table(), 0, descriptor), [], "{descriptor:x?}");
    }
    for (by, expected) in [(1, vec![Unaligned]), (2, vec![Unaligned]), (4, vec![])] {
        for descriptor in wrong(by) {
            let descriptor = Descriptor { compact: true, ..descriptor };
            assert_eq!(refusals(&mut table(), 0, descriptor), expected, "{descriptor:x?}");
        }
    }
}

#[test]
fn a_ring_holds_the_largest_record_and_a_granule() {
    let size = |size, log: Descriptor| refusals(&mut table(), 0, Descriptor { size, ..log });
    assert_eq!(size(4160, log(1)), []);
    assert_eq!(size(4128, log(1)), [TooSmall]);
    assert_eq!(size(4100, compact(1)), []);
    assert_eq!(size(4096, compact(1)), [TooSmall]);
    assert_eq!(size(32, log(1)), [TooSmall]);
    assert_eq!(size(0, log(1)), [ZeroSize, TooSmall, Outside]);
    assert_eq!(size(0xFFFF_FFE0, log(1)), []);
}

#[test]
fn head_and_tail_lie_in_the_ring() {
    let right = log(1);
    let end = right.base + right.size;
    let head = |head| refusals(&mut table(), 0, Descriptor { head, ..right });
    let tail = |tail| refusals(&mut table(), 0, Descriptor { tail, ..right });
    assert_eq!(head(end - 32), []);
    assert_eq!(tail(end - 32), []);
    assert_eq!(head(end), [Outside]);
    assert_eq!(tail(end), [Outside]);
    assert_eq!(head(right.base - 32), [Outside]);
    assert_eq!(tail(right.base - 32), [Outside]);
    assert_eq!(head(0), [Outside]);
}

#[test]
fn a_ring_ends_in_the_address_space() {
    let at = |base, config: &Config, size| {
        let log = Descriptor { base, head: base, tail: base, size, ..log(1) };
        refusals(&mut AccessLogTable::new(config), 0, log)
    };
    let default = config("default", &[]);
    assert_eq!(at(0_u64.wrapping_sub(4160), &default, 4160), []);
    assert_eq!(at(0_u64.wrapping_sub(4128), &default, 4160), [Outside]);
    let small = config("small", &[]);
    assert_eq!(at((1 << 39) - 576, &small, 576), []);
    assert_eq!(at((1 << 39) - 544, &small, 576), [Outside]);
}

/// A ring over the end of the address space does not contain what lies at its start.
#[test]
fn a_ring_does_not_wrap_round_the_address_space() {
    let base = 0_u64.wrapping_sub(4096);
    let log = Descriptor { base, head: 0, tail: base, size: 8192, ..log(1) };
    assert_eq!(refusals(&mut table(), 0, log), [Outside]);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let mut table = table();
    table.step(&program(0, log(1)));
    let descriptor = Descriptor { iuid: 1, base: 1, ..Descriptor::default() };
    let all_but_enabled = [Index, Duplicate, Unaligned, ZeroSize, TooSmall, Outside];
    assert_eq!(refusals(&mut table, 99, descriptor), all_but_enabled);
}

#[test]
fn granule_and_payload_are_the_configurations() {
    let sets = [
        "access_log_table.granule_bytes=8",
        "access_log_table.largest_payload_bytes=128",
        "tlp.max_payload_bytes=128",
        "tlp.max_read_request_bytes=128",
    ];
    let size = |size| {
        let mut table = AccessLogTable::new(&config("default", &sets));
        refusals(&mut table, 0, Descriptor { size, ..log(1) })
    };
    assert_eq!(size(32 + 128 + 8), []);
    assert_eq!(size(32 + 128), [TooSmall]);
    assert_eq!(size(32 + 128 + 12), [Unaligned]);
}

#[test]
fn invalidating_nothing_does_nothing() {
    let mut table = table();
    table.step(&program(3, log(1)));
    table.step(&invalidate(4));
    table.step(&invalidate(16));
    table.step(&invalidate(u64::MAX));
    assert_eq!(table.entry(3), Some(&log(1)));
}

/// Commands of one cycle are judged on the state before it.
mod meeting {
    use super::*;

    fn both(index: u64, descriptor: Descriptor, invalidate: u64) -> Commands {
        Commands { invalidate: Some(invalidate), ..program(index, descriptor) }
    }

    #[test]
    fn program_and_invalidate_of_a_valid_entry_leave_it_invalid() {
        let mut table = table();
        table.step(&program(3, log(1)));
        assert_eq!(table.step(&both(3, log(2), 3)).programmed, Some(vec![Enabled]));
        assert_eq!(table.entry(3), None);
    }

    #[test]
    fn program_and_invalidate_of_an_invalid_entry_leave_it_valid() {
        let mut table = table();
        assert_eq!(table.step(&both(3, log(2), 3)).programmed, Some(vec![]));
        assert_eq!(table.entry(3), Some(&log(2)));
    }

    #[test]
    fn a_user_domain_that_is_just_leaving_is_still_a_duplicate() {
        let mut table = table();
        table.step(&program(3, log(1)));
        assert_eq!(table.step(&both(4, log(1), 3)).programmed, Some(vec![Duplicate]));
        assert_eq!((table.entry(3), table.entry(4)), (None, None));
    }

    #[test]
    fn two_entries_change_at_once() {
        let mut table = table();
        table.step(&program(3, log(1)));
        assert_eq!(table.step(&both(4, log(2), 3)).programmed, Some(vec![]));
        assert_eq!((table.entry(3), table.entry(4)), (None, Some(&log(2))));
    }

    #[test]
    fn a_lookup_sees_the_state_before() {
        let mut table = table();
        let asked = |commands: Commands| Commands { lookup: Some(1), ..commands };
        assert_eq!(table.step(&asked(program(3, log(1)))).found, None);
        let answer = table.step(&asked(invalidate(3))).found;
        assert_eq!(answer, Some(Found { index: 3, descriptor: log(1) }));
        assert_eq!(found(&mut table, 1), None);
    }
}

#[test]
#[should_panic(expected = "a user domain, 0x400, does not fit the 10 bits of the configuration")]
fn a_user_domain_beyond_its_port_is_a_mistake_of_the_caller() {
    found(&mut table(), 1024);
}

#[test]
#[should_panic(expected = "an address, 0x8000000000, does not fit the 39 bits of the configuration")]
fn an_address_beyond_its_port_is_a_mistake_of_the_caller() {
    let mut table = AccessLogTable::new(&config("small", &[]));
    refusals(&mut table, 0, Descriptor { head: 1 << 39, ..log(1) });
}

prop_compose! {
    /// Commands that often meet: few entries, few user domains, few sizes.
    fn any_commands()(
        program in prop::option::of((0_u64..5, 0_u64..6, prop::sample::select(vec![0_u64, 544, 576, 608]), 0_u64..19)),
        invalidate in prop::option::weighted(0.2, 0_u64..5),
        lookup in prop::option::of(0_u64..6),
    ) -> Commands {
        let program = program.map(|(index, iuid, size, head)| {
            let descriptor = Descriptor { iuid, size, head: 0x10_0000 + 32 * head, ..log(iuid) };
            Program { index, descriptor }
        });
        Commands { program, invalidate, lookup }
    }
}

proptest! {
    /// Against a map from user domains to entries, which cannot hold two of one.
    #[test]
    fn at_most_one_entry_has_a_user_domain(sequence in prop::collection::vec(any_commands(), 1..60)) {
        let mut table = AccessLogTable::new(&config("small", &[]));
        let mut by_iuid: BTreeMap<u64, Found> = BTreeMap::new();
        for commands in &sequence {
            let expected = commands.lookup.and_then(|iuid| by_iuid.get(&iuid).copied());
            let answers = table.step(commands);
            prop_assert_eq!(answers.found, expected);
            prop_assert_eq!(answers.programmed.is_some(), commands.program.is_some());

            by_iuid.retain(|_, found| Some(found.index) != commands.invalidate);
            if let (Some(Program { index, descriptor }), Some([])) = (commands.program, answers.programmed.as_deref()) {
                let before = by_iuid.insert(descriptor.iuid, Found { index, descriptor });
                prop_assert_eq!(before, None);
            }
            for index in 0..4 {
                let known = by_iuid.values().find(|found| found.index == index);
                prop_assert_eq!(table.entry(index), known.map(|found| &found.descriptor));
            }
        }
    }
}
