//! The numbers of the headers, once for all languages.

use super::RenderError;
use std::collections::BTreeMap;
use tollgate_spec::access_log::{COMPACT_GRANULE_BYTES, record_header};
use tollgate_spec::config::Config;
use tollgate_spec::context::{context_entry, root_entry};
use tollgate_spec::fault::FaultReason;
use tollgate_spec::layout::{Field, Layout};
use tollgate_spec::pte::Level;
use tollgate_spec::registers::{Register, RegisterBlock};
use tollgate_spec::tlp;

/// A number with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its name, in upper case with underscores.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// What it is, in one line.
    pub meaning: String,
}

/// The value of a constant: what decides its type and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number of things, 32 bits; written in decimal.
    Count(u32),
    /// Part of a word of 8, 32 or 64 bits; written in hexadecimal.
    Word {
        /// The bits of the word.
        bits: u32,
        /// The value.
        value: u64,
    },
}

/// Constants that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What they are about, in one line.
    pub title: String,
    /// The constants, in the order of the specification.
    pub constants: Vec<Constant>,
}

/// All constants of a configuration; no two have one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sections(pub Vec<Section>);

impl Sections {
    /// What software must know of a configuration and of the registers of its blocks.
    ///
    /// # Errors
    ///
    /// [`RenderError::ConstantTwice`].
    pub fn of(config: &Config, maps: &[RegisterBlock]) -> Result<Self, RenderError> {
        let leaf = |level| layout(&config.pte.leaf(level));
        let mut sections = vec![
            sizes(config),
            leaf(Level::PageTable),
            leaf(Level::PageDirectory),
            leaf(Level::PageDirectoryPointer),
            layout(&config.pte.non_leaf()),
            layout(&root_entry(config.host_address_bits)),
            layout(&context_entry(config.host_address_bits, config.iotlb.domain_bits)),
            layout(&record_header()),
        ];
        sections.extend(tlp::layouts().iter().map(layout));
        sections.push(fault_reasons());
        sections.extend(maps.iter().map(registers));
        unique(&sections)?;
        Ok(Self(sections))
    }
}

fn unique(sections: &[Section]) -> Result<(), RenderError> {
    let mut known = BTreeMap::new();
    for Constant { name, meaning, .. } in sections.iter().flat_map(|section| &section.constants) {
        if let Some(first) = known.insert(name, meaning) {
            let (name, first, second) = (name.clone(), first.clone(), meaning.clone());
            return Err(RenderError::ConstantTwice { name, first, second });
        }
    }
    Ok(())
}

fn count(name: &str, value: u32, meaning: &str) -> Constant {
    Constant { name: name.to_owned(), value: Value::Count(value), meaning: meaning.to_owned() }
}

fn sizes(config: &Config) -> Section {
    let table = &config.access_log_table;
    let (whole, compact) = (table.smallest_ring_bytes(false), table.smallest_ring_bytes(true));
    let constants = vec![
        count("HOST_ADDRESS_BITS", config.host_address_bits, "bits of a physical address of the host"),
        count("IUID_BITS", config.pte.iuid_bits(), "bits of a user domain"),
        count("ACCESS_LOGS", table.entries, "access logs that may be open at a time"),
        count("ACCESS_LOG_ADDRESS_BITS", table.address_bits, "bits of base, head and tail of a log"),
        count("ACCESS_LOG_SIZE_BITS", table.size_bits, "bits of the size of a log in bytes"),
        count("ACCESS_LOG_GRANULE_BYTES", table.granule_bytes, "what records are aligned and padded to"),
        count("ACCESS_LOG_COMPACT_GRANULE_BYTES", COMPACT_GRANULE_BYTES, "the same in compact mode"),
        count("ACCESS_LOG_LARGEST_PAYLOAD_BYTES", table.largest_payload_bytes, "largest payload of a record"),
        count("ACCESS_LOG_SMALLEST_RING_BYTES", whole, "smallest ring that is accepted"),
        count("ACCESS_LOG_COMPACT_SMALLEST_RING_BYTES", compact, "the same in compact mode"),
        count("TLP_TAG_BITS", config.tlp.tag_bits, "bits of a transaction tag"),
        count("TLP_MAX_PAYLOAD_BYTES", config.tlp.max_payload_bytes, "Max_Payload_Size"),
        count("TLP_MAX_READ_REQUEST_BYTES", config.tlp.max_read_request_bytes, "Max_Read_Request_Size"),
    ];
    Section { title: "Sizes of this configuration.".to_owned(), constants }
}

/// A layout of memory, as little-endian words of 64 bits.
fn layout(layout: &Layout) -> Section {
    let prefix = layout.name.to_uppercase();
    let title = format!("`{}`: {}, {} bits, little-endian.", layout.name, layout.meaning, layout.bits);
    let mut constants = vec![count(&format!("{prefix}_BYTES"), layout.bits / 8, "bytes of the whole")];
    for field in &layout.fields {
        constants.extend(bits(&prefix, field, &field.source, layout.bits, 64));
    }
    Section { title, constants }
}

/// Where a field lies in its word of `word_bits`, and the values with a name.
///
/// # Panics
///
/// If it lies in two words: no layout for software has such a field.
fn bits(prefix: &str, field: &Field, source: &str, layout_bits: u32, word_bits: u32) -> Vec<Constant> {
    let Field { name, low, width, meaning, values, .. } = field;
    let prefix = format!("{prefix}_{}", name.to_uppercase());
    let (word, shift) = (low / word_bits, low % word_bits);
    assert!(shift + width <= word_bits, "`{name}` lies in two words of {word_bits} bits");

    let mut constants = Vec::new();
    if layout_bits > word_bits {
        constants.push(count(&format!("{prefix}_WORD"), word, &format!("the word of {word_bits} bits of `{name}`")));
    }
    constants.push(count(&format!("{prefix}_SHIFT"), shift, &format!("the lowest bit of `{name}`")));
    let mask = u64::MAX >> (u64::BITS - width) << shift;
    let word = |name: String, value, meaning: String| {
        let value = Value::Word { bits: word_bits, value };
        Constant { name, value, meaning }
    };
    constants.push(word(format!("{prefix}_MASK"), mask, format!("{meaning} ({source})")));
    for named in values {
        let name = format!("{prefix}_{}", named.name.to_uppercase());
        constants.push(word(name, named.value, named.meaning.clone()));
    }
    constants
}

fn fault_reasons() -> Section {
    let constant = |reason: FaultReason| Constant {
        name: format!("FAULT_REASON_{}", reason.name().to_uppercase()),
        value: Value::Word { bits: FaultReason::BITS, value: reason.number().into() },
        meaning: reason.meaning().to_owned(),
    };
    let title = "Fault reasons: those of VT-d below 0xc0, and ours.".to_owned();
    Section { title, constants: FaultReason::ALL.map(constant).to_vec() }
}

fn registers(map: &RegisterBlock) -> Section {
    let prefix = map.block.replace('/', "_").to_uppercase();
    let title = format!("`{}`: {} ({}).", map.block, map.meaning, map.source);
    let mut constants = vec![count(&format!("{prefix}_BYTES"), map.bytes, "bytes of the window")];
    for register in &map.registers {
        constants.extend(one_register(&prefix, register));
    }
    Section { title, constants }
}

fn one_register(prefix: &str, register: &Register) -> Vec<Constant> {
    let Register { layout, source, offset, .. } = register;
    let prefix = format!("{prefix}_{}", layout.name.to_uppercase());
    let word = |name: &str, bits, value, meaning: String| {
        let value = Value::Word { bits, value };
        Constant { name: format!("{prefix}_{name}"), value, meaning }
    };
    let mut constants = vec![
        word("OFFSET", 32, u64::from(*offset), format!("{} ({source})", layout.meaning)),
        word("RESET", layout.bits, register.reset(), format!("`{}` after reset", layout.name)),
    ];
    for (field, rule) in register.fields() {
        let access = format!("{source}; {}", rule.access.abbreviation());
        constants.extend(bits(&prefix, field, &access, layout.bits, layout.bits));
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::{Constant, Section, Value, bits, count, unique};
    use tollgate_spec::layout::Field;

    fn named(field: &Field, layout_bits: u32) -> Vec<(String, Value)> {
        let constants = bits("L", field, "none", layout_bits, 64);
        constants.into_iter().map(|Constant { name, value, .. }| (name, value)).collect()
    }

    fn word(value: u64) -> Value {
        Value::Word { bits: 64, value }
    }

    #[test]
    fn fields_are_found_in_their_word() {
        let field = Field::new("f", 60..64, "a test", "none").value(9, "nine", "a test");
        let expected = [("L_F_SHIFT", Value::Count(60)), ("L_F_MASK", word(0xF << 60)), ("L_F_NINE", word(9))];
        assert_eq!(named(&field, 64), expected.map(|(name, value)| (name.to_owned(), value)));

        let field = Field::new("f", 64..128, "a test", "none");
        let expected = [("L_F_WORD", Value::Count(1)), ("L_F_SHIFT", Value::Count(0)), ("L_F_MASK", word(u64::MAX))];
        assert_eq!(named(&field, 128), expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    #[should_panic(expected = "`f` lies in two words of 64 bits")]
    fn a_field_in_two_words_is_refused() {
        named(&Field::new("f", 60..68, "a test", "none"), 128);
    }

    #[test]
    fn two_constants_of_one_name_are_refused() {
        let section = |meaning| Section { title: String::new(), constants: vec![count("A", 1, meaning)] };
        assert!(unique(&[section("one")]).is_ok());
        let error = unique(&[section("one"), section("other")]).unwrap_err();
        assert_eq!(error.to_string(), "`one` and `other` both become `A` in the headers");
    }
}
