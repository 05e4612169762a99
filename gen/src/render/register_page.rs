//! `docs/registers/<group>_<block>.md`: the registers of a block, with pictures.

use super::Rendered;
use super::markdown::{code, sentence, table};
use tollgate_spec::layout::bit_range;
use tollgate_spec::registers::{FieldRule, Legal, Register, RegisterBlock};

/// The page of a register map.
pub fn page(map: &RegisterBlock) -> Rendered {
    let RegisterBlock { block, meaning, source, bytes, registers } = map;
    let mut text = format!("# Registers of `{block}`\n\n{}\n", sentence(meaning));
    text += &format!("The window has {bytes} bytes; what no register takes is reserved.\nSource: {source}.\n\n");
    text += &table(
        ["Offset", "Register", "Bits", "After reset", "Meaning"],
        registers.iter().map(|register| {
            let layout = &register.layout;
            let link = format!("[`{0}`](#{0})", layout.name);
            let reset = code(hexadecimal(register.reset(), layout.bits));
            [code(offset(register)), link, layout.bits.to_string(), reset, layout.meaning.clone()]
        }),
    );
    for register in registers {
        text += &section(register);
    }
    Rendered::new(format!("docs/registers/{}.md", block.replace('/', "_")), text)
}

fn section(register: &Register) -> String {
    let layout = &register.layout;
    let mut text = format!("\n## {}\n\n{}\n", layout.name, sentence(&layout.meaning));
    text += &format!("Offset `{}`, {} bits, ", offset(register), layout.bits);
    text += &format!("`{}` after reset.\n", hexadecimal(register.reset(), layout.bits));
    text += &format!("Source: {}.\n\n", register.source);
    text += &format!("```wavejson\n{}```\n\n", picture(register));
    text += &table(
        ["Bits", "Field", "Access", "After reset", "Legal", "Meaning"],
        register.fields().map(|(field, rule)| {
            let FieldRule { access, reset, legal } = rule;
            let reset = code(format_args!("{reset:#x}"));
            let access = access.abbreviation().to_owned();
            [bit_range(&field.range()), code(&field.name), access, reset, words(*legal), field.meaning.clone()]
        }),
    );
    for field in layout.fields.iter().filter(|field| !field.values.is_empty()) {
        text += &format!("\nValues of `{}`:\n\n", field.name);
        text += &table(
            ["Value", "Name", "Meaning"],
            field.values.iter().map(|v| [v.value.to_string(), code(&v.name), v.meaning.clone()]),
        );
    }
    text
}

/// The register as WaveDrom draws one: fields and gaps, lowest first.
fn picture(register: &Register) -> String {
    let layout = &register.layout;
    let fields = register.fields().map(|(field, rule)| {
        let (name, access) = (&field.name, rule.access.abbreviation());
        (field.low, format!(r#"{{"name": "{name}", "bits": {}, "attr": "{access}"}}"#, field.width))
    });
    let gaps = layout.gaps().into_iter().map(|gap| (gap.start, format!(r#"{{"bits": {}}}"#, gap.end - gap.start)));
    let mut lanes: Vec<(u32, String)> = fields.chain(gaps).collect();
    lanes.sort();
    let lanes: Vec<String> = lanes.into_iter().map(|(_, lane)| format!("  {lane}")).collect();
    let (bits, rows) = (layout.bits, layout.bits / 16);
    format!("{{\"reg\": [\n{}\n], \"config\": {{\"bits\": {bits}, \"lanes\": {rows}}}}}\n", lanes.join(",\n"))
}

fn words(legal: Legal) -> String {
    match legal {
        Legal::Any => "any".to_owned(),
        Legal::Named => "named values".to_owned(),
        Legal::Within { from, to } => format!("{from} to {to}"),
        Legal::MultipleOf(step) => format!("multiples of {step}"),
    }
}

fn offset(register: &Register) -> String {
    format!("{:#04x}", register.offset)
}

fn hexadecimal(value: u64, bits: u32) -> String {
    let digits = bits as usize / 4;
    format!("0x{value:0digits$x}")
}
