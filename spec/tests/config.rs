//! What configurations hold, and how wrong ones are refused.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use tollgate_spec::config::{Config, ConfigError, Replacement, SHIPPED, Storage};
use tollgate_spec::flow_control::{Class, Part};
use tollgate_spec::pte::Level;
use tollgate_spec::source::Source;

/// `default.toml` with one piece of text replaced, and overrides over it.
fn read(from: &str, to: &str, sets: &[&str]) -> Result<Config, ConfigError> {
    let (_, text) = SHIPPED[1];
    assert!(from.is_empty() || text.matches(from).count() == 1, "`{from}` must occur once");
    let text = if from.is_empty() { text.to_owned() } else { text.replacen(from, to, 1) };
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Ok(Config::read(&Source::file("machine.toml", text), &sets)?)
}

/// The refusal as a terminal shows it, without colours.
fn shown(error: &dyn Diagnostic) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    handler.with_width(110).render_report(&mut text, error).unwrap();
    text
}

fn refusal(from: &str, to: &str, sets: &[&str]) -> String {
    shown(&read(from, to, sets).expect_err("the configuration should be refused"))
}

/// The messages of a refusal by overrides, one a line.
fn messages(sets: &[&str]) -> String {
    match read("", "", sets).expect_err("the configuration should be refused") {
        ConfigError::Refused(refused) => {
            let lines = refused.complaints().iter().map(|complaint| format!("{complaint}\n"));
            lines.collect()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn shipped_configurations_name_themselves_and_keep_all_rules() {
    for (name, _) in SHIPPED {
        let config = Config::shipped(name, &[]).unwrap_or_else(|error| panic!("{}", shown(&error)));
        assert_eq!(config.name, name);
    }
}

#[test]
fn shipped_configurations_spell_the_same_keys() {
    let keys = |name| {
        let config = Config::shipped(name, &[]).unwrap();
        config.values().map(|value| value.key.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys("small"), keys("default"));
    assert_eq!(keys("max"), keys("default"));
    assert_eq!(keys("default").len(), 54);
}

#[test]
fn default_is_the_machine_of_the_paper() {
    let config = Config::shipped("default", &[]).unwrap();
    assert_eq!(config.pte.log_bits(), [7..8, 8..9, 9..10, 10..11]);
    assert_eq!(config.pte.iuid, 52..62);
    assert_eq!(config.pte.active_destination, 63..64);
    assert_eq!(config.pte.address, 12..48);
    assert_eq!(config.pte.address_reserved, 48..52);
    assert_eq!(config.pte.frame_bits(), 36);
    assert!(config.pte.log_bit_at_page_size());
    assert_eq!(config.data_path.bits, 256);
    assert_eq!(config.access_log_table.smallest_ring_bytes(false), 32 + 4096 + 32);
    assert_eq!(config.access_log_table.smallest_ring_bytes(true), 4096 + 4);
    assert_eq!(config.access_log_table.index_bits(), 4);
    assert_eq!(config.access_log_table.program_index_bits(), 5);
}

#[test]
fn credits_of_zero_are_infinite() {
    let credits = Config::shipped("small", &[]).unwrap().credits;
    let all = Class::ALL.map(|class| Part::ALL.map(|part| credits.of(class, part)));
    assert_eq!(all, [[Some(4), Some(32)], [Some(4), Some(2)], [None, None]]);
}

#[test]
fn an_index_has_a_bit_even_in_a_table_of_one() {
    let config = read("", "", &["access_log_table.entries=1"]).unwrap();
    assert_eq!(config.access_log_table.index_bits(), 1);
    assert_eq!(config.access_log_table.program_index_bits(), 1);
}

#[test]
fn leaf_layouts_follow_the_level_and_the_clash_at_bit_7() {
    let default = Config::shipped("default", &[]).unwrap().pte;
    let small = Config::shipped("small", &[]).unwrap().pte;
    assert!(default.leaf(Level::PageTable).field("write_log").is_some());
    assert!(default.leaf(Level::PageTable).field("page_size").is_none());
    assert!(default.leaf(Level::PageDirectory).field("write_log").is_none());
    assert!(default.leaf(Level::PageDirectory).field("page_size").is_some());
    assert!(small.leaf(Level::PageDirectory).field("write_log").is_some());
    let address = |level| small.leaf(level).field("address").unwrap().range();
    assert_eq!(address(Level::PageDirectory), 21..39);
    assert_eq!(address(Level::PageDirectoryPointer), 30..39);
    assert_eq!(small.non_leaf().field("address").unwrap().range(), 12..39);
}

#[test]
#[should_panic(expected = "level 4 has no leaf")]
fn level_4_has_no_leaf() {
    let _ = Config::shipped("small", &[]).unwrap().pte.leaf(Level::PageMapLevel4);
}

#[test]
fn an_override_replaces_a_value_and_says_so() {
    let config = read("", "", &["access_log_table.storage=flip_flops", "data_path.bits = 512"]).unwrap();
    assert_eq!(config.access_log_table.storage, Storage::FlipFlops);
    assert_eq!(config.data_path.bits, 512);

    let listing = |key: &str| {
        let value = config.values().find(|value| value.key == key).unwrap();
        format!("{} = {} ({})", value.key, value.text, value.place)
    };
    assert_eq!(listing("name"), "name = \"default\" (machine.toml:4)");
    assert_eq!(listing("pte.iuid_bits"), "pte.iuid_bits = 10 (machine.toml:17)");
    assert_eq!(listing("data_path.bits"), "data_path.bits = 512 (--set)");
    assert_eq!(listing("access_log_table.storage"), "access_log_table.storage = flip_flops (--set)");
}

#[test]
fn the_last_override_of_a_value_wins() {
    let config = read("", "", &["data_path.bits=512", "data_path.bits=128"]).unwrap();
    assert_eq!(config.data_path.bits, 128);
}

#[test]
fn values_are_listed_in_the_order_of_the_file() {
    let config = read("", "", &["name=other"]).unwrap();
    let keys: Vec<_> = config.values().map(|value| value.key).take(4).collect();
    assert_eq!(keys, ["name", "host_address_bits", "pte.write_log", "pte.write_log_data"]);
}

#[test]
fn a_file_is_loaded_by_path_and_a_shipped_one_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, SHIPPED[0].1).unwrap();
    assert_eq!(Config::open(path.to_str().unwrap(), &[]).unwrap().name, "small");
    assert_eq!(Config::open("max", &[]).unwrap().name, "max");
}

#[test]
fn an_unknown_name_and_a_missing_file_are_told() {
    let unknown = Config::open("tiny", &[]).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no configuration called `tiny`");
    assert_eq!(
        unknown.help().unwrap().to_string(),
        "there are small, default and max; a path to a file ends in `.toml`"
    );
    let missing = Config::open("no/such.toml", &[]).unwrap_err();
    assert_eq!(missing.to_string(), "cannot read the configuration no/such.toml");
    let cause = std::error::Error::source(&missing).unwrap().to_string();
    assert!(cause.starts_with("No such file"), "{cause}");
}

/// What is wrong in the text itself.
mod text {
    use super::*;

    #[test]
    fn a_syntax_error() {
        insta::assert_snapshot!(refusal("entries = 16            # logs", "entries = = 16 # logs", &[]));
    }

    #[test]
    fn an_unknown_key() {
        insta::assert_snapshot!(refusal("write_log = 7", "write_log = 7\nexecute_log = 6", &[]));
    }

    #[test]
    fn an_unknown_section() {
        insta::assert_snapshot!(refusal("[data_path]", "[spin]\nx = 1\n[data_path]", &[]));
    }

    #[test]
    fn a_missing_key() {
        insta::assert_snapshot!(refusal("read_log = 9 ", "# ", &[]));
    }

    #[test]
    fn a_missing_section() {
        insta::assert_snapshot!(refusal("[cells.reset_synchronizer]\nstages = 2", "", &[]));
    }

    #[test]
    fn a_key_written_twice() {
        insta::assert_snapshot!(refusal("read_log = 9 ", "write_log = 9 ", &[]));
    }

    #[test]
    fn a_wrong_type() {
        insta::assert_snapshot!(refusal("entries = 16            # logs", "entries = \"16\" # logs", &[]));
    }

    #[test]
    fn a_negative_number() {
        insta::assert_snapshot!(refusal("entries = 16            # logs", "entries = -16 # logs", &[]));
    }

    #[test]
    fn an_unknown_choice() {
        insta::assert_snapshot!(refusal("\"lut_ram\"     # \"flip_flops\" or \"lut_ram\"\ng", "\"block_ram\"\ng", &[]));
    }
}

/// What is wrong in an override.
mod overrides {
    use super::*;

    #[test]
    fn no_equals_sign() {
        insta::assert_snapshot!(refusal("", "", &["pte.write_log"]));
    }

    #[test]
    fn an_unknown_key() {
        insta::assert_snapshot!(refusal("", "", &["pte.wirte_log=3"]));
    }

    #[test]
    fn a_section() {
        insta::assert_snapshot!(refusal("", "", &["pte=3"]));
    }

    #[test]
    fn no_toml_value() {
        insta::assert_snapshot!(refusal("", "", &["pte.write_log=3 4"]));
    }

    #[test]
    fn no_value_at_all() {
        insta::assert_snapshot!(refusal("", "", &["pte.write_log="]));
    }

    #[test]
    fn a_wrong_type() {
        insta::assert_snapshot!(refusal("", "", &["name=odd", "pte.write_log=seven"]));
    }
}

/// What breaks a rule.
mod rules {
    use super::*;

    #[test]
    fn overlapping_bits_are_shown_at_both_places() {
        insta::assert_snapshot!(refusal("write_log_data = 8", "write_log_data = 10", &[]));
    }

    #[test]
    fn overlapping_bits_are_shown_in_the_file_and_in_the_override() {
        insta::assert_snapshot!(refusal("", "", &["pte.write_log_data=7"]));
    }

    #[test]
    fn all_broken_rules_are_told_at_once() {
        insta::assert_snapshot!(refusal(
            "",
            "",
            &["name=\"9lives\"", "access_log_table.entries=0", "pte.iuid_bits=12", "data_path.bits=64"]
        ));
    }

    #[test]
    fn names_become_folders() {
        for name in ["\"\"", "\"Default\"", "\"my-machine\"", "\"../up\"", "\"_x\""] {
            let message = messages(&[&format!("name={name}")]);
            assert_eq!(message, format!("`name` = {name} is no name\n"));
        }
        assert_eq!(read("", "", &["name=a_9"]).unwrap().name, "a_9");
    }

    #[test]
    fn paging_entry() {
        insta::assert_snapshot!(
            [
                messages(&["pte.write_log=0"]),
                messages(&["pte.write_log=1"]),
                messages(&["pte.write_log=11"]),
                messages(&["pte.write_log=12"]),
                messages(&["pte.write_log=51"]),
                messages(&["pte.write_log=62"]),
                messages(&["pte.write_log=64"]),
                messages(&["pte.write_log=4294967295"]),
                messages(&["pte.read_log=8", "pte.read_log_data=8"]),
                messages(&["pte.active_destination=52"]),
                messages(&["pte.active_destination=7"]),
                messages(&["pte.active_destination=7", "pte.write_log=2"]),
                messages(&["pte.iuid_bits=0"]),
                messages(&["pte.iuid_bits=11"]),
                messages(&["pte.iuid_low=60", "pte.iuid_bits=5"]),
                messages(&["pte.iuid_low=4294967295"]),
                messages(&["pte.iuid_low=4", "pte.iuid_bits=4", "pte.write_log=2"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn access_log_table() {
        insta::assert_snapshot!(
            [
                messages(&["host_address_bits=31"]),
                messages(&["host_address_bits=53"]),
                messages(&["access_log_table.entries=0"]),
                messages(&["access_log_table.entries=1025"]),
                messages(&["access_log_table.entries=17", "pte.iuid_bits=4"]),
                messages(&["access_log_table.address_bits=47"]),
                messages(&["access_log_table.address_bits=65"]),
                messages(&["access_log_table.size_bits=33"]),
                messages(&["access_log_table.size_bits=12"]),
                messages(&["access_log_table.size_bits=0"]),
                messages(&["access_log_table.granule_bytes=2"]),
                messages(&["access_log_table.granule_bytes=24"]),
                messages(&["access_log_table.granule_bytes=64"]),
                messages(&["access_log_table.largest_payload_bytes=64"]),
                messages(&["access_log_table.largest_payload_bytes=8192"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn context_cache() {
        insta::assert_snapshot!(
            [
                messages(&["context_cache.entries=0"]),
                messages(&["context_cache.entries=1"]),
                messages(&["context_cache.entries=12"]),
                messages(&["context_cache.entries=512"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn context_walker() {
        insta::assert_snapshot!(
            [messages(&["context_walker.walks=1"]), messages(&["context_walker.walks=17"])].join("\n")
        );
    }

    #[test]
    fn iotlb() {
        insta::assert_snapshot!(
            [
                messages(&["iotlb.entries=0"]),
                messages(&["iotlb.entries=1"]),
                messages(&["iotlb.entries=24", "iotlb.ways=24"]),
                messages(&["iotlb.entries=1024", "iotlb.ways=4"]),
                messages(&["iotlb.ways=0"]),
                messages(&["iotlb.ways=3"]),
                messages(&["iotlb.ways=8"]),
                messages(&["iotlb.ways=32"]),
                messages(&["iotlb.entries=2", "iotlb.ways=4"]),
                messages(&["iotlb.address_bits=38"]),
                messages(&["iotlb.address_bits=49"]),
                messages(&["iotlb.domain_bits=2"]),
                messages(&["iotlb.domain_bits=7"]),
                messages(&["iotlb.domain_bits=18"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn page_walker() {
        insta::assert_snapshot!(
            [
                messages(&["page_walker.walks=1"]),
                messages(&["page_walker.walks=12"]),
                messages(&["page_walker.walks=128"]),
                messages(&["page_walker.cache_entries=0"]),
                messages(&["page_walker.cache_entries=24"]),
                messages(&["page_walker.cache_entries=128"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn an_iotlb_of_every_kind_passes() {
        for (entries, ways) in [(2, 1), (2, 2), (4, 2), (4, 4), (8, 4), (512, 1), (512, 4), (512, 512)] {
            for replacement in [Replacement::Lru, Replacement::Random] {
                let [entries, ways] = [format!("iotlb.entries={entries}"), format!("iotlb.ways={ways}")];
                let config = read("", "", &[&entries, &ways, &format!("iotlb.replacement={}", replacement.name())]);
                let iotlb = config.unwrap_or_else(|error| panic!("{}", shown(&error))).iotlb;
                assert_eq!(iotlb.replacement, replacement);
                assert_eq!(iotlb.sets() * iotlb.ways, iotlb.entries);
            }
        }
    }

    #[test]
    fn limits_are_the_last_values_that_pass() {
        for set in [
            "context_cache.entries=2",
            "context_cache.entries=256",
            "context_walker.walks=2",
            "context_walker.walks=16",
            "iotlb.address_bits=39",
            "iotlb.domain_bits=4",
            "page_walker.walks=2",
            "page_walker.walks=64",
            "page_walker.cache_entries=2",
            "page_walker.cache_entries=64",
            "host_address_bits=32",
            "access_log_table.entries=1",
            "access_log_table.entries=1024",
            "access_log_table.address_bits=48",
            "access_log_table.size_bits=13",
            "access_log_table.granule_bytes=4",
            "pte.write_log=2",
            "pte.iuid_bits=4",
            "credits.posted.header=1",
            "credits.posted.header=127",
            "credits.posted.header=0",
            "credits.posted.data=256",
            "credits.posted.data=2047",
            "credits.posted.data=0",
            "credits.non_posted.data=2",
            "credits.completion.data=256",
            "tlp.tag_bits=5",
            "tlp.tag_bits=10",
            "tlp.max_payload_bytes=128",
            "tlp.max_payload_bytes=4096",
            "tlp.max_read_request_bytes=128",
            "tlp.device_msi_bypass=false",
            "outstanding_requests.entries=2",
            "outstanding_requests.entries=256",
            "outstanding_requests.timeout_cycles=0",
            "outstanding_requests.timeout_cycles=5",
            "outstanding_requests.timeout_cycles=4294967295",
        ] {
            assert!(read("", "", &[set]).is_ok(), "{set}");
        }
        let smallest =
            ["access_log_table.largest_payload_bytes", "tlp.max_payload_bytes", "tlp.max_read_request_bytes"];
        let smallest = smallest.map(|key| format!("{key}=128"));
        assert!(read("", "", &smallest.each_ref().map(String::as_str)).is_ok(), "{smallest:?}");
    }

    #[test]
    fn outstanding_requests() {
        insta::assert_snapshot!(
            [
                messages(&["outstanding_requests.entries=1"]),
                messages(&["outstanding_requests.entries=257"]),
                messages(&["outstanding_requests.timeout_cycles=1"]),
                messages(&["outstanding_requests.timeout_cycles=4"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn tlp() {
        insta::assert_snapshot!(
            [
                messages(&["tlp.tag_bits=0"]),
                messages(&["tlp.tag_bits=9"]),
                messages(&["tlp.max_payload_bytes=64"]),
                messages(&["tlp.max_payload_bytes=384"]),
                messages(&["tlp.max_payload_bytes=8192"]),
                messages(&["tlp.max_read_request_bytes=64"]),
                messages(&["tlp.max_payload_bytes=1024", "access_log_table.largest_payload_bytes=512"]),
            ]
            .join("\n")
        );
        insta::assert_snapshot!(refusal("", "", &["tlp.atomics=1"]));
    }

    #[test]
    fn credits() {
        insta::assert_snapshot!(
            [
                messages(&["credits.posted.header=128"]),
                messages(&["credits.posted.data=2048"]),
                messages(&["credits.posted.data=255"]),
                messages(&["credits.non_posted.header=4294967295"]),
                messages(&["credits.non_posted.data=2048"]),
                messages(&["credits.non_posted.data=1"]),
                messages(&["credits.completion.header=256"]),
                messages(&["credits.completion.data=4096"]),
                messages(&["credits.completion.data=127", "access_log_table.largest_payload_bytes=2048"]),
            ]
            .join("\n")
        );
    }

    #[test]
    fn credits_are_shown_with_the_payload_that_does_not_fit() {
        insta::assert_snapshot!(refusal("data = 1024             # four largest payloads", "data = 255", &[]));
    }

    #[test]
    fn data_path_and_cells() {
        insta::assert_snapshot!(
            [
                messages(&["data_path.bits=0"]),
                messages(&["data_path.bits=1024"]),
                messages(&["cells.skid_buffer.width=0"]),
                messages(&["cells.register_fifo.depth=0"]),
                messages(&["cells.register_fifo.width=0"]),
                messages(&["cells.ram_fifo.depth=1"]),
                messages(&["cells.ram_fifo.width=0"]),
                messages(&["cells.round_robin_arbiter.requesters=1"]),
                messages(&["cells.priority_selector.inputs=1"]),
                messages(&["cells.priority_selector.width=0"]),
                messages(&["cells.ram.depth=1"]),
                messages(&["cells.ram.width=20"]),
                messages(&["cells.ram.width=0"]),
                messages(&["cells.cam.entries=0"]),
                messages(&["cells.cam.key_bits=0"]),
                messages(&["cells.synchronizer.stages=1"]),
                messages(&["cells.reset_synchronizer.stages=9"]),
            ]
            .join("\n")
        );
    }
}
