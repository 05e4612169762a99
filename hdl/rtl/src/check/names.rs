//! Names: legal, unique, and no keyword of Verilog or SystemVerilog.

use crate::error::Error;
use crate::ir::{InstanceId, Module, SignalKind};
use crate::place::Place;
use std::collections::{HashMap, HashSet};

/// Keywords of IEEE 1800-2017, table B.1, which include those of IEEE 1364-2005.
const KEYWORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin \
bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint \
context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase \
endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive \
endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect export extends extern final \
first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins \
illegal_bins implements implies import incdir include initial inout input inside instance int integer interconnect interface \
intersect join join_any join_none large let liblist library local localparam logic longint macromodule matches medium modport \
module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos \
posedge primitive priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure \
rand randc randcase randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran \
rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled \
signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on \
sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior \
trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order \
wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// What the tools take for words of C++, SystemC or their own: Verilator 5.006 warns of them (SYMRSVDWORD), 5.052 of the last
/// line but one (VARHIDDEN), Icarus 11 takes the last line for keywords.
const TOOL_WORDS: &str = "abort alignas alignof and_eq asm auto bitand bitor catch char char16_t char32_t compl concept const_cast \
constexpr decltype delete double dynamic_cast explicit false far float friend goto inline long mutable namespace near noexcept \
not_eq nullptr operator or_eq override pascal private public register requires short sizeof static_assert static_cast switch \
template thread_local throw true try typeid typename using vector volatile wchar_t xor_eq atomic_cancel atomic_commit \
atomic_noexcept synchronized transaction_safe transaction_safe_dynamic sc_clock sc_in sc_inout sc_out sc_signal sensitive \
sensitive_neg sensitive_pos \
mailbox process randomize semaphore std \
bool wone wreal";

/// Names that the printer makes by itself and that nothing else may begin with or be.
const RESERVED_PREFIXES: [&str; 3] = ["unused_", "probe_", "g_"];
const RESERVED: [&str; 4] = ["i", "j", "k", "l"];

pub(super) fn check(module: &Module) -> Vec<Error> {
    let mut errors = vec![];
    errors.extend(problem(&module.name).map(|what| {
        Error::new(format!("a module cannot be called `{}`: {what}", module.name)).at(module.place, "named here")
    }));

    let mut taken: HashMap<String, Place> = HashMap::new();
    for domain in module.domains.iter().filter(|domain| domain.clock_used || domain.name.is_empty()) {
        taken.insert(domain.clock(), module.place);
        taken.insert(domain.reset(), module.place);
    }
    let results: HashSet<&str> = module.signals.iter().map(|signal| signal.name.as_str()).collect();
    for of in module.loops.iter().filter(|of| !results.contains(of.name.as_str())) {
        let wrong = problem(&of.name).map(|what| format!("a loop cannot be called `{}`: {what}", of.name));
        errors.extend(wrong.map(|text| Error::new(text).at(of.place, "named here")));
    }
    // Ports of an instance whose name is taken collide because of it.
    let is_second = |instance: InstanceId| {
        let name = &module.instances[instance.index()].name;
        module.instances[..instance.index()].iter().any(|other| other.name == *name)
    };
    let signals = module.signals.iter().filter(|signal| match signal.kind {
        SignalKind::InstanceInput { instance, .. } | SignalKind::InstanceOutput { instance, .. } => {
            !is_second(instance)
        }
        _ => true,
    });
    let signals = signals.map(|signal| {
        let made = matches!(signal.kind, SignalKind::InstanceInput { .. } | SignalKind::InstanceOutput { .. });
        (signal.name.clone(), signal.place, made)
    });
    let memories = module.memories.iter().map(|memory| (memory.name.clone(), memory.place, false));
    let instances = module.instances.iter().map(|instance| (instance.name.clone(), instance.place, false));
    let ignored = module.ignored.iter().map(|ignored| (format!("unused_{}", ignored.name), ignored.place, true));
    let probes = module.probes.iter().map(|probe| (format!("probe_{}", probe.name), probe.place, true));
    for (name, place, made) in signals.chain(memories).chain(instances).chain(ignored).chain(probes) {
        let wrong = problem(&name).filter(|what| !(made && what.contains("reserved")));
        errors.extend(
            wrong.map(|what| Error::new(format!("nothing can be called `{name}`: {what}")).at(place, "named here")),
        );
        match taken.get(&name) {
            Some(other) => {
                let error = Error::new(format!("two things are called `{name}`"))
                    .at(place, "this one")
                    .at(*other, "the other one");
                errors.push(
                    error.help(
                        "members of bundles are called `<bundle>_<member>`, ports of instances `<instance>_<port>`",
                    ),
                );
            }
            None => {
                taken.insert(name, place);
            }
        }
    }
    errors
}

/// What is wrong with a name, if anything.
pub(crate) fn problem(name: &str) -> Option<String> {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|first| first.is_ascii_lowercase());
    if !starts_well || !characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        return Some("a name is a lower-case letter, then lower-case letters, digits and `_`".to_owned());
    }
    if KEYWORDS.split_whitespace().any(|keyword| keyword == name) {
        return Some("it is a keyword of Verilog or SystemVerilog".to_owned());
    }
    if TOOL_WORDS.split_whitespace().any(|word| word == name) {
        return Some("Verilator or Icarus takes it for a word of its own or of C++".to_owned());
    }
    if let Some(prefix) = RESERVED_PREFIXES.iter().find(|prefix| name.starts_with(**prefix)) {
        return Some(format!("names that begin with `{prefix}` are reserved for the printer"));
    }
    if RESERVED.contains(&name) {
        return Some("it is reserved for the printer's loops".to_owned());
    }
    None
}
