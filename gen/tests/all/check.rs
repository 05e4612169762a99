//! `tollgate check`: each state of a file, and a cure that cures.

use crate::run::{Answer, DECODER, MANIFEST, built, files, plant, plant_manifest, sha256, tollgate};
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const CHECK: [&str; 3] = ["check", "--config", "small"];

/// What `check` prints about files that are not fresh, then its message; it touches nothing.
fn findings(scratch: &TempDir) -> String {
    let before = files(scratch.path());
    let Answer { code, stdout, stderr } = tollgate(scratch.path(), &CHECK);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(before == files(scratch.path()), "`check` touches nothing");
    let (first, rest) = stdout.split_once('\n').expect("a line about the folder");
    assert!(first.starts_with("rtl-out/small: ") && first.ends_with(" fresh"), "{first}");
    format!("{rest}{stderr}")
}

/// Runs the commands that a message recommends, and checks that they cure.
fn cured(scratch: &TempDir, message: &str) {
    let command = |line: &str| {
        let line = line.trim();
        let build = line.strip_prefix("cargo run --release -- ").map(|arguments| format!("$TOLLGATE {arguments}"));
        build.or_else(|| line.starts_with("rm ").then(|| line.to_owned()))
    };
    let commands: Vec<String> = message.lines().filter_map(command).collect();
    assert!(!commands.is_empty(), "{message}");
    for command in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(scratch.path()).env("TOLLGATE", env!("CARGO_BIN_EXE_tollgate"));
        Answer::new(shell.output().expect("a shell runs")).good();
    }
    tollgate(scratch.path(), &CHECK).good();
}

#[test]
fn a_fresh_folder_is_fresh() {
    let scratch = built();
    let count = files(scratch.path()).len();
    assert_eq!(tollgate(scratch.path(), &CHECK).good(), format!("rtl-out/small: {count} files fresh\n"));
}

#[test]
fn a_stale_file_is_found() {
    let scratch = built();
    // What a build of another version would have left: the file, and its hash.
    plant(scratch.path(), DECODER, "// old\n");
    let path = "rtl/active_access_pte_decoder.v";
    let hash = sha256(&scratch.path().join(DECODER));
    let line = |line: &str| if line.ends_with(path) { format!("{hash}  {path}\n") } else { format!("{line}\n") };
    plant_manifest(scratch.path(), |lines| lines.lines().map(line).collect());

    let message = findings(&scratch);
    insta::assert_snapshot!(message);
    cured(&scratch, &message);
}

#[test]
fn the_manifest_is_one_of_sha256sum() {
    let scratch = built();
    let folder = scratch.path().join("rtl-out/small");
    let mut sha256sum = Command::new("sha256sum");
    sha256sum.args(["--check", "--strict", "--quiet", "MANIFEST"]).current_dir(folder);
    Answer::new(sha256sum.output().expect("sha256sum runs")).good();
}

#[test]
fn an_edited_manifest_is_found() {
    let scratch = built();
    // The hash of another text, as whoever edits a file might write it to have the edit taken for a build's.
    plant(scratch.path(), DECODER, "// mine\n");
    let path = "rtl/active_access_pte_decoder.v";
    let hash = sha256(&scratch.path().join(DECODER));
    let line = |line: &str| if line.ends_with(path) { format!("{hash}  {path}\n") } else { format!("{line}\n") };
    let text = fs::read_to_string(scratch.path().join(MANIFEST)).unwrap();
    plant(scratch.path(), MANIFEST, &text.lines().map(line).collect::<String>());
    let message = findings(&scratch);
    insta::assert_snapshot!(message);
    cured(&scratch, &message);
}

#[test]
fn an_edited_file_is_found() {
    let scratch = built();
    plant(scratch.path(), DECODER, "// mine\n");
    let message = findings(&scratch);
    insta::assert_snapshot!(message);
    cured(&scratch, &message);
}

#[test]
fn a_missing_file_is_found() {
    let scratch = built();
    fs::remove_file(scratch.path().join(DECODER)).unwrap();
    let message = findings(&scratch);
    insta::assert_snapshot!(message);
    cured(&scratch, &message);
}

#[test]
fn an_extra_file_is_found() {
    let scratch = built();
    plant(scratch.path(), "rtl-out/small/rtl/it's mine.v", "// mine\n");
    let message = findings(&scratch);
    insta::assert_snapshot!(message);
    cured(&scratch, &message);
}

#[test]
fn what_another_configuration_left_is_found() {
    let scratch = built();
    tollgate(scratch.path(), &["build", "--config", "small", "--set", "cells.synchronizer.stages=5"]).good();
    let message = findings(&scratch);
    insta::assert_snapshot!(message);
    cured(&scratch, &message);
}

#[test]
fn a_folder_that_was_never_built_is_missing() {
    let scratch = built();
    let message = tollgate(scratch.path(), &["check", "--config", "max", "--set", "name=other", "--out", "a b"]).bad(1);
    let (_count, rest) = message.split_once(" files are not fresh\n").expect("all of them");
    insta::assert_snapshot!(rest);
}
