//! TLP parser: what the header of a TLP says, and what becomes of the TLP.
//!
//! The rules and their sections are in `docs/blocks/iommu/tlp_parser.md`; the golden model is
//! `tollgate_golden::iommu::tlp_parser`.

use crate::bundles::Valid;
use std::ops::Range;
use tollgate_rtl::When;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Tlp;
use tollgate_spec::fault::FaultReason;
use tollgate_spec::tlp::{
    self, BOUNDARY_BYTES, CLASS_0_MESSAGES, DOUBLEWORD_BYTES, FORMATS, LONGEST, PASID_PREFIX, Pattern, Routing,
};

/// What a TLP is.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 4)]
pub enum Kind {
    /// MRd.
    MemoryRead = 0,
    /// MRdLk.
    MemoryReadLocked = 1,
    /// MWr.
    MemoryWrite = 2,
    /// IORd.
    IoRead = 3,
    /// IOWr.
    IoWrite = 4,
    /// CfgRd0 and CfgRd1.
    ConfigurationRead = 5,
    /// CfgWr0 and CfgWr1.
    ConfigurationWrite = 6,
    /// Msg and MsgD.
    Message = 7,
    /// Cpl and CplD.
    Completion = 8,
    /// CplLk and CplDLk.
    CompletionLocked = 9,
    /// FetchAdd.
    FetchAdd = 10,
    /// Swap.
    Swap = 11,
    /// CAS.
    CompareAndSwap = 12,
    /// None of these.
    #[reset]
    Undefined = 13,
}

/// What the unit does with a TLP.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 3)]
pub enum Verdict {
    /// A memory request: its address is translated.
    Translate = 0,
    /// A completion or message: it goes on untouched, in its order.
    Pass = 1,
    /// An interrupt: it goes on untranslated.
    Bypass = 2,
    /// Not supported: a completion with UR.
    Refuse = 3,
    /// Not supported, and no completion can be sent: dropped and reported.
    Drop = 4,
    /// Against the standard: dropped, never completed, and reported.
    Malformed = 5,
}

/// What a header says. The page of the block tells which kinds of TLP have which of it.
#[bundle(p: Tlp)]
pub struct TlpHeader {
    /// What the TLP is.
    pub kind: Code<Kind>,
    /// The header has four doublewords, not three.
    pub long: Bit,
    /// Data follows.
    pub has_data: Bit,
    /// Doublewords of data, or asked for: 1 to 1024.
    pub length: Bits<11>,
    /// Doublewords of data that follow: 0 to 1024.
    pub payload: Bits<11>,
    /// Byte address of the first doubleword.
    pub address: Bits<64>,
    /// Bytes of the first doubleword that count, implied ones included.
    pub first_byte_enables: Bits<4>,
    /// Bytes of the last doubleword that count, implied ones included; 0 if it is the first one.
    pub last_byte_enables: Bits<4>,
    /// A memory access that enables no byte (U-12).
    pub zero_length: Bit,
    /// Bytes that completions count, or that a write spans; of a completion, bytes still to come.
    pub byte_count: Bits<13>,
    /// Bits 6:0 of the address of the first byte.
    pub lower_address: Bits<7>,
    /// Requester id; of a completion, that of its request.
    pub requester: Bits<16>,
    /// Tag; of a completion, that of its request.
    pub tag: Bits<{ p.tag_bits }>,
    /// Completer id.
    pub completer: Bits<16>,
    /// Completion Status.
    pub status: Bits<3>,
    /// TC: traffic class.
    pub traffic_class: Bits<3>,
    /// Attr[2]: id-based ordering.
    pub id_ordering: Bit,
    /// Attr[1]: relaxed ordering.
    pub relaxed_ordering: Bit,
    /// Attr[0]: no snoop.
    pub no_snoop: Bit,
    /// AT: address type.
    pub address_type: Bits<2>,
    /// TD: a digest follows the data.
    pub digest: Bit,
    /// EP: the data is poisoned.
    pub poisoned: Bit,
}

/// Ports of the parser.
#[ports(p: Tlp)]
pub struct TlpParserPorts {
    /// Header, its first byte highest.
    pub header: Input<Bits<{ tlp::HEADER_BITS }>>,
    /// First byte of the first prefix, Fmt and Type, if the TLP has one.
    pub prefix: Input<Valid<Bits<8>>>,
    /// What becomes of the TLP.
    pub verdict: Output<Code<Verdict>>,
    /// What speaks against it, a `FAULT_REASON` of the headers; 0 if nothing does.
    pub reason: Output<Bits<{ FaultReason::BITS }>>,
    /// What the header says.
    pub tlp: Output<TlpHeader>,
}

/// Parses a header, within the cycle.
pub fn tlp_parser(p: &Tlp) -> Module<TlpParserPorts> {
    module("iommu_tlp_parser", TlpParserPorts::shape(p), |m, io| {
        m.describe("TLP parser: what the header of a TLP says, and what becomes of the TLP.");
        for (name, value, meaning) in p.parameters() {
            m.parameter(name, value, meaning);
        }
        m.ignore("lightweight_notification", io.header.slice(tlp::LIGHTWEIGHT_NOTIFICATION), "reserved");
        m.ignore("hint", io.header.slice(tlp::HINT_64), "means nothing to this unit");
        if p.tag_bits < 10 {
            let upper = concat([io.header.slice(tlp::TAG_9), io.header.slice(tlp::TAG_8)]);
            m.ignore("upper_tag", upper, "reserved without tags of ten bits");
        }
        let kinds = decode(m, p, io);
        judge(m, p, io, kinds);
    })
}

/// The kinds of TLP that rules speak of together.
#[derive(Clone, Copy)]
struct Kinds {
    /// Memory reads, locked ones included.
    reads: Bit,
    /// Memory reads and writes.
    memory: Bit,
    /// AtomicOps.
    atomic: Bit,
    /// Memory reads, writes and AtomicOps.
    addressed: Bit,
    /// I/O and configuration requests.
    legacy: Bit,
    /// Completions.
    completion: Bit,
    /// Writes and messages.
    posted: Bit,
}

impl Kinds {
    fn of(m: &ModuleBuilder, kind: Code<Kind>) -> Self {
        let any = |name: &str, kinds: &[Kind]| m.named(name, is_any(kind, kinds));
        let memory = any("memory", &[Kind::MemoryRead, Kind::MemoryReadLocked, Kind::MemoryWrite]);
        let atomic = any("atomic", &[Kind::FetchAdd, Kind::Swap, Kind::CompareAndSwap]);
        Self {
            reads: any("reads", &[Kind::MemoryRead, Kind::MemoryReadLocked]),
            memory,
            atomic,
            addressed: m.named("addressed", memory | atomic),
            legacy: any("legacy", &[Kind::IoRead, Kind::IoWrite, Kind::ConfigurationRead, Kind::ConfigurationWrite]),
            completion: any("completion", &[Kind::Completion, Kind::CompletionLocked]),
            posted: any("posted", &[Kind::MemoryWrite, Kind::Message]),
        }
    }
}

/// Sets all that the header says.
fn decode(m: &ModuleBuilder, p: &Tlp, io: TlpParserPorts) -> Kinds {
    let tlp = io.tlp;
    let field = |range: Range<u32>| io.header.slice(range);
    let flag = |range: Range<u32>| io.header.bit(range.start);

    let format = m.named("format", field(tlp::FORMAT));
    let defined = Kind::VARIANTS.iter().filter(|kind| **kind != Kind::Undefined).map(|kind| {
        let rows = FORMATS.iter().filter(|row| kind.code() == Value::new(tlp::Kind::BITS, row.kind.number()));
        (*kind, either(rows.map(|row| matches(format, row.first_byte))))
    });
    first_of(defined, |kind| tlp.kind.set(kind), || tlp.kind.set(Kind::Undefined));
    let kinds = Kinds::of(m, tlp.kind);

    tlp.long.set(flag(tlp::LONG));
    tlp.has_data.set(flag(tlp::HAS_DATA));
    // A field of 0 is the largest number.
    let or_largest = |number: Bits| concat([number.none().bits(), number]);
    tlp.length.set(or_largest(field(tlp::LENGTH)));
    tlp.payload.set(tlp.length & tlp.has_data.repeat(11));
    let address = mux(tlp.long, field(tlp::ADDRESS_64), field(tlp::ADDRESS_32).extend(62));
    tlp.address.set(concat([address, Value::zero(2).lit()]));

    let single = m.named("single", tlp.length.equals(1));
    let given = m.named("given", kinds.memory & !(kinds.reads & flag(tlp::HAS_HINTS)));
    let implied_last = (!single).repeat(4);
    tlp.first_byte_enables.set(field(tlp::FIRST_BYTE_ENABLES) | (!given).repeat(4));
    tlp.last_byte_enables.set(mux(given, field(tlp::LAST_BYTE_ENABLES), implied_last));
    tlp.zero_length.set(kinds.memory & single & tlp.first_byte_enables.none());

    let (first, last) = (tlp.first_byte_enables, mux(single, tlp.first_byte_enables, tlp.last_byte_enables));
    let offset = zeros_before([0, 1, 2, 3].map(|byte| first.bit(byte)));
    let offset = m.named("offset", mux(first.any(), offset, Value::zero(2).lit()));
    let bytes_after = m.named("bytes_after", zeros_before([3, 2, 1, 0].map(|byte| last.bit(byte))));
    let spanned = concat([tlp.length, Value::zero(2).lit()]) - offset.extend(13) - bytes_after.extend(13);
    // A compare-and-swap has two operands.
    let operand = concat([tlp.length.extend(12), Value::zero(1).lit()]);
    let asked = mux(tlp.kind.is(Kind::CompareAndSwap), operand, spanned);
    tlp.byte_count.set(mux(kinds.completion, or_largest(field(tlp::BYTE_COUNT)), asked));
    let from_address = concat([tlp.address.slice(2..7), offset]) & kinds.memory.repeat(7);
    tlp.lower_address.set(mux(kinds.completion, field(tlp::LOWER_ADDRESS), from_address));

    tlp.requester.set(mux(kinds.completion, field(tlp::COMPLETED_REQUESTER), field(tlp::REQUESTER)));
    let low = low_tag(io, kinds);
    tlp.tag.set(match p.tag_bits {
        10 => concat([field(tlp::TAG_9), field(tlp::TAG_8), low]),
        bits => low.slice(0..bits),
    });
    tlp.completer.set(field(tlp::COMPLETER));
    tlp.status.set(field(tlp::STATUS));
    tlp.traffic_class.set(field(tlp::TRAFFIC_CLASS));
    tlp.id_ordering.set(flag(tlp::ID_ORDERING));
    tlp.relaxed_ordering.set(flag(tlp::RELAXED_ORDERING));
    tlp.no_snoop.set(flag(tlp::NO_SNOOP));
    tlp.address_type.set(field(tlp::ADDRESS_TYPE));
    tlp.digest.set(flag(tlp::DIGEST));
    tlp.poisoned.set(flag(tlp::POISONED));
    kinds
}

/// Sets verdict and reason.
fn judge(m: &ModuleBuilder, p: &Tlp, io: TlpParserPorts, kinds: Kinds) {
    let in_range = p.device_msi_bypass.then(|| {
        let short = kinds.addressed & !io.tlp.long;
        let is_there = io.tlp.address.slice(tlp::INTERRUPT_RANGE_BITS).equals(tlp::INTERRUPT_RANGE);
        m.named("in_interrupt_range", short & is_there)
    });
    let named = |rules: Vec<(FaultReason, Bit)>| -> Vec<(FaultReason, Bit)> {
        rules.into_iter().map(|(reason, broken)| (reason, m.named(reason.name(), broken))).collect()
    };
    let malformed = named(malformed(p, io, kinds));
    let unsupported = named(unsupported(p, io, kinds, in_range));
    let any = |rules: &[(FaultReason, Bit)]| either(rules.iter().map(|(_, broken)| *broken));

    // No completion goes back for what is posted, or where the tag is not kept.
    let lost_tag = unsupported.iter().filter(|(reason, _)| *reason == FaultReason::TagTooWide);
    let cannot_complete = either(lost_tag.map(|(_, broken)| *broken).chain([kinds.posted]));
    let is_malformed = m.named("malformed", any(&malformed));
    let is_unsupported = m.named("unsupported", any(&unsupported));
    let mut verdicts = vec![
        (Verdict::Malformed, is_malformed),
        (Verdict::Drop, is_unsupported & cannot_complete),
        (Verdict::Refuse, is_unsupported),
        (Verdict::Pass, kinds.completion | io.tlp.kind.is(Kind::Message)),
    ];
    verdicts.extend(in_range.map(|in_range| (Verdict::Bypass, in_range)));
    first_of(verdicts, |verdict| io.verdict.set(verdict), || io.verdict.set(Verdict::Translate));

    let reasons = malformed.into_iter().chain(unsupported);
    first_of(reasons, |reason| io.reason.set(u32::from(reason.number())), || io.reason.set(0));
}

/// The rules of the standard, the first one that is broken being the reason.
fn malformed(p: &Tlp, io: TlpParserPorts, kinds: Kinds) -> Vec<(FaultReason, Bit)> {
    let tlp = io.tlp;
    let field = |range: Range<u32>| io.header.slice(range);
    let single = tlp.length.equals(1);

    let code = field(tlp::MESSAGE_CODE);
    let of_class_0 = tlp.kind.is(Kind::Message) & either(CLASS_0_MESSAGES.iter().map(|codes| matches(code, *codes)));
    let attributes = tlp.no_snoop | tlp.relaxed_ordering | tlp.address_type.any();
    let end = tlp.address.slice(2..12).extend(11) + tlp.length;

    // Enabled bytes follow each other: none is missing above an enabled one in the first doubleword, none below in the last.
    let (first, last) = (tlp.first_byte_enables, tlp.last_byte_enables);
    let hole =
        |(below, above): (u32, u32)| (first.bit(below) & !first.bit(above)) | (last.bit(above) & !last.bit(below));
    let holes = either([(0, 1), (1, 2), (2, 3)].map(hole));
    let aligned_pair = tlp.length.equals(2) & !tlp.address.bit(2);
    let of_several = first.none() | last.none() | (holes & !aligned_pair);
    let byte_enables = mux(single, last.any(), of_several);

    let skipped = tlp.lower_address.slice(0..2).extend(13);
    let carried = (tlp.byte_count + skipped + 3).slice(2..13);

    let mut rules = vec![
        (FaultReason::UndefinedTlp, tlp.kind.is(Kind::Undefined)),
        (FaultReason::UnsupportedPrefix, io.prefix.valid & (io.prefix.data.differs(PASID_PREFIX) | kinds.completion)),
        (FaultReason::TrafficClass, (kinds.legacy | of_class_0) & tlp.traffic_class.any()),
        (FaultReason::SingleDoubleword, kinds.legacy & !single),
        (FaultReason::Attributes, kinds.legacy & attributes),
    ];
    rules.extend(longer_than(p.max_payload_bytes, tlp.payload).map(|broken| (FaultReason::PayloadTooLarge, broken)));
    let upper = field(tlp::ADDRESS_64_UPPER);
    rules.extend([
        (FaultReason::LongAddress, kinds.addressed & tlp.long & upper.none()),
        (FaultReason::CrossesBoundary, kinds.memory & end.greater_than(BOUNDARY_BYTES / DOUBLEWORD_BYTES)),
        (
            FaultReason::ByteEnables,
            (kinds.memory & byte_enables) | (kinds.legacy & field(tlp::LAST_BYTE_ENABLES).any()),
        ),
    ]);
    if p.atomics {
        let pair = tlp.kind.is(Kind::CompareAndSwap);
        let lengths = |lengths: &[u32]| either(lengths.iter().map(|length| tlp.length.equals(*length)));
        let length_fits = mux(pair, lengths(&[2, 4, 8]), lengths(&[1, 2]));
        let of_8_bytes = tlp.length.equals(mux(pair, Value::new(11, 4_u32).lit(), Value::new(11, 2_u32).lit()));
        let misaligned = (of_8_bytes & tlp.address.bit(2)) | (tlp.length.equals(8) & tlp.address.slice(2..4).any());
        rules.push((FaultReason::OperandLength, kinds.atomic & !length_fits));
        rules.push((FaultReason::OperandAlignment, kinds.atomic & misaligned));
    }
    rules.push((FaultReason::CompletionLength, kinds.completion & tlp.payload.greater_than(carried)));
    rules
}

/// What the unit does not support, the first of which is the reason.
fn unsupported(p: &Tlp, io: TlpParserPorts, kinds: Kinds, in_range: Option<Bit>) -> Vec<(FaultReason, Bit)> {
    let tlp = io.tlp;
    let mut rules = vec![];
    if p.tag_bits == 5 {
        let lost = low_tag(io, kinds).slice(5..8).any();
        rules.push((FaultReason::TagTooWide, lost & !kinds.posted));
    }
    rules.extend([
        (FaultReason::PasidRequest, io.prefix.valid & !kinds.completion),
        (FaultReason::TranslatedRequestBlocked, kinds.addressed & tlp.address_type.any()),
        (FaultReason::IoRequest, is_any(tlp.kind, &[Kind::IoRead, Kind::IoWrite])),
        (FaultReason::ConfigurationRequest, is_any(tlp.kind, &[Kind::ConfigurationRead, Kind::ConfigurationWrite])),
        (FaultReason::LockedRead, tlp.kind.is(Kind::MemoryReadLocked)),
    ]);
    if !p.atomics {
        rules.push((FaultReason::AtomicOp, kinds.atomic));
    }
    rules.extend(in_range.map(|in_range| (FaultReason::InterruptRange, in_range & (kinds.reads | kinds.atomic))));
    let asked = longer_than(p.max_read_request_bytes, tlp.length);
    rules.extend(asked.map(|broken| (FaultReason::ReadTooLarge, kinds.reads & broken)));
    let routing = io.header.slice(tlp::ROUTING);
    let known = [Routing::ToRoot, Routing::ById, Routing::Local, Routing::Gathered];
    let known = either(known.iter().map(|known| routing.equals(*known as u32)));
    rules.push((FaultReason::MessageRouting, tlp.kind.is(Kind::Message) & !known));
    rules
}

/// Whether `doublewords` are more than `bytes`; `None` if they never are.
fn longer_than(bytes: u32, doublewords: Bits) -> Option<Bit> {
    let limit = bytes / DOUBLEWORD_BYTES;
    (limit < LONGEST).then(|| doublewords.greater_than(limit))
}

/// Bits 7:0 of the tag of a request, or of the request that is completed.
fn low_tag(io: TlpParserPorts, kinds: Kinds) -> Bits {
    mux(kinds.completion, io.header.slice(tlp::COMPLETED_TAG), io.header.slice(tlp::TAG))
}

/// How many bits are 0 before the first that is 1; 3 if all are.
fn zeros_before(bits: [Bit; 4]) -> Bits {
    let count = |number: u32| Value::new(2, number).lit();
    let [first, second, third, _] = bits;
    mux(first, count(0), mux(second, count(1), mux(third, count(2), count(3))))
}

/// Whether a byte is one of a pattern.
pub(super) fn matches(byte: Bits, pattern: Pattern) -> Bit {
    match pattern.free {
        0 => byte.equals(pattern.value),
        free => (byte & Value::new(8, !free).lit()).equals(pattern.value),
    }
}

/// Whether a kind is one of some.
fn is_any(kind: Code<Kind>, kinds: &[Kind]) -> Bit {
    either(kinds.iter().map(|known| kind.is(*known)))
}

/// Whether one of some bits is 1.
fn either(bits: impl IntoIterator<Item = Bit>) -> Bit {
    bits.into_iter().reduce(|one, other| one | other).expect("there are some")
}

/// Sets the first choice whose condition is 1, or else the default.
pub(super) fn first_of<T>(choices: impl IntoIterator<Item = (T, Bit)>, set: impl Fn(T), default: impl FnOnce()) {
    let chain = choices.into_iter().fold(None, |chain: Option<When>, (choice, condition)| {
        let set = || set(choice);
        Some(match chain {
            None => when(condition, set),
            Some(chain) => chain.or_when(condition, set),
        })
    });
    chain.expect("there are some").otherwise(default);
}
