//! `include/tollgate.rs`: a Rust module that needs no standard library.

use super::constants::{Constant, Sections, Value};

/// The module.
pub fn text(config: &str, sections: &Sections) -> String {
    let mut text = format!(
        "//! Tollgate, configuration `{config}`: what software and hardware agree on.\n\
         //! Generated: change the specification and build again.\n\n\
         /// The name of this configuration.\npub const CONFIGURATION: &str = \"{config}\";\n"
    );
    for section in &sections.0 {
        text += &format!("\n// {}\n", section.title);
        for Constant { name, value, meaning } in &section.constants {
            text += &format!("\n/// {meaning}\npub const {name}: {};\n", typed(*value));
        }
    }
    text
}

fn typed(value: Value) -> String {
    match value {
        Value::Count(value) => format!("u32 = {value}"),
        Value::Word { bits, value } => {
            let digits = bits as usize / 4;
            format!("u{bits} = 0x{value:0digits$x}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, typed};

    #[test]
    fn numbers_have_their_type() {
        assert_eq!(typed(Value::Count(12)), "u32 = 12");
        assert_eq!(typed(Value::Word { bits: 8, value: 0xC }), "u8 = 0x0c");
        assert_eq!(typed(Value::Word { bits: 32, value: 1 << 31 }), "u32 = 0x80000000");
    }
}
