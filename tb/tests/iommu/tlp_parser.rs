//! The TLP parser: Verilog, golden model and headers that were written by hand agree.
//!
//! The block is combinational, so a cycle of this testbench is one header.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use num_bigint::BigUint;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use tb::{configurations, model};
use tollgate_cosim::{
    Beat, Bench, Coverage, Direction, Dut, Error, FieldId, Input, Layout, Outcome, Probe, Run, Scoreboard,
};
use tollgate_golden::iommu::tlp_parser::{Header, Inputs, Parsed, parse};
use tollgate_spec::config::{self, Config};
use tollgate_spec::fault::FaultReason;
use tollgate_spec::tlp::{self, CLASS_0_MESSAGES, FORMATS, Kind, PASID_PREFIX, Verdict, extract, insert};

const MODULE: &str = "iommu_tlp_parser";

/// Sets the inputs.
struct Driver {
    header: Input,
    prefix_valid: Input,
    prefix_data: Input,
}

impl Driver {
    fn new(dut: &Dut) -> Outcome<Self> {
        Ok(Self {
            header: dut.input("header")?,
            prefix_valid: dut.input("prefix_valid")?,
            prefix_data: dut.input("prefix_data")?,
        })
    }

    /// Without a prefix, the byte of one that is not there: nobody may look at it.
    fn drive(&self, inputs: &Inputs, absent: u8) {
        self.header.set_big(&BigUint::from(inputs.header));
        self.prefix_valid.set(inputs.prefix.is_some().into());
        self.prefix_data.set(inputs.prefix.unwrap_or(absent).into());
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
fn of_golden(parsed: &Parsed) -> Vec<Expected> {
    let header = parsed.header.as_ref();
    let of = |value: fn(&Header) -> Option<u64>| header.and_then(value);
    vec![
        ("verdict", Some(parsed.verdict.number().into())),
        ("reason", Some(parsed.reason.map_or(0, |reason| reason.number().into()))),
        ("tlp_kind", Some(parsed.kind.number().into())),
        ("tlp_long", of(|header| Some(header.long.into()))),
        ("tlp_has_data", of(|header| Some(header.has_data.into()))),
        ("tlp_length", of(|header| header.length.map(u64::from))),
        ("tlp_payload", of(|header| Some(header.payload.into()))),
        ("tlp_address", of(|header| header.address)),
        ("tlp_first_byte_enables", of(|header| header.first_byte_enables.map(u64::from))),
        ("tlp_last_byte_enables", of(|header| header.last_byte_enables.map(u64::from))),
        ("tlp_zero_length", of(|header| Some(header.zero_length.into()))),
        ("tlp_byte_count", of(|header| header.byte_count.map(u64::from))),
        ("tlp_lower_address", of(|header| header.lower_address.map(u64::from))),
        ("tlp_requester", of(|header| Some(header.requester.into()))),
        ("tlp_tag", of(|header| Some(header.tag.into()))),
        ("tlp_completer", of(|header| header.completer.map(u64::from))),
        ("tlp_status", of(|header| header.status.map(u64::from))),
        ("tlp_traffic_class", of(|header| Some(header.traffic_class.into()))),
        ("tlp_id_ordering", of(|header| Some(header.id_ordering.into()))),
        ("tlp_relaxed_ordering", of(|header| Some(header.relaxed_ordering.into()))),
        ("tlp_no_snoop", of(|header| Some(header.no_snoop.into()))),
        ("tlp_address_type", of(|header| header.address_type.map(u64::from))),
        ("tlp_digest", of(|header| Some(header.digest.into()))),
        ("tlp_poisoned", of(|header| Some(header.poisoned.into()))),
    ]
}

/// The parser between driver and monitor, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    parameters: &'a config::Tlp,
    driver: Driver,
    monitor: Monitor,
    fields: BTreeMap<String, FieldId>,
    golden: Scoreboard,
}

impl<'a> Testbench<'a> {
    fn new(dut: &'a mut Dut, parameters: &'a config::Tlp) -> Outcome<Self> {
        let (driver, monitor) = (Driver::new(dut)?, Monitor::new(dut)?);
        let field = |name: &str| Ok((name.to_owned(), monitor.layout.field(name)?));
        let fields = monitor.layout.names().map(field).collect::<Result<BTreeMap<_, _>, Error>>()?;
        let golden = Scoreboard::new("header");
        Ok(Self { dut, parameters, driver, monitor, fields, golden })
    }

    /// Parses a header and compares with the golden model; gives what the model says.
    fn parse(&mut self, inputs: &Inputs) -> Outcome<Parsed> {
        let parsed = parse(self.parameters, inputs);
        self.judge(inputs, &of_golden(&parsed))?;
        Ok(parsed)
    }

    /// Parses a header without a prefix.
    fn header(&mut self, header: u128) -> Outcome<Parsed> {
        self.parse(&Inputs { header, prefix: None })
    }

    /// Parses a header and compares with the golden model and with what was written by hand.
    fn by_hand(&mut self, vector: &Vector) -> Outcome {
        let header = vector.header.into_iter().fold(0, |header, doubleword| header << 32 | u128::from(doubleword));
        let inputs = Inputs { header, prefix: vector.prefix };
        self.parse(&inputs)?;
        let expected = [
            ("verdict", Some(vector.verdict.number().into())),
            ("reason", Some(vector.reason.map_or(0, |reason| reason.number().into()))),
        ];
        self.judge(&inputs, &expected)
    }

    fn judge(&mut self, inputs: &Inputs, expected: &[Expected]) -> Outcome {
        self.driver.drive(inputs, PASID_PREFIX);
        self.dut.eval()?;
        let seen = self.monitor.sample();
        let mut beat = self.monitor.layout.beat();
        let counts = |(name, value): &Expected| {
            let field = self.fields[*name];
            beat.set(field, (*value)?);
            Some(field)
        };
        let fields: Vec<_> = expected.iter().filter_map(counts).collect();
        self.golden.expect_fields(beat, &fields);
        let cycle = self.golden.matched();
        self.golden.check(cycle, &seen).map_err(|failure| failure.with_note(shown(inputs)))
    }
}

/// The inputs in words, for the reader of a mismatch.
fn shown(inputs: &Inputs) -> String {
    let first = extract(inputs.header, &tlp::FORMAT) as u8;
    let name = FORMATS.iter().find(|format| format.first_byte.matches(first)).map_or("undefined", |row| row.mnemonic);
    let doublewords = [96, 64, 32, 0].map(|low| format!("{:08x}", (inputs.header >> low) as u32)).join(" ");
    let prefix = inputs.prefix.map_or(String::new(), |prefix| format!(" behind prefix {prefix:#04x}"));
    format!("{name} {doublewords}{prefix}")
}

/// Runs `test` over `seeds` in every configuration; `coverage` gives the bins that the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(&config::Tlp) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let Config { tlp: parameters, .. } = &config;
        let run: Run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(parameters));
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            test(&mut Testbench::new(dut, parameters)?, rng, coverage)
        });
    }
}

/// Nothing to cover: the test enumerates its cases.
fn enumerated(_: &config::Tlp) -> Coverage {
    Coverage::new()
}

/// What a configuration can say against a TLP.
fn reasons(parameters: &config::Tlp) -> Vec<FaultReason> {
    let of_this_block = |reason: &FaultReason| {
        reason.number() >= FaultReason::UndefinedTlp.number() || *reason == FaultReason::TranslatedRequestBlocked
    };
    let possible = |reason: &FaultReason| match reason {
        FaultReason::PayloadTooLarge => parameters.max_payload_bytes < 4096,
        FaultReason::ReadTooLarge => parameters.max_read_request_bytes < 4096,
        FaultReason::OperandLength | FaultReason::OperandAlignment => parameters.atomics,
        FaultReason::AtomicOp => !parameters.atomics,
        FaultReason::InterruptRange => parameters.device_msi_bypass,
        FaultReason::TagTooWide => parameters.tag_bits == 5,
        _ => true,
    };
    FaultReason::ALL.into_iter().filter(of_this_block).filter(possible).collect()
}

/// The reasons of a configuration, and none.
fn outcomes(parameters: &config::Tlp) -> Vec<&'static str> {
    reasons(parameters).into_iter().map(FaultReason::name).chain(["none"]).collect()
}

fn outcome(parsed: &Parsed) -> &'static str {
    parsed.reason.map_or("none", FaultReason::name)
}

/// A header written by hand, and what becomes of it.
struct Vector {
    header: [u32; 4],
    prefix: Option<u8>,
    verdict: Verdict,
    reason: Option<FaultReason>,
}

/// One header for each reason that does not depend on the configuration, and one that nothing speaks against beside it.
fn vectors() -> Vec<Vector> {
    let right = |verdict, header| Vector { header, prefix: None, verdict, reason: None };
    let wrong = |verdict, reason, header| Vector { header, prefix: None, verdict, reason: Some(reason) };
    let behind = |prefix, vector: Vector| Vector { prefix: Some(prefix), ..vector };
    use FaultReason::*;
    use Verdict::{Drop, Malformed, Pass, Refuse, Translate};
    vec![
        wrong(Malformed, UndefinedTlp, [0x8000_0001, 0x0000_000F, 0x0000_1000, 0]),
        right(Translate, [0x0000_0001, 0x0000_000F, 0x0000_1000, 0]),
        behind(0x90, wrong(Malformed, UnsupportedPrefix, [0x0000_0001, 0x0000_000F, 0x0000_1000, 0])),
        behind(0x91, wrong(Malformed, UnsupportedPrefix, [0x0A00_0000, 0x0100_0004, 0x0000_0000, 0])),
        wrong(Malformed, TrafficClass, [0x3410_0000, 0x0000_0020, 0, 0]),
        right(Pass, [0x3410_0000, 0x0000_007F, 0, 0]),
        wrong(Malformed, TrafficClass, [0x0270_0001, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Malformed, SingleDoubleword, [0x4400_0002, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Malformed, Attributes, [0x0500_2001, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Malformed, LongAddress, [0x6000_0001, 0x0000_000F, 0x0000_0000, 0xFFFF_F000]),
        right(Translate, [0x6000_0001, 0x0000_000F, 0x0000_0001, 0xFFFF_F000]),
        wrong(Malformed, CrossesBoundary, [0x0000_0002, 0x0000_00FF, 0x0000_1FFC, 0]),
        right(Translate, [0x0000_0002, 0x0000_00FF, 0x0000_1FF8, 0]),
        wrong(Malformed, ByteEnables, [0x4000_0002, 0x0000_00F5, 0x0000_1004, 0]),
        right(Translate, [0x4000_0002, 0x0000_00F5, 0x0000_1008, 0]),
        wrong(Malformed, CompletionLength, [0x4A00_0003, 0x0100_0008, 0x0000_0000, 0]),
        right(Pass, [0x4A00_0003, 0x0100_0009, 0x0000_0000, 0]),
        behind(0x91, wrong(Refuse, PasidRequest, [0x0000_0001, 0x0000_000F, 0x0000_1000, 0])),
        behind(0x91, wrong(Drop, PasidRequest, [0x4000_0001, 0x0000_000F, 0x0000_1000, 0])),
        wrong(Refuse, TranslatedRequestBlocked, [0x0000_0801, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Drop, TranslatedRequestBlocked, [0x4000_0401, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Refuse, IoRequest, [0x4200_0001, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Refuse, ConfigurationRequest, [0x0400_0001, 0x0000_000F, 0x0100_0000, 0]),
        wrong(Refuse, LockedRead, [0x0100_0001, 0x0000_000F, 0x0000_1000, 0]),
        wrong(Drop, MessageRouting, [0x3300_0000, 0x0000_0014, 0, 0]),
        right(Pass, [0x3500_0000, 0x0000_001B, 0, 0]),
    ]
}

/// Those that do.
fn vectors_of(parameters: &config::Tlp) -> Vec<Vector> {
    let vector = |header, (verdict, reason)| Vector { header, prefix: None, verdict, reason };
    let translated = (Verdict::Translate, None);
    let refused = |reason| (Verdict::Refuse, Some(reason));
    let malformed = |reason| (Verdict::Malformed, Some(reason));
    let either = |condition, yes, no| if condition { yes } else { no };

    let config::Tlp { tag_bits, max_payload_bytes, max_read_request_bytes, device_msi_bypass, atomics } = *parameters;
    let tag = either(tag_bits == 5, (Verdict::Drop, Some(FaultReason::TagTooWide)), translated);
    let operand = |reason| either(atomics, malformed(reason), refused(FaultReason::AtomicOp));
    let atomic = either(atomics, translated, refused(FaultReason::AtomicOp));
    let write = either(device_msi_bypass, (Verdict::Bypass, None), translated);
    let read = either(device_msi_bypass, refused(FaultReason::InterruptRange), translated);
    let mut vectors = vec![
        vector([0x0000_0001, 0x0000_200F, 0x0000_1000, 0], tag),
        vector([0x0000_0001, 0x0000_1F0F, 0x0000_1000, 0], translated),
        vector([0x4C00_0003, 0, 0x0000_1000, 0], operand(FaultReason::OperandLength)),
        vector([0x4E00_0008, 0, 0x0000_1008, 0], operand(FaultReason::OperandAlignment)),
        vector([0x4E00_0008, 0, 0x0000_1FF0, 0], atomic),
        vector([0x4000_0001, 0x0000_000F, 0xFEE0_0000, 0], write),
        vector([0x0000_0001, 0x0000_000F, 0xFEE0_0000, 0], read),
    ];
    if max_payload_bytes < 4096 {
        let largest = max_payload_bytes / 4;
        let too_large = malformed(FaultReason::PayloadTooLarge);
        vectors.push(vector([0x4000_0000 | largest, 0xFF, 0x0000_1000, 0], translated));
        vectors.push(vector([0x4000_0000 | (largest + 1), 0xFF, 0x0000_1000, 0], too_large));
    }
    if max_read_request_bytes < 4096 {
        let largest = max_read_request_bytes / 4;
        vectors.push(vector([largest, 0xFF, 0x0000_1000, 0], translated));
        vectors.push(vector([largest + 1, 0xFF, 0x0000_1000, 0], refused(FaultReason::ReadTooLarge)));
    }
    vectors
}

/// Each reason, by a header written by hand.
#[test]
fn each_reason() {
    let coverage = |parameters: &config::Tlp| Coverage::new().point("reason", outcomes(parameters));
    check("each_reason", 1, coverage, |testbench, _, coverage| {
        for vector in vectors().into_iter().chain(vectors_of(testbench.parameters)) {
            testbench.by_hand(&vector)?;
            coverage.sample(&[("reason", vector.reason.map_or("none", FaultReason::name))]);
        }
        Ok(())
    });
}

/// A header of some fields; the others are 0.
fn with(fields: &[(Range<u32>, u64)]) -> u128 {
    fields.iter().fold(0, |header, (field, value)| insert(header, field, *value))
}

/// A header that nothing speaks against but its kind: of one doubleword, at 0x1_0000_1000 or 0x1000.
fn plain(first_byte: u8) -> u128 {
    let length = if Kind::of(first_byte) == Kind::CompareAndSwap { 2 } else { 1 };
    let header = with(&[(tlp::FORMAT, first_byte.into()), (tlp::LENGTH, length)]);
    match (Kind::of(first_byte), extract(header, &tlp::LONG)) {
        (Kind::Completion | Kind::CompletionLocked, _) => insert(header, &tlp::BYTE_COUNT, 4),
        (Kind::Message, _) => insert(header, &tlp::MESSAGE_CODE, 0x7F),
        (_, 0) => insert(insert(header, &tlp::FIRST_BYTE_ENABLES, 0xF), &tlp::ADDRESS_32, 0x1000 >> 2),
        (_, _) => insert(insert(header, &tlp::FIRST_BYTE_ENABLES, 0xF), &tlp::ADDRESS_64, 0x1_0000_1000 >> 2),
    }
}

/// All lengths at which something changes.
fn lengths(parameters: &config::Tlp) -> Vec<u64> {
    let limits = [parameters.max_payload_bytes / 4, parameters.max_read_request_bytes / 4].map(u64::from);
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 8, 16, 1023];
    lengths.extend(limits.iter().flat_map(|limit| [limit - 1, limit % 1024, (limit + 1) % 1024]));
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Every first byte at every length at which something changes, the rest plain and random; and behind prefixes.
#[test]
fn every_format() {
    let coverage = |_: &config::Tlp| {
        let kinds: Vec<String> = Kind::ALL.map(|kind| format!("{kind:?}")).into();
        Coverage::new().point("kind", kinds).point("long", ["no", "yes"]).point("data", ["no", "yes"])
    };
    check("every_format", 1, coverage, |testbench, rng, coverage| {
        for first_byte in 0..=u8::MAX {
            for length in lengths(testbench.parameters) {
                for filling in [plain(first_byte), any_header(rng)] {
                    let header = insert(insert(filling, &tlp::FORMAT, first_byte.into()), &tlp::LENGTH, length);
                    let parsed = testbench.header(header)?;
                    let yes = |set| ["no", "yes"][usize::from(set)];
                    coverage.sample(&[("kind", &format!("{:?}", parsed.kind))]);
                    if let Some(header) = parsed.header {
                        coverage.sample(&[("long", yes(header.long)), ("data", yes(header.has_data))]);
                    }
                }
            }
            for prefix in [PASID_PREFIX, 0x90, rng.next_u32() as u8] {
                testbench.parse(&Inputs { header: plain(first_byte), prefix: Some(prefix) })?;
            }
        }
        Ok(())
    });
}

/// Random bits.
fn any_header(rng: &mut dyn Rng) -> u128 {
    u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
}

/// All 256 byte enables of memory requests of 1, 2, 3 and 1024 doublewords, at both kinds of address, and with hints.
#[test]
fn byte_enables() {
    check("byte_enables", 1, enumerated, |testbench, _, _| {
        for first_byte in [0x00, 0x21, 0x60] {
            for length in [1, 2, 3, 0] {
                for (odd, hints) in [(0, 0), (1, 0), (0, 1)] {
                    for enables in 0..=0xFF {
                        let header = insert(plain(first_byte), &tlp::LENGTH, length);
                        let header = insert(insert(header, &tlp::HAS_HINTS, hints), &(64..72), enables);
                        testbench.header(insert(header, &doubleword(header, 0..1), odd))?;
                    }
                }
            }
        }
        Ok(())
    });
}

/// Where some bits of the address in doublewords are in a header.
fn doubleword(header: u128, bits: Range<u32>) -> Range<u32> {
    let low = if extract(header, &tlp::LONG) == 1 { tlp::ADDRESS_64 } else { tlp::ADDRESS_32 }.start;
    low + bits.start..low + bits.end
}

/// Every length, as far from the end of a 4 KiB page as it needs, and one doubleword less.
#[test]
fn every_length_at_the_end_of_a_page() {
    let coverage = |_: &config::Tlp| Coverage::new().point("crosses", ["no", "yes"]);
    check("every_length_at_the_end_of_a_page", 1, coverage, |testbench, _, coverage| {
        for first_byte in [0x00, 0x60, 0x4E] {
            for length in 1..=1024_u64 {
                for start in [1024 - length, 1025 - length] {
                    let mut header = insert(plain(first_byte), &tlp::LENGTH, length);
                    if length > 1 {
                        header = insert(header, &tlp::LAST_BYTE_ENABLES, 0xF);
                    }
                    let parsed = testbench.header(insert(header, &doubleword(header, 0..10), start))?;
                    let crosses = parsed.reason == Some(FaultReason::CrossesBoundary);
                    coverage.sample(&[("crosses", ["no", "yes"][usize::from(crosses)])]);
                }
            }
        }
        Ok(())
    });
}

/// AtomicOps of every small length at every alignment.
#[test]
fn operands() {
    check("operands", 1, enumerated, |testbench, _, _| {
        for first_byte in [0x4C, 0x6C, 0x4D, 0x6D, 0x4E, 0x6E] {
            for length in (0..=20).chain((5..10).map(|bit| 1 << bit)) {
                for start in 0..8 {
                    let header = insert(plain(first_byte), &tlp::LENGTH, length);
                    testbench.header(insert(header, &doubleword(header, 0..3), start))?;
                }
            }
        }
        Ok(())
    });
}

/// Every message code in every routing, in traffic class 0 and one other.
#[test]
fn messages() {
    check("messages", 1, enumerated, |testbench, _, _| {
        for first_byte in (0x30..=0x37).chain(0x70..=0x77) {
            for code in 0..=0xFF {
                for class in [0, 1 << (code % 3)] {
                    let header = insert(plain(first_byte), &tlp::MESSAGE_CODE, code);
                    testbench.header(insert(header, &tlp::TRAFFIC_CLASS, class))?;
                }
            }
        }
        Ok(())
    });
}

/// Completions of some lengths with every byte count around them and every offset.
#[test]
fn completions() {
    let coverage = |_: &config::Tlp| Coverage::new().point("too much", ["no", "yes"]);
    check("completions", 1, coverage, |testbench, _, coverage| {
        let largest = u64::from(testbench.parameters.max_payload_bytes / 4);
        for first_byte in [0x0A, 0x4A, 0x0B, 0x4B] {
            for length in [1, 2, 3, 16, largest - 1, largest % 1024] {
                let bytes = 4 * if length == 0 { 1024 } else { length };
                for count in (bytes.saturating_sub(8)..=bytes + 8).chain([0, 1, 2048, 4095]) {
                    for lower in [0, 1, 2, 3, 0x7C] {
                        let header = insert(plain(first_byte), &tlp::LENGTH, length);
                        let header = insert(insert(header, &tlp::BYTE_COUNT, count), &tlp::LOWER_ADDRESS, lower);
                        let parsed = testbench.header(header)?;
                        let too_much = parsed.reason == Some(FaultReason::CompletionLength);
                        coverage.sample(&[("too much", ["no", "yes"][usize::from(too_much)])]);
                    }
                }
            }
        }
        Ok(())
    });
}

/// A plain header of every format, in memory and where interrupts are, with every bit flipped alone; then every prefix.
#[test]
fn every_bit() {
    let coverage = |parameters: &config::Tlp| {
        let possible = |verdict: &Verdict| *verdict != Verdict::Bypass || parameters.device_msi_bypass;
        let verdicts = Verdict::ALL.into_iter().filter(possible);
        Coverage::new().point("verdict", verdicts.map(|verdict| format!("{verdict:?}")))
    };
    check("every_bit", 1, coverage, |testbench, _, coverage| {
        for format in FORMATS {
            for first_byte in [format.first_byte.value, format.first_byte.value | format.first_byte.free] {
                let plain = plain(first_byte);
                for header in [plain, insert(plain, &(32..64), 0xFEE0_0000)] {
                    for flipped in [0].into_iter().chain((0..128).map(|bit| 1 << bit)) {
                        let parsed = testbench.header(header ^ flipped)?;
                        coverage.sample(&[("verdict", &format!("{:?}", parsed.verdict))]);
                    }
                }
            }
            for prefix in 0..=u8::MAX {
                testbench.parse(&Inputs { header: plain(format.first_byte.value), prefix: Some(prefix) })?;
            }
        }
        Ok(())
    });
}

/// The whole space of headers, with a bias to legal ones.
#[test]
fn random() {
    let coverage = |parameters: &config::Tlp| {
        let kinds: Vec<String> = Kind::ALL.map(|kind| format!("{kind:?}")).into();
        Coverage::new()
            .point("reason", outcomes(parameters))
            .point("kind", kinds)
            .point("prefix", ["none", "PASID", "other"])
            .cross(["kind", "prefix"])
    };
    check("random", 8, coverage, |testbench, rng, coverage| {
        for _ in 0..1_500 {
            let inputs = any_inputs(rng, testbench.parameters);
            let parsed = testbench.parse(&inputs)?;
            let prefix = match inputs.prefix {
                None => "none",
                Some(PASID_PREFIX) => "PASID",
                Some(_) => "other",
            };
            let kind = format!("{:?}", parsed.kind);
            coverage.sample(&[("reason", outcome(&parsed)), ("kind", &kind), ("prefix", prefix)]);
        }
        Ok(())
    });
}

/// Random bits, of which most fields are then made as the standard wants them.
fn any_inputs(rng: &mut dyn Rng, parameters: &config::Tlp) -> Inputs {
    let mut header = any_header(rng);
    let format = FORMATS.choose(rng).expect("there are formats").first_byte;
    let first_byte = format.value | (rng.next_u32() as u8 & format.free);
    let mut mostly = |field: &Range<u32>, value: u64| {
        if rng.random_bool(0.9) {
            header = insert(header, field, value);
        }
    };
    mostly(&tlp::FORMAT, first_byte.into());
    mostly(&tlp::ADDRESS_TYPE, 0);
    mostly(&tlp::TRAFFIC_CLASS, 0);
    mostly(&tlp::NO_SNOOP, 0);
    mostly(&tlp::RELAXED_ORDERING, 0);
    let kind = Kind::of(extract(header, &tlp::FORMAT) as u8);
    let length = *lengths(parameters).choose(rng).expect("there are lengths");
    let short = matches!(kind, Kind::IoRead | Kind::IoWrite | Kind::ConfigurationRead | Kind::ConfigurationWrite);
    header = insert(header, &tlp::LENGTH, if short && rng.random_bool(0.9) { 1 } else { length });
    let (first, last) = ([0xF, 0xE, 0xC, 0x8].choose(rng), [0xF, 0x7, 0x3, 0x1].choose(rng));
    let last = if extract(header, &tlp::LENGTH) == 1 { Some(&0) } else { last };
    match kind {
        Kind::Completion | Kind::CompletionLocked if rng.random_bool(0.9) => {
            let others = 4 * rng.random_range(0..4);
            header = insert(header, &tlp::BYTE_COUNT, (4 * length + others).saturating_sub(4));
        }
        Kind::Message if rng.random_bool(0.5) => {
            let codes = CLASS_0_MESSAGES.choose(rng).expect("there are codes");
            header = insert(header, &tlp::MESSAGE_CODE, (codes.value | (rng.next_u32() as u8 & codes.free)).into());
        }
        Kind::Message | Kind::Completion | Kind::CompletionLocked => {}
        _ if rng.random_bool(0.9) => {
            header = insert(header, &tlp::FIRST_BYTE_ENABLES, *first.expect("there are some"));
            header = insert(header, &tlp::LAST_BYTE_ENABLES, *last.expect("there are some"));
        }
        _ => {}
    }
    // Addresses: at the start and at the end of a page, where interrupts are, and below 4 GiB.
    let base = if extract(header, &tlp::LONG) == 1 { 0 } else { 32 };
    match rng.random_range(0..8) {
        0 => header = insert(header, &(base + 2..base + 12), 1024 - length.max(1)),
        1 => header = insert(header, &(base + 20..base + 32), 0xFEE),
        2 if base == 0 => header = insert(header, &tlp::ADDRESS_64_UPPER, 0),
        3 => {}
        _ => header = insert(header, &(base + 2..base + 12), 0),
    }
    if rng.random_bool(0.8) {
        let tag = if matches!(kind, Kind::Completion | Kind::CompletionLocked) { tlp::COMPLETED_TAG } else { tlp::TAG };
        header = insert(header, &tag, extract(header, &tag) & 0x1F);
    }
    let prefix = match rng.random_range(0..16) {
        0 => Some(PASID_PREFIX),
        1 => Some(rng.next_u32() as u8),
        _ => None,
    };
    Inputs { header, prefix }
}
