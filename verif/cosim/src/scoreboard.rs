//! Expected against seen, in order.

use std::collections::VecDeque;

use crate::bundle::{Beat, FieldId};
use crate::failure::{Difference, Mismatch};
use crate::{Failure, Outcome};

/// Compares what a monitor saw with what the golden model said, transaction by transaction.
#[derive(Debug)]
pub struct Scoreboard {
    /// What a transaction is called: `walk`.
    transaction: String,
    expected: VecDeque<Expected>,
    matched: u64,
}

/// A beat to come.
#[derive(Debug)]
struct Expected {
    beat: Beat,
    /// What few beats have; apart, so that all others are quick.
    extra: Option<Box<Extra>>,
}

/// What an expected beat may have besides.
#[derive(Debug, Default)]
struct Extra {
    /// Fields to compare; `None`: all.
    compared: Option<Vec<FieldId>>,
    /// For the reader of a mismatch.
    note: Option<String>,
}

impl Scoreboard {
    /// A scoreboard for transactions called `transaction`, counted from 0.
    pub fn new(transaction: impl Into<String>) -> Self {
        Self { transaction: transaction.into(), expected: VecDeque::new(), matched: 0 }
    }

    /// The golden model says that `beat` comes next, after all expected before.
    pub fn expect(&mut self, beat: Beat) {
        self.expected.push_back(Expected { beat, extra: None });
    }

    /// As [`expect`](Self::expect), with a word for the reader of a mismatch: `iova 0x4000_1000`.
    pub fn expect_noted(&mut self, beat: Beat, note: impl Into<String>) {
        let note = Some(note.into());
        self.expect_with(beat, Extra { note, ..Extra::default() });
    }

    /// As [`expect`](Self::expect), where only `fields` are specified and the others may be anything.
    pub fn expect_fields(&mut self, beat: Beat, fields: &[FieldId]) {
        let compared = Some(fields.to_vec());
        self.expect_with(beat, Extra { compared, ..Extra::default() });
    }

    fn expect_with(&mut self, beat: Beat, extra: Extra) {
        let extra = Some(Box::new(extra));
        self.expected.push_back(Expected { beat, extra });
    }

    /// The monitor saw `rtl`.
    ///
    /// # Errors
    /// [`Failure::Mismatch`] with every field that differs, or if nothing is expected.
    pub fn check(&mut self, cycle: u64, rtl: &Beat) -> Outcome {
        let Some(Expected { beat, extra }) = self.expected.pop_front() else {
            return Err(self.unexpected(cycle, rtl));
        };
        if *rtl != beat {
            self.compare(cycle, rtl, &beat, extra.as_deref())?;
        }
        self.matched += 1;
        Ok(())
    }

    #[cold]
    fn unexpected(&self, cycle: u64, rtl: &Beat) -> Failure {
        self.mismatch(cycle, Difference::Unexpected(rtl.to_string()), None)
    }

    /// Two beats that are not equal in all fields.
    #[inline(never)]
    fn compare(&self, cycle: u64, rtl: &Beat, golden: &Beat, extra: Option<&Extra>) -> Outcome {
        let fields = extra.and_then(|extra| extra.compared.as_ref());
        let compared = |field| fields.is_none_or(|fields| fields.contains(&field));
        let fields = rtl.differences(golden, compared);
        if fields.is_empty() {
            return Ok(());
        }
        let note = extra.and_then(|extra| extra.note.clone());
        Err(self.mismatch(cycle, Difference::Fields(fields), note))
    }

    /// The run is over: nothing may be left.
    ///
    /// # Errors
    /// [`Failure::Mismatch`] naming the first that never came.
    pub fn finish(&self, cycle: u64) -> Outcome {
        match self.expected.front() {
            None => Ok(()),
            Some(first) => {
                let missing = Difference::Missing(first.beat.to_string());
                let note = first.extra.as_ref().and_then(|extra| extra.note.clone());
                Err(self.mismatch(cycle, missing, note))
            }
        }
    }

    /// Transactions compared and found equal.
    #[must_use]
    pub fn matched(&self) -> u64 {
        self.matched
    }

    #[cold]
    fn mismatch(&self, cycle: u64, difference: Difference, note: Option<String>) -> Failure {
        let transaction = format!("{} #{}", self.transaction, self.matched);
        Failure::Mismatch(Box::new(Mismatch { cycle, transaction, difference, note }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    #[test]
    fn every_kind_of_mismatch_says_what_it_is() {
        let layout = Layout::new([("level", 3), ("frame", 40)]);
        let beat = |level: u32, frame: u32| layout.beat().with("level", level).unwrap().with("frame", frame).unwrap();
        let mut walks = Scoreboard::new("walk");
        walks.expect(beat(1, 0x4000));
        walks.check(5, &beat(1, 0x4000)).unwrap();

        walks.expect_noted(beat(2, 0x4000), "iova 0x4000_1000");
        let failure = walks.check(6, &beat(1, 0x4001)).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "walk #1: frame rtl=0x4001 golden=0x4000, level rtl=1 golden=2 (iova 0x4000_1000)"
        );
        assert_eq!(failure.cycle(), Some(6));

        let level = layout.field("level").unwrap();
        walks.expect_fields(beat(2, 0), &[level]);
        walks.check(7, &beat(2, 99)).unwrap();
        walks.expect_fields(beat(2, 0), &[level]);
        let failure = walks.check(8, &beat(3, 0)).unwrap_err();
        assert_eq!(failure.to_string(), "walk #2: level rtl=3 golden=2");

        let failure = walks.check(9, &beat(3, 0)).unwrap_err();
        assert_eq!(failure.to_string(), "walk #2: rtl={frame=0, level=3} golden=nothing");

        walks.finish(10).unwrap();
        walks.expect(beat(7, 1));
        let failure = walks.finish(11).unwrap_err();
        assert_eq!(failure.to_string(), "walk #2: rtl=nothing golden={frame=1, level=7}");
    }
}
