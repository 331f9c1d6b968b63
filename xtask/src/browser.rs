//! `cargo xtask browser` builds the package `js/ringjet-client`: it compiles the client to
//! WebAssembly, writes the JavaScript around it, and makes it smaller.

use std::fs;

use crate::build::target;
use crate::gate::{Outcome, Step, all_pass, cargo, command, exists, passes, root};
use crate::targets;

/// The target of browsers.
pub const TARGET: &str = "wasm32-unknown-unknown";
const PACKAGE: &str = "js/ringjet-client/wasm";
/// What the compiled code uses. Browsers have had all of it since 2022.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];
/// Older versions of wasm-opt write tables that browsers refuse.
const LEAST_WASM_OPT: u32 = 116;

/// The steps, in order.
pub fn all() -> Vec<Step> {
    let step = |name, run| Step { name, quick: true, run };
    vec![step("compile", compile), step("smaller", smaller)]
}

fn compile() -> Outcome {
    if !targets::has(TARGET) {
        return Outcome::Failed(targets::missing(TARGET));
    }
    let version = match locked_version() {
        Ok(version) => version,
        Err(why) => return Outcome::Failed(why),
    };
    let found = command("wasm-bindgen", &["--version"]).output();
    let found = found.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    if found != format!("wasm-bindgen {version}") {
        let found = if found.is_empty() { "not installed".into() } else { format!("here as {found:?}") };
        let how = format!("cargo install wasm-bindgen-cli --version {version}");
        return Outcome::Failed(format!("wasm-bindgen {version} is {found}: {how}"));
    }
    let compiled = target().join(TARGET).join("browser/ringjet_wasm.wasm").display().to_string();
    all_pass([
        cargo(&["build", "--quiet", "--package", "ringjet-wasm", "--target", TARGET, "--profile", "browser"]),
        command("wasm-bindgen", &["--target", "web", "--no-typescript", "--out-dir", PACKAGE, &compiled]),
    ])
}

/// The version of wasm-bindgen in `Cargo.lock`, which its command must have.
fn locked_version() -> Result<String, String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let after = lock.split_once("name = \"wasm-bindgen\"\nversion = \"").map(|(_, rest)| rest);
    let version = after.and_then(|rest| rest.split_once('"')).map(|(version, _)| version.to_owned());
    version.ok_or_else(|| "Cargo.lock has no wasm-bindgen".into())
}

fn smaller() -> Outcome {
    let file = format!("{PACKAGE}/ringjet_wasm_bg.wasm");
    let outcome = match wasm_opt() {
        Ok(()) => passes(command("wasm-opt", &[&["-O3"], &FEATURES[..], &[&file, "-o", &file]].concat())),
        Err(why) => Outcome::Skipped(why),
    };
    let size = fs::metadata(root().join(&file)).map_or(0, |m| m.len());
    let zipped = command("gzip", &["-9", "--stdout", &file]).output().map_or(0, |o| o.stdout.len());
    println!("{file}: {size} bytes, {zipped} with gzip");
    outcome
}

/// Whether there is a wasm-opt that is new enough.
fn wasm_opt() -> Result<(), String> {
    if !exists("wasm-opt", &["--version"]) {
        return Err("wasm-opt does not run (npm install --global binaryen)".into());
    }
    let text = command("wasm-opt", &["--version"]).output().map(|o| o.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let version = text.split_whitespace().find_map(|word| word.parse::<u32>().ok()).unwrap_or(0);
    if version < LEAST_WASM_OPT {
        return Err(format!(
            "wasm-opt is version {version}, and {LEAST_WASM_OPT} is needed (npm install --global binaryen)"
        ));
    }
    Ok(())
}
