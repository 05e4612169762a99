//! CAM: finds the entry that holds a key.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Cam;

/// A key for an entry.
#[bundle(p: Cam)]
pub struct Entry {
    /// The entry.
    pub index: Bits<{ p.index_bits() }>,
    /// Its key.
    pub key: Bits<{ p.key_bits }>,
}

/// Ports of the CAM.
#[ports(p: Cam)]
pub struct CamPorts {
    /// Gives an entry a key at the clock edge. No two entries may hold one key.
    pub write: Input<Valid<Entry>>,
    /// Empties an entry at the clock edge; a write of the same entry wins.
    pub clear: Input<Valid<Bits<{ p.index_bits() }>>>,
    /// The key to find.
    pub lookup: Input<Bits<{ p.key_bits }>>,
    /// The entry that holds it, within the cycle.
    pub found: Output<Valid<Bits<{ p.index_bits() }>>>,
}

/// A CAM in flip-flops. Reset empties it.
pub fn cam(p: &Cam) -> Module<CamPorts> {
    module(format!("cells_cam_{}x{}", p.entries, p.key_bits), CamPorts::shape(p), |m, io| {
        m.describe("CAM: finds the entry that holds a key.");
        m.parameter("entries", p.entries, "entries");
        m.parameter("key_bits", p.key_bits, "bits of a key");
        let full = m.reg_array("full", p.entries as usize, bit()).reset(0).describe("The entry holds a key.");
        let keys = m.reg_array("keys", p.entries as usize, bits(p.key_bits)).describe("The key of each entry.");
        each("entry", p.entries as usize, |i| {
            when(io.clear.valid & io.clear.data.equals(i), || full.at(i).set(false));
            when(io.write.valid & io.write.data.index.equals(i), || {
                full.at(i).set(true);
                keys.at(i).set(io.write.data.key);
            });
        });
        let hits = each("hits", p.entries as usize, |i| full.at(i) & keys.at(i).equals(io.lookup));
        io.found.valid.set(hits.any());
        io.found.data.set(hits.position("index", p.index_bits()));
        m.assert("at most one entry holds a key", hits.at_most_one());
    })
}
