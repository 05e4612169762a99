//! The interpreter: state, settling, clock edges.

use super::check::{Cover, Violation};
use super::edge::Occasion;
use super::evaluate::{Effect, Evaluator, State, overwrite};
use super::initial::initial_value;
use super::program::{Component, Instance, Program, Slot, Step};
use super::waves::{Waves, WavesError};
use crate::ir::{BlackBoxModel, CheckKind, Design, DomainId, Module, SignalId, SignalKind};
use crate::place::Place;
use crate::value::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs a design as its [intermediate representation](crate::ir) says, cycle by cycle.
///
/// Registers, synchronous reads and memories without initial content start with [`initial_value`]; inputs and resets
/// start at 0.
///
/// Misuse (an unknown signal, a wrong width) is a panic at the caller's place.
pub struct Interpreter {
    pub(super) program: Arc<Program>,
    pub(super) state: State,
    /// Models of black boxes, by instance.
    pub(super) models: Vec<Option<Box<dyn BlackBoxModel>>>,
    /// By domain of the top module.
    pub(super) resets: Vec<bool>,
    /// Rising edges so far, by domain of the top module.
    pub(super) cycles: Vec<u64>,
    /// Whether combinational values follow from inputs, resets and state.
    pub(super) settled: bool,
    seed: u64,
    pub(super) violations: Vec<Violation>,
    /// By instance.
    pub(super) first_cover: Vec<usize>,
    pub(super) covers: Vec<Cover>,
    waves: Option<Waves>,
}

impl Interpreter {
    /// A design before its first clock edge.
    pub fn new(design: &Design, seed: u64) -> Self {
        Self::with_indifferent_seed(design, seed, seed)
    }

    /// As [`new`](Self::new), with another seed for the values of [`DontCare`](crate::ir::Op::DontCare): two runs that
    /// differ in it alone differ only where a value depends on one.
    pub fn with_indifferent_seed(design: &Design, seed: u64, indifferent: u64) -> Self {
        let program = Program::new(design);
        let mut values: Vec<Value> = program.widths.iter().map(|width| Value::zero(*width)).collect();
        let mut memories = vec![];
        let mut models = vec![];
        let mut covers = vec![];
        let mut first_cover = vec![];
        for instance in &program.instances {
            let module = program.module(instance);
            for (id, signal) in module.signals() {
                if matches!(signal.kind, SignalKind::Register { .. } | SignalKind::SyncRead { .. }) {
                    let initial = initial_value(seed, &module.name, &signal.name, 0, signal.width);
                    values[instance.slot(id).index()] = initial;
                }
            }
            for memory in &module.memories {
                memories.push(match &memory.initial {
                    Some(words) => {
                        assert!(
                            words.len() == memory.depth as usize,
                            "memory `{}` of `{}` has {} words, its initial content {}",
                            memory.name,
                            module.name,
                            memory.depth,
                            words.len()
                        );
                        words.clone()
                    }
                    None => {
                        let word = |word| initial_value(seed, &module.name, &memory.name, word, memory.width);
                        (0..memory.depth).map(word).collect()
                    }
                });
            }
            models.push(module.black_box.as_ref().map(|black_box| (black_box.model)()));
            first_cover.push(covers.len());
            let properties = program.plan(instance).properties.iter();
            covers.extend(properties.filter(|property| property.kind == CheckKind::Cover).map(|property| Cover {
                message: property.message.clone(),
                instance: instance.path.clone(),
                hits: 0,
                place: property.place,
            }));
        }
        let domains = design.top().domains.len();
        Self {
            state: State::new(&program, values, memories, indifferent),
            program: Arc::new(program),
            models,
            resets: vec![false; domains],
            cycles: vec![0; domains],
            settled: false,
            seed,
            violations: vec![],
            first_cover,
            covers,
            waves: None,
        }
    }

    /// The top module.
    pub fn top(&self) -> &Module {
        self.program.design.top()
    }

    /// The seed of the initial state.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Rising edges that a domain of the top module has had.
    pub fn cycle(&self, domain: DomainId) -> u64 {
        self.cycles[domain.index()]
    }

    /// Sets an input port of the top module.
    #[track_caller]
    pub fn set(&mut self, port: SignalId, value: Value) {
        let top = self.program.design.top();
        let signal = top.signal(port);
        assert!(signal.kind == SignalKind::Input, "`{}` of `{}` is no input port", signal.name, top.name);
        assert!(
            signal.width == value.width(),
            "`{}` of `{}` has {} bits, the value {value} has {}",
            signal.name,
            top.name,
            signal.width,
            value.width()
        );
        let slot = self.program.instances[0].slot(port);
        if self.state.values[slot.index()] != value {
            self.state.values[slot.index()] = value;
            self.settled = false;
        }
    }

    /// Sets the reset of a domain of the top module. Registers with asynchronous reset follow at once, others at the next
    /// edge of their clock.
    #[track_caller]
    pub fn set_reset(&mut self, domain: DomainId, asserted: bool) {
        self.assert_domain(domain);
        self.resets[domain.index()] = asserted;
        for (slot, value, _) in self.program.asynchronous_resets.iter().filter(|(_, _, of)| asserted && *of == domain) {
            self.state.values[slot.index()] = value.clone();
        }
        self.settled = false;
    }

    /// Panics unless the top module has a domain.
    #[track_caller]
    pub(super) fn assert_domain(&self, domain: DomainId) {
        let top = self.top();
        assert!(
            domain.index() < top.domains.len(),
            "`{}` has {} clock domains, none with number {}",
            top.name,
            top.domains.len(),
            domain.index()
        );
    }

    /// The value of a signal of the top module, settled.
    #[track_caller]
    pub fn get(&mut self, signal: SignalId) -> Value {
        self.read(self.program.instances[0].slot(signal))
    }

    /// The value of a slot, settled.
    #[track_caller]
    pub fn read(&mut self, slot: Slot) -> Value {
        self.settle();
        self.state.values[slot.index()].clone()
    }

    /// The value of a signal or probe anywhere, settled, by its path below the top module: `fifo.head`, `fifo.probe_full`.
    #[track_caller]
    pub fn get_path(&mut self, path: &str) -> Value {
        match self.find(path) {
            Ok(slot) => self.read(slot),
            Err(error) => panic!("{error}"),
        }
    }

    /// The slot of a signal or probe, by its path below the top module.
    ///
    /// # Errors
    /// Names the first part of the path that does not exist, and what there is instead.
    pub fn find(&self, path: &str) -> Result<Slot, UnknownPath> {
        let (instance, name) = self.find_instance(path)?;
        let module = self.program.module(instance);
        let probes = module.probes.iter().map(|probe| format!("probe_{}", probe.name));
        let names: Vec<String> = module.signals.iter().map(|signal| signal.name.clone()).chain(probes).collect();
        match names.iter().position(|known| known == name) {
            Some(local) => Ok(instance.slots[local]),
            None => Err(UnknownPath::new(path, name, instance, names)),
        }
    }

    /// A word of a memory, by the memory's path below the top module.
    #[track_caller]
    pub fn memory_word(&self, path: &str, word: u32) -> Value {
        let (instance, name) = self.find_instance(path).unwrap_or_else(|error| panic!("{error}"));
        let memories = &self.program.module(instance).memories;
        let Some(index) = memories.iter().position(|memory| memory.name == name) else {
            let known = memories.iter().map(|memory| memory.name.clone()).collect();
            panic!("{}", UnknownPath::new(path, name, instance, known));
        };
        let words = &self.state.memories[instance.first_memory + index];
        let depth = words.len();
        words.get(word as usize).unwrap_or_else(|| panic!("`{path}` has {depth} words, no word {word}")).clone()
    }

    /// Computes all combinational values.
    ///
    /// # Panics
    /// If [`try_settle`](Self::try_settle) has an error.
    #[track_caller]
    pub fn settle(&mut self) {
        if let Err(error) = self.try_settle() {
            panic!("{error}");
        }
    }

    /// As [`settle`](Self::settle).
    ///
    /// # Errors
    /// If signals that depend on each other find no values that agree. (The checks of the language refuse such a design
    /// before it comes here.)
    pub fn try_settle(&mut self) -> Result<(), Unstable> {
        if self.settled {
            return Ok(());
        }
        let program = Arc::clone(&self.program);
        self.state.touch();
        for component in &program.order {
            match component {
                Component::Straight(step) => {
                    self.compute(&program, *step);
                }
                Component::Cyclic { steps, bits } => self.iterate(&program, steps, *bits)?,
            }
        }
        self.settled = true;
        self.judge(Occasion::Settled);
        Ok(())
    }

    /// Finds values of signals that depend on each other such that all agree.
    ///
    /// If no bit depends on itself, each round makes at least one more bit final, so that as many rounds as there are bits
    /// suffice and one more changes nothing.
    fn iterate(&mut self, program: &Program, steps: &[Step], bits: u64) -> Result<(), Unstable> {
        for step in steps {
            for slot in program.targets(*step) {
                self.state.values[slot.index()] = Value::zero(program.widths[slot.index()]);
            }
        }
        for _ in 0..=bits {
            let mut changed = false;
            for step in steps {
                if self.compute(program, *step) {
                    self.state.touch();
                    changed = true;
                }
            }
            if !changed {
                return Ok(());
            }
        }
        let slots = steps.iter().flat_map(|step| program.targets(*step));
        Err(Unstable { signals: slots.map(|slot| program.describe(slot)).collect() })
    }

    /// Computes what a step sets; says whether that changed anything.
    fn compute(&mut self, program: &Program, step: Step) -> bool {
        let computed: Vec<Value> = match step {
            Step::Drive(instance, driver) => {
                let driver = &program.plan(&program.instances[instance]).drivers[driver];
                let width = program.widths[program.instances[instance].slots[driver.local].index()];
                let mut evaluator = Evaluator::new(program, instance, &mut self.state);
                let default = driver.default.map(|default| evaluator.value(default).clone());
                let mut driven = default.unwrap_or_else(|| Value::zero(width));
                evaluator.run(&driver.body, &mut |effect| {
                    if let Effect::Assign { signal, low, value } = effect
                        && signal.index() == driver.local
                    {
                        overwrite(&mut driven, low, value);
                    }
                });
                vec![driven]
            }
            Step::BlackBox(number) => {
                let instance = &program.instances[number];
                let inputs = self.present(program.inputs(instance));
                let model = self.models[number].as_mut().expect("a black box has a model");
                let outputs = model.outputs(&inputs);
                let widths: Vec<u32> = outputs.iter().map(Value::width).collect();
                let declared: Vec<u32> = program.outputs(instance).map(|slot| program.widths[slot.index()]).collect();
                assert!(
                    widths == declared,
                    "the model of `{}` puts out {widths:?} bits, its ports have {declared:?}",
                    instance.path
                );
                outputs
            }
        };
        let mut changed = false;
        for (slot, value) in program.targets(step).into_iter().zip(computed) {
            let present = &mut self.state.values[slot.index()];
            changed |= *present != value;
            *present = value;
        }
        changed
    }

    /// What the properties of the design came to so far: assertions and assumptions that did not hold, in order of time.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Everything that should happen, and how often it did.
    pub fn covers(&self) -> &[Cover] {
        &self.covers
    }

    /// Writes waves into an FST file from now on, one sample a clock edge; ends those that were being written.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn waves(&mut self, path: impl AsRef<Path>) -> Result<(), WavesError> {
        self.finish_waves()?;
        self.waves = Some(Waves::create(path.as_ref(), &self.program)?);
        Ok(())
    }

    /// Adds the settled values to the waves, if there are any; then the clocks of some domains rise.
    pub(super) fn sample_waves(&mut self, rising: &[DomainId]) {
        if let Some(waves) = &mut self.waves {
            waves.sample(&self.state, &self.resets, rising);
        }
    }

    /// Ends the waves and says where they are, if there are any. Also done when the interpreter is dropped.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish_waves(&mut self) -> Result<Option<PathBuf>, WavesError> {
        if self.waves.is_some() {
            self.settle();
        }
        match self.waves.take() {
            Some(waves) => waves.finish(&self.state, &self.resets).map(Some),
            None => Ok(None),
        }
    }

    /// The values of some slots, as they are.
    pub(super) fn present(&self, slots: impl Iterator<Item = Slot>) -> Vec<Value> {
        slots.map(|slot| self.state.values[slot.index()].clone()).collect()
    }

    /// The instance that a path goes through, and the name at its end.
    fn find_instance<'a>(&self, path: &'a str) -> Result<(&Instance, &'a str), UnknownPath> {
        let program = &self.program;
        let mut number = 0;
        let mut rest = path;
        while let Some((name, below)) = rest.split_once('.') {
            let children = || program.instances.iter().enumerate().filter(|(_, child)| child.parent == Some(number));
            number = match children().find(|(_, child)| child.name == name) {
                Some((child, _)) => child,
                None => {
                    let known = children().map(|(_, child)| child.name.clone()).collect();
                    return Err(UnknownPath::new(path, name, &program.instances[number], known));
                }
            };
            rest = below;
        }
        Ok((&program.instances[number], rest))
    }
}

impl Drop for Interpreter {
    /// Ends the waves; an error is lost here, not in [`Interpreter::finish_waves`].
    fn drop(&mut self) {
        if let Some(waves) = self.waves.take() {
            // While a panic unwinds, signals may be half settled and a model may panic again: show what there is.
            if !std::thread::panicking() {
                let _ = self.try_settle();
            }
            let _ = waves.finish(&self.state, &self.resets);
        }
    }
}

/// A path that names no signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPath {
    path: String,
    part: String,
    within: String,
    known: Vec<String>,
}

impl UnknownPath {
    fn new(path: &str, part: &str, within: &Instance, known: Vec<String>) -> Self {
        Self { path: path.into(), part: part.into(), within: within.path.clone(), known }
    }
}

impl fmt::Display for UnknownPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, part, within, known } = self;
        write!(f, "no `{path}`: `{within}` has no `{part}`, but {}", known.join(", "))
    }
}

impl std::error::Error for UnknownPath {}

/// Signals that depend on each other and find no values that agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unstable {
    /// Path and place of declaration of each.
    signals: Vec<(String, Place)>,
}

impl fmt::Display for Unstable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a combinational loop does not settle")?;
        for (path, place) in &self.signals {
            write!(f, "\n  --> {place}: {path}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Unstable {}
