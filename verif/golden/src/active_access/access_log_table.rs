//! The table that finds the log of a user domain (AA-15).
//!
//! One call of [`AccessLogTable::step`] is one clock cycle. Its answer is what the hardware shows in
//! the following cycle.

use tollgate_spec::access_log::ProgramError;
use tollgate_spec::config::{self, Config};
use tollgate_spec::pte::PteLayout;

/// One access log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Descriptor {
    /// The user domain that owns it.
    pub iuid: u64,
    /// The physical address of the ring.
    pub base: u64,
    /// Where the next record starts: a physical address in the ring.
    pub head: u64,
    /// Where the consumer reads next: a physical address in the ring.
    pub tail: u64,
    /// The bytes of the ring.
    pub size: u64,
    /// Whether payloads alone are logged.
    pub compact: bool,
    /// Whether records that find no room are dropped.
    pub drop: bool,
}

/// Asks for a descriptor to be written into an entry and made valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// The entry.
    pub index: u64,
    /// What it shall hold.
    pub descriptor: Descriptor,
}

/// What the table is asked in one cycle. Any of the three may come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Commands {
    /// Programs an entry.
    pub program: Option<Program>,
    /// Makes the entry of this index invalid.
    pub invalidate: Option<u64>,
    /// Asks for the log of this user domain.
    pub lookup: Option<u64>,
}

/// What the table says in the following cycle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// Why programming is refused, lowest error bit first; empty if it is accepted, `None` if it was
    /// not asked for.
    pub programmed: Option<Vec<ProgramError>>,
    /// The log that was asked for; `None` if it was not asked for or no valid entry has it.
    pub found: Option<Found>,
}

/// An entry that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its index.
    pub index: u64,
    /// What it holds.
    pub descriptor: Descriptor,
}

/// The table.
#[derive(Debug, Clone)]
pub struct AccessLogTable {
    parameters: config::AccessLogTable,
    iuid_bits: u32,
    /// The descriptors of the valid entries.
    entries: Vec<Option<Descriptor>>,
}

impl AccessLogTable {
    /// The table of a configuration after reset: no entry is valid.
    pub fn new(config: &Config) -> Self {
        Self::with(&config.access_log_table, &config.pte)
    }

    fn with(parameters: &config::AccessLogTable, pte: &PteLayout) -> Self {
        let entries = vec![None; parameters.entries as usize];
        Self { parameters: parameters.clone(), iuid_bits: pte.iuid_bits(), entries }
    }

    /// Makes all entries invalid.
    pub fn reset(&mut self) {
        self.entries.fill(None);
    }

    /// The descriptor of a valid entry.
    pub fn entry(&self, index: u64) -> Option<&Descriptor> {
        self.entries.get(usize::try_from(index).ok()?)?.as_ref()
    }

    /// One clock cycle. All commands are judged on the state before it.
    ///
    /// # Panics
    ///
    /// If a value does not fit the width that the configuration gives it: the ports could not carry
    /// it.
    pub fn step(&mut self, commands: &Commands) -> Answers {
        let programmed = commands.program.map(|program| self.judge(&program));
        let found = commands.lookup.and_then(|iuid| self.find(iuid));

        if let Some(entry) = commands.invalidate.and_then(|index| self.entry_mut(index)) {
            *entry = None;
        }
        if let (Some(program), Some([])) = (commands.program, programmed.as_deref())
            && let Some(entry) = self.entry_mut(program.index)
        {
            *entry = Some(program.descriptor);
        }
        Answers { programmed, found }
    }

    /// The valid entry of a user domain. At most one has it.
    fn find(&self, iuid: u64) -> Option<Found> {
        self.assert_fits("a user domain", iuid, self.iuid_bits);
        let mut valid = self.entries.iter().zip(0..).filter_map(|(entry, i)| Some((i, (*entry)?)));
        let (index, descriptor) = valid.find(|(_, descriptor)| descriptor.iuid == iuid)?;
        Some(Found { index, descriptor })
    }

    fn entry_mut(&mut self, index: u64) -> Option<&mut Option<Descriptor>> {
        self.entries.get_mut(usize::try_from(index).ok()?)
    }

    /// Everything that speaks against programming `program` now.
    fn judge(&self, program: &Program) -> Vec<ProgramError> {
        let Program { index, descriptor } = *program;
        let Descriptor { iuid, base, head, tail, size, compact, .. } = descriptor;
        self.assert_fits("a user domain", iuid, self.iuid_bits);
        for address in [base, head, tail] {
            self.assert_fits("an address", address, self.parameters.address_bits);
        }
        self.assert_fits("a size", size, self.parameters.size_bits);

        let granule = u64::from(self.parameters.granule(compact));
        let ring = u128::from(base)..u128::from(base) + u128::from(size);
        let address_space = 1_u128 << self.parameters.address_bits;

        let applies = |error: &ProgramError| match error {
            ProgramError::Index => index >= u64::from(self.parameters.entries),
            ProgramError::Enabled => self.entry(index).is_some(),
            ProgramError::Duplicate => self.find(iuid).is_some_and(|found| found.index != index),
            ProgramError::Unaligned => [base, head, tail, size].iter().any(|value| !value.is_multiple_of(granule)),
            ProgramError::ZeroSize => size == 0,
            ProgramError::TooSmall => size < u64::from(self.parameters.smallest_ring_bytes(compact)),
            ProgramError::Outside => {
                let inside = |pointer| ring.contains(&u128::from(pointer));
                !inside(head) || !inside(tail) || ring.end > address_space
            }
        };
        ProgramError::ALL.into_iter().filter(applies).collect()
    }

    fn assert_fits(&self, what: &str, value: u64, bits: u32) {
        let fits = bits >= u64::BITS || value >> bits == 0;
        assert!(fits, "{what}, {value:#x}, does not fit the {bits} bits of the configuration");
    }
}
