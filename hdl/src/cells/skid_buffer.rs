//! Skid buffer: cuts the combinational path of `ready` without losing a beat.

use crate::bundles::Stream;
use tollgate_rtl::prelude::*;

/// Ports of the skid buffer; the parameter is the width of a beat in bits.
#[ports(p: u32)]
pub struct SkidBufferPorts {
    /// Beats in.
    pub input: Sink<Stream<Bits<{ *p }>>>,
    /// The same beats, in order.
    pub output: Source<Stream<Bits<{ *p }>>>,
}

/// Takes and gives one beat of `width` bits a cycle, one cycle later; both `valid` and `ready` come from registers.
///
/// `input_ready` is high as long as the spare register is free, so what was taken while the sink stalled waits there.
pub fn skid_buffer(width: u32) -> Module<SkidBufferPorts> {
    module(format!("cells_skid_buffer_{width}"), SkidBufferPorts::shape(&width), |m, io| {
        m.describe("Skid buffer: one beat a cycle, one cycle late; valid and ready both come from registers.");
        m.parameter("width", width, "bits of a beat");
        let valid = m.reg("valid", bit()).reset(0).describe("A beat is at the output.");
        let data = m.reg("data", bits(width)).describe("The beat at the output.");
        let spare_valid = m.reg("spare_valid", bit()).reset(0).describe("A beat waits behind it.");
        let spare_data = m.reg("spare_data", bits(width)).describe("The beat that waits.");

        io.input.ready.set(!*spare_valid);
        io.output.valid.set(*valid);
        io.output.data.set(*data);
        when(io.output.ready | !*valid, || {
            valid.set(io.input.valid | *spare_valid);
            data.set(mux(*spare_valid, *spare_data, io.input.data));
            spare_valid.set(false);
        })
        .or_when(io.input.fires(), || {
            spare_valid.set(true);
            spare_data.set(io.input.data);
        });
        m.assert("the spare register is full only while the output waits", !*spare_valid | *valid);
    })
}
