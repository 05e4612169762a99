//! Five readers of our Verilog, all warnings on, none waived; with the texts for proofs and for checks, and without.

use std::path::Path;

use tollgate_cosim::{Tools, workspace};

use crate::Outcome;
use crate::synthesis::{Yosys, capture, verilog_in};

/// Reads all generated Verilog, plain and with its properties, with Verilator (5.052 and 5.006), Icarus and Yosys (0.70 and 0.23): no warnings, no waivers
#[derive(clap::Args)]
pub struct Args {}

impl Args {
    /// Prints a line for each configuration and reader. An error is what they complain about.
    pub fn run(self) -> Outcome {
        let tools = Tools::find()?;
        let root = workspace::root()?;
        let mut complaints = vec![];
        let mut folders: Vec<_> = std::fs::read_dir(root.join("rtl-out"))?.collect::<Result<Vec<_>, _>>()?;
        folders.sort_by_key(std::fs::DirEntry::file_name);
        for folder in folders {
            let files = verilog_in(&folder.path().join("rtl"))?;
            let mut found = 0;
            for file in &files {
                for (reader, text) in readers(&tools, file)? {
                    found += 1;
                    complaints.push(format!("{reader} on {}:\n{text}", file.display()));
                }
            }
            println!(
                "{:>8}: {} modules, 5 readers, {found} complaints",
                folder.file_name().to_string_lossy(),
                files.len()
            );
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n").into()) }
    }
}

/// What each reader that is not content says of a file; the modules that it consists of are found in its folder.
fn readers(tools: &Tools, file: &Path) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let mut complaints = vec![];
    let folder = file.parent().ok_or("a file is in a folder")?;
    for (name, reader) in [("verilator", "Verilator 5.052"), ("verilator-debian", "Verilator 5.006")] {
        for define in ["-DPLAIN", "-DTOLLGATE_CHECKS"] {
            let mut command = tools.command(name)?;
            let (passed, text) = capture(command.args(["--lint-only", "-Wall", define, "-y"]).arg(folder).arg(file))?;
            let text: Vec<&str> = text.lines().filter(|line| !line.starts_with("- ")).collect();
            if !passed || !text.is_empty() {
                complaints.push((format!("{reader} {define}"), text.join("\n")));
            }
        }
    }
    for define in ["-DPLAIN", "-DTOLLGATE_CHECKS"] {
        let mut command = tools.command("iverilog")?;
        let command = command.args(["-g2005", "-Wall", define, "-o", "/dev/null", "-y"]).arg(folder).arg(file);
        let (passed, text) = capture(command)?;
        if !passed || !text.trim().is_empty() {
            complaints.push((format!("Icarus {define}"), text));
        }
    }
    for formal in ["", "-formal "] {
        let script = format!(
            "read_verilog {formal}{}\nhierarchy -check -auto-top -libdir {}\nproc\nopt_clean\ncheck -assert\n",
            file.display(),
            folder.display()
        );
        for (yosys, name) in [(Yosys::Pinned, "Yosys 0.70"), (Yosys::Debian, "Yosys 0.23")] {
            if let Err(error) = yosys.run(tools, &script) {
                complaints.push((format!("{name} {formal}").trim_end().to_owned(), error.to_string()));
            }
        }
    }
    Ok(complaints)
}
