//! Memory in cache lines of eight words; a line is one vector of AVX-512.

/// Number of words of a line.
pub const LANES: usize = 8;

/// One cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u64; LANES]);

impl Line {
    /// Eight zeros.
    pub const ZERO: Self = Self([0; LANES]);

    /// The line whose lane i is `of(i)`.
    pub fn from_fn(of: impl FnMut(usize) -> u64) -> Self {
        Self(std::array::from_fn(of))
    }
}

/// The words of the lines.
pub fn words(lines: &[Line]) -> &[u64] {
    // SAFETY: a line is eight words without padding, so both slices have the same bytes.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), LANES * lines.len()) }
}

/// The words of the lines, for writing.
pub fn words_mut(lines: &mut [Line]) -> &mut [u64] {
    // SAFETY: as in `words`; the result borrows `lines` mutably.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), LANES * lines.len()) }
}

/// A matrix of words, stored row after row. Each row is padded to whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    lines: Vec<Line>,
    per_row: usize,
}

/// Some columns of a matrix: for each row, the lines that hold them.
pub type Columns<'a> = Vec<&'a mut [Line]>;

impl Matrix {
    /// A matrix of zeros.
    pub fn new(rows: usize, words_per_row: usize) -> Self {
        let per_row = words_per_row.div_ceil(LANES);
        Self { lines: vec![Line::ZERO; rows * per_row], per_row }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.lines.len() / self.per_row
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[Line] {
        &self.lines[i * self.per_row..][..self.per_row]
    }

    /// All rows, one after the other.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [Line]> {
        self.lines.chunks_exact_mut(self.per_row)
    }

    /// Splits the rows into contiguous runs, one for each thread. Each run comes with the index of
    /// its first row.
    pub fn split_rows(&mut self, threads: usize) -> Vec<(usize, Columns<'_>)> {
        let run = self.rows().div_ceil(threads).max(1);
        let rows: Vec<&mut [Line]> = self.iter_mut().collect();
        let mut parts: Vec<(usize, Columns<'_>)> = Vec::new();
        for (i, row) in rows.into_iter().enumerate() {
            if i % run == 0 {
                parts.push((i, Vec::new()));
            }
            if let Some(part) = parts.last_mut() {
                part.1.push(row);
            }
        }
        parts
    }

    /// Splits the columns into contiguous runs of whole lines, one for each thread. Each run comes
    /// with the index of its first column.
    pub fn split_columns(&mut self, threads: usize) -> Vec<(usize, Columns<'_>)> {
        let run = self.per_row.div_ceil(threads).max(1);
        let runs = self.per_row.div_ceil(run);
        let mut parts: Vec<(usize, Columns<'_>)> = (0..runs).map(|i| (i * run * LANES, Vec::new())).collect();
        for row in self.lines.chunks_exact_mut(self.per_row) {
            for (part, columns) in parts.iter_mut().zip(row.chunks_mut(run)) {
                part.1.push(columns);
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_matrix_once() {
        for threads in 1..=5 {
            let mut m = Matrix::new(6, 40);
            for (first, rows) in m.split_rows(threads) {
                for (i, row) in rows.into_iter().enumerate() {
                    words_mut(row).iter_mut().for_each(|w| *w += 1000 * (first + i) as u64);
                }
            }
            for (first, rows) in m.split_columns(threads) {
                for row in rows {
                    words_mut(row).iter_mut().enumerate().for_each(|(i, w)| *w += (first + i) as u64);
                }
            }
            for i in 0..6 {
                assert!(words(m.row(i)).iter().enumerate().all(|(j, &w)| w == (1000 * i + j) as u64));
            }
        }
    }
}
