//! The canonical embedding of CKKS: a complex transform between coefficients and slots.
//!
//! With n = 2^log_slots slots the polynomial is one in `Y = X^(N / (2 * n))`, with 2n real
//! coefficients `c_0 ... c_(2n-1)`, and `Y^(2n) = -1`. Let `zeta = exp(2 * pi * i / (4 * n))`.
//! **Slot j is the value at `Y = zeta^(5^j)`**. So X -> X^(5^k) rotates the slots left by k, and X
//! -> X^(2N-1) conjugates them. As `zeta^(n * 5^j) = i` for every j, the 2n real coefficients act
//! as n complex ones:
//!
//! ```text
//! w_k = c_k + i * c_(k+n),     slot_j = sum_(k<n) w_k * zeta^(k * 5^j)
//! ```
//!
//! This evaluates the polynomial with coefficients w_k at the roots of `Y^n = i`. Like the
//! negacyclic NTT it follows a tree of square roots. Node (l, j), `j < 2^l`, holds this polynomial
//! modulo `Y^(n/2^l) - zeta^(5^j * n/2^l)`; its children have the indices j and `j + 2^l`. The
//! passes below go down the tree two levels at a time, from one buffer to another. Buffers are
//! ordered by coefficient index first and by j second, so the order is natural at both ends and
//! every inner loop is contiguous (Stockham's autosort).

use crate::dd::Octant;
use crate::memory::{OutOfMemory, collected, expect, zeros};

pub use crate::complex::Complex64;

/// Largest `log_slots` supported: a ring of degree 2^20.
pub const MAX_LOG_SLOTS: u32 = 19;

/// Number of complex numbers that are computed together: two 128-bit registers or one 256-bit
/// register for each part.
const LANES: usize = 4;

/// The twiddle factors of one pass, as separate real and imaginary parts.
#[derive(Debug, Clone)]
struct Pass {
    /// `2^l`: the number of nodes at the start of the pass, and the length of each row below.
    nodes: usize,
    /// Three rows: `zeta^(5^j * n/2^(l+2))` (for the second level), its square (for the first
    /// level) and its cube. A last pass of one level has only the row for its level.
    re: Vec<Vec<f64>>,
    im: Vec<Vec<f64>>,
}

/// The transform for `2^log_slots` slots, with its roots of unity.
#[derive(Debug, Clone)]
pub struct SpecialFft {
    log_slots: u32,
    passes: Vec<Pass>,
}

impl SpecialFft {
    /// Tables for `2^log_slots` slots. Every root is the double nearest to the true one (computed
    /// in double-double), so all machines have the same tables.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Panics
    /// If `log_slots > 19`.
    pub fn new(log_slots: u32) -> Result<Self, OutOfMemory> {
        assert!(log_slots <= MAX_LOG_SLOTS, "log_slots = {log_slots} > {MAX_LOG_SLOTS}");
        // all rows together have fewer than 2n complex numbers, and the largest pass half of these
        expect((2 * size_of::<Complex64>()) << log_slots)?;
        let order = log_slots + 3; // angles are multiples of 2 * pi / 2^order
        let octant = Octant::new(order);
        let pass = |level: u32| {
            let two = level + 2 <= log_slots;
            let nodes = 1usize << level;
            // The finest root of the pass is zeta^(5^j * n/2^last), an angle of 2 * pi * 5^j /
            // 2^(last + 2).
            let last = if two { level + 2 } else { level + 1 };
            let rows: &[u64] = if two { &[1, 2, 3] } else { &[1] };
            let mut out = Pass { nodes, re: vec![], im: vec![] };
            for &multiple in rows {
                let (mut re, mut im) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
                let mut power = 1u64; // 5^j modulo the order of the root
                for _ in 0..nodes {
                    let a = (multiple * power) & ((4 << last) - 1);
                    let (c, s) = octant.root(a << (order - last - 2));
                    re.push(c.hi);
                    im.push(s.hi);
                    power = (5 * power) & ((4 << last) - 1);
                }
                out.re.push(re);
                out.im.push(im);
            }
            out
        };
        Ok(Self { log_slots, passes: (0..log_slots).step_by(2).map(pass).collect() })
    }

    /// Binary logarithm of the number of slots.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// Number of slots n.
    pub fn slots(&self) -> usize {
        1 << self.log_slots
    }

    /// Transforms coefficients `w_k` to slots, in place, both in natural order. The relative error
    /// (in the 2-norm) is at most about `2^-53 * log2(n)`.
    ///
    /// # Errors
    /// [`OutOfMemory`] for the transform's temporary numbers; then `x` is as it was. So with the other
    /// transforms.
    ///
    /// # Panics
    /// Unless `x` has n entries.
    pub fn forward(&self, x: &mut [Complex64]) -> Result<(), OutOfMemory> {
        self.interleaved(x, Self::forward_split)
    }

    /// Transforms slots to coefficients `w_k`, in place: the inverse of [`SpecialFft::forward`].
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Panics
    /// Unless `x` has n entries.
    pub fn inverse(&self, x: &mut [Complex64]) -> Result<(), OutOfMemory> {
        self.interleaved(x, |fft, re, im| {
            fft.inverse_unscaled_split(re, im)?;
            let factor = 1.0 / fft.slots() as f64;
            re.iter_mut().chain(im).for_each(|v| *v *= factor);
            Ok(())
        })
    }

    fn interleaved(
        &self,
        x: &mut [Complex64],
        f: impl FnOnce(&Self, &mut [f64], &mut [f64]) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let mut re = collected(x.iter().map(|z| z.re))?;
        let mut im = collected(x.iter().map(|z| z.im))?;
        f(self, &mut re, &mut im)?;
        for ((z, &re), &im) in x.iter_mut().zip(&re).zip(&im) {
            *z = Complex64 { re, im };
        }
        Ok(())
    }

    /// [`SpecialFft::forward`] on separate real and imaginary parts: `re[k] = c_k`,
    /// `im[k] = c_(k+n)`. So the two halves of a vector of real coefficients are the two arguments.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Panics
    /// Unless both slices have n entries.
    pub fn forward_split(&self, re: &mut [f64], im: &mut [f64]) -> Result<(), OutOfMemory> {
        self.forward_split_in(re, im, &mut zeros(2 * self.slots())?);
        Ok(())
    }

    /// [`SpecialFft::forward_split`] with scratch memory of the caller, who can wipe it.
    ///
    /// # Panics
    /// Unless `re` and `im` have n entries, and `scratch` 2n.
    pub fn forward_split_in(&self, re: &mut [f64], im: &mut [f64], scratch: &mut [f64]) {
        self.run((re, im), scratch, self.passes.iter(), |pass, x, y| match (pass.re.len(), pass.nodes) {
            (1, nodes) if nodes < LANES => pass2_forward::<1>(pass, x, y),
            (1, _) => pass2_forward::<LANES>(pass, x, y),
            (_, 1) => pass4_forward::<1, true>(pass, x, y),
            _ => pass4_forward::<LANES, false>(pass, x, y),
        })
    }

    /// Transforms slots to `n * w_k`: the inverse without its factor `1/n`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Panics
    /// Unless both slices have n entries.
    pub fn inverse_unscaled_split(&self, re: &mut [f64], im: &mut [f64]) -> Result<(), OutOfMemory> {
        self.run((re, im), &mut zeros(2 * self.slots())?, self.passes.iter().rev(), |pass, x, y| {
            match (pass.re.len(), pass.nodes) {
                (1, nodes) if nodes < LANES => pass2_inverse::<1>(pass, x, y),
                (1, _) => pass2_inverse::<LANES>(pass, x, y),
                (_, 1) => pass4_inverse::<1, true>(pass, x, y),
                _ => pass4_inverse::<LANES, false>(pass, x, y),
            }
        });
        Ok(())
    }

    /// Runs the passes alternately from the caller's buffers to two scratch buffers and back. The
    /// result ends in the caller's buffers.
    fn run<'a>(
        &'a self,
        (re, im): (&mut [f64], &mut [f64]),
        scratch: &mut [f64],
        passes: impl Iterator<Item = &'a Pass>,
        step: impl Fn(&Pass, [&[f64]; 2], [&mut [f64]; 2]),
    ) {
        let n = self.slots();
        assert!(re.len() == n && im.len() == n, "{n} slots, {} and {} numbers", re.len(), im.len());
        assert!(scratch.len() == 2 * n, "{n} slots, and scratch memory for {} numbers", scratch.len());
        let (scratch_re, scratch_im) = scratch.split_at_mut(n);
        let mut flipped = false;
        for pass in passes {
            if flipped {
                step(pass, [scratch_re, scratch_im], [&mut *re, &mut *im]);
            } else {
                step(pass, [re, im], [&mut *scratch_re, &mut *scratch_im]);
            }
            flipped = !flipped;
        }
        if flipped {
            re.copy_from_slice(scratch_re);
            im.copy_from_slice(scratch_im);
        }
    }
}

/// L numbers that go through the same operations, so that the compiler uses vector registers.
type V<const L: usize> = [f64; L];

#[inline(always)]
fn map<const L: usize>(a: V<L>, b: V<L>, f: impl Fn(f64, f64) -> f64) -> V<L> {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// L complex numbers: their real parts and their imaginary parts.
#[derive(Clone, Copy)]
struct C<const L: usize>(V<L>, V<L>);

impl<const L: usize> C<L> {
    #[inline(always)]
    fn load(x: [&[V<L>]; 2], i: usize) -> Self {
        Self(x[0][i], x[1][i])
    }

    #[inline(always)]
    fn store(self, y: &mut [&mut [V<L>]; 2], i: usize) {
        y[0][i] = self.0;
        y[1][i] = self.1;
    }

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(map(self.0, o.0, |a, b| a + b), map(self.1, o.1, |a, b| a + b))
    }

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(map(self.0, o.0, |a, b| a - b), map(self.1, o.1, |a, b| a - b))
    }

    #[inline(always)]
    fn mul(self, w: Self) -> Self {
        let (ac, bd) = (map(self.0, w.0, |a, b| a * b), map(self.1, w.1, |a, b| a * b));
        let (ad, bc) = (map(self.0, w.1, |a, b| a * b), map(self.1, w.0, |a, b| a * b));
        Self(map(ac, bd, |a, b| a - b), map(ad, bc, |a, b| a + b))
    }

    /// The product with the conjugate of `w`.
    #[inline(always)]
    fn mul_conj(self, w: Self) -> Self {
        let (ac, bd) = (map(self.0, w.0, |a, b| a * b), map(self.1, w.1, |a, b| a * b));
        let (ad, bc) = (map(self.0, w.1, |a, b| a * b), map(self.1, w.0, |a, b| a * b));
        Self(map(ac, bd, |a, b| a + b), map(bc, ad, |a, b| a - b))
    }

    /// The product with i.
    #[inline(always)]
    fn mul_i(self) -> Self {
        Self(self.1.map(|v| -v), self.0)
    }
}

/// Row number `row` of rows of length `len`, of the real and the imaginary parts.
#[inline(always)]
fn row<const L: usize>(x: [&[f64]; 2], row: usize, len: usize) -> [&[V<L>]; 2] {
    x.map(|x| x[row * len..(row + 1) * len].as_chunks::<L>().0)
}

/// Removes the next `len` numbers from the front of the real and the imaginary parts and returns
/// them.
#[inline(always)]
fn take<'a, const L: usize>(rest: &mut [&'a mut [f64]; 2], len: usize) -> [&'a mut [V<L>]; 2] {
    let [re, im] = rest;
    let re = re.split_off_mut(..len).expect("rows fill the buffer");
    let im = im.split_off_mut(..len).expect("rows fill the buffer");
    [re.as_chunks_mut::<L>().0, im.as_chunks_mut::<L>().0]
}

/// A forward pass of two levels. The fourth root of unity between the grandchildren `j + 2^l` and
/// `j + 3 * 2^l` is `i^((5^(2^l) - 1) / 2^(l+2))`: i at the root of the tree (`ROOT`), -i at all
/// other nodes.
fn pass4_forward<const L: usize, const ROOT: bool>(pass: &Pass, x: [&[f64]; 2], mut y: [&mut [f64]; 2]) {
    let len = pass.nodes;
    let quarter = x[0].len() / (4 * len);
    let w: [[&[V<L>]; 2]; 3] = std::array::from_fn(|i| row([&pass.re[i], &pass.im[i]], 0, len));
    for k in 0..quarter {
        let x: [_; 4] = std::array::from_fn(|i| row::<L>(x, k + i * quarter, len));
        let mut y: [_; 4] = std::array::from_fn(|_| take::<L>(&mut y, len));
        for j in 0..len / L {
            let t1 = C::load(x[1], j).mul(C::load(w[0], j));
            let t2 = C::load(x[2], j).mul(C::load(w[1], j));
            let t3 = C::load(x[3], j).mul(C::load(w[2], j));
            let x0 = C::load(x[0], j);
            let (a, b) = (x0.add(t2), x0.sub(t2));
            let (p, q) = (t1.add(t3), t1.sub(t3).mul_i());
            a.add(p).store(&mut y[0], j);
            a.sub(p).store(&mut y[2], j);
            let (one, three) = if ROOT { (b.add(q), b.sub(q)) } else { (b.sub(q), b.add(q)) };
            one.store(&mut y[1], j);
            three.store(&mut y[3], j);
        }
    }
}

/// The inverse of [`pass4_forward`], times 4.
fn pass4_inverse<const L: usize, const ROOT: bool>(pass: &Pass, x: [&[f64]; 2], y: [&mut [f64]; 2]) {
    let len = pass.nodes;
    let quarter = x[0].len() / (4 * len);
    let w: [[&[V<L>]; 2]; 3] = std::array::from_fn(|i| row([&pass.re[i], &pass.im[i]], 0, len));
    let mut rest = y;
    let mut y: [[&mut [f64]; 2]; 4] =
        std::array::from_fn(|_| take::<1>(&mut rest, quarter * len).map(|p| p.as_flattened_mut()));
    for k in 0..quarter {
        let x: [_; 4] = std::array::from_fn(|i| row::<L>(x, 4 * k + i, len));
        let mut y = y.each_mut().map(|y| take::<L>(y, len));
        for j in 0..len / L {
            let [y0, y1, y2, y3]: [C<L>; 4] = std::array::from_fn(|i| C::load(x[i], j));
            let (a, p) = (y0.add(y2), y0.sub(y2));
            let (b, q) = (y1.add(y3), if ROOT { y3.sub(y1) } else { y1.sub(y3) }.mul_i());
            a.add(b).store(&mut y[0], j);
            p.add(q).mul_conj(C::load(w[0], j)).store(&mut y[1], j);
            a.sub(b).mul_conj(C::load(w[1], j)).store(&mut y[2], j);
            p.sub(q).mul_conj(C::load(w[2], j)).store(&mut y[3], j);
        }
    }
}

/// A forward pass of one level: the last one, if the number of levels is odd. Each node has one
/// coefficient.
fn pass2_forward<const L: usize>(pass: &Pass, x: [&[f64]; 2], mut y: [&mut [f64]; 2]) {
    let len = pass.nodes;
    let w = row::<L>([&pass.re[0], &pass.im[0]], 0, len);
    let x: [_; 2] = std::array::from_fn(|i| row::<L>(x, i, len));
    let mut y: [_; 2] = std::array::from_fn(|_| take::<L>(&mut y, len));
    for j in 0..len / L {
        let (u, v) = (C::load(x[0], j), C::load(x[1], j).mul(C::load(w, j)));
        u.add(v).store(&mut y[0], j);
        u.sub(v).store(&mut y[1], j);
    }
}

/// The inverse of [`pass2_forward`], times 2.
fn pass2_inverse<const L: usize>(pass: &Pass, x: [&[f64]; 2], mut y: [&mut [f64]; 2]) {
    let len = pass.nodes;
    let w = row::<L>([&pass.re[0], &pass.im[0]], 0, len);
    let x: [_; 2] = std::array::from_fn(|i| row::<L>(x, i, len));
    let mut y: [_; 2] = std::array::from_fn(|_| take::<L>(&mut y, len));
    for j in 0..len / L {
        let (u, v) = (C::load(x[0], j), C::load(x[1], j));
        u.add(v).store(&mut y[0], j);
        u.sub(v).mul_conj(C::load(w, j)).store(&mut y[1], j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(n: usize, mut state: u64) -> Vec<Complex64> {
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / 2f64.powi(52) - 1.0
        };
        (0..n).map(|_| Complex64::new(next(), next())).collect()
    }

    fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
        a.iter().zip(b).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// The definition: 2n real coefficients evaluated at `zeta^(5^j)`.
    pub(crate) fn evaluate(c: &[f64]) -> Vec<Complex64> {
        let (n, order) = (c.len() / 2, 2 * c.len() as u64);
        let roots = Octant::new(order.trailing_zeros().max(3));
        let shift = order.trailing_zeros().max(3) - order.trailing_zeros();
        let mut power = 1u64;
        (0..n)
            .map(|_| {
                let (mut re, mut im) = (crate::dd::Dd::from(0.0), crate::dd::Dd::from(0.0));
                for (k, &c) in c.iter().enumerate() {
                    let (cos, sin) = roots.root((power * k as u64 % order) << shift);
                    re = re + cos * c.into();
                    im = im + sin * c.into();
                }
                power = power * 5 % order;
                Complex64::new(re.hi, im.hi)
            })
            .collect()
    }

    #[test]
    fn forward_is_evaluation_at_powers_of_five() {
        for log in 0..=9 {
            let n = 1usize << log;
            let w = random(n, 42 + log);
            let c: Vec<f64> = w.iter().map(|z| z.re).chain(w.iter().map(|z| z.im)).collect();
            let want = evaluate(&c);
            let fft = SpecialFft::new(log as u32).unwrap();
            let mut z = w.clone();
            fft.forward(&mut z).unwrap();
            let scale = (n as f64).sqrt() * 2f64.powi(-52) * (log + 1) as f64;
            assert!(distance(&z, &want) < scale, "{log}: {} {scale}", distance(&z, &want));
            fft.inverse(&mut z).unwrap();
            assert!(distance(&z, &w) < 2f64.powi(-52) * (log + 1) as f64, "{log}: {}", distance(&z, &w));
        }
    }

    #[test]
    fn round_trip_loses_few_bits() {
        for log in [12, 15, 16] {
            let fft = SpecialFft::new(log).unwrap();
            let w = random(1 << log, 7);
            let mut z = w.clone();
            fft.forward(&mut z).unwrap();
            fft.inverse(&mut z).unwrap();
            // Coefficients have size 1, and the worst error is a few units in the last place.
            assert!(distance(&z, &w) < 2f64.powi(-49), "{log}: {:e}", distance(&z, &w));
        }
    }

    #[test]
    fn galois_elements_rotate_and_conjugate() {
        let (log, n) = (6, 64usize);
        let c: Vec<f64> = random(n, 3).iter().flat_map(|z| [z.re, z.im]).collect();
        let slots = |c: &[f64]| {
            let mut z: Vec<_> = (0..n).map(|k| Complex64::new(c[k], c[k + n])).collect();
            SpecialFft::new(log).unwrap().forward(&mut z).unwrap();
            z
        };
        // c(Y^g): coefficient k moves to k * g mod 2n, with a sign for each wrap (Y^(2n) = -1).
        let automorphism = |g: usize| {
            let mut out = vec![0.0; 2 * n];
            for (k, &v) in c.iter().enumerate() {
                let e = k * g % (4 * n);
                out[e % (2 * n)] = if e >= 2 * n { -v } else { v };
            }
            out
        };
        let z = slots(&c);
        let mut g = 1;
        for k in 0..n {
            let rotated: Vec<_> = (0..n).map(|j| z[(j + k) % n]).collect();
            assert!(distance(&slots(&automorphism(g)), &rotated) < 1e-12, "{k}");
            g = g * 5 % (4 * n);
        }
        let conjugate: Vec<_> = z.iter().map(|z| z.conj()).collect();
        assert!(distance(&slots(&automorphism(4 * n - 1)), &conjugate) < 1e-12);
    }

    #[test]
    #[should_panic(expected = "8 slots")]
    fn lengths_are_checked() {
        let _ = SpecialFft::new(3).unwrap().forward(&mut [Complex64::default(); 4]);
    }
}
