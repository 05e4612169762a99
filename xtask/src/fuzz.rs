//! `cargo xtask fuzz`: random circuits, in the interpreter, Verilator, Icarus and Yosys.
//!
//! - [`generate`] draws recipes, [`recipe`] is what they are, [`build`] writes them in the language.
//! - [`case`] adds stimulus and what the interpreter computes, [`simulate`] runs many circuits at once elsewhere.
//! - [`judge`] compares, [`shrink`] makes what is wrong small, [`show`] prints it.
//! - [`plant`] plants faults to see whether they are found.
//! - [`ledger`] remembers which circuits agreed, so that a long run can go on after a change.
//! - [`coverage`] says what the circuits were made of.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tollgate_cosim::{Tools, workspace};

use crate::Outcome;

mod build;
mod case;
mod coverage;
mod generate;
mod judge;
mod ledger;
mod plant;
mod recipe;
mod show;
mod shrink;
mod simulate;

use coverage::{CIRCUITS, Coverage};
use judge::{Judge, Reader, Subject, Trouble};
use ledger::Ledger;
use plant::{FAULTS, Fate, Fault};
use recipe::Recipe;
use simulate::{Seen, Simulator};

/// Circuits that share a run of each tool.
const BATCH: u64 = 50;

/// Runs random circuits in the interpreter, Verilator, Icarus and, synthesized, as netlists of Yosys, and compares
///
/// What follows from a seed is the same everywhere: `--seed S --from K --circuits 1` is circuit K again. A circuit that is
/// wrong is made as small as possible and kept in `target/fuzz/`.
#[derive(clap::Args)]
pub struct Args {
    /// How many circuits
    #[arg(long, default_value_t = CIRCUITS)]
    circuits: u64,
    /// The seed of the run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first circuit: goes on with a run that was stopped
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Stops after so many minutes, between batches
    #[arg(long)]
    minutes: Option<u64>,
    /// Batches that run at the same time; as many as there are processors unless given
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Runs a circuit that was kept in a file
    #[arg(long, conflicts_with_all = ["circuits", "from"])]
    replay: Option<PathBuf>,
    /// Does not make wrong circuits smaller
    #[arg(long)]
    whole: bool,
    /// Plants faults in the printer and the interpreter and says when each is found: `all`, or a part of a fault's name
    #[arg(long, conflicts_with_all = ["circuits", "from", "replay"])]
    plant: Option<String>,
    /// Keeps in a file which circuits agreed, and does not run them elsewhere again while nothing about them has changed:
    /// Verilog, stimulus, what the interpreter computes, tools, judges
    #[arg(long, conflicts_with_all = ["replay", "plant", "without"])]
    ledger: Option<PathBuf>,
    /// Leaves a tool out
    #[arg(long, value_enum)]
    without: Vec<Tool>,
}

/// A tool that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tool {
    Verilator,
    Icarus,
    Yosys,
    Netlist,
}

impl Args {
    /// Prints what the circuits were made of; circuits that are wrong, or cells that stay empty, are the error.
    pub fn run(self) -> Outcome {
        let tools = Tools::find()?;
        let folder = workspace::root()?.join("target/fuzz");
        fs::create_dir_all(&folder)?;
        if let Some(file) = &self.replay {
            return replay(&tools, &folder, file);
        }
        if let Some(faults) = &self.plant {
            return plant(&tools, &folder, self.seed, faults);
        }
        let started = Instant::now();
        let campaign = Campaign {
            tools: &tools,
            folder: &folder,
            args: &self,
            ledger: self.ledger.as_deref().map(|file| Ledger::open(file, &tools)).transpose()?,
            next: AtomicU64::new(self.from),
            stop: AtomicBool::new(false),
            until: self.minutes.map(|minutes| started + Duration::from_secs(60 * minutes)),
            state: Mutex::default(),
            progress: bar(self.circuits),
        };
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let jobs = self.jobs.unwrap_or(processors).get();
        thread::scope(|scope| {
            for job in 0..jobs {
                let campaign = &campaign;
                scope.spawn(move || campaign.work(job));
            }
        });
        campaign.progress.finish_and_clear();
        campaign.finish(started.elapsed())
    }
}

fn bar(circuits: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} circuits, {elapsed_precise}, {eta} left {msg}");
    ProgressBar::new(circuits).with_style(style.expect("a template"))
}

/// A run of many batches.
struct Campaign<'a> {
    tools: &'a Tools,
    folder: &'a Path,
    args: &'a Args,
    ledger: Option<Ledger>,
    next: AtomicU64,
    stop: AtomicBool,
    until: Option<Instant>,
    state: Mutex<Results>,
    progress: ProgressBar,
}

/// What came out.
#[derive(Default)]
struct Results {
    coverage: Coverage,
    /// By number of the circuit.
    troubles: BTreeMap<u64, (Judge, String)>,
    /// Time that each judge took, over all jobs.
    times: BTreeMap<String, Duration>,
    circuits: u64,
    /// How many of them the ledger knew.
    known: u64,
    /// Batches that are done, by their first circuit.
    done: BTreeMap<u64, u64>,
    error: Option<String>,
}

/// Circuits that are judged together.
#[derive(Default)]
struct Batch {
    /// The runs of numbers that were drawn: the first, and how many.
    drawn: Vec<(u64, u64)>,
    /// Circuits to judge.
    subjects: Vec<Subject>,
    /// What is wrong, without having been judged.
    found: Vec<(u64, Judge, Trouble)>,
    coverage: Coverage,
    /// How many the ledger knew.
    known: u64,
}

impl Campaign<'_> {
    fn work(&self, job: usize) {
        let end = self.args.from + self.args.circuits;
        let mut batch = Batch::default();
        loop {
            let out_of_time = self.until.is_some_and(|until| Instant::now() >= until);
            if out_of_time || self.stop.load(Ordering::Relaxed) {
                return;
            }
            let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
            if first < end {
                self.draw(&mut batch, first, BATCH.min(end - first));
            }
            let is_full = batch.subjects.len() as u64 >= BATCH;
            if (is_full || first >= end)
                && let Err(error) = self.judge(job, std::mem::take(&mut batch))
            {
                self.state.lock().expect("no job panics").error = Some(error.to_string());
                self.stop.store(true, Ordering::Relaxed);
            }
            if first >= end {
                return;
            }
        }
    }

    fn timed<R>(&self, what: impl ToString, body: impl FnOnce() -> R) -> R {
        let started = Instant::now();
        let result = body();
        let mut state = self.state.lock().expect("no job panics");
        *state.times.entry(what.to_string()).or_default() += started.elapsed();
        result
    }

    /// Draws circuits; those that the ledger knows need no judge.
    fn draw(&self, batch: &mut Batch, first: u64, count: u64) {
        self.timed(Judge::Language, || {
            for number in first..first + count {
                let recipe = generate::recipe(self.args.seed, number);
                let (operations, cycles) = (recipe.operations(), recipe.cycles);
                match Subject::new(recipe) {
                    Ok(subject) => {
                        batch.coverage.add(&subject.case.design, operations, cycles);
                        match &self.ledger {
                            Some(ledger) if ledger.knows(&subject) => batch.known += 1,
                            _ => batch.subjects.push(subject),
                        }
                    }
                    Err(trouble) => batch.found.push((number, Judge::Language, trouble)),
                }
            }
        });
        batch.drawn.push((first, count));
    }

    /// Has all judges look at the circuits of a batch, and reports what they find.
    fn judge(&self, job: usize, batch: Batch) -> Result<(), Box<dyn Error>> {
        let Batch { drawn, subjects, mut found, coverage, known } = batch;
        let folder = tempfile::Builder::new().prefix(&format!("batch-{job}-")).tempdir_in(self.folder)?;
        for judge in Judge::OTHERS {
            let chosen: Vec<&Subject> = subjects.iter().filter(|subject| judge.looks_at(subject)).collect();
            if chosen.is_empty() || self.args.without.contains(&tool_of(judge)) {
                continue;
            }
            let troubles = self.timed(judge, || judge::judge(self.tools, folder.path(), &chosen, judge))?;
            for (subject, trouble) in chosen.iter().zip(troubles) {
                found.extend(trouble.map(|trouble| (subject.case.recipe.number, judge, trouble)));
            }
        }
        let mut reported = vec![];
        for (number, judge, trouble) in found {
            if !reported.contains(&number) {
                reported.push(number);
                self.report(folder.path(), number, judge, &trouble)?;
            }
        }
        if let Some(ledger) = &self.ledger {
            ledger.note(subjects.iter().filter(|subject| !reported.contains(&subject.case.recipe.number)))?;
        }
        let mut state = self.state.lock().expect("no job panics");
        for (first, count) in drawn {
            self.progress.inc(count);
            if self.progress.is_hidden() {
                println!("circuits {first} to {} are done", first + count - 1);
            }
            state.circuits += count;
            state.done.insert(first, count);
        }
        state.coverage.merge(&coverage);
        state.known += known;
        Ok(())
    }

    /// Makes a wrong circuit small, keeps and prints it.
    fn report(&self, folder: &Path, number: u64, judge: Judge, trouble: &Trouble) -> Result<(), Box<dyn Error>> {
        let recipe = generate::recipe(self.args.seed, number);
        let recipe = if self.args.whole { recipe } else { smaller(self.tools, folder, recipe, judge, trouble) };
        let stem = self.folder.join(format!("seed{}-circuit{number}", self.args.seed));
        let file = stem.with_extension("json");
        fs::write(&file, serde_json::to_string_pretty(&recipe)?)?;
        let mut text = describe(self.tools, folder, &recipe, judge, trouble);
        writeln!(text, "\nthe circuit above again:  cargo xtask fuzz --replay {}", file.display())?;
        writeln!(
            text,
            "the whole circuit again:  cargo xtask fuzz --seed {} --from {number} --circuits 1",
            self.args.seed
        )?;
        fs::write(stem.with_extension("txt"), &text)?;
        self.progress.suspend(|| println!("circuit {number}, {judge}:\n{text}"));
        let mut state = self.state.lock().expect("no job panics");
        state.troubles.insert(number, (judge, stem.with_extension("txt").display().to_string()));
        Ok(())
    }

    fn finish(self, elapsed: Duration) -> Outcome {
        let state = self.state.into_inner().expect("no job panics");
        println!("{}", state.coverage);
        println!("{} circuits in {:.0} s; seconds over all jobs:", state.circuits, elapsed.as_secs_f64());
        for (what, time) in &state.times {
            println!("{what:>24}{:>9.1}", time.as_secs_f64());
        }
        if self.ledger.is_some() {
            println!("{} of them agreed before, and nothing about them has changed", state.known);
        }
        // Where a run that was stopped goes on.
        let mut next = self.args.from;
        while let Some(count) = state.done.get(&next) {
            next += count;
        }
        if next < self.args.from + self.args.circuits {
            println!("stopped; goes on with --from {next}");
        }
        let mut wrong: Vec<String> =
            state.troubles.iter().map(|(number, (judge, file))| format!("circuit {number}: {judge}: {file}")).collect();
        wrong.extend(state.error);
        if state.circuits >= CIRCUITS {
            wrong.extend(state.coverage.missing().into_iter().map(|cell| format!("never reached: {cell}")));
        }
        if wrong.is_empty() {
            println!("no disagreement");
            Ok(())
        } else {
            Err(wrong.join("\n").into())
        }
    }
}

/// The tool that a judge needs.
fn tool_of(judge: Judge) -> Tool {
    match judge {
        Judge::Lint(Reader::Verilator) | Judge::Simulation(Simulator::Verilator) => Tool::Verilator,
        Judge::Lint(Reader::Icarus) | Judge::Simulation(Simulator::Icarus) | Judge::Language => Tool::Icarus,
        Judge::Lint(Reader::Yosys) => Tool::Yosys,
        Judge::Simulation(Simulator::Netlist) => Tool::Netlist,
    }
}

/// The smallest circuit found that is wrong in the same way.
fn smaller(tools: &Tools, folder: &Path, recipe: Recipe, judge: Judge, trouble: &Trouble) -> Recipe {
    shrink::shrink(recipe, |candidates| {
        let made: Vec<Result<Subject, Trouble>> =
            candidates.iter().map(|recipe| Subject::new(recipe.clone())).collect();
        if judge == Judge::Language {
            return made.iter().map(|made| made.as_ref().is_err_and(|other| other.is_like(trouble))).collect();
        }
        let whole: Vec<&Subject> = made.iter().filter_map(|made| made.as_ref().ok()).collect();
        if whole.is_empty() {
            return vec![false; candidates.len()];
        }
        let Ok(found) = judge::judge(tools, folder, &whole, judge) else { return vec![false; candidates.len()] };
        let mut found = found.into_iter();
        let mut verdict = |made: &Result<Subject, Trouble>| {
            made.is_ok() && found.next().flatten().is_some_and(|other| other.is_like(trouble))
        };
        made.iter().map(&mut verdict).collect()
    })
}

/// A wrong circuit in full: the recipe, its Verilog and what each simulator sees where they first differ.
fn describe(tools: &Tools, folder: &Path, recipe: &Recipe, found_by: Judge, trouble: &Trouble) -> String {
    let mut text = format!("{}\n", show::show(recipe));
    let subject = match Subject::new(recipe.clone()) {
        Ok(subject) => subject,
        Err(Trouble::Refused(errors) | Trouble::Panics(errors) | Trouble::Complaint(errors)) => {
            return format!("{text}\n{found_by}: {errors}\n");
        }
        Err(Trouble::Differs(_)) => return text,
    };
    for file in &subject.delivered {
        let _ = write!(text, "\n// {}.v\n{}", file.module, file.text);
    }
    for judge in Judge::OTHERS {
        // What each simulator sees matters where one sees something wrong; the netlist where it was looked at.
        let is_netlist = judge == Judge::Simulation(Simulator::Netlist);
        let both_simulate = matches!((judge, found_by), (Judge::Simulation(_), Judge::Simulation(_)));
        if judge != found_by && (!both_simulate || is_netlist) {
            continue;
        }
        let _ = match judge::judge(tools, folder, &[&subject], judge).map(|mut found| found.remove(0)) {
            Ok(None) => writeln!(text, "{judge}: agrees"),
            Ok(Some(Trouble::Differs(difference))) => {
                let (name, bit) = match judge::first_wrong_bit(&difference) {
                    Some(bit) => subject.signal_at(bit),
                    None => ("nothing".into(), 0),
                };
                let seen = match &difference.seen {
                    Seen::Known(value) => value.to_string(),
                    Seen::Unknown(digits) => format!("'h{digits}"),
                };
                let cycle = difference.cycle;
                writeln!(
                    text,
                    "{judge}: cycle {cycle}, {name} bit {bit}: sees {seen}, interpreter {}",
                    difference.expected
                )
            }
            Ok(Some(Trouble::Complaint(what) | Trouble::Refused(what) | Trouble::Panics(what))) => {
                writeln!(text, "{judge}: {what}")
            }
            Err(error) => writeln!(text, "{judge}: {error}"),
        };
    }
    if let Trouble::Complaint(what) = trouble {
        let _ = writeln!(text, "before it was made smaller: {what}");
    }
    text
}

/// Plants faults and prints when each was found.
fn plant(tools: &Tools, folder: &Path, seed: u64, which: &str) -> Outcome {
    let faults: Vec<&Fault> = FAULTS.iter().filter(|fault| which == "all" || fault.name.contains(which)).collect();
    if faults.is_empty() {
        return Err(format!("no fault is called like `{which}`").into());
    }
    let folder = tempfile::tempdir_in(folder)?;
    let progress = bar(faults.len() as u64);
    let fates = plant::plant(tools, folder.path(), seed, &faults, &progress)?;
    progress.finish_and_clear();
    let mut missed = vec![];
    for (fault, fate) in faults.iter().zip(fates) {
        match fate {
            Fate::Found(circuits) => println!("{circuits:>4} circuits  {}", fault.name),
            Fate::Missed(changed) => {
                println!("       MISSED  {} (it changed something in {changed} circuits)", fault.name);
                missed.push(fault.name);
            }
        }
    }
    if missed.is_empty() {
        println!("{} faults planted, all found within {CIRCUITS} circuits", faults.len());
        Ok(())
    } else {
        Err(format!("never found: {}", missed.join("; ")).into())
    }
}

/// Runs one circuit that was kept.
fn replay(tools: &Tools, folder: &Path, file: &Path) -> Outcome {
    let recipe: Recipe = serde_json::from_str(&fs::read_to_string(file)?)?;
    let folder = tempfile::tempdir_in(folder)?;
    let subject = match Subject::new(recipe.clone()) {
        Ok(subject) => subject,
        Err(trouble) => {
            return Err(describe(tools, folder.path(), &recipe, Judge::Language, &trouble).into());
        }
    };
    for judge in Judge::OTHERS {
        if let Some(trouble) = judge::judge(tools, folder.path(), &[&subject], judge)?.remove(0) {
            return Err(describe(tools, folder.path(), &recipe, judge, &trouble).into());
        }
    }
    println!("no disagreement");
    Ok(())
}
