//! Times the four functions of a multiplication by residues (Jung et al., *HEAAN Demystified*)
//! separately: CRT, NTT, iNTT, iCRT. They do as many transforms and conversions as one
//! multiplication, with the same shapes, on the same buffers. A backend may work differently when
//! it multiplies in one call.

use std::cell::RefCell;
use std::sync::Arc;

use ringjet::heaan::Context;
use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{Backend, BigFactor, BigMul, Buf};
use ringjet_math::big::{WORD_BITS, top_mask, words};

use crate::Result;
use crate::bench::floor::{KNOWN, LANES, TERM};
use crate::bench::measure::Body;

/// Names and meanings, in the order of the work.
pub const FUNCTIONS: [(&str, &str); 4] = [
    ("heaan_crt", "big coefficients to residues, as often as a product does: 5 polynomials"),
    ("heaan_ntt", "forward transforms of a product: the same 5 polynomials"),
    ("heaan_intt", "inverse transforms of a product: 5 polynomials"),
    ("heaan_icrt", "residues to big coefficients, those of the key switch divided by Q: 5 polynomials"),
];

type Sums = &'static [&'static [(usize, usize)]];

/// One of the two halves of a multiplication: sums of products of two polynomials modulo `2^bits`.
struct Region {
    split: Arc<CrtSplitPlan>,
    join: Arc<CrtJoinPlan>,
    shift: u32,
    /// Number of polynomials that are converted to residues.
    polys: usize,
    integers: Buf,
    factors: Buf,
    key: Option<Key>,
    /// The pairs of factors whose products are summed, for each polynomial of the result.
    sums: Sums,
    products: Buf,
    whole: Buf,
    results: Buf,
}

/// Two polynomials with integer coefficients, each in two forms.
struct Key {
    /// As residues in the evaluation domain.
    residues: Buf,
    /// In the form with which the backend multiplies in one call.
    prepared: Buf,
}

impl Key {
    fn new(ctx: &Context, primes: usize) -> Result<Self> {
        let (b, n, bits) = (ctx.backend(), ctx.params().n(), 2 * ctx.params().log_q());
        let (integers, split) = (integers(b, 2, bits, n)?, ctx.split(primes, bits));
        let mut residues = b.alloc(2 * primes, n)?;
        b.crt_split(residues.view_mut(2), integers.view(2), &split)?;
        b.ntt(residues.view_mut(2), &split.crt.basis)?;
        Ok(Self { residues, prepared: b.big_prepare(integers.view(2), &split)? })
    }
}

/// The sizes of the conversions: to residues (`split`) and back to words (`join`).
#[derive(Clone, Copy)]
pub struct Shape {
    pub primes: usize,
    pub split_polys: usize,
    pub split_words: usize,
    pub join_polys: usize,
    pub join_words: usize,
}

impl Region {
    /// Without `key`: the products `b * b'`, `b * a' + a * b'` and `a * a'` of two ciphertexts
    /// modulo `2^log_q`. With `key`: one polynomial modulo `2^log_q` times the two of a key,
    /// divided by the largest modulus Q.
    fn new(ctx: &Context, log_q: u32, key: bool) -> Result<Self> {
        const TENSOR: Sums = &[&[(0, 0)], &[(0, 1), (1, 0)], &[(1, 1)]];
        const SWITCH: Sums = &[&[(0, 0)], &[(0, 1)]];
        let (b, n, params) = (ctx.backend(), ctx.params().n(), ctx.params());
        let (polys, sums, shift) = if key { (1, SWITCH, params.log_q()) } else { (4, TENSOR, 0) };
        let primes = if key { params.primes_for(log_q, 2 * shift, 1)? } else { params.primes_for(log_q, log_q, 2)? };
        Ok(Self {
            integers: integers(b, polys, log_q, n)?,
            factors: b.alloc(polys * primes, n)?,
            key: if key { Some(Key::new(ctx, primes)?) } else { None },
            sums,
            products: b.alloc(sums.len() * primes, n)?,
            whole: b.alloc(sums.len() * words(log_q + shift), n)?,
            results: b.alloc(sums.len() * words(log_q), n)?,
            split: ctx.split(primes, log_q),
            join: ctx.join(primes, log_q + shift),
            shift,
            polys,
        })
    }

    fn shape(&self) -> Shape {
        Shape {
            primes: self.split.crt.basis.len(),
            split_polys: self.polys,
            split_words: words(self.split.crt.bits),
            join_polys: self.sums.len(),
            join_words: words(self.join.crt.bits),
        }
    }

    fn crt(&mut self, b: &dyn Backend) -> Result<()> {
        Ok(b.crt_split(self.factors.view_mut(self.polys), self.integers.view(self.polys), &self.split)?)
    }

    fn ntt(&mut self, b: &dyn Backend) -> Result<()> {
        Ok(b.ntt(self.factors.view_mut(self.polys), &self.split.crt.basis)?)
    }

    /// The products between the transforms. They are none of [`FUNCTIONS`].
    fn multiply(&mut self, b: &dyn Backend) -> Result<()> {
        let (polys, left) = (self.polys, self.factors.view(self.polys));
        let right = self.key.as_ref().map_or_else(|| left.slice(polys / 2, polys / 2), |key| key.residues.view(2));
        for (i, sum) in self.sums.iter().enumerate() {
            let pairs: Vec<_> = sum.iter().map(|&(l, r)| (left.poly(l), right.poly(r))).collect();
            b.mul_acc(self.products.view_mut(self.sums.len()).poly(i), &pairs, &self.split.crt.basis, false)?;
        }
        Ok(())
    }

    fn intt(&mut self, b: &dyn Backend) -> Result<()> {
        Ok(b.intt(self.products.view_mut(self.sums.len()), &self.split.crt.basis)?)
    }

    fn icrt(&mut self, b: &dyn Backend) -> Result<()> {
        let (polys, bits) = (self.sums.len(), self.join.crt.bits);
        if self.shift == 0 {
            return Ok(b.crt_join(self.results.view_mut(polys), self.products.view(polys), &self.join)?);
        }
        b.crt_join(self.whole.view_mut(polys), self.products.view(polys), &self.join)?;
        Ok(b.shift_round(self.results.view_mut(polys), self.whole.view(polys), bits, self.shift)?)
    }

    /// Refuses a result that differs from that of one call of the backend.
    fn check(&mut self, b: &dyn Backend) -> Result<()> {
        for step in [Self::crt, Self::ntt, Self::multiply, Self::intt, Self::icrt] {
            step(self, b)?;
        }
        let (left, n) = (self.integers.view(self.polys), self.integers.n());
        let (left, right) = match &self.key {
            Some(key) => (left, BigFactor::Prepared(key.prepared.view(2), 2 * self.shift)),
            None => (left.slice(0, 2), BigFactor::Integers(left.slice(2, 2), &self.split)),
        };
        let mut whole = b.alloc(self.results.limbs(), n)?;
        let mul =
            BigMul { left, split: &self.split, right, sums: self.sums, join: &self.join, shift: self.shift, add: None };
        b.big_mul(whole.view_mut(self.sums.len()), &mul)?;
        let (mut got, mut want) = (vec![0; n], vec![0; n]);
        for limb in 0..whole.limbs() {
            b.download(&self.results, limb, &mut got)?;
            b.download(&whole, limb, &mut want)?;
            if got != want {
                return Err("wrong result: the functions in turn differ from the product in one call".into());
            }
        }
        Ok(())
    }
}

pub struct Functions {
    ctx: Context,
    regions: RefCell<[Region; 2]>,
}

impl Functions {
    /// Fills buffers for ciphertexts modulo `2^log_q`, runs all functions and checks the result.
    pub fn new(ctx: &Context, log_q: u32) -> Result<Self> {
        let mut regions = [Region::new(ctx, log_q, false)?, Region::new(ctx, log_q, true)?];
        for region in &mut regions {
            region.check(ctx.backend())?;
        }
        Ok(Self { ctx: ctx.clone(), regions: RefCell::new(regions) })
    }

    pub fn shapes(&self) -> [Shape; 2] {
        self.regions.borrow().each_ref().map(Region::shape)
    }

    /// One of [`FUNCTIONS`], run on both halves.
    pub fn body(&self, name: &str) -> Option<Body<'_>> {
        let steps = [Region::crt, Region::ntt, Region::intt, Region::icrt];
        let (_, step) = FUNCTIONS.iter().zip(steps).find(|((known, _), _)| *known == name)?;
        Some(Box::new(move || {
            let b = self.ctx.backend();
            self.regions.borrow_mut().iter_mut().try_for_each(|region| step(region, b))?;
            Ok(b.sync()?)
        }))
    }
}

/// Polynomials with coefficients spread over all integers modulo `2^bits`.
fn integers(b: &dyn Backend, polys: usize, bits: u32, n: usize) -> Result<Buf> {
    let mut buf = b.alloc(polys * words(bits), n)?;
    for limb in 0..buf.limbs() {
        let is_top = (limb + 1) % words(bits) == 0;
        let mask = top_mask(if is_top { bits } else { WORD_BITS });
        let number = |j: u64| (j + ((limb as u64) << 20)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let words: Vec<u64> = (0..n as u64).map(|j| number(j) & mask).collect();
        b.upload(&mut buf, limb, &words)?;
    }
    Ok(buf)
}

/// The least seconds of the multiplications alone, counted as in [`crate::bench::floor`]. `rate`:
/// multiply-adds a second of all threads together.
pub fn floor_seconds(name: &str, log_n: u32, shapes: &[Shape; 2], rate: f64) -> Option<f64> {
    let n = f64::from(log_n).exp2();
    let limbs = |polys: fn(&Shape) -> usize| shapes.iter().map(|s| (polys(s) * s.primes) as f64).sum::<f64>();
    let ntt = KNOWN * f64::from(log_n) / 2.0;
    let count = match name {
        "heaan_ntt" => n * ntt * limbs(|s| s.split_polys),
        "heaan_intt" => n * ntt * limbs(|s| s.join_polys),
        _ => TERM * products(name, log_n, shapes)?,
    };
    Some(count / LANES / rate)
}

/// Number of products of a word and a constant that the conversions sum: each stored word of an
/// integer, with each prime. The scaling of residues before iCRT and the reduction of the sums are
/// not counted.
pub fn products(name: &str, log_n: u32, shapes: &[Shape; 2]) -> Option<f64> {
    let of = |s: &Shape| match name {
        "heaan_crt" => Some(s.split_polys * s.split_words * s.primes),
        "heaan_icrt" => Some(s.join_polys * s.join_words * s.primes),
        _ => None,
    };
    Some((of(&shapes[0])? + of(&shapes[1])?) as f64 * f64::from(log_n).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_the_papers_multiplication() {
        let shapes = [
            Shape { primes: 49, split_polys: 4, split_words: 24, join_polys: 3, join_words: 24 },
            Shape { primes: 73, split_polys: 1, split_words: 24, join_polys: 2, join_words: 47 },
        ];
        assert_eq!(products("heaan_crt", 16, &shapes), Some(65536.0 * (4704.0 + 1752.0)));
        assert_eq!(products("heaan_icrt", 16, &shapes), Some(65536.0 * (3528.0 + 6862.0)));
        // two instructions for eight products
        assert_eq!(floor_seconds("heaan_crt", 16, &shapes, 1.0), Some(65536.0 * 6456.0 / 4.0));
        assert_eq!(floor_seconds("heaan_ntt", 16, &shapes, 1.0), Some(196608.0 * 269.0));
        assert_eq!(floor_seconds("heaan_mul", 16, &shapes, 1.0), None);
    }
}
