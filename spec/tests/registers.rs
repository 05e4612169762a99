//! What register maps hold, and how wrong ones are refused.

use miette::{GraphicalReportHandler, GraphicalTheme};
use tollgate_spec::access_log::ProgramError;
use tollgate_spec::registers::{Access, Legal, RegisterBlock, SHIPPED};
use tollgate_spec::source::{Refused, Source};

/// A small right map, for tests to break.
const MAP: &str = r#"block = "group/block"
meaning = "an example"
source = "none"
bytes = 16

[[register]]
name = "first"
offset = 0x0
bits = 32
meaning = "a register"
source = "none"

[[register.field]]
name = "mode"
low = 0
width = 2
access = "RW"
reset = 1
meaning = "a mode"
legal = "named"

[[register.field.value]]
value = 0
name = "off"
meaning = "nothing"

[[register.field.value]]
value = 1
name = "on"
meaning = "something"

[[register.field]]
name = "count"
low = 4
width = 8
access = "RW1C"
reset = 3
meaning = "a count"
legal = { within = { from = 1, to = 200 } }

[[register]]
name = "second"
offset = 0x8
bits = 64
meaning = "another register"
source = "none"

[[register.field]]
name = "step"
low = 0
width = 64
access = "RO"
reset = 8
meaning = "a step"
legal = { multiple_of = 8 }
"#;

fn read(edits: &[(&str, &str)]) -> Result<RegisterBlock, Refused> {
    let text = edits.iter().fold(MAP.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "`{from}` must occur");
        text.replacen(from, to, 1)
    });
    RegisterBlock::read(&Source::file("map.toml", text))
}

fn shown(refused: &Refused) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    handler.with_width(110).render_report(&mut text, refused).unwrap();
    text
}

fn messages(edits: &[(&str, &str)]) -> String {
    let refused = read(edits).expect_err("the map should be refused");
    let lines = refused.complaints().iter().map(|complaint| {
        let line = complaint.place().map_or(0, tollgate_spec::source::Place::line);
        format!("{line}: {complaint}\n")
    });
    lines.collect()
}

#[test]
fn shipped_maps_keep_all_rules() {
    for (key, _) in SHIPPED {
        let block = RegisterBlock::shipped(key).unwrap();
        let block = block.unwrap_or_else(|refused| panic!("{}", shown(&refused)));
        assert_eq!(block.block, key);
    }
    assert!(RegisterBlock::shipped("no/such").is_none());
}

#[test]
fn a_map_is_read_whole() {
    let block = read(&[]).unwrap();
    let first = block.register("first").unwrap();
    assert_eq!(first.offset, 0);
    assert_eq!(first.reset(), 1 | 3 << 4);
    let (mode, rule) = first.fields().next().unwrap();
    assert_eq!((rule.access, rule.legal), (Access::ReadWrite, Legal::Named));
    assert!(rule.legal.allows(mode, 1) && !rule.legal.allows(mode, 2));
    let (count, rule) = first.fields().nth(1).unwrap();
    assert_eq!(rule.access.abbreviation(), "RW1C");
    assert!(rule.legal.allows(count, 200) && !rule.legal.allows(count, 201));
    assert!(!rule.legal.allows(count, 0));
    let (step, rule) = block.register("second").unwrap().fields().next().unwrap();
    assert!(rule.legal.allows(step, 16) && !rule.legal.allows(step, 17));
    assert!(block.register("third").is_none());
}

#[test]
fn registers_are_sorted_by_offset() {
    let block = read(&[("offset = 0x0", "offset = 0x4"), ("offset = 0x8", "offset = 0x8")]).unwrap();
    assert!(block.registers.is_sorted_by_key(|register| register.offset));
    let swapped = [("bytes = 16", "bytes = 32"), ("offset = 0x0", "offset = 0x10"), ("offset = 0x8", "offset = 0x0")];
    let names: Vec<_> = read(&swapped).unwrap().registers.into_iter().map(|r| r.layout.name).collect();
    assert_eq!(names, ["second", "first"]);
}

/// The status register shows the error bits of the table where [`ProgramError`] puts them.
#[test]
fn status_of_the_access_log_table_has_the_error_bits() {
    let block = RegisterBlock::shipped("active_access/access_log_table").unwrap().unwrap();
    let status = &block.register("status").unwrap().layout;
    for error in ProgramError::ALL {
        let field = status.field(error.name()).unwrap();
        assert_eq!(field.range(), error.bit()..error.bit() + 1);
        assert_eq!(field.meaning, format!("1: {}", error.meaning()));
    }
}

#[test]
fn an_overlap_is_shown_at_both_places() {
    let refused = read(&[("low = 4", "low = 1")]).unwrap_err();
    insta::assert_snapshot!(shown(&refused));
}

#[test]
fn an_unknown_key_is_shown() {
    let refused = read(&[("reset = 3", "reset = 3\nsoftware = 1")]).unwrap_err();
    insta::assert_snapshot!(shown(&refused));
}

#[test]
fn a_wrong_type_is_shown() {
    let refused = read(&[("reset = 3", "reset = \"3\"")]).unwrap_err();
    insta::assert_snapshot!(shown(&refused));
}

#[test]
fn an_unknown_access_is_shown() {
    let refused = read(&[("\"RW1C\"", "\"RW1S\"")]).unwrap_err();
    insta::assert_snapshot!(shown(&refused));
}

#[test]
fn broken_rules_are_told_with_their_line() {
    insta::assert_snapshot!(
        [
            messages(&[("group/block", "block")]),
            messages(&[("group/block", "Group/block")]),
            messages(&[("meaning = \"an example\"", "meaning = \" \"")]),
            messages(&[("meaning = \"a mode\"", "meaning = \"a\\nmode\"")]),
            messages(&[("bytes = 16", "bytes = 24")]),
            messages(&[("bytes = 16", "bytes = 8")]),
            messages(&[("bits = 32", "bits = 16")]),
            messages(&[("offset = 0x8", "offset = 0x4")]),
            messages(&[("offset = 0x0", "offset = 0x8")]),
            messages(&[("name = \"second\"", "name = \"first\"")]),
            messages(&[("name = \"second\"", "name = \"2nd\"")]),
            messages(&[("name = \"count\"", "name = \"Count\"")]),
            messages(&[("name = \"count\"", "name = \"mode\"")]),
            messages(&[("name = \"on\"", "name = \"off\"")]),
            messages(&[("value = 1", "value = 4")]),
            messages(&[("width = 8", "width = 0")]),
            messages(&[("width = 8", "width = 29")]),
            messages(&[("width = 8", "width = 7")]),
            messages(&[("reset = 3", "reset = 256")]),
            messages(&[("reset = 3", "reset = 0")]),
            messages(&[("reset = 1", "reset = 2")]),
            messages(&[("from = 1, to = 200", "from = 2, to = 1")]),
            messages(&[("multiple_of = 8", "multiple_of = 0")]),
            messages(&[("legal = { within = { from = 1, to = 200 } }", "legal = \"named\"")]),
        ]
        .join("\n")
    );
}

#[test]
fn a_register_without_fields_is_refused() {
    let start = MAP.find("[[register.field]]\nname = \"step\"").unwrap();
    let text = &MAP[..start];
    let refused = RegisterBlock::read(&Source::file("map.toml", format!("{text}field = []\n"))).unwrap_err();
    assert_eq!(refused.complaints()[0].to_string(), "`second` has no field");
}
