//! What the properties in a design came to.

use crate::ir::CheckKind;
use crate::place::Place;
use std::fmt;

/// An assertion or an assumption that did not hold.
#[derive(Clone, Debug)]
pub struct Violation {
    /// [`CheckKind::Assert`] or [`CheckKind::Assume`].
    pub kind: CheckKind,
    /// What should hold, in the author's words.
    pub message: String,
    /// Path of the instance, from the top module.
    pub instance: String,
    /// The loops around the property, outermost first, each with its index.
    pub indices: Vec<(String, u32)>,
    /// How many rising edges the property's clock had before this one.
    pub cycle: u64,
    /// Where the property was written.
    pub place: Place,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            CheckKind::Assert => "assertion",
            CheckKind::Assume => "assumption",
            CheckKind::Cover => "cover",
        };
        write!(f, "{}, cycle {}: {kind} failed: {}", self.instance, self.cycle, self.message)?;
        for (name, index) in &self.indices {
            write!(f, " [{name} = {index}]")?;
        }
        write!(f, "\n  --> {}", self.place)
    }
}

/// How often something that should happen did.
#[derive(Clone, Debug)]
pub struct Cover {
    /// What should happen, in the author's words.
    pub message: String,
    /// Path of the instance, from the top module.
    pub instance: String,
    /// At how many rising edges it held; each index of a loop counts.
    pub hits: u64,
    /// Where it was written.
    pub place: Place,
}
