//! Mutants: which there are, that none is awake by itself, and that each that is awake is another circuit.

use tollgate_rtl::ir::Design;
use tollgate_rtl::mutate::{Mutated, SELECTOR, SELECTOR_BITS, of_resets};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Interpreter;
use tollgate_rtl::{Value, elaborate};

/// Ports of the circuit that is broken.
#[ports]
struct Io {
    /// An operand.
    a: Input<Bits<4>>,
    /// Another.
    b: Input<Bits<4>>,
    /// A condition.
    on: Input<Bit>,
    /// A result.
    out: Output<Bits<4>>,
    /// Another.
    flags: Output<Bits<4>>,
}

/// A circuit with something of everything that mutants break; each breakage can be seen.
fn circuit() -> Design {
    let design = elaborate(|| {
        module("broken", Io::shape(&()), |m, io| {
            m.describe("To be broken.");
            let sum = m.reg("sum", bits(4)).reset(5).describe("A sum.");
            when(io.on, || sum.set(mux(io.a.less_than(io.b), *sum + io.a, *sum - io.b)));
            let words = m.memory("words", 4, bits(4)).describe("Words.");
            words.write(io.a.slice(2..4), !io.b);
            io.out.set(words.read(io.b.slice(0..2)) ^ *sum);
            io.flags.set(concat([io.a.any().bits(), io.b.all().bits(), io.a.slice(1..3)]));
            m.ignore("nothing", concat([io.a, io.b]), "to be ignored");
        })
    });
    design.expect("a circuit").ir().clone()
}

/// All outputs in 200 cycles of random inputs; `mutant` is set where there is such an input.
fn outputs(design: &Design, mutant: u32) -> Vec<Value> {
    let mut interpreter = Interpreter::new(design, 1);
    let port = |name: &str| design.top().signals().find(|(_, signal)| signal.name == name).map(|(id, _)| id);
    let (mut state, mut seen) = (1_u32, vec![]);
    for cycle in 0..200 {
        for (name, width) in [("a", 4), ("b", 4), ("on", 1)] {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            interpreter.set(port(name).expect("an input"), Value::new(width, state >> 16 & ((1 << width) - 1)));
        }
        if let Some(selector) = port(SELECTOR) {
            interpreter.set(selector, Value::new(SELECTOR_BITS, mutant));
        }
        let domain = tollgate_rtl::ir::DomainId(0);
        interpreter.set_reset(domain, cycle < 2);
        if cycle >= 8 {
            seen.extend(["out", "flags"].map(|name| interpreter.get(port(name).expect("an output"))));
        }
        interpreter.edge(&[domain]);
    }
    seen
}

#[test]
fn these_are_the_mutants() {
    let mutants = Mutated::of(&circuit()).mutants.into_iter().chain(of_resets(&circuit()).into_iter().map(|(m, _)| m));
    let list: Vec<String> = mutants.map(|mutant| mutant.what).collect();
    insta::assert_snapshot!(list.join("\n"));
}

#[test]
fn asleep_a_mutant_does_nothing() {
    let design = circuit();
    assert_eq!(outputs(&Mutated::of(&design).design, 0), outputs(&design, 0));
}

#[test]
fn awake_each_is_another_circuit() {
    let design = circuit();
    let (right, Mutated { design: broken, mutants }) = (outputs(&design, 0), Mutated::of(&design));
    for mutant in mutants {
        assert_ne!(outputs(&broken, mutant.number), right, "mutant {}: {}", mutant.number, mutant.what);
    }
    for (mutant, broken) in of_resets(&design) {
        assert_ne!(outputs(&broken, 0), right, "{}", mutant.what);
    }
}
