//! The page walker: from a page and the table of its domain to a translation, or to why there is none.
//!
//! [`walk`] is a walk as the VT-d specification describes it (second-level paging, four levels): from the root, without
//! caches and without time. [`PageWalker`] is the unit: what it reads, what it keeps, and what it tells, event by event.
//! One call of [`PageWalker::step`] is one clock cycle; what it tells is shown in the following cycle.

use tollgate_spec::config::Config;
use tollgate_spec::iotlb::PageSize;
use tollgate_spec::page_walker as codes;
use tollgate_spec::pte::{Access, Destination, Level, PteLayout, Step};

use crate::active_access::pte_decoder::{Inputs, decode};
use crate::iommu::iotlb::{self, Page, Translation, overlap, range};

/// Bytes of a paging entry (VT-d, second-level paging entries), and of a table of 512.
const ENTRY_BYTES: u64 = 8;
const TABLE_BYTES: u64 = 4096;

/// Bits of an address that choose an entry of a table.
const INDEX_BITS: u32 = 9;

/// A walk that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// The page.
    pub page: Page,
    /// The PML4 table (VT-d: SLPTPTR), in units of 4 KiB.
    pub table: u64,
    /// Active access is enabled for the context (U-01).
    pub active: bool,
}

/// How a walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// With a translation.
    Translated(Translation),
    /// At an entry that is not present.
    NotPresent,
    /// At a present entry with a reserved bit set.
    Reserved,
    /// At an entry that could not be read.
    Unreachable,
    /// With an invalidation while it was under way.
    Stale,
}

impl Outcome {
    /// Its code.
    pub const fn code(self) -> codes::Outcome {
        match self {
            Self::Translated(_) => codes::Outcome::Translated,
            Self::NotPresent => codes::Outcome::NotPresent,
            Self::Reserved => codes::Outcome::Reserved,
            Self::Unreachable => codes::Outcome::Unreachable,
            Self::Stale => codes::Outcome::Stale,
        }
    }
}

/// The end of a walk, told to all who wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Done {
    /// The page that was asked for.
    pub page: Page,
    /// How the walk ended.
    pub outcome: Outcome,
}

/// What is to be forgotten: an invalidation of the IOTLB, with VT-d's invalidation hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Invalidation {
    /// What it covers.
    pub of: iotlb::Invalidation,
    /// IH: of the pages, leaves alone have changed. Of no account in other scopes (VT-d).
    pub leaf_only: bool,
}

/// An entry that is to be read, and what the way to it permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The level of the table.
    pub level: Level,
    /// The table, in units of 4 KiB.
    pub table: u64,
    /// R of all levels above.
    pub read: bool,
    /// W of all levels above.
    pub write: bool,
}

impl Position {
    /// Where a walk begins that knows nothing.
    pub const fn root(table: u64) -> Self {
        Self { level: Level::PageMapLevel4, table, read: true, write: true }
    }

    /// The address of the entry for a page, in bytes.
    pub const fn address(&self, page: Page) -> u64 {
        let index = (page.number >> (INDEX_BITS * (self.level.number() - 1))) % (TABLE_BYTES / ENTRY_BYTES);
        self.table * TABLE_BYTES + index * ENTRY_BYTES
    }

    /// Goes on with the entry; `None` if it could not be read. Gives the next position, or the end.
    fn step(&self, pte: &PteLayout, active: bool, entry: Option<u64>) -> Result<Self, Outcome> {
        let entry = entry.ok_or(Outcome::Unreachable)?;
        // The step does not depend on the access, which the walk does not know.
        let inputs = Inputs {
            entry,
            level: self.level,
            upper_read: self.read,
            upper_write: self.write,
            active,
            access: Access::Read,
            zero_length: false,
        };
        let decoded = decode(pte, &inputs);
        match decoded.step {
            Step::Descend => Ok(Self {
                level: below(self.level).expect("there is no table below a page table"),
                table: decoded.frame,
                read: decoded.read_permission,
                write: decoded.write_permission,
            }),
            Step::Leaf => Err(Outcome::Translated(Translation {
                frame: decoded.frame,
                size: size_of(self.level),
                read: decoded.read_permission,
                write: decoded.write_permission,
                write_log: decoded.write_log,
                write_log_data: decoded.write_log_data,
                read_log: decoded.read_log,
                read_log_data: decoded.read_log_data,
                active_destination: decoded.destination == Destination::AccessLog,
                iuid: decoded.iuid,
            })),
            Step::NotPresent => Err(Outcome::NotPresent),
            Step::Reserved => Err(Outcome::Reserved),
        }
    }
}

fn below(level: Level) -> Option<Level> {
    Level::from_number(level.number() - 1)
}

/// The size of the page that a leaf of a level maps.
fn size_of(level: Level) -> PageSize {
    PageSize::ALL[level as usize - 1]
}

/// A walk from the root over a memory, which gives the entry at an address or cannot.
pub fn walk(pte: &PteLayout, request: &Request, mut memory: impl FnMut(u64) -> Option<u64>) -> Outcome {
    let mut position = Position::root(request.table);
    loop {
        match position.step(pte, request.active, memory(position.address(request.page))) {
            Ok(next) => position = next,
            Err(outcome) => return outcome,
        }
    }
}

/// What happens at the ports in one cycle. Any of it may come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Events {
    /// A request is accepted.
    pub request: Option<Request>,
    /// The memory takes the address that this walk reads.
    pub read: Option<usize>,
    /// The memory answers a walk: an entry, or `None` for an error.
    pub answer: Option<(usize, Option<u64>)>,
    /// Forgets what is kept, and makes walks stale.
    pub invalidate: Option<Invalidation>,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accepted {
    /// It starts a walk, which first reads an entry of this level.
    Starts(usize, Level),
    /// It waits for a walk that is under way.
    Merges(usize),
}

/// What a cycle leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reaction {
    /// What becomes of the request.
    pub accepted: Option<Accepted>,
    /// The walk that goes on to another entry.
    pub descends: Option<usize>,
    /// The walk that ends.
    pub done: Option<Done>,
}

/// A walk under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Walk {
    request: Request,
    position: Position,
    /// The memory has taken the address of the entry, and has not answered.
    waits: bool,
    /// An invalidation came.
    is_stale: bool,
}

/// An entry of the paging-structure cache: it leads from the table of `level` to the next position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kept {
    domain: u64,
    level: Level,
    /// The bits of a page number that lead to the entry.
    prefix: u64,
    next: Position,
}

impl Kept {
    fn of(page: Page, level: Level, next: Position) -> Self {
        Self { domain: page.domain, level, prefix: prefix(page, level), next }
    }

    fn is_for(&self, page: Page) -> bool {
        self.domain == page.domain && self.prefix == prefix(page, self.level)
    }

    /// Whether both are the same entry of the same tables.
    fn is_like(&self, other: &Self) -> bool {
        (self.domain, self.level, self.prefix) == (other.domain, other.level, other.prefix)
    }

    fn is_covered(&self, Invalidation { of, leaf_only }: Invalidation) -> bool {
        match of {
            iotlb::Invalidation::Global => true,
            iotlb::Invalidation::Domain(domain) => domain == self.domain,
            iotlb::Invalidation::Page { page, address_mask } => {
                let bits = inner_bits(self.level);
                let own = range(self.prefix << bits, bits);
                !leaf_only && page.domain == self.domain && overlap(&own, &range(page.number, address_mask))
            }
        }
    }
}

/// The bits of a page number that lie within what an entry of a level maps.
fn inner_bits(level: Level) -> u32 {
    INDEX_BITS * (level.number() - 1)
}

fn prefix(page: Page, level: Level) -> u64 {
    page.number >> inner_bits(level)
}

/// The page walker.
#[derive(Debug, Clone)]
pub struct PageWalker {
    pte: PteLayout,
    walks: Vec<Option<Walk>>,
    /// The paging-structure cache.
    cache: Vec<Option<Kept>>,
    /// The entry of the cache that makes room next.
    next: usize,
}

impl PageWalker {
    /// The page walker of a configuration after reset.
    pub fn new(config: &Config) -> Self {
        let sizes = &config.page_walker;
        Self {
            pte: config.pte.clone(),
            walks: vec![None; sizes.walks as usize],
            cache: vec![None; sizes.cache_entries as usize],
            next: 0,
        }
    }

    /// Forgets all walks and all that is kept.
    pub fn reset(&mut self) {
        self.walks.fill(None);
        self.cache.fill(None);
        self.next = 0;
    }

    /// Whether a request is accepted: a walk is free.
    pub fn has_room(&self) -> bool {
        self.walks.iter().any(Option::is_none)
    }

    /// The walks under way.
    pub fn in_flight(&self) -> usize {
        self.walks.iter().flatten().count()
    }

    /// The address that a walk reads next; `None` if it waits for an answer, or is none.
    pub fn to_read(&self, walk: usize) -> Option<u64> {
        let walk = self.walks.get(walk).copied().flatten()?;
        (!walk.waits).then(|| walk.position.address(walk.request.page))
    }

    /// The domain, the level and the prefix of each entry that is kept.
    pub fn kept(&self) -> impl Iterator<Item = (u64, Level, u64)> {
        self.cache.iter().flatten().map(|kept| (kept.domain, kept.level, kept.prefix))
    }

    /// One clock cycle. All events are judged on the state before it; a request that is accepted in the cycle of an
    /// invalidation comes before it, and is stale. An answer to a walk that waits for none is passed over.
    ///
    /// # Panics
    ///
    /// If a request is accepted and no walk is free, or a walk reads that has nothing to read.
    pub fn step(&mut self, events: &Events) -> Reaction {
        let before = self.clone();
        let mut reaction = Reaction::default();
        if let Some((number, entry)) = events.answer
            && let Some(walk) = before.walks.get(number).copied().flatten()
            && walk.waits
        {
            let is_stale = walk.is_stale || events.invalidate.is_some();
            match self.go_on(number, Walk { is_stale, ..walk }, entry) {
                Ok(()) => reaction.descends = Some(number),
                Err(outcome) => reaction.done = Some(Done { page: walk.request.page, outcome }),
            }
        }
        if let Some(number) = events.read {
            assert!(before.to_read(number).is_some(), "walk {number} has nothing to read");
            self.walks[number].as_mut().expect("it is under way").waits = true;
        }
        if let Some(request) = events.request {
            reaction.accepted = Some(self.accept(&before, request));
        }
        if let Some(invalidation) = events.invalidate {
            self.walks.iter_mut().flatten().for_each(|walk| walk.is_stale = true);
            for kept in &mut self.cache {
                *kept = kept.filter(|kept| !kept.is_covered(invalidation));
            }
        }
        reaction
    }

    /// A walk goes on with an entry: it descends, or ends.
    fn go_on(&mut self, number: usize, walk: Walk, entry: Option<u64>) -> Result<(), Outcome> {
        self.walks[number] = None;
        if walk.is_stale {
            return Err(Outcome::Stale);
        }
        let next = walk.position.step(&self.pte, walk.request.active, entry)?;
        self.keep(Kept::of(walk.request.page, walk.position.level, next));
        self.walks[number] = Some(Walk { position: next, waits: false, ..walk });
        Ok(())
    }

    /// Keeps an entry in place of one for the same, or of the oldest.
    fn keep(&mut self, kept: Kept) {
        let place = self.cache.iter().position(|other| other.as_ref().is_some_and(|other| kept.is_like(other)));
        self.cache[place.unwrap_or(self.next)] = Some(kept);
        if place.is_none() {
            self.next = (self.next + 1) % self.cache.len();
        }
    }

    /// Accepts a request. It merges with a walk for its page that is under way and not stale; else it takes the first walk
    /// that is free, from the lowest entry that is kept. Of the entry that is read in the same cycle, neither it nor the one
    /// that makes room for it is found, unless they are for the same: then it leads to what was read last.
    fn accept(&mut self, before: &Self, request: Request) -> Accepted {
        let same = |walk: &Walk| walk.request.page == request.page && !walk.is_stale;
        if let Some(number) = before.walks.iter().position(|walk| walk.as_ref().is_some_and(same)) {
            return Accepted::Merges(number);
        }
        let number = before.walks.iter().position(Option::is_none).expect("a walk is free");
        // By place: the key as it was before, if it stays there, with what it leads to from now on.
        let places = before.cache.iter().zip(&self.cache).filter_map(|(before, after)| before.as_ref().zip(*after));
        let found = places.filter(|(before, after)| before.is_for(request.page) && before.is_like(after));
        let lowest = found.map(|(_, after)| after).min_by_key(|kept| kept.level);
        let position = lowest.map_or(Position::root(request.table), |kept| kept.next);
        self.walks[number] = Some(Walk { request, position, waits: false, is_stale: false });
        Accepted::Starts(number, position.level)
    }
}
