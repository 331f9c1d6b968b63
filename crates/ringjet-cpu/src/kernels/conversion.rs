//! A base conversion prepared for the kernels: the constants of [`BaseConversion`], in the form
//! that the kernel of each prime takes.

use std::ops::Range;
use std::sync::Arc;

use ringjet_math::BaseConversion;

use super::field::Field;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::fma;
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::{avx512, ifma, lanes};
use crate::system::instrument::Counted;
use crate::system::path::Path;
use crate::system::processor::Processor;
use crate::system::streaming::fence;

/// Upper bound of the result of [`tile`].
pub const MAX_TILE: usize = 256;

/// Number of coefficients that a conversion processes at once, a power of two. The first-level
/// cache holds a tile of eight source limbs and the next tile of each, of two output limbs, and of
/// the rows that all outputs use.
pub fn tile() -> usize {
    const ROWS: usize = 8 + 8 + 2 + 3;
    let fit = Processor::this().l1_data_bytes / (ROWS * size_of::<u64>());
    (1 << fit.max(64).ilog2()).min(MAX_TILE)
}

/// A value that starts at a cache line.
#[repr(align(64))]
struct Aligned<T>(T);

/// The constants of a base conversion. They are computed for each call, which takes some ten
/// nanoseconds for each pair of limbs.
#[derive(Debug)]
pub struct Conversion<'a> {
    conv: &'a BaseConversion,
    src: Vec<Arc<Field>>,
    dst: Vec<Arc<Field>>,
    /// For each source limb: the number of bits of its prime, and the factor that turns its words
    /// into fractions.
    fractions: Vec<(u32, u64)>,
    /// For each output limb: its path, and the factors of the source limbs and of the quotient in
    /// the form that this path takes.
    rows: Vec<(Path, Vec<u64>)>,
    /// Whether all outputs are computed by [`ifma::baseconv::paired`].
    paired: bool,
    /// Whether all outputs are computed in double precision.
    doubles: bool,
    /// The source limbs in double precision; empty if `doubles` is false.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    sources: Vec<fma::baseconv::Source>,
}

impl<'a> Conversion<'a> {
    /// Constants of `conv`.
    pub fn new(conv: &'a BaseConversion, src: Vec<Arc<Field>>, dst: Vec<Arc<Field>>) -> Self {
        Self::with_rate(conv, src, dst, Processor::this().half_rate_ifma)
    }

    /// [`Conversion::new`]. With `half_rate` products are computed in pairs where possible, which
    /// takes half as many multiplications and more additions.
    fn with_rate(conv: &'a BaseConversion, src: Vec<Arc<Field>>, dst: Vec<Arc<Field>>, half_rate: bool) -> Self {
        let narrow = src.iter().all(|f| f.path == Path::Ifma);
        let doubles = src.iter().chain(&dst).all(|f| f.path == Path::Fma);
        let row = |(j, f): (usize, &Arc<Field>)| {
            let m = &f.modulus;
            let minus = m.neg(conv.product[j]);
            let plain = conv.hat[j].iter().copied().chain([minus]);
            if doubles {
                return (Path::Fma, plain.map(|c| (m.center(c) as f64).to_bits()).collect());
            }
            #[cfg(target_arch = "x86_64")]
            match (f.path, &f.ifma) {
                _ if src.len() > lanes::baseconv::LIMBS => {}
                (Path::Ifma, Some(r)) if narrow => return (Path::Ifma, plain.map(|c| r.scaled(m, c)).collect()),
                (Path::Ifma | Path::Avx512, _) => {
                    return (Path::Avx512, plain.map(|c| f.avx512.scaled(m, c)).collect());
                }
                _ => {}
            }
            (Path::Scalar, plain.collect())
        };
        let mut rows: Vec<(Path, Vec<u64>)> = dst.iter().enumerate().map(row).collect();
        #[cfg(target_arch = "x86_64")]
        let paired = half_rate
            && narrow
            && src.iter().chain(&dst).all(|f| ifma::baseconv::paired::fits(1 << f.log_n))
            && rows.iter().all(|row| row.0 == Path::Ifma);
        #[cfg(not(target_arch = "x86_64"))]
        let paired = false;
        #[cfg(target_arch = "x86_64")]
        if paired {
            rows.iter_mut().for_each(|(_, row)| *row = ifma::baseconv::paired::constants(std::mem::take(row)));
        }
        let fractions: Vec<(u32, u64)> =
            src.iter().zip(&conv.fraction).map(|(f, &ratio)| (f.modulus.bits(), ratio)).collect();
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        let sources = (src.iter().zip(&fractions).filter(|_| doubles))
            .filter_map(|(f, &(bits, ratio))| Some(fma::baseconv::source(f.fma?, bits, ratio)))
            .collect();
        Self {
            conv,
            src,
            dst,
            fractions,
            rows,
            paired,
            doubles,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            sources,
        }
    }

    /// Number of source limbs.
    pub fn inputs(&self) -> usize {
        self.src.len()
    }

    /// Number of output limbs.
    pub fn outputs(&self) -> usize {
        self.dst.len()
    }

    /// `y = x * hat_inverse mod d_i`, where d_i is the prime of source limb i.
    pub fn scale(&self, i: usize, x: &[u64], y: &mut [u64]) {
        let (f, w) = (&self.src[i], self.conv.hat_inverse[i]);
        #[cfg(target_arch = "x86_64")]
        match (f.path, &f.ifma) {
            (Path::Ifma, Some(r)) => {
                let w = r.constant(&f.modulus, w);
                // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and
                // IFMA.
                return unsafe { ifma::baseconv::scale(r, x, w, y) };
            }
            (Path::Avx512, _) => {
                let w = f.avx512.constant(&f.modulus, w);
                // SAFETY: a field has the path Avx512 only where the processor has AVX-512 F and
                // DQ.
                return unsafe { avx512::baseconv::scale(&f.avx512, x, w, y) };
            }
            _ => {}
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(p) = &f.fma {
            // SAFETY: a field has these constants only where the processor has the instructions.
            return unsafe { fma::baseconv::scale(p, x, p.constant(&f.modulus, w), y) };
        }
        scalar::baseconv::scale(&f.modulus, x, w, y);
    }

    /// Number of rows that all outputs use.
    pub fn common_rows(&self) -> usize {
        match (self.paired, self.doubles) {
            (true, _) => 3,
            (_, true) => self.inputs() + 1,
            _ => 1,
        }
    }

    /// Computes the [`Conversion::common_rows`] rows that all outputs use, from the scaled words
    /// `y`, one row for each source limb. The first of these rows has the quotients, but in double
    /// precision they are last, after the rows of `y` as numbers. The number of
    /// words of a row is a multiple of 8, or of 16 if there are three common rows.
    pub fn common(&self, y: &[&[u64]], common: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        match self.src.iter().map(|f| f.path).min() {
            Some(Path::Ifma) if self.paired => {
                // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and
                // IFMA.
                return unsafe { ifma::baseconv::paired::prepare(y, &self.fractions, common) };
            }
            // SAFETY: as above.
            Some(Path::Ifma) => return unsafe { ifma::baseconv::quotients(y, &self.fractions, common) },
            // SAFETY: a field has the path Avx512, or Ifma beside it, only where the processor has
            // AVX-512 F and DQ.
            Some(Path::Avx512) => return unsafe { avx512::baseconv::quotients(y, &self.fractions, common) },
            _ => {}
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if self.doubles {
            // SAFETY: as in `scale`.
            return unsafe { fma::baseconv::common(&self.sources, y, common) };
        }
        common.fill(0);
        for ((f, y), &(_, ratio)) in self.src.iter().zip(y).zip(&self.fractions) {
            scalar::baseconv::fractions(&f.modulus, y, ratio, common);
        }
        scalar::baseconv::round(common);
    }

    /// Computes words `columns` of the output limbs `outputs`, tile by tile, from the scaled words
    /// `rows`, one row for each source limb. `out(i, from, to)` returns words `from..to` of the row
    /// for `outputs[i]`. With `stream`, tiles that are aligned for it are written by streaming
    /// stores. `columns` are whole tiles, or less than one tile. The rows count as read once for
    /// all outputs. The outputs count as written, and as read by the transforms that follow.
    pub fn run<'o>(
        &self,
        rows: &[&[u64]],
        outputs: &[usize],
        columns: Range<usize>,
        stream: bool,
        out: impl Fn(usize, usize, usize) -> &'o mut [u64],
    ) {
        if outputs.is_empty() {
            return;
        }
        self.src.iter().for_each(|f| f.counters.count(Counted::Read, || columns.len()));
        let tile = tile().min(columns.len());
        let (mut few, mut many) = (Aligned([0; 3 * MAX_TILE]), vec![]);
        let common = if self.doubles {
            many.resize(self.common_rows() * tile, 0);
            &mut many[..]
        } else {
            &mut few.0[..self.common_rows() * tile]
        };
        let mut y = Vec::with_capacity(rows.len());
        for from in columns.step_by(tile.max(1)) {
            let to = from + tile;
            y.clear();
            y.extend(rows.iter().map(|r| &r[from..to]));
            self.common(&y, common);
            for (o, &j) in outputs.iter().enumerate() {
                // While one limb is computed, the lines of the next limb and the rows of the next
                // tile are prefetched.
                let read = y[o % y.len()].as_ptr().wrapping_add(tile);
                let place = out(o, from, to);
                self.dst[j].counters.count(Counted::Written, || place.len());
                self.dst[j].counters.count(Counted::Read, || place.len());
                let stream = stream && place.as_ptr().addr().is_multiple_of(64);
                let write = if stream || o + 1 == outputs.len() { read } else { out(o + 1, from, to).as_ptr() };
                self.output(j, &y, common, place, [write, read], stream);
            }
        }
        // the rows may be those of a secret; the compiler must assume that the zeros are read
        common.fill(0);
        std::hint::black_box(common);
        if stream {
            fence();
        }
    }

    /// Computes output limb j from the rows `y` and the common rows `common`. The words at `next`
    /// are prefetched. With `stream`, `out` must start at a cache line and may be written by
    /// streaming stores; the caller then calls [`fence`].
    pub fn output(&self, j: usize, y: &[&[u64]], common: &[u64], out: &mut [u64], next: [*const u64; 2], stream: bool) {
        let (path, row) = &self.rows[j];
        let f = &self.dst[j];
        f.counters.count(Counted::BaseConversion, || y.len() * out.len());
        #[cfg(target_arch = "x86_64")]
        match (path, &f.ifma) {
            (Path::Ifma, Some(r)) if self.paired => {
                // SAFETY: rows of the path Ifma are made only for fields with it, which exist only
                // where the processor has AVX-512 F and IFMA.
                return unsafe { ifma::baseconv::paired::output(r, y, common, row, out, next, stream) };
            }
            // SAFETY: as above.
            (Path::Ifma, Some(r)) => return unsafe { ifma::baseconv::output(r, y, common, row, out, next, stream) },
            (Path::Avx512, _) => {
                // SAFETY: rows of the path Avx512 are made only for fields with it or Ifma, which
                // exist only where the processor has AVX-512 F and DQ.
                return unsafe { avx512::baseconv::output(&f.avx512, y, common, row, out, next, stream) };
            }
            _ => {}
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let (Path::Fma, Some(p)) = (path, &f.fma) {
            // SAFETY: as in `scale`.
            return unsafe { fma::baseconv::output(p, common, row, out) };
        }
        scalar::baseconv::output(&f.modulus, y, common, row, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::field::Fields;
    use crate::operands::scratch::Scratch;
    use crate::system::pool::Pool;
    use ringjet_math::Basis;
    use ringjet_math::prime::ntt_primes;

    /// Compares every path, both rates, ordinary and streaming stores with the scalar path. The
    /// words include the ends of their range.
    #[test]
    fn runs_agree_with_the_scalar_path() {
        let limbs = (1..=11).map(|limbs| (11, 50, limbs));
        let others = [(3, 50, 2), (4, 50, 7), (5, 50, 8), (11, 30, 1), (11, 49, 4), (11, 60, 5), (11, 40, 12)];
        for (log_n, bits, limbs) in limbs.chain(others) {
            let src = Basis::new(log_n, &ntt_primes(log_n, bits, limbs, &[]).unwrap()).unwrap();
            let own: Vec<u64> = src.values().collect();
            let targets = |bits, count| ntt_primes(log_n, bits, count, &own).unwrap();
            for targets in [targets(50, 3), [targets(50, 2), targets(59, 1)].concat(), vec![]] {
                check(&src, &Basis::new(log_n, &targets).unwrap());
            }
        }
    }

    fn check(src: &Basis, dst: &Basis) {
        let (conv, n) = (BaseConversion::new(src, dst), src.n());
        let row = |(i, d): (u64, u64)| -> Vec<u64> {
            let word = |k: u64| match k {
                0 | 1 => k * (d - 1),
                _ => (k + 31 * i).wrapping_mul(0x9e37_79b9_7f4a_7c15) % d,
            };
            (0..n as u64).map(word).collect()
        };
        let rows: Vec<Vec<u64>> = (0..).zip(src.values()).map(row).collect();
        let rows: Vec<&[u64]> = rows.iter().map(|r| &**r).collect();
        let run = |path: Path, stream: bool, half_rate: bool| {
            let fields = Fields::new(path);
            let conversion = Conversion::with_rate(&conv, fields.of(src).unwrap(), fields.of(dst).unwrap(), half_rate);
            let narrow = src.values().chain(dst.values()).all(|q| q < 1 << 50);
            let paired = half_rate && path == Path::Ifma && narrow && src.len() <= 11 && n >= 16;
            assert!(conversion.paired == paired || dst.is_empty());
            // memory from the pool, so that rows start at cache lines
            let mut block = Pool::new(0).take(dst.len().max(1) * n).unwrap();
            let out = Scratch::new(&mut block, n);
            let outputs: Vec<usize> = (0..dst.len()).collect();
            // SAFETY: tiles are written one after the other.
            conversion.run(&rows, &outputs, 0..n, stream, |j, from, to| unsafe { &mut out.row(j)[from..to] });
            // SAFETY: nobody writes any more.
            outputs.iter().map(|&j| unsafe { out.read(j) }.to_vec()).collect::<Vec<_>>()
        };
        let expected = run(Path::Scalar, false, false);
        for path in Path::usable() {
            for (stream, half_rate) in [(false, false), (true, false), (false, true), (true, true)] {
                let found = run(path, stream, half_rate);
                assert!(found == expected, "{src:?} to {dst:?}, {path:?}, stream: {stream}, half_rate: {half_rate}");
            }
        }
    }
}
