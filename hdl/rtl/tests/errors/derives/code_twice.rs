use tollgate_rtl::prelude::*;

/// States.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
enum State {
    /// Nothing to do.
    Idle = 1,
    /// Something to do.
    Busy = 0,
    /// Done.
    Done,
}

fn main() {}
