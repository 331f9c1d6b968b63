//! Base conversion in double precision.

use ringjet_math::rns::FRACTION_BITS;

use super::arith::{Constant, Factor, Field, Floors, Prime, Sum, TERMS, decode, encode, of_integer};
use super::lanes::Lanes;
use super::native::native;

native! {
    /// `y = x * w mod q`.
    pub fn scale(p: &Prime, x: &[u64], w: Constant, y: &mut [u64]) => scale_on
}

#[inline(always)]
fn scale_on<V: Lanes>(p: &Prime, x: &[u64], w: Constant, y: &mut [u64]) {
    assert!(x.len() == y.len() && x.len().is_multiple_of(V::COUNT));
    let (f, w) = (Field::<V>::new(p), Factor::splat(w));
    for i in (0..x.len()).step_by(V::COUNT) {
        // SAFETY: i + COUNT is at most the length of both.
        unsafe {
            let product = f.mul_const(encode(V::load(x.as_ptr().add(i))), w);
            decode(f.unsign(product)).store(y.as_mut_ptr().add(i));
        }
    }
}

/// A source prime, and the factor that turns its residues into fractions times 2^52.
pub type Source = (Prime, f64);

/// A [`Source`] of `bits` bits whose residues, shifted to 52 bits, are multiplied by `ratio`, which
/// is below 2^51.
pub fn source(p: Prime, bits: u32, ratio: u64) -> Source {
    (p, ratio as f64 * (1u64 << (52 - bits)) as f64)
}

native! {
    /// The rows that all outputs use, as [`output`] takes them: the bits of the centred residues of each
    /// source, then those of the quotients. Centred residues are less by the prime where they were
    /// above its half, so the quotient is less by one for each of them.
    pub fn common(sources: &[Source], y: &[&[u64]], rows: &mut [u64]) => common_on
}

#[inline(always)]
fn common_on<V: Lanes>(sources: &[Source], y: &[&[u64]], rows: &mut [u64]) {
    let n = rows.len() / (sources.len() + 1);
    assert!(sources.len() == y.len() && rows.len() == (y.len() + 1) * n && y.iter().all(|y| y.len() == n));
    assert!(n.is_multiple_of(V::COUNT));
    for i in (0..n).step_by(V::COUNT) {
        let (mut sum, mut above) = (Floors::<V>::zero(), V::splat(0.0));
        for (k, ((p, ratio), y)) in sources.iter().zip(y).enumerate() {
            let f = Field::<V>::new(p);
            // SAFETY: i + COUNT is at most the length of every row.
            unsafe {
                let x = encode(V::load(y.as_ptr().add(i)));
                sum.add(x, V::splat(*ratio));
                above = above.add_bits(f.above_half(x));
                f.centre(x).store(rows.as_mut_ptr().add(k * n + i));
            }
        }
        let quotient = sum.rounded::<{ FRACTION_BITS as i32 }>(y.len()).add_bits(above);
        // SAFETY: as above; the quotients are the row after those of all sources.
        unsafe { of_integer(quotient).store(rows.as_mut_ptr().add(y.len() * n + i)) };
    }
}

native! {
    /// `out = sum of rows_i * c_i mod q`. `rows` has the bits of numbers up to 2^49 in size, one row of
    /// `out.len()` for each factor; factors are the bits of numbers up to q/2 in size.
    pub fn output(p: &Prime, rows: &[u64], factors: &[u64], out: &mut [u64]) => output_on
}

/// Vectors that are computed at once.
const AT_ONCE: usize = 4;

#[inline(always)]
fn output_on<V: Lanes>(p: &Prime, rows: &[u64], factors: &[u64], out: &mut [u64]) {
    let n = out.len();
    assert!(rows.len() == factors.len() * n && n.is_multiple_of(V::COUNT));
    let mut i = 0;
    while i + AT_ONCE * V::COUNT <= n {
        // SAFETY: a block of AT_ONCE vectors fits.
        unsafe { output_block::<V, AT_ONCE>(p, rows, factors, out, i) };
        i += AT_ONCE * V::COUNT;
    }
    while i < n {
        // SAFETY: one vector fits.
        unsafe { output_block::<V, 1>(p, rows, factors, out, i) };
        i += V::COUNT;
    }
}

/// # Safety
/// `i + U * COUNT` is at most the length of a row.
#[inline(always)]
unsafe fn output_block<V: Lanes, const U: usize>(p: &Prime, rows: &[u64], factors: &[u64], out: &mut [u64], i: usize) {
    let (f, n) = (Field::<V>::new(p), out.len());
    let mut sums = [Sum::<V>::zero(); U];
    for (group, factors) in factors.chunks(TERMS).enumerate() {
        if group > 0 {
            for sum in &mut sums {
                f.fold(sum);
            }
        }
        for (k, &factor) in factors.iter().enumerate() {
            let (w, row) = (V::splat(f64::from_bits(factor)), (group * TERMS + k) * n);
            for (u, sum) in sums.iter_mut().enumerate() {
                // SAFETY: by the caller's promise.
                sum.add(unsafe { V::load(rows.as_ptr().add(row + i + u * V::COUNT)) }, w);
            }
        }
    }
    for (u, sum) in sums.into_iter().enumerate() {
        // SAFETY: by the caller's promise.
        unsafe { decode(f.unsign(f.total(sum))).store(out.as_mut_ptr().add(i + u * V::COUNT)) };
    }
}
