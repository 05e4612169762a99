//! What a signal's value depends on within one moment: which signals may share a process, which never change.

use super::constant::Decided;
use crate::ir::{self, MemoryId, Module, NodeId, Op, Select, SignalId, SignalKind, visit};
use std::collections::BTreeSet;

/// Combinational dependencies of the signals of a module; signals that share a process count as one.
pub(super) struct Support {
    /// What each signal reads, of signals without a clock.
    reads: Vec<BTreeSet<usize>>,
    /// The signal that stands for the process of each.
    host: Vec<usize>,
    /// The signals that each node reads.
    of_nodes: Vec<BTreeSet<usize>>,
}

impl Support {
    pub(super) fn new(module: &Module, decided: &Decided) -> Self {
        let mut reads = vec![BTreeSet::new(); module.signals.len()];
        let of = signals_of_nodes(module, decided);
        for (id, signal) in module.signals() {
            if let Some(default) = signal.default {
                reads[id.index()].extend(&of[default.index()]);
            }
            if let SignalKind::InstanceOutput { instance, .. } = signal.kind {
                for port in &module.instances[instance.index()].connections {
                    if matches!(module.signal(*port).kind, SignalKind::InstanceInput { .. }) {
                        reads[id.index()].insert(port.index());
                    }
                }
            }
        }
        collect(&module.body, &mut vec![], &of, &mut reads);
        for (id, signal) in module.signals() {
            let clocked =
                matches!(signal.kind, SignalKind::Register { .. } | SignalKind::SyncRead { .. } | SignalKind::Input);
            if clocked {
                reads[id.index()].clear();
            }
        }
        Self { reads, host: (0..module.signals.len()).collect(), of_nodes: of }
    }

    /// Whether the value of `a` depends on that of `b`, by one step or more.
    pub(super) fn reaches(&self, a: SignalId, b: SignalId) -> bool {
        let (start, goal) = (self.host[a.index()], self.host[b.index()]);
        let mut seen = BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(at) = waiting.pop() {
            for member in (0..self.host.len()).filter(|m| self.host[*m] == at) {
                for read in &self.reads[member] {
                    let next = self.host[*read];
                    if next == goal {
                        return true;
                    }
                    if seen.insert(next) {
                        waiting.push(next);
                    }
                }
            }
        }
        false
    }

    /// Whether a signal depends on itself; bit by bit it does not, or the design would have been refused.
    pub(super) fn on_cycle(&self, id: SignalId) -> bool {
        self.reaches(id, id)
    }

    /// `b` joins the process of `a`.
    pub(super) fn join(&mut self, a: SignalId, b: SignalId) {
        let (host, guest) = (self.host[a.index()], self.host[b.index()]);
        for h in &mut self.host {
            if *h == guest {
                *h = host;
            }
        }
    }

    /// How often each signal is read.
    pub(super) fn readers(module: &Module) -> Vec<u32> {
        let mut roots = vec![];
        visit(&module.body, &mut |node| roots.push(node));
        roots.extend(module.signals.iter().filter_map(|s| s.default));
        roots.extend(module.ignored.iter().map(|i| i.node));
        roots.extend(module.memories.iter().flat_map(|m| &m.reads).flat_map(|r| [r.address, r.enable]));
        let mut uses = vec![0; module.nodes.len()];
        for root in roots {
            uses[root.index()] += 1;
        }
        for i in (0..module.nodes.len()).rev() {
            if uses[i] > 0 {
                for operand in module.nodes[i].op.operands() {
                    uses[operand.index()] += 1;
                }
            }
        }
        let mut readers = vec![0; module.signals.len()];
        for (i, node) in module.nodes.iter().enumerate() {
            if let Op::Read(signal) = node.op {
                readers[signal.index()] += uses[i];
            }
        }
        readers
    }

    /// Whether an expression reads a signal.
    pub(super) fn reads(&self, node: NodeId, signal: SignalId) -> bool {
        self.of_nodes[node.index()].contains(&signal.index())
    }

    /// Signals without a clock that depend on nothing that can change.
    pub(super) fn never_changing(&self, module: &Module, decided: &Decided) -> BTreeSet<SignalId> {
        let reads_memory = memory_readers(module, decided);
        let mut changing: BTreeSet<usize> = module
            .signals()
            .filter(|(id, s)| {
                !matches!(s.kind, SignalKind::Output | SignalKind::Wire | SignalKind::InstanceInput { .. })
                    && !matches!(s.kind, SignalKind::Accumulator(_))
                    || reads_memory.contains(id)
            })
            .map(|(id, _)| id.index())
            .collect();
        loop {
            let more: Vec<usize> = (0..self.reads.len())
                .filter(|s| !changing.contains(s) && self.reads[*s].iter().any(|r| changing.contains(r)))
                .collect();
            if more.is_empty() {
                break;
            }
            changing.extend(more);
        }
        module
            .signals()
            .filter(|(id, s)| !changing.contains(&id.index()) && !matches!(s.kind, SignalKind::Accumulator(_)))
            .map(|(id, _)| id)
            .collect()
    }

    /// Memories that are read at an address that an accumulator decides.
    pub(super) fn words_in_recurrences(module: &Module, decided: &Decided) -> BTreeSet<MemoryId> {
        let accumulated: Vec<bool> = fold(
            module,
            decided,
            |op| matches!(op, Op::Read(s) if matches!(module.signal(*s).kind, SignalKind::Accumulator(_))),
        );
        let mut memories = BTreeSet::new();
        for node in &module.nodes {
            if let Op::MemoryRead { memory, address } = node.op
                && accumulated[address.index()]
            {
                memories.insert(memory);
            }
        }
        memories
    }
}

/// For each node, whether `own` holds for it or for anything that it is made of.
fn fold(module: &Module, decided: &Decided, own: impl Fn(&Op) -> bool) -> Vec<bool> {
    let mut result: Vec<bool> = vec![];
    for (i, node) in module.nodes.iter().enumerate() {
        let any = own(&node.op) || live_operands(module, decided, NodeId(i as u32)).iter().any(|o| result[o.index()]);
        result.push(any);
    }
    result
}

/// The operands that matter to the value of a node.
pub(super) fn live_operands(module: &Module, decided: &Decided, id: NodeId) -> Vec<NodeId> {
    if decided.get(id).is_some() {
        return vec![];
    }
    match module.node(id).op {
        Op::Mux(c, a, b) => match decided.get(c) {
            Some(c) => vec![if c.is_zero() { b } else { a }],
            None => vec![c, a, b],
        },
        Op::Binary(op, a, by) if decided.leaves(module, op, a, by) => vec![a],
        Op::Slice { of, low } => vec![sliced(module, decided, of, low, module.node(id).width).0],
        ref op => op.operands(),
    }
}

/// What is read for `width` bits of a node from `low` on: a node, and the lowest of its bits.
pub(super) fn sliced(module: &Module, decided: &Decided, of: NodeId, low: u32, width: u32) -> (NodeId, u32) {
    let node = module.node(of);
    if low == 0 && width == node.width || decided.get(of).is_some() {
        return (of, low);
    }
    let inner = |of: NodeId, low: u32| sliced(module, decided, of, low, width);
    match &node.op {
        Op::Slice { of, low: below } => inner(*of, below + low),
        Op::SignExtend(a) if low + width <= module.node(*a).width => inner(*a, low),
        Op::Repeat(a) => {
            let piece = module.node(*a).width;
            if low / piece == (low + width - 1) / piece { inner(*a, low % piece) } else { (of, low) }
        }
        Op::Concat(parts) => {
            let mut base = 0;
            for part in parts.iter().rev() {
                let own = module.node(*part).width;
                if low >= base && low + width <= base + own {
                    return inner(*part, low - base);
                }
                base += own;
            }
            (of, low)
        }
        _ => (of, low),
    }
}

/// Signals whose value comes from a memory without a clock between.
fn memory_readers(module: &Module, decided: &Decided) -> BTreeSet<SignalId> {
    let reads = fold(module, decided, |op| matches!(op, Op::MemoryRead { .. }));
    let of: Vec<BTreeSet<usize>> =
        reads.iter().map(|r| if *r { BTreeSet::from([0]) } else { BTreeSet::new() }).collect();
    let mut marked = vec![BTreeSet::new(); module.signals.len()];
    collect(&module.body, &mut vec![], &of, &mut marked);
    for (id, signal) in module.signals() {
        if let Some(default) = signal.default {
            marked[id.index()].extend(&of[default.index()]);
        }
    }
    module.signals().filter(|(id, _)| !marked[id.index()].is_empty()).map(|(id, _)| id).collect()
}

/// The signals that each node reads.
fn signals_of_nodes(module: &Module, decided: &Decided) -> Vec<BTreeSet<usize>> {
    let mut of: Vec<BTreeSet<usize>> = vec![];
    for (i, node) in module.nodes.iter().enumerate() {
        let mut own = BTreeSet::new();
        if let Op::Read(signal) = node.op {
            own.insert(signal.index());
        }
        for operand in live_operands(module, decided, NodeId(i as u32)) {
            own.extend(&of[operand.index()]);
        }
        of.push(own);
    }
    of
}

fn collect(stmts: &[ir::Stmt], around: &mut Vec<NodeId>, of: &[BTreeSet<usize>], reads: &mut [BTreeSet<usize>]) {
    for stmt in stmts {
        match stmt {
            ir::Stmt::Assign { target, value, .. } => {
                let own = &mut reads[target.signal.index()];
                own.extend(&of[value.index()]);
                for node in around.iter() {
                    own.extend(&of[node.index()]);
                }
                for step in &target.path {
                    if let Select::Part { index: ir::Index::Node(node), .. } = step {
                        own.extend(&of[node.index()]);
                    }
                }
            }
            ir::Stmt::If { arms, otherwise, .. } => {
                let depth = around.len();
                for (condition, body) in arms {
                    around.push(*condition);
                    collect(body, around, of, reads);
                }
                collect(otherwise, around, of, reads);
                around.truncate(depth);
            }
            ir::Stmt::Switch { selector, arms, .. } => {
                around.push(*selector);
                for body in arms {
                    collect(body, around, of, reads);
                }
                around.pop();
            }
            ir::Stmt::Each { body, .. } => collect(body, around, of, reads),
            ir::Stmt::Scan { accumulators, outputs, .. } => {
                let mut all = BTreeSet::new();
                for node in
                    outputs.iter().map(|(_, n)| n).chain(accumulators.iter().flat_map(|a| [&a.initial, &a.next]))
                {
                    all.extend(&of[node.index()]);
                }
                for accumulator in accumulators {
                    all.remove(&accumulator.signal.index());
                }
                for signal in outputs.iter().map(|(s, _)| *s).chain(accumulators.iter().filter_map(|a| a.result)) {
                    reads[signal.index()].extend(&all);
                }
            }
            ir::Stmt::MemoryWrite { .. } | ir::Stmt::Check { .. } => {}
        }
    }
}
