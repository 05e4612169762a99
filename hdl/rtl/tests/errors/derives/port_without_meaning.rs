use tollgate_rtl::prelude::*;

/// Ports.
#[ports]
struct Mute {
    enable: Input<Bit>,
}

fn main() {}
