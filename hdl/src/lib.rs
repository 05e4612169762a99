//! The hardware of Tollgate, one block a file.
//!
//! A block is one key, `<group>/<block>`; the key names its file here, its golden model, its testbench, its page and its
//! Verilog module. [`catalogue`] lists the blocks of a configuration.

pub mod active_access;
pub mod bundles;
pub mod catalogue;
pub mod cells;
pub mod iommu;
