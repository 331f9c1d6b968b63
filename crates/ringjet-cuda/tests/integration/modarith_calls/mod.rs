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

/// A word of an arithmetic.
pub trait Word: Copy {
    fn of(x: i128) -> Self;
    fn integer(self) -> i128;
}

macro_rules! integer_words {
    ($($word:ty)+) => {
        $(impl Word for $word {
            fn of(x: i128) -> Self {
                x.try_into().unwrap()
            }

            fn integer(self) -> i128 {
                self.into()
            }
        })+
    };
}

integer_words!(i32 u32 u64);

impl Word for f64 {
    fn of(x: i128) -> Self {
        assert!(x.abs() <= 1 << 53);
        x as f64
    }

    fn integer(self) -> i128 {
        assert!(self.fract() == 0.0 && self.abs() <= (1u64 << 53) as f64);
        self as i128
    }
}

pub trait Arithmetic {
    type Word: Word;
    type Modulus;
    type Constant;
    const NAME: &str;
    const BITS: u32;
    /// `mul(a, b)` returns `a * b / MUL_R`, and `mul_const(x, w)` returns `x * w / CONSTANT_R`,
    /// modulo q.
    const MUL_R: u128 = 1;
    const CONSTANT_R: u128 = 1;

    fn modulus(m: &Modulus) -> Self::Modulus;
    fn constant(m: &Modulus, w: u64) -> Self::Constant;
    fn ranges(q: i128) -> Ranges;
    /// Range of words of width `width` in forward butterflies, in the arithmetic's unit.
    fn forward_width(q: i128, width: i32) -> Range;
    /// Range of words of width `width` in inverse butterflies.
    fn inverse_width(q: i128, width: i32) -> Range {
        Self::forward_width(q, width)
    }
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
    ($prefix:literal, $word:ty, $modulus:ty, $constant:ty) => {
        type Word = $word;
        type Modulus = $modulus;
        type Constant = $constant;

        calls!(@binary $prefix, mul, $word, $word, $word, $modulus);
        calls!(@binary $prefix, add, $word, $word, $word, $modulus);
        calls!(@binary $prefix, sub, $word, $word, $word, $modulus);
        calls!(@binary $prefix, mul_const, $word, $constant, $word, $modulus);
        calls!(@binary $prefix, factor, $constant, $constant, $word, $modulus);
        calls!(@binary $prefix, numbers, i64, u64, $word, $modulus);
        calls!(@unary $prefix, canonical, $word, $word, $modulus);
        calls!(@unary $prefix, settle, $word, $word, $modulus);
        calls!(@unary $prefix, form, $word, $word, $modulus);
        calls!(@unary $prefix, centre, $word, $word, $modulus);
        calls!(@unary $prefix, encode, u64, $word, $modulus);
        calls!(@unary $prefix, decode, $word, u64, $modulus);
        calls!(@unary $prefix, pack, $word, u64, $modulus);
        calls!(@unary $prefix, unpack, u64, $word, $modulus);
        calls!(@butterfly $prefix, forward, $word, $modulus, $constant);
        calls!(@butterfly $prefix, inverse, $word, $modulus, $constant);

        fn sums(m: &$modulus, y: &[$word], w: &[$word], terms: usize) -> Vec<$word> {
            unsafe extern "C" {
                #[link_name = concat!($prefix, "_sums")]
                fn function(
                    m: *const $modulus, y: *const $word, w: *const $word, out: *mut $word, terms: usize, n: usize,
                );
            }
            assert_eq!(y.len(), w.len());
            let mut out = vec![<$word>::default(); y.len() / terms];
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { function(m, y.as_ptr(), w.as_ptr(), out.as_mut_ptr(), terms, out.len()) };
            out
        }

        fn shape() -> Shape {
            unsafe extern "C" {
                #[link_name = concat!($prefix, "_shape")]
                fn function(out: *mut i32);
            }
            let mut out = [0; 14];
            // SAFETY: the function writes fourteen words.
            unsafe { function(out.as_mut_ptr()) };
            let [terms, left_bits, canonical, settled, product, mul, mul_in, most, decoded, bytes, packed, layout @ ..] = out;
            let own = [size_of::<$modulus>(), size_of::<$constant>(), align_of::<$constant>()];
            assert_eq!(layout.map(|x| x as usize), own);
            let (terms, left_bits, bytes) = (terms as usize, left_bits as u32, bytes as usize);
            Shape { terms, left_bits, canonical, settled, product, mul, mul_in, most, decoded, bytes, packed }
        }
    };
    (@binary $prefix:literal, $name:ident, $left:ty, $right:ty, $word:ty, $modulus:ty) => {
        fn $name(m: &$modulus, x: &[$left], y: &[$right]) -> Vec<$word> {
            unsafe extern "C" {
                #[link_name = concat!($prefix, "_", stringify!($name))]
                fn function(m: *const $modulus, x: *const $left, y: *const $right, out: *mut $word, n: usize);
            }
            assert_eq!(x.len(), y.len());
            let mut out = vec![<$word>::default(); x.len()];
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { function(m, x.as_ptr(), y.as_ptr(), out.as_mut_ptr(), x.len()) };
            out
        }
    };
    (@unary $prefix:literal, $name:ident, $from:ty, $to:ty, $modulus:ty) => {
        fn $name(m: &$modulus, x: &[$from]) -> Vec<$to> {
            unsafe extern "C" {
                #[link_name = concat!($prefix, "_", stringify!($name))]
                fn function(m: *const $modulus, x: *const $from, out: *mut $to, n: usize);
            }
            let mut out = vec![<$to>::default(); x.len()];
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { function(m, x.as_ptr(), out.as_mut_ptr(), x.len()) };
            out
        }
    };
    (@butterfly $prefix:literal, $name:ident, $word:ty, $modulus:ty, $constant:ty) => {
        fn $name(m: &$modulus, x: &mut [$word], y: &mut [$word], w: &[$constant]) {
            unsafe extern "C" {
                #[link_name = concat!($prefix, "_", stringify!($name))]
                fn function(m: *const $modulus, x: *mut $word, y: *mut $word, w: *const $constant, n: usize);
            }
            assert!(x.len() == y.len() && x.len() == w.len());
            // SAFETY: the arrays have the length that is passed; `shape` checks the layouts.
            unsafe { function(m, x.as_mut_ptr(), y.as_mut_ptr(), w.as_ptr(), x.len()) };
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

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 31) - 1), (0, q - 1))
    }

    calls!("U32", i32, U32Modulus, U32Constant);
}

pub struct U32Unsigned;

impl Arithmetic for U32Unsigned {
    const NAME: &str = "U32Unsigned";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U32Unsigned;
    const BITS: u32 = 31;
    const MUL_R: u128 = 1 << 32;

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

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 31) - 1), (0, q - 1))
    }

    calls!("U32Unsigned", u32, U32Modulus, U32Constant);
}

pub struct F64;

impl Arithmetic for F64 {
    const NAME: &str = "F64";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::F64;
    const BITS: u32 = 50;

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

    fn factors(q: i128) -> (Range, Range) {
        ((-(1 << 49), 1 << 49), (-(q / 2), q / 2))
    }

    calls!("F64", f64, F64Modulus, F64Constant);
}

pub struct U64Below50;

impl Arithmetic for U64Below50 {
    const NAME: &str = "U64Below50";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U64Below50;
    const BITS: u32 = 50;

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

    fn factors(q: i128) -> (Range, Range) {
        ((0, (1 << 50) - 1), (0, q - 1))
    }

    calls!("U64Below50", u64, U64Modulus, U64Constant);
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

below_48!(F64Below48: F64, |q| Ranges { mul: ((-q, q), (-4 * q, 4 * q)), ..F64::ranges(q) }; "F64Below48", f64, F64Modulus, F64Constant);

below_48!(U64Below48: U64Below50, U64Below50::ranges; "U64Below48", u64, U64Modulus, U64Constant);

pub struct U64Below61;

impl Arithmetic for U64Below61 {
    const NAME: &str = "U64Below61";
    const OWN: ringjet_cuda::Arithmetic = ringjet_cuda::Arithmetic::U64Below61;
    const BITS: u32 = 61;

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

    calls!("U64Below61", u64, U64Modulus, U64Constant);
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
