use tollgate_rtl::prelude::*;

/// Ports.
#[derive(Ports, Clone, Copy)]
struct Neither {
    /// In or out?
    enable: Bit,
}

fn main() {}
