//! Why an access is recorded: the fault reasons of VT-d, and ours.

/// The reason in a fault record or an access-log record: 8 bits.
///
/// Numbers below 0xC0 are those of VT-d's fault reason encodings for DMA requests in legacy mode.
/// Numbers from 0xC0 on are ours, and never appear in VT-d's fault recording registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum FaultReason {
    /// The root entry of the bus is not present.
    RootEntryNotPresent = 0x1,
    /// The context entry of the requester is not present.
    ContextEntryNotPresent = 0x2,
    /// The context entry holds an unsupported address width or translation type.
    InvalidContextEntry = 0x3,
    /// The address is beyond what the domain can address.
    AddressBeyondWidth = 0x4,
    /// A write or AtomicOp lacks write permission.
    WriteNotPermitted = 0x5,
    /// A read or AtomicOp lacks read permission.
    ReadNotPermitted = 0x6,
    /// A paging entry could not be read.
    PagingEntryUnreachable = 0x7,
    /// A root entry could not be read.
    RootEntryUnreachable = 0x8,
    /// A context entry could not be read.
    ContextEntryUnreachable = 0x9,
    /// A present root entry has a reserved bit set.
    RootEntryReserved = 0xA,
    /// A present context entry has a reserved bit set.
    ContextEntryReserved = 0xB,
    /// A present paging entry has a reserved bit set.
    PagingEntryReserved = 0xC,
    /// The domain takes no translated or translation requests.
    TranslatedRequestBlocked = 0xD,
    /// The record of a write that took effect (U-05).
    LoggedWrite = 0xC0,
    /// The record of a read that took effect (U-05).
    LoggedRead = 0xC1,
    /// The record was meant for an access log, but its user domain has none (U-07).
    NoAccessLog = 0xC2,
}

impl FaultReason {
    /// The bits of a reason.
    pub const BITS: u32 = 8;

    /// All reasons, lowest number first.
    pub const ALL: [Self; 16] = [
        Self::RootEntryNotPresent,
        Self::ContextEntryNotPresent,
        Self::InvalidContextEntry,
        Self::AddressBeyondWidth,
        Self::WriteNotPermitted,
        Self::ReadNotPermitted,
        Self::PagingEntryUnreachable,
        Self::RootEntryUnreachable,
        Self::ContextEntryUnreachable,
        Self::RootEntryReserved,
        Self::ContextEntryReserved,
        Self::PagingEntryReserved,
        Self::TranslatedRequestBlocked,
        Self::LoggedWrite,
        Self::LoggedRead,
        Self::NoAccessLog,
    ];

    /// The number of the reason.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The reason of a number; `None` if no reason has it.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.number() == number)
    }

    /// The name in generated headers, in lower case with underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RootEntryNotPresent => "root_entry_not_present",
            Self::ContextEntryNotPresent => "context_entry_not_present",
            Self::InvalidContextEntry => "invalid_context_entry",
            Self::AddressBeyondWidth => "address_beyond_width",
            Self::WriteNotPermitted => "write_not_permitted",
            Self::ReadNotPermitted => "read_not_permitted",
            Self::PagingEntryUnreachable => "paging_entry_unreachable",
            Self::RootEntryUnreachable => "root_entry_unreachable",
            Self::ContextEntryUnreachable => "context_entry_unreachable",
            Self::RootEntryReserved => "root_entry_reserved",
            Self::ContextEntryReserved => "context_entry_reserved",
            Self::PagingEntryReserved => "paging_entry_reserved",
            Self::TranslatedRequestBlocked => "translated_request_blocked",
            Self::LoggedWrite => "logged_write",
            Self::LoggedRead => "logged_read",
            Self::NoAccessLog => "no_access_log",
        }
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::RootEntryNotPresent => "the root entry of the bus is not present",
            Self::ContextEntryNotPresent => "the context entry of the requester is not present",
            Self::InvalidContextEntry => "the context entry holds an unsupported address width or translation type",
            Self::AddressBeyondWidth => "the address is beyond what the domain can address",
            Self::WriteNotPermitted => "a write or AtomicOp lacks write permission",
            Self::ReadNotPermitted => "a read or AtomicOp lacks read permission",
            Self::PagingEntryUnreachable => "a paging entry could not be read",
            Self::RootEntryUnreachable => "a root entry could not be read",
            Self::ContextEntryUnreachable => "a context entry could not be read",
            Self::RootEntryReserved => "a present root entry has a reserved bit set",
            Self::ContextEntryReserved => "a present context entry has a reserved bit set",
            Self::PagingEntryReserved => "a present paging entry has a reserved bit set",
            Self::TranslatedRequestBlocked => "the domain takes no translated or translation requests",
            Self::LoggedWrite => "a write that took effect is logged",
            Self::LoggedRead => "a read that took effect is logged",
            Self::NoAccessLog => "the user domain of the page has no valid access log",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FaultReason;

    #[test]
    fn numbers_go_up_and_come_back() {
        assert!(FaultReason::ALL.is_sorted_by_key(|reason| reason.number()));
        for reason in FaultReason::ALL {
            assert_eq!(FaultReason::from_number(reason.number()), Some(reason));
        }
        let known = (0..=u8::MAX).filter_map(FaultReason::from_number).count();
        assert_eq!(known, FaultReason::ALL.len());
    }

    /// Numbers read off the VT-d specification, and off the operating systems that print them.
    #[test]
    fn numbers_are_those_of_vt_d() {
        assert_eq!(FaultReason::RootEntryNotPresent.number(), 1);
        assert_eq!(FaultReason::WriteNotPermitted.number(), 5);
        assert_eq!(FaultReason::ReadNotPermitted.number(), 6);
        assert_eq!(FaultReason::PagingEntryReserved.number(), 12);
        assert_eq!(FaultReason::TranslatedRequestBlocked.number(), 13);
    }
}
