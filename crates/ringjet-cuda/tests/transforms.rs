//! Transforms of every ring in every arithmetic: those of large rings take the conformance suite too long on the emulator.

use ringjet_backend::Backend;
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::{Basis, prime};

/// Random residues, the largest, and half of the prime, in which sums and differences are largest.
fn inputs(basis: &Basis, kind: usize) -> Vec<u64> {
    let mut state = basis.n() as u64;
    let mut word = |q: u64, i: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        match kind {
            0 if !i.is_multiple_of(7) => (state >> 3) % q,
            1 => q / 2 + (state >> 63),
            _ => q - 1,
        }
    };
    basis.values().flat_map(|q| (0..basis.n()).map(|i| word(q, i)).collect::<Vec<_>>()).collect()
}

fn transforms(a: Arithmetic) {
    let b = CudaBackend::emulated().with_arithmetic(a);
    for log_n in 3..=17 {
        let mut primes = prime::ntt_primes(log_n, a.bits(), 1, &[]).unwrap();
        primes.extend(prime::ntt_primes(log_n, 25, 1, &primes).unwrap());
        let basis = Basis::new(log_n, &primes).unwrap();
        assert!(a.fits(&basis));
        let n = basis.n();
        for kind in 0..if log_n < 16 { 3 } else { 1 } {
            let words = inputs(&basis, kind);
            let mut x = b.alloc(2, n).unwrap();
            b.upload(&mut x, 0, &words).unwrap();
            let mut found = vec![0; 2 * n];
            b.ntt(x.view_mut(1), &basis).unwrap();
            b.download(&x, 0, &mut found).unwrap();
            let mut expected = words.clone();
            for (limb, p) in expected.chunks_exact_mut(n).zip(basis.primes()) {
                p.table().forward(limb);
            }
            assert!(found == expected, "{a}, forward, log N = {log_n}, inputs {kind}");
            b.intt(x.view_mut(1), &basis).unwrap();
            b.download(&x, 0, &mut found).unwrap();
            assert!(found == words, "{a}, inverse, log N = {log_n}, inputs {kind}");
            // what is largest in the evaluation domain is another polynomial
            b.upload(&mut x, 0, &words).unwrap();
            b.intt(x.view_mut(1), &basis).unwrap();
            b.download(&x, 0, &mut found).unwrap();
            let mut expected = words;
            for (limb, p) in expected.chunks_exact_mut(n).zip(basis.primes()) {
                p.table().inverse(limb);
            }
            assert!(found == expected, "{a}, inverse of inputs {kind}, log N = {log_n}");
        }
    }
}

#[test]
fn u32_transforms_as_the_textbook() {
    transforms(Arithmetic::U32);
}

#[test]
fn u32_unsigned_transforms_as_the_textbook() {
    transforms(Arithmetic::U32Unsigned);
}

#[test]
fn f64_transforms_as_the_textbook() {
    transforms(Arithmetic::F64);
}

#[test]
fn u64_below_50_transforms_as_the_textbook() {
    transforms(Arithmetic::U64Below50);
}

#[test]
fn u64_below_61_transforms_as_the_textbook() {
    transforms(Arithmetic::U64Below61);
}
