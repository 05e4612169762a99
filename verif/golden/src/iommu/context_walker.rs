//! The context walker: from a requester to its context by the root table and a context table in memory (AA-01).
//!
//! [`Tables`] says what entries mean. [`ContextWalker`] is the walks in flight: one call of [`ContextWalker::step`] is one
//! clock cycle, and its answer is what the hardware shows in the following cycle. Which of the reads that walks ask for
//! comes next, and when, is left open.

use std::ops::Range;

use tollgate_spec::config::Config;
use tollgate_spec::context::{
    BUS, DEVICE_FUNCTION, ENTRY_BITS, FOUR_LEVELS, TranslationType, context_entry, root_entry,
};
use tollgate_spec::fault::FaultReason;
use tollgate_spec::layout::Layout;

use super::context_cache::Context;

/// Bytes of a root entry, and of a context entry.
const ENTRY_BYTES: u64 = ENTRY_BITS as u64 / 8;

/// Why a requester has no context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fault {
    /// VT-d's reason.
    pub reason: FaultReason,
    /// FPD of the context entry; false if none was read.
    pub fault_processing_disable: bool,
}

/// What root and context entries mean, in VT-d's legacy mode.
#[derive(Debug, Clone)]
pub struct Tables {
    root: Layout,
    context: Layout,
}

impl Tables {
    /// The entries of a configuration.
    pub fn new(config: &Config) -> Self {
        let address_bits = config.host_address_bits;
        Self { root: root_entry(address_bits), context: context_entry(address_bits, config.iotlb.domain_bits) }
    }

    /// Where the root entry of a requester is, in bytes; `root_table` counts 4 KiB (VT-d, root table address register).
    pub fn root_address(root_table: u64, requester: u16) -> u64 {
        (root_table << 12) + bits(requester.into(), &BUS) * ENTRY_BYTES
    }

    /// Where the context entry of a requester is, in bytes; `context_table` counts 4 KiB (VT-d, root entry: CTP).
    pub fn context_address(context_table: u64, requester: u16) -> u64 {
        (context_table << 12) + bits(requester.into(), &DEVICE_FUNCTION) * ENTRY_BYTES
    }

    /// What a root entry says: the context table, in units of 4 KiB. `None` is an entry that could not be read.
    ///
    /// # Errors
    ///
    /// The first of: unreachable, not present, a reserved bit set (VT-d, fault conditions). FPD does not qualify them.
    pub fn root(&self, entry: Option<u128>) -> Result<u64, Fault> {
        let fault = |reason| Err(Fault { reason, fault_processing_disable: false });
        match entry {
            None => fault(FaultReason::RootEntryUnreachable),
            Some(entry) if bits(entry, &self.root.range("present")) == 0 => fault(FaultReason::RootEntryNotPresent),
            Some(entry) if has_reserved(entry, &self.root) => fault(FaultReason::RootEntryReserved),
            Some(entry) => Ok(bits(entry, &self.root.range("context_table"))),
        }
    }

    /// What a context entry says. `None` is an entry that could not be read.
    ///
    /// # Errors
    ///
    /// The first of: unreachable, not present, a reserved bit set, a translation type or an address width that is not
    /// supported (VT-d, fault conditions). FPD counts in every entry that was read, present or not.
    pub fn context(&self, entry: Option<u128>) -> Result<Context, Fault> {
        let Some(entry) = entry else {
            let reason = FaultReason::ContextEntryUnreachable;
            return Err(Fault { reason, fault_processing_disable: false });
        };
        let field = |name| bits(entry, &self.context.range(name));
        let fault_processing_disable = field("fault_processing_disable") == 1;
        let fault = |reason| Err(Fault { reason, fault_processing_disable });
        let [translate, pass_through] = [TranslationType::Translate, TranslationType::PassThrough]
            .map(|kind| field("translation_type") == kind.number().into());
        if field("present") == 0 {
            return fault(FaultReason::ContextEntryNotPresent);
        }
        if has_reserved(entry, &self.context) {
            return fault(FaultReason::ContextEntryReserved);
        }
        if !translate && !pass_through || field("address_width") != FOUR_LEVELS.into() {
            return fault(FaultReason::InvalidContextEntry);
        }
        Ok(Context {
            domain: field("domain"),
            page_table: field("page_table"),
            pass_through,
            fault_processing_disable,
            active: field("active") == 1,
        })
    }

    /// The context of a requester in tables that do not change; `read` gives the 16 bytes at an address, or `None`.
    ///
    /// # Errors
    ///
    /// As of [`Tables::root`] and [`Tables::context`].
    pub fn walk(&self, root_table: u64, requester: u16, read: impl Fn(u64) -> Option<u128>) -> Result<Context, Fault> {
        let context_table = self.root(read(Self::root_address(root_table, requester)))?;
        self.context(read(Self::context_address(context_table, requester)))
    }
}

/// A field of at most 64 bits.
fn bits(word: u128, range: &Range<u32>) -> u64 {
    u64::try_from((word & mask(range)) >> range.start).expect("a field has at most 64 bits")
}

fn has_reserved(entry: u128, layout: &Layout) -> bool {
    layout.gaps().iter().any(|gap| entry & mask(gap) != 0)
}

/// Ones at the bits of a range.
fn mask(range: &Range<u32>) -> u128 {
    let below = |end: u32| 1_u128.checked_shl(end).map_or(u128::MAX, |bit| bit - 1);
    below(range.end) & !below(range.start)
}

/// How a walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// An invalidation came while it was in flight.
    Stale,
    /// With a context.
    Context(Context),
    /// With a fault.
    Fault(Fault),
}

/// The end of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Done {
    /// The requester.
    pub requester: u16,
    /// How the walk ended.
    pub outcome: Outcome,
}

/// What happens in one cycle. Any of it may come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Events {
    /// A request is taken.
    pub request: Option<u16>,
    /// The number of the walk whose read is taken.
    pub taken: Option<usize>,
    /// An entry arrives for a walk of this number; `None` if it could not be read.
    pub answer: Option<(usize, Option<u128>)>,
    /// All walks in flight become stale.
    pub invalidate: bool,
    /// The root table, in units of 4 KiB.
    pub root_table: u64,
}

/// A walk in flight.
#[derive(Debug, Clone)]
struct Walk {
    requester: u16,
    stage: Stage,
    /// Whether its read was taken.
    asked: bool,
    stale: bool,
}

/// What a walk reads.
#[derive(Debug, Clone)]
enum Stage {
    /// The root entry, in the root table of any cycle from its request on.
    Root(Vec<u64>),
    /// The context entry, in this table.
    Context(u64),
}

/// The walks in flight, by their numbers.
#[derive(Debug, Clone)]
pub struct ContextWalker {
    tables: Tables,
    walks: Vec<Option<Walk>>,
}

impl ContextWalker {
    /// The walker of a configuration after reset: no walk is in flight.
    pub fn new(config: &Config) -> Self {
        Self { tables: Tables::new(config), walks: vec![None; config.context_walker.walks as usize] }
    }

    /// Forgets all walks.
    pub fn reset(&mut self) {
        self.walks.fill(None);
    }

    /// Walks in flight.
    pub fn in_flight(&self) -> usize {
        self.walks.iter().flatten().count()
    }

    /// Whether a request may be taken: a walk is free, needed or not.
    pub fn is_ready(&self) -> bool {
        self.in_flight() < self.walks.len()
    }

    /// Whether a request for a requester would wait for a walk in flight: one that is not stale.
    pub fn merges(&self, requester: u16) -> bool {
        self.walks.iter().flatten().any(|walk| walk.requester == requester && !walk.stale)
    }

    /// Whether a walk of this number may ask for the 16 bytes at an address now.
    pub fn may_read(&self, walk: usize, address: u64) -> bool {
        let Some(Some(Walk { requester, stage, asked: false, .. })) = self.walks.get(walk) else {
            return false;
        };
        match stage {
            Stage::Root(tables) => tables.iter().any(|table| Tables::root_address(*table, *requester) == address),
            Stage::Context(table) => Tables::context_address(*table, *requester) == address,
        }
    }

    /// Whether a walk for a requester is in flight, stale or not.
    pub fn is_walked(&self, requester: u16) -> bool {
        self.walks.iter().flatten().any(|walk| walk.requester == requester)
    }

    /// Whether no walk of this number is in flight.
    pub fn is_free(&self, walk: usize) -> bool {
        !matches!(self.walks.get(walk), Some(Some(_)))
    }

    /// Whether the walk of this number has read its root entry.
    pub fn has_root(&self, walk: usize) -> bool {
        matches!(self.walks.get(walk), Some(Some(Walk { stage: Stage::Context(_), .. })))
    }

    /// Whether the walk of this number waits for an entry.
    pub fn awaits(&self, walk: usize) -> bool {
        matches!(self.walks.get(walk), Some(Some(Walk { asked: true, .. })))
    }

    /// One clock cycle. All of it is judged on the state before it, but for an answer beside an invalidation, which ends a
    /// stale walk. A request for the requester of a fresh walk merges with it, and is answered by its end; any other starts
    /// the free walk of the lowest number, which is not stale: its reads come after. A stale walk ends with its next
    /// answer, whatever it is. What arrives for a walk that has asked for nothing is ignored.
    pub fn step(&mut self, events: &Events) -> Option<Done> {
        let merges = events.request.is_some_and(|requester| self.merges(requester));
        let free = self.walks.iter().position(Option::is_none);
        for walk in self.walks.iter_mut().flatten() {
            walk.stale |= events.invalidate;
            if let Stage::Root(tables) = &mut walk.stage
                && !walk.asked
                && !tables.contains(&events.root_table)
            {
                tables.push(events.root_table);
            }
        }
        let done = events.answer.and_then(|(walk, entry)| self.answer(walk, entry));
        if let Some(Some(walk)) = events.taken.and_then(|walk| self.walks.get_mut(walk)) {
            walk.asked = true;
        }
        if let (Some(requester), false, Some(free)) = (events.request, merges, free) {
            let stage = Stage::Root(vec![events.root_table]);
            self.walks[free] = Some(Walk { requester, stage, asked: false, stale: false });
        }
        done
    }

    /// Goes on with an entry; gives the end, if it is one.
    fn answer(&mut self, number: usize, entry: Option<u128>) -> Option<Done> {
        let walk = self.walks.get_mut(number)?.as_mut().filter(|walk| walk.asked)?;
        let outcome = match walk.stage {
            _ if walk.stale => Outcome::Stale,
            Stage::Root(_) => match self.tables.root(entry) {
                Ok(context_table) => {
                    (walk.stage, walk.asked) = (Stage::Context(context_table), false);
                    return None;
                }
                Err(fault) => Outcome::Fault(fault),
            },
            Stage::Context(_) => self.tables.context(entry).map_or_else(Outcome::Fault, Outcome::Context),
        };
        let requester = walk.requester;
        self.walks[number] = None;
        Some(Done { requester, outcome })
    }
}
