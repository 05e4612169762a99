//! Bundles: the groups of signals that blocks speak through.
//!
//! Their members are called as the standards call them, so that a port list reads like a data sheet; methods give the
//! channels as [`Stream`]s.

mod axi4;
mod axi4_lite;
mod stream;
mod tlp;

pub use axi4::{Axi4, Axi4Address, Axi4Parameters, Axi4Plain, Axi4ReadData, Axi4WriteData, Axi4WriteResponse};
pub use axi4_lite::{
    Axi4Lite, Axi4LiteAddress, Axi4LiteParameters, Axi4LitePlain, Axi4LiteReadData, Axi4LiteWriteData, Response,
};
pub use stream::{Stream, StreamPlain, Valid, ValidPlain};
pub use tlp::{Tlp, TlpBeat, TlpParameters, TlpPlain};
