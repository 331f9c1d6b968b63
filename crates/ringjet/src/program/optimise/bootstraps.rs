//! Where to bootstrap.
//!
//! By the eager rule an operation bootstraps each operand that has too few levels for it. A value that
//! is used twice is then bootstrapped twice, and two operands of a product are bootstrapped where one
//! bootstrap of what both come from would do. This pass finds the placement that takes the least work: a
//! shortest path. Its points are the levels of all values that are still needed, after each value that
//! the program makes. From a point two ways go on: the value is bootstrapped, for all its uses, or it is
//! not. A way is as long as the work of the operation on these levels, and of the bootstrap.
//!
//! Of points with the same levels only the nearest is kept. A point is dropped if one of the [`COMPARED`]
//! nearest has at least its levels everywhere. In programs with many values at a time the [`POINTS`] nearest
//! are kept; the path is the shortest where there are never more.

use std::collections::HashSet;

use super::super::graph::{Program, Value};
use super::super::levels::{self, bootstraps_operands, spent};
use super::super::op::Op;
use super::plan::{Plan, counted};
use super::rewrite::Copy;
use crate::Result;
use crate::dynamic::{Ciphertext, Evaluator};

/// The largest absolute value that is bootstrapped.
const BOOTSTRAPPED: f64 = 1.0 + 1e-9;

/// The points that are kept after each value.
const POINTS: usize = 1000;

/// A point is compared with so many nearer ones.
const COMPARED: usize = 100;

/// The program with its bootstraps as operations; `None` where none is needed.
pub(super) fn placed(plan: &Plan, eval: &Evaluator) -> Result<Option<Program>> {
    // a sine stays where it is: it changes the values
    if plan.bootstraps == 0 || !plan.is_ckks() || eval.params().has_sine() {
        return Ok(None);
    }
    let Some(graph) = Graph::new(plan, eval)? else { return Ok(None) };
    graph.shortest().map(|chosen| written(plan, &chosen)).transpose()
}

/// What the ways from point to point depend on.
struct Graph<'a> {
    plan: &'a Plan,
    /// The levels that a bootstrap needs, and those that it leaves.
    needed: usize,
    fresh: usize,
    /// The work of a bootstrap.
    work: f64,
    /// The residues of a ciphertext are its levels and these.
    other_residues: f64,
    /// Whether each value may be bootstrapped.
    allowed: Vec<bool>,
    /// The levels of each value below which some use bootstraps it.
    least: Vec<usize>,
    /// The levels of each value that suffice up to the results.
    enough: Vec<usize>,
}

/// The levels of the values that are still needed, and the shortest path there.
struct Point {
    levels: Vec<usize>,
    work: f64,
    /// The last bootstrap on the path, by its position in [`Path`].
    bootstrapped: Option<usize>,
}

/// Bootstrapped values, each with the one before it.
type Path = Vec<(Option<usize>, usize)>;

impl<'a> Graph<'a> {
    fn new(plan: &'a Plan, eval: &Evaluator) -> Result<Option<Self>> {
        // an operand that the program bootstraps, for its number of slots
        let due = plan.costs.iter().position(|(bootstraps, _)| *bootstraps > 0);
        let Some(due) = due.and_then(|i| plan.program.nodes[i].operands.first()) else { return Ok(None) };
        let log_slots = plan.ct(*due).log_slots();
        let needed = eval.params().bootstrapping(log_slots)?.input;
        let is_small = |ct: &Ciphertext| ct.noise().range().largest_part() <= BOOTSTRAPPED;
        let serves = |ct: &&Ciphertext| is_small(ct) && ct.budget().left >= needed && ct.log_slots() == log_slots;
        let Some(example) = plan.cts.iter().find(serves) else { return Ok(None) };
        // the first bootstrap also makes its matrices
        eval.bootstrap(example, false, |_, _| true)?;
        let (made, work) = counted(eval, || eval.bootstrap(example, false, |_, _| true))?;
        let (fresh, program) = (made.budget().left, &plan.program);
        let (mut least, mut enough) = (vec![0; program.values()], vec![0; program.values()]);
        for (_, x) in &program.outputs {
            enough[x.index()] = plan.left(*x);
        }
        for node in program.nodes.iter().rev() {
            let (spent, most) = (spent(&node.op), node.results().map(|x| enough[x.index()]).max().unwrap_or(0));
            let bootstraps = bootstraps_operands(&node.op) && spent <= fresh - needed;
            let kept = if bootstraps || node.op.is_bootstrap() { needed } else { 0 };
            let own = levels::needed(&node.op, most, kept);
            for x in &node.operands {
                enough[x.index()] = own.max(enough[x.index()]);
                least[x.index()] = least[x.index()].max(if bootstraps { needed + spent } else { 0 });
            }
        }
        let allowed = plan.cts.iter().map(is_small).collect();
        let other_residues = (example.budget().modulus_log2 / 50.0 - example.budget().left as f64).max(1.0);
        Ok(Some(Self { plan, needed, fresh, work: work as f64, other_residues, allowed, least, enough }))
    }

    /// Whether each value is bootstrapped on the shortest path; `None` where levels do not suffice.
    fn shortest(&self) -> Option<Vec<bool>> {
        let program = &self.plan.program;
        let mut live: Vec<usize> = program.inputs.iter().map(|(_, x)| x.index()).collect();
        let levels = program.inputs.iter().map(|(_, x)| self.plan.left(*x)).collect();
        let (mut points, mut path) = (vec![Point { levels, work: 0.0, bootstrapped: None }], vec![]);
        for (place, &x) in live.iter().enumerate() {
            points = self.ways(points, &mut path, place, x);
        }
        for (i, node) in program.nodes.iter().enumerate() {
            let places: Vec<usize> =
                node.operands.iter().filter_map(|x| live.iter().position(|y| *y == x.index())).collect();
            points.retain_mut(|point| {
                let lowest = places.iter().map(|&p| point.levels[p]).min().unwrap_or(self.fresh);
                let made = self.made(&node.op, lowest);
                let made =
                    made.filter(|&m| node.results().all(|x| !self.plan.output[x.index()] || m >= self.plan.left(x)));
                point.work += self.work_of(i, lowest);
                point.levels.extend(node.results().filter_map(|_| made));
                made.is_some()
            });
            for x in node.results() {
                live.push(x.index());
                points = self.ways(points, &mut path, live.len() - 1, x.index());
            }
            let kept: Vec<bool> =
                live.iter().map(|&x| self.plan.users[x].last().is_some_and(|&user| user > i)).collect();
            retain(&mut live, &kept);
            points.iter_mut().for_each(|point| retain(&mut point.levels, &kept));
            points = nearest(points);
        }
        let mut chosen = vec![false; program.values()];
        let mut at = points.first()?.bootstrapped;
        while let Some((before, x)) = at.map(|i| path[i]) {
            chosen[x] = true;
            at = before;
        }
        Some(chosen)
    }

    /// The ways on from points where value `x` was made.
    fn ways(&self, points: Vec<Point>, path: &mut Path, place: usize, x: usize) -> Vec<Point> {
        let mut next = Vec::with_capacity(points.len());
        for point in points {
            let own = point.levels[place];
            if self.allowed[x] && own >= self.needed && own < self.enough[x] {
                path.push((point.bootstrapped, x));
                let mut levels = point.levels.clone();
                levels[place] = self.fresh;
                let work = point.work + self.work;
                next.push(Point { levels, work, bootstrapped: Some(path.len() - 1) });
            }
            if own >= self.least[x] {
                next.push(point);
            }
        }
        nearest(next)
    }

    /// The levels of an operation's results, from the lowest of its operands.
    fn made(&self, op: &Op, lowest: usize) -> Option<usize> {
        match op {
            _ if op.is_bootstrap() => (lowest >= self.needed).then_some(self.fresh),
            Op::ToLevel { level } => (*level <= lowest).then_some(*level),
            Op::WeightedSum { level: Some(level), .. } | Op::WeightedSums { level: Some(level), .. } => {
                (*level < lowest).then_some(*level)
            }
            _ => lowest.checked_sub(spent(op)),
        }
    }

    /// The work of an operation on operands with these levels, without bootstraps of operands.
    fn work_of(&self, node: usize, lowest: usize) -> f64 {
        let ((bootstraps, work), op) = (self.plan.costs[node], &self.plan.program.nodes[node].op);
        if op.is_bootstrap() {
            return work as f64;
        }
        let own = (work as f64 - bootstraps as f64 * self.work).max(0.0);
        let operands = self.plan.program.nodes[node].operands.iter().map(|x| self.plan.left(*x));
        let planned = if bootstraps > 0 { self.fresh } else { operands.min().unwrap_or(lowest) };
        own * (lowest as f64 + self.other_residues) / (planned as f64 + self.other_residues)
    }
}

fn retain(all: &mut Vec<usize>, kept: &[bool]) {
    let mut kept = kept.iter();
    all.retain(|_| kept.next().is_some_and(|&keep| keep));
}

/// The nearest points, in order, without those that are farther than another one and have no level more.
fn nearest(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.work.total_cmp(&b.work));
    let mut known = HashSet::new();
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        let above = |other: &Point| other.levels.iter().zip(&point.levels).all(|(a, b)| a >= b);
        if kept.len() < POINTS && !kept.iter().take(COMPARED).any(above) && known.insert(point.levels.clone()) {
            kept.push(point);
        }
    }
    kept
}

/// The program with a bootstrap after each chosen value. Results of the program are not bootstrapped.
fn written(plan: &Plan, chosen: &[bool]) -> Result<Program> {
    let mut copy = Copy::new(&plan.program);
    let mut plain = vec![None; plan.program.values()];
    let mut refresh = |copy: &mut Copy<'_>, x: Value, place: u32| -> Result<()> {
        if chosen[x.index()] {
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
