//! Cosimulation.
