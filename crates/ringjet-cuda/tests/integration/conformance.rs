//! The conformance suite of `ringjet-backend` on the emulator: the GPU's own kernels, in every arithmetic.

use crate::own::own;
use ringjet_backend::conformance::{Chain, Options, run};
use ringjet_cuda::{Arithmetic, CudaBackend};

fn conforms(backend: &CudaBackend, options: &Options, least: usize) {
    match run(backend, options) {
        Ok(report) => assert!(report.checks > least, "{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// Every shape, on rings for which it is done in seconds. Primes of all sizes: each operation chooses its arithmetic.
#[test]
fn the_whole_suite_on_small_rings() {
    conforms(&CudaBackend::emulated(), &Options { log_ns: vec![3, 5], ..Options::default() }, 1000);
}

/// A small ring, which has a kernel of its own, and one of a row; those of several rows are in `transforms.rs`.
fn small_rings(a: Arithmetic) {
    let backend = CudaBackend::emulated().with_arithmetic(a);
    conforms(&backend, &own(a, vec![5]), 100);
    let row = own(a, vec![9]);
    conforms(&backend, &Options { chains: row.chains[1..].to_vec(), ..row }, 100);
}

#[test]
fn small_rings_in_u32() {
    small_rings(Arithmetic::U32);
}

#[test]
fn small_rings_in_u32_unsigned() {
    small_rings(Arithmetic::U32Unsigned);
}

#[test]
fn small_rings_in_f64() {
    small_rings(Arithmetic::F64);
}

#[test]
fn small_rings_in_u64_below_50() {
    small_rings(Arithmetic::U64Below50);
}

#[test]
fn small_rings_in_u64_below_61() {
    small_rings(Arithmetic::U64Below61);
}

/// All rings up to 2^13, in the arithmetics that primes of 50 bits may get.
fn rings_up_to_8192(a: Arithmetic) {
    let b = a.bits();
    let options = Options {
        log_ns: vec![4, 6, 7, 8, 10, 11, 12, 13],
        bases: vec![vec![b, 20, b]],
        chains: vec![Chain { p: vec![b, b], q: vec![b; 3], alpha: 2 }],
        bigs: vec![],
        ..own(a, vec![])
    };
    conforms(&CudaBackend::emulated().with_arithmetic(a), &options, 300);
}

#[test]
fn rings_up_to_8192_in_f64() {
    rings_up_to_8192(Arithmetic::F64);
}

#[test]
fn rings_up_to_8192_in_u64_below_50() {
    rings_up_to_8192(Arithmetic::U64Below50);
}

/// Every shape that this arithmetic's primes fit, and rings of rounds of each size in the columns.
fn in_full(a: Arithmetic) {
    let backend = CudaBackend::emulated().with_arithmetic(a);
    conforms(&backend, &Options { log_ns: vec![3, 4, 5, 8], ..Options::default() }, 1000);
    conforms(&backend, &own(a, vec![8, 9, 10, 11, 12, 13]), 300);
}

#[test]
#[ignore = "minutes"]
fn u32_in_full() {
    in_full(Arithmetic::U32);
}

#[test]
#[ignore = "minutes"]
fn u32_unsigned_in_full() {
    in_full(Arithmetic::U32Unsigned);
}

#[test]
#[ignore = "minutes"]
fn f64_in_full() {
    in_full(Arithmetic::F64);
}

#[test]
#[ignore = "minutes"]
fn u64_below_50_in_full() {
    in_full(Arithmetic::U64Below50);
}

#[test]
#[ignore = "minutes"]
fn u64_below_61_in_full() {
    in_full(Arithmetic::U64Below61);
}
