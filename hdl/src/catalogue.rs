//! The blocks of a configuration.

use crate::{active_access, cells};
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
    let parameters = &config.cells;
    Ok(vec![
        block("active_access/access_log_table", || active_access::access_log_table::access_log_table(config))?,
        block("active_access/pte_decoder", || active_access::pte_decoder::pte_decoder(&config.pte))?,
        block("cells/skid_buffer", || cells::skid_buffer::skid_buffer(parameters.skid_buffer.width))?,
    ])
}

fn block<P: Bundle>(key: &'static str, describe: impl FnOnce() -> Module<P>) -> Result<Block, Errors> {
    Ok(Block { key, design: elaborate(describe)?.shared_ir() })
}
