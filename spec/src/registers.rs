//! Register maps: one TOML file a block, with explicit offsets, turned into headers and pages.
//!
//! ```toml
//! block = "active_access/access_log_table"   # the block's key
//! meaning = "programming window of the access-log table"
//! source = "AA-15"
//! bytes = 64                                 # of the window
//!
//! [[register]]
//! name = "policy"
//! offset = 0x24                              # bytes from the start of the window
//! bits = 32                                  # 32 or 64
//! meaning = "how the log is written"
//! source = "Q-04"
//!
//! [[register.field]]
//! name = "compact"
//! low = 0
//! width = 1
//! access = "RW"                              # RO, RW, WO, RW1C
//! reset = 0
//! meaning = "what a record is made of"
//! legal = "named"                            # or "any", { multiple_of = 4 }, { within = { from = 0, to = 3 } }
//!
//! [[register.field.value]]
//! value = 0
//! name = "whole_records"
//! meaning = "a header of 32 bytes and the payload"
//! ```

use serde::Deserialize;

use crate::layout::{Field, Layout, LayoutError, NamedValue, fits, is_name};
use crate::source::{Complaint, Places, Refused, Rules, Source, read};

/// The register maps of all blocks: key and TOML text.
pub const SHIPPED: [(&str, &str); 1] =
    [("active_access/access_log_table", include_str!("../registers/active_access/access_log_table.toml"))];

/// The registers of one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterBlock {
    /// The key of the block: `<group>/<block>`.
    pub block: String,
    /// What the window is for, in one line.
    pub meaning: String,
    /// The section, standard or requirement it comes from.
    pub source: String,
    /// The size of the window in bytes.
    pub bytes: u32,
    /// The registers, lowest offset first.
    pub registers: Vec<Register>,
}

/// One register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Bytes from the start of the window.
    pub offset: u32,
    /// Its name, size in bits, meaning and fields.
    pub layout: Layout,
    /// The section, standard or requirement it comes from.
    pub source: String,
    /// How each field behaves, in the order of the layout's fields.
    pub rules: Vec<FieldRule>,
}

impl Register {
    /// The fields with their rules, lowest first.
    pub fn fields(&self) -> impl Iterator<Item = (&Field, &FieldRule)> {
        self.layout.fields.iter().zip(&self.rules)
    }

    /// The value of the whole register after reset.
    pub fn reset(&self) -> u64 {
        self.fields().fold(0, |word, (field, rule)| word | (rule.reset << field.low))
    }
}

/// How a field of a register behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRule {
    /// What software may do.
    pub access: Access,
    /// Its value after reset.
    pub reset: u64,
    /// What software may write.
    pub legal: Legal,
}

/// What software may do with a field, in VT-d's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Access {
    /// Reads; writes do nothing.
    #[serde(rename = "RO")]
    ReadOnly,
    /// Reads and writes.
    #[serde(rename = "RW")]
    ReadWrite,
    /// Writes; reads give 0.
    #[serde(rename = "WO")]
    WriteOnly,
    /// Reads; a written 1 clears the bit.
    #[serde(rename = "RW1C")]
    WriteOneToClear,
}

impl Access {
    /// VT-d's abbreviation.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::ReadOnly => "RO",
            Self::ReadWrite => "RW",
            Self::WriteOnly => "WO",
            Self::WriteOneToClear => "RW1C",
        }
    }
}

/// What software may write into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Legal {
    /// Everything.
    #[default]
    Any,
    /// The named values alone.
    Named,
    /// The numbers from `from` to `to`, both included.
    Within {
        /// The lowest.
        from: u64,
        /// The highest.
        to: u64,
    },
    /// The multiples of this number.
    MultipleOf(u64),
}

impl Legal {
    /// Whether `value` may be written into `field`.
    pub fn allows(self, field: &Field, value: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Named => field.values.iter().any(|named| named.value == value),
            Self::Within { from, to } => (from..=to).contains(&value),
            Self::MultipleOf(step) => value.is_multiple_of(step),
        }
    }
}

impl RegisterBlock {
    /// The register map of a block in [`SHIPPED`]; `None` if the block has no registers.
    ///
    /// # Errors
    ///
    /// See [`RegisterBlock::read`].
    pub fn shipped(key: &str) -> Option<Result<Self, Refused>> {
        let (_, text) = SHIPPED.into_iter().find(|(known, _)| *known == key)?;
        Some(Self::read(&Source::file(format!("spec/registers/{key}.toml"), text)))
    }

    /// The register map in a text.
    ///
    /// # Errors
    ///
    /// The first syntax error, unknown or missing key, or wrong type; or else all broken rules.
    pub fn read(file: &Source) -> Result<Self, Refused> {
        let refused = |complaints| Refused::new(format!("register map {}", file.name()), complaints);
        let (raw, places) = read::<RawBlock>(file, &[]).map_err(|complaint| refused(vec![complaint]))?;
        check(raw, &places).map_err(refused)
    }

    /// The register called `name`, if there is one.
    pub fn register(&self, name: &str) -> Option<&Register> {
        self.registers.iter().find(|register| register.layout.name == name)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBlock {
    block: String,
    meaning: String,
    source: String,
    bytes: u32,
    register: Vec<RawRegister>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRegister {
    name: String,
    offset: u32,
    bits: u32,
    meaning: String,
    source: String,
    field: Vec<RawField>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawField {
    name: String,
    low: u32,
    width: u32,
    access: Access,
    reset: u64,
    meaning: String,
    #[serde(default)]
    legal: Legal,
    #[serde(default)]
    value: Vec<RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawValue {
    value: u64,
    name: String,
    meaning: String,
}

/// Every rule on a register map. All broken ones are reported.
fn check(raw: RawBlock, places: &Places) -> Result<RegisterBlock, Vec<Complaint>> {
    let mut rules = MapRules(Rules::new(places));
    rules.window(&raw);
    for (i, register) in raw.register.iter().enumerate() {
        let key = format!("register[{i}]");
        rules.register(&key, register, raw.bytes);
        for (j, other) in raw.register[..i].iter().enumerate() {
            rules.registers_are_apart(&format!("register[{j}]"), other, &key, register);
        }
        for (j, field) in register.field.iter().enumerate() {
            rules.field(&format!("{key}.field[{j}]"), field);
        }
    }
    let mut registers: Vec<_> = raw
        .register
        .into_iter()
        .enumerate()
        .filter_map(|(i, register)| rules.layout(&format!("register[{i}]"), register))
        .collect();

    let complaints = rules.0.complaints();
    if !complaints.is_empty() {
        return Err(complaints);
    }
    registers.sort_by_key(|register| register.offset);
    let RawBlock { block, meaning, source, bytes, .. } = raw;
    Ok(RegisterBlock { block, meaning, source, bytes, registers })
}

/// The rules on a register map.
struct MapRules<'p>(Rules<'p>);

impl MapRules<'_> {
    fn window(&mut self, raw: &RawBlock) {
        let is_key = raw.block.split_once('/').is_some_and(|(group, block)| is_name(group) && is_name(block));
        self.0.require(is_key, &["block"], "a block has one key, `<group>/<block>`", || {
            format!("`{}` is no key of a block", raw.block)
        });
        self.one_line("meaning", &raw.meaning);
        let bytes = raw.bytes;
        self.0.require(
            bytes.is_power_of_two() && bytes >= 4,
            &["bytes"],
            "a window is decoded by address bits: its size is a power of two, 4 at least",
            || format!("a window of {bytes} bytes cannot be decoded"),
        );
    }

    fn register(&mut self, key: &str, register: &RawRegister, window: u32) {
        let name = &register.name;
        self.name(key, name);
        self.one_line(&format!("{key}.meaning"), &register.meaning);

        let (bits, offset) = (register.bits, register.offset);
        let bits_key = format!("{key}.bits");
        self.0.require(matches!(bits, 32 | 64), &[&bits_key], "a register has 32 or 64 bits", || {
            format!("`{name}` has {bits} bits")
        });
        let bytes = bits / 8;
        let offset_key = format!("{key}.offset");
        let aligned = bytes == 0 || offset.is_multiple_of(bytes);
        self.0.require(aligned, &[&offset_key], "the offset of a register is a multiple of its size", || {
            format!("`{name}` of {bytes} bytes lies at offset {offset:#04x}")
        });
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(window);
        self.0.require(inside, &[&offset_key, "bytes"], "registers lie in their window", || {
            format!("`{name}` of {bytes} bytes at offset {offset:#04x} ends beyond the window of {window} bytes")
        });
        self.0
            .require(!register.field.is_empty(), &[key], "a register has a field", || format!("`{name}` has no field"));
    }

    fn registers_are_apart(&mut self, one_key: &str, one: &RawRegister, other_key: &str, other: &RawRegister) {
        let keys = [&*format!("{one_key}.name"), &*format!("{other_key}.name")];
        self.0.require(one.name != other.name, &keys, "names are unique in a block", || {
            format!("two registers are called `{}`", one.name)
        });
        let end = |register: &RawRegister| u64::from(register.offset) + u64::from(register.bits / 8);
        let apart = end(one) <= u64::from(other.offset) || end(other) <= u64::from(one.offset);
        let keys = [&*format!("{one_key}.offset"), &*format!("{other_key}.offset")];
        self.0.require(apart, &keys, "registers do not overlap", || {
            let (one_at, other_at) = (one.offset, other.offset);
            format!("`{}` at offset {one_at:#04x} and `{}` at offset {other_at:#04x} overlap", one.name, other.name)
        });
    }

    fn field(&mut self, key: &str, field: &RawField) {
        let name = &field.name;
        self.name(key, name);
        self.one_line(&format!("{key}.meaning"), &field.meaning);
        for (i, value) in field.value.iter().enumerate() {
            self.name(&format!("{key}.value[{i}]"), &value.name);
            self.one_line(&format!("{key}.value[{i}].meaning"), &value.meaning);
        }

        let legal_key = format!("{key}.legal");
        let width_key = format!("{key}.width");
        let width = field.width;
        match field.legal {
            Legal::Any => {}
            Legal::Named => {
                let rule = "where named values alone are legal, there are some";
                self.0.require(!field.value.is_empty(), &[&legal_key], rule, || format!("`{name}` has no named value"));
            }
            Legal::Within { from, to } => {
                let rule = "a range runs from low to high, and fits its field";
                let holds = from <= to && fits(to, width);
                self.0.require(holds, &[&legal_key, &width_key], rule, || {
                    format!("`{name}` of {width} bits cannot hold what is legal: {from} to {to}")
                });
            }
            Legal::MultipleOf(step) => {
                let rule = "every number is a multiple of 1, and none of 0; the step fits its field";
                let holds = step > 0 && fits(step, width);
                self.0.require(holds, &[&legal_key, &width_key], rule, || {
                    format!("`{name}` of {width} bits cannot hold a multiple of {step}")
                });
            }
        }

        let reset = field.reset;
        let reset_key = format!("{key}.reset");
        self.0.require(fits(reset, width), &[&reset_key, &width_key], "a reset value fits its field", || {
            format!("the reset value {reset} does not fit the {width} bits of `{name}`")
        });
    }

    /// The finished register, if its fields make a layout.
    fn layout(&mut self, key: &str, raw: RawRegister) -> Option<Register> {
        let fields = raw.field.iter().map(|field| Field {
            name: field.name.clone(),
            low: field.low,
            width: field.width,
            meaning: field.meaning.clone(),
            source: raw.source.clone(),
            values: field.value.iter().map(named_value).collect(),
        });
        let layout = match Layout::new(&raw.name, raw.bits, &raw.meaning, fields.collect()) {
            Ok(layout) => layout,
            Err(error) => {
                self.broken_layout(key, &raw, &error);
                return None;
            }
        };
        let mut rules = Vec::new();
        for field in &layout.fields {
            let place = raw.field.iter().position(|written| written.name == field.name)?;
            let RawField { access, reset, legal, .. } = raw.field[place];
            let reset_key = format!("{key}.field[{place}].reset");
            let rule = "a field resets to a legal value";
            self.0.require(legal.allows(field, reset), &[&reset_key], rule, || {
                format!("`{}` resets to {reset}, which is not legal there", field.name)
            });
            rules.push(FieldRule { access, reset, legal });
        }
        Some(Register { offset: raw.offset, layout, source: raw.source, rules })
    }

    fn broken_layout(&mut self, key: &str, raw: &RawRegister, error: &LayoutError) {
        let involved = raw.field.iter().enumerate().filter(|(_, field)| error.names(&field.name));
        let keys: Vec<_> = involved.map(|(i, _)| format!("{key}.field[{i}].name")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.0.require(false, &keys, "the fields of a register lie in it, apart, each with a name of its own", || {
            error.to_string()
        });
    }

    fn name(&mut self, key: &str, name: &str) {
        let key = format!("{key}.name");
        let rule = "a name is a lower-case letter, then lower-case letters, digits and underscores";
        self.0.require(is_name(name), &[&key], rule, || format!("`{name}` is no name"));
    }

    fn one_line(&mut self, key: &str, meaning: &str) {
        let holds = !meaning.trim().is_empty() && !meaning.contains('\n');
        let rule = "everything has a meaning of one line";
        self.0.require(holds, &[key], rule, || format!("\"{}\" is no meaning", meaning.escape_debug()));
    }
}

fn named_value(raw: &RawValue) -> NamedValue {
    NamedValue { value: raw.value, name: raw.name.clone(), meaning: raw.meaning.clone() }
}
