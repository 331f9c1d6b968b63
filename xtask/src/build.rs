//! The gate's one build. All steps ask cargo for the same packages with the same features, so that nothing is compiled twice.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::gate::{Outcome, cargo, passes, root};

/// The features of the gate's build: counters of kernel calls, the GPU kernels' arithmetic
/// compiled for this machine, and the wrong word of the step `gpu-rehearsal`, which only appears if
/// the environment asks for it. Code without counters is tested from Python, because the wheel is
/// built without features.
const FEATURES: [&str; 2] = [
    "--features",
    "ringjet-cpu/instrument,ringjet-model/instrument,ringjet-cuda/host-arith,ringjet-cuda/planted-fault",
];

/// A cargo command for the whole workspace.
pub fn workspace(subcommand: &str, more: &[&str]) -> Command {
    cargo(&[&[subcommand, "--workspace"], &FEATURES[..], more].concat())
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from))
}

/// Builds a program of the workspace and returns its path.
pub fn program(name: &str) -> Result<String, String> {
    match passes(workspace("build", &["--quiet", "--bin", name])) {
        Outcome::Failed(why) => Err(why),
        _ => Ok(target().join("debug").join(name).display().to_string()),
    }
}

/// The folder in which a package's build script has put its files.
pub fn out_dir(package: &str) -> Result<String, String> {
    let messages = messages(workspace("build", &["--bin", "ringjet"]))?;
    let ran = |line: &&str| line.contains("\"build-script-executed\"") && line.contains(&format!("/{package}#"));
    let found = messages.lines().filter(ran).find_map(|line| field(line, "out_dir"));
    found.map(str::to_owned).ok_or_else(|| format!("the build script of {package} did not run"))
}

/// Builds and returns cargo's messages.
fn messages(mut build: Command) -> Result<String, String> {
    build.args(["--quiet", "--message-format", "json"]);
    let output = build.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("the build failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds the test programs of these packages. Returns each with the folder of its package.
pub fn tests(packages: &[&str]) -> Result<Vec<(PathBuf, String)>, String> {
    let messages = messages(workspace("test", &["--no-run"]))?;
    let found = messages.lines().filter_map(|line| {
        let manifest = field(line, "manifest_path")?;
        let folder = Path::new(manifest).parent()?.to_owned();
        let wanted = packages.iter().any(|p| folder.ends_with(p)) && line.contains("\"test\":true");
        wanted.then(|| Some((folder, field(line, "executable")?.to_owned())))?
    });
    Ok(found.collect())
}

/// The string value of a field in one of cargo's messages. Paths with JSON escapes are not
/// supported.
fn field<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = message.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_of_messages() {
        let message = r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/a/Cargo.toml","executable":null}"#;
        assert_eq!(super::field(message, "manifest_path"), Some("/r/crates/a/Cargo.toml"));
        assert_eq!(super::field(message, "executable"), None);
    }
}
