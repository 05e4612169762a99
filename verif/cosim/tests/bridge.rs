//! The bridge itself: ports of every width, clocks, seeds, stops, printing, waves.

use num_bigint::BigUint;
use tollgate_cosim::{Model, ModelBuilder};

/// A file of `tests/verilog/`, whose name is its top module's.
fn model(top: &str) -> ModelBuilder {
    Model::of(top).file(format!("verif/cosim/tests/verilog/{top}.v")).unwrap()
}

#[test]
fn six_hundred_bits_add() {
    let model = model("adder").build().unwrap();
    let mut dut = model.instance(1).unwrap();
    let (a, b) = (dut.input("a").unwrap(), dut.input("b").unwrap());
    let sum = dut.output("sum").unwrap().of_width(601).unwrap();

    let all_ones = (BigUint::from(1u32) << 600u32) - 1u32;
    for (left, right) in [
        (BigUint::ZERO, BigUint::ZERO),
        (all_ones.clone(), BigUint::from(1u32)),
        (all_ones.clone(), all_ones.clone()),
        (BigUint::from(1u32) << 599u32, BigUint::from(1u32) << 31u32),
    ] {
        a.set_big(&left);
        b.set_big(&right);
        dut.eval().unwrap();
        assert_eq!(sum.get_big(), left + right);
    }
}
