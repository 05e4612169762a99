//! Every number that `docs/results.md` records, from one command.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tollgate_cosim::workspace;

use crate::Outcome;
use crate::synthesis::pass;

/// Prints the numbers that docs/results.md records: generation, interpreter, lint, area, cosimulation, truth table; with --long a clean compile, mutation and fuzzing too
#[derive(clap::Args)]
pub struct Args {
    /// The long runs too: a clean compile in minutes; all mutants, planted faults, 10,000 circuits in hours
    #[arg(long)]
    long: bool,
}

/// A heading, and what `cargo` is given.
type Part = (&'static str, &'static [&'static str]);

const PARTS: [Part; 7] = [
    ("Generation of all three configurations, compiled before", &["run", "--release", "--quiet", "--", "build"]),
    ("Elaboration", &["bench", "--quiet", "-p", "tollgate-rtl", "--bench", "elaborate"]),
    ("Interpreter", &["bench", "--quiet", "-p", "tollgate-rtl", "--bench", "interpreter"]),
    ("Lint", &["xtask", "lint"]),
    ("Area and length", &["xtask", "area"]),
    ("Cosimulation beside a bare C++ main", &["bench", "--quiet", "-p", "tollgate-cosim", "--bench", "bridge"]),
    ("Truth table", &["test", "--quiet", "-p", "tb", "--test", "blocks", "active_access::pte_decoder"]),
];

/// Into a target folder of its own.
const CLEAN_COMPILE: Part = ("Clean compile of the generator", &["build", "--release", "--quiet"]);

const LONG_PARTS: [Part; 4] = [
    ("Mutation", &["xtask", "mutate"]),
    (
        "Mutation of the mission blocks as they are delivered",
        &["xtask", "mutate", "--config", "default", "--block", "active_access"],
    ),
    ("Faults planted in the language", &["xtask", "fuzz", "--plant", "all"]),
    ("Language fuzzing", &["xtask", "fuzz", "--circuits", "10000", "--seed", "1"]),
];

impl Args {
    /// Runs every part, also after one that fails; an error names those that failed.
    pub fn run(self) -> Outcome {
        let root = workspace::root()?;
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let empty = tempfile::tempdir()?;
        let mut failed = vec![];
        let mut measure = |(heading, arguments): &Part, target: Option<&Path>| {
            println!("\n## {heading}\n\n`cargo {}`\n", arguments.join(" "));
            let mut command = Command::new(&cargo);
            command.args(*arguments).current_dir(&root);
            if let Some(target) = target {
                command.env("CARGO_TARGET_DIR", target);
            }
            let start = Instant::now();
            if let Err(error) = pass(&mut command) {
                failed.push(format!("{heading}: {error}"));
            }
            println!("\n{:.1} s", start.elapsed().as_secs_f64());
        };
        for part in &PARTS {
            measure(part, None);
        }
        if self.long {
            measure(&CLEAN_COMPILE, Some(empty.path()));
            for part in &LONG_PARTS {
                measure(part, None);
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
    }
}
