//! Calls the functions of `modarith.cpp`, and states the ranges of the kernels' headers.

use ringjet_cuda::modarith::{F64Constant, F64Modulus, U32Constant, U32Modulus, U64Constant, U64Modulus};
use ringjet_math::Modulus;

/// Lowest and highest value, both included.
type Range = (i128, i128);

/// Ranges of the functions' arguments and results.
pub struct Ranges {
    pub mul: (Range, Range),
    pub mul_out: Range,
    pub mul_const: Range,
    pub mul_const_out: Range,
    /// Arguments of `canonical`, `settle` and `decode`. It contains everything that butterflies
    /// return.
    pub canonical: Range,
    /// Results of `settle`.
    pub settled: Range,
}

pub trait Arithmetic {
    type Word: Copy;
    type Modulus;
    type Constant;
    const NAME: &str;
    const BITS: u32;
    /// `mul(a, b)` returns `a * b / MUL_R`, and `mul_const(x, w)` returns `x * w / CONSTANT_R`,
    /// modulo q.
    const MUL_R: u128 = 1;
    const CONSTANT_R: u128 = 1;

    fn word(x: i128) -> Self::Word;
    fn integer(x: Self::Word) -> i128;
    fn modulus(m: &Modulus) -> Self::Modulus;
    fn constant(m: &Modulus, w: u64) -> Self::Constant;
    fn ranges(q: i128) -> Ranges;
    /// Range of words of width `width` in forward butterflies, in the arithmetic's unit.
    fn forward_width(q: i128, width: i32) -> Range;
    /// Range of words of width `width` in inverse butterflies.
    fn inverse_width(q: i128, width: i32) -> Range;
    /// Ranges of the left and right factors of sums.
    fn factors(q: i128) -> (Range, Range);

    fn mul(m: &Self::Modulus, x: &[Self::Word], y: &[Self::Word]) -> Vec<Self::Word>;
    fn add(m: &Self::Modulus, x: &[Self::Word], y: &[Self::Word]) -> Vec<Self::Word>;
    fn sub(m: &Self::Modulus, x: &[Self::Word], y: &[Self::Word]) -> Vec<Self::Word>;
    fn canonical(m: &Self::Modulus, x: &[Self::Word]) -> Vec<Self::Word>;
    fn settle(m: &Self::Modulus, x: &[Self::Word]) -> Vec<Self::Word>;
    fn mul_const(m: &Self::Modulus, x: &[Self::Word], w: &[Self::Constant]) -> Vec<Self::Word>;
    fn forward(m: &Self::Modulus, x: &mut [Self::Word], y: &mut [Self::Word], w: &[Self::Constant]);
    fn inverse(m: &Self::Modulus, x: &mut [Self::Word], y: &mut [Self::Word], w: &[Self::Constant]);
    fn encode(m: &Self::Modulus, x: &[u64]) -> Vec<Self::Word>;
    fn decode(m: &Self::Modulus, x: &[Self::Word]) -> Vec<u64>;
    fn pack(m: &Self::Modulus, x: &[Self::Word]) -> Vec<u64>;
    fn unpack(m: &Self::Modulus, x: &[u64]) -> Vec<Self::Word>;
    fn sums(m: &Self::Modulus, y: &[Self::Word], w: &[Self::Word], terms: usize) -> Vec<Self::Word>;
    fn form(m: &Self::Modulus, x: &[Self::Word]) -> Vec<Self::Word>;
    fn centre(m: &Self::Modulus, x: &[Self::Word]) -> Vec<Self::Word>;
    fn factor(m: &Self::Modulus, v: &[Self::Constant], w: &[Self::Constant]) -> Vec<Self::Word>;
    /// Returns `reduce` of the product of a `number` and a `right`, for each pair.
    fn numbers(m: &Self::Modulus, y: &[i64], w: &[u64]) -> Vec<Self::Word>;
    fn shape() -> Shape;
    /// The library's name of this arithmetic.
    const OWN: ringjet_cuda::Arithmetic;
}

/// Constants of an arithmetic: see `modarith_word.cuh`.
pub struct Shape {
    pub terms: usize,
    pub left_bits: u32,
    pub canonical: i32,
    pub settled: i32,
    pub product: i32,
    pub mul: i32,
    pub mul_in: i32,
    pub most: i32,
    pub decoded: i32,
    pub bytes: usize,
    /// -1 where packed words stay as they are.
    pub packed: i32,
}

/// Implements the functions of one arithmetic by calls of `modarith.cpp`.
macro_rules! calls {
    ($word:ty, $modulus:ty, $constant:ty, $mul:ident $add:ident $sub:ident $canonical:ident $settle:ident
     $mul_const:ident $forward:ident $inverse:ident $encode:ident $decode:ident $pack:ident $unpack:ident $sums:ident $shape:ident
     $form:ident $centre:ident $factor:ident $numbers:ident) => {
        type Word = $word;
        type Modulus = $modulus;
        type Constant = $constant;

        calls!(@binary $mul, mul, $word, $modulus);
        calls!(@binary $add, add, $word, $modulus);
        calls!(@binary $sub, sub, $word, $modulus);
        calls!(@unary $canonical, canonical, $word, $word, $modulus);
        calls!(@unary $settle, settle, $word, $word, $modulus);
        calls!(@unary $form, form, $word, $word, $modulus);
        calls!(@unary $centre, centre, $word, $word, $modulus);
        calls!(@unary $encode, encode, u64, $word, $modulus);
        calls!(@unary $decode, decode, $word, u64, $modulus);
        calls!(@unary $pack, pack, $word, u64, $modulus);
        calls!(@unary $unpack, unpack, u64, $word, $modulus);
        calls!(@butterfly $forward, forward, $word, $modulus, $constant);
        calls!(@butterfly $inverse, inverse, $word, $modulus, $constant);

        fn mul_const(m: &$modulus, x: &[$word], w: &[$constant]) -> Vec<$word> {
            unsafe extern "C" {
                fn $mul_const(m: *const $modulus, x: *const $word, w: *const $constant, out: *mut $word, n: usize);
            }
            assert_eq!(x.len(), w.len());
            let mut out = vec![<$word>::default(); x.len()];
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { $mul_const(m, x.as_ptr(), w.as_ptr(), out.as_mut_ptr(), x.len()) };
            out
        }

        fn sums(m: &$modulus, y: &[$word], w: &[$word], terms: usize) -> Vec<$word> {
            unsafe extern "C" {
                fn $sums(
                    m: *const $modulus, y: *const $word, w: *const $word, out: *mut $word, terms: usize, n: usize,
                );
            }
            assert_eq!(y.len(), w.len());
            let mut out = vec![<$word>::default(); y.len() / terms];
            // SAFETY: as above.
            unsafe { $sums(m, y.as_ptr(), w.as_ptr(), out.as_mut_ptr(), terms, out.len()) };
            out
        }

        fn factor(m: &$modulus, v: &[$constant], w: &[$constant]) -> Vec<$word> {
            unsafe extern "C" {
                fn $factor(m: *const $modulus, v: *const $constant, w: *const $constant, out: *mut $word, n: usize);
            }
            assert_eq!(v.len(), w.len());
            let mut out = vec![<$word>::default(); v.len()];
            // SAFETY: as above.
            unsafe { $factor(m, v.as_ptr(), w.as_ptr(), out.as_mut_ptr(), v.len()) };
            out
        }

        fn numbers(m: &$modulus, y: &[i64], w: &[u64]) -> Vec<$word> {
            unsafe extern "C" {
                fn $numbers(m: *const $modulus, y: *const i64, w: *const u64, out: *mut $word, n: usize);
            }
            assert_eq!(y.len(), w.len());
            let mut out = vec![<$word>::default(); y.len()];
            // SAFETY: as above.
            unsafe { $numbers(m, y.as_ptr(), w.as_ptr(), out.as_mut_ptr(), y.len()) };
            out
        }

        fn shape() -> Shape {
            unsafe extern "C" {
                fn $shape(out: *mut i32);
            }
            let mut out = [0; 14];
            // SAFETY: the function writes fourteen words.
            unsafe { $shape(out.as_mut_ptr()) };
            let [terms, left_bits, canonical, settled, product, mul, mul_in, most, decoded, bytes, packed, layout @ ..] = out;
            let own = [size_of::<$modulus>(), size_of::<$constant>(), align_of::<$constant>()];
            assert_eq!(layout.map(|x| x as usize), own);
            let (terms, left_bits, bytes) = (terms as usize, left_bits as u32, bytes as usize);
            Shape { terms, left_bits, canonical, settled, product, mul, mul_in, most, decoded, bytes, packed }
        }
    };
    (@binary $name:ident, $as:ident, $word:ty, $modulus:ty) => {
        fn $as(m: &$modulus, x: &[$word], y: &[$word]) -> Vec<$word> {
            unsafe extern "C" {
                fn $name(m: *const $modulus, x: *const $word, y: *const $word, out: *mut $word, n: usize);
            }
            assert_eq!(x.len(), y.len());
            let mut out = vec![<$word>::default(); x.len()];
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { $name(m, x.as_ptr(), y.as_ptr(), out.as_mut_ptr(), x.len()) };
            out
        }
    };
    (@unary $name:ident, $as:ident, $from:ty, $to:ty, $modulus:ty) => {
        fn $as(m: &$modulus, x: &[$from]) -> Vec<$to> {
            unsafe extern "C" {
                fn $name(m: *const $modulus, x: *const $from, out: *mut $to, n: usize);
            }
            let mut out = vec![<$to>::default(); x.len()];
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { $name(m, x.as_ptr(), out.as_mut_ptr(), x.len()) };
            out
        }
    };
    (@butterfly $name:ident, $as:ident, $word:ty, $modulus:ty, $constant:ty) => {
        fn $as(m: &$modulus, x: &mut [$word], y: &mut [$word], w: &[$constant]) {
            unsafe extern "C" {
                fn $name(m: *const $modulus, x: *mut $word, y: *mut $word, w: *const $constant, n: usize);
            }
            assert!(x.len() == y.len() && x.len() == w.len());
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { $name(m, x.as_mut_ptr(), y.as_mut_ptr(), w.as_ptr(), x.len()) };
        }
    };
}

pub struct U32;

impl Arithmetic for U32 {
    const NAME: &str = "U32";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U32;
    const BITS: u32 = 31;
    const MUL_R: u128 = 1 << 32;
    const CONSTANT_R: u128 = 1 << 32;

    fn word(x: i128) -> i32 {
        x.try_into().unwrap()
    }

    fn integer(x: i32) -> i128 {
        x.into()
    }

    fn modulus(m: &Modulus) -> U32Modulus {
        U32Modulus::new(m).unwrap()
    }

    fn constant(m: &Modulus, w: u64) -> U32Constant {
        Self::modulus(m).constant(w)
    }

    fn ranges(q: i128) -> Ranges {
        let (lazy, signed) = ((-q, q - 1), (1 - q, q - 1));
        Ranges {
            mul: (lazy, lazy),
            mul_out: signed,
            mul_const: (i32::MIN.into(), i32::MAX.into()),
            mul_const_out: signed,
            canonical: lazy,
            settled: lazy,
        }
    }

    fn forward_width(q: i128, _: i32) -> Range {
        (-q, q - 1)
    }

    fn inverse_width(q: i128, _: i32) -> Range {
        (-q, q - 1)
    }

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 31) - 1), (0, q - 1))
    }

    calls!(i32, U32Modulus, U32Constant, U32_mul U32_add U32_sub U32_canonical U32_settle
        U32_mul_const U32_forward U32_inverse U32_encode U32_decode U32_pack U32_unpack U32_sums U32_shape
        U32_form U32_centre U32_factor U32_numbers);
}

pub struct U32Unsigned;

impl Arithmetic for U32Unsigned {
    const NAME: &str = "U32Unsigned";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U32Unsigned;
    const BITS: u32 = 31;
    const MUL_R: u128 = 1 << 32;

    fn word(x: i128) -> u32 {
        x.try_into().unwrap()
    }

    fn integer(x: u32) -> i128 {
        x.into()
    }

    fn modulus(m: &Modulus) -> U32Modulus {
        U32Modulus::new(m).unwrap()
    }

    fn constant(m: &Modulus, w: u64) -> U32Constant {
        Self::modulus(m).shoup_constant(w)
    }

    fn ranges(q: i128) -> Ranges {
        let lazy = (0, 2 * q - 1);
        Ranges {
            mul: ((0, q - 1), lazy),
            mul_out: lazy,
            mul_const: (0, u32::MAX.into()),
            mul_const_out: lazy,
            canonical: lazy,
            settled: lazy,
        }
    }

    fn forward_width(q: i128, _: i32) -> Range {
        (0, 2 * q - 1)
    }

    fn inverse_width(q: i128, _: i32) -> Range {
        (0, 2 * q - 1)
    }

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 31) - 1), (0, q - 1))
    }

    calls!(u32, U32Modulus, U32Constant,
        U32Unsigned_mul U32Unsigned_add U32Unsigned_sub U32Unsigned_canonical U32Unsigned_settle
        U32Unsigned_mul_const U32Unsigned_forward U32Unsigned_inverse U32Unsigned_encode U32Unsigned_decode U32Unsigned_pack U32Unsigned_unpack
        U32Unsigned_sums U32Unsigned_shape
        U32Unsigned_form U32Unsigned_centre U32Unsigned_factor U32Unsigned_numbers);
}

pub struct F64;

impl Arithmetic for F64 {
    const NAME: &str = "F64";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::F64;
    const BITS: u32 = 50;

    fn word(x: i128) -> f64 {
        assert!(x.abs() <= 1 << 53);
        x as f64
    }

    fn integer(x: f64) -> i128 {
        assert!(x.fract() == 0.0 && x.abs() <= (1u64 << 53) as f64);
        x as i128
    }

    fn modulus(m: &Modulus) -> F64Modulus {
        F64Modulus::new(m).unwrap()
    }

    fn constant(m: &Modulus, w: u64) -> F64Constant {
        F64Modulus::constant(m, w)
    }

    fn ranges(q: i128) -> Ranges {
        let all = |x: i128| (-x, x);
        Ranges {
            mul: (all(q), all(q)),
            mul_out: all(25 * q / 32),
            mul_const: all((1 << 52) - 1),
            mul_const_out: all(5 * q / 8),
            canonical: all(1 << 53),
            settled: all(q / 2 + 1),
        }
    }

    fn forward_width(q: i128, width: i32) -> Range {
        let x = q * i128::from(width) / 8;
        (-x, x)
    }

    fn inverse_width(q: i128, width: i32) -> Range {
        Self::forward_width(q, width)
    }

    fn factors(q: i128) -> (Range, Range) {
        ((-(1 << 49), 1 << 49), (-(q / 2), q / 2))
    }

    calls!(f64, F64Modulus, F64Constant, F64_mul F64_add F64_sub F64_canonical F64_settle
        F64_mul_const F64_forward F64_inverse F64_encode F64_decode F64_pack F64_unpack F64_sums F64_shape
        F64_form F64_centre F64_factor F64_numbers);
}

pub struct U64Below50;

impl Arithmetic for U64Below50 {
    const NAME: &str = "U64Below50";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U64Below50;
    const BITS: u32 = 50;

    fn word(x: i128) -> u64 {
        x.try_into().unwrap()
    }

    fn integer(x: u64) -> i128 {
        x.into()
    }

    fn modulus(m: &Modulus) -> U64Modulus {
        U64Modulus::below_50(m).unwrap()
    }

    fn constant(m: &Modulus, w: u64) -> U64Constant {
        U64Modulus::constant_below_50(m, w)
    }

    fn ranges(q: i128) -> Ranges {
        Ranges {
            mul: ((0, q - 1), (0, 128 * q - 1)),
            mul_out: (0, 25 * q - 1),
            mul_const: (0, i64::MAX.into()),
            mul_const_out: (0, 5 * q - 1),
            canonical: (0, 128 * q - 1),
            settled: (0, 2 * q - 1),
        }
    }

    fn forward_width(q: i128, width: i32) -> Range {
        (0, q * i128::from(width) - 1)
    }

    fn inverse_width(q: i128, width: i32) -> Range {
        Self::forward_width(q, width)
    }

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 50) - 1), (0, q - 1))
    }

    calls!(u64, U64Modulus, U64Constant,
        U64Below50_mul U64Below50_add U64Below50_sub U64Below50_canonical U64Below50_settle
        U64Below50_mul_const U64Below50_forward U64Below50_inverse U64Below50_encode U64Below50_decode U64Below50_pack U64Below50_unpack
        U64Below50_sums U64Below50_shape
        U64Below50_form U64Below50_centre U64Below50_factor U64Below50_numbers);
}

/// Implements an arithmetic for primes below 2^48: that of another one, whose words are narrower in
/// memory.
macro_rules! below_48 {
    ($name:ident: $base:ident, $ranges:expr; $($calls:tt)*) => {
        pub struct $name;

        impl Arithmetic for $name {
            const NAME: &str = stringify!($name);
            const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::$name;
            const BITS: u32 = 48;

            fn word(x: i128) -> Self::Word {
                $base::word(x)
            }

            fn integer(x: Self::Word) -> i128 {
                $base::integer(x)
            }

            fn modulus(m: &Modulus) -> Self::Modulus {
                $base::modulus(m)
            }

            fn constant(m: &Modulus, w: u64) -> Self::Constant {
                $base::constant(m, w)
            }

            fn ranges(q: i128) -> Ranges {
                let ranges: fn(i128) -> Ranges = $ranges;
                ranges(q)
            }

            fn forward_width(q: i128, width: i32) -> Range {
                $base::forward_width(q, width)
            }

            fn inverse_width(q: i128, width: i32) -> Range {
                $base::inverse_width(q, width)
            }

            fn factors(q: i128) -> (Range, Range) {
                let (left, right) = $base::factors(q);
                // the least and the largest of a residue below 2^48
                ((left.0 / 4, left.1 / 4), right)
            }

            calls!($($calls)*);
        }
    };
}

below_48!(F64Below48: F64, |q| Ranges { mul: ((-q, q), (-4 * q, 4 * q)), ..F64::ranges(q) };
    f64, F64Modulus, F64Constant,
    F64Below48_mul F64Below48_add F64Below48_sub F64Below48_canonical F64Below48_settle
    F64Below48_mul_const F64Below48_forward F64Below48_inverse F64Below48_encode F64Below48_decode
    F64Below48_pack F64Below48_unpack F64Below48_sums F64Below48_shape
    F64Below48_form F64Below48_centre F64Below48_factor F64Below48_numbers);

below_48!(U64Below48: U64Below50, U64Below50::ranges;
    u64, U64Modulus, U64Constant,
    U64Below48_mul U64Below48_add U64Below48_sub U64Below48_canonical U64Below48_settle
    U64Below48_mul_const U64Below48_forward U64Below48_inverse U64Below48_encode U64Below48_decode
    U64Below48_pack U64Below48_unpack U64Below48_sums U64Below48_shape
    U64Below48_form U64Below48_centre U64Below48_factor U64Below48_numbers);

pub struct U64Below61;

impl Arithmetic for U64Below61 {
    const NAME: &str = "U64Below61";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U64Below61;
    const BITS: u32 = 61;

    fn word(x: i128) -> u64 {
        x.try_into().unwrap()
    }

    fn integer(x: u64) -> i128 {
        x.into()
    }

    fn modulus(m: &Modulus) -> U64Modulus {
        U64Modulus::below_61(m).unwrap()
    }

    fn constant(m: &Modulus, w: u64) -> U64Constant {
        U64Modulus::constant_below_61(m, w)
    }

    fn ranges(q: i128) -> Ranges {
        Ranges {
            mul: ((0, 2 * q), (0, q)),
            mul_out: (0, 3 * q - 1),
            mul_const: (0, u64::MAX.into()),
            mul_const_out: (0, 2 * q - 1),
            canonical: (0, 4 * q - 1),
            settled: (0, 2 * q - 1),
        }
    }

    fn forward_width(q: i128, _: i32) -> Range {
        (0, 4 * q - 1)
    }

    fn inverse_width(q: i128, _: i32) -> Range {
        (0, 2 * q - 1)
    }

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 61) - 1), (0, q - 1))
    }

    calls!(u64, U64Modulus, U64Constant,
        U64Below61_mul U64Below61_add U64Below61_sub U64Below61_canonical U64Below61_settle
        U64Below61_mul_const U64Below61_forward U64Below61_inverse U64Below61_encode U64Below61_decode U64Below61_pack U64Below61_unpack
        U64Below61_sums U64Below61_shape
        U64Below61_form U64Below61_centre U64Below61_factor U64Below61_numbers);
}

/// `fraction(y[i], ratio, bits)` for each i.
pub fn fraction(y: &[u64], ratio: u64, bits: u32) -> Vec<u64> {
    unsafe extern "C" {
        fn word_fraction(y: *const u64, ratio: *const u64, out: *mut u64, bits: i32, n: usize);
    }
    let (ratio, mut out) = (vec![ratio; y.len()], vec![0; y.len()]);
    // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
    unsafe { word_fraction(y.as_ptr(), ratio.as_ptr(), out.as_mut_ptr(), bits as i32, y.len()) };
    out
}
