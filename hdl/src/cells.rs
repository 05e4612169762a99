//! Cells: small blocks that the others are built from.

pub mod skid_buffer;
