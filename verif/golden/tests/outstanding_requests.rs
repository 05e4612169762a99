//! The table of outstanding requests: what comes back for a request, written out by hand from the rules of
//! the standard.

use tollgate_golden::iommu::outstanding_requests::{
    Answers, Commands, Completion, Issued, Lost, Matched, Name, OutstandingRequests, Request,
};
use tollgate_spec::config::Config;
use tollgate_spec::outstanding_requests::Outcome::{self, *};

/// A table of so many entries and such a timeout.
fn table(entries: u32, timeout_cycles: u32) -> OutstandingRequests {
    let sets = [
        format!("outstanding_requests.entries={entries}"),
        format!("outstanding_requests.timeout_cycles={timeout_cycles}"),
    ];
    OutstandingRequests::new(&Config::shipped("default", &sets).unwrap())
}

fn name(tag: u16) -> Name {
    Name { requester: 0x0100, tag }
}

fn read(tag: u16, byte_count: u32, lower_address: u32) -> Request {
    Request { name: name(tag), atomic: false, byte_count, lower_address }
}

fn issue(table: &mut OutstandingRequests, request: Request) -> Option<Issued> {
    table.step(&Commands { issue: Some(request), ..Commands::default() }).issued
}

fn data(tag: u16, byte_count: u32, lower_address: u32, payload: u32) -> Completion {
    Completion { name: name(tag), locked: false, status: 0, byte_count, lower_address, payload }
}

fn complete(table: &mut OutstandingRequests, completion: Completion) -> Matched {
    let commands = Commands { completion: Some(completion), ..Commands::default() };
    table.step(&commands).matched.expect("a completion is always judged")
}

/// What completions are to one request, one after the other.
fn outcomes(request: Request, completions: &[Completion]) -> Vec<Outcome> {
    let mut table = table(2, 0);
    issue(&mut table, request);
    completions.iter().map(|completion| complete(&mut table, *completion).outcome).collect()
}

fn idle(table: &mut OutstandingRequests, cycles: usize) -> Vec<Option<Lost>> {
    (0..cycles).map(|_| table.step(&Commands::default()).lost).collect()
}

#[test]
fn a_read_in_one_completion() {
    assert_eq!(outcomes(read(1, 16, 0x40), &[data(1, 16, 0x40, 4)]), [Last]);
    // Bytes 3 to 7: of two doublewords.
    assert_eq!(outcomes(read(1, 5, 0x03), &[data(1, 5, 0x03, 2)]), [Last]);
    // No byte is enabled, and one doubleword comes.
    assert_eq!(outcomes(read(1, 1, 0x44), &[data(1, 1, 0x44, 1)]), [Last]);
    assert_eq!(outcomes(read(1, 4096, 0), &[data(1, 4096, 0, 1024)]), [Last]);
}

#[test]
fn a_read_in_three_completions() {
    // 150 bytes from 0x1E on: 34 to the first boundary, 64, 52.
    let parts = [data(1, 150, 0x1E, 9), data(1, 116, 0x40, 16), data(1, 52, 0x00, 13)];
    assert_eq!(outcomes(read(1, 150, 0x1E), &parts), [Part, Part, Last]);
    // The same two at once.
    assert_eq!(outcomes(read(1, 150, 0x1E), &[data(1, 150, 0x1E, 25), data(1, 52, 0x00, 13)]), [Part, Last]);
}

#[test]
fn what_ends_a_request_ends_it_once() {
    let whole = data(1, 16, 0x40, 4);
    assert_eq!(outcomes(read(1, 16, 0x40), &[whole, whole]), [Last, Unexpected]);
    for status in 1..8 {
        let failure = Completion { status, ..data(1, 16, 0x40, 0) };
        assert_eq!(outcomes(read(1, 16, 0x40), &[failure, failure]), [Failed, Unexpected]);
    }
    let failure = Completion { status: 4, ..data(1, 116, 0x40, 0) };
    assert_eq!(outcomes(read(1, 150, 0x1E), &[data(1, 150, 0x1E, 9), failure]), [Part, Failed]);
}

#[test]
fn what_was_not_asked_for_is_dropped_and_the_request_waits_on() {
    let right = data(1, 150, 0x1E, 9);
    for wrong in [
        data(1, 149, 0x1E, 9),
        data(1, 151, 0x1E, 9),
        data(1, 150, 0x1D, 9),
        data(1, 150, 0x5E, 9),
        data(1, 150, 0x1E, 8),  // no boundary
        data(1, 150, 0x1E, 10), // no boundary
        data(1, 150, 0x1E, 39), // one doubleword more than there are
        data(1, 150, 0x1E, 0),
        data(1, 116, 0x40, 16), // the second part before the first
        Completion { locked: true, ..right },
    ] {
        assert_eq!(outcomes(read(1, 150, 0x1E), &[wrong, right]), [Mismatch, Part], "{wrong:?}");
    }
    // All of it again, after a part.
    assert_eq!(outcomes(read(1, 150, 0x1E), &[right, right]), [Part, Mismatch]);
    assert_eq!(outcomes(read(1, 150, 0x1E), &[data(2, 150, 0x1E, 9)]), [Unexpected]);
    let other = Name { requester: 0x0101, tag: 1 };
    assert_eq!(outcomes(read(1, 150, 0x1E), &[Completion { name: other, ..right }]), [Unexpected]);
}

#[test]
fn an_atomic_op_has_one_completion_whose_lower_address_is_reserved() {
    let swap = Request { atomic: true, ..read(1, 8, 0) };
    assert_eq!(outcomes(swap, &[data(1, 8, 0, 2)]), [Last]);
    assert_eq!(outcomes(swap, &[data(1, 8, 0x7F, 2)]), [Last]);
    assert_eq!(outcomes(swap, &[data(1, 8, 0, 1), data(1, 4, 0, 1)]), [Mismatch, Mismatch]);
    assert_eq!(outcomes(swap, &[data(1, 8, 0, 3), data(1, 8, 0, 2)]), [Mismatch, Last]);
}

#[test]
fn entries_are_taken_from_below() {
    let mut table = table(2, 0);
    assert_eq!(issue(&mut table, read(1, 4, 0)), Some(Issued { index: 0, superseded: false }));
    assert_eq!(issue(&mut table, read(2, 4, 0)), Some(Issued { index: 1, superseded: false }));
    assert!(!table.is_ready());
    assert_eq!(issue(&mut table, read(3, 4, 0)), None);
    assert_eq!(table.pending(), 2);
    let first = complete(&mut table, data(1, 4, 0, 1));
    assert_eq!(first, Matched { outcome: Last, index: Some(0), late: false });
    assert!(table.is_ready());
    assert_eq!(issue(&mut table, read(3, 4, 0)), Some(Issued { index: 0, superseded: false }));
}

#[test]
fn a_second_request_of_one_name_supersedes_the_first() {
    let mut table = table(4, 0);
    issue(&mut table, read(1, 4, 0));
    assert_eq!(issue(&mut table, read(1, 8, 0)), Some(Issued { index: 0, superseded: true }));
    assert_eq!(table.pending(), 1);
    assert_eq!(complete(&mut table, data(1, 4, 0, 1)).outcome, Mismatch);
    assert_eq!(complete(&mut table, data(1, 8, 0, 2)).outcome, Last);
    assert_eq!(table.pending(), 0);
}

#[test]
fn commands_of_one_cycle_see_the_state_before_it() {
    let mut table = table(4, 0);
    let both =
        |byte_count| Commands { issue: Some(read(1, byte_count, 0)), completion: Some(data(1, 4, 0, 1)), mark: false };
    let first = table.step(&both(4));
    assert_eq!(first.matched.unwrap().outcome, Unexpected);
    let second = table.step(&both(8));
    assert_eq!(second.matched.unwrap().outcome, Last);
    assert_eq!(second.issued, Some(Issued { index: 0, superseded: true }));
    assert_eq!((table.pending(), complete(&mut table, data(1, 8, 0, 2)).outcome), (1, Last));
}

#[test]
fn a_mark_waits_for_what_is_before_it() {
    let mut table = table(4, 0);
    assert!(table.is_drained());
    issue(&mut table, read(1, 4, 0));
    assert!(table.is_drained());
    table.step(&Commands { issue: Some(read(2, 4, 0)), mark: true, ..Commands::default() });
    issue(&mut table, read(3, 4, 0));
    complete(&mut table, data(1, 4, 0, 1));
    assert!(!table.is_drained());
    complete(&mut table, data(2, 4, 0, 1));
    assert!(table.is_drained());
    assert_eq!(table.pending(), 1);
}

#[test]
fn a_request_is_lost_after_four_quarters_and_before_six() {
    // Quarters of 4 cycles. Issued in the last cycle of the first: lost in the first after the sixth.
    let mut late = table(2, 16);
    idle(&mut late, 3);
    issue(&mut late, read(1, 4, 0));
    let told = idle(&mut late, 30);
    assert_eq!(told.iter().position(Option::is_some), Some(20));
    assert_eq!(told[20], Some(Lost { index: 0, name: name(1) }));
    assert_eq!(told.iter().flatten().count(), 1);
    // Issued in the first of them: 16 whole cycles and 3 others.
    let mut early = table(2, 16);
    issue(&mut early, read(1, 4, 0));
    assert_eq!(idle(&mut early, 30).iter().position(Option::is_some), Some(19));
    let mut never = table(2, 0);
    issue(&mut never, read(1, 4, 0));
    assert!(idle(&mut never, 1000).iter().all(Option::is_none));
}

#[test]
fn what_was_lost_is_not_pending_and_makes_room_but_its_data_are_known() {
    let mut table = table(2, 16);
    table.step(&Commands { issue: Some(read(1, 4, 0)), mark: true, ..Commands::default() });
    issue(&mut table, read(2, 4, 0));
    assert!(!table.is_ready() && !table.is_drained());
    // One after the other, though both are due at once.
    let told: Vec<_> = idle(&mut table, 30).into_iter().flatten().map(|lost| lost.index).collect();
    assert_eq!(told, [0, 1]);
    assert!(table.is_ready() && table.is_drained());
    assert_eq!(table.pending(), 0);
    assert_eq!(issue(&mut table, read(3, 4, 0)), Some(Issued { index: 0, superseded: false }));
    assert_eq!(complete(&mut table, data(1, 4, 0, 1)).outcome, Unexpected);
    let late = complete(&mut table, data(2, 4, 0, 1));
    assert_eq!(late, Matched { outcome: Last, index: Some(1), late: true });
}

#[test]
fn the_name_of_what_was_lost_may_be_used_again() {
    let mut table = table(2, 16);
    issue(&mut table, read(1, 4, 0));
    idle(&mut table, 30);
    assert_eq!(issue(&mut table, read(1, 8, 0)), Some(Issued { index: 0, superseded: false }));
    let right = complete(&mut table, data(1, 8, 0, 2));
    assert_eq!(right, Matched { outcome: Last, index: Some(0), late: false });
}

#[test]
fn what_is_answered_in_the_last_moment_is_not_lost() {
    let mut table = table(2, 16);
    idle(&mut table, 3);
    issue(&mut table, read(1, 4, 0));
    idle(&mut table, 20);
    let Answers { matched, lost, .. } =
        table.step(&Commands { completion: Some(data(1, 4, 0, 1)), ..Commands::default() });
    assert_eq!((matched.unwrap().outcome, matched.unwrap().late, lost), (Last, false, None));
    assert!(idle(&mut table, 30).iter().all(Option::is_none));
}

#[test]
fn a_reset_forgets_everything() {
    let mut table = table(2, 16);
    table.step(&Commands { issue: Some(read(1, 4, 0)), mark: true, ..Commands::default() });
    table.reset();
    assert!(table.is_ready() && table.is_drained());
    assert_eq!((table.pending(), complete(&mut table, data(1, 4, 0, 1)).outcome), (0, Unexpected));
}

#[test]
#[should_panic(expected = "tag 0x100 does not fit 8 bits")]
fn a_tag_fits_the_configuration() {
    issue(&mut table(2, 0), read(0x100, 4, 0));
}

#[test]
#[should_panic(expected = "has no such lower address")]
fn an_atomic_op_has_no_lower_address() {
    issue(&mut table(2, 0), Request { atomic: true, ..read(1, 4, 4) });
}

#[test]
#[should_panic(expected = "0 is no byte count")]
fn a_request_asks_for_something() {
    issue(&mut table(2, 0), read(1, 0, 0));
}
