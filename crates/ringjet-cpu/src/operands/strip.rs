//! Strips of big coefficients: the coefficients that one task processes.

/// Number of big coefficients that kernels process at once: four vectors of eight. The words and
/// the residues of a block stay in the first-level cache.
pub const BLOCK: usize = 32;

/// The coefficients of a task. The coefficients of the ring are arranged in rows, one row after
/// another; a strip consists of the same columns of each row.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    /// Number of columns of a row.
    pub row: usize,
    /// Number of rows.
    pub rows: usize,
    /// The first column of the strip.
    pub from: usize,
    /// Number of columns of the strip.
    pub columns: usize,
}

impl Strip {
    /// A strip of `words` consecutive coefficients from number `from` on.
    pub fn piece(from: usize, words: usize) -> Self {
        Self { row: 0, rows: 1, from, columns: words }
    }

    /// Number of coefficients.
    pub fn words(&self) -> usize {
        self.rows * self.columns
    }

    /// Number of coefficients of a block. No block extends over two rows.
    pub fn block(&self) -> usize {
        BLOCK.min(self.columns)
    }

    /// The positions within the strip at which blocks start.
    pub fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.words()).step_by(self.block())
    }

    /// The number, among all coefficients of the ring, of coefficient `at` of the strip.
    pub fn place(&self, at: usize) -> usize {
        at / self.columns * self.row + self.from + at % self.columns
    }
}
