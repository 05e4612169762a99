use tollgate_rtl::prelude::*;

/// Ports.
#[derive(Ports, Clone, Copy)]
struct Both {
    /// In and out.
    #[input]
    #[output]
    enable: Bit,
}

fn main() {}
