//! Verilator's coverage: which lines, branches and bits of the Verilog a test reached.

use std::fmt;
use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use crate::{Error, Tools};

/// Points reached, of all there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Covered {
    /// Reached at least once.
    pub hit: u64,
    /// All.
    pub total: u64,
}

/// What some runs reached together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CodeCoverage {
    /// Blocks of statements.
    pub line: Covered,
    /// Sides of `if`, `case` and `?:`.
    pub branch: Covered,
    /// Terms of conditions, each deciding.
    pub expression: Covered,
    /// Bits, each rising and falling.
    pub toggle: Covered,
}

impl CodeCoverage {
    /// Merges the files that [`Dut::write_coverage`](crate::Dut::write_coverage) wrote into `merged`
    /// and counts.
    ///
    /// # Errors
    /// [`Error::Build`] if `verilator_coverage` refuses a file; [`Error::BadCoverage`].
    pub fn merge(tools: &Tools, files: &[PathBuf], merged: &Path) -> Result<Self, Error> {
        let mut command = tools.command("verilator_coverage")?;
        command.arg("--write").arg(merged).args(files);
        let output = command.output().map_err(|cause| Error::io("start", command.get_program(), cause))?;
        if !output.status.success() {
            let output = [output.stdout, output.stderr].concat();
            let output = String::from_utf8_lossy(&output).into_owned();
            let top = merged.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(Error::Build { top, step: "verilator_coverage", output });
        }
        Self::read(merged)
    }

    /// Counts the points of one file.
    fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|cause| Error::io("read", path, cause))?;
        let mut coverage = CodeCoverage::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("C ")) {
            let bad = || Error::BadCoverage { path: path.to_path_buf(), line: index + 1 };
            let (kind, count) = point(line).ok_or_else(bad)?;
            let covered = match kind {
                "line" => &mut coverage.line,
                "branch" => &mut coverage.branch,
                "expr" => &mut coverage.expression,
                "toggle" => &mut coverage.toggle,
                _ => continue, // cover properties and state machines: not in the summary
            };
            *covered += count;
        }
        Ok(coverage)
    }
}

/// Kind and count of a line `C '^Akey^Bvalue^A…' count`.
fn point(line: &str) -> Option<(&str, u64)> {
    let (keys, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let kind = keys.split('\x01').find_map(|key| key.strip_prefix("t\x02"))?;
    Some((kind, count.parse().ok()?))
}

impl AddAssign<u64> for Covered {
    /// One more point, reached `count` times.
    fn add_assign(&mut self, count: u64) {
        self.total += 1;
        self.hit += u64::from(count > 0);
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.hit, self.total)
    }
}

/// `line 1/1, branch 2/4, expression 1/2, toggle 7/10`.
impl fmt::Display for CodeCoverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CodeCoverage { line, branch, expression, toggle } = self;
        write!(f, "line {line}, branch {branch}, expression {expression}, toggle {toggle}")
    }
}
