//! The tools that read Verilog, as `cargo xtask tools` provides them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `lint.ys` in the library form of yosys.
const RUN_SCRIPT: &str = "from pyosys import libyosys; libyosys.run_pass('script lint.ys', libyosys.Design())";

/// The path of a tool, or what to do about its absence.
pub fn tool(name: &str) -> PathBuf {
    let folder = folder();
    let list = folder.join("tools.json");
    let text =
        std::fs::read_to_string(&list).unwrap_or_else(|e| panic!("{}: {e}: run `cargo xtask tools`", list.display()));
    let json: serde_json::Value = serde_json::from_str(&text).expect("tools.json");
    match json["tools"][name]["path"].as_str() {
        Some(path) => folder.join(path),
        None => panic!("{} has no `{name}`: run `cargo xtask tools`", list.display()),
    }
}

/// The folder of the tools: `TOLLGATE_TOOLS`, or `.tools` in the workspace.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("TOLLGATE_TOOLS") {
        return folder.into();
    }
    // Read when the test runs: a copy of the tree uses its own tools.
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("run by cargo"));
    here.ancestors().nth(2).expect("in a workspace").join(".tools")
}

/// Runs a command to its end and gives all that it says.
pub fn run(command: &mut Command) -> (bool, String) {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|e| panic!("{command:?}: {e}: run `cargo xtask tools`"));
    (status.success(), String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
}

/// What each linter says of a top module in a folder with one file a module: name of the linter, its words. Empty if all
/// is well.
pub fn complaints(folder: &Path, top: &str) -> Vec<(String, String)> {
    let file = format!("{top}.v");
    let mut found = vec![];
    for verilator in ["verilator", "verilator-debian"] {
        for define in ["PLAIN", "TOLLGATE_CHECKS"] {
            let mut command = Command::new(tool(verilator));
            command.args(["--lint-only", "-Wall", "-y", ".", &format!("-D{define}"), "--top-module", top, &file]);
            let (fine, said) = run(command.current_dir(folder));
            if !fine || said.contains("%Warning") {
                found.push((format!("{verilator} {define}"), said));
            }
        }
    }
    // Linting alone does not order the processes: false combinational loops show when C++ is written.
    for verilator in ["verilator", "verilator-debian"] {
        let mut command = Command::new(tool(verilator));
        command.args(["--cc", "-Wall", "-y", ".", "--top-module", top, "--Mdir", "obj", &file]);
        let (fine, said) = run(command.current_dir(folder));
        if !fine || said.contains("%Warning") {
            found.push((format!("{verilator} --cc"), said));
        }
    }
    let mut command = Command::new(tool("iverilog"));
    command.args(["-g2005", "-Wall", "-t", "null", "-y", ".", "-s", top, "-o", "null", &file]);
    let (fine, said) = run(command.current_dir(folder));
    if !fine || !said.trim().is_empty() {
        found.push(("iverilog".into(), said));
    }
    let files: Vec<String> = std::fs::read_dir(folder)
        .expect("folder")
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".v") && !name.starts_with("bench_"))
        .collect();
    for formal in ["", "-formal "] {
        let script =
            format!("read_verilog {formal}{}; hierarchy -check -top {top}; proc; opt; check -assert", files.join(" "));
        let mut command = Command::new(tool("yosys-debian"));
        let (fine, said) = run(command.args(["-q", "-p", &script]).current_dir(folder));
        if !fine || said.contains("arning") || said.contains("implicitly declared") {
            found.push((format!("yosys-debian {formal}"), said));
        }
        let script_file = folder.join("lint.ys");
        std::fs::write(&script_file, script.replace("; ", "\n")).expect("script");
        let mut command = Command::new(tool("pyosys"));
        let (fine, said) = run(command.args(["-c", RUN_SCRIPT]).current_dir(folder));
        if !fine || said.contains("Warning:") || said.contains("implicitly declared") {
            found.push((format!("pyosys {formal}"), said));
        }
    }
    found
}

/// Replaces the text of a folder by what yosys makes of it: registers and multiplexers without processes.
pub fn rewritten_by_yosys(folder: &Path, top: &str) {
    let files: Vec<PathBuf> = std::fs::read_dir(folder).expect("folder").map(|e| e.expect("an entry").path()).collect();
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let script = format!("read_verilog {}; proc; opt_clean; write_verilog -noattr all.v", names.join(" "));
    std::fs::write(folder.join("lint.ys"), script).expect("written");
    let (fine, said) = run(Command::new(tool("pyosys")).args(["-c", RUN_SCRIPT]).current_dir(folder));
    assert!(fine && !said.contains("Warning") && !said.contains("implicitly declared"), "{said}");
    files.iter().for_each(|path| std::fs::remove_file(path).expect("removed"));
    std::fs::rename(folder.join("all.v"), folder.join(format!("{top}.v"))).expect("renamed");
}
