//! Clock domains: what crosses them, and how it may.

use crate::support::{block, errors, fine};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

/// Ports in two domains.
#[ports]
struct Crossing {
    /// Of the slow clock.
    #[clock("slow")]
    slow: Input<Bit>,
    /// Of the default clock.
    fast: Input<Bit>,
    /// At any time.
    #[clock("asynchronous")]
    any_time: Input<Bit>,
    /// Of the slow clock.
    #[clock("slow")]
    out: Output<Bit>,
}

fn crossing_module(body: impl FnOnce(&ModuleBuilder, Crossing)) -> Module<Crossing> {
    module("crossing", Crossing::shape(&()), |m, io| {
        m.describe("Has two clocks.");
        m.ignore("inputs", concat([io.slow, io.fast, io.any_time].map(Bit::bits)), "not what is tested");
        m.default(io.out, false);
        body(m, io);
    })
}

fn crossing(body: impl FnOnce(&ModuleBuilder, Crossing)) -> String {
    errors(|| crossing_module(body))
}

#[test]
fn a_register_takes_what_is_of_its_clock() {
    let text = crossing(|m, io| {
        let kept = m.reg("kept", bit());
        when(io.fast, || {
            kept.set(io.slow);
        });
        m.ignore("kept", *kept, "not what is tested");
    });
    assert_snapshot!(text, @r#"
    crossing: register `kept` belongs to `clk` and takes `slow` of `slow_clk`
      --> `kept.set(io.slow);`: here
      --> `slow: Input<Bit>,`: `slow` comes from here
       in when at `when(io.fast, || {`
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    "#);
}

#[test]
fn a_condition_crosses_too_and_so_does_a_wire() {
    let text = crossing(|m, io| {
        let slow = m.domain("slow");
        let kept = m.in_domain(slow, || m.reg("kept", bits(4)));
        let wanted = m.named("wanted", io.fast & io.slow);
        when(wanted, || kept.bit_at(io.slow.bits()).set(true));
        m.ignore("kept", *kept, "not what is tested");
    });
    assert_snapshot!(text, @r#"
    crossing: register `kept` belongs to `slow_clk` and takes `fast` of `clk`
      --> `when(wanted, || kept.bit_at(io.slow.bits()).set(true));`: here
      --> `fast: Input<Bit>,`: `fast` comes from here
       in when at `when(wanted, || kept.bit_at(io.slow.bits()).set(true));`
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    "#);
}

#[test]
fn an_output_is_of_its_clock() {
    let text = crossing(|_, io| io.out.set(io.fast));
    assert_snapshot!(text, @r#"
    crossing: output `out` belongs to `slow_clk` and takes `fast` of `clk`
      --> `let text = crossing(|_, io| io.out.set(io.fast));`: here
      --> `fast: Input<Bit>,`: `fast` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    "#);
}

#[test]
fn what_changes_at_any_time_crosses() {
    let text = crossing(|m, io| {
        let kept = m.reg("kept", bit());
        kept.set(io.any_time);
        m.ignore("kept", *kept, "not what is tested");
    });
    assert_snapshot!(text, @r#"
    crossing: register `kept` belongs to `clk` and takes `any_time` of no clock
      --> `kept.set(io.any_time);`: here
      --> `any_time: Input<Bit>,`: `any_time` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    "#);
}

#[test]
fn no_state_is_clocked_by_nothing() {
    let text = crossing(|m, io| {
        let nothing = m.domain("asynchronous");
        let kept = m.in_domain(nothing, || m.reg("kept", bit()));
        kept.set(io.any_time);
        m.ignore("kept", *kept, "not what is tested");
        let words = m.memory("words", 2, bit());
        m.in_domain(nothing, || words.write(io.any_time.bits(), io.any_time));
        m.ignore("word", words.read(io.any_time.bits()), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    crossing: `kept` is clocked by the domain `asynchronous`, which has no clock
      --> `let kept = m.in_domain(nothing, || m.reg("kept", bit()));`: declared here
    crossing: `words` is clocked by the domain `asynchronous`, which has no clock
      --> `let words = m.memory("words", 2, bit());`: declared here
    "#);
}

#[test]
fn memory_ports_take_what_is_of_their_clock() {
    let text = crossing(|m, io| {
        let words = m.memory("words", 2, bit());
        words.write(io.slow.bits(), io.fast);
        let slow = m.domain("slow");
        let word = m.in_domain(slow, || words.read_registered("word", io.fast.bits(), io.slow, Collision::Old));
        io.out.set(word);
    });
    assert_snapshot!(text, @r#"
    crossing: memory `words` belongs to `clk` and takes `slow` of `slow_clk`
      --> `words.write(io.slow.bits(), io.fast);`: here
      --> `slow: Input<Bit>,`: `slow` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    crossing: read port `word` belongs to `slow_clk` and takes `fast` of `clk`
      --> `let word = m.in_domain(slow, || words.read_registered("word", io.fast.bits(), io.slow, Collision::Old));`: here
      --> `fast: Input<Bit>,`: `fast` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    crossing: read port `word` of `words` has another clock than a write port: what a collision gives cannot be promised
      --> `let word = m.in_domain(slow, || words.read_registered("word", io.fast.bits(), io.slow, Collision::Old));`: read here
      --> `let words = m.memory("words", 2, bit());`: the memory
      help: say `Collision::DontCare`
    "#);
}

#[test]
fn a_word_read_at_once_is_of_the_clock_that_writes_it() {
    let text = crossing(|m, io| {
        let words = m.memory("words", 2, bit());
        words.write(lit(false).bits(), lit(true));
        io.out.set(words.read(io.slow.bits()));
    });
    assert_snapshot!(text, @r#"
    crossing: output `out` belongs to `slow_clk` and takes `words` of `clk`
      --> `io.out.set(words.read(io.slow.bits()));`: here
      --> `let words = m.memory("words", 2, bit());`: `words` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    "#);
}

/// Ports of a module with a clock of its own.
#[ports]
struct KeeperPorts {
    /// To be kept.
    given: Input<Bit>,
    /// Kept.
    kept: Output<Bit>,
}

fn keeper() -> Module<KeeperPorts> {
    module("keeper", KeeperPorts::shape(&()), |m, io| {
        m.describe("Keeps a bit.");
        let kept = m.reg("value", bit());
        kept.set(io.given);
        io.kept.set(*kept);
    })
}

#[test]
fn an_input_of_an_instance_takes_what_is_of_its_clock() {
    let text = crossing(|m, io| {
        let keeper = m.instance("keeper", &keeper());
        keeper.given.set(io.slow);
        io.out.set(keeper.kept);
    });
    assert_snapshot!(text, @r#"
    crossing: input `keeper_given` belongs to `clk` and takes `slow` of `slow_clk`
      --> `keeper.given.set(io.slow);`: here
      --> `slow: Input<Bit>,`: `slow` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    crossing: output `out` belongs to `slow_clk` and takes `keeper_kept` of `clk`
      --> `io.out.set(keeper.kept);`: here
      --> `let keeper = m.instance("keeper", &keeper());`: `keeper_kept` comes from here
      help: cross with `cells::synchronizer`, or say why it is safe: `.crossing("…")`
    "#);
}

#[test]
fn instances_live_in_the_domain_around() {
    if let Err(error) = elaborate(|| {
        crossing_module(|m, io| {
            let slow = m.domain("slow");
            let keeper = m.in_domain(slow, || m.instance("keeper", &keeper()));
            keeper.given.set(io.slow);
            io.out.set(keeper.kept);
        })
    }) {
        panic!("{error}");
    }
}

#[test]
fn a_synchronizer_cures_it() {
    if let Err(error) = elaborate(|| {
        crossing_module(|m, io| {
            let slow = m.domain("slow");
            let kept = m.in_domain(slow, || m.reg("kept", bit()).crossing("tested"));
            kept.set(io.fast & io.any_time);
            let words = m.memory("words", 2, bit());
            words.write(io.fast.bits(), io.fast);
            m.in_domain(slow, || {
                io.out.set(*kept & words.read_registered("word", io.slow.bits(), io.slow, Collision::DontCare));
            });
        })
    }) {
        panic!("{error}");
    }
}

#[test]
fn domains_have_names() {
    let text = block(|m, _| {
        m.domain("Fast");
        m.domain("2nd");
    });
    assert_snapshot!(text, @r#"
    block: a clock domain cannot be called `Fast`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `m.domain("Fast");`: named here
    block: a clock domain cannot be called `2nd`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `m.domain("2nd");`: named here
    "#);
}

#[test]
fn one_domain_needs_no_crossing() {
    fine(|m, io| {
        let kept = m.reg("kept", bits(8));
        kept.set(io.wide);
        io.out.set(*kept);
    });
}
