//! What the language means, as its handles say it and the reference interpreter runs it.

use num_bigint::BigInt;
use std::collections::BTreeSet;
use tollgate_rtl::Design;
use tollgate_rtl::prelude::*;
use tollgate_rtl::sim::Sim;
use tollgate_rtl::verilog::print;
use tollgate_rtl::{black_box, ir::BlackBoxModel};

/// An enumeration with illegal codes; the reset variant is not the first.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 3)]
enum Mode {
    /// Code 1.
    Idle = 1,
    /// Code 4, and what an illegal code counts as.
    #[reset]
    Busy = 4,
    /// Code 6.
    Done = 6,
}

/// A bundle with an array in it.
#[bundle]
struct Row {
    /// Two numbers.
    numbers: Array<Signed<3>, 2>,
    /// What they are.
    mode: Code<Mode>,
}

/// Ports of [`circuit`].
#[ports]
struct Io {
    /// Four bits.
    a: Input<Bits<4>>,
    /// Four bits.
    b: Input<Bits<4>>,
    /// One bit.
    go: Input<Bit>,
    /// Eight bits.
    out: Output<Bits<8>>,
}

/// A module called `circuit` whose inputs need not be read.
fn module_of(body: impl FnOnce(&ModuleBuilder, Io)) -> Module<Io> {
    module("circuit", Io::shape(&()), |m, io| {
        m.describe("A circuit of the tests.");
        m.ignore("inputs", concat([io.a, io.b, io.go.bits()]), "not every test needs them");
        body(m, io);
    })
}

#[track_caller]
fn elaborated<P: Bundle>(describe: impl FnOnce() -> Module<P>) -> Design<P> {
    match elaborate(describe) {
        Ok(design) => design,
        Err(errors) => panic!("{errors}"),
    }
}

#[track_caller]
fn circuit(body: impl FnOnce(&ModuleBuilder, Io)) -> Sim<Io> {
    Sim::new(&elaborated(|| module_of(body)), 1)
}

/// Asserts that, for all inputs, the output of a circuit without state is what `expected(a, b, go)` says.
#[track_caller]
fn is_always(body: impl FnOnce(&ModuleBuilder, Io), expected: impl Fn(u8, u8, bool) -> u8) {
    let mut sim = circuit(body);
    let io = sim.io();
    for (a, b, go) in (0..16).flat_map(|a| (0..16).flat_map(move |b| [(a, b, false), (a, b, true)])) {
        sim.set(io.a, a);
        sim.set(io.b, b);
        sim.set(io.go, go);
        assert_eq!(sim.get(io.out).to_u64(), Some(expected(a, b, go).into()), "a = {a}, b = {b}, go = {go}");
    }
}

/// A number of four bits in two's complement.
fn negative_above_seven(bits: u8) -> i32 {
    i32::from(bits) - if bits > 7 { 16 } else { 0 }
}

#[test]
fn a_wire_is_read_as_it_finally_is() {
    is_always(
        |m, io| {
            let word = m.wire("word", bits(4));
            io.out.set(word.extend(8));
            word.set(io.a);
            when(io.go, || word.set(io.b));
        },
        |a, b, go| if go { b } else { a },
    );
}

#[test]
fn two_dont_cares_are_two_values() {
    let answers: BTreeSet<Value> = (0..64)
        .map(|seed| {
            let design = elaborated(|| {
                module_of(|_, io| {
                    let (one, other) = (dont_care(io.go), dont_care(io.go));
                    io.out.set(concat([one.bits().equals(other.bits()).bits(), (one ^ one).bits()]).extend(8));
                })
            });
            let mut sim = Sim::new(&design, seed);
            let io = sim.io();
            sim.get(io.out)
        })
        .collect();
    assert_eq!(answers, BTreeSet::from([Value::new(8, 0u8), Value::new(8, 2u8)]));
}

/// Ports of a black box.
#[ports]
struct Summing {
    /// What is added at each clock edge.
    addend: Input<Bits<4>>,
    /// The sum since reset.
    sum: Output<Bits<8>>,
}

/// The model of a black box: a sum.
struct Sum(u8);

impl BlackBoxModel for Sum {
    fn outputs(&mut self, _: &[Value]) -> Vec<Value> {
        vec![Value::new(8, self.0)]
    }

    fn edge(&mut self, domain: usize, reset: bool, inputs: &[Value]) {
        assert_eq!(domain, 0);
        let addend = u8::try_from(inputs[0].bits()).expect("four bits");
        self.0 = if reset { 0 } else { self.0.wrapping_add(addend) };
    }
}

#[test]
fn a_black_box_is_simulated_by_its_model_and_printed_as_an_instance_alone() {
    let design = elaborated(|| {
        module_of(|m, io| {
            let doc = "Sums, as a vendor wrote it.";
            let summing = black_box("vendor_sum", doc, Summing::shape(&()), &[""], || Box::new(Sum(7)));
            let summing = m.instance("summing", &summing);
            summing.addend.set(io.a);
            io.out.set(summing.sum);
        })
    });
    let mut sim = Sim::new(&design, 1);
    let io = sim.io();
    sim.set(io.a, 5);
    sim.expect(io.out, 7);
    sim.step();
    sim.expect(io.out, 12);
    sim.reset();
    sim.expect(io.out, 0);

    let files = print(design.ir());
    let modules: Vec<&str> = files.iter().map(|file| file.module.as_str()).collect();
    assert_eq!(modules, ["circuit"]);
    for part in ["vendor_sum summing (", ".clk(clk)", ".rst(rst)", ".addend(a)", ".sum(out)"] {
        let text = files[0].text.replace(['\n', ' '], "");
        assert!(text.contains(&part.replace(' ', "")), "{part} is missing in\n{}", files[0].text);
    }
}

#[test]
fn a_register_is_read_as_it_is() {
    let mut sim = circuit(|m, io| {
        let (left, right) = (m.reg("left", bits(4)), m.reg("right", bits(4)));
        when(io.go, || {
            left.set(*right);
            right.set(*left);
        })
        .otherwise(|| {
            left.set(io.a);
            right.set(io.b);
        });
        io.out.set(concat([*left, *right]));
    });
    let io = sim.io();
    sim.set(io.a, 5);
    sim.set(io.b, 9);
    sim.set(io.go, false);
    sim.step();
    sim.expect(io.out, 0x59);
    sim.set(io.go, true);
    sim.expect(io.out, 0x59);
    sim.step();
    sim.expect(io.out, 0x95);
    sim.step();
    sim.expect(io.out, 0x59);
}

#[test]
fn a_register_keeps_the_bits_that_are_not_set() {
    let mut sim = circuit(|m, io| {
        let word = m.reg("word", bits(8)).reset(0xa5);
        word.slice(0..4).set(io.a);
        when(io.go, || word.slice(2..6).set(io.b));
        when(io.a.none(), || word.slice(6..8).set(0));
        io.out.set(*word);
    });
    let io = sim.io();
    sim.set(io.a, 3);
    sim.set(io.b, 0);
    sim.set(io.go, false);
    sim.reset();
    sim.expect(io.out, 0xa5);
    sim.step();
    sim.expect(io.out, 0xa3);
    sim.set(io.b, 0xf);
    sim.set(io.go, true);
    sim.step();
    sim.expect(io.out, 0xbf);
    sim.set(io.a, 0);
    sim.step();
    sim.expect(io.out, 0x3c);
}

#[test]
fn the_last_set_wins_bit_by_bit() {
    is_always(
        |m, io| {
            let word = m.wire("word", bits(8));
            word.set(0);
            word.slice(0..4).set(io.a);
            when(io.go, || word.slice(2..6).set(io.b));
            io.out.set(word);
        },
        |a, b, go| if go { a & 3 | b << 2 } else { a },
    );
}

#[test]
fn of_two_writes_to_one_element_the_last_wins() {
    is_always(
        |m, io| {
            let word = m.wire("word", bits(8));
            m.default(word, 0xf0);
            word.bit_at(io.a).set(true);
            word.bit_at(io.b).set(io.go);
            word.elements(2).at(io.a).bit(1).set(false);
            io.out.set(word);
        },
        |a, b, go| {
            let mut word = 0xf0u8;
            if a < 8 {
                word |= 1 << a;
            }
            if b < 8 {
                word = word & !(1 << b) | u8::from(go) << b;
            }
            if a < 4 {
                word &= !(2 << (2 * a));
            }
            word
        },
    );
}

#[test]
fn of_all_indices_of_a_loop_the_last_wins() {
    is_always(
        |m, io| {
            let last = m.wire("last", bits(8));
            m.default(last, 0xff);
            each("lane", 4, |i| when_hit(io.a, i, || last.set(i)));
            io.out.set(last);
        },
        |a, _, _| if a == 0 { 0xff } else { a.ilog2() as u8 },
    );
}

fn when_hit(vector: Bits, i: Index, body: impl FnOnce()) {
    when(vector.array().at(i), body);
}

#[test]
fn a_default_is_as_if_set_first() {
    is_always(
        |m, io| {
            when(io.go, || io.out.slice(0..4).set(io.a));
            m.default(io.out, 0x70);
        },
        |a, _, go| 0x70 | if go { a } else { 0 },
    );
}

#[test]
fn a_default_may_be_any_value() {
    is_always(
        |m, io| {
            let (flags, number, mode) =
                (m.wire("flags", array(3, bits(2))), m.wire("number", signed(3)), m.wire("mode", code()));
            m.default(flags, 2);
            m.default(number, -2);
            m.default(mode, Mode::Done);
            when(io.go, || {
                flags.at(1usize).set(io.a.slice(0..2));
                number.set(3);
                mode.set(Mode::Idle);
            });
            io.out.set(flags.packed().extend(8) ^ concat([number.bits(), Value::zero(2).lit(), mode.bits()]));
        },
        |a, _, go| if go { (0b100010 | (a & 3) << 2) ^ (3 << 5 | 1) } else { 0b101010 ^ (6 << 5 | 6) },
    );
}

#[test]
fn the_first_condition_that_holds_runs() {
    is_always(
        |m, io| {
            m.default(io.out, 0);
            when(io.a.equals(io.b), || io.out.set(1))
                .or_when(io.go, || io.out.set(2))
                .or_when(io.a.bit(0), || io.out.set(3));
            when(io.b.equals(15), || io.out.bit(7).set(true)).otherwise(|| io.out.bit(6).set(true));
        },
        |a, b, go| {
            let low = if a == b {
                1
            } else if go {
                2
            } else if a & 1 == 1 {
                3
            } else {
                0
            };
            low | if b == 15 { 0x80 } else { 0x40 }
        },
    );
}

#[test]
fn a_name_for_a_value_asks_no_condition() {
    is_always(
        |m, io| {
            m.default(io.out, 0);
            when(io.go, || {
                let sum = m.named("sum", io.a + io.b);
                when(sum.bit(0), || io.out.set(sum.extend(8)));
            });
        },
        |a, b, go| if go && (a + b) & 1 == 1 { (a + b) & 15 } else { 0 },
    );
}

#[test]
fn what_is_delayed_is_a_cycle_late_and_asks_no_condition() {
    let mut sim = circuit(|m, io| {
        m.default(io.out, 0);
        when(io.go, || {
            let once = m.delayed("once", io.a).reset(5);
            io.out.set(concat([*once, *m.delayed("twice", *once).reset(5)]));
        });
    });
    let io = sim.io();
    sim.set(io.go, false);
    sim.set(io.a, 1);
    sim.set(io.b, 0);
    sim.reset();
    for (a, go, out) in [(7, true, 0x55), (8, false, 0), (9, true, 0x87), (3, true, 0x98), (3, true, 0x39)] {
        sim.set(io.a, a);
        sim.set(io.go, go);
        sim.expect(io.out, out);
        sim.step();
    }
}

#[test]
fn operators_of_vectors() {
    type Row = (fn(Bits, Bits) -> Bits, u32, fn(u32, u32) -> u32);
    let table: [Row; 21] = [
        (|a, b| a & b, 4, |a, b| a & b),
        (|a, b| a | b, 4, |a, b| a | b),
        (|a, b| a ^ b, 4, |a, b| a ^ b),
        (|a, b| a + b, 4, |a, b| (a + b) & 15),
        (|a, b| a - b, 4, |a, b| a.wrapping_sub(b) & 15),
        (|a, b| a * b, 8, |a, b| a * b),
        (|a, b| a * b.slice(0..3), 7, |a, b| a * (b & 7)),
        (|a, _| !a, 4, |a, _| !a & 15),
        (|a, b| a.equals(b).bits(), 1, |a, b| u32::from(a == b)),
        (|a, b| a.differs(b).bits(), 1, |a, b| u32::from(a != b)),
        (|a, b| a.less_than(b).bits(), 1, |a, b| u32::from(a < b)),
        (|a, b| a.at_most(b).bits(), 1, |a, b| u32::from(a <= b)),
        (|a, b| a.greater_than(b).bits(), 1, |a, b| u32::from(a > b)),
        (|a, b| a.at_least(b).bits(), 1, |a, b| u32::from(a >= b)),
        (|a, b| a << b, 4, |a, b| if b < 4 { (a << b) & 15 } else { 0 }),
        (|a, b| a >> b, 4, |a, b| if b < 4 { a >> b } else { 0 }),
        (|a, b| concat([a, b]), 8, |a, b| (a << 4) | b),
        (|a, _| a.extend(7), 7, |a, _| a),
        (|a, _| a.repeat(2), 8, |a, _| (a << 4) | a),
        (
            |a, b| concat([a.all(), a.any(), a.none(), b.parity(), a.at_most_one()].map(Bit::bits)),
            5,
            |a, b| {
                let bits = [a == 15, a != 0, a == 0, b.count_ones() & 1 == 1, a.count_ones() <= 1];
                bits.into_iter().fold(0, |all, bit| all << 1 | u32::from(bit))
            },
        ),
        (|a, b| concat([a << 3, a >> 0, b >> 4]).slice(0..8), 8, |a, _| a << 4),
    ];
    for (operator, width, expected) in table {
        is_always(
            |_, io| {
                let result = operator(io.a, io.b);
                assert_eq!(result.width(), width);
                io.out.set(result.extend(8));
            },
            |a, b, _| expected(a.into(), b.into()) as u8,
        );
    }
}

#[test]
fn operators_of_bits_and_mux() {
    is_always(
        |_, io| {
            let (p, q) = (io.a.bit(0), io.b.bit(0));
            let results = [p & q, p | q, p ^ q, !p, mux(io.go, p, q), p & 1, q | false];
            io.out.set(concat(results.map(Bit::bits)).extend(8));
        },
        |a, b, go| {
            let (p, q) = (a & 1, b & 1);
            let results = [p & q, p | q, p ^ q, 1 - p, if go { p } else { q }, p, q];
            results.into_iter().fold(0, |all, bit| all << 1 | bit)
        },
    );
}

#[test]
fn operators_of_numbers() {
    type Row = (fn(Signed, Signed) -> Bits, u32, fn(i32, i32) -> i32);
    let table: [Row; 14] = [
        (|a, b| (a + b).bits(), 4, |a, b| a + b),
        (|a, b| (a - b).bits(), 4, |a, b| a - b),
        (|a, b| (a * b).bits(), 8, |a, b| a * b),
        (|a, _| (-a).bits(), 4, |a, _| -a),
        (|a, _| a.extend(8).bits(), 8, |a, _| a),
        (|a, b| (a << b.bits()).bits(), 4, |a, b| if b & 15 < 4 { a << (b & 15) } else { 0 }),
        (|a, b| (a >> b.bits()).bits(), 4, |a, b| a >> (b & 15).min(4)),
        (|a, b| a.equals(b).bits(), 1, |a, b| i32::from(a == b)),
        (|a, b| a.less_than(b).bits(), 1, |a, b| i32::from(a < b)),
        (|a, b| a.at_most(b).bits(), 1, |a, b| i32::from(a <= b)),
        (|a, b| a.greater_than(b).bits(), 1, |a, b| i32::from(a > b)),
        (|a, b| a.at_least(b).bits(), 1, |a, b| i32::from(a >= b)),
        (|a, _| a.less_than(-3).bits(), 1, |a, _| i32::from(a < -3)),
        (|a, _| a.is_negative().bits(), 1, |a, _| i32::from(a < 0)),
    ];
    for (operator, width, expected) in table {
        is_always(
            |_, io| {
                let result = operator(io.a.signed(), io.b.signed());
                assert_eq!(result.width(), width);
                io.out.set(result.extend(8));
            },
            |a, b, _| {
                let result = expected(negative_above_seven(a), negative_above_seven(b));
                (result & ((1 << width) - 1)) as u8
            },
        );
    }
}

#[test]
fn elements_beyond_the_last_read_zero_and_are_not_set() {
    is_always(
        |m, io| {
            let lanes = m.wire("lanes", array(3, bits(2)));
            m.default(lanes, 1);
            lanes.at(io.a).set(3);
            io.out.set(concat([lanes.at(io.b), lanes.packed()]));
        },
        |a, b, _| {
            let lane = |i: u8| {
                if i > 2 {
                    0
                } else if i == a {
                    3
                } else {
                    1
                }
            };
            lane(b) << 6 | lane(2) << 4 | lane(1) << 2 | lane(0)
        },
    );
}

#[test]
fn words_beyond_the_last_read_zero_and_are_not_written() {
    let mut sim = circuit(|m, io| {
        let words = m.memory("words", 3, bits(4)).initial((1..4u8).map(|word| Value::new(4, word)));
        when(io.go, || words.write(io.a, io.a));
        io.out.set(concat([words.read(io.b), words.read_registered("word", io.b, lit(true), Collision::Old)]));
    });
    let io = sim.io();
    let mut expected = [1u64, 2, 3];
    for address in 0..16 {
        sim.set(io.a, address);
        sim.set(io.go, address > 1);
        sim.set(io.b, address);
        sim.step();
        let old = expected.get(address as usize).copied().unwrap_or(0);
        if let (Some(word), true) = (expected.get_mut(address as usize), address > 1) {
            *word = address as u64;
        }
        let new = expected.get(address as usize).copied().unwrap_or(0);
        assert_eq!(sim.get(io.out).to_u64(), Some(new << 4 | old), "address {address}");
    }
}

/// What three cycles of writing and reading one word give, with what a collision gives.
fn collision(collision: Collision) -> [u64; 3] {
    let mut sim = circuit(|m, io| {
        let words = m.memory("words", 4, bits(8)).initial([Value::new(8, 0x77u8)]);
        when(io.go, || words.write(io.b, concat([io.a, io.a])));
        io.out.set(words.read_registered("word", io.b, io.go | io.a.bit(0), collision));
    });
    let io = sim.io();
    sim.set(io.b, 0);
    [(1, true), (3, false), (2, false)].map(|(a, go)| {
        sim.set(io.a, a);
        sim.set(io.go, go);
        sim.step();
        sim.get(io.out).to_u64().expect("eight bits")
    })
}

#[test]
fn a_collision_gives_what_was_agreed() {
    assert_eq!(collision(Collision::Old), [0x77, 0x11, 0x11], "the last read is not enabled");
    assert_eq!(collision(Collision::New), [0x11, 0x11, 0x11]);
}

#[test]
fn groups_are_written_where_enabled_and_the_later_write_wins() {
    let mut sim = circuit(|m, io| {
        let words = m.memory("words", 2, bits(8)).granule(2).initial([]);
        words.write_enabled(io.go.bits(), lit(true).repeat(8), io.a);
        words.write_enabled(io.go.bits(), Value::new(8, 0x55u8).lit(), io.b);
        io.out.set(words.read(io.go.bits()));
    });
    let io = sim.io();
    sim.set(io.go, true);
    sim.set(io.a, 0b0111);
    sim.set(io.b, 0b0010);
    sim.step();
    sim.expect(io.out, 0b00110111);
    sim.set(io.go, false);
    sim.expect(io.out, 0);
}

#[test]
fn an_illegal_code_is_the_reset_variant() {
    is_always(
        |m, io| {
            let mode = io.a.slice(0..3).code::<Mode>();
            m.default(io.out, 0);
            switch(mode, |mode| match mode {
                Mode::Idle => io.out.slice(0..2).set(1),
                Mode::Busy => io.out.slice(0..2).set(2),
                Mode::Done => io.out.slice(0..2).set(3),
            });
            for (i, variant) in [Mode::Idle, Mode::Busy, Mode::Done].into_iter().enumerate() {
                io.out.bit(4 + i as u32).set(mode.is(variant));
            }
        },
        |a, _, _| match a & 7 {
            1 => 0x11,
            6 => 0x43,
            _ => 0x22,
        },
    );
}

#[test]
fn plain_values_come_back_as_they_went() {
    /// Ports that are bundles.
    #[ports]
    struct Rows {
        /// Three rows.
        given: Input<Array<Row, 3>>,
        /// A code.
        code: Input<Bits<3>>,
        /// The rows, from the last to the first.
        taken: Output<Array<Row, 3>>,
        /// What the code means.
        mode: Output<Code<Mode>>,
    }
    let design = elaborated(|| {
        module("rows", Rows::shape(&()), |m, io| {
            m.describe("Turns rows around.");
            for i in 0..3usize {
                BundleExt::set(io.taken.at(2 - i), io.given.at(i));
            }
            io.mode.set(io.code.code());
        })
    });
    let mut sim = Sim::new(&design, 1);
    let io = design.io();
    let row = |low: i32, high: i32, mode| RowPlain { numbers: vec![BigInt::from(low), BigInt::from(high)], mode };
    let rows = [row(-4, 3, Mode::Idle), row(-1, 0, Mode::Done), row(1, -2, Mode::Busy)];
    sim.set(io.given, rows.to_vec());
    let mut turned = rows.to_vec();
    turned.reverse();
    assert_eq!(sim.get(io.taken), turned);
    sim.expect(io.taken, turned);
    for code in 0..8 {
        sim.set(io.code, code);
        let mode = match code {
            1 => Mode::Idle,
            6 => Mode::Done,
            _ => Mode::Busy,
        };
        assert_eq!(sim.get(io.mode), mode);
    }
}

#[test]
fn every_leaf_has_its_own_reset() {
    let design = elaborated(|| {
        /// Ports.
        #[ports]
        struct Kept {
            /// As reset.
            row: Output<Row>,
        }
        module("kept", Kept::shape(&()), |m, io| {
            m.describe("Keeps what it is reset to.");
            let reset = RowPlain { numbers: vec![BigInt::from(-3), BigInt::from(2)], mode: Mode::Done };
            let row = m.reg("row_kept", Row::shape(&())).reset_to(&reset);
            row.set(Row { mode: mux(row.mode.is(Mode::Idle), *row, *row).mode, ..*row });
            BundleExt::set(io.row, *row);
        })
    });
    let mut sim = Sim::new(&design, 1);
    sim.reset();
    sim.step();
    let row = sim.get(design.io().row);
    assert_eq!((row.numbers, row.mode), (vec![BigInt::from(-3), BigInt::from(2)], Mode::Done));
}

#[test]
fn loops_in_loops() {
    is_always(
        |_, io| {
            let table =
                each("row", 4, |row| each("column", 2, |column| io.a.array().at(row) & io.b.array().at(column)));
            io.out.set(concat((0..4).rev().map(|row| table.at(row as usize).bits())));
        },
        |a, b, _| (0..4).fold(0, |out, row| out | if a >> row & 1 == 1 { (b & 3) << (2 * row) } else { 0 }),
    );
}

#[test]
fn recurrences_see_what_came_before() {
    is_always(
        |_, io| {
            let (last, below) = scan("below", 4, io.go, |i, any: Bit| (any | io.a.array().at(i), any));
            let count =
                fold("count", 4, Value::zero(3).lit(), |i, so_far: Bits| so_far + io.b.array().at(i).bits().extend(3));
            io.out.set(concat([last.bits(), count, below.bits()]));
        },
        |a, b, go| {
            let below = (0..4).fold(0, |out, i| out | u8::from(go || a & ((1 << i) - 1) != 0) << i);
            u8::from(go || a != 0) << 7 | (b.count_ones() as u8) << 4 | below
        },
    );
}

#[test]
fn selecting_takes_the_or_of_what_is_hit() {
    is_always(
        |_, io| {
            let lanes = concat([io.b, io.b ^ 5]).elements(2);
            let hits = io.a.array();
            io.out.set(concat([
                hits.select("chosen", lanes),
                hits.position("where", 2),
                concat([hits.any(), hits.all(), hits.at_most_one()].map(Bit::bits)).extend(4),
            ]));
        },
        |a, b, _| {
            let lanes = u32::from(b) << 4 | u32::from(b ^ 5);
            let hit = |i: &u32| a >> i & 1 == 1;
            let chosen = (0..4).filter(hit).fold(0, |or, i| or | (lanes >> (2 * i) & 3) as u8);
            let position = (0..4).filter(hit).fold(0, |or, i| or | i as u8);
            let flags = [a != 0, a == 15, a.count_ones() < 2];
            chosen << 6 | position << 4 | flags.into_iter().fold(0, |all, flag| all << 1 | u8::from(flag))
        },
    );
}

#[test]
fn an_instance_of_an_instance() {
    fn increment() -> Module<Io> {
        module("increment", Io::shape(&()), |m, io| {
            m.describe("Adds one.");
            m.ignore("rest", concat([io.b, io.go.bits()]), "not needed");
            io.out.set(io.a.extend(8) + 1);
        })
    }
    fn twice() -> Module<Io> {
        module("twice", Io::shape(&()), |m, io| {
            m.describe("Adds one, twice.");
            let (first, second) = (m.instance("first", &increment()), m.instance("second", &increment()));
            for (increment, a) in [(first, io.a), (second, first.out.slice(0..4))] {
                increment.a.set(a);
                increment.b.set(io.b);
                increment.go.set(io.go);
            }
            m.ignore("high", first.out.slice(4..8), "not needed");
            io.out.set(second.out);
        })
    }
    is_always(
        |m, io| {
            let twice = m.instance("inner", &twice());
            twice.a.set(io.a);
            twice.b.set(io.b);
            twice.go.set(io.go);
            io.out.set(mux(io.go, twice.out, Value::zero(8).lit()));
        },
        |a, _, go| if go { ((a + 1) & 15) + 1 } else { 0 },
    );
}

#[test]
fn every_clock_has_its_own_edges() {
    /// Ports of two counters.
    #[ports]
    struct Counters {
        /// Edges of the default clock.
        fast: Output<Bits<4>>,
        /// Edges of the slow clock.
        #[clock("slow")]
        slow: Output<Bits<4>>,
    }
    let design = elaborated(|| {
        module("counters", Counters::shape(&()), |m, io| {
            m.describe("Counts the edges of two clocks.");
            let slow = m.domain("slow");
            let counters = [m.reg("fast_count", bits(4)), m.in_domain(slow, || m.reg("slow_count", bits(4)))];
            for (counter, out) in counters.into_iter().zip([io.fast, io.slow]) {
                let counter = counter.reset(0);
                counter.set(*counter + 1);
                out.set(*counter);
            }
        })
    });
    let mut sim = Sim::new(&design, 1);
    let io = design.io();
    sim.reset();
    for domains in [&[""][..], &["slow"], &["", "slow"], &[""]] {
        sim.edge(domains);
    }
    sim.expect(io.fast, 3);
    sim.expect(io.slow, 2);
    sim.set_reset("slow", true);
    sim.edge(&["", "slow"]);
    sim.expect(io.fast, 4);
    sim.expect(io.slow, 0);
}

#[test]
fn a_reset_waits_for_an_edge_unless_it_is_asynchronous() {
    let mut sim = circuit(|m, io| {
        let synchronous = m.reg("synchronous", bits(4)).reset(3);
        let asynchronous = m.reg("asynchronous", bits(4)).reset_asynchronous(5);
        synchronous.set(io.a);
        asynchronous.set(io.b);
        io.out.set(concat([*synchronous, *asynchronous]));
    });
    let io = sim.io();
    sim.set(io.a, 0xc);
    sim.set(io.b, 0xd);
    sim.step();
    sim.expect(io.out, 0xcd);
    sim.set_reset("", true);
    sim.expect(io.out, 0xc5);
    sim.step();
    sim.expect(io.out, 0x35);
}

#[test]
fn modules_that_differ_in_their_places_are_the_same() {
    let here = |io: Io| {
        when(io.go, || io.out.set(io.a.extend(8))).otherwise(|| io.out.set(io.b.extend(8)));
    };
    let there = |io: Io| {
        when(io.go, || {
            io.out.set(io.a.extend(8));
        })
        .otherwise(|| {
            io.out.set(io.b.extend(8));
        });
    };
    let [one, other] = [elaborated(|| module_of(|_, io| here(io))), elaborated(|| module_of(|_, io| there(io)))];
    assert_eq!(one.ir().top(), other.ir().top());
    let both = elaborated(|| {
        module("both", Io::shape(&()), |m, io| {
            m.describe("Holds both.");
            m.default(io.out, 0);
            for (name, of) in [("one", module_of(|_, io| here(io))), ("other", module_of(|_, io| there(io)))] {
                let instance = m.instance(name, &of);
                instance.a.set(io.a);
                instance.b.set(io.b);
                instance.go.set(io.go);
                m.ignore(name, instance.out, "not what is tested");
            }
        })
    });
    assert_eq!(both.ir().modules.len(), 2);
    let different = elaborated(|| module_of(|_, io| io.out.set(io.a.extend(8))));
    assert_ne!(one.ir().top(), different.ir().top());
}

#[test]
fn constants_take_part_like_signals() {
    is_always(
        |_, io| {
            let mode = mux(io.go, Mode::Done.lit(), Mode::Idle.lit());
            io.out.set(concat([mode.bits(), Value::new(5, 21u8).lit()]));
        },
        |_, _, go| if go { 6 << 5 | 21 } else { 1 << 5 | 21 },
    );
}
