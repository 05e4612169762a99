//! Waves, read back by another reader of the format.

use crate::builder::{Builder, encoding, v};
use tollgate_rtl::Value;
use tollgate_rtl::ir::*;
use tollgate_rtl::sim::{Interpreter, initial_value};
use wellen::simple::Waveform;

/// The values of a variable at times 0, 10, 20, ….
fn values(waves: &mut Waveform, path: &[&str], name: &str, edges: u64) -> Vec<String> {
    let hierarchy = waves.hierarchy();
    let variable = hierarchy.lookup_var(path, name).unwrap_or_else(|| panic!("no {path:?} {name}"));
    let signal = hierarchy[variable].signal_ref();
    waves.load_signals(&[signal]);
    let times = waves.time_table().to_vec();
    let signal = waves.get_signal(signal).unwrap();
    let at = |time: u64| {
        let index = times.iter().rposition(|known| *known <= time).unwrap();
        let offset = signal.get_offset(index as u32).unwrap();
        signal.get_value_at(&offset, 0).to_string()
    };
    (0..edges).map(|edge| at(10 * edge)).collect()
}

#[test]
fn waves_hold_every_signal_of_every_instance() {
    let mut b = Builder::new("inner");
    let step = b.input("step", 70);
    let state = b.reset_register("state", Value::zero(70), false);
    let array = b.output("array", 6);
    b.module.signals[array.index()].element_width = Some(2);
    let kind = b.output("kind", 2);
    b.module.signals[kind.index()].encoding = Some(encoding("Kind", 2, 0, &[("Idle", 0), ("Busy", 1)]));
    let (read_state, read_step) = (b.read(state), b.read(step));
    let sum = b.binary(Binary::Add, read_state, read_step);
    b.drive(state, sum);
    let (low, elements) = (b.slice(read_state, 0, 2), b.slice(read_state, 0, 6));
    b.drive(kind, low);
    b.drive(array, elements);
    let write = b.lit(1, 1);
    let memory = b.memory("words", 4, 3, 3, Some(vec![Value::zero(3); 4]));
    let (address, data) = (b.slice(read_state, 0, 2), b.slice(read_state, 0, 3));
    b.write_port(memory, write, address, data, None, DomainId(0));
    let inner = b.module;

    let mut b = Builder::new("outer");
    let other = b.domain("unused");
    b.module.domains[other.index()].clock_used = false;
    b.module.domains[other.index()].reset_used = false;
    let step = b.input("step", 70);
    let ports = b.instance("child", ModuleId(0), &inner, vec![DomainId(0)]);
    let read = b.read(step);
    b.drive(ports[0], read);
    let not = b.unary(Unary::Parity, read);
    b.module.probes.push(Probe { node: not, name: "odd".into(), place: tollgate_rtl::Place::here() });
    let design = Design { modules: vec![inner, b.module] };

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waves.fst");
    let mut run = Interpreter::new(&design, 1);
    run.set_reset(DomainId(0), true);
    run.step();
    run.waves(&path).unwrap();
    run.edge(&[DomainId(0), other]);
    run.set_reset(DomainId(0), false);
    run.set(step, v(70, 1));
    run.step();
    run.step();
    run.set(step, v(70, 1 << 69));
    run.step();
    run.step();
    assert_eq!(run.finish_waves().unwrap(), Some(path.clone()));

    let mut waves = wellen::simple::read(&path).unwrap();
    let child = ["outer", "child"];
    let states = [0, 0, 1, 2, 2 + (1 << 69), 2];
    assert_eq!(values(&mut waves, &child, "state", 6), states.map(|state: u128| format!("{state:070b}")));
    assert_eq!(values(&mut waves, &child, "kind", 6), ["00", "00", "01", "10", "10", "10"]);
    assert_eq!(values(&mut waves, &child, "kind_name", 3), ["Idle   ", "Idle   ", "Busy   "]);
    assert_eq!(values(&mut waves, &child, "kind_name", 6)[3], "illegal");
    assert_eq!(values(&mut waves, &["outer"], "rst", 6), ["1", "0", "0", "0", "0", "0"]);
    assert_eq!(values(&mut waves, &child, "clk", 6), ["0", "1", "1", "1", "1", "1"]);
    assert_eq!(values(&mut waves, &["outer"], "probe_odd", 6), ["0", "1", "1", "1", "1", "1"]);
    assert!(waves.hierarchy().lookup_var(&["outer"], "unused_clk").is_none());
    assert!(waves.hierarchy().lookup_var(&["outer"], "unused_rst").is_none());
    let array = ["outer", "child", "array"];
    assert_eq!(values(&mut waves, &array, "[0]", 6), ["00", "00", "01", "10", "10", "10"]);
    assert_eq!(values(&mut waves, &array, "[2]", 6), ["00"; 6]);
    assert_eq!(values(&mut waves, &["outer", "child", "words"], "[2]", 6), ["000", "000", "000", "000", "010", "010"]);
}

#[test]
fn waves_of_a_long_run_are_written_in_pieces() {
    let mut b = Builder::new("wide");
    let wide = b.input("wide", 30_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waves.fst");
    let mut run = b.run();
    run.waves(&path).unwrap();
    let word = |edge: u64| initial_value(edge, "wide", "wide", 0, 30_000);
    let edges = 1_500; // 5.6 MB
    for edge in 0..edges {
        run.set(wide, word(edge));
        run.step();
    }
    assert!(std::fs::metadata(&path).unwrap().len() > 4_000_000, "all is kept in memory");
    drop(run);
    let mut waves = wellen::simple::read(&path).unwrap();
    let shown = values(&mut waves, &["wide"], "wide", edges);
    for edge in (0..edges).step_by(7) {
        assert_eq!(shown[edge as usize], format!("{:030000b}", word(edge).bits()), "edge {edge}");
    }
}

#[test]
fn new_waves_end_the_old_ones() {
    let mut b = Builder::new("twice");
    let a = b.input("a", 8);
    let folder = tempfile::tempdir().unwrap();
    let paths = ["first.fst", "second.fst"].map(|name| folder.path().join(name));
    let mut run = b.run();
    for (path, value) in paths.iter().zip([1, 2]) {
        run.waves(path).unwrap();
        run.set(a, v(8, value));
        run.step();
    }
    drop(run);
    for (path, value) in paths.iter().zip(["00000001", "00000010"]) {
        let mut waves = wellen::simple::read(path).unwrap();
        assert_eq!(values(&mut waves, &["twice"], "a", 1), [value]);
    }
}
