//! The checks of a whole module, run when it is closed: names, drivers, readers, loops, clock-domain crossings.
//!
//! Each is one file and reads the [intermediate representation](crate::ir) alone.

mod crossing;
mod drivers;
mod loops;
mod names;
mod readers;

use crate::error::Error;
use crate::ir::Module;

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
