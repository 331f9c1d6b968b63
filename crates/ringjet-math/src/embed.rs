//! Converts vectors of numbers to integer polynomials and back, through the canonical embedding.

use crate::fft::{Complex64, SpecialFft};
use crate::memory::{OutOfMemory, capacity, collected, zeros};

/// Integer coefficients of a polynomial of degree below N, in the narrower of two integer types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coefficients {
    /// All coefficients are below 2^62 in absolute value.
    I64(Vec<i64>),
    /// All coefficients are below 2^120 in absolute value.
    I128(Vec<i128>),
}

impl Coefficients {
    /// Number of coefficients, N.
    pub fn len(&self) -> usize {
        match self {
            Self::I64(c) => c.len(),
            Self::I128(c) => c.len(),
        }
    }

    /// Whether there are no coefficients.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Coefficients must be below 2^120 in absolute value.
pub const MAX_COEFFICIENT_BITS: u32 = 120;

/// An error of encoding or decoding.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A value, the scale, or a product of the two is infinite or not a number.
    #[error("a value or the scale {scale} is not finite, or their product is not")]
    NotFinite {
        /// The scale that was given.
        scale: f64,
    },
    /// A coefficient is too large.
    #[error("the largest coefficient is {magnitude:e} (2^{:.1}); {bits} bits are available", .magnitude.log2())]
    TooLarge {
        /// Absolute value of the largest coefficient, after scaling.
        magnitude: f64,
        /// Number of bits that a coefficient may have.
        bits: u32,
    },
    /// There are more values than slots.
    #[error("{len} values for {slots} slots")]
    TooManyValues {
        /// Number of values.
        len: usize,
        /// Number of slots.
        slots: usize,
    },
    /// The number of coefficients is not a power of two (up to 2^20 for encoding), or is less than
    /// twice the number of slots.
    #[error("2^{log_slots} slots do not fit {n} coefficients")]
    BadLength {
        /// Binary logarithm of the number of slots.
        log_slots: u32,
        /// Number of coefficients.
        n: usize,
    },
    /// There is no memory for the coefficients or for the transform.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// Encodes complex `values` into N = 2^log_n coefficients: `scale` times the inverse embedding,
/// rounded to the nearest integer, ties to even. Slot j has the value `values[j]`; missing values
/// are zero. With n < N/2 slots only every coefficient whose index is a multiple of N/(2n) is
/// non-zero (sparse packing: full packing would hold the vector N/(2n) times).
///
/// While all coefficients are below 2^50 in absolute value, the rounding error of at most 1/2 per
/// coefficient dominates. Above 2^50 the precision of `f64` dominates: the error is about
/// `2^-53 * log2(n)` times the largest coefficient. So a scale beyond 2^53 does not add precision;
/// it only makes the lowest bits of the coefficients zero.
///
/// # Errors
/// [`EmbedError`] for a coefficient of 2^120 or more, for values that are not finite, and for
/// lengths that do not fit.
pub fn encode_coefficients(
    fft: &SpecialFft,
    values: &[Complex64],
    log_n: u32,
    scale: f64,
) -> Result<Coefficients, EmbedError> {
    let (mut re, mut im) = buffers(fft, values.len(), log_n)?;
    for ((re, im), z) in re.iter_mut().zip(&mut im).zip(values) {
        (*re, *im) = (z.re, z.im);
    }
    encode(fft, re, im, log_n, scale)
}

/// Encodes real values like [`encode_coefficients`].
///
/// # Errors
/// As [`encode_coefficients`].
pub fn encode_real(fft: &SpecialFft, values: &[f64], log_n: u32, scale: f64) -> Result<Coefficients, EmbedError> {
    let (mut re, im) = buffers(fft, values.len(), log_n)?;
    re[..values.len()].copy_from_slice(values);
    encode(fft, re, im, log_n, scale)
}

/// Decodes N coefficients (as `f64`, see [`crate::crt::CrtDecoder`]) into `out`: one complex number
/// for each slot, divided by `scale`. With sparse packing (n < N/2 slots) only the coefficients
/// whose indices are multiples of N/(2n) are read.
///
/// # Errors
/// [`EmbedError::BadLength`] unless N is a power of two of at least 2n, and
/// [`EmbedError::TooManyValues`] if `out` has more than n entries.
pub fn decode_coefficients(
    fft: &SpecialFft,
    coefficients: &[f64],
    scale: f64,
    out: &mut [Complex64],
) -> Result<(), EmbedError> {
    let (re, im) = decode(fft, coefficients, out.len())?;
    let factor = 1.0 / scale;
    for ((z, &re), &im) in out.iter_mut().zip(&re).zip(&im) {
        *z = Complex64 { re: re * factor, im: im * factor };
    }
    Ok(())
}

fn buffers(fft: &SpecialFft, len: usize, log_n: u32) -> Result<(Vec<f64>, Vec<f64>), EmbedError> {
    let slots = fft.slots();
    if len > slots {
        return Err(EmbedError::TooManyValues { len, slots });
    }
    if log_n <= fft.log_slots() || log_n > 20 {
        return Err(EmbedError::BadLength { log_slots: fft.log_slots(), n: 1usize.checked_shl(log_n).unwrap_or(0) });
    }
    Ok((zeros(slots)?, zeros(slots)?))
}

fn decode(fft: &SpecialFft, coefficients: &[f64], len: usize) -> Result<(Vec<f64>, Vec<f64>), EmbedError> {
    let (slots, n) = (fft.slots(), coefficients.len());
    if !n.is_power_of_two() || n < 2 * slots {
        return Err(EmbedError::BadLength { log_slots: fft.log_slots(), n });
    }
    if len > slots {
        return Err(EmbedError::TooManyValues { len, slots });
    }
    let (low, high) = coefficients.split_at(n / 2);
    let strided = |c: &[f64]| collected(c.iter().step_by(n / (2 * slots)).copied());
    let (mut re, mut im) = (strided(low)?, strided(high)?);
    fft.forward_split(&mut re, &mut im)?;
    Ok((re, im))
}

fn encode(
    fft: &SpecialFft,
    mut re: Vec<f64>,
    mut im: Vec<f64>,
    log_n: u32,
    scale: f64,
) -> Result<Coefficients, EmbedError> {
    fft.inverse_unscaled_split(&mut re, &mut im)?;
    let factor = scale / fft.slots() as f64;
    let mut largest = 0.0f64;
    let mut finite = 0.0f64; // stays 0, or becomes NaN if a value is infinite or NaN
    for v in re.iter_mut().chain(&mut im) {
        *v *= factor;
        largest = if v.abs() > largest { v.abs() } else { largest };
        finite += *v * 0.0;
    }
    if finite != 0.0 {
        return Err(EmbedError::NotFinite { scale });
    }
    if largest >= f64::from(MAX_COEFFICIENT_BITS).exp2() {
        return Err(EmbedError::TooLarge { magnitude: largest, bits: MAX_COEFFICIENT_BITS });
    }
    let halves = [&re[..], &im[..]];
    Ok(if largest < 2f64.powi(51) - 1.0 {
        Coefficients::I64(spread(halves, log_n, round_small)?)
    } else if largest < 2f64.powi(62) {
        Coefficients::I64(spread(halves, log_n, |x| x.round_ties_even() as i64)?)
    } else {
        Coefficients::I128(spread(halves, log_n, |x| x.round_ties_even() as i128)?)
    })
}

/// Rounds `|x| <= 2^51 - 1` to the nearest integer, ties to even: adding `1.5 * 2^52` shifts the
/// fraction out of the significand.
#[inline(always)]
fn round_small(x: f64) -> i64 {
    const SHIFT: f64 = 6755399441055744.0;
    ((x + SHIFT).to_bits() as i64).wrapping_sub(SHIFT.to_bits() as i64)
}

/// Places 2n numbers at the multiples of N/(2n) among N coefficients; the others are zero.
fn spread<T: Default + Copy>(halves: [&[f64]; 2], log_n: u32, f: impl Fn(f64) -> T) -> Result<Vec<T>, OutOfMemory> {
    let slots = halves[0].len();
    if 2 * slots == 1 << log_n {
        let mut out = capacity(2 * slots)?;
        out.extend(halves[0].iter().chain(halves[1]).map(|&x| f(x)));
        return Ok(out);
    }
    let mut out = zeros(1 << log_n)?;
    let stride = (1 << log_n) / (2 * slots);
    out.iter_mut().step_by(stride).zip(halves[0].iter().chain(halves[1])).for_each(|(o, &x)| *o = f(x));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::{Dd, Octant};

    fn values(n: usize, mut state: u64) -> Vec<Complex64> {
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / 2f64.powi(52) - 1.0
        };
        (0..n).map(|_| Complex64::new(next(), next())).collect()
    }

    /// `(scale / n) * Re(sum_j z_j * conj(zeta^(5^j * k)))` for k < 2n, in double-double: the
    /// definition of the inverse embedding.
    fn reference(z: &[Complex64], scale: f64) -> Vec<Dd> {
        let n = z.len();
        let order = 4 * n as u64;
        let roots = Octant::new(order.trailing_zeros());
        (0..2 * n as u64)
            .map(|k| {
                let (mut acc, mut power) = (Dd::from(0.0), 1u64);
                for z in z {
                    let (cos, sin) = roots.root(power * k % order);
                    acc = acc + cos * z.re.into() + sin * z.im.into();
                    power = power * 5 % order;
                }
                acc * Dd::from(scale) * Dd::from(1.0 / n as f64)
            })
            .collect()
    }

    #[test]
    fn error_is_the_rounding_and_then_that_of_f64() {
        for log in [3u32, 6, 8] {
            let (fft, z) = (SpecialFft::new(log).unwrap(), values(1 << log, 11));
            for bits in [20, 40, 48, 55, 60] {
                let scale = 2f64.powi(bits);
                let Coefficients::I64(got) = encode_coefficients(&fft, &z, log + 1, scale).unwrap() else { panic!() };
                let want = reference(&z, scale);
                let largest = want.iter().map(|w| w.hi.abs()).fold(0.0, f64::max);
                let error = |(g, w): (&i64, &Dd)| {
                    let high = (*g >> 30 << 30) as f64; // exact: at most 34 bits above 2^30
                    (Dd::from(high) + Dd::from((*g - (*g >> 30 << 30)) as f64) - *w).hi.abs()
                };
                let worst = got.iter().zip(&want).map(error).fold(0.0, f64::max);
                let bound = 0.5 + largest * 2f64.powi(-53) * f64::from(log + 1);
                assert!(worst <= bound, "n = 2^{log}, scale 2^{bits}: {worst} > {bound}");
            }
        }
    }

    #[test]
    fn round_trip_dense_sparse_and_wide() {
        for (log_slots, log_n, bits) in [(9, 10, 45), (4, 10, 45), (0, 10, 45), (9, 10, 80), (5, 8, 115)] {
            let (fft, z) = (SpecialFft::new(log_slots).unwrap(), values(1 << log_slots, 5));
            let scale = 2f64.powi(bits);
            let c = encode_coefficients(&fft, &z, log_n, scale).unwrap();
            let f: Vec<f64> = match &c {
                Coefficients::I64(c) => c.iter().map(|&v| v as f64).collect(),
                Coefficients::I128(c) => c.iter().map(|&v| v as f64).collect(),
            };
            assert_eq!((c.len(), matches!(c, Coefficients::I64(_))), (1 << log_n, bits < 62));
            let stride = 1 << (log_n - log_slots - 1);
            assert!(f.iter().enumerate().all(|(i, &v)| i % stride == 0 || v == 0.0));
            let mut out = vec![Complex64::default(); 1 << log_slots];
            decode_coefficients(&fft, &f, scale, &mut out).unwrap();
            let worst = out.iter().zip(&z).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max);
            let bound = 2f64.powi(log_slots as i32 - bits) + 2f64.powi(-48);
            assert!(worst < bound, "{log_slots} {log_n} {bits}: {worst:e}");
        }
    }

    #[test]
    fn sparse_packing_is_the_repeated_vector() {
        let z = values(8, 9);
        let repeated: Vec<_> = z.iter().cycle().take(64).copied().collect();
        let sparse = encode_coefficients(&SpecialFft::new(3).unwrap(), &z, 7, 2f64.powi(40)).unwrap();
        let dense = encode_coefficients(&SpecialFft::new(6).unwrap(), &repeated, 7, 2f64.powi(40)).unwrap();
        assert_eq!(sparse, dense);
    }

    #[test]
    fn real_vectors() {
        let (fft, scale) = (SpecialFft::new(7).unwrap(), 2f64.powi(50));
        let x: Vec<f64> = values(128, 2).iter().map(|z| z.re).collect();
        let z: Vec<Complex64> = x.iter().map(|&x| x.into()).collect();
        let c = encode_real(&fft, &x[..100], 8, scale).unwrap();
        let zero_padded: Vec<_> = z[..100].iter().copied().chain(vec![Complex64::default(); 28]).collect();
        assert_eq!(c, encode_coefficients(&fft, &zero_padded, 8, scale).unwrap());
        let Coefficients::I64(c) = c else { panic!() };
        let f: Vec<f64> = c.iter().map(|&v| v as f64).collect();
        let mut out = vec![Complex64::default(); 128];
        decode_coefficients(&fft, &f, scale, &mut out).unwrap();
        assert!(out.iter().zip(&zero_padded).all(|(&a, &b)| (a - b).abs() < 1e-13));
        // The same value in every slot gives a constant polynomial.
        let Coefficients::I64(c) = encode_real(&fft, &[0.75; 128], 8, 1024.0).unwrap() else { panic!() };
        assert_eq!((c[0], c[1..].iter().all(|&v| v == 0)), (768, true));
    }

    #[test]
    fn ties_go_to_even() {
        let inputs = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.25, -3.75, 2251799813685246.5, -2251799813685246.5, -0.0];
        for x in inputs {
            assert_eq!(round_small(x), x.round_ties_even() as i64, "{x}");
        }
    }

    #[test]
    fn refusals() {
        let fft = SpecialFft::new(3).unwrap();
        let err = |v: &[f64], log_n, scale| encode_real(&fft, v, log_n, scale).unwrap_err();
        assert_eq!(err(&[1.0; 9], 4, 1.0), EmbedError::TooManyValues { len: 9, slots: 8 });
        assert_eq!(err(&[1.0], 3, 1.0), EmbedError::BadLength { log_slots: 3, n: 8 });
        assert_eq!(err(&[f64::NAN], 4, 1.0), EmbedError::NotFinite { scale: 1.0 });
        assert_eq!(err(&[1e308; 8], 4, 1e10), EmbedError::NotFinite { scale: 1e10 });
        assert!(matches!(err(&[1.0], 4, f64::NAN), EmbedError::NotFinite { .. }));
        let too_large = EmbedError::TooLarge { magnitude: 2f64.powi(121), bits: 120 };
        assert_eq!(err(&[2.0; 8], 4, 2f64.powi(120)), too_large);
        assert!(too_large.to_string().contains("(2^121.0); 120 bits are available"));
        assert!(decode_coefficients(&fft, &[0.0; 8], 1.0, &mut [Complex64::default()]).is_err());
        assert!(decode_coefficients(&fft, &[0.0; 16], 1.0, &mut [Complex64::default(); 9]).is_err());
    }
}
