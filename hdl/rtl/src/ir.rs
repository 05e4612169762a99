//! The intermediate representation: what a design *is*, apart from how it was written.
//!
//! Everything that reads a design (checks, the Verilog printer, the reference interpreter, mutation) reads this.
//! The meaning given here is the law; printer and interpreter each implement it without looking at the other.
//!
//! The representation is two-state and total: every expression has a value for every input.
//! A signal is a packed vector of bits. An array of `n` elements of `w` bits is a vector of `n * w` bits whose element
//! `i` is bits `i * w ..` (element 0 lowest); arrays exist in names and in [`Select::Part`] alone.

use crate::place::Place;
use crate::value::Value;
use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Index into [`Design::modules`].
    ModuleId
);
id!(
    /// Index into [`Module::signals`].
    SignalId
);
id!(
    /// Index into [`Module::nodes`].
    NodeId
);
id!(
    /// Index into [`Module::memories`].
    MemoryId
);
id!(
    /// Index into [`Module::instances`].
    InstanceId
);
id!(
    /// Index into [`Module::domains`].
    DomainId
);
id!(
    /// Index into [`Module::loops`].
    LoopId
);

/// The most bits of a signal or an expression, words of a memory and iterations of a loop that can be written.
pub const LARGEST: u32 = 1 << 24;

/// A checked design: a module and all that it instantiates.
#[derive(Clone, Debug)]
pub struct Design {
    /// Children before parents; the last is the top. Names are unique.
    pub modules: Vec<Module>,
}

impl Design {
    /// The top module.
    pub fn top(&self) -> &Module {
        self.modules.last().expect("a design has a top module")
    }

    /// A module by its id.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.index()]
    }
}

/// One module.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// Its Verilog name.
    pub name: String,
    /// What it is for, one line or more.
    pub doc: String,
    /// The values it was generated from: documentation, printed in its header.
    pub parameters: Vec<Parameter>,
    /// Clock domains; the first is the default one, `clk` and `rst`.
    pub domains: Vec<Domain>,
    /// Ports (in declaration order), wires, registers, connections of instances.
    pub signals: Vec<Signal>,
    /// Memories.
    pub memories: Vec<Memory>,
    /// Instances of other modules.
    pub instances: Vec<Instance>,
    /// Index variables of `each`, `scan` and `fold`.
    pub loops: Vec<Loop>,
    /// Expressions. An operand always precedes its user. Equal expressions are one node, but for [`Op::DontCare`]: each is a
    /// value of its own.
    pub nodes: Vec<Node>,
    /// What is driven, in program order.
    pub body: Vec<Stmt>,
    /// What the author means to leave unread.
    pub ignored: Vec<Ignored>,
    /// What the author wants to see from outside, in simulation.
    pub probes: Vec<Probe>,
    /// Set if the module is written elsewhere: it has ports and no body.
    pub black_box: Option<BlackBox>,
    /// Where the module was written.
    pub place: Place,
}

impl Module {
    /// An expression.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A signal.
    pub fn signal(&self, id: SignalId) -> &Signal {
        &self.signals[id.index()]
    }

    /// A memory.
    pub fn memory(&self, id: MemoryId) -> &Memory {
        &self.memories[id.index()]
    }

    /// All signals with their ids.
    pub fn signals(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        self.signals.iter().enumerate().map(|(i, s)| (SignalId(i as u32), s))
    }

    /// The ports, in declaration order.
    pub fn ports(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        self.signals().filter(|(_, s)| matches!(s.kind, SignalKind::Input | SignalKind::Output))
    }
}

/// A value that a module was generated from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value, as text.
    pub value: String,
    /// Its meaning, one line.
    pub doc: String,
}

/// Name of the domain of ports that may change at any time: it has no clock, anything may drive an input in it, and only a
/// register that says so ([`SignalKind::Register::crossing`]) may take a value from it.
pub const ASYNCHRONOUS: &str = "asynchronous";

/// A clock with its reset. The clock port is `clk` or `<name>_clk`, the reset port (active high) `rst` or `<name>_rst`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Empty for the default domain.
    pub name: String,
    /// Whether anything in the module, or below, uses the clock: only then is it a port.
    pub clock_used: bool,
    /// Whether anything in the module, or below, uses the reset: only then is it a port.
    pub reset_used: bool,
}

impl Domain {
    /// Name of the clock port.
    pub fn clock(&self) -> String {
        if self.name.is_empty() { "clk".into() } else { format!("{}_clk", self.name) }
    }

    /// Name of the reset port.
    pub fn reset(&self) -> String {
        if self.name.is_empty() { "rst".into() } else { format!("{}_rst", self.name) }
    }
}

/// A named vector of bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Signal {
    /// Its Verilog name.
    pub name: String,
    /// Its meaning, in its last line; may be empty for wires and registers. Lines before are headings: the meanings of the
    /// groups of ports that it is the first of.
    pub doc: String,
    /// What drives it and when.
    pub kind: SignalKind,
    /// Width in bits (of the whole array, for an array).
    pub width: u32,
    /// Width of one element, if it is an array. Documentation: the waves show elements.
    pub element_width: Option<u32>,
    /// Whether it was declared as a two's-complement number. Documentation: operators carry their own signedness.
    pub signed: bool,
    /// Names of its codes, if it holds an enumeration.
    pub encoding: Option<Arc<Encoding>>,
    /// The clock domain it is synchronous to (registers, synchronous reads and ports).
    pub domain: DomainId,
    /// Value wherever no statement sets a bit of it (wires, outputs and instance inputs); as if set first.
    pub default: Option<NodeId>,
    /// Verilog attributes, such as `("keep", "true")`.
    pub attributes: Vec<(String, String)>,
    /// Where it was declared.
    pub place: Place,
}

/// What drives a signal.
#[derive(Clone, PartialEq, Debug)]
pub enum SignalKind {
    /// Port driven from outside.
    Input,
    /// Port driven by the body.
    Output,
    /// Driven by the body; reading it gives its final value.
    Wire,
    /// Holds its value between rising edges of its domain's clock. Reading it gives the present value, setting it the
    /// next one; what is not set is kept.
    Register {
        /// Value in reset, if it has a reset.
        reset: Option<Reset>,
        /// Says why, if its next value may come from other clock domains.
        crossing: Option<String>,
    },
    /// Answer of a synchronous read port: see [`ReadPort`].
    SyncRead {
        /// The memory.
        memory: MemoryId,
        /// Index into [`Memory::reads`].
        port: u32,
    },
    /// Input port of an instance, driven by the body.
    InstanceInput {
        /// The instance.
        instance: InstanceId,
        /// The port, in the instantiated module.
        port: SignalId,
    },
    /// Output port of an instance.
    InstanceOutput {
        /// The instance.
        instance: InstanceId,
        /// The port, in the instantiated module.
        port: SignalId,
    },
    /// The running value of a `scan` or `fold`: readable in its loop alone, driven by [`Stmt::Scan`].
    Accumulator(LoopId),
}

/// Reset of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reset {
    /// Value in reset.
    pub value: Value,
    /// Asserted without a clock edge (released at one, by a reset synchronizer outside); else sampled at the edge.
    pub asynchronous: bool,
}

/// Names of the codes of an enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Name of the enumeration.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Name, code and meaning of each variant.
    pub variants: Vec<(String, Value, String)>,
    /// Index of the variant that an illegal code counts as.
    pub reset: usize,
}

/// A memory: `depth` words of `width` bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// Its Verilog name.
    pub name: String,
    /// Its meaning, one line.
    pub doc: String,
    /// Number of words.
    pub depth: u32,
    /// Bits a word.
    pub width: u32,
    /// Bits a write enable covers; divides `width`. Equal to `width` if there are no byte enables.
    pub granule: u32,
    /// Content before the first clock edge; seeded random if absent.
    pub initial: Option<Vec<Value>>,
    /// Verilog attributes, such as `("ram_style", "distributed")`.
    pub attributes: Vec<(String, String)>,
    /// Synchronous read ports. (Asynchronous ones are [`Op::MemoryRead`].)
    pub reads: Vec<ReadPort>,
    /// Write ports, in program order: of two that write one word at one edge, the later wins.
    pub writes: Vec<WritePort>,
    /// Where it was declared.
    pub place: Place,
}

/// A synchronous read port: at each rising edge with `enable`, its [`SignalKind::SyncRead`] signal takes the word at
/// `address` (0 beyond the depth); else it keeps its value. Seeded random at first; no reset.
#[derive(Clone, PartialEq, Debug)]
pub struct ReadPort {
    /// Word number.
    pub address: NodeId,
    /// One bit.
    pub enable: NodeId,
    /// What a read sees of a write to the same word at the same edge.
    pub collision: Collision,
    /// The clock domain.
    pub domain: DomainId,
    /// The signal that holds the answer.
    pub data: SignalId,
    /// Where it was written.
    pub place: Place,
}

/// A write port. What it writes is said by [`Stmt::MemoryWrite`].
#[derive(Clone, PartialEq, Debug)]
pub struct WritePort {
    /// The clock domain.
    pub domain: DomainId,
}

/// What a synchronous read sees of a write to the same word at the same edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Collision {
    /// The word before the write.
    Old,
    /// The word after the write. Emitted as an old-data memory and an explicit bypass.
    New,
    /// The author promises that nobody looks. The interpreter gives the old word.
    DontCare,
}

/// An instance of a module.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// Its Verilog name.
    pub name: String,
    /// What it is for, one line; may be empty.
    pub doc: String,
    /// The module.
    pub module: ModuleId,
    /// For each port of the module, in its order, the signal here ([`SignalKind::InstanceInput`] or `InstanceOutput`).
    pub connections: Vec<SignalId>,
    /// For each domain of the module, in its order, the domain here.
    pub domains: Vec<DomainId>,
    /// Where it was written.
    pub place: Place,
}

/// An index variable: runs from 0 to `count - 1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The name given by the author.
    pub name: String,
    /// Number of iterations, at least 1.
    pub count: u32,
    /// The loop around it, if any.
    pub parent: Option<LoopId>,
    /// Where it was written.
    pub place: Place,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Its operator and operands.
    pub op: Op,
    /// Width of its value, in bits; at least 1.
    pub width: u32,
    /// Where it was first written.
    pub place: Place,
}

/// An operator with its operands. `w` is the width of the node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant, `w` bits.
    Const(Value),
    /// Any value; the author says that nobody looks at it. The interpreter draws it from its seed.
    DontCare,
    /// The present value of a register, accumulator or port; the final value of anything else.
    Read(SignalId),
    /// The index of a loop; `w` bits, wide enough for `count - 1`.
    LoopIndex(LoopId),
    /// One operand.
    Unary(Unary, NodeId),
    /// Two operands.
    Binary(Binary, NodeId, NodeId),
    /// The second operand if the first (one bit) is 1, else the third; both `w` bits.
    Mux(NodeId, NodeId, NodeId),
    /// `w` bits of `of` from bit `low` up; wholly inside `of`.
    Slice {
        /// The vector.
        of: NodeId,
        /// Lowest bit taken.
        low: u32,
    },
    /// Element `index` of `of` seen as an array of elements of `w` bits (`w` divides the width of `of`); 0 beyond the last.
    Part {
        /// The vector.
        of: NodeId,
        /// Which element.
        index: Index,
    },
    /// Operands side by side, the first one highest.
    Concat(Vec<NodeId>),
    /// The operand, as often as `w` holds it.
    Repeat(NodeId),
    /// The operand extended to `w` bits by its highest bit.
    SignExtend(NodeId),
    /// Word `address` of a memory, as it is now; 0 beyond the depth.
    MemoryRead {
        /// The memory.
        memory: MemoryId,
        /// Word number.
        address: NodeId,
    },
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> Vec<NodeId> {
        match self {
            Op::Const(_) | Op::DontCare | Op::Read(_) | Op::LoopIndex(_) => vec![],
            Op::Unary(_, a) | Op::Repeat(a) | Op::SignExtend(a) | Op::Slice { of: a, .. } => vec![*a],
            Op::MemoryRead { address, .. } => vec![*address],
            Op::Binary(_, a, b) => vec![*a, *b],
            Op::Mux(c, a, b) => vec![*c, *a, *b],
            Op::Part { of, index: Index::Node(index) } => vec![*of, *index],
            Op::Part { of, index: Index::Loop(_) } => vec![*of],
            Op::Concat(parts) => parts.clone(),
        }
    }
}

/// Which element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// The one whose number is the loop's index.
    Loop(LoopId),
    /// The one whose number is the value of the expression, unsigned.
    Node(NodeId),
}

/// Operators of one operand `a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Unary {
    /// Each bit inverted; the width of `a`.
    Not,
    /// `0 - a`, modulo two to the width of `a`; the width of `a`.
    Negate,
    /// 1 if all bits are 1; one bit.
    All,
    /// 1 if any bit is 1; one bit.
    Any,
    /// 1 if an odd number of bits is 1; one bit.
    Parity,
}

/// Operators of two operands `a` and `b`; of equal width unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Binary {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum, modulo two to the width.
    Add,
    /// Difference, modulo two to the width.
    Subtract,
    /// Product of unsigned numbers; any widths; the result has the sum of the widths.
    Multiply,
    /// Product of two's-complement numbers; any widths; the result has the sum of the widths.
    MultiplySigned,
    /// Equal; one bit.
    Equal,
    /// Not equal; one bit.
    NotEqual,
    /// `a < b`, unsigned; one bit.
    Less,
    /// `a <= b`, unsigned; one bit.
    LessEqual,
    /// `a < b`, two's complement; one bit.
    LessSigned,
    /// `a <= b`, two's complement; one bit.
    LessEqualSigned,
    /// `a` moved up by `b` (unsigned, any width), zeros from below; 0 if `b` is the width of `a` or more.
    ShiftLeft,
    /// `a` moved down by `b` (unsigned, any width), zeros from above; 0 if `b` is the width of `a` or more.
    ShiftRight,
    /// `a` moved down by `b` (unsigned, any width), copies of the sign from above; all sign if `b` is the width of `a` or more.
    ShiftRightSigned,
}

/// A statement. Statements run in program order; for each bit, the last assignment that runs wins.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Sets bits of a signal.
    Assign {
        /// Which bits.
        target: Target,
        /// Their value; exactly as wide.
        value: NodeId,
        /// Where it was written.
        place: Place,
    },
    /// Runs the first arm whose condition (one bit) is 1, else `otherwise`.
    If {
        /// Conditions and bodies; at least one.
        arms: Vec<(NodeId, Vec<Stmt>)>,
        /// Runs if no condition is 1; empty if nothing was said.
        otherwise: Vec<Stmt>,
        /// Where it was written.
        place: Place,
    },
    /// Runs the arm of the selector's code; every variant of the encoding has one arm, in its order. An illegal code runs the
    /// arm of the encoding's reset variant.
    Switch {
        /// As wide as the encoding.
        selector: NodeId,
        /// The enumeration.
        encoding: Arc<Encoding>,
        /// One body a variant.
        arms: Vec<Vec<Stmt>>,
        /// Where it was written.
        place: Place,
    },
    /// Runs the body once for each index, in order. Several may share a loop.
    Each {
        /// The index variable.
        index: LoopId,
        /// The body.
        body: Vec<Stmt>,
    },
    /// A recurrence. For index 0, 1, … in order: every output's element takes its value, then all accumulators take their
    /// next values at once. Before, accumulators hold their initial values; after, each result (a wire) takes the last one.
    /// At the top level of the body only.
    Scan {
        /// The index variable.
        index: LoopId,
        /// The running values.
        accumulators: Vec<Accumulator>,
        /// Wires of `count` elements, and the value of the element at the index.
        outputs: Vec<(SignalId, NodeId)>,
        /// Where it was written.
        place: Place,
    },
    /// Writes a word of a memory at the rising edge of the port's clock; nothing beyond the depth.
    MemoryWrite {
        /// The memory.
        memory: MemoryId,
        /// Index into [`Memory::writes`].
        port: u32,
        /// Word number.
        address: NodeId,
        /// The word.
        data: NodeId,
        /// One bit a granule, bit 0 for the lowest; all granules if absent.
        enables: Option<NodeId>,
        /// Where it was written.
        place: Place,
    },
    /// A property, judged at each rising edge of its domain's clock outside reset, if the statement runs. Properties are no
    /// hardware: they give a module no clock and no reset ([`Domain::clock_used`]); in a module without the clock they are
    /// judged whenever the signals have settled, in one without the reset at every edge.
    Check {
        /// What is meant by it.
        kind: CheckKind,
        /// What it says, in words.
        message: String,
        /// One bit.
        condition: NodeId,
        /// The clock domain.
        domain: DomainId,
        /// Where it was written.
        place: Place,
    },
}

/// A running value of a [`Stmt::Scan`].
#[derive(Clone, PartialEq, Debug)]
pub struct Accumulator {
    /// The [`SignalKind::Accumulator`].
    pub signal: SignalId,
    /// Value at the first iteration.
    pub initial: NodeId,
    /// Value after an iteration.
    pub next: NodeId,
    /// Wire that takes the last value, if it is wanted.
    pub result: Option<SignalId>,
}

/// What a property is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckKind {
    /// Must hold.
    Assert,
    /// Holds by what the surroundings promise.
    Assume,
    /// Should happen at least once.
    Cover,
}

/// Which bits of a signal an assignment sets: the whole, narrowed step by step.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// The signal.
    pub signal: SignalId,
    /// Each step narrows what the steps before left.
    pub path: Vec<Select>,
}

/// One narrowing step.
#[derive(Clone, PartialEq, Debug)]
pub enum Select {
    /// `width` bits from `low` up.
    Slice {
        /// Lowest bit.
        low: u32,
        /// Number of bits.
        width: u32,
    },
    /// Element `index` of elements of `width` bits; nothing is set if there is no such element.
    Part {
        /// Which element.
        index: Index,
        /// Bits an element.
        width: u32,
    },
}

/// An expression that the author means to leave unread. Printed as `unused_<name>`.
#[derive(Clone, PartialEq, Debug)]
pub struct Ignored {
    /// What is left unread.
    pub node: NodeId,
    /// Name, without `unused_`.
    pub name: String,
    /// Why.
    pub reason: String,
    /// Where it was said.
    pub place: Place,
}

/// An expression that simulation shows under a name: `probe_<name>` in the interpreter and, where `TOLLGATE_CHECKS` is
/// defined, in Verilog. Never part of the hardware.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// What is shown.
    pub node: NodeId,
    /// Name, without `probe_`.
    pub name: String,
    /// Where it was said.
    pub place: Place,
}

/// A module written elsewhere.
#[derive(Clone)]
pub struct BlackBox {
    /// Makes a simulation model, one for each instance.
    pub model: Arc<dyn Fn() -> Box<dyn BlackBoxModel> + Send + Sync>,
}

impl PartialEq for BlackBox {
    /// Models cannot be compared; equal names and ports are taken for the same module.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for BlackBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlackBox")
    }
}

/// The behaviour of a black box in the interpreter.
pub trait BlackBoxModel {
    /// Output values, in port order, from the input values, in port order, and the present state.
    fn outputs(&mut self, inputs: &[Value]) -> Vec<Value>;
    /// A rising edge of domain `domain` (index into the module's domains), with its reset as it is.
    fn edge(&mut self, domain: usize, reset: bool, inputs: &[Value]);
}

/// Calls `see` with the root of each expression of the statements, in program order.
pub(crate) fn visit(stmts: &[Stmt], see: &mut dyn FnMut(NodeId)) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign { target, value, .. } => {
                for step in &target.path {
                    if let Select::Part { index: Index::Node(node), .. } = step {
                        see(*node);
                    }
                }
                see(*value);
            }
            Stmt::If { arms, otherwise, .. } => {
                for (condition, body) in arms {
                    see(*condition);
                    visit(body, see);
                }
                visit(otherwise, see);
            }
            Stmt::Switch { selector, arms, .. } => {
                see(*selector);
                arms.iter().for_each(|body| visit(body, see));
            }
            Stmt::Each { body, .. } => visit(body, see),
            Stmt::Scan { accumulators, outputs, .. } => {
                outputs.iter().for_each(|(_, value)| see(*value));
                for accumulator in accumulators {
                    see(accumulator.initial);
                    see(accumulator.next);
                }
            }
            Stmt::MemoryWrite { address, data, enables, .. } => {
                see(*address);
                see(*data);
                enables.iter().for_each(|e| see(*e));
            }
            Stmt::Check { condition, .. } => see(*condition),
        }
    }
}
