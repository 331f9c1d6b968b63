//! Base conversion as instructions.
//!
//! A conversion takes residues x_i modulo the primes d_0, ..., d_(k-1), whose product is D. A plan may
//! multiply in the same step ([`BaseConversion`] with scaled constants):
//!
//! * by `c_i = hat_inverse[i] * D / d_i` modulo d_i, before. Without such a factor `c_i` is 1;
//! * by F modulo each other prime, after: `hat` has `F * D / d_i`. Without such a factor F is 1.
//!
//! The conversion gives `F * z` modulo the other primes, where z is the integer in `[-D/2, D/2)` with
//! the residues `c_i * x_i`. It subtracts a rounded sum of fractions, and no instruction rounds. The
//! instructions compute mixed radix digits instead: with `h = (D - 1) / 2`, the integer `u = z + h` is
//! in `[0, D)`, and
//!
//! ```text
//! u   = sum over i of digit_i * W_i,  where W_i = d_0 * ... * d_(i-1) and digit_i is in [0, d_i)
//! digit_i = (u - digit_0 * W_0 - ... - digit_(i-1) * W_(i-1)) / W_i   modulo d_i
//! F * z   = sum over i of digit_i * W_i * F - h * F                   modulo p
//! ```
//!
//! A digit modulo one prime is multiplied modulo others by `sr_mulps` alone, which takes any words. A
//! weight that is 0 modulo p, because p is one of the d_i, has no instruction. The result is the
//! conversion's, except for z within `2^-44 * D` of `D/2` or `-D/2`: there the conversion may take
//! `z + D` or `z - D`, and the instructions do not.

use ringjet_backend::plan::Domain;
use ringjet_backend::{Result, View};
use ringjet_math::{BaseConversion, Modulus};

use crate::{Exporter, Op};

impl Exporter {
    /// The addresses of the limbs that polynomial `p` is converted to; none if it is a constant.
    pub(crate) fn converted(
        &self,
        op: &'static str,
        src: View<'_>,
        p: usize,
        conv: &BaseConversion,
    ) -> Result<Vec<u32>> {
        let mut varies = false;
        for i in 0..src.limbs() {
            varies |= self.domain(op, src, p, i)?.is_some();
        }
        if !varies {
            return Ok(vec![]);
        }
        let primes: Vec<u64> = conv.src.values().collect();
        let mut digits: Vec<u32> = vec![];
        for i in 0..primes.len() {
            let x = self.address(op, src, [p, i], Domain::Coefficient)?;
            digits.push(self.digit(&primes, i, conv.hat_inverse[i], x, &digits)?);
        }
        (0..conv.dst.len()).map(|j| self.weighted(&primes, &digits, conv.dst.modulus(j), &conv.hat[j])).collect()
    }

    /// Digit `i` from the residues `x`; `earlier` has the digits before.
    fn digit(&self, primes: &[u64], i: usize, hat_inverse: u64, x: u32, earlier: &[u32]) -> Result<u32> {
        let d = &modulus(primes[i]);
        let (weights, below) = weights(&primes[..i], d);
        let (inverse, others) = (invert(d, below), product(primes, Some(i), d));
        // the residue of z is hat_inverse * (D / d_i) * x
        let factor = d.mul(d.mul(hat_inverse, others), inverse);
        let mut sum = if factor == 1 { x } else { self.push(Op::MulScalar(factor), x, d.value())? };
        // h is -1/2 modulo d_i
        sum = self.push(Op::AddScalar(d.mul(d.value() / 2, inverse)), sum, d.value())?;
        for (&digit, weight) in earlier.iter().zip(weights) {
            let part = self.push(Op::MulScalar(d.neg(d.mul(weight, inverse))), digit, d.value())?;
            sum = self.push(Op::Add(part), sum, d.value())?;
        }
        Ok(sum)
    }

    /// `F * z` modulo `q`, where `hat[i]` is `F * D / d_i`.
    fn weighted(&self, primes: &[u64], digits: &[u32], q: &Modulus, hat: &[u64]) -> Result<u32> {
        // a prime of both bases divides all D / d_i but one
        let i = primes.iter().position(|&d| d == q.value()).unwrap_or(0);
        let factor = q.mul(hat[i], invert(q, product(primes, Some(i), q)));
        let (weights, all) = weights(primes, q);
        let mut sum = None;
        for (&digit, weight) in digits.iter().zip(weights) {
            if weight == 0 {
                continue;
            }
            let part = self.push(Op::MulScalar(q.mul(weight, factor)), digit, q.value())?;
            sum = Some(match sum {
                None => part,
                Some(sum) => self.push(Op::Add(part), sum, q.value())?,
            });
        }
        let half = q.mul(q.sub(all, 1), invert(q, 2));
        let sum = sum.expect("a polynomial that depends on inputs has a limb");
        Ok(self.push(Op::AddScalar(q.neg(q.mul(half, factor))), sum, q.value())?)
    }
}

fn modulus(q: u64) -> Modulus {
    Modulus::new(q).expect("a prime of a basis is a modulus")
}

fn invert(q: &Modulus, x: u64) -> u64 {
    q.pow(x, q.value() - 2)
}

/// The product of `primes`, without number `except`, modulo `q`.
fn product(primes: &[u64], except: Option<usize>, q: &Modulus) -> u64 {
    let factors = primes.iter().enumerate().filter(|(i, _)| Some(*i) != except);
    factors.fold(1, |all, (_, &d)| q.mul(all, q.reduce(d)))
}

/// W_0, ..., W_(k-1), and D, modulo `q`, for these k primes.
fn weights(primes: &[u64], q: &Modulus) -> (Vec<u64>, u64) {
    let mut all = 1;
    let mut weights = Vec::with_capacity(primes.len());
    for &d in primes {
        weights.push(all);
        all = q.mul(all, q.reduce(d));
    }
    (weights, all)
}
