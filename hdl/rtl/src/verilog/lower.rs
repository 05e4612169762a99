//! From a module's statements to the processes that Verilog wants: what is driven where, and in which loops.
//!
//! The representation says what a design means; this says how it is laid out. Each signal is driven by exactly one
//! item (or one item for each of its disjoint parts). Expressions stay nodes here: they become text in
//! [`super::express`].

mod elements;
mod memories;
pub(super) mod statements;

use super::constant::{self, Decided};
use super::layout::{Bits, Condition, Declared, Event, Item, Layout, Scope, ScopeKind, Segment, Source, Stmt};
use super::names::Names;
use super::order::ordered;
use super::support::Support;
use crate::ir::{self, Binary, DomainId, InstanceId, LoopId, MemoryId, Module, NodeId, Op, SignalId, SignalKind};
use crate::value::Value;
use statements::{
    as_choice, collect_ends, collect_names, disjoint_slices, drives, filter, filter_names, first_bits, has_loop, only,
    restricted, set, touch, without_hidden,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included};

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
            constants: BTreeMap::new(),
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
        self.layout.constants = self.constants();
        let mut groups: Vec<(Class, Vec<SignalId>)> = vec![];
        for (id, signal) in self.module.signals() {
            match &signal.kind {
                SignalKind::Register { .. } => {}
                SignalKind::Output | SignalKind::Wire | SignalKind::InstanceInput { .. } => {
                    if self.layout.connected.contains_key(&id)
                        || self.is_scanned(id)
                        || self.comb_tree(id).is_empty()
                        || self.place_simple(id)
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
        self.place_scans();
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

    /// Signals that never change, with their values: nothing would ever start a process for them.
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
    fn place_simple(&mut self, id: SignalId) -> bool {
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
        if let Some(value) = self.layout.constants.get(&id).cloned() {
            self.layout.declared[id.index()] = Declared::AtAssignment;
            self.placed.push((at, Item::Assign { bits: whole, source: Source::Constant(value), encoding }));
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

    // ---- recurrences, the rest --------------------------------------------------------------------------------------

    fn place_scans(&mut self) {
        for (at, stmt) in self.module.body.iter().enumerate() {
            let ir::Stmt::Scan { index, accumulators, outputs, .. } = stmt else { continue };
            let bits = |id: SignalId| Bits::whole(&self.module.signal(id).name, self.module.signal(id).width);
            let targets: Vec<SignalId> =
                outputs.iter().map(|(s, _)| *s).chain(accumulators.iter().filter_map(|a| a.result)).collect();
            if targets.iter().all(|t| self.layout.constants.contains_key(t)) {
                for t in targets {
                    self.layout.declared[t.index()] = Declared::AtAssignment;
                    let source = Source::Constant(self.layout.constants[&t].clone());
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

fn segment_name(name: &str, low: u32, width: u32) -> String {
    match width {
        1 => format!("{name}_bit_{low}"),
        _ => format!("{name}_bits_{}_{low}", low + width - 1),
    }
}
