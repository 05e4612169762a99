//! The cells: what each does, on sequences made by hand. (The skid buffer has a file of its own.)

use tollgate_golden::cells;

mod fifo {
    use super::cells::fifo::Fifo;
    use proptest::prelude::*;

    #[test]
    fn it_holds_its_capacity_and_gives_in_order() {
        let mut fifo = Fifo::new(2);
        assert!(fifo.is_empty() && !fifo.is_full());
        assert_eq!((fifo.put('a'), fifo.put('b'), fifo.put('c')), (Ok(()), Ok(()), Err('c')));
        assert!(fifo.is_full() && !fifo.is_empty());
        assert_eq!(fifo.take(), Some('a'));
        assert_eq!(fifo.put('d'), Ok(()));
        assert_eq!([fifo.take(), fifo.take(), fifo.take()], [Some('b'), Some('d'), None]);
    }

    #[test]
    fn reset_forgets() {
        let mut fifo = Fifo::new(3);
        fifo.put('a').unwrap();
        fifo.reset();
        assert_eq!(fifo, Fifo::new(3));
        assert_eq!((fifo.occupancy(), fifo.take()), (0, None));
    }

    proptest! {
        /// Whatever the sides do, what comes out is the beginning of what went in, and the rest is within.
        #[test]
        fn nothing_is_lost_doubled_or_reordered(
            capacity in 1..6_usize,
            sides in prop::collection::vec(any::<[bool; 2]>(), 0..200),
        ) {
            let mut fifo = Fifo::new(capacity);
            let (mut went_in, mut came_out) = (vec![], vec![]);
            for (beat, [put, take]) in sides.into_iter().enumerate() {
                if put && fifo.put(beat).is_ok() {
                    went_in.push(beat);
                }
                if take {
                    came_out.extend(fifo.take());
                }
                prop_assert!(fifo.occupancy() <= capacity);
                prop_assert_eq!(went_in.len(), came_out.len() + fifo.occupancy());
                prop_assert_eq!(&went_in[..came_out.len()], &came_out);
            }
        }
    }
}

mod round_robin_arbiter {
    use super::cells::round_robin_arbiter::RoundRobinArbiter;
    use proptest::prelude::*;

    #[test]
    fn each_gets_its_turn() {
        let mut arbiter = RoundRobinArbiter::new(3);
        let mut next = |requests: [bool; 3]| {
            let grant = arbiter.grant(&requests);
            arbiter.take(&requests);
            grant
        };
        let all = [true, true, true];
        assert_eq!([next(all), next(all), next(all), next(all)], [Some(0), Some(1), Some(2), Some(0)]);
        assert_eq!(next([true, false, true]), Some(2), "1 does not ask");
        assert_eq!(next([false, false, false]), None);
        assert_eq!(next([false, true, true]), Some(1), "who asks is counted from the one after 2");
        assert_eq!(next([false, true, false]), Some(1), "alone, and so again");
    }

    #[test]
    fn a_grant_that_is_not_taken_stays() {
        let mut arbiter = RoundRobinArbiter::new(2);
        let both = [true, true];
        assert_eq!([arbiter.grant(&both), arbiter.grant(&both)], [Some(0), Some(0)]);
        arbiter.take(&both);
        assert_eq!(arbiter.grant(&both), Some(1));
        arbiter.reset();
        assert_eq!(arbiter.grant(&both), Some(0));
    }

    proptest! {
        /// Who asks all the time waits for the others once at most.
        #[test]
        fn nobody_starves(requests in prop::collection::vec(prop::array::uniform5(any::<bool>()), 0..100), one in 0..5_usize) {
            let mut arbiter = RoundRobinArbiter::new(5);
            let mut waits = 0;
            for mut asking in requests {
                asking[one] = true;
                waits = if arbiter.grant(&asking) == Some(one) { 0 } else { waits + 1 };
                prop_assert!(waits <= 4);
                arbiter.take(&asking);
            }
        }
    }
}

mod priority_selector {
    use super::cells::priority_selector::select;

    #[test]
    fn the_first_that_asks_is_selected() {
        let words = ["a", "b", "c"];
        assert_eq!(select(&[false, true, true], &words), Some((1, &"b")));
        assert_eq!(select(&[true, true, true], &words), Some((0, &"a")));
        assert_eq!(select(&[false, false, true], &words), Some((2, &"c")));
        assert_eq!(select(&[false, false, false], &words), None);
    }
}

mod ram {
    use super::cells::ram::{Byte, Commands, Ram, Write};

    fn step(ram: &mut Ram, write: Option<(usize, [Byte; 2])>, read: Option<usize>) -> Option<Vec<Byte>> {
        let write = write.map(|(address, bytes)| Write { address, bytes: bytes.to_vec() });
        ram.step(&Commands { write, read })
    }

    #[test]
    fn bytes_are_written_one_by_one() {
        let ram = &mut Ram::new(3, 2);
        assert_eq!(step(ram, None, Some(1)), Some(vec![None, None]), "never written");
        assert_eq!(step(ram, Some((1, [Some(0x11), None])), None), None);
        assert_eq!(step(ram, None, Some(1)), Some(vec![Some(0x11), None]));
        step(ram, Some((1, [None, Some(0x22)])), None);
        step(ram, Some((1, [None, None])), None);
        assert_eq!(step(ram, None, Some(1)), Some(vec![Some(0x11), Some(0x22)]));
        assert_eq!(step(ram, None, Some(0)), Some(vec![None, None]));
    }

    #[test]
    fn a_read_sees_the_word_before_the_write() {
        let ram = &mut Ram::new(3, 2);
        step(ram, Some((2, [Some(1), Some(2)])), None);
        assert_eq!(step(ram, Some((2, [Some(3), Some(4)])), Some(2)), Some(vec![Some(1), Some(2)]));
        assert_eq!(step(ram, None, Some(2)), Some(vec![Some(3), Some(4)]));
    }

    #[test]
    fn beyond_the_last_word_there_is_nothing() {
        let ram = &mut Ram::new(3, 2);
        let before = ram.clone();
        step(ram, Some((3, [Some(1), Some(2)])), None);
        assert_eq!(*ram, before);
        assert_eq!(step(ram, None, Some(3)), Some(vec![Some(0), Some(0)]));
    }
}

mod cam {
    use super::cells::cam::{Cam, Commands};

    const NOTHING: Commands<u32> = Commands { write: None, clear: None };

    fn write(index: usize, key: u32) -> Commands<u32> {
        Commands { write: Some((index, key)), ..NOTHING }
    }

    #[test]
    fn what_is_written_is_found_until_it_is_cleared() {
        let mut cam = Cam::new(3);
        assert_eq!(cam.find(&7), None);
        cam.step(&write(2, 7));
        cam.step(&write(0, 0));
        assert_eq!([cam.find(&7), cam.find(&0), cam.find(&1)], [Some(2), Some(0), None]);
        cam.step(&Commands { clear: Some(2), ..NOTHING });
        assert_eq!((cam.find(&7), cam.entry(0), cam.entry(2)), (None, Some(&0), None));
        cam.reset();
        assert_eq!(cam, Cam::new(3));
    }

    #[test]
    fn a_write_wins_over_a_clear_of_the_same_entry() {
        let mut cam = Cam::new(3);
        cam.step(&write(1, 7));
        cam.step(&Commands { clear: Some(1), ..write(1, 8) });
        assert_eq!([cam.find(&7), cam.find(&8)], [None, Some(1)]);
    }

    #[test]
    fn a_key_moves_where_its_old_entry_is_cleared_at_once() {
        let mut cam = Cam::new(3);
        cam.step(&write(1, 7));
        let moves = Commands { clear: Some(1), ..write(2, 7) };
        assert!(cam.allows(&moves) && cam.allows(&write(1, 7)) && !cam.allows(&write(2, 7)));
        cam.step(&moves);
        assert_eq!(cam.find(&7), Some(2));
    }

    #[test]
    fn what_names_no_entry_does_nothing() {
        let mut cam = Cam::new(3);
        cam.step(&write(0, 7));
        let before = cam.clone();
        cam.step(&Commands { clear: Some(3), ..write(3, 7) });
        assert_eq!(cam, before);
    }

    #[test]
    #[should_panic(expected = "a key is in one entry at most")]
    fn a_key_in_two_entries_is_refused() {
        let mut cam = Cam::new(3);
        cam.step(&write(0, 7));
        cam.step(&write(1, 7));
    }
}

mod synchronizer {
    use super::cells::synchronizer::Synchronizer;

    #[test]
    fn a_bit_arrives_after_as_many_edges_as_there_are_stages() {
        let mut synchronizer = Synchronizer::new(3);
        let shown = [true, false, true, true, false].map(|bit| {
            synchronizer.edge(bit);
            synchronizer.output()
        });
        assert_eq!(shown, [None, None, Some(true), Some(false), Some(true)]);
    }
}

mod reset_synchronizer {
    use super::cells::reset_synchronizer::ResetSynchronizer;

    #[test]
    fn it_asserts_at_once_and_releases_after_as_many_edges_as_there_are_stages() {
        let mut reset = ResetSynchronizer::new(2);
        assert_eq!(reset.output(), None);
        reset.edge();
        assert_eq!(reset.output(), None);
        reset.set(true);
        assert_eq!(reset.output(), Some(true));
        reset.edge();
        reset.edge();
        reset.edge();
        assert_eq!(reset.output(), Some(true));
        reset.set(false);
        assert_eq!(reset.output(), Some(true));
        reset.edge();
        assert_eq!(reset.output(), Some(true));
        reset.edge();
        assert_eq!(reset.output(), Some(false));
        reset.edge();
        assert_eq!(reset.output(), Some(false));
    }

    #[test]
    fn a_reset_between_two_edges_counts_and_starts_the_release_anew() {
        let mut reset = ResetSynchronizer::new(2);
        for asserted in [true, false] {
            reset.set(asserted);
        }
        reset.edge();
        for asserted in [true, false] {
            reset.set(asserted);
        }
        reset.edge();
        assert_eq!(reset.output(), Some(true));
        reset.edge();
        assert_eq!(reset.output(), Some(false));
    }
}

mod stream_checker {
    use super::cells::stream_checker::{Seen, StreamChecker, Violation};

    /// What is broken at the edges of a stream, each as `valid`, `ready`, payload; `None` is an edge in reset without `valid`.
    fn broken(edges: &[Option<(bool, bool, u8)>]) -> Vec<Option<Violation>> {
        let mut checker = StreamChecker::new();
        let seen = |edge: &Option<(bool, bool, u8)>| match *edge {
            Some((valid, ready, data)) => Seen { reset: false, valid, ready, data },
            None => Seen { reset: true, valid: false, ready: true, data: 0 },
        };
        edges.iter().map(|edge| checker.edge(seen(edge))).collect()
    }

    #[test]
    fn what_is_offered_stays_until_the_transfer() {
        let offered = Some((true, false, 5));
        assert_eq!(broken(&[offered, offered, Some((true, true, 5)), Some((false, false, 1))]), [None; 4]);
        assert_eq!(broken(&[offered, Some((false, true, 5))])[1], Some(Violation::Withdrawn));
        assert_eq!(broken(&[offered, Some((true, true, 6))])[1], Some(Violation::Changed));
        assert_eq!(broken(&[Some((true, true, 5)), Some((true, false, 6))]), [None; 2], "two transfers");
        assert_eq!(broken(&[Some((false, false, 5)), Some((false, true, 6))]), [None; 2], "nothing is offered");
    }

    #[test]
    fn a_reset_ends_the_promise() {
        let offered = Some((true, false, 5));
        assert_eq!(broken(&[offered, None, None, Some((false, true, 6))]), [None; 4]);
        assert_eq!(broken(&[offered, None, Some((true, true, 6))]), [None; 3]);
    }

    #[test]
    fn valid_is_low_from_the_second_edge_of_a_reset_on() {
        let mut checker = StreamChecker::new();
        let valid = |reset| Seen { reset, valid: true, ready: true, data: 0 };
        assert_eq!(checker.edge(valid(true)), None, "the first edge has not acted yet");
        assert_eq!(checker.edge(valid(true)), Some(Violation::ValidInReset));
        assert_eq!(checker.edge(Seen { valid: false, ..valid(true) }), None);
        assert_eq!(checker.edge(valid(false)), None);
        assert_eq!(checker.edge(valid(true)), None, "the first edge of the next reset");
    }

    #[test]
    fn each_violation_names_its_rule() {
        let texts = [Violation::Withdrawn, Violation::Changed, Violation::ValidInReset].map(|it| it.to_string());
        assert_eq!(
            texts,
            [
                "stream rule 2: valid fell before the transfer",
                "stream rule 2: the payload changed before the transfer",
                "stream rule 4: valid was high in reset",
            ]
        );
    }
}
