//! Random tests: seeds in, and out with a wave and the command that repeats a failure.

use std::any::Any;
use std::collections::BTreeMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::dut::MUTANT_VARIABLE;
use crate::model::{Model, ModelBuilder};
use crate::{Coverage, Dut, Error, Failure, Outcome, workspace};

/// The variables that shape a model; a failure is repeated with the same.
const KEPT: [&str; 5] = ["COSIM_COVERAGE", MUTANT_VARIABLE, "CXX", "TOLLGATE_TOOLS", "VERILATOR"];

/// A test over several seeds.
///
/// Seeds run from 1. `COSIM_SEED=0x51` runs that seed alone, `COSIM_SEEDS=200` as many as it says,
/// from 1 or from `COSIM_SEED`. A failing seed is repeated with waves, and the test panics with what
/// differs, the wave, and the command that repeats it:
///
/// ```text
/// iommu/page_walker cycle 1204 seed 0x51 walk #17: pte.level rtl=1 golden=2 (iova 0x4000_1000)
/// wave: target/cosim/waves/iommu.page_walker.random-0x51.fst
/// rerun: COSIM_SEED=0x51 cargo test -p tb iommu::page_walker::random -- --exact
/// ```
///
/// Variables of the environment that shape the model stand in that command too.
///
/// With `COSIM_COVERAGE=1` models count Verilator's coverage, left in `target/cosim/coverage/`.
#[derive(Debug, Clone)]
pub struct Run {
    test: String,
    package: String,
    variant: Option<String>,
    /// Name → value of variables, in the command that repeats a failure.
    environment: BTreeMap<String, String>,
    seeds: u64,
    coverage: Coverage,
}

/// What a test works with, fresh for each seed.
pub struct Bench {
    /// The device under test; its initial state is drawn from the seed.
    pub dut: Dut,
    /// The seed of this run.
    pub seed: u64,
    /// Stimulus; the same for the same seed on every machine.
    pub rng: ChaCha8Rng,
    /// The bins declared with [`Run::coverage`], empty.
    pub coverage: Coverage,
}

/// A test that failed.
#[derive(Debug)]
pub struct FailedRun {
    /// The seed.
    pub seed: u64,
    /// Why.
    pub failure: Failure,
    /// The wave of the repetition, if there is one.
    pub wave: Option<PathBuf>,
    /// The whole message.
    pub message: String,
}

/// Which seeds run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seeds {
    first: u64,
    count: u64,
    /// As many as the test asks for, so that its coverage can be full.
    all: bool,
}

impl Run {
    /// The test whose path is `test`: `group::block::condition`.
    pub fn of(test: impl Into<String>) -> Self {
        let (test, package) = (test.into(), "tb".into());
        Self { test, package, variant: None, environment: BTreeMap::new(), seeds: 8, coverage: Coverage::new() }
    }

    /// The package the test is in, if not `tb`; it stands in the command that repeats a failure.
    #[must_use]
    pub fn package(mut self, package: impl Into<String>) -> Self {
        self.package = package.into();
        self
    }

    /// What tells this run from others of the same test, such as the configuration. It stands in
    /// the message, and in the names of files, with `_` for whatever is no letter or digit.
    #[must_use]
    pub fn variant(mut self, variant: impl Into<String>) -> Self {
        self.variant = Some(variant.into());
        self
    }

    /// A variable that the command which repeats a failure sets, such as the one that chooses the configuration.
    #[must_use]
    pub fn environment(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// How many seeds run where the environment does not say; 8 if not set.
    #[must_use]
    pub fn seeds(mut self, seeds: u64) -> Self {
        self.seeds = seeds;
        self
    }

    /// Bins that the seeds together must fill.
    #[must_use]
    pub fn coverage(mut self, coverage: Coverage) -> Self {
        self.coverage = coverage;
        self
    }

    /// Runs `bench` once for each seed; all of them must pass, and together fill the coverage
    /// (which a run with fewer seeds than the test asks for need not).
    ///
    /// # Panics
    /// If the model does not build, a seed fails, or a bin stays empty.
    #[track_caller]
    pub fn check(self, model: &ModelBuilder, bench: impl Fn(&mut Bench) -> Outcome) {
        let seeds = Seeds::from_environment(self.seeds).unwrap_or_else(|text| panic!("{text}"));
        let (test, variant) = (&self.test, self.shown_variant());
        println!("{test}{variant}: {} seeds from {:#x}", seeds.count, seeds.first);
        match self.run(model, seeds, bench) {
            Err(failed) => panic!("{}", failed.message),
            Ok(coverage) if seeds.all => coverage.assert_full(),
            Ok(coverage) => print!("{coverage}"),
        }
    }

    /// As [`check`](Self::check), with the failure or the merged coverage as a value, and the seeds
    /// from 1 whatever the environment says.
    ///
    /// # Errors
    /// The first seed that fails.
    pub fn try_check(
        self,
        model: &ModelBuilder,
        bench: impl Fn(&mut Bench) -> Outcome,
    ) -> Result<Coverage, Box<FailedRun>> {
        let seeds = Seeds { first: 1, count: self.seeds, all: true };
        self.run(model, seeds, bench)
    }

    fn run(
        &self,
        model: &ModelBuilder,
        seeds: Seeds,
        bench: impl Fn(&mut Bench) -> Outcome,
    ) -> Result<Coverage, Box<FailedRun>> {
        let counting = env::var_os("COSIM_COVERAGE").is_some_and(|value| value != "0");
        let built = model.clone().coverage(counting || model.coverage).build();
        let mut coverage = self.coverage.clone();
        for seed in seeds.first..seeds.first.saturating_add(seeds.count) {
            let outcome = built.as_ref().map_err(|error| Failure::other(error.to_string()));
            let outcome = outcome.and_then(|built| {
                let mut run = self.bench(built, seed)?;
                guarded(&bench, &mut run)?;
                coverage.merge(&run.coverage);
                if counting {
                    run.dut.write_coverage(&self.file("coverage", seed, "dat")?)?;
                }
                Ok(())
            });
            if let Err(failure) = outcome {
                let wave = match &built {
                    Ok(_) => self.repeat_with_waves(model, seed, &failure, &bench),
                    Err(_) => Err("none: there is no model".into()),
                };
                return Err(Box::new(self.failed(seed, failure, wave)));
            }
        }
        Ok(coverage)
    }

    fn bench(&self, model: &Model, seed: u64) -> Result<Bench, Error> {
        Ok(Bench {
            dut: model.instance(seed)?,
            seed,
            rng: ChaCha8Rng::seed_from_u64(seed),
            coverage: self.coverage.clone(),
        })
    }

    /// Runs a failing seed again; gives the wave, and a remark if the failure is not the same; or
    /// why there is no wave.
    fn repeat_with_waves(
        &self,
        model: &ModelBuilder,
        seed: u64,
        failure: &Failure,
        bench: &impl Fn(&mut Bench) -> Outcome,
    ) -> Result<(PathBuf, String), String> {
        let no_wave = |error: Error| format!("none: {error}");
        let path = self.file("waves", seed, "fst").map_err(no_wave)?;
        let built = model.clone().waves(true).build().map_err(no_wave)?;
        let mut run = self.bench(&built, seed).map_err(no_wave)?;
        run.dut.open_wave(&path).map_err(no_wave)?;
        let again = guarded(bench, &mut run);
        run.dut.close_wave();
        let remark = match again {
            Err(second) if second == *failure => String::new(),
            Err(second) => format!(" (the repetition failed otherwise: {second})"),
            Ok(()) => " (the repetition passed: the test is not a function of its seed)".into(),
        };
        Ok((path, remark))
    }

    fn failed(&self, seed: u64, failure: Failure, wave: Result<(PathBuf, String), String>) -> FailedRun {
        let cycle = failure.cycle().map(|cycle| format!(" cycle {cycle}")).unwrap_or_default();
        let (wave, shown) = match wave {
            Ok((path, remark)) => {
                let shown = format!("{}{remark}", from_root(&path).display());
                (Some(path), shown)
            }
            Err(reason) => (None, reason),
        };
        let message = format!(
            "{block}{variant}{cycle} seed {seed:#x} {failure}\n\
             wave: {shown}\n\
             rerun: {rerun}",
            block = self.block(),
            variant = self.shown_variant(),
            rerun = self.rerun(seed, |name| env::var(name).ok()),
        );
        FailedRun { seed, failure, wave, message }
    }

    /// The command that runs `seed` again, given the environment's variables.
    fn rerun(&self, seed: u64, variable: impl Fn(&str) -> Option<String>) -> String {
        let Run { test, package, environment, .. } = self;
        let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?)));
        let settings: BTreeMap<_, _> = kept.chain(environment.clone()).collect();
        let settings: String = settings.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
        format!("COSIM_SEED={seed:#x} {settings}cargo test -p {package} {test} -- --exact")
    }

    /// `group/block`, from the test's path.
    fn block(&self) -> String {
        self.test.split("::").take(2).collect::<Vec<_>>().join("/")
    }

    /// ` (variant)`, or nothing.
    fn shown_variant(&self) -> String {
        self.variant.as_ref().map(|variant| format!(" ({variant})")).unwrap_or_default()
    }

    /// `target/cosim/<kind>/<test>-<variant>-<seed>.<ending>`.
    fn file(&self, kind: &str, seed: u64, ending: &str) -> Result<PathBuf, Error> {
        let plain = |variant: &String| variant.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let variant = self.variant.as_ref().map(|variant| format!("-{}", plain(variant))).unwrap_or_default();
        let name = format!("{}{variant}-{seed:#x}.{ending}", self.test.replace("::", "."));
        Ok(workspace::cosim_folder()?.join(kind).join(name))
    }
}

/// Runs the test, with a panic as a failure.
fn guarded(test: &impl Fn(&mut Bench) -> Outcome, bench: &mut Bench) -> Outcome {
    let result = catch_unwind(AssertUnwindSafe(|| test(bench)));
    result.unwrap_or_else(|panic| Err(Failure::other(format!("panic: {}", panic_text(&*panic)))))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("of unknown kind")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A path below the workspace as seen from there.
fn from_root(path: &Path) -> PathBuf {
    let root = workspace::root().ok();
    root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).to_path_buf()
}

impl Seeds {
    fn from_environment(wanted: u64) -> Result<Self, String> {
        let value = |name| env::var(name).ok();
        Self::choose(wanted, value("COSIM_SEED").as_deref(), value("COSIM_SEEDS").as_deref())
    }

    fn choose(wanted: u64, seed: Option<&str>, seeds: Option<&str>) -> Result<Self, String> {
        let seed = seed.map(|text| parse("COSIM_SEED", text)).transpose()?;
        let seeds = seeds.map(|text| parse("COSIM_SEEDS", text)).transpose()?;
        let count = seeds.unwrap_or(if seed.is_some() { 1 } else { wanted });
        Ok(Seeds { first: seed.unwrap_or(1), count, all: count >= wanted })
    }
}

/// A number as people write seeds.
fn parse(variable: &str, text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let number = match plain.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => plain.parse(),
    };
    number.map_err(|_| format!("{variable}={text}: not a number; write 81 or 0x51"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_chooses_seeds() {
        let choose = |seed, seeds| Seeds::choose(8, seed, seeds).unwrap();
        let seeds = |first, count, all| Seeds { first, count, all };
        assert_eq!(choose(None, None), seeds(1, 8, true));
        assert_eq!(choose(Some("0x51"), None), seeds(0x51, 1, false));
        assert_eq!(choose(None, Some("200")), seeds(1, 200, true));
        assert_eq!(choose(Some("81"), Some("3")), seeds(81, 3, false));
        assert_eq!(
            Seeds::choose(8, Some("fifty"), None).unwrap_err(),
            "COSIM_SEED=fifty: not a number; write 81 or 0x51"
        );
    }

    #[test]
    fn a_variant_is_told_and_has_files_of_its_own() {
        let run = Run::of("cells::fifo::order").variant("small, 4 words");
        let failed = run.failed(9, Failure::other("3 of 4 beats"), Err("none".into()));
        let told = "cells/fifo (small, 4 words) seed 0x9 3 of 4 beats\nwave: none\nrerun: COSIM_SEED=0x9 ";
        assert!(failed.message.starts_with(told), "{}", failed.message);
        let wave = run.file("waves", 9, "fst").unwrap();
        assert_eq!(wave.file_name().unwrap(), "cells.fifo.order-small__4_words-0x9.fst");
    }

    #[test]
    fn the_command_repeats_the_run_and_no_other() {
        let plain = Run::of("cells::fifo::order");
        let silent = |_: &str| None;
        assert_eq!(plain.rerun(9, silent), "COSIM_SEED=0x9 cargo test -p tb cells::fifo::order -- --exact");
        let mutant = |name: &str| (name == "COSIM_MUTANT").then(|| "17".to_owned());
        let configured =
            plain.environment("TOLLGATE_CONFIGURATION", "small").environment("TOLLGATE_RTL_OUT", "my rtl's");
        assert_eq!(
            configured.rerun(0x51, mutant),
            "COSIM_SEED=0x51 COSIM_MUTANT=17 TOLLGATE_CONFIGURATION=small TOLLGATE_RTL_OUT='my rtl'\\''s' \
             cargo test -p tb cells::fifo::order -- --exact"
        );
        let all = Run::of("a::b::c").rerun(1, |name| Some(name.len().to_string()));
        assert_eq!(
            all,
            "COSIM_SEED=0x1 COSIM_COVERAGE=14 COSIM_MUTANT=12 CXX=3 TOLLGATE_TOOLS=14 VERILATOR=9 \
             cargo test -p tb a::b::c -- --exact"
        );
    }
}
