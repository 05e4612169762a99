//! The testbenches, as a program to run.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tollgate_cosim::workspace;

use crate::synthesis::pass;

/// Builds the testbenches and returns the program that holds them.
///
/// # Errors
///
/// If they do not compile, which cargo has then told.
pub fn built() -> Result<PathBuf, Box<dyn Error>> {
    let root = workspace::root()?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["test", "-p", "tb", "--test", "blocks", "--no-run"];
    pass(Command::new(&cargo).args(arguments).arg("--quiet").current_dir(&root))?;
    let mut command = Command::new(&cargo);
    command.args(arguments).arg("--message-format=json").current_dir(&root).stderr(Stdio::null());
    String::from_utf8(command.output()?.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
        .ok_or_else(|| "cargo names no test binary".into())
}

/// What the paths of a block's tests begin with.
pub fn path(key: &str) -> String {
    format!("{}::", key.replace('/', "::"))
}
