//! Constants of the kernels' modular arithmetics, in the layout of `kernels/modarith_*.cuh`.
//! `docs/proofs/gpu-arithmetic.md` defines them and proves the ranges.

use ringjet_math::Modulus;

/// Constants of `U32` and `U32Unsigned` for a prime q below 2^31. R = 2^32 is Montgomery's factor.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct U32Modulus {
    q: u32,
    /// `q^-1 mod 2^32`.
    inverse: u32,
    /// `2^64 mod q`.
    square: u32,
    pad: u32,
}

/// A `Constant` of `U32` or `U32Unsigned`: a factor known beforehand.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct U32Constant {
    w: u32,
    quotient: u32,
}

impl U32Modulus {
    /// The constants of `m`, or `None` for a prime above 2^31.
    pub fn new(m: &Modulus) -> Option<Self> {
        let q = u32::try_from(m.value()).ok().filter(|q| q >> 31 == 0)?;
        let mut inverse = q; // Newton's method: right in the lowest 3 bits, and each step doubles their number
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(q.wrapping_mul(inverse)));
        }
        Some(Self { q, inverse, square: m.reduce_u128(1 << 64) as u32, pad: 0 })
    }

    /// The constants as words, as they lie in device memory.
    pub fn words(&self) -> [u64; 2] {
        [join(self.inverse, self.q), join(self.pad, self.square)]
    }

    /// `w * R mod q` with R = 2^32: the Montgomery form of the residue w.
    pub fn form(m: &Modulus, w: u64) -> u64 {
        m.mul(w, m.reduce(1 << 32))
    }

    /// A constant of `U32`: `mul_const` returns `x * w / R mod q`, with w below q. With w =
    /// `form(v)`, `mul_const` multiplies by v.
    pub fn constant(&self, w: u64) -> U32Constant {
        let w = w as u32;
        U32Constant { w, quotient: w.wrapping_mul(self.inverse) }
    }

    /// A constant of `U32Unsigned`: `mul_const` returns `x * w mod q`, with w below q.
    pub fn shoup_constant(&self, w: u64) -> U32Constant {
        U32Constant { w: w as u32, quotient: ((w << 32) / u64::from(self.q)) as u32 }
    }
}

impl U32Constant {
    /// The constants as words, as they lie in device memory.
    pub fn word(&self) -> u64 {
        join(self.quotient, self.w)
    }
}

/// Joins two 32-bit halves of a word; in memory the lower half comes first.
fn join(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Constants of `F64` for a prime q from 5 to 2^50.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct F64Modulus {
    q: f64,
    /// 1/q, rounded.
    inverse: f64,
}

/// A `Constant` of `F64`: a factor known beforehand.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct F64Constant {
    w: f64,
    /// w/q, rounded.
    ratio: f64,
}

impl F64Modulus {
    /// The constants of `m`, or `None` for a prime outside of [5, 2^50).
    pub fn new(m: &Modulus) -> Option<Self> {
        let q = m.value();
        (q >= 5 && q >> 50 == 0).then(|| Self { q: q as f64, inverse: 1.0 / q as f64 })
    }

    /// The constants as words, as they lie in device memory.
    pub fn words(&self) -> [u64; 2] {
        [self.q.to_bits(), self.inverse.to_bits()]
    }

    /// The residue w, below q, as a factor. It is stored centred.
    pub fn constant(m: &Modulus, w: u64) -> F64Constant {
        let w = m.center(w) as f64;
        F64Constant { w, ratio: w / m.value() as f64 }
    }
}

impl F64Constant {
    /// The constants as words, as they lie in device memory.
    pub fn words(&self) -> [u64; 2] {
        [self.w.to_bits(), self.ratio.to_bits()]
    }
}

/// Constants of `U64Below50` and `U64Below61` for a prime q of n bits, q at least 5.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct U64Modulus {
    q: u64,
    /// `2^64 - q`.
    minus: u64,
    /// `floor(2^(62 + n) / q)`.
    barrett: u64,
    /// `2^50 mod q` for primes below 2^50, `2^64 mod q` otherwise.
    power: u64,
    /// The quotient of `power` as a constant.
    power_quotient: u64,
    /// The quotient of 1 as a constant.
    unit_quotient: u64,
    /// The bit length n of q.
    bits: u32,
    /// `floor(2^(31 + n) / q)`.
    small: u32,
    /// `max(n - 25, 0)`.
    small_in: u32,
    /// `n - 1 - small_in`.
    small_out: u32,
}

/// A `Constant` of `U64Below50` or `U64Below61`: a factor known beforehand.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct U64Constant {
    w: u64,
    quotient: u64,
}

impl U64Modulus {
    /// The constants of `m` for `U64Below50`, or `None` for a prime outside of [5, 2^50).
    pub fn below_50(m: &Modulus) -> Option<Self> {
        (m.value() >= 5 && m.bits() <= 50).then(|| Self::new(m, 50, Self::constant_below_50))
    }

    /// The constants of `m` for `U64Below61`, or `None` for the prime 3.
    pub fn below_61(m: &Modulus) -> Option<Self> {
        (m.value() >= 5).then(|| Self::new(m, 64, Self::constant_below_61))
    }

    /// The constants as words, as they lie in device memory.
    pub fn words(&self) -> [u64; 8] {
        let &Self { q, minus, barrett, power, power_quotient, unit_quotient, .. } = self;
        let (first, last) = (join(self.small, self.bits), join(self.small_out, self.small_in));
        [q, minus, barrett, power, power_quotient, unit_quotient, first, last]
    }

    fn new(m: &Modulus, power: u32, constant: fn(&Modulus, u64) -> U64Constant) -> Self {
        let (q, n) = (m.value(), m.bits());
        let (small_in, power) = (n.saturating_sub(25), constant(m, m.reduce_u128(1 << power)));
        Self {
            q,
            minus: q.wrapping_neg(),
            barrett: ((1u128 << (62 + n)) / u128::from(q)) as u64,
            power: power.w,
            power_quotient: power.quotient,
            unit_quotient: constant(m, 1).quotient,
            bits: n,
            small: ((1u128 << (31 + n)) / u128::from(q)) as u32,
            small_in,
            small_out: n - 1 - small_in,
        }
    }

    /// The residue w, below q, as a factor for `U64Below50`.
    pub fn constant_below_50(m: &Modulus, w: u64) -> U64Constant {
        U64Constant { w, quotient: ((u128::from(w) << 63) / u128::from(m.value())) as u64 }
    }

    /// The residue w, below q, as a factor for `U64Below61`.
    pub fn constant_below_61(m: &Modulus, w: u64) -> U64Constant {
        U64Constant { w, quotient: m.shoup(w) }
    }
}

impl U64Constant {
    /// The constants as words, as they lie in device memory.
    pub fn words(&self) -> [u64; 2] {
        [self.w, self.quotient]
    }
}
