use tollgate_rtl::prelude::*;

/// States.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
enum State {
    /// Nothing to do.
    Idle,
    /// Something to do.
    #[encoding(reset)]
    Busy,
}

/// Colours.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[reset]
enum Colour {
    /// Red.
    Red,
}

fn main() {}
