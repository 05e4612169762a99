//! An IOTLB of each geometry that no configuration ships, in the reference interpreter, against the golden model.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_golden::iommu::iotlb::{Answer, Commands, Fill, Invalidation, Iotlb, Page, Translation};
use tollgate_hdl::iommu::iotlb::{self as hardware, IotlbPorts, iotlb};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_spec::config::Config;
use tollgate_spec::iotlb::{PageSize, Scope};

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
