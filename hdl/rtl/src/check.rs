//! The checks of a whole module, run when it is closed: names, drivers, readers, loops, clock-domain crossings.
//!
//! Each is one file and reads the [intermediate representation](crate::ir) alone.

mod crossing;
mod drivers;
mod loops;
mod names;
mod readers;

pub(crate) use names::problem as illegal_name;

use crate::error::Error;
use crate::ir::{Module, Stmt};
use crate::place::Place;

/// All that is wrong with a module; `done` holds the modules that it instantiates.
pub(crate) fn module(module: &Module, done: &[Module]) -> Vec<Error> {
    let mut errors = names::check(module);
    if module.black_box.is_some() {
        return errors;
    }
    errors.extend(drivers::check(module));
    errors.extend(readers::check(module, done));
    if errors.is_empty() {
        errors.extend(loops::check(module, done));
    }
    if errors.is_empty() {
        errors.extend(crossing::check(module));
    }
    errors
}

/// What stands around a statement, in words, the outermost first.
type Around = Vec<(String, Place)>;

/// The bodies of a statement that has some, each with what it is.
fn bodies_of<'a>(module: &Module, statement: &'a Stmt) -> Vec<((String, Place), &'a [Stmt])> {
    match statement {
        Stmt::If { arms, otherwise, place } => {
            let whats = ["when"].into_iter().chain(std::iter::repeat_n("or_when of the when", arms.len() - 1));
            let bodies = whats.zip(arms.iter().map(|(_, body)| body));
            bodies
                .chain([("otherwise of the when", otherwise)])
                .map(|(what, body)| ((what.to_owned(), *place), body.as_slice()))
                .collect()
        }
        Stmt::Switch { encoding, arms, place, .. } => {
            let whats = encoding.variants.iter().map(|(name, ..)| format!("arm `{name}` of a switch"));
            whats.zip(arms).map(|(what, body)| ((what, *place), body.as_slice())).collect()
        }
        Stmt::Each { index, body } => {
            let of = &module.loops[index.index()];
            vec![((format!("each `{}`", of.name), of.place), body)]
        }
        Stmt::Assign { .. } | Stmt::Scan { .. } | Stmt::MemoryWrite { .. } | Stmt::Check { .. } => vec![],
    }
}
