//! The Verilog of each construct and each trap, as text.

mod build;
mod circuits;

use tollgate_rtl::elaborate;
use tollgate_rtl::prelude::*;
use tollgate_rtl::verilog::print;

/// Compares the text of a design with the recorded one.
fn shown(name: &str) {
    let design = circuits::all().into_iter().find(|d| d.top().name == name).expect("a circuit");
    let text: Vec<String> = print(&design).into_iter().map(|f| f.text).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text.join("\n"));
    });
}

macro_rules! shown {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            shown(stringify!($name));
        })*

        /// Every circuit has its text recorded.
        #[test]
        fn all_are_shown() {
            let shown = [$(stringify!($name)),*];
            for design in circuits::all() {
                assert!(shown.contains(&design.top().name.as_str()), "{} is not shown", design.top().name);
            }
        }
    };
}

shown!(
    access_log_table,
    asynchronous,
    constants,
    dynamic_writes,
    full_states,
    hierarchy,
    later_assignments,
    loop_corners,
    memories,
    memory_corners,
    nested_each,
    operators,
    properties,
    ranges,
    recurrences,
    resets,
    ripple,
    scalars_in_each,
    sharing,
    states,
    two_clocks,
    wires,
);

/// The text is the same each time.
#[test]
fn printing_is_deterministic() {
    for (a, b) in circuits::all().iter().zip(circuits::all()) {
        assert_eq!(print(a), print(&b));
    }
}

/// An expression that many read is printed once: else each step here would double the text.
#[test]
fn shared_expressions_are_printed_once() {
    use build::Builder;
    use tollgate_rtl::ir::Binary;
    let mut b = Builder::new("doubling");
    let x = b.input("x", 64);
    let sum = (0..40).fold(x, |sum, _| b.bin(Binary::Add, sum, sum));
    let out = b.output("out", 64);
    b.set(out, sum);
    let text = print(&b.design()).remove(0).text;
    assert!(text.lines().count() < 100, "{text}");
    assert!(text.len() < 10_000, "{text}");
}

/// One more reader of an expression, elsewhere, leaves all names as they are.
#[test]
fn an_edit_in_one_place_renames_nothing_in_another() {
    use build::Builder;
    use tollgate_rtl::ir::Binary;
    let circuit = |more: bool| {
        let mut b = Builder::new("edited");
        let (x, y) = (b.input("x", 8), b.input("y", 8));
        let sum = b.bin(Binary::Add, x, y);
        let product = b.bin(Binary::Multiply, sum, y);
        let low = b.slice(product, 0, 8);
        let high = b.slice(product, 8, 8);
        let (first, second) = (b.output("first", 8), b.output("second", 8));
        let both = b.and(low, high);
        let neither = b.not(both);
        b.set(first, neither);
        let other = b.bin(Binary::Xor, sum, high);
        b.set(second, other);
        if more {
            // `x + y` was shared before; `low & high` becomes shared.
            let third = b.output("third", 8);
            let value = b.bin(Binary::Subtract, both, sum);
            b.set(third, value);
        }
        print(&b.design()).remove(0).text
    };
    let names = |text: &str| -> Vec<String> {
        let wires =
            text.lines().filter_map(|l| l.trim().strip_prefix("wire ")?.split(" = ").next().map(str::to_string));
        wires.collect()
    };
    let (before, after) = (circuit(false), circuit(true));
    assert!(names(&before).len() >= 2, "{before}");
    for name in names(&before) {
        assert!(names(&after).contains(&name), "`{name}` is gone from:\n{after}");
    }
    assert!(names(&after).len() > names(&before).len(), "{after}");
}

/// Ports of an inverter.
#[ports]
struct Inverter {
    /// What is inverted.
    a: Input<Bits<4>>,
    /// The inverse.
    y: Output<Bits<4>>,
}

/// Trap: places of Rust in the text would make every diff noisy.
#[test]
fn where_a_circuit_is_written_does_not_show() {
    macro_rules! inverter {
        () => {
            elaborate(|| {
                module("inverter", Inverter::shape(&()), |m, io| {
                    m.describe("Inverter.");
                    let last = m.delayed("last", !io.a).reset(0).describe("The inverse.");
                    io.y.set(*last);
                })
            })
            .expect("a circuit")
        };
    }
    let here = inverter!();
    let there = inverter!();
    assert_ne!(here.ir().top().place.line(), there.ir().top().place.line());
    assert_eq!(print(here.ir()), print(there.ir()));
}
