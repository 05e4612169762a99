//! `docs/ports/<module>.md`: what a module is, and its ports.

use super::Rendered;
use super::markdown::{code, sentence, table};
use tollgate_hdl::catalogue::Block;
use tollgate_rtl::ir::{Encoding, Module, Parameter, Signal, SignalKind};

/// The page of each module of the blocks, one that several bring once.
pub fn pages(blocks: &[Block]) -> Vec<Rendered> {
    let mut pages: Vec<Rendered> = blocks.iter().flat_map(|block| &block.design.modules).map(page).collect();
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    pages.dedup_by(|one, other| one.path == other.path);
    pages
}

fn page(module: &Module) -> Rendered {
    let mut text = format!("# Ports of `{}`\n", module.name);
    if !module.doc.is_empty() {
        text += &format!("\n{}\n", module.doc);
    }
    if !module.parameters.is_empty() {
        text += "\n## Parameters\n\n";
        let row = |Parameter { name, value, doc }: &Parameter| [code(name), code(value), sentence(doc)];
        text += &table(["Parameter", "Value", "Meaning"], module.parameters.iter().map(row));
    }
    text += "\n## Ports\n\n";
    let ports = module.ports().flat_map(|(_, port)| port_rows(module, port));
    let ports = clocks_and_resets(module).into_iter().chain(ports);
    text += &table(["Port", "Direction", "Width", "Clock", "Meaning"], ports);
    for encoding in encodings(module) {
        text += &format!("\n## Codes of `{}`\n\n", encoding.name);
        let row = |(name, code, doc): &(String, _, String)| [format!("{code}"), format!("`{name}`"), sentence(doc)];
        text += &table(["Code", "Name", "Meaning"], encoding.variants.iter().map(row));
    }
    Rendered::new(format!("docs/ports/{}.md", module.name), text)
}

fn clocks_and_resets(module: &Module) -> Vec<[String; 5]> {
    let row = |name: String, clock: String, meaning: &str| {
        [code(name), "input".to_owned(), "1".to_owned(), clock, meaning.to_owned()]
    };
    let mut rows = Vec::new();
    for domain in &module.domains {
        if domain.clock_used {
            rows.push(row(domain.clock(), code(domain.clock()), "Clock; the rising edge counts."));
        }
        if domain.reset_used {
            rows.push(row(domain.reset(), code(domain.clock()), "Reset, active high."));
        }
    }
    rows
}

/// The port, under the headings of the groups that it is the first of.
fn port_rows(module: &Module, port: &Signal) -> Vec<[String; 5]> {
    let mut headings: Vec<&str> = port.doc.lines().collect();
    let mut meaning = sentence(headings.pop().unwrap_or_default());
    if let Some(encoding) = &port.encoding {
        meaning += &format!(" A code of `{}`.", encoding.name);
    }
    let direction = if port.kind == SignalKind::Input { "input" } else { "output" };
    let width = match port.element_width {
        Some(element) => format!("{} × {element}", port.width / element),
        None => port.width.to_string(),
    };
    let domain = &module.domains[port.domain.index()];
    let clock = if domain.clock_used { code(domain.clock()) } else { "none".to_owned() };

    let heading = |text: &str| [String::new(), String::new(), String::new(), String::new(), format!("*{text}*")];
    let mut rows: Vec<[String; 5]> = headings.into_iter().map(heading).collect();
    rows.push([code(&port.name), direction.to_owned(), width, clock, meaning]);
    rows
}

/// The encodings of the ports, each once, in the order of the ports.
fn encodings(module: &Module) -> Vec<&Encoding> {
    let mut found: Vec<&Encoding> = Vec::new();
    for encoding in module.ports().filter_map(|(_, port)| port.encoding.as_deref()) {
        if !found.contains(&encoding) {
            found.push(encoding);
        }
    }
    found
}
