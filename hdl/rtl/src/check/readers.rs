//! Readers: every bit of an input, register, wire and instance output is read, or said to be left unread.

use super::drivers::bits_of;
use crate::error::Error;
use crate::ir::{Index, LoopId, Module, NodeId, Op, Select, SignalId, SignalKind, Stmt, Target};
use crate::value::Value;
use std::collections::HashSet;

pub(super) fn check(module: &Module, done: &[Module]) -> Vec<Error> {
    let mut used = Used {
        module,
        seen: HashSet::new(),
        bits: module.signals.iter().map(|signal| Value::zero(signal.width)).collect(),
    };
    used.statements(&module.body);
    for signal in &module.signals {
        signal.default.into_iter().for_each(|node| used.whole(node));
    }
    for memory in &module.memories {
        for port in &memory.reads {
            used.whole(port.address);
            used.whole(port.enable);
        }
    }
    module.ignored.iter().for_each(|ignored| used.whole(ignored.node));

    let mut errors = vec![];
    for (id, signal) in module.signals() {
        let what = match &signal.kind {
            SignalKind::Input => "input",
            SignalKind::Wire => "wire",
            SignalKind::Register { .. } => "register",
            SignalKind::SyncRead { .. } => "read port",
            SignalKind::InstanceOutput { instance, .. } => {
                // A black box is not ours: what it offers need not be taken.
                let of = &done[module.instances[instance.index()].module.index()];
                if of.black_box.is_some() {
                    continue;
                }
                "instance output"
            }
            SignalKind::Output | SignalKind::InstanceInput { .. } | SignalKind::Accumulator(_) => continue,
        };
        let read = &used.bits[id.index()];
        if *read == Value::ones(signal.width) {
            continue;
        }
        let name = &signal.name;
        let text = match read.is_zero() {
            true => format!("{what} `{name}` is not read"),
            false => {
                let missing = Value::new(signal.width, Value::ones(signal.width).bits() ^ read.bits());
                format!("{what} `{name}` is read in part only, not {}", bits_of(&missing))
            }
        };
        let error = Error::new(text)
            .at(signal.place, "declared here")
            .help("if that is meant, say `m.ignore(name, value, reason)`");
        errors.push(error);
    }
    for memory in &module.memories {
        let asynchronous = module.nodes.iter().any(
            |node| matches!(node.op, Op::MemoryRead { memory: read, .. } if module.memory(read).name == memory.name),
        );
        if memory.reads.is_empty() && !asynchronous {
            errors.push(Error::new(format!("memory `{}` is not read", memory.name)).at(memory.place, "declared here"));
        }
        if memory.writes.is_empty() && memory.initial.is_none() {
            errors.push(
                Error::new(format!("memory `{}` is neither written nor given a content", memory.name))
                    .at(memory.place, "declared here"),
            );
        }
    }
    errors
}

/// Which bits of each signal are read.
struct Used<'a> {
    module: &'a Module,
    /// Expressions already followed as a whole.
    seen: HashSet<NodeId>,
    bits: Vec<Value>,
}

impl Used<'_> {
    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            match statement {
                Stmt::Assign { target, value, .. } => {
                    self.target(target);
                    self.whole(*value);
                }
                Stmt::If { arms, otherwise, .. } => {
                    for (condition, body) in arms {
                        self.whole(*condition);
                        self.statements(body);
                    }
                    self.statements(otherwise);
                }
                Stmt::Switch { selector, arms, .. } => {
                    self.whole(*selector);
                    arms.iter().for_each(|body| self.statements(body));
                }
                Stmt::Each { body, .. } => self.statements(body),
                Stmt::Scan { accumulators, outputs, .. } => {
                    for accumulator in accumulators {
                        self.whole(accumulator.initial);
                        self.whole(accumulator.next);
                    }
                    outputs.iter().for_each(|(_, value)| self.whole(*value));
                    // The last running values of a recurrence are there whether anybody wants them or not.
                    if !outputs.is_empty() {
                        for result in accumulators.iter().filter_map(|accumulator| accumulator.result) {
                            self.mark(result, 0, self.module.signal(result).width);
                        }
                    }
                }
                Stmt::MemoryWrite { address, data, enables, .. } => {
                    self.whole(*address);
                    self.whole(*data);
                    enables.iter().for_each(|enables| self.whole(*enables));
                }
                // A property is no hardware: what it alone reads is unread.
                Stmt::Check { .. } => {}
            }
        }
    }

    fn target(&mut self, target: &Target) {
        for step in &target.path {
            if let Select::Part { index: Index::Node(index), .. } = step {
                self.whole(*index);
            }
        }
    }

    fn mark(&mut self, signal: SignalId, low: u32, width: u32) {
        let bits = &mut self.bits[signal.index()];
        let end = (low + width).min(bits.width());
        if low < end {
            *bits = bits.with_slice(low, &Value::ones(end - low));
        }
    }

    /// All bits of an expression are read.
    fn whole(&mut self, node: NodeId) {
        if !self.seen.insert(node) {
            return;
        }
        let width = self.module.node(node).width;
        match &self.module.node(node).op {
            Op::Read(signal) => self.mark(*signal, 0, width),
            Op::Slice { of, low } => self.range(*of, *low, width, &mut vec![]),
            Op::Part { of, index } => self.part(*of, *index, width, 0, width, &mut vec![]),
            op => op.operands().into_iter().for_each(|operand| self.whole(operand)),
        }
    }

    /// Some bits of an expression are read, in the iteration with these indices.
    fn range(&mut self, node: NodeId, low: u32, width: u32, indices: &mut Vec<(LoopId, u32)>) {
        if indices.is_empty() && low == 0 && width == self.module.node(node).width {
            return self.whole(node);
        }
        match &self.module.node(node).op {
            Op::Read(signal) => self.mark(*signal, low, width),
            Op::Slice { of, low: below } => self.range(*of, low + below, width, indices),
            Op::Part { of, index } => {
                self.part(*of, *index, self.module.node(node).width, low, width, indices);
            }
            _ => self.whole(node),
        }
    }

    /// Some bits of each element that an index may select are read.
    fn part(&mut self, of: NodeId, index: Index, element: u32, low: u32, width: u32, indices: &mut Vec<(LoopId, u32)>) {
        let elements = self.module.node(of).width / element;
        let which = match index {
            Index::Loop(index) => match indices.iter().find(|(known, _)| *known == index) {
                Some((_, i)) => *i..elements.min(i + 1),
                None => 0..elements.min(self.module.loops[index.index()].count),
            },
            Index::Node(index) => {
                self.whole(index);
                0..elements
            }
        };
        let again = match index {
            Index::Loop(index) if self.is_part_at(of, index) => Some(index),
            _ => None,
        };
        if width == element && again.is_none() {
            return self.range(of, which.start * element, which.len() as u32 * element, indices);
        }
        for i in which {
            indices.extend(again.map(|index| (index, i)));
            self.range(of, i * element + low, width, indices);
            indices.truncate(indices.len() - usize::from(again.is_some()));
        }
    }

    /// Whether an element at the index of a loop, or bits of one, are what is read.
    fn is_part_at(&self, node: NodeId, index: LoopId) -> bool {
        match &self.module.node(node).op {
            Op::Slice { of, .. } => self.is_part_at(*of, index),
            Op::Part { of, index: by } => *by == Index::Loop(index) || self.is_part_at(*of, index),
            _ => false,
        }
    }
}
