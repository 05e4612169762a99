//! What a workspace needs beyond `cargo build`: tools, laws, long runs.
//!
//! A task is a module with `Args`, whose doc comment is its help, and `Args::run`; and a line in
//! `tasks!`.

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod area;
mod coverage;
mod fuzz;
mod lint;
mod mutate;
mod numbers;
mod synthesis;
mod test;
mod testbenches;
mod tidy;
mod tools;

/// What a task ends with; the error is printed, and so are its causes.
type Outcome = Result<(), Box<dyn Error>>;

/// Declares the subcommands: `Name: module`, where `module::Args` is what it takes and does.
macro_rules! tasks {
    ($($name:ident: $module:ident,)*) => {
        /// The subcommands.
        #[derive(Subcommand)]
        enum Task {
            $($name($module::Args),)*
        }

        impl Task {
            fn run(self) -> Outcome {
                match self {
                    $(Task::$name(args) => args.run(),)*
                }
            }
        }
    };
}

tasks! {
    Area: area,
    Coverage: coverage,
    Fuzz: fuzz,
    Lint: lint,
    Mutate: mutate,
    Numbers: numbers,
    Test: test,
    Tidy: tidy,
    Tools: tools,
}

/// Tasks of the Tollgate workspace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

fn main() -> ExitCode {
    match Cli::parse().task.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  caused by: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
