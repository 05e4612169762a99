//! `tollgate check`.

use super::{TOLLGATE, answer, counted};
use crate::failure::Failure;
use crate::selection::Several;
use clap::Args;
use std::path::PathBuf;
use tollgate::folder::{self, State};
use tollgate::render;

/// Says whether the generated files are those that `build` would write, and touches none
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    selection: Several,
    /// The folder of the configurations' folders
    #[arg(long, value_name = "FOLDER", default_value = "rtl-out")]
    out: PathBuf,
}

impl Check {
    /// Prints the folders, and each file that is not fresh.
    ///
    /// # Errors
    ///
    /// [`Failure::NotFresh`], with the cure of each state; else [`Failure`].
    pub fn run(self) -> Result<(), Failure> {
        let mut text = String::new();
        let mut wrong: Vec<(State, PathBuf)> = Vec::new();
        for config in self.selection.open()? {
            let folder = self.out.join(&config.name);
            let findings = folder::compare(&folder, &render(&config)?)?;
            let not_fresh: Vec<_> = findings.iter().filter(|finding| finding.state != State::Fresh).collect();
            let fresh = findings.len() - not_fresh.len();
            text += &format!("{}: {} fresh\n", folder.display(), counted(fresh, "file"));
            for finding in not_fresh {
                let path = folder.join(&finding.path);
                text += &format!("  {:<11}  {}\n", finding.state.name(), path.display());
                wrong.push((finding.state, path));
            }
        }
        answer(&text)?;
        if wrong.is_empty() {
            return Ok(());
        }
        Err(Failure::NotFresh { count: wrong.len(), cure: self.cure(&wrong) })
    }

    /// The commands that put right what is wrong.
    fn cure(&self, wrong: &[(State, PathBuf)]) -> String {
        let is = |state| wrong.iter().any(|(other, _)| *other == state);
        let build = self.build_command();
        let mut cures = Vec::new();
        if is(State::Edited) {
            let cure = format!("{build} --overwrite-edits");
            cures.push(format!("make the change in the generator first, for this gives it up:\n  {cure}"));
        } else if is(State::Stale) || is(State::Missing) || is(State::LeftOver) {
            cures.push(format!("generate them:\n  {build}"));
        }
        let extra: Vec<String> = wrong
            .iter()
            .filter(|(state, _)| *state == State::Extra)
            .map(|(_, path)| quoted(&path.to_string_lossy()))
            .collect();
        if !extra.is_empty() {
            cures.push(format!("move or remove what no build wrote:\n  rm {}", extra.join(" ")));
        }
        cures.join("\n")
    }

    /// The command that builds what this one checks.
    fn build_command(&self) -> String {
        let mut arguments = self.selection.arguments();
        if self.out.as_os_str() != "rtl-out" {
            arguments.extend(["--out".to_owned(), self.out.to_string_lossy().into_owned()]);
        }
        let arguments = arguments.iter().map(|argument| format!(" {}", quoted(argument)));
        format!("{TOLLGATE} build{}", arguments.collect::<String>())
    }
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_arguments_back() {
        assert_eq!(quoted("pte.write_log=7"), "pte.write_log=7");
        assert_eq!(quoted("name=\"odd\""), "'name=\"odd\"'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
