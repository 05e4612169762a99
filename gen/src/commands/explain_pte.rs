//! `tollgate explain-pte`.

use super::answer;
use crate::failure::Failure;
use crate::selection::One;
use clap::{Args, ValueEnum};
use miette::SourceSpan;
use tollgate_golden::explain::{EntryError, explain, parse_entry};
use tollgate_spec::pte::Level;

/// Says in words what a paging entry means: its fields, and what each access does
#[derive(Args)]
pub struct ExplainPte {
    /// The entry in hexadecimal, with or without `0x`
    #[arg(value_name = "ENTRY", allow_hyphen_values = true)]
    entry: String,
    /// The level of the table that it stands in: 1 for pages of 4 KiB, 4 for the root
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    level: u32,
    /// One access alone
    #[arg(long)]
    access: Option<Access>,
    /// Active access is off: the log bits, E and the IUID are ignored
    #[arg(long)]
    legacy: bool,
    #[command(flatten)]
    selection: One,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Access {
    /// A memory read
    Read,
    /// A memory write
    Write,
    /// An AtomicOp
    Atomic,
}

impl Access {
    /// How a line about it begins.
    fn label(self) -> &'static str {
        match self {
            Self::Read => "read:",
            Self::Write => "write:",
            Self::Atomic => "atomic:",
        }
    }
}

impl ExplainPte {
    /// Prints the words of the golden model.
    ///
    /// # Errors
    ///
    /// [`Failure::Entry`], [`Failure::Config`] and [`Failure::Output`].
    pub fn run(self) -> Result<(), Failure> {
        let config = self.selection.open()?;
        let entry = parse_entry(&self.entry).map_err(failure)?;
        let level = Level::from_number(self.level).expect("the command line takes 1 to 4");
        let text = explain(&config.pte, entry, level, !self.legacy);
        let is_asked_for = |line: &&str| {
            let about = Access::value_variants().iter().find(|access| line.starts_with(access.label()));
            about.is_none() || self.access.is_none() || about == self.access.as_ref()
        };
        answer(&text.lines().filter(is_asked_for).map(|line| format!("{line}\n")).collect::<String>())
    }
}

/// The error with its place in the argument.
fn failure(error: EntryError) -> Failure {
    let (text, place): (&str, SourceSpan) = match &error {
        EntryError::Empty { text } | EntryError::TooLong { text, .. } => (text, (0..text.len()).into()),
        EntryError::NoDigit { text, character, place } => {
            let start = text.chars().take(place - 1).map(char::len_utf8).sum::<usize>();
            (text, (start..start + character.len_utf8()).into())
        }
    };
    let text = text.to_owned();
    Failure::Entry { error, text, place }
}
