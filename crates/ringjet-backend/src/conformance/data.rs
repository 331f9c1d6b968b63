//! Inputs of the suite: reproducible numbers, host copies of buffers, and the shapes of their
//! views.

use ringjet_math::{Basis, big};

use crate::{Backend, Buf, Result, View, ViewMut, Width};

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014):
/// small, reproducible, and good enough for tests.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of numbers for `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

/// How the residues of an input are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Uniform residues, some of them replaced by 0, 1 or q - 1.
    Random,
    /// Every residue is q - 1, so sums reach their bounds.
    Max,
    /// Every residue is 0.
    Zero,
    /// Every residue is 0 except one word.
    OneHot,
    /// Every residue is `2^b h + l` with the largest h and l that centred numbers are cut into in the middle
    /// of their bits: sums of either half reach their bounds.
    Halves,
}

/// The styles of most tests.
pub const STYLES: [Style; 4] = [Style::Random, Style::Max, Style::Zero, Style::OneHot];

/// The position of a view in its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Number of polynomials of the view.
    pub polys: usize,
    /// Number of polynomials of the buffer before those of the view.
    pub skip: usize,
    /// Number of limbs of each polynomial before those of the view.
    pub lead: usize,
    /// Number of limbs of each polynomial after those of the view.
    pub tail: usize,
}

impl Layout {
    /// A view of the whole buffer.
    pub const fn dense(polys: usize) -> Self {
        Self { polys, skip: 0, lead: 0, tail: 0 }
    }

    /// A view of a lower level of a buffer with more limbs.
    pub const fn prefix(polys: usize) -> Self {
        Self { polys, skip: 0, lead: 0, tail: 2 }
    }

    /// A view with polynomials and limbs before it and limbs after it.
    pub const fn inside(polys: usize) -> Self {
        Self { polys, skip: 1, lead: 2, tail: 1 }
    }
}

/// The contents of a buffer on the host, and the view of it that the operation gets.
#[derive(Debug, Clone)]
pub struct Host {
    /// Number of words of each limb.
    pub n: usize,
    words: Vec<u64>,
    layout: Layout,
    limbs: usize,
}

impl Host {
    /// Residues modulo the primes of `basis` in the view. The limbs outside the view hold arbitrary
    /// words that fit the width of the basis.
    pub fn new(rng: &mut Rng, basis: &Basis, layout: Layout, style: Style) -> Self {
        let (n, limbs) = (basis.n(), basis.len());
        let total = (layout.skip + layout.polys) * (layout.lead + limbs + layout.tail);
        let words = (0..total * n).map(|_| rng.next() >> (64 - 8 * Width::of(basis).bytes())).collect();
        let mut host = Self { n, words, layout, limbs };
        for p in 0..layout.polys {
            for i in 0..limbs {
                fill(rng, host.limb(p, i), basis.modulus(i).value(), style);
            }
        }
        host
    }

    /// Random polynomials in `X^gap`, in the evaluation domain.
    pub fn spaced(rng: &mut Rng, basis: &Basis, layout: Layout, gap: usize) -> Self {
        let mut host = Self::new(rng, basis, layout, Style::Random);
        for (p, i) in (0..layout.polys).flat_map(|p| (0..basis.len()).map(move |i| (p, i))) {
            let words = host.limb(p, i);
            words.iter_mut().enumerate().filter(|(c, _)| c % gap != 0).for_each(|(_, word)| *word = 0);
            basis.primes()[i].table().forward(words);
        }
        host
    }

    /// Big coefficients modulo `2^bits` in the view. [`Style::Max`] gives the most negative
    /// integers. [`Style::OneHot`] gives zeros except one coefficient. Of the random integers some
    /// have a single bit.
    pub fn big(rng: &mut Rng, n: usize, bits: u32, layout: Layout, style: Style) -> Self {
        let limbs = big::words(bits);
        let total = (layout.skip + layout.polys) * (layout.lead + limbs + layout.tail);
        let words = (0..total * n).map(|_| rng.next()).collect();
        let mut host = Self { n, words, layout, limbs };
        let low = (1 << big::WORD_BITS) - 1;
        for p in 0..layout.polys {
            let hot = rng.below(n as u64) as usize;
            for c in 0..n {
                let kind = if style == Style::OneHot && c != hot { 1 } else { rng.below(16) };
                let bit = rng.below(u64::from(bits)) as usize;
                for i in 0..limbs {
                    let mask = if i + 1 == limbs { big::top_mask(bits) } else { low };
                    let all = if i + 1 == limbs { mask ^ (mask >> 1) } else { 0 };
                    host.limb(p, i)[c] = match (style, kind) {
                        (Style::Zero, _) | (_, 1) => 0,
                        (Style::Max, _) => all,
                        (_, 0) => mask,
                        (_, 2) => all,
                        (_, 3) => u64::from(bit / 52 == i) << (bit % 52),
                        _ => rng.next() & mask,
                    };
                }
            }
        }
        host
    }

    /// The words of limb `i` of polynomial `p` of the view.
    pub fn limb(&mut self, p: usize, i: usize) -> &mut [u64] {
        let Layout { skip, lead, tail, .. } = self.layout;
        let start = ((skip + p) * (lead + self.limbs + tail) + lead + i) * self.n;
        &mut self.words[start..start + self.n]
    }

    /// Number of limbs of the buffer.
    pub fn all_limbs(&self) -> usize {
        self.words.len() / self.n
    }

    /// A new buffer with these contents on backend `b`.
    pub fn upload(&self, b: &dyn Backend) -> Result<Buf> {
        let mut buf = b.alloc(self.words.len() / self.n, self.n)?;
        b.upload(&mut buf, 0, &self.words)?;
        Ok(buf)
    }

    /// The view of `buf` that the operation reads.
    pub fn view<'a>(&self, buf: &'a Buf) -> View<'a> {
        let Layout { polys, skip, lead, .. } = self.layout;
        buf.view(skip + polys).slice(skip, polys).range(lead, self.limbs)
    }

    /// The view of `buf` that the operation writes.
    pub fn view_mut<'a>(&self, buf: &'a mut Buf) -> ViewMut<'a> {
        let Layout { polys, skip, lead, .. } = self.layout;
        buf.view_mut(skip + polys).slice(skip, polys).range(lead, self.limbs)
    }
}

fn fill(rng: &mut Rng, words: &mut [u64], q: u64, style: Style) {
    match style {
        Style::Max => words.fill(q - 1),
        Style::Zero => words.fill(0),
        Style::Halves => {
            let b = (u64::BITS - q.leading_zeros()).div_ceil(2);
            let low = (1u64 << (b - 1)) - 1;
            words.fill((q / 2).saturating_sub(low) >> b << b | low);
        }
        Style::OneHot => {
            words.fill(0);
            words[rng.below(words.len() as u64) as usize] = [1, q - 1, q / 2][rng.below(3) as usize];
        }
        Style::Random => {
            for w in words {
                *w = match rng.below(16) {
                    0 => 0,
                    1 => q - 1,
                    2 => 1,
                    _ => rng.below(q),
                };
            }
        }
    }
}

/// All words of the buffer.
pub fn download(b: &dyn Backend, buf: &Buf) -> Result<Vec<u64>> {
    let mut words = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut words)?;
    Ok(words)
}
