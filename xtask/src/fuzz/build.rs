//! From a recipe to a design, through the public interface of the language.

use std::cell::RefCell;
use std::sync::OnceLock;

use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_rtl::prelude::*;
use tollgate_rtl::{Design, Errors, Field, Flow, Handle, Leaf, LeafKind, LeafShape, Place, Ports, Tree, ir};

use super::recipe::{
    self, Arithmetic, CheckKind, Comparison, DOMAINS, Direction, Expr, Kind, Recipe, Reduction, Step, Stmt, Target,
    with_enumeration,
};

/// Most leaves of a [`Group`].
const LEAVES: usize = 96;

/// Any number of signals as a bundle: the ports of a module, or what is to be put side by side.
#[derive(Clone, Copy)]
pub struct Group {
    leaves: [Option<Handle>; LEAVES],
}

impl Group {
    fn of(handles: impl IntoIterator<Item = Handle>) -> Self {
        let mut leaves = [None; LEAVES];
        for (place, handle) in leaves.iter_mut().zip(handles) {
            *place = Some(handle);
        }
        Self { leaves }
    }

    fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.leaves.iter().map_while(|leaf| *leaf)
    }

    fn at(&self, index: usize) -> Bits {
        Bits::from_handle(self.leaves[index].expect("the group has that many leaves"))
    }
}

impl Bundle for Group {
    type Plain = Vec<Value>;

    fn leaves(&self, out: &mut Vec<Handle>) {
        out.extend(self.handles());
    }

    fn map(&self, replace: &mut dyn FnMut(Handle) -> Handle) -> Self {
        Self::of(self.handles().map(replace))
    }

    fn build(tree: &Tree, next: &mut dyn FnMut() -> Handle) -> Self {
        let Tree::Fields(fields) = tree else { unreachable!("a group has members") };
        Self::of(fields.iter().map(|_| next()))
    }

    fn tree(&self) -> Tree {
        let fields = self.handles().enumerate().map(|(index, handle)| Field {
            name: port_name("member", index),
            doc: "A member.",
            flow: Flow::Forward,
            clock: None,
            tree: Bits::from_handle(handle).tree(),
            place: Place::here(),
        });
        Tree::Fields(fields.collect())
    }

    fn to_plain(&self, get: &mut dyn FnMut(Handle) -> Value) -> Vec<Value> {
        self.handles().map(get).collect()
    }

    fn from_plain(&self, plain: &Vec<Value>, set: &mut dyn FnMut(Handle, Value)) {
        self.handles().zip(plain).for_each(|(handle, value)| set(handle, value.clone()));
    }
}

impl Ports for Group {}

/// A bundle with a member of each plain type.
#[bundle(p: (u32, u32))]
pub struct Pair {
    /// A bit.
    pub flag: Bit,
    /// Some bits.
    pub body: Bits<{ p.0 }>,
    /// A number.
    pub number: Signed<{ p.1 }>,
}

/// `<prefix>_<index>`. Names of members live as long as the program; there are few.
fn port_name(prefix: &'static str, index: usize) -> &'static str {
    static NAMES: OnceLock<Vec<(String, &'static str)>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let all = ["in", "out", "member"].into_iter().flat_map(|prefix| (0..400).map(move |i| format!("{prefix}_{i}")));
        all.map(|name| (name.clone(), &*Box::leak(name.into_boxed_str()))).collect()
    });
    let wanted = format!("{prefix}_{index}");
    names.iter().find(|(name, _)| *name == wanted).map(|(_, leaked)| *leaked).expect("fewer than 400 members")
}

/// A design made from a recipe.
pub struct Built {
    /// The design.
    pub design: Design<Group>,
    /// Of each module, for each domain, what its `observed` output shows, from bit 0 up.
    pub observed: Vec<[Vec<Shown>; 3]>,
}

/// Some bits of an `observed` output.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The signal, or the instance whose `observed` output it is.
    pub name: String,
    /// Number of bits.
    pub width: u32,
    /// The module and domain of the instance.
    pub inside: Option<(usize, usize)>,
}

/// Builds a design.
///
/// # Errors
/// What the language refuses.
pub fn build(recipe: &Recipe) -> Result<Built, Errors> {
    let mut observed = vec![];
    let design = elaborate(|| {
        let mut done: Vec<Finished> = vec![];
        for number in 0..recipe.modules.len() {
            let finished = build_module(recipe, number, &done, &observed);
            observed.push(finished.1);
            done.push(finished.0);
        }
        done.pop().expect("a recipe has a top module").module
    })?;
    Ok(Built { design, observed })
}

/// A module with the positions of its ports.
struct Finished {
    module: Module<Group>,
    /// By signal.
    ports: Vec<Option<usize>>,
    /// By domain.
    observed: [Option<usize>; 3],
}

/// The name of the output that shows everything of a domain.
pub fn observed_name(domain: usize) -> &'static str {
    ["observed", "observed_slow", "observed_fast"][domain]
}

/// The domains in which a module has something to show: those of its signals and of its instances.
fn shown_domains(recipe: &Recipe, number: usize) -> [bool; 3] {
    let module = &recipe.modules[number];
    let mut shown = [false; 3];
    module.signals.iter().for_each(|signal| shown[signal.domain] = true);
    for instance in &module.instances {
        for (inner, is_shown) in shown_domains(recipe, instance.module).into_iter().enumerate() {
            shown[instance.domain_here(inner)] |= is_shown;
        }
    }
    shown
}

/// Bits that an `observed` output will have: the module is built twice, first with outputs of one bit.
fn build_module(
    recipe: &Recipe,
    number: usize,
    done: &[Finished],
    observed_of: &[[Vec<Shown>; 3]],
) -> (Finished, [Vec<Shown>; 3]) {
    let shown = shown_domains(recipe, number);
    let of = &recipe.modules[number];
    let layout = layout(recipe, number, observed_of);
    let mut fields = vec![];
    let mut ports = vec![None; of.signals.len()];
    for (id, signal) in of.signals.iter().enumerate() {
        let flow = match signal.kind {
            Kind::Input => Flow::Reverse,
            Kind::Output => Flow::Forward,
            _ => continue,
        };
        ports[id] = Some(fields.len());
        fields.push(Field {
            name: port_name(if flow == Flow::Reverse { "in" } else { "out" }, id),
            doc: "Random.",
            flow,
            clock: Some(DOMAINS[signal.domain]).filter(|clock| !clock.is_empty()),
            tree: tree_of(signal.shape),
            place: Place::here(),
        });
    }
    let mut observed = [None; 3];
    for domain in (0..3).filter(|domain| shown[*domain]) {
        observed[domain] = Some(fields.len());
        let width = layout[domain].iter().map(|shown| shown.width).sum::<u32>().max(1);
        fields.push(Field {
            name: observed_name(domain),
            doc: "All that there is to see.",
            flow: Flow::Forward,
            clock: Some(DOMAINS[domain]).filter(|clock| !clock.is_empty()),
            tree: leaf(width, LeafKind::Bits),
            place: Place::here(),
        });
    }
    // The tree of a group is flat: arrays are leaves of it, each with one handle.
    let shape: Shape<Group> = Shape::from_tree(Tree::Fields(fields));
    let module = module(recipe.module_name(number), shape, |m, io| {
        m.describe("A random circuit.");
        let writer = Writer { of, m, io, ports: &ports, done, state: RefCell::default() };
        writer.write();
        for domain in (0..3).filter(|domain| shown[*domain]) {
            let bits: Vec<Bits> = layout[domain].iter().map(|shown| writer.shown(shown)).collect();
            let out = io.at(observed[domain].expect("has a port"));
            out.set(if bits.is_empty() { Value::zero(1).lit() } else { side_by_side(&bits) });
        }
    });
    (Finished { module, ports, observed }, layout)
}

/// What the `observed` outputs of a module show.
fn layout(recipe: &Recipe, number: usize, observed_of: &[[Vec<Shown>; 3]]) -> [Vec<Shown>; 3] {
    let of = &recipe.modules[number];
    let whole = read_whole(of);
    let mut layout: [Vec<Shown>; 3] = Default::default();
    for (id, signal) in of.signals.iter().enumerate() {
        let is_driven_here = matches!(signal.kind, Kind::Output | Kind::InstanceInput { .. });
        if signal.observed || (!whole[id] && !is_driven_here) {
            let shown = Shown { name: signal_name(of, id), width: signal.shape.width(), inside: None };
            layout[signal.domain].push(shown);
        }
    }
    for (index, instance) in of.instances.iter().enumerate() {
        for inner in 0..3 {
            if shown_domains(recipe, instance.module)[inner] {
                let width = observed_of[instance.module][inner].iter().map(|shown| shown.width).sum::<u32>().max(1);
                let shown = Shown { name: format!("u_{index}"), width, inside: Some((instance.module, inner)) };
                layout[instance.domain_here(inner)].push(shown);
            }
        }
    }
    layout
}

/// Which signals are read by a whole that is wanted as wide as they are. (The language wants every bit read.)
fn read_whole(module: &recipe::Module) -> Vec<bool> {
    fn at_least(module: &recipe::Module, expr: &Expr, width: u32, whole: &mut [bool]) {
        match expr {
            Expr::Read(signal) => whole[*signal] |= module.signals[*signal].shape.width() <= width,
            Expr::Not(a) | Expr::Negate(a) => at_least(module, a, width, whole),
            Expr::Arithmetic(Arithmetic::Xor | Arithmetic::Add | Arithmetic::Subtract, a, b) => {
                at_least(module, a, width, whole);
                at_least(module, b, width, whole);
            }
            // What is wanted of others is not followed, as constants may mask it: their operands count as read in part.
            _ => {}
        }
    }
    let mut whole = vec![false; module.signals.len()];
    for stmt in &module.body {
        stmt.visit(&mut |stmt| {
            if let Stmt::Set { target: Target { signal, path }, value } = stmt
                && path.is_empty()
            {
                at_least(module, value, module.signals[*signal].shape.width(), &mut whole);
            }
        });
    }
    whole
}

/// The name of a signal in its module.
pub fn signal_name(module: &recipe::Module, id: usize) -> String {
    match &module.signals[id].kind {
        Kind::Input => format!("in_{id}"),
        Kind::Output => format!("out_{id}"),
        Kind::Wire => format!("w_{id}"),
        Kind::Register { .. } => format!("r_{id}"),
        Kind::State(_) => format!("state_{id}"),
        Kind::Made => format!("made_{id}"),
        Kind::ReadPort => format!("q_{id}"),
        Kind::InstanceInput { instance, port } => format!("u_{instance}_in_{port}"),
        Kind::InstanceOutput { instance, port } => format!("u_{instance}_out_{port}"),
    }
}

fn leaf(width: u32, kind: LeafKind) -> Tree {
    Tree::Leaf(LeafShape { width, kind })
}

/// The tree of a port: one leaf, but for arrays.
fn tree_of(shape: recipe::Shape) -> Tree {
    match shape {
        recipe::Shape::Bit => leaf(1, LeafKind::Bit),
        recipe::Shape::Signed(width) => leaf(width, LeafKind::Signed),
        recipe::Shape::Code(enumeration) => leaf(shape.width(), LeafKind::Code(enumeration.encoding())),
        recipe::Shape::Array { count, width } => Tree::Array(count, Box::new(leaf(width, LeafKind::Bits))),
        recipe::Shape::Bits(_) | recipe::Shape::Pair { .. } => leaf(shape.width(), LeafKind::Bits),
    }
}

/// One above the other, the first lowest.
fn side_by_side(bits: &[Bits]) -> Bits {
    let chunks: Vec<Bits> =
        bits.chunks(LEAVES).map(|chunk| Group::of(chunk.iter().map(|bits| bits.handle())).packed()).collect();
    if chunks.len() == 1 { chunks[0] } else { side_by_side(&chunks) }
}

/// Extended with zeros or cut.
fn fit(bits: Bits, width: u32) -> Bits {
    match bits.width() {
        present if present < width => bits.extend(width),
        present if present > width => bits.slice(0..width),
        _ => bits,
    }
}

fn as_bits(leaf: impl Leaf) -> Bits {
    Bits::from_handle(leaf.handle())
}

fn as_array(bits: Bits, count: u32, width: u32) -> Array<Bits> {
    Array::unpack(&array(count as usize, tollgate_rtl::bits(width)), bits)
}

/// What stands around an expression.
#[derive(Clone, Default)]
struct Scope {
    /// Outermost first.
    indices: Vec<Index>,
    running: Option<Bits>,
}

impl Scope {
    fn index(&self, level: usize) -> Option<Index> {
        self.indices.iter().rev().nth(level).copied()
    }

    fn inside(&self, index: Index) -> Self {
        let mut inner = self.clone();
        inner.indices.push(index);
        inner
    }
}

#[derive(Default)]
struct Declared {
    /// By signal; made ones from their statement on.
    signals: Vec<Option<Bits>>,
    /// Signals declared as bundles or state machines.
    pairs: Vec<Option<Pair>>,
    memories: Vec<Memory<Bits>>,
    instances: Vec<Group>,
}

/// Writes one module.
struct Writer<'a> {
    of: &'a recipe::Module,
    m: &'a ModuleBuilder,
    io: Group,
    ports: &'a [Option<usize>],
    done: &'a [Finished],
    state: RefCell<Declared>,
}

impl Writer<'_> {
    fn write(&self) {
        self.declare_instances();
        self.declare_signals();
        self.declare_memories();
        for (id, signal) in self.of.signals.iter().enumerate() {
            let Some(default) = &signal.default else { continue };
            let target = self.signal(id).expect("declared above");
            if signal.guard.is_some() {
                self.m.default(target, dont_care(target));
                continue;
            }
            let value = self.expr(default, target.width(), &Scope::default());
            match (self.state.borrow().pairs[id], signal.shape) {
                (Some(pair), recipe::Shape::Pair { body, number }) => {
                    self.m.default(pair, Pair::unpack(&Pair::shape(&(body, number)), value));
                }
                _ => self.m.default(target, value),
            }
        }
        self.block(&self.of.body, &Scope::default());
    }

    fn shown(&self, shown: &Shown) -> Bits {
        if let Some((module, domain)) = shown.inside {
            let index: usize = shown.name[2..].parse().expect("u_<index>");
            let port = self.done[module].observed[domain].expect("shown");
            return self.state.borrow().instances[index].at(port);
        }
        let id = (0..self.of.signals.len()).find(|id| signal_name(self.of, *id) == shown.name).expect("a signal");
        self.expr(&Expr::Read(id), shown.width, &Scope::default())
    }

    fn signal(&self, id: usize) -> Option<Bits> {
        self.state.borrow().signals[id]
    }

    fn in_domain<R>(&self, domain: usize, body: impl FnOnce() -> R) -> R {
        if domain == 0 { body() } else { self.m.in_domain(self.m.domain(DOMAINS[domain]), body) }
    }

    // ---- declarations ---------------------------------------------------------------------------------------------

    fn declare_instances(&self) {
        for (index, instance) in self.of.instances.iter().enumerate() {
            let group = self.in_domain(instance.domain, || {
                self.m.instance(&format!("u_{index}"), &self.done[instance.module].module)
            });
            self.state.borrow_mut().instances.push(group);
        }
    }

    fn declare_signals(&self) {
        for (id, signal) in self.of.signals.iter().enumerate() {
            let name = signal_name(self.of, id);
            let mut pair = None;
            let bits = match &signal.kind {
                Kind::Input | Kind::Output => Some(self.io.at(self.ports[id].expect("a port"))),
                Kind::Wire => Some(self.in_domain(signal.domain, || self.wire(&name, signal.shape, &mut pair))),
                Kind::Register { .. } => {
                    Some(self.in_domain(signal.domain, || self.register(&name, signal, &mut pair)))
                }
                Kind::State(initial) => {
                    let recipe::Shape::Code(enumeration) = signal.shape else { unreachable!("a state is a code") };
                    Some(self.in_domain(signal.domain, || {
                        with_enumeration!(enumeration, E => {
                            as_bits(*self.m.state(&name, <E as Encoding>::VARIANTS[*initial]))
                        })
                    }))
                }
                Kind::InstanceInput { instance, port } | Kind::InstanceOutput { instance, port } => {
                    let module = self.of.instances[*instance].module;
                    let position = self.done[module].ports[*port].expect("a port of the module");
                    Some(self.state.borrow().instances[*instance].at(position))
                }
                Kind::Made | Kind::ReadPort => None,
            };
            let mut state = self.state.borrow_mut();
            state.signals.push(bits);
            state.pairs.push(pair);
        }
    }

    fn wire(&self, name: &str, shape: recipe::Shape, pair: &mut Option<Pair>) -> Bits {
        match shape {
            recipe::Shape::Bit => as_bits(self.m.wire(name, bit())),
            recipe::Shape::Bits(width) => self.m.wire(name, bits(width)),
            recipe::Shape::Signed(width) => as_bits(self.m.wire(name, signed(width))),
            recipe::Shape::Code(enumeration) => {
                with_enumeration!(enumeration, E => as_bits(self.m.wire(name, code::<E>())))
            }
            recipe::Shape::Array { count, width } => self.m.wire(name, array(count as usize, bits(width))).packed(),
            recipe::Shape::Pair { body, number } => {
                let declared = self.m.wire(name, Pair::shape(&(body, number)));
                *pair = Some(declared);
                declared.packed()
            }
        }
    }

    fn register(&self, name: &str, signal: &recipe::Signal, pair: &mut Option<Pair>) -> Bits {
        let Kind::Register { reset, crossing } = signal.kind else { unreachable!("a register") };
        fn declare<T: Bundle>(
            m: &ModuleBuilder,
            name: &str,
            shape: Shape<T>,
            reset: Option<recipe::Reset>,
            narrowest: u32,
            crossing: bool,
        ) -> T {
            let mut reg = m.reg(name, shape);
            if let Some(reset) = reset {
                let value = if narrowest < 64 { reset.value & ((1 << narrowest) - 1) } else { reset.value };
                reg = if reset.asynchronous { reg.reset_asynchronous(value) } else { reg.reset(value) };
            }
            if crossing {
                reg = reg.crossing("random").attribute("async_reg", "true");
            }
            *reg
        }
        let width = signal.shape.width();
        match signal.shape {
            recipe::Shape::Bit => as_bits(declare(self.m, name, bit(), reset, 1, crossing)),
            recipe::Shape::Bits(_) => declare(self.m, name, bits(width), reset, width, crossing),
            recipe::Shape::Signed(_) => as_bits(declare(self.m, name, signed(width), reset, width, crossing)),
            recipe::Shape::Code(enumeration) => with_enumeration!(enumeration, E => {
                as_bits(declare(self.m, name, code::<E>(), reset, width, crossing))
            }),
            recipe::Shape::Array { count, width } => {
                let shape = array(count as usize, bits(width));
                declare(self.m, name, shape, reset, width, crossing).packed()
            }
            recipe::Shape::Pair { body, number } => {
                let declared = declare(self.m, name, Pair::shape(&(body, number)), reset, 1, crossing);
                *pair = Some(declared);
                declared.packed()
            }
        }
    }

    fn declare_memories(&self) {
        for (index, memory) in self.of.memories.iter().enumerate() {
            let mut declared = self.m.memory(&format!("mem_{index}"), memory.depth as usize, bits(memory.width));
            if memory.width.is_multiple_of(memory.granule) {
                declared = declared.granule(memory.granule);
            }
            if let Some(seed) = memory.initial {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let words = (0..memory.depth).map(|_| {
                    let digits = (0..memory.width.div_ceil(32)).map(|_| rng.random()).collect();
                    Value::new(memory.width, BigUint::new(digits))
                });
                declared = declared.initial(words);
            }
            if let Some(style) = &memory.style {
                declared = declared.attribute("ram_style", style);
            }
            self.state.borrow_mut().memories.push(declared);
        }
    }

    // ---- statements -----------------------------------------------------------------------------------------------

    fn block(&self, stmts: &[Stmt], scope: &Scope) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, scope));
    }

    fn made(&self, id: usize, bits: Bits) {
        self.state.borrow_mut().signals[id] = Some(bits);
    }

    fn stmt(&self, stmt: &Stmt, scope: &Scope) {
        match stmt {
            Stmt::Set { target, value } => self.set(target, value, scope),
            Stmt::When { arms, otherwise } => {
                let mut arms = arms.iter();
                let Some((condition, body)) = arms.next() else { return };
                let mut chain = when(self.bit(condition, scope), || self.block(body, scope));
                for (condition, body) in arms {
                    chain = chain.or_when(self.bit(condition, scope), || self.block(body, scope));
                }
                if let Some(body) = otherwise {
                    chain.otherwise(|| self.block(body, scope));
                }
            }
            Stmt::Switch { enumeration, selector, arms } => with_enumeration!(*enumeration, E => {
                let selector = self.expr(selector, enumeration.encoding().width, scope);
                switch(selector.code::<E>(), |variant| {
                    let position = <E as Encoding>::VARIANTS.iter().position(|v| *v == variant);
                    if let Some(body) = arms.get(position.expect("a variant")) {
                        self.block(body, scope);
                    }
                });
            }),
            Stmt::Each { label, count, body, result } => {
                let name = match result {
                    Some((signal, _)) => signal_name(self.of, *signal),
                    None => format!("each_{label}"),
                };
                match result {
                    Some((signal, value)) => {
                        let width = self.of.signals[*signal].shape.width() / count;
                        let made = each(&name, *count as usize, |i| {
                            let scope = scope.inside(i);
                            self.block(body, &scope);
                            self.expr(value, width, &scope)
                        });
                        self.made(*signal, made.packed());
                    }
                    None => {
                        each(&name, *count as usize, |i| self.block(body, &scope.inside(i)));
                    }
                }
            }
            Stmt::Scan { answers, last, initial, next, answer } => {
                let recipe::Shape::Array { count, width } = self.of.signals[*answers].shape else { return };
                let running = self.of.signals[*last].shape.width();
                let initial = self.expr(initial, running, scope);
                let name = signal_name(self.of, *answers);
                let (end, all) = scan(&name, count as usize, initial, |i, so_far| {
                    let scope = Scope { indices: vec![i], running: Some(so_far) };
                    (self.expr(next, running, &scope), self.expr(answer, width, &scope))
                });
                self.made(*answers, all.packed());
                self.made(*last, end);
            }
            Stmt::Fold { result, count, initial, next } => {
                let width = self.of.signals[*result].shape.width();
                let initial = self.expr(initial, width, scope);
                let end = fold(&signal_name(self.of, *result), *count as usize, initial, |i, so_far| {
                    self.expr(next, width, &Scope { indices: vec![i], running: Some(so_far) })
                });
                self.made(*result, end);
            }
            Stmt::Select { result, count, hits, from } => {
                let width = self.of.signals[*result].shape.width();
                let hits = Array::unpack(&array(*count as usize, bit()), self.expr(hits, *count, scope));
                let from = as_array(self.expr(from, count * width, scope), *count, width);
                let chosen = hits.select(&signal_name(self.of, *result), from);
                self.made(*result, chosen);
            }
            Stmt::ReadPort { memory, result, address, address_width, enable, collision } => {
                let address = self.expr(address, *address_width, scope);
                let enable = self.bit(enable, scope);
                let collision = match collision {
                    recipe::Collision::Old => Collision::Old,
                    recipe::Collision::New => Collision::New,
                    recipe::Collision::DontCare => Collision::DontCare,
                };
                let name = signal_name(self.of, *result);
                let of = self.state.borrow().memories[*memory].clone();
                let domain = self.of.signals[*result].domain;
                let word = self.in_domain(domain, || of.read_registered(&name, address, enable, collision));
                self.made(*result, word);
            }
            Stmt::Write { memory, address, address_width, data, enables } => {
                let of = self.state.borrow().memories[*memory].clone();
                let recipe::Memory { width, granule, domain, .. } = self.of.memories[*memory];
                let address = self.expr(address, *address_width, scope);
                let data = self.expr(data, width, scope);
                self.in_domain(domain, || match enables {
                    Some(enables) => {
                        let groups = if width.is_multiple_of(granule) { width / granule } else { 1 };
                        of.write_enabled(address, data, self.expr(enables, groups, scope));
                    }
                    None => of.write(address, data),
                });
            }
            Stmt::Check { kind, domain, width, value } => {
                let value = self.expr(value, *width, scope);
                let holds = value.equals(value);
                self.in_domain(*domain, || match kind {
                    CheckKind::Assert => self.m.assert("a value equals itself", holds),
                    CheckKind::Assume => self.m.assume("a value equals itself", holds),
                    CheckKind::Cover => self.m.cover("a value equals itself", holds),
                });
            }
        }
    }

    fn set(&self, target: &Target, value: &Expr, scope: &Scope) {
        let signal = &self.of.signals[target.signal];
        let pair = self.state.borrow().pairs[target.signal];
        if let Some(pair) = pair {
            // A bundle is set as a whole.
            let recipe::Shape::Pair { body, number } = signal.shape else { unreachable!("a bundle") };
            let value = self.expr(value, signal.shape.width(), scope);
            BundleExt::set(pair, Pair::unpack(&Pair::shape(&(body, number)), value));
            return;
        }
        let Some(mut bits) = self.signal(target.signal) else { return };
        for step in &target.path {
            bits = self.narrowed(bits, step, scope);
        }
        bits.set(self.expr(value, bits.width(), scope));
    }

    fn narrowed(&self, of: Bits, step: &Step, scope: &Scope) -> Bits {
        let all = of.width();
        match step {
            Step::Slice { low, width } => {
                let low = (*low).min(all - 1);
                of.slice(low..(low + width).min(all))
            }
            Step::Computed { width, index, index_width } => {
                let width = (*width).min(all);
                let of = of.slice(0..all / width * width);
                let index = self.expr(index, *index_width, scope);
                if width == 1 { of.bit_at(index).bits() } else { as_array(of, all / width, width).at(index) }
            }
            Step::Loop { width, level } => {
                let width = (*width).min(all);
                let Some(index) = scope.index(*level) else { return of };
                if (index.count() as u32) > all / width {
                    // Not enough elements: the highest bit that all indices have.
                    return of.slice(0..width);
                }
                as_array(of.slice(0..all / width * width), all / width, width).at(index)
            }
        }
    }

    // ---- expressions ----------------------------------------------------------------------------------------------

    fn bit(&self, expr: &Expr, scope: &Scope) -> Bit {
        self.expr(expr, 1, scope).bit(0)
    }

    /// An expression, as wide as is wanted.
    fn expr(&self, expr: &Expr, width: u32, scope: &Scope) -> Bits {
        fit(self.natural(expr, width, scope), width)
    }

    /// An expression at the width that comes closest to what is wanted.
    fn natural(&self, expr: &Expr, width: u32, scope: &Scope) -> Bits {
        let zero = || Value::zero(width).lit();
        let operand = |of: &Expr, width: u32| self.expr(of, width, scope);
        match expr {
            Expr::Const(digits) => Value::new(width, BigUint::new(digits.clone())).lit(),
            Expr::Read(id) => {
                let Some(bits) = self.signal(*id) else { return zero() };
                match self.of.signals[*id].guard {
                    Some(guard) => {
                        let guard = self.bit(&Expr::Read(guard), scope);
                        mux(guard, bits, Value::zero(bits.width()).lit())
                    }
                    None => bits,
                }
            }
            Expr::Index(level) => match scope.index(*level) {
                Some(index) => index.bits(width.max(bits_for(index.count() as u32))),
                None => zero(),
            },
            Expr::Running => scope.running.unwrap_or_else(zero),
            Expr::Element { of, width, count, level } => {
                let Some(index) = scope.index(*level) else { return zero() };
                let count = (*count).max(index.count() as u32);
                as_array(operand(of, count * width), count, *width).at(index)
            }
            Expr::Part { of, width, count, index, index_width } => {
                let of = operand(of, count * width);
                let index = operand(index, *index_width);
                if *width == 1 { of.bit_at(index).bits() } else { as_array(of, *count, *width).at(index) }
            }
            Expr::Word { memory, address, address_width } => {
                let address = operand(address, *address_width);
                let memory = self.state.borrow().memories[*memory].clone();
                memory.read(address)
            }
            Expr::Not(a) => !operand(a, width),
            Expr::Negate(a) => (-operand(a, width).signed()).bits(),
            Expr::Reduce { by, width, of } => {
                let of = operand(of, *width);
                let bit = match by {
                    Reduction::All => of.all(),
                    Reduction::Any => of.any(),
                    Reduction::None => of.none(),
                    Reduction::Parity => of.parity(),
                    Reduction::AtMostOne => of.at_most_one(),
                };
                bit.bits()
            }
            Expr::Arithmetic(by, a, b) => {
                let (a, b) = (operand(a, width), operand(b, width));
                match by {
                    Arithmetic::And => a & b,
                    Arithmetic::Or => a | b,
                    Arithmetic::Xor => a ^ b,
                    Arithmetic::Add => a + b,
                    Arithmetic::Subtract => a - b,
                    Arithmetic::AddSigned => (a.signed() + b.signed()).bits(),
                    Arithmetic::SubtractSigned => (a.signed() - b.signed()).bits(),
                }
            }
            Expr::Multiply { signed, widths, of } => {
                let (a, b) = (operand(&of.0, widths.0), operand(&of.1, widths.1));
                if *signed { (a.signed() * b.signed()).bits() } else { a * b }
            }
            Expr::Compare { by, signed, width, of } => {
                let (a, b) = (operand(&of.0, *width), operand(&of.1, *width));
                macro_rules! compare {
                    ($a:expr, $b:expr) => {
                        match by {
                            Comparison::Equals => $a.equals($b),
                            Comparison::Differs => $a.differs($b),
                            Comparison::LessThan => $a.less_than($b),
                            Comparison::AtMost => $a.at_most($b),
                            Comparison::GreaterThan => $a.greater_than($b),
                            Comparison::AtLeast => $a.at_least($b),
                        }
                    };
                }
                if *signed { compare!(a.signed(), b.signed()).bits() } else { compare!(a, b).bits() }
            }
            Expr::Shift { by, of, amount, amount_width } => {
                let (of, amount) = (operand(of, width), operand(amount, *amount_width));
                match by {
                    Direction::Left => of << amount,
                    Direction::Right => of >> amount,
                    Direction::RightSigned => (of.signed() >> amount).bits(),
                }
            }
            Expr::ShiftBy { by, of, amount } => {
                let of = operand(of, width);
                match by {
                    Direction::Left => of << *amount,
                    Direction::Right => of >> *amount,
                    Direction::RightSigned => (of.signed() >> *amount).bits(),
                }
            }
            Expr::Mux(c, a, b) => {
                let condition = self.bit(c, scope);
                mux(condition, operand(a, width), operand(b, width))
            }
            Expr::Slice { of, width: all, low } => {
                let low = (*low).min(all - 1);
                operand(of, *all).slice(low..(low + width).min(*all))
            }
            Expr::Concat(parts) => {
                let parts: Vec<Bits> = parts.iter().rev().map(|(width, part)| operand(part, *width)).collect();
                if parts.is_empty() { zero() } else { side_by_side(&parts) }
            }
            Expr::Repeat { of, width, count } => operand(of, *width).repeat(*count),
            Expr::SignExtend { of, width: from } => operand(of, (*from).min(width)).signed().extend(width).bits(),
            Expr::Is { enumeration, variant, of } => {
                let of = operand(of, enumeration.encoding().width);
                with_enumeration!(*enumeration, E => of.code::<E>().is(<E as Encoding>::VARIANTS[*variant])).bits()
            }
            Expr::Guarded(c, a, b) => {
                let condition = self.bit(c, scope);
                let (a, b) = (operand(a, width), operand(b, width));
                mux(condition, mux(condition, a, dont_care(a)), b)
            }
            Expr::Each { label, count, width, body } => {
                let all =
                    each(&format!("inner_{label}"), *count as usize, |i| self.expr(body, *width, &scope.inside(i)));
                let (all, width) = (all.packed(), *width);
                let folded = (0..all.width().div_ceil(width))
                    .map(|i| fit(all.slice(i * width..((i + 1) * width).min(all.width())), width))
                    .reduce(|a, b| a ^ b)
                    .expect("at least one bit");
                // Every bit of it is to be read, also where this is cut.
                folded ^ fit(as_bits(folded.parity()), width)
            }
        }
    }
}

/// Bits that count to `count - 1`, at least one.
pub fn bits_for(count: u32) -> u32 {
    (u32::BITS - (count - 1).leading_zeros()).max(1)
}

/// The ports of the top module: its inputs and its outputs, in order.
pub fn ports(design: &ir::Design) -> (Vec<ir::SignalId>, Vec<ir::SignalId>) {
    design.top().ports().map(|(id, _)| id).partition(|id| design.top().signal(*id).kind == ir::SignalKind::Input)
}
