//! What the bridge costs: cycles per processor second of a table lookup with one driver and one
//! scoreboard, from Rust and from a bare C++ main that does the same work, with the same Verilator
//! flags.
//!
//! The C++ side does no more than this run needs: no stalls, no reset in the middle, no random payload
//! while idle, sizes known to the compiler. That the Rust side is general is part of what it costs.
//!
//! `cargo bench -p tollgate-cosim` prints a line for 16 entries and one for 64, `bridge entries=…
//! rust=… cpp=… ratio=…`: medians of [`RUNS`] runs of [`CYCLES`] cycles each, taken in turns. It
//! fails if either stays below [`WANTED`].

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use tollgate_cosim::{Model, Outcome, Scoreboard, Stalls, StreamDriver, StreamMonitor, StreamSink, Tools};

/// Cycles of a run.
const CYCLES: u64 = 1_000_000;

/// Runs of each kind.
const RUNS: usize = 5;

/// Least speed of the bridge, as a part of the bare main's.
const WANTED: f64 = 0.8;

/// Verilog of the device.
const TABLE: &str = include_str!("table.v");

/// The bare main.
const BARE: &str = include_str!("bare.cpp");

fn main() -> ExitCode {
    match measure() {
        Ok(ratio) if ratio >= WANTED => ExitCode::SUCCESS,
        Ok(ratio) => {
            eprintln!("the bridge reaches {ratio:.2} of a bare C++ main, wanted {WANTED}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the speeds; gives the lesser ratio.
fn measure() -> Result<f64, Box<dyn std::error::Error>> {
    let mut least = f64::INFINITY;
    for index_bits in [4, 6] {
        let entries = 1 << index_bits;
        let model = Model::of("table_lookup").text("table_lookup.v", TABLE)?;
        let model = model.define("ENTRIES", entries).define("INDEX_BITS", index_bits).build()?;
        let folder = tempfile::tempdir()?;
        build_bare(folder.path(), entries, index_bits)?;
        let (mut rust, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            rust.push(run_rust(&model, entries)?);
            bare.push(run_bare(folder.path())?);
        }
        let (rust, bare) = (median(rust), median(bare));
        let ratio = rust / bare;
        least = least.min(ratio);
        println!("bridge entries={entries} rust={rust:.0} cpp={bare:.0} ratio={ratio:.3}");
    }
    Ok(least)
}

fn median(mut speeds: Vec<f64>) -> f64 {
    speeds.sort_by(f64::total_cmp);
    speeds[speeds.len() / 2]
}

/// Processor time of this thread: other work on the machine counts less than by the clock.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells run times");
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.expect("the first field is the time on the processor") * 1e-9
}

/// A generator as cheap in both languages.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Cycles per processor second from Rust.
fn run_rust(model: &Model, entries: u32) -> Outcome<f64> {
    let mut dut = model.instance(1)?;
    let (clk, rst) = (dut.clock("clk")?, dut.input("rst")?);
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut lookup = StreamDriver::new(&dut, "lookup", Stalls::Never, 1)?;
    let mut sink = StreamSink::new(&dut, "found", Stalls::Never, 2)?;
    let mut found = StreamMonitor::new(&dut, "found")?;
    let mut scoreboard = Scoreboard::new("lookup");
    dut.reset(&rst, clk, 2)?;

    let miss = found.layout().beat();
    let mut golden = vec![miss.clone(); 2 * entries as usize];
    let (program, index) = (dut.input("program_valid")?, dut.input("program_index")?);
    let descriptor = dut.input("program_descriptor")?;
    program.set(1);
    for entry in 0..entries {
        let mut words = [0; 8].map(|_: u32| random.next() as u32);
        words[7] &= 0x7ff;
        words[0] = (words[0] & !0x3ff) | (entry * 2);
        descriptor.set_words(&words);
        index.set(entry.into());
        dut.step(clk)?;
        let value = num_bigint::BigUint::from_slice(&words);
        golden[entry as usize * 2] = miss.clone().with("hit", 1u32)?.with("descriptor", value)?;
    }
    program.set(0);

    let key_field = lookup.layout().field("data")?;
    let start = cpu_seconds();
    for _ in 0..CYCLES {
        let key = random.next() & u64::from(2 * entries - 1);
        let mut beat = lookup.beat();
        beat.set(key_field, key);
        lookup.push(beat);
        scoreboard.expect(golden[key as usize].clone());
        lookup.drive();
        sink.drive();
        dut.eval()?;
        lookup.sample();
        let cycle = dut.cycle(clk);
        if let Some(answer) = found.sample(cycle)? {
            scoreboard.check(cycle, answer)?;
        }
        dut.step(clk)?;
    }
    let seconds = cpu_seconds() - start;
    assert_eq!(scoreboard.matched(), CYCLES - 1, "every lookup but the last was answered");
    Ok(CYCLES as f64 / seconds)
}

/// Builds the bare main in `folder`, with the flags of the bridge. (Verilator's makefile gives a file
/// of the user `OPT_FAST` last, which is `-Os` unless told otherwise.)
fn build_bare(folder: &Path, entries: u32, index_bits: u32) -> Result<(), Box<dyn std::error::Error>> {
    fs::write(folder.join("table_lookup.v"), TABLE)?;
    fs::write(folder.join("bare.cpp"), BARE)?;
    let mut verilator = Tools::find()?.command("verilator")?;
    verilator.current_dir(folder).args(["--cc", "--exe", "--build", "-Wall", "--assert"]);
    verilator.args(["--no-timing", "--x-assign", "unique", "--x-initial", "unique", "--unroll-count", "4096"]);
    verilator.args(["-CFLAGS", "-O2", "-MAKEFLAGS", "OPT_FAST=-O2"]);
    verilator.args(["-CFLAGS", &format!("-DCOSIM_ENTRIES={entries}")]);
    verilator.arg(format!("+define+ENTRIES={entries}+INDEX_BITS={index_bits}"));
    verilator.args(["-Mdir", "obj", "table_lookup.v", "bare.cpp"]);
    let output = verilator.output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(String::from_utf8_lossy(&text).into())
}

/// Cycles per processor second from C++.
fn run_bare(folder: &Path) -> Result<f64, Box<dyn std::error::Error>> {
    let program = folder.join("obj/Vtable_lookup");
    let output = Command::new(program).arg(CYCLES.to_string()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut fields = text.split_whitespace();
    let matched: u64 = fields.next().ok_or("the bare main failed")?.parse()?;
    let seconds: f64 = fields.next().ok_or("the bare main failed")?.parse()?;
    assert_eq!(matched, CYCLES - 1, "both do the same work");
    Ok(CYCLES as f64 / seconds)
}
