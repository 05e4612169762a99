//! Blocks of the active-access extension.

mod access_log_table;
mod pte_decoder;
