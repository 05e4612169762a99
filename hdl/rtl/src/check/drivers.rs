//! Drivers: every bit of a wire, output and instance input is set on every path, and no assignment is wholly
//! overwritten by a later one that always runs.

use crate::arena::describe;
use crate::error::Error;
use crate::ir::{Index, Module, Select, SignalId, SignalKind, Stmt, Target};
use crate::place::Place;
use crate::value::Value;
use std::collections::HashMap;

pub(super) fn check(module: &Module) -> Vec<Error> {
    let mut errors = vec![];
    let written = Written::of(module, &module.body);
    for (id, signal) in module.signals() {
        let must_be_set = match signal.kind {
            SignalKind::Wire | SignalKind::Output | SignalKind::InstanceInput { .. } => signal.default.is_none(),
            _ => false,
        };
        if !must_be_set || is_scanned(module, id) {
            continue;
        }
        let always = written.always.get(&id).cloned().unwrap_or_else(|| Value::zero(signal.width));
        if always == Value::ones(signal.width) {
            continue;
        }
        let missing = Value::new(signal.width, Value::ones(signal.width).bits() ^ always.bits());
        errors.push(match written.first.get(&id) {
            None => Error::new(format!("`{}` is never set", signal.name)).at(signal.place, "declared here"),
            Some(place) => Error::new(format!(
                "`{}` is not set on every path: {} may be left open",
                signal.name,
                bits_of(&missing)
            ))
            .at(signal.place, "declared here")
            .at(*place, "set here, among others or alone")
            .help("`default` gives the value for the other paths"),
        });
    }
    overwritten(module, &module.body, &mut errors);
    errors
}

/// Whether a recurrence drives the signal.
fn is_scanned(module: &Module, signal: SignalId) -> bool {
    module.body.iter().any(|statement| match statement {
        Stmt::Scan { accumulators, outputs, .. } => {
            accumulators.iter().any(|accumulator| accumulator.result == Some(signal))
                || outputs.iter().any(|(output, _)| *output == signal)
        }
        _ => false,
    })
}

/// The bits that are 1, in words.
pub(super) fn bits_of(mask: &Value) -> String {
    if *mask == Value::ones(mask.width()) {
        return if mask.width() == 1 { "it".to_owned() } else { "all bits".to_owned() };
    }
    let mut runs: Vec<(u32, u32)> = vec![];
    for bit in (0..mask.width()).filter(|bit| mask.get(*bit)) {
        match runs.last_mut() {
            Some((_, high)) if *high + 1 == bit => *high = bit,
            _ => runs.push((bit, bit)),
        }
    }
    let texts: Vec<String> =
        runs.iter().map(|(low, high)| if low == high { format!("{low}") } else { format!("{high}..={low}") }).collect();
    if texts.len() == 1 && runs[0].0 == runs[0].1 {
        format!("bit {}", texts[0])
    } else {
        format!("bits {}", texts.join(", "))
    }
}

/// What a list of statements sets.
#[derive(Default)]
struct Written {
    /// Bits set whatever happens.
    always: HashMap<SignalId, Value>,
    /// A place where each signal is set.
    first: HashMap<SignalId, Place>,
}

impl Written {
    fn of(module: &Module, body: &[Stmt]) -> Self {
        let mut all = Self::default();
        for statement in body {
            let one = match statement {
                Stmt::Assign { target, place, .. } => {
                    let mut one = Self::default();
                    one.always.insert(target.signal, always_set(module, target));
                    one.first.insert(target.signal, *place);
                    one
                }
                Stmt::If { arms, otherwise, .. } => {
                    let arms = arms.iter().map(|(_, body)| Self::of(module, body)).chain([Self::of(module, otherwise)]);
                    Self::either(arms.collect())
                }
                Stmt::Switch { arms, .. } => Self::either(arms.iter().map(|body| Self::of(module, body)).collect()),
                Stmt::Each { body, .. } => Self::of(module, body),
                Stmt::Scan { .. } | Stmt::MemoryWrite { .. } | Stmt::Check { .. } => Self::default(),
            };
            for (signal, bits) in one.always {
                let known = all.always.entry(signal).or_insert_with(|| Value::zero(bits.width()));
                *known = Value::new(bits.width(), known.bits() | bits.bits());
            }
            for (signal, place) in one.first {
                all.first.entry(signal).or_insert(place);
            }
        }
        all
    }

    /// What is set whichever of the branches runs.
    fn either(branches: Vec<Self>) -> Self {
        let mut merged = Self::default();
        let (first, rest) = branches.split_first().expect("at least one branch");
        for (signal, bits) in &first.always {
            let mut bits = bits.clone();
            for branch in rest {
                let other = branch.always.get(signal).cloned().unwrap_or_else(|| Value::zero(bits.width()));
                bits = Value::new(bits.width(), bits.bits() & other.bits());
            }
            merged.always.insert(*signal, bits);
        }
        for branch in branches {
            for (signal, place) in branch.first {
                merged.first.entry(signal).or_insert(place);
            }
        }
        merged
    }
}

/// The bits that an assignment sets for sure, once all loops around it have run.
fn always_set(module: &Module, target: &Target) -> Value {
    let whole = module.signal(target.signal).width;
    let mut ranges = vec![(0, whole)];
    for step in &target.path {
        ranges = match step {
            Select::Slice { low, width } => ranges.iter().map(|(start, _)| (start + low, *width)).collect(),
            Select::Part { index: Index::Loop(index), width } => {
                let count = module.loops[index.index()].count;
                ranges.iter().flat_map(|(start, _)| (0..count).map(move |i| (start + i * width, *width))).collect()
            }
            Select::Part { index: Index::Node(_), .. } => vec![],
        };
    }
    ranges.into_iter().fold(Value::zero(whole), |set, (low, width)| set.with_slice(low, &Value::ones(width)))
}

/// Reports assignments that a later one in the same block, or around it, always overwrites.
fn overwritten(module: &Module, body: &[Stmt], errors: &mut Vec<Error>) {
    for (position, statement) in body.iter().enumerate() {
        match statement {
            Stmt::Assign { target, place, .. } => {
                let mine = always_set(module, target);
                if mine.is_zero() {
                    continue;
                }
                let mut open = mine.clone();
                let mut by = None;
                for later in &body[position + 1..] {
                    if let Stmt::Assign { target: other, place: other_place, .. } = later
                        && other.signal == target.signal
                    {
                        let theirs = always_set(module, other);
                        let left = Value::new(open.width(), open.bits() - (open.bits() & theirs.bits()));
                        if left != open {
                            by = Some(*other_place);
                        }
                        open = left;
                    }
                }
                if let (true, Some(by)) = (open.is_zero(), by) {
                    let name = &module.signal(target.signal).name;
                    let error = Error::new(format!("`{name}` is set twice: the first value is never seen"))
                        .at(*place, "first set here")
                        .at(by, "set again here, always")
                        .help("a value for the other paths is a `default`; a signal has one driver");
                    errors.push(error);
                }
            }
            Stmt::If { arms, otherwise, .. } => {
                arms.iter().for_each(|(_, body)| overwritten(module, body, errors));
                overwritten(module, otherwise, errors);
            }
            Stmt::Switch { arms, .. } => arms.iter().for_each(|body| overwritten(module, body, errors)),
            Stmt::Each { body, .. } => overwritten(module, body, errors),
            Stmt::MemoryWrite { memory, enables, address, place, .. } => {
                let again = body[position + 1..].iter().find_map(|later| match later {
                    Stmt::MemoryWrite { memory: other, address: same, enables: None, place, .. }
                        if other == memory && same == address =>
                    {
                        Some(*place)
                    }
                    _ => None,
                });
                if let (None, Some(again)) = (enables, again) {
                    let word =
                        format!("{}[{}]", module.memory(*memory).name, describe(module, *address).trim_matches('`'));
                    errors.push(
                        Error::new(format!("`{word}` is written twice"))
                            .at(*place, "first written here")
                            .at(again, "written again here, always"),
                    );
                }
            }
            Stmt::Scan { .. } | Stmt::Check { .. } => {}
        }
    }
}
