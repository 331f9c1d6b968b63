//! The variant `AVX-32`: words of 32 bits, one in each lane of 64 bits. Transforms and the division
//! by P/p_j are the kernels of the other variants with [`Narrow`]'s modular multiplication; here
//! are CRT and the sums of iCRT.
//!
//! "HEAAN Demystified" (Jung et al., Section V-B) tried such words on CPUs, without a gain and
//! without saying how. Here a product is one instruction (`vpmuludq`). Primes are below 2^29, so
//! eight products of 61 bits are added without a carry; then the sum is split into its halves.

use super::arithmetic::{Factors, Narrow, mod_mul};
use super::lanes::{Kernel, Lanes};
use crate::multiplication::lines::{LANES, Line, words};
use crate::multiplication::setup::{CrtLanes, System};

/// Products below 2^61 that are added in one word.
const TERMS: usize = 8;

/// A sum `low + high * 2^32`.
#[derive(Clone, Copy)]
struct Halves<V> {
    low: V,
    high: V,
}

impl<V: Copy> Halves<V> {
    /// The sum of products of `x` with `y`, element by element.
    #[inline(always)]
    fn of_products<L: Lanes<Vector = V>>(l: L, x: &[Line], y: &[u64]) -> Self {
        let (mut low, mut high) = (l.splat(0), l.splat(0));
        for (x, y) in x.chunks(TERMS).zip(y.chunks(TERMS)) {
            let mut part = l.splat(0);
            for (x, &y) in x.iter().zip(y) {
                part = l.add(part, l.mul32(l.load(x), l.splat(y)));
            }
            low = l.add(low, l.lower_half(part));
            high = l.add(high, l.upper_half(part));
        }
        Self { low, high }
    }
}

/// CRT: each lane has one prime.
pub struct Crt<'a, 'b> {
    /// Tables.
    pub system: &'a System,
    /// Coefficients of `limbs` words of 64 bits.
    pub input: &'a [u64],
    /// Words of 64 bits of a coefficient.
    pub limbs: usize,
    /// The residues, with a row for each prime.
    pub output: &'a mut [&'b mut [Line]],
}

impl Kernel for Crt<'_, '_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let mut halves = vec![0; 2 * LANES * self.limbs];
        for (block, input) in self.input.chunks_exact(LANES * self.limbs).enumerate() {
            for (halves, x) in halves.chunks_exact_mut(2).zip(input) {
                halves.copy_from_slice(&[x & 0xffff_ffff, x >> 32]);
            }
            for (rows, table) in self.output.chunks_mut(LANES).zip(&self.system.crt_lanes) {
                let mut tile = [l.splat(0); LANES];
                for (residues, x) in tile.iter_mut().zip(halves.chunks_exact(2 * self.limbs)) {
                    *residues = residues_of(l, x, table);
                }
                for (row, v) in rows.iter_mut().zip(l.transpose(tile)) {
                    l.store(&mut row[block], v);
                }
            }
        }
    }
}

/// The residues modulo eight primes of one coefficient in words of 32 bits.
#[inline(always)]
fn residues_of<L: Lanes>(l: L, x: &[u64], table: &CrtLanes) -> L::Vector {
    let Halves { low, high } = Halves::of_products(l, &table.powers, x);
    // three words of 32 bits
    let high = l.add(high, l.upper_half(low));
    let p = l.load(&table.primes);
    let place = |k: usize| Factors { value: l.load(&table.places[k].0), shoup: l.load(&table.places[k].1) };
    let parts = [l.lower_half(low), l.lower_half(high), l.upper_half(high)];
    let [a, b, c] = std::array::from_fn(|k| mod_mul::<Narrow, L>(l, parts[k], place(k), p));
    // The sum is below 6 * p, and 8 * p is below 2^32.
    let mut r = l.add(l.add(a, b), c);
    let twice = l.add(p, p);
    for step in [l.add(twice, twice), twice, p] {
        r = l.subtract_where_fits(r, step);
    }
    r
}

/// The sums of iCRT (lines 4 to 11 of Algorithm 6) with a row of `temp` for each coefficient: each
/// lane has one word of P/p_j.
pub struct Sum<'a, 'b> {
    /// Tables.
    pub system: &'a System,
    /// The divided residues, with a row for each coefficient.
    pub temp: &'a [&'b mut [Line]],
    /// Words of 64 bits of a coefficient.
    pub limbs: usize,
    /// Bits of a coefficient.
    pub bits: u32,
    /// The coefficients.
    pub output: &'a mut [u64],
}

impl Kernel for Sum<'_, '_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let vectors = self.system.quotient_lanes.len();
        let (mut low, mut high) = (vec![Line::ZERO; vectors], vec![Line::ZERO; vectors]);
        let mut total = vec![0; (LANES * vectors / 2 + 1).max(self.system.product.sum_words())];
        for (row, out) in self.temp.iter().zip(self.output.chunks_exact_mut(self.limbs)) {
            let residues = words(row);
            for (column, at) in self.system.quotient_lanes.iter().zip(0..) {
                let sum = Halves::of_products(l, column, residues);
                l.store(&mut low[at], sum.low);
                l.store(&mut high[at], sum.high);
            }
            add_up(words(&low), words(&high), &mut total);
            self.system.product.reduce(&mut total, out, self.bits);
        }
    }
}

/// The sum of `(low[k] + high[k] * 2^32) * 2^(32 * k)`, with halves below 2^40, in scalar code.
fn add_up(low: &[u64], high: &[u64], total: &mut [u64]) {
    let (words, rest) = total.split_at_mut(low.len() / 2);
    // what the words below add to the next word of 32 bits
    let mut above = 0;
    for ((word, low), high) in words.iter_mut().zip(low.chunks_exact(2)).zip(high.chunks_exact(2)) {
        let first = low[0] + above;
        let second = low[1] + high[0] + (first >> 32);
        *word = first & 0xffff_ffff | second << 32;
        above = high[1] + (second >> 32);
    }
    rest.fill(0);
    rest[0] = above;
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::correct;
    use super::super::{Counted, Instructions};
    use super::*;

    #[test]
    fn eight_greatest_products_fit() {
        assert!(TERMS as u128 * ((1 << 32) - 1) * ((1 << 29) - 1) < 1 << 64);
        let count = Instructions::default();
        let x = vec![Line([(1 << 29) - 1; 8]); 134];
        let sum = Halves::of_products(Counted(&count), &x, &[(1 << 32) - 1; 134]);
        let exact = 134 * u128::from((1u64 << 29) - 1) * u128::from((1u64 << 32) - 1);
        assert_eq!(u128::from(sum.low[3]) + (u128::from(sum.high[3]) << 32), exact);
        // a product and an addition for each term; two additions and a shift for each eight
        assert_eq!(count.arithmetic(), 2 * 134 + 3 * 17);
    }

    #[test]
    fn halves_add_up_with_carries() {
        let (low, high) = ([u64::from(u32::MAX); 8], [u64::from(u32::MAX) + 7; 8]);
        let mut total = [1; 5];
        add_up(&low, &high, &mut total);
        let mut exact = num_bigint::BigUint::ZERO;
        for k in 0..8 {
            exact += (num_bigint::BigUint::from(low[k]) + (num_bigint::BigUint::from(high[k]) << 32u32)) << (32 * k);
        }
        let mut expected = exact.to_u64_digits();
        expected.resize(5, 0);
        assert_eq!(total.to_vec(), expected);
    }

    #[test]
    fn remainders_of_words_are_below_two_primes() {
        let count = Instructions::default();
        let l = Counted(&count);
        for p in [(1u64 << 27) + 29, (1 << 29) - 3] {
            for value in [0, 1, p / 3, p - 1] {
                let by = Factors { value: [value; 8], shoup: [(value << 32) / p; 8] };
                for x in [0, 1, p - 1, 4 * p - 1, (1 << 32) - 1] {
                    let r = mod_mul::<Narrow, _>(l, [x; 8], by, [p; 8]);
                    assert!(r[0] < 2 * p && r[0] % p == (u128::from(x) * u128::from(value) % u128::from(p)) as u64);
                    assert_eq!(correct(l, r, 2, p)[0], r[0] % p);
                }
            }
        }
    }
}
