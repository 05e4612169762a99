//! Ports of every width, clocks, seeds, stops and prints.

use std::thread;

use num_bigint::BigUint;
use tollgate_cosim::{DEFAULT_PERIOD_PS, Failure, Schedule};

use crate::{model, source, wave_changes};

#[test]
fn six_hundred_bits_add() {
    let dut = &mut model("adder").instance(1).unwrap();
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
        assert_eq!(sum.get_big(), &left + &right);
    }

    a.set(u64::MAX);
    b.set(1);
    dut.eval().unwrap();
    assert_eq!(sum.get_big(), BigUint::from(1u32) << 64u32, "bits above 63 were cleared");
}

#[test]
fn a_wave_without_a_clock_shows_every_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("adder.fst");
    let mut dut = source("adder").waves(true).build().unwrap().instance(1).unwrap();
    dut.open_wave(&path).unwrap();
    let (a, b) = (dut.input("a").unwrap(), dut.input("b").unwrap());
    for (left, right) in [(1, 2), (30, 4), (5, 600)] {
        a.set(left);
        b.set(right);
        dut.eval().unwrap();
    }
    assert_eq!(dut.time_ps(), 3 * DEFAULT_PERIOD_PS);
    dut.close_wave();
    let sums = wave_changes(&path, "TOP.adder.sum");
    let at = |evaluation: u64, sum: u32| (evaluation * DEFAULT_PERIOD_PS, BigUint::from(sum));
    assert_eq!(sums, [at(1, 3), at(2, 34), at(3, 605)]);
}

#[test]
fn every_storage_class_carries_its_extremes() {
    let dut = &mut model("two_clocks").instance(1).unwrap();
    let clock = dut.clock("fast_clk").unwrap();
    for (name, width) in [("byte", 8), ("half", 16), ("double", 33)] {
        let input = dut.input(&format!("{name}_in")).unwrap().of_width(width).unwrap();
        let output = dut.output(&format!("{name}_out")).unwrap().of_width(width).unwrap();
        for value in [0, 1, 1 << (width - 1), (1 << width) - 1, 0x5a] {
            input.set(value);
            dut.step(clock).unwrap();
            assert_eq!(output.get(), value, "{name}");
            assert_eq!(output.get_big(), BigUint::from(value), "{name}");
        }
    }
}

#[test]
fn two_clocks_count_by_their_periods() {
    let dut = &mut model("two_clocks").instance(1).unwrap();
    let (fast, slow) = (dut.clock("fast_clk").unwrap(), dut.clock("slow_clk").unwrap());
    let reset = dut.input("rst").unwrap();
    reset.set(1);
    dut.step(fast).unwrap();
    dut.step(slow).unwrap();
    reset.set(0);

    let counts = [dut.output("fast").unwrap(), dut.output("slow").unwrap()];
    let mut schedule = Schedule::new().clock(fast, 3_000, 0).clock(slow, 10_000, 2_000);
    let (mut both, start) = (0, dut.time_ps());
    while dut.time_ps() < start + 300_000 {
        let announced = schedule.next_edges();
        let edges = schedule.step(dut).unwrap();
        assert_eq!(edges, announced);
        both += u64::from(edges.contains(fast) && edges.contains(slow));
    }
    // Fast edges at 3, 6, … 300 ns; slow ones at 12, 22, … 292 ns: together at 12, 42, … 282.
    assert_eq!(counts.map(|count| count.get()), [100, 29]);
    assert_eq!((dut.cycle(fast), dut.cycle(slow)), (101, 30), "with one of reset each");
    assert_eq!(both, 10);
}

#[test]
fn a_seed_is_an_initial_state() {
    let model = model("wakes");
    let state = |seed: u64| {
        let mut dut = model.instance(seed).unwrap();
        let (address, word) = (dut.input("address").unwrap(), dut.output("word").unwrap());
        let mut words: Vec<u64> = (0..16)
            .map(|place| {
                address.set(place);
                dut.eval().unwrap();
                word.get()
            })
            .collect();
        words.push(dut.output("kept").unwrap().get());
        words
    };
    let one = state(1);
    assert_eq!(state(1), one, "a seed repeats");
    assert_ne!(state(2), one);
    for (place, word) in one.iter().enumerate() {
        assert!(!one[..place].contains(word), "no two elements are alike: {one:x?}");
    }
    let parallel: Vec<_> = thread::scope(|scope| {
        let run = |seed| scope.spawn(move || state(seed));
        let threads: Vec<_> = (0..8).map(|thread| run(thread % 2 + 1)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (thread, words) in parallel.into_iter().enumerate() {
        assert_eq!(words == one, thread % 2 == 0, "threads do not disturb one another");
    }
}

/// Runs `stops` one cycle.
fn stop(how: u64) -> (Result<(), Failure>, String) {
    let mut dut = model("stops").instance(1).unwrap();
    let clock = dut.clock("clk").unwrap();
    dut.input("how").unwrap().set(how);
    dut.step(clock).unwrap_or_else(|_| assert_ne!(how, 0));
    let outcome = dut.step(clock);
    assert_eq!(dut.eval().err(), outcome.clone().err(), "a stopped model stays so");
    (outcome, dut.take_output())
}

#[test]
fn a_stop_is_an_error_with_its_message() {
    let text = |how| stop(how).0.unwrap_err().to_string();
    assert_eq!(text(1), "src/stops.v:10: the model stopped ($stop, $error, $fatal or an assertion)\n  | how is 1");
    assert_eq!(text(2), "the model ended the simulation ($finish)");
    assert_eq!(
        text(3),
        "src/stops.v:13: the model stopped ($stop, $error, $fatal or an assertion)\n  \
         | [10000] %Fatal: stops.v:13: Assertion failed in TOP.stops: worse than 3"
    );
    assert_eq!(
        text(5),
        "src/stops.v:18: the model stopped ($stop, $error, $fatal or an assertion)\n  \
         | [10000] %Error: stops.v:18: Assertion failed in TOP.stops.at_most_four: \
         'assert' failed."
    );
}

#[test]
fn prints_go_to_the_instance() {
    let (outcome, output) = stop(4);
    assert_eq!(outcome, Ok(()));
    assert_eq!(output, "still here\nstill here\n");
    assert_eq!(stop(0), (Ok(()), String::new()));
}

#[test]
fn wrong_names_and_widths_are_told() {
    let mut dut = model("wakes").instance(1).unwrap();
    assert_eq!(
        dut.input("adress").err().unwrap().to_string(),
        "model wakes has no input `adress`; it has: clk[1], rst[1], address[4]"
    );
    assert_eq!(
        dut.output("address").err().unwrap().to_string(),
        "model wakes has no output `address`; it has: kept[32], cleared[32], word[48]"
    );
    assert_eq!(
        dut.input("address").unwrap().of_width(5).err().unwrap().to_string(),
        "model wakes: port `address` is 4 bits wide, the testbench expects 5"
    );
    assert_eq!(
        dut.clock("address").unwrap_err().to_string(),
        "model wakes: port `address` is 4 bits wide, the testbench expects 1"
    );
    assert_eq!(
        dut.open_wave("never.fst".as_ref()).unwrap_err().to_string(),
        "model wakes was built without waves: build it with `.waves(true)`"
    );
    assert_eq!(
        dut.write_coverage("never.dat".as_ref()).unwrap_err().to_string(),
        "model wakes was built without coverage: build it with `.coverage(true)`"
    );
}

#[test]
#[should_panic(expected = "port `address` is 4 bits wide, the value 0x10 does not fit")]
fn a_value_too_large_panics() {
    model("wakes").instance(1).unwrap().input("address").unwrap().set(16);
}

#[test]
#[should_panic(expected = "port `a` is 600 bits wide, the value 0x1")]
fn a_wide_value_too_large_panics() {
    let too_large = BigUint::from(1u32) << 600u32;
    model("adder").instance(1).unwrap().input("a").unwrap().set_big(&too_large);
}

#[test]
#[should_panic(expected = "port `a` is 600 bits wide, the value 0x1")]
fn words_above_the_width_panic() {
    let mut words = [0; 19];
    words[18] = 1 << 24;
    model("adder").instance(1).unwrap().input("a").unwrap().set_words(&words);
}

#[test]
#[should_panic(expected = "port `sum` is 601 bits wide, `get` takes 64: use `get_big`")]
fn a_wide_port_has_no_u64() {
    let _ = model("adder").instance(1).unwrap().output("sum").unwrap().get();
}
