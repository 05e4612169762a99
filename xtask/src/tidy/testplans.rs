//! Every planned test exists, and every test is planned.
//!
//! The plan of a block is the table under "Testplan" on its page. Its last column names the tests, in backticks, as the
//! test runner does: `group::block::condition`. The tests are the `#[test]` functions of its file in `tb/tests`.

use super::markdown::{At, Page, Table};
use super::mirror::{Key, Place};
use super::{Tree, Violation};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::{Attribute, Item};

/// The columns of a plan.
const COLUMNS: [&str; 4] = ["Testpoint", "Stimulus", "Checking", "Test"];

/// Finds plans without a test, tests without a plan, and tests that never run.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let mut broken = Vec::new();
    for key in Place::Page.keys(tree).intersection(&Place::Tests.keys(tree)) {
        let page = Page::parse(&tree.text(&Place::Page.file(key))?);
        let tests = tests(tree, key, &mut broken)?;
        let Some(plan) = page.tables.iter().find(|table| table.section == "Testplan") else {
            broken.push(Violation::new(
                Place::Page.file(key),
                "no table under the heading `Testplan`",
                format!("write one with the columns {}", COLUMNS.join(", ")),
            ));
            continue;
        };
        let planned = planned(plan, key, &mut broken);
        for name in planned.keys().filter(|name| !tests.contains_key(*name)) {
            let what = format!("planned test `{name}` does not exist in {}", Place::Tests.file(key));
            broken.push(
                Violation::new(Place::Page.file(key), what, "write the test, or strike it off the plan")
                    .at(planned[name]),
            );
        }
        for name in tests.keys().filter(|name| !planned.contains_key(*name)) {
            let what = format!("test `{name}` is in no plan");
            let cure = format!("say on {} what it is for", Place::Page.file(key));
            broken.push(Violation::new(Place::Tests.file(key), what, cure).at(tests[name]));
        }
    }
    Ok(broken)
}

/// The tests that a plan names, and the line of each.
fn planned(plan: &Table, key: &Key, broken: &mut Vec<Violation>) -> BTreeMap<String, usize> {
    let mut wrong =
        |line, what: String, cure: &str| broken.push(Violation::new(Place::Page.file(key), what, cure).at(line));
    let columns: Vec<&str> =
        plan.rows.first().map_or(vec![], |head| head.it.iter().map(|cell| cell.text.as_str()).collect());
    if columns != COLUMNS {
        wrong(plan.line, format!("a plan has the columns {COLUMNS:?}, not {columns:?}"), "rename the columns");
        return BTreeMap::new();
    }
    let prefix = format!("{}::{}::", key.group, key.block);
    let mut tests = BTreeMap::new();
    for At { line, it: row } in &plan.rows[1..] {
        let names = &row[COLUMNS.len() - 1].code;
        if names.is_empty() {
            wrong(
                *line,
                format!("testpoint `{}` names no test", row[0].text),
                "name the test, in backticks, or strike it off",
            );
        }
        for name in names {
            if name.starts_with(&prefix) {
                tests.entry(name.clone()).or_insert(*line);
            } else {
                wrong(
                    *line,
                    format!("`{name}` is no test of this block"),
                    &format!("its tests are `{prefix}<condition>`"),
                );
            }
        }
    }
    tests
}

/// The tests of a block, by their paths, and the line of each. A test that would not run is a violation.
fn tests(tree: &Tree, key: &Key, broken: &mut Vec<Violation>) -> Result<BTreeMap<String, usize>, Violation> {
    let mut found = Found { file: Place::Tests.file(key), tests: BTreeMap::new(), broken };
    found.look(&tree.rust(&Place::Tests.file(key))?.items, &format!("{}::{}", key.group, key.block));
    Ok(found.tests)
}

/// What was found in a file of tests so far.
struct Found<'a> {
    file: String,
    tests: BTreeMap<String, usize>,
    broken: &'a mut Vec<Violation>,
}

impl Found<'_> {
    /// Looks for tests in these items, which are in the module `path`.
    fn look(&mut self, items: &[Item], path: &str) {
        for item in items {
            match item {
                Item::Fn(function) if has(&function.attrs, "test") => {
                    let (name, line) = (&function.sig.ident, function.sig.ident.span().start().line);
                    let name = format!("{path}::{name}");
                    for attribute in ["ignore", "cfg", "cfg_attr"].into_iter().filter(|a| has(&function.attrs, a)) {
                        let what = format!("test `{name}` is skipped by `#[{attribute}]`");
                        let cure = "delete the attribute: a test that is not run proves nothing";
                        self.broken.push(Violation::new(&self.file, what, cure).at(line));
                    }
                    self.tests.insert(name, line);
                }
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.look(items, &format!("{path}::{}", module.ident));
                    }
                }
                Item::Macro(call) => {
                    if let Some(line) = hidden_test(call.mac.tokens.clone()) {
                        let what = "a test within a macro, where no plan can be held against it";
                        let cure = "write the test as a function that calls what the macro would repeat";
                        self.broken.push(Violation::new(&self.file, what, cure).at(line));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether one of the attributes is called so, by whatever path.
fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == name))
}

/// The line of the first `#[test]` among these tokens.
fn hidden_test(tokens: TokenStream) -> Option<usize> {
    let mut after_hash = false;
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            if after_hash && group.stream().to_string().split("::").last().is_some_and(|name| name.trim() == "test") {
                return Some(group.span_open().start().line);
            }
            if let Some(line) = hidden_test(group.stream()) {
                return Some(line);
            }
        }
        after_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::check;

    /// What is broken with these rows in the plan and this file of tests.
    fn broken(rows: &str, tests: &str) -> Vec<String> {
        let page =
            format!("# FIFO\n\n## Testplan\n\n| Testpoint | Stimulus | Checking | Test |\n|---|---|---|---|\n{rows}");
        broken_page(&page, tests)
    }

    fn broken_page(page: &str, tests: &str) -> Vec<String> {
        let (_folder, tree) = planted(&[("docs/blocks/cells/fifo.md", page), ("tb/tests/cells/fifo.rs", tests)]);
        printed(&check(&tree).expect("the tree is readable"))
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn plan_and_tests_that_agree_are_fine() {
        let rows = "| full | push until full | order | `cells::fifo::full`, `cells::fifo::stalls::random` |\n";
        assert_eq!(broken(rows, "#[test] fn full() {} mod stalls { #[test] fn random() {} } fn helper() {}"), [""; 0]);
    }

    #[test]
    fn a_planned_test_must_exist() {
        assert_eq!(
            broken("| full | push | order | `cells::fifo::full` |\n", "fn full() {}"),
            [
                "docs/blocks/cells/fifo.md:7: planned test `cells::fifo::full` does not exist in tb/tests/cells/fifo.rs\n\
              cure: write the test, or strike it off the plan"
            ]
        );
    }

    #[test]
    fn a_test_must_be_planned() {
        assert_eq!(
            broken("", "\n#[test]\nfn empty() {}"),
            ["tb/tests/cells/fifo.rs:3: test `cells::fifo::empty` is in no plan\n\
              cure: say on docs/blocks/cells/fifo.md what it is for"]
        );
    }

    #[test]
    fn a_testpoint_must_name_a_test_of_its_block() {
        assert_eq!(
            broken("| full | push | order | later |\n| empty | pop | order | `cells::ram::empty` |\n", ""),
            [
                "docs/blocks/cells/fifo.md:7: testpoint `full` names no test\n\
                 cure: name the test, in backticks, or strike it off",
                "docs/blocks/cells/fifo.md:8: `cells::ram::empty` is no test of this block\n\
                 cure: its tests are `cells::fifo::<condition>`",
            ]
        );
    }

    #[test]
    fn a_test_must_run_and_be_seen() {
        assert_eq!(
            broken(
                "| full | push | order | `cells::fifo::full` |\n",
                "#[test]\n#[ignore = \"slow\"]\nfn full() {}\nall! {\n  [1, 2], #[test] fn empty() {}\n}",
            ),
            [
                "tb/tests/cells/fifo.rs:3: test `cells::fifo::full` is skipped by `#[ignore]`\n\
                 cure: delete the attribute: a test that is not run proves nothing",
                "tb/tests/cells/fifo.rs:5: a test within a macro, where no plan can be held against it\n\
                 cure: write the test as a function that calls what the macro would repeat",
            ]
        );
    }

    #[test]
    fn a_page_must_have_a_plan_with_its_columns() {
        assert_eq!(
            broken_page("# FIFO\n\n## Testplan\n\nNone.\n", ""),
            ["docs/blocks/cells/fifo.md: no table under the heading `Testplan`\n\
              cure: write one with the columns Testpoint, Stimulus, Checking, Test"]
        );
        assert_eq!(
            broken_page("## Testplan\n\n| What | Test |\n|---|---|\n", ""),
            [
                "docs/blocks/cells/fifo.md:3: a plan has the columns [\"Testpoint\", \"Stimulus\", \"Checking\", \"Test\"], \
              not [\"What\", \"Test\"]\ncure: rename the columns"
            ]
        );
    }
}
