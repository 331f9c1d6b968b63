//! Packs the Python wheel, runs its tests, and installs it into an environment with only its
//! declared dependencies.
//!
//! The gate packs a wheel of the crates that it has built for the tests. maturin would compile most of
//! them again, with other features. The wheels for users, which `make setup` builds in the release
//! profile, take longer to compile than all tests take to run; `make test-full` tests them, and
//! `cargo xtask dist-test` those of a release.

use std::fs;

use crate::build::{target, workspace};
use crate::gate::{Outcome, all_pass, command, exists, passes, root};
use crate::readme;

/// The Python interpreter of the environment that `make test` installs. It has the packages that
/// building and testing the wheel need.
const PYTHON: &str = ".venv/bin/python";

/// An environment for the wheel, made anew each time.
const BARE: &str = "target/bare";

/// Packs the wheel.
const PACK: &str = include_str!("pack.py");

/// A program that runs after the README's examples.
const CHECK: &str = include_str!("wheel.py");

/// All Python of the repository is as `ruff format` writes it.
pub fn formatted() -> Outcome {
    if !exists(PYTHON, &["-m", "ruff", "--version"]) {
        return Outcome::Skipped("no ruff in .venv: run `make test`".into());
    }
    passes(command(PYTHON, &["-m", "ruff", "format", "--check", "--quiet"]))
}

/// Runs the Python tests and the README's examples with the gate's wheel instead of the package
/// installed in `.venv`.
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
        // two processes, since Python computes on one core; tests of a file share what they prepare
        let tests = on_it(&["-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "python/tests"]);
        match (all_pass([command(PYTHON, &[&pip[..], &[wheel]].concat()), tests]), readme::python_examples()) {
            (Outcome::Passed, Ok(examples)) => passes(on_it(&["-c", &examples])),
            (Outcome::Passed, Err(why)) => Outcome::Failed(why),
            (other, _) => other,
        }
    })
}

/// Runs the README's examples with the gate's wheel in an environment with only what it declares.
pub fn install() -> Outcome {
    with_wheel(|wheel| in_bare_environment(PYTHON, BARE, wheel))
}

/// Makes an empty environment with this interpreter in this folder, installs a wheel there, removes
/// pip and setuptools, and runs the README's Python examples. Fails if the package needs, has
/// installed or imports packages other than numpy.
pub fn in_bare_environment(interpreter: &str, folder: &str, wheel: &str) -> Outcome {
    let python = format!("{folder}/bin/python");
    let pip =
        |args: &[&str]| command(&python, &[&["-m", "pip", "--disable-pip-version-check", "--quiet"], args].concat());
    let made = all_pass([
        command(interpreter, &["-m", "venv", "--clear", folder]),
        pip(&["install", wheel]),
        // environments have setuptools only up to Python 3.11
        pip(&["uninstall", "--yes", "setuptools", "pip"]),
    ]);
    match (made, readme::python_examples()) {
        // isolated mode: modules in this folder and packages of the user cannot be imported
        (Outcome::Passed, Ok(examples)) => passes(command(&python, &["-I", "-c", &format!("{examples}\n{CHECK}")])),
        (Outcome::Passed, Err(why)) => Outcome::Failed(why),
        (other, _) => other,
    }
}

/// Builds the compiled half of the package, packs the wheel, and runs `run` with its path.
fn with_wheel(run: impl FnOnce(&str) -> Outcome) -> Outcome {
    if !root().join(".venv/.requirements").exists() {
        return Outcome::Skipped("no Python environment in .venv: run `make test`, or `make setup`".into());
    }
    let folder = target().join("wheel-of-tests");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    let library = target().join("debug/lib_ringjet.so").display().to_string();
    let mut metadata = command("../.venv/bin/python", &["-m", "maturin", "pep517", "write-dist-info"]);
    metadata
        .args(["--metadata-directory", &out, "--interpreter", "../.venv/bin/python"])
        .current_dir(root().join("python"));
    let pack = command(PYTHON, &["-c", PACK, &library, &out]);
    match all_pass([workspace("build", &["--quiet", "--lib"]), metadata, pack]) {
        Outcome::Passed => {}
        other => return other,
    }
    let names = fs::read_dir(&folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let found: Vec<_> = names.filter(|path| path.extension().is_some_and(|e| e == "whl")).collect();
    match found.as_slice() {
        [one] => run(&one.display().to_string()),
        several => Outcome::Failed(format!("{} wheels in {out} instead of one", several.len())),
    }
}
