//! CAM: finds the entry that holds a key.

use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::Cam;

/// A key for an entry.
#[derive(Bundle, Clone, Copy)]
#[bundle(params = Cam)]
pub struct Entry {
    /// The entry.
    #[shape(bits(p.index_bits()))]
    pub index: Bits,
    /// Its key.
    #[shape(bits(p.key_bits))]
    pub key: Bits,
}

/// Ports of the CAM.
#[derive(Ports, Clone, Copy)]
#[ports(params = Cam)]
pub struct CamPorts {
    /// Gives an entry a key at the clock edge. No two entries may hold one key.
    #[input]
    pub write: Valid<Entry>,
    /// Empties an entry at the clock edge; a write of the same entry wins.
    #[input]
    #[shape(Valid::of(bits(p.index_bits())))]
    pub clear: Valid<Bits>,
    /// The key to find.
    #[input]
    #[shape(bits(p.key_bits))]
    pub lookup: Bits,
    /// The entry that holds it, within the cycle.
    #[output]
    #[shape(Valid::of(bits(p.index_bits())))]
    pub found: Valid<Bits>,
}

/// A CAM in flip-flops. Reset empties it.
pub fn cam(p: &Cam) -> Module<CamPorts> {
    module(format!("cells_cam_{}x{}", p.entries, p.key_bits), CamPorts::shape(p), |m, io| {
        m.describe("CAM: finds the entry that holds a key.");
        m.parameter("entries", p.entries, "entries");
        m.parameter("key_bits", p.key_bits, "bits of a key");
        let full = m.reg_array("full", p.entries as usize, bit()).reset(0);
        let keys = m.reg_array("keys", p.entries as usize, bits(p.key_bits));
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
