//! Where to bootstrap.
//!
//! By the eager rule an operation bootstraps each operand that has too few levels for it. A value that
//! is used twice is then bootstrapped twice, and two operands of a product are bootstrapped where one
//! bootstrap of what both come from would do. This pass states the levels of all values for a choice of
//! values that are bootstrapped once they are made; all further ones that the eager rule asks for are
//! bootstrapped once for all uses. From the choice without values it goes to better ones, by one value or
//! two at a time.

use super::super::graph::{Node, Program, Value};
use super::super::op::Op;
use super::plan::{Plan, spent};
use super::rewrite::Copy;
use crate::Result;
use crate::dynamic::Evaluator;

/// The largest absolute value that is bootstrapped.
const BOOTSTRAPPED: f64 = 1.0 + 1e-9;

/// Choices of two values are tried for at most so many values.
const PAIRED: usize = 200;

/// The levels of values.
struct Levels<'a> {
    plan: &'a Plan,
    /// The levels that a bootstrap needs, and those that it leaves.
    needed: usize,
    fresh: usize,
    /// Whether each value may be bootstrapped.
    allowed: Vec<bool>,
}

/// Whether each value is bootstrapped.
type Choice = Vec<bool>;

fn count(choice: &Choice) -> usize {
    choice.iter().filter(|&&booted| booted).count()
}

/// The program with its bootstraps as operations; `None` where none is needed.
pub(super) fn placed(plan: &Plan, eval: &Evaluator) -> Result<Option<Program>> {
    if plan.bootstraps == 0 || !plan.is_ckks() {
        return Ok(None);
    }
    let Some(levels) = Levels::new(plan, eval)? else { return Ok(None) };
    levels.best().map(|choice| written(plan, &choice)).transpose()
}

impl<'a> Levels<'a> {
    fn new(plan: &'a Plan, eval: &Evaluator) -> Result<Option<Self>> {
        let log_slots = plan.cts.first().map_or(0, |ct| ct.log_slots());
        let needed = eval.params().bootstrapping(log_slots)?.input;
        let is_small = |ct: &crate::dynamic::Ciphertext| ct.noise().range().largest_part() <= BOOTSTRAPPED;
        let allowed: Vec<bool> = plan.cts.iter().map(is_small).collect();
        let Some(example) = plan.cts.iter().find(|ct| is_small(ct) && ct.budget().left >= needed) else {
            return Ok(None);
        };
        let fresh = eval.bootstrap(example, false, |_, _| true)?.budget().left;
        Ok(Some(Self { plan, needed, fresh, allowed }))
    }

    /// The levels with these values bootstrapped once they are made; `None` where levels do not suffice.
    fn choose(&self, mut booted: Vec<bool>) -> Option<Choice> {
        let program = &self.plan.program;
        // the second time all bootstraps are known before their values are used
        for last in [false, true] {
            let mut levels = vec![0; program.values()];
            for (_, x) in &program.inputs {
                levels[x.index()] = self.plan.left(*x);
            }
            for node in &program.nodes {
                let made = self.step(node, &levels, &mut booted)?;
                node.results().for_each(|x| levels[x.index()] = made);
            }
            let usable = |i: usize| !booted[i] || levels[i] >= self.needed;
            if !(0..levels.len()).all(usable) {
                return None;
            }
            if last {
                let enough = |x: Value| levels[x.index()] >= self.plan.left(x);
                return program.outputs.iter().all(|(_, x)| enough(*x)).then_some(booted);
            }
        }
        None
    }

    /// The levels of an operation's results.
    fn step(&self, node: &Node, levels: &[usize], booted: &mut [bool]) -> Option<usize> {
        let spent = spent(&node.op);
        let rule = !matches!(node.op, Op::WeightedSum { .. } | Op::ToLevel { .. }) && spent > 0;
        let mut lowest = usize::MAX;
        for x in &node.operands {
            let i = x.index();
            let own = if booted[i] { self.fresh } else { levels[i] };
            let due = rule && own < self.needed + spent && spent <= self.fresh - self.needed;
            if due && !booted[i] {
                booted[i] = self.allowed[i].then_some(true)?;
            }
            lowest = lowest.min(if booted[i] { self.fresh } else { own });
        }
        match node.op {
            Op::Bootstrap { .. } | Op::BootstrapMany { .. } => Some(self.fresh),
            Op::ToLevel { level } | Op::WeightedSum { level: Some(level), .. } => (level <= lowest).then_some(level),
            _ => lowest.checked_sub(spent),
        }
    }

    fn best(&self) -> Option<Choice> {
        let mut best = self.choose(vec![false; self.plan.program.values()])?;
        let mut forced = vec![false; self.plan.program.values()];
        let values: Vec<usize> = (0..forced.len()).filter(|&i| self.allowed[i]).collect();
        let pairs = if values.len() <= PAIRED { values.len() } else { 0 };
        let pairs = (0..pairs).flat_map(|n| values[n + 1..].iter().map(|&j| vec![values[n], j]).collect::<Vec<_>>());
        for also in values.iter().map(|&i| vec![i]).chain(pairs) {
            let mut all = forced.clone();
            also.into_iter().for_each(|i| all[i] = true);
            if let Some(choice) = self.choose(all.clone()).filter(|choice| count(choice) < count(&best)) {
                (forced, best) = (all, choice);
            }
        }
        Some(best)
    }
}

/// The program with a bootstrap after each chosen value. Results of the program are not bootstrapped.
fn written(plan: &Plan, choice: &Choice) -> Result<Program> {
    let mut copy = Copy::new(&plan.program);
    let mut plain = vec![None; plan.program.values()];
    let mut refresh = |copy: &mut Copy<'_>, x: Value, place: u32| -> Result<()> {
        if choice[x.index()] {
            let old = copy.of(x);
            plain[x.index()] = Some(old);
            let range = plan.ct(x).noise().range();
            let (real, low, high) = (range.is_real(), range.low(), range.high());
            let mut made = copy.program.push(Op::Bootstrap { real }, vec![old], place)?.last();
            if real && low != -high {
                // a bootstrap of real values keeps the larger of the two bounds only
                made = copy.program.push(Op::Within { low, high }, made.into_iter().collect(), place)?.last();
            }
            copy.set(x, made.unwrap_or(old));
        }
        Ok(())
    };
    for (_, x) in &plan.program.inputs {
        refresh(&mut copy, *x, 0)?;
    }
    for (i, node) in plan.program.nodes.iter().enumerate() {
        copy.node(i)?;
        node.results().try_for_each(|x| refresh(&mut copy, x, node.place))?;
    }
    for (x, old) in plain.into_iter().enumerate() {
        if let Some(old) = old.filter(|_| plan.output[x]) {
            copy.set(Value(x as u32), old);
        }
    }
    copy.finish()
}
