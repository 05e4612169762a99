//! Cells.

mod cam;
mod fifo;
mod priority_selector;
mod ram;
mod reset_synchronizer;
mod round_robin_arbiter;
mod skid_buffer;
mod stream_checker;
mod synchronizer;

use tb::{model, rtl_folder};
use tollgate_cosim::{Error, ModelBuilder};
use tollgate_spec::config::Config;

/// The model of `module`, with a stream checker of the hardware language bound to each of its streams, all of them
/// `width` bits wide: what breaks a rule of the contract stops the simulation.
fn watched(config: &Config, module: &str, width: u32, sinks: &[&str], sources: &[&str]) -> ModelBuilder {
    let sides = [("sink", sinks), ("source", sources)];
    let watch = |model: ModelBuilder, (side, streams): (&str, &[&str])| {
        let checker = format!("cells_stream_checker_{side}_{width}");
        let bind = |stream: &&str| {
            let [valid, ready, data] = ["valid", "ready", "data"].map(|port| format!(".{port}({stream}_{port})"));
            format!("bind {module} {checker} {stream}_checker (.clk(clk), .rst(rst), {valid}, {ready}, {data});\n")
        };
        let binds: String = streams.iter().map(bind).collect();
        model.file(rtl_folder(config).join(format!("{checker}.v")))?.text(format!("{side}s.v"), binds)
    };
    let watched: Result<_, Error> = sides.into_iter().try_fold(model(config, module), watch);
    watched.unwrap_or_else(|error| panic!("{error}"))
}
