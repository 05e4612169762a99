//! Round-robin arbiter: grants one of several requests, each in turn.

use tollgate_rtl::prelude::*;

/// Ports of the arbiter; the parameter is the number of requesters.
#[ports(p: u32)]
pub struct RoundRobinArbiterPorts {
    /// One bit a requester.
    pub request: Input<Bits<{ *p }>>,
    /// The grant is used in this cycle: the turn passes on.
    pub taken: Input<Bit>,
    /// The requester whose turn it is, one-hot; 0 if nobody asks.
    pub grant: Output<Bits<{ *p }>>,
}

/// Grants within the cycle the first request from the one after the last that was taken, in rising order and round.
///
/// A requester that asks all the time waits for at most `requesters - 1` grants that are taken.
pub fn round_robin_arbiter(requesters: u32) -> Module<RoundRobinArbiterPorts> {
    let name = format!("cells_round_robin_arbiter_{requesters}");
    module(name, RoundRobinArbiterPorts::shape(&requesters), |m, io| {
        m.describe("Round-robin arbiter: grants one request, each requester in turn.");
        m.parameter("requesters", requesters, "how many may ask");
        // The first requester is after none.
        let after_last = m.reg("after_last", bits(requesters - 1)).reset(0);
        let after_last = after_last.describe("The requesters after the last one served, the first left out.");
        let waiting = m.named("waiting", io.request & concat([*after_last, Value::zero(1).lit()]));
        let candidates = m.named("candidates", mux(waiting.any(), waiting, io.request));
        let grant = m.named("lowest", candidates & (!candidates + 1));
        io.grant.set(grant);
        when(io.taken & io.request.any(), || after_last.set(!(grant | (grant - 1)).slice(1..requesters)));
        m.assert("at most one grant", grant.at_most_one());
    })
}
