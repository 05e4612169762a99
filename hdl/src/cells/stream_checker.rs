//! Stream checker: watches a stream and says which rule of its contract is broken (`docs/contracts/stream.md`).

use tollgate_rtl::prelude::*;

/// Whose promises are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The block's own: the stream leaves it.
    Source,
    /// The surroundings': the stream comes in. A proof of the block takes them for granted.
    Sink,
}

/// Ports of the checker; the parameter is the width of the payload in bits. It drives none of them.
#[ports(p: u32)]
pub struct StreamCheckerPorts {
    /// The source offers a payload.
    pub valid: Input<Bit>,
    /// The sink takes it.
    pub ready: Input<Bit>,
    /// The payload.
    pub data: Input<Bits<{ *p }>>,
}

/// Checks rules 2 and 4. Rule 1 is how a transfer is recognized; rule 3 cannot be seen in one run.
///
/// A broken rule 4 is told at the first clock edge after the reset, as properties are not judged in one.
pub fn stream_checker(side: Side, width: u32) -> Module<StreamCheckerPorts> {
    let name = if side == Side::Source { "source" } else { "sink" };
    module(format!("cells_stream_checker_{name}_{width}"), StreamCheckerPorts::shape(&width), |m, io| {
        m.describe("Stream checker: says which rule of the stream contract is broken. No hardware: it drives nothing.");
        m.parameter("side", name, "whose promises are checked");
        m.parameter("width", width, "bits of the payload");
        let promise = |rule: &str, kept: Bit| match side {
            Side::Source => m.assert(rule, kept),
            Side::Sink => m.assume(rule, kept),
        };

        // Before the first clock edge nothing is known, whatever the registers hold.
        let started = m.memory("started", 1, bit()).initial([Value::zero(1)]).describe("There was a clock edge.");
        let first = Value::zero(1);
        started.write(first.clone().lit(), lit(true));
        let started = started.read(first.lit());

        let waiting = m.delayed("waiting", io.valid & !io.ready).reset(0).describe("What was offered was not taken.");
        let offered = m.delayed("offered", io.data).describe("The payload of one cycle before.");
        let promised = started & *waiting;
        promise("stream rule 2: valid fell before the transfer", !promised | io.valid);
        let unchanged = io.data.equals(*offered);
        promise("stream rule 2: the payload changed before the transfer", !(promised & io.valid) | unchanged);

        // The first edge of a reset acts; from the second one on, `valid` is low.
        let in_reset = m.reg("in_reset", bit()).reset(1).describe("The last clock edge was in reset.");
        let valid_in_reset = m.reg("valid_in_reset", bit()).describe("`valid` was high in this reset.");
        in_reset.set(false);
        valid_in_reset.set(started & *in_reset & (io.valid | *valid_in_reset));
        promise("stream rule 4: valid was high in reset", !(started & *in_reset & *valid_in_reset));
        m.ignore("state", concat([waiting.bits(), *offered, valid_in_reset.bits()]), "properties alone read it");
    })
}
