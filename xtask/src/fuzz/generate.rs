//! Random recipes.
//!
//! A recipe follows from the seed of the run and its number alone. Cells of the coverage table are dealt out to the
//! circuits in turn (see [`Cell::dealt`]), so that a run of [`coverage::CIRCUITS`] circuits reaches each by construction,
//! not by luck; the rest of each circuit is random.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::build::bits_for;
use super::coverage::{Cell, Class, Context, Operator};
use super::recipe::{
    Arithmetic, CheckKind, Collision, Comparison, Direction, Enumeration, Expr, Instance, Kind, Memory, Module, Recipe,
    Reduction, Reset, Shape, Signal, Step, Stmt, Target,
};

/// Operators in a circuit, about.
const OPERATIONS: usize = 30;

/// Whether Yosys also reads a circuit: each fifth.
pub fn is_read_by_yosys(number: u64) -> bool {
    number % 5 == 4
}

/// Whether a circuit is also synthesized: each 50th. Those hold no wide products.
pub fn is_synthesized(number: u64) -> bool {
    number % 50 == 49
}

/// The recipe of circuit `number` of the run with seed `seed`.
pub fn recipe(seed: u64, number: u64) -> Recipe {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    let domains = *[1, 1, 1, 2, 2, 3].choose(&mut rng).expect("not empty");
    let parts = *[0, 0, 1, 1, 2].choose(&mut rng).expect("not empty");
    let mut recipe =
        Recipe { number, seed: rng.random(), cycles: rng.random_range(100..140), domains, modules: vec![] };
    let mut dealt = Cell::dealt(number);
    for part in 0..=parts {
        let is_top = part == parts;
        let count = if is_top { dealt.len() } else { dealt.len() / 3 };
        let cells = dealt.split_off(dealt.len() - count);
        let operations = if is_top { OPERATIONS.saturating_sub(recipe.operations()).max(20) } else { 10 };
        let mut generator = Generator {
            narrow: is_synthesized(number),
            rng: &mut rng,
            domains,
            done: &recipe.modules,
            module: Module::default(),
            labels: 0,
        };
        generator.fill(&cells, operations);
        let module = generator.module;
        recipe.modules.push(module);
    }
    recipe
}

/// What an expression may use.
#[derive(Clone, Debug)]
struct Around {
    domain: usize,
    /// Combinational signals from here on may not be read.
    ceiling: usize,
    /// Iterations of the loops around, outermost first.
    loops: Vec<u32>,
    /// Width of the running value of the recurrence around.
    running: Option<u32>,
}

impl Around {
    fn inside(&self, count: u32) -> Self {
        let mut inner = self.clone();
        inner.loops.push(count);
        inner
    }
}

struct Generator<'a> {
    rng: &'a mut ChaCha8Rng,
    domains: usize,
    done: &'a [Module],
    module: Module,
    labels: usize,
    /// Whether wide products are out.
    narrow: bool,
}

/// The largest width of a signal or operand.
const WIDEST: u32 = 600;

impl Generator<'_> {
    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *from.choose(self.rng).expect("something to pick from")
    }

    fn number(&mut self, range: std::ops::RangeInclusive<u32>) -> u32 {
        self.rng.random_range(range)
    }

    fn width(&mut self) -> u32 {
        use Class::{Bit, Byte, Double, Long, Wide, Word};
        let class = self.pick(&[Bit, Bit, Byte, Byte, Byte, Byte, Word, Word, Word, Long, Long, Double, Wide]);
        self.width_in(class)
    }

    fn width_in(&mut self, class: Class) -> u32 {
        let range = class.range();
        // The ends of a class are where things go wrong.
        match self.number(0..=5) {
            0 => *range.start(),
            1 => *range.end(),
            _ if class == Class::Wide => {
                let end = self.pick(&[160, 200, 260, 400, WIDEST]);
                self.number(*range.start()..=end)
            }
            _ => self.number(range),
        }
    }

    fn small_width(&mut self) -> u32 {
        self.number(1..=12)
    }

    fn domain(&mut self) -> usize {
        if self.chance(0.6) { 0 } else { self.rng.random_range(0..self.domains) }
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    // ---- signals --------------------------------------------------------------------------------------------------

    fn add(&mut self, kind: Kind, shape: Shape, domain: usize) -> usize {
        let observed = match kind {
            Kind::Register { .. } | Kind::State(_) | Kind::ReadPort => true,
            Kind::Input => false,
            _ => self.chance(0.7),
        };
        self.module.signals.push(Signal { kind, shape, domain, observed, default: None, guard: None });
        self.module.signals.len() - 1
    }

    fn shape(&mut self) -> Shape {
        match self.number(0..=13) {
            0 => Shape::Bit,
            1..=6 => Shape::Bits(self.width()),
            7 | 8 => Shape::Signed(self.width()),
            9 => Shape::Code(self.enumeration()),
            10 => Shape::Pair { body: self.small_width(), number: self.small_width() },
            _ => {
                let count = self.number(1..=9);
                let width = self.pick(&[1, 1, 2, 3, 5, 8, 10, 17, 33]);
                Shape::Array { count, width }
            }
        }
    }

    fn enumeration(&mut self) -> Enumeration {
        self.pick(Enumeration::ALL)
    }

    fn reset(&mut self) -> Option<Reset> {
        let asynchronous = match self.number(0..=5) {
            0 | 1 => return None,
            2..=4 => false,
            _ => true,
        };
        Some(Reset { value: self.rng.random(), asynchronous })
    }

    /// What may be read.
    fn readable(&self, around: &Around) -> Vec<usize> {
        let is_readable = |(id, signal): (usize, &Signal)| {
            (signal.domain == around.domain && (signal.kind.is_stable() || id < around.ceiling)).then_some(id)
        };
        self.module.signals.iter().enumerate().filter_map(is_readable).collect()
    }

    // ---- expressions ----------------------------------------------------------------------------------------------

    /// A leaf that is about as wide as is wanted.
    fn leaf(&mut self, width: u32, around: &Around) -> Expr {
        let readable = self.readable(around);
        match self.number(0..=9) {
            0 => self.constant(width),
            1 | 2 if around.running.is_some() => Expr::Running,
            3 if !around.loops.is_empty() => Expr::Index(self.rng.random_range(0..around.loops.len())),
            4 if !around.loops.is_empty() => {
                let level = self.rng.random_range(0..around.loops.len());
                let count = around.loops[around.loops.len() - 1 - level];
                let element = width.min((WIDEST / count).max(1)).min(40);
                let of = Box::new(self.read_near(&readable, element * count));
                Expr::Element { of, width: element, count, level }
            }
            _ => self.read_near(&readable, width),
        }
    }

    /// A signal whose width is near to what is wanted.
    fn read_near(&mut self, readable: &[usize], width: u32) -> Expr {
        if readable.is_empty() {
            return self.constant(width);
        }
        let tries: Vec<usize> = (0..3).map(|_| self.pick(readable)).collect();
        let distance = |id: &usize| self.module.signals[*id].shape.width().abs_diff(width);
        Expr::Read(*tries.iter().min_by_key(|id| distance(id)).expect("three tries"))
    }

    fn constant(&mut self, width: u32) -> Expr {
        let words = width.div_ceil(32);
        let digits = match self.number(0..=5) {
            0 => vec![],
            1 => vec![u32::MAX; words as usize],
            2 => vec![self.number(1..=9)],
            _ => (0..words).map(|_| self.rng.random()).collect(),
        };
        Expr::Const(digits)
    }

    /// An expression of up to `depth` operators deep.
    fn expr(&mut self, width: u32, depth: u32, around: &Around) -> Expr {
        if depth == 0 || self.chance(0.2) {
            return self.leaf(width, around);
        }
        let operator = self.operator(width, around);
        self.rooted(operator, width, depth, around)
    }

    /// An operator that can give `width` bits.
    fn operator(&mut self, width: u32, around: &Around) -> Operator {
        use Operator as O;
        let common = [
            O::Not,
            O::Negate,
            O::And,
            O::Or,
            O::Xor,
            O::Add,
            O::Subtract,
            O::Mux,
            O::Mux,
            O::Slice,
            O::Part,
            O::ShiftLeft,
            O::ShiftRight,
            O::ShiftRightSigned,
            O::And,
            O::Add,
            O::Subtract,
            O::Subtract,
            O::MemoryRead,
        ];
        let narrow = [
            O::All,
            O::Any,
            O::Parity,
            O::Equal,
            O::NotEqual,
            O::Less,
            O::LessEqual,
            O::LessSigned,
            O::LessEqualSigned,
            O::Equal,
            O::Less,
        ];
        let wide = [O::Concat, O::Concat, O::Repeat, O::SignExtend, O::Multiply, O::MultiplySigned, O::DontCare];
        let chosen = match self.number(0..=9) {
            0..=4 => self.pick(&common),
            5..=7 if width == 1 => self.pick(&narrow),
            5 | 6 if width > 1 => self.pick(&wide),
            7 if !around.loops.is_empty() => self.pick(&[O::LoopIndex, O::Element]),
            _ => self.pick(&common),
        };
        let is_product = matches!(chosen, O::Multiply | O::MultiplySigned);
        if (is_product && self.narrow && width > 16)
            || (chosen == O::MemoryRead && self.memories_in(around.domain).is_empty())
        {
            return O::Xor;
        }
        chosen
    }

    fn memories_in(&self, domain: usize) -> Vec<usize> {
        let memories = self.module.memories.iter().enumerate();
        memories.filter(|(_, memory)| memory.domain == domain).map(|(index, _)| index).collect()
    }

    /// An expression with a given operator on top, which gives `width` bits or a single one.
    fn rooted(&mut self, operator: Operator, width: u32, depth: u32, around: &Around) -> Expr {
        let operand_width = self.width();
        self.rooted_in(operator, width, operand_width, depth, around)
    }

    /// As [`Self::rooted`]; `operands` is the width of operands that may have any.
    fn rooted_in(&mut self, operator: Operator, width: u32, operands: u32, depth: u32, around: &Around) -> Expr {
        use Operator as O;
        let deeper = depth.saturating_sub(1);
        macro_rules! operand {
            ($width:expr) => {{
                let width = $width;
                Box::new(self.expr(width, deeper, around))
            }};
        }
        let reduce = |by, of| Expr::Reduce { by, width: operands, of };
        let compare = |by, signed, a, b| Expr::Compare { by, signed, width: operands, of: (a, b) };
        match operator {
            O::Const => self.constant(width),
            O::Read => {
                let readable = self.readable(around);
                self.read_near(&readable, width)
            }
            O::DontCare => Expr::Guarded(operand!(1), operand!(width), operand!(width)),
            O::LoopIndex => Expr::Index(self.rng.random_range(0..around.loops.len().max(1))),
            O::Not => Expr::Not(operand!(width)),
            O::Negate => Expr::Negate(operand!(width)),
            O::All => reduce(Reduction::All, operand!(operands)),
            O::Any => {
                let by = self.pick(&[Reduction::Any, Reduction::Any, Reduction::None, Reduction::AtMostOne]);
                reduce(by, operand!(operands))
            }
            O::Parity => reduce(Reduction::Parity, operand!(operands)),
            O::And => Expr::Arithmetic(Arithmetic::And, operand!(width), operand!(width)),
            O::Or => Expr::Arithmetic(Arithmetic::Or, operand!(width), operand!(width)),
            O::Xor => Expr::Arithmetic(Arithmetic::Xor, operand!(width), operand!(width)),
            O::Add => {
                let by = self.pick(&[Arithmetic::Add, Arithmetic::AddSigned]);
                Expr::Arithmetic(by, operand!(width), operand!(width))
            }
            O::Subtract => {
                let by = self.pick(&[Arithmetic::Subtract, Arithmetic::SubtractSigned]);
                Expr::Arithmetic(by, operand!(width), operand!(width))
            }
            O::Multiply | O::MultiplySigned => {
                let left = self.number(1..=width.max(2) - 1);
                let right = (width.max(2) - left).max(1);
                let of = (operand!(left), operand!(right));
                Expr::Multiply { signed: operator == O::MultiplySigned, widths: (left, right), of }
            }
            O::Equal => {
                compare(Comparison::Equals, false, operand!(operands), self.near_equal(operands, deeper, around))
            }
            O::NotEqual => {
                compare(Comparison::Differs, false, operand!(operands), self.near_equal(operands, deeper, around))
            }
            O::Less | O::LessSigned => {
                let by = self.pick(&[Comparison::LessThan, Comparison::AtLeast]);
                compare(by, operator == O::LessSigned, operand!(operands), operand!(operands))
            }
            O::LessEqual | O::LessEqualSigned => {
                let by = self.pick(&[Comparison::AtMost, Comparison::GreaterThan]);
                compare(by, operator == O::LessEqualSigned, operand!(operands), operand!(operands))
            }
            O::ShiftLeft | O::ShiftRight | O::ShiftRightSigned => {
                let by = match operator {
                    O::ShiftLeft => Direction::Left,
                    O::ShiftRight => Direction::Right,
                    _ => Direction::RightSigned,
                };
                let of = operand!(width);
                if self.chance(0.25) {
                    let amount = self.number(0..=width + 2);
                    return Expr::ShiftBy { by, of, amount };
                }
                let fitting = bits_for(width.max(2));
                let amount_width = self.pick(&[fitting, fitting, fitting + 1, 1, 40, 70]);
                // Amounts that shift by less than the width are the interesting half.
                let amount = if amount_width > fitting && self.chance(0.7) {
                    let low = operand!(fitting + 1);
                    Box::new(Expr::Concat(vec![
                        (amount_width.saturating_sub(fitting + 1).max(1), Expr::zero()),
                        (fitting + 1, *low),
                    ]))
                } else {
                    operand!(amount_width)
                };
                Expr::Shift { by, of, amount, amount_width }
            }
            O::Mux => Expr::Mux(operand!(1), operand!(width), operand!(width)),
            O::Slice => {
                let above = self.number(1..=24);
                let all = (width + above).min(WIDEST + 24).max(width);
                let low = self.number(0..=all - width);
                Expr::Slice { of: operand!(all), width: all, low }
            }
            O::Element => {
                let level = self.rng.random_range(0..around.loops.len().max(1));
                let count = around.loops.iter().rev().nth(level).copied().unwrap_or(2);
                Expr::Element { of: operand!(width * count), width, count, level }
            }
            O::Part => {
                let most = (1200 / width).clamp(1, 16);
                let count = self.number(1..=most);
                let exact = bits_for(count);
                let index_width = self.pick(&[exact, exact, exact + 1, exact.max(2) - 1, 5, 40]);
                let index = if index_width > exact + 1 && self.chance(0.8) {
                    let low = operand!(exact + 1);
                    Box::new(Expr::Concat(vec![(index_width - exact - 1, Expr::zero()), (exact + 1, *low)]))
                } else {
                    operand!(index_width)
                };
                Expr::Part { of: operand!(width * count), width, count, index, index_width }
            }
            O::Concat => {
                let count = self.number(2..=4).min(width.max(2));
                let mut left = width.max(2);
                let mut parts = vec![];
                for remaining in (0..count).rev() {
                    let part = if remaining == 0 { left } else { self.number(1..=left - remaining) };
                    left -= part;
                    parts.push((part, *operand!(part)));
                }
                Expr::Concat(parts)
            }
            O::Repeat => {
                let divisors: Vec<u32> = (1..width).filter(|d| width.is_multiple_of(*d)).collect();
                let of = if divisors.is_empty() { 1 } else { self.pick(&divisors) };
                Expr::Repeat { of: operand!(of), width: of, count: (width / of).max(2) }
            }
            O::SignExtend => {
                let from = self.number(1..=width.max(2) - 1);
                Expr::SignExtend { of: operand!(from), width: from }
            }
            O::MemoryRead => {
                let memories = self.memories_in(around.domain);
                let near = |id: &usize| self.module.memories[*id].width.abs_diff(width);
                let Some(memory) = memories.iter().copied().min_by_key(|id| near(id)) else {
                    return self.leaf(width, around);
                };
                let address_width = self.address_width(memory);
                Expr::Word { memory, address: operand!(address_width), address_width }
            }
        }
    }

    /// Something that is often equal to something: a small constant.
    fn near_equal(&mut self, width: u32, depth: u32, around: &Around) -> Box<Expr> {
        if self.chance(0.3) {
            Box::new(Expr::Const(vec![self.number(0..=3)]))
        } else {
            Box::new(self.expr(width, depth, around))
        }
    }

    fn address_width(&mut self, memory: usize) -> u32 {
        let exact = bits_for(self.module.memories[memory].depth);
        self.pick(&[exact, exact, exact, exact + 1, exact.max(2) - 1])
    }

    /// A condition that is often true and often not.
    fn condition(&mut self, depth: u32, around: &Around) -> Expr {
        self.expr(1, depth, around)
    }

    // ---- statements -----------------------------------------------------------------------------------------------

    /// Sets that may stand in one block: of a static one that is whole, then one of a strict part, then computed ones.
    fn sets(&mut self, signal: usize, must: bool, around: &Around) -> Vec<Stmt> {
        let shape = self.module.signals[signal].shape;
        let width = shape.width();
        let depth = self.pick(&[0, 1, 1, 2]);
        let mut sets = vec![];
        let whole_only = matches!(shape, Shape::Pair { .. });
        if must || whole_only || self.chance(0.5) {
            let value = self.expr(width, depth, around);
            sets.push(Stmt::Set { target: Target { signal, path: vec![] }, value });
        }
        if whole_only {
            return sets;
        }
        if width > 1 && (self.chance(0.3) || sets.is_empty()) {
            let part = self.number(1..=width - 1);
            let low = self.number(0..=width - part);
            let mut path = vec![Step::Slice { low, width: part }];
            if self.chance(0.3) && part > 2 {
                path.push(self.computed_step(part, around));
            }
            let wanted = path_width(width, &path);
            let value = self.expr(wanted, depth, around);
            sets.push(Stmt::Set { target: Target { signal, path }, value });
        }
        let computed = if width > 1 { self.pick(&[0, 0, 0, 0, 1, 2]) } else { 0 };
        for _ in 0..computed {
            let mut path = vec![match shape {
                Shape::Array { width: element, .. } => self.computed_of(width, element, around),
                _ => self.computed_step(width, around),
            }];
            let element = path_width(width, &path);
            if element > 2 && self.chance(0.4) {
                let part = self.number(1..=element - 1);
                let low = self.number(0..=element - part);
                path.push(if self.chance(0.5) {
                    Step::Slice { low, width: part }
                } else {
                    self.computed_step(element, around)
                });
            }
            let wanted = path_width(width, &path);
            let value = self.expr(wanted, depth, around);
            sets.push(Stmt::Set { target: Target { signal, path }, value });
        }
        if sets.is_empty() {
            let value = self.expr(width, depth, around);
            sets.push(Stmt::Set { target: Target { signal, path: vec![] }, value });
        }
        sets
    }

    fn computed_step(&mut self, all: u32, around: &Around) -> Step {
        let width = if all <= 24 { 1 } else { all.div_ceil(self.number(2..=12)) };
        self.computed_of(all, width, around)
    }

    fn computed_of(&mut self, all: u32, width: u32, around: &Around) -> Step {
        let exact = bits_for((all / width).max(1));
        let index_width = self.pick(&[exact, exact, exact + 1, exact.max(2) - 1]);
        Step::Computed { width, index: self.expr(index_width, 1, around), index_width }
    }

    /// A tree of choices that sets some of the signals. With `must`, each on every path.
    fn tree(&mut self, targets: &[usize], must: bool, levels: u32, around: &Around) -> Vec<Stmt> {
        if levels == 0 || self.chance(0.2) {
            let mut block = vec![];
            for target in targets {
                if must || self.chance(0.7) {
                    block.extend(self.sets(*target, must, around));
                }
            }
            return block;
        }
        let depth = self.number(1..=2);
        if self.chance(0.25) {
            let enumeration = self.enumeration();
            let arms = (0..enumeration.variants()).map(|_| self.tree(targets, must, levels - 1, around)).collect();
            let selector = self.selector(enumeration, around);
            return vec![Stmt::Switch { enumeration, selector, arms }];
        }
        let mut arms = vec![];
        for _ in 0..self.pick(&[1, 1, 1, 1, 2, 3]) {
            let condition = self.condition(depth, around);
            arms.push((condition, self.tree(targets, must, levels - 1, around)));
        }
        let otherwise = (must || self.chance(0.4)).then(|| self.tree(targets, must, levels - 1, around));
        let mut block = vec![Stmt::When { arms, otherwise }];
        if !must && self.chance(0.25) {
            block.extend(
                self.tree(targets, false, levels - 1, around)
                    .into_iter()
                    .filter(|stmt| !matches!(stmt, Stmt::Set { .. })),
            );
        }
        block
    }

    /// Something to switch on: preferably a signal of the enumeration.
    fn selector(&mut self, enumeration: Enumeration, around: &Around) -> Expr {
        let readable = self.readable(around);
        let fitting: Vec<usize> =
            readable.iter().copied().filter(|id| self.module.signals[*id].shape == Shape::Code(enumeration)).collect();
        if !fitting.is_empty() && self.chance(0.8) {
            return Expr::Read(self.pick(&fitting));
        }
        let width = enumeration.encoding().width;
        if width > 8 {
            // A code that is hardly ever hit by chance.
            let variant = self.rng.random_range(0..enumeration.variants());
            let code = Expr::Const(enumeration.code(variant).bits().to_u32_digits());
            return Expr::Mux(
                Box::new(self.condition(1, around)),
                Box::new(code),
                Box::new(self.expr(width, 1, around)),
            );
        }
        self.expr(width, 1, around)
    }

    fn push(&mut self, stmts: impl IntoIterator<Item = Stmt>) {
        self.module.body.extend(stmts);
    }

    /// Drives a wire, output or input of an instance.
    fn drive(&mut self, signal: usize) {
        let Signal { domain, shape, .. } = self.module.signals[signal];
        let width = shape.width();
        let around = Around { domain, ceiling: signal, loops: vec![], running: None };
        let depth = self.number(2..=4);
        let whole = |value| Stmt::Set { target: Target { signal, path: vec![] }, value };
        match (self.number(0..=9), shape) {
            (0, Shape::Array { count, width: element }) | (1, Shape::Array { count, width: element }) => {
                let inner = around.inside(count);
                let value = self.expr(element, depth - 1, &inner);
                let path = vec![Step::Loop { width: element, level: 0 }];
                let body = vec![Stmt::Set { target: Target { signal, path }, value }];
                let label = self.label();
                self.push([Stmt::Each { label, count, body, result: None }]);
            }
            (0..=2, Shape::Bits(_) | Shape::Signed(_) | Shape::Code(_)) if width > 2 => {
                self.drive_slices(signal, &around)
            }
            (0..=4, _) => {
                let default = self.expr(width, 1, &around);
                self.module.signals[signal].default = Some(default);
                let levels = self.number(1..=2);
                let tree = self.tree(&[signal], false, levels, &around);
                self.push(tree);
            }
            (5 | 6, _) => {
                let levels = self.number(1..=2);
                let tree = self.tree(&[signal], true, levels, &around);
                self.push(tree);
            }
            (7, Shape::Bits(_) | Shape::Signed(_)) => self.drive_guarded(signal, &around),
            _ => {
                let value = self.expr(width, depth, &around);
                self.push([whole(value)]);
            }
        }
    }

    /// Sets a wire slice by slice, some from lower slices of itself.
    fn drive_slices(&mut self, signal: usize, around: &Around) {
        let width = self.module.signals[signal].shape.width();
        let count = self.number(2..=3.min(width));
        let step = width / count;
        let mut sets = vec![];
        for slice in 0..count {
            let low = slice * step;
            let size = if slice + 1 == count { width - low } else { step };
            let mut value = self.expr(size, 2, around);
            if slice > 0 && self.chance(0.5) {
                let below = Expr::Slice { of: Box::new(Expr::Read(signal)), width, low: low - step };
                let below = Expr::Slice { of: Box::new(below), width: step, low: 0 };
                let by = self.pick(&[Arithmetic::Xor, Arithmetic::Add, Arithmetic::Subtract]);
                value = Expr::Arithmetic(by, Box::new(value), Box::new(below));
            }
            sets.push(Stmt::Set { target: Target { signal, path: vec![Step::Slice { low, width: size }] }, value });
        }
        if self.chance(0.5) {
            sets.reverse();
        }
        self.push(sets);
    }

    /// A wire that is don't-care unless its guard is 1.
    fn drive_guarded(&mut self, signal: usize, around: &Around) {
        let guards: Vec<usize> = self
            .readable(around)
            .into_iter()
            .filter(|id| self.module.signals[*id].shape.width() == 1 && self.module.signals[*id].guard.is_none())
            .collect();
        let width = self.module.signals[signal].shape.width();
        let value = self.expr(width, 2, around);
        let is_put_out = !matches!(self.module.signals[signal].kind, Kind::Wire);
        if guards.is_empty() || is_put_out {
            self.push([Stmt::Set { target: Target { signal, path: vec![] }, value }]);
            return;
        }
        let guard = self.pick(&guards);
        self.module.signals[signal].guard = Some(guard);
        self.module.signals[signal].default = Some(Expr::zero());
        self.module.signals[signal].observed = true;
        let mut body = vec![Stmt::Set { target: Target { signal, path: vec![] }, value }];
        if self.chance(0.5) {
            let more = self.tree(&[signal], false, 1, around);
            body.extend(more.into_iter().filter(|stmt| !matches!(stmt, Stmt::Set { .. })));
        }
        self.push([Stmt::When { arms: vec![(Expr::Read(guard), body)], otherwise: None }]);
    }

    // ---- things ---------------------------------------------------------------------------------------------------

    fn add_wire(&mut self) {
        let domain = self.domain();
        let shape = self.shape();
        let signal = self.add(Kind::Wire, shape, domain);
        self.drive(signal);
    }

    /// A loop with a result, or one that sets.
    fn add_each(&mut self) {
        let domain = self.domain();
        let count = self.number(1..=9);
        let width = self.pick(&[1, 1, 2, 4, 7, 9, 16, 33]);
        let around = Around { domain, ceiling: self.module.signals.len(), loops: vec![count], running: None };
        let mut value = self.expr(width, 3, &around);
        if self.chance(0.25) {
            let inner = self.number(1..=4);
            let deeper = around.inside(inner);
            let element = self.pick(&[1, 2, 5]);
            let body = Box::new(self.expr(element, 2, &deeper));
            let nested = Expr::Each { label: self.label(), count: inner, width: element, body };
            value = Expr::Arithmetic(Arithmetic::Xor, Box::new(value), Box::new(nested));
        }
        let label = self.label();
        let result = self.add(Kind::Made, Shape::Array { count, width }, domain);
        self.push([Stmt::Each { label, count, body: vec![], result: Some((result, value)) }]);
    }

    fn add_scan(&mut self) {
        let domain = self.domain();
        let count = self.number(1..=8);
        let running = self.pick(&[1, 2, 4, 8, 13, 32, 64, 70]);
        let outside = Around { domain, ceiling: self.module.signals.len(), loops: vec![], running: None };
        let inside = Around { loops: vec![count], running: Some(running), ..outside.clone() };
        let initial = self.expr(running, 1, &outside);
        let next = self.expr(running, 3, &inside);
        if self.chance(0.4) {
            let result = self.add(Kind::Made, Shape::Bits(running), domain);
            self.push([Stmt::Fold { result, count, initial, next }]);
            return;
        }
        let width = self.pick(&[1, 2, 5, 9, 16]);
        let answer = self.expr(width, 2, &inside);
        let answers = self.add(Kind::Made, Shape::Array { count, width }, domain);
        let last = self.add(Kind::Made, Shape::Bits(running), domain);
        self.push([Stmt::Scan { answers, last, initial, next, answer }]);
    }

    fn add_select(&mut self) {
        let domain = self.domain();
        let around = Around { domain, ceiling: self.module.signals.len(), loops: vec![], running: None };
        let count = self.number(1..=6);
        let width = self.pick(&[1, 4, 9, 20]);
        let (hits, from) = (self.expr(count, 2, &around), self.expr(count * width, 1, &around));
        let result = self.add(Kind::Made, Shape::Bits(width), domain);
        self.push([Stmt::Select { result, count, hits, from }]);
    }

    fn add_memory(&mut self, domain: usize, width: u32) -> usize {
        let depth = self.pick(&[1, 2, 3, 4, 4, 5, 8, 8, 11, 16]);
        let divisors: Vec<u32> = (1..=width).filter(|d| width.is_multiple_of(*d) && width / d <= 20).collect();
        let granule = if self.chance(0.5) { width } else { self.pick(&divisors) };
        let initial = self.chance(0.3).then(|| self.rng.random());
        let style = self.chance(0.3).then(|| self.pick(&["distributed", "block"]).to_owned());
        self.module.memories.push(Memory { depth, width, granule, initial, domain, style });
        self.module.memories.len() - 1
    }

    fn add_read_port(&mut self, memory: usize) {
        let of = self.module.memories[memory].domain;
        let domain = if self.chance(0.8) { of } else { self.domain() };
        let around = Around { domain, ceiling: self.module.signals.len(), loops: vec![], running: None };
        let address_width = self.address_width(memory);
        let (address, enable) = (self.expr(address_width, 2, &around), self.condition(1, &around));
        let enable = if self.chance(0.3) { Expr::Const(vec![1]) } else { enable };
        let collision = match domain == of {
            true => self.pick(&[Collision::Old, Collision::New, Collision::New, Collision::DontCare]),
            false => Collision::DontCare,
        };
        let result = self.add(Kind::ReadPort, Shape::Bits(self.module.memories[memory].width), domain);
        self.push([Stmt::ReadPort { memory, result, address, address_width, enable, collision }]);
    }

    /// A write to a memory, mostly under a condition. A second one always is: the language refuses two writes that both
    /// always happen, if their addresses turn out equal.
    fn add_write(&mut self, memory: usize) {
        let Memory { width, granule, domain, .. } = self.module.memories[memory];
        let around = Around { domain, ceiling: usize::MAX, loops: vec![], running: None };
        let address_width = self.address_width(memory);
        let (address, data) = (self.expr(address_width, 1, &around), self.expr(width, 2, &around));
        let enables = (granule < width || self.chance(0.2)).then(|| self.expr(width / granule, 2, &around));
        let write = Stmt::Write { memory, address, address_width, data, enables };
        let always = |stmt: &Stmt| matches!(stmt, Stmt::Write { memory: other, .. } if *other == memory);
        let stmt = if self.module.body.iter().any(always) || self.chance(0.7) {
            let condition = self.condition(2, &around);
            let otherwise = None;
            Stmt::When { arms: vec![(condition, vec![write])], otherwise }
        } else {
            write
        };
        self.push([stmt]);
    }

    fn add_instance(&mut self, module: usize) {
        let domain = self.domain();
        let index = self.module.instances.len();
        let instance = Instance { module, domain };
        self.module.instances.push(instance.clone());
        let ports: Vec<(usize, Signal)> = self.done[module].signals.iter().cloned().enumerate().collect();
        for (port, signal) in ports.iter().filter(|(_, signal)| signal.kind == Kind::Input) {
            let kind = Kind::InstanceInput { instance: index, port: *port };
            let id = self.add(kind, signal.shape, instance.domain_here(signal.domain));
            self.drive(id);
        }
        for (port, signal) in ports.iter().filter(|(_, signal)| signal.kind == Kind::Output) {
            let kind = Kind::InstanceOutput { instance: index, port: *port };
            self.add(kind, signal.shape, instance.domain_here(signal.domain));
        }
    }

    /// The input of one bit that every domain has.
    fn bit_input(&self, domain: usize) -> usize {
        let is_it =
            |signal: &Signal| signal.kind == Kind::Input && signal.shape == Shape::Bit && signal.domain == domain;
        self.module.signals.iter().position(is_it).expect("every domain has one")
    }

    /// What the registers of a domain take.
    fn drive_registers(&mut self, domain: usize) {
        let set_already: Vec<usize> = self.module.body.iter().flat_map(|stmt| facts(stmt).1).collect();
        let mut left: Vec<usize> = (0..self.module.signals.len())
            .filter(|id| self.module.signals[*id].kind.is_register() && self.module.signals[*id].domain == domain)
            .filter(|id| !set_already.contains(id))
            .collect();
        let around = Around { domain, ceiling: usize::MAX, loops: vec![], running: None };
        while !left.is_empty() {
            let together = self.rng.random_range(1..=left.len().min(3));
            let targets: Vec<usize> = left.split_off(left.len() - together);
            let crossing =
                targets.iter().any(|id| matches!(self.module.signals[*id].kind, Kind::Register { crossing: true, .. }));
            if crossing {
                for id in targets {
                    let is_crossing = matches!(self.module.signals[id].kind, Kind::Register { crossing: true, .. });
                    let from = if is_crossing { self.rng.random_range(0..self.domains) } else { domain };
                    let around = Around { domain: from, ..around.clone() };
                    let stmts = self.sets(id, true, &around);
                    self.push(stmts);
                }
                continue;
            }
            let (levels, must) = (self.pick(&[0, 1, 1, 2]), self.chance(0.2));
            let tree = self.tree(&targets, must, levels, &around);
            self.push(tree);
            for signal in targets {
                if let Shape::Array { count, width } = self.module.signals[signal].shape
                    && self.chance(0.5)
                {
                    self.each_on(signal, count, width, &around);
                }
                let is_set = |stmt: &Stmt| matches!(stmt, Stmt::Set { target, .. } if target.signal == signal && target.path.is_empty());
                if !self.module.body.iter().any(is_set) {
                    // Every bit of a register is set, under a condition that is no constant in disguise.
                    let value = self.expr(self.module.signals[signal].shape.width(), 1, &around);
                    let body = vec![Stmt::Set { target: Target { signal, path: vec![] }, value }];
                    let arms = vec![(Expr::Read(self.bit_input(domain)), body)];
                    self.push([Stmt::When { arms, otherwise: None }]);
                }
            }
        }
    }

    /// A loop that sets elements of an array under conditions, perhaps in a loop inside.
    fn each_on(&mut self, signal: usize, count: u32, width: u32, around: &Around) {
        let inner = around.inside(count);
        let condition = self.condition(2, &inner);
        let element = Step::Loop { width, level: 0 };
        let label = self.label();
        let body = if width > 1 && self.chance(0.4) {
            // Bit by bit.
            let deeper = inner.inside(width);
            let value = self.expr(1, 2, &deeper);
            let path = vec![Step::Loop { width, level: 1 }, Step::Loop { width: 1, level: 0 }];
            let body = vec![Stmt::Set { target: Target { signal, path }, value }];
            vec![Stmt::Each { label: self.label(), count: width, body, result: None }]
        } else {
            let value = self.expr(width, 2, &inner);
            vec![Stmt::Set { target: Target { signal, path: vec![element] }, value }]
        };
        self.push([Stmt::Each {
            label,
            count,
            body: vec![Stmt::When { arms: vec![(condition, body)], otherwise: None }],
            result: None,
        }]);
    }

    // ---- a module -------------------------------------------------------------------------------------------------

    fn fill(&mut self, cells: &[Cell], operations: usize) {
        for domain in 0..self.domains {
            for _ in 0..self.number(1..=2) {
                let shape = self.shape();
                self.add(Kind::Input, shape, domain);
            }
            self.add(Kind::Input, Shape::Bit, domain);
            for _ in 0..self.number(1..=3) {
                let (kind, shape) = self.register();
                self.add(kind, shape, domain);
            }
            // Cells of the table are filled in the default domain, where they find a memory.
            if (domain == 0 && !cells.is_empty()) || self.chance(0.4) {
                let width = self.width().min(200);
                self.add_memory(domain, width);
            }
        }
        for module in 0..self.done.len() {
            for _ in 0..self.pick(&[1, 1, 2]) {
                self.add_instance(module);
            }
        }
        for cell in cells {
            self.fill_cell(*cell);
        }
        let mut turns = 0;
        while self.module.operations() < operations && turns < 12 {
            turns += 1;
            match self.number(0..=9) {
                0..=4 => self.add_wire(),
                5 | 6 => self.add_each(),
                7 | 8 => self.add_scan(),
                _ => self.add_select(),
            }
        }
        for memory in 0..self.module.memories.len() {
            for _ in 0..self.pick(&[1, 1, 2]) {
                self.add_read_port(memory);
            }
        }
        for _ in 0..self.number(1..=2) {
            let (domain, shape) = (self.domain(), self.shape());
            let shape = if matches!(shape, Shape::Pair { .. }) { Shape::Bits(shape.width()) } else { shape };
            let out = self.add(Kind::Output, shape, domain);
            self.drive(out);
        }
        for domain in 0..self.domains {
            self.drive_registers(domain);
        }
        for memory in 0..self.module.memories.len() {
            for _ in 0..self.pick(&[1, 1, 2, 3]) {
                self.add_write(memory);
            }
        }
        if self.chance(0.3) {
            let domain = self.domain();
            let around = Around { domain, ceiling: usize::MAX, loops: vec![], running: None };
            let kind = self.pick(&[CheckKind::Assert, CheckKind::Assume, CheckKind::Cover]);
            let width = self.width().min(64);
            let value = self.leaf(width, &around);
            self.push([Stmt::Check { kind, domain, width, value }]);
        }
        self.shuffle();
    }

    fn register(&mut self) -> (Kind, Shape) {
        if self.chance(0.15) {
            let enumeration = self.enumeration();
            return (Kind::State(self.rng.random_range(0..enumeration.variants())), Shape::Code(enumeration));
        }
        let shape = self.shape();
        let reset = self.reset();
        let crossing = self.domains > 1 && self.chance(0.25) && !matches!(shape, Shape::Pair { .. });
        (Kind::Register { reset, crossing }, shape)
    }

    /// A statement made for a cell of the table.
    fn fill_cell(&mut self, cell: Cell) {
        let Cell { operator, class, context } = cell;
        let in_class = self.width_in(class);
        let (width, operands) = if operator.gives_a_bit() { (1, in_class) } else { (in_class, in_class) };
        if operator == Operator::MemoryRead {
            // The word is as wide as its memory.
            self.add_memory(0, in_class);
        }
        let needs_loop = matches!(operator, Operator::LoopIndex | Operator::Element);
        let around = Around { domain: 0, ceiling: self.module.signals.len(), loops: vec![], running: None };
        let count = match operator {
            // The index fits its class; the array is not too long.
            Operator::LoopIndex => self.number(1..=(1 << in_class.min(3))),
            Operator::Element => self.number(2..=(WIDEST / in_class).clamp(2, 6)),
            _ => self.number(1..=4),
        };
        let here = if needs_loop || context == Context::Each { around.inside(count) } else { around.clone() };
        let set = |signal, value| Stmt::Set { target: Target { signal, path: vec![] }, value };
        let bits = Shape::Bits(width);
        match context {
            Context::Recurrence => {
                let inside = Around { loops: vec![count], running: Some(width), ..around.clone() };
                let next = self.rooted_in(operator, width, operands, 2, &inside);
                let initial = self.expr(width, 1, &around);
                let result = self.add(Kind::Made, bits, 0);
                self.push([Stmt::Fold { result, count, initial, next }]);
            }
            Context::Memory => {
                // The data of a memory as wide as the value; or, in a loop, where nothing writes, an address.
                let value = self.rooted_in(operator, width, operands, 2, &here);
                if needs_loop {
                    let memory = self.memories_in(0)[0];
                    let word = Expr::Word { memory, address: Box::new(value), address_width: width };
                    let result = self.add(Kind::Made, Shape::Array { count, width: 4 }, 0);
                    let label = self.label();
                    self.push([Stmt::Each { label, count, body: vec![], result: Some((result, word)) }]);
                    return;
                }
                let memory = self.add_memory(0, width);
                let address_width = self.address_width(memory);
                let address = self.expr(address_width, 1, &around);
                self.push([Stmt::Write { memory, address, address_width, data: value, enables: None }]);
            }
            Context::Condition => {
                let value = self.rooted_in(operator, width, operands, 2, &here);
                let condition = if width == 1 {
                    value
                } else {
                    let by = self.pick(&[Reduction::Parity, Reduction::Parity, Reduction::Any, Reduction::All]);
                    Expr::Reduce { by, width, of: Box::new(value) }
                };
                let flag = self.number(2..=6);
                if needs_loop {
                    let signal = self.add(Kind::Wire, Shape::Array { count, width: flag }, 0);
                    self.module.signals[signal].default = Some(Expr::zero());
                    let path = vec![Step::Loop { width: flag, level: 0 }];
                    let value = self.expr(flag, 1, &here_of(&here, signal));
                    let body = vec![Stmt::Set { target: Target { signal, path }, value }];
                    let body = vec![Stmt::When { arms: vec![(condition, body)], otherwise: None }];
                    let label = self.label();
                    self.push([Stmt::Each { label, count, body, result: None }]);
                    return;
                }
                let signal = self.add(Kind::Wire, Shape::Bits(flag), 0);
                let (yes, no) =
                    (self.expr(flag, 1, &here_of(&here, signal)), self.expr(flag, 1, &here_of(&here, signal)));
                self.push([Stmt::When {
                    arms: vec![(condition, vec![set(signal, yes)])],
                    otherwise: Some(vec![set(signal, no)]),
                }]);
            }
            Context::Wire | Context::Clocked | Context::Choice | Context::Each => {
                let value = self.rooted_in(operator, width, operands, 3, &here);
                let clocked = context == Context::Clocked || (context != Context::Wire && self.chance(0.3));
                let elements = if here.loops.is_empty() { 1 } else { count };
                let shape = if here.loops.is_empty() { bits } else { Shape::Array { count, width } };
                let kind = if clocked { Kind::Register { reset: self.reset(), crossing: false } } else { Kind::Wire };
                let signal = self.add(kind, shape, 0);
                let path = if here.loops.is_empty() { vec![] } else { vec![Step::Loop { width, level: 0 }] };
                let mut stmt = Stmt::Set { target: Target { signal, path }, value };
                if context == Context::Choice {
                    if !clocked {
                        let default =
                            self.expr(width * elements, 1, &Around { loops: vec![], ..here_of(&here, signal) });
                        self.module.signals[signal].default = Some(default);
                    }
                    let condition = self.condition(1, &here_of(&here, signal));
                    stmt = Stmt::When { arms: vec![(condition, vec![stmt])], otherwise: None };
                }
                if !here.loops.is_empty() {
                    stmt = Stmt::Each { label: self.label(), count, body: vec![stmt], result: None };
                }
                self.push([stmt]);
            }
        }
    }

    /// Puts the statements into another order that means the same to the language: what is made is made before it is
    /// read, and what sets one thing keeps its order.
    fn shuffle(&mut self) {
        let stmts = std::mem::take(&mut self.module.body);
        let facts: Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> = stmts.iter().map(facts).collect();
        let must_follow = |later: usize, earlier: usize| {
            let (made, set, _) = &facts[earlier];
            let (_, also_set, read) = &facts[later];
            read.iter().any(|id| made.contains(id)) || (earlier < later && set.iter().any(|id| also_set.contains(id)))
        };
        let mut left: Vec<usize> = (0..stmts.len()).collect();
        let mut order = vec![];
        let keep = self.chance(0.3);
        while !left.is_empty() {
            let ready: Vec<usize> = left
                .iter()
                .copied()
                .filter(|later| left.iter().all(|earlier| earlier == later || !must_follow(*later, *earlier)))
                .collect();
            let next = if keep { ready[0] } else { self.pick(&ready) };
            left.retain(|position| *position != next);
            order.push(next);
        }
        let mut stmts: Vec<Option<Stmt>> = stmts.into_iter().map(Some).collect();
        self.module.body = order.into_iter().map(|position| stmts[position].take().expect("each once")).collect();
    }
}

/// The same surroundings for something that may read what is before `signal`.
fn here_of(around: &Around, signal: usize) -> Around {
    Around { ceiling: signal, ..around.clone() }
}

/// Bits left after the steps.
fn path_width(all: u32, path: &[Step]) -> u32 {
    path.iter().fold(all, |left, step| match step {
        Step::Slice { low, width } => (*width).min(left - (*low).min(left - 1)),
        Step::Computed { width, .. } | Step::Loop { width, .. } => (*width).min(left),
    })
}

/// What a statement makes, sets (memories counted from a million on) and reads, with all inside.
fn facts(stmt: &Stmt) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let (mut made, mut set, mut read) = (vec![], vec![], vec![]);
    stmt.visit(&mut |stmt| {
        made.extend(stmt.makes());
        match stmt {
            Stmt::Set { target, .. } => set.push(target.signal),
            Stmt::Write { memory, .. } => set.push(1_000_000 + memory),
            _ => {}
        }
        for expr in stmt.expressions() {
            expr.reads(&mut |signal| read.push(signal));
        }
    });
    (made, set, read)
}
