//! Figures 3.1, 3.2 and 3.5: instructions of arithmetic. `docs/design/pim-arithmetic.md` has the
//! counts; tests of `ringjet-pim` compare them with its assembly.

use ringjet_model::pim::{CoefficientBuild, CoefficientOperation};

use crate::row::Row;

/// Instructions of native operations, as counted: operation, count, published, remark.
pub const NATIVE: [(&str, f64, Option<f64>, &str); 11] = [
    ("8-bit sum", 1.0, None, PLOT),
    ("16-bit sum", 1.0, None, PLOT),
    ("32-bit sum", 1.0, None, PLOT),
    ("64-bit sum", 2.0, None, PLOT),
    ("8-bit product", 1.0, None, PLOT),
    ("16-bit product", 7.0, None, PLOT),
    ("32-bit product, 32-bit factors", 39.0, Some(43.0), FOUR),
    ("32-bit product, 27-bit factors", 34.0, Some(38.0), FOUR),
    ("64-bit product", 124.0, Some(134.0), "register conflicts repeat instructions; the model charges 134"),
    ("own 32-bit product, 64 bits of the result", 37.0, Some(37.0), ""),
    ("own 32-bit product, 32 bits of the result", 23.0, Some(23.0), ""),
];

/// The product of words by Karatsuba's method on halfwords, in the mean: its differences have
/// signs.
pub const KARATSUBA: f64 = 42.5;

const PLOT: &str = "the figure is a plot, and the text does not state this number";
const FOUR: &str = "published are four cycles more than the instructions that the compiler's routine has";

/// Sums and differences of 128 bits, in plain C.
const PLAIN: [f64; 2] = [17.0, 16.0];
const CARRIES: f64 = 10.0;
/// Comparison of 128 bits, and product to 256 bits, in plain C.
const COMPARISON: f64 = 9.0;
const PRODUCT: f64 = 1702.3;

fn row(entry: &str, quantity: &str, model: f64, paper: Option<f64>, note: &str) -> Row {
    let row = Row::new(entry, quantity, Some(model), paper);
    if note.is_empty() { row } else { row.note(note) }
}

/// Figure 3.1.
pub fn native() -> Vec<Row> {
    NATIVE
        .iter()
        .map(|&(entry, model, paper, note)| row(entry, "cycles", model, paper, note))
        .chain([karatsuba()])
        .collect()
}

/// Section 4.4.6: rejected, as the own product takes 37.
fn karatsuba() -> Row {
    let note = "41 if no difference of halves is negative, up to 45: the mean over random factors";
    row("32-bit product by Karatsuba on halfwords", "cycles", KARATSUBA, Some(41.0), note)
}

/// Figure 3.2.
pub fn wide() -> Vec<Row> {
    use CoefficientOperation::{Difference, Product, Sum};
    let of = |operation| CoefficientBuild::Initial.instructions(operation);
    let saved = "published as a change: the 10 cycles with carries are 41.2 or 37.5 % less, and save 27.3 or 24.5 %";
    let call = "saved are 10 cycles of a sum, 9.5 of a difference, which adds the modulus in half of all cases";
    vec![
        row("128-bit sum", "cycles", PLAIN[0], Some(17.0), saved),
        row("128-bit difference", "cycles", PLAIN[1], Some(16.0), saved),
        row("128-bit comparison", "cycles", COMPARISON, None, PLOT),
        row("128-bit modular sum", "cycles", of(Sum), Some(36.6), saved),
        row("128-bit modular difference", "cycles", of(Difference), Some(40.8), call),
        row("128-bit product", "cycles", PRODUCT, None, PLOT),
        row("128-bit modular product", "cycles", of(Product), None, PLOT),
    ]
}

/// Figure 3.5.
pub fn wide_changes() -> Vec<Row> {
    use CoefficientBuild::{Carry, Coalesced, Initial};
    use CoefficientOperation::{Difference, Product, Sum};
    let change = |operation, build: CoefficientBuild, base: CoefficientBuild| {
        build.instructions(operation) / base.instructions(operation) - 1.0
    };
    let share = "change of cycles";
    let one = "9.5 instructions are saved of 36.5; the published share means 40.8 before";
    let flags = "8 instructions are saved of 27; 7 of 29 would be the published share";
    let product = "the published text leaves open which of the 256-bit operations get carries";
    vec![
        row("128-bit sum, carries", share, CARRIES / PLAIN[0] - 1.0, Some(-0.412), ""),
        row("128-bit difference, carries", share, CARRIES / PLAIN[1] - 1.0, Some(-0.375), ""),
        row("128-bit modular sum, carries", share, change(Sum, Carry, Initial), Some(-0.273), ""),
        row("128-bit modular difference, carries", share, change(Difference, Carry, Initial), Some(-0.245), one),
        row("128-bit modular difference, coalesced", share, change(Difference, Coalesced, Carry), Some(-0.25), flags),
        row("128-bit modular product, carries", share, change(Product, Carry, Initial), Some(-0.1), product),
    ]
}
