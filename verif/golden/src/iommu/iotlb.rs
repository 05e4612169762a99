//! The IOTLB: translations that were used, with all that a leaf says of its page (AA-02).
//!
//! One call of [`Iotlb::step`] is one clock cycle. Its answer is what the hardware shows in the following cycle.

use std::ops::RangeInclusive;

use tollgate_spec::config::{self, Config, Replacement};
use tollgate_spec::iotlb::{LFSR_BITS, LFSR_SEED, LFSR_TAPS, PageSize};

/// 4 KiB of what the devices of a domain see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page {
    /// The domain id (VT-d, domain-selective invalidation).
    pub domain: u64,
    /// The address in units of 4 KiB.
    pub number: u64,
}

/// What the page tables say of a page: the fields of its leaf, and the permissions of all levels (AA-02).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Translation {
    /// The page in memory, in units of 4 KiB.
    pub frame: u64,
    /// The size of the page.
    pub size: PageSize,
    /// R.
    pub read: bool,
    /// W.
    pub write: bool,
    /// WL.
    pub write_log: bool,
    /// WLD.
    pub write_log_data: bool,
    /// RL.
    pub read_log: bool,
    /// RLD.
    pub read_log_data: bool,
    /// E.
    pub active_destination: bool,
    /// IUID.
    pub iuid: u64,
}

/// A translation to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fill {
    /// Any 4 KiB of the page.
    pub page: Page,
    /// Its translation.
    pub translation: Translation,
}

/// What to forget (VT-d, granularities of the IOTLB invalidation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Invalidation {
    /// Everything.
    Global,
    /// All pages of a domain.
    Domain(u64),
    /// The pages of a domain that overlap the 2 to `address_mask` naturally aligned units of 4 KiB around `page`.
    Page {
        /// Any 4 KiB of the range.
        page: Page,
        /// VT-d's AM.
        address_mask: u32,
    },
}

/// What the IOTLB is asked in one cycle. Any of the three may come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Commands {
    /// Asks for the translation of a page.
    pub lookup: Option<Page>,
    /// Keeps a translation.
    pub fill: Option<Fill>,
    /// Forgets translations.
    pub invalidate: Option<Invalidation>,
}

/// What a lookup is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The translation.
    Hit(Translation),
    /// There is none.
    Miss,
}

/// A live entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    fill: Fill,
    /// The cycle in which it was last used, and whether by a fill, which is newer than a hit.
    used: (u64, bool),
}

impl Entry {
    /// Its 4 KiB units, the first and the last.
    fn units(&self) -> RangeInclusive<u64> {
        range(self.fill.page.number, self.fill.translation.size.inner_bits())
    }
}

/// The IOTLB.
#[derive(Debug, Clone)]
pub struct Iotlb {
    parameters: config::Iotlb,
    /// The ways of each set.
    sets: Vec<Vec<Option<Entry>>>,
    /// Counts cycles.
    cycle: u64,
    /// The set and the way that the lookup of the cycle before has hit.
    hit: Option<(usize, usize)>,
    /// The shift register of the random replacement.
    lfsr: u16,
}

impl Iotlb {
    /// The IOTLB of a configuration after reset: it is empty.
    pub fn new(config: &Config) -> Self {
        let parameters = config.iotlb.clone();
        let sets = vec![vec![None; parameters.ways as usize]; parameters.sets() as usize];
        Self { parameters, sets, cycle: 0, hit: None, lfsr: LFSR_SEED }
    }

    /// Forgets everything, and draws the same random numbers again.
    pub fn reset(&mut self) {
        self.sets.iter_mut().flatten().for_each(|entry| *entry = None);
        self.hit = None;
        self.lfsr = LFSR_SEED;
    }

    /// The translations that it holds.
    pub fn live(&self) -> impl Iterator<Item = Fill> {
        self.sets.iter().flatten().flatten().map(|entry| entry.fill)
    }

    /// The translations in the set that a page of this size belongs to.
    pub fn occupancy(&self, page: Page, size: PageSize) -> usize {
        self.sets[self.set_of(page, size)].iter().flatten().count()
    }

    /// One clock cycle. All commands are judged on the state before it. Beside an invalidation a fill does nothing: it may
    /// come from a table that has changed since. A hit counts as a use one cycle later, before the fill of that cycle and
    /// after its choice of a victim.
    ///
    /// # Panics
    ///
    /// If a page does not fit the widths of the configuration: the ports could not carry it.
    pub fn step(&mut self, commands: &Commands) -> Option<Answer> {
        self.cycle += 1;
        let found = commands.lookup.and_then(|page| self.find(page));
        let answer = commands.lookup.map(|_| match found.and_then(|(set, way)| self.sets[set][way]) {
            Some(entry) => Answer::Hit(entry.fill.translation),
            None => Answer::Miss,
        });
        match (commands.invalidate, commands.fill) {
            (Some(invalidation), _) => self.invalidate(invalidation),
            (None, Some(fill)) => self.fill(fill),
            (None, None) => {}
        }
        if let Some((set, way)) = std::mem::replace(&mut self.hit, found)
            && let Some(entry) = &mut self.sets[set][way]
        {
            entry.used = entry.used.max((self.cycle, false));
        }
        answer
    }

    /// The set and the way of the entry that has a page.
    fn find(&self, page: Page) -> Option<(usize, usize)> {
        self.assert_fits(page);
        let has = |entry: &Entry| entry.fill.page.domain == page.domain && entry.units().contains(&page.number);
        let way = |ways: &Vec<Option<Entry>>| ways.iter().position(|entry| entry.as_ref().is_some_and(has));
        self.sets.iter().enumerate().find_map(|(set, ways)| Some((set, way(ways)?)))
    }

    /// Forgets the entries that an invalidation covers. A superpage goes as a whole if any of it is covered.
    fn invalidate(&mut self, invalidation: Invalidation) {
        if let Invalidation::Page { page, .. } = invalidation {
            self.assert_fits(page);
        }
        let covers = |entry: &Entry| match invalidation {
            Invalidation::Global => true,
            Invalidation::Domain(domain) => entry.fill.page.domain == domain,
            Invalidation::Page { page, address_mask } => {
                entry.fill.page.domain == page.domain && overlap(&entry.units(), &range(page.number, address_mask))
            }
        };
        for way in self.sets.iter_mut().flatten() {
            *way = way.filter(|entry| !covers(entry));
        }
    }

    /// Keeps a translation, in place of all that overlap it: two entries never have a page in common. It takes the first
    /// free way of its set; of a full set, the one that the replacement chooses (AA-59).
    fn fill(&mut self, fill: Fill) {
        let Fill { page, translation } = fill;
        self.invalidate(Invalidation::Page { page, address_mask: translation.size.inner_bits() });
        let drawn = self.draw();
        let entry = Entry { fill, used: (self.cycle, true) };
        let (set, replacement) = (self.set_of(page, translation.size), self.parameters.replacement);
        let ways = &mut self.sets[set];
        let free = ways.iter().position(Option::is_none);
        let oldest = (0..ways.len()).min_by_key(|way| ways[*way].map(|entry| entry.used));
        let victim = match replacement {
            Replacement::Lru => oldest.expect("a set has ways"),
            Replacement::Random => drawn,
        };
        ways[free.unwrap_or(victim)] = Some(entry);
    }

    /// The low bits of the shift register, which then moves down by as many.
    fn draw(&mut self) -> usize {
        let bits = self.parameters.ways.ilog2();
        let drawn = usize::from(self.lfsr) % self.parameters.ways as usize;
        for _ in 0..bits {
            let parity = LFSR_TAPS.iter().fold(0, |parity, tap| parity ^ (self.lfsr >> tap & 1));
            self.lfsr = self.lfsr >> 1 | parity << (LFSR_BITS - 1);
        }
        drawn
    }

    /// The set of a page: its number in units of its size, modulo the sets.
    fn set_of(&self, page: Page, size: PageSize) -> usize {
        let number = page.number >> size.inner_bits();
        usize::try_from(number % self.sets.len() as u64).expect("there are few sets")
    }

    fn assert_fits(&self, page: Page) {
        let config::Iotlb { domain_bits, .. } = self.parameters;
        let fits = page.domain >> domain_bits == 0 && page.number >> self.parameters.page_number_bits() == 0;
        assert!(fits, "{page:x?} does not fit the configuration");
    }
}

/// The `2^bits` numbers around `number`, naturally aligned.
pub(crate) fn range(number: u64, bits: u32) -> RangeInclusive<u64> {
    let inner = 1_u64.checked_shl(bits).map_or(u64::MAX, |size| size - 1);
    number & !inner..=number | inner
}

pub(crate) fn overlap(one: &RangeInclusive<u64>, other: &RangeInclusive<u64>) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
}
