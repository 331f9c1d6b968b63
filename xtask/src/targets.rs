//! Other processors and systems: tests on an emulated aarch64, and whether the code compiles where
//! nothing of it can run here.

use std::path::PathBuf;

use crate::gate::{Outcome, Step, all_pass, cargo, command, exists, passes};
use crate::gpu;

/// Cargo's name of Linux on aarch64.
const AARCH64: &str = "aarch64-unknown-linux-gnu";

/// Systems for which no compiler of C++ is here. `check` needs none for Rust alone.
const COMPILED: [&str; 2] = ["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

/// The packages without C++ in their builds.
const RUST_ALONE: [&str; 4] = ["ringjet-math", "ringjet-backend", "ringjet-cpu", "ringjet"];

/// Seconds that one test program may take on the emulated processor.
const MOST_SECONDS: &str = "900";

/// Tests that are left out on the emulated processor, with the reason. `conformance::small` and tests
/// of kernels stand for them.
const LEFT_OUT: [(&str, &str); 10] = [
    ("conformance::scalar", "the whole suite: many minutes"),
    ("conformance::fma", "the whole suite: many minutes"),
    ("the_oracle_passes_its_own_suite", "the whole suite, and no code for this processor"),
    ("what_is_lacking_runs_on_the_host", "the whole suite, and no code for this processor"),
    ("conformance::with_threads", "rings of 2^12 against the textbook: many minutes"),
    ("conformance::large", "rings of 2^14 and more"),
    ("big::products", "large rings, or against the textbook: minutes"),
    ("several_groups_agree", "rings of 2^12 against the textbook: many minutes"),
    ("what_is_left_out_is_made", "a minute, and no vector kernels on this processor"),
    ("kernel_calls", "counts, which do not depend on the processor"),
];

/// Tests of ringjet that run on the emulated processor: known answers, and schemes in small rings.
const SCHEMES: [&str; 7] = [
    "wire::vectors",
    "wire::bgv_vectors",
    "wire::heaan_vectors",
    "ckks::",
    "bgv::operations_are_exact",
    "heaan::operations::encodings_come_back",
    "keys::compressed",
];

/// All steps of `cargo xtask full`, in order.
pub fn all() -> Vec<Step> {
    vec![
        Step { name: "aarch64", quick: false, run: aarch64 },
        Step { name: "other-systems", quick: false, run: other_systems },
        Step { name: "gpu-kernels", quick: false, run: gpu::all_architectures },
    ]
}

/// Runs the tests of the CPU's kernels on the emulated processor.
pub fn kernels() -> Outcome {
    emulated(&[&["--lib", "-p", "ringjet-cpu", "--", "kernels::"]])
}

/// Runs conformance in small rings, schemes in small rings, and known answers on the emulated
/// processor.
pub fn aarch64() -> Outcome {
    LEFT_OUT.iter().for_each(|(test, why)| println!("left out: {test}: {why}"));
    let left_out: Vec<&str> = LEFT_OUT.iter().flat_map(|(test, _)| ["--skip", test]).collect();
    let lower = ["--lib", "--tests", "-p", "ringjet-math", "-p", "ringjet-backend", "-p", "ringjet-cpu", "--"];
    let schemes = ["--tests", "-p", "ringjet", "--", "--skip", "bless"];
    emulated(&[&[&lower[..], &left_out].concat(), &[&schemes[..], &SCHEMES].concat()])
}

/// `cargo test` for the emulated processor, once with each of these arguments.
fn emulated(runs: &[&[&str]]) -> Outcome {
    const LINKER: &str = "aarch64-linux-gnu-gcc";
    const EMULATOR: &str = "qemu-aarch64";
    const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
    for program in [EMULATOR, LINKER] {
        if !exists(program, &["--version"]) {
            let packages = "Debian's packages qemu-user and gcc-aarch64-linux-gnu";
            return Outcome::Skipped(format!("{program} is not installed (it is in {packages})"));
        }
    }
    if !has(AARCH64) {
        return Outcome::Skipped(missing(AARCH64));
    }
    all_pass(runs.iter().map(|arguments| {
        let test = ["test", "--quiet", "--locked", "--no-fail-fast", "--target", AARCH64];
        let mut c = cargo(&[&test[..], arguments].concat());
        c.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
        let runner = format!("timeout {MOST_SECONDS} {EMULATOR} -L {LIBRARIES}");
        c.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", runner);
        c
    }))
}

/// Compiles the packages without C++ for macOS on aarch64 and for Windows.
pub fn other_systems() -> Outcome {
    if let Some(target) = COMPILED.into_iter().find(|target| !has(target)) {
        return Outcome::Skipped(missing(target));
    }
    let packages: Vec<&str> = RUST_ALONE.iter().flat_map(|p| ["-p", p]).collect();
    all_pass(
        COMPILED.map(|target| cargo(&[&["check", "--quiet", "--locked", "--target", target], &packages[..]].concat())),
    )
}

/// Whether Rust's standard library for a system is installed.
pub fn has(triple: &str) -> bool {
    let Ok(sysroot) = command("rustc", &["--print", "sysroot"]).output() else { return false };
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    sysroot.join("lib/rustlib").join(triple).join("lib").exists()
}

/// What to say if it is not.
pub fn missing(triple: &str) -> String {
    format!("Rust's standard library for {triple} is not installed (rustup target add {triple})")
}

/// Adds Rust's standard library for a system, unless it is installed.
pub fn standard_library(triple: &str) -> Result<(), String> {
    if has(triple) {
        return Ok(());
    }
    match passes(command("rustup", &["target", "add", triple])) {
        Outcome::Failed(why) => Err(format!("{}: {why}", missing(triple))),
        _ => Ok(()),
    }
}
