use tollgate_rtl::prelude::*;

/// A bundle.
#[derive(Bundle, Clone, Copy)]
struct Shapeless {
    /// How many bits?
    word: Bits,
}

fn main() {}
