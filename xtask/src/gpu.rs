//! Compiles the GPU kernels with NVIDIA's compiler, which is installed from Python packages and
//! needs no GPU.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::build::{out_dir, target, workspace};
use crate::gate::{Outcome, all_pass, command, exists, passes, root};

const REQUIREMENTS: &str = "crates/ringjet-cuda/tools/requirements.txt";
/// The Python environment of the compiler, kept between runs.
const ENVIRONMENT: &str = "target/gpu-compiler";

/// Checks that every kernel compiles for the oldest architecture, that important kernels spill no
/// registers, and that the documentation page and the embedded PTX belong to the current kernels. The
/// programs for a machine with a GPU must compile, too.
pub fn kernels() -> Outcome {
    compile(&[&["--check", "--oldest"], &["--programs", "bench/gpu"]])
}

/// Compiles every kernel for every architecture, and compares all of the documentation page.
pub fn all_architectures() -> Outcome {
    compile(&[&["--check"]])
}

/// Runs `compile.py` with each of these arguments, on the sources that the gate's build has made.
fn compile(runs: &[&[&str]]) -> Outcome {
    let python = match compiler() {
        Ok(python) => python,
        Err(why) => {
            println!("SKIPPED: {why}");
            return Outcome::Skipped(why);
        }
    };
    match out_dir("ringjet-cuda") {
        Ok(built) => all_pass(runs.iter().map(|arguments| {
            command(&python, &[&["crates/ringjet-cuda/tools/compile.py", "--built", &built], *arguments].concat())
        })),
        Err(why) => Outcome::Failed(why),
    }
}

/// Rehearses the run on a machine with a GPU (`bench/gpu/first.sh`) on the emulator: as it is, with a
/// wrong word in a kernel, and with too little time.
pub fn rehearsal() -> Outcome {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    match rehearsal_programs() {
        Ok(folder) => passes(command(&python, &["bench/gpu/rehearse.py", &folder])),
        Err(why) => Outcome::Failed(why),
    }
}

/// Builds the programs of the rehearsal. Returns the folder that has both.
fn rehearsal_programs() -> Result<String, String> {
    let built = workspace("build", &["--quiet", "--bin", "ringjet", "--example", "device_bench"]);
    if let Outcome::Failed(why) = passes(built) {
        return Err(why);
    }
    let folder = target().join("gpu-rehearsal");
    let copied = fs::create_dir_all(&folder).and_then(|()| {
        ["ringjet", "examples/device_bench"].iter().try_for_each(|program| {
            let from = target().join("debug").join(program);
            fs::copy(&from, folder.join(from.file_name().unwrap_or_default())).map(drop)
        })
    });
    copied.map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder.display().to_string())
}

/// The Python interpreter with the compiler. Installs the compiler if the requirements have changed
/// since the last run.
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

/// Runs a command. If it fails, returns `what` and the last line of its output as an error.
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
