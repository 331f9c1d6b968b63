//! Bounds on a chain that need no primes. They never exclude a candidate that the library would
//! accept.

use std::f64::consts::TAU;

use ringjet::params::BootstrapChain;

/// Bits by which all primes of a chain together may fall short of their nominal sizes, apart from
/// what depends on the circuit. Primes are the largest of their size or the nearest to a given
/// size. Neighbouring primes differ by far less than 2^-8 bits; terminal primes of 24 bits in a
/// large ring differ by half a bit.
const PRIMES: f64 = 2.0;

/// The largest deviation of a product's scale in bits per level, as the chain generator limits it.
/// The moduli of the levels of EvalMod sum up to a sum of these scales.
const DRIFT: f64 = 1.5;

/// Bits by which the levels of CoeffsToSlots together may be smaller than nominal: each end is met
/// within two bits.
const TRANSFORM: f64 = 4.0;

/// Bits by which `q_0 / scale` and the scales may differ from their nominal values, in the
/// precision.
const SCALES: f64 = 1.5;

/// A lower bound on log2(QP) of the chain.
pub(super) fn least_log_qp(chain: &BootstrapChain) -> f64 {
    let boot = &chain.bootstrap;
    // message levels that share primes are among the upper levels
    let own = if chain.shared_primes { 0 } else { chain.message_levels };
    let lower = (own + lower_levels_above(chain)) as f64 * f64::from(chain.scale_bits);
    let lowest = boot.input_level() as f64 * f64::from(chain.slots_to_coeffs_bits);
    let products = boot.eval_mod_depth() as f64;
    let messages = f64::from(chain.first_bits) + lowest + lower;
    let slack = PRIMES + DRIFT * products + TRANSFORM;
    messages + chain.upper_bits() + f64::from(chain.prime_bits) * chain.special as f64 - slack
}

/// The number of levels of SlotsToCoeffs above the message levels.
fn lower_levels_above(chain: &BootstrapChain) -> usize {
    let boot = &chain.bootstrap;
    if boot.slots_to_coeffs_first { 0 } else { boot.slots_to_coeffs.len() }
}

/// An upper bound on the message levels of a chain of this shape with a log2(QP) of at most
/// `allowed`; `None` if not even one fits.
pub(super) fn most_levels(chain: &BootstrapChain, allowed: f64) -> Option<usize> {
    let none = least_log_qp(&BootstrapChain { message_levels: 0, ..chain.clone() });
    let levels = ((allowed - none) / f64::from(chain.scale_bits)).floor();
    (levels >= 1.0).then_some(levels as usize)
}

/// An upper bound on the precision of a bootstrap in bits. It includes the sine's error and the
/// rounding errors of EvalMod and of the result, but not the approximation error of the polynomial.
pub(super) fn most_precision(chain: &BootstrapChain, log_slots: u32) -> f64 {
    let boot = &chain.bootstrap;
    let log_n = f64::from(chain.log_n);
    let sine = boot.sine_error(chain.log_ratio.exp2()).log2();
    // the rounding error of a product in a slot: N / sqrt(18), less the coefficients that belong to
    // no slot
    let rounding = log_n - 18f64.log2() / 2.0 - (log_n - 1.0 - f64::from(log_slots)) / 2.0;
    let spread = if boot.slots_to_coeffs_first { 0.0 } else { f64::from(log_slots + 1) / 2.0 };
    let computed =
        rounding + 0.5 - chain.eval_mod_bits + boot.eval_mod_growth() + chain.log_ratio - TAU.log2() + spread;
    let shrunk = 16.0 * (f64::from(boot.passes) - 1.0);
    let end = rounding - f64::from(chain.scale_bits);
    let error = [sine - shrunk, computed - shrunk, end].into_iter().fold(f64::NEG_INFINITY, f64::max);
    // the error of the real part alone
    0.5 - error + SCALES
}
