//! Blocks of the IOMMU.

mod credit_manager;
mod iotlb;
mod tlp_builder;
mod tlp_parser;
