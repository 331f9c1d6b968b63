//! Polynomials of one value, however they are written, as one operation.

use std::sync::Arc;

use super::super::graph::{Node, Value};
use super::super::op::Op;
use super::plan::Plan;
use super::rewrite::{Expr, Replacements};
use crate::circuits::{Basis, Polynomial};
use crate::dynamic::Scalar;

/// The largest degree that is found.
const DEGREE: usize = 63;

/// The largest coefficient of an exact scheme, which doubles hold exactly.
const WHOLE: f64 = (1u64 << 53) as f64;

/// A value as a polynomial of another one.
#[derive(Clone)]
struct Form {
    base: Value,
    coefficients: Vec<f64>,
}

impl Form {
    fn of(base: Value) -> Self {
        Self { base, coefficients: vec![0.0, 1.0] }
    }

    fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    fn plus(&self, other: &Self, sign: f64) -> Option<Self> {
        let at = |form: &Self, i: usize| form.coefficients.get(i).copied().unwrap_or(0.0);
        let len = self.coefficients.len().max(other.coefficients.len());
        let coefficients = (0..len).map(|i| at(self, i) + sign * at(other, i)).collect();
        (self.base == other.base).then_some(Self { base: self.base, coefficients })
    }

    fn shifted(mut self, c: f64) -> Self {
        self.coefficients[0] += c;
        self
    }

    fn scaled(mut self, c: f64) -> Self {
        self.coefficients.iter_mut().for_each(|x| *x *= c);
        self
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let degree = self.degree() + other.degree();
        if self.base != other.base || degree > DEGREE {
            return None;
        }
        let mut coefficients = vec![0.0; degree + 1];
        for (i, a) in self.coefficients.iter().enumerate() {
            other.coefficients.iter().enumerate().for_each(|(j, b)| coefficients[i + j] += a * b);
        }
        Some(Self { base: self.base, coefficients })
    }
}

pub(super) fn found(plan: &Plan) -> Replacements {
    let mut forms: Vec<Form> = (0..plan.program.values() as u32).map(|x| Form::of(Value(x))).collect();
    for node in &plan.program.nodes {
        if let Some(form) = form(&forms, node).filter(|form| is_exact(plan, form)) {
            forms[node.first.index()] = form;
        }
    }
    let is_root = |x: Value| {
        let form = &forms[x.index()];
        let inside = |&i: &usize| plan.program.nodes[i].results().any(|y| forms[y.index()].base == form.base);
        form.base != x && form.degree() > 1 && (plan.output[x.index()] || !plan.users[x.index()].iter().all(inside))
    };
    let nodes = plan.program.nodes.iter().enumerate().filter(|(_, node)| is_root(node.first));
    nodes.filter_map(|(i, node)| Some((i, polynomial(plan, node.first, &forms[node.first.index()])?))).collect()
}

fn number(c: Scalar) -> f64 {
    match c {
        Scalar::Number(c) => c,
        Scalar::Integer(c) => c as f64,
    }
}

/// What an operation makes of polynomials of one value.
fn form(forms: &[Form], node: &Node) -> Option<Form> {
    let of = |i: usize| &forms[node.operands[i].index()];
    let x = of(0).clone();
    match &node.op {
        Op::Neg {} => Some(x.scaled(-1.0)),
        Op::Add {} => x.plus(of(1), 1.0),
        Op::Sub {} => x.plus(of(1), -1.0),
        Op::Mul {} => x.times(of(1)),
        Op::AddScalar { c } => Some(x.shifted(number(*c))),
        Op::SubScalar { c } => Some(x.shifted(-number(*c))),
        Op::MulScalar { c } => Some(x.scaled(number(*c))),
        Op::Power { n } if *n > 0 && *n as usize <= DEGREE => (1..*n).try_fold(x.clone(), |made, _| made.times(&x)),
        Op::Polynomial { p } if p.basis() == Basis::Power && p.slope().is_none() => {
            let zero = Form { base: x.base, coefficients: vec![0.0] };
            p.coefficients().iter().rev().try_fold(zero, |made, &c| Some(made.times(&x)?.shifted(c)))
        }
        Op::WeightedSum { weights, .. } if weights.iter().all(|w| w.im == 0.0) => {
            let zero = Form { base: x.base, coefficients: vec![0.0] };
            let mut terms = weights.iter().enumerate();
            terms.try_fold(zero, |made, (i, w)| made.plus(of(i), w.re))
        }
        _ => None,
    }
}

/// Whether coefficients are finite, and in exact schemes whole numbers that doubles hold.
fn is_exact(plan: &Plan, form: &Form) -> bool {
    let whole = plan.modulus().is_some();
    form.coefficients.iter().all(|c| c.is_finite() && (!whole || c.abs() < WHOLE))
}

fn polynomial(plan: &Plan, x: Value, form: &Form) -> Option<Expr> {
    let p = Polynomial::new(Basis::Power, &form.coefficients).ok().filter(|p| p.degree() > 1)?;
    let node = plan.node(x)?;
    // a polynomial already, or a product that takes fewer levels
    let known = matches!(node.op, Op::Polynomial { .. }) && node.operands[0] == form.base;
    let deeper =
        plan.is_ckks() && plan.left(form.base) >= plan.left(x) && p.depth() > plan.left(form.base) - plan.left(x);
    (!known && !deeper).then(|| Expr::one(Op::Polynomial { p: Arc::new(p) }, Expr::Of(form.base)))
}
