//! Derive macros of the hardware language.
