//! Testbenches.
