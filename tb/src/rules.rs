//! Rules that a block keeps whatever it does.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_cosim::{Direction, Dut, Failure, Input, MUTANT_PORT, ModelBuilder, Outcome, ResetCheck, Run};

use crate::{ClockAndReset, any_bits};

/// Cycles in which [`no_path`] looks.
const CYCLES: u64 = 500;
/// How often it changes the inputs within one.
const CHANGES: usize = 8;

/// After reset, nothing that counts depends on what the state was before: the [two-seed rule](ResetCheck), for three
/// seeds, each beside the next one. `stimulus` drives an instance, from a seed.
///
/// # Panics
///
/// As [`Run::check`], if the block breaks the rule.
#[track_caller]
pub fn reset_forgets<S: FnMut(u64)>(run: Run, model: &ModelBuilder, stimulus: impl Fn(&Dut, u64) -> Outcome<S>) {
    run.seeds(3).check(model, |bench| {
        let seed = bench.seed;
        ResetCheck::default().run(&mut bench.dut, seed.wrapping_add(1), |dut| stimulus(dut, seed))
    });
}

/// Sets all inputs but `clk`, `rst` and the selector of mutants at random in every cycle.
///
/// # Errors
///
/// None, if the ports of the model are what it says.
pub fn random_inputs(dut: &Dut, seed: u64) -> Outcome<impl FnMut(u64) + use<>> {
    let inputs = inputs(dut)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(move |_| randomize(&inputs, &mut rng))
}

/// Within a cycle, no output follows an input.
///
/// # Errors
///
/// The output that does, and when; what stops the model.
pub fn no_path(dut: &mut Dut, rng: &mut impl Rng) -> Outcome {
    let timing = ClockAndReset::of(dut)?;
    let inputs = inputs(dut)?;
    let names = dut.model().ports().iter().filter(|port| port.direction == Direction::Output);
    let outputs = names.map(|port| dut.output(&port.name)).collect::<Result<Vec<_>, _>>()?;
    timing.reset(dut)?;
    for cycle in 0..CYCLES {
        dut.eval()?;
        let before: Vec<_> = outputs.iter().map(|output| output.get_big()).collect();
        for _ in 0..CHANGES {
            randomize(&inputs, rng);
            dut.eval()?;
            for (output, before) in outputs.iter().zip(&before) {
                if output.get_big() != *before {
                    return Err(Failure::other(format!("cycle {cycle}: {} follows the inputs", output.name())));
                }
            }
        }
        dut.step(timing.clk)?;
    }
    Ok(())
}

fn inputs(dut: &Dut) -> Outcome<Vec<Input>> {
    let ports = dut.model().ports().iter().filter(|port| port.direction == Direction::Input);
    let data = ports.filter(|port| !["clk", "rst", MUTANT_PORT].contains(&port.name.as_str()));
    Ok(data.map(|port| dut.input(&port.name)).collect::<Result<_, _>>()?)
}

fn randomize(inputs: &[Input], rng: &mut impl Rng) {
    inputs.iter().for_each(|input| input.set_big(&any_bits(rng, input.width())));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic;
    use tollgate_cosim::Model;

    #[test]
    fn state_that_survives_reset_is_told_with_cycle_wave_and_rerun() {
        let keeps = "module keeps (input wire clk, input wire rst, output reg [31:0] kept);\n  \
                     always @(posedge clk) if (!rst) kept <= kept + 32'd1;\nendmodule\n";
        let model = Model::of("keeps").text("keeps.v", keeps).expect("one source");
        let run = Run::of("rules::keeps::reset_forgets").variant("small");
        let told = panic::catch_unwind(|| reset_forgets(run, &model, random_inputs)).expect_err("it keeps its state");
        let told = told.downcast_ref::<String>().expect("a message");
        let lines: Vec<_> = told.lines().collect();
        assert!(lines[0].starts_with("rules/keeps (small) cycle 2 seed 0x"), "{told}");
        assert!(lines[0].contains(" kept breaks the two-seed rule: after reset it is 0x"), "{told}");
        assert!(lines[1].starts_with("wave: ") && lines[1].ends_with(".fst"), "{told}");
        assert!(lines[2].starts_with("rerun: COSIM_SEED=0x"), "{told}");
    }
}
