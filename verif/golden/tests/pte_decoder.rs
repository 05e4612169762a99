//! The decoder against its truth table, hand-written entries, and what holds for all entries.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tollgate_golden::active_access::pte_decoder::{Inputs, Outputs, TRUTH_TABLE, decode};
use tollgate_golden::truth_table::{Answer, Case};
use tollgate_spec::config::Config;
use tollgate_spec::fault::FaultReason;
use tollgate_spec::pte::{Access, Destination, Level, PteLayout, Step, insert};

/// Layouts that differ in what matters: with and without a log bit at the page size, each of the
/// four log bits there, other positions of E and IUID, several host address widths.
fn layouts() -> Vec<PteLayout> {
    let layout = |name, sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        Config::shipped(name, &sets).unwrap().pte
    };
    vec![
        layout("small", &[]),
        layout("default", &[]),
        layout("max", &[]),
        layout("small", &["pte.write_log_data=7"]),
        layout("small", &["pte.read_log=7"]),
        layout("small", &["pte.read_log_data=7"]),
        layout("default", &["pte.write_log=2", "pte.active_destination=3", "host_address_bits=32"]),
        layout("small", &["pte.iuid_low=8", "pte.iuid_bits=3", "pte.active_destination=61"]),
    ]
}

mod truth_table {
    use super::*;

    #[test]
    fn every_case_is_in_exactly_one_row() {
        for case in Case::all() {
            let lines: Vec<_> = TRUTH_TABLE.iter().filter(|row| row.matches(&case)).map(|row| row.line).collect();
            assert_eq!(lines.len(), 1, "{case:?} is in the rows of lines {lines:?}");
        }
        assert_eq!(Case::all().count(), 128 * 3 * 2 * 5);
    }

    #[test]
    fn every_row_has_its_case_and_its_ids() {
        for row in TRUTH_TABLE.iter() {
            assert!(Case::all().any(|case| row.matches(&case)), "line {} is empty", row.line);
            assert!(!row.ids.is_empty(), "line {} has no requirement", row.line);
            for id in &row.ids {
                let number = id.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '-');
                assert!(number.parse::<u32>().is_ok(), "line {}: `{id}` is no id", row.line);
            }
        }
    }

    /// The sentences of the paper and the undefined combinations that a leaf decides, all of them.
    #[test]
    fn every_requirement_on_a_leaf_has_a_row() {
        let named: BTreeSet<&str> = TRUTH_TABLE.iter().flat_map(|row| &row.ids).map(String::as_str).collect();
        let wanted = [
            "P-15", "S1", "S10", "S11", "S12", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "U-01", "U-02", "U-03",
            "U-04", "U-05", "U-06", "U-10", "U-11",
        ];
        assert_eq!(named.into_iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn the_decoder_agrees_everywhere() {
        for pte in layouts() {
            let mut cases = 0;
            for case in Case::all_of_layout(&pte) {
                // Once with nothing else in the entry but one address bit, once with all of it.
                for rest in [1 << 31, u64::MAX] {
                    let inputs = case.inputs(&pte, rest);
                    let outputs = decode(&pte, &inputs);
                    let seen = Case::of(&pte, &inputs).unwrap();
                    let row = TRUTH_TABLE.iter().find(|row| row.matches(&seen)).unwrap();
                    assert_eq!(Answer::of(&outputs), row.answer, "line {}: {inputs:x?}", row.line);
                    let counts = seen.active && !seen.leaf.clash;
                    let log_bits = seen.log_bits().map(|bit| bit && counts);
                    assert_eq!(log_bits_of(&outputs), log_bits, "{inputs:x?}");
                    cases += 1;
                }
            }
            assert_eq!(cases, 2 * 128 * 3 * 2 * 3);
        }
    }

    /// An entry built for a case is read as that case, but where the page size is a log bit.
    #[test]
    fn cases_go_into_entries_and_come_out() {
        for pte in layouts() {
            for case in Case::all_of_layout(&pte).filter(|case| !case.leaf.clash) {
                assert_eq!(Case::of(&pte, &case.inputs(&pte, u64::MAX)), Some(case));
            }
        }
    }
}

/// WL, WLD, RL, RLD as they count.
fn log_bits_of(outputs: &Outputs) -> [bool; 4] {
    [outputs.write_log, outputs.write_log_data, outputs.read_log, outputs.read_log_data]
}

fn default() -> PteLayout {
    Config::shipped("default", &[]).unwrap().pte
}

/// A read of `entry` at `level` under active semantics, permitted by all levels above.
fn read(entry: u64, level: Level) -> Inputs {
    Inputs { entry, level, upper_read: true, upper_write: true, active: true, access: Access::Read, zero_length: false }
}

fn step(entry: u64, level: Level, active: bool) -> Step {
    decode(&default(), &Inputs { active, ..read(entry, level) }).step
}

/// Entries written by hand from VT-d's figures of second-level entries, for a host of 48 bits.
mod walk {
    use super::*;

    const PT: Level = Level::PageTable;
    const PD: Level = Level::PageDirectory;
    const PDPT: Level = Level::PageDirectoryPointer;
    const PML4: Level = Level::PageMapLevel4;

    #[test]
    fn entries_with_r_or_w_are_present() {
        for active in [false, true] {
            assert_eq!(step(0x1234_5001, PML4, active), Step::Descend);
            assert_eq!(step(0x1234_5002, PDPT, active), Step::Descend);
            assert_eq!(step(0x1234_5003, PD, active), Step::Descend);
            assert_eq!(step(0x1234_5001, PT, active), Step::Leaf);
            assert_eq!(step(0x1234_5081, PT, active), Step::Leaf);
            assert_eq!(step(0x4020_0081, PD, active), Step::Leaf);
            assert_eq!(step(0x4000_0082, PDPT, active), Step::Leaf);
        }
    }

    #[test]
    fn without_r_and_w_only_an_active_leaf_is_present() {
        assert_eq!(step(0x1234_5000, PT, false), Step::NotPresent);
        assert_eq!(step(0x1234_5000, PT, true), Step::Leaf);
        assert_eq!(step(0x0000_0080, PD, false), Step::NotPresent);
        assert_eq!(step(0x0000_0080, PD, true), Step::Leaf);
        assert_eq!(step(0x0000_0080, PDPT, true), Step::Leaf);
        for level in Level::ALL {
            assert_eq!(step(0, level, true), Step::NotPresent);
            assert_eq!(step(0, level, false), Step::NotPresent);
        }
        // No leaf, so nothing to honour (U-09), whatever else it holds.
        assert_eq!(step(0xFFFF_FFFF_FFFF_FF7C, PD, true), Step::NotPresent);
        assert_eq!(step(0xFFFF_FFFF_FFFF_FF7C, PDPT, true), Step::NotPresent);
        assert_eq!(step(0xFFFF_FFFF_FFFF_FFFC, PML4, true), Step::NotPresent);
    }

    #[test]
    fn one_bit_makes_an_active_leaf_present() {
        for bit in 0..64 {
            let present = !(48..52).contains(&bit);
            let expected = if present { Step::Leaf } else { Step::Reserved };
            assert_eq!(step(1 << bit, PT, true), expected, "bit {bit}");
        }
    }

    #[test]
    fn the_page_size_bit_of_a_pml4_entry_is_reserved() {
        assert_eq!(step(0x1234_5081, PML4, false), Step::Reserved);
        assert_eq!(step(0x1234_5081, PML4, true), Step::Reserved);
        assert_eq!(step(0x1234_5080, PML4, true), Step::NotPresent);
    }

    #[test]
    fn address_bits_beyond_the_host_are_reserved() {
        for level in Level::ALL {
            for bit in 48..52 {
                assert_eq!(step(1 << bit | 1, level, true), Step::Reserved, "bit {bit}");
                assert_eq!(step(1 << bit | 1, level, false), Step::Reserved, "bit {bit}");
            }
            for bit in [2, 3, 4, 5, 6, 8, 9, 10, 11, 47, 52, 57, 61, 62, 63] {
                let expected = if level == PT { Step::Leaf } else { Step::Descend };
                assert_eq!(step(1 << bit | 1, level, true), expected, "bit {bit}");
            }
        }
        let widest = Config::shipped("max", &[]).unwrap().pte;
        let outputs = decode(&widest, &read(0x000F_FFFF_FFFF_F001, PT));
        assert_eq!((outputs.step, outputs.frame), (Step::Leaf, 0xFF_FFFF_FFFF));
    }

    #[test]
    fn address_bits_within_a_superpage_are_reserved() {
        for bit in 12..=20 {
            assert_eq!(step(1 << bit | 0x81, PD, true), Step::Reserved, "bit {bit}");
            assert_eq!(step(1 << bit | 0x81, PD, false), Step::Reserved, "bit {bit}");
        }
        assert_eq!(step(1 << 21 | 0x81, PD, true), Step::Leaf);
        for bit in 12..=29 {
            assert_eq!(step(1 << bit | 0x81, PDPT, true), Step::Reserved, "bit {bit}");
            assert_eq!(step(1 << bit | 0x80, PDPT, true), Step::Reserved, "bit {bit}");
            assert_eq!(step(1 << bit | 0x80, PDPT, false), Step::NotPresent, "bit {bit}");
        }
        assert_eq!(step(1 << 30 | 0x81, PDPT, true), Step::Leaf);
        assert_eq!(step(1 << 12 | 0x01, PD, true), Step::Descend);
    }

    #[test]
    fn the_frame_is_the_address_of_the_entry() {
        let frame = |entry, level| decode(&default(), &read(entry, level)).frame;
        assert_eq!(frame(0xFFF0_8765_4321_0FFF, PT), 0x8_7654_3210);
        assert_eq!(frame(0x0000_8765_4320_0081, PD), 0x8_7654_3200);
    }

    #[test]
    fn faults_carry_vt_ds_reasons() {
        let fault =
            |entry, level, active, access| decode(&default(), &Inputs { active, access, ..read(entry, level) }).fault;
        for active in [false, true] {
            for access in Access::ALL {
                let reserved = Some(FaultReason::PagingEntryReserved);
                assert_eq!(fault(1 << 50 | 3, PT, active, access), reserved);
                assert_eq!(fault(0x1003, PML4, active, access), None);
                let missing = match access {
                    Access::Read => FaultReason::ReadNotPermitted,
                    Access::Write | Access::Atomic => FaultReason::WriteNotPermitted,
                };
                assert_eq!(fault(0x1000, PML4, active, access), Some(missing));
                assert_eq!(fault(0, PT, active, access), Some(missing));
            }
        }
        assert_eq!(fault(0x1000, PT, true, Access::Read), None);
    }
}

/// U-10: the paper's WL is the page size of a superpage, so none of the four counts there; elsewhere each stands alone.
#[test]
fn log_bits_count_at_active_leaves() {
    let log_bits = |entry, level, active| log_bits_of(&decode(&default(), &Inputs { active, ..read(entry, level) }));
    let entries = [0x1234_5081, 0x1234_5101, 0x1234_5201, 0x1234_5401];
    for (which, entry) in entries.into_iter().enumerate() {
        let alone = std::array::from_fn(|bit| bit == which);
        assert_eq!(log_bits(entry, Level::PageTable, true), alone, "{entry:#x}");
        assert_eq!(log_bits(entry, Level::PageTable, false), [false; 4]);
    }
    assert_eq!(log_bits(0x4000_0781, Level::PageDirectory, true), [false; 4], "a superpage");
    assert_eq!(log_bits(0x1234_5701, Level::PageDirectory, true), [false; 4], "a table");
    assert_eq!(log_bits(0x1234_5781 | 1 << 50, Level::PageTable, true), [false; 4], "a reserved bit");
    let small = Config::shipped("small", &[]).unwrap().pte;
    let outputs = decode(&small, &read(0x4000_00E9, Level::PageDirectory));
    assert_eq!(log_bits_of(&outputs), [true, false, true, true], "WL, RL and RLD at bits 3, 5 and 6");
}

#[test]
fn upper_levels_take_permissions_away() {
    let outputs = |upper_read, upper_write, access| {
        // R, W, WL, WLD, RL, RLD, E, user domain 5.
        let inputs = read(0x8050_0000_1234_5783, Level::PageTable);
        decode(&default(), &Inputs { upper_read, upper_write, access, ..inputs })
    };
    let both = outputs(true, true, Access::Atomic);
    assert!(both.permit && both.read_permission && both.write_permission);
    assert_eq!(both.read_record.unwrap().reason, FaultReason::LoggedRead);

    let no_write = outputs(true, false, Access::Atomic);
    assert!(!no_write.permit && no_write.read_permission && !no_write.write_permission);
    assert_eq!(no_write.write_record.unwrap().reason, FaultReason::WriteNotPermitted);
    assert_eq!(no_write.read_record.unwrap().reason, FaultReason::WriteNotPermitted);
    assert!(no_write.write_record.unwrap().with_data && !no_write.read_record.unwrap().with_data);

    let no_read = outputs(false, true, Access::Read);
    assert!(!no_read.permit && !no_read.read_permission && no_read.write_permission);
    assert_eq!(no_read.read_record.unwrap().reason, FaultReason::ReadNotPermitted);
    assert_eq!((no_read.destination, no_read.iuid), (Destination::AccessLog, 5));
    assert!(outputs(false, true, Access::Write).permit);
}

fn any_level() -> impl Strategy<Value = Level> {
    prop::sample::select(Level::ALL.to_vec())
}

fn any_access() -> impl Strategy<Value = Access> {
    prop::sample::select(Access::ALL.to_vec())
}

fn any_layout() -> impl Strategy<Value = PteLayout> {
    prop::sample::select(layouts())
}

/// An entry of random bits; half of them without reserved address bits, so that leaves are common.
fn any_entry() -> impl Strategy<Value = u64> {
    (any::<u64>(), any::<bool>()).prop_map(|(bits, tame)| if tame { bits & !0x000F_FFFF_3FFF_F000 } else { bits })
}

prop_compose! {
    fn any_inputs()(
        entry in any_entry(),
        level in any_level(),
        access in any_access(),
        [upper_read, upper_write, active, zero_length] in any::<[bool; 4]>(),
    ) -> Inputs {
        Inputs { entry, level, upper_read, upper_write, active, access, zero_length }
    }
}

proptest! {
    /// P-01: what is logged never decides what takes effect.
    #[test]
    fn effect_never_depends_on_log_bits(pte in any_layout(), inputs in any_inputs(), log in 0_u64..16) {
        let before = decode(&pte, &inputs);
        prop_assume!(before.step == Step::Leaf);
        let mut entry = inputs.entry;
        for (i, range) in pte.log_bits().into_iter().enumerate() {
            if range != pte.page_size {
                entry = insert(entry, &range, log >> i);
            }
        }
        let after = decode(&pte, &Inputs { entry, ..inputs });
        prop_assume!(after.step == Step::Leaf);
        prop_assert_eq!(before.permit, after.permit);
        prop_assert_eq!(before.frame, after.frame);
        prop_assert_eq!(before.fault, after.fault);
    }

    /// P-15: without active semantics the new bits mean nothing.
    #[test]
    fn legacy_ignores_the_new_bits(pte in any_layout(), inputs in any_inputs(), other in any::<u64>()) {
        let inputs = Inputs { active: false, ..inputs };
        let mut entry = inputs.entry;
        let new = [pte.active_destination.clone(), pte.iuid.clone()];
        for range in pte.log_bits().into_iter().chain(new) {
            if range != pte.page_size {
                entry = insert(entry, &range, other >> range.start);
            }
        }
        let outputs = decode(&pte, &inputs);
        prop_assert_eq!(outputs, decode(&pte, &Inputs { entry, ..inputs }));
        let Outputs { write_record, read_record, destination, iuid, .. } = outputs;
        prop_assert_eq!((write_record, read_record), (None, None));
        prop_assert_eq!((destination, iuid), (Destination::FaultLog, 0));
    }

    /// U-12: an access of no byte is checked and recorded, without data.
    #[test]
    fn zero_length_takes_the_data_away_and_nothing_else(pte in any_layout(), inputs in any_inputs()) {
        let mut expected = decode(&pte, &Inputs { zero_length: false, ..inputs });
        for record in [&mut expected.write_record, &mut expected.read_record].into_iter().flatten() {
            record.with_data = false;
        }
        prop_assert_eq!(decode(&pte, &Inputs { zero_length: true, ..inputs }), expected);
    }

    /// A level above without a permission is as good as the entry without it, once the entry is present.
    #[test]
    fn an_upper_level_counts_as_the_entry_does(pte in any_layout(), inputs in any_inputs()) {
        let below = decode(&pte, &inputs);
        let mut entry = inputs.entry;
        if !inputs.upper_read { entry = insert(entry, &pte.read, 0); }
        if !inputs.upper_write { entry = insert(entry, &pte.write, 0); }
        let own = decode(&pte, &Inputs { entry, upper_read: true, upper_write: true, ..inputs });
        prop_assume!(own.step == below.step);
        prop_assert_eq!(below, own);
    }

    /// What a consumer may rely on without looking at other outputs.
    #[test]
    fn outputs_are_consistent(pte in any_layout(), inputs in any_inputs()) {
        let outputs = decode(&pte, &inputs);
        let leaf = outputs.step == Step::Leaf;
        let recorded = outputs.write_record.is_some() || outputs.read_record.is_some();
        prop_assert!(!outputs.permit || leaf);
        prop_assert!(!(outputs.permit && outputs.fault.is_some()));
        prop_assert!(!recorded || (leaf && inputs.active && outputs.fault.is_none()));
        prop_assert!(outputs.write_record.is_none() || inputs.access.writes());
        prop_assert!(outputs.read_record.is_none() || inputs.access.reads());
        prop_assert!(outputs.frame >> pte.frame_bits() == 0);
        prop_assert!(outputs.fault.is_none_or(|reason| reason.number() < 0xC0));
        if !(leaf && inputs.active) {
            prop_assert_eq!((outputs.destination, outputs.iuid), (Destination::FaultLog, 0));
            prop_assert_eq!(log_bits_of(&outputs), [false; 4]);
        }
        if outputs.destination == Destination::FaultLog {
            let records = [outputs.write_record, outputs.read_record].into_iter().flatten();
            prop_assert!(records.into_iter().all(|record| !record.with_data));
        }
    }
}
