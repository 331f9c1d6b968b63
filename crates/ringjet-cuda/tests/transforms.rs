//! Transforms of the rings that are too large for the whole suite on the emulator.

use ringjet_backend::Backend;
use ringjet_cuda::CudaBackend;
use ringjet_math::{Basis, prime};

#[test]
fn large_rings_are_transformed_as_by_the_textbook() {
    for log_n in 14..=17 {
        let mut primes = prime::ntt_primes(log_n, 61, 1, &[]).unwrap();
        primes.extend(prime::ntt_primes(log_n, 30, 1, &primes).unwrap());
        let basis = Basis::new(log_n, &primes).unwrap();
        let (n, b) = (basis.n(), CudaBackend::emulated());
        let mut state = u64::from(log_n);
        let mut words: Vec<u64> = vec![];
        for q in basis.values() {
            words.extend((0..n).map(|i| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                if i % 7 == 0 { q - 1 } else { (state >> 3) % q }
            }));
        }
        let mut x = b.alloc(2, n).unwrap();
        b.upload(&mut x, 0, &words).unwrap();
        let mut found = vec![0; 2 * n];
        b.ntt(x.view_mut(1), &basis).unwrap();
        b.download(&x, 0, &mut found).unwrap();
        let mut expected = words.clone();
        for (limb, p) in expected.chunks_exact_mut(n).zip(basis.primes()) {
            p.table().forward(limb);
        }
        assert!(found == expected, "forward, log N = {log_n}");
        b.intt(x.view_mut(1), &basis).unwrap();
        b.download(&x, 0, &mut found).unwrap();
        assert!(found == words, "inverse, log N = {log_n}");
    }
}
