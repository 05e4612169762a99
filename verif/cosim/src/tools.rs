//! The pinned tools, as `cargo xtask tools` left them.
//!
//! They stand in `.tools/` of the workspace (or where `TOLLGATE_TOOLS` says); `tools.json` there
//! names each tool's path, relative to that folder, and version. `VERILATOR` overrides the
//! simulator. What the machine gives is what programs are made and started with: the C++
//! [compiler], make, perl, and ccache where there is one.

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

/// The C++ compiler, which is the machine's: `CXX`, else `g++`.
#[must_use]
pub fn compiler() -> String {
    env::var("CXX").unwrap_or_else(|_| "g++".into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    /// A folder with this list of tools, and the list read from it.
    fn listed(list: &str) -> (TempDir, Result<Tools, Error>) {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("tools.json"), list).unwrap();
        let tools = Tools::read(folder.path());
        (folder, tools)
    }

    /// A list with one tool.
    const LIST: &str =
        r#"{"pins": "0", "python": "python3", "tools": {"verilator": {"path": "bin/verilator", "version": "5.052"}}}"#;

    #[test]
    fn without_a_list_the_cure_is_named() {
        let folder = TempDir::new().unwrap();
        let (at, error) = (folder.path().display(), Tools::read(folder.path()).unwrap_err());
        assert_eq!(error.to_string(), format!("no tool `tools.json` in {at}: run `cargo xtask tools`"));
    }

    #[test]
    fn a_tool_that_is_not_listed_or_not_there_is_named_with_the_cure() {
        let (folder, tools) = listed(LIST);
        let tools = tools.unwrap();
        let missing = |name: &str| format!("no tool `{name}` in {}: run `cargo xtask tools`", folder.path().display());
        assert_eq!(tools.path("iverilog").unwrap_err().to_string(), missing("iverilog"));
        assert_eq!(tools.version("iverilog").unwrap_err().to_string(), missing("iverilog"));
        assert_eq!(tools.command("verilator").unwrap_err().to_string(), missing("verilator"));
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("bin/verilator"), "").unwrap();
        assert_eq!(tools.path("verilator").unwrap(), folder.path().join("bin/verilator"));
    }

    #[test]
    fn a_damaged_list_is_told_with_its_place_and_cure() {
        let (folder, tools) = listed(&LIST[..40]);
        let list = folder.path().join("tools.json");
        assert_eq!(
            tools.unwrap_err().to_string(),
            format!(
                "{} is not a list of tools (EOF while parsing a string at line 1 column 40): \
                 run `cargo xtask tools --again`",
                list.display()
            )
        );
    }

    /// Puts a Verilator that states this version in the place of the pinned one.
    fn replaced_by(version: &str) -> (PathBuf, Result<Tools, Error>) {
        let (folder, tools) = listed(LIST);
        let (path, mut tools) = (folder.path().join("verilator"), tools.unwrap());
        fs::write(&path, format!("#!/bin/sh\necho 'Verilator {version} 2022-10-22 rev v{version}'\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let replaced = tools.replace_verilator(&path);
        (path, replaced.map(|()| tools))
    }

    #[test]
    fn a_verilator_older_than_the_pinned_one_is_refused() {
        for old in ["5.006", "4.228", "5.51", "rev"] {
            let (path, refused) = replaced_by(old);
            assert_eq!(
                refused.unwrap_err().to_string(),
                format!(
                    "{} is Verilator {old}, the bridge needs 5.052 or newer: unset VERILATOR to use the pinned one",
                    path.display()
                )
            );
        }
        for new in ["5.052", "5.053", "6.001"] {
            let (path, replaced) = replaced_by(new);
            let tools = replaced.unwrap();
            assert_eq!(tools.version("verilator").unwrap(), new);
            assert_eq!(tools.tool("verilator").unwrap().path, path);
        }
    }
}
