//! The steps `c` and `go`: the examples of the C interface are built against the gate's library, and run.

use std::fs;

use crate::build::{target, workspace};
use crate::gate::{Outcome, all_pass, command, exists, root};

const HEADER: &str = "crates/ringjet-c/include/ringjet.h";
const PROGRAM: &str = "examples/c/score.program";

/// Compiles the header as C and C++, and builds and runs the example in C.
pub fn c() -> Outcome {
    if !exists("cc", &["--version"]) || !exists("c++", &["--version"]) {
        return Outcome::Skipped("no compiler: cc and c++ do not both run".into());
    }
    let (example, files) = (built("score-c"), target().join("foreign/files"));
    // the example makes a new secret key, which it does not write over an old one
    let _ = fs::remove_dir_all(&files);
    if let Err(e) = fs::create_dir_all(&files) {
        return Outcome::Failed(format!("{}: {e}", files.display()));
    }
    const STRICT: [&str; 3] = ["-Wall", "-Wextra", "-Werror"];
    let include = format!("-I{}", root().join(HEADER).parent().unwrap_or(&root()).display());
    let library = linked();
    let sources = ["-std=c99", "-pedantic", &include, "examples/c/score.c", "-o", &example];
    let libraries = [&library[0], &library[1], "-lringjet_c", "-lm"];
    let as_cpp = ["-x", "c++", "-std=c++11", "-fsyntax-only", HEADER];
    all_pass([
        workspace("build", &["--quiet", "--lib"]),
        command("c++", &[&STRICT[..], &as_cpp].concat()),
        command("cc", &[&STRICT[..], &sources, &libraries].concat()),
        command(&example, &[PROGRAM, &files.display().to_string()]),
    ])
}

/// Builds and runs the example in Go.
pub fn go() -> Outcome {
    if !exists("go", &["version"]) || !exists("cc", &["--version"]) {
        return Outcome::Skipped("go and cc do not both run".into());
    }
    let example = built("score-go");
    if let Err(e) = fs::create_dir_all(target().join("foreign")) {
        return Outcome::Failed(format!("target/foreign: {e}"));
    }
    let in_folder = |args: &[&str]| {
        let mut go = command("go", args);
        go.current_dir(root().join("examples/go")).env("CGO_ENABLED", "1").env("CGO_LDFLAGS", linked().join(" "));
        go
    };
    all_pass([
        workspace("build", &["--quiet", "--lib"]),
        in_folder(&["vet", "."]),
        in_folder(&["build", "-buildvcs=false", "-o", &example, "."]),
        command(&example, &[PROGRAM]),
    ])
}

/// Where the program of an example is built.
fn built(name: &str) -> String {
    target().join("foreign").join(name).display().to_string()
}

/// Arguments of a linker that finds the library of the gate's build, also when the program starts.
fn linked() -> [String; 2] {
    let folder = target().join("debug").display().to_string();
    [format!("-L{folder}"), format!("-Wl,-rpath,{folder}")]
}
