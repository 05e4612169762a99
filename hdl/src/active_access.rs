//! Active access: what turns an access to a page into a record.

pub mod access_log_table;
pub mod pte_decoder;
