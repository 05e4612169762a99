//! Combinational loops, bit by bit, through loops and instances, reported with their path.
//!
//! A depth-first search over single bits. A bit of a wire depends on the bits of the values assigned to it and on the
//! conditions around; a bit of an expression on what its operator says: bit `i` of a bitwise operator on bits `i`, of a
//! sum on the bits up to `i`, of a comparison on all. Registers and memories end the search; so does the border of the
//! module, as each module is searched when it is closed and instances are followed into the modules they are of.

use crate::error::Error;
use crate::ir::{Binary, Index, InstanceId, LoopId, Module, NodeId, Op, Select, SignalId, SignalKind, Stmt, Unary};
use crate::place::Place;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

pub(super) fn check(module: &Module, done: &[Module]) -> Vec<Error> {
    let suspects = suspects(module);
    let mut search = Search { top: module, done, suspects: &suspects, drivers: HashMap::new(), state: HashMap::new() };
    let bits = suspects.iter().flat_map(|id| (0..module.signal(*id).width).map(|bit| (*id, bit)));
    for (id, bit) in bits {
        if let Some(path) = search.find(Item::Signal(Rc::from([]), id, bit)) {
            return vec![search.report(&path)];
        }
    }
    vec![]
}

fn is_combinational(kind: &SignalKind) -> bool {
    matches!(kind, SignalKind::Wire | SignalKind::Output | SignalKind::InstanceInput { .. })
}

/// The signals that a search is needed for: those that, each taken as one, depend on themselves.
fn suspects(module: &Module) -> BTreeSet<SignalId> {
    let mut graph = petgraph::graphmap::DiGraphMap::<u32, ()>::new();
    let mut reads: Vec<Option<Rc<[SignalId]>>> = vec![None; module.nodes.len()];
    fn read(module: &Module, node: NodeId, known: &mut Vec<Option<Rc<[SignalId]>>>) -> Rc<[SignalId]> {
        if let Some(found) = &known[node.index()] {
            return found.clone();
        }
        let op = &module.node(node).op;
        let mut found: Vec<SignalId> = match op {
            Op::Read(signal) => vec![*signal],
            _ => op.operands().into_iter().flat_map(|operand| read(module, operand, known).to_vec()).collect(),
        };
        found.sort();
        found.dedup();
        let found: Rc<[SignalId]> = found.into();
        known[node.index()] = Some(found.clone());
        found
    }
    for (signal, drivers) in drivers_of(module) {
        for driver in &drivers {
            for node in driver.nodes() {
                for source in read(module, node, &mut reads).iter() {
                    graph.add_edge(source.0, signal.0, ());
                }
            }
        }
    }
    for instance in &module.instances {
        // Taken as one: every output may depend on every input.
        let (inputs, outputs): (Vec<&SignalId>, Vec<&SignalId>) = instance
            .connections
            .iter()
            .partition(|signal| matches!(module.signal(**signal).kind, SignalKind::InstanceInput { .. }));
        for input in &inputs {
            for output in &outputs {
                graph.add_edge(input.0, output.0, ());
            }
        }
    }
    petgraph::algo::tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1 || graph.contains_edge(component[0], component[0]))
        .flatten()
        .map(SignalId)
        .collect()
}

/// What may set bits of a signal.
#[derive(Clone)]
enum Driver {
    /// An assignment below conditions and in loops (outermost first).
    Assign { conditions: Vec<NodeId>, loops: Vec<LoopId>, path: Vec<Select>, value: NodeId, place: Place },
    /// A default.
    Default(NodeId),
    /// The element at the index of a recurrence.
    ScanOutput { index: LoopId, value: NodeId },
    /// The last value of a running value.
    ScanResult { accumulator: SignalId, count: u32, initial: NodeId, next: NodeId },
    /// A running value.
    Running { initial: NodeId, next: NodeId },
}

impl Driver {
    fn nodes(&self) -> Vec<NodeId> {
        match self {
            Driver::Assign { conditions, path, value, .. } => {
                let indices = path.iter().filter_map(|step| match step {
                    Select::Part { index: Index::Node(index), .. } => Some(*index),
                    _ => None,
                });
                conditions.iter().copied().chain(indices).chain([*value]).collect()
            }
            Driver::Default(value) | Driver::ScanOutput { value, .. } => vec![*value],
            Driver::ScanResult { initial, next, .. } => vec![*initial, *next],
            Driver::Running { initial, next } => vec![*initial, *next],
        }
    }
}

/// The drivers of every combinational signal and running value.
fn drivers_of(module: &Module) -> BTreeMap<SignalId, Vec<Driver>> {
    fn visit(
        module: &Module,
        body: &[Stmt],
        conditions: &mut Vec<NodeId>,
        loops: &mut Vec<LoopId>,
        out: &mut BTreeMap<SignalId, Vec<Driver>>,
    ) {
        for statement in body {
            match statement {
                Stmt::Assign { target, value, place } => {
                    if is_combinational(&module.signal(target.signal).kind) {
                        out.entry(target.signal).or_default().push(Driver::Assign {
                            conditions: conditions.clone(),
                            loops: loops.clone(),
                            path: target.path.clone(),
                            value: *value,
                            place: *place,
                        });
                    }
                }
                Stmt::If { arms, otherwise, .. } => {
                    let depth = conditions.len();
                    for (condition, body) in arms {
                        conditions.push(*condition);
                        visit(module, body, conditions, loops, out);
                    }
                    visit(module, otherwise, conditions, loops, out);
                    conditions.truncate(depth);
                }
                Stmt::Switch { selector, arms, .. } => {
                    conditions.push(*selector);
                    arms.iter().for_each(|body| visit(module, body, conditions, loops, out));
                    conditions.pop();
                }
                Stmt::Each { index, body } => {
                    loops.push(*index);
                    visit(module, body, conditions, loops, out);
                    loops.pop();
                }
                Stmt::Scan { index, accumulators, outputs, .. } => {
                    let count = module.loops[index.index()].count;
                    for accumulator in accumulators {
                        let running = Driver::Running { initial: accumulator.initial, next: accumulator.next };
                        out.entry(accumulator.signal).or_default().push(running);
                        if let Some(result) = accumulator.result {
                            out.entry(result).or_default().push(Driver::ScanResult {
                                accumulator: accumulator.signal,
                                count,
                                initial: accumulator.initial,
                                next: accumulator.next,
                            });
                        }
                    }
                    for (signal, value) in outputs {
                        out.entry(*signal).or_default().push(Driver::ScanOutput { index: *index, value: *value });
                    }
                }
                Stmt::MemoryWrite { .. } | Stmt::Check { .. } => {}
            }
        }
    }
    let mut out = BTreeMap::new();
    visit(module, &module.body, &mut vec![], &mut vec![], &mut out);
    for (id, signal) in module.signals() {
        if let Some(default) = signal.default {
            out.entry(id).or_default().push(Driver::Default(default));
        }
    }
    out
}

/// Instances from the searched module down.
type Way = Rc<[InstanceId]>;
/// The values of the indices around.
type Indices = Rc<[(LoopId, u32)]>;

/// What the search goes through.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Item {
    /// A bit of a signal.
    Signal(Way, SignalId, u32),
    /// A bit of a running value, before an iteration.
    Running(Way, SignalId, u32, u32),
    /// A bit of an expression.
    Bit(Way, NodeId, Indices, u32),
    /// Any bit of an expression.
    Any(Way, NodeId, Indices),
    /// Bit `i` of a sum or difference, or the carry into it.
    Carry(Way, NodeId, Indices, u32),
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Open,
    Done,
}

struct Search<'a> {
    top: &'a Module,
    done: &'a [Module],
    /// Signals of `top` that may be on a cycle.
    suspects: &'a BTreeSet<SignalId>,
    drivers: HashMap<*const Module, Rc<BTreeMap<SignalId, Vec<Driver>>>>,
    state: HashMap<Item, Mark>,
}

impl<'a> Search<'a> {
    /// A cycle that can be reached from an item, if there is one.
    fn find(&mut self, start: Item) -> Option<Vec<Item>> {
        if self.state.contains_key(&start) {
            return None;
        }
        let mut stack: Vec<(Item, Vec<Item>)> = vec![];
        self.state.insert(start.clone(), Mark::Open);
        let next = self.successors(&start);
        stack.push((start, next));
        while let Some((item, next)) = stack.last_mut() {
            match next.pop() {
                Some(successor) => match self.state.get(&successor) {
                    Some(Mark::Done) => {}
                    Some(Mark::Open) => {
                        let from =
                            stack.iter().position(|(item, _)| *item == successor).expect("open items are on the stack");
                        return Some(stack[from..].iter().map(|(item, _)| item.clone()).collect());
                    }
                    None => {
                        self.state.insert(successor.clone(), Mark::Open);
                        let next = self.successors(&successor);
                        stack.push((successor, next));
                    }
                },
                None => {
                    self.state.insert(item.clone(), Mark::Done);
                    stack.pop();
                }
            }
        }
        None
    }

    fn module(&self, way: &Way) -> &'a Module {
        way.iter().fold(self.top, |module, instance| &self.done[module.instances[instance.index()].module.index()])
    }

    fn drivers(&mut self, module: &'a Module) -> Rc<BTreeMap<SignalId, Vec<Driver>>> {
        self.drivers.entry(std::ptr::from_ref(module)).or_insert_with(|| Rc::new(drivers_of(module))).clone()
    }

    /// What an item depends on.
    fn successors(&mut self, item: &Item) -> Vec<Item> {
        match item {
            Item::Signal(way, signal, bit) => self.of_signal(way, *signal, *bit),
            Item::Running(way, signal, iteration, bit) => {
                let module = self.module(way);
                let SignalKind::Accumulator(index) = module.signal(*signal).kind else { return vec![] };
                let drivers = self.drivers(module);
                let Some([Driver::Running { initial, next }]) = drivers.get(signal).map(Vec::as_slice) else {
                    return vec![];
                };
                match iteration {
                    0 => vec![Item::Bit(way.clone(), *initial, Rc::from([]), *bit)],
                    _ => vec![Item::Bit(way.clone(), *next, Rc::from([(index, iteration - 1)]), *bit)],
                }
            }
            Item::Any(way, node, indices) => {
                let width = self.module(way).node(*node).width;
                (0..width).map(|bit| Item::Bit(way.clone(), *node, indices.clone(), bit)).collect()
            }
            Item::Carry(way, node, indices, bit) => {
                let op = &self.module(way).node(*node).op;
                let mut found: Vec<Item> = op
                    .operands()
                    .into_iter()
                    .map(|operand| Item::Bit(way.clone(), operand, indices.clone(), *bit))
                    .collect();
                if *bit > 0 {
                    found.push(Item::Carry(way.clone(), *node, indices.clone(), bit - 1));
                }
                found
            }
            Item::Bit(way, node, indices, bit) => self.of_bit(way, *node, indices, *bit),
        }
    }

    fn of_signal(&mut self, way: &Way, signal: SignalId, bit: u32) -> Vec<Item> {
        let module = self.module(way);
        if way.is_empty() && !self.suspects.contains(&signal) {
            return vec![];
        }
        match &module.signal(signal).kind {
            SignalKind::Register { .. } | SignalKind::SyncRead { .. } | SignalKind::Accumulator(_) => vec![],
            SignalKind::Input => match way.split_last() {
                // The border of the searched module.
                None => vec![],
                Some((instance, outer)) => {
                    let outer: Way = outer.into();
                    let position = module.ports().position(|(id, _)| id == signal).expect("an input is a port");
                    let connected = self.module(&outer).instances[instance.index()].connections[position];
                    vec![Item::Signal(outer, connected, bit)]
                }
            },
            SignalKind::InstanceOutput { instance, port } => {
                let of = &self.done[module.instances[instance.index()].module.index()];
                if of.black_box.is_some() {
                    let connections = module.instances[instance.index()].connections.iter();
                    let inputs = connections
                        .filter(|signal| matches!(module.signal(**signal).kind, SignalKind::InstanceInput { .. }));
                    return inputs
                        .flat_map(|input| {
                            (0..module.signal(*input).width).map(|bit| Item::Signal(way.clone(), *input, bit))
                        })
                        .collect();
                }
                let inner: Way = way.iter().copied().chain([*instance]).collect();
                vec![Item::Signal(inner, *port, bit)]
            }
            SignalKind::Wire | SignalKind::Output | SignalKind::InstanceInput { .. } => {
                let drivers = self.drivers(module);
                let mut found = vec![];
                for driver in drivers.get(&signal).into_iter().flatten() {
                    match driver {
                        Driver::Default(value) => found.push(Item::Bit(way.clone(), *value, Rc::from([]), bit)),
                        Driver::ScanOutput { index, value } => {
                            let width = module.node(*value).width;
                            found.push(Item::Bit(way.clone(), *value, Rc::from([(*index, bit / width)]), bit % width));
                        }
                        Driver::ScanResult { accumulator, count, .. } => {
                            found.push(Item::Running(way.clone(), *accumulator, *count, bit))
                        }
                        Driver::Running { .. } => {}
                        Driver::Assign { conditions, loops, path, value, .. } => {
                            let Some(Hit { offset, fixed, computed }) = hit(module, path, bit) else { continue };
                            for indices in every(module, loops, &fixed) {
                                found.extend(
                                    conditions.iter().map(|node| Item::Any(way.clone(), *node, indices.clone())),
                                );
                                found
                                    .extend(computed.iter().map(|node| Item::Any(way.clone(), *node, indices.clone())));
                                found.push(Item::Bit(way.clone(), *value, indices, offset));
                            }
                        }
                    }
                }
                found
            }
        }
    }

    fn of_bit(&self, way: &Way, node: NodeId, indices: &Indices, bit: u32) -> Vec<Item> {
        let module = self.module(way);
        let width_of = |node: NodeId| module.node(node).width;
        let at = |node: NodeId, bit: u32| Item::Bit(way.clone(), node, indices.clone(), bit);
        let any = |node: NodeId| Item::Any(way.clone(), node, indices.clone());
        let width = width_of(node);
        match &module.node(node).op {
            Op::Const(_) | Op::DontCare | Op::LoopIndex(_) => vec![],
            Op::Read(signal) => match module.signal(*signal).kind {
                SignalKind::Accumulator(index) => {
                    let iteration = indices.iter().find(|(id, _)| *id == index).map_or(0, |(_, value)| *value);
                    vec![Item::Running(way.clone(), *signal, iteration, bit)]
                }
                _ => vec![Item::Signal(way.clone(), *signal, bit)],
            },
            Op::Unary(Unary::Not, a) => vec![at(*a, bit)],
            Op::Unary(Unary::Negate, _) | Op::Binary(Binary::Add | Binary::Subtract, ..) => {
                vec![Item::Carry(way.clone(), node, indices.clone(), bit)]
            }
            Op::Unary(Unary::All | Unary::Any | Unary::Parity, a) => vec![any(*a)],
            Op::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => vec![at(*a, bit), at(*b, bit)],
            Op::Binary(_, a, b) => vec![any(*a), any(*b)],
            Op::Mux(condition, a, b) => vec![any(*condition), at(*a, bit), at(*b, bit)],
            Op::Slice { of, low } => vec![at(*of, low + bit)],
            Op::Part { of, index: Index::Loop(index) } => {
                let value = indices.iter().find(|(id, _)| id == index).map_or(0, |(_, value)| *value);
                if value * width + bit < width_of(*of) { vec![at(*of, value * width + bit)] } else { vec![] }
            }
            Op::Part { of, index: Index::Node(index) } => {
                let mut found = vec![any(*index)];
                found.extend((0..width_of(*of) / width).map(|i| at(*of, i * width + bit)));
                found
            }
            Op::Concat(parts) => {
                let mut low = 0;
                for part in parts.iter().rev() {
                    if bit < low + width_of(*part) {
                        return vec![at(*part, bit - low)];
                    }
                    low += width_of(*part);
                }
                vec![]
            }
            Op::Repeat(a) => vec![at(*a, bit % width_of(*a))],
            Op::SignExtend(a) => vec![at(*a, bit.min(width_of(*a) - 1))],
            Op::MemoryRead { address, .. } => vec![any(*address)],
        }
    }
}

/// All values of the indices of nested loops, some of which are fixed.
fn every(module: &Module, loops: &[LoopId], fixed: &[(LoopId, u32)]) -> Vec<Indices> {
    let mut all: Vec<Vec<(LoopId, u32)>> = vec![vec![]];
    for index in loops {
        let values = match fixed.iter().find(|(of, _)| of == index) {
            Some((_, value)) => *value..value + 1,
            None => 0..module.loops[index.index()].count,
        };
        all = all
            .into_iter()
            .flat_map(|outer| values.clone().map(move |i| outer.iter().copied().chain([(*index, i)]).collect()))
            .collect();
    }
    all.into_iter().map(Rc::from).collect()
}

/// How an assignment sets a bit.
struct Hit {
    /// The bit of the value that lands on it.
    offset: u32,
    /// The indices of loops with which it does.
    fixed: Vec<(LoopId, u32)>,
    /// The computed indices that decide whether it does.
    computed: Vec<NodeId>,
}

/// How an assignment along a path sets bit `bit` of its signal; none if it misses.
fn hit(module: &Module, path: &[Select], bit: u32) -> Option<Hit> {
    let mut hit = Hit { offset: bit, fixed: vec![], computed: vec![] };
    for step in path {
        match step {
            Select::Slice { low, width } => {
                hit.offset = hit.offset.checked_sub(*low).filter(|offset| offset < width)?;
            }
            Select::Part { index: Index::Loop(index), width } => {
                let value = hit.offset / width;
                let other = hit.fixed.iter().any(|(of, other)| of == index && *other != value);
                if value >= module.loops[index.index()].count || other {
                    return None;
                }
                hit.fixed.push((*index, value));
                hit.offset %= width;
            }
            Select::Part { index: Index::Node(index), width } => {
                hit.computed.push(*index);
                hit.offset %= width;
            }
        }
    }
    Some(hit)
}

impl Search<'_> {
    /// The signals on a cycle, each with its bit and where it is set, in the order in which one drives the next. Signals
    /// inside of instances are left out: their ports, which are on the cycle too, are what the reader of this module knows.
    fn report(&mut self, path: &[Item]) -> Error {
        let module = self.top;
        let drivers = self.drivers(module);
        let mut steps: Vec<(String, Place)> = vec![];
        // The search goes from what is driven to what drives it.
        for (i, item) in path.iter().enumerate().rev() {
            let Item::Signal(way, id, bit) = item else { continue };
            if !way.is_empty() {
                continue;
            }
            let signal = module.signal(*id);
            let set =
                drivers.get(id).into_iter().flatten().find_map(|driver| match (driver, &path[(i + 1) % path.len()]) {
                    (Driver::Assign { place, .. }, Item::Bit(_, node, ..) | Item::Any(_, node, _)) => {
                        driver.nodes().contains(node).then_some(*place)
                    }
                    _ => None,
                });
            let bit = if signal.width == 1 { String::new() } else { format!("[{bit}]") };
            steps.push((format!("{}{bit}", signal.name), set.unwrap_or(signal.place)));
        }
        let names: Vec<&str> = steps.iter().chain(steps.first()).map(|(name, _)| name.as_str()).collect();
        let mut error = Error::new(format!("combinational loop: {}", names.join(" -> ")));
        for (name, place) in &steps {
            error = error.at(*place, format!("`{name}`"));
        }
        error.help("a register on the way breaks it")
    }
}
