//! A circuit ready to run: its design, its Verilog, what is done to it and what the interpreter makes of that.

use std::sync::Arc;

use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_rtl::ir::{Design, DomainId, SignalId};
use tollgate_rtl::sim::{Interpreter, initial_value};
use tollgate_rtl::verilog::{File, Options, print, print_with};
use tollgate_rtl::{Errors, Value};

use super::build::{self, Shown};
use super::recipe::{DOMAINS, Recipe};

/// What is done in one cycle: inputs and resets are set, outputs are looked at, then clocks rise.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// All inputs side by side, the first lowest.
    pub inputs: Value,
    /// By number of the domain in [`DOMAINS`].
    pub resets: [bool; 3],
    /// Clocks that rise, all at once.
    pub edges: [bool; 3],
}

/// A port of the top module.
#[derive(Clone, Debug)]
pub struct Port {
    pub signal: SignalId,
    pub name: String,
    pub width: u32,
    /// Position of its lowest bit among all inputs, or all outputs.
    pub low: u32,
}

/// A circuit ready to run.
#[derive(Clone)]
pub struct Case {
    pub recipe: Recipe,
    pub design: Arc<Design>,
    /// What the `observed` outputs of each module show.
    pub observed: Arc<Vec<[Vec<Shown>; 3]>>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    pub stimulus: Vec<Cycle>,
}

impl Case {
    /// Builds the design of a recipe and draws its stimulus.
    ///
    /// # Errors
    /// What the language refuses.
    pub fn new(recipe: Recipe) -> Result<Self, Errors> {
        let built = build::build(&recipe)?;
        let design = built.design.shared_ir();
        let (inputs, outputs) = build::ports(&design);
        let place = |ids: Vec<SignalId>| -> Vec<Port> {
            let mut low = 0;
            let mut port = |signal: SignalId| {
                let of = design.top().signal(signal);
                low += of.width;
                Port { signal, name: of.name.clone(), width: of.width, low: low - of.width }
            };
            ids.into_iter().map(&mut port).collect()
        };
        let (inputs, outputs) = (place(inputs), place(outputs));
        let stimulus = stimulus(&recipe, &inputs);
        Ok(Self { recipe, observed: Arc::new(built.observed), inputs, outputs, stimulus, design })
    }

    /// The Verilog as it would be delivered.
    pub fn delivered(&self) -> Vec<File> {
        print(&self.design)
    }

    /// The Verilog with the initial state in it.
    pub fn seeded(&self) -> Vec<File> {
        let seed = self.recipe.seed;
        let initial = |module: &str, name: &str, word: u32, width: u32| initial_value(seed, module, name, word, width);
        print_with(&self.design, &Options { initial: Some(&initial) })
    }

    /// Bits of all outputs.
    pub fn output_width(&self) -> u32 {
        self.outputs.iter().map(|port| port.width).sum()
    }

    /// Bits of all inputs.
    pub fn input_width(&self) -> u32 {
        self.inputs.iter().map(|port| port.width).sum()
    }

    /// All outputs in each cycle, side by side, as the interpreter computes them for a design with these ports.
    pub fn interpret(&self, design: &Design) -> Vec<Value> {
        let mut interpreter = Interpreter::new(design, self.recipe.seed);
        let domains = domains(design);
        let mut outputs = vec![];
        for cycle in &self.stimulus {
            for port in &self.inputs {
                interpreter.set(port.signal, cycle.inputs.slice(port.low, port.width));
            }
            for (id, domain) in &domains {
                interpreter.set_reset(*id, cycle.resets[*domain]);
            }
            let together = self.outputs.iter().map(|port| interpreter.get(port.signal));
            outputs.push(together.fold(Value::zero(0), |low, high| high.concat(&low)));
            let rising: Vec<DomainId> =
                domains.iter().filter(|(_, domain)| cycle.edges[*domain]).map(|(id, _)| *id).collect();
            interpreter.edge(&rising);
        }
        outputs
    }
}

/// The domains of the top module, each with its number in [`DOMAINS`].
pub fn domains(design: &Design) -> Vec<(DomainId, usize)> {
    let number = |name: &str| DOMAINS.iter().position(|domain| *domain == name).expect("a domain of a recipe");
    let domains = design.top().domains.iter().enumerate();
    domains.map(|(index, domain)| (DomainId(index as u32), number(&domain.name))).collect()
}

/// What is done to a circuit.
fn stimulus(recipe: &Recipe, inputs: &[Port]) -> Vec<Cycle> {
    let mut rng = ChaCha8Rng::seed_from_u64(recipe.seed);
    rng.set_stream(1);
    let mut cycles: Vec<Cycle> = vec![];
    for number in 0..recipe.cycles {
        let mut together = Value::zero(0);
        for port in inputs {
            let before = cycles.last().map(|cycle| cycle.inputs.slice(port.low, port.width));
            let value = draw(&mut rng, port.width, before);
            together = value.concat(&together);
        }
        // Early on the state is what the seed says; later resets come in the middle of things, some for several cycles.
        let mut resets = [false; 3];
        for (domain, reset) in resets.iter_mut().enumerate() {
            let held = cycles.last().is_some_and(|cycle| cycle.resets[domain]);
            *reset = number > 8 && rng.random_bool(if held { 0.4 } else { 0.04 });
        }
        let edges = [rng.random_bool(0.9), rng.random_bool(0.5), rng.random_bool(0.6)];
        cycles.push(Cycle { inputs: together, resets, edges });
    }
    cycles
}

/// A value that is interesting more often than a random one.
fn draw(rng: &mut ChaCha8Rng, width: u32, before: Option<Value>) -> Value {
    let random =
        |rng: &mut ChaCha8Rng| Value::new(width, BigUint::new((0..width.div_ceil(32)).map(|_| rng.random()).collect()));
    match rng.random_range(0..12) {
        0 => Value::zero(width),
        1 => Value::ones(width),
        2 => Value::new(width, rng.random_range(0..16u32)),
        3 => Value::new(width, BigUint::from(1u8) << rng.random_range(0..width)),
        4 => Value::new(width, Value::ones(width).bits() ^ Value::new(width, rng.random_range(0..4u32)).bits()),
        5 | 6 => before.unwrap_or_else(|| random(rng)),
        _ => random(rng),
    }
}
