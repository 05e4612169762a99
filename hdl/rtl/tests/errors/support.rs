//! Small circuits, and their errors as texts.

use tollgate_rtl::prelude::*;

/// An enumeration with illegal codes.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 3)]
pub enum Mode {
    /// Nothing to do.
    Idle,
    /// Something to do.
    Busy,
    /// Done.
    Done,
}

/// A bundle of two fields.
#[bundle(p: u32)]
pub struct Pair {
    /// Says which.
    pub key: Bits<{ *p }>,
    /// Says what.
    pub value: Bits<8>,
}

/// Ports of [`block`] and [`fine`].
#[ports]
pub struct Io {
    /// Four bits.
    pub narrow: Input<Bits<4>>,
    /// Eight bits.
    pub wide: Input<Bits<8>>,
    /// One bit.
    pub go: Input<Bit>,
    /// A number of four bits.
    pub number: Input<Signed<4>>,
    /// A mode.
    pub mode: Input<Code<Mode>>,
    /// Eight bits.
    pub out: Output<Bits<8>>,
}

/// The errors of what `describe` writes, each place as the text of its line.
#[track_caller]
pub fn errors<P: Bundle>(describe: impl FnOnce() -> Module<P>) -> String {
    match elaborate(describe) {
        Ok(_) => panic!("nothing is found to be wrong"),
        Err(errors) => readable(&errors.to_string()),
    }
}

/// The errors of a module whose inputs need not be read and whose output need not be set.
#[track_caller]
pub fn block(body: impl FnOnce(&ModuleBuilder, Io)) -> String {
    errors(|| lenient(body))
}

/// Asserts that nothing is wrong with a module whose inputs need not be read and whose output need not be set.
#[track_caller]
pub fn fine(body: impl FnOnce(&ModuleBuilder, Io)) {
    if let Err(errors) = elaborate(|| lenient(body)) {
        panic!("{}", readable(&errors.to_string()));
    }
}

/// A module called `block`.
fn lenient(body: impl FnOnce(&ModuleBuilder, Io)) -> Module<Io> {
    module("block", Io::shape(&()), |m, io| {
        m.describe("A circuit of the tests.");
        let inputs = concat([io.narrow, io.wide, io.go.bits(), io.number.bits(), io.mode.bits()]);
        m.ignore("inputs", inputs, "not what is tested");
        m.default(io.out, 0);
        body(m, io);
    })
}

/// Puts the text of its line in the stead of each place. A place in the language itself is one that was lost.
fn readable(text: &str) -> String {
    const FOLDER: &str = "hdl/rtl/tests/errors/";
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo");
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(FOLDER) {
        let (before, place) = rest.split_at(start);
        let (file, after) = place[FOLDER.len()..].split_once(':').expect("a line follows the file");
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let source = std::fs::read_to_string(format!("{folder}/tests/errors/{file}")).expect("a file of these tests");
        let number: usize = after[..digits].parse().expect("a line number");
        let line = source.lines().nth(number - 1).expect("a line of that file").trim();
        out.push_str(&format!("{before}`{line}`"));
        rest = &after[digits..];
    }
    out.push_str(rest);
    assert!(!out.contains("hdl/rtl/"), "a place was lost:\n{out}");
    out
}
