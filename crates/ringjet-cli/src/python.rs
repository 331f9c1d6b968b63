//! Commands of the Python package, which this command starts.

use std::env;
use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::Result;

const VARIABLE: &str = "RINGJET_PYTHON";

/// A Python program that succeeds if the package is installed and has commands.
const PROBE: &str = "import importlib.util, sys; import ringjet; \
                     sys.exit(importlib.util.find_spec('ringjet.__main__') is None)";

/// A command whose arguments all go to Python, where it has its own --help.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// Arguments of the Python command; see its --help
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs `python -m ringjet NAME ARGUMENTS` in place of this process. `purpose` names, in an error,
/// the command that needs Python.
pub fn run(name: &str, purpose: &str, args: &Args) -> Result<u8> {
    let mut command = Command::new(find(purpose)?);
    command.args(["-m", "ringjet", name]).args(&args.arguments);
    become_it(command)
}

/// Replaces this process, so that Ctrl-C and the exit status are Python's own.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result<u8> {
    use std::os::unix::process::CommandExt;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<u8> {
    let status = command.status()?;
    Ok(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1))
}

/// The Python that has the package: the one in [`VARIABLE`], or the first of the usual names.
fn find(purpose: &str) -> Result<OsString> {
    if let Some(named) = env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
        return match probe(&named) {
            None => Ok(named),
            Some(why) => Err(format!("{VARIABLE} is {}: {why}", named.to_string_lossy()).into()),
        };
    }
    let mut tried = Vec::new();
    for name in ["python3", "python"] {
        match probe(&name.into()) {
            None => return Ok(name.into()),
            Some(why) => tried.push(format!("{name}: {why}")),
        }
    }
    Err(format!(
        "{purpose} needs a Python with the package ringjet ({}): install it with `pip install ./python` from the \
         repository, or name the interpreter that has it in {VARIABLE}",
        tried.join("; ")
    )
    .into())
}

fn probe(python: &OsString) -> Option<String> {
    let mut command = Command::new(python);
    let run = command.args(["-c", PROBE]).stdin(Stdio::null()).stdout(Stdio::null()).output();
    match run {
        Err(e) => Some(e.to_string()),
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(said.lines().last().unwrap_or("its package ringjet has no commands").trim().to_owned())
        }
    }
}
