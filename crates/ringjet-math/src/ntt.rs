//! The negacyclic number-theoretic transform in textbook form. Every fast kernel is compared with
//! it.
//!
//! Let q = 1 mod 2N be a prime and psi a primitive 2N-th root of unity. The *evaluation domain* of
//! a polynomial in `Z_q[X]/(X^N + 1)` holds its values at the N odd powers of psi. Position `p`
//! holds the value at `psi^e` with `e = exponents(log_n)[p]`. Code must not assume any other order.

use crate::{MathError, Modulus};

/// Reverses the lowest `bits` bits of `i`.
#[inline]
pub const fn bit_reverse(i: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) }
}

/// Binary logarithm of the number of words of a tile. A tile is a run of positions within which
/// [`tree_index`] transposes.
pub const LOG_TILE: u32 = 9;

/// The number of the leaf that position `p` of the evaluation domain holds. Leaves are the ends of
/// the tree of radix-2 splittings of `X^N + 1`, counted from the left.
///
/// Rings of degree below 2^9 store the leaves in order. In larger rings each tile of 512 positions
/// is an 8 x 64 array of leaves, stored column by column: leaf `512 * t + 64 * l + j` is at
/// position `512 * t + 8 * j + l`. Vectors of eight words then hold the same leaf of eight
/// subtrees, and the last six levels of a transform need no lane permutations.
#[inline]
pub const fn tree_index(p: usize, log_n: u32) -> usize {
    if log_n < LOG_TILE { p } else { (p & !511) | ((p & 7) << 6) | ((p >> 3) & 63) }
}

/// The odd exponent e(p) of each position p of the evaluation domain:
/// `e(p) = 2 * brv(tree_index(p)) + 1`, where brv reverses the lowest `log_n` bits.
pub fn exponents(log_n: u32) -> Vec<u32> {
    (0..1usize << log_n).map(|p| 2 * bit_reverse(tree_index(p, log_n), log_n) as u32 + 1).collect()
}

/// Moves the words in `x` from the order of leaves to the order of positions, in place; see
/// [`tree_index`].
pub fn leaves_to_positions(x: &mut [u64]) {
    for tile in x.chunks_exact_mut(1 << LOG_TILE) {
        let mut leaves = [0; 1 << LOG_TILE];
        leaves.copy_from_slice(tile);
        for (p, v) in tile.iter_mut().enumerate() {
            *v = leaves[tree_index(p, LOG_TILE)];
        }
    }
}

/// Moves the words in `x` from the order of positions to the order of leaves, in place: the inverse
/// of [`leaves_to_positions`].
pub fn positions_to_leaves(x: &mut [u64]) {
    for tile in x.chunks_exact_mut(1 << LOG_TILE) {
        let mut positions = [0; 1 << LOG_TILE];
        positions.copy_from_slice(tile);
        for (p, &v) in positions.iter().enumerate() {
            tile[tree_index(p, LOG_TILE)] = v;
        }
    }
}

/// The smallest primitive 2N-th root of unity modulo `q`, so that all machines use the same one.
pub fn minimal_root(modulus: &Modulus, log_n: u32) -> Result<u64, MathError> {
    let q = modulus.value();
    if q & ((2 << log_n) - 1) != 1 {
        return Err(MathError::NotNttFriendly { modulus: q, log_n });
    }
    // If the N-th power of x^((q-1)/2N) is -1, the odd powers of x^((q-1)/2N) are all primitive
    // 2N-th roots.
    let cofactor = (q - 1) >> (log_n + 1);
    let root = (2..q)
        .map(|x| modulus.pow(x, cofactor))
        .find(|&r| modulus.pow(r, 1 << log_n) == q - 1)
        .ok_or(MathError::BadModulus { modulus: q })?;
    let square = modulus.mul(root, root);
    let (mut best, mut power) = (root, root);
    for _ in 1..1usize << log_n {
        power = modulus.mul(power, square);
        best = best.min(power);
    }
    Ok(best)
}

/// Twiddle factors of one prime and one ring degree, and the textbook transforms.
#[derive(Debug, Clone)]
pub struct NttTable {
    modulus: Modulus,
    log_n: u32,
    psi: u64,
    /// `psi^brv(i)` for `i < N`, with Shoup companions; brv reverses the lowest `log_n` bits.
    roots: Vec<(u64, u64)>,
    /// `psi^-brv(i)` for `i < N`, with Shoup companions.
    inverse_roots: Vec<(u64, u64)>,
    /// `N^-1 mod q`.
    n_inverse: u64,
}

impl NttTable {
    /// Tables for ring degree `2^log_n`. `log_n` must be in 3 to 17, and the modulus 1 mod
    /// `2^(log_n + 1)`.
    pub fn new(modulus: Modulus, log_n: u32) -> Result<Self, MathError> {
        if !(3..=17).contains(&log_n) {
            return Err(MathError::BadDegree { log_n });
        }
        let psi = minimal_root(&modulus, log_n)?;
        let n = 1usize << log_n;
        let powers = |base: u64| {
            let mut table = vec![(0, 0); n];
            let mut power = 1;
            for i in 0..n {
                table[bit_reverse(i, log_n)] = (power, modulus.shoup(power));
                power = modulus.mul(power, base);
            }
            table
        };
        // psi^-1 = psi^(2N-1)
        let psi_inverse = modulus.pow(psi, (2 << log_n) - 1);
        let n_inverse = modulus.pow(modulus.reduce(n as u64), modulus.value() - 2);
        Ok(Self { modulus, log_n, psi, roots: powers(psi), inverse_roots: powers(psi_inverse), n_inverse })
    }

    /// Tables for polynomials in `Y = X^gap`, where gap is `2^log_gap`: the ring of degree `N / gap`
    /// with the root `psi^gap`. The value of `f(Y)` at `psi^e` is that of f at the root to the power
    /// e. `N / gap` must be at least 8.
    pub fn of_power(&self, log_gap: u32) -> Result<Self, MathError> {
        let log_n = self.log_n.saturating_sub(log_gap);
        if log_n < 3 {
            return Err(MathError::BadDegree { log_n });
        }
        // (psi^gap)^brv(i) over the lower degree is psi^brv(i) over N: a prefix of the table
        let prefix = |table: &[(u64, u64)]| table[..1 << log_n].to_vec();
        let m = &self.modulus;
        Ok(Self {
            modulus: self.modulus,
            log_n,
            psi: m.pow(self.psi, 1 << log_gap),
            roots: prefix(&self.roots),
            inverse_roots: prefix(&self.inverse_roots),
            n_inverse: m.mul(self.n_inverse, m.reduce(1 << log_gap)),
        })
    }

    /// The modulus q.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// Binary logarithm of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The primitive 2N-th root of unity that the tables use.
    pub fn psi(&self) -> u64 {
        self.psi
    }

    /// `psi^brv(i)` for `i < N`, each with its Shoup companion. brv reverses the lowest `log_n`
    /// bits.
    pub fn roots(&self) -> &[(u64, u64)] {
        &self.roots
    }

    /// `psi^-brv(i)` for `i < N`, each with its Shoup companion.
    pub fn inverse_roots(&self) -> &[(u64, u64)] {
        &self.inverse_roots
    }

    /// `N^-1 mod q`.
    pub fn n_inverse(&self) -> u64 {
        self.n_inverse
    }

    /// Transforms from the coefficient to the evaluation domain, in place. Values are in `[0, q)`
    /// before and after.
    pub fn forward(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        let m = &self.modulus;
        let mut half = x.len() / 2;
        let mut blocks = 1;
        while half > 0 {
            for (b, block) in x.chunks_exact_mut(2 * half).enumerate() {
                let (w, _) = self.roots[blocks + b];
                let (lo, hi) = block.split_at_mut(half);
                for (u, v) in lo.iter_mut().zip(hi) {
                    let t = m.mul(*v, w);
                    *v = m.sub(*u, t);
                    *u = m.add(*u, t);
                }
            }
            half /= 2;
            blocks *= 2;
        }
        leaves_to_positions(x);
    }

    /// Transforms from the evaluation to the coefficient domain, in place. Values are in `[0, q)`
    /// before and after.
    pub fn inverse(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        let m = &self.modulus;
        positions_to_leaves(x);
        let mut half = 1;
        let mut blocks = x.len() / 2;
        while blocks > 0 {
            for (b, block) in x.chunks_exact_mut(2 * half).enumerate() {
                let (w, _) = self.inverse_roots[blocks + b];
                let (lo, hi) = block.split_at_mut(half);
                for (u, v) in lo.iter_mut().zip(hi) {
                    let t = m.sub(*u, *v);
                    *u = m.add(*u, *v);
                    *v = m.mul(t, w);
                }
            }
            half *= 2;
            blocks /= 2;
        }
        for v in x {
            *v = m.mul(*v, self.n_inverse);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(log_n: u32, bits: u32) -> NttTable {
        let q = crate::prime::ntt_primes(log_n, bits, 1, &[]).unwrap()[0];
        NttTable::new(Modulus::new(q).unwrap(), log_n).unwrap()
    }

    #[test]
    fn forward_is_evaluation_at_the_stated_powers() {
        for (log_n, bits) in [(3, 20), (5, 50), (8, 61), (9, 30), (11, 50)] {
            let t = table(log_n, bits);
            let m = *t.modulus();
            let x: Vec<u64> = (0..1u64 << log_n).map(|i| m.mul(i * i + 7, 0x9e37_79b9_7f4a_7c15)).collect();
            let mut y = x.clone();
            t.forward(&mut y);
            for (p, &e) in exponents(log_n).iter().enumerate() {
                let point = m.pow(t.psi(), u64::from(e));
                let value = x.iter().rev().fold(0, |acc, &c| m.add(m.mul(acc, point), c));
                assert_eq!(y[p], value);
            }
            t.inverse(&mut y);
            assert_eq!(x, y);
        }
    }

    #[test]
    fn tables_of_powers_give_the_values_of_the_ring() {
        for (log_n, log_gap) in [(11, 1), (11, 2), (12, 3), (6, 3), (5, 0)] {
            let t = table(log_n, 50);
            let few = t.of_power(log_gap).unwrap();
            let mut short: Vec<u64> =
                (0..1 << (log_n - log_gap)).map(|i| t.modulus().reduce(i * i * 977 + 3)).collect();
            let mut long = vec![0; 1 << log_n];
            long.iter_mut().step_by(1 << log_gap).zip(&short).for_each(|(x, &c)| *x = c);
            let given = short.clone();
            t.forward(&mut long);
            few.forward(&mut short);
            positions_to_leaves(&mut long);
            positions_to_leaves(&mut short);
            assert!(long.iter().enumerate().all(|(leaf, &x)| x == short[leaf >> log_gap]), "{log_n} {log_gap}");
            leaves_to_positions(&mut short);
            few.inverse(&mut short);
            assert_eq!(short, given);
        }
        assert_eq!(table(5, 50).of_power(3).err(), Some(MathError::BadDegree { log_n: 2 }));
    }

    #[test]
    fn product_is_negacyclic() {
        let t = table(6, 50);
        let m = *t.modulus();
        let n = 64;
        let a: Vec<u64> = (0..n).map(|i| m.reduce(i * 1_000_003 + 5)).collect();
        let b: Vec<u64> = (0..n).map(|i| m.mul(i + 1, m.value() - 3)).collect();
        let mut want = vec![0; n as usize];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                let (k, p) = ((i + j) % a.len(), m.mul(x, y));
                want[k] = if i + j < a.len() { m.add(want[k], p) } else { m.sub(want[k], p) };
            }
        }
        let (mut fa, mut fb) = (a, b);
        t.forward(&mut fa);
        t.forward(&mut fb);
        let mut got: Vec<u64> = fa.iter().zip(&fb).map(|(&x, &y)| m.mul(x, y)).collect();
        t.inverse(&mut got);
        assert_eq!(got, want);
    }

    #[test]
    fn refuses_unfriendly_primes() {
        let m = Modulus::new(97).unwrap();
        assert_eq!(NttTable::new(m, 10).err(), Some(MathError::NotNttFriendly { modulus: 97, log_n: 10 }));
        assert_eq!(NttTable::new(m, 2).err(), Some(MathError::BadDegree { log_n: 2 }));
    }
}
