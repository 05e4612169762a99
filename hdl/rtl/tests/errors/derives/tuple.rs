use tollgate_rtl::prelude::*;

/// A pair without names.
#[bundle]
struct Pair(Bit, Bit);

fn main() {}
