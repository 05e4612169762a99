//! `tollgate list`.

use super::{answer, counted};
use crate::failure::Failure;
use crate::selection::One;
use clap::Args;
use tollgate::RenderError;
use tollgate_hdl::catalogue;
use tollgate_rtl::ir::Module;
use tollgate_spec::config::SHIPPED;

/// Lists the configurations that come with Tollgate, and the blocks of one
#[derive(Args)]
pub struct List {
    #[command(flatten)]
    selection: One,
}

impl List {
    /// Prints the configurations, then a line for each block.
    ///
    /// # Errors
    ///
    /// [`Failure::Config`], [`Failure::Render`] and [`Failure::Output`].
    pub fn run(self) -> Result<(), Failure> {
        let config = self.selection.open()?;
        let blocks = catalogue::blocks(&config)
            .map_err(|errors| RenderError::Circuit { config: config.name.clone(), errors })?;

        let names = SHIPPED.map(|(name, _)| name).join(", ");
        let mut text = format!("configurations: {names}, or a file that ends in `.toml`\n");
        text += &format!("blocks of configuration `{}`:\n", config.name);
        let keys = blocks.iter().map(|block| block.key.len()).max().unwrap_or(0);
        let modules = blocks.iter().map(|block| block.design.top().name.len()).max().unwrap_or(0);
        for block in &blocks {
            let top = block.design.top();
            let ports = counted(ports(top), "port");
            let meaning = top.doc.lines().next().unwrap_or_default();
            text += &format!("  {:<keys$}  {:<modules$}  {ports:>9}  {meaning}\n", block.key, top.name);
        }
        answer(&text)
    }
}

/// The number of ports, clocks and resets included.
fn ports(module: &Module) -> usize {
    let clocks = module.domains.iter().map(|domain| usize::from(domain.clock_used) + usize::from(domain.reset_used));
    module.ports().count() + clocks.sum::<usize>()
}
