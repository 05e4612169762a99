//! The Verilog of each construct and each trap, as text.

mod build;
mod circuits;

use tollgate_rtl::verilog::print;

/// Compares the text of a design with the recorded one.
fn shown(name: &str) {
    let design = circuits::all().into_iter().find(|d| d.top().name == name).expect("a circuit");
    let text: Vec<String> = print(&design).into_iter().map(|f| f.text).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text.join("\n"));
    });
}

macro_rules! shown {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            shown(stringify!($name));
        })*

        /// Every circuit has its text recorded.
        #[test]
        fn all_are_shown() {
            let shown = [$(stringify!($name)),*];
            for design in circuits::all() {
                assert!(shown.contains(&design.top().name.as_str()), "{} is not shown", design.top().name);
            }
        }
    };
}

shown!(
    access_log_table,
    asynchronous,
    constants,
    dynamic_writes,
    full_states,
    hierarchy,
    memories,
    memory_corners,
    nested_each,
    operators,
    properties,
    ranges,
    recurrences,
    resets,
    ripple,
    scalars_in_each,
    sharing,
    states,
    two_clocks,
    wires,
);
