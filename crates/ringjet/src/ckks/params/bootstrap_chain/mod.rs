//! Generates chains for bootstrapping: primes below 2^50, or below a smaller power of two, for
//! levels whose scales have any size.
//!
//! Levels of messages and of SlotsToCoeffs have one prime each. A level above them has all those
//! primes, some *mains* (primes just below that power) and a subset of a few smaller *terminals*. A
//! rescaling by 60 bits, for example, removes two mains and adds a terminal of 40 bits. Rescaling
//! is then a rational division ([`ringjet_backend::plan::DivisionPlan::rational`]), and the scale
//! of EvalMod does not depend on the word size. Each main is chosen so that the division by it
//! brings the scale back to its nominal value.

mod upper_levels;

use ringjet_math::evalmod;
use ringjet_math::prime::ntt_prime_nearest;

pub use upper_levels::{ExplainedLevel, Explanation, UpperLevels};
use upper_levels::{Product, Step, Upper, decompose, explain, main_range};

use super::spec::{BootstrapSpec, LevelSpec, ParamSpec};
use crate::diagonals::{even_groups, log2_ceil};
use crate::rlwe::ModulusSpec;
use crate::{Error, Result};

/// Bits by which the scale falls with each double-angle step: about as many as the step magnifies
/// errors.
const TAPER: f64 = 2.0;
/// Bits by which the scales below EvalMod's start are larger where the cosine is a polynomial in a
/// square, highest level first. Near 0 the square's error is magnified most.
const SQUARE: [f64; 3] = [2.25, 1.0, 0.25];
/// Most bits by which the scale of a product in EvalMod may differ from nominal.
const DRIFT: f64 = 1.5;
/// The same for the last product of EvalMod: its scale decides the room of messages.
const DRIFT_AT_END: f64 = 0.375;
/// The same for products of messages.
const MESSAGE_DRIFT: f64 = 0.25;
/// The same where EvalMod ends in a sine, whose scale messages then have.
const SINE_DRIFT: f64 = 1e-3;
/// `log2(q_0 / scale)` where a bootstrap returns a sine: a value of 1 is a quarter of a turn.
pub(crate) const SINE_ROOM: u32 = 2;
/// Bounds on [`BootstrapChain::prime_bits`]; the fastest CPU kernels need primes below 2^50.
const PRIME_BITS: std::ops::RangeInclusive<u32> = 40..=50;
/// Largest numbers of message levels and of special primes: no secure set has as many.
const MAX_LEVELS: usize = 128;
/// Largest scale of a level, in bits.
const MAX_BITS: f64 = 120.0;

/// The wanted properties of a chain that bootstraps.
#[derive(Debug, Clone, PartialEq)]
pub struct BootstrapChain {
    /// Binary logarithm of the ring degree, 4 to 17.
    pub log_n: u32,
    /// Levels of messages between two bootstraps, without those of SlotsToCoeffs; at most 128.
    pub message_levels: usize,
    /// Binary logarithm of the scale of messages, 20 to `prime_bits`.
    pub scale_bits: u32,
    /// All primes are below `2^prime_bits`, 40 to 50.
    pub prime_bits: u32,
    /// Bits of the lowest prime q_0, 30 to `prime_bits`.
    pub first_bits: u32,
    /// Bits of the primes of SlotsToCoeffs, 20 to `prime_bits`. With SlotsToCoeffs last they must be
    /// `scale_bits`.
    pub slots_to_coeffs_bits: u32,
    /// `log2(q_0 / scale)` when the modulus is raised: the room of a message below q_0. The sine's
    /// error of a value of 1 is about `2^(2.7 - 2 * log_ratio)`, a quarter of it with SlotsToCoeffs
    /// first. With SlotsToCoeffs last log_ratio must be `first_bits - scale_bits`; where a bootstrap
    /// returns a sine, 2.
    pub log_ratio: f64,
    /// Binary logarithm of the scale at which EvalMod starts. Each later level has about as much
    /// more or less as its errors are magnified more or less.
    pub eval_mod_bits: f64,
    /// Bits by which each level of CoeffsToSlots divides.
    pub coeffs_to_slots_bits: f64,
    /// Number of special primes, which have `prime_bits` bits, 1 to 128.
    pub special: usize,
    /// Whether message levels are sets of mains and terminals, like the levels above them, instead
    /// of having one prime of `scale_bits` each: fewer primes in all. Only with SlotsToCoeffs first.
    pub shared_primes: bool,
    /// The bootstrapping circuit.
    pub bootstrap: BootstrapSpec,
}

impl BootstrapChain {
    /// A chain for [`BootstrapSpec::standard`] with transforms of two levels: four message levels at a
    /// scale of 2^40, primes of 50 bits, seven of them special.
    pub fn standard(log_n: u32) -> Self {
        Self {
            log_n,
            message_levels: 4,
            scale_bits: 40,
            prime_bits: 50,
            first_bits: 50,
            slots_to_coeffs_bits: 40,
            log_ratio: 13.5,
            eval_mod_bits: 61.5,
            coeffs_to_slots_bits: 50.0,
            special: 7,
            shared_primes: false,
            bootstrap: BootstrapSpec::standard(log_n, 2),
        }
    }

    /// Finds the primes and explains them level by level. Where no primes fit the scales, scales
    /// within one bit are tried; the explanation has the scales in use.
    /// Fails with [`Error::Parameters`] where no such primes exist or a value is out of range.
    pub fn generate(&self) -> Result<(ParamSpec, Explanation)> {
        let asked = self.attempt();
        if asked.is_ok() {
            return asked;
        }
        let nearby = [0.25, -0.25, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0];
        let chains = nearby.iter().flat_map(|e| [0.0, 0.5, -0.5].map(|c| (e, c))).map(|(e, c)| Self {
            eval_mod_bits: self.eval_mod_bits + e,
            coeffs_to_slots_bits: self.coeffs_to_slots_bits + c,
            ..self.clone()
        });
        chains.map(|chain| chain.attempt()).find(Result::is_ok).unwrap_or(asked)
    }

    fn attempt(&self) -> Result<(ParamSpec, Explanation)> {
        self.check()?;
        self.generate_with(&self.upper_levels()?)
    }

    /// Finds mains and terminals of the upper levels for exactly these scales.
    /// Fails with [`Error::Parameters`] where no primes fit the scales.
    pub fn upper_levels(&self) -> Result<UpperLevels> {
        let (sizes, main, levels) = decompose(&self.steps(), self.prime_bits)?;
        Ok(UpperLevels { sizes, main, levels })
    }

    /// log2 of the product by which all upper levels together enlarge the modulus, computed from
    /// the scales. The primes found differ from it by some bits.
    pub fn upper_bits(&self) -> f64 {
        self.steps().iter().map(|step| step.ratio).sum()
    }

    /// Message levels that are sets of mains and terminals.
    fn shared_levels(&self) -> usize {
        if self.shared_primes { self.message_levels } else { 0 }
    }

    /// The upper levels as they should be, lowest first: those of messages where they share primes,
    /// of EvalMod and of CoeffsToSlots.
    fn steps(&self) -> Vec<Step> {
        let boot = &self.bootstrap;
        let (message, max) = (f64::from(self.scale_bits), boot.upper_levels());
        let landing = Product { scale: message, doubling: 0.0, drift: MESSAGE_DRIFT, restart: None };
        let mut steps = vec![Step { scale: message, ratio: message, product: Some(landing) }; self.shared_levels()];
        for (i, pair) in self.nominal_scales().windows(2).enumerate() {
            let doubling = f64::from(u8::from(boot.doubles(boot.last_levels() + i, max)));
            let product = (i < boot.eval_mod_depth()).then(|| Product {
                scale: pair[0],
                doubling,
                drift: if i > 0 {
                    DRIFT
                } else if boot.sine {
                    SINE_DRIFT
                } else {
                    DRIFT_AT_END
                },
                restart: (i == 0 && !boot.sine).then_some(message),
            });
            let ratio = if product.is_some() { 2.0 * pair[1] - pair[0] - doubling } else { self.coeffs_to_slots_bits };
            steps.push(Step { scale: pair[1], ratio, product });
        }
        steps
    }

    fn check(&self) -> Result<()> {
        let boot = &self.bootstrap;
        if !(4..=17).contains(&self.log_n) || self.message_levels > MAX_LEVELS || self.special > MAX_LEVELS {
            let (log_n, levels, special) = (self.log_n, self.message_levels, self.special);
            return Err(Error::Parameters(format!(
                "log_n = {log_n}, {levels} message levels, {special} special primes: 4 to 17 and at most {MAX_LEVELS} are known"
            )));
        }
        // failure and security are checked by `Parameters::new`, once the primes are known
        boot.check(&ParamSpec::uniform(self.log_n, 50, 1, 40, 1).allow_insecure())?;
        for (name, bits) in [
            ("log_ratio", self.log_ratio),
            ("eval_mod_bits", self.eval_mod_bits),
            ("coeffs_to_slots_bits", self.coeffs_to_slots_bits),
        ] {
            if !(0.0..=MAX_BITS).contains(&bits) {
                return Err(Error::Parameters(format!("{name} of {bits} bits: 0 to {MAX_BITS} are possible")));
            }
        }
        let most = self.prime_bits;
        if !PRIME_BITS.contains(&most) {
            let (low, high) = PRIME_BITS.into_inner();
            return Err(Error::Parameters(format!("primes below 2^{most}: {low} to {high} bits are possible")));
        }
        let message = |bits| (20..=most).contains(bits);
        let lowest = (30..=most).contains(&self.first_bits);
        if !lowest || !message(&self.scale_bits) || !message(&self.slots_to_coeffs_bits) || self.special == 0 {
            return Err(Error::Parameters(format!(
                "with primes below 2^{most}: q_0 of {} bits (30 to {most} are possible), a scale of {} bits and \
                 SlotsToCoeffs of {} bits (20 to {most}), {} special primes (at least 1)",
                self.first_bits, self.scale_bits, self.slots_to_coeffs_bits, self.special
            )));
        }
        if !boot.slots_to_coeffs_first && self.shared_primes {
            return Err(Error::Parameters("shared_primes: only with SlotsToCoeffs first".into()));
        }
        if !boot.slots_to_coeffs_first && self.slots_to_coeffs_bits != self.scale_bits {
            return Err(Error::Parameters(format!(
                "levels of {} bits for SlotsToCoeffs: after EvalMod they have the {} bits of the scale of messages",
                self.slots_to_coeffs_bits, self.scale_bits
            )));
        }
        if boot.sine && self.log_ratio != f64::from(SINE_ROOM) {
            return Err(Error::Parameters(format!(
                "a log_ratio of {} bits: where a bootstrap returns a sine it is {SINE_ROOM}, so that a value of 1 is a quarter \
                 of a turn",
                self.log_ratio
            )));
        }
        let room = f64::from(self.first_bits) - f64::from(self.scale_bits);
        if !boot.slots_to_coeffs_first && self.log_ratio != room {
            return Err(Error::Parameters(format!(
                "a log_ratio of {} bits: messages that are raised as they are have first_bits - scale_bits = {room} bits of \
                 room; only SlotsToCoeffs, where it comes first, can give them another scale before",
                self.log_ratio
            )));
        }
        Ok(())
    }

    /// The same chain for a ring of degree `2^log_n`, which is not secure: as many levels, with stages
    /// split evenly. A chain for few slots keeps their number where there is room.
    /// Fails with [`Error::Argument`] for a larger ring, and for one with fewer stages than levels; as
    /// [`BootstrapChain::generate`] for senseless values.
    pub fn shrunk(mut self, log_n: u32) -> Result<Self> {
        self.check()?;
        let boot = &mut self.bootstrap;
        let least = boot.slots_to_coeffs.len().max(boot.coeffs_to_slots.len()) as u32 + 1;
        if !(least..=self.log_n).contains(&log_n) {
            return Err(Error::argument("log_n", log_n, format!("{least} to {} for this chain", self.log_n)));
        }
        if log_n < self.log_n {
            let all = boot.most_log_slots() == self.log_n - 1;
            let most = if all { log_n - 1 } else { boot.most_log_slots().min(log_n - 2) };
            if most < least - 1 {
                return Err(Error::argument("log_n", log_n, format!("at least {} for this chain", least + 1)));
            }
            for stages in [&mut boot.slots_to_coeffs, &mut boot.coeffs_to_slots] {
                *stages = even_groups(most, stages.len() as u32);
            }
            boot.secret_weight = boot.secret_weight.min(1 << (log_n - 1));
            self.log_n = log_n;
        }
        Ok(self)
    }

    /// Generates the chain with upper levels found by [`Self::upper_levels`]. Unlike
    /// [`Self::generate`] it tries no other scales.
    /// Fails with [`Error::Parameters`] where no such primes exist or a value is out of range.
    pub fn generate_with(&self, upper: &UpperLevels) -> Result<(ParamSpec, Explanation)> {
        self.check()?;
        let boot = &self.bootstrap;
        let lower = boot.input_level() + self.message_levels - self.shared_levels() + boot.last_levels();
        let limit = 1 << self.prime_bits;
        let spec = ParamSpec::uniform(self.log_n, self.first_bits, lower, self.scale_bits, self.special);
        let mut taken = vec![];
        let p = ModulusSpec::Bits(vec![self.prime_bits; self.special]).find(self.log_n, &mut taken)?;
        // the levels of SlotsToCoeffs below those of messages
        let below = boot.input_level();
        let bits =
            [vec![self.first_bits], vec![self.slots_to_coeffs_bits; below], vec![self.scale_bits; lower - below]]
                .concat();
        let mut q = spec.level_primes(&bits, limit, &mut taken)?;

        let steps = self.steps();
        let (sizes, main, uppers) = (&upper.sizes, upper.main, &upper.levels);
        if uppers.len() != steps.len() {
            let (found, wanted) = (uppers.len(), steps.len());
            return Err(Error::Parameters(format!("upper levels of another chain: {found} instead of {wanted}")));
        }
        let base = q.len();
        for &size in sizes {
            let terminal = ntt_prime_nearest(self.log_n, 2f64.powi(size as i32) as u64, limit, &taken)?;
            taken.push(terminal);
            q.push(terminal);
        }
        let terminals: Vec<f64> = q[base..].iter().map(|&t| (t as f64).log2()).collect();
        let mains = self.find_mains(&steps, (&terminals, main), uppers, &mut taken)?;
        q.extend_from_slice(&mains);

        let mut levels: Vec<LevelSpec> =
            (0..base).map(|l| LevelSpec { primes: (0..=l).collect(), scale: None }).collect();
        if self.slots_to_coeffs_bits != self.scale_bits {
            // only plaintexts are multiplied at these levels
            levels[..below].iter_mut().for_each(|level| level.scale = Some(1 << self.scale_bits));
        }
        for (i, upper) in uppers.iter().enumerate() {
            let terminals = upper.terminals.iter().map(|t| base + t);
            let mains = (0..upper.mains).map(|m| base + sizes.len() + m);
            // from EvalMod's start on, where only plaintexts are multiplied, scales are chosen
            let chosen = steps.get(i + 1).is_none_or(|above| above.product.is_none());
            // at the highest level a raised ciphertext is in units of K * q_0
            let raised = i + 1 == steps.len() && !boot.matrix_keys;
            let at = || if raised { q[0] * u64::from(boot.k) } else { steps[i].scale.exp2() as u64 };
            let scale = chosen.then(at);
            levels.push(LevelSpec { primes: (0..base).chain(terminals).chain(mains).collect(), scale });
        }
        // a sine has the scale of the last product
        levels[lower + self.shared_levels()].scale = (!boot.sine).then_some(1 << self.scale_bits);
        let explanation = explain(boot, &levels, &q, base, uppers, (terminals, main));
        if leaves_digits_empty(&levels, &digits(&q, &p)) {
            spread(&mut q, &mut levels, base, sizes.len());
        }
        let spec = ParamSpec {
            digits: Some(digits(&q, &p)),
            q: ModulusSpec::Primes(q),
            p: ModulusSpec::Primes(p),
            levels: Some(levels),
            bootstrap: Some(boot.clone()),
            ..spec
        };
        Ok((spec, explanation))
    }

    /// log2 of the scale at the highest message level, as EvalMod leaves it, and at every level
    /// above.
    fn nominal_scales(&self) -> Vec<f64> {
        let boot = &self.bootstrap;
        let scale = f64::from(self.scale_bits);
        // without an arcsine the last product has the sine's scale: 2 pi / 2^log_ratio times
        // smaller
        let landing =
            if boot.arcsine > 1 || boot.sine { scale } else { scale + self.log_ratio - std::f64::consts::TAU.log2() };
        let mut scales = vec![landing];
        let depth = boot.eval_mod_depth();
        let arcsine = depth - log2_ceil(boot.degree + 1) - boot.double_angles as usize;
        let square = evalmod::takes_square(boot.k, boot.degree);
        for i in 1..=depth {
            let before_last =
                (arcsine + boot.double_angles as usize + 1).saturating_sub(i).min(boot.double_angles as usize);
            let more =
                (depth - i).checked_sub(1).and_then(|below| SQUARE.get(below)).filter(|_| square && before_last == 0);
            scales.push((self.eval_mod_bits + more.unwrap_or(&0.0) - TAPER * before_last as f64).max(landing));
        }
        // the matrix that keys contain may change the scale at will
        let raised = f64::from(self.first_bits) + f64::from(boot.k).log2();
        let start = if boot.matrix_keys { self.eval_mod_bits } else { raised };
        let c2s = boot.coeffs_to_slots_levels();
        for i in 1..=c2s {
            scales.push(self.eval_mod_bits + (start - self.eval_mod_bits) * i as f64 / c2s as f64);
        }
        scales
    }

    /// The mains, in the order in which levels add them. They are chosen from the highest level
    /// down, such that the scale after each division is nominal.
    fn find_mains(
        &self,
        steps: &[Step],
        (terminals, main): (&[f64], f64),
        uppers: &[Upper],
        taken: &mut Vec<u64>,
    ) -> Result<Vec<u64>> {
        let limit = 1 << self.prime_bits;
        let (least, most) = main_range(self.prime_bits);
        let mut mains = vec![0; uppers.iter().map(|u| u.mains).max().unwrap_or(0)];
        let mut scale = None;
        for (i, step) in steps.iter().enumerate().rev() {
            let (upper, below) = (&uppers[i], i.checked_sub(1).map(|b| &uppers[b]));
            let below_mains = below.map_or(0, |b| b.mains);
            let sum = |u: &Upper| u.terminals.iter().map(|&t| terminals[t]).sum::<f64>();
            let squared = 2.0 * scale.unwrap_or(step.scale) - step.product.map_or(0.0, |p| p.doubling);
            let mut ratio = sum(upper) - below.map_or(0.0, sum);
            for m in (below_mains..upper.mains).rev() {
                let target = match step.product {
                    Some(product) if m == below_mains => squared - product.scale - ratio,
                    _ => main,
                };
                let target = target.clamp(least, most).exp2() as u64;
                mains[m] = ntt_prime_nearest(self.log_n, target.min(limit - 1), limit, taken)?;
                taken.push(mains[m]);
                ratio += (mains[m] as f64).log2();
            }
            scale = step.product.map(|product| product.restart.unwrap_or(squared - ratio));
        }
        Ok(mains)
    }
}

/// Whether a level has no prime of a digit, but one of a later digit.
fn leaves_digits_empty(levels: &[LevelSpec], sizes: &[usize]) -> bool {
    let digit_of: Vec<usize> = sizes.iter().enumerate().flat_map(|(d, &size)| std::iter::repeat_n(d, size)).collect();
    levels.iter().any(|level| {
        let mut digits: Vec<usize> = level.primes.iter().map(|&i| digit_of[i]).collect();
        digits.dedup();
        digits.iter().enumerate().any(|(i, &d)| i != d)
    })
}

/// Moves the terminals, which follow the `base` lowest primes, to places between these. Where digits
/// have few primes, a digit of terminals only could be empty at some level. A terminal comes after
/// the third of the lowest primes and after each later one; earlier where these are few.
fn spread(q: &mut Vec<u64>, levels: &mut [LevelSpec], base: usize, terminals: usize) {
    let mut order: Vec<usize> = vec![];
    let mut left = base..base + terminals;
    for i in 0..base {
        order.push(i);
        if i >= base.saturating_sub(terminals).min(2) {
            order.extend(left.next());
        }
    }
    order.extend(left.chain(base + terminals..q.len()));
    let mut place = vec![0; q.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
    *q = order.iter().map(|&i| q[i]).collect();
    for level in levels {
        level.primes.iter_mut().for_each(|i| *i = place[*i]);
        level.primes.sort_unstable();
    }
}

/// Sizes of digits, as many primes as fit into P: fewer digits make smaller and faster keys.
fn digits(q: &[u64], p: &[u64]) -> Vec<usize> {
    let bits = |x: &u64| (*x as f64).log2();
    let room: f64 = p.iter().map(bits).sum();
    let (mut sizes, mut sum) = (vec![0], room);
    for x in q {
        sum += bits(x);
        if sum > room {
            sizes.push(0);
            sum = bits(x);
        }
        if let Some(last) = sizes.last_mut() {
            *last += 1;
        }
    }
    sizes.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameters;
    use crate::ckks::params::bootstrap_chain;

    /// With two special primes a digit of terminals only would be empty at some levels.
    #[test]
    fn few_special_primes_spread_the_terminals() {
        let chain = BootstrapChain { special: 2, ..bootstrap_chain("n15-boot-fast").unwrap() };
        let (spec, _) = chain.generate().unwrap();
        let params = Parameters::new(&spec.allow_insecure()).unwrap();
        let lower: Vec<usize> = params.primes_of(params.top_level()).to_vec();
        assert!(lower.len() < lower[lower.len() - 1] + 1, "{lower:?}");
        assert!(params.dnum() > 5);
    }

    #[test]
    fn doubled_products_land_on_half_the_scale() {
        for name in ["n15-boot", "n15-boot-fast", "n16-boot", "n16-boot-precise"] {
            let params = Parameters::new(&bootstrap_chain(name).unwrap().generate().unwrap().0).unwrap();
            let boot = params.bootstrap().unwrap();
            let max = params.max_level();
            let start = max - boot.coeffs_to_slots_levels();
            let doubled: Vec<usize> = (0..max).filter(|&l| boot.doubles(l, max)).collect();
            assert_eq!(doubled, (params.top_level()..start).collect::<Vec<_>>(), "{name}");
            for &l in &doubled[1..] {
                let product = params.scale(l + 1) * params.scale(l + 1) / params.ratio(l + 1);
                assert_eq!(product.log2() - params.scale(l).log2(), 1.0, "{name}");
            }
        }
    }
}
