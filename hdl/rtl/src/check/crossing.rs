//! Clock-domain crossings: what a register, memory port or instance takes comes from its own domain.

use super::{Around, bodies_of};
use crate::error::Error;
use crate::ir::{ASYNCHRONOUS, DomainId, Index, MemoryId, Module, NodeId, Op, Select, SignalId, SignalKind, Stmt};
use crate::place::Place;
use std::collections::BTreeMap;

/// The domains that a value comes from, each with the name and place of something of it.
type Sources<'a> = BTreeMap<DomainId, (&'a str, Place)>;

pub(super) fn check(module: &Module) -> Vec<Error> {
    if module.domains.len() < 2 {
        return vec![];
    }
    let mut flow = Flow { module, signals: BTreeMap::new(), nodes: vec![] };
    flow.settle();
    let mut errors = clockless(module);
    flow.statements(&module.body, &mut vec![], &mut vec![], &mut |flow, sink, from, place, around| {
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
        errors.extend(flow.foreign(domain, &what, from, place).map(|error| error.within(around)));
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

/// The error of each state that is said to be in the domain without a clock.
fn clockless(module: &Module) -> Vec<Error> {
    let is_clockless = |domain: DomainId| module.domains[domain.index()].name == ASYNCHRONOUS;
    let states = module.signals.iter().filter_map(|signal| match signal.kind {
        SignalKind::Register { .. } | SignalKind::SyncRead { .. } => Some((&signal.name, signal.domain, signal.place)),
        _ => None,
    });
    let writes = module.memories.iter().filter_map(|memory| {
        let write = memory.writes.iter().find(|write| is_clockless(write.domain))?;
        Some((&memory.name, write.domain, memory.place))
    });
    states
        .chain(writes)
        .filter(|(_, domain, _)| is_clockless(*domain))
        .map(|(name, _, place)| {
            Error::new(format!("`{name}` is clocked by the domain `{ASYNCHRONOUS}`, which has no clock"))
                .at(place, "declared here")
        })
        .collect()
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
    signals: BTreeMap<SignalId, Sources<'a>>,
    /// Of expressions, by node.
    nodes: Vec<Sources<'a>>,
}

/// Is told of everything that is driven: from which domains, where, and what stands around.
type EachSink<'a, 'f> = dyn FnMut(&Flow<'a>, Sink, &Sources<'a>, Place, &Around) + 'f;

impl<'a> Flow<'a> {
    /// Follows wires until nothing changes.
    fn settle(&mut self) {
        loop {
            self.nodes.clear();
            for node in &self.module.nodes {
                let sources = self.of_op(&node.op);
                self.nodes.push(sources);
            }
            let mut found: Vec<(SignalId, Sources<'a>)> = vec![];
            self.statements(&self.module.body, &mut vec![], &mut vec![], &mut |_, sink, from, _, _| {
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
    fn of(&self, node: NodeId) -> &Sources<'a> {
        &self.nodes[node.index()]
    }

    fn of_op(&self, op: &Op) -> Sources<'a> {
        let mut sources: Sources<'a> = op.operands().into_iter().flat_map(|operand| self.of(operand).clone()).collect();
        match op {
            Op::Read(id) => {
                let signal = self.module.signal(*id);
                match signal.kind {
                    SignalKind::Input
                    | SignalKind::Register { .. }
                    | SignalKind::SyncRead { .. }
                    | SignalKind::InstanceOutput { .. } => {
                        sources.insert(signal.domain, (&signal.name, signal.place));
                    }
                    _ => sources.extend(self.signals.get(id).cloned().unwrap_or_default()),
                }
            }
            Op::MemoryRead { memory, .. } => {
                // The word changes with the clocks of the write ports.
                let memory = self.module.memory(*memory);
                sources.extend(memory.writes.iter().map(|write| (write.domain, (memory.name.as_str(), memory.place))));
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
        around: &mut Around,
        each_sink: &mut EachSink<'a, '_>,
    ) {
        let gather = |conditions: &[NodeId], values: &[NodeId]| -> Sources<'a> {
            conditions.iter().chain(values).flat_map(|node| self.of(*node).clone()).collect()
        };
        for statement in body {
            let bodies = bodies_of(self.module, statement);
            let depth = conditions.len();
            let choices: Vec<NodeId> = match statement {
                Stmt::If { arms, .. } => arms.iter().map(|(condition, _)| *condition).collect(),
                Stmt::Switch { selector, .. } => vec![*selector],
                _ => vec![],
            };
            for (i, (frame, body)) in bodies.into_iter().enumerate() {
                // An arm depends on the conditions up to its own.
                conditions.truncate(depth);
                conditions.extend(&choices[..choices.len().min(i + 1)]);
                around.push(frame);
                self.statements(body, conditions, around, each_sink);
                around.pop();
            }
            conditions.truncate(depth);
            match statement {
                Stmt::Assign { target, value, place } => {
                    let mut values = vec![*value];
                    values.extend(target.path.iter().filter_map(|step| match step {
                        Select::Part { index: Index::Node(index), .. } => Some(*index),
                        _ => None,
                    }));
                    each_sink(self, Sink::Signal(target.signal), &gather(conditions, &values), *place, around);
                }
                Stmt::Scan { accumulators, outputs, place, .. } => {
                    for accumulator in accumulators {
                        let sources = gather(&[], &[accumulator.initial, accumulator.next]);
                        each_sink(self, Sink::Signal(accumulator.signal), &sources, *place, around);
                        if let Some(result) = accumulator.result {
                            each_sink(self, Sink::Signal(result), &sources, *place, around);
                        }
                    }
                    for (signal, value) in outputs {
                        each_sink(self, Sink::Signal(*signal), &gather(&[], &[*value]), *place, around);
                    }
                }
                Stmt::MemoryWrite { memory, port, address, data, enables, place } => {
                    let values: Vec<NodeId> = [*address, *data].into_iter().chain(*enables).collect();
                    let domain = self.module.memory(*memory).writes[*port as usize].domain;
                    each_sink(self, Sink::Memory(*memory, domain), &gather(conditions, &values), *place, around);
                }
                Stmt::If { .. } | Stmt::Switch { .. } | Stmt::Each { .. } | Stmt::Check { .. } => {}
            }
        }
    }

    fn is_asynchronous(&self, domain: DomainId) -> bool {
        self.module.domains[domain.index()].name == ASYNCHRONOUS
    }

    /// The error, if something comes from another domain.
    fn foreign(&self, domain: DomainId, what: &str, sources: &Sources<'a>, place: Place) -> Option<Error> {
        let (from, (name, origin)) = sources.iter().find(|(from, _)| **from != domain)?;
        let clock = |id: DomainId| match self.module.domains[id.index()].name.as_str() {
            ASYNCHRONOUS => "no clock".to_owned(),
            _ => format!("`{}`", self.module.domains[id.index()].clock()),
        };
        Some(
            Error::new(format!("{what} belongs to {} and takes `{name}` of {}", clock(domain), clock(*from)))
                .at(place, "here")
                .at(*origin, format!("`{name}` comes from here"))
                .help("cross with `cells::synchronizer`, or say why it is safe: `.crossing(\"…\")`"),
        )
    }
}
