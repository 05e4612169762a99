//! Blocks of the active-access extension.

pub mod access_log_table;
pub mod pte_decoder;
