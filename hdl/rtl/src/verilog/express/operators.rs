//! Operators, selects and reads of memories as text.

use super::{Express, address_width, unknown};
use crate::ir::{Binary, Index, LoopId, MemoryId, Node, NodeId, Op, Unary};
use crate::value::Value;
use crate::verilog::constant;
use crate::verilog::layout::{Bits, Condition, ScopeKind};
use crate::verilog::support::sliced;
use crate::verilog::text::{Expr, opposite};

impl Express<'_> {
    /// The text of a node itself.
    pub(super) fn emit(&mut self, id: NodeId, scope: usize) -> Expr {
        let module = self.module;
        let node = module.node(id);
        let width = node.width;
        if let Some(value) = self.decided.get(id) {
            return Expr::Literal(value.clone());
        }
        match &node.op {
            Op::Const(value) => Expr::Literal(value.clone()),
            Op::DontCare => unknown(width),
            Op::Read(signal) => {
                let signal = module.signal(*signal);
                self.read(&Bits::whole(&signal.name, signal.width), scope)
            }
            Op::LoopIndex(l) => {
                let own = self.index_width(*l);
                let index = self.index_value(*l, scope);
                Expr::zero_extended(width - own, index)
            }
            Op::Unary(op, a) => self.unary(*op, *a, scope),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b, scope),
            Op::Mux(c, a, b) => {
                if let Some(c) = self.decided.get(*c) {
                    return self.value(if c.is_zero() { *b } else { *a }, scope);
                }
                let c = self.condition(*c, scope);
                let a = self.value(*a, scope);
                Expr::ternary(c, a, self.value(*b, scope))
            }
            Op::Slice { of, low } => self.slice_of(*of, *low, width, scope),
            Op::Part { of, index: Index::Loop(l) } => match self.element_reference(id, *of, *l, scope) {
                Some(bits) => self.read(&bits, scope),
                None => self.guarded_element(*of, *l, width, scope),
            },
            Op::Part { of, index: Index::Node(index) } => {
                if module.node(*of).width == width {
                    return self.only_element(*of, *index, width, scope);
                }
                let of = self.named_whole(*of, scope);
                self.select(&of, module.node(id), *index, scope)
            }
            Op::Concat(parts) => Expr::concat(parts.iter().map(|p| self.value(*p, scope)).collect()),
            Op::Repeat(a) => {
                let times = width / module.node(*a).width;
                let a = self.value(*a, scope);
                if times == 1 { a } else { Expr::Repeat(times, Box::new(a)) }
            }
            Op::SignExtend(a) => self.sign_extended(*a, width, scope),
            Op::MemoryRead { memory, address } => self.memory_read(*memory, *address, scope),
        }
    }

    /// The only element of an array of one.
    fn only_element(&mut self, of: NodeId, index: NodeId, width: u32, scope: usize) -> Expr {
        let none = Value::zero(self.module.node(index).width);
        let index = self.value(index, scope);
        let of = self.value(of, scope);
        Expr::ternary(Expr::binary("==", index, Expr::Literal(none)), of, Expr::Literal(Value::zero(width)))
    }

    fn element_reference(&mut self, id: NodeId, of: NodeId, l: LoopId, scope: usize) -> Option<Bits> {
        let module = self.module;
        let width = module.node(id).width;
        if self.count(l) * width > module.node(of).width {
            return None;
        }
        Some(match self.reference(of, scope) {
            Some(bits) => bits.element(l, width),
            None => {
                let bits = self.named(of, scope);
                if bits.total == 0 { bits } else { bits.element(l, width) }
            }
        })
    }

    /// An element whose index runs beyond the last one.
    fn guarded_element(&mut self, of: NodeId, l: LoopId, width: u32, scope: usize) -> Expr {
        let elements = self.module.node(of).width / width;
        let mut bits = self.named(of, scope);
        if bits.total > 0 {
            bits = bits.element(l, width);
        }
        let inside = self.ask(&Condition::IndexBelow(l, elements), scope);
        let element = self.read(&bits, scope);
        Expr::ternary(inside, element, Expr::Literal(Value::zero(width)))
    }

    fn unary(&mut self, op: Unary, a: NodeId, scope: usize) -> Expr {
        let one = self.module.node(a).width == 1;
        let value = self.value(a, scope);
        if let (Unary::Not, Expr::Binary(operator, left, right)) = (op, &value)
            && let Some(opposite) = opposite(operator)
        {
            return Expr::Binary(opposite, left.clone(), right.clone());
        }
        match op {
            Unary::Not => Expr::unary("~", value),
            Unary::Negate => Expr::unary("-", value),
            _ if one => value,
            Unary::All => Expr::unary("&", value),
            Unary::Any => Expr::unary("|", value),
            Unary::Parity => Expr::unary("^", value),
        }
    }

    fn binary(&mut self, op: Binary, a: NodeId, b: NodeId, scope: usize) -> Expr {
        let (wa, wb) = (self.module.node(a).width, self.module.node(b).width);
        let simple = match op {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Equal | Binary::NotEqual => {
                let operator = if op == Binary::Equal { "==" } else { "!=" };
                return self.equal(operator, a, b, scope);
            }
            Binary::LessSigned | Binary::LessEqualSigned => {
                let operator = if op == Binary::LessSigned { "<" } else { "<=" };
                let a = self.compared(a, scope);
                let b = self.compared(b, scope);
                return Expr::binary(operator, signed(a), signed(b));
            }
            Binary::Multiply => {
                let a = self.value(a, scope);
                let b = self.value(b, scope);
                return Expr::binary("*", Expr::zero_extended(wb, a), Expr::zero_extended(wa, b));
            }
            Binary::MultiplySigned => {
                let a = self.sign_extended(a, wa + wb, scope);
                let b = self.sign_extended(b, wa + wb, scope);
                return Expr::binary("*", a, b);
            }
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => {
                if self.decided.leaves(self.module, op, a, b) {
                    return self.value(a, scope);
                }
                let by = if op == Binary::ShiftRightSigned {
                    self.distance_within(b, wa, scope)
                } else {
                    self.distance(b, scope)
                };
                let a = self.value(a, scope);
                return match op {
                    Binary::ShiftLeft => Expr::binary("<<", a, by),
                    Binary::ShiftRight => Expr::binary(">>", a, by),
                    _ => Expr::Call("$unsigned", Box::new(Expr::binary(">>>", signed(a), by))),
                };
            }
        };
        if matches!(op, Binary::Less | Binary::LessEqual) {
            let a = self.compared(a, scope);
            return Expr::binary(simple, a, self.compared(b, scope));
        }
        let a = self.value(a, scope);
        Expr::binary(simple, a, self.value(b, scope))
    }

    /// An operand of a comparison. What the index of a generate loop alone decides gets a wire: in some iteration it may
    /// be the least or the greatest number, and a linter would take the comparison for a mistake.
    fn compared(&mut self, node: NodeId, scope: usize) -> Expr {
        let indexed = !self.variable[node.index()] && !self.dependencies[node.index()].is_empty();
        if indexed && self.scopes[scope].kind == ScopeKind::Generate && self.decided.get(node).is_none() {
            let bits = self.named(node, scope);
            return self.read(&bits, scope);
        }
        self.value(node, scope)
    }

    fn equal(&mut self, operator: &'static str, a: NodeId, b: NodeId, scope: usize) -> Expr {
        let mut side = |other: NodeId, own: NodeId| match self.code_of(other, own) {
            Some((encoding, value)) => self.coded(value, encoding),
            None => self.value(own, scope),
        };
        let left = side(b, a);
        Expr::binary(operator, left, side(a, b))
    }

    /// How far to shift. No tool takes more than 32 bits; a distance that large shifts everything out.
    fn distance(&mut self, by: NodeId, scope: usize) -> Expr {
        let width = self.module.node(by).width;
        if width <= 32 {
            return self.value(by, scope);
        }
        let high = self.slice_of(by, 32, width - 32, scope);
        let low = self.slice_of(by, 0, 32, scope);
        let far = if width == 33 { high } else { Expr::unary("|", high) };
        Expr::ternary(far, Expr::Literal(Value::ones(32)), low)
    }

    /// How far to shift `shifted` bits arithmetically: to the last bit at most, which leaves nothing but the sign. For a
    /// distance beyond that it finds to be constant, Verilator 5.052 gives 0.
    fn distance_within(&mut self, by: NodeId, shifted: u32, scope: usize) -> Expr {
        let width = self.module.node(by).width.min(32);
        let last = Expr::Literal(Value::new(width, shifted - 1));
        if let Some(by) = self.decided.get(by) {
            let is_far = by.to_u64().is_none_or(|by| by >= u64::from(shifted));
            return if is_far { last } else { Expr::Literal(by.slice(0, width)) };
        }
        match self.range_guard(by, shifted, scope) {
            Some(guard) => Expr::ternary(guard, self.slice_of(by, 0, width, scope), last),
            None => self.value(by, scope),
        }
    }

    fn sign_extended(&mut self, a: NodeId, width: u32, scope: usize) -> Expr {
        let own = self.module.node(a).width;
        if own == width {
            return self.value(a, scope);
        }
        if own == 1 {
            let a = self.value(a, scope);
            return Expr::Repeat(width, Box::new(a));
        }
        if let Some(value) = self.decided.get(a) {
            let high = if value.get(own - 1) { Value::ones(width) } else { Value::zero(width) };
            return Expr::Literal(high.with_slice(0, value));
        }
        let bits = self.named(a, scope);
        if bits.total == 0 {
            return Expr::Name(String::new());
        }
        let sign = self.read(&bits.clone().slice(own - 1, 1), scope);
        let sign = if width - own == 1 { sign } else { Expr::Repeat(width - own, Box::new(sign)) };
        let low = self.read(&bits, scope);
        Expr::concat(vec![sign, low])
    }

    /// Some bits of a node.
    pub(super) fn slice_of(&mut self, of: NodeId, low: u32, width: u32, scope: usize) -> Expr {
        let (of, low) = sliced(self.module, self.decided, of, low, width);
        let node = self.module.node(of);
        if low == 0 && width == node.width {
            return self.value(of, scope);
        }
        if let Some(value) = self.decided.get(of) {
            return Expr::Literal(value.slice(low, width));
        }
        if node.op == Op::DontCare {
            return unknown(width);
        }
        let bits = self.named(of, scope);
        if bits.total == 0 {
            return Expr::Name(String::new());
        }
        self.read(&bits.slice(low, width), scope)
    }

    /// The element of a vector that an expression numbers; 0 beyond the last.
    fn select(&mut self, of: &Bits, node: &Node, index: NodeId, scope: usize) -> Expr {
        let width = node.width;
        // While counting, a vector without a name has no width: the node's operand has.
        let total = match &node.op {
            Op::Part { of, .. } => self.module.node(*of).width,
            _ => of.total,
        };
        let elements = total / width;
        if let Some(value) = self.settled(index) {
            return match value.to_u64() {
                Some(i) if i < u64::from(elements) && of.total > 0 => {
                    let bits = of.clone().slice(i as u32 * width, width);
                    self.read(&bits, scope)
                }
                _ => Expr::Literal(Value::zero(width)),
            };
        }
        self.read(of, scope);
        if !self.counting && !self.variable[index.index()] && self.declared_in.contains_key(&of.name) {
            self.usage.partial.insert(of.name.clone());
        }
        let guard = self.range_guard(index, elements, scope);
        let number = self.sized_index(index, elements, scope);
        if beyond(&number, elements) {
            return Expr::Literal(Value::zero(width));
        }
        let number = match &guard {
            Some(guard) if self.is_known_to_linters(index, scope) => {
                Expr::ternary(guard.clone(), number, Expr::Literal(Value::zero(address_width(elements))))
            }
            _ => number,
        };
        let base = if width == 1 { number } else { scaled(number, elements, width) };
        let element = Expr::Name(match width {
            1 => format!("{}[{}]", of.name, base.text()),
            _ => format!("{}[{} +: {width}]", of.name, base.text()),
        });
        match guard {
            Some(guard) => Expr::ternary(guard, element, Expr::Literal(Value::zero(width))),
            None => element,
        }
    }

    /// The number that an index always is, if it never changes.
    fn settled(&self, index: NodeId) -> Option<Value> {
        constant::settled(self.module, self.decided, &self.layout.constants, index)
    }

    /// Whether a linter knows the number that an index is in each iteration; it does not look at guards.
    fn is_known_to_linters(&self, index: NodeId, scope: usize) -> bool {
        !self.variable[index.index()] && self.scopes[scope].kind == ScopeKind::Generate
    }

    /// The condition that an index is below a bound, unless it always is.
    fn range_guard(&mut self, index: NodeId, bound: u32, scope: usize) -> Option<Expr> {
        let width = self.module.node(index).width;
        let always = width < 32 && 1u64 << width <= u64::from(bound);
        (!always).then(|| self.ask(&Condition::Below(index, bound), scope))
    }

    /// An index in as many bits as the number of elements needs.
    fn sized_index(&mut self, index: NodeId, elements: u32, scope: usize) -> Expr {
        let need = address_width(elements);
        let (index, low) = sliced(self.module, self.decided, index, 0, need.min(self.module.node(index).width));
        let own = self.module.node(index).width;
        if own > need || low > 0 {
            return self.slice_of(index, low, need, scope);
        }
        if own == need && self.is_computed(index) {
            // Icarus computes the index of a word in more bits than its operands have.
            let bits = self.named(index, scope);
            return self.read(&bits, scope);
        }
        let value = self.value(index, scope);
        Expr::zero_extended(need - own, value)
    }

    /// Whether the text of a node is an operator, whose operands may be widened by what is around it.
    fn is_computed(&self, node: NodeId) -> bool {
        if self.decided.get(node).is_some() {
            return false;
        }
        let (module, width) = (self.module, self.module.node(node).width);
        match &module.node(node).op {
            Op::Unary(..) | Op::Binary(..) | Op::Mux(..) | Op::MemoryRead { .. } => true,
            Op::Part { of, .. } => module.node(*of).width == width && self.is_computed(*of),
            Op::Repeat(a) | Op::SignExtend(a) => module.node(*a).width == width && self.is_computed(*a),
            Op::Concat(parts) => parts.len() == 1 && self.is_computed(parts[0]),
            _ => false,
        }
    }

    /// The select of a word of a memory, inside its depth.
    pub(in crate::verilog) fn word(&mut self, memory: MemoryId, address: NodeId, scope: usize) -> String {
        let m = self.module.memory(memory);
        if m.depth == 1 {
            return m.name.clone();
        }
        if let Some(value) = self.settled(address) {
            let word = value.to_u64().filter(|a| *a < u64::from(m.depth)).unwrap_or(0);
            return format!("{}[{word}]", m.name);
        }
        let index = self.sized_index(address, m.depth, scope);
        // A guard holds where the address is beyond; the select must be legal all the same.
        let index = if beyond(&index, m.depth) { Expr::Name("0".into()) } else { index };
        let index = match self.range_guard(address, m.depth, scope) {
            Some(guard) if self.is_known_to_linters(address, scope) => {
                Expr::ternary(guard, index, Expr::Literal(Value::zero(address_width(m.depth))))
            }
            _ => index,
        };
        format!("{}[{}]", m.name, index.text())
    }

    /// The select of a word to write. A constant address gets a name: yosys takes a memory apart, and says so, if all
    /// of its writes have constant addresses.
    pub(in crate::verilog) fn written_word(&mut self, memory: MemoryId, address: NodeId, scope: usize) -> String {
        let m = self.module.memory(memory);
        if m.depth == 1 || self.settled(address).is_none_or(|a| a.to_u64().is_none_or(|a| a >= u64::from(m.depth))) {
            return self.word(memory, address, scope);
        }
        let need = address_width(m.depth);
        let mut bits = self.named(address, scope);
        if bits.width > need {
            bits = bits.slice(0, need);
        }
        let short = need.saturating_sub(self.module.node(address).width);
        let address = Expr::zero_extended(short, self.read(&bits, scope));
        format!("{}[{}]", m.name, address.text())
    }

    fn memory_read(&mut self, memory: MemoryId, address: NodeId, scope: usize) -> Expr {
        let m = self.module.memory(memory);
        if let Some(value) = self.settled(address)
            && value.to_u64().is_none_or(|a| a >= u64::from(m.depth))
        {
            return Expr::Literal(Value::zero(m.width));
        }
        let guard = match self.settled(address) {
            Some(_) => None,
            None => self.range_guard(address, m.depth, scope),
        };
        let in_recurrence = self.scopes[scope].kind == ScopeKind::Recurrence;
        let word = if in_recurrence {
            // A process that reads a memory would wait for all of its words: it reads them as one vector.
            let words = self.names.words(memory).to_string();
            self.mark(&Bits::whole(&words, m.depth * m.width), scope);
            let index = match m.depth {
                1 => None,
                _ => Some(self.sized_index(address, m.depth, scope)),
            };
            Expr::Name(match (index, m.width) {
                (None, _) => words,
                (Some(index), 1) => format!("{words}[{}]", index.text()),
                (Some(index), width) => format!("{words}[{} +: {width}]", scaled(index, m.depth, width).text()),
            })
        } else {
            Expr::Name(self.word(memory, address, scope))
        };
        match guard {
            Some(guard) => Expr::ternary(guard, word, Expr::Literal(Value::zero(m.width))),
            None => word,
        }
    }
}

/// `index * width` in exactly as many bits as select among `count * width`; `index` has as many as number `count` things.
fn scaled(index: Expr, count: u32, width: u32) -> Expr {
    if width.is_power_of_two() {
        return Expr::concat(vec![index, Expr::Literal(Value::zero(width.trailing_zeros()))]);
    }
    let bits = address_width(count * width);
    let index = Expr::zero_extended(bits - address_width(count), index);
    Expr::binary("*", index, Expr::Literal(Value::new(bits, width)))
}

/// Whether an index is a constant that is beyond the last of some elements.
fn beyond(index: &Expr, elements: u32) -> bool {
    matches!(index, Expr::Literal(value) if value.to_u64().is_none_or(|i| i >= u64::from(elements)))
}

fn signed(a: Expr) -> Expr {
    Expr::Call("$signed", Box::new(a))
}
