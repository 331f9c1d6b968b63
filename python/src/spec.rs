//! Functions that make parameter sets.

use pyo3::prelude::*;
use ringjet::params::{BootstrapChain, BootstrapSpec, ModulusSpec, ParamSpec};
use ringjet::{bgv, dynamic, heaan};

use crate::errors::{argument, run};
use crate::lists::List;
use crate::params::Parameters;
use crate::parties::shared;

/// Returns the parameter set called `name`. `presets()` lists the names; other names are refused.
///
/// t_bits: BGV and BFV only, 2 to 119: computes modulo a product of up to four primes, of at least that
/// many bits, instead of 65537. With 64 all values of int64 fit; with more, larger results up to
/// `2**(t_bits - 1)` are noticed and refused instead of wrapping around. Ciphertexts have a component
/// for each prime, and take as many times the memory and time; keys stay as they are.
/// parties, threshold: for a secret that several parties make together (`ringjet.parties`), of whom
/// `threshold` decrypt together, by default all. Errors grow with the number of pieces that the
/// secret then has. Refused for HEAAN and for parameters that bootstrap.
#[pyfunction]
#[pyo3(signature = (name, *, t_bits=None, parties=None, threshold=None))]
pub fn preset(
    name: &str,
    t_bits: Option<u32>,
    parties: Option<usize>,
    threshold: Option<usize>,
) -> PyResult<Parameters> {
    let made = run(|| {
        let preset = dynamic::Parameters::preset(name)?;
        t_bits.map_or(Ok(preset.clone()), |bits| preset.with_t_bits(bits))
    });
    shared(made?, parties, threshold).map(Parameters)
}

/// The scale of `params(depth=...)`.
const DEFAULT_SCALE_BITS: u32 = 40;

/// Names of the presets: those of CKKS, then those of HEAAN, BGV and BFV.
#[pyfunction]
pub fn preset_names() -> Vec<&'static str> {
    dynamic::preset_names()
}

/// Makes CKKS parameters from primes or their sizes in bits, and checks their security.
///
/// depth: that many products in a row, in the smallest ring that is secure for them. Everything else then
/// has a default: scale_bits is 40 (20 to 45), `log_n` the least that is secure and has `slots` slots, and the special
/// primes are those for which key switching is fastest.
/// log_n: binary logarithm of the ring degree, 10 to 17 (4 to 9 cannot be secure).
/// q_bits: sizes in bits of the ciphertext primes, 14 to 60. The first is the lowest prime, and
/// each further one adds a level. `q` takes the primes themselves instead.
/// p_bits, or p: the same for the special primes of key switching. Their product must be as large
/// as that of the `alpha` ciphertext primes of a digit; by default alpha is their number.
/// scale_bits: binary logarithm of the scale, 10 to 120, by default the last of q_bits.
/// parties, threshold: as for `preset`.
/// security: 128, 192 or 256 bits; less is refused unless allow_insecure is True.
#[pyfunction]
#[pyo3(signature = (log_n=None, q_bits=None, p_bits=None, scale_bits=None, *, depth=None, slots=None, q=None, p=None, alpha=None, parties=None, threshold=None, security=128, allow_insecure=false))]
pub fn params(
    log_n: Option<u32>,
    q_bits: Option<List<u32>>,
    p_bits: Option<List<u32>>,
    scale_bits: Option<u32>,
    depth: Option<usize>,
    slots: Option<usize>,
    q: Option<List<u64>>,
    p: Option<List<u64>>,
    alpha: Option<usize>,
    parties: Option<usize>,
    threshold: Option<usize>,
    security: u32,
    allow_insecure: bool,
) -> PyResult<Parameters> {
    if let Some(depth) = depth {
        let lists =
            [("q_bits", q_bits.is_some()), ("p_bits", p_bits.is_some()), ("q", q.is_some()), ("p", p.is_some())];
        let others = lists.into_iter().chain([("alpha", alpha.is_some()), ("allow_insecure", allow_insecure)]);
        if let Some((name, _)) = others.into_iter().find(|(_, given)| *given) {
            return Err(argument(name, "given", "nothing where a depth is given: ringjet chooses it"));
        }
        return for_depth(depth, scale_bits, log_n, slots, security)
            .and_then(|made| shared(made, parties, threshold))
            .map(Parameters);
    }
    if slots.is_some() {
        return Err(argument("slots", "given", "nothing without a depth: a ring of 2**log_n has half as many slots"));
    }
    let Some(log_n) = log_n else {
        return Err(argument("log_n", "None", "a ring degree with lists of primes, or a depth"));
    };
    let last = q_bits.as_ref().and_then(|bits| bits.0.last().copied());
    let Some(scale_bits) = scale_bits.or(last) else {
        return Err(argument("scale_bits", "None", "a number of bits where no q_bits are given"));
    };
    let spec = ParamSpec {
        log_n,
        q: modulus("q", q_bits, q)?,
        p: modulus("p", p_bits, p)?,
        scale_bits,
        levels: None,
        bootstrap: None,
        digits: None,
        alpha,
        pieces: 1,
        security,
        allow_insecure,
    };
    let made = run(|| ringjet::Parameters::new(&spec))?;
    shared(made.into(), parties, threshold).map(Parameters)
}

/// Makes CKKS parameters that can bootstrap. All sizes are in bits; values out of range are
/// refused.
///
/// log_n: binary logarithm of the ring degree, 4 to 17.
/// message_levels: levels between two bootstraps. scale_bits: their scale, 20 to prime_bits.
/// prime_bits: 40 to 50; all primes are below `2**prime_bits`. first_bits: size of the lowest prime
/// q_0, 30 to prime_bits. special: number of special primes, of prime_bits bits.
/// log_ratio: log2 of q_0 over the scale while the modulus is raised. The sine's error of a value of
/// 1 is about `2**(2.7 - 2 * log_ratio)`, a quarter of it with slots_to_coeffs_first.
/// eval_mod_bits, coeffs_to_slots_bits: scales of the levels of EvalMod and of CoeffsToSlots.
/// slots_to_coeffs_bits: primes of the levels of SlotsToCoeffs, by default those of scale_bits. With
/// fewer bits, ciphertexts cannot be multiplied by each other at these levels.
/// slots_to_coeffs, coeffs_to_slots: how many of the `log_n - 1` stages of the Fourier transform
/// each level does, in order; by default three levels, as even as possible. With k stages in all, at most
/// `2**k` slots can be bootstrapped.
/// slots_to_coeffs_first: True runs SlotsToCoeffs at the lowest levels, before the modulus is
/// raised; False right after EvalMod, and log_ratio must then be `first_bits - scale_bits`.
/// k: bound on the multiples of q_0 that raising the modulus adds, 4 to 64. degree, double_angles:
/// degree of the polynomial for the cosine, 3 to 255, and double-angle steps after it, 0 to 6.
/// arcsine: degree of the polynomial for the arcsine, odd, up to 15; 1 for none.
/// passes: 1 to 3; each further pass bootstraps the error of those before and takes a level.
/// secret_weight: non-zero coefficients of the ephemeral secret, 1 to 256.
/// shared_primes: True makes message levels of larger primes that several levels share, which are
/// fewer in all; only with SlotsToCoeffs first.
/// matrix_keys: True puts the first matrix of CoeffsToSlots into the keys that lead back from that
/// secret. It then takes no level. If it is the only matrix, 2 n keys contain all of CoeffsToSlots for n
/// slots, and a level of coeffs_to_slots_bits, such as 12, has no matrix: the scale falls there.
/// baby_steps: at most so many rotations of the input in each matrix of CoeffsToSlots, a power of two,
/// twice as many in SlotsToCoeffs, and one key for all giant steps of a matrix: fewer keys, more time.
/// 0: as many as is fastest.
/// sine: True makes a bootstrap return `sin(pi / 2 * z)` for values z between -1 and 1, for tables of
/// integers; with log_ratio=2, SlotsToCoeffs first, one pass and no arcsine.
/// security: 128, 192 or 256 bits; less is refused unless allow_insecure is True.
#[pyfunction]
#[pyo3(signature = (*, log_n, message_levels, scale_bits=40, prime_bits=50, first_bits=50, log_ratio=13.5, eval_mod_bits=61.5, coeffs_to_slots_bits=50.0,
    slots_to_coeffs_bits=None, special=7, shared_primes=false, slots_to_coeffs=None, coeffs_to_slots=None, slots_to_coeffs_first=true, k=16, degree=30, double_angles=3, arcsine=1, passes=1,
    secret_weight=32, matrix_keys=false, baby_steps=0, sine=false,
    security=128, allow_insecure=false))]
pub fn bootstrap_chain(
    log_n: u32,
    message_levels: usize,
    scale_bits: u32,
    prime_bits: u32,
    first_bits: u32,
    log_ratio: f64,
    eval_mod_bits: f64,
    coeffs_to_slots_bits: f64,
    slots_to_coeffs_bits: Option<u32>,
    special: usize,
    shared_primes: bool,
    slots_to_coeffs: Option<List<u32>>,
    coeffs_to_slots: Option<List<u32>>,
    slots_to_coeffs_first: bool,
    k: u32,
    degree: usize,
    double_angles: u32,
    arcsine: usize,
    passes: u32,
    secret_weight: u32,
    matrix_keys: bool,
    baby_steps: u32,
    sine: bool,
    security: u32,
    allow_insecure: bool,
) -> PyResult<Parameters> {
    if !(4..=17).contains(&log_n) {
        return Err(argument("log_n", log_n, "4 to 17"));
    }
    let standard = BootstrapSpec::standard(log_n, 3);
    let chain = BootstrapChain {
        log_n,
        message_levels,
        scale_bits,
        prime_bits,
        first_bits,
        slots_to_coeffs_bits: slots_to_coeffs_bits.unwrap_or(scale_bits),
        log_ratio,
        eval_mod_bits,
        coeffs_to_slots_bits,
        special,
        shared_primes,
        bootstrap: BootstrapSpec {
            slots_to_coeffs: slots_to_coeffs.map_or(standard.slots_to_coeffs, |given| given.0),
            coeffs_to_slots: coeffs_to_slots.map_or(standard.coeffs_to_slots, |given| given.0),
            slots_to_coeffs_first,
            k,
            degree,
            double_angles,
            arcsine,
            passes,
            secret_weight,
            matrix_keys,
            baby_steps,
            sine,
        },
    };
    let made = run(|| {
        let (spec, _) = chain.generate()?;
        ringjet::Parameters::new(&ParamSpec { security, allow_insecure, ..spec })
    });
    made.map(|params| Parameters(params.into()))
}

/// Parameters of CKKS for so many products in a row.
fn for_depth(
    depth: usize,
    scale_bits: Option<u32>,
    log_n: Option<u32>,
    slots: Option<usize>,
    security: u32,
) -> PyResult<dynamic::Parameters> {
    let most = 1 << 16;
    let slots = match slots {
        Some(slots) if slots > most => return Err(argument("slots", slots, &format!("1 to {most}"))),
        slots => slots.unwrap_or(1).max(1),
    };
    let least = log_n.unwrap_or(0).max(slots.next_power_of_two().trailing_zeros() + 1);
    run(|| ringjet::Parameters::for_depth(depth, scale_bits.unwrap_or(DEFAULT_SCALE_BITS), least, security))
        .map(Into::into)
}

fn modulus(name: &'static str, bits: Option<List<u32>>, primes: Option<List<u64>>) -> PyResult<ModulusSpec> {
    match (bits, primes) {
        (Some(bits), None) => Ok(ModulusSpec::Bits(bits.0)),
        (None, Some(primes)) => Ok(ModulusSpec::Primes(primes.0)),
        (Some(_), Some(_)) => Err(argument(name, "both", &format!("either {name}_bits or {name}"))),
        (None, None) => Err(argument(name, "None", &format!("{name}_bits, or the primes themselves as {name}"))),
    }
}

/// Makes HEAAN parameters: CKKS modulo a power of two. A rescaling may take any number of bits.
///
/// log_n: binary logarithm of the ring degree, 4 to 17.
/// log_q: bits of the largest modulus of ciphertexts, 20 to 4096. Keys are modulo `2**(2 * log_q)`,
/// and security depends on that modulus.
/// log_p: binary logarithm of the default scale, 1 to 100, and the bits that a rescaling takes by
/// default.
/// slots: a power of two, by default half the ring degree.
/// secret_weight: non-zero coefficients of a sparse secret, which needs allow_insecure; by default
/// secrets are dense.
/// security: 128, 192 or 256 bits; less is refused unless allow_insecure is True.
#[pyfunction]
#[pyo3(name = "heaan", signature = (log_n=16, log_q=1200, log_p=30, slots=None, *, secret_weight=None, security=128, allow_insecure=false))]
pub fn heaan_params(
    log_n: u32,
    log_q: u32,
    log_p: u32,
    slots: Option<usize>,
    secret_weight: Option<u32>,
    security: u32,
    allow_insecure: bool,
) -> PyResult<Parameters> {
    let log_slots = |slots: usize| match slots.is_power_of_two() {
        true => Ok(slots.trailing_zeros()),
        false => Err(argument("slots", slots, "a power of two up to half the ring degree")),
    };
    let spec = heaan::ParamSpec {
        log_p,
        log_slots: slots.map(log_slots).transpose()?,
        secret: secret_weight.map_or(heaan::Secret::Ternary, heaan::Secret::Weight),
        security,
        allow_insecure,
        ..heaan::ParamSpec::new(log_n, log_q)
    };
    run(|| heaan::Parameters::new(&spec)).map(|params| Parameters(params.into()))
}

/// Makes parameters of BGV or BFV: exact integers modulo t, in two rows of `2**(log_n - 1)` slots.
///
/// log_n: binary logarithm of the ring degree, 4 to 17.
/// t: the plaintext modulus, by default 65537: a prime below 2**30 that is 1 modulo
/// `2**(log_n + 1)`, or a list of up to four such primes, whose product it is.
/// t_bits: the bits of the plaintext modulus, 2 to 119, instead of t; as for `preset`.
/// q_bits: sizes in bits of the ciphertext primes, 14 to 60. With BGV the first is the lowest
/// level, and each further one adds a level. `q` takes the primes themselves instead.
/// p_bits, or p: the same for the special primes of key switching. Their product should exceed
/// that of the `alpha` ciphertext primes of a digit by some bits; by default alpha is their number.
/// scheme: "bgv" switches to lower levels to keep noise small, "bfv" has no levels.
/// parties, threshold: as for `preset`.
/// security: 128, 192 or 256 bits; less is refused unless allow_insecure is True.
#[pyfunction]
#[pyo3(name = "bgv", signature = (log_n, t=None, q_bits=None, p_bits=None, *, t_bits=None, q=None, p=None, scheme="bgv", alpha=None, parties=None, threshold=None, security=128, allow_insecure=false))]
pub fn bgv_params(
    log_n: u32,
    t: Option<Primes>,
    q_bits: Option<List<u32>>,
    p_bits: Option<List<u32>>,
    t_bits: Option<u32>,
    q: Option<List<u64>>,
    p: Option<List<u64>>,
    scheme: &str,
    alpha: Option<usize>,
    parties: Option<usize>,
    threshold: Option<usize>,
    security: u32,
    allow_insecure: bool,
) -> PyResult<Parameters> {
    let product = match scheme {
        "bgv" => bgv::Product::Bgv,
        "bfv" => bgv::Product::Bfv,
        _ => return Err(argument("scheme", format!("{scheme:?}"), "\"bgv\" or \"bfv\"")),
    };
    let (q, p) = (modulus("q", q_bits, q)?, modulus("p", p_bits, p)?);
    if t.is_some() && t_bits.is_some() {
        return Err(argument("t", "both", "either t or t_bits"));
    }
    let t = match t {
        None => vec![65537],
        Some(Primes::One(prime)) => vec![prime],
        Some(Primes::Several(primes)) => primes.0,
    };
    let spec = bgv::ParamSpec { log_n, t, q, p, product, levels: None, alpha, pieces: 1, security, allow_insecure };
    let made = run(|| {
        let spec = t_bits.map_or(Ok(spec.clone()), |bits| spec.clone().t_bits(bits))?;
        bgv::Parameters::new(&spec)
    });
    shared(made?.into(), parties, threshold).map(Parameters)
}

/// A prime, or a list of primes.
#[derive(FromPyObject)]
pub enum Primes {
    One(u64),
    Several(List<u64>),
}
