//! Blocks of the IOMMU.

mod context_cache;
mod context_walker;
mod credit_manager;
mod iotlb;
mod outstanding_requests;
mod page_walker;
mod tlp_builder;
mod tlp_parser;
