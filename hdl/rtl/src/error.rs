//! What is wrong with a circuit, and where.

use crate::place::Place;
use std::fmt;

/// One thing that is wrong: what, in which module, and the lines of Rust on both sides.
#[derive(Clone, Debug)]
pub struct Error {
    pub(crate) module: String,
    pub(crate) message: String,
    pub(crate) notes: Vec<(Place, String)>,
    /// What stands around, the outermost first.
    pub(crate) within: Vec<(String, Place)>,
    /// The path of the first instance of the module from the top, and how many more there are; none of the top itself.
    pub(crate) instance: Option<(String, u64)>,
    pub(crate) help: Option<String>,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            module: String::new(),
            message: message.into(),
            notes: vec![],
            within: vec![],
            instance: None,
            help: None,
        }
    }

    pub(crate) fn at(mut self, place: Place, what: impl Into<String>) -> Self {
        self.notes.push((place, what.into()));
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds what stands around, as the representation tells it.
    pub(crate) fn within(mut self, frames: &[(String, Place)]) -> Self {
        self.within = frames.to_vec();
        self
    }

    /// Whether `other` is the same error, met again on another way.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let same_places = || {
            self.notes.len() == other.notes.len()
                && self.notes.iter().zip(&other.notes).all(|((a, _), (b, _))| a.is_same_line(b))
        };
        self.module == other.module && self.message == other.message && same_places()
    }

    /// What is wrong, without the places.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The places that the error names, the first being where it was noticed.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.notes.iter().map(|(place, _)| *place)
    }
}

impl fmt::Display for Error {
    /// The message, then a line for each place, the `when`s around it, an instance of the module, and the cure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.module, self.message)?;
        for (place, what) in &self.notes {
            write!(f, "\n  --> {place}: {what}")?;
        }
        for (what, place) in self.within.iter().rev() {
            write!(f, "\n   in {what} at {place}")?;
        }
        match &self.instance {
            Some((path, 0)) => write!(f, "\n   is instance `{path}`")?,
            Some((path, more)) => write!(f, "\n   is instance `{path}`, and {more} more")?,
            None => {}
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// All that is wrong with a design; never empty.
#[derive(Clone, Debug)]
pub struct Errors(pub(crate) Vec<Error>);

impl Errors {
    /// The errors, in the order they were noticed.
    pub fn iter(&self) -> impl Iterator<Item = &Error> {
        self.0.iter()
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}
