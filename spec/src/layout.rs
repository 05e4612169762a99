//! Bit-field layouts as data: hardware, golden models, headers and pages all read the same ones.

use std::ops::Range;

use thiserror::Error;

/// One of the values that a field may take, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedValue {
    /// The number in the field.
    pub value: u64,
    /// Its name, in lower case with underscores.
    pub name: String,
    /// What it means, in one line.
    pub meaning: String,
}

/// A run of bits with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, in lower case with underscores; unique in the layout.
    pub name: String,
    /// The lowest bit.
    pub low: u32,
    /// The number of bits, at least 1.
    pub width: u32,
    /// What it means, in one line, with its unit.
    pub meaning: String,
    /// The section, standard or requirement it comes from.
    pub source: String,
    /// The values with a name; empty where every number speaks for itself.
    pub values: Vec<NamedValue>,
}

impl Field {
    /// A field of `range`, without named values.
    pub fn new(name: &str, range: Range<u32>, meaning: &str, source: &str) -> Self {
        Self {
            name: name.to_owned(),
            low: range.start,
            width: range.end.saturating_sub(range.start),
            meaning: meaning.to_owned(),
            source: source.to_owned(),
            values: Vec::new(),
        }
    }

    /// Adds a named value.
    #[must_use]
    pub fn value(mut self, value: u64, name: &str, meaning: &str) -> Self {
        let (name, meaning) = (name.to_owned(), meaning.to_owned());
        self.values.push(NamedValue { value, name, meaning });
        self
    }

    /// Its bits, the end excluded.
    pub fn range(&self) -> Range<u32> {
        self.low..self.low + self.width
    }
}

/// A word of named fields. Bits that no field takes are reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Its name, in lower case with underscores.
    pub name: String,
    /// The size of the whole word in bits.
    pub bits: u32,
    /// What the word is, in one line.
    pub meaning: String,
    /// The fields, lowest first.
    pub fields: Vec<Field>,
}

/// A layout that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// A field without bits.
    #[error("{layout}: `{field}` has width 0; a field has at least one bit")]
    Empty {
        /// The layout.
        layout: String,
        /// The field.
        field: String,
    },
    /// A field that ends above the word.
    #[error("{layout}: `{field}` ends at bit {end}, but the word has bits 0 to {last}")]
    Outside {
        /// The layout.
        layout: String,
        /// The field.
        field: String,
        /// Its highest bit.
        end: u64,
        /// The highest bit of the word.
        last: u32,
    },
    /// Two fields of one name.
    #[error("{layout}: two fields are called `{field}`; names are unique in a layout")]
    Twice {
        /// The layout.
        layout: String,
        /// The name.
        field: String,
    },
    /// Two fields that take the same bit.
    #[error("{layout}: `{first}` and `{second}` both take bit {bit}; fields do not overlap")]
    Overlap {
        /// The layout.
        layout: String,
        /// The field that starts lower.
        first: String,
        /// The other one.
        second: String,
        /// The lowest bit of both.
        bit: u32,
    },
    /// A named value that its field cannot hold.
    #[error("{layout}: `{value}` = {number} does not fit the {width} bits of `{field}`")]
    ValueTooWide {
        /// The layout.
        layout: String,
        /// The field.
        field: String,
        /// The name of the value.
        value: String,
        /// The value.
        number: u64,
        /// The bits of the field.
        width: u32,
    },
    /// Two named values of a field with one name or one number.
    #[error("{layout}: `{first}` and `{second}` of `{field}` share a name or a number")]
    ValueTwice {
        /// The layout.
        layout: String,
        /// The field.
        field: String,
        /// The value that stands first.
        first: String,
        /// The other one.
        second: String,
    },
}

impl LayoutError {
    /// Whether the error speaks of the field called `name`.
    pub fn names(&self, name: &str) -> bool {
        match self {
            Self::Empty { field, .. }
            | Self::Outside { field, .. }
            | Self::Twice { field, .. }
            | Self::ValueTooWide { field, .. }
            | Self::ValueTwice { field, .. } => field == name,
            Self::Overlap { first, second, .. } => first == name || second == name,
        }
    }
}

impl Layout {
    /// A checked layout of a word of `bits` bits; sorts the fields, lowest first.
    ///
    /// # Errors
    ///
    /// The first broken rule: see [`LayoutError`].
    pub fn new(name: &str, bits: u32, meaning: &str, mut fields: Vec<Field>) -> Result<Self, LayoutError> {
        fields.sort_by_key(|field| field.low);
        for (i, field) in fields.iter().enumerate() {
            check_field(name, bits, field)?;
            check_values(name, field)?;
            if fields[..i].iter().any(|other| other.name == field.name) {
                let (layout, field) = (name.to_owned(), field.name.clone());
                return Err(LayoutError::Twice { layout, field });
            }
        }
        for pair in fields.windows(2) {
            if let Some(bit) = first_common_bit(&pair[0].range(), &pair[1].range()) {
                return Err(LayoutError::Overlap {
                    layout: name.to_owned(),
                    first: pair[0].name.clone(),
                    second: pair[1].name.clone(),
                    bit,
                });
            }
        }
        Ok(Self { name: name.to_owned(), bits, meaning: meaning.to_owned(), fields })
    }

    /// The field called `name`, if there is one.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The bits of the field called `name`.
    ///
    /// # Panics
    ///
    /// If there is no such field.
    pub fn range(&self, name: &str) -> Range<u32> {
        let field = self.field(name);
        field.unwrap_or_else(|| panic!("`{}` has no field `{name}`", self.name)).range()
    }

    /// The runs of bits that no field takes, lowest first.
    pub fn gaps(&self) -> Vec<Range<u32>> {
        let starts = self.fields.iter().map(|field| field.low).chain([self.bits]);
        let ends = [0].into_iter().chain(self.fields.iter().map(|field| field.range().end));
        ends.zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
    }
}

/// The bits of a field as standards write them: `7`, or `61:52`.
pub fn bit_range(range: &Range<u32>) -> String {
    match range.end - range.start {
        1 => range.start.to_string(),
        _ => format!("{}:{}", range.end - 1, range.start),
    }
}

/// The lowest bit that both ranges contain.
pub(crate) fn first_common_bit(a: &Range<u32>, b: &Range<u32>) -> Option<u32> {
    let start = a.start.max(b.start);
    (start < a.end.min(b.end)).then_some(start)
}

/// Whether `value` can be written in `width` bits.
pub(crate) fn fits(value: u64, width: u32) -> bool {
    width >= u64::BITS || value >> width == 0
}

/// Whether `text` may name something: a lower-case letter, then lower-case letters, digits and
/// underscores.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn check_field(layout: &str, bits: u32, field: &Field) -> Result<(), LayoutError> {
    let (layout, name) = (layout.to_owned(), field.name.clone());
    if field.width == 0 {
        return Err(LayoutError::Empty { layout, field: name });
    }
    let end = u64::from(field.low) + u64::from(field.width) - 1;
    if end >= u64::from(bits) {
        let last = bits.saturating_sub(1);
        return Err(LayoutError::Outside { layout, field: name, end, last });
    }
    Ok(())
}

fn check_values(layout: &str, field: &Field) -> Result<(), LayoutError> {
    for (i, value) in field.values.iter().enumerate() {
        if !fits(value.value, field.width) {
            return Err(LayoutError::ValueTooWide {
                layout: layout.to_owned(),
                field: field.name.clone(),
                value: value.name.clone(),
                number: value.value,
                width: field.width,
            });
        }
        let twin = field.values[..i].iter().find(|other| other.name == value.name || other.value == value.value);
        if let Some(twin) = twin {
            return Err(LayoutError::ValueTwice {
                layout: layout.to_owned(),
                field: field.name.clone(),
                first: twin.name.clone(),
                second: value.name.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(fields: Vec<Field>) -> Result<Layout, String> {
        Layout::new("word", 8, "a test", fields).map_err(|error| error.to_string())
    }

    fn field(name: &str, range: Range<u32>) -> Field {
        Field::new(name, range, "a test", "none")
    }

    #[test]
    fn fields_are_sorted_and_gaps_found() {
        let layout = layout(vec![field("high", 5..7), field("low", 1..3)]).unwrap();
        assert_eq!(layout.fields[0].name, "low");
        assert_eq!(layout.range("high"), 5..7);
        assert_eq!(layout.gaps(), [0..1, 3..5, 7..8]);
        assert!(layout.field("middle").is_none());
    }

    #[test]
    #[should_panic(expected = "`word` has no field `middle`")]
    fn a_field_that_is_not_there_has_no_range() {
        layout(vec![field("high", 5..7)]).unwrap().range("middle");
    }

    #[test]
    fn a_full_word_has_no_gap() {
        assert!(layout(vec![field("a", 0..3), field("b", 3..8)]).unwrap().gaps().is_empty());
    }

    #[test]
    fn broken_rules_are_named() {
        let error = |fields| layout(fields).unwrap_err();
        assert_eq!(error(vec![field("a", 2..2)]), "word: `a` has width 0; a field has at least one bit");
        assert_eq!(error(vec![field("a", 6..9)]), "word: `a` ends at bit 8, but the word has bits 0 to 7");
        assert_eq!(
            error(vec![field("a", 0..1), field("a", 1..2)]),
            "word: two fields are called `a`; names are unique in a layout"
        );
        assert_eq!(
            error(vec![field("b", 3..5), field("a", 0..4)]),
            "word: `a` and `b` both take bit 3; fields do not overlap"
        );
        assert_eq!(
            error(vec![field("a", 0..2).value(4, "four", "too much")]),
            "word: `four` = 4 does not fit the 2 bits of `a`"
        );
        assert_eq!(
            error(vec![field("a", 0..2).value(1, "one", "").value(1, "uno", "")]),
            "word: `one` and `uno` of `a` share a name or a number"
        );
    }
}
