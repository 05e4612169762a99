//! The one command that tests everything.

use std::env;
use std::process::Command;
use std::time::Instant;

use tollgate_cosim::workspace;

use crate::Outcome;
use crate::synthesis::pass;

/// Provisions the pinned tools, checks formatting and lints, runs all tests, reads all generated Verilog with five readers, and tries a few mutants and 300 random circuits
#[derive(clap::Args)]
pub struct Args {}

/// Every step: what `cargo` is given. The order is that of the time to the first failure.
const STEPS: [&[&str]; 7] = [
    &["fmt", "--all", "--check"],
    &["xtask", "tools"],
    &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
    &["test", "--workspace", "--quiet"],
    &["xtask", "lint"],
    &["xtask", "mutate", "--smoke"],
    &["xtask", "fuzz", "--circuits", "300", "--seed", "1"],
];

impl Args {
    /// Runs the steps in order and stops at the first that fails.
    pub fn run(self) -> Outcome {
        let root = workspace::root()?;
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut times = vec![];
        for step in STEPS {
            println!("==> cargo {}", step.join(" "));
            let start = Instant::now();
            pass(Command::new(&cargo).args(step).current_dir(&root))?;
            times.push((step.join(" "), start.elapsed()));
        }
        for (step, time) in &times {
            println!("{:>7.1} s  cargo {step}", time.as_secs_f64());
        }
        // The form that continuous integration reads.
        println!("{} steps passed, 0 failed", times.len());
        Ok(())
    }
}
