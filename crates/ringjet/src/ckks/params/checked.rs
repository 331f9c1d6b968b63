//! Checked CKKS parameters, a chain of primes with scales; keys and levels of bootstrapping.

use std::fmt;
use std::sync::Arc;

use ringjet_math::Basis;
use ringjet_math::dft::{self, Diagonals};

use super::level_primes::DRIFT;
use super::spec::{BootstrapSpec, ParamSpec};
use crate::ckks::Scale;
use crate::diagonals::{even_groups, fourier_factors, rotations_of, trace_rotations};
use crate::rlwe::keyswitch::{KeyPlan, KeyUse};
use crate::rlwe::security::{self, SecurityLevel};
use crate::rlwe::{Chain, ChainParts, MATRIX_BITS, ModulusSpec, Ring, SchemeParameters, ephemeral, parameter_set};
use crate::vectors::expect_log_slots;
use crate::wire::fingerprint_of;
use crate::{Error, Result};

/// An immutable, checked parameter set; cheap to clone. It is a [`Chain`] whose levels have scales.
///
/// *Level* `l` is the number of rescalings that are left. A level is a set of primes of `q`, with
/// the product Q_l: the first `l + 1` primes, unless the spec says otherwise. It has one exact
/// scale, which is `scale(l - 1) = scale(l)^2 * Q_(l-1) / Q_l` where the spec chooses none. Where
/// bootstrapping doubles a product, it is half of that: halving the scale doubles the value, without
/// doubling the error.
/// Bootstrapping has levels of its own above those of messages.
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    chain: Chain,
    spec: ParamSpec,
    ratios: Vec<Scale>,
    scales: Vec<Scale>,
}

parameter_set!(Parameters is chain: Chain);

impl Parameters {
    /// Checks a spec: primes, security, and that scales of messages drift by at most 4 bits.
    pub fn new(spec: &ParamSpec) -> Result<Self> {
        Ring::expect_degree(spec.log_n)?;
        let (q, p) = spec.primes()?;
        if q.is_empty() || p.is_empty() {
            return Err(Error::Parameters("at least one ciphertext prime and one special prime are needed".into()));
        }
        let (q, p) = (Basis::new(spec.log_n, &q)?, Basis::new(spec.log_n, &p)?);
        let alpha = spec.alpha.unwrap_or(p.len());
        if alpha == 0 || alpha > q.len().max(p.len()) {
            return Err(Error::Parameters(format!("alpha = {alpha} must be between 1 and {}", q.len().max(p.len()))));
        }
        let level = SecurityLevel::of(spec.security)?;
        let spec = &ParamSpec {
            q: ModulusSpec::Primes(q.values().collect()),
            p: ModulusSpec::Primes(p.values().collect()),
            alpha: Some(alpha),
            ..spec.clone()
        };
        let levels = level_sets(spec, q.len());
        let even = || (0..q.len()).step_by(alpha).map(|first| alpha.min(q.len() - first)).collect();
        let chain = Chain::new(ChainParts {
            top: top_level(spec, levels.len())?,
            levels,
            digits: spec.digits.clone().unwrap_or_else(even),
            security: (!spec.allow_insecure).then_some(level),
            product_factor: 1,
            pieces: spec.pieces,
            fingerprint: fingerprint_of::<Self>(spec)?,
            q,
            p,
        })?;
        let quotients = (0..=chain.max_level()).map(|l| chain.quotient(l));
        let ratios: Vec<Scale> = quotients.map(|(a, b)| Scale::of_quotient(&a, &b)).collect();
        let scales = scales(spec, &chain, &ratios)?;
        if let Some(boot) = &spec.bootstrap {
            if spec.pieces > 1 {
                return Err(Error::NoCollectiveBootstrap { pieces: spec.pieces });
            }
            if !spec.allow_insecure {
                ephemeral::require(spec.log_n, boot.secret_weight, chain.ephemeral_modulus_bits(), level)?;
            }
            if !chain.is_nested(chain.max_level(), 0) {
                return Err(Error::Parameters("the highest level lacks a prime of level 0".into()));
            }
        }
        let params = Self(Arc::new(Inner { chain, spec: spec.clone(), ratios, scales }));
        if let Some(boot) = params.bootstrap().filter(|boot| boot.matrix_keys) {
            params.check_matrix(boot)?;
        }
        Ok(params)
    }

    /// The spec with every prime spelt out: enough to rebuild these parameters.
    pub fn spec(&self) -> &ParamSpec {
        &self.0.spec
    }

    /// Q_level / Q_(level-1): the divisor of a rescaling. 1 at level 0.
    pub fn ratio(&self, level: usize) -> Scale {
        self.0.ratios[level]
    }

    /// The scale that belongs to `level`.
    pub fn scale(&self, level: usize) -> Scale {
        self.0.scales[level]
    }

    /// Whether products that land on `level` are doubled by halving their scale.
    pub(crate) fn doubles(&self, level: usize) -> bool {
        self.bootstrap().is_some_and(|boot| boot.doubles(level, self.max_level()))
    }

    /// The bootstrapping circuit; `None` where the parameters cannot bootstrap.
    pub fn bootstrap(&self) -> Option<&BootstrapSpec> {
        self.0.spec.bootstrap.as_ref()
    }

    /// Security by the 2024 guidelines; with bootstrapping at most that of the ephemeral secret.
    pub fn security(&self) -> security::Estimate {
        let all = security::security_of(self.log_n(), self.log_qp());
        if self.bootstrap().is_none() {
            all
        } else {
            all.at_most(self.ephemeral_security().map_or(0.0, ephemeral::certain_security))
        }
    }

    /// Estimated bits of security of the ephemeral secret, where it and an estimate exist.
    pub fn ephemeral_security(&self) -> Option<f64> {
        let boot = self.bootstrap()?;
        ephemeral::ephemeral_security(self.log_n(), boot.secret_weight, self.ephemeral_modulus_bits())
    }

    /// Default number of slots of a ciphertext: half the ring degree.
    pub fn slots(&self) -> usize {
        self.max_slots()
    }

    /// Number of multiplications in a row on a fresh ciphertext; of parameters that bootstrap, between
    /// two bootstraps. The lowest levels of these parameters are for bootstrapping, and not counted.
    pub fn depth(&self) -> usize {
        let top = self.top_level();
        self.bootstrap().map_or(top, |boot| boot.output_level(top).saturating_sub(boot.input_level()))
    }

    /// Binary logarithm of the scale of fresh ciphertexts.
    pub fn scale_bits(&self) -> u32 {
        self.spec().scale_bits
    }
}

impl SchemeParameters for Parameters {
    fn ring(&self) -> &Ring {
        self
    }

    fn pieces(&self) -> u32 {
        self.0.spec.pieces
    }

    fn message_level(&self) -> usize {
        self.top_level()
    }
}

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
        if s.pieces > 1 {
            write!(f, ", {} pieces", s.pieces)?;
        }
        if s.allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}

/// The indices of each level's primes: those of the spec, or one more prime at each level.
fn level_sets(spec: &ParamSpec, count: usize) -> Vec<Vec<usize>> {
    match &spec.levels {
        Some(levels) => levels.iter().map(|level| level.primes.clone()).collect(),
        None => (0..count).map(|l| (0..=l).collect()).collect(),
    }
}

fn top_level(spec: &ParamSpec, levels: usize) -> Result<usize> {
    let Some(boot) = &spec.bootstrap else { return Ok(levels.saturating_sub(1)) };
    if spec.levels.is_none() {
        return Err(Error::Parameters("bootstrapping needs its levels spelt out".into()));
    }
    boot.check(spec)?;
    match levels.checked_sub(boot.upper_levels() + 1) {
        Some(top) if boot.output_level(top) > boot.input_level() => Ok(top),
        _ => Err(Error::Parameters(format!(
            "{levels} levels are too few: bootstrapping takes {} above those of messages and {} of them",
            boot.upper_levels(),
            boot.input_level(),
        ))),
    }
}

/// One exact scale for each level. Refuses message levels whose scale drifts further than 4 bits
/// from the chosen one, and scales that do not fit below the modulus of their level.
fn scales(spec: &ParamSpec, chain: &Chain, ratios: &[Scale]) -> Result<Vec<Scale>> {
    let (bits, top) = (spec.scale_bits, chain.top_level());
    if !(10..=120).contains(&bits) {
        return Err(Error::Parameters(format!("scale of {bits} bits: 10 to 120 are supported")));
    }
    let sine = spec.bootstrap.as_ref().is_some_and(|boot| boot.sine);
    let mut scales = vec![Scale::power_of_two(bits as i32); ratios.len()];
    for l in (0..ratios.len()).rev() {
        let chosen = spec.levels.as_ref().and_then(|levels| levels[l].scale);
        scales[l] = match chosen {
            Some(scale) => Scale::from_u64(scale.max(1)),
            // a sine has the scale of the product that it is, so that its amplitude is exactly 1
            None if l == top && !sine || l + 1 == ratios.len() => Scale::power_of_two(bits as i32),
            None => {
                let product = scales[l + 1] * scales[l + 1] / ratios[l + 1];
                let doubled = spec.bootstrap.as_ref().is_some_and(|boot| boot.doubles(l, ratios.len() - 1));
                if doubled { product / Scale::from_u64(2) } else { product }
            }
        };
        let found = scales[l].log2();
        if l <= top && (found - f64::from(bits)).abs() > DRIFT {
            return Err(Error::Parameters(format!(
                "the scale drifts from 2^{bits} to 2^{found:.1} at level {l}: choose level primes near 2^{bits}",
            )));
        }
        let modulus: f64 = chain.primes_of(l).iter().map(|&i| (chain.q().modulus(i).value() as f64).log2()).sum();
        if !(found >= 10.0 && (l <= top || found < modulus)) {
            return Err(Error::Parameters(format!(
                "a scale of 2^{found:.1} at level {l}, whose modulus has {modulus:.1} bits"
            )));
        }
    }
    Ok(scales)
}

/// How SlotsToCoeffs or CoeffsToSlots is factored.
pub(crate) struct BootstrapTransform {
    pub(crate) inverse: bool,
    /// Fourier stages of each factor, in the order of application.
    pub(crate) groups: Vec<u32>,
    /// The non-zero diagonals of each factor, of both signs, in the order of application.
    pub(crate) diagonals: Vec<Vec<i64>>,
    /// The level of the factor that is applied first; each further factor is a level lower.
    pub(crate) level: usize,
    /// The number of factors before that one, 0 or 1, which keys contain.
    pub(crate) keyed: usize,
    /// A rotation of the ciphertext before the first factor that keys do not contain, as
    /// [`BootstrapTransform::aligned`] needs it; 0 otherwise.
    pub(crate) turn: i64,
    /// How the places of each factor's diagonals differ from those of the Fourier transform, and by how
    /// much their values are rotated.
    moves: Vec<(i64, i64)>,
}

impl BootstrapTransform {
    fn new(model: &[u32], log_slots: u32, inverse: bool, level: usize, keyed: bool) -> Result<Self> {
        let groups = groups(model, log_slots)?;
        let diagonals = if inverse {
            let reversed: Vec<u32> = groups.iter().rev().copied().collect();
            let mut all = fourier_factors(&reversed);
            all.reverse();
            all
        } else {
            fourier_factors(&groups)
        };
        let moves = vec![(0, 0); groups.len()];
        Ok(Self { inverse, groups, diagonals, level, keyed: usize::from(keyed), turn: 0, moves })
    }

    /// The same transform with no diagonal below 0, so that the giant steps of a factor can follow each
    /// other down to the one that is not rotated.
    ///
    /// With R for the rotation by 1, a factor is `M = sum over k of D_k R^k`, and `M R^a` has all its
    /// diagonals `a` places higher. The rotation by -a that makes up for it moves past the factors that
    /// are applied before: `R^-a M = (R^-a M R^a) R^-a`, which rotates the values of M's diagonals by -a.
    /// In the end it is part of the matrix that keys contain, or a rotation of the ciphertext.
    fn aligned(mut self, log_slots: u32) -> Self {
        let mut after = 0;
        for i in (0..self.groups.len()).rev() {
            let places = if i < self.keyed { -after } else { -self.diagonals[i].iter().min().copied().unwrap_or(0) };
            self.diagonals[i].iter_mut().for_each(|k| *k += places);
            self.moves[i] = (places, -after);
            after += places;
        }
        if self.keyed == 0 {
            self.turn = (-after).rem_euclid(1 << log_slots);
        }
        self
    }

    /// The non-zero diagonals of all factors, in the order of application.
    pub(crate) fn values(&self, log_slots: u32) -> Result<Vec<Diagonals>> {
        let make = if self.inverse { dft::coeffs_to_slots } else { dft::slots_to_coeffs };
        let place = |k: i64| k.rem_euclid(1 << log_slots) as usize;
        let moved = |(all, &(places, by)): (Diagonals, &(i64, i64))| {
            let turned = all.into_iter().map(|(k, mut values)| {
                values.rotate_left(place(by));
                (place(k as i64 + places), values)
            });
            turned.collect()
        };
        Ok(make(log_slots, &self.groups)?.into_iter().zip(&self.moves).map(moved).collect())
    }

    /// Binary logarithms of the numbers of slots after which the values of each factor repeat. They
    /// depend on the stages before it.
    pub(crate) fn periods(&self) -> Vec<u32> {
        let mut stages = if self.inverse { self.groups.iter().sum() } else { 0 };
        let mut period = |&group: &u32| {
            let before = stages;
            stages = if self.inverse { before - group } else { before + group };
            before.max(stages)
        };
        self.groups.iter().map(&mut period).collect()
    }

    /// The factors that are multiplied as plaintexts, by their number, each with its level.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (usize, usize)> {
        (self.keyed..self.groups.len()).zip((0..=self.level).rev())
    }
}

impl Parameters {
    /// The bootstrapping circuit. Fails with [`Error::NoBootstrapping`].
    pub(crate) fn expect_bootstrap(&self) -> Result<&BootstrapSpec> {
        self.bootstrap().ok_or_else(|| Error::no_bootstrapping(self))
    }

    /// Binary logarithm of the slots with which `2^log_slots` slots are bootstrapped: where these are fewer
    /// than the transforms are made for, their values repeat in more.
    pub(crate) fn bootstrap_log_slots(&self, log_slots: u32) -> u32 {
        self.bootstrap().map_or(log_slots, |boot| boot.least_log_slots().max(log_slots))
    }

    /// SlotsToCoeffs and CoeffsToSlots for `2^log_slots` slots.
    /// Fails with [`Error::NoBootstrapping`], [`Error::SlotCount`]; [`Error::Argument`] for too few
    /// or too many slots.
    pub(crate) fn bootstrap_transforms(&self, log_slots: u32) -> Result<[BootstrapTransform; 2]> {
        let boot = self.expect_bootstrap()?;
        expect_log_slots(self, log_slots)?;
        let most = boot.most_log_slots();
        if log_slots > most {
            let expected = format!("at most {}, as many as these parameters bootstrap", 1 << most);
            return Err(Error::argument("slots", 1 << log_slots, expected));
        }
        let first = if boot.slots_to_coeffs_first { boot.input_level() } else { self.landing_level(boot) };
        let down = BootstrapTransform::new(&boot.slots_to_coeffs, log_slots, false, first, false)?;
        let up = BootstrapTransform::new(&boot.coeffs_to_slots, log_slots, true, self.max_level(), boot.matrix_keys)?;
        let align = |t: BootstrapTransform| if boot.baby_steps > 0 { t.aligned(log_slots) } else { t };
        Ok([align(down), align(up)])
    }

    /// The modulus q_0 of the lowest level.
    pub(crate) fn first_modulus(&self) -> Scale {
        self.level(0).basis.values().map(Scale::from_u64).fold(Scale::power_of_two(0), |q, p| q * p)
    }

    /// The scale of a raised ciphertext without a matrix: it is in units of K * q_0.
    pub(crate) fn raised_scale(&self) -> Scale {
        self.first_modulus() * Scale::from_u64(self.bootstrap().map_or(1, |boot| boot.k.into()))
    }

    /// Refuses a matrix in keys whose products do not fit the few primes that one half of them is
    /// computed with.
    fn check_matrix(&self, boot: &BootstrapSpec) -> Result<()> {
        let (top, from, whole) = (self.max_level(), self.raised_scale().log2(), boot.is_keyed_whole());
        let to = match whole {
            false => self.scale(top).log2(),
            // with the fewest slots the trace is longest, and the scale before it smallest
            true => [boot.least_log_slots(), boot.most_log_slots()]
                .map(|slots| {
                    let traced = f64::from(self.trace_bits(boot.raised_log_slots(slots)));
                    (self.scale(top - 1) * self.ratio(top)).log2() - traced
                })
                .into_iter()
                .max_by(|a, b| (a - from).abs().total_cmp(&(b - from).abs()))
                .unwrap_or(from),
        };
        // fewer slots have stages that are split evenly
        let even = even_groups(boot.most_log_slots() - 1, boot.coeffs_to_slots.len() as u32);
        let stages = boot.coeffs_to_slots.iter().take(1).chain(even.iter().take(1)).max().copied().unwrap_or(0);
        // N coefficients of as many diagonals as there are, all at their largest
        let bits = f64::from(self.log_n() + stages + u32::from(whole)) + (to - from).abs() + 1.0;
        if bits >= MATRIX_BITS {
            return Err(Error::Parameters(format!(
                "bootstrapping: the matrix in the keys has {stages} stages and takes a scale of 2^{from:.1} to \
                 2^{to:.1}: its products grow by {bits:.1} bits, fewer than {MATRIX_BITS} are possible; use fewer stages \
                 or a closer scale"
            )));
        }
        // the few primes of the plans, and at least one more
        let (above, needed) =
            (self.level(self.max_level()).basis.log2() - self.level(0).basis.log2(), MATRIX_BITS + 61.0);
        if above < needed {
            return Err(Error::Parameters(format!(
                "bootstrapping: raising the modulus adds {above:.1} bits: a matrix in the keys needs {needed}"
            )));
        }
        Ok(())
    }

    /// The level that EvalMod ends at.
    pub(crate) fn landing_level(&self, boot: &BootstrapSpec) -> usize {
        self.top_level() + boot.last_levels()
    }

    /// The keys that bootstrapping `2^log_slots` slots takes.
    /// Fails as [`Parameters::bootstrap_transforms`] does.
    pub(crate) fn bootstrap_keys(&self, log_slots: u32) -> Result<KeyPlan> {
        let boot = self.expect_bootstrap()?;
        self.bootstrap_keys_by(log_slots, |inverse, diagonals, slots| {
            rotations_of(|all, slots| boot.split(inverse, all, slots), diagonals, slots)
        })
    }

    /// [`Parameters::bootstrap_keys`] where `rotations(inverse, diagonals, slots)` has the rotations of a
    /// matrix for `slots` slots of CoeffsToSlots, which is the inverse transform, or of SlotsToCoeffs.
    pub(crate) fn bootstrap_keys_by(
        &self,
        log_slots: u32,
        rotations: impl Fn(bool, &[i64], usize) -> Vec<i64>,
    ) -> Result<KeyPlan> {
        let (boot, max) = (self.expect_bootstrap()?, self.max_level());
        let log_slots = self.bootstrap_log_slots(log_slots);
        let all = self.bootstrap_transforms(log_slots)?;
        let after = max - boot.coeffs_to_slots_levels();
        let mut plan = KeyPlan::none()
            .with(KeyUse::Relinearization, Some(after))
            .with(KeyUse::Conjugation, Some(after))
            .with_ephemeral(boot.matrix_keys.then_some(log_slots));
        let trace = trace_rotations(self.log_n(), boot.raised_log_slots(log_slots)).map(|r| (r, max));
        let factors = all.iter().flat_map(|t| t.levels().map(|(i, level)| (t.inverse, &t.diagonals[i], level)));
        let steps = factors
            .flat_map(|(inverse, d, level)| rotations(inverse, d, 1 << log_slots).into_iter().map(move |r| (r, level)));
        let steps: Vec<_> = steps.collect();
        // the two halves of the slots are added up after a joined EvalMod
        let halves = boot.is_keyed_whole().then(|| (1 << log_slots, self.landing_level(boot) + 1));
        let turns = all.iter().filter(|t| t.turn != 0).map(|t| (t.turn, t.level));
        for (r, level) in trace.chain(steps).chain(turns).chain(halves) {
            plan = plan.with(KeyUse::Rotation(r), Some(level));
        }
        Ok(plan)
    }
}

/// Splits `count` stages into as many groups as `model` has: `model` itself where it has `count`
/// stages, otherwise groups as even as possible.
fn groups(model: &[u32], count: u32) -> Result<Vec<u32>> {
    let levels = model.len() as u32;
    if model.iter().sum::<u32>() == count {
        return Ok(model.to_vec());
    }
    if count < levels {
        let expected = format!("at least 2^{levels} for these parameters");
        return Err(Error::argument("slots", format!("2^{count}"), expected));
    }
    Ok(even_groups(count, levels))
}
