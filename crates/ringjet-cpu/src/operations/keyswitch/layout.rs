//! Sizes that all key switches use.

use crate::blocking::FUSED_DIGITS;
use ringjet_backend::plan::ModUpPlan;
use ringjet_math::ntt::LOG_TILE;

/// Words of a tile of the evaluation domain. An automorphism permutes tiles, and words within
/// tiles.
pub const TILE: usize = 1 << LOG_TILE;

/// Number of unused words after each limb in scratch memory. Limbs a power of two apart would
/// compete for the same cache sets.
pub const PAD: usize = 40;

/// Whether the fused operations support the number of digits of this decomposition.
pub fn is_fused(plan: &ModUpPlan) -> bool {
    plan.beta() <= FUSED_DIGITS
}
