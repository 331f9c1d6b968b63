//! The Python package: the wheel, its tests, and an environment that has nothing but what the wheel declares.
//!
//! The gate's wheel is built in the profile of its other programs and without features: the crates that the tests have built
//! are in it. Users' wheels, which `make setup` builds in the release profile, take longer to compile than all tests; their
//! tests are in `make test-full`.

use std::fs;

use crate::build::target;
use crate::gate::{Outcome, all_pass, command, passes, root, whole_builds};
use crate::readme;

/// What `make test` installs there is needed to build the wheel and to test it.
const PYTHON: &str = ".venv/bin/python";

/// An environment with the wheel, made anew each time.
const BARE: &str = "target/bare";

/// Runs after the README's examples.
const CHECK: &str = include_str!("wheel.py");

/// The Python tests and the README's examples, with the gate's wheel in place of what is installed in `.venv`.
pub fn python() -> Outcome {
    with_wheel(|wheel| {
        let site = target().join("python").display().to_string();
        let _ = fs::remove_dir_all(&site);
        let pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--target", &site];
        let on_it = |args: &[&str]| {
            let mut c = command(PYTHON, args);
            c.env("PYTHONPATH", &site);
            c
        };
        let tests = on_it(&["-m", "pytest", "-q", "python/tests"]);
        match (all_pass([command(PYTHON, &[&pip[..], &[wheel]].concat()), tests]), readme::python_examples()) {
            (Outcome::Passed, Ok(examples)) => passes(on_it(&["-c", &examples])),
            (Outcome::Passed, Err(why)) => Outcome::Failed(why),
            (other, _) => other,
        }
    })
}

/// Installs the wheel into an empty environment, takes away what installed it, and runs the README's Python examples there.
/// Fails where the package needs, has installed or imports more than numpy.
pub fn install() -> Outcome {
    with_wheel(|wheel| {
        let python = format!("{BARE}/bin/python");
        let pip = |args: &[&str]| {
            command(&python, &[&["-m", "pip", "--disable-pip-version-check", "--quiet"], args].concat())
        };
        let made = all_pass([
            command(PYTHON, &["-m", "venv", "--clear", BARE]),
            pip(&["install", wheel]),
            // setuptools is there up to Python 3.11 only
            pip(&["uninstall", "--yes", "setuptools", "pip"]),
        ]);
        match (made, readme::python_examples()) {
            // isolated: neither this folder nor the user's own packages can be imported
            (Outcome::Passed, Ok(examples)) => passes(command(&python, &["-I", "-c", &format!("{examples}\n{CHECK}")])),
            (Outcome::Passed, Err(why)) => Outcome::Failed(why),
            (other, _) => other,
        }
    })
}

/// Builds the wheel, unless it is up to date, and does something with it.
fn with_wheel(run: impl FnOnce(&str) -> Outcome) -> Outcome {
    if !root().join(".venv/.requirements").exists() {
        return Outcome::Skipped("no Python environment in .venv: run `make test`, or `make setup`".into());
    }
    let wheels = target().join("wheels-of-tests");
    let _ = fs::remove_dir_all(&wheels);
    let out = wheels.display().to_string();
    let build = ["-m", "maturin", "build", "--quiet", "--locked", "--profile", "dev"];
    let mut c = command(PYTHON, &[&build[..], &["--manifest-path", "python/Cargo.toml", "--out", &out]].concat());
    whole_builds(&mut c);
    match passes(c) {
        Outcome::Passed => {}
        other => return other,
    }
    let names = fs::read_dir(&wheels).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let found: Vec<_> = names.filter(|path| path.extension().is_some_and(|e| e == "whl")).collect();
    match found.as_slice() {
        [one] => run(&one.display().to_string()),
        several => Outcome::Failed(format!("{} wheels in {out} instead of one", several.len())),
    }
}
