//! Orders of computation for comparisons: ablations of the library's own order, and those of
//! published cost models (de Castro et al., ePrint 2021/1636; Bossuat et al., ePrint 2020/1203).
//! Results differ from the library's by rounding only.
//!
//! Parameters, keys and bytes do not depend on this module. An [`Order`] says what differs from the
//! library's own order. It lists the keys it needs and makes the [`Bootstrapper`]; an [`Evaluator`]
//! of this module computes by it.

mod baby_steps;
mod levelled;
mod transforms;

use ringjet::circuits::papers::{bootstrapper, key_plan, levelled as library_polynomial, polynomial_at};
use ringjet::circuits::{Arithmetic, EncodedTransform, Polynomial, Steps};
use ringjet::{Bootstrapper, Ciphertext, Context, Error, KeyPlan, Parameters, Result, Scale, ckks};
use ringjet_math::fft::Complex64;

pub use baby_steps::BabySteps;
pub use levelled::depth as levelled_depth;
pub use transforms::Hoisting;

/// An order of computation. The default is the library's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Where linear transforms divide by P.
    pub hoisting: Hoisting,
    /// Whether repeated words of a diagonal are stored once.
    pub compressed_diagonals: bool,
    /// The rule for the inner rotations of linear transforms.
    pub baby_steps: BabySteps,
    /// Whether products are divided by P and rescaled in one division or in two.
    pub merged_rescaling: bool,
    /// Whether products that a polynomial adds up are relinearised as one sum or one by one.
    pub batched_products: bool,
    /// The degree of a cosine that is evaluated level by level, with one level more than needed, as
    /// the published cost model of de Castro et al. counts it. The parameters must have a degree
    /// that takes as many levels, such as `2 * degree + 1`.
    pub levelled: Option<usize>,
}

impl Order {
    /// The library's own order.
    pub const LIBRARY: Self = Self {
        hoisting: Hoisting::Double,
        compressed_diagonals: true,
        baby_steps: BabySteps::Cheapest,
        merged_rescaling: true,
        batched_products: true,
        levelled: None,
    };

    /// Whether giant steps share a key, as the parameters say. Only the library's own order does that.
    fn chains(&self, params: &Parameters) -> bool {
        let few = params.bootstrap().is_some_and(|boot| boot.baby_steps > 0);
        few && self.baby_steps == BabySteps::Cheapest && self.hoisting == Hoisting::Double
    }

    /// The keys that bootstrapping by this order needs. Fails as [`Bootstrapper::key_plan`] does.
    pub fn key_plan(&self, params: &Parameters, log_slots: u32) -> Result<KeyPlan> {
        if self.chains(params) {
            return Bootstrapper::key_plan(params, log_slots);
        }
        let few = params.bootstrap().map_or(0, |boot| boot.baby_steps);
        if few > 0 && self.baby_steps.signed() {
            // their diagonals are all moved to one side
            return Err(Error::Parameters(format!(
                "{few} baby steps: 0 is needed for a rule that counts diagonals k and k - n apart"
            )));
        }
        key_plan(params, log_slots, |diagonals, slots| self.baby_steps.rotations(diagonals, slots))
    }

    /// As [`Bootstrapper::new`], for [`Bootstrapper::bootstrap_observed`] by this order. Fails as
    /// that does.
    pub fn bootstrapper(
        &self,
        ctx: &Context,
        log_slots: u32,
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Bootstrapper> {
        // Rules that count k and k - n apart would need other keys for twice the slots. A polynomial of
        // another order has no vectors in its place.
        let join = self.levelled.is_none() && !self.baby_steps.signed();
        bootstrapper(ctx, log_slots, (self.levelled, join), progress, |matrix| {
            let own = self.chains(ctx.params());
            let encoded = if own { matrix.encode(ctx)? } else { self.baby_steps.encode_matrix(ctx, matrix)? };
            if self.compressed_diagonals { Ok(encoded) } else { transforms::with_whole_diagonals(encoded, ctx) }
        })
    }
}

/// An evaluator of CKKS with another order of computation.
#[derive(Clone, Debug)]
pub struct Evaluator {
    eval: ckks::Evaluator,
    order: Order,
}

impl std::ops::Deref for Evaluator {
    type Target = ckks::Evaluator;
    fn deref(&self) -> &ckks::Evaluator {
        &self.eval
    }
}

impl Evaluator {
    /// Makes an evaluator that computes with `eval` by `order`.
    pub fn new(eval: ckks::Evaluator, order: Order) -> Self {
        Self { eval, order }
    }

    /// `a * b`, relinearised and rescaled. Fails as [`ckks::Evaluator::mul_relin_rescale`] does.
    pub fn mul_relin_rescale(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        if self.order.merged_rescaling {
            return self.eval.mul_relin_rescale(a, b);
        }
        let _scope = self.eval.context().scope("Mult");
        if a.level() == 0 {
            return Err(Error::levels_exhausted("multiplication", 1, 0));
        }
        self.finished(&self.eval.mul(a, b)?)
    }

    fn finished(&self, product: &Ciphertext) -> Result<Ciphertext> {
        if self.order.merged_rescaling {
            return self.eval.relinearize_rescale(product);
        }
        self.eval.rescale(&self.eval.relinearize(product)?)
    }

    /// `p(x)` in every slot, level by level: at [`levelled_depth`] levels.
    /// Fails as [`polynomial`](ringjet::circuits::polynomial) does.
    pub fn levelled_polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        self.eval.keys().relinearization()?;
        self.expect_levels("polynomial", x, levelled::depth(p))?;
        if p.degree() < 2 { self.eval.polynomial(x, p) } else { levelled::levelled(self, x, p) }
    }
}

impl Steps for Evaluator {
    fn transform(&self, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
        self.order.hoisting.apply(&self.eval, transform, x)
    }

    fn depth(&self, p: &Polynomial) -> usize {
        self.order.levelled.map_or(p.depth(), |_| levelled::depth(p))
    }

    fn polynomial_at(&self, x: &Ciphertext, p: &Polynomial, landing: Scale) -> Result<Ciphertext> {
        match self.order.levelled {
            Some(_) if p.degree() > 1 && levelled::chebyshev(p) => levelled::levelled(self, x, p),
            _ => polynomial_at(self, x, p, landing),
        }
    }
}

/// Methods that are the evaluator's own.
macro_rules! as_evaluator {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> $out {
            Arithmetic::$name(&self.eval, $($arg),*)
        })*
    };
}

impl Arithmetic for Evaluator {
    type Params = Parameters;
    type Scale = Scale;

    fn polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        library_polynomial(self, x, p)
    }

    as_evaluator! {
        fn level(a: &Ciphertext) -> usize;
        fn scale(level: usize) -> Scale;
        fn with_levels(a: &Ciphertext, levels: usize) -> Result<Ciphertext>;
        fn expect_levels(op: &'static str, a: &Ciphertext, levels: usize) -> Result<()>;
        fn align(a: &Ciphertext, level: usize) -> Result<Ciphertext>;
        fn shares_division(from: usize, to: usize) -> bool;
        fn doubles(level: usize) -> bool;
        fn doubled(product: &Ciphertext, term: Option<(&Ciphertext, i32)>, constant: f64) -> Result<Ciphertext>;
        fn combine(terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext>;
        fn weighted_sum(terms: &[(&Ciphertext, f64)], level: usize, scale: Scale) -> Result<Ciphertext>;
        fn product_values(a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext>;
        fn finish_plain(product: &Ciphertext) -> Result<Ciphertext>;
    }

    fn evaluator(&self) -> &ckks::Evaluator {
        &self.eval
    }

    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        if self.order.batched_products { self.eval.mul(a, b) } else { self.mul_relin_rescale(a, b) }
    }

    fn finish(&self, product: &Ciphertext) -> Result<Ciphertext> {
        if self.order.batched_products { self.finished(product) } else { Ok(product.clone()) }
    }

    fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.mul_relin_rescale(a, b)
    }
}
