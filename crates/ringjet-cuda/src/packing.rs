//! Residues of fewer than 8 bytes in the layout of the kernels (`Limb` in `kernels/device.cuh`).

use std::sync::{Mutex, PoisonError};

use ringjet_backend::{Width, host};

/// Words of 8 bytes that a limb of `n` residues takes: whole words for each of its arrays.
pub fn limb_words(width: Width, n: usize) -> usize {
    match width {
        Width::Four => n.div_ceil(2),
        Width::Six => n.div_ceil(2) + n.div_ceil(4),
        Width::Eight => n,
    }
}

/// Packs limbs of `n` residues each into `out`, with up to `threads` threads. Residues of 4 bytes
/// follow one another. Of residues of 6 bytes, the lower 32 bits of all come first, then the upper 16
/// of all.
pub fn pack(width: Width, n: usize, residues: &[u64], out: &mut [u64], threads: usize) {
    let packed = out.chunks_exact_mut(limb_words(width, n).max(1));
    let limbs = residues.chunks_exact(n.max(1)).zip(packed);
    each_limb(threads, residues.len(), limbs, |(limb, out)| match width {
        Width::Eight => out.copy_from_slice(limb),
        Width::Four => pack_array::<2>(limb, 0, out),
        Width::Six => {
            let (low, high) = out.split_at_mut(n.div_ceil(2));
            pack_array::<2>(limb, 0, low);
            pack_array::<4>(limb, 32, high);
        }
    });
}

/// The residues that [`pack`] packed.
pub fn unpack(width: Width, n: usize, packed: &[u64], residues: &mut [u64], threads: usize) {
    let (words, packed) = (residues.len(), packed.chunks_exact(limb_words(width, n).max(1)));
    let limbs = residues.chunks_exact_mut(n.max(1)).zip(packed);
    each_limb(threads, words, limbs, |(limb, packed)| {
        if width == Width::Eight {
            return limb.copy_from_slice(packed);
        }
        let (low, high) = packed.split_at(n.div_ceil(2));
        limb.fill(0);
        unpack_array::<2>(low, 0, limb);
        if width == Width::Six {
            unpack_array::<4>(high, 32, limb);
        }
    });
}

/// Calls `work` for each of the limbs, which have `words` residues in all. Few are worth no threads.
fn each_limb<L: Send>(threads: usize, words: usize, limbs: impl Iterator<Item = L>, work: impl Fn(L) + Sync) {
    let limbs: Vec<Mutex<Option<L>>> = limbs.map(|limb| Mutex::new(Some(limb))).collect();
    host::scoped(threads, limbs.len(), words, &|_, i| {
        if let Some(limb) = limbs[i].lock().unwrap_or_else(PoisonError::into_inner).take() {
            work(limb);
        }
    });
}

/// Puts the bits of each residue from `shift` on into an array with EACH elements in a word.
fn pack_array<const EACH: usize>(limb: &[u64], shift: u32, out: &mut [u64]) {
    let bits = 64 / EACH;
    for (residues, word) in limb.chunks(EACH).zip(out) {
        let piece = |(i, residue): (usize, &u64)| (residue >> shift & (u64::MAX >> (64 - bits))) << (i * bits);
        *word = residues.iter().enumerate().map(piece).fold(0, |all, piece| all | piece);
    }
}

/// Adds the elements of an array that [`pack_array`] made to the residues.
fn unpack_array<const EACH: usize>(array: &[u64], shift: u32, limb: &mut [u64]) {
    let bits = 64 / EACH;
    for (residues, word) in limb.chunks_mut(EACH).zip(array) {
        for (i, residue) in residues.iter_mut().enumerate() {
            *residue |= (word >> (i * bits) & (u64::MAX >> (64 - bits))) << shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_have_their_place() {
        let residues = [0x1234_5678_9abc, 1, 0xffff_0000_0002, 3];
        let mut out = [u64::MAX; 3];
        pack(Width::Six, 4, &residues, &mut out, 1);
        assert_eq!(out, [0x0000_0001_5678_9abc, 0x0000_0003_0000_0002, 0x0000_ffff_0000_1234]);
        let mut out = [u64::MAX; 2];
        pack(Width::Four, 4, &[1, 0xffff_ffff, 3, 4], &mut out, 1);
        assert_eq!(out, [0xffff_ffff_0000_0001, 0x0000_0004_0000_0003]);
    }

    #[test]
    fn residues_come_back() {
        for (width, n) in Width::ALL.into_iter().flat_map(|width| [1, 2, 3, 4, 8, 64].map(|n| (width, n))) {
            let residues: Vec<u64> = (0..3 * n as u64)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32) >> (64 - 8 * width.bytes()))
                .collect();
            let mut packed = vec![u64::MAX; 3 * limb_words(width, n)];
            pack(width, n, &residues, &mut packed, 1);
            let mut found = vec![u64::MAX; 3 * n];
            unpack(width, n, &packed, &mut found, 1);
            assert_eq!(found, residues, "{width:?}, {n}");
        }
    }

    /// Threads pack the same words as one thread; there are enough words for several.
    #[test]
    fn threads_do_not_change_the_words() {
        let n = 1 << 13;
        let residues: Vec<u64> = (0..9 * n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16).collect();
        let packed = [1, 2, 5].map(|threads| {
            let mut packed = vec![u64::MAX; 9 * limb_words(Width::Six, n)];
            pack(Width::Six, n, &residues, &mut packed, threads);
            let mut found = vec![u64::MAX; 9 * n];
            unpack(Width::Six, n, &packed, &mut found, threads);
            assert!(found == residues, "{threads}");
            packed
        });
        assert!(packed[1] == packed[0] && packed[2] == packed[0]);
    }
}
