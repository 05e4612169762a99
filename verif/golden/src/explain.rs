//! Paging entries in words, for the command line.

use std::fmt::Write;

use thiserror::Error;
use tollgate_spec::pte::{Access, Destination, Level, PteLayout, Step, extract};

use crate::active_access::pte_decoder::{Inputs, Outputs, Record, decode, reserved_bits};

/// A text that is no paging entry.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EntryError {
    /// No digit.
    #[error("`{text}` is no paging entry: it has no digit; an entry is 1 to 16 hexadecimal digits")]
    Empty {
        /// The text.
        text: String,
    },
    /// A character that is no digit.
    #[error("`{text}` is no paging entry: `{character}` at place {place} is no hexadecimal digit")]
    NoDigit {
        /// The text.
        text: String,
        /// The character.
        character: char,
        /// Its place, counted from 1.
        place: usize,
    },
    /// More than 64 bits.
    #[error("`{text}` is no paging entry: it has {digits} digits; 64 bits are 16 digits")]
    TooLong {
        /// The text.
        text: String,
        /// Its number of digits, without leading zeros.
        digits: usize,
    },
}

/// The entry that a text writes in hexadecimal, with or without `0x`, underscores between digits
/// allowed.
///
/// # Errors
///
/// See [`EntryError`].
pub fn parse_entry(text: &str) -> Result<u64, EntryError> {
    let own = || text.to_owned();
    let prefix = if text.starts_with("0x") || text.starts_with("0X") { 2 } else { 0 };
    let mut digits = String::new();
    for (place, character) in text.chars().enumerate().skip(prefix) {
        match character {
            '_' => {}
            digit if digit.is_ascii_hexdigit() => digits.push(digit),
            _ => {
                return Err(EntryError::NoDigit { text: own(), character, place: place + 1 });
            }
        }
    }
    if digits.is_empty() {
        return Err(EntryError::Empty { text: own() });
    }
    let significant = digits.trim_start_matches('0');
    u64::from_str_radix(&digits, 16).map_err(|_| EntryError::TooLong { text: own(), digits: significant.len() })
}

/// What `entry` means in a table of `level`, with active semantics on or off, if all levels above
/// permit everything: the kind of entry, its fields, and what each access does.
pub fn explain(pte: &PteLayout, entry: u64, level: Level, active: bool) -> String {
    let decoded = Access::ALL.map(|access| (access, decode(pte, &inputs(entry, level, active, access))));
    let (_, first) = &decoded[0];
    let mut text = String::new();

    let mode = if active { "active" } else { "legacy" };
    line(&mut text, format_args!("{} at level {}, {mode} semantics", grouped(entry), level.number()));
    line(&mut text, format_args!("{}", kind(pte, entry, level, first)));
    if matches!(first.step, Step::Descend | Step::Leaf) {
        fields(&mut text, pte, entry, level, first.step);
        if first.step == Step::Leaf {
            let note = ignored(pte, level, active);
            note.into_iter().for_each(|note| line(&mut text, format_args!("  {note}")));
        }
    }
    for (access, outputs) in &decoded {
        if first.step != Step::Descend {
            let name = match access {
                Access::Read => "read:",
                Access::Write => "write:",
                Access::Atomic => "atomic:",
            };
            line(&mut text, format_args!("{name:<8}{}", consequence(outputs)));
        }
    }
    text
}

fn inputs(entry: u64, level: Level, active: bool, access: Access) -> Inputs {
    let (upper_read, upper_write, zero_length) = (true, true, false);
    Inputs { entry, level, upper_read, upper_write, active, access, zero_length }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "{words}").expect("a string takes all text");
}

fn kind(pte: &PteLayout, entry: u64, level: Level, outputs: &Outputs) -> String {
    let address = grouped(outputs.frame << pte.address.start);
    match outputs.step {
        Step::Leaf => format!("a leaf: maps the {} page at {address}", level.page_size()),
        Step::Descend => {
            format!("leads to the table of level {} at {address}", level.number() - 1)
        }
        Step::NotPresent => "not present".to_owned(),
        Step::Reserved => {
            let set = reserved_bits(pte, level, entry);
            let bits = (0..PteLayout::BITS).filter(|bit| set >> bit & 1 == 1);
            let bits: Vec<String> = bits.map(|bit| bit.to_string()).collect();
            format!("reserved bits are set: {}", bits.join(", "))
        }
    }
}

fn fields(text: &mut String, pte: &PteLayout, entry: u64, level: Level, step: Step) {
    let layout = if step == Step::Leaf { pte.leaf(level) } else { pte.non_leaf() };
    for field in &layout.fields {
        let range = field.range();
        let bits = match field.width {
            1 => format!("{}", range.start),
            _ => format!("{}:{}", range.end - 1, range.start),
        };
        let value = extract(entry, &range);
        let value = if field.width == 1 { format!("{value}") } else { format!("{value:#x}") };
        let (name, meaning) = (&field.name, &field.meaning);
        line(text, format_args!("  {bits:>5}  {name:<18}  {value:<14}  {meaning}"));
    }
}

/// What of a leaf means nothing here, if anything.
fn ignored(pte: &PteLayout, level: Level, active: bool) -> Option<&'static str> {
    if !active {
        Some("The log bits, E and the IUID are ignored: active semantics are off.")
    } else if level.may_be_superpage() && pte.log_bit_at_page_size() {
        Some("The log bits read 0: one of them is the page size of a superpage.")
    } else {
        None
    }
}

fn consequence(outputs: &Outputs) -> String {
    let effect = if outputs.permit { "takes effect" } else { "is blocked" };
    if let Some(fault) = outputs.fault {
        return format!("{effect}; fault {:#04x}: {}", fault.number(), fault.meaning());
    }
    let destination = match outputs.destination {
        Destination::FaultLog => "the fault log".to_owned(),
        Destination::AccessLog => format!("the access log of user domain {}", outputs.iuid),
    };
    let record = |name: &str, record: Option<Record>| {
        let Record { with_data, reason } = record?;
        let data = if with_data { "with" } else { "without" };
        Some(format!("{name} recorded {data} data, reason {:#04x}", reason.number()))
    };
    let records = [record("write", outputs.write_record), record("read", outputs.read_record)];
    let records: Vec<String> = records.into_iter().flatten().collect();
    match records.is_empty() {
        true => format!("{effect}; not recorded"),
        false => format!("{effect}; {}; in {destination}", records.join("; ")),
    }
}

/// `0x8000_0000_1234_5083`.
fn grouped(word: u64) -> String {
    let group = |shift: u32| word >> shift & 0xFFFF;
    format!("0x{:04x}_{:04x}_{:04x}_{:04x}", group(48), group(32), group(16), group(0))
}
