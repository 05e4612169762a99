use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle]
struct Words {
    /// How many of them?
    words: Array<Bits<8>>,
}

fn main() {}
