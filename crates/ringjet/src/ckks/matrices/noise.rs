//! The errors of operations on encrypted matrices: `docs/proofs/noise.md`, "Matrices in rows".
//!
//! An error of a row is a row of d elements of R'. Its coefficients are independent, and each element has N/d of
//! them, so its values are 1/d of the row's in variance.

use crate::Result;
use crate::ckks::noise::{self, relinearizing, rounding, switched};
use crate::ckks::{Ciphertext, Scale};
use crate::noise::{ErrorTerm, Groups, Noise, Range, TAIL};

/// d x d matrices in rows.
pub(super) struct Shape<'a> {
    row: &'a Ciphertext,
    d: f64,
}

impl<'a> Shape<'a> {
    /// `row` is any of the rows.
    pub(super) fn new(row: &'a Ciphertext, rows: usize) -> Self {
        Self { row, d: rows as f64 }
    }

    /// The noise of each transposed row: it has 1/d of the coefficients of each row's error, whose values are at
    /// most those of the row's, and the errors of `d - 1` key switches. A later product takes one element of each
    /// transposed row, so the variance is at least that of the worst row.
    pub(super) fn transposed(&self, rows: &[Ciphertext], entries: f64) -> Noise {
        let noises: Vec<Noise> = rows.iter().map(|row| row.noise()).collect();
        let variances = || noises.iter().map(|noise| noise.variance());
        let together = Groups::new(&noises).variance(variances()) / self.d;
        let bound = noises.iter().map(|noise| noise.bound()).sum();
        let own = ErrorTerm::new(variances().fold(together, f64::max), bound);
        let error = own + switched(self.row.params(), self.row.level()).times(self.d - 1.0);
        self.result(rows, error, Range::complex(self.d * entries), self.row.scale())
    }

    /// The noise of each row of a product, rescaled, where the entries of both factors are at most `entries`.
    pub(super) fn product(&self, a: &[Ciphertext], b: &[Ciphertext], [left, right]: [f64; 2]) -> Result<Noise> {
        let (params, level) = (self.row.params(), self.row.level());
        let (ratio, target) = (params.ratio(level), params.scale(level - 1));
        let (scale, entry) = (self.row.scale().value(), self.d * left * right);
        let noises = |rows: &[Ciphertext]| rows.iter().map(|row| row.noise()).collect::<Vec<Noise>>();
        let (lefts, rights) = (noises(a), noises(b));
        let (x, y) = (left * scale, self.d * right * scale);
        // the slots of a row are d times the entries at most, and sqrt(d) times in the mean
        let of_right = Groups::new(&rights).variance(rights.iter().map(|noise| x * x * noise.variance()));
        let of_left = lefts.iter().map(|noise| y * y / self.d * noise.variance() / self.d);
        let of_left = Groups::new(&lefts).variance(of_left);
        let pairs = || lefts.iter().zip(&rights);
        let both: f64 = pairs().map(|(own, other)| own.variance() / self.d * other.variance()).sum();
        let dependent = lefts.iter().any(|own| rights.iter().any(|other| own.depends(*other)));
        let variance = if dependent { (of_right.sqrt() + of_left.sqrt()).powi(2) } else { of_right + of_left };
        let bound = pairs().map(|(own, other)| x * other.bound() + (y + other.bound()) * own.bound()).sum();
        let errors = ErrorTerm::new(variance + both, bound);
        let down = 1.0 / ratio.value();
        let error = errors.scaled(down) + rounding(params) + self.turned(down);
        let renamed = (self.row.scale() * self.row.scale() / ratio).value() / target.value() - 1.0;
        let range = Range::complex(self.d * entry);
        let noise = self.result(&[a, b].concat(), error, range, target);
        let noise = noise.plus_fixed(ErrorTerm::fixed(renamed.abs() * self.d.sqrt() * entry * target.value()));
        // coefficients are at most as large as entries
        noise
            .with_range(Range::complex(entry))
            .expect_room("product of matrices", params.level(level - 1).basis.log2())?;
        Ok(noise)
    }

    /// The error of the part that is transposed, multiplied by the secret, rescaled and transposed again.
    fn turned(&self, down: f64) -> ErrorTerm {
        let (params, level) = (self.row.params(), self.row.level());
        let (n, switches) = (params.n() as f64, self.d - 1.0);
        let secret = noise::secret(params) * n;
        // the rounding of a switch has s as a factor, and E|s|^4 is twice the square of E|s|^2
        let first = switched(params, level).times(switches);
        let variance = secret * (first.variance + switches * n / 12.0 * secret);
        let first = ErrorTerm::new(variance, TAIL * secret.sqrt() * first.bound);
        let before = (first + relinearizing(params, level)).scaled(down) + rounding(params);
        let spread = ErrorTerm::new(before.variance, self.d * before.bound);
        spread + switched(params, level - 1).times(switches)
    }

    fn result(&self, from: &[Ciphertext], error: ErrorTerm, range: Range, scale: Scale) -> Noise {
        let all = from.iter().map(|row| row.noise()).reduce(Noise::sum).unwrap_or(self.row.noise());
        all.mapped(ErrorTerm::NONE, 1.0, 1.0, range, scale).with_added(error)
    }
}
