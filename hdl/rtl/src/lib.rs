//! The hardware language of Tollgate.
//!
//! A module is a Rust function of its parameters. It is elaborated at run time, so widths and counts come from a
//! configuration file and nothing is recompiled. What is written is checked where it is written; every error names
//! the lines of Rust on both sides. From the [intermediate representation](ir) come readable Verilog-2005
//! ([`verilog`]) and a reference simulation ([`sim`]).
//!
//! ```
//! use tollgate_rtl::prelude::*;
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
//! });
//! assert!(design.is_ok());
//! ```

extern crate self as tollgate_rtl;

mod arena;
mod check;
mod control;
mod error;
pub mod ir;
mod memory;
mod module;
pub mod mutate;
mod place;
mod shape;
pub mod sim;
mod types;
mod value;
pub mod verilog;

pub use arena::{Design, elaborate};
pub use control::{Index, State, When, each, fold, scan, switch, when};
pub use error::{Error, Errors};
pub use memory::Memory;
pub use module::{Domain, Module, ModuleBuilder, Reg, black_box, module};
pub use place::Place;
pub use shape::{
    Array, Bundle, BundleExt, ElementIndex, Field, Flow, Input, LeafKind, LeafShape, Output, Ports, Reverse, Shape,
    Shaped, Sink, Source, Tree, array, bit, bits, code, signed,
};
pub use tollgate_rtl_derive::{Encoding, bundle, ports};
pub use types::{Bit, Bits, Code, Encoding, Handle, Leaf, Operand, Signed, concat, dont_care, lit, mux};
pub use value::Value;

/// All that a block needs to be written.
pub mod prelude {
    pub use crate::ir::Collision;
    pub use crate::{
        Array, Bit, Bits, Bundle, BundleExt, Code, Domain, Encoding, Index, Input, Memory, Module, ModuleBuilder,
        Output, Ports, Reg, Reverse, Shape, Shaped, Signed, Sink, Source, State, Value, array, bit, bits, bundle, code,
        concat, dont_care, each, elaborate, fold, lit, module, mux, ports, scan, signed, switch, when,
    };
}
