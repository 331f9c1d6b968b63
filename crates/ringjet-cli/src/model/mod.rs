//! `ringjet model`.

mod bandwidth;
mod calibrate;
mod crew;
mod devices;
mod kernels;

use std::process::ExitCode;

use clap::Subcommand;

use crate::Result;

/// What operations cost, and how long they take on this machine and others.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure this machine and write its profile
    Calibrate(calibrate::Args),
    /// The profiles of machines that come with this command, or one of them
    Devices(devices::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Calibrate(args) => calibrate::run(args),
        Command::Devices(args) => devices::run(args),
    }
}
