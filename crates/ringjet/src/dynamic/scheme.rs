//! The trait of a scheme that users can choose.

use std::sync::Arc;

use ringjet_backend::{Backend, Width};
use ringjet_math::Basis;

use super::transform::Transform;
use super::values::{Scalar, Values};
use crate::circuits::{LinearTransform, Polynomial};
use crate::rlwe::{ChainParameters, SchemeParameters, Sharing};
use crate::rng::Seed;
use crate::vectors;
use crate::{Error, KeyMemory, KeyPlan, KeySizes, Range, Result, Rows, Stated, Unit, rlwe, wire};

/// A scheme: its objects, and the operations whose arguments differ between schemes. The methods of
/// the same names in [`super`] document them. Operations with the same name and arguments in all
/// schemes are not in this trait: the methods of the enums call them directly.
///
/// A function with a body is an operation that not every scheme has, or whose default suits most.
pub trait Scheme: Sized {
    /// The scheme's number in the wire format.
    const SCHEME: wire::Scheme;
    /// The scheme's name in Python and in the command.
    const ID: &'static str;
    const PRESETS: &'static [&'static str];
    const PRESET: fn(&str) -> Result<Self::Parameters>;
    /// The unit of the budget of ciphertexts.
    const UNIT: Unit;
    /// A field of the JSON of this scheme's parameters that no other scheme has.
    const FIELD: &'static str;
    /// Whether values are integers, which are computed exactly.
    const EXACT: bool = false;

    /// Parameters as users write them, before they are checked.
    type Spec;
    type Parameters: SchemeParameters;
    type EvaluationKeys: Clone;
    type Plaintext;
    type Ciphertext;
    type Evaluator;

    /// The name under which users know these parameters.
    fn id(_: &Self::Parameters) -> &'static str {
        Self::ID
    }

    /// Refuses an operation that this scheme lacks.
    fn lacks<T>(op: &'static str) -> Result<T> {
        Err(Error::Unsupported { scheme: Self::SCHEME.name(), op })
    }

    fn precision_bits(params: &Self::Parameters, counting: Arc<dyn Backend>) -> Result<f64>;
    fn sizes(params: &Self::Parameters, backend: &dyn Backend) -> Result<Sizes>;
    fn modulus_text(params: &Self::Parameters) -> String;
    fn bootstrapping(params: &Self::Parameters, log_slots: u32) -> Result<Bootstrapping>;
    fn most_bootstrapping_slots(params: &Self::Parameters) -> Option<usize>;
    fn residue_width(_: &Self::Parameters) -> Width {
        Width::Eight
    }
    fn levels(_: &Self::Parameters) -> Result<Vec<Level>> {
        Self::lacks("levels")
    }
    fn with_t_bits(_: &Self::Parameters, _: u32) -> Result<Self::Parameters> {
        Self::lacks("t_bits")
    }
    fn primes(_: &Self::Parameters) -> Result<[Vec<u64>; 2]> {
        Self::lacks("primes")
    }

    fn encode(
        ctx: &Context<Self>,
        values: &Values,
        stated: Stated,
        at: StartModulus,
        log_slots: u32,
    ) -> Result<Plaintext<Self>>;
    fn uncomputed(ctx: &Context<Self>, at: StartModulus, log_slots: u32, public: bool) -> Result<Ciphertext<Self>>;
    fn uncomputed_keys(ctx: &Context<Self>, bootstrapping: bool) -> Result<Self::EvaluationKeys>;
    fn with_key_memory(ctx: &Context<Self>, memory: KeyMemory) -> Result<Context<Self>> {
        expect_expanded(Self::SCHEME, memory).map(|()| ctx.clone())
    }

    fn memory(_: &Self::EvaluationKeys) -> KeyMemory {
        KeyMemory::Expanded
    }
    fn in_memory_form(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys> {
        expect_expanded(Self::SCHEME, memory).map(|()| keys.clone())
    }

    fn decrypt_values(secret: &SecretKey<Self>, ctx: &Context<Self>, ct: &Ciphertext<Self>) -> Result<Values>;
    fn decrypt_unchecked(secret: &SecretKey<Self>, ctx: &Context<Self>, ct: &Ciphertext<Self>) -> Result<Values>;
    fn decrypt_for_sharing(
        secret: &SecretKey<Self>,
        ctx: &Context<Self>,
        ct: &Ciphertext<Self>,
        plan: &Ciphertext<Self>,
        bits: Option<u32>,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values>;
    fn measured_budget(_: &SecretKey<Self>, _: &Context<Self>, _: &Ciphertext<Self>) -> Result<f64> {
        Self::lacks("noise budget")
    }

    fn budget(ct: &Ciphertext<Self>) -> Budget;
    fn level(ct: &Ciphertext<Self>) -> Result<usize> {
        if Self::UNIT == Unit::Levels { Ok(Self::budget(ct).left) } else { Self::lacks("level") }
    }
    fn noise_budget(_: &Ciphertext<Self>) -> Result<f64> {
        Self::lacks("noise budget")
    }
    fn with_log_slots(_: &Ciphertext<Self>, _: u32) -> Result<Ciphertext<Self>> {
        Self::lacks("with_slots")
    }
    fn with_magnitude(_: &Ciphertext<Self>, _: f64) -> Result<Ciphertext<Self>> {
        Self::lacks("magnitude")
    }
    fn with_deviation(_: &Ciphertext<Self>, _: f64) -> Result<Ciphertext<Self>> {
        Self::lacks("stated error")
    }
    fn with_range(_: &Ciphertext<Self>, _: Range) -> Result<Ciphertext<Self>> {
        Self::lacks("range")
    }
    fn encrypting(_: &Ciphertext<Self>, _: Range) -> Result<Ciphertext<Self>> {
        Self::lacks("range")
    }
    fn add_scalar(eval: &Self::Evaluator, x: &Ciphertext<Self>, c: Scalar) -> Result<Ciphertext<Self>>;
    fn sub_scalar(eval: &Self::Evaluator, x: &Ciphertext<Self>, c: Scalar) -> Result<Ciphertext<Self>>;
    fn mul_scalar(eval: &Self::Evaluator, x: &Ciphertext<Self>, c: Scalar) -> Result<Ciphertext<Self>>;
    fn add_values(eval: &Self::Evaluator, x: &Ciphertext<Self>, values: &Values) -> Result<Ciphertext<Self>>;
    fn sub_values(eval: &Self::Evaluator, x: &Ciphertext<Self>, values: &Values) -> Result<Ciphertext<Self>>;
    fn mul_values(eval: &Self::Evaluator, x: &Ciphertext<Self>, values: &Values) -> Result<Ciphertext<Self>>;
    fn weighted_sum(
        eval: &Self::Evaluator,
        terms: &[(&Ciphertext<Self>, f64)],
        level: Option<usize>,
    ) -> Result<Ciphertext<Self>>;
    fn weighted_sums(
        eval: &Self::Evaluator,
        terms: &[&Ciphertext<Self>],
        rows: &Rows<'_>,
        level: Option<usize>,
        step: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext<Self>>> {
        rows.expect(terms.len())?;
        let one = |(m, weights): (usize, &[f64])| {
            if !step(m) {
                return Err(Error::Interrupted);
            }
            let terms: Vec<_> = terms.iter().copied().zip(weights.iter().copied()).collect();
            let sum = Self::weighted_sum(eval, &terms, level)?;
            match rows.bias.get(m) {
                Some(&c) => Self::add_scalar(eval, &sum, Scalar::of(c, Self::EXACT)?),
                None => Ok(sum),
            }
        };
        rows.weights.chunks_exact(terms.len()).enumerate().map(one).collect()
    }
    fn transpose_rows(_: &Self::Evaluator, _: &[&Ciphertext<Self>], _: f64) -> Result<Vec<Ciphertext<Self>>> {
        Self::lacks("transpose_rows")
    }
    fn mul_rows(
        _: &Self::Evaluator,
        _columns: &[&Ciphertext<Self>],
        _rows: &[&Ciphertext<Self>],
        _entries: [f64; 2],
    ) -> Result<Vec<Ciphertext<Self>>> {
        Self::lacks("mul_rows")
    }
    fn rotation_sum(eval: &Self::Evaluator, x: &Ciphertext<Self>, steps: &[i64]) -> Result<Ciphertext<Self>>;
    fn conjugate(_: &Self::Evaluator, _: &Ciphertext<Self>) -> Result<Ciphertext<Self>> {
        Self::lacks("conjugate")
    }
    fn swap_rows(_: &Self::Evaluator, _: &Ciphertext<Self>) -> Result<Ciphertext<Self>> {
        Self::lacks("swap_rows")
    }
    fn times_i(_: &Self::Evaluator, _: &Ciphertext<Self>) -> Result<Ciphertext<Self>> {
        Self::lacks("times_i")
    }
    fn polynomial(_: &Self::Evaluator, _: &Ciphertext<Self>, _: &Polynomial) -> Result<Ciphertext<Self>> {
        Self::lacks("polynomial")
    }
    /// Each of `ps` of every slot; there is at least one.
    fn polynomials(eval: &Self::Evaluator, x: &Ciphertext<Self>, ps: &[&Polynomial]) -> Result<Vec<Ciphertext<Self>>> {
        ps.iter().map(|p| Self::polynomial(eval, x, p)).collect()
    }
    fn matmul(_: &Self::Evaluator, _: &Ciphertext<Self>, _: &Transform) -> Result<Ciphertext<Self>> {
        Self::lacks("matmul")
    }
    fn to_level(_: &Self::Evaluator, _: &Ciphertext<Self>, _: usize) -> Result<Ciphertext<Self>> {
        Self::lacks("to_level")
    }
    fn rescale(_: &Self::Evaluator, _: &Ciphertext<Self>, _: Option<u32>) -> Result<Ciphertext<Self>> {
        Self::lacks("rescale")
    }
    fn mod_down_to(_: &Self::Evaluator, _: &Ciphertext<Self>, _: u32) -> Result<Ciphertext<Self>> {
        Self::lacks("mod_down_to")
    }
    fn bootstrap(
        eval: &Self::Evaluator,
        x: &Ciphertext<Self>,
        real: bool,
        step: impl FnMut(usize, usize) -> bool,
    ) -> Result<Ciphertext<Self>>;
    fn bootstrap_many(
        eval: &Self::Evaluator,
        all: &[&Ciphertext<Self>],
        real: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext<Self>>>;
    fn sines(
        _: &Self::Evaluator,
        _: &[&Ciphertext<Self>],
        _: bool,
        _: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext<Self>>> {
        Self::lacks("sine")
    }
    fn key_sizes(params: &Self::Parameters, plan: &KeyPlan, backend: &dyn Backend) -> Result<KeySizes>;

    fn key_level(params: &Self::Parameters, limbs: usize) -> Option<usize>;
}

/// The functions of [`Scheme`] that approximate schemes share: decryption, ranges of values,
/// operations with numbers in the clear, and operations on complex numbers.
macro_rules! approximate {
    () => {
        fn decrypt_values(
            secret: &crate::dynamic::scheme::SecretKey<Self>,
            ctx: &crate::dynamic::scheme::Context<Self>,
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
        ) -> Result<crate::dynamic::Values> {
            Ok(secret.decrypt_values(ctx, ct)?.into())
        }

        fn decrypt_unchecked(
            secret: &crate::dynamic::scheme::SecretKey<Self>,
            ctx: &crate::dynamic::scheme::Context<Self>,
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
        ) -> Result<crate::dynamic::Values> {
            Ok(secret.decrypt(ctx, ct)?.decode(ctx)?.into())
        }

        fn decrypt_for_sharing(
            secret: &crate::dynamic::scheme::SecretKey<Self>,
            ctx: &crate::dynamic::scheme::Context<Self>,
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
            plan: &crate::dynamic::scheme::Ciphertext<Self>,
            bits: Option<u32>,
            sharing: &crate::rlwe::Sharing,
            seed: &crate::rng::Seed,
        ) -> Result<crate::dynamic::Values> {
            let missing =
                || crate::Error::argument("bits", "nothing", "the number of bits after the point that are shared");
            Ok(secret.decrypt_for_sharing(ctx, ct, plan, bits.ok_or_else(missing)?, sharing, seed)?.into())
        }

        crate::dynamic::scheme::with_numbers! {
            add_scalar(eval, x, c: crate::dynamic::Scalar) => eval.add_scalar(x, c.number(Self::SCHEME)?);
            sub_scalar(eval, x, c: crate::dynamic::Scalar) => eval.add_scalar(x, -c.number(Self::SCHEME)?);
            mul_scalar(eval, x, c: crate::dynamic::Scalar) => eval.mul_scalar_auto(x, c.number(Self::SCHEME)?);
            add_values(eval, x, v: &crate::dynamic::Values) => eval.add_values(x, v.numbers(Self::SCHEME)?);
            sub_values(eval, x, v: &crate::dynamic::Values) => eval.add_values(x, &v.negated(Self::SCHEME)?);
            mul_values(eval, x, v: &crate::dynamic::Values) => eval.mul_values(x, v.numbers(Self::SCHEME)?);
        }

        fn with_log_slots(
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
            log_slots: u32,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            ct.with_log_slots(log_slots)
        }

        fn with_magnitude(
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
            magnitude: f64,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            Ok(ct.clone().with_magnitude(magnitude))
        }

        fn with_deviation(
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
            deviation: f64,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            Ok(ct.clone().with_deviation(deviation))
        }

        fn with_range(
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
            range: crate::Range,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            Ok(ct.clone().with_range(range))
        }

        fn encrypting(
            ct: &crate::dynamic::scheme::Ciphertext<Self>,
            range: crate::Range,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            Ok(ct.clone().encrypting(range))
        }

        fn conjugate(
            eval: &Self::Evaluator,
            x: &crate::dynamic::scheme::Ciphertext<Self>,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            eval.conjugate(x)
        }

        fn times_i(
            eval: &Self::Evaluator,
            x: &crate::dynamic::scheme::Ciphertext<Self>,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            eval.times_i(x)
        }
    };
}
pub(super) use approximate;

/// Operations of a ciphertext with numbers in the clear.
macro_rules! with_numbers {
    ($($name:ident($eval:ident, $x:ident, $y:ident: $Y:ty) => $made:expr;)*) => { $(
        fn $name(
            $eval: &Self::Evaluator,
            $x: &crate::dynamic::scheme::Ciphertext<Self>,
            $y: $Y,
        ) -> Result<crate::dynamic::scheme::Ciphertext<Self>> {
            $made
        }
    )* };
}
pub(super) use with_numbers;

// The objects of the scheme S, under the names of the enums.
pub type Parameters<S> = <S as Scheme>::Parameters;
pub type Context<S> = rlwe::Context<Parameters<S>>;
pub type SecretKey<S> = rlwe::SecretKey<Parameters<S>>;
pub type PublicKey<S> = rlwe::PublicKey<Parameters<S>>;
pub type EvaluationKeys<S> = <S as Scheme>::EvaluationKeys;
pub type Plaintext<S> = <S as Scheme>::Plaintext;
pub type Ciphertext<S> = <S as Scheme>::Ciphertext;
pub type Evaluator<S> = <S as Scheme>::Evaluator;

/// Refuses compressed keys, for schemes that store keys in one form only.
fn expect_expanded(scheme: wire::Scheme, memory: KeyMemory) -> Result<()> {
    if memory == KeyMemory::Expanded {
        return Ok(());
    }
    let expected = format!("expanded for {scheme}, whose keys are kept in no other form");
    Err(Error::Argument { name: "key_memory", value: "compressed".into(), expected })
}

/// The modulus of a fresh ciphertext: a level or a number of bits; by default the largest. A scheme
/// refuses the field that it does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StartModulus {
    /// How many rescalings are left.
    pub level: Option<usize>,
    /// Bits of the modulus.
    pub log_q: Option<u32>,
}

/// The budget of a ciphertext: levels or bits of the modulus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// The unit of `left` and `of`.
    pub unit: Unit,
    /// How many levels or bits are left.
    pub left: usize,
    /// How many levels or bits the largest modulus has.
    pub of: usize,
    /// Size of the modulus in bits.
    pub modulus_log2: f64,
    /// Binary logarithm of the scale.
    pub scale_log2: f64,
}

/// A level of parameters that have levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The number of the level; 0 is the lowest.
    pub level: usize,
    /// The operations that use the level.
    pub purpose: &'static str,
    /// Bits of the level's modulus.
    pub modulus_bits: f64,
    /// Binary logarithm of the level's scale.
    pub scale_bits: f64,
    /// Bits by which a rescaling from this level divides; 0 at the lowest level.
    pub rescale_bits: f64,
    /// Number of primes in the level's modulus.
    pub primes: usize,
}

/// The budget that bootstrapping needs and leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrapping {
    /// The unit of `input` and `output`.
    pub unit: Unit,
    /// What a ciphertext must have left to be bootstrapped.
    pub input: usize,
    /// What a bootstrapped ciphertext has left.
    pub output: usize,
    /// Number of phases called `Bootstrap` in one bootstrap.
    pub passes: u32,
    /// Whether a bootstrap returns a sine of the values, instead of the values.
    pub sine: bool,
}

/// Bytes of each kind of object under one parameter set. "At rest" is the size when stored or sent,
/// without the header of about a hundred bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Sizes {
    /// A relinearisation, rotation or conjugation key. Residues take the bits of their modulus, and
    /// half of the key comes from a seed of 32 bytes.
    pub switching_key_at_rest: u64,
    /// A relinearisation, rotation or conjugation key in memory, expanded for use.
    pub switching_key_in_memory: u64,
    /// The public key.
    pub public_key_at_rest: u64,
    /// The public key in memory, expanded for use.
    pub public_key_in_memory: u64,
    /// A ciphertext under the largest modulus.
    pub ciphertext_at_rest: u64,
    /// A fresh ciphertext from the secret key: half of it comes from a seed of 32 bytes.
    pub ciphertext_seeded_at_rest: u64,
    /// A ciphertext under the largest modulus in memory.
    pub ciphertext_in_memory: u64,
}

/// [`Scheme::sizes`] of a scheme over a chain.
pub(super) fn chain_sizes(params: &impl ChainParameters) -> Sizes {
    let limb = 8 * params.n() as u64;
    let bits = |basis: &Basis| basis.primes().iter().map(|q| u64::from(q.modulus().bits())).sum::<u64>();
    let packed = |basis: &Basis| bits(basis) * params.n() as u64 / 8;
    let (top, encryption) = (&params.level(params.top_level()).basis, params.encryption_basis());
    let (dnum, extended) = (params.dnum() as u64, params.extended());
    Sizes {
        switching_key_at_rest: dnum * packed(extended),
        switching_key_in_memory: 2 * dnum * extended.len() as u64 * limb,
        public_key_at_rest: packed(&encryption),
        public_key_in_memory: 2 * encryption.len() as u64 * limb,
        ciphertext_at_rest: 2 * packed(top),
        ciphertext_seeded_at_rest: packed(top),
        ciphertext_in_memory: 2 * top.len() as u64 * limb,
    }
}

/// [`Scheme::key_level`] of a scheme over a chain: the highest level with so many limbs at most. Where
/// levels share primes, several of them have the same number.
pub(super) fn chain_key_level<P: ChainParameters>(params: &P, limbs: usize) -> Option<usize> {
    let top = params.message_level();
    let found = (0..=top).rev().find(|&level| params.limbs(level) + params.p().len() <= limbs).unwrap_or(0);
    (found < top).then_some(found)
}

/// The product of a matrix, which `work` makes, knows how many values it holds: those of the matrix's
/// rows, where slots are in one row. Refuses a vector that holds fewer values than the matrix has
/// columns, unless 0 follows them, and one that holds more.
/// Fails with [`Error::CountMismatch`].
pub(super) fn counted<P: vectors::Vectors>(
    x: &vectors::Ciphertext<P>,
    matrix: &LinearTransform,
    work: impl FnOnce() -> Result<vectors::Ciphertext<P>>,
) -> Result<vectors::Ciphertext<P>> {
    let ((rows, columns), count) = (matrix.shape(), x.count());
    let few = count < columns && !x.is_zero_padded();
    let many = count > columns && count < x.row_slots();
    if count < x.row_slots() && (few || many) {
        return Err(Error::CountMismatch { lhs: columns, rhs: count });
    }
    let made = work()?;
    if P::ROWS == 1 { made.padded(rows, true) } else { Ok(made) }
}
