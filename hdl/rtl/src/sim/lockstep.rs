//! Several runs of one design side by side: what of its outputs they agree on.

use super::interpreter::Interpreter;
use crate::ir::{Design, DomainId, SignalId};
use crate::value::Value;

/// Interpreters of one design with the same inputs and different random values.
pub struct Lockstep {
    runs: Vec<Interpreter>,
}

/// What several runs say of one signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The value in the first run.
    pub value: Value,
    /// 1 for each bit that is the same in all runs.
    pub mask: Value,
}

impl Lockstep {
    /// Three runs from one initial state that differ in the values of [`DontCare`](crate::ir::Op::DontCare): they agree
    /// where a signal does not depend on one (and by chance on a quarter of the bits that do, anew at each edge).
    pub fn dont_care(design: &Design, seed: u64) -> Self {
        let indifferent = [seed, seed.wrapping_add(1), seed.wrapping_add(2)];
        let runs = indifferent.map(|indifferent| Interpreter::with_indifferent_seed(design, seed, indifferent));
        Self { runs: runs.into() }
    }

    /// Runs from several initial states: after reset they must agree on all outputs that are valid.
    pub fn seeds(design: &Design, seeds: [u64; 2]) -> Self {
        Self { runs: seeds.map(|seed| Interpreter::new(design, seed)).into() }
    }

    /// The runs.
    pub fn runs(&self) -> &[Interpreter] {
        &self.runs
    }

    /// Does the same to all runs.
    pub fn each(&mut self, action: impl FnMut(&mut Interpreter)) {
        self.runs.iter_mut().for_each(action);
    }

    /// Sets an input port of the top module in all runs.
    #[track_caller]
    pub fn set(&mut self, port: SignalId, value: &Value) {
        for run in &mut self.runs {
            run.set(port, value.clone());
        }
    }

    /// Sets the reset of a domain in all runs.
    #[track_caller]
    pub fn set_reset(&mut self, domain: DomainId, asserted: bool) {
        for run in &mut self.runs {
            run.set_reset(domain, asserted);
        }
    }

    /// One rising edge of the default domain's clock in all runs.
    #[track_caller]
    pub fn step(&mut self) {
        self.edge(&[DomainId(0)]);
    }

    /// One rising edge of the clocks of some domains in all runs.
    #[track_caller]
    pub fn edge(&mut self, domains: &[DomainId]) {
        for run in &mut self.runs {
            run.edge(domains);
        }
    }

    /// What the runs say of a signal of the top module.
    #[track_caller]
    pub fn get(&mut self, signal: SignalId) -> Agreed {
        let mut values = vec![];
        for run in &mut self.runs {
            values.push(run.get(signal));
        }
        let value = values.swap_remove(0);
        let differing = values.iter().fold(Value::zero(value.width()), |differing, other| {
            Value::new(value.width(), differing.bits() | (value.bits() ^ other.bits()))
        });
        let mask = Value::new(value.width(), Value::ones(value.width()).bits() ^ differing.bits());
        Agreed { value, mask }
    }

    /// Panics unless all runs agree on all bits of a signal of the top module.
    #[track_caller]
    pub fn expect_agreement(&mut self, signal: SignalId) {
        let Agreed { value, mask } = self.get(signal);
        if mask == Value::ones(mask.width()) {
            return;
        }
        let first = &self.runs[0];
        let others: Vec<String> = self.runs[1..].iter().map(|run| format!("{:#x}", run.seed())).collect();
        panic!(
            "`{}` of `{}`, cycle {}: {value} with seed {:#x}, but only the bits {mask} are the same with {}",
            first.top().signal(signal).name,
            first.top().name,
            first.cycle(DomainId(0)),
            first.seed(),
            others.join(", ")
        );
    }
}
