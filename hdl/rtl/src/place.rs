//! Where something was written: the line of Rust that an error points at.

use std::fmt;
use std::panic::Location;

/// A line of Rust, captured by `#[track_caller]`.
///
/// Places never take part in comparisons: two modules that differ only in where they were written are the same
/// module. Hence `==` is always true and hashing adds nothing.
#[derive(Clone, Copy)]
pub struct Place(&'static Location<'static>);

impl Place {
    /// The place of the caller.
    #[track_caller]
    pub fn here() -> Self {
        Self(Location::caller())
    }

    /// The file, as the compiler names it.
    pub fn file(&self) -> &'static str {
        self.0.file()
    }

    /// The line, from 1.
    pub fn line(&self) -> u32 {
        self.0.line()
    }

    /// Whether it is the same line, which `==` does not ask.
    pub(crate) fn is_same_line(&self, other: &Self) -> bool {
        (self.file(), self.line()) == (other.file(), other.line())
    }
}

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Place {}

impl std::hash::Hash for Place {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.file(), self.0.line())
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
