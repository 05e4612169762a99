//! Functional coverage: what a test claims to exercise, declared up front and counted.

use std::collections::BTreeMap;
use std::fmt;
use std::slice;

/// Points with their bins, and crosses of points, declared before a run and counted during it.
///
/// ```
/// use tollgate_cosim::Coverage;
///
/// let mut coverage = Coverage::new()
///     .point("result", ["hit", "miss"])
///     .point("stalls", ["never", "random"])
///     .cross(["result", "stalls"])
///     .impossible(&[("result", "miss"), ("stalls", "random")], "misses answer at once");
/// coverage.sample(&[("result", "hit"), ("stalls", "never")]);
/// assert_eq!(
///     coverage.empty_bins(),
///     ["result=miss", "stalls=random", "result=hit × stalls=random", "result=miss × stalls=never"],
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// A point has one axis, a cross several.
    groups: Vec<Group>,
    /// Bins of each point.
    points: BTreeMap<String, Vec<String>>,
}

/// The bins of a point or of a cross.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    /// Names of points.
    axes: Vec<String>,
    /// In declared order, the last axis fastest.
    bins: Vec<Bin>,
}

/// A combination of one bin of each axis.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bin {
    /// One name for each axis.
    names: Vec<String>,
    count: u64,
    /// Why it cannot be reached, if it cannot.
    impossible: Option<String>,
}

impl Coverage {
    /// Nothing to cover yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a point and all of its bins.
    ///
    /// # Panics
    /// If the point is there already, or a bin stands twice.
    #[must_use]
    pub fn point<B: Into<String>>(mut self, name: &str, bins: impl IntoIterator<Item = B>) -> Self {
        let bins: Vec<String> = bins.into_iter().map(Into::into).collect();
        for (place, bin) in bins.iter().enumerate() {
            assert!(!bins[..place].contains(bin), "point `{name}` has bin `{bin}` twice");
        }
        let taken = self.points.insert(name.into(), bins);
        assert!(taken.is_none(), "point `{name}` is declared twice");
        self.cross([name])
    }

    /// Declares that every combination of the bins of `points` is to be seen.
    ///
    /// # Panics
    /// If one of the points is not declared.
    #[must_use]
    pub fn cross<const N: usize>(mut self, points: [&str; N]) -> Self {
        let mut combinations = vec![Vec::new()];
        for point in points {
            let bins = self.bins_of(point);
            combinations = combinations
                .iter()
                .flat_map(|names: &Vec<String>| {
                    bins.iter().map(move |bin| [names.as_slice(), slice::from_ref(bin)].concat())
                })
                .collect();
        }
        let bin = |names| Bin { names, count: 0, impossible: None };
        self.groups
            .push(Group { axes: points.map(String::from).into(), bins: combinations.into_iter().map(bin).collect() });
        self
    }

    /// Says that no run can see the bins that contain all of `what`, and why. Seeing one is an error.
    ///
    /// # Panics
    /// If no bin contains it.
    #[must_use]
    pub fn impossible(mut self, what: &[(&str, &str)], reason: &str) -> Self {
        let mut found = false;
        for group in &mut self.groups {
            for bin in &mut group.bins {
                let has = |&(point, name): &(&str, &str)| {
                    let axis = group.axes.iter().position(|axis| axis == point);
                    axis.is_some_and(|axis| bin.names[axis] == name)
                };
                if what.iter().all(has) {
                    bin.impossible = Some(reason.into());
                    found = true;
                }
            }
        }
        assert!(found, "no bin contains {}", combination(what.iter().copied()));
        self
    }

    /// Counts an event that falls into one bin each of some points: in those points, and in the
    /// crosses whose points are all among them.
    ///
    /// # Panics
    /// If a point or bin is not declared, or the combination was declared impossible.
    #[track_caller]
    pub fn sample(&mut self, event: &[(&str, &str)]) {
        for (point, bin) in event {
            let bins = self.bins_of(point);
            assert!(
                bins.iter().any(|known| known == bin),
                "point `{point}` has no bin `{bin}`; it has: {}",
                bins.join(", ")
            );
        }
        for group in &mut self.groups {
            let of_axis = |axis: &String| event.iter().find(|(point, _)| point == axis).map(|(_, bin)| *bin);
            let Some(names) = group.axes.iter().map(of_axis).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let bin = group.bins.iter_mut().find(|bin| bin.names == names);
            let bin = bin.expect("a cross has all combinations");
            if let Some(reason) = &bin.impossible {
                let seen = combination(event.iter().copied());
                panic!("{seen} was seen, but was declared impossible: {reason}");
            }
            bin.count += 1;
        }
    }

    /// Adds the counts of another run of the same test.
    ///
    /// # Panics
    /// If it was declared otherwise.
    pub fn merge(&mut self, other: &Coverage) {
        assert_eq!(self.points, other.points, "coverage of another test");
        assert_eq!(self.groups.len(), other.groups.len(), "coverage of another test");
        for (mine, theirs) in self.groups.iter_mut().zip(&other.groups) {
            for (mine, theirs) in mine.bins.iter_mut().zip(&theirs.bins) {
                mine.count += theirs.count;
            }
        }
    }

    /// Bins that no event fell into, as `point=bin × point=bin`.
    #[must_use]
    pub fn empty_bins(&self) -> Vec<String> {
        let empty = |(_, bin): &(&Group, &Bin)| bin.count == 0 && bin.impossible.is_none();
        self.bins().filter(empty).map(|(group, bin)| group.show(bin)).collect()
    }

    /// Sees that every bin was hit.
    ///
    /// # Panics
    /// If one was not, with the names of all that were not.
    #[track_caller]
    pub fn assert_full(&self) {
        let empty = self.empty_bins();
        let all = self.bins().filter(|(_, bin)| bin.impossible.is_none()).count();
        assert!(empty.is_empty(), "{} of {all} coverage bins are empty:\n  {}", empty.len(), empty.join("\n  "));
    }

    fn bins(&self) -> impl Iterator<Item = (&Group, &Bin)> {
        self.groups.iter().flat_map(|group| group.bins.iter().map(move |bin| (group, bin)))
    }

    #[track_caller]
    fn bins_of(&self, point: &str) -> &[String] {
        match self.points.get(point) {
            Some(bins) => bins,
            None => {
                let known: Vec<_> = self.points.keys().map(String::as_str).collect();
                panic!("no coverage point `{point}`; there are: {}", known.join(", "))
            }
        }
    }
}

impl Group {
    fn show(&self, bin: &Bin) -> String {
        combination(self.axes.iter().map(String::as_str).zip(bin.names.iter().map(String::as_str)))
    }
}

/// `point=bin × point=bin`.
fn combination<'a>(parts: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    parts.map(|(point, bin)| format!("{point}={bin}")).collect::<Vec<_>>().join(" × ")
}

/// A line for each bin, with its count.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (group, bin) in self.bins() {
            match &bin.impossible {
                None => writeln!(f, "{:>10}  {}", bin.count, group.show(bin))?,
                Some(reason) => writeln!(f, "impossible  {}: {reason}", group.show(bin))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> Coverage {
        Coverage::new().point("size", ["4K", "2M"]).point("hit", ["yes", "no"]).cross(["size", "hit"])
    }

    #[test]
    fn runs_merge_until_nothing_is_empty() {
        let mut all = declared();
        for (size, hit) in [("4K", "yes"), ("4K", "no"), ("2M", "yes")] {
            let mut run = declared();
            run.sample(&[("hit", hit), ("size", size)]);
            all.merge(&run);
        }
        assert_eq!(all.empty_bins(), ["size=2M × hit=no"]);
        all.sample(&[("size", "2M"), ("hit", "no")]);
        all.assert_full();
    }

    #[test]
    #[should_panic(expected = "1 of 8 coverage bins are empty:\n  size=2M × hit=no")]
    fn an_empty_bin_fails_by_name() {
        let mut coverage = declared();
        coverage.sample(&[("size", "4K"), ("hit", "yes")]);
        coverage.sample(&[("size", "4K"), ("hit", "no")]);
        coverage.sample(&[("size", "2M"), ("hit", "yes")]);
        coverage.assert_full();
    }

    #[test]
    #[should_panic(expected = "point `size` has no bin `1G`; it has: 4K, 2M")]
    fn an_undeclared_bin_is_an_error() {
        declared().sample(&[("size", "1G")]);
    }

    #[test]
    #[should_panic(expected = "size=2M × hit=no was seen, but was declared impossible: fixed")]
    fn an_impossible_event_is_an_error() {
        let mut coverage = declared().impossible(&[("size", "2M"), ("hit", "no")], "fixed");
        coverage.sample(&[("size", "2M"), ("hit", "no")]);
    }
}
