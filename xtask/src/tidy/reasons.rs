//! Nothing comes from outside without a reason.
//!
//! A dependency is listed once, in `[workspace.dependencies]`, with a comment behind it that says why it is here;
//! packages take it from there. Every entry of `deny.toml` and of `clippy.toml` has a reason, by key or by comment. Of a
//! crate that `Cargo.lock` has in several versions, all but one stand under `bans.skip` of `deny.toml`, and no other crate
//! does: cargo-deny is not one of the tools that the tests fetch, and would refuse it.

use super::{Tree, Violation};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Finds dependencies and exceptions without a reason, and dependencies taken from elsewhere.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let mut broken = listed(tree)?;
    for manifest in tree.files().filter(|file| file.ends_with("/Cargo.toml")) {
        broken.extend(taken_from_elsewhere(tree, manifest)?);
    }
    for file in ["deny.toml", "clippy.toml"].into_iter().filter(|file| tree.has(file)) {
        let text = tree.text(file)?;
        unexplained(&parse(file, &text)?, &text, file, &mut broken);
    }
    if tree.has("deny.toml") && tree.has("Cargo.lock") {
        broken.extend(several_versions(&tree.text("deny.toml")?, &tree.text("Cargo.lock")?)?);
    }
    Ok(broken)
}

/// Crates in several versions that `deny.toml` does not let pass, and what it lets pass for nothing.
fn several_versions(deny: &str, lock: &str) -> Result<Vec<Violation>, Violation> {
    let lock = parse("Cargo.lock", lock)?;
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.get("package").and_then(|packages| packages.get_ref().as_array()).into_iter().flatten() {
        let text = |key: &str| package.get_ref().get(key).and_then(|it| it.get_ref().as_str());
        if let (Some(name), Some(version)) = (text("name"), text("version")) {
            versions.entry(name).or_default().push(version);
        }
    }
    let root = parse("deny.toml", deny)?;
    let skip = table(&root, &["bans"]).and_then(|bans| bans.get("skip")?.get_ref().as_array());
    let mut broken = Vec::new();
    for entry in skip.into_iter().flatten() {
        let Some(skipped) = entry.get_ref().get("crate").and_then(|it| it.get_ref().as_str()) else { continue };
        let (name, wanted) = skipped.split_once('@').unwrap_or((skipped, ""));
        let of_name = versions.get_mut(name).filter(|found| found.len() > 1);
        let is_skipped =
            |version: &&str| version.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        match of_name.and_then(|found| found.iter().position(is_skipped).map(|at| found.remove(at))) {
            Some(_) => {}
            None => broken.push(
                Violation::new(
                    "deny.toml",
                    format!("`{skipped}` is no second version of a crate"),
                    "take the entry out",
                )
                .at(line(deny, entry.span().start)),
            ),
        }
    }
    let left = versions.into_iter().filter(|(_, found)| found.len() > 1);
    broken.extend(left.map(|(name, found)| {
        let what = format!("`{name}` has several versions in Cargo.lock: {}", found.join(", "));
        Violation::new("deny.toml", what, "update to one, or add all but one to `bans.skip`, with the reason")
    }));
    Ok(broken)
}

/// Dependencies of the workspace without a comment. Ours are in the arrows of the dependency law instead.
fn listed(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let text = tree.text("Cargo.toml")?;
    let root = parse("Cargo.toml", &text)?;
    let Some(dependencies) = table(&root, &["workspace", "dependencies"]) else {
        return Ok(Vec::new());
    };
    let without = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let ours = value.get_ref().get("path").is_some();
        (!ours && comment(&text, &value.span()).is_none()).then(|| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            Violation::new(
                "Cargo.toml",
                format!("dependency `{name}` has no reason"),
                "say behind it, after `#`, what it does that the project does not exist for",
            )
            .at(line(&text, value.span().start))
        })
    };
    Ok(dependencies.iter().filter_map(without).collect())
}

/// Dependencies of a package that do not come from the workspace's list.
fn taken_from_elsewhere(tree: &Tree, manifest: &str) -> Result<Vec<Violation>, Violation> {
    let text = tree.text(manifest)?;
    let root = parse(manifest, &text)?;
    let mut broken = Vec::new();
    let targets = table(&root, &["target"]).into_iter().flat_map(|targets| targets.values());
    let owners = targets.filter_map(|target| target.get_ref().as_table()).chain([&root]);
    for owner in owners {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, value) in table(owner, &[kind]).into_iter().flatten() {
                let inherited = value.get_ref().get("workspace").and_then(|it| it.get_ref().as_bool()) == Some(true);
                if !inherited {
                    let name = name.get_ref();
                    let what = format!("dependency `{name}` is not taken from the workspace");
                    let cure = format!("write `{name}.workspace = true`, and list it in Cargo.toml with its reason");
                    broken.push(Violation::new(manifest, what, cure).at(line(&text, value.span().start)));
                }
            }
        }
    }
    Ok(broken)
}

/// Elements of arrays, at any depth, that have neither a `reason` nor a comment behind them.
fn unexplained(table: &DeTable<'_>, text: &str, file: &str, broken: &mut Vec<Violation>) {
    for (key, value) in table {
        match value.get_ref() {
            DeValue::Table(inner) => unexplained(inner, text, file, broken),
            DeValue::Array(elements) => {
                for element in elements.iter() {
                    let reason = element.get_ref().get("reason").and_then(|it| it.get_ref().as_str());
                    if reason.is_none_or(str::is_empty) && comment(text, &element.span()).is_none() {
                        let what = format!("an entry of `{}` has no reason", key.get_ref());
                        let cure = "give it a `reason`, or say why behind it, after `#`";
                        broken.push(Violation::new(file, what, cure).at(line(text, element.span().start)));
                    }
                }
            }
            _ => {}
        }
    }
}

/// A TOML file, with places.
fn parse<'a>(file: &str, text: &'a str) -> Result<DeTable<'a>, Violation> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|e| {
        let what = format!("not TOML: {}", e.message());
        Violation::new(file, what, "correct it").at(line(text, e.span().map_or(0, |span| span.start)))
    })
}

/// The table at a path of keys.
fn table<'a, 'b>(root: &'a DeTable<'b>, path: &[&str]) -> Option<&'a DeTable<'b>> {
    path.iter().try_fold(root, |table, key| table.get(*key)?.get_ref().as_table())
}

/// The comment behind a value, on the line that it ends in.
fn comment<'a>(text: &'a str, value: &Range<usize>) -> Option<&'a str> {
    let behind = text[value.end..].lines().next()?.trim_start_matches([',', ' ', '\t']);
    Some(behind.strip_prefix('#')?.trim()).filter(|words| !words.is_empty())
}

/// The line (from 1) of a byte.
fn line(text: &str, byte: usize) -> usize {
    text[..byte].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::check;

    /// What is broken in a workspace with these files.
    fn broken(files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, tree) = planted(files);
        printed(&check(&tree).expect("the tree is readable"))
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn a_dependency_says_why_it_is_here() {
        let root = "[workspace.dependencies]\nours = { path = \"ours\" }\nserde = { version = \"1\", features = [\n  \"derive\",\n] } # typed configuration\n\
                    regex = \"1\" #\nsyn = \"3#\"\n";
        let cure = "cure: say behind it, after `#`, what it does that the project does not exist for";
        assert_eq!(
            broken(&[("Cargo.toml", root)]),
            [
                format!("Cargo.toml:6: dependency `regex` has no reason\n{cure}"),
                format!("Cargo.toml:7: dependency `syn` has no reason\n{cure}"),
            ]
        );
    }

    #[test]
    fn a_package_takes_dependencies_from_the_workspace() {
        let package = "[dependencies]\nserde.workspace = true\nregex = \"1\" # quick\n\
                       [target.'cfg(unix)'.dev-dependencies]\nlibc = { version = \"0.2\" }\n";
        assert_eq!(
            broken(&[("Cargo.toml", "[workspace]\n"), ("gen/Cargo.toml", package)]),
            [
                "gen/Cargo.toml:5: dependency `libc` is not taken from the workspace\n\
                 cure: write `libc.workspace = true`, and list it in Cargo.toml with its reason",
                "gen/Cargo.toml:3: dependency `regex` is not taken from the workspace\n\
                 cure: write `regex.workspace = true`, and list it in Cargo.toml with its reason",
            ]
        );
    }

    #[test]
    fn an_exception_has_a_reason() {
        let deny = "[licenses]\nallow = [\n  \"MIT\", # ours\n  \"Zlib\",\n]\n[bans]\ndeny = [{ crate = \"a\", reason = \"b\" }, { crate = \"c\", reason = \"\" }]\n";
        let cure = "cure: give it a `reason`, or say why behind it, after `#`";
        assert_eq!(
            broken(&[("Cargo.toml", "[workspace]\n"), ("deny.toml", deny)]),
            [
                format!("deny.toml:7: an entry of `deny` has no reason\n{cure}"),
                format!("deny.toml:4: an entry of `allow` has no reason\n{cure}"),
            ]
        );
    }

    #[test]
    fn several_versions_of_a_crate_are_let_pass_one_by_one() {
        let package = |name: &str, version: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n");
        let lock = [("a", "1.2.0"), ("a", "2.0.0"), ("b", "0.1.0"), ("b", "0.10.0"), ("c", "1.0.0")];
        let lock: String = lock.map(|(name, version)| package(name, version)).concat();
        let deny =
            "[bans]\nskip = [\n  { crate = \"a@1\", reason = \"x\" },\n  { crate = \"c@1\", reason = \"x\" },\n]\n";
        assert_eq!(
            broken(&[("Cargo.toml", "[workspace]\n"), ("deny.toml", deny), ("Cargo.lock", &lock)]),
            [
                "deny.toml:4: `c@1` is no second version of a crate\ncure: take the entry out",
                "deny.toml: `b` has several versions in Cargo.lock: 0.1.0, 0.10.0\n\
                 cure: update to one, or add all but one to `bans.skip`, with the reason",
            ]
        );
    }

    #[test]
    fn wrong_toml_has_a_place() {
        let (_folder, tree) = planted(&[("Cargo.toml", "[workspace]\nresolver = \n")]);
        let wrong = check(&tree).unwrap_err();
        assert_eq!((wrong.file.as_str(), wrong.line), ("Cargo.toml", Some(2)));
    }
}
