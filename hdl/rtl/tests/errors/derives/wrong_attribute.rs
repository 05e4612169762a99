use tollgate_rtl::prelude::*;

/// A bundle.
#[bundle(parameters = u32)]
struct Pair {
    /// One.
    one: Bit,
}

/// States.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(bits = 2)]
enum State {
    /// Nothing to do.
    Idle,
}

fn main() {}
