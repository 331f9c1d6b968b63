//! Options of the conformance suite for one arithmetic.

use ringjet_backend::Width;
use ringjet_backend::conformance::{BigShape, Chain, Options};
use ringjet_cuda::Arithmetic;

/// Options with the largest primes that the arithmetic takes, and with more terms in a sum than
/// double precision can add without `fold`.
pub fn options_for(a: Arithmetic, log_ns: Vec<u32>) -> Options {
    let b = a.bits();
    let big = BigShape { bits: [60, 120], shift: 60, prime: b, most_log_n: 11 };
    // several digits, and primes whose product has many bits more than a sum of products of digits
    let long = BigShape { bits: [300, 600], shift: 300, prime: if b == 50 { 40 } else { b }, most_log_n: 11 };
    Options {
        log_ns,
        seed: 2,
        bases: vec![vec![b, 20, b], vec![b; 3]],
        chains: vec![
            Chain { p: vec![b; 10], q: vec![b; 10], alpha: 9 },
            Chain { p: vec![b, b], q: vec![b; 4], alpha: 2 },
        ],
        bigs: if a.width() == Width::Eight { vec![big, long] } else { vec![] },
    }
}
