//! `cargo xtask check` runs all checks that a change must pass. The program has no dependencies, so
//! it compiles at once.
#![forbid(unsafe_code)]

mod build;
mod gate;
mod gpu;
mod layers;
mod readme;
mod steps;
mod wheel;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask check [--quick] [STEP...]

Runs every step, or those named, and prints a summary. --quick: only formatting, lints and the plain tests.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(("check", rest)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let quick = rest.iter().any(|a| a == "--quick");
    let named: Vec<&str> = rest.iter().map(String::as_str).filter(|a| *a != "--quick").collect();
    let all = steps::all();
    if let Some(unknown) = named.iter().find(|n| !all.iter().any(|s| s.name == **n)) {
        let names: Vec<&str> = all.iter().map(|s| s.name).collect();
        eprint!("no step is called {unknown:?}; there are {}\n\n{USAGE}", names.join(", "));
        return ExitCode::from(2);
    }
    let by_default = |s: &gate::Step| s.quick || !quick;
    let chosen = all.into_iter().filter(|s| if named.is_empty() { by_default(s) } else { named.contains(&s.name) });
    gate::run(chosen.collect())
}
