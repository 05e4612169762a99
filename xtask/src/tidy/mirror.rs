//! The mirror law: a block is one key, `<group>/<block>`, and the key names one file in each place.
//!
//! Both ways: what has hardware has everything, and what has no hardware has nothing.
//! A Rust file counts if its module is declared, because a test file that nothing declares never runs.

use super::{Tree, Violation};
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt;

/// The groups of blocks.
const GROUPS: [&str; 5] = ["cells", "iommu", "active_access", "spin", "top"];

/// Folders beside the groups that hold no blocks.
const OUTSIDE: &[(&str, &str)] = &[("hdl/src/bundles", "types of ports: they have no behaviour of their own")];

/// A file that a block does without.
#[derive(Clone, Copy)]
struct Exemption {
    key: &'static str,
    place: Place,
    #[expect(dead_code, reason = "read by people: why the block does without")]
    reason: &'static str,
}

/// All files that blocks do without.
const EXEMPTIONS: &[Exemption] = &[];

/// This file.
const HERE: &str = "xtask/src/tidy/mirror.rs";

/// The name of a block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// One of the groups.
    pub group: String,
    /// The block in its group.
    pub block: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group, self.block)
    }
}

/// Where a block has a file that the author writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The hardware.
    Hardware,
    /// The golden model.
    Golden,
    /// The cosimulation.
    Tests,
    /// The page.
    Page,
    /// The generated Verilog, in every configuration.
    Verilog,
}

impl Place {
    /// The places with one file a block.
    const WRITTEN: [Self; 4] = [Self::Hardware, Self::Golden, Self::Tests, Self::Page];

    /// The folder of the groups.
    fn folder(self) -> &'static str {
        match self {
            Self::Hardware => "hdl/src",
            Self::Golden => "verif/golden/src",
            Self::Tests => "tb/tests",
            Self::Page => "docs/blocks",
            Self::Verilog => "rtl-out",
        }
    }

    /// What its files end with.
    fn extension(self) -> &'static str {
        match self {
            Self::Hardware | Self::Golden | Self::Tests => ".rs",
            Self::Page => ".md",
            Self::Verilog => ".v",
        }
    }

    /// The file of a block.
    pub fn file(self, key: &Key) -> String {
        format!("{}/{key}{}", self.folder(), self.extension())
    }

    /// The blocks that have a file here: `<group>/<block>`, but for the group's own `mod.rs` or `README.md`.
    pub fn keys(self, tree: &Tree) -> BTreeSet<Key> {
        let key = |file: &str| {
            let (group, block) = file.strip_suffix(self.extension())?.split_once('/')?;
            let own = ["mod", "README"].contains(&block);
            (GROUPS.contains(&group) && !block.contains('/') && !own)
                .then(|| Key { group: group.to_owned(), block: block.to_owned() })
        };
        tree.below(self.folder()).filter_map(key).collect()
    }
}

/// Finds missing files, orphans, modules that nothing declares, and exemptions that nothing needs.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    check_with(tree, EXEMPTIONS)
}

fn check_with(tree: &Tree, exemptions: &[Exemption]) -> Result<Vec<Violation>, Violation> {
    let exempt = |key: &Key, place| exemptions.iter().any(|e| e.key == key.to_string() && e.place == place);
    let blocks: BTreeSet<Key> = Place::WRITTEN.iter().flat_map(|place| place.keys(tree)).collect();

    let mut broken = Vec::new();
    for key in &blocks {
        let (there, missing): (Vec<Place>, Vec<Place>) =
            Place::WRITTEN.iter().partition(|place| tree.has(&place.file(key)));
        let files: Vec<String> = there.iter().map(|place| place.file(key)).collect();
        if missing.contains(&Place::Hardware) && !exempt(key, Place::Hardware) {
            for file in files {
                let what = format!("orphan: there is no hardware {}", Place::Hardware.file(key));
                broken.push(Violation::new(file, what, "delete it, or rename it with its block"));
            }
            continue;
        }
        for place in missing.into_iter().filter(|place| !exempt(key, *place)) {
            let what = format!("missing: block `{key}` has {}", files.join(", "));
            let cure = format!("write it; a block that needs none is listed with its reason in {HERE}");
            broken.push(Violation::new(place.file(key), what, cure));
        }
    }
    for place in Place::WRITTEN {
        broken.extend(strangers(tree, place));
    }
    for place in [Place::Hardware, Place::Golden, Place::Tests] {
        broken.extend(undeclared(tree, place)?);
    }
    broken.extend(verilog(tree, &blocks, exempt)?);
    broken.extend(stale(tree, &blocks, exemptions));
    Ok(broken)
}

/// Files deeper than a block's, and in no group.
fn strangers(tree: &Tree, place: Place) -> Vec<Violation> {
    let outside = |folder: &str| OUTSIDE.iter().any(|(known, _)| *known == folder);
    let mut broken = Vec::new();
    for file in tree.below(place.folder()).filter(|file| file.ends_with(place.extension())) {
        let parts: Vec<&str> = file.split('/').collect();
        let [group, block, ..] = parts[..] else {
            continue;
        };
        let path = format!("{}/{file}", place.folder());
        if !GROUPS.contains(&group) && !outside(&format!("{}/{group}", place.folder())) {
            let what = format!("orphan: `{group}` is no group; the groups are {}", GROUPS.join(", "));
            broken.push(Violation::new(path, what, format!("move it to a group, or add the group to {HERE}")));
        } else if GROUPS.contains(&group) && parts.len() > 2 {
            let whole = format!("{}/{group}/{block}{}", place.folder(), place.extension());
            if !tree.has(&whole) {
                let what = format!("orphan: a part of {whole}, which does not exist");
                broken.push(Violation::new(path, what, "delete it, or write the block that it is a part of"));
            }
        }
    }
    broken
}

/// Rust files of blocks that the module above, or groups that the root of the crate, does not declare.
fn undeclared(tree: &Tree, place: Place) -> Result<Vec<Violation>, Violation> {
    let folder = place.folder();
    let is_root = |file: &&str| match place {
        Place::Tests => file.ends_with(".rs") && !file.contains('/'),
        _ => *file == "lib.rs",
    };
    let roots: Vec<String> = tree.below(folder).filter(is_root).map(|file| format!("{folder}/{file}")).collect();

    let mut broken = Vec::new();
    let keys = place.keys(tree);
    let groups: BTreeSet<&str> = keys.iter().map(|key| key.group.as_str()).collect();
    for group in groups {
        let above = [format!("{folder}/{group}/mod.rs"), format!("{folder}/{group}.rs")];
        let Some(above) = above.iter().find(|file| tree.has(file)) else {
            let what = format!("missing: the modules of group `{group}` are declared nowhere");
            broken.push(Violation::new(&above[0], what, "write it, with one `mod` line a block"));
            continue;
        };
        let roots: Vec<&String> = roots.iter().filter(|root| *root != above).collect();
        let mut declared = false;
        for root in &roots {
            declared |= declares(tree, root, group)?;
        }
        if !declared {
            let root = roots.first().map_or(format!("{folder}/main.rs"), ToString::to_string);
            broken.push(Violation::new(above, "no crate root declares it", format!("write `mod {group};` in {root}")));
        }
        for key in keys.iter().filter(|key| key.group == group) {
            if !declares(tree, above, &key.block)? {
                let what = format!("{above} does not declare it: it is never compiled");
                let cure = format!("write `mod {};` there", key.block);
                broken.push(Violation::new(place.file(key), what, cure));
            }
        }
    }
    Ok(broken)
}

/// Whether a Rust file declares the module of another file by this name.
fn declares(tree: &Tree, file: &str, module: &str) -> Result<bool, Violation> {
    let declares = |item: &syn::Item| matches!(item, syn::Item::Mod(m) if m.content.is_none() && m.ident == module);
    Ok(tree.rust(file)?.items.iter().any(declares))
}

/// Configurations never generated or gone, blocks without Verilog in one, Verilog without a block, and files that do not
/// hold the one module of their name.
fn verilog(
    tree: &Tree,
    blocks: &BTreeSet<Key>,
    exempt: impl Fn(&Key, Place) -> bool,
) -> Result<Vec<Violation>, Violation> {
    let render = "run `cargo run --release -- build`";
    let hardware: BTreeSet<&Key> = blocks.iter().filter(|key| tree.has(&Place::Hardware.file(key))).collect();
    let written: BTreeSet<&str> = tree.below("spec/configs").filter_map(|file| file.strip_suffix(".toml")).collect();
    let generated: BTreeSet<&str> = tree.below("rtl-out").filter_map(|file| Some(file.split_once('/')?.0)).collect();

    let mut broken = Vec::new();
    for config in generated.difference(&written) {
        let what = format!("orphan: there is no spec/configs/{config}.toml");
        broken.push(Violation::new(format!("rtl-out/{config}"), what, "delete it, or restore the configuration"));
    }
    if !hardware.is_empty() {
        for config in written.difference(&generated) {
            let what = format!("missing: spec/configs/{config}.toml was never generated");
            broken.push(Violation::new(format!("rtl-out/{config}"), what, render));
        }
    }
    for config in &generated {
        let folder = format!("rtl-out/{config}/rtl");
        let mut there = BTreeSet::new();
        for file in tree.below(&folder).filter(|file| file.ends_with(".v")) {
            let path = format!("{folder}/{file}");
            let name = file.trim_end_matches(".v");
            match block_of(name, &hardware) {
                Some(key) => drop(there.insert(key)),
                None => {
                    broken.push(Violation::new(&path, "orphan: no block has this name", "delete it and build again"))
                }
            }
            let text = tree.text(&path)?;
            let modules = modules(&text);
            if modules != [name] {
                let what = format!("holds the modules {modules:?}; it should hold `{name}` alone");
                broken.push(Violation::new(path, what, render));
            }
        }
        for key in hardware.iter().filter(|key| !there.contains(*key) && !exempt(key, Place::Verilog)) {
            let what = format!("missing: neither `{0}_{1}.v` nor `{0}_{1}_<parameters>.v`", key.group, key.block);
            broken.push(Violation::new(&folder, what, format!("add `{key}` to what is rendered, and {render}")));
        }
    }
    Ok(broken)
}

/// The block of a module: `<group>_<block>`, or with parameters behind it. The longest name that fits is meant.
fn block_of<'a>(module: &str, blocks: &BTreeSet<&'a Key>) -> Option<&'a Key> {
    let fits = |key: &&&Key| {
        let rest = module.strip_prefix(&format!("{}_{}", key.group, key.block));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    blocks.iter().filter(fits).max_by_key(|key| key.group.len() + key.block.len()).copied()
}

/// Names of the modules that a Verilog text declares.
fn modules(verilog: &str) -> Vec<&str> {
    let declaration = Regex::new(r"(?m)^module\s+(\w+)").expect("the pattern is right");
    declaration.captures_iter(verilog).map(|found| found.extract::<1>().1[0]).collect()
}

/// Exemptions of what is there after all, or of blocks that are gone.
fn stale(tree: &Tree, blocks: &BTreeSet<Key>, exemptions: &[Exemption]) -> Vec<Violation> {
    let mut broken = Vec::new();
    for exemption in exemptions {
        let key = blocks.iter().find(|key| key.to_string() == exemption.key);
        let why = match key {
            None => Some("is no block".to_owned()),
            Some(key) if exemption.place == Place::Verilog => {
                let one = BTreeSet::from([key]);
                let file = |file: &&str| {
                    file.ends_with(".v")
                        && file
                            .rsplit('/')
                            .next()
                            .is_some_and(|name| block_of(name.trim_end_matches(".v"), &one).is_some())
                };
                tree.below("rtl-out").find(file).map(|file| format!("has rtl-out/{file}"))
            }
            Some(key) => tree.has(&exemption.place.file(key)).then(|| format!("has {}", exemption.place.file(key))),
        };
        if let Some(why) = why {
            let what = format!("exemption of `{}` from {:?}, which {why}", exemption.key, exemption.place);
            broken.push(Violation::new(HERE, what, "delete it"));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::{Exemption, Place, check, check_with};

    /// One block, whole, in one configuration.
    const WHOLE: [(&str, &str); 12] = [
        ("spec/configs/small.toml", ""),
        ("hdl/src/lib.rs", "pub mod bundles; pub mod cells;"),
        ("hdl/src/bundles/stream.rs", ""),
        ("hdl/src/cells.rs", "pub mod fifo;"),
        ("hdl/src/cells/fifo.rs", ""),
        ("verif/golden/src/lib.rs", "pub mod cells;"),
        ("verif/golden/src/cells.rs", "pub mod fifo;"),
        ("verif/golden/src/cells/fifo.rs", ""),
        ("tb/tests/blocks.rs", "mod cells;"),
        ("tb/tests/cells/mod.rs", "mod fifo;"),
        ("tb/tests/cells/fifo.rs", ""),
        ("docs/blocks/cells/fifo.md", ""),
    ];
    const VERILOG: (&str, &str) =
        ("rtl-out/small/rtl/cells_fifo_512x289.v", "module cells_fifo_512x289 (\n);\nendmodule\n");

    /// What is broken in the whole block without some files and with others (or other texts).
    fn broken(without: &[&str], with: &[(&str, &str)], exemptions: &[Exemption]) -> Vec<String> {
        let kept = WHOLE.iter().chain([&VERILOG]).copied();
        let kept = kept.filter(|(path, _)| !without.contains(path) && !with.iter().any(|(other, _)| other == path));
        let files: Vec<(&str, &str)> = kept.chain(with.iter().copied()).collect();
        let (_folder, tree) = planted(&files);
        printed(&check_with(&tree, exemptions).expect("the tree is readable"))
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn a_whole_block_is_fine() {
        assert_eq!(broken(&[], &[], &[]), [""; 0]);
        assert_eq!(
            broken(&[], &[("tb/tests/cells/fifo/stimulus.rs", ""), ("docs/blocks/README.md", "")], &[]),
            [""; 0]
        );
    }

    #[test]
    fn a_missing_file_is_named_with_what_there_is() {
        assert_eq!(
            broken(&["docs/blocks/cells/fifo.md"], &[], &[]),
            ["docs/blocks/cells/fifo.md: missing: block `cells/fifo` has hdl/src/cells/fifo.rs, \
              verif/golden/src/cells/fifo.rs, tb/tests/cells/fifo.rs\n\
              cure: write it; a block that needs none is listed with its reason in xtask/src/tidy/mirror.rs"]
        );
    }

    #[test]
    fn without_hardware_everything_is_an_orphan() {
        let declares_nothing = [("hdl/src/cells.rs", "")];
        let orphan = |file: &str| {
            format!(
                "{file}: orphan: there is no hardware hdl/src/cells/fifo.rs\n\
                 cure: delete it, or rename it with its block"
            )
        };
        assert_eq!(
            broken(&["hdl/src/cells/fifo.rs"], &declares_nothing, &[]),
            [
                orphan("verif/golden/src/cells/fifo.rs"),
                orphan("tb/tests/cells/fifo.rs"),
                orphan("docs/blocks/cells/fifo.md"),
                "rtl-out/small/rtl/cells_fifo_512x289.v: orphan: no block has this name\ncure: delete it and build again".into(),
            ]
        );
    }

    #[test]
    fn strangers_are_orphans() {
        assert_eq!(
            broken(&[], &[("tb/tests/cell/fifo.rs", ""), ("tb/tests/cells/ram/stimulus.rs", "")], &[]),
            [
                "tb/tests/cell/fifo.rs: orphan: `cell` is no group; the groups are cells, iommu, active_access, spin, top\n\
                 cure: move it to a group, or add the group to xtask/src/tidy/mirror.rs",
                "tb/tests/cells/ram/stimulus.rs: orphan: a part of tb/tests/cells/ram.rs, which does not exist\n\
                 cure: delete it, or write the block that it is a part of",
            ]
        );
    }

    #[test]
    fn a_file_that_is_never_compiled_is_found() {
        assert_eq!(
            broken(&[], &[("tb/tests/cells/mod.rs", "mod fifo { }")], &[]),
            ["tb/tests/cells/fifo.rs: tb/tests/cells/mod.rs does not declare it: it is never compiled\n\
              cure: write `mod fifo;` there"]
        );
        assert_eq!(
            broken(&[], &[("tb/tests/blocks.rs", "")], &[]),
            ["tb/tests/cells/mod.rs: no crate root declares it\ncure: write `mod cells;` in tb/tests/blocks.rs"]
        );
        assert_eq!(
            broken(&["hdl/src/cells.rs"], &[], &[]),
            ["hdl/src/cells/mod.rs: missing: the modules of group `cells` are declared nowhere\n\
              cure: write it, with one `mod` line a block"]
        );
    }

    #[test]
    fn every_configuration_holds_every_block_and_nothing_else() {
        assert_eq!(
            broken(&[VERILOG.0], &[("rtl-out/small/rtl/cells_fifo2.v", "module cells_fifo2;")], &[]),
            [
                "rtl-out/small/rtl/cells_fifo2.v: orphan: no block has this name\ncure: delete it and build again",
                "rtl-out/small/rtl: missing: neither `cells_fifo.v` nor `cells_fifo_<parameters>.v`\n\
                 cure: add `cells/fifo` to what is rendered, and run `cargo run --release -- build`",
            ]
        );
        assert_eq!(
            broken(&[], &[("spec/configs/max.toml", ""), ("rtl-out/old/rtl/cells_fifo.v", "module cells_fifo;")], &[]),
            [
                "rtl-out/old: orphan: there is no spec/configs/old.toml\n\
                 cure: delete it, or restore the configuration",
                "rtl-out/max: missing: spec/configs/max.toml was never generated\n\
                 cure: run `cargo run --release -- build`",
            ]
        );
    }

    #[test]
    fn a_verilog_file_holds_the_module_of_its_name() {
        let two = "module cells_fifo_512x289 (\nendmodule\nmodule helper;\nendmodule\n";
        assert_eq!(
            broken(&[], &[(VERILOG.0, two)], &[]),
            [
                "rtl-out/small/rtl/cells_fifo_512x289.v: holds the modules [\"cells_fifo_512x289\", \"helper\"]; it should \
              hold `cells_fifo_512x289` alone\ncure: run `cargo run --release -- build`"
            ]
        );
    }

    #[test]
    fn exemptions_work_and_do_not_outlive_their_need() {
        let golden = Exemption { key: "cells/fifo", place: Place::Golden, reason: "for this test" };
        let gone = Exemption { key: "cells/gone", ..golden };
        let verilog = Exemption { place: Place::Verilog, ..golden };
        let without_golden = ["verif/golden/src/cells/fifo.rs"];
        let declares_nothing = [("verif/golden/src/cells.rs", "")];
        assert_eq!(broken(&without_golden, &declares_nothing, &[golden]), [""; 0]);
        assert_eq!(broken(&[VERILOG.0], &[("rtl-out/small/MANIFEST", "")], &[verilog]), [""; 0]);
        assert_eq!(
            broken(&[], &[], &[golden, gone, verilog]),
            [
                "xtask/src/tidy/mirror.rs: exemption of `cells/fifo` from Golden, which has \
                 verif/golden/src/cells/fifo.rs\ncure: delete it",
                "xtask/src/tidy/mirror.rs: exemption of `cells/gone` from Golden, which is no block\ncure: delete it",
                "xtask/src/tidy/mirror.rs: exemption of `cells/fifo` from Verilog, which has \
                 rtl-out/small/rtl/cells_fifo_512x289.v\ncure: delete it",
            ]
        );
    }
}
