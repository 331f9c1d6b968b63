//! Products with plaintexts.

use crate::approximate::expect_scales;
use crate::ckks::ciphertext::Position;
use crate::ckks::{Ciphertext, Evaluator, Plaintext};
use crate::{Error, Noise, Result};

impl Evaluator {
    /// `a p`, slot by slot; levels must agree, scales multiply, no rescaling.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        let scale = a.scale() * p.scale();
        let noise = a.noise().product(p.noise(), scale);
        a.expect_room("mul_plain", noise)?;
        let mut buf = self.ctx.alloc(a.polys() * a.basis().len())?;
        self.ctx.backend().mul(buf.view_mut(a.polys()), a.view(), p.view(), a.basis(), false)?;
        Ok(self.made(a, buf, a.polys(), Position { scale, ..a.position() }, noise))
    }

    /// `sum of a_i p_i` without rescaling: one pass over the data. Levels and packings must agree, and so must the
    /// products of scales.
    pub fn mul_plain_sum(&self, pairs: &[(&Ciphertext, &Plaintext)]) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        let Some(&(first, p)) = pairs.first() else {
            return Err(Error::none("pairs"));
        };
        let (op, scale) = ("mul_plain_sum", first.scale() * p.scale());
        let mut owner = self.owner(first);
        for (a, p) in pairs {
            self.check_pair(op, first, a)?;
            owner = owner.join("ciphertext", a.key_id())?;
            self.check_degree(op, a)?;
            self.check_plain(op, a, p)?;
            expect_scales(op, scale, a.scale() * p.scale())?;
        }
        let noise = pairs.iter().map(|(a, p)| a.noise().product(p.noise(), scale)).reduce(Noise::sum);
        let noise = noise.unwrap_or(first.noise());
        first.expect_room(op, noise)?;
        let mut buf = self.ctx.alloc(2 * first.basis().len())?;
        let views: Vec<_> = pairs.iter().map(|(a, p)| (a.view(), p.view())).collect();
        self.ctx.backend().mul_acc(buf.view_mut(2), &views, first.basis(), false)?;
        Ok(self.made(first, buf, 2, Position { scale, ..first.position() }, noise).with_key(owner))
    }
}
