use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle]
struct Word {
    /// Into what?
    word: Input<Bits<8>>,
}

fn main() {}
