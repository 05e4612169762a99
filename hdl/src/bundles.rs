//! Bundles: the groups of signals that blocks speak through.

mod stream;

pub use stream::{Stream, StreamPlain, Valid, ValidPlain, stream, valid};
