//! `include/tollgate.h`: C11.

use super::constants::{Constant, Sections, Value};

/// The header. Every name begins with `TOLLGATE_`.
pub fn text(config: &str, sections: &Sections) -> String {
    let mut text = format!(
        "/* Tollgate, configuration `{config}`: what software and hardware agree on.\n\
         \x20* Generated: change the specification and build again. */\n\
         #ifndef TOLLGATE_H\n#define TOLLGATE_H\n\n#include <stdint.h>\n\n\
         /* The name of this configuration. */\n#define TOLLGATE_CONFIGURATION \"{config}\"\n"
    );
    for section in &sections.0 {
        text += &format!("\n/* {} */\n\n", comment(&section.title));
        for Constant { name, value, meaning } in &section.constants {
            text += &format!("#define TOLLGATE_{name} {} /* {} */\n", number(*value), comment(meaning));
        }
    }
    text + "\n#endif /* TOLLGATE_H */\n"
}

fn number(value: Value) -> String {
    match value {
        Value::Count(value) => format!("UINT32_C({value})"),
        Value::Word { bits, value } => {
            let digits = bits as usize / 4;
            format!("UINT{bits}_C(0x{value:0digits$x})")
        }
    }
}

/// Text that cannot end a comment, nor begin another.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

#[cfg(test)]
mod tests {
    use super::{Value, comment, number};

    #[test]
    fn numbers_have_their_type() {
        assert_eq!(number(Value::Count(12)), "UINT32_C(12)");
        assert_eq!(number(Value::Word { bits: 8, value: 0xC }), "UINT8_C(0x0c)");
        assert_eq!(number(Value::Word { bits: 64, value: 1 << 63 }), "UINT64_C(0x8000000000000000)");
    }

    #[test]
    fn no_meaning_ends_its_comment() {
        assert_eq!(comment("a */ b /* c"), "a * / b / * c");
        assert_eq!(comment("/*/"), "/* /".replace("/*", "/ *"));
    }
}
