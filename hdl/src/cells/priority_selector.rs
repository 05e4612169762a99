//! Priority selector: the first of several requests, with its data.

use tollgate_rtl::prelude::*;
use tollgate_spec::config::PrioritySelector;

/// Ports of the selector.
#[derive(Ports, Clone, Copy)]
#[ports(params = PrioritySelector)]
pub struct PrioritySelectorPorts {
    /// One bit an input; the lowest has precedence.
    #[input]
    #[shape(bits(p.inputs))]
    pub request: Bits,
    /// The data of each input.
    #[input]
    #[shape(array(p.inputs as usize, bits(p.width)))]
    pub data: Array<Bits>,
    /// The lowest request, one-hot; 0 if there is none.
    #[output]
    #[shape(bits(p.inputs))]
    pub grant: Bits,
    /// Its data; 0 if there is none.
    #[output]
    #[shape(bits(p.width))]
    pub selected: Bits,
}

/// Selects within the cycle. The data pass one and-or level behind the grant, as the grant is one-hot.
pub fn priority_selector(p: &PrioritySelector) -> Module<PrioritySelectorPorts> {
    let name = format!("cells_priority_selector_{}x{}", p.inputs, p.width);
    module(name, PrioritySelectorPorts::shape(p), |m, io| {
        m.describe("Priority selector: the lowest request, with its data.");
        m.parameter("inputs", p.inputs, "how many may ask");
        m.parameter("width", p.width, "bits of the data of an input");
        io.grant.set(io.request & (!io.request + 1));
        io.selected.set(io.grant.array().select("chosen", io.data));
    })
}
