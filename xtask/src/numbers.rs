//! Every number that `docs/results.md` records, from one command.

use std::env;
use std::process::Command;
use std::time::Instant;

use tollgate_cosim::workspace;

use crate::Outcome;
use crate::synthesis::pass;

/// Prints the numbers that docs/results.md records: generation, lint, area, cosimulation, truth table; with --long mutation and fuzzing
#[derive(clap::Args)]
pub struct Args {
    /// The runs that take hours too: all mutants, planted faults, 10,000 circuits
    #[arg(long)]
    long: bool,
}

/// A heading, and what `cargo` is given.
type Part = (&'static str, &'static [&'static str]);

const PARTS: [Part; 5] = [
    ("Generation of all three configurations, compiled before", &["run", "--release", "--quiet", "--", "build"]),
    ("Lint", &["xtask", "lint"]),
    ("Area and length", &["xtask", "area"]),
    ("Cosimulation beside a bare C++ main", &["bench", "--quiet", "-p", "tollgate-cosim", "--bench", "bridge"]),
    ("Truth table", &["test", "--quiet", "-p", "tb", "--test", "blocks", "active_access::pte_decoder"]),
];

const LONG_PARTS: [Part; 4] = [
    ("Mutation", &["xtask", "mutate"]),
    ("Mutation of the mission blocks as they are delivered", &["xtask", "mutate", "--config", "default", "--block", "active_access"]),
    ("Faults planted in the language", &["xtask", "fuzz", "--plant", "all"]),
    ("Language fuzzing", &["xtask", "fuzz", "--circuits", "10000", "--seed", "1"]),
];

impl Args {
    /// Runs every part, also after one that fails; an error names those that failed.
    pub fn run(self) -> Outcome {
        let root = workspace::root()?;
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut failed = vec![];
        for (heading, arguments) in PARTS.iter().chain(LONG_PARTS.iter().filter(|_| self.long)) {
            println!("\n## {heading}\n\n`cargo {}`\n", arguments.join(" "));
            let start = Instant::now();
            if let Err(error) = pass(Command::new(&cargo).args(*arguments).current_dir(&root)) {
                failed.push(format!("{heading}: {error}"));
            }
            println!("\n{:.1} s", start.elapsed().as_secs_f64());
        }
        if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
    }
}
