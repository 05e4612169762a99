//! Golden models: what each block does, without its timing inside, written from the specification.
//!
//! A model never sees the hardware. It is plain Rust that a reader can hold against the block's page,
//! and a testbench compares the rendered Verilog with it.

pub mod active_access;
pub mod cells;
pub mod explain;
pub mod iommu;
pub mod truth_table;
