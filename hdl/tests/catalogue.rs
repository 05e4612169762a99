//! Every block of every shipped configuration elaborates and says what it is made of, in the codes of the specification.

use std::fmt::Debug;
use tollgate_hdl::active_access::pte_decoder as hardware;
use tollgate_hdl::catalogue::{Block, blocks};
use tollgate_hdl::iommu::iotlb as iotlb_hardware;
use tollgate_hdl::iommu::page_walker as walker_hardware;
use tollgate_hdl::iommu::{context_cache, context_walker, outstanding_requests, tlp_builder, tlp_parser};
use tollgate_rtl::ir::SignalKind;
use tollgate_rtl::{Encoding, Value};
use tollgate_spec::config::{Config, SHIPPED};
use tollgate_spec::outstanding_requests::Outcome;
use tollgate_spec::{context, iotlb, page_walker, pte, tlp};

/// The blocks of each shipped configuration, with its name.
fn shipped() -> Vec<(&'static str, Config, Vec<Block>)> {
    let all = SHIPPED.into_iter().map(|(name, _)| {
        let config = Config::shipped(name, &[]).expect("shipped configurations are right");
        let blocks = blocks(&config).unwrap_or_else(|errors| panic!("{name}:\n{errors}"));
        (name, config, blocks)
    });
    all.collect()
}

#[test]
fn every_register_and_memory_has_a_meaning() {
    let mut bare = vec![];
    let mut described = 0;
    for (name, _, blocks) in shipped() {
        for module in blocks.iter().flat_map(|block| &block.design.modules) {
            let registers = module.signals().map(|(_, signal)| signal);
            let registers = registers.filter(|signal| matches!(signal.kind, SignalKind::Register { .. }));
            let state = registers.map(|register| (&register.name, &register.doc));
            for (of, doc) in state.chain(module.memories.iter().map(|memory| (&memory.name, &memory.doc))) {
                described += 1;
                if doc.trim().is_empty() {
                    bare.push(format!("{name}: {}.{of}", module.name));
                }
            }
        }
    }
    assert_eq!(bare, [""; 0], "a delivered register or memory has a meaning: give it one by `describe`");
    assert!(described > 100, "only {described} registers and memories were seen");
}

#[test]
fn the_meaning_of_a_bundle_stands_above_that_of_its_first_member() {
    let (_, _, blocks) = shipped().swap_remove(0);
    let table = blocks.iter().find(|block| block.key == "active_access/access_log_table").expect("it is delivered");
    let doc = |name: &str| {
        let mut signals = table.design.top().signals().map(|(_, signal)| signal);
        signals.find(|signal| signal.name == name).expect("a register of the table").doc.clone()
    };
    assert_eq!(doc("enabled"), "The entry is valid.");
    assert_eq!(doc("answer_valid"), "The answer.\nWhether it is there.");
    assert_eq!(doc("answer_data_zero_size"), "The size is 0.");
}

#[test]
fn what_shapes_the_blocks_of_active_access_is_in_their_headers() {
    for (name, config, blocks) in shipped() {
        let parameters = |key: &str| -> Vec<(String, String)> {
            let block = blocks.iter().find(|block| block.key == key).expect("it is delivered");
            let parameters = block.design.top().parameters.iter();
            parameters.map(|parameter| (parameter.name.clone(), parameter.value.clone())).collect()
        };
        let mut table = vec![("iuid_bits".to_owned(), config.pte.iuid_bits().to_string())];
        let typed = config.values().filter_map(|value| {
            let name = value.key.strip_prefix("access_log_table.")?;
            Some((name.to_owned(), value.text.trim_matches('"').to_owned()))
        });
        table.extend(typed);
        assert_eq!(parameters("active_access/access_log_table"), table, "{name}");

        let decoder = parameters("active_access/pte_decoder");
        let typed = config.values().filter(|value| value.key.starts_with("pte.") && !value.key.contains("iuid"));
        for value in typed {
            let position = (value.key["pte.".len()..].to_owned(), value.text.to_owned());
            assert!(decoder.contains(&position), "{name}: {position:?} is not in {decoder:?}");
        }
        let (low, high) = (config.pte.iuid.start, config.pte.iuid.end - 1);
        assert!(decoder.contains(&("iuid".to_owned(), format!("{high}:{low}"))), "{name}");
        assert!(decoder.contains(&("address".to_owned(), format!("{}:12", config.host_address_bits - 1))), "{name}");
    }
}

/// Hardware and specification spell these codes apart: an `Encoding` needs an enumeration of its own.
#[test]
fn codes_are_those_of_the_specification() {
    fn check<E: Encoding + Debug>(expected: &[(String, u32)]) {
        let codes: Vec<_> = E::VARIANTS.iter().map(|variant| (format!("{variant:?}"), variant.code())).collect();
        let width = E::encoding().width;
        let expected = expected.iter().map(|(name, code)| (name.clone(), Value::new(width, *code)));
        assert_eq!(codes, expected.collect::<Vec<_>>());
    }
    check::<hardware::Level>(&pte::Level::ALL.map(|level| (format!("{level:?}"), level.number())));
    check::<hardware::Access>(&pte::Access::ALL.map(|access| (format!("{access:?}"), access.number().into())));
    check::<hardware::Step>(&pte::Step::ALL.map(|step| (format!("{step:?}"), step.number().into())));
    check::<context_cache::Scope>(&context::Scope::ALL.map(|scope| (format!("{scope:?}"), scope.number().into())));
    let outcomes = context::Outcome::ALL.map(|outcome| (format!("{outcome:?}"), outcome.number().into()));
    check::<context_walker::Outcome>(&outcomes);
    let sizes = iotlb::PageSize::ALL.map(|size| (format!("{size:?}"), size.number().into()));
    check::<iotlb_hardware::PageSize>(&sizes);
    check::<iotlb_hardware::Scope>(&iotlb::Scope::ALL.map(|scope| (format!("{scope:?}"), scope.number().into())));
    let outcomes = page_walker::Outcome::ALL.map(|outcome| (format!("{outcome:?}"), outcome.number().into()));
    check::<walker_hardware::Outcome>(&outcomes);
    check::<tlp_parser::Kind>(&tlp::Kind::ALL.map(|kind| (format!("{kind:?}"), kind.number().into())));
    let outcomes = Outcome::ALL.map(|outcome| (format!("{outcome:?}"), outcome.number().into()));
    check::<outstanding_requests::Outcome>(&outcomes);
    check::<tlp_builder::Status>(&tlp::Status::ALL.map(|status| (format!("{status:?}"), status.number().into())));
    check::<tlp_parser::Verdict>(&tlp::Verdict::ALL.map(|verdict| (format!("{verdict:?}"), verdict.number().into())));
}
