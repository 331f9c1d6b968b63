//! Compares transforms with the textbook's.

use std::error::Error;

use ringjet_backend::Backend;
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::{Basis, prime};

/// Test inputs by `kind`: random residues, the largest residues, or q/2, for which sums and
/// differences are largest.
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

/// Tests the transforms of one ring on `b`, which must prefer the arithmetic `a`. Returns how many
/// words were compared.
pub fn transforms(b: &CudaBackend, a: Arithmetic, log_n: u32) -> Result<usize, Box<dyn Error>> {
    let mut primes = prime::ntt_primes(log_n, a.bits(), 1, &[])?;
    primes.extend(prime::ntt_primes(log_n, 25, 1, &primes)?);
    let basis = Basis::new(log_n, &primes)?;
    let n = basis.n();
    let mut compared = 0;
    for kind in 0..if log_n < 16 { 3 } else { 1 } {
        let mut equal = |found: &[u64], expected: &[u64], what: &str| -> Result<(), Box<dyn Error>> {
            compared += expected.len();
            match found.iter().zip(expected).position(|(f, e)| f != e) {
                None => Ok(()),
                Some(i) => {
                    let (found, expected) = (found[i], expected[i]);
                    let case = format!("{a}, {what}, log N = {log_n}, inputs {kind}");
                    Err(format!("{case}: word {i} is {found}, not {expected}").into())
                }
            }
        };
        let words = inputs(&basis, kind);
        let mut x = b.alloc(2, n)?;
        b.upload(&mut x, 0, &words)?;
        let mut found = vec![0; 2 * n];
        b.ntt(x.view_mut(1), &basis)?;
        b.download(&x, 0, &mut found)?;
        let mut expected = words.clone();
        for (limb, p) in expected.chunks_exact_mut(n).zip(basis.primes()) {
            p.table().forward(limb);
        }
        equal(&found, &expected, "forward")?;
        b.intt(x.view_mut(1), &basis)?;
        b.download(&x, 0, &mut found)?;
        equal(&found, &words, "there and back")?;
        // The inputs above are extreme in the coefficient domain. Uploading them as values gives a
        // polynomial that is extreme in the evaluation domain.
        b.upload(&mut x, 0, &words)?;
        b.intt(x.view_mut(1), &basis)?;
        b.download(&x, 0, &mut found)?;
        let mut expected = words;
        for (limb, p) in expected.chunks_exact_mut(n).zip(basis.primes()) {
            p.table().inverse(limb);
        }
        equal(&found, &expected, "inverse")?;
    }
    Ok(compared)
}
