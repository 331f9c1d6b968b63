//! The shape of products of matrices of residues.

/// The shape of products of matrices of residues. A matrix has `rows` rows; the result has rows of `columns`
/// vectors of `lanes` words, whose lanes can have products of their own.
#[derive(Clone, Copy)]
pub struct ClassShape {
    pub rows: usize,
    pub columns: usize,
    pub lanes: usize,
    /// 1 where all lanes have the same left factor, which then has words for vectors.
    pub left_lanes: usize,
}

impl ClassShape {
    /// Rows of the result that are computed at once.
    pub fn rows_at_once(self) -> usize {
        self.rows.min(2)
    }

    /// Vectors of a row of the result that are computed at once.
    pub fn columns_at_once(self) -> usize {
        self.columns.min(4)
    }

    /// Words of a left factor.
    pub fn left_words(self) -> usize {
        self.rows * self.rows * self.left_lanes
    }

    /// Words of a right factor.
    pub fn right_words(self) -> usize {
        self.rows * self.columns * self.lanes
    }

    /// The first word of a left factor's entry in column `row` of row `j`: the left factor is transposed.
    pub fn left(self, row: usize, j: usize) -> usize {
        let each = self.rows_at_once();
        ((row / each * self.rows + j) * each + row % each) * self.left_lanes
    }
}
