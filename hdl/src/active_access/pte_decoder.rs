//! PTE decoder: what a paging entry means for one access.
//!
//! VT-d second-level entries with the active bits WL, WLD, RL, RLD, E and IUID. The truth table is in
//! `docs/blocks/active_access/pte_decoder.md`; the golden model is `tollgate_golden::active_access::pte_decoder`.

use crate::bundles::Valid;
use std::ops::Range;
use tollgate_rtl::prelude::*;
use tollgate_spec::fault::FaultReason;
use tollgate_spec::layout::bit_range;
use tollgate_spec::pte::{self, PteLayout};

/// The level of the table that an entry comes from.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 3)]
pub enum Level {
    /// 4 KiB pages.
    PageTable = 1,
    /// 2 MiB pages or page tables.
    PageDirectory = 2,
    /// 1 GiB pages or page directories.
    PageDirectoryPointer = 3,
    /// Page-directory-pointer tables.
    PageMapLevel4 = 4,
}

/// What a request does.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Access {
    /// Memory read.
    Read = 0,
    /// Memory write.
    Write = 1,
    /// AtomicOp: needs both permissions and carries data both ways (U-11).
    Atomic = 2,
}

/// What a walk does after an entry.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
pub enum Step {
    /// Goes on in the next table.
    Descend = 0,
    /// Ends: the entry maps the page.
    Leaf = 1,
    /// Ends in a fault: nothing is here.
    NotPresent = 2,
    /// Ends in a fault: a reserved bit is set.
    Reserved = 3,
}

/// The record that half an access leaves.
#[bundle]
pub struct Record {
    /// Whether there is one.
    pub valid: Bit,
    /// Whether the payload goes with it; any while `valid` is low.
    pub with_data: Bit,
    /// Its reason, a `FAULT_REASON` of the headers; any while `valid` is low.
    pub reason: Bits<{ FaultReason::BITS }>,
}

/// Ports of the decoder.
#[ports(p: PteLayout)]
pub struct PteDecoderPorts {
    /// The paging entry as it stands in memory.
    pub entry: Input<Bits<{ PteLayout::BITS }>>,
    /// The level of the table it comes from.
    pub level: Input<Code<Level>>,
    /// R of all levels above, ANDed; 1 at the root.
    pub upper_read: Input<Bit>,
    /// W of all levels above, ANDed; 1 at the root.
    pub upper_write: Input<Bit>,
    /// Active access is enabled, globally (AAE) and for this context (bit 67).
    pub active: Input<Bit>,
    /// What the request does.
    pub access: Input<Code<Access>>,
    /// The request enables no byte (U-12).
    pub zero_length: Input<Bit>,
    /// What the walk does next.
    pub step: Output<Code<Step>>,
    /// Number of the page or of the next table: its address without the low 12 bits.
    pub frame: Output<Bits<{ p.frame_bits() }>>,
    /// Read permission down to this level.
    pub read_permission: Output<Bit>,
    /// Write permission down to this level.
    pub write_permission: Output<Bit>,
    /// The access takes effect.
    pub permit: Output<Bit>,
    /// A fault as without active access, with its reason.
    pub fault: Output<Valid<Bits<{ FaultReason::BITS }>>>,
    /// What the write half of the access leaves.
    pub write_record: Output<Record>,
    /// What the read half of the access leaves.
    pub read_record: Output<Record>,
    /// WL as it counts: writes are recorded.
    pub write_log: Output<Bit>,
    /// WLD as it counts: writes are recorded with their data.
    pub write_log_data: Output<Bit>,
    /// RL as it counts: reads are recorded.
    pub read_log: Output<Bit>,
    /// RLD as it counts: reads are recorded with the data they return.
    pub read_log_data: Output<Bit>,
    /// E: records go to the access log of `iuid`, else to the fault log.
    pub to_access_log: Output<Bit>,
    /// The user domain of the page.
    pub iuid: Output<Bits<{ p.iuid_bits() }>>,
}

/// Decodes one entry for one access, within the cycle.
pub fn pte_decoder(layout: &PteLayout) -> Module<PteDecoderPorts> {
    module("active_access_pte_decoder", PteDecoderPorts::shape(layout), |m, io| {
        m.describe("PTE decoder: what a VT-d second-level paging entry with active-access bits means for one access.");
        for field in layout.leaf(pte::Level::PageTable).fields {
            m.parameter(&field.name, bit_range(&field.range()), &field.meaning);
        }
        let flag = |range: &Range<u32>| io.entry.bit(range.start);
        let is_set = |range: Range<u32>| io.entry.slice(range).any();
        let reason = |reason: FaultReason| Value::new(FaultReason::BITS, reason.number()).lit();
        let ignored = [("snoop", &layout.snoop), ("transient_mapping", &layout.transient_mapping)];
        for (name, range) in ignored {
            m.ignore(name, io.entry.slice(range.clone()), "of VT-d; means nothing to this unit");
        }

        let at_2m = io.level.is(Level::PageDirectory);
        let at_1g = io.level.is(Level::PageDirectoryPointer);
        let at_root = io.level.is(Level::PageMapLevel4);
        let large = flag(&layout.page_size);
        let superpage = m.named("superpage", (at_2m | at_1g) & large);
        let is_leaf = m.named("is_leaf", !(at_2m | at_1g | at_root) | superpage);
        let (read, write) = (flag(&layout.read), flag(&layout.write));

        // Below its page size a superpage has no address.
        let mut reserved = (at_root & large) | (superpage & is_set(12..21)) | (superpage & at_1g & is_set(21..30));
        if !layout.address_reserved.is_empty() {
            reserved = reserved | is_set(layout.address_reserved.clone());
        }
        let present = m.named("present", read | write | (io.active & is_leaf & io.entry.any()));
        when(!present, || io.step.set(Step::NotPresent))
            .or_when(reserved, || io.step.set(Step::Reserved))
            .or_when(is_leaf, || io.step.set(Step::Leaf))
            .otherwise(|| io.step.set(Step::Descend));

        let writes = m.named("writes", io.access.is(Access::Write) | io.access.is(Access::Atomic));
        let reads = m.named("reads", !io.access.is(Access::Write));
        let may_read = read & io.upper_read;
        let may_write = write & io.upper_write;
        let allowed = m.named("allowed", (may_write | !writes) & (may_read | !reads));
        let at_leaf = m.named("at_leaf", io.step.is(Step::Leaf));
        io.frame.set(io.entry.slice(layout.address.clone()));
        io.read_permission.set(may_read);
        io.write_permission.set(may_write);
        io.permit.set(at_leaf & allowed);

        // What is lacking: W if it is needed and missing, else R.
        let lacking = m.named(
            "lacking",
            mux(writes & !may_write, reason(FaultReason::WriteNotPermitted), reason(FaultReason::ReadNotPermitted)),
        );
        let is_reserved = io.step.is(Step::Reserved);
        io.fault.valid.set(is_reserved | io.step.is(Step::NotPresent) | (at_leaf & !allowed & !io.active));
        io.fault.data.set(mux(is_reserved, reason(FaultReason::PagingEntryReserved), lacking));

        let logged = m.named("logged", at_leaf & io.active);
        let has_log_bits = if layout.log_bit_at_page_size() { logged & !superpage } else { logged };
        io.write_log.set(has_log_bits & flag(&layout.write_log));
        io.write_log_data.set(has_log_bits & flag(&layout.write_log_data));
        io.read_log.set(has_log_bits & flag(&layout.read_log));
        io.read_log_data.set(has_log_bits & flag(&layout.read_log_data));
        io.to_access_log.set(logged & flag(&layout.active_destination));
        io.iuid.set(io.entry.slice(layout.iuid.clone()) & logged.repeat(layout.iuid_bits()));
        let record = |half: Record, exists: Bit, log: Bit, log_data: Bit, carried: Bit, permitted| {
            half.valid.set(exists & (log | log_data));
            half.with_data.set(log_data & carried & io.to_access_log & !io.zero_length);
            half.reason.set(mux(allowed, reason(permitted), lacking));
        };
        record(io.write_record, writes, io.write_log, io.write_log_data, lit(true), FaultReason::LoggedWrite);
        record(io.read_record, reads, io.read_log, io.read_log_data, allowed, FaultReason::LoggedRead);
    })
}
