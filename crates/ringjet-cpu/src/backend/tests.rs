//! Runs the conformance suite with the settings that differ in unit tests: groups of few primes,
//! and three rotations in a batch.

use ringjet_backend::conformance::{Chain, Options, run};

use super::*;

/// Compares key switches in several groups, on one thread and on three, with the reference.
#[test]
fn several_groups_agree_with_the_reference() {
    let bits = |n: usize| vec![50; n];
    let chains = vec![Chain { p: bits(2), q: bits(5), alpha: 2 }, Chain { p: vec![60], q: vec![60, 50, 40], alpha: 1 }];
    let options = Options { log_ns: vec![12], seed: 3, bases: vec![], chains, bigs: vec![] };
    for (path, threads) in [(Path::Scalar, 3), (Path::Fma, 3), (Path::Avx512, 3), (Path::Ifma, 1), (Path::Ifma, 3)] {
        if !Path::usable().any(|usable| usable == path) {
            println!("skipped: no {path:?} here, or the environment forbids it");
            continue;
        }
        let backend = CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap();
        match run(&backend, &options) {
            Ok(report) => assert!(report.checks > 100, "{report}"),
            Err(failure) => panic!("{path:?}, {threads} threads: {failure}"),
        }
    }
}
