//! The trait.

use std::fmt::Debug;

use ringjet_math::Basis;

use crate::big::{BigMul, BigTerm};
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use crate::{BackendId, Buf, Result, View, ViewMut, unfused};

/// A factor of a linear combination.
#[derive(Debug, Clone, Copy)]
pub enum Coeff<'a> {
    /// 1.
    One,
    /// -1.
    MinusOne,
    /// Residues of a constant, one for each limb, each below its modulus.
    PerLimb(&'a [u64]),
}

/// A factor and the polynomials it multiplies.
pub type Term<'a> = (Coeff<'a>, View<'a>);

/// What a key switch starts from.
#[derive(Debug, Clone, Copy)]
pub enum KeySwitchInput<'a> {
    /// One polynomial over Q_l, evaluation domain, still to be decomposed.
    Polynomial(View<'a>),
    /// Its digits over `P ++ Q_l`, from [`Backend::mod_up`].
    Digits(View<'a>),
}

/// The operands of [`Backend::key_switch`].
#[derive(Debug, Clone, Copy)]
pub struct KeySwitch<'a> {
    /// What is switched.
    pub input: KeySwitchInput<'a>,
    /// Two polynomials over `P ++ Q_l` for each digit.
    pub key: View<'a>,
    /// The decomposition.
    pub mod_up: &'a ModUpPlan,
    /// By P, or by P and further primes.
    pub division: &'a DivisionPlan,
    /// Added before the division, times P.
    pub add: Option<View<'a>>,
    /// Applied at the end; in the evaluation domain.
    pub automorphism: Option<&'a AutomorphismPlan>,
}

/// The operands of [`Backend::hoisted_rotations`].
#[derive(Debug, Clone, Copy)]
pub struct HoistedRotations<'a> {
    /// Over `P ++ Q_l`, in the evaluation domain.
    pub digits: View<'a>,
    /// The decomposition that they come from.
    pub mod_up: &'a ModUpPlan,
    /// By P, or by P and further primes.
    pub division: &'a DivisionPlan,
    /// Added before the division, times P: one or two polynomials.
    pub add: View<'a>,
    /// For each rotation a key, two polynomials over `P ++ Q_l` for each digit, and the automorphism of the evaluation domain.
    pub rotations: &'a [(View<'a>, &'a AutomorphismPlan)],
}

impl<'a> HoistedRotations<'a> {
    /// Rotation `i` alone.
    pub fn switch(&self, i: usize) -> KeySwitch<'a> {
        let (key, automorphism) = self.rotations[i];
        KeySwitch {
            input: KeySwitchInput::Digits(self.digits),
            key,
            mod_up: self.mod_up,
            division: self.division,
            add: Some(self.add),
            automorphism: Some(automorphism),
        }
    }
}

/// One rotation of a [`RotateSum`].
#[derive(Debug, Clone, Copy)]
pub struct RotateTerm<'a> {
    /// Two polynomials for each digit; `None`: nothing is switched.
    pub key: Option<View<'a>>,
    /// In the evaluation domain; `None`: the identity.
    pub automorphism: Option<&'a AutomorphismPlan>,
    /// What the rotated polynomials are multiplied by in each sum: a polynomial, 1, or nothing.
    pub factors: &'a [RotateFactor<'a>],
}

/// A factor of a [`RotateTerm`].
#[derive(Debug, Clone, Copy)]
pub enum RotateFactor<'a> {
    /// The term is not part of this sum.
    None,
    /// The term as it is.
    One,
    /// The term times this polynomial. With R times fewer words in a limb (R a power of two, at most N/8), each 8 words
    /// stand for R times the same 8 (see [`repeats`]): a polynomial in a power of X, of which a limb has few different
    /// values.
    Poly(View<'a>),
}

/// Words that stand together where a limb repeats itself: a vector of the order of
/// [`ringjet_math::ntt::exponents`].
pub const REPEATED_WORDS: usize = 8;

/// The largest R that limbs of `n` words may repeat by: the 64 vectors of a tile, so that one tile's words stay together.
pub fn most_repeats(n: usize) -> usize {
    (n / REPEATED_WORDS).clamp(1, 64)
}

/// The largest R up to [`most_repeats`] for which `limb` is R times the same 8 words, and so on with the next 8.
pub fn repeats(limb: &[u64]) -> usize {
    let most = most_repeats(limb.len());
    let same = |r: usize| {
        limb.chunks_exact(r * REPEATED_WORDS)
            .all(|run| run.chunks_exact(REPEATED_WORDS).all(|words| words == &run[..REPEATED_WORDS]))
    };
    (0..=most.ilog2()).rev().map(|log| 1 << log).find(|&r| same(r)).unwrap_or(1)
}

/// The operands of [`Backend::hoisted_rotate_sum`].
#[derive(Debug, Clone, Copy)]
pub struct RotateSum<'a> {
    /// The digits that all terms with a key share.
    pub digits: View<'a>,
    /// Two polynomials: the first is added to every switched pair, both stand for the pair where nothing is switched.
    pub add: View<'a>,
    /// The rotations.
    pub terms: &'a [RotateTerm<'a>],
}

/// The operands of [`Backend::rotate_into`].
#[derive(Debug, Clone, Copy)]
pub struct Rotation<'a> {
    /// The decomposition.
    pub mod_up: &'a ModUpPlan,
    /// Two polynomials over the extended basis for each digit.
    pub key: View<'a>,
    /// In the evaluation domain.
    pub automorphism: &'a AutomorphismPlan,
    /// One polynomial over the extended basis.
    pub add: View<'a>,
}

/// A machine that computes on residue polynomials.
///
/// All residues are canonical, in `[0, q)`, before and after every call. A view of `k` polynomials is worked on as
/// `k` independent polynomials; where a source has one polynomial and the destination more, it is used for each.
/// `basis` names the prime of each limb of the views beside it (same length). Calls may be queued: only `download`
/// and `sync` wait, and errors of queued work surface there. Wrong owners and shapes are refused at once.
pub trait Backend: Send + Sync + Debug {
    /// Identity, with a name such as `cpu-ifma`.
    fn id(&self) -> &BackendId;

    /// Whether buffers hold what was computed. A cost model has none of it: what is downloaded means nothing there, and
    /// preparing data for it can be left out.
    fn computes(&self) -> bool {
        true
    }

    /// What follows, up to the matching [`Backend::leave`], belongs to `scope`, a step of the scheme or of a circuit. For
    /// profiles and cost trees: nothing depends on it.
    fn enter(&self, scope: &'static str) {
        let _ = scope;
    }

    /// The end of the scope that was entered last.
    fn leave(&self) {}

    /// The next product takes the switching key for the Galois element `galois`, 0 being relinearisation, and a polynomial of
    /// `limbs` limbs. Said where the call does not: to [`Backend::big_mul`] a key is a factor like any other. For cost models:
    /// nothing depends on it.
    fn uses_key(&self, galois: u32, limbs: usize) {
        let _ = (galois, limbs);
    }

    /// Threads of the host that may work in [`Backend::parallel`] at the same time, the caller's included. Nothing else in the
    /// library starts threads: with 1 the caller works alone.
    fn host_threads(&self) -> usize {
        1
    }

    /// Calls `run(worker, job)` on the host once for every `job < jobs`, in any order; jobs that run at the same time have
    /// different workers, below [`Backend::host_threads`]. `words` says how much work there is in all: little is not worth
    /// sharing. Returns when all jobs are done.
    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        let _ = words;
        (0..jobs).for_each(|job| run(0, job));
    }

    /// Memory for `limbs` vectors of `n` words; contents unspecified.
    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf>;

    /// Writes `data` (a multiple of `n` words) into the limbs from `first_limb` on.
    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()>;

    /// Fills limbs `first_limb..first_limb + limbs` of `dst` on the host: `fill(worker, i, words)` writes all words of limb
    /// `first_limb + i`, as a job of [`Backend::parallel`]. What `words` held before is unspecified. Copies on the host are wiped.
    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        unfused::upload_each(self, dst, first_limb, limbs, fill)
    }

    /// Reads limbs from `first_limb` on into `out` (a multiple of `n` words); waits for queued work.
    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()>;

    /// Waits until everything queued is done.
    fn sync(&self) -> Result<()>;

    /// `dst = src`.
    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()>;

    /// Coefficient to evaluation domain, in place.
    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()>;

    /// Evaluation to coefficient domain, in place.
    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()>;

    /// `dst = sum of coefficient * source`, plus the old `dst` when `accumulate`.
    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()>;

    /// `dst = a b` limb by limb, value by value (evaluation domain), plus the old `dst` when `accumulate`.
    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()>;

    /// `dst = src(X^g)` in the plan's domain.
    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()>;

    /// Centred base conversion of coefficients; `src` has the limbs of the plan's source basis, `dst` those of its
    /// destination basis ([`ringjet_math::BaseConversion`] defines every bit of the result).
    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()>;

    /// Residues of big coefficients (HEAAN's CRT): `dst` has one limb for each prime of the plan, `src` one for each word of
    /// the centred integers modulo `2^bits` ([`ringjet_math::big`]). Coefficient domain.
    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()>;

    /// The big coefficients modulo `2^bits` that have these residues (HEAAN's iCRT), see [`ringjet_math::big::CrtJoin`]: exact
    /// where the integers are below P/2 (1 - 2^-40) in size. Coefficient domain.
    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()>;

    /// `dst = floor((src + 2^(shift-1)) / 2^shift)` modulo `2^(bits-shift)`, of big coefficients modulo `2^bits`;
    /// `shift < bits`.
    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()>;

    /// `dst = sum of factor * source` of big coefficients, modulo `2^bits`, plus the old `dst` when `accumulate`. Sources may
    /// be modulo other powers of two: of a longer one the low bits count, a shorter one stands for its centred integer.
    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()>;

    /// `dst = src(X^g)` of big coefficients modulo `2^bits`; the plan is one of the coefficient domain.
    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()>;

    // ---- provided: correct as they stand, overridden where fusing pays ----

    /// Product of two degree-1 ciphertexts before relinearisation: `dst` (3 polynomials) =
    /// `(a0 b0, a0 b1 + a1 b0, a1 b1)`, evaluation domain.
    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        unfused::tensor(self, dst, a, b, basis)
    }

    /// `dst = sum of x_i y_i`, where each `y_i` may be one polynomial for all of `x_i`'s; evaluation domain. With
    /// `accumulate` the old `dst` is added.
    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        unfused::mul_acc(self, dst, pairs, basis, accumulate)
    }

    /// Decomposes one polynomial over Q_l (evaluation domain) into `beta` digits over `P ++ Q_l` (evaluation domain):
    /// `dst` has `beta` polynomials.
    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        unfused::mod_up(self, dst, src, plan)
    }

    /// `acc` (2 polynomials over the extended basis) = `sum over i of digits_i * (key_2i, key_2i+1)`; `key` has two
    /// polynomials for each digit.
    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        unfused::key_inner_product(self, acc, digits, key, basis)
    }

    /// A key switch from its digits to its end. With u (2 polynomials over the extended basis) the inner product of
    /// digits and key, as [`Backend::key_inner_product`] gives it, `dst` = `sigma(round((u + P add) E / D))`: `add` has one
    /// or two polynomials over Q_l, P is the product of the special primes, D that of the primes which `division`
    /// drops, all special ones among them, E that of those which enter, and sigma an automorphism of the evaluation domain.
    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        unfused::key_switch(self, dst, switch)
    }

    /// A key switch with an automorphism for each of `dst`, all of the same digits (hoisting: Halevi and Shoup 2018).
    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        unfused::hoisted_rotations(self, dst, rotations)
    }

    /// Sums of products of rotated polynomials, before any division by P (hoisting of ModDown, "double hoisting": Bossuat,
    /// Mouchet, Troncoso-Pastoriza and Hubaux 2020/1203; Section III of de Castro et al.). Everything is over `basis`, in
    /// the evaluation domain. For each sum g, polynomials 2g and 2g + 1 of `dst` become
    ///
    /// ```text
    /// sum over terms i of  factor_(i,g) sigma_i(<digits, key_i> + (add_0, 0))
    /// ```
    ///
    /// with `(add_0, add_1)` in place of the inner product and its addend where a term has no key, plus the old `dst` when
    /// `accumulate`.
    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        unfused::hoisted_rotate_sum(self, dst, sum, basis, accumulate)
    }

    /// One more rotation into such a sum: with `src` one polynomial over Q_l, `dst` (2 polynomials over the plan's extended
    /// basis) becomes `sigma(<digits of src, key> + (add, 0))`, plus the old `dst` when `accumulate`.
    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        unfused::rotate_into(self, dst, src, rotation, accumulate)
    }

    /// `dst = round(src E / D) + add`, evaluation domain; see [`DivisionPlan`]. The views have any number of
    /// polynomials, `add` over the kept primes where given (its own number of polynomials may be smaller: it is
    /// added to the first ones).
    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        unfused::divide_round(self, dst, src, plan, add)
    }

    /// Big coefficients in the form in which this backend multiplies by them, for products over the plan's primes or the first of
    /// them: as many polynomials as `src` in a buffer whose further shape is the backend's own. Residues in the evaluation
    /// domain, where a backend has no better form.
    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        unfused::big_prepare(self, src, plan)
    }

    /// Limbs of what [`Backend::big_prepare`] makes of `polys` polynomials of integers modulo `2^bits` for products over `basis`.
    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        let _ = bits;
        polys * basis.len()
    }

    /// Products of polynomials with big coefficients, from their residues to the result; see [`BigMul`].
    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        unfused::big_mul(self, dst, mul)
    }
}
