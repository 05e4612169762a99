//! Drivers: every bit of a wire, output and instance input is set on every path, every bit of a register on some path,
//! and no assignment is wholly overwritten by a later one that always runs.

use super::{Around, bodies_of};
use crate::arena::describe;
use crate::error::Error;
use crate::ir::{Index, LoopId, Module, Select, SignalId, SignalKind, Stmt, Target};
use crate::place::Place;
use crate::value::Value;
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) fn check(module: &Module) -> Vec<Error> {
    let mut errors = vec![];
    let written = Written::of(module, &module.body, &mut vec![]);
    for (id, signal) in module.signals() {
        let (set, is_register) = match signal.kind {
            SignalKind::Wire | SignalKind::Output | SignalKind::InstanceInput { .. } => (&written.always, false),
            SignalKind::Register { .. } => (&written.somewhere, true),
            _ => continue,
        };
        if signal.default.is_some() || is_scanned(module, id) {
            continue;
        }
        let set = set.get(&id).cloned().unwrap_or_else(|| Value::zero(signal.width));
        let missing = inverted(&set);
        if missing.is_zero() {
            continue;
        }
        let name = &signal.name;
        errors.push(match first_set(module, &module.body, id, &mut vec![]) {
            None => Error::new(format!("`{name}` is never set")).at(signal.place, "declared here"),
            Some((place, _)) if is_register => {
                Error::new(format!("register `{name}` is set in part only, never {}", bits_of(&missing)))
                    .at(signal.place, "declared here")
                    .at(place, "set here")
            }
            Some((place, around)) => {
                let left = bits_of(&missing);
                let error = match written.somewhere.get(&id).is_some_and(|set| inverted(set).is_zero()) {
                    true => Error::new(format!("`{name}` is not set on every path: {left} may be left open")),
                    false => Error::new(format!("`{name}` is not wholly set: {left} may be left open")),
                };
                error
                    .at(signal.place, "declared here")
                    .at(place, "set here")
                    .within(&around)
                    .help("`default` gives the value for the other paths")
            }
        });
    }
    let mut search = Search { module, loops: vec![], around: vec![], errors: vec![] };
    search.block(&module.body, None);
    errors.extend(search.errors);
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

fn inverted(bits: &Value) -> Value {
    Value::new(bits.width(), Value::ones(bits.width()).bits() ^ bits.bits())
}

/// Adds bits to those that are known of a signal.
fn add(known: &mut BTreeMap<SignalId, Value>, signal: SignalId, bits: Value) {
    let known = known.entry(signal).or_insert_with(|| Value::zero(bits.width()));
    *known = Value::new(bits.width(), known.bits() | bits.bits());
}

/// The bits that are 1, in words.
pub(super) fn bits_of(mask: &Value) -> String {
    if inverted(mask).is_zero() {
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
        runs.iter().map(|(low, high)| if low == high { format!("{low}") } else { format!("{high}:{low}") }).collect();
    match runs[..] {
        [(low, high)] if low == high => format!("bit {low}"),
        _ => format!("bits {}", texts.join(", ")),
    }
}

/// The first place where a signal is set, and what stands around it.
fn first_set(module: &Module, body: &[Stmt], signal: SignalId, around: &mut Around) -> Option<(Place, Around)> {
    for statement in body {
        if let Stmt::Assign { target, place, .. } = statement
            && target.signal == signal
        {
            return Some((*place, around.clone()));
        }
        for (frame, body) in bodies_of(module, statement) {
            around.push(frame);
            let found = first_set(module, body, signal, around);
            if found.is_some() {
                return found;
            }
            around.pop();
        }
    }
    None
}

/// What a list of statements sets.
#[derive(Default)]
struct Written {
    /// Bits set whatever happens.
    always: BTreeMap<SignalId, Value>,
    /// Bits that some path sets.
    somewhere: BTreeMap<SignalId, Value>,
}

impl Written {
    /// Of one iteration of the loops whose indices are told, of all iterations of the others.
    fn of(module: &Module, body: &[Stmt], indices: &mut Indices) -> Self {
        let mut all = Self::default();
        for statement in body {
            match statement {
                Stmt::Assign { target, .. } => {
                    add(&mut all.always, target.signal, bits_set(module, target, indices, false));
                    add(&mut all.somewhere, target.signal, bits_set(module, target, indices, true));
                }
                Stmt::If { arms, otherwise, .. } => {
                    let bodies = arms.iter().map(|(_, body)| body).chain([otherwise]);
                    all.unite(Self::either(bodies.map(|body| Self::of(module, body, indices)).collect()));
                }
                Stmt::Switch { arms, .. } => {
                    all.unite(Self::either(arms.iter().map(|body| Self::of(module, body, indices)).collect()));
                }
                Stmt::Each { index, body } if keeps_apart(*index, body) => all.unite(Self::of(module, body, indices)),
                Stmt::Each { index, body } => {
                    for i in 0..module.loops[index.index()].count {
                        indices.push((*index, i));
                        all.unite(Self::of(module, body, indices));
                        indices.pop();
                    }
                }
                Stmt::Scan { .. } | Stmt::MemoryWrite { .. } | Stmt::Check { .. } => {}
            }
        }
        all
    }

    fn unite(&mut self, other: Self) {
        other.always.into_iter().for_each(|(signal, bits)| add(&mut self.always, signal, bits));
        other.somewhere.into_iter().for_each(|(signal, bits)| add(&mut self.somewhere, signal, bits));
    }

    /// What is set whichever of the branches runs.
    fn either(branches: Vec<Self>) -> Self {
        let mut merged = Self::default();
        let (first, rest) = branches.split_first().expect("at least one branch");
        for (signal, bits) in first.always.clone() {
            let common = rest.iter().try_fold(bits, |bits, branch| {
                branch.always.get(&signal).map(|other| Value::new(bits.width(), bits.bits() & other.bits()))
            });
            common.into_iter().for_each(|bits| add(&mut merged.always, signal, bits));
        }
        for (signal, bits) in branches.into_iter().flat_map(|branch| branch.somewhere) {
            add(&mut merged.somewhere, signal, bits);
        }
        merged
    }
}

/// The values of indices of loops.
type Indices = Vec<(LoopId, u32)>;

/// Whether, of each signal, every assignment in the body of a loop sets bits of the element at its index alone, and of the
/// same such element, or none asks for its index: what one iteration sets is then what all set, taken at one element.
fn keeps_apart(index: LoopId, body: &[Stmt]) -> bool {
    fn targets<'a>(body: &'a [Stmt], out: &mut Vec<&'a Target>) {
        for statement in body {
            match statement {
                Stmt::Assign { target, .. } => out.push(target),
                Stmt::If { arms, otherwise, .. } => {
                    arms.iter().for_each(|(_, body)| targets(body, out));
                    targets(otherwise, out);
                }
                Stmt::Switch { arms, .. } => arms.iter().for_each(|body| targets(body, out)),
                Stmt::Each { body, .. } => targets(body, out),
                Stmt::Scan { .. } | Stmt::MemoryWrite { .. } | Stmt::Check { .. } => {}
            }
        }
    }
    let asks = |step: &Select| matches!(step, Select::Part { index: Index::Loop(of), .. } if *of == index);
    let mut all = vec![];
    targets(body, &mut all);
    let mut elements: BTreeMap<SignalId, &[Select]> = BTreeMap::new();
    all.into_iter().all(|target| {
        let (element, rest) = target.path.split_at(target.path.iter().position(asks).map_or(0, |last| last + 1));
        !rest.iter().any(asks) && *elements.entry(target.signal).or_insert(element) == element
    })
}

/// The bits that an assignment sets, once all loops around it have run whose index is not told: for sure, or, `if_hit`,
/// whatever computed indices may be.
fn bits_set(module: &Module, target: &Target, indices: &Indices, if_hit: bool) -> Value {
    let whole = module.signal(target.signal).width;
    let mut ranges = vec![(0, whole)];
    for step in &target.path {
        let parts = |which: Range<u32>, width: u32| {
            let starts = |(start, _): &(u32, u32)| {
                let start = *start;
                which.clone().map(move |i| (start + i * width, width))
            };
            ranges.iter().flat_map(starts).collect()
        };
        ranges = match step {
            Select::Slice { low, width } => ranges.iter().map(|(start, _)| (start + low, *width)).collect(),
            Select::Part { index: Index::Loop(index), width } => match indices.iter().find(|(told, _)| told == index) {
                Some((_, i)) => parts(*i..i + 1, *width),
                None => parts(0..module.loops[index.index()].count, *width),
            },
            Select::Part { index: Index::Node(_), width } if if_hit => {
                parts(0..ranges.first().map_or(0, |(_, all)| all / width), *width)
            }
            Select::Part { index: Index::Node(_), .. } => vec![],
        };
    }
    ranges.into_iter().fold(Value::zero(whole), |set, (low, width)| set.with_slice(low, &Value::ones(width)))
}

/// What the statements after the present one, in its block and those around, always set.
struct Later<'a> {
    /// Bits, the same in every iteration of the loops around, and where they are set.
    bits: BTreeMap<SignalId, (Value, Place)>,
    /// Elements at the index of a loop around.
    elements: Vec<(&'a Target, Place)>,
    /// Of the block around.
    outer: Option<&'a Later<'a>>,
}

impl Later<'_> {
    /// Where all bits of an assignment are set again, if they are.
    fn again(&self, target: &Target, mine: &Value) -> Option<Place> {
        let by_element = self
            .elements
            .iter()
            .find(|(later, _)| later.signal == target.signal && target.path.starts_with(&later.path));
        let by_bits = self
            .bits
            .get(&target.signal)
            .filter(|(bits, _)| !mine.is_zero() && Value::new(mine.width(), mine.bits() & bits.bits()) == *mine);
        by_element
            .map(|(_, place)| *place)
            .or(by_bits.map(|(_, place)| *place))
            .or_else(|| self.outer.and_then(|outer| outer.again(target, mine)))
    }
}

/// The search for assignments whose value is never seen.
struct Search<'a> {
    module: &'a Module,
    /// The loops whose iterations run the present block whatever happens.
    loops: Vec<LoopId>,
    around: Around,
    errors: Vec<Error>,
}

impl Search<'_> {
    /// From the last statement of a block to the first.
    fn block(&mut self, body: &[Stmt], outer: Option<&Later>) {
        let mut later = Later { bits: BTreeMap::new(), elements: vec![], outer };
        let mut found = vec![];
        for (position, statement) in body.iter().enumerate().rev() {
            match statement {
                Stmt::Assign { target, place, .. } => {
                    found.extend(self.assignment(target, *place, &mut later));
                }
                Stmt::MemoryWrite { .. } => found.extend(self.memory_write(statement, &body[position + 1..])),
                _ => {
                    let outside = std::mem::take(&mut self.errors);
                    let loops = self.loops.clone();
                    match statement {
                        Stmt::Each { index, .. } => self.loops.push(*index),
                        _ => self.loops.clear(),
                    }
                    for (frame, body) in bodies_of(self.module, statement) {
                        self.around.push(frame);
                        self.block(body, Some(&later));
                        self.around.pop();
                    }
                    self.loops = loops;
                    found.extend(std::mem::replace(&mut self.errors, outside).into_iter().rev());
                }
            }
        }
        self.errors.extend(found.into_iter().rev());
    }

    fn assignment<'a>(&self, target: &'a Target, place: Place, later: &mut Later<'a>) -> Option<Error> {
        let signal = self.module.signal(target.signal);
        let mine = bits_set(self.module, target, &vec![], false);
        let error = match later.again(target, &mine) {
            Some(again) => Some(
                Error::new(format!("`{}` is set twice: the first value is never seen", signal.name))
                    .at(place, "first set here")
                    .at(again, "set again here, always")
                    .help("a value for the other paths is a `default`; a signal has one driver"),
            ),
            None => self.by_every_index(target).map(|of| {
                let of = &self.module.loops[of.index()];
                Error::new(format!("every index of `{}` sets `{}`: only the last one is seen", of.name, signal.name))
                    .at(place, "set here")
                    .at(of.place, "the loop")
                    .help("set an element of an array, or set it in a `when`")
            }),
        };
        let is_element = |step: &Select| matches!(step, Select::Part { index: Index::Loop(_), .. });
        if target.path.iter().any(is_element) {
            later.elements.push((target, place));
        } else {
            let (bits, by) = later.bits.entry(target.signal).or_insert_with(|| (Value::zero(signal.width), place));
            *bits = Value::new(signal.width, bits.bits() | mine.bits());
            *by = place;
        }
        error.map(|error| error.within(&self.around))
    }

    /// The loop whose every iteration sets the same bits, if there is one.
    fn by_every_index(&self, target: &Target) -> Option<LoopId> {
        let is_computed = |step: &Select| matches!(step, Select::Part { index: Index::Node(_), .. });
        if target.path.iter().any(is_computed) {
            return None;
        }
        let selects =
            |step: &Select, index| matches!(step, Select::Part { index: Index::Loop(of), .. } if *of == index);
        let is_free = |index: LoopId| !target.path.iter().any(|step| selects(step, index));
        self.loops.iter().copied().find(|index| self.module.loops[index.index()].count > 1 && is_free(*index))
    }

    fn memory_write(&self, statement: &Stmt, later: &[Stmt]) -> Option<Error> {
        let Stmt::MemoryWrite { memory, enables: None, address, place, .. } = statement else { return None };
        let again = later.iter().find_map(|later| match later {
            Stmt::MemoryWrite { memory: other, address: same, enables: None, place, .. }
                if other == memory && same == address =>
            {
                Some(*place)
            }
            _ => None,
        })?;
        let memory = self.module.memory(*memory);
        let word = format!("{}[{}]", memory.name, describe(self.module, *address).trim_matches('`'));
        Some(
            Error::new(format!("`{word}` is written twice: the first word is never seen"))
                .at(*place, "first written here")
                .at(again, "written again here, always")
                .within(&self.around),
        )
    }
}
