//! Streams. The four rules that every stream keeps are numbered in `docs/contracts/stream.md`.

use crate::cells::stream_checker::{Side, stream_checker};
use tollgate_rtl::prelude::*;

/// A value that is there in some cycles, and that nothing can hold back.
#[bundle]
pub struct Valid<T: Bundle> {
    /// Whether it is there.
    pub valid: Bit,
    /// The value; any while `valid` is low.
    pub data: T,
}

/// A value that is handed over when both sides agree.
#[bundle]
pub struct Stream<T: Bundle> {
    /// The source offers a value.
    pub valid: Bit,
    /// The sink takes it.
    pub ready: Reverse<Bit>,
    /// The value; any while `valid` is low.
    pub data: T,
}

impl<T: Bundle> Stream<T> {
    /// Whether a transfer happens at the coming clock edge (rule 1).
    #[track_caller]
    pub fn fires(self) -> Bit {
        self.valid & self.ready
    }

    /// Checks the contract, in simulation and in proofs: an instance `<name>_checker` of the [`stream_checker`].
    #[track_caller]
    pub fn check(self, m: &ModuleBuilder, name: &str, side: Side) {
        let data = self.data.packed();
        let checker = m.instance(&format!("{name}_checker"), &stream_checker(side, data.width()));
        checker.valid.set(self.valid);
        checker.ready.set(self.ready);
        checker.data.set(data);
    }
}
