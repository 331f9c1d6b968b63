//! Checked parameters and every constant derived from them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_math::Basis;
use ringjet_math::fft::SpecialFft;
use ringjet_math::ntt::{bit_reverse, exponents};

use super::derive::{check_special, digits, group_sizes, level_sets, quotient, ratios, scales, top_level};
use super::spec::{BootstrapSpec, ModulusSpec, ParamSpec};
use crate::ckks::Scale;
use crate::rlwe::security::{self, SecurityLevel};
use crate::rlwe::{Cache, NoisyDivision, Ring, cached, ephemeral, hexadecimal};
use crate::wire::fingerprint_of;
use crate::{Error, Result};

/// An immutable, checked parameter set; cheap to clone.
///
/// *Level* `l` is the number of rescalings that are left. A level is a set of primes of `q` with modulus Q_l, the first
/// `l + 1` of them unless the spec says otherwise, and has one exact scale: `scale(l - 1) = scale(l)^2 Q_(l-1) / Q_l`
/// where none is chosen. Bootstrapping has levels of its own above those of messages.
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    spec: ParamSpec,
    q: Basis,
    p: Basis,
    extended: Basis,
    /// The digit of each prime of q.
    digit_of: Vec<usize>,
    sets: Vec<Vec<usize>>,
    ratios: Vec<Scale>,
    scales: Vec<Scale>,
    top: usize,
    fingerprint: [u8; 16],
    levels: Vec<OnceLock<LevelPlans>>,
    key_plans: Vec<OnceLock<ModUpPlan>>,
    descents: Cache<(usize, usize), Descent>,
    raising: OnceLock<RaisingPlans>,
    encrypt: OnceLock<DivisionPlan>,
    noisy: OnceLock<Option<NoisyDivision>>,
    ring: Ring,
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
    /// Division by Q_l / Q_(l-1) (absent at level 0).
    pub rescale: Option<Arc<DivisionPlan>>,
    /// Division by P Q_l / Q_(l-1) at once (absent at level 0).
    pub mod_down_rescale: Option<DivisionPlan>,
}

/// The way up from level 0: to the ephemeral secret, with one special prime, and to the highest level.
#[derive(Debug)]
pub(crate) struct RaisingPlans {
    /// Decomposition over `p_0 ++ Q_0`.
    pub(crate) mod_up: ModUpPlan,
    /// Division by p_0.
    pub(crate) mod_down: DivisionPlan,
    /// From Q_0 to the other primes of the highest level, which come first.
    pub(crate) raise: ModUpPlan,
    /// Places of those other primes among the limbs of the highest level.
    pub(crate) rest: Vec<usize>,
    /// Places of the primes of Q_0 there.
    pub(crate) own: Vec<usize>,
}

/// The way from one level to a lower one by one division: some primes are forgotten first, which is exact.
#[derive(Debug)]
pub struct Descent {
    /// The limbs of the upper level that are not forgotten.
    pub keep: Vec<usize>,
    /// From them to the lower level.
    pub division: Arc<DivisionPlan>,
    /// What it divides by.
    pub ratio: Scale,
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
        let digit_of = digits(spec, alpha, q.len())?;
        check_special(&q, &p, &digit_of)?;
        let level = SecurityLevel::from_bits(spec.security).ok_or_else(|| {
            Error::Parameters(format!("security of {} bits: 128, 192 or 256 are known", spec.security))
        })?;
        let log_qp = q.log2() + p.log2();
        let allowed = security::max_log_qp(spec.log_n, level).unwrap_or(0);
        if log_qp > f64::from(allowed) && !spec.allow_insecure {
            return Err(Error::Insecure { log_n: spec.log_n, log_qp, allowed, security: spec.security, log_q: None });
        }
        let sets = level_sets(spec, &q, &digit_of)?;
        let ratios = ratios(&q, &sets)?;
        let top = top_level(spec, sets.len())?;
        let scales = scales(spec, &q, &sets, &ratios, top)?;
        if let Some(boot) = &spec.bootstrap {
            if !spec.allow_insecure {
                let modulus = q.select(sets[0].iter().copied()).log2() + p.prefix(1).log2();
                ephemeral::require(spec.log_n, boot.secret_weight, modulus, level)?;
            }
            if sets[0].iter().any(|i| !sets[sets.len() - 1].contains(i)) {
                return Err(Error::Parameters("the highest level lacks a prime of level 0".into()));
            }
        }
        let extended = p.concat(&q);
        let levels = sets.iter().map(|_| OnceLock::new()).collect();
        let key_plans = sets.iter().map(|_| OnceLock::new()).collect();
        let ring = Ring::new(spec.log_n);
        let spec = ParamSpec {
            q: ModulusSpec::Primes(q.values().collect()),
            p: ModulusSpec::Primes(p.values().collect()),
            alpha: Some(alpha),
            ..spec.clone()
        };
        let fingerprint = fingerprint_of::<Self>(&spec)?;
        Ok(Self(Arc::new(Inner {
            spec,
            q,
            p,
            extended,
            digit_of,
            sets,
            ratios,
            scales,
            top,
            fingerprint,
            levels,
            key_plans,
            descents: Cache::default(),
            raising: OnceLock::new(),
            encrypt: OnceLock::new(),
            noisy: OnceLock::new(),
            ring,
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

    /// The highest level of messages: how many rescalings a fresh or bootstrapped ciphertext allows.
    pub fn top_level(&self) -> usize {
        self.0.top
    }

    /// The highest level of all: [`Parameters::top_level`], or where bootstrapping starts.
    pub fn max_level(&self) -> usize {
        self.0.sets.len() - 1
    }

    /// Number of limbs at `level`.
    pub fn limbs(&self, level: usize) -> usize {
        self.0.sets[level].len()
    }

    /// The primes of `level`, as indices of [`Parameters::q`].
    pub fn primes_of(&self, level: usize) -> &[usize] {
        &self.0.sets[level]
    }

    /// Positions of the primes of `level` among `primes`; `None` where they are the first ones, or not all there.
    pub(crate) fn chosen_limbs(&self, primes: &[usize], level: usize) -> Option<Vec<usize>> {
        let lower = &self.0.sets[level];
        if primes.starts_with(lower) {
            return None;
        }
        lower.iter().map(|i| primes.binary_search(i).ok()).collect()
    }

    /// Whether the primes of `level` are all among those of `upper`.
    pub(crate) fn is_nested(&self, upper: usize, level: usize) -> bool {
        let upper = &self.0.sets[upper];
        self.0.sets[level].iter().all(|i| upper.binary_search(i).is_ok())
    }

    /// Q_level / Q_(level-1): what rescaling divides by. 1 at level 0.
    pub fn ratio(&self, level: usize) -> Scale {
        self.0.ratios[level]
    }

    /// How to bootstrap, where the parameters can.
    pub fn bootstrap(&self) -> Option<&BootstrapSpec> {
        self.0.spec.bootstrap.as_ref()
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

    /// Most limbs of a digit.
    pub fn alpha(&self) -> usize {
        self.0.digit_of.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(1)
    }

    /// The digit to which prime `i` of [`Parameters::q`] belongs.
    pub(crate) fn digit_of(&self, i: usize) -> usize {
        self.0.digit_of[i]
    }

    /// Digits at the highest level.
    pub fn dnum(&self) -> usize {
        self.digits(self.max_level())
    }

    /// Digits of a key for levels up to `level`.
    pub fn digits(&self, level: usize) -> usize {
        self.key_plan(level).beta()
    }

    /// Decomposition over the primes of a key for levels up to `level`: those of all these levels, as a lower one may
    /// have primes that a higher one lacks.
    pub(crate) fn key_plan(&self, level: usize) -> &ModUpPlan {
        self.0.key_plans[level].get_or_init(|| {
            let primes = self.key_primes(level);
            let basis = self.0.q.select(primes.iter().copied());
            ModUpPlan::grouped(&self.0.p, &basis, &group_sizes(&primes, &self.0.digit_of))
        })
    }

    /// The primes of a key for levels up to `level`, as indices of [`Parameters::q`].
    pub(crate) fn key_primes(&self, level: usize) -> Vec<usize> {
        let mut primes: Vec<usize> = self.0.sets[..=level].concat();
        primes.sort_unstable();
        primes.dedup();
        primes
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
        hexadecimal(&self.0.fingerprint)
    }

    /// Security reached: by the 2024 guidelines, and where there is bootstrapping no more than what its ephemeral secret
    /// has.
    pub fn security(&self) -> security::Estimate {
        let all = security::security_of(self.log_n(), self.log_qp());
        if self.bootstrap().is_none() { all } else { all.at_most(self.ephemeral_security().unwrap_or(0.0)) }
    }

    /// log2 of the modulus above the ephemeral secret of bootstrapping: that of level 0, and the first special prime.
    pub fn ephemeral_modulus_bits(&self) -> f64 {
        self.0.q.select(self.0.sets[0].iter().copied()).log2() + self.0.p.prefix(1).log2()
    }

    /// Estimated bits of security of the ephemeral secret; `None` without bootstrapping, and where there is no estimate.
    pub fn ephemeral_security(&self) -> Option<f64> {
        let boot = self.bootstrap()?;
        ephemeral::ephemeral_security(self.log_n(), boot.secret_weight, self.ephemeral_modulus_bits())
    }

    /// Plans of `level`.
    pub fn level(&self, level: usize) -> &LevelPlans {
        self.0.levels[level].get_or_init(|| {
            let set = &self.0.sets[level];
            let basis = self.0.q.select(set.iter().copied());
            let extended = self.0.p.concat(&basis);
            let below = level.checked_sub(1).map(|l| self.0.q.select(self.0.sets[l].iter().copied()));
            LevelPlans {
                mod_up: ModUpPlan::grouped(&self.0.p, &basis, &group_sizes(set, &self.0.digit_of)),
                mod_down: DivisionPlan::rational(&extended, &basis),
                rescale: below.as_ref().map(|below| Arc::new(DivisionPlan::rational(&basis, below))),
                mod_down_rescale: below.as_ref().map(|below| DivisionPlan::rational(&extended, below)),
                basis,
                extended,
            }
        })
    }

    /// The way from level `from` to the lower level `to` by one division by about as much as a rescaling there.
    pub(crate) fn descent(&self, from: usize, to: usize) -> Arc<Descent> {
        cached(&self.0.descents, (from, to), || self.find_descent(from, to))
    }

    fn find_descent(&self, from: usize, to: usize) -> Descent {
        let (upper, lower) = (&self.0.sets[from], &self.0.sets[to]);
        let positions =
            |set: &[usize]| -> Option<Vec<usize>> { set.iter().map(|i| upper.binary_search(i).ok()).collect() };
        if let (Some(keep), Some(division)) = (positions(&self.0.sets[to + 1]), &self.level(to + 1).rescale) {
            return Descent { keep, division: Arc::clone(division), ratio: self.0.ratios[to + 1] };
        }
        // As many of the largest primes that leave as divide by what a rescaling does, after what enters.
        let bits = |i: &usize| (self.0.q.modulus(*i).value() as f64).log2();
        let entering: f64 = lower.iter().filter(|i| !upper.contains(i)).map(bits).sum();
        let wanted = entering + self.0.ratios[to + 1].log2() - 1.0;
        let mut leaving: Vec<usize> = upper.iter().copied().filter(|i| !lower.contains(i)).collect();
        leaving.sort_by(|a, b| bits(b).total_cmp(&bits(a)));
        let mut sum = 0.0;
        let enough = leaving.iter().position(|i| {
            sum += bits(i);
            sum >= wanted
        });
        leaving.truncate(enough.map_or(leaving.len(), |n| n + 1));
        let middle: Vec<usize> = upper.iter().copied().filter(|i| lower.contains(i) || leaving.contains(i)).collect();
        let division = DivisionPlan::rational(&self.0.q.select(middle.iter().copied()), &self.level(to).basis);
        let ratio = quotient(&division.divisor(), &division.multiplier());
        let keep = (0..upper.len()).filter(|&p| middle.contains(&upper[p])).collect();
        Descent { keep, division: Arc::new(division), ratio }
    }

    /// Division by the last special prime alone, over `p_last ++ Q_top`: public-key encryption happens there.
    pub fn encryption_division(&self) -> &DivisionPlan {
        self.0.encrypt.get_or_init(|| DivisionPlan::new(&self.encryption_basis(), &[0]))
    }

    /// The same division as public-key encryption does it. Primes have at most 60 bits, so there is always a wider one.
    pub(crate) fn noisy_division(&self) -> Result<&NoisyDivision> {
        let division = self.0.noisy.get_or_init(|| NoisyDivision::new(self.encryption_division()));
        division.as_ref().ok_or_else(|| Error::Parameters("no prime between the last special one and 2^61".into()))
    }

    /// `p_last ++ Q_top`.
    pub fn encryption_basis(&self) -> Basis {
        self.0.p.select([self.0.p.len() - 1]).concat(&self.level(self.top_level()).basis)
    }

    /// Plans of the way up from level 0.
    pub(crate) fn raising(&self) -> Result<&RaisingPlans> {
        if self.0.spec.bootstrap.is_none() {
            return Err(Error::no_bootstrapping(self));
        }
        Ok(self.0.raising.get_or_init(|| {
            let (low, high) = (&self.0.sets[0], &self.0.sets[self.max_level()]);
            let (special, basis) = (self.0.p.prefix(1), &self.level(0).basis);
            let mod_up = ModUpPlan::grouped(&special, basis, &[low.len()]);
            let rest: Vec<usize> = (0..high.len()).filter(|&i| !low.contains(&high[i])).collect();
            let own = (0..high.len()).filter(|&i| low.contains(&high[i])).collect();
            let above = self.0.q.select(rest.iter().map(|&i| high[i]));
            RaisingPlans {
                mod_down: DivisionPlan::rational(&mod_up.extended, basis),
                raise: ModUpPlan::grouped(&above, basis, &[low.len()]),
                mod_up,
                rest,
                own,
            }
        }))
    }

    /// Automorphism X -> X^galois in the evaluation domain.
    pub fn automorphism(&self, galois: u32) -> Arc<AutomorphismPlan> {
        self.0.ring.automorphism(galois, Domain::Evaluation)
    }

    /// Transform for `2^log_slots` slots.
    pub fn fft(&self, log_slots: u32) -> &SpecialFft {
        self.0.ring.fft(log_slots)
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
        self.0.ring.rotation_element(steps)
    }

    /// Galois element of complex conjugation.
    pub fn conjugation_element(&self) -> u32 {
        self.0.ring.conjugation_element()
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
        if s.bootstrap.is_some() {
            write!(f, ", bootstrapping from level {}", self.max_level())?;
        }
        if s.allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}
