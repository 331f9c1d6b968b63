//! `ringjet model`.

mod bandwidth;
mod calibrate;
pub mod devices;
pub mod here;
mod kept;
mod kernels;
mod pim;
#[cfg(feature = "papers")]
mod report;
#[cfg(feature = "papers")]
mod table;
mod thread_group;
mod validate;

use clap::Subcommand;

use crate::Result;

/// Cost of operations, and their time on this machine and on others.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure this machine and write its profile
    Calibrate(calibrate::Args),
    Devices(devices::Args),
    Pim(pim::Args),
    #[cfg(feature = "papers")]
    Report(report::Args),
    #[cfg(feature = "papers")]
    /// A table of a paper, beside the model's counts
    Table(table::Args),
    Validate(validate::Args),
}

pub fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Calibrate(args) => calibrate::run(args)?,
        Command::Devices(args) => devices::run(args)?,
        Command::Pim(args) => pim::run(args)?,
        #[cfg(feature = "papers")]
        Command::Report(args) => report::run(args)?,
        #[cfg(feature = "papers")]
        Command::Table(args) => table::run(args)?,
        Command::Validate(args) => validate::run(args)?,
    }
    Ok(())
}
