//! The RAM: words of bytes that are written one by one.

/// A byte of a word. What was never written is unknown: it may be anything.
pub type Byte = Option<u8>;

/// The words of a RAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ram {
    bytes: usize,
    words: Vec<Vec<Byte>>,
}

/// What the RAM is asked at one clock edge. Either or both may be there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commands {
    /// Writes bytes of a word.
    pub write: Option<Write>,
    /// Reads the word of this number.
    pub read: Option<usize>,
}

/// A write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The number of the word.
    pub address: usize,
    /// The new value of each byte of the word, the lowest first; `None` keeps it.
    pub bytes: Vec<Option<u8>>,
}

impl Ram {
    /// `depth` unknown words of so many bytes.
    pub fn new(depth: usize, bytes: usize) -> Self {
        Self { bytes, words: vec![vec![None; bytes]; depth] }
    }

    /// One clock edge: what is read is the word before the write. `None` if nothing is read.
    ///
    /// Beyond the last word, a write does nothing and a read gives zeros.
    ///
    /// # Panics
    ///
    /// If the write has not as many bytes as a word.
    pub fn step(&mut self, commands: &Commands) -> Option<Vec<Byte>> {
        let read = commands.read.map(|address| match self.words.get(address) {
            Some(word) => word.clone(),
            None => vec![Some(0); self.bytes],
        });
        if let Some(Write { address, bytes }) = &commands.write {
            assert_eq!(bytes.len(), self.bytes, "bytes of a word");
            let word = self.words.get_mut(*address).into_iter().flatten();
            for (byte, new) in word.zip(bytes) {
                *byte = new.or(*byte);
            }
        }
        read
    }
}
