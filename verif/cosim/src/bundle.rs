//! Payloads: several fields that travel together.
//!
//! A [`Layout`] names fields and widths, found from a model's ports by their common prefix; a
//! [`Beat`] is one value of it. Hardware and golden model meet here: both sides become beats, and
//! beats compare field by field.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::failure::{FieldDifference, number};
use crate::ffi::PortCell;
use crate::model::{Direction, PortInfo};
use crate::{Dut, Error};

/// Names and widths of the fields of a payload, in the order of their names.
#[derive(Debug, Eq)]
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
    words: Range<usize>,
}

impl Field {
    #[cold]
    #[track_caller]
    fn too_large(&self, value: u64) -> ! {
        let Field { name, width, .. } = self;
        panic!("field `{name}` is {width} bits wide, the value {value:#x} does not fit");
    }
}

/// A field of a layout, found once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldId(usize);

impl PartialEq for Layout {
    /// Not derived, so as to stay out of line: shared layouts are the same without a look into them.
    #[inline(never)]
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

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
            let words = layout.words..layout.words + width.div_ceil(32) as usize;
            layout.words = words.end;
            layout.fields.push(Field { name, width, words });
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
        Beat(Rc::new(Value { layout: Rc::clone(self), words: vec![0; self.words].into() }))
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

/// What a [`Beat`] points to.
#[derive(Clone)]
struct Value {
    layout: Rc<Layout>,
    words: Box<[u32]>,
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
        let (FieldId(index), value) = (self.layout().field(name)?, value.into());
        let Value { layout, words } = self.value_mut();
        let field = &layout.fields[index];
        if value.bits() > u64::from(field.width) {
            let (name, width) = (name.into(), field.width);
            return Err(Error::FieldValue { name, width, value });
        }
        let mut digits = value.iter_u32_digits();
        words[field.words.clone()].fill_with(|| digits.next().unwrap_or(0));
        Ok(self)
    }

    /// Sets a field of any width to a value of up to 64 bits, for testbenches that make a beat
    /// every cycle.
    ///
    /// # Panics
    /// If `value` does not fit.
    #[track_caller]
    pub fn set(&mut self, field: FieldId, value: u64) {
        let Value { layout, words } = self.value_mut();
        let field = &layout.fields[field.0];
        if field.width < 64 && value >> field.width != 0 {
            field.too_large(value);
        }
        if let [low, rest @ ..] = &mut words[field.words.clone()] {
            *low = value as u32;
            if let [high, rest @ ..] = rest {
                *high = (value >> 32) as u32;
                rest.fill(0);
            }
        }
    }

    /// The low 64 bits of a field.
    #[must_use]
    pub fn get(&self, field: FieldId) -> u64 {
        let words = self.words_of(field);
        u64::from(words[0]) | u64::from(words.get(1).copied().unwrap_or(0)) << 32
    }

    /// A field of any width, by name.
    ///
    /// # Errors
    /// [`Error::NoField`].
    pub fn big(&self, name: &str) -> Result<BigUint, Error> {
        Ok(BigUint::from_slice(self.words_of(self.0.layout.field(name)?)))
    }

    /// The fields for which `compared` holds and the values differ, with `self` as the model's.
    ///
    /// # Panics
    /// If the two have different layouts.
    #[must_use]
    pub fn differences(&self, golden: &Beat, compared: impl Fn(FieldId) -> bool) -> Vec<FieldDifference> {
        self.assert_same_layout(golden);
        let differs = |&field: &FieldId| compared(field) && self.words_of(field) != golden.words_of(field);
        (0..self.0.layout.fields.len())
            .map(FieldId)
            .filter(differs)
            .map(|field| FieldDifference {
                field: self.0.layout.fields[field.0].name.clone(),
                rtl: BigUint::from_slice(self.words_of(field)),
                golden: BigUint::from_slice(golden.words_of(field)),
            })
            .collect()
    }

    /// The beat with all fields zero, in the same memory unless it is shared.
    pub(crate) fn cleared(mut self) -> Self {
        self.value_mut().words.fill(0);
        self
    }

    /// The value, not shared with any other beat.
    #[inline]
    fn value_mut(&mut self) -> &mut Value {
        if Rc::get_mut(&mut self.0).is_none() {
            self.unshare();
        }
        Rc::get_mut(&mut self.0).expect("a value of this beat alone")
    }

    #[cold]
    fn unshare(&mut self) {
        self.0 = Rc::new((*self.0).clone());
    }

    #[inline]
    fn words_of(&self, FieldId(index): FieldId) -> &[u32] {
        &self.0.words[self.0.layout.fields[index].words.clone()]
    }

    #[inline]
    #[track_caller]
    fn assert_same_layout(&self, other: &Beat) {
        if self.0.layout != other.0.layout {
            self.other_layout(other);
        }
    }

    #[cold]
    #[track_caller]
    fn other_layout(&self, other: &Beat) -> ! {
        panic!("beats of two kinds: {} and {}", self.0.layout.list(), other.0.layout.list());
    }
}

impl PartialEq for Beat {
    /// # Panics
    /// If the two have different layouts.
    #[inline]
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
            let value = number(&BigUint::from_slice(self.words_of(FieldId(index))));
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
    /// Where the field's words begin.
    first: usize,
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
            Ok(FieldPort { cell, first: field.words.start })
        };
        let ports = found.iter().zip(&layout.fields).map(port).collect::<Result<_, Error>>()?;
        Ok(Bundle { layout, ports })
    }

    /// Drives all fields.
    #[inline]
    pub(crate) fn drive(&self, beat: &Beat) {
        let words = &*beat.0.words;
        for port in &self.ports {
            port.cell.write_words(&words[port.first..]);
        }
    }

    /// Drives all fields with bits from `random`.
    pub(crate) fn scramble(&self, mut random: impl FnMut() -> u32) {
        let mut beat = self.layout.beat();
        let words = &mut beat.value_mut().words;
        words.fill_with(&mut random);
        for port in &self.ports {
            words[port.first + port.cell.words() - 1] >>= port.cell.bits().next_multiple_of(32) - port.cell.bits();
        }
        self.drive(&beat);
    }

    /// Puts the present value into `beat`, of the same layout.
    #[inline]
    pub(crate) fn sample(&self, beat: &mut Beat) {
        let words = &mut beat.value_mut().words;
        for port in &self.ports {
            port.cell.read_words(&mut words[port.first..]);
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
