//! Checked parameters and every constant derived from them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_math::Basis;
use ringjet_math::fft::SpecialFft;
use ringjet_math::ntt::{bit_reverse, exponents};
use std::collections::HashMap;
use std::sync::RwLock;

use super::noisy::NoisyDivision;
use super::security::{self, SecurityLevel};
use super::spec::{ModulusSpec, ParamSpec};
use crate::ckks::Scale;
use crate::{Error, Result};

/// An immutable, checked parameter set; cheap to clone.
///
/// *Level* `l` is the number of rescalings that are left; level `l` has the first `l + 1` primes of `q`. Each level
/// has one exact scale: `scale(top)` is chosen, `scale(l - 1) = scale(l)^2 / q_l`.
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    spec: ParamSpec,
    q: Basis,
    p: Basis,
    extended: Basis,
    alpha: usize,
    scales: Vec<Scale>,
    fingerprint: [u8; 16],
    levels: Vec<OnceLock<LevelPlans>>,
    encrypt: OnceLock<DivisionPlan>,
    noisy: OnceLock<Option<NoisyDivision>>,
    automorphisms: RwLock<HashMap<u32, Arc<AutomorphismPlan>>>,
    ffts: Vec<OnceLock<SpecialFft>>,
    order: OnceLock<Option<Vec<u32>>>,
}

/// Bases and plans of one level, built at first use.
#[derive(Debug)]
pub struct LevelPlans {
    /// Q_l.
    pub basis: Basis,
    /// P ++ Q_l.
    pub extended: Basis,
    /// Decomposition and extension of a polynomial over Q_l.
    pub mod_up: ModUpPlan,
    /// Division by P.
    pub mod_down: DivisionPlan,
    /// Division by q_l (absent at level 0).
    pub rescale: Option<DivisionPlan>,
    /// Division by P q_l at once (absent at level 0).
    pub mod_down_rescale: Option<DivisionPlan>,
}

impl Parameters {
    /// Checks a spec: primes, security, and that scales stay sensible down the chain.
    pub fn new(spec: &ParamSpec) -> Result<Self> {
        // before anything is shifted by it
        if !(4..=17).contains(&spec.log_n) {
            return Err(Error::Parameters(format!("log_n = {} is outside 4..=17", spec.log_n)));
        }
        let (q, p) = spec.primes()?;
        if q.is_empty() || p.is_empty() {
            return Err(Error::Parameters("at least one ciphertext prime and one special prime are needed".into()));
        }
        let (q, p) = (Basis::new(spec.log_n, &q)?, Basis::new(spec.log_n, &p)?);
        if let Some(shared) = q.values().find(|v| p.values().any(|w| w == *v)) {
            return Err(Error::Parameters(format!("prime {shared} is both a ciphertext and a special prime")));
        }
        let alpha = spec.alpha.unwrap_or(p.len());
        if alpha == 0 || alpha > q.len().max(p.len()) {
            return Err(Error::Parameters(format!("alpha = {alpha} must be between 1 and {}", q.len().max(p.len()))));
        }
        check_special(&q, &p, alpha)?;
        let level = SecurityLevel::from_bits(spec.security).ok_or_else(|| {
            Error::Parameters(format!("security of {} bits: 128, 192 or 256 are known", spec.security))
        })?;
        let log_qp = q.log2() + p.log2();
        let allowed = security::max_log_qp(spec.log_n, level).unwrap_or(0);
        if log_qp > f64::from(allowed) && !spec.allow_insecure {
            return Err(Error::Insecure { log_n: spec.log_n, log_qp, allowed, security: spec.security });
        }
        let scales = scales(spec.scale_bits, &q)?;
        let extended = p.concat(&q);
        let fingerprint = fingerprint(spec, &q, &p, alpha);
        let levels = (0..q.len()).map(|_| OnceLock::new()).collect();
        let ffts = (0..spec.log_n).map(|_| OnceLock::new()).collect();
        let spec = ParamSpec {
            q: ModulusSpec::Primes(q.values().collect()),
            p: ModulusSpec::Primes(p.values().collect()),
            alpha: Some(alpha),
            ..spec.clone()
        };
        Ok(Self(Arc::new(Inner {
            spec,
            q,
            p,
            extended,
            alpha,
            scales,
            fingerprint,
            levels,
            encrypt: OnceLock::new(),
            noisy: OnceLock::new(),
            automorphisms: RwLock::default(),
            ffts,
            order: OnceLock::new(),
        })))
    }

    /// The spec with every prime spelt out: enough to rebuild these parameters.
    pub fn spec(&self) -> &ParamSpec {
        &self.0.spec
    }

    /// Binary logarithm of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.0.spec.log_n
    }

    /// Ring degree N.
    pub fn n(&self) -> usize {
        1 << self.log_n()
    }

    /// Largest number of complex slots, N/2.
    pub fn max_slots(&self) -> usize {
        self.n() / 2
    }

    /// The highest level: how many rescalings a fresh ciphertext allows.
    pub fn top_level(&self) -> usize {
        self.0.q.len() - 1
    }

    /// Number of limbs at `level`.
    pub fn limbs(&self, level: usize) -> usize {
        level + 1
    }

    /// All ciphertext primes.
    pub fn q(&self) -> &Basis {
        &self.0.q
    }

    /// The special primes.
    pub fn p(&self) -> &Basis {
        &self.0.p
    }

    /// `P ++ Q`.
    pub fn extended(&self) -> &Basis {
        &self.0.extended
    }

    /// Limbs of a digit.
    pub fn alpha(&self) -> usize {
        self.0.alpha
    }

    /// Digits at the top level.
    pub fn dnum(&self) -> usize {
        self.0.q.len().div_ceil(self.0.alpha)
    }

    /// log2(QP): what security depends on.
    pub fn log_qp(&self) -> f64 {
        self.0.extended.log2()
    }

    /// The scale that belongs to `level`.
    pub fn scale(&self, level: usize) -> Scale {
        self.0.scales[level]
    }

    /// Sixteen bytes that identify the parameter set.
    pub fn fingerprint(&self) -> &[u8; 16] {
        &self.0.fingerprint
    }

    /// The fingerprint in hexadecimal.
    pub fn fingerprint_hex(&self) -> String {
        self.0.fingerprint.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Security reached, by the 2024 guidelines.
    pub fn security(&self) -> security::Estimate {
        security::security_of(self.log_n(), self.log_qp())
    }

    /// Plans of `level`.
    pub fn level(&self, level: usize) -> &LevelPlans {
        self.0.levels[level].get_or_init(|| {
            let limbs = self.limbs(level);
            let (k, basis) = (self.0.p.len(), self.0.q.prefix(limbs));
            let extended = self.0.extended.prefix(k + limbs);
            let special: Vec<usize> = (0..k).collect();
            let with_last: Vec<usize> = (0..k).chain([k + limbs - 1]).collect();
            LevelPlans {
                mod_up: ModUpPlan::new(&self.0.p, &basis, self.0.alpha),
                mod_down: DivisionPlan::new(&extended, &special),
                rescale: (level > 0).then(|| DivisionPlan::new(&basis, &[limbs - 1])),
                mod_down_rescale: (level > 0).then(|| DivisionPlan::new(&extended, &with_last)),
                basis,
                extended,
            }
        })
    }

    /// Division by the last special prime alone, over `p_last ++ Q`: public-key encryption happens there.
    pub fn encryption_division(&self) -> &DivisionPlan {
        self.0.encrypt.get_or_init(|| DivisionPlan::new(&self.encryption_basis(), &[0]))
    }

    /// The same division as public-key encryption does it. Primes have at most 60 bits, so there is always a wider one.
    pub(crate) fn noisy_division(&self) -> Result<&NoisyDivision> {
        let division = self.0.noisy.get_or_init(|| NoisyDivision::new(self.encryption_division()));
        division.as_ref().ok_or_else(|| Error::Parameters("no prime between the last special one and 2^61".into()))
    }

    /// `p_last ++ Q`.
    pub fn encryption_basis(&self) -> Basis {
        let k = self.0.p.len();
        self.0.extended.select(k - 1..self.0.extended.len())
    }

    /// Automorphism X -> X^galois in the evaluation domain.
    pub fn automorphism(&self, galois: u32) -> Arc<AutomorphismPlan> {
        if let Some(plan) = self.0.automorphisms.read().unwrap_or_else(|e| e.into_inner()).get(&galois) {
            return Arc::clone(plan);
        }
        let plan = Arc::new(AutomorphismPlan::new(self.log_n(), u64::from(galois), Domain::Evaluation));
        let mut cache = self.0.automorphisms.write().unwrap_or_else(|e| e.into_inner());
        Arc::clone(cache.entry(galois).or_insert(plan))
    }

    /// Transform for `2^log_slots` slots.
    pub fn fft(&self, log_slots: u32) -> &SpecialFft {
        self.0.ffts[log_slots as usize].get_or_init(|| SpecialFft::new(log_slots))
    }

    /// For each position of the evaluation domain in memory, its place in the order of seeds and bytes: place i is the
    /// value at `psi^(2 brv(i) + 1)`, whatever order the kernels prefer. `None` where both are the same.
    pub(crate) fn stored_order(&self) -> Option<&[u32]> {
        let order = || {
            let place = |e: &u32| bit_reverse((e >> 1) as usize, self.log_n()) as u32;
            let places: Vec<u32> = exponents(self.log_n()).iter().map(place).collect();
            (!places.iter().copied().eq(0..self.n() as u32)).then_some(places)
        };
        self.0.order.get_or_init(order).as_deref()
    }

    /// Galois element of a rotation by `steps` slots to the left.
    pub fn rotation_element(&self, steps: i64) -> u32 {
        let order = self.max_slots() as i64;
        let mut e = steps.rem_euclid(order) as u64;
        let mask = 2 * self.n() as u64 - 1;
        let (mut g, mut base) = (1u64, 5u64);
        while e > 0 {
            if e & 1 == 1 {
                g = (g * base) & mask;
            }
            base = (base * base) & mask;
            e >>= 1;
        }
        g as u32
    }

    /// Galois element of complex conjugation.
    pub fn conjugation_element(&self) -> u32 {
        2 * self.n() as u32 - 1
    }

    /// Refuses an object of other parameters.
    pub fn expect_same(&self, what: &'static str, other: &Parameters) -> Result<()> {
        if Arc::ptr_eq(&self.0, &other.0) || self.0.fingerprint == other.0.fingerprint {
            return Ok(());
        }
        Err(Error::ParameterMismatch { what, expected: self.fingerprint_hex(), found: other.fingerprint_hex() })
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.0.fingerprint == other.0.fingerprint
    }
}

impl Eq for Parameters {}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.0.spec;
        write!(
            f,
            "Parameters(N=2^{}, levels={}, logQP={:.0}, dnum={}, scale=2^{}, security={}",
            s.log_n,
            self.top_level(),
            self.log_qp(),
            self.dnum(),
            s.scale_bits,
            self.security(),
        )?;
        if s.allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}

/// P must be at least as large as every digit, or key-switching noise swamps the message.
fn check_special(q: &Basis, p: &Basis, alpha: usize) -> Result<()> {
    let digit = (0..q.len())
        .step_by(alpha)
        .map(|start| q.select(start..(start + alpha).min(q.len())).log2())
        .fold(0.0, f64::max);
    if p.log2() + 1.0 < digit {
        return Err(Error::Parameters(format!(
            "a digit of {alpha} primes has {digit:.1} bits but the special primes only {:.1}: add special primes or lower alpha",
            p.log2()
        )));
    }
    Ok(())
}

/// One exact scale for each level; refused where they drift further than 4 bits from the chosen one or would not fit
/// below the modulus of their level.
fn scales(bits: u32, q: &Basis) -> Result<Vec<Scale>> {
    if !(10..=120).contains(&bits) {
        return Err(Error::Parameters(format!("scale of {bits} bits: 10 to 120 are supported")));
    }
    let mut scales = vec![Scale::power_of_two(bits as i32); q.len()];
    for l in (1..q.len()).rev() {
        let next = scales[l] * scales[l] / Scale::from_u64(q.modulus(l).value());
        if (next.log2() - f64::from(bits)).abs() > 4.0 {
            return Err(Error::Parameters(format!(
                "the scale drifts from 2^{bits} to 2^{:.1} at level {}: choose level primes near 2^{bits}",
                next.log2(),
                l - 1
            )));
        }
        scales[l - 1] = next;
    }
    Ok(scales)
}

/// Two ChaCha20-free 64-bit lanes of FNV-1a over the canonical text: an identifier, not a commitment.
fn fingerprint(spec: &ParamSpec, q: &Basis, p: &Basis, alpha: usize) -> [u8; 16] {
    let text = format!(
        "ckks/1;{};{:?};{:?};{};{};{}",
        spec.log_n,
        q.values().collect::<Vec<_>>(),
        p.values().collect::<Vec<_>>(),
        alpha,
        spec.scale_bits,
        spec.allow_insecure,
    );
    let lane = |offset: u64| text.bytes().fold(offset, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    let mut out = [0; 16];
    out[..8].copy_from_slice(&lane(0xcbf2_9ce4_8422_2325).to_le_bytes());
    out[8..].copy_from_slice(&lane(0x6c62_272e_07bb_0142).to_le_bytes());
    out
}
