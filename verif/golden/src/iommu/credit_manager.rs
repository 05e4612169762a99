//! The credits of one TLP side, received and given (AA-20; PCIe base specification, section 2.6.1).
//!
//! Counters are called as the standard calls them, and the arithmetic is its own: modulo 2^[Field Size], where the field
//! has 8 bits for headers and 12 for payload in units of 16 bytes. One call of [`CreditManager::step`] is one clock
//! cycle.

use tollgate_spec::config::{Config, Credits};
use tollgate_spec::flow_control::{Class, Part};

/// A value for each class of TLPs, in the order of [`Class::ALL`].
pub type PerClass<T> = [T; Class::ALL.len()];

/// A value for each part of a TLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerPart<T> {
    /// Of headers.
    pub header: T,
    /// Of payload.
    pub data: T,
}

impl<T> PerPart<T> {
    /// The value of each part by a function.
    pub fn from_fn(mut of: impl FnMut(Part) -> T) -> Self {
        Self { header: of(Part::Header), data: of(Part::Data) }
    }

    /// The value of one part.
    pub fn of(&self, part: Part) -> &T {
        match part {
            Part::Header => &self.header,
            Part::Data => &self.data,
        }
    }

    fn of_mut(&mut self, part: Part) -> &mut T {
        match part {
            Part::Header => &mut self.header,
            Part::Data => &mut self.data,
        }
    }
}

/// What happens to a class in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inputs {
    /// A TLP arrives, with so many units of payload.
    pub received: Option<u64>,
    /// Buffers are free again: of so many headers, 0 or 1, and of so many units of payload.
    pub freed: PerPart<u64>,
    /// What is freed is not given as credits.
    pub hold: PerPart<bool>,
    /// The other side advertises.
    pub limit: Option<Limit>,
    /// The units of payload of the TLP that is sent next.
    pub pending: u64,
    /// That TLP is sent.
    pub sent: bool,
}

/// What the other side advertises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    /// Whether this is the first advertisement (InitFC), or one of the updates (UpdateFC).
    pub initial: bool,
    /// The sum of the credits given, modulo the field.
    pub credits: PerPart<u64>,
}

/// What the ports of a class show in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outputs {
    /// The TLP that arrives keeps within the credits.
    pub accepted: bool,
    /// What is to be advertised: CREDITS_ALLOCATED.
    pub allocated: PerPart<u64>,
    /// A TLP exceeded the credits in an earlier cycle.
    pub overflow: PerPart<bool>,
    /// The pending TLP may be sent.
    pub may_send: bool,
    /// The other side advertised, in an earlier cycle, what it must not.
    pub protocol_error: PerPart<bool>,
}

/// The credits of a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditManager {
    first: Credits,
    classes: PerClass<(PerPart<Receiver>, Transmitter)>,
}

/// The receiver's side of a type; section 2.6.1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// A first advertisement of 0: no update ever follows.
    Infinite,
    /// As many credits as there are buffers.
    Finite {
        /// CREDITS_ALLOCATED: the first advertisement, and what was made available since.
        allocated: u64,
        /// CREDITS_RECEIVED: what TLPs that were accepted have taken.
        received: u64,
        /// Freed, and not given as credits yet.
        withheld: u64,
        /// Receiver Overflow was seen.
        overflow: bool,
    },
}

/// The transmitter's side of a class; section 2.6.1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Transmitter {
    /// CREDITS_CONSUMED: what TLPs that were sent have taken.
    consumed: PerPart<u64>,
    /// CREDIT_LIMIT, undefined before the first advertisement.
    limit: Option<PerPart<CreditLimit>>,
    protocol_error: PerPart<bool>,
}

/// What the other side has given of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CreditLimit {
    /// The first advertisement was 0.
    Infinite,
    /// The latest advertisement.
    Finite(u64),
}

/// 2^[Field Size].
const fn modulus(part: Part) -> u64 {
    1 << part.counter_bits()
}

/// `one` - `other`, modulo the field.
fn difference(part: Part, one: u64, other: u64) -> u64 {
    (one + modulus(part) - other) % modulus(part)
}

/// What a TLP with so many units of payload takes of a type.
fn units(part: Part, payload: u64) -> u64 {
    match part {
        Part::Header => 1,
        Part::Data => payload,
    }
}

impl CreditManager {
    /// A side of a configuration after reset.
    pub fn new(config: &Config) -> Self {
        Self::with(&config.credits)
    }

    fn with(first: &Credits) -> Self {
        let receiver = |class, part| match first.of(class, part) {
            None => Receiver::Infinite,
            Some(credits) => Receiver::Finite { allocated: credits.into(), received: 0, withheld: 0, overflow: false },
        };
        let of_class = |class| (PerPart::from_fn(|part| receiver(class, part)), Transmitter::default());
        Self { first: first.clone(), classes: Class::ALL.map(of_class) }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Self::with(&self.first);
    }

    /// What the ports show while these inputs are there.
    pub fn outputs(&self, inputs: &PerClass<Inputs>) -> PerClass<Outputs> {
        std::array::from_fn(|class| {
            let ((receivers, transmitter), inputs) = (&self.classes[class], &inputs[class]);
            let overflows = |part| inputs.received.is_some_and(|tlp| receivers.of(part).overflows(part, tlp));
            Outputs {
                accepted: inputs.received.is_some() && !Part::ALL.into_iter().any(overflows),
                allocated: PerPart::from_fn(|part| receivers.of(part).advertised()),
                overflow: PerPart::from_fn(|part| receivers.of(part).has_overflowed()),
                may_send: Part::ALL.into_iter().all(|part| transmitter.allows(part, inputs.pending)),
                protocol_error: transmitter.protocol_error,
            }
        })
    }

    /// One clock cycle; gives what the ports show before its edge. Everything is judged on the state before it.
    ///
    /// # Panics
    ///
    /// If a TLP is sent that may not be, or more is freed than was received.
    pub fn step(&mut self, inputs: &PerClass<Inputs>) -> PerClass<Outputs> {
        let outputs = self.outputs(inputs);
        for (class, (receivers, transmitter)) in self.classes.iter_mut().enumerate() {
            let (inputs, outputs) = (&inputs[class], &outputs[class]);
            for part in Part::ALL {
                let first = self.first.of(Class::ALL[class], part);
                receivers.of_mut(part).step(part, first, inputs, outputs.accepted);
            }
            assert!(outputs.may_send || !inputs.sent, "a TLP is sent that may not be: {inputs:?}");
            transmitter.step(inputs);
        }
        outputs
    }
}

impl Receiver {
    fn advertised(&self) -> u64 {
        match *self {
            Self::Infinite => 0,
            Self::Finite { allocated, .. } => allocated,
        }
    }

    fn has_overflowed(&self) -> bool {
        matches!(self, Self::Finite { overflow: true, .. })
    }

    /// The error check: (CREDITS_ALLOCATED - CREDITS_RECEIVED) mod 2^[Field Size] >= 2^[Field Size] / 2, the TLP counted
    /// among those received.
    fn overflows(&self, part: Part, tlp: u64) -> bool {
        match *self {
            Self::Infinite => false,
            Self::Finite { allocated, received, .. } => {
                let received = (received + units(part, tlp)) % modulus(part);
                difference(part, allocated, received) >= modulus(part) / 2
            }
        }
    }

    fn step(&mut self, part: Part, first: Option<u32>, inputs: &Inputs, accepted: bool) {
        let overflows = inputs.received.is_some_and(|tlp| self.overflows(part, tlp));
        let (Self::Finite { allocated, received, withheld, overflow }, Some(first)) = (self, first) else {
            return;
        };
        if let (Some(tlp), true) = (inputs.received, accepted) {
            *received = (*received + units(part, tlp)) % modulus(part);
        }
        *overflow |= overflows;
        *withheld += inputs.freed.of(part);
        let free = difference(part, *allocated, *received) + *withheld;
        assert!(free <= first.into(), "{free} of {first} buffers would be free: {inputs:?}");
        if !inputs.hold.of(part) {
            *allocated = (*allocated + *withheld) % modulus(part);
            *withheld = 0;
        }
    }
}

impl Transmitter {
    /// The gate: (CREDIT_LIMIT - CUMULATIVE_CREDITS_REQUIRED) mod 2^[Field Size] <= 2^[Field Size] / 2.
    fn allows(&self, part: Part, tlp: u64) -> bool {
        let required = (self.consumed.of(part) + units(part, tlp)) % modulus(part);
        match self.limit.as_ref().map(|limit| limit.of(part)) {
            None => false,
            Some(CreditLimit::Infinite) => true,
            Some(CreditLimit::Finite(limit)) => difference(part, *limit, required) <= modulus(part) / 2,
        }
    }

    fn step(&mut self, inputs: &Inputs) {
        match inputs.limit {
            Some(advertised) if advertised.initial || self.limit.is_some() => self.advertise(&advertised),
            _ => {}
        }
        if inputs.sent {
            for part in Part::ALL {
                let consumed = self.consumed.of_mut(part);
                *consumed = (*consumed + units(part, inputs.pending)) % modulus(part);
            }
        }
    }

    fn advertise(&mut self, advertised: &Limit) {
        let before = self.limit;
        self.limit = Some(PerPart::from_fn(|part| {
            let credits = *advertised.credits.of(part);
            let was_infinite = before.is_some_and(|limit| *limit.of(part) == CreditLimit::Infinite);
            let is_infinite = if advertised.initial { credits == 0 } else { was_infinite };
            let unused = difference(part, credits, *self.consumed.of(part));
            let wrong = if is_infinite { credits > 0 } else { unused > part.most_unused().into() };
            *self.protocol_error.of_mut(part) |= wrong;
            if is_infinite { CreditLimit::Infinite } else { CreditLimit::Finite(credits) }
        }));
    }
}
