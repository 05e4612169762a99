//! Names: legal, unique, no keywords.

use crate::drivers::inverter;
use crate::support::{Io, Pair, block, errors, fine};
use insta::assert_snapshot;
use tollgate_rtl::prelude::*;

#[test]
fn two_things_have_two_names() {
    let text = block(|m, io| {
        let word = m.named("word", io.wide);
        let again = m.named("word", io.narrow);
        let out = m.named("out", io.wide);
        let clock = m.named("clk", io.go);
        m.ignore("all", concat([word, again, out, clock.bits()]), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    block: two things are called `word`
      --> `let again = m.named("word", io.narrow);`: this one
      --> `let word = m.named("word", io.wide);`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    block: two things are called `out`
      --> `let out = m.named("out", io.wide);`: this one
      --> `pub out: Output<Bits<8>>,`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    block: two things are called `clk`
      --> `let clock = m.named("clk", io.go);`: this one
      --> `module("block", Io::shape(&()), |m, io| {`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    "#);
}

#[test]
fn members_of_bundles_have_names_too() {
    let text = block(|m, io| {
        let pair = m.reg("pair", Pair::shape(&4));
        pair.key.set(io.narrow);
        pair.value.set(io.wide);
        let key = m.named("pair_key", io.narrow);
        m.ignore("all", concat([pair.key, pair.value, key]), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    block: two things are called `pair_key`
      --> `let key = m.named("pair_key", io.narrow);`: this one
      --> `let pair = m.reg("pair", Pair::shape(&4));`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    "#);
}

#[test]
fn ports_of_instances_have_names_too() {
    let text = block(|m, io| {
        let one = m.instance("one", &inverter());
        one.plain.set(m.named("one_plain", io.wide));
        let other = m.instance("one", &inverter());
        other.plain.set(io.wide);
        io.out.set(one.inverted & other.inverted);
    });
    assert_snapshot!(text, @r#"
    block: two things are called `one_plain`
      --> `one.plain.set(m.named("one_plain", io.wide));`: this one
      --> `let one = m.instance("one", &inverter());`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    block: two things are called `one`
      --> `let other = m.instance("one", &inverter());`: this one
      --> `let one = m.instance("one", &inverter());`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    "#);
}

#[test]
fn what_is_ignored_or_probed_has_a_name_too() {
    let text = block(|m, io| {
        m.ignore("inputs", io.wide, "tested");
        m.probe("wide", io.wide);
        m.probe("wide", io.wide);
        m.ignore("No", io.go, "tested");
    });
    assert_snapshot!(text, @r#"
    block: two things are called `unused_inputs`
      --> `m.ignore("inputs", io.wide, "tested");`: this one
      --> `m.ignore("inputs", inputs, "not what is tested");`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    block: nothing can be called `unused_No`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `m.ignore("No", io.go, "tested");`: named here
    block: two things are called `probe_wide`
      --> `m.probe("wide", io.wide);`: this one
      --> `m.probe("wide", io.wide);`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    "#);
}

#[test]
fn memories_and_loops_have_names() {
    let text = block(|m, io| {
        let words = m.memory("wide", 4, bits(8)).initial([]);
        io.out.set(words.read(io.narrow));
        let kept = m.reg("kept", bits(8));
        each("Lane", 8, |i| kept.array().at(i).set(io.go));
        m.ignore("kept", each("8th", 8, |i| kept.array().at(i)), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    block: a loop cannot be called `Lane`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `each("Lane", 8, |i| kept.array().at(i).set(io.go));`: named here
    block: nothing can be called `8th`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `m.ignore("kept", each("8th", 8, |i| kept.array().at(i)), "not what is tested");`: named here
    block: two things are called `wide`
      --> `let words = m.memory("wide", 4, bits(8)).initial([]);`: this one
      --> `pub wide: Input<Bits<8>>,`: the other one
      help: members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`
    "#);
}

#[test]
fn a_name_is_lower_case() {
    let text = block(|m, io| {
        let names = ["", "Word", "2nd", "_word", "wo-rd", "wörd", "word$"];
        let words = names.map(|name| m.named(name, io.wide));
        m.ignore("all", concat(words), "not what is tested");
    });
    assert_snapshot!(text, @r"
    block: nothing can be called ``: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `Word`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `2nd`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `_word`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `wo-rd`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `wörd`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `word$`: a name is a lower-case letter, then lower-case letters, digits and `_`
      --> `let words = names.map(|name| m.named(name, io.wide));`: named here
    ");
}

#[test]
fn no_keywords() {
    let text = block(|m, io| {
        let words = ["reg", "table", "endmodule", "logic", "var", "priority", "interface", "bool", "private", "std"]
            .map(|name| m.named(name, io.wide));
        m.ignore("all", concat(words), "not what is tested");
    });
    assert_snapshot!(text, @r"
    block: nothing can be called `reg`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `table`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `endmodule`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `logic`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `var`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `priority`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `interface`: it is a keyword of Verilog or SystemVerilog
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `bool`: Verilator or Icarus takes it for a word of its own or of C++
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `private`: Verilator or Icarus takes it for a word of its own or of C++
      --> `.map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `std`: Verilator or Icarus takes it for a word of its own or of C++
      --> `.map(|name| m.named(name, io.wide));`: named here
    ");
}

#[test]
fn no_names_of_the_printer() {
    let text = block(|m, io| {
        let words = ["i", "g_lane", "unused_word", "probe_word"].map(|name| m.named(name, io.wide));
        m.ignore("all", concat(words), "not what is tested");
    });
    assert_snapshot!(text, @r#"
    block: nothing can be called `i`: it is reserved for the printer's loops
      --> `let words = ["i", "g_lane", "unused_word", "probe_word"].map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `g_lane`: names that begin with `g_` are reserved for the printer
      --> `let words = ["i", "g_lane", "unused_word", "probe_word"].map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `unused_word`: names that begin with `unused_` are reserved for the printer
      --> `let words = ["i", "g_lane", "unused_word", "probe_word"].map(|name| m.named(name, io.wide));`: named here
    block: nothing can be called `probe_word`: names that begin with `probe_` are reserved for the printer
      --> `let words = ["i", "g_lane", "unused_word", "probe_word"].map(|name| m.named(name, io.wide));`: named here
    "#);
}

#[test]
fn modules_and_ports_have_names() {
    /// Ports.
    #[ports]
    struct Keyed {
        /// A keyword.
        event: Input<Bit>,
        /// Fine.
        out: Output<Bit>,
    }
    let text = errors(|| {
        module("module", Keyed::shape(&()), |m, io| {
            m.describe("Has names that it should not have.");
            io.out.set(io.event);
        })
    });
    assert_snapshot!(text, @r#"
    module: a module cannot be called `module`: it is a keyword of Verilog or SystemVerilog
      --> `module("module", Keyed::shape(&()), |m, io| {`: named here
    module: nothing can be called `event`: it is a keyword of Verilog or SystemVerilog
      --> `event: Input<Bit>,`: named here
    "#);
}

#[test]
fn modules_of_one_name_are_one() {
    fine(|m, io| {
        let (one, other) = (m.instance("one", &inverter()), m.instance("other", &inverter()));
        one.plain.set(io.wide);
        other.plain.set(one.inverted);
        io.out.set(other.inverted);
    });
}

#[test]
fn modules_of_one_name_differ_in_nothing() {
    fn copier(inverts: bool) -> Module<Io> {
        module("copier", Io::shape(&()), |m, io| {
            m.describe("Copies.");
            m.ignore("rest", concat([io.narrow, io.go.bits(), io.number.bits(), io.mode.bits()]), "not needed");
            io.out.set(if inverts { !io.wide } else { io.wide });
        })
    }
    let text = block(|m, io| {
        for (name, inverts) in [("plain", false), ("inverting", true)] {
            let copier = m.instance(name, &copier(inverts));
            copier.narrow.set(io.narrow);
            copier.wide.set(io.wide);
            copier.go.set(io.go);
            copier.number.set(io.number);
            copier.mode.set(io.mode);
            m.ignore(name, copier.out, "not what is tested");
        }
    });
    assert_snapshot!(text, @r#"
    copier: two different modules are called `copier`
      --> `module("copier", Io::shape(&()), |m, io| {`: this one
      --> `module("copier", Io::shape(&()), |m, io| {`: the other one
       in module `block` at `module("block", Io::shape(&()), |m, io| {`
       is instance `block.plain`, and 1 more
      help: put the parameters that tell them apart into the name
    "#);
}
