//! Calls of a backend, recorded by their shapes: numbers of limbs instead of limbs.

use std::collections::BTreeSet;

use ringjet_backend::big::digits::{self, Digits};
use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{BigFactor, BigMul, Result, check};
use ringjet_math::big;

/// One call of a backend. Numbers of limbs count all polynomials of the call together, unless the
/// field says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// A copy from the host to a buffer.
    Upload {
        /// Limbs that are copied.
        limbs: usize,
    },
    /// A copy within the backend.
    Copy {
        /// Limbs that are copied.
        limbs: usize,
    },
    /// Expands a compact polynomial: its few stored words are repeated.
    Expand {
        /// Limbs of the result.
        limbs: usize,
        /// Words that are read: those of the compact polynomial.
        words: usize,
    },
    /// Transforms integer coefficients, which are on the host, to factors.
    IntegerFactors {
        /// Transforms, each of as many coefficients as the call's ring degree says.
        limbs: usize,
        /// Words that are written: those of the compact polynomials.
        words: usize,
    },
    /// A transform to the evaluation domain.
    Ntt {
        /// Limbs that are transformed.
        limbs: usize,
    },
    /// A transform to the coefficient domain.
    Intt {
        /// Limbs that are transformed.
        limbs: usize,
    },
    /// A linear combination.
    Lincomb {
        /// Limbs of the result.
        limbs: usize,
        /// Terms with a factor 1 or -1.
        plain: usize,
        /// Terms with another constant.
        scaled: usize,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// A product of rows with a matrix of short integers.
    Gemm {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        terms: usize,
        /// Limbs of each row's result.
        limbs: usize,
        /// Whether the results' old values are added.
        accumulate: bool,
    },
    /// A product of matrices whose rows are polynomials.
    ClassProducts {
        /// Rows of each matrix, and of the result.
        rows: usize,
        /// Polynomials of a row of either factor.
        polys: [usize; 2],
        /// Primes.
        limbs: usize,
    },
    /// A product of polynomials.
    Mul {
        /// Limbs of the result.
        limbs: usize,
        /// Limbs of the second factor. They are fewer than those of the result if one polynomial
        /// multiplies several.
        factor: usize,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// An automorphism.
    Automorphism {
        /// Limbs that are permuted.
        limbs: usize,
    },
    /// A base conversion.
    BaseConvert {
        /// The number of polynomials.
        polys: usize,
        /// Limbs of the source, for each polynomial.
        from: usize,
        /// Limbs of the result, for each polynomial.
        to: usize,
    },
    /// A product of two ciphertexts; the result has three polynomials.
    Tensor {
        /// Limbs of each polynomial.
        limbs: usize,
        /// Whether both factors are the same ciphertext.
        square: bool,
    },
    /// A sum of products.
    MulAcc {
        /// Limbs of the result.
        limbs: usize,
        /// The number of products.
        pairs: usize,
        /// Limbs of all second factors together.
        factors: usize,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// Decomposition into extended digits.
    ModUp(Decomposition),
    /// An inner product of digits with a key.
    KeyInnerProduct {
        /// The number of digits.
        digits: usize,
        /// Limbs of each digit.
        limbs: usize,
    },
    /// Key switches with one key. The call includes the decomposition (unless the digits are
    /// ready), the inner products and the division.
    KeySwitch {
        /// The number of polynomials that are switched.
        count: usize,
        /// The number of products of ciphertexts in each sum that is switched. Empty if polynomials
        /// are switched directly.
        products: Vec<usize>,
        /// The decomposition of each switched polynomial.
        decomposition: Decomposition,
        /// Whether the digits are ready, so that no decomposition is needed.
        hoisted: bool,
        /// The division: by P, or by P and further primes.
        division: Division,
        /// The number of polynomials that are added before the division, for all key switches
        /// together.
        add: usize,
        /// Whether an automorphism comes last.
        automorphism: bool,
    },
    /// Rotations from the same digits, each with a key of its own, including the division.
    HoistedRotations {
        /// The number of rotations.
        count: usize,
        /// The decomposition of the polynomial that the digits come from.
        decomposition: Decomposition,
        /// The division: by P, or by P and further primes.
        division: Division,
        /// The number of polynomials that are added before the division. Every rotation adds the
        /// same ones.
        add: usize,
    },
    /// Sums of rotations times polynomials.
    HoistedRotateSum(RotateSumShape),
    /// A rotation whose result is added to a sum over the extended basis.
    RotateInto {
        /// The decomposition of the switched polynomial.
        decomposition: Decomposition,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// Computes the residues of big coefficients.
    CrtSplit {
        /// The number of polynomials.
        polys: usize,
        /// Words of each coefficient.
        words: usize,
        /// The number of primes.
        primes: usize,
    },
    /// Computes big coefficients from residues.
    CrtJoin {
        /// The number of polynomials.
        polys: usize,
        /// The number of primes.
        primes: usize,
        /// Words of each coefficient.
        words: usize,
    },
    /// A rounded shift of big coefficients.
    ShiftRound {
        /// Limbs of the source.
        from: usize,
        /// Limbs of the result.
        to: usize,
    },
    /// A linear combination of big coefficients.
    BigLincomb {
        /// Limbs of the result.
        limbs: usize,
        /// Limbs of all terms together, plus those of the result if its old value is added.
        read: usize,
        /// Limbs of the terms whose factor is not 1, 0 or -1.
        scaled: usize,
    },
    /// An automorphism of big coefficients.
    BigAutomorphism {
        /// Limbs that are permuted.
        limbs: usize,
    },
    /// Computes the residues of the digits of big coefficients, for a factor that is used more than
    /// once.
    BigPrepare {
        /// The number of digits of all polynomials together.
        digits: usize,
        /// Words of the digits, of [`digits::WORD_BITS`] bits each.
        words: usize,
        /// Limbs that are read for the digits. Two neighbouring digits share one limb.
        limbs: usize,
        /// The number of primes.
        primes: usize,
    },
    /// Products of big coefficients, from the digits of the factors to the result.
    BigMul(BigMulShape),
    /// A rounded division.
    DivideRound {
        /// The number of polynomials.
        polys: usize,
        /// The divisor and the limbs that stay.
        division: Division,
        /// The number of polynomials that are added at the end.
        add: usize,
    },
}

/// The shape of a [`ModUpPlan`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decomposition {
    /// The number of special primes.
    pub special: usize,
    /// Limbs of each digit, before its extension.
    pub digits: Vec<usize>,
}

impl Decomposition {
    /// The shape of `plan`.
    pub fn of(plan: &ModUpPlan) -> Self {
        Self { special: plan.special, digits: plan.digits.iter().map(|d| d.len).collect() }
    }

    /// Limbs of the decomposed polynomial.
    pub fn limbs(&self) -> usize {
        self.digits.iter().sum()
    }

    /// Limbs of each extended digit, special primes included.
    pub fn extended(&self) -> usize {
        self.special + self.limbs()
    }

    /// Number of digits.
    pub fn beta(&self) -> usize {
        self.digits.len()
    }

    /// Limbs that base conversions produce, for all digits together.
    pub fn converted(&self) -> usize {
        self.beta() * self.extended() - self.limbs()
    }

    /// Limbs of the digits that are converted to at least one of the primes `targets`, which are
    /// indices into the extended basis. A digit is not converted to its own primes.
    pub fn converted_to(&self, targets: &[usize]) -> usize {
        let mut start = self.special;
        let of = |&len: &usize| {
            let own = start..start + len;
            start = own.end;
            if targets.iter().all(|t| own.contains(t)) { 0 } else { len }
        };
        self.digits.iter().map(of).sum()
    }
}

/// The shape of a [`DivisionPlan`], for one polynomial.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Division {
    /// Indices of the limbs that are divided out.
    pub drop: Vec<usize>,
    /// Indices of the limbs that stay.
    pub keep: Vec<usize>,
    /// The number of new limbs, modulo primes that the polynomial did not have before.
    pub entering: usize,
}

impl Division {
    /// The shape of `plan`.
    pub fn of(plan: &DivisionPlan) -> Self {
        let keep: Vec<usize> = plan.keep.iter().flatten().copied().collect();
        Self { drop: plan.drop.clone(), entering: plan.keep.len() - keep.len(), keep }
    }

    /// The division of `dropped + kept` limbs by the first `dropped` ones.
    pub fn by_first(dropped: usize, kept: usize) -> Self {
        Self { drop: (0..dropped).collect(), keep: (dropped..dropped + kept).collect(), entering: 0 }
    }

    /// The number of limbs that are divided out.
    pub fn dropped(&self) -> usize {
        self.drop.len()
    }

    /// The number of limbs that stay.
    pub fn kept(&self) -> usize {
        self.keep.len()
    }

    /// The number of limbs before the division.
    pub fn from(&self) -> usize {
        self.dropped() + self.kept()
    }

    /// The number of limbs after the division.
    pub fn to(&self) -> usize {
        self.kept() + self.entering
    }
}

/// The shape of a [`ringjet_backend::RotateSum`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RotateSumShape {
    /// The number of digits.
    pub digits: usize,
    /// Limbs of each polynomial, over the extended basis.
    pub limbs: usize,
    /// The number of sums, each of two polynomials.
    pub sums: usize,
    /// The number of terms with a key switch.
    pub switched: usize,
    /// The number of terms without a key switch.
    pub unswitched: usize,
    /// Whether each term has polynomials of its own to add.
    pub adds_each: bool,
    /// The number of terms with an automorphism.
    pub turned: usize,
    /// The number of factors that are 1.
    pub ones: usize,
    /// The number of factors that are polynomials.
    pub products: usize,
    /// Words of all factors that are polynomials.
    pub factor_words: usize,
    /// Whether the old values of the sums are added.
    pub accumulate: bool,
}

/// The shape of a [`ringjet_backend::BigMul`], with the digits that
/// [`ringjet_backend::big::digits`] plans. All fields count digits, words and limbs of all
/// polynomials together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BigMulShape {
    /// The number of primes; every digit is reduced modulo all of them.
    pub primes: usize,
    /// Digits whose residues this call computes.
    pub digits: usize,
    /// Words of these digits, of [`digits::WORD_BITS`] bits each.
    pub words: usize,
    /// Limbs that are read for these digits. Two neighbouring digits share one limb.
    pub limbs: usize,
    /// Digits whose residues were prepared before.
    pub prepared: usize,
    /// Products of two digits.
    pub products: usize,
    /// Sums of these products: one for each weight of each result polynomial.
    pub sums: usize,
    /// Words that are computed from these sums.
    pub joined: usize,
    /// Limbs of the result.
    pub result: usize,
    /// Limbs of the polynomials that are added to the result.
    pub add: usize,
}

impl BigMulShape {
    /// The shape of a product that passes [`check::big_mul`]. Products of digits that hardly ever
    /// change the rounded result are left out.
    ///
    /// # Errors
    /// [`ringjet_backend::BackendError::Shape`] if the primes are too few, or a prepared factor
    /// does not have the expected shape.
    pub fn of(m: &BigMul<'_>) -> Result<Self> {
        let (op, basis, left) = ("big_mul", &m.join.crt.basis, m.split.crt.bits);
        let (right, most) = match m.right {
            BigFactor::Same => (left, basis.len()),
            BigFactor::Integers(_, plan) => (plan.crt.bits, basis.len()),
            BigFactor::Prepared(view, bits) => (bits, digits::prepared_primes(op, view, bits)?),
        };
        let bits = [left, right];
        let exact = Digits::new(m, bits).filter(|d| d.primes <= most);
        let exact = exact.ok_or_else(|| check::too_few_primes(op, most))?;
        let d = exact.rounded(m, bits).unwrap_or(exact);
        // the integers that become residues, with their numbers of digits and bits
        let mut split = vec![(m.left, d.counts[0], left)];
        if let BigFactor::Integers(right, plan) = m.right {
            split.push((right, d.counts[1], plan.crt.bits));
        }
        let prepared: BTreeSet<usize> = match m.right {
            BigFactor::Prepared(..) => m.sums.iter().copied().flatten().map(|&(_, r)| r).collect(),
            _ => BTreeSet::new(),
        };
        let (polys, result) = (m.sums.len(), big::words(m.join.crt.bits - m.shift));
        Ok(Self {
            primes: d.primes,
            digits: split.iter().map(|(view, digits, _)| view.polys() * digits).sum(),
            words: split.iter().map(|(view, _, bits)| view.polys() * digits::words(*bits)).sum(),
            limbs: split.iter().map(|(view, _, bits)| view.polys() * limbs_read(*bits)).sum(),
            prepared: prepared.len() * d.named().len(),
            products: d.products() * m.sums.iter().map(|s| s.len()).sum::<usize>(),
            sums: polys * d.weights.len(),
            joined: polys * d.joined_words(basis, m.join.crt.bits).iter().sum::<usize>(),
            result: polys * result,
            add: m.add.map_or(0, |a| a.polys()) * result,
        })
    }

    /// Limbs modulo one prime: those of the digits and of the sums.
    pub(crate) fn of_prime(&self) -> usize {
        self.digits + self.sums
    }
}

/// Limbs that are read to form the digits of an integer modulo `2^bits`.
pub(crate) fn limbs_read(bits: u32) -> usize {
    (0..digits::count(bits)).map(|i| digits::limbs(bits, i).len()).sum()
}

impl Operation {
    /// The name of the backend's method, as trees and reports show it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Upload { .. } => "upload",
            Self::Copy { .. } => "copy",
            Self::Expand { .. } => "expand",
            Self::IntegerFactors { .. } => "integer_factors",
            Self::Ntt { .. } => "ntt",
            Self::Intt { .. } => "intt",
            Self::Lincomb { .. } => "lincomb",
            Self::Gemm { .. } => "gemm",
            Self::ClassProducts { .. } => "class_products",
            Self::Mul { .. } => "mul",
            Self::Automorphism { .. } => "automorphism",
            Self::BaseConvert { .. } => "base_convert",
            Self::Tensor { .. } => "tensor",
            Self::MulAcc { .. } => "mul_acc",
            Self::ModUp(_) => "mod_up",
            Self::KeyInnerProduct { .. } => "key_inner_product",
            Self::KeySwitch { .. } => "key_switch",
            Self::HoistedRotations { .. } => "hoisted_rotations",
            Self::HoistedRotateSum(_) => "hoisted_rotate_sum",
            Self::RotateInto { .. } => "rotate_into",
            Self::CrtSplit { .. } => "crt_split",
            Self::CrtJoin { .. } => "crt_join",
            Self::ShiftRound { .. } => "shift_round",
            Self::BigLincomb { .. } => "big_lincomb",
            Self::BigAutomorphism { .. } => "big_automorphism",
            Self::BigPrepare { .. } => "big_prepare",
            Self::BigMul(_) => "big_mul",
            Self::DivideRound { .. } => "divide_round",
        }
    }
}
