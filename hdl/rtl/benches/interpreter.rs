//! How fast the reference interpreter is, in cycles a second: `cargo bench -p tollgate-rtl --bench interpreter`.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::hint::black_box;
use tollgate_rtl::Place;
use tollgate_rtl::ir::{
    Binary, Design, Domain, DomainId, Module, Node, NodeId, Op, Reset, Signal, SignalId, SignalKind, Stmt, Target,
};
use tollgate_rtl::prelude::{Bit, Bits, Input, Output, Shaped, Value, bits, each, elaborate, module, ports, when};
use tollgate_rtl::sim::{Interpreter, Sim};

/// Clock cycles in one measurement.
const CYCLES: u64 = 1_000;

/// A pipeline of 20 registers of `width` bits with four operators and an enabled assignment between each and the next:
/// about 100 nodes.
fn pipeline(width: u32) -> Design {
    let domain = Domain { name: String::new(), clock_used: true, reset_used: true };
    let mut module = Module {
        name: "pipeline".into(),
        doc: String::new(),
        parameters: vec![],
        domains: vec![domain],
        signals: vec![],
        memories: vec![],
        instances: vec![],
        loops: vec![],
        nodes: vec![],
        body: vec![],
        ignored: vec![],
        probes: vec![],
        black_box: None,
        place: Place::here(),
    };
    let mut previous = signal(&mut module, "data".into(), width, SignalKind::Input);
    for stage in 0..20 {
        let reset = Some(Reset { value: Value::zero(width), asynchronous: false });
        let state = signal(&mut module, format!("stage{stage}"), width, SignalKind::Register { reset, crossing: None });
        let (a, b) = (node(&mut module, Op::Read(previous), width), node(&mut module, Op::Read(state), width));
        let sum = node(&mut module, Op::Binary(Binary::Add, a, b), width);
        let mixed = node(&mut module, Op::Binary(Binary::Xor, sum, a), width);
        let enable = node(&mut module, Op::Binary(Binary::LessEqual, b, mixed), 1);
        let place = Place::here();
        let assign = Stmt::Assign { target: Target { signal: state, path: vec![] }, value: mixed, place };
        module.body.push(Stmt::If { arms: vec![(enable, vec![assign])], otherwise: vec![], place });
        previous = state;
    }
    let output = signal(&mut module, "result".into(), width, SignalKind::Output);
    let value = node(&mut module, Op::Read(previous), width);
    let target = Target { signal: output, path: vec![] };
    module.body.push(Stmt::Assign { target, value, place: Place::here() });
    Design { modules: vec![module] }
}

fn signal(module: &mut Module, name: String, width: u32, kind: SignalKind) -> SignalId {
    module.signals.push(Signal {
        name,
        doc: String::new(),
        kind,
        width,
        element_width: None,
        signed: false,
        encoding: None,
        domain: DomainId(0),
        default: None,
        attributes: vec![],
        place: Place::here(),
    });
    SignalId(module.signals.len() as u32 - 1)
}

fn node(module: &mut Module, op: Op, width: u32) -> NodeId {
    module.nodes.push(Node { op, width, place: Place::here() });
    NodeId(module.nodes.len() as u32 - 1)
}

/// One new input a cycle, one output looked at.
#[divan::bench(args = [8, 64, 600])]
fn cycles(bencher: Bencher, width: u32) {
    let design = pipeline(width);
    let output = SignalId(design.top().signals.len() as u32 - 1);
    let mut run = Interpreter::new(&design, 1);
    bencher.counter(ItemsCount::new(CYCLES)).bench_local(|| {
        for cycle in 0..CYCLES {
            run.set(SignalId(0), Value::new(width, cycle));
            run.step();
            black_box(run.get(output));
        }
    });
}

/// Ports of the table.
#[ports]
struct TablePorts {
    /// Writes the entry with this number.
    index: Input<Bits<6>>,
    /// Whether to write.
    write: Input<Bit>,
    /// What is written: its key is the lowest 16 bits.
    entry: Input<Bits<235>>,
    /// The key looked for.
    key: Input<Bits<16>>,
    /// The entry with that key, in the next cycle.
    found: Output<Bits<235>>,
}

/// A content-addressed table of 64 entries of 235 bits: wide arrays, loops, a fold.
fn entries_by_key() -> tollgate_rtl::Design<TablePorts> {
    let design = elaborate(|| {
        module("entries_by_key", TablePorts::shape(&()), |m, io| {
            m.describe("Finds entries by key.");
            let entries = m.reg_array("entries", 64, bits(235));
            let answer = m.reg("answer", bits(235));
            each("entry", 64, |i| {
                when(io.write & io.index.equals(i), || entries.at(i).set(io.entry));
            });
            let hits = each("hits", 64, |i| entries.at(i).slice(0..16).equals(io.key));
            answer.set(hits.select("chosen", *entries));
            io.found.set(*answer);
        })
    });
    design.unwrap_or_else(|errors| panic!("{errors}"))
}

/// One entry written and one looked up in each cycle.
#[divan::bench]
fn table_cycles(bencher: Bencher) {
    let mut sim = Sim::new(&entries_by_key(), 1);
    let io = sim.io();
    bencher.counter(ItemsCount::new(CYCLES)).bench_local(|| {
        for cycle in 0..CYCLES {
            sim.set(io.write, 1);
            sim.set(io.index, cycle % 64);
            sim.set(io.entry, cycle);
            sim.set(io.key, cycle);
            sim.step();
            black_box(sim.get(io.found));
        }
    });
}

fn main() {
    divan::main();
}
