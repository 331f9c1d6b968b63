//! Rotations and conjugation.

use ringjet_backend::Buf;

use crate::ckks::{Ciphertext, Evaluator, noise};
use crate::rlwe::keyswitch::{Finish, apply, expect_rotations, hoist, rotations};
use crate::{Error, Result, SwitchingKey};

impl Evaluator {
    /// `a` under the automorphism `galois`, whose key is `key`.
    fn galois(&self, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Ciphertext> {
        let (params, level) = (self.ctx.params(), a.level());
        let automorphism = params.automorphism(galois);
        let finish = Finish {
            add: a.view().poly(0),
            division: &params.level(level).mod_down,
            automorphism: Some(&automorphism),
        };
        Ok(self.turned(a, apply(&self.ctx, a.view().poly(1), level, key, finish)?))
    }

    /// `a` under an automorphism, of which `buf` has the polynomials.
    fn turned(&self, a: &Ciphertext, buf: Buf) -> Ciphertext {
        let (params, level) = (self.ctx.params(), a.level());
        let noise = a.noise().turned(noise::switched(params, level));
        self.build(buf, 2, a, level, a.scale(), noise)
    }

    /// Rotates the slots by `steps` to the left (`steps < 0`: to the right): slot j gets the value of slot j + steps.
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        if steps.rem_euclid(a.slots() as i64) == 0 {
            return Ok(a.clone());
        }
        let (galois, key) = self.rotation_key(a, steps)?;
        self.galois(a, galois, key)
    }

    /// The automorphism of a rotation by `steps` of all N/2 slots, whatever the packing.
    pub(crate) fn rotate_full(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        self.galois(a, self.ctx.params().rotation_element(steps), self.keys.rotation(steps)?)
    }

    /// A key that rotates `a` by `steps`: with sparse packing, any rotation equal to it modulo the number of slots does.
    pub(crate) fn rotation_key(&self, a: &Ciphertext, steps: i64) -> Result<(u32, &SwitchingKey)> {
        let (params, slots) = (self.ctx.params(), a.slots() as i64);
        let equal = (0..(params.max_slots() as i64 / slots)).map(|k| steps + k * slots);
        let keys = equal.filter_map(|s| Some((params.rotation_element(s), self.keys.rotation(s).ok()?)));
        // one that serves the ciphertext's level, or else the one that serves the highest, whose refusal says more; of equal
        // ones the first, which is what was asked for where there are keys for everything
        let found = keys.rev().max_by_key(|(_, key)| key.level().min(a.level()));
        found.ok_or(Error::MissingRotationKey { rotation: steps })
    }

    /// Refuses where keys for some of these rotations of `a` are missing, naming them all.
    pub(crate) fn expect_rotations(&self, a: &Ciphertext, steps: &[i64]) -> Result<()> {
        expect_rotations(a.slots(), steps, |s| self.rotation_key(a, s).is_ok())
    }

    /// Complex conjugate of every slot.
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Conjugate");
        self.check_degree("conjugate", a)?;
        let key = self.keys.conjugation()?;
        self.galois(a, self.ctx.params().conjugation_element(), key)
    }

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
        let mut next = || self.turned(a, turned.next().expect("one for each key"));
        Ok(steps.iter().map(|&s| if trivial(s) { a.clone() } else { next() }).collect())
    }
}
