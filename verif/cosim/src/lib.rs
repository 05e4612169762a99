//! Cosimulation: the generated Verilog, run by Verilator, driven and judged from Rust.
//!
//! | layer | what |
//! |---|---|
//! | [`Model`], [`Dut`], [`Schedule`] | the bridge: a verilated model built once, its ports by name, its clocks |
//! | [`StreamDriver`], [`StreamSink`], [`StreamMonitor`], [`Stalls`] | a side of a stream each; monitors see ports only and check the contract |
//! | [`ReadMemory`] | a memory behind the read channels of an AXI4 manager |
//! | [`Layout`], [`Beat`], [`Scoreboard`] | payloads, and the comparison with the golden model |
//! | [`Coverage`], [`CodeCoverage`] | what a test exercised, in its own terms and in the Verilog's lines |
//! | [`Run`], [`ResetCheck`] | a test over seeds, and the rule that reset forgets |
//!
//! A testbench has driver, monitor, scoreboard and golden model apart from each other; it fails with
//! a [`Failure`], to which [`Run`] adds the seed, a wave, and the command that repeats it.

mod build;
mod bundle;
mod code_coverage;
mod coverage;
mod dut;
mod error;
mod failure;
mod ffi;
mod model;
mod read_memory;
mod reset_check;
mod run;
mod scoreboard;
mod stalls;
mod stream;
pub mod tools;
pub mod workspace;

pub use bundle::{Beat, FieldId, Layout};
pub use code_coverage::{CodeCoverage, Covered};
pub use coverage::Coverage;
pub use dut::{Clock, DEFAULT_PERIOD_PS, Dut, Edges, Input, MUTANT_PORT, Output, Probe, Schedule};
pub use error::Error;
pub use failure::{BrokenRule, Difference, Failure, FieldDifference, Mismatch, Outcome, Stopped};
pub use model::{Direction, Model, ModelBuilder, PortInfo};
pub use read_memory::{ReadMemory, TakenRead, Word};
pub use reset_check::ResetCheck;
pub use run::{Bench, FailedRun, Run};
pub use scoreboard::Scoreboard;
pub use stalls::{StallGenerator, Stalls};
pub use stream::{StreamDriver, StreamMonitor, StreamSink};
pub use tools::Tools;
