//! NTT and its inverse (Algorithms 3 and 4 of Jung et al., "HEAAN Demystified") modulo one prime,
//! in place. Every value stays below the prime p.

use super::{Tally, add, shoup, subtract};
use crate::multiplication::lines::{Line, words, words_mut};
use crate::multiplication::setup::{Factor, Prime, Roots};

fn factor(roots: &Roots, i: usize) -> Factor {
    Factor { value: words(&roots.values)[i], shoup: words(&roots.shoup)[i] }
}

/// Transforms coefficients to values, in bit-reversed order.
pub fn ntt<T: Tally>(prime: &Prime, row: &mut [Line], tally: &mut T) {
    let (x, p) = (words_mut(row), prime.modulus.value());
    let (mut t, mut m) = (x.len() / 2, 1);
    while t > 0 {
        for (j, group) in x.chunks_exact_mut(2 * t).enumerate() {
            let w = factor(&prime.roots, m + j);
            let (a, b) = group.split_at_mut(t);
            for (a, b) in a.iter_mut().zip(b) {
                let u = shoup(*b, w, p);
                (*a, *b) = (add(*a, u, p), subtract(*a, u, p));
                tally.modular(1);
                tally.addition();
                tally.addition();
            }
        }
        (t, m) = (t / 2, 2 * m);
    }
}

/// Transforms values to coefficients; the division by N is a pass of its own. The paper leaves out
/// this algorithm; it is the forward one in reverse.
pub fn intt<T: Tally>(prime: &Prime, row: &mut [Line], tally: &mut T) {
    let (x, p) = (words_mut(row), prime.modulus.value());
    let (mut t, mut m) = (1, x.len() / 2);
    while m > 0 {
        for (j, group) in x.chunks_exact_mut(2 * t).enumerate() {
            let w = factor(&prime.inverse_roots, m + j);
            let (a, b) = group.split_at_mut(t);
            for (a, b) in a.iter_mut().zip(b) {
                (*a, *b) = (add(*a, *b, p), shoup(subtract(*a, *b, p), w, p));
                tally.modular(1);
                tally.addition();
                tally.addition();
            }
        }
        (t, m) = (2 * t, m / 2);
    }
    for x in x {
        *x = shoup(*x, prime.n_inverse, p);
        tally.modular(1);
    }
}
