use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle]
struct Words {
    /// Which way?
    words: Array<Reverse<Bits<8>>, 4>,
}

fn main() {}
