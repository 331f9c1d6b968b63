//! The program `ringjet`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ringjet_cli::run(std::env::args_os()).into()
}
