//! The pinned tools, as `cargo xtask tools` left them.
//!
//! They stand in `.tools/` of the workspace (or where `TOLLGATE_TOOLS` says); `tools.json` there
//! names each tool's path, relative to that folder, and version. `VERILATOR` overrides the
//! simulator. Nothing is ever taken from the machine's own folders.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::{Error, workspace};

/// The tools of this workspace.
#[derive(Debug, Clone)]
pub struct Tools {
    folder: PathBuf,
    tools: BTreeMap<String, Tool>,
}

/// A tool in `tools.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Relative to the folder of the list, or absolute.
    pub path: PathBuf,
    /// As the tool states it.
    pub version: String,
}

/// The content of `tools.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolList {
    /// Hash of the pins that the tools were installed from.
    pub pins: String,
    /// The Python that `pyosys` runs in.
    pub python: PathBuf,
    /// By name.
    pub tools: BTreeMap<String, Tool>,
}

/// The folder of the tools: `TOLLGATE_TOOLS` (relative to the workspace), else `.tools`.
///
/// # Errors
/// [`Error::NoWorkspace`].
pub fn folder() -> Result<PathBuf, Error> {
    let folder = env::var_os("TOLLGATE_TOOLS").map_or_else(|| ".tools".into(), PathBuf::from);
    Ok(workspace::root()?.join(folder))
}

impl Tools {
    /// Reads the list of tools.
    ///
    /// # Errors
    /// [`Error::MissingTool`], naming the command that cures it, when there is no list;
    /// [`Error::BadToolList`] when it is damaged.
    pub fn find() -> Result<Self, Error> {
        let mut tools = Self::read(&folder()?)?;
        if let Some(verilator) = env::var_os("VERILATOR") {
            tools.replace_verilator(Path::new(&verilator))?;
        }
        Ok(tools)
    }

    /// Reads the list in `folder`.
    fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("tools.json");
        let text = fs::read_to_string(&path)
            .map_err(|_| Error::MissingTool { name: "tools.json".into(), tools: folder.to_path_buf() })?;
        let list: ToolList = serde_json::from_str(&text).map_err(|cause| Error::BadToolList { path, cause })?;
        Ok(Self { folder: folder.to_path_buf(), tools: list.tools })
    }

    /// Puts another Verilator in the place of the pinned one, which it may not be older than.
    fn replace_verilator(&mut self, path: &Path) -> Result<(), Error> {
        let pinned = self.version("verilator")?.to_owned();
        let output = Command::new(path).arg("--version").output().map_err(|cause| Error::io("start", path, cause))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let found = text.split_whitespace().nth(1).unwrap_or("unknown").to_owned();
        if release(&found) < release(&pinned) {
            return Err(Error::OldVerilator { path: path.to_path_buf(), found, needed: pinned });
        }
        let tool = Tool { path: path.to_path_buf(), version: found };
        self.tools.insert("verilator".into(), tool);
        Ok(())
    }

    /// Where `name` is, checked to exist.
    ///
    /// # Errors
    /// [`Error::MissingTool`].
    pub fn path(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(&self.tool(name)?.path);
        if path.exists() { Ok(path) } else { Err(self.missing(name)) }
    }

    /// The version of `name`, as the tool states it.
    ///
    /// # Errors
    /// [`Error::MissingTool`].
    pub fn version(&self, name: &str) -> Result<&str, Error> {
        Ok(&self.tool(name)?.version)
    }

    /// A command that runs `name`.
    ///
    /// # Errors
    /// [`Error::MissingTool`].
    pub fn command(&self, name: &str) -> Result<Command, Error> {
        Ok(Command::new(self.path(name)?))
    }

    fn tool(&self, name: &str) -> Result<&Tool, Error> {
        self.tools.get(name).ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Error {
        Error::MissingTool { name: name.into(), tools: self.folder.clone() }
    }
}

/// `5.052` as numbers that compare; an unreadable part counts as 0, the oldest.
fn release(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}
