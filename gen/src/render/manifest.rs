//! The hashes of the last render, in the format of `sha256sum`.
//!
//! A file whose hash is the manifest's is as the generator wrote it; any other has been edited since.

use super::Rendered;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path};

/// The name of the file.
pub const NAME: &str = "MANIFEST";

/// The hash of each file, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest(BTreeMap<String, String>);

impl Manifest {
    /// The hashes of rendered files.
    pub fn of(files: &[Rendered]) -> Self {
        Self(files.iter().map(|file| (file.path.clone(), hash(file.text.as_bytes()))).collect())
    }

    /// The manifest in a text; `None` if no build wrote that text. A path that leads out of the folder is none of a
    /// build's: what a manifest names, a build may delete.
    pub fn parse(text: &str) -> Option<Self> {
        let line = |line: &str| {
            let (hash, path) = line.split_once("  ")?;
            let stays_below = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            (is_hash && stays_below && !path.is_empty()).then(|| (path.to_owned(), hash.to_owned()))
        };
        let manifest = Self(text.lines().map(line).collect::<Option<_>>()?);
        (manifest.to_string() == text).then_some(manifest)
    }

    /// The hash of the file at `path`, if the render wrote one.
    pub fn hash(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(path, hash)| writeln!(f, "{hash}  {path}"))
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{Manifest, hash};
    use crate::Rendered;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn hashes_are_those_of_sha256sum() {
        assert_eq!(hash(b""), EMPTY);
        assert_eq!(hash(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let manifest = Manifest::of(&[Rendered::new("rtl/b.v", "b"), Rendered::new("a.f", "")]);
        let text = manifest.to_string();
        assert!(text.starts_with(&format!("{EMPTY}  a.f\n")));
        assert_eq!(Manifest::parse(&text), Some(manifest));
        assert_eq!(Manifest::parse(""), Some(Manifest::default()));
    }

    #[test]
    fn what_no_build_wrote_is_no_manifest() {
        let line = |hash: &str, path: &str| Manifest::parse(&format!("{hash}  {path}\n"));
        assert!(line(EMPTY, "rtl/a.v").is_some());
        assert!(line(EMPTY, "../a.v").is_none(), "leads out");
        assert!(line(EMPTY, "rtl/../../a.v").is_none(), "leads out");
        assert!(line(EMPTY, "/etc/passwd").is_none(), "leads out");
        assert!(line(EMPTY, "").is_none(), "no path");
        assert!(line(&EMPTY[1..], "rtl/a.v").is_none(), "a short hash");
        assert!(Manifest::parse(&format!("<<<<<<< ours\n{EMPTY}  a\n=======\n")).is_none(), "a merge conflict");
        assert!(Manifest::parse(&format!("{EMPTY}  b\n{EMPTY}  a\n")).is_none(), "not sorted");
        assert!(Manifest::parse(&format!("{EMPTY}  a")).is_none(), "cut short");
    }
}
