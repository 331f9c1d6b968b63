//! The programs of `ringjet digest`: seeded keys and inputs, and the bytes of the results.
//!
//! Inputs are made by integer arithmetic and division by a power of two. The library's own tables
//! are made without the system's mathematical functions. So the bytes are the same on every machine.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use clap::ValueEnum;
use ringjet::circuits::{Basis, LinearTransform, Polynomial, inner_sum_rotations};
use ringjet::rng::Seed;
use ringjet::{
    Bootstrapper, Ciphertext, Context, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey, bgv, heaan,
};
use ringjet_backend::{Backend, Width};
use ringjet_math::fft::Complex64;
use serde::{Deserialize, Serialize};

use super::boot;
use crate::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// CKKS: a product with relinearization and rescaling, its rotation, and their sum
    Product,
    /// CKKS: a product with a matrix of eight diagonals, by sums of hoisted rotations
    RotateSum,
    /// CKKS: eight rotations of one ciphertext
    Hoisted,
    /// BGV: a product
    Bgv,
    /// HEAAN: a product and a rotation
    Heaan,
    /// CKKS: one step of the training of a logistic regression
    GradientStep,
    /// CKKS: a bootstrap of n16-boot
    Bootstrap,
    /// CKKS: a bootstrap of n16-boot-48, whose residues take 6 bytes on a GPU
    Bootstrap48,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
    }
}

/// What a program computed.
pub struct Done {
    pub log_n: u32,
    pub backend: String,
    pub results: Vec<(&'static str, Vec<u8>)>,
    /// Seconds of each repetition.
    pub seconds: Vec<f64>,
}

type Open<'a> = &'a dyn Fn(Width) -> Result<Arc<dyn Backend>>;

/// The steps of the hoisted rotations.
const STEPS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
/// A polynomial of degree 3 near `1 / (1 + e^x)` from -8 to 8, of Kim et al. (ePrint 2018/254).
const SIGMOID: [f64; 4] = [0.5, -1.20096 / 8.0, 0.0, 0.81562 / 512.0];

impl Program {
    /// Runs the program at full size, or in a ring of degree `2^log_n`. `repeat`: how many further
    /// gradient steps to time.
    pub fn run(self, open: Open, log_n: Option<u32>, repeat: usize) -> Result<Done> {
        match self {
            Self::Product => {
                let rig = Rig::new(&ckks(log_n)?, open, |_| Ok(KeyPlan::rotations([1])))?;
                let [x, y] = [rig.encrypted(1)?, rig.encrypted(2)?];
                let product = rig.eval.mul_relin_rescale(&x, &y)?;
                let turned = rig.eval.rotate(&product, 1)?;
                let sum = rig.eval.add(&product, &turned)?;
                rig.done([("input", &x), ("product", &product), ("rotation", &turned), ("sum", &sum)])
            }
            Self::RotateSum => {
                let params = ckks(log_n)?;
                let slots = params.max_slots();
                let diagonals: BTreeMap<usize, Vec<Complex64>> =
                    (0..8).map(|k| (k, values(slots, 10 + k as u64))).collect();
                let matrix = LinearTransform::from_diagonals(slots, diagonals)?;
                let rig = Rig::new(&params, open, |_| Ok(KeyPlan::rotations(matrix.rotations())))?;
                let x = rig.encrypted(1)?;
                let out = matrix.encode(&rig.ctx, params.top_level())?.apply(&rig.eval, &x)?;
                rig.done([("input", &x), ("product", &out)])
            }
            Self::Hoisted => {
                let rig = Rig::new(&ckks(log_n)?, open, |_| Ok(KeyPlan::rotations(STEPS)))?;
                let x = rig.encrypted(1)?;
                let turned = rig.eval.rotate_hoisted(&x, &STEPS)?;
                let names = ["1", "2", "3", "4", "5", "6", "7", "8"];
                rig.done(std::iter::once(("input", &x)).chain(names.into_iter().zip(&turned)))
            }
            Self::GradientStep => gradient_step(&ckks(log_n)?, open, repeat),
            Self::Bgv => bgv_product(open, log_n),
            Self::Heaan => heaan_product(open, log_n),
            Self::Bootstrap => bootstrap("n16-boot", open, log_n),
            Self::Bootstrap48 => bootstrap("n16-boot-48", open, log_n),
        }
    }
}

fn seed() -> Seed {
    Seed::from_bytes([29; 32])
}

/// Values from -1 to 1, of 11 bits.
fn integers(count: usize, number: u64) -> impl Iterator<Item = i64> {
    (0..count as u64).map(move |i| ((i * i * 40_503 + i * (2 * number + 1) * 977 + number) % 2048) as i64 - 1024)
}

fn values(count: usize, number: u64) -> Vec<Complex64> {
    let parts: Vec<f64> = integers(2 * count, number).map(|v| v as f64 / 1024.0).collect();
    parts.chunks_exact(2).map(|z| Complex64 { re: z[0], im: z[1] }).collect()
}

/// `n16-depth24`, or a chain of 7 levels in a small ring.
fn ckks(log_n: Option<u32>) -> Result<Parameters> {
    Ok(match log_n {
        None => ringjet::preset("n16-depth24")?,
        Some(log_n) => Parameters::new(&ParamSpec::uniform(log_n, 50, 7, 45, 3).allow_insecure())?,
    })
}

/// A client and a server of CKKS.
struct Rig {
    ctx: Context,
    secret: SecretKey,
    eval: Evaluator,
}

impl Rig {
    fn new(params: &Parameters, open: Open, plan: impl FnOnce(&Parameters) -> Result<KeyPlan>) -> Result<Self> {
        let ctx = Context::new(params, open(Width::of(params.extended()))?);
        let secret = SecretKey::from_seed(params, &seed().derive(b"s", 0))?;
        let keys = secret.evaluation_keys(&ctx, &plan(params)?, &seed().derive(b"e", 0), |_, _| true)?;
        let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys))?;
        Ok(Self { ctx, secret, eval })
    }

    fn encrypted(&self, number: u64) -> Result<Ciphertext> {
        let params = self.ctx.params();
        self.encrypted_at(&values(params.max_slots(), number), number, params.top_level())
    }

    fn encrypted_at(&self, values: &[Complex64], number: u64, level: usize) -> Result<Ciphertext> {
        let params = self.ctx.params();
        let plain = Plaintext::encode(&self.ctx, values, level, params.scale(level), params.log_n() - 1)?;
        Ok(self.secret.encrypt(&self.ctx, &plain, &seed().derive(b"c", number))?)
    }

    fn done<'a>(&self, results: impl IntoIterator<Item = (&'static str, &'a Ciphertext)>) -> Result<Done> {
        let bytes = |(name, x): (_, &Ciphertext)| Ok((name, x.to_bytes(&self.ctx)?));
        done(self.ctx.params().log_n(), self.ctx.backend(), results.into_iter().map(bytes))
    }
}

fn done(
    log_n: u32,
    backend: &dyn Backend,
    results: impl Iterator<Item = Result<(&'static str, Vec<u8>)>>,
) -> Result<Done> {
    Ok(Done { log_n, backend: backend.id().name().into(), results: results.collect::<Result<_>>()?, seconds: vec![] })
}

/// One step of gradient descent for a logistic regression, as Kim et al. (ePrint 2018/254) pack it:
/// a row of slots for each sample, with its features times its label, and the weights in every row.
fn gradient_step(params: &Parameters, open: Open, repeat: usize) -> Result<Done> {
    let slots = params.max_slots();
    let features = if params.log_n() > 12 { 256 } else { 16 };
    let samples = slots / features;
    let rotations = [(1, features), (-1, features), (features as i64, samples)];
    let rotations = rotations.into_iter().flat_map(|(stride, count)| inner_sum_rotations(stride, count));
    let rig = Rig::new(params, open, |_| Ok(KeyPlan::rotations(rotations)))?;
    let (eval, top) = (&rig.eval, params.top_level());
    let small = |number, shrink: f64, period| -> Vec<Complex64> {
        let some: Vec<f64> = integers(period, number).map(|v| v as f64 / 1024.0 / shrink).collect();
        (0..slots).map(|i| Complex64 { re: some[i % period], im: 0.0 }).collect()
    };
    let data = rig.encrypted_at(&small(1, 1.0, slots), 1, top)?;
    let weights = rig.encrypted_at(&small(2, 64.0, features), 2, top)?;
    let first: Vec<Complex64> =
        (0..slots).map(|i| Complex64 { re: f64::from(u8::from(i % features == 0)), im: 0.0 }).collect();
    let products = || -> Result<Ciphertext> { Ok(eval.inner_sum(&eval.mul_auto(&data, &weights)?, 1, features)?) };
    let level = products()?.level();
    let mask = Plaintext::encode(&rig.ctx, &first, level, params.scale(level), params.log_n() - 1)?;
    let sigmoid = Polynomial::new(Basis::Power, &SIGMOID)?;
    let step = || -> Result<[Ciphertext; 2]> {
        let margins = eval.inner_sum_of(&eval.mul_plain_auto(&products()?, &mask)?, -1, features, 1)?;
        let factors = eval.polynomial(&margins, &sigmoid)?;
        let gradient = eval.inner_sum(&eval.mul_auto(&factors, &data)?, features as i64, samples)?;
        let step = eval.mul_scalar_auto(&gradient, 1.0 / samples as f64)?;
        Ok([margins, eval.add_auto(&weights, &step)?])
    };
    let [margins, updated] = step()?;
    let again = |_| {
        let start = Instant::now();
        step()?;
        rig.ctx.backend().sync()?;
        Ok(start.elapsed().as_secs_f64())
    };
    let seconds = (0..repeat).map(again).collect::<Result<_>>()?;
    let results = [("data", &data), ("weights", &weights), ("margins", &margins), ("updated weights", &updated)];
    Ok(Done { seconds, ..rig.done(results)? })
}

fn bootstrap(preset: &str, open: Open, log_n: Option<u32>) -> Result<Done> {
    let params = match log_n {
        None => ringjet::preset(preset)?,
        Some(log_n) => boot::parameters(boot::chain(preset)?.shrunk(log_n)?.generate()?.0)?,
    };
    let slots = params.log_n() - 1;
    let level = params.bootstrap().ok_or("these parameters do not bootstrap")?.input_level();
    let rig = Rig::new(&params, open, |params| Ok(Bootstrapper::key_plan(params, slots)?))?;
    let x = rig.encrypted_at(&values(params.max_slots(), 1), 1, level)?;
    let out = rig.eval.bootstrap(&x)?;
    rig.done([("input", &x), ("bootstrapped", &out)])
}

fn bgv_product(open: Open, log_n: Option<u32>) -> Result<Done> {
    let params = match log_n {
        None => bgv::preset("bgv-n15")?,
        Some(log_n) => {
            bgv::Parameters::new(&bgv::ParamSpec::uniform(log_n, 65537, &[40, 30, 30], &[45]).allow_insecure())?
        }
    };
    let ctx = bgv::Context::new(&params, open(Width::Eight)?);
    let secret = bgv::SecretKey::from_seed(&params, &seed().derive(b"s", 0))?;
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &seed().derive(b"e", 0), |_, _| true)?;
    let eval = bgv::Evaluator::new(&ctx, Arc::new(keys))?;
    let encrypted = |number| -> Result<bgv::Ciphertext> {
        let integers: Vec<i64> = integers(params.slots(), number).collect();
        let plain = bgv::Plaintext::encode(&ctx, &integers, params.top_level())?;
        Ok(secret.encrypt(&ctx, &plain, &seed().derive(b"c", number))?)
    };
    let [x, y] = [encrypted(1)?, encrypted(2)?];
    let product = eval.mul_auto(&x, &y)?;
    let turned = eval.rotate(&product, 1)?;
    let results = [("input", &x), ("product", &product), ("rotation", &turned)];
    done(params.log_n(), ctx.backend(), results.into_iter().map(|(name, x)| Ok((name, x.to_bytes(&ctx)?))))
}

fn heaan_product(open: Open, log_n: Option<u32>) -> Result<Done> {
    let params = match log_n {
        None => heaan::preset("heaan-n16-q1200")?,
        Some(log_n) => heaan::Parameters::new(&heaan::ParamSpec::new(log_n, 400).allow_insecure())?,
    };
    let ctx = heaan::Context::new(&params, open(Width::Eight)?);
    let secret = heaan::SecretKey::from_seed(&params, &seed().derive(b"s", 0))?;
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &seed().derive(b"e", 0), |_, _| true)?;
    let eval = heaan::Evaluator::new(&ctx, Arc::new(keys))?;
    let encrypted = |number| -> Result<heaan::Ciphertext> {
        let values = values(1 << params.log_slots(), number);
        let plain = heaan::Plaintext::encode(&ctx, &values, params.log_p(), params.log_slots())?;
        Ok(secret.encrypt(&ctx, &plain.at(params.log_q()), &seed().derive(b"c", number))?)
    };
    let [x, y] = [encrypted(1)?, encrypted(2)?];
    let product = eval.mul(&x, &y)?;
    let turned = eval.rotate(&eval.rescale(&product, params.log_p())?, 1)?;
    let results = [("input", &x), ("product", &product), ("rotation", &turned)];
    done(params.log_n(), ctx.backend(), results.into_iter().map(|(name, x)| Ok((name, x.to_bytes(&ctx)?))))
}

#[cfg(test)]
mod tests {
    use ringjet::wire::Limits;

    use super::*;

    /// A rounding error beyond so many standard deviations is a wrong result: see `crate::client`.
    const TAIL: f64 = 24.0;

    /// A result as real numbers, and the standard deviation that it states.
    fn decrypted(rig: &Rig, done: &Done, name: &str) -> (Vec<f64>, f64) {
        let (_, bytes) = done.results.iter().find(|(found, _)| *found == name).unwrap();
        let x = Ciphertext::from_bytes(&rig.ctx, bytes, Limits::default()).unwrap();
        let values = rig.secret.decrypt(&rig.ctx, &x).unwrap().decode(&rig.ctx).unwrap().0;
        (values.iter().map(|z| z.re).collect(), (-x.noise().precision_bits()).exp2())
    }

    /// Equal hashes of wrong results would say nothing.
    #[test]
    fn a_gradient_step_is_that_of_the_plain_computation() {
        let open = |width| crate::backend::open(1, crate::backend::PathChoice::Auto, width);
        let params = ckks(Some(10)).unwrap();
        let rig = Rig::new(&params, &open, |_| Ok(KeyPlan::default())).unwrap();
        let done = Program::GradientStep.run(&open, Some(10), 0).unwrap();
        let [data, weights, margins, updated] =
            ["data", "weights", "margins", "updated weights"].map(|name| decrypted(&rig, &done, name));
        let features = 16;
        let dots: Vec<f64> =
            data.0.chunks(features).map(|x| x.iter().zip(&weights.0).map(|(x, w)| x * w).sum()).collect();
        let [c0, c1, c2, c3] = SIGMOID;
        let factor = |z: f64| c0 + z * (c1 + z * (c2 + z * c3));
        for (i, found) in margins.0.iter().enumerate() {
            assert!((found - dots[i / features]).abs() < TAIL * margins.1, "margin {i}: {found}");
        }
        for (i, found) in updated.0.iter().enumerate() {
            let terms = data.0.chunks(features).zip(&dots).map(|(x, &z)| x[i % features] * factor(z));
            let expected = weights.0[i] + terms.sum::<f64>() / dots.len() as f64;
            assert!((found - expected).abs() < TAIL * updated.1, "weight {i}: {found}, not {expected}");
            assert!(
                (expected - weights.0[i]).abs() > TAIL * updated.1,
                "a step of {i} that could not be told from none"
            );
        }
    }
}
