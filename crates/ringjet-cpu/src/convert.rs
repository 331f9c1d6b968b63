//! A base conversion prepared for the kernels: the constants of [`BaseConversion`], optionally with a further factor
//! for each output limb, in the form each prime's kernel wants.

use std::ops::Range;
use std::sync::Arc;

use ringjet_math::BaseConversion;

use crate::field::Field;
use crate::path::Path;
use crate::scalar;
#[cfg(target_arch = "x86_64")]
use crate::ifma;

/// Coefficients that a conversion treats at once: the rows of nine limbs and an output fit the first-level cache.
pub const TILE: usize = 256;

/// Prepared constants. Cheap enough (some ten nanoseconds for each pair of limbs) to be made for each call.
#[derive(Debug)]
pub struct Conversion<'a> {
    conv: &'a BaseConversion,
    src: Vec<Arc<Field>>,
    dst: Vec<Arc<Field>>,
    /// For each output limb: the factors of the source limbs and of the quotient, in the form of its path.
    rows: Vec<(Path, Vec<u64>)>,
}

impl<'a> Conversion<'a> {
    /// Constants of `conv`; output limb j is multiplied by `factors[j]` where given.
    pub fn new(conv: &'a BaseConversion, src: Vec<Arc<Field>>, dst: Vec<Arc<Field>>, factors: Option<&[u64]>) -> Self {
        let narrow = src.len() <= ifma::baseconv::LIMBS && src.iter().all(|f| f.path == Path::Ifma);
        let row = |(j, f): (usize, &Arc<Field>)| {
            let m = &f.modulus;
            let minus = m.neg(conv.product[j]);
            let plain = conv.hat[j].iter().copied().chain([minus]);
            let multiplied = plain.map(|c| factors.map_or(c, |by| m.mul(c, by[j])));
            match (&f.ifma, f.path) {
                (Some(r), Path::Ifma) if narrow => (Path::Ifma, multiplied.map(|c| r.scaled(m, c)).collect()),
                _ => (Path::Scalar, multiplied.collect()),
            }
        };
        let rows = dst.iter().enumerate().map(row).collect();
        Self { conv, src, dst, rows }
    }

    /// Number of source limbs.
    pub fn inputs(&self) -> usize {
        self.src.len()
    }

    /// Number of output limbs.
    pub fn outputs(&self) -> usize {
        self.dst.len()
    }

    /// `y = x hat_inverse mod d_i` of source limb i, and its part of the quotient added to `sum`.
    pub fn digits(&self, i: usize, x: &[u64], y: &mut [u64], sum: &mut [u64]) {
        let (f, w) = (&self.src[i], self.conv.hat_inverse[i]);
        #[cfg(target_arch = "x86_64")]
        if let (Some(r), Path::Ifma) = (&f.ifma, f.path) {
            let (w, shift, ratio) = (r.constant(&f.modulus, w), 52 - f.modulus.bits(), self.conv.fraction[i]);
            // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and IFMA.
            return unsafe { ifma::baseconv::digits(r, x, Some(w), shift, ratio, y, sum) };
        }
        scalar::baseconv::scale(&f.modulus, x, w, y);
        scalar::baseconv::fractions(&f.modulus, y, self.conv.fraction[i], sum);
    }

    /// The quotients v from all limbs' scaled words `y`, one row each.
    pub fn quotients(&self, y: &[&[u64]], v: &mut [u64]) {
        v.fill(0);
        for (i, (f, y)) in self.src.iter().zip(y).enumerate() {
            let ratio = self.conv.fraction[i];
            #[cfg(target_arch = "x86_64")]
            if f.path == Path::Ifma {
                // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and IFMA.
                unsafe { ifma::baseconv::fractions(y, 52 - f.modulus.bits(), ratio, v) };
                continue;
            }
            scalar::baseconv::fractions(&f.modulus, y, ratio, v);
        }
        scalar::baseconv::round(v);
    }

    /// Output limbs `outputs` from the scaled words `rows`, one row for each source limb, tile after tile:
    /// `out(j, from, to)` is where words `from..to` of output limb j go.
    pub fn run<'o>(&self, rows: &[&[u64]], outputs: Range<usize>, out: impl Fn(usize, usize, usize) -> &'o mut [u64]) {
        let n = rows.first().map_or(0, |r| r.len());
        let tile = TILE.min(n);
        let mut v = [0; TILE];
        let v = &mut v[..tile];
        let mut y = Vec::with_capacity(rows.len());
        for from in (0..n).step_by(tile.max(1)) {
            let to = from + tile;
            y.clear();
            y.extend(rows.iter().map(|r| &r[from..to]));
            self.quotients(&y, v);
            for j in outputs.clone() {
                // While one limb is computed, the next one's lines and the next tile's rows are on their way.
                let write = if j + 1 < outputs.end { out(j + 1, from, to).as_ptr() } else { y[0].as_ptr() };
                let read = y[j % y.len()].as_ptr().wrapping_add(tile);
                self.output(j, &y, v, out(j, from, to), [write, read]);
            }
        }
    }

    /// Output limb j from the rows `y` and the quotients `v`. The words at `next` are prefetched.
    pub fn output(&self, j: usize, y: &[&[u64]], v: &[u64], out: &mut [u64], next: [*const u64; 2]) {
        let (path, row) = &self.rows[j];
        let f = &self.dst[j];
        #[cfg(target_arch = "x86_64")]
        if let (Some(r), Path::Ifma) = (&f.ifma, path) {
            // SAFETY: as above.
            return unsafe { ifma::baseconv::output(r, y, v, row, out, next) };
        }
        scalar::baseconv::output(&f.modulus, y, v, row, out);
    }
}
