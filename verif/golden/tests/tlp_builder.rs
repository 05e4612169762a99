//! The builder: headers written out by hand from the standard, byte by byte, and what goes out for them.

use tollgate_golden::iommu::tlp_builder::{Completion, completion, forwarded};
use tollgate_golden::iommu::tlp_parser::{Inputs, parse};
use tollgate_spec::config::{self, Config};
use tollgate_spec::tlp::Status::{self, *};

/// Tags of so many bits, payloads of 256 bytes, reads of 4096, interrupts and AtomicOps.
fn machine(tag_bits: u32) -> config::Tlp {
    let sets = [format!("tlp.tag_bits={tag_bits}")];
    Config::shipped("default", &sets).unwrap().tlp
}

/// A header as a bus trace shows it.
fn header(doublewords: [u32; 4]) -> u128 {
    doublewords.into_iter().fold(0, |header, doubleword| header << 32 | u128::from(doubleword))
}

/// A header as the bus trace shows it that goes on.
fn shown(header: u128) -> [u32; 4] {
    [96, 64, 32, 0].map(|low| (header >> low) as u32)
}

fn translated(doublewords: [u32; 4], frame: u64) -> [u32; 4] {
    shown(forwarded(header(doublewords), Some(frame)))
}

fn passed(doublewords: [u32; 4]) -> [u32; 4] {
    shown(forwarded(header(doublewords), None))
}

/// How the unit, which is 00:01.0, completes a request.
fn answer(tag_bits: u32, request: [u32; 4], status: Status, payload: u32) -> Option<[u32; 4]> {
    let machine = machine(tag_bits);
    let request = parse(&machine, &Inputs { header: header(request), prefix: None });
    let said = Completion::of(&request, status, payload)?;
    Some(shown(completion(&machine, 0x0008, &said)))
}

const READ: [u32; 4] = [0x0000_0004, 0x0100_0CFF, 0x1000_0040, 0];

#[test]
fn a_frame_takes_the_place_of_the_page() {
    assert_eq!(translated(READ, 0x1_2345), [0x0000_0004, 0x0100_0CFF, 0x1234_5040, 0]);
    let last = [0x0000_0001, 0x0100_0C0F, 0x0000_0FFC, 0];
    assert_eq!(translated(last, 0), [0x0000_0001, 0x0100_0C0F, 0x0000_0FFC, 0]);
}

#[test]
fn below_4_gib_an_address_is_short() {
    assert_eq!(translated(READ, 0xF_FFFF), [0x0000_0004, 0x0100_0CFF, 0xFFFF_F040, 0]);
    assert_eq!(translated(READ, 0x10_0000), [0x2000_0004, 0x0100_0CFF, 0x0000_0001, 0x0000_0040]);
    let long = [0x2000_0004, 0x0100_0CFF, 0x0000_0009, 0x8765_4A80];
    assert_eq!(translated(long, 0x1), [0x0000_0004, 0x0100_0CFF, 0x0000_1A80, 0]);
    assert_eq!(translated(long, 0x12_3456_789A), [0x2000_0004, 0x0100_0CFF, 0x0001_2345, 0x6789_AA80]);
}

#[test]
fn a_write_loses_digest_relaxed_and_id_based_ordering() {
    // TC 5, IDO, TD, EP, RO, NS.
    let write = [0x6054_F002, 0xBEEF_A53E, 0x0000_0001, 0x2345_6788];
    assert_eq!(translated(write, 0xA_BCDE), [0x4050_5002, 0xBEEF_A53E, 0xABCD_E788, 0]);
    let interrupt = [0x4004_F001, 0x0100_000F, 0xFEE0_1004, 0];
    assert_eq!(passed(interrupt), [0x4000_5001, 0x0100_000F, 0xFEE0_1004, 0]);
}

#[test]
fn what_is_no_write_loses_the_digest_alone() {
    let read = [0x2054_B001, 0x0100_0C0F, 0x0000_0001, 0x0000_0040];
    assert_eq!(translated(read, 0x2), [0x0054_3001, 0x0100_0C0F, 0x0000_2040, 0]);
    // A FetchAdd of 4 bytes.
    let atomic = [0x4C54_F001, 0x0100_0C00, 0x1000_0040, 0];
    assert_eq!(translated(atomic, 0x3), [0x4C54_7001, 0x0100_0C00, 0x0000_3040, 0]);
    let message = [0x3404_8000, 0x0100_0020, 0x1234_5678, 0x9ABC_DEF0];
    assert_eq!(passed(message), [0x3404_0000, 0x0100_0020, 0x1234_5678, 0x9ABC_DEF0]);
    // Four bytes, of a request of 00:03.0 with RO.
    let completion = [0x4A00_A001, 0x0100_0004, 0x0018_0C40, 0xDEAD_BEEF];
    assert_eq!(passed(completion), [0x4A00_2001, 0x0100_0004, 0x0018_0C40, 0]);
}

#[test]
fn hints_go_with_the_address() {
    let short = [0x4001_0001, 0x0100_420F, 0x0000_1002, 0];
    assert_eq!(translated(short, 0x40_0001), [0x6001_0001, 0x0100_420F, 0x0000_0004, 0x0000_1002]);
    let long = [0x2001_0001, 0x0100_4233, 0x0000_0001, 0x0000_1001];
    assert_eq!(translated(long, 0x7), [0x0001_0001, 0x0100_4233, 0x0000_7001, 0]);
}

#[test]
fn reads_that_fail_say_how_much_was_asked_for() {
    assert_eq!(answer(8, READ, UnsupportedRequest, 0), Some([0x0A00_0000, 0x0008_2010, 0x0100_0C40, 0]));
    // 4096 bytes are written as 0.
    let page = [0x2000_0000, 0x0100_0CFF, 0x0000_0001, 0x0000_1000];
    assert_eq!(answer(8, page, CompleterAbort, 0), Some([0x0A00_0000, 0x0008_8000, 0x0100_0C00, 0]));
    // Bytes 1 to 2 of the doubleword at 0x7C.
    let inside = [0x0000_0001, 0x0100_0C06, 0x0000_007C, 0];
    assert_eq!(answer(8, inside, UnsupportedRequest, 0), Some([0x0A00_0000, 0x0008_2002, 0x0100_0C7D, 0]));
    assert_eq!(answer(8, READ, UnsupportedRequest, 4), answer(8, READ, UnsupportedRequest, 0));
}

#[test]
fn reads_that_succeed_have_their_data() {
    assert_eq!(answer(8, READ, Successful, 4), Some([0x4A00_0004, 0x0008_0010, 0x0100_0C40, 0]));
    let page = [0x2000_0000, 0x0100_0CFF, 0x0000_0001, 0x0000_1000];
    assert_eq!(answer(8, page, Successful, 1024), Some([0x4A00_0000, 0x0008_0000, 0x0100_0C00, 0]));
    // A flush: no byte is enabled, and one doubleword comes.
    let flush = [0x0000_0001, 0x0100_0C00, 0x0000_1004, 0];
    assert_eq!(answer(8, flush, Successful, 1), Some([0x4A00_0001, 0x0008_0001, 0x0100_0C04, 0]));
}

#[test]
fn other_requests_fail_in_their_own_way() {
    let locked = [0x0100_0001, 0x0100_0C0F, 0x0000_1000, 0];
    assert_eq!(answer(8, locked, UnsupportedRequest, 0), Some([0x0B00_0000, 0x0008_2004, 0x0100_0C00, 0]));
    // CAS of 8 bytes, whose payload is twice that, at 0x1048: the lower address is reserved.
    let atomic = [0x4E00_0004, 0x0100_0C00, 0x0000_1048, 0];
    assert_eq!(answer(8, atomic, UnsupportedRequest, 0), Some([0x0A00_0000, 0x0008_2008, 0x0100_0C00, 0]));
    // One byte of an I/O port: always 4.
    let io = [0x4200_0001, 0x0100_0C02, 0x0000_03F4, 0];
    assert_eq!(answer(8, io, UnsupportedRequest, 0), Some([0x0A00_0000, 0x0008_2004, 0x0100_0C00, 0]));
    let configuration = [0x0400_0001, 0x0100_0C0F, 0x0200_0010, 0];
    assert_eq!(answer(8, configuration, UnsupportedRequest, 0), Some([0x0A00_0000, 0x0008_2004, 0x0100_0C00, 0]));
}

#[test]
fn class_attributes_and_all_bits_of_the_tag_come_back() {
    // T9, TC 5, T8, IDO, RO, NS, and a digest, which does not.
    let read = [0x00DC_B001, 0xBEEF_A50F, 0x0000_1000, 0];
    assert_eq!(answer(10, read, CompleterAbort, 0), Some([0x0ADC_3000, 0x0008_8004, 0xBEEF_A500, 0]));
    // Without tags of ten bits, T9 and T8 are reserved.
    assert_eq!(answer(8, read, CompleterAbort, 0), Some([0x0A54_3000, 0x0008_8004, 0xBEEF_A500, 0]));
}

#[test]
fn what_is_posted_is_not_completed() {
    assert_eq!(answer(8, [0x4000_0001, 0x0100_0C0F, 0x0000_1000, 0], UnsupportedRequest, 0), None);
    assert_eq!(answer(8, [0x3000_0000, 0x0100_007F, 0, 0], UnsupportedRequest, 0), None);
    assert_eq!(answer(8, [0x0A00_0000, 0x0100_0004, 0x0100_0C00, 0], UnsupportedRequest, 0), None);
}

fn said() -> Completion {
    let read = parse(&machine(8), &Inputs { header: header(READ), prefix: None });
    Completion::of(&read, Successful, 4).unwrap()
}

#[test]
#[should_panic(expected = "tag 0x100 does not fit 8 bits")]
fn a_tag_fits_the_configuration() {
    completion(&machine(8), 0, &Completion { tag: 0x100, ..said() });
}

#[test]
#[should_panic(expected = "0 is no byte count")]
fn nothing_to_come_is_no_completion() {
    completion(&machine(8), 0, &Completion { byte_count: 0, ..said() });
}

#[test]
#[should_panic(expected = "1025 doublewords do not fit a TLP")]
fn a_payload_fits_a_tlp() {
    completion(&machine(8), 0, &Completion { payload: 1025, ..said() });
}

#[test]
#[should_panic(expected = "0x80 is no lower address")]
fn a_lower_address_has_seven_bits() {
    completion(&machine(8), 0, &Completion { lower_address: 0x80, ..said() });
}

#[test]
#[should_panic(expected = "there is no traffic class 8")]
fn there_are_eight_traffic_classes() {
    completion(&machine(8), 0, &Completion { traffic_class: 8, ..said() });
}
