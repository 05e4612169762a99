//! The hashes of the last render, in the format of `sha256sum`.
//!
//! A file whose hash is the manifest's is as the generator wrote it; any other has been edited since. The last line, to
//! `sha256sum` a comment, is the hash of those above: a manifest that it does not fit has been edited itself.

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
        let (lines, _own_hash) = text.rsplit_once("# ")?;
        let manifest = Self(lines.lines().map(line).collect::<Option<_>>()?);
        (manifest.to_string() == text).then_some(manifest)
    }

    /// The hash of the file at `path`, if the render wrote one.
    pub fn hash(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: String = self.0.iter().map(|(path, hash)| format!("{hash}  {path}\n")).collect();
        writeln!(f, "{lines}# {}  of the lines above", hash(lines.as_bytes()))
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
        assert_eq!(Manifest::parse(&format!("# {EMPTY}  of the lines above\n")), Some(Manifest::default()));
    }

    #[test]
    fn what_no_build_wrote_is_no_manifest() {
        let parse =
            |lines: &str| Manifest::parse(&format!("{lines}# {}  of the lines above\n", hash(lines.as_bytes())));
        let line = |hash: &str, path: &str| parse(&format!("{hash}  {path}\n"));
        assert!(line(EMPTY, "rtl/a.v").is_some());
        assert!(line(EMPTY, "../a.v").is_none(), "leads out");
        assert!(line(EMPTY, "rtl/../../a.v").is_none(), "leads out");
        assert!(line(EMPTY, "/etc/passwd").is_none(), "leads out");
        assert!(line(EMPTY, "").is_none(), "no path");
        assert!(line(&EMPTY[1..], "rtl/a.v").is_none(), "a short hash");
        assert!(parse(&format!("<<<<<<< ours\n{EMPTY}  a\n=======\n")).is_none(), "a merge conflict");
        assert!(parse(&format!("{EMPTY}  b\n{EMPTY}  a\n")).is_none(), "not sorted");
        assert!(parse(&format!("{EMPTY}  a")).is_none(), "cut short");
    }

    #[test]
    fn every_edit_of_a_manifest_shows() {
        let text = Manifest::of(&[Rendered::new("rtl/b # 2.v", "b"), Rendered::new("a.f", "")]).to_string();
        assert!(Manifest::parse(&text).is_some());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for gone in 0..lines.len() {
            let rest: String = lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line).collect();
            assert_eq!(Manifest::parse(&rest), None, "without line {gone}");
        }
        for at in 0..text.len() {
            let mut edited = text.clone().into_bytes();
            edited[at] ^= 1;
            let edited = String::from_utf8(edited).expect("one bit of ASCII");
            assert_eq!(Manifest::parse(&edited), None, "{edited}");
        }
        assert_eq!(Manifest::parse(&format!("{text}\n")), None, "one more line");
        assert_eq!(Manifest::parse(""), None, "nothing");
    }
}
