//! The skid buffer: what it holds, in which order, and when it is full.

use proptest::prelude::*;
use tollgate_golden::cells::skid_buffer::SkidBuffer;

#[test]
fn it_holds_two_beats_and_gives_them_in_order() {
    let mut buffer = SkidBuffer::new();
    assert_eq!((buffer.occupancy(), buffer.has_room(), buffer.take()), (0, true, None));
    assert_eq!(buffer.put('a'), Ok(()));
    assert_eq!((buffer.occupancy(), buffer.has_room()), (1, true));
    assert_eq!(buffer.put('b'), Ok(()));
    assert_eq!((buffer.occupancy(), buffer.has_room()), (2, false));
    assert_eq!(buffer.put('c'), Err('c'));
    assert_eq!([buffer.take(), buffer.take(), buffer.take()], [Some('a'), Some('b'), None]);
}

#[test]
fn a_full_buffer_takes_again_after_it_gave() {
    let mut buffer = SkidBuffer::new();
    buffer.put('a').unwrap();
    buffer.put('b').unwrap();
    assert_eq!(buffer.take(), Some('a'));
    assert_eq!(buffer.put('c'), Ok(()));
    assert_eq!([buffer.take(), buffer.take()], [Some('b'), Some('c')]);
}

#[test]
fn reset_forgets() {
    let mut buffer = SkidBuffer::new();
    buffer.put('a').unwrap();
    buffer.reset();
    assert_eq!(buffer, SkidBuffer::default());
    assert_eq!(buffer.take(), None);
}

proptest! {
    /// Whatever the sides do, what comes out is the beginning of what went in, and the rest is within.
    #[test]
    fn nothing_is_lost_doubled_or_reordered(sides in prop::collection::vec(any::<[bool; 2]>(), 0..200)) {
        let mut buffer = SkidBuffer::new();
        let (mut went_in, mut came_out) = (0_u32, 0_u32);
        for [offers, takes] in sides {
            if takes && let Some(beat) = buffer.take() {
                prop_assert_eq!(beat, came_out);
                came_out += 1;
            }
            if offers && buffer.put(went_in).is_ok() {
                went_in += 1;
            }
            prop_assert_eq!(u32::try_from(buffer.occupancy()), Ok(went_in - came_out));
        }
    }
}
