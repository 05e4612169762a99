//! The interpreter with the handles of the language.

use num_bigint::BigInt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_rtl::{Design, Place};

/// What a unit does.
#[derive(Clone, Copy, PartialEq, Debug, Encoding)]
enum Mode {
    /// Nothing.
    Idle,
    /// Adds.
    Add,
    /// Subtracts.
    Subtract,
}

/// A number and how to treat it.
#[bundle]
struct Command {
    /// What to do.
    mode: Code<Mode>,
    /// The number.
    number: Signed<8>,
}

/// Ports of an accumulator.
#[ports]
struct AccumulatorPorts {
    /// What to do in this cycle.
    command: Input<Command>,
    /// Four numbers to choose from.
    numbers: Input<Array<Bits<5>, 4>>,
    /// Which of them.
    which: Input<Bits<2>>,
    /// The one chosen.
    chosen: Output<Bits<5>>,
    /// The sum so far.
    sum: Output<Signed<8>>,
    /// What was done last.
    last: Output<Command>,
    /// Whether anything was done since reset.
    busy: Output<Bit>,
}

fn accumulator() -> Design<AccumulatorPorts> {
    let design = elaborate(|| {
        module("accumulator", AccumulatorPorts::shape(&()), |m, io| {
            m.describe("Adds and subtracts numbers.");
            let sum = m.reg("sum_so_far", signed(8)).reset(0);
            let last = m.reg("last_command", Command::shape(&())).reset(0);
            let busy = m.reg("was_busy", bit()).reset(0);
            switch(io.command.mode, |mode| match mode {
                Mode::Idle => {}
                Mode::Add => sum.set(*sum + io.command.number),
                Mode::Subtract => sum.set(*sum - io.command.number),
            });
            when(!io.command.mode.is(Mode::Idle), || {
                last.set(io.command);
                busy.set(true);
            });
            m.assert("the sum stays below 100", sum.less_than(100));
            m.probe("next", *sum + io.command.number);
            io.chosen.set(io.numbers.at(io.which));
            io.sum.set(*sum);
            io.last.set(*last);
            io.busy.set(*busy);
        })
    });
    design.unwrap_or_else(|errors| panic!("{errors}"))
}

/// The text of the panic that `action` ends in, and the line that it is at.
fn panic_of(action: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(action)).expect_err("it should panic");
    payload.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn ports_take_numbers_plain_structs_and_arrays() {
    let mut sim = Sim::new(&accumulator(), 0x51);
    let io = sim.io();
    sim.reset();
    sim.expect(io.busy, 0);
    sim.set(io.command, CommandPlain { mode: Mode::Add, number: BigInt::from(-3) });
    sim.step();
    sim.set(io.command.mode, Mode::Subtract);
    sim.set(io.command.number, 4);
    sim.step();
    sim.expect(io.sum, -7);
    sim.expect(io.busy, true);
    sim.expect(io.last.mode, Mode::Subtract);
    sim.expect(io.last, CommandPlain { mode: Mode::Subtract, number: BigInt::from(4) });
    assert_eq!(sim.get(io.sum), BigInt::from(-7));
    assert_eq!(sim.get(io.last), CommandPlain { mode: Mode::Subtract, number: BigInt::from(4) });

    sim.set(io.numbers, [3u8, 31, 0, 7].map(|number| Value::new(5, number)).to_vec());
    for (which, number) in [3u32, 31, 0, 7].into_iter().enumerate() {
        sim.set(io.which, which);
        sim.expect(io.chosen, number);
        assert_eq!(sim.get(io.chosen), Value::new(5, number));
    }
    assert_eq!(sim.peek("probe_next"), Value::new(8, 0xfdu8));
    assert_eq!(sim.cycle(), 3);
}

#[test]
fn a_failed_expectation_tells_cycle_seed_signals_and_values_at_the_place_of_the_caller() {
    let mut sim = Sim::new(&accumulator(), 0x51);
    let io = sim.io();
    sim.reset();
    sim.set(io.command, CommandPlain { mode: Mode::Add, number: BigInt::from(5) });
    sim.step();
    let other = CommandPlain { mode: Mode::Subtract, number: BigInt::from(-5) };
    let text = panic_of(|| sim.expect(io.last, other));
    assert_eq!(
        text,
        "accumulator cycle 2 seed 0x51: `last_mode` is 2'h1 (Add), expected 2'h2 (Subtract); \
         `last_number` is 8'h05, expected 8'hfb"
    );

    let line = std::sync::Arc::new(std::sync::Mutex::new(0));
    let (seen, hook) = (line.clone(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        let location = info.location().expect("a place");
        if location.file() == Place::here().file() {
            *seen.lock().unwrap() = location.line();
        }
        hook(info);
    }));
    let expected = line!() + 1;
    panic_of(|| sim.expect(io.sum, 6));
    assert_eq!(*line.lock().unwrap(), expected);
}

#[test]
fn a_failed_expectation_tells_where_the_waves_are_and_they_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("accumulator.fst");
    let mut sim = Sim::new(&accumulator(), 0x51);
    let io = sim.io();
    sim.waves(&path).unwrap();
    sim.reset();
    let text = panic_of(|| sim.expect(io.sum, 1));
    assert_eq!(
        text,
        format!("accumulator cycle 1 seed 0x51: `sum` is 8'h00, expected 8'h01\n  waves: {}", path.display())
    );
    let waves = wellen::simple::read(&path).unwrap();
    assert!(waves.hierarchy().lookup_var(&["accumulator"], "sum_so_far").is_some());
    assert!(waves.hierarchy().lookup_var(&["accumulator"], "last_mode_name").is_some());
}

#[test]
fn waves_that_cannot_be_written_are_an_error() {
    let mut sim = Sim::new(&accumulator(), 1);
    let error = sim.waves("/nonexistent/accumulator.fst").unwrap_err();
    assert_eq!(error.to_string(), "cannot write the waves /nonexistent/accumulator.fst");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "I/O operation failed");
}

#[test]
fn a_property_that_does_not_hold_ends_the_test() {
    let mut sim = Sim::new(&accumulator(), 1);
    let io = sim.io();
    sim.reset();
    sim.set(io.command, CommandPlain { mode: Mode::Add, number: BigInt::from(100) });
    sim.step();
    sim.set(io.command.mode, Mode::Idle);
    let text = panic_of(|| sim.step());
    assert!(
        text.starts_with(
            "accumulator cycle 3 seed 0x1: accumulator, cycle 2: assertion failed: the sum stays below 100\n  --> "
        ),
        "{text}"
    );
    let text = panic_of(|| sim.step());
    assert_eq!(text.matches("assertion failed").count(), 1, "told once: {text}");
    assert!(text.contains("accumulator, cycle 3: assertion failed"), "{text}");
}

#[test]
fn what_does_not_fit_or_cannot_be_set_is_refused() {
    let mut sim = Sim::new(&accumulator(), 1);
    let io = sim.io();
    let head = "accumulator cycle 0 seed 0x1: ";
    let mut refused = |action: &mut dyn FnMut(&mut Sim<AccumulatorPorts>)| panic_of(|| action(&mut sim));
    assert_eq!(refused(&mut |sim| sim.set(io.which, 4)), format!("{head}`which` has 2 bits: 4 does not fit"));
    assert_eq!(refused(&mut |sim| sim.set(io.which, -1)), format!("{head}`which` has 2 bits: -1 does not fit"));
    assert_eq!(
        refused(&mut |sim| sim.set(io.which, Value::new(3, 1u8))),
        format!("{head}`which` has 2 bits, the value 3'h1 has 3")
    );
    assert_eq!(
        refused(&mut |sim| sim.set(io.command.number, 128)),
        format!("{head}`command_number` has 8 bits: 128 does not fit")
    );
    assert_eq!(
        refused(&mut |sim| sim.set(io.command.number, BigInt::from(-129))),
        format!("{head}`command_number` has 8 bits: -129 does not fit")
    );
    assert_eq!(refused(&mut |sim| sim.set(io.busy, 1)), format!("{head}`busy` is no input and cannot be set"));
    assert_eq!(refused(&mut |sim| sim.edge(&["memory"])), "`accumulator` has no clock domain `memory`, but ``");
    let stranger = accumulator().io();
    assert_eq!(
        refused(&mut |sim| sim.set(stranger.which, 1)),
        "a handle that is no signal of the top module `accumulator`"
    );
    sim.set(io.command.number, BigInt::from(-128));
}
