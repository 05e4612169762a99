//! Properties: what is judged, when, and what is told.

use crate::builder::{Builder, if_, v};
use tollgate_rtl::Place;
use tollgate_rtl::ir::*;

fn check(kind: CheckKind, message: &str, condition: NodeId, domain: DomainId, place: Place) -> Stmt {
    Stmt::Check { kind, message: message.into(), condition, domain, place }
}

#[test]
fn violations_name_instance_cycle_and_place() {
    let mut inner = Builder::new("inner");
    let ok = inner.input("ok", 1);
    let read = inner.read(ok);
    let (line, place) = (line!(), Place::here());
    inner.push(check(CheckKind::Assert, "all is well", read, DomainId(0), place));
    inner.push(check(CheckKind::Assume, "so we were told", read, DomainId(0), place));
    let inner = inner.module;

    let mut outer = Builder::new("outer");
    let ok = outer.input("ok", 1);
    let ports = outer.instance("child", ModuleId(0), &inner, vec![DomainId(0)]);
    let read = outer.read(ok);
    outer.drive(ports[0], read);
    let mut run = tollgate_rtl::sim::Interpreter::new(&Design { modules: vec![inner, outer.module] }, 1);
    run.set(ok, v(1, 1));
    run.step();
    run.step();
    assert!(run.violations().is_empty());
    run.set(ok, v(1, 0));
    run.step();
    let told: Vec<String> = run.violations().iter().map(ToString::to_string).collect();
    let file = file!();
    assert_eq!(
        told,
        [
            format!("outer.child, cycle 2: assertion failed: all is well\n  --> {file}:{line}"),
            format!("outer.child, cycle 2: assumption failed: so we were told\n  --> {file}:{line}"),
        ]
    );
}

#[test]
fn properties_are_judged_outside_reset_where_their_statement_runs_at_their_own_clock() {
    let mut b = Builder::new("judged");
    let other = b.domain("other");
    let enable = b.input("enable", 1);
    let (read, never) = (b.read(enable), b.lit(1, 0));
    b.push(if_(read, vec![check(CheckKind::Assert, "never", never, other, Place::here())]));
    let mut run = b.run();
    run.edge(&[other]);
    assert_eq!(run.violations().len(), 0, "not enabled");
    run.set(enable, v(1, 1));
    run.step();
    assert_eq!(run.violations().len(), 0, "another clock");
    run.set_reset(other, true);
    run.edge(&[other]);
    assert_eq!(run.violations().len(), 0, "in reset");
    run.set_reset(other, false);
    run.set_reset(DomainId(0), true);
    run.edge(&[other]);
    assert_eq!(run.violations().len(), 1, "another domain's reset");
}

#[test]
fn a_violation_in_a_loop_tells_the_indices() {
    let mut b = Builder::new("looped");
    let rows = b.input("rows", 6);
    let row = b.a_loop("row", 2, None);
    let column = b.a_loop("column", 3, Some(row));
    let read = b.read(rows);
    let inner = b.node(Op::Part { of: read, index: Index::Loop(row) }, 3);
    let bit = b.node(Op::Part { of: inner, index: Index::Loop(column) }, 1);
    let body = vec![check(CheckKind::Assert, "set", bit, DomainId(0), Place::here())];
    b.push(Stmt::Each { index: row, body: vec![Stmt::Each { index: column, body }] });
    let mut run = b.run();
    run.set(rows, v(6, 0b101_111));
    run.step();
    assert_eq!(run.violations().len(), 1);
    let told = run.violations()[0].to_string();
    assert!(told.starts_with("looped, cycle 0: assertion failed: set [row = 1] [column = 1]\n"), "{told}");
}

#[test]
fn covers_are_counted_and_those_that_never_happen_are_listed() {
    let mut b = Builder::new("covered");
    let happens = b.input("happens", 1);
    let (read, never) = (b.read(happens), b.lit(1, 0));
    b.push(check(CheckKind::Cover, "it happens", read, DomainId(0), Place::here()));
    b.push(check(CheckKind::Assert, "not counted", read, DomainId(0), Place::here()));
    b.push(check(CheckKind::Cover, "it never does", never, DomainId(0), Place::here()));
    let mut run = b.run();
    for happening in [1, 0, 1, 1] {
        run.set(happens, v(1, happening));
        run.step();
    }
    let counts: Vec<(&str, u64)> = run.covers().iter().map(|cover| (cover.message.as_str(), cover.hits)).collect();
    assert_eq!(counts, [("it happens", 3), ("it never does", 0)]);
    assert_eq!(run.violations().len(), 1);
}

#[test]
fn without_a_clock_properties_are_judged_when_signals_settle_and_without_a_reset_at_every_edge() {
    let mut b = Builder::new("combinational");
    let ok = b.input("ok", 1);
    let read = b.read(ok);
    b.module.domains[0].clock_used = false;
    b.module.domains[0].reset_used = false;
    b.push(check(CheckKind::Assert, "ok", read, DomainId(0), Place::here()));
    let mut run = b.run();
    run.set(ok, v(1, 1));
    run.settle();
    assert_eq!(run.violations().len(), 0);
    run.set(ok, v(1, 0));
    run.settle();
    run.settle();
    assert_eq!(run.violations().len(), 1);
    run.step();
    assert_eq!(run.violations().len(), 1, "no clock, no edge");
    run.settle();
    assert_eq!(run.violations().len(), 2);

    let mut b = Builder::new("no_reset");
    let ok = b.input("ok", 1);
    let read = b.read(ok);
    b.module.domains[0].reset_used = false;
    b.push(check(CheckKind::Assert, "ok", read, DomainId(0), Place::here()));
    let mut run = b.run();
    run.set_reset(DomainId(0), true);
    run.set(ok, v(1, 0));
    run.step();
    assert_eq!(run.violations().len(), 1);
}
