//! Values that come with a `valid` and nothing to hold them back: `Valid` in `docs/contracts/stream.md`.
//!
//! Such a port `lookup` is `lookup_valid`, and as payload `lookup_data` or every `lookup_data_<field>`. There is a
//! transfer at every rising edge at which `valid` is high.

use std::rc::Rc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tollgate_cosim::{Beat, BrokenRule, Dut, Failure, Input, Layout, Outcome, Probe};

use crate::any_bits;

/// Drives a port of the model. While it gives nothing, the payload is random: nobody may look at it.
pub struct ValidDriver {
    valid: Input,
    /// In the order of the layout's fields.
    payload: Vec<Input>,
    layout: Rc<Layout>,
    random: ChaCha8Rng,
}

impl ValidDriver {
    /// Drives the port `prefix` of `dut`; `seed` chooses what the payload is while `valid` is low.
    ///
    /// # Errors
    ///
    /// If `<prefix>_valid` or a part of the payload is no input.
    pub fn new(dut: &Dut, prefix: &str, seed: u64) -> Outcome<Self> {
        let (layout, names) = payload(dut, prefix);
        Ok(Self {
            valid: dut.input(&format!("{prefix}_valid"))?.of_width(1)?,
            payload: names.iter().map(|name| dut.input(name)).collect::<Result<_, _>>()?,
            layout,
            random: ChaCha8Rng::seed_from_u64(seed),
        })
    }

    /// The payload's fields.
    pub fn layout(&self) -> &Rc<Layout> {
        &self.layout
    }

    /// Sets the ports for this cycle; before [`Dut::eval`].
    ///
    /// # Errors
    ///
    /// If the beat is not of the port's layout.
    pub fn drive(&mut self, beat: Option<&Beat>) -> Outcome {
        self.valid.set(beat.is_some().into());
        for (port, field) in self.payload.iter().zip(self.layout.names()) {
            match beat {
                Some(beat) => port.set_big(&beat.big(field)?),
                None => port.set_big(&any_bits(&mut self.random, port.width())),
            }
        }
        Ok(())
    }
}

/// Watches a port, whoever drives it. Sees ports only.
pub struct ValidMonitor {
    prefix: String,
    valid: Probe,
    /// In the order of the layout's fields.
    payload: Vec<Probe>,
    layout: Rc<Layout>,
    reset: Probe,
    /// Whether the cycle before was one of reset.
    was_in_reset: bool,
}

impl ValidMonitor {
    /// Watches the port `prefix` of `dut`.
    ///
    /// # Errors
    ///
    /// If there is no `<prefix>_valid`, or no `rst`.
    pub fn new(dut: &Dut, prefix: &str) -> Outcome<Self> {
        let (layout, names) = payload(dut, prefix);
        Ok(Self {
            prefix: prefix.into(),
            valid: dut.probe(&format!("{prefix}_valid"))?.of_width(1)?,
            payload: names.iter().map(|name| dut.probe(name)).collect::<Result<_, _>>()?,
            layout,
            reset: dut.probe("rst")?.of_width(1)?,
            was_in_reset: false,
        })
    }

    /// The payload's fields.
    pub fn layout(&self) -> &Rc<Layout> {
        &self.layout
    }

    /// The beat that the coming edge transfers, if any; between [`Dut::eval`] and [`Dut::step`], in every cycle.
    ///
    /// # Errors
    ///
    /// [`Failure::Rule`] for rule 4. It counts from the second cycle of a reset: before its first edge a synchronous
    /// reset has not acted.
    pub fn sample(&mut self, cycle: u64) -> Outcome<Option<Beat>> {
        let in_reset = self.reset.is_set();
        let was_in_reset = std::mem::replace(&mut self.was_in_reset, in_reset);
        if in_reset && was_in_reset && self.valid.is_set() {
            let (port, seen) = (self.prefix.clone(), "valid is high in reset".into());
            return Err(Failure::Rule(Box::new(BrokenRule { cycle, port, rule: "stream rule 4", seen })));
        }
        if in_reset || !self.valid.is_set() {
            return Ok(None);
        }
        let fields = self.payload.iter().zip(self.layout.names());
        let beat =
            fields.into_iter().try_fold(self.layout.beat(), |beat, (port, field)| beat.with(field, port.get_big()));
        Ok(Some(beat?))
    }
}

/// The fields of the payload of `prefix`, and the port of each.
fn payload(dut: &Dut, prefix: &str) -> (Rc<Layout>, Vec<String>) {
    let whole = format!("{prefix}_data");
    let field = |port: &str| match port.strip_prefix(&whole)? {
        "" => Some("data".to_owned()),
        rest => rest.strip_prefix('_').map(str::to_owned),
    };
    let ports = dut.model().ports().iter();
    let mut found: Vec<_> = ports.filter_map(|port| Some((field(&port.name)?, port))).collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    let layout = Layout::new(found.iter().map(|(field, port)| (field.clone(), port.width)));
    (layout, found.into_iter().map(|(_, port)| port.name.clone()).collect())
}
