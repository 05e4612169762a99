use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle]
struct Word {
    /// Is it wide?
    word: Bits<{ true }>,
}

fn main() {}
