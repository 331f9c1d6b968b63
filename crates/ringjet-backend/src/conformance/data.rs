//! Inputs: reproducible numbers, host copies of buffers, and the shapes of their views.

use ringjet_math::{Basis, big};

use crate::{Backend, Buf, Result, View, ViewMut, Width};

/// SplitMix64 (Steele, Lea and Flood 2014): small, reproducible, good enough for tests.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

/// What residues look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Uniform, some of them 0, 1 or q - 1.
    Random,
    /// q - 1 everywhere: sums reach their bounds.
    Max,
    /// 0 everywhere.
    Zero,
    /// Zero but for one word.
    OneHot,
}

/// All styles.
pub const STYLES: [Style; 4] = [Style::Random, Style::Max, Style::Zero, Style::OneHot];

/// Where a view lies in its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Polynomials in the view.
    pub polys: usize,
    /// Polynomials in the buffer before the view's.
    pub skip: usize,
    /// Limbs of each polynomial before the view's.
    pub lead: usize,
    /// Limbs of each polynomial after the view's.
    pub tail: usize,
}

impl Layout {
    /// The whole buffer.
    pub const fn dense(polys: usize) -> Self {
        Self { polys, skip: 0, lead: 0, tail: 0 }
    }

    /// A lower level of a longer buffer.
    pub const fn prefix(polys: usize) -> Self {
        Self { polys, skip: 0, lead: 0, tail: 2 }
    }

    /// Somewhere inside.
    pub const fn inside(polys: usize) -> Self {
        Self { polys, skip: 1, lead: 2, tail: 1 }
    }
}

/// A buffer's contents on the host, and the view that the operation gets.
#[derive(Debug, Clone)]
pub struct Host {
    /// Words of each limb.
    pub n: usize,
    words: Vec<u64>,
    layout: Layout,
    limbs: usize,
}

impl Host {
    /// Residues of `basis` in the view; the limbs around it hold arbitrary words of the basis's
    /// width.
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

    /// Random polynomials in `X^gap` in the evaluation domain.
    pub fn spaced(rng: &mut Rng, basis: &Basis, layout: Layout, gap: usize) -> Self {
        let mut host = Self::new(rng, basis, layout, Style::Random);
        for (p, i) in (0..layout.polys).flat_map(|p| (0..basis.len()).map(move |i| (p, i))) {
            let words = host.limb(p, i);
            words.iter_mut().enumerate().filter(|(c, _)| c % gap != 0).for_each(|(_, word)| *word = 0);
            basis.primes()[i].table().forward(words);
        }
        host
    }

    /// Big coefficients modulo `2^bits` in the view: for [`Style::Max`] the most negative ones, for
    /// [`Style::OneHot`] all but one are 0, random ones are sometimes of one bit.
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

    /// Words of limb `i` of polynomial `p` of the view.
    pub fn limb(&mut self, p: usize, i: usize) -> &mut [u64] {
        let Layout { skip, lead, tail, .. } = self.layout;
        let start = ((skip + p) * (lead + self.limbs + tail) + lead + i) * self.n;
        &mut self.words[start..start + self.n]
    }

    /// Limbs of the buffer.
    pub fn all_limbs(&self) -> usize {
        self.words.len() / self.n
    }

    /// The buffer on a device.
    pub fn upload(&self, b: &dyn Backend) -> Result<Buf> {
        let mut buf = b.alloc(self.words.len() / self.n, self.n)?;
        b.upload(&mut buf, 0, &self.words)?;
        Ok(buf)
    }

    /// The view.
    pub fn view<'a>(&self, buf: &'a Buf) -> View<'a> {
        let Layout { polys, skip, lead, .. } = self.layout;
        buf.view(skip + polys).slice(skip, polys).range(lead, self.limbs)
    }

    /// The view, to be written.
    pub fn view_mut<'a>(&self, buf: &'a mut Buf) -> ViewMut<'a> {
        let Layout { polys, skip, lead, .. } = self.layout;
        buf.view_mut(skip + polys).slice(skip, polys).range(lead, self.limbs)
    }
}

fn fill(rng: &mut Rng, words: &mut [u64], q: u64, style: Style) {
    match style {
        Style::Max => words.fill(q - 1),
        Style::Zero => words.fill(0),
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

/// The whole buffer.
pub fn download(b: &dyn Backend, buf: &Buf) -> Result<Vec<u64>> {
    let mut words = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut words)?;
    Ok(words)
}
