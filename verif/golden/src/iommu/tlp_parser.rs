//! What the header of a TLP says, and what becomes of the TLP.
//!
//! Written from the PCI Express Base Specification 3.0; the sections are named at each rule.

use tollgate_spec::config;
use tollgate_spec::fault::FaultReason;
use tollgate_spec::tlp::{
    self, BOUNDARY_BYTES, CLASS_0_MESSAGES, DOUBLEWORD_BYTES, INTERRUPT_RANGE, INTERRUPT_RANGE_BITS, Kind,
    LARGEST_BYTE_COUNT, LONGEST, PASID_PREFIX, Routing, Verdict, extract,
};

/// What comes with the first beat of a TLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// The header.
    pub header: u128,
    /// The first byte of the first prefix before it, if there is one.
    pub prefix: Option<u8>,
}

/// What is made of it. What a kind of TLP does not have is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// What it is.
    pub kind: Kind,
    /// What becomes of it.
    pub verdict: Verdict,
    /// What speaks against it; `None` if nothing does.
    pub reason: Option<FaultReason>,
    /// What the header says; `None` if it means no TLP.
    pub header: Option<Header>,
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// It has four doublewords, not three.
    pub long: bool,
    /// Data follows.
    pub has_data: bool,
    /// Doublewords of data, or asked for: 1 to 1024.
    pub length: Option<u32>,
    /// Doublewords of data that follow: 0 to 1024.
    pub payload: u32,
    /// The address of the first doubleword.
    pub address: Option<u64>,
    /// The bytes of the first doubleword that count.
    pub first_byte_enables: Option<u8>,
    /// The bytes of the last doubleword that count; 0 if it is the first one.
    pub last_byte_enables: Option<u8>,
    /// A memory access of no byte.
    pub zero_length: bool,
    /// Of an access: the bytes that its completions count, or that a write spans. Of a completion: the
    /// bytes still to come.
    pub byte_count: Option<u32>,
    /// Bits 6:0 of the address of the first byte.
    pub lower_address: Option<u8>,
    /// Who asks, or asked.
    pub requester: u16,
    /// The tag of the request.
    pub tag: u16,
    /// Who completes.
    pub completer: Option<u16>,
    /// Completion Status.
    pub status: Option<u8>,
    /// TC.
    pub traffic_class: u8,
    /// Attr\[2\].
    pub id_ordering: bool,
    /// Attr\[1\].
    pub relaxed_ordering: bool,
    /// Attr\[0\].
    pub no_snoop: bool,
    /// AT.
    pub address_type: Option<u8>,
    /// TD.
    pub digest: bool,
    /// EP.
    pub poisoned: bool,
}

/// The fields of a header as numbers, before anything is made of them.
struct Fields {
    header: u128,
    kind: Kind,
}

/// Parses one header.
pub fn parse(parameters: &config::Tlp, inputs: &Inputs) -> Parsed {
    let kind = Kind::of(extract(inputs.header, &tlp::FORMAT) as u8);
    let fields = Fields { header: inputs.header, kind };
    let malformed = malformed(parameters, &fields, inputs.prefix);
    let unsupported = unsupported(parameters, &fields, inputs.prefix);
    let verdict = match (malformed, unsupported) {
        (Some(_), _) => Verdict::Malformed,
        // A completion would name the tag, which the unit does not keep.
        (None, Some(FaultReason::TagTooWide)) => Verdict::Drop,
        // Section 2.3.1: a posted request is not completed.
        (None, Some(_)) if fields.is_posted() => Verdict::Drop,
        (None, Some(_)) => Verdict::Refuse,
        (None, None) if matches!(kind, Kind::Message | Kind::Completion | Kind::CompletionLocked) => Verdict::Pass,
        (None, None) if parameters.device_msi_bypass && fields.is_in_interrupt_range() => Verdict::Bypass,
        (None, None) => Verdict::Translate,
    };
    let header = (kind != Kind::Undefined).then(|| said(parameters, &fields, verdict));
    Parsed { kind, verdict, reason: malformed.or(unsupported), header }
}

/// The first rule that the TLP breaks, such that section 2.2 calls it malformed.
fn malformed(parameters: &config::Tlp, fields: &Fields, prefix: Option<u8>) -> Option<FaultReason> {
    let kind = fields.kind;
    let of_old = matches!(kind, Kind::IoRead | Kind::IoWrite | Kind::ConfigurationRead | Kind::ConfigurationWrite);
    let length = fields.length();
    let rules = [
        // Section 2.2.1: all encodings that table 2-3 does not show are reserved.
        (FaultReason::UndefinedTlp, kind == Kind::Undefined),
        // Section 2.2.10: a prefix that the receiver does not support. A PASID goes with requests.
        (FaultReason::UnsupportedPrefix, prefix.is_some_and(|byte| byte != PASID_PREFIX || fields.is_completion())),
        // Sections 2.2.7 and 2.2.8.1 to 2.2.8.9.
        (FaultReason::TrafficClass, fields.get(&tlp::TRAFFIC_CLASS) != 0 && (of_old || fields.is_of_class_0())),
        // Section 2.2.7: I/O and configuration requests.
        (FaultReason::SingleDoubleword, of_old && length != 1),
        (
            FaultReason::Attributes,
            of_old
                && [tlp::NO_SNOOP, tlp::RELAXED_ORDERING, tlp::ADDRESS_TYPE].iter().any(|field| fields.get(field) != 0),
        ),
        // Section 2.2.2: Max_Payload_Size.
        (FaultReason::PayloadTooLarge, fields.has_data() && length * DOUBLEWORD_BYTES > parameters.max_payload_bytes),
        // Section 2.2.4.1: addresses below 4 GiB have the short format.
        (
            FaultReason::LongAddress,
            (fields.is_memory() || fields.is_atomic()) && fields.is_long() && fields.address() >> 32 == 0,
        ),
        // Section 2.2.7.
        (FaultReason::CrossesBoundary, fields.is_memory() && fields.crosses_boundary()),
        // Section 2.2.5.
        (
            FaultReason::ByteEnables,
            (fields.is_memory() && !fields.byte_enables_are_legal())
                || (of_old && fields.get(&tlp::LAST_BYTE_ENABLES) != 0),
        ),
        // Section 2.2.7, of those who support AtomicOps.
        (FaultReason::OperandLength, parameters.atomics && fields.is_atomic() && fields.operand_bytes().is_none()),
        (
            FaultReason::OperandAlignment,
            parameters.atomics
                && fields.operand_bytes().is_some_and(|bytes| !fields.address().is_multiple_of(bytes.into())),
        ),
        // Section 2.3.1.1: no more than what is still to come.
        (FaultReason::CompletionLength, fields.is_completion() && fields.has_data() && fields.carries_too_much()),
    ];
    first(&rules)
}

/// The first reason why the unit does not support the TLP (section 2.3.1, U-11).
fn unsupported(parameters: &config::Tlp, fields: &Fields, prefix: Option<u8>) -> Option<FaultReason> {
    let kind = fields.kind;
    let reads = matches!(kind, Kind::MemoryRead | Kind::MemoryReadLocked);
    let tag_counts = !fields.is_posted() && kind != Kind::Undefined;
    let in_range = parameters.device_msi_bypass && fields.is_in_interrupt_range();
    // Other routings than these lead from a device to the root complex, or to another device by its id.
    let refused_routings = [Routing::ByAddress as u64, Routing::Broadcast as u64, 6, 7];
    let rules = [
        // Section 2.2.6.2: a device that was not allowed extended tags has 5 bits.
        (FaultReason::TagTooWide, tag_counts && parameters.tag_bits == 5 && fields.low_tag() >> 5 != 0),
        (FaultReason::PasidRequest, prefix.is_some() && !fields.is_completion()),
        (
            FaultReason::TranslatedRequestBlocked,
            (fields.is_memory() || fields.is_atomic()) && fields.get(&tlp::ADDRESS_TYPE) != 0,
        ),
        (FaultReason::IoRequest, matches!(kind, Kind::IoRead | Kind::IoWrite)),
        (FaultReason::ConfigurationRequest, matches!(kind, Kind::ConfigurationRead | Kind::ConfigurationWrite)),
        (FaultReason::LockedRead, kind == Kind::MemoryReadLocked),
        (FaultReason::AtomicOp, fields.is_atomic() && !parameters.atomics),
        (FaultReason::InterruptRange, in_range && (reads || fields.is_atomic())),
        (FaultReason::ReadTooLarge, reads && fields.length() * DOUBLEWORD_BYTES > parameters.max_read_request_bytes),
        (FaultReason::MessageRouting, kind == Kind::Message && refused_routings.contains(&fields.get(&tlp::ROUTING))),
    ];
    first(&rules)
}

fn first(rules: &[(FaultReason, bool)]) -> Option<FaultReason> {
    rules.iter().find(|(_, broken)| *broken).map(|(reason, _)| *reason)
}

/// What a header says that means some TLP.
fn said(parameters: &config::Tlp, fields: &Fields, verdict: Verdict) -> Header {
    let kind = fields.kind;
    let flag = |field| fields.get(field) == 1;
    let completion = fields.is_completion();
    let request = !completion && kind != Kind::Message;
    let addressed = fields.is_memory() || fields.is_atomic();
    let counts = verdict != Verdict::Malformed;
    let has_length = request || fields.has_data();
    let (first, last) = fields.byte_enables();

    let tag = fields.get(&tlp::TAG_9) << 9 | fields.get(&tlp::TAG_8) << 8 | fields.low_tag();
    let requester = if completion { &tlp::COMPLETED_REQUESTER } else { &tlp::REQUESTER };
    Header {
        long: fields.is_long(),
        has_data: fields.has_data(),
        length: has_length.then(|| fields.length()),
        payload: if fields.has_data() { fields.length() } else { 0 },
        address: addressed.then(|| fields.address()),
        first_byte_enables: addressed.then_some(first),
        last_byte_enables: addressed.then_some(last),
        zero_length: fields.is_memory() && fields.length() == 1 && first == 0,
        byte_count: (counts && (request || completion)).then(|| fields.byte_count()).flatten(),
        lower_address: (counts && (request || completion)).then(|| fields.lower_address()),
        requester: fields.get(requester) as u16,
        tag: (tag & ((1 << parameters.tag_bits) - 1)) as u16,
        completer: completion.then(|| fields.get(&tlp::COMPLETER) as u16),
        status: completion.then(|| fields.get(&tlp::STATUS) as u8),
        traffic_class: fields.get(&tlp::TRAFFIC_CLASS) as u8,
        id_ordering: flag(&tlp::ID_ORDERING),
        relaxed_ordering: flag(&tlp::RELAXED_ORDERING),
        no_snoop: flag(&tlp::NO_SNOOP),
        address_type: addressed.then(|| fields.get(&tlp::ADDRESS_TYPE) as u8),
        digest: flag(&tlp::DIGEST),
        poisoned: flag(&tlp::POISONED),
    }
}

impl Fields {
    fn get(&self, field: &std::ops::Range<u32>) -> u64 {
        extract(self.header, field)
    }

    fn is_long(&self) -> bool {
        self.get(&tlp::LONG) == 1
    }

    fn has_data(&self) -> bool {
        self.get(&tlp::HAS_DATA) == 1
    }

    fn is_posted(&self) -> bool {
        matches!(self.kind, Kind::MemoryWrite | Kind::Message)
    }

    fn is_completion(&self) -> bool {
        matches!(self.kind, Kind::Completion | Kind::CompletionLocked)
    }

    fn is_memory(&self) -> bool {
        matches!(self.kind, Kind::MemoryRead | Kind::MemoryReadLocked | Kind::MemoryWrite)
    }

    fn is_atomic(&self) -> bool {
        matches!(self.kind, Kind::FetchAdd | Kind::Swap | Kind::CompareAndSwap)
    }

    /// A message that goes with traffic class 0 alone.
    fn is_of_class_0(&self) -> bool {
        let code = self.get(&tlp::MESSAGE_CODE) as u8;
        self.kind == Kind::Message && CLASS_0_MESSAGES.iter().any(|codes| codes.matches(code))
    }

    /// Section 2.2.1.
    fn length(&self) -> u32 {
        match self.get(&tlp::LENGTH) as u32 {
            0 => LONGEST,
            length => length,
        }
    }

    /// Section 2.2.4.1: the lowest two bits of an address are 0.
    fn address(&self) -> u64 {
        let field = if self.is_long() { tlp::ADDRESS_64 } else { tlp::ADDRESS_32 };
        self.get(&field) << 2
    }

    fn is_in_interrupt_range(&self) -> bool {
        let addressed = self.is_memory() || self.is_atomic();
        addressed && self.address() >> INTERRUPT_RANGE_BITS.start == u64::from(INTERRUPT_RANGE)
    }

    fn crosses_boundary(&self) -> bool {
        let boundary = u64::from(BOUNDARY_BYTES);
        self.address() % boundary + u64::from(self.length() * DOUBLEWORD_BYTES) > boundary
    }

    /// First and last byte enables, as section 2.2.5 implies them where the header has none: in reads
    /// with hints, in AtomicOps, and in I/O and configuration requests as far as their completions go.
    fn byte_enables(&self) -> (u8, u8) {
        let reads_with_hints = self.kind != Kind::MemoryWrite && self.get(&tlp::HAS_HINTS) == 1;
        match (self.is_memory() && !reads_with_hints, self.length()) {
            (true, _) => (self.get(&tlp::FIRST_BYTE_ENABLES) as u8, self.get(&tlp::LAST_BYTE_ENABLES) as u8),
            (false, 1) => (0xF, 0x0),
            (false, _) => (0xF, 0xF),
        }
    }

    /// Section 2.2.5.
    fn byte_enables_are_legal(&self) -> bool {
        let (first, last) = self.byte_enables();
        match self.length() {
            1 => last == 0,
            2 if self.address().is_multiple_of(8) => first != 0 && last != 0,
            _ => {
                matches!(first, 0b1111 | 0b1110 | 0b1100 | 0b1000) && matches!(last, 0b1111 | 0b0111 | 0b0011 | 0b0001)
            }
        }
    }

    /// The size of an AtomicOp's operands (section 2.2.7); `None` for any other TLP.
    fn operand_bytes(&self) -> Option<u32> {
        match (self.kind, self.length()) {
            (Kind::FetchAdd | Kind::Swap, length @ (1 | 2)) => Some(length * DOUBLEWORD_BYTES),
            (Kind::CompareAndSwap, length @ (2 | 4 | 8)) => Some(length * DOUBLEWORD_BYTES / 2),
            _ => None,
        }
    }

    /// Section 2.3.1.1: from the first enabled byte to the last; 1 if there is none. Other
    /// requests than those of memory are completed with 4 bytes, or those of an operand.
    fn byte_count(&self) -> Option<u32> {
        if self.is_completion() {
            return Some(self.remaining_bytes());
        }
        if self.is_atomic() {
            return self.operand_bytes();
        }
        let (first, last) = self.byte_enables();
        let length = self.length();
        let enables = if length == 1 { first } else { last };
        let enabled = |byte: &u32| enables >> byte & 1 == 1;
        let end = (0..DOUBLEWORD_BYTES).rev().find(enabled).unwrap_or_default() + 1;
        Some((length - 1) * DOUBLEWORD_BYTES + end - u32::from(first_enabled(first)))
    }

    /// Section 2.2.9: what is still to come, this completion included.
    fn remaining_bytes(&self) -> u32 {
        match self.get(&tlp::BYTE_COUNT) as u32 {
            0 => LARGEST_BYTE_COUNT,
            count => count,
        }
    }

    fn carries_too_much(&self) -> bool {
        let skipped = self.get(&tlp::LOWER_ADDRESS) as u32 % DOUBLEWORD_BYTES;
        self.length() > (skipped + self.remaining_bytes()).div_ceil(DOUBLEWORD_BYTES)
    }

    /// Section 2.3.1.1; 0 for what is no memory access (section 2.2.9).
    fn lower_address(&self) -> u8 {
        if self.is_completion() {
            return self.get(&tlp::LOWER_ADDRESS) as u8;
        }
        if !self.is_memory() {
            return 0;
        }
        (self.address() % 128) as u8 + first_enabled(self.byte_enables().0)
    }

    /// Bits 7:0 of the tag.
    fn low_tag(&self) -> u64 {
        self.get(if self.is_completion() { &tlp::COMPLETED_TAG } else { &tlp::TAG })
    }
}

/// The first byte that is enabled; 0 if none is.
fn first_enabled(enables: u8) -> u8 {
    if enables == 0 { 0 } else { enables.trailing_zeros() as u8 }
}
