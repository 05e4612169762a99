use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle]
struct Shapeless {
    /// How many bits?
    word: Bits,
}

fn main() {}
