//! Dependencies among our own packages point one way, as `cargo metadata` sees them.
//!
//! The arrows of `ARCHITECTURE.md` stand here once, as data. What is not listed is forbidden: above all, `golden` never
//! sees `hdl`, because a model written from the hardware would share its mistakes.

use super::{Tree, Violation};
use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// A package and all of ours that it may depend on.
struct Arrows {
    package: &'static str,
    to: &'static [&'static str],
}

/// The arrows. `xtask` stands outside: it may use everything and nothing may use it.
const ARROWS: &[Arrows] = &[
    Arrows { package: "tollgate-spec", to: &[] },
    Arrows { package: "tollgate-rtl-derive", to: &[] },
    Arrows { package: "tollgate-rtl", to: &["tollgate-rtl-derive"] },
    Arrows { package: "tollgate-hdl", to: &["tollgate-spec", "tollgate-rtl"] },
    Arrows { package: "tollgate-golden", to: &["tollgate-spec"] },
    Arrows { package: "tollgate-cosim", to: &["tollgate-golden", "tollgate-spec"] },
    Arrows { package: "tb", to: &["tollgate-cosim", "tollgate-golden", "tollgate-spec"] },
    Arrows { package: "tollgate", to: &["tollgate-spec", "tollgate-hdl", "tollgate-rtl", "tollgate-golden"] },
];

/// The package outside the arrows.
const OUTSIDE: &str = "xtask";

/// A dependency for tests alone that the arrows do not have.
#[derive(Clone, Copy)]
struct TestArrow {
    from: &'static str,
    to: &'static str,
    #[expect(dead_code, reason = "read by people: why the tests need it")]
    reason: &'static str,
}

/// All dependencies for tests alone that the arrows do not have.
const FOR_TESTS: &[TestArrow] = &[TestArrow {
    from: "tollgate-hdl",
    to: "tollgate-golden",
    reason: "geometries that no configuration ships run in the interpreter, where no testbench reaches",
}];

/// This file.
const HERE: &str = "xtask/src/tidy/dependencies.rs";

/// Finds dependencies against the arrows, packages without arrows, and arrows without packages.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    check_with(tree, FOR_TESTS)
}

fn check_with(tree: &Tree, for_tests: &[TestArrow]) -> Result<Vec<Violation>, Violation> {
    let manifest = tree.root().join("Cargo.toml");
    let metadata =
        MetadataCommand::new().manifest_path(manifest).no_deps().exec().map_err(|e| {
            Violation::new("Cargo.toml", format!("`cargo metadata` fails: {e}"), "make the workspace load")
        })?;
    let packages: Vec<&Package> = metadata.packages.iter().collect();
    let ours = |name: &str| packages.iter().any(|package| *package.name == name);

    let mut broken = Vec::new();
    for package in packages.iter().filter(|package| *package.name != OUTSIDE) {
        let name = package.name.as_str();
        let manifest = package.manifest_path.strip_prefix(&metadata.workspace_root).unwrap_or(&package.manifest_path);
        let Some(arrows) = ARROWS.iter().find(|arrows| arrows.package == name) else {
            let cure = format!("say in {HERE} what it may depend on, and draw it in ARCHITECTURE.md");
            broken.push(Violation::new(manifest.as_str(), format!("package `{name}` has no arrows"), cure));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| ours(&dependency.name)) {
            let to = dependency.name.as_str();
            let test_only = dependency.kind == DependencyKind::Development;
            let excepted = test_only && for_tests.iter().any(|t| t.from == name && t.to == to);
            if !arrows.to.contains(&to) && !excepted {
                let kind = if test_only { " for its tests" } else { "" };
                let allowed = if arrows.to.is_empty() { "nothing of ours".into() } else { arrows.to.join(", ") };
                broken.push(Violation::new(
                    manifest.as_str(),
                    format!("`{name}` depends on `{to}`{kind}; it may depend on {allowed}"),
                    "move what is shared to a package that both may see, most often `tollgate-spec`",
                ));
            }
        }
    }
    for arrows in ARROWS.iter().filter(|arrows| !ours(arrows.package)) {
        let what = format!("arrows of `{}`, which is no package of the workspace", arrows.package);
        broken.push(Violation::new(HERE, what, "delete them, or add the package to the workspace"));
    }
    for arrow in for_tests {
        let used = packages.iter().filter(|package| *package.name == arrow.from).any(|package| {
            package.dependencies.iter().any(|d| d.name == arrow.to && d.kind == DependencyKind::Development)
        });
        if !used {
            let what = format!("exception `{}` to `{}`, which nothing uses", arrow.from, arrow.to);
            broken.push(Violation::new(HERE, what, "delete it"));
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::{ARROWS, TestArrow, Violation, check, check_with};

    /// A workspace of all packages with arrows, each empty, and with these extra lines in their manifests.
    fn workspace(extra: &[(&str, &str)], for_tests: &[TestArrow]) -> Vec<Violation> {
        let names: Vec<&str> = ARROWS.iter().map(|arrows| arrows.package).chain(["xtask"]).collect();
        let others = extra.iter().map(|(name, _)| *name).filter(|name| !names.contains(name));
        let names: Vec<&str> = names.iter().copied().chain(others).collect();
        let mut files =
            vec![("Cargo.toml".to_owned(), format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n"))];
        for name in names {
            let lines: String = extra.iter().filter(|(n, _)| *n == name).map(|(_, line)| format!("{line}\n")).collect();
            files.push((
                format!("{name}/Cargo.toml"),
                format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n{lines}"),
            ));
            files.push((format!("{name}/src/lib.rs"), String::new()));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, tree) = planted(&files);
        check_with(&tree, for_tests).expect("the workspace loads")
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn arrows_themselves_are_allowed() {
        let extra = [("tollgate-golden", "[dependencies]\ntollgate-spec = { path = \"../tollgate-spec\" }")];
        assert_eq!(workspace(&extra, &[]), []);
    }

    #[test]
    fn golden_may_not_see_hardware_by_any_name() {
        let renamed =
            "[dependencies]\nmodels = { package = \"tollgate-hdl\", path = \"../tollgate-hdl\", optional = true }";
        assert_eq!(
            printed(&workspace(&[("tollgate-golden", renamed)], &[])),
            [
                "tollgate-golden/Cargo.toml: `tollgate-golden` depends on `tollgate-hdl`; it may depend on tollgate-spec\n\
              cure: move what is shared to a package that both may see, most often `tollgate-spec`"
            ]
        );
    }

    #[test]
    fn tests_follow_the_law_but_for_listed_exceptions() {
        let line = "[dev-dependencies]\ntollgate-cosim = { path = \"../tollgate-cosim\" }";
        let exception = TestArrow { from: "tollgate-rtl", to: "tollgate-cosim", reason: "for this test" };
        assert_eq!(
            printed(&workspace(&[("tollgate-rtl", line)], &[])),
            ["tollgate-rtl/Cargo.toml: `tollgate-rtl` depends on `tollgate-cosim` for its tests; it may depend on \
              tollgate-rtl-derive\n\
              cure: move what is shared to a package that both may see, most often `tollgate-spec`"]
        );
        assert_eq!(workspace(&[("tollgate-rtl", line)], &[exception]), []);
        assert_eq!(
            printed(&workspace(&[], &[exception])),
            ["xtask/src/tidy/dependencies.rs: exception `tollgate-rtl` to `tollgate-cosim`, which nothing uses\n\
              cure: delete it"]
        );
    }

    #[test]
    fn every_package_has_arrows_and_nothing_uses_xtask() {
        let uses_xtask = "[dependencies]\nxtask = { path = \"../xtask\" }";
        assert_eq!(
            printed(&workspace(&[("stray", ""), ("tollgate-spec", uses_xtask)], &[])),
            [
                "tollgate-spec/Cargo.toml: `tollgate-spec` depends on `xtask`; it may depend on nothing of ours\n\
                 cure: move what is shared to a package that both may see, most often `tollgate-spec`",
                "stray/Cargo.toml: package `stray` has no arrows\n\
                 cure: say in xtask/src/tidy/dependencies.rs what it may depend on, and draw it in ARCHITECTURE.md"
            ]
        );
    }
}
