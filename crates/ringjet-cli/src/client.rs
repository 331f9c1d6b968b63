//! A client, a server and test vectors in one process, for self-tests and benchmarks.

use std::cell::Cell;
use std::sync::Arc;

use ringjet::approximate::Approximate;
use ringjet::circuits::Bootstraps;
use ringjet::rlwe::keyswitch::EvaluationKeys;
use ringjet::rlwe::{Context, SecretKey};
use ringjet::rng::Seed;
use ringjet::vectors::{Ciphertext, Evaluator, Plaintext, Vectors};
use ringjet::{KeyPlan, Parameters, PublicKey};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use crate::Result;

/// Key switching adds sums of products of two Gaussians to a slot. Their tail falls like
/// `exp(-sqrt(2) * x)` at x standard deviations, not like `exp(-x^2 / 2)`. At 24 it is below 2^-48:
/// no run meets that, and wrong results are far beyond it.
const TAIL: f64 = 24.0;

/// A secret key, an evaluator, and two encrypted vectors of complex numbers whose real and
/// imaginary parts are uniform in [-1, 1].
pub struct Client<P: Vectors = Parameters> {
    pub ctx: Context<P>,
    pub secret: SecretKey<P>,
    pub eval: Evaluator<P>,
    pub values: [Vec<Complex64>; 2],
    pub plain: [Plaintext<P>; 2],
    pub ct: [Ciphertext<P>; 2],
    seed: Seed,
    counter: Cell<u64>,
}

impl Client {
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>, request: &KeyPlan) -> Result<Self> {
        let ctx = Context::new(params, backend);
        Self::build(
            &ctx,
            |secret, seed| secret.evaluation_keys(&ctx, request, seed, |_, _| true),
            |values| encode(&ctx, values, params.top_level()),
            |secret, plain, seed| secret.encrypt(&ctx, plain, seed),
        )
    }

    pub fn public_key(&self) -> Result<PublicKey> {
        Ok(PublicKey::generate(&self.ctx, &self.secret, &self.next_seed())?)
    }

    /// [`Client::check`] for a plaintext that was encoded and never encrypted.
    pub fn check_plain(&self, plain: &Plaintext<Parameters>, want: &[Complex64]) -> Result<f64> {
        let rounding = (self.ctx.params().n() as f64 / 12.0).sqrt() / plain.scale().value();
        expect(&plain.decode(&self.ctx)?.0, want, 8.0 * rounding + 2f64.powi(-44))
    }
}

impl<P: Bootstraps + Approximate> Client<P> {
    /// A client whose keys, plaintexts and ciphertexts are made by the given functions.
    pub fn build(
        ctx: &Context<P>,
        keys: impl FnOnce(&SecretKey<P>, &Seed) -> ringjet::Result<EvaluationKeys<P::Key>>,
        encode: impl Fn(&[Complex64]) -> Result<Plaintext<P>>,
        encrypt: impl Fn(&SecretKey<P>, &Plaintext<P>, &Seed) -> ringjet::Result<Ciphertext<P>>,
    ) -> Result<Self> {
        let (seed, slots) = (Seed::from_os()?, ctx.params().ring().max_slots());
        let secret = SecretKey::generate(ctx.params())?;
        let eval = Evaluator::bootstrapping(ctx, Arc::new(keys(&secret, &seed.derive(b"keys", 0))?))?;
        let values = [vector(slots, 1), vector(slots, 2)];
        let plain = [encode(&values[0])?, encode(&values[1])?];
        let encrypt = |i: usize| encrypt(&secret, &plain[i], &seed.derive(b"vector", i as u64));
        let ct = [encrypt(0)?, encrypt(1)?];
        Ok(Self { ctx: ctx.clone(), secret, eval, values, plain, ct, seed, counter: Cell::new(0) })
    }

    /// A seed that was not used before.
    pub fn next_seed(&self) -> Seed {
        self.counter.set(self.counter.get() + 1);
        self.seed.derive(b"next", self.counter.get())
    }

    /// The largest error of `ct` against `want`. Refused above [`TAIL`] standard deviations.
    pub fn check(&self, ct: &Ciphertext<P>, want: &[Complex64]) -> Result<f64> {
        let got = self.secret.decrypt_values(&self.ctx, ct)?.0;
        expect(&got, want, TAIL * ct.noise().error_log2().exp2())
    }
}

/// Encodes a full vector at `level`, at the scale of that level.
pub fn encode(ctx: &Context<Parameters>, values: &[Complex64], level: usize) -> Result<Plaintext<Parameters>> {
    let params = ctx.params();
    Ok(Plaintext::<Parameters>::encode(ctx, values, level, params.scale(level), params.log_n() - 1)?)
}

pub fn product(a: &[Complex64], b: &[Complex64]) -> Vec<Complex64> {
    a.iter().zip(b).map(|(x, y)| Complex64::new(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)).collect()
}

/// Rotates to the left: slot j gets slot j + steps.
pub fn rotated<T: Copy>(a: &[T], steps: usize) -> Vec<T> {
    let (head, tail) = a.split_at(steps);
    tail.iter().chain(head).copied().collect()
}

/// The largest error of `got` against `want`. Refused above `allowed`.
fn expect(got: &[Complex64], want: &[Complex64], allowed: f64) -> Result<f64> {
    let error = |(a, b): (&Complex64, &Complex64)| (a.re - b.re).abs().max((a.im - b.im).abs());
    // a NaN must not count as a small error
    let worst = got.iter().zip(want).map(error).fold(0.0, |m: f64, e| if e.is_nan() { e } else { m.max(e) });
    if got.len() == want.len() && worst <= allowed {
        return Ok(worst);
    }
    Err(format!("wrong result: largest error {worst:e}, allowed {allowed:e}").into())
}

pub fn vector(len: usize, seed: u64) -> Vec<Complex64> {
    // SplitMix64; the first states of two seeds are far apart
    let mut state = seed.wrapping_mul(0xd134_2543_de82_ef95);
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..len).map(|_| Complex64::new(uniform(), uniform())).collect()
}
