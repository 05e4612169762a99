//! The headers: compilers take them without a warning, and read from them what the specification says.

use crate::run::{Answer, plant, scratch};
use std::process::Command;
use tempfile::TempDir;
use tollgate::render;
use tollgate_spec::access_log::{COMPACT_GRANULE_BYTES, record_header};
use tollgate_spec::config::{Config, SHIPPED};
use tollgate_spec::context::{context_entry, root_entry};
use tollgate_spec::fault::FaultReason;
use tollgate_spec::layout::{Field, Layout};
use tollgate_spec::pte::{Level, insert};
use tollgate_spec::registers::RegisterBlock;
use tollgate_spec::tlp;

/// A scratch folder with the headers of a configuration.
fn headers(config: &Config) -> TempDir {
    let scratch = scratch();
    for file in render(config).unwrap().iter().filter(|file| file.path.starts_with("include/")) {
        plant(scratch.path(), &file.path, &file.text);
    }
    scratch
}

/// Every constant that the headers should have: name and value.
fn expected(config: &Config) -> Vec<(String, u64)> {
    let table = &config.access_log_table;
    let count = |name: &str, value: u32| (name.to_owned(), u64::from(value));
    let mut all = vec![
        count("HOST_ADDRESS_BITS", config.host_address_bits),
        count("IUID_BITS", config.pte.iuid_bits()),
        count("ACCESS_LOGS", table.entries),
        count("ACCESS_LOG_ADDRESS_BITS", table.address_bits),
        count("ACCESS_LOG_SIZE_BITS", table.size_bits),
        count("ACCESS_LOG_GRANULE_BYTES", table.granule_bytes),
        count("ACCESS_LOG_COMPACT_GRANULE_BYTES", COMPACT_GRANULE_BYTES),
        count("ACCESS_LOG_LARGEST_PAYLOAD_BYTES", table.largest_payload_bytes),
        count("ACCESS_LOG_SMALLEST_RING_BYTES", table.smallest_ring_bytes(false)),
        count("ACCESS_LOG_COMPACT_SMALLEST_RING_BYTES", table.smallest_ring_bytes(true)),
        count("TLP_TAG_BITS", config.tlp.tag_bits),
        count("TLP_MAX_PAYLOAD_BYTES", config.tlp.max_payload_bytes),
        count("TLP_MAX_READ_REQUEST_BYTES", config.tlp.max_read_request_bytes),
    ];
    let leaves = [Level::PageTable, Level::PageDirectory, Level::PageDirectoryPointer];
    let layouts = leaves.map(|level| config.pte.leaf(level)).into_iter();
    let bits = config.host_address_bits;
    let tables = [config.pte.non_leaf(), root_entry(bits), context_entry(bits, config.iotlb.domain_bits)];
    for layout in layouts.chain(tables).chain([record_header()]).chain(tlp::layouts()) {
        all.extend(layout_constants(&layout));
    }
    for reason in FaultReason::ALL {
        all.push((format!("FAULT_REASON_{}", reason.name().to_uppercase()), reason.number().into()));
    }
    for (key, _) in tollgate_spec::registers::SHIPPED {
        all.extend(register_constants(&RegisterBlock::shipped(key).unwrap().unwrap()));
    }
    all
}

fn layout_constants(layout: &Layout) -> Vec<(String, u64)> {
    let name = layout.name.to_uppercase();
    let mut all = vec![(format!("{name}_BYTES"), u64::from(layout.bits) / 8)];
    for field in &layout.fields {
        if layout.bits > 64 {
            all.push((format!("{name}_{}_WORD", field.name.to_uppercase()), u64::from(field.low) / 64));
        }
        all.extend(field_constants(&name, field));
    }
    all
}

fn field_constants(prefix: &str, field: &Field) -> Vec<(String, u64)> {
    let prefix = format!("{prefix}_{}", field.name.to_uppercase());
    let shift = field.low % 64;
    let mask = insert(0, &(shift..shift + field.width), u64::MAX);
    let mut all = vec![(format!("{prefix}_SHIFT"), u64::from(shift)), (format!("{prefix}_MASK"), mask)];
    all.extend(field.values.iter().map(|value| (format!("{prefix}_{}", value.name.to_uppercase()), value.value)));
    all
}

fn register_constants(map: &RegisterBlock) -> Vec<(String, u64)> {
    let block = map.block.replace('/', "_").to_uppercase();
    let mut all = vec![(format!("{block}_BYTES"), map.bytes.into())];
    for register in &map.registers {
        let name = format!("{block}_{}", register.layout.name.to_uppercase());
        let reset = register.fields().fold(0, |word, (field, rule)| insert(word, &field.range(), rule.reset));
        all.push((format!("{name}_OFFSET"), register.offset.into()));
        all.push((format!("{name}_RESET"), reset));
        all.extend(register.layout.fields.iter().flat_map(|field| field_constants(&name, field)));
    }
    all
}

/// Runs a program, and demands that it succeeds in silence.
fn compile(folder: &TempDir, program: &str, arguments: &[&str]) {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path());
    let output = command.output().unwrap_or_else(|error| panic!("{program} does not run: {error}"));
    assert_eq!(Answer::new(output).good(), "");
}

/// The numbers that a compiled program prints, one a line.
fn printed(folder: &TempDir) -> Vec<u64> {
    let output = Command::new(folder.path().join("program")).output().expect("what was compiled runs");
    Answer::new(output).good().lines().map(|line| line.parse().expect("a number")).collect()
}

const GCC: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"];

fn configurations() -> impl Iterator<Item = Config> {
    SHIPPED.into_iter().map(|(name, _)| Config::shipped(name, &[]).unwrap())
}

#[test]
fn c_reads_what_the_specification_says() {
    for config in configurations() {
        let folder = headers(&config);
        let expected = expected(&config);
        let lines: String = expected
            .iter()
            .map(|(name, _)| format!("    printf(\"%llu\\n\", (unsigned long long)TOLLGATE_{name});\n"))
            .collect();
        // Twice, as the guard allows.
        let include = "#include \"include/tollgate.h\"\n";
        plant(
            folder.path(),
            "program.c",
            &format!("{include}{include}#include <stdio.h>\n\nint main(void)\n{{\n{lines}    return 0;\n}}\n"),
        );
        compile(&folder, "gcc", &[&GCC[..], &["-o", "program", "program.c"]].concat());
        let values: Vec<u64> = expected.iter().map(|(_, value)| *value).collect();
        assert_eq!(printed(&folder), values, "{}", config.name);
    }
}

#[test]
fn the_c_header_compiles_alone() {
    let folder = headers(&Config::shipped("default", &[]).unwrap());
    compile(&folder, "gcc", &[&GCC[..], &["-x", "c", "-fsyntax-only", "include/tollgate.h"]].concat());
}

#[test]
fn rust_reads_what_the_specification_says() {
    for config in configurations() {
        let folder = headers(&config);
        let expected = expected(&config);
        let lines: String =
            expected.iter().map(|(name, _)| format!("    println!(\"{{}}\", tollgate::{name});\n")).collect();
        let program = format!(
            "#![deny(missing_docs)]\n//! Prints constants.\n#[path = \"include/tollgate.rs\"]\npub mod tollgate;\n\n\
             /// Prints them.\npub fn main() {{\n    assert_eq!(tollgate::CONFIGURATION, \"{}\");\n{lines}}}\n",
            config.name
        );
        plant(folder.path(), "program.rs", &program);
        compile(&folder, "rustc", &["--edition", "2021", "-o", "program", "program.rs"]);
        let values: Vec<u64> = expected.iter().map(|(_, value)| *value).collect();
        assert_eq!(printed(&folder), values, "{}", config.name);
    }
}

#[test]
fn the_rust_module_compiles_without_the_standard_library() {
    for config in configurations() {
        let folder = headers(&config);
        let root = "//! Nothing else.\n#![no_std]\n#[path = \"include/tollgate.rs\"]\npub mod tollgate;\n";
        plant(folder.path(), "lib.rs", root);
        let flags = ["--edition", "2021", "--crate-type", "lib", "--emit", "metadata"];
        compile(&folder, "rustc", &[&flags[..], &["-D", "warnings", "-D", "missing_docs", "lib.rs"]].concat());
    }
}

#[test]
fn the_headers_have_nothing_else() {
    for config in configurations() {
        let files = render(&config).unwrap();
        let text = |path: &str| &files.iter().find(|file| file.path == path).unwrap().text;
        let mut names: Vec<String> = expected(&config).into_iter().map(|(name, _)| name).collect();
        names.push("CONFIGURATION".to_owned());
        names.sort();
        let mut rust: Vec<&str> = text("include/tollgate.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub const ")?.split(':').next())
            .collect();
        rust.sort_unstable();
        assert_eq!(rust, names);
        let mut c: Vec<&str> = text("include/tollgate.h")
            .lines()
            .filter_map(|line| line.strip_prefix("#define TOLLGATE_")?.split(' ').next())
            .filter(|name| *name != "H")
            .collect();
        c.sort_unstable();
        assert_eq!(c, names);
    }
}
