//! The command `ringjet`: `doctor`, `params`, `bench`, `digest`, `model`, `program`, `train`, `serve`.
#![forbid(unsafe_code)]

/// `println!` of the standard library panics where the reader of the output is gone, as in
/// `ringjet params | head -1`. In this program it ends quietly then: [`output::line`].
macro_rules! println {
    () => { crate::output::line(std::io::stdout(), format_args!("")) };
    ($($text:tt)*) => { crate::output::line(std::io::stdout(), format_args!($($text)*)) };
}

/// `print!`, likewise.
macro_rules! print {
    ($($text:tt)*) => { crate::output::text(std::io::stdout(), format_args!($($text)*)) };
}

/// `eprintln!`, likewise.
macro_rules! eprintln {
    ($($text:tt)*) => { crate::output::line(std::io::stderr(), format_args!($($text)*)) };
}

mod backend;
mod bench;
mod boot;
mod client;
mod digest;
mod doctor;
mod model;
mod output;
mod params;
mod program;
mod python;
#[cfg(feature = "papers")]
mod search;
mod system;
mod text;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ringjet::Error;
use text::Result;

/// Computing on encrypted vectors of numbers.
#[derive(Parser)]
#[command(name = "ringjet", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Doctor(doctor::Args),
    Params(params::Args),
    /// Time operations
    Bench(Box<bench::Args>),
    Digest(digest::Args),
    Model(model::Args),
    Program(program::Args),
    /// Train a logistic regression on encrypted data (with the Python package)
    Train(python::Args),
    /// Offer programs on encrypted numbers over HTTP (with the Python package)
    Serve(python::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Doctor(args) => doctor::run(&args),
        Command::Params(args) => params::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Bench(args) => bench::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Digest(args) => digest::run(&args),
        Command::Model(args) => model::run(&args),
        Command::Program(args) => program::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Train(args) => python::run("train", "training", &args),
        Command::Serve(args) => python::run("serve", "a service", &args),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            let way_out = error.downcast_ref().and_then(way_out).map_or(String::new(), |text| format!(" ({text})"));
            eprintln!("error: {error}{way_out}");
            ExitCode::FAILURE
        }
    }
}

/// What the reader of a refusal can do, in options of the command.
fn way_out(error: &Error) -> Option<&'static str> {
    match error {
        Error::Unsupported { op: "t_bits", .. } => Some("--t-bits is for presets of BGV and BFV"),
        Error::UnknownPreset { .. } => Some("`ringjet params` describes them"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        super::Cli::command().debug_assert();
    }
}
