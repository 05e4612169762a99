//! IOTLB: the translations last used, with all that a leaf says of its page (AA-02).
//!
//! Every command is judged on the state before its clock edge; one of each is taken in every cycle. The golden model is
//! `tollgate_golden::iommu::iotlb`.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::{Config, Replacement, Storage};
use tollgate_spec::iotlb::{self as contract, ADDRESS_MASK_BITS, LFSR_BITS, LFSR_SEED, LFSR_TAPS};

/// The size of a page.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum PageSize {
    /// 4 KiB.
    FourKib = 0,
    /// 2 MiB.
    TwoMib = 1,
    /// 1 GiB.
    OneGib = 2,
}

/// What an invalidation covers: VT-d's codes.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Scope {
    /// Everything.
    Global = 1,
    /// All pages of the domain.
    Domain = 2,
    /// The pages of the domain that overlap the range.
    Page = 3,
}

/// A 4 KiB page as a device of a domain names it.
#[bundle(p: Config)]
pub struct Page {
    /// The domain id.
    pub domain: Bits<{ p.iotlb.domain_bits }>,
    /// The address in units of 4 KiB.
    pub number: Bits<{ p.iotlb.page_number_bits() }>,
}

/// A translation: what the leaf says, with the permissions of all levels.
#[bundle(p: Config)]
pub struct Translation {
    /// Number of the page in memory: its address without the low 12 bits.
    pub frame: Bits<{ p.pte.frame_bits() }>,
    /// The size of the page.
    pub size: Code<PageSize>,
    /// R: it may be read.
    pub read: Bit,
    /// W: it may be written.
    pub write: Bit,
    /// WL: writes are recorded.
    pub write_log: Bit,
    /// WLD: writes are recorded with their data.
    pub write_log_data: Bit,
    /// RL: reads are recorded.
    pub read_log: Bit,
    /// RLD: reads are recorded with the data they return.
    pub read_log_data: Bit,
    /// E: records go to the access log of `iuid`, else to the fault log.
    pub active_destination: Bit,
    /// IUID: the user domain of the page.
    pub iuid: Bits<{ p.pte.iuid_bits() }>,
}

/// A translation to keep.
#[bundle(p: Config)]
pub struct Fill {
    /// Any 4 KiB of the page.
    pub page: Page,
    /// Its translation.
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
}

/// What finds an entry.
#[bundle(p: Config)]
pub struct Key {
    /// Any 4 KiB of the page.
    pub page: Page,
    /// The size of the page.
    pub size: Code<PageSize>,
}

/// Ports of the IOTLB.
#[ports(p: Config)]
pub struct IotlbPorts {
    /// Asks for the translation of a page.
    pub lookup: Input<Valid<Page>>,
    /// One cycle after `lookup`: the translation, if there is one.
    pub hit: Output<Valid<Translation>>,
    /// One cycle after `lookup`: there is none.
    pub miss: Output<Bit>,
    /// Keeps a translation and forgets those that overlap it; does nothing beside an invalidation.
    pub fill: Input<Valid<Fill>>,
    /// Forgets translations.
    pub invalidate: Input<Valid<Invalidation>>,
}

/// The IOTLB of a configuration.
pub fn iotlb(p: &Config) -> Module<IotlbPorts> {
    let (sets, ways, entries) = (p.iotlb.sets() as usize, p.iotlb.ways, p.iotlb.entries);
    let (count, index_bits, number_bits) = (entries as usize, p.iotlb.index_bits(), p.iotlb.page_number_bits());
    module("iommu_iotlb", IotlbPorts::shape(p), |m, io| {
        m.describe("IOTLB: finds the translation of a page.");
        for (name, value, meaning) in p.iotlb.parameters() {
            m.parameter(name, value, meaning);
        }
        m.parameter("frame_bits", p.pte.frame_bits(), "bits of the number of a page in memory");
        m.parameter("iuid_bits", p.pte.iuid_bits(), "bits of a user domain");
        let (fill, invalidate) = (io.fill.data, io.invalidate.data);
        let live = m.reg_array("live", count, bit()).reset(0).describe("The entry can be found.");
        let keys = m.reg_array("keys", count, Key::shape(p)).describe("What finds each entry.");
        let style = if p.iotlb.storage == Storage::LutRam { "distributed" } else { "registers" };
        let translations = m.memory("translations", count, Translation::shape(p)).attribute("ram_style", style);
        let translations = translations.describe("By entry.");

        let nothing = Value::zero(number_bits).lit();
        let hits = each("hits", count, |i| live.at(i) & matches(keys.at(i), io.lookup.data, nothing));
        m.assert("at most one entry has a page", hits.at_most_one());
        let found = translations.read(hits.position("index", index_bits));
        let found = m.delayed("found", Valid { valid: io.lookup.valid & hits.any(), data: found });
        io.hit.set(*found.reset_member(|found| found.valid, 0).describe("What was found."));
        let missed = m.delayed("missed", io.lookup.valid & !hits.any()).reset(0);
        io.miss.set(*missed.describe("Nothing was found."));

        // A fill forgets what overlaps its page, as an invalidation of that page does.
        let fills = m.named("fills", io.fill.valid & !io.invalidate.valid);
        let gone = m.named("gone", mux(io.invalidate.valid, invalidate.page, fill.page));
        let masked = each("masked", number_bits as usize, |i| invalidate.address_mask.greater_than(i));
        let filled_size = inner(fill.translation.size, number_bits);
        let ignored = m.named("ignored", mux(io.invalidate.valid, masked.bits(), filled_size));
        let all = m.named("all", io.invalidate.valid & invalidate.scope.is(Scope::Global));
        let domain = m.named("domain", io.invalidate.valid & invalidate.scope.is(Scope::Domain));
        let forgets = m.named("forgets", io.fill.valid | io.invalidate.valid);
        let stays = each("stays", count, |i| {
            let key = keys.at(i);
            let in_domain = key.page.domain.equals(gone.domain);
            let goes = all | domain & in_domain | matches(key, gone, ignored);
            live.at(i) & !(forgets & goes)
        });

        let replacement = Replacing::of(m, p);
        let set_filled = m.named("set_filled", set_of(p, fill));
        let filled = each("filled", sets, |set| {
            let free = !stays.bits().elements(ways).at(set);
            let way = match replacement.victim(set) {
                Some(victim) => mux(free.any(), free & (!free + 1), victim),
                None => lit(true).bits(),
            };
            way & (fills & set_filled.equals(set)).repeat(ways)
        });
        replacement.used(m, hits.bits() & io.lookup.valid.repeat(entries), filled, fills);

        let filled = filled.packed().array();
        each("entry", count, |i| {
            live.at(i).set(stays.at(i) | filled.at(i));
            when(filled.at(i), || keys.at(i).set(Key { page: fill.page, size: fill.translation.size }));
        });
        when(fills, || translations.write(filled.position("filled_index", index_bits), fill.translation));
    })
}

/// Whether an entry of this key and `page` have an address in common, if the bits `ignored` of the page number are any.
fn matches(key: Key, page: Page, ignored: Bits) -> Bit {
    let differs = (key.page.number ^ page.number) & !ignored;
    let [low, high] = inner_bits();
    let [is_2m, is_1g] = [key.size.is(PageSize::TwoMib), key.size.is(PageSize::OneGib)];
    let same = |range| differs.slice(range).none();
    let in_2m = same(low..high) | is_1g;
    let in_4k = same(0..low) | is_2m | is_1g;
    key.page.domain.equals(page.domain) & same(high..differs.width()) & in_2m & in_4k
}

/// The bits of a page number that lie within a page of this size.
fn inner(size: Code<PageSize>, number_bits: u32) -> Bits {
    let [low, high] = inner_bits();
    let [is_2m, is_1g] = [size.is(PageSize::TwoMib), size.is(PageSize::OneGib)];
    concat([Value::zero(number_bits - high).lit(), is_1g.repeat(high - low), (is_2m | is_1g).repeat(low)])
}

/// How many bits of a page number lie within a page of 2 MiB, and of 1 GiB.
fn inner_bits() -> [u32; 2] {
    [contract::PageSize::TwoMib, contract::PageSize::OneGib].map(contract::PageSize::inner_bits)
}

/// The set of a page: the lowest bits of its number in units of its size.
fn set_of(p: &Config, fill: Fill) -> Bits {
    let bits = p.iotlb.sets().ilog2();
    if bits == 0 {
        return Value::zero(1).lit();
    }
    let of = |size: contract::PageSize| fill.page.number.slice(size.inner_bits()..size.inner_bits() + bits);
    let [small, large, huge] = contract::PageSize::ALL.map(of);
    let size = fill.translation.size;
    mux(size.is(PageSize::OneGib), huge, mux(size.is(PageSize::TwoMib), large, small))
}

/// Which way of a full set makes room.
enum Replacing {
    /// The only one.
    Direct,
    /// The least recently used.
    Lru(Reg<Array<Array<Bits>>>),
    /// The one drawn: the register, and the way in it, one-hot.
    Random(Reg<Bits>, Bits),
}

impl Replacing {
    fn of(m: &ModuleBuilder, p: &Config) -> Self {
        let (sets, ways) = (p.iotlb.sets() as usize, p.iotlb.ways);
        match p.iotlb.replacement {
            _ if ways == 1 => Self::Direct,
            Replacement::Lru => {
                let newer = m.reg_array("newer", sets, array(ways as usize, bits(ways)));
                Self::Lru(newer.describe("By entry: the ways of its set that were used before it, last."))
            }
            Replacement::Random => {
                let lfsr = m.reg("lfsr", bits(LFSR_BITS)).reset(LFSR_SEED.into()).describe("Random numbers (Q-29).");
                let way = lfsr.slice(0..ways.ilog2());
                Self::Random(lfsr, each("drawn", ways as usize, |i| way.equals(i)).bits())
            }
        }
    }

    /// The way of a set that makes room, one-hot, if all its entries are live; none if there is no choice.
    fn victim(&self, set: Index) -> Option<Bits> {
        match self {
            Self::Direct => None,
            Self::Lru(newer) => {
                let rows = newer.at(set);
                Some(each("oldest", rows.count(), |way| rows.at(way).none()).bits())
            }
            Self::Random(_, drawn) => Some(*drawn),
        }
    }

    /// Notes the entries used: what is hit counts one cycle later, and is older than what is filled then, here by set.
    fn used(&self, m: &ModuleBuilder, hit: Bits, filled: Array<Bits>, fills: Bit) {
        match self {
            Self::Direct => {}
            Self::Lru(newer) => {
                let hit = m.delayed("was_hit", hit).describe("The entry that the lookup before has hit.");
                let hit = hit.elements(hit.width() / filled.count() as u32);
                each("set", hit.count(), |set| {
                    let rows = newer.at(set);
                    each("way", rows.count(), |way| {
                        let after = |row: Bits, used: Bits| (row | used.array().at(way).repeat(used.width())) & !used;
                        rows.at(way).set(after(after(rows.at(way), hit.at(set)), filled.at(set)));
                    });
                });
            }
            Self::Random(lfsr, drawn) => {
                // As many steps at once as the way has bits.
                let steps = drawn.width().ilog2();
                let taps = LFSR_TAPS.map(|tap| lfsr.slice(tap..tap + steps)).into_iter();
                let new = taps.reduce(|parity, tap| parity ^ tap).expect("there are taps");
                when(fills, || lfsr.set(concat([new, lfsr.slice(steps..LFSR_BITS)])));
            }
        }
    }
}
