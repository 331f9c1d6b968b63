//! The trait.

use std::fmt::Debug;

use ringjet_math::Basis;

use crate::big::{BigMul, BigTerm};
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use crate::{BackendId, Buf, HoistedRotations, KeySwitch, Meter, Result, RotateSum, Rotation, Term, View, ViewMut};

/// A machine that computes on residue polynomials.
///
/// All residues are canonical, in `[0, q)`, before and after every call. A view of `k` polynomials
/// is worked on as `k` independent polynomials; where a source has one polynomial and the
/// destination more, it is used for each. `basis` names the prime of each limb of the views beside
/// it (same length). Calls may be queued: only `download` and `sync` wait, and errors of queued
/// work surface there. Wrong owners and shapes are refused at once.
pub trait Backend: Send + Sync + Debug {
    /// Identity, with a name such as `cpu-ifma`.
    fn id(&self) -> &BackendId;

    /// The meter that counts or profiles this backend's calls, if it has one.
    fn meter(&self) -> Option<&dyn Meter> {
        None
    }

    /// Threads of the host that may work in [`Backend::parallel`] at the same time, the caller's
    /// included. Nothing else in the library starts threads: with 1 the caller works alone.
    fn host_threads(&self) -> usize {
        1
    }

    /// Calls `run(worker, job)` on the host once for every `job < jobs`, in any order; jobs that
    /// run at the same time have different workers, below [`Backend::host_threads`]. `words` is the
    /// size of all the work: a small one stays with the caller. Returns when all jobs are done.
    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        let _ = words;
        (0..jobs).for_each(|job| run(0, job));
    }

    /// Memory for `limbs` vectors of `n` words; contents unspecified.
    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf>;

    /// Writes `data` (a multiple of `n` words) into the limbs from `first_limb` on.
    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()>;

    /// Fills limbs `first_limb..first_limb + limbs` of `dst` on the host: `fill(worker, i, words)`
    /// writes all words of limb `first_limb + i`, as a job of [`Backend::parallel`]. What `words`
    /// held before is unspecified. Copies on the host are wiped.
    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()>;

    /// Reads limbs from `first_limb` on into `out` (a multiple of `n` words); waits for queued
    /// work.
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

    /// `dst = a b` limb by limb, value by value (evaluation domain), plus the old `dst` when
    /// `accumulate`.
    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()>;

    /// `dst = src(X^g)` in the plan's domain.
    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()>;

    /// Centred base conversion of coefficients; `src` has the limbs of the plan's source basis,
    /// `dst` those of its destination basis ([`ringjet_math::BaseConversion`] defines every bit of
    /// the result).
    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()>;

    /// Residues of big coefficients (HEAAN's CRT): `dst` has one limb for each prime of the plan,
    /// `src` one for each word of the centred integers modulo `2^bits` ([`ringjet_math::big`]).
    /// Coefficient domain.
    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()>;

    /// The big coefficients modulo `2^bits` that have these residues (HEAAN's iCRT), see
    /// [`ringjet_math::big::CrtJoin`]: exact where the integers are below P/2 (1 - 2^-40) in size.
    /// Coefficient domain.
    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()>;

    /// `dst = floor((src + 2^(shift-1)) / 2^shift)` modulo `2^(bits-shift)`, of big coefficients
    /// modulo `2^bits`; `shift < bits`.
    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()>;

    /// `dst = sum of factor * source` of big coefficients, modulo `2^bits`, plus the old `dst` when
    /// `accumulate`. Sources may be modulo other powers of two: of a longer one the low bits count,
    /// a shorter one stands for its centred integer.
    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()>;

    /// `dst = src(X^g)` of big coefficients modulo `2^bits`; the plan is one of the coefficient
    /// domain.
    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()>;

    // What follows can be composed of other operations: an implementation has it by
    // `delegate!(self => Composed(self); composed)`. A backend writes its own version where fusing
    // pays.

    /// Stores a polynomial in `X^gap` (evaluation domain; `gap` a power of two up to N) in fewer
    /// words per limb. Such a polynomial has at most N / gap different values modulo each prime;
    /// the backend chooses how many of their repetitions it keeps. N divided by the words per limb
    /// of the result is a power of two. This is meant for factors that are used often: it may go
    /// through the host. It fails if `src` is no polynomial in `X^gap`.
    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf>;

    /// Undoes [`Backend::compact`]: `dst` = the polynomials that `src` stands for.
    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()>;

    /// Product of two degree-1 ciphertexts before relinearisation: `dst` (3 polynomials) =
    /// `(a0 b0, a0 b1 + a1 b0, a1 b1)`, evaluation domain.
    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()>;

    /// `dst = sum of x_i y_i`, where each `y_i` may be one polynomial for all of `x_i`'s;
    /// evaluation domain. With `accumulate` the old `dst` is added.
    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()>;

    /// Decomposes one polynomial over Q_l (evaluation domain) into `beta` digits over `P ++ Q_l`
    /// (evaluation domain): `dst` has `beta` polynomials.
    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()>;

    /// `acc` (2 polynomials over the extended basis) =
    /// `sum over i of digits_i * (key_2i, key_2i+1)`; `key` has two polynomials for each digit.
    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()>;

    /// Switches k polynomials with one key. `dst` has two polynomials for each of them:
    /// `sigma(round((u + P add) E / D))`, where
    ///
    /// * u (2 polynomials over the extended basis) is the inner product of digits and key, as
    ///   [`Backend::key_inner_product`] gives it,
    /// * P is the product of the special primes, and `add` is over Q_l,
    /// * D is the product of the primes that `division` drops, which include all special ones,
    /// * E is the product of the primes that enter,
    /// * sigma is an automorphism of the evaluation domain.
    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()>;

    /// Rotations of one ciphertext by one decomposition (hoisting: Halevi and Shoup 2018): for each
    /// of `dst` a key switch of the same digits, with its own key and automorphism.
    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()>;

    /// Sums of products of rotated polynomials, before any division by P (hoisting of ModDown,
    /// "double hoisting": Bossuat, Mouchet, Troncoso-Pastoriza and Hubaux 2020/1203; Section III of
    /// de Castro et al.). Everything is over `basis`, in the evaluation domain. For each sum g,
    /// polynomials 2g and 2g + 1 of `dst` become
    ///
    /// ```text
    /// sum over terms i of  factor_(i,g) sigma_i(<digits, key_i> + (add_0, 0))
    /// ```
    ///
    /// with `(add_0, add_1)` in place of the inner product and its addend where a term has no key,
    /// plus the old `dst` when `accumulate`.
    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()>;

    /// A rotation of another polynomial into such a sum: with `src` one polynomial over Q_l, `dst`
    /// (2 polynomials over the plan's extended basis) becomes
    /// `sigma(<digits of src, key> + (add, 0))`, plus the old `dst` when `accumulate`.
    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()>;

    /// `dst = round(src E / D) + add`, evaluation domain; see [`DivisionPlan`]. The views have any
    /// number of polynomials, `add` over the kept primes where given (its own number of polynomials
    /// may be smaller: it is added to the first ones).
    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()>;

    /// Brings big coefficients into the form in which this backend multiplies by them, for products
    /// over the plan's primes or the first of them. The result has as many polynomials as `src`;
    /// the rest of its shape is the backend's own. By default it holds residues in the evaluation
    /// domain.
    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf>;

    /// Limbs of what [`Backend::big_prepare`] makes of `polys` polynomials of integers modulo
    /// `2^bits` for products over `basis`.
    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize;

    /// Products of polynomials with big coefficients, by way of residues; see [`BigMul`].
    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()>;
}

impl dyn Backend + '_ {
    /// Whether buffers hold values. A backend that only counts has none: it refuses downloads, and
    /// data for uploads need not be prepared.
    pub fn computes(&self) -> bool {
        self.meter().is_none_or(|meter| !meter.counts_only())
    }
}
