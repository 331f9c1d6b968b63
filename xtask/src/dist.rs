//! Builds what a release publishes for Python and npm: a wheel for each processor and C library, the sources,
//! and the client for browsers.
//!
//! zig compiles C++ and links, because it brings the headers and the symbol versions of old C
//! libraries, and compiles for other processors. So the wheels run on systems that are older than
//! the machine on which they are built.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use crate::browser;
use crate::build::target;
use crate::gate::{Outcome, Step, command, exists, passes, root, whole_builds};
use crate::targets;

/// Where the files of a release are written.
pub const OUT: &str = "target/dist";

/// The Python interpreter of the environment that `make dist` installs. It has maturin, zig and
/// auditwheel.
pub const PYTHON: &str = ".venv/bin/python";

/// What a wheel runs on.
#[derive(Clone, Copy)]
pub struct Platform {
    /// The processor.
    machine: &'static str,
    /// The C library, as Rust names it.
    libc: &'static str,
    /// The same, with its oldest version, as wheels name it.
    system: &'static str,
}

/// The oldest glibc that Rust's standard library supports is 2.17. That of Alpine is musl, since 2021 1.2.
const fn glibc(machine: &'static str) -> Platform {
    Platform { machine, libc: "gnu", system: "manylinux_2_17" }
}

const fn musl(machine: &'static str) -> Platform {
    Platform { machine, libc: "musl", system: "musllinux_1_2" }
}

/// The platforms that wheels are built for.
const PLATFORMS: [Platform; 4] = [glibc("x86_64"), glibc("aarch64"), musl("x86_64"), musl("aarch64")];

/// A wheel must not become larger by accident.
const MOST_BYTES: u64 = 15_000_000;

/// The package of the client for browsers.
const NPM: &str = "js/ringjet-client";

/// All steps of `cargo xtask dist`, in order.
pub fn all() -> Vec<Step> {
    let step = |name, run| Step { name, quick: false, run };
    vec![
        step("wheel-x86_64", || wheel(PLATFORMS[0])),
        step("wheel-aarch64", || wheel(PLATFORMS[1])),
        step("wheel-musl-x86_64", || wheel(PLATFORMS[2])),
        step("wheel-musl-aarch64", || wheel(PLATFORMS[3])),
        step("sdist", sdist),
        step("npm", npm),
        step("sums", sums),
    ]
}

/// The wheel for a processor and glibc, if it was built.
pub fn wheel_of(machine: &str) -> Option<PathBuf> {
    PLATFORMS.iter().find(|p| p.machine == machine)?.built()
}

/// The wheel for this processor and musl, if it was built.
pub fn musl_wheel() -> Option<PathBuf> {
    PLATFORMS.iter().find(|p| p.machine == env::consts::ARCH && p.libc == "musl")?.built()
}

impl Platform {
    /// Its name in those of wheels.
    fn tag(self) -> String {
        format!("{}_{}", self.system, self.machine)
    }

    /// Cargo's name.
    fn triple(self) -> String {
        format!("{}-unknown-linux-{}", self.machine, self.libc)
    }

    fn built(self) -> Option<PathBuf> {
        files(&format!("{}.whl", self.machine))
            .into_iter()
            .find(|path| path.display().to_string().contains(&self.tag()))
    }
}

/// The archive of the sources, if it was built.
pub fn sources() -> Option<PathBuf> {
    files(".tar.gz").pop()
}

/// Builds the wheel for a platform, and checks its size and which systems it runs on.
fn wheel(platform: Platform) -> Outcome {
    for module in ["maturin", "ziglang", "auditwheel"] {
        if !exists(PYTHON, &["-c", &format!("import {module}")]) {
            return Outcome::Failed(format!("{module} is not installed in .venv: run `make dist`"));
        }
    }
    let triple = platform.triple();
    if let Err(why) = targets::standard_library(&triple) {
        return Outcome::Failed(why);
    }
    let _ = platform.built().map(fs::remove_file);
    let system = platform.system;
    let build = ["-m", "maturin", "build", "--quiet", "--release", "--locked", "--zig", "--compatibility", system];
    let more = ["--auditwheel", "check", "--target", &triple, "--manifest-path", "python/Cargo.toml", "--out", OUT];
    let mut c = command(PYTHON, &[&build[..], &more].concat());
    whole_builds(&mut c);
    reproducible(&mut c);
    c.env("CARGO_ZIGBUILD_PYTHON_PATH", root().join(PYTHON));
    match passes(c) {
        Outcome::Passed => check(platform),
        other => other,
    }
}

/// Keeps the names of this machine's folders and the time of the build out of what is built.
fn reproducible(c: &mut Command) {
    let home = env::var("HOME").unwrap_or_default();
    let cargo = env::var("CARGO_HOME").unwrap_or(format!("{home}/.cargo"));
    // of several names that match, the last one counts: the target folder may be elsewhere
    let folders = [(root().display().to_string(), "/ringjet"), (target().display().to_string(), "/ringjet/target")];
    let renamed = folders.into_iter().chain([(cargo, "/cargo")]);
    let flags: Vec<String> = renamed.map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
    // this form allows spaces in the names of folders
    c.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    if let Ok(time) = command("git", &["log", "-1", "--format=%ct"]).output() {
        c.env("SOURCE_DATE_EPOCH", String::from_utf8_lossy(&time.stdout).trim());
    }
}

/// Checks a wheel's size and its tag: the name states it, and auditwheel derives it from the
/// symbols that the library needs. It cannot do so for musl on a machine with glibc. There maturin's own check
/// stands, and `dist-test` compares the symbols with those of musl.
fn check(platform: Platform) -> Outcome {
    let tag = platform.tag();
    let Some(path) = platform.built() else {
        return Outcome::Failed(format!("no wheel for {tag} in {OUT}"));
    };
    let bytes = fs::metadata(&path).map_or(0, |m| m.len());
    println!("{}: {:.1} MB", path.display(), bytes as f64 / 1e6);
    if bytes > MOST_BYTES {
        return Outcome::Failed(format!("the wheel has {bytes} bytes, more than {MOST_BYTES}"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.contains("-abi3-") || !name.contains(&tag) {
        return Outcome::Failed(format!("{name} is not for abi3 and {tag}"));
    }
    if platform.libc == "musl" {
        return Outcome::Passed;
    }
    match command(PYTHON, &["-m", "auditwheel", "show", &path.display().to_string()]).output() {
        Ok(shown) if String::from_utf8_lossy(&shown.stdout).contains(&tag) => Outcome::Passed,
        Ok(shown) => Outcome::Failed(format!(
            "auditwheel does not find {tag}: {}{}",
            String::from_utf8_lossy(&shown.stdout),
            String::from_utf8_lossy(&shown.stderr)
        )),
        Err(e) => Outcome::Failed(format!("auditwheel: {e}")),
    }
}

/// Packs the sources from which pip builds a wheel on other systems.
fn sdist() -> Outcome {
    remove(".tar.gz");
    passes(command(PYTHON, &["-m", "maturin", "sdist", "--manifest-path", "python/Cargo.toml", "--out", OUT]))
}

/// Builds the client for browsers and packs it as npm publishes it.
fn npm() -> Outcome {
    if !exists("npm", &["--version"]) {
        return Outcome::Failed("npm is not installed".into());
    }
    remove(".tgz");
    for step in browser::all() {
        match (step.run)() {
            Outcome::Passed => {}
            other => return other,
        }
    }
    passes(command("npm", &["pack", "--silent", &format!("./{NPM}"), "--pack-destination", OUT]))
}

/// Writes the checksums of all files of the release.
fn sums() -> Outcome {
    let names = || files("").into_iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let names: Vec<String> = names().filter(|name| name.starts_with("ringjet-")).collect();
    if names.len() != PLATFORMS.len() + 2 {
        let wanted = format!("{} wheels, the sources and the npm package", PLATFORMS.len());
        return Outcome::Failed(format!("{OUT} has {names:?} instead of {wanted}"));
    }
    let output = Command::new("sha256sum").args(&names).current_dir(root().join(OUT)).output();
    match output {
        Ok(output) if output.status.success() => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            match fs::write(root().join(OUT).join("SHA256SUMS"), output.stdout) {
                Ok(()) => Outcome::Passed,
                Err(e) => Outcome::Failed(format!("SHA256SUMS: {e}")),
            }
        }
        Ok(output) => Outcome::Failed(format!("sha256sum: {}", String::from_utf8_lossy(&output.stderr))),
        Err(e) => Outcome::Failed(format!("sha256sum: {e}")),
    }
}

/// The release's files whose names end so, in order.
fn files(end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(OUT)).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    found.sort();
    found
}

fn remove(end: &str) {
    for path in files(end) {
        let _ = fs::remove_file(path);
    }
}
