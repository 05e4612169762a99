//! Bits with names: those of the author, and wires of nodes that several read.

use super::Express;
use crate::ir::{Index, NodeId, Op};
use crate::verilog::layout::{Bits, Declared, ScopeKind, Segment};
use crate::verilog::text::{Expr, Stmt as Text, for_head, indented, range, ranges};
use std::cmp::Reverse;

impl Express<'_> {
    pub(super) fn mark(&mut self, bits: &Bits, scope: usize) {
        if self.counting || bits.total == 0 {
            return;
        }
        if self.is_own_part(bits, scope) {
            self.usage.partial.insert(bits.name.clone());
        }
        let mut lows = vec![bits.low];
        for (l, stride) in &bits.terms {
            let count = self.count(*l);
            lows = lows.iter().flat_map(|low| (0..count).map(move |i| low + i * stride)).collect();
        }
        let all = if self.in_checks { &mut self.usage.checked } else { &mut self.usage.read };
        let read = all.entry(bits.name.clone()).or_insert_with(|| vec![false; bits.total as usize]);
        for low in lows {
            for bit in low..(low + bits.width).min(bits.total) {
                read[bit as usize] = true;
            }
        }
    }

    /// Whether the bits are those that one iteration of a generate loop reads of a wire which each iteration has.
    fn is_own_part(&self, bits: &Bits, scope: usize) -> bool {
        let Some(homes) = self.declared_in.get(&bits.name) else { return false };
        let Some(home) = self.chain(scope).into_iter().find(|s| homes.contains(s)) else { return false };
        bits.terms.iter().any(|(l, _)| self.chain(home).iter().any(|s| self.scopes[*s].indices.contains(l)))
    }

    /// Bits as they are read.
    pub(in crate::verilog) fn read(&mut self, bits: &Bits, scope: usize) -> Expr {
        let bits = self.segment(bits);
        self.mark(&bits, scope);
        let assigned_later = |declared| declared == Declared::AtAssignment;
        if !self.counting
            && !self.assigned.contains(&bits.name)
            && self
                .module
                .signals()
                .any(|(id, s)| s.name == bits.name && assigned_later(self.layout.declared[id.index()]))
        {
            self.usage.early.insert(bits.name.clone());
        }
        Expr::Name(self.place(&bits, scope))
    }

    /// The segment of a divided wire that holds the bits, if one does.
    fn segment(&self, bits: &Bits) -> Bits {
        if !bits.terms.is_empty() || self.layout.segments.is_empty() {
            return bits.clone();
        }
        let divided = self.layout.segments.iter().find(|(id, _)| self.module.signal(**id).name == bits.name);
        let Some((_, segments)) = divided else { return bits.clone() };
        let within = |s: &&Segment| s.low <= bits.low && bits.low + bits.width <= s.low + s.width;
        match segments.iter().find(within) {
            Some(segment) => Bits::whole(&segment.name, segment.width).slice(bits.low - segment.low, bits.width),
            None => bits.clone(),
        }
    }

    /// Bits as text, read or set.
    pub(in crate::verilog) fn place(&mut self, bits: &Bits, scope: usize) -> String {
        if bits.total == bits.width || bits.total == 0 {
            return bits.name.clone();
        }
        if bits.terms.is_empty() {
            let (low, high) = (bits.low, bits.low + bits.width - 1);
            return if low == high { format!("{}[{low}]", bits.name) } else { format!("{}[{high}:{low}]", bits.name) };
        }
        let mut sum = vec![];
        let mut within = bits.total;
        for (l, stride) in &bits.terms {
            let runner = self.runner(*l, scope);
            let mut variable = self.variable(runner);
            // Beyond the last element a guard holds; the select must be legal all the same.
            if self.count(*l) > within / stride {
                variable = format!("({variable} % {})", within / stride);
            }
            within = *stride;
            sum.push(if *stride == 1 { variable } else { format!("{variable}*{stride}") });
        }
        if bits.low > 0 {
            sum.push(bits.low.to_string());
        }
        let base = sum.join(" + ");
        if bits.width == 1 {
            format!("{}[{base}]", bits.name)
        } else {
            format!("{}[{base} +: {}]", bits.name, bits.width)
        }
    }

    /// A node as bits of something that has a name, if it is that.
    pub(super) fn reference(&mut self, node: NodeId, scope: usize) -> Option<Bits> {
        if !self.counting {
            let home = self.home(node, scope);
            if let Some(hoist) = self.hoists.get(&(home, node)).cloned() {
                self.define(home, node);
                return Some(hoist.bits);
            }
        }
        let module = self.module;
        let width = module.node(node).width;
        match &module.node(node).op {
            Op::Read(signal) => {
                let signal = module.signal(*signal);
                Some(Bits::whole(&signal.name, signal.width))
            }
            Op::Slice { of, low } => Some(self.reference(*of, scope)?.slice(*low, width)),
            Op::Part { of, index: Index::Loop(l) } => {
                let fits = self.count(*l) * width <= module.node(*of).width;
                if fits { Some(self.reference(*of, scope)?.element(*l, width)) } else { None }
            }
            Op::LoopIndex(l) => {
                let runner = self.runner(*l, scope);
                let integer = matches!(self.scopes[runner].kind, ScopeKind::Integer | ScopeKind::Recurrence);
                (integer && width < 32).then(|| {
                    let variable = self.variable(runner);
                    Bits::whole(variable, 32).slice(0, width)
                })
            }
            _ => None,
        }
    }

    /// A node as bits of something that has a name; it gets one if it has none.
    pub(super) fn named(&mut self, node: NodeId, scope: usize) -> Bits {
        if let Some(bits) = self.reference(node, scope) {
            return bits;
        }
        self.force(node, scope)
    }

    /// A node as the whole of something that has a name.
    pub(super) fn named_whole(&mut self, node: NodeId, scope: usize) -> Bits {
        match self.reference(node, scope) {
            Some(bits) if bits.terms.is_empty() && bits.width == bits.total => bits,
            _ => self.force(node, scope),
        }
    }

    fn force(&mut self, node: NodeId, scope: usize) -> Bits {
        assert!(self.counting, "{}: a node without a wire needs one: {:?}", self.module.name, self.module.node(node));
        self.record(node, scope, true);
        // Its text is not used: this is counting.
        Bits { name: String::new(), total: 0, terms: vec![], low: 0, width: self.module.node(node).width }
    }

    pub(super) fn record(&mut self, node: NodeId, scope: usize, forced: bool) {
        let home = self.home(node, scope);
        let forced = forced || self.selects_in_integer_loop(node, scope);
        let reads = self.reads.entry((Reverse(node), home)).or_default();
        reads.scopes.push(scope);
        reads.forced |= forced;
    }

    /// Whether a node selects, by an expression, from what changes with an integer loop: that has no name of its own
    /// inside of the loop, and the whole is computed outside.
    fn selects_in_integer_loop(&mut self, node: NodeId, scope: usize) -> bool {
        let Op::Part { of, index: Index::Node(_) } = self.module.node(node).op else { return false };
        let home = self.home(of, scope);
        self.packed_of(home, of).is_some()
    }

    /// Declares the wire of a node, if that has not been done.
    pub(super) fn define(&mut self, home: usize, node: NodeId) {
        if !self.defined.insert((home, node)) || self.is_taken(home, node) {
            return;
        }
        let checks = std::mem::replace(&mut self.in_checks, false);
        let value = self.emit(node, home);
        self.in_checks = checks;
        let bits = self.hoists[&(home, node)].bits.clone();
        if let Some(packed) = self.packed_of(home, node) {
            let target = self.place(&bits, home);
            let mut lines = self.pending.remove(&home).unwrap_or_default();
            lines.push(format!("assign {target} = {};", value.text()));
            for (i, (l, scope)) in packed.loops.iter().enumerate().rev() {
                let variable = self.variable(*scope);
                let mut inner = self.index_lines(*scope);
                if i + 1 < packed.loops.len() {
                    inner.extend(self.pending.remove(scope).unwrap_or_default());
                }
                inner.extend(lines);
                let label = self.block_name(*scope, &bits.name);
                lines = vec![for_head(&variable, self.count(*l), &label)];
                lines.extend(indented(inner));
                lines.push("end".into());
            }
            let pending = self.pending.entry(packed.base).or_default();
            pending.push(format!("wire {}{};", range(bits.total), bits.name));
            pending.extend(lines);
            self.unread(&bits, packed.base);
        } else if self.scopes[home].kind == ScopeKind::Recurrence {
            self.locals.push((bits.name.clone(), bits.width));
            if !self.is_all_read(&bits) {
                self.partly_read_locals.insert((home, node));
            }
            let text = Text::Assign { target: bits.name, operator: "=", value };
            self.pending_statements.entry(home).or_default().push(text);
        } else {
            let line = format!("wire {}{} = {};", range(bits.width), bits.name, value.text());
            self.pending.entry(home).or_default().push(line);
            self.unread(&bits, home);
        }
    }

    /// Whether a node's wire is one of the author's.
    pub(super) fn is_taken(&self, home: usize, node: NodeId) -> bool {
        home == 0 && self.takers.contains_key(&node)
    }

    fn is_all_read(&self, bits: &Bits) -> bool {
        self.before.read.get(&bits.name).is_none_or(|read| read.iter().all(|r| *r))
    }

    /// Says of the bits of a wire made here that nobody reads them.
    fn unread(&mut self, bits: &Bits, scope: usize) {
        let nothing = vec![false; bits.total as usize];
        let read = self.before.read.get(&bits.name).unwrap_or(&nothing);
        let checked = self.before.checked.get(&bits.name).unwrap_or(&nothing);
        let partial = self.before.partial.contains(&bits.name);
        let unread: Vec<bool> = read.iter().zip(checked).map(|(r, c)| partial || (!r && !c)).collect();
        let ranges = ranges(&bits.name, &unread);
        if !ranges.is_empty() {
            let line = format!("wire unused_{} = &{{1'b0, {}}};", bits.name, ranges.join(", "));
            self.pending.entry(scope).or_default().push(line);
        }
    }

    /// The wires to declare before the next item of a scope.
    pub(in crate::verilog) fn take_pending(&mut self, scope: usize) -> Vec<String> {
        self.pending.remove(&scope).unwrap_or_default()
    }

    /// The variables to set before the next statement of a recurrence.
    pub(in crate::verilog) fn take_statements(&mut self, scope: usize) -> Vec<Text> {
        self.pending_statements.remove(&scope).unwrap_or_default()
    }

    /// Declaration of the index constant of a generate loop, if it is read.
    pub(in crate::verilog) fn index_lines(&mut self, scope: usize) -> Vec<String> {
        if !self.before.indices.contains(&scope) {
            return vec![];
        }
        let width = self.index_width(self.scopes[scope].indices[0]);
        let variable = self.variable(scope);
        vec![format!("localparam [{}:0] {} = {variable};", width - 1, self.index_name(scope))]
    }
}
