//! The context cache: what is found, what is forgotten, and what makes room.

use tollgate_golden::iommu::context_cache::{Answer, Commands, Context, ContextCache, Fill, Invalidation};
use tollgate_spec::config::Config;

fn cache(sets: &[&str]) -> ContextCache {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    ContextCache::new(&Config::shipped("default", &sets).unwrap())
}

/// A context that says nothing but its domain and its table.
fn context(domain: u64, page_table: u64) -> Context {
    Context { domain, page_table, pass_through: false, fault_processing_disable: false, active: false }
}

fn filling(requester: u16, context: Context) -> Commands {
    Commands { fill: Some(Fill { requester, context }), ..Commands::default() }
}

fn asking(requester: u16) -> Commands {
    Commands { lookup: Some(requester), ..Commands::default() }
}

fn forgetting(invalidation: Invalidation) -> Commands {
    Commands { invalidate: Some(invalidation), ..Commands::default() }
}

/// The requesters that it holds, in order.
fn held(cache: &ContextCache) -> Vec<u16> {
    let mut requesters: Vec<u16> = cache.live().map(|fill| fill.requester).collect();
    requesters.sort_unstable();
    requesters
}

#[test]
fn an_empty_cache_finds_nothing() {
    assert_eq!(cache(&[]).step(&asking(0)), Some(Answer::Miss));
    assert_eq!(cache(&[]).step(&Commands::default()), None);
}

#[test]
fn all_of_a_context_comes_back_to_its_requester_alone() {
    let mut cache = cache(&[]);
    let kept = Context {
        domain: 0xFFFF,
        page_table: 0xF_FFFF_FFFF,
        pass_through: true,
        fault_processing_disable: true,
        active: true,
    };
    cache.step(&filling(0x1234, kept));
    assert_eq!(cache.step(&asking(0x1234)), Some(Answer::Hit(kept)));
    for bit in 0..16 {
        assert_eq!(cache.step(&asking(0x1234 ^ 1 << bit)), Some(Answer::Miss));
    }
}

#[test]
fn commands_of_one_cycle_see_the_state_before_it() {
    let mut cache = cache(&[]);
    let kept = context(1, 7);
    let both = Commands { lookup: Some(5), ..filling(5, kept) };
    assert_eq!(cache.step(&both), Some(Answer::Miss));
    let both = Commands { lookup: Some(5), ..forgetting(Invalidation::Global) };
    assert_eq!(cache.step(&both), Some(Answer::Hit(kept)));
    assert_eq!(cache.step(&asking(5)), Some(Answer::Miss));
    let beside = Commands { invalidate: Some(Invalidation::Domain(9)), ..filling(5, kept) };
    cache.step(&beside);
    assert_eq!(cache.step(&asking(5)), Some(Answer::Miss), "a fill beside an invalidation is dropped");
}

#[test]
fn invalidations_cover_what_they_say() {
    // The functions 0 to 7 of device 0x0308, of domains 1 and 2 in turn, but for function 7; and another device.
    let left = |invalidation| {
        let mut cache = cache(&[]);
        for function in 0..7 {
            cache.step(&filling(0x0308 + function, context(1 + u64::from(function) % 2, 0)));
        }
        cache.step(&filling(0x0318, context(1, 0)));
        cache.step(&forgetting(invalidation));
        held(&cache)
    };
    let device = |requester, function_mask| left(Invalidation::Device { requester, function_mask });
    assert_eq!(left(Invalidation::Global), []);
    assert_eq!(left(Invalidation::Domain(1)), [0x309, 0x30B, 0x30D]);
    assert_eq!(left(Invalidation::Domain(2)), [0x308, 0x30A, 0x30C, 0x30E, 0x318]);
    assert_eq!(left(Invalidation::Domain(3)).len(), 8);
    assert_eq!(device(0x30A, 0), [0x308, 0x309, 0x30B, 0x30C, 0x30D, 0x30E, 0x318]);
    assert_eq!(device(0x309, 1), [0x308, 0x30A, 0x30B, 0x30C, 0x30E, 0x318]);
    assert_eq!(device(0x30D, 1), [0x308, 0x30A, 0x30B, 0x30C, 0x30E, 0x318]);
    assert_eq!(device(0x308, 2), [0x309, 0x30B, 0x30D, 0x318]);
    assert_eq!(device(0x30F, 2), [0x308, 0x30A, 0x30C, 0x30E, 0x318]);
    assert_eq!(device(0x30F, 3), [0x318]);
    assert_eq!(device(0x310, 3).len(), 8, "another device");
    assert_eq!(device(0x408, 3).len(), 8, "another bus");
}

#[test]
fn a_requester_has_one_context() {
    let mut cache = cache(&["context_cache.entries=2"]);
    cache.step(&filling(1, context(1, 1)));
    cache.step(&filling(2, context(2, 2)));
    cache.step(&filling(1, context(3, 3)));
    assert_eq!(held(&cache), [1, 2]);
    assert_eq!(cache.step(&asking(1)), Some(Answer::Hit(context(3, 3))));
    cache.step(&forgetting(Invalidation::Domain(1)));
    assert_eq!(held(&cache), [1, 2], "its domain of before is forgotten too");
}

#[test]
fn entries_make_room_in_turn() {
    let mut cache = cache(&["context_cache.entries=4"]);
    let fill = |cache: &mut ContextCache, requester| cache.step(&filling(requester, context(1, 0)));
    for requester in 10..14 {
        fill(&mut cache, requester);
    }
    cache.step(&asking(10));
    fill(&mut cache, 14);
    assert_eq!(held(&cache), [11, 12, 13, 14], "a hit saves nothing");
    // One that is filled again keeps its place, and nobody makes room.
    fill(&mut cache, 12);
    fill(&mut cache, 15);
    assert_eq!(held(&cache), [12, 13, 14, 15]);
    // A free entry comes first; the turn waits.
    cache.step(&forgetting(Invalidation::Device { requester: 14, function_mask: 0 }));
    fill(&mut cache, 16);
    assert_eq!(held(&cache), [12, 13, 15, 16]);
    for (requester, left) in
        [(17, [13, 15, 16, 17]), (18, [15, 16, 17, 18]), (19, [15, 17, 18, 19]), (20, [17, 18, 19, 20])]
    {
        fill(&mut cache, requester);
        assert_eq!(held(&cache), left);
    }
    cache.reset();
    assert_eq!(held(&cache), []);
}

#[test]
#[should_panic(expected = "domain 0x10000 does not fit the configuration")]
fn a_domain_beyond_its_width_is_a_mistake() {
    cache(&[]).step(&filling(0, context(1 << 16, 0)));
}

#[test]
#[should_panic(expected = "a function mask of 4")]
fn a_function_mask_beyond_its_codes_is_a_mistake() {
    let mut cache = cache(&[]);
    cache.step(&filling(0, context(0, 0)));
    cache.step(&forgetting(Invalidation::Device { requester: 0, function_mask: 4 }));
}
