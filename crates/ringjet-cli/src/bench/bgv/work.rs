//! The work of each bench of the exact schemes, and the check of its result.

use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::bgv::{Ciphertext, Context, Evaluator, Plaintext, Product, PublicKey, SecretKey};
use ringjet::rng::Seed;

use super::super::measure::Body;
use super::super::work::{HOISTED, synced, transforms};
use crate::Result;
use crate::client::{rotated, vector};

pub fn product_of(name: &str) -> Product {
    if name.starts_with("bfv") { Product::Bfv } else { Product::Bgv }
}

/// Keys, an evaluator, and two encrypted vectors of integers that are uniform modulo t.
pub struct Rig {
    ctx: Context,
    level: usize,
    secret: SecretKey,
    eval: Evaluator,
    values: [Vec<i64>; 2],
    plain: [Plaintext; 2],
    ct: [Ciphertext; 2],
}

impl Rig {
    /// Makes the keys that the benches `names` use, and ciphertexts at `level`.
    pub fn new(ctx: &Context, level: usize, names: &[&str]) -> Result<Self> {
        let params = ctx.params();
        let ends = |end: &str| names.iter().any(|name| name.ends_with(end));
        let rotations = if ends("_rotate_hoisted8") { &HOISTED[..] } else { &HOISTED[..usize::from(ends("_rotate"))] };
        let plan = KeyPlan::rotations(rotations.iter().copied());
        let secret = SecretKey::generate(params)?;
        let keys = secret.evaluation_keys(ctx, &plan, &Seed::from_os()?, |_, _| true)?;
        // products of these values fit 64 bits
        let half = (params.t() / 2).min(1 << 30) as f64;
        let integers = |seed| vector(params.slots(), seed).iter().map(|z| (z.re * half).round() as i64).collect();
        let values: [Vec<i64>; 2] = [integers(1), integers(2)];
        let plain = [Plaintext::encode(ctx, &values[0], level)?, Plaintext::encode(ctx, &values[1], level)?];
        let encrypt = |plain| -> Result<Ciphertext> { Ok(secret.encrypt(ctx, plain, &Seed::from_os()?)?) };
        let ct = [encrypt(&plain[0])?, encrypt(&plain[1])?];
        let eval = Evaluator::new(ctx, Arc::new(keys))?;
        Ok(Self { ctx: ctx.clone(), level, secret, eval, values, plain, ct })
    }

    /// Runs a bench once and checks its result. Returns the work to time.
    pub fn prepare(&self, name: &str) -> Result<Body<'_>> {
        let (_, operation) = name.split_once('_').ok_or("no such bench")?;
        let backend = self.ctx.backend();
        if let "ntt" | "intt" = operation {
            return transforms(backend, &self.ctx.params().level(self.level).basis, 2, operation == "ntt");
        }
        Ok(synced(backend, (self.body(operation)?, 0.0)).0)
    }

    fn body(&self, operation: &str) -> Result<Body<'_>> {
        let (ctx, secret, e) = (&self.ctx, &self.secret, &self.eval);
        let ([a, b], [v, w], [p, q]) = (&self.ct, &self.values, &self.plain);
        let product = || v.iter().zip(w).map(|(x, y)| x * y).collect();
        let turned = |steps: usize| v.chunks(v.len() / 2).flat_map(|row| rotated(row, steps)).collect();
        match operation {
            "encode" => {
                self.expect(&Plaintext::encode(ctx, v, self.level)?.decode(ctx)?, v)?;
                Ok(Box::new(|| Ok(Plaintext::encode(ctx, v, self.level).map(drop)?)))
            }
            "decode" => {
                self.expect(&p.decode(ctx)?, v)?;
                Ok(Box::new(|| Ok(p.decode(ctx).map(drop)?)))
            }
            "encrypt" => {
                let key = PublicKey::generate(ctx, secret, &Seed::from_os()?)?;
                self.operation(v.clone(), move || key.encrypt(ctx, p, &Seed::from_os()?))
            }
            "encrypt_sk" => self.operation(v.clone(), || secret.encrypt(ctx, p, &Seed::from_os()?)),
            "decrypt" => {
                self.expect(&secret.decrypt(ctx, a)?.decode(ctx)?, v)?;
                Ok(Box::new(|| Ok(secret.decrypt(ctx, a).map(drop)?)))
            }
            "add" => self.operation(v.iter().zip(w).map(|(x, y)| x + y).collect(), || e.add(a, b)),
            "mul_plain" => self.operation(product(), || e.mul_plain(a, q)),
            "mul_prepared" => {
                let q = q.prepare(ctx, self.level)?;
                self.operation(product(), move || e.mul_prepared(a, &q))
            }
            "mul_values" => self.operation(product(), || e.mul_plain(a, &Plaintext::encode(ctx, w, self.level)?)),
            "mul_kept" => self.operation(product(), || e.mul_integers(a, w)),
            "mul" => self.operation(product(), || e.mul(a, b)),
            "mul_relin" => self.operation(product(), || e.mul_relin(a, b)),
            "mul_relin_switch" => self.operation(product(), || e.relinearize_switch(&e.mul(a, b)?)),
            "switch" => {
                let below = self.level.checked_sub(1).ok_or("there is no level below")?;
                self.operation(v.clone(), move || e.switch_to(a, below))
            }
            "rotate" => self.operation(turned(1), || e.rotate(a, 1)),
            "rotate_hoisted8" => {
                for (ct, steps) in e.rotate_hoisted(a, &HOISTED)?.iter().zip(HOISTED) {
                    self.check(ct, turned(steps as usize))?;
                }
                Ok(Box::new(|| Ok(e.rotate_hoisted(a, &HOISTED).map(drop)?)))
            }
            _ => Err(format!("no bench {operation}").into()),
        }
    }

    /// The work to time for an operation, after a check of its result.
    fn operation<'a>(
        &'a self,
        want: Vec<i64>,
        work: impl Fn() -> ringjet::Result<Ciphertext> + 'a,
    ) -> Result<Body<'a>> {
        self.check(&work()?, want)?;
        Ok(Box::new(move || Ok(work().map(drop)?)))
    }

    /// Refuses a ciphertext that does not hold the integers `want` modulo t.
    fn check(&self, ct: &Ciphertext, want: Vec<i64>) -> Result<()> {
        self.expect(&self.secret.decrypt_integers(&self.ctx, ct)?, &want)
    }

    fn expect(&self, got: &[i64], want: &[i64]) -> Result<()> {
        let t = self.ctx.params().t() as i128;
        let differs = |(&got, &want): (&i64, &i64)| (i128::from(got) - i128::from(want)) % t != 0;
        let wrong = got.iter().zip(want).position(differs);
        match wrong.or((got.len() != want.len()).then_some(got.len())) {
            Some(slot) => Err(format!("wrong result: slot {slot} differs modulo {t}").into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use ringjet::bgv::{ParamSpec, Parameters};

    use super::*;

    #[test]
    fn a_wrong_slot_is_found() {
        let params = Parameters::new(&ParamSpec::uniform(5, 257, &[50], &[50]).allow_insecure()).unwrap();
        let ctx = Context::new(&params, Arc::new(ringjet_backend::Reference::default()));
        let rig = Rig::new(&ctx, 0, &[]).unwrap();
        let mut want = rig.values[0].clone();
        want[31] += 257;
        rig.check(&rig.ct[0], want.clone()).unwrap();
        want[31] += 1;
        assert!(rig.check(&rig.ct[0], want).unwrap_err().to_string().contains("slot 31"));
        assert!(rig.expect(&rig.values[0][1..], &rig.values[0][1..16]).is_err());
    }
}
