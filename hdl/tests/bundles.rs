//! Bundles of the standards: a port of each has the signals of the standard, by name, direction and width.

use tollgate_hdl::bundles::{Axi4, Axi4Lite, Axi4LiteParameters, Axi4Parameters, Stream, Tlp, TlpParameters};
use tollgate_rtl::ir::SignalKind;
use tollgate_rtl::prelude::*;

/// Ports of a wire between two interfaces.
macro_rules! wire {
    ($ports:ident, $bundle:ty, $parameters:ty) => {
        #[ports(p: $parameters)]
        struct $ports {
            /// The interface that is driven here.
            m: Source<$bundle>,
            /// The interface that drives.
            s: Sink<$bundle>,
        }

        impl $ports {
            /// The ports of a module that connects the two, channel by channel.
            fn list(p: &$parameters, connect: impl FnOnce($bundle, $bundle)) -> Vec<String> {
                let design = elaborate(|| {
                    module("through", $ports::shape(p), |m, io| {
                        m.describe("A wire.");
                        connect(io.m, io.s);
                    })
                });
                let design = design.unwrap_or_else(|errors| panic!("{errors}"));
                let port = |signal: &tollgate_rtl::ir::Signal| {
                    let out = signal.kind == SignalKind::Output;
                    format!("{} {} {}", if out { "output" } else { "input" }, signal.width, signal.name)
                };
                design.ir().top().ports().map(|(_, signal)| port(signal)).collect()
            }
        }
    };
}

wire!(Axi4Ports, Axi4, Axi4Parameters);
wire!(Axi4LitePorts, Axi4Lite, Axi4LiteParameters);
wire!(TlpPorts, Tlp, TlpParameters);

/// Connects a channel, as a block does that handles the channels apart.
fn pass<T: Bundle>(to: Stream<T>, from: Stream<T>) {
    to.connect(from);
}

/// The signals of a manager and, in the other direction, of a subordinate.
fn both_sides(manager: &[(&str, u32)], subordinate: &[(&str, u32)]) -> Vec<String> {
    let side = |prefix: &'static str, outputs: &[(&str, u32)], inputs: &[(&str, u32)]| {
        let list = |direction: &'static str, signals: &[(&str, u32)]| -> Vec<String> {
            signals.iter().map(|(name, width)| format!("{direction} {width} {prefix}_{name}")).collect()
        };
        [list("output", outputs), list("input", inputs)].concat()
    };
    let mut all = [side("m", manager, subordinate), side("s", subordinate, manager)].concat();
    all.sort();
    all
}

fn sorted(mut ports: Vec<String>) -> Vec<String> {
    ports.sort();
    ports
}

/// IHI 0022, chapter A2: the signals of AXI4, without those for users and regions.
#[test]
fn axi4_has_the_signals_of_the_standard() {
    let p = Axi4Parameters { address_bits: 48, data_bits: 256, id_bits: 6 };
    let from_manager = [
        ("awid", 6),
        ("awaddr", 48),
        ("awlen", 8),
        ("awsize", 3),
        ("awburst", 2),
        ("awlock", 1),
        ("awcache", 4),
        ("awprot", 3),
        ("awqos", 4),
        ("awvalid", 1),
        ("wdata", 256),
        ("wstrb", 32),
        ("wlast", 1),
        ("wvalid", 1),
        ("bready", 1),
        ("arid", 6),
        ("araddr", 48),
        ("arlen", 8),
        ("arsize", 3),
        ("arburst", 2),
        ("arlock", 1),
        ("arcache", 4),
        ("arprot", 3),
        ("arqos", 4),
        ("arvalid", 1),
        ("rready", 1),
    ];
    let from_subordinate = [
        ("awready", 1),
        ("wready", 1),
        ("bid", 6),
        ("bresp", 2),
        ("bvalid", 1),
        ("arready", 1),
        ("rid", 6),
        ("rdata", 256),
        ("rresp", 2),
        ("rlast", 1),
        ("rvalid", 1),
    ];
    let whole = Axi4Ports::list(&p, |m, s| m.connect(s));
    assert_eq!(sorted(whole.clone()), both_sides(&from_manager, &from_subordinate));
    let by_channels = Axi4Ports::list(&p, |m, s| {
        pass(m.aw(), s.aw());
        pass(m.w(), s.w());
        pass(s.b(), m.b());
        pass(m.ar(), s.ar());
        pass(s.r(), m.r());
    });
    assert_eq!(whole, by_channels);
}

/// IHI 0022, chapter B1: the signals of AXI4-Lite.
#[test]
fn axi4_lite_has_the_signals_of_the_standard() {
    let p = Axi4LiteParameters { address_bits: 12, data_bits: 32 };
    let from_manager = [
        ("awaddr", 12),
        ("awprot", 3),
        ("awvalid", 1),
        ("wdata", 32),
        ("wstrb", 4),
        ("wvalid", 1),
        ("bready", 1),
        ("araddr", 12),
        ("arprot", 3),
        ("arvalid", 1),
        ("rready", 1),
    ];
    let from_subordinate = [
        ("awready", 1),
        ("wready", 1),
        ("bresp", 2),
        ("bvalid", 1),
        ("arready", 1),
        ("rdata", 32),
        ("rresp", 2),
        ("rvalid", 1),
    ];
    let whole = Axi4LitePorts::list(&p, |m, s| m.connect(s));
    assert_eq!(sorted(whole.clone()), both_sides(&from_manager, &from_subordinate));
    let by_channels = Axi4LitePorts::list(&p, |m, s| {
        pass(m.aw(), s.aw());
        pass(m.w(), s.w());
        pass(s.b(), m.b());
        pass(m.ar(), s.ar());
        pass(s.r(), m.r());
    });
    assert_eq!(whole, by_channels);
}

/// A header of four doublewords beside the payload, with the ends of a packet.
#[test]
fn tlps_have_the_signals_of_the_generic_interface() {
    let signals = [("valid", 1), ("data", 256), ("strb", 8), ("hdr", 128), ("sop", 1), ("eop", 1), ("error", 1)];
    let whole = TlpPorts::list(&TlpParameters { data_bits: 256 }, |m, s| m.connect(s));
    assert_eq!(sorted(whole.clone()), both_sides(&signals, &[("ready", 1)]));
    assert_eq!(whole, TlpPorts::list(&TlpParameters { data_bits: 256 }, |m, s| pass(m.beats(), s.beats())));
}
