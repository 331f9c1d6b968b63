//! The conformance suite of `ringjet-backend` on every path this machine has.

use std::sync::Arc;

use ringjet_backend::conformance::{BigShape, Chain, Options, run};
use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{Backend, BackendError, Buf, KeySwitch, KeySwitchInput, Unfused};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;

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

/// Residues that repeat after some billions of words.
fn residues(b: &CpuBackend, polys: usize, basis: &Basis, state: &mut u64) -> Buf {
    let mut buf = b.alloc(polys * basis.len(), basis.n()).unwrap();
    for limb in 0..polys * basis.len() {
        let q = basis.modulus(limb % basis.len()).value();
        let word = |_| {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*state >> 2) % q
        };
        b.upload(&mut buf, limb, &(0..basis.n()).map(word).collect::<Vec<u64>>()).unwrap();
    }
    buf
}

/// A rotation whose result, 2 MiB, goes past the caches, against one made of the unfused operations. Of the primes some are
/// for each kind of kernel.
#[test]
fn rotations_with_large_results() {
    const LOG_N: u32 = 14;
    let primes = |bits, count| ntt_primes(LOG_N, bits, count, &[]).unwrap();
    let all = Basis::new(LOG_N, &[primes(50, 6), primes(60, 4)].concat()).unwrap();
    let (p, q) = (all.select([0, 6]), all.select([1, 2, 3, 4, 5, 7, 8, 9]));
    let plan = ModUpPlan::new(&p, &q, 2);
    let division = DivisionPlan::new(&plan.extended, &[0, 1]);
    let automorphism = AutomorphismPlan::new(LOG_N, 25, Domain::Evaluation);
    for (path, threads) in [(Path::Scalar, 1), (Path::Avx512, 1), (Path::Ifma, 1), (Path::Ifma, 3)] {
        if Path::best() < path {
            eprintln!("skipped: no {path:?} here, or the environment forbids it");
            continue;
        }
        let b = CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap();
        let mut state = 1;
        let src = residues(&b, 2, &q, &mut state);
        let key = residues(&b, 2 * plan.beta(), &plan.extended, &mut state);
        let rotate = |on: &dyn Backend| {
            let mut dst = b.alloc(2 * q.len(), q.n()).unwrap();
            let switch = KeySwitch {
                input: KeySwitchInput::Polynomial(src.view(2).poly(1)),
                key: key.view(2 * plan.beta()),
                mod_up: &plan,
                division: &division,
                add: Some(src.view(2).poly(0)),
                automorphism: Some(&automorphism),
            };
            on.key_switch(dst.view_mut(2), &switch).unwrap();
            let mut words = vec![0; 2 * q.len() * q.n()];
            b.download(&dst, 0, &mut words).unwrap();
            words
        };
        assert!(rotate(&b) == rotate(&Unfused(&b)), "{path:?}, {threads} threads");
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
