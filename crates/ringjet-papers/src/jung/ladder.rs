//! The steps of the published ladder, and the calls that a bootstrap makes after each.

use std::sync::Arc;

use ringjet::{Ciphertext, Context, EvaluationKeys, Parameters};
use ringjet_model::{Caching, CountingBackend, Policy, Trace};

use crate::castro::PaperError;
use crate::fusion::{Fusion, PartlyFused};
use crate::orders::{BabySteps, Evaluator, Hoisting, Order};
use crate::sets::paper_set;

/// One step of the ladder. Each step contains those before it.
#[derive(Debug, Clone, Copy)]
pub struct Rung {
    /// The name of the step.
    pub name: &'static str,
    /// The order of computation.
    pub order: Order,
    /// The operations that are one kernel each.
    pub fusion: Fusion,
    /// What stays in a cache between the steps of one kernel.
    pub(super) caching: Caching,
}

/// One decomposition and one division by P for each rotation and each product, as few rotations in
/// all as possible, whole diagonals.
const PLAIN: Order = Order {
    hoisting: Hoisting::None,
    compressed_diagonals: false,
    baby_steps: BabySteps::Fewest,
    merged_rescaling: false,
    batched_products: false,
    levelled: None,
};
const MOD_UP: Fusion = Fusion { mod_up: true, ..Fusion::NONE };
const INNER: Fusion = Fusion { inner_products: true, products: true, ..MOD_UP };
const WITHIN: Fusion = Fusion { divisions: true, ..INNER };
const BATCHED: Fusion = Fusion { rotation_sums: true, ..WITHIN };

/// The step after which all kernels within an operation are fused.
pub const WITHIN_OPERATIONS: &str = "fusion within operations";

/// The ladder, in the talk's order. The talk names three fusions within operations and gives one time
/// for all of them. The third one, of ModDown, completes "fusion within operations".
pub const LADDER: [Rung; 6] = [
    Rung { name: "baseline", order: PLAIN, fusion: Fusion::NONE, caching: Caching::None },
    Rung { name: "ModUp fusion", order: PLAIN, fusion: MOD_UP, caching: Caching::Limb },
    Rung { name: "inner-product fusion", order: PLAIN, fusion: INNER, caching: Caching::Limb },
    Rung { name: WITHIN_OPERATIONS, order: PLAIN, fusion: WITHIN, caching: Caching::Limb },
    Rung { name: "batched multiply-adds", order: PLAIN, fusion: BATCHED, caching: Caching::BetaLimbs },
    Rung {
        name: "hoisting",
        order: Order { hoisting: Hoisting::Single, ..PLAIN },
        fusion: BATCHED,
        caching: Caching::BetaLimbs,
    },
];

impl Rung {
    /// How the traffic of a call is counted.
    pub(super) fn policy(&self) -> Policy {
        Policy::Cached { caching: self.caching, seeded_keys: false }
    }
}

/// The calls of a bootstrap of all slots, and of one product at each level that it leaves.
pub(super) struct Counted {
    pub bootstrap: Trace,
    pub products: Trace,
    /// The number of products.
    pub levels: usize,
}

/// The parameters of a set of the literature.
pub(super) fn parameters(set: &str) -> Result<Parameters, PaperError> {
    Ok(Parameters::new(&paper_set(set)?.spec()?.allow_insecure())?)
}

/// Counts a bootstrap by an order of computation and the products that follow it.
pub(super) fn count(params: &Parameters, order: Order, fusion: Fusion) -> Result<Counted, PaperError> {
    let backend = Arc::new(CountingBackend::default());
    let ctx = Context::new(params, Arc::new(PartlyFused::new(backend.clone(), fusion)));
    let slots = params.log_n() - 1;
    let keys = EvaluationKeys::uncomputed(&ctx, &order.key_plan(params, slots)?)?;
    let eval = Evaluator::new(ringjet::Evaluator::new(&ctx, Arc::new(keys))?, order);
    let boot = order.bootstrapper(&ctx, slots, |_, _| true)?;
    let input = params.bootstrap().map_or(0, |boot| boot.input_level());
    let x = Ciphertext::uncomputed(&ctx, input, slots)?;
    backend.take();
    let mut x = boot.bootstrap_observed(&eval, &x, false, |_| true)?;
    let bootstrap = backend.take();
    let levels = x.level() - input;
    for _ in 0..levels {
        // small stated values keep the error bound below the modulus
        x = eval.mul_relin_rescale(&x, &x)?.with_magnitude(1e-3);
    }
    Ok(Counted { bootstrap, products: backend.take(), levels })
}
