//! Several ciphertexts of few slots in one bootstrap.
//!
//! A ciphertext of n slots encrypts a polynomial in `X^(N / (2 n))`, so k of them are parts of one:
//!
//! ```text
//! p = sum over i < k of  X^(i * N / (2 n k)) * x_i
//! ```
//!
//! p has n * k slots, whose values are sums of k values of the ciphertexts. So p / k is bootstrapped.
//! Its sum with, and its difference from, a rotation that changes the signs of all terms with odd i are
//! twice the even and twice the odd terms. After log2(k) such steps, with k - 1 rotations, each x_i is
//! left, times k, which cancels the division. The division takes a level before the bootstrap; taking
//! apart takes none.

use super::{Bootstrapper, Parts, Steps, monomial};
use crate::circuits::bootstrappers::in_groups;
use crate::vectors::Operations;
use crate::{Ciphertext, Error, Evaluator, Parameters, Range, Result};

/// How many ciphertexts of `2^log_slots` slots share a bootstrap at most: as many as have room in the most
/// slots with keys, and twice as many of real values.
pub(crate) fn most_at_once(eval: &Evaluator, log_slots: u32, real: bool) -> usize {
    let most = eval.keys().bootstrapping().last().map_or(0, |most| most.saturating_sub(log_slots));
    (if real { 2 } else { 1 }) << most
}

/// The number of slots (a binary logarithm) with which a bootstrap takes several of these ciphertexts: the
/// smallest one with keys that has room for all of them, otherwise the largest one with keys. `None` where
/// each is bootstrapped by itself: they are few, there are no such keys, or one has no level left to
/// divide by their number.
pub(crate) fn slots_of_several(eval: &Evaluator, cts: &[&Ciphertext], real: bool) -> Result<Option<u32>> {
    let log_slots = cts[0].log_slots();
    let least = eval.context().params().expect_bootstrap()?.input_level();
    let count = cts.len().div_ceil(if real { 2 } else { 1 });
    let known = eval.keys().bootstrapping();
    // the keys for the slots of the ciphertexts have the rotations that take the result apart; very few
    // slots have no keys of their own
    if count < 2 || cts.iter().any(|ct| ct.level() <= least) || !known.contains(&log_slots) {
        return Ok(None);
    }
    let all: Vec<u32> = known.into_iter().filter(|&wide| wide > log_slots).collect();
    let enough = all.iter().find(|&&wide| count <= 1 << (wide - log_slots));
    Ok(enough.or(all.last()).copied())
}

impl Bootstrapper {
    /// Bootstraps ciphertexts of fewer slots than this bootstrapper is for, as many at a time as there is
    /// room for, and keeps their order. Each has at least one level more than a bootstrap takes. With
    /// `real` two of them are the real and imaginary parts of one: their values must be real, because an
    /// imaginary part would be subtracted from, or added to, the values of the other. The errors are those
    /// of one bootstrap of so many slots times `sqrt(k)` for k of complex values at a time, and twice that
    /// where p / k could exceed 1 (complex values whose largest magnitudes add up to more than k) and for
    /// real values. It needs the keys for this number of slots and for that of the ciphertexts.
    /// `done(count)` is called with the number of finished ciphertexts, and stops the work when it returns
    /// false.
    /// Fails as [`Bootstrapper::bootstrap_many`] does; [`Error::SlotCount`] for ciphertexts of as many
    /// slots as this bootstrapper is for.
    pub fn bootstrap_packed(
        &self,
        steps: &impl Steps,
        cts: &[&Ciphertext],
        real: bool,
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        self.expect_values()?;
        let Some(&first) = cts.first() else { return Ok(vec![]) };
        let needed = self.ctx.params().expect_bootstrap()?.input_level() + 1;
        for ct in cts {
            first.clone().everywhere().expect_packing(&(*ct).clone().everywhere())?;
            self.check(steps.evaluator(), &ct.with_log_slots(self.log_slots)?)?;
            if ct.level() < needed {
                return Err(Error::levels_exhausted("bootstrapping several in one", needed, ct.level()));
            }
        }
        let room = self.log_slots.checked_sub(first.log_slots()).filter(|&bits| bits > 0);
        let slots = first.slots();
        let room = room.ok_or(Error::SlotCount { found: slots, slots, max: slots / 2 })?;
        let parts = if real { 2 } else { 1 };
        in_groups(cts, parts << room, |group| self.run_packed(steps, group, parts), done)
    }

    /// Bootstraps ciphertexts for which there is room, each `parts` of them as one of complex values.
    fn run_packed(&self, steps: &impl Steps, cts: &[&Ciphertext], parts: usize) -> Result<Vec<Ciphertext>> {
        let (eval, log_slots) = (steps.evaluator(), cts[0].log_slots());
        let _scope = self.ctx.scope("Bootstrap");
        let complex = cts.chunks(parts).map(|pair| self.complex(eval, pair)).collect::<Result<Vec<_>>>()?;
        let stages = complex.len().next_power_of_two().trailing_zeros();
        let gap = self.ctx.params().n() >> (log_slots + 1 + stages);
        // values with real and imaginary parts of up to 1 can make p / k larger than 1
        let sum: f64 = complex.iter().map(|x| x.noise().magnitude()).sum();
        let halved = parts == 1 && sum > (1 << stages) as f64;
        let bits = stages + u32::from(parts == 2 || halved);

        let level = complex[0].level();
        let places = (0..complex.len()).map(|i| monomial(&self.ctx, level, (i * gap) as i64, self.log_slots));
        let places = places.collect::<Result<Vec<_>>>()?;
        let packed = eval.mul_plain_sum(&complex.iter().zip(&places).collect::<Vec<_>>())?;
        let packed = eval.weighted_sum(&[(&packed, f64::from(bits).exp2().recip())], level - 1)?;
        let magnitude = (sum / f64::from(bits).exp2()).min(1.0);
        let packed = packed.with_range(Range::complex(magnitude));
        let fresh = self.run(steps, &[&packed], Parts::Both, &mut |_| Ok(()))?.swap_remove(0);

        let mut all = vec![fresh.clone()];
        for stage in 0..stages {
            let back = monomial(&self.ctx, fresh.level(), -((gap << stage) as i64), self.log_slots)?;
            let steps = 1i64 << (log_slots + stages - 1 - stage);
            let (mut even, mut odd) = (Vec::with_capacity(2 * all.len()), Vec::with_capacity(all.len()));
            for x in &all {
                let turned = eval.rotate(x, steps)?;
                even.push(eval.add(x, &turned)?);
                odd.push(eval.mul_plain(&eval.sub(x, &turned)?, &back)?);
            }
            even.append(&mut odd);
            all = even;
        }
        // The stages sum the errors of 2^stages slots. Each further bit of the division is undone by a
        // doubling, which doubles the error.
        let noise = fresh.noise().plus(Parameters::switching_error(&fresh));
        let noise = noise.repacked(f64::from(2 * bits - stages).exp2());
        let mut out = Vec::with_capacity(cts.len());
        for (pair, found) in cts.chunks(parts).zip(all) {
            let separate = if parts == 2 { Self::apart(eval, &found, pair.len())? } else { vec![found] };
            for (ct, found) in pair.iter().zip(separate) {
                let found = if halved { eval.add(&found, &found)? } else { found };
                let range = ct.noise().range();
                let range = if parts == 2 { Range::within(range.largest_part(), true) } else { range };
                let found = found.with_log_slots(log_slots)?.with_noise(noise.with_range(range));
                out.push(found.with_held(ct.held()));
            }
        }
        Ok(out)
    }

    /// One ciphertext, or x + i y for two, at the level above that of a bootstrap, with the slots of this
    /// bootstrapper.
    fn complex(&self, eval: &Evaluator, pair: &[&Ciphertext]) -> Result<Ciphertext> {
        let level = self.ctx.params().expect_bootstrap()?.input_level() + 1;
        let aligned = pair.iter().map(|x| eval.align(x, level)?.everywhere().with_log_slots(self.log_slots));
        match &aligned.collect::<Result<Vec<_>>>()?[..] {
            [x, y] => eval.add(x, &eval.times_i(y)?),
            one => Ok(one[0].clone()),
        }
    }

    /// Twice the real parts, and twice the imaginary ones if `count` is 2.
    fn apart(eval: &Evaluator, x: &Ciphertext, count: usize) -> Result<Vec<Ciphertext>> {
        let conjugate = eval.conjugate(x)?;
        let mut out = vec![eval.add(x, &conjugate)?];
        if count == 2 {
            out.push(eval.times_i(&eval.sub(&conjugate, x)?)?);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringjet_math::fft::Complex64;

    use super::super::tests::chain;
    use super::*;
    use crate::rng::Seed;
    use crate::{Context, KeyPlan, Plaintext, SecretKey};

    /// Bootstraps `count` ciphertexts of 4 slots, with the bootstrapper that is chosen for them, and
    /// returns the root of the mean square of the errors, measured and stated, and the slots.
    fn bootstrapped(count: usize, real: bool, keys_of: &[u32], seed: u8) -> (f64, f64, Option<u32>) {
        let params = Parameters::new(&chain(10).generate().unwrap().0.allow_insecure()).unwrap();
        let ctx = Context::new(&params, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
        let (seed, log_slots) = (Seed::from_bytes([seed; 32]), 2);
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let plans = keys_of.iter().map(|&slots| Bootstrapper::key_plan(&params, slots).unwrap());
        let plan = plans.reduce(KeyPlan::and).unwrap();
        let keys = Arc::new(secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap());
        let eval = Evaluator::bootstrapping(&ctx, keys).unwrap();
        let level = params.bootstrap().unwrap().input_level() + 1;
        let value = |ct: usize, slot: usize| Complex64 {
            re: ((7 * ct + slot) as f64).sin(),
            im: if real { 0.0 } else { ((3 * ct + slot) as f64 * 1.7).cos() },
        };
        let encrypted = |ct: usize| {
            let values: Vec<Complex64> = (0..4).map(|slot| value(ct, slot)).collect();
            let plain = Plaintext::encode(&ctx, &values, level, params.scale(level), log_slots).unwrap();
            secret.encrypt(&ctx, &plain, &seed.derive(b"c", ct as u64)).unwrap()
        };
        let cts: Vec<Ciphertext> = (0..count).map(encrypted).collect();
        let cts: Vec<&Ciphertext> = cts.iter().collect();
        let wide = slots_of_several(&eval, &cts, real).unwrap();
        let boot = eval.bootstrapper(wide.unwrap_or(log_slots)).unwrap();
        let mut seen = vec![];
        let done = |n: usize| {
            seen.push(n);
            true
        };
        let out = match wide {
            Some(_) => boot.bootstrap_packed(&eval, &cts, real, done).unwrap(),
            None => boot.bootstrap_many(&eval, &cts, real, done).unwrap(),
        };
        assert_eq!((out.len(), seen.last()), (count, Some(&count)));
        let (mut sum, mut stated) = (0.0, 0.0f64);
        for (i, ct) in out.iter().enumerate() {
            assert_eq!((ct.level(), ct.scale(), ct.slots()), (params.top_level(), params.scale(params.top_level()), 4));
            stated = stated.max(ct.noise().error_log2().exp2());
            let got = secret.decrypt_values(&ctx, ct).unwrap().0;
            for (slot, z) in got.iter().enumerate() {
                sum += (z.re - value(i, slot).re).powi(2);
                sum += if real { (z.re - value(i, slot).re).powi(2) } else { (z.im - value(i, slot).im).powi(2) };
            }
        }
        ((sum / (8 * count) as f64).sqrt(), stated, wide)
    }

    #[test]
    fn many_ciphertexts_share_a_bootstrap() {
        for (count, real, keys, wide) in [
            (8, false, &[2, 5][..], Some(5)),
            (5, false, &[2, 5], Some(5)),
            (2, false, &[2, 3, 5], Some(3)),
            (9, false, &[2, 4], Some(4)),
            (8, true, &[2, 4, 5], Some(4)),
            (7, true, &[2, 5], Some(4)),
            (2, true, &[2, 5], None),
            (3, false, &[2], None),
        ] {
            let (measured, stated, found) = bootstrapped(count, real, keys, 5);
            println!("{count} ciphertexts, real {real}, keys {keys:?}: {measured:.3e}, stated {stated:.3e}");
            assert_eq!(found, wide, "{count} ciphertexts, real {real}, keys {keys:?}");
            assert!(measured < 1.2 * stated && measured > stated / 4.0, "{measured:.3e}, stated {stated:.3e}");
        }
    }
}
