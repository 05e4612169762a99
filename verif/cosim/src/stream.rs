//! Streams: a source, a sink, and a monitor that holds both to the contract.
//!
//! The rules, numbered as in `docs/contracts/stream.md`:
//!
//! 1. A transfer happens at a rising clock edge where `valid` and `ready` are both high.
//! 2. Once `valid` is high it stays high, and the payload does not change, until the transfer.
//! 3. `valid` does not wait for `ready`.
//! 4. `valid` is low in reset; `ready` may be anything.
//!
//! A stream `lookup` has the ports `lookup_valid`, `lookup_ready`, and as payload `lookup_data` or
//! every `lookup_data_<field>`. A cycle of a testbench goes:
//!
//! ```no_run
//! # use tollgate_cosim::{Clock, Dut, Outcome, Scoreboard, StreamDriver, StreamMonitor, StreamSink};
//! # fn cycle(dut: &mut Dut, clk: Clock, lookup: &mut StreamDriver, found: &mut StreamSink,
//! #          answers: &mut StreamMonitor, scoreboard: &mut Scoreboard) -> Outcome {
//! lookup.drive();
//! found.drive();
//! dut.eval()?;
//! let cycle = dut.cycle(clk);
//! lookup.sample();
//! if let Some(answer) = answers.sample(cycle)? {
//!     scoreboard.check(cycle, answer)?;
//! }
//! dut.step(clk)
//! # }
//! ```

use std::collections::VecDeque;
use std::rc::Rc;

use crate::bundle::{Beat, Bundle, Layout};
use crate::failure::{BrokenRule, number};
use crate::ffi::BitCell;
use crate::stalls::{StallGenerator, Stalls};
use crate::{Dut, Error, Failure, Outcome};

/// The reset of every block, active high.
const RESET: &str = "rst";

/// The block's reset input, if it has one.
fn reset(dut: &Dut) -> Result<Option<BitCell>, Error> {
    let has_one = dut.model().ports().iter().any(|port| port.name == RESET);
    has_one.then(|| dut.probe(RESET)?.bit()).transpose()
}

/// Whether the reset is held.
#[inline]
fn in_reset(reset: &Option<BitCell>) -> bool {
    reset.as_ref().is_some_and(BitCell::read)
}

/// Feeds a sink of the model from a queue, holding back as a [`Stalls`] pattern says. While it
/// offers nothing, the payload is random: nobody may look at it.
pub struct StreamDriver {
    prefix: String,
    valid: BitCell,
    ready: BitCell,
    payload: Bundle,
    reset: Option<BitCell>,
    queue: VecDeque<Beat>,
    /// One that was sent, whose memory serves again.
    spare: Option<Beat>,
    stalls: StallGenerator,
    /// Whether the front of the queue stands at the port.
    offering: bool,
}

impl StreamDriver {
    /// Drives the stream `prefix` of `dut`.
    ///
    /// # Errors
    /// [`Error::NoPort`] if `<prefix>_valid` is no input or `<prefix>_ready` no output.
    pub fn new(dut: &Dut, prefix: &str, stalls: Stalls, seed: u64) -> Result<Self, Error> {
        dut.output(&format!("{prefix}_ready"))?;
        Ok(Self {
            prefix: prefix.into(),
            valid: dut.input(&format!("{prefix}_valid"))?.bit()?,
            ready: dut.probe(&format!("{prefix}_ready"))?.bit()?,
            payload: Bundle::inputs(dut, &format!("{prefix}_data"))?,
            reset: reset(dut)?,
            queue: VecDeque::new(),
            spare: None,
            stalls: stalls.generator(seed),
            offering: false,
        })
    }

    /// The payload's fields.
    #[must_use]
    pub fn layout(&self) -> &Rc<Layout> {
        &self.payload.layout
    }

    /// A beat to fill and [`push`](Self::push), with all fields zero.
    #[must_use]
    pub fn beat(&mut self) -> Beat {
        match self.spare.take() {
            Some(sent) => sent.cleared(),
            None => self.layout().beat(),
        }
    }

    /// Queues a beat.
    ///
    /// # Panics
    /// If it has another layout than the port.
    #[track_caller]
    pub fn push(&mut self, beat: Beat) {
        assert!(beat.layout() == self.layout(), "layout of a beat for `{}`", self.prefix);
        self.queue.push_back(beat);
    }

    /// Beats not yet transferred.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.queue.len()
    }

    /// Sets the ports for this cycle; before [`Dut::eval`].
    pub fn drive(&mut self) {
        if in_reset(&self.reset) {
            self.offering = false;
            self.idle();
        } else if !self.offering {
            match self.queue.front() {
                Some(beat) if !self.stalls.stalls() => {
                    self.payload.drive(beat);
                    self.valid.write(true);
                    self.offering = true;
                }
                _ => self.idle(),
            }
        }
    }

    fn idle(&mut self) {
        self.valid.write(false);
        self.payload.scramble(|| self.stalls.random_bits());
    }

    /// Whether the coming edge transfers the beat on offer; between [`Dut::eval`] and
    /// [`Dut::step`], in every cycle.
    pub fn sample(&mut self) -> bool {
        let transfers = self.offering && self.ready.read();
        if transfers {
            self.offering = false;
            self.spare = self.queue.pop_front();
        }
        transfers
    }
}

/// Takes from a source of the model, holding back as a [`Stalls`] pattern says.
pub struct StreamSink {
    prefix: String,
    valid: BitCell,
    ready: BitCell,
    stalls: StallGenerator,
}

impl StreamSink {
    /// Sinks the stream `prefix` of `dut`.
    ///
    /// # Errors
    /// [`Error::NoPort`] if `<prefix>_valid` is no output or `<prefix>_ready` no input.
    pub fn new(dut: &Dut, prefix: &str, stalls: Stalls, seed: u64) -> Result<Self, Error> {
        dut.output(&format!("{prefix}_valid"))?;
        Ok(Self {
            prefix: prefix.into(),
            valid: dut.probe(&format!("{prefix}_valid"))?.bit()?,
            ready: dut.input(&format!("{prefix}_ready"))?.bit()?,
            stalls: stalls.generator(seed),
        })
    }

    /// Sets `ready` for this cycle; before [`Dut::eval`].
    pub fn drive(&mut self) {
        self.ready.write(!self.stalls.stalls());
    }

    /// Turns `ready` over within the cycle and back, and sees that `valid` does not follow.
    /// Between [`Dut::eval`] and [`Dut::step`]; costs two evaluations.
    ///
    /// # Errors
    /// [`Failure::Rule`] (rule 3); [`Failure::Stopped`].
    pub fn check_independence(&self, dut: &mut Dut, cycle: u64) -> Outcome {
        let (valid, ready) = (self.valid.read(), self.ready.read());
        self.ready.write(!ready);
        dut.eval()?;
        let turned = self.valid.read();
        self.ready.write(ready);
        dut.eval()?;
        if turned == valid {
            return Ok(());
        }
        Err(Failure::Rule(Box::new(BrokenRule {
            cycle,
            port: self.prefix.clone(),
            rule: "stream rule 3",
            seen: format!(
                "valid is {} with ready {}, {} with ready {}",
                u8::from(valid),
                u8::from(ready),
                u8::from(turned),
                u8::from(!ready)
            ),
        })))
    }
}

/// Watches a stream of the model, whoever drives it. Sees ports only.
pub struct StreamMonitor {
    prefix: String,
    valid: BitCell,
    ready: BitCell,
    payload: Bundle,
    reset: Option<BitCell>,
    /// The beat that is offered and not yet taken, if `holding`.
    held: Beat,
    /// The beat of this cycle.
    seen: Beat,
    holding: bool,
    /// Whether the cycle before was one of reset.
    was_in_reset: bool,
    transfers: u64,
}

impl StreamMonitor {
    /// Watches the stream `prefix` of `dut`.
    ///
    /// # Errors
    /// [`Error::NoPort`] if it has no `<prefix>_valid` or `<prefix>_ready`.
    pub fn new(dut: &Dut, prefix: &str) -> Result<Self, Error> {
        let payload = Bundle::probes(dut, &format!("{prefix}_data"))?;
        Ok(Self {
            prefix: prefix.into(),
            valid: dut.probe(&format!("{prefix}_valid"))?.bit()?,
            ready: dut.probe(&format!("{prefix}_ready"))?.bit()?,
            reset: reset(dut)?,
            held: payload.layout.beat(),
            seen: payload.layout.beat(),
            payload,
            holding: false,
            was_in_reset: false,
            transfers: 0,
        })
    }

    /// The payload's fields.
    #[must_use]
    pub fn layout(&self) -> &Rc<Layout> {
        &self.payload.layout
    }

    /// Transfers seen.
    #[must_use]
    pub fn transfers(&self) -> u64 {
        self.transfers
    }

    /// The beat that the coming edge transfers, if any; between [`Dut::eval`] and [`Dut::step`], in
    /// every cycle.
    ///
    /// # Errors
    /// [`Failure::Rule`] for rules 2 and 4. Rule 4 counts from the second cycle of a reset: before
    /// its first edge a synchronous reset has not acted.
    pub fn sample(&mut self, cycle: u64) -> Outcome<Option<&Beat>> {
        let valid = self.valid.read();
        if in_reset(&self.reset) {
            if valid && self.was_in_reset {
                return Err(self.broken(cycle, "stream rule 4", "valid is high in reset"));
            }
            self.was_in_reset = true;
            self.holding = false;
            return Ok(None);
        }
        self.was_in_reset = false;
        if self.holding {
            self.check_hold(cycle, valid)?;
        }
        if !valid {
            return Ok(None);
        }
        if self.ready.read() {
            self.holding = false;
            self.transfers += 1;
            self.payload.sample(&mut self.seen);
            return Ok(Some(&self.seen));
        }
        if !self.holding {
            self.payload.sample(&mut self.held);
            self.holding = true;
        }
        Ok(None)
    }

    /// Rule 2.
    #[inline(never)]
    fn check_hold(&mut self, cycle: u64, valid: bool) -> Outcome {
        if !valid {
            let seen = format!("valid fell before the transfer of {}", self.held);
            return Err(self.broken(cycle, "stream rule 2", seen));
        }
        self.payload.sample(&mut self.seen);
        if self.seen == self.held {
            return Ok(());
        }
        let changes: Vec<_> = (self.seen.differences(&self.held, |_| true).iter())
            .map(|change| {
                let (before, after) = (number(&change.golden), number(&change.rtl));
                format!("{} changed from {before} to {after}", change.field)
            })
            .collect();
        let seen = format!("{} before the transfer", changes.join(", "));
        Err(self.broken(cycle, "stream rule 2", seen))
    }

    #[cold]
    fn broken(&self, cycle: u64, rule: &'static str, seen: impl Into<String>) -> Failure {
        let (port, seen) = (self.prefix.clone(), seen.into());
        Failure::Rule(Box::new(BrokenRule { cycle, port, rule, seen }))
    }
}
