//! Cells.

mod skid_buffer;
