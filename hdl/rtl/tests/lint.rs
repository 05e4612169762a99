//! The printed Verilog in front of the tools that read it: none has anything to say, and Icarus computes what the reference
//! interpreter computes.

#[path = "verilog/agree.rs"]
mod agree;
#[path = "verilog/build.rs"]
mod build;
#[path = "verilog/circuits.rs"]
mod circuits;
#[path = "verilog/tools.rs"]
mod tools;

use tollgate_rtl::verilog::print;

#[test]
fn no_tool_complains() {
    let mut all = vec![];
    for design in circuits::all() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in print(&design) {
            std::fs::write(folder.path().join(format!("{}.v", file.module)), file.text).expect("written");
        }
        for (tool, words) in tools::complaints(folder.path(), &design.top().name) {
            all.push(format!("{}: {tool}:\n{words}", design.top().name));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn icarus_agrees_with_the_interpreter() {
    for design in circuits::all() {
        for seed in 0..4 {
            let folder = tempfile::tempdir().expect("a folder");
            agree::agree(&design, seed, 60, folder.path(), |_| ());
        }
    }
}

#[test]
fn what_yosys_reads_agrees_with_the_interpreter() {
    for design in circuits::all() {
        let folder = tempfile::tempdir().expect("a folder");
        agree::agree(&design, 0, 60, folder.path(), |folder| tools::rewritten_by_yosys(folder, &design.top().name));
    }
}
