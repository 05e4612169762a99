//! Seeded random values: the state before the first clock edge, and what nobody cares about.

use crate::value::Value;
use num_bigint::BigUint;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// What word `word` (0 for a signal) of the register, synchronous read or memory `name` of module `module` holds before
/// the first clock edge, in every simulator.
///
/// All instances of a module start alike. The value depends on its arguments alone: it is the same on every machine.
pub fn initial_value(seed: u64, module: &str, name: &str, word: u32, width: u32) -> Value {
    random(seed, &["initial", module, name], u64::from(word), width)
}

/// Value number `number` of those that `names` together name. Equal arguments give equal values.
pub(super) fn random(seed: u64, names: &[&str], number: u64, width: u32) -> Value {
    let mut hash = Sha256::new_with_prefix(seed.to_le_bytes());
    for name in names {
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
    }
    let mut source = ChaCha8Rng::from_seed(hash.finalize().into());
    source.set_stream(number);
    Value::new(width, BigUint::new((0..width.div_ceil(32)).map(|_| source.next_u32()).collect()))
}
