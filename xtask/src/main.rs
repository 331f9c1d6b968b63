//! `cargo xtask check` runs all checks that a change must pass, and `cargo xtask full` those that
//! take too long for every change. `cargo xtask browser` builds the package for browsers, `cargo
//! xtask dist` the files of a release, and `cargo xtask dist-test` tests these files. The program
//! has no dependencies, so it compiles at once.
#![forbid(unsafe_code)]

mod browser;
mod build;
mod dist;
mod dist_test;
mod documentation;
mod foreign;
mod gate;
mod gpu;
mod layers;
mod readme;
mod rules;
mod steps;
mod targets;
mod wheel;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask check [--quick] [STEP...]
       cargo xtask browser [STEP...]
       cargo xtask dist [STEP...]
       cargo xtask dist-test [STEP...]
       cargo xtask full [STEP...]

Runs every step, or those named, and prints a summary. --quick: only formatting, lints and the plain tests.
check: what a change must pass. full: what takes too long for every change. browser: the package js/ringjet-client.
dist: wheels and sources in target/dist. dist-test: tests of what dist built.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let all = match args.first().map(String::as_str) {
        Some("check") => steps::all(),
        Some("browser") => browser::all(),
        Some("dist") => dist::all(),
        Some("full") => targets::all(),
        Some("dist-test") => dist_test::all(),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let rest = &args[1..];
    let quick = rest.iter().any(|a| a == "--quick");
    let named: Vec<&str> = rest.iter().map(String::as_str).filter(|a| *a != "--quick").collect();
    if let Some(unknown) = named.iter().find(|n| !all.iter().any(|s| s.name == **n)) {
        let names: Vec<&str> = all.iter().map(|s| s.name).collect();
        eprint!("no step is called {unknown:?}; there are {}\n\n{USAGE}", names.join(", "));
        return ExitCode::from(2);
    }
    let by_default = |s: &gate::Step| s.quick || !quick;
    let chosen = all.into_iter().filter(|s| if named.is_empty() { by_default(s) } else { named.contains(&s.name) });
    gate::run(chosen.collect())
}
