//! TOML texts whose every value knows its place.
//!
//! Configurations and register maps are read the same way: a text is parsed, single values are
//! replaced by `--set` overrides, the result becomes a typed value, and what breaks a rule later is
//! reported at the place where it was written, be that a line of the file or an override.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A text that values come from: a file, or one `--set` argument.
#[derive(Debug, Clone)]
pub struct Source {
    named: Arc<NamedSource<String>>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Override,
}

impl Source {
    /// The text of a TOML file, under the name that messages use for it.
    pub fn file(name: impl AsRef<str>, text: impl Into<String>) -> Self {
        Self::new(name.as_ref(), text.into(), Kind::File)
    }

    /// The argument of one `--set`: `dotted.key=value`.
    pub fn set(argument: impl Into<String>) -> Self {
        Self::new("--set", argument.into(), Kind::Override)
    }

    fn new(name: &str, text: String, kind: Kind) -> Self {
        let named = Arc::new(NamedSource::new(name, text).with_language("toml"));
        Self { named, kind }
    }

    /// The name of the file, or `--set`.
    pub fn name(&self) -> &str {
        self.named.name()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.named.inner()
    }
}

/// Where something was written: a range of bytes of a source.
///
/// Displays as `file:line`, or as `--set` for an override.
#[derive(Debug, Clone)]
pub struct Place {
    /// The text it stands in.
    pub source: Source,
    /// The bytes of that text.
    pub span: Range<usize>,
}

impl Place {
    /// The line of the source, counted from 1.
    pub fn line(&self) -> usize {
        let before = &self.source.text().as_bytes()[..self.span.start];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.source.text()[self.span.clone()]
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source.kind {
            Kind::File => write!(f, "{}:{}", self.source.name(), self.line()),
            Kind::Override => write!(f, "--set"),
        }
    }
}

/// The place of each value and section of a document, by dotted key: `pte.write_log`,
/// `register[2].field[0].low`.
#[derive(Debug, Clone, Default)]
pub struct Places {
    places: BTreeMap<String, Place>,
    /// The keys of the single values, in the order of the file.
    values: Vec<String>,
}

impl Places {
    /// Where `key` was written; `None` if the document has no such key.
    pub fn get(&self, key: &str) -> Option<&Place> {
        self.places.get(key)
    }

    /// The single values in the order of the file: dotted key and place.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.values.iter().map(|key| (key.as_str(), &self.places[key]))
    }

    fn collect(file: &Source, table: &DeTable<'_>) -> Self {
        let mut places = Self::default();
        places.add_table(file, "", table);
        let start = |key: &String| places.places[key].span.start;
        places.values.sort_by_key(start);
        places
    }

    fn add_table(&mut self, file: &Source, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let separator = if prefix.is_empty() { "" } else { "." };
            self.add(file, format!("{prefix}{separator}{}", key.get_ref()), value);
        }
    }

    fn add(&mut self, file: &Source, key: String, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.add_table(file, &key, table),
            DeValue::Array(array) => {
                for (i, item) in array.iter().enumerate() {
                    self.add(file, format!("{key}[{i}]"), item);
                }
            }
            _ => self.values.push(key.clone()),
        }
        let place = Place { source: file.clone(), span: value.span() };
        self.places.insert(key, place);
    }

    /// The innermost key whose text contains `place`.
    fn key_at(&self, place: &Place) -> Option<&str> {
        let contains = |candidate: &Place| {
            Arc::ptr_eq(&candidate.source.named, &place.source.named)
                && candidate.span.start <= place.span.start
                && place.span.end <= candidate.span.end
        };
        let candidates = self.places.iter().filter(|(_, candidate)| contains(candidate));
        candidates.min_by_key(|(_, place)| place.span.len()).map(|(key, _)| key.as_str())
    }
}

/// One thing that is wrong with a document, shown at each place that it speaks of.
#[derive(Debug, Clone)]
pub struct Complaint {
    message: String,
    rule: Option<String>,
    labels: Vec<(Place, String)>,
    elsewhere: Vec<Complaint>,
}

impl Complaint {
    /// A complaint in one sentence that names the values.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), rule: None, labels: Vec::new(), elsewhere: Vec::new() }
    }

    /// States the rule that is broken.
    #[must_use]
    pub fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// Points at a place. The first place decides which text is shown; places in another text are
    /// shown below it.
    #[must_use]
    pub fn at(mut self, place: &Place, label: impl Into<String>) -> Self {
        let label = label.into();
        match self.labels.first() {
            Some((first, _)) if !Arc::ptr_eq(&first.source.named, &place.source.named) => {
                let other = Self::new(format!("together with this, at {place}"));
                self.elsewhere.push(other.at(place, label));
            }
            _ => self.labels.push((place.clone(), label)),
        }
        self
    }

    /// Where the complaint points first.
    pub fn place(&self) -> Option<&Place> {
        self.labels.first().map(|(place, _)| place)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

impl Diagnostic for Complaint {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let rule = self.rule.as_ref()?;
        Some(Box::new(format!("rule: {rule}")))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let (place, _) = self.labels.first()?;
        Some(&*place.source.named)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let labels = self
            .labels
            .iter()
            .map(|(place, label)| LabeledSpan::new_with_span(Some(label.clone()), place.span.clone()));
        Some(Box::new(labels))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if self.elsewhere.is_empty() {
            return None;
        }
        Some(Box::new(self.elsewhere.iter().map(|other| other as &dyn Diagnostic)))
    }
}

/// A document that is refused, with everything that is wrong with it.
#[derive(Debug, Clone)]
pub struct Refused {
    what: String,
    complaints: Vec<Complaint>,
}

impl Refused {
    /// The refusal of the document called `what`, because of `complaints`.
    pub fn new(what: impl Into<String>, complaints: Vec<Complaint>) -> Self {
        Self { what: what.into(), complaints }
    }

    /// Everything that is wrong, in the order of the rules.
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.complaints.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{} is refused, for {count} reason{plural}", self.what)
    }
}

impl std::error::Error for Refused {}

impl Diagnostic for Refused {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.complaints.iter().map(|complaint| complaint as &dyn Diagnostic)))
    }
}

/// Checks rules on a document that has been read, and keeps a complaint for each broken one.
#[derive(Debug)]
pub(crate) struct Rules<'p> {
    places: &'p Places,
    complaints: Vec<Complaint>,
}

impl<'p> Rules<'p> {
    pub(crate) fn new(places: &'p Places) -> Self {
        Self { places, complaints: Vec::new() }
    }

    /// Complains with `message` at the places of `keys`, unless the rule holds.
    pub(crate) fn require(&mut self, holds: bool, keys: &[&str], rule: &str, message: impl FnOnce() -> String) {
        if holds {
            return;
        }
        let complaint = Complaint::new(message()).rule(rule);
        let places = keys.iter().filter_map(|key| Some((key, self.places.get(key)?)));
        let complaint = places.fold(complaint, |complaint, (key, place)| complaint.at(place, *key));
        self.complaints.push(complaint);
    }

    /// All complaints, in the order of the rules.
    pub(crate) fn complaints(self) -> Vec<Complaint> {
        self.complaints
    }
}

/// Reads `file` with `sets` over it as a `T`, and the place of every value.
///
/// An override replaces a value that the file spells; it cannot add a key. Its value is TOML, but a
/// bare word may stand for a string: `--set access_log_table.storage=lut_ram`.
///
/// # Errors
///
/// A syntax error, an unknown or missing key, a value of the wrong type, an override that is not
/// `key=value` or names no value of the file.
pub fn read<T: DeserializeOwned>(file: &Source, sets: &[Source]) -> Result<(T, Places), Complaint> {
    let mut document = DeTable::parse(file.text()).map_err(|error| complain(&error, file, 0))?;
    let mut places = Places::collect(file, document.get_ref());

    // Values of overrides carry the ranges of one long text: the file, then each argument.
    let mut starts = vec![0];
    let mut end = file.text().len() + 1;
    for set in sets {
        replace(document.get_mut(), &mut places, set, end)?;
        starts.push(end);
        end += set.text().len() + 1;
    }

    let typed = T::deserialize(toml::Deserializer::from(document)).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let index = starts.partition_point(|start| *start <= at) - 1;
        let source = if index == 0 { file } else { &sets[index - 1] };
        let mut complaint = complain(&error, source, starts[index]);
        if let Some(key) = complaint.place().and_then(|place| places.key_at(place))
            && !complaint.message.contains(&format!("`{key}`"))
        {
            complaint.message = format!("`{key}`: {}", complaint.message);
        }
        complaint
    })?;
    Ok((typed, places))
}

/// The complaint for an error of the TOML crate in `source`, whose text starts at `start`.
fn complain(error: &toml::de::Error, source: &Source, start: usize) -> Complaint {
    let length = source.text().len();
    let span = error.span().unwrap_or(start..start);
    let clip = |at: usize| at.saturating_sub(start).min(length);
    let place = Place { source: source.clone(), span: clip(span.start)..clip(span.end) };
    Complaint::new(in_our_words(error.message())).at(&place, "here")
}

/// A message of the TOML crate without the words that only Rust has.
fn in_our_words(message: &str) -> String {
    message
        .trim_end()
        .replace("unknown field", "unknown key")
        .replace("missing field", "missing key")
        .replace("unknown variant", "unknown choice")
        .replace("expected u32", "expected a whole number below 2^32")
        .replace("expected u64", "expected a whole number below 2^63")
}

/// Puts the value of `set` in its place in `document`, with ranges counted from `start`.
fn replace<'t>(
    document: &mut DeTable<'t>,
    places: &mut Places,
    set: &'t Source,
    start: usize,
) -> Result<(), Complaint> {
    let text = set.text();
    let place = |span: Range<usize>| Place { source: set.clone(), span };
    let Some((key, value)) = text.split_once('=') else {
        return Err(Complaint::new(format!("`{text}` is no override"))
            .rule("an override is written `--set key=value`, the key with dots")
            .at(&place(0..text.len()), "there is no `=` here"));
    };
    let value_at = key.len() + 1;
    let key = key.trim();

    let old = find(document, key).filter(|_| places.values.iter().any(|known| known == key));
    let Some(old) = old else {
        let hint = nearest(key, &places.values);
        return Err(Complaint::new(format!("there is no value called `{key}`"))
            .rule("an override replaces a value that the file spells")
            .at(&place(0..value_at - 1), format!("did you mean `{hint}`?")));
    };

    let from = value_at + (value.len() - value.trim_start().len());
    let value = value.trim();
    let span = from..from + value.len();
    let parsed = if is_bare_word(value) {
        DeValue::String(value.into())
    } else {
        let parsed = DeValue::parse(value).map_err(|_| {
            Complaint::new(format!("`{value}` is no value"))
                .rule("a value is TOML: a number, true, false, or a text in quotes, which a bare word needs not")
                .at(&place(span.clone()), key)
        })?;
        parsed.into_inner()
    };
    *old = Spanned::new(span.start + start..span.end + start, parsed);
    places.places.insert(key.to_owned(), place(span));
    Ok(())
}

fn find<'d, 't>(table: &'d mut DeTable<'t>, key: &str) -> Option<&'d mut Spanned<DeValue<'t>>> {
    match key.split_once('.') {
        None => table.get_mut(key),
        Some((section, rest)) => match table.get_mut(section)?.get_mut() {
            DeValue::Table(inner) => find(inner, rest),
            _ => None,
        },
    }
}

fn is_bare_word(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(word)
        && !matches!(text, "true" | "false" | "inf" | "nan")
}

/// The known key that takes the fewest insertions, deletions and replacements to write.
fn nearest<'k>(key: &str, known: &'k [String]) -> &'k str {
    let candidates = known.iter().min_by_key(|candidate| edit_distance(key, candidate));
    candidates.map_or("", String::as_str)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
