//! Which configurations a command is about.

use crate::failure::Failure;
use clap::Args;
use tollgate_spec::config::{Config, SHIPPED};

/// Overrides, which every command takes.
#[derive(Debug, Clone, Args)]
pub struct Overrides {
    /// Replaces one value of the configuration; dots in the key, TOML in the value
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

/// Some configurations.
#[derive(Debug, Clone, Args)]
pub struct Several {
    /// A configuration: small, default, max, or a file that ends in `.toml` [default: all three]
    #[arg(long = "config", value_name = "NAME|FILE")]
    configs: Vec<String>,
    #[command(flatten)]
    overrides: Overrides,
}

/// One configuration.
#[derive(Debug, Clone, Args)]
pub struct One {
    /// The configuration: small, default, max, or a file that ends in `.toml`
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    config: String,
    #[command(flatten)]
    overrides: Overrides,
}

impl Several {
    /// The configurations, checked, no two of one name.
    ///
    /// # Errors
    ///
    /// [`Failure::Config`], [`Failure::SameName`].
    pub fn open(&self) -> Result<Vec<Config>, Failure> {
        let shipped = SHIPPED.map(|(name, _)| name.to_owned());
        let names = if self.configs.is_empty() { &shipped[..] } else { &self.configs };
        let mut configs: Vec<Config> = Vec::new();
        for name in names {
            let config = Config::open(name, &self.overrides.sets)?;
            if configs.iter().any(|other| other.name == config.name) {
                return Err(Failure::SameName { name: config.name });
            }
            configs.push(config);
        }
        Ok(configs)
    }

    /// The arguments that select the same again.
    pub fn arguments(&self) -> Vec<String> {
        let pairs = |flag: &str, values: &[String]| -> Vec<String> {
            values.iter().flat_map(|value| [flag.to_owned(), value.clone()]).collect()
        };
        [pairs("--config", &self.configs), pairs("--set", &self.overrides.sets)].concat()
    }
}

impl One {
    /// The configuration, checked.
    ///
    /// # Errors
    ///
    /// [`Failure::Config`].
    pub fn open(&self) -> Result<Config, Failure> {
        Ok(Config::open(&self.config, &self.overrides.sets)?)
    }
}
