//! Operands of the fused operations.

use crate::View;
use crate::plan::{AutomorphismPlan, DivisionPlan, ModUpPlan};

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

/// A sum of products of ciphertexts, two polynomials each: sum of `a_i b_i`.
pub type Products<'a> = &'a [(View<'a>, View<'a>)];

/// What a key switch starts from: k polynomials over Q_l, all switched with one key.
#[derive(Debug, Clone, Copy)]
pub enum KeySwitchInput<'a> {
    /// The k polynomials, evaluation domain, still to be decomposed.
    Polynomial(View<'a>),
    /// Their digits over `P ++ Q_l`, from [`Backend::mod_up`](crate::Backend::mod_up): beta of the
    /// first, beta of the next.
    Digits(View<'a>),
    /// k sums of products of ciphertexts over Q_l (evaluation domain), to be relinearised. With
    /// `(d0, d1, d2) = sum of (a0 b0, a0 b1 + a1 b0, a1 b1)` the switched polynomial is d2; d0 and
    /// d1 are added in the same way as [`KeySwitch::add`], and in addition to it.
    Products(&'a [Products<'a>]),
}

/// The operands of [`Backend::key_switch`](crate::Backend::key_switch).
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
    /// Added before the division, times P: k polynomials, each to the first one of its result, or
    /// 2k, each to its own.
    pub add: Option<View<'a>>,
    /// Applied at the end; in the evaluation domain.
    pub automorphism: Option<&'a AutomorphismPlan>,
}

impl<'a> KeySwitch<'a> {
    /// k, the number of polynomials that are switched.
    pub fn count(&self) -> usize {
        match self.input {
            KeySwitchInput::Polynomial(src) => src.polys(),
            KeySwitchInput::Digits(digits) => digits.polys() / self.mod_up.beta().max(1),
            KeySwitchInput::Products(sums) => sums.len(),
        }
    }

    /// Whether it switches one polynomial, given as such or by its digits. Every other switch can
    /// be taken apart into these ([`Composed::key_switch_each`](crate::Composed::key_switch_each)).
    pub fn is_single(&self) -> bool {
        self.count() == 1 && !matches!(self.input, KeySwitchInput::Products(_))
    }

    /// The switch of polynomial `i` alone.
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

    /// All views that are read.
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
    /// Over `P ++ Q_l`, in the evaluation domain.
    pub digits: View<'a>,
    /// The decomposition that they come from.
    pub mod_up: &'a ModUpPlan,
    /// By P, or by P and further primes.
    pub division: &'a DivisionPlan,
    /// Added before the division, times P: one or two polynomials.
    pub add: View<'a>,
    /// For each rotation a key, two polynomials over `P ++ Q_l` for each digit, and the
    /// automorphism of the evaluation domain.
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
    /// The term times this polynomial. With fewer than N words in a limb it is what
    /// [`Backend::compact`](crate::Backend::compact) made of a polynomial in a power of X.
    Poly(View<'a>),
}

/// The operands of [`Backend::hoisted_rotate_sum`](crate::Backend::hoisted_rotate_sum).
#[derive(Debug, Clone, Copy)]
pub struct RotateSum<'a> {
    /// The digits that all terms with a key share.
    pub digits: View<'a>,
    /// Two polynomials. The first is added to every switched pair. A term without a key takes both
    /// as its pair.
    pub add: View<'a>,
    /// The rotations.
    pub terms: &'a [RotateTerm<'a>],
}

impl<'a> RotateSum<'a> {
    /// All views that are read.
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
    /// The decomposition.
    pub mod_up: &'a ModUpPlan,
    /// Two polynomials over the extended basis for each digit.
    pub key: View<'a>,
    /// In the evaluation domain.
    pub automorphism: &'a AutomorphismPlan,
    /// One polynomial over the extended basis.
    pub add: View<'a>,
}
