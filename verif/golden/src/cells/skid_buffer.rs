//! The skid buffer: a queue of two beats.

use std::collections::VecDeque;

/// The beats that are in a skid buffer.
///
/// Timing is left out: when a beat is taken or given is up to the two sides of the buffer. What it gives, and whether
/// it may take or give at all, is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkidBuffer<T> {
    /// The oldest first.
    beats: VecDeque<T>,
}

impl<T> SkidBuffer<T> {
    /// The beats that it holds: one at its output, and one that came in the cycle in which the sink began to stall.
    pub const CAPACITY: usize = 2;

    /// A skid buffer after reset: empty.
    pub fn new() -> Self {
        Self { beats: VecDeque::with_capacity(Self::CAPACITY) }
    }

    /// Forgets all beats.
    pub fn reset(&mut self) {
        self.beats.clear();
    }

    /// The beats in it.
    pub fn occupancy(&self) -> usize {
        self.beats.len()
    }

    /// Whether it takes one more beat.
    pub fn has_room(&self) -> bool {
        self.occupancy() < Self::CAPACITY
    }

    /// Takes a beat.
    ///
    /// # Errors
    ///
    /// The beat, if there is no room for it.
    pub fn put(&mut self, beat: T) -> Result<(), T> {
        if !self.has_room() {
            return Err(beat);
        }
        self.beats.push_back(beat);
        Ok(())
    }

    /// Gives the oldest beat; `None` if it is empty.
    pub fn take(&mut self) -> Option<T> {
        self.beats.pop_front()
    }
}

impl<T> Default for SkidBuffer<T> {
    fn default() -> Self {
        Self::new()
    }
}
