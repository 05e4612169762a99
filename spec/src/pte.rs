//! The second-level paging entry of VT-d with the active-access bits, and the codes around it.

use std::ops::Range;

use crate::layout::{Field, Layout, first_common_bit};

/// Where each field of a 64-bit paging entry lies, as bit ranges (the end excluded).
///
/// The first group is VT-d's and fixed, but for the end of `address`; the second is the
/// configuration's (AA-08, AA-10, AA-11, Q-34). [`crate::config::Config`] holds a checked one: the
/// configured fields overlap nothing, except that a log bit may lie at `page_size` (U-10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PteLayout {
    /// R: reads are permitted.
    pub read: Range<u32>,
    /// W: writes are permitted.
    pub write: Range<u32>,
    /// PS: at levels 2 and 3, the entry is a leaf; at level 4 reserved.
    pub page_size: Range<u32>,
    /// SNP: snoop behavior; not interpreted by this unit.
    pub snoop: Range<u32>,
    /// The address of the page or table, up to the host address width.
    pub address: Range<u32>,
    /// The address bits that this host does not have: reserved. Empty for a width of 52 bits.
    pub address_reserved: Range<u32>,
    /// TM: transient mapping; not interpreted by this unit.
    pub transient_mapping: Range<u32>,

    /// WL: writes are recorded.
    pub write_log: Range<u32>,
    /// WLD: writes are recorded with their data.
    pub write_log_data: Range<u32>,
    /// RL: reads are recorded.
    pub read_log: Range<u32>,
    /// RLD: reads are recorded with the data they return.
    pub read_log_data: Range<u32>,
    /// E: records go to the access log of the user domain, not to the fault log.
    pub active_destination: Range<u32>,
    /// IUID: the user domain of the page.
    pub iuid: Range<u32>,
}

impl PteLayout {
    /// The bits of an entry.
    pub const BITS: u32 = 64;

    /// The four log bits in the order WL, WLD, RL, RLD.
    pub fn log_bits(&self) -> [Range<u32>; 4] {
        [&self.write_log, &self.write_log_data, &self.read_log, &self.read_log_data].map(Clone::clone)
    }

    /// Whether a log bit lies where a superpage leaf has its page-size bit: then all four read 0 on
    /// every superpage leaf (U-10).
    pub fn log_bit_at_page_size(&self) -> bool {
        self.log_bits().contains(&self.page_size)
    }

    /// The width of [`Self::address`]: what a page frame number takes.
    pub fn frame_bits(&self) -> u32 {
        self.address.end - self.address.start
    }

    /// The width of [`Self::iuid`] in bits.
    pub fn iuid_bits(&self) -> u32 {
        self.iuid.end - self.iuid.start
    }

    /// The fields of a leaf of `level`.
    ///
    /// # Panics
    ///
    /// For level 4, which has no leaf.
    pub fn leaf(&self, level: Level) -> Layout {
        assert!(level.may_be_superpage() || level == Level::PageTable, "level 4 has no leaf");
        let superpage = level.may_be_superpage();
        let address = self.address.start.max(level.offset_bits())..self.address.end;

        let mut fields = self.permissions();
        if superpage {
            fields.push(Field::new("page_size", self.page_size.clone(), "1: a leaf", VT_D));
        }
        fields.extend([
            Field::new("snoop", self.snoop.clone(), "SNP, not interpreted by this unit", VT_D),
            Field::new("address", address, "bits of the address of the page", VT_D),
            Field::new("transient_mapping", self.transient_mapping.clone(), "TM, not interpreted by this unit", VT_D),
        ]);
        if !(superpage && self.log_bit_at_page_size()) {
            fields.extend(self.log_fields());
        }
        fields.extend([
            Field::new("active_destination", self.active_destination.clone(), "E: where records go", "AA-11")
                .value(0, "fault_log", "the fault log of the system, without data")
                .value(1, "access_log", "the access log of the user domain"),
            Field::new("iuid", self.iuid.clone(), "IUID: the user domain of the page", "AA-08"),
        ]);
        layout(level.leaf_name(), &format!("leaf of level {}", level.number()), fields)
    }

    /// The fields of an entry that leads to a table of the next level.
    pub fn non_leaf(&self) -> Layout {
        let mut fields = self.permissions();
        fields.extend([
            Field::new("page_size", self.page_size.clone(), "0: no leaf", VT_D),
            Field::new("address", self.address.clone(), "bits of the address of the table", VT_D),
        ]);
        layout("pte_table", "entry that leads to the next level", fields)
    }

    fn permissions(&self) -> Vec<Field> {
        vec![
            Field::new("read", self.read.clone(), "R: reads are permitted", VT_D),
            Field::new("write", self.write.clone(), "W: writes are permitted", VT_D),
        ]
    }

    fn log_fields(&self) -> [Field; 4] {
        [
            Field::new("write_log", self.write_log.clone(), "WL: writes are recorded", "AA-10"),
            Field::new(
                "write_log_data",
                self.write_log_data.clone(),
                "WLD: writes are recorded with their data",
                "AA-10",
            ),
            Field::new("read_log", self.read_log.clone(), "RL: reads are recorded", "AA-10"),
            Field::new(
                "read_log_data",
                self.read_log_data.clone(),
                "RLD: reads are recorded with the data they return",
                "AA-10",
            ),
        ]
    }

    /// The fields of VT-d that no configured field may touch, with their names: R, W, SNP, all
    /// address bits of the format, TM.
    pub(crate) const FIXED: [(&'static str, Range<u32>); 5] =
        [("R", 0..1), ("W", 1..2), ("SNP", 11..12), ("the address", 12..52), ("TM", 62..63)];

    /// The page-size bit.
    pub(crate) const PAGE_SIZE: Range<u32> = 7..8;

    /// The name and first common bit of the field of VT-d that `range` touches.
    pub(crate) fn fixed_field_in(range: &Range<u32>) -> Option<(&'static str, u32)> {
        let mut fixed = Self::FIXED.iter();
        fixed.find_map(|(name, taken)| Some((*name, first_common_bit(taken, range)?)))
    }
}

const VT_D: &str = "VT-d, second-level paging entries";

/// A layout of checked fields.
fn layout(name: &str, meaning: &str, fields: Vec<Field>) -> Layout {
    Layout::new(name, PteLayout::BITS, meaning, fields).expect("a checked PTE layout has no overlap")
}

/// The bits of `range` in `word`, at bit 0.
pub fn extract(word: u64, range: &Range<u32>) -> u64 {
    (word >> range.start) & ones(range.end - range.start)
}

/// `word` with `value` in the bits of `range`; bits of `value` beyond the range are dropped.
#[must_use]
pub fn insert(word: u64, range: &Range<u32>, value: u64) -> u64 {
    let mask = ones(range.end - range.start);
    (word & !(mask << range.start)) | ((value & mask) << range.start)
}

fn ones(width: u32) -> u64 {
    1_u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1)
}

/// A level of the page table, counted from the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// 4 KiB pages.
    PageTable = 1,
    /// 2 MiB pages, or page tables.
    PageDirectory = 2,
    /// 1 GiB pages, or page directories.
    PageDirectoryPointer = 3,
    /// Page-directory-pointer tables alone: PML4.
    PageMapLevel4 = 4,
}

impl Level {
    /// All levels, from the pages up.
    pub const ALL: [Self; 4] = [Self::PageTable, Self::PageDirectory, Self::PageDirectoryPointer, Self::PageMapLevel4];

    /// 1 to 4.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The level of a number; `None` outside 1 to 4.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == number)
    }

    /// The bits of an address below what an entry of this level maps: 12, 21, 30, 39.
    pub const fn offset_bits(self) -> u32 {
        12 + 9 * (self.number() - 1)
    }

    /// Whether the page-size bit makes an entry of this level a leaf.
    pub const fn may_be_superpage(self) -> bool {
        matches!(self, Self::PageDirectory | Self::PageDirectoryPointer)
    }

    /// The size of what an entry of this level maps, in words: `2 MiB`.
    pub const fn page_size(self) -> &'static str {
        match self {
            Self::PageTable => "4 KiB",
            Self::PageDirectory => "2 MiB",
            Self::PageDirectoryPointer => "1 GiB",
            Self::PageMapLevel4 => "512 GiB",
        }
    }

    const fn leaf_name(self) -> &'static str {
        match self {
            Self::PageTable => "pte_4k_leaf",
            Self::PageDirectory => "pte_2m_leaf",
            Self::PageDirectoryPointer => "pte_1g_leaf",
            Self::PageMapLevel4 => "pte_512g_leaf",
        }
    }
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Access {
    /// A memory read.
    Read = 0,
    /// A memory write.
    Write = 1,
    /// An AtomicOp: needs both permissions, and carries data both ways (U-11).
    Atomic = 2,
}

impl Access {
    /// All accesses, lowest code first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Atomic];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Whether it needs W.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Atomic)
    }

    /// Whether it needs R.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Atomic)
    }
}

/// What a walk does after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Step {
    /// Goes on in the table that the entry leads to.
    Descend = 0,
    /// Ends: the entry maps the page.
    Leaf = 1,
    /// Ends in a fault: there is nothing here.
    NotPresent = 2,
    /// Ends in a fault: a reserved bit is set.
    Reserved = 3,
}

impl Step {
    /// All steps, lowest code first.
    pub const ALL: [Self; 4] = [Self::Descend, Self::Leaf, Self::NotPresent, Self::Reserved];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Where a record goes: the meaning of E.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Destination {
    /// The fault log of the system.
    FaultLog = 0,
    /// The access log of the page's user domain.
    AccessLog = 1,
}

impl Destination {
    /// Both destinations, lowest code first.
    pub const ALL: [Self; 2] = [Self::FaultLog, Self::AccessLog];

    /// The code: the value of E.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_go_in_and_come_out() {
        assert_eq!(extract(0xABCD, &(4..12)), 0xBC);
        assert_eq!(insert(0xABCD, &(4..12), 0x112), 0xA12D);
        assert_eq!(extract(u64::MAX, &(0..64)), u64::MAX);
        assert_eq!(insert(0, &(0..64), 5), 5);
    }

    #[test]
    fn offsets_are_those_of_nine_bit_tables() {
        assert_eq!(Level::ALL.map(Level::offset_bits), [12, 21, 30, 39]);
        assert_eq!(Level::from_number(3), Some(Level::PageDirectoryPointer));
        assert_eq!(Level::from_number(0), None);
        assert_eq!(Level::from_number(5), None);
    }

    #[test]
    fn codes_are_the_positions_in_all() {
        let in_order = |codes: Vec<u8>| codes.iter().enumerate().all(|(i, n)| usize::from(*n) == i);
        assert!(in_order(Access::ALL.map(Access::number).to_vec()));
        assert!(in_order(Step::ALL.map(Step::number).to_vec()));
        assert!(in_order(Destination::ALL.map(Destination::number).to_vec()));
    }
}
