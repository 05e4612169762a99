//! Verilog as text: expressions with as many parentheses as they need, statements, and the breaking of long lines.

use crate::value::Value;

/// Longest line, in columns.
pub(super) const COLUMNS: usize = 110;
/// Longest statement that stays on the line of the `always` or `if` before it.
const ONE_LINE: usize = 100;

/// An expression of Verilog.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    /// A name, with its select if any.
    Name(String),
    /// A constant.
    Literal(Value),
    /// An operator of one operand.
    Unary(&'static str, Box<Expr>),
    /// An operator of two operands.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `{a, b}`.
    Concat(Vec<Expr>),
    /// `{3{a}}`.
    Repeat(u32, Box<Expr>),
    /// `$signed(a)`.
    Call(&'static str, Box<Expr>),
}

impl Expr {
    pub(super) fn unary(op: &'static str, a: Expr) -> Self {
        Self::Unary(op, Box::new(a))
    }

    pub(super) fn binary(op: &'static str, a: Expr, b: Expr) -> Self {
        Self::Binary(op, Box::new(a), Box::new(b))
    }

    pub(super) fn ternary(c: Expr, a: Expr, b: Expr) -> Self {
        Self::Ternary(Box::new(c), Box::new(a), Box::new(b))
    }

    /// Zeros above `a`, `by` of them.
    pub(super) fn zero_extended(by: u32, a: Expr) -> Self {
        if by == 0 { a } else { Self::concat(vec![Self::Literal(Value::zero(by)), a]) }
    }

    /// Operands side by side; concatenations inside are opened.
    pub(super) fn concat(parts: Vec<Expr>) -> Self {
        let mut flat = vec![];
        for part in parts {
            match part {
                Self::Concat(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Concat(flat) }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Literal(value) => literal(value),
            Self::Unary(op, a) => format!("{op}{}", a.text_in(Level::Unary)),
            Self::Binary(op, a, b) => {
                let level = Level::of(op);
                // Chains of one operator that groups from the left need no parentheses on the left.
                let left = match &**a {
                    Self::Binary(inner, ..) if inner == op && level.chains() => a.text(),
                    _ => a.text_in(level),
                };
                format!("{left} {op} {}", b.text_in(level))
            }
            Self::Ternary(c, a, b) => {
                format!("{} ? {} : {}", c.text_in(Level::Choice), a.text_in(Level::Choice), b.text())
            }
            Self::Concat(parts) => format!("{{{}}}", parts.iter().map(Self::text).collect::<Vec<_>>().join(", ")),
            Self::Repeat(n, a) => match &**a {
                Self::Concat(_) => format!("{{{n}{}}}", a.text()),
                _ => format!("{{{n}{{{}}}}}", a.text()),
            },
            Self::Call(name, a) => format!("{name}({})", a.text()),
        }
    }

    /// As an operand of an operator of this level: in parentheses unless every reader knows that it needs none.
    fn text_in(&self, around: Level) -> String {
        let bare = match self {
            Self::Name(_) | Self::Literal(_) | Self::Concat(_) | Self::Repeat(..) | Self::Call(..) => true,
            // `&a` beside `&` reads as `&&`; `~&a` is another operator.
            Self::Unary(op, a) => match around {
                Level::Unary => false,
                Level::Bits | Level::Choice => matches!(*op, "~" | "!") && !matches!(**a, Self::Unary(..)),
                _ => true,
            },
            Self::Binary(op, ..) => {
                matches!((around, Level::of(op)), (Level::Logic, Level::Compare) | (Level::Compare, Level::Sum))
            }
            Self::Ternary(..) => false,
        };
        if bare { self.text() } else { format!("({})", self.text()) }
    }
}

/// How tightly an operator binds, as far as a reader can be expected to know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Choice,
    Logic,
    Bits,
    Compare,
    Shift,
    Sum,
    Product,
    Unary,
}

impl Level {
    fn of(op: &str) -> Self {
        match op {
            "&&" | "||" => Self::Logic,
            "&" | "|" | "^" => Self::Bits,
            "==" | "!=" | "<" | "<=" | ">" | ">=" => Self::Compare,
            "<<" | ">>" | ">>>" => Self::Shift,
            "+" | "-" => Self::Sum,
            "*" => Self::Product,
            _ => unreachable!("operator {op}"),
        }
    }

    /// Whether `a op b op c` is what everybody writes for `(a op b) op c`.
    fn chains(self) -> bool {
        matches!(self, Self::Logic | Self::Bits | Self::Sum)
    }
}

/// A sized constant, as a person would write it.
pub(super) fn literal(value: &Value) -> String {
    let width = value.width();
    if width == 1 {
        return value.to_string();
    }
    if width > 8 && *value == Value::ones(width) {
        return format!("{{{width}{{1'b1}}}}");
    }
    match value.to_u64() {
        Some(small) if small < 100 || (small.is_power_of_two() && small < 1 << 20) => format!("{width}'d{small}"),
        _ => format!("{width}'h{:x}", value.bits()),
    }
}

/// A statement of Verilog.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    /// `target <= value;` or `target = value;`.
    Assign { target: String, operator: &'static str, value: Expr },
    /// `if … else if … else …`.
    If { arms: Vec<(Expr, Vec<Stmt>)>, otherwise: Vec<Stmt> },
    /// `case`: labels with their bodies, and `default` with its comment.
    Case { selector: Expr, arms: Vec<(String, Vec<Stmt>)>, default: Option<(Vec<Stmt>, String)> },
    /// `for` over an integer from 0.
    For { variable: String, count: u32, body: Vec<Stmt> },
    /// Anything else, without its semicolon.
    Other(String),
    /// The same, with a comment.
    Noted(String, String),
}

impl Stmt {
    fn is_simple(&self) -> bool {
        matches!(self, Self::Assign { .. } | Self::Other(_) | Self::Noted(..))
    }

    /// An `if` without an `else`, and what it stands before.
    fn guard(&self) -> Option<(&Expr, &[Stmt])> {
        match self {
            Self::If { arms, otherwise } if arms.len() == 1 && otherwise.is_empty() => Some((&arms[0].0, &arms[0].1)),
            _ => None,
        }
    }

    fn lines(&self) -> Vec<String> {
        match self {
            Self::Assign { target, operator, value } => vec![format!("{target} {operator} {};", value.text())],
            Self::Other(text) => vec![format!("{text};")],
            Self::Noted(text, comment) => vec![format!("{text}; // {comment}")],
            Self::If { arms, otherwise } => if_lines(arms, otherwise),
            Self::Case { selector, arms, default } => {
                let mut lines = vec![format!("case ({})", selector.text())];
                for (label, body) in arms {
                    lines.extend(indented(headed(&format!("{label}:"), body)));
                }
                if let Some((body, comment)) = default {
                    let mut arm = headed("default:", body);
                    if !comment.is_empty() {
                        arm[0] = format!("{} // {comment}", arm[0]);
                    }
                    lines.extend(indented(arm));
                }
                lines.push("endcase".into());
                lines
            }
            Self::For { variable, count, body } => {
                headed(&format!("for ({variable} = 0; {variable} < {count}; {variable} = {variable} + 1)"), body)
            }
        }
    }
}

fn if_lines(arms: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> Vec<String> {
    // `if (a) if (b) x` is `if (a && b) x`.
    if let ([(condition, body)], []) = (arms, otherwise)
        && let [inner] = &body[..]
        && let Some((also, body)) = inner.guard()
    {
        let both = Expr::binary("&&", condition.clone(), also.clone());
        return if_lines(&[(both, body.to_vec())], &[]);
    }
    // `else begin if … end` is `else if …`.
    if let [Stmt::If { arms: more, otherwise: last }] = otherwise {
        let arms = arms.iter().chain(more).cloned().collect::<Vec<_>>();
        return if_lines(&arms, last);
    }
    let alone = arms.len() == 1 && otherwise.is_empty();
    let mut lines: Vec<String> = vec![];
    let mut push = |head: String, body: &[Stmt], alone: bool| {
        let head = match lines.last() {
            Some(last) if last == "end" => {
                lines.pop();
                format!("end {head}")
            }
            _ => head,
        };
        lines.extend(if alone { headed(&head, body) } else { in_chain(&head, body) });
    };
    for (i, (condition, body)) in arms.iter().enumerate() {
        push(format!("{}if ({})", if i == 0 { "" } else { "else " }, condition.text()), body, alone);
    }
    if !otherwise.is_empty() {
        push("else".into(), otherwise, false);
    }
    lines
}

/// A branch that others follow: only a simple statement goes without `begin`.
fn in_chain(head: &str, body: &[Stmt]) -> Vec<String> {
    match body {
        [one] if one.is_simple() => headed(head, body),
        [Stmt::Case { .. }] if head.ends_with("else") => {
            let mut lines = body[0].lines();
            lines[0] = format!("{head} {}", lines[0]);
            lines
        }
        _ => braced(head, body),
    }
}

fn braced(head: &str, body: &[Stmt]) -> Vec<String> {
    let mut lines = vec![format!("{head} begin")];
    lines.extend(indented(body.iter().flat_map(Stmt::lines).collect()));
    lines.push("end".into());
    lines
}

/// A head with its body behind or below it.
fn headed(head: &str, body: &[Stmt]) -> Vec<String> {
    if body.is_empty() && head.ends_with(':') {
        return vec![format!("{head} ;")];
    }
    let [one] = body else { return braced(head, body) };
    let branches = matches!(one, Stmt::If { .. }) && one.guard().is_none();
    if branches && (head.starts_with("if") || head.starts_with("else")) {
        return braced(head, body);
    }
    let lines = one.lines();
    match &lines[..] {
        [line] if head.len() + 1 + line.len() <= ONE_LINE => vec![format!("{head} {line}")],
        [first, ..] if matches!(one, Stmt::For { .. }) || one.guard().is_some() => {
            let mut joined = vec![format!("{head} {first}")];
            if joined[0].len() > ONE_LINE || !first.ends_with("begin") {
                joined = vec![head.to_string()];
                joined.extend(indented(lines));
            } else {
                joined.extend(lines[1..].iter().cloned());
            }
            joined
        }
        _ => {
            let mut below = vec![head.to_string()];
            below.extend(indented(lines));
            below
        }
    }
}

/// One step to the right.
pub(super) fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|l| if l.is_empty() || l.starts_with('`') { l } else { format!("    {l}") }).collect()
}

/// A process: its event, the name of its block and its own variables if it has any, its statements.
pub(super) fn process(head: &str, label: &str, locals: &[String], body: &[Stmt]) -> Vec<String> {
    if label.is_empty() {
        return headed(head, body);
    }
    let mut lines = vec![format!("{head} begin : {label}")];
    lines.extend(indented(locals.to_vec()));
    lines.extend(indented(body.iter().flat_map(Stmt::lines).collect()));
    lines.push("end".into());
    lines
}

/// Breaks a line that is too long, between tokens; comments and strings stay whole.
pub(super) fn broken(line: &str) -> Vec<String> {
    if line.len() <= COLUMNS || line.trim_start().starts_with("//") || line.contains('"') {
        return vec![line.to_string()];
    }
    let (code, comment) = match line.find("// ") {
        Some(at) => (line[..at].trim_end(), Some(&line[at..])),
        None => (line, None),
    };
    let indent = code.len() - code.trim_start().len();
    let deeper = " ".repeat(indent + 8);
    let mut lines = vec![];
    if let Some(comment) = comment {
        lines.push(format!("{}{comment}", " ".repeat(indent)));
    }
    let mut rest = code.to_string();
    while rest.len() > COLUMNS {
        let Some(at) = break_of(&rest) else { break };
        lines.push(rest[..at].to_string());
        rest = format!("{deeper}{}", &rest[at + 1..]);
    }
    lines.push(rest);
    lines
}

/// Where to break a line: as late as it goes, but outside of as many parentheses as the last half of it allows.
fn break_of(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let mut depth = 0;
    let mut best: Option<(i32, usize)> = None;
    for (at, c) in line.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ' ' if at > start => {
                let late = at >= COLUMNS / 2;
                let better = best.is_none_or(|(d, b)| b < COLUMNS / 2 || (late && depth <= d));
                if at <= COLUMNS && better || best.is_none() {
                    best = Some((depth, at));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at)
}

/// The comparison that holds when this one does not.
pub(super) fn opposite(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "==" => "!=",
        "!=" => "==",
        "<" => ">=",
        "<=" => ">",
        _ => return None,
    })
}

/// The opposite of a condition.
pub(super) fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Binary(operator, a, b) if opposite(operator).is_some() => {
            Expr::Binary(opposite(operator).expect("just seen"), a, b)
        }
        Expr::Unary("!", a) => *a,
        other => Expr::unary("!", other),
    }
}

/// `[7:0] `, or nothing for one bit.
pub(super) fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

pub(super) fn for_head(variable: &str, count: u32, label: &str) -> String {
    format!("for ({variable} = 0; {variable} < {count}; {variable} = {variable} + 1) begin : {label}")
}

/// The runs of marked bits of a name, as selects.
pub(super) fn ranges(name: &str, marked: &[bool]) -> Vec<String> {
    let mut found = vec![];
    let mut at = 0;
    while at < marked.len() {
        if !marked[at] {
            at += 1;
            continue;
        }
        let low = at;
        while at < marked.len() && marked[at] {
            at += 1;
        }
        found.push(match (low, at - 1) {
            (0, high) if high + 1 == marked.len() => name.to_string(),
            (low, high) if low == high => format!("{name}[{low}]"),
            (low, high) => format!("{name}[{high}:{low}]"),
        });
    }
    found.reverse();
    found
}

/// `CamelCase` or `snake_case` as `UPPER_SNAKE_CASE`.
pub(super) fn upper(name: &str) -> String {
    let mut result = String::new();
    let mut before_is_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before_is_lower {
            result.push('_');
        }
        before_is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        result.push(c.to_ascii_uppercase());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(n: &str) -> Expr {
        Expr::Name(n.into())
    }

    #[test]
    fn a_difference_on_the_right_keeps_its_parentheses() {
        let inner = Expr::binary("-", name("b"), name("c"));
        assert_eq!(Expr::binary("-", name("a"), inner.clone()).text(), "a - (b - c)");
        assert_eq!(Expr::binary("-", inner, name("a")).text(), "b - c - a");
    }

    #[test]
    fn mixed_operators_are_parenthesized() {
        let and = Expr::binary("&", name("a"), name("b"));
        assert_eq!(Expr::binary("==", and.clone(), name("c")).text(), "(a & b) == c");
        assert_eq!(Expr::binary("|", and.clone(), name("c")).text(), "(a & b) | c");
        assert_eq!(Expr::binary("&", and, name("c")).text(), "a & b & c");
        let sum = Expr::binary("+", name("a"), name("b"));
        assert_eq!(Expr::binary("==", sum.clone(), name("c")).text(), "a + b == c");
        assert_eq!(Expr::binary("-", sum.clone(), name("c")).text(), "(a + b) - c");
        assert_eq!(Expr::binary(">>", sum, name("c")).text(), "(a + b) >> c");
    }

    #[test]
    fn reductions_stand_apart() {
        let all = Expr::unary("&", name("a"));
        assert_eq!(Expr::binary("&", name("b"), all.clone()).text(), "b & (&a)");
        assert_eq!(Expr::unary("~", all.clone()).text(), "~(&a)");
        assert_eq!(Expr::unary("-", Expr::unary("-", name("a"))).text(), "-(-a)");
        assert_eq!(Expr::binary("&&", name("b"), Expr::unary("|", name("a"))).text(), "b && |a");
    }

    #[test]
    fn a_nested_if_never_takes_the_else_of_the_outer_one() {
        let set = |t: &str| Stmt::Assign { target: t.into(), operator: "<=", value: name("v") };
        let inner = Stmt::If { arms: vec![(name("b"), vec![set("x")])], otherwise: vec![] };
        let outer = Stmt::If { arms: vec![(name("a"), vec![inner])], otherwise: vec![set("y")] };
        assert_eq!(outer.lines(), ["if (a) begin", "    if (b) x <= v;", "end else y <= v;"]);
    }

    #[test]
    fn long_lines_break_between_tokens() {
        let line = format!("    assign x = {{{}}};", vec!["abcdefgh"; 30].join(", "));
        let lines = broken(&line);
        assert!(lines.len() > 1 && lines.iter().all(|l| l.len() <= COLUMNS));
        let joined = lines.iter().map(|l| l.trim()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, line.trim());
    }
}
