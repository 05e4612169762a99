//! Synchronizer: brings one bit into a clock domain.

use tollgate_rtl::prelude::*;

/// Ports of the synchronizer.
#[ports]
pub struct SynchronizerPorts {
    /// A bit that may change at any time.
    #[clock("asynchronous")]
    pub asynchronous: Input<Bit>,
    /// The bit, `stages` clock edges later.
    pub synchronous: Output<Bit>,
}

/// A chain of `stages` flip-flops; two are the usual choice, three for a fast clock.
///
/// One bit alone: the bits of a vector would arrive in different cycles.
pub fn synchronizer(stages: u32) -> Module<SynchronizerPorts> {
    module(format!("cells_synchronizer_{stages}"), SynchronizerPorts::shape(&()), |m, io| {
        m.describe("Synchronizer: brings one bit into the clock domain.");
        m.parameter("stages", stages, "flip-flops in the chain");
        let mut bit_so_far = io.asynchronous;
        for stage in 0..stages {
            let flop = m.delayed(&format!("stage_{stage}"), bit_so_far).describe("The bit, on its way in");
            let flop = flop.attribute("async_reg", "true");
            bit_so_far = *if stage == 0 { flop.crossing("the chain resolves metastability") } else { flop };
        }
        io.synchronous.set(bit_so_far);
    })
}
