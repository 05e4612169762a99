//! Outputs that are but another name of something inside: it is written once, under the name of the port.

use super::constant::Decided;
use super::lower::statements::drives;
use super::support::Support;
use crate::ir::{Module, Op, SignalId, SignalKind, Stmt};
use std::collections::BTreeMap;

/// A module whose outputs are driven directly by what they show.
pub(super) struct Folded {
    /// The module: a signal that an output shows has the output's name.
    pub module: Module,
    /// The signal that each folded output shows.
    shown: BTreeMap<SignalId, SignalId>,
    /// Names that signals had.
    own_names: BTreeMap<SignalId, String>,
}

impl Folded {
    pub(super) fn new(module: &Module, decided: &Decided) -> Self {
        let support = Support::new(module, decided);
        let mut folded = Self { module: module.clone(), shown: BTreeMap::new(), own_names: BTreeMap::new() };
        for (output, port) in module.signals().filter(|(_, s)| s.kind == SignalKind::Output) {
            let Some(shown) = shown_by(module, output) else { continue };
            let signal = module.signal(shown);
            let plain = signal.attributes.is_empty() && port.attributes.is_empty() && port.default.is_none();
            let inside =
                matches!(signal.kind, SignalKind::Wire | SignalKind::Register { .. } | SignalKind::SyncRead { .. });
            if !plain || !inside || folded.own_names.contains_key(&shown) || support.on_cycle(shown) {
                continue;
            }
            folded.own_names.insert(shown, signal.name.clone());
            folded.shown.insert(output, shown);
            let own = &mut folded.module.signals[shown.index()];
            own.name = port.name.clone();
            own.doc = port.doc.clone();
        }
        let shown = &folded.shown;
        for node in &mut folded.module.nodes {
            if let Op::Read(signal) = &mut node.op
                && let Some(inside) = shown.get(signal)
            {
                *signal = *inside;
            }
        }
        folded
            .module
            .body
            .retain(|stmt| !matches!(stmt, Stmt::Assign { target, .. } if shown.contains_key(&target.signal)));
        folded
    }

    /// What drives an output: itself, or the signal that it shows.
    pub(super) fn driver(&self, output: SignalId) -> SignalId {
        self.shown.get(&output).copied().unwrap_or(output)
    }

    /// Whether a signal is declared in the port list.
    pub(super) fn is_port(&self, id: SignalId) -> bool {
        self.own_names.contains_key(&id) || self.module.signal(id).kind == SignalKind::Output
    }

    /// The name that the author gave a signal.
    pub(super) fn own_name(&self, id: SignalId) -> &str {
        self.own_names.get(&id).unwrap_or(&self.module.signal(id).name)
    }
}

/// The signal that an output always shows, if one unconditional assignment says so.
fn shown_by(module: &Module, output: SignalId) -> Option<SignalId> {
    let mut found = module.body.iter().filter(|stmt| drives(stmt, output));
    let Stmt::Assign { target, value, .. } = found.next()? else { return None };
    if found.next().is_some() || !target.path.is_empty() {
        return None;
    }
    match module.node(*value).op {
        Op::Read(signal) => Some(signal),
        _ => None,
    }
}
