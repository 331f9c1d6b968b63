//! The C sources say nothing that a DPU's compiler would take otherwise than the host's: `long` has
//! 64 bits there, pointers have 32, and MRAM is an address space of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("dpu")
}

/// C sources and headers in a folder and its subfolders, except the shim's.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| path.file_name() != Some(OsStr::new("shim")))
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "h"))
        .collect();
    found.sort();
    found
}

#[test]
fn integers_have_stated_sizes() {
    let files = sources(&folder());
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let word = code.split(|c: char| !c.is_alphanumeric() && c != '_').find(|w| ["long", "short"].contains(w));
            assert_eq!(word, None, "{}:{}: {line}", file.display(), number + 1);
        }
    }
}

/// The builds of `file`: the switches of each line of a list.
fn builds(list: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder().join(list)).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().skip(1).map(|switch| format!("-D{switch}")).collect()).collect()
}

/// What clang says of a file for a machine with pointers of 32 bits, where MRAM is an address space.
fn complaints(clang: &OsStr, file: &Path, switches: &[String]) -> String {
    let output = Command::new(clang)
        .args(["--target=i386-unknown-none", "-fsyntax-only", "-std=gnu11", "-ffreestanding"])
        .args(["-Werror=incompatible-pointer-types", "-Werror=int-conversion", "-ferror-limit=3"])
        .args([
            "-D__mram_ptr=__attribute__((address_space(255)))",
            "-DPROGRAM_SYMBOL=symbol",
            "-DPROGRAM_NAME=\"name\"",
        ])
        .args(switches)
        .arg("-I")
        .arg(folder())
        .arg("-I")
        .arg(folder().join("shim"))
        .arg(file)
        .output()
        .unwrap();
    assert_eq!(output.status.success(), output.stderr.is_empty() || !text(&output.stderr).contains("error:"));
    text(&output.stderr)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn pointers_to_mram_are_no_pointers_to_wram() {
    let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
    if Command::new(&clang).arg("--version").output().is_err() {
        eprintln!("skipped: there is no clang, and CLANG names none");
        return;
    }
    // the check finds what it looks for
    let wrong = env::temp_dir().join(format!("ringjet_mram_{}.c", std::process::id()));
    fs::write(&wrong, "#include <defs.h>\nvoid* f(void) { return DPU_MRAM_HEAP_POINTER; }\n").unwrap();
    let found = complaints(&clang, &wrong, &[]);
    fs::remove_file(&wrong).unwrap();
    assert!(found.contains("address space"), "{found}");
    for (file, list) in [
        ("program.c", "rungs.txt"),
        ("program.c", "layouts.txt"),
        ("coefficients/program.c", "coefficients/builds.txt"),
    ] {
        for switches in builds(list) {
            for dpu in [None, Some("-DDPU".to_owned())] {
                let all: Vec<String> = switches.iter().cloned().chain(dpu).collect();
                let found = complaints(&clang, &folder().join(file), &all);
                assert!(!found.contains("error:"), "{file} {all:?}\n{found}");
            }
        }
    }
}
