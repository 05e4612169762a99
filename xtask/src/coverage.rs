//! What the testbenches reach of the Verilog, as Verilator counts it.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use tollgate_cosim::{CodeCoverage, Tools, workspace};
use tollgate_hdl::catalogue::blocks;
use tollgate_spec::config::Config;

use crate::synthesis::pass;
use crate::{Outcome, testbenches};

/// Runs the testbenches with Verilator's coverage and prints what each reaches of its own block, module by module
#[derive(clap::Args)]
pub struct Args {
    /// Only blocks whose key contains this, such as `cells/fifo`; may stand more than once
    #[arg(long)]
    block: Vec<String>,
    /// The configuration
    #[arg(long, default_value = "small")]
    config: String,
}

impl Args {
    /// Prints a line for each module. An error if a test fails, or a module was in none.
    pub fn run(self) -> Outcome {
        let config = Config::shipped(&self.config, &[]).map_err(|error| error.to_string())?;
        let is_wanted =
            |key: &str| self.block.is_empty() || self.block.iter().any(|wanted| key.contains(wanted.as_str()));
        let mut modules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for block in blocks(&config).map_err(|errors| errors.to_string())? {
            if is_wanted(block.key) {
                modules.entry(block.key).or_default().push(block.design.top().name.clone());
            }
        }
        if modules.is_empty() {
            return Err(format!("no block whose key contains {}", self.block.join(" or ")).into());
        }
        let tools = Tools::find()?;
        let counts = workspace::cosim_folder()?.join("coverage");
        let tests = testbenches::built()?;
        remove(&counts)?;
        let mut command = Command::new(tests);
        command.args(modules.keys().map(|key| testbenches::path(key))).arg("--quiet").current_dir(workspace::root()?);
        pass(command.env("COSIM_COVERAGE", "1").env("TOLLGATE_CONFIGURATION", &self.config))?;

        let mut rows = vec![];
        for (key, modules) in &modules {
            let files = counted(&counts, &key.replace('/', "."))?;
            let merged = counts.join(format!("{}.merged", key.replace('/', ".")));
            let reached = CodeCoverage::of_modules(&tools, &files, &merged)?;
            for module in modules {
                rows.push(row(module, reached.get(module).ok_or_else(|| format!("{key}: no test counts {module}"))?));
            }
        }
        println!("| module | line | branch | expression | toggle |\n|---|---|---|---|---|\n{}", rows.join("\n"));
        Ok(())
    }
}

/// Removes what earlier runs counted.
fn remove(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()).into())
        }
        _ => Ok(()),
    }
}

/// What the tests of a block counted: files whose name begins with its key.
fn counted(folder: &Path, key: &str) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&format!("{key}.")) && name.ends_with(".dat") {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// A line of the table.
fn row(module: &str, reached: &CodeCoverage) -> String {
    let CodeCoverage { line, branch, expression, toggle } = reached;
    let parts = [line, branch, expression, toggle].map(|part| part.percent());
    format!("| {module} | {} |", parts.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_cosim::Covered;

    #[test]
    fn the_files_of_a_block_are_those_of_no_other() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["cells.fifo.order-small-0x1.dat", "cells.fifo.merged", "cells.fifo_of_two.order-small-0x1.dat"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(
            counted(folder.path(), "cells.fifo").unwrap(),
            [folder.path().join("cells.fifo.order-small-0x1.dat")]
        );
        remove(folder.path()).unwrap();
        assert!(!folder.path().exists());
        remove(folder.path()).unwrap();
        assert!(counted(folder.path(), "cells.fifo").unwrap_err().to_string().starts_with("cannot read "));
    }

    #[test]
    fn a_row_shows_parts_of_what_there_is() {
        let reached = CodeCoverage { line: Covered { hit: 1, total: 2 }, ..CodeCoverage::default() };
        assert_eq!(row("cells_ram", &reached), "| cells_ram | 50.0 % of 2 | - | - | - |");
    }
}
