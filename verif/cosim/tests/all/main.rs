//! The bridge and the testbench kit, on small models written by hand.

mod bridge;
mod builds;
mod runs;
mod streams;

use std::path::Path;

use num_bigint::BigUint;
use tollgate_cosim::{Model, ModelBuilder};
use wellen::simple;

/// A file of `tests/verilog/`, named like its top module.
fn source(top: &str) -> ModelBuilder {
    Model::of(top).file(format!("verif/cosim/tests/verilog/{top}.v")).expect("a file of this test")
}

/// The same, built.
fn model(top: &str) -> Model {
    source(top).build().unwrap_or_else(|error| panic!("{error}"))
}

/// The values of a signal in a wave, each with the picosecond from which it holds.
fn wave_changes(wave: &Path, name: &str) -> Vec<(u64, BigUint)> {
    let mut wave = simple::read(wave).unwrap();
    let (path, variable) = name.rsplit_once('.').unwrap();
    let path: Vec<_> = path.split('.').collect();
    let hierarchy = wave.hierarchy();
    let variable = hierarchy.lookup_var(&path, variable).expect("the signal is in the wave");
    let signal = hierarchy[variable].signal_ref();
    wave.load_signals(&[signal]);
    let (times, changes) = (wave.time_table(), wave.get_signal(signal).unwrap().iter_changes());
    changes
        .map(|(at, value)| {
            let bits = value.to_bit_string().expect("a vector");
            (times[at as usize], BigUint::parse_bytes(bits.as_bytes(), 2).expect("no `x` in a two-valued wave"))
        })
        .collect()
}
