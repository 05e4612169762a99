//! Every block of every shipped configuration elaborates.

use tollgate_hdl::catalogue::blocks;
use tollgate_spec::config::{Config, SHIPPED};

#[test]
fn every_shipped_configuration_elaborates() {
    for (name, _) in SHIPPED {
        let config = Config::shipped(name, &[]).expect("shipped configurations are right");
        if let Err(errors) = blocks(&config) {
            panic!("{name}:\n{errors}");
        }
    }
}
