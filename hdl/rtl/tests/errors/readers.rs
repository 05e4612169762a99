//! What is not read.

use crate::drivers::inverter;
use crate::support::{Pair, block, errors, fine};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

/// Ports of which some bits may stay unread.
#[ports]
struct Leaky {
    /// A pair.
    pair: Input<Pair<4>>,
    /// Four pairs of bits.
    lanes: Input<Array<Bits<2>, 4>>,
    /// Four bits.
    out: Output<Bits<4>>,
}

fn leaky(body: impl FnOnce(&ModuleBuilder, Leaky)) -> String {
    errors(|| {
        module("leaky", Leaky::shape(&()), |m, io| {
            m.describe("Leaves something unread.");
            body(m, io);
        })
    })
}

#[test]
fn inputs_are_read_bit_by_bit() {
    let text = leaky(|_, io| {
        io.out.set(concat([io.pair.value.bit(0).bits(), io.pair.value.slice(2..4), io.pair.value.bit(7).bits()]));
    });
    assert_snapshot!(text, @r"
    leaky: input `pair_key` is not read
      --> `pair: Input<Pair<4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    leaky: input `pair_value` is read in part only, not bits 1, 6:4
      --> `pair: Input<Pair<4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    leaky: input `lanes` is not read
      --> `lanes: Input<Array<Bits<2>, 4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    ");
}

#[test]
fn elements_are_read_bit_by_bit() {
    let text = leaky(|m, io| {
        m.ignore("pair", io.pair, "not what is tested");
        io.out.set(each("odd", 4, |i| io.lanes.at(i).bit(1)).bits());
    });
    assert_snapshot!(text, @r"
    leaky: input `lanes` is read in part only, not bits 0, 2, 4, 6
      --> `lanes: Input<Array<Bits<2>, 4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    ");
    let text = leaky(|m, io| {
        m.ignore("pair_key", io.pair.key, "not what is tested");
        io.out.set(io.lanes.at(io.pair.value).bit(1).repeat(4));
    });
    assert_snapshot!(text, @r"
    leaky: input `lanes` is read in part only, not bits 0, 2, 4, 6
      --> `lanes: Input<Array<Bits<2>, 4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    ");
    let text = leaky(|m, io| {
        m.ignore("pair", io.pair, "not what is tested");
        io.out.set(each("some", 2, |i| io.lanes.at(i)).packed());
    });
    assert_snapshot!(text, @r"
    leaky: input `lanes` is read in part only, not bits 7:4
      --> `lanes: Input<Array<Bits<2>, 4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    ");
}

#[test]
fn a_diagonal_is_read_alone() {
    let text = leaky(|m, io| {
        m.ignore("pair", io.pair, "not what is tested");
        let square = io.lanes.packed().slice(0..4).elements(2);
        let diagonal = each("diagonal", 2, |i| square.at(i).array().at(i));
        m.ignore("rest", io.lanes.packed().slice(4..8), "not what is tested");
        io.out.set(diagonal.bits().extend(4));
    });
    assert_snapshot!(text, @r"
    leaky: input `lanes` is read in part only, not bits 2:1
      --> `lanes: Input<Array<Bits<2>, 4>>,`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    ");
}

#[test]
fn wires_registers_and_outputs_of_instances_are_read() {
    let text = block(|m, io| {
        m.named("forgotten", io.wide);
        m.reg("kept", bits(4)).set(io.narrow);
        let half = m.named("half", io.wide);
        io.out.set(half.slice(0..4).extend(8));
        let inverter = m.instance("inverter", &inverter());
        inverter.plain.set(io.wide);
        each("answers", 4, |i| io.narrow.array().at(i));
        fold("total", 4, lit(false), |i, so_far: Bit| so_far ^ io.narrow.array().at(i));
    });
    assert_snapshot!(text, @r#"
    block: wire `forgotten` is not read
      --> `m.named("forgotten", io.wide);`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    block: register `kept` is not read
      --> `m.reg("kept", bits(4)).set(io.narrow);`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    block: wire `half` is read in part only, not bits 7:4
      --> `let half = m.named("half", io.wide);`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    block: instance output `inverter_inverted` is not read
      --> `let inverter = m.instance("inverter", &inverter());`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    block: wire `answers` is not read
      --> `each("answers", 4, |i| io.narrow.array().at(i));`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    block: wire `total` is not read
      --> `fold("total", 4, lit(false), |i, so_far: Bit| so_far ^ io.narrow.array().at(i));`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    "#);
}

#[test]
fn what_a_property_alone_reads_is_unread() {
    let text = block(|m, io| {
        let seen = m.reg("seen", bit());
        seen.set(io.go);
        m.assert("it was there", *seen);
        m.probe("seen_there", *seen);
    });
    assert_snapshot!(text, @r#"
    block: register `seen` is not read
      --> `let seen = m.reg("seen", bit());`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    "#);
}

#[test]
fn memories_are_read_and_filled() {
    let text = block(|m, io| {
        let blind = m.memory("blind", 4, bits(8));
        blind.write(io.narrow, io.wide);
        let hollow = m.memory("hollow", 4, bits(8));
        io.out.set(hollow.read(io.narrow));
        let half = m.memory("half", 4, bits(8));
        half.write(io.narrow, io.wide);
        m.ignore("low", half.read_registered("word", io.narrow, io.go, Collision::Old).slice(0..4), "tested");
    });
    assert_snapshot!(text, @r#"
    block: read port `word` is read in part only, not bits 7:4
      --> `m.ignore("low", half.read_registered("word", io.narrow, io.go, Collision::Old).slice(0..4), "tested");`: declared here
      help: if that is meant, say `m.ignore(name, value, reason)`
    block: memory `blind` is not read
      --> `let blind = m.memory("blind", 4, bits(8));`: declared here
    block: memory `hollow` is neither written nor given a content
      --> `let hollow = m.memory("hollow", 4, bits(8));`: declared here
    "#);
}

#[test]
fn ignore_cures_all_of_it() {
    fine(|m, io| {
        m.ignore("forgotten", m.named("forgotten", io.wide), "tested");
        let pair = m.reg("pair", Pair::shape(&4));
        pair.key.set(io.narrow);
        pair.value.set(io.wide);
        m.ignore("pair", *pair, "tested");
        let half = m.named("half", io.wide);
        io.out.set(half.slice(0..4).extend(8));
        m.ignore("high", half.slice(4..8), "tested");
        let inverter = m.instance("inverter", &inverter());
        inverter.plain.set(io.wide);
        m.ignore("inverted", inverter.inverted, "tested");
    });
}
