//! Priority selector: the first of several requests, with its data.

use tollgate_rtl::prelude::*;
use tollgate_spec::config::PrioritySelector;

/// Ports of the selector.
#[ports(p: PrioritySelector)]
pub struct PrioritySelectorPorts {
    /// One bit an input; the lowest has precedence.
    pub request: Input<Bits<{ p.inputs }>>,
    /// The data of each input.
    pub data: Input<Array<Bits<{ p.width }>, { p.inputs as usize }>>,
    /// The lowest request, one-hot; 0 if there is none.
    pub grant: Output<Bits<{ p.inputs }>>,
    /// Its data; 0 if there is none.
    pub selected: Output<Bits<{ p.width }>>,
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
