//! The published cost model of de Castro et al., "Does Fully Homomorphic Encryption Need Compute Acceleration?" (ePrint
//! 2021/1636), on this library's own code.
//!
//! [`bootstrap`] and the programs behind [`table`] run the library on the counting backend, with options that give it the
//! paper's algorithms: its split of diagonals into baby and giant steps, its order of a polynomial's evaluation, a product's
//! divisions merged or not. [`PaperPolicy`] prices the calls as the paper does, by the step that each is part of: its
//! conventions, its caching levels and the [`Quirks`] of its authors.

mod configuration;
mod limbs;
mod price;
mod programs;
mod quirks;
mod regression;
mod rows;
mod tables;

use serde::Serialize;
use thiserror::Error;

pub use configuration::{Algorithms, Configuration, Counted, MatrixProducts};
pub use programs::{application, bootstrap, operation};
pub use quirks::Quirks;
pub use rows::{Figures, Row};
pub use tables::{Candidate, TABLES, candidate, table, table_with};

use crate::{Caching, Cost, Operation};
use limbs::Limbs;
use price::Prices;

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

    /// The cost of what was counted in the step at the end of a path of names, with everything below; of everything for no
    /// names.
    ///
    /// # Errors
    /// [`PaperError::Unpriced`] for what the paper has no price for: other options of the library than those of
    /// [`Algorithms`].
    pub fn cost(&self, counted: &Counted, steps: &[&str]) -> Result<Cost, PaperError> {
        let limbs = Limbs { of: counted.configuration, policy: *self };
        let prices = Prices { limbs, special: counted.special };
        let paths = paths(counted);
        let mut total = Cost::default();
        for call in &counted.trace.calls {
            let path = &paths[call.scope];
            if path.get(..steps.len()) != Some(steps) {
                continue;
            }
            let cost = prices.of(path, &call.operation);
            total += cost.ok_or_else(|| PaperError::unpriced(path, &call.operation))? * call.count;
        }
        Ok(total)
    }
}

/// The names of the steps down to each scope, without the first, which is the whole.
fn paths(counted: &Counted) -> Vec<Vec<&'static str>> {
    let mut paths: Vec<Vec<&'static str>> = Vec::with_capacity(counted.trace.scopes.len());
    for scope in &counted.trace.scopes {
        let mut path = scope.parent.map_or(vec![], |parent| paths[parent].clone());
        path.extend(scope.parent.map(|_| scope.name));
        paths.push(path);
    }
    paths
}

/// Why there is no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// No table has this name.
    #[error("no table {0:?}; there are {known}", known = TABLES.join(", "))]
    UnknownTable(String),
    /// No quirk has this name.
    #[error("no quirk {0:?}; there are {known}", known = Quirks::ALL.iter().map(|q| q.0).collect::<Vec<_>>().join(", "))]
    UnknownQuirk(String),
    /// No program has this name.
    #[error("no program {0:?}: those of Tables V and VII are known")]
    UnknownProgram(String),
    /// Parameters that make no sense.
    #[error("{0:?}: 1 to 120 limbs and at least one digit are known")]
    Configuration(Configuration),
    /// The library refuses.
    #[error(transparent)]
    Library(#[from] ringjet::Error),
    /// The paper has no price for this.
    #[error("{steps}: the paper has no price for {operation}")]
    Unpriced {
        /// The steps that the call is part of.
        steps: String,
        /// The call.
        operation: String,
    },
}

impl PaperError {
    fn unpriced(path: &[&str], operation: &Operation) -> Self {
        Self::Unpriced { steps: path.join(" > "), operation: format!("{operation:?}") }
    }
}
