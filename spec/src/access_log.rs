//! Layouts of the access log: its records, its table, and why programming the table is refused.

use crate::layout::{Field, Layout};

/// The bytes of a record header.
pub const HEADER_BYTES: u32 = 32;

/// The granule of a log in compact mode, in bytes: a double word.
pub const COMPACT_GRANULE_BYTES: u32 = 4;

/// The header that precedes the payload of a record, except in compact mode.
///
/// It is stored little-endian: bit 0 is the lowest bit of the lowest byte. Reserved bits are 0.
pub fn record_header() -> Layout {
    let fields = vec![
        Field::new("address", 0..64, "address of the access, as the device gave it", "Q-03"),
        Field::new("requester", 64..80, "requester id: bus, device, function", "AA-06"),
        Field::new("tag", 80..90, "transaction tag of the request", "Q-03"),
        Field::new("iuid", 96..112, "user domain of the page, zero-extended", "AA-08"),
        Field::new("length", 112..128, "bytes of the access: 0 to 4096", "Q-03, U-12"),
        Field::new("first_byte_enables", 128..132, "byte enables of the first double word", "Q-13"),
        Field::new("last_byte_enables", 132..136, "byte enables of the last double word", "Q-13"),
        Field::new("kind", 136..140, "what the record tells of", "Q-03, U-11")
            .value(0, "write", "a memory write")
            .value(1, "fetch_add_operand", "the operand of a FetchAdd")
            .value(2, "swap_operand", "the operand of a Swap")
            .value(3, "compare_and_swap_operands", "the operands of a CAS")
            .value(4, "read", "a memory read")
            .value(5, "fetch_add_old_value", "the value that a FetchAdd returned")
            .value(6, "swap_old_value", "the value that a Swap returned")
            .value(7, "compare_and_swap_old_value", "the value that a CAS returned"),
        Field::new("blocked", 140..141, "1: the access had no effect", "U-03"),
        Field::new("has_data", 141..142, "1: a payload of `length` bytes follows", "Q-03"),
        Field::new("poisoned", 142..143, "1: the payload is incomplete and zero-filled", "Q-11"),
        Field::new("reason", 144..152, "fault reason code", "U-05, VT-d"),
        Field::new("log_sequence", 160..192, "number of the record in its log, modulo 2^32", "Q-03"),
        Field::new("global_sequence", 192..224, "number of the record in the unit, modulo 2^32", "Q-24"),
        Field::new("timestamp", 224..256, "clock cycles, modulo 2^32; 0 where not built", "Q-03"),
    ];
    let meaning = "header of an access-log record";
    Layout::new("access_log_record", 8 * HEADER_BYTES, meaning, fields)
        .expect("the fields of the record header are fixed and apart")
}

/// Why a descriptor is refused. Each is one bit of the answer and of the status register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ProgramError {
    /// The table has no entry of that index.
    Index = 0,
    /// The entry is valid; it is invalidated first.
    Enabled = 1,
    /// Another valid entry has the user domain.
    Duplicate = 2,
    /// Base, head, tail or size is no multiple of the granule.
    Unaligned = 3,
    /// The size is 0.
    ZeroSize = 4,
    /// The ring does not hold the largest record and one granule.
    TooSmall = 5,
    /// Head or tail lies outside the ring, or the ring ends beyond the address space.
    Outside = 6,
}

impl ProgramError {
    /// The number of error bits.
    pub const COUNT: u32 = 7;

    /// All errors, lowest bit first.
    pub const ALL: [Self; Self::COUNT as usize] =
        [Self::Index, Self::Enabled, Self::Duplicate, Self::Unaligned, Self::ZeroSize, Self::TooSmall, Self::Outside];

    /// The bit of the error.
    pub const fn bit(self) -> u32 {
        self as u32
    }

    /// The name in the status register and in ports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Enabled => "enabled",
            Self::Duplicate => "duplicate",
            Self::Unaligned => "unaligned",
            Self::ZeroSize => "zero_size",
            Self::TooSmall => "too_small",
            Self::Outside => "outside",
        }
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Index => "the table has no entry of that index",
            Self::Enabled => "the entry is valid: invalidate it first",
            Self::Duplicate => "another valid entry has the user domain",
            Self::Unaligned => "base, head, tail or size is no multiple of the granule",
            Self::ZeroSize => "the size is 0",
            Self::TooSmall => "the ring does not hold the largest record and one granule",
            Self::Outside => "head or tail is outside the ring, or the ring leaves the address space",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_thirty_two_bytes_with_these_gaps() {
        let header = record_header();
        assert_eq!(header.bits, 256);
        assert_eq!(header.gaps(), [90..96, 143..144, 152..160]);
    }

    #[test]
    fn error_bits_count_up() {
        let bits = ProgramError::ALL.map(ProgramError::bit);
        assert_eq!(bits, [0, 1, 2, 3, 4, 5, 6]);
    }
}
