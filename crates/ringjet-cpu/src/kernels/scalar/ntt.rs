//! Negacyclic NTT for any prime q below 2^61: the butterflies of David Harvey, "Faster arithmetic
//! for number-theoretic transforms" (2014), with Shoup's products. Intermediate values are below
//! 4q, and `4q < 2^63`, so nothing overflows.

use ringjet_math::Modulus;
use ringjet_math::ntt::{NttTable, leaves_to_positions, positions_to_leaves};

/// `x - bound` if that is not negative, otherwise `x`.
#[inline]
fn below(x: u64, bound: u64) -> u64 {
    x.min(x.wrapping_sub(bound))
}

/// Transforms from the coefficient to the evaluation domain, in place; residues are in `[0, q)`
/// before and after.
pub fn forward(table: &NttTable, x: &mut [u64]) {
    let m = table.modulus();
    let (q, two_q) = (m.value(), 2 * m.value());
    let (mut half, mut blocks) = (x.len() / 2, 1);
    while half > 0 {
        for (block, &(w, shoup)) in x.chunks_exact_mut(2 * half).zip(&table.roots()[blocks..]) {
            let (lo, hi) = block.split_at_mut(half);
            for (u, v) in lo.iter_mut().zip(hi) {
                let (a, t) = (below(*u, two_q), m.mul_shoup_lazy(*v, w, shoup));
                *u = a + t;
                *v = a + two_q - t;
            }
        }
        (half, blocks) = (half / 2, 2 * blocks);
    }
    x.iter_mut().for_each(|x| *x = below(below(*x, two_q), q));
    leaves_to_positions(x);
}

/// Transforms from the evaluation to the coefficient domain and multiplies by the constant `c < q`,
/// in place; residues are in `[0, q)` before and after.
pub fn inverse_scaled(table: &NttTable, x: &mut [u64], c: u64) {
    let m: &Modulus = table.modulus();
    let (q, two_q) = (m.value(), 2 * m.value());
    positions_to_leaves(x);
    let (mut half, mut blocks) = (1, x.len() / 2);
    while blocks > 0 {
        for (block, &(w, shoup)) in x.chunks_exact_mut(2 * half).zip(&table.inverse_roots()[blocks..]) {
            let (lo, hi) = block.split_at_mut(half);
            for (u, v) in lo.iter_mut().zip(hi) {
                let (a, b) = (*u, *v); // below 2q
                *u = below(a + b, two_q);
                *v = m.mul_shoup_lazy(a + two_q - b, w, shoup);
            }
        }
        (half, blocks) = (2 * half, blocks / 2);
    }
    let scale = m.mul(c, table.n_inverse());
    let shoup = m.shoup(scale);
    x.iter_mut().for_each(|x| *x = below(m.mul_shoup_lazy(*x, scale, shoup), q));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn agrees_with_the_textbook() {
        for log_n in [3, 5, 8, 9, 10, 12] {
            for bits in [20, 50, 61] {
                let m = Modulus::new(ntt_primes(log_n, bits, 1, &[]).unwrap()[0]).unwrap();
                let table = NttTable::new(m, log_n).unwrap();
                let q = m.value();
                let random =
                    (0..1u64 << log_n).map(|i| m.mul(m.reduce(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)), q - 12345));
                for x in [random.collect::<Vec<_>>(), vec![q - 1; 1 << log_n], vec![0; 1 << log_n]] {
                    let (mut fast, mut slow) = (x.clone(), x.clone());
                    forward(&table, &mut fast);
                    table.forward(&mut slow);
                    assert!(fast == slow, "forward 2^{log_n}, {bits} bits");
                    let (mut fast, mut slow) = (x.clone(), x);
                    inverse_scaled(&table, &mut fast, 7);
                    table.inverse(&mut slow);
                    slow.iter_mut().for_each(|x| *x = m.mul(*x, 7));
                    assert!(fast == slow, "inverse 2^{log_n}, {bits} bits");
                }
            }
        }
    }
}
