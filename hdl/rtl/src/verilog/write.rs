//! A module's layout as text.

use super::Options;
use super::constant::Decided;
use super::express::{Express, ReadBits};
use super::fold::Folded;
use super::layout::{Bits, Declared, Event, Item, Layout, ScopeKind, Source, Stmt};
use super::live;
use super::lower::lower;
use super::names::Names;
use super::text::{self, Expr, Stmt as Text, broken, for_head, indented, literal, not, range, ranges, upper};
use crate::ir::{CheckKind, Design, DomainId, Encoding, InstanceId, MemoryId, Module, NodeId, Signal, SignalKind};
use crate::value::Value;

/// The text of a module.
pub(super) fn module(design: &Design, module: &Module, options: &Options) -> String {
    // What follows leaves out statements and renames signals; what an expression is stays the same.
    let decided = Decided::new(module);
    let folded = Folded::new(&live::live(module, &decided), &decided);
    let module = &folded.module;
    let mut names = Names::new(module);
    let layout = lower(module, &decided, &mut names);
    let x = Express::new(module, &layout, &decided, names);
    let mut writer = Writer { design, x, folded: &folded, purpose: Purpose::Synthesis };
    writer.items(&layout.items, 0);
    writer.x.decide();
    // What is read, and where, is known once all is written; what depends on it is right the next time.
    for _ in 0..3 {
        writer.x.restart();
        writer.items(&layout.items, 0);
    }
    writer.x.restart();
    let body = writer.items(&layout.items, 0);
    writer.whole(&layout, body, options)
}

/// What a property becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Synthesis,
    /// `assert (…)` and its like.
    Formal,
    /// A message and a stop.
    Simulation,
}

struct Writer<'a> {
    design: &'a Design,
    x: Express<'a>,
    folded: &'a Folded,
    purpose: Purpose,
}

/// Lines that belong together.
type Block = Vec<String>;

impl<'a> Writer<'a> {
    // ---- the whole ---------------------------------------------------------------------------------------------------

    fn whole(&mut self, layout: &Layout, body: Vec<Block>, options: &Options) -> String {
        let module = self.x.module;
        let mut lines = header(module);
        lines.push("`default_nettype none".into());
        lines.push(String::new());
        lines.extend(self.ports(layout));
        let mut blocks = self.declarations(layout);
        blocks.extend(body);
        let initial = self.initial(layout, options);
        if !initial.is_empty() {
            blocks.push(initial);
        }
        let mut before: Option<bool> = None;
        for block in blocks {
            let plain = block.iter().all(|l| !l.starts_with(' ') && !l.starts_with('`') && !l.ends_with("begin"));
            if before.is_some_and(|b| !b || !plain) {
                lines.push(String::new());
            }
            before = Some(plain);
            lines.extend(indented(block));
        }
        lines.push(String::new());
        lines.push("endmodule".into());
        lines.push(String::new());
        lines.push("`default_nettype wire".into());
        let mut text = String::new();
        for line in lines.iter().flat_map(|l| broken(l)) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn ports(&self, layout: &Layout) -> Vec<String> {
        let module = self.x.module;
        let mut rows: Vec<[String; 4]> = vec![];
        let mut row = |direction: String, range: String, name: String, doc: String| {
            rows.push([direction, range.trim_end().into(), name, doc]);
        };
        for domain in &module.domains {
            let of = if domain.name.is_empty() { String::new() } else { format!(" of {}", domain.name) };
            if domain.clock_used {
                row("input  wire".into(), String::new(), domain.clock(), format!("Clock{of}, rising edge."));
            }
            if domain.reset_used {
                row("input  wire".into(), String::new(), domain.reset(), format!("Reset{of}, active high."));
            }
        }
        for (id, port) in module.ports() {
            let driver = self.folded.driver(id);
            let direction = match (&port.kind, layout.declared[driver.index()]) {
                (SignalKind::Input, _) => "input  wire",
                (_, Declared::Reg) => "output reg",
                _ => "output wire",
            };
            let direction = format!("{}{direction}", attributes(&port.attributes));
            row(direction, signal_range(port), port.name.clone(), comment(module.signal(driver)));
        }
        if rows.is_empty() {
            return vec![format!("module {} ();", module.name)];
        }
        let mut lines = vec![format!("module {} (", module.name)];
        let widest = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let (first, second, third) = (widest(0), widest(1), widest(2));
        let gap = if second == 0 { "" } else { " " };
        let last = rows.len() - 1;
        for (i, [direction, range, name, doc]) in rows.iter().enumerate() {
            let comma = if i == last { " " } else { "," };
            let declared = format!("    {direction:<first$} {range:<second$}{gap}{name}{comma}");
            let pad = " ".repeat(third - name.len());
            lines.push(if doc.is_empty() { declared } else { format!("{declared}{pad} // {doc}") });
        }
        lines.push(");".into());
        lines
    }

    fn declarations(&mut self, layout: &Layout) -> Vec<Block> {
        let module = self.x.module;
        let mut constants = vec![];
        for (name, code, doc) in self.x.usage.labels.values() {
            constants.push((
                format!("localparam {}", range(code.width())),
                format!("{name} = {};", literal(code)),
                doc.clone(),
            ));
        }
        for (value, name) in &self.x.usage.vectors {
            let range = range(value.width());
            constants.push((format!("localparam {range}"), format!("{name} = {};", literal(value)), String::new()));
        }
        let mut state = vec![];
        let genvars = self.x.genvars().join(", ");
        if !genvars.is_empty() {
            state.push(("genvar ".into(), format!("{genvars};"), String::new()));
        }
        for memory in &module.memories {
            let doc = memory.doc.clone();
            let head = format!("{}reg  {}", attributes(&memory.attributes), range(memory.width));
            let words = if memory.depth == 1 { String::new() } else { format!(" [0:{}]", memory.depth - 1) };
            state.push((head, format!("{}{words};", memory.name), doc));
        }
        for (id, signal) in module.signals() {
            let kind = match layout.declared[id.index()] {
                Declared::Reg => "reg ",
                Declared::Wire => "wire",
                Declared::AtAssignment if self.x.before.early.contains(&signal.name) => "wire",
                _ => continue,
            };
            let joined_in_vain = layout.segments.contains_key(&id) && !self.x.before.read.contains_key(&signal.name);
            if self.folded.is_port(id) || joined_in_vain {
                continue;
            }
            let head = format!("{}{kind} {}", attributes(&signal.attributes), signal_range(signal));
            state.push((head, format!("{};", signal.name), comment(signal)));
        }
        for (name, width, is_reg) in &layout.extra {
            let kind = if *is_reg { "reg " } else { "wire" };
            state.push((format!("{kind} {}", range(*width)), format!("{name};"), String::new()));
        }
        [constants, state].into_iter().filter(|rows| !rows.is_empty()).map(aligned).collect()
    }

    /// Content of memories, and the state that simulators are given.
    fn initial(&mut self, layout: &Layout, options: &Options) -> Block {
        let module = self.x.module;
        let mut lines = vec![];
        for memory in &module.memories {
            let words: Vec<Value> = match (&memory.initial, options.initial) {
                (Some(words), _) => words.clone(),
                (None, Some(value)) => {
                    (0..memory.depth).map(|word| value(&module.name, &memory.name, word, memory.width)).collect()
                }
                (None, None) => continue,
            };
            for (i, word) in words.iter().enumerate() {
                let select = if memory.depth == 1 { String::new() } else { format!("[{i}]") };
                lines.push(format!("{}{select} = {};", memory.name, literal(word)));
            }
        }
        if let Some(value) = options.initial {
            for (id, signal) in module.signals() {
                let word =
                    value_of_state(signal).then(|| value(&module.name, self.folded.own_name(id), 0, signal.width));
                let Some(word) = word else { continue };
                let name = match layout.declared[id.index()] {
                    Declared::Reg => signal.name.clone(),
                    // A synchronous read whose word is kept apart from what is noted of it.
                    _ => format!("{}_word", signal.name),
                };
                lines.push(format!("{name} = {};", literal(&word)));
                for (note, idle) in [("_inside", true), ("_bypass", false)] {
                    let note = format!("{}{note}", signal.name);
                    if let Some((name, width, _)) = layout.extra.iter().find(|(name, ..)| *name == note) {
                        let value = if idle { Value::ones(*width) } else { Value::zero(*width) };
                        lines.push(format!("{name} = {};", literal(&value)));
                    }
                }
            }
        }
        if lines.is_empty() {
            return lines;
        }
        let mut block = vec!["initial begin".into()];
        block.extend(indented(lines));
        block.push("end".into());
        block
    }

    // ---- items -------------------------------------------------------------------------------------------------------

    fn items(&mut self, items: &[Item], scope: usize) -> Vec<Block> {
        let mut blocks = vec![];
        for item in items {
            let lines = self.item(item, scope);
            let mut block = self.x.take_pending(scope);
            block.extend(lines);
            if !block.is_empty() {
                blocks.push(block);
            }
        }
        blocks
    }

    fn item(&mut self, item: &Item, scope: usize) -> Block {
        match item {
            Item::Assign { bits, source, encoding } => vec![self.assign(bits, source, encoding.as_deref(), scope)],
            Item::Always { event, label, locals, body } => self.always(*event, label, locals, body, scope),
            Item::Generate { scope: own, count, items, indices } => {
                let inner: Block = self.items(items, *own).into_iter().flatten().collect();
                let mut lines = self.x.index_lines(*own);
                lines.extend(inner);
                let variable = self.x.variable(*own);
                let base = self.x.layout.loops[indices[0].index()].0.clone();
                let label = self.x.block_name(*own, &base);
                let mut block = vec![for_head(&variable, *count, &label)];
                block.extend(indented(lines));
                block.push("end".into());
                block
            }
            Item::Instance(id) => self.instance(*id),
            Item::Checks(domain, body) => self.checks(*domain, body),
            Item::Probes => self.probes(),
            Item::Ignored(i) => {
                let ignored = &self.x.module.ignored[*i];
                let value = self.x.value(ignored.node, scope);
                let value = Expr::concat(vec![Expr::Literal(Value::bit(false)), value]).text();
                vec![format!("wire unused_{} = &{value}; // {}", ignored.name, one_line(&ignored.reason))]
            }
            Item::Joined(name, parts) => {
                let module = self.x.module;
                let output = module.signals().any(|(id, s)| s.name == *name && self.folded.is_port(id));
                if !output && !self.x.before.read.contains_key(name) {
                    return vec![];
                }
                vec![format!("assign {name} = {{{}}};", parts.join(", "))]
            }
            Item::Words(memory) => self.words(*memory),
        }
    }

    fn assign(&mut self, bits: &Bits, source: &Source, encoding: Option<&Encoding>, scope: usize) -> String {
        self.x.target = bits.name.clone();
        let value = self.x.source(source, scope, encoding, true).text();
        let module = self.x.module;
        self.x.assigned.insert(bits.name.clone());
        let signal = module.signals().find(|(_, s)| s.name == bits.name);
        if let Some((id, signal)) = signal
            && self.x.layout.declared[id.index()] == Declared::AtAssignment
            && !self.folded.is_port(id)
            && !self.x.before.early.contains(&signal.name)
        {
            let doc = if signal.doc.is_empty() { String::new() } else { format!(" // {}", one_line(&signal.doc)) };
            let attributes = attributes(&signal.attributes);
            return format!("{attributes}wire {}{} = {value};{doc}", signal_range(signal), signal.name);
        }
        format!("assign {} = {value};", self.x.place(bits, scope))
    }

    /// What simulation shows: wires that are read by nobody.
    fn probes(&mut self) -> Block {
        let module = self.x.module;
        self.x.in_checks = true;
        let mut block = vec!["`ifdef TOLLGATE_CHECKS".to_string()];
        for probe in &module.probes {
            let value = self.x.value(probe.node, 0).text();
            block.push(format!("wire {}probe_{} = {value};", range(module.node(probe.node).width), probe.name));
        }
        let names: Vec<String> = module.probes.iter().map(|p| format!("probe_{}", p.name)).collect();
        block.push(format!("wire {} = &{{1'b0, {}}};", self.x.names.free("unused_probes"), names.join(", ")));
        self.x.in_checks = false;
        block.extend(self.otherwise_unread(matches!(self.x.layout.items.last(), Some(Item::Probes))));
        block.push("`endif".into());
        block
    }

    fn words(&mut self, memory: MemoryId) -> Block {
        let m = self.x.module.memory(memory);
        let words = self.x.names.words(memory).to_string();
        if !self.x.before.read.contains_key(&words) {
            return vec![];
        }
        let mut block = vec![format!("wire {}{words};", range(m.depth * m.width))];
        for i in 0..m.depth {
            if m.depth == 1 {
                block.push(format!("assign {words} = {};", m.name));
            } else {
                block.push(format!("assign {} = {}[{i}];", word_bits(&words, i, m.width), m.name));
            }
        }
        block
    }

    fn instance(&mut self, id: InstanceId) -> Block {
        let module = self.x.module;
        let instance = &module.instances[id.index()];
        let inner = self.design.module(instance.module);
        let mut connections = vec![];
        for (domain, own) in inner.domains.iter().zip(&instance.domains) {
            let outer = &module.domains[own.index()];
            if domain.clock_used {
                let name = self.x.read(&Bits::whole(outer.clock(), 1), 0).text();
                connections.push(format!(".{}({name})", domain.clock()));
            }
            if domain.reset_used {
                let name = self.x.read(&Bits::whole(outer.reset(), 1), 0).text();
                connections.push(format!(".{}({name})", domain.reset()));
            }
        }
        for ((_, port), signal_id) in inner.ports().zip(&instance.connections) {
            let signal = module.signal(*signal_id);
            let value = match self.x.layout.connected.get(signal_id).cloned() {
                Some(Source::Named(bits)) => bits.name,
                Some(source) => self.x.source(&source, 0, signal.encoding.as_deref(), false).text(),
                None if matches!(signal.kind, SignalKind::InstanceInput { .. }) => {
                    self.x.read(&Bits::whole(&signal.name, signal.width), 0).text()
                }
                None => signal.name.clone(),
            };
            connections.push(format!(".{}({value})", port.name));
        }
        let mut block = vec![];
        if !instance.doc.is_empty() {
            block.push(format!("// {}", one_line(&instance.doc)));
        }
        block.push(format!("{} {} (", inner.name, instance.name));
        let last = connections.len().saturating_sub(1);
        let listed = connections.iter().enumerate().map(|(i, c)| if i == last { c.clone() } else { format!("{c},") });
        block.extend(indented(listed.collect()));
        block.push(");".into());
        block
    }

    // ---- processes ---------------------------------------------------------------------------------------------------

    fn always(&mut self, event: Event, label: &str, locals: &[(String, u32)], body: &[Stmt], scope: usize) -> Block {
        let head = self.event(event);
        let operator = if event == Event::Change { "=" } else { "<=" };
        let mut body = self.statements(body, scope, operator);
        if event == Event::Change {
            // A loop that does not always run would leave its variable a latch.
            let mut sometimes = vec![];
            conditional_loop_variables(&body, &mut sometimes);
            let zero = |target: String| Text::Assign { target, operator, value: Expr::Name("0".into()) };
            body.splice(0..0, sometimes.into_iter().map(zero));
        }
        let declared = self.locals(locals, &body);
        text::process(&head, label, &declared, &body)
    }

    fn event(&mut self, event: Event) -> String {
        match event {
            Event::Change => "always @*".into(),
            Event::Edge(domain, asynchronous) => {
                let module = self.x.module;
                let domain = &module.domains[domain.index()];
                let clock = self.x.read(&Bits::whole(domain.clock(), 1), 0).text();
                if asynchronous {
                    let reset = self.x.read(&Bits::whole(domain.reset(), 1), 0).text();
                    return format!("always @(posedge {clock} or posedge {reset})");
                }
                format!("always @(posedge {clock})")
            }
        }
    }

    /// Declarations of a process's own variables.
    fn locals(&mut self, locals: &[(String, u32)], body: &[Text]) -> Vec<String> {
        let mut integers = vec![];
        loop_variables(body, &mut integers);
        let mut lines = vec![];
        if !integers.is_empty() {
            lines.push(format!("integer {};", integers.join(", ")));
        }
        let made = std::mem::take(&mut self.x.locals);
        lines.extend(locals.iter().chain(&made).map(|(name, width)| format!("reg {}{name};", range(*width))));
        lines
    }

    fn statements(&mut self, body: &[Stmt], scope: usize, operator: &'static str) -> Vec<Text> {
        let mut result = vec![];
        for stmt in body {
            let text = self.statement(stmt, scope, operator);
            if self.x.scopes[scope].kind == ScopeKind::Recurrence {
                result.extend(self.x.take_statements(scope));
            }
            result.extend(text);
        }
        result
    }

    fn statement(&mut self, stmt: &Stmt, scope: usize, operator: &'static str) -> Option<Text> {
        Some(match stmt {
            Stmt::Assign { bits, source, encoding, .. } => {
                self.x.target = bits.name.clone();
                let value = self.x.source(source, scope, encoding.as_deref(), false);
                Text::Assign { target: self.x.place(bits, scope), operator, value }
            }
            Stmt::If { arms, otherwise } => {
                let arms = arms
                    .iter()
                    .map(|(condition, body)| {
                        let condition = self.x.ask(condition, scope);
                        (condition, self.statements(body, scope, operator))
                    })
                    .collect();
                Text::If { arms, otherwise: self.statements(otherwise, scope, operator) }
            }
            Stmt::Switch { selector, encoding, arms } => self.switch(*selector, encoding, arms, scope, operator),
            Stmt::For { index, scope: own, body, .. } => {
                let variable = self.x.variable(*own);
                let body = self.statements(body, *own, operator);
                Text::For { variable, count: self.x.count(*index), body }
            }
            Stmt::Write { memory, address, data, lane, .. } => {
                let m = self.x.module.memory(*memory);
                let word = self.x.written_word(*memory, *address, scope);
                let (target, source) = match lane {
                    Some(lane) => {
                        let part = Bits::whole(word, m.width).element(*lane, m.granule);
                        let terms = vec![(*lane, m.granule)];
                        (self.x.place(&part, scope), Source::Part { node: *data, terms, low: 0, width: m.granule })
                    }
                    None => (word, Source::Node(*data)),
                };
                let value = self.x.source(&source, scope, None, false);
                Text::Assign { target, operator: "<=", value }
            }
            Stmt::Read { bits, memory, address } => {
                let value = Expr::Name(self.x.word(*memory, *address, scope));
                Text::Assign { target: bits.name.clone(), operator: "<=", value }
            }
            Stmt::Check { kind, message, condition } => return self.check(*kind, message, *condition, scope),
        })
    }

    fn switch(
        &mut self,
        selector: NodeId,
        encoding: &Encoding,
        arms: &[Vec<Stmt>],
        scope: usize,
        operator: &'static str,
    ) -> Text {
        let all_legal = encoding.width < 32 && 1u64 << encoding.width == encoding.variants.len() as u64;
        let busy: Vec<usize> = (0..arms.len()).filter(|i| !arms[*i].is_empty()).collect();
        if let [one] = busy[..]
            && (all_legal || one != encoding.reset)
        {
            let selector = self.x.value(selector, scope);
            let label = self.x.label(encoding, one);
            let body = self.statements(&arms[one], scope, operator);
            let condition = Expr::binary("==", selector, Expr::Name(label));
            return Text::If { arms: vec![(condition, body)], otherwise: vec![] };
        }
        let selector = self.x.value(selector, scope);
        let default_arm = (!all_legal).then_some(encoding.reset);
        let reset_is_busy = !arms[encoding.reset].is_empty();
        let mut labelled = vec![];
        for (i, arm) in arms.iter().enumerate() {
            // Without illegal codes, or when those do nothing, arms that do nothing need no label.
            let needed = !arm.is_empty() || (!all_legal && reset_is_busy);
            if Some(i) != default_arm && needed {
                let label = self.x.label(encoding, i);
                labelled.push((label, self.statements(arm, scope, operator)));
            }
        }
        let default = match default_arm {
            Some(i) => {
                let comment = format!("{}_{}", upper(&encoding.name), upper(&encoding.variants[i].0));
                Some((self.statements(&arms[i], scope, operator), comment))
            }
            None if labelled.len() < arms.len() => Some((vec![], String::new())),
            None => None,
        };
        Text::Case { selector, arms: labelled, default }
    }

    // ---- properties --------------------------------------------------------------------------------------------------

    fn checks(&mut self, domain: DomainId, body: &[Stmt]) -> Block {
        self.x.in_checks = true;
        let mut block = vec!["`ifdef FORMAL".to_string()];
        block.extend(self.properties(domain, body, Purpose::Formal));
        // Only one of the two is ever there: they count as one reader.
        if !self.x.counting {
            block.push("`elsif TOLLGATE_CHECKS".into());
            block.extend(self.properties(domain, body, Purpose::Simulation));
        }
        self.x.in_checks = false;
        let last = matches!(self.x.layout.items.last(), Some(Item::Checks(d, _)) if *d == domain);
        block.extend(self.otherwise_unread(last));
        block.push("`endif".into());
        block
    }

    /// Reads what properties and probes alone read, where there are none. Said once, at the last of them.
    fn otherwise_unread(&self, last: bool) -> Block {
        let unread = only_checked(&self.x.before.read, &self.x.before.checked);
        if !last || unread.is_empty() {
            return vec![];
        }
        let name = self.x.names.free("unused_in_synthesis");
        vec!["`else".into(), format!("wire {name} = &{{1'b0, {}}};", unread.join(", "))]
    }

    fn properties(&mut self, domain: DomainId, body: &[Stmt], purpose: Purpose) -> Block {
        self.purpose = purpose;
        let module = self.x.module;
        let own = &module.domains[domain.index()];
        let head = self.event(if own.clock_used { Event::Edge(domain, false) } else { Event::Change });
        let mut body = self.statements(body, 0, "<=");
        self.purpose = Purpose::Synthesis;
        if own.reset_used {
            let reset = self.x.read(&Bits::whole(own.reset(), 1), 0);
            body = vec![Text::If { arms: vec![(Expr::unary("!", reset), body)], otherwise: vec![] }];
        }
        let locals = self.locals(&[], &body);
        let label = if locals.is_empty() { String::new() } else { self.x.names.free("checks_each") };
        text::process(&head, &label, &locals, &body)
    }

    fn check(&mut self, kind: CheckKind, message: &str, condition: NodeId, scope: usize) -> Option<Text> {
        let condition = self.x.condition(condition, scope);
        match (self.purpose, kind) {
            (Purpose::Formal, _) => {
                let verb = match kind {
                    CheckKind::Assert => "assert",
                    CheckKind::Assume => "assume",
                    CheckKind::Cover => "cover",
                };
                Some(Text::Noted(format!("{verb} ({})", condition.text()), one_line(message)))
            }
            (_, CheckKind::Cover) => None,
            _ => {
                let message = one_line(message).replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
                let body = vec![Text::Other(format!("$display(\"%m: {message}\")")), Text::Other("$stop".into())];
                Some(Text::If { arms: vec![(not(condition), body)], otherwise: vec![] })
            }
        }
    }
}

/// Bits that are read in properties and nowhere else.
fn only_checked(read: &ReadBits, checked: &ReadBits) -> Vec<String> {
    let mut found = vec![];
    for (name, bits) in checked {
        let only: Vec<bool> = match read.get(name) {
            Some(read) => bits.iter().zip(read).map(|(c, r)| *c && !r).collect(),
            None => bits.clone(),
        };
        found.extend(ranges(name, &only));
    }
    found
}

/// Variables of the loops that run under some condition.
fn conditional_loop_variables(body: &[Text], found: &mut Vec<String>) {
    for stmt in body {
        match stmt {
            Text::For { body, .. } => conditional_loop_variables(body, found),
            other => loop_variables(std::slice::from_ref(other), found),
        }
    }
}

fn loop_variables(body: &[Text], found: &mut Vec<String>) {
    for stmt in body {
        match stmt {
            Text::For { variable, body, .. } => {
                if !found.contains(variable) {
                    found.push(variable.clone());
                }
                loop_variables(body, found);
            }
            Text::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| loop_variables(body, found));
                loop_variables(otherwise, found);
            }
            Text::Case { arms, default, .. } => {
                arms.iter().for_each(|(_, body)| loop_variables(body, found));
                default.iter().for_each(|(body, _)| loop_variables(body, found));
            }
            _ => {}
        }
    }
}

fn word_bits(words: &str, word: u32, width: u32) -> String {
    let low = word * width;
    if width == 1 { format!("{words}[{low}]") } else { format!("{words}[{}:{low}]", low + width - 1) }
}

fn value_of_state(signal: &Signal) -> bool {
    matches!(signal.kind, SignalKind::Register { .. } | SignalKind::SyncRead { .. })
}

/// The comment above a module.
fn header(module: &Module) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for line in module.doc.lines() {
        lines.push(format!("// {}", line.trim_end()));
    }
    if !lines.is_empty() {
        lines.push("//".into());
    }
    lines.push("// Generated by Tollgate from its Rust description: edit that, not this.".into());
    if !module.parameters.is_empty() {
        lines.push("//".into());
        let name = module.parameters.iter().map(|p| p.name.len()).max().unwrap_or(0);
        let value = module.parameters.iter().map(|p| p.value.len()).max().unwrap_or(0);
        for p in &module.parameters {
            lines.push(format!("//   {:<name$} = {:<value$}  {}", p.name, p.value, one_line(&p.doc)).trim_end().into());
        }
    }
    lines
}

/// Type, name and comment of declarations, the names below each other.
fn aligned(rows: Vec<(String, String, String)>) -> Block {
    let width = rows.iter().map(|(head, ..)| head.trim_end().len()).filter(|w| *w <= 32).max().unwrap_or(0);
    let name = rows.iter().map(|(_, name, _)| name.len()).filter(|w| *w <= 40).max().unwrap_or(0);
    rows.into_iter()
        .map(|(head, declared, doc)| {
            let head = head.trim_end();
            match doc.is_empty() {
                true => format!("{head:<width$} {declared}"),
                false => format!("{head:<width$} {declared:<name$} // {}", one_line(&doc)),
            }
        })
        .collect()
}

fn attributes(attributes: &[(String, String)]) -> String {
    if attributes.is_empty() {
        return String::new();
    }
    let all: Vec<String> = attributes.iter().map(|(name, value)| format!("{name} = \"{value}\"")).collect();
    format!("(* {} *) ", all.join(", "))
}

/// The meaning of a signal, and why it may cross clock domains.
fn comment(signal: &Signal) -> String {
    let mut parts = vec![];
    if !signal.doc.is_empty() {
        parts.push(one_line(&signal.doc));
    }
    if let SignalKind::Register { crossing: Some(reason), .. } = &signal.kind {
        parts.push(format!("crosses clock domains: {}", one_line(reason)));
    }
    parts.join("; ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The range of a signal; of an array, as elements times width.
fn signal_range(signal: &Signal) -> String {
    match signal.element_width {
        Some(width) if width > 1 && signal.width > width => format!("[{}*{width}-1:0] ", signal.width / width),
        _ => range(signal.width),
    }
}
