//! The conformance suite of `ringjet-backend` on every path this machine has.

use std::sync::Arc;

use ringjet_backend::conformance::{BigShape, Chain, Options, run};
use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{Backend, BackendError, Buf, Coeff, KeySwitch, KeySwitchInput, Unfused, ViewMut};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;

fn conforms(path: Path, threads: usize, options: &Options) {
    if !Path::usable().any(|usable| usable == path) {
        eprintln!("skipped: no {path:?} here, or the environment forbids it");
        return;
    }
    let backend = CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap();
    match run(&backend, options) {
        Ok(report) => assert!(report.checks > 400, "{report}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// Every shape in small rings, and one shape of each kind, with primes of all widths, in larger ones:
/// the transforms of the largest take several passes.
fn every_shape(path: Path) {
    conforms(path, 1, &Options { log_ns: vec![3, 4, 6], ..Options::default() });
    let all = Options::default();
    let (bases, chains) = (vec![all.bases[5].clone()], [3, 4, 5].map(|i| all.chains[i].clone()).to_vec());
    conforms(path, 1, &Options { log_ns: vec![8, 10], bases, chains, bigs: vec![], ..all });
}

#[test]
fn scalar() {
    every_shape(Path::Scalar);
}

#[test]
fn fma() {
    every_shape(Path::Fma);
}

#[test]
fn avx512() {
    every_shape(Path::Avx512);
}

#[test]
fn ifma() {
    every_shape(Path::Ifma);
}

/// One shape of each kind in the smallest ring, and in the smallest one with transforms in vectors on
/// every path: what an emulated processor computes in minutes.
#[test]
fn small() {
    let all = Options::default();
    let bases = [0, 4, 6].map(|i| all.bases[i].clone()).to_vec();
    let chains = [0, 4, 5].map(|i| all.chains[i].clone()).to_vec();
    let big = all.bigs[2].clone();
    for path in Path::usable() {
        let options = Options { bases: bases.clone(), chains: chains.clone(), ..all.clone() };
        conforms(path, 1, &Options { log_ns: vec![3], bigs: vec![big.clone()], ..options.clone() });
        let (bases, chains) = (vec![bases[2].clone()], vec![chains[0].clone()]);
        conforms(path, 1, &Options { log_ns: vec![10], bases, chains, bigs: vec![], ..options });
    }
}

/// Every shape in every ring.
#[test]
#[ignore = "minutes: make test-full"]
fn every_shape_in_every_ring() {
    Path::ALL.into_iter().for_each(|path| conforms(path, 1, &Options::default()));
}

/// A ring large enough for the work to be shared among threads.
#[test]
fn with_threads() {
    let options = Options {
        log_ns: vec![12],
        seed: 2,
        bases: vec![vec![50, 60, 40]],
        chains: vec![Chain { p: vec![60, 50], q: vec![50, 60, 50, 50], alpha: 2 }],
        bigs: vec![BigShape { bits: [60, 120], shift: 60, prime: 50, most_log_n: 12 }],
    };
    for path in [Path::Fma, Path::Ifma] {
        conforms(path, 3, &Options { seed: 2, ..options.clone() });
    }
}

/// Pseudo-random residues, which repeat only after some billions of words.
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

/// The words that `f` writes to a buffer of `polys` polynomials over `basis`.
fn words(b: &CpuBackend, polys: usize, basis: &Basis, f: &dyn Fn(ViewMut<'_>)) -> Vec<u64> {
    let mut dst = b.alloc(polys * basis.len(), basis.n()).unwrap();
    f(dst.view_mut(polys));
    let mut words = vec![0; polys * basis.len() * basis.n()];
    b.download(&dst, 0, &mut words).unwrap();
    words
}

/// Compares key switches and their parts with the unfused operations, for conversions and results
/// so large that they are written by streaming stores. Some primes are for each kind of kernel, and
/// the result may have them in another order.
#[test]
fn large_key_switches() {
    const LOG_N: u32 = 15;
    let primes = |bits, count| ntt_primes(LOG_N, bits, count, &[]).unwrap();
    let all = Basis::new(LOG_N, &[primes(50, 6), primes(60, 4)].concat()).unwrap();
    let (p, q) = (all.select([0, 6]), all.select([1, 2, 3, 4, 5, 7, 8, 9]));
    let narrow = Basis::new(LOG_N, &primes(50, 10)).unwrap();
    for (p, q) in [(p, q), (narrow.select([0]), narrow.select(1..10))] {
        let plan = ModUpPlan::new(&p, &q, 2);
        let turned = q.select((0..q.len() - 1).rev());
        let division = DivisionPlan::new(&plan.extended, &(0..p.len()).collect::<Vec<_>>());
        let reordered = DivisionPlan::rational(&plan.extended, &turned);
        let automorphism = AutomorphismPlan::new(LOG_N, 25, Domain::Evaluation);
        for (path, threads) in [(Path::Scalar, 1), (Path::Fma, 1), (Path::Avx512, 1), (Path::Ifma, 1), (Path::Ifma, 3)]
        {
            if !Path::usable().any(|usable| usable == path) {
                eprintln!("skipped: no {path:?} here, or the environment forbids it");
                continue;
            }
            let b = CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap();
            let mut state = 1;
            let (beta, case) = (plan.beta(), format!("{path:?}, {threads} threads, {} primes", q.len()));
            let src = residues(&b, 2, &q, &mut state);
            let key = residues(&b, 2 * beta, &plan.extended, &mut state);
            let words = |polys: usize, basis: &Basis, f: &dyn Fn(ViewMut<'_>)| words(&b, polys, basis, f);
            let both: [&dyn Backend; 2] = [&b, &Unfused(&b)];
            for (division, automorphism) in [(&division, Some(&automorphism)), (&division, None), (&reordered, None)] {
                let add = Some(src.view(2).poly(0)).filter(|_| division.dst.len() == q.len());
                let [found, expected] = both.map(|on| {
                    words(2, &division.dst, &|dst| {
                        let switch = KeySwitch {
                            input: KeySwitchInput::Polynomial(src.view(2).poly(1)),
                            key: key.view(2 * beta),
                            mod_up: &plan,
                            division,
                            add,
                            automorphism,
                        };
                        on.key_switch(dst, &switch).unwrap();
                    })
                });
                assert!(found == expected, "key switch, {case}, automorphism: {}", automorphism.is_some());
            }
            let [found, expected] =
                both.map(|on| words(beta, &plan.extended, &|dst| on.mod_up(dst, src.view(2).poly(1), &plan).unwrap()));
            assert!(found == expected, "mod up, {case}");
            let extended = residues(&b, 8, &plan.extended, &mut state);
            let [found, expected] = both.map(|on| {
                words(8, &division.dst, &|dst| on.divide_round(dst, extended.view(8), &division, None).unwrap())
            });
            assert!(found == expected, "division, {case}");
        }
    }
}

/// Compares operations that use streaming stores because of their size, on every path, with the
/// scalar path.
#[test]
fn large_sums_products_and_digits() {
    const LOG_N: u32 = 16;
    let all = Basis::new(LOG_N, &ntt_primes(LOG_N, 50, 17, &[]).unwrap()).unwrap();
    let q = all.select(1..17);
    let plan = ModUpPlan::new(&all.select([0]), &q, 8);
    let results = |path: Path, threads: usize| {
        let (b, mut state) = (CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap(), 1);
        let [x, y] = [0, 1].map(|_| residues(&b, 2, &q, &mut state));
        let words = |polys: usize, basis: &Basis, f: &dyn Fn(ViewMut<'_>)| words(&b, polys, basis, f);
        let (x, y) = (x.view(2), y.view(2));
        let terms = [(Coeff::One, x), (Coeff::MinusOne, y)];
        [
            words(2, &q, &|dst| b.lincomb(dst, &terms, &q, false).unwrap()),
            words(2, &q, &|dst| b.mul(dst, x, y, &q, false).unwrap()),
            words(2, &q, &|dst| b.mul_acc(dst, &[(x, y), (y, y)], &q, false).unwrap()),
            words(3, &q, &|dst| b.tensor(dst, x, y, &q).unwrap()),
            words(plan.beta(), &plan.extended, &|dst| b.mod_up(dst, x.poly(1), &plan).unwrap()),
        ]
    };
    let expected = results(Path::Scalar, 1);
    for (path, threads) in [(Path::Fma, 1), (Path::Avx512, 1), (Path::Ifma, 1), (Path::Ifma, 3)] {
        if !Path::usable().any(|usable| usable == path) {
            eprintln!("skipped: no {path:?} here, or the environment forbids it");
            continue;
        }
        for (i, (found, expected)) in results(path, threads).into_iter().zip(&expected).enumerate() {
            assert!(found == *expected, "operation {i}, {path:?}, {threads} threads");
        }
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
