//! Many circuits in one run of a simulator.
//!
//! All circuits of a batch stand side by side in one top module, `batch`; each has a vector of resets and inputs, clocks
//! of its own and a vector of outputs. Verilator and Icarus read the same text and the same stimulus.
//!
//! Resets and inputs are taken at an edge of `load`: of what follows from a port, Verilator writes all expressions once
//! more, and most of a run is the time that the C++ compiler takes.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use num_bigint::BigUint;
use tollgate_cosim::Tools;
use tollgate_cosim::tools::compiler;
use tollgate_rtl::Value;
use tollgate_rtl::verilog::File;

use super::case::{Case, domains};

/// A simulator that reads Verilog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simulator {
    Verilator,
    Icarus,
    /// Verilator, on what Yosys made of the text.
    Netlist,
}

impl fmt::Display for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verilator => "Verilator",
            Self::Icarus => "Icarus",
            Self::Netlist => "the netlist in Verilator",
        })
    }
}

/// One circuit of a batch.
pub struct Member<'a> {
    pub case: &'a Case,
    /// Its Verilog; the last module is the top.
    pub files: Vec<File>,
}

/// The outputs of a circuit in one cycle.
#[derive(Clone, PartialEq, Debug)]
pub enum Seen {
    /// Known bits.
    Known(Value),
    /// In hexadecimal, with unknown digits.
    Unknown(String),
}

/// Vectors of the batch have more than 64 bits, so that Verilator keeps all of them in the same way.
const LEAST: u32 = 65;

/// Width of the vector of resets (three) and inputs.
fn stimulus_width(case: &Case) -> u32 {
    (3 + case.input_width()).max(LEAST)
}

fn observed_width(case: &Case) -> u32 {
    case.output_width().max(LEAST)
}

/// Writes the files of a batch, `batch.v` and one a module, and returns them.
pub fn write_sources(folder: &Path, members: &[Member]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut text = String::from("`default_nettype none\n/* verilator lint_off UNUSEDSIGNAL */\nmodule batch (\n");
    let mut ports = vec!["    input wire load".to_owned()];
    for (k, member) in members.iter().enumerate() {
        ports.push(format!("    input wire [{}:0] next_{k}", stimulus_width(member.case) - 1));
        ports.push(format!("    input wire [2:0] edges_{k}"));
        ports.push(format!("    output wire [{}:0] observed_{k}", observed_width(member.case) - 1));
    }
    writeln!(text, "{}\n);", ports.join(",\n"))?;
    let mut sources = vec![];
    for (k, member) in members.iter().enumerate() {
        instantiate(&mut text, k, member)?;
        for file in &member.files {
            let path = folder.join(format!("{}.v", file.module));
            fs::write(&path, &file.text)?;
            sources.push(path);
        }
    }
    text.push_str("endmodule\n`default_nettype wire\n");
    let top = folder.join("batch.v");
    fs::write(&top, text)?;
    sources.push(top);
    Ok(sources)
}

fn instantiate(text: &mut String, k: usize, member: &Member) -> fmt::Result {
    let case = member.case;
    let mut connections = vec![];
    for (id, domain) in domains(&case.design) {
        let of = &case.design.top().domains[id.index()];
        if of.clock_used {
            connections.push(format!(".{}(edges_{k}[{domain}])", of.clock()));
        }
        if of.reset_used {
            connections.push(format!(".{}(stimulus_{k}[{domain}])", of.reset()));
        }
    }
    let bits = |vector: &str, low: u32, width: u32| format!("{vector}_{k}[{}:{low}]", low + width - 1);
    for port in &case.inputs {
        connections.push(format!(".{}({})", port.name, bits("stimulus", 3 + port.low, port.width)));
    }
    for port in &case.outputs {
        connections.push(format!(".{}({})", port.name, bits("observed", port.low, port.width)));
    }
    let (top, width) = (&member.files.last().expect("a circuit has a module").module, stimulus_width(case));
    writeln!(text, "    reg [{}:0] stimulus_{k};", width - 1)?;
    writeln!(text, "    initial stimulus_{k} = {width}'d0;")?;
    writeln!(text, "    always @(posedge load) stimulus_{k} <= next_{k};")?;
    writeln!(text, "    {top} c_{k} (\n        {}\n    );", connections.join(",\n        "))?;
    let (outputs, all) = (case.output_width(), observed_width(case));
    if outputs < all {
        writeln!(text, "    assign {} = {}'d0;", bits("observed", outputs, all - outputs), all - outputs)?;
    }
    Ok(())
}

/// Cycles that a batch runs for.
fn cycles(members: &[Member]) -> usize {
    members.iter().map(|member| member.case.stimulus.len()).max().unwrap_or(0)
}

/// Resets and inputs of a cycle as one number.
fn stimulus_bits(case: &Case, cycle: usize) -> BigUint {
    let Some(cycle) = case.stimulus.get(cycle) else { return BigUint::from(0u8) };
    let resets = cycle.resets.iter().enumerate().map(|(domain, reset)| u8::from(*reset) << domain).sum::<u8>();
    (cycle.inputs.bits() << 3) | BigUint::from(resets)
}

fn edge_bits(case: &Case, cycle: usize) -> u8 {
    let Some(cycle) = case.stimulus.get(cycle) else { return 0 };
    cycle.edges.iter().enumerate().map(|(domain, edge)| u8::from(*edge) << domain).sum()
}

/// Runs a command; its output, errors included, is the error if it fails.
fn run(command: &mut Command, what: &str) -> Result<String, Box<dyn Error>> {
    let output = command.output().map_err(|cause| format!("cannot start {what}: {cause}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(text) } else { Err(format!("{what} failed:\n{text}").into()) }
}

/// Seconds of processor time that a simulation may take: ten times what the longest batch needs. One that takes longer
/// does not settle.
const PATIENCE: u32 = 20;

/// As [`run`], for a simulation, which may not settle.
fn run_briefly(program: &Path, arguments: &[&OsStr], folder: &Path, what: &str) -> Result<String, Box<dyn Error>> {
    let limited = format!("ulimit -t {PATIENCE}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, "sh"]).arg(program).args(arguments).current_dir(folder);
    let output = command.output().map_err(|cause| format!("cannot start {what}: {cause}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    match (output.status.success(), output.status.signal()) {
        (true, _) => Ok(text),
        (false, Some(_)) => Err(format!("{what} does not settle").into()),
        (false, None) => Err(format!("{what} failed:\n{text}").into()),
    }
}

// ---- Icarus -------------------------------------------------------------------------------------------------------

/// Runs a batch in Icarus: for each circuit what is seen in each of its cycles.
///
/// # Errors
/// A tool that is missing, or that does not take the text.
pub fn icarus(tools: &Tools, folder: &Path, members: &[Member]) -> Result<Vec<Vec<Seen>>, Box<dyn Error>> {
    let mut sources = write_sources(folder, members)?;
    let bench = folder.join("bench.v");
    fs::write(&bench, icarus_bench(members)?)?;
    for (k, member) in members.iter().enumerate() {
        let mut lines = String::new();
        for cycle in 0..cycles(members) {
            let stimulus = stimulus_bits(member.case, cycle) << 3 | BigUint::from(edge_bits(member.case, cycle));
            writeln!(lines, "{stimulus:x}")?;
        }
        fs::write(folder.join(format!("stimulus_{k}.hex")), lines)?;
    }
    sources.push(bench);
    let program = folder.join("icarus.vvp");
    run(tools.command("iverilog")?.args(["-g2005", "-s", "bench", "-o"]).arg(&program).args(&sources), "Icarus")?;
    let text = run_briefly(&tools.path("vvp")?, &["-n".as_ref(), program.as_ref()], folder, "Icarus")?;
    let mut seen: Vec<Vec<Seen>> = vec![vec![]; members.len()];
    for line in text.lines() {
        let Some((k, digits)) = line.strip_prefix('#').and_then(|line| line.split_once(' ')) else {
            return Err(format!("Icarus says: {line}").into());
        };
        let k: usize = k.parse()?;
        seen[k].push(match BigUint::parse_bytes(digits.as_bytes(), 16) {
            Some(bits) => Seen::Known(Value::new(members[k].case.output_width(), bits)),
            None => Seen::Unknown(digits.to_owned()),
        });
    }
    Ok(seen)
}

fn icarus_bench(members: &[Member]) -> Result<String, fmt::Error> {
    let mut text = String::from("module bench;\n    integer cycle;\n    reg load = 0;\n");
    let mut connections = vec![".load(load)".to_owned()];
    for (k, member) in members.iter().enumerate() {
        let (stimulus, observed) = (stimulus_width(member.case), observed_width(member.case));
        writeln!(text, "    reg [{}:0] next_{k} = 0;", stimulus - 1)?;
        writeln!(text, "    reg [2:0] edges_{k} = 0;")?;
        writeln!(text, "    wire [{}:0] observed_{k};", observed - 1)?;
        writeln!(text, "    reg [{}:0] memory_{k} [0:{}];", stimulus + 2, cycles(members) - 1)?;
        for vector in ["next", "edges", "observed"] {
            connections.push(format!(".{vector}_{k}({vector}_{k})"));
        }
    }
    writeln!(text, "    batch dut (\n        {}\n    );", connections.join(",\n        "))?;
    text.push_str("    initial begin\n");
    for k in 0..members.len() {
        writeln!(text, "        $readmemh(\"stimulus_{k}.hex\", memory_{k});")?;
    }
    writeln!(text, "        #1;\n        for (cycle = 0; cycle < {}; cycle = cycle + 1) begin", cycles(members))?;
    for (k, member) in members.iter().enumerate() {
        writeln!(text, "            next_{k} = memory_{k}[cycle][{}:3];", stimulus_width(member.case) + 2)?;
    }
    text.push_str("            load = 1;\n            #1;\n            load = 0;\n");
    for (k, member) in members.iter().enumerate() {
        let (cycles, last) = (member.case.stimulus.len(), member.case.output_width() - 1);
        writeln!(text, "            if (cycle < {cycles}) $display(\"#{k} %h\", observed_{k}[{last}:0]);")?;
    }
    for k in 0..members.len() {
        writeln!(text, "            edges_{k} = memory_{k}[cycle][2:0];")?;
    }
    text.push_str("            #1;\n");
    for k in 0..members.len() {
        writeln!(text, "            edges_{k} = 0;")?;
    }
    text.push_str("            #1;\n        end\n        $finish;\n    end\nendmodule\n");
    Ok(text)
}

// ---- Verilator ----------------------------------------------------------------------------------------------------

/// Runs a batch in Verilator: for each circuit what is seen in each of its cycles.
///
/// # Errors
/// A tool that is missing, or that does not take the text.
pub fn verilator(tools: &Tools, folder: &Path, members: &[Member]) -> Result<Vec<Vec<Seen>>, Box<dyn Error>> {
    let sources = write_sources(folder, members)?;
    let main = folder.join("main.cpp");
    fs::write(&main, verilator_main(members)?)?;
    let mut stimulus = std::io::BufWriter::new(fs::File::create(folder.join("stimulus.bin"))?);
    for cycle in 0..cycles(members) {
        for member in members {
            let mut words = stimulus_bits(member.case, cycle).to_u32_digits();
            words.resize(stimulus_width(member.case).div_ceil(32) as usize, 0);
            words.push(edge_bits(member.case, cycle).into());
            words.iter().try_for_each(|word| stimulus.write_all(&word.to_le_bytes()))?;
        }
    }
    stimulus.flush()?;
    drop(stimulus);
    let program = verilate(tools, folder, &sources, &main)?;
    run_briefly(&program, &[], folder, "the Verilator model")?;
    let bytes = fs::read(folder.join("observed.bin"))?;
    let mut seen: Vec<Vec<Seen>> = vec![vec![]; members.len()];
    let mut rest = &bytes[..];
    for cycle in 0..cycles(members) {
        for (k, member) in members.iter().enumerate() {
            let size = observed_width(member.case).div_ceil(32) as usize * 4;
            let (word, others) = rest.split_at_checked(size).ok_or("the Verilator model stopped early")?;
            rest = others;
            if cycle < member.case.stimulus.len() {
                seen[k].push(Seen::Known(Value::new(member.case.output_width(), BigUint::from_bytes_le(word))));
            }
        }
    }
    Ok(seen)
}

fn verilator_main(members: &[Member]) -> Result<String, fmt::Error> {
    let mut text = String::from(include_str!("simulate_main.cpp"));
    text.push_str("\nstatic void connect(Vbatch& top, Circuit* circuits) {\n");
    for (k, member) in members.iter().enumerate() {
        let (stimulus, observed) = (stimulus_width(member.case).div_ceil(32), observed_width(member.case).div_ceil(32));
        writeln!(
            text,
            "    circuits[{k}] = {{&top.next_{k}[0], {stimulus}, &top.edges_{k}, &top.observed_{k}[0], {observed}}};"
        )?;
    }
    writeln!(text, "}}\nint main() {{ return run({}, {}, connect); }}", members.len(), cycles(members))?;
    Ok(text)
}

/// Makes a program of a batch; compiling it takes far longer than running it, so little is optimized, and nothing that
/// makes more C++ of it.
fn verilate(tools: &Tools, folder: &Path, sources: &[PathBuf], main: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let objects = folder.join("verilated");
    let _ = fs::remove_dir_all(&objects);
    fs::create_dir(&objects)?;
    let runtime = RUNTIME.get();
    for (name, object) in runtime.into_iter().flatten() {
        fs::write(objects.join(name), object)?; // make finds it newer than its source
    }
    let mut command = tools.command("verilator")?;
    command.args(["--cc", "--exe", "--build", "--no-timing", "--prefix", "Vbatch", "--top-module", "batch"]);
    command.args(["-Wno-fatal", "-Wno-WIDTH", "-Wno-UNOPTFLAT", "--x-assign", "unique", "--x-initial", "unique"]);
    command.args([
        "-fno-expand",
        "-fno-inline",
        "--output-split",
        "0",
        "-CFLAGS",
        "-O0",
        "-MAKEFLAGS",
        "OPT_GLOBAL=-O0",
    ]);
    for program in ["CXX", "LINK"] {
        command.args(["-MAKEFLAGS", &format!("{program}={}", compiler())]);
    }
    command.args(["-j", "1", "--Mdir"]).arg(&objects).arg("-o").arg(objects.join("batch")).args(sources).arg(main);
    run(&mut command, "Verilator")?;
    if runtime.is_none() {
        let read = |name| Ok((name, fs::read(objects.join(name))?));
        let built = ["verilated.o", "verilated_threads.o"].into_iter().map(read);
        let _ = RUNTIME.set(built.collect::<Result<_, std::io::Error>>()?); // another job may have been first
    }
    Ok(objects.join("batch"))
}

/// The objects of Verilator's runtime, which no circuit changes, from the first program of this run.
static RUNTIME: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();

// ---- comparison ---------------------------------------------------------------------------------------------------

/// Where a simulator first saw something else than the interpreter computed.
#[derive(Clone, Debug)]
pub struct Difference {
    pub cycle: usize,
    pub expected: Value,
    pub seen: Seen,
}

/// The first difference, if there is one.
pub fn first_difference(expected: &[Value], seen: &[Seen]) -> Option<Difference> {
    let found = expected.iter().zip(seen).position(|(expected, seen)| *seen != Seen::Known(expected.clone()));
    match found {
        Some(cycle) => Some(Difference { cycle, expected: expected[cycle].clone(), seen: seen[cycle].clone() }),
        None if seen.len() < expected.len() => Some(Difference {
            cycle: seen.len(),
            expected: expected[seen.len()].clone(),
            seen: Seen::Unknown("nothing".into()),
        }),
        None => None,
    }
}
