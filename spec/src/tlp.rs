//! Headers of PCIe transaction-layer packets: their fields, their formats, and what becomes of one.
//!
//! A header is a number of 128 bits, its first byte highest; one of three doublewords fills the upper
//! 96 bits. Sections are those of the PCI Express Base Specification 3.0; the tags of ten bits are of
//! revision 4.0, which left the rest of what is here as it was.

use std::ops::Range;

use crate::layout::{Field, Layout};

/// The bits of a header.
pub const HEADER_BITS: u32 = 128;

/// The bytes of a doubleword, in which lengths are counted.
pub const DOUBLEWORD_BYTES: u32 = 4;

/// The most doublewords that Length can say; it says them by 0 (section 2.2.1).
pub const LONGEST: u32 = 1024;

/// The most bytes that the Byte Count of a completion can say; it says them by 0 (section 2.2.9).
pub const LARGEST_BYTE_COUNT: u32 = 4096;

/// The boundaries at which the data of a read may be split into completions, in bytes: the smallest Read
/// Completion Boundary (section 2.3.1.1).
pub const READ_COMPLETION_BOUNDARY_BYTES: u32 = 64;

/// The boundary that no memory request crosses, in bytes (section 2.2.7).
pub const BOUNDARY_BYTES: u32 = 4096;

/// The bits 31:20 of the addresses that are interrupts: 0xFEEx_xxxx (Q-27, VT-d).
pub const INTERRUPT_RANGE: u32 = 0xFEE;

/// The bits 31:20 of an address.
pub const INTERRUPT_RANGE_BITS: Range<u32> = 20..32;

/// Fmt and Type of a prefix that holds a PASID, as its first byte (section 2.2.10, PASID).
pub const PASID_PREFIX: u8 = 0b100_10001;

/// Fmt and Type: the first byte.
pub const FORMAT: Range<u32> = 120..128;
/// In [`FORMAT`], whether the header has four doublewords.
pub const LONG: Range<u32> = 125..126;
/// In [`FORMAT`], whether data follows.
pub const HAS_DATA: Range<u32> = 126..127;
/// In [`FORMAT`] of a message, how it is routed.
pub const ROUTING: Range<u32> = 120..123;
/// T9: bit 9 of a tag of ten bits.
pub const TAG_9: Range<u32> = 119..120;
/// TC: the traffic class.
pub const TRAFFIC_CLASS: Range<u32> = 116..119;
/// T8: bit 8 of a tag of ten bits.
pub const TAG_8: Range<u32> = 115..116;
/// Attr\[2\]: id-based ordering.
pub const ID_ORDERING: Range<u32> = 114..115;
/// LN: reserved in revision 3.0.
pub const LIGHTWEIGHT_NOTIFICATION: Range<u32> = 113..114;
/// TH: processing hints are there, and a steering tag takes the place of a write's tag and of a
/// read's byte enables.
pub const HAS_HINTS: Range<u32> = 112..113;
/// TD: a digest follows the data.
pub const DIGEST: Range<u32> = 111..112;
/// EP: the data is poisoned.
pub const POISONED: Range<u32> = 110..111;
/// Attr\[1\]: relaxed ordering.
pub const RELAXED_ORDERING: Range<u32> = 109..110;
/// Attr\[0\]: no snoop.
pub const NO_SNOOP: Range<u32> = 108..109;
/// AT: the address type.
pub const ADDRESS_TYPE: Range<u32> = 106..108;
/// Length: doublewords of data, or asked for; 0 is [`LONGEST`].
pub const LENGTH: Range<u32> = 96..106;

/// Requester id of a request.
pub const REQUESTER: Range<u32> = 80..96;
/// Bits 7:0 of the tag of a request.
pub const TAG: Range<u32> = 72..80;
/// Last DW BE of a request.
pub const LAST_BYTE_ENABLES: Range<u32> = 68..72;
/// 1st DW BE of a request.
pub const FIRST_BYTE_ENABLES: Range<u32> = 64..68;
/// Message Code of a message.
pub const MESSAGE_CODE: Range<u32> = 64..72;
/// Bits 31:2 of an address in a header of three doublewords.
pub const ADDRESS_32: Range<u32> = 34..64;
/// PH in a header of three doublewords.
pub const HINT_32: Range<u32> = 32..34;
/// Bits 63:2 of an address in a header of four doublewords.
pub const ADDRESS_64: Range<u32> = 2..64;
/// Bits 63:32 of it.
pub const ADDRESS_64_UPPER: Range<u32> = 32..64;
/// PH in a header of four doublewords.
pub const HINT_64: Range<u32> = 0..2;

/// Completer id of a completion.
pub const COMPLETER: Range<u32> = 80..96;
/// Completion Status.
pub const STATUS: Range<u32> = 77..80;
/// BCM: set by bridges to PCI-X alone.
pub const BYTE_COUNT_MODIFIED: Range<u32> = 76..77;
/// Byte Count: what is still to come, this completion included; 0 is [`LARGEST_BYTE_COUNT`].
pub const BYTE_COUNT: Range<u32> = 64..76;
/// Requester id of the request that is completed.
pub const COMPLETED_REQUESTER: Range<u32> = 48..64;
/// Bits 7:0 of its tag.
pub const COMPLETED_TAG: Range<u32> = 40..48;
/// Lower Address: bits 6:0 of the address of the first byte that comes.
pub const LOWER_ADDRESS: Range<u32> = 32..39;

/// The bits of `field` in `header`, at bit 0.
pub fn extract(header: u128, field: &Range<u32>) -> u64 {
    let mask = u64::MAX >> (u64::BITS - (field.end - field.start));
    (header >> field.start) as u64 & mask
}

/// `header` with `value` in the bits of `field`; bits of `value` beyond the field are dropped.
#[must_use]
pub fn insert(header: u128, field: &Range<u32>, value: u64) -> u128 {
    let mask = u128::from(u64::MAX >> (u64::BITS - (field.end - field.start)));
    (header & !(mask << field.start)) | ((u128::from(value) & mask) << field.start)
}

/// What a TLP is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
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
    Undefined = 13,
}

impl Kind {
    /// The bits of a code.
    pub const BITS: u32 = 4;

    /// All kinds, lowest code first.
    pub const ALL: [Self; 14] = [
        Self::MemoryRead,
        Self::MemoryReadLocked,
        Self::MemoryWrite,
        Self::IoRead,
        Self::IoWrite,
        Self::ConfigurationRead,
        Self::ConfigurationWrite,
        Self::Message,
        Self::Completion,
        Self::CompletionLocked,
        Self::FetchAdd,
        Self::Swap,
        Self::CompareAndSwap,
        Self::Undefined,
    ];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The kind of a header by its first byte.
    pub fn of(first_byte: u8) -> Self {
        let format = FORMATS.iter().find(|format| format.first_byte.matches(first_byte));
        format.map_or(Self::Undefined, |format| format.kind)
    }
}

/// Bytes that agree in all bits but some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The bits that count; 0 where they are free.
    pub value: u8,
    /// The bits that are free.
    pub free: u8,
}

impl Pattern {
    /// Whether a byte is one of them.
    pub const fn matches(&self, byte: u8) -> bool {
        byte & !self.free == self.value
    }
}

/// One row of the table of formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The name in the standard.
    pub mnemonic: &'static str,
    /// Fmt and Type.
    pub first_byte: Pattern,
    /// What such a TLP is.
    pub kind: Kind,
}

/// Fmt\[0\]: 3 or 4 doublewords.
const EITHER_SIZE: u8 = 0b001_00000;
/// Type\[2:0\] of a message.
const ANY_ROUTING: u8 = 0b000_00111;

const fn format(mnemonic: &'static str, value: u8, free: u8, kind: Kind) -> Format {
    Format { mnemonic, first_byte: Pattern { value, free }, kind }
}

/// Every Fmt and Type that means a header (table 2-3, section 2.2.1); no two of them meet.
pub const FORMATS: [Format; 18] = [
    format("MRd", 0b000_00000, EITHER_SIZE, Kind::MemoryRead),
    format("MRdLk", 0b000_00001, EITHER_SIZE, Kind::MemoryReadLocked),
    format("MWr", 0b010_00000, EITHER_SIZE, Kind::MemoryWrite),
    format("IORd", 0b000_00010, 0, Kind::IoRead),
    format("IOWr", 0b010_00010, 0, Kind::IoWrite),
    format("CfgRd0", 0b000_00100, 0, Kind::ConfigurationRead),
    format("CfgWr0", 0b010_00100, 0, Kind::ConfigurationWrite),
    format("CfgRd1", 0b000_00101, 0, Kind::ConfigurationRead),
    format("CfgWr1", 0b010_00101, 0, Kind::ConfigurationWrite),
    format("Msg", 0b001_10000, ANY_ROUTING, Kind::Message),
    format("MsgD", 0b011_10000, ANY_ROUTING, Kind::Message),
    format("Cpl", 0b000_01010, 0, Kind::Completion),
    format("CplD", 0b010_01010, 0, Kind::Completion),
    format("CplLk", 0b000_01011, 0, Kind::CompletionLocked),
    format("CplDLk", 0b010_01011, 0, Kind::CompletionLocked),
    format("FetchAdd", 0b010_01100, EITHER_SIZE, Kind::FetchAdd),
    format("Swap", 0b010_01101, EITHER_SIZE, Kind::Swap),
    format("CAS", 0b010_01110, EITHER_SIZE, Kind::CompareAndSwap),
];

/// How a message is routed: Type\[2:0\] (section 2.2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Routing {
    /// To the root complex.
    ToRoot = 0,
    /// By address.
    ByAddress = 1,
    /// By id.
    ById = 2,
    /// From the root complex to all.
    Broadcast = 3,
    /// Local: ends at the receiver.
    Local = 4,
    /// Gathered and routed to the root complex.
    Gathered = 5,
}

const fn codes(value: u8, free: u8) -> Pattern {
    Pattern { value, free }
}

/// The codes of messages that go with traffic class 0 alone: Unlock, LTR, OBFF, power management, INTx,
/// errors, Set_Slot_Power_Limit (sections 2.2.8.1 to 2.2.8.5, 2.2.8.8, 2.2.8.9).
pub const CLASS_0_MESSAGES: [Pattern; 10] = [
    codes(0x00, 0),
    codes(0x10, 0),
    codes(0x12, 0),
    codes(0x14, 0),
    codes(0x18, 1),
    codes(0x1B, 0),
    codes(0x20, 7),
    codes(0x30, 1),
    codes(0x33, 0),
    codes(0x50, 0),
];

/// Completion Status (section 2.2.9); the other codes are reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// SC.
    Successful = 0,
    /// UR: the request is not supported.
    UnsupportedRequest = 1,
    /// CRS: to configuration requests alone.
    ConfigurationRetry = 2,
    /// CA: the completer has given up.
    CompleterAbort = 4,
}

impl Status {
    /// The bits of a code.
    pub const BITS: u32 = 3;

    /// All of them, lowest code first.
    pub const ALL: [Self; 4] =
        [Self::Successful, Self::UnsupportedRequest, Self::ConfigurationRetry, Self::CompleterAbort];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The name in generated headers, and that of the standard.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Successful => ("successful", "SC"),
            Self::UnsupportedRequest => ("unsupported_request", "UR"),
            Self::ConfigurationRetry => ("configuration_retry", "CRS"),
            Self::CompleterAbort => ("completer_abort", "CA"),
        }
    }
}

/// What the unit does with a TLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Verdict {
    /// A memory request: its address is translated.
    Translate = 0,
    /// A completion or message: it goes on untouched, in its order.
    Pass = 1,
    /// An interrupt: it goes on untranslated.
    Bypass = 2,
    /// A request that the unit does not support: a completion with UR.
    Refuse = 3,
    /// The same where no completion can be sent: it is dropped and reported.
    Drop = 4,
    /// It breaks a rule of the standard: it is dropped, never completed, and reported.
    Malformed = 5,
}

impl Verdict {
    /// All verdicts, lowest code first.
    pub const ALL: [Self; 6] = [Self::Translate, Self::Pass, Self::Bypass, Self::Refuse, Self::Drop, Self::Malformed];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// All layouts of headers: the first doubleword, which all share, and what follows it in each.
pub fn layouts() -> [Layout; 5] {
    [first_doubleword(), short_request(), long_request(), message(), completion()]
}

fn first_doubleword() -> Layout {
    let format = Field::new("format", FORMAT, "Fmt and Type", "PCIe 3.0, 2.2.1");
    let format = FORMATS.iter().fold(format, |field, format| {
        let Pattern { value, free } = format.first_byte;
        let free = if free == 0 { String::new() } else { format!("; bits {free:#04x} are free") };
        field.value(value.into(), &format.mnemonic.to_lowercase(), &format!("{}{free}", format.mnemonic))
    });
    let fields = vec![
        Field::new("length", LENGTH, "doublewords of data, or asked for; 0: 1024", "PCIe 3.0, 2.2.1"),
        Field::new("address_type", ADDRESS_TYPE, "AT; 0: untranslated", "PCIe 3.0, 2.2.4.1"),
        Field::new("no_snoop", NO_SNOOP, "Attr[0]: no snoop", "PCIe 3.0, 2.2.6.5"),
        Field::new("relaxed_ordering", RELAXED_ORDERING, "Attr[1]: relaxed ordering", "PCIe 3.0, 2.2.6.4"),
        Field::new("poisoned", POISONED, "EP: the data is poisoned", "PCIe 3.0, 2.7.2"),
        Field::new("digest", DIGEST, "TD: a digest follows the data", "PCIe 3.0, 2.2.3"),
        Field::new("has_hints", HAS_HINTS, "TH: processing hints are there", "PCIe 3.0, 2.2.7.1"),
        Field::new("lightweight_notification", LIGHTWEIGHT_NOTIFICATION, "LN, not interpreted", "PCIe 3.1, 2.2.1"),
        Field::new("id_ordering", ID_ORDERING, "Attr[2]: id-based ordering", "PCIe 3.0, 2.2.6.4"),
        Field::new("tag_8", TAG_8, "bit 8 of a tag of ten bits", "PCIe 4.0, 2.2.6.2"),
        Field::new("traffic_class", TRAFFIC_CLASS, "TC: traffic class", "PCIe 3.0, 2.2.6.6"),
        Field::new("tag_9", TAG_9, "bit 9 of a tag of ten bits", "PCIe 4.0, 2.2.6.2"),
        format,
    ];
    layout("tlp", "first doubleword of a TLP header, whose first byte is the highest", fields)
}

fn short_request() -> Layout {
    let mut fields = request();
    fields.extend([
        Field::new("address", ADDRESS_32, "bits 31:2 of the address", "PCIe 3.0, 2.2.4.1"),
        Field::new("hint", HINT_32, "PH: processing hint", "PCIe 3.0, 2.2.7.1"),
    ]);
    layout("tlp_request_3dw", "request with a header of three doublewords, after the first", fields)
}

fn long_request() -> Layout {
    let mut fields = request();
    fields.extend([
        Field::new("address", ADDRESS_64, "bits 63:2 of the address", "PCIe 3.0, 2.2.4.1"),
        Field::new("hint", HINT_64, "PH: processing hint", "PCIe 3.0, 2.2.7.1"),
    ]);
    layout("tlp_request_4dw", "request with a header of four doublewords, after the first", fields)
}

fn request() -> Vec<Field> {
    vec![
        Field::new("requester", REQUESTER, "requester id: bus, device, function", "PCIe 3.0, 2.2.6.2"),
        Field::new("tag", TAG, "bits 7:0 of the tag; of a write with hints, the steering tag", "PCIe 3.0, 2.2.6.2"),
        Field::new("last_byte_enables", LAST_BYTE_ENABLES, "Last DW BE", "PCIe 3.0, 2.2.5"),
        Field::new("first_byte_enables", FIRST_BYTE_ENABLES, "1st DW BE", "PCIe 3.0, 2.2.5"),
    ]
}

fn message() -> Layout {
    let fields = vec![
        Field::new("requester", REQUESTER, "requester id: bus, device, function", "PCIe 3.0, 2.2.8"),
        Field::new("tag", TAG, "bits 7:0 of the tag", "PCIe 3.0, 2.2.8"),
        Field::new("code", MESSAGE_CODE, "Message Code", "PCIe 3.0, 2.2.8"),
    ];
    layout("tlp_message", "message, after the first doubleword", fields)
}

fn completion() -> Layout {
    let status = Field::new("status", STATUS, "Completion Status", "PCIe 3.0, 2.2.9");
    let status = Status::ALL.into_iter().fold(status, |field, status| {
        let (name, meaning) = status.names();
        field.value(status.number().into(), name, meaning)
    });
    let fields = vec![
        Field::new("completer", COMPLETER, "completer id: bus, device, function", "PCIe 3.0, 2.2.9"),
        status,
        Field::new("byte_count_modified", BYTE_COUNT_MODIFIED, "BCM, of bridges to PCI-X", "PCIe 3.0, 2.2.9"),
        Field::new("byte_count", BYTE_COUNT, "bytes still to come, these included; 0: 4096", "PCIe 3.0, 2.2.9"),
        Field::new("requester", COMPLETED_REQUESTER, "requester id of the request", "PCIe 3.0, 2.2.9"),
        Field::new("tag", COMPLETED_TAG, "bits 7:0 of the tag of the request", "PCIe 3.0, 2.2.9"),
        Field::new("lower_address", LOWER_ADDRESS, "bits 6:0 of the address of the first byte", "PCIe 3.0, 2.2.9"),
    ];
    layout("tlp_completion", "completion, after the first doubleword", fields)
}

fn layout(name: &str, meaning: &str, fields: Vec<Field>) -> Layout {
    Layout::new(name, HEADER_BITS, meaning, fields).expect("the fields of a TLP header are fixed and apart")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_go_in_and_come_out() {
        let header = 0x4000_0001_0123_45FF_FEE0_1004_0000_0000;
        assert_eq!(extract(header, &FORMAT), 0x40);
        assert_eq!(extract(header, &LENGTH), 1);
        assert_eq!(extract(header, &REQUESTER), 0x0123);
        assert_eq!(extract(header, &TAG), 0x45);
        assert_eq!(extract(header, &ADDRESS_32), 0xFEE0_1004 >> 2);
        assert_eq!(insert(header, &TAG, 0x1AB), 0x4000_0001_0123_ABFF_FEE0_1004_0000_0000);
        assert_eq!(extract(insert(0, &ADDRESS_64, u64::MAX), &ADDRESS_64), u64::MAX >> 2);
    }

    #[test]
    fn no_first_byte_has_two_formats() {
        for byte in 0..=u8::MAX {
            let names: Vec<_> = FORMATS.iter().filter(|format| format.first_byte.matches(byte)).collect();
            assert!(names.len() <= 1, "{byte:#x}: {names:?}");
        }
    }

    /// Counted by hand in table 2-3: 10 of three doublewords, 6 of either size, 2 × 8 messages.
    #[test]
    fn the_table_has_this_many_first_bytes() {
        let defined = (0..=u8::MAX).filter(|byte| Kind::of(*byte) != Kind::Undefined).count();
        assert_eq!(defined, 10 + 2 * 6 + 16);
        assert_eq!(Kind::of(0x60), Kind::MemoryWrite);
        assert_eq!(Kind::of(0x34), Kind::Message);
        assert_eq!(Kind::of(0x80), Kind::Undefined);
        assert_eq!(Kind::of(0x6A), Kind::Undefined);
    }

    #[test]
    fn codes_are_the_positions_in_all() {
        assert!(Kind::ALL.iter().zip(0..).all(|(kind, code)| kind.number() == code));
        assert!(Verdict::ALL.iter().zip(0..).all(|(verdict, code)| verdict.number() == code));
    }

    #[test]
    fn layouts_leave_the_reserved_bits_of_the_standard() {
        let gaps = layouts().map(|layout| layout.gaps());
        assert_eq!(gaps[0], vec![0..96]);
        assert_eq!(gaps[1], vec![0..32, 96..128]);
        assert_eq!(gaps[2], vec![96..128]);
        assert_eq!(gaps[3], vec![0..64, 96..128]);
        assert_eq!(gaps[4], vec![0..32, 39..40, 96..128]);
    }
}
