//! Passes whose operations are in the order that `tools/schedule.py` gave them, for processors where multiplications are scarce: in a compiler's order
//! a Zen 4 multiplies for some five sixths of a pass. Results are those of the functions of similar names in [`super::pass`], to the bit. Why the order
//! matters is told in `docs/proofs/ntt-ifma.md`.

use std::arch::asm;

use crate::ifma::arith::Constant;

/// Rows of words in their place.
#[derive(Clone, Copy)]
pub(super) struct InPlace {
    /// The first word.
    pub(super) start: *mut u64,
    /// Words from one row to the next.
    pub(super) stride: usize,
    /// Words of a row: a multiple of [`LEAST`].
    pub(super) words: usize,
}

/// Words of a row at least, and what they are a multiple of.
pub(super) const LEAST: usize = 512;

/// What passes read besides: q, 2q, 4q, 2, and the constant 1.
pub(super) type Shared = [u64; 6];

macro_rules! passes {
    ($($name:ident)*) => {$(
        /// # Safety
        /// The processor has AVX-512 F and IFMA, and nobody else uses the rows. `top` has the constants of a node as [`super::tables`] describes
        /// them, and `low`, in passes of eight rows, those of its grandchildren.
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512ifma")]
        pub(super) unsafe fn $name(x: InPlace, shared: &Shared, top: &[Constant], low: &[Constant]) {
            debug_assert!(x.words >= LEAST && x.words.is_multiple_of(LEAST));
            let stride = 8 * x.stride;
            // SAFETY: by the caller's promise.
            unsafe {
                asm!(
                    include_str!(concat!("scheduled/", stringify!($name), ".s")),
                    p = inout(reg) x.start => _,
                    n = inout(reg) x.words / 8 => _,
                    s = in(reg) stride,
                    s3 = in(reg) 3 * stride,
                    s5 = in(reg) 5 * stride,
                    s7 = in(reg) 7 * stride,
                    k = in(reg) shared.as_ptr(),
                    top = in(reg) top.as_ptr(),
                    low = in(reg) low.as_ptr(),
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
                    out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _, out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                    out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                    out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                    options(nostack),
                );
            }
        }
    )*};
}

passes! {
    forward8_first forward8 forward4_first forward4
    inverse8_residues inverse8_fractions inverse8_scaled inverse4_residues inverse4_fractions inverse4_scaled
}
