//! The blocks of a configuration.

use crate::cells::fifo::{Storage, fifo};
use crate::cells::stream_checker::{Side, stream_checker};
use crate::{active_access, cells, iommu};
use std::collections::BTreeSet;
use std::sync::Arc;
use tollgate_rtl::{Bundle, Errors, Module, elaborate, ir};
use tollgate_spec::config::Config;

/// A block as a configuration wants it.
#[derive(Debug)]
pub struct Block {
    /// `<group>/<block>`.
    pub key: &'static str,
    /// Its circuit, checked.
    pub design: Arc<ir::Design>,
}

/// All blocks of a configuration, in the order of their keys.
///
/// # Errors
///
/// What is wrong with a circuit: a defect of this crate, as configurations are checked before.
pub fn blocks(config: &Config) -> Result<Vec<Block>, Errors> {
    let of = &config.cells;
    let mut blocks = vec![
        block("active_access/access_log_table", || active_access::access_log_table::access_log_table(config))?,
        block("active_access/pte_decoder", || active_access::pte_decoder::pte_decoder(&config.pte))?,
        block("cells/cam", || cells::cam::cam(&of.cam))?,
        block("cells/fifo", || fifo(&of.ram_fifo, Storage::BlockRam))?,
        block("cells/fifo", || fifo(&of.register_fifo, Storage::Registers))?,
        block("cells/priority_selector", || cells::priority_selector::priority_selector(&of.priority_selector))?,
        block("cells/ram", || cells::ram::ram(&of.ram))?,
        block("cells/reset_synchronizer", || {
            cells::reset_synchronizer::reset_synchronizer(of.reset_synchronizer.stages)
        })?,
        block("cells/round_robin_arbiter", || {
            cells::round_robin_arbiter::round_robin_arbiter(of.round_robin_arbiter.requesters)
        })?,
        block("cells/skid_buffer", || cells::skid_buffer::skid_buffer(of.skid_buffer.width))?,
        block("cells/synchronizer", || cells::synchronizer::synchronizer(of.synchronizer.stages))?,
        block("iommu/context_cache", || iommu::context_cache::context_cache(config))?,
        block("iommu/context_walker", || iommu::context_walker::context_walker(config))?,
        block("iommu/credit_manager", || iommu::credit_manager::credit_manager(&config.credits))?,
        block("iommu/iotlb", || iommu::iotlb::iotlb(config))?,
        block("iommu/outstanding_requests", || iommu::outstanding_requests::outstanding_requests(config))?,
        block("iommu/page_walker", || iommu::page_walker::page_walker(config))?,
        block("iommu/tlp_builder", || iommu::tlp_builder::completion(&config.tlp))?,
        block("iommu/tlp_builder", || iommu::tlp_builder::forwarded(config))?,
        block("iommu/tlp_parser", || iommu::tlp_parser::tlp_parser(&config.tlp))?,
    ];
    // A checker for the streams of the cells that have some.
    for width in BTreeSet::from([of.skid_buffer.width, of.register_fifo.width, of.ram_fifo.width]) {
        for side in [Side::Sink, Side::Source] {
            blocks.push(block("cells/stream_checker", || stream_checker(side, width))?);
        }
    }
    blocks.sort_by_key(|block| block.key);
    Ok(blocks)
}

fn block<P: Bundle>(key: &'static str, describe: impl FnOnce() -> Module<P>) -> Result<Block, Errors> {
    Ok(Block { key, design: elaborate(describe)?.shared_ir() })
}
