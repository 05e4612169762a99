//! Choices and repetition: `when`, `switch`, state machines, `each`, `scan`, `fold`.

use crate::arena::{self, Builder, Frame, Tag};
use crate::error::Error;
use crate::ir::{self, LoopId, NodeId, Op, Select, SignalId, SignalKind, Stmt, Target};
use crate::module::Reg;
use crate::place::Place;
use crate::shape::{Array, Bundle, BundleExt, FlatLeaf, LeafKind};
use crate::types::{Bit, Bits, Code, Encoding, Handle, Leaf, plural};
use crate::value::Value;
use std::ops::Deref;

/// Runs the statements of `body` when `condition` is 1.
#[track_caller]
pub fn when(condition: Bit, body: impl FnOnce()) -> When {
    let place = Place::here();
    let condition = arena::resolve(condition.handle(), place);
    arena::with(|b| b.begin(Frame::choice("when", place)));
    body();
    arena::with(|b| {
        let body = b.end();
        b.statement(Stmt::If { arms: vec![(condition, body)], otherwise: vec![], place }, place);
        When { tag: b.tag, end: b.position(), place }
    })
}

/// A `when` that may go on, at once, with [`When::or_when`] and [`When::otherwise`].
pub struct When {
    tag: Tag,
    /// Where the statement after it will stand.
    end: (usize, usize),
    place: Place,
}

impl When {
    /// Runs the statements of `body` when no condition before is 1 and `condition` is.
    #[track_caller]
    pub fn or_when(self, condition: Bit, body: impl FnOnce()) -> When {
        let place = Place::here();
        let condition = arena::resolve(condition.handle(), place);
        self.go_on("or_when", place, body, |arms, _, body| arms.push((condition, body)));
        self
    }

    /// Runs the statements of `body` when no condition before is 1.
    #[track_caller]
    pub fn otherwise(self, body: impl FnOnce()) {
        let place = Place::here();
        self.go_on("otherwise", place, body, |_, otherwise, body| *otherwise = body);
    }

    fn go_on(
        &self,
        what: &str,
        place: Place,
        body: impl FnOnce(),
        attach: impl FnOnce(&mut Vec<(NodeId, Vec<Stmt>)>, &mut Vec<Stmt>, Vec<Stmt>),
    ) {
        arena::with(|b| {
            if (b.tag, b.position()) != (self.tag, self.end) {
                let error = Error::new(format!("`{what}` does not follow its `when` at once"))
                    .at(place, "here")
                    .at(self.place, "the `when`");
                b.report(error);
            }
            b.begin(Frame::choice(what, place));
        });
        body();
        arena::with(|b| {
            let body = b.end();
            if let Some(Stmt::If { arms, otherwise, .. }) = b.last_statement() {
                attach(arms, otherwise, body);
            }
        });
    }
}

/// Runs, for the variant that `on` is, the statements that `arm` gives for it. `arm` is called once for each variant; a
/// `match` in it is exhaustive by the compiler. An illegal code counts as the reset variant.
#[track_caller]
pub fn switch<E: Encoding>(on: impl Into<Code<E>>, mut arm: impl FnMut(E)) {
    let place = Place::here();
    let selector = arena::resolve(on.into().handle(), place);
    let encoding = E::encoding();
    let mut arms = vec![];
    for (variant, (name, ..)) in E::VARIANTS.iter().zip(&encoding.variants) {
        arena::with(|b| b.begin(Frame::choice(format!("arm `{name}` of a switch"), place)));
        arm(*variant);
        arms.push(arena::with(Builder::end));
    }
    arena::with(|b| b.statement(Stmt::Switch { selector, encoding, arms, place }, place));
}

/// The register of a state machine.
#[derive(Clone, Copy)]
pub struct State<E: Encoding>(pub(crate) Reg<Code<E>>);

impl<E: Encoding> State<E> {
    /// The next state is `variant`.
    #[track_caller]
    pub fn goto(self, variant: E) {
        self.0.set(variant);
    }
}

impl<E: Encoding> Deref for State<E> {
    type Target = Code<E>;
    fn deref(&self) -> &Code<E> {
        &self.0
    }
}

impl<E: Encoding> From<State<E>> for Code<E> {
    fn from(state: State<E>) -> Self {
        *state
    }
}

/// The index of a loop. It stands for all its values at once and converts to no Rust number: it selects elements
/// ([`Array::at`]), is compared ([`Bits::equals`]) or becomes bits ([`Index::bits`]).
#[derive(Clone, Copy, Debug)]
pub struct Index {
    tag: Tag,
    id: LoopId,
    count: u32,
    place: Place,
}

impl Index {
    pub(crate) fn id(self) -> LoopId {
        self.id
    }

    /// Number of values, from 0.
    pub fn count(self) -> usize {
        self.count as usize
    }

    /// Whether it may be used at `place`: in its closure and in its module. If not, that is an error.
    #[track_caller]
    pub(crate) fn is_alive(self, place: Place) -> bool {
        arena::with(|b| {
            let is_alive = b.tag == self.tag && b.frames.iter().any(|frame| frame.index == Some(self.id));
            if !is_alive {
                let error = Error::new("an index is used outside of its loop")
                    .at(place, "used here")
                    .at(self.place, "the loop")
                    .help("it stands for all iterations at once, in the closure of its loop alone");
                b.report(error);
            }
            is_alive
        })
    }

    /// As a number of `width` bits, which must hold the last index.
    #[track_caller]
    pub fn bits(self, width: u32) -> Bits {
        let place = Place::here();
        let last = Value::new(32, self.count - 1);
        let is_alive = self.is_alive(place);
        arena::with(|b| {
            if !is_alive {
                let node = b.poison(width, place);
                return Bits::from_handle(b.handle(node));
            }
            if last.bits().bits() > u64::from(width) {
                let index = b.module.loops[self.id.index()].clone();
                let error = Error::new(format!(
                    "the index of `{}` goes up to {} and does not fit {width} bit{}",
                    index.name,
                    index.count - 1,
                    plural(width)
                ))
                .at(place, "used here")
                .at(index.place, "the loop");
                b.report(error);
                let node = b.poison(width, place);
                return Bits::from_handle(b.handle(node));
            }
            let node = b.node(Op::LoopIndex(self.id), width, place);
            Bits::from_handle(b.handle(node))
        })
    }
}

/// Writes `body` once for all indices `0 .. count` and becomes one generate-`for`. What it returns is there afterwards as
/// an array called `name`.
#[track_caller]
pub fn each<T: Bundle>(name: &str, count: usize, body: impl FnOnce(Index) -> T) -> Array<T> {
    let place = Place::here();
    let (index, parents) = arena::with(|b| {
        if let Some(frame) = b.frames.iter().find(|frame| frame.is_recurrence) {
            let error = Error::new(format!("`each` inside {}", frame.what))
                .at(place, "here")
                .at(frame.place, "the recurrence")
                .help("a recurrence has no loops in it");
            b.report(error);
        }
        let parents: Vec<LoopId> = b.frames.iter().filter_map(|frame| frame.index).collect();
        let id = b.add_loop(name, count, place);
        b.begin(Frame { what: format!("each `{name}`"), place, index: Some(id), is_recurrence: false });
        (Index { tag: b.tag, id, count: b.module.loops[id.index()].count, place }, parents)
    });
    let result = body(index);
    let mut values = vec![];
    result.leaves(&mut values);
    let values: Vec<NodeId> = values.into_iter().map(|leaf| arena::resolve(leaf, place)).collect();
    let leaves = result.tree().flatten(name);
    let packed: Vec<Handle> = arena::with(|b| {
        let body = b.end();
        if !body.is_empty() {
            b.statement(Stmt::Each { index: index.id, body }, place);
        }
        let around = parents.iter().map(|id| b.module.loops[id.index()].count);
        let count = around.fold(index.count, u32::saturating_mul);
        values
            .into_iter()
            .zip(leaves)
            .map(|(value, leaf)| {
                let width = b.width(value);
                let mut rest = width.saturating_mul(count);
                let elements = leaf.element_width.or(Some(width));
                let signal = wire_of(b, &leaf, rest, elements, SignalKind::Wire, place);
                // One element of the result for each value of the indices around, outermost first.
                let mut path = vec![];
                let mut node = b.read(signal, place);
                for id in &parents {
                    rest /= b.module.loops[id.index()].count;
                    path.push(Select::Part { index: ir::Index::Loop(*id), width: rest });
                    node = b.node(Op::Part { of: node, index: ir::Index::Loop(*id) }, rest, place);
                }
                path.push(Select::Part { index: ir::Index::Loop(index.id), width });
                let mut statement = Stmt::Assign { target: Target { signal, path }, value, place };
                for id in parents.iter().chain([&index.id]).rev() {
                    statement = Stmt::Each { index: *id, body: vec![statement] };
                }
                b.top_statement(statement);
                b.handle(node)
            })
            .collect()
    });
    Array::new(result.with_leaves(&packed), index.count)
}

/// A recurrence with an answer at each index: `body` gets the index and the running value and gives the next running value
/// and the answer. Gives the last running value, called `<name>_last`, and all answers, called `name`.
#[track_caller]
pub fn scan<A: Bundle, T: Bundle>(
    name: &str,
    count: usize,
    initial: A,
    body: impl FnOnce(Index, A) -> (A, T),
) -> (A, Array<T>) {
    let place = Place::here();
    recur(name, count, initial, place, true, body)
}

/// A recurrence: `body` gets the index and the running value and gives the next one. Gives the last one, called `name`.
#[track_caller]
pub fn fold<A: Bundle>(name: &str, count: usize, initial: A, body: impl FnOnce(Index, A) -> A) -> A {
    let place = Place::here();
    recur(name, count, initial, place, false, |i, running| (body(i, running), ())).0
}

#[track_caller]
fn recur<A: Bundle, T: Bundle>(
    name: &str,
    count: usize,
    initial: A,
    place: Place,
    is_scan: bool,
    body: impl FnOnce(Index, A) -> (A, T),
) -> (A, Array<T>) {
    let mut initials = vec![];
    initial.leaves(&mut initials);
    let initials: Vec<NodeId> = initials.into_iter().map(|leaf| arena::resolve(leaf, place)).collect();
    let leaves = initial.tree().flatten(name);
    let what = format!("{} `{name}`", if is_scan { "scan" } else { "fold" });
    let (index, running) = arena::with(|b| {
        if let Some(frame) = b.frames.iter().find(|frame| frame.index.is_some()) {
            let error = Error::new(format!("{what} inside {}", frame.what))
                .at(place, "here")
                .at(frame.place, "the loop around it")
                .help("a recurrence stands outside of loops");
            b.report(error);
        }
        let id = b.add_loop(name, count, place);
        b.begin(Frame { what, place, index: Some(id), is_recurrence: true });
        let running: Vec<SignalId> = leaves
            .iter()
            .map(|leaf| {
                let mut leaf = FlatLeaf { name: format!("{}_so_far", leaf.name), ..leaf.clone() };
                leaf.doc = String::new();
                let width = leaf.width;
                wire_of(b, &leaf, width, leaf.element_width, SignalKind::Accumulator(id), place)
            })
            .collect();
        (Index { tag: b.tag, id, count: b.module.loops[id.index()].count, place }, running)
    });
    let reads: Vec<Handle> = running
        .iter()
        .map(|signal| {
            arena::with(|b| {
                let node = b.read(*signal, place);
                b.handle(node)
            })
        })
        .collect();
    let (next, answer) = body(index, initial.with_leaves(&reads));
    let (mut nexts, mut answers) = (vec![], vec![]);
    next.leaves(&mut nexts);
    answer.leaves(&mut answers);
    let nexts: Vec<NodeId> = nexts.into_iter().map(|leaf| arena::resolve(leaf, place)).collect();
    let answers: Vec<NodeId> = answers.into_iter().map(|leaf| arena::resolve(leaf, place)).collect();
    let answer_leaves = answer.tree().flatten(name);
    arena::with(|b| {
        b.end();
        let mut accumulators = vec![];
        let mut lasts = vec![];
        for (((signal, initial), next), leaf) in running.into_iter().zip(initials).zip(nexts).zip(&leaves) {
            let (width, got) = (b.width(initial), b.width(next));
            let is_wrong = width != got || b.is_poisoned(next);
            if is_wrong && !b.is_poisoned(next) {
                let error = Error::new(format!(
                    "the running value of `{name}` starts with {width} bit{} and goes on with {got}",
                    plural(width)
                ))
                .at(place, "here")
                .at(b.describe(initial).1, "the first value comes from here")
                .at(b.describe(next).1, "the next value comes from here");
                b.report(error);
            }
            let leaf = FlatLeaf {
                name: if is_scan { format!("{}_last", leaf.name) } else { leaf.name.clone() },
                ..leaf.clone()
            };
            let result = wire_of(b, &leaf, width, leaf.element_width, SignalKind::Wire, place);
            accumulators.push(ir::Accumulator { signal, initial, next, result: Some(result) });
            let node = if is_wrong { b.poison(width, place) } else { b.read(result, place) };
            lasts.push(b.handle(node));
        }
        let mut outputs = vec![];
        let mut packed = vec![];
        for (value, leaf) in answers.into_iter().zip(&answer_leaves) {
            let width = b.width(value);
            let elements = leaf.element_width.or(Some(width));
            let signal = wire_of(b, leaf, width.saturating_mul(index.count), elements, SignalKind::Wire, place);
            outputs.push((signal, value));
            let node = b.read(signal, place);
            packed.push(b.handle(node));
        }
        b.top_statement(Stmt::Scan { index: index.id, accumulators, outputs, place });
        (initial.with_leaves(&lasts), Array::new(answer.with_leaves(&packed), index.count))
    })
}

/// Declares a signal for a leaf that the language itself makes.
fn wire_of(
    b: &mut Builder,
    leaf: &FlatLeaf,
    width: u32,
    element_width: Option<u32>,
    kind: SignalKind,
    place: Place,
) -> SignalId {
    let domain = b.domain;
    b.add_signal(ir::Signal {
        name: leaf.name.clone(),
        doc: String::new(),
        kind,
        width,
        element_width,
        signed: leaf.kind == LeafKind::Signed,
        encoding: match &leaf.kind {
            LeafKind::Code(encoding) => Some(encoding.clone()),
            _ => None,
        },
        domain,
        default: None,
        attributes: vec![],
        place,
    })
}
