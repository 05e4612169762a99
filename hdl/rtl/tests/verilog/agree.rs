//! The printed text against the reference interpreter: Icarus runs it from the same state with the same inputs.

use crate::tools::{run, tool};
use std::fmt::Write;
use std::path::Path;
use tollgate_rtl::Value;
use tollgate_rtl::ir::{Design, DomainId, SignalKind};
use tollgate_rtl::sim::{Interpreter, initial_value};
use tollgate_rtl::verilog::{Options, print_with};

/// Runs a design for some cycles in both; panics at the first output that differs. `rewrite` may change the folder's text
/// before.
pub fn agree(design: &Design, seed: u64, cycles: u32, folder: &Path, rewrite: impl Fn(&Path)) {
    let top = design.top();
    let initial = |module: &str, name: &str, word: u32, width: u32| initial_value(seed, module, name, word, width);
    for file in print_with(design, &Options { initial: Some(&initial) }) {
        std::fs::write(folder.join(format!("{}.v", file.module)), file.text).expect("written");
    }
    rewrite(folder);
    let mut model = Interpreter::new(design, seed);
    let mut bench = String::from("module bench;\n");
    let mut ports = vec![];
    for domain in &top.domains {
        for (used, name) in [(domain.clock_used, domain.clock()), (domain.reset_used, domain.reset())] {
            if used {
                writeln!(bench, "reg {name} = 0;").unwrap();
                ports.push(format!(".{name}({name})"));
            }
        }
    }
    for (_, port) in top.ports() {
        let kind = if port.kind == SignalKind::Input { "reg" } else { "wire" };
        writeln!(bench, "{kind} [{}:0] {};", port.width - 1, port.name).unwrap();
        ports.push(format!(".{0}({0})", port.name));
    }
    writeln!(bench, "{} dut ({});\ninitial begin", top.name, ports.join(", ")).unwrap();
    for cycle in 0..cycles {
        let draw = |name: &str, width: u32| initial_value(seed + 1, "stimulus", name, cycle, width);
        for (i, domain) in top.domains.iter().enumerate() {
            let reset = draw(&domain.reset(), 3).is_zero();
            model.set_reset(DomainId(i as u32), reset && domain.reset_used);
            if domain.reset_used {
                writeln!(bench, "{} = {};", domain.reset(), u8::from(reset)).unwrap();
            }
        }
        for (id, port) in top.ports().filter(|(_, p)| p.kind == SignalKind::Input) {
            let value = draw(&port.name, port.width);
            // Small numbers now and then, so that indices and counts meet.
            let value =
                if draw("small", 2).is_zero() { value.slice(0, port.width.min(3)).resized(port.width) } else { value };
            model.set(id, value.clone());
            writeln!(bench, "{} = {};", port.name, literal(&value)).unwrap();
        }
        writeln!(bench, "#1;").unwrap();
        for (id, port) in top.ports().filter(|(_, p)| p.kind == SignalKind::Output) {
            let wanted = literal(&model.get(id));
            let name = &port.name;
            writeln!(
                bench,
                "if ({name} !== {wanted}) begin $display(\"cycle {cycle} {name} is %h, not {wanted}\", {name}); $finish; end"
            )
            .unwrap();
        }
        let edges: Vec<usize> = (0..top.domains.len())
            .filter(|i| top.domains[*i].clock_used && (*i == 0 || !draw(&top.domains[*i].name, 1).is_zero()))
            .collect();
        let clocks: Vec<String> = edges.iter().map(|i| top.domains[*i].clock()).collect();
        if !clocks.is_empty() {
            model.edge(&edges.iter().map(|i| DomainId(*i as u32)).collect::<Vec<_>>());
            let ones = vec!["1'b1"; clocks.len()].join(", ");
            writeln!(bench, "{{{}}} = {{{ones}}};\n#1;\n{{{0}}} = 0;\n#1;", clocks.join(", ")).unwrap();
        }
    }
    bench.push_str("$display(\"agreed\");\nend\nendmodule\n");
    std::fs::write(folder.join("bench_agree.v"), bench).expect("written");
    let (fine, said) = run(std::process::Command::new(tool("iverilog"))
        .args(["-g2005", "-y", ".", "-s", "bench", "-o", "bench.vvp", "bench_agree.v"])
        .current_dir(folder));
    assert!(fine, "{}: {said}", top.name);
    let (_, said) = run(std::process::Command::new(tool("vvp")).args(["-n", "bench.vvp"]).current_dir(folder));
    assert!(said.trim_end().ends_with("agreed"), "{} seed {seed}: {said}", top.name);
}

fn literal(value: &Value) -> String {
    format!("{}'h{:x}", value.width(), value.bits())
}
