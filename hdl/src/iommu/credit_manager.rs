//! Credit manager: PCIe flow control for one TLP side (PCIe base specification, section 2.6.1).
//!
//! Two halves that share nothing: the receiver gives credits for the buffers of this side, the transmitter spends those
//! that the other side gives. Each has a pair of counters for each of the six types of credits, and no type sees another.
//! Everything is judged on the state before the clock edge. The golden model is
//! `tollgate_golden::iommu::credit_manager`.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Credits;
use tollgate_spec::flow_control::{Class, Part, TLP_UNITS_BITS};

/// The same for each class of TLPs.
#[bundle]
pub struct PerClass<T: Bundle> {
    /// Of posted requests.
    pub posted: T,
    /// Of non-posted requests.
    pub non_posted: T,
    /// Of completions.
    pub completion: T,
}

impl<T: Bundle> PerClass<T> {
    /// That of one class.
    pub fn at(self, class: Class) -> T {
        match class {
            Class::Posted => self.posted,
            Class::NonPosted => self.non_posted,
            Class::Completion => self.completion,
        }
    }
}

/// A bit for each type of credits of a class.
#[bundle]
pub struct Flags {
    /// Of headers.
    pub header: Bit,
    /// Of payload.
    pub data: Bit,
}

/// A counter for each type of credits of a class.
#[bundle]
pub struct Counters {
    /// Headers, modulo 256.
    pub header: Bits<{ Part::Header.counter_bits() }>,
    /// Payload in units of 16 bytes, modulo 4096.
    pub data: Bits<{ Part::Data.counter_bits() }>,
}

/// Buffers that are free again.
#[bundle]
pub struct Freed {
    /// That of a header.
    pub header: Bit,
    /// Those of so many units of payload.
    pub data: Bits<{ TLP_UNITS_BITS }>,
}

/// Credits that the other side has given.
#[bundle]
pub struct Limit {
    /// The first advertisement (InitFC), in which 0 is infinite; else an update (UpdateFC).
    pub initial: Bit,
    /// Their sum since the first advertisement.
    pub credits: Counters,
}

/// The TLP that is sent next.
#[bundle]
pub struct Pending {
    /// Its payload, in units of 16 bytes.
    pub data: Bits<{ TLP_UNITS_BITS }>,
    /// It is sent now; only if it may be.
    pub sent: Bit,
}

/// Ports of the credit manager.
#[ports]
pub struct CreditManagerPorts {
    /// A TLP arrives, with so many units of payload.
    pub received: Input<PerClass<Valid<Bits<{ TLP_UNITS_BITS }>>>>,
    /// Within the cycle: it keeps within the credits given. If not, it is to be discarded, and nothing is freed for it.
    pub accepted: Output<PerClass<Bit>>,
    /// Buffers of received TLPs are free again, at the earliest in the cycle of the TLP.
    pub freed: Input<PerClass<Freed>>,
    /// Backpressure: what is freed is not given as credits while this is high, and all of it is when it falls.
    pub hold: Input<PerClass<Flags>>,
    /// CREDITS_ALLOCATED: what to advertise; 0 for ever if infinite.
    pub allocated: Output<PerClass<Counters>>,
    /// Receiver overflow: a TLP exceeded the credits of this type. Stays until reset.
    pub overflow: Output<PerClass<Flags>>,
    /// An advertisement of the other side.
    pub limit: Input<PerClass<Valid<Limit>>>,
    /// The TLP that is sent next.
    pub pending: Input<PerClass<Pending>>,
    /// Within the cycle: the other side has room for it.
    pub may_send: Output<PerClass<Bit>>,
    /// Flow control protocol error: an advertisement that the standard forbids. Stays until reset.
    pub protocol_error: Output<PerClass<Flags>>,
}

/// The credit manager of a side that advertises `credits` first.
pub fn credit_manager(credits: &Credits) -> Module<CreditManagerPorts> {
    module("iommu_credit_manager", CreditManagerPorts::shape(&()), |m, io| {
        m.describe("Credit manager: PCIe flow control for one TLP side.");
        for class in Class::ALL {
            receiver(m, &io, class, credits);
            transmitter(m, &io, class);
        }
    })
}

/// A type of credits.
struct Type<'m> {
    m: &'m ModuleBuilder,
    class: Class,
    part: Part,
}

impl Type<'_> {
    /// A name of this type.
    fn name(&self, what: &str) -> String {
        format!("{}_{}_{what}", self.class.name(), self.part.name())
    }

    /// A register that counts credits of this type.
    fn counter(&self, what: &str) -> Reg<Bits> {
        self.m.reg(&self.name(what), bits(self.part.counter_bits()))
    }

    /// So many credits, as wide as the counters.
    fn widened(&self, credits: Bits) -> Bits {
        credits.extend(self.part.counter_bits())
    }

    /// An error bit: high from the cycle after `happens` until reset.
    fn sticky(&self, what: &str, happens: Bit, meaning: &str) -> Bit {
        let error = self.m.reg(&self.name(what), bit()).reset(0).describe(meaning);
        when(happens, || error.set(true));
        *error
    }
}

/// What the receiver of a type sees and shows.
struct Received {
    /// Credits that an arriving TLP takes.
    units: Bits,
    freed: Bits,
    hold: Bit,
    allocated: Bits,
    overflow: Bit,
}

/// The receiver's half of a class.
fn receiver(m: &ModuleBuilder, io: &CreditManagerPorts, class: Class, credits: &Credits) {
    let (tlp, accepted) = (io.received.at(class), io.accepted.at(class));
    let (freed, hold) = (io.freed.at(class), io.hold.at(class));
    let (allocated, overflow) = (io.allocated.at(class), io.overflow.at(class));
    let mut exceeded = lit(false);
    for part in Part::ALL {
        let of = Type { m, class, part };
        let ports = match part {
            Part::Header => Received {
                units: one(),
                freed: freed.header.bits(),
                hold: hold.header,
                allocated: allocated.header,
                overflow: overflow.header,
            },
            Part::Data => Received {
                units: tlp.data,
                freed: freed.data,
                hold: hold.data,
                allocated: allocated.data,
                overflow: overflow.data,
            },
        };
        let first = credits.of(class, part);
        let shown = first.map_or_else(|| "infinite".to_owned(), |count| count.to_string());
        let meaning = format!("{}{} advertised first", class.abbreviation(), part.abbreviation());
        m.parameter(&format!("{}_{}", class.name(), part.name()), shown, &meaning);
        match first {
            Some(first) => exceeded = exceeded | receive(&of, first, ports, tlp.valid, accepted),
            None => receive_any(&of, ports),
        }
    }
    accepted.set(tlp.valid & !exceeded);
}

/// The receiver's counters of a type; gives whether an arriving TLP exceeds the credits given.
fn receive(of: &Type<'_>, first: u32, ports: Received, arrives: Bit, accepted: Bit) -> Bit {
    let Type { m, class, part } = of;
    let units = of.widened(ports.units);
    let received = of.counter("received").reset(0).describe("CREDITS_RECEIVED.");
    let with_tlp = m.named(&of.name("with_tlp"), *received + units);
    when(accepted, || received.set(with_tlp));

    let available = of.counter("available").reset(first.into());
    let available = available.describe("CREDITS_ALLOCATED as it is without backpressure.");
    let with_freed = m.named(&of.name("with_freed"), *available + of.widened(ports.freed));
    available.set(with_freed);
    let allocated = of.counter("allocated").reset(first.into()).describe("CREDITS_ALLOCATED.");
    when(!ports.hold, || allocated.set(with_freed));
    ports.allocated.set(*allocated);

    let exceeded = m.named(&of.name("exceeded"), units.greater_than(*allocated - *received));
    ports.overflow.set(of.sticky("overflow", arrives & exceeded, "A TLP exceeded the credits of this type."));
    let free = with_freed - mux(accepted, with_tlp, *received);
    let rule = format!("{} {}: no more is freed than was received", class.name(), part.name());
    m.assert(&rule, free.at_most(first));
    exceeded
}

/// The receiver of a type whose credits are infinite.
fn receive_any(of: &Type<'_>, ports: Received) {
    let Received { units, freed, hold, allocated, overflow } = ports;
    let seen = match of.part {
        Part::Header => concat([freed, hold.bits()]),
        Part::Data => concat([units, freed, hold.bits()]),
    };
    of.m.ignore(&of.name("seen"), seen, "infinite credits are not counted");
    allocated.set(0);
    overflow.set(false);
}

/// The transmitter's half of a class.
fn transmitter(m: &ModuleBuilder, io: &CreditManagerPorts, class: Class) {
    let name = class.name();
    let (limit, pending, error) = (io.limit.at(class), io.pending.at(class), io.protocol_error.at(class));
    let credits = limit.data.credits;
    let is_open = m.reg(&format!("{name}_open"), bit()).reset(0).describe("The first advertisement has come.");
    let taken = m.named(&format!("{name}_taken"), limit.valid & (limit.data.initial | *is_open));
    when(taken, || is_open.set(true));
    let parts =
        [(Part::Header, credits.header, one(), error.header), (Part::Data, credits.data, pending.data, error.data)];
    let [header, data] = parts.map(|(part, credits, units, error)| {
        let update = Update { taken, initial: limit.data.initial, credits };
        transmit(&Type { m, class, part }, update, units, pending.sent, error)
    });
    let may_send = *is_open & header & data;
    io.may_send.at(class).set(may_send);
    m.assert(&format!("{name}: a TLP is sent only if it may be"), may_send | !pending.sent);
}

/// An advertisement of one type.
struct Update {
    taken: Bit,
    initial: Bit,
    credits: Bits,
}

/// The transmitter's counters of a type; gives whether the other side has room for so many units.
fn transmit(of: &Type<'_>, update: Update, units: Bits, sent: Bit, error: Bit) -> Bit {
    let Type { m, part, .. } = of;
    let consumed = of.counter("consumed").reset(0).describe("CREDITS_CONSUMED.");
    let required = m.named(&of.name("required"), *consumed + of.widened(units));
    when(sent, || consumed.set(required));

    let limit = of.counter("limit").describe("CREDIT_LIMIT; any if infinite.");
    let infinite = m.reg(&of.name("infinite"), bit()).describe("The first advertisement was 0.");
    let is_infinite = m.named(&of.name("is_infinite"), mux(update.initial, update.credits.none(), *infinite));
    when(update.taken, || {
        limit.set(update.credits);
        infinite.set(is_infinite);
    });
    let too_many = (update.credits - *consumed).greater_than(part.most_unused());
    let wrong = mux(is_infinite, update.credits.any(), too_many);
    let meaning = "More credits unused than may be, or a number where they are infinite.";
    error.set(of.sticky("protocol_error", update.taken & wrong, meaning));
    *infinite | (*limit - required).at_most(1u32 << (part.counter_bits() - 1))
}

/// What a header takes.
fn one() -> Bits {
    Value::new(1, 1u32).lit()
}
