//! Sums of products of rotations with polynomials, before any division.

use super::limbs::{Limbs, part};
use super::policy::Caching;
use crate::Part;
use crate::operation::RotateSumShape;

/// The inner products of all terms with keys, then the sums.
pub fn rotate_sum(of: Limbs, s: &RotateSumShape) -> Vec<Part> {
    let (beta, limbs) = (s.digits, s.limbs);
    // pairs: results of the terms; digits, addends: digits and added polynomials that are read
    let pairs = s.switched + s.unswitched;
    let (digits, addends) = if of.has(Caching::BetaLimbs) {
        let shared = if s.unswitched > 0 { 2 } else { s.switched.min(1) };
        (s.switched.min(1), if s.adds_each { s.switched + 2 * s.unswitched } else { shared })
    } else {
        (s.switched, s.switched + 2 * s.unswitched)
    };
    let mut inner = of.products(2 * beta * limbs * s.switched, (2 * beta.saturating_sub(1) + 1) * limbs * s.switched)
        + of.automorphisms(2 * limbs * s.turned)
        + of.key(2 * beta * limbs * s.switched)
        + of.traffic(digits * beta * limbs + addends * limbs, 0);
    // an automorphism permutes tiles of the keys, and tiles of the digits, which stay in a cache
    inner.tiled_reads = of.key(2 * beta * limbs * s.turned.min(s.switched)).key_reads;
    let written = if s.accumulate { 2 * limbs * s.sums } else { 0 };
    let sums = (2 * limbs * (s.products + s.ones) + written).saturating_sub(2 * limbs * s.sums);
    let mut outer = of.products(2 * limbs * s.products, sums) + of.traffic(written, 2 * limbs * s.sums);
    outer.plain_reads += s.factor_words as u64;
    if !of.has(Caching::BetaLimbs) {
        inner += of.traffic(0, 2 * limbs * pairs);
        outer += of.traffic(2 * limbs * (s.products + s.ones), 0);
        if !of.has(Caching::Limb) {
            let again = 2 * limbs * (s.products + s.ones).saturating_sub(s.sums);
            outer += of.traffic(again, again);
            inner += of.traffic(2 * limbs * s.turned, 2 * limbs * s.turned);
        }
    }
    vec![part("key_inner_product", inner), part("mul_acc", outer)]
}
