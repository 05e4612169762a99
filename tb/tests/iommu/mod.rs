//! Blocks of the IOMMU.

mod credit_manager;
mod iotlb;
mod tlp_parser;
