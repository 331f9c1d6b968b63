//! The errors of operations on encrypted matrices: `docs/proofs/noise.md`, "Matrices in rows".
//!
//! An error of a row is a row of d elements of R'. Its coefficients are independent, and each element has N/d of
//! them, so its values are 1/d of the row's in variance.

use crate::Result;
use crate::ckks::noise::{rounding, switched, switching};
use crate::ckks::{Ciphertext, Scale};
use crate::noise::{ErrorTerm, Noise, Range, TAIL};

/// The variance of a coefficient of a secret that is uniform in {-1, 0, 1}.
const TERNARY: f64 = 2.0 / 3.0;

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
    /// most those of the row's, and the errors of `d - 1` key switches.
    pub(super) fn transposed(&self, rows: &[Ciphertext], entries: f64) -> Noise {
        let sum = |of: fn(Noise) -> f64| rows.iter().map(|row| of(row.noise())).sum::<f64>();
        let own = ErrorTerm::new(sum(Noise::variance) / self.d, sum(Noise::bound));
        let error = own + switched(self.row.params(), self.row.level()).times(self.d - 1.0);
        self.result(rows, error, Range::complex(self.d * entries), self.row.scale())
    }

    /// The noise of each row of a product, rescaled, where the entries of both factors are at most `entries`.
    pub(super) fn product(&self, a: &[Ciphertext], b: &[Ciphertext], [left, right]: [f64; 2]) -> Result<Noise> {
        let (params, level) = (self.row.params(), self.row.level());
        let (ratio, target) = (params.ratio(level), params.scale(level - 1));
        let (scale, entry) = (self.row.scale().value(), self.d * left * right);
        let mut errors = ErrorTerm::NONE;
        for (a, b) in a.iter().zip(b) {
            let (own, other) = (a.noise().error(), b.noise().error());
            let (x, y) = (left * scale, self.d * right * scale);
            // the slots of a row are d times the entries at most, and sqrt(d) times in the mean
            let variance = x * x * other.variance + (y * y / self.d + other.variance) * own.variance / self.d;
            errors = errors + ErrorTerm::new(variance, x * other.bound + (y + other.bound) * own.bound);
        }
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
        let secret = TERNARY * n;
        // the rounding of a switch has s as a factor, and E|s|^4 is twice the square of E|s|^2
        let first = switched(params, level).times(switches);
        let variance = secret * (first.variance + switches * n / 12.0 * secret);
        let first = ErrorTerm::new(variance, TAIL * secret.sqrt() * first.bound);
        let before = (first + switching(params, level)).scaled(down) + rounding(params);
        let spread = ErrorTerm::new(before.variance, self.d * before.bound);
        spread + switched(params, level - 1).times(switches)
    }

    fn result(&self, from: &[Ciphertext], error: ErrorTerm, range: Range, scale: Scale) -> Noise {
        let all = from.iter().map(|row| row.noise()).reduce(Noise::sum).unwrap_or(self.row.noise());
        all.mapped(ErrorTerm::NONE, 1.0, 1.0, range, scale).with_added(error)
    }
}
