use tollgate_rtl::prelude::*;

/// Ports.
#[ports]
struct Both {
    /// In and out.
    enable: Input<Output<Bit>>,
}

fn main() {}
