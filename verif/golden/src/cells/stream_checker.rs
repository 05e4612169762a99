//! The stream checker: the rules of the stream contract that can be seen in one run (`docs/contracts/stream.md`).

use std::fmt;

/// A stream as its checker sees it at a clock edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen<T> {
    /// Whether reset is asserted.
    pub reset: bool,
    /// The source offers a payload.
    pub valid: bool,
    /// The sink takes it.
    pub ready: bool,
    /// The payload; anything while `valid` is low.
    pub data: T,
}

/// What was done against the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// Rule 2: `valid` fell before the transfer.
    Withdrawn,
    /// Rule 2: the payload changed before the transfer.
    Changed,
    /// Rule 4: `valid` was high in reset.
    ValidInReset,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Withdrawn => "stream rule 2: valid fell before the transfer",
            Self::Changed => "stream rule 2: the payload changed before the transfer",
            Self::ValidInReset => "stream rule 4: valid was high in reset",
        })
    }
}

/// What the checker remembers of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamChecker<T> {
    /// The last edge.
    last: Option<Seen<T>>,
}

impl<T: Copy + PartialEq> StreamChecker<T> {
    /// A checker that has seen no edge.
    pub fn new() -> Self {
        Self { last: None }
    }

    /// One clock edge, and what it breaks.
    pub fn edge(&mut self, now: Seen<T>) -> Option<Violation> {
        let last = self.last.replace(now)?;
        match (last.reset, now.reset) {
            // The first edge of a reset acts; of the second on, `valid` is low.
            (true, true) => now.valid.then_some(Violation::ValidInReset),
            (_, true) => None,
            // A reset ends the promise, and so does the transfer.
            (true, false) => None,
            (false, false) if !last.valid || last.ready => None,
            (false, false) if !now.valid => Some(Violation::Withdrawn),
            (false, false) => (now.data != last.data).then_some(Violation::Changed),
        }
    }
}
