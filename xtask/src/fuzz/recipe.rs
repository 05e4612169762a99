//! Random circuits as plain data.
//!
//! A recipe says what a circuit is made of without saying how wide each operand is: an expression is built at the width
//! that its place wants, narrower values are extended and wider ones cut. So a recipe stays buildable when something is
//! taken out of it or made narrower, which is what shrinking does.

use serde::{Deserialize, Serialize};
use tollgate_rtl::{Encoding, Value, ir};

/// Names of the clock domains; a circuit has the first few of them. The first is the default domain.
pub const DOMAINS: [&str; 3] = ["", "slow", "fast"];

/// One circuit with all that is needed to run it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Its number in the run; part of its module names.
    pub number: u64,
    /// Seed of its initial state and of its stimulus.
    pub seed: u64,
    /// Clock cycles it is run for.
    pub cycles: u32,
    /// Clock domains in use, the first of [`DOMAINS`].
    pub domains: usize,
    /// Children before parents; the last is the top.
    pub modules: Vec<Module>,
}

/// One module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Everything that has a name, but for memories. A combinational one depends on earlier ones alone.
    pub signals: Vec<Signal>,
    /// Its memories.
    pub memories: Vec<Memory>,
    /// Its instances of earlier modules.
    pub instances: Vec<Instance>,
    /// What it does, in program order.
    pub body: Vec<Stmt>,
}

/// A signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// What drives it.
    pub kind: Kind,
    /// Its type.
    pub shape: Shape,
    /// Index into [`DOMAINS`].
    pub domain: usize,
    /// Whether it is put out although something else reads it.
    pub observed: bool,
    /// Value where nothing sets it (wires, outputs, inputs of instances).
    pub default: Option<Expr>,
    /// The signal of one bit that says whether anybody may look; otherwise it is don't-care.
    pub guard: Option<usize>,
}

/// What drives a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    Input,
    Output,
    Wire,
    Register {
        reset: Option<Reset>,
        /// Whether it may take what belongs to another domain.
        crossing: bool,
    },
    /// The register of a state machine, reset to the variant.
    State(usize),
    InstanceInput {
        instance: usize,
        /// The signal in the instantiated module.
        port: usize,
    },
    InstanceOutput {
        instance: usize,
        /// The signal in the instantiated module.
        port: usize,
    },
    /// Declared by a statement that makes it: a result of a loop.
    Made,
    /// Declared by [`Stmt::ReadPort`].
    ReadPort,
}

impl Kind {
    /// Whether it holds a value between clock edges, or comes from outside: reading it never makes a loop.
    pub fn is_stable(&self) -> bool {
        matches!(self, Self::Input | Self::Register { .. } | Self::State(_) | Self::ReadPort)
    }

    /// Whether it is a register, of whatever kind.
    pub fn is_register(&self) -> bool {
        matches!(self, Self::Register { .. } | Self::State(_))
    }
}

/// Reset of a register.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reset {
    /// Value, cut to what the register (or each element of it) holds.
    pub value: u64,
    pub asynchronous: bool,
}

/// The type of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    Bit,
    Bits(u32),
    Signed(u32),
    Code(Enumeration),
    Array {
        count: u32,
        width: u32,
    },
    /// A [`Pair`](super::build::Pair).
    Pair {
        body: u32,
        number: u32,
    },
}

impl Shape {
    /// Bits altogether.
    pub fn width(self) -> u32 {
        match self {
            Self::Bit => 1,
            Self::Bits(width) | Self::Signed(width) => width,
            Self::Code(enumeration) => enumeration.encoding().width,
            Self::Array { count, width } => count * width,
            Self::Pair { body, number } => 1 + body + number,
        }
    }
}

/// Declares the enumerations that circuits use, and what runs code for one of them.
macro_rules! enumerations {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$of_variant:meta])* $variant:ident = $code:tt,)* })*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Debug, Encoding)]
            #[repr(u64)]
            $(#[$attribute])*
            pub enum $name {
                $($(#[$of_variant])* $variant = $code,)*
            }
        )*

        /// Which enumeration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Enumeration {
            $($name,)*
        }

        impl Enumeration {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Names and codes.
            pub fn encoding(self) -> std::sync::Arc<ir::Encoding> {
                match self {
                    $(Self::$name => $name::encoding(),)*
                }
            }
        }

        /// Evaluates an expression with `$E` standing for the Rust type of an enumeration.
        macro_rules! with_enumeration {
            ($which:expr, $E:ident => $body:expr) => {
                match $which {
                    $($crate::fuzz::recipe::Enumeration::$name => {
                        type $E = $crate::fuzz::recipe::$name;
                        $body
                    })*
                }
            };
        }
        pub(super) use with_enumeration;
    };
}

enumerations! {
    /// One bit, both codes legal.
    Power { Off = 0, On = 1, }
    /// Two bits, all codes legal.
    Phase { Idle = 0, Ask = 1, Wait = 2, Answer = 3, }
    /// Three bits, with holes, reset in the middle.
    Grant { Nobody = 0, First = 1, #[reset] Second = 3, Third = 4, Both = 6, }
    /// One bit a variant.
    #[encoding(width = 5)]
    Hot { Red = 1, Green = 2, #[reset] Blue = 4, White = 8, }
    /// Far more bits than variants.
    #[encoding(width = 40)]
    Magic { Zero = 0, Small = 0x1234, Large = 0x80_0000_0001, }
    /// One variant, of two bits.
    #[encoding(width = 2)]
    Lone { Only = 1, }
}

impl Enumeration {
    /// Number of variants.
    pub fn variants(self) -> usize {
        self.encoding().variants.len()
    }

    /// The code of a variant.
    pub fn code(self, variant: usize) -> Value {
        self.encoding().variants[variant].1.clone()
    }
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub depth: u32,
    pub width: u32,
    /// Bits an enable covers; the whole word unless it divides the width.
    pub granule: u32,
    /// Seed of the content it starts with, if it is given one.
    pub initial: Option<u64>,
    /// The domain of its write ports, and of its asynchronous readers. Index into [`DOMAINS`].
    pub domain: usize,
    /// Its `ram_style`, if it is told.
    pub style: Option<String>,
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Index into [`Recipe::modules`].
    pub module: usize,
    /// What the default domain of the module is here. Index into [`DOMAINS`]. The other domains keep their names.
    pub domain: usize,
}

impl Instance {
    /// What a domain of the module is here.
    pub fn domain_here(&self, inner: usize) -> usize {
        if inner == 0 { self.domain } else { inner }
    }
}

/// An expression. It has no width of its own: it is extended or cut to what its place wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// 32 bits each, the lowest first.
    Const(Vec<u32>),
    /// A signal.
    Read(usize),
    /// The index of a loop around; 0 for the innermost.
    Index(usize),
    /// The running value of the recurrence around.
    Running,
    /// The element at the index of a loop around (0 for the innermost) of a vector seen as an array.
    Element {
        of: Box<Expr>,
        width: u32,
        count: u32,
        level: usize,
    },
    /// The element at a computed index of a vector seen as an array.
    Part {
        of: Box<Expr>,
        width: u32,
        count: u32,
        index: Box<Expr>,
        index_width: u32,
    },
    /// A word of a memory, as it is now.
    Word {
        memory: usize,
        address: Box<Expr>,
        address_width: u32,
    },
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Reduce {
        by: Reduction,
        width: u32,
        of: Box<Expr>,
    },
    /// Operators that keep the width.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Multiply {
        signed: bool,
        widths: (u32, u32),
        of: (Box<Expr>, Box<Expr>),
    },
    Compare {
        by: Comparison,
        signed: bool,
        width: u32,
        of: (Box<Expr>, Box<Expr>),
    },
    Shift {
        by: Direction,
        of: Box<Expr>,
        amount: Box<Expr>,
        amount_width: u32,
    },
    /// A shift by a number.
    ShiftBy {
        by: Direction,
        of: Box<Expr>,
        amount: u32,
    },
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// As many bits as are wanted and there are, from `low` up.
    Slice {
        of: Box<Expr>,
        width: u32,
        low: u32,
    },
    /// The first one highest.
    Concat(Vec<(u32, Expr)>),
    Repeat {
        of: Box<Expr>,
        width: u32,
        count: u32,
    },
    SignExtend {
        of: Box<Expr>,
        width: u32,
    },
    /// Whether a code is a variant.
    Is {
        enumeration: Enumeration,
        variant: usize,
        of: Box<Expr>,
    },
    /// The second if the first, else a don't-care; and the third where the first is 0, so that nobody sees that.
    Guarded(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A loop inside of a loop, or anywhere: all its values side by side.
    Each {
        label: usize,
        count: u32,
        width: u32,
        body: Box<Expr>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduction {
    All,
    Any,
    None,
    Parity,
    AtMostOne,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arithmetic {
    And,
    Or,
    Xor,
    Add,
    Subtract,
    AddSigned,
    SubtractSigned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    Equals,
    Differs,
    LessThan,
    AtMost,
    GreaterThan,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    Left,
    Right,
    RightSigned,
}

/// Which bits of a signal are set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    pub signal: usize,
    /// Each step narrows what the steps before left.
    pub path: Vec<Step>,
}

/// One narrowing step. One that does not fit what is left is cut to what fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step {
    Slice {
        low: u32,
        width: u32,
    },
    /// The element at a computed index, of elements of `width` bits.
    Computed {
        width: u32,
        index: Expr,
        index_width: u32,
    },
    /// The element at the index of a loop around (0 for the innermost).
    Loop {
        width: u32,
        level: usize,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stmt {
    Set {
        target: Target,
        value: Expr,
    },
    When {
        arms: Vec<(Expr, Vec<Stmt>)>,
        otherwise: Option<Vec<Stmt>>,
    },
    Switch {
        enumeration: Enumeration,
        selector: Expr,
        arms: Vec<Vec<Stmt>>,
    },
    /// The result, if there is one, is a made signal of `count` elements.
    Each {
        label: usize,
        count: u32,
        body: Vec<Stmt>,
        result: Option<(usize, Expr)>,
    },
    /// `answers` is a made array, `last` a made signal as wide as the running value.
    Scan {
        answers: usize,
        last: usize,
        initial: Expr,
        next: Expr,
        answer: Expr,
    },
    Fold {
        result: usize,
        count: u32,
        initial: Expr,
        next: Expr,
    },
    /// The element whose bit in `hits` is 1.
    Select {
        result: usize,
        count: u32,
        hits: Expr,
        from: Expr,
    },
    ReadPort {
        memory: usize,
        result: usize,
        address: Expr,
        address_width: u32,
        enable: Expr,
        collision: Collision,
    },
    Write {
        memory: usize,
        address: Expr,
        address_width: u32,
        data: Expr,
        enables: Option<Expr>,
    },
    /// A property that always holds: the value equals itself.
    Check {
        kind: CheckKind,
        domain: usize,
        width: u32,
        value: Expr,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Collision {
    Old,
    New,
    DontCare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckKind {
    Assert,
    Assume,
    Cover,
}

impl Expr {
    /// The expressions inside, one level down.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Self::Const(_) | Self::Read(_) | Self::Index(_) | Self::Running => vec![],
            Self::Not(a) | Self::Negate(a) => vec![a],
            Self::Element { of, .. }
            | Self::Reduce { of, .. }
            | Self::ShiftBy { of, .. }
            | Self::Slice { of, .. }
            | Self::Repeat { of, .. }
            | Self::SignExtend { of, .. }
            | Self::Is { of, .. } => vec![of],
            Self::Word { address, .. } => vec![address],
            Self::Each { body, .. } => vec![body],
            Self::Part { of, index, .. } => vec![of, index],
            Self::Arithmetic(_, a, b) => vec![a, b],
            Self::Multiply { of: (a, b), .. } | Self::Compare { of: (a, b), .. } => vec![a, b],
            Self::Shift { of, amount, .. } => vec![of, amount],
            Self::Mux(a, b, c) | Self::Guarded(a, b, c) => vec![a, b, c],
            Self::Concat(parts) => parts.iter().map(|(_, part)| part).collect(),
        }
    }

    /// The same, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Const(_) | Self::Read(_) | Self::Index(_) | Self::Running => vec![],
            Self::Not(a) | Self::Negate(a) => vec![a],
            Self::Element { of, .. }
            | Self::Reduce { of, .. }
            | Self::ShiftBy { of, .. }
            | Self::Slice { of, .. }
            | Self::Repeat { of, .. }
            | Self::SignExtend { of, .. }
            | Self::Is { of, .. } => vec![of],
            Self::Word { address, .. } => vec![address],
            Self::Each { body, .. } => vec![body],
            Self::Part { of, index, .. } => vec![of, index],
            Self::Arithmetic(_, a, b) => vec![a, b],
            Self::Multiply { of: (a, b), .. } | Self::Compare { of: (a, b), .. } => vec![a, b],
            Self::Shift { of, amount, .. } => vec![of, amount],
            Self::Mux(a, b, c) | Self::Guarded(a, b, c) => vec![a, b, c],
            Self::Concat(parts) => parts.iter_mut().map(|(_, part)| part).collect(),
        }
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::Const(vec![])
    }

    /// Operators in it.
    pub fn operations(&self) -> usize {
        usize::from(!matches!(self, Self::Const(_) | Self::Read(_) | Self::Index(_) | Self::Running))
            + self.children().into_iter().map(Self::operations).sum::<usize>()
    }

    /// Shows every signal that is read.
    pub fn reads(&self, each: &mut dyn FnMut(usize)) {
        if let Self::Read(signal) = self {
            each(*signal);
        }
        self.children().into_iter().for_each(|child| child.reads(each));
    }
}

impl Stmt {
    /// The expressions of this statement itself, those of the statements inside left out.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::Set { target, value } => {
                let indices = target.path.iter().filter_map(|step| match step {
                    Step::Computed { index, .. } => Some(index),
                    _ => None,
                });
                indices.chain([value]).collect()
            }
            Self::When { arms, .. } => arms.iter().map(|(condition, _)| condition).collect(),
            Self::Switch { selector, .. } => vec![selector],
            Self::Each { result, .. } => result.iter().map(|(_, value)| value).collect(),
            Self::Scan { initial, next, answer, .. } => vec![initial, next, answer],
            Self::Fold { initial, next, .. } => vec![initial, next],
            Self::Select { hits, from, .. } => vec![hits, from],
            Self::ReadPort { address, enable, .. } => vec![address, enable],
            Self::Write { address, data, enables, .. } => [address, data].into_iter().chain(enables).collect(),
            Self::Check { value, .. } => vec![value],
        }
    }

    /// The same, to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Set { target, value } => {
                let indices = target.path.iter_mut().filter_map(|step| match step {
                    Step::Computed { index, .. } => Some(index),
                    _ => None,
                });
                indices.chain([value]).collect()
            }
            Self::When { arms, .. } => arms.iter_mut().map(|(condition, _)| condition).collect(),
            Self::Switch { selector, .. } => vec![selector],
            Self::Each { result, .. } => result.iter_mut().map(|(_, value)| value).collect(),
            Self::Scan { initial, next, answer, .. } => vec![initial, next, answer],
            Self::Fold { initial, next, .. } => vec![initial, next],
            Self::Select { hits, from, .. } => vec![hits, from],
            Self::ReadPort { address, enable, .. } => vec![address, enable],
            Self::Write { address, data, enables, .. } => [address, data].into_iter().chain(enables).collect(),
            Self::Check { value, .. } => vec![value],
        }
    }

    /// The lists of statements inside.
    pub fn blocks(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Self::When { arms, otherwise } => arms.iter().map(|(_, body)| body).chain(otherwise).collect(),
            Self::Switch { arms, .. } => arms.iter().collect(),
            Self::Each { body, .. } => vec![body],
            _ => vec![],
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Self::When { arms, otherwise } => arms.iter_mut().map(|(_, body)| body).chain(otherwise).collect(),
            Self::Switch { arms, .. } => arms.iter_mut().collect(),
            Self::Each { body, .. } => vec![body],
            _ => vec![],
        }
    }

    /// Shows this statement and all inside.
    pub fn visit<'a>(&'a self, each: &mut dyn FnMut(&'a Stmt)) {
        each(self);
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.visit(each));
        }
    }

    /// The signals that it makes.
    pub fn makes(&self) -> Vec<usize> {
        match self {
            Self::Each { result, .. } => result.iter().map(|(signal, _)| *signal).collect(),
            Self::Scan { answers, last, .. } => vec![*answers, *last],
            Self::Fold { result, .. } | Self::Select { result, .. } | Self::ReadPort { result, .. } => vec![*result],
            _ => vec![],
        }
    }
}

impl Module {
    /// All expressions.
    pub fn expressions(&self) -> Vec<&Expr> {
        let mut found: Vec<&Expr> = self.signals.iter().filter_map(|signal| signal.default.as_ref()).collect();
        for stmt in &self.body {
            stmt.visit(&mut |stmt| found.extend(stmt.expressions()));
        }
        found
    }

    /// Whether a statement somewhere sets the whole of a signal.
    pub fn sets_whole(&self, id: usize) -> bool {
        let mut found = false;
        for stmt in &self.body {
            stmt.visit(&mut |stmt| {
                found |= matches!(stmt, Stmt::Set { target, .. } if target.signal == id && target.path.is_empty());
            });
        }
        found
    }

    /// Operators in it.
    pub fn operations(&self) -> usize {
        self.expressions().into_iter().map(Expr::operations).sum()
    }
}

impl Recipe {
    /// The Verilog name of a module.
    pub fn module_name(&self, module: usize) -> String {
        if module + 1 == self.modules.len() {
            format!("fuzz{}", self.number)
        } else {
            format!("fuzz{}_part{module}", self.number)
        }
    }

    /// Operators in it, each module counted once.
    pub fn operations(&self) -> usize {
        self.modules.iter().map(Module::operations).sum()
    }
}
