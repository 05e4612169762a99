//! The truth table of a leaf as rows with don't-cares, read from a text that people write.

use thiserror::Error;
use tollgate_spec::fault::FaultReason;
use tollgate_spec::pte::{Access, Destination, Level, PteLayout, extract, insert};

use crate::active_access::pte_decoder::{Inputs, Outputs, Record};

/// The bits of a case, in this order: W, WL, WLD, R, RL, RLD, E.
pub const BIT_NAMES: [&str; 7] = ["W", "WL", "WLD", "R", "RL", "RLD", "E"];

/// One point of the table: a leaf and an access of at least one byte that all levels above permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Case {
    /// The bits of the entry, as [`BIT_NAMES`] orders them.
    pub bits: [bool; 7],
    /// What the request does.
    pub access: Access,
    /// Whether active semantics are on.
    pub active: bool,
    /// The leaf.
    pub leaf: Leaf,
}

/// The leaf of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// The level of the leaf: 1, 2 or 3.
    pub level: Level,
    /// Whether it is a superpage with a log bit at the page-size bit (U-10).
    pub clash: bool,
}

impl Leaf {
    /// All leaves.
    pub const ALL: [Self; 5] = [
        Self { level: Level::PageTable, clash: false },
        Self { level: Level::PageDirectory, clash: false },
        Self { level: Level::PageDirectory, clash: true },
        Self { level: Level::PageDirectoryPointer, clash: false },
        Self { level: Level::PageDirectoryPointer, clash: true },
    ];

    /// The leaf that a layout has at a level; `None` at level 4.
    pub fn of(pte: &PteLayout, level: Level) -> Option<Self> {
        let clash = level.may_be_superpage() && pte.log_bit_at_page_size();
        (level != Level::PageMapLevel4).then_some(Self { level, clash })
    }
}

impl Case {
    /// All cases.
    pub fn all() -> impl Iterator<Item = Self> {
        Leaf::ALL.into_iter().flat_map(Self::all_of_leaf)
    }

    /// All cases that a layout knows: those of its three leaves.
    pub fn all_of_layout(pte: &PteLayout) -> impl Iterator<Item = Self> {
        let leaves = Level::ALL.map(|level| Leaf::of(pte, level));
        leaves.into_iter().flatten().flat_map(Self::all_of_leaf)
    }

    fn all_of_leaf(leaf: Leaf) -> impl Iterator<Item = Self> {
        Access::ALL.into_iter().flat_map(move |access| {
            [false, true].into_iter().flat_map(move |active| {
                (0_u32..1 << BIT_NAMES.len()).map(move |number| {
                    let bits = std::array::from_fn(|i| number >> i & 1 == 1);
                    Self { bits, access, active, leaf }
                })
            })
        })
    }

    /// The inputs of the decoder for this case; the bits that the case does not speak of are those of
    /// `rest`, but for the address bits that a superpage must leave 0.
    pub fn inputs(&self, pte: &PteLayout, rest: u64) -> Inputs {
        let level = self.leaf.level;
        let mut entry = rest;
        for (range, bit) in bit_ranges(pte).into_iter().zip(self.bits) {
            entry = insert(entry, &range, u64::from(bit));
        }
        entry = insert(entry, &pte.address_reserved, 0);
        if level.may_be_superpage() {
            entry = insert(entry, &(pte.address.start..level.offset_bits()), 0);
            entry = insert(entry, &pte.page_size, 1);
        }
        Inputs {
            entry,
            level,
            upper_read: true,
            upper_write: true,
            active: self.active,
            access: self.access,
            zero_length: false,
        }
    }

    /// WL, WLD, RL, RLD.
    pub fn log_bits(&self) -> [bool; 4] {
        let [_, write_log, write_log_data, _, read_log, read_log_data, _] = self.bits;
        [write_log, write_log_data, read_log, read_log_data]
    }

    /// The case of an entry at a leaf; `None` at level 4.
    pub fn of(pte: &PteLayout, inputs: &Inputs) -> Option<Self> {
        let leaf = Leaf::of(pte, inputs.level)?;
        let bits = bit_ranges(pte).map(|range| extract(inputs.entry, &range) == 1);
        Some(Self { bits, access: inputs.access, active: inputs.active, leaf })
    }
}

fn bit_ranges(pte: &PteLayout) -> [std::ops::Range<u32>; 7] {
    let [write_log, write_log_data, read_log, read_log_data] = pte.log_bits();
    [
        pte.write.clone(),
        write_log,
        write_log_data,
        pte.read.clone(),
        read_log,
        read_log_data,
        pte.active_destination.clone(),
    ]
}

/// One row: cases, what the decoder answers, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// The bits; `None` is a don't-care.
    pub bits: [Option<bool>; 7],
    /// The access.
    pub access: Access,
    /// Whether active semantics are on.
    pub active: bool,
    /// Whether the leaf clashes; `None` for every leaf.
    pub clash: Option<bool>,
    /// What the decoder answers.
    pub answer: Answer,
    /// The requirements behind the row: `S8`, `U-04`.
    pub ids: Vec<String>,
}

/// What the decoder answers to a case, as far as the table says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Whether the access takes effect.
    pub permit: bool,
    /// The fault for VT-d's fault log.
    pub fault: Option<FaultReason>,
    /// The record of the write or of the operands.
    pub write_record: Option<Record>,
    /// The record of the read or of the old value.
    pub read_record: Option<Record>,
    /// Where the records go; `None` where there is none.
    pub destination: Option<Destination>,
}

impl Answer {
    /// The answer in the outputs of the decoder.
    pub fn of(outputs: &Outputs) -> Self {
        let &Outputs { permit, fault, write_record, read_record, destination, .. } = outputs;
        let recorded = write_record.is_some() || read_record.is_some();
        let destination = recorded.then_some(destination);
        Self { permit, fault, write_record, read_record, destination }
    }
}

impl Row {
    /// Whether the row speaks of `case`.
    pub fn matches(&self, case: &Case) -> bool {
        let bits = self.bits.iter().zip(case.bits);
        self.access == case.access
            && self.active == case.active
            && self.clash.is_none_or(|clash| clash == case.leaf.clash)
            && bits.into_iter().all(|(row, case)| row.is_none_or(|row| row == case))
    }
}

/// A line that is no row.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: `{cell}` is no {column}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What stands there.
    pub cell: String,
    /// What should stand there.
    pub column: &'static str,
}

/// The rows of a text: one a line, `#` starts a comment line.
///
/// # Errors
///
/// The first cell that is not what its column asks for.
pub fn parse(text: &str) -> Result<Vec<Row>, ParseError> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    rows.map(|(line, text)| parse_row(line, text)).collect()
}

fn parse_row(line: usize, text: &str) -> Result<Row, ParseError> {
    let no = |cell: &str, column| ParseError { line, cell: cell.to_owned(), column };
    let parts: Vec<&str> = text.split('|').collect();
    let [case, answer, ids] = parts[..] else {
        return Err(no(text, "row of three parts"));
    };
    let case: Vec<&str> = case.split_whitespace().collect();
    let [w, wl, wld, r, rl, rld, e, access, mode, leaf] = case[..] else {
        return Err(no(text, "row of ten cells before the first bar"));
    };
    let answer: Vec<&str> = answer.split_whitespace().collect();
    let [effect, fault, write, read, to] = answer[..] else {
        return Err(no(text, "row of five cells between the bars"));
    };

    let mut bits = [None; 7];
    for (bit, cell) in bits.iter_mut().zip([w, wl, wld, r, rl, rld, e]) {
        *bit = match cell {
            "0" => Some(false),
            "1" => Some(true),
            "-" => None,
            _ => return Err(no(cell, "bit")),
        };
    }
    let reason = |cell: &str, code: &str| {
        let number = u8::from_str_radix(code, 16).ok();
        number.and_then(FaultReason::from_number).ok_or_else(|| no(cell, "fault reason"))
    };
    let record = |cell: &str| match cell.strip_suffix("+D") {
        _ if cell == "." => Ok(None),
        Some(code) => Ok(Some(Record { with_data: true, reason: reason(cell, code)? })),
        None => Ok(Some(Record { with_data: false, reason: reason(cell, cell)? })),
    };
    let answer = Answer {
        permit: match effect {
            "0" => false,
            "1" => true,
            _ => return Err(no(effect, "effect")),
        },
        fault: if fault == "." { None } else { Some(reason(fault, fault)?) },
        write_record: record(write)?,
        read_record: record(read)?,
        destination: match to {
            "." => None,
            "fault" => Some(Destination::FaultLog),
            "access" => Some(Destination::AccessLog),
            _ => return Err(no(to, "destination")),
        },
    };
    Ok(Row {
        line,
        bits,
        access: match access {
            "read" => Access::Read,
            "write" => Access::Write,
            "atomic" => Access::Atomic,
            _ => return Err(no(access, "access")),
        },
        active: match mode {
            "legacy" => false,
            "active" => true,
            _ => return Err(no(mode, "mode")),
        },
        clash: match leaf {
            "-" => None,
            "plain" => Some(false),
            "clash" => Some(true),
            _ => return Err(no(leaf, "leaf")),
        },
        answer,
        ids: ids.split_whitespace().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    const ROW: &str = "1 - - 0 - - 1 atomic active plain | 0 06 C0+D . access | S1 U-02";

    #[test]
    fn a_row_is_read_cell_by_cell() {
        let rows = parse(&format!("# comment\n\n{ROW}\n")).unwrap();
        let row = &rows[0];
        assert_eq!(row.line, 3);
        assert_eq!(row.bits[0], Some(true));
        assert_eq!(row.bits[1], None);
        assert_eq!(row.bits[3], Some(false));
        assert_eq!(row.clash, Some(false));
        assert_eq!(row.answer.fault.unwrap().number(), 6);
        assert!(row.answer.write_record.unwrap().with_data);
        assert_eq!(row.answer.read_record, None);
        assert_eq!(row.ids, ["S1", "U-02"]);
    }

    #[test]
    fn wrong_cells_are_named() {
        let error = |from: &str, to: &str| parse(&ROW.replacen(from, to, 1)).unwrap_err().to_string();
        assert_eq!(error("1 -", "2 -"), "line 1: `2` is no bit");
        assert_eq!(error("atomic", "swap"), "line 1: `swap` is no access");
        assert_eq!(error("active", "on"), "line 1: `on` is no mode");
        assert_eq!(error("plain", "4K"), "line 1: `4K` is no leaf");
        assert_eq!(error("| 0", "| -"), "line 1: `-` is no effect");
        assert_eq!(error("06", "99"), "line 1: `99` is no fault reason");
        assert_eq!(error("C0+D", "+D"), "line 1: `+D` is no fault reason");
        assert_eq!(error("access", "log"), "line 1: `log` is no destination");
        let whole = |text: &str| parse(text).unwrap_err().column;
        assert_eq!(whole("1 0"), "row of three parts");
        assert_eq!(whole("1 0 | 1 | S1"), "row of ten cells before the first bar");
        assert_eq!(whole("1 - - 0 - - 1 atomic active plain | 0 | S1"), "row of five cells between the bars");
    }
}
