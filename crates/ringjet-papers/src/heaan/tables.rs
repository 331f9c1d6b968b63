//! Tables IV, VI and X of HEAAN Demystified and Table II of Accelerating FHE.

use super::count::Function;
use super::error::HeaanError;
use super::kernels::Modular;
use super::lanes::{Instructions, LANES};
use super::shape::{Half, Region, Residues, Shape};
use crate::row::Row;

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

/// Table X of HEAAN Demystified, one polynomial of the first half. "By kernel" is what the kernels
/// of bench/heaan execute; "by formula" counts only what the paper's text names.
pub(super) fn instructions() -> Vec<Row> {
    let shape = Shape::avx512();
    let (most, least) = (shape.region(Half::Tensor).residues, shape.region_with_least_primes(Half::Tensor).residues);
    let (emulated, native) = (Instructions::emulated(), Instructions::native());
    let row = |entry: &str, model: f64, paper: f64| Row::new(entry, "AVX-512 instructions", Some(model), Some(paper));
    let count = |function, set| most.vector_instructions(function, set);
    let mut rows = Vec::new();
    for (function, paper) in Function::ALL.into_iter().zip([155e6, 48e6, 47e6, 319e6]) {
        for modular in Modular::PAPERS {
            let entry = format!("{}, emulated, by kernel, {}", function.name(), modular.variant());
            let model = least.kernel_instructions(function, modular) as f64;
            rows.push(row(&entry, model, paper).note(kernel_note(&least, function, modular)));
        }
        if function == Function::Ntt {
            let note = "17 a butterfly: AVX-M without the last corrections";
            rows.push(row("NTT, emulated, by formula", count(function, emulated), paper).note(note));
        }
    }
    rows.extend([
        row("CRT, native", count(Function::Crt, native), 27e6)
            .note("4 for each limb in each prime; with the reduction of each residue 27.1 million"),
        row("NTT, native", count(Function::Ntt, native), 17e6).note("6 a butterfly"),
        row("iNTT, native", count(Function::Intt, native), 17e6).note("6 a butterfly, 1 a coefficient"),
        row("iCRT, native, PLimbs 38", least.vector_instructions(Function::Icrt, native), 51e6).note(
            "4 for each residue and word of P/p_j, as in CRT; the paper's value needs 36 words, too few for P/p_j",
        ),
        row("iCRT, native, PLimbs 39", count(Function::Icrt, native), 51e6)
            .note("the same with primes taken for 58 bits long"),
    ]);
    rows
}

/// Why a kernel executes more or fewer instructions than Table X has, with the counts that decide
/// it, in millions.
fn kernel_note(r: &Residues, function: Function, modular: Modular) -> String {
    let millions = |n: u64| format!("{:.1} million", n as f64 / 1e6);
    let (n, exact) = (r.coefficients(), modular == Modular::Exact);
    let (lines, butterflies) = (r.primes * n / LANES, r.primes * r.butterflies() / LANES);
    match function {
        Function::Crt => {
            let vectors = n * r.primes.div_ceil(LANES);
            format!(
                "18 for a product added to a sum, where the paper's text has 20: no carry leaves the upper word of the \
                 sum ({} fewer); {} for the reduction of eight sums. 20 and 14 would give {}, the printed value",
                millions(2 * r.limbs * vectors),
                if exact { 39 } else { 34 },
                millions((20 * r.limbs + 14) * vectors)
            )
        }
        Function::Ntt if exact => format!(
            "21 a butterfly with the exact modular multiplication of 16; the printed value is that of AVX-M, 17 a \
             butterfly ({}), without last corrections",
            millions(17 * butterflies)
        ),
        Function::Ntt => format!(
            "17 a butterfly ({}), and 6 for each eight residues that bring results below p ({}), which the printed value \
             leaves out",
            millions(17 * butterflies),
            millions(6 * lines)
        ),
        Function::Intt => format!(
            "{} a butterfly, and {} for each eight residues that divide by N ({}). The printed value is below that of \
             NTT, so it cannot have the division that Table IV charges; 17 a butterfly alone are {}",
            if exact { 21 } else { 17 },
            if exact { 18 } else { 16 },
            millions(if exact { 18 } else { 16 } * lines),
            millions(17 * butterflies)
        ),
        Function::Icrt => {
            let products = n * r.primes * r.product_limbs.div_ceil(LANES);
            format!(
                "18 for a product added to a sum ({}). The printed value needs 22 ({}) and 26 for each eight residues ({}); \
                 the paper's text has 20. The scalar sum of the words, and its reduction modulo P, are in neither count",
                millions(18 * products),
                millions(22 * products),
                millions(26 * lines)
            )
        }
    }
}

/// Table II of Accelerating FHE: a whole multiplication. DRAM bandwidth is of the second half.
pub(super) fn lane_operations() -> Vec<Row> {
    // Operations, operations a second, bytes of DRAM a second, and the milliseconds of Table I of the
    // same paper.
    let printed = [
        (6.58e9, 489e9, 13.0e9, 13.5),
        (2.10e9, 269e9, 54.4e9, 7.8),
        (2.44e9, 279e9, 53.8e9, 8.7),
        (17.9e9, 407e9, 46.5e9, 44.1),
    ];
    let shape = Shape::avx512();
    let mut rows = Vec::new();
    for (function, (operations, per_second, bytes, milliseconds)) in Function::ALL.into_iter().zip(printed) {
        let (model, seconds) = (shape.lane_operations(function) as f64, milliseconds / 1e3);
        let row =
            |quantity: &str, model: f64, paper: f64| Row::new(function.name(), quantity, Some(model), Some(paper));
        rows.push(row("AVX-512 lane operations", model, operations).note(lane_note(function)));
        rows.push(
            row("lane operations per second", model / seconds, per_second).note("over the time of Table I, measured"),
        );
        let pairs = shape.least_pairs(function) as f64;
        if pairs > 0.0 {
            rows.push(
                row("lane operations per product of words", model / pairs, operations / pairs)
                    .note("the paper's total over the model's products; 22.39 where one factor is fitted to it"),
            );
        }
        let key_switch = shape.region(Half::KeySwitch);
        let share = key_switch.residues.lane_operations(function) * function.polynomials(&key_switch);
        let time = seconds * share as f64 / model;
        let moved = (key_switch.bytes_once(function) * function.polynomials(&key_switch)) as f64;
        rows.push(
            row("bytes of DRAM per second, region 2", moved / time, bytes).note(dram_note(function, bytes * time)),
        );
    }
    rows
}

impl Region {
    /// Bytes that a function moves for one polynomial of this half if everything is read and written
    /// once: input, output, and large tables with their Shoup companions. iCRT writes its divided
    /// residues and reads them again. Words have 64 bits; integers have the bits of the product.
    fn bytes_once(&self, function: Function) -> u64 {
        const WORD: u64 = 8;
        let n = self.residues.coefficients();
        let residues = WORD * n * self.residues.primes;
        match function {
            Function::Crt => WORD * n * self.residues.limbs + residues,
            Function::Ntt | Function::Intt => 4 * residues,
            Function::Icrt => 3 * residues + WORD * n * (2 * self.residues.limbs),
        }
    }
}

fn dram_note(function: Function, paper: f64) -> String {
    let times = format!(
        "ours: all data once, over the function's time in Table I times the share of its operations in region 2; in that time \
         the paper's bandwidth is {:.0} MB",
        paper / 1e6
    );
    let why = match function {
        Function::Crt => "",
        Function::Ntt | Function::Intt => {
            "; less than ours: probably a part of the tables of roots stays in the caches of 24 cores"
        }
        Function::Icrt => {
            "; several times ours: probably the sums read the divided residues from memory once for each eight words of P/p_j"
        }
    };
    format!("{times}{why}")
}

fn lane_note(function: Function) -> &'static str {
    match function {
        Function::Crt => "20 a product of words and 12 a reduction, primes rounded up to vectors of 8",
        Function::Ntt => "17 a butterfly",
        Function::Intt => "17 a butterfly and 9 a coefficient; how the nine come about is the model's reading",
        Function::Icrt => "20 a product of words, words rounded up to vectors of 8, and 2 x 12 a residue",
    }
}
