//! The noise of BGV and BFV: bounds on `w = f * m + t * e`, the polynomial that decryption needs,
//! message included. See [`crate::noise`].
//!
//! Three bounds are tracked: on the largest slot of w, on its Euclidean length, and on its largest
//! coefficient. They hold whatever depends on what: a product of a ciphertext with itself, or with
//! any function of itself, is a product like any other. `docs/design/bgv.md` has the rules, and
//! `docs/proofs/noise.md` the proofs.

use ringjet_math::fft::SpecialFft;
use ringjet_math::memory::{collected, zeros};
use zeroize::Zeroizing;

use crate::Result;
use crate::noise::ErrorTerm;
use crate::rlwe::{Chain, errors};
use crate::rng::gaussian::SIGMA;

/// All bounds of a computation fail with a probability of at most `2^-FAILURE` over keys and
/// encryptions, where it has up to `2^BOUNDS` bounds on random polynomials: three for each, so 5
/// million polynomials.
const FAILURE: f64 = 128.0;
const BOUNDS: f64 = 24.0;

/// A secret has at most this share of coefficients that are not zero.
const WEIGHT: f64 = 0.7;

/// Whether a key is made of this secret: no slot of it is much larger than expected, and it is not
/// much longer. Bounds on noise depend on both. The first condition holds for 87 % of all secrets
/// with uniform coefficients in {-1, 0, 1}, the second for nearly all of them.
pub(super) fn accepts(fft: &SpecialFft, coefficients: &[i8]) -> Result<bool> {
    let size = size_of(fft, &Zeroizing::new(collected(coefficients.iter().map(|&c| f64::from(c)))?))?;
    let secret = Secret::of(coefficients.len() as f64, 1);
    Ok(size.length * size.length <= secret.length && size.bound * size.bound <= secret.slot)
}

/// The bounds of a polynomial that is known, by the transform for N/2 slots. Temporary copies are
/// wiped.
pub(super) fn size_of(fft: &SpecialFft, coefficients: &[f64]) -> Result<ErrorTerm> {
    let largest = coefficients.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    // a power of two, by which squares do not overflow
    let unit = largest.max(1.0).log2().floor().exp2();
    let mut values = Zeroizing::new(collected(coefficients.iter().map(|c| c / unit))?);
    let length = values.iter().map(|c| c * c).sum::<f64>().sqrt();
    let mut scratch = Zeroizing::new(zeros(coefficients.len())?);
    let (re, im) = values.split_at_mut(coefficients.len() / 2);
    fft.forward_split_in(re, im, &mut scratch);
    let slot = re.iter().zip(&*im).fold(0.0, |most: f64, (x, y)| most.max(x * x + y * y)).sqrt();
    // the largest slot is at least as large as the length, which the transform's rounding could hide
    Ok(ErrorTerm::bounded(slot.max(length) * unit, length * unit, largest))
}

/// Bounds that every accepted secret satisfies, and every sum of accepted pieces.
struct Secret {
    /// Bound on `|s|^2`, the mean of `|s(zeta)|^2` over the slots.
    length: f64,
    /// Bound on `|s(zeta)|^2` in every slot.
    slot: f64,
}

impl Secret {
    /// Nobody sees the sum of several pieces, so lengths and slots are taken to add up.
    fn of(n: f64, pieces: u32) -> Self {
        let squared = f64::from(pieces).powi(2);
        Self { length: squared * WEIGHT * n, slot: squared * ((n / 2.0).ln() + 2.0) * 2.0 * n / 3.0 }
    }

    /// The secret as a factor that is fixed.
    fn fixed(&self) -> ErrorTerm {
        ErrorTerm::bounded(self.slot.sqrt(), self.length.sqrt(), f64::INFINITY)
    }

    /// The mean and the largest value of `1 + |s(zeta)|^2 + ... + |s(zeta)|^(2 (polys - 1))`.
    fn powers(&self, polys: usize) -> [f64; 2] {
        let (mut mean, mut most, mut last) = (1.0, 1.0, 1.0);
        for _ in 1..polys {
            mean += last * self.length;
            last *= self.slot;
            most += last;
        }
        [mean, most]
    }
}

/// A random polynomial: for given keys its coefficients are sums of independent sub-Gaussian
/// numbers. Variances of independent polynomials add up.
#[derive(Clone, Copy)]
struct Spread {
    /// The variance in a slot: the mean over all slots, and the largest one.
    mean: f64,
    most: f64,
}

impl Spread {
    /// A polynomial whose variance is the same in every slot.
    fn even(variance: f64) -> Self {
        Self { mean: variance, most: variance }
    }

    fn scaled(self, factor: f64) -> Self {
        Self { mean: self.mean * factor * factor, most: self.most * factor * factor }
    }

    fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, most: self.most + other.most }
    }

    /// Bounds that hold for all of `2^BOUNDS` such polynomials, except with the probability
    /// `2^-FAILURE`.
    ///
    /// * Slots: of 32 directions one is within pi/32 of the slot's own.
    /// * Length: of N/2 slots with variances v_i the sum of squares exceeds `sum(v_i) + sqrt(2 x
    ///   sum(v_i^2)) + x max(v_i)` with a probability of at most `exp(-x)` (Laurent and Massart
    ///   2000, Lemma 1; Hsu, Kakade and Zhang 2012 for sub-Gaussian coefficients). And `sum(v_i^2)
    ///   <= max(v_i) * sum(v_i)`.
    /// * Coefficients: each has the variance `mean / N`.
    fn bounds(self, n: f64) -> ErrorTerm {
        let (slots, x) = (n / 2.0, (FAILURE + BOUNDS) * std::f64::consts::LN_2);
        let slot = (32f64.ln() + slots.ln() + x) / 0.99;
        let squares = self.mean + (2.0 * x * self.most * self.mean / slots).sqrt() + x * self.most / slots;
        let coefficient = 2.0 * (2f64.ln() + n.ln() + x) / n;
        ErrorTerm::bounded((slot * self.most).sqrt(), squares.sqrt(), (coefficient * self.mean).sqrt())
    }
}

/// Sizes of the errors that operations add to w.
pub(crate) struct Sizes<'a> {
    pub(super) chain: &'a Chain,
    /// The largest prime of the plaintext modulus.
    pub(super) t: f64,
}

impl Sizes<'_> {
    fn n(&self) -> f64 {
        self.chain.n() as f64
    }

    fn pieces(&self) -> f64 {
        self.chain.pieces().into()
    }

    fn secret(&self) -> Secret {
        Secret::of(self.n(), self.chain.pieces())
    }

    /// An error of the public key, of a rotation key or of a message of a round: each piece adds one.
    fn key_error(&self) -> ErrorTerm {
        Spread::even(self.pieces() * self.n() * SIGMA * SIGMA).bounds(self.n())
    }

    /// The error of the relinearisation key. Pieces make it in two rounds, and it is `e_0 * s + e_1 * u + e_2`,
    /// where u is a sum of ternary polynomials.
    fn relinearization_error(&self) -> ErrorTerm {
        let error = self.key_error();
        if self.chain.pieces() == 1 {
            return error;
        }
        let masks = Spread::even(self.pieces() * self.n() * 2.0 / 3.0).bounds(self.n());
        error.product(self.secret().fixed()) + error.product(masks) + error
    }

    /// An error of the phase as an error of w: t times as large.
    fn times_t(&self, error: Spread) -> ErrorTerm {
        error.scaled(self.t).bounds(self.n())
    }

    /// The largest polynomial of messages: all coefficients are t/2.
    pub(super) fn message(&self) -> ErrorTerm {
        let (n, half) = (self.n(), self.t / 2.0);
        ErrorTerm::bounded(n * half, n.sqrt() * half, half)
    }

    /// A fresh encryption, of any message and with either key: w is little more than the message and
    /// the rounding of a public-key encryption. An encryption with the secret key, which has less
    /// noise, states the same, so that levels do not depend on who encrypted.
    pub(super) fn fresh(&self) -> ErrorTerm {
        let (n, variance) = (self.n(), self.n() * SIGMA * SIGMA);
        let secret = self.secret();
        // (v * e + e_0 + e_1 * s) / p, where e is the error of the public key
        let key = self.key_error();
        let masked =
            Spread { mean: key.length * key.length, most: key.bound * key.bound }.scaled((2.0 * n / 3.0).sqrt());
        let own = Spread { mean: variance * (1.0 + secret.length), most: variance * (1.0 + secret.slot) };
        let p = self.chain.p().modulus(self.chain.p().len() - 1).value() as f64;
        let public = masked.plus(own).scaled(1.0 / p).plus(self.rounded(2));
        let by_secret = self.times_t(Spread::even(variance));
        self.times_t(public).or_bounds_of(by_secret) + self.message()
    }

    /// A refresh: each share adds the error of an encryption and its mask, and all add what the masks leave.
    pub(super) fn refreshed(&self, shares: u32) -> ErrorTerm {
        let shares = f64::from(shares);
        let errors = self.times_t(Spread::even(shares * self.n() * SIGMA * SIGMA));
        errors + self.message().times(shares + 1.0)
    }

    /// The rounding of a division of `polys` polynomials: remainders uniform in +-1/2.
    fn rounded(&self, polys: usize) -> Spread {
        let [mean, most] = self.secret().powers(polys);
        Spread { mean, most }.scaled((self.n() / 12.0).sqrt())
    }

    /// The rounding of a division of `polys` polynomials. With three, w is t^2 times the phase.
    pub(super) fn rounding(&self, polys: usize) -> ErrorTerm {
        let error = self.times_t(self.rounded(polys));
        if polys > 2 { error.scaled(self.t) } else { error }
    }

    /// Key switching at `level`, before the division by P is rounded: each digit, uniform in
    /// `+-D/2`, times the error `key` of the key.
    fn digits(&self, level: usize, key: ErrorTerm) -> Spread {
        let n = self.n();
        let digits: f64 = errors::digits(self.chain, level).map(|digit| digit * digit).sum();
        Spread { mean: key.length * key.length, most: key.bound * key.bound }.scaled((digits * n / 12.0).sqrt())
    }

    /// Relinearisation at `level`, before the division by P is rounded.
    pub(super) fn relinearizing(&self, level: usize) -> ErrorTerm {
        self.times_t(self.digits(level, self.relinearization_error()))
    }

    /// Relinearisation at `level`.
    pub(super) fn relinearized(&self, level: usize) -> ErrorTerm {
        self.times_t(self.digits(level, self.relinearization_error()).plus(self.rounded(2)))
    }

    /// Key switching for a rotation at `level`.
    pub(super) fn switched(&self, level: usize) -> ErrorTerm {
        self.times_t(self.digits(level, self.key_error()).plus(self.rounded(2)))
    }

    /// `t * (c_0 + c_1 * s) / Q` over the integers: coefficients of a ciphertext are uniform in
    /// `+-Q/2`.
    pub(super) fn wraps(&self) -> ErrorTerm {
        self.rounding(2)
    }
}
