//! Strips of big coefficients: what one task of an operation on them treats.

/// Big coefficients that kernels treat at once: four vectors of eight. The words and the residues
/// of a block stay in the first-level cache.
pub const BLOCK: usize = 32;

/// Coefficients of a task. All coefficients are written in rows, one row behind the other; a strip
/// has the same columns of each row.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    /// Words of a row.
    pub row: usize,
    /// Number of rows.
    pub rows: usize,
    /// The first column.
    pub from: usize,
    /// Number of columns.
    pub columns: usize,
}

impl Strip {
    /// `words` coefficients from number `from` on.
    pub fn piece(from: usize, words: usize) -> Self {
        Self { row: 0, rows: 1, from, columns: words }
    }

    /// Number of coefficients.
    pub fn words(&self) -> usize {
        self.rows * self.columns
    }

    /// Coefficients of a block: no block lies in two rows.
    pub fn block(&self) -> usize {
        BLOCK.min(self.columns)
    }

    /// Where the blocks start within the strip.
    pub fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.words()).step_by(self.block())
    }

    /// The number, among all coefficients, of coefficient `at` of the strip.
    pub fn place(&self, at: usize) -> usize {
        at / self.columns * self.row + self.from + at % self.columns
    }
}
