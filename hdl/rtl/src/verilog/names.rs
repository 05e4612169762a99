//! Names: none is used twice, and a shared expression keeps its name when something else is edited.

use crate::ir::{MemoryId, Module, NodeId, Op, SignalKind, Stmt, visit};
use std::collections::{BTreeMap, BTreeSet};

/// The names of a module.
#[derive(Clone)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    shared: Vec<String>,
    words: Vec<String>,
}

impl Names {
    pub(super) fn new(module: &Module) -> Self {
        let mut taken = BTreeSet::from([module.name.clone()]);
        taken.extend(module.signals.iter().map(|s| s.name.clone()));
        taken.extend(module.memories.iter().map(|m| m.name.clone()));
        taken.extend(module.instances.iter().map(|i| i.name.clone()));
        taken.extend(module.ignored.iter().map(|i| format!("unused_{}", i.name)));
        taken.extend(module.probes.iter().map(|p| format!("probe_{}", p.name)));
        taken.extend(module.domains.iter().flat_map(|d| [d.clock(), d.reset()]));
        let mut names = Self { taken, shared: vec![], words: vec![] };
        let shared = shared(module);
        names.shared = shared.into_iter().map(|base| names.fresh(&base)).collect();
        names.words = module.memories.iter().map(|m| names.fresh(&format!("{}_words", m.name))).collect();
        names
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, base: &str) -> String {
        let name = self.free(base);
        self.taken.insert(name.clone());
        name
    }

    /// A name that nothing else has at present.
    pub(super) fn free(&self, base: &str) -> String {
        let others = (2..).map(|n| format!("{base}_n{n}"));
        std::iter::once(base.to_string()).chain(others).find(|n| !self.taken.contains(n)).expect("endless")
    }

    /// The first free one of some names.
    pub(super) fn first_free(&mut self, wanted: &[&str]) -> String {
        let free = wanted.iter().find(|n| !self.taken.contains(**n)).copied();
        self.fresh(free.unwrap_or(wanted[0]))
    }

    /// The name of all words of a memory side by side, should they be needed.
    pub(super) fn words(&self, memory: MemoryId) -> &str {
        &self.words[memory.index()]
    }

    /// The name of an expression, should it get a wire.
    pub(super) fn shared(&self, node: NodeId) -> &str {
        &self.shared[node.index()]
    }
}

/// For each node `<consumer>_<ordinal there>`: the consumer is the first signal in program order whose driving
/// statement reads it; the ordinal counts the operators that this consumer reads, its own or not.
fn shared(module: &Module) -> Vec<String> {
    let mut naming = Naming { module, names: vec![None; module.nodes.len()], seen: BTreeMap::new() };
    for signal in &module.signals {
        if let Some(default) = signal.default {
            naming.visit(&signal.name, default);
        }
    }
    naming.statements(&module.body);
    for memory in &module.memories {
        for read in &memory.reads {
            naming.visit(&module.signal(read.data).name, read.address);
            naming.visit(&module.signal(read.data).name, read.enable);
        }
    }
    for probe in &module.probes {
        naming.visit(&format!("probe_{}", probe.name), probe.node);
    }
    for ignored in &module.ignored {
        naming.visit(&ignored.name, ignored.node);
    }
    naming.names.into_iter().enumerate().map(|(i, n)| n.unwrap_or_else(|| format!("value_{i}"))).collect()
}

struct Naming<'a> {
    module: &'a Module,
    names: Vec<Option<String>>,
    /// What each consumer has read: nodes, and how many of them are operators or constants.
    seen: BTreeMap<String, (BTreeSet<NodeId>, [u32; 2])>,
}

impl Naming<'_> {
    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let consumer = self.consumer(stmt);
            match stmt {
                Stmt::If { arms, otherwise, .. } => {
                    for (condition, body) in arms {
                        self.visit(&consumer, *condition);
                        self.statements(body);
                    }
                    self.statements(otherwise);
                }
                Stmt::Switch { selector, arms, .. } => {
                    self.visit(&consumer, *selector);
                    arms.iter().for_each(|body| self.statements(body));
                }
                Stmt::Each { body, .. } => self.statements(body),
                _ => {
                    let mut roots = vec![];
                    visit(std::slice::from_ref(stmt), &mut |node| roots.push(node));
                    for root in roots {
                        self.visit(&consumer, root);
                    }
                }
            }
        }
    }

    /// The first thing that a statement drives.
    fn consumer(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Assign { target, .. } => self.module.signal(target.signal).name.clone(),
            Stmt::If { arms, otherwise, .. } => {
                let first = arms.iter().flat_map(|(_, body)| body).chain(otherwise).next();
                first.map_or("condition".into(), |s| self.consumer(s))
            }
            Stmt::Switch { arms, .. } => arms.iter().flatten().next().map_or("selector".into(), |s| self.consumer(s)),
            Stmt::Each { body, .. } => body.first().map_or("each".into(), |s| self.consumer(s)),
            Stmt::Scan { accumulators, outputs, index, .. } => {
                let output = outputs.first().map(|(s, _)| *s);
                let signal = output.or_else(|| accumulators.iter().find_map(|a| a.result));
                match signal {
                    Some(signal) => self.module.signal(signal).name.clone(),
                    None => self.module.loops[index.index()].name.clone(),
                }
            }
            Stmt::MemoryWrite { memory, .. } => self.module.memory(*memory).name.clone(),
            Stmt::Check { .. } => "check".into(),
        }
    }

    fn visit(&mut self, consumer: &str, root: NodeId) {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let (seen, counts) = self.seen.entry(consumer.to_string()).or_default();
            if !seen.insert(node) {
                continue;
            }
            let op = &self.module.node(node).op;
            let constant = matches!(op, Op::Const(_) | Op::DontCare);
            let plain = match op {
                Op::Read(s) => !matches!(self.module.signal(*s).kind, SignalKind::Accumulator(_)),
                Op::Slice { of, .. } => matches!(self.module.node(*of).op, Op::Read(_)),
                _ => false,
            };
            if !plain {
                let count = &mut counts[usize::from(constant)];
                let infix = if constant { "_constant" } else { "" };
                self.names[node.index()].get_or_insert(format!("{consumer}{infix}_{count}"));
                *count += 1;
            } else {
                self.names[node.index()].get_or_insert(format!("{consumer}_read"));
            }
            waiting.extend(op.operands().into_iter().rev());
        }
    }
}
