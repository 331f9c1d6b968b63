//! What is computed once for several uses: equal operations, rotations of rotations, and the
//! decomposition of a value that is rotated several times.

use std::collections::{BTreeMap, HashMap};

use super::super::constants::Writer;
use super::super::graph::{Node, Program, Value};
use super::super::op::Op;
use super::plan::Plan;
use super::rewrite::{Copy, Expr, Replacements};
use crate::Result;

/// The program in which equal operations on equal operands are computed once.
pub(super) fn deduplicated(plan: &Plan) -> Result<Program> {
    let (mut copy, mut constants) = (Copy::new(&plan.program), Writer::default());
    let mut known: HashMap<(u8, Vec<u8>, Vec<Value>), Value> = HashMap::new();
    for (i, node) in plan.program.nodes.iter().enumerate() {
        let mut operands: Vec<Value> = node.operands.iter().map(|&x| copy.of(x)).collect();
        if matches!(node.op, Op::Add {} | Op::Mul {}) {
            operands.sort_unstable();
        }
        node.op.write(&mut constants)?;
        let key = (node.op.code(), std::mem::take(&mut constants.out), operands);
        match known.get(&key) {
            Some(&first) => node.results().zip(first.0..).for_each(|(old, new)| copy.set(old, Value(new))),
            None => {
                copy.node(i)?;
                node.results().next().map(|x| known.insert(key, copy.of(x)));
            }
        }
    }
    copy.finish()
}

/// Rotations of rotations, and rotations that several operands of an operation share.
pub(super) fn rotations(plan: &Plan) -> Replacements {
    let nodes = plan.program.nodes.iter().enumerate();
    nodes.filter_map(|(i, node)| Some((i, composed(plan, node)?))).collect()
}

fn composed(plan: &Plan, node: &Node) -> Option<Expr> {
    let x = *node.operands.first()?;
    match &node.op {
        Op::Rotate { k } if k.rem_euclid(plan.row(x)) == 0 => Some(Expr::Of(x)),
        Op::Rotate { k } => {
            let (z, j) = rotated(plan, x)?;
            Some(Expr::one(Op::Rotate { k: nearest(k.wrapping_add(j), plan.row(x)) }, Expr::Of(z)))
        }
        Op::Add {} | Op::Sub {} | Op::Mul {} => {
            let y = node.operands[1];
            let ((a, j), (b, k)) = (rotated(plan, x)?, rotated(plan, y)?);
            let alone = plan.is_single(x) && plan.is_single(y) && (j - k).rem_euclid(plan.row(x)) == 0;
            let inner = Expr::Made(node.op.clone(), vec![Expr::Of(a), Expr::Of(b)]);
            alone.then(|| Expr::one(Op::Rotate { k: j }, inner))
        }
        Op::Neg {} | Op::Conjugate {} | Op::SwapRows {} => {
            let before = plan.node(x).filter(|before| before.op.code() == node.op.code())?;
            Some(Expr::Of(before.operands[0]))
        }
        _ => None,
    }
}

/// What `x` is a rotation of, and by how much.
pub(super) fn rotated(plan: &Plan, x: Value) -> Option<(Value, i64)> {
    let node = plan.node(x)?;
    match &node.op {
        Op::Rotate { k } => Some((node.operands[0], *k)),
        Op::Rotations { ks } => Some((node.operands[0], ks[x.index() - node.first.index()])),
        _ => None,
    }
}

/// The rotation of `row` slots that equals `k` and is nearest to 0.
pub(super) fn nearest(k: i64, row: i64) -> i64 {
    let k = k.rem_euclid(row);
    if k > row / 2 { k - row } else { k }
}

/// The most rotations in one operation, which are all in memory at once.
const ROTATIONS: usize = 16;

/// The program in which rotations of a value are one operation.
pub(super) fn hoisted(plan: &Plan) -> Result<Program> {
    let mut steps: BTreeMap<Value, Vec<i64>> = BTreeMap::new();
    for node in &plan.program.nodes {
        let own = match &node.op {
            Op::Rotate { k } => std::slice::from_ref(k),
            Op::Rotations { ks } => ks,
            _ => continue,
        };
        let all = steps.entry(node.operands[0]).or_default();
        for &k in own {
            if !all.contains(&k) {
                all.push(k);
            }
        }
    }
    let mut copy = Copy::new(&plan.program);
    let mut made: HashMap<(Value, i64), Value> = HashMap::new();
    for (i, node) in plan.program.nodes.iter().enumerate() {
        let own = match &node.op {
            Op::Rotate { k } => vec![*k],
            Op::Rotations { ks } => ks.clone(),
            _ => vec![],
        };
        let ks = node.operands.first().and_then(|x| steps.get(x)).filter(|ks| !own.is_empty() && ks.len() > 1);
        let Some(ks) = ks else {
            copy.node(i)?;
            continue;
        };
        let x = node.operands[0];
        for group in ks.chunks(ROTATIONS) {
            if own.iter().any(|k| group.contains(k) && !made.contains_key(&(x, *k))) {
                let (operand, op) = (copy.of(x), Op::Rotations { ks: group.to_vec() });
                let values = copy.program.push(op, vec![operand], node.place)?;
                made.extend(group.iter().map(|&k| (x, k)).zip(values));
            }
        }
        node.results().zip(&own).for_each(|(old, &k)| copy.set(old, made[&(x, k)]));
    }
    copy.finish()
}
