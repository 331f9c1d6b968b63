//! The conformance suite of `ringjet-backend` on the emulator: the GPU's own kernels.

use ringjet_backend::conformance::{BigShape, Chain, Options, run};
use ringjet_cuda::CudaBackend;

fn conforms(options: &Options, least: usize) {
    match run(&CudaBackend::emulated(), options) {
        Ok(report) => assert!(report.checks > least, "{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// Every shape, on rings for which it is done in seconds.
#[test]
fn the_whole_suite_on_small_rings() {
    conforms(&Options { log_ns: vec![3, 4, 5], ..Options::default() }, 1000);
}

fn options(log_ns: Vec<u32>) -> Options {
    Options {
        log_ns,
        seed: 2,
        bases: vec![vec![50, 61]],
        chains: vec![Chain { p: vec![60, 50], q: vec![60, 50, 40], alpha: 2 }],
        bigs: vec![BigShape { bits: [60, 120], shift: 60, prime: 50, most_log_n: 11 }],
    }
}

/// Rings of one row, of rounds of each size in the columns, and of one and a half rounds.
#[test]
fn rings_up_to_8192() {
    conforms(&options(vec![8, 9, 10]), 1000);
    conforms(&Options { chains: vec![], bigs: vec![], ..options(vec![11, 12, 13]) }, 500);
}

/// With key switches and big coefficients: two minutes.
#[test]
#[ignore = "two minutes"]
fn rings_up_to_8192_in_full() {
    conforms(&options(vec![11, 12, 13]), 1000);
}
