//! The wheel in an environment that has nothing but what the wheel declares.

use std::fs;

use crate::gate::{Outcome, all_pass, command, passes, root};
use crate::readme;

/// The environment, made anew each time.
const ENVIRONMENT: &str = "target/bare";

/// Runs after the README's examples.
const CHECK: &str = include_str!("install.py");

/// Installs the wheel that `make setup` built into an empty environment, takes away what installed it, and runs the
/// README's Python examples there. Fails where the package needs, has installed or imports more than numpy.
pub fn wheel() -> Outcome {
    if !root().join(".venv/.wheel").exists() {
        return Outcome::Skipped("no wheel in .venv: run `make setup`, or `make test` for both".into());
    }
    let wheel = match built_wheel() {
        Ok(path) => path,
        Err(why) => return Outcome::Failed(why),
    };
    let python = format!("{ENVIRONMENT}/bin/python");
    let pip =
        |args: &[&str]| command(&python, &[&["-m", "pip", "--disable-pip-version-check", "--quiet"], args].concat());
    let made = all_pass([
        command(".venv/bin/python", &["-m", "venv", "--clear", ENVIRONMENT]),
        pip(&["install", &wheel]),
        // setuptools is there up to Python 3.11 only
        pip(&["uninstall", "--yes", "setuptools", "pip"]),
    ]);
    if let Outcome::Failed(_) = made {
        return made;
    }
    match readme::python_examples() {
        // isolated: neither this folder nor the user's own packages can be imported
        Ok(examples) => passes(command(&python, &["-I", "-c", &format!("{examples}\n{CHECK}")])),
        Err(why) => Outcome::Failed(why),
    }
}

/// The one wheel that `make setup` leaves.
fn built_wheel() -> Result<String, String> {
    let folder = fs::read_dir(root().join("target/wheels")).map_err(|e| format!("target/wheels: {e}"))?;
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let wheels: Vec<String> = names.filter(|n| n.starts_with("ringjet-") && n.ends_with(".whl")).collect();
    match wheels.as_slice() {
        [one] => Ok(format!("target/wheels/{one}")),
        several => Err(format!("{} wheels in target/wheels instead of one: run `make setup`", several.len())),
    }
}
