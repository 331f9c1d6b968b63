//! Optimisations that a measurement can leave out.

use std::sync::Arc;

use clap::ValueEnum;
use ringjet::{Bootstrapper, Context, KeyPlan, Parameters};
use ringjet_backend::Backend;
use ringjet_papers::fusion::{Fusion, PartlyFused};
pub use ringjet_papers::orders::Evaluator;
use ringjet_papers::orders::{BabySteps, Hoisting, Order};

/// An optimisation. Each kind of fusion includes those before it, as the caches of de Castro et al.
/// (ePrint 2021/1636, Section IV) shrink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Optimization {
    /// One division by P and by the level's primes; without: two divisions in succession
    MergedRescaling,
    /// Polynomials add products up before they relinearise; without: they relinearise each product
    BatchedProducts,
    /// Linear transforms delay divisions by P; without: one division for each rotation
    HoistedModdown,
    /// One decomposition for all baby steps, and delayed divisions; without: plain rotations
    HoistedModup,
    /// Baby steps chosen by cost; without: as few rotations in all as possible
    BabySteps,
    /// Giant steps; without: all rotations are baby steps, with a key for each
    GiantSteps,
    /// Diagonals stored without repeated words; without: whole diagonals
    CompressedDiagonals,
    /// Sums of rotations times diagonals in one operation; without: one by one, with whole
    /// diagonals
    RotationSums,
    /// A key switch in one operation; without: ModUp, inner product and division in succession
    Reordering,
    /// ModUp in one operation; without: conversions and transforms apart, and no `reordering`
    ModupFusion,
    /// Inner products with keys and products of ciphertexts in one operation each; without: one
    /// product after the other, and no `reordering`
    InnerProductFusion,
    /// Divisions in one operation; without: conversions and transforms apart, and no `reordering`
    ModdownFusion,
    /// ModUp and divisions in one operation each; without: conversions and transforms apart, and no
    /// `reordering`
    AlphaCaching,
    /// Inner products of all digits in one operation; without: digit by digit, and none of the two
    /// above
    BetaCaching,
    /// Products of ciphertexts in one operation; without: by polynomials, and no other fusion
    LimbCaching,
    /// All of the above except giant steps
    All,
}

#[derive(Debug, Clone, Copy)]
pub struct Left {
    order: Order,
    fusion: Fusion,
}

impl Left {
    /// Another order of computation, with every operation fused.
    pub fn of(order: Order) -> Self {
        Self { order, fusion: Fusion::default() }
    }

    pub fn without(without: &[Optimization]) -> Self {
        let mut left = Self::of(Order::LIBRARY);
        // in the order of the enumeration: of two of a kind, the one that leaves out more counts
        let mut sorted = without.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().for_each(|o| left.leave_out(o));
        left
    }

    fn leave_out(&mut self, optimization: Optimization) {
        use Optimization as O;
        match optimization {
            O::MergedRescaling => self.order.merged_rescaling = false,
            O::BatchedProducts => self.order.batched_products = false,
            O::HoistedModdown => self.order.hoisting = Hoisting::Single,
            O::HoistedModup => self.order.hoisting = Hoisting::None,
            O::BabySteps => self.order.baby_steps = BabySteps::Fewest,
            O::GiantSteps => self.order.baby_steps = BabySteps::All,
            O::CompressedDiagonals => self.order.compressed_diagonals = false,
            // a diagonal without repetitions would have to be expanded on the host
            O::RotationSums => (self.fusion.rotation_sums, self.order.compressed_diagonals) = (false, false),
            O::Reordering => self.fusion.key_switches = false,
            O::ModupFusion => (self.fusion.key_switches, self.fusion.mod_up) = (false, false),
            O::InnerProductFusion => {
                self.fusion = Fusion { key_switches: false, inner_products: false, products: false, ..self.fusion };
            }
            O::ModdownFusion => (self.fusion.key_switches, self.fusion.divisions) = (false, false),
            O::AlphaCaching => [O::ModupFusion, O::ModdownFusion].into_iter().for_each(|o| self.leave_out(o)),
            O::BetaCaching => {
                [O::RotationSums, O::AlphaCaching].into_iter().for_each(|o| self.leave_out(o));
                self.fusion.inner_products = false;
            }
            O::LimbCaching => (self.fusion, self.order.compressed_diagonals) = (Fusion::NONE, false),
            O::All => {
                let most =
                    [O::MergedRescaling, O::BatchedProducts, O::HoistedModup, O::BabySteps, O::CompressedDiagonals];
                most.into_iter().chain([O::LimbCaching]).for_each(|o| self.leave_out(o));
            }
        }
    }

    pub fn key_plan(&self, params: &Parameters, log_slots: u32) -> ringjet::Result<KeyPlan> {
        self.order.key_plan(params, log_slots)
    }

    pub fn evaluator(&self, eval: ringjet::Evaluator) -> Evaluator {
        Evaluator::new(eval, self.order)
    }

    pub fn bootstrapper(&self, ctx: &Context, log_slots: u32) -> ringjet::Result<Bootstrapper> {
        self.order.bootstrapper(ctx, log_slots, |_, _| true)
    }

    /// `backend` with the remaining fused operations.
    pub fn backend(&self, backend: Arc<dyn Backend>) -> Arc<dyn Backend> {
        if self.fusion == Fusion::default() { backend } else { Arc::new(PartlyFused::new(backend, self.fusion)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_loss_counts() {
        use Optimization as O;
        let left = Left::without(&[O::HoistedModup, O::HoistedModdown]);
        assert_eq!(left.order.hoisting, Hoisting::None);
        let fusion = |o: O| Left::without(&[o]).fusion;
        assert_eq!(fusion(O::MergedRescaling), Fusion::default());
        assert_eq!(fusion(O::BetaCaching), Fusion { products: true, big_products: true, ..Fusion::NONE });
        assert_eq!((fusion(O::LimbCaching), fusion(O::All)), (Fusion::NONE, Fusion::NONE));
        let modup = Fusion { key_switches: false, mod_up: false, ..Fusion::ALL };
        assert_eq!(fusion(O::ModupFusion), modup);
        assert_eq!(fusion(O::AlphaCaching), Fusion { divisions: false, ..modup });
        let all = Left::without(&[O::All]);
        assert!(!all.order.merged_rescaling && !all.order.batched_products);
        let none = Left::without(&[]);
        assert_eq!((none.order, none.fusion), (Order::LIBRARY, Fusion::default()));
    }
}
