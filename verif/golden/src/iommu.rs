//! Blocks of the IOMMU.

pub mod iotlb;
