//! The description of a CKKS parameter set that a user writes: plain and serialisable.

use ringjet_math::evalmod;
use serde::{Deserialize, Serialize};

use crate::diagonals::{Split, even_groups, log2_ceil};
use crate::rlwe::ModulusSpec;
use crate::{Error, Result};

/// One level of a chain whose levels are sets of primes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSpec {
    /// Indices of the level's primes in `q`, increasing.
    pub primes: Vec<usize>,
    /// The level's scale; by default that of a rescaled product of ciphertexts of the level above,
    /// or half of it where the product is doubled (see [`BootstrapSpec::doubles`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<u64>,
}

/// How a parameter set bootstraps (see [`crate::Bootstrapper`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapSpec {
    /// Stages of the Fourier transform in each level of SlotsToCoeffs, in order of application.
    /// Their sum is log2(N) - 1, or less: the binary logarithm of the most slots that are bootstrapped.
    pub slots_to_coeffs: Vec<u32>,
    /// Stages in each level of CoeffsToSlots, with the same sum.
    pub coeffs_to_slots: Vec<u32>,
    /// Whether SlotsToCoeffs comes first, at the lowest levels, or last, below EvalMod.
    pub slots_to_coeffs_first: bool,
    /// K, 4 to 64: raising the modulus adds a multiple `q_0 * I` with `|I| < K`.
    pub k: u32,
    /// Degree of the polynomial that approximates the cosine, 3 to 255. If it is even and at most
    /// `4 * k - 2`, the polynomial is one of half the degree in the square of the argument, which
    /// takes fewer products, and products are doubled by halving their scale. Otherwise it is one in
    /// the argument itself, and products are multiplied by 2, as in the literature.
    pub degree: usize,
    /// Double-angle steps after the cosine, 0 to 6.
    pub double_angles: u32,
    /// Degree of the polynomial that approximates the arcsine, odd, up to 15; 1: no arcsine.
    pub arcsine: usize,
    /// Passes, 1 to 3. Each further pass bootstraps the error of those before it, and takes a level
    /// (Meta-BTS; Bae, Cheon, Cho, Kim and Kim, ePrint 2022/1167).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub passes: u32,
    /// Non-zero coefficients of the ephemeral secret under which the modulus is raised, up to 256.
    pub secret_weight: u32,
    /// Whether the keys that lead back from the ephemeral secret contain the first matrix of
    /// CoeffsToSlots. That matrix is then applied where the modulus is raised, and takes no level.
    /// Each number of slots has keys of its own, one for each diagonal. Where that matrix is the only one,
    /// the keys contain CoeffsToSlots as a whole, and one EvalMod takes real and imaginary parts. At most
    /// N/4 slots are possible; n slots take 2 n keys, so it suits few slots.
    #[serde(default, skip_serializing_if = "is_false")]
    pub matrix_keys: bool,
    /// Most baby steps of a matrix of CoeffsToSlots, a power of two: fewer keys, and more giant steps, which
    /// follow each other and share a key. Matrices of SlotsToCoeffs have twice as many, as keys for the
    /// lowest levels are small. Without `matrix_keys` a rotation by 1 at the highest level comes before
    /// CoeffsToSlots. 0: as many as is fastest, and a key for each giant step.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub baby_steps: u32,
    /// Whether a bootstrap returns `sin(pi / 2 * z)` for a value z between -1 and 1, instead of z: a table
    /// of encrypted integers is a polynomial in it. Only with SlotsToCoeffs first, one pass and no arcsine.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sine: bool,
}

impl BootstrapSpec {
    /// The circuit of the presets, for any ring: each transform in `levels` levels, a cosine of
    /// degree 30 with K = 16, three double-angle steps, and an ephemeral secret of 32 non-zero
    /// coefficients.
    pub fn standard(log_n: u32, levels: u32) -> Self {
        let stages = even_groups(log_n.saturating_sub(1), levels);
        Self {
            slots_to_coeffs: stages.clone(),
            coeffs_to_slots: stages,
            slots_to_coeffs_first: true,
            k: 16,
            degree: 30,
            double_angles: 3,
            arcsine: 1,
            passes: 1,
            secret_weight: 32,
            matrix_keys: false,
            baby_steps: 0,
            sine: false,
        }
    }

    /// The number of levels of CoeffsToSlots. Where the keys contain it as a whole, it is one in which only
    /// the scale falls.
    pub(crate) fn coeffs_to_slots_levels(&self) -> usize {
        self.coeffs_to_slots.len().saturating_sub(usize::from(self.matrix_keys)).max(1)
    }

    /// Binary logarithm of the fewest slots that the transforms are made for: a stage in each level.
    pub(crate) fn least_log_slots(&self) -> u32 {
        self.slots_to_coeffs.len().max(self.coeffs_to_slots.len()) as u32
    }

    /// Binary logarithm of the most slots that are bootstrapped.
    pub fn most_log_slots(&self) -> u32 {
        self.slots_to_coeffs.iter().sum()
    }

    /// Whether the keys contain CoeffsToSlots as a whole.
    pub(crate) fn is_keyed_whole(&self) -> bool {
        self.matrix_keys && self.coeffs_to_slots.len() == 1
    }

    /// Binary logarithm of the slots whose values the trace after ModRaise makes repeat: those of the
    /// ciphertext, or twice as many where real and imaginary parts are apart by then.
    pub(crate) fn raised_log_slots(&self, log_slots: u32) -> u32 {
        log_slots + u32::from(self.is_keyed_whole())
    }

    /// Whether EvalMod can leave imaginary parts out: SlotsToCoeffs comes first, so it works on values, and
    /// the parts are apart.
    pub(crate) fn has_real_parts(&self) -> bool {
        self.slots_to_coeffs_first && !self.is_keyed_whole()
    }

    /// How a matrix with these diagonals, as for [`Split::cheapest`], is split. `inverse`: it is one of
    /// CoeffsToSlots.
    pub(crate) fn split(&self, inverse: bool, diagonals: &[i64], slots: usize) -> Split {
        match self.baby_steps as usize {
            0 => Split::double_hoisted(diagonals, slots),
            most => Split::chained(if inverse { most } else { 2 * most }, diagonals, slots),
        }
    }

    /// The number of levels of EvalMod.
    pub fn eval_mod_depth(&self) -> usize {
        log2_ceil(self.degree + 1) + self.double_angles as usize + self.arcsine_depth()
    }

    /// Bits by which the error of all roundings in EvalMod exceeds that of one product at the scale
    /// at which EvalMod starts, both relative to q_0. Fitted to measured standard deviations of the
    /// presets, and of small rings with a polynomial in the argument itself. Tests compare the whole
    /// estimate with measured errors.
    pub fn eval_mod_growth(&self) -> f64 {
        if evalmod::takes_square(self.k, self.degree) { 8.6 } else { 10.5 }
    }

    /// Whether EvalMod returns messages by a line beside the sine, see [`evalmod::sine_slope`]: it does
    /// where it works on values up to 1, and no arcsine follows. Coefficients, on which it works where
    /// SlotsToCoeffs comes last, are mostly far smaller than 1, so a tangent is better for them.
    pub(crate) fn has_line(&self) -> bool {
        self.arcsine <= 1 && self.slots_to_coeffs_first && !self.sine
    }

    /// Whether one EvalMod takes real and imaginary parts of `2^log_slots` slots in a ring of degree
    /// `2^log_n`: they need twice the slots, and the last step must be a double angle.
    pub(crate) fn joins_parts(&self, log_n: u32, log_slots: u32) -> bool {
        log_slots + 1 < log_n && self.double_angles > 0 && self.arcsine <= 1
    }

    /// The error of EvalMod's sine, or of its arcsine, for a message of size 1, if q_0 is `room` times
    /// the size of the message. 0 where the sine is what is wanted.
    pub fn sine_error(&self, room: f64) -> f64 {
        if self.sine {
            return 0.0;
        }
        // beside the line a quarter of the cubic term is left
        evalmod::sine_error(self.arcsine | 1, room) / if self.has_line() { 4.0 } else { 1.0 }
    }

    /// [`BootstrapSpec::sine_error`] where real and imaginary parts of messages are at most `part`, which
    /// is at most 1.
    pub(crate) fn sine_error_within(&self, room: f64, part: f64) -> f64 {
        let shape = match self.has_line() {
            // beside the line the error is a Chebyshev polynomial, which is largest at 1/2 and at 1
            true if part >= 0.5 => 1.0,
            true => 3.0 * part - 4.0 * part.powi(3),
            false => part.powi((self.arcsine | 1) as i32 + 2),
        };
        self.sine_error(room) * shape
    }

    /// The number of levels of the arcsine.
    fn arcsine_depth(&self) -> usize {
        if self.arcsine > 1 { log2_ceil(self.arcsine + 1) } else { 0 }
    }

    /// Whether products that land on `level` are doubled by halving their scale: those of Chebyshev
    /// polynomials and of double angles, which are all products of EvalMod before an arcsine, if the
    /// cosine is a polynomial in a square. `max_level` is the highest level.
    pub fn doubles(&self, level: usize, max_level: usize) -> bool {
        if !evalmod::takes_square(self.k, self.degree) {
            return false;
        }
        let depth = max_level.saturating_sub(level);
        let start = self.coeffs_to_slots_levels();
        (start + 1..=start + self.eval_mod_depth() - self.arcsine_depth()).contains(&depth)
    }

    /// The number of levels above those of messages.
    pub fn upper_levels(&self) -> usize {
        self.last_levels() + self.eval_mod_depth() + self.coeffs_to_slots_levels()
    }

    /// The part of the circuit, or "messages", that uses `level` of the levels up to `max_level`.
    pub(crate) fn purpose(&self, level: usize, max_level: usize) -> &'static str {
        // counted from the highest level down
        let depth = max_level.saturating_sub(level);
        let start = self.coeffs_to_slots_levels();
        match depth {
            d if d < start => "CoeffsToSlots",
            d if d < start + self.eval_mod_depth() => "EvalMod",
            d if d < self.upper_levels() => "SlotsToCoeffs",
            _ if level <= self.input_level() => "SlotsToCoeffs",
            _ => "messages",
        }
    }

    /// The number of levels of SlotsToCoeffs between EvalMod and messages.
    pub(crate) fn last_levels(&self) -> usize {
        if self.slots_to_coeffs_first { 0 } else { self.slots_to_coeffs.len() }
    }

    /// The level of a bootstrapped ciphertext; `top` is the highest message level.
    pub fn output_level(&self, top: usize) -> usize {
        top.saturating_sub(self.passes as usize - 1)
    }

    /// The levels that a ciphertext must have left to be bootstrapped.
    pub fn input_level(&self) -> usize {
        if self.slots_to_coeffs_first { self.slots_to_coeffs.len() } else { 0 }
    }
}

/// A CKKS parameter set as a user writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSpec {
    /// Binary logarithm of the ring degree N, 4 to 17. Below 10 it is for tests, never secure.
    pub log_n: u32,
    /// The ciphertext primes. Unless `levels` is given, the first prime is level 0 and each further
    /// one adds a level.
    pub q: ModulusSpec,
    /// The special primes of key switching.
    pub p: ModulusSpec,
    /// Binary logarithm of the scale at the top message level, 10 to 120.
    pub scale_bits: u32,
    /// Levels as sets of primes, the lowest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<LevelSpec>>,
    /// The bootstrapping circuit. It needs `levels`, the highest of which bootstrapping alone uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapSpec>,
    /// Numbers of primes of `q` in each digit of key switching, where digits differ in size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<Vec<usize>>,
    /// Primes of `q` in each digit of key switching; the number of special primes where absent.
    /// Ignored where `digits` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<usize>,
    /// How many independent secrets the secret is the sum of: 1 for a single client, and as many as
    /// [`pieces_of`](crate::parties::pieces_of) says for a secret that several parties share. Errors grow with
    /// their number.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub pieces: u32,
    /// Wanted security in bits: 128, 192 or 256.
    #[serde(default = "default_security")]
    pub security: u32,
    /// Accept parameters below the wanted security. All objects made from them show it.
    #[serde(default)]
    pub allow_insecure: bool,
}

fn one() -> u32 {
    1
}

fn is_one(x: &u32) -> bool {
    *x == 1
}

fn is_zero(x: &u32) -> bool {
    *x == 0
}

fn is_false(x: &bool) -> bool {
    !x
}

fn default_security() -> u32 {
    128
}

impl ParamSpec {
    /// A chain of one `first_bits` prime and `depth` primes near `2^scale_bits`, with `special`
    /// primes of 50 bits.
    pub fn uniform(log_n: u32, first_bits: u32, depth: usize, scale_bits: u32, special: usize) -> Self {
        Self {
            log_n,
            q: ModulusSpec::Bits([vec![first_bits], vec![scale_bits; depth]].concat()),
            p: ModulusSpec::Bits(vec![50; special]),
            scale_bits,
            levels: None,
            bootstrap: None,
            digits: None,
            alpha: None,
            pieces: 1,
            security: 128,
            allow_insecure: false,
        }
    }

    /// The same spec for a secret that is the sum of this many pieces.
    pub fn pieces(self, pieces: u32) -> Self {
        Self { pieces, ..self }
    }

    /// The same spec without the security check.
    pub fn allow_insecure(mut self) -> Self {
        self.allow_insecure = true;
        self
    }
}

/// Most non-zero coefficients of an ephemeral secret: with more, I in q_0 * I gets too large.
const MAX_WEIGHT: u32 = 256;

/// Most baby steps: no matrix has more diagonals.
const MAX_BABY_STEPS: u32 = 1 << 16;

impl BootstrapSpec {
    /// Refuses values out of range, and circuits that fail with a probability above 2^-128.
    pub(super) fn check(&self, spec: &ParamSpec) -> Result<()> {
        let refuse = |why: String| Err(Error::Parameters(format!("bootstrapping: {why}")));
        let transforms = [&self.coeffs_to_slots, &self.slots_to_coeffs];
        let [up, down] = transforms.map(|groups| groups.iter().map(|&g| u64::from(g)).sum::<u64>());
        // with the matrix of all stages in the keys, both parts of the values share the slots
        let most = spec.log_n - 1 - u32::from(self.is_keyed_whole());
        if transforms.iter().any(|groups| groups.contains(&0)) || up != down || !(1..=u64::from(most)).contains(&up) {
            return refuse(format!(
                "the stages {:?} of coeffs_to_slots and {:?} of slots_to_coeffs must be positive and have the same sum, at \
                 most {most}",
                self.coeffs_to_slots, self.slots_to_coeffs
            ));
        }
        if !(4..=64).contains(&self.k) || !(3..=255).contains(&self.degree) || self.double_angles > 6 {
            let (k, degree, double) = (self.k, self.degree, self.double_angles);
            return refuse(format!(
                "k = {k}, degree = {degree}, {double} double angles: 4..=64, 3..=255, 0..=6 are known"
            ));
        }
        if self.is_keyed_whole() && (self.double_angles == 0 || self.arcsine > 1) {
            return refuse(
                "matrix_keys: with a single matrix of coeffs_to_slots, EvalMod needs double angles and no arcsine"
                    .into(),
            );
        }
        if self.baby_steps != 0 && !self.baby_steps.is_power_of_two() || self.baby_steps > MAX_BABY_STEPS {
            let most = self.baby_steps;
            return refuse(format!("{most} baby steps: 0 or a power of two up to {MAX_BABY_STEPS} are possible"));
        }
        if self.sine && (!self.slots_to_coeffs_first || self.passes > 1 || self.arcsine > 1) {
            return refuse("sine: only with SlotsToCoeffs first, one pass and no arcsine".into());
        }
        if self.arcsine.is_multiple_of(2) || self.arcsine > 15 {
            return refuse(format!("an arcsine of degree {}: odd degrees to 15 are known, 1 for none", self.arcsine));
        }
        if !(1..=3).contains(&self.passes) {
            return refuse(format!("{} passes: 1 to 3 are known", self.passes));
        }
        let most = (1u32 << (spec.log_n - 1)).min(MAX_WEIGHT);
        if !(1..=most).contains(&self.secret_weight) {
            let weight = self.secret_weight;
            return refuse(format!("{weight} non-zero coefficients of an ephemeral secret: 1 to {most} are possible"));
        }
        let failure = evalmod::failure_log2(self.secret_weight, self.k, spec.log_n);
        if failure > -128.0 && !spec.allow_insecure {
            return refuse(format!(
                "it fails with probability 2^{failure:.1}, more than 2^-128: use a larger k or a sparser secret"
            ));
        }
        Ok(())
    }
}
