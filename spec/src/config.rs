//! Configurations: raw, as typed in TOML, and checked, as every other crate uses them.
//!
//! A configuration is a file that spells every field, and overrides (`--set key=value`) over it.
//! Rules between fields stand in one place, [`check`]. Each names the values and the rule, and points
//! at the file or at the override.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::Deserialize;
use thiserror::Error;

use crate::access_log::{COMPACT_GRANULE_BYTES, HEADER_BYTES};
use crate::flow_control::{Class, DATA_CREDIT_BYTES, LARGEST_NON_POSTED_UNITS, Part};
use crate::layout::{first_common_bit, is_name};
use crate::pte::PteLayout;
use crate::source::{Complaint, Place, Places, Refused, Rules, Source, read};

/// The configurations that come with Tollgate: name and TOML text.
pub const SHIPPED: [(&str, &str); 3] = [
    ("small", include_str!("../configs/small.toml")),
    ("default", include_str!("../configs/default.toml")),
    ("max", include_str!("../configs/max.toml")),
];

/// A configuration that keeps all rules.
///
/// It is made by [`Config::open`] and its siblings alone.
#[derive(Debug, Clone)]
pub struct Config {
    /// Its name: the folder of its generated files.
    pub name: String,
    /// Bits of a physical address of the host: VT-d's HAW.
    pub host_address_bits: u32,
    /// Bit positions of a paging entry.
    pub pte: PteLayout,
    /// The access-log table and the logs it knows.
    pub access_log_table: AccessLogTable,
    /// The context cache.
    pub context_cache: ContextCache,
    /// The context walker.
    pub context_walker: ContextWalker,
    /// The IOTLB.
    pub iotlb: Iotlb,
    /// The page walker.
    pub page_walker: PageWalker,
    /// The data path of TLP payloads and of memory.
    pub data_path: DataPath,
    /// The credits that a TLP side advertises first.
    pub credits: Credits,
    /// What TLPs may be.
    pub tlp: Tlp,
    /// The table of outstanding requests.
    pub outstanding_requests: OutstandingRequests,
    /// The stand-alone cells delivered with the configuration.
    pub cells: Cells,
    places: Places,
}

/// One value of a configuration: for a listing.
#[derive(Debug, Clone, Copy)]
pub struct Value<'c> {
    /// The dotted key: `pte.write_log`.
    pub key: &'c str,
    /// The value as it was written.
    pub text: &'c str,
    /// Where it was written; displays as `file:line` or `--set`.
    pub place: &'c Place,
}

/// The access-log table and the logs it knows (AA-14, AA-15).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessLogTable {
    /// Logs that may be open at a time.
    pub entries: u32,
    /// Bits of the physical addresses of a log.
    pub address_bits: u32,
    /// Bits of the size of a log in bytes.
    pub size_bits: u32,
    /// What the descriptors are kept in.
    pub storage: Storage,
    /// What records are aligned and padded to, in bytes; not in compact mode.
    pub granule_bytes: u32,
    /// The largest payload of a record, in bytes.
    pub largest_payload_bytes: u32,
}

/// What a table keeps its payload in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// Flip-flops: the fastest.
    FlipFlops,
    /// Distributed RAM of the look-up tables, read by the matching index: the smallest.
    LutRam,
}

impl Storage {
    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FlipFlops => "flip_flops",
            Self::LutRam => "lut_ram",
        }
    }
}

impl AccessLogTable {
    /// The bits of an index that tells the entries apart; at least 1.
    pub fn index_bits(&self) -> u32 {
        bits_for(self.entries - 1)
    }

    /// The bits of an index as software writes it: they hold the number of entries too, so that the
    /// first index beyond the table is told from index 0.
    pub fn program_index_bits(&self) -> u32 {
        bits_for(self.entries)
    }

    /// The granule of a log, in bytes.
    pub fn granule(&self, compact: bool) -> u32 {
        if compact { COMPACT_GRANULE_BYTES } else { self.granule_bytes }
    }

    /// What a table is made from, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 6] {
        [
            ("entries", self.entries.to_string(), "logs that may be open at a time"),
            ("address_bits", self.address_bits.to_string(), "bits of the physical addresses of a log"),
            ("size_bits", self.size_bits.to_string(), "bits of the size of a log in bytes"),
            ("storage", self.storage.name().to_owned(), "what the descriptors are kept in"),
            ("granule_bytes", self.granule_bytes.to_string(), "what records are aligned and padded to"),
            ("largest_payload_bytes", self.largest_payload_bytes.to_string(), "the largest payload of a record"),
        ]
    }

    /// The smallest ring that is accepted, in bytes: the largest record and one granule, which
    /// stays free.
    pub fn smallest_ring_bytes(&self, compact: bool) -> u32 {
        let header = if compact { 0 } else { HEADER_BYTES };
        header + self.largest_payload_bytes + self.granule(compact)
    }
}

/// The bits of `largest`; at least 1.
fn bits_for(largest: u32) -> u32 {
    (u32::BITS - largest.leading_zeros()).max(1)
}

/// The context cache (AA-01).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextCache {
    /// Requesters whose contexts it holds.
    pub entries: u32,
    /// What the contexts are kept in; requester ids and domain ids are always in flip-flops.
    pub storage: Storage,
}

impl ContextCache {
    /// The bits of an entry number.
    pub fn index_bits(&self) -> u32 {
        bits_for(self.entries - 1)
    }

    /// What a context cache is made from, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 2] {
        [
            ("entries", self.entries.to_string(), "requesters whose contexts it holds"),
            ("storage", self.storage.name().to_owned(), "what the contexts are kept in"),
        ]
    }
}

/// The context walker (AA-01).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextWalker {
    /// Walks that may be in flight at a time.
    pub walks: u32,
}

impl ContextWalker {
    /// The bits of the number of a walk.
    pub fn walk_bits(&self) -> u32 {
        bits_for(self.walks - 1)
    }

    /// What a context walker is made from, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 1] {
        [("walks", self.walks.to_string(), "walks that may be in flight at a time")]
    }
}

/// The IOTLB (AA-02, AA-59).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iotlb {
    /// Translations it holds.
    pub entries: u32,
    /// Entries of a set: where a translation may be. As many as `entries` is fully associative.
    pub ways: u32,
    /// Which translation of a full set makes room; of no account with one way.
    pub replacement: Replacement,
    /// Bits of the addresses that devices use.
    pub address_bits: u32,
    /// Bits of a domain id.
    pub domain_bits: u32,
    /// What the translations are kept in; their page numbers are always in flip-flops.
    pub storage: Storage,
}

/// Which entry of a full set makes room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The least recently used.
    Lru,
    /// Any, drawn from a shift register.
    Random,
}

impl Replacement {
    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lru => "lru",
            Self::Random => "random",
        }
    }
}

impl Iotlb {
    /// The sets that the entries make up.
    pub fn sets(&self) -> u32 {
        self.entries / self.ways
    }

    /// The bits of an entry number; at least 1.
    pub fn index_bits(&self) -> u32 {
        bits_for(self.entries - 1)
    }

    /// The bits of a page number: of an address in units of 4 KiB.
    pub fn page_number_bits(&self) -> u32 {
        self.address_bits - 12
    }

    /// What an IOTLB is made from, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 6] {
        [
            ("entries", self.entries.to_string(), "translations it holds"),
            ("ways", self.ways.to_string(), "entries of a set"),
            ("replacement", self.replacement.name().to_owned(), "which entry of a full set makes room"),
            ("address_bits", self.address_bits.to_string(), "bits of the addresses that devices use"),
            ("domain_bits", self.domain_bits.to_string(), "bits of a domain id"),
            ("storage", self.storage.name().to_owned(), "what the translations are kept in"),
        ]
    }
}

/// The page walker (AA-02).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageWalker {
    /// Walks that may be under way at a time.
    pub walks: u32,
    /// Entries of page tables that lead to the next level and are kept: the paging-structure cache.
    pub cache_entries: u32,
}

impl PageWalker {
    /// The bits of the number of a walk.
    pub fn walk_bits(&self) -> u32 {
        bits_for(self.walks - 1)
    }

    /// The bits of the number of an entry of the paging-structure cache.
    pub fn cache_index_bits(&self) -> u32 {
        bits_for(self.cache_entries - 1)
    }

    /// What a page walker is made from, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 2] {
        [
            ("walks", self.walks.to_string(), "walks that may be under way at a time"),
            ("cache_entries", self.cache_entries.to_string(), "entries of the paging-structure cache"),
        ]
    }
}

/// The data path of TLP payloads and of memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPath {
    /// Bits of a beat: 128, 256 or 512.
    pub bits: u32,
}

/// The credits that a receiver advertises first (PCIe base specification, section 2.6.1).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credits {
    /// Of posted requests: PH, PD.
    pub posted: ClassCredits,
    /// Of non-posted requests: NPH, NPD.
    pub non_posted: ClassCredits,
    /// Of completions: CPLH, CPLD.
    pub completion: ClassCredits,
}

/// The credits of a class of TLPs; 0 is infinite.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassCredits {
    /// Headers.
    pub header: u32,
    /// Payload, in units of 16 bytes.
    pub data: u32,
}

impl Credits {
    /// Those of a type; `None` if they are infinite.
    pub fn of(&self, class: Class, part: Part) -> Option<u32> {
        let credits = match class {
            Class::Posted => &self.posted,
            Class::NonPosted => &self.non_posted,
            Class::Completion => &self.completion,
        };
        let count = match part {
            Part::Header => credits.header,
            Part::Data => credits.data,
        };
        (count > 0).then_some(count)
    }
}

/// What TLPs may be: the sizes that software gives every function of the hierarchy, and what the unit
/// supports.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tlp {
    /// Bits of a transaction tag: 5, 8 or 10.
    pub tag_bits: u32,
    /// Max_Payload_Size, in bytes: 128 to 4096.
    pub max_payload_bytes: u32,
    /// Max_Read_Request_Size, in bytes: 128 to 4096.
    pub max_read_request_bytes: u32,
    /// Whether writes to 0xFEEx_xxxx are interrupts, which go on untranslated.
    pub device_msi_bypass: bool,
    /// Whether AtomicOps are supported (U-11).
    pub atomics: bool,
}

impl Tlp {
    /// All of it, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 5] {
        [
            ("tag_bits", self.tag_bits.to_string(), "bits of a transaction tag"),
            ("max_payload_bytes", self.max_payload_bytes.to_string(), "Max_Payload_Size"),
            ("max_read_request_bytes", self.max_read_request_bytes.to_string(), "Max_Read_Request_Size"),
            ("device_msi_bypass", self.device_msi_bypass.to_string(), "writes to 0xFEEx_xxxx are not translated"),
            ("atomics", self.atomics.to_string(), "AtomicOps are supported"),
        ]
    }
}

/// The table of outstanding requests: what completions are matched by.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutstandingRequests {
    /// Non-posted requests that may be in flight at a time.
    pub entries: u32,
    /// Clock cycles after which a request is lost; 0 is never.
    pub timeout_cycles: u32,
}

impl OutstandingRequests {
    /// The bits of an entry number; at least 1.
    pub fn index_bits(&self) -> u32 {
        bits_for(self.entries - 1)
    }

    /// The bits of a count of entries.
    pub fn count_bits(&self) -> u32 {
        bits_for(self.entries)
    }

    /// The cycles of a quarter of the timeout, rounded up; `None` if nothing is ever lost.
    pub fn quarter_cycles(&self) -> Option<u32> {
        (self.timeout_cycles > 0).then(|| self.timeout_cycles.div_ceil(4))
    }

    /// All of it, in the order of the file: name, value, meaning.
    pub fn parameters(&self) -> [(&'static str, String, &'static str); 2] {
        [
            ("entries", self.entries.to_string(), "requests that may be in flight"),
            ("timeout_cycles", self.timeout_cycles.to_string(), "clock cycles after which a request is lost, or 0"),
        ]
    }
}

/// The stand-alone cells delivered with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// The skid buffer.
    pub skid_buffer: SkidBuffer,
    /// The FIFO that is kept in registers.
    pub register_fifo: Fifo,
    /// The FIFO that is kept in block RAM.
    pub ram_fifo: Fifo,
    /// The round-robin arbiter.
    pub round_robin_arbiter: RoundRobinArbiter,
    /// The priority selector.
    pub priority_selector: PrioritySelector,
    /// The RAM with byte enables.
    pub ram: Ram,
    /// The content-addressable memory.
    pub cam: Cam,
    /// The synchronizer of one bit.
    pub synchronizer: Synchronizer,
    /// The synchronizer of a reset.
    pub reset_synchronizer: Synchronizer,
}

/// A skid buffer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkidBuffer {
    /// Bits of the payload.
    pub width: u32,
}

/// A FIFO.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fifo {
    /// Words it holds.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
}

/// A round-robin arbiter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundRobinArbiter {
    /// Who may ask.
    pub requesters: u32,
}

/// A priority selector.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrioritySelector {
    /// Words to choose from; the first valid one wins.
    pub inputs: u32,
    /// Bits of a word.
    pub width: u32,
}

/// A RAM with byte enables.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ram {
    /// Words it holds.
    pub depth: u32,
    /// Bits of a word: whole bytes.
    pub width: u32,
}

impl Ram {
    /// The bits of a word number; at least 1.
    pub fn address_bits(&self) -> u32 {
        bits_for(self.depth - 1)
    }
}

/// A content-addressable memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cam {
    /// Keys it holds.
    pub entries: u32,
    /// Bits of a key.
    pub key_bits: u32,
}

impl Cam {
    /// The bits of an entry number; at least 1.
    pub fn index_bits(&self) -> u32 {
        bits_for(self.entries - 1)
    }
}

/// A chain of flip-flops into another clock.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synchronizer {
    /// Flip-flops in the chain.
    pub stages: u32,
}

/// A configuration as typed: right in its keys and types, and in nothing else yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawConfig {
    /// See [`Config::name`].
    pub name: String,
    /// See [`Config::host_address_bits`].
    pub host_address_bits: u32,
    /// See [`Config::pte`].
    pub pte: RawPte,
    /// See [`Config::access_log_table`].
    pub access_log_table: AccessLogTable,
    /// See [`Config::context_cache`].
    pub context_cache: ContextCache,
    /// See [`Config::context_walker`].
    pub context_walker: ContextWalker,
    /// See [`Config::iotlb`].
    pub iotlb: Iotlb,
    /// See [`Config::page_walker`].
    pub page_walker: PageWalker,
    /// See [`Config::data_path`].
    pub data_path: DataPath,
    /// See [`Config::credits`].
    pub credits: Credits,
    /// See [`Config::tlp`].
    pub tlp: Tlp,
    /// See [`Config::outstanding_requests`].
    pub outstanding_requests: OutstandingRequests,
    /// See [`Config::cells`].
    pub cells: Cells,
}

/// The positions of the configured fields of a paging entry, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawPte {
    /// The bit of WL.
    pub write_log: u32,
    /// The bit of WLD.
    pub write_log_data: u32,
    /// The bit of RL.
    pub read_log: u32,
    /// The bit of RLD.
    pub read_log_data: u32,
    /// The bit of E.
    pub active_destination: u32,
    /// The lowest bit of the IUID.
    pub iuid_low: u32,
    /// The number of bits of the IUID.
    pub iuid_bits: u32,
}

/// Why there is no configuration.
#[derive(Debug, Error, Diagnostic)]
pub enum ConfigError {
    /// No configuration of that name comes with Tollgate.
    #[error("there is no configuration called `{name}`")]
    #[diagnostic(help("there are small, default and max; a path to a file ends in `.toml`"))]
    UnknownName {
        /// The name asked for.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read the configuration {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The text is refused.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Refused(#[from] Refused),
}

impl Config {
    /// The configuration that a command line names: a file if `name` ends in `.toml`, else one of
    /// [`SHIPPED`].
    ///
    /// # Errors
    ///
    /// See [`ConfigError`].
    pub fn open(name: &str, sets: &[String]) -> Result<Self, ConfigError> {
        if name.ends_with(".toml") { Self::load(Path::new(name), sets) } else { Self::shipped(name, sets) }
    }

    /// The configuration in a file, with overrides over it.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Unreadable`] and [`ConfigError::Refused`].
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        Ok(Self::read(&Source::file(path.to_string_lossy(), text), sets)?)
    }

    /// The configuration of that name in [`SHIPPED`], with overrides over it.
    ///
    /// # Errors
    ///
    /// [`ConfigError::UnknownName`] and, because of an override, [`ConfigError::Refused`].
    pub fn shipped(name: &str, sets: &[String]) -> Result<Self, ConfigError> {
        let found = SHIPPED.into_iter().find(|(known, _)| *known == name);
        let (_, text) = found.ok_or_else(|| ConfigError::UnknownName { name: name.to_owned() })?;
        Ok(Self::read(&Source::file(format!("spec/configs/{name}.toml"), text), sets)?)
    }

    /// The configuration in a text, with overrides over it.
    ///
    /// # Errors
    ///
    /// The first syntax error, unknown or missing key, or wrong type; or else all broken rules.
    pub fn read(file: &Source, sets: &[String]) -> Result<Self, Refused> {
        let refused = |complaints| Refused::new(format!("configuration {}", file.name()), complaints);
        let sets: Vec<Source> = sets.iter().map(Source::set).collect();
        let (raw, places) = read::<RawConfig>(file, &sets).map_err(|complaint| refused(vec![complaint]))?;
        check(raw, places).map_err(refused)
    }

    /// All values in the order of the file, with the place of each.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        self.places.values().map(|(key, place)| Value { key, text: place.text(), place })
    }
}

/// Every rule between fields and on their values. All broken ones are reported.
///
/// # Errors
///
/// One complaint for each broken rule, in the order of the rules.
pub fn check(raw: RawConfig, places: Places) -> Result<Config, Vec<Complaint>> {
    let mut rules = ConfigRules(Rules::new(&places));
    rules.name(&raw.name);
    rules.within("host_address_bits", raw.host_address_bits, 32, 52, "VT-d hosts have 32 to 52 address bits");
    rules.pte(&raw.pte);
    rules.access_log_table(&raw);
    rules.context_cache(&raw.context_cache);
    rules.context_walker(&raw.context_walker);
    rules.iotlb(&raw.iotlb);
    rules.page_walker(&raw.page_walker);
    rules.data_path(&raw.data_path);
    rules.credits(&raw);
    rules.tlp(&raw);
    rules.outstanding_requests(&raw.outstanding_requests);
    rules.cells(&raw.cells);

    let complaints = rules.0.complaints();
    if !complaints.is_empty() {
        return Err(complaints);
    }
    Ok(Config {
        pte: pte_layout(&raw.pte, raw.host_address_bits),
        name: raw.name,
        host_address_bits: raw.host_address_bits,
        access_log_table: raw.access_log_table,
        context_cache: raw.context_cache,
        context_walker: raw.context_walker,
        iotlb: raw.iotlb,
        page_walker: raw.page_walker,
        data_path: raw.data_path,
        credits: raw.credits,
        tlp: raw.tlp,
        outstanding_requests: raw.outstanding_requests,
        cells: raw.cells,
        places,
    })
}

fn pte_layout(raw: &RawPte, host_address_bits: u32) -> PteLayout {
    let bit = |position: u32| position..position + 1;
    PteLayout {
        read: bit(0),
        write: bit(1),
        page_size: PteLayout::PAGE_SIZE,
        snoop: bit(11),
        address: 12..host_address_bits,
        address_reserved: host_address_bits..52,
        transient_mapping: bit(62),
        write_log: bit(raw.write_log),
        write_log_data: bit(raw.write_log_data),
        read_log: bit(raw.read_log),
        read_log_data: bit(raw.read_log_data),
        active_destination: bit(raw.active_destination),
        iuid: raw.iuid_low..raw.iuid_low + raw.iuid_bits,
    }
}

/// A configured field of a paging entry, as the rules see it.
struct PteField {
    /// The keys that place it.
    keys: Vec<&'static str>,
    /// Its values in words: `` `pte.iuid_low` = 52 ``.
    words: String,
    bits: std::ops::Range<u32>,
    is_log_bit: bool,
}

/// The rules on a configuration.
struct ConfigRules<'p>(Rules<'p>);

impl ConfigRules<'_> {
    fn within(&mut self, key: &str, value: u32, from: u32, to: u32, rule: &str) {
        self.0.require((from..=to).contains(&value), &[key], rule, || {
            format!("`{key}` = {value} is not within {from} to {to}")
        });
    }

    fn power_of_two_within(&mut self, key: &str, value: u32, from: u32, to: u32, rule: &str) {
        let holds = value.is_power_of_two() && (from..=to).contains(&value);
        self.0
            .require(holds, &[key], rule, || format!("`{key}` = {value} is not a power of two within {from} to {to}"));
    }

    fn name(&mut self, name: &str) {
        let rule =
            "a name is a lower-case letter, then lower-case letters, digits and underscores: it becomes a folder";
        self.0.require(is_name(name), &["name"], rule, || format!("`name` = \"{name}\" is no name"));
    }

    fn pte(&mut self, pte: &RawPte) {
        let bit = |key, position, is_log_bit| PteField {
            keys: vec![key],
            words: format!("`{key}` = {position}"),
            bits: position..u32::saturating_add(position, 1),
            is_log_bit,
        };
        let mut fields = vec![
            bit("pte.write_log", pte.write_log, true),
            bit("pte.write_log_data", pte.write_log_data, true),
            bit("pte.read_log", pte.read_log, true),
            bit("pte.read_log_data", pte.read_log_data, true),
            bit("pte.active_destination", pte.active_destination, false),
        ];
        for field in &fields {
            let rule = "a paging entry has bits 0 to 63";
            self.0.require(field.bits.end <= PteLayout::BITS, &field.keys, rule, || {
                format!("{} lies beyond the entry", field.words)
            });
        }

        self.within("pte.iuid_bits", pte.iuid_bits, 1, 10, "a user domain has 1 to 10 bits (AA-08)");
        let iuid = PteField {
            keys: vec!["pte.iuid_low", "pte.iuid_bits"],
            words: format!("`pte.iuid_low` = {} with `pte.iuid_bits` = {}", pte.iuid_low, pte.iuid_bits),
            bits: pte.iuid_low..pte.iuid_low.saturating_add(pte.iuid_bits),
            is_log_bit: false,
        };
        let rule = "the IUID ends at bit 63 or below";
        self.0.require(iuid.bits.end <= PteLayout::BITS, &iuid.keys, rule, || {
            let end = u64::from(pte.iuid_low) + u64::from(pte.iuid_bits) - 1;
            format!("{} ends at bit {end}", iuid.words)
        });
        fields.push(iuid);

        for (i, field) in fields.iter().enumerate() {
            self.pte_field_is_free(field);
            for other in &fields[..i] {
                self.pte_fields_are_apart(other, field);
            }
        }
    }

    fn pte_field_is_free(&mut self, field: &PteField) {
        let rule = "new fields lie where VT-d ignores bits: 2 to 10, 52 to 61, and 63 (AA-08, AA-10, Q-34)";
        let taken = PteLayout::fixed_field_in(&field.bits);
        self.0.require(taken.is_none(), &field.keys, rule, || {
            let (name, bit) = taken.unwrap_or_default();
            format!("{} takes bit {bit}, which belongs to {name}", field.words)
        });
        let at_page_size = first_common_bit(&PteLayout::PAGE_SIZE, &field.bits).is_some();
        let rule =
            "E and IUID hold on superpages, whose page-size bit is bit 7; the log bits alone may lie there (U-10)";
        self.0.require(field.is_log_bit || !at_page_size, &field.keys, rule, || {
            format!("{} takes bit 7, the page size of a superpage", field.words)
        });
    }

    fn pte_fields_are_apart(&mut self, one: &PteField, other: &PteField) {
        let common = first_common_bit(&one.bits, &other.bits);
        let keys = [one.keys.as_slice(), other.keys.as_slice()].concat();
        self.0.require(common.is_none(), &keys, "fields of a paging entry do not overlap", || {
            let bit = common.unwrap_or_default();
            format!("{} and {} both take bit {bit}", one.words, other.words)
        });
    }

    fn access_log_table(&mut self, raw: &RawConfig) {
        let table = &raw.access_log_table;

        self.within(
            "access_log_table.entries",
            table.entries,
            1,
            1024,
            "there is a log, and at most one for each of 1024 user domains (AA-08)",
        );
        let domains = 1_u64.checked_shl(raw.pte.iuid_bits).unwrap_or(u64::MAX);
        let rule = "a user domain has one log, so more entries than user domains would never be used";
        let keys = ["access_log_table.entries", "pte.iuid_bits"];
        self.0.require(u64::from(table.entries) <= domains, &keys, rule, || {
            let (entries, bits) = (table.entries, raw.pte.iuid_bits);
            format!("`access_log_table.entries` = {entries} is more than {domains}, the user domains that `pte.iuid_bits` = {bits} tells apart")
        });

        self.within(
            "access_log_table.address_bits",
            table.address_bits,
            32,
            64,
            "a physical address has 32 to 64 bits",
        );
        let rule = "a log may lie anywhere in the memory of the host";
        let keys = ["access_log_table.address_bits", "host_address_bits"];
        self.0.require(table.address_bits >= raw.host_address_bits, &keys, rule, || {
            let (bits, host) = (table.address_bits, raw.host_address_bits);
            format!("`access_log_table.address_bits` = {bits} is less than `host_address_bits` = {host}")
        });

        self.power_of_two_within(
            "access_log_table.granule_bytes",
            table.granule_bytes,
            4,
            HEADER_BYTES,
            "a granule is whole double words, and a record header of 32 bytes is whole granules (Q-05)",
        );
        self.power_of_two_within(
            "access_log_table.largest_payload_bytes",
            table.largest_payload_bytes,
            128,
            4096,
            "a payload is one of PCIe's sizes (Max_Payload_Size, Max_Read_Request_Size)",
        );

        self.within("access_log_table.size_bits", table.size_bits, 1, 32, "the size register has 32 bits");
        let largest = 1_u64.checked_shl(table.size_bits).unwrap_or(u64::MAX) - 1;
        let smallest =
            u64::from(HEADER_BYTES) + u64::from(table.largest_payload_bytes) + u64::from(table.granule_bytes);
        let rule = "a ring holds the largest record (32 bytes and the largest payload) and one granule (Q-02)";
        let keys =
            ["access_log_table.size_bits", "access_log_table.largest_payload_bytes", "access_log_table.granule_bytes"];
        self.0.require(smallest <= largest, &keys, rule, || {
            format!("`access_log_table.size_bits` = {} allows {largest} bytes, but the smallest ring is 32 + {} + {} = {smallest} bytes", table.size_bits, table.largest_payload_bytes, table.granule_bytes)
        });
    }

    fn context_cache(&mut self, cache: &ContextCache) {
        let rule = "all requesters are compared at once, and a bus has 256 of them";
        self.power_of_two_within("context_cache.entries", cache.entries, 2, 256, rule);
    }

    fn context_walker(&mut self, walker: &ContextWalker) {
        let rule = "walks take turns at memory, and the requesters of all are compared at once";
        self.within("context_walker.walks", walker.walks, 2, 16, rule);
    }

    fn iotlb(&mut self, iotlb: &Iotlb) {
        let Iotlb { entries, ways, domain_bits, .. } = *iotlb;
        self.power_of_two_within(
            "iotlb.entries",
            entries,
            2,
            512,
            "all page numbers are compared at once, and the lowest 9 of any size of page choose the set",
        );
        let rule = "a set has 1, 2, 4 or all entries (AA-59)";
        let holds = ways == entries || matches!(ways, 1 | 2 | 4) && ways < entries;
        self.0.require(holds, &["iotlb.ways", "iotlb.entries"], rule, || {
            format!("`iotlb.ways` = {ways} with `iotlb.entries` = {entries} is none of 1, 2, 4 and all")
        });
        let rule = "tables of three levels translate 39 bits, tables of four levels 48 (VT-d)";
        self.within("iotlb.address_bits", iotlb.address_bits, 39, 48, rule);
        let rule = "a domain id has 4, 6, 8, 10, 12, 14 or 16 bits (VT-d: CAP.ND)";
        let holds = (4..=16).contains(&domain_bits) && domain_bits.is_multiple_of(2);
        self.0.require(holds, &["iotlb.domain_bits"], rule, || {
            format!("`iotlb.domain_bits` = {domain_bits} is no width of a domain id")
        });
    }

    fn page_walker(&mut self, page_walker: &PageWalker) {
        let rule = "equal walks merge: the pages of all are compared at once";
        self.power_of_two_within("page_walker.walks", page_walker.walks, 2, 64, rule);
        let rule = "the paging-structure cache is fully associative: all its entries are compared at once";
        self.power_of_two_within("page_walker.cache_entries", page_walker.cache_entries, 2, 64, rule);
    }

    fn data_path(&mut self, data_path: &DataPath) {
        let bits = data_path.bits;
        let rule = "the data path has 128, 256 or 512 bits";
        self.0.require(matches!(bits, 128 | 256 | 512), &["data_path.bits"], rule, || {
            format!("`data_path.bits` = {bits} is no width of the data path")
        });
    }

    fn credits(&mut self, raw: &RawConfig) {
        for class in Class::ALL {
            for part in Part::ALL {
                let Some(credits) = raw.credits.of(class, part) else {
                    continue;
                };
                let key = format!("credits.{}.{}", class.name(), part.name());
                let most = part.most_unused();
                let rule = "a receiver gives at most 127 header credits and 2047 data credits that are not used, or 0, \
                            which is infinite (PCIe base specification, section 2.6.1)";
                self.0.require(credits <= most, &[&key], rule, || format!("`{key}` = {credits} is more than {most}"));
            }
            self.largest_tlp_fits(class, raw);
        }
    }

    fn largest_tlp_fits(&mut self, class: Class, raw: &RawConfig) {
        let Some(credits) = raw.credits.of(class, Part::Data) else {
            return;
        };
        let key = format!("credits.{}.data", class.name());
        if class == Class::NonPosted {
            let rule = "the largest AtomicOp fits, or it would wait for ever";
            self.0.require(credits >= LARGEST_NON_POSTED_UNITS, &[&key], rule, || {
                format!("`{key}` = {credits} is less than {LARGEST_NON_POSTED_UNITS}, the units of a compare-and-swap of 128 bits")
            });
            return;
        }
        let bytes = raw.access_log_table.largest_payload_bytes;
        let units = bytes.div_ceil(DATA_CREDIT_BYTES);
        let rule = "a TLP of the largest payload fits, or it would wait for ever";
        let keys = [key.as_str(), "access_log_table.largest_payload_bytes"];
        self.0.require(credits >= units, &keys, rule, || {
            format!("`{key}` = {credits} is less than {units}, the units of `access_log_table.largest_payload_bytes` = {bytes}")
        });
    }

    fn tlp(&mut self, raw: &RawConfig) {
        const SIZE: &str =
            "PCIe's sizes are the powers of two from 128 to 4096 (Max_Payload_Size, Max_Read_Request_Size)";

        let tlp = &raw.tlp;
        let bits = tlp.tag_bits;
        let rule = "a tag has 5 bits, 8 (extended) or 10 (PCIe 4.0)";
        self.0.require(matches!(bits, 5 | 8 | 10), &["tlp.tag_bits"], rule, || {
            format!("`tlp.tag_bits` = {bits} is no width of a tag")
        });
        let record = raw.access_log_table.largest_payload_bytes;
        let sizes = [
            ("tlp.max_payload_bytes", tlp.max_payload_bytes),
            ("tlp.max_read_request_bytes", tlp.max_read_request_bytes),
        ];
        for (key, bytes) in sizes {
            self.power_of_two_within(key, bytes, 128, 4096, SIZE);
            let rule = "the record of an access holds all of its data (Q-07)";
            let keys = [key, "access_log_table.largest_payload_bytes"];
            self.0.require(bytes <= record, &keys, rule, || {
                format!("`{key}` = {bytes} is more than `access_log_table.largest_payload_bytes` = {record}")
            });
        }
    }

    fn outstanding_requests(&mut self, of: &OutstandingRequests) {
        let OutstandingRequests { entries, timeout_cycles } = *of;
        let rule = "all names of requests are compared at once";
        self.within("outstanding_requests.entries", entries, 2, 256, rule);
        let rule = "time is counted in quarters of at least 2 cycles; 0 is never";
        self.0.require(
            timeout_cycles == 0 || timeout_cycles > 4,
            &["outstanding_requests.timeout_cycles"],
            rule,
            || format!("`outstanding_requests.timeout_cycles` = {timeout_cycles} is neither 0 nor more than 4"),
        );
    }

    fn cells(&mut self, cells: &Cells) {
        const WIDTH: &str = "a word has 1 to 4096 bits";
        const DEPTH: &str = "a memory has 2 to 65536 words";
        const CHOICE: &str = "there is a choice between 2 to 1024";
        const STAGES: &str = "a synchronizer has 2 to 8 flip-flops in a row: one alone may pass a metastable value on";

        self.within("cells.skid_buffer.width", cells.skid_buffer.width, 1, 4096, WIDTH);
        self.within(
            "cells.register_fifo.depth",
            cells.register_fifo.depth,
            1,
            1024,
            "a FIFO in registers has 1 to 1024 words",
        );
        self.within("cells.register_fifo.width", cells.register_fifo.width, 1, 4096, WIDTH);
        self.within("cells.ram_fifo.depth", cells.ram_fifo.depth, 2, 65_536, DEPTH);
        self.within("cells.ram_fifo.width", cells.ram_fifo.width, 1, 4096, WIDTH);
        self.within("cells.round_robin_arbiter.requesters", cells.round_robin_arbiter.requesters, 2, 1024, CHOICE);
        self.within("cells.priority_selector.inputs", cells.priority_selector.inputs, 2, 1024, CHOICE);
        self.within("cells.priority_selector.width", cells.priority_selector.width, 1, 4096, WIDTH);
        self.within("cells.ram.depth", cells.ram.depth, 2, 65_536, DEPTH);
        self.within("cells.ram.width", cells.ram.width, 8, 4096, "a word has 8 to 4096 bits");
        let width = cells.ram.width;
        let rule = "each byte of a word has an enable";
        self.0.require(width.is_multiple_of(8), &["cells.ram.width"], rule, || {
            format!("`cells.ram.width` = {width} is no multiple of 8")
        });
        self.within("cells.cam.entries", cells.cam.entries, 1, 1024, "a CAM holds 1 to 1024 keys");
        self.within("cells.cam.key_bits", cells.cam.key_bits, 1, 4096, "a key has 1 to 4096 bits");
        self.within("cells.synchronizer.stages", cells.synchronizer.stages, 2, 8, STAGES);
        self.within("cells.reset_synchronizer.stages", cells.reset_synchronizer.stages, 2, 8, STAGES);
    }
}
