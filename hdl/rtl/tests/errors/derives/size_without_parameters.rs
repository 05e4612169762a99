use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle]
struct Word {
    /// As wide as what?
    word: Bits<{ p.width }>,
}

fn main() {}
