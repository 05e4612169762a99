//! The bridge and the testbench kit, on small models written by hand.

mod bridge;
mod builds;
mod runs;
mod streams;

use tollgate_cosim::{Model, ModelBuilder};

/// A file of `tests/verilog/`, named like its top module.
fn source(top: &str) -> ModelBuilder {
    Model::of(top).file(format!("verif/cosim/tests/verilog/{top}.v")).expect("a file of this test")
}

/// The same, built.
fn model(top: &str) -> Model {
    source(top).build().unwrap_or_else(|error| panic!("{error}"))
}
