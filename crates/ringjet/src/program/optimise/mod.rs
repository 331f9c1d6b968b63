//! Programs that compute the same with less work.
//!
//! A pass finds rewrites of a program. The rewritten program is computed on an evaluator that only
//! counts, and takes the place of the old one if its plan is not worse: see [`Plan::replaces`]. Where all
//! rewrites of a pass together are refused, each half is tried.

mod bootstraps;
mod constants;
mod levels;
mod plan;
mod polynomials;
mod rewrite;
mod sharing;
mod sums;
mod transforms;

use super::graph::Program;
use crate::dynamic::{Ciphertext, Evaluator};
use crate::{Error, Result};
use plan::Plan;
use rewrite::{Replacements, replaced, swept};

/// Passes are repeated so often, since one makes room for others.
const ROUNDS: usize = 3;

/// Plans that one pass may try in one round: the fewer, the longer the program is.
const TRIES: std::ops::RangeInclusive<usize> = 3..=60;

/// About how many operations all plans of one pass have in one round.
const PLANNED: usize = 20_000;

/// Finds what a pass replaces.
type Find = fn(&Plan) -> Replacements;

/// The passes that [`Program::optimised`] runs; by default all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    /// Constant factors go into plaintext vectors, polynomials, matrices and weights.
    pub constants: bool,
    /// Equal operations are computed once, rotations of rotations in one step, and rotations of one value
    /// share their decomposition.
    pub sharing: bool,
    /// Sums of products are relinearised and rescaled once, sums of scalar multiples rescaled once.
    pub sums: bool,
    /// Sums of rotations of one value, also times vectors, become one transform.
    pub transforms: bool,
    /// Polynomials of one value are evaluated with the fewest levels.
    pub polynomials: bool,
    /// Bootstraps are placed where the program takes the least work.
    pub bootstraps: bool,
    /// Levels that results would have more than those of the program as written, and bootstrapped values
    /// more than they need, are spent first, so that all operations work on fewer residues.
    pub levels: bool,
}

impl Passes {
    /// No pass.
    pub const NONE: Self = Self {
        constants: false,
        sharing: false,
        sums: false,
        transforms: false,
        polynomials: false,
        bootstraps: false,
        levels: false,
    };
}

impl Default for Passes {
    fn default() -> Self {
        let (constants, sharing, sums, levels) = (true, true, true, true);
        Self { constants, sharing, sums, transforms: true, polynomials: true, bootstraps: true, levels }
    }
}

impl Program {
    /// A program with the same results, within the estimates of their errors, that takes less work: fewer
    /// modular operations and words of memory. No result has fewer levels, nor less precision by more than
    /// half a bit, or two bits where it bootstraps less. `eval` is an evaluator of a counting backend;
    /// operations and keys are chosen for its parameters. Exact schemes compute the same integers.
    /// Fails with [`Error::Argument`] for an evaluator that computes, and as the operations of the program do.
    pub fn optimised(&self, passes: Passes, eval: &Evaluator) -> Result<Self> {
        let context = eval.context();
        let inputs: Vec<Ciphertext> =
            self.inputs.iter().map(|(input, _)| input.uncomputed(&context)).collect::<Result<_>>()?;
        eval.watch_bootstraps();
        let plan = |program| Plan::new(program, eval, &inputs);
        let mut search = Search { eval, first: plan(swept(self)?)?, best: plan(swept(self)?)?, inputs: &inputs };
        let rewrites: [(bool, Find); 5] = [
            (passes.sharing, sharing::rotations),
            (passes.constants, constants::folded),
            (passes.polynomials, polynomials::found),
            (passes.transforms, transforms::found),
            (passes.sums, sums::found),
        ];
        for _ in 0..ROUNDS {
            let mut changed = passes.sharing && search.whole(sharing::deduplicated(&search.best)?)?;
            for (_, find) in rewrites.iter().filter(|(on, _)| *on) {
                changed |= search.replace(find(&search.best))?;
            }
            if !changed {
                break;
            }
        }
        if passes.sharing {
            search.whole(sharing::hoisted(&search.best)?)?;
        }
        if passes.bootstraps
            && let Some(placed) = bootstraps::placed(&search.best, eval)?
        {
            search.whole(placed)?;
        }
        if passes.levels
            && let Some(lowered) = levels::lowered(&search.best, &search.first, eval)?
        {
            match plan(lowered) {
                Ok(plan) if plan.lowers(&search.best, &search.first) => search.best = plan,
                Err(e @ Error::Interrupted) => return Err(e),
                _ => {}
            }
        }
        Ok(search.best.program)
    }
}

/// The best program so far.
struct Search<'a> {
    eval: &'a Evaluator,
    inputs: &'a [Ciphertext],
    first: Plan,
    best: Plan,
}

impl Search<'_> {
    /// Takes a program if its plan is not worse, and says whether it did.
    fn whole(&mut self, program: Program) -> Result<bool> {
        match Plan::new(program, self.eval, self.inputs) {
            Ok(plan) if plan.replaces(&self.best, &self.first) => {
                let fewer = plan.program.nodes.len() != self.best.program.nodes.len();
                self.best = plan;
                Ok(fewer)
            }
            Err(e @ Error::Interrupted) => Err(e),
            // a candidate that the evaluator refuses is no candidate
            _ => Ok(false),
        }
    }

    /// Makes as many of the replacements as plans allow, and says whether it made some.
    fn replace(&mut self, found: Replacements) -> Result<bool> {
        let base = self.best.program.clone();
        let most = (PLANNED / base.nodes.len().max(1)).clamp(*TRIES.start(), *TRIES.end());
        let (mut taken, mut open, mut tries): (Vec<usize>, Vec<Vec<usize>>, _) = (vec![], vec![], 0);
        if !found.is_empty() {
            open.push((0..found.len()).collect());
        }
        while let Some(next) = open.pop().filter(|_| tries < most) {
            tries += 1;
            let mut chosen: Vec<usize> = taken.iter().chain(&next).copied().collect();
            chosen.sort_unstable();
            let plan = replaced(&base, &found, &chosen).and_then(|made| Plan::new(made, self.eval, self.inputs));
            match plan {
                Ok(plan) if plan.replaces(&self.best, &self.first) => (self.best, taken) = (plan, chosen),
                _ if next.len() > 1 => {
                    let (first, rest) = next.split_at(next.len() / 2);
                    open.extend([rest.to_vec(), first.to_vec()]);
                }
                _ => {}
            }
        }
        Ok(!taken.is_empty())
    }
}
