//! What the published model keeps in a cache, and how it counts.

use serde::Serialize;

use super::quirks::Quirks;
use crate::Caching;

/// What is stored and how it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct PaperPolicy {
    /// What stays in a cache (Section IV).
    pub caching: Caching,
    /// Half of each key is made from a seed (Section V-C).
    pub seeded_keys: bool,
    /// Ways of the authors.
    pub quirks: Quirks,
}

impl PaperPolicy {
    /// Nothing cached, keys read as a whole: Tables IV to VIII.
    pub const BASELINE: Self = Self { caching: Caching::None, seeded_keys: false, quirks: Quirks::PAPER };

    /// Everything that the paper proposes: Tables XI to XIII.
    pub const BEST: Self = Self { caching: Caching::Reordered, seeded_keys: true, ..Self::BASELINE };
}
