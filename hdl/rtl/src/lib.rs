//! The hardware language.
