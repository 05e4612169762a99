//! Values of wires that depend on nothing that changes. A process for such a wire would never start in an
//! event-driven simulator; it is assigned its value instead.

use crate::ir::{Binary, Index, LoopId, Module, NodeId, Op, Select, SignalId, Stmt, Unary};
use crate::value::Value;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// The values of signals that never change.
pub(super) fn values(module: &Module, still: &BTreeSet<SignalId>) -> BTreeMap<SignalId, Value> {
    let mut now: Vec<Value> = module.signals.iter().map(|s| Value::zero(s.width)).collect();
    // Signals may be declared in any order, and a bit may depend on a lower one: each round settles one bit at least.
    loop {
        let before = now.clone();
        for (id, signal) in module.signals() {
            if let (true, Some(default)) = (still.contains(&id), signal.default) {
                now[id.index()] = Evaluation { module, now: &before, indices: BTreeMap::new() }.value(default);
            }
        }
        let mut run = Run { module, still, before: &before, now: &mut now, indices: BTreeMap::new() };
        run.statements(&module.body);
        if now == before {
            break;
        }
    }
    still.iter().map(|id| (*id, now[id.index()].clone())).collect()
}

/// The value of an expression that depends on nothing but such signals.
pub(super) fn settled(
    module: &Module,
    decided: &Decided,
    constants: &BTreeMap<SignalId, Value>,
    node: NodeId,
) -> Option<Value> {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let op = &module.node(node).op;
        match op {
            _ if decided.get(node).is_some() => {}
            Op::Read(signal) if !constants.contains_key(signal) => return None,
            Op::DontCare | Op::MemoryRead { .. } | Op::LoopIndex(_) | Op::Part { index: Index::Loop(_), .. } => {
                return None;
            }
            _ => open.extend(op.operands()),
        }
    }
    let now = module.signals().map(|(id, s)| constants.get(&id).cloned().unwrap_or_else(|| Value::zero(s.width)));
    Some(Evaluation { module, now: &now.collect::<Vec<_>>(), indices: BTreeMap::new() }.value(node))
}

/// The expressions of a module whose values are known, whatever its variables are: constant ones, comparisons with the
/// least or the greatest number, shifts of everything out, choices and masks by constants. Linters take such expressions
/// for mistakes; simulators fold them, and a process that reads nothing else never starts.
pub(super) struct Decided(Vec<Option<Value>>);

impl Decided {
    pub(super) fn new(module: &Module) -> Self {
        let mut decided = Self(vec![]);
        for i in 0..module.nodes.len() {
            let value = decided.find(module, NodeId(i as u32));
            decided.0.push(value);
        }
        decided
    }

    /// The value of an expression, if it is known.
    pub(super) fn get(&self, node: NodeId) -> Option<&Value> {
        self.0[node.index()].as_ref()
    }

    /// Whether an operation is a shift that gives what it shifts: one by nothing, or an arithmetic one of a single bit.
    pub(super) fn leaves(&self, module: &Module, op: Binary, shifted: NodeId, by: NodeId) -> bool {
        match op {
            Binary::ShiftRightSigned if module.node(shifted).width == 1 => true,
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => {
                self.get(by).is_some_and(Value::is_zero)
            }
            _ => false,
        }
    }

    /// Some bits of an expression, if they are known; others of it need not be.
    fn slice(&self, module: &Module, of: NodeId, low: u32, width: u32) -> Option<Value> {
        if let Some(value) = self.get(of) {
            return Some(value.slice(low, width));
        }
        match &module.node(of).op {
            Op::Slice { of, low: below } => self.slice(module, *of, below + low, width),
            Op::SignExtend(a) if low + width <= module.node(*a).width => self.slice(module, *a, low, width),
            Op::Concat(parts) => {
                let (mut base, mut found) = (0, None::<Value>);
                for part in parts.iter().rev() {
                    let end = base + module.node(*part).width;
                    let (from, to) = (low.max(base), (low + width).min(end));
                    if from < to {
                        let piece = self.slice(module, *part, from - base, to - from)?;
                        found = Some(found.map_or(piece.clone(), |lower| piece.concat(&lower)));
                    }
                    base = end;
                }
                found
            }
            _ => None,
        }
    }

    /// The value of an expression whose operands have been seen.
    fn find(&self, module: &Module, id: NodeId) -> Option<Value> {
        let node = module.node(id);
        let width = node.width;
        let is = |n: NodeId, value: &Value| self.get(n) == Some(value);
        let by_one_operand = match &node.op {
            Op::Binary(
                op @ (Binary::Less | Binary::LessEqual | Binary::LessSigned | Binary::LessEqualSigned),
                a,
                b,
            ) => {
                let width = module.node(*a).width;
                let top = Value::zero(width).with_slice(width - 1, &Value::bit(true));
                let rest = Value::ones(width).with_slice(width - 1, &Value::bit(false));
                let signed = matches!(op, Binary::LessSigned | Binary::LessEqualSigned);
                let (least, most) = if signed { (top, rest) } else { (Value::zero(width), Value::ones(width)) };
                match op {
                    Binary::Less | Binary::LessSigned if is(*b, &least) || is(*a, &most) => Some(Value::bit(false)),
                    Binary::LessEqual | Binary::LessEqualSigned if is(*a, &least) || is(*b, &most) => {
                        Some(Value::bit(true))
                    }
                    _ => None,
                }
            }
            Op::Binary(op, a, by) if self.leaves(module, *op, *a, *by) => self.get(*a).cloned(),
            Op::Binary(Binary::ShiftLeft | Binary::ShiftRight, _, by) => {
                let far = self.get(*by).is_some_and(|by| by.to_u64().is_none_or(|by| by >= u64::from(width)));
                far.then(|| Value::zero(width))
            }
            Op::Binary(Binary::And, a, b) => {
                (is(*a, &Value::zero(width)) || is(*b, &Value::zero(width))).then(|| Value::zero(width))
            }
            Op::Binary(Binary::Or, a, b) => {
                (is(*a, &Value::ones(width)) || is(*b, &Value::ones(width))).then(|| Value::ones(width))
            }
            Op::Slice { of, low } => self.slice(module, *of, *low, width),
            Op::Mux(c, a, b) => self.get(*c).and_then(|c| self.get(if c.is_zero() { *b } else { *a }).cloned()),
            Op::Part { of, index: Index::Loop(_) } => self.get(*of).and_then(|vector| {
                let first = vector.slice(0, width);
                let alike = (0..vector.width() / width).all(|i| vector.slice(i * width, width) == first);
                alike.then_some(first)
            }),
            Op::Part { of, index: Index::Node(index) } => {
                let elements = u64::from(module.node(*of).width / width);
                let beyond = self.get(*index).is_some_and(|i| i.to_u64().is_none_or(|i| i >= elements));
                beyond.then(|| Value::zero(width))
            }
            _ => None,
        };
        let foldable = match &node.op {
            Op::DontCare | Op::Read(_) | Op::LoopIndex(_) | Op::MemoryRead { .. } => false,
            Op::Part { index, .. } => matches!(index, Index::Node(_)),
            _ => true,
        };
        by_one_operand.or_else(|| {
            let operands = node.op.operands();
            let known: BTreeMap<NodeId, Value> =
                operands.iter().filter_map(|o| Some((*o, self.get(*o)?.clone()))).collect();
            (foldable && operands.iter().all(|o| known.contains_key(o))).then(|| {
                let mut known = known;
                Evaluation { module, now: &[], indices: BTreeMap::new() }.known(id, &mut known)
            })
        })
    }
}

struct Run<'a> {
    module: &'a Module,
    still: &'a BTreeSet<SignalId>,
    before: &'a Vec<Value>,
    now: &'a mut Vec<Value>,
    indices: BTreeMap<LoopId, u32>,
}

impl Run<'_> {
    fn value(&self, node: NodeId) -> Value {
        Evaluation { module: self.module, now: self.before, indices: self.indices.clone() }.value(node)
    }

    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign { target, value, .. } if self.still.contains(&target.signal) => {
                    let mut range = Some((0, self.module.signal(target.signal).width));
                    for step in &target.path {
                        range = range.and_then(|(low, width)| match step {
                            Select::Slice { low: l, width } => Some((low + l, *width)),
                            Select::Part { index, width: w } => {
                                let at = match index {
                                    Index::Loop(l) => u64::from(self.indices[l]),
                                    Index::Node(n) => self.value(*n).to_u64().unwrap_or(u64::MAX),
                                };
                                (at < u64::from(width / w)).then(|| (low + at as u32 * w, *w))
                            }
                        });
                    }
                    if let Some((low, _)) = range {
                        let whole = &self.now[target.signal.index()];
                        self.now[target.signal.index()] = whole.with_slice(low, &self.value(*value));
                    }
                }
                Stmt::If { arms, otherwise, .. } => {
                    // Only conditions of still signals decide; others guard statements that are left out anyway.
                    let chosen = arms.iter().find(|(condition, _)| !self.value(*condition).is_zero());
                    match chosen {
                        Some((_, body)) => self.statements(body),
                        None => self.statements(otherwise),
                    }
                }
                Stmt::Switch { selector, encoding, arms, .. } => {
                    let code = self.value(*selector);
                    let arm = encoding.variants.iter().position(|(_, c, _)| *c == code).unwrap_or(encoding.reset);
                    self.statements(&arms[arm]);
                }
                Stmt::Each { index, body } => {
                    for i in 0..self.module.loops[index.index()].count {
                        self.indices.insert(*index, i);
                        self.statements(body);
                    }
                    self.indices.remove(index);
                }
                Stmt::Scan { index, accumulators, outputs, .. } => self.scan(*index, accumulators, outputs),
                _ => {}
            }
        }
    }

    fn scan(&mut self, index: LoopId, accumulators: &[crate::ir::Accumulator], outputs: &[(SignalId, NodeId)]) {
        let mut state = self.before.clone();
        for a in accumulators {
            state[a.signal.index()] = self.value(a.initial);
        }
        for i in 0..self.module.loops[index.index()].count {
            let indices = BTreeMap::from([(index, i)]);
            let evaluation = Evaluation { module: self.module, now: &state, indices };
            for (signal, value) in outputs.iter().filter(|(s, _)| self.still.contains(s)) {
                let element = evaluation.value(*value);
                self.now[signal.index()] = self.now[signal.index()].with_slice(i * element.width(), &element);
            }
            let next: Vec<Value> = accumulators.iter().map(|a| evaluation.value(a.next)).collect();
            for (a, value) in accumulators.iter().zip(next) {
                state[a.signal.index()] = value;
            }
        }
        for a in accumulators {
            if let Some(result) = a.result.filter(|r| self.still.contains(r)) {
                self.now[result.index()] = state[a.signal.index()].clone();
            }
        }
    }
}

/// The value of expressions while signals and indices are known.
struct Evaluation<'a> {
    module: &'a Module,
    now: &'a [Value],
    indices: BTreeMap<LoopId, u32>,
}

impl Evaluation<'_> {
    fn value(&self, node: NodeId) -> Value {
        self.known(node, &mut BTreeMap::new())
    }

    fn known(&self, id: NodeId, known: &mut BTreeMap<NodeId, Value>) -> Value {
        if let Some(value) = known.get(&id) {
            return value.clone();
        }
        let node = self.module.node(id);
        let operands: Vec<Value> = node.op.operands().into_iter().map(|o| self.known(o, known)).collect();
        let width = node.width;
        let value = match &node.op {
            Op::Const(value) => value.clone(),
            Op::DontCare | Op::MemoryRead { .. } => Value::zero(width),
            Op::Read(signal) => self.now[signal.index()].clone(),
            Op::LoopIndex(l) => Value::new(width, self.indices.get(l).copied().unwrap_or(0)),
            Op::Unary(op, _) => unary(*op, &operands[0]),
            Op::Binary(op, ..) => binary(*op, &operands[0], &operands[1], width),
            Op::Mux(..) => operands[if operands[0].is_zero() { 2 } else { 1 }].clone(),
            Op::Slice { low, .. } => operands[0].slice(*low, width),
            Op::Part { index, .. } => {
                let at = match index {
                    Index::Loop(l) => u64::from(self.indices.get(l).copied().unwrap_or(0)),
                    Index::Node(_) => operands[1].to_u64().unwrap_or(u64::MAX),
                };
                let inside = at < u64::from(operands[0].width() / width);
                if inside { operands[0].slice(at as u32 * width, width) } else { Value::zero(width) }
            }
            Op::Concat(_) => operands.iter().skip(1).fold(operands[0].clone(), |high, low| high.concat(low)),
            Op::Repeat(_) => operands[0].repeated(width / operands[0].width()),
            Op::SignExtend(_) => extended(&operands[0], width),
        };
        known.insert(id, value.clone());
        value
    }
}

fn extended(value: &Value, width: u32) -> Value {
    let own = value.width();
    let high = if value.get(own - 1) { Value::ones(width) } else { Value::zero(width) };
    high.with_slice(0, value)
}

fn unary(op: Unary, a: &Value) -> Value {
    let width = a.width();
    let not = || Value::new(width, Value::ones(width).bits() - a.bits());
    match op {
        Unary::Not => not(),
        Unary::Negate => Value::new(width, not().bits() + 1u8),
        Unary::All => Value::bit(*a == Value::ones(width)),
        Unary::Any => Value::bit(!a.is_zero()),
        Unary::Parity => Value::bit(a.bits().count_ones() % 2 == 1),
    }
}

fn binary(op: Binary, a: &Value, b: &Value, width: u32) -> Value {
    // Two's-complement order is the unsigned order with the sign bit inverted.
    let biased = |v: &Value| v.bits() ^ (BigUint::from(1u8) << (v.width() - 1));
    let by = b.to_u64().filter(|by| *by < u64::from(a.width()));
    match op {
        Binary::And => Value::new(width, a.bits() & b.bits()),
        Binary::Or => Value::new(width, a.bits() | b.bits()),
        Binary::Xor => Value::new(width, a.bits() ^ b.bits()),
        Binary::Add => Value::new(width, a.bits() + b.bits()),
        Binary::Subtract => Value::new(width, a.bits() + unary(Unary::Negate, b).bits()),
        Binary::Multiply => Value::new(width, a.bits() * b.bits()),
        Binary::MultiplySigned => Value::new(width, extended(a, width).bits() * extended(b, width).bits()),
        Binary::Equal => Value::bit(a == b),
        Binary::NotEqual => Value::bit(a != b),
        Binary::Less => Value::bit(a < b),
        Binary::LessEqual => Value::bit(a <= b),
        Binary::LessSigned => Value::bit(biased(a) < biased(b)),
        Binary::LessEqualSigned => Value::bit(biased(a) <= biased(b)),
        Binary::ShiftLeft => Value::new(width, by.map_or(BigUint::ZERO, |by| a.bits() << by)),
        Binary::ShiftRight => Value::new(width, by.map_or(BigUint::ZERO, |by| a.bits() >> by)),
        Binary::ShiftRightSigned => {
            let by = by.unwrap_or(u64::from(a.width()) - 1) as u32;
            extended(&a.slice(by, a.width() - by), width)
        }
    }
}
