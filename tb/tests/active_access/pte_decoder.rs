//! The PTE decoder: Verilog, golden model and the truth table that was written by hand agree.
//!
//! The block is combinational, so a cycle of this testbench is one decode.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rand::{Rng, RngExt};
use tb::{configurations, model};
use tollgate_cosim::{
    Beat, Bench, Coverage, Direction, Dut, Error, Failure, FieldId, Input, Layout, Outcome, Probe, Run, Scoreboard,
};
use tollgate_golden::active_access::pte_decoder::{Inputs, Outputs, Record, TRUTH_TABLE, decode};
use tollgate_golden::truth_table::{Answer, Case, Row};
use tollgate_spec::config::Config;
use tollgate_spec::pte::{Access, Level, PteLayout, Step, extract, insert};

const MODULE: &str = "active_access_pte_decoder";

/// Sets the inputs.
struct Driver {
    entry: Input,
    level: Input,
    upper_read: Input,
    upper_write: Input,
    active: Input,
    access: Input,
    zero_length: Input,
}

impl Driver {
    fn new(dut: &Dut) -> Outcome<Self> {
        Ok(Self {
            entry: dut.input("entry")?,
            level: dut.input("level")?,
            upper_read: dut.input("upper_read")?,
            upper_write: dut.input("upper_write")?,
            active: dut.input("active")?,
            access: dut.input("access")?,
            zero_length: dut.input("zero_length")?,
        })
    }

    fn drive(&self, inputs: &Inputs) {
        self.entry.set(inputs.entry);
        self.level.set(inputs.level.number().into());
        self.upper_read.set(inputs.upper_read.into());
        self.upper_write.set(inputs.upper_write.into());
        self.active.set(inputs.active.into());
        self.access.set(inputs.access.number().into());
        self.zero_length.set(inputs.zero_length.into());
    }
}

/// Sees all outputs as one beat.
struct Monitor {
    layout: Rc<Layout>,
    ports: Vec<(FieldId, Probe)>,
}

impl Monitor {
    fn new(dut: &Dut) -> Outcome<Self> {
        let outputs = dut.model().ports().iter().filter(|port| port.direction == Direction::Output);
        let layout = Layout::new(outputs.map(|port| (port.name.clone(), port.width)));
        let port = |name| Ok((layout.field(name)?, dut.probe(name)?));
        let ports = layout.names().map(port).collect::<Result<_, Error>>()?;
        Ok(Self { layout, ports })
    }

    fn sample(&self) -> Beat {
        let mut beat = self.layout.beat();
        self.ports.iter().for_each(|(field, probe)| beat.set(*field, probe.get()));
        beat
    }
}

/// A port and what it must show; `None` if it may show anything.
type Expected = (&'static str, Option<u64>);

/// What the golden model says of every port.
fn of_golden(outputs: &Outputs) -> Vec<Expected> {
    let answer = Answer { destination: Some(outputs.destination), ..Answer::of(outputs) };
    let others = [
        ("step", Some(outputs.step.number().into())),
        ("frame", Some(outputs.frame)),
        ("read_permission", Some(outputs.read_permission.into())),
        ("write_permission", Some(outputs.write_permission.into())),
        ("write_log", Some(outputs.write_log.into())),
        ("write_log_data", Some(outputs.write_log_data.into())),
        ("read_log", Some(outputs.read_log.into())),
        ("read_log_data", Some(outputs.read_log_data.into())),
        ("iuid", Some(outputs.iuid)),
    ];
    [of_answer(&answer).as_slice(), &others].concat()
}

/// What a row of the truth table says of a case; an access of no byte has no data (U-12).
fn of_row(row: &Row, case: &Case, zero_length: bool) -> Vec<Expected> {
    let stripped =
        |record: Option<Record>| record.map(|record| Record { with_data: record.with_data && !zero_length, ..record });
    let Answer { write_record, read_record, .. } = row.answer;
    let answer = Answer { write_record: stripped(write_record), read_record: stripped(read_record), ..row.answer };
    // Without active semantics, an entry without R and W has the same answer and is no leaf (U-08).
    let step = row.active.then_some(Step::Leaf.number().into());
    let [write_log, write_log_data, read_log, read_log_data] =
        case.log_bits().map(|bit| Some((bit && case.active && !case.leaf.clash).into()));
    let others = [
        ("step", step),
        ("write_log", write_log),
        ("write_log_data", write_log_data),
        ("read_log", read_log),
        ("read_log_data", read_log_data),
    ];
    [of_answer(&answer).as_slice(), &others].concat()
}

fn of_answer(answer: &Answer) -> [Expected; 10] {
    let Answer { permit, fault, write_record, read_record, destination } = answer;
    let with_data = |record: &Option<Record>| record.map(|record| record.with_data.into());
    let reason = |record: &Option<Record>| record.map(|record| record.reason.number().into());
    [
        ("permit", Some((*permit).into())),
        ("fault_valid", Some(fault.is_some().into())),
        ("fault_data", fault.map(|fault| fault.number().into())),
        ("write_record_valid", Some(write_record.is_some().into())),
        ("write_record_with_data", with_data(write_record)),
        ("write_record_reason", reason(write_record)),
        ("read_record_valid", Some(read_record.is_some().into())),
        ("read_record_with_data", with_data(read_record)),
        ("read_record_reason", reason(read_record)),
        ("to_access_log", destination.map(|destination| destination.number().into())),
    ]
}

/// The decoder between driver and monitor, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    pte: &'a PteLayout,
    driver: Driver,
    monitor: Monitor,
    fields: BTreeMap<String, FieldId>,
    golden: Scoreboard,
    table: Scoreboard,
}

impl<'a> Testbench<'a> {
    fn new(dut: &'a mut Dut, pte: &'a PteLayout) -> Outcome<Self> {
        let (driver, monitor) = (Driver::new(dut)?, Monitor::new(dut)?);
        let field = |name: &str| Ok((name.to_owned(), monitor.layout.field(name)?));
        let fields = monitor.layout.names().map(field).collect::<Result<_, Error>>()?;
        let (golden, table) = (Scoreboard::new("decode"), Scoreboard::new("case of the truth table"));
        Ok(Self { dut, pte, driver, monitor, fields, golden, table })
    }

    /// Decodes and compares with the golden model; gives what was seen and what the model says.
    fn decode(&mut self, inputs: &Inputs) -> Outcome<(Beat, Outputs)> {
        self.driver.drive(inputs);
        self.judge(inputs)
    }

    /// As [`Self::decode`], where the driver has set the inputs already.
    fn judge(&mut self, inputs: &Inputs) -> Outcome<(Beat, Outputs)> {
        self.dut.eval()?;
        let seen = self.monitor.sample();
        let outputs = decode(self.pte, inputs);
        let (beat, fields) = self.beat(&of_golden(&outputs));
        self.golden.expect_fields(beat, &fields);
        let cycle = self.golden.matched();
        self.golden.check(cycle, &seen).map_err(|failure| failure.with_note(shown(self.pte, inputs)))?;
        Ok((seen, outputs))
    }

    /// Decodes a leaf and compares with the golden model and with the truth table; gives the row of the case.
    fn look_up(&mut self, inputs: &Inputs) -> Outcome<&'static Row> {
        let (seen, _) = self.decode(inputs)?;
        let case = Case::of(self.pte, inputs).expect("level 4 has no leaf");
        let row = TRUTH_TABLE.iter().find(|row| row.matches(&case)).expect("the table is complete");
        let (beat, fields) = self.beat(&of_row(row, &case, inputs.zero_length));
        self.table.expect_fields(beat, &fields);
        let note = |pte| format!("line {} of the table; {}", row.line, shown(pte, inputs));
        self.table.check(self.golden.matched(), &seen).map_err(|failure| failure.with_note(note(self.pte)))?;
        Ok(row)
    }

    /// A beat of what is expected, and the fields that count.
    fn beat(&self, expected: &[Expected]) -> (Beat, Vec<FieldId>) {
        let mut beat = self.monitor.layout.beat();
        let counts = |(name, value): &Expected| {
            let field = self.fields[*name];
            beat.set(field, (*value)?);
            Some(field)
        };
        let fields = expected.iter().filter_map(counts).collect();
        (beat, fields)
    }
}

/// The inputs in words, for the reader of a mismatch.
fn shown(pte: &PteLayout, inputs: &Inputs) -> String {
    let Inputs { entry, level, upper_read, upper_write, active, zero_length, .. } = inputs;
    let [write_log, write_log_data, read_log, read_log_data] = pte.log_bits();
    let flags = [
        ("R", &pte.read),
        ("W", &pte.write),
        ("PS", &pte.page_size),
        ("WL", &write_log),
        ("WLD", &write_log_data),
        ("RL", &read_log),
        ("RLD", &read_log_data),
        ("E", &pte.active_destination),
    ];
    let set = flags.into_iter().filter(|(_, range)| extract(*entry, range) == 1).map(|(name, _)| format!("{name} "));
    let (set, iuid) = (set.collect::<String>(), extract(*entry, &pte.iuid));
    let length = if *zero_length { " of no byte" } else { "" };
    let above = of_two(["none", "R", "W", "R W"], [*upper_read, *upper_write]);
    format!(
        "{mode} {access}{length}, entry {entry:#018x} of level {level}: {set}IUID {iuid:#x}; permitted above: {above}",
        mode = MODES[usize::from(*active)],
        access = access(inputs),
        level = level.number(),
    )
}

/// Runs `test` over `seeds` in every configuration; `coverage` gives the bins that the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(&Config) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let run: Run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(&config));
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            test(&mut Testbench::new(dut, &config.pte)?, rng, coverage)
        });
    }
}

/// Nothing to cover: the test enumerates its cases.
fn enumerated(_: &Config) -> Coverage {
    Coverage::new()
}

/// Leaves out of a cross of step and level what no entry can be.
fn possible_steps(coverage: Coverage, config: &Config) -> Coverage {
    let coverage = coverage
        .impossible(&[("step", "leaf"), ("level", "512 GiB")], "there are no pages of 512 GiB")
        .impossible(&[("step", "descend"), ("level", "4 KiB")], "there is no table below");
    if !config.pte.address_reserved.is_empty() {
        return coverage;
    }
    coverage.impossible(&[("step", "reserved"), ("level", "4 KiB")], "the host has all address bits")
}

const LEVELS: [&str; 4] = ["4 KiB", "2 MiB", "1 GiB", "512 GiB"];
const MODES: [&str; 2] = ["legacy", "active"];
const STEPS: [&str; 4] = ["descend", "leaf", "not present", "reserved"];
const ACCESSES: [&str; 3] = ["read", "write", "atomic"];

fn level(inputs: &Inputs) -> &'static str {
    LEVELS[inputs.level as usize - 1]
}

fn mode(inputs: &Inputs) -> &'static str {
    MODES[usize::from(inputs.active)]
}

fn access(inputs: &Inputs) -> &'static str {
    ACCESSES[inputs.access as usize]
}

/// The truth table, whole: 2^7 bits × access × mode × leaf × length, each with the other bits of the entry all zeros,
/// all ones, in both alternations, and random.
#[test]
fn truth_table() {
    let coverage = |config: &Config| {
        let cases: Vec<Case> = Case::all_of_layout(&config.pte).collect();
        let reached = |row: &&Row| cases.iter().any(|case| row.matches(case));
        let rows = TRUTH_TABLE.iter().filter(reached);
        let requirements: BTreeSet<&str> = rows.flat_map(|row| &row.ids).map(String::as_str).collect();
        Coverage::new()
            .point("requirement", requirements)
            .point("leaf", LEVELS.into_iter().take(3))
            .point("mode", MODES)
            .point("access", ACCESSES)
            .point("length", ["some bytes", "no byte"])
            .cross(["leaf", "mode", "access", "length"])
    };
    check("truth_table", 2, coverage, |testbench, rng, coverage| {
        let pte = testbench.pte;
        for filling in [0, u64::MAX, 0xAAAA_AAAA_AAAA_AAAA, 0x5555_5555_5555_5555, rng.next_u64(), rng.next_u64()] {
            for case in Case::all_of_layout(pte) {
                for (zero_length, length) in [(false, "some bytes"), (true, "no byte")] {
                    let inputs = Inputs { zero_length, ..case.inputs(pte, filling) };
                    if inputs.entry == 0 {
                        continue; // No leaf: nothing is present (U-08).
                    }
                    let row = testbench.look_up(&inputs)?;
                    for id in &row.ids {
                        coverage.sample(&[("requirement", id)]);
                    }
                    let leaf = [("leaf", level(&inputs)), ("mode", mode(&inputs))];
                    coverage.sample(&[leaf[0], leaf[1], ("access", access(&inputs)), ("length", length)]);
                }
            }
        }
        Ok(())
    });
}

/// Every bit of the entry alone, set and cleared, at every level, with every R, W and page size, in both modes.
#[test]
fn walk() {
    let coverage = |config: &Config| {
        let coverage = Coverage::new()
            .point("step", STEPS)
            .point("level", LEVELS)
            .point("mode", MODES)
            .point("access", ACCESSES)
            .cross(["step", "level", "mode", "access"]);
        possible_steps(coverage, config)
    };
    check("walk", 1, coverage, |testbench, _, coverage| {
        let pte = testbench.pte;
        // Once without, once with all bits that are never reserved.
        let mut ignored = insert(u64::MAX, &(pte.address.start..pte.address_reserved.end), 0);
        for range in [&pte.read, &pte.write, &pte.page_size] {
            ignored = insert(ignored, range, 0);
        }
        for level in Level::ALL {
            for number in 0..16 {
                let (filling, flags) = ([0, ignored][number as usize / 8], number % 8);
                let mut entry = insert(filling, &pte.read, flags);
                entry = insert(entry, &pte.write, flags >> 1);
                entry = insert(entry, &pte.page_size, flags >> 2);
                for flipped in [0].into_iter().chain((0..u64::BITS).map(|bit| 1 << bit)) {
                    for (active, access) in both().flat_map(|active| Access::ALL.map(|access| (active, access))) {
                        let inputs = Inputs { active, access, ..at(entry ^ flipped, level) };
                        let (_, outputs) = testbench.decode(&inputs)?;
                        let step = STEPS[outputs.step as usize];
                        coverage.sample(&[
                            ("step", step),
                            ("level", self::level(&inputs)),
                            ("mode", mode(&inputs)),
                            ("access", self::access(&inputs)),
                        ]);
                    }
                }
            }
        }
        Ok(())
    });
}

fn both() -> impl Iterator<Item = bool> + Clone {
    [false, true].into_iter()
}

/// An active read of `entry`, permitted by all levels above.
fn at(entry: u64, level: Level) -> Inputs {
    Inputs { entry, level, upper_read: true, upper_write: true, active: true, access: Access::Read, zero_length: false }
}

/// All cases of the truth table below levels that take R, W or both away.
#[test]
fn permissions_from_above() {
    check("permissions_from_above", 1, enumerated, |testbench, rng, _| {
        let filling = rng.next_u64();
        for case in Case::all_of_layout(testbench.pte) {
            for (upper_read, upper_write) in [(false, false), (false, true), (true, false)] {
                let inputs = Inputs { upper_read, upper_write, ..case.inputs(testbench.pte, filling) };
                testbench.decode(&inputs)?;
            }
        }
        Ok(())
    });
}

/// Codes that have no meaning are decoded as 4 KiB pages and as reads.
#[test]
fn codes_without_meaning() {
    check("codes_without_meaning", 1, enumerated, |testbench, rng, _| {
        for _ in 0..200 {
            let entry = any_entry(rng, testbench.pte, Level::PageTable);
            for active in both() {
                for access in Access::ALL {
                    let inputs = Inputs { active, access, ..at(entry, Level::PageTable) };
                    testbench.driver.drive(&inputs);
                    for level in [0, 5, 6, 7] {
                        testbench.driver.level.set(level);
                        testbench.judge(&inputs)?;
                    }
                }
                for level in Level::ALL {
                    let inputs = Inputs { active, ..at(entry, level) };
                    testbench.driver.drive(&inputs);
                    testbench.driver.access.set(3);
                    testbench.judge(&inputs)?;
                }
            }
        }
        Ok(())
    });
}

/// Every user domain comes out of an active leaf, number 0 included, and none out of a legacy one (U-14).
#[test]
fn every_user_domain() {
    check("every_user_domain", 1, enumerated, |testbench, _, _| {
        let pte = testbench.pte;
        let active_put = [&pte.write_log, &pte.write_log_data, &pte.active_destination];
        let entry = active_put.into_iter().fold(0, |entry, range| insert(entry, range, 1));
        let iuid = testbench.fields["iuid"];
        for domain in 0..1 << pte.iuid_bits() {
            let inputs = Inputs { access: Access::Write, ..at(insert(entry, &pte.iuid, domain), Level::PageTable) };
            for active in both() {
                let (seen, _) = testbench.decode(&Inputs { active, ..inputs })?;
                assert_eq!(seen.get(iuid), if active { domain } else { 0 }, "{}", shown(pte, &inputs));
            }
        }
        Ok(())
    });
}

/// P-15: without active semantics no output depends on the new bits, and nothing is recorded.
#[test]
fn legacy_is_bit_exact() {
    check("legacy_is_bit_exact", 4, enumerated, |testbench, rng, _| {
        let pte = testbench.pte;
        let records = ["write_record_valid", "read_record_valid", "to_access_log"].map(|name| testbench.fields[name]);
        for _ in 0..2_000 {
            let inputs = Inputs { active: false, ..any_inputs(rng, pte) };
            let (before, _) = testbench.decode(&inputs)?;
            let changed = Inputs { entry: with_other_new_bits(inputs.entry, pte, rng), ..inputs };
            let (after, _) = testbench.decode(&changed)?;
            same(pte, [&inputs, &changed], [&before, &after], |_| true)?;
            assert!(records.iter().all(|record| before.get(*record) == 0), "{}", shown(pte, &inputs));
        }
        Ok(())
    });
}

/// P-01: on an active leaf, what takes effect depends neither on the log bits nor on E and IUID.
#[test]
fn log_bits_never_change_the_effect() {
    check("log_bits_never_change_the_effect", 4, enumerated, |testbench, rng, _| {
        let pte = testbench.pte;
        let effect = ["step", "frame", "read_permission", "write_permission", "permit", "fault_valid"];
        let effect = effect.map(|name| testbench.fields[name]);
        let mut leaves = 0;
        while leaves < 2_000 {
            let inputs = Inputs { active: true, ..any_inputs(rng, pte) };
            let (before, outputs) = testbench.decode(&inputs)?;
            let entry = with_other_new_bits(inputs.entry, pte, rng);
            if outputs.step != Step::Leaf || entry == 0 {
                continue; // An entry of zeros is not present (U-08).
            }
            leaves += 1;
            let changed = Inputs { entry, ..inputs };
            let (after, _) = testbench.decode(&changed)?;
            same(pte, [&inputs, &changed], [&before, &after], |field| effect.contains(&field))?;
        }
        Ok(())
    });
}

/// The entry with random bits of Active Access, but for one that is the page size.
fn with_other_new_bits(entry: u64, pte: &PteLayout, rng: &mut dyn Rng) -> u64 {
    let new = pte.log_bits().into_iter().chain([pte.active_destination.clone(), pte.iuid.clone()]);
    new.filter(|range| *range != pte.page_size).fold(entry, |entry, range| insert(entry, &range, rng.next_u64()))
}

/// Two decodes that must not be told apart by the fields that count.
fn same(pte: &PteLayout, inputs: [&Inputs; 2], seen: [&Beat; 2], counts: impl Fn(FieldId) -> bool) -> Outcome {
    let [before, after] = seen;
    let differences = after.differences(before, counts);
    if differences.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = differences.iter().map(|difference| difference.field.as_str()).collect();
    let ([one, other], names) = (inputs.map(|inputs| shown(pte, inputs)), names.join(", "));
    Err(Failure::other(format!("{names} differ:\n  {before} for {one}\n  {after} for {other}")))
}

/// The whole space of entries and requests, with a bias to corners.
#[test]
fn random() {
    let coverage = |config: &Config| {
        let coverage = Coverage::new()
            .point("requirement", ["U-08", "U-09", "U-10", "U-11", "U-12", "U-14", "U-15", "P-15"])
            .point("step", STEPS)
            .point("level", LEVELS)
            .point("mode", MODES)
            .point("access", ACCESSES)
            .point("records", ["none", "write", "read", "both"])
            .point("data", ["none", "write", "read", "both"])
            .point("destination", ["fault log", "access log"])
            .point("above", ["none", "R", "W", "R and W"])
            .cross(["step", "level", "mode"])
            .cross(["step", "access", "above"])
            .cross(["records", "data"])
            .impossible(&[("records", "none"), ("data", "write")], "data go with a record")
            .impossible(&[("records", "none"), ("data", "read")], "data go with a record")
            .impossible(&[("records", "none"), ("data", "both")], "data go with a record")
            .impossible(&[("records", "write"), ("data", "read")], "data go with a record")
            .impossible(&[("records", "write"), ("data", "both")], "data go with a record")
            .impossible(&[("records", "read"), ("data", "write")], "data go with a record")
            .impossible(&[("records", "read"), ("data", "both")], "data go with a record")
            .cross(["records", "destination"])
            .cross(["records", "level"])
            .impossible(&[("level", "512 GiB"), ("records", "write")], "there are no pages of 512 GiB")
            .impossible(&[("level", "512 GiB"), ("records", "read")], "there are no pages of 512 GiB")
            .impossible(&[("level", "512 GiB"), ("records", "both")], "there are no pages of 512 GiB");
        let coverage = possible_steps(coverage, config);
        if !config.pte.log_bit_at_page_size() {
            return coverage;
        }
        ["2 MiB", "1 GiB"].into_iter().flat_map(|level| ["write", "read", "both"].map(|records| (level, records))).fold(
            coverage,
            |coverage, (level, records)| {
                let bin = [("level", level), ("records", records)];
                coverage.impossible(&bin, "a log bit is the page size of superpages (U-10)")
            },
        )
    };
    check("random", 8, coverage, |testbench, rng, coverage| {
        let pte = testbench.pte;
        for _ in 0..2_500 {
            let inputs = any_inputs(rng, pte);
            let (_, outputs) = testbench.decode(&inputs)?;
            for requirement in requirements(pte, &inputs, &outputs) {
                coverage.sample(&[("requirement", requirement)]);
            }
            let records = [outputs.write_record, outputs.read_record];
            let halves = ["none", "write", "read", "both"];
            coverage.sample(&[
                ("step", STEPS[outputs.step as usize]),
                ("level", level(&inputs)),
                ("mode", mode(&inputs)),
                ("access", access(&inputs)),
                ("records", of_two(halves, records.map(|record| record.is_some()))),
                ("data", of_two(halves, records.map(|record| record.is_some_and(|record| record.with_data)))),
                ("destination", ["fault log", "access log"][outputs.destination as usize]),
                ("above", of_two(["none", "R", "W", "R and W"], [inputs.upper_read, inputs.upper_write])),
            ]);
        }
        Ok(())
    });
}

/// The name of neither, of the first alone, of the second alone, or of both.
fn of_two(names: [&'static str; 4], [first, second]: [bool; 2]) -> &'static str {
    names[usize::from(first) + 2 * usize::from(second)]
}

/// The requirements beside the truth table that a decode is a case of.
fn requirements(pte: &PteLayout, inputs: &Inputs, outputs: &Outputs) -> Vec<&'static str> {
    let bit = |range| extract(inputs.entry, range) == 1;
    let without_r_and_w = !bit(&pte.read) && !bit(&pte.write);
    let active_leaf = outputs.step == Step::Leaf && inputs.active;
    let has_log_bit = pte.log_bits().iter().any(bit);
    let is_superpage = outputs.step == Step::Leaf && inputs.level.may_be_superpage();
    let records: Vec<_> = [outputs.write_record, outputs.read_record].into_iter().flatten().collect();
    let cases = [
        ("U-08", active_leaf && without_r_and_w),
        ("U-09", outputs.step == Step::NotPresent && inputs.active && inputs.entry != 0),
        ("U-10", active_leaf && is_superpage && has_log_bit),
        ("U-11", active_leaf && inputs.access == Access::Atomic && records.len() == 2),
        ("U-12", inputs.zero_length && !records.is_empty()),
        ("U-14", !records.is_empty() && outputs.iuid == 0),
        ("U-15", active_leaf && extract(inputs.entry, &(8..10)) != 0),
        ("P-15", outputs.step == Step::Leaf && !inputs.active && has_log_bit),
    ];
    cases.into_iter().filter_map(|(id, holds)| holds.then_some(id)).collect()
}

fn any_inputs(rng: &mut dyn Rng, pte: &PteLayout) -> Inputs {
    let level = Level::ALL[rng.random_range(0..4)];
    Inputs {
        entry: any_entry(rng, pte, level),
        level,
        upper_read: rng.random_bool(0.75),
        upper_write: rng.random_bool(0.75),
        active: rng.random_bool(0.75),
        access: Access::ALL[rng.random_range(0..3)],
        zero_length: rng.random_bool(0.25),
    }
}

/// Any entry: random, sparse or dense; of these, most without reserved bits and some with a single one, some without
/// R and W, and some of user domain 0.
fn any_entry(rng: &mut dyn Rng, pte: &PteLayout, level: Level) -> u64 {
    let mut word = || rng.next_u64();
    let (one, two, three) = (word(), word(), word());
    let mut entry = match word() % 8 {
        0 => one & two & three,
        1 => one | two | three,
        2 => 1 << (one % 64),
        3 => !(1 << (one % 64)),
        4 => 0,
        _ => one,
    };
    let address_bits = pte.address.start..pte.address_reserved.end;
    let superpage_offset = pte.address.start..level.offset_bits();
    match word() % 4 {
        0 => {}
        choice => {
            entry = insert(entry, &pte.address_reserved, 0);
            if level.may_be_superpage() {
                entry = insert(entry, &superpage_offset, 0);
            }
            if choice == 1 {
                entry |=
                    1 << (u64::from(address_bits.start) + word() % u64::from(address_bits.end - address_bits.start));
            }
        }
    }
    if word() % 4 == 0 {
        entry = insert(insert(entry, &pte.read, 0), &pte.write, 0);
    }
    if word() % 4 == 0 {
        entry = insert(entry, &pte.iuid, 0);
    }
    entry
}
