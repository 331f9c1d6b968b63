//! The table of operations. Whatever computes, records, simulates, stores or optimises a program
//! reads it.

use std::sync::Arc;

use ringjet_math::fft::Complex64;

use crate::circuits::Polynomial;
use crate::dynamic::{Ciphertext, Evaluator, Scalar, Transform, Values};
use crate::{Error, Range, Result};

/// How many ciphertexts an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Exactly so many.
    Exactly(usize),
    /// At least one.
    Some,
    /// Pairs: the first halves, then the second ones.
    Pairs,
}

/// Called with the parts of an operation that are done, and of all its parts; returns false to stop
/// it.
pub type Progress<'a> = &'a mut (dyn FnMut(usize, usize) -> bool + Send);

/// The ciphertexts that an operation makes.
trait Made {
    fn all(self) -> Vec<Ciphertext>;
}

impl Made for Ciphertext {
    fn all(self) -> Vec<Ciphertext> {
        vec![self]
    }
}

impl Made for Vec<Ciphertext> {
    fn all(self) -> Vec<Ciphertext> {
        self
    }
}

/// One row an operation: its number in files, its constants, its name for people, its operands, and
/// the call of the evaluator.
macro_rules! operations {
    ($($(#[$doc:meta])* $code:literal $Op:ident { $($field:ident: $T:ty),* } $name:literal, $operands:expr,
       |$eval:ident, $x:ident, $step:ident| $run:expr;)*) => {
        /// An operation on ciphertexts, with its constants. A scheme that lacks an operation refuses it.
        #[derive(Clone)]
        pub enum Op {
            $($(#[$doc])* $Op { $(#[allow(missing_docs, reason = "the variant's line names its constants")] $field: $T),* },)*
        }

        impl Op {
            /// The name for people.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$Op { .. } => $name,)* }
            }

            /// The number in program files.
            pub(super) fn code(&self) -> u8 {
                match self { $(Self::$Op { .. } => $code,)* }
            }

            /// How many ciphertexts it takes.
            pub fn operands(&self) -> Operands {
                match self { $(Self::$Op { .. } => $operands,)* }
            }

            /// Computes. `step` is called by operations that take long.
            /// Fails as the method of [`Evaluator`] does.
            #[allow(unused_variables, reason = "few operations call `step`, and statements need no evaluator")]
            pub fn run(&self, eval: &Evaluator, x: &[&Ciphertext], step: Progress<'_>) -> Result<Vec<Ciphertext>> {
                match self {
                    $(Self::$Op { $($field),* } => {
                        let ($eval, $x, $step) = (eval, x, step);
                        $run.map(Made::all)
                    })*
                }
            }

            /// Writes the constants.
            pub(super) fn write(&self, out: &mut super::constants::Writer) -> Result<()> {
                match self {
                    $(Self::$Op { $($field),* } => { $(super::constants::Constant::store($field, out)?;)* })*
                }
                Ok(())
            }

            /// Reads the constants of the operation `code`.
            pub(super) fn read(code: u8, from: &mut super::constants::Reader<'_>) -> Result<Self> {
                match code {
                    $($code => Ok(Self::$Op { $($field: super::constants::Constant::load(from)?),* }),)*
                    _ => Err(from.malformed(format!("no operation has the number {code}"))),
                }
            }
        }
    };
}

use Operands::{Exactly, Pairs, Some as Any};

operations! {
    /// `-x`.
    1 Neg {} "negation", Exactly(1), |eval, x, step| eval.neg(x[0]);
    /// `x + y`.
    2 Add {} "sum", Exactly(2), |eval, x, step| eval.add_auto(x[0], x[1]);
    /// `x - y`.
    3 Sub {} "sum", Exactly(2), |eval, x, step| eval.sub_auto(x[0], x[1]);
    /// `x * y`.
    4 Mul {} "product", Exactly(2), |eval, x, step| eval.mul_auto(x[0], x[1]);
    /// `x + c`.
    5 AddScalar { c: Scalar } "constant sum", Exactly(1), |eval, x, step| eval.add_scalar(x[0], *c);
    /// `x - c`.
    6 SubScalar { c: Scalar } "constant sum", Exactly(1), |eval, x, step| eval.sub_scalar(x[0], *c);
    /// `c * x`.
    7 MulScalar { c: Scalar } "constant product", Exactly(1), |eval, x, step| eval.mul_scalar(x[0], *c);
    /// `x + v` with a vector in the clear; slots after its last value stay as they are.
    8 AddValues { v: Arc<Values> } "plain sum", Exactly(1), |eval, x, step| eval.add_values(x[0], v);
    /// `x - v`.
    9 SubValues { v: Arc<Values> } "plain sum", Exactly(1), |eval, x, step| eval.sub_values(x[0], v);
    /// `x * v`; slots after the last value become 0.
    10 MulValues { v: Arc<Values> } "plain product", Exactly(1), |eval, x, step| eval.mul_values(x[0], v);
    /// `x^n`.
    11 Power { n: u32 } "power", Exactly(1), |eval, x, step| eval.power(x[0], *n);
    /// A rotation by `k` slots to the left.
    12 Rotate { k: i64 } "rotation", Exactly(1), |eval, x, step| eval.rotate(x[0], *k);
    /// Rotations of one ciphertext by each of `ks`.
    13 Rotations { ks: Vec<i64> } "rotation", Exactly(1), |eval, x, step| eval.rotations(x[0], ks);
    /// The complex conjugate.
    14 Conjugate {} "conjugation", Exactly(1), |eval, x, step| eval.conjugate(x[0]);
    /// The rows of an exact scheme, swapped.
    15 SwapRows {} "swap of rows", Exactly(1), |eval, x, step| eval.swap_rows(x[0]);
    /// The imaginary unit times x.
    16 TimesI {} "times i", Exactly(1), |eval, x, step| eval.times_i(x[0]);
    /// The sums of `count` slots at a distance of `stride`, of which at most `terms` are not zero.
    17 InnerSum { stride: i64, count: usize, terms: usize } "inner sum", Exactly(1),
        |eval, x, step| eval.inner_sum_of(x[0], *stride, *count, *terms);
    /// A polynomial of every slot.
    18 Polynomial { p: Arc<Polynomial> } "polynomial", Exactly(1), |eval, x, step| eval.polynomial(x[0], p);
    /// A matrix times the vector of slots.
    19 Matmul { matrix: Arc<Transform> } "matrix", Exactly(1), |eval, x, step| eval.matmul(x[0], matrix);
    /// The sum of the products of pairs.
    20 SumOfProducts {} "sum of products", Pairs, |eval, x, step| {
        let (xs, ys) = x.split_at(x.len() / 2);
        eval.mul_sum(&xs.iter().copied().zip(ys.iter().copied()).collect::<Vec<_>>())
    };
    /// The sum of ciphertexts times `weights`, at `level` where it is given.
    21 WeightedSum { weights: Vec<Complex64>, level: Option<usize> } "weighted sum", Any, |eval, x, step|
        eval.complex_weighted_sum(&x.iter().copied().zip(weights.iter().copied()).collect::<Vec<_>>(), *level);
    /// For each row of real `weights` the sum of ciphertexts times them, plus its number of `bias` (empty: none),
    /// at `level` where it is given. See [`crate::Rows`] for `bits`.
    34 WeightedSums { weights: Arc<Values>, bias: Arc<Values>, bits: Option<u32>, level: Option<usize> } "weighted sums", Any,
        |eval, x, step| {
            let rows = weights.len() / x.len();
            let made = eval.weighted_sums(x, [weights, bias], *bits, *level, |done| step(done, rows))?;
            step(rows, rows).then_some(made).ok_or(Error::Interrupted)
        };
    /// The rows of transposed matrices, from one ciphertext for a row of all matrices. `entries` bounds the
    /// absolute values of their entries. See [`crate::Evaluator::transpose_rows`].
    35 TransposeRows { entries: f64 } "transposition", Any, |eval, x, step| eval.transpose_rows(x, *entries);
    /// The rows of products of matrices, from the columns of the first factors and the rows of the second ones;
    /// `left` and `right` bound the absolute values of their entries. See [`crate::Evaluator::mul_rows`].
    36 MulRows { left: f64, right: f64 } "product of matrices", Pairs, |eval, x, step| {
        let (columns, rows) = x.split_at(x.len() / 2);
        eval.mul_rows(columns, rows, [*left, *right])
    };
    /// The same values at a lower level.
    22 ToLevel { level: usize } "level", Exactly(1), |eval, x, step| eval.to_level(x[0], *level);
    /// HEAAN: modulus and scale divided by `2^bits`.
    23 Rescale { bits: Option<u32> } "rescaling", Exactly(1), |eval, x, step| eval.rescale(x[0], *bits);
    /// HEAAN: a smaller modulus.
    24 ModDownTo { log_q: u32 } "modulus", Exactly(1), |eval, x, step| eval.mod_down_to(x[0], *log_q);
    /// Bootstraps; `real` states that values are real.
    25 Bootstrap { real: bool } "bootstrap", Exactly(1), |eval, x, step| eval.bootstrap(x[0], *real, step);
    /// Bootstraps several ciphertexts.
    26 BootstrapMany { real: bool } "bootstrap", Any, |eval, x, step| {
        let all: Vec<Ciphertext> = x.iter().map(|&ct| ct.clone()).collect();
        let total = all.len();
        eval.bootstrap_many(&all, *real, |done| step(done, total))
    };
    /// Bootstraps several ciphertexts into `sin(pi / 2 * z)` of their values, which with `wraps` can have any
    /// size.
    37 Sines { wraps: bool } "sine", Any, |eval, x, step| {
        let all: Vec<Ciphertext> = x.iter().map(|&ct| ct.clone()).collect();
        let total = all.len();
        eval.sines(&all, *wraps, |done| step(done, total))
    };
    /// Several polynomials of every slot, which share powers.
    38 Polynomials { ps: Vec<Arc<Polynomial>> } "polynomials", Exactly(1), |eval, x, step|
        eval.polynomials(x[0], &ps.iter().map(|p| &**p).collect::<Vec<_>>());
    /// The same ciphertext as a vector of `2^log_slots` values.
    27 Slots { log_slots: u32 } "slots", Exactly(1), |eval, x, step| x[0].with_log_slots(*log_slots);
    /// States how many of the first slots hold values.
    28 Count { count: usize } "count", Exactly(1), |eval, x, step| x[0].counted(*count);
    /// States a bound on real and imaginary parts.
    29 Magnitude { magnitude: f64 } "magnitude", Exactly(1), |eval, x, step| x[0].with_magnitude(*magnitude);
    /// States that values are real, and between two numbers.
    30 Within { low: f64, high: f64 } "range", Exactly(1), |eval, x, step| x[0].with_range(Range::real(*low, *high));
    /// States the standard deviation of errors.
    31 Deviation { deviation: f64 } "error", Exactly(1), |eval, x, step| x[0].with_deviation(*deviation);
    /// The sum of rotations of one ciphertext by each of `ks`.
    33 RotationSum { ks: Vec<i64> } "rotation sum", Exactly(1), |eval, x, step| eval.rotation_sum(x[0], ks);
    /// States that a comparison called `of` tells values apart that are at least `gap` from 0, in the
    /// slots `used` (all where it is empty). `zeros`: it tells 0 apart; `unit`: what its user calls 1.
    /// Simulations warn of closer values.
    32 Gap { of: String, gap: f64, unit: f64, zeros: bool, used: Vec<bool> } "gap", Exactly(1),
        |eval, x, step| crate::Result::Ok(x[0].clone());
}

impl Op {
    /// How many ciphertexts it makes of so many operands.
    pub fn results(&self, operands: usize) -> usize {
        match self {
            Self::Rotations { ks } => ks.len(),
            Self::BootstrapMany { .. } | Self::Sines { .. } | Self::TransposeRows { .. } => operands,
            Self::Polynomials { ps } => ps.len(),
            Self::MulRows { .. } => operands / 2,
            Self::WeightedSums { weights, .. } => weights.len() / operands.max(1),
            _ => 1,
        }
    }

    /// Whether it bootstraps its operands.
    pub fn is_bootstrap(&self) -> bool {
        matches!(self, Self::Bootstrap { .. } | Self::BootstrapMany { .. } | Self::Sines { .. })
    }

    /// Whether it moves values between slots.
    pub fn moves_values(&self) -> bool {
        matches!(
            self,
            Self::Rotate { .. }
                | Self::Rotations { .. }
                | Self::RotationSum { .. }
                | Self::InnerSum { .. }
                | Self::Matmul { .. }
                | Self::SwapRows {}
                | Self::TransposeRows { .. }
                | Self::MulRows { .. }
                | Self::Slots { .. }
        )
    }

    /// Whether it takes so many operands.
    pub(crate) fn takes(&self, operands: usize) -> bool {
        if let Self::WeightedSum { weights, .. } = self {
            return operands > 0 && operands == weights.len();
        }
        if let Self::WeightedSums { weights, bias, .. } = self {
            let rows = weights.len() / operands.max(1);
            return operands > 0 && rows > 0 && rows * operands == weights.len() && [0, rows].contains(&bias.len());
        }
        if matches!(self, Self::Polynomials { ps } if ps.is_empty()) {
            return false;
        }
        match self.operands() {
            Exactly(count) => operands == count,
            Any => operands > 0,
            Pairs => operands > 0 && operands.is_multiple_of(2),
        }
    }
}
