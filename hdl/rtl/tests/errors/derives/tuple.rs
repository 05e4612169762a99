use tollgate_rtl::prelude::*;

/// A pair without names.
#[derive(Bundle, Clone, Copy)]
struct Pair(Bit, Bit);

fn main() {}
