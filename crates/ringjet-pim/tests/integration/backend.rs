//! The backend gives the oracle's results bit for bit, and refuses what it cannot do.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_backend::conformance::{self, Chain, Options};
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, Domain};
use ringjet_backend::{Backend, BackendError, Basis, Buf, Coeff, HostFallback, Moved, Reference, Width};
use ringjet_math::prime::ntt_primes;
use ringjet_pim::{Hardware, Host, PimBackend, Placement, Rung};

fn options(seed: u64) -> Options {
    let chain = |p: &[u32], q: &[u32], alpha| Chain { p: p.to_vec(), q: q.to_vec(), alpha };
    Options {
        log_ns: vec![6],
        seed,
        bases: vec![vec![30, 24, 27]],
        chains: vec![chain(&[30, 30], &[30; 4], 2), chain(&[29], &[29, 27, 24], 1)],
        bigs: vec![],
    }
}

fn conform(placement: Placement, dpus: u32, rung: &str, tasklets: u32) {
    let hardware = Hardware { tasklets, ..Hardware::default() };
    let pim = PimBackend::with_rung(&Host::emulator(), dpus, placement, Rung::named(rung).unwrap(), hardware).unwrap();
    let pim = Arc::new(pim);
    let both = HostFallback::new(Arc::clone(&pim) as _, Arc::new(Reference::default()));
    let report = conformance::run(&both, &options(u64::from(tasklets))).unwrap_or_else(|e| panic!("{rung}: {e}"));
    assert!(report.checks > 500, "{report}");
    assert!(both.moved() == Moved::default() && pim.traffic().launches > 0, "{:?}", both.moved());
}

#[test]
fn a_prime_for_each_dpu_has_the_results_of_the_oracle() {
    conform(Placement::PrimePerDpu, 3, "resident", 16);
}

#[test]
fn a_polynomial_for_each_dpu_has_the_results_of_the_oracle() {
    conform(Placement::PolynomialPerDpu, 2, "scrambled", 5);
}

#[test]
fn words_and_primes_that_do_not_fit_are_refused() {
    let pim = PimBackend::new(&Host::emulator(), 1, Placement::default()).unwrap();
    let mut buf = pim.alloc(1, 16).unwrap();
    let wide = |bits| BackendError::NarrowWords { backend: "pim-emulated".into(), width: Width::Four, bits };
    assert_eq!(pim.upload(&mut buf, 0, &[1 << 32; 16]), Err(wide(33)));
    pim.upload(&mut buf, 0, &[3; 16]).unwrap();
    let basis = |bits| Basis::new(4, &ntt_primes(4, bits, 1, &[]).unwrap()).unwrap();
    assert_eq!(pim.ntt(buf.view_mut(1), &basis(40)), Err(wide(40)));
    let lacks = Err(BackendError::Unsupported { op: "ntt", backend: "pim-emulated".into() });
    assert_eq!(pim.ntt(buf.view_mut(1), &basis(31)), lacks);
    let mut words = [0; 16];
    pim.download(&buf, 0, &mut words).unwrap();
    assert_eq!(words, [3; 16]);
}

#[test]
fn sums_of_resident_polynomials_move_nothing() {
    let pim = PimBackend::new(&Host::emulator(), 2, Placement::PrimePerDpu).unwrap();
    let basis = Basis::new(10, &ntt_primes(10, 30, 2, &[]).unwrap()).unwrap();
    let n = 1 << 10;
    let upload = |value: u64| {
        let mut buf = pim.alloc(2, n).unwrap();
        pim.upload(&mut buf, 0, &vec![value; 2 * n]).unwrap();
        buf
    };
    let terms: Vec<_> = (1..=20).map(upload).collect();
    let mut sum = pim.alloc(2, n).unwrap();
    let add = |sum: &mut Buf| {
        let views: Vec<_> = terms.iter().map(|buf| (Coeff::One, buf.view(1))).collect();
        pim.lincomb(sum.view_mut(1), &views, &basis, false).unwrap();
        pim.sync().unwrap();
    };
    add(&mut sum);
    let first = pim.traffic();
    add(&mut sum);
    let second = pim.traffic();
    assert_eq!(second.between_dpus, 0);
    assert_eq!(second.launches, first.launches + 1);
    assert!(second.to_dpus - first.to_dpus < 2000, "{first:?} {second:?}"); // commands alone
    let mut words = vec![0; 2 * n];
    pim.download(&sum, 0, &mut words).unwrap();
    assert!(words.iter().all(|&word| word == 210));
}

#[test]
fn more_commands_and_scalars_than_fit_a_list_are_run_in_parts() {
    let pim = PimBackend::new(&Host::emulator(), 1, Placement::default()).unwrap();
    let basis = Basis::new(3, &ntt_primes(3, 30, 1, &[]).unwrap()).unwrap();
    let (q, count) = (basis.modulus(0).value(), 2500);
    let mut src = pim.alloc(1, 8).unwrap();
    pim.upload(&mut src, 0, &[q - 1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let factors: Vec<[u64; 1]> = (0..count).map(|i| [q - 1 - i * i]).collect();
    let terms: Vec<_> = factors.iter().map(|factor| (Coeff::PerLimb(factor), src.view(1))).collect();
    let mut sum = pim.alloc(1, 8).unwrap();
    pim.lincomb(sum.view_mut(1), &terms, &basis, false).unwrap();
    let mut words = [0; 8];
    pim.download(&sum, 0, &mut words).unwrap();
    let total = factors.iter().fold(0, |sum, factor| (sum + factor[0]) % q);
    assert_eq!(words, [q - 1, 2, 3, 4, 5, 6, 7, 8].map(|x| (x * total) % q));
    assert!(pim.traffic().launches > 1);
}

/// Many polynomials with small, large, negative and no weights, on two backends.
fn sum_of_many(backend: &dyn Backend, polynomials: usize, accumulate: bool, bits: u32) -> Vec<Vec<u64>> {
    let (n, limbs) = (64, 2);
    let basis = Basis::new(6, &ntt_primes(6, bits, limbs, &[]).unwrap()).unwrap();
    let q: Vec<u64> = basis.primes().iter().map(|p| p.modulus().value()).collect();
    let mut state = 37_u64;
    let mut random = |q: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 20) % q
    };
    let mut fresh = || {
        let mut buf = backend.alloc(2 * limbs, n).unwrap();
        for i in 0..2 * limbs {
            let words: Vec<u64> = (0..n).map(|_| random(q[i % limbs])).collect();
            backend.upload(&mut buf, i, &words).unwrap();
        }
        buf
    };
    let (mut out, sources) = (fresh(), (0..polynomials).map(|_| fresh()).collect::<Vec<_>>());
    let factors: Vec<Vec<u64>> = (0..polynomials)
        .map(|k| {
            let weight = [1, 3, 255, 256, 0, 70_000][k % 6];
            q.iter().map(|q| if k % 4 == 3 { (q - weight % q) % q } else { weight % q }).collect()
        })
        .collect();
    let terms: Vec<_> = sources
        .iter()
        .zip(&factors)
        .enumerate()
        .map(|(k, (source, factors))| {
            let coefficient = match k % 5 {
                0 | 1 => Coeff::One,
                2 => Coeff::MinusOne,
                _ => Coeff::PerLimb(factors),
            };
            (coefficient, source.view(2))
        })
        .collect();
    backend.lincomb(out.view_mut(2), &terms, &basis, accumulate).unwrap();
    // a second time with other memory, and every source is still there
    backend.lincomb(out.view_mut(2), &terms, &basis, true).unwrap();
    let read = |buf: &Buf, i| {
        let mut words = vec![0; n];
        backend.download(buf, i, &mut words).unwrap();
        words
    };
    sources.iter().chain([&out]).flat_map(|buf| (0..2 * limbs).map(|i| read(buf, i)).collect::<Vec<_>>()).collect()
}

#[test]
fn sums_of_many_polynomials_are_made_where_they_are() {
    for (placement, dpus) in [(Placement::PrimePerDpu, 2), (Placement::PolynomialPerDpu, 4)] {
        for (polynomials, bits, accumulate) in
            [(1, 30, false), (3, 30, true), (17, 24, false), (100, 27, true), (100, 11, false), (1100, 20, true)]
        {
            let pim = PimBackend::new(&Host::emulator(), dpus, placement).unwrap();
            let expected = sum_of_many(&Reference::default(), polynomials, accumulate, bits);
            let found = sum_of_many(&pim, polynomials, accumulate, bits);
            assert!(found == expected, "{placement:?} {polynomials} {bits} {accumulate}");
            // each of three DPUs sends its four sums, twice, however many terms they have
            let sums = if placement == Placement::PrimePerDpu { 0 } else { 3.min(polynomials as u64 - 1) };
            let most = 2 * sums * 4 * 64 * 4;
            let between = pim.traffic().between_dpus;
            assert!(between <= most + 2 * 4 * 64 * 4, "{placement:?} {polynomials}: {between} bytes, {most}");
            assert_eq!(placement == Placement::PrimePerDpu || polynomials == 1, between == 0, "{between}");
        }
    }
}

/// Two polynomials of random residues, the largest and zero among them.
fn random(backend: &dyn Backend, basis: &Basis) -> Buf {
    let (n, limbs) = (1 << basis.log_n(), basis.len());
    let mut rng = ChaCha20Rng::seed_from_u64(38);
    let mut buf = backend.alloc(2 * limbs, n).unwrap();
    for i in 0..2 * limbs {
        let q = basis.modulus(i % limbs).value();
        let mut words: Vec<u64> = (0..n).map(|_| rng.next_u64() % q).collect();
        (words[0], words[1], words[n - 1]) = (q - 1, 0, q - 1);
        backend.upload(&mut buf, i, &words).unwrap();
    }
    buf
}

fn words(backend: &dyn Backend, buf: &Buf, n: usize) -> Vec<u64> {
    let mut words = vec![0; buf.limbs() * n];
    for (i, limb) in words.chunks_mut(n).enumerate() {
        backend.download(buf, i, limb).unwrap();
    }
    words
}

/// A change of basis, then automorphisms in both domains.
fn across_primes(backend: &dyn Backend, log_n: u32) -> Vec<Vec<u64>> {
    let n = 1 << log_n;
    let primes: Vec<u64> = [24, 27, 30].iter().flat_map(|&bits| ntt_primes(log_n, bits, 3, &[]).unwrap()).collect();
    let basis = |indices: &[usize]| Basis::new(log_n, &indices.iter().map(|&i| primes[i]).collect::<Vec<_>>()).unwrap();
    let mut results = vec![];
    for (src, dst) in
        [(&[0, 3, 6][..], &[1, 4, 7, 8][..]), (&[6, 7, 8], &[0, 1]), (&[2], &[5, 8]), (&[0, 1, 2, 3, 4], &[6])]
    {
        let (src, dst) = (basis(src), basis(dst));
        let from = random(backend, &src);
        let mut to = backend.alloc(2 * dst.len(), n).unwrap();
        backend.base_convert(to.view_mut(2), from.view(2), &BaseConversionPlan::new(&src, &dst)).unwrap();
        results.push(words(backend, &to, n));
        for (galois, domain) in
            [(5, Domain::Evaluation), (2 * n as u64 - 1, Domain::Coefficient), (3, Domain::Coefficient)]
        {
            let plan = AutomorphismPlan::new(log_n, galois, domain);
            let mut turned = backend.alloc(2 * dst.len(), n).unwrap();
            backend.automorphism(turned.view_mut(2), to.view(2), &dst, &plan).unwrap();
            results.push(words(backend, &turned, n));
            backend.automorphism(turned.view_mut(2), to.view(2), &dst, &plan).unwrap(); // the map is there
            assert_eq!(results.last(), Some(&words(backend, &turned, n)));
        }
        assert_eq!(words(backend, &from, n), words(backend, &random(backend, &src), n));
    }
    results
}

#[test]
fn changes_of_basis_and_automorphisms_are_those_of_the_oracle() {
    for log_n in [3, 12, 14] {
        let expected = across_primes(&Reference::default(), log_n);
        for (tasklets, rung) in [(1, "resident"), (5, "scrambled"), (11, "initial"), (16, "resident")] {
            for (placement, dpus) in [(Placement::PrimePerDpu, 4), (Placement::PolynomialPerDpu, 2)] {
                let (hardware, rung) = (Hardware { tasklets, ..Hardware::default() }, Rung::named(rung).unwrap());
                let pim = PimBackend::with_rung(&Host::emulator(), dpus, placement, rung, hardware).unwrap();
                assert!(across_primes(&pim, log_n) == expected, "2^{log_n}, {} {tasklets} {placement:?}", rung.name);
                let between = pim.traffic().between_dpus;
                assert_eq!(placement == Placement::PolynomialPerDpu, between == 0, "{between} bytes");
            }
        }
    }
}
