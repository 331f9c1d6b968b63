//! Runs steps and reports their outcomes.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The outcome of a step.
pub enum Outcome {
    /// The check succeeded.
    Passed,
    /// The check failed, with the reason.
    Failed(String),
    /// The check could not run here, with the reason.
    Skipped(String),
}

/// One check.
pub struct Step {
    /// Name in the summary and on the command line.
    pub name: &'static str,
    /// Whether the step is part of `--quick`.
    pub quick: bool,
    /// Runs the check.
    pub run: fn() -> Outcome,
}

/// The result of a step: its outcome, its elapsed time, and its processor time if that is known.
struct Row {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
    busy: Option<f64>,
}

/// Runs all steps, even after a failure, and prints a table.
pub fn run(steps: Vec<Step>) -> ExitCode {
    let mut rows = Vec::new();
    for step in steps {
        println!("\n=== {} ===", step.name);
        let (start, before) = (Instant::now(), busy());
        let outcome = (step.run)();
        let busy = before.zip(busy()).map(|(before, after)| after - before);
        rows.push(Row { name: step.name, outcome, time: start.elapsed(), busy });
    }
    println!("\n=== summary ===");
    let mut failed = 0;
    for Row { name, outcome, time, busy } in &rows {
        let (word, why) = match outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Skipped(why) => ("skipped", why.as_str()),
            Outcome::Failed(why) => {
                failed += 1;
                ("FAILED", why.as_str())
            }
        };
        println!("{name:16} {word:8} {}  {why}", times(*time, *busy));
    }
    let time: Duration = rows.iter().map(|r| r.time).sum();
    let busy = rows.iter().map(|r| r.busy).sum();
    println!("{:16} {:8} {}", "total", if failed == 0 { "passed" } else { "FAILED" }, times(time, busy));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Elapsed time and processor time as a table row shows them.
fn times(time: Duration, busy: Option<f64>) -> String {
    let busy = busy.map_or(String::new(), |s| format!("{s:7.1} s CPU"));
    format!("{:7.1} s {busy:13}", time.as_secs_f64())
}

/// Seconds of processor time of all finished commands; `None` if the system has no `/proc`.
fn busy() -> Option<f64> {
    /// The unit of times in `/proc/self/stat`, a constant of Linux that does not depend on its
    /// timer.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // fields from the third on, after the program's name, which may contain spaces and brackets
    let (_, fields) = stat.rsplit_once(')')?;
    let of_children = fields.split_whitespace().skip(13).take(2).map(|f| f.parse::<u64>().ok());
    Some(of_children.sum::<Option<u64>>()? as f64 / TICKS_PER_SECOND)
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// A command that runs in the repository's root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut c = Command::new(program);
    c.args(args).current_dir(root());
    c
}

/// A command of the cargo that started this program, without incremental builds. The gate is
/// measured by a build from nothing, which is faster without them.
pub fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut c = command(&cargo, args);
    whole_builds(&mut c);
    c
}

/// Turns incremental builds off for a command, unless the caller's environment sets them.
pub fn whole_builds(c: &mut Command) {
    if std::env::var_os("CARGO_INCREMENTAL").is_none() {
        c.env("CARGO_INCREMENTAL", "0");
    }
}

/// Runs a command and shows its output. The outcome is `Passed` if the command exits with 0.
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

/// Runs commands up to the first failure, and returns that failure or `Passed`.
pub fn all_pass(commands: impl IntoIterator<Item = Command>) -> Outcome {
    for c in commands {
        if let Outcome::Failed(why) = passes(c) {
            return Outcome::Failed(why);
        }
    }
    Outcome::Passed
}

/// Whether a program can be started with these arguments and exits with 0.
pub fn exists(program: &str, args: &[&str]) -> bool {
    command(program, args).output().is_ok_and(|o| o.status.success())
}
