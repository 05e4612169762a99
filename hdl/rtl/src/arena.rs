//! The arena in which a design is elaborated, and the builder of the module being written.

use crate::check;
use crate::error::{Error, Errors};
use crate::ir::{self, DomainId, LARGEST, LoopId, ModuleId, Node, NodeId, Op, SignalId, Stmt};
use crate::module::Module;
use crate::place::Place;
use crate::shape::Bundle;
use crate::types::Handle;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    static ARENA: RefCell<Option<Arena>> = const { RefCell::new(None) };
}

/// Tags are unique in the process, so that a handle from an earlier elaboration is told from a present one.
static NEXT_TAG: AtomicU32 = AtomicU32::new(1);

/// What says to which call of [`crate::module()`] a handle belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tag(u32);

impl Tag {
    pub(crate) fn fresh() -> Self {
        Self(NEXT_TAG.fetch_add(1, Ordering::Relaxed))
    }
}

/// Everything that is being elaborated in this thread.
#[derive(Default)]
pub(crate) struct Arena {
    /// Modules being written, the innermost last.
    open: Vec<Builder>,
    /// Finished modules. `ModuleId`s count in this list.
    pub(crate) done: Vec<ir::Module>,
    /// What each tag came to be; a module written twice has two tags and one entry in `done`.
    pub(crate) finished: HashMap<Tag, ModuleId>,
    errors: Vec<Error>,
}

/// An elaborated, checked design with the ports of its top module.
///
/// The handles in [`Design::io`] address the top module in the interpreter.
#[derive(Clone)]
pub struct Design<P> {
    ir: Arc<ir::Design>,
    tag: Tag,
    io: P,
}

impl<P: Copy> Design<P> {
    /// The representation that printers and simulators read.
    pub fn ir(&self) -> &ir::Design {
        &self.ir
    }

    /// The same, shared.
    pub fn shared_ir(&self) -> Arc<ir::Design> {
        self.ir.clone()
    }

    /// The ports of the top module.
    pub fn io(&self) -> P {
        self.io
    }

    /// The signal of the top module that a handle stands for, if it stands for a whole one.
    pub fn signal(&self, handle: Handle) -> Option<SignalId> {
        if handle.tag != self.tag {
            return None;
        }
        match self.ir.top().node(handle.node).op {
            Op::Read(signal) => Some(signal),
            _ => None,
        }
    }
}

/// Runs `describe`, which writes a module and what it instantiates, and checks the result.
///
/// # Errors
///
/// All that is wrong with the circuit, in the order it was noticed.
///
/// # Panics
///
/// If it is called inside another `elaborate`, or if `describe` panics; the next call starts afresh.
#[track_caller]
pub fn elaborate<P: Bundle>(describe: impl FnOnce() -> Module<P>) -> Result<Design<P>, Errors> {
    struct Open;
    impl Drop for Open {
        fn drop(&mut self) {
            ARENA.with_borrow_mut(|arena| *arena = None);
        }
    }

    let place = Place::here();
    let inside = ARENA.with_borrow(Option::is_some);
    assert!(!inside, "`elaborate` inside `elaborate`: call the module function itself");
    ARENA.set(Some(Arena::default()));
    let open = Open;
    let top = describe();
    let mut arena = ARENA.with_borrow_mut(Option::take).expect("opened above");
    drop(open);
    let id = arena.finished.get(&top.tag).copied();
    if id.is_none() {
        let mut error = Error::new("the top module belongs to an earlier elaboration")
            .at(place, "elaborated here")
            .at(top.place, "written here");
        error.module = "elaborate".to_owned();
        arena.errors.push(error);
    }
    match id {
        Some(id) if arena.errors.is_empty() => {
            Ok(Design { ir: Arc::new(reachable(&arena.done, id)), tag: top.tag, io: top.ports })
        }
        _ => {
            let mut errors = distinct(arena.errors);
            let instances = id.map_or_else(HashMap::new, |top| instances(&arena.done, top));
            for error in &mut errors {
                error.instance = instances.get(error.module.as_str()).cloned();
            }
            Err(Errors(errors))
        }
    }
}

/// For each module below `top`, by name, the path of its first instance, and how many more there are.
fn instances(all: &[ir::Module], top: ModuleId) -> HashMap<&str, (String, u64)> {
    let mut found: HashMap<&str, (String, u64)> = HashMap::new();
    // Parents come after their children.
    for parent in all[..=top.index()].iter().rev() {
        let (path, count) = match found.get(parent.name.as_str()) {
            Some((path, more)) => (path.clone(), more.saturating_add(1)),
            None if parent.name == all[top.index()].name => (parent.name.clone(), 1),
            None => continue,
        };
        for instance in &parent.instances {
            found
                .entry(&all[instance.module.index()].name)
                .and_modify(|(_, more)| *more = more.saturating_add(count))
                .or_insert_with(|| (format!("{path}.{}", instance.name), count - 1));
        }
    }
    found
}

/// The errors without those that an earlier one says already: a module written twice is wrong twice.
fn distinct(errors: Vec<Error>) -> Vec<Error> {
    let mut kept: Vec<Error> = vec![];
    for error in errors {
        if !kept.iter().any(|other| other.says_the_same(&error)) {
            kept.push(error);
        }
    }
    kept
}

/// The modules that `top` instantiates, directly or not, children first, with `top` last.
fn reachable(all: &[ir::Module], top: ModuleId) -> ir::Design {
    fn visit(
        all: &[ir::Module],
        id: ModuleId,
        renumbered: &mut HashMap<ModuleId, ModuleId>,
        out: &mut Vec<ir::Module>,
    ) {
        if renumbered.contains_key(&id) {
            return;
        }
        let mut module = all[id.index()].clone();
        for instance in &mut module.instances {
            visit(all, instance.module, renumbered, out);
            instance.module = renumbered[&instance.module];
        }
        renumbered.insert(id, ModuleId(out.len() as u32));
        out.push(module);
    }
    let mut modules = vec![];
    visit(all, top, &mut HashMap::new(), &mut modules);
    ir::Design { modules }
}

#[track_caller]
fn with_arena<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
    let inside = ARENA.with_borrow(Option::is_some);
    assert!(inside, "hardware can only be described inside `elaborate`");
    ARENA.with_borrow_mut(|arena| f(arena.as_mut().expect("asserted above")))
}

/// Runs `f` on the module being written.
#[track_caller]
pub(crate) fn with<R>(f: impl FnOnce(&mut Builder) -> R) -> R {
    let inside = with_arena(|arena| !arena.open.is_empty());
    assert!(inside, "hardware can only be described inside `module`");
    with_arena(|arena| {
        let builder = arena.open.last_mut().expect("asserted above");
        let result = f(builder);
        arena.errors.append(&mut builder.errors);
        result
    })
}

/// Runs `f` on the finished module of a tag, written at `origin`; one of an earlier elaboration is an error.
#[track_caller]
pub(crate) fn with_finished<R>(
    tag: Tag,
    place: Place,
    origin: Place,
    f: impl FnOnce(ModuleId, &ir::Module) -> R,
) -> Option<R> {
    let result = with_arena(|arena| {
        let id = *arena.finished.get(&tag)?;
        Some(f(id, &arena.done[id.index()]))
    });
    if result.is_none() {
        let error = Error::new("the module belongs to an earlier elaboration").at(place, "instantiated here");
        with(|b| b.report(error.at(origin, "written here")));
    }
    result
}

/// The module's node behind a handle that is used at `place`; one that does not belong here is an error with both
/// places.
#[track_caller]
pub(crate) fn resolve(handle: Handle, place: Place) -> NodeId {
    let known = with(|b| match handle.tag == b.tag {
        true if b.check_scope(handle.node, place) => Some(handle.node),
        true => Some(b.poison(handle.width, place)),
        false => None,
    });
    if let Some(node) = known {
        return node;
    }
    let owner = with_arena(|arena| {
        let open = arena.open.iter().find(|other| other.tag == handle.tag).map(|other| &other.module);
        let owner = open.or_else(|| arena.finished.get(&handle.tag).map(|id| &arena.done[id.index()]))?;
        Some((owner.name.clone(), describe(owner, handle.node), owner.node(handle.node).place))
    });
    with(|b| {
        let here = b.module.name.clone();
        let rule = "signals cross modules through ports only";
        b.report(match owner {
            Some((owner, text, origin)) if owner == here => {
                Error::new(format!("{text} belongs to another call of `{owner}`: {rule}"))
                    .at(place, "used here")
                    .at(origin, format!("{text} comes from here"))
            }
            Some((owner, text, origin)) => Error::new(format!("{text} belongs to `{owner}`, not to `{here}`: {rule}"))
                .at(place, "used here")
                .at(origin, format!("{text} comes from here")),
            None => Error::new("a signal of an earlier elaboration")
                .at(place, "used here")
                .at(handle.place, "it comes from here"),
        });
        b.poison(handle.width, place)
    })
}

/// As [`resolve`], for what stands for all iterations of a loop at once: the value of an index is an error.
#[track_caller]
pub(crate) fn resolve_outside(handle: Handle, place: Place, what: &str) -> NodeId {
    let node = resolve(handle, place);
    with(|b| {
        let Some(index) = b.scopes.get(&node).and_then(|scope| scope.first()) else { return node };
        let of = &b.module.loops[index.index()];
        let (text, origin) = b.describe(node);
        let error = Error::new(format!("{text} depends on the index of `{}`: {what}", of.name))
            .at(place, "here")
            .at(origin, format!("{text} comes from here"))
            .at(of.place, "the loop");
        b.report(error);
        b.poison(handle.width, place)
    })
}

/// Starts a module.
#[track_caller]
pub(crate) fn open(name: String, place: Place) -> Tag {
    let tag = Tag::fresh();
    with_arena(|arena| {
        let around = arena.open.iter().map(|outer| (format!("module `{}`", outer.module.name), outer.module.place));
        let builder = Builder::new(tag, name, place, around.collect());
        arena.open.push(builder);
    });
    tag
}

/// Ends the module being written: checks it and files it. One with the same name must be the same.
pub(crate) fn close() {
    with_arena(|arena| {
        let mut builder = arena.open.pop().expect("opened before");
        builder.finish(&arena.done);
        if builder.sound {
            let errors = check::module(&builder.module, &arena.done);
            for error in errors {
                builder.report(error);
            }
        }
        arena.errors.append(&mut builder.errors);
        let tag = builder.tag;
        let module = builder.module;
        let id = match arena.done.iter().position(|other| other.name == module.name) {
            Some(twin) => {
                let other = &arena.done[twin];
                if *other != module {
                    // One that is wrong may differ by that alone.
                    if builder.sound && arena.errors.iter().all(|error| error.module != module.name) {
                        let mut error = Error::new(format!("two different modules are called `{}`", module.name))
                            .at(module.place, "this one")
                            .at(other.place, "the other one")
                            .help("put the parameters that tell them apart into the name");
                        error.module = module.name.clone();
                        error.within = builder.around;
                        arena.errors.push(error);
                    }
                }
                twin
            }
            None => {
                arena.done.push(module);
                arena.done.len() - 1
            }
        };
        arena.finished.insert(tag, ModuleId(id as u32));
    });
}

/// What stands around the statement being written.
#[derive(Clone)]
pub(crate) struct Frame {
    /// In words: `when`, `otherwise`, `each`, …
    pub what: String,
    pub place: Place,
    /// The index variable that lives in this frame.
    pub index: Option<LoopId>,
    /// Whether it is a recurrence, which has values only.
    pub is_recurrence: bool,
}

impl Frame {
    /// A frame of statements under a condition.
    pub(crate) fn choice(what: impl Into<String>, place: Place) -> Self {
        Self { what: what.into(), place, index: None, is_recurrence: false }
    }
}

/// The module being written.
pub(crate) struct Builder {
    pub(crate) tag: Tag,
    pub(crate) module: ir::Module,
    pub(crate) domain: DomainId,
    pub(crate) frames: Vec<Frame>,
    /// The modules in whose bodies this one is written, the outermost first.
    around: Vec<(String, Place)>,
    /// Open statement lists, the module's body first.
    blocks: Vec<Vec<Stmt>>,
    interned: HashMap<(Op, u32), NodeId>,
    /// For each node, the loops whose index it depends on.
    scopes: HashMap<NodeId, Vec<LoopId>>,
    /// Nodes that stand for something wrong: errors that follow from them are not reported.
    poisoned: HashSet<NodeId>,
    /// What has been said of signals that can be said once.
    said: HashMap<(SignalId, &'static str), Place>,
    errors: Vec<Error>,
    /// Whether nothing was wrong so far: only then the whole is checked.
    sound: bool,
}

impl Builder {
    fn new(tag: Tag, name: String, place: Place, around: Vec<(String, Place)>) -> Self {
        let module = ir::Module {
            name,
            doc: String::new(),
            parameters: vec![],
            domains: vec![ir::Domain { name: String::new(), clock_used: false, reset_used: false }],
            signals: vec![],
            memories: vec![],
            instances: vec![],
            loops: vec![],
            nodes: vec![],
            body: vec![],
            ignored: vec![],
            probes: vec![],
            black_box: None,
            place,
        };
        Self {
            tag,
            module,
            domain: DomainId(0),
            frames: vec![],
            around,
            blocks: vec![vec![]],
            interned: HashMap::new(),
            scopes: HashMap::new(),
            poisoned: HashSet::new(),
            said: HashMap::new(),
            errors: vec![],
            sound: true,
        }
    }

    pub(crate) fn handle(&self, node: NodeId) -> Handle {
        Handle { tag: self.tag, node, width: self.width(node), place: self.module.node(node).place }
    }

    pub(crate) fn width(&self, node: NodeId) -> u32 {
        self.module.node(node).width
    }

    /// Files an error, with all that stands around.
    pub(crate) fn report(&mut self, mut error: Error) {
        error.module = self.module.name.clone();
        let frames = self.frames.iter().map(|frame| (frame.what.clone(), frame.place));
        error.within = self.around.iter().cloned().chain(frames).chain(error.within).collect();
        self.sound = false;
        self.errors.push(error);
    }

    /// A node that stands for something wrong.
    pub(crate) fn poison(&mut self, width: u32, place: Place) -> NodeId {
        let width = width.max(1);
        let id = self.push(Op::Const(Value::zero(width)), width, place);
        self.poisoned.insert(id);
        id
    }

    pub(crate) fn is_poisoned(&self, node: NodeId) -> bool {
        self.poisoned.contains(&node)
    }

    /// The node of an expression; equal expressions are one node, but two don't-cares are two values.
    pub(crate) fn node(&mut self, op: Op, width: u32, place: Place) -> NodeId {
        if op.operands().iter().any(|operand| self.is_poisoned(*operand)) {
            return self.poison(width, place);
        }
        if width > LARGEST {
            self.report(Error::new(format!("the value has more than {LARGEST} bits")).at(place, "here"));
            return self.poison(width, place);
        }
        if let Some(simpler) = self.simpler(&op, width, place) {
            return simpler;
        }
        if let Some(known) = self.interned.get(&(op.clone(), width)) {
            return *known;
        }
        let id = self.push(op.clone(), width, place);
        if op != Op::DontCare {
            self.interned.insert((op, width), id);
        }
        id
    }

    /// The node that an operation on a constant comes to, where that is plain: nobody wants to read `a & 1'b1`.
    fn simpler(&mut self, op: &Op, width: u32, place: Place) -> Option<NodeId> {
        let constant = |node: NodeId| match &self.module.node(node).op {
            Op::Const(value) if !self.is_poisoned(node) => Some(value.clone()),
            _ => None,
        };
        let is = |node: NodeId, value: &Value| constant(node).as_ref() == Some(value);
        let (zero, ones) = (Value::zero(width), Value::ones(width));
        match *op {
            Op::Binary(ir::Binary::And, a, b) if is(b, &ones) || is(a, &zero) => Some(a),
            Op::Binary(ir::Binary::And, a, b) if is(a, &ones) || is(b, &zero) => Some(b),
            Op::Binary(ir::Binary::Or, a, b) if is(b, &zero) || is(a, &ones) => Some(a),
            Op::Binary(ir::Binary::Or, a, b) if is(a, &zero) || is(b, &ones) => Some(b),
            Op::Unary(ir::Unary::Not, a) => {
                let value = constant(a)?;
                Some(self.constant(Value::new(width, Value::ones(width).bits() ^ value.bits()), place))
            }
            Op::Mux(condition, a, b) => constant(condition).map(|condition| if condition.is_zero() { b } else { a }),
            _ => None,
        }
    }

    fn push(&mut self, op: Op, width: u32, place: Place) -> NodeId {
        let id = NodeId(self.module.nodes.len() as u32);
        let mut scope: Vec<LoopId> = match &op {
            Op::LoopIndex(index) | Op::Part { index: ir::Index::Loop(index), .. } => vec![*index],
            Op::Read(signal) => match self.module.signal(*signal).kind {
                ir::SignalKind::Accumulator(index) => vec![index],
                _ => vec![],
            },
            _ => vec![],
        };
        for operand in op.operands() {
            scope.extend(self.scopes.get(&operand).into_iter().flatten());
        }
        scope.sort();
        scope.dedup();
        if !scope.is_empty() {
            self.scopes.insert(id, scope);
        }
        self.module.nodes.push(Node { op, width, place });
        id
    }

    pub(crate) fn constant(&mut self, value: Value, place: Place) -> NodeId {
        let width = value.width();
        self.node(Op::Const(value), width, place)
    }

    pub(crate) fn read(&mut self, signal: SignalId, place: Place) -> NodeId {
        match self.module.signal(signal).width {
            width @ 1..=LARGEST => self.node(Op::Read(signal), width, place),
            width => self.poison(width, place),
        }
    }

    /// Whether a node is used inside the loops that its value depends on; if not, that is an error.
    fn check_scope(&mut self, node: NodeId, place: Place) -> bool {
        let scope = self.scopes.get(&node).filter(|_| !self.is_poisoned(node));
        let is_left = |index: &&LoopId| !self.frames.iter().any(|frame| frame.index == Some(**index));
        let Some(index) = scope.and_then(|scope| scope.iter().find(is_left)) else { return true };
        let index = &self.module.loops[index.index()];
        let (text, origin) = self.describe(node);
        let error = Error::new(format!("{text} depends on the index of `{}` and is used outside of it", index.name))
            .at(place, "used here")
            .at(origin, format!("{text} comes from here"))
            .at(index.place, "the loop")
            .help("return it from the closure: the loop then gives one value for each index");
        self.report(error);
        false
    }

    pub(crate) fn add_signal(&mut self, signal: ir::Signal) -> SignalId {
        let id = SignalId(self.module.signals.len() as u32);
        if signal.width == 0 {
            let error = Error::new(format!("`{}` has no bits", signal.name))
                .at(signal.place, "declared here")
                .help("widths start at 1");
            self.report(error);
        }
        if signal.width > LARGEST {
            let error = Error::new(format!("`{}` has more than {LARGEST} bits", signal.name));
            self.report(error.at(signal.place, "declared here"));
        }
        self.module.signals.push(signal);
        id
    }

    /// Notes that a signal is given `what`, which it can be given once: a second time is an error.
    pub(crate) fn say_once(&mut self, signal: SignalId, what: &'static str, place: Place) {
        if let Some(first) = self.said.insert((signal, what), place) {
            let name = &self.module.signal(signal).name;
            let error = Error::new(format!("`{name}` is given two {what}s: the first would be lost"))
                .at(place, "this one")
                .at(first, "the first one");
            self.report(error);
        }
    }

    /// Adds a statement to the innermost open block.
    pub(crate) fn statement(&mut self, statement: Stmt, place: Place) {
        if let Some(frame) = self.frames.iter().find(|frame| frame.is_recurrence) {
            let error = Error::new("a recurrence has no statements: its closure gives values only")
                .at(place, "here")
                .at(frame.place, "the recurrence");
            // What groups statements follows from the statements in it.
            if !matches!(statement, Stmt::If { .. } | Stmt::Switch { .. } | Stmt::Each { .. }) {
                self.report(error);
            }
            return;
        }
        self.blocks.last_mut().expect("the body is always open").push(statement);
    }

    /// Where the next statement will stand: the depth of its block, and its position there.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.blocks.len(), self.blocks.last().map_or(0, Vec::len))
    }

    /// What is declared in a loop would be there once for all iterations: an error.
    pub(crate) fn check_declaration(&mut self, name: &str, place: Place) {
        if let Some(frame) = self.frames.iter().find(|frame| frame.index.is_some()).cloned() {
            let error = Error::new(format!("`{name}` is declared in a loop: it would be one for all iterations"))
                .at(place, "declared here")
                .at(frame.place, "the loop")
                .help("declare an array before the loop, and use its element there");
            self.report(error);
        }
    }

    /// Adds a statement to the module's body, whatever stands around.
    pub(crate) fn top_statement(&mut self, statement: Stmt) {
        self.blocks[0].push(statement);
    }

    pub(crate) fn begin(&mut self, frame: Frame) {
        self.frames.push(frame);
        self.blocks.push(vec![]);
    }

    pub(crate) fn end(&mut self) -> Vec<Stmt> {
        self.frames.pop();
        self.blocks.pop().expect("begun before")
    }

    /// The last statement of the innermost open block.
    pub(crate) fn last_statement(&mut self) -> Option<&mut Stmt> {
        self.blocks.last_mut().and_then(|block| block.last_mut())
    }

    pub(crate) fn add_loop(&mut self, name: &str, count: usize, place: Place) -> LoopId {
        if count == 0 {
            let error =
                Error::new(format!("`{name}` runs over nothing")).at(place, "0 iterations").help("counts start at 1");
            self.report(error);
        }
        if count > LARGEST as usize {
            let error = Error::new(format!("`{name}` runs over more than {LARGEST} indices"));
            self.report(error.at(place, format!("{count} iterations")));
        }
        let parent = self.frames.iter().rev().find_map(|frame| frame.index);
        let id = LoopId(self.module.loops.len() as u32);
        let count = count.clamp(1, LARGEST as usize) as u32;
        self.module.loops.push(ir::Loop { name: name.to_owned(), count, parent, place });
        id
    }

    /// A node in words, and where it was made.
    pub(crate) fn describe(&self, node: NodeId) -> (String, Place) {
        (describe(&self.module, node), self.module.node(node).place)
    }

    /// Adds to an error where a node comes from. A constant tells all by itself; and its node may be that of an equal one
    /// elsewhere.
    pub(crate) fn with_origin(&self, error: Error, node: NodeId) -> Error {
        let (text, origin) = self.describe(node);
        match self.module.node(node).op {
            Op::Const(_) => error,
            _ => error.at(origin, format!("{text} comes from here")),
        }
    }

    fn finish(&mut self, done: &[ir::Module]) {
        self.module.body = std::mem::take(&mut self.blocks[0]);
        if self.module.black_box.is_none() {
            mark_domains(&mut self.module, done);
        }
        if self.module.doc.trim().is_empty() {
            let error = Error::new("the module has no meaning")
                .at(self.module.place, "written here")
                .help("say it: `m.describe(\"…\")`");
            self.report(error);
        }
    }
}

/// Notes which clocks and resets the module uses, itself or through its instances.
fn mark_domains(module: &mut ir::Module, done: &[ir::Module]) {
    let mut clocks = HashSet::new();
    let mut resets = HashSet::new();
    for signal in &module.signals {
        match &signal.kind {
            ir::SignalKind::Register { reset, .. } => {
                clocks.insert(signal.domain);
                if reset.is_some() {
                    resets.insert(signal.domain);
                }
            }
            ir::SignalKind::SyncRead { .. } => {
                clocks.insert(signal.domain);
            }
            _ => {}
        }
    }
    for memory in &module.memories {
        clocks.extend(memory.writes.iter().map(|port| port.domain));
    }
    for instance in &module.instances {
        for (inner, outer) in done[instance.module.index()].domains.iter().zip(&instance.domains) {
            if inner.clock_used {
                clocks.insert(*outer);
            }
            if inner.reset_used {
                resets.insert(*outer);
            }
        }
    }
    for (i, domain) in module.domains.iter_mut().enumerate() {
        domain.clock_used = clocks.contains(&DomainId(i as u32));
        domain.reset_used = resets.contains(&DomainId(i as u32));
    }
}

/// A node in words.
pub(crate) fn describe(module: &ir::Module, node: NodeId) -> String {
    let of = |id: &NodeId| describe(module, *id).trim_matches('`').to_owned();
    let node = module.node(node);
    match &node.op {
        Op::Const(value) => format!("`{value}`"),
        Op::DontCare => "a don't-care".to_owned(),
        Op::Read(signal) => format!("`{}`", module.signal(*signal).name),
        Op::LoopIndex(index) => format!("a number from the index of `{}`", module.loops[index.index()].name),
        Op::Slice { of: vector, low } => match node.width {
            1 => format!("`{}[{low}]`", of(vector)),
            width => format!("`{}[{}:{low}]`", of(vector), low + width - 1),
        },
        Op::Part { of: vector, index: ir::Index::Loop(index) } => {
            format!("`{}[{}]`", of(vector), module.loops[index.index()].name)
        }
        Op::Part { of: vector, index: ir::Index::Node(index) } => format!("`{}[{}]`", of(vector), of(index)),
        Op::Unary(op, _) => format!("the result of `{}`", unary_symbol(*op)),
        Op::Binary(op, ..) => format!("the result of `{}`", binary_symbol(*op)),
        Op::Mux(..) => "the result of `mux`".to_owned(),
        Op::Concat(_) => "a concatenation".to_owned(),
        Op::Repeat(_) => "a repetition".to_owned(),
        Op::SignExtend(_) => "a sign extension".to_owned(),
        Op::MemoryRead { memory, .. } => format!("a word of `{}`", module.memory(*memory).name),
    }
}

/// How messages write an operator.
pub(crate) fn unary_symbol(op: ir::Unary) -> &'static str {
    match op {
        ir::Unary::Not => "!",
        ir::Unary::Negate => "-",
        ir::Unary::All => "all",
        ir::Unary::Any => "any",
        ir::Unary::Parity => "parity",
    }
}

/// How messages write an operator.
pub(crate) fn binary_symbol(op: ir::Binary) -> &'static str {
    use ir::Binary as B;
    match op {
        B::And => "&",
        B::Or => "|",
        B::Xor => "^",
        B::Add => "+",
        B::Subtract => "-",
        B::Multiply | B::MultiplySigned => "*",
        B::Equal => "equals",
        B::NotEqual => "differs",
        B::Less | B::LessSigned => "less_than",
        B::LessEqual | B::LessEqualSigned => "at_most",
        B::ShiftLeft => "<<",
        B::ShiftRight | B::ShiftRightSigned => ">>",
    }
}
