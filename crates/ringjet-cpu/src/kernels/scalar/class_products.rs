//! Products of matrices of residues.

use ringjet_math::Modulus;

use crate::operands::class_shape::ClassShape;

/// Products of residues below 2^61 that are added before a reduction: 32 * 2^122 < 2^128.
const TERMS: usize = 32;

/// A block of the product: rows from `row` and columns from `column` on, into `out`.
pub fn block(m: &Modulus, shape: ClassShape, left: &[u64], right: &[u64], out: &mut [u64]) {
    let (height, width) = (shape.rows_at_once(), shape.columns_at_once() * shape.lanes);
    for (r, out) in out.chunks_exact_mut(width).enumerate() {
        for (at, out) in out.iter_mut().enumerate() {
            let x = |j: usize| left[(j * height + r) * shape.left_lanes + at % shape.left_lanes];
            let mut sum = 0;
            for from in (0..shape.rows).step_by(TERMS) {
                let terms = from..shape.rows.min(from + TERMS);
                let products = terms.map(|j| u128::from(x(j)) * u128::from(right[j * width + at])).sum::<u128>();
                sum = m.add(sum, m.reduce_u128(products));
            }
            *out = sum;
        }
    }
}
