//! `tollgate config`.

use super::answer;
use crate::failure::Failure;
use crate::selection::One;
use clap::Args;
use tollgate::render::{Origins, configuration};

/// Prints a configuration as it is used, and where each value comes from
#[derive(Args)]
pub struct ShowConfig {
    #[command(flatten)]
    selection: One,
}

impl ShowConfig {
    /// Prints TOML.
    ///
    /// # Errors
    ///
    /// [`Failure::Config`] and [`Failure::Output`].
    pub fn run(self) -> Result<(), Failure> {
        answer(&configuration(&self.selection.open()?, Origins::Shown))
    }
}
