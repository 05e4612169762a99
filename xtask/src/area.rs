//! Area and length beside hand-written Verilog of the same function: it passes the testbenches of the blocks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tollgate_cosim::{Tools, workspace};
use tollgate_spec::config::Config;

use crate::Outcome;
use crate::mutate::Bench;
use crate::synthesis::{Yosys, verilog_in};

/// Synthesizes our blocks and the hand-written yardsticks of `xtask/area` for Xilinx 7 (pinned pyosys) and compares them
#[derive(clap::Args)]
pub struct Args {}

/// A block beside its yardstick.
struct Comparison {
    what: &'static str,
    /// What the configuration `default` is changed by.
    sets: &'static [&'static str],
    module: &'static str,
    by_hand: &'static str,
    by_hand_module: &'static str,
    /// Parameters of the yardstick that make it the same.
    by_hand_sets: &'static [(&'static str, &'static str)],
    rust: &'static str,
    /// The shared bundle of its ports, whose lines count too.
    bundle: &'static str,
}

const COMPARISONS: [Comparison; 4] = [
    Comparison {
        what: "access_log_table, LUT RAM",
        sets: &["access_log_table.storage=lut_ram"],
        module: "active_access_access_log_table",
        by_hand: "access_log_table.v",
        by_hand_module: "access_log_table_by_hand",
        by_hand_sets: &[("STYLE", "\"distributed\"")],
        rust: "active_access/access_log_table.rs",
        bundle: "Valid",
    },
    Comparison {
        what: "access_log_table, flip-flops",
        sets: &["access_log_table.storage=flip_flops"],
        module: "active_access_access_log_table",
        by_hand: "access_log_table.v",
        by_hand_module: "access_log_table_by_hand",
        by_hand_sets: &[("STYLE", "\"registers\"")],
        rust: "active_access/access_log_table.rs",
        bundle: "Valid",
    },
    Comparison {
        what: "fifo 512 x 289, block RAM",
        sets: &[],
        module: "cells_fifo_ram_512x289",
        by_hand: "fifo.v",
        by_hand_module: "fifo_by_hand",
        by_hand_sets: &[("BLOCK_RAM", "1")],
        rust: "cells/fifo.rs",
        bundle: "Stream",
    },
    Comparison {
        what: "fifo 4 x 289, registers",
        sets: &[],
        module: "cells_fifo_registers_4x289",
        by_hand: "fifo.v",
        by_hand_module: "fifo_by_hand",
        by_hand_sets: &[("BLOCK_RAM", "0"), ("DEPTH", "4"), ("A", "2")],
        rust: "cells/fifo.rs",
        bundle: "Stream",
    },
];

/// How many times the area of the yardstick a block may have.
const AREA_LIMIT: f64 = 1.02;
/// How many times the lines of the yardstick the Verilog may have.
const VERILOG_LIMIT: f64 = 1.5;
/// How many times the lines of the yardstick the Rust may have.
const RUST_LIMIT: f64 = 1.0;

impl Args {
    /// Prints a table. An error names each limit that is passed.
    pub fn run(self) -> Outcome {
        let tools = Tools::find()?;
        let root = workspace::root()?;
        let scratch = tempfile::tempdir()?;
        let bundles = fs::read_to_string(root.join("hdl/src/bundles/stream.rs"))?;
        let mut passed_limits = vec![];
        same_function()?;
        println!("| block | | LUT | FF | RAM | Verilog lines | Rust lines |\n|---|---|---|---|---|---|---|");
        for comparison in &COMPARISONS {
            let sets: Vec<String> = comparison.sets.iter().map(|set| (*set).to_owned()).collect();
            let config = Config::shipped("default", &sets).map_err(|error| error.to_string())?;
            let text = rendered(&config, comparison.module)?;
            let ours_file = scratch.path().join(format!("{}.v", comparison.module));
            fs::write(&ours_file, &text)?;
            let hand_file = root.join("xtask/area").join(comparison.by_hand);
            let hand_text = fs::read_to_string(&hand_file)?;
            let rust_text = fs::read_to_string(root.join("hdl/src").join(comparison.rust))?;

            let ours = Area::of(&tools, &ours_file, comparison.module, &[])?;
            let hand = Area::of(&tools, &hand_file, comparison.by_hand_module, comparison.by_hand_sets)?;
            let (verilog, by_hand) = (lines(&text), lines(&hand_text));
            let rust = lines(&rust_text) + lines(bundle(&bundles, comparison.bundle)?);
            println!("| {} | by hand | {} | {} | {} | {by_hand} | |", comparison.what, hand.lut, hand.ff, hand.ram());
            println!("| | ours | {} | {} | {} | {verilog} | {rust} |", ours.lut, ours.ff, ours.ram());
            let ratio = |ours: usize, hand: usize| ours as f64 / hand as f64;
            let [lut, ff] = [ratio(ours.lut, hand.lut), ratio(ours.ff, hand.ff)];
            let [verilog, rust] = [ratio(verilog, by_hand), ratio(rust, by_hand)];
            println!(
                "| | ratio | {lut:.3} | {ff:.3} | {} | {verilog:.2} | {rust:.2} |",
                if ours.rams == hand.rams { "equal" } else { "**differs**" }
            );

            let mut limit = |what: &str, ratio: f64, limit: f64| {
                if ratio > limit {
                    passed_limits
                        .push(format!("{}: {what} {ratio:.3} of the yardstick, the limit is {limit}", comparison.what));
                }
            };
            limit("LUT", lut, AREA_LIMIT);
            limit("FF", ff, AREA_LIMIT);
            limit("Verilog lines", verilog, VERILOG_LIMIT);
            limit("Rust lines", rust, RUST_LIMIT);
            if ours.rams != hand.rams {
                passed_limits.push(format!("{}: RAM {} instead of {}", comparison.what, ours.ram(), hand.ram()));
            }
        }
        if passed_limits.is_empty() { Ok(()) } else { Err(passed_limits.join("\n").into()) }
    }
}

/// Has the testbenches of the blocks judge the yardsticks, put in their places.
///
/// # Errors
///
/// A yardstick that does not pass.
fn same_function() -> Outcome {
    let folder = workspace::root()?.join("xtask/area");
    let bench = Bench::prepare("default", "target/area/rtl-out")?;
    for (module, file) in [("access_log_table_by_hand", "access_log_table.v"), ("fifo_by_hand", "fifo.v")] {
        // Written as people write: with widths and parameters that a linter would have otherwise.
        let lenient = "/* verilator lint_off WIDTH */ /* verilator lint_off UNUSEDPARAM */\n";
        bench.put(module, &format!("{lenient}{}", fs::read_to_string(folder.join(file))?))?;
    }
    for file in verilog_in(&folder.join("in_place"))? {
        let module = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        bench.put(&module, &fs::read_to_string(&file)?)?;
    }
    for key in ["active_access/access_log_table", "cells/fifo"] {
        if bench.notices(key, 0)? {
            return Err(format!("the yardstick in the place of {key} does not pass its testbench").into());
        }
    }
    Ok(())
}

/// The Verilog of one module of a configuration.
fn rendered(config: &Config, module: &str) -> Result<String, Box<dyn std::error::Error>> {
    let path = format!("rtl/{module}.v");
    let files = tollgate::render::render(config)?;
    let file = files.into_iter().find(|file| file.path == path).ok_or_else(|| format!("no {path} is rendered"))?;
    Ok(file.text)
}

/// The declaration of a bundle in a file whose items stand apart by blank lines.
fn bundle<'t>(text: &'t str, name: &str) -> Result<&'t str, String> {
    let declares = |item: &&str| item.contains(&format!("pub struct {name}<"));
    text.split("\n\n").find(declares).ok_or_else(|| format!("there is no bundle `{name}`"))
}

/// Lines that are neither blank nor comment.
fn lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// What a module takes of a Xilinx 7 device.
struct Area {
    lut: usize,
    ff: usize,
    rams: BTreeMap<String, usize>,
}

impl Area {
    fn of(
        tools: &Tools,
        file: &Path,
        module: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let scratch = tempfile::tempdir()?;
        let json: PathBuf = scratch.path().join("stat.json");
        let parameters: String =
            parameters.iter().map(|(name, value)| format!("chparam -set {name} {value} {module}\n")).collect();
        let script = format!(
            "read_verilog {}\n{parameters}synth_xilinx -flatten -noiopad -top {module}\ntee -q -o {} stat -json\n",
            file.display(),
            json.display()
        );
        Yosys::Pinned.run(tools, &script)?;
        let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json)?)?;
        let cells = report["design"]["num_cells_by_type"].as_object().ok_or("stat has no cells")?;
        let count = |is: &dyn Fn(&str) -> bool| -> usize {
            cells.iter().filter(|(name, _)| is(name)).filter_map(|(_, count)| count.as_u64()).sum::<u64>() as usize
        };
        let rams = cells
            .iter()
            .filter(|(name, _)| name.starts_with("RAM"))
            .filter_map(|(name, count)| Some((name.clone(), count.as_u64()? as usize)))
            .collect();
        Ok(Self {
            lut: count(&|name| name.starts_with("LUT") || name == "INV"),
            ff: count(&|name| name.starts_with("FD")),
            rams,
        })
    }

    fn ram(&self) -> String {
        if self.rams.is_empty() {
            return "none".to_owned();
        }
        self.rams.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    }
}
