//! Faults planted on purpose: does the fuzzer find them?
//!
//! A fault of the printer is a change of its text, made wherever the text allows it, before Icarus reads it. A fault of
//! the interpreter is a change of the design that it alone is given. Neither leaves a trace in printer or interpreter.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use indicatif::ProgressBar;
use regex::{Captures, Regex};
use tollgate_cosim::Tools;
use tollgate_rtl::Value;
use tollgate_rtl::ir::{Binary, Collision, Design, DomainId, Module, Op, SignalKind, Stmt, Unary};
use tollgate_rtl::verilog::File;

use super::coverage::CIRCUITS;
use super::generate;
use super::judge::{Subject, catching};
use super::simulate::{self, Member, first_difference};

/// A fault.
pub struct Fault {
    /// What is wrong then.
    pub name: &'static str,
    change: Change,
}

#[derive(Clone, Copy)]
enum Change {
    /// In the Verilog of each module.
    Text(fn(&str) -> String),
    /// In the design that the interpreter is given.
    Design(fn(&mut Design)),
}

/// An operand without operators in it.
const OPERAND: &str = r"[\w']+(?:\[[^\[\]]*\])?";

fn replaced(text: &str, pattern: &str, with: &str) -> String {
    let pattern = pattern.replace("OPERAND", OPERAND);
    Regex::new(&pattern).expect("a pattern").replace_all(text, with).into_owned()
}

fn replaced_by(text: &str, pattern: &str, with: impl Fn(&Captures) -> String) -> String {
    Regex::new(pattern).expect("a pattern").replace_all(text, with).into_owned()
}

/// Replaces each `<=` that compares, or each that assigns.
fn less_or_equal(text: &str, that_assigns: bool, with: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut assigned) = (0, false);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if rest.starts_with(" <= ") {
            let assigns = depth == 0 && !assigned;
            assigned |= assigns;
            out.push_str(if assigns == that_assigns { with } else { " <= " });
            rest = &rest[4..];
            continue;
        }
        match next {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            '=' if depth == 0 => assigned = true,
            ';' | '\n' if depth == 0 => assigned = false,
            _ => {}
        }
        // An assignment goes on in the next line.
        if next == ';' {
            assigned = false;
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    out
}

/// Exchanges neighbouring lines that set the same signal.
fn assignments_exchanged(text: &str) -> String {
    let target = Regex::new(r"^(\s*)(?:if \(.*\) )?(\w+)(?:\[[^=<]*\])? <?= .*;$").expect("a pattern");
    let mut lines: Vec<&str> = text.lines().collect();
    let of = |line: &str| target.captures(line).map(|found| (found[1].len(), found[2].to_owned()));
    let mut position = 1;
    while position < lines.len() {
        let (first, second) = (of(lines[position - 1]), of(lines[position]));
        if first.is_some() && first == second {
            lines.swap(position - 1, position);
            position += 1;
        }
        position += 1;
    }
    lines.join("\n") + "\n"
}

/// Changes operators of all modules.
fn operators(design: &mut Design, change: impl Fn(&Module, &Op, u32) -> Option<Op>) {
    for module in &mut design.modules {
        for index in 0..module.nodes.len() {
            let changed = change(module, &module.nodes[index].op, module.nodes[index].width);
            if let Some(op) = changed {
                module.nodes[index].op = op;
            }
        }
    }
}

fn binary(design: &mut Design, from: Binary, to: Binary) {
    operators(design, |_, op, _| match op {
        Op::Binary(by, a, b) if *by == from => Some(Op::Binary(to, *a, *b)),
        _ => None,
    });
}

/// Changes the registers of all modules.
fn registers(design: &mut Design, change: impl Fn(&mut SignalKind, &mut DomainId, u32)) {
    for module in &mut design.modules {
        for signal in &mut module.signals {
            if matches!(signal.kind, SignalKind::Register { .. }) {
                change(&mut signal.kind, &mut signal.domain, signal.width);
            }
        }
    }
}

/// Changes every list of statements of all modules.
fn blocks(design: &mut Design, change: &dyn Fn(&mut Vec<Stmt>)) {
    fn inside(body: &mut Vec<Stmt>, change: &dyn Fn(&mut Vec<Stmt>)) {
        change(body);
        for stmt in body {
            match stmt {
                Stmt::If { arms, otherwise, .. } => {
                    arms.iter_mut().for_each(|(_, body)| inside(body, change));
                    inside(otherwise, change);
                }
                Stmt::Switch { arms, .. } => arms.iter_mut().for_each(|body| inside(body, change)),
                Stmt::Each { body, .. } => inside(body, change),
                _ => {}
            }
        }
    }
    design.modules.iter_mut().for_each(|module| inside(&mut module.body, change));
}

/// Changes every statement of all modules.
fn statements(design: &mut Design, change: fn(&mut Stmt)) {
    blocks(design, &|body| body.iter_mut().for_each(change));
}

/// All faults: first those of the printer.
pub const FAULTS: &[Fault] = &[
    text("printer: `a - b` as `b - a`", |t| replaced(t, "(OPERAND) - (OPERAND)", "$2 - $1")),
    text("printer: `a - (b - c)` as `a - b - c`", |t| replaced(t, r"- \((OPERAND [+-] OPERAND)\)", "- $1")),
    text("printer: `a + b` as `a - b`", |t| {
        t.replace(" + ", " - ").replace("k - 1", "k + 1").replace("i - 1", "i + 1")
    }),
    text("printer: `>>>` as `>>`", |t| t.replace(">>>", ">>")),
    text("printer: `$signed` left out", |t| t.replace("$signed(", "(")),
    text("printer: `a <= b` as `a < b`", |t| less_or_equal(t, false, " < ")),
    text("printer: `a < b` as `a <= b`", |t| replaced(t, r"\((OPERAND) < (OPERAND)\)", "($1 <= $2)")),
    text("printer: `x <= a` as `x = a`", |t| less_or_equal(t, true, " = ")),
    text("printer: `==` as `!=`", |t| t.replace(" == ", " != ")),
    text("printer: `a & b` as `a | b`", |t| t.replace(" & ", " | ")),
    text("printer: `a | b` as `a ^ b`", |t| t.replace(" | ", " ^ ")),
    text("printer: `a && b` as `a || b`", |t| t.replace(" && ", " || ")),
    text("printer: `~` left out", |t| replaced(t, r"([ (])~", "$1")),
    text("printer: unary `-` left out", |t| replaced(t, r"([(=,] ?)-", "$1")),
    text("printer: `|a` as `&a`", |t| replaced(t, r"\(\|", "(&")),
    text("printer: `^a` as `|a`", |t| replaced(t, r"([=(] ?)\^(\w)", "$1|$2")),
    text("printer: `c ? a : b` as `c ? b : a`", |t| replaced(t, r" \? (OPERAND) : (OPERAND)([;,)])", " ? $2 : $1$3")),
    text("printer: `{a, b}` as `{b, a}`", |t| replaced(t, r"\{(OPERAND), (OPERAND)\}", "{$2, $1}")),
    text("printer: sign extension by zeros", |t| replaced(t, r"\{\{(\d+)\{(\w+\[\d+\])\}\}, ", "{{$1{1'b0}}, ")),
    text("printer: slices one bit too low", |t| {
        replaced_by(t, r"(\w)\[(\d+):([1-9]\d*)\]", |found| {
            let bound = |which: usize| found[which].parse::<u32>().map_or(0, |bound| bound - 1);
            format!("{}[{}:{}]", &found[1], bound(2), bound(3))
        })
    }),
    text("printer: slices one bit too short", |t| {
        replaced_by(t, r"(\w)\[(\d+):(\d+)\]", |found| match (found[2].parse::<u32>(), found[3].parse::<u32>()) {
            (Ok(high), Ok(low)) if high > low => format!("{}[{}:{low}]", &found[1], high - 1),
            _ => found[0].to_owned(),
        })
    }),
    text("printer: no guard where an index may be out of range", |t| {
        replaced(t, r"\((?:\{[^{}]*\}|[\w\[\]:]+) < \d+'d\d+\) \? ", "(1'b1) ? ")
    }),
    text("printer: no guard where a write may be beyond the memory", |t| {
        replaced(t, r"if \([^()]* < \d+'d\d+\) (mem_\d+\[)", "if (1'b1) $1")
    }),
    text("printer: a computed index hits all elements above", |t| replaced(t, r"== (k\[[\d:]+\]|\w+_index)", ">= $1")),
    text("printer: enables of a memory left out", enables_left_out),
    text("printer: enable of a read port left out", |t| replaced(t, r"if \(.*\) (q_\d+(?:_word)? <= mem)", "$1")),
    text("printer: no bypass", |t| replaced(t, r"(\w+_bypass(?:\[\w+\])?) \? ", "($1 & 1'b0) ? ")),
    text("printer: reset left out", |t| replaced(t, r"if \((\w*rst)\)", "if ($1 && 1'b0)")),
    text("printer: reset value off by one", |t| replaced(t, r"(if \(\w*rst\) \w+ <= [^;]*);", "$1 ^ 1'b1;")),
    text("printer: asynchronous reset made synchronous", |t| replaced(t, r" or posedge \w*rst\)", ")")),
    text("printer: synchronous reset made asynchronous", |t| {
        replaced(t, r"@\(posedge (\w*)clk\)(\s+)if \(\w*rst\)", "@(posedge ${1}clk or posedge ${1}rst)${2}if (${1}rst)")
    }),
    text("printer: the wrong clock", |t| replaced(t, r"posedge (slow|fast)_clk", "posedge clk")),
    text("printer: `default` takes the arm before it", |t| {
        replaced(t, r"(\n\s+\w+): (.*)(\n\s+)default: (.*)", "$1: $4${3}default: $2")
    }),
    text("printer: the code of a variant off by one", |t| {
        replaced(t, r"(localparam \[\d+:0\] [A-Z_]+ = [^;]*);", "$1 ^ 1'b1;")
    }),
    text("printer: of two assignments the first wins", assignments_exchanged),
    text("printer: `else` left out", |t| replaced(t, r"\n\s+else [\w\[\]:]+ <?= .*;", "")),
    text("printer: loops start at 1", |t| replaced(t, r"\((\w) = 0; ", "($1 = 1; ")),
    text("printer: loops end early", |t| replaced(t, r"; (\w) < (\d+); ", "; $1 + 1 < $2; ")),
    text("printer: ports of an instance exchanged", |t| {
        replaced(t, r"\.in_(\d+)\(([^()]*)\),(\s+)\.in_(\d+)\(([^()]*)\)", ".in_$1($5),$3.in_$4($2)")
    }),
    text("printer: memory content in the wrong words", |t| replaced(t, r"(mem_\d+)\[0\] = ", "$1[1] = ")),
    design("interpreter: `a - b` as `b - a`", |d| {
        operators(d, |_, op, _| match op {
            Op::Binary(Binary::Subtract, a, b) => Some(Op::Binary(Binary::Subtract, *b, *a)),
            _ => None,
        });
    }),
    design("interpreter: unsigned `<` as `<=`", |d| binary(d, Binary::Less, Binary::LessEqual)),
    design("interpreter: unsigned `<=` as `<`", |d| binary(d, Binary::LessEqual, Binary::Less)),
    design("interpreter: signed `<` as unsigned", |d| binary(d, Binary::LessSigned, Binary::Less)),
    design("interpreter: signed `<=` as signed `<`", |d| binary(d, Binary::LessEqualSigned, Binary::LessSigned)),
    design("interpreter: signed product as unsigned", |d| binary(d, Binary::MultiplySigned, Binary::Multiply)),
    design("interpreter: unsigned product as signed", |d| binary(d, Binary::Multiply, Binary::MultiplySigned)),
    design("interpreter: shift right signed as unsigned", |d| binary(d, Binary::ShiftRightSigned, Binary::ShiftRight)),
    design("interpreter: shift left as right", |d| binary(d, Binary::ShiftLeft, Binary::ShiftRight)),
    design("interpreter: equal as not equal", |d| binary(d, Binary::Equal, Binary::NotEqual)),
    design("interpreter: mux takes the other", |d| {
        operators(d, |_, op, _| match op {
            Op::Mux(c, a, b) => Some(Op::Mux(*c, *b, *a)),
            _ => None,
        });
    }),
    design("interpreter: concatenation from the wrong end", |d| {
        operators(d, |_, op, _| match op {
            Op::Concat(parts) => Some(Op::Concat(parts.iter().rev().copied().collect())),
            _ => None,
        });
    }),
    design("interpreter: slices one bit too low", |d| {
        operators(d, |_, op, _| match op {
            Op::Slice { of, low } if *low > 0 => Some(Op::Slice { of: *of, low: low - 1 }),
            _ => None,
        });
    }),
    design("interpreter: sign extension by repetition", |d| {
        operators(d, |module, op, width| match op {
            Op::SignExtend(a) if width.is_multiple_of(module.node(*a).width) => Some(Op::Repeat(*a)),
            _ => None,
        });
    }),
    design("interpreter: not does nothing", |d| {
        operators(d, |_, op, _| match op {
            Op::Unary(Unary::Not, a) => Some(Op::Slice { of: *a, low: 0 }),
            _ => None,
        });
    }),
    design("interpreter: negation as not", |d| {
        operators(d, |_, op, _| match op {
            Op::Unary(Unary::Negate, a) => Some(Op::Unary(Unary::Not, *a)),
            _ => None,
        });
    }),
    design("interpreter: parity as any", |d| {
        operators(d, |_, op, _| match op {
            Op::Unary(Unary::Parity, a) => Some(Op::Unary(Unary::Any, *a)),
            _ => None,
        });
    }),
    design("interpreter: reset values have their lowest bit wrong", |d| {
        registers(d, |kind, _, width| {
            if let SignalKind::Register { reset: Some(reset), .. } = kind {
                reset.value = Value::new(width, reset.value.bits() ^ Value::new(width, 1u8).bits());
            }
        });
    }),
    design("interpreter: registers have no reset", |d| {
        registers(d, |kind, _, _| {
            if let SignalKind::Register { reset, .. } = kind {
                *reset = None;
            }
        });
    }),
    design("interpreter: asynchronous resets wait for the clock", |d| {
        registers(d, |kind, _, _| {
            if let SignalKind::Register { reset: Some(reset), .. } = kind {
                reset.asynchronous = false;
            }
        });
    }),
    design("interpreter: synchronous resets act at once", |d| {
        registers(d, |kind, _, _| {
            if let SignalKind::Register { reset: Some(reset), .. } = kind {
                reset.asynchronous = true;
            }
        });
    }),
    design("interpreter: registers of all domains have the default clock", |d| {
        registers(d, |_, domain, _| *domain = DomainId(0));
    }),
    design("interpreter: a read port gives the old word where it should give the new one", |d| {
        collisions(d, Collision::New, Collision::Old);
    }),
    design("interpreter: a read port gives the new word where it should give the old one", |d| {
        collisions(d, Collision::Old, Collision::New);
    }),
    design("interpreter: a write takes no heed of its enables", |d| {
        statements(d, |stmt| {
            if let Stmt::MemoryWrite { enables, .. } = stmt {
                *enables = None;
            }
        });
    }),
    design("interpreter: statements run backwards", |d| blocks(d, &|body| body.reverse())),
    design("interpreter: the last arm of `when` is tried first", |d| {
        statements(d, |stmt| {
            if let Stmt::If { arms, .. } = stmt {
                arms.reverse();
            }
        });
    }),
    design("interpreter: `otherwise` never runs", |d| {
        statements(d, |stmt| {
            if let Stmt::If { otherwise, .. } = stmt {
                otherwise.clear();
            }
        });
    }),
    design("interpreter: illegal codes run the first arm", |d| {
        statements(d, |stmt| {
            if let Stmt::Switch { encoding, .. } = stmt {
                let mut other = (**encoding).clone();
                other.reset = usize::from(other.reset == 0) % other.variants.len();
                *encoding = other.into();
            }
        });
    }),
    design("interpreter: recurrences give their first value", |d| {
        statements(d, |stmt| {
            if let Stmt::Scan { accumulators, .. } = stmt {
                accumulators.iter_mut().for_each(|accumulator| accumulator.next = accumulator.initial);
            }
        });
    }),
    design("interpreter: loops end early", |d| {
        for module in &mut d.modules {
            module.loops.iter_mut().for_each(|of| of.count = of.count.max(2) - 1);
        }
    }),
    design("interpreter: defaults are zero", |d| {
        for module in &mut d.modules {
            module.signals.iter_mut().for_each(|signal| signal.default = None);
        }
    }),
    design("interpreter: memory content one word off", |d| {
        for module in &mut d.modules {
            module
                .memories
                .iter_mut()
                .filter_map(|memory| memory.initial.as_mut())
                .for_each(|words| words.rotate_left(1));
        }
    }),
];

const fn text(name: &'static str, change: fn(&str) -> String) -> Fault {
    Fault { name, change: Change::Text(change) }
}

const fn design(name: &'static str, change: fn(&mut Design)) -> Fault {
    Fault { name, change: Change::Design(change) }
}

fn collisions(design: &mut Design, from: Collision, to: Collision) {
    for module in &mut design.modules {
        for port in module.memories.iter_mut().flat_map(|memory| &mut memory.reads) {
            if port.collision == from {
                port.collision = to;
            }
        }
    }
}

/// Every granule of a word is written where one is.
fn enables_left_out(text: &str) -> String {
    replaced(text, r"if \([^\n]*\) (mem_\d+\[[^\n]*\]\[[^\n]* <= )", "$1")
}

/// How a fault fared.
pub enum Fate {
    /// Found in circuit so many, counted from 1.
    Found(u64),
    /// Changed something in so many circuits, and none showed it.
    Missed(u64),
}

/// Plants each fault and says when it is found.
///
/// # Errors
/// A tool that is missing; circuits that disagree without any fault.
pub fn plant(
    tools: &Tools,
    folder: &Path,
    seed: u64,
    faults: &[&Fault],
    progress: &ProgressBar,
) -> Result<Vec<Fate>, Box<dyn Error>> {
    const TOGETHER: u64 = 20;
    let mut fates: BTreeMap<usize, Fate> = BTreeMap::new();
    let mut changed = vec![0; faults.len()];
    for first in (0..CIRCUITS).step_by(TOGETHER as usize) {
        let mut subjects = vec![];
        for number in first..first + TOGETHER {
            match Subject::new(generate::recipe(seed, number)) {
                Ok(subject) => subjects.push(subject),
                Err(_) => return Err(format!("circuit {number} is wrong without a fault").into()),
            }
        }
        let plain = run(tools, folder, &subjects, |subject| subject.seeded.clone())?;
        if let Some(wrong) =
            subjects.iter().zip(&plain).find(|(subject, seen)| *seen != &Some(subject.expected.clone()))
        {
            return Err(format!("circuit {} is wrong without a fault", wrong.0.case.recipe.number).into());
        }
        for (index, fault) in
            faults.iter().enumerate().filter(|(index, _)| !fates.contains_key(index)).collect::<Vec<_>>()
        {
            let found = match fault.change {
                Change::Text(change) => {
                    let altered = |subject: &Subject| -> Vec<File> {
                        let alter = |file: &File| File { module: file.module.clone(), text: change(&file.text) };
                        subject.seeded.iter().map(alter).collect()
                    };
                    let touched: Vec<&Subject> = subjects.iter().filter(|s| altered(s) != s.seeded).collect();
                    changed[index] += touched.len() as u64;
                    let mut found = None;
                    for few in touched.chunks(4) {
                        let seen = run_each(tools, folder, few, &altered)?;
                        let wrong = few
                            .iter()
                            .zip(seen)
                            .find(|(subject, seen)| seen.as_ref().is_some_and(|seen| *seen != subject.expected));
                        if let Some((subject, _)) = wrong {
                            found = Some(subject.case.recipe.number);
                            break;
                        }
                    }
                    found
                }
                Change::Design(change) => subjects.iter().find_map(|subject| {
                    let mut other = (*subject.case.design).clone();
                    change(&mut other);
                    if other.modules == subject.case.design.modules {
                        return None;
                    }
                    changed[index] += 1;
                    // A fault that makes the interpreter stop is noticed, but not by comparison.
                    let values = catching(|| subject.case.interpret(&other)).ok()?;
                    (values != subject.expected).then_some(subject.case.recipe.number)
                }),
            };
            if let Some(number) = found {
                progress.inc(1);
                fates.insert(index, Fate::Found(number + 1));
            }
        }
        if fates.len() == faults.len() {
            break;
        }
    }
    let fate = |(index, _)| fates.remove(&index).unwrap_or(Fate::Missed(changed[index]));
    Ok(faults.iter().enumerate().map(fate).collect())
}

/// What Icarus sees of circuits, all in one run; none where it sees something unknown.
fn run(
    tools: &Tools,
    folder: &Path,
    subjects: &[Subject],
    files: impl Fn(&Subject) -> Vec<File>,
) -> Result<Vec<Option<Vec<Value>>>, Box<dyn Error>> {
    let members: Vec<Member> =
        subjects.iter().map(|subject| Member { case: &subject.case, files: files(subject) }).collect();
    let seen = simulate::icarus(tools, folder, &members)?;
    let values = |seen: Vec<simulate::Seen>| {
        seen.into_iter()
            .map(|seen| match seen {
                simulate::Seen::Known(value) => Some(value),
                simulate::Seen::Unknown(_) => None,
            })
            .collect()
    };
    Ok(seen.into_iter().map(values).collect())
}

/// As [`run`], for altered text: none where Icarus refuses it. Something unknown is never what is expected.
fn run_each(
    tools: &Tools,
    folder: &Path,
    subjects: &[&Subject],
    files: &dyn Fn(&Subject) -> Vec<File>,
) -> Result<Vec<Option<Vec<Value>>>, Box<dyn Error>> {
    let members: Vec<Member> =
        subjects.iter().map(|subject| Member { case: &subject.case, files: files(subject) }).collect();
    match simulate::icarus(tools, folder, &members) {
        Ok(seen) => Ok(seen
            .iter()
            .zip(subjects)
            .map(|(seen, subject)| match first_difference(&subject.expected, seen) {
                None => Some(subject.expected.clone()),
                Some(_) => Some(vec![]),
            })
            .collect()),
        Err(_) if subjects.len() == 1 => Ok(vec![None]),
        Err(_) => subjects.iter().try_fold(vec![], |mut all, subject| {
            all.extend(run_each(tools, folder, &[subject], files)?);
            Ok(all)
        }),
    }
}
