//! Widths, literals, slices.

use crate::support::{Mode, Pair, block, fine};
use insta::assert_snapshot;
use num_bigint::BigUint;
use tollgate_rtl::prelude::*;

#[test]
fn bitwise_operators_need_equal_widths() {
    let text = block(|_, io| {
        io.out.set(io.wide & io.narrow);
        io.out.set(io.wide | io.narrow);
        io.out.set(io.wide ^ io.narrow);
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits, `narrow` has 4: `&` needs equal widths
      --> `io.out.set(io.wide & io.narrow);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `|` needs equal widths
      --> `io.out.set(io.wide | io.narrow);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `^` needs equal widths
      --> `io.out.set(io.wide ^ io.narrow);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    ");
}

#[test]
fn sums_and_differences_need_equal_widths() {
    let text = block(|_, io| {
        io.out.set(io.wide + io.narrow);
        io.out.set(io.wide - io.narrow);
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits, `narrow` has 4: `+` needs equal widths
      --> `io.out.set(io.wide + io.narrow);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `-` needs equal widths
      --> `io.out.set(io.wide - io.narrow);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    ");
}

#[test]
fn comparisons_need_equal_widths() {
    let text = block(|m, io| {
        let short = m.reg("short", signed(3));
        let results = [
            io.wide.equals(io.narrow),
            io.wide.differs(io.narrow),
            io.wide.less_than(io.narrow),
            io.wide.at_most(io.narrow),
            io.wide.greater_than(io.narrow),
            io.wide.at_least(io.narrow),
            io.number.less_than(*short),
            io.number.at_most(*short),
        ];
        io.out.set(concat(results.map(Bit::bits)));
    });
    assert_snapshot!(text, @r#"
    block: `wide` has 8 bits, `narrow` has 4: `equals` needs equal widths
      --> `io.wide.equals(io.narrow),`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `differs` needs equal widths
      --> `io.wide.differs(io.narrow),`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `less_than` needs equal widths
      --> `io.wide.less_than(io.narrow),`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `at_most` needs equal widths
      --> `io.wide.at_most(io.narrow),`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `greater_than` needs equal widths
      --> `io.wide.greater_than(io.narrow),`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `wide` has 8 bits, `narrow` has 4: `at_least` needs equal widths
      --> `io.wide.at_least(io.narrow),`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `number` has 4 bits, `short` has 3: `less_than` needs equal widths
      --> `io.number.less_than(*short),`: here
      --> `pub number: Input<Signed<4>>,`: `number` comes from here
      --> `let short = m.reg("short", signed(3));`: `short` comes from here
    block: `number` has 4 bits, `short` has 3: `at_most` needs equal widths
      --> `io.number.at_most(*short),`: here
      --> `pub number: Input<Signed<4>>,`: `number` comes from here
      --> `let short = m.reg("short", signed(3));`: `short` comes from here
    "#);
}

#[test]
fn a_value_computed_is_told_by_its_operator() {
    let text = block(|_, io| {
        let sum = io.narrow + 1;
        let doubled = concat([sum, sum, sum]);
        io.out.set(io.wide & doubled);
        io.out.set(io.wide & (io.wide * io.narrow));
        io.out.set(io.wide & io.wide.slice(2..6));
        io.out.set(io.wide & Value::new(5, 1u8).lit());
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits, a concatenation has 12: `&` needs equal widths
      --> `io.out.set(io.wide & doubled);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `let doubled = concat([sum, sum, sum]);`: a concatenation comes from here
    block: `wide` has 8 bits, the result of `*` has 12: `&` needs equal widths
      --> `io.out.set(io.wide & (io.wide * io.narrow));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `io.out.set(io.wide & (io.wide * io.narrow));`: the result of `*` comes from here
    block: `wide` has 8 bits, `wide[5:2]` has 4: `&` needs equal widths
      --> `io.out.set(io.wide & io.wide.slice(2..6));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `io.out.set(io.wide & io.wide.slice(2..6));`: `wide[5:2]` comes from here
    block: `wide` has 8 bits, `5'h01` has 5: `&` needs equal widths
      --> `io.out.set(io.wide & Value::new(5, 1u8).lit());`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    ");
}

#[test]
fn set_needs_equal_widths() {
    let text = block(|m, io| {
        let word = m.reg("word", bits(16));
        io.out.set(io.narrow);
        word.bit_at(io.narrow).set(io.go);
        word.slice(0..8).set(io.narrow);
    });
    assert_snapshot!(text, @r"
    block: `out` has 8 bits, `narrow` has 4: `set` needs equal widths
      --> `io.out.set(io.narrow);`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `word[7:0]` has 8 bits, `narrow` has 4: `set` needs equal widths
      --> `word.slice(0..8).set(io.narrow);`: here
      --> `word.slice(0..8).set(io.narrow);`: `word[7:0]` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    ");
}

#[test]
fn mux_needs_equal_widths_leaf_by_leaf() {
    let text = block(|m, io| {
        let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));
        io.out.set(mux(io.go, io.wide, io.narrow));
        io.out.set(mux(io.go, short, long).value);
    });
    assert_snapshot!(text, @r#"
    block: `wide` has 8 bits, `narrow` has 4: `mux` needs equal widths
      --> `io.out.set(mux(io.go, io.wide, io.narrow));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: `short_key` has 3 bits, `long_key` has 4: `mux` needs equal widths
      --> `io.out.set(mux(io.go, short, long).value);`: here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `short_key` comes from here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `long_key` comes from here
    "#);
}

#[test]
fn bundles_need_equal_widths_leaf_by_leaf() {
    let text = block(|m, _| {
        let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));
        short.set(long);
        short.connect(long);
        m.ignore("same", short.same_as(long), "tested");
    });
    assert_snapshot!(text, @r#"
    block: `short_key` has 3 bits, `long_key` has 4: `set` needs equal widths
      --> `short.set(long);`: here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `short_key` comes from here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `long_key` comes from here
    block: `short_key` has 3 bits, `long_key` has 4: `connect` needs equal widths
      --> `short.connect(long);`: here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `short_key` comes from here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `long_key` comes from here
    block: `short_key` has 3 bits, `long_key` has 4: `same_as` needs equal widths
      --> `m.ignore("same", short.same_as(long), "tested");`: here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `short_key` comes from here
      --> `let (short, long) = (m.wire("short", Pair::shape(&3)), m.wire("long", Pair::shape(&4)));`: `long_key` comes from here
    "#);
}

#[test]
fn arrays_need_equal_counts() {
    let text = block(|m, io| {
        let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));
        pairs.set(bytes);
        io.out.set(mux(io.go, pairs, bytes).at(0usize));
        m.default(pairs, bytes);
        m.ignore("chosen", io.narrow.array().select("chosen", bytes), "tested");
    });
    assert_snapshot!(text, @r#"
    block: an array of 4 and an array of 1: `set` needs equal counts
      --> `pairs.set(bytes);`: here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 4 comes from here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 1 comes from here
    block: an array of 4 and an array of 1: `mux` needs equal counts
      --> `io.out.set(mux(io.go, pairs, bytes).at(0usize));`: here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 4 comes from here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 1 comes from here
    block: an array of 4 and an array of 1: `default` needs equal counts
      --> `m.default(pairs, bytes);`: here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 4 comes from here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 1 comes from here
    block: an array of 4 and an array of 1: `select` needs equal counts
      --> `m.ignore("chosen", io.narrow.array().select("chosen", bytes), "tested");`: here
      --> `pub narrow: Input<Bits<4>>,`: the array of 4 comes from here
      --> `let (pairs, bytes) = (m.wire("pairs", array(4, bits(2))), m.wire("bytes", array(1, bits(8))));`: the array of 1 comes from here
    "#);
}

#[test]
fn a_default_is_as_wide_as_its_signal() {
    let text = block(|m, io| {
        m.default(io.out, io.narrow);
        m.default(io.out, 256);
        let flags = m.wire("flags", array(3, bit()));
        m.default(flags, 2);
    });
    assert_snapshot!(text, @r#"
    block: `out` has 8 bits, `narrow` has 4: a default is as wide as its signal
      --> `m.default(io.out, io.narrow);`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    block: 256 does not fit the 8 bits of `out`
      --> `m.default(io.out, 256);`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
    block: 2 does not fit the 1 bit of `flags`
      --> `m.default(flags, 2);`: here
      --> `let flags = m.wire("flags", array(3, bit()));`: `flags` comes from here
    "#);
}

#[test]
fn literals_must_fit() {
    let text = block(|m, io| {
        io.out.set(256);
        io.out.set(io.wide + 0x1_0000_0000u64);
        io.out.set(io.wide.extend(8) & BigUint::from(300u32));
        io.out.set(Value::new(9, 1u8));
        when(io.number.equals(8), || ());
        when(io.number.equals(-9), || ());
        when(io.number.equals(u128::MAX), || ());
        m.wire("flag", bit()).set(2);
    });
    assert_snapshot!(text, @r#"
    block: 256 does not fit the 8 bits of `out`
      --> `io.out.set(256);`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
    block: 4294967296 does not fit the 8 bits of `wide`
      --> `io.out.set(io.wide + 0x1_0000_0000u64);`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: 300 does not fit the 8 bits of `wide`
      --> `io.out.set(io.wide.extend(8) & BigUint::from(300u32));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: `out` has 8 bits, `9'h001` has 9: `set` needs equal widths
      --> `io.out.set(Value::new(9, 1u8));`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
    block: 8 does not fit, in two's complement, the 4 bits of `number`
      --> `when(io.number.equals(8), || ());`: here
      --> `pub number: Input<Signed<4>>,`: `number` comes from here
    block: -9 does not fit, in two's complement, the 4 bits of `number`
      --> `when(io.number.equals(-9), || ());`: here
      --> `pub number: Input<Signed<4>>,`: `number` comes from here
    block: 340282366920938463463374607431768211455 does not fit, in two's complement, the 4 bits of `number`
      --> `when(io.number.equals(u128::MAX), || ());`: here
      --> `pub number: Input<Signed<4>>,`: `number` comes from here
    block: 2 does not fit the 1 bit of `flag`
      --> `m.wire("flag", bit()).set(2);`: here
      --> `m.wire("flag", bit()).set(2);`: `flag` comes from here
    "#);
}

#[test]
fn literals_at_the_edge_fit() {
    fine(|m, io| {
        io.out.set(255);
        let limits = [io.number.equals(7), io.number.equals(-8), io.wide.equals(0), io.wide.equals(255u8)];
        m.ignore("limits", concat(limits.map(Bit::bits)), "tested");
    });
}

#[test]
fn bits_are_never_negative() {
    let text = block(|m, io| {
        io.out.set(-1);
        m.wire("flag", bit()).set(-1);
        m.default(io.out, -1);
    });
    assert_snapshot!(text, @r#"
    block: -1 is negative, which only `Signed` can be: it does not fit the 8 bits of `out`
      --> `io.out.set(-1);`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
    block: -1 is negative, which only `Signed` can be: it does not fit the 1 bit of `flag`
      --> `m.wire("flag", bit()).set(-1);`: here
      --> `m.wire("flag", bit()).set(-1);`: `flag` comes from here
    block: -1 is negative, which only `Signed` can be: it does not fit the 8 bits of `out`
      --> `m.default(io.out, -1);`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
    "#);
}

#[test]
fn slices_stay_inside() {
    let text = block(|_, io| {
        io.out.set(io.wide.slice(1..9));
        let (low, end) = (5, 2);
        io.out.set(io.wide.slice(low..end));
        io.out.set(io.wide.bit(8).repeat(8));
        io.out.set(io.wide.bit(u32::MAX).repeat(8));
        io.out.set(io.go.repeat(0));
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits: there are no bits 8:1
      --> `io.out.set(io.wide.slice(1..9));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: `wide` has 8 bits: a slice has at least one bit
      --> `io.out.set(io.wide.slice(low..end));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: `wide` has 8 bits: there is no bit 8
      --> `io.out.set(io.wide.bit(8).repeat(8));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: `wide` has 8 bits: there is no bit 4294967295
      --> `io.out.set(io.wide.bit(u32::MAX).repeat(8));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: `go` cannot be repeated 0 times: it would have no bits
      --> `io.out.set(io.go.repeat(0));`: here
      --> `pub go: Input<Bit>,`: `go` comes from here
    ");
}

#[test]
fn extending_never_drops_bits() {
    let text = block(|_, io| {
        io.out.set(io.wide.extend(7).extend(8));
        io.out.set(io.number.extend(3).extend(8).bits());
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits: it cannot be extended to 7
      --> `io.out.set(io.wide.extend(7).extend(8));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      help: `slice` drops bits
    block: `number` has 4 bits: it cannot be extended to 3
      --> `io.out.set(io.number.extend(3).extend(8).bits());`: here
      --> `pub number: Input<Signed<4>>,`: `number` comes from here
      help: `slice` drops bits
    ");
}

#[test]
fn elements_divide_their_vector() {
    let text = block(|_, io| {
        io.out.set(io.wide.elements(3).at(0usize).extend(8));
        io.out.set(io.wide.elements(0).at(0usize).extend(8));
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits: it does not divide into elements of 3
      --> `io.out.set(io.wide.elements(3).at(0usize).extend(8));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: `wide` has 8 bits: it does not divide into elements of 0
      --> `io.out.set(io.wide.elements(0).at(0usize).extend(8));`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    ");
}

#[test]
fn a_code_is_as_wide_as_its_enumeration() {
    let text = block(|_, io| {
        when(io.narrow.code::<Mode>().is(Mode::Busy), || io.out.set(1));
    });
    assert_snapshot!(text, @r"
    block: `narrow` has 4 bits, the enumeration `Mode` has 3
      --> `when(io.narrow.code::<Mode>().is(Mode::Busy), || io.out.set(1));`: here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    ");
}

#[test]
fn nothing_has_no_bits() {
    let text = block(|m, io| {
        io.out.set(m.wire("hollow", bits(0)));
        io.out.set(m.wire("hollow_list", array(0, bits(8))).at(0usize));
        io.out.set(Value::zero(0).lit());
        io.out.set(concat([]));
    });
    assert_snapshot!(text, @r#"
    block: `hollow` has no bits
      --> `io.out.set(m.wire("hollow", bits(0)));`: declared here
      help: widths start at 1
    block: `hollow_list` has no bits
      --> `io.out.set(m.wire("hollow_list", array(0, bits(8))).at(0usize));`: declared here
      help: widths start at 1
    block: a constant has no bits
      --> `io.out.set(Value::zero(0).lit());`: here
      help: widths start at 1
    block: a concatenation of nothing has no width
      --> `io.out.set(concat([]));`: here
    "#);
}

#[test]
fn a_vector_unpacked_is_as_wide_as_its_shape() {
    let text = block(|_, io| {
        io.out.set(Pair::unpack(&Pair::shape(&4), io.wide).value);
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits, the shape has 12
      --> `io.out.set(Pair::unpack(&Pair::shape(&4), io.wide).value);`: unpacked here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    ");
}

#[test]
fn what_follows_from_an_error_is_not_reported() {
    let text = block(|m, io| {
        let wrong = io.wide & io.narrow;
        let worse = wrong + 256;
        when(worse.equals(io.narrow), || io.out.set(worse.slice(3..20)));
        m.named("also_wrong", mux(io.go, worse, io.wide));
        each("lanes", 3, |i| worse.array().at(i));
    });
    assert_snapshot!(text, @r"
    block: `wide` has 8 bits, `narrow` has 4: `&` needs equal widths
      --> `let wrong = io.wide & io.narrow;`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
    ");
}

#[test]
fn sizes_end_somewhere() {
    const HUGE: usize = 1 << 33;
    let text = block(|m, io| {
        let long = m.wire("long", array(HUGE, bit()));
        m.default(long, 0);
        let square = m.reg_array("square", 1 << 16, array(1 << 16, bits(2))).reset(0);
        m.ignore("both", concat([long.packed(), square.packed(), square.packed()]), "not what is tested");
        let words = m.memory("words", HUGE, bits(8));
        let broad = m.memory("broad", 2, array(HUGE, bit()));
        m.ignore("word", broad.read(io.narrow), "not what is tested");
        io.out.set(words.read(io.narrow));
    });
    assert_snapshot!(text, @r#"
    block: `long` has more than 16777216 bits
      --> `let long = m.wire("long", array(HUGE, bit()));`: declared here
    block: `square` has more than 16777216 bits
      --> `let square = m.reg_array("square", 1 << 16, array(1 << 16, bits(2))).reset(0);`: declared here
    block: memory `words` has 8589934592 words of 8 bits
      --> `let words = m.memory("words", HUGE, bits(8));`: declared here
      help: depths and widths are from 1 to 16777216
    block: memory `broad` has 2 words of 4294967295 bits
      --> `let broad = m.memory("broad", 2, array(HUGE, bit()));`: declared here
      help: depths and widths are from 1 to 16777216
    "#);
    let text = block(|m, io| {
        m.ignore("loop", each("loop", HUGE, |i| io.wide.equals(i)), "not what is tested");
        m.ignore("rows", each("rows", 1 << 12, |_| each("columns", 1 << 12, |_| io.wide)), "not what is tested");
        let answers = scan("running", 1 << 22, io.wide, |_, so_far: Bits| (so_far, so_far)).1;
        m.ignore("answers", answers, "not what is tested");
        m.ignore("values", io.wide.repeat(u32::MAX).bit(0), "not what is tested");
        m.ignore("extended", io.wide.extend(u32::MAX) * io.wide.extend(1 << 25), "not what is tested");
        m.ignore("slice", io.wide.slice(u32::MAX - 1..u32::MAX), "not what is tested");
        m.ignore("index", each("index", 2, |i| i.bits(u32::MAX)), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    block: `loop` runs over more than 16777216 indices
      --> `m.ignore("loop", each("loop", HUGE, |i| io.wide.equals(i)), "not what is tested");`: 8589934592 iterations
    block: the index of `loop` goes up to 16777215 and does not fit 8 bits
      --> `m.ignore("loop", each("loop", HUGE, |i| io.wide.equals(i)), "not what is tested");`: used here
      --> `m.ignore("loop", each("loop", HUGE, |i| io.wide.equals(i)), "not what is tested");`: the loop
       in each `loop` at `m.ignore("loop", each("loop", HUGE, |i| io.wide.equals(i)), "not what is tested");`
    block: `columns` has more than 16777216 bits
      --> `m.ignore("rows", each("rows", 1 << 12, |_| each("columns", 1 << 12, |_| io.wide)), "not what is tested");`: declared here
       in each `rows` at `m.ignore("rows", each("rows", 1 << 12, |_| each("columns", 1 << 12, |_| io.wide)), "not what is tested");`
    block: `rows` has more than 16777216 bits
      --> `m.ignore("rows", each("rows", 1 << 12, |_| each("columns", 1 << 12, |_| io.wide)), "not what is tested");`: declared here
    block: `running` has more than 16777216 bits
      --> `let answers = scan("running", 1 << 22, io.wide, |_, so_far: Bits| (so_far, so_far)).1;`: declared here
    block: the value has more than 16777216 bits
      --> `m.ignore("values", io.wide.repeat(u32::MAX).bit(0), "not what is tested");`: here
    block: the value has more than 16777216 bits
      --> `m.ignore("extended", io.wide.extend(u32::MAX) * io.wide.extend(1 << 25), "not what is tested");`: here
    block: `wide` has 8 bits: there is no bit 4294967294
      --> `m.ignore("slice", io.wide.slice(u32::MAX - 1..u32::MAX), "not what is tested");`: here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
    block: the value has more than 16777216 bits
      --> `m.ignore("index", each("index", 2, |i| i.bits(u32::MAX)), "not what is tested");`: here
       in each `index` at `m.ignore("index", each("index", 2, |i| i.bits(u32::MAX)), "not what is tested");`
    block: `index` has more than 16777216 bits
      --> `m.ignore("index", each("index", 2, |i| i.bits(u32::MAX)), "not what is tested");`: declared here
    "#);
}
