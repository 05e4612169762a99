//! Outstanding requests: what becomes of a completion, and how time is counted.

/// What a completion is to the request that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// Data, and more to come.
    Part = 0,
    /// The last data.
    Last = 1,
    /// A failure, which ends the request.
    Failed = 2,
    /// Not what was asked for: to be dropped, and the request waits on.
    Mismatch = 3,
    /// There is no such request: to be dropped.
    Unexpected = 4,
}

impl Outcome {
    /// All outcomes, lowest code first.
    pub const ALL: [Self; 5] = [Self::Part, Self::Last, Self::Failed, Self::Mismatch, Self::Unexpected];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// The age at which a request is lost, in quarters of the timeout: a request that was issued anywhere in
/// a quarter has then waited for four whole ones.
pub const LOST_AGE: u32 = 5;

/// The bits of an age.
pub const AGE_BITS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_positions_in_all() {
        assert!(Outcome::ALL.iter().zip(0..).all(|(outcome, code)| outcome.number() == code));
        assert_eq!(LOST_AGE >> AGE_BITS, 0);
    }
}
