//! Paths are read at run time: no Rust file takes the folder of its package when it is compiled.
//!
//! Such a path names the tree that was compiled: a check that follows it passes on a copy for the sake of the original.

use super::{Tree, Violation};

/// Finds `env!` and `option_env!` of the folder of a package.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let mut broken = Vec::new();
    for file in tree.files().filter(|file| file.ends_with(".rs")) {
        for (number, line) in tree.text(file)?.lines().enumerate() {
            let code: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            if code.contains(concat!("env!(", "\"CARGO_MANIFEST_DIR")) {
                let what = "the folder of the package is taken when it is compiled";
                let cure = "write `std::env::var_os(\"CARGO_MANIFEST_DIR\")`, or give the path to what needs it";
                broken.push(Violation::new(file, what, cure).at(number + 1));
            }
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::check;

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn a_path_of_compilation_is_found() {
        let at_compilation = concat!("env!", "( \"CARGO_MANIFEST_DIR\" )");
        let text = format!(
            "let a = {at_compilation};\nlet b = std::env::var(\"CARGO_MANIFEST_DIR\");\noption_{at_compilation};\n"
        );
        let (_folder, tree) = planted(&[("tb/src/lib.rs", text.as_str()), ("docs/page.md", text.as_str())]);
        let found = |line| {
            format!(
                "tb/src/lib.rs:{line}: the folder of the package is taken when it is compiled\n\
                 cure: write `std::env::var_os(\"CARGO_MANIFEST_DIR\")`, or give the path to what needs it"
            )
        };
        assert_eq!(printed(&check(&tree).expect("the tree is readable")), [found(1), found(3)]);
    }
}
