//! Memory that is read over AXI4, in bursts of one beat (AMBA AXI protocol specification, IHI 0022).
//!
//! The read address and the read data channel are streams, such as `read_address` and `read_data`, whose payloads have the
//! signals of the standard as fields. What is read comes from the testbench, when the address is taken.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tollgate_cosim::{Beat, Dut, Error, Failure, Outcome, Stalls, StreamDriver, StreamMonitor, StreamSink};

use crate::any_bits;

/// A rising burst.
const INCR: u64 = 1;

/// A read of one beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// Transaction id.
    pub id: u64,
    /// First byte.
    pub address: u64,
    /// Bytes: at most 16.
    pub bytes: u32,
}

/// Answers reads, each after a time of its own; reads of one id in their order, others in any.
pub struct Memory {
    addresses: StreamSink,
    data: StreamDriver,
    /// Bits of a beat.
    width: u32,
    /// Cycles from an address that is taken to its data; more if data of others are due.
    pub latency: RangeInclusive<u64>,
    /// Answers under way, the oldest first: when they are due, and what they are.
    under_way: VecDeque<(u64, u64, Beat)>,
    random: ChaCha8Rng,
}

impl Memory {
    /// Memory at the channels `addresses` and `data` of `dut`, which takes addresses as `stalls` says.
    ///
    /// # Errors
    ///
    /// If a port is missing.
    pub fn new(
        dut: &Dut,
        [addresses, data]: [&str; 2],
        latency: RangeInclusive<u64>,
        stalls: Stalls,
        seed: u64,
    ) -> Outcome<Self> {
        Ok(Self {
            addresses: StreamSink::new(dut, addresses, stalls, seed)?,
            data: StreamDriver::new(dut, data, Stalls::Never, seed)?,
            width: width(dut, data)?,
            latency,
            under_way: VecDeque::new(),
            random: ChaCha8Rng::seed_from_u64(seed),
        })
    }

    /// Forgets what is under way.
    pub fn reset(&mut self) {
        self.under_way.clear();
    }

    /// Sets the ports for this cycle; before [`Dut::eval`].
    pub fn drive(&mut self, cycle: u64) {
        let due: Vec<u64> = self.under_way.iter().filter(|(due, ..)| *due <= cycle).map(|(_, id, _)| *id).collect();
        if self.data.pending() == 0 && !due.is_empty() {
            let id = due[self.random.random_range(0..due.len())];
            let oldest = self.under_way.iter().position(|(_, other, _)| *other == id);
            let answer = oldest.and_then(|oldest| self.under_way.remove(oldest));
            self.data.push(answer.expect("it is under way").2);
        }
        self.addresses.drive();
        self.data.drive();
    }

    /// Sees that the address channel keeps rule 3 of streams, and goes on; between [`Dut::eval`] and [`Dut::step`], in every
    /// cycle.
    ///
    /// # Errors
    ///
    /// As of [`StreamSink::check_independence`].
    pub fn sample(&mut self, dut: &mut Dut, cycle: u64) -> Outcome {
        self.addresses.check_independence(dut, cycle)?;
        self.data.sample();
        Ok(())
    }

    /// Takes a read in this cycle: its bytes, the first one lowest, or none for an error.
    ///
    /// # Errors
    ///
    /// If a field of the data channel is missing.
    pub fn take(&mut self, cycle: u64, read: Read, bytes: Option<u128>) -> Outcome {
        let beat = self.answer(read, bytes)?;
        self.under_way.push_back((cycle + self.random.random_range(self.latency.clone()), read.id, beat));
        Ok(())
    }

    /// Sends data that nobody asked for in the coming cycle; before [`Memory::drive`]. Does nothing, and says so by `false`,
    /// if other data are due.
    ///
    /// # Errors
    ///
    /// If a field of the data channel is missing.
    pub fn inject(&mut self, cycle: u64, id: u64, bytes: Option<u128>) -> Outcome<bool> {
        let is_free = self.data.pending() == 0 && self.under_way.iter().all(|(due, ..)| *due > cycle);
        if is_free {
            let beat = self.answer(Read { id, address: 0, bytes: 16 }, bytes)?;
            self.data.push(beat);
        }
        Ok(is_free)
    }

    /// The answer to a read: random on the lanes that it does not use, and everywhere in an error.
    fn answer(&mut self, Read { id, address, bytes: count }: Read, bytes: Option<u128>) -> Outcome<Beat> {
        let mut data = any_bits(&mut self.random, self.width);
        if let Some(bytes) = bytes {
            let lanes = lanes(address, count, self.width);
            for bit in 0..8 * count {
                data.set_bit(u64::from(lanes.start + bit), bytes >> bit & 1 == 1);
            }
        }
        // OKAY or EXOKAY; SLVERR or DECERR.
        let response = u32::from(bytes.is_none()) << 1 | self.random.random_range(0..2);
        let beat = self.data.layout().beat().with("id", id)?.with("data", data)?;
        Ok(beat.with("resp", response)?.with("last", 1_u32)?)
    }
}

/// The bits of a beat that the bytes of a read are on.
fn lanes(address: u64, bytes: u32, width: u32) -> std::ops::Range<u32> {
    let low = 8 * (address % u64::from(width / 8)) as u32;
    low..low + 8 * bytes
}

/// The bits of a beat of the channel `data`.
fn width(dut: &Dut, data: &str) -> Result<u32, Error> {
    Ok(dut.probe(&format!("{data}_data_data"))?.width())
}

/// What a cycle transfers on the two channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transfers {
    /// A read that is taken.
    pub read: Option<Read>,
    /// Data that arrives: the id, and the bytes of the oldest read of that id, or none for an error. Without such a read,
    /// the lowest bytes.
    pub data: Option<(u64, Option<u128>)>,
}

/// Sees reads and their data, whoever gives them, and that reads are bursts of one aligned beat.
pub struct ReadMonitor {
    addresses: StreamMonitor,
    data: StreamMonitor,
    /// Bits of a beat.
    width: u32,
    /// By id: reads that were taken and not answered, the oldest first.
    open: BTreeMap<u64, VecDeque<Read>>,
}

impl ReadMonitor {
    /// Watches the channels `addresses` and `data` of `dut`.
    ///
    /// # Errors
    ///
    /// If a port is missing.
    pub fn new(dut: &Dut, [addresses, data]: [&str; 2]) -> Outcome<Self> {
        Ok(Self {
            addresses: StreamMonitor::new(dut, addresses)?,
            data: StreamMonitor::new(dut, data)?,
            width: width(dut, data)?,
            open: BTreeMap::new(),
        })
    }

    /// Forgets the reads that were not answered.
    pub fn reset(&mut self) {
        self.open.clear();
    }

    /// What the coming edge transfers; between [`Dut::eval`] and [`Dut::step`], in every cycle.
    ///
    /// # Errors
    ///
    /// A broken rule of a stream; a read that is no burst of one beat.
    pub fn sample(&mut self, cycle: u64) -> Outcome<Transfers> {
        let data = match self.data.sample(cycle)? {
            Some(beat) => {
                let id = field(beat, "id")?;
                let read = self.open.get_mut(&id).and_then(VecDeque::pop_front);
                let (address, bytes) = read.map_or((0, 16), |read| (read.address, read.bytes));
                let lanes = lanes(address, bytes, self.width);
                let shifted = beat.big("data")? >> lanes.start;
                let kept = shifted & ((BigUint::from(1_u32) << (lanes.end - lanes.start)) - 1_u32);
                let bytes = u128::try_from(kept).expect("at most 16 bytes");
                Some((id, (field(beat, "resp")? < 2).then_some(bytes)))
            }
            None => None,
        };
        let read = match self.addresses.sample(cycle)? {
            Some(beat) => {
                let read =
                    Read { id: field(beat, "id")?, address: field(beat, "addr")?, bytes: 1 << field(beat, "size")? };
                let kind = [field(beat, "len")?, field(beat, "burst")?, field(beat, "lock")?];
                let is_aligned = read.address.is_multiple_of(read.bytes.into());
                if kind != [0, INCR, 0] || !is_aligned || read.bytes > 16 {
                    return Err(Failure::other(format!("cycle {cycle}: {beat} is no burst of one aligned beat")));
                }
                self.open.entry(read.id).or_default().push_back(read);
                Some(read)
            }
            None => None,
        };
        Ok(Transfers { read, data })
    }
}

fn field(beat: &Beat, name: &str) -> Result<u64, Error> {
    Ok(beat.get(beat.layout().field(name)?))
}
