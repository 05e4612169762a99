//! The laws of the tree, checked by `cargo xtask tidy` and, one `#[test]` each, by `cargo test -p xtask`.
//!
//! A law is one file: a function from the [`Tree`] to what breaks it.
//! A law reads and never writes, has no switch that turns it off, and keeps its exceptions in a list with a reason each.
//! An exception that nothing needs any more breaks the law as well.

mod dependencies;
mod documents;
mod fresh;
mod markdown;
mod mirror;
mod places;
mod reasons;
mod run_time;
mod testplans;
mod tree;

use crate::Outcome;
use std::fmt;
use tree::Tree;

/// Checks the laws of the tree and says what breaks them, where, and what cures it
#[derive(clap::Args)]
pub struct Args {}

impl Args {
    /// Prints each law and what breaks it. An error if anything does.
    pub fn run(self) -> Outcome {
        match report(&Tree::of_workspace().map_err(|unreadable| unreadable.to_string())?) {
            0 => Ok(()),
            1 => Err("1 place breaks the laws of the tree".into()),
            many => Err(format!("{many} places break the laws of the tree").into()),
        }
    }
}

/// A law: what it demands, and the function that finds where the tree breaks it.
struct Law {
    /// One line, as printed.
    demand: &'static str,
    /// Finds what breaks it. An error is a file that could not even be read.
    check: fn(&Tree) -> Result<Vec<Violation>, Violation>,
}

/// All laws, in the order in which they are printed.
const LAWS: [Law; 8] = [
    Law { demand: "dependencies point one way", check: dependencies::check },
    Law { demand: "a block has one file in each place", check: mirror::check },
    Law { demand: "generated files are fresh", check: fresh::check },
    Law { demand: "planned tests exist and tests are planned", check: testplans::check },
    Law { demand: "pages name what exists", check: documents::check },
    Law { demand: "nothing from outside without a reason", check: reasons::check },
    Law { demand: "hardware keeps its places", check: places::check },
    Law { demand: "paths are read at run time", check: run_time::check },
];

/// Prints each law and what breaks it; returns how much does.
fn report(tree: &Tree) -> usize {
    let mut total = 0;
    for law in &LAWS {
        let broken = (law.check)(tree).unwrap_or_else(|unreadable| vec![unreadable]);
        println!("{:>4}  {}", if broken.is_empty() { "ok" } else { "NOT" }, law.demand);
        for violation in &broken {
            println!("{violation}");
        }
        total += broken.len();
    }
    total
}

/// A place where a law is broken: where, what, and what cures it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Violation {
    file: String,
    line: Option<usize>,
    what: String,
    cure: String,
}

impl Violation {
    /// A violation by a file as a whole. `file` is relative to the root of the workspace.
    fn new(file: impl Into<String>, what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, what: what.into(), cure: cure.into() }
    }

    /// The same, at a line (from 1).
    fn at(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "      {}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n        cure: {}", self.what, self.cure)
    }
}

/// What the tests of the laws share.
#[cfg(test)]
mod testing {
    use super::{Tree, Violation};
    use std::fs;
    use tempfile::TempDir;

    /// A tree with these files (path, text) and no others. It lives as long as the folder.
    pub fn planted(files: &[(&str, &str)]) -> (TempDir, Tree) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a scratch folder is writable");
            fs::write(path, text).expect("a scratch folder is writable");
        }
        let tree = Tree::at(folder.path()).expect("a scratch folder is readable");
        (folder, tree)
    }

    /// The violations as printed, without the indentation.
    pub fn printed(violations: &[Violation]) -> Vec<String> {
        let lines = |v: &Violation| v.to_string().lines().map(str::trim).collect::<Vec<_>>().join("\n");
        violations.iter().map(lines).collect()
    }

    /// Panics with all that breaks a law in this workspace.
    pub fn holds_here(check: fn(&Tree) -> Result<Vec<Violation>, Violation>) {
        let broken = Tree::of_workspace().and_then(|tree| check(&tree)).unwrap_or_else(|unreadable| vec![unreadable]);
        assert!(broken.is_empty(), "\n{}", printed(&broken).join("\n"));
    }
}
