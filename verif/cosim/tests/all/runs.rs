//! A failure leaves a message, a wave and the command that repeats it; coverage of both kinds; the
//! two-seed rule.

use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_cosim::{
    CodeCoverage, Coverage, Dut, FailedRun, Failure, Outcome, ResetCheck, Run, Stalls, Tools, workspace,
};

use crate::streams::through_the_fifo;
use crate::{model, source, wave_changes};

fn fail(test: &str) -> FailedRun {
    let faulty = source("fifo").define("FAULT", 1);
    let run = Run::of(test).package("tollgate-cosim");
    *run.try_check(&faulty, |bench| through_the_fifo(bench, [Stalls::Never; 2], 20)).unwrap_err()
}

#[test]
fn a_planted_fault_is_told_in_full() {
    let failed = fail("runs::fifo::a_planted_fault_is_told_in_full");
    let wave = failed.wave.expect("a failing seed leaves a wave");
    let root = workspace::root().unwrap();
    let shown = wave.strip_prefix(root).unwrap_or(&wave).display();
    let told = format!(
        "runs/fifo cycle 10 seed 0x1 beat #7: \
         address rtl=0xb5_c548_8e76 golden=0xf9_e9e1_a119, level rtl=1 golden=2\n\
         wave: {shown}\n\
         rerun: COSIM_SEED=0x1 "
    );
    let command = "cargo test -p tollgate-cosim runs::fifo::a_planted_fault_is_told_in_full -- --exact";
    assert!(failed.message.starts_with(&told) && failed.message.ends_with(command), "{}", failed.message);
    assert_eq!(failed.seed, 1);
    let levels = wave_changes(&wave, "TOP.fifo.out_data_level");
    assert_eq!(levels.last().unwrap().1, BigUint::from(1u32), "the value of the message");
}

#[test]
fn a_panic_is_a_failure_with_a_wave_too() {
    let failed =
        *Run::of("runs::fifo::panics").try_check(&source("fifo"), |bench| panic!("seed {}", bench.seed)).unwrap_err();
    assert_eq!(failed.failure, Failure::other("panic: seed 1"));
    assert!(failed.message.starts_with("runs/fifo seed 0x1 panic: seed 1\nwave: "));
    assert!(failed.wave.unwrap().is_file());
}

#[test]
fn a_test_that_is_no_function_of_its_seed_is_told_so() {
    let calls = std::cell::Cell::new(0);
    let failed = *Run::of("runs::fifo::fickle")
        .try_check(&source("fifo"), |_| {
            calls.set(calls.get() + 1);
            if calls.get() == 1 { Err(Failure::other("once")) } else { Ok(()) }
        })
        .unwrap_err();
    let remark = ".fst (the repetition passed: the test is not a function of its seed)\n";
    assert!(failed.message.contains(remark), "{}", failed.message);
}

#[test]
fn a_model_that_does_not_build_fails_without_a_wave() {
    let broken = tollgate_cosim::Model::of("broken").text("broken.v", "module broken").unwrap();
    let failed = *Run::of("runs::broken::builds").try_check(&broken, |_| Ok(())).unwrap_err();
    assert!(failed.message.contains("model broken: verilator failed\n"), "{}", failed.message);
    assert!(failed.message.contains("wave: none: there is no model\n"), "{}", failed.message);
}

#[test]
fn seeds_fill_the_bins_together() {
    let declared = Coverage::new().point("parity", ["even", "odd"]);
    let run = |seeds| {
        let run = Run::of("runs::fifo::bins").seeds(seeds).coverage(declared.clone());
        run.try_check(&source("fifo"), |bench| {
            let bin = if bench.seed % 2 == 0 { "even" } else { "odd" };
            bench.coverage.sample(&[("parity", bin)]);
            Ok(())
        })
        .unwrap()
    };
    assert_eq!(run(1).empty_bins(), ["parity=even"]);
    assert!(run(2).empty_bins().is_empty());
}

#[test]
fn verilator_counts_what_was_reached() {
    let tools = Tools::find().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let counted = source("two_clocks").coverage(true).build().unwrap();
    let run = |name: &str, clock: &str| {
        let mut dut = counted.instance(1).unwrap();
        let clock = dut.clock(clock).unwrap();
        let reset = dut.input("rst").unwrap();
        dut.reset(&reset, clock, 2).unwrap();
        dut.step(clock).unwrap();
        let path = folder.path().join(name);
        dut.write_coverage(&path).unwrap();
        path
    };
    let (fast, slow) = (run("fast.dat", "fast_clk"), run("slow.dat", "slow_clk"));
    let files = [fast.clone(), slow.clone()];
    let modules = CodeCoverage::of_modules(&tools, &files, &folder.path().join("merged.dat")).unwrap();
    let merge = |files: &[_]| CodeCoverage::merge(&tools, files, &folder.path().join("merged.dat")).unwrap();
    let (one, both) = (merge(std::slice::from_ref(&fast)), merge(&[fast, slow]));
    assert_eq!(one.line.total, 3);
    assert_eq!((one.line.hit, both.line.hit), (2, 3));
    assert_eq!((one.branch.hit, both.branch.hit, both.branch.total), (2, 4, 4));
    assert!(one.toggle.hit < both.toggle.hit && both.toggle.hit < both.toggle.total);
    assert_eq!(modules.into_iter().collect::<Vec<_>>(), [("two_clocks".to_owned(), both)]);
}

#[test]
fn what_a_stopped_model_reached_counts() {
    let mut dut = source("stops").coverage(true).build().unwrap().instance(1).unwrap();
    let clock = dut.clock("clk").unwrap();
    dut.input("how").unwrap().set(1);
    let stopped = dut.step(clock).unwrap_err();
    let folder = tempfile::tempdir().unwrap();
    dut.write_coverage(&folder.path().join("stops.dat")).unwrap();
    let files = [folder.path().join("stops.dat")];
    let reached = CodeCoverage::merge(&Tools::find().unwrap(), &files, &folder.path().join("merged")).unwrap();
    assert!(reached.toggle.hit > 0 && reached.toggle.hit < reached.toggle.total, "{reached}");
    assert_eq!(dut.step(clock).unwrap_err(), stopped, "it stays stopped");
    let absent = folder.path().join("stops.dat/below");
    assert!(dut.write_coverage(&absent).is_err());
}

/// Drives the inputs of a stream at random, the same for all instances.
fn any_stream(dut: &Dut) -> Outcome<impl FnMut(u64) + use<>> {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let inputs = dut.model().ports().iter().filter_map(|port| dut.input(&port.name).ok());
    let driven = |name: &str| name.starts_with("in_") || name == "out_ready";
    let inputs: Vec<_> = inputs.filter(|input| driven(input.name())).collect();
    Ok(move |_cycle| inputs.iter().for_each(|input| input.set(rng.random_range(0..1 << input.width()))))
}

#[test]
fn reset_forgets_or_is_found_not_to() {
    let check = |top: &str, (one, other)| {
        let check = ResetCheck { cycles: 200, ..ResetCheck::default() };
        check.run(&mut model(top).instance(one).unwrap(), other, any_stream)
    };
    check("fifo", (1, 2)).unwrap();
    let text = check("wakes", (1, 2)).unwrap_err().to_string();
    assert!(text.starts_with("kept breaks the two-seed rule: after reset it is 0x"), "{text}");
    check("wakes", (1, 1)).unwrap();
}
