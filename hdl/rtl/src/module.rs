//! Modules: ports, wires, registers, instances, clock domains.

use crate::arena::{self, Builder, Tag};
use crate::control::State;
use crate::error::Error;
use crate::ir::{self, DomainId, InstanceId, NodeId, Reset, SignalId, SignalKind, Stmt};
use crate::memory::Memory;
use crate::place::Place;
use crate::shape::{Array, Bundle, BundleExt, FlatLeaf, Flow, LeafKind, Ports, Shape, array};
use crate::types::{Bit, Code, Encoding, Handle, plural};
use crate::value::Value;
use num_bigint::BigUint;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;

/// A finished module, ready to be instantiated or to be the top of a design.
#[derive(Clone, Copy)]
pub struct Module<P> {
    pub(crate) tag: Tag,
    pub(crate) ports: P,
}

/// A clock domain of the module being written.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    tag: Tag,
    id: DomainId,
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
    Module { tag, ports: io }
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
            let id = domain_named(b, name);
            let domain = &mut b.module.domains[id.index()];
            (domain.clock_used, domain.reset_used) = (true, true);
        }
        b.module.black_box = Some(ir::BlackBox { model: Arc::new(model) });
    });
    arena::close();
    Module { tag, ports: io }
}

/// The domain of that name, made if it is new; the default one for an empty name.
fn domain_named(b: &mut Builder, name: &str) -> DomainId {
    match b.module.domains.iter().position(|domain| domain.name == name) {
        Some(index) => DomainId(index as u32),
        None => {
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
            let kind = if leaf.flow == Flow::Forward { SignalKind::Output } else { SignalKind::Input };
            arena::with(|b| {
                if leaf.doc.is_empty() {
                    b.report(
                        Error::new(format!("port `{}` has no meaning", leaf.name))
                            .at(place, "declared here")
                            .help("give it a doc comment"),
                    );
                }
                let domain = domain_named(b, leaf.clock.unwrap_or(""));
                declare(b, &leaf, kind, domain, place)
            })
        })
    }

    /// Says what the module is for, one line or more: the comment above it in Verilog.
    pub fn describe(&self, doc: impl Display) {
        arena::with(|b| b.module.doc = doc.to_string());
    }

    /// Notes a value that the module was generated from, for the comment above it.
    pub fn parameter(&self, name: &str, value: impl Display, doc: &str) {
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
        BundleExt::set(wire, value);
        wire
    }

    /// The value of `target` (a wire, an output, an input of an instance) wherever nothing sets it.
    #[track_caller]
    pub fn default<T: Bundle>(&self, target: T, value: impl DefaultValue<T>) {
        let place = Place::here();
        let mut targets = vec![];
        target.leaves(&mut targets);
        for (target, value) in targets.into_iter().zip(value.leaves_like(target, place)) {
            let target = arena::resolve(target);
            arena::with(|b| {
                if b.is_poisoned(target) || b.is_poisoned(value) {
                    return;
                }
                let (text, origin) = b.describe(target);
                let signal = match b.module.node(target).op {
                    ir::Op::Read(signal) => Some(signal),
                    _ => None,
                };
                let accepts = signal.filter(|signal| {
                    matches!(
                        b.module.signal(*signal).kind,
                        SignalKind::Wire | SignalKind::Output | SignalKind::InstanceInput { .. }
                    )
                });
                let Some(signal) = accepts else {
                    let error =
                        Error::new(format!("{text} takes no default")).at(place, "here").at(origin, "made here");
                    b.report(
                        error.help("only whole wires, outputs and inputs of instances do; registers keep their value"),
                    );
                    return;
                };
                let (width, got) = (b.width(target), b.width(value));
                if width != got {
                    let error = Error::new(format!("{text} has {width} bit{}, its default {got}", plural(width)))
                        .at(place, "here")
                        .at(origin, "made here");
                    b.report(error);
                    return;
                }
                b.module.signals[signal.index()].default = Some(value);
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
    pub fn state<E: Encoding + std::fmt::Debug>(&self, name: &str, initial: E) -> State<E> {
        let reg = self.reg(name, crate::shape::code::<E>());
        let mut leaves = vec![];
        reg.value.leaves(&mut leaves);
        edit_register(leaves[0], |_, reset, _| *reset = Some(Reset { value: initial.code(), asynchronous: false }));
        State(reg)
    }

    /// A memory of `depth` words.
    #[track_caller]
    pub fn memory<T: Bundle>(&self, name: &str, depth: usize, shape: Shape<T>) -> Memory<T> {
        Memory::declare(name, depth, shape)
    }

    /// An instance of a module: its ports, to be set and read from here. Its clock domains are those of the same name
    /// here; its default domain is the present one.
    #[track_caller]
    pub fn instance<P: Ports>(&self, name: &str, of: &Module<P>) -> P {
        let place = Place::here();
        let (id, ports, domains) = arena::with_finished(of.tag, |id, module| {
            let ports: Vec<(SignalId, ir::Signal)> = module.ports().map(|(id, signal)| (id, signal.clone())).collect();
            (id, ports, module.domains.clone())
        });
        let handles: Vec<Handle> = arena::with(|b| {
            let outer: Vec<DomainId> = domains
                .iter()
                .map(|domain| if domain.name.is_empty() { b.domain } else { domain_named(b, &domain.name) })
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
    pub fn domain(&self, name: &str) -> Domain {
        arena::with(|b| Domain { tag: self.tag, id: domain_named(b, name) })
    }

    /// Registers, memory ports and instances declared in `body` belong to `domain`.
    pub fn in_domain<R>(&self, domain: Domain, body: impl FnOnce() -> R) -> R {
        let outer = arena::with(|b| {
            assert_eq!(b.tag, domain.tag, "a domain of another module");
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
        let packed = value.packed();
        let node = arena::resolve(crate::types::Leaf::handle(packed));
        arena::with(|b| {
            b.module.ignored.push(ir::Ignored { node, name: name.to_owned(), reason: reason.to_owned(), place });
        });
    }

    /// Shows a value under a name in simulation: `probe_<name>`.
    #[track_caller]
    pub fn probe<T: Bundle>(&self, name: &str, value: T) {
        let place = Place::here();
        let node = arena::resolve(crate::types::Leaf::handle(value.packed()));
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

    /// Something that should happen at least once.
    #[track_caller]
    pub fn cover(&self, message: &str, condition: Bit) {
        self.check(ir::CheckKind::Cover, message, condition, Place::here());
    }

    #[track_caller]
    fn check(&self, kind: ir::CheckKind, message: &str, condition: Bit, place: Place) {
        let condition = arena::resolve(crate::types::Leaf::handle(condition));
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
    let node = if leaf.width == 0 { b.poison(1, place) } else { b.read(signal, place) };
    b.handle(node)
}

/// Changes the declaration of the register behind a handle.
#[track_caller]
fn edit_register(handle: Handle, edit: impl FnOnce(u32, &mut Option<Reset>, &mut Option<String>)) {
    let node = arena::resolve(handle);
    arena::with(|b| {
        let ir::Op::Read(signal) = b.module.node(node).op else { return };
        let signal = &mut b.module.signals[signal.index()];
        let width = signal.width;
        if let SignalKind::Register { reset, crossing } = &mut signal.kind {
            edit(width, reset, crossing);
        }
    });
}

impl<T: Bundle> Reg<T> {
    #[track_caller]
    fn edit(self, mut edit: impl FnMut(u32, &mut Option<Reset>, &mut Option<String>)) -> Self {
        let mut leaves = vec![];
        self.value.leaves(&mut leaves);
        for leaf in leaves {
            edit_register(leaf, &mut edit);
        }
        self
    }

    /// Resets every leaf, of an array every element, to `value` (which must fit the narrowest) while `rst` is high at a
    /// clock edge.
    #[track_caller]
    pub fn reset(self, value: u64) -> Self {
        self.with_reset(value, false)
    }

    /// As [`Reg::reset`], but asserted without a clock edge. Its release must be synchronous: see the reset synchronizer.
    #[track_caller]
    pub fn reset_asynchronous(self, value: u64) -> Self {
        self.with_reset(value, true)
    }

    #[track_caller]
    fn with_reset(self, value: u64, asynchronous: bool) -> Self {
        let place = Place::here();
        let elements: Vec<Option<u32>> = {
            let mut leaves = vec![];
            self.value.leaves(&mut leaves);
            leaves
                .iter()
                .map(|leaf| {
                    let node = arena::resolve(*leaf);
                    arena::with(|b| match b.module.node(node).op {
                        ir::Op::Read(signal) => b.module.signal(signal).element_width,
                        _ => None,
                    })
                })
                .collect()
        };
        let mut elements = elements.into_iter();
        let mut too_large = vec![];
        let this = self.edit(|width, reset, _| {
            let element = elements.next().flatten().unwrap_or(width);
            if u64::BITS - value.leading_zeros() > element {
                too_large.push(element);
                return;
            }
            let one = Value::new(element, value);
            let mut all = one.clone();
            while all.width() < width {
                all = one.concat(&all);
            }
            *reset = Some(Reset { value: all, asynchronous });
        });
        for width in too_large {
            arena::with(|b| {
                b.report(
                    Error::new(format!("reset value {value} does not fit {width} bit{}", plural(width)))
                        .at(place, "here"),
                )
            });
        }
        this
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
        self.edit(|_, _, crossing| *crossing = Some(reason.to_owned()))
    }

    /// Gives the register a Verilog attribute, `(* name = "value" *)`.
    #[track_caller]
    pub fn attribute(self, name: &str, value: &str) -> Self {
        let mut leaves = vec![];
        self.value.leaves(&mut leaves);
        for leaf in leaves {
            let node = arena::resolve(leaf);
            arena::with(|b| {
                if let ir::Op::Read(signal) = b.module.node(node).op {
                    b.module.signals[signal.index()].attributes.push((name.to_owned(), value.to_owned()));
                }
            });
        }
        self
    }
}

/// What can be a default: a value of the same kind, or a number for every leaf.
pub trait DefaultValue<T> {
    /// The nodes, one a leaf of `target`.
    fn leaves_like(self, target: T, place: Place) -> Vec<NodeId>;
}

impl<T: Bundle> DefaultValue<T> for T {
    #[track_caller]
    fn leaves_like(self, _: T, _: Place) -> Vec<NodeId> {
        let mut leaves = vec![];
        self.leaves(&mut leaves);
        leaves.into_iter().map(|leaf| arena::resolve(leaf)).collect()
    }
}

impl<T: Bundle> DefaultValue<T> for i32 {
    #[track_caller]
    fn leaves_like(self, target: T, place: Place) -> Vec<NodeId> {
        let mut leaves = vec![];
        target.leaves(&mut leaves);
        leaves
            .into_iter()
            .map(|leaf| {
                let node = arena::resolve(leaf);
                let width = arena::with(|b| b.width(node));
                crate::types::literal(BigUint::from(self.unsigned_abs()), width, place)
            })
            .collect()
    }
}
