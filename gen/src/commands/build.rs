//! `tollgate build`.

use super::{answer, counted};
use crate::failure::Failure;
use crate::selection::Several;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::time::Instant;
use tollgate::folder::{self, Changes, Edits, FolderError, State};
use tollgate::{Rendered, render};

/// Generates the files of configurations, and touches only those that change
#[derive(Args)]
pub struct Build {
    #[command(flatten)]
    selection: Several,
    /// The folder of the configurations' folders
    #[arg(long, value_name = "FOLDER", default_value = "rtl-out")]
    out: PathBuf,
    /// Overwrites generated files that were edited by hand; else they stop the build
    #[arg(long)]
    overwrite_edits: bool,
}

impl Build {
    /// Renders all configurations, and only then writes.
    ///
    /// # Errors
    ///
    /// [`Failure`]. After a wrong configuration or an edited file, nothing has been written.
    pub fn run(self) -> Result<(), Failure> {
        let start = Instant::now();
        let configs = self.selection.open()?;
        let bar = progress(configs.len());
        let mut folders = Vec::new();
        for config in &configs {
            bar.set_message(config.name.clone());
            folders.push((self.out.join(&config.name), render(config)?));
            bar.inc(1);
        }
        bar.finish_and_clear();

        let edits = if self.overwrite_edits { Edits::Overwrite } else { Edits::Keep };
        if edits == Edits::Keep {
            refuse_edits(&folders)?;
        }
        let mut text = String::new();
        for (folder, rendered) in &folders {
            let Changes { written, unchanged, removed } = folder::write(folder, rendered, edits)?;
            let files = counted(written + unchanged, "file");
            text += &format!("{}: {files}, {written} written, {removed} removed\n", folder.display());
        }
        let (count, seconds) = (counted(folders.len(), "configuration"), start.elapsed().as_secs_f64());
        answer(&format!("{text}{count} in {seconds:.2} s\n"))
    }
}

/// An error if a file of any folder was edited: then none of them is written.
fn refuse_edits(folders: &[(PathBuf, Vec<Rendered>)]) -> Result<(), FolderError> {
    let mut files = Vec::new();
    for (folder, rendered) in folders {
        let findings = folder::compare(folder, rendered)?;
        let edited = findings.iter().filter(|finding| finding.state == State::Edited);
        files.extend(edited.map(|finding| folder.join(&finding.path)));
    }
    if files.is_empty() { Ok(()) } else { Err(FolderError::Edited { files }) }
}

/// A bar on a terminal, and nothing elsewhere.
fn progress(configurations: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("a template without mistakes");
    ProgressBar::new(configurations as u64).with_style(style)
}
