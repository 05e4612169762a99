//! Why an access is recorded: the fault reasons of VT-d, and ours.

/// The reason in a fault record or an access-log record: 8 bits.
///
/// Numbers below 0xC0 are those of VT-d's fault reason encodings for DMA requests in legacy mode.
/// Numbers from 0xC0 on are ours, and never appear in VT-d's fault recording registers: 0xC0 to 0xCF
/// are of active access, 0xD0 to 0xDF of malformed TLPs, 0xE0 to 0xEF of unsupported ones.
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
    /// Fmt and Type of the header mean no TLP.
    UndefinedTlp = 0xD0,
    /// The prefix is none that the unit knows, or not for this TLP.
    UnsupportedPrefix = 0xD1,
    /// The traffic class is not 0, as this TLP wants.
    TrafficClass = 0xD2,
    /// An I/O or configuration request is not of one doubleword.
    SingleDoubleword = 0xD3,
    /// The attributes or the address type of an I/O or configuration request are not 0.
    Attributes = 0xD4,
    /// The payload is larger than the maximum payload size.
    PayloadTooLarge = 0xD5,
    /// An address below 4 GiB has a header of four doublewords.
    LongAddress = 0xD6,
    /// A memory request crosses a 4 KiB boundary.
    CrossesBoundary = 0xD7,
    /// The byte enables are not allowed with this length.
    ByteEnables = 0xD8,
    /// The length of an AtomicOp is none of its operand sizes.
    OperandLength = 0xD9,
    /// The address of an AtomicOp is not aligned to its operand.
    OperandAlignment = 0xDA,
    /// A completion carries more than its byte count.
    CompletionLength = 0xDB,
    /// The tag has more bits than the unit keeps.
    TagTooWide = 0xE0,
    /// A request has a PASID.
    PasidRequest = 0xE1,
    /// I/O requests are not supported.
    IoRequest = 0xE2,
    /// Configuration requests are not supported.
    ConfigurationRequest = 0xE3,
    /// Locked reads are not supported.
    LockedRead = 0xE4,
    /// AtomicOps are not supported.
    AtomicOp = 0xE5,
    /// Addresses 0xFEEx_xxxx can be written only.
    InterruptRange = 0xE6,
    /// A read asks for more than the maximum read request size.
    ReadTooLarge = 0xE7,
    /// A device sends no messages of this routing.
    MessageRouting = 0xE8,
}

impl FaultReason {
    /// The bits of a reason.
    pub const BITS: u32 = 8;

    /// All reasons, lowest number first.
    pub const ALL: [Self; 37] = [
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
        Self::UndefinedTlp,
        Self::UnsupportedPrefix,
        Self::TrafficClass,
        Self::SingleDoubleword,
        Self::Attributes,
        Self::PayloadTooLarge,
        Self::LongAddress,
        Self::CrossesBoundary,
        Self::ByteEnables,
        Self::OperandLength,
        Self::OperandAlignment,
        Self::CompletionLength,
        Self::TagTooWide,
        Self::PasidRequest,
        Self::IoRequest,
        Self::ConfigurationRequest,
        Self::LockedRead,
        Self::AtomicOp,
        Self::InterruptRange,
        Self::ReadTooLarge,
        Self::MessageRouting,
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
            Self::UndefinedTlp => "undefined_tlp",
            Self::UnsupportedPrefix => "unsupported_prefix",
            Self::TrafficClass => "traffic_class",
            Self::SingleDoubleword => "single_doubleword",
            Self::Attributes => "attributes",
            Self::PayloadTooLarge => "payload_too_large",
            Self::LongAddress => "long_address",
            Self::CrossesBoundary => "crosses_boundary",
            Self::ByteEnables => "byte_enables",
            Self::OperandLength => "operand_length",
            Self::OperandAlignment => "operand_alignment",
            Self::CompletionLength => "completion_length",
            Self::TagTooWide => "tag_too_wide",
            Self::PasidRequest => "pasid_request",
            Self::IoRequest => "io_request",
            Self::ConfigurationRequest => "configuration_request",
            Self::LockedRead => "locked_read",
            Self::AtomicOp => "atomic_op",
            Self::InterruptRange => "interrupt_range",
            Self::ReadTooLarge => "read_too_large",
            Self::MessageRouting => "message_routing",
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
            Self::UndefinedTlp => "Fmt and Type of the header mean no TLP",
            Self::UnsupportedPrefix => "the prefix is none that the unit knows, or not for this TLP",
            Self::TrafficClass => "the traffic class is not 0, as this TLP wants",
            Self::SingleDoubleword => "an I/O or configuration request is not of one doubleword",
            Self::Attributes => "the attributes or the address type of an I/O or configuration request are not 0",
            Self::PayloadTooLarge => "the payload is larger than the maximum payload size",
            Self::LongAddress => "an address below 4 GiB has a header of four doublewords",
            Self::CrossesBoundary => "a memory request crosses a 4 KiB boundary",
            Self::ByteEnables => "the byte enables are not allowed with this length",
            Self::OperandLength => "the length of an AtomicOp is none of its operand sizes",
            Self::OperandAlignment => "the address of an AtomicOp is not aligned to its operand",
            Self::CompletionLength => "a completion carries more than its byte count",
            Self::TagTooWide => "the tag has more bits than the unit keeps",
            Self::PasidRequest => "a request has a PASID",
            Self::IoRequest => "I/O requests are not supported",
            Self::ConfigurationRequest => "configuration requests are not supported",
            Self::LockedRead => "locked reads are not supported",
            Self::AtomicOp => "AtomicOps are not supported",
            Self::InterruptRange => "addresses 0xFEEx_xxxx can be written only",
            Self::ReadTooLarge => "a read asks for more than the maximum read request size",
            Self::MessageRouting => "a device sends no messages of this routing",
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
