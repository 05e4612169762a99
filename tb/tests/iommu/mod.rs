//! Blocks of the IOMMU.

mod iotlb;
