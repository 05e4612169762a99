//! Reset synchronizer: asserts a reset at once, releases it at a clock edge.

use tollgate_rtl::prelude::*;

/// Ports of the reset synchronizer. Its own `rst` is the reset to be synchronized.
#[ports]
pub struct ResetSynchronizerPorts {
    /// The reset of the clock domain: high at once when `rst` is, low `stages` clock edges after `rst` is low.
    pub reset: Output<Bit>,
}

/// A chain of `stages` flip-flops that `rst` sets without a clock edge.
pub fn reset_synchronizer(stages: u32) -> Module<ResetSynchronizerPorts> {
    module(format!("cells_reset_synchronizer_{stages}"), ResetSynchronizerPorts::shape(&()), |m, io| {
        m.describe("Reset synchronizer: asserts at once, releases at a clock edge.");
        m.parameter("stages", stages, "flip-flops in the chain");
        let mut released = lit(false);
        for stage in 0..stages {
            let flop = m.delayed(&format!("stage_{stage}"), released).describe("The reset, on its way out.");
            released = *flop.reset_asynchronous(1).attribute("async_reg", "true");
        }
        io.reset.set(released);
    })
}
