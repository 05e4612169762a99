//! Registers, resets, several clocks, and the state before the first edge.

use crate::builder::{Builder, assign_part, if_, v};
use tollgate_rtl::Value;
use tollgate_rtl::ir::*;
use tollgate_rtl::sim::{Interpreter, Lockstep, initial_value};

#[test]
fn registers_update_at_once_from_the_settled_values() {
    let mut b = Builder::new("swap");
    let (x, y) = (b.reset_register("x", v(8, 1), false), b.reset_register("y", v(8, 2), false));
    let (read_x, read_y) = (b.read(x), b.read(y));
    b.drive(x, read_y);
    b.drive(y, read_x);
    let mut run = b.run();
    run.set_reset(DomainId(0), true);
    run.step();
    run.set_reset(DomainId(0), false);
    run.step();
    assert_eq!((run.get(x), run.get(y)), (v(8, 2), v(8, 1)));
}

#[test]
fn what_is_not_set_is_kept_bit_by_bit() {
    let mut b = Builder::new("keep");
    let (enable, data) = (b.input("enable", 1), b.input("data", 4));
    let state = b.reset_register("state", v(12, 0xabc), false);
    let (read_enable, read_data) = (b.read(enable), b.read(data));
    let set = assign_part(state, vec![Select::Slice { low: 4, width: 4 }], read_data);
    b.push(if_(read_enable, vec![set]));
    let mut run = b.run();
    run.set_reset(DomainId(0), true);
    run.step();
    run.set_reset(DomainId(0), false);
    run.set(data, v(4, 5));
    run.step();
    assert_eq!(run.get(state), v(12, 0xabc));
    run.set(enable, v(1, 1));
    assert_eq!(run.get(state), v(12, 0xabc));
    run.step();
    assert_eq!(run.get(state), v(12, 0xa5c));
}

#[test]
fn a_synchronous_reset_acts_at_the_edge_and_an_asynchronous_one_at_once() {
    let mut b = Builder::new("resets");
    let data = b.input("data", 8);
    let synchronous = b.reset_register("synchronous", v(8, 0x11), false);
    let asynchronous = b.reset_register("asynchronous", v(8, 0x22), true);
    let without = b.register("without", 8);
    let read = b.read(data);
    for register in [synchronous, asynchronous, without] {
        b.drive(register, read);
    }
    let mut run = b.run();
    let state = |run: &mut Interpreter| [synchronous, asynchronous, without].map(|register| run.get(register));
    run.set(data, v(8, 0xff));
    run.step();
    assert_eq!(state(&mut run), [v(8, 0xff), v(8, 0xff), v(8, 0xff)]);
    run.set(data, v(8, 0xee));
    run.set_reset(DomainId(0), true);
    assert_eq!(state(&mut run), [v(8, 0xff), v(8, 0x22), v(8, 0xff)]);
    run.step();
    assert_eq!(state(&mut run), [v(8, 0x11), v(8, 0x22), v(8, 0xee)]);
    run.set_reset(DomainId(0), false);
    assert_eq!(state(&mut run), [v(8, 0x11), v(8, 0x22), v(8, 0xee)]);
    run.step();
    assert_eq!(state(&mut run), [v(8, 0xee), v(8, 0xee), v(8, 0xee)]);
}

#[test]
fn an_asynchronous_reset_acts_on_its_own_domain_and_its_release_on_nothing() {
    let mut b = Builder::new("release");
    let other = b.domain("other");
    let ones = b.lit(8, 0xff);
    let registers = ["x", "y"].map(|name| b.reset_register(name, v(8, 0), true));
    b.module.signals[registers[1].index()].domain = other;
    for register in registers {
        b.drive(register, ones);
    }
    let mut run = b.run();
    run.edge(&[DomainId(0), other]);
    run.set_reset(other, false);
    assert_eq!(registers.map(|register| run.get(register)), [v(8, 0xff), v(8, 0xff)]);
    run.set_reset(other, true);
    assert_eq!(registers.map(|register| run.get(register)), [v(8, 0xff), v(8, 0)]);
}

/// Two counters, each in its domain, and a register in the second that copies the first counter.
fn two_clocks() -> (Interpreter, DomainId, [SignalId; 3]) {
    let mut b = Builder::new("two_clocks");
    let other = b.domain("other");
    let (x, y, copy) = (
        b.reset_register("x", v(8, 0), false),
        b.reset_register("y", v(8, 0), false),
        b.reset_register("copy", v(8, 0), false),
    );
    for register in [y, copy] {
        b.module.signals[register.index()].domain = other;
    }
    let one = b.lit(8, 1);
    for counter in [x, y] {
        let read = b.read(counter);
        let next = b.binary(Binary::Add, read, one);
        b.drive(counter, next);
    }
    let read = b.read(x);
    b.drive(copy, read);
    (b.run(), other, [x, y, copy])
}

#[test]
fn each_clock_moves_its_own_registers_and_simultaneous_edges_read_the_old_state() {
    let (mut run, other, registers) = two_clocks();
    let first = DomainId(0);
    let state = |run: &mut Interpreter| registers.map(|register| run.get(register).to_u64().unwrap());
    for domain in [first, other] {
        run.set_reset(domain, true);
    }
    run.edge(&[first]);
    run.edge(&[other]);
    for domain in [first, other] {
        run.set_reset(domain, false);
    }
    assert_eq!(state(&mut run), [0, 0, 0]);
    run.step();
    assert_eq!(state(&mut run), [1, 0, 0]);
    run.edge(&[other]);
    assert_eq!(state(&mut run), [1, 1, 1]);
    run.edge(&[first, other]);
    assert_eq!(state(&mut run), [2, 2, 1]);
    assert_eq!((run.cycle(first), run.cycle(other)), (3, 3));
}

#[test]
fn each_domain_has_its_own_reset() {
    let (mut run, other, [x, y, _]) = two_clocks();
    run.set_reset(other, true);
    let before = run.get(x).to_u64().unwrap();
    run.edge(&[DomainId(0), other]);
    assert_eq!(run.get(x), v(8, u128::from(before) + 1));
    assert_eq!(run.get(y), v(8, 0));
}

#[test]
#[should_panic(expected = "`two_clocks` has 2 clock domains, none with number 2")]
fn an_unknown_domain_is_refused() {
    two_clocks().0.edge(&[DomainId(2)]);
}

#[test]
fn registers_start_with_values_of_their_names_and_the_seed() {
    let mut b = Builder::new("seeded");
    let (x, y) = (b.register("x", 600), b.register("y", 600));
    let design = b.design();
    let mut run = Interpreter::new(&design, 1);
    assert_eq!(run.get(x), initial_value(1, "seeded", "x", 0, 600));
    assert_ne!(run.get(x), run.get(y));
    assert_ne!(run.get(x), Interpreter::new(&design, 2).get(x));
}

#[test]
fn initial_values_are_the_same_everywhere_and_for_ever() {
    // From another implementation of SHA-256 and ChaCha8.
    assert_eq!(initial_value(1, "module", "signal", 0, 64).to_string(), "64'h444b3b70b0503dea");
    assert_eq!(initial_value(1, "module", "signal", 1, 64).to_string(), "64'hf2f0c56fc9fd05da");
    assert_eq!(initial_value(2, "module", "signal", 0, 65).to_string(), "65'h0365709887e9ba056");
    let narrow = initial_value(1, "module", "signal", 0, 7);
    assert_eq!(narrow, initial_value(1, "module", "signal", 0, 64).slice(0, 7));
    assert_ne!(initial_value(1, "ab", "c", 0, 64), initial_value(1, "a", "bc", 0, 64));
}

#[test]
fn two_seeds_tell_what_reset_leaves_open() {
    let mut b = Builder::new("open");
    let good = b.reset_register("good", v(8, 0), false);
    let bad = b.register("bad", 8);
    let (read_good, read_bad) = (b.read(good), b.read(bad));
    b.drive(good, read_good);
    b.drive(bad, read_bad);
    let mut runs = Lockstep::seeds(&b.design(), [1, 2]);
    runs.set_reset(DomainId(0), true);
    runs.step();
    runs.set_reset(DomainId(0), false);
    runs.expect_agreement(good);
    let failure = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runs.expect_agreement(bad))).unwrap_err();
    assert_eq!(
        failure.downcast_ref::<String>().unwrap(),
        "`bad` of `open`, cycle 1: 8'h92 with seed 0x1, but only the bits 8'h9d are the same with 0x2"
    );
}

#[test]
fn lockstep_tells_which_bits_depend_on_what_nobody_cares_about() {
    let mut b = Builder::new("masked");
    let a = b.input("a", 64);
    let select = b.input("select", 1);
    let (out, half) = (b.output("out", 64), b.output("half", 64));
    let (read_a, read_select) = (b.read(a), b.read(select));
    let any = b.node(Op::DontCare, 64);
    let mux = b.node(Op::Mux(read_select, any, read_a), 64);
    b.drive(out, mux);
    b.drive(half, any);
    let low = b.slice(read_a, 0, 32);
    b.push(assign_part(half, vec![Select::Slice { low: 0, width: 32 }], low));
    let mut runs = Lockstep::dont_care(&b.design(), 3);
    runs.set(a, &v(64, 0x1234_5678_9abc_def0));
    let agreed = runs.get(out);
    assert_eq!((agreed.value, agreed.mask), (v(64, 0x1234_5678_9abc_def0), Value::ones(64)));
    runs.set(select, &v(1, 1));
    // By chance a quarter of the bits agree in one cycle; over 20 cycles none does.
    let (mut out_mask, mut half_mask) = (Value::ones(64), Value::ones(64));
    let mut by_chance = 0;
    for _ in 0..20 {
        let agreed = runs.get(out).mask;
        by_chance += agreed.bits().count_ones();
        out_mask = Value::new(64, out_mask.bits() & agreed.bits());
        half_mask = Value::new(64, half_mask.bits() & runs.get(half).mask.bits());
        runs.step();
    }
    assert_eq!(out_mask, Value::zero(64));
    assert!((280..360).contains(&by_chance), "{by_chance} of 1280 bits");
    assert_eq!(half_mask, v(64, 0xffff_ffff));
}

#[test]
fn dynamic_writes_to_an_array_of_registers() {
    let mut b = Builder::new("array");
    let (index, data) = (b.input("index", 3), b.input("data", 10));
    let array = b.reset_register("array", Value::zero(50), false);
    let (read_index, read_data) = (b.read(index), b.read(data));
    b.push(assign_part(array, vec![Select::Part { index: Index::Node(read_index), width: 10 }], read_data));
    let mut run = b.run();
    run.set_reset(DomainId(0), true);
    run.step();
    run.set_reset(DomainId(0), false);
    run.set(data, v(10, 0x3ff));
    run.set(index, v(3, 4));
    run.step();
    assert_eq!(run.get(array), v(50, 0x3ff << 40));
    run.set(index, v(3, 5));
    run.set(data, v(10, 0x155));
    run.step();
    assert_eq!(run.get(array), v(50, 0x3ff << 40));
}
