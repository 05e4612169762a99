//! The two-seed rule: after reset, nothing visible depends on what was before it.

use crate::dut::Probe;
use crate::failure::{BrokenRule, number};
use crate::model::Direction;
use crate::{Dut, Failure, Outcome};

/// Runs two instances that differ only in the random state they wake up with, through the same
/// reset and stimulus, and compares their outputs in every cycle.
///
/// An output `<prefix>_…` counts only while every output `<prefix>_valid` is high: payload without
/// `valid` may be anything.
#[derive(Debug, Clone)]
pub struct ResetCheck {
    /// The clock input.
    pub clock: String,
    /// The reset input, active high.
    pub reset: String,
    /// Cycles of reset.
    pub reset_cycles: u64,
    /// Cycles compared after it.
    pub cycles: u64,
}

impl Default for ResetCheck {
    /// `clk`, `rst`, two cycles of reset and 1,000 after.
    fn default() -> Self {
        Self { clock: "clk".into(), reset: "rst".into(), reset_cycles: 2, cycles: 1_000 }
    }
}

/// An output and what must be high for it to count.
struct Watched {
    probe: Probe,
    valids: Vec<Probe>,
}

impl ResetCheck {
    /// Compares `one`, which is as it woke up, with an instance of the same model that wakes up by the seed `other`.
    ///
    /// `stimulus` is called once for each instance and gives the function that sets the inputs of
    /// a cycle; what that does may depend on the cycle, on outputs that count, and on a generator
    /// seeded alike for both, on nothing else.
    ///
    /// # Errors
    /// [`Failure::Rule`] naming the output and both values; [`Failure::Stopped`].
    pub fn run<S: FnMut(u64)>(&self, one: &mut Dut, other: u64, stimulus: impl Fn(&Dut) -> Outcome<S>) -> Outcome {
        let mut two = one.model().instance(other)?;
        let seeds = (one.seed(), other);
        let (mut drive_one, mut drive_two) = (stimulus(one)?, stimulus(&two)?);
        let (outputs_one, outputs_two) = (watched(one)?, watched(&two)?);
        for dut in [&mut *one, &mut two] {
            let (clock, reset) = (dut.clock(&self.clock)?, dut.input(&self.reset)?.of_width(1)?);
            dut.reset(&reset, clock, self.reset_cycles)?;
        }
        let (clock_one, clock_two) = (one.clock(&self.clock)?, two.clock(&self.clock)?);
        for cycle in 0..self.cycles {
            drive_one(cycle);
            drive_two(cycle);
            one.eval()?;
            two.eval()?;
            for pair in outputs_one.iter().zip(&outputs_two) {
                compare(cycle + self.reset_cycles, seeds, pair)?;
            }
            one.step(clock_one)?;
            two.step(clock_two)?;
        }
        Ok(())
    }
}

/// All outputs, each with its valids.
fn watched(dut: &Dut) -> Outcome<Vec<Watched>> {
    let ports = dut.model().ports();
    let outputs: Vec<_> = ports.iter().filter(|port| port.direction == Direction::Output).collect();
    let mut watched = Vec::new();
    for output in &outputs {
        let prefixes = output.name.match_indices('_').map(|(end, _)| &output.name[..end]);
        let valids = prefixes.map(|prefix| format!("{prefix}_valid"));
        let valids = valids.filter(|valid| outputs.iter().any(|port| port.name == *valid));
        let valids = valids.filter(|valid| *valid != output.name);
        watched.push(Watched {
            valids: valids.map(|valid| dut.probe(&valid)).collect::<Result<_, _>>()?,
            probe: dut.probe(&output.name)?,
        });
    }
    Ok(watched)
}

impl Watched {
    fn counts(&self) -> bool {
        self.valids.iter().all(Probe::is_set)
    }
}

fn compare(cycle: u64, seeds: (u64, u64), (one, two): (&Watched, &Watched)) -> Outcome {
    let (left, right) = (one.probe.get_big(), two.probe.get_big());
    if left == right || !(one.counts() && two.counts()) {
        return Ok(());
    }
    let (left, right) = (number(&left), number(&right));
    Err(Failure::Rule(Box::new(BrokenRule {
        cycle,
        port: one.probe.name().into(),
        rule: "the two-seed rule",
        seen: format!(
            "after reset it is {left} where the state before was seed {:#x}, {right} where it was {:#x}",
            seeds.0, seeds.1
        ),
    })))
}
