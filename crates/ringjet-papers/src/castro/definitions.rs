//! Tables of de Castro et al. (ePrint 2021/1636) that define things: what they say in numbers,
//! beside the library's own parameters, calls and arithmetic.

use ringjet_math::prime::ntt_primes;
use ringjet_math::{BaseConversion, Basis};
use ringjet_model::Operation;

use super::configuration::{Algorithms, Configuration, Counted};
use super::error::PaperError;
use super::mapping;
use super::policy::PaperPolicy;
use super::programs::{application_by, operation};
use super::regression::{Regression, Sums};
use crate::row::Row;
use crate::sets::paper_set;

/// The names of the tables and figures of [`definitions`].
pub const DEFINITIONS: [&str; 9] = ["I", "II", "III", "VI", "IX", "X", "fig2", "fig3", "hoisted-sums"];

type Rows = Result<Vec<Row>, PaperError>;

/// The library compared with the paper: one of [`DEFINITIONS`].
///
/// * `I`: parameters of both sets of Table XI.
/// * `II`, `III`: key switches and divisions of the operations; limbs of the parts of key switching.
/// * `VI`, `fig2`: levels of the programs' parts, and iterations between bootstraps.
/// * `IX`: what one residue changes in a transform and in a base conversion, computed.
/// * `hoisted-sums`: the gain of hoisting in an iteration of logistic regression (Section V-B).
/// * `X`, `fig3`: time to read memory by limbs and by slots, simulated, and the bits of addresses.
///
/// # Errors
/// [`PaperError::UnknownTable`] if no table is called `name`.
pub fn definitions(name: &str) -> Rows {
    let rows = match name {
        "I" => parameters()?,
        "II" => operations()?,
        "III" => subroutines()?,
        "VI" => building_blocks()?,
        "IX" => dependencies()?,
        "X" => mapping::transfer_times(),
        "fig2" => iterations()?,
        "fig3" => mapping::address_bits(),
        "hoisted-sums" => hoisted_sums()?,
        _ => return Err(PaperError::UnknownTable { name: name.into(), known: DEFINITIONS.join(", ") }),
    };
    Ok(rows.into_iter().map(|row| Row { table: name.into(), ..row }).collect())
}

fn row(entry: &str, quantity: &str, model: usize, paper: usize) -> Row {
    Row::new(entry, quantity, Some(model as f64), Some(paper as f64))
}

/// Table I, for the sets of the library that follow Table XI.
fn parameters() -> Rows {
    let mut rows = vec![];
    for (name, of) in [("castro-baseline", Configuration::BASELINE), ("castro-best", Configuration::BEST)] {
        let set = paper_set(name)?;
        let (limbs, n) = (set.limbs(), 1 << set.chain.log_n);
        let digits = set.spec()?.digits.unwrap_or_default();
        let alpha = digits.iter().copied().max().unwrap_or(0);
        let stated_alpha = (of.limbs + 1).div_ceil(of.dnum);
        rows.push(row(name, "N, coefficients", n, 1 << of.log_n));
        rows.push(row(name, "n, plaintext elements of a ciphertext", n / 2, 1 << 16));
        rows.push(row(name, "L, limbs", limbs, of.limbs));
        rows.push(row(name, "dnum, digits", digits.len(), of.dnum));
        let found = row(name, "alpha, limbs of a digit", alpha, stated_alpha);
        let rounding = "digits share the limbs evenly; the source's ceil((L + 1) / dnum) counts one limb more";
        rows.push(if alpha == stated_alpha { found } else { found.note(rounding) });
        rows.push(row(name, "beta, digits of L limbs", limbs.div_ceil(alpha), (of.limbs + 1).div_ceil(stated_alpha)));
        let megabytes = (2 * n * limbs * 8) as f64 / 1e6;
        let stated = (of == Configuration::BASELINE).then_some(73.4);
        rows.push(Row::new(name, "MB of a ciphertext", Some(megabytes), stated));
    }
    Ok(rows)
}

/// Key switches, and polynomials that are divided with rounding.
fn divisions(counted: &Counted) -> (usize, usize) {
    let each = counted.trace.calls.iter().map(|call| {
        let (switches, divided) = match &call.operation {
            Operation::KeySwitch { count, .. } => (*count, 2 * count),
            Operation::DivideRound { polys, .. } => (0, *polys),
            _ => (0, 0),
        };
        (switches * call.count as usize, divided * call.count as usize)
    });
    each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Table II: Algorithms 1 to 3, and Algorithm 7.
fn operations() -> Rows {
    let (plain, merged) = (Algorithms::BASELINE, Algorithms { merged: true, ..Algorithms::BASELINE });
    let all = [
        ("PtAdd", "PtAdd", plain, (0, 0)),
        ("Add", "Add", plain, (0, 0)),
        ("PtMult", "PtMult (Algorithm 1)", plain, (0, 2)),
        ("Mult", "Mult (Algorithm 2)", plain, (1, 4)),
        ("Mult", "NewMult (Algorithm 7)", merged, (1, 2)),
        ("Rotate", "Rotate (Algorithm 3)", plain, (1, 2)),
        ("Conjugate", "Conjugate (Algorithm 3)", plain, (1, 2)),
    ];
    let mut rows = vec![];
    for (program, entry, algorithms, paper) in all {
        let (switches, divided) = divisions(&operation(program, Configuration::BASELINE, algorithms)?);
        rows.push(row(entry, "key switches", switches, paper.0));
        rows.push(row(entry, "polynomials through ModDown", divided, paper.1));
    }
    Ok(rows)
}

/// Table III: the parts of a rotation's key switch.
fn subroutines() -> Rows {
    let of = Configuration::BASELINE;
    let counted = operation("Rotate", of, Algorithms::BASELINE)?;
    let found = counted.trace.calls.iter().find_map(|call| match &call.operation {
        Operation::KeySwitch { decomposition, division, .. } => Some((decomposition, division)),
        _ => None,
    });
    let (d, division) = found.ok_or(PaperError::Configuration(of))?;
    let largest = d.digits.iter().copied().max().unwrap_or(0);
    Ok(vec![
        row("Decomp", "digits", d.beta(), 3),
        row("Decomp", "limbs of a digit", largest, 12),
        row("ModUp", "limbs of the result", d.extended(), 48).note("published: from the bytes of keys in Table IV"),
        row("KSKInnerProd", "limbs of keys", 2 * d.beta() * d.extended(), 288).note("published: 0.3020 GB in Table IV"),
        row("ModDown", "limbs before", division.from(), 48),
        row("ModDown", "limbs after", division.to(), 35),
    ])
}

/// Table VI: levels of the building blocks.
fn building_blocks() -> Rows {
    let mut rows = vec![];
    for (name, of, limbs_out) in [("Baseline", Configuration::BASELINE, 20), ("Best-case", Configuration::BEST, 19)] {
        let boot = of.bootstrap_spec();
        let matrices = of.iterations as usize;
        let entry = |block: &str| format!("{block}, {name}");
        rows.push(row(&entry("PtMatVecMult"), "levels", boot.coeffs_to_slots.len() / matrices, 1));
        rows.push(row(&entry("Bootstrap"), "levels", boot.upper_levels(), of.limbs - limbs_out));
        let radix: u32 = boot.coeffs_to_slots.iter().sum();
        rows.push(row(&entry("PtMatVecMult"), "binary logarithm of the product of radices", radix as usize, 16));
    }
    let depth = Regression::DEPTH as f64;
    let note = "the source gives no levels of these blocks; together with the update one iteration takes 5";
    rows.push(Row::new("InnerProduct, PolyEval and update", "levels", Some(depth), None).note(note));
    Ok(rows)
}

/// Figure 2: iterations of logistic regression between two bootstraps.
fn iterations() -> Rows {
    let limbs = Configuration::BASELINE.limbs_out().ok_or(PaperError::Configuration(Configuration::BASELINE))?;
    Ok(vec![row("logistic regression", "iterations between bootstraps", (limbs - 1) / Regression::DEPTH, 3)])
}

/// Section V-B: hoisting improves an iteration of logistic regression by about 35 %. The paper does
/// not say in which unit, or against which sums.
fn hoisted_sums() -> Rows {
    let settings = [
        ("Baseline", Configuration::BASELINE, Algorithms::BASELINE, PaperPolicy::BASELINE),
        ("Best-case", Configuration::BEST, Algorithms::BEST, PaperPolicy::BEST),
    ];
    let mut rows = vec![];
    for (name, of, algorithms, policy) in settings {
        let cost = |sums| {
            let counted = application_by("Full LR Iteration", of, algorithms, policy.quirks, sums)?;
            policy.cost(&counted, &[])
        };
        let (apart, hoisted) = (cost(Sums::OneByOne)?, cost(Sums::Hoisted)?);
        let figures = [
            ("10^9 operations", apart.ops() as f64 / 1e9, hoisted.ops() as f64 / 1e9),
            ("GB", apart.bytes() as f64 / 1e9, hoisted.bytes() as f64 / 1e9),
        ];
        for (quantity, apart, hoisted) in figures {
            rows.push(Row::new(format!("{name}, rotations one by one"), quantity, Some(apart), None));
            rows.push(Row::new(format!("{name}, hoisted"), quantity, Some(hoisted), None));
            let less = 100.0 * (1.0 - hoisted / apart);
            rows.push(Row::new(format!("{name}, saved"), &format!("% of {quantity}"), Some(less), Some(35.0)).note(
                "the paper states 35 % without unit or comparison; here doubling with 9 rotations against 4 hoisted rounds",
            ));
        }
    }
    Ok(rows)
}

/// Table IX: which limbs and slots of the result change when one residue of one limb changes.
fn dependencies() -> Rows {
    const LOG_N: u32 = 6;
    const FROM: usize = 3;
    const TO: usize = 5;
    let n = 1 << LOG_N;
    let primes = ntt_primes(LOG_N, 50, FROM + TO, &[]).map_err(ringjet::Error::from)?;
    let basis = |primes: &[u64]| Basis::new(LOG_N, primes).map_err(ringjet::Error::from);
    let (from, to) = (basis(&primes[..FROM])?, basis(&primes[FROM..])?);
    let conversion = BaseConversion::new(&from, &to);
    let transforms = |inverse: bool| {
        let from = &from;
        move |limbs: &[Vec<u64>]| -> Vec<Vec<u64>> {
            let one = |(limb, x): (usize, &Vec<u64>)| {
                let (mut x, table) = (x.clone(), from.primes()[limb].table());
                if inverse {
                    table.inverse(&mut x)
                } else {
                    table.forward(&mut x)
                }
                x
            };
            limbs.iter().enumerate().map(one).collect()
        }
    };
    let convert = |limbs: &[Vec<u64>]| {
        let mut out = vec![vec![0; n]; TO];
        for slot in 0..n {
            let x: Vec<u64> = limbs.iter().map(|limb| limb[slot]).collect();
            let mut y = [0; TO];
            conversion.convert(&x, &mut y);
            out.iter_mut().zip(y).for_each(|(limb, y)| limb[slot] = y);
        }
        out
    };
    let all = [
        ("NTT", changed(n, FROM, transforms(false)), (1, n)),
        ("iNTT", changed(n, FROM, transforms(true)), (1, n)),
        ("NewLimb", changed(n, FROM, convert), (TO, 1)),
    ];
    let note = "computed with N = 2^6, from 3 limbs to 5";
    Ok((all.into_iter())
        .flat_map(|(entry, found, paper)| {
            [("limbs that depend on a residue", found.0, paper.0), ("slots that depend on a residue", found.1, paper.1)]
                .map(|(quantity, found, paper)| row(entry, quantity, found, paper).note(note))
        })
        .collect())
}

/// The numbers of limbs and of slots in which the results of `f` differ, for two inputs of `limbs`
/// limbs of `n` residues that differ in one residue.
fn changed(n: usize, limbs: usize, f: impl Fn(&[Vec<u64>]) -> Vec<Vec<u64>>) -> (usize, usize) {
    let mut input: Vec<Vec<u64>> =
        (0..limbs).map(|i| (0..n).map(|j| (1000 * i + 7 * j + 1) as u64).collect()).collect();
    let before = f(&input);
    input[1][3] += 1;
    let after = f(&input);
    let differs = |limb: usize, slot: usize| before[limb][slot] != after[limb][slot];
    let limbs = (0..before.len()).filter(|&limb| (0..n).any(|slot| differs(limb, slot))).count();
    let slots = (0..n).filter(|&slot| (0..before.len()).any(|limb| differs(limb, slot))).count();
    (limbs, slots)
}
