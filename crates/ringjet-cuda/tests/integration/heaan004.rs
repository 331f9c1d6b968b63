//! Runs `bench/gpu/heaan004.cu` on the emulator: at small sizes each of its variants must give what
//! big integers give.

use std::path::Path;
use std::process::Command;
use std::{env, process};

/// log N, log q and log Q: the last limbs are full or hold few bits, P has up to 44 words, and the
/// numbers of primes do not divide evenly into blocks.
const SIZES: [[&str; 3]; 4] = [["10", "90", "90"], ["6", "61", "93"], ["7", "64", "96"], ["6", "423", "450"]];
const SEED: &str = "4";

#[test]
fn every_variant_gives_what_big_integers_give() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("heaan004-{}", process::id()));
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(&compiler);
    command.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-pthread", "-x", "c++"]);
    command.arg("-include").arg(own.join("emulator/shim.h")).arg("-I").arg(own.join("kernels"));
    command.arg(own.join("../../bench/gpu/heaan004.cu")).args(["-x", "none"]);
    command.arg(Path::new(env!("OUT_DIR")).join("libringjet_emulator.a")).arg("-o").arg(&program);
    let output = command.output().unwrap_or_else(|e| panic!("{}: {e}", compiler.display()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{said}");
    for size in SIZES {
        let output = Command::new(&program).arg("check").args(size).arg(SEED).output().unwrap();
        let [said, progress] = [&output.stdout, &output.stderr].map(|o| String::from_utf8_lossy(o));
        let [log_n, log_q, log_big_q] = size;
        let expected = format!(
            "{{\"checked\":{{\"log_n\":{log_n},\"log_q\":{log_q},\"log_big_q\":{log_big_q},\"seed\":{SEED}}}}}\n"
        );
        assert!(output.status.success() && said == expected, "{size:?}: {}\n{said}{progress}", output.status);
        // for each choice of primes: two CRT, transforms, two iCRT and five multiplications
        assert_eq!(progress.lines().count(), 2 * 10, "{progress}");
    }
    std::fs::remove_file(program).unwrap();
}
