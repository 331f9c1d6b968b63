//! Runs the conformance suite of `ringjet-backend` on the emulator, once for each [`Arithmetic`].
//! The emulator runs the source of the GPU's kernels, so this tests those kernels.

use crate::suite::options_for;
use ringjet_backend::Width;
use ringjet_backend::conformance::{Chain, Options, run};
use ringjet_cuda::{Arithmetic, CudaBackend};

fn conforms(backend: &CudaBackend, options: &Options, least: usize) {
    match run(backend, options) {
        Ok(report) => assert!(report.checks > least, "{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// Every shape of the suite, on rings small enough to take seconds. The primes have all sizes, so
/// that each operation chooses its arithmetic.
#[test]
fn the_whole_suite_on_small_rings() {
    conforms(&CudaBackend::emulated(), &Options { log_ns: vec![5], ..Options::default() }, 500);
}

/// Many shapes on rings small enough to take seconds, with residues of fewer bytes.
#[test]
fn narrow_words_on_small_rings() {
    for width in [Width::Four, Width::Six] {
        let options = Options { log_ns: vec![5], ..Options::of_width(width) };
        conforms(&CudaBackend::emulated().with_width(width), &options, 250);
    }
}

/// A small ring, which has its own kernel, and a ring of one row. `transforms.rs` and `large_rings.rs`
/// test rings of several rows, `products.rs` products of big coefficients in them.
fn small_rings(a: Arithmetic) {
    let backend = CudaBackend::emulated().with_arithmetic(a);
    conforms(&backend, &options_for(a, vec![4]), 100);
    let row = options_for(a, vec![9]);
    let (bases, chains) = (row.bases[..1].to_vec(), row.chains[1..].to_vec());
    conforms(&backend, &Options { bases, chains, bigs: vec![], ..row }, 60);
}

tests! {
    small_rings:
    small_rings_in_u32(Arithmetic::U32);
    small_rings_in_u32_unsigned(Arithmetic::U32Unsigned);
    small_rings_in_f64(Arithmetic::F64);
    small_rings_in_u64_below_50(Arithmetic::U64Below50);
    small_rings_in_u64_below_61(Arithmetic::U64Below61);
    small_rings_in_f64_below_48(Arithmetic::F64Below48);
    small_rings_in_u64_below_48(Arithmetic::U64Below48);
}

/// One basis and one chain, in rings of other forms than those of [`small_rings`].
fn rings(a: Arithmetic, log_ns: &[u32]) {
    let b = a.bits();
    let options = Options {
        bases: vec![vec![b, 20, b]],
        chains: vec![Chain { p: vec![b, b], q: vec![b; 3], alpha: 2 }],
        bigs: vec![],
        ..options_for(a, log_ns.to_vec())
    };
    conforms(&CudaBackend::emulated().with_arithmetic(a), &options, 60 * log_ns.len());
}

#[test]
fn rings_with_columns_in_f64() {
    rings(Arithmetic::F64, &[7, 10]);
}

#[test]
fn rings_with_columns_in_u32() {
    rings(Arithmetic::U32, &[10]);
}

/// Rings of every form, in the arithmetics that the backend may choose for primes of 50 bits.
#[test]
#[ignore = "minutes: make test-full"]
fn rings_of_every_form() {
    for a in [Arithmetic::F64, Arithmetic::U64Below50, Arithmetic::F64Below48, Arithmetic::U64Below48, Arithmetic::U32]
    {
        rings(a, &[4, 6, 7, 8, 10, 11, 12]);
    }
}

/// Every shape with primes that fit this arithmetic, and rings whose columns have rounds of every
/// size.
fn in_full(a: Arithmetic) {
    let backend = CudaBackend::emulated().with_arithmetic(a);
    conforms(&backend, &Options { log_ns: vec![3, 4, 5, 8], ..Options::of_width(a.width()) }, 500);
    conforms(&backend, &options_for(a, vec![8, 9, 10, 11, 12, 13]), 300);
}

tests! {
    ignored "minutes: make test-full" in_full:
    u32_in_full(Arithmetic::U32);
    u32_unsigned_in_full(Arithmetic::U32Unsigned);
    f64_in_full(Arithmetic::F64);
    u64_below_50_in_full(Arithmetic::U64Below50);
    u64_below_61_in_full(Arithmetic::U64Below61);
    f64_below_48_in_full(Arithmetic::F64Below48);
    u64_below_48_in_full(Arithmetic::U64Below48);
}
