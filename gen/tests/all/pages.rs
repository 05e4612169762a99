//! The pages: every register, field and port, and pictures that can be drawn.

use serde_json::Value;
use tollgate::{Rendered, render};
use tollgate_hdl::catalogue::blocks;
use tollgate_spec::config::{Config, SHIPPED};
use tollgate_spec::registers::RegisterBlock;

fn page(config: &str, path: &str) -> String {
    let files = render(&Config::shipped(config, &[]).unwrap()).unwrap();
    let page = files.into_iter().find(|Rendered { path: other, .. }| other == path);
    page.unwrap_or_else(|| panic!("no {path}")).text
}

fn register_maps() -> Vec<RegisterBlock> {
    tollgate_spec::registers::SHIPPED.map(|(key, _)| RegisterBlock::shipped(key).unwrap().unwrap()).to_vec()
}

fn register_page(map: &RegisterBlock) -> String {
    page("small", &format!("docs/registers/{}.md", map.block.replace('/', "_")))
}

#[test]
fn every_register_and_field_is_on_its_page() {
    for map in register_maps() {
        let text = register_page(&map);
        for register in &map.registers {
            let start = text.find(&format!("\n## {}\n", register.layout.name)).expect("a heading");
            let rest = &text[start + 1..];
            let section = &rest[..rest.find("\n## ").unwrap_or(rest.len())];
            assert!(section.contains(&format!("Offset `{:#04x}`", register.offset)), "{section}");
            for (field, rule) in register.fields() {
                let row = section.lines().find(|line| line.contains(&format!("| `{}` |", field.name)));
                let row = row.unwrap_or_else(|| panic!("no {} in {section}", field.name));
                assert!(row.contains(&field.meaning) && row.contains(rule.access.abbreviation()), "{row}");
                for value in &field.values {
                    let row = format!("| {} | `{}` | {} |", value.value, value.name, value.meaning);
                    assert!(section.contains(&row), "no {row} in {section}");
                }
            }
        }
    }
}

#[test]
fn pictures_have_as_many_bits_as_their_registers() {
    for map in register_maps() {
        let text = register_page(&map);
        let pictures: Vec<&str> =
            text.split("```wavejson\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
        assert_eq!(pictures.len(), map.registers.len());
        for (picture, register) in pictures.into_iter().zip(&map.registers) {
            let picture: Value = serde_json::from_str(picture).expect("JSON");
            let mut low = 0;
            for lane in picture["reg"].as_array().expect("lanes") {
                if let Some(name) = lane["name"].as_str() {
                    assert_eq!(register.layout.field(name).map(|field| field.low), Some(low));
                }
                low += u32::try_from(lane["bits"].as_u64().expect("bits")).unwrap();
            }
            assert_eq!(low, register.layout.bits);
            assert_eq!(picture["config"]["bits"], register.layout.bits);
        }
    }
}

#[test]
fn a_register_page_reads_well() {
    let text = page("small", "docs/registers/active_access_access_log_table.md");
    let policy = text.split("\n## ").find(|section| section.starts_with("policy\n")).unwrap();
    insta::assert_snapshot!(policy);
}

#[test]
fn every_port_is_on_its_page_once() {
    for (name, _) in SHIPPED {
        for block in blocks(&Config::shipped(name, &[]).unwrap()).unwrap() {
            for module in &block.design.modules {
                let text = page(name, &format!("docs/ports/{}.md", module.name));
                let (_, text) = text.split_once("\n## Ports\n").expect("a page has its ports");
                let mut ports: Vec<String> = module.ports().map(|(_, port)| port.name.clone()).collect();
                ports.extend(module.domains.iter().filter(|d| d.clock_used).map(|d| d.clock()));
                ports.extend(module.domains.iter().filter(|d| d.reset_used).map(|d| d.reset()));
                for port in &ports {
                    assert_eq!(text.matches(&format!("\n| `{port}` | ")).count(), 1, "{}: {port}", module.name);
                }
                let rows = text.matches("put | ").count();
                assert_eq!(rows, ports.len(), "{}: input or output in each row", module.name);
            }
        }
    }
}

#[test]
fn a_port_page_tells_groups_codes_and_clocks() {
    let text = page("default", "docs/ports/active_access_pte_decoder.md");
    let holds = |row: &str| assert!(text.contains(&format!("\n{row}\n")), "no {row} in {text}");
    holds("| `entry` | input | 64 | none | The paging entry as it stands in memory. |");
    holds("| `access` | input | 2 | none | What the request does. A code of `Access`. |");
    holds("| 2'h1 | `Write` | Memory write. |");
    let group = "*A fault as without active access, with its reason.*";
    let rows: Vec<&str> = text.lines().skip_while(|row| !row.contains(group)).take(2).collect();
    assert!(rows[1].starts_with("| `fault_valid` | output | 1 | none | "), "{rows:?}");

    let text = page("default", "docs/ports/active_access_access_log_table.md");
    assert!(text.contains("\n| `program_valid` | input | 1 | `clk` | "), "{text}");
}
