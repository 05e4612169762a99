//! PCIe flow control: the classes of TLPs, and the credits that each needs.
//!
//! Source: PCIe base specification, section 2.6.1. There are six types of credits, a class and a [`Part`] each: PH, PD,
//! NPH, NPD, CPLH, CPLD. Scaled flow control is not used.

use crate::tlp::{DOUBLEWORD_BYTES, LONGEST};

/// The bytes of a data credit.
pub const DATA_CREDIT_BYTES: u32 = 16;

/// The data credits of the largest payload that the Length field of a TLP can tell.
pub const LARGEST_TLP_UNITS: u32 = LONGEST * DOUBLEWORD_BYTES / DATA_CREDIT_BYTES;

/// The bits of the data credits of one TLP.
pub const TLP_UNITS_BITS: u32 = LARGEST_TLP_UNITS.ilog2() + 1;

/// The data credits of the largest non-posted request: the operands of a compare-and-swap of 128 bits.
pub const LARGEST_NON_POSTED_UNITS: u32 = 32 / DATA_CREDIT_BYTES;

/// A class of TLPs that has credits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// P: memory writes and messages.
    Posted,
    /// NP: reads, AtomicOps, I/O and configuration requests.
    NonPosted,
    /// CPL: completions.
    Completion,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 3] = [Self::Posted, Self::NonPosted, Self::Completion];

    /// The name in ports and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::NonPosted => "non_posted",
            Self::Completion => "completion",
        }
    }

    /// The standard's abbreviation.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::Posted => "P",
            Self::NonPosted => "NP",
            Self::Completion => "CPL",
        }
    }
}

/// A part of a TLP that has credits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The header: one credit a TLP, digest included.
    Header,
    /// The payload: one credit for each 16 bytes, the last ones rounded up.
    Data,
}

impl Part {
    /// Both parts.
    pub const ALL: [Self; 2] = [Self::Header, Self::Data];

    /// The name in ports and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Data => "data",
        }
    }

    /// The standard's abbreviation, behind that of a class.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::Header => "H",
            Self::Data => "D",
        }
    }

    /// The bits of a counter of credits: the standard's Field Size.
    pub const fn counter_bits(self) -> u32 {
        match self {
            Self::Header => 8,
            Self::Data => 12,
        }
    }

    /// The most credits that a receiver may have given and that are not used: 127 or 2047.
    pub const fn most_unused(self) -> u32 {
        (1 << (self.counter_bits() - 1)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard() {
        assert_eq!(Part::ALL.map(Part::counter_bits), [8, 12]);
        assert_eq!(Part::ALL.map(Part::most_unused), [127, 2047]);
        assert_eq!((LARGEST_TLP_UNITS, TLP_UNITS_BITS, LARGEST_NON_POSTED_UNITS), (256, 9, 2));
    }

    #[test]
    fn types_are_called_as_in_the_standard() {
        let names = Class::ALL.map(|class| Part::ALL.map(|part| [class.abbreviation(), part.abbreviation()].concat()));
        assert_eq!(names, [["PH", "PD"], ["NPH", "NPD"], ["CPLH", "CPLD"]]);
    }
}
