//! Contracts: configurations, layouts, register maps.
