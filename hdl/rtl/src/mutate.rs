//! Mutation: a design that is broken in one place, to learn whether anybody notices.
//!
//! [`Mutated::of`] gives one design that holds all mutants at once, so that one build serves all: an input `mutant` selects
//! which one is awake; 0 is the design as it was. Resets cannot be selected by a signal: [`of_resets`] breaks them one by one.
//!
//! | what | how it is broken |
//! |---|---|
//! | operator | another in its place; the operands of `-` and `<` swapped; `!` and unary `-` dropped |
//! | choice | its arms swapped |
//! | constant | its lowest bit inverted |
//! | slice | begins one bit lower, or, at bit 0, one bit higher |
//! | concatenation | its parts in reversed order |
//! | signal of one bit | stuck at 0, and at 1 |
//! | condition | always holds, and never |
//! | register, memory | not set, not written |
//! | reset | dropped, and its lowest bit inverted |

use crate::ir::{
    Binary, Design, Index, InstanceId, Module, Node, NodeId, Op, Select, Signal, SignalId, SignalKind, Stmt, Target,
    Unary, visit,
};
use crate::place::Place;
use crate::value::Value;

/// Name of the input that selects a mutant.
pub const SELECTOR: &str = "mutant";
/// Its width in bits.
pub const SELECTOR_BITS: u32 = 16;

/// One breakage.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The value of [`SELECTOR`] that awakes it.
    pub number: u32,
    /// The module it is in.
    pub module: String,
    /// The line of Rust that it breaks.
    pub place: Place,
    /// What it does.
    pub what: String,
}

/// A design with all its mutants.
pub struct Mutated {
    /// Every module has the input [`SELECTOR`].
    pub design: Design,
    /// The mutants, numbered from 1.
    pub mutants: Vec<Mutant>,
}

impl Mutated {
    /// All mutants of a design but those of its resets.
    pub fn of(design: &Design) -> Self {
        let mut mutants = vec![];
        let modules = design.modules.iter().map(|module| Mutator::run(module, design, &mut mutants)).collect();
        Self { design: Design { modules }, mutants }
    }
}

/// For each register with a reset, the design with that reset dropped, and with its lowest bit inverted.
pub fn of_resets(design: &Design) -> Vec<(Mutant, Design)> {
    let mut found = vec![];
    for (m, module) in design.modules.iter().enumerate() {
        for (s, signal) in module.signals.iter().enumerate() {
            let SignalKind::Register { reset: Some(reset), crossing } = &signal.kind else { continue };
            let inverted = Value::new(signal.width, reset.value.bits() ^ Value::new(signal.width, 1u8).bits());
            let changed = crate::ir::Reset { value: inverted, asynchronous: reset.asynchronous };
            for (what, reset) in [("reset dropped", None), ("lowest bit of the reset value inverted", Some(changed))] {
                let mut broken = design.clone();
                broken.modules[m].signals[s].kind = SignalKind::Register { reset, crossing: crossing.clone() };
                let what = format!("`{}`: {what}", signal.name);
                found.push((Mutant { number: 0, module: module.name.clone(), place: signal.place, what }, broken));
            }
        }
    }
    found
}

/// Which nodes of a module matter: those that something reads which is neither ignored nor only shown in simulation.
fn mattering(module: &Module) -> Vec<bool> {
    let mut matters = vec![false; module.nodes.len()];
    visit(&module.body, &mut |node| matters[node.index()] = true);
    let defaults = module.signals.iter().filter_map(|signal| signal.default);
    let reads = module.memories.iter().flat_map(|memory| &memory.reads).flat_map(|read| [read.address, read.enable]);
    defaults.chain(reads).for_each(|node| matters[node.index()] = true);
    for (i, node) in module.nodes.iter().enumerate().rev() {
        if matters[i] {
            node.op.operands().into_iter().for_each(|operand| matters[operand.index()] = true);
        }
    }
    matters
}

/// The operator that a mutant has in place of another.
fn instead_of(operator: Binary) -> Binary {
    match operator {
        Binary::And => Binary::Or,
        Binary::Or => Binary::And,
        Binary::Xor => Binary::Or,
        Binary::Add => Binary::Subtract,
        Binary::Subtract => Binary::Add,
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        Binary::Less => Binary::LessEqual,
        Binary::LessEqual => Binary::Less,
        Binary::LessSigned => Binary::LessEqualSigned,
        Binary::LessEqualSigned => Binary::LessSigned,
        Binary::ShiftLeft => Binary::ShiftRight,
        Binary::ShiftRight => Binary::ShiftLeft,
        Binary::ShiftRightSigned => Binary::ShiftRight,
        Binary::Multiply => Binary::MultiplySigned,
        Binary::MultiplySigned => Binary::Multiply,
    }
}

/// Whether it matters which operand comes first, and both have one width.
fn has_order(operator: Binary) -> bool {
    match operator {
        Binary::Subtract | Binary::Less | Binary::LessEqual | Binary::LessSigned | Binary::LessEqualSigned => true,
        Binary::And | Binary::Or | Binary::Xor | Binary::Add | Binary::Multiply | Binary::MultiplySigned => false,
        Binary::Equal | Binary::NotEqual => false,
        Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => false,
    }
}

/// Copies a module with every mutant in it.
struct Mutator<'a> {
    old: &'a Module,
    new: Module,
    /// The new node of each old one.
    nodes: Vec<NodeId>,
    selector: NodeId,
    mutants: &'a mut Vec<Mutant>,
}

impl<'a> Mutator<'a> {
    fn run(old: &'a Module, design: &Design, mutants: &'a mut Vec<Mutant>) -> Module {
        let mut new = old.clone();
        new.nodes.clear();
        new.body.clear();
        let selector = SignalId(new.signals.len() as u32);
        let mut port = Signal {
            name: SELECTOR.to_owned(),
            doc: "Selects a mutant; 0 is none.".to_owned(),
            kind: SignalKind::Input,
            width: SELECTOR_BITS,
            element_width: None,
            signed: false,
            encoding: None,
            domain: crate::ir::DomainId(0),
            default: None,
            attributes: vec![],
            place: old.place,
        };
        new.signals.push(port.clone());
        new.nodes.push(Node { op: Op::Read(selector), width: SELECTOR_BITS, place: old.place });
        let mut this = Self { old, new, nodes: vec![], selector: NodeId(0), mutants };

        for (i, instance) in old.instances.iter().enumerate() {
            let inner = design.module(instance.module);
            let connected = SignalId(this.new.signals.len() as u32);
            port.name = format!("{}_{SELECTOR}", instance.name);
            port.kind = SignalKind::InstanceInput {
                instance: InstanceId(i as u32),
                port: SignalId(inner.signals.len() as u32),
            };
            this.new.signals.push(port.clone());
            this.new.instances[i].connections.push(connected);
            let target = Target { signal: connected, path: vec![] };
            this.new.body.push(Stmt::Assign { target, value: this.selector, place: instance.place });
        }
        for (node, matters) in old.nodes.iter().zip(mattering(old)) {
            let copy = this.node(node, matters);
            this.nodes.push(copy);
        }
        let mut body = this.statements(&old.body);
        this.new.body.append(&mut body);
        for i in 0..old.signals.len() {
            this.new.signals[i].default = old.signals[i].default.map(|node| this.at(node));
        }
        for memory in &mut this.new.memories {
            for port in &mut memory.reads {
                port.address = this.nodes[port.address.index()];
                port.enable = this.nodes[port.enable.index()];
            }
        }
        for ignored in &mut this.new.ignored {
            ignored.node = this.nodes[ignored.node.index()];
        }
        for probe in &mut this.new.probes {
            probe.node = this.nodes[probe.node.index()];
        }
        this.new
    }

    fn at(&self, old: NodeId) -> NodeId {
        self.nodes[old.index()]
    }

    fn push(&mut self, op: Op, width: u32, place: Place) -> NodeId {
        self.new.nodes.push(Node { op, width, place });
        NodeId(self.new.nodes.len() as u32 - 1)
    }

    /// Registers a mutant; gives the bit that is 1 while it is awake.
    fn awake(&mut self, place: Place, what: String) -> NodeId {
        let number = self.mutants.len() as u32 + 1;
        assert!(number < 1 << SELECTOR_BITS, "more mutants than the selector tells apart");
        self.mutants.push(Mutant { number, module: self.old.name.clone(), place, what });
        let number = self.push(Op::Const(Value::new(SELECTOR_BITS, number)), SELECTOR_BITS, place);
        self.push(Op::Binary(Binary::Equal, self.selector, number), 1, place)
    }

    fn node(&mut self, node: &Node, matters: bool) -> NodeId {
        let place = node.place;
        let op = self.renumbered(&node.op);
        let original = self.push(op.clone(), node.width, place);
        if !matters {
            return original;
        }
        let mut result = original;
        for (what, broken) in self.breakages(&op, node.width) {
            let awake = self.awake(place, what);
            let broken = self.push(broken, node.width, place);
            result = self.push(Op::Mux(awake, broken, result), node.width, place);
        }
        result
    }

    /// The operator with its operands in the new module.
    fn renumbered(&self, op: &Op) -> Op {
        let at = |node: &NodeId| self.at(*node);
        match op {
            Op::Const(_) | Op::DontCare | Op::Read(_) | Op::LoopIndex(_) => op.clone(),
            Op::Unary(unary, a) => Op::Unary(*unary, at(a)),
            Op::Binary(binary, a, b) => Op::Binary(*binary, at(a), at(b)),
            Op::Mux(c, a, b) => Op::Mux(at(c), at(a), at(b)),
            Op::Slice { of, low } => Op::Slice { of: at(of), low: *low },
            Op::Part { of, index } => Op::Part { of: at(of), index: self.index(index) },
            Op::Concat(parts) => Op::Concat(parts.iter().map(at).collect()),
            Op::Repeat(a) => Op::Repeat(at(a)),
            Op::SignExtend(a) => Op::SignExtend(at(a)),
            Op::MemoryRead { memory, address } => Op::MemoryRead { memory: *memory, address: at(address) },
        }
    }

    fn index(&self, index: &Index) -> Index {
        match index {
            Index::Loop(index) => Index::Loop(*index),
            Index::Node(node) => Index::Node(self.at(*node)),
        }
    }

    /// What can be wrong with an operator; operands are those of the new module.
    fn breakages(&self, op: &Op, width: u32) -> Vec<(String, Op)> {
        let width_of = |node: NodeId| self.new.nodes[node.index()].width;
        match *op {
            Op::Const(ref value) => {
                let inverted = Value::new(width, value.bits() ^ Value::new(width, 1u8).bits());
                vec![(format!("constant {value} became {inverted}"), Op::Const(inverted))]
            }
            Op::Unary(Unary::All, a) => vec![("All became Any".to_owned(), Op::Unary(Unary::Any, a))],
            Op::Unary(Unary::Any, a) => vec![("Any became All".to_owned(), Op::Unary(Unary::All, a))],
            Op::Unary(Unary::Parity, a) => vec![("Parity became Any".to_owned(), Op::Unary(Unary::Any, a))],
            Op::Unary(op @ (Unary::Not | Unary::Negate), a) => {
                vec![(format!("{op:?} was dropped"), Op::Slice { of: a, low: 0 })]
            }
            Op::Binary(from, a, b) => {
                let to = instead_of(from);
                let mut broken = vec![(format!("{from:?} became {to:?}"), Op::Binary(to, a, b))];
                if has_order(from) && a != b {
                    broken.push((format!("the operands of {from:?} were swapped"), Op::Binary(from, b, a)));
                }
                broken
            }
            Op::Mux(c, a, b) => vec![("the arms of Mux were swapped".to_owned(), Op::Mux(c, b, a))],
            Op::Slice { of, low } if low > 0 => {
                vec![(format!("a slice from bit {low} began one bit lower"), Op::Slice { of, low: low - 1 })]
            }
            Op::Slice { of, low } if low + width < width_of(of) => {
                vec![(format!("a slice from bit {low} began one bit higher"), Op::Slice { of, low: low + 1 })]
            }
            Op::Concat(ref parts) if parts.iter().any(|part| *part != parts[0]) => {
                let reversed = parts.iter().rev().copied().collect();
                vec![("the parts of Concat were reversed".to_owned(), Op::Concat(reversed))]
            }
            Op::Read(signal) if width == 1 => {
                let name = &self.old.signal(signal).name;
                [false, true]
                    .map(|bit| (format!("`{name}` was stuck at {}", u8::from(bit)), Op::Const(Value::bit(bit))))
                    .to_vec()
            }
            // Vectors are broken where their bits are used; where elements and words are chosen, in the number that chooses.
            Op::Read(_) | Op::Part { .. } | Op::MemoryRead { .. } | Op::LoopIndex(_) => vec![],
            // Nothing else has this width: of bits alike, of the sign, of the whole.
            Op::Repeat(_) | Op::SignExtend(_) | Op::Slice { .. } | Op::Concat(_) => vec![],
            // What may be anything cannot be wrong.
            Op::DontCare => vec![],
        }
    }

    fn target(&self, target: &Target) -> Target {
        let path = target
            .path
            .iter()
            .map(|step| match step {
                Select::Part { index, width } => Select::Part { index: self.index(index), width: *width },
                Select::Slice { .. } => step.clone(),
            })
            .collect();
        Target { signal: target.signal, path }
    }

    fn statements(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        body.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &Stmt) -> Stmt {
        match statement {
            Stmt::Assign { target, value, place } => {
                let copy = Stmt::Assign { target: self.target(target), value: self.at(*value), place: *place };
                // A wire that nothing drives would be no hardware; a register keeps its value.
                if !matches!(self.old.signal(target.signal).kind, SignalKind::Register { .. }) {
                    return copy;
                }
                let what = format!("`{}` was not set", self.old.signal(target.signal).name);
                self.unless_awake(copy, *place, what)
            }
            Stmt::If { arms, otherwise, place } => {
                let arms = arms
                    .iter()
                    .map(|(condition, body)| {
                        let mut condition = self.at(*condition);
                        let awake = self.awake(*place, "a condition always held".to_owned());
                        condition = self.push(Op::Binary(Binary::Or, condition, awake), 1, *place);
                        let awake = self.awake(*place, "a condition never held".to_owned());
                        let asleep = self.push(Op::Unary(Unary::Not, awake), 1, *place);
                        condition = self.push(Op::Binary(Binary::And, condition, asleep), 1, *place);
                        (condition, self.statements(body))
                    })
                    .collect();
                Stmt::If { arms, otherwise: self.statements(otherwise), place: *place }
            }
            Stmt::Switch { selector, encoding, arms, place } => Stmt::Switch {
                selector: self.at(*selector),
                encoding: encoding.clone(),
                arms: arms.iter().map(|body| self.statements(body)).collect(),
                place: *place,
            },
            Stmt::Each { index, body } => Stmt::Each { index: *index, body: self.statements(body) },
            Stmt::Scan { index, accumulators, outputs, place } => {
                let accumulators = accumulators
                    .iter()
                    .map(|accumulator| crate::ir::Accumulator {
                        initial: self.at(accumulator.initial),
                        next: self.at(accumulator.next),
                        ..accumulator.clone()
                    })
                    .collect();
                let outputs = outputs.iter().map(|(signal, value)| (*signal, self.at(*value))).collect();
                Stmt::Scan { index: *index, accumulators, outputs, place: *place }
            }
            Stmt::MemoryWrite { memory, port, address, data, enables, place } => {
                let copy = Stmt::MemoryWrite {
                    memory: *memory,
                    port: *port,
                    address: self.at(*address),
                    data: self.at(*data),
                    enables: enables.map(|enables| self.at(enables)),
                    place: *place,
                };
                let what = format!("`{}` was not written", self.old.memory(*memory).name);
                self.unless_awake(copy, *place, what)
            }
            // Properties judge a mutant and are not broken themselves.
            Stmt::Check { kind, message, condition, domain, place } => {
                let (kind, domain, place) = (*kind, *domain, *place);
                Stmt::Check { kind, message: message.clone(), condition: self.at(*condition), domain, place }
            }
        }
    }

    fn unless_awake(&mut self, statement: Stmt, place: Place, what: String) -> Stmt {
        let awake = self.awake(place, what);
        let asleep = self.push(Op::Unary(Unary::Not, awake), 1, place);
        Stmt::If { arms: vec![(asleep, vec![statement])], otherwise: vec![], place }
    }
}
