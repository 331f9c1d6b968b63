//! What is certain about a chain before it is made. Bounds err on the side of letting a candidate pass.

use std::f64::consts::TAU;

use ringjet::circuits::EVAL_MOD_GROWTH;
use ringjet::params::BootstrapChain;
use ringjet_math::evalmod;

/// Bits by which all primes of a chain together may fall short of their nominal sizes, besides what depends on the circuit:
/// primes are the largest of their size, or the nearest to a size, and neighbours are far less than 2^-8 apart, terminals
/// of 24 bits in a large ring half a bit.
const PRIMES: f64 = 2.0;

/// Most bits by which a product's scale may be off for a level: the chain generator's own limit. The moduli of the levels of
/// EvalMod sum up to a sum of these scales.
const DRIFT: f64 = 1.5;

/// Bits by which CoeffsToSlots altogether may be smaller than nominal: both of its ends are met within two bits.
const TRANSFORM: f64 = 4.0;

/// Bits of the special primes.
const SPECIAL_BITS: f64 = 50.0;

/// Bits by which room and scales may differ from nominal ones, in precision.
const SCALES: f64 = 1.5;

/// log2(QP) of the chain is no less.
pub(super) fn least_log_qp(chain: &BootstrapChain) -> f64 {
    let boot = &chain.bootstrap;
    let lower = (boot.input_level() + chain.message_levels + lower_levels_above(chain)) as f64;
    let products = boot.eval_mod_depth() as f64;
    let messages = f64::from(chain.first_bits) + lower * f64::from(chain.scale_bits);
    let slack = PRIMES + DRIFT * products + TRANSFORM;
    messages + chain.upper_bits() + SPECIAL_BITS * chain.special as f64 - slack
}

/// Levels of SlotsToCoeffs that are above those of messages.
fn lower_levels_above(chain: &BootstrapChain) -> usize {
    let boot = &chain.bootstrap;
    if boot.slots_to_coeffs_first { 0 } else { boot.slots_to_coeffs.len() }
}

/// No chain of this shape has more message levels with a log2(QP) of at most `allowed`; none where not even one fits.
pub(super) fn most_levels(chain: &BootstrapChain, allowed: f64) -> Option<usize> {
    let none = least_log_qp(&BootstrapChain { message_levels: 0, ..chain.clone() });
    let levels = ((allowed - none) / f64::from(chain.scale_bits)).floor();
    (levels >= 1.0).then_some(levels as usize)
}

/// The precision of a bootstrap is no better, in bits: the sine's error, roundings of EvalMod
/// and of the result, without the error of the polynomial's approximation.
pub(super) fn most_precision(chain: &BootstrapChain, log_slots: u32) -> f64 {
    let boot = &chain.bootstrap;
    let log_n = f64::from(chain.log_n);
    let sine = evalmod::sine_error(boot.arcsine | 1, chain.log_ratio.exp2()).log2();
    // a product's rounding: N / sqrt(18), in a slot
    let rounding = log_n - 18f64.log2() / 2.0;
    let spread = if boot.slots_to_coeffs_first { 0.0 } else { f64::from(log_slots + 1) / 2.0 };
    let computed = rounding + 0.5 - chain.eval_mod_bits + EVAL_MOD_GROWTH + chain.log_ratio - TAU.log2() + spread;
    let shrunk = 16.0 * (f64::from(boot.passes) - 1.0);
    let end = rounding - f64::from(chain.scale_bits);
    let error = [sine - shrunk, computed - shrunk, end].into_iter().fold(f64::NEG_INFINITY, f64::max);
    // of the real part alone
    0.5 - error + SCALES
}
