//! The IOTLB: what is found, what is forgotten, and what makes room.

use tollgate_golden::iommu::iotlb::{Answer, Commands, Fill, Invalidation, Iotlb, Page, Translation};
use tollgate_spec::config::Config;
use tollgate_spec::iotlb::PageSize::{self, *};

fn iotlb(sets: &[&str]) -> Iotlb {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Iotlb::new(&Config::shipped("default", &sets).unwrap())
}

fn page(domain: u64, number: u64) -> Page {
    Page { domain, number }
}

/// A page that may be read, and leaves no record.
fn translation(frame: u64, size: PageSize) -> Translation {
    Translation {
        frame,
        size,
        read: true,
        write: false,
        write_log: false,
        write_log_data: false,
        read_log: false,
        read_log_data: false,
        active_destination: false,
        iuid: 0,
    }
}

fn fill(iotlb: &mut Iotlb, page: Page, frame: u64, size: PageSize) {
    iotlb.step(&Commands { fill: Some(Fill { page, translation: translation(frame, size) }), ..Commands::default() });
}

fn invalidate(iotlb: &mut Iotlb, invalidation: Invalidation) {
    iotlb.step(&Commands { invalidate: Some(invalidation), ..Commands::default() });
}

fn forget(iotlb: &mut Iotlb, page: Page, address_mask: u32) {
    invalidate(iotlb, Invalidation::Page { page, address_mask });
}

/// The frame of a page, if it is found.
fn frame(iotlb: &mut Iotlb, page: Page) -> Option<u64> {
    match iotlb.step(&Commands { lookup: Some(page), ..Commands::default() })? {
        Answer::Hit(translation) => Some(translation.frame),
        Answer::Miss => None,
    }
}

/// The numbers of the pages that it holds.
fn found(iotlb: &Iotlb) -> Vec<u64> {
    let mut numbers: Vec<u64> = iotlb.live().map(|fill| fill.page.number).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn an_empty_iotlb_finds_nothing() {
    assert_eq!(frame(&mut iotlb(&[]), page(0, 0)), None);
}

#[test]
fn all_of_a_translation_comes_back() {
    let mut iotlb = iotlb(&[]);
    let log = Translation {
        write: true,
        write_log: true,
        write_log_data: true,
        read_log: true,
        read_log_data: true,
        active_destination: true,
        iuid: 1023,
        ..translation(0xF_FFFF_FFFF, FourKib)
    };
    iotlb.step(&Commands { fill: Some(Fill { page: page(1, 2), translation: log }), ..Commands::default() });
    let answer = iotlb.step(&Commands { lookup: Some(page(1, 2)), ..Commands::default() });
    assert_eq!(answer, Some(Answer::Hit(log)));
}

#[test]
fn no_lookup_has_no_answer() {
    assert_eq!(iotlb(&[]).step(&Commands::default()), None);
}

#[test]
fn pages_reach_from_their_first_to_their_last_4_kib() {
    for (size, first, last) in
        [(FourKib, 0x40_0000, 0x40_0000), (TwoMib, 0x40_0000, 0x40_01FF), (OneGib, 0x40_0000, 0x43_FFFF)]
    {
        let mut iotlb = iotlb(&[]);
        fill(&mut iotlb, page(1, last), 7, size);
        assert_eq!(frame(&mut iotlb, page(1, first)), Some(7));
        assert_eq!(frame(&mut iotlb, page(1, last)), Some(7));
        assert_eq!(frame(&mut iotlb, page(1, first - 1)), None);
        assert_eq!(frame(&mut iotlb, page(1, last + 1)), None);
        assert_eq!(frame(&mut iotlb, page(2, first)), None);
    }
}

#[test]
fn commands_of_one_cycle_see_the_state_before_it() {
    let mut iotlb = iotlb(&[]);
    let kept = Fill { page: page(1, 2), translation: translation(7, FourKib) };
    let (lookup, both) = (Some(page(1, 2)), Some(kept));
    assert_eq!(iotlb.step(&Commands { lookup, fill: both, invalidate: None }), Some(Answer::Miss));
    let answer = iotlb.step(&Commands { lookup, fill: None, invalidate: Some(Invalidation::Global) });
    assert_eq!(answer, Some(Answer::Hit(kept.translation)));
    assert_eq!(frame(&mut iotlb, page(1, 2)), None);
    iotlb.step(&Commands { lookup: None, fill: both, invalidate: Some(Invalidation::Domain(9)) });
    assert_eq!(frame(&mut iotlb, page(1, 2)), None, "a fill beside an invalidation is dropped");
}

#[test]
fn invalidations_cover_what_they_say() {
    let filled = || {
        let mut iotlb = iotlb(&[]);
        fill(&mut iotlb, page(1, 0x0_0000), 1, FourKib);
        fill(&mut iotlb, page(1, 0x0_0001), 1, FourKib);
        fill(&mut iotlb, page(1, 0x0_0200), 1, TwoMib);
        fill(&mut iotlb, page(1, 0x4_0000), 1, OneGib);
        fill(&mut iotlb, page(2, 0x0_0000), 1, FourKib);
        iotlb
    };
    let left = |invalidation| {
        let mut iotlb = filled();
        invalidate(&mut iotlb, invalidation);
        let mut pages: Vec<(u64, u64)> = iotlb.live().map(|fill| (fill.page.domain, fill.page.number)).collect();
        pages.sort_unstable();
        pages
    };
    let of = |number, address_mask| left(Invalidation::Page { page: page(1, number), address_mask });
    assert_eq!(left(Invalidation::Global), []);
    assert_eq!(left(Invalidation::Domain(1)), [(2, 0)]);
    assert_eq!(left(Invalidation::Domain(2)), [(1, 0), (1, 1), (1, 0x200), (1, 0x4_0000)]);
    assert_eq!(left(Invalidation::Domain(3)).len(), 5);
    assert_eq!(of(0, 0), [(1, 1), (1, 0x200), (1, 0x4_0000), (2, 0)]);
    assert_eq!(of(0, 1), [(1, 0x200), (1, 0x4_0000), (2, 0)]);
    assert_eq!(of(1, 1), [(1, 0x200), (1, 0x4_0000), (2, 0)]);
    assert_eq!(of(2, 1).len(), 5);
    assert_eq!(of(0, 9), [(1, 0x200), (1, 0x4_0000), (2, 0)]);
    assert_eq!(of(0, 10), [(1, 0x4_0000), (2, 0)]);
    assert_eq!(of(0x3FF, 0), [(1, 0), (1, 1), (1, 0x4_0000), (2, 0)], "a superpage goes as a whole");
    assert_eq!(of(0x7_FFFF, 0), [(1, 0), (1, 1), (1, 0x200), (2, 0)]);
    assert_eq!(of(0x8_0000, 18).len(), 5);
    assert_eq!(of(0xF_FFFF_FFFF, 36), [(2, 0)]);
    assert_eq!(of(0xF_FFFF_FFFF, 63), [(2, 0)]);
}

#[test]
fn a_fill_takes_the_place_of_all_that_overlap_it() {
    let mut iotlb = iotlb(&[]);
    fill(&mut iotlb, page(1, 0), 1, FourKib);
    fill(&mut iotlb, page(1, 0x1FF), 2, FourKib);
    fill(&mut iotlb, page(1, 0x200), 3, FourKib);
    fill(&mut iotlb, page(2, 0), 4, FourKib);
    fill(&mut iotlb, page(1, 5), 5, TwoMib);
    assert_eq!([0, 0x1FF, 0x200].map(|number| frame(&mut iotlb, page(1, number))), [Some(5), Some(5), Some(3)]);
    fill(&mut iotlb, page(1, 0), 6, FourKib);
    assert_eq!([0, 1].map(|number| frame(&mut iotlb, page(1, number))), [Some(6), None]);
    fill(&mut iotlb, page(1, 0), 7, OneGib);
    assert_eq!(iotlb.live().count(), 2);
    fill(&mut iotlb, page(1, 0), 8, OneGib);
    assert_eq!(iotlb.live().count(), 2);
    assert_eq!([page(1, 0), page(2, 0)].map(|page| frame(&mut iotlb, page)), [Some(8), Some(4)]);
}

#[test]
fn the_least_recently_used_makes_room() {
    let mut iotlb = iotlb(&["iotlb.entries=4", "iotlb.ways=4"]);
    for number in [10, 11, 12, 13] {
        fill(&mut iotlb, page(1, number), number, FourKib);
    }
    frame(&mut iotlb, page(1, 10));
    iotlb.step(&Commands::default());
    fill(&mut iotlb, page(1, 14), 14, FourKib);
    assert_eq!(found(&iotlb), [10, 12, 13, 14]);
    // From the oldest on: 12, 13, 10, 14. A lookup and a fill of one cycle: the one that is hit goes nevertheless.
    let both = |lookup, number| Commands {
        lookup: Some(page(1, lookup)),
        fill: Some(Fill { page: page(1, number), translation: translation(number, FourKib) }),
        invalidate: None,
    };
    assert_eq!(iotlb.step(&both(12, 15)), Some(Answer::Hit(translation(12, FourKib))));
    assert_eq!(found(&iotlb), [10, 13, 14, 15]);
    // From the oldest on: 13, 10, 14, 15. The hit of 10 counts after the choice of the next cycle.
    iotlb.step(&both(10, 16));
    assert_eq!(found(&iotlb), [10, 14, 15, 16]);
    iotlb.step(&Commands::default());
    // 14, 15, 16, 10.
    for (number, left) in
        [(17, [10, 15, 16, 17]), (18, [10, 16, 17, 18]), (19, [10, 17, 18, 19]), (20, [17, 18, 19, 20])]
    {
        fill(&mut iotlb, page(1, number), number, FourKib);
        assert_eq!(found(&iotlb), left);
    }
    // A free way comes first, and so does the one of the same page.
    fill(&mut iotlb, page(1, 19), 21, FourKib);
    assert_eq!(found(&iotlb), [17, 18, 19, 20]);
    forget(&mut iotlb, page(1, 18), 0);
    fill(&mut iotlb, page(1, 22), 22, FourKib);
    assert_eq!(found(&iotlb), [17, 19, 20, 22]);
}

/// The hit of the cycle before is older than the fill of this one, which does not yet know of it.
#[test]
fn a_hit_counts_one_cycle_later() {
    let mut iotlb = iotlb(&["iotlb.entries=2", "iotlb.ways=2"]);
    fill(&mut iotlb, page(1, 10), 10, FourKib);
    fill(&mut iotlb, page(1, 11), 11, FourKib);
    frame(&mut iotlb, page(1, 10));
    fill(&mut iotlb, page(1, 12), 12, FourKib);
    assert_eq!(found(&iotlb), [11, 12]);
    frame(&mut iotlb, page(1, 11));
    iotlb.step(&Commands::default());
    fill(&mut iotlb, page(1, 13), 13, FourKib);
    assert_eq!(found(&iotlb), [11, 13]);
}

#[test]
fn a_set_is_chosen_by_the_page_number_in_units_of_the_page() {
    let mut iotlb = iotlb(&["iotlb.entries=4", "iotlb.ways=1"]);
    for number in 0..8 {
        fill(&mut iotlb, page(1, number), number, FourKib);
    }
    assert_eq!(found(&iotlb), [4, 5, 6, 7]);
    fill(&mut iotlb, page(2, 6 << 9), 0, TwoMib);
    assert_eq!(found(&iotlb), [4, 5, 7, 6 << 9]);
    fill(&mut iotlb, page(2, 5 << 18), 0, OneGib);
    assert_eq!(found(&iotlb), [4, 7, 6 << 9, 5 << 18]);
}

/// From the lowest bit, 0xACE1 is 10 00 01 11 00 11 01 01; the parities that follow it are 01 00 01. A pair is a way, its
/// first bit the lower one: 1 0 2 3 0 3 2 2, then 2 0 2.
#[test]
fn random_victims_are_those_of_the_shift_register() {
    let mut iotlb = iotlb(&["iotlb.entries=4", "iotlb.ways=4", "iotlb.replacement=random"]);
    for number in 0..4 {
        fill(&mut iotlb, page(1, number), number, FourKib);
    }
    // The four fills that needed no victim have taken the first four numbers.
    for (number, way) in (4..).zip([0, 3, 2, 2, 2, 0, 2]) {
        fill(&mut iotlb, page(1, number), number, FourKib);
        assert_eq!(iotlb.live().position(|fill| fill.page.number == number), Some(way), "fill {number}");
    }
    iotlb.reset();
    assert_eq!(iotlb.live().count(), 0);
}

#[test]
#[should_panic(expected = "does not fit the configuration")]
fn a_page_beyond_the_address_width_is_a_mistake() {
    frame(&mut iotlb(&[]), page(0, 1 << 36));
}

#[test]
#[should_panic(expected = "does not fit the configuration")]
fn a_domain_beyond_its_width_is_a_mistake() {
    frame(&mut iotlb(&[]), page(1 << 16, 0));
}
