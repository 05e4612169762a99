//! Blocks of sizes that no configuration ships, in the reference interpreter, against the golden model.

use num_bigint::BigUint;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_golden::iommu::iotlb::{Answer, Commands, Fill, Invalidation, Iotlb, Page, Translation};
use tollgate_golden::iommu::page_walker::{Done, Events, Outcome, PageWalker, Request};
use tollgate_hdl::bundles::Response;
use tollgate_hdl::iommu::iotlb::{self as hardware, IotlbPorts, iotlb};
use tollgate_hdl::iommu::page_walker::{self as walker, PageWalkerPorts, page_walker};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_spec::config::Config;
use tollgate_spec::iotlb::{PageSize, Scope};
use tollgate_spec::pte::{PteLayout, insert};

/// Drives a page.
fn drive_page(sim: &mut Sim<IotlbPorts>, to: hardware::Page, page: Page) {
    sim.set(to.domain, page.domain);
    sim.set(to.number, page.number);
}

/// Drives the commands of a cycle.
fn drive(sim: &mut Sim<IotlbPorts>, commands: &Commands) {
    let io = sim.io();
    sim.set(io.lookup.valid, i32::from(commands.lookup.is_some()));
    sim.set(io.fill.valid, i32::from(commands.fill.is_some()));
    sim.set(io.invalidate.valid, i32::from(commands.invalidate.is_some()));
    if let Some(page) = commands.lookup {
        drive_page(sim, io.lookup.data, page);
    }
    if let Some(Fill { page, translation }) = commands.fill {
        let to = io.fill.data.translation;
        drive_page(sim, io.fill.data.page, page);
        sim.set(to.frame, translation.frame);
        sim.set(to.size, hardware::PageSize::VARIANTS[usize::from(translation.size.number())]);
        for flag in [to.read, to.write, to.write_log, to.write_log_data, to.read_log, to.read_log_data] {
            sim.set(flag, 0);
        }
        sim.set(to.active_destination, 1);
        sim.set(to.iuid, translation.iuid);
    }
    if let Some(invalidation) = commands.invalidate {
        let to = io.invalidate.data;
        let (scope, page, address_mask) = match invalidation {
            Invalidation::Global => (Scope::Global, Page { domain: 0, number: 0 }, 0),
            Invalidation::Domain(domain) => (Scope::Domain, Page { domain, number: 0 }, 0),
            Invalidation::Page { page, address_mask } => (Scope::Page, page, address_mask),
        };
        drive_page(sim, to.page, page);
        sim.set(to.scope, hardware::Scope::VARIANTS[usize::from(scope.number()) - 1]);
        sim.set(to.address_mask, address_mask);
    }
}

/// Commands on pages that fill the IOTLB about twice, with a superpage or an invalidation here and there.
fn any_commands(rng: &mut impl Rng, entries: u64) -> Commands {
    let mut any_page = || {
        let number = rng.random_range(0..entries) << [0, 9, 18][rng.random_range(0..3)];
        Page { domain: rng.random_range(0..2), number }
    };
    let [lookup, page, gone] = [any_page(), any_page(), any_page()];
    let size = [PageSize::FourKib, PageSize::FourKib, PageSize::TwoMib, PageSize::OneGib][rng.random_range(0..4)];
    let translation = Translation {
        frame: rng.random_range(0..1 << 36),
        size,
        read: false,
        write: false,
        write_log: false,
        write_log_data: false,
        read_log: false,
        read_log_data: false,
        active_destination: true,
        iuid: rng.random_range(0..1024),
    };
    let invalidation = match rng.random_range(0..8) {
        0 => Invalidation::Global,
        1 => Invalidation::Domain(gone.domain),
        _ => Invalidation::Page { page: gone, address_mask: rng.random_range(0..4) },
    };
    Commands {
        lookup: rng.random_bool(0.8).then_some(lookup),
        fill: rng.random_bool(0.6).then_some(Fill { page, translation }),
        invalidate: rng.random_bool(0.02).then_some(invalidation),
    }
}

/// Runs one against the golden model; gives its hits.
fn run(entries: u64, ways: u64, replacement: &str) -> usize {
    let sets = [("entries", &*entries.to_string()), ("ways", &*ways.to_string()), ("replacement", replacement)];
    let sets = sets.map(|(key, value)| format!("iotlb.{key}={value}"));
    let config = Config::shipped("default", &sets).expect("the geometry keeps all rules");
    let design = elaborate(|| iotlb(&config)).unwrap_or_else(|errors| panic!("{errors}"));
    let mut rng = ChaCha8Rng::seed_from_u64(entries + ways);
    let mut sim = Sim::new(&design, rng.next_u64());
    let mut golden = Iotlb::new(&config);
    let io = sim.io();
    let mut hits = 0;
    drive(&mut sim, &Commands::default());
    sim.reset();
    for _ in 0..1_000 {
        let commands = any_commands(&mut rng, entries);
        drive(&mut sim, &commands);
        sim.step();
        let answer = golden.step(&commands);
        sim.expect(io.miss, i32::from(answer == Some(Answer::Miss)));
        sim.expect(io.hit.valid, i32::from(matches!(answer, Some(Answer::Hit(_)))));
        if let Some(Answer::Hit(translation)) = answer {
            hits += 1;
            sim.expect(io.hit.data.frame, translation.frame);
            sim.expect(io.hit.data.iuid, translation.iuid);
        }
    }
    hits
}

#[test]
fn an_iotlb_has_any_geometry() {
    for (entries, ways) in [(2, 1), (8, 1), (2, 2), (8, 2), (4, 4), (16, 4), (8, 8)] {
        for replacement in ["lru", "random"] {
            let hits = run(entries, ways, replacement);
            assert!(hits > 50, "{entries} entries, {ways} ways, {replacement}: only {hits} hits");
        }
    }
}

/// An entry: most lead on, or are pages of 4 KiB.
fn any_entry(rng: &mut impl Rng, config: &Config) -> u64 {
    let entry = rng.next_u64();
    if rng.random_bool(0.1) {
        return entry;
    }
    let address = insert(0, &config.pte.address, u64::MAX);
    insert(entry & (address | 0xFFF), &config.pte.page_size, 0) | 3
}

/// Drives what happens at the ports of a page walker in a cycle; the entry goes to every lane.
fn drive_walker(sim: &mut Sim<PageWalkerPorts>, events: &Events, lanes: u32) {
    let io = sim.io();
    sim.set(io.request.valid, i32::from(events.request.is_some()));
    sim.set(io.read_address.ready, i32::from(events.read.is_some()));
    sim.set(io.read_data.valid, i32::from(events.answer.is_some()));
    sim.set(io.invalidate.valid, 0);
    if let Some(Request { page, table, active }) = events.request {
        let to = io.request.data;
        sim.set(to.page.domain, page.domain);
        sim.set(to.page.number, page.number);
        sim.set(to.table, table);
        sim.set(to.active, i32::from(active));
    }
    if let Some((number, entry)) = events.answer {
        let to = io.read_data.data;
        let words = entry.into_iter().flat_map(|entry| [entry as u32, (entry >> 32) as u32]);
        let beat = BigUint::new(words.collect::<Vec<_>>().repeat(lanes as usize));
        sim.set(to.data, Value::new(lanes * PteLayout::BITS, beat));
        sim.set(to.id, number);
        sim.set(to.resp, Response::Okay);
    }
}

/// One cycle of a page walker and of its golden model; gives the end of a walk, which the ports show now.
fn walker_cycle(sim: &mut Sim<PageWalkerPorts>, golden: &mut PageWalker, events: &Events, lanes: u32) -> Option<Done> {
    drive_walker(sim, events, lanes);
    sim.step();
    drive_walker(sim, &Events::default(), lanes);
    let done = golden.step(events).done;
    let io = sim.io();
    sim.expect(io.done.valid, i32::from(done.is_some()));
    if let Some(Done { page, outcome }) = done {
        sim.expect(io.done.data.page.number, page.number);
        sim.expect(io.done.data.outcome, walker::Outcome::VARIANTS[usize::from(outcome.code().number())]);
        if let Outcome::Translated(translation) = outcome {
            sim.expect(io.done.data.translation.frame, translation.frame);
            sim.expect(io.done.data.translation.iuid, translation.iuid);
        }
    }
    done
}

/// Runs walks, one after the other, against the golden model; gives how many reads they took.
fn run_walker(sets: &[String]) -> usize {
    let config = Config::shipped("default", sets).expect("the sizes keep all rules");
    let design = elaborate(|| page_walker(&config)).unwrap_or_else(|errors| panic!("{sets:?}: {errors}"));
    let mut rng = ChaCha8Rng::seed_from_u64(sets.len() as u64);
    let mut sim = Sim::new(&design, rng.next_u64());
    let mut golden = PageWalker::new(&config);
    let (io, lanes, mut reads) = (sim.io(), config.data_path.bits / PteLayout::BITS, 0);
    drive_walker(&mut sim, &Events::default(), lanes);
    sim.reset();
    for _ in 0..20 {
        let number = rng.random_range(0..1 << config.iotlb.page_number_bits()) >> [0, 20][rng.random_range(0..2)];
        let page = Page { domain: rng.random_range(0..2), number };
        let request = Request { page, table: rng.random_range(0..1 << config.pte.frame_bits()), active: rng.random() };
        walker_cycle(&mut sim, &mut golden, &Events { request: Some(request), ..Events::default() }, lanes);
        walker_cycle(&mut sim, &mut golden, &Events::default(), lanes);
        loop {
            reads += 1;
            let address = golden.to_read(0).expect("the first walk is under way");
            sim.expect(io.read_address.valid, 1);
            sim.expect(io.read_address.data.id, 0);
            sim.expect(io.read_address.data.addr, address);
            walker_cycle(&mut sim, &mut golden, &Events { read: Some(0), ..Events::default() }, lanes);
            let answer = Some((0, Some(any_entry(&mut rng, &config))));
            if walker_cycle(&mut sim, &mut golden, &Events { answer, ..Events::default() }, lanes).is_some() {
                break;
            }
        }
    }
    reads
}

#[test]
fn a_page_walker_has_any_size() {
    for (walks, entries, address_bits, host_address_bits, data_bits) in
        [(2, 2, 39, 32, 512), (4, 64, 40, 52, 128), (32, 2, 47, 41, 128), (64, 16, 48, 32, 512)]
    {
        let sets = [
            format!("page_walker.walks={walks}"),
            format!("page_walker.cache_entries={entries}"),
            format!("iotlb.address_bits={address_bits}"),
            format!("host_address_bits={host_address_bits}"),
            format!("data_path.bits={data_bits}"),
        ];
        let reads = run_walker(&sets);
        assert!((25..80).contains(&reads), "{sets:?}: {reads} reads");
    }
}
