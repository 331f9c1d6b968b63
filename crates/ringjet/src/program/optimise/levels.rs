//! Inputs and bootstrapped values at the lowest levels that serve.
//!
//! Where results would have more levels than those of the program as written, or bootstraps more than they
//! need, the levels are spent on inputs and on bootstrapped values: all operations that follow then work
//! on fewer residues.

use super::super::graph::{Program, Value};
use super::super::levels;
use super::super::op::Op;
use super::plan::Plan;
use super::rewrite::Copy;
use crate::Result;
use crate::dynamic::Evaluator;

/// The program on lowered values, whose results have the levels of the plan `first`; `None` where no value
/// has levels to spare, and where operations bootstrap their operands.
pub(super) fn lowered(plan: &Plan, first: &Plan, eval: &Evaluator) -> Result<Option<Program>> {
    let program = &plan.program;
    let stated = program.nodes.iter().filter(|node| node.op.is_bootstrap()).map(|node| node.operands.len()).sum();
    if !plan.is_ckks() || plan.bootstraps > stated {
        return Ok(None);
    }
    // the levels below which operations bootstrap their operands
    let log_slots = plan.cts.first().map_or(0, |ct| ct.log_slots());
    let kept = eval.params().bootstrapping(log_slots).map_or(0, |bootstrapping| bootstrapping.input);
    let mut needed = vec![0; program.values()];
    for ((_, x), (_, before)) in program.outputs.iter().zip(&first.program.outputs) {
        needed[x.index()] = first.left(*before).max(needed[x.index()]);
    }
    for node in program.nodes.iter().rev() {
        let most = node.results().map(|x| needed[x.index()]).max().unwrap_or(0);
        let own = levels::needed(&node.op, most, kept);
        node.operands.iter().for_each(|x| needed[x.index()] = own.max(needed[x.index()]));
    }
    let mut copy = Copy::new(program);
    let mut changed = false;
    let mut lower = |copy: &mut Copy<'_>, x: Value, place: u32| -> Result<()> {
        let level = needed[x.index()];
        if level < plan.left(x) {
            changed = true;
            let old = copy.of(x);
            let made = copy.program.push(Op::ToLevel { level }, vec![old], place)?.last();
            copy.set(x, made.unwrap_or(old));
        }
        Ok(())
    };
    for (_, x) in &program.inputs {
        lower(&mut copy, *x, 0)?;
    }
    for (i, node) in program.nodes.iter().enumerate() {
        copy.node(i)?;
        if node.op.is_bootstrap() {
            node.results().try_for_each(|x| lower(&mut copy, x, node.place))?;
        }
    }
    let made = copy.finish()?;
    Ok(changed.then_some(made))
}
