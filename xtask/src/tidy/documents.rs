//! Pages name what exists: headings of block pages, links, paths, commands, requirements, and the one test command.

use super::markdown::{At, Page};
use super::mirror::Place;
use super::{Tree, Violation};
use clap::CommandFactory;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// The second-level headings of a block's page, in order.
const HEADINGS: [&str; 7] =
    ["Purpose", "Ports", "Theory of operation", "Registers", "Errors", "Golden model", "Testplan"];

/// First parts of paths in the workspace. Text in backticks that begins so, with a `/` behind it, is a path.
const TOP: [&str; 10] = ["spec", "hdl", "gen", "verif", "tb", "rtl-out", "docs", "xtask", ".ci", ".cargo"];

/// Ends of paths: text in backticks with a `/` in it that ends so is a path.
const ENDS: [&str; 4] = [".md", ".rs", ".toml", ".v"];

/// The list of requirements: tables whose first column is the id.
const REQUIREMENTS: &str = "docs/requirements.md";

/// What continuous integration runs.
const CI: &str = ".ci/run";

/// Finds wrong headings, dead links, dead paths, unknown subcommands and requirements, and a test command that differs.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let command = crate::Cli::command();
    let subcommands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    check_with(tree, &subcommands)
}

fn check_with(tree: &Tree, subcommands: &[&str]) -> Result<Vec<Violation>, Violation> {
    let mut pages = BTreeMap::new();
    for file in tree.files().filter(|file| file.ends_with(".md")) {
        pages.insert(file, Page::parse(&tree.text(file)?));
    }
    let mut broken = Vec::new();
    for key in Place::Page.keys(tree) {
        let file = Place::Page.file(&key);
        broken.extend(headings(&file, &pages[file.as_str()]));
    }
    for (file, page) in &pages {
        broken.extend(page.links.iter().filter_map(|link| dead_link(tree, &pages, file, link)));
        broken.extend(page.code.iter().filter_map(|code| dead_path(tree, file, code)));
    }
    let speaks = |file: &&str| [".md", ".rs", ".toml"].iter().any(|end| file.ends_with(end)) || *file == CI;
    for file in tree.files().filter(speaks) {
        broken.extend(unknown_subcommands(file, &tree.text(file)?, subcommands));
    }
    broken.extend(unknown_requirements(tree)?);
    if tree.has("README.md") {
        broken.extend(test_command(tree, &pages["README.md"])?);
    }
    Ok(broken)
}

/// Headings of a block's page other than they should be.
fn headings(file: &str, page: &Page) -> Option<Violation> {
    let found: Vec<&str> = page.headings.iter().filter(|h| h.it.0 == 2).map(|h| h.it.1.as_str()).collect();
    (found != HEADINGS).then(|| {
        let what = format!("has the headings {}", if found.is_empty() { "none".into() } else { found.join(", ") });
        Violation::new(file, what, format!("second-level headings are, in this order: {}", HEADINGS.join(", ")))
    })
}

/// A link within the workspace to a file or heading that does not exist.
fn dead_link(tree: &Tree, pages: &BTreeMap<&str, Page>, file: &str, link: &At<String>) -> Option<Violation> {
    let (path, fragment) = link.it.split_once('#').unwrap_or((&link.it, ""));
    if path.contains(':') {
        return None; // another site, or mail
    }
    let target = if path.is_empty() { Some(file.to_owned()) } else { resolve(folder(file), path) };
    let missing = match target.as_deref().filter(|target| tree.has(target)) {
        None => "file",
        Some(target) => match pages.get(target) {
            Some(page) if !fragment.is_empty() && !page.anchors().contains(fragment) => "heading",
            _ => return None,
        },
    };
    let what = format!("link to `{}`: there is no such {missing}", link.it);
    Some(Violation::new(file, what, "correct the link, or write what it points at").at(link.line))
}

/// A path in backticks that exists neither from the root nor from the page's folder.
fn dead_path(tree: &Tree, file: &str, code: &At<String>) -> Option<Violation> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let path = code.it.split_once(':').map_or(code.it.as_str(), |(path, _line)| path).trim_end_matches('/');
    let (first, rest) = code.it.split_once('/')?;
    let is_path = TOP.contains(&first) || !rest.is_empty() && ENDS.iter().any(|end| path.ends_with(end));
    let exists = [folder(file), ""].iter().any(|from| resolve(from, path).is_some_and(|path| tree.has(&path)));
    let foreign = [".tools", "target"].contains(&first);
    (is_path && !foreign && path.chars().all(plain) && !exists).then(|| {
        let what = format!("`{}`: there is no such file or folder", code.it);
        Violation::new(file, what, "correct the path, or write `<…>` for a part that varies").at(code.line)
    })
}

/// Subcommands of `cargo xtask` that do not exist.
fn unknown_subcommands(file: &str, text: &str, subcommands: &[&str]) -> Vec<Violation> {
    let call = Regex::new(r"cargo xtask ([a-z][a-z0-9-]*)").expect("the pattern is right");
    let unknown = |(i, line): (usize, &str)| {
        let names = call.captures_iter(line).map(|call| call.extract::<1>().1[0]);
        let violation = |name: &str| {
            let cure = format!("the subcommands are {}", subcommands.join(", "));
            Violation::new(file, format!("`cargo xtask` has no subcommand `{name}`"), cure).at(i + 1)
        };
        names.filter(|name| !subcommands.contains(name)).map(violation).collect::<Vec<_>>()
    };
    text.lines().enumerate().flat_map(unknown).collect()
}

/// Ids of requirements that are quoted and not in the list of requirements.
fn unknown_requirements(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let id = Regex::new(r"\b(?:(?:AA|P|Q|U)-[0-9]{2}|S[1-9][0-9]?)\b").expect("the pattern is right");
    let list = if tree.has(REQUIREMENTS) { tree.text(REQUIREMENTS)? } else { String::new() };
    let known: BTreeSet<&str> = list.lines().filter_map(|row| row.strip_prefix("| ")?.split(' ').next()).collect();
    let mut unknown = Vec::new();
    for file in tree.files().filter(|file| [".md", ".rs", ".toml", ".txt"].iter().any(|end| file.ends_with(end))) {
        for (i, line) in tree.text(file)?.lines().enumerate() {
            for quoted in id.find_iter(line).map(|found| found.as_str()).filter(|quoted| !known.contains(quoted)) {
                let what = format!("quotes the requirement {quoted}, which {REQUIREMENTS} does not have");
                unknown.push(Violation::new(file, what, "correct the id, or add its row").at(i + 1));
            }
        }
    }
    Ok(unknown)
}

/// What continuous integration runs must be one command, and the README must show it.
fn test_command(tree: &Tree, readme: &Page) -> Result<Option<Violation>, Violation> {
    let text = tree.text(CI)?;
    let aside = |line: &&str| line.is_empty() || ["#", "set ", "cd "].iter().any(|start| line.starts_with(start));
    let commands: Vec<&str> = text.lines().map(str::trim).filter(|line| !aside(line)).collect();
    let [command] = commands[..] else {
        let what = format!("runs {} commands, {commands:?}", commands.len());
        return Ok(Some(Violation::new(CI, what, "leave the README's test command alone")));
    };
    let command = command.trim_start_matches("exec ");
    let shown = readme.code_lines.iter().any(|line| line.it.trim() == command);
    Ok((!shown).then(|| {
        let what = format!("does not show `{command}`, which {CI} runs");
        Violation::new("README.md", what, format!("the test command and {CI} are the same, word for word"))
    }))
}

/// The folder of a file; empty for the root.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path seen from a folder, with `.` and `..` taken out; none if it leaves the workspace.
fn resolve(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::{HEADINGS, check, check_with};

    /// What is broken among these files, with the subcommands `test` and `tidy`.
    fn broken(files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, tree) = planted(files);
        printed(&check_with(&tree, &["test", "tidy"]).expect("the tree is readable"))
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn a_block_page_has_its_headings_in_order() {
        let whole: String = HEADINGS.iter().map(|heading| format!("## {heading}\n### Detail\n")).collect();
        assert_eq!(broken(&[("docs/blocks/cells/fifo.md", &whole), ("docs/blocks/README.md", "# Blocks")]), [""; 0]);
        assert_eq!(
            broken(&[("docs/blocks/cells/fifo.md", "# FIFO\n## Ports\n## Purpose\n")]),
            ["docs/blocks/cells/fifo.md: has the headings Ports, Purpose\n\
              cure: second-level headings are, in this order: Purpose, Ports, Theory of operation, Registers, Errors, \
              Golden model, Testplan"]
        );
    }

    #[test]
    fn dead_links_are_found() {
        let page = "# One two\n[a](../b.md#b-c) [b](#one-two) [c](https://x.y/z) [d](.)\n\n[e](c.md)\n[f](../b.md#x) [g](../../b.md)";
        let cure = "cure: correct the link, or write what it points at";
        assert_eq!(
            broken(&[("docs/a.md", page), ("b.md", "# B, `c`")]),
            [
                format!("docs/a.md:4: link to `c.md`: there is no such file\n{cure}"),
                format!("docs/a.md:5: link to `../b.md#x`: there is no such heading\n{cure}"),
                format!("docs/a.md:5: link to `../../b.md`: there is no such file\n{cure}"),
            ]
        );
    }

    #[test]
    fn dead_paths_are_found() {
        let page = "`hdl/src/cells.rs` `hdl/src/` `hdl/src/<block>.rs` `rtl-out/*/rtl` `cells/fifo` `target/cosim` `valid/ready`\n\
                    `hdl/src/cells.rs:12` `src/lib.rs`\n`hdl/src/gone` `other/gone.md`";
        let cure = "cure: correct the path, or write `<…>` for a part that varies";
        assert_eq!(
            broken(&[("hdl/src/cells.rs", ""), ("hdl/src/lib.rs", ""), ("hdl/a.md", page)]),
            [
                format!("hdl/a.md:3: `hdl/src/gone`: there is no such file or folder\n{cure}"),
                format!("hdl/a.md:3: `other/gone.md`: there is no such file or folder\n{cure}"),
            ]
        );
    }

    /// A call of a task. It is put together here because the law reads this file as well.
    fn xtask(arguments: &str) -> String {
        format!("cargo xtask {arguments}")
    }

    #[test]
    fn unknown_subcommands_are_found_in_pages_code_and_data() {
        let text = |name: &str| format!("\nrun `{}`", xtask(name));
        let cure = "cure: the subcommands are test, tidy";
        assert_eq!(
            broken(&[
                ("a.md", &text("tidy")),
                ("b.rs", &text("nosuch")),
                ("c.toml", &text("tidy2")),
                ("d.v", &text("x"))
            ]),
            [
                format!("b.rs:2: `cargo xtask` has no subcommand `nosuch`\n{cure}"),
                format!("c.toml:2: `cargo xtask` has no subcommand `tidy2`\n{cure}"),
            ]
        );
    }

    #[test]
    fn unknown_requirements_are_found() {
        // Put together here because the law reads this file as well.
        let [known, unknown] = [1, 99].map(|number| format!("U-{number:02}"));
        let list = format!("| id | the question |\n|---|---|\n| {known} | Why? |\n");
        let quotes = format!("as {known} says\n// but {unknown} not, nor F{unknown} nor {unknown}9\n");
        assert_eq!(
            broken(&[("docs/requirements.md", &list), ("a.rs", &quotes), ("b.c", &quotes)]),
            [format!(
                "a.rs:2: quotes the requirement {unknown}, which docs/requirements.md does not have\n\
                 cure: correct the id, or add its row"
            )]
        );
        assert_eq!(broken(&[("a.rs", &known)]).len(), 1);
    }

    #[test]
    fn the_test_command_is_what_ci_runs() {
        let test = xtask("test");
        let readme = format!("```sh\n{test}\n```\n");
        let ci = |commands: String| {
            let run = format!("#!/bin/sh\n# All of it.\nset -eu\ncd \"$(dirname \"$0\")/..\"\n{commands}\n");
            broken(&[("README.md", &readme), (".ci/run", &run)])
        };
        assert_eq!(ci(format!("exec {test}")), [""; 0]);
        assert_eq!(
            ci(format!("{test} --quick")),
            [format!(
                "README.md: does not show `{test} --quick`, which .ci/run runs\n\
                 cure: the test command and .ci/run are the same, word for word"
            )]
        );
        assert_eq!(
            ci(format!("cargo build\n{test}")),
            [format!(
                ".ci/run: runs 2 commands, [\"cargo build\", \"{test}\"]\ncure: leave the README's test command alone"
            )]
        );
    }
}
