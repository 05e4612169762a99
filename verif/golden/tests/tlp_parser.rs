//! The parser: headers written out by hand from the standard, byte by byte, and what they mean.

use proptest::prelude::*;
use tollgate_golden::iommu::tlp_parser::{Header, Inputs, Parsed, parse};
use tollgate_spec::config::{self, Config};
use tollgate_spec::fault::FaultReason::{self, *};
use tollgate_spec::tlp::{Kind, Verdict};

/// Tags of 8 bits, payloads of 256 bytes, reads of 4096, interrupts and AtomicOps.
fn machine() -> config::Tlp {
    Config::shipped("default", &[]).unwrap().tlp
}

/// A header as a bus trace shows it.
fn header(doublewords: [u32; 4]) -> u128 {
    doublewords.into_iter().fold(0, |header, doubleword| header << 32 | u128::from(doubleword))
}

fn parsed(doublewords: [u32; 4]) -> Parsed {
    parse(&machine(), &Inputs { header: header(doublewords), prefix: None })
}

fn said(doublewords: [u32; 4]) -> Header {
    parsed(doublewords).header.expect("the header means a TLP")
}

/// Verdict and reason of a header, by the machine with some changes, behind a prefix.
fn judged(
    change: impl Fn(&mut config::Tlp),
    prefix: Option<u8>,
    doublewords: [u32; 4],
) -> (Verdict, Option<FaultReason>) {
    let mut machine = machine();
    change(&mut machine);
    let Parsed { verdict, reason, .. } = parse(&machine, &Inputs { header: header(doublewords), prefix });
    (verdict, reason)
}

fn verdict(doublewords: [u32; 4]) -> (Verdict, Option<FaultReason>) {
    judged(|_| {}, None, doublewords)
}

const TRANSLATED: (Verdict, Option<FaultReason>) = (Verdict::Translate, None);
const PASSED: (Verdict, Option<FaultReason>) = (Verdict::Pass, None);

fn malformed(reason: FaultReason) -> (Verdict, Option<FaultReason>) {
    (Verdict::Malformed, Some(reason))
}

fn refused(reason: FaultReason) -> (Verdict, Option<FaultReason>) {
    (Verdict::Refuse, Some(reason))
}

fn dropped(reason: FaultReason) -> (Verdict, Option<FaultReason>) {
    (Verdict::Drop, Some(reason))
}

#[test]
fn a_read_of_sixteen_bytes() {
    let seen = parsed([0x0000_0004, 0x0100_0CFF, 0x1000_0040, 0]);
    assert_eq!((seen.kind, seen.verdict, seen.reason), (Kind::MemoryRead, Verdict::Translate, None));
    let expected = Header {
        long: false,
        has_data: false,
        length: Some(4),
        payload: 0,
        address: Some(0x1000_0040),
        first_byte_enables: Some(0xF),
        last_byte_enables: Some(0xF),
        zero_length: false,
        byte_count: Some(16),
        lower_address: Some(0x40),
        requester: 0x0100,
        tag: 0x0C,
        completer: None,
        status: None,
        traffic_class: 0,
        id_ordering: false,
        relaxed_ordering: false,
        no_snoop: false,
        address_type: Some(0),
        digest: false,
        poisoned: false,
    };
    assert_eq!(seen.header, Some(expected));
}

#[test]
fn a_long_write_with_every_flag() {
    // TC 5, IDO, TD, EP, RO, NS; 5 bytes from 0x1_2345_6789 on.
    let seen = parsed([0x6054_F002, 0xBEEF_A53E, 0x0000_0001, 0x2345_6788]);
    assert_eq!((seen.kind, seen.verdict), (Kind::MemoryWrite, Verdict::Translate));
    let expected = Header {
        long: true,
        has_data: true,
        length: Some(2),
        payload: 2,
        address: Some(0x1_2345_6788),
        first_byte_enables: Some(0xE),
        last_byte_enables: Some(0x3),
        zero_length: false,
        byte_count: Some(5),
        lower_address: Some(0x09),
        requester: 0xBEEF,
        tag: 0xA5,
        completer: None,
        status: None,
        traffic_class: 5,
        id_ordering: true,
        relaxed_ordering: true,
        no_snoop: true,
        address_type: Some(0),
        digest: true,
        poisoned: true,
    };
    assert_eq!(seen.header, Some(expected));
}

#[test]
fn a_completion() {
    // CplD of 4 doublewords, CA with BCM, 16 bytes to come, for 0x0203 tag 0x7E, from ..2C on.
    let seen = parsed([0x4A00_0004, 0x0A0B_9010, 0x0203_7EAC, 0]);
    assert_eq!((seen.kind, seen.verdict, seen.reason), (Kind::Completion, Verdict::Pass, None));
    let header = seen.header.unwrap();
    assert_eq!((header.requester, header.tag), (0x0203, 0x7E));
    assert_eq!((header.completer, header.status), (Some(0x0A0B), Some(4)));
    assert_eq!((header.byte_count, header.lower_address), (Some(16), Some(0x2C)));
    assert_eq!((header.length, header.payload, header.address), (Some(4), 4, None));
    let without_data = said([0x0A00_0000, 0x0A0B_2004, 0x0203_7E00, 0]);
    assert_eq!((without_data.length, without_data.payload), (None, 0));
    assert_eq!((without_data.status, without_data.byte_count), (Some(1), Some(4)));
    assert_eq!(said([0x0A00_0000, 0x0A0B_0000, 0, 0]).byte_count, Some(4096));
}

/// Table 2-3 of the standard, by its mnemonics.
#[test]
fn every_format_of_the_table() {
    let table: [(Kind, &[u8]); 13] = [
        (Kind::MemoryRead, &[0x00, 0x20]),
        (Kind::MemoryReadLocked, &[0x01, 0x21]),
        (Kind::MemoryWrite, &[0x40, 0x60]),
        (Kind::IoRead, &[0x02]),
        (Kind::IoWrite, &[0x42]),
        (Kind::ConfigurationRead, &[0x04, 0x05]),
        (Kind::ConfigurationWrite, &[0x44, 0x45]),
        (
            Kind::Message,
            &[0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77],
        ),
        (Kind::Completion, &[0x0A, 0x4A]),
        (Kind::CompletionLocked, &[0x0B, 0x4B]),
        (Kind::FetchAdd, &[0x4C, 0x6C]),
        (Kind::Swap, &[0x4D, 0x6D]),
        (Kind::CompareAndSwap, &[0x4E, 0x6E]),
    ];
    for byte in 0..=u8::MAX {
        let known = table.iter().find(|(_, bytes)| bytes.contains(&byte)).map(|(kind, _)| *kind);
        let seen = parsed([u32::from(byte) << 24 | 1, 0xF, 0, 0]);
        assert_eq!(seen.kind, known.unwrap_or(Kind::Undefined), "{byte:#04x}");
        assert_eq!(seen.header.is_none(), known.is_none(), "{byte:#04x}");
        assert_eq!(seen.reason == Some(UndefinedTlp), known.is_none(), "{byte:#04x}");
    }
}

/// All numbers with a pattern of 0, 1 and x.
fn numbers(pattern: &str) -> impl Iterator<Item = u32> {
    (0..16).filter(move |number| {
        let bit = |place: usize| if number >> (3 - place) & 1 == 1 { '1' } else { '0' };
        pattern.chars().enumerate().all(|(place, wanted)| wanted == 'x' || wanted == bit(place))
    })
}

/// The table "Byte Count" of section 2.3.1.1: first and last enables, and what is missing of 4 × Length.
#[test]
fn byte_counts_of_the_table() {
    let single = [
        ("1xx1", 0),
        ("01x1", 1),
        ("1x10", 1),
        ("0011", 2),
        ("0110", 2),
        ("1100", 2),
        ("0001", 3),
        ("0010", 3),
        ("0100", 3),
        ("1000", 3),
        ("0000", 3),
    ];
    let mut rows = 0;
    for (first, missing) in single {
        for first in numbers(first) {
            rows += 1;
            let seen = said([0x0000_0001, first, 0x1000_0000, 0]);
            assert_eq!(seen.byte_count, Some(4 - missing), "{first:04b}");
            assert_eq!(seen.zero_length, first == 0, "{first:04b}");
        }
    }
    assert_eq!(rows, 16);
    let firsts = [("xxx1", 0), ("xx10", 1), ("x100", 2), ("1000", 3)];
    let lasts = [("1xxx", 0), ("01xx", 1), ("001x", 2), ("0001", 3)];
    rows = 0;
    for (first, before) in firsts {
        for (last, after) in lasts {
            for (first, last) in numbers(first).flat_map(|first| numbers(last).map(move |last| (first, last))) {
                rows += 1;
                let seen = said([0x4000_0002, last << 4 | first, 0x1000_0000, 0]);
                assert_eq!(seen.byte_count, Some(8 - before - after), "{first:04b} {last:04b}");
                assert_eq!(seen.lower_address, Some(before as u8), "{first:04b} {last:04b}");
            }
        }
    }
    assert_eq!(rows, 15 * 15);
    assert_eq!(said([0x0000_0000, 0x81, 0x1000_0000, 0]).byte_count, None, "not of byte enables that are illegal");
    assert_eq!(said([0x0000_0000, 0xFF, 0x1000_0000, 0]).byte_count, Some(4096));
    assert_eq!(said([0x0000_0000, 0xFF, 0x1000_0000, 0]).length, Some(1024));
}

/// Section 2.2.5: holes are for single doublewords, and for two at an address that is a multiple of 8.
#[test]
fn byte_enables_rule() {
    let write = |length: u32, enables: u32, address: u32| verdict([0x4000_0000 | length, enables, address, 0]);
    assert_eq!(write(1, 0x05, 0x1000), TRANSLATED);
    assert_eq!(write(1, 0x00, 0x1000), TRANSLATED);
    assert_eq!(write(1, 0x1F, 0x1000), malformed(ByteEnables));
    assert_eq!(write(2, 0x95, 0x1000), TRANSLATED);
    assert_eq!(write(2, 0x95, 0x1004), malformed(ByteEnables));
    assert_eq!(write(2, 0x3C, 0x1004), TRANSLATED);
    assert_eq!(write(2, 0xF0, 0x1000), malformed(ByteEnables));
    assert_eq!(write(2, 0x0F, 0x1000), malformed(ByteEnables));
    for (first, last) in (0..16).flat_map(|first| (0..16).map(move |last| (first, last))) {
        let whole = [0xF, 0xE, 0xC, 0x8].contains(&first) && [0xF, 0x7, 0x3, 0x1].contains(&last);
        let expected = if whole { TRANSLATED } else { malformed(ByteEnables) };
        assert_eq!(write(3, last << 4 | first, 0x1000), expected, "{first:04b} {last:04b}");
    }
}

/// Section 2.2.7.1: with hints, the enables of a read and the tag of a write are a steering tag.
#[test]
fn steering_tags() {
    let read = said([0x0001_0003, 0x0000_0042, 0x1000, 0]);
    assert_eq!((read.first_byte_enables, read.last_byte_enables, read.byte_count), (Some(0xF), Some(0xF), Some(12)));
    let single = said([0x0001_0001, 0x0000_00F0, 0x1000, 0]);
    assert_eq!((single.first_byte_enables, single.last_byte_enables), (Some(0xF), Some(0x0)));
    assert_eq!((single.byte_count, single.zero_length), (Some(4), false));
    assert_eq!(verdict([0x0001_0001, 0x0000_00F0, 0x1000, 0]), TRANSLATED);
    assert_eq!(verdict([0x4001_0001, 0x0000_00F0, 0x1000, 0]), malformed(ByteEnables));
    let five_bits = |machine: &mut config::Tlp| machine.tag_bits = 5;
    assert_eq!(judged(five_bits, None, [0x4001_0001, 0x0000_FF0F, 0x1000, 0]), TRANSLATED);
}

#[test]
fn the_4_kib_boundary() {
    assert_eq!(verdict([0x0000_0001, 0x0F, 0x1FFC, 0]), TRANSLATED);
    assert_eq!(verdict([0x0000_0002, 0xFF, 0x1FF8, 0]), TRANSLATED);
    assert_eq!(verdict([0x0000_0002, 0xFF, 0x1FFC, 0]), malformed(CrossesBoundary));
    assert_eq!(verdict([0x2000_0000, 0xFF, 0x1, 0x2000]), TRANSLATED);
    assert_eq!(verdict([0x2000_0000, 0xFF, 0x1, 0x2004]), malformed(CrossesBoundary));
}

#[test]
fn sizes() {
    assert_eq!(verdict([0x4000_0040, 0xFF, 0x1000, 0]), TRANSLATED);
    assert_eq!(verdict([0x4000_0041, 0xFF, 0x1000, 0]), malformed(PayloadTooLarge));
    assert_eq!(verdict([0x4000_0000, 0xFF, 0x1000, 0]), malformed(PayloadTooLarge));
    assert_eq!(verdict([0x7000_0041, 0x7F, 0, 0]), malformed(PayloadTooLarge));
    assert_eq!(verdict([0x4A00_0041, 0x0104, 0, 0]), malformed(PayloadTooLarge));
    assert_eq!(verdict([0x3000_0041, 0x7F, 0, 0]), PASSED, "without data, Length is reserved");
    let smaller = |machine: &mut config::Tlp| machine.max_read_request_bytes = 512;
    assert_eq!(judged(smaller, None, [0x0000_0080, 0xFF, 0x1000, 0]), TRANSLATED);
    assert_eq!(judged(smaller, None, [0x0000_0081, 0xFF, 0x1000, 0]), refused(ReadTooLarge));
}

#[test]
fn addresses_below_4_gib_are_short() {
    assert_eq!(verdict([0x2000_0001, 0x0F, 0x0000_0000, 0xFFFF_FFFC]), malformed(LongAddress));
    assert_eq!(verdict([0x2000_0001, 0x0F, 0x0000_0001, 0x0000_0000]), TRANSLATED);
    assert_eq!(verdict([0x6C00_0001, 0x0F, 0x0000_0000, 0x0000_1000]), malformed(LongAddress));
    assert_eq!(verdict([0x3400_0000, 0x20, 0, 0]), PASSED, "a message has no address");
}

/// Section 2.2.7: the operands, and where they may lie.
#[test]
fn atomic_operations() {
    let of = |byte: u32, length: u32, address: u32| [byte << 24 | length, 0, address, 0];
    for byte in [0x4C, 0x4D] {
        assert_eq!(verdict(of(byte, 1, 0x1004)), TRANSLATED);
        assert_eq!(verdict(of(byte, 2, 0x1008)), TRANSLATED);
        assert_eq!(verdict(of(byte, 2, 0x1004)), malformed(OperandAlignment));
        for length in [3, 4, 8, 0] {
            assert_eq!(
                verdict(of(byte, length, 0x1000)),
                if length == 0 { malformed(PayloadTooLarge) } else { malformed(OperandLength) }
            );
        }
        assert_eq!(said(of(byte, 2, 0x1008)).byte_count, Some(8));
        assert_eq!(said(of(byte, 2, 0x1008)).lower_address, Some(0));
    }
    assert_eq!(verdict(of(0x4E, 2, 0x1004)), TRANSLATED);
    assert_eq!(verdict(of(0x4E, 4, 0x1008)), TRANSLATED);
    assert_eq!(verdict(of(0x4E, 4, 0x1004)), malformed(OperandAlignment));
    assert_eq!(verdict(of(0x4E, 8, 0x1008)), malformed(OperandAlignment));
    assert_eq!(verdict(of(0x4E, 8, 0x1004)), malformed(OperandAlignment));
    for length in [1, 3, 5, 6, 7, 9, 16] {
        assert_eq!(verdict(of(0x4E, length, 0x1000)), malformed(OperandLength), "{length}");
    }
    // The payload holds both operands; what is accessed is one of them, and ends with the page.
    assert_eq!(verdict(of(0x4E, 8, 0x1FF0)), TRANSLATED);
    assert_eq!(said(of(0x4E, 8, 0x1FF0)).byte_count, Some(16));
    let none = |machine: &mut config::Tlp| machine.atomics = false;
    assert_eq!(judged(none, None, of(0x4C, 1, 0x1000)), refused(AtomicOp));
    assert_eq!(judged(none, None, of(0x4C, 3, 0x1004)), refused(AtomicOp));
}

#[test]
fn io_and_configuration_requests() {
    for (byte, reason) in [
        (0x02, IoRequest),
        (0x42, IoRequest),
        (0x04, ConfigurationRequest),
        (0x44, ConfigurationRequest),
        (0x05, ConfigurationRequest),
        (0x45, ConfigurationRequest),
    ] {
        let first = |rest: u32| verdict([byte << 24 | rest, 0x0F, 0x1000, 0]);
        assert_eq!(first(0x00_0001), refused(reason));
        assert_eq!(first(0x00_0002), malformed(SingleDoubleword));
        assert_eq!(first(0x10_0001), malformed(TrafficClass));
        assert_eq!(first(0x00_1001), malformed(Attributes));
        assert_eq!(first(0x00_2001), malformed(Attributes));
        assert_eq!(first(0x00_0401), malformed(Attributes));
        assert_eq!(first(0x00_0801), malformed(Attributes));
        assert_eq!(first(0x04_0001), refused(reason), "Attr[2] is reserved there");
        assert_eq!(verdict([byte << 24 | 1, 0x1F, 0x1000, 0]), malformed(ByteEnables));
        let seen = said([byte << 24 | 1, 0x08, 0x1044, 0]);
        assert_eq!((seen.byte_count, seen.lower_address), (Some(4), Some(0)), "section 2.2.9");
    }
}

#[test]
fn requests_that_are_not_supported() {
    assert_eq!(verdict([0x0100_0001, 0x0F, 0x1000, 0]), refused(LockedRead));
    assert_eq!(verdict([0x2100_0001, 0x0F, 0x1, 0x1000]), refused(LockedRead));
    for address_type in [0x400, 0x800, 0xC00] {
        assert_eq!(verdict([0x0000_0001 | address_type, 0x0F, 0x1000, 0]), refused(TranslatedRequestBlocked));
        assert_eq!(verdict([0x4000_0001 | address_type, 0x0F, 0x1000, 0]), dropped(TranslatedRequestBlocked));
        assert_eq!(verdict([0x4C00_0001 | address_type, 0x0F, 0x1000, 0]), refused(TranslatedRequestBlocked));
        assert_eq!(verdict([0x4A00_0001 | address_type, 0x0004, 0, 0]), PASSED, "AT is reserved in completions");
    }
}

#[test]
fn prefixes() {
    let behind = |prefix: u8, doublewords| judged(|_| {}, Some(prefix), doublewords);
    let (read, write) = ([0x0000_0001, 0x0F, 0x1000, 0], [0x4000_0001, 0x0F, 0x1000, 0]);
    assert_eq!(behind(0x91, read), refused(PasidRequest));
    assert_eq!(behind(0x91, write), dropped(PasidRequest));
    assert_eq!(behind(0x91, [0x3000_0000, 0x7F, 0, 0]), dropped(PasidRequest));
    assert_eq!(behind(0x91, [0x0A00_0000, 0x0004, 0, 0]), malformed(UnsupportedPrefix));
    assert_eq!(behind(0x90, read), malformed(UnsupportedPrefix), "extended hints");
    assert_eq!(behind(0x80, write), malformed(UnsupportedPrefix), "local");
    assert_eq!(behind(0x11, read), malformed(UnsupportedPrefix), "no prefix at all");
}

///
#[test]
fn the_interrupt_range() {
    assert_eq!(verdict([0x4000_0001, 0x0F, 0xFEE0_1004, 0]), (Verdict::Bypass, None));
    assert_eq!(verdict([0x4000_0001, 0x0F, 0xFEEF_FFFC, 0]), (Verdict::Bypass, None));
    assert_eq!(verdict([0x4000_0001, 0x0F, 0xFEDF_FFFC, 0]), TRANSLATED);
    assert_eq!(verdict([0x4000_0001, 0x0F, 0xFEF0_0000, 0]), TRANSLATED);
    assert_eq!(verdict([0x6000_0001, 0x0F, 0x0000_0001, 0xFEE0_0000]), TRANSLATED);
    assert_eq!(verdict([0x0000_0001, 0x0F, 0xFEE0_0000, 0]), refused(InterruptRange));
    assert_eq!(verdict([0x4D00_0001, 0x0F, 0xFEE0_0000, 0]), refused(InterruptRange));
    assert_eq!(verdict([0x4000_0401, 0x0F, 0xFEE0_0000, 0]), dropped(TranslatedRequestBlocked));
    let memory = |machine: &mut config::Tlp| machine.device_msi_bypass = false;
    assert_eq!(judged(memory, None, [0x4000_0001, 0x0F, 0xFEE0_1004, 0]), TRANSLATED);
    assert_eq!(judged(memory, None, [0x0000_0001, 0x0F, 0xFEE0_1004, 0]), TRANSLATED);
}

#[test]
fn messages() {
    for (routing, expected) in [
        (0, PASSED),
        (1, dropped(MessageRouting)),
        (2, PASSED),
        (3, dropped(MessageRouting)),
        (4, PASSED),
        (5, PASSED),
        (6, dropped(MessageRouting)),
        (7, dropped(MessageRouting)),
    ] {
        assert_eq!(verdict([0x3000_0000 | routing << 24, 0x7F, 0, 0]), expected, "{routing}");
        assert_eq!(verdict([0x7000_0001 | routing << 24, 0x7F, 0, 0]), expected, "{routing}");
    }
}

/// Sections 2.2.8.1 to 2.2.8.9, code by code.
#[test]
fn messages_of_traffic_class_0() {
    let class_0 = [
        0x00, 0x10, 0x12, 0x14, 0x18, 0x19, 0x1B, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x30, 0x31, 0x33,
        0x50,
    ];
    for code in 0..=0xFF {
        let expected = if class_0.contains(&code) { malformed(TrafficClass) } else { PASSED };
        assert_eq!(verdict([0x3410_0000, code, 0, 0]), expected, "{code:#04x}");
        assert_eq!(verdict([0x3400_0000, code, 0, 0]), PASSED, "{code:#04x}");
    }
    assert_eq!(verdict([0x0070_0001, 0x0F, 0x1000, 0]), TRANSLATED, "memory requests have any class");
}

#[test]
fn completions_carry_no_more_than_they_count() {
    let of = |length: u32, bytes: u32, lower: u32| verdict([0x4A00_0000 | length, bytes, lower, 0]);
    assert_eq!(of(1, 4, 0), PASSED);
    assert_eq!(of(2, 4, 0), malformed(CompletionLength));
    assert_eq!(of(2, 4, 1), PASSED);
    assert_eq!(of(2, 1, 3), malformed(CompletionLength));
    assert_eq!(of(1, 1, 3), PASSED);
    assert_eq!(of(2, 2, 3), PASSED);
    assert_eq!(of(64, 0, 0), PASSED, "4096 bytes are to come");
    assert_eq!(verdict([0x4B00_0002, 4, 0, 0]), malformed(CompletionLength));
    assert_eq!(verdict([0x0A00_0002, 4, 0, 0]), PASSED, "without data, Length is reserved");
    let larger = |machine: &mut config::Tlp| machine.max_payload_bytes = 4096;
    assert_eq!(judged(larger, None, [0x4A00_0000, 0xFFC, 0x04, 0]), malformed(CompletionLength));
    assert_eq!(judged(larger, None, [0x4A00_0000, 0xFFD, 0x04, 0]), PASSED);
}

/// Section 2.2.6.2, and of revision 4.0 for ten bits.
#[test]
fn tags() {
    let bits = |bits: u32| move |machine: &mut config::Tlp| machine.tag_bits = bits;
    let tag = |width: u32, doublewords: [u32; 4]| {
        let machine = config::Tlp { tag_bits: width, ..machine() };
        parse(&machine, &Inputs { header: header(doublewords), prefix: None }).header.unwrap().tag
    };
    // T9 and T8 set around TC.
    let read = [0x0088_0001, 0x0000_5A0F, 0x1000, 0];
    assert_eq!([tag(8, read), tag(10, read)], [0x5A, 0x35A]);
    assert_eq!(tag(10, [0x4A80_0001, 0x0004, 0x0000_A500, 0]), 0x2A5);
    assert_eq!(judged(bits(8), None, read), TRANSLATED, "T8 and T9 are reserved in 3.0: ignored");
    assert_eq!(judged(bits(5), None, [0x0000_0001, 0x1F0F, 0x1000, 0]), TRANSLATED);
    for upper in [0x20, 0x40, 0x80] {
        assert_eq!(judged(bits(5), None, [0x0000_0001, upper << 8 | 0x0F, 0x1000, 0]), dropped(TagTooWide));
        assert_eq!(judged(bits(5), None, [0x4000_0001, upper << 8 | 0x0F, 0x1000, 0]), TRANSLATED);
        assert_eq!(judged(bits(5), None, [0x3000_0000, upper << 8 | 0x7F, 0, 0]), PASSED);
        assert_eq!(judged(bits(5), None, [0x0A00_0000, 0x0004, upper << 8, 0]), dropped(TagTooWide));
        assert_eq!(judged(bits(5), None, [0x0A00_0000, upper << 8 | 0x0004, 0, 0]), PASSED);
    }
}

/// Of several things that are wrong, the first rule of the page is told.
#[test]
fn the_first_rule_that_is_broken() {
    assert_eq!(judged(|_| {}, Some(0x80), [0xFF00_0002, 0, 0, 0]), malformed(UndefinedTlp));
    assert_eq!(judged(|_| {}, Some(0x80), [0x0210_0002, 0, 0, 0]), malformed(UnsupportedPrefix));
    assert_eq!(verdict([0x0210_1402, 0xF0, 0, 0]), malformed(TrafficClass));
    assert_eq!(verdict([0x0200_1402, 0xF0, 0, 0]), malformed(SingleDoubleword));
    assert_eq!(verdict([0x0200_1401, 0xF0, 0, 0]), malformed(Attributes));
    assert_eq!(verdict([0x6000_0000, 0x00, 0, 0xFFC]), malformed(PayloadTooLarge));
    assert_eq!(verdict([0x6000_0020, 0x00, 0, 0xFFC]), malformed(LongAddress));
    assert_eq!(verdict([0x6000_0020, 0x00, 1, 0xFFC]), malformed(CrossesBoundary));
    let five_bits = |machine: &mut config::Tlp| machine.tag_bits = 5;
    assert_eq!(judged(five_bits, Some(0x91), [0x0100_0C01, 0xFF0F, 0xFEE0_0000, 0]), dropped(TagTooWide));
    assert_eq!(judged(|_| {}, Some(0x91), [0x0100_0C01, 0xFF0F, 0xFEE0_0000, 0]), refused(PasidRequest));
    assert_eq!(verdict([0x0100_0C01, 0xFF0F, 0xFEE0_0000, 0]), refused(TranslatedRequestBlocked));
    assert_eq!(verdict([0x0100_0001, 0xFF0F, 0xFEE0_0000, 0]), refused(LockedRead));
}

proptest! {
    /// What the standard calls reserved decides nothing: LN, PH, BCM, and T9 and T8 with tags of 8 bits.
    #[test]
    fn reserved_bits_are_ignored(doublewords in any::<[u32; 4]>(), byte in 0_usize..36, noise in any::<u8>()) {
        let bytes = [0x00, 0x20, 0x01, 0x21, 0x40, 0x60, 0x02, 0x42, 0x04, 0x44, 0x0A, 0x4A, 0x4C, 0x6C, 0x4E, 0x6E, 0x30, 0x74];
        let [mut first, mut second, mut third, mut fourth] = doublewords;
        first = first & 0x00FF_FFFF | bytes[byte % bytes.len()] << 24;
        let before = parsed([first, second, third, fourth]);
        let noise = u32::from(noise);
        first ^= noise << 17 & 0x8A << 16;
        match before.kind {
            Kind::Completion => second ^= noise << 12 & 0x1000,
            Kind::Message => fourth ^= noise,
            _ if first >> 29 & 1 == 1 => fourth ^= noise & 3,
            _ => third ^= noise & 3,
        }
        prop_assert_eq!(before, parsed([first, second, third, fourth]));
    }

    /// What a consumer may rely on.
    #[test]
    fn outputs_are_consistent(doublewords in any::<[u32; 4]>(), write in any::<bool>(), tame in any::<bool>()) {
        let [first, second, third, fourth] = doublewords;
        let seen = parsed(match (tame, write) {
            (false, _) => doublewords,
            (true, false) => [first & 0x3F, second | 0xFF, third & 0xFFFF_F3FC, fourth],
            (true, true) => [first & 0x3F | 0x6000_0000, second | 0xFF, third, fourth & 0xFFFF_F3FC],
        });
        prop_assert_eq!(seen.reason.is_some(), matches!(seen.verdict, Verdict::Refuse | Verdict::Drop | Verdict::Malformed));
        if let (Verdict::Translate, Some(said)) = (seen.verdict, seen.header) {
            let (address, count) = (said.address.unwrap(), u64::from(said.byte_count.unwrap()));
            prop_assert!(address % 4096 + u64::from(said.lower_address.unwrap()) % 4 + count <= 4096);
            prop_assert!((1..=4096).contains(&count));
            prop_assert_eq!(address >> 32 != 0, said.long);
        }
    }
}
