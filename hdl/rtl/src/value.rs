//! Values: bit vectors of any width, two-state.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::fmt;

/// A bit vector. The bits above `width` are always zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    width: u32,
    bits: BigUint,
}

impl Value {
    /// The low `width` bits of `bits`.
    pub fn new(width: u32, bits: impl Into<BigUint>) -> Self {
        let bits = bits.into();
        let bits = if bits.bits() > u64::from(width) { bits & mask(width) } else { bits };
        Self { width, bits }
    }

    /// All bits 0.
    pub fn zero(width: u32) -> Self {
        Self { width, bits: BigUint::zero() }
    }

    /// All bits 1.
    pub fn ones(width: u32) -> Self {
        Self { width, bits: mask(width) }
    }

    /// One bit.
    pub fn bit(bit: bool) -> Self {
        Self::new(1, u8::from(bit))
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits as an unsigned number.
    pub fn bits(&self) -> &BigUint {
        &self.bits
    }

    /// The bits as an unsigned number, if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        self.bits.to_u64()
    }

    /// Whether all bits are 0.
    pub fn is_zero(&self) -> bool {
        self.bits.is_zero()
    }

    /// Bit `index`; 0 beyond the width.
    pub fn get(&self, index: u32) -> bool {
        self.bits.bit(u64::from(index))
    }

    /// `width` bits from bit `low` up; bits beyond the end read 0.
    pub fn slice(&self, low: u32, width: u32) -> Self {
        Self::new(width, &self.bits >> low)
    }

    /// This value with `part` written at bit `low`; bits of `part` beyond the end are dropped.
    pub fn with_slice(&self, low: u32, part: &Self) -> Self {
        let hole = mask(part.width) << low;
        let kept = &self.bits - (&self.bits & &hole);
        Self::new(self.width, kept | (&part.bits << low))
    }

    /// `self` above `low`.
    pub fn concat(&self, low: &Self) -> Self {
        Self { width: self.width + low.width, bits: (&self.bits << low.width) | &low.bits }
    }

    /// As often as `count` says, side by side.
    pub(crate) fn repeated(&self, count: u32) -> Self {
        if count < 2 {
            return self.clone();
        }
        let half = self.repeated(count / 2);
        let whole = half.concat(&half);
        if count.is_multiple_of(2) { whole } else { whole.concat(self) }
    }

    /// Zero-extended or truncated to `width`.
    pub fn resized(&self, width: u32) -> Self {
        Self::new(width, self.bits.clone())
    }
}

/// A number with its low `width` bits 1.
pub(crate) fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u8
}

impl fmt::Display for Value {
    /// As a sized hexadecimal literal of Verilog, `12'h0ab`; one bit as `1'b0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width {
            1 => write!(f, "1'b{}", self.bits),
            width => write!(f, "{width}'h{:0digits$x}", self.bits, digits = width.div_ceil(4) as usize),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
