//! Breaks the hardware in one place after the other, as `tollgate_rtl::mutate` says, and asks the testbenches whether they
//! notice.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use itertools::Itertools;
use tollgate_cosim::{Tools, workspace};
use tollgate_hdl::catalogue::{Block, blocks};
use tollgate_rtl::ir::{Design, SignalKind};
use tollgate_rtl::mutate::{Mutant, Mutated, SELECTOR, SELECTOR_BITS, of_resets};
use tollgate_rtl::verilog;
use tollgate_spec::config::Config;

use crate::synthesis::Yosys;
use crate::{Outcome, testbenches};

/// Longer than any testbench takes: a mutant that hangs one is noticed.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many mutants of a module the smoke run tries.
const SMOKE: usize = 2;

/// Breaks every block in one place after the other and counts what its testbench notices; what it does not is proved equivalent, or listed
#[derive(clap::Args)]
pub struct Args {
    /// Only blocks whose key contains this, such as `cells/fifo`
    #[arg(long)]
    block: Option<String>,
    /// The configuration that is broken; proofs want small memories
    #[arg(long, default_value = "small")]
    config: String,
    /// A few mutants of each module, evenly spread
    #[arg(long)]
    smoke: bool,
}

/// What became of a mutant.
enum Fate {
    Killed,
    Equivalent,
    Survived,
}

impl Args {
    /// Prints a line for each module and each survivor. An error if there are survivors.
    pub fn run(self) -> Outcome {
        let config = Config::shipped(&self.config, &[]).map_err(|error| error.to_string())?;
        let bench = Bench::prepare(&self.config, "target/mutate/rtl-out")?;
        let mut survivors = vec![];
        println!("| module | mutants | killed | proved equivalent | survived |\n|---|---|---|---|---|");
        for block in blocks(&config).map_err(|errors| errors.to_string())? {
            if self.block.as_ref().is_some_and(|wanted| !block.key.contains(wanted.as_str())) {
                continue;
            }
            let (mut killed, mut equivalent, mut total) = (0, 0, 0);
            for (mutant, fate) in self.judge(&bench, &block)? {
                total += 1;
                match fate {
                    Fate::Killed => killed += 1,
                    Fate::Equivalent => equivalent += 1,
                    Fate::Survived => survivors.push(mutant),
                }
            }
            println!(
                "| {} | {total} | {killed} | {equivalent} | {} |",
                block.design.top().name,
                total - killed - equivalent
            );
        }
        for Mutant { module, place, what, number } in &survivors {
            println!("survived: {module} at {place}: {what} (mutant {number})");
        }
        match survivors.len() {
            0 => Ok(()),
            1 => Err("1 mutant survived".into()),
            many => Err(format!("{many} mutants survived").into()),
        }
    }

    /// All mutants of a block, or the smoke run's share, with their fates.
    fn judge(&self, bench: &Bench, block: &Block) -> Result<Vec<(Mutant, Fate)>, Box<dyn std::error::Error>> {
        let mutated = Mutated::of(&block.design);
        bench.write(&mutated.design)?;
        if bench.notices(block.key, 0)? {
            return Err(format!("{}: the testbench fails without any mutant", block.key).into());
        }
        let step = if self.smoke { mutated.mutants.len().div_ceil(SMOKE).max(1) } else { 1 };
        let mut fates = vec![];
        for mutant in mutated.mutants.into_iter().step_by(step) {
            let fate = if bench.notices(block.key, mutant.number)? {
                Fate::Killed
            } else if bench.is_equivalent((&mutated.design, 0), (&mutated.design, mutant.number))? {
                Fate::Equivalent
            } else {
                Fate::Survived
            };
            fates.push((mutant, fate));
        }
        if !self.smoke {
            for (mutant, design) in of_resets(&block.design) {
                bench.write(&design)?;
                let fate = if bench.notices(block.key, 0)? {
                    Fate::Killed
                } else if bench.is_equivalent((&block.design, 0), (&design, 0))? {
                    Fate::Equivalent
                } else {
                    Fate::Survived
                };
                fates.push((mutant, fate));
            }
        }
        bench.write(&block.design)?;
        Ok(fates)
    }
}

/// The test binary, and the folder of Verilog that it is given.
pub struct Bench {
    tools: Tools,
    tests: PathBuf,
    out: PathBuf,
    configuration: String,
}

impl Bench {
    /// Builds the testbenches and copies the Verilog that they read into a folder of the workspace.
    ///
    /// # Errors
    ///
    /// What cargo or the system says.
    pub fn prepare(configuration: &str, folder: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let root = workspace::root()?;
        let tests = testbenches::built()?;
        let out = root.join(folder);
        let rtl = out.join(configuration).join("rtl");
        fs::create_dir_all(&rtl)?;
        for file in crate::synthesis::verilog_in(&root.join("rtl-out").join(configuration).join("rtl"))? {
            fs::copy(&file, rtl.join(file.file_name().expect("a file has a name")))?;
        }
        Ok(Self { tools: Tools::find()?, tests, out, configuration: configuration.to_owned() })
    }

    /// Puts the Verilog of a design where the testbenches read it.
    fn write(&self, design: &Design) -> Outcome {
        verilog::print(design).iter().try_for_each(|file| self.put(&file.module, &file.text))
    }

    /// Puts the Verilog of one module where the testbenches read it.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn put(&self, module: &str, text: &str) -> Outcome {
        fs::write(self.out.join(&self.configuration).join("rtl").join(format!("{module}.v")), text)?;
        Ok(())
    }

    /// Whether the testbench of a block fails, or takes too long, while a mutant is awake.
    ///
    /// # Errors
    ///
    /// A testbench that could not build or load its model, and so judged nothing.
    pub fn notices(&self, key: &str, mutant: u32) -> Result<bool, Box<dyn std::error::Error>> {
        let filter = testbenches::path(key);
        let mut said = tempfile::tempfile()?;
        let mut child = Command::new(&self.tests)
            .args([&filter, "--quiet"])
            .env("TOLLGATE_RTL_OUT", &self.out)
            .env("TOLLGATE_CONFIGURATION", &self.configuration)
            .env("COSIM_MUTANT", mutant.to_string())
            .current_dir(workspace::root()?)
            .stdout(said.try_clone()?)
            .stderr(said.try_clone()?)
            .spawn()?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                let mut text = String::new();
                said.rewind()?;
                said.read_to_string(&mut text)?;
                return match text.lines().find(|line| has_no_model(line)) {
                    Some(line) => Err(format!("{key}, mutant {mutant}: {line}").into()),
                    None => Ok(!status.success()),
                };
            }
            if start.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether Yosys proves, by induction over equally named registers, that the outputs of two designs, each with a mutant
    /// awake (0: none), are the same. What has no outputs does all that it does by its properties: nothing is proved of it.
    fn is_equivalent(&self, gold: (&Design, u32), gate: (&Design, u32)) -> Result<bool, Box<dyn std::error::Error>> {
        if !gold.0.top().ports().any(|(_, port)| port.kind == SignalKind::Output) {
            return Ok(false);
        }
        let scratch = tempfile::tempdir()?;
        let top = &gold.0.top().name;
        let text = |(design, number): (&Design, u32)| {
            selected(&verilog::print(design).iter().map(|file| &file.text).join("\n"), number)
        };
        let texts = BTreeMap::from([("gold", text(gold)), ("gate", text(gate))]);
        let mut script = String::new();
        for (name, text) in &texts {
            let file = scratch.path().join(format!("{name}.v"));
            fs::write(&file, text)?;
            script += &in_design(&file, top, name);
        }
        script += "design -reset\ndesign -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\n\
                   equiv_make gold gate both\nhierarchy -top both\nopt -share_all\nequiv_simple -seq 3\nequiv_induct -seq 6\nequiv_status -assert\n";
        Ok(Yosys::Pinned.run(&self.tools, &script).is_ok())
    }
}

/// Whether a testbench says that it has no model to judge.
fn has_no_model(line: &str) -> bool {
    let is_build = line.contains("model ") && line.ends_with(" failed");
    is_build || line.contains("; delete its folder to have it built again") || line.contains("No space left on device")
}

/// The script that reads a file and keeps its module under another name.
fn in_design(file: &Path, top: &str, name: &str) -> String {
    format!(
        "design -reset\nread_verilog {}\nhierarchy -top {top}\nproc\nflatten\nmemory\nmemory_map\nopt\nrename {top} {name}\ndesign -save {name}\n",
        file.display()
    )
}

/// Verilog whose selector is a constant instead of a port.
fn selected(text: &str, number: u32) -> String {
    let constant = format!("    wire [{}:0] {SELECTOR} = {SELECTOR_BITS}'d{number};", SELECTOR_BITS - 1);
    let is_port = |line: &str| {
        line.trim_start().starts_with("input ")
            && line.split_whitespace().any(|word| word.trim_end_matches(',') == SELECTOR)
    };
    let mut lines: Vec<String> = vec![];
    for line in text.lines() {
        if is_port(line) {
            // The port before it may now be the last one.
            if !line.contains(&format!("{SELECTOR},"))
                && let Some(last) = lines.iter_mut().rev().find(|line| line.contains("put ") && line.contains(','))
            {
                *last = last.replacen(',', "", 1);
            }
            continue;
        }
        lines.push(line.to_owned());
        if line == ");" {
            lines.push(constant.clone());
        }
    }
    lines.join("\n") + "\n"
}
