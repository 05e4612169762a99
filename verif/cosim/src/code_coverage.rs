//! Verilator's coverage: which lines, branches and bits of the Verilog a test reached.

use std::collections::BTreeMap;
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
        let mut coverage = Self::default();
        for point in merged_points(tools, files, merged)? {
            coverage.add(&point.kind, point.count);
        }
        Ok(coverage)
    }

    /// As [`merge`](Self::merge), apart for each module, by its name: a point counts once, wherever and however often the
    /// module is instantiated, and is reached if it is in one of the instances.
    ///
    /// # Errors
    /// As [`merge`](Self::merge).
    pub fn of_modules(tools: &Tools, files: &[PathBuf], merged: &Path) -> Result<BTreeMap<String, Self>, Error> {
        let mut reached: BTreeMap<(String, String, String), u64> = BTreeMap::new();
        for Point { kind, module, place, count } in merged_points(tools, files, merged)? {
            *reached.entry((module, kind, place)).or_default() += count;
        }
        let mut modules: BTreeMap<String, Self> = BTreeMap::new();
        for ((module, kind, _place), count) in reached {
            modules.entry(module).or_default().add(&kind, count);
        }
        Ok(modules)
    }

    /// One more point of a kind, reached `count` times.
    fn add(&mut self, kind: &str, count: u64) {
        let covered = match kind {
            "line" => &mut self.line,
            "branch" => &mut self.branch,
            "expr" => &mut self.expression,
            "toggle" => &mut self.toggle,
            _ => return, // cover properties and state machines: not in the summary
        };
        *covered += count;
    }
}

/// What can be reached, once for each instance.
struct Point {
    /// `line`, `branch`, `expr`, `toggle`, …
    kind: String,
    module: String,
    /// Where it is in the module.
    place: String,
    /// How often it was reached.
    count: u64,
}

/// The points of some files, which are merged into the file `merged`.
fn merged_points(tools: &Tools, files: &[PathBuf], merged: &Path) -> Result<Vec<Point>, Error> {
    let mut command = tools.command("verilator_coverage")?;
    command.arg("--write").arg(merged).args(files);
    let output = command.output().map_err(|cause| Error::io("start", command.get_program(), cause))?;
    if !output.status.success() {
        let output = [output.stdout, output.stderr].concat();
        let output = String::from_utf8_lossy(&output).into_owned();
        let top = merged.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Err(Error::Build { top, step: "verilator_coverage", output });
    }
    let text = fs::read_to_string(merged).map_err(|cause| Error::io("read", merged, cause))?;
    let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("C "));
    let bad = |index| Error::BadCoverage { path: merged.to_path_buf(), line: index + 1 };
    lines.map(|(index, line)| point(line).ok_or_else(|| bad(index))).collect()
}

/// The point of a line `C '^Akey^Bvalue^A…' count`.
fn point(line: &str) -> Option<Point> {
    let (keys, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let keys: BTreeMap<&str, &str> = keys.split('\x01').filter_map(|key| key.split_once('\x02')).collect();
    let (_, module) = keys.get("page")?.split_once('/')?;
    let place = keys.iter().filter(|(key, _)| **key != "h").map(|(key, value)| format!("{key}={value} ")).collect();
    Some(Point { kind: (*keys.get("t")?).into(), module: module.into(), place, count: count.parse().ok()? })
}

impl AddAssign<u64> for Covered {
    /// One more point, reached `count` times.
    fn add_assign(&mut self, count: u64) {
        self.total += 1;
        self.hit += u64::from(count > 0);
    }
}

impl Covered {
    /// `66.6 % of 3`, cut and not rounded, so that 100.0 is all; `-` where there is nothing to reach.
    #[must_use]
    pub fn percent(self) -> String {
        match self.total {
            0 => "-".into(),
            total => format!("{:.1} % of {total}", (self.hit * 1000 / total) as f64 / 10.0),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_cut_to_tenths_of_a_percent() {
        let shown = |hit, total| Covered { hit, total }.percent();
        assert_eq!(shown(2, 3), "66.6 % of 3");
        assert_eq!(shown(9999, 10000), "99.9 % of 10000");
        assert_eq!(shown(4, 4), "100.0 % of 4");
        assert_eq!(shown(0, 4), "0.0 % of 4");
        assert_eq!(shown(0, 0), "-");
    }
}
