//! Blocks of the IOMMU.

mod context_cache;
mod context_walker;
mod credit_manager;
mod iotlb;
mod outstanding_requests;
mod tlp_builder;
mod tlp_parser;
