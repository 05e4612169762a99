//! Which circuits have agreed before, so that a long run goes on after a change of the printer or a stop.

use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tollgate_cosim::Tools;

use super::judge::Subject;

/// A file of digests, one a line, each of a circuit that all judges agreed on.
///
/// A digest is of everything that a verdict follows from: the Verilog, the stimulus, what the interpreter computes, the
/// tools, and the program that asks them. A circuit of which any of these has changed is judged again.
pub struct Ledger {
    file: PathBuf,
    known: HashSet<String>,
    /// What is the same for all circuits.
    judges: Sha256,
}

impl Ledger {
    /// Reads the file; one that is not there is empty.
    ///
    /// # Errors
    /// A file that cannot be read, a tool that is missing.
    pub fn open(file: &Path, tools: &Tools) -> Result<Self, Box<dyn Error>> {
        Self::read(file, [tools.version("verilator")?, tools.version("iverilog")?, tools.version("pyosys")?])
    }

    fn read(file: &Path, versions: [&str; 3]) -> Result<Self, Box<dyn Error>> {
        let text = match fs::read_to_string(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(|cause| format!("{}: {cause}", file.display()))?,
        };
        let mut judges = Sha256::new();
        let sources = [
            include_str!("judge.rs"),
            include_str!("simulate.rs"),
            include_str!("simulate_main.cpp"),
            include_str!("generate.rs"),
            include_str!("../synthesis.rs"),
        ];
        for text in sources.into_iter().chain(versions) {
            part(&mut judges, text);
        }
        Ok(Self { file: file.to_owned(), known: text.lines().map(str::to_owned).collect(), judges })
    }

    /// Whether a circuit has agreed, just as it is.
    pub fn knows(&self, subject: &Subject) -> bool {
        self.known.contains(&self.digest(subject))
    }

    /// Notes circuits that have agreed.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn note<'s>(&self, agreed: impl Iterator<Item = &'s Subject>) -> Result<(), Box<dyn Error>> {
        let lines: String = agreed.map(|subject| self.digest(subject) + "\n").collect();
        let noted = OpenOptions::new().create(true).append(true).open(&self.file);
        let noted = noted.and_then(|mut file| file.write_all(lines.as_bytes()));
        noted.map_err(|cause| format!("{}: {cause}", self.file.display()).into())
    }

    fn digest(&self, subject: &Subject) -> String {
        let mut digest = self.judges.clone();
        for file in subject.delivered.iter().chain(&subject.seeded) {
            part(&mut digest, &file.text);
        }
        for cycle in &subject.case.stimulus {
            part(&mut digest, &format!("{cycle:?}"));
        }
        for value in &subject.expected {
            part(&mut digest, &value.to_string());
        }
        let number = subject.case.recipe.number;
        format!("{number} {}", digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }
}

/// Adds a part, told apart from what follows.
fn part(digest: &mut Sha256, text: &str) {
    digest.update((text.len() as u64).to_le_bytes());
    digest.update(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::generate;

    #[test]
    fn a_circuit_is_known_until_something_about_it_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("ledger");
        let open = |versions| Ledger::read(&file, versions).expect("a ledger");
        let versions = ["5.052", "11.0", "0.70"];
        let mut subject = Subject::new(generate::recipe(1, 0)).expect("a circuit");
        assert!(!open(versions).knows(&subject), "the file is not there");

        open(versions).note([&subject].into_iter()).expect("a file");
        assert!(open(versions).knows(&subject));
        assert!(!open(["5.052", "12.0", "0.70"]).knows(&subject), "another Icarus");

        let kept = subject.expected[0].clone();
        subject.expected[0] = kept.slice(0, 0);
        assert!(!open(versions).knows(&subject), "the interpreter computes something else");
        subject.expected[0] = kept;
        subject.delivered[0].text.push('\n');
        assert!(!open(versions).knows(&subject), "the Verilog is another");
        subject.delivered[0].text.pop();
        subject.case.stimulus.pop();
        assert!(!open(versions).knows(&subject), "the stimulus is another");
    }
}
