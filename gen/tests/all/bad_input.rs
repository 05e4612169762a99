//! Bad input, each with its text: configurations, overrides, entries, arguments. All of it exits with 2.

use crate::run::{paths, plant, scratch, tollgate};
use insta::assert_snapshot;
use tollgate_spec::config::SHIPPED;

/// What a call with bad arguments says; it writes nothing.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let scratch = scratch();
    let message = tollgate(scratch.path(), arguments).bad(2);
    assert_eq!(paths(scratch.path()), [""; 0]);
    message
}

/// What a build says of `default.toml` with one piece of text replaced; it writes nothing.
#[track_caller]
fn refused_file(from: &str, to: &str) -> String {
    let (_, text) = SHIPPED[1];
    assert_eq!(text.matches(from).count(), 1, "`{from}` must occur once");
    let scratch = scratch();
    plant(scratch.path(), "machine.toml", &text.replacen(from, to, 1));
    let message = tollgate(scratch.path(), &["build", "--config", "machine.toml"]).bad(2);
    assert_eq!(paths(scratch.path()).len(), 1);
    message
}

#[test]
fn an_unknown_key() {
    assert_snapshot!(refused_file("write_log = 7", "write_lock = 7"));
}

#[test]
fn a_missing_key() {
    assert_snapshot!(refused_file("iuid_bits = 10          # 1024 user domains", ""));
}

#[test]
fn a_wrong_type() {
    assert_snapshot!(refused_file("host_address_bits = 48", "host_address_bits = \"48\""));
}

#[test]
fn no_toml() {
    assert_snapshot!(refused_file("[data_path]", "[data_path"));
}

#[test]
fn zero_entries() {
    assert_snapshot!(refused_file("entries = 16            # logs", "entries = 0             # logs"));
}

#[test]
fn overlapping_bits() {
    assert_snapshot!(refused_file("write_log_data = 8      #", "write_log_data = 7      #"));
}

#[test]
fn more_user_domain_bits_than_fit() {
    assert_snapshot!(refused_file("iuid_bits = 10          #", "iuid_bits = 11          #"));
}

#[test]
fn a_name_that_is_no_folder() {
    assert_snapshot!(refused(&["build", "--config", "small", "--set", "name=\"../small\""]));
}

#[test]
fn an_unknown_configuration() {
    assert_snapshot!(refused(&["build", "--config", "huge"]));
}

#[test]
fn a_file_that_is_not_there() {
    assert_snapshot!(refused(&["build", "--config", "nowhere.toml"]));
}

#[test]
fn a_folder_as_a_file() {
    let scratch = scratch();
    std::fs::create_dir(scratch.path().join("folder.toml")).unwrap();
    assert_snapshot!(tollgate(scratch.path(), &["build", "--config", "folder.toml"]).bad(2));
}

#[test]
fn two_configurations_of_one_name() {
    assert_snapshot!(refused(&["build", "--config", "small", "--config", "small"]));
    assert!(refused(&["build", "--set", "name=same"]).contains("are called `same`"));
}

#[test]
fn an_override_of_nothing() {
    assert_snapshot!(refused(&["build", "--set", "pte.wirte_log=3"]));
}

#[test]
fn an_override_without_a_value() {
    assert_snapshot!(refused(&["check", "--set", "pte.write_log"]));
}

#[test]
fn an_override_that_breaks_a_rule_of_the_file() {
    assert_snapshot!(refused(&["config", "--config", "default", "--set", "pte.read_log=7"]));
}

#[test]
fn overrides_are_checked_by_every_command() {
    for command in ["build", "check", "list", "config"] {
        assert!(refused(&[command, "--set", "access_log_table.entries=0"]).contains("`access_log_table.entries` = 0"));
    }
    let message = refused(&["explain-pte", "0", "--set", "access_log_table.entries=0"]);
    assert!(message.contains("`access_log_table.entries` = 0"));
}

#[test]
fn an_entry_that_is_no_number() {
    assert_snapshot!(refused(&["explain-pte", "0x12g4"]));
}

#[test]
fn an_entry_with_a_letter_of_many_bytes() {
    assert_snapshot!(refused(&["explain-pte", "ß→1"]));
}

#[test]
fn an_entry_with_a_sign() {
    assert_snapshot!(refused(&["explain-pte", "-1"]));
}

#[test]
fn an_entry_without_a_digit() {
    assert_snapshot!(refused(&["explain-pte", "0x"]));
    assert!(refused(&["explain-pte", ""]).contains("it has no digit"));
}

#[test]
fn an_entry_of_too_many_bits() {
    assert_snapshot!(refused(&["explain-pte", "10000000000000000"]));
}

#[test]
fn a_level_that_is_none() {
    assert_snapshot!(refused(&["explain-pte", "0", "--level", "5"]));
}

#[test]
fn an_access_that_is_none() {
    assert_snapshot!(refused(&["explain-pte", "0", "--access", "execute"]));
}

#[test]
fn no_entry() {
    assert_snapshot!(refused(&["explain-pte"]));
}

#[test]
fn an_unknown_command() {
    assert_snapshot!(refused(&["biuld"]));
}
