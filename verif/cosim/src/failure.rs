//! What a running cosimulation fails with.

use std::fmt::{self, Write as _};

use num_bigint::BigUint;

use crate::Error;

/// The result of a testbench and of all its parts.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why a run failed. [`Run`](crate::Run) adds block, seed, wave and the command that repeats it.
///
/// Small, whatever it holds: every step of every cycle returns one or none, in registers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The model's data are not the golden model's.
    Mismatch(Box<Mismatch>),
    /// A port broke a numbered rule of its contract.
    Rule(Box<BrokenRule>),
    /// The model ended the simulation itself.
    Stopped(Box<Stopped>),
    /// Anything else: a setup that failed, a bound exceeded, a panic.
    Other(Box<String>),
}

const _: () = assert!(size_of::<Outcome>() == 2 * size_of::<usize>());

/// A transaction that differs from what the golden model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Rising edges of the clock before it.
    pub cycle: u64,
    /// `walk #17`.
    pub transaction: String,
    /// What differs, or what is missing or in excess.
    pub difference: Difference,
    /// More for the reader, such as the address: `iova 0x4000_1000`.
    pub note: Option<String>,
}

/// In what way.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// Both have it, with other values.
    Fields(Vec<FieldDifference>),
    /// The model gave it and nothing was expected; its fields.
    Unexpected(String),
    /// The golden model gave it and the model never did; its fields.
    Missing(String),
}

/// One field that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDifference {
    /// `pte.level`.
    pub field: String,
    /// In the model.
    pub rtl: BigUint,
    /// In the golden model.
    pub golden: BigUint,
}

/// A rule of a port contract that did not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenRule {
    /// Rising edges of the clock before it.
    pub cycle: u64,
    /// The port's prefix.
    pub port: String,
    /// `stream rule 2`.
    pub rule: &'static str,
    /// What was seen, with both values.
    pub seen: String,
}

/// `$stop`, `$finish`, a failed assertion, or an error of the simulator.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// Rising edges of the clock before it.
    pub cycle: u64,
    /// Place and reason.
    pub message: String,
    /// What the model had printed and nobody had taken.
    pub output: String,
}

impl Failure {
    /// A mismatch of one value, for testbenches that compare by hand.
    pub fn mismatch(
        cycle: u64,
        transaction: impl Into<String>,
        field: impl Into<String>,
        rtl: impl Into<BigUint>,
        golden: impl Into<BigUint>,
    ) -> Self {
        let field = FieldDifference { field: field.into(), rtl: rtl.into(), golden: golden.into() };
        Failure::Mismatch(Box::new(Mismatch {
            cycle,
            transaction: transaction.into(),
            difference: Difference::Fields(vec![field]),
            note: None,
        }))
    }

    /// A failure in words.
    pub fn other(text: impl Into<String>) -> Self {
        Failure::Other(Box::new(text.into()))
    }

    /// Adds `note` to a mismatch; other failures stay as they are.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        if let Failure::Mismatch(mismatch) = &mut self {
            mismatch.note = Some(note.into());
        }
        self
    }

    /// When it happened, where that is known: rising edges of the clock.
    #[must_use]
    pub fn cycle(&self) -> Option<u64> {
        match self {
            Failure::Mismatch(mismatch) => Some(mismatch.cycle),
            Failure::Rule(rule) => Some(rule.cycle),
            Failure::Stopped(stopped) => Some(stopped.cycle),
            Failure::Other(_) => None,
        }
    }
}

/// What happened, without the cycle, which stands before the seed in the full message.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Mismatch(mismatch) => mismatch.fmt(f),
            Failure::Rule(broken) => {
                write!(f, "{} breaks {}: {}", broken.port, broken.rule, broken.seen)
            }
            Failure::Stopped(stopped) => {
                f.write_str(&stopped.message)?;
                for line in stopped.output.lines() {
                    write!(f, "\n  | {line}")?;
                }
                Ok(())
            }
            Failure::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::other(error.to_string())
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.transaction)?;
        match &self.difference {
            Difference::Fields(fields) => {
                for (place, field) in fields.iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    let (rtl, golden) = (number(&field.rtl), number(&field.golden));
                    write!(f, "{comma}{} rtl={rtl} golden={golden}", field.field)?;
                }
            }
            Difference::Unexpected(fields) => write!(f, "rtl={fields} golden=nothing")?,
            Difference::Missing(fields) => write!(f, "rtl=nothing golden={fields}")?,
        }
        match &self.note {
            Some(note) => write!(f, " ({note})"),
            None => Ok(()),
        }
    }
}

/// A value as messages show it: one digit as it is, more in hexadecimal by fours.
pub(crate) fn number(value: &BigUint) -> String {
    let digits = format!("{value:x}");
    if value < &BigUint::from(10u32) {
        return digits;
    }
    let mut text = String::from("0x");
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 4 == 0 {
            text.push('_');
        }
        text.write_char(digit).expect("a String takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mismatch_reads_as_the_architecture_says() {
        let failure = Failure::mismatch(1204, "walk #17", "pte.level", 1u32, 2u32).with_note("iova 0x4000_1000");
        assert_eq!(failure.to_string(), "walk #17: pte.level rtl=1 golden=2 (iova 0x4000_1000)");
    }

    #[test]
    fn numbers_group_their_digits() {
        let shown = |value: u64| number(&BigUint::from(value));
        assert_eq!(shown(9), "9");
        assert_eq!(shown(10), "0xa");
        assert_eq!(shown(0xffff), "0xffff");
        assert_eq!(shown(0x1_0000), "0x1_0000");
        assert_eq!(shown(0x1234_5678_9abc), "0x1234_5678_9abc");
    }
}
