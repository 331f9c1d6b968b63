//! The matrices of SlotsToCoeffs and CoeffsToSlots, with prepared diagonals.
//!
//! With n < N/2 slots, the 2 * n real coefficients go through one exponential, as 2 * n slots. Then
//! the last matrix of CoeffsToSlots has every row twice, the second time multiplied by -i. The
//! first matrix of SlotsToCoeffs has every column twice, the second time multiplied by i.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use ringjet_backend::{BigFactor, BigMul, Buf};
use ringjet_math::dft::{self, Diagonals};
use ringjet_math::fft::Complex64;
use ringjet_math::memory::OutOfMemory;

use crate::Result;
use crate::circuits::transform::turned_back;
use crate::diagonals::{Split, folded};
use crate::heaan::{Budget, Ciphertext, Context, Evaluator, FLAT_GIANT_COST, Plaintext, Position, Step, groups, noise};

const I: Complex64 = Complex64 { re: 0.0, im: 1.0 };

pub(super) struct Factor {
    pub(super) diagonals: Diagonals,
    /// The split into baby and giant steps for n slots, also where diagonals have 2 * n entries.
    pub(super) split: Split,
}

impl Factor {
    fn new(diagonals: Diagonals) -> Self {
        let slots = diagonals.values().next().map_or(1, Vec::len);
        let keys: Vec<i64> = diagonals.keys().map(|&k| k as i64).collect();
        Self { split: Split::cheapest(FLAT_GIANT_COST, &folded(&keys, slots), slots), diagonals }
    }

    fn map(self, f: impl Fn(usize, &[Complex64]) -> Vec<Complex64>) -> Self {
        Self { diagonals: self.diagonals.iter().map(|(&k, d)| (k, f(k, d))).collect(), ..self }
    }

    fn scaled(self, by: Complex64) -> Self {
        self.map(|_, d| d.iter().map(|&z| z * by).collect())
    }
}

/// The factors that map the slots of t to `i * pi * t / 2^r`. The imaginary part is half the angle.
pub(super) fn coeffs_to_slots(budget: &Budget) -> Result<Vec<Factor>> {
    let mut groups = groups(budget.log_slots);
    groups.reverse();
    let mut all = matrices(budget.log_slots, &groups, dft::coeffs_to_slots)?;
    let angle = TAU / f64::from(budget.squarings + 1).exp2();
    let beside = |_: usize, d: &[Complex64]| d.iter().copied().chain(d.iter().map(|&z| z * (I * -1.0))).collect();
    if let Some(last) = all.pop() {
        let last = last.scaled(I * angle);
        all.push(if budget.beside { last.map(beside) } else { last });
    }
    Ok(all)
}

/// The factors that map `2 * i` times the sine, six sines if `corrected`, to message slots.
pub(super) fn slots_to_coeffs(budget: &Budget, corrected: bool) -> Result<Vec<Factor>> {
    let mut all = matrices(budget.log_slots, &groups(budget.log_slots), dft::slots_to_coeffs)?;
    let unit = 1.0 / (2.0 * TAU * if corrected { 6.0 } else { 1.0 });
    // columns n to 2 * n - 1 hold imaginary parts; slots j and j + n sum n columns each
    let beside = |k: usize, d: &[Complex64]| -> Vec<Complex64> {
        let n = d.len();
        (0..2 * n).map(|j| if (j + k) % (2 * n) < n { d[j % n] } else { d[j % n] * I }).collect()
    };
    if let Some(first) = all.first_mut() {
        let taken = std::mem::replace(first, Factor::new(Diagonals::new())).scaled(I * -unit);
        *first = if budget.beside { taken.map(beside) } else { taken };
    }
    Ok(all)
}

fn matrices(log_slots: u32, groups: &[u32], of: MakeMatrices) -> Result<Vec<Factor>> {
    let all = match log_slots {
        0 => vec![BTreeMap::from([(0, vec![Complex64::from(1.0)])])],
        _ => of(log_slots, groups)?,
    };
    Ok(all.into_iter().map(Factor::new).collect())
}

/// [`dft::coeffs_to_slots`] or [`dft::slots_to_coeffs`].
type MakeMatrices = fn(u32, &[u32]) -> std::result::Result<Vec<Diagonals>, OutOfMemory>;

/// Pairs of the index of a baby step and the index of a diagonal.
type Pairs = Vec<(usize, usize)>;

/// `sum over g of rot_g(sum over b of d_(g+b) * rot_b(x))`. The inner sums are divided by a power
/// of two before they are rotated.
#[derive(Debug)]
pub(super) struct Transform {
    step: Step,
    babies: Vec<i64>,
    groups: BTreeMap<i64, Pairs>,
    /// One prepared polynomial for each diagonal.
    diagonals: Buf,
    count: usize,
    bits: u32,
    primes: usize,
    /// Binary logarithm of the number of slots of the result.
    log_slots: u32,
}

impl Transform {
    pub(super) fn new(ctx: &Context, factor: &Factor, step: &Step) -> Result<Self> {
        let parts: Vec<(i64, i64)> = factor.diagonals.keys().map(|&k| factor.split.of(k as i64)).collect();
        let babies: BTreeSet<i64> = parts.iter().map(|p| p.0).collect();
        let babies = Vec::from_iter(babies);
        let mut groups: BTreeMap<i64, Pairs> = BTreeMap::new();
        for (i, &(baby, giant)) in parts.iter().enumerate() {
            let at = babies.partition_point(|&b| b < baby);
            groups.entry(giant).or_default().push((at, i));
        }
        let encode = |(d, part): (&Vec<Complex64>, &(i64, i64))| {
            Plaintext::encode(ctx, &turned_back(d.iter().copied(), part.1)?, step.bits, d.len().trailing_zeros())
        };
        let encoded = factor.diagonals.values().zip(&parts).map(encode).collect::<Result<Vec<_>>>()?;
        let bits = encoded.iter().map(|p| p.bits()).max().unwrap_or(1);
        let primes = ctx.params().primes_for(step.log_q, bits, babies.len())?;
        let (count, log_slots) = (encoded.len(), encoded.first().map_or(0, |p| p.log_slots()));
        let mut integers = ctx.alloc_big(count, bits)?;
        for (i, p) in encoded.iter().enumerate() {
            let one = integers.view_mut(count).slice(i, 1);
            ctx.backend().big_lincomb(one, &[p.term()], bits, false)?;
        }
        let diagonals = ctx.backend().big_prepare(integers.view(count), &ctx.split(primes, bits))?;
        Ok(Self { step: *step, babies, groups, diagonals, count, bits, primes, log_slots })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.diagonals.limbs() * self.diagonals.n() * 8
    }

    /// The matrix times the slots of `x`, which are repeated where the matrix has more.
    pub(super) fn apply(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let _scope = eval.context().scope("PtMatVecMult");
        let (ctx, step, polys) = (eval.context(), &self.step, 2 * self.groups.len());
        debug_assert_eq!((x.log_q(), x.log_scale()), (step.log_q, step.from_scale));
        let sums = self.sums(eval, x)?;
        let mut total: Option<Ciphertext> = None;
        for (i, &giant) in self.groups.keys().enumerate() {
            let log_q = step.log_q - step.drop;
            let mut buf = ctx.alloc_big(2, log_q)?;
            ctx.backend().copy(buf.view_mut(2), sums.view(polys).slice(2 * i, 2))?;
            let noise = x.noise().moved(noise::scale(step.to_scale()));
            let position = Position::new(log_q, step.to_scale());
            let sum = Ciphertext::new(ctx.params(), buf, 2, position, self.log_slots, noise);
            let turned = eval.rotate(&sum.with_key(eval.owner(x)), giant)?;
            total = Some(match total {
                None => turned,
                // a factor of a Fourier transform: magnitudes stay by the caller's knowledge
                Some(total) => eval.add(&total, &turned)?.with_magnitude(x.noise().magnitude()),
            });
        }
        total.map_or_else(|| Ok(x.clone()), Ok)
    }

    /// The inner sums, divided: a pair of polynomials for each giant step. Each rotation of x is
    /// converted to residues once.
    fn sums(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Buf> {
        let (ctx, step) = (eval.context(), &self.step);
        let polys = 2 * self.babies.len();
        let mut rotated = ctx.alloc_big(polys, step.log_q)?;
        for (i, &baby) in self.babies.iter().enumerate() {
            let turned = eval.rotate(x, baby)?;
            ctx.backend().copy(rotated.view_mut(polys).slice(2 * i, 2), turned.view())?;
        }
        let part = |pairs: &Pairs, p: usize| -> Pairs { pairs.iter().map(|&(b, d)| (2 * b + p, d)).collect() };
        let sums: Vec<Pairs> = self.groups.values().flat_map(|g| [part(g, 0), part(g, 1)]).collect();
        let sums: Vec<&[(usize, usize)]> = sums.iter().map(Vec::as_slice).collect();
        let (split, join) = (ctx.split(self.primes, step.log_q), ctx.join(self.primes, step.log_q));
        let right = BigFactor::Prepared(self.diagonals.view(self.count), self.bits);
        let (left, shift) = (rotated.view(polys), step.drop);
        let mul = BigMul { left, split: &split, right, sums: &sums, join: &join, shift, add: None };
        let mut buf = ctx.alloc_big(sums.len(), step.log_q - step.drop)?;
        ctx.backend().big_mul(buf.view_mut(sums.len()), &mul)?;
        Ok(buf)
    }
}
