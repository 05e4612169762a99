//! Every error text of the language, beside the circuit that earns it.
//!
//! A place is shown by the text of its line, so that a snapshot reads by itself and does not move with the file.

mod domains;
mod drivers;
mod indices;
mod loops;
mod memories;
mod modules;
mod names;
mod readers;
mod support;
mod widths;

/// What the macros refuse.
#[test]
fn macros() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/errors/derives/*.rs");
}
