//! What is set: never, not always, twice; what cannot be set.

use crate::support::{Mode, Pair, PairPlain, block, fine};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

#[test]
fn a_wire_is_set() {
    let text = block(|m, io| {
        let idle = m.wire("idle", bits(8));
        io.out.set(idle);
    });
    assert_snapshot!(text, @r#"
    block: `idle` is never set
      --> `let idle = m.wire("idle", bits(8));`: declared here
    "#);
}

#[test]
fn a_register_is_set() {
    let text = block(|m, io| {
        let idle = m.reg("idle", bits(8)).reset(3);
        let half = m.reg("half", bits(8));
        half.slice(4..8).set(io.narrow);
        io.out.set(*idle & *half);
    });
    assert_snapshot!(text, @r#"
    block: `idle` is never set
      --> `let idle = m.reg("idle", bits(8)).reset(3);`: declared here
    block: register `half` is set in part only, never bits 3:0
      --> `let half = m.reg("half", bits(8));`: declared here
      --> `half.slice(4..8).set(io.narrow);`: set here
    "#);
}

#[test]
fn an_output_is_set_on_every_path_of_a_when() {
    let text = block(|m, io| {
        let chosen = m.wire("chosen", bits(8));
        when(io.wide.any(), || {
            when(io.go, || chosen.set(1)).or_when(io.narrow.any(), || chosen.set(2));
        })
        .otherwise(|| chosen.set(3));
        io.out.set(chosen);
    });
    assert_snapshot!(text, @r#"
    block: `chosen` is not set on every path: all bits may be left open
      --> `let chosen = m.wire("chosen", bits(8));`: declared here
      --> `when(io.go, || chosen.set(1)).or_when(io.narrow.any(), || chosen.set(2));`: set here
       in when at `when(io.go, || chosen.set(1)).or_when(io.narrow.any(), || chosen.set(2));`
       in when at `when(io.wide.any(), || {`
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn an_output_is_set_in_every_arm_of_a_switch() {
    let text = block(|m, io| {
        let chosen = m.wire("chosen", bits(8));
        switch(io.mode, |mode| match mode {
            Mode::Idle | Mode::Busy => chosen.set(1),
            Mode::Done => chosen.slice(0..4).set(2),
        });
        io.out.set(chosen);
    });
    assert_snapshot!(text, @r#"
    block: `chosen` is not set on every path: bits 7:4 may be left open
      --> `let chosen = m.wire("chosen", bits(8));`: declared here
      --> `Mode::Idle | Mode::Busy => chosen.set(1),`: set here
       in arm `Idle` of a switch at `switch(io.mode, |mode| match mode {`
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn every_element_is_set() {
    let text = block(|m, io| {
        let lanes = m.wire("lanes", array(8, bit()));
        each("lane", 6, |i| lanes.at(i).set(io.go));
        io.out.set(lanes.bits());
    });
    assert_snapshot!(text, @r#"
    block: `lanes` is not wholly set: bits 7:6 may be left open
      --> `let lanes = m.wire("lanes", array(8, bit()));`: declared here
      --> `each("lane", 6, |i| lanes.at(i).set(io.go));`: set here
       in each `lane` at `each("lane", 6, |i| lanes.at(i).set(io.go));`
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn every_element_is_set_for_every_index() {
    let text = block(|m, io| {
        let lanes = m.wire("lanes", array(8, bit()));
        each("lane", 8, |i| {
            when(io.wide.equals(i), || lanes.at(i).set(io.go));
        });
        io.out.set(lanes.bits());
    });
    assert_snapshot!(text, @r#"
    block: `lanes` is not set on every path: all bits may be left open
      --> `let lanes = m.wire("lanes", array(8, bit()));`: declared here
      --> `when(io.wide.equals(i), || lanes.at(i).set(io.go));`: set here
       in when at `when(io.wide.equals(i), || lanes.at(i).set(io.go));`
       in each `lane` at `each("lane", 8, |i| {`
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn a_diagonal_leaves_the_rest_open() {
    let text = block(|m, io| {
        let square = m.wire("square", array(4, array(4, bit())));
        each("place_of", 4, |i| square.at(i).at(i).set(io.go));
        io.out.set(square.packed().slice(0..8) ^ square.packed().slice(8..16));
    });
    assert_snapshot!(text, @r#"
    block: `square` is not wholly set: bits 4:1, 9:6, 14:11 may be left open
      --> `let square = m.wire("square", array(4, array(4, bit())));`: declared here
      --> `each("place_of", 4, |i| square.at(i).at(i).set(io.go));`: set here
       in each `place_of` at `each("place_of", 4, |i| square.at(i).at(i).set(io.go));`
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn branches_set_the_same_element_for_every_index() {
    let text = block(|m, io| {
        let shifted = m.wire("shifted", bits(8));
        each("lane", 7, |i| {
            when(io.wide.array().at(i), || shifted.slice(0..7).array().at(i).set(io.go))
                .otherwise(|| shifted.slice(1..8).array().at(i).set(io.go));
        });
        shifted.bit(0).set(io.go);
        shifted.bit(7).set(io.go);
        io.out.set(shifted);
    });
    assert_snapshot!(text, @r#"
    block: `shifted` is not set on every path: bits 6:1 may be left open
      --> `let shifted = m.wire("shifted", bits(8));`: declared here
      --> `when(io.wide.array().at(i), || shifted.slice(0..7).array().at(i).set(io.go))`: set here
       in when at `when(io.wide.array().at(i), || shifted.slice(0..7).array().at(i).set(io.go))`
       in each `lane` at `each("lane", 7, |i| {`
      help: `default` gives the value for the other paths
    "#);
    let text = block(|m, io| {
        let square = m.wire("square", array(2, array(2, bit())));
        each("row", 2, |row| {
            each("column", 2, |column| {
                when(io.narrow.array().at(row) & io.wide.array().at(column), || square.at(row).at(column).set(io.go))
                    .otherwise(|| square.at(column).at(row).set(io.go));
            });
        });
        io.out.set(square.packed().extend(8));
    });
    assert_snapshot!(text, @r#"
    block: `square` is not set on every path: bits 2:1 may be left open
      --> `let square = m.wire("square", array(2, array(2, bit())));`: declared here
      --> `when(io.narrow.array().at(row) & io.wide.array().at(column), || square.at(row).at(column).set(io.go))`: set here
       in when at `when(io.narrow.array().at(row) & io.wide.array().at(column), || square.at(row).at(column).set(io.go))`
       in each `column` at `each("column", 2, |column| {`
       in each `row` at `each("row", 2, |row| {`
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn iterations_together_set_everything() {
    fine(|m, io| {
        let square = m.wire("square", array(2, array(2, bit())));
        each("row", 2, |i| {
            when(io.wide.array().at(i), || {
                square.at(i).set(io.narrow.slice(0..2).array());
                square.at(i).at(i).set(io.go);
            })
            .otherwise(|| {
                square.at(i).at(0usize).set(io.go);
                square.at(i).at(1usize).set(io.narrow.array().at(i));
            });
        });
        io.out.set(square.packed().extend(8));
    });
    fine(|m, io| {
        let triangle = m.wire("triangle", array(2, array(2, bit())));
        each("corner", 2, |i| {
            triangle.at(i).at(i).set(io.go);
            triangle.at(1usize).at(i).set(io.narrow.array().at(i));
        });
        triangle.at(0usize).at(1usize).set(io.go);
        io.out.set(triangle.packed().extend(8));
    });
}

#[test]
fn every_slice_is_set() {
    let text = block(|m, io| {
        let word = m.wire("word", bits(8));
        word.slice(0..3).set(1);
        word.slice(4..5).set(1);
        word.bit(7).set(io.go);
        io.out.set(word);
    });
    assert_snapshot!(text, @r#"
    block: `word` is not wholly set: bits 3, 6:5 may be left open
      --> `let word = m.wire("word", bits(8));`: declared here
      --> `word.slice(0..3).set(1);`: set here
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn a_computed_index_sets_nothing_for_sure() {
    let text = block(|m, io| {
        let word = m.wire("word", bits(8));
        word.bit_at(io.narrow).set(io.go);
        io.out.set(word);
    });
    assert_snapshot!(text, @r#"
    block: `word` is not set on every path: all bits may be left open
      --> `let word = m.wire("word", bits(8));`: declared here
      --> `word.bit_at(io.narrow).set(io.go);`: set here
      help: `default` gives the value for the other paths
    "#);
}

#[test]
fn an_input_of_an_instance_is_set() {
    let text = block(|m, io| {
        let inverter = m.instance("inverter", &inverter());
        io.out.set(inverter.inverted);
    });
    assert_snapshot!(text, @r#"
    block: `inverter_plain` is never set
      --> `let inverter = m.instance("inverter", &inverter());`: declared here
    "#);
}

#[test]
fn a_default_cures_all_of_it() {
    fine(|m, io| {
        let chosen = m.wire("chosen", bits(8));
        m.default(chosen, 7);
        let inverter = m.instance("inverter", &inverter());
        m.default(inverter.plain, io.wide);
        when(io.go, || chosen.bit_at(io.narrow).set(true));
        io.out.set(chosen & inverter.inverted);
    });
}

#[test]
fn slices_branches_and_loops_together_set_everything() {
    fine(|m, io| {
        let word = m.wire("word", bits(8));
        word.slice(0..4).set(io.narrow);
        when(io.go, || word.slice(4..8).set(1)).otherwise(|| {
            each("lane", 2, |i| word.slice(4..6).array().at(i).set(io.go));
            switch(io.mode, |_| word.slice(6..8).set(2));
        });
        io.out.set(word);
    });
}

#[test]
fn a_signal_is_set_once() {
    let text = block(|m, io| {
        let word = m.wire("word", bits(8));
        word.set(io.wide);
        word.set(!io.wide);
        io.out.set(word);
    });
    assert_snapshot!(text, @r"
    block: `word` is set twice: the first value is never seen
      --> `word.set(io.wide);`: first set here
      --> `word.set(!io.wide);`: set again here, always
      help: a value for the other paths is a `default`; a signal has one driver
    ");
}

#[test]
fn what_always_is_set_again_was_never_seen() {
    let text = block(|m, io| {
        let word = m.reg("word", bits(8));
        when(io.go, || word.slice(2..4).set(1));
        word.slice(0..5).set(2);
        word.slice(1..6).set(3);
        when(io.wide.any(), || word.set(4));
        io.out.set(*word);
    });
    assert_snapshot!(text, @r"
    block: `word` is set twice: the first value is never seen
      --> `when(io.go, || word.slice(2..4).set(1));`: first set here
      --> `word.slice(0..5).set(2);`: set again here, always
       in when at `when(io.go, || word.slice(2..4).set(1));`
      help: a value for the other paths is a `default`; a signal has one driver
    ");
}

#[test]
fn elements_are_set_once_for_every_index() {
    let text = block(|m, io| {
        let lanes = m.reg_array("lanes", 4, bits(2));
        each("lane", 4, |i| {
            when(io.go, || lanes.at(i).bit(0).set(true));
            lanes.at(i).set(1);
        });
        io.out.set(lanes.packed());
    });
    assert_snapshot!(text, @r#"
    block: `lanes` is set twice: the first value is never seen
      --> `when(io.go, || lanes.at(i).bit(0).set(true));`: first set here
      --> `lanes.at(i).set(1);`: set again here, always
       in when at `when(io.go, || lanes.at(i).bit(0).set(true));`
       in each `lane` at `each("lane", 4, |i| {`
      help: a value for the other paths is a `default`; a signal has one driver
    "#);
}

#[test]
fn a_loop_sets_something_else_for_every_index() {
    let text = block(|m, io| {
        let last = m.reg("last", bits(4));
        let rows = m.reg_array("rows", 2, bits(4));
        each("row", 2, |row| {
            each("column", 4, |column| {
                last.set(column);
                rows.at(row).set(io.narrow);
            });
        });
        io.out.set(concat([*last, rows.at(0usize) & rows.at(1usize)]));
    });
    assert_snapshot!(text, @r#"
    block: every index of `row` sets `last`: only the last one is seen
      --> `last.set(column);`: set here
      --> `each("row", 2, |row| {`: the loop
       in each `column` at `each("column", 4, |column| {`
       in each `row` at `each("row", 2, |row| {`
      help: set an element of an array, or set it in a `when`
    block: every index of `column` sets `rows`: only the last one is seen
      --> `rows.at(row).set(io.narrow);`: set here
      --> `each("column", 4, |column| {`: the loop
       in each `column` at `each("column", 4, |column| {`
       in each `row` at `each("row", 2, |row| {`
      help: set an element of an array, or set it in a `when`
    "#);
}

#[test]
fn the_last_index_that_matches_may_win() {
    fine(|m, io| {
        let last = m.reg("last", bits(8));
        each("lane", 4, |i| {
            when(io.narrow.array().at(i), || last.set(i));
        });
        io.out.set(*last);
    });
}

#[test]
fn later_writes_that_are_not_sure_take_nothing_away() {
    fine(|m, io| {
        let word = m.reg("word", bits(8));
        word.set(io.wide);
        word.bit_at(io.narrow).set(io.go);
        when(io.go, || word.set(0));
        word.slice(0..4).set(io.narrow);
        io.out.set(*word);
    });
}

#[test]
fn what_cannot_be_set() {
    let text = block(|m, io| {
        let inverter = m.instance("inverter", &inverter());
        let words = m.memory("words", 4, bits(8));
        io.wide.set(1);
        io.wide.bit(3).set(true);
        inverter.inverted.set(1);
        (io.wide + 1).set(1);
        io.wide.slice(0..4).extend(8).bit(0).set(true);
        words.read(io.narrow).set(1);
        words.read_registered("word", io.narrow, io.go, Collision::Old).set(1);
        Value::zero(8).lit().set(1);
    });
    assert_snapshot!(text, @r#"
    block: `wide` cannot be set: it is an input
      --> `io.wide.set(1);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: `wide[3]` cannot be set: it is part of an input
      --> `io.wide.bit(3).set(true);`: here
      --> `io.wide.bit(3).set(true);`: `wide[3]` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: `inverter_inverted` cannot be set: it is an output of an instance
      --> `inverter.inverted.set(1);`: here
      --> `let inverter = m.instance("inverter", &inverter());`: `inverter_inverted` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: the result of `+` cannot be set: it is an expression
      --> `(io.wide + 1).set(1);`: here
      --> `(io.wide + 1).set(1);`: the result of `+` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: `a concatenation[0]` cannot be set: it is part of an expression
      --> `io.wide.slice(0..4).extend(8).bit(0).set(true);`: here
      --> `io.wide.slice(0..4).extend(8).bit(0).set(true);`: `a concatenation[0]` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: a word of `words` cannot be set: it is what a memory reads
      --> `words.read(io.narrow).set(1);`: here
      --> `words.read(io.narrow).set(1);`: a word of `words` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: `word` cannot be set: it is what a memory read
      --> `words.read_registered("word", io.narrow, io.go, Collision::Old).set(1);`: here
      --> `words.read_registered("word", io.narrow, io.go, Collision::Old).set(1);`: `word` comes from here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    block: `8'h00` cannot be set: it is a constant
      --> `Value::zero(8).lit().set(1);`: here
      help: outputs, wires, registers, inputs of instances and parts of them can be set
    "#);
}

#[test]
fn what_takes_no_default() {
    let text = block(|m, io| {
        let kept = m.reg("kept", Pair::shape(&4));
        m.default(*kept, 0);
        m.default(io.wide, 0);
        m.default(io.out.slice(0..4), 0);
        each("lane", 8, |i| m.default(io.out, i.bits(8)));
    });
    assert_snapshot!(text, @r#"
    block: `kept_key` takes no default
      --> `m.default(*kept, 0);`: here
      --> `let kept = m.reg("kept", Pair::shape(&4));`: `kept_key` comes from here
      help: whole wires, outputs and inputs of instances do; a register keeps its value
    block: `kept_value` takes no default
      --> `m.default(*kept, 0);`: here
      --> `let kept = m.reg("kept", Pair::shape(&4));`: `kept_value` comes from here
      help: whole wires, outputs and inputs of instances do; a register keeps its value
    block: `wide` takes no default
      --> `m.default(io.wide, 0);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      help: whole wires, outputs and inputs of instances do; a register keeps its value
    block: `out[3:0]` takes no default
      --> `m.default(io.out.slice(0..4), 0);`: here
      --> `m.default(io.out.slice(0..4), 0);`: `out[3:0]` comes from here
      help: whole wires, outputs and inputs of instances do; a register keeps its value
    block: a number from the index of `lane` depends on the index of `lane`: a default stands for all iterations
      --> `each("lane", 8, |i| m.default(io.out, i.bits(8)));`: here
      --> `each("lane", 8, |i| m.default(io.out, i.bits(8)));`: a number from the index of `lane` comes from here
      --> `each("lane", 8, |i| m.default(io.out, i.bits(8)));`: the loop
       in each `lane` at `each("lane", 8, |i| m.default(io.out, i.bits(8)));`
    "#);
}

#[test]
fn resets_fit_their_registers() {
    let text = block(|m, io| {
        let kept = m.reg("kept", Pair::shape(&4)).reset(300);
        let lanes = m.reg_array("lanes", 4, bits(2)).reset(4);
        let other = m.reg("other", Pair::shape(&4));
        let other = other.reset_to(&PairPlain { key: Value::new(4, 9u8), value: Value::new(9, 1u8) });
        let part = m.reg("part", bits(8)).reset_member(|part| part.slice(0..4), 0);
        io.out.set(kept.value & lanes.packed() & other.value & *part);
    });
    assert_snapshot!(text, @r#"
    block: reset value 300 does not fit the 4 bits of `kept_key`
      --> `let kept = m.reg("kept", Pair::shape(&4)).reset(300);`: here
      --> `let kept = m.reg("kept", Pair::shape(&4)).reset(300);`: the register
    block: reset value 300 does not fit the 8 bits of `kept_value`
      --> `let kept = m.reg("kept", Pair::shape(&4)).reset(300);`: here
      --> `let kept = m.reg("kept", Pair::shape(&4)).reset(300);`: the register
    block: reset value 4 does not fit the 2 bits of `lanes`
      --> `let lanes = m.reg_array("lanes", 4, bits(2)).reset(4);`: here
      --> `let lanes = m.reg_array("lanes", 4, bits(2)).reset(4);`: the register
    block: `other_value` has 8 bits, reset value 9'h001 has 9
      --> `let other = other.reset_to(&PairPlain { key: Value::new(4, 9u8), value: Value::new(9, 1u8) });`: here
      --> `let other = m.reg("other", Pair::shape(&4));`: the register
    block: `part[3:0]` is no whole register
      --> `let part = m.reg("part", bits(8)).reset_member(|part| part.slice(0..4), 0);`: here
      --> `let part = m.reg("part", bits(8)).reset_member(|part| part.slice(0..4), 0);`: `part[3:0]` comes from here
    "#);
}

#[test]
fn a_signal_has_one_default_and_one_reset() {
    let text = block(|m, io| {
        let pair = m.reg("pair", Pair::shape(&4)).reset(1);
        pair.reset_member(|pair| pair.key, 2);
        pair.key.set(io.narrow);
        pair.value.set(io.wide);
        let mode = m.state("mode_kept", Mode::Idle);
        mode.goto(Mode::Busy);
        m.ignore("kept", concat([pair.packed(), mode.bits()]), "not what is tested");
        m.default(io.out, 1);
    });
    assert_snapshot!(text, @r#"
    block: `pair_key` is given two resets: the first would be lost
      --> `pair.reset_member(|pair| pair.key, 2);`: this one
      --> `let pair = m.reg("pair", Pair::shape(&4)).reset(1);`: the first one
    block: `out` is given two defaults: the first would be lost
      --> `m.default(io.out, 1);`: this one
      --> `m.default(io.out, 0);`: the first one
    "#);
}

#[test]
fn a_when_goes_on_at_once() {
    let text = block(|m, io| {
        let chosen = m.wire("chosen", bits(8));
        let first = when(io.go, || chosen.set(1));
        io.out.set(chosen);
        first.otherwise(|| chosen.set(2));
    });
    assert_snapshot!(text, @r"
    block: `otherwise` does not follow its `when` at once
      --> `first.otherwise(|| chosen.set(2));`: here
      --> `let first = when(io.go, || chosen.set(1));`: the `when`
    ");
}

#[test]
fn otherwise_belongs_to_the_when_that_it_follows() {
    let text = block(|_, io| {
        let first = when(io.go, || io.out.set(1));
        let second = when(io.wide.any(), || io.out.set(2));
        first.or_when(io.narrow.any(), || io.out.set(3));
        second.otherwise(|| io.out.set(4));
    });
    assert_snapshot!(text, @r"
    block: `or_when` does not follow its `when` at once
      --> `first.or_when(io.narrow.any(), || io.out.set(3));`: here
      --> `let first = when(io.go, || io.out.set(1));`: the `when`
    ");
}

/// Ports of an inverter.
#[ports]
pub struct InverterPorts {
    /// As it comes.
    pub plain: Input<Bits<8>>,
    /// Each bit inverted.
    pub inverted: Output<Bits<8>>,
}

/// A module to be instantiated.
pub fn inverter() -> Module<InverterPorts> {
    module("inverter", InverterPorts::shape(&()), |m, io| {
        m.describe("Inverts eight bits.");
        io.inverted.set(!io.plain);
    })
}
