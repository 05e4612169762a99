//! Verilated models: what they are made of, and the shared library they become.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ffi::Api;
use crate::{Dut, Error, Tools, build};

/// What a model is made of. Finished by [`build`](ModelBuilder::build).
///
/// ```no_run
/// # fn main() -> Result<(), tollgate_cosim::Error> {
/// let model = tollgate_cosim::Model::of("cells_fifo")
///     .file("rtl-out/small/rtl/cells_fifo.v")?
///     .build()?;
/// let dut = model.instance(0x51)?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ModelBuilder {
    pub(crate) top: String,
    /// File name → text.
    pub(crate) sources: BTreeMap<String, String>,
    /// Name → value of `` `define ``s.
    pub(crate) defines: BTreeMap<String, String>,
    pub(crate) waves: bool,
    pub(crate) coverage: bool,
}

impl ModelBuilder {
    /// Adds a Verilog file; relative paths count from the workspace root.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read; as [`text`](Self::text).
    pub fn file(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = crate::workspace::root()?.join(path);
        let text = fs::read_to_string(&path).map_err(|cause| Error::io("read", &path, cause))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.text(name, text)
    }

    /// Adds a Verilog source under the file name `name`. Verilator wants a module's file to be
    /// called like the module.
    ///
    /// # Errors
    /// [`Error::DuplicateSource`] if the name is taken.
    pub fn text(mut self, name: impl Into<String>, text: impl Into<String>) -> Result<Self, Error> {
        let name = name.into();
        if self.sources.contains_key(&name) {
            return Err(Error::DuplicateSource { top: self.top, name });
        }
        self.sources.insert(name, text.into());
        Ok(self)
    }

    /// Defines a macro, as `+define+NAME=VALUE` does.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.defines.insert(name.into(), value.to_string());
        self
    }

    /// Whether the model can write FST waves. Costs 4/5 of the speed: off by default, and
    /// [`Run`](crate::Run) turns it on to repeat a failing seed.
    #[must_use]
    pub fn waves(mut self, on: bool) -> Self {
        self.waves = on;
        self
    }

    /// Whether the model counts line, toggle and branch coverage. Costs 9/10 of the speed: off by
    /// default.
    #[must_use]
    pub fn coverage(mut self, on: bool) -> Self {
        self.coverage = on;
        self
    }

    /// Verilates and compiles the model, or takes the library that the same sources, options and
    /// tools gave before. Processes and threads that want the same model build it once.
    ///
    /// # Errors
    /// A missing tool; a Verilog error or any warning of `-Wall`; a port that is not a plain vector.
    pub fn build(self) -> Result<Model, Error> {
        let built = build::build(&self, &Tools::find()?)?;
        let api = Arc::new(Api::load(&built.library)?);
        Ok(Model(Arc::new(Built { api, ports: built.ports, source: self, folder: built.folder })))
    }
}

/// A compiled model. Cheap to clone; any thread may make instances of it.
#[derive(Clone)]
pub struct Model(Arc<Built>);

/// What a [`Model`] shares between its clones.
struct Built {
    api: Arc<Api>,
    ports: Vec<PortInfo>,
    source: ModelBuilder,
    folder: PathBuf,
}

impl Model {
    /// Begins the description of the model with top module `top`.
    pub fn of(top: impl Into<String>) -> ModelBuilder {
        ModelBuilder {
            top: top.into(),
            sources: BTreeMap::new(),
            defines: BTreeMap::new(),
            waves: false,
            coverage: false,
        }
    }

    /// A device under test of its own, whose registers and memories start with random values drawn
    /// from `seed`. All inputs start at zero.
    ///
    /// # Errors
    /// [`Error::Start`] if an `initial` block stops the model.
    pub fn instance(&self, seed: u64) -> Result<Dut, Error> {
        Dut::new(self.clone(), seed)
    }

    /// The top module's name.
    #[must_use]
    pub fn top(&self) -> &str {
        &self.0.source.top
    }

    /// The ports of the top module.
    #[must_use]
    pub fn ports(&self) -> &[PortInfo] {
        &self.0.ports
    }

    /// What the model was made of.
    #[must_use]
    pub fn source(&self) -> &ModelBuilder {
        &self.0.source
    }

    /// The folder of the library, in `target/cosim/`; its `src/` holds the sources as compiled.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    pub(crate) fn api(&self) -> Arc<Api> {
        Arc::clone(&self.0.api)
    }
}

/// Which way a port looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Driven by the testbench.
    Input,
    /// Driven by the model.
    Output,
}

/// A port of the top module.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PortInfo {
    /// Its name in the Verilog.
    pub name: String,
    /// Which way it looks.
    pub direction: Direction,
    /// Bits, at least 1.
    pub width: u32,
    /// Its name in Verilator's C++ class.
    pub(crate) member: String,
}
