//! From Verilog to a shared library, once.
//!
//! A model lives in `target/cosim/<top>-<hash>/`, where the hash covers what it is made from: sources, arguments of
//! Verilator, the tools with their versions, the C++ compiler with what it says of itself, and this bridge (its headers
//! and libraries of the system are taken to change with the compiler). It is built in a scratch folder beside it and renamed
//! when complete, so a folder that exists is whole; a lock on `<top>-<hash>.lock` lets one process
//! or thread build while the others wait. A killed build leaves a scratch folder, which the next
//! builder of that model removes; the system drops its lock.
//!
//! Verilator's own runtime takes longer to compile than most models and is the same for all with
//! the same flags: it is kept as a library too, under `runtime-<hash>/`, by the same rules.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};
use std::thread;

use regex::Regex;
use sha2::{Digest, Sha256};

use crate::dut::MUTANT_VARIABLE;
use crate::ffi::{BRIDGE_VERSION, SHIM};
use crate::model::{Direction, ModelBuilder, PortInfo};
use crate::tools::compiler;
use crate::{Error, Tools, workspace};

/// The runtime, as compiled in the place of Verilator's `verilated.cpp`.
const RUNTIME: &str = include_str!("runtime.cpp");

/// Optimized for speed; the library shows nothing but the shim's functions, and no symbol of one
/// model can bind to another's (`-fno-gnu-unique`).
const CFLAGS: &str = "-O2 -fPIC -fvisibility=hidden -fno-gnu-unique \
                      -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL";

/// Warnings are fatal; registers, memories and `x` start as the seed says. All loops are unrolled: see
/// `docs/tool_defects.md`.
const VERILATE: [&str; 12] = [
    "--cc",
    "--prefix",
    "Vmodel",
    "-Wall",
    "--assert",
    "--no-timing",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
    "--unroll-count",
    "4096",
];

/// A model on disk.
pub(crate) struct BuiltModel {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// The shared library in it.
    pub(crate) library: PathBuf,
    /// Ports of the top module, in the order of the shim.
    pub(crate) ports: Vec<PortInfo>,
}

/// What models are built with.
struct Toolchain<'a> {
    tools: &'a Tools,
    compiler: &'a Compiler,
    /// Whether Verilator may meet mutants, which compare with what nothing is below.
    mutants: bool,
}

/// The C++ compiler.
struct Compiler {
    /// Its name or path.
    program: String,
    /// What it answers to `--version`.
    version: String,
}

impl Compiler {
    /// The [`compiler`], asked once and then known to the process.
    fn of_environment() -> Result<&'static Self, Error> {
        static KNOWN: OnceLock<Compiler> = OnceLock::new();
        if let Some(known) = KNOWN.get() {
            return Ok(known);
        }
        let asked = Self::ask(&compiler())?;
        Ok(KNOWN.get_or_init(|| asked))
    }

    fn ask(program: &str) -> Result<Self, Error> {
        let failed = |cause| Error::io("start", program, cause);
        let output = Command::new(program).arg("--version").output().map_err(failed)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(failed(io::Error::other(format!("`--version` ended with {}: {said}", output.status))));
        }
        Ok(Self { program: program.into(), version: String::from_utf8_lossy(&output.stdout).into_owned() })
    }
}

/// Finds or builds the model.
pub(crate) fn build(source: &ModelBuilder, tools: &Tools) -> Result<BuiltModel, Error> {
    let mutants = env::var_os(MUTANT_VARIABLE).is_some();
    let toolchain = Toolchain { tools, compiler: Compiler::of_environment()?, mutants };
    let hash = content_hash(source, &toolchain)?;
    let folder = workspace::cosim_folder()?.join(format!("{}-{hash}", source.top));
    once(&folder, |scratch| build_in(source, &toolchain, scratch))?;
    let ports = folder.join("ports.json");
    let text = fs::read_to_string(&ports).map_err(|cause| Error::io("read", &ports, cause))?;
    let ports = serde_json::from_str(&text).map_err(|cause| Error::io("read", &ports, io::Error::other(cause)))?;
    Ok(BuiltModel { library: folder.join("model.so"), folder, ports })
}

/// What the library is made from, as 16 hexadecimal digits.
fn content_hash(source: &ModelBuilder, toolchain: &Toolchain<'_>) -> Result<String, Error> {
    let Toolchain { tools, compiler, .. } = toolchain;
    Ok(digest([
        BRIDGE_VERSION.to_string(),
        format!("{} {}", tools.path("verilator")?.display(), tools.version("verilator")?),
        format!("{:?}", verilator_arguments(source, toolchain)?),
        format!("{:?}", source.sources),
        format!("{:?}", libraries(source, tools)?),
        compiler.program.clone(),
        compiler.version.clone(),
        SHIM.to_owned(),
        RUNTIME.to_owned(),
    ]))
}

/// 16 hexadecimal digits of SHA-256 over `parts`, each with its length.
fn digest(parts: impl IntoIterator<Item = String>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Makes `folder` appear whole, by `fill` in a scratch folder, in one process and thread alone.
fn once(folder: &Path, fill: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().expect("a folder in target/cosim");
    let name = folder.file_name().expect("a folder in target/cosim").to_string_lossy();
    fs::create_dir_all(parent).map_err(|cause| Error::io("create", parent, cause))?;
    let _lock = lock(&parent.join(format!("{name}.lock")))?;
    if folder.is_dir() {
        return Ok(());
    }
    let scratch_prefix = format!("{name}.scratch-");
    remove_scratch(parent, &scratch_prefix);
    let scratch = tempfile::Builder::new()
        .prefix(&scratch_prefix)
        .tempdir_in(parent)
        .map_err(|cause| Error::io("create", parent, cause))?;
    fill(scratch.path())?;
    fs::rename(scratch.path(), folder).map_err(|cause| Error::io("create", folder, cause))
}

/// Takes the lock file `path`, waiting for whoever holds it. It is released when dropped, and by
/// the system when the process ends in any way.
fn lock(path: &Path) -> Result<File, Error> {
    let file = File::create(path).map_err(|cause| Error::io("create", path, cause))?;
    file.lock().map_err(|cause| Error::io("lock", path, cause))?;
    Ok(file)
}

/// Removes what a killed build left. The caller holds the lock, so nobody builds there; a compiler
/// that outlived its parent may still write, and what it writes is left for the next time.
fn remove_scratch(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Builds the model in `folder`: `model.so`, `ports.json` and `src/` stay there.
fn build_in(source: &ModelBuilder, toolchain: &Toolchain<'_>, folder: &Path) -> Result<(), Error> {
    let top = &source.top;
    let objects = folder.join("obj");
    create_folder(&folder.join("src"))?;
    create_folder(&objects)?;
    for (name, text) in &source.sources {
        write(&folder.join("src").join(name), text)?;
    }
    verilate(source, toolchain, folder)?;

    let ports = read_ports(top, &objects.join("Vmodel.h"))?;
    write(&folder.join("ports.json"), &serde_json::to_string_pretty(&ports).expect("plain data"))?;
    write(&objects.join("ports.inc"), &port_list(&ports))?;
    write(&objects.join("shim.cpp"), SHIM)?;
    make(top, toolchain.compiler, &objects, &["libVmodel.a", "shim.o"])?;

    let runtime = runtime(source, toolchain, &objects)?;
    link(source, toolchain, &runtime, folder)?;
    fs::remove_dir_all(&objects).map_err(|cause| Error::io("remove", &objects, cause))
}

/// Verilog to C++, in `obj/`.
fn verilate(source: &ModelBuilder, toolchain: &Toolchain<'_>, folder: &Path) -> Result<(), Error> {
    let mut command = toolchain.tools.command("verilator")?;
    command.current_dir(folder).env_remove("VERILATOR_ROOT").args(verilator_arguments(source, toolchain)?);
    run(&source.top, "verilator", &mut command)
}

/// All that Verilator is told, in the folder of the model.
fn verilator_arguments(source: &ModelBuilder, toolchain: &Toolchain<'_>) -> Result<Vec<String>, Error> {
    let mut arguments: Vec<String> = VERILATE.map(String::from).into();
    let mut add = |more: &[&str]| arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    add(&["-Mdir", "obj", "--top-module", &source.top, "-CFLAGS", CFLAGS]);
    if toolchain.mutants {
        add(&["-Wno-UNSIGNED", "-Wno-CMPCONST"]);
    }
    if source.waves {
        let headers = toolchain.tools.path("compression-headers")?;
        add(&["--trace-fst", "-CFLAGS", &format!("-I{}", headers.display())]);
    }
    if source.coverage {
        add(&["--coverage"]);
    }
    arguments.extend(source.defines.iter().map(|(name, value)| format!("+define+{name}={value}")));
    arguments.extend(source.sources.keys().map(|name| format!("src/{name}")));
    Ok(arguments)
}

/// The libraries that the model is linked with, beside its own parts: those that compress waves.
fn libraries(source: &ModelBuilder, tools: &Tools) -> Result<Vec<PathBuf>, Error> {
    let names: &[&str] = if source.waves { &["lz4", "zlib"] } else { &[] };
    names.iter().map(|name| tools.path(name)).collect()
}

/// The runtime's library, found or built with the makefile of a model that has just been verilated.
fn runtime(source: &ModelBuilder, toolchain: &Toolchain<'_>, objects: &Path) -> Result<PathBuf, Error> {
    let makefile = read(&objects.join("Vmodel.mk"))?;
    let root = makefile
        .lines()
        .find_map(|line| line.strip_prefix("VERILATOR_ROOT = "))
        .map(Path::new)
        .expect("Verilator's makefile states its root");
    let Toolchain { tools, compiler, .. } = toolchain;
    let hash = digest([
        format!("{BRIDGE_VERSION} {CFLAGS} {} {}", source.waves, source.coverage),
        format!("{} {}", root.display(), tools.version("verilator")?),
        format!("{:?}", libraries(source, tools)?),
        compiler.program.clone(),
        compiler.version.clone(),
        RUNTIME.to_owned(),
    ]);
    let folder = workspace::cosim_folder()?.join(format!("runtime-{hash}"));
    once(&folder, |scratch| {
        let original = root.join("include/verilated.cpp");
        let wrapper = format!("#define COSIM_VERILATED_CPP \"{}\"\n{RUNTIME}", original.display());
        write(&objects.join("verilated.cpp"), &wrapper)?; // make prefers this folder's
        make(&source.top, compiler, objects, &["libverilated.a"])?;
        let (from, to) = (objects.join("libverilated.a"), scratch.join("libverilated.a"));
        fs::copy(&from, &to).map(drop).map_err(|cause| Error::io("write", &to, cause))
    })?;
    Ok(folder.join("libverilated.a"))
}

/// Objects to `model.so`.
fn link(source: &ModelBuilder, toolchain: &Toolchain<'_>, runtime: &Path, folder: &Path) -> Result<(), Error> {
    let mut command = Command::new(&toolchain.compiler.program);
    command.current_dir(folder).args(["-shared", "-Wl,-Bsymbolic", "-o", "model.so"]);
    command.args(["obj/shim.o", "obj/libVmodel.a"]).arg(runtime);
    for library in libraries(source, toolchain.tools)? {
        let place = library.parent().expect("a library in a folder").display().to_string();
        command.arg(format!("-Wl,-rpath,{place}")).arg(library);
    }
    command.args(["-pthread", "-latomic"]);
    run(&source.top, "link", &mut command)
}

/// What make would take from the environment: the jobs and flags of a make or cargo that runs us, and flags of compilers.
const NOT_FOR_MAKE: [&str; 8] =
    ["MAKEFLAGS", "MFLAGS", "CARGO_MAKEFLAGS", "CPPFLAGS", "CXXFLAGS", "OPT", "M32", "USER_CPPFLAGS"];

/// Runs Verilator's makefile.
fn make(top: &str, compiler: &Compiler, objects: &Path, targets: &[&str]) -> Result<(), Error> {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut command = Command::new("make");
    for name in NOT_FOR_MAKE {
        command.env_remove(name);
    }
    let Compiler { program, .. } = compiler;
    command.current_dir(objects).args(["-s", "-f", "Vmodel.mk", &format!("-j{jobs}")]);
    command.arg(format!("CXX={program}")).arg(format!("LINK={program}"));
    if on_path("ccache") {
        command.arg("OBJCACHE=ccache");
    }
    run(top, "make", command.args(targets))
}

/// Whether some folder of `PATH` holds `program`.
fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Runs a step; its output is the error if it fails.
fn run(top: &str, step: &'static str, command: &mut Command) -> Result<(), Error> {
    let output = command.output().map_err(|cause| Error::io("start", command.get_program(), cause))?;
    if output.status.success() {
        return Ok(());
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Err(Error::Build { top: top.into(), step, output: text })
}

/// The ports that Verilator's header declares.
fn read_ports(top: &str, header: &Path) -> Result<Vec<PortInfo>, Error> {
    static PORT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&?(\w+),(\d+),(\d+)(?:,\d+)?\);").expect("a fixed pattern")
    });
    let text = read(header)?;
    let declarations = text.lines().filter(|line| {
        let line = line.trim_start();
        line.starts_with("VL_IN") || line.starts_with("VL_OUT")
    });
    declarations
        .map(|line| {
            let bad = |rule| Error::BadPort { top: top.into(), declaration: line.trim().into(), rule };
            let port = PORT.captures(line).ok_or_else(|| bad("ports are vectors, not arrays"))?;
            let direction = match &port[1] {
                "IN" => Direction::Input,
                "OUT" => Direction::Output,
                _ => return Err(bad("ports are inputs or outputs, not both")),
            };
            let bound = |text: &str| text.parse::<u32>().map_err(|_| bad("bounds fit 32 bits"));
            let (high, low) = (bound(&port[3])?, bound(&port[4])?);
            Ok(PortInfo {
                name: verilog_name(&port[2]),
                direction,
                width: high.abs_diff(low) + 1,
                member: port[2].into(),
            })
        })
        .collect()
}

/// Undoes Verilator's spelling of names that C++ reserves: `a___05Fb` is `a__b`. (A name that is a
/// C++ keyword is refused by `-Wall`.)
fn verilog_name(member: &str) -> String {
    static ESCAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"__0([0-9A-F]{2})").expect("a fixed pattern"));
    let decode = |code: &regex::Captures<'_>| {
        let byte = u8::from_str_radix(&code[1], 16).expect("two hexadecimal digits");
        char::from(byte).to_string()
    };
    ESCAPE.replace_all(member, decode).into_owned()
}

/// `ports.inc` of the shim.
fn port_list(ports: &[PortInfo]) -> String {
    let line = |(index, port): (usize, &PortInfo)| format!("COSIM_PORT({index}, {})\n", port.member);
    ports.iter().enumerate().map(line).collect()
}

fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|cause| Error::io("create", path, cause))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|cause| Error::io("write", path, cause))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|cause| Error::io("read", path, cause))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use std::os::unix::fs::PermissionsExt;

    /// A model's hash with a compiler that answers `version`.
    fn hash(source: &ModelBuilder, version: &str, mutants: bool) -> String {
        let compiler = Compiler { program: "c++".into(), version: version.into() };
        content_hash(source, &Toolchain { tools: &Tools::find().unwrap(), compiler: &compiler, mutants }).unwrap()
    }

    #[test]
    fn the_hash_tells_apart_what_gives_another_library() {
        let plain = Model::of("top").text("top.v", "module top; endmodule").unwrap();
        let text = Model::of("top").text("top.v", "module top;  endmodule").unwrap();
        let name = Model::of("top").text("other.v", "module top; endmodule").unwrap();
        let hashes = [
            hash(&plain, "12.2", false),
            hash(&plain, "13.1", false),
            hash(&plain, "12.2", true),
            hash(&plain.clone().waves(true), "12.2", false),
            hash(&plain.clone().coverage(true), "12.2", false),
            hash(&plain.clone().define("WIDE", 1), "12.2", false),
            hash(&plain.clone().define("WIDE", 2), "12.2", false),
            hash(&text, "12.2", false),
            hash(&name, "12.2", false),
        ];
        for (place, one) in hashes.iter().enumerate() {
            assert!(!hashes[..place].contains(one), "number {place} is as one before");
        }
        assert_eq!(hash(&plain, "12.2", false), hashes[0]);
    }

    #[test]
    fn a_compiler_is_known_by_what_it_says_of_itself() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("c++");
        let ask = |script: &str| {
            fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            Compiler::ask(program.to_str().unwrap())
        };
        assert_eq!(ask("echo \"ours $1 13.1\"").unwrap().version, "ours --version 13.1\n");
        assert_eq!(
            ask("echo 'no licence' >&2; exit 3").err().unwrap().to_string(),
            format!("cannot start {}: `--version` ended with exit status: 3: no licence", program.display())
        );
        let absent = Compiler::ask("/nowhere/c++").err().unwrap().to_string();
        assert!(absent.starts_with("cannot start /nowhere/c++: "), "{absent}");
    }
}
