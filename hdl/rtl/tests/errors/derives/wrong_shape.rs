use tollgate_rtl::prelude::*;

/// A bundle.
#[derive(Bundle, Clone, Copy)]
struct Pair {
    /// One bit, it says.
    #[shape(bits(2))]
    one: Bit,
}

fn main() {}
