//! From a requester to its page table: root and context entries of VT-d's legacy mode, and what an invalidation of cached
//! context entries covers.

use std::ops::Range;

use crate::layout::{Field, Layout};

/// Bits of a requester id: bus, device, function (PCIe 3.0, 2.2.6.2).
pub const REQUESTER_BITS: u32 = 16;

/// The bus in a requester id: it numbers the root entries.
pub const BUS: Range<u32> = 8..16;

/// Device and function in a requester id: they number the context entries of a bus.
pub const DEVICE_FUNCTION: Range<u32> = 0..8;

/// The bits of a root entry, and of a context entry.
pub const ENTRY_BITS: u32 = 128;

/// Where the address of a table begins in an entry: tables are pages of 4 KiB.
const TABLE_LOW: u32 = 12;

/// A root entry (VT-d, root entry): where the context table of a bus lies. What no field takes is reserved, the bits of the
/// address that a host of `host_address_bits` does not have among it.
pub fn root_entry(host_address_bits: u32) -> Layout {
    const SOURCE: &str = "VT-d, root entry";
    let fields = vec![
        Field::new("present", 0..1, "P: the bus has a context table", SOURCE),
        Field::new("context_table", TABLE_LOW..host_address_bits, "CTP: bits of the address of the table", SOURCE),
    ];
    layout("root_entry", "where the context table of a bus lies", fields)
}

/// A context entry (VT-d, context entry): the domain and the page table of a requester. What no field takes is reserved: the
/// bits of the address that a host of `host_address_bits` does not have, and those of a domain id beyond `domain_bits`.
pub fn context_entry(host_address_bits: u32, domain_bits: u32) -> Layout {
    const SOURCE: &str = "VT-d, context entry";
    let translation_type = Field::new("translation_type", 2..4, "TT: what becomes of requests", SOURCE);
    let fields = vec![
        Field::new("present", 0..1, "P: requests may be served", SOURCE),
        Field::new("fault_processing_disable", 1..2, "FPD: faults are not recorded; counts with P = 0 too", SOURCE),
        TranslationType::ALL
            .into_iter()
            .fold(translation_type, |field, kind| field.value(kind.number().into(), kind.name(), kind.meaning())),
        Field::new(
            "page_table",
            TABLE_LOW..host_address_bits,
            "SLPTPTR: bits of the address of the PML4 table",
            SOURCE,
        ),
        Field::new("address_width", 64..67, "AW: the levels of the page table", SOURCE).value(
            FOUR_LEVELS.into(),
            "four_levels",
            "48 bits, the only one supported",
        ),
        Field::new("active", 67..68, "active access is on; ignored by VT-d", "U-01"),
        Field::new("available", 68..71, "for software; ignored by this unit", SOURCE),
        Field::new("domain", DOMAIN_LOW..DOMAIN_LOW + domain_bits, "DID: the domain id", SOURCE),
    ];
    layout("context_entry", "the domain and the page table of a requester", fields)
}

/// The lowest bit of a domain id.
const DOMAIN_LOW: u32 = 72;

fn layout(name: &str, meaning: &str, fields: Vec<Field>) -> Layout {
    Layout::new(name, ENTRY_BITS, meaning, fields).expect("the fields of a checked configuration are apart")
}

/// What becomes of requests (TT). The code 3 is reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum TranslationType {
    /// Untranslated ones are translated, others blocked.
    Translate = 0,
    /// As well, and devices may have caches of their own: not supported.
    DeviceTlb = 1,
    /// Untranslated ones go on as they are, others are blocked.
    PassThrough = 2,
}

impl TranslationType {
    /// All types, lowest code first.
    pub const ALL: [Self; 3] = [Self::Translate, Self::DeviceTlb, Self::PassThrough];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The name in generated headers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Translate => "translate",
            Self::DeviceTlb => "device_tlb",
            Self::PassThrough => "pass_through",
        }
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Translate => "untranslated requests are translated",
            Self::DeviceTlb => "devices have caches of their own; not supported",
            Self::PassThrough => "untranslated requests go on as they are",
        }
    }
}

/// AW of a page table of four levels, which translates 48 bits.
pub const FOUR_LEVELS: u8 = 2;

/// What an invalidation of the context cache covers, in the codes of VT-d (CCMD, granularity).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scope {
    /// Everything.
    Global = 1,
    /// All requesters of a domain.
    Domain = 2,
    /// A requester, or some functions of its device.
    Device = 3,
}

impl Scope {
    /// All scopes, lowest code first.
    pub const ALL: [Self; 3] = [Self::Global, Self::Domain, Self::Device];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// How a walk from a requester to its context ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// An invalidation came while it was in flight: nothing is known of the requester.
    Stale = 0,
    /// With a context.
    Context = 1,
    /// With a fault.
    Fault = 2,
}

impl Outcome {
    /// All outcomes, lowest code first.
    pub const ALL: [Self; 3] = [Self::Stale, Self::Context, Self::Fault];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Bits of VT-d's function mask (CCMD: FM).
pub const FUNCTION_MASK_BITS: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::bit_range;

    fn bits(layout: &Layout) -> Vec<(&str, String)> {
        layout.fields.iter().map(|field| (field.name.as_str(), bit_range(&field.range()))).collect()
    }

    fn reserved(layout: &Layout) -> Vec<String> {
        layout.gaps().iter().map(bit_range).collect()
    }

    /// Positions read off the VT-d specification.
    #[test]
    fn positions_are_those_of_vt_d() {
        let root = root_entry(48);
        assert_eq!(bits(&root), [("present", "0".into()), ("context_table", "47:12".into())]);
        assert_eq!(reserved(&root), ["11:1", "127:48"]);

        let context = context_entry(48, 16);
        let expected = [
            ("present", "0"),
            ("fault_processing_disable", "1"),
            ("translation_type", "3:2"),
            ("page_table", "47:12"),
            ("address_width", "66:64"),
            ("active", "67"),
            ("available", "70:68"),
            ("domain", "87:72"),
        ];
        assert_eq!(bits(&context), expected.map(|(name, bits)| (name, bits.to_owned())));
        assert_eq!(reserved(&context), ["11:4", "63:48", "71", "127:88"]);
    }

    #[test]
    fn what_the_unit_has_not_is_reserved() {
        assert_eq!(reserved(&root_entry(39)), ["11:1", "127:39"]);
        assert_eq!(reserved(&context_entry(39, 4)), ["11:4", "63:39", "71", "127:76"]);
        assert_eq!(reserved(&context_entry(52, 16)), ["11:4", "63:52", "71", "127:88"]);
    }

    #[test]
    fn codes_are_those_of_vt_d() {
        assert_eq!(TranslationType::ALL.map(TranslationType::number), [0, 1, 2]);
        assert_eq!(Scope::ALL.map(Scope::number), [1, 2, 3]);
        assert_eq!(Outcome::ALL.map(Outcome::number), [0, 1, 2]);
        let kinds = context_entry(48, 16).field("translation_type").unwrap().values.clone();
        assert_eq!(kinds.iter().map(|kind| kind.value).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
