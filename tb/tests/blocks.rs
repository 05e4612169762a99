//! The cosimulations of all blocks, in one binary: a test's path is `group::block::condition`.

mod active_access;
mod cells;
mod iommu;
