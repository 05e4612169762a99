//! What one paging entry means for one access.
//!
//! VT-d's second-level entries without accessed and dirty flags, with the active-access bits in the
//! leaf. SNP and TM are ignored: snooping and device caching are the business of other units.

use std::ops::Range;
use std::sync::LazyLock;

use tollgate_spec::fault::FaultReason;
use tollgate_spec::pte::{Access, Destination, Level, PteLayout, Step, extract, insert};

use crate::truth_table::{self, Row};

/// The truth table of a leaf, transcribed by hand from the requirements: every row is a case with
/// don't-cares, what the decoder answers, and the requirements that say so.
pub static TRUTH_TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    truth_table::parse(include_str!("pte_decoder_truth_table.txt"))
        .unwrap_or_else(|error| panic!("pte_decoder_truth_table.txt: {error}"))
});

/// An entry, the way that led to it, and the access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// The paging entry.
    pub entry: u64,
    /// The level of the table it stands in.
    pub level: Level,
    /// Whether all levels above permit reads; true at the root.
    pub upper_read: bool,
    /// Whether all levels above permit writes; true at the root.
    pub upper_write: bool,
    /// Whether active semantics are on: the global enable and bit 67 of the context entry (U-01).
    pub active: bool,
    /// What the request does.
    pub access: Access,
    /// Whether the request has no byte enabled (U-12).
    pub zero_length: bool,
}

/// What the entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outputs {
    /// What the walk does next.
    pub step: Step,
    /// The address bits of the entry from bit 12 on: a table or a page.
    pub frame: u64,
    /// Whether this level and all above permit reads.
    pub read_permission: bool,
    /// Whether this level and all above permit writes.
    pub write_permission: bool,
    /// Whether the access takes effect; false but at a leaf.
    pub permit: bool,
    /// The fault for VT-d's fault log, if there is one.
    pub fault: Option<FaultReason>,
    /// The record of a write, or of the operands of an AtomicOp.
    pub write_record: Option<Record>,
    /// The record of a read, or of the old value of an AtomicOp.
    pub read_record: Option<Record>,
    /// WL as it counts: 0 but at an active leaf, and at a superpage whose page size is a log bit (U-10).
    pub write_log: bool,
    /// WLD, likewise.
    pub write_log_data: bool,
    /// RL, likewise.
    pub read_log: bool,
    /// RLD, likewise.
    pub read_log_data: bool,
    /// Where the records go; the fault log where there is no active leaf.
    pub destination: Destination,
    /// The user domain; 0 where there is no active leaf.
    pub iuid: u64,
}

/// What is recorded of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Whether the payload follows the header.
    pub with_data: bool,
    /// Why there is a record.
    pub reason: FaultReason,
}

/// Decodes one entry for one access.
pub fn decode(pte: &PteLayout, inputs: &Inputs) -> Outputs {
    let &Inputs { entry, level, active, access, .. } = inputs;
    let bit = |range: &Range<u32>| extract(entry, range) == 1;

    let step = step(pte, inputs);
    let read_permission = bit(&pte.read) && inputs.upper_read;
    let write_permission = bit(&pte.write) && inputs.upper_write;

    let lacks_write = access.writes() && !write_permission;
    let lacks_read = access.reads() && !read_permission;
    let permit = step == Step::Leaf && !lacks_write && !lacks_read;
    let blocked_reason = if lacks_write { FaultReason::WriteNotPermitted } else { FaultReason::ReadNotPermitted };

    let fault = match step {
        Step::Reserved => Some(FaultReason::PagingEntryReserved),
        Step::NotPresent if access.writes() => Some(FaultReason::WriteNotPermitted),
        Step::NotPresent => Some(FaultReason::ReadNotPermitted),
        Step::Leaf if !active && !permit => Some(blocked_reason),
        // Under active semantics the record is the fault (S10), if the page wants one.
        Step::Leaf | Step::Descend => None,
    };

    let active_leaf = active && step == Step::Leaf;
    let to_access_log = active_leaf && bit(&pte.active_destination);
    let [write_log, write_log_data, read_log, read_log_data] =
        if active_leaf && log_bits_hold(pte, level) { pte.log_bits().map(|range| bit(&range)) } else { [false; 4] };
    let has_data = to_access_log && !inputs.zero_length;

    let write_record = Record {
        with_data: write_log_data && has_data,
        reason: if permit { FaultReason::LoggedWrite } else { blocked_reason },
    };
    let read_record = Record {
        // A blocked read returns nothing, so there is nothing to record (U-03).
        with_data: read_log_data && has_data && permit,
        reason: if permit { FaultReason::LoggedRead } else { blocked_reason },
    };
    let wants_write_record = access.writes() && (write_log || write_log_data);
    let wants_read_record = access.reads() && (read_log || read_log_data);

    Outputs {
        step,
        frame: extract(entry, &pte.address),
        read_permission,
        write_permission,
        permit,
        fault,
        write_record: wants_write_record.then_some(write_record),
        read_record: wants_read_record.then_some(read_record),
        write_log,
        write_log_data,
        read_log,
        read_log_data,
        destination: if to_access_log { Destination::AccessLog } else { Destination::FaultLog },
        iuid: if active_leaf { extract(entry, &pte.iuid) } else { 0 },
    }
}

/// What the walk does after the entry.
fn step(pte: &PteLayout, inputs: &Inputs) -> Step {
    let &Inputs { entry, level, active, .. } = inputs;
    let bit = |range: &Range<u32>| extract(entry, range) == 1;

    let superpage = level.may_be_superpage() && bit(&pte.page_size);
    let leaf = level == Level::PageTable || superpage;
    // An active leaf without R and W still has its other bits honoured (U-08).
    let present = bit(&pte.read) || bit(&pte.write) || (active && leaf && entry != 0);
    let reserved = reserved_bits(pte, level, entry) != 0;

    match (present, reserved, leaf) {
        (false, _, _) => Step::NotPresent,
        (true, true, _) => Step::Reserved,
        (true, false, true) => Step::Leaf,
        (true, false, false) => Step::Descend,
    }
}

/// The reserved bits that are set in an entry of `level`, each in its place. They count if the entry
/// is present.
pub fn reserved_bits(pte: &PteLayout, level: Level, entry: u64) -> u64 {
    let page_size = extract(entry, &pte.page_size) == 1;
    let mut reserved = insert(0, &pte.address_reserved, u64::MAX);
    if level == Level::PageMapLevel4 {
        reserved = insert(reserved, &pte.page_size, 1);
    }
    if level.may_be_superpage() && page_size {
        reserved = insert(reserved, &(pte.address.start..level.offset_bits()), u64::MAX);
    }
    entry & reserved
}

/// Whether the log bits of a leaf mean anything: not where one of them is the page size (U-10).
fn log_bits_hold(pte: &PteLayout, level: Level) -> bool {
    !(level.may_be_superpage() && pte.log_bit_at_page_size())
}
