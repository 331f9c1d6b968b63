//! The noise of BGV and BFV, as functions of the parameters. See [`crate::noise`].
//!
//! The error that [`Noise`](crate::noise::Noise) tracks is the whole of `w = f * m + t * e`,
//! message included: decryption fails where a coefficient of w exceeds half the modulus. In a
//! product w is multiplied by w, so message and error need not be told apart. `docs/design/bgv.md`
//! has the formulas.

use crate::noise::Added;
use crate::rlwe::{Chain, errors};

/// Coefficients of w are below this many standard deviations: more have a probability below 2^-128
/// in any of 2^17 coefficients.
const DEVIATIONS: f64 = 14.0;

/// Sizes of the errors that operations add to w.
pub(crate) struct Sizes<'a> {
    pub(super) chain: &'a Chain,
    /// The largest prime of the plaintext modulus.
    pub(super) t: f64,
    /// The unit of w in estimates.
    pub(super) unit: f64,
}

impl Sizes<'_> {
    /// An error of the phase as an error of w: t times as large, in the unit of w.
    fn times_t(&self, error: Added) -> Added {
        error.scaled(self.t / self.unit)
    }

    /// A polynomial of messages, with coefficients uniform in `+-t/2`. It is not in the unit of w.
    pub(super) fn message_size(&self) -> Added {
        let (n, t) = (self.chain.n() as f64, self.t);
        Added { variance: n * t * t / 12.0, bound: n * t / 2.0 }
    }

    /// The message part of w.
    pub(super) fn message(&self) -> Added {
        self.message_size().scaled(1.0 / self.unit)
    }

    /// Secret-key encryption: `N t^2/12 + t^2 N sigma^2`.
    pub(super) fn fresh_secret(&self) -> Added {
        self.times_t(errors::fresh_secret(self.chain)) + self.message()
    }

    /// Public-key encryption: little more than the rounding of its division.
    pub(super) fn fresh_public(&self) -> Added {
        self.times_t(errors::fresh_public(self.chain)) + self.message()
    }

    /// The rounding of a division of `polys` polynomials. With three, w is t^2 times the phase.
    pub(super) fn rounding(&self, polys: usize) -> Added {
        let error = self.times_t(errors::rounding_of(self.chain, polys));
        if polys > 2 { error.scaled(self.t) } else { error }
    }

    /// Key switching at `level`, before the division is rounded.
    pub(super) fn switching(&self, level: usize) -> Added {
        self.times_t(errors::switching(self.chain, level))
    }

    /// Key switching at `level`.
    pub(super) fn switched(&self, level: usize) -> Added {
        self.times_t(errors::switched(self.chain, level))
    }

    /// The multiple k of Q in `t * (c_0 + c_1 * s) = w + Q * k`: a ciphertext is uniform modulo Q.
    /// It is not in the unit of w.
    pub(super) fn wraps(&self) -> Added {
        errors::rounding(self.chain).scaled(self.t)
    }

    /// The factor on the variance of a product of errors a and b that makes room for a coefficient
    /// of `sqrt(V_a * V_b)`, the largest possible one, with a margin of half a bit. See
    /// [`Noise::wrapped_product`](crate::noise::Noise::wrapped_product).
    pub(super) fn peak(&self) -> f64 {
        2.0 * self.chain.n() as f64 / (DEVIATIONS * DEVIATIONS)
    }

    /// log2 of a bound on every coefficient of w, for a variance of w in the slots. The
    /// coefficients have the variance `V / N`.
    pub(super) fn coefficient_log2(&self, variance: f64) -> f64 {
        DEVIATIONS.log2() + 0.5 * (variance / self.chain.n() as f64).log2() + self.unit.log2()
    }
}
