//! The steps of the gate.

use crate::gate::{Outcome, Step, all_pass, cargo, command, exists, passes, root};
use crate::{gpu, install, readme};

/// All steps, in order.
pub fn all() -> Vec<Step> {
    vec![
        Step { name: "fmt", quick: true, run: || passes(cargo(&["fmt", "--all", "--check"])) },
        Step { name: "clippy", quick: true, run: clippy },
        Step { name: "schedules", quick: true, run: || python_tool("crates/ringjet-cpu/tools/schedule.py", "check") },
        Step {
            name: "test",
            quick: true,
            run: || passes(cargo(&["test", "--workspace", "--quiet", "--no-fail-fast"])),
        },
        Step { name: "test-instrument", quick: false, run: instrumented },
        Step { name: "gpu-arithmetic", quick: false, run: gpu_arithmetic },
        Step { name: "gpu-kernels", quick: false, run: gpu::kernels },
        Step { name: "test-no-ifma", quick: false, run: || without("RINGJET_DISABLE_IFMA") },
        Step { name: "test-no-avx512", quick: false, run: || without("RINGJET_DISABLE_AVX512") },
        Step { name: "cli", quick: false, run: cli },
        Step { name: "benchmarks", quick: false, run: benchmarks },
        Step { name: "report", quick: false, run: report },
        Step { name: "deny", quick: false, run: deny },
        Step { name: "fuzz", quick: false, run: || separate("fuzz/Cargo.toml") },
        Step { name: "bench-ntt", quick: false, run: || separate("bench/ntt/Cargo.toml") },
        Step { name: "python", quick: false, run: python },
        Step { name: "install", quick: false, run: install::wheel },
    ]
}

/// Everything, and what is compiled only with the counters of kernel calls.
fn clippy() -> Outcome {
    let lint =
        |what: &[&str]| cargo(&[&["clippy", "--all-targets", "--quiet"], what, &["--", "-D", "warnings"]].concat());
    all_pass([lint(&["--workspace"]), lint(&["--package", "ringjet-cpu", "--features", "instrument"])])
}

/// The counters of kernel calls against formulas, on every path at once.
fn instrumented() -> Outcome {
    const TEST: [&str; 6] = ["--features", "instrument", "--test", "integration", "--quiet", "kernel_calls"];
    passes(cargo(&[&["test", "--package", "ringjet-cpu", "--package", "ringjet-model"], &TEST[..]].concat()))
}

/// The arithmetics that GPU kernels may be made of, compiled for this machine, against big integers.
fn gpu_arithmetic() -> Outcome {
    const CRATE: [&str; 4] = ["--package", "ringjet-cuda", "--features", "host-arith"];
    all_pass([
        cargo(&[&["clippy", "--all-targets", "--quiet"], &CRATE[..], &["--", "-D", "warnings"]].concat()),
        cargo(&[&["test", "--quiet", "--test", "integration", "modarith"], &CRATE[..]].concat()),
    ])
}

/// The tests of the crates whose code depends on the instruction set, with one forced off.
fn without(switch: &str) -> Outcome {
    let mut c = cargo(&["test", "--package", "ringjet-cpu", "--package", "ringjet", "--quiet"]);
    c.env(switch, "1");
    passes(c)
}

/// Every command once; every bench once at a small size, so that none rots. The benches check their results.
fn cli() -> Outcome {
    const SMALL: [&str; 8] = ["--log-n", "11", "--limbs", "4", "--dnum", "2", "--reps", "1"];
    let run = |args: &[&str]| cargo(&[&["run", "--quiet", "--package", "ringjet-cli", "--"], args].concat());
    all_pass([
        run(&["doctor"]),
        run(&["params"]),
        run(&["params", "n15-depth9", "--json"]),
        run(&[&["bench", "all", "sizes", "precision", "--json"][..], &SMALL].concat()),
        run(&[&["bench", "all", "--threads", "2"][..], &SMALL].concat()),
        run(&["bench", "heaan", "--log-n", "10", "--log-q", "120", "--reps", "1"]),
        run(&["params", "--explain"]),
        run(&["bench", "bootstrap", "--preset", "n16-boot", "--log-n-override", "9", "--reps", "1"]),
        run(&["bench", "bootstrap", "--paper", "jung-n16", "--log-n-override", "9", "--reps", "1", "--without", "all"]),
    ])
}

/// The multiplications of HEAAN agree with big integers, and run once in a small ring; the tables in the documentation are
/// those of the figures beside them.
fn benchmarks() -> Outcome {
    const HEAAN: [&str; 2] = ["--manifest-path", "bench/heaan/Cargo.toml"];
    let small = ["--", "times", "--log-n", "10", "--log-q", "120", "--reps", "1", "--threads", "2"];
    let heaan = all_pass([
        cargo(&[&["fmt", "--check"], &HEAAN[..]].concat()),
        cargo(&[&["clippy", "--all-targets", "--quiet"], &HEAAN[..], &["--", "-D", "warnings"]].concat()),
        cargo(&[&["test", "--quiet"], &HEAAN[..]].concat()),
        cargo(&[&["run", "--quiet"], &HEAAN[..], &small].concat()),
    ]);
    if let Outcome::Failed(_) = heaan {
        return heaan;
    }
    python_tool("bench/compare/table.py", "--check")
}

/// A script that needs nothing but Python.
fn python_tool(script: &str, argument: &str) -> Outcome {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    if !exists(&python, &["--version"]) {
        return Outcome::Skipped(format!("{python} does not run: set PYTHON"));
    }
    passes(command(&python, &[script, argument]))
}

/// The page of `ringjet model report`, in a browser.
fn report() -> Outcome {
    const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = BROWSERS.into_iter().find(|b| exists(b, &["--version"])) else {
        return Outcome::Skipped(format!("no browser: none of {} runs", BROWSERS.join(", ")));
    };
    if !exists("node", &["--version"]) {
        return Outcome::Skipped("node does not run".into());
    }
    let page = |args: &[&str]| {
        cargo(&[&["run", "--quiet", "--package", "ringjet-cli", "--", "model", "report"], args].concat())
    };
    if let Err(e) = std::fs::create_dir_all(root().join("target")) {
        return Outcome::Failed(format!("target: {e}"));
    }
    const PAGES: [&str; 2] = ["target/report.html", "target/report-search.html"];
    all_pass([
        page(&["-o", PAGES[0]]),
        page(&["-o", PAGES[1], "--search", "bench/report/search.jsonl"]),
        command("node", &["bench/report/check.mjs", browser, PAGES[0], PAGES[1]]),
    ])
}

fn deny() -> Outcome {
    if !exists("cargo-deny", &["--version"]) {
        return Outcome::Skipped("cargo-deny is not installed (cargo install cargo-deny)".into());
    }
    passes(cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]))
}

/// A package with a workspace of its own: it must compile.
fn separate(manifest: &str) -> Outcome {
    if !root().join(manifest).exists() {
        return Outcome::Skipped(format!("{manifest} does not exist"));
    }
    passes(cargo(&["check", "--quiet", "--all-targets", "--manifest-path", manifest]))
}

/// The Python tests and the README's example, against the wheel installed in `.venv`.
fn python() -> Outcome {
    if !root().join("python/tests").exists() {
        return Outcome::Skipped("python/tests does not exist".into());
    }
    if !root().join(".venv/.wheel").exists() {
        return Outcome::Skipped("no wheel in .venv: run `make setup`, or `make test` for both".into());
    }
    match passes(command(".venv/bin/python", &["-m", "pytest", "-q", "python/tests"])) {
        Outcome::Passed => readme::run_python_examples(),
        other => other,
    }
}
