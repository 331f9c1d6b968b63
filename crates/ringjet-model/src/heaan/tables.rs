//! Tables IV, VI and X of HEAAN Demystified and Table II of Accelerating FHE.

use super::count::Function;
use super::error::HeaanError;
use super::lanes::{Instructions, LANES};
use super::shape::{Half, Residues, Shape};
use crate::published::Row;

/// Table IV of HEAAN Demystified, for one polynomial of the first half at the reference parameters:
/// 43 primes (np), 19 words per coefficient (qLimbs), 39 words of P/p_j (PLimbs).
pub(super) fn operations() -> Vec<Row> {
    let residues = Shape::avx512().region(Half::Tensor).residues;
    Function::ALL.into_iter().flat_map(|function| operations_of(&residues, function)).collect()
}

fn operations_of(residues: &Residues, function: Function) -> Vec<Row> {
    let counted = residues.operations(function);
    let [multiplications, modular, carries, additions] = printed(residues, function);
    let row = |quantity: &str, model: u64, paper: Option<u64>| {
        (model > 0 || paper.is_some())
            .then(|| Row::new(function.name(), quantity, Some(model as f64), paper.map(|n| n as f64)))
    };
    let with_limbs = |row: Row| match function {
        Function::Icrt => row.note(
            "PLimbs 39, primes taken for 58 bits long; the first primes above 2^57 make P/p_j 38 words, and this \
             2.6 % less",
        ),
        _ => row,
    };
    let second = |row: Row| match function {
        Function::Icrt => row.note("the formula has two a residue, Algorithm 5 shows one; the second is for P"),
        _ => row,
    };
    [
        row("multiplications", counted.multiplications, multiplications).map(with_limbs),
        row("modular multiplications", counted.modular, modular).map(second),
        row("additions with carry", counted.carries, carries).map(with_limbs),
        row("additions and subtractions", counted.additions, additions),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The paper's printed formulas: multiplications, modular multiplications, additions with carry,
/// additions.
fn printed(r: &Residues, function: Function) -> [Option<u64>; 4] {
    let (n, log_n) = (r.coefficients(), u64::from(r.log_n));
    match function {
        Function::Crt => [Some(n * r.limbs * r.primes), Some(n * r.primes), Some(n * r.limbs * r.primes), None],
        Function::Ntt => [None, Some(r.primes * n / 2 * log_n), None, Some(r.primes * n * log_n)],
        Function::Intt => [None, Some(r.primes * (n / 2 * log_n + n)), None, Some(r.primes * n * log_n)],
        Function::Icrt => {
            let pairs = Some(n * r.primes * r.product_limbs);
            [pairs, Some(2 * n * r.primes), pairs, None]
        }
    }
}

/// Table VI of HEAAN Demystified, and the numbers of transforms that follow from it.
pub(super) fn primes() -> Result<Vec<Row>, HeaanError> {
    let cpu = Shape::avx512();
    let in_parentheses = "the paper's value in parentheses, for its AVX-512 code";
    let sets = [
        ("primes above 2^57", cpu, Some([43, 64, 19]), in_parentheses),
        ("primes above 2^58", cpu.with_prime_bits(58)?, Some([42, 63, 19]), "the paper's other value for CPUs"),
        ("primes above 2^59", cpu.with_prime_bits(59)?, None, "as in the reference library; the paper prints 42, 63"),
        ("GPU, primes above 2^27", Shape::gpu(), Some([90, 134, 38]), "words of 32 bits"),
    ];
    let count = |entry: &str, quantity: &str, model: u64, paper: Option<u64>| {
        Row::new(entry, quantity, Some(model as f64), paper.map(|n| n as f64))
    };
    let mut rows = Vec::new();
    for (entry, shape, paper, note) in sets {
        let [tensor, key_switch] = shape.regions().map(|r| r.residues.primes);
        let (forward, inverse) = shape.transforms();
        rows.extend([
            count(entry, "primes, region 1", tensor, paper.map(|p| p[0])).note(note),
            count(entry, "primes, region 2", key_switch, paper.map(|p| p[1])).note(note),
            count(entry, "words of a coefficient (qLimbs)", shape.limbs(), paper.map(|p| p[2])),
            count(entry, "forward transforms of one prime", forward, None),
            count(entry, "inverse transforms of one prime", inverse, None),
        ]);
    }
    Ok(rows)
}

/// Table X of HEAAN Demystified, one polynomial of the first half.
pub(super) fn instructions() -> Vec<Row> {
    const NO_SPLIT: &str = "no unique decomposition";
    let shape = Shape::avx512();
    let (most, least) = (shape.region(Half::Tensor).residues, shape.region_with_least_primes(Half::Tensor).residues);
    let (emulated, native) = (Instructions::emulated(), Instructions::native());
    let row = |entry: &str, model: Option<f64>, paper: f64| Row::new(entry, "AVX-512 instructions", model, Some(paper));
    let count = |function, set| Some(most.vector_instructions(function, set));
    let lanes = |function| most.lane_operations(function) as f64 / LANES as f64 / 1e6;
    let unknown = |function: Function, paper: f64| {
        let other = lanes(function);
        let below = match function {
            Function::Intt => "; the paper has it below NTT, though Table IV charges N modular multiplications more",
            _ => "",
        };
        let note = format!("{NO_SPLIT}; the counts of Table II of Accelerating FHE make it {other:.1} million{below}");
        row(&format!("{}, emulated", function.name()), None, paper).note(note)
    };
    vec![
        unknown(Function::Crt, 155e6),
        row("NTT, emulated", count(Function::Ntt, emulated), 48e6).note("17 a butterfly"),
        unknown(Function::Intt, 47e6),
        unknown(Function::Icrt, 319e6),
        row("CRT, native", count(Function::Crt, native), 27e6)
            .note("4 for each limb in each prime; with the reduction of each residue 27.1 million"),
        row("NTT, native", count(Function::Ntt, native), 17e6).note("6 a butterfly"),
        row("iNTT, native", count(Function::Intt, native), 17e6).note("6 a butterfly, 1 a coefficient"),
        row("iCRT, native, PLimbs 38", Some(least.vector_instructions(Function::Icrt, native)), 51e6).note(
            "4 for each residue and word of P/p_j, as in CRT; the paper's value needs 36 words, too few for P/p_j",
        ),
        row("iCRT, native, PLimbs 39", count(Function::Icrt, native), 51e6)
            .note("the same with primes taken for 58 bits long"),
    ]
}

/// Table II of Accelerating FHE: a whole multiplication.
pub(super) fn lane_operations() -> Vec<Row> {
    // Operations, operations a second, and the milliseconds of Table I of the same paper.
    let printed = [(6.58e9, 489e9, 13.5), (2.10e9, 269e9, 7.8), (2.44e9, 279e9, 8.7), (17.9e9, 407e9, 44.1)];
    let shape = Shape::avx512();
    let mut rows = Vec::new();
    for (function, (operations, per_second, milliseconds)) in Function::ALL.into_iter().zip(printed) {
        let model = shape.lane_operations(function) as f64;
        let row =
            |quantity: &str, model: f64, paper: f64| Row::new(function.name(), quantity, Some(model), Some(paper));
        rows.push(row("AVX-512 lane operations", model, operations).note(lane_note(function)));
        rows.push(
            row("lane operations per second", model / (milliseconds / 1e3), per_second)
                .note("over the time of Table I, measured"),
        );
        let pairs = shape.least_pairs(function) as f64;
        if pairs > 0.0 {
            rows.push(
                row("lane operations per product of words", model / pairs, operations / pairs)
                    .note("the paper's total over the model's products; 22.39 where one factor is fitted to it"),
            );
        }
    }
    rows
}

fn lane_note(function: Function) -> &'static str {
    match function {
        Function::Crt => "20 a product of words and 12 a reduction, primes rounded up to vectors of 8",
        Function::Ntt => "17 a butterfly",
        Function::Intt => "17 a butterfly and 9 a coefficient; how the nine come about is the model's reading",
        Function::Icrt => "20 a product of words, words rounded up to vectors of 8, and 2 x 12 a residue",
    }
}
