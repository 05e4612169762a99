//! Entries in words, and texts that are no entries.

use tollgate_golden::explain::{explain, parse_entry};
use tollgate_spec::config::Config;
use tollgate_spec::pte::Level;

fn words(config: &str, entry: u64, level: Level, active: bool) -> String {
    explain(&Config::shipped(config, &[]).unwrap().pte, entry, level, active)
}

#[test]
fn an_active_put_page() {
    insta::assert_snapshot!(words("default", 0x8050_0000_1234_5180, Level::PageTable, true));
}

#[test]
fn a_logged_page_with_all_permissions() {
    insta::assert_snapshot!(words("small", 0x0500_0000_1234_507F, Level::PageTable, true));
}

#[test]
fn a_page_without_active_semantics() {
    insta::assert_snapshot!(words("default", 0x8050_0000_1234_5181, Level::PageTable, false));
}

#[test]
fn a_superpage_whose_page_size_is_a_log_bit() {
    insta::assert_snapshot!(words("default", 0x8050_0000_4000_0781, Level::PageDirectory, true));
}

#[test]
fn a_table() {
    insta::assert_snapshot!(words("default", 0x1234_5003, Level::PageMapLevel4, true));
}

#[test]
fn nothing() {
    insta::assert_snapshot!(words("default", 0, Level::PageTable, true));
}

#[test]
fn a_reserved_bit() {
    insta::assert_snapshot!(words("default", 0x0001_0000_0000_0003, Level::PageTable, true));
}

/// The page size is reserved in a PML4 entry, and does not make a superpage of it.
#[test]
fn the_page_size_of_a_pml4_entry() {
    let text = words("default", 0x1234_5081, Level::PageMapLevel4, true);
    assert_eq!(text.lines().nth(1), Some("reserved bits are set: 7"));
}

#[test]
fn hexadecimal_is_read_with_and_without_prefix() {
    assert_eq!(parse_entry("0x8050_0000_1234_5180"), Ok(0x8050_0000_1234_5180));
    assert_eq!(parse_entry("8050000012345180"), Ok(0x8050_0000_1234_5180));
    assert_eq!(parse_entry("0XfF"), Ok(0xFF));
    assert_eq!(parse_entry("0"), Ok(0));
    assert_eq!(parse_entry("0x00000000000000000001"), Ok(1));
    assert_eq!(parse_entry("ffff_ffff_ffff_ffff"), Ok(u64::MAX));
}

#[test]
fn what_is_no_entry_is_told() {
    let error = |text| parse_entry(text).unwrap_err().to_string();
    let no_digit = "it has no digit; an entry is 1 to 16 hexadecimal digits";
    assert_eq!(error(""), format!("`` is no paging entry: {no_digit}"));
    assert_eq!(error("0x"), format!("`0x` is no paging entry: {no_digit}"));
    assert_eq!(error("_"), format!("`_` is no paging entry: {no_digit}"));
    assert_eq!(error("0x12g4"), "`0x12g4` is no paging entry: `g` at place 5 is no hexadecimal digit");
    assert_eq!(error("-1"), "`-1` is no paging entry: `-` at place 1 is no hexadecimal digit");
    assert_eq!(error("1 2"), "`1 2` is no paging entry: ` ` at place 2 is no hexadecimal digit");
    assert_eq!(error("€"), "`€` is no paging entry: `€` at place 1 is no hexadecimal digit");
    assert_eq!(
        error("0x1_0000_0000_0000_0000"),
        "`0x1_0000_0000_0000_0000` is no paging entry: it has 17 digits; 64 bits are 16 digits"
    );
}
