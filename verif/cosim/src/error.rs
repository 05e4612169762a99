//! What can go wrong before a model runs.

use std::io;
use std::path::PathBuf;

use num_bigint::BigUint;

/// A model, a tool or a name in a testbench that is not what it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The test runs outside the workspace.
    #[error("no workspace at or above {start}: run from within the project", start = start.display())]
    NoWorkspace {
        /// Where the search began.
        start: PathBuf,
    },

    /// The tools were never provisioned, or not all of them.
    #[error("no tool `{name}` in {tools}: run `cargo xtask tools`", tools = tools.display())]
    MissingTool {
        /// Name in `tools.json`.
        name: String,
        /// The folder searched.
        tools: PathBuf,
    },

    /// The list of tools is damaged.
    #[error("{path} is not a list of tools ({cause}): run `cargo xtask tools --again`", path = path.display())]
    BadToolList {
        /// The list.
        path: PathBuf,
        /// What the parser said.
        cause: serde_json::Error,
    },

    /// `VERILATOR` names something older than the pinned one.
    #[error("{path} is Verilator {found}, the bridge needs {needed} or newer: unset VERILATOR to use the pinned one", path = path.display())]
    OldVerilator {
        /// What `VERILATOR` names.
        path: PathBuf,
        /// The version it states.
        found: String,
        /// The pinned version.
        needed: String,
    },

    /// A file or folder could not be used.
    #[error("cannot {action} {path}: {cause}", path = path.display())]
    Io {
        /// `read`, `write`, `start`, …
        action: &'static str,
        /// The file, folder or program.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },

    /// Two source files would have the same name in the build folder.
    #[error("model {top}: two sources are called `{name}`; each needs a name of its own")]
    DuplicateSource {
        /// Top module.
        top: String,
        /// The common name.
        name: String,
    },

    /// A tool refused the model.
    #[error("model {top}: {step} failed\n{output}")]
    Build {
        /// Top module.
        top: String,
        /// `verilator`, `make` or `link`.
        step: &'static str,
        /// All that the tool printed.
        output: String,
    },

    /// A port that the bridge cannot carry.
    #[error("model {top}: cannot use port declaration `{declaration}`: {rule}")]
    BadPort {
        /// Top module.
        top: String,
        /// The declaration in the generated header.
        declaration: String,
        /// What the bridge needs.
        rule: &'static str,
    },

    /// A library that was built could not be loaded.
    #[error("cannot load {path}: {cause}; delete its folder to have it built again", path = path.display())]
    Load {
        /// The shared library.
        path: PathBuf,
        /// What the loader said.
        cause: libloading::Error,
    },

    /// The model stopped while it was created.
    #[error("model {top} stopped at time 0: {message}")]
    Start {
        /// Top module.
        top: String,
        /// What it said.
        message: String,
    },

    /// A name that the model has not.
    #[error("model {top} has no {kind} `{name}`; it has: {ports}")]
    NoPort {
        /// Top module.
        top: String,
        /// `input`, `output`, `clock input`, `payload of`.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// All ports, as `name[width]`.
        ports: String,
    },

    /// A port of another width than the testbench thinks.
    #[error("model {top}: port `{name}` is {found} bits wide, the testbench expects {expected}")]
    Width {
        /// Top module.
        top: String,
        /// The port.
        name: String,
        /// Width in the model, bits.
        found: u32,
        /// Width in the testbench, bits.
        expected: u32,
    },

    /// Waves or coverage asked of a model built without.
    #[error("model {top} was built without {feature}: build it with `.{option}(true)`")]
    NotBuiltWith {
        /// Top module.
        top: String,
        /// `waves` or `coverage`.
        feature: &'static str,
        /// The builder's method.
        option: &'static str,
    },

    /// A layout that does not hold this field.
    #[error("no field `{name}`; the bundle has: {fields}")]
    NoField {
        /// The name asked for.
        name: String,
        /// All fields, as `name[width]`.
        fields: String,
    },

    /// A value too large for a field.
    #[error("field `{name}` is {width} bits wide, the value {value:#x} does not fit")]
    FieldValue {
        /// The field.
        name: String,
        /// Its width, bits.
        width: u32,
        /// What it was to be set to.
        value: BigUint,
    },

    /// A coverage file that cannot be read.
    #[error("{path}:{line}: not a line of Verilator coverage", path = path.display())]
    BadCoverage {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
    },
}

impl Error {
    /// An [`Error::Io`].
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, cause: io::Error) -> Self {
        Error::Io { action, path: path.into(), cause }
    }
}
