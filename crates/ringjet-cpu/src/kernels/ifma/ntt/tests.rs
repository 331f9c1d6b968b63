//! Compares transforms of every size with the textbook's.

use super::*;
use crate::operands::prefetch::{RowPrefetch, TilePrefetch, TileWork};
use crate::system::path::Path;
use crate::system::pool::Pool;
use crate::system::streaming::fence;
use ringjet_math::Modulus;
use ringjet_math::ntt::NttTable;
use ringjet_math::prime::ntt_primes;

#[test]
fn agrees_with_the_textbook() {
    if Path::best() != Path::Ifma {
        println!("no IFMA here: nothing tested");
        return;
    }
    for log_n in 10..=17 {
        for bits in [30, 40, 49, 50] {
            let m = Modulus::new(ntt_primes(log_n, bits, 1, &[]).unwrap()[0]).unwrap();
            let table = NttTable::new(m, log_n).unwrap();
            let q = m.value();
            let n = 1u64 << log_n;
            let inputs: [Vec<u64>; 4] = [
                (0..n).map(|i| m.mul(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0x5851_f42d_4c95_7f2d)).collect(),
                vec![q - 1; n as usize],
                vec![0; n as usize],
                (0..n).map(|i| if i == n / 3 { q - 1 } else { 0 }).collect(),
            ];
            let kinds = [(false, false), (true, false), (true, true)];
            for (x, (half_rate, scheduled)) in inputs.iter().flat_map(|x| kinds.map(|kind| (x, kind))) {
                let ntt = Ntt { half_rate, scheduled, ..Ntt::new(&table) };
                let (mut fast, mut slow) = (x.clone(), x.clone());
                // SAFETY: this path exists only where the processor has IFMA.
                unsafe { ntt.forward(&mut fast) };
                table.forward(&mut slow);
                assert!(fast == slow, "forward 2^{log_n}, {bits} bits, half_rate: {half_rate}");
                // in parts, for words below 4q
                let mut words: Vec<u64> = (0u64..).zip(x).map(|(i, x)| x + (3 - i % 4) * q).collect();
                let mut block = Pool::new(0).take(x.len()).unwrap();
                let (rows, len) = (block.words_mut(), x.len() / ntt.parts());
                // SAFETY: as above; blocks start at cache lines, and the rows are those of the
                // block.
                unsafe { ntt.forward_first(&mut words, RawRows::new(rows.as_mut_ptr(), len)) };
                fence();
                for (part, row) in rows.chunks_exact_mut(len).enumerate() {
                    // SAFETY: as above.
                    unsafe { ntt.forward_part(part, row, &mut RowPrefetch::default()) };
                }
                assert!(rows == slow, "forward 2^{log_n} by parts, {bits} bits, half_rate: {half_rate}");
                let (mut fast, mut slow) = (x.clone(), x.clone());
                // SAFETY: as above.
                unsafe { ntt.inverse_scaled(&mut fast, 1, &m) };
                table.inverse(&mut slow);
                assert!(fast == slow, "inverse 2^{log_n}, {bits} bits, half_rate: {half_rate}");
                let (c, mut room) = (q - 5, vec![0; x.len()]);
                slow.iter_mut().for_each(|x| *x = m.mul(*x, c));
                let mut fast = x.clone();
                // SAFETY: as above.
                unsafe { ntt.inverse_scaled(&mut fast, c, &m) };
                assert!(fast == slow, "scaled inverse 2^{log_n} in place, {bits} bits, half_rate: {half_rate}");
                for columns in [len / 8, len / 16] {
                    let out = inverse_by_parts(&ntt, x, &ntt.root(c, &m), columns);
                    assert!(
                        out == slow,
                        "inverse 2^{log_n} by parts, {bits} bits, half_rate: {half_rate}, {columns} columns"
                    );
                }
                for (stream, by_tiles) in [(false, false), (true, false), (false, true), (true, true)] {
                    let dst = block.words_mut();
                    dst.fill(0);
                    let root = ntt.root(c, &m);
                    // SAFETY: as above; blocks start at cache lines.
                    unsafe {
                        if by_tiles {
                            for (tile, words) in x.chunks_exact(TILE).enumerate() {
                                room[tile * TILE..][..TILE].copy_from_slice(words);
                                let work = TileWork { transforms: 1, terms: 0, permutations: 0 };
                                let fetched = [x.as_ptr()];
                                let prefetch = &mut TilePrefetch::new(&fetched[..tile % 2], tile * TILE, work);
                                ntt.inverse_tail(tile, &mut room, &mut Buffer::default(), prefetch);
                            }
                            ntt.inverse_head(&mut room, dst, stream, &root);
                        } else {
                            ntt.inverse_scaled_into(x, &mut room, dst, stream, &root);
                        }
                    }
                    assert!(
                        dst == slow,
                        "scaled inverse 2^{log_n}, {bits} bits, half_rate: {half_rate}, stream: {stream}, by tiles: {by_tiles}"
                    );
                }
            }
        }
    }
}

/// Computes the inverse transform of `x` in parts, whose words go to rows of `columns` words.
fn inverse_by_parts(ntt: &Ntt, x: &[u64], root: &Root, columns: usize) -> Vec<u64> {
    let (mut words, mut out, len) = (x.to_vec(), vec![0; x.len()], x.len() / ntt.parts());
    let mut block = Pool::new(0).take(x.len()).unwrap();
    let rows = block.words_mut();
    rows.fill(0);
    for (part, (words, row)) in words.chunks_exact_mut(len).zip(rows.chunks_exact_mut(len)).enumerate() {
        let to = RawRows::new(row.as_mut_ptr(), columns);
        // SAFETY: the caller runs on a processor with IFMA; blocks start at cache lines, and the
        // rows are those of the block.
        unsafe { ntt.inverse_part(part, words, to, columns, &mut RowPrefetch::default()) };
    }
    fence();
    let (from, to) = (RawRows::new(rows.as_mut_ptr(), len), RawRows::new(out.as_mut_ptr(), columns));
    // SAFETY: as above.
    unsafe { ntt.inverse_last(from, None, &mut words, to, columns, root) };
    out
}
