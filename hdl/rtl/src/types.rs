//! Values of the language: bits, numbers, enumerations, and what can be computed from them.
//!
//! | operator | operands | width of the result |
//! |---|---|---|
//! | `&` `\|` `^` `+` `-` | equal widths | the same |
//! | `*` | any | the sum |
//! | `!` | any | the same |
//! | `equals` `differs` `less_than` `at_most` `greater_than` `at_least` | equal widths | one bit |
//! | `<<` `>>` | any; the amount is unsigned | that of the left operand |
//! | `concat` | any | the sum; the first operand is highest |
//!
//! Widths never change silently: [`Bits::extend`] and [`Bits::slice`] say so. A Rust number beside a signal takes its
//! width, and is refused if it does not fit.

use crate::arena::{self, Tag, binary_symbol};
use crate::control::Index;
use crate::error::Error;
use crate::ir::{self, Binary, NodeId, Op, Select, Stmt, Target, Unary};
use crate::place::Place;
use crate::shape::{Bundle, BundleExt, LeafKind};
use crate::value::Value;
use num_bigint::{BigInt, BigUint, Sign};
use std::marker::PhantomData;
use std::ops;
use std::sync::Arc;

/// An id into the arena: a node of one module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle {
    pub(crate) tag: Tag,
    pub(crate) node: NodeId,
    pub(crate) width: u32,
    pub(crate) place: Place,
}

/// One bit.
#[derive(Clone, Copy, Debug)]
pub struct Bit(Handle);

/// A vector of bits; as a number, unsigned.
#[derive(Clone, Copy, Debug)]
pub struct Bits(Handle);

/// A two's-complement number.
#[derive(Clone, Copy, Debug)]
pub struct Signed(Handle);

/// A value of the enumeration `E`.
#[derive(Debug)]
pub struct Code<E>(Handle, PhantomData<fn() -> E>);

impl<E> Clone for Code<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Code<E> {}

/// A Rust enumeration with a code for each variant; see `#[derive(Encoding)]`.
///
/// In hardware more codes may exist than variants. An illegal code counts as the reset variant, everywhere.
pub trait Encoding: Copy + PartialEq + 'static {
    /// Its variants, in declaration order.
    const VARIANTS: &'static [Self];
    /// The variant that an illegal code counts as; the first unless `#[reset]` says otherwise.
    const RESET: Self;
    /// Name, width, codes and meanings.
    fn encoding() -> Arc<ir::Encoding>;

    /// The code of this variant.
    fn code(self) -> Value {
        let position = Self::VARIANTS.iter().position(|variant| *variant == self).expect("every variant is listed");
        Self::encoding().variants[position].1.clone()
    }

    /// This variant as a constant of the circuit.
    #[track_caller]
    fn lit(self) -> Code<Self> {
        Code(self.code().lit().0, PhantomData)
    }
}

/// A value that is one signal: [`Bit`], [`Bits`], [`Signed`], [`Code`].
pub trait Leaf: Copy + 'static {
    /// Wraps a handle.
    fn from_handle(handle: Handle) -> Self;
    /// The handle.
    fn handle(self) -> Handle;
    /// What the leaf is, for shapes; `None` accepts any.
    fn kind() -> LeafKind;
}

impl Leaf for Bit {
    fn from_handle(handle: Handle) -> Self {
        Self(handle)
    }
    fn handle(self) -> Handle {
        self.0
    }
    fn kind() -> LeafKind {
        LeafKind::Bit
    }
}

impl Leaf for Bits {
    fn from_handle(handle: Handle) -> Self {
        Self(handle)
    }
    fn handle(self) -> Handle {
        self.0
    }
    fn kind() -> LeafKind {
        LeafKind::Bits
    }
}

impl Leaf for Signed {
    fn from_handle(handle: Handle) -> Self {
        Self(handle)
    }
    fn handle(self) -> Handle {
        self.0
    }
    fn kind() -> LeafKind {
        LeafKind::Signed
    }
}

impl<E: Encoding> Leaf for Code<E> {
    fn from_handle(handle: Handle) -> Self {
        Self(handle, PhantomData)
    }
    fn handle(self) -> Handle {
        self.0
    }
    fn kind() -> LeafKind {
        LeafKind::Code(E::encoding())
    }
}

/// What may stand beside a `T`: another `T`, or a Rust number that takes its width.
pub trait Operand<T> {
    /// The node; as wide as what it stands beside, if the operand has no width of its own.
    fn node(self, beside: Handle, place: Place) -> NodeId;
}

impl<T: Leaf> Operand<T> for T {
    #[track_caller]
    fn node(self, _: Handle, place: Place) -> NodeId {
        arena::resolve(self.handle(), place)
    }
}

/// A literal as wide as what it stands beside; one that does not fit is an error.
#[track_caller]
pub(crate) fn literal(number: BigUint, beside: Handle, place: Place) -> NodeId {
    if number.bits() > u64::from(beside.width) {
        return misfit(format!("{number} does not fit"), beside, place);
    }
    arena::with(|b| b.constant(Value::new(beside.width, number), place))
}

/// As [`literal`], in two's complement.
#[track_caller]
pub(crate) fn signed_literal(number: impl Into<BigInt>, beside: Handle, place: Place) -> NodeId {
    let number = number.into();
    let half = BigInt::from(1) << (beside.width - 1);
    if number < -&half || number >= half {
        return misfit(format!("{number} does not fit, in two's complement,"), beside, place);
    }
    let bits = if number.sign() == Sign::Minus { number + (half << 1) } else { number };
    arena::with(|b| b.constant(Value::new(beside.width, bits.into_parts().1), place))
}

/// As [`literal`], of a number that must not be negative.
#[track_caller]
pub(crate) fn natural(number: i32, beside: Handle, place: Place) -> NodeId {
    match u32::try_from(number) {
        Ok(number) => literal(number.into(), beside, place),
        Err(_) => misfit(format!("{number} is negative, which only `Signed` can be: it does not fit"), beside, place),
    }
}

/// The error of a literal, and what stands for it.
#[track_caller]
fn misfit(what: String, beside: Handle, place: Place) -> NodeId {
    arena::with(|b| {
        let width = beside.width;
        let (text, origin) = b.describe(beside.node);
        let error = Error::new(format!("{what} the {width} bit{} of {text}", plural(width)))
            .at(place, "here")
            .at(origin, format!("{text} comes from here"));
        b.report(error);
        b.poison(width, place)
    })
}

pub(crate) fn plural(count: u32) -> &'static str {
    if count == 1 { "" } else { "s" }
}

macro_rules! number_operands {
    ($($number:ty),*) => {$(
        impl Operand<Bits> for $number {
            #[track_caller]
            fn node(self, beside: Handle, place: Place) -> NodeId {
                literal(BigUint::from(self), beside, place)
            }
        }
        impl Operand<Signed> for $number {
            #[track_caller]
            fn node(self, beside: Handle, place: Place) -> NodeId {
                signed_literal(self, beside, place)
            }
        }
    )*};
}

number_operands!(u8, u16, u32, u64, u128, usize);

impl Operand<Bits> for i32 {
    #[track_caller]
    fn node(self, beside: Handle, place: Place) -> NodeId {
        natural(self, beside, place)
    }
}

impl Operand<Signed> for i32 {
    #[track_caller]
    fn node(self, beside: Handle, place: Place) -> NodeId {
        signed_literal(self, beside, place)
    }
}

impl Operand<Signed> for i64 {
    #[track_caller]
    fn node(self, beside: Handle, place: Place) -> NodeId {
        signed_literal(self, beside, place)
    }
}

impl Operand<Bits> for BigUint {
    #[track_caller]
    fn node(self, beside: Handle, place: Place) -> NodeId {
        literal(self, beside, place)
    }
}

impl Operand<Bits> for Value {
    #[track_caller]
    fn node(self, _: Handle, place: Place) -> NodeId {
        arena::resolve(self.lit().0, place)
    }
}

impl Operand<Bits> for Index {
    #[track_caller]
    fn node(self, beside: Handle, place: Place) -> NodeId {
        arena::resolve(self.bits(beside.width).0, place)
    }
}

impl Operand<Bit> for bool {
    #[track_caller]
    fn node(self, _: Handle, place: Place) -> NodeId {
        arena::with(|b| b.constant(Value::bit(self), place))
    }
}

impl Operand<Bit> for i32 {
    #[track_caller]
    fn node(self, beside: Handle, place: Place) -> NodeId {
        natural(self, beside, place)
    }
}

impl<E: Encoding> Operand<Code<E>> for E {
    #[track_caller]
    fn node(self, _: Handle, place: Place) -> NodeId {
        arena::with(|b| b.constant(self.code(), place))
    }
}

/// The error of two operands whose widths differ.
fn unequal(b: &arena::Builder, what: &str, place: Place, a: NodeId, c: NodeId) -> Error {
    let (width, other) = (b.width(a), b.width(c));
    let (left, right) = (b.describe(a).0, b.describe(c).0);
    let text = format!("{left} has {width} bit{}, {right} has {other}: `{what}` needs equal widths", plural(width));
    let error = b.with_origin(Error::new(text).at(place, "here"), a);
    b.with_origin(error, c)
}

#[track_caller]
fn unary(op: Unary, a: Handle) -> Handle {
    let place = Place::here();
    let a = arena::resolve(a, place);
    arena::with(|b| {
        let width = match op {
            Unary::Not | Unary::Negate => b.width(a),
            Unary::All | Unary::Any | Unary::Parity => 1,
        };
        let node = b.node(Op::Unary(op, a), width, place);
        b.handle(node)
    })
}

#[track_caller]
fn binary<T: Leaf>(op: Binary, left: T, right: impl Operand<T>) -> Handle {
    binary_called(binary_symbol(op), op, left, right)
}

/// As [`binary`], with the name that the author knows the operator by.
#[track_caller]
fn binary_called<T: Leaf>(what: &str, op: Binary, left: T, right: impl Operand<T>) -> Handle {
    let place = Place::here();
    let a = arena::resolve(left.handle(), place);
    let width = left.handle().width;
    if arena::with(|b| b.is_poisoned(a)) {
        // Whatever is wrong with the right operand may follow from what is wrong with the left.
        return arena::with(|b| {
            let node = b.poison(if is_comparison(op) { 1 } else { width }, place);
            b.handle(node)
        });
    }
    let c = right.node(left.handle(), place);
    arena::with(|b| {
        let other = b.width(c);
        let result = match op {
            Binary::Multiply | Binary::MultiplySigned => width.saturating_add(other),
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => width,
            _ => {
                if width != other && !b.is_poisoned(c) {
                    let error = unequal(b, what, place, a, c);
                    b.report(error);
                    let node = b.poison(if is_comparison(op) { 1 } else { width }, place);
                    return b.handle(node);
                }
                if is_comparison(op) { 1 } else { width }
            }
        };
        let node = b.node(Op::Binary(op, a, c), result, place);
        b.handle(node)
    })
}

fn is_comparison(op: Binary) -> bool {
    use Binary as B;
    matches!(op, B::Equal | B::NotEqual | B::Less | B::LessEqual | B::LessSigned | B::LessEqualSigned)
}

/// `low .. low + width` of a handle.
#[track_caller]
pub(crate) fn slice_of(handle: Handle, low: u32, width: u32, place: Place) -> Handle {
    let of = arena::resolve(handle, place);
    arena::with(|b| {
        let all = b.width(of);
        if low.saturating_add(width) > all || width == 0 {
            if !b.is_poisoned(of) {
                let (text, origin) = b.describe(of);
                let rule = match width {
                    0 => "a slice has at least one bit".to_owned(),
                    1 => format!("there is no bit {low}"),
                    _ => format!("there are no bits {}:{low}", low.saturating_add(width - 1)),
                };
                let error = Error::new(format!("{text} has {all} bit{}: {rule}", plural(all)))
                    .at(place, "here")
                    .at(origin, format!("{text} comes from here"));
                b.report(error);
            }
            let node = b.poison(width, place);
            return b.handle(node);
        }
        let node = if low == 0 && width == all {
            of
        } else {
            // A slice of a slice is one slice.
            match b.module.node(of).op {
                Op::Slice { of: inner, low: below } => b.node(Op::Slice { of: inner, low: low + below }, width, place),
                _ => b.node(Op::Slice { of, low }, width, place),
            }
        };
        b.handle(node)
    })
}

/// Element `index` of elements of `width` bits.
#[track_caller]
pub(crate) fn part_of(handle: Handle, index: ir::Index, width: u32, place: Place) -> Handle {
    let of = arena::resolve(handle, place);
    arena::with(|b| {
        let node = b.node(Op::Part { of, index }, width, place);
        b.handle(node)
    })
}

/// Assigns `value` to the signal, or the part of one, that `target` stands for.
#[track_caller]
pub(crate) fn assign<T: Leaf>(what: &str, target: T, value: impl Operand<T>, place: Place) {
    let node = arena::resolve(target.handle(), place);
    if arena::with(|b| b.is_poisoned(node)) {
        return;
    }
    let width = target.handle().width;
    let value = value.node(target.handle(), place);
    arena::with(|b| {
        if b.is_poisoned(value) {
            return;
        }
        let Some(resolved) = assignable(&b.module, node) else {
            let text = b.describe(node).0;
            let error = Error::new(format!("{text} cannot be set: it is {}", why_fixed(&b.module, node)));
            let error = b
                .with_origin(error.at(place, "here"), node)
                .help("outputs, wires, registers, inputs of instances and parts of them can be set");
            b.report(error);
            return;
        };
        if b.width(value) != width {
            let error = unequal(b, what, place, node, value);
            b.report(error);
            return;
        }
        b.statement(Stmt::Assign { target: resolved, value, place }, place);
    });
}

/// The target that a node stands for: a signal that can be set, narrowed by slices and parts.
pub(crate) fn assignable(module: &ir::Module, node: NodeId) -> Option<Target> {
    let width = module.node(node).width;
    match &module.node(node).op {
        Op::Read(signal) => match module.signal(*signal).kind {
            ir::SignalKind::Output
            | ir::SignalKind::Wire
            | ir::SignalKind::Register { .. }
            | ir::SignalKind::InstanceInput { .. } => Some(Target { signal: *signal, path: vec![] }),
            _ => None,
        },
        Op::Slice { of, low } => {
            let mut target = assignable(module, *of)?;
            target.path.push(Select::Slice { low: *low, width });
            Some(target)
        }
        Op::Part { of, index } => {
            let mut target = assignable(module, *of)?;
            target.path.push(Select::Part { index: *index, width });
            Some(target)
        }
        _ => None,
    }
}

/// What a node is that cannot be set.
fn why_fixed(module: &ir::Module, node: NodeId) -> &'static str {
    match &module.node(node).op {
        Op::Read(signal) => match module.signal(*signal).kind {
            ir::SignalKind::Input => "an input",
            ir::SignalKind::InstanceOutput { .. } => "an output of an instance",
            ir::SignalKind::SyncRead { .. } => "what a memory read",
            ir::SignalKind::Accumulator(_) => "the running value of a recurrence",
            _ => "an expression",
        },
        Op::MemoryRead { .. } => "what a memory reads",
        Op::Const(_) => "a constant",
        Op::Slice { of, .. } | Op::Part { of, .. } => match why_fixed(module, *of) {
            "an input" => "part of an input",
            "an output of an instance" => "part of an output of an instance",
            _ => "part of an expression",
        },
        _ => "an expression",
    }
}

macro_rules! operator {
    ($leaf:ident, $trait:ident, $method:ident, $op:expr) => {
        impl<R: Operand<$leaf>> ops::$trait<R> for $leaf {
            type Output = $leaf;
            #[track_caller]
            fn $method(self, right: R) -> $leaf {
                $leaf(binary($op, self, right))
            }
        }
    };
}

operator!(Bit, BitAnd, bitand, Binary::And);
operator!(Bit, BitOr, bitor, Binary::Or);
operator!(Bit, BitXor, bitxor, Binary::Xor);
operator!(Bits, BitAnd, bitand, Binary::And);
operator!(Bits, BitOr, bitor, Binary::Or);
operator!(Bits, BitXor, bitxor, Binary::Xor);
operator!(Bits, Add, add, Binary::Add);
operator!(Bits, Sub, sub, Binary::Subtract);
operator!(Bits, Mul, mul, Binary::Multiply);
operator!(Signed, Add, add, Binary::Add);
operator!(Signed, Sub, sub, Binary::Subtract);
operator!(Signed, Mul, mul, Binary::MultiplySigned);

impl ops::Not for Bit {
    type Output = Bit;
    #[track_caller]
    fn not(self) -> Bit {
        Bit(unary(Unary::Not, self.0))
    }
}

impl ops::Not for Bits {
    type Output = Bits;
    #[track_caller]
    fn not(self) -> Bits {
        Bits(unary(Unary::Not, self.0))
    }
}

impl ops::Neg for Signed {
    type Output = Signed;
    #[track_caller]
    fn neg(self) -> Signed {
        Signed(unary(Unary::Negate, self.0))
    }
}

/// A shift amount: bits or a Rust number.
pub trait ShiftAmount {
    /// Its node.
    fn amount(self, place: Place) -> NodeId;
}

impl ShiftAmount for Bits {
    #[track_caller]
    fn amount(self, place: Place) -> NodeId {
        arena::resolve(self.0, place)
    }
}

impl ShiftAmount for u32 {
    #[track_caller]
    fn amount(self, place: Place) -> NodeId {
        arena::with(|b| b.constant(Value::new(32 - self.max(1).leading_zeros(), self), place))
    }
}

macro_rules! shift {
    ($leaf:ident, $trait:ident, $method:ident, $op:expr) => {
        impl<R: ShiftAmount> ops::$trait<R> for $leaf {
            type Output = $leaf;
            #[track_caller]
            fn $method(self, amount: R) -> $leaf {
                let place = Place::here();
                let a = arena::resolve(self.0, place);
                let amount = amount.amount(place);
                arena::with(|b| {
                    let width = b.width(a);
                    let node = b.node(Op::Binary($op, a, amount), width, place);
                    $leaf(b.handle(node))
                })
            }
        }
    };
}

shift!(Bits, Shl, shl, Binary::ShiftLeft);
shift!(Bits, Shr, shr, Binary::ShiftRight);
shift!(Signed, Shl, shl, Binary::ShiftLeft);
shift!(Signed, Shr, shr, Binary::ShiftRightSigned);

macro_rules! number_methods {
    ($leaf:ident, $less:expr, $less_equal:expr) => {
        impl $leaf {
            /// Width in bits.
            #[track_caller]
            pub fn width(self) -> u32 {
                arena::resolve(self.0, Place::here());
                self.0.width
            }

            /// Sets it; within a register, its next value. The last `set` in program order wins, bit by bit.
            #[track_caller]
            pub fn set(self, value: impl Operand<$leaf>) {
                assign("set", self, value, Place::here());
            }

            /// Whether it is equal to `other`; equal widths.
            #[track_caller]
            pub fn equals(self, other: impl Operand<$leaf>) -> Bit {
                Bit(binary(Binary::Equal, self, other))
            }

            /// Whether it differs from `other`; equal widths.
            #[track_caller]
            pub fn differs(self, other: impl Operand<$leaf>) -> Bit {
                Bit(binary(Binary::NotEqual, self, other))
            }

            /// Whether it is less than `other`; equal widths.
            #[track_caller]
            pub fn less_than(self, other: impl Operand<$leaf>) -> Bit {
                Bit(binary($less, self, other))
            }

            /// Whether it is at most `other`; equal widths.
            #[track_caller]
            pub fn at_most(self, other: impl Operand<$leaf>) -> Bit {
                Bit(binary($less_equal, self, other))
            }

            /// Whether it is greater than `other`; equal widths.
            #[track_caller]
            pub fn greater_than(self, other: impl Operand<$leaf>) -> Bit {
                !Bit(binary_called("greater_than", $less_equal, self, other))
            }

            /// Whether it is at least `other`; equal widths.
            #[track_caller]
            pub fn at_least(self, other: impl Operand<$leaf>) -> Bit {
                !Bit(binary_called("at_least", $less, self, other))
            }
        }
    };
}

number_methods!(Bits, Binary::Less, Binary::LessEqual);
number_methods!(Signed, Binary::LessSigned, Binary::LessEqualSigned);

impl Bit {
    /// Sets it; within a register, its next value. The last `set` in program order wins.
    #[track_caller]
    pub fn set(self, value: impl Operand<Bit>) {
        assign("set", self, value, Place::here());
    }

    /// As a vector of one bit.
    pub fn bits(self) -> Bits {
        Bits(self.0)
    }

    /// As often as `width` says, side by side.
    #[track_caller]
    pub fn repeat(self, width: u32) -> Bits {
        self.bits().repeat(width)
    }
}

impl Bits {
    /// Bit `index`, 0 being the lowest.
    #[track_caller]
    pub fn bit(self, index: u32) -> Bit {
        Bit(slice_of(self.0, index, 1, Place::here()))
    }

    /// The bits of a range, `low..end` with `end` excluded: what `spec` uses for fields.
    #[track_caller]
    pub fn slice(self, range: ops::Range<u32>) -> Bits {
        Bits(slice_of(self.0, range.start, range.end.saturating_sub(range.start), Place::here()))
    }

    /// Bit `index`, computed; 0 beyond the last when read, nothing when set.
    #[track_caller]
    pub fn bit_at(self, index: Bits) -> Bit {
        let place = Place::here();
        let index = arena::resolve(index.0, place);
        Bit(part_of(self.0, ir::Index::Node(index), 1, place))
    }

    /// With zeros above, `width` bits in all.
    #[track_caller]
    pub fn extend(self, width: u32) -> Bits {
        Bits(self.extended(width, |b, node, by, place| {
            let zeros = b.constant(Value::zero(by), place);
            Op::Concat(vec![zeros, node])
        }))
    }

    #[track_caller]
    fn extended(self, width: u32, op: impl FnOnce(&mut arena::Builder, NodeId, u32, Place) -> Op) -> Handle {
        let place = Place::here();
        let node = arena::resolve(self.0, place);
        arena::with(|b| {
            let present = b.width(node);
            if width < present && !b.is_poisoned(node) {
                let (text, origin) = b.describe(node);
                let error = Error::new(format!("{text} has {present} bits: it cannot be extended to {width}"))
                    .at(place, "here")
                    .at(origin, format!("{text} comes from here"))
                    .help("`slice` drops bits");
                b.report(error);
                let node = b.poison(width, place);
                return b.handle(node);
            }
            if width <= present {
                return b.handle(node);
            }
            let op = op(b, node, width - present, place);
            let node = b.node(op, width, place);
            b.handle(node)
        })
    }

    /// As often as `count` says, side by side.
    #[track_caller]
    pub fn repeat(self, count: u32) -> Bits {
        let place = Place::here();
        let node = arena::resolve(self.0, place);
        arena::with(|b| {
            let width = b.width(node);
            let repeated = match count {
                0 => {
                    let (text, origin) = b.describe(node);
                    let error = Error::new(format!("{text} cannot be repeated 0 times: it would have no bits"))
                        .at(place, "here")
                        .at(origin, format!("{text} comes from here"));
                    b.report(error);
                    b.poison(width, place)
                }
                1 => node,
                _ => b.node(Op::Repeat(node), width.saturating_mul(count), place),
            };
            Bits(b.handle(repeated))
        })
    }

    /// Whether all bits are 1.
    #[track_caller]
    pub fn all(self) -> Bit {
        Bit(unary(Unary::All, self.0))
    }

    /// Whether any bit is 1.
    #[track_caller]
    pub fn any(self) -> Bit {
        Bit(unary(Unary::Any, self.0))
    }

    /// Whether no bit is 1.
    #[track_caller]
    pub fn none(self) -> Bit {
        !self.any()
    }

    /// Whether an odd number of bits is 1.
    #[track_caller]
    pub fn parity(self) -> Bit {
        Bit(unary(Unary::Parity, self.0))
    }

    /// Whether at most one bit is 1: `x & (x - 1)` is 0.
    #[track_caller]
    pub fn at_most_one(self) -> Bit {
        (self & (self - 1)).none()
    }

    /// The same bits as a two's-complement number.
    pub fn signed(self) -> Signed {
        Signed(self.0)
    }

    /// The same bits as an enumeration; an illegal code counts as the reset variant.
    #[track_caller]
    pub fn code<E: Encoding>(self) -> Code<E> {
        let place = Place::here();
        let node = arena::resolve(self.0, place);
        let encoding = E::encoding();
        arena::with(|b| {
            let width = b.width(node);
            if width != encoding.width && !b.is_poisoned(node) {
                let (text, origin) = b.describe(node);
                let error = Error::new(format!(
                    "{text} has {width} bit{}, the enumeration `{}` has {}",
                    plural(width),
                    encoding.name,
                    encoding.width
                ))
                .at(place, "here")
                .at(origin, format!("{text} comes from here"));
                b.report(error);
                let node = b.poison(encoding.width, place);
                return Code(b.handle(node), PhantomData);
            }
            Code(self.0, PhantomData)
        })
    }
}

impl Signed {
    /// With copies of the sign above, `width` bits in all.
    #[track_caller]
    pub fn extend(self, width: u32) -> Signed {
        Signed(Bits(self.0).extended(width, |_, node, _, _| Op::SignExtend(node)))
    }

    /// The same bits as a vector.
    pub fn bits(self) -> Bits {
        Bits(self.0)
    }

    /// Whether it is negative.
    #[track_caller]
    pub fn is_negative(self) -> Bit {
        self.bits().bit(self.width() - 1)
    }
}

impl<E: Encoding> Code<E> {
    /// Sets it; within a register, its next value.
    #[track_caller]
    pub fn set(self, value: impl Operand<Code<E>>) {
        assign("set", self, value, Place::here());
    }

    /// Whether it is `variant`. An illegal code is the reset variant.
    #[track_caller]
    pub fn is(self, variant: E) -> Bit {
        let encoding = E::encoding();
        let has_illegal_codes = (encoding.variants.len() as u128) < (1u128 << encoding.width);
        if variant != E::RESET || !has_illegal_codes {
            return Bit(binary(Binary::Equal, self, variant));
        }
        let mut others = E::VARIANTS.iter().filter(|other| **other != variant);
        let Some(first) = others.next() else {
            return lit(true);
        };
        let mut any = Bit(binary(Binary::Equal, self, *first));
        for other in others {
            any = any | Bit(binary(Binary::Equal, self, *other));
        }
        !any
    }

    /// The code, as a vector.
    pub fn bits(self) -> Bits {
        Bits(self.0)
    }
}

/// A constant bit.
#[track_caller]
pub fn lit(bit: bool) -> Bit {
    let place = Place::here();
    arena::with(|b| {
        let node = b.constant(Value::bit(bit), place);
        Bit(b.handle(node))
    })
}

impl Value {
    /// As a constant of the circuit.
    #[track_caller]
    pub fn lit(self) -> Bits {
        let place = Place::here();
        arena::with(|b| {
            let node = if self.width() == 0 {
                b.report(Error::new("a constant has no bits").at(place, "here").help("widths start at 1"));
                b.poison(1, place)
            } else {
                b.constant(self, place)
            };
            Bits(b.handle(node))
        })
    }
}

/// The operands, at least one, side by side, the first one highest.
#[track_caller]
pub fn concat(parts: impl IntoIterator<Item = Bits>) -> Bits {
    let place = Place::here();
    let nodes: Vec<NodeId> = parts.into_iter().map(|part| arena::resolve(part.0, place)).collect();
    arena::with(|b| {
        let width = nodes.iter().map(|node| b.width(*node)).fold(0, u32::saturating_add);
        let node = match nodes[..] {
            [] => {
                b.report(Error::new("a concatenation of nothing has no width").at(place, "here"));
                b.poison(1, place)
            }
            [alone] => alone,
            _ => b.node(Op::Concat(nodes), width, place),
        };
        Bits(b.handle(node))
    })
}

/// `then` if `condition` is 1, else `otherwise`; leaf by leaf for bundles.
#[track_caller]
pub fn mux<T: Bundle>(condition: Bit, then: T, otherwise: T) -> T {
    let place = Place::here();
    let condition = arena::resolve(condition.0, place);
    zip(then, otherwise, place, "mux", |b, a, c| {
        let width = b.width(a);
        b.node(Op::Mux(condition, a, c), width, place)
    })
}

/// The leaves of two bundles side by side; none, and an error, if arrays in them have different counts.
#[track_caller]
pub(crate) fn pairs<T: Bundle>(left: &T, right: &T, what: &str, place: Place) -> Option<Vec<(Handle, Handle)>> {
    let (mut lefts, mut rights) = (vec![], vec![]);
    left.leaves(&mut lefts);
    right.leaves(&mut rights);
    let Some((count, other)) = left.tree().unequal_counts(&right.tree()) else {
        return Some(lefts.into_iter().zip(rights).collect());
    };
    unequal_counts(what, place, (count, lefts[0]), (other, rights[0]));
    None
}

/// Reports two arrays whose counts differ; each is told by its count and a leaf.
#[track_caller]
pub(crate) fn unequal_counts(what: &str, place: Place, left: (u32, Handle), right: (u32, Handle)) {
    let mut error =
        Error::new(format!("an array of {} and an array of {}: `{what}` needs equal counts", left.0, right.0))
            .at(place, "here");
    for (count, leaf) in [left, right] {
        let node = arena::resolve(leaf, place);
        let origin = arena::with(|b| b.describe(node).1);
        error = error.at(origin, format!("the array of {count} comes from here"));
    }
    arena::with(|b| b.report(error));
}

/// Combines two bundles leaf by leaf; leaves of different widths are an error.
#[track_caller]
pub(crate) fn zip<T: Bundle>(
    left: T,
    right: T,
    place: Place,
    what: &str,
    mut combine: impl FnMut(&mut arena::Builder, NodeId, NodeId) -> NodeId,
) -> T {
    let Some(pairs) = pairs(&left, &right, what, place) else {
        return left.map(&mut |leaf| {
            arena::with(|b| {
                let node = b.poison(leaf.width, place);
                b.handle(node)
            })
        });
    };
    let mut results = vec![];
    for (a, c) in pairs {
        let (a, c) = (arena::resolve(a, place), arena::resolve(c, place));
        results.push(arena::with(|b| {
            if b.is_poisoned(a) || b.is_poisoned(c) || b.width(a) != b.width(c) {
                if !b.is_poisoned(a) && !b.is_poisoned(c) {
                    let error = unequal(b, what, place, a, c);
                    b.report(error);
                }
                let node = b.poison(b.width(a), place);
                return b.handle(node);
            }
            let node = combine(b, a, c);
            b.handle(node)
        }));
    }
    left.with_leaves(&results)
}

/// Any value of the shape of `like`, another at each call: the author promises that nobody looks at it. Synthesis may choose;
/// the interpreter draws it anew after each clock edge, and [`Lockstep::dont_care`](crate::sim::Lockstep::dont_care) tells
/// which bits of a signal depend on it.
#[track_caller]
pub fn dont_care<T: Bundle>(like: T) -> T {
    let place = Place::here();
    let mut leaves = vec![];
    like.leaves(&mut leaves);
    let results: Vec<Handle> = leaves
        .into_iter()
        .map(|leaf| {
            arena::resolve(leaf, place);
            arena::with(|b| {
                let node = b.node(Op::DontCare, leaf.width, place);
                b.handle(node)
            })
        })
        .collect();
    like.with_leaves(&results)
}
