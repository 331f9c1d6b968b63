//! The conformance suite of `ringjet-backend` on every path this machine has.

use std::sync::Arc;

use ringjet_backend::conformance::{BigShape, Chain, Options, run};
use ringjet_backend::{Backend, BackendError};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};

fn conforms(path: Path, threads: usize, options: &Options) {
    if Path::best() < path {
        eprintln!("skipped: no {path:?} here, or the environment forbids it");
        return;
    }
    let backend = CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap();
    match run(&backend, options) {
        Ok(report) => assert!(report.checks > 1000, "{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

#[test]
fn scalar() {
    conforms(Path::Scalar, 1, &Options::default());
}

#[test]
fn avx512() {
    conforms(Path::Avx512, 1, &Options::default());
}

#[test]
fn ifma() {
    conforms(Path::Ifma, 1, &Options::default());
}

/// Large enough for work to be shared: every tile and limb is some thread's.
#[test]
fn with_threads() {
    let bits = |n: usize| vec![50; n];
    let options = Options {
        log_ns: vec![12],
        seed: 2,
        bases: vec![vec![50, 60, 40]],
        chains: vec![
            Chain { p: bits(3), q: bits(7), alpha: 3 },
            Chain { p: vec![60; 2], q: vec![60, 50, 60], alpha: 2 },
        ],
        bigs: vec![BigShape { bits: [60, 120], shift: 60, prime: 50, most_log_n: 12 }],
    };
    for path in [Path::Scalar, Path::Avx512, Path::Ifma] {
        conforms(path, 3, &Options { seed: 2, ..options.clone() });
    }
}

#[test]
fn a_path_that_is_not_there_is_refused() {
    if Path::best() < Path::Ifma {
        let refused = CpuBackend::new(CpuConfig { threads: 1, path: Some(Path::Ifma) });
        assert!(matches!(refused, Err(BackendError::Device { .. })));
    }
    let best: Arc<dyn Backend> = Arc::new(CpuBackend::new(CpuConfig::default()).unwrap());
    assert!(best.id().name().starts_with("cpu-"));
}
