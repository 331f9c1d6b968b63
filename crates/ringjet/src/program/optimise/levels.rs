//! Inputs at the lowest levels that serve.
//!
//! Where results would have more levels than those of the program as written, the levels are spent on
//! inputs before anything else is computed: all operations then work on fewer residues.

use super::super::graph::Program;
use super::super::op::Op;
use super::plan::{Plan, spent};
use super::rewrite::Copy;
use crate::Result;

/// The program on lowered inputs, whose results have the levels of the plan `first`; `None` where no
/// input has levels to spare.
pub(super) fn lowered(plan: &Plan, first: &Plan) -> Result<Option<Program>> {
    if !plan.is_ckks() || plan.bootstraps > 0 {
        return Ok(None);
    }
    let program = &plan.program;
    let mut needed = vec![0; program.values()];
    for ((_, x), (_, before)) in program.outputs.iter().zip(&first.program.outputs) {
        needed[x.index()] = first.left(*before).max(needed[x.index()]);
    }
    for node in program.nodes.iter().rev() {
        let most = node.results().map(|x| needed[x.index()]).max().unwrap_or(0);
        let own = match node.op {
            Op::ToLevel { level } => level,
            Op::WeightedSum { level: Some(level), .. } => level + 1,
            _ => most + spent(&node.op),
        };
        node.operands.iter().for_each(|x| needed[x.index()] = own.max(needed[x.index()]));
    }
    let mut copy = Copy::new(program);
    let mut changed = false;
    for (_, x) in &program.inputs {
        let level = needed[x.index()];
        if level < plan.left(*x) {
            changed = true;
            let made = copy.program.push(Op::ToLevel { level }, vec![copy.of(*x)], 0)?.last();
            copy.set(*x, made.unwrap_or(*x));
        }
    }
    (0..program.nodes.len()).try_for_each(|i| copy.node(i))?;
    let made = copy.finish()?;
    Ok(changed.then_some(made))
}
