//! Markdown pages, as far as the laws look into them.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;

/// Something on a page, and its line (from 1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct At<T> {
    /// The line that it begins in.
    pub line: usize,
    /// What it is.
    pub it: T,
}

/// A cell of a table.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Cell {
    /// All its text.
    pub text: String,
    /// What stands in backticks.
    pub code: Vec<String>,
}

/// A table; its first row is the head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Where it begins.
    pub line: usize,
    /// The heading above it; empty above the first.
    pub section: String,
    /// Rows of cells.
    pub rows: Vec<At<Vec<Cell>>>,
}

/// A page.
#[derive(Default, Debug)]
pub struct Page {
    /// Level (from 1) and text of each heading.
    pub headings: Vec<At<(usize, String)>>,
    /// Targets of links and images.
    pub links: Vec<At<String>>,
    /// What stands in backticks within a line.
    pub code: Vec<At<String>>,
    /// Lines of code blocks.
    pub code_lines: Vec<At<String>>,
    /// Tables.
    pub tables: Vec<Table>,
}

impl Page {
    /// Reads a page.
    pub fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let (mut heading, mut cell, mut in_code_block) = (None, None, false);
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let line = text[..range.start].matches('\n').count() + 1;
            match event {
                Event::Start(Tag::Heading { level, .. }) => heading = Some((level as usize, String::new())),
                Event::End(TagEnd::Heading(_)) => page.headings.extend(heading.take().map(|it| At { line, it })),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(At { line, it: dest_url.into_string() });
                }
                Event::Start(Tag::CodeBlock(_)) => in_code_block = true,
                Event::End(TagEnd::CodeBlock) => in_code_block = false,
                Event::Start(Tag::Table(_)) => {
                    let section = page.headings.last().map(|h| h.it.1.clone()).unwrap_or_default();
                    page.tables.push(Table { line, section, rows: Vec::new() });
                }
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    page.tables.last_mut().expect("a row is in a table").rows.push(At { line, it: Vec::new() });
                }
                Event::Start(Tag::TableCell) => cell = Some(Cell::default()),
                Event::End(TagEnd::TableCell) => {
                    let row =
                        page.tables.last_mut().and_then(|table| table.rows.last_mut()).expect("a cell is in a row");
                    row.it.extend(cell.take());
                }
                Event::Text(words) if in_code_block => {
                    page.code_lines.extend(words.lines().enumerate().map(|(i, l)| At { line: line + i, it: l.into() }));
                }
                Event::Text(ref words) | Event::Code(ref words) => {
                    let code = matches!(event, Event::Code(_)).then(|| words.to_string());
                    if let Some((_, title)) = &mut heading {
                        title.push_str(words);
                    }
                    if let Some(cell) = &mut cell {
                        cell.text.push_str(words);
                        cell.code.extend(code.clone());
                    }
                    page.code.extend(code.map(|it| At { line, it }));
                }
                _ => {}
            }
        }
        page
    }

    /// The fragments that links to this page may use: its headings as the web hosts spell them.
    pub fn anchors(&self) -> BTreeSet<String> {
        self.headings.iter().map(|heading| anchor(&heading.it.1)).collect()
    }
}

/// A heading as a fragment: small letters, `-` for spaces, no punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{At, Page};

    #[test]
    fn what_the_laws_look_for_is_found_with_its_line() {
        let page = Page::parse(
            "# A `page`\n\nSee [this](x.md#y) and `a/b`.\n\n```sh\none\ntwo `c`\n```\n\n## Test plan, all\n\n\
             | p | t |\n|---|---|\n| 1 | `u`, `v` |\n",
        );
        assert_eq!(page.headings[0], At { line: 1, it: (1, "A page".into()) });
        assert_eq!(page.links, [At { line: 3, it: "x.md#y".into() }]);
        let code: Vec<(usize, &str)> = page.code.iter().map(|c| (c.line, c.it.as_str())).collect();
        assert_eq!(code, [(1, "page"), (3, "a/b"), (14, "u"), (14, "v")]);
        let block: Vec<(usize, &str)> = page.code_lines.iter().map(|c| (c.line, c.it.as_str())).collect();
        assert_eq!(block, [(6, "one"), (7, "two `c`")]);
        assert_eq!((page.tables[0].line, page.tables[0].section.as_str()), (12, "Test plan, all"));
        assert_eq!(page.tables[0].rows.len(), 2);
        assert_eq!(page.tables[0].rows[1].it[1].code, ["u", "v"]);
        assert_eq!(page.anchors().into_iter().collect::<Vec<_>>(), ["a-page", "test-plan-all"]);
    }
}
