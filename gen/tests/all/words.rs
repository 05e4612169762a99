//! The commands that answer in words: `explain-pte`, `config`, `list`.

use crate::run::{plant, scratch, tollgate};
use tollgate_spec::config::SHIPPED;

fn answer(arguments: &[&str]) -> String {
    tollgate(scratch().path(), arguments).good()
}

#[test]
fn an_entry_is_explained() {
    insta::assert_snapshot!(answer(&["explain-pte", "0x8010_0000_1234_5083", "--config", "default"]));
}

#[test]
fn the_level_decides_what_an_entry_is() {
    let entry = "8010000000200083";
    assert!(answer(&["explain-pte", entry]).contains("a leaf: maps the 4 KiB page"));
    assert!(answer(&["explain-pte", entry, "--level", "2"]).contains("a leaf: maps the 2 MiB page"));
    assert!(answer(&["explain-pte", "3003", "--level", "4"]).contains("leads to the table of level 3"));
}

#[test]
fn one_access_may_be_asked_for() {
    let lines = |arguments: &[&str]| -> Vec<String> {
        let text = answer(&[&["explain-pte", "8010000012345083"], arguments].concat());
        let about_accesses = text.lines().filter(|line| !line.starts_with("  ")).skip(2);
        about_accesses.map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(lines(&[]), ["read", "write", "atomic"]);
    assert_eq!(lines(&["--access", "read"]), ["read"]);
    assert_eq!(lines(&["--access", "write"]), ["write"]);
    assert_eq!(lines(&["--access", "atomic"]), ["atomic"]);
}

#[test]
fn legacy_mode_ignores_the_active_bits() {
    let explained = |arguments: &[&str]| answer(&[&["explain-pte", "8010000012345083"], arguments].concat());
    assert!(explained(&[]).contains("write recorded without data"));
    assert!(!explained(&["--legacy"]).contains("recorded without"));
    assert!(explained(&["--legacy"]).contains("legacy semantics"));
}

#[test]
fn overrides_move_the_bits_of_an_entry() {
    let moved = answer(&["explain-pte", "8010000012345083", "--set", "pte.write_log=2"]);
    assert!(moved.contains("     2  write_log           0"), "{moved}");
}

#[test]
fn a_configuration_says_where_its_values_come_from() {
    let sets = ["--set", "access_log_table.storage=flip_flops", "--set", "access_log_table.entries=0x8"];
    insta::assert_snapshot!(answer(&[&["config", "--config", "default"], &sets[..]].concat()));
}

#[test]
fn a_configuration_in_a_file_is_named_by_its_path() {
    let scratch = scratch();
    plant(scratch.path(), "machines/mine.toml", SHIPPED[0].1);
    let text = tollgate(scratch.path(), &["config", "--config", "machines/mine.toml", "--set", "name=mine"]).good();
    assert!(text.contains("\"mine\"") && text.contains(" # --set\n"), "{text}");
    assert!(text.contains(" # machines/mine.toml:"), "{text}");
}

#[test]
fn a_printed_configuration_can_be_built() {
    let scratch = scratch();
    let text = tollgate(scratch.path(), &["config", "--set", "name=again", "--set", "pte.iuid_bits=8"]).good();
    plant(scratch.path(), "again.toml", &text);
    tollgate(scratch.path(), &["build", "--config", "again.toml"]).good();
    tollgate(scratch.path(), &["check", "--set", "name=again", "--set", "pte.iuid_bits=8", "--config", "default"])
        .good();
}

#[test]
fn blocks_are_listed() {
    let text = answer(&["list", "--config", "small"]);
    assert!(text.starts_with("configurations: small, default, max, "), "{text}");
    let decoder = text.lines().find(|line| line.contains("active_access/pte_decoder")).expect("a line");
    insta::assert_snapshot!(decoder);
}

#[test]
fn help_names_the_exit_codes() {
    let text = answer(&["--help"]);
    assert!(text.contains("Exit codes: 0 done; 1 "), "{text}");
}
