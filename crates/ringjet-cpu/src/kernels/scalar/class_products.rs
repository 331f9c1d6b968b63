//! Products of matrices of residues.

use ringjet_math::Modulus;

use crate::operands::class_shape::ClassShape;

/// Products of residues below 2^61 that are added before a reduction: 32 * 2^122 < 2^128.
const TERMS: usize = 32;

/// Sums that are computed at once: their words fit the registers.
const SUMS: usize = 4;

/// A block of the product, of [`ClassShape::rows_at_once`] rows and [`ClassShape::columns_at_once`] columns.
pub fn block(m: &Modulus, shape: ClassShape, left: &[u64], right: &[u64], out: &mut [u64]) {
    let (height, width) = (shape.rows_at_once(), shape.columns_at_once() * shape.lanes);
    for (r, out) in out.chunks_exact_mut(width).enumerate() {
        let x = left.chunks_exact(shape.left_lanes).skip(r).step_by(height);
        for (at, out) in out.chunks_mut(SUMS).enumerate() {
            let at = at * SUMS;
            let lane = at % shape.left_lanes;
            let terms = x.clone().map(|x| &x[lane..]).zip(right.chunks_exact(width).map(|y| &y[at..]));
            if shape.left_lanes == 1 {
                sums(m, terms, |x, _| x[0], out);
            } else {
                sums(m, terms, |x, k| x[k], out);
            }
        }
    }
}

/// `out[k]` is the sum of `of(x, k) * y[k]` over all terms (x, y).
fn sums<'a>(
    m: &Modulus,
    mut terms: impl Iterator<Item = (&'a [u64], &'a [u64])>,
    of: impl Fn(&[u64], usize) -> u64,
    out: &mut [u64],
) {
    out.fill(0);
    loop {
        let (mut count, mut sums) = (0, [0u128; SUMS]);
        for (x, y) in terms.by_ref().take(TERMS) {
            let mut add = |k: usize, y: u64| sums[k] += u128::from(of(x, k)) * u128::from(y);
            match y.first_chunk::<SUMS>() {
                Some(y) => (0..SUMS).for_each(|k| add(k, y[k])),
                None => y.iter().enumerate().for_each(|(k, &y)| add(k, y)),
            }
            count += 1;
        }
        out.iter_mut().zip(&sums).for_each(|(out, &sum)| *out = m.add(*out, m.reduce_u128(sum)));
        if count < TERMS {
            return;
        }
    }
}
