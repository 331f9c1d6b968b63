//! Operands of the fused operations.

use ringjet_math::{Modulus, crt};

use crate::View;
use crate::plan::{AutomorphismPlan, DivisionPlan, ModUpPlan};

/// A factor of a linear combination.
#[derive(Debug, Clone, Copy)]
pub enum Coeff<'a> {
    /// The factor 1.
    One,
    /// The factor -1.
    MinusOne,
    /// The residues of a constant: one for each limb, each below the modulus of its limb.
    PerLimb(&'a [u64]),
}

/// A factor and the polynomials that it multiplies.
pub type Term<'a> = (Coeff<'a>, View<'a>);

/// The sum of `a_i * b_i` over pairs of ciphertexts `(a_i, b_i)` of two polynomials each.
pub type Products<'a> = &'a [(View<'a>, View<'a>)];

/// The coefficients of a polynomial in `X^gap` on the host: those of 1, `X^gap`, `X^(2 * gap)`, ...
#[derive(Debug, Clone, Copy)]
pub enum Integers<'a> {
    /// Coefficients of 32 bits.
    I32(&'a [i32]),
    /// Coefficients of 64 bits.
    I64(&'a [i64]),
    /// Coefficients of 128 bits.
    I128(&'a [i128]),
    /// This many coefficients without values, for backends that only count.
    Unknown(usize),
}

impl Integers<'_> {
    /// Number of coefficients.
    pub fn len(&self) -> usize {
        match self {
            Self::I32(c) => c.len(),
            Self::I64(c) => c.len(),
            Self::I128(c) => c.len(),
            Self::Unknown(len) => *len,
        }
    }

    /// Whether there are no coefficients.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the residues modulo q in `[0, q)` to `out`, which has as many words; unknown ones are 0.
    pub fn reduce(&self, q: &Modulus, out: &mut [u64]) {
        match self {
            Self::I32(c) => crt::reduce_i32(c, q, out),
            Self::I64(c) => crt::reduce_i64(c, q, out),
            Self::I128(c) => crt::reduce_i128(c, q, out),
            Self::Unknown(_) => out.fill(0),
        }
    }
}

/// The input of a key switch: k polynomials over Q_l (the ciphertext's primes), all switched with
/// one key. P is the basis of the special primes, and in formulas their product.
#[derive(Debug, Clone, Copy)]
pub enum KeySwitchInput<'a> {
    /// The k polynomials, in the evaluation domain, not yet decomposed.
    Polynomial(View<'a>),
    /// The digits of the k polynomials over `P ++ Q_l`, from
    /// [`Backend::mod_up`](crate::Backend::mod_up): first the digits of polynomial 0, then those of
    /// polynomial 1, and so on.
    Digits(View<'a>),
    /// k sums of products of ciphertexts over Q_l (evaluation domain), to be relinearised. Let
    /// `(d0, d1, d2) = sum of (a0 * b0, a0 * b1 + a1 * b0, a1 * b1)`. The switched polynomial is
    /// d2. d0 and d1 are added to the two polynomials of the result like [`KeySwitch::add`], and in
    /// addition to it.
    Products(&'a [Products<'a>]),
}

/// The operands of [`Backend::key_switch`](crate::Backend::key_switch).
#[derive(Debug, Clone, Copy)]
pub struct KeySwitch<'a> {
    /// The polynomials to be switched.
    pub input: KeySwitchInput<'a>,
    /// The switching key: two polynomials over `P ++ Q_l` for each digit.
    pub key: View<'a>,
    /// The plan of the decomposition into digits.
    pub mod_up: &'a ModUpPlan,
    /// The plan of the division by P, or by P and further primes.
    pub division: &'a DivisionPlan,
    /// Polynomials over Q_l that are multiplied by P and added before the division. There are k,
    /// each added to the first of the two result polynomials, or `2 * k`, one for each result
    /// polynomial.
    pub add: Option<View<'a>>,
    /// The automorphism of the evaluation domain that is applied to the result.
    pub automorphism: Option<&'a AutomorphismPlan>,
}

impl<'a> KeySwitch<'a> {
    /// k, the number of polynomials to be switched.
    pub fn count(&self) -> usize {
        match self.input {
            KeySwitchInput::Polynomial(src) => src.polys(),
            KeySwitchInput::Digits(digits) => digits.polys() / self.mod_up.beta().max(1),
            KeySwitchInput::Products(sums) => sums.len(),
        }
    }

    /// Whether exactly one polynomial is switched, given as such or by its digits. Every other
    /// switch can be split into such switches
    /// ([`Composed::key_switch_each`](crate::Composed::key_switch_each)).
    pub fn is_single(&self) -> bool {
        self.count() == 1 && !matches!(self.input, KeySwitchInput::Products(_))
    }

    /// The part of this switch that concerns polynomial `i`.
    pub fn single(&self, i: usize) -> Self {
        let (count, beta) = (self.count(), self.mod_up.beta());
        let input = match self.input {
            KeySwitchInput::Polynomial(src) => KeySwitchInput::Polynomial(src.poly(i)),
            KeySwitchInput::Digits(digits) => KeySwitchInput::Digits(digits.slice(i * beta, beta)),
            KeySwitchInput::Products(sums) => KeySwitchInput::Products(&sums[i..i + 1]),
        };
        let add = self.add.map(|add| add.slice(i * add.polys() / count, add.polys() / count));
        Self { input, add, ..*self }
    }

    /// All views that the operation reads.
    pub fn sources(&self) -> impl Iterator<Item = View<'a>> {
        let (one, products) = match self.input {
            KeySwitchInput::Polynomial(x) | KeySwitchInput::Digits(x) => (Some(x), &[][..]),
            KeySwitchInput::Products(sums) => (None, sums),
        };
        let factors = products.iter().copied().flatten().flat_map(|&(a, b)| [a, b]);
        factors.chain(one).chain([self.key]).chain(self.add)
    }
}

/// The operands of [`Backend::hoisted_rotations`](crate::Backend::hoisted_rotations).
#[derive(Debug, Clone, Copy)]
pub struct HoistedRotations<'a> {
    /// The digits of the polynomial to be rotated, over `P ++ Q_l`, in the evaluation domain.
    pub digits: View<'a>,
    /// The plan of the decomposition that gave the digits.
    pub mod_up: &'a ModUpPlan,
    /// The plan of the division by P, or by P and further primes.
    pub division: &'a DivisionPlan,
    /// One or two polynomials over Q_l that are multiplied by P and added before the division.
    pub add: View<'a>,
    /// For each rotation the key (two polynomials over `P ++ Q_l` for each digit) and the
    /// automorphism of the evaluation domain.
    pub rotations: &'a [(View<'a>, &'a AutomorphismPlan)],
}

impl<'a> HoistedRotations<'a> {
    /// The key switch that computes rotation `i`.
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

/// The largest size of a value of [`Gemm::weights`].
pub const MAX_WEIGHT: i32 = 1 << 24;

/// The operands of [`Backend::gemm`](crate::Backend::gemm).
#[derive(Debug, Clone, Copy)]
pub struct Gemm<'a> {
    /// A source for each column of the matrix.
    pub src: &'a [View<'a>],
    /// The matrix, row by row: values of at most [`MAX_WEIGHT`] in size.
    pub weights: &'a [i32],
    /// For each row and each limb the residue that multiplies the row's sum.
    pub factors: &'a [u64],
    /// For each row and each limb the residue that is added to the first polynomial; empty for none.
    pub constants: &'a [u64],
}

impl Gemm<'_> {
    /// The row of the matrix.
    pub fn row(&self, row: usize) -> &[i32] {
        &self.weights[row * self.src.len()..][..self.src.len()]
    }

    /// The factor of a row modulo the prime of a limb.
    pub fn factor(&self, row: usize, limb: usize, limbs: usize) -> u64 {
        self.factors[row * limbs + limb]
    }

    /// What is added to polynomial `p` of a row.
    pub fn constant(&self, row: usize, p: usize, limb: usize, limbs: usize) -> u64 {
        if p == 0 { self.constants.get(row * limbs + limb).copied().unwrap_or(0) } else { 0 }
    }
}

/// One rotation of a [`RotateSum`].
#[derive(Debug, Clone, Copy)]
pub struct RotateTerm<'a> {
    /// The switching key: two polynomials for each digit. With `None` nothing is switched.
    pub key: Option<View<'a>>,
    /// The automorphism of the evaluation domain; `None` is the identity.
    pub automorphism: Option<&'a AutomorphismPlan>,
    /// The factor of the rotated pair in each sum.
    pub factors: &'a [RotateFactor<'a>],
}

/// The factor of a [`RotateTerm`] in one sum.
#[derive(Debug, Clone, Copy)]
pub enum RotateFactor<'a> {
    /// The term is not part of this sum.
    None,
    /// The term is added without a factor.
    One,
    /// The term is multiplied by this polynomial. If its limbs have fewer than N words, it is a
    /// result of [`Backend::compact`](crate::Backend::compact).
    Poly(View<'a>),
}

/// The operands of [`Backend::hoisted_rotate_sum`](crate::Backend::hoisted_rotate_sum).
#[derive(Debug, Clone, Copy)]
pub struct RotateSum<'a> {
    /// The digits that all terms with a key use.
    pub digits: View<'a>,
    /// Two polynomials for all terms, or two for each term. A term with a key adds the first one to the
    /// first polynomial of its inner product. A term without a key takes both polynomials as its pair.
    pub add: View<'a>,
    /// The rotations.
    pub terms: &'a [RotateTerm<'a>],
}

impl<'a> RotateSum<'a> {
    /// Whether each of several terms has polynomials of its own to add.
    pub fn adds_each(&self) -> bool {
        self.add.polys() > 2
    }

    /// The two polynomials that term `i` adds.
    pub fn add_of(&self, i: usize) -> View<'a> {
        if self.adds_each() { self.add.slice(2 * i, 2) } else { self.add }
    }

    /// All views that the operation reads.
    pub fn sources(&self) -> impl Iterator<Item = View<'a>> {
        let factors = self.terms.iter().flat_map(|term| term.factors).filter_map(|factor| match factor {
            RotateFactor::Poly(by) => Some(*by),
            RotateFactor::None | RotateFactor::One => None,
        });
        let keys = self.terms.iter().filter_map(|term| term.key);
        [self.digits, self.add].into_iter().chain(keys).chain(factors)
    }
}

/// The operands of [`Backend::rotate_into`](crate::Backend::rotate_into).
#[derive(Debug, Clone, Copy)]
pub struct Rotation<'a> {
    /// The plan of the decomposition into digits.
    pub mod_up: &'a ModUpPlan,
    /// The switching key: two polynomials over the extended basis for each digit.
    pub key: View<'a>,
    /// The automorphism of the evaluation domain.
    pub automorphism: &'a AutomorphismPlan,
    /// One polynomial over the extended basis, which is added before the automorphism.
    pub add: View<'a>,
}
