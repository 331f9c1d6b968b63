//! Many rotations of one ciphertext.

use crate::Result;
use crate::approximate::Operations;
use crate::ckks::{Ciphertext, Evaluator};
use crate::rlwe::keyswitch::{hoist, rotations};

impl Evaluator {
    /// Several rotations of one ciphertext; the decomposition is shared (hoisting, Halevi and Shoup 2018).
    pub fn rotate_hoisted(&self, a: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>> {
        let _scope = self.ctx.scope("HRotate");
        self.check_degree("rotate_hoisted", a)?;
        self.expect_rotations(a, steps)?;
        let trivial = |s: i64| s.rem_euclid(a.slots() as i64) == 0;
        let keys = steps.iter().filter(|&&s| !trivial(s)).map(|&s| self.rotation_key(a, s));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        if keys.is_empty() {
            return Ok(vec![a.clone(); steps.len()]);
        }
        let digits = hoist(&self.ctx, a.view().poly(1), a.level())?;
        let mut turned = rotations(&self.ctx, &digits, a.level(), &keys, a.view().poly(0))?.into_iter();
        let noise = a.noise().turned(Operations::switching_error(a));
        let mut next = || self.made(a, turned.next().expect("one for each key"), 2, a.position(), noise);
        Ok(steps.iter().map(|&s| if trivial(s) { a.clone() } else { next() }).collect())
    }
}
