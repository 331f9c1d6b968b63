//! The steps of the gate.

use crate::browser::TARGET;
use crate::build::{program, tests, workspace};
use crate::gate::{Outcome, Step, all_pass, cargo, command, exists, passes, root};
use crate::{documentation, foreign, gpu, layers, rules, targets, wheel};

/// All steps, in order.
pub fn all() -> Vec<Step> {
    let step = |name, quick, run| Step { name, quick, run };
    vec![
        step("fmt", true, || passes(cargo(&["fmt", "--all", "--check"]))),
        step("ruff", true, wheel::formatted),
        step("markers", true, documentation::markers),
        step("lengths", true, rules::lengths),
        step("subjects", true, rules::subjects),
        step("layers", true, layers::layers),
        step("schedules", true, || python_tool("crates/ringjet-cpu/tools/schedule.py", &["check"])),
        step("clippy", true, clippy),
        step("wasm", true, wasm),
        step("test", true, || passes(workspace("test", &["--quiet", "--no-fail-fast"]))),
        step("test-no-ifma", false, || without("RINGJET_DISABLE_IFMA", "AVX-512 IFMA", ifma())),
        step("test-no-avx512", false, || without("RINGJET_DISABLE_AVX512", "AVX-512", avx512())),
        step("aarch64", false, targets::kernels),
        step("inlined", false, || with_program("ringjet", kernels_are_inlined)),
        step("cli", false, || with_program("ringjet", cli)),
        step("report", false, report),
        step("c", false, foreign::c),
        step("go", false, foreign::go),
        step("benchmarks", false, || with_program("bench-heaan", benchmarks)),
        step("docs", false, || with_program("ringjet", documentation::site)),
        step("gpu-kernels", false, gpu::kernels),
        step("gpu-rehearsal", false, gpu::rehearsal),
        step("deny", false, deny),
        step("fuzz", false, fuzz),
        step("bench-ntt", false, || passes(separate("bench/ntt/Cargo.toml"))),
        step("python", false, wheel::python),
        step("install", false, wheel::install),
    ]
}

/// Clippy for the whole workspace, and for what it builds with features only: the command, and with
/// it the libraries, without what papers need; the CPU backend without counters.
fn clippy() -> Outcome {
    const STRICT: [&str; 4] = ["--quiet", "--", "-D", "warnings"];
    all_pass([
        workspace("clippy", &[&["--all-targets"], &STRICT[..]].concat()),
        cargo(&[&["clippy", "--package", "ringjet-cli", "--no-default-features"], &STRICT[..]].concat()),
    ])
}

/// Compiles for browsers what a client needs.
fn wasm() -> Outcome {
    if !targets::has(TARGET) {
        return Outcome::Skipped(targets::missing(TARGET));
    }
    passes(cargo(&["clippy", "--quiet", "--package", "ringjet-wasm", "--target", TARGET, "--", "-D", "warnings"]))
}

#[cfg(target_arch = "x86_64")]
fn avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
}

#[cfg(target_arch = "x86_64")]
fn ifma() -> bool {
    avx512() && is_x86_feature_detected!("avx512ifma")
}

#[cfg(not(target_arch = "x86_64"))]
fn avx512() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn ifma() -> bool {
    false
}

/// The tests of all crates whose results could depend on the instruction set, with one set turned
/// off. On a processor without the set this step is skipped, because `test` has already run the
/// same code.
fn without(switch: &str, set: &str, there: bool) -> Outcome {
    // tests of noise statistics and of bad input: they cannot differ between code paths with equal
    // results
    const SKIPPED: [&str; 6] = ["noise", "sharing", "garbage", "programs", "identity", "damage"];
    if !there {
        return Outcome::Skipped(format!("this processor has no {set}: `test` took this path"));
    }
    let skipped: Vec<&str> = SKIPPED.iter().flat_map(|s| ["--skip", s]).collect();
    match tests(&["ringjet-cpu", "ringjet"]) {
        Err(why) => Outcome::Failed(why),
        Ok(found) if found.len() < 4 => Outcome::Failed(format!("{} programs with tests in two crates", found.len())),
        Ok(found) => all_pass(found.iter().map(|(folder, program)| {
            let mut c = command(program, &[&["--quiet"], &skipped[..]].concat());
            c.env(switch, "1").current_dir(folder);
            c
        })),
    }
}

/// Builds a program of the workspace and runs `run` with its path.
fn with_program(name: &str, run: fn(&str) -> Outcome) -> Outcome {
    match program(name) {
        Ok(path) => run(&path),
        Err(why) => Outcome::Failed(why),
    }
}

/// Runs every bench once at a small size; the benches check their results. Then compares the pages
/// that print the command's numbers with what it says. Other commands have tests of their own.
fn cli(ringjet: &str) -> Outcome {
    const SMALL: [&str; 8] = ["--log-n", "11", "--limbs", "4", "--dnum", "2", "--reps", "1"];
    let run = |args: &[&str]| command(ringjet, args);
    let benches = all_pass([
        run(&["params"]),
        run(&["params", "n15-depth9", "--json"]),
        run(&[&["bench", "all", "sizes", "precision", "--json"][..], &SMALL].concat()),
        run(&[&["bench", "all", "--threads", "2"][..], &SMALL].concat()),
        run(&["bench", "heaan", "--log-n", "10", "--log-q", "120", "--reps", "1"]),
        run(&["bench", "bgv", "bfv", "--log-n", "11", "--q-bits", "40,30,30", "--p-bits", "42", "--reps", "1"]),
        run(&["bench", "bgv_paper", "--reps", "1"]),
        run(&["bench", "program", "--log-n", "10", "--reps", "1"]),
        run(&["params", "--explain"]),
        run(&["bench", "bootstrap", "--preset", "n16-boot", "--log-n-override", "9", "--reps", "1"]),
        run(&["bench", "bootstrap", "--paper", "jung-n16", "--log-n-override", "9", "--reps", "1", "--without", "all"]),
        run(&["bench", "bootstrap", "--paper", "jung-n17", "--log-n-override", "9", "--reps", "1", "--ladder"]),
    ]);
    let pages = ["docs/chains.py", "docs/papers.py"];
    pages.iter().fold(benches, |before, page| match before {
        Outcome::Passed => python_tool(page, &["--check", "--binary", ringjet]),
        other => other,
    })
}

/// Refuses a program with functions for single vector instructions. A kernel that calls such a function
/// was compiled without the instructions, and is several times slower.
fn kernels_are_inlined(binary: &str) -> Outcome {
    let Ok(found) = std::process::Command::new("nm").arg(binary).output() else {
        return Outcome::Skipped("nm does not run".into());
    };
    let names = String::from_utf8_lossy(&found.stdout);
    if !found.status.success() || !names.contains("ringjet_cpu") {
        return Outcome::Failed(format!("{binary} has no names of functions"));
    }
    // the names contain those of modules, such as core_arch::x86::avx512ifma
    let is_single = |name: &&str| name.contains("core_arch") && (name.contains("avx") || name.contains("fma"));
    let single: Vec<&str> = names.lines().filter(is_single).collect();
    match single[..] {
        [] => Outcome::Passed,
        _ => Outcome::Failed(format!("kernels call functions for single instructions:\n{}", single.join("\n"))),
    }
}

/// Runs the HEAAN multiplications once in a small ring, and checks that the tables in the
/// documentation belong to the stored results.
fn benchmarks(heaan: &str) -> Outcome {
    let small = ["times", "--log-n", "10", "--log-q", "120", "--reps", "1", "--threads", "2"];
    let tables = ["bench/compare/table.py", "bench/boards/table.py"];
    tables.iter().fold(passes(command(heaan, &small)), |before, table| match before {
        Outcome::Passed => python_tool(table, &["--check"]),
        other => other,
    })
}

/// Runs a script that needs only Python's standard library.
fn python_tool(script: &str, arguments: &[&str]) -> Outcome {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    if !exists(&python, &["--version"]) {
        return Outcome::Skipped(format!("{python} does not run: set PYTHON"));
    }
    passes(command(&python, &[&[script], arguments].concat()))
}

/// Opens the page of `ringjet model report` in a browser.
fn report() -> Outcome {
    const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = BROWSERS.into_iter().find(|b| exists(b, &["--version"])) else {
        return Outcome::Skipped(format!("no browser: none of {} runs", BROWSERS.join(", ")));
    };
    if !exists("node", &["--version"]) {
        return Outcome::Skipped("node does not run".into());
    }
    let ringjet = match program("ringjet") {
        Ok(path) => path,
        Err(why) => return Outcome::Failed(why),
    };
    if let Err(e) = std::fs::create_dir_all(root().join("target")) {
        return Outcome::Failed(format!("target: {e}"));
    }
    const PAGES: [&str; 2] = ["target/report.html", "target/report-search.html"];
    all_pass([
        command(&ringjet, &["model", "report", "-o", PAGES[0]]),
        command(&ringjet, &["model", "report", "-o", PAGES[1], "--search", "bench/report/search.jsonl"]),
        command("node", &["bench/report/check.mjs", browser, PAGES[0], PAGES[1]]),
    ])
}

fn deny() -> Outcome {
    if !exists("cargo-deny", &["--version"]) {
        return Outcome::Skipped("cargo-deny is not installed (cargo install cargo-deny)".into());
    }
    passes(cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]))
}

/// Compiles the fuzz targets. This does not need the fuzzer itself, which is written in C++.
fn fuzz() -> Outcome {
    let mut c = separate("fuzz/Cargo.toml");
    c.env("CUSTOM_LIBFUZZER_PATH", "not-linked/libfuzzer.a");
    passes(c)
}

/// A command that compiles a package with a workspace of its own. It starts with this workspace's
/// versions of all crates, so that none is compiled again.
fn separate(manifest: &str) -> std::process::Command {
    let lock = root().join(manifest).with_file_name("Cargo.lock");
    if !lock.exists() {
        // without a copy cargo takes the newest versions
        let _ = std::fs::copy(root().join("Cargo.lock"), &lock);
    }
    let target = crate::build::target().display().to_string();
    cargo(&["check", "--quiet", "--all-targets", "--manifest-path", manifest, "--target-dir", &target])
}
