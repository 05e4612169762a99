//! The command line of the generator.

mod commands;
mod failure;
mod selection;

use clap::{Parser, Subcommand};
use failure::Failure;
use miette::MietteHandlerOpts;
use std::process::ExitCode;

/// Generates the Verilog, headers and pages of Tollgate
#[derive(Parser)]
#[command(name = "tollgate", version, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 generated files are not as they should be, or cannot be written; \
                          2 the command line, the configuration or the entry is wrong";

#[derive(Subcommand)]
enum Command {
    Build(commands::build::Build),
    Check(commands::check::Check),
    List(commands::list::List),
    ExplainPte(commands::explain_pte::ExplainPte),
    Config(commands::config::ShowConfig),
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Build(build) => build.run(),
            Self::Check(check) => check.run(),
            Self::List(list) => list.run(),
            Self::ExplainPte(explain) => explain.run(),
            Self::Config(config) => config.run(),
        }
    }
}

fn main() -> ExitCode {
    // Messages name files and commands, which must not be broken into lines.
    let whole_lines = MietteHandlerOpts::new().wrap_lines(false);
    miette::set_hook(Box::new(move |_| Box::new(whole_lines.clone().build()))).expect("nothing has printed yet");
    match CommandLine::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let code = failure.code();
            eprintln!("{:?}", miette::Report::new(failure));
            code
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::CommandLine::command().debug_assert();
    }
}
