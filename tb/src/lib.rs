//! What every testbench shares.
//!
//! | item | what |
//! |---|---|
//! | [`configurations`] | every configuration that is shipped: a test runs in each of them |
//! | [`model`] | the Verilog of a module, as the generator rendered it for a configuration |
//! | [`any_bits`] | a random number of any width |
//! | [`run`] | a test of a block in a configuration, over its seeds |
//! | [`ClockAndReset`] | the clock and the reset of a block that has one of each |
//! | [`rules`] | what every block keeps: a reset that forgets, no path within a cycle |
//! | [`Memory`], [`ReadMonitor`] | memory that is read over AXI4 |
//! | [`ValidDriver`], [`ValidMonitor`] | a port that nothing can hold back: a [`Valid`](valid) without `ready` |
//!
//! The testbenches themselves are in `tests/`, one file a block. Each has driver, monitor, scoreboard and golden model
//! apart from each other, and a type, often called `Bench`, that holds them all and runs a cycle.

pub mod memory;
pub mod rules;
pub mod valid;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use num_bigint::BigUint;
use rand::Rng;
use tollgate_cosim::{Clock, Dut, Input, Model, ModelBuilder, Outcome, Run, workspace};
use tollgate_spec::config::{Config, SHIPPED};

pub use memory::{Memory, Read, ReadMonitor};
pub use valid::{ValidDriver, ValidMonitor};

/// Cycles of reset: one for the registers, one for what the first edge brought into them.
pub const RESET_CYCLES: u64 = 2;

/// Where the generator wrote: the environment may name another folder, to judge Verilog that is not delivered.
const RTL_OUT: &str = "TOLLGATE_RTL_OUT";

/// Narrows [`configurations`] to the one of this name.
const CONFIGURATION: &str = "TOLLGATE_CONFIGURATION";

/// The configurations that are shipped, in the order of their sizes. What holds in one must hold in all.
/// `TOLLGATE_CONFIGURATION` narrows them to one.
///
/// # Panics
///
/// If one breaks its rules, or the environment names none of them.
pub fn configurations() -> Vec<Config> {
    let names = chosen(env::var(CONFIGURATION).ok().as_deref()).unwrap_or_else(|text| panic!("{text}"));
    names.into_iter().map(|name| Config::shipped(name, &[]).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The names of the shipped configurations, or the one that is wanted.
fn chosen(wanted: Option<&str>) -> Result<Vec<&'static str>, String> {
    let shipped: Vec<_> = SHIPPED.iter().map(|(name, _)| *name).collect();
    match wanted {
        None => Ok(shipped),
        Some(wanted) => match shipped.iter().find(|name| **name == wanted) {
            Some(name) => Ok(vec![name]),
            None => Err(format!("{CONFIGURATION}={wanted}: no such configuration; there are {}", shipped.join(", "))),
        },
    }
}

/// The model of `module` as rendered for `config`, with the modules that it consists of. The assertions of the hardware
/// language are switched on: one that fails stops the simulation.
///
/// It is read from `rtl-out/`, or from the folder that `TOLLGATE_RTL_OUT` names, relative to the workspace.
///
/// # Panics
///
/// If there is no such file.
#[track_caller]
pub fn model(config: &Config, module: &str) -> ModelBuilder {
    let sources = with_parts(&rtl_folder(config), module);
    sources.into_iter().fold(Model::of(module).define("TOLLGATE_CHECKS", 1), |model, path| {
        model.file(path).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The folder of the Verilog of a configuration: one file a module, called like it.
///
/// # Panics
///
/// If this is no workspace.
pub fn rtl_folder(config: &Config) -> PathBuf {
    let root = workspace::root().unwrap_or_else(|error| panic!("{error}"));
    let out = env::var_os(RTL_OUT).map_or_else(|| "rtl-out".into(), PathBuf::from);
    root.join(out).join(&config.name).join("rtl")
}

/// The file of `module`, and those of the modules that it names, and so on.
#[track_caller]
fn with_parts(folder: &Path, module: &str) -> BTreeSet<PathBuf> {
    let file = |module: &str| folder.join(format!("{module}.v"));
    let mut found = BTreeSet::new();
    let mut open = vec![file(module)];
    while let Some(path) = open.pop() {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!("cannot read {}: {error}; `cargo run --release -- build` writes it", path.display())
        });
        found.insert(path);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let parts = words.filter(|word| !word.is_empty()).map(file);
        open.extend(parts.filter(|part| !found.contains(part) && part.is_file()));
    }
    found
}

/// The test `condition` of the testbench whose `module_path!()` is `bench`, in a configuration: the command that repeats
/// a failure chooses that configuration alone, and the folder of Verilog that this run reads.
///
/// # Panics
///
/// If `bench` is not a module of the test binary.
pub fn run(bench: &str, condition: &str, config: &Config) -> Run {
    let (_binary, block) = bench.split_once("::").expect("a testbench is a module of the test binary");
    let run = Run::of(format!("{block}::{condition}")).variant(&config.name).environment(CONFIGURATION, &config.name);
    match env::var(RTL_OUT) {
        Ok(folder) => run.environment(RTL_OUT, folder),
        Err(_) => run,
    }
}

/// A number of `width` random bits.
pub fn any_bits(rng: &mut (impl Rng + ?Sized), width: u32) -> BigUint {
    let mut words: Vec<u32> = (0..width.div_ceil(32)).map(|_| rng.next_u32()).collect();
    if let Some(last) = words.last_mut() {
        *last &= u32::MAX >> (width.next_multiple_of(32) - width);
    }
    BigUint::new(words)
}

/// The clock and the reset of a block with one clock domain: its ports `clk` and `rst`.
///
/// Blocks act on rising edges, and their reset is active high; it is synchronous everywhere but in the reset synchronizer.
pub struct ClockAndReset {
    /// `clk`.
    pub clk: Clock,
    /// `rst`.
    pub rst: Input,
}

impl ClockAndReset {
    /// Finds the two ports.
    ///
    /// # Errors
    ///
    /// If one of them is missing or wider than one bit.
    pub fn of(dut: &mut Dut) -> Outcome<Self> {
        Ok(Self { clk: dut.clock("clk")?, rst: dut.input("rst")?.of_width(1)? })
    }

    /// Holds the reset for [`RESET_CYCLES`].
    ///
    /// # Errors
    ///
    /// If the model stops.
    pub fn reset(&self, dut: &mut Dut) -> Outcome {
        dut.reset(&self.rst, self.clk, RESET_CYCLES)
    }

    /// Rising edges so far.
    pub fn cycle(&self, dut: &Dut) -> u64 {
        dut.cycle(self.clk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_module_comes_with_its_parts_and_nothing_else() {
        let folder = planted(&[
            ("top.v", "module top; left l(.a(b)); right r(); endmodule"),
            ("left.v", "module left; leaf x(); endmodule"),
            ("right.v", "module right; leaf y(); endmodule"),
            ("leaf.v", "module leaf; endmodule"),
            ("a.txt", ""),
            ("other.v", "module other; top t(); endmodule"),
        ]);
        let found = with_parts(folder.path(), "top");
        let names: Vec<_> = found.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["leaf", "left", "right", "top"]);
    }

    #[test]
    #[should_panic(expected = "; `cargo run --release -- build` writes it")]
    fn verilog_that_was_never_rendered_names_the_cure() {
        with_parts(planted(&[]).path(), "top");
    }

    #[test]
    fn the_shipped_configurations_are_read() {
        assert_eq!(chosen(None).unwrap(), ["small", "default", "max"]);
        assert_eq!(chosen(Some("max")).unwrap(), ["max"]);
        assert_eq!(
            chosen(Some("smal")).unwrap_err(),
            "TOLLGATE_CONFIGURATION=smal: no such configuration; there are small, default, max"
        );
        let wanted = env::var(CONFIGURATION).ok();
        let names: Vec<_> = configurations().into_iter().map(|config| config.name).collect();
        assert_eq!(names, chosen(wanted.as_deref()).unwrap());
    }
}
