//! The round-robin arbiter: each requester in turn.

/// Who was served last, of so many requesters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundRobinArbiter {
    requesters: usize,
    last: usize,
}

impl RoundRobinArbiter {
    /// The arbiter after reset: as if the last requester had just been served, so that requester 0 is first.
    ///
    /// # Panics
    ///
    /// If there are no requesters.
    pub fn new(requesters: usize) -> Self {
        assert!(requesters > 0, "an arbiter has requesters");
        Self { requesters, last: requesters - 1 }
    }

    /// Forgets who was served.
    pub fn reset(&mut self) {
        *self = Self::new(self.requesters);
    }

    /// The requester that is granted: the first that asks, counted on from the one after the last served, and round.
    ///
    /// # Panics
    ///
    /// If there are not as many requests as requesters.
    pub fn grant(&self, requests: &[bool]) -> Option<usize> {
        assert_eq!(requests.len(), self.requesters, "one request a requester");
        let turns = (1..=self.requesters).map(|step| (self.last + step) % self.requesters);
        turns.into_iter().find(|requester| requests[*requester])
    }

    /// The grant is used: whoever has it is served.
    pub fn take(&mut self, requests: &[bool]) {
        self.last = self.grant(requests).unwrap_or(self.last);
    }
}
