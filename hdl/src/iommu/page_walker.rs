//! Page walker: reads page tables until it knows the translation of a page (AA-02).
//!
//! Many walks are under way at a time, each with one read at most. A request for a page that is being walked waits for that
//! walk; the end of each is told once, to all. Entries that lead to the next level are kept, so that a walk begins at the
//! lowest of them. The golden model is `tollgate_golden::iommu::page_walker`.

use super::iotlb::{Page, PageSize, Scope, Translation};
use crate::active_access::pte_decoder::{Access, Level, PteDecoderPorts, Step, pte_decoder};
use crate::bundles::{Axi4Address, Axi4Parameters, Axi4ReadData, Response, Stream, Valid};
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Config;
use tollgate_spec::iotlb::ADDRESS_MASK_BITS;
use tollgate_spec::pte::PteLayout;

/// Bits of a page number that choose an entry of a table.
const INDEX_BITS: u32 = 9;

/// How a walk ends.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    /// With a translation.
    Translated = 0,
    /// At an entry that is not present.
    NotPresent = 1,
    /// At a present entry with a reserved bit set.
    Reserved = 2,
    /// At an entry that could not be read.
    Unreachable = 3,
    /// With an invalidation while it was under way.
    Stale = 4,
}

/// A walk that is asked for.
#[bundle(p: Config)]
pub struct Request {
    /// The page.
    pub page: Page,
    /// The PML4 table of the domain (SLPTPTR), in units of 4 KiB.
    pub table: Bits<{ p.pte.frame_bits() }>,
    /// Active access is enabled, globally (AAE) and for this context (bit 67).
    pub active: Bit,
}

/// The end of a walk.
#[bundle(p: Config)]
pub struct Done {
    /// The page that was asked for.
    pub page: Page,
    /// How the walk ended.
    pub outcome: Code<Outcome>,
    /// The translation; any unless the outcome is one.
    pub translation: Translation,
}

/// What to forget.
#[bundle(p: Config)]
pub struct Invalidation {
    /// What it covers.
    pub scope: Code<Scope>,
    /// Any 4 KiB of the range; the domain alone where the scope is one.
    pub page: Page,
    /// VT-d's address mask: the range is 2 to this many pages of 4 KiB, naturally aligned.
    pub address_mask: Bits<{ ADDRESS_MASK_BITS }>,
    /// VT-d's IH: of the pages, leaves alone have changed.
    pub leaf_only: Bit,
}

/// What a walk was started for.
#[bundle(p: Config)]
struct Origin {
    /// The page.
    page: Page,
    /// Active access is enabled for it.
    active: Bit,
}

/// Where a walk is.
#[bundle]
struct Position {
    /// The level of the table that is read.
    level: Code<Level>,
    /// R of all levels above.
    read: Bit,
    /// W of all levels above.
    write: Bit,
}

/// The table that an entry leads to.
#[bundle(p: Config)]
struct Table {
    /// Its address in units of 4 KiB.
    frame: Bits<{ p.pte.frame_bits() }>,
    /// R of the entry and of all levels above.
    read: Bit,
    /// W of the entry and of all levels above.
    write: Bit,
}

/// What finds an entry that is kept.
#[bundle(p: Config)]
struct Key {
    /// The domain id.
    domain: Bits<{ p.iotlb.domain_bits }>,
    /// The level of the table that the entry is in.
    level: Code<Level>,
    /// Any 2 MiB of what the entry maps, as an address in units of 2 MiB.
    prefix: Bits<{ prefix_bits(p) }>,
}

/// An entry to keep.
#[bundle(p: Config)]
struct Kept {
    /// What finds it.
    key: Key,
    /// Where it leads to.
    table: Table,
}

/// A walk that was started, one cycle later.
#[bundle(p: Config)]
struct Started {
    /// The walk.
    walk: Bits<{ p.page_walker.walk_bits() }>,
    /// The page number.
    number: Bits<{ p.iotlb.page_number_bits() }>,
    /// The PML4 table.
    table: Bits<{ p.pte.frame_bits() }>,
    /// The entries that are kept for the page.
    hits: Bits<{ p.page_walker.cache_entries }>,
}

/// A read of an entry.
#[bundle(p: Config)]
struct Read {
    /// The walk.
    walk: Bits<{ p.page_walker.walk_bits() }>,
    /// The table, in units of 4 KiB.
    frame: Bits<{ p.pte.frame_bits() }>,
    /// The entry of the table.
    index: Bits<{ INDEX_BITS }>,
}

/// Ports of the page walker.
#[ports(p: Config)]
pub struct PageWalkerPorts {
    /// Asks for a walk; accepted while a walk is free.
    pub request: Sink<Stream<Request>>,
    /// A walk has ended, at least one cycle after each request that waits for it.
    pub done: Output<Valid<Done>>,
    /// Forgets what is kept, and makes the walks under way stale.
    pub invalidate: Input<Valid<Invalidation>>,
    /// Reads a paging entry (AXI4 AR); the id is the number of the walk.
    pub read_address: Source<Stream<Axi4Address<{ memory_parameters(p) }>>>,
    /// The entry that was read (AXI4 R); always taken.
    pub read_data: Sink<Stream<Axi4ReadData<{ memory_parameters(p) }>>>,
}

/// The interface of a page walker to memory.
pub fn memory_parameters(p: &Config) -> Axi4Parameters {
    Axi4Parameters {
        address_bits: p.host_address_bits,
        data_bits: p.data_path.bits,
        id_bits: p.page_walker.walk_bits(),
    }
}

/// The page walker of a configuration.
pub fn page_walker(p: &Config) -> Module<PageWalkerPorts> {
    let walks = p.page_walker.walks as usize;
    module("iommu_page_walker", PageWalkerPorts::shape(p), |m, io| {
        m.describe("Page walker: reads page tables until it knows the translation of a page.");
        for (name, value, meaning) in p.page_walker.parameters() {
            m.parameter(name, value, meaning);
        }
        m.parameter("address_bits", p.iotlb.address_bits, "bits of the addresses that devices use");
        m.parameter("domain_bits", p.iotlb.domain_bits, "bits of a domain id");
        m.parameter("host_address_bits", p.host_address_bits, "bits of a physical address");
        m.parameter("data_bits", p.data_path.bits, "bits of a beat of memory");
        m.parameter("iuid_bits", p.pte.iuid_bits(), "bits of a user domain");
        let request = io.request.data;
        let busy = m.reg_array("busy", walks, bit()).reset(0).describe("The walk is under way.");
        let waits = m.reg_array("waits", walks, bit()).reset(0).describe("The walk waits for memory.");
        let stale = m.reg_array("stale", walks, bit()).describe("An invalidation came while the walk was under way.");
        let pages = m.reg_array("pages", walks, Page::shape(p)).describe("The page of each walk.");
        let positions = m.reg_array("positions", walks, Position::shape(&())).describe("Where each walk is.");
        let origins = m.memory("origins", walks, Origin::shape(p)).attribute("ram_style", "distributed");
        let origins = origins.describe("What each walk was started for.");

        // A request merges with the walk of its page, or starts the lowest walk that is free.
        let same = each("same", walks, |walk| {
            let page = pages.at(walk);
            let is_same = page.domain.equals(request.page.domain) & page.number.equals(request.page.number);
            busy.at(walk) & !stale.at(walk) & is_same
        });
        m.assert("at most one walk that is not stale has a page", same.at_most_one());
        io.request.ready.set(!busy.all());
        let starts = m.named("starts", io.request.fires() & !same.any());
        let free = !busy.bits();
        let started = m.named("started", free & (!free + 1) & starts.repeat(p.page_walker.walks)).array();
        let started_walk = started.position("started_walk", p.page_walker.walk_bits());
        when(starts, || origins.write(started_walk, Origin { page: request.page, active: request.active }));

        // What memory answers: the walk ends, or goes on one level below.
        let answer = io.read_data.data;
        io.read_data.ready.set(true);
        m.ignore("last", answer.last, "a burst has one beat");
        let answered = m.named("answered", io.read_data.valid & waits.at(answer.id));
        let origin = m.named("origin", origins.read(answer.id));
        let position = m.named("position", positions.at(answer.id));
        let lane = index_of(origin.page.number, position.level).slice(0..(p.data_path.bits / PteLayout::BITS).ilog2());
        let decoder = m.instance("decoder", &pte_decoder(&p.pte));
        decoder.entry.set(answer.data.elements(PteLayout::BITS).at(lane));
        decoder.level.set(position.level);
        decoder.upper_read.set(position.read);
        decoder.upper_write.set(position.write);
        decoder.active.set(origin.active);
        ignore_access(m, decoder);
        let is_stale = m.named("is_stale", stale.at(answer.id) | io.invalidate.valid);
        let is_error = answer.resp.is(Response::SubordinateError) | answer.resp.is(Response::DecodeError);
        let is_error = m.named("is_error", is_error);
        let outcome = m.wire("outcome", code::<Outcome>());
        when(is_stale, || outcome.set(Outcome::Stale))
            .or_when(is_error, || outcome.set(Outcome::Unreachable))
            .or_when(decoder.step.is(Step::Reserved), || outcome.set(Outcome::Reserved))
            .or_when(decoder.step.is(Step::NotPresent), || outcome.set(Outcome::NotPresent))
            .otherwise(|| outcome.set(Outcome::Translated));
        let descends = m.named("descends", answered & !is_stale & !is_error & decoder.step.is(Step::Descend));
        let ends = m.named("ends", answered & !descends);
        let done = Done { page: origin.page, outcome, translation: translation_of(decoder, position.level) };
        let done = m.delayed("ended", Valid { valid: ends, data: done }).reset_member(|done| done.valid, 0);
        io.done.set(*done.describe("The walk that has ended."));

        let table = Table { frame: decoder.frame, read: decoder.read_permission, write: decoder.write_permission };
        let key = Key { domain: origin.page.domain, level: position.level, prefix: prefix_of(origin.page) };
        let cache = Cache::of(m, p);
        let hits = cache.hits(request.page);
        let evicted = cache.keep(m, p, io.invalidate, Valid { valid: descends, data: Kept { key, table } });
        let below = m.named("below", below(position.level));

        // One cycle after a request: where its walk begins.
        let data =
            Started { walk: started_walk, number: request.page.number, table: request.table, hits: hits & !evicted };
        let begins = m.delayed("begins", Valid { valid: starts, data }).reset_member(|begins| begins.valid, 0);
        let begins = begins.describe("The walk that was started one cycle before.");
        let (first, first_table) = cache.lowest(m, p, *begins);

        each("walk", walks, |walk| {
            let is_answered = answered & answer.id.equals(walk);
            when(started.at(walk), || {
                busy.at(walk).set(true);
                stale.at(walk).set(false);
                pages.at(walk).set(request.page);
            });
            when(io.invalidate.valid, || stale.at(walk).set(true));
            when(begins.valid & begins.data.walk.equals(walk), || {
                positions.at(walk).set(Position { level: first, read: first_table.read, write: first_table.write });
            });
            when(io.read_address.fires() & io.read_address.data.id.equals(walk), || waits.at(walk).set(true));
            when(is_answered, || waits.at(walk).set(false));
            when(is_answered & ends, || busy.at(walk).set(false));
            when(is_answered & descends, || {
                positions.at(walk).set(Position { level: below, read: table.read, write: table.write });
            });
        });

        // Walks under way read before those that begin; what was offered and not taken stays.
        let index = index_of(origin.page.number, below);
        let next = Valid { valid: descends, data: Read { walk: answer.id, frame: table.frame, index } };
        let index = index_of(begins.data.number, first);
        let first = Read { walk: begins.data.walk, frame: first_table.frame, index };
        let [next, first] = [("next", next), ("first", Valid { valid: begins.valid, data: first })]
            .map(|(name, read)| Queue::of(m, p, name, read));
        let kept = m.reg("first_is_offered", bit()).reset(0).describe("The read of a walk that begins was not taken.");
        let is_first = m.named("is_first", *kept | !next.is_offered);
        kept.set(is_first & first.is_offered & !io.read_address.ready);
        next.take(io.read_address.ready & !is_first);
        first.take(io.read_address.ready & is_first);
        io.read_address.valid.set(next.is_offered | first.is_offered);
        io.read_address.data.set(burst(mux(is_first, first.read, next.read)));
    })
}

/// Gives the decoder an access, and leaves unread what it says of that: the walk knows of none.
fn ignore_access(m: &ModuleBuilder, decoder: PteDecoderPorts) {
    decoder.access.set(Access::Read);
    decoder.zero_length.set(false);
    let records = [decoder.write_record, decoder.read_record].map(|record| record.packed());
    let of_access = [decoder.permit.bits(), decoder.fault.packed()].into_iter().chain(records);
    m.ignore("of_access", concat(of_access), "an access is judged where it is known");
}

/// The translation that a leaf of a level gives.
fn translation_of(leaf: PteDecoderPorts, level: Code<Level>) -> Translation {
    let [small, large, huge] = [PageSize::FourKib, PageSize::TwoMib, PageSize::OneGib].map(|size| size.lit());
    let [is_2m, is_1g] = [Level::PageDirectory, Level::PageDirectoryPointer].map(|of| level.is(of));
    Translation {
        frame: leaf.frame,
        size: mux(is_1g, huge, mux(is_2m, large, small)),
        read: leaf.read_permission,
        write: leaf.write_permission,
        write_log: leaf.write_log,
        write_log_data: leaf.write_log_data,
        read_log: leaf.read_log,
        read_log_data: leaf.read_log_data,
        active_destination: leaf.to_access_log,
        iuid: leaf.iuid,
    }
}

/// The level below; the lowest one is its own.
fn below(level: Code<Level>) -> Code<Level> {
    let [lowest, low, high] = [Level::PageTable, Level::PageDirectory, Level::PageDirectoryPointer].map(|of| of.lit());
    let [is_high, is_highest] = [Level::PageDirectoryPointer, Level::PageMapLevel4].map(|of| level.is(of));
    mux(is_highest, high, mux(is_high, low, lowest))
}

/// The entry of a table of this level that a page has.
fn index_of(number: Bits, level: Code<Level>) -> Bits {
    let number = number.extend(4 * INDEX_BITS);
    let [first, second, third, fourth] =
        [0, 1, 2, 3].map(|place| number.slice(place * INDEX_BITS..(place + 1) * INDEX_BITS));
    let upper = mux(level.is(Level::PageMapLevel4), fourth, third);
    let is_upper = level.is(Level::PageMapLevel4) | level.is(Level::PageDirectoryPointer);
    mux(is_upper, upper, mux(level.is(Level::PageDirectory), second, first))
}

/// The read as a burst of one beat of 8 bytes, from normal memory that is not cached.
fn burst(read: Read) -> Axi4Address {
    let constant = |width, value: u32| Value::new(width, value).lit();
    Axi4Address {
        id: read.walk,
        addr: concat([read.frame, read.index, constant(3, 0)]),
        len: constant(8, 0),
        size: constant(3, 3),
        burst: constant(2, 1),
        lock: lit(false),
        cache: constant(4, 0b0011),
        prot: constant(3, 0),
        qos: constant(4, 0),
    }
}

/// Reads that memory has yet to take, in order. A walk has one at most, so there is always room.
struct Queue {
    is_offered: Bit,
    read: Read,
    taken: Reg<Bits>,
}

impl Queue {
    fn of(m: &ModuleBuilder, p: &Config, name: &str, put: Valid<Read>) -> Self {
        let bits_of_walk = p.page_walker.walk_bits();
        let counter = |what: &str| m.reg(&format!("{name}_{what}"), bits(bits_of_walk + 1)).reset(0);
        let added = counter("added").describe("Reads put into the queue so far.");
        let taken = counter("taken").describe("Reads taken from the queue so far.");
        let reads = m.memory(&format!("{name}_reads"), p.page_walker.walks as usize, Read::shape(p));
        let reads = reads.attribute("ram_style", "distributed").describe("Reads that memory has yet to take.");
        when(put.valid, || {
            added.set(*added + 1);
            reads.write(added.slice(0..bits_of_walk), put.data);
        });
        m.assert("a walk has one read at most", (*added - *taken).at_most(p.page_walker.walks));
        Self { is_offered: added.differs(*taken), read: reads.read(taken.slice(0..bits_of_walk)), taken }
    }

    /// The oldest read is taken, if there is one.
    fn take(&self, ready: Bit) {
        when(ready & self.is_offered, || self.taken.set(*self.taken + 1));
    }
}

/// The bits of an address in units of 2 MiB, which a table of the lowest level maps.
fn prefix_bits(p: &Config) -> u32 {
    p.iotlb.page_number_bits() - INDEX_BITS
}

fn prefix_of(page: Page) -> Bits {
    page.number.slice(INDEX_BITS..page.number.width())
}

/// The paging-structure cache: entries that lead to the next level, of any level, in any place.
struct Cache {
    live: Reg<Array<Bit>>,
    keys: Reg<Array<Key>>,
    tables: Memory<Table>,
}

impl Cache {
    fn of(m: &ModuleBuilder, p: &Config) -> Self {
        let entries = p.page_walker.cache_entries as usize;
        let live = m.reg_array("live", entries, bit()).reset(0).describe("The entry can be found.");
        let keys = m.reg_array("keys", entries, Key::shape(p)).describe("What finds each entry that is kept.");
        let tables = m.memory("tables", entries, Table::shape(p)).attribute("ram_style", "distributed");
        Self { live, keys, tables: tables.describe("The table that each of them leads to.") }
    }

    /// The entries for a page: one of each level at most.
    fn hits(&self, page: Page) -> Bits {
        let Self { live, keys, .. } = self;
        let hits = each("hits", live.count(), |i| {
            let key = keys.at(i);
            live.at(i) & key.domain.equals(page.domain) & agrees(key.prefix ^ prefix_of(page), key.level)
        });
        hits.bits()
    }

    /// Keeps an entry, in place of the one for the same or else of the oldest, and forgets what an invalidation covers;
    /// beside one, none is kept. Gives what makes room for an entry for something else.
    fn keep(&self, m: &ModuleBuilder, p: &Config, invalidate: Valid<Invalidation>, kept: Valid<Kept>) -> Bits {
        let Self { live, keys, tables } = self;
        let (entries, Kept { key, table }) = (live.count(), kept.data);
        let gone = invalidate.data;
        let domain = m.named("gone_domain", mux(invalidate.valid, gone.page.domain, key.domain));
        let prefix = m.named("gone_prefix", mux(invalidate.valid, prefix_of(gone.page), key.prefix));
        let masked = each("masked", prefix.width() as usize, |i| {
            invalidate.valid & gone.address_mask.greater_than(i.bits(ADDRESS_MASK_BITS) + INDEX_BITS)
        });
        let overlaps = each("overlaps", entries, |i| {
            let differs = (keys.at(i).prefix ^ prefix) & !masked.bits();
            keys.at(i).domain.equals(domain) & agrees(differs, keys.at(i).level)
        });
        m.ignore("page_within", gone.page.number.slice(0..INDEX_BITS), "the entries that are kept map 2 MiB and more");
        let by_domain = m.named("by_domain", gone.scope.is(Scope::Domain));
        let by_page = m.named("by_page", gone.scope.is(Scope::Page));
        let stays = each("stays", entries, |i| {
            let in_domain = keys.at(i).domain.equals(domain);
            let of_page = by_page & (gone.leaf_only | !overlaps.at(i));
            live.at(i) & (!invalidate.valid | by_domain & !in_domain | of_page)
        });

        let is_same = each("is_same", entries, |i| {
            live.at(i) & overlaps.at(i) & keys.at(i).level.bits().equals(key.level.bits())
        });
        let oldest = m.reg("oldest", bits(p.page_walker.cache_index_bits())).reset(0);
        let oldest = oldest.describe("The entry that makes room next.");
        when(kept.valid & !is_same.any(), || oldest.set(*oldest + 1));
        let filled = each("filled", entries, |i| kept.valid & mux(is_same.any(), is_same.at(i), oldest.equals(i)));
        each("entry", entries, |i| {
            live.at(i).set(stays.at(i) | filled.at(i));
            when(filled.at(i), || keys.at(i).set(key));
        });
        when(kept.valid, || tables.write(filled.position("filled_index", p.page_walker.cache_index_bits()), table));
        filled.bits() & !is_same.bits()
    }

    /// The level and the table where a walk begins: below the lowest entry that is kept for its page, or at the root.
    fn lowest(&self, m: &ModuleBuilder, p: &Config, begins: Valid<Started>) -> (Code<Level>, Table) {
        let Started { table: root, hits, .. } = begins.data;
        let of_level =
            |name, level| each(name, self.keys.count(), |i| hits.array().at(i) & self.keys.at(i).level.is(level));
        let low = of_level("in_directory", Level::PageDirectory);
        let high = of_level("in_pointer_table", Level::PageDirectoryPointer);
        let found = m.named("found", mux(low.any(), low.bits(), mux(high.any(), high.bits(), hits))).array();
        m.assert("at most one entry of a level is kept for a page", !begins.valid | found.at_most_one());
        let kept = self.tables.read(found.position("found_index", p.page_walker.cache_index_bits()));
        let root = Table { frame: root, read: lit(true), write: lit(true) };
        let level = mux(hits.any(), Level::PageDirectoryPointer.lit(), Level::PageMapLevel4.lit());
        let level = mux(low.any(), Level::PageTable.lit(), mux(high.any(), Level::PageDirectory.lit(), level));
        (m.named("first_level", level), m.named("first_table", mux(hits.any(), kept, root)))
    }
}

/// Whether two addresses in units of 2 MiB, which differ in these bits, are within one entry of this level.
fn agrees(differs: Bits, level: Code<Level>) -> Bit {
    let (low, high) = (INDEX_BITS, 2 * INDEX_BITS);
    let is_root = level.is(Level::PageMapLevel4);
    let in_directory = differs.slice(0..low).none() | level.is(Level::PageDirectoryPointer) | is_root;
    let in_both = in_directory & (differs.slice(low..high).none() | is_root);
    if differs.width() > high { in_both & differs.slice(high..differs.width()).none() } else { in_both }
}
