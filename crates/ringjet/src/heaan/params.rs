//! Checked HEAAN parameters, values derived from them, and presets.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, CrtJoinPlan, CrtSplitPlan, Domain};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;

use super::spec::{ParamSpec, Secret};
use crate::rlwe::security::{self, Estimate, SecurityLevel};
use crate::rlwe::{self, Cache, Ring, SchemeParameters, parameter_set};
use crate::wire::fingerprint_of;
use crate::{Error, Result};

/// Bits of a modulus above the scale: room for values of magnitude 1 and their sign.
pub(crate) const SPARE_BITS: u32 = 2;
/// Bits of the primes modulo which products are computed: the most that the fastest kernels take.
const PRIME_BITS: u32 = 50;

const LOG_Q: std::ops::RangeInclusive<u32> = 20..=4096;

/// An immutable, checked HEAAN parameter set; cheap to clone.
#[derive(Clone)]
pub struct Parameters(pub(super) Arc<Inner>);

pub(super) struct Inner {
    spec: ParamSpec,
    basis: Basis,
    /// `log2_of[k]`: size in bits of the product of the first k primes.
    log2_of: Vec<f64>,
    ring: Ring,
    /// Conversions to residues and back, by the number of primes and the bits of the integers.
    pub(super) splits: Cache<(usize, u32), CrtSplitPlan>,
    pub(super) joins: Cache<(usize, u32), CrtJoinPlan>,
}

parameter_set!(Parameters is ring: Ring);

/// HEAAN's parameters and the backend that computes on them.
pub type Context = rlwe::Context<Parameters>;

impl Parameters {
    /// Checks a spec: ranges and security.
    /// Fails with [`Error::Parameters`]; [`Error::Insecure`] and [`Error::SparseSecret`] unless
    /// `allow_insecure`.
    pub fn new(spec: &ParamSpec) -> Result<Self> {
        check_ranges(spec)?;
        check_security(spec)?;
        let wanted = product_bits(spec.log_n, spec.log_q, 2 * spec.log_q, 1);
        // primes just below 2^50 fall short of 50 bits by less than one bit in all
        let count = (wanted + 1).div_ceil(PRIME_BITS) as usize;
        let basis = Basis::new(spec.log_n, &ntt_primes(spec.log_n, PRIME_BITS, count, &[])?)?;
        let mut log2_of = vec![0.0];
        for p in basis.values() {
            log2_of.push(log2_of[log2_of.len() - 1] + (p as f64).log2());
        }
        let ring = Ring::new(spec.log_n, fingerprint_of::<Self>(spec)?);
        let (splits, joins) = (Cache::default(), Cache::default());
        Ok(Self(Arc::new(Inner { spec: spec.clone(), basis, log2_of, ring, splits, joins })))
    }

    /// The spec: enough to rebuild these parameters.
    pub fn spec(&self) -> &ParamSpec {
        &self.0.spec
    }

    /// Bits of the largest ciphertext modulus.
    pub fn log_q(&self) -> u32 {
        self.0.spec.log_q
    }

    /// Binary logarithm of the default scale, and the bits by which a rescaling divides.
    pub fn log_p(&self) -> u32 {
        self.0.spec.log_p
    }

    /// Binary logarithm of the default number of slots.
    pub fn log_slots(&self) -> u32 {
        self.0.spec.log_slots.unwrap_or(self.log_n() - 1)
    }

    /// How many successive products of values up to 1 a fresh ciphertext of default scale allows.
    pub fn depth(&self) -> usize {
        (self.log_q().saturating_sub(self.log_p() + SPARE_BITS) / self.log_p()) as usize
    }

    /// The primes modulo which products are computed: as many of the first ones as needed.
    pub fn basis(&self) -> &Basis {
        &self.0.basis
    }

    /// The number of primes for exact sums of `terms` products of centred integers of `a` and `b`
    /// bits: the fewest whose product has at least `a + b + log_n - 1 + ceil(log2(terms)) + 1`
    /// bits, twice the range of such sums.
    /// Fails with [`Error::ModulusExhausted`] where the parameters have too few primes.
    pub fn primes_for(&self, a: u32, b: u32, terms: usize) -> Result<usize> {
        let needed = product_bits(self.log_n(), a, b, terms);
        let enough = self.0.log2_of.iter().position(|&bits| bits >= f64::from(needed));
        let left = self.0.log2_of.last().map_or(0, |&bits| bits as u32);
        enough.ok_or(Error::bits_exhausted("a product modulo primes", needed, left))
    }

    /// Expected squared length of the secret: its weight, or `2 * N/3` for a dense secret.
    pub(super) fn secret_norm(&self) -> f64 {
        self.secret_weight().map_or(2.0 / 3.0 * self.n() as f64, f64::from)
    }

    /// Security of a modulus of `2 * log_q` bits, by the 2024 guidelines; `None` for sparse
    /// secrets, which the guidelines do not cover.
    pub fn security(&self) -> Option<Estimate> {
        let estimate = || security::security_of(self.log_n(), f64::from(2 * self.log_q()));
        self.secret_weight().is_none().then(estimate)
    }

    /// The automorphism X -> X^galois of polynomials in coefficient form.
    pub fn automorphism(&self, galois: u32) -> Arc<AutomorphismPlan> {
        self.0.ring.automorphism_in(galois, Domain::Coefficient)
    }

    /// Default number of slots of a ciphertext.
    pub fn slots(&self) -> usize {
        1 << self.log_slots()
    }

    /// Bits of the largest modulus under which anything is encrypted: that of keys, `2 * log_q`.
    pub fn log_qp(&self) -> f64 {
        f64::from(2 * self.log_q())
    }

    /// Binary logarithm of the scale of fresh ciphertexts.
    pub fn scale_bits(&self) -> u32 {
        self.log_p()
    }
}

/// Bits that the product of the primes must have, see [`Parameters::primes_for`].
fn product_bits(log_n: u32, a: u32, b: u32, terms: usize) -> u32 {
    a + b + log_n + terms.next_power_of_two().trailing_zeros()
}

fn check_ranges(spec: &ParamSpec) -> Result<()> {
    let refuse = |what: String| Err(Error::Parameters(what));
    Ring::expect_degree(spec.log_n)?;
    if !LOG_Q.contains(&spec.log_q) {
        return refuse(format!("log_q = {} is outside {LOG_Q:?}", spec.log_q));
    }
    let most = (spec.log_q - SPARE_BITS).min(100);
    if !(1..=most).contains(&spec.log_p) {
        return refuse(format!("log_p = {} is outside 1..={most}", spec.log_p));
    }
    if let Some(log_slots) = spec.log_slots.filter(|&s| s >= spec.log_n) {
        return refuse(format!("log_slots = {log_slots} is outside 0..={}", spec.log_n - 1));
    }
    match spec.secret {
        Secret::Weight(h) if h == 0 || h > 1 << spec.log_n => {
            refuse(format!("a secret of {h} non-zero coefficients: 1 to {} are possible", 1 << spec.log_n))
        }
        _ => Ok(()),
    }
}

fn check_security(spec: &ParamSpec) -> Result<()> {
    let level = SecurityLevel::of(spec.security)?;
    if spec.allow_insecure {
        return Ok(());
    }
    let allowed = security::max_log_qp(spec.log_n, level).unwrap_or(0);
    if 2 * spec.log_q > allowed {
        let (log_n, log_q, security) = (spec.log_n, spec.log_q, spec.security);
        return Err(Error::Insecure { log_n, log_qp: f64::from(2 * log_q), allowed, security, log_q: Some(log_q) });
    }
    match spec.secret {
        Secret::Ternary => Ok(()),
        Secret::Weight(weight) => Err(Error::SparseSecret { weight }),
    }
}

impl SchemeParameters for Parameters {
    const PREFIX: &'static str = "heaan::";

    fn ring(&self) -> &Ring {
        self
    }

    fn secret_weight(&self) -> Option<u32> {
        match self.0.spec.secret {
            Secret::Ternary => None,
            Secret::Weight(weight) => Some(weight),
        }
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.0.spec;
        write!(f, "heaan::Parameters(N=2^{}, logQ={}, scale=2^{}, ", s.log_n, s.log_q, s.log_p)?;
        write!(f, "slots=2^{}, primes={}, security=", self.log_slots(), self.0.basis.len())?;
        match (self.security(), s.secret) {
            (Some(estimate), _) => write!(f, "{estimate}")?,
            (None, secret) => write!(f, "in no table ({secret:?}, log2 Q^2 = {})", 2 * s.log_q)?,
        }
        if s.allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}

/// Names of the presets, smallest ring first. All but the last two have 128 bits, 2 % margin.
pub const PRESET_NAMES: [&str; 7] = [
    "heaan-n14-q210",
    "heaan-n15-q425",
    "heaan-n16-q850",
    "heaan-n16-boot",
    "heaan-n17-q1200",
    "heaan-n15-boot",
    "heaan-n16-q1200",
];

/// The preset called `name`.
///
/// `heaan-n16-boot` has modulus left after [bootstrapping](crate::circuits::heaan::Bootstrapper) 8
/// slots, with a dense secret and 128 bits of security. Two sets are for comparison only and not
/// secure. `heaan-n16-q1200` is the set of Jung et al.: 80 bits by their account, less than 128 by
/// the table used here. `heaan-n15-boot` is the smallest set of the original bootstrapping (Cheon,
/// Han, Kim, Kim and Song, EUROCRYPT 2018, set I), with a secret of 64 non-zero coefficients and 8
/// slots.
/// Fails with [`Error::UnknownPreset`].
pub fn preset(name: &str) -> Result<Parameters> {
    let spec = match name {
        "heaan-n14-q210" => ParamSpec::new(14, 210),
        "heaan-n15-q425" => ParamSpec::new(15, 425),
        "heaan-n16-q850" => ParamSpec::new(16, 850),
        "heaan-n16-boot" => ParamSpec { log_p: 25, log_slots: Some(3), ..ParamSpec::new(16, 850) },
        "heaan-n17-q1200" => ParamSpec::new(17, 1200),
        "heaan-n15-boot" => {
            ParamSpec { log_p: 23, log_slots: Some(3), secret: Secret::Weight(64), ..ParamSpec::new(15, 620) }
                .allow_insecure()
        }
        "heaan-n16-q1200" => ParamSpec::new(16, 1200).allow_insecure(),
        _ => return Err(Error::unknown_preset(name, PRESET_NAMES.iter().copied())),
    };
    Parameters::new(&spec)
}
