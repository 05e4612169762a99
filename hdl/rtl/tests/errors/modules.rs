//! Modules, instances, elaboration.

use crate::drivers::{InverterPorts, inverter};
use crate::support::{Io, block, errors};
use insta::assert_snapshot;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tollgate_rtl::prelude::*;
use tollgate_rtl::{Field, Flow, Shape, Tree};

#[test]
fn a_signal_of_the_module_around() {
    let text = block(|m, outer| {
        let copier = module("copier", InverterPorts::shape(&()), |m, io| {
            m.describe("Reaches out of its module.");
            m.ignore("plain", io.plain, "not what is tested");
            io.inverted.set(!outer.wide);
            when(outer.wide.bit(0), || io.inverted.set(outer.narrow + 1));
        });
        let copier = m.instance("copier", &copier);
        copier.plain.set(outer.wide);
        outer.out.set(copier.inverted);
    });
    assert_snapshot!(text, @r#"
    copier: `wide` belongs to `block`, not to `copier`: signals cross modules through ports only
      --> `io.inverted.set(!outer.wide);`: used here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.copier`
    copier: `wide` belongs to `block`, not to `copier`: signals cross modules through ports only
      --> `when(outer.wide.bit(0), || io.inverted.set(outer.narrow + 1));`: used here
      --> `pub wide: Input<Bits<8>>,`: `wide` comes from here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.copier`
    copier: `narrow` belongs to `block`, not to `copier`: signals cross modules through ports only
      --> `when(outer.wide.bit(0), || io.inverted.set(outer.narrow + 1));`: used here
      --> `pub narrow: Input<Bits<4>>,`: `narrow` comes from here
       in when at `when(outer.wide.bit(0), || io.inverted.set(outer.narrow + 1));`
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.copier`
    "#);
}

#[test]
fn a_signal_of_a_finished_module() {
    let text = block(|m, io| {
        let mut escaped = None;
        let inner = module("inner", InverterPorts::shape(&()), |m, io| {
            m.describe("Lets a signal out.");
            let sum = io.plain + 1;
            escaped = Some((sum, m.memory("words", 2, bits(8)).initial([])));
            io.inverted.set(sum);
        });
        let (sum, words) = escaped.expect("the closure ran");
        let inner = m.instance("inner", &inner);
        inner.plain.set(sum);
        io.out.set(inner.inverted & words.read(io.narrow));
    });
    assert_snapshot!(text, @r#"
    inner: memory `words` is not read
      --> `escaped = Some((sum, m.memory("words", 2, bits(8)).initial([])));`: declared here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.inner`
    block: the result of `+` belongs to `inner`, not to `block`: signals cross modules through ports only
      --> `inner.plain.set(sum);`: used here
      --> `let sum = io.plain + 1;`: the result of `+` comes from here
    block: a memory of another module
      --> `io.out.set(inner.inverted & words.read(io.narrow));`: used here
      --> `escaped = Some((sum, m.memory("words", 2, bits(8)).initial([])));`: the memory
      help: words cross modules through ports only
    "#);
}

#[test]
fn a_signal_of_another_call() {
    let text = block(|m, io| {
        let mut first = None;
        let modules = [0, 1].map(|_| {
            module("twin", InverterPorts::shape(&()), |m, io| {
                m.describe("Is written twice.");
                io.inverted.set(!*first.get_or_insert(io.plain));
                m.ignore("plain", io.plain, "not what is tested");
            })
        });
        for (name, module) in ["one", "other"].into_iter().zip(modules) {
            let twin = m.instance(name, &module);
            twin.plain.set(io.wide);
            m.ignore(name, twin.inverted, "not what is tested");
        }
    });
    assert_snapshot!(text, @r#"
    twin: `plain` belongs to another call of `twin`: signals cross modules through ports only
      --> `io.inverted.set(!*first.get_or_insert(io.plain));`: used here
      --> `pub plain: Input<Bits<8>>,`: `plain` comes from here
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.one`, and 1 more
    "#);
}

/// Instantiates a module twice.
fn twice(name: &str, of: impl Fn() -> Module<InverterPorts>) -> Module<InverterPorts> {
    module(name, InverterPorts::shape(&()), |m, io| {
        m.describe("Inverts twice.");
        let (left, right) = (m.instance("left", &of()), m.instance("right", &of()));
        left.plain.set(io.plain);
        right.plain.set(left.inverted);
        io.inverted.set(right.inverted);
    })
}

#[test]
fn an_error_names_an_instance_of_its_module() {
    let broken = || {
        module("broken", InverterPorts::shape(&()), |m, io| {
            m.describe("Is wrong.");
            io.inverted.set(io.plain.slice(0..4));
        })
    };
    assert_snapshot!(errors(|| twice("outer", || twice("middle", broken))), @r"
    broken: `inverted` has 8 bits, `plain[3:0]` has 4: `set` needs equal widths
      --> `io.inverted.set(io.plain.slice(0..4));`: here
      --> `pub inverted: Output<Bits<8>>,`: `inverted` comes from here
      --> `io.inverted.set(io.plain.slice(0..4));`: `plain[3:0]` comes from here
       in module `middle` at `module(name, InverterPorts::shape(&()), |m, io| {`
       in module `outer` at `module(name, InverterPorts::shape(&()), |m, io| {`
       is instance `outer.left.left`, and 3 more
    ");
    assert_snapshot!(errors(|| twice("outer", || {
        let _ = broken();
        inverter()
    })), @r"
    broken: `inverted` has 8 bits, `plain[3:0]` has 4: `set` needs equal widths
      --> `io.inverted.set(io.plain.slice(0..4));`: here
      --> `pub inverted: Output<Bits<8>>,`: `inverted` comes from here
      --> `io.inverted.set(io.plain.slice(0..4));`: `plain[3:0]` comes from here
       in module `outer` at `module(name, InverterPorts::shape(&()), |m, io| {`
    ");
}

#[test]
fn things_of_an_earlier_elaboration() {
    let mut escaped = None;
    let _ = elaborate(|| {
        module("earlier", InverterPorts::shape(&()), |m, io| {
            m.describe("Is gone.");
            escaped = Some((io.plain, m.domain("slow")));
            io.inverted.set(io.plain);
        })
    });
    let (plain, slow) = escaped.expect("the closure ran");
    let mut gone = None;
    let _ = elaborate(|| *gone.insert(inverter()));
    let gone = gone.expect("the closure ran");
    let text = block(|m, io| {
        io.out.set(plain);
        io.out.set(io.wide & plain.slice(0..4));
        m.in_domain(slow, || io.out.set(1));
        let gone = m.instance("gone", &gone);
        gone.plain.set(256);
        io.out.set(gone.inverted);
    });
    assert_snapshot!(text, @r#"
    block: a signal of an earlier elaboration
      --> `io.out.set(plain);`: used here
      --> `pub plain: Input<Bits<8>>,`: it comes from here
    block: a signal of an earlier elaboration
      --> `io.out.set(io.wide & plain.slice(0..4));`: used here
      --> `pub plain: Input<Bits<8>>,`: it comes from here
    block: a clock domain of another module
      --> `m.in_domain(slow, || io.out.set(1));`: used here
      --> `escaped = Some((io.plain, m.domain("slow")));`: the domain
    block: the module belongs to an earlier elaboration
      --> `let gone = m.instance("gone", &gone);`: instantiated here
      --> `module("inverter", InverterPorts::shape(&()), |m, io| {`: written here
    "#);
    assert_snapshot!(errors(|| gone), @r#"
    elaborate: the top module belongs to an earlier elaboration
      --> `assert_snapshot!(errors(|| gone), @r#"`: elaborated here
      --> `module("inverter", InverterPorts::shape(&()), |m, io| {`: written here
    "#);
}

#[test]
fn the_builder_of_the_module_around() {
    let text = block(|outer, io| {
        let inner = module("inner", InverterPorts::shape(&()), |_, io| {
            outer.describe("Speaks of the wrong module.");
            let kept = outer.reg("kept", bits(8));
            kept.set(io.plain);
            io.inverted.set(*kept);
        });
        let inner = outer.instance("inner", &inner);
        inner.plain.set(io.wide);
        io.out.set(inner.inverted);
    });
    assert_snapshot!(text, @r#"
    inner: the builder of another module
      --> `outer.describe("Speaks of the wrong module.");`: used here
      --> `let inner = module("inner", InverterPorts::shape(&()), |_, io| {`: the module being written
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.inner`
      help: each module declares through the builder that its closure is given
    inner: the builder of another module
      --> `let kept = outer.reg("kept", bits(8));`: used here
      --> `let inner = module("inner", InverterPorts::shape(&()), |_, io| {`: the module being written
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.inner`
      help: each module declares through the builder that its closure is given
    "#);
}

#[test]
fn a_module_has_a_meaning_and_so_has_a_port() {
    let text = errors(|| {
        module("mute", Io::shape(&()), |m, io| {
            m.ignore(
                "inputs",
                concat([io.narrow, io.wide, io.go.bits(), io.number.bits(), io.mode.bits()]),
                "not what is tested",
            );
            io.out.set(1);
        })
    });
    assert_snapshot!(text, @r#"
    mute: the module has no meaning
      --> `module("mute", Io::shape(&()), |m, io| {`: written here
      help: say it: `m.describe("…")`
    "#);

    // A port list written by hand, as `ports` insists on doc comments.
    let Tree::Fields(fields) = InverterPorts::shape(&()).tree().clone() else { unreachable!("ports are fields") };
    let mute = fields.into_iter().map(|field| match field.flow {
        Flow::Reverse => Field { doc: "", ..field },
        Flow::Forward => field,
    });
    let shape: Shape<InverterPorts> = Shape::from_tree(Tree::Fields(mute.collect()));
    let text = errors(|| {
        module("mute", shape, |m, io| {
            m.describe("Has a port without a meaning.");
            io.inverted.set(io.plain);
        })
    });
    assert_snapshot!(text, @r"
    mute: port `plain` has no meaning
      --> `pub plain: Input<Bits<8>>,`: declared here
      help: give it a doc comment
    ");
}

#[test]
fn what_stands_around_is_told_from_the_inside_out() {
    let text = block(|m, outer| {
        let inner = module("inner", InverterPorts::shape(&()), |m, io| {
            m.describe("Is wrong deep inside.");
            io.inverted.set(io.plain);
            when(io.plain.bit(0), || ()).or_when(io.plain.bit(1), || {
                each("lane", 4, |i| {
                    when(io.plain.equals(i), || ()).otherwise(|| io.inverted.set(io.plain.slice(0..7)));
                });
            });
        });
        let inner = m.instance("inner", &inner);
        inner.plain.set(outer.wide);
        outer.out.set(inner.inverted);
        switch(outer.mode, |_| outer.out.set(256));
    });
    assert_snapshot!(text, @r#"
    inner: `inverted` has 8 bits, `plain[6:0]` has 7: `set` needs equal widths
      --> `when(io.plain.equals(i), || ()).otherwise(|| io.inverted.set(io.plain.slice(0..7)));`: here
      --> `pub inverted: Output<Bits<8>>,`: `inverted` comes from here
      --> `when(io.plain.equals(i), || ()).otherwise(|| io.inverted.set(io.plain.slice(0..7)));`: `plain[6:0]` comes from here
       in otherwise at `when(io.plain.equals(i), || ()).otherwise(|| io.inverted.set(io.plain.slice(0..7)));`
       in each `lane` at `each("lane", 4, |i| {`
       in or_when at `when(io.plain.bit(0), || ()).or_when(io.plain.bit(1), || {`
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.inner`
    block: 256 does not fit the 8 bits of `out`
      --> `switch(outer.mode, |_| outer.out.set(256));`: here
      --> `pub out: Output<Bits<8>>,`: `out` comes from here
       in arm `Idle` of a switch at `switch(outer.mode, |_| outer.out.set(256));`
    "#);
}

/// What a closure panics with.
fn panic_of(closure: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(closure)).expect_err("it panics");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().expect("a text")).to_owned(),
    }
}

#[test]
fn elaborate_inside_elaborate() {
    let text = panic_of(|| {
        let _ = elaborate(|| {
            let _ = elaborate(inverter);
            inverter()
        });
    });
    assert_snapshot!(text, @"`elaborate` inside `elaborate`: call the module function itself");
    assert!(elaborate(inverter).is_ok(), "the next call starts afresh");
}

#[test]
fn hardware_outside() {
    assert_snapshot!(panic_of(|| _ = inverter()), @"hardware can only be described inside `elaborate`");
    assert_snapshot!(panic_of(|| _ = lit(true)), @"hardware can only be described inside `elaborate`");
    let text = panic_of(|| {
        let _ = elaborate(|| {
            lit(true);
            inverter()
        });
    });
    assert_snapshot!(text, @"hardware can only be described inside `module`");
}

#[test]
fn a_panic_in_a_closure_leaves_nothing_behind() {
    let text = panic_of(|| {
        let _ = elaborate(|| {
            module("broken", InverterPorts::shape(&()), |_, io| {
                when(io.plain.any(), || panic!("as an author may"));
            })
        });
    });
    assert_eq!(text, "as an author may");
    let design = elaborate(inverter).expect("the next call starts afresh");
    assert_eq!(design.ir().modules.len(), 1);
}

#[test]
fn every_error_is_reported_and_can_be_asked() {
    let errors = elaborate(|| {
        module("block", InverterPorts::shape(&()), |m, io| {
            m.describe("Is wrong twice.");
            io.inverted.set(1000);
            io.inverted.set(io.plain.slice(0..4));
        })
    })
    .err()
    .expect("it is wrong");
    let messages: Vec<&str> = errors.iter().map(|error| error.message()).collect();
    assert_eq!(
        messages,
        [
            "1000 does not fit the 8 bits of `inverted`",
            "`inverted` has 8 bits, `plain[3:0]` has 4: `set` needs equal widths"
        ]
    );
    let places: Vec<u32> = errors.iter().map(|error| error.places().count() as u32).collect();
    assert_eq!(places, [2, 3]);
}
