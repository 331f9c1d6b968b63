//! The command `ringjet`: `doctor`, `params`, `bench`, `digest`, `model`, `program`, `estimate`, `train`,
//! `serve`. It is a program of its own, and the Python package has the same command.
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

use std::ffi::OsString;

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
    /// Estimate the time of a program on devices: PROGRAM is
    /// file.py:function or module:function
    Estimate(python::Args),
    /// Train a logistic regression on encrypted data
    Train(python::Args),
    /// Offer programs on encrypted numbers over HTTP
    Serve(python::Args),
}

/// The device `here`: this machine with this many threads, as it was measured when it was first asked for.
/// Measuring takes some seconds; the user's cache keeps the profile.
///
/// # Errors
/// The message of what prevents it.
pub fn this_machine(threads: usize) -> std::result::Result<ringjet_model::Device, String> {
    model::here::device(threads).map_err(|e| e.to_string())
}

/// The name of the device of [`this_machine`].
pub const HERE: &str = model::here::NAME;

/// Runs the command with these arguments, the name of the program first, and returns its exit status:
/// 0, 1 for a failure, or 2 for arguments that it does not take. It prints to the streams of the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // help is no failure
            if let Err(why) = error.print() {
                output::failed(&why);
            }
            return u8::try_from(error.exit_code()).unwrap_or(1);
        }
    };
    let result = match cli.command {
        Command::Doctor(args) => doctor::run(&args),
        Command::Params(args) => params::run(&args).map(|()| 0),
        Command::Bench(args) => bench::run(&args).map(|()| 0),
        Command::Digest(args) => digest::run(&args),
        Command::Model(args) => model::run(&args).map(|()| 0),
        Command::Program(args) => program::run(&args).map(|()| 0),
        Command::Estimate(args) => python::run("estimate", "estimating a program", &args),
        Command::Train(args) => python::run("train", "training", &args),
        Command::Serve(args) => python::run("serve", "a service", &args),
    };
    match result {
        Ok(status) => status,
        Err(error) => {
            let way_out = error.downcast_ref().and_then(way_out).map_or(String::new(), |text| format!(" ({text})"));
            eprintln!("error: {error}{way_out}");
            1
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
