//! The context cache: contexts of requesters that were used (AA-01).
//!
//! One call of [`ContextCache::step`] is one clock cycle. Its answer is what the hardware shows in the following cycle.

use tollgate_spec::config::Config;

/// What the context entry of a requester says (VT-d, context entry).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context {
    /// DID.
    pub domain: u64,
    /// SLPTPTR, in units of 4 KiB.
    pub page_table: u64,
    /// TT is pass-through.
    pub pass_through: bool,
    /// FPD.
    pub fault_processing_disable: bool,
    /// Bit 67: active access is on (U-01).
    pub active: bool,
}

/// A context to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fill {
    /// The requester id.
    pub requester: u16,
    /// Its context.
    pub context: Context,
}

/// What to forget (VT-d, granularities of the context-cache invalidation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Invalidation {
    /// Everything.
    Global,
    /// All requesters of a domain.
    Domain(u64),
    /// The requester, and the functions of its device that differ from it in ignored bits alone.
    Device {
        /// The requester id.
        requester: u16,
        /// FM: 0 ignores nothing, 1 bit 2 of the function, 2 bits 2 and 1, 3 all three.
        function_mask: u8,
    },
}

/// What the context cache is asked in one cycle. Any of the three may come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Commands {
    /// Asks for the context of a requester.
    pub lookup: Option<u16>,
    /// Keeps a context.
    pub fill: Option<Fill>,
    /// Forgets contexts.
    pub invalidate: Option<Invalidation>,
}

/// What a lookup is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The context.
    Hit(Context),
    /// There is none.
    Miss,
}

/// The context cache.
#[derive(Debug, Clone)]
pub struct ContextCache {
    domain_bits: u32,
    entries: Vec<Option<Fill>>,
    /// The entry that makes room next.
    turn: usize,
}

impl ContextCache {
    /// The context cache of a configuration after reset: it is empty.
    pub fn new(config: &Config) -> Self {
        let entries = vec![None; config.context_cache.entries as usize];
        Self { domain_bits: config.iotlb.domain_bits, entries, turn: 0 }
    }

    /// Forgets everything; the first entry makes room first.
    pub fn reset(&mut self) {
        self.entries.fill(None);
        self.turn = 0;
    }

    /// The contexts that it holds.
    pub fn live(&self) -> impl Iterator<Item = Fill> {
        self.entries.iter().flatten().copied()
    }

    /// One clock cycle. All commands are judged on the state before it. Beside an invalidation a fill does nothing: it may
    /// come from a table that has changed since.
    ///
    /// # Panics
    ///
    /// If a domain id or a function mask is none that the ports could carry.
    pub fn step(&mut self, commands: &Commands) -> Option<Answer> {
        let answer = commands.lookup.map(|requester| {
            let found = self.live().find(|fill| fill.requester == requester);
            found.map_or(Answer::Miss, |fill| Answer::Hit(fill.context))
        });
        match (commands.invalidate, commands.fill) {
            (Some(invalidation), _) => self.invalidate(invalidation),
            (None, Some(fill)) => self.fill(fill),
            (None, None) => {}
        }
        answer
    }

    /// Forgets the contexts that an invalidation covers. Of a device, the domain does not count: a requester has one.
    fn invalidate(&mut self, invalidation: Invalidation) {
        let covers = |fill: &Fill| match invalidation {
            Invalidation::Global => true,
            Invalidation::Domain(domain) => {
                self.assert_fits(domain);
                fill.context.domain == domain
            }
            Invalidation::Device { requester, function_mask } => {
                let ignored = match function_mask {
                    0 => 0b000,
                    1 => 0b100,
                    2 => 0b110,
                    3 => 0b111,
                    _ => panic!("a function mask of {function_mask}"),
                };
                fill.requester | ignored == requester | ignored
            }
        };
        let stays = |entry: &Option<Fill>| entry.filter(|fill| !covers(fill));
        self.entries = self.entries.iter().map(stays).collect();
    }

    /// Keeps a context, in place of the one that its requester had: two entries never are of one requester. It takes the
    /// first free entry; if none is free, they make room in turn.
    fn fill(&mut self, fill: Fill) {
        self.assert_fits(fill.context.domain);
        self.invalidate(Invalidation::Device { requester: fill.requester, function_mask: 0 });
        let free = self.entries.iter().position(Option::is_none);
        let chosen = free.unwrap_or(self.turn);
        if free.is_none() {
            self.turn = (self.turn + 1) % self.entries.len();
        }
        self.entries[chosen] = Some(fill);
    }

    fn assert_fits(&self, domain: u64) {
        assert!(domain >> self.domain_bits == 0, "domain {domain:#x} does not fit the configuration");
    }
}
