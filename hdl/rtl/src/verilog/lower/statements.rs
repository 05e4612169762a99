//! Lists of statements: what they set, what is hidden, parts of them.

use crate::ir::{self, LoopId, MemoryId, Select, SignalId};
use crate::verilog::layout::{Bits, Condition, ScopeKind, Source, Stmt};
use std::collections::BTreeSet;

pub(super) fn set(bits: Bits, source: Source) -> Stmt {
    Stmt::Assign { bits, path: vec![], source, encoding: None }
}

/// Marks the bits of a signal that some statements may set.
pub(super) fn touch(body: &[Stmt], name: &str, touched: &mut [bool]) {
    for stmt in body {
        match stmt {
            Stmt::Assign { bits, path, .. } if bits.name == name => {
                let steps = path.iter().take_while(|step| matches!(step, Select::Slice { .. })).cloned();
                let (low, width) = static_range(&steps.collect::<Vec<_>>(), bits.width).expect("slices alone");
                touched[low as usize..(low + width) as usize].fill(true);
            }
            Stmt::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| touch(body, name, touched));
                touch(otherwise, name, touched);
            }
            Stmt::Switch { arms, .. } => arms.iter().for_each(|body| touch(body, name, touched)),
            Stmt::For { body, .. } => touch(body, name, touched),
            _ => {}
        }
    }
}

/// The statements under a condition.
pub(in crate::verilog) fn guard(condition: Condition, body: Vec<Stmt>) -> Stmt {
    Stmt::If { arms: vec![(condition, body)], otherwise: vec![] }
}

pub(super) fn for_each(index: LoopId, body: Vec<Stmt>) -> Stmt {
    Stmt::For { index, kind: ScopeKind::Integer, scope: 0, body }
}

/// Whether a statement sets bits of a signal.
pub(in crate::verilog) fn drives(stmt: &ir::Stmt, signal: SignalId) -> bool {
    match stmt {
        ir::Stmt::Assign { target, .. } => target.signal == signal,
        ir::Stmt::If { arms, otherwise, .. } => {
            arms.iter().flat_map(|(_, body)| body).chain(otherwise).any(|s| drives(s, signal))
        }
        ir::Stmt::Switch { arms, .. } => arms.iter().flatten().any(|s| drives(s, signal)),
        ir::Stmt::Each { body, .. } => body.iter().any(|s| drives(s, signal)),
        ir::Stmt::Scan { accumulators, outputs, .. } => {
            outputs.iter().any(|(s, _)| *s == signal) || accumulators.iter().any(|a| a.result == Some(signal))
        }
        ir::Stmt::MemoryWrite { .. } | ir::Stmt::Check { .. } => false,
    }
}

/// Whether a statement writes a memory.
pub(super) fn writes(stmt: &ir::Stmt, memory: MemoryId) -> bool {
    match stmt {
        ir::Stmt::MemoryWrite { memory: m, .. } => *m == memory,
        ir::Stmt::If { arms, otherwise, .. } => {
            arms.iter().flat_map(|(_, body)| body).chain(otherwise).any(|s| writes(s, memory))
        }
        ir::Stmt::Switch { arms, .. } => arms.iter().flatten().any(|s| writes(s, memory)),
        ir::Stmt::Each { body, .. } => body.iter().any(|s| writes(s, memory)),
        _ => false,
    }
}

/// The statements that `leaf` gives something for, under the conditions and in the loops around them.
pub(super) fn filter(stmts: &[ir::Stmt], leaf: &dyn Fn(&ir::Stmt) -> Option<Vec<Stmt>>) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in stmts {
        match stmt {
            ir::Stmt::If { arms, otherwise, .. } => {
                let arms = arms.iter().map(|(condition, body)| (Condition::Node(*condition), filter(body, leaf)));
                result.extend(compact_if(arms.collect(), filter(otherwise, leaf)));
            }
            ir::Stmt::Switch { selector, encoding, arms, .. } => {
                let arms: Vec<_> = arms.iter().map(|body| filter(body, leaf)).collect();
                if arms.iter().any(|body| !body.is_empty()) {
                    result.push(Stmt::Switch { selector: *selector, encoding: encoding.clone(), arms });
                }
            }
            ir::Stmt::Each { index, body } => {
                let body = filter(body, leaf);
                if !body.is_empty() {
                    result.push(for_each(*index, body));
                }
            }
            other => result.extend(leaf(other).unwrap_or_default()),
        }
    }
    result
}

/// An `if` without empty arms at its ends.
fn compact_if(mut arms: Vec<(Condition, Vec<Stmt>)>, otherwise: Vec<Stmt>) -> Option<Stmt> {
    if otherwise.is_empty() {
        while arms.last().is_some_and(|(_, body)| body.is_empty()) {
            arms.pop();
        }
    }
    match arms.first()? {
        (condition @ Condition::Node(_), body) if body.is_empty() => {
            let not = Condition::Not(Box::new(condition.clone()));
            arms.remove(0);
            let rest = if arms.is_empty() { otherwise } else { vec![compact_if(arms, otherwise)?] };
            Some(guard(not, rest))
        }
        _ => Some(Stmt::If { arms, otherwise }),
    }
}

/// The statements from the last one on that sets everything.
pub(super) fn without_hidden(mut tree: Vec<Stmt>) -> Vec<Stmt> {
    if let Some(last) = tree.iter().rposition(|s| matches!(s, Stmt::Assign { path, .. } if path.is_empty())) {
        tree.drain(..last);
    }
    tree
}

/// The value as one expression, if all is set at once and at most two choices do.
pub(super) fn as_choice(tree: &[Stmt]) -> Option<Source> {
    fn run(tree: &[Stmt], mut now: Option<Source>, choices: &mut u32) -> Option<Source> {
        for stmt in tree {
            now = match stmt {
                Stmt::Assign { path, source, .. } if path.is_empty() => Some(source.clone()),
                Stmt::If { arms, otherwise } => {
                    let mut value = run(otherwise, now.clone(), choices)?;
                    for (condition, body) in arms.iter().rev() {
                        *choices += 1;
                        let then = run(body, now.clone(), choices)?;
                        value = Source::Choice(condition.clone(), Box::new(then), Box::new(value));
                    }
                    Some(value)
                }
                _ => return None,
            };
        }
        now
    }
    let mut choices = 0;
    run(tree, None, &mut choices).filter(|_| choices <= 2)
}

/// The slices that are set once each, unconditionally, and together are the whole.
pub(super) fn disjoint_slices(tree: &[Stmt], width: u32) -> Option<Vec<(u32, u32, Source)>> {
    let mut parts = vec![];
    for stmt in tree {
        let Stmt::Assign { path, source, .. } = stmt else { return None };
        let (low, some) = static_range(path, width)?;
        parts.push((low, some, source.clone()));
    }
    let mut ranges: Vec<_> = parts.iter().map(|(low, some, _)| (*low, low + some)).collect();
    ranges.sort();
    let whole = ranges.first()?.0 == 0 && ranges.last()?.1 == width && ranges.windows(2).all(|p| p[0].1 == p[1].0);
    whole.then_some(parts)
}

/// The bits of a path without indices.
fn static_range(path: &[Select], width: u32) -> Option<(u32, u32)> {
    path.iter().try_fold((0, width), |(base, _), step| match step {
        Select::Slice { low, width } => Some((base + low, *width)),
        Select::Part { .. } => None,
    })
}

pub(super) fn collect_ends(tree: &[Stmt], ends: &mut BTreeSet<u32>) -> bool {
    tree.iter().all(|stmt| match stmt {
        Stmt::Assign { bits, path, .. } => match static_range(path, bits.width) {
            Some((low, width)) => {
                ends.extend([low, low + width]);
                true
            }
            None => false,
        },
        Stmt::If { arms, otherwise } => {
            arms.iter().all(|(_, body)| collect_ends(body, ends)) && collect_ends(otherwise, ends)
        }
        Stmt::Switch { arms, .. } => arms.iter().all(|body| collect_ends(body, ends)),
        _ => false,
    })
}

/// The statements as the bits from `low` up see them, which have a name of their own.
pub(super) fn restricted(tree: &[Stmt], low: u32, width: u32, name: &str) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in tree {
        match stmt {
            Stmt::Assign { bits, path, source, .. } => {
                let (base, some) = static_range(path, bits.width).expect("only slices");
                if base <= low && low + width <= base + some {
                    let source = match source {
                        Source::Node(node) => Source::Part { node: *node, terms: vec![], low: low - base, width },
                        other => unreachable!("{other:?}"),
                    };
                    result.push(set(Bits::whole(name, width), source));
                }
            }
            Stmt::If { arms, otherwise } => {
                let arms = arms.iter().map(|(c, body)| (c.clone(), restricted(body, low, width, name))).collect();
                result.extend(compact_if(arms, restricted(otherwise, low, width, name)));
            }
            Stmt::Switch { selector, encoding, arms } => {
                let arms: Vec<_> = arms.iter().map(|body| restricted(body, low, width, name)).collect();
                if arms.iter().any(|body| !body.is_empty()) {
                    result.push(Stmt::Switch { selector: *selector, encoding: encoding.clone(), arms });
                }
            }
            other => unreachable!("{other:?}"),
        }
    }
    result
}

pub(super) fn collect_names(body: &[Stmt], names: &mut Vec<String>) {
    for stmt in body {
        match stmt {
            Stmt::Assign { bits, .. } if !names.contains(&bits.name) => names.push(bits.name.clone()),
            Stmt::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| collect_names(body, names));
                collect_names(otherwise, names);
            }
            Stmt::Switch { arms, .. } => arms.iter().for_each(|body| collect_names(body, names)),
            Stmt::For { body, .. } => collect_names(body, names),
            _ => {}
        }
    }
}

pub(super) fn first_bits(body: &[Stmt]) -> Option<Bits> {
    body.iter().find_map(|stmt| match stmt {
        Stmt::Assign { bits, .. } => Some(bits.clone()),
        Stmt::If { arms, otherwise } => {
            arms.iter().find_map(|(_, body)| first_bits(body)).or_else(|| first_bits(otherwise))
        }
        Stmt::Switch { arms, .. } => arms.iter().find_map(|body| first_bits(body)),
        Stmt::For { body, .. } => first_bits(body),
        _ => None,
    })
}

/// The statements that set the bits of one name.
pub(super) fn only(body: &[Stmt], name: &str) -> Vec<Stmt> {
    filter_names(body.to_vec(), &[name.to_string()])
}

pub(super) fn filter_names(body: Vec<Stmt>, names: &[String]) -> Vec<Stmt> {
    let mut result = vec![];
    for stmt in body {
        match stmt {
            Stmt::If { arms, otherwise } => {
                let arms = arms.into_iter().map(|(c, body)| (c, filter_names(body, names))).collect();
                result.extend(compact_if(arms, filter_names(otherwise, names)));
            }
            Stmt::Switch { selector, encoding, arms } => {
                let arms: Vec<_> = arms.into_iter().map(|body| filter_names(body, names)).collect();
                if arms.iter().any(|body| !body.is_empty()) {
                    result.push(Stmt::Switch { selector, encoding, arms });
                }
            }
            Stmt::For { index, kind, scope, body } => {
                let body = filter_names(body, names);
                if !body.is_empty() {
                    result.push(Stmt::For { index, kind, scope, body });
                }
            }
            Stmt::Assign { ref bits, .. } if names.contains(&bits.name) => result.push(stmt),
            _ => {}
        }
    }
    result
}

pub(super) fn has_loop(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::If { arms, otherwise } => arms.iter().any(|(_, body)| has_loop(body)) || has_loop(otherwise),
        Stmt::Switch { arms, .. } => arms.iter().any(|body| has_loop(body)),
        Stmt::For { .. } => true,
        _ => false,
    })
}
