//! Each operator, by tables of operands and results.

use crate::builder::{Builder, one_hot, v};
use tollgate_rtl::Value;
use tollgate_rtl::ir::{Binary, Index, Op, Unary};

/// The value of one operator of constants: `build` gets the nodes of `operands`.
fn evaluate(
    operands: &[&Value],
    build: impl FnOnce(&mut Builder, &[tollgate_rtl::ir::NodeId]) -> tollgate_rtl::ir::NodeId,
) -> Value {
    let mut b = Builder::new("table");
    let inputs: Vec<_> = operands.iter().enumerate().map(|(i, a)| b.input(&format!("in{i}"), a.width())).collect();
    let nodes: Vec<_> = inputs.iter().map(|input| b.read(*input)).collect();
    let result = build(&mut b, &nodes);
    let width = b.module.node(result).width;
    let output = b.output("out", width);
    b.drive(output, result);
    let mut run = b.run();
    for (input, value) in inputs.iter().zip(operands) {
        run.set(*input, (*value).clone());
    }
    run.get(output)
}

fn ones(width: u32) -> Value {
    Value::ones(width)
}

fn zero(width: u32) -> Value {
    Value::zero(width)
}

#[test]
fn unary_operators() {
    use Unary::*;
    let table = [
        (Not, v(1, 0), v(1, 1)),
        (Not, v(1, 1), v(1, 0)),
        (Not, v(8, 0xa5), v(8, 0x5a)),
        (Not, zero(64), ones(64)),
        (Not, one_hot(65, 64), v(65, 0xffff_ffff_ffff_ffff)),
        (Not, zero(600), ones(600)),
        (Negate, v(1, 1), v(1, 1)),
        (Negate, v(8, 0), v(8, 0)),
        (Negate, v(8, 1), v(8, 0xff)),
        (Negate, v(8, 0x80), v(8, 0x80)),
        (Negate, v(64, 1), ones(64)),
        (Negate, one_hot(65, 64), one_hot(65, 64)),
        (Negate, v(600, 1), ones(600)),
        (All, v(1, 0), v(1, 0)),
        (All, v(1, 1), v(1, 1)),
        (All, ones(64), v(1, 1)),
        (All, v(65, 0xffff_ffff_ffff_ffff), v(1, 0)),
        (All, ones(600), v(1, 1)),
        (Any, v(1, 0), v(1, 0)),
        (Any, v(1, 1), v(1, 1)),
        (Any, one_hot(65, 64), v(1, 1)),
        (Any, one_hot(600, 599), v(1, 1)),
        (Any, zero(600), v(1, 0)),
        (Parity, v(1, 1), v(1, 1)),
        (Parity, v(8, 0b1011_0000), v(1, 1)),
        (Parity, ones(64), v(1, 0)),
        (Parity, ones(65), v(1, 1)),
        (Parity, one_hot(600, 599), v(1, 1)),
    ];
    for (op, a, result) in table {
        assert_eq!(evaluate(&[&a], |b, n| b.unary(op, n[0])), result, "{op:?} {a}");
    }
}

#[test]
fn binary_operators() {
    use Binary::*;
    let table = [
        (And, v(1, 1), v(1, 0), v(1, 0)),
        (And, v(8, 0b1100), v(8, 0b1010), v(8, 0b1000)),
        (And, ones(600), one_hot(600, 599), one_hot(600, 599)),
        (Or, v(8, 0b1100), v(8, 0b1010), v(8, 0b1110)),
        (Or, zero(65), one_hot(65, 64), one_hot(65, 64)),
        (Xor, v(8, 0b1100), v(8, 0b1010), v(8, 0b0110)),
        (Xor, ones(600), ones(600), zero(600)),
        (Add, v(1, 1), v(1, 1), v(1, 0)),
        (Add, v(8, 200), v(8, 100), v(8, 44)),
        (Add, ones(64), v(64, 1), zero(64)),
        (Add, v(65, 0xffff_ffff_ffff_ffff), v(65, 1), one_hot(65, 64)),
        (Add, ones(600), v(600, 2), v(600, 1)),
        (Subtract, v(1, 0), v(1, 1), v(1, 1)),
        (Subtract, v(8, 100), v(8, 200), v(8, 156)),
        (Subtract, v(8, 200), v(8, 100), v(8, 100)),
        (Subtract, zero(64), v(64, 1), ones(64)),
        (Subtract, one_hot(65, 64), v(65, 1), v(65, 0xffff_ffff_ffff_ffff)),
        (Subtract, zero(600), v(600, 1), ones(600)),
        (Multiply, v(1, 1), v(1, 1), v(2, 1)),
        (Multiply, v(8, 255), v(8, 255), v(16, 65025)),
        (Multiply, v(4, 15), v(3, 7), v(7, 105)),
        (Multiply, ones(64), ones(64), v(128, 0xffff_ffff_ffff_fffe_0000_0000_0000_0001)),
        (Multiply, one_hot(300, 299), one_hot(300, 299), one_hot(600, 598)),
        (MultiplySigned, v(1, 1), v(1, 1), v(2, 1)),              // -1 * -1
        (MultiplySigned, v(8, 0xff), v(8, 0x02), v(16, 0xfffe)),  // -1 * 2
        (MultiplySigned, v(8, 0x80), v(8, 0x80), v(16, 0x4000)),  // -128 * -128
        (MultiplySigned, v(4, 0x9), v(3, 0x3), v(7, 0b110_1011)), // -7 * 3 = -21
        (MultiplySigned, ones(64), ones(64), v(128, 1)),
        (MultiplySigned, ones(300), v(300, 1), ones(600)),
        (Equal, v(1, 1), v(1, 1), v(1, 1)),
        (Equal, one_hot(65, 64), zero(65), v(1, 0)),
        (Equal, ones(600), ones(600), v(1, 1)),
        (NotEqual, v(1, 1), v(1, 1), v(1, 0)),
        (NotEqual, one_hot(600, 599), zero(600), v(1, 1)),
        (Less, v(1, 0), v(1, 1), v(1, 1)),
        (Less, v(8, 0x80), v(8, 0x7f), v(1, 0)),
        (Less, v(8, 5), v(8, 5), v(1, 0)),
        (Less, v(65, 0xffff_ffff_ffff_ffff), one_hot(65, 64), v(1, 1)),
        (LessEqual, v(8, 5), v(8, 5), v(1, 1)),
        (LessEqual, one_hot(600, 599), ones(600), v(1, 1)),
        (LessEqual, ones(600), one_hot(600, 599), v(1, 0)),
        (LessSigned, v(1, 1), v(1, 0), v(1, 1)),       // -1 < 0
        (LessSigned, v(8, 0x80), v(8, 0x7f), v(1, 1)), // -128 < 127
        (LessSigned, v(8, 0x7f), v(8, 0x80), v(1, 0)),
        (LessSigned, ones(65), zero(65), v(1, 1)),
        (LessSigned, one_hot(600, 599), ones(600), v(1, 1)),
        (LessEqualSigned, v(8, 0x80), v(8, 0x80), v(1, 1)),
        (LessEqualSigned, v(64, 0), ones(64), v(1, 0)),
        (ShiftLeft, v(1, 1), v(1, 0), v(1, 1)),
        (ShiftLeft, v(1, 1), v(1, 1), v(1, 0)),
        (ShiftLeft, v(8, 0x81), v(4, 1), v(8, 0x02)),
        (ShiftLeft, v(8, 0x81), v(4, 7), v(8, 0x80)),
        (ShiftLeft, v(8, 0x81), v(4, 8), v(8, 0)),
        (ShiftLeft, v(8, 0xff), ones(65), v(8, 0)),
        (ShiftLeft, v(600, 1), v(10, 599), one_hot(600, 599)),
        (ShiftLeft, ones(600), v(10, 600), zero(600)),
        (ShiftRight, v(8, 0x81), v(4, 7), v(8, 1)),
        (ShiftRight, v(8, 0x81), v(4, 8), v(8, 0)),
        (ShiftRight, one_hot(65, 64), v(7, 64), v(65, 1)),
        (ShiftRight, ones(600), v(10, 599), v(600, 1)),
        (ShiftRight, ones(600), one_hot(200, 199), zero(600)),
        (ShiftRightSigned, v(1, 1), v(1, 1), v(1, 1)),
        (ShiftRightSigned, v(8, 0x81), v(4, 1), v(8, 0xc0)),
        (ShiftRightSigned, v(8, 0x41), v(4, 1), v(8, 0x20)),
        (ShiftRightSigned, v(8, 0x81), v(4, 8), v(8, 0xff)),
        (ShiftRightSigned, v(8, 0x7f), v(4, 15), v(8, 0)),
        (ShiftRightSigned, one_hot(65, 64), ones(65), ones(65)),
        (ShiftRightSigned, one_hot(600, 599), v(10, 598), ones(600).with_slice(0, &v(1, 0))),
    ];
    for (op, a, b, result) in table {
        assert_eq!(evaluate(&[&a, &b], |builder, n| builder.binary(op, n[0], n[1])), result, "{a} {op:?} {b}");
    }
}

#[test]
fn a_mux_takes_the_second_operand_for_1_and_the_third_for_0() {
    for (condition, result) in [(v(1, 1), v(8, 0x11)), (v(1, 0), v(8, 0x22))] {
        let value = evaluate(&[&condition, &v(8, 0x11), &v(8, 0x22)], |b, n| b.node(Op::Mux(n[0], n[1], n[2]), 8));
        assert_eq!(value, result);
    }
}

#[test]
fn slices_take_bits_from_low_up() {
    let table = [
        (v(8, 0xa5), 0, 8, v(8, 0xa5)),
        (v(8, 0xa5), 4, 4, v(4, 0xa)),
        (v(8, 0xa5), 7, 1, v(1, 1)),
        (one_hot(600, 599), 599, 1, v(1, 1)),
        (one_hot(600, 64), 63, 65, v(65, 2)),
    ];
    for (a, low, width, result) in table {
        assert_eq!(evaluate(&[&a], |b, n| b.slice(n[0], low, width)), result, "{a} [{low} +: {width}]");
    }
}

#[test]
fn parts_beyond_the_last_element_are_0() {
    let five = v(20, 0xedcba); // elements a, b, c, d, e of four bits
    let table = [
        (v(3, 0), v(4, 0xa)),
        (v(3, 4), v(4, 0xe)),
        (v(3, 5), v(4, 0)),
        (v(3, 7), v(4, 0)),
        (one_hot(65, 64), v(4, 0)),
        (v(600, 3), v(4, 0xd)),
    ];
    for (index, result) in table {
        let value = evaluate(&[&five, &index], |b, n| b.node(Op::Part { of: n[0], index: Index::Node(n[1]) }, 4));
        assert_eq!(value, result, "element {index}");
    }
    let single = evaluate(&[&v(4, 9), &v(1, 1)], |b, n| b.node(Op::Part { of: n[0], index: Index::Node(n[1]) }, 4));
    assert_eq!(single, v(4, 0));
}

#[test]
fn concat_repeat_and_sign_extension() {
    let (a, b, c) = (v(4, 0xa), v(1, 1), v(600, 3));
    let concat = evaluate(&[&a, &b, &c], |builder, n| builder.node(Op::Concat(n.to_vec()), 605));
    assert_eq!(concat, v(605, 3).with_slice(600, &v(5, 0b10101)));

    assert_eq!(evaluate(&[&v(3, 0b101)], |b, n| b.node(Op::Repeat(n[0]), 9)), v(9, 0b101_101_101));
    assert_eq!(evaluate(&[&v(1, 1)], |b, n| b.node(Op::Repeat(n[0]), 600)), ones(600));

    assert_eq!(evaluate(&[&v(4, 0x9)], |b, n| b.node(Op::SignExtend(n[0]), 8)), v(8, 0xf9));
    assert_eq!(evaluate(&[&v(4, 0x7)], |b, n| b.node(Op::SignExtend(n[0]), 8)), v(8, 0x07));
    assert_eq!(evaluate(&[&v(1, 1)], |b, n| b.node(Op::SignExtend(n[0]), 600)), ones(600));
    assert_eq!(evaluate(&[&v(64, 5)], |b, n| b.node(Op::SignExtend(n[0]), 65)), v(65, 5));
}

#[test]
fn a_chain_of_a_hundred_thousand_operators_needs_no_deep_stack() {
    let value = evaluate(&[&v(32, 1)], |b, n| {
        let mut sum = n[0];
        for _ in 0..100_000 {
            sum = b.binary(Binary::Add, sum, n[0]);
        }
        sum
    });
    assert_eq!(value, v(32, 100_001));
}
