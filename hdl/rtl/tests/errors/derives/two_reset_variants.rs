use tollgate_rtl::prelude::*;

/// States.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
enum State {
    /// Nothing to do.
    #[reset]
    Idle,
    /// Something to do.
    #[reset]
    Busy,
}

fn main() {}
