//! The Verilog printer: a design as Verilog-2005 that a person would have written.
//!
//! It reads [`crate::ir`] and nothing else, and prints the same text for the same design. Verilator, Icarus and yosys
//! take the text without a warning.
//!
//! - `live` drops statements that cannot matter, `fold` signals that an output merely repeats.
//! - `lower` decides what drives what: continuous assignments, processes, generate loops; `layout` is what it says so in.
//!   `support` tells it which signals depend on each other and which never change; `constant` computes the latter; `order`
//!   keeps Yosys from taking assignments in another order.
//! - `express` turns nodes into expressions, and shared nodes into wires, whose names come from `names`.
//! - `text` knows how Verilog is spelled; `write` puts a module together.

mod constant;
mod express;
mod fold;
mod layout;
mod live;
mod lower;
mod names;
mod order;
mod support;
mod text;
mod write;

use crate::ir::Design;
use crate::value::Value;

/// The Verilog of one module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Name of the module.
    pub module: String,
    /// Its text.
    pub text: String,
}

/// The value of a register, synchronous read or memory word before the first clock edge: by name of the module, name of the
/// signal or memory, word (0 for signals) and width in bits. All instances of a module start alike.
pub type Initial<'a> = &'a dyn Fn(&str, &str, u32, u32) -> Value;

/// What is printed besides the design.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Gives all state a value in `initial` blocks, so that every simulator starts from the same one. For tests of the
    /// language alone: delivered Verilog never has it.
    pub initial: Option<Initial<'a>>,
}

/// The Verilog of a design: one file a module, children first. Black boxes are written elsewhere and left out.
pub fn print(design: &Design) -> Vec<File> {
    print_with(design, &Options::default())
}

/// As [`print()`], with options.
pub fn print_with(design: &Design, options: &Options) -> Vec<File> {
    design
        .modules
        .iter()
        .filter(|module| module.black_box.is_none())
        .map(|module| File { module: module.name.clone(), text: write::module(design, module, options) })
        .collect()
}
