//! Tests what `cargo xtask dist` has built: the wheel in every version of Python, the sources, the
//! extras, and the code for aarch64 on an emulated processor.

use std::path::PathBuf;
use std::{env, fs};

use crate::dist::{PYTHON, musl_wheel, sources, wheel_of};
use crate::gate::{Outcome, Step, all_pass, cargo, command, exists, passes, root, whole_builds};
use crate::{targets, wheel};

/// All steps of `cargo xtask dist-test`, in order.
pub fn all() -> Vec<Step> {
    let step = |name, run| Step { name, quick: false, run };
    vec![
        step("python-3.10", || python("3.10")),
        step("python-3.11", || python("3.11")),
        step("python-3.12", || python("3.12")),
        step("python-3.13", || python("3.13")),
        step("extras", extras),
        step("serve", serve),
        step("musl", musl),
        step("sdist-build", sdist_build),
        step("crates", crates),
        step("aarch64", targets::aarch64),
    ]
}

/// Installs the wheel into an empty environment of a version of Python, and runs the README's
/// examples there.
fn python(version: &str) -> Outcome {
    let Some(wheel) = built() else { return nothing() };
    match interpreter(version) {
        Some(python) => wheel::in_bare_environment(&python, &format!("target/bare-{version}"), &wheel),
        None => Outcome::Skipped(format!("Python {version} is not installed")),
    }
}

/// The interpreter of a version of Python: on the path, or one of pyenv's.
fn interpreter(version: &str) -> Option<String> {
    let name = format!("python{version}");
    let pyenv = env::var("PYENV_ROOT").unwrap_or(format!("{}/.pyenv", env::var("HOME").unwrap_or_default()));
    let installed = fs::read_dir(format!("{pyenv}/versions")).into_iter().flatten();
    let of_pyenv = installed.filter_map(|entry| Some(entry.ok()?.path().join("bin").join(&name).display().to_string()));
    // on the path there may be a program of pyenv that only says where Python is
    [name.clone()].into_iter().chain(of_pyenv).find(|program| exists(program, &["-c", "import venv, ensurepip"]))
}

/// Asks pip which packages the extras need. Fails if no versions fit together.
fn extras() -> Outcome {
    let Some(wheel) = built() else { return nothing() };
    let pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--dry-run", "--ignore-installed"];
    passes(command(
        PYTHON,
        &[&pip[..], &["--report", "target/extras.json", &format!("{wheel}[serve,ray,ml,onnx]")]].concat(),
    ))
}

/// Installs the wheel with its extra `serve` into an empty environment. There a service must start and
/// answer.
fn serve() -> Outcome {
    let Some(wheel) = built() else { return nothing() };
    let folder = "target/bare-serve";
    let python = format!("{folder}/bin/python");
    let with_extra = format!("{wheel}[serve]");
    all_pass([
        command(PYTHON, &["-m", "venv", "--clear", folder]),
        command(&python, &["-m", "pip", "--disable-pip-version-check", "--quiet", "install", &with_extra]),
        command(&python, &["-I", "xtask/src/serve.py"]),
    ])
}

/// Checks the wheel for musl against Debian's musl, since no Python for musl is here: the library needs no
/// other library, and every symbol that it needs is one of musl or of Python.
fn musl() -> Outcome {
    let Some(wheel) = musl_wheel() else { return nothing() };
    let libc = format!("/usr/lib/{}-linux-musl/libc.so", env::consts::ARCH);
    if !fs::exists(&libc).unwrap_or_default() {
        return Outcome::Skipped(format!("{libc} is missing (it is in Debian's package musl)"));
    }
    passes(command(PYTHON, &["xtask/src/musl.py", &wheel.display().to_string(), &libc]))
}

/// Builds a wheel from the packed sources, as pip does on a system that no wheel is for. The
/// profile of the tests compiles faster than that of a release.
fn sdist_build() -> Outcome {
    let Some(sources) = sources() else { return nothing() };
    let pip = ["-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation"];
    let mut c =
        command(PYTHON, &[&pip[..], &["--wheel-dir", "target/from-sdist"], &[&sources.display().to_string()]].concat());
    whole_builds(&mut c);
    // programs installed in the environment, among them maturin, must be found
    let path = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([root().join(".venv/bin")].into_iter().chain(env::split_paths(&path))).unwrap_or_default();
    passes({
        c.env("PATH", path).env("MATURIN_PEP517_ARGS", "--profile dev");
        c.env("CARGO_TARGET_DIR", root().join("target/sdist-build"));
        c
    })
}

/// Compiles each crate from the files that would be published of it. Publishes nothing.
fn crates() -> Outcome {
    passes(cargo(&["publish", "--dry-run", "--quiet", "--workspace", "--locked", "--allow-dirty"]))
}

/// The wheel for this machine.
fn built() -> Option<String> {
    wheel_of(env::consts::ARCH).map(|path: PathBuf| path.display().to_string())
}

fn nothing() -> Outcome {
    Outcome::Failed("nothing to test: run `make dist`".into())
}
