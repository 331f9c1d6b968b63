//! Checked parameters of BGV and BFV: a chain of primes, the plaintext modulus, and their plans.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ringjet_backend::plan::{BaseConversionPlan, DivisionPlan, ModUpPlan, positions};
use ringjet_math::{Basis, Modulus, rns};

use super::modulus::{PlaintextModulus, inverse};
use super::noise::Sizes;
use super::spec::{ParamSpec, Product};
use crate::noise::{ErrorTerm, Range};
use crate::rlwe::security::{self, SecurityLevel};
use crate::rlwe::{Chain, ChainParameters, ChainParts, ModulusSpec, Ring, SchemeParameters, parameter_set};
use crate::wire::fingerprint_of;
use crate::{Error, Result};

/// The least budget in bits with which a decryption is accepted, and that a result must have by its
/// bound. If a coefficient of w had wrapped around the modulus, another one would be above a
/// quarter of the modulus: for that not to be so, one coefficient would have to be three times as
/// large as all others.
pub(super) const LEAST_BUDGET: f64 = 1.0;

/// The largest modulus of BFV in bits: bounds on w, which can be nearly as large as Q in a
/// coefficient and larger in a slot, are doubles.
const MAX_BFV_BITS: f64 = 960.0;

/// An immutable, checked parameter set; cheap to clone. It is a [`Chain`] with a plaintext modulus.
///
/// In BGV *level* l is a set of primes of `q`, with the product Q_l: the first `l + 1` primes,
/// unless the spec says otherwise. In BFV there is one level, of all primes.
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    chain: Chain,
    spec: ParamSpec,
    t: PlaintextModulus,
    levels: Vec<OnceLock<Vec<PlaintextPlans>>>,
    sizes: Vec<OnceLock<LevelNoise>>,
    places: OnceLock<Vec<u32>>,
    bfv: OnceLock<BfvPlans>,
}

/// Plans and constants that lead between a prime t of the plaintext modulus and the primes of a
/// level.
pub(super) struct PlaintextPlans {
    /// Extension from {t} by the primes of the level, which come first.
    pub(super) lift: ModUpPlan,
    /// Conversion of coefficients from the primes of the level to {t}.
    pub(super) reduce: BaseConversionPlan,
    /// `t^-1` and `t^-2` modulo each prime.
    pub(super) inverse: [Vec<u64>; 2],
    /// `t` and `t^2` modulo each prime.
    pub(super) times: [Vec<u64>; 2],
    /// Q_l modulo t.
    pub(super) q: u64,
    /// Decomposition for relinearisation: what is added to the product is multiplied by t.
    pub(super) relinearization: ModUpPlan,
    /// t divided by the first prime of the plaintext modulus, modulo each prime of the level: the
    /// relinearisation key leads from that first prime times `s^2`. `None` for the first prime.
    pub(super) over_first: Option<Vec<u64>>,
}

/// What bounds on noise at a level depend on.
pub(super) struct LevelNoise {
    /// log2 of Q_l.
    pub(super) log2_q: f64,
    /// The rounding of a division of two polynomials, and of three.
    pub(super) rounding: [ErrorTerm; 2],
    /// The error of a relinearisation, before and after its division is rounded.
    pub(super) relinearizing: ErrorTerm,
    pub(super) relinearized: ErrorTerm,
    /// The error of a key switch for a rotation.
    pub(super) switched: ErrorTerm,
}

/// Plans of BFV's product. R is the second basis, and its product.
pub(super) struct BfvPlans {
    /// Extension from Q to `R ++ Q`.
    pub(super) from_q: ModUpPlan,
    /// `round(R / Q * x)`, from Q to R.
    pub(super) to_r: DivisionPlan,
    /// Extension from R to `Q ++ R`.
    pub(super) from_r: ModUpPlan,
    /// Division by R, from `R ++ Q` to Q.
    pub(super) by_r: DivisionPlan,
    /// log2 of R.
    pub(super) log2_r: f64,
}

parameter_set!(Parameters is chain: Chain);

impl Parameters {
    /// Checks a spec: primes, security, and that the plaintext modulus has room for N slots.
    pub fn new(spec: &ParamSpec) -> Result<Self> {
        Ring::expect_degree(spec.log_n)?;
        let t = PlaintextModulus::new(spec.log_n, &spec.t)?;
        let mut taken = ModulusSpec::listed([&spec.q, &spec.p]);
        if let Some(t) = spec.t.iter().find(|t| taken.contains(t)) {
            return Err(Error::Parameters(format!("t = {t} is also a prime of the ciphertexts or keys")));
        }
        taken.extend(&spec.t);
        let p = spec.p.find(spec.log_n, &mut taken)?;
        let q = spec.q.find(spec.log_n, &mut taken)?;
        if q.is_empty() || p.is_empty() {
            return Err(Error::Parameters("at least one ciphertext prime and one special prime are needed".into()));
        }
        let alpha = spec.alpha.unwrap_or(p.len());
        if alpha == 0 || alpha > q.len().max(p.len()) {
            return Err(Error::Parameters(format!("alpha = {alpha} must be between 1 and {}", q.len().max(p.len()))));
        }
        let (q, p) = (Basis::new(spec.log_n, &q)?, Basis::new(spec.log_n, &p)?);
        if spec.product == Product::Bfv && q.log2() > MAX_BFV_BITS {
            let bits = q.log2();
            return Err(Error::Parameters(format!(
                "BFV with a modulus of {bits:.0} bits: at most {MAX_BFV_BITS} are supported, as bounds on noise are doubles; use BGV"
            )));
        }
        let level = SecurityLevel::of(spec.security)?;
        let levels = match (spec.product, &spec.levels) {
            (Product::Bgv, None) => (0..q.len()).map(|l| (0..=l).collect()).collect(),
            (Product::Bgv, Some(levels)) => levels.clone(),
            (Product::Bfv, None) => vec![(0..q.len()).collect::<Vec<_>>()],
            (Product::Bfv, Some(_)) => return Err(Error::Parameters("BFV has no levels".into())),
        };
        let spec = ParamSpec {
            q: ModulusSpec::Primes(q.values().collect()),
            p: ModulusSpec::Primes(p.values().collect()),
            alpha: Some(alpha),
            ..spec.clone()
        };
        let count = levels.len();
        let chain = Chain::new(ChainParts {
            top: count.saturating_sub(1),
            levels,
            digits: (0..q.len()).step_by(alpha).map(|first| alpha.min(q.len() - first)).collect(),
            security: (!spec.allow_insecure).then_some(level),
            product_factor: spec.t[0],
            pieces: spec.pieces,
            fingerprint: fingerprint_of::<Self>(&spec)?,
            q,
            p,
        })?;
        let made = Self(Arc::new(Inner {
            chain,
            t,
            levels: (0..count).map(|_| OnceLock::new()).collect(),
            sizes: (0..count).map(|_| OnceLock::new()).collect(),
            places: OnceLock::new(),
            bfv: OnceLock::new(),
            spec,
        }));
        let budget = made.budget_of(made.top_level(), made.sizes().fresh());
        if budget < LEAST_BUDGET {
            let (bits, t) = (made.q().log2(), made.t());
            return Err(Error::Parameters(format!(
                "{bits:.1} bits of ciphertext primes are {:.1} too few for an encryption modulo t = {t}",
                LEAST_BUDGET - budget
            )));
        }
        Ok(made)
    }

    /// The spec with every prime spelt out: enough to rebuild these parameters.
    pub fn spec(&self) -> &ParamSpec {
        &self.0.spec
    }

    /// The plaintext modulus T.
    pub fn t(&self) -> u128 {
        self.0.t.product
    }

    /// How ciphertexts are multiplied.
    pub fn product(&self) -> Product {
        self.0.spec.product
    }

    /// The values that a slot can hold, `-(T-1)/2` to `(T-1)/2`.
    pub fn range(&self) -> Range {
        Range::within((self.t() / 2) as f64, true)
    }

    /// Security by the 2024 guidelines.
    pub fn security(&self) -> security::Estimate {
        security::security_of(self.log_n(), self.log_qp())
    }

    pub(super) fn plaintext_modulus(&self) -> &PlaintextModulus {
        &self.0.t
    }

    /// The primes of the plaintext modulus, one for each component.
    pub(super) fn t_basis(&self) -> &Basis {
        &self.0.t.basis
    }

    /// The prime of component `i`.
    pub(super) fn modulo_t(&self, i: usize) -> &Modulus {
        self.0.t.prime(i)
    }

    /// The plans between the prime of component `i` and the primes of `level`.
    pub(super) fn plaintext_plans(&self, level: usize, i: usize) -> &PlaintextPlans {
        let all = self.0.levels[level].get_or_init(|| (0..self.t_basis().len()).map(|i| self.made(level, i)).collect());
        &all[i]
    }

    fn made(&self, level: usize, i: usize) -> PlaintextPlans {
        let (basis, t, modulo_t) = (&self.level(level).basis, self.t_basis().select([i]), self.modulo_t(i));
        let residues = |of: &dyn Fn(&Modulus) -> u64| basis.primes().iter().map(|q| of(q.modulus())).collect();
        let powers = |x: &dyn Fn(&Modulus) -> u64| [1, 2].map(|power| residues(&|q| q.pow(x(q), power)));
        let (value, first) = (modulo_t.value(), self.modulo_t(0).value());
        PlaintextPlans {
            lift: ModUpPlan::grouped(basis, &t, &[1]),
            reduce: BaseConversionPlan::new(basis, &t),
            inverse: powers(&|q| inverse(q, q.reduce(value))),
            times: powers(&|q| q.reduce(value)),
            q: rns::residue(&basis.product(), modulo_t),
            relinearization: self.level(level).mod_up.scaled(value),
            over_first: (i > 0).then(|| residues(&|q| q.mul(q.reduce(value), inverse(q, q.reduce(first))))),
        }
    }

    /// Sizes of the errors that operations add, for the component with the largest prime: it has the
    /// most noise, and the least budget.
    pub(super) fn sizes(&self) -> Sizes<'_> {
        Sizes { chain: self, t: self.largest_t() as f64 }
    }

    pub(super) fn largest_t(&self) -> u64 {
        self.0.spec.t.iter().copied().max().unwrap_or_default()
    }

    pub(super) fn level_noise(&self, level: usize) -> &LevelNoise {
        self.0.sizes[level].get_or_init(|| LevelNoise {
            log2_q: self.level(level).basis.log2(),
            rounding: [2, 3].map(|polys| self.sizes().rounding(polys)),
            relinearizing: self.sizes().relinearizing(level),
            relinearized: self.sizes().relinearized(level),
            switched: self.sizes().switched(level),
        })
    }

    /// The prime of component `i` of the plaintext modulus.
    pub(crate) fn plaintext_prime(&self, i: usize) -> u64 {
        self.modulo_t(i).value()
    }

    /// The bounds on w after a refresh by so many shares.
    pub(crate) fn refreshed(&self, shares: u32) -> ErrorTerm {
        self.sizes().refreshed(shares)
    }

    /// The position in memory, in the evaluation domain, of each slot: first those of row 0. Column
    /// j of row 0 is the value at `psi^(5^j)`, that of row 1 the value at `psi^(-5^j)`.
    pub(super) fn places(&self) -> &[u32] {
        self.0.places.get_or_init(|| {
            let (position, mask) = (positions(self.log_n()), 2 * self.n() as u32 - 1);
            let place = |e: u32| position[(e & mask) as usize >> 1];
            let powers = || std::iter::successors(Some(1u32), |e| Some(e.wrapping_mul(5) & mask)).take(self.n() / 2);
            powers().map(place).chain(powers().map(|e| place(e.wrapping_neg()))).collect()
        })
    }

    pub(super) fn bfv(&self) -> Result<&BfvPlans> {
        if let Some(made) = self.0.bfv.get() {
            return Ok(made);
        }
        let q = &self.level(self.top_level()).basis;
        let r = second_basis(self, q)?;
        let extended = r.concat(q);
        Ok(self.0.bfv.get_or_init(|| BfvPlans {
            from_q: ModUpPlan::grouped(&r, q, &[q.len()]),
            to_r: DivisionPlan::rational(q, &r),
            from_r: ModUpPlan::grouped(q, &r, &[r.len()]),
            by_r: DivisionPlan::rational(&extended, q),
            log2_r: r.log2(),
        }))
    }

    /// The noise budget in bits at a level, for `w = f * m + t * e` within these bounds: how often w
    /// may double until the bound on its coefficients reaches Q/2.
    pub(crate) fn budget_of(&self, level: usize, w: ErrorTerm) -> f64 {
        self.level_noise(level).log2_q - 1.0 - w.largest.log2()
    }

    /// The number of products in a row, each with a rotation, that fresh ciphertexts allow by the
    /// bounds on their noise: for every key, every message and every dependence of the factors.
    pub fn depth(&self) -> usize {
        self.products_left(self.top_level(), self.sizes().fresh())
    }

    /// The number of products in a row, each with a rotation, that a ciphertext at `level` with
    /// this noise allows. Both factors have the same noise.
    pub(crate) fn products_left(&self, level: usize, w: ErrorTerm) -> usize {
        let (mut count, mut level, mut w) = (0, level, w);
        while let Some((lower, product)) = self.best_product((level, w), (level, w)) {
            let rotated = product + self.level_noise(lower).switched;
            if count == 256 || self.budget_of(lower, rotated) < LEAST_BUDGET {
                break;
            }
            (level, w) = (lower, rotated);
            count += 1;
        }
        count
    }

    /// Binary logarithm of the scale, which exact schemes do not have: 0.
    pub fn scale_bits(&self) -> u32 {
        0
    }
}

/// The fewest primes of 50 bits whose product exceeds Q by at least 8 bits. The rounding of a
/// factor to R adds noise like that of a product, `(Q/R)^2` times as large.
fn second_basis(params: &Parameters, q: &Basis) -> Result<Basis> {
    const BITS: u32 = 50;
    let count = ((q.log2() + 8.0) / (f64::from(BITS) - 1e-3)).ceil() as usize;
    let taken: Vec<u64> = params.extended().values().chain(params.t_basis().values()).collect();
    Ok(Basis::new(params.log_n(), &ringjet_math::prime::ntt_primes(params.log_n(), BITS, count, &taken)?)?)
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

    fn accepts_secret(&self, coefficients: &[i8]) -> Result<bool> {
        super::noise::accepts(self.fft(self.log_n() - 1)?, coefficients)
    }
}

impl ChainParameters for Parameters {}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.0.spec;
        write!(f, "Parameters({:?}, N=2^{}, t={}", s.product, s.log_n, self.t())?;
        if s.product == Product::Bgv {
            write!(f, ", levels={}", self.top_level())?;
        }
        write!(f, ", logQP={:.0}, dnum={}, security={}", self.log_qp(), self.dnum(), self.security())?;
        if s.pieces > 1 {
            write!(f, ", {} pieces", s.pieces)?;
        }
        if s.allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}
