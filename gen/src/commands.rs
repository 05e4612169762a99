//! The commands, one a file.

pub mod build;
pub mod check;
pub mod config;
pub mod explain_pte;
pub mod list;

use crate::failure::Failure;
use std::io::{ErrorKind, Write};

/// How the generator is called from the root of the workspace.
const TOLLGATE: &str = "cargo run --release --";

/// Prints an answer. A reader that has read enough, such as `head`, is no failure.
fn answer(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// A number of things in words: `1 file`, `2 files`.
fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
