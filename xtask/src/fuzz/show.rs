//! A recipe as the Rust that would write it: what a person reads when a circuit is wrong.
//!
//! Extensions and cuts that fit operands to their places are left out; `@n` says which width is wanted.

use super::build::signal_name;
use super::recipe::{
    Arithmetic, Comparison, DOMAINS, Direction, Expr, Kind, Module, Recipe, Reduction, Shape, Signal, Step, Stmt,
};

/// The whole recipe.
pub fn show(recipe: &Recipe) -> String {
    let mut lines = vec![];
    for (number, module) in recipe.modules.iter().enumerate() {
        lines.push(format!("module(\"{}\", …, |m, io| {{", recipe.module_name(number)));
        let printer = Printer { recipe, module };
        printer.declarations(&mut lines);
        printer.block(&module.body, 1, 0, &mut lines);
        lines.push("})".into());
    }
    lines.join("\n")
}

struct Printer<'a> {
    recipe: &'a Recipe,
    module: &'a Module,
}

fn shape(shape: Shape) -> String {
    match shape {
        Shape::Bit => "bit()".into(),
        Shape::Bits(width) => format!("bits({width})"),
        Shape::Signed(width) => format!("signed({width})"),
        Shape::Code(enumeration) => format!("code::<{enumeration:?}>()"),
        Shape::Array { count, width } => format!("array({count}, bits({width}))"),
        Shape::Pair { body, number } => format!("Pair::shape(&({body}, {number}))"),
    }
}

impl Printer<'_> {
    fn name(&self, id: usize) -> String {
        self.module.signals.get(id).map_or(format!("signal_{id}"), |_| signal_name(self.module, id))
    }

    fn declarations(&self, lines: &mut Vec<String>) {
        for (index, instance) in self.module.instances.iter().enumerate() {
            let domain = domain_note(instance.domain);
            lines.push(format!(
                "    let u_{index} = m.instance(\"u_{index}\", &{});{domain}",
                self.recipe.module_name(instance.module)
            ));
        }
        for (id, signal) in self.module.signals.iter().enumerate() {
            lines.extend(self.declaration(id, signal).map(|line| format!("    {line}{}", domain_note(signal.domain))));
            if let Some(guard) = signal.guard {
                lines.push(format!(
                    "    m.default({0}, dont_care({0})); // read only where {1} is 1",
                    self.name(id),
                    self.name(guard)
                ));
            } else if let Some(default) = &signal.default {
                lines.push(format!("    m.default({}, {});", self.name(id), self.expr(default, 0)));
            }
        }
        for (index, memory) in self.module.memories.iter().enumerate() {
            let mut line =
                format!("    let mem_{index} = m.memory(\"mem_{index}\", {}, bits({}))", memory.depth, memory.width);
            if memory.granule != memory.width {
                line += &format!(".granule({})", memory.granule);
            }
            if memory.initial.is_some() {
                line += ".initial(…)";
            }
            if let Some(style) = &memory.style {
                line += &format!(".attribute(\"ram_style\", \"{style}\")");
            }
            lines.push(format!("{line};{}", domain_note(memory.domain)));
        }
    }

    fn declaration(&self, id: usize, signal: &Signal) -> Option<String> {
        let (name, shape) = (self.name(id), shape(signal.shape));
        Some(match &signal.kind {
            Kind::Input => format!("let {name} = io.{name}; // input, {shape}"),
            Kind::Output => format!("let {name} = io.{name}; // output, {shape}"),
            Kind::Wire => format!("let {name} = m.wire(\"{name}\", {shape});"),
            Kind::Register { reset, crossing } => {
                let reset = reset.map_or(String::new(), |reset| {
                    let how = if reset.asynchronous { "reset_asynchronous" } else { "reset" };
                    format!(".{how}({:#x})", reset.value)
                });
                let crossing = if *crossing { ".crossing(…)" } else { "" };
                format!("let {name} = m.reg(\"{name}\", {shape}){reset}{crossing};")
            }
            Kind::State(initial) => match signal.shape {
                Shape::Code(enumeration) => {
                    let variant = &enumeration.encoding().variants[*initial].0;
                    format!("let {name} = m.state(\"{name}\", {enumeration:?}::{variant});")
                }
                _ => format!("let {name} = m.state(\"{name}\", …);"),
            },
            Kind::InstanceInput { instance, port } => format!("let {name} = u_{instance}.in_{port}; // {shape}"),
            Kind::InstanceOutput { instance, port } => format!("let {name} = u_{instance}.out_{port}; // {shape}"),
            Kind::Made | Kind::ReadPort => return None,
        })
    }

    fn block(&self, body: &[Stmt], indent: usize, depth: usize, lines: &mut Vec<String>) {
        let pad = "    ".repeat(indent);
        for stmt in body {
            match stmt {
                Stmt::Set { target, value } => {
                    let mut text = self.name(target.signal);
                    for step in &target.path {
                        text += &match step {
                            Step::Slice { low, width } => format!(".slice({low}..{})", low + width),
                            Step::Computed { width, index, index_width } => {
                                format!(".elements({width}).at({}@{index_width})", self.expr(index, depth))
                            }
                            Step::Loop { width, level } => format!(".elements({width}).at({})", loop_index(depth, *level)),
                        };
                    }
                    lines.push(format!("{pad}{text}.set({});", self.expr(value, depth)));
                }
                Stmt::When { arms, otherwise } => {
                    for (position, (condition, body)) in arms.iter().enumerate() {
                        let head = if position == 0 { "when" } else { ").or_when" };
                        lines.push(format!("{pad}{head}({}, || {{", self.expr(condition, depth)));
                        self.block(body, indent + 1, depth, lines);
                        lines.push(format!("{pad}}}"));
                    }
                    if let Some(body) = otherwise {
                        lines.push(format!("{pad}).otherwise(|| {{"));
                        self.block(body, indent + 1, depth, lines);
                        lines.push(format!("{pad}}}"));
                    }
                    lines.push(format!("{pad});"));
                }
                Stmt::Switch { enumeration, selector, arms } => {
                    lines.push(format!("{pad}switch({}.code::<{enumeration:?}>(), |v| match v {{", self.expr(selector, depth)));
                    for ((variant, ..), body) in enumeration.encoding().variants.iter().zip(arms) {
                        lines.push(format!("{pad}    {variant} => {{"));
                        self.block(body, indent + 2, depth, lines);
                        lines.push(format!("{pad}    }}"));
                    }
                    lines.push(format!("{pad}}});"));
                }
                Stmt::Each { label, count, body, result } => {
                    let index = loop_index(depth + 1, 0);
                    let name = result.as_ref().map_or(format!("each_{label}"), |(id, _)| self.name(*id));
                    lines.push(format!("{pad}let {name} = each(\"{name}\", {count}, |{index}| {{"));
                    self.block(body, indent + 1, depth + 1, lines);
                    if let Some((_, value)) = result {
                        lines.push(format!("{pad}    {}", self.expr(value, depth + 1)));
                    }
                    lines.push(format!("{pad}}});"));
                }
                Stmt::Scan { answers, last, initial, next, answer } => {
                    let count = match self.module.signals[*answers].shape {
                        Shape::Array { count, .. } => count,
                        _ => 0,
                    };
                    let name = self.name(*answers);
                    lines.push(format!(
                        "{pad}let ({}, {name}) = scan(\"{name}\", {count}, {}, |{}, so_far| ({}, {}));",
                        self.name(*last),
                        self.expr(initial, depth),
                        loop_index(1, 0),
                        self.expr(next, 1),
                        self.expr(answer, 1)
                    ));
                }
                Stmt::Fold { result, count, initial, next } => {
                    let name = self.name(*result);
                    lines.push(format!(
                        "{pad}let {name} = fold(\"{name}\", {count}, {}, |{}, so_far| {});",
                        self.expr(initial, depth),
                        loop_index(1, 0),
                        self.expr(next, 1)
                    ));
                }
                Stmt::Select { result, count, hits, from } => lines.push(format!(
                    "{pad}let {0} = {1}.elements(1).select(\"{0}\", {2}); // of {count}",
                    self.name(*result),
                    self.expr(hits, depth),
                    self.expr(from, depth)
                )),
                Stmt::ReadPort { memory, result, address, address_width, enable, collision } => lines.push(format!(
                    "{pad}let {0} = mem_{memory}.read_registered(\"{0}\", {1}@{address_width}, {2}, Collision::{collision:?});",
                    self.name(*result),
                    self.expr(address, depth),
                    self.expr(enable, depth)
                )),
                Stmt::Write { memory, address, address_width, data, enables } => {
                    let (address, data) = (self.expr(address, depth), self.expr(data, depth));
                    lines.push(match enables {
                        Some(enables) => format!(
                            "{pad}mem_{memory}.write_enabled({address}@{address_width}, {data}, {});",
                            self.expr(enables, depth)
                        ),
                        None => format!("{pad}mem_{memory}.write({address}@{address_width}, {data});"),
                    });
                }
                Stmt::Check { kind, value, .. } => {
                    let value = self.expr(value, depth);
                    lines.push(format!("{pad}m.{}(…, {value}.equals({value}));", format!("{kind:?}").to_lowercase()));
                }
            }
        }
    }

    fn expr(&self, expr: &Expr, depth: usize) -> String {
        let show = |expr: &Expr| self.expr(expr, depth);
        match expr {
            Expr::Const(digits) => match &digits[..] {
                [] => "0".into(),
                digits => {
                    let text: Vec<String> = digits.iter().rev().map(|digit| format!("{digit:08x}")).collect();
                    format!("0x{}", text.concat().trim_start_matches('0'))
                }
            },
            Expr::Read(id) => self.name(*id),
            Expr::Index(level) => loop_index(depth, *level),
            Expr::Running => "so_far".into(),
            Expr::Element { of, width, count, level } => {
                format!("{}@{}.elements({width}).at({})", show(of), width * count, loop_index(depth, *level))
            }
            Expr::Part { of, width, count, index, index_width } => {
                format!("{}@{}.elements({width}).at({}@{index_width})", show(of), width * count, show(index))
            }
            Expr::Word { memory, address, address_width } => {
                format!("mem_{memory}.read({}@{address_width})", show(address))
            }
            Expr::Not(a) => format!("!{}", show(a)),
            Expr::Negate(a) => format!("(-{})", show(a)),
            Expr::Reduce { by, width, of } => {
                let by = match by {
                    Reduction::All => "all",
                    Reduction::Any => "any",
                    Reduction::None => "none",
                    Reduction::Parity => "parity",
                    Reduction::AtMostOne => "at_most_one",
                };
                format!("{}@{width}.{by}()", show(of))
            }
            Expr::Arithmetic(by, a, b) => {
                let by = match by {
                    Arithmetic::And => "&",
                    Arithmetic::Or => "|",
                    Arithmetic::Xor => "^",
                    Arithmetic::Add | Arithmetic::AddSigned => "+",
                    Arithmetic::Subtract | Arithmetic::SubtractSigned => "-",
                };
                format!("({} {by} {})", show(a), show(b))
            }
            Expr::Multiply { signed, widths, of } => {
                let signed = if *signed { ".signed()" } else { "" };
                format!("({}@{}{signed} * {}@{}{signed})", show(&of.0), widths.0, show(&of.1), widths.1)
            }
            Expr::Compare { by, signed, width, of } => {
                let by = match by {
                    Comparison::Equals => "equals",
                    Comparison::Differs => "differs",
                    Comparison::LessThan => "less_than",
                    Comparison::AtMost => "at_most",
                    Comparison::GreaterThan => "greater_than",
                    Comparison::AtLeast => "at_least",
                };
                let signed = if *signed { ".signed()" } else { "" };
                format!("{}@{width}{signed}.{by}({})", show(&of.0), show(&of.1))
            }
            Expr::Shift { by, of, amount, amount_width } => {
                format!("({} {} {}@{amount_width})", show(of), direction(*by), show(amount))
            }
            Expr::ShiftBy { by, of, amount } => format!("({} {} {amount}u32)", show(of), direction(*by)),
            Expr::Mux(c, a, b) => format!("mux({}, {}, {})", show(c), show(a), show(b)),
            Expr::Slice { of, width, low } => format!("{}@{width}.slice({low}..)", show(of)),
            Expr::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|(width, part)| format!("{}@{width}", show(part))).collect();
                format!("concat([{}])", parts.join(", "))
            }
            Expr::Repeat { of, width, count } => format!("{}@{width}.repeat({count})", show(of)),
            Expr::SignExtend { of, width } => format!("{}@{width}.signed().extend(…)", show(of)),
            Expr::Is { enumeration, variant, of } => {
                format!("{}.code::<{enumeration:?}>().is({})", show(of), enumeration.encoding().variants[*variant].0)
            }
            Expr::Guarded(c, a, b) => {
                let c = show(c);
                format!("mux({c}, mux({c}, {}, dont_care), {})", show(a), show(b))
            }
            Expr::Each { label, count, width, body } => format!(
                "each(\"inner_{label}\", {count}, |{}| {}@{width}).packed()",
                loop_index(depth + 1, 0),
                self.expr(body, depth + 1)
            ),
        }
    }
}

fn direction(by: Direction) -> &'static str {
    match by {
        Direction::Left => "<<",
        Direction::Right => ">>",
        Direction::RightSigned => ">> (signed)",
    }
}

/// The name of the index of a loop, counted from the innermost.
fn loop_index(depth: usize, level: usize) -> String {
    match depth.checked_sub(level + 1) {
        Some(position) => format!("i{position}"),
        None => "0".into(),
    }
}

fn domain_note(domain: usize) -> String {
    if domain == 0 { String::new() } else { format!(" // in_domain(\"{}\")", DOMAINS[domain]) }
}
