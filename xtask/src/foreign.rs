//! The steps `c` and `go`: the examples of the C interface are built against the gate's library, and run.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use crate::build::{target, workspace};
use crate::gate::{Outcome, all_pass, command, exists, passes, root};

const HEADER: &str = "crates/ringjet-c/include/ringjet.h";
const PROGRAM: &str = "examples/c/score.program";
/// Names of the shared library, one for each system.
const LIBRARIES: [&str; 3] = ["libringjet_c.so", "libringjet_c.dylib", "ringjet_c.dll"];
/// The first version of Go that builds the example: `examples/go/go.mod` states it.
const GO: (u32, u32) = (1, 21);

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

/// Builds and runs the example in Go. The version of Go that is here is used: no other one is downloaded.
pub fn go() -> Outcome {
    if let Err(why) = expect_go() {
        return Outcome::Skipped(why);
    }
    if let failed @ Outcome::Failed(_) = passes(workspace("build", &["--quiet", "--lib"])) {
        return failed;
    }
    let example = built("score-go");
    let flags = empty_place(&example).and_then(|()| Ok((c_flags()?, quoted(&linked())?)));
    let (c_flags, linker_flags) = match flags {
        Ok(flags) => flags,
        Err(e) => return Outcome::Failed(e.to_string()),
    };
    let in_folder = |args: &[&str]| {
        let mut go = command("go", args);
        go.current_dir(root().join("examples/go"));
        go.envs([("CGO_ENABLED", "1"), ("GOTOOLCHAIN", "local")]);
        go.envs([("CGO_CFLAGS", &c_flags), ("CGO_LDFLAGS", &linker_flags)]);
        go
    };
    all_pass([
        in_folder(&["vet", "."]),
        in_folder(&["build", "-buildvcs=false", "-o", &example, "."]),
        command(&example, &[PROGRAM]),
    ])
}

/// The reason why the example in Go cannot be built here.
fn expect_go() -> Result<(), String> {
    let found = command("go", &["version"]).env("GOTOOLCHAIN", "local").output();
    let Some(found) = found.ok().filter(|found| found.status.success()) else {
        return Err("go does not run".into());
    };
    if !exists("cc", &["--version"]) {
        return Err("no compiler: cc does not run".into());
    }
    let found = String::from_utf8_lossy(&found.stdout);
    match go_version(&found) {
        Some(version) if version >= GO => Ok(()),
        _ => Err(format!("{}: the example needs go{}.{} or later", found.trim(), GO.0, GO.1)),
    }
}

/// The version in the output of `go version`, such as "go version go1.26.8 linux/amd64".
fn go_version(output: &str) -> Option<(u32, u32)> {
    output.split_whitespace().find_map(|word| {
        let (major, rest) = word.strip_prefix("go")?.split_once('.')?;
        let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    })
}

/// Makes the folder of a program that is to be built, and removes an older one. Go would keep it although the
/// library is another one, as long as its own objects are the same.
fn empty_place(program: &str) -> io::Result<()> {
    fs::create_dir_all(target().join("foreign"))?;
    match fs::remove_file(program) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Flags for the compiler of C. Go's cache of builds knows neither the header nor the library, so they are in a flag.
fn c_flags() -> io::Result<String> {
    let mut hash = DefaultHasher::new();
    fs::read(root().join(HEADER))?.hash(&mut hash);
    for library in LIBRARIES.map(|name| target().join("debug").join(name)) {
        if let Ok(found) = fs::metadata(library) {
            (found.len(), found.modified()?).hash(&mut hash);
        }
    }
    // the first two are Go's defaults
    Ok(format!("-g -O2 -DRJ_HEADER_HASH=0x{:016x}", hash.finish()))
}

/// Flags as one text, in which Go finds them again: a flag with spaces is within quotes, and Go knows no escapes.
fn quoted(flags: &[String]) -> io::Result<String> {
    let quote = |flag: &String| match (flag.contains(char::is_whitespace), flag.contains('\''), flag.contains('"')) {
        (false, false, false) => Ok(flag.clone()),
        (_, false, _) => Ok(format!("'{flag}'")),
        (_, true, false) => Ok(format!("\"{flag}\"")),
        (_, true, true) => Err(io::Error::other(format!("{flag}: Go takes no flag with quotes of both kinds"))),
    };
    Ok(flags.iter().map(quote).collect::<io::Result<Vec<_>>>()?.join(" "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_go() {
        assert_eq!(go_version("go version go1.26.8 linux/amd64"), Some((1, 26)));
        assert_eq!(go_version("go version go1.21rc2 darwin/arm64"), Some((1, 21)));
        assert_eq!(go_version("go version devel go1.27-83ef0a2 Mon Nov 30 linux/amd64"), Some((1, 27)));
        assert_eq!(go_version("go version go1.9 linux/amd64").map(|version| version >= GO), Some(false));
        assert_eq!(go_version("gccgo (GCC) 14.2"), None);
    }

    #[test]
    fn flags_with_spaces_are_quoted() {
        let quoted = |flags: [&str; 2]| quoted(&flags.map(String::from)).map_err(|e| e.to_string());
        assert_eq!(quoted(["-L/a", "-Wl,-rpath,/a"]), Ok("-L/a -Wl,-rpath,/a".into()));
        assert_eq!(quoted(["-L/a b", "-L/a"]), Ok("'-L/a b' -L/a".into()));
        assert_eq!(quoted(["-L/it's", "-L/\""]), Ok("\"-L/it's\" '-L/\"'".into()));
        assert!(quoted(["-L/'\"", ""]).is_err());
    }
}
