//! The price of what was counted.

use super::configuration::Counted;
use super::error::PaperError;
use super::limbs::Limbs;
use super::policy::PaperPolicy;
use super::price::Prices;
use crate::Cost;

impl PaperPolicy {
    /// The cost of what was counted in the step at the end of a path of names, with everything below; of everything for no
    /// names.
    ///
    /// # Errors
    /// [`PaperError::Unpriced`] for what the paper has no price for: other options of the library than those of
    /// [`Algorithms`](super::Algorithms).
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
