//! The requests in flight: which completions are theirs, and which of them are lost.
//!
//! Written from the PCI Express Base Specification 3.0; the sections are named at each rule. One call of
//! [`OutstandingRequests::step`] is one clock cycle. Its answer is what the hardware shows in the
//! following cycle.

use tollgate_spec::config::{self, Config};
use tollgate_spec::outstanding_requests::{LOST_AGE, Outcome};
use tollgate_spec::tlp::{DOUBLEWORD_BYTES, READ_COMPLETION_BOUNDARY_BYTES, Status};

/// What a request is known by: its transaction id (section 2.2.6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Requester id.
    pub requester: u16,
    /// Tag.
    pub tag: u16,
}

/// A request that goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Its name.
    pub name: Name,
    /// An AtomicOp, not a read.
    pub atomic: bool,
    /// The bytes that its completions shall bring: 1 to 4096.
    pub byte_count: u32,
    /// Bits 6:0 of the address of the first byte; of an AtomicOp 0.
    pub lower_address: u32,
}

/// A completion that comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The name of its request.
    pub name: Name,
    /// It completes a locked read.
    pub locked: bool,
    /// Completion Status.
    pub status: u8,
    /// The bytes that it says are still to come, its own included.
    pub byte_count: u32,
    /// Bits 6:0 of the address of its first byte.
    pub lower_address: u32,
    /// The doublewords that it carries.
    pub payload: u32,
}

/// What the table is asked in one cycle. Any of it may come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Commands {
    /// A request that wants to go out; it does if the table is ready.
    pub issue: Option<Request>,
    /// A completion.
    pub completion: Option<Completion>,
    /// Marks the requests that are pending, and that which goes out now.
    pub mark: bool,
}

/// What the table says in the following cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers {
    /// Where the request was put; `None` if none went out.
    pub issued: Option<Issued>,
    /// What the completion is; `None` if none came.
    pub matched: Option<Matched>,
    /// The request that is given up.
    pub lost: Option<Lost>,
}

/// Where a request was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issued {
    /// Its entry.
    pub index: usize,
    /// In the place of one of its name that was pending.
    pub superseded: bool,
}

/// What a completion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched {
    /// What it is to its request.
    pub outcome: Outcome,
    /// The entry of the request, if there is one.
    pub index: Option<usize>,
    /// The request was given up before.
    pub late: bool,
}

/// A request that is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Its entry.
    pub index: usize,
    /// Its name.
    pub name: Name,
}

/// A request that is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What of it is still to come.
    pub rest: Request,
    /// It was pending at the last mark and is pending yet.
    pub marked: bool,
    /// It is given up.
    pub given_up: bool,
    /// The quarters of the timeout that have ended since it was issued.
    age: u32,
}

/// The table.
#[derive(Debug, Clone)]
pub struct OutstandingRequests {
    parameters: config::OutstandingRequests,
    tag_bits: u32,
    entries: Vec<Option<Entry>>,
    /// Cycles since reset.
    now: u64,
}

impl OutstandingRequests {
    /// The table of a configuration after reset: nothing is in flight.
    pub fn new(config: &Config) -> Self {
        let parameters = config.outstanding_requests.clone();
        let entries = vec![None; parameters.entries as usize];
        Self { parameters, tag_bits: config.tlp.tag_bits, entries, now: 0 }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.entries.fill(None);
        self.now = 0;
    }

    /// The entries in use.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().filter_map(|(index, entry)| Some((index, entry.as_ref()?)))
    }

    /// Whether a request can go out: an entry is free, or holds one that was given up.
    pub fn is_ready(&self) -> bool {
        self.entries.iter().any(|entry| entry.is_none_or(|entry| entry.given_up))
    }

    /// How many requests are in flight and not given up.
    pub fn pending(&self) -> usize {
        self.entries().filter(|(_, entry)| !entry.given_up).count()
    }

    /// Whether no marked request is pending.
    pub fn is_drained(&self) -> bool {
        self.entries().all(|(_, entry)| !entry.marked)
    }

    /// One clock cycle. All is judged on the state before it.
    ///
    /// # Panics
    ///
    /// If a number does not fit its port, or an AtomicOp has a lower address.
    pub fn step(&mut self, commands: &Commands) -> Answers {
        let request = commands.issue.filter(|_| self.is_ready());
        let issued = request.map(|request| self.place(&request));
        let judged = commands.completion.map(|completion| self.judge(&completion));
        let matched = judged.map(|(matched, _)| matched);
        let spared = [issued.map(|issued| issued.index), matched.and_then(|matched| matched.index)];
        let is_overdue = |(index, entry): &(usize, &Entry)| {
            !entry.given_up && entry.age == LOST_AGE && !spared.contains(&Some(*index))
        };
        let lost = self.entries().find(is_overdue).map(|(index, entry)| Lost { index, name: entry.rest.name });

        let quarter_ends =
            self.parameters.quarter_cycles().is_some_and(|quarter| (self.now + 1).is_multiple_of(quarter.into()));
        self.now += 1;
        for entry in self.entries.iter_mut().flatten().filter(|entry| !entry.given_up) {
            entry.age = LOST_AGE.min(entry.age + u32::from(quarter_ends));
            entry.marked |= commands.mark;
        }
        if let Some(entry) = lost.and_then(|lost| self.entries[lost.index].as_mut()) {
            (entry.given_up, entry.marked) = (true, false);
        }
        if let Some((Matched { index: Some(index), .. }, rest)) = judged {
            self.entries[index] = self.entries[index].take().zip(rest).map(|(entry, rest)| Entry { rest, ..entry });
        }
        if let (Some(rest), Some(issued)) = (request, issued) {
            self.entries[issued.index] = Some(Entry { rest, marked: commands.mark, given_up: false, age: 0 });
        }
        Answers { issued, matched, lost }
    }

    fn find(&self, name: Name) -> Option<(usize, &Entry)> {
        assert!(name.tag >> self.tag_bits == 0, "tag {:#x} does not fit {} bits", name.tag, self.tag_bits);
        self.entries().find(|(_, entry)| entry.rest.name == name)
    }

    /// Where a request goes: in the place of one of its name, which section 2.2.6.2 forbids while that is
    /// pending; else into the first free entry; else into the first that was given up.
    fn place(&self, request: &Request) -> Issued {
        assert!((1..=4096).contains(&request.byte_count), "{} is no byte count", request.byte_count);
        assert!(request.lower_address < if request.atomic { 1 } else { 128 }, "{request:?} has no such lower address");
        if let Some((index, entry)) = self.find(request.name) {
            return Issued { index, superseded: !entry.given_up };
        }
        let free = self.entries.iter().position(Option::is_none);
        let given_up = || self.entries.iter().position(|entry| entry.is_some_and(|entry| entry.given_up));
        let index = free.or_else(given_up).expect("a request goes out if there is room");
        Issued { index, superseded: false }
    }

    /// What a completion is, and what of its request is still to come after it; `None` if nothing is.
    fn judge(&self, completion: &Completion) -> (Matched, Option<Request>) {
        let Some((index, entry)) = self.find(completion.name) else {
            // Section 2.3.2: an Unexpected Completion.
            return (Matched { outcome: Outcome::Unexpected, index: None, late: false }, None);
        };
        let rest = &entry.rest;
        let (outcome, left) = if completion.locked {
            // Section 2.2.9: CplLk and CplDLk answer locked reads alone.
            (Outcome::Mismatch, Some(*rest))
        } else if completion.status != Status::Successful.number() {
            // Sections 2.2.9 and 2.3.1.1: the final one; what is reserved counts as UR.
            (Outcome::Failed, None)
        } else {
            match remaining(rest, completion) {
                None => (Outcome::Mismatch, Some(*rest)),
                Some(left) if left.byte_count == 0 => (Outcome::Last, None),
                Some(left) => (Outcome::Part, Some(left)),
            }
        };
        (Matched { outcome, index: Some(index), late: entry.given_up }, left)
    }
}

/// What is still to come after a successful completion; `None` if it does not bring what is due.
fn remaining(due: &Request, completion: &Completion) -> Option<Request> {
    // Section 2.2.9: the count is of what remains. The lower address of an AtomicOp's is reserved.
    let is_due =
        completion.byte_count == due.byte_count && (due.atomic || completion.lower_address == due.lower_address);
    if !is_due || completion.payload == 0 {
        return None;
    }
    // The doublewords of the payload, and the bytes that count, as addresses from a multiple of 128 on.
    let first = due.lower_address;
    let payload_end = first / DOUBLEWORD_BYTES * DOUBLEWORD_BYTES + completion.payload * DOUBLEWORD_BYTES;
    let last_end = first + due.byte_count;
    if payload_end >= last_end {
        // No doubleword more than needed.
        let exact = payload_end - last_end < DOUBLEWORD_BYTES;
        return exact.then_some(Request { byte_count: 0, ..*due });
    }
    // Section 2.3.1.1: split at the boundary; an AtomicOp has one completion (section 2.2.9).
    let may_split = payload_end.is_multiple_of(READ_COMPLETION_BOUNDARY_BYTES) && !due.atomic;
    may_split.then_some(Request { byte_count: last_end - payload_end, lower_address: payload_end % 128, ..*due })
}
