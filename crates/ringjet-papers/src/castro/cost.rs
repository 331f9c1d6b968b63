//! Prices of counted programs.

use ringjet_model::Cost;

use super::configuration::Counted;
use super::error::PaperError;
use super::limbs::Limbs;
use super::policy::PaperPolicy;
use super::price::Prices;

impl PaperPolicy {
    /// The cost of the step at the path `steps`, including everything below it. An empty path gives
    /// the cost of the whole program.
    ///
    /// # Errors
    /// [`PaperError::Unpriced`] for a call without a price in the paper, as other options of the
    /// library than those of [`Algorithms`](super::Algorithms) make it.
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

/// For each scope, the names of the steps down to it, without the first one, which is the whole
/// program.
fn paths(counted: &Counted) -> Vec<Vec<&'static str>> {
    let mut paths: Vec<Vec<&'static str>> = Vec::with_capacity(counted.trace.scopes.len());
    for scope in &counted.trace.scopes {
        let mut path = scope.parent.map_or(vec![], |parent| paths[parent].clone());
        path.extend(scope.parent.map(|_| scope.name));
        paths.push(path);
    }
    paths
}
