//! Payloads: several fields that travel together.
//!
//! A [`Layout`] names fields and widths, found from a model's ports by their common prefix; a
//! [`Beat`] is one value of it. Hardware and golden model meet here: both sides become beats, and
//! beats compare field by field.

use std::fmt;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::dut::{Input, Probe};
use crate::failure::{FieldDifference, number};
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
        Beat { words: vec![0; self.words].into(), layout: Rc::clone(self) }
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

/// One value of a [`Layout`].
#[derive(Clone)]
pub struct Beat {
    layout: Rc<Layout>,
    words: Box<[u32]>,
}

impl Beat {
    /// What it is a value of.
    #[must_use]
    pub fn layout(&self) -> &Rc<Layout> {
        &self.layout
    }

    /// The beat with `name` set, for testbenches that spell a beat out.
    ///
    /// # Errors
    /// [`Error::NoField`]; [`Error::FieldValue`] if `value` does not fit.
    pub fn with(mut self, name: &str, value: impl Into<BigUint>) -> Result<Self, Error> {
        let FieldId(index) = self.layout.field(name)?;
        let (field, value) = (&self.layout.fields[index], value.into());
        if value.bits() > u64::from(field.width) {
            let (name, width) = (name.into(), field.width);
            return Err(Error::FieldValue { name, width, value });
        }
        let mut digits = value.to_u32_digits();
        digits.resize(field.words, 0);
        self.words[field.first..][..field.words].copy_from_slice(&digits);
        Ok(self)
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
        let FieldId(index) = self.layout.field(name)?;
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
        (0..self.layout.fields.len())
            .filter(differs)
            .map(|index| FieldDifference {
                field: self.layout.fields[index].name.clone(),
                rtl: BigUint::from_slice(self.words_of(index)),
                golden: BigUint::from_slice(golden.words_of(index)),
            })
            .collect()
    }

    fn words_of(&self, index: usize) -> &[u32] {
        let field = &self.layout.fields[index];
        &self.words[field.first..][..field.words]
    }

    #[track_caller]
    fn assert_same_layout(&self, other: &Beat) {
        let same = Rc::ptr_eq(&self.layout, &other.layout) || self.layout == other.layout;
        let (left, right) = (&self.layout, &other.layout);
        assert!(same, "beats of two kinds: {} and {}", left.list(), right.list());
    }
}

impl PartialEq for Beat {
    /// # Panics
    /// If the two have different layouts.
    fn eq(&self, other: &Self) -> bool {
        self.assert_same_layout(other);
        self.words == other.words
    }
}

/// `{address=0x1000, write=1}`.
impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, field) in self.layout.fields.iter().enumerate() {
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
pub(crate) struct Bundle<P> {
    pub(crate) layout: Rc<Layout>,
    /// In the order of the layout's fields.
    ports: Vec<P>,
}

impl Bundle<Input> {
    /// The payload `prefix` of a sink of the model.
    pub(crate) fn inputs(dut: &Dut, prefix: &str) -> Result<Self, Error> {
        let is_input = |port: &PortInfo| port.direction == Direction::Input;
        Self::find(dut, prefix, is_input, |name| dut.input(name))
    }

    /// Drives all fields.
    #[inline]
    pub(crate) fn drive(&self, beat: &Beat) {
        for (port, field) in self.ports.iter().zip(&self.layout.fields) {
            port.set_words(&beat.words[field.first..][..field.words]);
        }
    }

    /// Drives all fields with bits from `random`.
    pub(crate) fn scramble(&self, mut random: impl FnMut() -> u32) {
        for port in &self.ports {
            port.set_low_words(&mut random);
        }
    }
}

impl Bundle<Probe> {
    /// The payload `prefix`, whoever drives it.
    pub(crate) fn probes(dut: &Dut, prefix: &str) -> Result<Self, Error> {
        Self::find(dut, prefix, |_| true, |name| dut.probe(name))
    }

    /// The present value.
    #[inline]
    pub(crate) fn sample(&self) -> Beat {
        let mut beat = self.layout.beat();
        self.sample_into(&mut beat);
        beat
    }

    /// The present value, without a new allocation.
    #[inline]
    pub(crate) fn sample_into(&self, beat: &mut Beat) {
        for (port, field) in self.ports.iter().zip(&self.layout.fields) {
            port.get_words(&mut beat.words[field.first..][..field.words]);
        }
    }
}

impl<P> Bundle<P> {
    fn find(
        dut: &Dut,
        prefix: &str,
        looks_right: impl Fn(&PortInfo) -> bool,
        port: impl Fn(&str) -> Result<P, Error>,
    ) -> Result<Self, Error> {
        let with_underscore = format!("{prefix}_");
        let mut found: Vec<(String, u32, &str)> = Vec::new();
        for info in dut.model().ports().iter().filter(|info| looks_right(info)) {
            let field = match info.name.strip_prefix(&with_underscore) {
                Some(field) => field,
                None if info.name == prefix => "data",
                None => continue,
            };
            found.push((field.into(), info.width, &info.name));
        }
        found.sort();
        let layout = Layout::new(found.iter().map(|(field, width, _)| (field.clone(), *width)));
        let ports = found.iter().map(|(_, _, name)| port(name)).collect::<Result<_, _>>()?;
        Ok(Bundle { layout, ports })
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
