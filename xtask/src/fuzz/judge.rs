//! Who looks at circuits, and what they find.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use regex::Regex;
use tollgate_cosim::Tools;
use tollgate_rtl::Value;
use tollgate_rtl::verilog::File;

use super::build::Shown;
use super::case::Case;
use super::generate;
use super::recipe::Recipe;
use super::simulate::{self, Difference, Member, Seen, Simulator, first_difference};
use crate::synthesis::{self, Yosys, capture};

/// Something that can be wrong with a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    /// The language, the printer and the interpreter: they take the circuit.
    Language,
    /// What a simulator sees is what the interpreter computes.
    Simulation(Simulator),
    /// A reader has nothing to say about the text.
    Lint(Reader),
}

/// A reader of Verilog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    Verilator,
    Icarus,
    Yosys,
}

impl Judge {
    /// All of them but the language, which comes first: the cheap ones first.
    pub const OTHERS: [Self; 6] = [
        Self::Lint(Reader::Icarus),
        Self::Simulation(Simulator::Icarus),
        Self::Lint(Reader::Yosys),
        Self::Simulation(Simulator::Netlist),
        Self::Lint(Reader::Verilator),
        Self::Simulation(Simulator::Verilator),
    ];

    /// Whether it looks at a circuit.
    pub fn looks_at(self, subject: &Subject) -> bool {
        let number = subject.case.recipe.number;
        match self {
            Self::Lint(Reader::Yosys) => generate::is_read_by_yosys(number),
            Self::Simulation(Simulator::Netlist) => generate::is_synthesized(number),
            _ => true,
        }
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Language => f.write_str("the language"),
            Self::Simulation(simulator) => write!(f, "{simulator}"),
            Self::Lint(Reader::Verilator) => f.write_str("Verilator -Wall"),
            Self::Lint(Reader::Icarus) => f.write_str("Icarus -Wall"),
            Self::Lint(Reader::Yosys) => f.write_str("Yosys"),
        }
    }
}

/// What is wrong with a circuit.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The language refuses it.
    Refused(String),
    /// Something of ours panics.
    Panics(String),
    /// A reader complains.
    Complaint(String),
    /// A simulator sees something else.
    Differs(Difference),
}

impl Trouble {
    /// Whether this is the same trouble in a smaller circuit.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Differs(_), Self::Differs(_)) => true,
            (Self::Refused(a), Self::Refused(b))
            | (Self::Panics(a), Self::Panics(b))
            | (Self::Complaint(a), Self::Complaint(b)) => kind_of(a) == kind_of(b),
            _ => false,
        }
    }
}

/// A message without what tells one circuit from another.
fn kind_of(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let names = Regex::new(r"'[^']*'|`[^`]*`|\S*fuzz\d+\S*|\d+").expect("a pattern");
    names.replace_all(first, "_").into_owned()
}

thread_local! {
    /// Message and place of the panic that [`catching`] waits for; `None` outside of it.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs something that may panic; the message and place of a panic are the error.
pub fn catching<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let payload = info.payload();
            let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
            let is_caught = CAUGHT.with_borrow_mut(|caught| {
                caught.as_mut().map(|caught| *caught = format!("{place}: {}", text.unwrap_or("a panic"))).is_some()
            });
            if !is_caught {
                print(info);
            }
        }));
    });
    CAUGHT.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    let caught = CAUGHT.take().unwrap_or_default();
    result.map_err(|_| caught)
}

/// A circuit that the language takes, with what the interpreter computes.
pub struct Subject {
    pub case: Case,
    pub expected: Vec<Value>,
    pub delivered: Vec<File>,
    pub seeded: Vec<File>,
}

impl Subject {
    /// Builds, prints and interprets a recipe.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(recipe: Recipe) -> Result<Self, Trouble> {
        let made = catching(|| {
            let case = Case::new(recipe)?;
            let (delivered, seeded) = (case.delivered(), case.seeded());
            let expected = case.interpret(&case.design);
            Ok(Self { case, expected, delivered, seeded })
        });
        match made {
            Ok(Ok(subject)) => Ok(subject),
            Ok(Err(errors)) => {
                let errors: tollgate_rtl::Errors = errors;
                Err(Trouble::Refused(errors.to_string()))
            }
            Err(message) => Err(Trouble::Panics(message)),
        }
    }

    /// The signal that bit `bit` of the outputs belongs to, with its path, the position of the bit in it and its values.
    pub fn signal_at(&self, bit: u32) -> (String, u32) {
        let Some(port) = self.case.outputs.iter().find(|port| (port.low..port.low + port.width).contains(&bit)) else {
            return ("nothing".into(), bit);
        };
        let bit = bit - port.low;
        let top = self.case.recipe.modules.len() - 1;
        match (0..3).find(|domain| super::build::observed_name(*domain) == port.name) {
            Some(domain) => self.inside(top, domain, bit),
            None => (port.name.clone(), bit),
        }
    }

    /// What bit `bit` of an `observed` output shows.
    fn inside(&self, module: usize, domain: usize, bit: u32) -> (String, u32) {
        let mut low = 0;
        for Shown { name, width, inside } in &self.case.observed[module][domain] {
            if bit < low + width {
                return match inside {
                    Some((module, domain)) => {
                        let (path, bit) = self.inside(*module, *domain, bit - low);
                        (format!("{name}.{path}"), bit)
                    }
                    None => (name.clone(), bit - low),
                };
            }
            low += width;
        }
        ("nothing".into(), bit - low)
    }
}

/// Warnings of Verilator about what a circuit says, not about how it is printed: a random circuit may well compare with a
/// wire that is always 0, store what nothing can ever read, read a memory that nothing can ever write, have registers of
/// both kinds of reset, or have a vector of which one bit depends on another through an instance. Blocks must not;
/// `cargo xtask lint` sees to that. What is not driven at all differs in simulation.
const ABOUT_THE_CIRCUIT: [&str; 6] = ["CMPCONST", "SYNCASYNCNET", "UNDRIVEN", "UNOPTFLAT", "UNSIGNED", "UNUSEDSIGNAL"];

/// What a judge finds about each of some circuits. Where a tool fails without naming a circuit, fewer are tried together
/// until one is left.
///
/// # Errors
/// A tool that is missing.
pub fn judge(
    tools: &Tools,
    folder: &Path,
    subjects: &[&Subject],
    judge: Judge,
) -> Result<Vec<Option<Trouble>>, Box<dyn Error>> {
    let found = match judge {
        Judge::Language => Ok(vec![None; subjects.len()]),
        Judge::Lint(reader) => lint(tools, folder, subjects, reader),
        Judge::Simulation(Simulator::Netlist) => netlists(tools, folder, subjects)
            .and_then(|netlists| simulation(tools, folder, subjects, Simulator::Netlist, |k| netlists[k].clone())),
        Judge::Simulation(simulator) => simulation(tools, folder, subjects, simulator, |k| subjects[k].seeded.clone()),
    };
    match (found, subjects.len()) {
        (Err(error), _) if error.is::<tollgate_cosim::Error>() => Err(error),
        (Err(error), 1) => Ok(vec![Some(Trouble::Complaint(error.to_string()))]),
        (Err(_), all) => subjects.chunks(all.div_ceil(8)).try_fold(vec![], |mut found, few| {
            found.extend(self::judge(tools, folder, few, judge)?);
            Ok(found)
        }),
        (found, _) => found,
    }
}

/// Which circuits of a list a message names.
fn named(message: &str, subjects: &[&Subject]) -> BTreeSet<usize> {
    let names = Regex::new(r"fuzz(\d+)").expect("a pattern");
    let numbers = names.captures_iter(message).filter_map(|found| found[1].parse::<u64>().ok());
    numbers.filter_map(|number| subjects.iter().position(|subject| subject.case.recipe.number == number)).collect()
}

/// Gives each line that looks bad to the circuits that it names.
fn complaints(
    text: &str,
    subjects: &[&Subject],
    is_bad: impl Fn(&str) -> bool,
) -> Result<Vec<Option<Trouble>>, Box<dyn Error>> {
    let mut found: Vec<Option<Trouble>> = vec![None; subjects.len()];
    let mut last: BTreeSet<usize> = BTreeSet::new();
    for line in text.lines().filter(|line| is_bad(line)) {
        let mut names = named(line, subjects);
        if names.is_empty() {
            names.clone_from(&last);
        }
        if names.is_empty() {
            return Err(format!("a complaint that names no circuit: {line}\n{text}").into());
        }
        for k in &names {
            match &mut found[*k] {
                Some(Trouble::Complaint(text)) => *text = format!("{text}\n{line}"),
                slot => *slot = Some(Trouble::Complaint(line.to_owned())),
            }
        }
        last = names;
    }
    Ok(found)
}

fn lint(
    tools: &Tools,
    folder: &Path,
    subjects: &[&Subject],
    reader: Reader,
) -> Result<Vec<Option<Trouble>>, Box<dyn Error>> {
    let members: Vec<Member> =
        subjects.iter().map(|subject| Member { case: &subject.case, files: subject.delivered.clone() }).collect();
    let sources = simulate::write_sources(folder, &members)?;
    let (passed, text) = match reader {
        Reader::Verilator => {
            let mut command = tools.command("verilator")?;
            command.args(["--lint-only", "-Wall", "-Wno-fatal", "--quiet", "--top-module", "batch"]);
            command.args(ABOUT_THE_CIRCUIT.map(|code| format!("-Wno-{code}"))).args(&sources);
            capture(&mut command)?
        }
        Reader::Icarus => {
            let mut command = tools.command("iverilog")?;
            command.args(["-g2005", "-Wall", "-s", "batch", "-o", "/dev/null"]).args(&sources);
            capture(&mut command)?
        }
        Reader::Yosys => {
            let files: Vec<String> = sources.iter().map(|path| path.display().to_string()).collect();
            let script = format!("read_verilog {}\nhierarchy -check -top batch\nproc\ncheck\n", files.join(" "));
            Yosys::Pinned.output(tools, &script, folder)?
        }
    };
    let found = complaints(&text, subjects, |line| {
        let says_so = match reader {
            Reader::Verilator => line.starts_with("%Warning") || line.starts_with("%Error"),
            Reader::Icarus => !line.trim().is_empty(),
            Reader::Yosys => synthesis::is_complaint(line),
        };
        let is_summary = line.starts_with("%Error: Exiting due to") || line.contains("error(s) during elaboration");
        says_so && !is_summary
    })?;
    if !passed && found.iter().all(Option::is_none) {
        return Err(format!("{} failed:\n{text}", Judge::Lint(reader)).into());
    }
    Ok(found)
}

/// What Yosys makes of each circuit: one flat module of gates and flip-flops.
fn netlists(tools: &Tools, folder: &Path, subjects: &[&Subject]) -> Result<Vec<Vec<File>>, Box<dyn Error>> {
    let folder = folder.join("synthesis");
    fs::create_dir_all(&folder)?;
    let mut script = String::new();
    for subject in subjects {
        let mut sources = vec![];
        for file in &subject.seeded {
            let path = folder.join(format!("{}.v", file.module));
            fs::write(&path, &file.text)?;
            sources.push(path.display().to_string());
        }
        let top = &subject.seeded.last().expect("a circuit has a module").module;
        let out = folder.join(format!("{top}.netlist.v"));
        script += &format!(
            "design -reset\nread_verilog {}\nsynth -flatten -top {top}\nwrite_verilog -noattr {}\n",
            sources.join(" "),
            out.display()
        );
    }
    let (passed, text) = Yosys::Pinned.output(tools, &script, &folder)?;
    if !passed {
        return Err(format!("synthesis failed:\n{}", tail(&text)).into());
    }
    if let Some(complaint) = text.lines().find(|line| synthesis::is_complaint(line)) {
        return Err(format!("synthesis: {complaint}").into());
    }
    let read = |subject: &&Subject| {
        let top = &subject.seeded.last().expect("a circuit has a module").module;
        let text = fs::read_to_string(folder.join(format!("{top}.netlist.v")))?;
        Ok(vec![File { module: top.clone(), text }])
    };
    subjects.iter().map(read).collect()
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

/// Runs circuits; those that the simulator does not take are taken out and named.
fn simulation(
    tools: &Tools,
    folder: &Path,
    subjects: &[&Subject],
    simulator: Simulator,
    files: impl Fn(usize) -> Vec<File>,
) -> Result<Vec<Option<Trouble>>, Box<dyn Error>> {
    let mut found: Vec<Option<Trouble>> = vec![None; subjects.len()];
    loop {
        let left: Vec<usize> = (0..subjects.len()).filter(|k| found[*k].is_none()).collect();
        if left.is_empty() {
            return Ok(found);
        }
        let members: Vec<Member> = left.iter().map(|k| Member { case: &subjects[*k].case, files: files(*k) }).collect();
        let run = match simulator {
            Simulator::Icarus => simulate::icarus(tools, folder, &members),
            // Gates without delays glitch: an event-driven simulator may take exponentially many events to settle.
            Simulator::Verilator | Simulator::Netlist => simulate::verilator(tools, folder, &members),
        };
        match run {
            Ok(seen) => {
                for (k, seen) in left.into_iter().zip(seen) {
                    found[k] = first_difference(&subjects[k].expected, &seen).map(Trouble::Differs);
                }
                return Ok(found);
            }
            Err(error) => {
                let text = error.to_string();
                let taken: Vec<&Subject> = left.iter().map(|k| subjects[*k]).collect();
                let is_bad = |line: &str| line.contains("error: ") || line.contains("%Error");
                let named = complaints(&text, &taken, is_bad).map_err(|_| error)?;
                if named.iter().all(Option::is_none) {
                    return Err(text.into());
                }
                for (k, trouble) in left.into_iter().zip(named) {
                    found[k] = trouble;
                }
            }
        }
    }
}

/// The bits of a difference: the first one that is wrong.
pub fn first_wrong_bit(difference: &Difference) -> Option<u32> {
    let width = difference.expected.width();
    match &difference.seen {
        Seen::Known(seen) => (0..width).find(|bit| seen.get(*bit) != difference.expected.get(*bit)),
        Seen::Unknown(digits) => {
            // A digit of hexadecimal stands for four bits; `x` and `X` (some bits unknown) stand anywhere in it.
            let wrong = digits.chars().rev().enumerate().find_map(|(place, digit)| {
                let low = place as u32 * 4;
                match digit.to_digit(16) {
                    Some(seen) => (0..4)
                        .find(|bit| {
                            let known = seen >> bit & 1 == 1;
                            low + bit < width && known != difference.expected.get(low + bit)
                        })
                        .map(|bit| low + bit),
                    None => Some(low),
                }
            });
            wrong.filter(|bit| *bit < width)
        }
    }
}
