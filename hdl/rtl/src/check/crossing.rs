//! Clock-domain crossings: what a register, memory port or instance takes comes from its own domain.

use crate::error::Error;
use crate::ir::{ASYNCHRONOUS, DomainId, Index, MemoryId, Module, NodeId, Op, Select, SignalId, SignalKind, Stmt};
use crate::place::Place;
use std::collections::{BTreeMap, HashMap};

/// The domains that a value comes from, each with a signal of it.
type Sources = BTreeMap<DomainId, SignalId>;

pub(super) fn check(module: &Module) -> Vec<Error> {
    if module.domains.len() < 2 {
        return vec![];
    }
    let mut flow = Flow { module, signals: HashMap::new(), nodes: vec![] };
    flow.settle();
    let mut errors = vec![];
    flow.statements(&module.body, &mut vec![], &mut |flow, sink, from, place| {
        let (domain, what) = match sink {
            Sink::Signal(signal) => match &module.signal(signal).kind {
                SignalKind::Register { crossing: None, .. } => {
                    (module.signal(signal).domain, format!("register `{}`", module.signal(signal).name))
                }
                SignalKind::InstanceInput { .. } if flow.is_asynchronous(module.signal(signal).domain) => return,
                SignalKind::InstanceInput { .. } => {
                    (module.signal(signal).domain, format!("input `{}`", module.signal(signal).name))
                }
                SignalKind::Output => {
                    (module.signal(signal).domain, format!("output `{}`", module.signal(signal).name))
                }
                _ => return,
            },
            Sink::Memory(memory, domain) => (domain, format!("memory `{}`", module.memory(memory).name)),
        };
        errors.extend(flow.foreign(domain, &what, from, place));
    });
    for memory in &module.memories {
        for port in &memory.reads {
            let what = format!("read port `{}`", module.signal(port.data).name);
            for node in [port.address, port.enable] {
                errors.extend(flow.foreign(port.domain, &what, flow.of(node), port.place));
            }
            if memory.writes.iter().any(|write| write.domain != port.domain)
                && port.collision != crate::ir::Collision::DontCare
            {
                let error = Error::new(format!(
                    "{what} of `{}` has another clock than a write port: what a collision gives cannot be promised",
                    memory.name
                ))
                .at(port.place, "read here")
                .at(memory.place, "the memory");
                errors.push(error.help("say `Collision::DontCare`"));
            }
        }
    }
    errors
}

/// Where a value goes.
#[derive(Clone, Copy)]
enum Sink {
    Signal(SignalId),
    Memory(MemoryId, DomainId),
}

struct Flow<'a> {
    module: &'a Module,
    /// Of signals that have no domain of their own: wires and running values.
    signals: HashMap<SignalId, Sources>,
    /// Of expressions, by node.
    nodes: Vec<Sources>,
}

impl Flow<'_> {
    /// Follows wires until nothing changes.
    fn settle(&mut self) {
        loop {
            self.nodes.clear();
            for node in &self.module.nodes {
                let sources = self.of_op(&node.op);
                self.nodes.push(sources);
            }
            let mut found: Vec<(SignalId, Sources)> = vec![];
            self.statements(&self.module.body, &mut vec![], &mut |_, sink, from, _| {
                if let Sink::Signal(signal) = sink {
                    found.push((signal, from.clone()));
                }
            });
            found.extend(
                self.module
                    .signals()
                    .filter_map(|(id, signal)| signal.default.map(|default| (id, self.of(default).clone()))),
            );
            let before: usize = self.signals.values().map(BTreeMap::len).sum();
            for (signal, sources) in found {
                self.signals.entry(signal).or_default().extend(sources);
            }
            if self.signals.values().map(BTreeMap::len).sum::<usize>() == before {
                break;
            }
        }
    }

    /// The domains an expression comes from.
    fn of(&self, node: NodeId) -> &Sources {
        &self.nodes[node.index()]
    }

    fn of_op(&self, op: &Op) -> Sources {
        let mut sources: Sources = op.operands().into_iter().flat_map(|operand| self.of(operand).clone()).collect();
        match op {
            Op::Read(id) => {
                let signal = self.module.signal(*id);
                match signal.kind {
                    SignalKind::Input
                    | SignalKind::Register { .. }
                    | SignalKind::SyncRead { .. }
                    | SignalKind::InstanceOutput { .. } => {
                        sources.insert(signal.domain, *id);
                    }
                    _ => sources.extend(self.signals.get(id).cloned().unwrap_or_default()),
                }
            }
            Op::MemoryRead { memory, .. } => {
                // The word changes with the clocks of the write ports; named by a signal of theirs, if there is one.
                for write in &self.module.memory(*memory).writes {
                    if let Some((id, _)) = self.module.signals().find(|(_, signal)| signal.domain == write.domain) {
                        sources.insert(write.domain, id);
                    }
                }
            }
            _ => {}
        }
        sources
    }

    /// Tells `each_sink` of everything that is driven, with the domains it is driven from.
    fn statements(
        &self,
        body: &[Stmt],
        conditions: &mut Vec<NodeId>,
        each_sink: &mut dyn FnMut(&Self, Sink, &Sources, Place),
    ) {
        let gather = |conditions: &[NodeId], values: &[NodeId]| -> Sources {
            conditions.iter().chain(values).flat_map(|node| self.of(*node).clone()).collect()
        };
        for statement in body {
            match statement {
                Stmt::Assign { target, value, place } => {
                    let mut values = vec![*value];
                    values.extend(target.path.iter().filter_map(|step| match step {
                        Select::Part { index: Index::Node(index), .. } => Some(*index),
                        _ => None,
                    }));
                    each_sink(self, Sink::Signal(target.signal), &gather(conditions, &values), *place);
                }
                Stmt::If { arms, otherwise, .. } => {
                    let depth = conditions.len();
                    for (condition, body) in arms {
                        conditions.push(*condition);
                        self.statements(body, conditions, each_sink);
                    }
                    self.statements(otherwise, conditions, each_sink);
                    conditions.truncate(depth);
                }
                Stmt::Switch { selector, arms, .. } => {
                    conditions.push(*selector);
                    for body in arms {
                        self.statements(body, conditions, each_sink);
                    }
                    conditions.pop();
                }
                Stmt::Each { body, .. } => self.statements(body, conditions, each_sink),
                Stmt::Scan { accumulators, outputs, place, .. } => {
                    for accumulator in accumulators {
                        let sources = gather(&[], &[accumulator.initial, accumulator.next]);
                        each_sink(self, Sink::Signal(accumulator.signal), &sources, *place);
                        if let Some(result) = accumulator.result {
                            each_sink(self, Sink::Signal(result), &sources, *place);
                        }
                    }
                    for (signal, value) in outputs {
                        each_sink(self, Sink::Signal(*signal), &gather(&[], &[*value]), *place);
                    }
                }
                Stmt::MemoryWrite { memory, port, address, data, enables, place } => {
                    let values: Vec<NodeId> = [*address, *data].into_iter().chain(*enables).collect();
                    let domain = self.module.memory(*memory).writes[*port as usize].domain;
                    each_sink(self, Sink::Memory(*memory, domain), &gather(conditions, &values), *place);
                }
                Stmt::Check { .. } => {}
            }
        }
    }

    fn is_asynchronous(&self, domain: DomainId) -> bool {
        self.module.domains[domain.index()].name == ASYNCHRONOUS
    }

    /// The error, if something comes from another domain.
    fn foreign(&self, domain: DomainId, what: &str, sources: &Sources, place: Place) -> Option<Error> {
        let (from, signal) = sources.iter().find(|(from, _)| **from != domain)?;
        let clock = |id: DomainId| self.module.domains[id.index()].clock();
        let signal = self.module.signal(*signal);
        Some(
            Error::new(format!(
                "{what} is clocked by `{}` and takes `{}` of `{}`",
                clock(domain),
                signal.name,
                clock(*from)
            ))
            .at(place, "set here")
            .at(signal.place, format!("`{}` comes from here", signal.name))
            .help("cross with `cells::synchronizer`, or say why it is safe: `.crossing(\"…\")`"),
        )
    }
}
