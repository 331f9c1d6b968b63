//! The caching and the counting rules of the published model (de Castro et al., ePrint 2021/1636).

use ringjet_model::Caching;
use serde::Serialize;

use super::published_deviations::Quirks;

/// The caching and counting rules of a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct PaperPolicy {
    /// What a cache keeps (Section IV).
    pub caching: Caching,
    /// Whether half of each key is generated from a seed (Section V-C).
    pub seeded_keys: bool,
    /// Departures of the published counts from the algorithms.
    pub quirks: Quirks,
}

impl PaperPolicy {
    /// No cache, and whole keys are read: Tables IV to VIII.
    pub const BASELINE: Self = Self { caching: Caching::None, seeded_keys: false, quirks: Quirks::PAPER };

    /// All optimizations that the paper proposes: Tables XI to XIII.
    pub const BEST: Self = Self { caching: Caching::Reordered, seeded_keys: true, ..Self::BASELINE };
}
