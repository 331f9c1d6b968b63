//! `ringjet model`.

mod table;

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
    /// A table of a paper, beside what the model counts
    Table(table::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Table(args) => table::run(args),
    }
}
