//! Simulation: a reference interpreter of the [intermediate representation](crate::ir).
//!
//! It is written to be read next to `ir.rs`, not to be fast, and knows nothing of the Verilog printer.
//!
//! - [`Sim`] runs a design from a test, with the handles of the language.
//! - [`Interpreter`] runs a representation: inputs, clock edges, values, what its properties came to, waves.
//! - [`Lockstep`] runs a design several times at once, to see what does not depend on the initial state or on don't-care
//!   values.
//! - [`initial_value`] is the state before the first clock edge, for other simulators to start alike.

mod check;
mod edge;
mod evaluate;
mod initial;
mod interpreter;
mod lockstep;
mod operators;
mod program;
mod typed;
mod waves;

pub use check::{Cover, Violation};
pub use initial::initial_value;
pub use interpreter::{Interpreter, UnknownPath, Unstable};
pub use lockstep::{Agreed, Lockstep};
pub use program::Slot;
pub use typed::{Datum, Given, Sim};
pub use waves::WavesError;
