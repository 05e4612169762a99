//! Instances, paths into them, and black boxes.

use crate::builder::{Builder, v};
use std::sync::Arc;
use tollgate_rtl::Value;
use tollgate_rtl::ir::*;
use tollgate_rtl::sim::{Interpreter, initial_value};

/// `next = state + step`, and the state.
fn counter() -> Module {
    let mut b = Builder::new("counter");
    let step = b.input("step", 8);
    let next = b.output("next", 8);
    let state = b.register("state", 8);
    let (read_state, read_step) = (b.read(state), b.read(step));
    let sum = b.binary(Binary::Add, read_state, read_step);
    b.drive(next, sum);
    let read_next = b.read(next);
    b.drive(state, read_next);
    b.module
}

/// A counter whose step is what another counter's next state is.
fn two_counters() -> (Design, SignalId, SignalId) {
    let counter = counter();
    let mut b = Builder::new("outer");
    let other = b.domain("other");
    let step = b.input("step", 8);
    let out = b.output("out", 8);
    let first = b.instance("first", ModuleId(0), &counter, vec![DomainId(0)]);
    let second = b.instance("second", ModuleId(0), &counter, vec![other]);
    let (read_step, read_first, read_second) = (b.read(step), b.read(first[1]), b.read(second[1]));
    b.drive(out, read_second);
    b.drive(second[0], read_first);
    b.drive(first[0], read_step);
    (Design { modules: vec![counter, b.module] }, step, out)
}

#[test]
fn values_pass_through_instances_and_each_has_its_own_state_and_clock() {
    let (design, step, out) = two_counters();
    let mut run = Interpreter::new(&design, 9);
    let initial = initial_value(9, "counter", "state", 0, 8).to_u64().unwrap();
    let modulo = |number: u64| v(8, u128::from(number) % 256);
    run.set(step, v(8, 3));
    assert_eq!(run.get(out), modulo(2 * initial + 3));
    run.step();
    assert_eq!(run.get_path("first.state"), modulo(initial + 3));
    assert_eq!(run.get_path("second.state"), modulo(initial));
    assert_eq!(run.get_path("second.next"), modulo(2 * initial + 6));
    assert_eq!(run.get_path("second.next"), run.get_path("out"));
    run.edge(&[DomainId(1)]);
    assert_eq!(run.get_path("second.state"), modulo(2 * initial + 6));
}

#[test]
fn an_unknown_path_is_refused_with_what_there_is() {
    let (design, _, _) = two_counters();
    let run = Interpreter::new(&design, 9);
    assert_eq!(
        run.find("third.state").unwrap_err().to_string(),
        "no `third.state`: `outer` has no `third`, but first, second"
    );
    assert_eq!(
        run.find("first.stats").unwrap_err().to_string(),
        "no `first.stats`: `outer.first` has no `stats`, but step, next, state"
    );
}

#[test]
fn a_loop_of_signals_but_not_of_bits_settles_across_instances() {
    // Each stage shifts its own bit into a vector that goes around: `out = in << 1 | bit`.
    let mut stage = Builder::new("stage");
    let (vector, bit, shifted) = (stage.input("vector", 4), stage.input("bit", 1), stage.output("shifted", 4));
    let (read_vector, read_bit) = (stage.read(vector), stage.read(bit));
    let low = stage.slice(read_vector, 0, 3);
    let value = stage.node(Op::Concat(vec![low, read_bit]), 4);
    stage.drive(shifted, value);
    let stage = stage.module;

    let mut b = Builder::new("ring");
    let bits = b.input("bits", 2);
    let out = b.output("out", 4);
    let first = b.instance("first", ModuleId(0), &stage, vec![DomainId(0)]);
    let second = b.instance("second", ModuleId(0), &stage, vec![DomainId(0)]);
    let read_bits = b.read(bits);
    for (i, (ports, from)) in [(&first, second[2]), (&second, first[2])].into_iter().enumerate() {
        let (vector, bit) = (b.read(from), b.slice(read_bits, i as u32, 1));
        b.drive(ports[0], vector);
        b.drive(ports[1], bit);
    }
    let read = b.read(first[2]);
    b.drive(out, read);
    let mut run = Interpreter::new(&Design { modules: vec![stage, b.module] }, 1);
    run.set(bits, v(2, 0b01));
    assert_eq!(run.get(out), v(4, 0b0101));
    run.set(bits, v(2, 0b10));
    assert_eq!(run.get(out), v(4, 0b1010));
}

/// Sums its input while its second domain is not in reset; shows the sum and its complement.
#[derive(Default)]
struct Sum(u64);

impl BlackBoxModel for Sum {
    fn outputs(&mut self, inputs: &[Value]) -> Vec<Value> {
        let sum = self.0 + inputs[0].to_u64().unwrap();
        vec![v(8, u128::from(sum)), v(8, u128::from(!sum))]
    }

    fn edge(&mut self, domain: usize, reset: bool, inputs: &[Value]) {
        assert_eq!(domain, 1);
        self.0 = if reset { 0 } else { self.0 + inputs[0].to_u64().unwrap() };
    }
}

#[test]
fn a_black_box_is_its_model() {
    let mut b = Builder::new("sum");
    b.input("addend", 8);
    b.output("sum", 8);
    b.output("complement", 8);
    b.domain("work");
    b.module.black_box = Some(BlackBox { model: Arc::new(|| Box::new(Sum::default())) });
    let sum = b.module;

    let mut b = Builder::new("outer");
    let work = b.domain("work");
    let unrelated = b.domain("unrelated");
    let addend = b.input("addend", 8);
    let (out, complement) = (b.output("out", 8), b.output("complement", 8));
    let ports = b.instance("summing", ModuleId(0), &sum, vec![unrelated, work]);
    let (read, read_sum, read_complement) = (b.read(addend), b.read(ports[1]), b.read(ports[2]));
    b.drive(ports[0], read);
    b.drive(out, read_sum);
    b.drive(complement, read_complement);
    let mut run = Interpreter::new(&Design { modules: vec![sum, b.module] }, 1);
    run.set(addend, v(8, 5));
    assert_eq!((run.get(out), run.get(complement)), (v(8, 5), v(8, 250)));
    run.edge(&[work]);
    assert_eq!(run.get(out), v(8, 10));
    run.step();
    assert_eq!(run.get(out), v(8, 10));
    run.set_reset(work, true);
    run.edge(&[work]);
    assert_eq!(run.get(out), v(8, 5));
}

/// Puts out one bit where two are declared.
struct Narrow;

impl BlackBoxModel for Narrow {
    fn outputs(&mut self, _: &[Value]) -> Vec<Value> {
        vec![v(1, 1)]
    }

    fn edge(&mut self, _: usize, _: bool, _: &[Value]) {}
}

#[test]
#[should_panic(expected = "the model of `outer.narrow` puts out [1] bits, its ports have [2]")]
fn a_model_whose_outputs_do_not_fit_its_ports_is_refused() {
    let mut b = Builder::new("narrow");
    b.output("out", 2);
    b.module.black_box = Some(BlackBox { model: Arc::new(|| Box::new(Narrow)) });
    let narrow = b.module;
    let mut b = Builder::new("outer");
    b.instance("narrow", ModuleId(0), &narrow, vec![DomainId(0)]);
    Interpreter::new(&Design { modules: vec![narrow, b.module] }, 1).settle();
}
