//! The files of the workspace, as the laws see them.

use super::Violation;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Folders that hold nothing of ours: what git ignores, and git itself.
const FOREIGN: [&str; 3] = ["target", ".git", ".tools"];

/// The files below a folder. The folder is found at run time: a path fixed at compile time would make a copy of the
/// workspace pass for the sake of the original.
pub struct Tree {
    root: PathBuf,
    files: Vec<String>,
}

impl Tree {
    /// The workspace around the current folder: the nearest folder upwards whose `Cargo.toml` has a `[workspace]`.
    pub fn of_workspace() -> Result<Self, Violation> {
        let here = env::current_dir().map_err(|e| unreadable(".", e))?;
        let is_root = |folder: &&Path| {
            fs::read_to_string(folder.join("Cargo.toml"))
                .is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
        };
        let root = here.ancestors().find(is_root).ok_or_else(|| {
            Violation::new(
                here.display().to_string(),
                "no `Cargo.toml` with a `[workspace]` here or above",
                "run this inside the workspace",
            )
        })?;
        Self::at(root)
    }

    /// The files below `root`.
    pub fn at(root: &Path) -> Result<Self, Violation> {
        let ours = |entry: &DirEntry| entry.depth() != 1 || !FOREIGN.iter().any(|name| entry.file_name() == *name);
        let mut files = Vec::new();
        for entry in WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(ours) {
            let entry = entry.map_err(|e| unreadable(&root.display().to_string(), e))?;
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(root).expect("a walk stays below its root");
                files.push(path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"));
            }
        }
        Ok(Self { root: root.to_owned(), files })
    }

    /// The root, as the file system names it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All files, relative to the root, with `/` between the parts.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The files below a folder, relative to that folder.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = &str> {
        self.files().filter_map(move |file| file.strip_prefix(folder)?.strip_prefix('/'))
    }

    /// Whether there is such a file, or a folder with a file in it.
    pub fn has(&self, path: &str) -> bool {
        path.is_empty() || self.files().any(|file| file == path) || self.below(path).next().is_some()
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Result<String, Violation> {
        fs::read_to_string(self.root.join(file)).map_err(|e| unreadable(file, e))
    }

    /// A Rust file, parsed.
    pub fn rust(&self, file: &str) -> Result<syn::File, Violation> {
        syn::parse_file(&self.text(file)?)
            .map_err(|e| Violation::new(file, format!("not Rust: {e}"), "make it compile").at(e.span().start().line))
    }
}

/// A file or folder that cannot be read is itself a violation.
fn unreadable(file: &str, error: impl std::fmt::Display) -> Violation {
    Violation::new(file, format!("cannot be read: {error}"), "restore the file or its permissions")
}

#[cfg(test)]
mod tests {
    use super::super::testing::planted;

    #[test]
    fn files_are_found_and_foreign_folders_are_not() {
        let (_folder, tree) = planted(&[
            ("hdl/src/lib.rs", ""),
            ("hdl/target.rs", ""),
            ("rtl-out/target/x.v", ""),
            ("target/debug/build.rs", ""),
            (".tools/verilator", ""),
        ]);
        assert_eq!(tree.files().collect::<Vec<_>>(), ["hdl/src/lib.rs", "hdl/target.rs", "rtl-out/target/x.v"]);
        assert!(tree.has("hdl/src") && tree.has("hdl/src/lib.rs") && !tree.has("hdl/sr") && !tree.has("target"));
        assert_eq!(tree.below("hdl").collect::<Vec<_>>(), ["src/lib.rs", "target.rs"]);
    }

    #[test]
    fn a_missing_or_wrong_file_is_a_violation_with_a_place() {
        let (_folder, tree) = planted(&[("a.rs", "fn a() {}\nfn (")]);
        assert_eq!(tree.text("b.rs").unwrap_err().file, "b.rs");
        assert_eq!(tree.rust("a.rs").err().and_then(|wrong| wrong.line), Some(2));
    }
}
