//! Combinational loops: real ones are refused with their path, false ones accepted.

use crate::drivers::inverter;
use crate::support::{block, errors, fine};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

#[test]
fn a_wire_that_drives_itself() {
    let text = block(|m, io| {
        let word = m.wire("word", bits(8));
        word.set(word + 1);
        io.out.set(word);
    });
    assert_snapshot!(text, @r"
    block: combinational loop: word[0] -> word[0]
      --> `word.set(word + 1);`: `word[0]`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_loop_through_several_wires() {
    let text = block(|m, io| {
        let (first, second, third) = (m.wire("first", bit()), m.wire("second", bit()), m.wire("third", bit()));
        first.set(second & io.go);
        second.set(!third);
        third.set(first);
        io.out.set(third.repeat(8));
    });
    assert_snapshot!(text, @r"
    block: combinational loop: third -> second -> first -> third
      --> `third.set(first);`: `third`
      --> `second.set(!third);`: `second`
      --> `first.set(second & io.go);`: `first`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_register_breaks_a_loop() {
    fine(|m, io| {
        let (first, second) = (m.wire("first", bit()), m.reg("second", bit()));
        first.set(*second & io.go);
        second.set(!first);
        io.out.set(second.repeat(8));
    });
}

#[test]
fn a_loop_of_one_bit_in_a_vector() {
    let text = block(|m, io| {
        let word = m.wire("word", bits(4));
        word.bit(0).set(io.go);
        word.bit(1).set(word.bit(0));
        word.bit(2).set(word.bit(3));
        word.bit(3).set(word.bit(2));
        io.out.set(word.extend(8));
    });
    assert_snapshot!(text, @r"
    block: combinational loop: word[3] -> word[2] -> word[3]
      --> `word.bit(3).set(word.bit(2));`: `word[3]`
      --> `word.bit(2).set(word.bit(3));`: `word[2]`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_vector_whose_bits_drive_higher_ones_is_no_loop() {
    fine(|m, io| {
        let carry = m.wire("carry", bits(4));
        carry.bit(0).set(io.go);
        for i in 1..4 {
            carry.bit(i).set(carry.bit(i - 1) & io.narrow.bit(i));
        }
        io.out.set(carry.extend(8));
    });
}

#[test]
fn a_sum_carries_upwards_alone() {
    fine(|m, io| {
        let word = m.wire("word", bits(8));
        word.slice(0..4).set(io.narrow);
        word.slice(4..8).set((word + io.wide).slice(0..4));
        io.out.set(word);
    });
    let text = block(|m, io| {
        let word = m.wire("word", bits(8));
        word.slice(4..8).set(io.narrow);
        word.slice(0..4).set((word + io.wide).slice(4..8));
        io.out.set(word);
    });
    assert_snapshot!(text, @r"
    block: combinational loop: word[0] -> word[0]
      --> `word.slice(0..4).set((word + io.wide).slice(4..8));`: `word[0]`
      help: a register on the way breaks it
    ");
}

#[test]
fn every_operator_knows_on_which_bits_it_depends() {
    fine(|m, io| {
        let word = m.wire("word", bits(8));
        let low = word.slice(0..4);
        word.slice(0..4).set(io.narrow);
        let sums = [!low, low & io.narrow, low | io.narrow, low ^ io.narrow, low + 1, low - io.narrow, low * low];
        let sums = sums.map(|sum| sum.slice(0..1));
        let tests = [low.equals(1), low.less_than(io.narrow), low.all(), low.any(), low.parity()].map(Bit::bits);
        let vectors = [concat([low, io.narrow]), low.repeat(2), low.signed().extend(8).bits(), word << io.narrow];
        let vectors = vectors.map(|vector| vector.slice(0..1));
        m.ignore("vectors", concat(vectors), "tested");
        word.slice(4..8).set(concat(sums).slice(0..1).extend(4) | concat(tests).slice(1..5));
        io.out.set(mux(low.bit(0), word, io.wide));
    });
}

#[test]
fn elements_that_drive_their_neighbours_are_no_loop() {
    fine(|m, io| {
        let lanes = m.wire("lanes", array(4, bits(2)));
        let shifted = concat([lanes.packed().slice(0..6), io.narrow.slice(0..2)]).elements(2);
        each("lane", 4, |i| lanes.at(i).set(shifted.at(i) ^ io.wide.elements(2).at(i)));
        io.out.set(lanes.packed());
    });
}

#[test]
fn a_loop_of_one_element() {
    let text = block(|m, io| {
        let lanes = m.wire("lanes", array(4, bits(2)));
        let mirrored = concat([0usize, 1, 2, 3].map(|i| lanes.at(i))).elements(2);
        each("lane", 4, |i| {
            when(io.narrow.array().at(i), || lanes.at(i).set(1)).otherwise(|| lanes.at(i).set(mirrored.at(i)));
        });
        io.out.set(lanes.packed());
    });
    assert_snapshot!(text, @r"
    block: combinational loop: lanes[6] -> lanes[0] -> lanes[6]
      --> `when(io.narrow.array().at(i), || lanes.at(i).set(1)).otherwise(|| lanes.at(i).set(mirrored.at(i)));`: `lanes[6]`
      --> `when(io.narrow.array().at(i), || lanes.at(i).set(1)).otherwise(|| lanes.at(i).set(mirrored.at(i)));`: `lanes[0]`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_loop_through_a_condition() {
    let text = block(|m, io| {
        let busy = m.wire("busy", bit());
        when(busy, || busy.set(io.go)).otherwise(|| busy.set(false));
        io.out.set(busy.repeat(8));
    });
    assert_snapshot!(text, @r"
    block: combinational loop: busy -> busy
      --> `when(busy, || busy.set(io.go)).otherwise(|| busy.set(false));`: `busy`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_loop_through_a_mux_and_a_default() {
    let text = block(|m, io| {
        let (chosen, other) = (m.wire("chosen", bit()), m.wire("other", bit()));
        other.set(mux(chosen, io.go, lit(false)));
        m.default(chosen, other);
        when(io.go, || chosen.set(true));
        io.out.set(chosen.repeat(8));
    });
    assert_snapshot!(text, @r#"
    block: combinational loop: other -> chosen -> other
      --> `other.set(mux(chosen, io.go, lit(false)));`: `other`
      --> `let (chosen, other) = (m.wire("chosen", bit()), m.wire("other", bit()));`: `chosen`
      help: a register on the way breaks it
    "#);
}

#[test]
fn a_loop_through_a_computed_index() {
    let text = block(|m, io| {
        let word = m.wire("word", bits(8));
        m.default(word, 0);
        word.bit_at(word.slice(0..3)).set(io.go);
        io.out.set(word);
    });
    assert_snapshot!(text, @r"
    block: combinational loop: word[2] -> word[2]
      --> `word.bit_at(word.slice(0..3)).set(io.go);`: `word[2]`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_loop_through_an_asynchronous_read() {
    let text = block(|m, io| {
        let words = m.memory("words", 16, bits(4));
        let address = m.wire("address", bits(4));
        address.set(words.read(address));
        when(io.go, || words.write(io.narrow, io.narrow));
        io.out.set(address.extend(8));
    });
    assert_snapshot!(text, @r"
    block: combinational loop: address[3] -> address[3]
      --> `address.set(words.read(address));`: `address[3]`
      help: a register on the way breaks it
    ");
}

#[test]
fn a_synchronous_read_breaks_a_loop() {
    fine(|m, io| {
        let words = m.memory("words", 16, bits(4));
        let address = m.wire("address", bits(4));
        address.set(words.read_registered("word", address, io.go, Collision::Old));
        when(io.go, || words.write(io.narrow, io.narrow));
        io.out.set(address.extend(8));
    });
}

#[test]
fn a_loop_inside_a_recurrence() {
    let text = block(|m, io| {
        let seed = m.wire("seed", bit());
        let (last, lanes) = scan("lanes", 4, seed, |i, so_far: Bit| (so_far & io.narrow.array().at(i), so_far));
        seed.set(last);
        io.out.set(lanes.bits().extend(8));
    });
    assert_snapshot!(text, @r#"
    block: combinational loop: lanes_last -> seed -> lanes_last
      --> `let (last, lanes) = scan("lanes", 4, seed, |i, so_far: Bit| (so_far & io.narrow.array().at(i), so_far));`: `lanes_last`
      --> `seed.set(last);`: `seed`
      help: a register on the way breaks it
    "#);
}

#[test]
fn a_recurrence_is_no_loop() {
    fine(|m, io| {
        let (last, lanes) = scan("lanes", 4, io.go, |i, so_far: Bit| (so_far & io.narrow.array().at(i), so_far));
        let feedback = m.wire("feedback", bits(4));
        let copied = fold("copied", 4, lit(false), |i, so_far: Bit| so_far ^ (feedback.array().at(i) & io.go));
        feedback.set(concat([lanes.bits().slice(1..4), last.bits()]));
        m.ignore("lowest", lanes.at(0usize), "not what is tested");
        io.out.set(copied.repeat(8));
    });
}

#[test]
fn a_loop_across_an_instance() {
    let text = block(|m, io| {
        let (first, second) = (m.instance("first", &inverter()), m.instance("second", &inverter()));
        let between = m.named("between", second.inverted & io.wide);
        first.plain.set(between);
        second.plain.set(first.inverted);
        io.out.set(between);
    });
    assert_snapshot!(text, @r#"
    block: combinational loop: first_inverted[0] -> second_plain[0] -> second_inverted[0] -> between[0] -> first_plain[0] -> first_inverted[0]
      --> `let (first, second) = (m.instance("first", &inverter()), m.instance("second", &inverter()));`: `first_inverted[0]`
      --> `second.plain.set(first.inverted);`: `second_plain[0]`
      --> `let (first, second) = (m.instance("first", &inverter()), m.instance("second", &inverter()));`: `second_inverted[0]`
      --> `let between = m.named("between", second.inverted & io.wide);`: `between[0]`
      --> `first.plain.set(between);`: `first_plain[0]`
      help: a register on the way breaks it
    "#);
}

#[test]
fn a_way_there_and_another_back_is_no_loop() {
    /// Ports of two wires that run against each other.
    #[ports]
    struct CrossedPorts {
        /// From here.
        left_in: Input<Bit>,
        /// To there.
        right_out: Output<Bit>,
        /// From there.
        right_in: Input<Bit>,
        /// To here.
        left_out: Output<Bit>,
    }
    fine(|m, io| {
        let crossed = module("crossed", CrossedPorts::shape(&()), |m, io| {
            m.describe("Two wires that run against each other.");
            io.right_out.set(io.left_in);
            io.left_out.set(io.right_in);
        });
        let crossed = m.instance("crossed", &crossed);
        crossed.left_in.set(io.go);
        crossed.right_in.set(!crossed.right_out);
        io.out.set(crossed.left_out.repeat(8));
    });
}

#[test]
fn a_loop_is_found_below_the_top() {
    /// Ports of a module with a loop.
    #[ports]
    struct SpinPorts {
        /// Turns.
        out: Output<Bit>,
    }
    fn spin() -> Module<SpinPorts> {
        module("spin", SpinPorts::shape(&()), |m, io| {
            m.describe("Turns.");
            io.out.set(!io.out);
        })
    }
    let text = errors(|| {
        module("around", SpinPorts::shape(&()), |m, io| {
            m.describe("Holds one that turns, twice.");
            let spins = [m.instance("left", &spin()), m.instance("right", &spin())];
            io.out.set(spins[0].out & spins[1].out);
        })
    });
    assert_snapshot!(text, @r#"
    spin: combinational loop: out -> out
      --> `io.out.set(!io.out);`: `out`
       in module `around` at `module("around", SpinPorts::shape(&()), |m, io| {`
       is instance `around.left`, and 1 more
      help: a register on the way breaks it
    "#);
}
