//! Splits each call into parts with their costs.

use ringjet_cpu::blocking;

use super::big;
use super::limbs::{Limbs, part};
use super::policy::{Caching, Policy};
use super::resident;
use super::sums::rotate_sum;
use super::switches::Switches;
use crate::{Cost, Operation, Ops, Part};

/// The largest number of words of a limb in one part of a transform. A HEAAN product handles the
/// same part of all limbs of a prime at once.
const PART: usize = 1 << 12;

/// The parts of a call and their costs, at ring degree `n`.
pub fn parts(operation: &Operation, n: usize, policy: Policy) -> Vec<Part> {
    let of = Limbs { n: n as u64, policy };
    let mut parts = match *operation {
        Operation::KeySwitch { .. } => key_switch(of, operation),
        Operation::HoistedRotations { .. } => match switches(operation) {
            Some(s) => of.hoisted_rotations(&s),
            None => vec![],
        },
        Operation::HoistedRotateSum(ref s) => rotate_sum(of, s),
        Operation::RotateInto { ref decomposition, accumulate } => of.rotate_into(decomposition, accumulate),
        Operation::BigPrepare { digits, words, limbs, primes } => big::prepare(of, digits, words, limbs, primes),
        Operation::BigMul(ref m) => big::mul(of, m),
        _ => vec![part(operation.name(), single(of, operation))],
    };
    if policy.caching() == Some(Caching::Resident) {
        resident::keep(of, operation, &mut parts);
    }
    if let Some(first) = parts.first_mut() {
        first.cost.launches = 1;
    }
    parts
}

/// The cost of an operation that has one part.
fn single(of: Limbs, operation: &Operation) -> Cost {
    match *operation {
        Operation::Upload { limbs } => of.traffic(0, limbs),
        Operation::Copy { limbs } => of.traffic(limbs, limbs),
        Operation::Expand { limbs, words } => Cost { reads: words as u64, ..of.traffic(0, limbs) },
        Operation::IntegerFactors { limbs, words } => {
            // a residue takes an addition, for coefficients of 32 bits modulo larger primes
            Cost { writes: words as u64, ..of.forward(limbs) + of.products(0, limbs) }
        }
        Operation::Ntt { limbs } => of.forward(limbs) + of.traffic(limbs, limbs),
        Operation::Intt { limbs } => of.inverse(limbs) + of.traffic(limbs, limbs),
        Operation::Lincomb { limbs, plain, scaled, accumulate } => of.lincomb(limbs, [plain, scaled], accumulate),
        Operation::Gemm { rows, terms, limbs, accumulate } => of.gemm([rows, terms], limbs, accumulate),
        Operation::ClassProducts { rows, polys, limbs } => of.class_products(rows, polys, limbs),
        Operation::Mul { limbs, factor, accumulate } => of.mul_acc(limbs, 1, factor, accumulate),
        Operation::Automorphism { limbs } => of.automorphisms(limbs) + of.traffic(limbs, limbs),
        Operation::BaseConvert { polys, from, to } => {
            of.convert(from, to) * polys as u64 + of.traffic(polys * from, polys * to)
        }
        Operation::Tensor { limbs, .. } => of.tensor(limbs),
        Operation::MulAcc { limbs, pairs, factors, accumulate } => of.mul_acc(limbs, pairs, factors, accumulate),
        Operation::ModUp(ref d) => of.mod_up(d, true),
        Operation::KeyInnerProduct { digits, limbs } => of.inner_product(digits, limbs, digits * limbs, 2 * limbs),
        Operation::CrtSplit { polys, words, primes } => {
            of.split(polys * words, primes) + of.traffic(polys * words, polys * primes)
        }
        Operation::CrtJoin { polys, primes, words } => {
            of.join(polys, primes, polys * words) + of.traffic(polys * primes, polys * words)
        }
        Operation::ShiftRound { from, to } => of.products(0, to) + of.traffic(from, to),
        Operation::BigLincomb { limbs, read, scaled } => {
            let sums = read.saturating_sub(limbs) + limbs; // with the carry
            let elementwise = Ops { mul: of.words(scaled), add: of.words(sums) };
            Cost { elementwise, ..of.traffic(read, limbs) }
        }
        Operation::BigAutomorphism { limbs } => of.traffic(limbs, limbs),
        Operation::DivideRound { polys, ref division, add } => of.division(polys, division, add, false),
        // these calls have several parts
        Operation::KeySwitch { .. }
        | Operation::HoistedRotations { .. }
        | Operation::HoistedRotateSum(_)
        | Operation::RotateInto { .. }
        | Operation::BigPrepare { .. }
        | Operation::BigMul(_) => Cost::default(),
    }
}

/// The key switches of a call, without the products before them; `None` if the call has none.
fn switches(operation: &Operation) -> Option<Switches<'_>> {
    Some(match operation {
        Operation::KeySwitch { count, products, decomposition, hoisted, division, add, automorphism } => Switches {
            decomposition,
            division,
            count: *count,
            one_key: true,
            ready: *hoisted,
            // a product has three polynomials: one is switched, two are added
            add: if products.is_empty() { add / (*count).max(1) } else { 2 },
            automorphism: *automorphism,
        },
        Operation::HoistedRotations { count, decomposition, division, add } => Switches {
            decomposition,
            division,
            count: *count,
            one_key: false,
            ready: true,
            add: *add,
            automorphism: true,
        },
        _ => return None,
    })
}

fn key_switch(of: Limbs, operation: &Operation) -> Vec<Part> {
    let (Some(s), Operation::KeySwitch { products, add, .. }) = (switches(operation), operation) else { return vec![] };
    if products.is_empty() {
        return of.switches(&s);
    }
    // products are computed before the key switch
    let l = s.decomposition.limbs();
    let mut tensors: Cost = products.iter().map(|&terms| sum_of_tensors(of, l, terms)).sum();
    if *add > 0 {
        tensors += of.lincomb(add * l, [1, 0], true);
    }
    let mut parts = vec![part("tensor", tensors)];
    if of.policy.is_cpu() {
        // polynomials are switched one after the other
        let one = of.switches(&Switches { count: 1, ..s });
        parts.extend(one.into_iter().map(|p| Part { cost: p.cost * s.count as u64, ..p }));
    } else {
        parts.extend(of.switches(&s));
    }
    parts
}

/// A sum of products of ciphertexts, with three polynomials of `l` limbs.
fn sum_of_tensors(of: Limbs, l: usize, terms: usize) -> Cost {
    if terms == 1 {
        return of.tensor(l);
    }
    [terms, 2 * terms, terms].map(|pairs| of.mul_acc(l, pairs, pairs * l, false)).into_iter().sum()
}

/// Words of intermediate results between the steps on one prime, for all threads together, at ring
/// degree `n`. They decide which cache serves [`Cost::near_reads`].
pub fn between(operation: &Operation, n: usize, policy: Policy) -> usize {
    let words = match operation {
        Operation::BigMul(shape) => shape.of_prime() * n.min(PART),
        Operation::KeySwitch { .. } | Operation::HoistedRotations { .. } => {
            let rows = |s: Switches<'_>| s.rows() + if s.automorphism { 0 } else { 2 * s.count };
            let batch = |s: &Switches<'_>| {
                blocking::rotations_per_batch(s.decomposition.beta() * s.decomposition.extended() * n).min(s.count)
            };
            let together =
                switches(operation).map(|s| Switches { count: if s.one_key { s.count } else { batch(&s) }, ..s });
            together.map_or(0, rows) * n
        }
        Operation::RotateInto { decomposition, .. } => decomposition.beta() * n,
        _ => n,
    };
    policy.threads() * words
}
