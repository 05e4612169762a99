//! What the operators of [`ir`](crate::ir) compute: one line here for each line there.

use crate::ir::{Binary, Unary};
use crate::value::{Value, mask};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// The value of an operator of one operand.
pub(super) fn unary(operator: Unary, a: &Value) -> Value {
    let w = a.width();
    match operator {
        Unary::Not => Value::new(w, mask(w) - a.bits()),
        Unary::Negate => Value::new(w, power(w) - a.bits()),
        Unary::All => Value::bit(a.bits().count_ones() == u64::from(w)),
        Unary::Any => Value::bit(!a.is_zero()),
        Unary::Parity => Value::bit(a.bits().count_ones() % 2 == 1),
    }
}

/// The value of an operator of two operands.
pub(super) fn binary(operator: Binary, a: &Value, b: &Value) -> Value {
    let w = a.width();
    match operator {
        Binary::And => Value::new(w, a.bits() & b.bits()),
        Binary::Or => Value::new(w, a.bits() | b.bits()),
        Binary::Xor => Value::new(w, a.bits() ^ b.bits()),
        Binary::Add => Value::new(w, a.bits() + b.bits()),
        Binary::Subtract => Value::new(w, power(w) + a.bits() - b.bits()),
        Binary::Multiply => Value::new(w + b.width(), a.bits() * b.bits()),
        Binary::MultiplySigned => from_signed(w + b.width(), &(signed(a) * signed(b))),
        Binary::Equal => Value::bit(a.bits() == b.bits()),
        Binary::NotEqual => Value::bit(a.bits() != b.bits()),
        Binary::Less => Value::bit(a.bits() < b.bits()),
        Binary::LessEqual => Value::bit(a.bits() <= b.bits()),
        Binary::LessSigned => Value::bit(signed(a) < signed(b)),
        Binary::LessEqualSigned => Value::bit(signed(a) <= signed(b)),
        Binary::ShiftLeft => shift(b, w).map_or(Value::zero(w), |by| Value::new(w, a.bits() << by)),
        Binary::ShiftRight => shift(b, w).map_or(Value::zero(w), |by| Value::new(w, a.bits() >> by)),
        Binary::ShiftRightSigned => from_signed(w, &(signed(a) >> shift(b, w).unwrap_or(w))),
    }
}

/// `a` as often as `width` holds it.
pub(super) fn repeat(a: &Value, width: u32) -> Value {
    match a.width() {
        1 if a.is_zero() => Value::zero(width),
        1 => Value::ones(width),
        w => (0..width / w).fold(Value::zero(0), |high, _| high.concat(a)),
    }
}

/// `a` extended to `width` bits by its highest bit.
pub(super) fn sign_extend(a: &Value, width: u32) -> Value {
    from_signed(width, &signed(a))
}

/// How far to shift a vector of `width` bits, unless everything is shifted out.
fn shift(by: &Value, width: u32) -> Option<u32> {
    by.to_u64().filter(|by| *by < u64::from(width)).map(|by| by as u32)
}

/// Two to the `width`.
fn power(width: u32) -> BigUint {
    BigUint::one() << width
}

/// The two's-complement number that the bits of `a` are.
pub(super) fn signed(a: &Value) -> BigInt {
    let unsigned = BigInt::from(a.bits().clone());
    if a.get(a.width() - 1) { unsigned - BigInt::from(power(a.width())) } else { unsigned }
}

/// The low `width` bits of a two's-complement number.
fn from_signed(width: u32, number: &BigInt) -> Value {
    let (_, bits) = (number & BigInt::from(mask(width))).into_parts();
    Value::new(width, bits)
}
