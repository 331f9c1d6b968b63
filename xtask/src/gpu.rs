//! The GPU's kernels through its own compiler, which is in Python packages and needs no GPU.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::gate::{Outcome, all_pass, command, exists, root};

const REQUIREMENTS: &str = "crates/ringjet-cuda/tools/requirements.txt";
/// The compiler's environment, kept between runs.
const ENVIRONMENT: &str = "target/gpu-compiler";

/// Every kernel compiles, nothing that matters spills registers, and the page and the embedded PTX are those of the kernels;
/// the programs for a machine with a GPU compile.
pub fn kernels() -> Outcome {
    match compiler() {
        Ok(python) => {
            let compile = "crates/ringjet-cuda/tools/compile.py";
            all_pass([command(&python, &[compile, "--check"]), command(&python, &[compile, "--programs", "bench/gpu"])])
        }
        Err(why) => {
            println!("SKIPPED: {why}");
            Outcome::Skipped(why)
        }
    }
}

/// The Python that has the compiler. Installs it where the requirements are not those of the last time.
fn compiler() -> Result<String, String> {
    let (environment, python) = (root().join(ENVIRONMENT), format!("{ENVIRONMENT}/bin/python"));
    let wanted = fs::read_to_string(root().join(REQUIREMENTS)).map_err(|e| format!("{REQUIREMENTS}: {e}"))?;
    let stamp = environment.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && exists(&python, &["--version"]) {
        return Ok(python);
    }
    let host = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    finish(command(&host, &["-m", "venv", "--clear", ENVIRONMENT]), "no environment for the GPU's compiler")?;
    let options =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "-r", REQUIREMENTS];
    finish(command(&python, &options), "the GPU's compiler cannot be installed")?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// Runs a command; what it says last, after `what`, where it fails.
fn finish(mut c: Command, what: &str) -> Result<(), String> {
    let program = Path::new(c.get_program()).display().to_string();
    let output = c.output().map_err(|e| format!("{what}: {program}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message").to_owned();
    Err(format!("{what}: {last}"))
}
