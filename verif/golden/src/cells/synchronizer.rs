//! The synchronizer: a bit, some clock edges later.

use std::collections::VecDeque;

/// What is on its way through a synchronizer.
///
/// Metastability is left out: a flip-flop that samples a changing bit settles to either value, and the model is told
/// which. Every change that lasts from one edge to the next arrives, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synchronizer {
    stages: usize,
    /// The bits of the last edges, the oldest first; at most one a stage.
    samples: VecDeque<bool>,
}

impl Synchronizer {
    /// A synchronizer of `stages` flip-flops that has seen no edge.
    pub fn new(stages: usize) -> Self {
        Self { stages, samples: VecDeque::with_capacity(stages + 1) }
    }

    /// A clock edge that samples `bit`.
    pub fn edge(&mut self, bit: bool) {
        self.samples.push_back(bit);
        if self.samples.len() > self.stages {
            self.samples.pop_front();
        }
    }

    /// What it shows until the next edge: the bit that was sampled `stages` edges ago, the last edge counted. Unknown
    /// until there were so many.
    pub fn output(&self) -> Option<bool> {
        (self.samples.len() == self.stages).then(|| self.samples[0])
    }
}
