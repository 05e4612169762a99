//! When a side of a stream holds back: orthogonal to every scenario.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A pattern of waiting. Tests cross [`all`](Stalls::all) of them, on every port, with every
/// scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stalls {
    /// Ready, or offering, whenever possible.
    Never,
    /// Runs and pauses in turns.
    Periodic {
        /// Cycles without a stall, at least 1.
        run: u32,
        /// Cycles of stall after them.
        pause: u32,
    },
    /// Each cycle for itself.
    Random {
        /// Of 100 cycles, so many stall; below 100.
        percent: u8,
    },
}

impl Stalls {
    /// One of each kind; the random one stalls two cycles of five.
    #[must_use]
    pub const fn all() -> [Stalls; 3] {
        [Stalls::Never, Stalls::Periodic { run: 3, pause: 2 }, Stalls::Random { percent: 40 }]
    }

    /// `never`, `periodic` or `random`: the bin of a coverage point.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Stalls::Never => "never",
            Stalls::Periodic { .. } => "periodic",
            Stalls::Random { .. } => "random",
        }
    }

    /// Starts the pattern; `seed` moves its phase or chooses its cycles.
    ///
    /// # Panics
    /// If the pattern would stall for ever.
    #[must_use]
    pub fn generator(self, seed: u64) -> StallGenerator {
        match self {
            Stalls::Never => {}
            Stalls::Periodic { run, .. } => assert!(run > 0, "a run is at least one cycle"),
            Stalls::Random { percent } => assert!(percent < 100, "some cycle must not stall"),
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let cycle = random.next_u32();
        StallGenerator { stalls: self, cycle, random }
    }
}

/// A [`Stalls`] pattern under way.
#[derive(Debug, Clone)]
pub struct StallGenerator {
    stalls: Stalls,
    cycle: u32,
    random: ChaCha8Rng,
}

impl StallGenerator {
    /// Whether this cycle stalls; goes on to the next.
    #[inline]
    pub fn stalls(&mut self) -> bool {
        self.stalls != Stalls::Never && self.next()
    }

    #[inline(never)]
    fn next(&mut self) -> bool {
        match self.stalls {
            Stalls::Never => false,
            Stalls::Periodic { run, pause } => {
                self.cycle = (self.cycle % (run + pause)) + 1;
                self.cycle > run
            }
            Stalls::Random { percent } => self.random.next_u32() % 100 < percent.into(),
        }
    }

    /// 32 random bits, from the same seed.
    pub(crate) fn random_bits(&mut self) -> u32 {
        self.random.next_u32()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stalled(stalls: Stalls, seed: u64) -> Vec<bool> {
        let mut generator = stalls.generator(seed);
        (0..1_000).map(|_| generator.stalls()).collect()
    }

    #[test]
    fn each_kind_stalls_as_it_says() {
        assert!(!stalled(Stalls::Never, 1).contains(&true));
        for seed in 0..20 {
            let periodic = stalled(Stalls::Periodic { run: 3, pause: 2 }, seed);
            assert_eq!(periodic.iter().filter(|stall| **stall).count(), 400);
            assert!(periodic.windows(4).all(|window| window != [true, true, true, true]));
            let random = stalled(Stalls::Random { percent: 40 }, seed);
            let count = random.iter().filter(|stall| **stall).count();
            assert!((300..500).contains(&count), "{count}");
        }
    }

    #[test]
    fn a_seed_repeats() {
        for stalls in Stalls::all() {
            assert_eq!(stalled(stalls, 7), stalled(stalls, 7));
        }
    }
}
