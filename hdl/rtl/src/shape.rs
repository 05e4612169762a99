//! Shapes and bundles: named groups of signals, arrays of them, and port lists.

use crate::arena;
use crate::control::Index;
use crate::error::Error;
use crate::ir;
use crate::place::Place;
use crate::types::{self, Bit, Bits, Code, Encoding, Handle, Leaf, Signed, part_of, slice_of, width_of};
use crate::value::Value;
use num_bigint::{BigInt, BigUint};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

/// The widths, names and meanings of a `T`, before there is one.
pub struct Shape<T> {
    pub(crate) tree: Tree,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Shape<T> {
    fn clone(&self) -> Self {
        Self { tree: self.tree.clone(), of: PhantomData }
    }
}

impl<T> Shape<T> {
    /// A shape from its tree; derives use it.
    pub fn from_tree(tree: Tree) -> Self {
        Self { tree, of: PhantomData }
    }

    /// Its tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Bits of all leaves together.
    pub fn width(&self) -> u32 {
        self.tree.width()
    }
}

/// The structure of a bundle.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// One signal.
    Leaf(LeafShape),
    /// Named members, in order.
    Fields(Vec<Field>),
    /// As many of one shape; each leaf is one packed vector, element 0 lowest.
    Array(u32, Box<Tree>),
}

/// One signal of a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct LeafShape {
    /// Width in bits.
    pub width: u32,
    /// What it is.
    pub kind: LeafKind,
}

/// What a leaf is.
#[derive(Clone, PartialEq, Debug)]
pub enum LeafKind {
    /// [`Bit`].
    Bit,
    /// [`Bits`].
    Bits,
    /// [`Signed`].
    Signed,
    /// [`Code`].
    Code(Arc<ir::Encoding>),
}

/// A member of a bundle.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its meaning: the doc comment.
    pub doc: &'static str,
    /// Which way it runs.
    pub flow: Flow,
    /// The clock domain of a port; the default one if absent.
    pub clock: Option<&'static str>,
    /// Its shape.
    pub tree: Tree,
}

/// Which way a member of a bundle runs, seen from the side that drives the bundle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// With the bundle. Of ports: out.
    Forward,
    /// Against it, as `ready` of a stream. Of ports: in.
    Reverse,
}

impl Flow {
    fn through(self, outer: Flow) -> Flow {
        if outer == Flow::Reverse {
            match self {
                Flow::Forward => Flow::Reverse,
                Flow::Reverse => Flow::Forward,
            }
        } else {
            self
        }
    }
}

/// A leaf with its full name.
#[derive(Clone)]
pub(crate) struct FlatLeaf {
    pub name: String,
    /// Its meaning; before it, a line each, those of the groups that it is the first of.
    pub doc: String,
    pub flow: Flow,
    pub clock: Option<&'static str>,
    /// Of all elements together.
    pub width: u32,
    pub element_width: Option<u32>,
    pub kind: LeafKind,
}

impl Tree {
    /// Bits of all leaves together.
    pub fn width(&self) -> u32 {
        match self {
            Tree::Leaf(leaf) => leaf.width,
            Tree::Fields(fields) => fields.iter().map(|field| field.tree.width()).sum(),
            Tree::Array(count, of) => count * of.width(),
        }
    }

    /// The leaves, in order, named `<prefix>_<member>_<member>`.
    pub(crate) fn flatten(&self, prefix: &str) -> Vec<FlatLeaf> {
        let mut out = vec![];
        let mut outer = Outer {
            name: prefix.to_owned(),
            headings: vec![],
            doc: None,
            flow: Flow::Forward,
            clock: None,
            count: None,
        };
        self.flatten_into(&mut outer, &mut out);
        out
    }

    fn flatten_into(&self, outer: &mut Outer, out: &mut Vec<FlatLeaf>) {
        match self {
            Tree::Leaf(leaf) => {
                let mut doc = std::mem::take(&mut outer.headings);
                doc.extend(outer.doc.map(str::to_owned));
                out.push(FlatLeaf {
                    name: outer.name.clone(),
                    doc: doc.join("\n"),
                    flow: outer.flow,
                    clock: outer.clock,
                    width: leaf.width * outer.count.unwrap_or(1),
                    element_width: outer.count.map(|_| leaf.width),
                    kind: leaf.kind.clone(),
                });
            }
            Tree::Fields(fields) => {
                outer.headings.extend(outer.doc.map(str::to_owned));
                for field in fields {
                    let name = if outer.name.is_empty() {
                        field.name.to_owned()
                    } else {
                        format!("{}_{}", outer.name, field.name)
                    };
                    let mut inner = Outer {
                        name,
                        headings: std::mem::take(&mut outer.headings),
                        doc: Some(field.doc),
                        flow: field.flow.through(outer.flow),
                        clock: field.clock.or(outer.clock),
                        count: outer.count,
                    };
                    field.tree.flatten_into(&mut inner, out);
                }
            }
            Tree::Array(n, of) => {
                outer.count = Some(n * outer.count.unwrap_or(1));
                of.flatten_into(outer, out);
            }
        }
    }
}

/// What stands around a part of a shape.
struct Outer {
    name: String,
    /// Meanings of the groups that the next leaf is the first of.
    headings: Vec<String>,
    /// Meaning of this part.
    doc: Option<&'static str>,
    flow: Flow,
    clock: Option<&'static str>,
    /// Elements of the arrays around.
    count: Option<u32>,
}

/// One bit.
pub fn bit() -> Shape<Bit> {
    Shape::from_tree(Tree::Leaf(LeafShape { width: 1, kind: LeafKind::Bit }))
}

/// `width` bits.
pub fn bits(width: u32) -> Shape<Bits> {
    Shape::from_tree(Tree::Leaf(LeafShape { width, kind: LeafKind::Bits }))
}

/// A two's-complement number of `width` bits.
pub fn signed(width: u32) -> Shape<Signed> {
    Shape::from_tree(Tree::Leaf(LeafShape { width, kind: LeafKind::Signed }))
}

/// A value of the enumeration `E`.
pub fn code<E: Encoding>() -> Shape<Code<E>> {
    let encoding = E::encoding();
    Shape::from_tree(Tree::Leaf(LeafShape { width: encoding.width, kind: LeafKind::Code(encoding) }))
}

/// `count` of one shape.
pub fn array<T: Bundle>(count: usize, of: Shape<T>) -> Shape<Array<T>> {
    Shape::from_tree(Tree::Array(count as u32, Box::new(of.tree)))
}

/// A value whose shape follows from the parameters `P`.
pub trait Shaped<P: ?Sized>: Sized {
    /// Its shape.
    fn shape(parameters: &P) -> Shape<Self>;
}

impl<P: ?Sized> Shaped<P> for Bit {
    fn shape(_: &P) -> Shape<Self> {
        bit()
    }
}

impl<P: ?Sized, E: Encoding> Shaped<P> for Code<E> {
    fn shape(_: &P) -> Shape<Self> {
        code()
    }
}

/// A signal, or a named group of them; `#[derive(Bundle)]` writes it for a struct of bundles.
pub trait Bundle: Copy + 'static {
    /// The plain Rust value that simulation gives and takes.
    type Plain: Clone + Debug + PartialEq;

    /// Appends the leaves, in order.
    fn leaves(&self, out: &mut Vec<Handle>);
    /// The same with each leaf replaced, in order.
    fn map(&self, replace: &mut dyn FnMut(Handle) -> Handle) -> Self;
    /// One of a shape, from its leaves in order.
    fn build(tree: &Tree, next: &mut dyn FnMut() -> Handle) -> Self;
    /// Its structure, widths taken from the signals.
    fn tree(&self) -> Tree;
    /// The plain value, leaf by leaf.
    fn to_plain(&self, get: &mut dyn FnMut(Handle) -> Value) -> Self::Plain;
    /// Hands the leaves of a plain value out.
    fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(Handle, Value));
}

/// The port list of a module; `#[derive(Ports)]` writes it.
pub trait Ports: Bundle {}

/// What can be done with any bundle.
pub trait BundleExt: Bundle {
    /// Sets every leaf from the same leaf of `value`.
    #[track_caller]
    fn set(self, value: Self) {
        let (mut targets, mut values) = (vec![], vec![]);
        self.leaves(&mut targets);
        value.leaves(&mut values);
        for (target, value) in targets.into_iter().zip(values) {
            types::assign(Bits::from_handle(target), Bits::from_handle(value));
        }
    }

    /// Connects `self`, which is driven, to `from`, which drives: members that run forward are set from it, those that
    /// run in reverse, such as `ready`, are set in it.
    #[track_caller]
    fn connect(self, from: Self) {
        let (mut here, mut there) = (vec![], vec![]);
        self.leaves(&mut here);
        from.leaves(&mut there);
        for ((here, there), leaf) in here.into_iter().zip(there).zip(self.tree().flatten("")) {
            let (target, value) = if leaf.flow == Flow::Forward { (here, there) } else { (there, here) };
            types::assign(Bits::from_handle(target), Bits::from_handle(value));
        }
    }

    /// Whether every leaf equals the same leaf of `other`.
    #[track_caller]
    fn same_as(self, other: Self) -> Bit {
        self.packed().equals(other.packed())
    }

    /// All leaves as one vector, the first one lowest.
    #[track_caller]
    fn packed(self) -> Bits {
        let place = Place::here();
        let mut leaves = vec![];
        self.leaves(&mut leaves);
        let nodes: Vec<ir::NodeId> = leaves.into_iter().rev().map(|leaf| arena::resolve(leaf)).collect();
        arena::with(|b| {
            let width = nodes.iter().map(|node| b.width(*node)).sum();
            let node = if nodes.len() == 1 { nodes[0] } else { b.node(ir::Op::Concat(nodes), width, place) };
            Bits::from_handle(b.handle(node))
        })
    }

    /// The leaves cut from one vector, the first one lowest; the reverse of [`BundleExt::packed`].
    #[track_caller]
    fn unpack(shape: &Shape<Self>, vector: Bits) -> Self {
        let (width, got) = (shape.width(), vector.width());
        if width != got {
            let place = Place::here();
            arena::with(|b| {
                b.report(Error::new(format!("the shape has {width} bits, the vector {got}")).at(place, "unpacked here"))
            });
        }
        let widths: Vec<u32> = shape.tree.flatten("").iter().map(|leaf| leaf.width).collect();
        let mut low = 0;
        let mut next = widths.into_iter().map(|width| {
            low += width;
            slice_of(vector.handle(), low - width, width)
        });
        Self::build(&shape.tree, &mut || next.next().expect("one width a leaf"))
    }

    /// The same with the leaves given, in order.
    fn with_leaves(&self, leaves: &[Handle]) -> Self {
        let mut next = leaves.iter();
        self.map(&mut |_| *next.next().expect("as many leaves as before"))
    }
}

impl<T: Bundle> BundleExt for T {}

macro_rules! leaf_is_bundle {
    ($([$($generics:tt)*] $leaf:ty, $plain:ty, $to:expr, $from:expr;)*) => {$(
        impl<$($generics)*> Bundle for $leaf {
            type Plain = $plain;
            fn leaves(&self, out: &mut Vec<Handle>) {
                out.push(self.handle());
            }
            fn map(&self, replace: &mut dyn FnMut(Handle) -> Handle) -> Self {
                Self::from_handle(replace(self.handle()))
            }
            fn build(_: &Tree, next: &mut dyn FnMut() -> Handle) -> Self {
                Self::from_handle(next())
            }
            fn tree(&self) -> Tree {
                Tree::Leaf(LeafShape { width: width_of(self.handle()), kind: Self::kind() })
            }
            fn to_plain(&self, get: &mut dyn FnMut(Handle) -> Value) -> Self::Plain {
                let convert: fn(Value) -> $plain = $to;
                convert(get(self.handle()))
            }
            fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(Handle, Value)) {
                let convert: fn(&$plain) -> Value = $from;
                set(self.handle(), convert(plain));
            }
        }
    )*};
}

leaf_is_bundle! {
    [] Bit, bool, |value| !value.is_zero(), |plain| Value::bit(*plain);
    [] Bits, Value, |value| value, Value::clone;
    [] Signed, BigInt, |value| {
        let bits = BigInt::from(value.bits().clone());
        if value.get(value.width() - 1) { bits - (BigInt::from(1) << value.width()) } else { bits }
    }, |plain| {
        let width = plain.bits() as u32 + 1;
        let modulus = BigInt::from(1) << width;
        let bits: BigInt = ((plain % &modulus) + &modulus) % &modulus;
        Value::new(width, bits.to_biguint().unwrap_or_else(|| BigUint::from(0u8)))
    };
    [E: Encoding + Debug] Code<E>, E, |value| {
        E::VARIANTS.iter().copied().find(|variant| variant.code() == value).unwrap_or(E::RESET)
    }, |plain| plain.code();
}

impl Bundle for () {
    type Plain = ();
    fn leaves(&self, _: &mut Vec<Handle>) {}
    fn map(&self, _: &mut dyn FnMut(Handle) -> Handle) -> Self {}
    fn build(_: &Tree, _: &mut dyn FnMut() -> Handle) -> Self {}
    fn tree(&self) -> Tree {
        Tree::Fields(vec![])
    }
    fn to_plain(&self, _: &mut dyn FnMut(Handle) -> Value) -> Self::Plain {}
    fn from_plain(&self, _: &Self::Plain, _: &mut dyn FnMut(Handle, Value)) {}
}

/// As many `T`s, each leaf being one packed vector (a structure of arrays).
#[derive(Clone, Copy, Debug)]
pub struct Array<T> {
    packed: T,
    count: u32,
}

impl<T: Bundle> Array<T> {
    pub(crate) fn new(packed: T, count: u32) -> Self {
        Self { packed, count }
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Element `index`: the index of a loop, a Rust number, or a computed one. Beyond the last element a computed index
    /// reads 0 and sets nothing; the others are errors.
    #[track_caller]
    pub fn at(&self, index: impl ElementIndex) -> T {
        let index = index.checked(self.count);
        let mut leaves = vec![];
        self.packed.leaves(&mut leaves);
        let leaves: Vec<Handle> = leaves
            .into_iter()
            .map(|leaf| {
                let width = width_of(leaf) / self.count;
                match index {
                    Element::Constant(index) => slice_of(leaf, index * width, width),
                    Element::Computed(_)
                        if self.count == 1 && matches!(index, Element::Computed(ir::Index::Loop(_))) =>
                    {
                        leaf
                    }
                    Element::Computed(index) => part_of(leaf, index, width),
                }
            })
            .collect();
        self.packed.with_leaves(&leaves)
    }
}

impl Bits {
    /// Its bits as an array.
    #[track_caller]
    pub fn array(self) -> Array<Bit> {
        Array::new(Bit::from_handle(self.handle()), self.width())
    }
}

impl Array<Bit> {
    /// As one vector, element 0 lowest.
    pub fn bits(&self) -> Bits {
        self.packed.bits()
    }

    /// Whether any element is 1.
    #[track_caller]
    pub fn any(&self) -> Bit {
        self.bits().any()
    }

    /// Whether at most one element is 1.
    #[track_caller]
    pub fn at_most_one(&self) -> Bit {
        self.bits().at_most_one()
    }

    /// The number of the element that is 1, in `width` bits: the or of all such, so 0 if there is none. Named, as it is a loop.
    #[track_caller]
    pub fn position(&self, name: &str, width: u32) -> Bits {
        let zero = Value::zero(width).lit();
        crate::control::fold(name, self.count(), zero, |i, found: Bits| {
            found | (i.bits(width) & self.at(i).repeat(width))
        })
    }

    /// The element of `from` whose bit here is 1: the or of all such, so 0 if there is none. Named, as it is a loop.
    #[track_caller]
    pub fn select<T: Bundle>(&self, name: &str, from: impl Into<Array<T>>) -> T {
        let from = from.into();
        let place = Place::here();
        if from.count != self.count {
            arena::with(|b| {
                let error = Error::new(format!("{} bits cannot select from {} elements", self.count, from.count))
                    .at(place, "here");
                b.report(error);
            });
            return from.at(0usize);
        }
        let zero = from.at(0usize).map(&mut |leaf| Value::zero(width_of(leaf)).lit().handle());
        crate::control::fold(name, self.count(), zero, |i, chosen: T| {
            let chosen_here = self.at(i);
            types::zip(chosen, from.at(i), place, "select", |b, so_far, candidate| {
                let width = b.width(candidate);
                let hit = chosen_here.handle().node;
                let mask = if width == 1 { hit } else { b.node(ir::Op::Repeat(hit), width, place) };
                let masked = b.node(ir::Op::Binary(ir::Binary::And, mask, candidate), width, place);
                b.node(ir::Op::Binary(ir::Binary::Or, so_far, masked), width, place)
            })
        })
    }
}

impl<T: Bundle> Bundle for Array<T> {
    type Plain = Vec<T::Plain>;

    fn leaves(&self, out: &mut Vec<Handle>) {
        self.packed.leaves(out);
    }

    fn map(&self, replace: &mut dyn FnMut(Handle) -> Handle) -> Self {
        Self { packed: self.packed.map(replace), count: self.count }
    }

    fn build(tree: &Tree, next: &mut dyn FnMut() -> Handle) -> Self {
        match tree {
            Tree::Array(count, of) => Self { packed: T::build(of, next), count: *count },
            _ => unreachable!("an array is built from the shape of one"),
        }
    }

    fn tree(&self) -> Tree {
        fn divide(tree: Tree, by: u32) -> Tree {
            match tree {
                Tree::Leaf(leaf) => Tree::Leaf(LeafShape { width: leaf.width / by, kind: leaf.kind }),
                Tree::Fields(fields) => Tree::Fields(
                    fields.into_iter().map(|field| Field { tree: divide(field.tree, by), ..field }).collect(),
                ),
                Tree::Array(count, of) => Tree::Array(count, Box::new(divide(*of, by))),
            }
        }
        Tree::Array(self.count, Box::new(divide(self.packed.tree(), self.count)))
    }

    fn to_plain(&self, get: &mut dyn FnMut(Handle) -> Value) -> Self::Plain {
        (0..self.count)
            .map(|i| {
                self.packed.to_plain(&mut |leaf| {
                    let all = get(leaf);
                    let width = all.width() / self.count;
                    all.slice(i * width, width)
                })
            })
            .collect()
    }

    fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(Handle, Value)) {
        let mut collected: Vec<(Handle, Value)> = vec![];
        for (i, element) in plain.iter().enumerate() {
            let mut position = 0;
            self.packed.from_plain(element, &mut |leaf, value| {
                if i == 0 {
                    collected.push((leaf, value));
                } else {
                    let (_, all) = &mut collected[position];
                    *all = value.concat(all);
                }
                position += 1;
            });
        }
        for (leaf, value) in collected {
            set(leaf, value);
        }
    }
}

/// What can number an element of an [`Array`].
pub trait ElementIndex {
    /// The index, checked against the number of elements.
    fn checked(self, count: u32) -> Element;
}

/// A checked index.
#[derive(Clone, Copy, Debug)]
pub enum Element {
    /// Known now, and in range.
    Constant(u32),
    /// Known in the loop or in hardware.
    Computed(ir::Index),
}

impl ElementIndex for usize {
    #[track_caller]
    fn checked(self, count: u32) -> Element {
        let place = Place::here();
        if self >= count as usize {
            arena::with(|b| b.report(Error::new(format!("there is no element {self} of {count}")).at(place, "here")));
            return Element::Constant(0);
        }
        Element::Constant(self as u32)
    }
}

impl ElementIndex for Index {
    #[track_caller]
    fn checked(self, count: u32) -> Element {
        let place = Place::here();
        if self.count() > count as usize {
            arena::with(|b| {
                let of = b.module.loops[self.id().index()].clone();
                let error =
                    Error::new(format!("`{}` runs over {} indices, the array has {count} elements", of.name, of.count))
                        .at(place, "here")
                        .at(of.place, "the loop");
                b.report(error);
            });
        }
        Element::Computed(ir::Index::Loop(self.id()))
    }
}

impl ElementIndex for Bits {
    #[track_caller]
    fn checked(self, _: u32) -> Element {
        Element::Computed(ir::Index::Node(arena::resolve(self.handle())))
    }
}
