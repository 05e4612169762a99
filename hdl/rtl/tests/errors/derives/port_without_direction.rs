use tollgate_rtl::prelude::*;

/// Ports.
#[ports]
struct Neither {
    /// In or out?
    enable: Bit,
}

fn main() {}
