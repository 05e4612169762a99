//! A memory behind the read channels of an AXI4 manager (AMBA AXI and ACE protocol specification, IHI 0022, part A).

use std::ops::RangeInclusive;

use num_bigint::BigUint;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bundle::Beat;
use crate::stalls::Stalls;
use crate::stream::{StreamDriver, StreamMonitor, StreamSink};
use crate::{Dut, Error, Failure, Outcome};

/// Bytes of a word.
const WORD_BYTES: u64 = 8;

/// What the memory says to a read of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Word {
    /// Its 8 bytes, the first one lowest.
    pub data: u64,
    /// The response: 0 OKAY, 1 EXOKAY, 2 SLVERR, 3 DECERR.
    pub response: u8,
}

/// A read whose address was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenRead {
    /// The transaction id.
    pub id: u64,
    /// The first byte.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// A memory that answers reads of one beat. Each waits for a latency of its own, so answers to different ids overtake
/// each other; those to one id keep their order. Bytes that were not asked for are random.
///
/// What is in the memory is for the testbench to say, when an answer is given. A cycle goes:
///
/// ```no_run
/// # use tollgate_cosim::{Clock, Dut, Outcome, ReadMemory, Word};
/// # fn cycle(dut: &mut Dut, clk: Clock, memory: &mut ReadMemory) -> Outcome {
/// memory.drive(dut.cycle(clk), |address| Word { data: address, response: 0 })?;
/// dut.eval()?;
/// let read = memory.sample(dut.cycle(clk))?;
/// dut.step(clk)
/// # }
/// ```
pub struct ReadMemory {
    ready: StreamSink,
    addresses: StreamMonitor,
    answers: StreamDriver,
    /// From the handshake of an address to that of its data, in cycles.
    latency: RangeInclusive<u64>,
    /// In the order of their addresses, each with the cycle before which it is not answered.
    pending: Vec<(u64, TakenRead)>,
    random: ChaCha8Rng,
    data_bytes: u64,
}

impl ReadMemory {
    /// The memory behind the streams `address` (AR) and `data` (R) of `dut`. `latency` is drawn for each read, in cycles
    /// from the handshake of the address to that of the data; `stalls` says when addresses are not taken.
    ///
    /// # Errors
    /// If a port is missing.
    ///
    /// # Panics
    /// If a latency is 0: an answer never comes in the cycle of its address.
    pub fn new(
        dut: &Dut,
        (address, data): (&str, &str),
        latency: RangeInclusive<u64>,
        stalls: Stalls,
        seed: u64,
    ) -> Result<Self, Error> {
        assert!(*latency.start() > 0, "an answer comes after its address");
        let data_bits = dut.input(&format!("{data}_data_data"))?.width();
        Ok(Self {
            ready: StreamSink::new(dut, address, stalls, seed)?,
            addresses: StreamMonitor::new(dut, address)?,
            answers: StreamDriver::new(dut, data, Stalls::Never, seed)?,
            latency,
            pending: Vec::new(),
            random: ChaCha8Rng::seed_from_u64(seed),
            data_bytes: u64::from(data_bits / 8),
        })
    }

    /// Reads that are not answered.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len() + self.answers.pending()
    }

    /// Answers a read that nobody has asked for, as a broken memory does.
    pub fn answer_unasked(&mut self, cycle: u64, id: u64) {
        self.pending.push((cycle, TakenRead { id, address: 0, bytes: WORD_BYTES }));
    }

    /// Sets the ports for this cycle; before [`Dut::eval`]. `word` gives the words of an answer that is given now.
    ///
    /// # Errors
    /// If the data channel lacks a field of AXI4.
    pub fn drive(&mut self, cycle: u64, word: impl FnMut(u64) -> Word) -> Outcome {
        self.ready.drive();
        if self.answers.pending() == 0 {
            let is_first = |place: usize| {
                let (due, read) = self.pending[place];
                due <= cycle && self.pending[..place].iter().all(|(_, before)| before.id != read.id)
            };
            let due: Vec<usize> = (0..self.pending.len()).filter(|place| is_first(*place)).collect();
            if !due.is_empty() {
                let (_, read) = self.pending.remove(due[self.random.random_range(0..due.len())]);
                let beat = self.beat(read, word)?;
                self.answers.push(beat);
            }
        }
        self.answers.drive();
        Ok(())
    }

    /// The answer to a read: its bytes on their lanes, anything on the others.
    fn beat(&mut self, read: TakenRead, mut word: impl FnMut(u64) -> Word) -> Result<Beat, Error> {
        let mut data: Vec<u8> = (0..self.data_bytes).map(|_| self.random.next_u32() as u8).collect();
        let mut response = 0;
        for address in (read.address..read.address + read.bytes).step_by(WORD_BYTES as usize) {
            let Word { data: bytes, response: of_word } = word(address);
            let lane = (address % self.data_bytes) as usize;
            data[lane..lane + WORD_BYTES as usize].copy_from_slice(&bytes.to_le_bytes());
            response = response.max(of_word);
        }
        let beat = self.answers.beat().with("id", read.id)?.with("resp", response)?.with("last", 1_u8)?;
        beat.with("data", BigUint::from_bytes_le(&data))
    }

    /// The address that the coming edge takes, if any; between [`Dut::eval`] and [`Dut::step`], in every cycle.
    ///
    /// # Errors
    /// [`Failure::Rule`] as [`StreamMonitor::sample`]; a read that is none of whole words in one beat.
    pub fn sample(&mut self, cycle: u64) -> Outcome<Option<TakenRead>> {
        self.answers.sample();
        let Some(beat) = self.addresses.sample(cycle)? else {
            return Ok(None);
        };
        let field = |name: &str| Ok::<_, Error>(beat.get(beat.layout().field(name)?));
        let read = TakenRead { id: field("id")?, address: field("addr")?, bytes: 1 << field("size")? };
        let is_whole = read.bytes.is_multiple_of(WORD_BYTES) && read.address.is_multiple_of(read.bytes);
        let is_one_beat = field("len")? == 0 && read.bytes <= self.data_bytes;
        if !is_whole || !is_one_beat {
            return Err(Failure::other(format!("cycle {cycle}: {beat} is no read of whole words in one beat")));
        }
        let latency = self.random.random_range(self.latency.clone());
        self.pending.push((cycle + latency, read));
        Ok(Some(read))
    }
}
