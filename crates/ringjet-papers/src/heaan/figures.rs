//! Figures 6 and 7 of HEAAN Demystified: the same counts for other moduli.

use super::count::Function;
use super::error::HeaanError;
use super::shape::Shape;
use crate::row::Row;

/// The weight of a modular multiplication in the figures: the number of products in Shoup's
/// multiplication (Algorithm 2). The paper does not state the weight. With 3 or 4 the model gives
/// the paper's 24 % of Figure 7, with 1 it does not.
const SHOUP_PRODUCTS: u64 = 3;

/// A count for one function, and the count's name.
type Measure = (&'static str, fn(Shape, Function) -> u64);

const MEASURES: [Measure; 2] = [
    ("operations of Table IV", |shape, function| shape.operations(function).weighted(SHOUP_PRODUCTS)),
    ("AVX-512 lane operations", |shape, function| shape.lane_operations(function)),
];

fn total(shape: Shape, measure: Measure) -> f64 {
    Function::ALL.into_iter().map(|function| measure.1(shape, function)).sum::<u64>() as f64
}

/// Figure 6: log Q from 150 to 2400, with N in proportion (Table II of HEAAN Demystified) and
/// log q = log Q.
pub(super) fn growth() -> Result<Vec<Row>, HeaanError> {
    let shapes = [(13, 150), (14, 300), (15, 600), (16, 1200), (17, 2400)]
        .into_iter()
        .map(|(log_n, log_q)| Ok((log_q, Shape::new(log_n, log_q, log_q, 57, 64)?)))
        .collect::<Result<Vec<_>, HeaanError>>()?;
    let mut rows = Vec::new();
    for measure in MEASURES {
        for &(log_q, shape) in &shapes {
            let all = total(shape, measure);
            for function in Function::ALL {
                let share = measure.1(shape, function) as f64 / all;
                let row = Row::new(
                    format!("log Q {log_q}, {}", function.name()),
                    &format!("share of {}", measure.0),
                    Some(share),
                    None,
                );
                rows.push(if log_q == 150 { row.note("the paper's text: the four are alike here") } else { row });
            }
            let relative = all / total(Shape::avx512(), measure);
            let reference = (log_q == 1200).then_some(1.0);
            let quantity = format!("{} relative to log Q 1200", measure.0);
            rows.push(Row::new(format!("log Q {log_q}"), &quantity, Some(relative), reference));
        }
        rows.extend(exponents(&shapes, measure));
    }
    Ok(rows)
}

/// The growth of the counts from each log Q to its double, as an exponent of log Q.
fn exponents(shapes: &[(u32, Shape)], measure: Measure) -> Vec<Row> {
    let mut rows = Vec::new();
    for pair in shapes.windows(2) {
        let &[(from, small), (to, large)] = pair else { continue };
        let entry = |name: &str| format!("log Q {from} to {to}, {name}");
        let quantity = format!("power of log Q, {}", measure.0);
        let mut push = |name: &str, ratio: f64, paper, note: &str| {
            rows.push(Row::new(entry(name), &quantity, Some(ratio.log2()), paper).note(note));
        };
        for function in [Function::Crt, Function::Icrt] {
            let ratio = measure.1(large, function) as f64 / measure.1(small, function) as f64;
            push(function.name(), ratio, Some(3.0), "the paper's power is the limit for large log Q");
        }
        for function in [Function::Ntt, Function::Intt] {
            let ratio = measure.1(large, function) as f64 / measure.1(small, function) as f64;
            push(function.name(), ratio, None, "the paper: 2, and a logarithm of log Q");
        }
        push("all", total(large, measure) / total(small, measure), Some(3.0), "as for iCRT, which dominates");
    }
    rows
}

/// Figure 7: log q from 1200 down to 30 in steps of 150 and 120, Q = 2^1200.
pub(super) fn descent() -> Result<Vec<Row>, HeaanError> {
    let full = Shape::avx512();
    let mut rows = Vec::new();
    for log_q in (1..=8).rev().map(|n| 150 * n).chain([30]) {
        let shape = full.at_log_q(log_q)?;
        let entry = format!("log q {log_q}");
        let [tensor, key_switch] = shape.regions().map(|r| r.residues.primes as f64);
        let known = |primes: f64| (log_q == 1200).then_some(primes);
        rows.push(Row::new(&entry, "primes, region 1", Some(tensor), known(43.0)));
        rows.push(Row::new(&entry, "primes, region 2", Some(key_switch), known(64.0)));
        for measure in MEASURES {
            let all = total(shape, measure);
            for function in Function::ALL {
                let part = measure.1(shape, function) as f64 / total(full, measure);
                let quantity = format!("{} relative to all at log q 1200", measure.0);
                rows.push(Row::new(format!("{entry}, {}", function.name()), &quantity, Some(part), None));
            }
            let relative = Some(all / total(full, measure));
            let quantity = format!("{} relative to log q 1200", measure.0);
            rows.push(match log_q {
                1200 => Row::new(&entry, &quantity, relative, Some(1.0)),
                30 => Row::new(&entry, &quantity, relative, Some(0.24))
                    .note("a modular multiplication counts as 3 in operations of Table IV; the paper names no weight"),
                _ => Row::new(&entry, &quantity, relative, None),
            });
        }
    }
    Ok(rows)
}
