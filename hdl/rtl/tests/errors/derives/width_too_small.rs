use tollgate_rtl::prelude::*;

/// States.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 2)]
enum State {
    /// Nothing to do.
    Idle = 0,
    /// Something to do.
    Busy = 4,
}

fn main() {}
