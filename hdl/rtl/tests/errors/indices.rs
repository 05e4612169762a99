//! Loops, recurrences and their indices.

use crate::drivers::{InverterPorts, inverter};
use crate::support::{block, fine};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

#[test]
fn positions_fit_their_width() {
    let text = block(|_, io| io.out.set(io.wide.array().position("first", 2).extend(8)));
    assert_snapshot!(text, @r#"
    block: the last of 8 elements is number 7 and does not fit 2 bits
      --> `let text = block(|_, io| io.out.set(io.wide.array().position("first", 2).extend(8)));`: here
      --> `pub wide: Input<Bits<8>>,`: the elements come from here
    "#);
}

#[test]
fn what_searches_an_array_is_of_its_module() {
    let text = block(|m, io| {
        let searcher = module("searcher", InverterPorts::shape(&()), |m, inner| {
            m.describe("Searches in the module around.");
            m.ignore("plain", inner.plain, "not what is tested");
            let position = io.wide.array().position("position", 8);
            let chosen = io.wide.array().select("chosen", inner.plain.array());
            let taken = inner.plain.array().select("taken", io.wide.array());
            inner.inverted.set(position ^ chosen.repeat(8) ^ taken.repeat(8));
        });
        let searcher = m.instance("searcher", &searcher);
        searcher.plain.set(io.wide);
        io.out.set(searcher.inverted);
    });
    assert_snapshot!(text, @r#"
    searcher: `wide` belongs to `block`, not to `searcher`: signals cross modules through ports only
      --> `let position = io.wide.array().position("position", 8);`: used here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.searcher`
    searcher: `wide` belongs to `block`, not to `searcher`: signals cross modules through ports only
      --> `let chosen = io.wide.array().select("chosen", inner.plain.array());`: used here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.searcher`
    searcher: `wide` belongs to `block`, not to `searcher`: signals cross modules through ports only
      --> `let taken = inner.plain.array().select("taken", io.wide.array());`: used here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.searcher`
    "#);
}

#[test]
fn an_index_stays_in_its_loop() {
    let text = block(|_, io| {
        let mut escaped = None;
        each("lane", 4, |i| {
            escaped = Some(i);
            io.narrow.array().at(i)
        });
        let i = escaped.expect("the closure ran");
        io.out.bit(0).set(io.narrow.array().at(i));
        io.out.set(i.bits(8));
        when(io.wide.equals(i), || io.out.set(1));
    });
    assert_snapshot!(text, @r#"
    block: an index is used outside of its loop
      --> `io.out.bit(0).set(io.narrow.array().at(i));`: used here
      --> `each("lane", 4, |i| {`: the loop
      help: it stands for all iterations at once, in the closure of its loop alone
    block: an index is used outside of its loop
      --> `io.out.set(i.bits(8));`: used here
      --> `each("lane", 4, |i| {`: the loop
      help: it stands for all iterations at once, in the closure of its loop alone
    block: an index is used outside of its loop
      --> `when(io.wide.equals(i), || io.out.set(1));`: used here
      --> `each("lane", 4, |i| {`: the loop
      help: it stands for all iterations at once, in the closure of its loop alone
    "#);
}

#[test]
fn what_depends_on_an_index_stays_in_its_loop() {
    let text = block(|_, io| {
        let mut escaped = None;
        each("lane", 4, |i| {
            let hit = io.narrow.array().at(i) & io.go;
            escaped = Some(hit);
            hit
        });
        let hit = escaped.expect("the closure ran");
        when(hit, || io.out.set(1));
    });
    assert_snapshot!(text, @r#"
    block: the result of `&` depends on the index of `lane` and is used outside of it
      --> `when(hit, || io.out.set(1));`: used here
      --> `let hit = io.narrow.array().at(i) & io.go;`: the result of `&` comes from here
      --> `each("lane", 4, |i| {`: the loop
      help: return it from the closure: the loop then gives one value for each index
    "#);
}

#[test]
fn a_running_value_stays_in_its_recurrence() {
    let text = block(|_, io| {
        let mut escaped = None;
        let total = fold("total", 4, io.go, |i, so_far: Bit| {
            escaped = Some(so_far);
            so_far ^ io.narrow.array().at(i)
        });
        let so_far = escaped.expect("the closure ran");
        io.out.set((total & so_far).repeat(8));
    });
    assert_snapshot!(text, @r#"
    block: `total_so_far` depends on the index of `total` and is used outside of it
      --> `io.out.set((total & so_far).repeat(8));`: used here
      --> `let total = fold("total", 4, io.go, |i, so_far: Bit| {`: `total_so_far` comes from here
      --> `let total = fold("total", 4, io.go, |i, so_far: Bit| {`: the loop
      help: return it from the closure: the loop then gives one value for each index
    "#);
}

#[test]
fn an_index_fits_its_width() {
    let text = block(|_, io| {
        each("lane", 17, |i| {
            when(io.narrow.equals(i), || io.out.set(1));
        });
    });
    assert_snapshot!(text, @r#"
    block: the index of `lane` goes up to 16 and does not fit 4 bits
      --> `when(io.narrow.equals(i), || io.out.set(1));`: used here
      --> `each("lane", 17, |i| {`: the loop
       in each `lane` at `each("lane", 17, |i| {`
    "#);
}

#[test]
fn a_loop_is_no_longer_than_its_arrays() {
    let text = block(|m, io| {
        let rows = m.reg_array("rows", 4, bits(2));
        each("row", 5, |i| rows.at(i).set(1));
        io.out.set(rows.at(4usize).extend(8));
    });
    assert_snapshot!(text, @r#"
    block: `row` runs over 5 indices, the array has 4 elements
      --> `each("row", 5, |i| rows.at(i).set(1));`: here
      --> `each("row", 5, |i| rows.at(i).set(1));`: the loop
      --> `let rows = m.reg_array("rows", 4, bits(2));`: the array comes from here
       in each `row` at `each("row", 5, |i| rows.at(i).set(1));`
    block: there is no element 4: the array has 4
      --> `io.out.set(rows.at(4usize).extend(8));`: here
      --> `let rows = m.reg_array("rows", 4, bits(2));`: the array comes from here
    "#);
}

#[test]
fn a_loop_runs_over_something() {
    let text = block(|_, io| {
        let nothing = each("nothing", 0, |_| io.go);
        let none = fold("none", 0, io.go, |_, so_far: Bit| !so_far);
        io.out.set((nothing.any() & none).repeat(8));
    });
    assert_snapshot!(text, @r#"
    block: `nothing` runs over nothing
      --> `let nothing = each("nothing", 0, |_| io.go);`: 0 iterations
      help: counts start at 1
    block: `none` runs over nothing
      --> `let none = fold("none", 0, io.go, |_, so_far: Bit| !so_far);`: 0 iterations
      help: counts start at 1
    "#);
}

#[test]
fn a_loop_declares_nothing() {
    let text = block(|m, io| {
        each("lane", 4, |i| {
            let chosen = m.wire("chosen", bit());
            chosen.set(io.narrow.array().at(i));
            let kept = m.reg("kept", bit());
            kept.set(m.named("hit", io.go & io.narrow.array().at(i)));
            let inverter = m.instance("inverter", &inverter());
            m.memory("words", 4, bits(8)).write(io.narrow, inverter.inverted);
        });
    });
    assert_snapshot!(text, @r#"
    block: `chosen` is declared in a loop: it would be one for all iterations
      --> `let chosen = m.wire("chosen", bit());`: declared here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
      help: declare an array before the loop, and use its element there
    block: `kept` is declared in a loop: it would be one for all iterations
      --> `let kept = m.reg("kept", bit());`: declared here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
      help: declare an array before the loop, and use its element there
    block: `hit` is declared in a loop: it would be one for all iterations
      --> `kept.set(m.named("hit", io.go & io.narrow.array().at(i)));`: declared here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
      help: declare an array before the loop, and use its element there
    block: `inverter` is declared in a loop: it would be one for all iterations
      --> `let inverter = m.instance("inverter", &inverter());`: declared here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
      help: declare an array before the loop, and use its element there
    block: `words` is declared in a loop: it would be one for all iterations
      --> `m.memory("words", 4, bits(8)).write(io.narrow, inverter.inverted);`: declared here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
      help: declare an array before the loop, and use its element there
    block: memory `words` is written in a loop
      --> `m.memory("words", 4, bits(8)).write(io.narrow, inverter.inverted);`: written here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
      help: each write is a port: write once, with a computed address
    "#);
}

#[test]
fn what_is_noted_once_depends_on_no_index() {
    let text = block(|m, io| {
        each("lane", 4, |i| {
            m.ignore("lane", io.narrow.array().at(i), "tested");
            m.probe("lane", io.narrow.array().at(i));
        });
    });
    assert_snapshot!(text, @r#"
    block: `narrow[lane]` depends on the index of `lane`: ignore the array, outside of the loop
      --> `m.ignore("lane", io.narrow.array().at(i), "tested");`: here
      --> `m.ignore("lane", io.narrow.array().at(i), "tested");`: `narrow[lane]` comes from here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
    block: `narrow[lane]` depends on the index of `lane`: show the array, outside of the loop
      --> `m.probe("lane", io.narrow.array().at(i));`: here
      --> `m.ignore("lane", io.narrow.array().at(i), "tested");`: `narrow[lane]` comes from here
      --> `each("lane", 4, |i| {`: the loop
       in each `lane` at `each("lane", 4, |i| {`
    "#);
}

#[test]
fn a_recurrence_has_no_statements() {
    let text = block(|m, io| {
        let words = m.memory("words", 4, bits(8));
        let total = fold("total", 4, io.go, |i, so_far: Bit| {
            when(so_far, || io.out.set(i.bits(8)));
            when(io.go, || ());
            m.assert("never", so_far);
            words.write(io.narrow, io.wide);
            so_far ^ io.narrow.array().at(i)
        });
        scan("totals", 4, total, |i, so_far: Bit| {
            io.out.bit(0).set(so_far);
            (so_far ^ io.narrow.array().at(i), so_far)
        });
    });
    assert_snapshot!(text, @r#"
    block: a recurrence has no statements: its closure gives values only
      --> `when(so_far, || io.out.set(i.bits(8)));`: here
      --> `let total = fold("total", 4, io.go, |i, so_far: Bit| {`: the recurrence
       in when at `when(so_far, || io.out.set(i.bits(8)));`
       in fold `total` at `let total = fold("total", 4, io.go, |i, so_far: Bit| {`
    block: a recurrence has no statements: its closure gives values only
      --> `m.assert("never", so_far);`: here
      --> `let total = fold("total", 4, io.go, |i, so_far: Bit| {`: the recurrence
       in fold `total` at `let total = fold("total", 4, io.go, |i, so_far: Bit| {`
    block: memory `words` is written in a loop
      --> `words.write(io.narrow, io.wide);`: written here
      --> `let total = fold("total", 4, io.go, |i, so_far: Bit| {`: the loop
       in fold `total` at `let total = fold("total", 4, io.go, |i, so_far: Bit| {`
      help: each write is a port: write once, with a computed address
    block: a recurrence has no statements: its closure gives values only
      --> `io.out.bit(0).set(so_far);`: here
      --> `scan("totals", 4, total, |i, so_far: Bit| {`: the recurrence
       in scan `totals` at `scan("totals", 4, total, |i, so_far: Bit| {`
    "#);
}

#[test]
fn a_recurrence_stands_alone() {
    let text = block(|_, io| {
        each("row", 4, |row| {
            fold("total", 4, io.go, |i, so_far: Bit| so_far ^ io.wide.array().at(i) ^ io.go & io.narrow.array().at(row))
        });
        fold("outer", 4, io.go, |_, outer: Bit| outer ^ each("lane", 4, |i| io.narrow.array().at(i)).any());
        fold("first", 4, io.go, |_, first: Bit| first ^ fold("second", 4, io.go, |_, second: Bit| !second));
    });
    assert_snapshot!(text, @r#"
    block: fold `total` inside each `row`
      --> `fold("total", 4, io.go, |i, so_far: Bit| so_far ^ io.wide.array().at(i) ^ io.go & io.narrow.array().at(row))`: here
      --> `each("row", 4, |row| {`: the loop around it
       in each `row` at `each("row", 4, |row| {`
      help: a recurrence stands outside of loops
    block: `each` inside fold `outer`
      --> `fold("outer", 4, io.go, |_, outer: Bit| outer ^ each("lane", 4, |i| io.narrow.array().at(i)).any());`: here
      --> `fold("outer", 4, io.go, |_, outer: Bit| outer ^ each("lane", 4, |i| io.narrow.array().at(i)).any());`: the recurrence
       in fold `outer` at `fold("outer", 4, io.go, |_, outer: Bit| outer ^ each("lane", 4, |i| io.narrow.array().at(i)).any());`
      help: a recurrence has no loops in it
    block: fold `second` inside fold `first`
      --> `fold("first", 4, io.go, |_, first: Bit| first ^ fold("second", 4, io.go, |_, second: Bit| !second));`: here
      --> `fold("first", 4, io.go, |_, first: Bit| first ^ fold("second", 4, io.go, |_, second: Bit| !second));`: the loop around it
       in fold `first` at `fold("first", 4, io.go, |_, first: Bit| first ^ fold("second", 4, io.go, |_, second: Bit| !second));`
      help: a recurrence stands outside of loops
    "#);
}

#[test]
fn a_running_value_keeps_its_width() {
    let text = block(|_, io| {
        io.out.set(fold("total", 4, io.narrow, |_, so_far: Bits| so_far * so_far));
    });
    assert_snapshot!(text, @r#"
    block: the running value of `total` starts with 4 bits and goes on with 8
      --> `io.out.set(fold("total", 4, io.narrow, |_, so_far: Bits| so_far * so_far));`: here
      --> `pub narrow: Input<Bits<4>>,`: the first value comes from here
      --> `io.out.set(fold("total", 4, io.narrow, |_, so_far: Bits| so_far * so_far));`: the next value comes from here
    "#);
}

#[test]
fn loops_nest() {
    fine(|_, io| {
        let table =
            each("row", 4, |row| each("column", 2, |column| io.narrow.array().at(row) & io.wide.array().at(column)));
        when(io.go, || {
            let lanes = each("lane", 8, |i| io.wide.array().at(i) ^ io.go);
            io.out.set(lanes.bits() & table.at(0usize).bits().repeat(4) & table.at(2usize).bits().repeat(4));
            io.out.slice(0..2).set(table.at(3usize).bits());
            io.out.bit(0).set(fold("odd", 8, io.go, |i, so_far: Bit| so_far ^ lanes.at(i)) & table.at(1usize).all());
        });
    });
}
