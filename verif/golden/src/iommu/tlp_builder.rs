//! The headers that leave the unit: of TLPs that go on, and of completions that it makes itself.
//!
//! Written from the PCI Express Base Specification 3.0, whose figures show a header byte by byte; the
//! sections are named at each rule.

use tollgate_spec::config;
use tollgate_spec::tlp::{Kind, LARGEST_BYTE_COUNT, LONGEST, Status};

use super::tlp_parser::Parsed;

/// Fmt\[0\] in byte 0: four doublewords (section 2.2.1).
const LONG: u8 = 0x20;
/// Fmt\[1\] in byte 0: with data.
const HAS_DATA: u8 = 0x40;
/// Attr\[2\] in byte 1: id-based ordering.
const ID_ORDERING: u8 = 0x04;
/// TD in byte 2.
const DIGEST: u8 = 0x80;
/// Attr\[1\] in byte 2: relaxed ordering.
const RELAXED_ORDERING: u8 = 0x20;
/// Attr\[0\] in byte 2: no snoop.
const NO_SNOOP: u8 = 0x10;
/// PH in the last byte of an address (section 2.2.7.1).
const HINT: u8 = 0x03;

/// The header of a TLP as it goes on. With a `frame`, the number of a page in memory, it is a memory
/// request or an AtomicOp and goes to that page; without one its address, if it has one, stays.
pub fn forwarded(header: u128, frame: Option<u64>) -> u128 {
    let mut bytes = header.to_be_bytes();
    // Section 2.2.3: without the digest, there is none.
    bytes[2] &= !DIGEST;
    // Section 2.4.1: a posted request with either attribute may pass others, which the log relies on.
    if Kind::of(bytes[0]) == Kind::MemoryWrite {
        bytes[1] &= !ID_ORDERING;
        bytes[2] &= !RELAXED_ORDERING;
    }
    let was_long = bytes[0] & LONG != 0;
    if let Some(frame) = frame {
        let last = if was_long { 15 } else { 11 };
        let offset = u64::from(bytes[last - 1] & 0x0F) << 8 | u64::from(bytes[last] & !HINT);
        let address = frame << 12 | offset;
        let hint = bytes[last] & HINT;
        // Section 2.2.4.1: below 4 GiB an address has the short format.
        match u32::try_from(address) {
            Ok(short) => {
                bytes[0] &= !LONG;
                bytes[8..12].copy_from_slice(&short.to_be_bytes());
                bytes[11] |= hint;
            }
            Err(_) => {
                bytes[0] |= LONG;
                bytes[8..16].copy_from_slice(&address.to_be_bytes());
                bytes[15] |= hint;
            }
        }
    }
    if bytes[0] & LONG == 0 {
        bytes[12..16].fill(0);
    }
    u128::from_be_bytes(bytes)
}

/// What the header of a completion says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// A locked read is completed.
    pub locked: bool,
    /// How it is completed.
    pub status: Status,
    /// Doublewords of data that follow: 0 to 1024. Of no account unless the status is successful.
    pub payload: u32,
    /// Bytes still to come, those of this completion included: 1 to 4096.
    pub byte_count: u32,
    /// Bits 6:0 of the address of the first byte.
    pub lower_address: u8,
    /// Who has asked.
    pub requester: u16,
    /// The tag of the request.
    pub tag: u16,
    /// TC of the request.
    pub traffic_class: u8,
    /// Attr\[2\] of the request.
    pub id_ordering: bool,
    /// Attr\[1\] of the request.
    pub relaxed_ordering: bool,
    /// Attr\[0\] of the request.
    pub no_snoop: bool,
}

impl Completion {
    /// The only completion of a request: with `payload` doublewords of data if it succeeds. `None` if
    /// the request says nothing that a completion could say again, or is completed by nobody.
    ///
    /// Section 2.2.9: requester, tag, TC and attributes are those of the request. Section 2.3.1.1: the
    /// byte count of a read that fails is what would be to come if it did not.
    pub fn of(request: &Parsed, status: Status, payload: u32) -> Option<Self> {
        let header = request.header?;
        if matches!(request.kind, Kind::MemoryWrite | Kind::Message | Kind::Completion | Kind::CompletionLocked) {
            return None;
        }
        Some(Self {
            locked: request.kind == Kind::MemoryReadLocked,
            status,
            payload,
            byte_count: header.byte_count?,
            lower_address: header.lower_address?,
            requester: header.requester,
            tag: header.tag,
            traffic_class: header.traffic_class,
            id_ordering: header.id_ordering,
            relaxed_ordering: header.relaxed_ordering,
            no_snoop: header.no_snoop,
        })
    }
}

/// The header of a completion by `completer` (section 2.2.9).
///
/// # Panics
///
/// If a number does not fit its field, or the width that the configuration gives it: the ports could
/// not carry it.
pub fn completion(parameters: &config::Tlp, completer: u16, completion: &Completion) -> u128 {
    let Completion { payload, byte_count, lower_address, tag, traffic_class, .. } = *completion;
    assert!(payload <= LONGEST, "{payload} doublewords do not fit a TLP");
    assert!((1..=LARGEST_BYTE_COUNT).contains(&byte_count), "{byte_count} is no byte count");
    assert!(lower_address < 128, "{lower_address:#x} is no lower address");
    assert!(tag >> parameters.tag_bits == 0, "tag {tag:#x} does not fit {} bits", parameters.tag_bits);
    assert!(traffic_class < 8, "there is no traffic class {traffic_class}");
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };

    // Section 2.2.9: a completion of a failure is one without data.
    let length = if completion.status == Status::Successful { payload } else { 0 };
    // Sections 2.2.1 and 2.2.9: 1024 doublewords and 4096 bytes are written as 0.
    let [length_high, length_low] = (length as u16 % 1024).to_be_bytes();
    let [count_high, count_low] = (byte_count as u16 % 4096).to_be_bytes();
    let [completer_high, completer_low] = completer.to_be_bytes();
    let [requester_high, requester_low] = completion.requester.to_be_bytes();
    let [tag_high, tag_low] = tag.to_be_bytes();
    u128::from_be_bytes([
        0x0A | flag(length > 0, HAS_DATA) | flag(completion.locked, 0x01),
        // PCIe 4.0, section 2.2.6.2: bits 9 and 8 of the tag are on both sides of TC.
        flag(tag_high & 2 != 0, 0x80)
            | traffic_class << 4
            | flag(tag_high & 1 != 0, 0x08)
            | flag(completion.id_ordering, ID_ORDERING),
        flag(completion.relaxed_ordering, RELAXED_ORDERING) | flag(completion.no_snoop, NO_SNOOP) | length_high,
        length_low,
        completer_high,
        completer_low,
        completion.status.number() << 5 | count_high,
        count_low,
        requester_high,
        requester_low,
        tag_low,
        lower_address,
        0,
        0,
        0,
        0,
    ])
}
