//! The CAM: entries that are found by their keys.

/// The keys that a CAM holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cam<K> {
    entries: Vec<Option<K>>,
}

/// What the CAM is asked at one clock edge. Either or both may be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commands<K> {
    /// Gives the entry of this number this key.
    pub write: Option<(usize, K)>,
    /// Empties the entry of this number.
    pub clear: Option<usize>,
}

impl<K: Clone + PartialEq> Cam<K> {
    /// A CAM after reset: so many empty entries.
    pub fn new(entries: usize) -> Self {
        Self { entries: vec![None; entries] }
    }

    /// Empties all entries.
    pub fn reset(&mut self) {
        self.entries.fill(None);
    }

    /// The number of the entry that holds `key`.
    pub fn find(&self, key: &K) -> Option<usize> {
        self.entries.iter().position(|held| held.as_ref() == Some(key))
    }

    /// The key of an entry; `None` if it is empty, or there is no such entry.
    pub fn entry(&self, index: usize) -> Option<&K> {
        self.entries.get(index)?.as_ref()
    }

    /// Whether these commands leave no key in two entries, as whoever gives them promises.
    pub fn allows(&self, commands: &Commands<K>) -> bool {
        let Some((index, key)) = &commands.write else { return true };
        let remains = |other: &usize| other != index && Some(*other) != commands.clear;
        *index >= self.entries.len() || self.find(key).filter(remains).is_none()
    }

    /// One clock edge. A write of the entry that is cleared wins. What names no entry does nothing.
    ///
    /// # Panics
    ///
    /// If a key would be in two entries: see [`Cam::allows`].
    pub fn step(&mut self, commands: &Commands<K>) {
        assert!(self.allows(commands), "a key is in one entry at most");
        if let Some(entry) = commands.clear.and_then(|index| self.entries.get_mut(index)) {
            *entry = None;
        }
        if let Some((index, key)) = &commands.write
            && let Some(entry) = self.entries.get_mut(*index)
        {
            *entry = Some(key.clone());
        }
    }
}
