//! Prepared factors: the residues of all their digits in the evaluation domain.

use ringjet_backend::big::digits;
use ringjet_backend::plan::CrtSplitPlan;
use ringjet_backend::{Buf, Result, View, check};

use super::factors::{Factor, split};
use super::residues::{ByParts, Layout};
use crate::machine::CpuMachine;
use crate::operands::prefetch::RowPrefetch;
use crate::operands::rows::Rows;
use crate::operands::strip::BLOCK;
use crate::operands::views::Source;
use crate::system::instrument::Counted;

/// A prepared factor. Products read all digits of a polynomial at once, so the blocks of these
/// digits are consecutive. Block t of digit d of polynomial p modulo prime i begins at word
/// `(i * polys + p) * digits * n + (t * digits + d) * block`, where `block` is the number of words
/// of a block and `n` the ring degree.
#[derive(Clone, Copy)]
pub struct Prepared<'a> {
    /// The words of the whole factor.
    pub words: Source<'a>,
    polys: usize,
    digits: usize,
    /// Number of primes for which the factor has residues.
    pub primes: usize,
    n: usize,
}

/// Number of words of a block in a ring of degree `n`.
fn block(n: usize) -> usize {
    BLOCK.min(n)
}

impl<'a> Prepared<'a> {
    /// The factor in `view`, which [`big_prepare`] made of integers modulo `2^bits`.
    pub fn new(m: &'a CpuMachine, op: &'static str, view: View<'a>, bits: u32, n: usize) -> Result<Self> {
        let words = m.source(op, view.buf().view(1))?;
        check::equal(op, "ring degree", n, view.n())?;
        let primes = digits::prepared_primes(op, view, bits)?;
        Ok(Self { words, polys: view.polys(), digits: digits::count(bits), primes, n })
    }

    /// Words `from..from + words` of all digits modulo prime `i`: a row for each polynomial.
    pub fn all(self, i: usize, from: usize, words: usize) -> Rows<'a> {
        let row = self.digits * self.n;
        self.words.pieces(i * self.polys * row + from * self.digits, row, self.polys, words * self.digits)
    }

    /// Words `from..from + words` of all digits modulo prime `i`: for each digit of each polynomial
    /// a row per block.
    pub fn rows(self, i: usize, from: usize, words: usize) -> Vec<Rows<'a>> {
        let block = block(self.n);
        let row = |l: usize| {
            let (p, d) = (l / self.digits, l % self.digits);
            let first = (i * self.polys + p) * self.digits * self.n + (from / block * self.digits + d) * block;
            self.words.pieces(first, self.digits * block, words / block, block)
        };
        (0..self.polys * self.digits).map(row).collect()
    }
}

/// [`ringjet_backend::Backend::big_prepare`]; the result is laid out as in [`Prepared`].
pub fn big_prepare(m: &CpuMachine, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
    check::big_prepare("big_prepare", src, plan)?;
    let (basis, n) = (&plan.crt.basis, src.n());
    let factor = Factor::new(m, "big_prepare", src, plan)?;
    let count = digits::count(factor.bits);
    let (limbs, primes) = digits::prepared_shape(src.polys(), basis, factor.bits);
    let basis = basis.prefix(primes);
    let fields = m.fields.of(&basis)?;
    let layout = Layout::new(&fields, n);

    let mut buf = m.alloc(limbs * primes, n)?;
    if factor.words.is_secret() {
        buf = buf.into_secret();
    }
    let mut memory = ByParts::memory(m, layout, primes, limbs, factor.words.is_secret())?;
    let made = ByParts::new(&mut memory, layout, limbs);
    split(m, &[(factor, count)], &basis, &fields, layout, made)?;

    let dst = m.target("big_prepare", buf.view_mut(1))?;
    let (parts, block) = (layout.parts, block(n));
    m.threads.run(primes * parts * limbs, primes * limbs * n, |_, task| {
        let (i, part, l) = (task / limbs / parts, task / limbs % parts, task % limbs);
        // SAFETY: every row is used by one task.
        let row = unsafe { made.row(i, part, l) };
        fields[i].counters.count(Counted::Read, || row.len());
        fields[i].forward_part([parts, part], row, &mut RowPrefetch::default());
        for (t, words) in row.chunks_exact(block).enumerate() {
            let t = part * layout.part() / block + t;
            let word = (i * limbs + l / count * count) * n + (t * count + l % count) * block;
            let (limb, word) = (word / n, word % n);
            // SAFETY: every block has its own place.
            unsafe { dst.part(0, limb, word, word + block) }.copy_from_slice(words);
        }
    });
    Ok(buf)
}
