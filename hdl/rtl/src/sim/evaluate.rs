//! Evaluation of one instance's expressions and statements: the meaning given in [`ir`](crate::ir), in its order.

use super::initial::random;
use super::operators;
use super::program::{Instance, Plan, Program};
use crate::ir::{Accumulator, Index, LoopId, MemoryId, Module, NodeId, Op, Select, SignalId, Stmt, Target};
use crate::value::Value;

/// Everything that changes while a design runs.
pub(super) struct State {
    /// By [`Slot`](super::Slot).
    pub values: Vec<Value>,
    /// The words of each memory of each instance.
    pub memories: Vec<Vec<Value>>,
    /// What was computed last for each node of each instance, and when.
    nodes: Vec<(u64, Value)>,
    /// The index of each loop of each instance, and since when.
    loops: Vec<(u64, u32)>,
    /// When a value or a memory changed last.
    changed: u64,
    /// Counts changes: what was computed before the last change of something it depends on is out of date.
    now: u64,
    /// Rising edges so far, of any domain.
    pub edges: u64,
    /// Seed of the values that nobody cares about.
    pub indifferent: u64,
}

impl State {
    /// The state of a design that has not run.
    pub fn new(program: &Program, values: Vec<Value>, memories: Vec<Vec<Value>>, indifferent: u64) -> Self {
        let count = |of: fn(&Module) -> usize| program.instances.iter().map(|i| of(program.module(i))).sum();
        Self {
            values,
            memories,
            nodes: vec![(0, Value::zero(0)); count(|module| module.nodes.len())],
            loops: vec![(0, 0); count(|module| module.loops.len())],
            changed: 1,
            now: 1,
            edges: 0,
            indifferent,
        }
    }

    /// Says that values or memories changed, so that no expression keeps what it was.
    pub fn touch(&mut self) {
        self.now += 1;
        self.changed = self.now;
    }
}

/// Something that a statement does.
pub(super) enum Effect {
    /// Sets the bits of `signal` from `low` up to `value`.
    Assign { signal: SignalId, low: u32, value: Value },
    /// Writes a word of a memory.
    Write(Write),
    /// Judges a property, under loops with their indices.
    Check { holds: bool, indices: Vec<(LoopId, u32)> },
}

/// A write to a memory.
pub(super) struct Write {
    pub memory: MemoryId,
    /// Index into the memory's write ports.
    pub port: u32,
    /// The word, if the memory has it.
    pub address: Option<u32>,
    pub data: Value,
    /// One bit a granule; all of them if absent.
    pub enables: Option<Value>,
}

impl Write {
    /// What a word is after the write. `granule` is the number of bits under one enable.
    pub fn applied(&self, word: &Value, granule: u32) -> Value {
        let Some(enables) = &self.enables else { return self.data.clone() };
        let enabled = (0..enables.width()).filter(|bit| enables.get(*bit)).map(|bit| bit * granule);
        enabled.fold(word.clone(), |word, low| word.with_slice(low, &self.data.slice(low, granule)))
    }
}

/// Evaluates expressions and statements of one instance.
pub(super) struct Evaluator<'a> {
    module: &'a Module,
    plan: &'a Plan,
    instance: &'a Instance,
    state: &'a mut State,
    /// The loops that are running, outermost first.
    running: Vec<LoopId>,
}

impl<'a> Evaluator<'a> {
    pub fn new(program: &'a Program, instance: usize, state: &'a mut State) -> Self {
        let instance = &program.instances[instance];
        Self { module: program.module(instance), plan: program.plan(instance), instance, state, running: vec![] }
    }

    /// The value of an expression. Operands are computed first, and nothing twice as long as nothing changes.
    pub fn value(&mut self, node: NodeId) -> &Value {
        let mut pending = vec![];
        let mut next = Some(node);
        while let Some(node) = next {
            if self.is_fresh(node) {
                next = pending.pop();
            } else if let Some(operand) = self.plan.operands[node.index()].iter().find(|id| !self.is_fresh(**id)) {
                pending.push(node);
                next = Some(*operand);
            } else {
                let value = self.compute(node);
                debug_assert_eq!(value.width(), self.module.node(node).width, "{:?}", self.module.node(node));
                self.state.nodes[self.instance.first_node + node.index()] = (self.state.now, value);
            }
        }
        self.known(node)
    }

    /// The word of a memory of `depth` words that an expression names, if there is one.
    pub fn address(&mut self, node: NodeId, depth: u32) -> Option<u32> {
        within(self.value(node), depth)
    }

    /// Runs statements in order, telling `effects` what each does.
    pub fn run(&mut self, body: &'a [Stmt], effects: &mut dyn FnMut(Effect)) {
        for stmt in body {
            match stmt {
                Stmt::Assign { target, value, .. } => {
                    if let Some(low) = self.position(target) {
                        let value = self.value(*value).clone();
                        effects(Effect::Assign { signal: target.signal, low, value });
                    }
                }
                Stmt::If { arms, otherwise, .. } => {
                    let taken = arms.iter().find(|(condition, _)| self.value(*condition).get(0));
                    self.run(taken.map_or(otherwise, |(_, body)| body), effects);
                }
                Stmt::Switch { selector, encoding, arms, .. } => {
                    let code = self.value(*selector);
                    let variant = encoding.variants.iter().position(|(_, of_variant, _)| of_variant == code);
                    self.run(&arms[variant.unwrap_or(encoding.reset)], effects);
                }
                Stmt::Each { index, body } => {
                    self.iterate(*index, |this| this.run(body, effects));
                }
                Stmt::Scan { index, accumulators, outputs, .. } => {
                    self.scan(*index, accumulators, outputs, effects);
                }
                Stmt::MemoryWrite { memory, port, address, data, enables, .. } => {
                    let depth = self.module.memory(*memory).depth;
                    let write = Write {
                        memory: *memory,
                        port: *port,
                        address: self.address(*address, depth),
                        data: self.value(*data).clone(),
                        enables: enables.map(|enables| self.value(enables).clone()),
                    };
                    effects(Effect::Write(write));
                }
                Stmt::Check { condition, .. } => {
                    let holds = self.value(*condition).get(0);
                    let indices = self.running.iter().map(|id| (*id, self.index(*id))).collect();
                    effects(Effect::Check { holds, indices });
                }
            }
        }
    }

    /// Runs `body` once for each index of a loop, in order.
    fn iterate(&mut self, id: LoopId, mut body: impl FnMut(&mut Self)) {
        self.running.push(id);
        for index in 0..self.module.loops[id.index()].count {
            self.state.now += 1;
            self.state.loops[self.instance.first_loop + id.index()] = (self.state.now, index);
            body(self);
        }
        self.running.pop();
    }

    /// Runs a recurrence.
    fn scan(
        &mut self,
        id: LoopId,
        accumulators: &[Accumulator],
        outputs: &[(SignalId, NodeId)],
        effects: &mut dyn FnMut(Effect),
    ) {
        let initial: Vec<Value> = accumulators.iter().map(|a| self.value(a.initial).clone()).collect();
        self.accumulate(accumulators, initial);
        self.iterate(id, |this| {
            for (signal, value) in outputs {
                let value = this.value(*value).clone();
                effects(Effect::Assign { signal: *signal, low: this.index(id) * value.width(), value });
            }
            let next: Vec<Value> = accumulators.iter().map(|a| this.value(a.next).clone()).collect();
            this.accumulate(accumulators, next);
        });
        for accumulator in accumulators {
            if let Some(result) = accumulator.result {
                let value = self.state.values[self.instance.slot(accumulator.signal).index()].clone();
                effects(Effect::Assign { signal: result, low: 0, value });
            }
        }
    }

    /// Gives all accumulators new values at once. Expressions that read them know by the loop's index, which changes next.
    fn accumulate(&mut self, accumulators: &[Accumulator], values: Vec<Value>) {
        for (accumulator, value) in accumulators.iter().zip(values) {
            self.state.values[self.instance.slot(accumulator.signal).index()] = value;
        }
    }

    /// The lowest bit that a target names, unless it names an element that does not exist.
    fn position(&mut self, target: &Target) -> Option<u32> {
        let mut low = 0;
        let mut width = self.module.signal(target.signal).width;
        for select in &target.path {
            match select {
                Select::Slice { low: offset, width: narrowed } => {
                    low += offset;
                    width = *narrowed;
                }
                Select::Part { index, width: element } => {
                    let count = width / element;
                    let index = match index {
                        Index::Loop(id) => Some(self.index(*id)).filter(|index| *index < count),
                        Index::Node(node) => within(self.value(*node), count),
                    };
                    low += index? * element;
                    width = *element;
                }
            }
        }
        Some(low)
    }

    /// The value of a node from those of its operands.
    fn compute(&self, id: NodeId) -> Value {
        let node = self.module.node(id);
        let width = node.width;
        match &node.op {
            Op::Const(value) => value.clone(),
            Op::DontCare => {
                let names = ["dont_care", &self.instance.path, &id.0.to_string()];
                random(self.state.indifferent, &names, self.state.edges, width)
            }
            Op::Read(signal) => self.state.values[self.instance.slot(*signal).index()].clone(),
            Op::LoopIndex(id) => Value::new(width, self.index(*id)),
            Op::Unary(operator, a) => operators::unary(*operator, self.known(*a)),
            Op::Binary(operator, a, b) => operators::binary(*operator, self.known(*a), self.known(*b)),
            Op::Mux(condition, a, b) => self.known(if self.known(*condition).get(0) { *a } else { *b }).clone(),
            Op::Slice { of, low } => self.known(*of).slice(*low, width),
            Op::Part { of, index } => {
                let of = self.known(*of);
                let count = of.width() / width;
                let index = match index {
                    Index::Loop(id) => Some(self.index(*id)).filter(|index| *index < count),
                    Index::Node(node) => within(self.known(*node), count),
                };
                index.map_or(Value::zero(width), |index| of.slice(index * width, width))
            }
            Op::Concat(parts) => parts.iter().fold(Value::zero(0), |high, part| high.concat(self.known(*part))),
            Op::Repeat(a) => operators::repeat(self.known(*a), width),
            Op::SignExtend(a) => operators::sign_extend(self.known(*a), width),
            Op::MemoryRead { memory, address } => {
                let words = &self.state.memories[self.instance.memory(*memory)];
                let address = within(self.known(*address), words.len() as u32);
                address.map_or(Value::zero(width), |address| words[address as usize].clone())
            }
        }
    }

    /// The value computed last for a node.
    fn known(&self, node: NodeId) -> &Value {
        &self.state.nodes[self.instance.first_node + node.index()].1
    }

    /// Whether nothing that a node depends on changed since it was computed.
    fn is_fresh(&self, node: NodeId) -> bool {
        let computed = self.state.nodes[self.instance.first_node + node.index()].0;
        let loop_changed =
            self.plan.innermost[node.index()].map_or(0, |id| self.state.loops[self.instance.first_loop + id.index()].0);
        computed >= self.state.changed.max(loop_changed)
    }

    /// The present index of a loop.
    fn index(&self, id: LoopId) -> u32 {
        self.state.loops[self.instance.first_loop + id.index()].1
    }
}

/// An unsigned number, if it is below `count`.
fn within(number: &Value, count: u32) -> Option<u32> {
    number.to_u64().filter(|number| *number < u64::from(count)).map(|number| number as u32)
}

/// Sets the bits of `whole` from `low` up to `part`.
pub(super) fn overwrite(whole: &mut Value, low: u32, part: Value) {
    *whole = if part.width() == whole.width() { part } else { whole.with_slice(low, &part) };
}
