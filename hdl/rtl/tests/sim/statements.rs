//! Each statement, and what reading a signal means.

use crate::builder::{Builder, assign, assign_part, encoding, if_, one_hot, v};
use tollgate_rtl::ir::*;
use tollgate_rtl::sim::Interpreter;
use tollgate_rtl::{Place, Value};

fn at_loop(index: LoopId, width: u32) -> Vec<Select> {
    vec![Select::Part { index: Index::Loop(index), width }]
}

fn at(index: NodeId, width: u32) -> Vec<Select> {
    vec![Select::Part { index: Index::Node(index), width }]
}

fn bits(low: u32, width: u32) -> Vec<Select> {
    vec![Select::Slice { low, width }]
}

#[test]
fn reading_a_wire_gives_its_final_value_even_before_it_is_set() {
    let mut b = Builder::new("late");
    let a = b.input("a", 8);
    let w = b.wire("w", 8);
    let out = b.output("out", 8);
    let (read_w, read_a) = (b.read(w), b.read(a));
    let zero = b.lit(8, 0);
    b.drive(out, read_w);
    b.drive(w, zero);
    b.drive(w, read_a);
    let mut run = b.run();
    run.set(a, v(8, 0x5a));
    assert_eq!(run.get(out), v(8, 0x5a));
}

#[test]
fn the_last_assignment_wins_for_each_bit() {
    let mut b = Builder::new("last");
    let out = b.output("out", 12);
    let (all, middle, low) = (b.lit(12, 0x111), b.lit(8, 0x22), b.lit(4, 0x3));
    b.drive(out, all);
    b.push(assign_part(out, bits(4, 8), middle));
    b.push(assign_part(out, [bits(4, 8), bits(4, 4)].concat(), low));
    assert_eq!(b.run().get(out), v(12, 0x321));
}

#[test]
fn a_default_holds_for_each_bit_that_nothing_sets() {
    let mut b = Builder::new("defaults");
    let condition = b.input("condition", 1);
    let out = b.output("out", 8);
    let (default, nibble, read) = (b.lit(8, 0xab), b.lit(4, 0xc), b.read(condition));
    b.module.signals[out.index()].default = Some(default);
    b.push(if_(read, vec![assign_part(out, bits(4, 4), nibble)]));
    let mut run = b.run();
    assert_eq!(run.get(out), v(8, 0xab));
    run.set(condition, v(1, 1));
    assert_eq!(run.get(out), v(8, 0xcb));
}

#[test]
fn if_runs_the_first_arm_that_holds() {
    let mut b = Builder::new("arms");
    let (p, q) = (b.input("p", 1), b.input("q", 1));
    let out = b.output("out", 4);
    let (read_p, read_q) = (b.read(p), b.read(q));
    let values: Vec<NodeId> = (0..3).map(|i| b.lit(4, i)).collect();
    b.push(Stmt::If {
        arms: vec![(read_p, vec![assign(out, values[0])]), (read_q, vec![assign(out, values[1])])],
        otherwise: vec![assign(out, values[2])],
        place: Place::here(),
    });
    let mut run = b.run();
    for (inputs, result) in [((0, 0), 2), ((0, 1), 1), ((1, 0), 0), ((1, 1), 0)] {
        run.set(p, v(1, inputs.0));
        run.set(q, v(1, inputs.1));
        assert_eq!(run.get(out), v(4, result), "{inputs:?}");
    }
}

#[test]
fn an_arm_that_sets_nothing_still_keeps_later_arms_from_running() {
    let mut b = Builder::new("empty_arm");
    let (p, q) = (b.input("p", 1), b.input("q", 1));
    let (out, other) = (b.output("out", 1), b.output("other", 1));
    let (read_p, read_q) = (b.read(p), b.read(q));
    let (zero, one) = (b.lit(1, 0), b.lit(1, 1));
    b.drive(out, zero);
    b.drive(other, zero);
    b.push(Stmt::If {
        arms: vec![(read_p, vec![assign(other, one)]), (read_q, vec![assign(out, one)])],
        otherwise: vec![],
        place: Place::here(),
    });
    let mut run = b.run();
    run.set(p, v(1, 1));
    run.set(q, v(1, 1));
    assert_eq!((run.get(out), run.get(other)), (v(1, 0), v(1, 1)));
}

#[test]
fn an_illegal_code_runs_the_arm_of_the_reset_variant() {
    let mut b = Builder::new("switch");
    let selector = b.input("selector", 3);
    let out = b.output("out", 4);
    let read = b.read(selector);
    let arms = (0..3).map(|i| vec![assign(out, b.lit(4, 10 + i))]).collect();
    let encoding = encoding("State", 3, 1, &[("Idle", 0b001), ("Busy", 0b010), ("Done", 0b100)]);
    b.push(Stmt::Switch { selector: read, encoding, arms, place: Place::here() });
    let mut run = b.run();
    for (code, result) in [(0b001, 10), (0b010, 11), (0b100, 12), (0b000, 11), (0b101, 11), (0b111, 11)] {
        run.set(selector, v(3, code));
        assert_eq!(run.get(out), v(4, result), "{code:03b}");
    }
}

#[test]
fn each_runs_once_for_each_index_in_order() {
    let mut b = Builder::new("each");
    let input = b.input("input", 12);
    let (out, last) = (b.output("out", 12), b.output("last", 2));
    let i = b.a_loop("i", 3, None);
    let read = b.read(input);
    let element = b.node(Op::Part { of: read, index: Index::Loop(i) }, 4);
    let index = b.node(Op::LoopIndex(i), 2);
    let zeros = b.lit(2, 0);
    let wide = b.node(Op::Concat(vec![zeros, index]), 4);
    let sum = b.binary(Binary::Add, element, wide);
    b.push(Stmt::Each { index: i, body: vec![assign_part(out, at_loop(i, 4), sum), assign(last, index)] });
    let mut run = b.run();
    run.set(input, v(12, 0xf83));
    assert_eq!(run.get(out), v(12, 0x193)); // 3 + 0, 8 + 1, f + 2
    assert_eq!(run.get(last), v(2, 2));
}

#[test]
fn nested_loops_and_statements_that_share_a_loop() {
    let mut b = Builder::new("nested");
    let matrix = b.output("matrix", 6 * 4);
    let again = b.output("again", 2 * 4);
    let row = b.a_loop("row", 2, None);
    let column = b.a_loop("column", 3, Some(row));
    let (row_index, column_index) = (b.node(Op::LoopIndex(row), 2), b.node(Op::LoopIndex(column), 2));
    let both = b.node(Op::Concat(vec![row_index, column_index]), 4);
    let path = [at_loop(row, 12), at_loop(column, 4)].concat();
    let inner = Stmt::Each { index: column, body: vec![assign_part(matrix, path, both)] };
    b.push(Stmt::Each { index: row, body: vec![inner] });
    let twice = b.node(Op::Concat(vec![row_index, row_index]), 4);
    b.push(Stmt::Each { index: row, body: vec![assign_part(again, at_loop(row, 4), twice)] });
    let mut run = b.run();
    assert_eq!(run.get(matrix), v(24, 0x654_210));
    assert_eq!(run.get(again), v(8, 0x50));
}

#[test]
fn of_dynamic_writes_that_meet_the_later_wins_and_those_beyond_the_end_do_nothing() {
    let mut b = Builder::new("dynamic");
    let (i, j) = (b.input("i", 3), b.input("j", 3));
    let out = b.output("out", 20);
    let (read_i, read_j) = (b.read(i), b.read(j));
    let (zero, one, two) = (b.lit(20, 0), b.lit(4, 1), b.lit(4, 2));
    b.drive(out, zero);
    b.push(assign_part(out, at(read_i, 4), one));
    b.push(assign_part(out, at(read_j, 4), two));
    let mut run = b.run();
    for (inputs, result) in [((0, 1), 0x00021), ((3, 3), 0x02000), ((4, 5), 0x10000), ((5, 7), 0)] {
        run.set(i, v(3, inputs.0));
        run.set(j, v(3, inputs.1));
        assert_eq!(run.get(out), v(20, result), "{inputs:?}");
    }
}

#[test]
fn a_dynamic_bit_of_a_dynamic_element_beyond_its_element_does_nothing() {
    let mut b = Builder::new("inner");
    let (element, bit) = (b.input("element", 2), b.input("bit", 3));
    let out = b.output("out", 15);
    let (read_element, read_bit) = (b.read(element), b.read(bit));
    let (zero, one) = (b.lit(15, 0), b.lit(1, 1));
    b.drive(out, zero);
    b.push(assign_part(out, [at(read_element, 5), at(read_bit, 1)].concat(), one));
    let mut run = b.run();
    for (inputs, result) in [((0, 0), 1), ((1, 4), 1 << 9), ((2, 0), 1 << 10), ((1, 5), 0), ((3, 0), 0)] {
        run.set(element, v(2, inputs.0));
        run.set(bit, v(3, inputs.1));
        assert_eq!(run.get(out), v(15, result), "{inputs:?}");
    }
}

/// Prefix sums of five elements of four bits: `sums` before each element, `total` after all.
fn prefix_sums() -> (Interpreter, SignalId, SignalId, SignalId) {
    let mut b = Builder::new("prefix");
    let input = b.input("input", 20);
    let (sums, total) = (b.wire("sums", 20), b.wire("total", 4));
    let (out_sums, out_total) = (b.output("out_sums", 20), b.output("out_total", 4));
    let i = b.a_loop("i", 5, None);
    let sum = b.signal("sum", 4, SignalKind::Accumulator(i));
    let initial = b.lit(4, 1);
    let read = b.read(input);
    let element = b.node(Op::Part { of: read, index: Index::Loop(i) }, 4);
    let before = b.read(sum);
    let next = b.binary(Binary::Add, before, element);
    b.push(Stmt::Scan {
        index: i,
        accumulators: vec![Accumulator { signal: sum, initial, next, result: Some(total) }],
        outputs: vec![(sums, before)],
        place: Place::here(),
    });
    let (read_sums, read_total) = (b.read(sums), b.read(total));
    b.drive(out_sums, read_sums);
    b.drive(out_total, read_total);
    (b.run(), input, out_sums, out_total)
}

#[test]
fn scan_carries_its_accumulator_from_element_to_element() {
    let (mut run, input, sums, total) = prefix_sums();
    run.set(input, v(20, 0x54321));
    assert_eq!(run.get(sums), v(20, 0xb7421));
    assert_eq!(run.get(total), v(4, 0));
    run.set(input, v(20, 0x00001));
    assert_eq!(run.get(sums), v(20, 0x22221));
    assert_eq!(run.get(total), v(4, 2));
}

#[test]
fn accumulators_take_their_next_values_at_once() {
    let mut b = Builder::new("fibonacci");
    let (result, other) = (b.output("result", 16), b.output("other", 16));
    let (wire, other_wire) = (b.wire("wire", 16), b.wire("other_wire", 16));
    let i = b.a_loop("i", 20, None);
    let (x, y) = (b.signal("x", 16, SignalKind::Accumulator(i)), b.signal("y", 16, SignalKind::Accumulator(i)));
    let (zero, one) = (b.lit(16, 0), b.lit(16, 1));
    let (read_x, read_y) = (b.read(x), b.read(y));
    let sum = b.binary(Binary::Add, read_x, read_y);
    b.push(Stmt::Scan {
        index: i,
        accumulators: vec![
            Accumulator { signal: x, initial: zero, next: read_y, result: Some(wire) },
            Accumulator { signal: y, initial: one, next: sum, result: Some(other_wire) },
        ],
        outputs: vec![],
        place: Place::here(),
    });
    let (read_wire, read_other) = (b.read(wire), b.read(other_wire));
    b.drive(result, read_wire);
    b.drive(other, read_other);
    let mut run = b.run();
    assert_eq!(run.get(result), v(16, 6765)); // the 20th number of Fibonacci
    assert_eq!(run.get(other), v(16, 10946));
}

#[test]
fn a_chain_through_the_bits_of_one_wire_settles() {
    // carry[0] = in; carry[i + 1] = carry[i] & enable[i], written from the top down.
    let width = 600;
    let mut b = Builder::new("chain");
    let (enable, first) = (b.input("enable", width - 1), b.input("first", 1));
    let carry = b.wire("carry", width);
    let out = b.output("out", width);
    let (read_carry, read_enable, read_first) = (b.read(carry), b.read(enable), b.read(first));
    for bit in (0..width - 1).rev() {
        let (from, by) = (b.slice(read_carry, bit, 1), b.slice(read_enable, bit, 1));
        let and = b.binary(Binary::And, from, by);
        b.push(assign_part(carry, bits(bit + 1, 1), and));
    }
    b.push(assign_part(carry, bits(0, 1), read_first));
    b.drive(out, read_carry);
    let mut run = b.run();
    run.set(enable, Value::ones(width - 1));
    run.set(first, v(1, 1));
    assert_eq!(run.get(out), Value::ones(width));
    run.set(enable, Value::ones(width - 1).with_slice(299, &v(1, 0)));
    assert_eq!(run.get(out), Value::ones(300).resized(width));
    run.set(first, v(1, 0));
    assert_eq!(run.get(out), Value::zero(width));
}

#[test]
fn a_loop_that_finds_no_values_is_an_error_that_names_it() {
    let mut b = Builder::new("ring");
    let (x, y) = (b.wire("x", 1), b.wire("y", 1));
    let line = line!() - 1;
    let out = b.output("out", 1);
    let (read_x, read_y) = (b.read(x), b.read(y));
    let not = b.unary(Unary::Not, read_y);
    b.drive(x, not);
    b.drive(y, read_x);
    b.drive(out, read_y);
    let error = b.run().try_settle().unwrap_err().to_string();
    let file = file!();
    assert_eq!(
        error,
        format!("a combinational loop does not settle\n  --> {file}:{line}: ring.x\n  --> {file}:{line}: ring.y")
    );
}

#[test]
fn dont_care_is_stable_within_a_cycle_and_follows_the_seed() {
    let mut b = Builder::new("indifferent");
    let a = b.input("a", 1);
    let out = b.output("out", 64);
    let node = b.node(Op::DontCare, 64);
    b.drive(out, node);
    let design = b.design();
    let mut run = Interpreter::new(&design, 7);
    let first = run.get(out);
    run.set(a, v(1, 1));
    assert_eq!(run.get(out), first);
    run.step();
    assert_ne!(run.get(out), first);
    assert_eq!(Interpreter::new(&design, 7).get(out), first);
    assert_ne!(Interpreter::with_indifferent_seed(&design, 7, 8).get(out), first);
}

#[test]
fn probes_show_expressions() {
    let mut b = Builder::new("probed");
    let a = b.input("a", 65);
    let read = b.read(a);
    let not = b.unary(Unary::Not, read);
    b.module.probes.push(Probe { node: not, name: "inverse".into(), place: Place::here() });
    let mut run = b.run();
    run.set(a, one_hot(65, 64));
    assert_eq!(run.get_path("probe_inverse"), v(65, 0xffff_ffff_ffff_ffff));
}

#[test]
#[should_panic(expected = "`a` of `narrow` has 8 bits, the value 4'h3 has 4")]
fn a_value_of_another_width_is_refused() {
    let mut b = Builder::new("narrow");
    let a = b.input("a", 8);
    b.run().set(a, v(4, 3));
}

#[test]
#[should_panic(expected = "`out` of `driven` is no input port")]
fn only_inputs_can_be_set() {
    let mut b = Builder::new("driven");
    let out = b.output("out", 8);
    b.run().set(out, v(8, 3));
}
