//! Shapes and bundles: named groups of signals, arrays of them, and port lists.

use crate::arena;
use crate::control::Index;
use crate::error::Error;
use crate::ir;
use crate::place::Place;
use crate::types::{self, Bit, Bits, Code, Encoding, Handle, Leaf, Signed, part_of, plural, slice_of};
use crate::value::Value;
use num_bigint::{BigInt, Sign};
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
    /// A shape from its tree; the macros use it.
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
    /// Where it is declared.
    pub place: Place,
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
    /// Where the outermost member that it is of is declared.
    pub place: Option<Place>,
}

impl Tree {
    /// Bits of all leaves together; no more than a `u32` holds, which is too much for a signal.
    pub fn width(&self) -> u32 {
        match self {
            Tree::Leaf(leaf) => leaf.width,
            Tree::Fields(fields) => fields.iter().map(|field| field.tree.width()).fold(0, u32::saturating_add),
            Tree::Array(count, of) => count.saturating_mul(of.width()),
        }
    }

    /// The counts of the first arrays, in order, that differ.
    pub(crate) fn unequal_counts(&self, other: &Tree) -> Option<(u32, u32)> {
        match (self, other) {
            (Tree::Fields(fields), Tree::Fields(others)) => {
                fields.iter().zip(others).find_map(|(field, other)| field.tree.unequal_counts(&other.tree))
            }
            (Tree::Array(count, _), Tree::Array(other, _)) if count != other => Some((*count, *other)),
            (Tree::Array(_, of), Tree::Array(_, other)) => of.unequal_counts(other),
            _ => None,
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
            place: None,
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
                    width: leaf.width.saturating_mul(outer.count.unwrap_or(1)),
                    element_width: outer.count.map(|_| leaf.width),
                    kind: leaf.kind.clone(),
                    place: outer.place,
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
                        place: outer.place.or(Some(field.place)),
                    };
                    field.tree.flatten_into(&mut inner, out);
                }
            }
            Tree::Array(n, of) => {
                outer.count = Some(n.saturating_mul(outer.count.unwrap_or(1)));
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
    /// Where the outermost member is declared.
    place: Option<Place>,
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
    Shape::from_tree(Tree::Array(u32::try_from(count).unwrap_or(u32::MAX), Box::new(of.tree)))
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

/// A signal, or a named group of them; [`bundle`](macro@crate::bundle) writes it for a struct of bundles.
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
    /// The plain value, each leaf asked for once, in order.
    fn to_plain(&self, get: &mut dyn FnMut(Handle) -> Value) -> Self::Plain;
    /// Hands the leaves of a plain value out.
    #[expect(clippy::wrong_self_convention, reason = "the pair of `to_plain`: it is the value that comes from plain")]
    fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(Handle, Value));
}

/// The port list of a module; [`ports`](macro@crate::ports) writes it.
pub trait Ports: Bundle {}

/// An input, to [`ports`](macro@crate::ports); to Rust, a `T`.
pub type Input<T> = T;

/// An output, to [`ports`](macro@crate::ports); to Rust, a `T`.
pub type Output<T> = T;

/// A stream in, to [`ports`](macro@crate::ports); to Rust, a `T`.
pub type Sink<T> = T;

/// A stream out, to [`ports`](macro@crate::ports); to Rust, a `T`.
pub type Source<T> = T;

/// What runs against its bundle, to [`bundle`](macro@crate::bundle); to Rust, a `T`.
pub type Reverse<T> = T;

/// What can be done with any bundle.
pub trait BundleExt: Bundle {
    /// Sets every leaf from the same leaf of `value`.
    #[track_caller]
    fn set(self, value: Self) {
        let place = Place::here();
        for (target, value) in types::pairs(&self, &value, "set", place).into_iter().flatten() {
            types::assign("set", Bits::from_handle(target), Bits::from_handle(value), place);
        }
    }

    /// Connects `self`, which is driven, to `from`, which drives: members that run forward are set from it, those that
    /// run in reverse, such as `ready`, are set in it.
    #[track_caller]
    fn connect(self, from: Self) {
        let place = Place::here();
        let Some(pairs) = types::pairs(&self, &from, "connect", place) else { return };
        for ((here, there), leaf) in pairs.into_iter().zip(self.tree().flatten("")) {
            let (target, value) = if leaf.flow == Flow::Forward { (here, there) } else { (there, here) };
            types::assign("connect", Bits::from_handle(target), Bits::from_handle(value), place);
        }
    }

    /// Whether every leaf equals the same leaf of `other`.
    #[track_caller]
    fn same_as(self, other: Self) -> Bit {
        let alike = types::zip(self, other, Place::here(), "same_as", |_, leaf, _| leaf);
        alike.packed().equals(other.packed())
    }

    /// All leaves as one vector, the first one lowest.
    #[track_caller]
    fn packed(self) -> Bits {
        let mut leaves = vec![];
        self.leaves(&mut leaves);
        types::concat(leaves.into_iter().rev().map(Bits::from_handle))
    }

    /// The leaves cut from one vector, the first one lowest; the reverse of [`BundleExt::packed`].
    #[track_caller]
    fn unpack(shape: &Shape<Self>, vector: Bits) -> Self {
        let place = Place::here();
        let (width, got) = (shape.width(), vector.width());
        let vector = match width == got {
            true => vector,
            false => arena::with(|b| {
                let (text, origin) = b.describe(vector.handle().node);
                if !b.is_poisoned(vector.handle().node) {
                    let error = Error::new(format!("{text} has {got} bit{}, the shape has {width}", plural(got)))
                        .at(place, "unpacked here")
                        .at(origin, format!("{text} comes from here"));
                    b.report(error);
                }
                let node = b.poison(width, place);
                Bits::from_handle(b.handle(node))
            }),
        };
        let widths: Vec<u32> = shape.tree.flatten("").iter().map(|leaf| leaf.width).collect();
        let mut low = 0u32;
        let mut next = widths.into_iter().map(|width| {
            low = low.saturating_add(width);
            slice_of(vector.handle(), low - width, width, place)
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
                Tree::Leaf(LeafShape { width: self.handle().width, kind: Self::kind() })
            }
            fn to_plain(&self, get: &mut dyn FnMut(Handle) -> Value) -> Self::Plain {
                let convert: fn(Value) -> $plain = $to;
                convert(get(self.handle()))
            }
            fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(Handle, Value)) {
                let convert: fn(&$plain, u32) -> Value = $from;
                set(self.handle(), convert(plain, self.handle().width));
            }
        }
    )*};
}

leaf_is_bundle! {
    [] Bit, bool, |value| !value.is_zero(), |plain, _| Value::bit(*plain);
    [] Bits, Value, |value| value, |plain, _| plain.clone();
    [] Signed, BigInt, |value| {
        let bits = BigInt::from(value.bits().clone());
        if value.get(value.width() - 1) { bits - (BigInt::from(1) << value.width()) } else { bits }
    }, |plain, width| {
        // One that does not fit gets the width that it needs, which is not the signal's.
        let width = width.max((plain + u8::from(plain.sign() == Sign::Minus)).bits() as u32 + 1);
        let modulus = BigInt::from(1) << width;
        let bits = if plain.sign() == Sign::Minus { plain + modulus } else { plain.clone() };
        Value::new(width, bits.into_parts().1)
    };
    [E: Encoding + Debug] Code<E>, E, |value| {
        E::VARIANTS.iter().copied().find(|variant| variant.code() == value).unwrap_or(E::RESET)
    }, |plain, _| plain.code();
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

    /// The same in the module being written: closures, which do not know their caller's line, use it as they like.
    fn resolved(&self, place: Place) -> Self {
        let packed = self.packed.map(&mut |leaf| {
            let node = arena::resolve(leaf, place);
            arena::with(|b| b.handle(node))
        });
        Self { packed, count: self.count }
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Element `index`: the index of a loop, a Rust number, or a computed one. Beyond the last element a computed index
    /// reads 0 and sets nothing; the others are errors.
    #[track_caller]
    pub fn at(&self, index: impl ElementIndex) -> T {
        let place = Place::here();
        let mut leaves = vec![];
        self.packed.leaves(&mut leaves);
        // Of an array that is wrong itself, every element is.
        let (origin, is_wrong) = leaves.iter().fold((place, false), |(_, is_wrong), leaf| {
            let node = arena::resolve(*leaf, place);
            arena::with(|b| (b.module.node(node).place, is_wrong | b.is_poisoned(node)))
        });
        let index = if is_wrong { None } else { index.checked(self.count, place, origin) };
        let leaves: Vec<Handle> = leaves
            .into_iter()
            .map(|leaf| {
                let width = leaf.width / self.count;
                match index {
                    None => arena::with(|b| {
                        let node = b.poison(width, place);
                        b.handle(node)
                    }),
                    Some(Element::Constant(index)) => slice_of(leaf, index * width, width, place),
                    Some(Element::Computed(ir::Index::Loop(_))) if self.count == 1 => leaf,
                    Some(Element::Computed(index)) => part_of(leaf, index, width, place),
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

    /// Its bits as an array of elements of `width` bits, the lowest first; `width` must divide its own.
    #[track_caller]
    pub fn elements(self, width: u32) -> Array<Bits> {
        let place = Place::here();
        let node = arena::resolve(self.handle(), place);
        let all = self.handle().width;
        if width == 0 || !all.is_multiple_of(width) {
            arena::with(|b| {
                if !b.is_poisoned(node) {
                    let (text, origin) = b.describe(node);
                    let rule = format!("it does not divide into elements of {width}");
                    let error = Error::new(format!("{text} has {all} bit{}: {rule}", plural(all)))
                        .at(place, "here")
                        .at(origin, format!("{text} comes from here"));
                    b.report(error);
                }
            });
            return Array::new(self, 1);
        }
        Array::new(self, all / width)
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

    /// Whether all elements are 1.
    #[track_caller]
    pub fn all(&self) -> Bit {
        self.bits().all()
    }

    /// Whether at most one element is 1.
    #[track_caller]
    pub fn at_most_one(&self) -> Bit {
        self.bits().at_most_one()
    }

    /// The number of the element that is 1, in `width` bits: the or of all such, so 0 if there is none. Named, as it is a loop.
    #[track_caller]
    pub fn position(&self, name: &str, width: u32) -> Bits {
        let place = Place::here();
        let hits = self.resolved(place);
        let last = Value::new(32, self.count - 1);
        if last.bits().bits() > u64::from(width) {
            return arena::with(|b| {
                let error = Error::new(format!(
                    "the last of {} elements is number {} and does not fit {width} bit{}",
                    self.count,
                    last.bits(),
                    plural(width)
                ))
                .at(place, "here");
                let node = hits.bits().handle().node;
                if !b.is_poisoned(node) {
                    let error = error.at(b.describe(node).1, "the elements come from here");
                    b.report(error);
                }
                let node = b.poison(width, place);
                Bits::from_handle(b.handle(node))
            });
        }
        let zero = Value::zero(width).lit();
        crate::control::fold(name, self.count(), zero, |i, found: Bits| {
            found | (i.bits(width) & hits.at(i).repeat(width))
        })
    }

    /// The element of `from` whose bit here is 1: the or of all such, so 0 if there is none. Named, as it is a loop.
    #[track_caller]
    pub fn select<T: Bundle>(&self, name: &str, from: impl Into<Array<T>>) -> T {
        let place = Place::here();
        let (hits, from) = (self.resolved(place), from.into().resolved(place));
        if from.count != self.count {
            let mut leaves = vec![];
            from.leaves(&mut leaves);
            types::unequal_counts("select", place, (self.count, hits.bits().handle()), (from.count, leaves[0]));
            return from.at(0usize);
        }
        let zero = from.at(0usize).map(&mut |leaf| Value::zero(leaf.width).lit().handle());
        crate::control::fold(name, self.count(), zero, |i, chosen: T| {
            let chosen_here = hits.at(i);
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
            Tree::Array(count, of) => Self { packed: T::build(of, next), count: (*count).max(1) },
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
        let mut leaves = vec![];
        self.leaves(&mut leaves);
        let packed: Vec<Value> = leaves.into_iter().map(get).collect();
        let element = |i: u32| {
            let mut next = packed.iter();
            self.packed.to_plain(&mut |_| {
                let all = next.next().expect("one value a leaf");
                let width = all.width() / self.count;
                all.slice(i * width, width)
            })
        };
        (0..self.count).map(element).collect()
    }

    fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(Handle, Value)) {
        let (count, given) = (self.count(), plain.len());
        assert_eq!(given, count, "an array of {count} elements is given {given} values");
        let one = self.packed.map(&mut |leaf| Handle { width: leaf.width / self.count, ..leaf });
        let mut packed: Vec<Value> = vec![];
        for element in plain {
            let mut position = 0;
            one.from_plain(element, &mut |leaf, value| {
                let (width, got) = (leaf.width, value.width());
                assert_eq!(got, width, "an element of {width} bits is given the value {value} of {got}");
                match packed.get_mut(position) {
                    Some(lower) => *lower = value.concat(lower),
                    None => packed.push(value),
                }
                position += 1;
            });
        }
        let mut leaves = vec![];
        self.packed.leaves(&mut leaves);
        for (leaf, value) in leaves.into_iter().zip(packed) {
            set(leaf, value);
        }
    }
}

/// What can number an element of an [`Array`].
pub trait ElementIndex {
    /// The index, used at `place` for one of `count` elements that come from `origin`; an impossible one is an error.
    fn checked(self, count: u32, place: Place, origin: Place) -> Option<Element>;
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
    fn checked(self, count: u32, place: Place, origin: Place) -> Option<Element> {
        if self < count as usize {
            return Some(Element::Constant(self as u32));
        }
        arena::with(|b| {
            let error = Error::new(format!("there is no element {self}: the array has {count}"))
                .at(place, "here")
                .at(origin, "the array comes from here");
            b.report(error);
        });
        None
    }
}

impl ElementIndex for Index {
    #[track_caller]
    fn checked(self, count: u32, place: Place, origin: Place) -> Option<Element> {
        if !self.is_alive(place) {
            return None;
        }
        if self.count() > count as usize {
            arena::with(|b| {
                let of = b.module.loops[self.id().index()].clone();
                let error =
                    Error::new(format!("`{}` runs over {} indices, the array has {count} elements", of.name, of.count))
                        .at(place, "here")
                        .at(of.place, "the loop")
                        .at(origin, "the array comes from here");
                b.report(error);
            });
            return None;
        }
        Some(Element::Computed(ir::Index::Loop(self.id())))
    }
}

impl ElementIndex for Bits {
    #[track_caller]
    fn checked(self, _: u32, place: Place, _: Place) -> Option<Element> {
        Some(Element::Computed(ir::Index::Node(arena::resolve(self.handle(), place))))
    }
}
