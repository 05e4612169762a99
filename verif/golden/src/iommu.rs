//! Blocks of the IOMMU.

pub mod credit_manager;
pub mod iotlb;
pub mod tlp_builder;
pub mod tlp_parser;
