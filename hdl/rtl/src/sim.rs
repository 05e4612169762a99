//! Simulation: a reference interpreter of the [intermediate representation](crate::ir).
//!
//! It is written to be read next to `ir.rs`, not to be fast, and knows nothing of the Verilog printer.
//!
//! - [`Sim`] runs a design from a test, with the handles of the language.
//! - [`Interpreter`] runs a representation: inputs, clock edges, values, what its properties came to, waves.
//! - [`Lockstep`] runs a design several times at once, to see what does not depend on the initial state or on don't-care
//!   values.
//! - [`initial_value`] is the state before the first clock edge, for other simulators to start alike.
//!
//! ```
//! use tollgate_rtl::prelude::*;
//! use tollgate_rtl::sim::Sim;
//!
//! /// Ports of a counter.
//! #[ports]
//! struct CounterPorts {
//!     /// Counts when high.
//!     enable: Input<Bit>,
//!     /// How often `enable` was high since reset.
//!     count: Output<Bits<8>>,
//! }
//!
//! let design = elaborate(|| {
//!     module("counter", CounterPorts::shape(&()), |m, io| {
//!         m.describe("Counts the cycles in which `enable` is high.");
//!         let count = m.reg("value", bits(8)).reset(0);
//!         when(io.enable, || count.set(*count + 1));
//!         io.count.set(*count);
//!     })
//! })
//! .unwrap();
//!
//! let mut sim = Sim::new(&design, 1);
//! let io = sim.io();
//! sim.reset();
//! sim.set(io.enable, 1);
//! for cycle in 0..300 {
//!     sim.expect(io.count, cycle % 256);
//!     sim.step();
//! }
//! ```

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
