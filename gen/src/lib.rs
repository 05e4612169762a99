//! The generator: what a configuration becomes.
//!
//! [`render()`] is a pure function from a checked configuration to the files of `rtl-out/<config>/`; it touches no disk.
//! [`folder`] compares them with a folder and writes them there. The binary `tollgate` is a thin command line over both.

pub mod folder;
pub mod render;

pub use render::{RenderError, Rendered, render};
