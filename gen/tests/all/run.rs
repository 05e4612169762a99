//! Calls of `tollgate`, and folders to call it in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::SystemTime;
use tempfile::TempDir;
use walkdir::WalkDir;

/// What a call ended with.
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the answer is text");
        let code = output.status.code().expect("the call ends by itself");
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The output of a call that did what it was asked for.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// The message of a call that ended with `code`.
    #[track_caller]
    pub fn bad(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self.stderr
    }
}

/// An empty folder.
pub fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

/// `tollgate` in a folder, with messages that are the same on every machine.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).env("NO_COLOR", "1").env("LANG", "C.UTF-8").env_remove("LC_ALL");
    command
}

/// What `tollgate` answers in a folder.
pub fn tollgate(folder: &Path, arguments: &[&str]) -> Answer {
    Answer::new(command(folder).args(arguments).output().expect("tollgate runs"))
}

/// The files below a folder: path, text and time of the last change.
pub fn files(folder: &Path) -> BTreeMap<String, (String, SystemTime)> {
    let entries = WalkDir::new(folder).into_iter().map(|entry| entry.expect("a readable folder"));
    let file = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(folder).expect("below it").to_str().expect("a plain path").to_owned();
        let changed = entry.metadata().expect("it is there").modified().expect("times are kept");
        (path, (fs::read_to_string(entry.path()).expect("text"), changed))
    };
    entries.filter(|entry| entry.file_type().is_file()).map(file).collect()
}

/// Everything below a folder: paths of files and of folders.
pub fn paths(folder: &Path) -> Vec<String> {
    let entries = WalkDir::new(folder).min_depth(1).sort_by_file_name().into_iter();
    entries.map(|entry| entry.expect("a readable folder").path().display().to_string()).collect()
}

/// Puts a file there, with the folders it needs.
pub fn plant(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a writable folder");
    fs::write(path, text).expect("a writable folder");
}

/// A scratch folder with the small configuration in `rtl-out`.
pub fn built() -> TempDir {
    let scratch = scratch();
    tollgate(scratch.path(), &["build", "--config", "small"]).good();
    scratch
}

/// The manifest in it.
pub const MANIFEST: &str = "rtl-out/small/MANIFEST";

/// Puts the manifest there that a build of another version would have left: with other lines about files, and their hash.
pub fn plant_manifest(folder: &Path, change: impl FnOnce(&str) -> String) {
    let text = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
    let (lines, _own_hash) = text.split_at(text.rfind("# ").expect("a last line"));
    let lines = change(lines);
    plant(folder, MANIFEST, &lines);
    let hash = sha256(&folder.join(MANIFEST));
    plant(folder, MANIFEST, &format!("{lines}# {hash}  of the lines above\n"));
}

/// The hash of a file, by the tool of the system.
pub fn sha256(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().expect("sha256sum runs");
    Answer::new(output).good().split(' ').next().expect("a hash").to_owned()
}

/// The Verilog of the PTE decoder in it.
pub const DECODER: &str = "rtl-out/small/rtl/active_access_pte_decoder.v";
