//! Assignments that follow a conditional one.
//!
//! In the branch of an `if` or `case`, Yosys 0.70 takes an assignment for earlier than a conditional assignment before it
//! to the same bits: of `if (a) begin if (b) r <= x; r[3:0] <= y; end` it makes a register that holds `x` if `b`. It does
//! not where the later assignment is conditional too, so that one asks once more what the branch asks.

use super::layout::{Bits, Condition, Stmt};
use super::lower::statements::guard;

/// The statements of a process, none of which is unconditional in its branch after a conditional one to the same bits.
pub(super) fn ordered(body: Vec<Stmt>) -> Vec<Stmt> {
    level(body, None, &mut vec![])
}

/// Asks a question of a branch again.
type Again<'a> = &'a dyn Fn(Stmt) -> Stmt;

/// The statements of a branch, or of a loop in it. `conditional` are the bits that conditional statements before assign.
fn level(stmts: Vec<Stmt>, again: Option<Again>, conditional: &mut Vec<Bits>) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in stmts {
        result.push(match stmt {
            Stmt::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| assigned(body, conditional));
                assigned(&otherwise, conditional);
                let last = arms.last().expect("an `if` asks something").0.clone();
                let not_last = |stmt| guard(Condition::Not(Box::new(last.clone())), vec![stmt]);
                let otherwise = level(otherwise, Some(&not_last), &mut vec![]);
                let arms = arms.into_iter().map(|(condition, body)| {
                    let again = |stmt| guard(condition.clone(), vec![stmt]);
                    let body = level(body, Some(&again), &mut vec![]);
                    (condition, body)
                });
                Stmt::If { arms: arms.collect(), otherwise }
            }
            Stmt::Switch { selector, encoding, arms } => {
                arms.iter().for_each(|body| assigned(body, conditional));
                let count = arms.len();
                let arms = arms.into_iter().enumerate().map(|(arm, body)| {
                    let again = |stmt| {
                        let mut arms = vec![vec![]; count];
                        arms[arm] = vec![stmt];
                        Stmt::Switch { selector, encoding: encoding.clone(), arms }
                    };
                    level(body, Some(&again), &mut vec![])
                });
                Stmt::Switch { selector, encoding: encoding.clone(), arms: arms.collect() }
            }
            Stmt::For { index, kind, scope, body } => {
                // In an iteration, the whole body of those before has run.
                assigned_conditionally(&body, conditional);
                Stmt::For { index, kind, scope, body: level(body, again, conditional) }
            }
            Stmt::Assign { ref bits, .. } => match again {
                Some(again) if conditional.iter().any(|other| !apart(bits, other)) => {
                    conditional.push(bits.clone());
                    again(stmt)
                }
                _ => stmt,
            },
            other => other,
        });
    }
    result
}

/// What statements of a branch assign under further conditions.
fn assigned_conditionally(stmts: &[Stmt], to: &mut Vec<Bits>) {
    for stmt in stmts {
        match stmt {
            Stmt::If { .. } | Stmt::Switch { .. } => assigned(std::slice::from_ref(stmt), to),
            Stmt::For { body, .. } => assigned_conditionally(body, to),
            _ => {}
        }
    }
}

/// All that statements assign.
fn assigned(stmts: &[Stmt], to: &mut Vec<Bits>) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign { bits, .. } => to.push(bits.clone()),
            Stmt::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| assigned(body, to));
                assigned(otherwise, to);
            }
            Stmt::Switch { arms, .. } => arms.iter().for_each(|body| assigned(body, to)),
            Stmt::For { body, .. } => assigned(body, to),
            _ => {}
        }
    }
}

/// Whether two targets never have a bit in common.
fn apart(a: &Bits, b: &Bits) -> bool {
    a.name != b.name || a.terms == b.terms && (a.low + a.width <= b.low || b.low + b.width <= a.low)
}
