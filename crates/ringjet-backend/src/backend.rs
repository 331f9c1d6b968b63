//! The trait [`Backend`].

use std::fmt::Debug;

use ringjet_math::Basis;

use crate::big::{BigMul, BigTerm};
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use crate::{
    BackendId, Buf, Gemm, HoistedRotations, Integers, KeySwitch, Meter, Result, RotateSum, Rotation, Term,
    UniformStream, View, ViewMut,
};

/// A machine that computes on residue polynomials.
///
/// All residues are canonical, in `[0, q)`, before and after every call. A view of `k` polynomials
/// is processed as `k` independent polynomials. Where a source has one polynomial and the
/// destination has several, that one source polynomial is used for each of them. `basis` gives the
/// prime of each limb of the views next to it, so both have the same length. Calls may be queued:
/// only `download` and `sync` wait, and errors of queued work are returned there. Views of another
/// backend's buffers and wrong shapes are refused at once.
///
/// In key switching, Q_l is the basis of the ciphertext's primes at level l, P the basis of the
/// special primes, and `P ++ Q_l` the extended basis (special primes first). In formulas P is also
/// the product of the special primes.
///
/// Papers cited below: "de Castro et al." is "Does Fully Homomorphic Encryption Need Compute
/// Acceleration?" (ePrint 2021/1636).
pub trait Backend: Send + Sync + Debug {
    /// Identity, with a name such as `cpu-ifma`.
    fn id(&self) -> &BackendId;

    /// The meter that counts or profiles the calls of this backend, if it has one.
    fn meter(&self) -> Option<&dyn Meter> {
        None
    }

    /// Number of host threads, the caller's included, that may work in [`Backend::parallel`] at the
    /// same time. Nothing else in the library starts threads. With 1 the caller works alone.
    fn host_threads(&self) -> usize {
        1
    }

    /// Whether operations that jobs of [`Backend::parallel`] call are computed at the same time, each by the
    /// thread of its job.
    fn side_by_side(&self) -> bool {
        false
    }

    /// Calls `run(worker, job)` on the host once for every `job < jobs`, in any order. Jobs that
    /// run at the same time have different worker numbers below [`Backend::host_threads`]. `words`
    /// is the size of all the work: small work is done by the calling thread alone. Returns when
    /// all jobs are done.
    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        let _ = words;
        (0..jobs).for_each(|job| run(0, job));
    }

    /// Fills `out`, words of the host, with values of `stream`, on the calling thread.
    /// [`UniformStream::fill`] defines every bit.
    fn fill_uniform(&self, stream: &UniformStream<'_>, out: &mut [u64]) {
        stream.fill(out);
    }

    /// A buffer of `limbs` vectors of `n` words. Its contents are unspecified.
    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf>;

    /// Writes `data` into the limbs of `dst` from `first_limb` on. The length of `data` must be a
    /// multiple of `n`.
    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()>;

    /// Fills limbs `first_limb..first_limb + limbs` of `dst` on the host. `fill(worker, i, words)`
    /// writes all words of limb `first_limb + i`, as a job of [`Backend::parallel`]. The words are
    /// unspecified before the call. Copies on the host are overwritten afterwards.
    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()>;

    /// Reads limbs of `src` from `first_limb` on into `out`, whose length must be a multiple of
    /// `n`. Waits for queued work.
    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()>;

    /// Waits until everything queued is done.
    fn sync(&self) -> Result<()>;

    /// Copies `src` to `dst`.
    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()>;

    /// Transforms `x` from the coefficient to the evaluation domain, in place.
    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()>;

    /// Transforms `x` from the evaluation to the coefficient domain, in place.
    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()>;

    /// `dst = sum of coefficient * source` over `terms`. With `accumulate` the old `dst` is added.
    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()>;

    /// `dst = a * b`, value by value in each limb (evaluation domain). With `accumulate` the old
    /// `dst` is added.
    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()>;

    /// `dst = src(X^g)` in the plan's domain.
    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()>;

    /// Centred base conversion of coefficients. `src` has the limbs of the plan's source basis,
    /// `dst` those of its destination basis. [`ringjet_math::BaseConversion`] defines every bit of
    /// the result.
    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()>;

    /// Residues of big coefficients (HEAAN's CRT), in the coefficient domain. `dst` has one limb
    /// for each prime of the plan. `src` has one limb for each word of the centred integers modulo
    /// `2^bits` ([`ringjet_math::big`]).
    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()>;

    /// The big coefficients modulo `2^bits` that have the residues `src` (HEAAN's iCRT), in the
    /// coefficient domain; see [`ringjet_math::big::CrtJoin`]. The result is exact if every integer
    /// x satisfies `|x| < (P/2) * (1 - 2^-40)`, where P is the product of the plan's primes.
    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()>;

    /// `dst = floor((src + 2^(shift-1)) / 2^shift)` modulo `2^(bits-shift)`, for big coefficients
    /// `src` modulo `2^bits`. `shift` is below `bits`; with 0 the words are copied.
    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()>;

    /// `dst = sum of factor * source` over `terms`, for big coefficients, modulo `2^bits`. With
    /// `accumulate` the old `dst` is added. A source may be modulo another power of two. Of a
    /// source with more bits only the low `bits` bits count; a source with fewer bits stands for
    /// its centred integer.
    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()>;

    /// `dst = src(X^g)`, for big coefficients modulo `2^bits`. The plan is one of the coefficient
    /// domain.
    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()>;

    // The methods below can be composed of other operations:
    // `delegate!(self => Composed(self); composed)` gives an implementation all of them. A backend
    // writes its own version where fusing is faster.

    /// Stores polynomials in `X^gap` (evaluation domain; `gap` is a power of two up to N) in fewer
    /// words per limb. Such a polynomial has at most `N / gap` different values modulo each prime.
    /// The backend chooses how many repetitions of each value it keeps: N divided by the words per
    /// limb of the result is a power of two. The method is meant for factors that are used often,
    /// and may run on the host. It fails if `src` has a polynomial that is not one in `X^gap`.
    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf>;

    /// Undoes [`Backend::compact`]: writes the polynomials whose compact form is `src` to `dst`.
    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()>;

    /// Polynomials in `X^gap` from their integer coefficients, in the form of [`Backend::compact`]:
    /// polynomial p of `dst` has the coefficients `src[p]` at the multiples of gap. All elements of
    /// `src` have `N / gap` coefficients, a power of two of at least 8, where N is the degree of
    /// `basis`. `dst` has as many words per limb as [`repeat::words`](crate::repeat::words) says.
    fn integer_factors(&self, dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()>;

    /// Product of two degree-1 ciphertexts before relinearisation, evaluation domain: the 3
    /// polynomials of `dst` become `(a0 * b0, a0 * b1 + a1 * b0, a1 * b1)`.
    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()>;

    /// `dst = sum of coefficient * source` over `terms`, plus a constant in the first polynomial
    /// (evaluation domain). `constant` has its residue for each limb.
    fn affine(&self, dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()>;

    /// The product of a matrix of short integers with rows of polynomials (evaluation domain): element m of
    /// `dst` becomes `factor_m * sum of weight_(m,k) * src_k` plus a constant in its first polynomial. With
    /// `accumulate` the old `dst` is added.
    fn gemm(&self, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()>;

    /// Products of matrices whose rows are polynomials (evaluation domain). Let d be the length of all three
    /// lists, a power of two up to N, and `x = sum over i < d of X^i x_i(X^d)` for a polynomial x. Element i of
    /// `dst` becomes `sum over j of a_(j,i)(X^d) * b_j`: the transpose of the matrix `(a_(j,i))` times the matrix
    /// `(b_(j,i))`, over polynomials in `X^d`. Polynomial p of the `a_j` and polynomial r of the `b_j`, which has
    /// R polynomials, give polynomial `R * p + r`.
    fn class_products(&self, dst: &mut [ViewMut<'_>], a: &[View<'_>], b: &[View<'_>], basis: &Basis) -> Result<()>;

    /// `dst = sum of x_i * y_i` over the pairs `(x_i, y_i)`, evaluation domain. A `y_i` of one
    /// polynomial multiplies every polynomial of `x_i`. With `accumulate` the old `dst` is added.
    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()>;

    /// Decomposes `src`, one polynomial over Q_l, into the `beta` digits of `plan` over `P ++ Q_l`,
    /// which become the polynomials of `dst`. Evaluation domain.
    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()>;

    /// Inner product of digits and key. The 2 polynomials of `acc`, over the extended basis, become
    /// `sum over i of digits_i * (key_2i, key_2i+1)`. `key` has two polynomials for each digit.
    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()>;

    /// Switches k polynomials with one key. `dst` gets two polynomials for each of the k:
    /// `sigma(round((u + P * add) * E / D))`, where
    ///
    /// * u (2 polynomials over the extended basis) is the inner product of digits and key, as in
    ///   [`Backend::key_inner_product`],
    /// * P is the product of the special primes, and `add` is over Q_l,
    /// * D is the product of the primes that `division` drops; these include all special primes,
    /// * E is the product of the primes that enter with `division` (1 if none enters),
    /// * sigma is an automorphism of the evaluation domain.
    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()>;

    /// Rotations of one ciphertext that share one decomposition (hoisting: Halevi and Shoup,
    /// "Faster Homomorphic Linear Transformations in HElib", 2018). Each element of `dst` receives
    /// a key switch of the same digits, with its own key and automorphism.
    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()>;

    /// Sums of products of rotated polynomials, before any division by P (hoisting of ModDown,
    /// "double hoisting": Bossuat, Mouchet, Troncoso-Pastoriza and Hubaux, ePrint 2020/1203;
    /// Section III of de Castro et al.). All polynomials are over `basis`, in the evaluation
    /// domain. For each sum g, polynomials `2 * g` and `2 * g + 1` of `dst` become
    ///
    /// ```text
    /// sum over terms i of  factor_(i,g) * sigma_i(<digits, key_i> + (add_0, 0))
    /// ```
    ///
    /// `add` is the same for all terms, or each has its own. In a term without a key, `(add_0, add_1)`
    /// replaces `<digits, key_i> + (add_0, 0)`. With `accumulate` the old `dst` is added.
    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()>;

    /// Adds one rotation of a further polynomial to a sum. `src` is one polynomial over Q_l. The 2
    /// polynomials of `dst`, over the plan's extended basis, become
    /// `sigma(<digits of src, key> + (add, 0))`. With `accumulate` the old `dst` is added.
    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()>;

    /// `dst = round(src * E / D) + add`, evaluation domain; see [`DivisionPlan`] for D and E. The
    /// views may have any number of polynomials. `add` is over the primes of the result. If `add`
    /// has fewer polynomials than `dst`, they are added to the first ones of `dst`.
    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()>;

    /// Converts big coefficients to the form in which this backend multiplies by them, for products
    /// over the plan's primes or over the first few of them. The result has as many polynomials as
    /// `src`; the rest of its shape depends on the backend. By default it holds residues in the
    /// evaluation domain.
    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf>;

    /// Number of limbs of the buffer that [`Backend::big_prepare`] returns for `polys` polynomials
    /// of integers modulo `2^bits`, for products over `basis`.
    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize;

    /// Products of polynomials with big coefficients, computed by residues; see [`BigMul`].
    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()>;
}

impl dyn Backend + '_ {
    /// Whether buffers hold values. A backend that only counts operations holds none: it refuses
    /// downloads, and callers need not prepare data for its uploads.
    pub fn computes(&self) -> bool {
        self.meter().is_none_or(|meter| !meter.counts_only())
    }
}
