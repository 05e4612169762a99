//! Where the workspace and its build folder are, asked at run time.
//!
//! A path that the compiler wrote into the binary names the tree it was built in, not the tree it
//! runs in: a copied or moved workspace would silently test the old one.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

/// The folder of the workspace: the nearest one at or above the running package (or, outside
/// cargo, above the current folder) that holds both `Cargo.toml` and `xtask/`.
///
/// # Errors
/// [`Error::NoWorkspace`] when there is none.
pub fn root() -> Result<PathBuf, Error> {
    let start = match env::var_os("CARGO_MANIFEST_DIR") {
        Some(package) => PathBuf::from(package),
        None => env::current_dir().map_err(|cause| Error::io("ask for", ".", cause))?,
    };
    start
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file() && folder.join("xtask").is_dir())
        .map(Path::to_path_buf)
        .ok_or(Error::NoWorkspace { start })
}

/// Where models, waves and coverage go: `cosim/` in cargo's build folder.
///
/// # Errors
/// As [`root`].
pub fn cosim_folder() -> Result<PathBuf, Error> {
    let root = root()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    Ok(root.join(target).join("cosim"))
}
