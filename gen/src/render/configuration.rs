//! A configuration as TOML.

use tollgate_spec::config::Config;
use toml::{Table, Value};

/// Whether the origin of each value is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origins {
    /// Behind each value, as a comment.
    Shown,
    /// No: the text depends on the values alone.
    Hidden,
}

/// Every value of a configuration as TOML, in the order of the shipped files.
///
/// It can be read as a configuration again, which is then the same.
pub fn configuration(config: &Config, origins: Origins) -> String {
    let order = Config::shipped("default", &[]).expect("the shipped configurations keep all rules");
    let mut text = format!("# The configuration `{}`, every value spelled.\n", config.name);
    let mut open = "";
    for key in order.values().map(|value| value.key) {
        let value = config.values().find(|value| value.key == key).expect("every configuration spells every key");
        let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
        if section != open {
            text += &format!("\n[{section}]\n");
        } else if open.is_empty() && text.lines().count() == 1 {
            text += "\n";
        }
        open = section;
        let line = format!("{name} = {}", normal(value.text));
        match origins {
            Origins::Shown => text += &format!("{line:<32} # {}\n", value.place),
            Origins::Hidden => text += &format!("{line}\n"),
        }
    }
    text
}

/// A value in the one way that TOML is printed, however it was typed; an override may leave out the quotes of a word.
fn normal(typed: &str) -> String {
    let table: Option<Table> = format!("value = {typed}").parse().ok();
    let value = table.and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(typed.to_owned())).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Origins, configuration, normal};
    use tollgate_spec::config::{Config, SHIPPED};
    use tollgate_spec::source::Source;

    #[test]
    fn values_are_printed_in_one_way() {
        assert_eq!(normal("0x10"), "16");
        assert_eq!(normal("1_000"), "1000");
        assert_eq!(normal("lut_ram"), "\"lut_ram\"");
        assert_eq!(normal("'lut_ram'"), "\"lut_ram\"");
    }

    #[test]
    fn what_is_printed_is_the_same_configuration() {
        for (name, _) in SHIPPED {
            let sets = ["access_log_table.storage=flip_flops".to_owned(), "data_path.bits=0x200".to_owned()];
            let config = Config::shipped(name, &sets).unwrap();
            for origins in [Origins::Shown, Origins::Hidden] {
                let text = configuration(&config, origins);
                let again = Config::read(&Source::file("again.toml", text.as_str()), &[]).unwrap();
                assert_eq!(configuration(&again, Origins::Hidden), configuration(&config, Origins::Hidden));
                assert_eq!(again.pte, config.pte);
                assert_eq!(again.access_log_table, config.access_log_table);
                assert_eq!(again.cells, config.cells);
            }
        }
    }
}
