//! Rendering: pure, deterministic, whole.

use std::collections::BTreeSet;
use std::thread;
use tollgate::{Rendered, render};
use tollgate_hdl::catalogue::blocks;
use tollgate_spec::config::{Config, SHIPPED};
use tollgate_spec::source::Source;

fn rendered(config: &str) -> Vec<Rendered> {
    render(&Config::shipped(config, &[]).unwrap()).unwrap()
}

fn text<'f>(files: &'f [Rendered], path: &str) -> &'f str {
    &files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).text
}

#[test]
fn two_renders_are_equal() {
    for (name, _) in SHIPPED {
        assert!(rendered(name) == rendered(name), "{name}");
    }
}

#[test]
fn neither_thread_nor_order_matters() {
    let all = |names: Vec<&'static str>| {
        thread::spawn(move || names.into_iter().map(|name| (name, rendered(name))).collect::<Vec<_>>())
    };
    let names: Vec<&str> = SHIPPED.map(|(name, _)| name).to_vec();
    let forwards = all(names.clone());
    let backwards = all(names.into_iter().rev().collect());
    let mut backwards = backwards.join().unwrap();
    backwards.reverse();
    assert!(forwards.join().unwrap() == backwards);
}

#[test]
fn files_are_clean_text_at_unique_paths() {
    for (name, _) in SHIPPED {
        let files = rendered(name);
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), files.len());
        for Rendered { path, text } in &files {
            assert!(text.ends_with('\n') && !text.ends_with("\n\n") && !text.contains(['\r', '\t']), "{name}: {path}");
            let trailing = text.lines().find(|line| line.ends_with(' '));
            assert_eq!(trailing, None, "{name}: {path}");
        }
    }
}

#[test]
fn every_block_has_its_verilog_and_its_page() {
    for (name, _) in SHIPPED {
        let files = rendered(name);
        for block in blocks(&Config::shipped(name, &[]).unwrap()).unwrap() {
            let module = &block.design.top().name;
            assert!(text(&files, &format!("rtl/{module}.v")).contains(&format!("module {module} ")), "{module}");
            assert!(text(&files, &format!("docs/ports/{module}.md")).contains(module), "{module}");
        }
    }
}

#[test]
fn the_file_list_has_children_first() {
    let files = rendered("default");
    let list: Vec<&str> = text(&files, "tollgate.f").lines().collect();
    for block in blocks(&Config::shipped("default", &[]).unwrap()).unwrap() {
        for module in &block.design.modules {
            let place = |name: &str| list.iter().position(|path| *path == format!("rtl/{name}.v"));
            for instance in &module.instances {
                assert!(place(&block.design.module(instance.module).name) < place(&module.name), "{}", module.name);
            }
        }
    }
}

#[test]
fn the_rendered_configuration_renders_the_same() {
    for (name, _) in SHIPPED {
        let files = rendered(name);
        let config = Config::read(&Source::file("again.toml", text(&files, "config.toml")), &[]).unwrap();
        assert!(render(&config).unwrap() == files, "{name}");
    }
}

#[test]
fn the_manifest_is_last_and_names_all_others_then_itself() {
    let files = rendered("small");
    let (manifest, others) = files.split_last().unwrap();
    assert_eq!(manifest.path, "MANIFEST");
    let (lines, own) = manifest.text.trim_end().rsplit_once('\n').unwrap();
    assert!(own.starts_with("# ") && own.ends_with("  of the lines above"), "{own}");
    let named: Vec<&str> = lines.lines().map(|line| &line[66..]).collect();
    assert_eq!(named, others.iter().map(|file| file.path.as_str()).collect::<Vec<_>>());
}
