//! The IOMMU: from the address that a device uses to the page it may reach.

pub mod iotlb;
