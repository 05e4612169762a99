//! Expressions: nodes become text, shared ones wires of their own.
//!
//! The same code runs twice over a layout. First it counts who reads each node where; from that it follows which nodes
//! need a wire. Then it writes. A wire is declared just before the first item that reads it, in the outermost scope where
//! all that it depends on is known.

use super::constant::Decided;
use super::lower::{Bits, Condition, Item, Layout, Scope, ScopeKind, Segment, Source};
use super::names::Names;
use super::support::{live_operands, sliced};
use super::text::{Expr, Stmt as Text};
use crate::ir::{Binary, Encoding, Index, LoopId, MemoryId, Module, NodeId, Op, SignalKind, Unary};
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
    /// Whether a node reads anything but indices.
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
            let reads = !known && matches!(node.op, Op::Read(_) | Op::MemoryRead { .. });
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

    // ---- bits with names ---------------------------------------------------------------------------------------------

    fn mark(&mut self, bits: &Bits, scope: usize) {
        if self.counting || bits.total == 0 {
            return;
        }
        if self.is_own_part(bits, scope) {
            self.usage.partial.insert(bits.name.clone());
        }
        let mut lows = vec![bits.low];
        for (l, stride) in &bits.terms {
            let count = self.count(*l);
            lows = lows.iter().flat_map(|low| (0..count).map(move |i| low + i * stride)).collect();
        }
        let all = if self.in_checks { &mut self.usage.checked } else { &mut self.usage.read };
        let read = all.entry(bits.name.clone()).or_insert_with(|| vec![false; bits.total as usize]);
        for low in lows {
            for bit in low..(low + bits.width).min(bits.total) {
                read[bit as usize] = true;
            }
        }
    }

    /// Whether the bits are those that one iteration of a generate loop reads of a wire which each iteration has.
    fn is_own_part(&self, bits: &Bits, scope: usize) -> bool {
        let Some(homes) = self.declared_in.get(&bits.name) else { return false };
        let Some(home) = self.chain(scope).into_iter().find(|s| homes.contains(s)) else { return false };
        bits.terms.iter().any(|(l, _)| self.chain(home).iter().any(|s| self.scopes[*s].indices.contains(l)))
    }

    /// Bits as they are read.
    pub(super) fn read(&mut self, bits: &Bits, scope: usize) -> Expr {
        let bits = self.segment(bits);
        self.mark(&bits, scope);
        let assigned_later = |declared| declared == super::lower::Declared::AtAssignment;
        if !self.counting
            && !self.assigned.contains(&bits.name)
            && self
                .module
                .signals()
                .any(|(id, s)| s.name == bits.name && assigned_later(self.layout.declared[id.index()]))
        {
            self.usage.early.insert(bits.name.clone());
        }
        Expr::Name(self.place(&bits, scope))
    }

    /// The segment of a divided wire that holds the bits, if one does.
    fn segment(&self, bits: &Bits) -> Bits {
        if !bits.terms.is_empty() || self.layout.segments.is_empty() {
            return bits.clone();
        }
        let divided = self.layout.segments.iter().find(|(id, _)| self.module.signal(**id).name == bits.name);
        let Some((_, segments)) = divided else { return bits.clone() };
        let within = |s: &&Segment| s.low <= bits.low && bits.low + bits.width <= s.low + s.width;
        match segments.iter().find(within) {
            Some(segment) => Bits::whole(&segment.name, segment.width).slice(bits.low - segment.low, bits.width),
            None => bits.clone(),
        }
    }

    /// Bits as text, read or set.
    pub(super) fn place(&mut self, bits: &Bits, scope: usize) -> String {
        if bits.total == bits.width || bits.total == 0 {
            return bits.name.clone();
        }
        if bits.terms.is_empty() {
            let (low, high) = (bits.low, bits.low + bits.width - 1);
            return if low == high { format!("{}[{low}]", bits.name) } else { format!("{}[{high}:{low}]", bits.name) };
        }
        let mut sum = vec![];
        let mut within = bits.total;
        for (l, stride) in &bits.terms {
            let runner = self.runner(*l, scope);
            let mut variable = self.variable(runner);
            // Beyond the last element a guard holds; the select must be legal all the same.
            if self.count(*l) > within / stride {
                variable = format!("({variable} % {})", within / stride);
            }
            within = *stride;
            sum.push(if *stride == 1 { variable } else { format!("{variable}*{stride}") });
        }
        if bits.low > 0 {
            sum.push(bits.low.to_string());
        }
        let base = sum.join(" + ");
        if bits.width == 1 {
            format!("{}[{base}]", bits.name)
        } else {
            format!("{}[{base} +: {}]", bits.name, bits.width)
        }
    }

    /// A node as bits of something that has a name, if it is that.
    fn reference(&mut self, node: NodeId, scope: usize) -> Option<Bits> {
        if !self.counting {
            let home = self.home(node, scope);
            if let Some(hoist) = self.hoists.get(&(home, node)).cloned() {
                self.define(home, node);
                return Some(hoist.bits);
            }
        }
        let module = self.module;
        let width = module.node(node).width;
        match &module.node(node).op {
            Op::Read(signal) => {
                let signal = module.signal(*signal);
                Some(Bits::whole(&signal.name, signal.width))
            }
            Op::Slice { of, low } => Some(self.reference(*of, scope)?.slice(*low, width)),
            Op::Part { of, index: Index::Loop(l) } => {
                let fits = self.count(*l) * width <= module.node(*of).width;
                if fits { Some(self.reference(*of, scope)?.element(*l, width)) } else { None }
            }
            Op::LoopIndex(l) => {
                let runner = self.runner(*l, scope);
                let integer = matches!(self.scopes[runner].kind, ScopeKind::Integer | ScopeKind::Recurrence);
                (integer && width < 32).then(|| {
                    let variable = self.variable(runner);
                    Bits::whole(variable, 32).slice(0, width)
                })
            }
            _ => None,
        }
    }

    /// A node as bits of something that has a name; it gets one if it has none.
    fn named(&mut self, node: NodeId, scope: usize) -> Bits {
        if let Some(bits) = self.reference(node, scope) {
            return bits;
        }
        self.force(node, scope)
    }

    /// A node as the whole of something that has a name.
    fn named_whole(&mut self, node: NodeId, scope: usize) -> Bits {
        match self.reference(node, scope) {
            Some(bits) if bits.terms.is_empty() && bits.width == bits.total => bits,
            _ => self.force(node, scope),
        }
    }

    fn force(&mut self, node: NodeId, scope: usize) -> Bits {
        assert!(self.counting, "{}: a node without a wire needs one: {:?}", self.module.name, self.module.node(node));
        self.record(node, scope, true);
        // Its text is not used: this is counting.
        Bits { name: String::new(), total: 0, terms: vec![], low: 0, width: self.module.node(node).width }
    }

    fn record(&mut self, node: NodeId, scope: usize, forced: bool) {
        let home = self.home(node, scope);
        let forced = forced || self.selects_in_integer_loop(node, scope);
        let reads = self.reads.entry((Reverse(node), home)).or_default();
        reads.scopes.push(scope);
        reads.forced |= forced;
    }

    /// Whether a node selects, by an expression, from what changes with an integer loop: that has no name of its own
    /// inside of the loop, and the whole is computed outside.
    fn selects_in_integer_loop(&mut self, node: NodeId, scope: usize) -> bool {
        let Op::Part { of, index: Index::Node(_) } = self.module.node(node).op else { return false };
        let home = self.home(of, scope);
        self.packed_of(home, of).is_some()
    }

    /// Declares the wire of a node, if that has not been done.
    fn define(&mut self, home: usize, node: NodeId) {
        if !self.defined.insert((home, node)) || self.is_taken(home, node) {
            return;
        }
        let checks = std::mem::replace(&mut self.in_checks, false);
        let value = self.emit(node, home);
        self.in_checks = checks;
        let bits = self.hoists[&(home, node)].bits.clone();
        if let Some(packed) = self.packed_of(home, node) {
            let target = self.place(&bits, home);
            let mut lines = self.pending.remove(&home).unwrap_or_default();
            lines.push(format!("assign {target} = {};", value.text()));
            for (i, (l, scope)) in packed.loops.iter().enumerate().rev() {
                let variable = self.variable(*scope);
                let mut inner = self.index_lines(*scope);
                if i + 1 < packed.loops.len() {
                    inner.extend(self.pending.remove(scope).unwrap_or_default());
                }
                inner.extend(lines);
                let label = self.block_name(*scope, &bits.name);
                lines = vec![for_head(&variable, self.count(*l), &label)];
                lines.extend(super::text::indented(inner));
                lines.push("end".into());
            }
            let pending = self.pending.entry(packed.base).or_default();
            pending.push(format!("wire {}{};", range(bits.total), bits.name));
            pending.extend(lines);
            self.unread(&bits, packed.base);
        } else if self.scopes[home].kind == ScopeKind::Recurrence {
            self.locals.push((bits.name.clone(), bits.width));
            if !self.is_all_read(&bits) {
                self.partly_read_locals.insert((home, node));
            }
            let text = Text::Assign { target: bits.name, operator: "=", value };
            self.pending_statements.entry(home).or_default().push(text);
        } else {
            let line = format!("wire {}{} = {};", range(bits.width), bits.name, value.text());
            self.pending.entry(home).or_default().push(line);
            self.unread(&bits, home);
        }
    }

    /// Whether a node's wire is one of the author's.
    fn is_taken(&self, home: usize, node: NodeId) -> bool {
        home == 0 && self.takers.contains_key(&node)
    }

    fn is_all_read(&self, bits: &Bits) -> bool {
        self.before.read.get(&bits.name).is_none_or(|read| read.iter().all(|r| *r))
    }

    /// Says of the bits of a wire made here that nobody reads them.
    fn unread(&mut self, bits: &Bits, scope: usize) {
        let nothing = vec![false; bits.total as usize];
        let read = self.before.read.get(&bits.name).unwrap_or(&nothing);
        let checked = self.before.checked.get(&bits.name).unwrap_or(&nothing);
        let partial = self.before.partial.contains(&bits.name);
        let unread: Vec<bool> = read.iter().zip(checked).map(|(r, c)| partial || (!r && !c)).collect();
        let ranges = ranges(&bits.name, &unread);
        if !ranges.is_empty() {
            let line = format!("wire unused_{} = &{{1'b0, {}}};", bits.name, ranges.join(", "));
            self.pending.entry(scope).or_default().push(line);
        }
    }

    /// The wires to declare before the next item of a scope.
    pub(super) fn take_pending(&mut self, scope: usize) -> Vec<String> {
        self.pending.remove(&scope).unwrap_or_default()
    }

    /// The variables to set before the next statement of a recurrence.
    pub(super) fn take_statements(&mut self, scope: usize) -> Vec<Text> {
        self.pending_statements.remove(&scope).unwrap_or_default()
    }

    /// Declaration of the index constant of a generate loop, if it is read.
    pub(super) fn index_lines(&mut self, scope: usize) -> Vec<String> {
        if !self.before.indices.contains(&scope) {
            return vec![];
        }
        let width = self.index_width(self.scopes[scope].indices[0]);
        let variable = self.variable(scope);
        vec![format!("localparam [{}:0] {} = {variable};", width - 1, self.index_name(scope))]
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

    // ---- operators ---------------------------------------------------------------------------------------------------

    /// The text of a node itself.
    fn emit(&mut self, id: NodeId, scope: usize) -> Expr {
        let module = self.module;
        let node = module.node(id);
        let width = node.width;
        if let Some(value) = self.decided.get(id) {
            return Expr::Literal(value.clone());
        }
        match &node.op {
            Op::Const(value) => Expr::Literal(value.clone()),
            Op::DontCare => unknown(width),
            Op::Read(signal) => {
                let signal = module.signal(*signal);
                self.read(&Bits::whole(&signal.name, signal.width), scope)
            }
            Op::LoopIndex(l) => {
                let own = self.index_width(*l);
                let index = self.index_value(*l, scope);
                Expr::zero_extended(width - own, index)
            }
            Op::Unary(op, a) => self.unary(*op, *a, scope),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b, scope),
            Op::Mux(c, a, b) => {
                if let Some(c) = self.decided.get(*c) {
                    return self.value(if c.is_zero() { *b } else { *a }, scope);
                }
                let c = self.condition(*c, scope);
                let a = self.value(*a, scope);
                Expr::ternary(c, a, self.value(*b, scope))
            }
            Op::Slice { of, low } => self.slice_of(*of, *low, width, scope),
            Op::Part { of, index: Index::Loop(l) } => match self.element_reference(id, *of, *l, scope) {
                Some(bits) => self.read(&bits, scope),
                None => self.guarded_element(*of, *l, width, scope),
            },
            Op::Part { of, index: Index::Node(index) } => {
                if module.node(*of).width == width {
                    return self.only_element(*of, *index, width, scope);
                }
                let of = self.named_whole(*of, scope);
                self.select(&of, module.node(id), *index, scope)
            }
            Op::Concat(parts) => Expr::concat(parts.iter().map(|p| self.value(*p, scope)).collect()),
            Op::Repeat(a) => {
                let times = width / module.node(*a).width;
                let a = self.value(*a, scope);
                if times == 1 { a } else { Expr::Repeat(times, Box::new(a)) }
            }
            Op::SignExtend(a) => self.sign_extended(*a, width, scope),
            Op::MemoryRead { memory, address } => self.memory_read(*memory, *address, scope),
        }
    }

    /// The only element of an array of one.
    fn only_element(&mut self, of: NodeId, index: NodeId, width: u32, scope: usize) -> Expr {
        let none = Value::zero(self.module.node(index).width);
        let index = self.value(index, scope);
        let of = self.value(of, scope);
        Expr::ternary(Expr::binary("==", index, Expr::Literal(none)), of, Expr::Literal(Value::zero(width)))
    }

    fn element_reference(&mut self, id: NodeId, of: NodeId, l: LoopId, scope: usize) -> Option<Bits> {
        let module = self.module;
        let width = module.node(id).width;
        if self.count(l) * width > module.node(of).width {
            return None;
        }
        Some(match self.reference(of, scope) {
            Some(bits) => bits.element(l, width),
            None => {
                let bits = self.named(of, scope);
                if bits.total == 0 { bits } else { bits.element(l, width) }
            }
        })
    }

    /// An element whose index runs beyond the last one.
    fn guarded_element(&mut self, of: NodeId, l: LoopId, width: u32, scope: usize) -> Expr {
        let elements = self.module.node(of).width / width;
        let mut bits = self.named(of, scope);
        if bits.total > 0 {
            bits = bits.element(l, width);
        }
        let inside = self.ask(&Condition::IndexBelow(l, elements), scope);
        let element = self.read(&bits, scope);
        Expr::ternary(inside, element, Expr::Literal(Value::zero(width)))
    }

    fn unary(&mut self, op: Unary, a: NodeId, scope: usize) -> Expr {
        let one = self.module.node(a).width == 1;
        let value = self.value(a, scope);
        if let (Unary::Not, Expr::Binary(operator, left, right)) = (op, &value)
            && let Some(opposite) = opposite(operator)
        {
            return Expr::Binary(opposite, left.clone(), right.clone());
        }
        match op {
            Unary::Not => Expr::unary("~", value),
            Unary::Negate => Expr::unary("-", value),
            _ if one => value,
            Unary::All => Expr::unary("&", value),
            Unary::Any => Expr::unary("|", value),
            Unary::Parity => Expr::unary("^", value),
        }
    }

    fn binary(&mut self, op: Binary, a: NodeId, b: NodeId, scope: usize) -> Expr {
        let (wa, wb) = (self.module.node(a).width, self.module.node(b).width);
        let simple = match op {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Equal | Binary::NotEqual => {
                let operator = if op == Binary::Equal { "==" } else { "!=" };
                return self.equal(operator, a, b, scope);
            }
            Binary::LessSigned | Binary::LessEqualSigned => {
                let operator = if op == Binary::LessSigned { "<" } else { "<=" };
                let a = self.compared(a, scope);
                let b = self.compared(b, scope);
                return Expr::binary(operator, signed(a), signed(b));
            }
            Binary::Multiply => {
                let a = self.value(a, scope);
                let b = self.value(b, scope);
                return Expr::binary("*", Expr::zero_extended(wb, a), Expr::zero_extended(wa, b));
            }
            Binary::MultiplySigned => {
                let a = self.sign_extended(a, wa + wb, scope);
                let b = self.sign_extended(b, wa + wb, scope);
                return Expr::binary("*", a, b);
            }
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => {
                if self.decided.leaves(self.module, op, a, b) {
                    return self.value(a, scope);
                }
                let by = if op == Binary::ShiftRightSigned {
                    self.distance_within(b, wa, scope)
                } else {
                    self.distance(b, scope)
                };
                let a = self.value(a, scope);
                return match op {
                    Binary::ShiftLeft => Expr::binary("<<", a, by),
                    Binary::ShiftRight => Expr::binary(">>", a, by),
                    _ => Expr::Call("$unsigned", Box::new(Expr::binary(">>>", signed(a), by))),
                };
            }
        };
        if matches!(op, Binary::Less | Binary::LessEqual) {
            let a = self.compared(a, scope);
            return Expr::binary(simple, a, self.compared(b, scope));
        }
        let a = self.value(a, scope);
        Expr::binary(simple, a, self.value(b, scope))
    }

    /// An operand of a comparison. What the index of a generate loop alone decides gets a wire: in some iteration it may
    /// be the least or the greatest number, and a linter would take the comparison for a mistake.
    fn compared(&mut self, node: NodeId, scope: usize) -> Expr {
        let indexed = !self.variable[node.index()] && !self.dependencies[node.index()].is_empty();
        if indexed && self.scopes[scope].kind == ScopeKind::Generate && self.decided.get(node).is_none() {
            let bits = self.named(node, scope);
            return self.read(&bits, scope);
        }
        self.value(node, scope)
    }

    fn equal(&mut self, operator: &'static str, a: NodeId, b: NodeId, scope: usize) -> Expr {
        let mut side = |other: NodeId, own: NodeId| match self.code_of(other, own) {
            Some((encoding, value)) => self.coded(value, encoding),
            None => self.value(own, scope),
        };
        let left = side(b, a);
        Expr::binary(operator, left, side(a, b))
    }

    /// How far to shift. No tool takes more than 32 bits; a distance that large shifts everything out.
    fn distance(&mut self, by: NodeId, scope: usize) -> Expr {
        let width = self.module.node(by).width;
        if width <= 32 {
            return self.value(by, scope);
        }
        let high = self.slice_of(by, 32, width - 32, scope);
        let low = self.slice_of(by, 0, 32, scope);
        let far = if width == 33 { high } else { Expr::unary("|", high) };
        Expr::ternary(far, Expr::Literal(Value::ones(32)), low)
    }

    /// How far to shift `shifted` bits arithmetically: to the last bit at most, which leaves nothing but the sign. For a
    /// distance beyond that it finds to be constant, Verilator 5.052 gives 0.
    fn distance_within(&mut self, by: NodeId, shifted: u32, scope: usize) -> Expr {
        let width = self.module.node(by).width.min(32);
        let last = Expr::Literal(Value::new(width, shifted - 1));
        if let Some(by) = self.decided.get(by) {
            let is_far = by.to_u64().is_none_or(|by| by >= u64::from(shifted));
            return if is_far { last } else { Expr::Literal(by.slice(0, width)) };
        }
        match self.range_guard(by, shifted, scope) {
            Some(guard) => Expr::ternary(guard, self.slice_of(by, 0, width, scope), last),
            None => self.value(by, scope),
        }
    }

    fn sign_extended(&mut self, a: NodeId, width: u32, scope: usize) -> Expr {
        let own = self.module.node(a).width;
        if own == width {
            return self.value(a, scope);
        }
        if own == 1 {
            let a = self.value(a, scope);
            return Expr::Repeat(width, Box::new(a));
        }
        if let Some(value) = self.decided.get(a) {
            let high = if value.get(own - 1) { Value::ones(width) } else { Value::zero(width) };
            return Expr::Literal(high.with_slice(0, value));
        }
        let bits = self.named(a, scope);
        if bits.total == 0 {
            return Expr::Name(String::new());
        }
        let sign = self.read(&bits.clone().slice(own - 1, 1), scope);
        let sign = if width - own == 1 { sign } else { Expr::Repeat(width - own, Box::new(sign)) };
        let low = self.read(&bits, scope);
        Expr::concat(vec![sign, low])
    }

    /// Some bits of a node.
    fn slice_of(&mut self, of: NodeId, low: u32, width: u32, scope: usize) -> Expr {
        let (of, low) = sliced(self.module, self.decided, of, low, width);
        let node = self.module.node(of);
        if low == 0 && width == node.width {
            return self.value(of, scope);
        }
        if let Some(value) = self.decided.get(of) {
            return Expr::Literal(value.slice(low, width));
        }
        if node.op == Op::DontCare {
            return unknown(width);
        }
        let bits = self.named(of, scope);
        if bits.total == 0 {
            return Expr::Name(String::new());
        }
        self.read(&bits.slice(low, width), scope)
    }

    /// The element of a vector that an expression numbers; 0 beyond the last.
    fn select(&mut self, of: &Bits, node: &crate::ir::Node, index: NodeId, scope: usize) -> Expr {
        let width = node.width;
        // While counting, a vector without a name has no width: the node's operand has.
        let total = match &node.op {
            Op::Part { of, .. } => self.module.node(*of).width,
            _ => of.total,
        };
        let elements = total / width;
        if let Some(value) = self.decided.get(index) {
            return match value.to_u64() {
                Some(i) if i < u64::from(elements) && of.total > 0 => {
                    let bits = of.clone().slice(i as u32 * width, width);
                    self.read(&bits, scope)
                }
                _ => Expr::Literal(Value::zero(width)),
            };
        }
        self.read(of, scope);
        if !self.counting && !self.variable[index.index()] && self.declared_in.contains_key(&of.name) {
            self.usage.partial.insert(of.name.clone());
        }
        let guard = self.range_guard(index, elements, scope);
        let number = self.sized_index(index, elements, scope);
        if beyond(&number, elements) {
            return Expr::Literal(Value::zero(width));
        }
        let number = match &guard {
            // A linter knows the number in each iteration, and does not look at the guard.
            Some(guard) if !self.variable[index.index()] && self.scopes[scope].kind == ScopeKind::Generate => {
                Expr::ternary(guard.clone(), number, Expr::Literal(Value::zero(address_width(elements))))
            }
            _ => number,
        };
        let base = if width == 1 { number } else { scaled(number, elements, width) };
        let element = Expr::Name(match width {
            1 => format!("{}[{}]", of.name, base.text()),
            _ => format!("{}[{} +: {width}]", of.name, base.text()),
        });
        match guard {
            Some(guard) => Expr::ternary(guard, element, Expr::Literal(Value::zero(width))),
            None => element,
        }
    }

    /// The condition that an index is below a bound, unless it always is.
    fn range_guard(&mut self, index: NodeId, bound: u32, scope: usize) -> Option<Expr> {
        let width = self.module.node(index).width;
        let always = width < 32 && 1u64 << width <= u64::from(bound);
        (!always).then(|| self.ask(&Condition::Below(index, bound), scope))
    }

    /// An index in as many bits as the number of elements needs.
    fn sized_index(&mut self, index: NodeId, elements: u32, scope: usize) -> Expr {
        let (own, need) = (self.module.node(index).width, address_width(elements));
        if own > need {
            return self.slice_of(index, 0, need, scope);
        }
        let op = &self.module.node(index).op;
        let computed = matches!(op, Op::Unary(..) | Op::Binary(..) | Op::Mux(..) | Op::MemoryRead { .. });
        if own == need && computed && self.decided.get(index).is_none() {
            // Icarus computes the index of a word in more bits than its operands have.
            let bits = self.named(index, scope);
            return self.read(&bits, scope);
        }
        let value = self.value(index, scope);
        Expr::zero_extended(need - own, value)
    }

    // ---- memories ----------------------------------------------------------------------------------------------------

    /// The select of a word of a memory, inside its depth.
    pub(super) fn word(&mut self, memory: MemoryId, address: NodeId, scope: usize) -> String {
        let m = self.module.memory(memory);
        if m.depth == 1 {
            return m.name.clone();
        }
        if let Some(value) = self.decided.get(address) {
            let word = value.to_u64().filter(|a| *a < u64::from(m.depth)).unwrap_or(0);
            return format!("{}[{word}]", m.name);
        }
        let index = self.sized_index(address, m.depth, scope);
        // A guard holds where the address is beyond; the select must be legal all the same.
        let index = if beyond(&index, m.depth) { Expr::Name("0".into()) } else { index };
        format!("{}[{}]", m.name, index.text())
    }

    /// The select of a word to write. A constant address gets a name: yosys takes a memory apart, and says so, if all
    /// of its writes have constant addresses.
    pub(super) fn written_word(&mut self, memory: MemoryId, address: NodeId, scope: usize) -> String {
        let m = self.module.memory(memory);
        if m.depth == 1 || self.decided.get(address).is_none() {
            return self.word(memory, address, scope);
        }
        let need = address_width(m.depth);
        let mut bits = self.named(address, scope);
        if bits.total > need {
            bits = bits.slice(0, need);
        }
        let short = need.saturating_sub(self.module.node(address).width);
        let address = Expr::zero_extended(short, self.read(&bits, scope));
        format!("{}[{}]", m.name, address.text())
    }

    fn memory_read(&mut self, memory: MemoryId, address: NodeId, scope: usize) -> Expr {
        let m = self.module.memory(memory);
        if let Some(value) = self.decided.get(address)
            && value.to_u64().is_none_or(|a| a >= u64::from(m.depth))
        {
            return Expr::Literal(Value::zero(m.width));
        }
        let guard = match self.decided.get(address) {
            Some(_) => None,
            None => self.range_guard(address, m.depth, scope),
        };
        let in_recurrence = self.scopes[scope].kind == ScopeKind::Recurrence;
        let word = if in_recurrence {
            // A process that reads a memory would wait for all of its words: it reads them as one vector.
            let words = self.names.words(memory).to_string();
            self.mark(&Bits::whole(&words, m.depth * m.width), scope);
            let index = match m.depth {
                1 => None,
                _ => Some(self.sized_index(address, m.depth, scope)),
            };
            Expr::Name(match (index, m.width) {
                (None, _) => words,
                (Some(index), 1) => format!("{words}[{}]", index.text()),
                (Some(index), width) => format!("{words}[{} +: {width}]", scaled(index, m.depth, width).text()),
            })
        } else {
            Expr::Name(self.word(memory, address, scope))
        };
        match guard {
            Some(guard) => Expr::ternary(guard, word, Expr::Literal(Value::zero(m.width))),
            None => word,
        }
    }
}

/// Bits that number `count` things; at least one.
pub(super) fn address_width(count: u32) -> u32 {
    (u32::BITS - (count - 1).leading_zeros()).max(1)
}

/// `index * width` in exactly as many bits as select among `count * width`; `index` has as many as number `count` things.
fn scaled(index: Expr, count: u32, width: u32) -> Expr {
    if width.is_power_of_two() {
        return Expr::concat(vec![index, Expr::Literal(Value::zero(width.trailing_zeros()))]);
    }
    let bits = address_width(count * width);
    let index = Expr::zero_extended(bits - address_width(count), index);
    Expr::binary("*", index, Expr::Literal(Value::new(bits, width)))
}

/// Whether an index is a constant that is beyond the last of some elements.
fn beyond(index: &Expr, elements: u32) -> bool {
    matches!(index, Expr::Literal(value) if value.to_u64().is_none_or(|i| i >= u64::from(elements)))
}

/// The comparison that holds when this one does not.
fn opposite(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "==" => "!=",
        "!=" => "==",
        "<" => ">=",
        "<=" => ">",
        _ => return None,
    })
}

/// The opposite of a condition.
pub(super) fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Binary(operator, a, b) if opposite(operator).is_some() => {
            Expr::Binary(opposite(operator).expect("just seen"), a, b)
        }
        Expr::Unary("!", a) => *a,
        other => Expr::unary("!", other),
    }
}

fn signed(a: Expr) -> Expr {
    Expr::Call("$signed", Box::new(a))
}

fn unknown(width: u32) -> Expr {
    let bit = Expr::Name("1'bx".into());
    if width == 1 { bit } else { Expr::Repeat(width, Box::new(bit)) }
}

/// `[7:0] `, or nothing for one bit.
pub(super) fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

pub(super) fn for_head(variable: &str, count: u32, label: &str) -> String {
    format!("for ({variable} = 0; {variable} < {count}; {variable} = {variable} + 1) begin : {label}")
}

/// The runs of marked bits of a name, as selects.
pub(super) fn ranges(name: &str, marked: &[bool]) -> Vec<String> {
    let mut found = vec![];
    let mut at = 0;
    while at < marked.len() {
        if !marked[at] {
            at += 1;
            continue;
        }
        let low = at;
        while at < marked.len() && marked[at] {
            at += 1;
        }
        found.push(match (low, at - 1) {
            (0, high) if high + 1 == marked.len() => name.to_string(),
            (low, high) if low == high => format!("{name}[{low}]"),
            (low, high) => format!("{name}[{high}:{low}]"),
        });
    }
    found.reverse();
    found
}

/// `CamelCase` or `snake_case` as `UPPER_SNAKE_CASE`.
pub(super) fn upper(name: &str) -> String {
    let mut result = String::new();
    let mut before_is_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before_is_lower {
            result.push('_');
        }
        before_is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        result.push(c.to_ascii_uppercase());
    }
    result
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
