//! Modules: ports, wires, registers, instances, clock domains.

use crate::arena::{self, Builder, Tag};
use crate::check::illegal_name;
use crate::control::State;
use crate::error::Error;
use crate::ir::{self, DomainId, InstanceId, NodeId, Reset, SignalId, SignalKind, Stmt};
use crate::memory::Memory;
use crate::place::Place;
use crate::shape::{Array, Bundle, BundleExt, FlatLeaf, Flow, LeafKind, Ports, Shape, array};
use crate::types::{Bit, Code, Encoding, Handle, Leaf, natural, pairs, plural, signed_literal};
use crate::value::Value;
use std::fmt::{Debug, Display};
use std::ops::Deref;
use std::sync::Arc;

/// A finished module, ready to be instantiated or to be the top of a design.
#[derive(Clone, Copy)]
pub struct Module<P> {
    pub(crate) tag: Tag,
    pub(crate) ports: P,
    pub(crate) place: Place,
}

/// A clock domain of the module being written.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    tag: Tag,
    id: DomainId,
    place: Place,
}

/// The module being written.
pub struct ModuleBuilder {
    tag: Tag,
}

/// A register (or a bundle or array of them). Reading it, by `*`, gives the present state; setting it, the next one.
#[derive(Clone, Copy, Debug)]
pub struct Reg<T> {
    value: T,
}

impl<T> Deref for Reg<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<E> From<Reg<Code<E>>> for Code<E> {
    fn from(reg: Reg<Code<E>>) -> Self {
        reg.value
    }
}

impl<T> From<Reg<Array<T>>> for Array<T> {
    fn from(reg: Reg<Array<T>>) -> Self {
        reg.value
    }
}

/// Writes a module: declares its ports, then runs `body` on them.
///
/// `name` is its Verilog name; parameters that change its structure belong into the name.
#[track_caller]
pub fn module<P: Ports>(name: impl Into<String>, ports: Shape<P>, body: impl FnOnce(&ModuleBuilder, P)) -> Module<P> {
    let place = Place::here();
    let tag = arena::open(name.into(), place);
    let builder = ModuleBuilder { tag };
    let io = builder.declare_ports(&ports, place);
    body(&builder, io);
    arena::close();
    Module { tag, ports: io, place }
}

/// Declares a module that is written elsewhere: its ports, and a model for simulation. `domains` names the clock domains
/// whose clock and reset it takes, the empty string being the default one.
#[track_caller]
pub fn black_box<P: Ports>(
    name: impl Into<String>,
    doc: &str,
    ports: Shape<P>,
    domains: &[&'static str],
    model: impl Fn() -> Box<dyn ir::BlackBoxModel> + Send + Sync + 'static,
) -> Module<P> {
    let place = Place::here();
    let tag = arena::open(name.into(), place);
    let builder = ModuleBuilder { tag };
    let io = builder.declare_ports(&ports, place);
    builder.describe(doc);
    arena::with(|b| {
        for name in domains {
            let id = domain_named(b, name, place);
            let domain = &mut b.module.domains[id.index()];
            (domain.clock_used, domain.reset_used) = (true, true);
        }
        b.module.black_box = Some(ir::BlackBox { model: Arc::new(model) });
    });
    arena::close();
    Module { tag, ports: io, place }
}

/// The domain of that name, made if it is new; the default one for an empty name.
fn domain_named(b: &mut Builder, name: &str, place: Place) -> DomainId {
    match b.module.domains.iter().position(|domain| domain.name == name) {
        Some(index) => DomainId(index as u32),
        None => {
            if let Some(rule) = illegal_name(name) {
                b.report(
                    Error::new(format!("a clock domain cannot be called `{name}`: {rule}")).at(place, "named here"),
                );
            }
            b.module.domains.push(ir::Domain { name: name.to_owned(), clock_used: false, reset_used: false });
            DomainId(b.module.domains.len() as u32 - 1)
        }
    }
}

impl ModuleBuilder {
    #[track_caller]
    fn declare_ports<P: Bundle>(&self, shape: &Shape<P>, place: Place) -> P {
        let mut leaves = shape.tree().flatten("").into_iter();
        P::build(shape.tree(), &mut || {
            let leaf = leaves.next().expect("one leaf a handle");
            let place = leaf.place.unwrap_or(place);
            let kind = if leaf.flow == Flow::Forward { SignalKind::Output } else { SignalKind::Input };
            arena::with(|b| {
                if leaf.doc.is_empty() {
                    let error = Error::new(format!("port `{}` has no meaning", leaf.name)).at(place, "declared here");
                    b.report(error.help("give it a doc comment"));
                }
                let domain = domain_named(b, leaf.clock.unwrap_or(""), place);
                declare(b, &leaf, kind, domain, place)
            })
        })
    }

    /// What is said through the builder of another module than the one being written is an error.
    #[track_caller]
    fn check_open(&self, place: Place) {
        arena::with(|b| {
            if b.tag != self.tag {
                let error = Error::new("the builder of another module")
                    .at(place, "used here")
                    .at(b.module.place, "the module being written")
                    .help("each module declares through the builder that its closure is given");
                b.report(error);
            }
        });
    }

    /// Says what the module is for, one line or more: the comment above it in Verilog.
    #[track_caller]
    pub fn describe(&self, doc: impl Display) {
        self.check_open(Place::here());
        arena::with(|b| b.module.doc = doc.to_string());
    }

    /// Notes a value that the module was generated from, for the comment above it.
    #[track_caller]
    pub fn parameter(&self, name: &str, value: impl Display, doc: &str) {
        self.check_open(Place::here());
        arena::with(|b| {
            b.module.parameters.push(ir::Parameter {
                name: name.to_owned(),
                value: value.to_string(),
                doc: doc.to_owned(),
            });
        });
    }

    #[track_caller]
    fn declare_all<T: Bundle>(&self, name: &str, shape: &Shape<T>, kind: SignalKind) -> T {
        let place = Place::here();
        self.check_open(place);
        arena::with(|b| b.check_declaration(name, place));
        let mut leaves = shape.tree().flatten(name).into_iter();
        T::build(shape.tree(), &mut || {
            let leaf = leaves.next().expect("one leaf a handle");
            arena::with(|b| {
                let domain = b.domain;
                declare(b, &leaf, kind.clone(), domain, place)
            })
        })
    }

    /// A wire: it must be set on every path; reading it gives its final value.
    #[track_caller]
    pub fn wire<T: Bundle>(&self, name: &str, shape: Shape<T>) -> T {
        self.declare_all(name, &shape, SignalKind::Wire)
    }

    /// A wire that has the value given: a name for an expression.
    #[track_caller]
    pub fn named<T: Bundle>(&self, name: &str, value: T) -> T {
        let wire = self.wire(name, Shape::<T>::from_tree(value.tree()));
        set_always(&wire, &value, "named");
        wire
    }

    /// A register that takes the value given at every clock edge, whatever conditions stand around: what it was one cycle
    /// before.
    #[track_caller]
    pub fn delayed<T: Bundle>(&self, name: &str, value: T) -> Reg<T> {
        let reg = self.reg(name, Shape::<T>::from_tree(value.tree()));
        set_always(&reg.value, &value, "delayed");
        reg
    }

    /// The value of `target` (a wire, an output, an input of an instance) wherever nothing sets it.
    #[track_caller]
    pub fn default<T: Bundle>(&self, target: T, value: impl DefaultValue<T>) {
        let place = Place::here();
        let mut targets = vec![];
        target.leaves(&mut targets);
        let Some(values) = value.leaves_like(target, place) else { return };
        for (target, value) in targets.into_iter().zip(values) {
            let target = arena::resolve(target, place);
            arena::with(|b| {
                if b.is_poisoned(target) || b.is_poisoned(value) {
                    return;
                }
                let (text, origin) = b.describe(target);
                let (width, got) = (b.width(target), b.width(value));
                let error = match b.module.node(target).op {
                    ir::Op::Read(signal) if takes_default(&b.module.signal(signal).kind) && width == got => {
                        b.say_once(signal, "default", place);
                        b.module.signals[signal.index()].default = Some(value);
                        return;
                    }
                    ir::Op::Read(signal) if takes_default(&b.module.signal(signal).kind) => {
                        let (from, from_place) = b.describe(value);
                        let rule = "a default is as wide as its signal";
                        Error::new(format!("{text} has {width} bit{}, {from} has {got}: {rule}", plural(width)))
                            .at(place, "here")
                            .at(origin, format!("{text} comes from here"))
                            .at(from_place, format!("{from} comes from here"))
                    }
                    _ => Error::new(format!("{text} takes no default"))
                        .at(place, "here")
                        .at(origin, format!("{text} comes from here"))
                        .help("whole wires, outputs and inputs of instances do; a register keeps its value"),
                };
                b.report(error);
            });
        }
    }

    /// A register without reset: it starts with any value and keeps it until it is set. See [`Reg::reset`].
    #[track_caller]
    pub fn reg<T: Bundle>(&self, name: &str, shape: Shape<T>) -> Reg<T> {
        Reg { value: self.declare_all(name, &shape, SignalKind::Register { reset: None, crossing: None }) }
    }

    /// An array of registers.
    #[track_caller]
    pub fn reg_array<T: Bundle>(&self, name: &str, count: usize, shape: Shape<T>) -> Reg<Array<T>> {
        self.reg(name, array(count, shape))
    }

    /// The register of a state machine, reset to `initial`.
    #[track_caller]
    pub fn state<E: Encoding + Debug>(&self, name: &str, initial: E) -> State<E> {
        let reg = self.reg(name, crate::shape::code::<E>());
        let mut leaves = vec![];
        reg.value.leaves(&mut leaves);
        let reset = Reset { value: initial.code(), asynchronous: false };
        let place = Place::here();
        edit_register(leaves[0], place, |b, signal| set_reset(b, signal, reset, place));
        State(reg)
    }

    /// A memory of `depth` words.
    #[track_caller]
    pub fn memory<T: Bundle>(&self, name: &str, depth: usize, shape: Shape<T>) -> Memory<T> {
        self.check_open(Place::here());
        Memory::declare(name, depth, shape)
    }

    /// An instance of a module: its ports, to be set and read from here. Its clock domains are those of the same name
    /// here; its default domain is the present one.
    #[track_caller]
    pub fn instance<P: Ports>(&self, name: &str, of: &Module<P>) -> P {
        let place = Place::here();
        self.check_open(place);
        arena::with(|b| b.check_declaration(name, place));
        let finished = arena::with_finished(of.tag, place, of.place, |id, module| {
            let ports: Vec<(SignalId, ir::Signal)> = module.ports().map(|(id, signal)| (id, signal.clone())).collect();
            (id, ports, module.domains.clone())
        });
        let Some((id, ports, domains)) = finished else {
            return of.ports.map(&mut |leaf| {
                arena::with(|b| {
                    let node = b.poison(leaf.width, place);
                    b.handle(node)
                })
            });
        };
        let handles: Vec<Handle> = arena::with(|b| {
            let outer: Vec<DomainId> = domains
                .iter()
                .map(|domain| if domain.name.is_empty() { b.domain } else { domain_named(b, &domain.name, place) })
                .collect();
            let instance = InstanceId(b.module.instances.len() as u32);
            let connections: Vec<SignalId> = ports
                .iter()
                .map(|(port, signal)| {
                    let kind = match signal.kind {
                        SignalKind::Input => SignalKind::InstanceInput { instance, port: *port },
                        _ => SignalKind::InstanceOutput { instance, port: *port },
                    };
                    b.add_signal(ir::Signal {
                        name: format!("{name}_{}", signal.name),
                        kind,
                        domain: outer[signal.domain.index()],
                        default: None,
                        attributes: vec![],
                        place,
                        ..signal.clone()
                    })
                })
                .collect();
            b.module.instances.push(ir::Instance {
                name: name.to_owned(),
                doc: String::new(),
                module: id,
                connections: connections.clone(),
                domains: outer,
                place,
            });
            connections
                .into_iter()
                .map(|signal| {
                    let node = b.read(signal, place);
                    b.handle(node)
                })
                .collect()
        });
        of.ports.with_leaves(&handles)
    }

    /// A clock domain of that name: its clock is the port `<name>_clk`, its reset `<name>_rst`.
    #[track_caller]
    pub fn domain(&self, name: &str) -> Domain {
        let place = Place::here();
        self.check_open(place);
        arena::with(|b| Domain { tag: b.tag, id: domain_named(b, name, place), place })
    }

    /// Registers, memory ports and instances declared in `body` belong to `domain`.
    #[track_caller]
    pub fn in_domain<R>(&self, domain: Domain, body: impl FnOnce() -> R) -> R {
        let place = Place::here();
        let outer = arena::with(|b| {
            if b.tag != domain.tag {
                let error = Error::new("a clock domain of another module").at(place, "used here");
                b.report(error.at(domain.place, "the domain"));
                return b.domain;
            }
            std::mem::replace(&mut b.domain, domain.id)
        });
        let result = body();
        arena::with(|b| b.domain = outer);
        result
    }

    /// Says that a value is left unread on purpose, and why. Printed as `unused_<name>`.
    #[track_caller]
    pub fn ignore<T: Bundle>(&self, name: &str, value: T, reason: &str) {
        let place = Place::here();
        let node = arena::resolve_outside(value.packed().handle(), place, "ignore the array, outside of the loop");
        arena::with(|b| {
            b.module.ignored.push(ir::Ignored { node, name: name.to_owned(), reason: reason.to_owned(), place });
        });
    }

    /// Shows a value under a name in simulation: `probe_<name>`.
    #[track_caller]
    pub fn probe<T: Bundle>(&self, name: &str, value: T) {
        let place = Place::here();
        let node = arena::resolve_outside(value.packed().handle(), place, "show the array, outside of the loop");
        arena::with(|b| b.module.probes.push(ir::Probe { node, name: name.to_owned(), place }));
    }

    /// A property that must hold wherever the statement runs.
    #[track_caller]
    pub fn assert(&self, message: &str, condition: Bit) {
        self.check(ir::CheckKind::Assert, message, condition, Place::here());
    }

    /// A property that the surroundings promise.
    #[track_caller]
    pub fn assume(&self, message: &str, condition: Bit) {
        self.check(ir::CheckKind::Assume, message, condition, Place::here());
    }

    /// Something that should happen at least once: for formal tools and the interpreter; not printed for simulation.
    #[track_caller]
    pub fn cover(&self, message: &str, condition: Bit) {
        self.check(ir::CheckKind::Cover, message, condition, Place::here());
    }

    #[track_caller]
    fn check(&self, kind: ir::CheckKind, message: &str, condition: Bit, place: Place) {
        self.check_open(place);
        let condition = arena::resolve(condition.handle(), place);
        arena::with(|b| {
            let domain = b.domain;
            b.statement(Stmt::Check { kind, message: message.to_owned(), condition, domain, place }, place);
        });
    }
}

fn declare(b: &mut Builder, leaf: &FlatLeaf, kind: SignalKind, domain: DomainId, place: Place) -> Handle {
    let signal = b.add_signal(ir::Signal {
        name: leaf.name.clone(),
        doc: leaf.doc.clone(),
        kind,
        width: leaf.width,
        element_width: leaf.element_width,
        signed: leaf.kind == LeafKind::Signed,
        encoding: match &leaf.kind {
            LeafKind::Code(encoding) => Some(encoding.clone()),
            _ => None,
        },
        domain,
        default: None,
        attributes: vec![],
        place,
    });
    let node = b.read(signal, place);
    b.handle(node)
}

/// Sets the whole of a signal from `value`, whatever conditions stand around.
#[track_caller]
fn set_always<T: Bundle>(target: &T, value: &T, what: &str) {
    let place = Place::here();
    for (target, value) in pairs(target, value, what, place).into_iter().flatten() {
        let value = arena::resolve(value, place);
        arena::with(|b| {
            if let ir::Op::Read(signal) = b.module.node(target.node).op {
                b.top_statement(Stmt::Assign { target: ir::Target { signal, path: vec![] }, value, place });
            }
        });
    }
}

/// Whether a signal takes a default: those that are driven and keep nothing.
fn takes_default(kind: &SignalKind) -> bool {
    matches!(kind, SignalKind::Wire | SignalKind::Output | SignalKind::InstanceInput { .. })
}

/// Changes the declaration of the register behind a handle; anything else is an error.
#[track_caller]
fn edit_register(handle: Handle, place: Place, edit: impl FnOnce(&mut Builder, SignalId)) {
    let node = arena::resolve(handle, place);
    arena::with(|b| {
        if b.is_poisoned(node) {
            return;
        }
        if let ir::Op::Read(signal) = b.module.node(node).op
            && matches!(b.module.signal(signal).kind, SignalKind::Register { .. })
        {
            return edit(b, signal);
        }
        let (text, origin) = b.describe(node);
        let error = Error::new(format!("{text} is no whole register"))
            .at(place, "here")
            .at(origin, format!("{text} comes from here"));
        b.report(error);
    });
}

impl<T: Bundle> Reg<T> {
    #[track_caller]
    fn edit(self, place: Place, mut edit: impl FnMut(&mut ir::Signal)) -> Self {
        let mut leaves = vec![];
        self.value.leaves(&mut leaves);
        for leaf in leaves {
            edit_register(leaf, place, |b, signal| edit(&mut b.module.signals[signal.index()]));
        }
        self
    }

    /// Resets every leaf, of an array every element, to `value` (which must fit the narrowest) while `rst` is high at a
    /// clock edge.
    #[track_caller]
    pub fn reset(self, value: u64) -> Self {
        self.with_reset(value, false, Place::here())
    }

    /// As [`Reg::reset`], but asserted without a clock edge. Its release must be synchronous: see the reset synchronizer.
    #[track_caller]
    pub fn reset_asynchronous(self, value: u64) -> Self {
        self.with_reset(value, true, Place::here())
    }

    #[track_caller]
    fn with_reset(self, value: u64, asynchronous: bool, place: Place) -> Self {
        let mut leaves = vec![];
        self.value.leaves(&mut leaves);
        for leaf in leaves {
            edit_register(leaf, place, |b, id| {
                let signal = b.module.signal(id);
                let width = signal.element_width.unwrap_or(signal.width);
                if u64::BITS - value.leading_zeros() > width {
                    let text = format!(
                        "reset value {value} does not fit the {width} bit{} of `{}`",
                        plural(width),
                        signal.name
                    );
                    let error = Error::new(text).at(place, "here").at(signal.place, "the register");
                    return b.report(error);
                }
                let value = Value::new(width, value).repeated(signal.width / width);
                set_reset(b, id, Reset { value, asynchronous }, place);
            });
        }
        self
    }

    /// Resets each leaf to its own value.
    #[track_caller]
    pub fn reset_to(self, value: &T::Plain) -> Self {
        let place = Place::here();
        let mut leaves = vec![];
        self.value.from_plain(value, &mut |leaf, value| leaves.push((leaf, value)));
        for (leaf, value) in leaves {
            edit_register(leaf, place, |b, id| {
                let signal = b.module.signal(id);
                let (width, got) = (signal.width, value.width());
                if width != got {
                    let rule = format!("reset value {value} has {got}");
                    let error = Error::new(format!("`{}` has {width} bit{}, {rule}", signal.name, plural(width)))
                        .at(place, "here")
                        .at(signal.place, "the register");
                    return b.report(error);
                }
                set_reset(b, id, Reset { value, asynchronous: false }, place);
            });
        }
        self
    }

    /// Resets one member to `value`, such as the `valid` of a bundle whose data need no reset.
    #[track_caller]
    pub fn reset_member<M: Bundle>(self, member: impl FnOnce(&T) -> M, value: u64) -> Self {
        Reg { value: member(&self.value) }.reset(value);
        self
    }

    /// The value may come from other clock domains: the register is the first of a synchronizer. `reason` says why that
    /// is safe.
    #[track_caller]
    pub fn crossing(self, reason: &str) -> Self {
        self.edit(Place::here(), |signal| {
            if let SignalKind::Register { crossing, .. } = &mut signal.kind {
                *crossing = Some(reason.to_owned());
            }
        })
    }

    /// Says what the register is for, one line. Of a bundle it stands above the meanings of the members, at the first.
    #[track_caller]
    pub fn describe(self, doc: &str) -> Self {
        let mut heading = doc.to_owned();
        self.edit(Place::here(), |signal| {
            if !heading.is_empty() && !signal.doc.is_empty() {
                heading.push('\n');
            }
            signal.doc.insert_str(0, &std::mem::take(&mut heading));
        })
    }

    /// Gives the register a Verilog attribute, `(* name = "value" *)`.
    #[track_caller]
    pub fn attribute(self, name: &str, value: &str) -> Self {
        self.edit(Place::here(), |signal| signal.attributes.push((name.to_owned(), value.to_owned())))
    }
}

/// Gives a register its reset, once.
fn set_reset(b: &mut Builder, signal: SignalId, value: Reset, place: Place) {
    b.say_once(signal, "reset", place);
    if let SignalKind::Register { reset, .. } = &mut b.module.signals[signal.index()].kind {
        *reset = Some(value);
    }
}

/// What can be a default: a value of the same kind, or a number for every leaf and every element of an array.
pub trait DefaultValue<T> {
    /// The nodes, one a leaf of `target`; none, and an error, if there can be none.
    fn leaves_like(self, target: T, place: Place) -> Option<Vec<NodeId>>;
}

impl<T: Bundle> DefaultValue<T> for T {
    #[track_caller]
    fn leaves_like(self, target: T, place: Place) -> Option<Vec<NodeId>> {
        let pairs = pairs(&target, &self, "default", place)?;
        let what = "a default stands for all iterations";
        Some(pairs.into_iter().map(|(_, value)| arena::resolve_outside(value, place, what)).collect())
    }
}

impl<T: Bundle> DefaultValue<T> for i32 {
    #[track_caller]
    fn leaves_like(self, target: T, place: Place) -> Option<Vec<NodeId>> {
        let mut leaves = vec![];
        target.leaves(&mut leaves);
        let shapes = target.tree().flatten("");
        let nodes = leaves.into_iter().zip(shapes).map(|(leaf, shape)| {
            let whole = arena::resolve(leaf, place);
            if arena::with(|b| b.is_poisoned(whole)) {
                return whole;
            }
            let width = shape.element_width.unwrap_or(shape.width);
            let element = match shape.kind {
                LeafKind::Signed => signed_literal(self, Handle { width, ..leaf }, place),
                _ => natural(self, Handle { width, ..leaf }, place),
            };
            arena::with(|b| match b.module.node(element).op.clone() {
                ir::Op::Const(value) if !b.is_poisoned(element) => {
                    b.constant(value.repeated(leaf.width / width), place)
                }
                _ => element,
            })
        });
        Some(nodes.collect())
    }
}

impl DefaultValue<Bit> for bool {
    #[track_caller]
    fn leaves_like(self, target: Bit, place: Place) -> Option<Vec<NodeId>> {
        i32::from(self).leaves_like(target, place)
    }
}

impl<E: Encoding + Debug> DefaultValue<Code<E>> for E {
    #[track_caller]
    fn leaves_like(self, target: Code<E>, place: Place) -> Option<Vec<NodeId>> {
        self.lit().leaves_like(target, place)
    }
}
