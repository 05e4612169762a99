//! What of a module's statements can matter: tools drop the rest, and then miss what it drives or what starts it.

use super::constant::Decided;
use crate::ir::{Module, NodeId, SignalId, Stmt};
use crate::value::Value;
use std::collections::BTreeSet;

/// The module without statements that never run, and without assignments that a later one always hides.
pub(super) fn live(module: &Module, decided: &Decided) -> Module {
    let mut hidden = BTreeSet::new();
    let mut live = Module { body: seen(running(&module.body, decided), &mut hidden), ..module.clone() };
    for signal in hidden {
        live.signals[signal.index()].default = None;
    }
    live
}

/// The statements that can run.
fn running(stmts: &[Stmt], decided: &Decided) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::If { arms, otherwise, place } => {
                let known = |arm: &(NodeId, Vec<Stmt>)| decided.get(arm.0).map(|condition| !condition.is_zero());
                let (tried, last) = match arms.iter().position(|arm| known(arm) == Some(true)) {
                    Some(always) => (&arms[..always], &arms[always].1),
                    None => (&arms[..], otherwise),
                };
                let tried = tried.iter().filter(|arm| known(arm).is_none());
                let arms: Vec<_> = tried.map(|(condition, body)| (*condition, running(body, decided))).collect();
                let otherwise = running(last, decided);
                if arms.is_empty() {
                    result.extend(otherwise);
                } else {
                    result.push(Stmt::If { arms, otherwise, place: *place });
                }
            }
            Stmt::Switch { selector, encoding, arms, place } => {
                let arm_of = |code: &Value| encoding.variants.iter().position(|(_, c, _)| c == code);
                let always = match &arms[..] {
                    [_] => Some(0),
                    _ => decided.get(*selector).map(|code| arm_of(code).unwrap_or(encoding.reset)),
                };
                match always {
                    Some(arm) => result.extend(running(&arms[arm], decided)),
                    None => result.push(Stmt::Switch {
                        selector: *selector,
                        encoding: encoding.clone(),
                        arms: arms.iter().map(|arm| running(arm, decided)).collect(),
                        place: *place,
                    }),
                }
            }
            Stmt::Each { index, body } => result.push(Stmt::Each { index: *index, body: running(body, decided) }),
            Stmt::Assign { .. } | Stmt::Scan { .. } | Stmt::MemoryWrite { .. } | Stmt::Check { .. } => {
                result.push(stmt.clone());
            }
        }
    }
    result
}

/// The statements whose effect something later may leave visible. `hidden` are the signals that are wholly assigned
/// afterwards; those that are wholly assigned here join them.
fn seen(stmts: Vec<Stmt>, hidden: &mut BTreeSet<SignalId>) -> Vec<Stmt> {
    let mut result = vec![];
    for mut stmt in stmts.into_iter().rev() {
        match &mut stmt {
            Stmt::Assign { target, .. } => {
                if hidden.contains(&target.signal) {
                    continue;
                }
                if target.path.is_empty() {
                    hidden.insert(target.signal);
                }
            }
            Stmt::If { arms, otherwise, .. } => {
                for body in arms.iter_mut().map(|(_, body)| body).chain([otherwise]) {
                    *body = seen(std::mem::take(body), &mut hidden.clone());
                }
            }
            Stmt::Switch { arms, .. } => {
                for body in arms {
                    *body = seen(std::mem::take(body), &mut hidden.clone());
                }
            }
            Stmt::Each { body, .. } => *body = seen(std::mem::take(body), &mut hidden.clone()),
            Stmt::Scan { .. } | Stmt::MemoryWrite { .. } | Stmt::Check { .. } => {}
        }
        result.push(stmt);
    }
    result.reverse();
    result
}
