//! What a command may end with.

use miette::{Diagnostic, SourceSpan};
use std::io;
use std::process::ExitCode;
use thiserror::Error;
use tollgate::RenderError;
use tollgate::folder::FolderError;
use tollgate_golden::explain::EntryError;
use tollgate_spec::config::ConfigError;

/// Why a command did not do what it was asked for.
#[derive(Debug, Error, Diagnostic)]
pub enum Failure {
    /// A configuration that cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// Two configurations that would share a folder.
    #[error("two of the configurations are called `{name}`")]
    #[diagnostic(help("a configuration is generated into the folder of its name; give one of them another `name`"))]
    SameName {
        /// The name.
        name: String,
    },
    /// A paging entry that is none.
    #[error("{error}")]
    #[diagnostic(help("an entry is 1 to 16 hexadecimal digits, with or without `0x`; `_` may stand between them"))]
    Entry {
        /// What is wrong.
        error: EntryError,
        /// The argument.
        #[source_code]
        text: String,
        /// The place in it.
        #[label("here")]
        place: SourceSpan,
    },
    /// Files cannot be rendered.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Render(#[from] RenderError),
    /// A folder is not as it should be.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Folder(#[from] FolderError),
    /// Generated files are not those that would be generated now.
    #[error("{count} {files} not fresh", files = if *count == 1 { "file is" } else { "files are" })]
    NotFresh {
        /// How many.
        count: usize,
        /// What to do, in words.
        #[help]
        cure: String,
    },
    /// The answer cannot be printed.
    #[error("cannot write to the standard output")]
    Output(#[from] io::Error),
}

impl Failure {
    /// 2 if something else must be asked for, 1 if something must be put right.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Config(_) | Self::SameName { .. } | Self::Entry { .. } => ExitCode::from(2),
            Self::Render(_) | Self::Folder(_) | Self::NotFresh { .. } | Self::Output(_) => ExitCode::from(1),
        }
    }
}
