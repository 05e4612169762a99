//! Models are built once, whoever asks, and a killed build breaks nothing.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tollgate_cosim::{Model, Tools};

use crate::{model, source};

/// Set in the processes that these tests start: how many threads build the model.
const THREADS: &str = "COSIM_TEST_THREADS";

/// A build folder of its own, and a Verilator that writes down each of its runs.
struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Site { folder: TempDir::new().unwrap() };
        let verilator = Tools::find().unwrap().path("verilator").unwrap();
        let script = format!(
            "#!/bin/sh\n\
             [ \"$1\" = --version ] || echo run >> {runs}\n\
             while [ \"$1\" != --version ] && [ -e {hold} ]; do sleep 0.05; done\n\
             exec {verilator} \"$@\"\n",
            runs = site.path("runs").display(),
            hold = site.path("hold").display(),
            verilator = verilator.display(),
        );
        fs::write(site.path("verilator"), script).unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(site.path("verilator"), executable).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How often Verilator ran.
    fn runs(&self) -> usize {
        fs::read_to_string(self.path("runs")).unwrap_or_default().lines().count()
    }

    /// A process that builds the model in so many threads: this test again, as the child.
    fn start(&self, test: &str, threads: usize) -> Child {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(THREADS, threads.to_string())
            .env("CARGO_TARGET_DIR", self.folder.path())
            .env("VERILATOR", self.path("verilator"))
            .spawn()
            .unwrap()
    }

    /// Names in the folder of models that begin with `prefix`.
    fn models(&self, prefix: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path("cosim")).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(prefix)).collect()
    }
}

/// In a process started by [`Site::start`]: builds and uses the model in each thread.
fn is_child() -> bool {
    let Ok(threads) = env::var(THREADS) else { return false };
    thread::scope(|scope| {
        for _ in 0..threads.parse().unwrap() {
            scope.spawn(|| model("two_clocks").instance(1).unwrap().eval().unwrap());
        }
    });
    true
}

#[test]
fn processes_and_threads_build_a_model_once() {
    if is_child() {
        return;
    }
    let site = Site::new();
    let test = "builds::processes_and_threads_build_a_model_once";
    let processes = [site.start(test, 4), site.start(test, 4)];
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    assert_eq!(site.runs(), 1);
}

#[test]
fn a_killed_build_breaks_nothing() {
    if is_child() {
        return;
    }
    let site = Site::new();
    let test = "builds::a_killed_build_breaks_nothing";
    fs::write(site.path("hold"), "").unwrap();
    let mut process = site.start(test, 1);
    let patience = Instant::now();
    while site.runs() == 0 {
        assert!(patience.elapsed() < Duration::from_secs(60), "the build never began");
        thread::sleep(Duration::from_millis(20));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let left = site.models("two_clocks-");
    assert!(left.iter().any(|name| name.contains(".scratch-")), "killed in the middle: {left:?}");

    fs::remove_file(site.path("hold")).unwrap();
    assert!(site.start(test, 1).wait().unwrap().success());
    assert_eq!(site.runs(), 2);
    let left = site.models("two_clocks-");
    assert!(!left.iter().any(|name| name.contains(".scratch-")), "cleaned: {left:?}");
}

#[test]
fn the_cache_tells_sources_and_options_apart() {
    let folder = |model: Model| model.folder().to_path_buf();
    let plain = folder(model("fifo"));
    assert_eq!(folder(model("fifo")), plain);
    let fault = folder(source("fifo").define("FAULT", 1).build().unwrap());
    assert_ne!(fault, plain);
    assert!(fault.join("src/fifo.v").is_file());
    assert!(!Path::new(&fault).join("obj").exists(), "objects are not kept");
}

#[test]
fn a_warning_is_an_error_with_its_place() {
    let text = "module odd (input wire [3:0] a, output wire [4:0] y);\n  assign y = a;\nendmodule\n";
    let error = Model::of("odd").text("odd.v", text).unwrap().build().err().unwrap().to_string();
    assert!(error.starts_with("model odd: verilator failed\n%Warning-WIDTHEXPAND: src/odd.v:2:"), "{error}");
}

#[test]
fn ports_that_are_not_vectors_are_refused() {
    let text = "module pad (inout wire a);\n  assign a = 1'bz;\nendmodule\n";
    let error = Model::of("pad").text("pad.v", text).unwrap().build().err().unwrap().to_string();
    assert_eq!(
        error,
        "model pad: cannot use port declaration `VL_INOUT8(&a,0,0);`: \
         ports are inputs or outputs, not both"
    );
}

#[test]
fn names_that_verilator_respells_come_through() {
    let text = "module names (input wire a__b, output wire c);\n  assign c = a__b;\nendmodule\n";
    let model = Model::of("names").text("names.v", text).unwrap().build().unwrap();
    let mut dut = model.instance(1).unwrap();
    dut.input("a__b").unwrap().set(1);
    dut.eval().unwrap();
    assert_eq!(dut.output("c").unwrap().get(), 1);
}

#[test]
fn two_sources_of_one_name_are_refused() {
    let error = source("fifo").text("fifo.v", "").unwrap_err();
    assert_eq!(error.to_string(), "model fifo: two sources are called `fifo.v`; each needs a name of its own");
}
