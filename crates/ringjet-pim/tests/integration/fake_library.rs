//! The path through a library that is found at run time. The library is the emulator under the
//! vendor's names.

use std::path::{Path, PathBuf};
use std::process::{self, Command as Process};
use std::sync::Arc;
use std::{env, fs};

use ringjet_pim::{Command, DpuSet, Hardware, Host, Layout, PimError, Rung};

use crate::support::{PRIMES, table};

/// Builds a library with these vendor functions, each of which is one of the emulator.
fn library(name: &str, left_out: &str) -> PathBuf {
    const FUNCTIONS: [&str; 13] = [
        "dpu_alloc",
        "dpu_free",
        "dpu_get_nr_dpus",
        "dpu_load",
        "dpu_prepare_xfer",
        "dpu_push_xfer",
        "dpu_broadcast_to",
        "dpu_copy_to",
        "dpu_copy_from",
        "dpu_launch",
        "dpu_sync",
        "dpu_set_dpu_iterator_from",
        "dpu_set_dpu_iterator_next",
    ];
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", process::id()));
    let archives = ["ringjet_pim_emulator", "ringjet_pim_programs"];
    let archives = archives.map(|name| Path::new(env!("OUT_DIR")).join(format!("lib{name}.a")));
    let mut command = Process::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    command.args(["-shared", "-pthread", "-Wl,-Bsymbolic", "-o"]).arg(&to);
    for function in FUNCTIONS.iter().filter(|&&f| f != left_out) {
        command.arg(format!("-Wl,--defsym={function}=ringjet_pim_{function}"));
    }
    command.arg("-Wl,--whole-archive").args(archives).arg("-Wl,--no-whole-archive");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    to
}

fn transform(host: &Arc<Host>) -> (Vec<u64>, Vec<u32>) {
    let rung = Rung::named("resident").unwrap();
    let table = table(PRIMES[2], 12);
    let layout = Layout::new(rung, &table, &[], 2, 2).unwrap();
    let mut dpus = DpuSet::new(host, 70, Hardware::default()).unwrap(); // two ranks
    dpus.load(&format!("/some/folder/{}.dpu", rung.name)).unwrap();
    let commands = [Command::Forward { out: 1 }, Command::ToPositions(1..2)];
    dpus.broadcast(0, &layout.words(&commands).unwrap()).unwrap();
    let rows: Vec<Vec<u32>> = (0..70).map(|dpu| (0..4096).map(|i| i * (dpu + 1)).collect()).collect();
    dpus.scatter(layout.polynomial(1), &rows).unwrap();
    let cycles = dpus.launch().unwrap();
    let mut results = rows.clone();
    dpus.gather(layout.polynomial(1), &mut results).unwrap();
    let mut expected: Vec<u64> = rows[69].iter().map(|&v| v.into()).collect();
    table.forward(&mut expected);
    assert!(results[69].iter().map(|&v| u64::from(v)).eq(expected));
    (cycles, results[0].clone())
}

#[test]
fn a_library_does_what_the_emulator_does() {
    let path = library("libdpu.so", "");
    let host = Host::open_library(path.as_os_str()).unwrap();
    assert!(!host.is_emulator());
    assert_eq!(transform(&host), transform(&Host::emulator()));
    // it says that a DPU is in fault, but not why
    let mut dpus = DpuSet::new(&host, 1, Hardware::default()).unwrap();
    dpus.load("probe").unwrap();
    dpus.broadcast(0, &[5, 0]).unwrap();
    assert_eq!(dpus.launch(), Err(PimError::UnknownFault));
    assert_eq!(dpus.profile(0), Ok(None));
    drop(dpus);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_library_without_a_function_is_refused() {
    let path = library("incomplete-libdpu.so", "dpu_sync");
    let error = Host::open_library(path.as_os_str()).unwrap_err();
    let name = path.to_string_lossy().into_owned();
    assert_eq!(error, PimError::NoSymbol { path: name, symbol: "dpu_sync".to_owned() });
    fs::remove_file(path).unwrap();
}

#[test]
fn a_missing_library_is_named() {
    let error = Host::open_library("/nowhere/libdpu.so".as_ref()).unwrap_err();
    assert!(matches!(&error, PimError::NoLibrary { path, .. } if path == "/nowhere/libdpu.so"));
    assert!(error.to_string().contains("RINGJET_UPMEM_LIB"), "{error}");
}
