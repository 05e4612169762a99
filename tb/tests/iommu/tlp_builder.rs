//! The TLP builder: Verilog, golden model and headers that were written by hand agree, and the parser reads from what is
//! built what it read before.
//!
//! Both modules are combinational, so a cycle of this testbench is one header.

use std::ops::Range;
use std::rc::Rc;

use num_bigint::BigUint;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use tb::{configurations, model};
use tollgate_cosim::{Beat, Bench, Coverage, Dut, Error, Failure, Input, Layout, Outcome, Probe, Scoreboard};
use tollgate_golden::iommu::tlp_builder::{self as golden, Completion};
use tollgate_golden::iommu::tlp_parser::{Header, Inputs, Parsed, parse};
use tollgate_spec::config::{self, Config};
use tollgate_spec::tlp::{self, FORMATS, Kind, LARGEST_BYTE_COUNT, LONGEST, Status, Verdict, extract, insert};

const FORWARDED: &str = "iommu_tlp_builder_forwarded";
const COMPLETION: &str = "iommu_tlp_builder_completion";

/// Sees a header at a port, and judges it: the first doubleword by its fields, the others whole.
struct Monitor {
    port: Probe,
    layout: Rc<Layout>,
    fields: Vec<(String, Range<u32>)>,
    golden: Scoreboard,
}

impl Monitor {
    fn new(dut: &Dut, port: &str) -> Outcome<Self> {
        let [first, ..] = tlp::layouts();
        let mut fields: Vec<_> = first.fields.iter().map(|field| (field.name.clone(), field.range())).collect();
        fields.extend([1, 2, 3].map(|number| (format!("doubleword_{number}"), 96 - 32 * number..128 - 32 * number)));
        let layout = Layout::new(fields.iter().map(|(name, range)| (name.clone(), range.end - range.start)));
        Ok(Self { port: dut.probe(port)?, layout, fields, golden: Scoreboard::new("header") })
    }

    fn beat(&self, header: u128) -> Result<Beat, Error> {
        let value = |range| BigUint::from(extract(header, range));
        self.fields.iter().try_fold(self.layout.beat(), |beat, (name, range)| beat.with(name, value(range)))
    }

    /// Compares the header at the port with another; gives it.
    fn judge(&mut self, expected: u128, note: &str) -> Outcome<u128> {
        let seen = u128::try_from(self.port.get_big()).expect("a header has 128 bits");
        self.golden.expect(self.beat(expected)?);
        let cycle = self.golden.matched();
        self.golden.check(cycle, &self.beat(seen)?).map_err(|failure| failure.with_note(note))?;
        Ok(seen)
    }
}

/// A header in words, for the reader of a mismatch.
fn shown(header: u128) -> String {
    let first = extract(header, &tlp::FORMAT) as u8;
    let name = FORMATS.iter().find(|format| format.first_byte.matches(first)).map_or("undefined", |row| row.mnemonic);
    let doublewords = [96, 64, 32, 0].map(|low| format!("{:08x}", (header >> low) as u32)).join(" ");
    format!("{name} {doublewords}")
}

/// A header as it was written by hand.
fn by_hand(doublewords: [u32; 4]) -> u128 {
    doublewords.into_iter().fold(0, |header, doubleword| header << 32 | u128::from(doubleword))
}

/// A mistake of the builder that the golden model shares.
fn unread(what: &str, before: &dyn std::fmt::Debug, after: &dyn std::fmt::Debug, note: &str) -> Failure {
    Failure::other(format!("the parser reads {after:?} from {what}, not {before:?}; {note}"))
}

/// The builder of headers that go on.
struct Forwarder<'a> {
    dut: &'a mut Dut,
    config: &'a Config,
    header: Input,
    frame_valid: Input,
    frame_data: Input,
    monitor: Monitor,
}

impl<'a> Forwarder<'a> {
    fn new(dut: &'a mut Dut, config: &'a Config) -> Outcome<Self> {
        Ok(Self {
            header: dut.input("header")?,
            frame_valid: dut.input("frame_valid")?,
            frame_data: dut.input("frame_data")?,
            monitor: Monitor::new(dut, "forwarded")?,
            dut,
            config,
        })
    }

    /// Sends a header on and compares with another. Without a frame, the number of one that is not there: nobody may look
    /// at it.
    fn compare(&mut self, header: u128, frame: Option<u64>, expected: u128) -> Outcome<u128> {
        self.header.set_big(&BigUint::from(header));
        self.frame_valid.set(frame.is_some().into());
        self.frame_data.set(frame.unwrap_or(self.largest_frame()));
        self.dut.eval()?;
        let to = frame.map_or(String::new(), |frame| format!(" to frame {frame:#x}"));
        self.monitor.judge(expected, &format!("{}{to}", shown(header)))
    }

    /// Sends a header on, compares with the golden model, and lets the parser read both: only what the unit changes
    /// differs. What does not go on is passed over. Gives what the parser read.
    fn send(&mut self, header: u128, frame: Option<u64>) -> Outcome<Option<(Parsed, Parsed)>> {
        let read = |header| parse(&self.config.tlp, &Inputs { header, prefix: None });
        let before = read(header);
        let frame = match before.verdict {
            Verdict::Translate => frame,
            Verdict::Pass | Verdict::Bypass => None,
            Verdict::Refuse | Verdict::Drop | Verdict::Malformed => return Ok(None),
        };
        let after = read(self.compare(header, frame, golden::forwarded(header, frame))?);
        let mut expected = before.header.expect("what goes on is a TLP");
        expected.digest = false;
        if before.kind == Kind::MemoryWrite {
            (expected.relaxed_ordering, expected.id_ordering) = (false, false);
        }
        if let Some(frame) = frame {
            let offset = expected.address.expect("what is translated has an address") % 4096;
            let address = frame << 12 | offset;
            (expected.address, expected.long) = (Some(address), address >> 32 > 0);
        }
        let (is_right, note) = (after.header == Some(expected), shown(header));
        if !is_right || after.kind != before.kind || after.verdict == Verdict::Malformed {
            return Err(unread("what goes on", &(before.kind, expected), &after, &note));
        }
        Ok(Some((before, after)))
    }

    fn largest_frame(&self) -> u64 {
        (1 << self.config.pte.frame_bits()) - 1
    }

    /// Frames on both sides of 4 GiB, and at the ends.
    fn frames(&self) -> [u64; 6] {
        [0, 1, 0xF_FFFF, 0x10_0000, 0x10_0001, self.largest_frame()]
    }
}

/// The builder of completions.
struct Completer<'a> {
    dut: &'a mut Dut,
    parameters: &'a config::Tlp,
    completer: Input,
    /// In the order of [`numbers`].
    fields: Vec<Input>,
    monitor: Monitor,
}

/// The fields of a completion as ports have them.
fn numbers(said: &Completion) -> [(&'static str, u64); 11] {
    [
        ("completion_locked", said.locked.into()),
        ("completion_status", said.status.number().into()),
        ("completion_payload", said.payload.into()),
        ("completion_byte_count", said.byte_count.into()),
        ("completion_lower_address", said.lower_address.into()),
        ("completion_requester", said.requester.into()),
        ("completion_tag", said.tag.into()),
        ("completion_traffic_class", said.traffic_class.into()),
        ("completion_id_ordering", said.id_ordering.into()),
        ("completion_relaxed_ordering", said.relaxed_ordering.into()),
        ("completion_no_snoop", said.no_snoop.into()),
    ]
}

impl<'a> Completer<'a> {
    fn new(dut: &'a mut Dut, parameters: &'a config::Tlp) -> Outcome<Self> {
        let fields = numbers(&failure()).into_iter().map(|(name, _)| dut.input(name)).collect::<Result<_, _>>()?;
        Ok(Self { completer: dut.input("completer")?, fields, monitor: Monitor::new(dut, "header")?, dut, parameters })
    }

    fn compare(&mut self, completer: u16, said: &Completion, expected: u128) -> Outcome<u128> {
        self.completer.set(completer.into());
        self.fields.iter().zip(numbers(said)).for_each(|(port, (_, value))| port.set(value));
        self.dut.eval()?;
        self.monitor.judge(expected, &format!("completer {completer:#x}, {said:?}"))
    }

    /// Builds a completion, compares with the golden model, and lets the parser read it: it says what was to be said.
    fn complete(&mut self, completer: u16, said: &Completion) -> Outcome {
        let seen = self.compare(completer, said, golden::completion(self.parameters, completer, said))?;
        let read = parse(self.parameters, &Inputs { header: seen, prefix: None });
        let payload = if said.status == Status::Successful { said.payload } else { 0 };
        let kind = if said.locked { Kind::CompletionLocked } else { Kind::Completion };
        let malformed = read.verdict == Verdict::Malformed;
        let expected = Header {
            long: false,
            has_data: payload > 0,
            length: (payload > 0).then_some(payload),
            payload,
            address: None,
            first_byte_enables: None,
            last_byte_enables: None,
            zero_length: false,
            byte_count: (!malformed).then_some(said.byte_count),
            lower_address: (!malformed).then_some(said.lower_address),
            requester: said.requester,
            tag: said.tag,
            completer: Some(completer),
            status: Some(said.status.number()),
            traffic_class: said.traffic_class,
            id_ordering: said.id_ordering,
            relaxed_ordering: said.relaxed_ordering,
            no_snoop: said.no_snoop,
            address_type: None,
            digest: false,
            poisoned: false,
        };
        // Nothing but a payload that does not fit makes it malformed.
        let carried = (u32::from(said.lower_address) % 4 + said.byte_count).div_ceil(4);
        let fits = payload <= carried && 4 * payload <= self.parameters.max_payload_bytes;
        if read.kind != kind || read.header != Some(expected) || malformed == fits {
            let note = format!("completer {completer:#x}, {said:?}");
            return Err(unread("a completion", &(kind, expected), &read, &note));
        }
        Ok(())
    }
}

/// UR for a doubleword.
fn failure() -> Completion {
    Completion {
        locked: false,
        status: Status::UnsupportedRequest,
        payload: 0,
        byte_count: 4,
        lower_address: 0,
        requester: 0,
        tag: 0,
        traffic_class: 0,
        id_ordering: false,
        relaxed_ordering: false,
        no_snoop: false,
    }
}

/// Runs `test` with the builder of headers that go on, over `seeds`, in every configuration; `coverage` gives the bins
/// that the seeds fill together.
fn check_forwarded(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(&Config) -> Coverage,
    test: impl Fn(&mut Forwarder<'_>, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(&config));
        run.check(&model(&config, FORWARDED), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            test(&mut Forwarder::new(dut, &config)?, rng, coverage)
        });
    }
}

/// Runs `test` with the builder of completions, over `seeds`, in every configuration; `coverage` gives the bins that the
/// seeds fill together.
fn check_completion(
    condition: &str,
    seeds: u64,
    coverage: impl Fn() -> Coverage,
    test: impl Fn(&mut Completer<'_>, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage());
        run.check(&model(&config, COMPLETION), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            test(&mut Completer::new(dut, &config.tlp)?, rng, coverage)
        });
    }
}

/// Bins for what became of the size of a header.
fn sizes(_: &Config) -> Coverage {
    Coverage::new().point("size", ["short", "short to long", "long to short", "long"])
}

fn size(before: &Parsed, after: &Parsed) -> &'static str {
    let long = |parsed: &Parsed| parsed.header.is_some_and(|header| header.long);
    match (long(before), long(after)) {
        (false, false) => "short",
        (false, true) => "short to long",
        (true, false) => "long to short",
        (true, true) => "long",
    }
}

/// A header that nothing speaks against but its kind: of one doubleword, at 0x1_0000_1040 or 0x1040.
fn plain(first_byte: u8) -> u128 {
    let length = if Kind::of(first_byte) == Kind::CompareAndSwap { 2 } else { 1 };
    let header = insert(insert(0, &tlp::FORMAT, first_byte.into()), &tlp::LENGTH, length);
    match (Kind::of(first_byte), extract(header, &tlp::LONG)) {
        (Kind::Completion | Kind::CompletionLocked, _) => insert(header, &tlp::BYTE_COUNT, 4),
        (Kind::Message, _) => insert(header, &tlp::MESSAGE_CODE, 0x7F),
        (_, 0) => insert(insert(header, &tlp::FIRST_BYTE_ENABLES, 0xF), &tlp::ADDRESS_32, 0x1040 >> 2),
        (_, _) => insert(insert(header, &tlp::FIRST_BYTE_ENABLES, 0xF), &tlp::ADDRESS_64, 0x1_0000_1040 >> 2),
    }
}

/// All first bytes that mean a TLP.
fn first_bytes() -> impl Iterator<Item = u8> {
    (0..=u8::MAX).filter(|byte| Kind::of(*byte) != Kind::Undefined)
}

/// Headers written by hand, and what goes on for them.
#[test]
fn forwarded_by_hand() {
    check_forwarded(
        "forwarded_by_hand",
        1,
        |_| Coverage::new(),
        |forwarder, _, _| {
            let read = [0x0000_0004, 0x0100_0CFF, 0x1000_0040, 0];
            let write = [0x6054_F002, 0xBEEF_053E, 0x0000_0001, 0x2345_6788];
            let atomic = [0x4C54_F001, 0x0100_0C00, 0x1000_0040, 0];
            let vectors = [
                (read, Some(0x1_2345), [0x0000_0004, 0x0100_0CFF, 0x1234_5040, 0]),
                (read, Some(0xF_FFFF), [0x0000_0004, 0x0100_0CFF, 0xFFFF_F040, 0]),
                (read, Some(0x10_0000), [0x2000_0004, 0x0100_0CFF, 0x0000_0001, 0x0000_0040]),
                (write, Some(0xA_BCDE), [0x4050_5002, 0xBEEF_053E, 0xABCD_E788, 0]),
                (write, Some(0x123_4567), [0x6050_5002, 0xBEEF_053E, 0x0000_0012, 0x3456_7788]),
                (atomic, Some(0x3), [0x4C54_7001, 0x0100_0C00, 0x0000_3040, 0]),
                ([0x4001_0001, 0x0100_420F, 0x0000_1002, 0], Some(0x40_0001), [0x6001_0001, 0x0100_420F, 4, 0x1002]),
                ([0x2001_0001, 0x0100_4233, 0x0000_0001, 0x1001], Some(0x7), [0x0001_0001, 0x0100_4233, 0x7001, 0]),
                ([0x4004_F001, 0x0100_000F, 0xFEE0_1004, 0], None, [0x4000_5001, 0x0100_000F, 0xFEE0_1004, 0]),
                (
                    [0x3404_8000, 0x0100_0020, 0x1234_5678, 0x9ABC],
                    None,
                    [0x3404_0000, 0x0100_0020, 0x1234_5678, 0x9ABC],
                ),
                ([0x4A00_A001, 0x0100_0004, 0x0018_0C40, 0xDEAD], None, [0x4A00_2001, 0x0100_0004, 0x0018_0C40, 0]),
            ];
            for (header, frame, expected) in vectors {
                forwarder.compare(by_hand(header), frame, by_hand(expected))?;
            }
            Ok(())
        },
    );
}

/// Every format with all 256 byte enables, of 1, 2 and 3 doublewords, to frames on both sides of 4 GiB.
#[test]
fn every_format_and_byte_enable() {
    check_forwarded("every_format_and_byte_enable", 1, sizes, |forwarder, rng, coverage| {
        for first_byte in first_bytes() {
            for length in [1, 2, 3] {
                let plain = insert(plain(first_byte), &tlp::LENGTH, length);
                for enables in 0..=0xFF {
                    let kind = Kind::of(first_byte);
                    let requests = !matches!(kind, Kind::Message | Kind::Completion | Kind::CompletionLocked);
                    let header = if requests { insert(plain, &(64..72), enables) } else { plain };
                    let frames = forwarder.frames();
                    for frame in [frames[2], frames[3], *frames.choose(rng).expect("there are frames")] {
                        if let Some((before, after)) = forwarder.send(header, Some(frame))? {
                            coverage.sample(&[("size", size(&before, &after))]);
                        }
                    }
                }
            }
        }
        Ok(())
    });
}

/// Every format with every setting of the flags of its first doubleword, in each traffic class.
#[test]
fn every_flag() {
    const FLAGS: [Range<u32>; 8] = [
        tlp::TAG_8,
        tlp::ID_ORDERING,
        tlp::LIGHTWEIGHT_NOTIFICATION,
        tlp::HAS_HINTS,
        tlp::DIGEST,
        tlp::POISONED,
        tlp::RELAXED_ORDERING,
        tlp::NO_SNOOP,
    ];
    check_forwarded(
        "every_flag",
        1,
        |_| Coverage::new(),
        |forwarder, rng, _| {
            for first_byte in first_bytes() {
                for settings in 0..1 << FLAGS.len() {
                    let set = |header, (bit, flag): (usize, &Range<u32>)| insert(header, flag, settings >> bit & 1);
                    let header = FLAGS.iter().enumerate().fold(plain(first_byte), set);
                    for class in 0..8 {
                        let header = insert(header, &tlp::TRAFFIC_CLASS, class);
                        let frame = *forwarder.frames().choose(rng).expect("there are frames");
                        forwarder.send(insert(header, &tlp::TAG_9, rng.next_u64()), Some(frame))?;
                    }
                }
            }
            Ok(())
        },
    );
}

/// All 256 first bytes, before ones and before zeros: what is no write keeps its attributes, even if it means nothing.
#[test]
fn every_first_byte() {
    check_forwarded(
        "every_first_byte",
        1,
        |_| Coverage::new(),
        |forwarder, _, _| {
            for first_byte in 0..=u8::MAX {
                for rest in [0, u128::MAX] {
                    let header = insert(rest, &tlp::FORMAT, first_byte.into());
                    forwarder.compare(header, None, golden::forwarded(header, None))?;
                }
            }
            Ok(())
        },
    );
}

/// A plain header of every format with every bit flipped alone, to each frame; then every bit of a frame alone.
#[test]
fn every_bit() {
    check_forwarded("every_bit", 1, sizes, |forwarder, _, coverage| {
        for first_byte in first_bytes() {
            for flipped in [0].into_iter().chain((0..128).map(|bit| 1 << bit)) {
                for frame in forwarder.frames() {
                    let header = plain(first_byte) ^ flipped;
                    if let Some((before, after)) = forwarder.send(header, Some(frame))? {
                        coverage.sample(&[("size", size(&before, &after))]);
                    }
                }
            }
            for bit in 0..forwarder.config.pte.frame_bits() {
                forwarder.send(plain(first_byte), Some(1 << bit))?;
            }
        }
        Ok(())
    });
}

/// Random bits.
fn any_header(rng: &mut dyn Rng) -> u128 {
    u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
}

/// A random header, whose fields that the standard restricts are as it wants them.
fn legal_header(rng: &mut dyn Rng, parameters: &config::Tlp) -> u128 {
    let formats: Vec<u8> = first_bytes().collect();
    let first_byte = *formats.choose(rng).expect("there are formats");
    let header = insert(any_header(rng), &tlp::FORMAT, first_byte.into());
    let header = insert(insert(header, &tlp::ADDRESS_TYPE, 0), &tlp::TRAFFIC_CLASS, 0);
    let kind = Kind::of(first_byte);
    let longest = u64::from(parameters.max_payload_bytes.min(parameters.max_read_request_bytes) / 4);
    let length = match kind {
        Kind::FetchAdd | Kind::Swap => 1,
        Kind::CompareAndSwap => 2,
        _ => rng.random_range(1..=longest),
    };
    let header = insert(header, &tlp::LENGTH, length);
    match kind {
        Kind::Completion | Kind::CompletionLocked => {
            let tag = extract(header, &tlp::COMPLETED_TAG) % (1 << parameters.tag_bits.min(8));
            let header = insert(header, &tlp::COMPLETED_TAG, tag);
            insert(header, &tlp::BYTE_COUNT, rng.random_range(4 * length..=4096))
        }
        Kind::Message => header,
        _ => {
            let header = insert(header, &tlp::TAG, extract(header, &tlp::TAG) % (1 << parameters.tag_bits.min(8)));
            let enables = if length == 1 { rng.random_range(0..16) } else { 0xFF };
            let low = if extract(header, &tlp::LONG) == 1 { 0 } else { 32 };
            // Far enough from the end of the page, and at a multiple of 8 bytes.
            let start = rng.random_range(0..=(1024 - length) / 2) * 2;
            insert(insert(header, &(64..72), enables), &(low + 2..low + 12), start)
        }
    }
}

/// Random headers that go on, to any frame.
#[test]
fn random_forwarded() {
    let coverage = |config: &Config| {
        let goes_on = |kind: &Kind| match kind {
            Kind::MemoryRead | Kind::MemoryWrite | Kind::Message | Kind::Completion | Kind::CompletionLocked => true,
            Kind::FetchAdd | Kind::Swap | Kind::CompareAndSwap => config.tlp.atomics,
            _ => false,
        };
        sizes(config).point("kind", Kind::ALL.into_iter().filter(goes_on).map(|kind| format!("{kind:?}")))
    };
    check_forwarded("random_forwarded", 8, coverage, |forwarder, rng, coverage| {
        for _ in 0..1_500 {
            let header = legal_header(rng, &forwarder.config.tlp);
            let frames = forwarder.frames();
            let frame = match rng.random_range(0..3) {
                0 => *frames.choose(rng).expect("there are frames"),
                1 => rng.random_range(0..1 << 20),
                _ => rng.random_range(0..=forwarder.largest_frame()),
            };
            if let Some((before, after)) = forwarder.send(header, Some(frame))? {
                coverage.sample(&[("size", size(&before, &after)), ("kind", &format!("{:?}", before.kind))]);
            }
        }
        Ok(())
    });
}

/// Completions written by hand.
#[test]
fn completed_by_hand() {
    check_completion("completed_by_hand", 1, Coverage::new, |completer, _, _| {
        let read = Completion { byte_count: 16, lower_address: 0x40, requester: 0x0100, tag: 0x0C, ..failure() };
        let successful = Completion { status: Status::Successful, payload: 4, ..read };
        let aborted = Completion { status: Status::CompleterAbort, byte_count: 4096, ..read };
        let marked = Completion { traffic_class: 5, id_ordering: true, relaxed_ordering: true, no_snoop: true, ..read };
        let mut vectors = vec![
            (read, [0x0A00_0000, 0x0008_2010, 0x0100_0C40, 0]),
            (Completion { payload: 4, ..read }, [0x0A00_0000, 0x0008_2010, 0x0100_0C40, 0]),
            (successful, [0x4A00_0004, 0x0008_0010, 0x0100_0C40, 0]),
            (Completion { payload: 1024, ..successful }, [0x4A00_0000, 0x0008_0010, 0x0100_0C40, 0]),
            (Completion { payload: 0, ..successful }, [0x0A00_0000, 0x0008_0010, 0x0100_0C40, 0]),
            (aborted, [0x0A00_0000, 0x0008_8000, 0x0100_0C40, 0]),
            (Completion { locked: true, ..aborted }, [0x0B00_0000, 0x0008_8000, 0x0100_0C40, 0]),
            (marked, [0x0A54_3000, 0x0008_2010, 0x0100_0C40, 0]),
        ];
        if completer.parameters.tag_bits == 10 {
            vectors.push((Completion { tag: 0x30C, ..marked }, [0x0ADC_3000, 0x0008_2010, 0x0100_0C40, 0]));
            vectors.push((Completion { tag: 0x10C, ..read }, [0x0A08_0000, 0x0008_2010, 0x0100_0C40, 0]));
        }
        for (said, expected) in vectors {
            completer.compare(0x0008, &said, by_hand(expected))?;
        }
        Ok(())
    });
}

/// Every byte count, lower address and payload, with each status.
#[test]
fn every_count() {
    check_completion("every_count", 1, Coverage::new, |completer, _, _| {
        for status in Status::ALL {
            let plain = Completion { status, payload: 1, ..failure() };
            for byte_count in 1..=LARGEST_BYTE_COUNT {
                completer.complete(0xA5C3, &Completion { byte_count, ..plain })?;
            }
            for lower_address in 0..128 {
                completer.complete(0xA5C3, &Completion { lower_address, ..plain })?;
            }
            for payload in 0..=LONGEST {
                completer.complete(0xA5C3, &Completion { payload, byte_count: 4096, ..plain })?;
            }
        }
        Ok(())
    });
}

/// Every tag, traffic class and attribute, and every bit of the two ids.
#[test]
fn every_tag_and_attribute() {
    check_completion("every_tag_and_attribute", 1, Coverage::new, |completer, _, _| {
        for tag in 0..1 << completer.parameters.tag_bits {
            completer.complete(0, &Completion { tag, ..failure() })?;
        }
        for bit in 0..16 {
            completer.complete(1 << bit, &failure())?;
            completer.complete(0, &Completion { requester: 1 << bit, ..failure() })?;
        }
        for traffic_class in 0..8 {
            for flags in 0..16 {
                let flag = |bit: u32| flags >> bit & 1 == 1;
                let (locked, id_ordering) = (flag(0), flag(1));
                let (relaxed_ordering, no_snoop) = (flag(2), flag(3));
                let attributes = Completion { id_ordering, relaxed_ordering, no_snoop, ..failure() };
                completer.complete(0, &Completion { locked, traffic_class, ..attributes })?;
            }
        }
        Ok(())
    });
}

/// Random requests of every kind, answered as the unit answers: those that are refused by UR, those of memory also by
/// success and CA.
#[test]
fn random_requests_are_answered() {
    let coverage = || {
        let asks = |kind: &Kind| {
            !matches!(
                kind,
                Kind::MemoryWrite | Kind::Message | Kind::Completion | Kind::CompletionLocked | Kind::Undefined
            )
        };
        let kinds = Kind::ALL.into_iter().filter(asks).map(|kind| format!("{kind:?}"));
        let statuses = Status::ALL.map(|status| format!("{status:?}"));
        Coverage::new().point("kind", kinds).point("status", statuses)
    };
    check_completion("random_requests_are_answered", 8, coverage, |completer, rng, coverage| {
        for _ in 0..1_500 {
            let header = legal_header(rng, completer.parameters);
            let mut request = parse(completer.parameters, &Inputs { header, prefix: None });
            if request.verdict == Verdict::Malformed {
                // An I/O or configuration request: its length is 1, and it has no attributes.
                let single = insert(insert(header, &tlp::LENGTH, 1), &tlp::LAST_BYTE_ENABLES, 0);
                let bare = insert(insert(single, &tlp::NO_SNOOP, 0), &tlp::RELAXED_ORDERING, 0);
                request = parse(completer.parameters, &Inputs { header: bare, prefix: None });
            }
            let status = *Status::ALL.choose(rng).expect("there are some");
            let payload = rng.random_range(0..=completer.parameters.max_payload_bytes / 4);
            if let Some(said) = Completion::of(&request, status, payload) {
                completer.complete(rng.next_u32() as u16, &said)?;
                coverage.sample(&[("kind", &format!("{:?}", request.kind)), ("status", &format!("{status:?}"))]);
            }
        }
        Ok(())
    });
}
