use tollgate_rtl::prelude::*;

/// States.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
enum State {
    /// Nothing to do.
    Idle,
    /// Something to do.
    Busy(u8),
}

fn main() {}
