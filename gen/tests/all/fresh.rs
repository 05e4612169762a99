//! The committed files are those that would be generated now.

use std::env;
use std::path::Path;
use tollgate::folder::{State, compare};
use tollgate::render;
use tollgate_spec::config::Config;

/// Panics with each file that is not fresh, and with the command that names its cure.
fn is_fresh(config: &str) {
    // At run time: a path fixed at compile time would make a copy of the workspace pass for the sake of the original.
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    let folder = Path::new(&package).join("../rtl-out").join(config);
    let rendered = render(&Config::shipped(config, &[]).unwrap()).unwrap();
    let findings = compare(&folder, &rendered).unwrap();
    let wrong: Vec<String> = findings
        .iter()
        .filter(|finding| finding.state != State::Fresh)
        .map(|finding| format!("{}: rtl-out/{config}/{}\n", finding.state.name(), finding.path))
        .collect();
    assert!(wrong.is_empty(), "\n{}`cargo run --release -- check` names the cure", wrong.concat());
}

#[test]
fn small_is_fresh() {
    is_fresh("small");
}

#[test]
fn default_is_fresh() {
    is_fresh("default");
}

#[test]
fn max_is_fresh() {
    is_fresh("max");
}
