//! Figures 3.3, 3.4 and 3.6: polynomials with coefficients of 109 bits.

use ringjet_model::pim::HOST_BYTES_PER_S;
use ringjet_model::pim::{CoefficientBuild, CoefficientOperation};

use crate::row::Row;

/// Polynomials of the published tests, of 4096 coefficients of 16 bytes.
const POLYNOMIALS: [u64; 5] = [5120, 10240, 20480, 40960, 81920];
const POLYNOMIAL_BYTES: f64 = 4096.0 * 16.0;

/// Times of an operation with the first build: operands to the DPUs, computation, results back.
fn times(operation: CoefficientOperation, published: impl Fn(u64) -> (Option<f64>, &'static str)) -> Vec<Row> {
    let mut rows = Vec::new();
    for count in POLYNOMIALS {
        let entry = format!("{count} polynomials");
        let moved = 1e3 * count as f64 * POLYNOMIAL_BYTES / HOST_BYTES_PER_S;
        let (paper, note) = published(count);
        let computed = CoefficientBuild::Initial.milliseconds(operation, count);
        rows.push(Row::new(&*entry, "to the DPUs, ms", Some(moved), None).note(MOVED));
        rows.push(Row::new(&*entry, "computation, ms", Some(computed), paper).note(note));
        rows.push(Row::new(entry, "results back, ms", Some(moved / 2.0), None).note(MOVED));
    }
    rows
}

const MOVED: &str = "at 18.1 GB/s, the published speed of another transfer; the figure is a plot";

/// Figure 3.3.
pub fn sums() -> Vec<Row> {
    times(CoefficientOperation::Sum, |_| (None, "published: tens of ms, less than the transfers"))
}

/// Figure 3.4.
pub fn products() -> Vec<Row> {
    times(CoefficientOperation::Product, |count| match count {
        81920 => (None, "published: longer than the others, which are all the same"),
        _ => (Some(1000.0), "published: about 1000 ms, up to 40,960 polynomials; at 400 MHz it would be 982"),
    })
}

/// What changes, the operation, the builds before and after, the published changes, a remark.
type Step = (&'static str, CoefficientOperation, [CoefficientBuild; 2], [f64; 2], &'static str);

/// Figure 3.6, as changes of time: the smallest and the largest over all numbers of polynomials.
pub fn changes() -> Vec<Row> {
    use CoefficientBuild::{Buffered, Coalesced, Initial};
    use CoefficientOperation::{Product, Sum};
    let steps: [Step; 6] = [
        ("sums, buffers", Sum, [Initial, Buffered], [-0.48, -0.74], ENGINE),
        ("sums, carries", Sum, [Buffered, Coalesced], [-0.012, -0.056], CARRIES),
        ("sums, all steps", Sum, [Initial, Coalesced], [-0.7, -0.7], "published: about 70 %"),
        ("products, buffers", Product, [Initial, Buffered], [-0.0015, -0.0015], TRANSFERS),
        ("products, carries", Product, [Buffered, Coalesced], [-0.1, -0.1], "published: about 10 %"),
        ("products, all steps", Product, [Initial, Coalesced], [-0.1, -0.1], "published: about 10 %"),
    ];
    let rows = steps.into_iter().flat_map(|(entry, operation, [base, build], published, note)| {
        let change = |count| build.milliseconds(operation, count) / base.milliseconds(operation, count) - 1.0;
        let all = POLYNOMIALS.map(change);
        let (least, most) = (all.into_iter().fold(f64::MIN, f64::max), all.into_iter().fold(f64::MAX, f64::min));
        [("smallest change of time", least, published[0]), ("largest change of time", most, published[1])]
            .map(|(quantity, model, paper)| Row::new(entry, quantity, Some(model), Some(paper)).note(note))
    });
    rows.collect()
}

const ENGINE: &str = "instructions limit the time after this step; the transfer engine's work falls by 78 %";
const TRANSFERS: &str = "a thousandth of the time: latencies of single transfers";
const CARRIES: &str = "the published numbers contradict one another: 10 instructions less for each coefficient, which the thesis \
                       measures, are 1.29 ms for a polynomial, so that 1.2 % would be a time of 107 ms, where it states tens";
