//! Yosys, as the pinned `pyosys` or Debian's older program.

use std::fs;
use std::path::Path;
use std::process::Command;

use tollgate_cosim::{Tools, workspace};

use crate::Outcome;

/// Which Yosys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Yosys {
    /// The pinned one, by `pyosys`.
    Pinned,
    /// Debian's.
    Debian,
}

/// What the older and the newer Yosys say of themselves and of nothing in the design; by the exact text.
const ABOUT_THE_TOOL: [&str; 2] = [
    "ABC: Warning: The network is combinational.",
    "ABC: Warning: The network is combinational (run \"fraig\" or \"fraig_sweep\").",
];

/// Whether a line that Yosys printed says that something is wrong with the design.
pub fn is_complaint(line: &str) -> bool {
    let is_one = ["Warning", "ERROR", "implicitly declared"].iter().any(|word| line.contains(word));
    is_one && !ABOUT_THE_TOOL.contains(&line.trim())
}

impl Yosys {
    /// Runs a script in the root of the workspace and returns what it printed.
    ///
    /// # Errors
    ///
    /// A script that fails, and any warning but those about the tool itself.
    pub fn run(self, tools: &Tools, script: &str) -> Result<String, Box<dyn std::error::Error>> {
        let (succeeded, text) = self.output(tools, script, &workspace::root()?)?;
        let complaints: Vec<&str> = text.lines().filter(|line| is_complaint(line)).collect();
        if !succeeded || !complaints.is_empty() {
            let last: Vec<&str> = text.lines().rev().take(10).collect();
            let what = if complaints.is_empty() { last.into_iter().rev().collect() } else { complaints };
            return Err(format!("yosys:\n{}\nscript:\n{script}", what.join("\n")).into());
        }
        Ok(text)
    }

    /// Runs a script in a folder: whether it succeeded, and all that it printed.
    ///
    /// # Errors
    ///
    /// A tool that is missing.
    pub fn output(
        self,
        tools: &Tools,
        script: &str,
        working: &Path,
    ) -> Result<(bool, String), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("script.ys");
        fs::write(&file, script)?;
        let mut command = match self {
            Yosys::Pinned => {
                let mut command = tools.command("pyosys")?;
                let run =
                    "import sys; from pyosys import libyosys as y; y.run_pass('script ' + sys.argv[1], y.Design())";
                command.arg("-c").arg(run).arg(&file);
                command
            }
            Yosys::Debian => {
                let mut command = tools.command("yosys-debian")?;
                command.arg("-s").arg(&file);
                command
            }
        };
        Ok(capture(command.current_dir(working))?)
    }
}

/// Runs a command; whether it succeeded, and all it printed.
pub fn capture(command: &mut Command) -> Result<(bool, String), std::io::Error> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Ok((output.status.success(), text))
}

/// Runs a command and lets it print; an error names it if it fails.
pub fn pass(command: &mut Command) -> Outcome {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    let words: Vec<String> = [command.get_program()]
        .into_iter()
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    Err(format!("`{}` failed: {status}", words.join(" ")).into())
}

/// The Verilog files of a folder, in the order of their names.
pub fn verilog_in(folder: &Path) -> Result<Vec<std::path::PathBuf>, std::io::Error> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "v"));
    files.sort();
    Ok(files)
}
