//! Cells: small blocks that the others are made of.

pub mod skid_buffer;
