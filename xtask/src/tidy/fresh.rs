//! Generated files are fresh: `rtl-out` holds what the generator renders for the shipped configurations, and nothing
//! else.

use super::{Tree, Violation};
use tollgate::folder::{Finding, State, compare};
use tollgate_spec::config::{Config, SHIPPED};

/// The folder of generated files.
const OUT: &str = "rtl-out";

/// Finds generated files that are stale, missing, edited by hand or too many.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let mut broken = Vec::new();
    for (name, _) in SHIPPED {
        let folder = format!("{OUT}/{name}");
        let wrong = |what: String| Violation::new(&folder, what, "mend what the generator reads or does");
        let config = Config::shipped(name, &[]).map_err(|error| wrong(error.to_string()))?;
        let rendered = tollgate::render(&config).map_err(|error| wrong(error.to_string()))?;
        let findings = compare(&tree.root().join(&folder), &rendered).map_err(|error| wrong(error.to_string()))?;
        broken.extend(findings.iter().filter_map(|finding| violation(&folder, finding)));
    }
    let is_shipped =
        |file: &&str| SHIPPED.iter().any(|(name, _)| file.split_once('/').is_some_and(|(f, _)| f == *name));
    broken.extend(tree.below(OUT).filter(|file| !is_shipped(file)).map(|file| {
        let what = "no configuration in `spec/configs` is generated there";
        Violation::new(format!("{OUT}/{file}"), what, "remove it, or build it elsewhere with `--out`")
    }));
    Ok(broken)
}

/// What is wrong with a file of a configuration, if anything is.
fn violation(folder: &str, Finding { path, state }: &Finding) -> Option<Violation> {
    let build = "cargo run --release -- build";
    let (what, cure) = match state {
        State::Fresh => return None,
        State::Stale => ("stale: what it was generated from has changed", build.to_owned()),
        State::Missing => ("missing", build.to_owned()),
        State::LeftOver => ("no longer generated", build.to_owned()),
        State::Edited => {
            ("edited by hand", format!("make the change in the generator, then {build} --overwrite-edits"))
        }
        State::Extra => ("not generated", "remove it, or move what is written by hand elsewhere".to_owned()),
    };
    Some(Violation::new(format!("{folder}/{path}"), what, cure))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::{SHIPPED, Tree, check};
    use std::fs;
    use std::path::Path;
    use tollgate::folder::{Edits, write};
    use tollgate_spec::config::Config;

    /// What is broken in a tree that is fresh but for what `spoil` does to `rtl-out`.
    fn broken(spoil: impl FnOnce(&Path)) -> Vec<String> {
        let (folder, _) = planted(&[]);
        let out = folder.path().join("rtl-out");
        for (name, _) in SHIPPED {
            let rendered = tollgate::render(&Config::shipped(name, &[]).unwrap()).unwrap();
            write(&out.join(name), &rendered, Edits::Keep).unwrap();
        }
        spoil(&out);
        let tree = Tree::at(folder.path()).expect("the tree is readable");
        printed(&check(&tree).expect("the generator works"))
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn what_was_just_generated_is_fresh() {
        assert_eq!(broken(|_| {}), [""; 0]);
    }

    #[test]
    fn an_edit_is_found() {
        assert_eq!(
            broken(|out| fs::write(out.join("small/tollgate.f"), "rtl/mine.v\n").unwrap()),
            ["rtl-out/small/tollgate.f: edited by hand\n\
              cure: make the change in the generator, then cargo run --release -- build --overwrite-edits"]
        );
    }

    #[test]
    fn what_another_configuration_left_is_found() {
        let broken = broken(|out| {
            let sets = ["cells.synchronizer.stages=5".to_owned()];
            let rendered = tollgate::render(&Config::shipped("max", &sets).unwrap()).unwrap();
            write(&out.join("max"), &rendered, Edits::Keep).unwrap();
        });
        let build = "cure: cargo run --release -- build";
        let has = |what: &str| broken.iter().any(|text| *text == format!("{what}\n{build}"));
        assert!(has("rtl-out/max/config.toml: stale: what it was generated from has changed"), "{broken:?}");
        assert!(has("rtl-out/max/rtl/cells_synchronizer_5.v: no longer generated"), "{broken:?}");
        assert!(broken.iter().all(|text| text.ends_with(build) && text.starts_with("rtl-out/max/")), "{broken:?}");
    }

    #[test]
    fn a_missing_and_an_additional_file_are_found() {
        assert_eq!(
            broken(|out| {
                fs::remove_file(out.join("default/include/tollgate.h")).unwrap();
                fs::write(out.join("default/rtl/mine.v"), "").unwrap();
                fs::write(out.join("notes.txt"), "").unwrap();
            }),
            [
                "rtl-out/default/include/tollgate.h: missing\ncure: cargo run --release -- build",
                "rtl-out/default/rtl/mine.v: not generated\n\
                 cure: remove it, or move what is written by hand elsewhere",
                "rtl-out/notes.txt: no configuration in `spec/configs` is generated there\n\
                 cure: remove it, or build it elsewhere with `--out`",
            ]
        );
    }
}
