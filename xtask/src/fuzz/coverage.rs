//! What circuits were made of: operator × width class × context, counted in the representation itself, and the
//! constructs around them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;

use tollgate_rtl::ir::{
    Binary, CheckKind, Collision, Design, Index, Module, NodeId, Op, Select, SignalKind, Stmt, Unary,
};

/// Circuits in which every cell must be reached.
pub const CIRCUITS: u64 = 300;

macro_rules! listed {
    ($(#[$attribute:meta])* $name:ident { $($variant:ident: $text:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $name {
            $($variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in the table.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

listed! {
    /// Every operator of the representation.
    Operator {
        Const: "const",
        DontCare: "don't care",
        Read: "read",
        LoopIndex: "loop index",
        Not: "not",
        Negate: "negate",
        All: "all",
        Any: "any",
        Parity: "parity",
        And: "and",
        Or: "or",
        Xor: "xor",
        Add: "add",
        Subtract: "subtract",
        Multiply: "multiply",
        MultiplySigned: "multiply signed",
        Equal: "equal",
        NotEqual: "not equal",
        Less: "less",
        LessEqual: "less or equal",
        LessSigned: "less signed",
        LessEqualSigned: "less or equal signed",
        ShiftLeft: "shift left",
        ShiftRight: "shift right",
        ShiftRightSigned: "shift right signed",
        Mux: "mux",
        Slice: "slice",
        Element: "part at a loop index",
        Part: "part at a computed index",
        Concat: "concat",
        Repeat: "repeat",
        SignExtend: "sign extend",
        MemoryRead: "memory read",
    }
}

listed! {
    /// Classes of widths.
    Class {
        Bit: "1",
        Byte: "2-8",
        Word: "9-32",
        Long: "33-64",
        Double: "65-128",
        Wide: "129-600",
    }
}

listed! {
    /// Where an expression is used; one may be used in several contexts.
    Context {
        Wire: "wire",
        Clocked: "register",
        Choice: "when/switch",
        Each: "each",
        Recurrence: "scan/fold",
        Memory: "memory",
        Condition: "condition",
    }
}

impl Class {
    /// Its widths.
    pub fn range(self) -> RangeInclusive<u32> {
        match self {
            Self::Bit => 1..=1,
            Self::Byte => 2..=8,
            Self::Word => 9..=32,
            Self::Long => 33..=64,
            Self::Double => 65..=128,
            Self::Wide => 129..=600,
        }
    }

    /// The class of a width; what is beyond the last is none.
    pub fn of(width: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| class.range().contains(&width))
    }
}

impl Operator {
    /// Whether its value is one bit whatever its operands are: then its class is that of its operands.
    pub fn gives_a_bit(self) -> bool {
        use Operator as O;
        matches!(
            self,
            O::All
                | O::Any
                | O::Parity
                | O::Equal
                | O::NotEqual
                | O::Less
                | O::LessEqual
                | O::LessSigned
                | O::LessEqualSigned
        )
    }

    /// The operator of a node.
    fn of(op: &Op) -> Self {
        match op {
            Op::Const(_) => Self::Const,
            Op::DontCare => Self::DontCare,
            Op::Read(_) => Self::Read,
            Op::LoopIndex(_) => Self::LoopIndex,
            Op::Unary(Unary::Not, _) => Self::Not,
            Op::Unary(Unary::Negate, _) => Self::Negate,
            Op::Unary(Unary::All, _) => Self::All,
            Op::Unary(Unary::Any, _) => Self::Any,
            Op::Unary(Unary::Parity, _) => Self::Parity,
            Op::Binary(binary, ..) => match binary {
                Binary::And => Self::And,
                Binary::Or => Self::Or,
                Binary::Xor => Self::Xor,
                Binary::Add => Self::Add,
                Binary::Subtract => Self::Subtract,
                Binary::Multiply => Self::Multiply,
                Binary::MultiplySigned => Self::MultiplySigned,
                Binary::Equal => Self::Equal,
                Binary::NotEqual => Self::NotEqual,
                Binary::Less => Self::Less,
                Binary::LessEqual => Self::LessEqual,
                Binary::LessSigned => Self::LessSigned,
                Binary::LessEqualSigned => Self::LessEqualSigned,
                Binary::ShiftLeft => Self::ShiftLeft,
                Binary::ShiftRight => Self::ShiftRight,
                Binary::ShiftRightSigned => Self::ShiftRightSigned,
            },
            Op::Mux(..) => Self::Mux,
            Op::Slice { .. } => Self::Slice,
            Op::Part { index: Index::Loop(_), .. } => Self::Element,
            Op::Part { index: Index::Node(_), .. } => Self::Part,
            Op::Concat(_) => Self::Concat,
            Op::Repeat(_) => Self::Repeat,
            Op::SignExtend(_) => Self::SignExtend,
            Op::MemoryRead { .. } => Self::MemoryRead,
        }
    }
}

/// A cell of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cell {
    pub operator: Operator,
    pub class: Class,
    pub context: Context,
}

impl Cell {
    /// Why nothing can be in the cell, if so.
    pub fn unreachable(self) -> Option<&'static str> {
        match (self.operator, self.class) {
            (Operator::Concat, Class::Bit) => Some("two parts have two bits"),
            (Operator::Repeat, Class::Bit) => Some("a bit taken twice is two bits"),
            (Operator::SignExtend, Class::Bit) => Some("what is extended has a bit already"),
            (Operator::Multiply | Operator::MultiplySigned, Class::Bit) => {
                Some("a product has the bits of both factors")
            }
            _ => None,
        }
    }

    /// All that can be reached.
    pub fn reachable() -> impl Iterator<Item = Self> {
        Operator::ALL
            .iter()
            .flat_map(|operator| Class::ALL.iter().map(move |class| (*operator, *class)))
            .flat_map(|(operator, class)| {
                Context::ALL.iter().map(move |context| Self { operator, class, context: *context })
            })
            .filter(|cell| cell.unreachable().is_none())
    }

    /// The cells that circuit `number` fills on purpose: over [`CIRCUITS`] circuits in a row, each cell once.
    pub fn dealt(number: u64) -> Vec<Self> {
        let position = number % CIRCUITS;
        // Circuits that are synthesized are kept small.
        if super::generate::is_synthesized(number) {
            return vec![];
        }
        let taking = (0..CIRCUITS).filter(|other| !super::generate::is_synthesized(*other));
        let rank = taking.clone().position(|other| other == position).expect("it is one of them");
        Self::reachable().skip(rank).step_by(taking.count()).collect()
    }
}

/// Counts of many circuits.
#[derive(Clone, Default)]
pub struct Coverage {
    cells: BTreeMap<Cell, u64>,
    constructs: BTreeMap<(&'static str, Option<Class>), u64>,
    /// Of each circuit.
    operations: Vec<usize>,
    cycles: Vec<u32>,
}

/// Constructs that every run of [`CIRCUITS`] circuits must hold in widths of these classes.
const CONSTRUCTS: &[(&str, &[Class])] = {
    use Class::{Bit, Byte, Double, Long, Wide, Word};
    const EVERY: &[Class] = &[Bit, Byte, Word, Long, Double, Wide];
    const NARROW: &[Class] = &[Bit, Byte, Word];
    const WIDER: &[Class] = &[Byte, Word, Long, Double, Wide];
    &[
        ("register without reset", EVERY),
        ("register with synchronous reset", EVERY),
        ("register with asynchronous reset", EVERY),
        ("register from another domain", NARROW),
        ("register of another domain", EVERY),
        ("wire with default", EVERY),
        ("wire without default", EVERY),
        ("input", EVERY),
        ("output", EVERY),
        ("signed signal", EVERY),
        ("enumeration", &[Bit, Byte, Long]),
        ("array", EVERY),
        ("input of an instance", EVERY),
        ("output of an instance", EVERY),
        ("set: whole", EVERY),
        ("set: slice", EVERY),
        ("set: at a computed index", EVERY),
        ("set: at a loop index", EVERY),
        ("set: element of an element", NARROW),
        ("set: twice at computed indices", WIDER),
        ("memory read at once", EVERY),
        ("memory read at the edge, old", EVERY),
        ("memory read at the edge, new", EVERY),
        ("memory read at the edge, don't care", EVERY),
        ("memory read in another domain", EVERY),
        ("memory with enables", WIDER),
        ("memory read new, with enables", WIDER),
        ("memory with two writes", EVERY),
        ("memory with content", EVERY),
        ("memory of a depth that is no power of two", EVERY),
        ("memory addressed beyond its depth", EVERY),
        ("accumulator of scan or fold", EVERY),
        ("answer of scan", &[Bit, Byte, Word]),
    ]
};

/// Constructs that have no width.
const WIDTHLESS: &[&str] = &[
    "each",
    "each in each",
    "when",
    "when in when",
    "or_when",
    "otherwise",
    "switch",
    "switch with illegal codes",
    "switch without illegal codes",
    "assert",
    "assume",
    "cover",
    "module instantiated twice",
    "instance in an instance",
    "instance in another domain",
    "two clock domains",
    "three clock domains",
    "array of one element",
];

impl Coverage {
    /// Adds a circuit.
    pub fn add(&mut self, design: &Design, operations: usize, cycles: u32) {
        self.operations.push(operations);
        self.cycles.push(cycles);
        for module in &design.modules {
            self.add_module(design, module);
        }
    }

    /// Adds the counts of other circuits.
    pub fn merge(&mut self, other: &Self) {
        for (cell, count) in &other.cells {
            *self.cells.entry(*cell).or_default() += count;
        }
        for (construct, count) in &other.constructs {
            *self.constructs.entry(*construct).or_default() += count;
        }
        self.operations.extend(&other.operations);
        self.cycles.extend(&other.cycles);
    }

    fn construct(&mut self, name: &'static str, width: u32) {
        *self.constructs.entry((name, Class::of(width))).or_default() += 1;
    }

    fn mark(&mut self, name: &'static str) {
        *self.constructs.entry((name, None)).or_default() += 1;
    }

    fn add_module(&mut self, design: &Design, module: &Module) {
        let mut used = Used { module, contexts: BTreeSet::new() };
        used.block(&module.body, &[]);
        for (_, signal) in module.signals() {
            signal.default.iter().for_each(|node| used.node(*node, &[Context::Wire]));
        }
        for memory in &module.memories {
            for port in &memory.reads {
                used.node(port.address, &[Context::Memory]);
                used.node(port.enable, &[Context::Memory]);
            }
        }
        for (node, context) in used.contexts {
            let of = module.node(node);
            let operator = Operator::of(&of.op);
            let width = match of.op.operands().first() {
                Some(first) if operator.gives_a_bit() => module.node(*first).width,
                _ => of.width,
            };
            if let Some(class) = Class::of(width) {
                *self.cells.entry(Cell { operator, class, context }).or_default() += 1;
            }
        }
        self.add_signals(module);
        self.add_memories(module);
        self.add_statements(module, &module.body, 0, 0);
        self.add_hierarchy(design, module);
    }

    fn add_signals(&mut self, module: &Module) {
        for (_, signal) in module.signals() {
            let width = signal.width;
            match &signal.kind {
                SignalKind::Register { reset, crossing } => {
                    self.construct(
                        match reset {
                            None => "register without reset",
                            Some(reset) if reset.asynchronous => "register with asynchronous reset",
                            Some(_) => "register with synchronous reset",
                        },
                        width,
                    );
                    if crossing.is_some() {
                        self.construct("register from another domain", width);
                    }
                    if signal.domain.index() > 0 {
                        self.construct("register of another domain", width);
                    }
                }
                SignalKind::Wire if signal.default.is_some() => self.construct("wire with default", width),
                SignalKind::Wire => self.construct("wire without default", width),
                SignalKind::Input => self.construct("input", width),
                SignalKind::Output => self.construct("output", width),
                SignalKind::InstanceInput { .. } => self.construct("input of an instance", width),
                SignalKind::InstanceOutput { .. } => self.construct("output of an instance", width),
                SignalKind::Accumulator(_) => self.construct("accumulator of scan or fold", width),
                SignalKind::SyncRead { .. } => {}
            }
            if signal.signed {
                self.construct("signed signal", width);
            }
            if signal.encoding.is_some() {
                self.construct("enumeration", width);
            }
            if let Some(element) = signal.element_width {
                self.construct("array", width);
                if element == width {
                    self.mark("array of one element");
                }
            }
        }
    }

    fn add_memories(&mut self, module: &Module) {
        for (index, memory) in module.memories.iter().enumerate() {
            let width = memory.width;
            let with_enables = memory.granule < width;
            for node in &module.nodes {
                if let Op::MemoryRead { memory: read, .. } = node.op
                    && read.index() == index
                {
                    self.construct("memory read at once", width);
                }
            }
            for port in &memory.reads {
                self.construct(
                    match port.collision {
                        Collision::Old => "memory read at the edge, old",
                        Collision::New => "memory read at the edge, new",
                        Collision::DontCare => "memory read at the edge, don't care",
                    },
                    width,
                );
                if memory.writes.iter().any(|write| write.domain != port.domain) {
                    self.construct("memory read in another domain", width);
                }
                if with_enables && port.collision == Collision::New {
                    self.construct("memory read new, with enables", width);
                }
                if 1u64.checked_shl(module.node(port.address).width).is_none_or(|range| range > memory.depth.into()) {
                    self.construct("memory addressed beyond its depth", width);
                }
            }
            if with_enables {
                self.construct("memory with enables", width);
            }
            if memory.writes.len() > 1 {
                self.construct("memory with two writes", width);
            }
            if memory.initial.is_some() {
                self.construct("memory with content", width);
            }
            if !memory.depth.is_power_of_two() {
                self.construct("memory of a depth that is no power of two", width);
            }
        }
    }

    fn add_statements(&mut self, module: &Module, body: &[Stmt], loops: usize, choices: usize) {
        let computed =
            |path: &[Select]| path.iter().any(|step| matches!(step, Select::Part { index: Index::Node(_), .. }));
        let mut computed_before = BTreeSet::new();
        for stmt in body {
            match stmt {
                Stmt::Assign { target, value, .. } => {
                    let width = module.node(*value).width;
                    match target.path.last() {
                        None => self.construct("set: whole", width),
                        Some(Select::Slice { .. }) => self.construct("set: slice", width),
                        Some(Select::Part { index: Index::Node(_), .. }) => {
                            self.construct("set: at a computed index", width);
                        }
                        Some(Select::Part { index: Index::Loop(_), .. }) => {
                            self.construct("set: at a loop index", width)
                        }
                    }
                    if target.path.len() > 1 {
                        self.construct("set: element of an element", width);
                    }
                    if computed(&target.path) && !computed_before.insert(target.signal) {
                        self.construct("set: twice at computed indices", module.signal(target.signal).width);
                    }
                }
                Stmt::If { arms, otherwise, .. } => {
                    self.mark("when");
                    if choices > 0 {
                        self.mark("when in when");
                    }
                    if arms.len() > 1 {
                        self.mark("or_when");
                    }
                    if !otherwise.is_empty() {
                        self.mark("otherwise");
                    }
                    arms.iter().for_each(|(_, body)| self.add_statements(module, body, loops, choices + 1));
                    self.add_statements(module, otherwise, loops, choices + 1);
                }
                Stmt::Switch { encoding, arms, .. } => {
                    self.mark("switch");
                    let is_full = (encoding.variants.len() as u64).checked_shr(encoding.width) == Some(1);
                    self.mark(if is_full { "switch without illegal codes" } else { "switch with illegal codes" });
                    arms.iter().for_each(|body| self.add_statements(module, body, loops, choices + 1));
                }
                Stmt::Each { body, .. } => {
                    self.mark("each");
                    if loops > 0 {
                        self.mark("each in each");
                    }
                    self.add_statements(module, body, loops + 1, choices);
                }
                Stmt::Scan { outputs, .. } => {
                    for (_, value) in outputs {
                        self.construct("answer of scan", module.node(*value).width);
                    }
                }
                Stmt::Check { kind, .. } => self.mark(match kind {
                    CheckKind::Assert => "assert",
                    CheckKind::Assume => "assume",
                    CheckKind::Cover => "cover",
                }),
                Stmt::MemoryWrite { .. } => {}
            }
        }
    }

    fn add_hierarchy(&mut self, design: &Design, module: &Module) {
        match module.domains.iter().filter(|domain| domain.clock_used).count() {
            2 => self.mark("two clock domains"),
            3 => self.mark("three clock domains"),
            _ => {}
        }
        let mut seen = BTreeSet::new();
        for instance in &module.instances {
            if !seen.insert(instance.module) {
                self.mark("module instantiated twice");
            }
            if !design.module(instance.module).instances.is_empty() {
                self.mark("instance in an instance");
            }
            if instance.domains[0].index() > 0 {
                self.mark("instance in another domain");
            }
        }
    }

    /// What should have been reached and was not.
    pub fn missing(&self) -> Vec<String> {
        let cells = Cell::reachable()
            .filter(|cell| !self.cells.contains_key(cell))
            .map(|cell| format!("{} of {} bits in {}", cell.operator.text(), cell.class.text(), cell.context.text()));
        let constructs = CONSTRUCTS.iter().flat_map(|(name, classes)| {
            let absent = classes.iter().filter(|class| !self.constructs.contains_key(&(*name, Some(**class))));
            absent.map(move |class| format!("{name}, {} bits", class.text()))
        });
        let widthless = WIDTHLESS.iter().filter(|name| !self.constructs.contains_key(&(**name, None)));
        let mut missing: Vec<String> =
            cells.chain(constructs).chain(widthless.map(|name| (*name).to_owned())).collect();
        if median(&self.operations) < 30 {
            missing.push(format!("the median circuit has {} operations, not 30", median(&self.operations)));
        }
        if median(&self.cycles) < 100 {
            missing.push(format!("the median circuit runs for {} cycles, not 100", median(&self.cycles)));
        }
        missing
    }
}

/// The value in the middle; the default one of none.
fn median<T: Copy + Ord + Default>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} circuits; median {} operations, {} cycles",
            self.operations.len(),
            median(&self.operations),
            median(&self.cycles)
        )?;
        for class in Class::ALL {
            write!(f, "\n{:<26}", format!("{} bit{}", class.text(), if *class == Class::Bit { "" } else { "s" }))?;
            Context::ALL.iter().try_for_each(|context| write!(f, "{:>12}", context.text()))?;
            writeln!(f)?;
            for operator in Operator::ALL {
                let cell = |context: &Context| Cell { operator: *operator, class: *class, context: *context };
                let mut line = format!("{:<26}", operator.text());
                match cell(&Context::Wire).unreachable() {
                    Some(reason) => write!(line, "  never: {reason}")?,
                    None => {
                        for context in Context::ALL {
                            match self.cells.get(&cell(context)) {
                                Some(count) => write!(line, "{count:>12}")?,
                                None => write!(line, "{:>12}", "NONE")?,
                            }
                        }
                    }
                }
                writeln!(f, "{line}")?;
            }
        }
        write!(f, "\n{:<44}", "construct")?;
        Class::ALL.iter().try_for_each(|class| write!(f, "{:>9}", class.text()))?;
        writeln!(f)?;
        for (name, classes) in CONSTRUCTS {
            write!(f, "{name:<44}")?;
            for class in Class::ALL {
                match self.constructs.get(&(*name, Some(*class))) {
                    Some(count) => write!(f, "{count:>9}")?,
                    None => write!(f, "{:>9}", if classes.contains(class) { "NONE" } else { "-" })?,
                }
            }
            writeln!(f)?;
        }
        for name in WIDTHLESS {
            let count = self.constructs.get(&(*name, None));
            writeln!(f, "{name:<44}{:>9}", count.map_or("NONE".to_owned(), u64::to_string))?;
        }
        Ok(())
    }
}

/// Which nodes are used in which contexts.
struct Used<'a> {
    module: &'a Module,
    contexts: BTreeSet<(NodeId, Context)>,
}

impl Used<'_> {
    fn node(&mut self, node: NodeId, contexts: &[Context]) {
        let mut is_new = false;
        for context in contexts {
            is_new |= self.contexts.insert((node, *context));
        }
        if !is_new {
            return;
        }
        let op = &self.module.node(node).op;
        let mut inner = contexts.to_vec();
        if matches!(op, Op::MemoryRead { .. }) {
            inner.push(Context::Memory);
        }
        op.operands().into_iter().for_each(|operand| self.node(operand, &inner));
    }

    fn block(&mut self, body: &[Stmt], around: &[Context]) {
        let with = |context: Context| [around, &[context]].concat();
        for stmt in body {
            match stmt {
                Stmt::Assign { target, value, .. } => {
                    let of_target = match self.module.signal(target.signal).kind {
                        SignalKind::Register { .. } => Context::Clocked,
                        _ => Context::Wire,
                    };
                    self.node(*value, &with(of_target));
                    for step in &target.path {
                        if let Select::Part { index: Index::Node(index), .. } = step {
                            self.node(*index, &with(Context::Condition));
                        }
                    }
                }
                Stmt::If { arms, otherwise, .. } => {
                    for (condition, body) in arms {
                        self.node(*condition, &with(Context::Condition));
                        self.block(body, &with(Context::Choice));
                    }
                    self.block(otherwise, &with(Context::Choice));
                }
                Stmt::Switch { selector, arms, .. } => {
                    self.node(*selector, &with(Context::Condition));
                    arms.iter().for_each(|body| self.block(body, &with(Context::Choice)));
                }
                Stmt::Each { body, .. } => self.block(body, &with(Context::Each)),
                Stmt::Scan { accumulators, outputs, .. } => {
                    for accumulator in accumulators {
                        self.node(accumulator.initial, &with(Context::Wire));
                        self.node(accumulator.next, &with(Context::Recurrence));
                    }
                    outputs.iter().for_each(|(_, value)| self.node(*value, &with(Context::Recurrence)));
                }
                Stmt::MemoryWrite { address, data, enables, .. } => {
                    for node in [address, data].into_iter().chain(enables) {
                        self.node(*node, &with(Context::Memory));
                    }
                }
                Stmt::Check { condition, .. } => self.node(*condition, &with(Context::Condition)),
            }
        }
    }
}
