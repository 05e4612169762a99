use tollgate_rtl::prelude::*;

/// Ports.
#[derive(Ports, Clone, Copy)]
struct Mute {
    #[input]
    enable: Bit,
}

fn main() {}
