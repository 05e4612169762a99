//! The FIFO: a queue of bounded length.

use std::collections::VecDeque;

/// The beats that are in a FIFO.
///
/// Timing is left out: after how many cycles a beat may leave differs between the kinds of storage. What leaves, and
/// whether a beat may enter at all, does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fifo<T> {
    capacity: usize,
    /// The oldest first.
    beats: VecDeque<T>,
}

impl<T> Fifo<T> {
    /// A FIFO of `capacity` beats after reset: empty.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, beats: VecDeque::with_capacity(capacity) }
    }

    /// Forgets all beats.
    pub fn reset(&mut self) {
        self.beats.clear();
    }

    /// The beats in it.
    pub fn occupancy(&self) -> usize {
        self.beats.len()
    }

    /// Whether it holds no beat.
    pub fn is_empty(&self) -> bool {
        self.beats.is_empty()
    }

    /// Whether it has no room for one more beat.
    pub fn is_full(&self) -> bool {
        self.occupancy() == self.capacity
    }

    /// Takes a beat.
    ///
    /// # Errors
    ///
    /// The beat, if there is no room for it.
    pub fn put(&mut self, beat: T) -> Result<(), T> {
        if self.is_full() {
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
