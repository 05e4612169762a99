//! Each rule of memories.

use crate::builder::{Builder, v};
use tollgate_rtl::Value;
use tollgate_rtl::ir::*;
use tollgate_rtl::sim::{Interpreter, initial_value};

/// A memory of six words of 16 bits with two write ports (the first with byte enables), a synchronous read port and an
/// asynchronous one, all with their own addresses.
struct Bench {
    run: Interpreter,
    enable: [SignalId; 2],
    address: [SignalId; 2],
    data: [SignalId; 2],
    bytes: SignalId,
    read_enable: SignalId,
    read_address: SignalId,
    synchronous: SignalId,
    asynchronous: SignalId,
}

const WORDS: [u128; 6] = [0x0000, 0x1111, 0x2222, 0x3333, 0x4444, 0x5555];

fn bench(collision: Collision) -> Bench {
    let mut b = Builder::new("bench");
    let enable = [b.input("enable0", 1), b.input("enable1", 1)];
    let address = [b.input("address0", 3), b.input("address1", 65)];
    let data = [b.input("data0", 16), b.input("data1", 16)];
    let bytes = b.input("bytes", 2);
    let (read_enable, read_address) = (b.input("read_enable", 1), b.input("read_address", 3));
    let asynchronous = b.output("asynchronous", 16);
    let words = WORDS.iter().map(|word| v(16, *word)).collect();
    let memory = b.memory("words", 6, 16, 8, Some(words));
    for port in 0..2 {
        let (when, to, what) = (b.read(enable[port]), b.read(address[port]), b.read(data[port]));
        let enables = if port == 0 { Some(b.read(bytes)) } else { None };
        b.write_port(memory, when, to, what, enables, DomainId(0));
    }
    let (when, from) = (b.read(read_enable), b.read(read_address));
    let synchronous = b.read_port("synchronous", memory, from, when, collision, DomainId(0));
    let word = b.node(Op::MemoryRead { memory, address: from }, 16);
    b.drive(asynchronous, word);
    let mut run = b.run();
    run.set(bytes, v(2, 3));
    Bench { run, enable, address, data, bytes, read_enable, read_address, synchronous, asynchronous }
}

impl Bench {
    fn write(&mut self, port: usize, address: u128, data: u128) {
        let width = self.run.top().signal(self.address[port]).width;
        self.run.set(self.enable[port], v(1, 1));
        self.run.set(self.address[port], v(width, address));
        self.run.set(self.data[port], v(16, data));
    }

    fn read(&mut self, address: u128) {
        self.run.set(self.read_enable, v(1, 1));
        self.run.set(self.read_address, v(3, address));
    }

    fn words(&self) -> Vec<Value> {
        (0..6).map(|word| self.run.memory_word("words", word)).collect()
    }

    fn expect_words(&self, words: [u128; 6]) {
        assert_eq!(self.words(), words.map(|word| v(16, word)));
    }
}

#[test]
fn an_asynchronous_read_sees_the_word_as_it_is_and_0_beyond_the_depth() {
    let mut bench = bench(Collision::Old);
    bench.read(5);
    assert_eq!(bench.run.get(bench.asynchronous), v(16, 0x5555));
    bench.read(6);
    assert_eq!(bench.run.get(bench.asynchronous), v(16, 0));
    bench.write(0, 5, 0xabcd);
    bench.read(5);
    assert_eq!(bench.run.get(bench.asynchronous), v(16, 0x5555));
    bench.run.step();
    assert_eq!(bench.run.get(bench.asynchronous), v(16, 0xabcd));
}

#[test]
fn a_synchronous_read_takes_the_word_with_its_enable_alone_and_0_beyond_the_depth() {
    let mut bench = bench(Collision::Old);
    bench.read(4);
    bench.run.step();
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0x4444));
    bench.read(3);
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0x4444));
    bench.run.set(bench.read_enable, v(1, 0));
    bench.run.step();
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0x4444));
    bench.read(7);
    bench.run.step();
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0));
}

#[test]
fn a_read_of_a_word_being_written_follows_the_collision_rule() {
    for (collision, seen) in [(Collision::Old, 0x2222), (Collision::New, 0x22cd), (Collision::DontCare, 0x2222)] {
        let mut bench = bench(collision);
        bench.write(0, 2, 0xabcd);
        bench.run.set(bench.bytes, v(2, 0b01));
        bench.read(2);
        bench.run.step();
        assert_eq!(bench.run.get(bench.synchronous), v(16, seen), "{collision:?}");
        bench.expect_words([0x0000, 0x1111, 0x22cd, 0x3333, 0x4444, 0x5555]);
    }
}

#[test]
fn new_data_is_that_of_all_ports_and_of_the_word_read_alone() {
    let mut bench = bench(Collision::New);
    bench.write(0, 2, 0xabcd);
    bench.write(1, 3, 0x9999);
    bench.read(3);
    bench.run.step();
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0x9999));
    bench.write(1, 2, 0x8888);
    bench.read(2);
    bench.run.step();
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0x8888));
    bench.read(6);
    bench.write(0, 6, 0x7777);
    bench.run.step();
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0));
}

#[test]
fn new_data_is_that_of_the_memory_read() {
    let mut b = Builder::new("two_memories");
    let (one, zero) = (b.lit(1, 1), b.lit(1, 0));
    let words = || Some(vec![v(8, 0x11), v(8, 0x22)]);
    let (written, read) = (b.memory("written", 2, 8, 8, words()), b.memory("read", 2, 8, 8, words()));
    let data = b.lit(8, 0xff);
    b.write_port(written, one, zero, data, None, DomainId(0));
    let new_data = b.lit(8, 0xee);
    b.write_port(read, one, one, new_data, None, DomainId(0));
    let seen = b.read_port("seen", read, zero, one, Collision::New, DomainId(0));
    let mut run = b.run();
    run.step();
    assert_eq!(run.get(seen), v(8, 0x11));
}

#[test]
fn the_later_of_two_ports_wins() {
    let mut bench = bench(Collision::Old);
    bench.write(0, 1, 0xaaaa);
    bench.write(1, 1, 0xbbbb);
    bench.run.step();
    bench.expect_words([0x0000, 0xbbbb, 0x2222, 0x3333, 0x4444, 0x5555]);
}

#[test]
fn byte_enables_choose_bytes() {
    for (enables, word) in [(0b00, 0x1111), (0b01, 0x11cd), (0b10, 0xab11), (0b11, 0xabcd)] {
        let mut bench = bench(Collision::Old);
        bench.write(0, 1, 0xabcd);
        bench.run.set(bench.bytes, v(2, enables));
        bench.run.step();
        bench.expect_words([0x0000, word, 0x2222, 0x3333, 0x4444, 0x5555]);
    }
}

#[test]
fn enables_choose_groups_of_any_width() {
    let mut b = Builder::new("groups");
    let enables = b.input("enables", 3);
    let (one, zero, data, read) = (b.lit(1, 1), b.lit(1, 0), b.lit(9, 0o777), b.read(enables));
    let memory = b.memory("words", 2, 9, 3, Some(vec![Value::zero(9); 2]));
    b.write_port(memory, one, zero, data, Some(read), DomainId(0));
    let mut run = b.run();
    run.set(enables, v(3, 0b101));
    run.step();
    assert_eq!(run.memory_word("words", 0), v(9, 0o707));
}

#[test]
fn writes_beyond_the_depth_do_nothing() {
    let mut bench = bench(Collision::Old);
    bench.write(0, 6, 0xabcd);
    bench.write(1, 1 << 64, 0xabcd);
    bench.run.step();
    bench.expect_words(WORDS);
}

#[test]
fn memories_work_in_reset() {
    let mut bench = bench(Collision::Old);
    bench.run.set_reset(DomainId(0), true);
    bench.write(0, 0, 0xabcd);
    bench.read(4);
    bench.run.step();
    bench.expect_words([0xabcd, 0x1111, 0x2222, 0x3333, 0x4444, 0x5555]);
    assert_eq!(bench.run.get(bench.synchronous), v(16, 0x4444));
}

#[test]
fn at_simultaneous_edges_a_read_sees_what_another_clock_overwrites() {
    let mut b = Builder::new("two_clocks");
    let write_domain = b.domain("write");
    let (one, zero, data) = (b.lit(1, 1), b.lit(1, 0), b.lit(8, 0xff));
    let memory = b.memory("words", 2, 8, 8, Some(vec![v(8, 0x11), v(8, 0x22)]));
    b.write_port(memory, one, zero, data, None, write_domain);
    let seen = b.read_port("seen", memory, zero, one, Collision::New, DomainId(0));
    let mut run = b.run();
    run.step();
    run.step();
    assert_eq!(run.get(seen), v(8, 0x11), "written by another clock");
    run.edge(&[DomainId(0), write_domain]);
    assert_eq!(run.get(seen), v(8, 0x11));
    run.step();
    assert_eq!(run.get(seen), v(8, 0xff));
}

#[test]
fn words_without_initial_content_are_seeded() {
    let mut b = Builder::new("seeded");
    let memory = b.memory("words", 4, 600, 600, None);
    let (zero, one) = (b.lit(2, 0), b.lit(1, 1));
    let seen = b.read_port("seen", memory, zero, one, Collision::Old, DomainId(0));
    let mut run = Interpreter::new(&b.design(), 0x51);
    assert_eq!(run.get(seen), initial_value(0x51, "seeded", "seen", 0, 600));
    for word in 0..4 {
        assert_eq!(run.memory_word("words", word), initial_value(0x51, "seeded", "words", word, 600));
    }
    assert_ne!(run.memory_word("words", 0), run.memory_word("words", 1));
}

#[test]
#[should_panic(expected = "no `wards`: `bench` has no `wards`, but words")]
fn an_unknown_memory_is_refused() {
    bench(Collision::Old).run.memory_word("wards", 0);
}

#[test]
#[should_panic(expected = "memory `words` of `short` has 4 words, its initial content 3")]
fn initial_content_of_another_depth_is_refused() {
    let mut b = Builder::new("short");
    b.memory("words", 4, 8, 8, Some(vec![v(8, 0); 3]));
    b.run();
}
