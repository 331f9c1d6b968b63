//! Rows of many matrices in the clear; `crate::ckks::matrices` has the packing.

use std::f64::consts::TAU;

use ringjet_math::fft::Complex64;

/// The values of all slots of each ciphertext.
type Rows = Vec<Vec<Complex64>>;

/// The powers of the root of unity of slot 0 that a row of d entries has in each slot.
struct Roots {
    powers: Vec<Complex64>,
    /// The Galois element of each slot.
    elements: Vec<usize>,
}

impl Roots {
    fn new(slots: usize) -> Self {
        let two_n = 4 * slots;
        let angle = |e: usize| TAU * e as f64 / two_n as f64;
        let powers = (0..two_n).map(|e| Complex64::new(angle(e).cos(), angle(e).sin())).collect();
        let elements = std::iter::successors(Some(1), |g| Some(g * 5 % two_n)).take(slots).collect();
        Self { powers, elements }
    }

    fn power(&self, slot: usize, j: usize) -> Complex64 {
        self.powers[j * self.elements[slot] % self.powers.len()]
    }
}

/// Entries (i, j) of each matrix: `at(k, i, j)`.
struct Matrices {
    d: usize,
    entries: Vec<Complex64>,
}

impl Matrices {
    fn at(&self, k: usize, i: usize, j: usize) -> Complex64 {
        self.entries[(k * self.d + i) * self.d + j]
    }

    fn made(d: usize, count: usize, entry: impl Fn(usize, usize, usize) -> Complex64) -> Self {
        let entry = &entry;
        let all = (0..count).flat_map(|k| (0..d).flat_map(move |i| (0..d).map(move |j| entry(k, i, j))));
        Self { d, entries: all.collect() }
    }

    fn of(rows: &[Vec<Complex64>], roots: &Roots) -> Self {
        let (d, slots) = (rows.len(), roots.elements.len());
        let count = slots / d;
        Self::made(d, count, |k, i, j| {
            let terms = (k..slots).step_by(count).map(|slot| roots.power(slot, j).conj() * rows[i][slot]);
            terms.fold(Complex64::default(), |sum, x| sum + x) * (1.0 / d as f64)
        })
    }

    fn rows(&self, roots: &Roots) -> Rows {
        let (slots, count) = (roots.elements.len(), roots.elements.len() / self.d);
        let value = |i: usize, slot: usize| {
            let terms = (0..self.d).map(|j| roots.power(slot, j) * self.at(slot % count, i, j));
            terms.fold(Complex64::default(), |sum, x| sum + x)
        };
        (0..self.d).map(|i| (0..slots).map(|slot| value(i, slot)).collect()).collect()
    }
}

/// The rows of the transposed matrices.
pub(super) fn transposed(rows: &[Vec<Complex64>]) -> Rows {
    let roots = Roots::new(rows[0].len());
    let m = Matrices::of(rows, &roots);
    Matrices::made(m.d, rows[0].len() / m.d, |k, i, j| m.at(k, j, i)).rows(&roots)
}

/// The rows of the products, from the columns of the first factors and the rows of the second ones.
pub(super) fn product(x: &[Vec<Complex64>]) -> Rows {
    let (columns, rows) = x.split_at(x.len() / 2);
    let roots = Roots::new(x[0].len());
    let [a, b] = [columns, rows].map(|rows| Matrices::of(rows, &roots));
    let entry = |k, i, j| (0..a.d).fold(Complex64::default(), |sum, l| sum + a.at(k, l, i) * b.at(k, l, j));
    Matrices::made(a.d, x[0].len() / a.d, entry).rows(&roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: usize = 16;

    /// Slot u of a row: the sum of entry j of matrix u mod N/(2d) times `z^(j 5^u)`.
    fn packed(m: &[Vec<Vec<Complex64>>]) -> Rows {
        let value = |i: usize, u: u32| {
            let angle = TAU * (5u64.pow(u) % (4 * SLOTS as u64)) as f64 / (4 * SLOTS) as f64;
            let terms = m[u as usize % m.len()][i].iter().enumerate();
            let turned = terms.map(|(j, &x)| x * Complex64::new((j as f64 * angle).cos(), (j as f64 * angle).sin()));
            turned.fold(Complex64::default(), |sum, x| sum + x)
        };
        (0..m[0].len()).map(|i| (0..SLOTS as u32).map(|u| value(i, u)).collect()).collect()
    }

    fn expect(found: &Rows, expected: &Rows) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            let far = found.iter().zip(expected).map(|(x, y)| (*x - *y).abs()).fold(0.0, f64::max);
            assert!(far < 1e-12, "{far:e}");
        }
    }

    #[test]
    fn rows_become_rows_of_transposed_matrices_and_of_products() {
        for d in [1, 2, 4, 16] {
            let number = |k: usize| Complex64::new((k * k % 11) as f64 / 11.0, (k * 3 % 7) as f64 / 7.0);
            let of = |entry: &dyn Fn(usize, usize, usize) -> Complex64| -> Vec<Vec<Vec<Complex64>>> {
                let row = |k, i| (0..d).map(|j| entry(k, i, j)).collect();
                (0..SLOTS / d).map(|k| (0..d).map(|i| row(k, i)).collect()).collect()
            };
            let (a, b) = (of(&|k, i, j| number(31 * k + 5 * i + j)), of(&|k, i, j| number(17 * k + 3 * i + 2 * j + 1)));
            let ab = of(&|k, i, j| (0..d).fold(Complex64::default(), |sum, l| sum + a[k][i][l] * b[k][l][j]));
            let columns = packed(&of(&|k, i, j| a[k][j][i]));
            expect(&transposed(&packed(&a)), &columns);
            expect(&product(&[columns, packed(&b)].concat()), &packed(&ab));
        }
    }
}
