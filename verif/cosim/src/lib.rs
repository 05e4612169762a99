//! Cosimulation.
pub mod workspace;
mod build; mod dut; mod error; mod failure; mod ffi; mod model; mod tools;
pub use dut::{Clock, DEFAULT_PERIOD_PS, Dut, Edges, Input, Output, Schedule};
pub use error::Error;
pub use failure::{BrokenRule, Difference, Failure, FieldDifference, Mismatch, Outcome, Stopped};
pub use model::{Direction, Model, ModelBuilder, PortInfo};
pub use tools::Tools;
