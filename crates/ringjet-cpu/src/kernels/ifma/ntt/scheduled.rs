//! Assembly with a fixed order of instructions, written by `tools/schedule.py`. The passes are for
//! processors that issue half as many IFMA multiply-adds as additions, such as a Zen 4. The tiles
//! are for a Zen 5, and are used where nothing else is prefetched. Every function computes the same
//! bits as the Rust function with a similar name in [`super::pass`], or as the tile functions of
//! [`super::ring::Ntt`]. `docs/tuning/transforms.md` has the measurements, and explains why the
//! order matters.

use std::arch::asm;

use super::tables::{Buffer, Eight, Pair, Tables};
use crate::kernels::ifma::arith::Constant;

/// Rows of words that a pass transforms in place.
#[derive(Clone, Copy)]
pub(super) struct InPlace {
    /// A pointer to the first word.
    pub(super) start: *mut u64,
    /// Number of words from one row to the next.
    pub(super) stride: usize,
    /// Number of words of a row, a multiple of [`LEAST`].
    pub(super) words: usize,
}

/// Smallest number of words of a row.
pub(super) const LEAST: usize = 512;

/// Constants that all passes read: q, 2q, 4q, 2, and the constant 1 as a factor.
pub(super) type Shared = [u64; 6];

macro_rules! passes {
    ($($name:ident)*) => {$(
        /// # Safety
        /// The processor has AVX-512 F and IFMA, and nobody else uses the rows. `top` has the
        /// constants of a node as [`super::tables`] describes them, and `low`, in passes of eight
        /// rows, those of its grandchildren.
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

/// The operands of a tile's transform.
pub(super) struct Tile<'a, const K: usize> {
    /// The words of the tile are read from `src`, which may equal `x`, and written to `x`.
    pub(super) src: *const u64,
    pub(super) x: *mut u64,
    pub(super) buffer: &'a mut Buffer,
    pub(super) shared: &'a Shared,
    pub(super) tables: &'a Tables<K>,
    /// The number of the tile.
    pub(super) tile: usize,
    /// The tile that is transformed next, which an inverse transform of a tile prefetches.
    pub(super) next: *const u64,
}

/// Vectors that the assembly reads: the word numbers of `transpose_quarters`, and 2 in even lanes.
#[repr(align(64))]
struct Vectors([[u64; 8]; 3]);

static VECTORS: Vectors = Vectors([[0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15], [2, 0, 2, 0, 2, 0, 2, 0]]);

macro_rules! tiles {
    ($($name:ident $constants:literal)*) => {$(
        /// # Safety
        /// The processor has AVX-512 F and IFMA, and nobody else uses the words.
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512ifma")]
        unsafe fn $name(tile: &mut Tile<'_, $constants>) {
            let tables = tile.tables;
            let (top, pairs): (&Eight<$constants>, &[Pair; _]) = (&tables.tiles[tile.tile], tables.of_tile(tile.tile));
            // SAFETY: by the caller's promise; any address may be prefetched.
            unsafe {
                asm!(
                    include_str!(concat!("scheduled/", stringify!($name), ".s")),
                    x = inout(reg) tile.x => _,
                    src = inout(reg) tile.src => _,
                    buffer = inout(reg) tile.buffer.0.as_mut_ptr() => _,
                    k = in(reg) tile.shared.as_ptr(),
                    vectors = in(reg) VECTORS.0.as_ptr(),
                    top = in(reg) top,
                    pair = inout(reg) pairs.as_ptr() => _,
                    shared = inout(reg) tables.shared.as_ptr() => _,
                    scale = in(reg) tables.scale.0.as_ptr(),
                    next = inout(reg) tile.next => _,
                    n = out(reg) _,
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

tiles! { forward_tile 5 inverse_tile 8 inverse_tile_residues 8 inverse_tile_fractions 8 }

/// The last nine levels of the forward transform of a tile.
///
/// # Safety
/// The processor has AVX-512 F and IFMA, and nobody else uses the words.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn forward(tile: &mut Tile<'_, 5>) {
    // SAFETY: by the caller's promise.
    unsafe { forward_tile(tile) }
}

/// The first nine levels of the inverse transform of a tile; the results are fractions if the
/// tile's number is odd. The two kinds of tiles use the same code for their common part, because a
/// Zen 5 cannot hold more decoded instructions.
///
/// # Safety
/// The processor has AVX-512 F and IFMA, and nobody else uses the words.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn inverse(tile: &mut Tile<'_, 8>) {
    // SAFETY: by the caller's promise.
    unsafe {
        inverse_tile(tile);
        if tile.tile % 2 == 1 { inverse_tile_fractions(tile) } else { inverse_tile_residues(tile) }
    }
}
