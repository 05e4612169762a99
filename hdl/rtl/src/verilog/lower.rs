//! From a module's statements to the processes that Verilog wants: what is driven where, and in which loops.
//!
//! The representation says what a design means; this says how it is laid out. Each signal is driven by exactly one
//! item (or one item for each of its disjoint parts). Expressions stay nodes here: they become text in [`super::express`].

use super::constant::{self, Decided};
use super::names::Names;
use super::order::ordered;
use super::support::Support;
use crate::ir::{self, Binary, CheckKind, Collision, DomainId, Encoding, Index, InstanceId, LoopId, MemoryId, Module};
use crate::ir::{NodeId, Op, Select, SignalId, SignalKind};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included};
use std::sync::Arc;

/// Bits of something with a name: `width` bits from `low` plus the sum of the loops' indices times their strides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bits {
    /// The name.
    pub name: String,
    /// Width of what is named.
    pub total: u32,
    /// Loops and the distance between iterations.
    pub terms: Vec<(LoopId, u32)>,
    /// Lowest bit at the first iterations.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

impl Bits {
    pub(super) fn whole(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), total: width, terms: vec![], low: 0, width }
    }

    pub(super) fn slice(mut self, low: u32, width: u32) -> Self {
        assert!(low + width <= self.width, "slice of {}", self.name);
        self.low += low;
        self.width = width;
        self
    }

    pub(super) fn element(mut self, index: LoopId, width: u32) -> Self {
        self.terms.push((index, width));
        self.width = width;
        self
    }
}

/// What is assigned.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An expression.
    Node(NodeId),
    /// Bits of an expression: as [`Bits`] of it.
    Part { node: NodeId, terms: Vec<(LoopId, u32)>, low: u32, width: u32 },
    /// A constant.
    Constant(Value),
    /// Something with a name.
    Named(Bits),
    /// Bits of a constant, those at the loops' indices.
    ConstantPart { value: Value, terms: Vec<(LoopId, u32)>, width: u32 },
    /// A choice.
    Choice(Condition, Box<Source>, Box<Source>),
}

/// What is asked.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// An expression of one bit.
    Node(NodeId),
    /// A bit with a name.
    Named(Bits),
    /// A bit of an expression, the one at the index.
    Bit(NodeId, LoopId),
    /// Another is not met.
    Not(Box<Condition>),
    /// The expression, a number, is the index of the loop.
    IsIndex(NodeId, LoopId),
    /// The index of the loop is a number.
    IndexIs(LoopId, u32),
    /// The index of the loop is below a number.
    IndexBelow(LoopId, u32),
    /// The expression, a number, is below another.
    Below(NodeId, u32),
    /// Two numbers, perhaps of differing widths, are equal.
    SameNumber(NodeId, NodeId),
    /// The reset of a domain.
    Reset(DomainId),
}

/// A statement of a process.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    /// Sets bits. `path` narrows what `bits` left, and is empty once the statement is lowered.
    Assign { bits: Bits, path: Vec<Select>, source: Source, encoding: Option<Arc<Encoding>> },
    /// The first arm whose condition holds, else `otherwise`.
    If { arms: Vec<(Condition, Vec<Stmt>)>, otherwise: Vec<Stmt> },
    /// One arm a variant.
    Switch { selector: NodeId, encoding: Arc<Encoding>, arms: Vec<Vec<Stmt>> },
    /// An integer loop.
    For { index: LoopId, kind: ScopeKind, scope: usize, body: Vec<Stmt> },
    /// Writes a word, its granules as enabled; once lowered, without enables, or the granule at the index.
    Write { memory: MemoryId, address: NodeId, data: NodeId, enables: Option<NodeId>, lane: Option<LoopId> },
    /// Takes the word at an address.
    Read { bits: Bits, memory: MemoryId, address: NodeId },
    /// Judges a property.
    Check { kind: CheckKind, message: String, condition: NodeId },
}

/// When a process runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    /// Whenever something that it reads changes.
    Change,
    /// At the rising edge of a clock; and of its reset, if that is asynchronous.
    Edge(DomainId, bool),
}

/// An item of a module's body.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A continuous assignment.
    Assign { bits: Bits, source: Source, encoding: Option<Arc<Encoding>> },
    /// A process. `locals` are its own variables.
    Always { event: Event, label: String, locals: Vec<(String, u32)>, body: Vec<Stmt> },
    /// A generate loop. `indices` are the loops that run with it.
    Generate { indices: Vec<LoopId>, scope: usize, count: u32, items: Vec<Item> },
    /// An instance.
    Instance(InstanceId),
    /// Properties of a domain.
    Checks(DomainId, Vec<Stmt>),
    /// What is left unread.
    Ignored(usize),
    /// What simulation shows.
    Probes,
    /// A vector put together from its segments, highest first.
    Joined(String, Vec<String>),
    /// All words of a memory side by side.
    Words(MemoryId),
}

/// How a signal is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Declared {
    /// Not at all: it is connected in place, or local to a process.
    Not,
    /// As a wire; where it is assigned, if that is early enough.
    AtAssignment,
    /// As a wire.
    Wire,
    /// As a variable.
    Reg,
}

/// A part of a wire, with a name of its own.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Its name.
    pub name: String,
    /// Its lowest bit.
    pub low: u32,
    /// Its number of bits.
    pub width: u32,
}

/// Where names are valid and which loops run there.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The scope around it.
    pub parent: Option<usize>,
    /// The loops that run here.
    pub indices: Vec<LoopId>,
    /// What it is.
    pub kind: ScopeKind,
}

/// Kinds of scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScopeKind {
    /// The module.
    Module,
    /// A generate loop.
    Generate,
    /// An integer loop in a process.
    Integer,
    /// The integer loop of a recurrence: expressions may be variables of it.
    Recurrence,
}

/// The layout of a module.
pub(super) struct Layout {
    /// Scopes; the first is the module.
    pub scopes: Vec<Scope>,
    /// Items in order.
    pub items: Vec<Item>,
    /// Name and count of each loop: those of the module, then those made here.
    pub loops: Vec<(String, u32)>,
    /// How each signal is declared.
    pub declared: Vec<Declared>,
    /// Registers and wires made here: name, width, whether it is a variable.
    pub extra: Vec<(String, u32, bool)>,
    /// Signals that are wires in segments.
    pub segments: BTreeMap<SignalId, Vec<Segment>>,
    /// What connects an instance's port in place of a wire.
    pub connected: BTreeMap<SignalId, Source>,
}

/// Which signals may share a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Class {
    event: Event,
    with_reset: bool,
    /// Number of elements, if it becomes a generate loop.
    elements: Option<u32>,
}

/// Lays out a module.
pub(super) fn lower(module: &Module, decided: &Decided, names: &mut Names) -> Layout {
    let mut lowering = Lowering {
        module,
        names,
        layout: Layout {
            scopes: vec![Scope { parent: None, indices: vec![], kind: ScopeKind::Module }],
            items: vec![],
            loops: module.loops.iter().map(|l| (l.name.clone(), l.count)).collect(),
            declared: vec![Declared::Not; module.signals.len()],
            extra: vec![],
            segments: BTreeMap::new(),
            connected: BTreeMap::new(),
        },
        placed: vec![],
        support: Support::new(module, decided),
        decided,
    };
    lowering.run();
    lowering.layout
}

struct Lowering<'a> {
    module: &'a Module,
    names: &'a mut Names,
    layout: Layout,
    /// Items with the statement that they stand for.
    placed: Vec<(usize, Item)>,
    support: Support,
    decided: &'a Decided,
}

impl Lowering<'_> {
    fn run(&mut self) {
        let drivers = self.drivers();
        self.connect(&drivers);
        let constants = self.constants();
        let mut groups: Vec<(Class, Vec<SignalId>)> = vec![];
        for (id, signal) in self.module.signals() {
            match &signal.kind {
                SignalKind::Register { .. } => {}
                SignalKind::Output | SignalKind::Wire | SignalKind::InstanceInput { .. } => {
                    if self.layout.connected.contains_key(&id)
                        || self.is_scanned(id)
                        || self.comb_tree(id).is_empty()
                        || self.place_simple(id, &constants)
                    {
                        continue;
                    }
                }
                SignalKind::InstanceOutput { .. } => {
                    if !self.layout.connected.contains_key(&id) {
                        self.layout.declared[id.index()] = Declared::Wire;
                    }
                    continue;
                }
                _ => continue,
            }
            groups.push((self.class(id), vec![id]));
        }
        self.place_groups(groups);
        self.place_scans(&constants);
        self.place_memories();
        for (i, instance) in self.module.instances.iter().enumerate() {
            let at = instance.connections.iter().filter_map(|s| self.first_statement(*s)).min().unwrap_or(0);
            self.placed.push((at, Item::Instance(InstanceId(i as u32))));
        }
        self.place_rest();
        let mut placed = std::mem::take(&mut self.placed);
        placed.sort_by_key(|(at, item)| (*at, item_rank(item)));
        let items = merged(placed.into_iter().map(|(_, item)| item).collect());
        self.layout.items = self.scoped(items, 0);
    }

    // ---- what drives what -------------------------------------------------------------------------------------------

    /// Number of the first statement of the body that drives a signal.
    fn first_statement(&self, signal: SignalId) -> Option<usize> {
        self.module.body.iter().position(|s| drives(s, signal))
    }

    fn is_scanned(&mut self, signal: SignalId) -> bool {
        let scanned = self.module.body.iter().any(|s| matches!(s, ir::Stmt::Scan { .. }) && drives(s, signal));
        if scanned {
            self.layout.declared[signal.index()] = Declared::Reg;
        }
        scanned
    }

    /// For each signal that one unconditional whole assignment drives, its value.
    fn drivers(&self) -> BTreeMap<SignalId, NodeId> {
        let mut drivers = BTreeMap::new();
        for (id, signal) in self.module.signals() {
            if !matches!(signal.kind, SignalKind::Output | SignalKind::Wire | SignalKind::InstanceInput { .. }) {
                continue;
            }
            if let [Stmt::Assign { path, source: Source::Node(value), .. }] = &self.comb_tree(id)[..]
                && path.is_empty()
            {
                drivers.insert(id, *value);
            }
        }
        drivers
    }

    /// Decides which ports of instances are connected without a wire of their own.
    fn connect(&mut self, drivers: &BTreeMap<SignalId, NodeId>) {
        let reads = Support::readers(self.module);
        for instance in &self.module.instances {
            for &port in &instance.connections {
                match self.module.signal(port).kind {
                    SignalKind::InstanceInput { .. } => {
                        if let Some(&value) = drivers.get(&port)
                            && reads[port.index()] == 0
                            && self.is_short(value)
                        {
                            self.layout.connected.insert(port, Source::Node(value));
                        }
                    }
                    SignalKind::InstanceOutput { .. } if reads[port.index()] == 1 => {
                        // Straight to the wire or output that alone takes it.
                        let taker = drivers.iter().find(|(taker, value)| {
                            self.module.node(**value).op == Op::Read(port)
                                && !matches!(self.module.signal(**taker).kind, SignalKind::InstanceInput { .. })
                        });
                        if let Some((&taker, _)) = taker {
                            let signal = self.module.signal(taker);
                            let bits = Bits::whole(&signal.name, signal.width);
                            self.layout.connected.insert(port, Source::Named(bits));
                            self.layout.connected.insert(taker, Source::Node(drivers[&taker]));
                            self.layout.declared[taker.index()] = Declared::Wire;
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether an expression is short enough for the port list of an instance.
    fn is_short(&self, node: NodeId) -> bool {
        let plain = |n: NodeId| match &self.module.node(n).op {
            Op::Const(v) => v.width() <= 64,
            Op::Read(_) => true,
            Op::Slice { of, .. } => matches!(self.module.node(*of).op, Op::Read(_)),
            _ => false,
        };
        match &self.module.node(node).op {
            Op::Binary(op, a, b) => !is_signed_or_product(*op) && plain(*a) && plain(*b),
            Op::Unary(_, a) => plain(*a),
            Op::Concat(parts) => parts.len() <= 3 && parts.iter().all(|p| plain(*p)),
            _ => plain(node),
        }
    }

    /// Signals that never change, with their values, as far as they would need a process: nothing would ever start it.
    fn constants(&self) -> BTreeMap<SignalId, Value> {
        let still = self.support.never_changing(self.module, self.decided);
        if still.is_empty() { BTreeMap::new() } else { constant::values(self.module, &still) }
    }

    // ---- statements of some signals ----------------------------------------------------------------------------------

    /// The statements that set these signals.
    fn extract(&self, stmts: &[ir::Stmt], targets: &[SignalId]) -> Vec<Stmt> {
        let assign = |stmt: &ir::Stmt| match stmt {
            ir::Stmt::Assign { target, value, .. } if targets.contains(&target.signal) => {
                let signal = self.module.signal(target.signal);
                Some(vec![Stmt::Assign {
                    bits: Bits::whole(&signal.name, signal.width),
                    path: target.path.clone(),
                    source: Source::Node(*value),
                    encoding: signal.encoding.clone().filter(|_| target.path.is_empty()),
                }])
            }
            _ => None,
        };
        filter(stmts, &assign)
    }

    /// All that sets a wire, its default first.
    fn comb_tree(&self, id: SignalId) -> Vec<Stmt> {
        let signal = self.module.signal(id);
        let mut tree = vec![];
        if let Some(default) = signal.default {
            tree.push(Stmt::Assign {
                bits: Bits::whole(&signal.name, signal.width),
                path: vec![],
                source: Source::Node(default),
                encoding: signal.encoding.clone(),
            });
        }
        tree.extend(self.extract(&self.module.body, &[id]));
        tree
    }

    fn class(&self, id: SignalId) -> Class {
        let signal = self.module.signal(id);
        let (event, with_reset) = match &signal.kind {
            SignalKind::Register { reset, .. } => {
                (Event::Edge(signal.domain, reset.as_ref().is_some_and(|r| r.asynchronous)), reset.is_some())
            }
            _ => (Event::Change, false),
        };
        let tree = self.extract(&self.module.body, &[id]);
        Class { event, with_reset, elements: self.elements(&tree, &[]).map(|e| e.count) }
    }

    // ---- wires without a process -------------------------------------------------------------------------------------

    /// Places a wire that needs no process of its own, if it is one.
    fn place_simple(&mut self, id: SignalId, constants: &BTreeMap<SignalId, Value>) -> bool {
        let at = self.first_statement(id).unwrap_or(0);
        let signal = self.module.signal(id);
        let whole = Bits::whole(&signal.name, signal.width);
        let tree = self.comb_tree(id);
        let encoding = signal.encoding.clone();
        if let Some(source) = as_choice(&tree) {
            self.layout.declared[id.index()] = Declared::AtAssignment;
            self.placed.push((at, Item::Assign { bits: whole, source, encoding }));
            return true;
        }
        if let Some(value) = constants.get(&id) {
            self.layout.declared[id.index()] = Declared::AtAssignment;
            self.placed.push((at, Item::Assign { bits: whole, source: Source::Constant(value.clone()), encoding }));
            return true;
        }
        if let Some(parts) = disjoint_slices(&tree, signal.width)
            && !self.support.on_cycle(id)
        {
            self.layout.declared[id.index()] = Declared::Wire;
            for (low, width, source) in parts {
                let bits = whole.clone().slice(low, width);
                self.placed.push((at, Item::Assign { bits, source, encoding: None }));
            }
            return true;
        }
        if self.support.on_cycle(id)
            && let Some(segments) = self.segments(id, &tree)
        {
            self.place_segments(id, at, &tree, segments);
            return true;
        }
        false
    }

    /// Where a wire that depends on bits of itself comes apart: at the ends of the slices that are set and read.
    fn segments(&self, id: SignalId, tree: &[Stmt]) -> Option<Vec<u32>> {
        let width = self.module.signal(id).width;
        let mut ends = BTreeSet::from([0, width]);
        if !collect_ends(tree, &mut ends) {
            return None;
        }
        for node in &self.module.nodes {
            if let Op::Slice { of, low } = node.op
                && self.module.node(of).op == Op::Read(id)
            {
                ends.extend([low, low + node.width]);
            }
        }
        (ends.len() > 2).then(|| ends.into_iter().collect())
    }

    fn place_segments(&mut self, id: SignalId, at: usize, tree: &[Stmt], ends: Vec<u32>) {
        let signal = self.module.signal(id);
        let mut parts = vec![];
        for pair in ends.windows(2) {
            let (low, width) = (pair[0], pair[1] - pair[0]);
            let name = self.names.fresh(&segment_name(&signal.name, low, width));
            let body = without_hidden(restricted(tree, low, width, &name));
            let (item, reg) = match as_choice(&body) {
                Some(source) => (Item::Assign { bits: Bits::whole(&name, width), source, encoding: None }, false),
                None => {
                    let body = self.procedural(body);
                    (Item::Always { event: Event::Change, label: String::new(), locals: vec![], body }, true)
                }
            };
            self.layout.extra.push((name.clone(), width, reg));
            self.placed.push((at, item));
            parts.push(Segment { name, low, width });
        }
        self.layout.declared[id.index()] = Declared::Wire;
        let names = parts.iter().rev().map(|p| p.name.clone()).collect();
        self.placed.push((at, Item::Joined(signal.name.clone(), names)));
        self.layout.segments.insert(id, parts);
    }

    // ---- processes ---------------------------------------------------------------------------------------------------

    /// Joins signals that are written under the same statement and may share a process, and places the processes.
    fn place_groups(&mut self, mut groups: Vec<(Class, Vec<SignalId>)>) {
        for stmt in &self.module.body {
            let mut merged: Vec<usize> = vec![];
            for i in 0..groups.len() {
                if !groups[i].1.iter().any(|s| drives(stmt, *s)) {
                    continue;
                }
                let host = merged.iter().copied().find(|h| self.may_join(&groups[*h], &groups[i]));
                match host {
                    Some(host) => {
                        let moved = std::mem::take(&mut groups[i].1);
                        for signal in &moved {
                            self.support.join(groups[host].1[0], *signal);
                        }
                        groups[host].1.extend(moved);
                        groups[host].1.sort();
                    }
                    None => merged.push(i),
                }
            }
        }
        groups.retain(|(_, signals)| !signals.is_empty());
        let groups = self.neighbours_joined(groups);
        for (class, signals) in groups {
            let at = signals.iter().filter_map(|s| self.first_statement(*s)).min().unwrap_or(0);
            let item = self.group_item(class, &signals);
            for signal in &signals {
                self.layout.declared[signal.index()] = Declared::Reg;
            }
            if let Item::Generate { items, .. } = &item {
                self.declare_wires(items, &signals);
            }
            self.placed.push((at, item));
        }
    }

    /// Wires that a generate loop assigns continuously.
    fn declare_wires(&mut self, items: &[Item], signals: &[SignalId]) {
        for item in items {
            match item {
                Item::Assign { bits, .. } => {
                    for signal in signals {
                        if self.module.signal(*signal).name == bits.name {
                            self.layout.declared[signal.index()] = Declared::Wire;
                        }
                    }
                }
                Item::Generate { items, .. } => self.declare_wires(items, signals),
                _ => {}
            }
        }
    }

    /// Joins registers whose statements stand together: nothing that is more than an assignment lies between them.
    fn neighbours_joined(&self, groups: Vec<(Class, Vec<SignalId>)>) -> Vec<(Class, Vec<SignalId>)> {
        let plain = |class: &Class| class.event != Event::Change && class.elements.is_none();
        let at = |signals: &[SignalId]| signals.iter().filter_map(|s| self.first_statement(*s)).min().unwrap_or(0);
        let mut between: BTreeSet<usize> = groups.iter().filter(|(c, _)| !plain(c)).map(|(_, s)| at(s)).collect();
        for (i, stmt) in self.module.body.iter().enumerate() {
            if matches!(stmt, ir::Stmt::Scan { .. }) {
                between.insert(i);
            }
        }
        let mut ordered: Vec<(usize, Class, Vec<SignalId>)> = groups.into_iter().map(|(c, s)| (at(&s), c, s)).collect();
        ordered.sort();
        let mut joined: Vec<(usize, Class, Vec<SignalId>)> = vec![];
        for (here, class, signals) in ordered {
            let host = joined.iter_mut().rev().find(|(_, c, _)| *c == class);
            match host {
                Some((last, _, host))
                    if plain(&class) && between.range((Excluded(*last), Included(here))).next().is_none() =>
                {
                    host.extend(signals);
                    host.sort();
                    *last = here;
                }
                _ => joined.push((here, class, signals)),
            }
        }
        joined.into_iter().map(|(_, class, signals)| (class, signals)).collect()
    }

    fn may_join(&self, host: &(Class, Vec<SignalId>), guest: &(Class, Vec<SignalId>)) -> bool {
        if host.0 != guest.0 {
            return false;
        }
        if host.0.elements.is_some() {
            let both: Vec<SignalId> = host.1.iter().chain(&guest.1).copied().collect();
            if self.elements(&self.extract(&self.module.body, &both), &[]).is_none() {
                return false;
            }
        }
        match host.0.event {
            Event::Change => {
                let apart = |a: SignalId, b: SignalId| !self.support.reaches(a, b) && !self.support.reaches(b, a);
                host.1.iter().all(|a| guest.1.iter().all(|b| apart(*a, *b)))
            }
            Event::Edge(..) => true,
        }
    }

    /// The process of a group.
    fn group_item(&mut self, class: Class, signals: &[SignalId]) -> Item {
        let body = match class.event {
            Event::Change => {
                let mut body = vec![];
                for &id in signals {
                    let signal = self.module.signal(id);
                    if let Some(default) = signal.default {
                        body.push(Stmt::Assign {
                            bits: Bits::whole(&signal.name, signal.width),
                            path: vec![],
                            source: Source::Node(default),
                            encoding: signal.encoding.clone(),
                        });
                    }
                }
                body.extend(self.extract(&self.module.body, signals));
                body
            }
            Event::Edge(domain, _) => self.register_body(signals, domain, class.with_reset),
        };
        let label = self.module.signal(signals[0]).name.clone();
        self.process(class.event, body, &label)
    }

    fn register_body(&self, signals: &[SignalId], domain: DomainId, with_reset: bool) -> Vec<Stmt> {
        let mut body = self.extract(&self.module.body, signals);
        let set_whole = |id: SignalId, source: Source| {
            let signal = self.module.signal(id);
            let encoding = signal.encoding.clone();
            Stmt::Assign { bits: Bits::whole(&signal.name, signal.width), path: vec![], source, encoding }
        };
        if !with_reset {
            // Bits that nothing sets keep what they hold: said, so that they have a driver.
            for &id in signals {
                let signal = self.module.signal(id);
                let whole = Bits::whole(&signal.name, signal.width);
                let mut touched = vec![false; signal.width as usize];
                touch(&body, &signal.name, &mut touched);
                let mut low = 0;
                while low < signal.width {
                    let same = |bit: &u32| touched[*bit as usize] == touched[low as usize];
                    let end = (low..signal.width).take_while(same).last().expect("one bit at least") + 1;
                    if !touched[low as usize] {
                        let kept = whole.clone().slice(low, end - low);
                        body.push(set(kept.clone(), Source::Named(kept)));
                    }
                    low = end;
                }
            }
            return body;
        }
        let resets = signals
            .iter()
            .filter_map(|&id| match &self.module.signal(id).kind {
                SignalKind::Register { reset: Some(reset), .. } => {
                    Some(set_whole(id, Source::Constant(reset.value.clone())))
                }
                _ => None,
            })
            .collect();
        vec![Stmt::If { arms: vec![(Condition::Reset(domain), resets)], otherwise: body }]
    }

    /// A process, or the generate loop of processes that its targets' elements make.
    fn process(&mut self, event: Event, body: Vec<Stmt>, label: &str) -> Item {
        let Some(elements) = self.elements(&body, &[]) else {
            return self.flat_process(event, body, label);
        };
        let cell = elements.indices.first().copied().unwrap_or_else(|| self.new_loop(label, elements.count));
        let body = self.element_of(body, cell, &elements);
        let items = self.element_items(event, body, label);
        let indices = if elements.indices.is_empty() { vec![cell] } else { elements.indices };
        Item::Generate { indices, scope: 0, count: elements.count, items }
    }

    /// The processes of one element: a continuous assignment where that does.
    fn element_items(&mut self, event: Event, body: Vec<Stmt>, label: &str) -> Vec<Item> {
        if event != Event::Change {
            return vec![self.process(event, body, label)];
        }
        let mut names: Vec<String> = vec![];
        collect_names(&body, &mut names);
        let mut items = vec![];
        let mut rest = vec![];
        for name in names {
            let own = without_hidden(only(&body, &name));
            match as_choice(&own) {
                Some(source) => {
                    let Some(bits) = first_bits(&own) else { continue };
                    items.push(Item::Assign { bits, source, encoding: None });
                }
                None => rest.push(name),
            }
        }
        if !rest.is_empty() {
            let body = filter_names(body, &rest);
            items.push(self.process(event, body, label));
        }
        items
    }

    fn flat_process(&mut self, event: Event, body: Vec<Stmt>, label: &str) -> Item {
        let body = self.procedural(body);
        let label = if has_loop(&body) { self.names.fresh(&format!("{label}_each")) } else { String::new() };
        Item::Always { event, label, locals: vec![], body }
    }

    // ---- elements ----------------------------------------------------------------------------------------------------

    /// How the targets of these statements come apart into elements that can each have a process: the number of
    /// elements, and the loops that name one. None if they do not.
    fn elements(&self, body: &[Stmt], around: &[LoopId]) -> Option<Elements> {
        let mut shapes: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        let mut indices = vec![];
        collect_elements(body, &mut shapes, &mut indices)?;
        let mut counts = shapes.values().map(|(total, width)| (total / width, total % width));
        let (count, _) = counts.next()?;
        let whole = shapes.values().all(|(total, width)| total % width == 0 && total / width == count);
        let loops = indices.iter().all(|l| self.layout.loops[l.index()].1 == count);
        let fits = whole && loops && count >= 2;
        (fits && self.separable(body, &shapes, &indices, around)).then_some(Elements {
            count,
            indices,
            widths: shapes.into_iter().map(|(name, (_, width))| (name, width)).collect(),
        })
    }

    /// Whether each statement concerns either the element of its loop, or no element by its loop.
    fn separable(
        &self,
        body: &[Stmt],
        shapes: &BTreeMap<String, (u32, u32)>,
        indices: &[LoopId],
        around: &[LoopId],
    ) -> bool {
        body.iter().all(|stmt| match stmt {
            Stmt::Assign { bits, path, .. } => {
                let Some((_, width)) = shapes.get(&bits.name) else { return false };
                let own: Vec<LoopId> = around.iter().copied().filter(|l| indices.contains(l)).collect();
                match path.first() {
                    Some(Select::Part { index: Index::Loop(l), .. }) => own == [*l],
                    Some(Select::Slice { low, width: w }) => {
                        own.is_empty() && (low / width == (low + w - 1) / width || (*low == 0 && *w == bits.width))
                    }
                    _ => own.is_empty(),
                }
            }
            Stmt::If { arms, otherwise } => {
                arms.iter().all(|(_, body)| self.separable(body, shapes, indices, around))
                    && self.separable(otherwise, shapes, indices, around)
            }
            Stmt::Switch { arms, .. } => arms.iter().all(|body| self.separable(body, shapes, indices, around)),
            Stmt::For { index, body, .. } => {
                let mut around = around.to_vec();
                around.push(*index);
                self.separable(body, shapes, indices, &around)
            }
            _ => false,
        })
    }

    /// The statements as the element `cell` sees them.
    fn element_of(&self, body: Vec<Stmt>, cell: LoopId, elements: &Elements) -> Vec<Stmt> {
        let mut result = vec![];
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, mut path, source, encoding: _ } => {
                    let width = elements.widths[&bits.name];
                    let whole = bits.width;
                    let bits = bits.element(cell, width);
                    let first = if path.is_empty() { None } else { Some(path.remove(0)) };
                    let assign = |path, source| Stmt::Assign { bits, path, source, encoding: None };
                    match first {
                        None => result.push(assign(path, source_part(source, cell, width))),
                        Some(Select::Slice { low: 0, width: all }) if all == whole && path.is_empty() => {
                            result.push(assign(path, source_part(source, cell, width)));
                        }
                        Some(Select::Slice { low, width: some }) => {
                            if (low % width, some) != (0, width) {
                                path.insert(0, Select::Slice { low: low % width, width: some });
                            }
                            result.push(guard(Condition::IndexIs(cell, low / width), vec![assign(path, source)]));
                        }
                        Some(Select::Part { index: Index::Loop(_), .. }) => result.push(assign(path, source)),
                        Some(Select::Part { index: Index::Node(node), .. }) => {
                            result.push(guard(Condition::IsIndex(node, cell), vec![assign(path, source)]));
                        }
                    }
                }
                Stmt::If { arms, otherwise } => {
                    let arms = arms.into_iter().map(|(c, body)| (c, self.element_of(body, cell, elements))).collect();
                    result.push(Stmt::If { arms, otherwise: self.element_of(otherwise, cell, elements) });
                }
                Stmt::Switch { selector, encoding, arms } => {
                    let arms = arms.into_iter().map(|body| self.element_of(body, cell, elements)).collect();
                    result.push(Stmt::Switch { selector, encoding, arms });
                }
                Stmt::For { index, kind, scope, body } => {
                    let body = self.element_of(body, cell, elements);
                    if elements.indices.contains(&index) {
                        result.extend(body);
                    } else {
                        result.push(Stmt::For { index, kind, scope, body });
                    }
                }
                other => result.push(other),
            }
        }
        result
    }

    fn new_loop(&mut self, name: &str, count: u32) -> LoopId {
        self.layout.loops.push((name.to_string(), count));
        LoopId(self.layout.loops.len() as u32 - 1)
    }

    /// The statements with what is left of their paths turned into integer loops.
    fn procedural(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut result = vec![];
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, path, source, encoding } => {
                    result.extend(self.procedural_assign(bits, &path, source, encoding));
                }
                Stmt::If { arms, otherwise } => {
                    let arms = arms.into_iter().map(|(c, body)| (c, self.procedural(body))).collect();
                    result.push(Stmt::If { arms, otherwise: self.procedural(otherwise) });
                }
                Stmt::Switch { selector, encoding, arms } => {
                    let arms = arms.into_iter().map(|body| self.procedural(body)).collect();
                    result.push(Stmt::Switch { selector, encoding, arms });
                }
                Stmt::For { index, kind, scope, body } => {
                    let body = self.procedural(body);
                    result.push(Stmt::For { index, kind, scope, body });
                }
                other => result.push(other),
            }
        }
        result
    }

    fn procedural_assign(
        &mut self,
        bits: Bits,
        path: &[Select],
        source: Source,
        encoding: Option<Arc<Encoding>>,
    ) -> Vec<Stmt> {
        let Some((first, rest)) = path.split_first() else {
            return vec![Stmt::Assign { bits, path: vec![], source, encoding }];
        };
        match *first {
            Select::Slice { low, width } => self.procedural_assign(bits.slice(low, width), rest, source, encoding),
            Select::Part { index: Index::Loop(l), width } => {
                let elements = bits.width / width;
                let beyond = self.layout.loops[l.index()].1 > elements;
                let inner = self.procedural_assign(bits.element(l, width), rest, source, encoding);
                if beyond { vec![guard(Condition::IndexBelow(l, elements), inner)] } else { inner }
            }
            Select::Part { index: Index::Node(node), width } => {
                let elements = bits.width / width;
                if let Some(value) = self.decided.get(node) {
                    return match value.to_u64() {
                        Some(i) if i < u64::from(elements) => {
                            self.procedural_assign(bits.slice(i as u32 * width, width), rest, source, encoding)
                        }
                        _ => vec![],
                    };
                }
                let element = self.new_loop(&bits.name.clone(), elements);
                let inner = self.procedural_assign(bits.element(element, width), rest, source, encoding);
                vec![for_each(element, vec![guard(Condition::IsIndex(node, element), inner)])]
            }
        }
    }

    // ---- recurrences, memories, the rest -----------------------------------------------------------------------------

    fn place_scans(&mut self, constants: &BTreeMap<SignalId, Value>) {
        for (at, stmt) in self.module.body.iter().enumerate() {
            let ir::Stmt::Scan { index, accumulators, outputs, .. } = stmt else { continue };
            let bits = |id: SignalId| Bits::whole(&self.module.signal(id).name, self.module.signal(id).width);
            let targets: Vec<SignalId> =
                outputs.iter().map(|(s, _)| *s).chain(accumulators.iter().filter_map(|a| a.result)).collect();
            if targets.iter().all(|t| constants.contains_key(t)) {
                for t in targets {
                    self.layout.declared[t.index()] = Declared::AtAssignment;
                    let source = Source::Constant(constants[&t].clone());
                    self.placed.push((at, Item::Assign { bits: bits(t), source, encoding: None }));
                }
                continue;
            }
            let mut locals: Vec<(String, u32)> = vec![];
            let (mut before, mut inside, mut after, mut last) = (vec![], vec![], vec![], vec![]);
            for (signal, value) in outputs {
                let width = self.module.node(*value).width;
                inside.push(set(bits(*signal).element(*index, width), Source::Node(*value)));
            }
            for (i, accumulator) in accumulators.iter().enumerate() {
                let own = bits(accumulator.signal);
                locals.push((own.name.clone(), own.width));
                before.push(set(own.clone(), Source::Node(accumulator.initial)));
                // All take their next values at once: one that a later next value reads waits until all are known.
                let awaited = accumulators[i + 1..].iter().any(|a| self.support.reads(a.next, accumulator.signal));
                if awaited {
                    let next = self.names.fresh(&format!("{}_next", own.name));
                    locals.push((next.clone(), own.width));
                    inside.push(set(Bits::whole(&next, own.width), Source::Node(accumulator.next)));
                    last.push(set(own.clone(), Source::Named(Bits::whole(&next, own.width))));
                } else {
                    inside.push(set(own.clone(), Source::Node(accumulator.next)));
                }
                if let Some(result) = accumulator.result {
                    after.push(set(bits(result), Source::Named(own)));
                }
            }
            inside.extend(last);
            before.push(Stmt::For { index: *index, kind: ScopeKind::Recurrence, scope: 0, body: inside });
            before.extend(after);
            let name = &self.module.loops[index.index()].name;
            let label = self.names.fresh(&format!("{name}_scan"));
            self.placed.push((at, Item::Always { event: Event::Change, label, locals, body: before }));
        }
    }

    fn place_memories(&mut self) {
        for (i, memory) in self.module.memories.iter().enumerate() {
            let id = MemoryId(i as u32);
            let mut at_writes = 0;
            let domains: BTreeSet<DomainId> = memory.writes.iter().map(|w| w.domain).collect();
            for domain in domains {
                let mut body = self.writes(id, domain, None);
                if body.is_empty() && memory.depth == 1 && memory.writes[0].domain == domain {
                    // One word is a register: said to keep what it holds, so that it has a driver.
                    let whole = Bits::whole(&memory.name, memory.width);
                    body.push(set(whole.clone(), Source::Named(whole)));
                }
                if body.is_empty() {
                    continue;
                }
                let at = self.module.body.iter().position(|s| writes(s, id)).unwrap_or(0);
                at_writes = at;
                let label =
                    if has_loop(&body) { self.names.fresh(&format!("{}_write", memory.name)) } else { String::new() };
                let event = Event::Edge(domain, false);
                self.placed.push((at, Item::Always { event, label, locals: vec![], body }));
            }
            for port in &memory.reads {
                self.place_read(id, port, at_writes);
            }
        }
    }

    /// The writes of a domain to a memory; or what a read port must know of them to see the new word.
    fn writes(&mut self, id: MemoryId, domain: DomainId, seen: Option<&Seen>) -> Vec<Stmt> {
        let memory = self.module.memory(id);
        let write = |stmt: &ir::Stmt| match stmt {
            ir::Stmt::MemoryWrite { memory: m, port, address, data, enables, .. }
                if *m == id && memory.writes[*port as usize].domain == domain =>
            {
                let (address, data, enables) = (*address, *data, *enables);
                Some(vec![Stmt::Write { memory: id, address, data, enables, lane: None }])
            }
            _ => None,
        };
        let body = filter(&self.module.body, &write);
        self.finished_writes(body, seen)
    }

    /// Gives writes their lanes, their guards against addresses beyond the depth and, if asked, turns them into what a
    /// read port notes of them. Of what never writes nothing is left.
    fn finished_writes(&mut self, body: Vec<Stmt>, seen: Option<&Seen>) -> Vec<Stmt> {
        let mut result = vec![];
        for stmt in body {
            match stmt {
                Stmt::If { arms, otherwise } => {
                    let arms: Vec<_> =
                        arms.into_iter().map(|(c, body)| (c, self.finished_writes(body, seen))).collect();
                    let otherwise = self.finished_writes(otherwise, seen);
                    if !otherwise.is_empty() || arms.iter().any(|(_, body)| !body.is_empty()) {
                        result.push(Stmt::If { arms, otherwise });
                    }
                }
                Stmt::Switch { selector, encoding, arms } => {
                    let arms: Vec<_> = arms.into_iter().map(|body| self.finished_writes(body, seen)).collect();
                    if arms.iter().any(|body| !body.is_empty()) {
                        result.push(Stmt::Switch { selector, encoding, arms });
                    }
                }
                Stmt::For { index, kind, scope, body } => {
                    let body = self.finished_writes(body, seen);
                    if !body.is_empty() {
                        result.push(Stmt::For { index, kind, scope, body });
                    }
                }
                Stmt::Write { memory, address, data, enables, .. } => {
                    let m = self.module.memory(memory);
                    let write = match enables {
                        Some(enables) if m.granule < m.width => {
                            let lane = self.new_loop("lane", m.width / m.granule);
                            let write = self.finished_write(memory, address, data, Some(lane), seen);
                            vec![for_each(lane, vec![guard(Condition::Bit(enables, lane), write)])]
                        }
                        Some(enable) => {
                            vec![guard(Condition::Node(enable), self.finished_write(memory, address, data, None, seen))]
                        }
                        None => self.finished_write(memory, address, data, None, seen),
                    };
                    result.extend(self.in_range(memory, address, write, seen));
                }
                other => result.push(other),
            }
        }
        result
    }

    fn finished_write(
        &self,
        memory: MemoryId,
        address: NodeId,
        data: NodeId,
        lane: Option<LoopId>,
        seen: Option<&Seen>,
    ) -> Vec<Stmt> {
        let Some(seen) = seen else { return vec![Stmt::Write { memory, address, data, enables: None, lane }] };
        let m = self.module.memory(memory);
        let (flag, forward) = (Bits::whole(&seen.flag, m.width / m.granule), Bits::whole(&seen.data, m.width));
        let (flag, forward, source) = match lane {
            Some(lane) => {
                let source = Source::Part { node: data, terms: vec![(lane, m.granule)], low: 0, width: m.granule };
                (flag.element(lane, 1), forward.element(lane, m.granule), source)
            }
            None => (flag, forward, Source::Node(data)),
        };
        let ones = Source::Constant(Value::ones(flag.width));
        vec![set(flag, ones), set(forward, source)]
    }

    /// Under the condition that the address is a word of the memory and, for a read port, the word that it reads.
    fn in_range(&self, memory: MemoryId, address: NodeId, body: Vec<Stmt>, seen: Option<&Seen>) -> Vec<Stmt> {
        let depth = self.module.memory(memory).depth;
        let body = match seen {
            Some(seen) => vec![guard(Condition::SameNumber(address, seen.address), body)],
            None => body,
        };
        let never = self.decided.get(address).is_some_and(|a| a.to_u64().is_none_or(|a| a >= u64::from(depth)));
        if never {
            return vec![];
        }
        if self.within(address, depth) { body } else { vec![guard(Condition::Below(address, depth), body)] }
    }

    /// Whether a number is always below a bound.
    fn within(&self, node: NodeId, bound: u32) -> bool {
        let width = self.module.node(node).width;
        match self.decided.get(node) {
            Some(value) => value.to_u64().is_some_and(|v| v < u64::from(bound)),
            None => width < 32 && 1u64 << width <= u64::from(bound),
        }
    }

    fn place_read(&mut self, id: MemoryId, port: &ir::ReadPort, at: usize) {
        let memory = self.module.memory(id);
        let signal = self.module.signal(port.data);
        let whole = Bits::whole(&signal.name, memory.width);
        let inside =
            (!self.within(port.address, memory.depth)).then(|| self.extra_reg(&format!("{}_inside", signal.name), 1));
        let written = !self.writes(id, port.domain, None).is_empty();
        let seen = (port.collision == Collision::New && written).then(|| Seen {
            flag: self.extra_reg(&format!("{}_bypass", signal.name), memory.width / memory.granule),
            data: self.extra_reg(&format!("{}_forward", signal.name), memory.width),
            address: port.address,
        });
        let plain = inside.is_none() && seen.is_none();
        let word = if plain {
            self.layout.declared[port.data.index()] = Declared::Reg;
            whole.clone()
        } else {
            self.layout.declared[port.data.index()] = Declared::AtAssignment;
            let name = self.extra_reg(&format!("{}_word", signal.name), memory.width);
            Bits::whole(name, memory.width)
        };
        let mut notes = vec![];
        if let Some(inside) = &inside {
            let zero_one = |bit| Box::new(Source::Constant(Value::bit(bit)));
            let below = Condition::Below(port.address, memory.depth);
            notes.push(set(Bits::whole(inside, 1), Source::Choice(below, zero_one(true), zero_one(false))));
        }
        if let Some(seen) = &seen {
            let lanes = memory.width / memory.granule;
            notes.push(set(Bits::whole(&seen.flag, lanes), Source::Constant(Value::zero(lanes))));
            notes.extend(self.writes(id, port.domain, Some(seen)));
        }
        let always = self.decided.get(port.enable).map(|enable| !enable.is_zero());
        // What is never read stays as it is.
        let enabled = |body: Vec<Stmt>| match always {
            Some(true) => body,
            Some(false) => held(&body),
            None => vec![guard(Condition::Node(port.enable), body)],
        };
        let event = Event::Edge(port.domain, false);
        let read = enabled(vec![Stmt::Read { bits: word.clone(), memory: id, address: port.address }]);
        self.placed.push((at, Item::Always { event, label: String::new(), locals: vec![], body: read }));
        if plain {
            return;
        }
        let notes = enabled(notes);
        let label =
            if has_loop(&notes) { self.names.fresh(&format!("{}_collision", signal.name)) } else { String::new() };
        self.placed.push((at, Item::Always { event, label, locals: vec![], body: notes }));
        let zero = Box::new(Source::Constant(Value::zero(memory.width)));
        let lanes = memory.width / memory.granule;
        match seen {
            Some(seen) if lanes > 1 => {
                let lane = self.new_loop("lane", lanes);
                let named =
                    |name: &str| Box::new(Source::Named(Bits::whole(name, memory.width).element(lane, memory.granule)));
                let flag = Condition::Named(Bits::whole(&seen.flag, lanes).element(lane, 1));
                let mut source = Source::Choice(flag, named(&seen.data), named(&word.name));
                if let Some(inside) = inside {
                    let zero = Box::new(Source::Constant(Value::zero(memory.granule)));
                    source = Source::Choice(Condition::Named(Bits::whole(inside, 1)), Box::new(source), zero);
                }
                let assign = Item::Assign { bits: whole.element(lane, memory.granule), source, encoding: None };
                self.layout.declared[port.data.index()] = Declared::Wire;
                self.placed
                    .push((at, Item::Generate { indices: vec![lane], scope: 0, count: lanes, items: vec![assign] }));
            }
            seen => {
                let mut source = Source::Named(word);
                if let Some(seen) = seen {
                    let forward = Box::new(Source::Named(Bits::whole(&seen.data, memory.width)));
                    source = Source::Choice(Condition::Named(Bits::whole(seen.flag, 1)), forward, Box::new(source));
                }
                if let Some(inside) = inside {
                    source = Source::Choice(Condition::Named(Bits::whole(inside, 1)), Box::new(source), zero);
                }
                self.placed.push((at, Item::Assign { bits: whole, source, encoding: None }));
            }
        }
    }

    fn extra_reg(&mut self, name: &str, width: u32) -> String {
        let name = self.names.fresh(name);
        self.layout.extra.push((name.clone(), width, true));
        name
    }

    fn place_rest(&mut self) {
        let end = self.module.body.len();
        for i in 0..self.module.ignored.len() {
            self.placed.push((end, Item::Ignored(i)));
        }
        for d in 0..self.module.domains.len() {
            let own = DomainId(d as u32);
            let check = |stmt: &ir::Stmt| match stmt {
                ir::Stmt::Check { kind, message, condition, domain, .. } if *domain == own => {
                    Some(vec![Stmt::Check { kind: *kind, message: message.clone(), condition: *condition }])
                }
                _ => None,
            };
            let body = filter(&self.module.body, &check);
            if !body.is_empty() {
                self.placed.push((end, Item::Checks(own, body)));
            }
        }
        if !self.module.probes.is_empty() {
            self.placed.push((end, Item::Probes));
        }
        let words: BTreeSet<MemoryId> = Support::words_in_recurrences(self.module, self.decided);
        for memory in words {
            self.placed.push((0, Item::Words(memory)));
        }
    }

    // ---- scopes ------------------------------------------------------------------------------------------------------

    /// Numbers the scopes of items and of the loops in them.
    fn scoped(&mut self, items: Vec<Item>, parent: usize) -> Vec<Item> {
        items
            .into_iter()
            .map(|item| match item {
                Item::Generate { indices, count, items, .. } => {
                    let scope = self.new_scope(parent, indices.clone(), ScopeKind::Generate);
                    let items = self.scoped(merged(items), scope);
                    Item::Generate { indices, scope, count, items }
                }
                Item::Always { event, label, locals, body } => {
                    // The body of a recurrence asks what its own variables are.
                    let body = if locals.is_empty() { ordered(body) } else { body };
                    Item::Always { event, label, locals, body: self.scoped_stmts(body, parent) }
                }
                Item::Checks(domain, body) => Item::Checks(domain, self.scoped_stmts(body, parent)),
                other => other,
            })
            .collect()
    }

    fn scoped_stmts(&mut self, body: Vec<Stmt>, parent: usize) -> Vec<Stmt> {
        body.into_iter()
            .map(|stmt| match stmt {
                Stmt::If { arms, otherwise } => Stmt::If {
                    arms: arms.into_iter().map(|(c, body)| (c, self.scoped_stmts(body, parent))).collect(),
                    otherwise: self.scoped_stmts(otherwise, parent),
                },
                Stmt::Switch { selector, encoding, arms } => Stmt::Switch {
                    selector,
                    encoding,
                    arms: arms.into_iter().map(|body| self.scoped_stmts(body, parent)).collect(),
                },
                Stmt::For { index, kind, body, .. } => {
                    let scope = self.new_scope(parent, vec![index], kind);
                    Stmt::For { index, kind, scope, body: self.scoped_stmts(body, scope) }
                }
                other => other,
            })
            .collect()
    }

    fn new_scope(&mut self, parent: usize, indices: Vec<LoopId>, kind: ScopeKind) -> usize {
        self.layout.scopes.push(Scope { parent: Some(parent), indices, kind });
        self.layout.scopes.len() - 1
    }
}

/// How targets come apart into elements.
struct Elements {
    /// Number of elements.
    count: u32,
    /// Loops whose index is the element's number.
    indices: Vec<LoopId>,
    /// Width of an element of each target.
    widths: BTreeMap<String, u32>,
}

/// What a read port notes of the writes to the word that it reads.
struct Seen {
    /// Which granules were written.
    flag: String,
    /// What was written.
    data: String,
    /// The word that is read.
    address: NodeId,
}

fn set(bits: Bits, source: Source) -> Stmt {
    Stmt::Assign { bits, path: vec![], source, encoding: None }
}

/// Marks the bits of a signal that some statements may set.
fn touch(body: &[Stmt], name: &str, touched: &mut [bool]) {
    for stmt in body {
        match stmt {
            Stmt::Assign { bits, path, .. } if bits.name == name => {
                let steps = path.iter().take_while(|step| matches!(step, Select::Slice { .. })).cloned();
                let (low, width) = static_range(&steps.collect::<Vec<_>>(), bits.width).expect("slices alone");
                touched[low as usize..(low + width) as usize].fill(true);
            }
            Stmt::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| touch(body, name, touched));
                touch(otherwise, name, touched);
            }
            Stmt::Switch { arms, .. } => arms.iter().for_each(|body| touch(body, name, touched)),
            Stmt::For { body, .. } => touch(body, name, touched),
            _ => {}
        }
    }
}

/// Each target of some statements keeps its value.
fn held(body: &[Stmt]) -> Vec<Stmt> {
    let mut targets: BTreeMap<String, u32> = BTreeMap::new();
    fn collect(body: &[Stmt], targets: &mut BTreeMap<String, u32>) {
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, .. } | Stmt::Read { bits, .. } => {
                    targets.insert(bits.name.clone(), bits.total);
                }
                Stmt::If { arms, otherwise } => {
                    arms.iter().for_each(|(_, body)| collect(body, targets));
                    collect(otherwise, targets);
                }
                Stmt::Switch { arms, .. } => arms.iter().for_each(|body| collect(body, targets)),
                Stmt::For { body, .. } => collect(body, targets),
                Stmt::Write { .. } | Stmt::Check { .. } => {}
            }
        }
    }
    collect(body, &mut targets);
    targets
        .into_iter()
        .map(|(name, width)| set(Bits::whole(&name, width), Source::Named(Bits::whole(&name, width))))
        .collect()
}

/// The statements under a condition.
pub(super) fn guard(condition: Condition, body: Vec<Stmt>) -> Stmt {
    Stmt::If { arms: vec![(condition, body)], otherwise: vec![] }
}

fn for_each(index: LoopId, body: Vec<Stmt>) -> Stmt {
    Stmt::For { index, kind: ScopeKind::Integer, scope: 0, body }
}

fn is_signed_or_product(op: Binary) -> bool {
    matches!(
        op,
        Binary::Multiply
            | Binary::MultiplySigned
            | Binary::LessSigned
            | Binary::LessEqualSigned
            | Binary::ShiftRightSigned
    )
}

/// Among items that stand for one statement: values before the processes that use them, processes before checks.
fn item_rank(item: &Item) -> u32 {
    match item {
        Item::Words(_) => 0,
        Item::Assign { .. } => 1,
        Item::Joined(..) => 2,
        Item::Instance(_) => 3,
        Item::Always { event: Event::Change, .. } => 4,
        Item::Generate { .. } => 5,
        Item::Always { .. } => 6,
        Item::Ignored(_) => 7,
        Item::Checks(..) => 8,
        Item::Probes => 9,
    }
}

/// The items with neighbouring generate loops of one count made one.
fn merged(items: Vec<Item>) -> Vec<Item> {
    let mut result: Vec<Item> = vec![];
    for item in items {
        match (result.last_mut(), item) {
            (
                Some(Item::Generate { indices, count, items, .. }),
                Item::Generate { indices: more_indices, count: same, items: more, .. },
            ) if *count == same => {
                indices.extend(more_indices.into_iter().filter(|l| !indices.contains(l)).collect::<Vec<_>>());
                items.extend(more);
            }
            (_, item) => result.push(item),
        }
    }
    result
}

/// Whether a statement sets bits of a signal.
pub(super) fn drives(stmt: &ir::Stmt, signal: SignalId) -> bool {
    match stmt {
        ir::Stmt::Assign { target, .. } => target.signal == signal,
        ir::Stmt::If { arms, otherwise, .. } => {
            arms.iter().flat_map(|(_, body)| body).chain(otherwise).any(|s| drives(s, signal))
        }
        ir::Stmt::Switch { arms, .. } => arms.iter().flatten().any(|s| drives(s, signal)),
        ir::Stmt::Each { body, .. } => body.iter().any(|s| drives(s, signal)),
        ir::Stmt::Scan { accumulators, outputs, .. } => {
            outputs.iter().any(|(s, _)| *s == signal) || accumulators.iter().any(|a| a.result == Some(signal))
        }
        ir::Stmt::MemoryWrite { .. } | ir::Stmt::Check { .. } => false,
    }
}

/// Whether a statement writes a memory.
pub(super) fn writes(stmt: &ir::Stmt, memory: MemoryId) -> bool {
    match stmt {
        ir::Stmt::MemoryWrite { memory: m, .. } => *m == memory,
        ir::Stmt::If { arms, otherwise, .. } => {
            arms.iter().flat_map(|(_, body)| body).chain(otherwise).any(|s| writes(s, memory))
        }
        ir::Stmt::Switch { arms, .. } => arms.iter().flatten().any(|s| writes(s, memory)),
        ir::Stmt::Each { body, .. } => body.iter().any(|s| writes(s, memory)),
        _ => false,
    }
}

/// The statements that `leaf` gives something for, under the conditions and in the loops around them.
fn filter(stmts: &[ir::Stmt], leaf: &dyn Fn(&ir::Stmt) -> Option<Vec<Stmt>>) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in stmts {
        match stmt {
            ir::Stmt::If { arms, otherwise, .. } => {
                let arms = arms.iter().map(|(condition, body)| (Condition::Node(*condition), filter(body, leaf)));
                result.extend(compact_if(arms.collect(), filter(otherwise, leaf)));
            }
            ir::Stmt::Switch { selector, encoding, arms, .. } => {
                let arms: Vec<_> = arms.iter().map(|body| filter(body, leaf)).collect();
                if arms.iter().any(|body| !body.is_empty()) {
                    result.push(Stmt::Switch { selector: *selector, encoding: encoding.clone(), arms });
                }
            }
            ir::Stmt::Each { index, body } => {
                let body = filter(body, leaf);
                if !body.is_empty() {
                    result.push(for_each(*index, body));
                }
            }
            other => result.extend(leaf(other).unwrap_or_default()),
        }
    }
    result
}

/// An `if` without empty arms at its ends.
fn compact_if(mut arms: Vec<(Condition, Vec<Stmt>)>, otherwise: Vec<Stmt>) -> Option<Stmt> {
    if otherwise.is_empty() {
        while arms.last().is_some_and(|(_, body)| body.is_empty()) {
            arms.pop();
        }
    }
    match arms.first()? {
        (condition @ Condition::Node(_), body) if body.is_empty() => {
            let not = Condition::Not(Box::new(condition.clone()));
            arms.remove(0);
            let rest = if arms.is_empty() { otherwise } else { vec![compact_if(arms, otherwise)?] };
            Some(guard(not, rest))
        }
        _ => Some(Stmt::If { arms, otherwise }),
    }
}

/// The statements from the last one on that sets everything.
fn without_hidden(mut tree: Vec<Stmt>) -> Vec<Stmt> {
    if let Some(last) = tree.iter().rposition(|s| matches!(s, Stmt::Assign { path, .. } if path.is_empty())) {
        tree.drain(..last);
    }
    tree
}

/// The value as one expression, if all is set at once and at most two choices do.
fn as_choice(tree: &[Stmt]) -> Option<Source> {
    fn run(tree: &[Stmt], mut now: Option<Source>, choices: &mut u32) -> Option<Source> {
        for stmt in tree {
            now = match stmt {
                Stmt::Assign { path, source, .. } if path.is_empty() => Some(source.clone()),
                Stmt::If { arms, otherwise } => {
                    let mut value = run(otherwise, now.clone(), choices)?;
                    for (condition, body) in arms.iter().rev() {
                        *choices += 1;
                        let then = run(body, now.clone(), choices)?;
                        value = Source::Choice(condition.clone(), Box::new(then), Box::new(value));
                    }
                    Some(value)
                }
                _ => return None,
            };
        }
        now
    }
    let mut choices = 0;
    run(tree, None, &mut choices).filter(|_| choices <= 2)
}

/// The slices that are set once each, unconditionally, and together are the whole.
fn disjoint_slices(tree: &[Stmt], width: u32) -> Option<Vec<(u32, u32, Source)>> {
    let mut parts = vec![];
    for stmt in tree {
        let Stmt::Assign { path, source, .. } = stmt else { return None };
        let (low, some) = static_range(path, width)?;
        parts.push((low, some, source.clone()));
    }
    let mut ranges: Vec<_> = parts.iter().map(|(low, some, _)| (*low, low + some)).collect();
    ranges.sort();
    let whole = ranges.first()?.0 == 0 && ranges.last()?.1 == width && ranges.windows(2).all(|p| p[0].1 == p[1].0);
    whole.then_some(parts)
}

/// The bits of a path without indices.
fn static_range(path: &[Select], width: u32) -> Option<(u32, u32)> {
    path.iter().try_fold((0, width), |(base, _), step| match step {
        Select::Slice { low, width } => Some((base + low, *width)),
        Select::Part { .. } => None,
    })
}

fn collect_ends(tree: &[Stmt], ends: &mut BTreeSet<u32>) -> bool {
    tree.iter().all(|stmt| match stmt {
        Stmt::Assign { bits, path, .. } => match static_range(path, bits.width) {
            Some((low, width)) => {
                ends.extend([low, low + width]);
                true
            }
            None => false,
        },
        Stmt::If { arms, otherwise } => {
            arms.iter().all(|(_, body)| collect_ends(body, ends)) && collect_ends(otherwise, ends)
        }
        Stmt::Switch { arms, .. } => arms.iter().all(|body| collect_ends(body, ends)),
        _ => false,
    })
}

/// The statements as the bits from `low` up see them, which have a name of their own.
fn restricted(tree: &[Stmt], low: u32, width: u32, name: &str) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in tree {
        match stmt {
            Stmt::Assign { bits, path, source, .. } => {
                let (base, some) = static_range(path, bits.width).expect("only slices");
                if base <= low && low + width <= base + some {
                    let source = match source {
                        Source::Node(node) => Source::Part { node: *node, terms: vec![], low: low - base, width },
                        other => unreachable!("{other:?}"),
                    };
                    result.push(set(Bits::whole(name, width), source));
                }
            }
            Stmt::If { arms, otherwise } => {
                let arms = arms.iter().map(|(c, body)| (c.clone(), restricted(body, low, width, name))).collect();
                result.extend(compact_if(arms, restricted(otherwise, low, width, name)));
            }
            Stmt::Switch { selector, encoding, arms } => {
                let arms: Vec<_> = arms.iter().map(|body| restricted(body, low, width, name)).collect();
                if arms.iter().any(|body| !body.is_empty()) {
                    result.push(Stmt::Switch { selector: *selector, encoding: encoding.clone(), arms });
                }
            }
            other => unreachable!("{other:?}"),
        }
    }
    result
}

fn segment_name(name: &str, low: u32, width: u32) -> String {
    match width {
        1 => format!("{name}_bit_{low}"),
        _ => format!("{name}_bits_{}_{low}", low + width - 1),
    }
}

/// The part of a value that the element at an index takes.
fn source_part(source: Source, index: LoopId, width: u32) -> Source {
    match source {
        Source::Node(node) => Source::Part { node, terms: vec![(index, width)], low: 0, width },
        Source::Part { node, mut terms, low, .. } => {
            terms.push((index, width));
            Source::Part { node, terms, low, width }
        }
        Source::Constant(value) => Source::ConstantPart { value, terms: vec![(index, width)], width },
        Source::ConstantPart { value, mut terms, .. } => {
            terms.push((index, width));
            Source::ConstantPart { value, terms, width }
        }
        Source::Named(bits) => Source::Named(bits.element(index, width)),
        Source::Choice(c, a, b) => {
            Source::Choice(c, Box::new(source_part(*a, index, width)), Box::new(source_part(*b, index, width)))
        }
    }
}

fn collect_elements(body: &[Stmt], shapes: &mut BTreeMap<String, (u32, u32)>, indices: &mut Vec<LoopId>) -> Option<()> {
    fn run(
        body: &[Stmt],
        shapes: &mut BTreeMap<String, (u32, u32)>,
        indices: &mut Vec<LoopId>,
        names: &mut BTreeSet<String>,
    ) -> Option<()> {
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, path, .. } => {
                    names.insert(bits.name.clone());
                    if let Some(Select::Part { index, width }) = path.first() {
                        let shape = *shapes.entry(bits.name.clone()).or_insert((bits.width, *width));
                        if shape.1 != *width {
                            return None;
                        }
                        if let Index::Loop(l) = index
                            && !indices.contains(l)
                        {
                            indices.push(*l);
                        }
                    }
                }
                Stmt::If { arms, otherwise } => {
                    for (_, body) in arms {
                        run(body, shapes, indices, names)?;
                    }
                    run(otherwise, shapes, indices, names)?;
                }
                Stmt::Switch { arms, .. } => {
                    for body in arms {
                        run(body, shapes, indices, names)?;
                    }
                }
                Stmt::For { body, .. } => run(body, shapes, indices, names)?,
                Stmt::Write { .. } | Stmt::Read { .. } | Stmt::Check { .. } => return None,
            }
        }
        Some(())
    }
    let mut names = BTreeSet::new();
    run(body, shapes, indices, &mut names)?;
    (names.len() == shapes.len()).then_some(())
}

fn collect_names(body: &[Stmt], names: &mut Vec<String>) {
    for stmt in body {
        match stmt {
            Stmt::Assign { bits, .. } if !names.contains(&bits.name) => names.push(bits.name.clone()),
            Stmt::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| collect_names(body, names));
                collect_names(otherwise, names);
            }
            Stmt::Switch { arms, .. } => arms.iter().for_each(|body| collect_names(body, names)),
            Stmt::For { body, .. } => collect_names(body, names),
            _ => {}
        }
    }
}

fn first_bits(body: &[Stmt]) -> Option<Bits> {
    body.iter().find_map(|stmt| match stmt {
        Stmt::Assign { bits, .. } => Some(bits.clone()),
        Stmt::If { arms, otherwise } => {
            arms.iter().find_map(|(_, body)| first_bits(body)).or_else(|| first_bits(otherwise))
        }
        Stmt::Switch { arms, .. } => arms.iter().find_map(|body| first_bits(body)),
        Stmt::For { body, .. } => first_bits(body),
        _ => None,
    })
}

/// The statements that set the bits of one name.
fn only(body: &[Stmt], name: &str) -> Vec<Stmt> {
    filter_names(body.to_vec(), &[name.to_string()])
}

fn filter_names(body: Vec<Stmt>, names: &[String]) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in body {
        match stmt {
            Stmt::If { arms, otherwise } => {
                let arms = arms.into_iter().map(|(c, body)| (c, filter_names(body, names))).collect();
                result.extend(compact_if(arms, filter_names(otherwise, names)));
            }
            Stmt::Switch { selector, encoding, arms } => {
                let arms: Vec<_> = arms.into_iter().map(|body| filter_names(body, names)).collect();
                if arms.iter().any(|body| !body.is_empty()) {
                    result.push(Stmt::Switch { selector, encoding, arms });
                }
            }
            Stmt::For { index, kind, scope, body } => {
                let body = filter_names(body, names);
                if !body.is_empty() {
                    result.push(Stmt::For { index, kind, scope, body });
                }
            }
            Stmt::Assign { ref bits, .. } if names.contains(&bits.name) => result.push(stmt),
            _ => {}
        }
    }
    result
}

fn has_loop(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::If { arms, otherwise } => arms.iter().any(|(_, body)| has_loop(body)) || has_loop(otherwise),
        Stmt::Switch { arms, .. } => arms.iter().any(|body| has_loop(body)),
        Stmt::For { .. } => true,
        _ => false,
    })
}
