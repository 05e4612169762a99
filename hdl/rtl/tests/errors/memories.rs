//! Memories.

use crate::support::{Pair, block};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

#[test]
fn words_and_addresses_fit() {
    let text = block(|m, io| {
        let words = m.memory("words", 4, bits(8));
        words.write(io.narrow, io.narrow);
        io.out.set(words.read(io.narrow));
        let pairs = m.memory("pairs", 4, Pair::shape(&4));
        pairs.write(io.narrow, Pair { key: io.wide, value: io.wide });
        m.ignore("pair", pairs.read(io.narrow), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    block: `narrow` has 4 bits, a word of `words` has 8
      --> `words.write(io.narrow, io.narrow);`: written here
      --> `let words = m.memory("words", 4, bits(8));`: the memory
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: a concatenation has 16 bits, a word of `pairs` has 12
      --> `pairs.write(io.narrow, Pair { key: io.wide, value: io.wide });`: written here
      --> `let pairs = m.memory("pairs", 4, Pair::shape(&4));`: the memory
      --> `pairs.write(io.narrow, Pair { key: io.wide, value: io.wide });`: a concatenation comes from here
    "#);
}

#[test]
fn groups_divide_words_and_have_one_enable_each() {
    let text = block(|m, io| {
        let words = m.memory("words", 4, bits(8)).granule(3);
        let halves = m.memory("halves", 4, bits(8)).granule(4);
        halves.write_enabled(io.narrow, io.wide, io.narrow);
        halves.write_enabled(io.narrow, io.wide, io.go.bits());
        io.out.set(words.read(io.narrow) & halves.read(io.narrow));
    });
    assert_snapshot!(text, @r#"
    block: words of `words` have 8 bits: they do not divide into groups of 3
      --> `let words = m.memory("words", 4, bits(8)).granule(3);`: here
      --> `let words = m.memory("words", 4, bits(8)).granule(3);`: the memory
    block: 4 enables for 2 groups of `halves`
      --> `halves.write_enabled(io.narrow, io.wide, io.narrow);`: written here
      --> `let halves = m.memory("halves", 4, bits(8)).granule(4);`: the memory: words of 8 bits in groups of 4
    block: 1 enable for 2 groups of `halves`
      --> `halves.write_enabled(io.narrow, io.wide, io.go.bits());`: written here
      --> `let halves = m.memory("halves", 4, bits(8)).granule(4);`: the memory: words of 8 bits in groups of 4
    "#);
}

#[test]
fn content_fits() {
    let text = block(|m, io| {
        let full = m.memory("full", 2, bits(8)).initial((0..3u8).map(|i| Value::new(8, i)));
        let wide = m.memory("broad", 2, bits(8)).initial([Value::new(8, 1u8), Value::new(9, 1u16)]);
        io.out.set(full.read(io.narrow) & wide.read(io.narrow));
    });
    assert_snapshot!(text, @r#"
    block: memory `full` has 2 words, not 3
      --> `let full = m.memory("full", 2, bits(8)).initial((0..3u8).map(|i| Value::new(8, i)));`: here
      --> `let full = m.memory("full", 2, bits(8)).initial((0..3u8).map(|i| Value::new(8, i)));`: the memory
    block: 9'h001 has 9 bits, a word of `broad` has 8
      --> `let wide = m.memory("broad", 2, bits(8)).initial([Value::new(8, 1u8), Value::new(9, 1u16)]);`: here
      --> `let wide = m.memory("broad", 2, bits(8)).initial([Value::new(8, 1u8), Value::new(9, 1u16)]);`: the memory
    "#);
}

#[test]
fn a_memory_has_words_and_bits() {
    let text = block(|m, io| {
        let hollow = m.memory("hollow", 0, bits(8)).initial([]);
        let flat = m.memory("flat", 2, bits(0)).initial([]);
        io.out.set(hollow.read(io.narrow) & flat.read(io.narrow));
    });
    assert_snapshot!(text, @r#"
    block: memory `hollow` has 0 words of 8 bits
      --> `let hollow = m.memory("hollow", 0, bits(8)).initial([]);`: declared here
      help: depths and widths are from 1 to 16777216
    block: memory `flat` has 2 words of 0 bits
      --> `let flat = m.memory("flat", 2, bits(0)).initial([]);`: declared here
      help: depths and widths are from 1 to 16777216
    "#);
}

#[test]
fn a_word_is_written_once() {
    let text = block(|m, io| {
        let words = m.memory("words", 4, bits(8));
        when(io.go, || {
            words.write(io.narrow, io.wide);
            words.write(io.narrow, !io.wide);
        });
        io.out.set(words.read(io.narrow));
    });
    assert_snapshot!(text, @r"
    block: `words[narrow]` is written twice: the first word is never seen
      --> `words.write(io.narrow, io.wide);`: first written here
      --> `words.write(io.narrow, !io.wide);`: written again here, always
       in when at `when(io.go, || {`
    ");
}

#[test]
fn a_loop_writes_no_memory() {
    let text = block(|m, io| {
        let words = m.memory("words", 4, bits(8));
        each("lane", 4, |i| {
            when(io.narrow.array().at(i), || words.write(i.bits(2), io.wide));
        });
        io.out.set(words.read(io.narrow));
    });
    assert_snapshot!(text, @r#"
    block: memory `words` is written in a loop
      --> `when(io.narrow.array().at(i), || words.write(i.bits(2), io.wide));`: written here
      --> `each("lane", 4, |i| {`: the loop
       in when at `when(io.narrow.array().at(i), || words.write(i.bits(2), io.wide));`
       in each `lane` at `each("lane", 4, |i| {`
      help: each write is a port: write once, with a computed address
    "#);
}

#[test]
fn a_loop_declares_no_port() {
    let text = block(|m, io| {
        let words = m.memory("words", 4, bits(8));
        words.write(io.narrow, io.wide);
        let read = each("lane", 4, |i| words.read_registered("word", i.bits(2), io.go, Collision::Old));
        io.out.set(read.at(0usize));
    });
    assert_snapshot!(text, @r#"
    block: `word` is declared in a loop: it would be one for all iterations
      --> `let read = each("lane", 4, |i| words.read_registered("word", i.bits(2), io.go, Collision::Old));`: declared here
      --> `let read = each("lane", 4, |i| words.read_registered("word", i.bits(2), io.go, Collision::Old));`: the loop
       in each `lane` at `let read = each("lane", 4, |i| words.read_registered("word", i.bits(2), io.go, Collision::Old));`
      help: declare an array before the loop, and use its element there
    "#);
}
