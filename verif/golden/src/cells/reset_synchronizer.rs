//! The reset synchronizer: asserts at once, releases at a clock edge.

/// How far the release of a reset has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetSynchronizer {
    stages: usize,
    asserted: bool,
    /// Clock edges since the release; `None` if there was no reset yet.
    edges: Option<usize>,
}

impl ResetSynchronizer {
    /// A reset synchronizer that has seen no reset and shows anything.
    pub fn new(stages: usize) -> Self {
        Self { stages, asserted: false, edges: None }
    }

    /// The reset that comes in is asserted or released, at any time.
    pub fn set(&mut self, asserted: bool) {
        self.asserted = asserted;
        if asserted {
            self.edges = Some(0);
        }
    }

    /// A clock edge.
    pub fn edge(&mut self) {
        if !self.asserted {
            self.edges = self.edges.map(|edges| edges + 1);
        }
    }

    /// The reset that goes out: asserted from the moment the other one is until the edge number `stages` after its
    /// release. Unknown before the first reset.
    pub fn output(&self) -> Option<bool> {
        self.edges.map(|edges| edges < self.stages)
    }
}
