//! Payloads: several fields that travel together.
//!
//! A [`Layout`] names fields and widths, found from a model's ports by their common prefix; a
//! [`Beat`] is one value of it. Hardware and golden model meet here: both sides become beats, and
//! beats compare field by field.

use std::fmt;
use std::rc::Rc;

use num_bigint::BigUint;
use smallvec::SmallVec;

use crate::failure::{FieldDifference, number};
use crate::ffi::PortCell;
use crate::model::{Direction, PortInfo};
use crate::{Dut, Error};

/// Names and widths of the fields of a payload, in the order of their names.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    fields: Vec<Field>,
    /// Length of a beat.
    words: usize,
}

/// A field and its place in a [`Beat`], where each begins a new word.
#[derive(Debug, PartialEq, Eq)]
struct Field {
    name: String,
    width: u32,
    first: usize,
    words: usize,
}

/// A field of a layout, found once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldId(usize);

impl Layout {
    /// A layout of `(name, width)` pairs. A payload without fields is allowed: an event.
    ///
    /// # Panics
    /// If a name stands twice or a width is zero.
    pub fn new<N: Into<String>>(fields: impl IntoIterator<Item = (N, u32)>) -> Rc<Self> {
        let mut named: Vec<(String, u32)> = fields.into_iter().map(|(name, width)| (name.into(), width)).collect();
        named.sort();
        let mut layout = Layout { fields: Vec::new(), words: 0 };
        for (name, width) in named {
            assert!(width > 0, "field `{name}` has no bits");
            let twice = layout.fields.last().is_some_and(|last| last.name == name);
            assert!(!twice, "field `{name}` stands twice");
            let words = width.div_ceil(32) as usize;
            layout.fields.push(Field { name, width, first: layout.words, words });
            layout.words += words;
        }
        Rc::new(layout)
    }

    /// The field `name`.
    ///
    /// # Errors
    /// [`Error::NoField`], listing the fields.
    pub fn field(&self, name: &str) -> Result<FieldId, Error> {
        let found = self.fields.iter().position(|field| field.name == name);
        found.map(FieldId).ok_or_else(|| Error::NoField { name: name.into(), fields: self.list() })
    }

    /// A beat with all fields zero.
    #[must_use]
    pub fn beat(self: &Rc<Self>) -> Beat {
        Beat(Rc::new(Value { layout: Rc::clone(self), words: SmallVec::from_elem(0, self.words) }))
    }

    /// Names of the fields, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    fn list(&self) -> String {
        let shown: Vec<_> = self.fields.iter().map(|field| format!("{}[{}]", field.name, field.width)).collect();
        if shown.is_empty() { "none".into() } else { shown.join(", ") }
    }
}

/// One value of a [`Layout`]. A clone is cheap: it shares the value until one of the two is changed.
#[derive(Clone)]
pub struct Beat(Rc<Value>);

/// What a [`Beat`] points to; one allocation.
struct Value {
    layout: Rc<Layout>,
    words: SmallVec<[u32; INLINE_WORDS]>,
}

/// Wider values need a second allocation. Room for a TLP header with 256 bits of data.
const INLINE_WORDS: usize = 16;

impl Clone for Value {
    fn clone(&self) -> Self {
        // Not derived: SmallVec clones element by element.
        let words = SmallVec::from_slice(&self.words);
        Self { layout: Rc::clone(&self.layout), words }
    }
}

impl Beat {
    /// What it is a value of.
    #[must_use]
    pub fn layout(&self) -> &Rc<Layout> {
        &self.0.layout
    }

    /// The beat with `name` set, for testbenches that spell a beat out.
    ///
    /// # Errors
    /// [`Error::NoField`]; [`Error::FieldValue`] if `value` does not fit.
    pub fn with(mut self, name: &str, value: impl Into<BigUint>) -> Result<Self, Error> {
        let (id, value) = (self.layout().field(name)?, value.into());
        let (field, words) = self.field_mut(id);
        if value.bits() > u64::from(field.width) {
            let (name, width) = (name.into(), field.width);
            return Err(Error::FieldValue { name, width, value });
        }
        let mut digits = value.iter_u32_digits();
        words.fill_with(|| digits.next().unwrap_or(0));
        Ok(self)
    }

    /// Sets a field of any width to a value of up to 64 bits, for testbenches that make a beat
    /// every cycle.
    ///
    /// # Panics
    /// If `value` does not fit.
    #[track_caller]
    pub fn set(&mut self, field: FieldId, value: u64) {
        let (Field { name, width, .. }, words) = self.field_mut(field);
        let fits = *width >= 64 || value >> width == 0;
        assert!(fits, "field `{name}` is {width} bits wide, the value {value:#x} does not fit");
        words.fill(0);
        words[0] = value as u32;
        if let Some(high) = words.get_mut(1) {
            *high = (value >> 32) as u32;
        }
    }

    /// The low 64 bits of a field.
    #[must_use]
    pub fn get(&self, field: FieldId) -> u64 {
        let words = self.words_of(field.0);
        u64::from(words[0]) | u64::from(words.get(1).copied().unwrap_or(0)) << 32
    }

    /// A field of any width, by name.
    ///
    /// # Errors
    /// [`Error::NoField`].
    pub fn big(&self, name: &str) -> Result<BigUint, Error> {
        let FieldId(index) = self.0.layout.field(name)?;
        Ok(BigUint::from_slice(self.words_of(index)))
    }

    /// The fields for which `compared` holds and the values differ, with `self` as the model's.
    ///
    /// # Panics
    /// If the two have different layouts.
    #[must_use]
    pub fn differences(&self, golden: &Beat, compared: impl Fn(FieldId) -> bool) -> Vec<FieldDifference> {
        self.assert_same_layout(golden);
        let differs = |&index: &usize| compared(FieldId(index)) && self.words_of(index) != golden.words_of(index);
        (0..self.0.layout.fields.len())
            .filter(differs)
            .map(|index| FieldDifference {
                field: self.0.layout.fields[index].name.clone(),
                rtl: BigUint::from_slice(self.words_of(index)),
                golden: BigUint::from_slice(golden.words_of(index)),
            })
            .collect()
    }

    /// The beat with all fields zero, in the same memory unless it is shared.
    pub(crate) fn cleared(mut self) -> Self {
        Rc::make_mut(&mut self.0).words.fill(0);
        self
    }

    /// A field and its words, not shared with any other beat.
    fn field_mut(&mut self, FieldId(index): FieldId) -> (&Field, &mut [u32]) {
        let Value { layout, words } = Rc::make_mut(&mut self.0);
        let field = &layout.fields[index];
        (field, &mut words[field.first..][..field.words])
    }

    #[inline]
    fn words_of(&self, index: usize) -> &[u32] {
        let field = &self.0.layout.fields[index];
        &self.0.words[field.first..][..field.words]
    }

    #[inline]
    #[track_caller]
    fn assert_same_layout(&self, other: &Beat) {
        let same = Rc::ptr_eq(&self.0.layout, &other.0.layout) || self.0.layout == other.0.layout;
        let (left, right) = (&self.0.layout, &other.0.layout);
        assert!(same, "beats of two kinds: {} and {}", left.list(), right.list());
    }
}

impl PartialEq for Beat {
    /// # Panics
    /// If the two have different layouts.
    fn eq(&self, other: &Self) -> bool {
        self.assert_same_layout(other);
        self.0.words == other.0.words
    }
}

/// `{address=0x1000, write=1}`.
impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, field) in self.0.layout.fields.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let value = number(&BigUint::from_slice(self.words_of(index)));
            write!(f, "{comma}{}={value}", field.name)?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The ports of a payload, with its layout: `<prefix>` alone, which is the field `data`, or every
/// `<prefix>_<field>`.
pub(crate) struct Bundle {
    pub(crate) layout: Rc<Layout>,
    /// In the order of the layout's fields.
    ports: Vec<FieldPort>,
}

/// A field's port, and the place of the field in a beat.
struct FieldPort {
    cell: PortCell,
    first: usize,
    words: usize,
    /// Of the last word, those that the field has.
    last_bits: u32,
}

impl Bundle {
    /// The payload `prefix` of a sink of the model.
    pub(crate) fn inputs(dut: &Dut, prefix: &str) -> Result<Self, Error> {
        Self::find(dut, prefix, |port| port.direction == Direction::Input)
    }

    /// The payload `prefix`, whoever drives it; to be looked at.
    pub(crate) fn probes(dut: &Dut, prefix: &str) -> Result<Self, Error> {
        Self::find(dut, prefix, |_| true)
    }

    fn find(dut: &Dut, prefix: &str, looks_right: impl Fn(&PortInfo) -> bool) -> Result<Self, Error> {
        let with_underscore = format!("{prefix}_");
        let mut found: Vec<(&str, &PortInfo)> = Vec::new();
        for port in dut.model().ports().iter().filter(|port| looks_right(port)) {
            match port.name.strip_prefix(&with_underscore) {
                Some(field) => found.push((field, port)),
                None if port.name == prefix => found.push(("data", port)),
                None => {}
            }
        }
        found.sort_by_key(|(field, _)| *field);
        let layout = Layout::new(found.iter().map(|(field, port)| (*field, port.width)));
        let port = |((_, port), field): (&(&str, &PortInfo), &Field)| {
            let cell = dut.probe(&port.name)?.cell();
            let last_bits = (field.width - 1) % 32 + 1;
            Ok(FieldPort { cell, first: field.first, words: field.words, last_bits })
        };
        let ports = found.iter().zip(&layout.fields).map(port).collect::<Result<_, Error>>()?;
        Ok(Bundle { layout, ports })
    }

    /// Drives all fields.
    #[inline]
    pub(crate) fn drive(&self, beat: &Beat) {
        for port in &self.ports {
            port.cell.write_words(&beat.0.words[port.first..][..port.words]);
        }
    }

    /// Drives all fields with bits from `random`.
    pub(crate) fn scramble(&self, mut random: impl FnMut() -> u32) {
        let mut beat = self.layout.beat();
        let words = &mut Rc::make_mut(&mut beat.0).words;
        words.fill_with(&mut random);
        for port in &self.ports {
            words[port.first + port.words - 1] >>= 32 - port.last_bits;
        }
        self.drive(&beat);
    }

    /// Puts the present value into `beat`, of the same layout.
    #[inline]
    pub(crate) fn sample(&self, beat: &mut Beat) {
        let words = &mut Rc::make_mut(&mut beat.0).words;
        for port in &self.ports {
            port.cell.read_words(&mut words[port.first..][..port.words]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_differs_by_field() {
        let layout = Layout::new([("write", 1), ("address", 64), ("data", 100)]);
        let wide = BigUint::from(1u32) << 99u32;
        let rtl = layout.beat().with("data", wide.clone()).unwrap().with("write", 1u32).unwrap();
        let golden = rtl.clone().with("address", 0x1000u32).unwrap();
        let differences = rtl.differences(&golden, |_| true);
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0].field, "address");
        assert_eq!(rtl.big("data").unwrap(), wide);
        let address = layout.field("address").unwrap();
        assert_eq!(golden.get(address), 0x1000);
        assert!(rtl.differences(&golden, |field| field != address).is_empty());
        assert_eq!(golden.to_string(), format!("{{address=0x1000, data=0x8{}, write=1}}", "_0000".repeat(6)));
    }

    #[test]
    fn wrong_fields_and_values_are_named() {
        let layout = Layout::new([("write", 1), ("address", 64)]);
        let error = layout.beat().with("adress", 1u32).unwrap_err();
        assert_eq!(error.to_string(), "no field `adress`; the bundle has: address[64], write[1]");
        let error = layout.beat().with("write", 2u32).unwrap_err();
        assert_eq!(error.to_string(), "field `write` is 1 bits wide, the value 0x2 does not fit");
    }
}
