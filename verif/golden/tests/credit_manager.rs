//! Credits: the counters of the standard, on sequences made by hand; and that they mean what they should.

use std::collections::VecDeque;

use proptest::prelude::*;
use tollgate_golden::iommu::credit_manager::{CreditManager, Inputs, Limit, Outputs, PerClass, PerPart};
use tollgate_spec::config::Config;
use tollgate_spec::flow_control::{Class, Part};

const POSTED: usize = 0;
const NON_POSTED: usize = 1;
const COMPLETION: usize = 2;

/// A side of `small`: posted 4 and 32, non-posted 4 and 2, completions infinite.
fn side() -> CreditManager {
    CreditManager::new(&Config::shipped("small", &[]).unwrap())
}

/// One cycle of one class, in which the others rest.
fn step(side: &mut CreditManager, class: usize, inputs: Inputs) -> Outputs {
    side.step(&only(class, inputs))[class]
}

fn only(class: usize, inputs: Inputs) -> PerClass<Inputs> {
    let mut all = PerClass::default();
    all[class] = inputs;
    all
}

/// What a class shows at rest.
fn shown(side: &CreditManager, class: usize) -> Outputs {
    side.outputs(&PerClass::default())[class]
}

fn receive(units: u64) -> Inputs {
    Inputs { received: Some(units), ..Inputs::default() }
}

fn free(header: u64, data: u64) -> Inputs {
    Inputs { freed: PerPart { header, data }, ..Inputs::default() }
}

fn advertise(initial: bool, header: u64, data: u64) -> Inputs {
    Inputs { limit: Some(Limit { initial, credits: PerPart { header, data } }), ..Inputs::default() }
}

fn send(units: u64) -> Inputs {
    Inputs { pending: units, sent: true, ..Inputs::default() }
}

fn may_send(side: &CreditManager, class: usize, units: u64) -> bool {
    side.outputs(&only(class, Inputs { pending: units, ..Inputs::default() }))[class].may_send
}

#[test]
fn a_side_begins_with_its_configuration_and_may_not_send() {
    let side = side();
    let allocated = [POSTED, NON_POSTED, COMPLETION].map(|class| shown(&side, class).allocated);
    assert_eq!(allocated, [(4, 32), (4, 2), (0, 0)].map(|(header, data)| PerPart { header, data }));
    for class in [POSTED, NON_POSTED, COMPLETION] {
        assert!(!may_send(&side, class, 0));
        assert_eq!(shown(&side, class).overflow, PerPart::default());
        assert_eq!(shown(&side, class).protocol_error, PerPart::default());
    }
}

#[test]
fn tlps_fill_the_buffers_to_the_last_unit() {
    let mut side = side();
    for units in [16, 15, 1, 0] {
        assert!(step(&mut side, POSTED, receive(units)).accepted);
    }
    assert!(!step(&mut side, POSTED, receive(0)).accepted);
    assert_eq!(shown(&side, POSTED).overflow, PerPart { header: true, data: false });
    assert_eq!(shown(&side, NON_POSTED).overflow, PerPart::default());
}

#[test]
fn what_is_too_much_takes_nothing() {
    let mut side = side();
    assert!(!step(&mut side, NON_POSTED, receive(3)).accepted);
    assert_eq!(shown(&side, NON_POSTED).overflow, PerPart { header: false, data: true });
    assert!(step(&mut side, NON_POSTED, receive(2)).accepted);
    for _ in 0..3 {
        assert!(step(&mut side, NON_POSTED, receive(0)).accepted);
    }
}

#[test]
fn infinite_credits_take_any_tlp_and_are_never_updated() {
    let mut side = side();
    for _ in 0..5_000 {
        let inputs = Inputs { freed: PerPart { header: 1, data: 256 }, ..receive(256) };
        assert!(step(&mut side, COMPLETION, inputs).accepted);
    }
    assert_eq!(shown(&side, COMPLETION).allocated, PerPart::default());
    assert_eq!(shown(&side, COMPLETION).overflow, PerPart::default());
}

#[test]
fn what_is_freed_is_advertised_in_the_next_cycle() {
    let mut side = side();
    step(&mut side, POSTED, receive(20));
    assert_eq!(step(&mut side, POSTED, free(1, 15)).allocated, PerPart { header: 4, data: 32 });
    assert_eq!(step(&mut side, POSTED, free(0, 5)).allocated, PerPart { header: 5, data: 47 });
    assert_eq!(shown(&side, POSTED).allocated, PerPart { header: 5, data: 52 });
}

#[test]
fn a_dropped_tlp_returns_its_credits_at_once() {
    let mut side = side();
    let inputs = Inputs { freed: PerPart { header: 1, data: 32 }, ..receive(32) };
    assert!(step(&mut side, POSTED, inputs).accepted);
    assert_eq!(shown(&side, POSTED).allocated, PerPart { header: 5, data: 64 });
}

#[test]
fn credits_of_this_cycle_are_no_help_to_a_tlp_of_this_cycle() {
    let mut side = side();
    assert!(step(&mut side, POSTED, receive(32)).accepted);
    let inputs = Inputs { freed: PerPart { header: 1, data: 32 }, ..receive(1) };
    assert!(!step(&mut side, POSTED, inputs).accepted);
    assert!(step(&mut side, POSTED, receive(32)).accepted);
}

#[test]
fn what_is_held_is_advertised_when_hold_falls() {
    let mut side = side();
    let held = |header, data, inputs| Inputs { hold: PerPart { header, data }, ..inputs };
    step(&mut side, POSTED, receive(30));
    step(&mut side, POSTED, held(true, true, free(1, 10)));
    step(&mut side, POSTED, held(true, false, free(0, 7)));
    assert_eq!(shown(&side, POSTED).allocated, PerPart { header: 4, data: 49 });
    step(&mut side, POSTED, held(false, true, free(0, 13)));
    assert_eq!(shown(&side, POSTED).allocated, PerPart { header: 5, data: 49 });
    step(&mut side, POSTED, Inputs::default());
    assert_eq!(shown(&side, POSTED).allocated, PerPart { header: 5, data: 62 });
}

#[test]
fn counters_of_the_receiver_go_round() {
    let mut side = side();
    for round in 1..=1_000_u64 {
        assert!(step(&mut side, POSTED, receive(32)).accepted);
        step(&mut side, POSTED, free(1, 32));
        let expected = PerPart { header: (4 + round) % 256, data: (32 + 32 * round) % 4096 };
        assert_eq!(shown(&side, POSTED).allocated, expected);
    }
}

#[test]
#[should_panic(expected = "5 of 4 buffers would be free")]
fn freeing_what_was_not_received_is_a_defect() {
    step(&mut side(), POSTED, free(1, 0));
}

#[test]
fn a_tlp_needs_a_header_and_its_payload() {
    let mut side = side();
    step(&mut side, POSTED, advertise(true, 2, 10));
    assert!(may_send(&side, POSTED, 0) && may_send(&side, POSTED, 10) && !may_send(&side, POSTED, 11));
    assert!(!may_send(&side, NON_POSTED, 0));
    step(&mut side, POSTED, send(6));
    assert!(may_send(&side, POSTED, 4) && !may_send(&side, POSTED, 5));
    step(&mut side, POSTED, send(0));
    assert!(!may_send(&side, POSTED, 0));
    step(&mut side, POSTED, advertise(false, 3, 10));
    assert!(may_send(&side, POSTED, 4) && !may_send(&side, POSTED, 5));
}

#[test]
fn credits_that_come_now_are_spent_in_the_next_cycle() {
    let mut side = side();
    step(&mut side, POSTED, advertise(true, 1, 8));
    let both = Inputs { pending: 8, sent: true, ..advertise(false, 2, 16) };
    step(&mut side, POSTED, both);
    assert!(may_send(&side, POSTED, 8) && !may_send(&side, POSTED, 9));
    let blocked = Inputs { pending: 9, ..advertise(false, 2, 17) };
    assert!(!step(&mut side, POSTED, blocked).may_send);
    assert!(may_send(&side, POSTED, 9));
}

#[test]
#[should_panic(expected = "a TLP is sent that may not be")]
fn sending_without_credits_is_a_defect() {
    step(&mut side(), POSTED, send(0));
}

#[test]
fn a_first_advertisement_of_zero_is_infinite_and_a_later_one_is_not() {
    let mut side = side();
    step(&mut side, POSTED, advertise(true, 0, 3));
    for _ in 0..1_000 {
        step(&mut side, POSTED, send(0));
    }
    assert!(may_send(&side, POSTED, 3) && !may_send(&side, POSTED, 4));
    step(&mut side, NON_POSTED, advertise(true, 3, 0));
    for _ in 0..3 {
        step(&mut side, NON_POSTED, send(256));
    }
    assert!(!may_send(&side, NON_POSTED, 0));
    assert_eq!(shown(&side, NON_POSTED).protocol_error, PerPart::default());
    step(&mut side, NON_POSTED, advertise(false, 4, 0));
    assert!(may_send(&side, NON_POSTED, 256));
    assert_eq!(shown(&side, NON_POSTED).protocol_error, PerPart::default());
}

#[test]
fn a_limit_of_zero_after_a_round_is_not_infinite() {
    let mut side = side();
    for (initial, header, data) in [(true, 127, 2047), (false, 254, 4079)] {
        step(&mut side, POSTED, advertise(initial, header, data));
        for _ in 0..127 {
            step(&mut side, POSTED, send(16));
        }
        assert!(!may_send(&side, POSTED, 0));
    }
    step(&mut side, POSTED, advertise(false, 0, 0));
    assert!(may_send(&side, POSTED, 32) && !may_send(&side, POSTED, 33));
    step(&mut side, POSTED, send(16));
    step(&mut side, POSTED, send(16));
    assert!(!may_send(&side, POSTED, 0));
    assert_eq!(shown(&side, POSTED).protocol_error, PerPart::default());
}

#[test]
fn the_gate_is_open_for_half_of_the_field() {
    for (limit, open) in [(1, true), (2, true), (128, true), (129, true), (130, false), (255, false), (0, false)] {
        let mut side = side();
        step(&mut side, POSTED, advertise(true, 1, 0));
        step(&mut side, POSTED, advertise(false, limit, 0));
        assert_eq!(may_send(&side, POSTED, 0), open, "header limit {limit}");
        let mut side = self::side();
        step(&mut side, POSTED, advertise(true, 0, 1));
        step(&mut side, POSTED, advertise(false, 0, 16 * limit + 1));
        assert_eq!(may_send(&side, POSTED, 17), open, "data limit {}", 16 * limit + 1);
    }
}

#[test]
fn advertisements_that_are_forbidden() {
    let errors = |advertisements: &[(bool, u64, u64)]| {
        let mut side = side();
        for (initial, header, data) in advertisements {
            step(&mut side, POSTED, advertise(*initial, *header, *data));
        }
        let PerPart { header, data } = shown(&side, POSTED).protocol_error;
        (header, data)
    };
    assert_eq!(errors(&[(true, 127, 2047)]), (false, false));
    assert_eq!(errors(&[(true, 128, 2047)]), (true, false));
    assert_eq!(errors(&[(true, 127, 2048)]), (false, true));
    assert_eq!(errors(&[(true, 1, 1), (false, 127, 2048)]), (false, true));
    assert_eq!(errors(&[(true, 1, 1), (false, 0, 0)]), (false, false));
    assert_eq!(errors(&[(true, 0, 1), (false, 1, 1)]), (true, false));
    assert_eq!(errors(&[(true, 1, 0), (false, 1, 4095)]), (false, true));
    assert_eq!(errors(&[(true, 0, 0), (false, 0, 0), (false, 0, 0)]), (false, false));
    assert_eq!(errors(&[(true, 128, 1), (true, 1, 1)]), (true, false), "it stays");
    assert_eq!(errors(&[(false, 255, 4095)]), (false, false), "nothing is advertised yet");
}

#[test]
fn reset_forgets() {
    let mut side = side();
    step(&mut side, POSTED, Inputs { received: Some(40), ..advertise(true, 200, 1) });
    step(&mut side, POSTED, receive(3));
    assert_ne!(side, self::side());
    side.reset();
    assert_eq!(side, self::side());
}

/// Two sides and what is between them; what was sent, received and freed is counted without end.
struct Link {
    from: CreditManager,
    to: CreditManager,
    /// Payloads of TLPs under way, the oldest first.
    wire: VecDeque<u64>,
    /// Payloads that are in buffers.
    buffers: VecDeque<u64>,
    /// Sums of headers and units: sent, and given as credits.
    sent: [u64; 2],
    given: [u64; 2],
    last: PerPart<u64>,
}

proptest! {
    /// Whatever sender, link and receiver do: never more is sent than was given, nothing overflows, no credit is lost.
    #[test]
    fn credits_are_neither_lost_nor_invented(
        name in prop::sample::select(vec!["small", "default", "max"]),
        cycles in prop::collection::vec((0..=256_u64, any::<[bool; 6]>()), 1..800),
    ) {
        let config = Config::shipped(name, &[]).unwrap();
        let first = Part::ALL.map(|part| u64::from(config.credits.of(Class::Posted, part).unwrap()));
        let largest = u64::from(config.access_log_table.largest_payload_bytes) / 16;
        let mut link = Link {
            from: CreditManager::new(&config),
            to: CreditManager::new(&config),
            wire: VecDeque::new(),
            buffers: VecDeque::new(),
            sent: [0, 0],
            given: first,
            last: PerPart { header: first[0], data: first[1] },
        };
        step(&mut link.from, POSTED, advertise(true, first[0], first[1]));
        for (payload, [sends, arrives, frees, updates, hold_header, hold_data]) in cycles {
            let payload = payload.min(largest);
            link.cycle(payload, [sends, arrives, frees, updates], PerPart { header: hold_header, data: hold_data })?;
        }
        while !link.wire.is_empty() || !link.buffers.is_empty() {
            link.cycle(0, [false, true, true, true], PerPart::default())?;
        }
        for _ in 0..2 {
            link.cycle(0, [false, false, false, true], PerPart::default())?;
        }
        prop_assert_eq!(link.given[0], link.sent[0] + first[0]);
        prop_assert_eq!(link.given[1], link.sent[1] + first[1]);
    }
}

impl Link {
    fn cycle(&mut self, payload: u64, does: [bool; 4], hold: PerPart<bool>) -> Result<(), TestCaseError> {
        let [sends, arrives, frees, updates] = does;
        let allocated = shown(&self.to, POSTED).allocated;
        for part in Part::ALL {
            let modulus = 1 << part.counter_bits();
            let step = (allocated.of(part) + modulus - self.last.of(part)) % modulus;
            self.given[part as usize] += step;
        }
        self.last = allocated;
        let sent = sends && may_send(&self.from, POSTED, payload);
        let update = Limit { initial: false, credits: allocated };
        let from = Inputs { pending: payload, sent, limit: updates.then_some(update), ..Inputs::default() };
        let outputs = step(&mut self.from, POSTED, from);
        prop_assert_eq!(outputs.protocol_error, PerPart::default());

        let received = if arrives { self.wire.pop_front() } else { None };
        let freed = if frees { self.buffers.pop_front() } else { None };
        let freed = PerPart { header: freed.is_some().into(), data: freed.unwrap_or(0) };
        let outputs = step(&mut self.to, POSTED, Inputs { received, freed, hold, ..Inputs::default() });
        prop_assert_eq!(outputs.accepted, received.is_some());
        prop_assert_eq!(outputs.overflow, PerPart::default());
        self.buffers.extend(received);
        if sent {
            self.wire.push_back(payload);
            self.sent[0] += 1;
            self.sent[1] += payload;
        }
        for part in Part::ALL {
            prop_assert!(self.sent[part as usize] <= self.given[part as usize]);
        }
        Ok(())
    }
}
