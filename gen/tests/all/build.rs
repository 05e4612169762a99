//! `tollgate build`: what it writes, what it leaves alone, and what stops it.

use crate::run::{Answer, DECODER, MANIFEST, built, command, files, paths, plant, plant_manifest, scratch, tollgate};
use std::fs;
use std::process::Command;

const BUILD: [&str; 3] = ["build", "--config", "small"];

/// What changed between two states of a folder, by content or by time.
fn touched(before: &tempfile::TempDir, action: impl FnOnce()) -> Vec<String> {
    let old = files(before.path());
    action();
    let new = files(before.path());
    let mut touched: Vec<String> = new.keys().filter(|path| old.get(*path) != new.get(*path)).cloned().collect();
    touched.extend(old.keys().filter(|path| !new.contains_key(*path)).map(|path| format!("{path} (removed)")));
    touched
}

#[test]
fn all_shipped_configurations_are_built_by_default() {
    let scratch = scratch();
    let text = tollgate(scratch.path(), &["build"]).good();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("3 configurations in ")), "{text}");
    for config in ["small", "default", "max"] {
        for file in ["tollgate.f", "include/tollgate.h", "include/tollgate.rs", "config.toml", "MANIFEST"] {
            assert!(scratch.path().join("rtl-out").join(config).join(file).is_file(), "{config}: {file}");
        }
    }
}

#[test]
fn the_file_list_names_every_verilog_file_once() {
    let scratch = built();
    let folder = scratch.path().join("rtl-out/small");
    let mut listed: Vec<String> =
        fs::read_to_string(folder.join("tollgate.f")).unwrap().lines().map(str::to_owned).collect();
    listed.sort();
    let written: Vec<String> = files(&folder).into_keys().filter(|path| path.ends_with(".v")).collect();
    assert_eq!(listed, written);
}

#[test]
fn a_second_build_touches_nothing() {
    let scratch = built();
    let changed = touched(&scratch, || drop(tollgate(scratch.path(), &BUILD).good()));
    assert_eq!(changed, [""; 0]);
}

#[test]
fn a_changed_value_touches_only_the_files_that_depend_on_it() {
    let scratch = built();
    let set = ["build", "--config", "small", "--set", "cells.synchronizer.stages=5"];
    let changed = touched(&scratch, || drop(tollgate(scratch.path(), &set).good()));
    let expected = [
        "rtl-out/small/MANIFEST",
        "rtl-out/small/config.toml",
        "rtl-out/small/docs/ports/cells_synchronizer_5.md",
        "rtl-out/small/rtl/cells_synchronizer_5.v",
        "rtl-out/small/tollgate.f",
    ];
    let (removed, written): (Vec<String>, Vec<String>) =
        changed.into_iter().partition(|path| path.ends_with("(removed)"));
    assert_eq!(written, expected);
    assert_eq!(removed.len(), 2, "the old variant of the module, and its page: {removed:?}");
    assert!(removed.iter().all(|path| path.contains("cells_synchronizer_")), "{removed:?}");
}

#[test]
fn a_folder_that_holds_nothing_any_more_is_removed() {
    let scratch = built();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  zzz/old/gone.v\n";
    plant_manifest(scratch.path(), |lines| lines.to_owned() + empty);
    plant(scratch.path(), "rtl-out/small/zzz/old/gone.v", "");
    tollgate(scratch.path(), &BUILD).good();
    assert!(!scratch.path().join("rtl-out/small/zzz").exists());
    tollgate(scratch.path(), &["check", "--config", "small"]).good();
}

#[test]
fn an_edit_stops_the_build_of_all_configurations() {
    let scratch = built();
    plant(scratch.path(), DECODER, "// mine\n");
    let changed = touched(&scratch, || {
        let message = tollgate(scratch.path(), &["build"]).bad(1);
        insta::assert_snapshot!(message);
    });
    assert_eq!(changed, [""; 0], "neither `small` nor another configuration is written");
}

#[test]
fn an_edit_is_given_up_if_that_is_said() {
    let scratch = built();
    plant(scratch.path(), DECODER, "// mine\n");
    let overwrite = [&BUILD[..], &["--overwrite-edits"]].concat();
    let changed = touched(&scratch, || drop(tollgate(scratch.path(), &overwrite).good()));
    assert_eq!(changed, [DECODER]);
    tollgate(scratch.path(), &["check", "--config", "small"]).good();
}

#[test]
fn an_edited_file_that_is_no_longer_generated_is_protected_too() {
    let scratch = built();
    let module = files(scratch.path()).into_keys().find(|path| path.contains("rtl/cells_synchronizer_")).unwrap();
    plant(scratch.path(), &module, "// mine\n");
    let set = ["build", "--config", "small", "--set", "cells.synchronizer.stages=5"];
    assert!(tollgate(scratch.path(), &set).bad(1).contains(&module));
    assert_eq!(fs::read_to_string(scratch.path().join(&module)).unwrap(), "// mine\n");
    tollgate(scratch.path(), &[&set[..], &["--overwrite-edits"]].concat()).good();
    assert!(!scratch.path().join(&module).exists());
}

#[test]
fn a_file_that_no_build_wrote_stays() {
    let scratch = built();
    plant(scratch.path(), "rtl-out/small/rtl/mine.v", "// mine\n");
    tollgate(scratch.path(), &[&BUILD[..], &["--overwrite-edits"]].concat()).good();
    assert_eq!(fs::read_to_string(scratch.path().join("rtl-out/small/rtl/mine.v")).unwrap(), "// mine\n");
}

#[test]
fn a_file_in_the_way_is_not_overwritten() {
    let scratch = scratch();
    plant(scratch.path(), DECODER, "// written by hand before the first build\n");
    assert!(tollgate(scratch.path(), &BUILD).bad(1).contains(DECODER));
    assert_eq!(paths(&scratch.path().join("rtl-out/small/rtl")).len(), 1);
}

#[test]
fn a_manifest_with_a_merge_conflict_is_an_edit() {
    let scratch = built();
    plant_manifest(scratch.path(), |lines| format!("<<<<<<< ours\n{lines}"));
    an_edit_of_the_manifest_is_kept_until_given_up(&scratch);
}

#[test]
fn a_manifest_without_one_of_its_lines_is_an_edit() {
    let scratch = built();
    let text = fs::read_to_string(scratch.path().join(MANIFEST)).unwrap();
    let (_first, rest) = text.split_once('\n').unwrap();
    plant(scratch.path(), MANIFEST, rest);
    an_edit_of_the_manifest_is_kept_until_given_up(&scratch);
}

#[track_caller]
fn an_edit_of_the_manifest_is_kept_until_given_up(scratch: &tempfile::TempDir) {
    let changed = touched(scratch, || {
        let message = tollgate(scratch.path(), &BUILD).bad(1);
        assert!(message.contains(MANIFEST), "{message}");
    });
    assert_eq!(changed, [""; 0]);
    let overwrite = [&BUILD[..], &["--overwrite-edits"]].concat();
    let changed = touched(scratch, || drop(tollgate(scratch.path(), &overwrite).good()));
    assert_eq!(changed, [MANIFEST]);
}

#[test]
fn a_lost_manifest_is_written_again() {
    let scratch = built();
    fs::remove_file(scratch.path().join("rtl-out/small/MANIFEST")).unwrap();
    let changed = touched(&scratch, || drop(tollgate(scratch.path(), &BUILD).good()));
    assert_eq!(changed, ["rtl-out/small/MANIFEST"]);
}

#[test]
fn a_manifest_cannot_make_a_build_delete_files_elsewhere() {
    let scratch = built();
    plant(scratch.path(), "precious", "");
    let line = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ../../precious\n";
    plant_manifest(scratch.path(), |lines| line.to_owned() + lines);
    tollgate(scratch.path(), &[&BUILD[..], &["--overwrite-edits"]].concat()).good();
    assert!(scratch.path().join("precious").exists());
}

#[test]
fn an_unwritable_folder_is_named() {
    let scratch = scratch();
    plant(scratch.path(), "file", "");
    let message = tollgate(scratch.path(), &["build", "--config", "small", "--out", "file/below"]).bad(1);
    insta::assert_snapshot!(message);
    assert_eq!(paths(scratch.path()).len(), 1);
}

#[test]
fn a_folder_where_a_file_shall_be_is_named() {
    let scratch = scratch();
    fs::create_dir_all(scratch.path().join(DECODER)).unwrap();
    let message = tollgate(scratch.path(), &BUILD).bad(1);
    assert!(message.contains(&format!("cannot read {DECODER}")), "{message}");
}

/// A disk that takes no more after the first kilobytes, as the limit on the size of a file makes one.
#[cfg(unix)]
fn on_a_full_disk(folder: &tempfile::TempDir, arguments: &[&str]) -> Answer {
    let tollgate = command(folder.path());
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap "" XFSZ; ulimit -f 8; exec "$0" "$@""#]).arg(tollgate.get_program()).args(arguments);
    shell.current_dir(folder.path()).env("NO_COLOR", "1").env("LANG", "C.UTF-8").env_remove("LC_ALL");
    Answer::new(shell.output().expect("a shell runs"))
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_nothing_behind() {
    let scratch = scratch();
    let message = on_a_full_disk(&scratch, &BUILD).bad(1);
    insta::assert_snapshot!(message);
    assert_eq!(paths(scratch.path()), [""; 0], "no file, no folder, nothing temporary");
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_former_build_as_it_was() {
    let scratch = built();
    let set = ["build", "--config", "small", "--set", "access_log_table.entries=3"];
    let changed = touched(&scratch, || drop(on_a_full_disk(&scratch, &set).bad(1)));
    assert_eq!(changed, [""; 0]);
    tollgate(scratch.path(), &["check", "--config", "small"]).good();
}

#[test]
#[cfg(unix)]
fn files_have_the_permissions_of_ordinary_ones() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = built();
    plant(scratch.path(), "ordinary", "");
    let mode = |path: &str| fs::metadata(scratch.path().join(path)).unwrap().permissions().mode();
    assert_eq!(mode(DECODER), mode("ordinary"));
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_cannot_be_printed_is_a_failure() {
    let scratch = scratch();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command(scratch.path()).arg("config").stdout(full).output().unwrap();
    let message = Answer::new(output).bad(1);
    insta::assert_snapshot!(message);
}
