//! From a configuration to its files.
//!
//! | file | what it is |
//! |---|---|
//! | `rtl/<module>.v` | one module of Verilog |
//! | `tollgate.f` | the Verilog files, children first, relative to the list |
//! | `include/tollgate.h` | layouts, codes and registers for C11 |
//! | `include/tollgate.rs` | the same for Rust, as a module |
//! | `docs/registers/<group>_<block>.md` | the registers of a block |
//! | `docs/ports/<module>.md` | the ports of a module |
//! | `config.toml` | every value of the configuration |
//! | `MANIFEST` | the SHA-256 of each of the others, and of these lines |

mod c_header;
mod configuration;
mod constants;
pub(crate) mod manifest;
mod markdown;
mod port_page;
mod register_page;
mod rust_module;
mod verilog;

use constants::Sections;
use manifest::Manifest;
use miette::Diagnostic;
use thiserror::Error;
use tollgate_hdl::catalogue;
use tollgate_rtl::Errors;
use tollgate_spec::config::Config;
use tollgate_spec::registers::RegisterBlock;
use tollgate_spec::source::Refused;

pub use configuration::{Origins, configuration};

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Its path in the folder of the configuration, with `/` between the parts.
    pub path: String,
    /// Its text; it ends with a newline.
    pub text: String,
}

impl Rendered {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }
}

/// Why a checked configuration has no files: always a defect of Tollgate, not of the configuration.
#[derive(Debug, Error, Diagnostic)]
pub enum RenderError {
    /// A circuit breaks the rules of the hardware language.
    #[error("the circuits of configuration `{config}` are wrong\n{errors}")]
    Circuit {
        /// The name of the configuration.
        config: String,
        /// What is wrong, with the lines of Rust.
        errors: Errors,
    },
    /// Two blocks bring different modules under one name.
    #[error("`{first}` and `{second}` both bring a module called `{module}`, and the two differ")]
    #[diagnostic(help("put the parameters that tell them apart into the name of the module"))]
    ModuleTwice {
        /// The name.
        module: String,
        /// The key of the block that brought it first.
        first: String,
        /// The key of the other one.
        second: String,
    },
    /// Two things in the headers would have one name.
    #[error("`{first}` and `{second}` both become `{name}` in the headers")]
    #[diagnostic(help("rename one of them in its layout or register map"))]
    ConstantTwice {
        /// The name in the headers.
        name: String,
        /// The meaning of the constant that has it first.
        first: String,
        /// The meaning of the other one.
        second: String,
    },
    /// A register map breaks its rules.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Registers(#[from] Refused),
}

/// All files of a configuration, sorted by path, and their `MANIFEST` last.
///
/// # Errors
///
/// See [`RenderError`].
pub fn render(config: &Config) -> Result<Vec<Rendered>, RenderError> {
    let blocks =
        catalogue::blocks(config).map_err(|errors| RenderError::Circuit { config: config.name.clone(), errors })?;
    let maps = blocks.iter().filter_map(|block| RegisterBlock::shipped(block.key)).collect::<Result<Vec<_>, _>>()?;
    let sections = Sections::of(config, &maps)?;

    let mut files = verilog::files(&blocks)?;
    files.extend(port_page::pages(&blocks));
    files.extend(maps.iter().map(register_page::page));
    files.push(Rendered::new("include/tollgate.h", c_header::text(&config.name, &sections)));
    files.push(Rendered::new("include/tollgate.rs", rust_module::text(&config.name, &sections)));
    files.push(Rendered::new("config.toml", configuration(config, Origins::Hidden)));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let manifest = Manifest::of(&files).to_string();
    files.push(Rendered::new(manifest::NAME, manifest));
    Ok(files)
}
