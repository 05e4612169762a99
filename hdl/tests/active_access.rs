//! A PTE decoder of layouts that no configuration ships, in the reference interpreter, against the golden model.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_golden::active_access::pte_decoder::{Inputs, Outputs, Record, decode};
use tollgate_hdl::active_access::pte_decoder::{self as hardware, PteDecoderPorts, pte_decoder};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_spec::config::Config;
use tollgate_spec::pte::{Access, Destination, Level, PteLayout, Step};

/// Bits that VT-d leaves to software in every entry, but for the page size.
const FREE: [u32; 19] = [2, 3, 4, 5, 6, 8, 9, 10, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 63];

/// A layout at random, among those that keep the rules.
fn any_layout(rng: &mut impl Rng) -> PteLayout {
    loop {
        let mut bits = FREE.to_vec();
        let mut any_bit = || bits.swap_remove(rng.random_range(0..bits.len()));
        let mut log_bits = [any_bit(), any_bit(), any_bit(), any_bit()];
        let (active_destination, iuid_low) = (any_bit(), any_bit());
        // Half of them with a log bit where superpages have their size (U-10).
        if rng.random() {
            log_bits[rng.random_range(0..4)] = 7;
        }
        let [write_log, write_log_data, read_log, read_log_data] = log_bits;
        let values = [
            ("pte.write_log", write_log),
            ("pte.write_log_data", write_log_data),
            ("pte.read_log", read_log),
            ("pte.read_log_data", read_log_data),
            ("pte.active_destination", active_destination),
            ("pte.iuid_low", iuid_low),
            ("pte.iuid_bits", rng.random_range(1..=4)),
            ("host_address_bits", rng.random_range(32..=52)),
        ];
        if let Ok(config) = Config::shipped("small", &values.map(|(key, value)| format!("{key}={value}"))) {
            return config.pte;
        }
    }
}

/// An access to an entry of which every bit, but for reserved ones in most, is random.
fn any_inputs(rng: &mut impl Rng, layout: &PteLayout) -> Inputs {
    let mut entry = rng.next_u64() & rng.next_u64();
    if rng.random_bool(0.8) {
        let reserved = layout.address_reserved.clone().fold(0x3FFF_F000, |mask, bit| mask | 1 << bit);
        entry &= !reserved;
    }
    Inputs {
        entry,
        level: Level::ALL[rng.random_range(0..4)],
        upper_read: rng.random(),
        upper_write: rng.random(),
        active: rng.random_bool(0.8),
        access: Access::ALL[rng.random_range(0..3)],
        zero_length: rng.random_bool(0.2),
    }
}

/// Drives an access and compares all outputs.
fn judge(sim: &mut Sim<PteDecoderPorts>, inputs: &Inputs, golden: &Outputs) {
    let io = sim.io();
    sim.set(io.entry, inputs.entry);
    sim.set(io.level, hardware::Level::VARIANTS[inputs.level.number() as usize - 1]);
    sim.set(io.upper_read, i32::from(inputs.upper_read));
    sim.set(io.upper_write, i32::from(inputs.upper_write));
    sim.set(io.active, i32::from(inputs.active));
    sim.set(io.access, hardware::Access::VARIANTS[usize::from(inputs.access.number())]);
    sim.set(io.zero_length, i32::from(inputs.zero_length));
    sim.expect(io.step, hardware::Step::VARIANTS[usize::from(golden.step.number())]);
    sim.expect(io.frame, golden.frame);
    sim.expect(io.read_permission, i32::from(golden.read_permission));
    sim.expect(io.write_permission, i32::from(golden.write_permission));
    sim.expect(io.permit, i32::from(golden.permit));
    sim.expect(io.fault.valid, i32::from(golden.fault.is_some()));
    if let Some(fault) = golden.fault {
        sim.expect(io.fault.data, fault.number());
    }
    for (port, record) in [(io.write_record, golden.write_record), (io.read_record, golden.read_record)] {
        sim.expect(port.valid, i32::from(record.is_some()));
        if let Some(Record { with_data, reason }) = record {
            sim.expect(port.with_data, i32::from(with_data));
            sim.expect(port.reason, reason.number());
        }
    }
    sim.expect(io.to_access_log, i32::from(golden.destination == Destination::AccessLog));
    sim.expect(io.iuid, golden.iuid);
}

/// All bit positions are configurable (AA-08, AA-10, AA-11, U-15).
#[test]
fn a_decoder_has_any_layout() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut clashes, mut leaves, mut records) = (0, 0, 0);
    for _ in 0..60 {
        let layout = any_layout(&mut rng);
        clashes += usize::from(layout.log_bit_at_page_size());
        let design = elaborate(|| pte_decoder(&layout)).unwrap_or_else(|errors| panic!("{errors}"));
        let mut sim = Sim::new(&design, rng.next_u64());
        for _ in 0..200 {
            let inputs = any_inputs(&mut rng, &layout);
            let golden = decode(&layout, &inputs);
            leaves += usize::from(golden.step == Step::Leaf);
            records += usize::from(golden.write_record.is_some() || golden.read_record.is_some());
            judge(&mut sim, &inputs, &golden);
        }
    }
    assert!(clashes > 15, "{clashes} layouts with a log bit at the page size");
    assert!(leaves > 2_000 && records > 500, "{leaves} leaves, {records} with records");
}
