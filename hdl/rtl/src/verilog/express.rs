//! Expressions: nodes become text, shared ones wires of their own.
//!
//! The same code runs twice over a layout. First it counts who reads each node where; from that it follows which nodes
//! need a wire. Then it writes. A wire is declared just before the first item that reads it, in the outermost scope where
//! all that it depends on is known.

mod operators;
mod wires;

use super::constant::Decided;
use super::layout::{Bits, Condition, Item, Layout, Scope, ScopeKind, Source};
use super::names::Names;
use super::support::live_operands;
use super::text::{Expr, Stmt as Text, not, upper};
use crate::ir::{Binary, Encoding, Index, LoopId, Module, NodeId, Op, SignalKind, Unary};
use crate::value::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// An expression that would take more columns than this is split.
const LONG: u32 = 150;

/// End of the name of a variable of which some bits are not read.
const PARTLY_UNUSED: &str = "_partly_unused";

/// Which bits of each name are read.
pub(super) type ReadBits = BTreeMap<String, Vec<bool>>;

/// What the text of a module turned out to use, for the next time it is written.
#[derive(Clone, Default)]
pub(super) struct Usage {
    /// Bits read outside properties.
    pub read: ReadBits,
    /// Bits read in properties.
    pub checked: ReadBits,
    /// Wires of a generate loop of which each iteration reads another part.
    pub partial: BTreeSet<String>,
    /// Index constants that are read, by scope.
    pub indices: BTreeSet<usize>,
    /// Wires that are read before they are assigned.
    pub early: BTreeSet<String>,
    /// Names of codes that are used: encoding, then variant.
    pub labels: BTreeMap<(String, usize), (String, Value, String)>,
    /// Constant vectors that are read by element.
    pub vectors: BTreeMap<Value, String>,
    /// Variables of generate loops, outermost first.
    pub genvars: usize,
}

/// A node that has a wire or variable of its own.
#[derive(Clone)]
struct Hoist {
    bits: Bits,
}

/// Nodes of a procedural loop whose wires stand outside of it, all iterations side by side.
#[derive(Clone)]
struct Packed {
    /// The node; others of the scope are wires inside of it.
    owner: NodeId,
    /// The scope that declares the wire.
    base: usize,
    /// The loops, outermost first, with their scopes.
    loops: Vec<(LoopId, usize)>,
}

#[derive(Default)]
struct Reads {
    scopes: Vec<usize>,
    forced: bool,
}

pub(super) struct Express<'a> {
    pub module: &'a Module,
    pub layout: &'a Layout,
    pub names: Names,
    pub scopes: Vec<Scope>,
    /// What was used when the module was written before.
    pub before: Usage,
    /// What is used this time.
    pub usage: Usage,
    pub in_checks: bool,
    pub counting: bool,
    reads: BTreeMap<(Reverse<NodeId>, usize), Reads>,
    hoists: BTreeMap<(usize, NodeId), Hoist>,
    packed: BTreeMap<usize, Packed>,
    packed_scopes: BTreeMap<(usize, NodeId), usize>,
    long: BTreeSet<NodeId>,
    defined: BTreeSet<(usize, NodeId)>,
    /// The scopes in which a wire made here is declared.
    declared_in: BTreeMap<String, BTreeSet<usize>>,
    /// Variables of recurrences of which some bits are not read.
    partly_read_locals: BTreeSet<(usize, NodeId)>,
    /// Wires to declare before the next item of a scope.
    pending: BTreeMap<usize, Vec<String>>,
    /// Variables to set before the next statement of a recurrence.
    pending_statements: BTreeMap<usize, Vec<Text>>,
    /// Variables of the recurrence being written.
    pub locals: Vec<(String, u32)>,
    /// Wires assigned so far.
    pub assigned: BTreeSet<String>,
    /// The name that a constant vector would be called after.
    pub target: String,
    /// Nodes that a wire or output takes as they are: whoever else reads one reads that.
    takers: BTreeMap<NodeId, String>,
    decided: &'a Decided,
    dependencies: Vec<BTreeSet<LoopId>>,
    accumulated: Vec<bool>,
    /// Whether a node reads anything but indices and what never changes.
    variable: Vec<bool>,
    genvars: Vec<String>,
    integers: Vec<String>,
    label_names: BTreeMap<(String, usize), String>,
    block_names: BTreeMap<usize, String>,
}

impl<'a> Express<'a> {
    pub(super) fn new(module: &'a Module, layout: &'a Layout, decided: &'a Decided, mut names: Names) -> Self {
        let mut dependencies: Vec<BTreeSet<LoopId>> = vec![];
        let mut accumulated: Vec<bool> = vec![];
        let mut variable: Vec<bool> = vec![];
        for (i, node) in module.nodes.iter().enumerate() {
            let mut own = BTreeSet::new();
            let mut running = false;
            let known = decided.get(NodeId(i as u32)).is_some();
            match &node.op {
                _ if known => {}
                Op::LoopIndex(l) | Op::Part { index: Index::Loop(l), .. } => {
                    own.insert(*l);
                }
                Op::Read(signal) => {
                    if let SignalKind::Accumulator(l) = module.signal(*signal).kind {
                        own.insert(l);
                        running = true;
                    }
                }
                _ => {}
            }
            let operands = live_operands(module, decided, NodeId(i as u32));
            for operand in &operands {
                own.extend(&dependencies[operand.index()]);
                running |= accumulated[operand.index()];
            }
            let reads = !known
                && match node.op {
                    Op::Read(signal) => !layout.constants.contains_key(&signal),
                    Op::MemoryRead { .. } => true,
                    _ => false,
                };
            variable.push(reads || operands.iter().any(|o| variable[o.index()]));
            dependencies.push(own);
            accumulated.push(running);
        }
        let genvars = vec![
            names.first_free(&["i", "gen_i"]),
            names.first_free(&["j", "gen_j"]),
            names.first_free(&["l", "gen_l"]),
            names.first_free(&["p", "gen_p"]),
        ];
        let integers = vec![
            names.first_free(&["k", "int_k"]),
            names.first_free(&["m", "int_m"]),
            names.first_free(&["n", "int_n"]),
            names.first_free(&["q", "int_q"]),
        ];
        Self {
            module,
            layout,
            names,
            scopes: layout.scopes.clone(),
            before: Usage::default(),
            usage: Usage::default(),
            in_checks: false,
            counting: true,
            reads: BTreeMap::new(),
            hoists: BTreeMap::new(),
            packed: BTreeMap::new(),
            packed_scopes: BTreeMap::new(),
            long: BTreeSet::new(),
            defined: BTreeSet::new(),
            declared_in: BTreeMap::new(),
            partly_read_locals: BTreeSet::new(),
            pending: BTreeMap::new(),
            pending_statements: BTreeMap::new(),
            locals: vec![],
            assigned: BTreeSet::new(),
            target: String::new(),
            takers: takers(&layout.items),
            decided,
            dependencies,
            accumulated,
            variable,
            genvars,
            integers,
            label_names: BTreeMap::new(),
            block_names: BTreeMap::new(),
        }
    }

    // ---- from counting to writing ------------------------------------------------------------------------------------

    /// Ends the counting: decides which nodes get a wire.
    pub(super) fn decide(&mut self) {
        let roots: Vec<(NodeId, usize, Vec<usize>, bool)> = std::mem::take(&mut self.reads)
            .into_iter()
            .map(|((node, home), reads)| (node.0, home, reads.scopes, reads.forced))
            .collect();
        self.sweep(&roots);
        self.long = self.too_long();
        if !self.long.is_empty() {
            self.sweep(&roots);
        }
        self.counting = false;
    }

    fn sweep(&mut self, roots: &[(NodeId, usize, Vec<usize>, bool)]) {
        self.hoists.clear();
        for (node, home, scopes, forced) in roots {
            let reads = self.reads.entry((Reverse(*node), *home)).or_default();
            reads.scopes.extend(scopes);
            reads.forced |= forced;
        }
        // Users come before their operands.
        while let Some(((Reverse(node), home), reads)) = self.reads.pop_first() {
            let shared = reads.scopes.len() > 1 && !self.is_trivial(node) || self.long.contains(&node);
            if reads.forced || shared {
                let width = self.module.node(node).width;
                let taker = self.takers.get(&node).filter(|_| home == 0);
                let name = taker.map_or(self.names.shared(node), String::as_str).to_string();
                let packed = self.packed_of(home, node);
                let bits = match &packed {
                    Some(packed) => {
                        let mut strides = vec![];
                        let mut stride = width;
                        for (l, _) in packed.loops.iter().rev() {
                            strides.push((*l, stride));
                            stride *= self.layout.loops[l.index()].1;
                        }
                        strides.reverse();
                        Bits { name, total: stride, terms: strides, low: 0, width }
                    }
                    None => Bits::whole(name, width),
                };
                let declared_in = packed.map_or(home, |packed| packed.base);
                self.declared_in.entry(bits.name.clone()).or_default().insert(declared_in);
                self.hoists.insert((home, node), Hoist { bits });
                self.emit(node, home);
            } else {
                for scope in reads.scopes {
                    self.emit(node, scope);
                }
            }
        }
    }

    /// Operands to split off where an expression would make its line too long.
    fn too_long(&self) -> BTreeSet<NodeId> {
        let mut long = BTreeSet::new();
        let hoisted: BTreeSet<NodeId> = self.hoists.keys().map(|(_, node)| *node).collect();
        let mut length: Vec<u32> = vec![];
        for (i, node) in self.module.nodes.iter().enumerate() {
            let id = NodeId(i as u32);
            let own = match &node.op {
                Op::Read(signal) => self.module.signal(*signal).name.len() as u32,
                Op::Const(value) => value.width().min(64) / 4 + 4,
                _ => 6,
            };
            let mut operands = node.op.operands();
            operands.sort();
            operands.dedup();
            let mut total = own + operands.iter().map(|o| length[o.index()]).sum::<u32>();
            operands.sort_by_key(|o| Reverse(length[o.index()]));
            for operand in operands {
                let most = length[operand.index()];
                if total <= LONG || most <= 40 {
                    break;
                }
                if self.is_trivial(operand) {
                    continue;
                }
                long.insert(operand);
                total = total - most + 15;
            }
            let splits = hoisted.contains(&id);
            length.push(if splits { 15 } else { total });
        }
        long
    }

    /// Starts writing (again): nothing is defined yet.
    pub(super) fn restart(&mut self) {
        self.before = std::mem::take(&mut self.usage);
        // Nothing outside a process can read its variables: linters go by the name.
        for key in std::mem::take(&mut self.partly_read_locals) {
            let bits = &mut self.hoists.get_mut(&key).expect("defined").bits;
            if !bits.name.ends_with(PARTLY_UNUSED) {
                bits.name.push_str(PARTLY_UNUSED);
            }
        }
        self.defined.clear();
        self.assigned.clear();
    }

    /// Nodes that read as well twice as once.
    fn is_trivial(&self, node: NodeId) -> bool {
        if self.decided.get(node).is_some() {
            return true;
        }
        let plain =
            |n: NodeId| matches!(self.module.node(n).op, Op::Const(_) | Op::DontCare | Op::Read(_) | Op::LoopIndex(_));
        match &self.module.node(node).op {
            // What they select from has a name, or gets one for their sake.
            Op::Slice { .. } => true,
            Op::Part { of, index: Index::Loop(l) } => {
                self.count(*l) * self.module.node(node).width <= self.module.node(*of).width
            }
            Op::Unary(Unary::Not, a) => self.module.node(node).width == 1 && (plain(*a) || self.is_path(*a)),
            Op::Binary(Binary::Equal | Binary::NotEqual, a, b) => {
                (plain(*a) && self.code_of(*b, *a).is_some()) || (plain(*b) && self.code_of(*a, *b).is_some())
            }
            _ => plain(node),
        }
    }

    fn is_path(&self, node: NodeId) -> bool {
        match &self.module.node(node).op {
            Op::Read(_) => true,
            Op::Slice { of, .. } | Op::Part { of, index: Index::Loop(_) } => self.is_path(*of),
            _ => false,
        }
    }

    // ---- scopes ------------------------------------------------------------------------------------------------------

    fn chain(&self, scope: usize) -> Vec<usize> {
        let mut chain = vec![scope];
        while let Some(parent) = self.scopes[*chain.last().expect("not empty")].parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// Where a node that is read in a scope gets its wire.
    fn home(&mut self, node: NodeId, scope: usize) -> usize {
        let needed = &self.dependencies[node.index()];
        let chain = self.chain(scope);
        let mut bound: BTreeSet<LoopId> = BTreeSet::new();
        let mut at = 0;
        for (i, s) in chain.iter().enumerate() {
            bound.extend(&self.scopes[*s].indices);
            at = i;
            if needed.is_subset(&bound) {
                break;
            }
        }
        let reads_memory = matches!(self.module.node(node).op, Op::MemoryRead { .. });
        match self.scopes[chain[at]].kind {
            ScopeKind::Module | ScopeKind::Generate => return chain[at],
            ScopeKind::Recurrence if !reads_memory || self.accumulated[node.index()] => return chain[at],
            ScopeKind::Recurrence | ScopeKind::Integer => {}
        }
        let base_at = chain[..at]
            .iter()
            .rposition(|s| matches!(self.scopes[*s].kind, ScopeKind::Module | ScopeKind::Generate))
            .expect("the module is a scope");
        let base = chain[base_at];
        if let Some(scope) = self.packed_scopes.get(&(base, node)) {
            return *scope;
        }
        let needed = needed.clone();
        let mut loops = vec![];
        let mut parent = base;
        for s in &chain[base_at + 1..=at] {
            for l in self.scopes[*s].indices.clone() {
                if needed.contains(&l) {
                    self.scopes.push(Scope { parent: Some(parent), indices: vec![l], kind: ScopeKind::Generate });
                    parent = self.scopes.len() - 1;
                    loops.push((l, parent));
                }
            }
        }
        self.packed.insert(parent, Packed { owner: node, base, loops });
        self.packed_scopes.insert((base, node), parent);
        parent
    }

    /// How a node's wire is laid out, if it holds all iterations of integer loops.
    fn packed_of(&self, home: usize, node: NodeId) -> Option<Packed> {
        self.packed.get(&home).filter(|packed| packed.owner == node).cloned()
    }

    /// The scope that runs a loop, around a scope.
    fn runner(&self, index: LoopId, scope: usize) -> usize {
        let mut at = scope;
        while !self.scopes[at].indices.contains(&index) {
            at = self.scopes[at]
                .parent
                .unwrap_or_else(|| panic!("{}: a loop's index is read outside of it", self.module.name));
        }
        at
    }

    /// Variable of the loop that a scope runs.
    pub(super) fn variable(&mut self, scope: usize) -> String {
        let generate = self.scopes[scope].kind == ScopeKind::Generate;
        let depth = self
            .chain(scope)
            .iter()
            .filter(|s| match self.scopes[**s].kind {
                ScopeKind::Generate => generate,
                ScopeKind::Integer | ScopeKind::Recurrence => !generate,
                ScopeKind::Module => false,
            })
            .count();
        if generate && !self.counting {
            self.usage.genvars = self.usage.genvars.max(depth);
        }
        let names = if generate { &mut self.genvars } else { &mut self.integers };
        while names.len() < depth {
            let name = format!("{}{}", names[0], names.len());
            names.push(self.names.fresh(&name));
        }
        names[depth - 1].clone()
    }

    /// Variables of generate loops, in use.
    pub(super) fn genvars(&self) -> &[String] {
        &self.genvars[..self.usage.genvars]
    }

    /// Name of the block of a generate loop.
    pub(super) fn block_name(&mut self, scope: usize, base: &str) -> String {
        if let Some(name) = self.block_names.get(&scope) {
            return name.clone();
        }
        let name = self.names.fresh(&format!("g_{base}"));
        self.block_names.insert(scope, name.clone());
        name
    }

    /// Number of iterations of a loop.
    pub(super) fn count(&self, index: LoopId) -> u32 {
        self.layout.loops[index.index()].1
    }

    /// Bits of a loop's index.
    fn index_width(&self, index: LoopId) -> u32 {
        address_width(self.count(index))
    }

    /// Name of the constant that holds the index of a generate loop.
    pub(super) fn index_name(&self, scope: usize) -> String {
        let first = self.scopes[scope].indices[0];
        let base = &self.layout.loops[first.index()].0;
        let own = self.names.free(base);
        let own = if own == *base { own } else { self.names.free(&format!("{base}_index")) };
        let around = self.chain(scope);
        let hidden = around[..around.len() - 1]
            .iter()
            .any(|s| self.scopes[*s].kind == ScopeKind::Generate && self.index_name(*s) == own);
        if hidden { format!("{own}_{}", around.len()) } else { own }
    }

    /// The index of a loop as a number of its own width.
    fn index_value(&mut self, index: LoopId, scope: usize) -> Expr {
        let width = self.index_width(index);
        let runner = self.runner(index, scope);
        match self.scopes[runner].kind {
            ScopeKind::Generate => {
                if !self.counting {
                    self.usage.indices.insert(runner);
                }
                Expr::Name(self.index_name(runner))
            }
            _ => {
                let variable = self.variable(runner);
                Expr::Name(if width == 1 { format!("{variable}[0]") } else { format!("{variable}[{}:0]", width - 1) })
            }
        }
    }

    // ---- values ------------------------------------------------------------------------------------------------------

    /// The value of a node, as an operand.
    pub(super) fn value(&mut self, node: NodeId, scope: usize) -> Expr {
        if self.counting {
            let memory = matches!(self.module.node(node).op, Op::MemoryRead { .. });
            self.record(node, scope, memory);
            return Expr::Name(String::new());
        }
        let home = self.home(node, scope);
        if let Some(hoist) = self.hoists.get(&(home, node)).cloned() {
            self.define(home, node);
            return self.read(&hoist.bits, scope);
        }
        self.emit(node, scope)
    }

    /// The value of a node as an assignment takes it: codes by their names, and, where `continuous`, memories directly.
    fn assigned_value(&mut self, node: NodeId, scope: usize, encoding: Option<&Encoding>, continuous: bool) -> Expr {
        let memory = matches!(self.module.node(node).op, Op::MemoryRead { .. });
        if self.counting {
            self.record(node, scope, memory && !continuous);
            return Expr::Name(String::new());
        }
        let home = self.home(node, scope);
        if self.is_taken(home, node) && self.takers[&node] == self.target && continuous {
            return self.emit(node, scope);
        }
        if let (Some(encoding), false) = (encoding, self.hoists.contains_key(&(home, node))) {
            if let Some(value) = self.decided.get(node).cloned() {
                return self.coded(&value, encoding);
            }
            if let Op::Mux(c, a, b) = self.module.node(node).op {
                if let Some(c) = self.decided.get(c) {
                    let chosen = if c.is_zero() { b } else { a };
                    return self.assigned_value(chosen, scope, Some(encoding), false);
                }
                let c = self.condition(c, scope);
                let a = self.assigned_value(a, scope, Some(encoding), false);
                return Expr::ternary(c, a, self.assigned_value(b, scope, Some(encoding), false));
            }
        }
        self.value(node, scope)
    }

    /// A one-bit node as a condition: with `&&`, `||` and `!`.
    pub(super) fn condition(&mut self, node: NodeId, scope: usize) -> Expr {
        if self.counting {
            return self.value(node, scope);
        }
        let home = self.home(node, scope);
        if !self.hoists.contains_key(&(home, node)) && self.decided.get(node).is_none() {
            match self.module.node(node).op {
                Op::Unary(Unary::Not, a) => {
                    let a = self.condition(a, scope);
                    return not(a);
                }
                Op::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                    let a = self.condition(a, scope);
                    let b = self.condition(b, scope);
                    return Expr::binary(if op == Binary::And { "&&" } else { "||" }, a, b);
                }
                _ => {}
            }
        }
        self.value(node, scope)
    }

    /// A condition.
    pub(super) fn ask(&mut self, condition: &Condition, scope: usize) -> Expr {
        match condition {
            Condition::Node(node) => self.condition(*node, scope),
            Condition::Not(condition) => {
                let value = self.ask(condition, scope);
                not(value)
            }
            Condition::Named(bits) => self.read(bits, scope),
            Condition::Bit(node, l) => {
                let bits = self.named(*node, scope).element(*l, 1);
                self.read(&bits, scope)
            }
            Condition::IsIndex(node, l) => {
                let (own, index) = (self.module.node(*node).width, self.index_width(*l));
                let value = self.value(*node, scope);
                let number = self.index_value(*l, scope);
                Expr::binary(
                    "==",
                    Expr::zero_extended(index.saturating_sub(own), value),
                    Expr::zero_extended(own.saturating_sub(index), number),
                )
            }
            Condition::IndexIs(l, number) => {
                let width = self.index_width(*l);
                let index = self.index_value(*l, scope);
                Expr::binary("==", index, Expr::Literal(Value::new(width, *number)))
            }
            Condition::IndexBelow(l, bound) => {
                let runner = self.runner(*l, scope);
                let variable = self.variable(runner);
                Expr::binary("<", Expr::Name(variable), Expr::Name(bound.to_string()))
            }
            Condition::Below(node, bound) => {
                let width = self.module.node(*node).width;
                let value = self.value(*node, scope);
                Expr::binary("<", value, Expr::Literal(Value::new(width, *bound)))
            }
            Condition::SameNumber(a, b) => {
                let (wa, wb) = (self.module.node(*a).width, self.module.node(*b).width);
                let a = self.value(*a, scope);
                let b = self.value(*b, scope);
                Expr::binary(
                    "==",
                    Expr::zero_extended(wb.saturating_sub(wa), a),
                    Expr::zero_extended(wa.saturating_sub(wb), b),
                )
            }
            Condition::Reset(domain) => {
                let name = self.module.domains[domain.index()].reset();
                self.read(&Bits::whole(name, 1), scope)
            }
        }
    }

    /// What is assigned.
    pub(super) fn source(
        &mut self,
        source: &Source,
        scope: usize,
        encoding: Option<&Encoding>,
        continuous: bool,
    ) -> Expr {
        match source {
            Source::Node(node) => self.assigned_value(*node, scope, encoding, continuous),
            Source::Part { node, terms, low, width } => self.part(*node, terms, *low, *width, scope),
            Source::Constant(value) => match encoding {
                Some(encoding) => self.coded(value, encoding),
                None => Expr::Literal(value.clone()),
            },
            Source::ConstantPart { value, terms, width } => self.constant_part(value, terms, 0, *width, scope),
            Source::Named(bits) => self.read(bits, scope),
            Source::Choice(c, a, b) => {
                let c = self.ask(c, scope);
                let literal = |s: &Source| match s {
                    Source::Constant(value) if value.width() == 1 => Some(!value.is_zero()),
                    _ => None,
                };
                if (literal(a), literal(b)) == (Some(true), Some(false)) {
                    return c;
                }
                let a = self.source(a, scope, encoding, false);
                Expr::ternary(c, a, self.source(b, scope, encoding, false))
            }
        }
    }

    fn part(&mut self, node: NodeId, terms: &[(LoopId, u32)], low: u32, width: u32, scope: usize) -> Expr {
        let module = self.module;
        if let Some(value) = self.decided.get(node).cloned() {
            return self.constant_part(&value, terms, low, width, scope);
        }
        match &module.node(node).op {
            Op::DontCare => unknown(width),
            Op::Repeat(a) if module.node(*a).width == width && low.is_multiple_of(width) => self.value(*a, scope),
            _ if terms.is_empty() => self.slice_of(node, low, width, scope),
            _ => {
                let mut bits = self.named(node, scope);
                if bits.total > 0 {
                    bits.terms.extend(terms);
                    bits.low += low;
                    bits.width = width;
                }
                self.read(&bits, scope)
            }
        }
    }

    fn constant_part(&mut self, value: &Value, terms: &[(LoopId, u32)], low: u32, width: u32, scope: usize) -> Expr {
        if terms.is_empty() {
            return Expr::Literal(value.slice(low, width));
        }
        let first = value.slice(low, width);
        let pieces = (0..value.width() / width).map(|i| value.slice(i * width, width));
        if low == 0 && value.width().is_multiple_of(width) && pieces.into_iter().all(|p| p == first) {
            return Expr::Literal(first);
        }
        let name = match self.usage.vectors.get(value).or(self.before.vectors.get(value)) {
            Some(name) => name.clone(),
            None => self.names.fresh(&format!("{}_VALUES", upper(&self.target))),
        };
        self.usage.vectors.insert(value.clone(), name.clone());
        let bits = Bits { name, total: value.width(), terms: terms.to_vec(), low, width };
        Expr::Name(self.place(&bits, scope))
    }

    /// Name of a code.
    fn coded(&mut self, value: &Value, encoding: &Encoding) -> Expr {
        match encoding.variants.iter().position(|(_, code, _)| code == value) {
            Some(variant) => Expr::Name(self.label(encoding, variant)),
            None => Expr::Literal(value.clone()),
        }
    }

    /// Name of the code of a variant.
    pub(super) fn label(&mut self, encoding: &Encoding, variant: usize) -> String {
        let (name, code, doc) = &encoding.variants[variant];
        let key = (encoding.name.clone(), variant);
        let label = match self.label_names.get(&key) {
            Some(label) => label.clone(),
            None => {
                let label = self.names.fresh(&format!("{}_{}", upper(&encoding.name), upper(name)));
                self.label_names.insert(key.clone(), label.clone());
                label
            }
        };
        if !self.counting {
            self.usage.labels.insert(key, (label.clone(), code.clone(), doc.clone()));
        }
        label
    }

    /// The encoding of what `other` is compared with, if `constant` is one of its codes.
    fn code_of(&self, other: NodeId, constant: NodeId) -> Option<(&'a Encoding, &'a Value)> {
        let module = self.module;
        let (Op::Read(signal), Op::Const(value)) = (&module.node(other).op, &module.node(constant).op) else {
            return None;
        };
        let encoding = module.signal(*signal).encoding.as_deref()?;
        encoding.variants.iter().any(|(_, code, _)| code == value).then_some((encoding, value))
    }
}

/// Bits that number `count` things; at least one.
pub(super) fn address_width(count: u32) -> u32 {
    (u32::BITS - (count - 1).leading_zeros()).max(1)
}

fn unknown(width: u32) -> Expr {
    let bit = Expr::Name("1'bx".into());
    if width == 1 { bit } else { Expr::Repeat(width, Box::new(bit)) }
}

/// The nodes that signals take as they are, each with the first such signal.
fn takers(items: &[Item]) -> BTreeMap<NodeId, String> {
    let mut takers = BTreeMap::new();
    for item in items {
        if let Item::Assign { bits, source: Source::Node(node), .. } = item
            && bits.width == bits.total
        {
            takers.entry(*node).or_insert(bits.name.clone());
        }
    }
    takers
}
