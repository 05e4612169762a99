//! Processes of memories: writes, and reads with what they must know of writes.

use super::Lowering;
use super::statements::{filter, for_each, guard, has_loop, set, writes};
use crate::ir::{self, Collision, DomainId, LoopId, MemoryId, NodeId};
use crate::value::Value;
use crate::verilog::constant;
use crate::verilog::layout::{Bits, Condition, Declared, Event, Item, Source, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// What a read port notes of the writes to the word that it reads.
struct Seen {
    /// Which granules were written.
    flag: String,
    /// What was written.
    data: String,
    /// The word that is read.
    address: NodeId,
}

impl Lowering<'_> {
    pub(super) fn place_memories(&mut self) {
        for (i, memory) in self.module.memories.iter().enumerate() {
            let id = MemoryId(i as u32);
            let mut at_writes = 0;
            let domains: BTreeSet<DomainId> = memory.writes.iter().map(|w| w.domain).collect();
            for domain in domains {
                let mut body = self.writes(id, domain, None);
                if body.is_empty() && memory.depth == 1 && memory.writes[0].domain == domain {
                    // One word is a register: said to keep what it holds, so that it has a driver.
                    let whole = Bits::whole(&memory.name, memory.width);
                    body.push(set(whole.clone(), Source::Named(whole)));
                }
                if body.is_empty() {
                    continue;
                }
                let at = self.module.body.iter().position(|s| writes(s, id)).unwrap_or(0);
                at_writes = at;
                let label =
                    if has_loop(&body) { self.names.fresh(&format!("{}_write", memory.name)) } else { String::new() };
                let event = Event::Edge(domain, false);
                self.placed.push((at, Item::Always { event, label, locals: vec![], body }));
            }
            for port in &memory.reads {
                self.place_read(id, port, at_writes);
            }
        }
    }

    /// The writes of a domain to a memory; or what a read port must know of them to see the new word.
    fn writes(&mut self, id: MemoryId, domain: DomainId, seen: Option<&Seen>) -> Vec<Stmt> {
        let memory = self.module.memory(id);
        let write = |stmt: &ir::Stmt| match stmt {
            ir::Stmt::MemoryWrite { memory: m, port, address, data, enables, .. }
                if *m == id && memory.writes[*port as usize].domain == domain =>
            {
                let (address, data, enables) = (*address, *data, *enables);
                Some(vec![Stmt::Write { memory: id, address, data, enables, lane: None }])
            }
            _ => None,
        };
        let body = filter(&self.module.body, &write);
        self.finished_writes(body, seen)
    }

    /// Gives writes their lanes, their guards against addresses beyond the depth and, if asked, turns them into what a
    /// read port notes of them. Of what never writes nothing is left.
    fn finished_writes(&mut self, body: Vec<Stmt>, seen: Option<&Seen>) -> Vec<Stmt> {
        let mut result = vec![];
        for stmt in body {
            match stmt {
                Stmt::If { arms, otherwise } => {
                    let arms: Vec<_> =
                        arms.into_iter().map(|(c, body)| (c, self.finished_writes(body, seen))).collect();
                    let otherwise = self.finished_writes(otherwise, seen);
                    if !otherwise.is_empty() || arms.iter().any(|(_, body)| !body.is_empty()) {
                        result.push(Stmt::If { arms, otherwise });
                    }
                }
                Stmt::Switch { selector, encoding, arms } => {
                    let arms: Vec<_> = arms.into_iter().map(|body| self.finished_writes(body, seen)).collect();
                    if arms.iter().any(|body| !body.is_empty()) {
                        result.push(Stmt::Switch { selector, encoding, arms });
                    }
                }
                Stmt::For { index, kind, scope, body } => {
                    let body = self.finished_writes(body, seen);
                    if !body.is_empty() {
                        result.push(Stmt::For { index, kind, scope, body });
                    }
                }
                Stmt::Write { memory, address, data, enables, .. } => {
                    let m = self.module.memory(memory);
                    let write = match enables {
                        Some(enables) if m.granule < m.width => {
                            let lane = self.new_loop("lane", m.width / m.granule);
                            let write = self.finished_write(memory, address, data, Some(lane), seen);
                            vec![for_each(lane, vec![guard(Condition::Bit(enables, lane), write)])]
                        }
                        Some(enable) => {
                            vec![guard(Condition::Node(enable), self.finished_write(memory, address, data, None, seen))]
                        }
                        None => self.finished_write(memory, address, data, None, seen),
                    };
                    result.extend(self.in_range(memory, address, write, seen));
                }
                other => result.push(other),
            }
        }
        result
    }

    fn finished_write(
        &self,
        memory: MemoryId,
        address: NodeId,
        data: NodeId,
        lane: Option<LoopId>,
        seen: Option<&Seen>,
    ) -> Vec<Stmt> {
        let Some(seen) = seen else { return vec![Stmt::Write { memory, address, data, enables: None, lane }] };
        let m = self.module.memory(memory);
        let (flag, forward) = (Bits::whole(&seen.flag, m.width / m.granule), Bits::whole(&seen.data, m.width));
        let (flag, forward, source) = match lane {
            Some(lane) => {
                let source = Source::Part { node: data, terms: vec![(lane, m.granule)], low: 0, width: m.granule };
                (flag.element(lane, 1), forward.element(lane, m.granule), source)
            }
            None => (flag, forward, Source::Node(data)),
        };
        let ones = Source::Constant(Value::ones(flag.width));
        vec![set(flag, ones), set(forward, source)]
    }

    /// Under the condition that the address is a word of the memory and, for a read port, the word that it reads.
    fn in_range(&self, memory: MemoryId, address: NodeId, body: Vec<Stmt>, seen: Option<&Seen>) -> Vec<Stmt> {
        let depth = self.module.memory(memory).depth;
        let body = match seen {
            Some(seen) => vec![guard(Condition::SameNumber(address, seen.address), body)],
            None => body,
        };
        let settled = constant::settled(self.module, self.decided, &self.layout.constants, address);
        if settled.is_some_and(|a| a.to_u64().is_none_or(|a| a >= u64::from(depth))) {
            return vec![];
        }
        if self.within(address, depth) { body } else { vec![guard(Condition::Below(address, depth), body)] }
    }

    /// Whether a number is always below a bound.
    fn within(&self, node: NodeId, bound: u32) -> bool {
        let width = self.module.node(node).width;
        match self.decided.get(node) {
            Some(value) => value.to_u64().is_some_and(|v| v < u64::from(bound)),
            None => width < 32 && 1u64 << width <= u64::from(bound),
        }
    }

    fn place_read(&mut self, id: MemoryId, port: &ir::ReadPort, at: usize) {
        let memory = self.module.memory(id);
        let signal = self.module.signal(port.data);
        let whole = Bits::whole(&signal.name, memory.width);
        let inside =
            (!self.within(port.address, memory.depth)).then(|| self.extra_reg(&format!("{}_inside", signal.name), 1));
        let written = !self.writes(id, port.domain, None).is_empty();
        let seen = (port.collision == Collision::New && written).then(|| Seen {
            flag: self.extra_reg(&format!("{}_bypass", signal.name), memory.width / memory.granule),
            data: self.extra_reg(&format!("{}_forward", signal.name), memory.width),
            address: port.address,
        });
        let plain = inside.is_none() && seen.is_none();
        let word = if plain {
            self.layout.declared[port.data.index()] = Declared::Reg;
            whole.clone()
        } else {
            self.layout.declared[port.data.index()] = Declared::AtAssignment;
            let name = self.extra_reg(&format!("{}_word", signal.name), memory.width);
            Bits::whole(name, memory.width)
        };
        let mut notes = vec![];
        if let Some(inside) = &inside {
            let zero_one = |bit| Box::new(Source::Constant(Value::bit(bit)));
            let below = Condition::Below(port.address, memory.depth);
            notes.push(set(Bits::whole(inside, 1), Source::Choice(below, zero_one(true), zero_one(false))));
        }
        if let Some(seen) = &seen {
            let lanes = memory.width / memory.granule;
            notes.push(set(Bits::whole(&seen.flag, lanes), Source::Constant(Value::zero(lanes))));
            notes.extend(self.writes(id, port.domain, Some(seen)));
        }
        let always = self.decided.get(port.enable).map(|enable| !enable.is_zero());
        // What is never read stays as it is.
        let enabled = |body: Vec<Stmt>| match always {
            Some(true) => body,
            Some(false) => held(&body),
            None => vec![guard(Condition::Node(port.enable), body)],
        };
        let event = Event::Edge(port.domain, false);
        let read = enabled(vec![Stmt::Read { bits: word.clone(), memory: id, address: port.address }]);
        self.placed.push((at, Item::Always { event, label: String::new(), locals: vec![], body: read }));
        if plain {
            return;
        }
        let notes = enabled(notes);
        let label =
            if has_loop(&notes) { self.names.fresh(&format!("{}_collision", signal.name)) } else { String::new() };
        self.placed.push((at, Item::Always { event, label, locals: vec![], body: notes }));
        let zero = Box::new(Source::Constant(Value::zero(memory.width)));
        let lanes = memory.width / memory.granule;
        match seen {
            Some(seen) if lanes > 1 => {
                let lane = self.new_loop("lane", lanes);
                let named =
                    |name: &str| Box::new(Source::Named(Bits::whole(name, memory.width).element(lane, memory.granule)));
                let flag = Condition::Named(Bits::whole(&seen.flag, lanes).element(lane, 1));
                let mut source = Source::Choice(flag, named(&seen.data), named(&word.name));
                if let Some(inside) = inside {
                    let zero = Box::new(Source::Constant(Value::zero(memory.granule)));
                    source = Source::Choice(Condition::Named(Bits::whole(inside, 1)), Box::new(source), zero);
                }
                let assign = Item::Assign { bits: whole.element(lane, memory.granule), source, encoding: None };
                self.layout.declared[port.data.index()] = Declared::Wire;
                self.placed
                    .push((at, Item::Generate { indices: vec![lane], scope: 0, count: lanes, items: vec![assign] }));
            }
            seen => {
                let mut source = Source::Named(word);
                if let Some(seen) = seen {
                    let forward = Box::new(Source::Named(Bits::whole(&seen.data, memory.width)));
                    source = Source::Choice(Condition::Named(Bits::whole(seen.flag, 1)), forward, Box::new(source));
                }
                if let Some(inside) = inside {
                    source = Source::Choice(Condition::Named(Bits::whole(inside, 1)), Box::new(source), zero);
                }
                self.placed.push((at, Item::Assign { bits: whole, source, encoding: None }));
            }
        }
    }
}

/// Each target of some statements keeps its value.
fn held(body: &[Stmt]) -> Vec<Stmt> {
    let mut targets: BTreeMap<String, u32> = BTreeMap::new();
    fn collect(body: &[Stmt], targets: &mut BTreeMap<String, u32>) {
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, .. } | Stmt::Read { bits, .. } => {
                    targets.insert(bits.name.clone(), bits.total);
                }
                Stmt::If { arms, otherwise } => {
                    arms.iter().for_each(|(_, body)| collect(body, targets));
                    collect(otherwise, targets);
                }
                Stmt::Switch { arms, .. } => arms.iter().for_each(|body| collect(body, targets)),
                Stmt::For { body, .. } => collect(body, targets),
                Stmt::Write { .. } | Stmt::Check { .. } => {}
            }
        }
    }
    collect(body, &mut targets);
    targets
        .into_iter()
        .map(|(name, width)| set(Bits::whole(&name, width), Source::Named(Bits::whole(&name, width))))
        .collect()
}
