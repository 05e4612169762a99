//! The folder of a configuration: how it stands to what is rendered, and bringing it there.
//!
//! A build writes only what differs, each file at once or not at all, and deletes only what a former build wrote. What
//! neither build wrote is somebody's work, and stays.

use crate::Rendered;
use crate::render::manifest::{self, Manifest};
use miette::Diagnostic;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use thiserror::Error;
use walkdir::WalkDir;

/// How a file stands to what is rendered now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As rendered.
    Fresh,
    /// As a former build wrote it, which is no longer what is rendered.
    Stale,
    /// Rendered, but not there.
    Missing,
    /// Written by a former build, and no longer rendered.
    LeftOver,
    /// Neither as rendered nor as a former build wrote it, at a path that is a build's.
    Edited,
    /// At a path that is no build's.
    Extra,
}

impl State {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Missing => "missing",
            Self::LeftOver => "left over",
            Self::Edited => "hand-edited",
            Self::Extra => "extra",
        }
    }
}

/// A file and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The path in the folder, with `/` between the parts.
    pub path: String,
    /// How it stands.
    pub state: State,
}

/// What becomes of files that were edited by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    /// They stop the build.
    Keep,
    /// They are overwritten.
    Overwrite,
}

/// What a build did to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Files written.
    pub written: usize,
    /// Files that were fresh already.
    pub unchanged: usize,
    /// Files removed.
    pub removed: usize,
}

/// Why a folder is not as it should be.
#[derive(Debug, Error, Diagnostic)]
pub enum FolderError {
    /// Files were edited by hand, and a build would destroy that.
    #[error("not as a build left them, and a build would overwrite them:{}", listed(files))]
    #[diagnostic(help(
        "nothing was written; make the change in the generator, then give up the edits with `--overwrite-edits`"
    ))]
    Edited {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Something cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something cannot be written.
    #[error("cannot write {}", path.display())]
    #[diagnostic(help("no file is half-written; build again when the cause is gone"))]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| format!("\n  {}", file.display())).collect()
}

/// How each file of `folder` stands to `rendered`, sorted by path. A folder that does not exist has no files.
///
/// # Errors
///
/// [`FolderError::Unreadable`].
pub fn compare(folder: &Path, rendered: &[Rendered]) -> Result<Vec<Finding>, FolderError> {
    let former = read(&folder.join(manifest::NAME))?;
    let former = former.and_then(|bytes| Manifest::parse(std::str::from_utf8(&bytes).ok()?));
    let mut findings = Vec::new();
    for file in rendered {
        let state = match read(&folder.join(&file.path))? {
            None => State::Missing,
            Some(bytes) if bytes == file.text.as_bytes() => State::Fresh,
            Some(bytes) if is_of_a_build(former.as_ref(), &file.path, &bytes) => State::Stale,
            Some(_) => State::Edited,
        };
        findings.push(Finding { path: file.path.clone(), state });
    }

    let known: BTreeSet<&str> = rendered.iter().map(|file| file.path.as_str()).collect();
    for path in files_below(folder)?.into_iter().filter(|path| !known.contains(path.as_str())) {
        let state = match former.as_ref().and_then(|former| former.hash(&path)) {
            None => State::Extra,
            Some(hash) => match read(&folder.join(&path))? {
                Some(bytes) if manifest::hash(&bytes) == hash => State::LeftOver,
                _ => State::Edited,
            },
        };
        findings.push(Finding { path, state });
    }
    findings.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(findings)
}

/// Whether a build wrote these bytes. What reads as a manifest is one, since it fits the hash in its last line.
fn is_of_a_build(former: Option<&Manifest>, path: &str, bytes: &[u8]) -> bool {
    let Some(former) = former else { return false };
    path == manifest::NAME || former.hash(path) == Some(&manifest::hash(bytes))
}

/// Brings `folder` to what is rendered.
///
/// New texts are first written beside the old ones, and put in their place when all are there: a full disk changes
/// nothing. The manifest comes last, so that a build that was stopped on the way can be run again.
///
/// # Errors
///
/// [`FolderError`]; after [`FolderError::Edited`], nothing has been written.
pub fn write(folder: &Path, rendered: &[Rendered], edits: Edits) -> Result<Changes, FolderError> {
    let findings = compare(folder, rendered)?;
    let edited: Vec<PathBuf> = in_state(&findings, State::Edited).map(|path| folder.join(path)).collect();
    if edits == Edits::Keep && !edited.is_empty() {
        return Err(FolderError::Edited { files: edited });
    }

    let fresh: BTreeSet<&str> = in_state(&findings, State::Fresh).collect();
    let (unchanged, changed): (Vec<_>, Vec<_>) = rendered.iter().partition(|file| fresh.contains(file.path.as_str()));
    let known: BTreeSet<&str> = rendered.iter().map(|file| file.path.as_str()).collect();
    let gone = findings.iter().filter(|finding| {
        matches!(finding.state, State::LeftOver | State::Edited) && !known.contains(finding.path.as_str())
    });

    let mut new_folders = NewFolders::default();
    let mut staged = Vec::new();
    for file in &changed {
        let path = folder.join(&file.path);
        new_folders.make(path.parent().unwrap_or(folder))?;
        staged.push((stage(&path, &file.text)?, path));
    }
    new_folders.keep();
    for (text, path) in staged {
        text.persist(&path).map_err(|error| unwritable(&path, error.error))?;
    }
    let mut removed = 0;
    for finding in gone {
        remove(folder, &finding.path)?;
        removed += 1;
    }
    Ok(Changes { written: changed.len(), unchanged: unchanged.len(), removed })
}

fn in_state(findings: &[Finding], state: State) -> impl Iterator<Item = &str> {
    findings.iter().filter(move |finding| finding.state == state).map(|finding| finding.path.as_str())
}

/// The bytes of a file; `None` if there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, FolderError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(source) => Err(FolderError::Unreadable { path: path.to_owned(), source }),
    }
}

/// Whether there is no such file: its folder may not exist, or be a file itself.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The paths of all files below a folder, which need not exist.
fn files_below(folder: &Path) -> Result<Vec<String>, FolderError> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => {
                let path = entry.path().strip_prefix(folder).expect("a walk stays below its root");
                files.push(path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"));
            }
            Err(error) if error.io_error().is_some_and(is_absence) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_owned();
                return Err(FolderError::Unreadable { path, source: error.into() });
            }
        }
    }
    Ok(files)
}

/// A text beside the file that it shall become.
fn stage(path: &Path, text: &str) -> Result<NamedTempFile, FolderError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let staged = temporary().tempfile_in(folder).and_then(|mut file| {
        file.as_file_mut().write_all(text.as_bytes())?;
        Ok(file)
    });
    staged.map_err(|error| unwritable(path, error))
}

/// Temporary files that become ordinary ones: with the permissions of such.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tollgate-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Removes a file, and the folders that held nothing else.
fn remove(folder: &Path, path: &str) -> Result<(), FolderError> {
    let path = folder.join(path);
    fs::remove_file(&path).map_err(|error| unwritable(&path, error))?;
    let parents = path.ancestors().skip(1).take_while(|parent| *parent != folder);
    for parent in parents {
        if fs::remove_dir(parent).is_err() {
            break; // It holds something else.
        }
    }
    Ok(())
}

fn unwritable(path: &Path, source: io::Error) -> FolderError {
    FolderError::Unwritable { path: path.to_owned(), source }
}

/// Folders that were made for files which may not come: removed again unless kept.
#[derive(Default)]
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    fn make(&mut self, folder: &Path) -> Result<(), FolderError> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|f| !f.as_os_str().is_empty() && !f.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(|error| unwritable(folder, error))?;
            self.0.push(folder.to_owned());
        }
        Ok(())
    }

    fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // What cannot be removed is empty and does no harm; the cause is being reported already.
            let _ = fs::remove_dir(folder);
        }
    }
}
