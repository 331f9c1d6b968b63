//! [`Backend::class_products`], composed of transforms and products.

use ringjet_math::Basis;

use crate::composed::temporary;
use crate::{Backend, Buf, Composed, Result, View, ViewMut, check};

impl<B: Backend + ?Sized> Composed<'_, B> {
    /// [`Backend::class_products`]: coefficients are cut out by products with zeros and ones.
    pub fn class_products(&self, dst: &mut [ViewMut<'_>], a: &[View<'_>], b: &[View<'_>], basis: &Basis) -> Result<()> {
        check::class_products("class_products", dst, [a, b], basis)?;
        let (rows, limbs, n) = (dst.len(), basis.len(), basis.n());
        let [first, second] = [a, b].map(|rows| rows.first().map_or(0, |row| row.polys()));
        let secret = dst.iter().any(|dst| dst.buf().is_secret());
        let mut parts = (0..rows).map(|_| temporary(self.0, limbs, n, secret)).collect::<Result<Vec<Buf>>>()?;
        for p in 0..first {
            let mut coefficients = temporary(self.0, rows * limbs, n, secret)?;
            for (j, a) in a.iter().enumerate() {
                self.0.copy(coefficients.view_mut(rows).poly(j), a.poly(p))?;
            }
            self.0.intt(coefficients.view_mut(rows), basis)?;
            for (i, dst) in dst.iter_mut().enumerate() {
                let mask = self.uploaded(basis, |_, c| u64::from(c % rows == i))?;
                for (j, part) in parts.iter_mut().enumerate() {
                    let x = coefficients.view(rows).poly(j);
                    self.0.mul(part.view_mut(1), x, mask.view(1), basis, false)?;
                    self.0.ntt(part.view_mut(1), basis)?;
                }
                // X^-i = -X^(N - i)
                let (place, minus) = ((n - i) % n, i > 0);
                let mut back =
                    self.uploaded(basis, |q, c| if c == place { [1, q - 1][usize::from(minus)] } else { 0 })?;
                self.0.ntt(back.view_mut(1), basis)?;
                for r in 0..second {
                    let pairs: Vec<_> = b.iter().zip(&parts).map(|(b, part)| (b.poly(r), part.view(1))).collect();
                    let mut sum = temporary(self.0, limbs, n, secret)?;
                    self.0.mul_acc(sum.view_mut(1), &pairs, basis, false)?;
                    self.0.mul(dst.reborrow().poly(second * p + r), sum.view(1), back.view(1), basis, false)?;
                }
            }
        }
        Ok(())
    }

    /// A polynomial with these words, given prime and index.
    fn uploaded(&self, basis: &Basis, word: impl Fn(u64, usize) -> u64) -> Result<Buf> {
        let (word, n) = (&word, basis.n());
        let mut buf = self.0.alloc(basis.len(), n)?;
        let words: Vec<u64> = basis.values().flat_map(|q| (0..n).map(move |c| word(q, c))).collect();
        self.0.upload(&mut buf, 0, &words)?;
        Ok(buf)
    }
}
