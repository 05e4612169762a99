//! The RAM: byte enables, reads of old words, and what lies beyond the last word.

use num_bigint::BigUint;
use rand::{Rng, RngExt};
use tb::{any_bits, configurations, model};
use tollgate_cosim::{Bench, Clock, Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Output};
use tollgate_golden::cells::ram::{Byte, Commands, Ram, Write};
use tollgate_spec::config::{self, Config};

fn ram(config: &Config) -> ModelBuilder {
    let config::Ram { depth, width } = config.cells.ram;
    model(config, &format!("cells_ram_{depth}x{width}"))
}

/// The RAM with its ports, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    clk: Clock,
    write_valid: Input,
    write_address: Input,
    write_enables: Input,
    write_data: Input,
    read_valid: Input,
    read_address: Input,
    word: Output,
    golden: Ram,
    bytes: usize,
    /// The word that stands at the output, as far as it is known; all unknown before the first read.
    shown: Vec<Byte>,
    reads: u64,
}

impl<'a> Testbench<'a> {
    /// The RAM, in which no word is known.
    fn new(dut: &'a mut Dut, config: &Config) -> Outcome<Self> {
        let config::Ram { depth, width } = config.cells.ram;
        let (bytes, address_bits) = ((width / 8) as usize, config.cells.ram.address_bits());
        Ok(Self {
            clk: dut.clock("clk")?,
            write_valid: dut.input("write_valid")?.of_width(1)?,
            write_address: dut.input("write_data_address")?.of_width(address_bits)?,
            write_enables: dut.input("write_data_enables")?.of_width(width / 8)?,
            write_data: dut.input("write_data_data")?.of_width(width)?,
            read_valid: dut.input("read_valid")?.of_width(1)?,
            read_address: dut.input("read_data")?.of_width(address_bits)?,
            word: dut.output("word")?.of_width(width)?,
            golden: Ram::new(depth as usize, bytes),
            bytes,
            shown: vec![None; bytes],
            reads: 0,
            dut,
        })
    }

    /// One cycle: gives the commands, and compares the word that the edge before brought. What is not asked is random.
    fn cycle(&mut self, commands: &Commands, rng: &mut impl Rng) -> Outcome {
        self.drive(commands, rng);
        self.dut.eval()?;
        self.check()?;
        self.dut.step(self.clk)?;
        if let Some(word) = self.golden.step(commands) {
            self.shown = word;
            self.reads += 1;
        }
        Ok(())
    }

    fn drive(&self, commands: &Commands, rng: &mut impl Rng) {
        for input in [&self.write_address, &self.write_enables, &self.write_data, &self.read_address] {
            input.set_big(&any_bits(rng, input.width()));
        }
        self.write_valid.set(commands.write.is_some().into());
        self.read_valid.set(commands.read.is_some().into());
        if let Some(Write { address, bytes }) = &commands.write {
            self.write_address.set(*address as u64);
            let enables = bytes.iter().rev().fold(BigUint::ZERO, |bits, byte| (bits << 1) + u8::from(byte.is_some()));
            self.write_enables.set_big(&enables);
            // A byte that is not enabled is random.
            let random = |byte: &Option<u8>| byte.unwrap_or_else(|| rng.next_u32() as u8);
            self.write_data.set_big(&BigUint::from_bytes_le(&bytes.iter().map(random).collect::<Vec<_>>()));
        }
        if let Some(address) = commands.read {
            self.read_address.set(address as u64);
        }
    }

    /// The output shows the word last read, as far as it is known, and keeps it while nothing is read.
    fn check(&self) -> Outcome {
        let mut rtl = self.word.get_big().to_bytes_le();
        rtl.resize(self.bytes, 0);
        for (byte, (rtl, golden)) in rtl.into_iter().zip(&self.shown).enumerate() {
            if let Some(golden) = golden.filter(|golden| *golden != rtl) {
                let transaction = format!("read #{}", self.reads);
                let cycle = self.dut.cycle(self.clk);
                return Err(Failure::mismatch(cycle, transaction, format!("byte {byte} of word"), rtl, golden));
            }
        }
        Ok(())
    }

    /// A write of random bytes; each is enabled with a probability of one half.
    fn any_write(&self, address: usize, rng: &mut impl Rng) -> Write {
        let byte = |rng: &mut dyn Rng| (rng.next_u32() & 1 == 1).then(|| (rng.next_u32() >> 8) as u8);
        Write { address, bytes: (0..self.bytes).map(|_| byte(rng)).collect() }
    }

    /// A write of a whole word.
    fn whole_write(&self, address: usize, rng: &mut impl Rng) -> Write {
        Write { address, bytes: (0..self.bytes).map(|_| Some(rng.next_u32() as u8)).collect() }
    }
}

fn depth(config: &Config) -> usize {
    config.cells.ram.depth as usize
}

/// The words that addresses tell apart; those from the depth on do not exist.
fn addresses(config: &Config) -> usize {
    1 << config.cells.ram.address_bits()
}

/// What meets in a cycle, and where.
fn covered(config: &Config) -> Coverage {
    let places = ["first", "middle", "last", "beyond"];
    let coverage = Coverage::new()
        .point("written", places)
        .point("read", places)
        .point("meeting", ["write alone", "read alone", "same word", "different words", "nothing"])
        .point("enables", ["none", "some", "all"]);
    if addresses(config) > depth(config) {
        return coverage;
    }
    coverage
        .impossible(&[("written", "beyond")], "all addresses exist")
        .impossible(&[("read", "beyond")], "all addresses exist")
}

fn place(address: usize, depth: usize) -> &'static str {
    match address {
        0 => "first",
        _ if address >= depth => "beyond",
        _ if address + 1 == depth => "last",
        _ => "middle",
    }
}

fn count(coverage: &mut Coverage, commands: &Commands, depth: usize) {
    let Commands { write, read } = commands;
    let meeting = match (write, read) {
        (None, None) => "nothing",
        (Some(_), None) => "write alone",
        (None, Some(_)) => "read alone",
        (Some(write), Some(read)) if write.address == *read => "same word",
        (Some(_), Some(_)) => "different words",
    };
    coverage.sample(&[("meeting", meeting)]);
    if let Some(read) = read {
        coverage.sample(&[("read", place(*read, depth))]);
    }
    if let Some(Write { address, bytes }) = write {
        let enables = match bytes.iter().flatten().count() {
            0 => "none",
            all if all == bytes.len() => "all",
            _ => "some",
        };
        coverage.sample(&[("written", place(*address, depth)), ("enables", enables)]);
    }
}

/// Writes and reads at random, most of them at a few addresses, where they meet.
#[test]
fn random_traffic() {
    for config in configurations() {
        let run = tb::run(module_path!(), "random_traffic", &config).coverage(covered(&config));
        run.check(&ram(&config), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let (depth, all) = (depth(&config), addresses(&config));
            let mut some: Vec<_> = (0..3).map(|_| rng.random_range(0..all)).collect();
            some.extend([0, depth - 1, all - 1]);
            for _ in 0..3000 {
                let mut address = || match rng.random_ratio(9, 10) {
                    true => some[rng.random_range(0..some.len())],
                    false => rng.random_range(0..all),
                };
                let (written, read) = (address(), address());
                let write = match rng.random_range(0..6) {
                    0 | 1 => Some(testbench.any_write(written, rng)),
                    2 => Some(testbench.whole_write(written, rng)),
                    3 => Some(Write { address: written, bytes: vec![None; testbench.bytes] }),
                    _ => None,
                };
                let commands = Commands { write, read: rng.random_ratio(2, 3).then_some(read) };
                count(coverage, &commands, depth);
                testbench.cycle(&commands, rng)?;
            }
            Ok(())
        });
    }
}

/// Every word is written and found again, and no other changes.
#[test]
fn every_word_is_its_own() {
    for config in configurations() {
        let run = tb::run(module_path!(), "every_word_is_its_own", &config).seeds(1);
        run.check(&ram(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for address in 0..depth(&config) {
                let write = Some(testbench.whole_write(address, rng));
                testbench.cycle(&Commands { write, read: None }, rng)?;
            }
            for address in 0..addresses(&config) {
                testbench.cycle(&Commands { write: None, read: Some(address) }, rng)?;
            }
            testbench.cycle(&Commands::default(), rng)
        });
    }
}

/// Each byte enable alone writes its byte and no other.
#[test]
fn each_byte_enable_alone() {
    for config in configurations() {
        let run = tb::run(module_path!(), "each_byte_enable_alone", &config).seeds(2);
        run.check(&ram(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            let address = rng.random_range(0..depth(&config));
            let write = Some(testbench.whole_write(address, rng));
            testbench.cycle(&Commands { write, read: None }, rng)?;
            for byte in 0..testbench.bytes {
                let mut bytes = vec![None; testbench.bytes];
                bytes[byte] = Some(rng.random());
                let write = Some(Write { address, bytes });
                testbench.cycle(&Commands { write, read: None }, rng)?;
                testbench.cycle(&Commands { write: None, read: Some(address) }, rng)?;
            }
            testbench.cycle(&Commands::default(), rng)
        });
    }
}

/// A read and a write of one word at one edge: the read gives the word before; the next one gives the new word.
#[test]
fn a_read_sees_the_old_word() {
    for config in configurations() {
        let run = tb::run(module_path!(), "a_read_sees_the_old_word", &config).seeds(2);
        run.check(&ram(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for _ in 0..200 {
                let address = rng.random_range(0..depth(&config));
                for _ in 0..rng.random_range(1..4) {
                    let write = Some(testbench.whole_write(address, rng));
                    testbench.cycle(&Commands { write, read: Some(address) }, rng)?;
                }
                testbench.cycle(&Commands { write: None, read: Some(address) }, rng)?;
            }
            testbench.cycle(&Commands::default(), rng)
        });
    }
}

/// The word last read stands until the next read, whatever is written.
#[test]
fn the_output_stands_between_reads() {
    for config in configurations() {
        let run = tb::run(module_path!(), "the_output_stands_between_reads", &config).seeds(2);
        run.check(&ram(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for _ in 0..50 {
                let address = rng.random_range(0..depth(&config));
                let write = Some(testbench.whole_write(address, rng));
                testbench.cycle(&Commands { write, read: None }, rng)?;
                testbench.cycle(&Commands { write: None, read: Some(address) }, rng)?;
                for _ in 0..20 {
                    let write = Some(testbench.whole_write(address, rng));
                    testbench.cycle(&Commands { write, read: None }, rng)?;
                }
            }
            Ok(())
        });
    }
}

/// There is no word beyond the last one: a write there changes nothing, and a read gives zeros.
#[test]
fn beyond_the_last_word() {
    let odd = |config: &Config| addresses(config) > depth(config);
    assert!(odd(&Config::shipped("small", &[]).unwrap()), "this is what `small` is odd for");
    for config in configurations().into_iter().filter(odd) {
        let run = tb::run(module_path!(), "beyond_the_last_word", &config).seeds(4);
        run.check(&ram(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config)?;
            for address in 0..depth(&config) {
                let write = Some(testbench.whole_write(address, rng));
                testbench.cycle(&Commands { write, read: None }, rng)?;
            }
            for address in depth(&config)..addresses(&config) {
                let write = Some(testbench.whole_write(address, rng));
                testbench.cycle(&Commands { write, read: Some(address) }, rng)?;
                for known in 0..addresses(&config) {
                    testbench.cycle(&Commands { write: None, read: Some(known) }, rng)?;
                }
            }
            testbench.cycle(&Commands::default(), rng)
        });
    }
}
