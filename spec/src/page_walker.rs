//! Page walks: how they end.

use crate::fault::FaultReason;

/// How a walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// With a translation.
    Translated = 0,
    /// At an entry that is not present: reason 5 or 6, as the access wants.
    NotPresent = 1,
    /// At a present entry with a reserved bit set.
    Reserved = 2,
    /// At an entry that could not be read.
    Unreachable = 3,
    /// With an invalidation that came while it was under way: nothing is known of the page.
    Stale = 4,
}

impl Outcome {
    /// All outcomes, lowest code first.
    pub const ALL: [Self; 5] = [Self::Translated, Self::NotPresent, Self::Reserved, Self::Unreachable, Self::Stale];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The fault reason that it is whatever the access; `None` where there is no fault, or the access decides.
    pub const fn reason(self) -> Option<FaultReason> {
        match self {
            Self::Reserved => Some(FaultReason::PagingEntryReserved),
            Self::Unreachable => Some(FaultReason::PagingEntryUnreachable),
            Self::Translated | Self::NotPresent | Self::Stale => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    /// VT-d: 7, an error on the access to a paging entry; 0xC, a reserved field in one.
    #[test]
    fn reasons_are_those_of_vt_d() {
        let reasons = Outcome::ALL.map(|outcome| outcome.reason().map(|reason| reason.number()));
        assert_eq!(reasons, [None, None, Some(0xC), Some(0x7), None]);
    }
}
