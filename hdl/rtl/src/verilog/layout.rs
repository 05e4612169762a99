//! How a module is laid out: what drives what, in which loops and scopes.
//!
//! [`super::lower`] makes it, [`super::express`] and [`super::write`] read it. Expressions are still nodes here.

use crate::ir::{CheckKind, DomainId, Encoding, InstanceId, LoopId, MemoryId, NodeId, Select, SignalId};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bits of something with a name: `width` bits from `low` plus the sum of the loops' indices times their strides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bits {
    /// The name.
    pub name: String,
    /// Width of what is named.
    pub total: u32,
    /// Loops and the distance between iterations.
    pub terms: Vec<(LoopId, u32)>,
    /// Lowest bit at the first iterations.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

impl Bits {
    pub(super) fn whole(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), total: width, terms: vec![], low: 0, width }
    }

    pub(super) fn slice(mut self, low: u32, width: u32) -> Self {
        assert!(low + width <= self.width, "slice of {}", self.name);
        self.low += low;
        self.width = width;
        self
    }

    pub(super) fn element(mut self, index: LoopId, width: u32) -> Self {
        self.terms.push((index, width));
        self.width = width;
        self
    }
}

/// What is assigned.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An expression.
    Node(NodeId),
    /// Bits of an expression: as [`Bits`] of it.
    Part { node: NodeId, terms: Vec<(LoopId, u32)>, low: u32, width: u32 },
    /// A constant.
    Constant(Value),
    /// Something with a name.
    Named(Bits),
    /// Bits of a constant, those at the loops' indices.
    ConstantPart { value: Value, terms: Vec<(LoopId, u32)>, width: u32 },
    /// A choice.
    Choice(Condition, Box<Source>, Box<Source>),
}

/// What is asked.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// An expression of one bit.
    Node(NodeId),
    /// A bit with a name.
    Named(Bits),
    /// A bit of an expression, the one at the index.
    Bit(NodeId, LoopId),
    /// Another is not met.
    Not(Box<Condition>),
    /// The expression, a number, is the index of the loop.
    IsIndex(NodeId, LoopId),
    /// The index of the loop is a number.
    IndexIs(LoopId, u32),
    /// The index of the loop is below a number.
    IndexBelow(LoopId, u32),
    /// The expression, a number, is below another.
    Below(NodeId, u32),
    /// Two numbers, perhaps of differing widths, are equal.
    SameNumber(NodeId, NodeId),
    /// The reset of a domain.
    Reset(DomainId),
}

/// A statement of a process.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    /// Sets bits. `path` narrows what `bits` left, and is empty once the statement is lowered.
    Assign { bits: Bits, path: Vec<Select>, source: Source, encoding: Option<Arc<Encoding>> },
    /// The first arm whose condition holds, else `otherwise`.
    If { arms: Vec<(Condition, Vec<Stmt>)>, otherwise: Vec<Stmt> },
    /// One arm a variant.
    Switch { selector: NodeId, encoding: Arc<Encoding>, arms: Vec<Vec<Stmt>> },
    /// An integer loop.
    For { index: LoopId, kind: ScopeKind, scope: usize, body: Vec<Stmt> },
    /// Writes a word, its granules as enabled; once lowered, without enables, or the granule at the index.
    Write { memory: MemoryId, address: NodeId, data: NodeId, enables: Option<NodeId>, lane: Option<LoopId> },
    /// Takes the word at an address.
    Read { bits: Bits, memory: MemoryId, address: NodeId },
    /// Judges a property.
    Check { kind: CheckKind, message: String, condition: NodeId },
}

/// When a process runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    /// Whenever something that it reads changes.
    Change,
    /// At the rising edge of a clock; and of its reset, if that is asynchronous.
    Edge(DomainId, bool),
}

/// An item of a module's body.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A continuous assignment.
    Assign { bits: Bits, source: Source, encoding: Option<Arc<Encoding>> },
    /// A process. `locals` are its own variables.
    Always { event: Event, label: String, locals: Vec<(String, u32)>, body: Vec<Stmt> },
    /// A generate loop. `indices` are the loops that run with it.
    Generate { indices: Vec<LoopId>, scope: usize, count: u32, items: Vec<Item> },
    /// An instance.
    Instance(InstanceId),
    /// Properties of a domain.
    Checks(DomainId, Vec<Stmt>),
    /// What is left unread.
    Ignored(usize),
    /// What simulation shows.
    Probes,
    /// A vector put together from its segments, highest first.
    Joined(String, Vec<String>),
    /// All words of a memory side by side.
    Words(MemoryId),
}

/// How a signal is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Declared {
    /// Not at all: it is connected in place, or local to a process.
    Not,
    /// As a wire; where it is assigned, if that is early enough.
    AtAssignment,
    /// As a wire.
    Wire,
    /// As a variable.
    Reg,
}

/// A part of a wire, with a name of its own.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Its name.
    pub name: String,
    /// Its lowest bit.
    pub low: u32,
    /// Its number of bits.
    pub width: u32,
}

/// Where names are valid and which loops run there.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The scope around it.
    pub parent: Option<usize>,
    /// The loops that run here.
    pub indices: Vec<LoopId>,
    /// What it is.
    pub kind: ScopeKind,
}

/// Kinds of scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScopeKind {
    /// The module.
    Module,
    /// A generate loop.
    Generate,
    /// An integer loop in a process.
    Integer,
    /// The integer loop of a recurrence: expressions may be variables of it.
    Recurrence,
}

/// The layout of a module.
pub(super) struct Layout {
    /// Scopes; the first is the module.
    pub scopes: Vec<Scope>,
    /// Items in order.
    pub items: Vec<Item>,
    /// Name and count of each loop: those of the module, then those made here.
    pub loops: Vec<(String, u32)>,
    /// Signals that never change, with their values.
    pub constants: BTreeMap<SignalId, Value>,
    /// How each signal is declared.
    pub declared: Vec<Declared>,
    /// Registers and wires made here: name, width, whether it is a variable.
    pub extra: Vec<(String, u32, bool)>,
    /// Signals that are wires in segments.
    pub segments: BTreeMap<SignalId, Vec<Segment>>,
    /// What connects an instance's port in place of a wire.
    pub connected: BTreeMap<SignalId, Source>,
}
