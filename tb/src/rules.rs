//! Rules that a block keeps whatever it does.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_cosim::{Direction, Dut, Failure, Input, MUTANT_PORT, ModelBuilder, Outcome, ResetCheck};

use crate::{ClockAndReset, any_bits};

/// Cycles in which [`no_path`] looks.
const CYCLES: u64 = 500;
/// How often it changes the inputs within one.
const CHANGES: usize = 8;

/// After reset, nothing that counts depends on what the state was before: the [two-seed rule](ResetCheck), for three pairs
/// of seeds. `stimulus` drives an instance, from a seed.
///
/// # Panics
///
/// If the block breaks the rule; the message begins with `block`.
pub fn reset_forgets<S: FnMut(u64)>(block: &str, model: ModelBuilder, stimulus: impl Fn(&Dut, u64) -> Outcome<S>) {
    let built = model.build().unwrap_or_else(|error| panic!("{error}"));
    for seeds in [(1, 2), (3, 4), (5, 6)] {
        let outcome = ResetCheck::default().run(&built, seeds, |dut| stimulus(dut, seeds.0));
        outcome.unwrap_or_else(|failure| panic!("{block}: {failure}"));
    }
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
