//! The IOMMU: from the header of a TLP and the address that a device uses to the page it may reach, and the credits of
//! what passes.

pub mod context_cache;
pub mod context_walker;
pub mod credit_manager;
pub mod iotlb;
pub mod outstanding_requests;
pub mod page_walker;
pub mod tlp_builder;
pub mod tlp_parser;
