//! Cells: small blocks that the others are built from.

pub mod cam;
pub mod fifo;
pub mod priority_selector;
pub mod ram;
pub mod reset_synchronizer;
pub mod round_robin_arbiter;
pub mod skid_buffer;
pub mod stream_checker;
pub mod synchronizer;
