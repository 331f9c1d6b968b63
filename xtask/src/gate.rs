//! Running steps and saying how they went.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// How a step ended.
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not, and why.
    Failed(String),
    /// It could not be tried here, and why.
    Skipped(String),
}

/// One thing that must hold.
pub struct Step {
    /// Name in the summary and on the command line.
    pub name: &'static str,
    /// Part of `--quick`.
    pub quick: bool,
    /// Tries it.
    pub run: fn() -> Outcome,
}

/// Runs all steps, also after a failure, and prints a table.
pub fn run(steps: Vec<Step>) -> ExitCode {
    let mut rows: Vec<(&str, Outcome, Duration)> = Vec::new();
    for step in steps {
        println!("\n=== {} ===", step.name);
        let start = Instant::now();
        let outcome = (step.run)();
        rows.push((step.name, outcome, start.elapsed()));
    }
    println!("\n=== summary ===");
    let mut failed = 0;
    for (name, outcome, time) in &rows {
        let (word, why) = match outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Skipped(why) => ("skipped", why.as_str()),
            Outcome::Failed(why) => {
                failed += 1;
                ("FAILED", why.as_str())
            }
        };
        println!("{name:16} {word:8} {:7.1} s  {why}", time.as_secs_f64());
    }
    let total: Duration = rows.iter().map(|r| r.2).sum();
    println!("{:16} {:8} {:7.1} s", "total", if failed == 0 { "passed" } else { "FAILED" }, total.as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// A command that runs at the root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut c = Command::new(program);
    c.args(args).current_dir(root());
    c
}

/// Cargo, the same that started this program.
pub fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    command(&cargo, args)
}

/// Runs a command, its output shown; passed when it exits with 0.
pub fn passes(mut c: Command) -> Outcome {
    let args: Vec<_> = c.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
    let shown = format!("{} {}", Path::new(c.get_program()).file_name().unwrap_or_default().display(), args.join(" "));
    let envs: Vec<_> = c.get_envs().filter_map(|(k, v)| Some(format!("{}={} ", k.display(), v?.display()))).collect();
    println!("$ {}{shown}", envs.concat());
    match c.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("{shown}: {status}")),
        Err(e) => Outcome::Failed(format!("{shown}: {e}")),
    }
}

/// The first failure, or passed.
pub fn all_pass(commands: impl IntoIterator<Item = Command>) -> Outcome {
    for c in commands {
        if let Outcome::Failed(why) = passes(c) {
            return Outcome::Failed(why);
        }
    }
    Outcome::Passed
}

/// Whether a program can be started with these arguments and says yes.
pub fn exists(program: &str, args: &[&str]) -> bool {
    command(program, args).output().is_ok_and(|o| o.status.success())
}
