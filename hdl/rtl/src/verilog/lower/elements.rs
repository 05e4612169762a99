//! Vectors of which each element can have a process of its own, and what is left of indices: loops.

use super::Lowering;
use super::statements::{for_each, guard};
use crate::ir::{Encoding, Index, LoopId, Select};
use crate::verilog::layout::{Bits, Condition, Source, Stmt};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How targets come apart into elements.
pub(super) struct Elements {
    /// Number of elements.
    pub count: u32,
    /// Loops whose index is the element's number.
    pub indices: Vec<LoopId>,
    /// Width of an element of each target.
    widths: BTreeMap<String, u32>,
}

impl Lowering<'_> {
    /// How the targets of these statements come apart into elements that can each have a process: the number of
    /// elements, and the loops that name one. None if they do not.
    pub(super) fn elements(&self, body: &[Stmt], around: &[LoopId]) -> Option<Elements> {
        let mut shapes: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        let mut indices = vec![];
        collect_elements(body, &mut shapes, &mut indices)?;
        let mut counts = shapes.values().map(|(total, width)| (total / width, total % width));
        let (count, _) = counts.next()?;
        let whole = shapes.values().all(|(total, width)| total % width == 0 && total / width == count);
        let loops = indices.iter().all(|l| self.layout.loops[l.index()].1 == count);
        let fits = whole && loops && count >= 2;
        (fits && self.separable(body, &shapes, &indices, around)).then_some(Elements {
            count,
            indices,
            widths: shapes.into_iter().map(|(name, (_, width))| (name, width)).collect(),
        })
    }

    /// Whether each statement concerns either the element of its loop, or no element by its loop.
    fn separable(
        &self,
        body: &[Stmt],
        shapes: &BTreeMap<String, (u32, u32)>,
        indices: &[LoopId],
        around: &[LoopId],
    ) -> bool {
        body.iter().all(|stmt| match stmt {
            Stmt::Assign { bits, path, .. } => {
                let Some((_, width)) = shapes.get(&bits.name) else { return false };
                let own: Vec<LoopId> = around.iter().copied().filter(|l| indices.contains(l)).collect();
                match path.first() {
                    Some(Select::Part { index: Index::Loop(l), .. }) => own == [*l],
                    Some(Select::Slice { low, width: w }) => {
                        own.is_empty() && (low / width == (low + w - 1) / width || (*low == 0 && *w == bits.width))
                    }
                    _ => own.is_empty(),
                }
            }
            Stmt::If { arms, otherwise } => {
                arms.iter().all(|(_, body)| self.separable(body, shapes, indices, around))
                    && self.separable(otherwise, shapes, indices, around)
            }
            Stmt::Switch { arms, .. } => arms.iter().all(|body| self.separable(body, shapes, indices, around)),
            Stmt::For { index, body, .. } => {
                let mut around = around.to_vec();
                around.push(*index);
                self.separable(body, shapes, indices, &around)
            }
            _ => false,
        })
    }

    /// The statements as the element `cell` sees them.
    pub(super) fn element_of(&self, body: Vec<Stmt>, cell: LoopId, elements: &Elements) -> Vec<Stmt> {
        let mut result = vec![];
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, mut path, source, encoding: _ } => {
                    let width = elements.widths[&bits.name];
                    let whole = bits.width;
                    let bits = bits.element(cell, width);
                    let first = if path.is_empty() { None } else { Some(path.remove(0)) };
                    let assign = |path, source| Stmt::Assign { bits, path, source, encoding: None };
                    match first {
                        None => result.push(assign(path, source_part(source, cell, width))),
                        Some(Select::Slice { low: 0, width: all }) if all == whole && path.is_empty() => {
                            result.push(assign(path, source_part(source, cell, width)));
                        }
                        Some(Select::Slice { low, width: some }) => {
                            if (low % width, some) != (0, width) {
                                path.insert(0, Select::Slice { low: low % width, width: some });
                            }
                            result.push(guard(Condition::IndexIs(cell, low / width), vec![assign(path, source)]));
                        }
                        Some(Select::Part { index: Index::Loop(_), .. }) => result.push(assign(path, source)),
                        Some(Select::Part { index: Index::Node(node), .. }) => {
                            result.push(guard(Condition::IsIndex(node, cell), vec![assign(path, source)]));
                        }
                    }
                }
                Stmt::If { arms, otherwise } => {
                    let arms = arms.into_iter().map(|(c, body)| (c, self.element_of(body, cell, elements))).collect();
                    result.push(Stmt::If { arms, otherwise: self.element_of(otherwise, cell, elements) });
                }
                Stmt::Switch { selector, encoding, arms } => {
                    let arms = arms.into_iter().map(|body| self.element_of(body, cell, elements)).collect();
                    result.push(Stmt::Switch { selector, encoding, arms });
                }
                Stmt::For { index, kind, scope, body } => {
                    let body = self.element_of(body, cell, elements);
                    if elements.indices.contains(&index) {
                        result.extend(body);
                    } else {
                        result.push(Stmt::For { index, kind, scope, body });
                    }
                }
                other => result.push(other),
            }
        }
        result
    }

    pub(super) fn new_loop(&mut self, name: &str, count: u32) -> LoopId {
        self.layout.loops.push((name.to_string(), count));
        LoopId(self.layout.loops.len() as u32 - 1)
    }

    /// The statements with what is left of their paths turned into integer loops.
    pub(super) fn procedural(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut result = vec![];
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, path, source, encoding } => {
                    result.extend(self.procedural_assign(bits, &path, source, encoding));
                }
                Stmt::If { arms, otherwise } => {
                    let arms = arms.into_iter().map(|(c, body)| (c, self.procedural(body))).collect();
                    result.push(Stmt::If { arms, otherwise: self.procedural(otherwise) });
                }
                Stmt::Switch { selector, encoding, arms } => {
                    let arms = arms.into_iter().map(|body| self.procedural(body)).collect();
                    result.push(Stmt::Switch { selector, encoding, arms });
                }
                Stmt::For { index, kind, scope, body } => {
                    let body = self.procedural(body);
                    result.push(Stmt::For { index, kind, scope, body });
                }
                other => result.push(other),
            }
        }
        result
    }

    fn procedural_assign(
        &mut self,
        bits: Bits,
        path: &[Select],
        source: Source,
        encoding: Option<Arc<Encoding>>,
    ) -> Vec<Stmt> {
        let Some((first, rest)) = path.split_first() else {
            return vec![Stmt::Assign { bits, path: vec![], source, encoding }];
        };
        match *first {
            Select::Slice { low, width } => self.procedural_assign(bits.slice(low, width), rest, source, encoding),
            Select::Part { index: Index::Loop(l), width } => {
                let elements = bits.width / width;
                let beyond = self.layout.loops[l.index()].1 > elements;
                let inner = self.procedural_assign(bits.element(l, width), rest, source, encoding);
                if beyond { vec![guard(Condition::IndexBelow(l, elements), inner)] } else { inner }
            }
            Select::Part { index: Index::Node(node), width } => {
                let elements = bits.width / width;
                if let Some(value) = self.decided.get(node) {
                    return match value.to_u64() {
                        Some(i) if i < u64::from(elements) => {
                            self.procedural_assign(bits.slice(i as u32 * width, width), rest, source, encoding)
                        }
                        _ => vec![],
                    };
                }
                let element = self.new_loop(&bits.name.clone(), elements);
                let inner = self.procedural_assign(bits.element(element, width), rest, source, encoding);
                vec![for_each(element, vec![guard(Condition::IsIndex(node, element), inner)])]
            }
        }
    }
}

/// The part of a value that the element at an index takes.
fn source_part(source: Source, index: LoopId, width: u32) -> Source {
    match source {
        Source::Node(node) => Source::Part { node, terms: vec![(index, width)], low: 0, width },
        Source::Part { node, mut terms, low, .. } => {
            terms.push((index, width));
            Source::Part { node, terms, low, width }
        }
        Source::Constant(value) => Source::ConstantPart { value, terms: vec![(index, width)], width },
        Source::ConstantPart { value, mut terms, .. } => {
            terms.push((index, width));
            Source::ConstantPart { value, terms, width }
        }
        Source::Named(bits) => Source::Named(bits.element(index, width)),
        Source::Choice(c, a, b) => {
            Source::Choice(c, Box::new(source_part(*a, index, width)), Box::new(source_part(*b, index, width)))
        }
    }
}

fn collect_elements(body: &[Stmt], shapes: &mut BTreeMap<String, (u32, u32)>, indices: &mut Vec<LoopId>) -> Option<()> {
    fn run(
        body: &[Stmt],
        shapes: &mut BTreeMap<String, (u32, u32)>,
        indices: &mut Vec<LoopId>,
        names: &mut BTreeSet<String>,
    ) -> Option<()> {
        for stmt in body {
            match stmt {
                Stmt::Assign { bits, path, .. } => {
                    names.insert(bits.name.clone());
                    if let Some(Select::Part { index, width }) = path.first() {
                        let shape = *shapes.entry(bits.name.clone()).or_insert((bits.width, *width));
                        if shape.1 != *width {
                            return None;
                        }
                        if let Index::Loop(l) = index
                            && !indices.contains(l)
                        {
                            indices.push(*l);
                        }
                    }
                }
                Stmt::If { arms, otherwise } => {
                    for (_, body) in arms {
                        run(body, shapes, indices, names)?;
                    }
                    run(otherwise, shapes, indices, names)?;
                }
                Stmt::Switch { arms, .. } => {
                    for body in arms {
                        run(body, shapes, indices, names)?;
                    }
                }
                Stmt::For { body, .. } => run(body, shapes, indices, names)?,
                Stmt::Write { .. } | Stmt::Read { .. } | Stmt::Check { .. } => return None,
            }
        }
        Some(())
    }
    let mut names = BTreeSet::new();
    run(body, shapes, indices, &mut names)?;
    (names.len() == shapes.len()).then_some(())
}
