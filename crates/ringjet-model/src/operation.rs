//! What a backend is asked for, as shapes: numbers of limbs instead of limbs.

use std::collections::BTreeSet;

use ringjet_backend::big::digits::{self, Digits};
use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{BigFactor, BigMul, Result, check};
use ringjet_math::big;

/// One call of a backend. Numbers of limbs count those of all polynomials together where nothing else is said.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// From the host.
    Upload {
        /// Limbs.
        limbs: usize,
    },
    /// From one place to another.
    Copy {
        /// Limbs.
        limbs: usize,
    },
    /// A polynomial with repeated words from the few that it is stored as.
    Expand {
        /// Limbs of the result.
        limbs: usize,
        /// Words that are read.
        words: usize,
    },
    /// To the evaluation domain.
    Ntt {
        /// Limbs.
        limbs: usize,
    },
    /// To the coefficient domain.
    Intt {
        /// Limbs.
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
    /// A product of polynomials.
    Mul {
        /// Limbs of the result.
        limbs: usize,
        /// Limbs of the second factor: fewer where one polynomial multiplies several.
        factor: usize,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// An automorphism.
    Automorphism {
        /// Limbs.
        limbs: usize,
    },
    /// A base conversion.
    BaseConvert {
        /// Polynomials.
        polys: usize,
        /// Limbs of the source, of each polynomial.
        from: usize,
        /// Limbs of the result, of each polynomial.
        to: usize,
    },
    /// A product of two ciphertexts, of three polynomials.
    Tensor {
        /// Limbs of each polynomial.
        limbs: usize,
        /// Whether both are the same.
        square: bool,
    },
    /// A sum of products.
    MulAcc {
        /// Limbs of the result.
        limbs: usize,
        /// Products.
        pairs: usize,
        /// Limbs of all second factors together.
        factors: usize,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// Decomposition into extended digits.
    ModUp(Decomposition),
    /// Inner product of digits and a key.
    KeyInnerProduct {
        /// Digits.
        digits: usize,
        /// Limbs of each digit.
        limbs: usize,
    },
    /// Key switches with one key, from their decomposition or their digits to their division.
    KeySwitch {
        /// Polynomials that are switched.
        count: usize,
        /// Products of ciphertexts in each sum that is switched; empty where polynomials are.
        products: Vec<usize>,
        /// Of each polynomial.
        decomposition: Decomposition,
        /// Whether its digits are there already.
        hoisted: bool,
        /// By P, or by P and further primes.
        division: Division,
        /// Polynomials that are added before the division, in all.
        add: usize,
        /// Whether an automorphism comes last.
        automorphism: bool,
    },
    /// Rotations of the same digits, each with a key of its own, from the digits to the division.
    HoistedRotations {
        /// Rotations.
        count: usize,
        /// Of the polynomial that the digits come from.
        decomposition: Decomposition,
        /// By P, or by P and further primes.
        division: Division,
        /// Polynomials that are added to each before the division, the same for all.
        add: usize,
    },
    /// Sums of rotations times polynomials.
    HoistedRotateSum(RotateSumShape),
    /// A rotation that is added to a sum over the extended basis.
    RotateInto {
        /// Of the polynomial that is switched.
        decomposition: Decomposition,
        /// Whether the result's old value is added.
        accumulate: bool,
    },
    /// Residues of big coefficients.
    CrtSplit {
        /// Polynomials.
        polys: usize,
        /// Words of each coefficient.
        words: usize,
        /// Primes.
        primes: usize,
    },
    /// Big coefficients from residues.
    CrtJoin {
        /// Polynomials.
        polys: usize,
        /// Primes.
        primes: usize,
        /// Words of each coefficient.
        words: usize,
    },
    /// A rounded shift of big coefficients.
    ShiftRound {
        /// Limbs before.
        from: usize,
        /// Limbs after.
        to: usize,
    },
    /// A linear combination of big coefficients.
    BigLincomb {
        /// Limbs of the result.
        limbs: usize,
        /// Limbs of all terms together, with the result's where its old value is added.
        read: usize,
        /// Limbs of the terms with another factor than 1 and -1.
        scaled: usize,
    },
    /// An automorphism of big coefficients.
    BigAutomorphism {
        /// Limbs.
        limbs: usize,
    },
    /// Residues of the digits of big coefficients, to be multiplied by more than once.
    BigPrepare {
        /// Digits of all polynomials.
        digits: usize,
        /// Their words, of [`digits::WORD_BITS`].
        words: usize,
        /// Limbs that are read for them: two digits beside each other share one.
        limbs: usize,
        /// Primes.
        primes: usize,
    },
    /// Products of big coefficients, from their digits to the result.
    BigMul(BigMulShape),
    /// A rounded division.
    DivideRound {
        /// Polynomials.
        polys: usize,
        /// By what.
        division: Division,
        /// Polynomials that are added at the end.
        add: usize,
    },
}

/// The shape of a [`ModUpPlan`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decomposition {
    /// Special primes.
    pub special: usize,
    /// Limbs of each digit.
    pub digits: Vec<usize>,
}

impl Decomposition {
    /// Of a plan.
    pub fn of(plan: &ModUpPlan) -> Self {
        Self { special: plan.special, digits: plan.digits.iter().map(|d| d.len).collect() }
    }

    /// Limbs of the polynomial that is decomposed.
    pub fn limbs(&self) -> usize {
        self.digits.iter().sum()
    }

    /// Limbs of each extended digit.
    pub fn extended(&self) -> usize {
        self.special + self.limbs()
    }

    /// Number of digits.
    pub fn beta(&self) -> usize {
        self.digits.len()
    }

    /// Limbs that are converted to, of all digits together.
    pub fn converted(&self) -> usize {
        self.beta() * self.extended() - self.limbs()
    }

    /// Limbs of the digits that are converted to at least one of these primes of the extended basis. A digit has its
    /// own primes already.
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

/// The shape of a [`DivisionPlan`], for each polynomial.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Division {
    /// Which limbs are divided out.
    pub drop: Vec<usize>,
    /// Which limbs stay.
    pub keep: Vec<usize>,
    /// How many limbs enter.
    pub entering: usize,
}

impl Division {
    /// Of a plan.
    pub fn of(plan: &DivisionPlan) -> Self {
        let keep: Vec<usize> = plan.keep.iter().flatten().copied().collect();
        Self { drop: plan.drop.clone(), entering: plan.keep.len() - keep.len(), keep }
    }

    /// By the first `dropped` limbs of `dropped + kept`.
    pub fn by_first(dropped: usize, kept: usize) -> Self {
        Self { drop: (0..dropped).collect(), keep: (dropped..dropped + kept).collect(), entering: 0 }
    }

    /// Limbs that are divided out.
    pub fn dropped(&self) -> usize {
        self.drop.len()
    }

    /// Limbs that stay.
    pub fn kept(&self) -> usize {
        self.keep.len()
    }

    /// Limbs before.
    pub fn from(&self) -> usize {
        self.dropped() + self.kept()
    }

    /// Limbs after.
    pub fn to(&self) -> usize {
        self.kept() + self.entering
    }
}

/// The shape of a [`ringjet_backend::RotateSum`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RotateSumShape {
    /// Digits.
    pub digits: usize,
    /// Limbs of each polynomial.
    pub limbs: usize,
    /// Sums, of two polynomials each.
    pub sums: usize,
    /// Terms with a key.
    pub switched: usize,
    /// Terms without.
    pub unswitched: usize,
    /// Terms with an automorphism.
    pub turned: usize,
    /// Factors 1.
    pub ones: usize,
    /// Factors that are polynomials.
    pub products: usize,
    /// Words of all those polynomials.
    pub factor_words: usize,
    /// Whether the sums' old values are added.
    pub accumulate: bool,
}

/// The shape of a [`ringjet_backend::BigMul`], by digits as [`ringjet_backend::big::digits`] plans them. All of it counts digits
/// and words of all polynomials together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BigMulShape {
    /// Primes of every digit.
    pub primes: usize,
    /// Digits that become residues.
    pub digits: usize,
    /// Their words, of [`digits::WORD_BITS`].
    pub words: usize,
    /// Limbs that are read for them: two digits beside each other share one.
    pub limbs: usize,
    /// Digits whose residues are there already.
    pub prepared: usize,
    /// Products of two digits.
    pub products: usize,
    /// Sums of them: one for each weight of each polynomial of the result.
    pub sums: usize,
    /// Words that are made of those sums.
    pub joined: usize,
    /// Limbs of the result.
    pub result: usize,
    /// Limbs that are added.
    pub add: usize,
}

impl BigMulShape {
    /// Of a product that passes [`check::big_mul`], when all that its result hardly ever depends on is left out.
    ///
    /// # Errors
    /// [`ringjet_backend::BackendError::Shape`] where the primes are too few, or a prepared factor is of another form.
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
        // what becomes residues, with its number of digits and its bits
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

    /// Limbs of each prime: its digits' and its sums'.
    pub(crate) fn of_prime(&self) -> usize {
        self.digits + self.sums
    }
}

/// Limbs that are read for the digits of an integer modulo `2^bits`.
pub(crate) fn limbs_read(bits: u32) -> usize {
    (0..digits::count(bits)).map(|i| digits::limbs(bits, i).len()).sum()
}

impl Operation {
    /// Its name in trees and reports: that of the backend's method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Upload { .. } => "upload",
            Self::Copy { .. } => "copy",
            Self::Expand { .. } => "expand",
            Self::Ntt { .. } => "ntt",
            Self::Intt { .. } => "intt",
            Self::Lincomb { .. } => "lincomb",
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
