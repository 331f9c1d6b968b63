//! Products of rows with matrices of short integers (`kernels/gemm.cuh`): shapes that take several launches and
//! blocks, beside those of the conformance suite.

use ringjet_backend::{Backend, Buf, Gemm, MAX_WEIGHT, Reference, View, ViewMut, Width};
use ringjet_cuda::predict::{Gpu, Launched};
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::{Basis, prime::ntt_primes};

use crate::large_rings::residues;

/// A product: rows, columns, and how many shapes of buffers its operands have.
type Case = (usize, usize, usize);

/// Weights whose sizes reach the bound, and factors.
fn matrix(rows: usize, columns: usize, basis: &Basis, mut seed: u64) -> (Vec<i32>, Vec<u64>, Vec<u64>) {
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((u128::from(seed) * u128::from(below)) >> 64) as u64
    };
    let most = MAX_WEIGHT as u64;
    let weights = (0..rows * columns).map(|_| (next(2 * most + 1) as i64 - most as i64) as i32).collect();
    let mut residues = || (0..rows).flat_map(|_| basis.values()).map(&mut next).collect();
    (weights, residues(), residues())
}

/// The buffer and the view of operand `k`: all of its limbs, or those at the begin of longer polynomials.
fn shaped(b: &dyn Backend, bases: &[Basis; 2], k: usize, shapes: usize) -> Buf {
    residues(b, &bases[k % shapes], 2, k as u64)
}

/// The rows of a product, with constants and added to old words; and without either.
fn results(b: &dyn Backend, bases: &[Basis; 2], (rows, columns, shapes): Case) -> Vec<u64> {
    let basis = &bases[0];
    let limbs = basis.len();
    let (weights, factors, constants) = matrix(rows, columns, basis, (rows * columns) as u64);
    let sources: Vec<Buf> = (0..columns).map(|k| shaped(b, bases, k, shapes)).collect();
    let src: Vec<View<'_>> = sources.iter().map(|buf| buf.view(2).prefix(limbs)).collect();
    let mut words = vec![];
    for (constants, accumulate) in [(&constants[..], true), (&[], false)] {
        let mut bufs: Vec<Buf> = (0..rows).map(|k| shaped(b, bases, k + 1, shapes)).collect();
        let mut dst: Vec<ViewMut<'_>> = bufs.iter_mut().map(|buf| buf.view_mut(2).prefix(limbs)).collect();
        let gemm = Gemm { src: &src, weights: &weights, factors: &factors, constants };
        b.gemm(&mut dst, &gemm, basis, accumulate).unwrap();
        for buf in &bufs {
            let at = words.len();
            words.resize(at + buf.limbs() * buf.n(), 0);
            b.download(buf, 0, &mut words[at..]).unwrap();
        }
    }
    words
}

fn bases(log_n: u32, bits: u32, limbs: usize) -> [Basis; 2] {
    let primes = ntt_primes(log_n, bits, limbs + 1, &[]).unwrap();
    [&primes[..limbs], &primes[..]].map(|of| Basis::new(log_n, of).unwrap())
}

/// The words of the reference, in this number of launches.
fn agrees(cuda: &CudaBackend, bases: &[Basis; 2], case: Case, launches: u64) {
    let before = cuda.launches();
    let found = results(cuda, bases, case);
    assert_eq!(cuda.launches() - before, launches, "{case:?}");
    let expected = results(&Reference::default(), bases, case);
    let wrong = found.iter().zip(&expected).position(|(f, e)| f != e);
    assert_eq!(wrong, None, "{case:?}: the first wrong word of {}", expected.len());
}

/// Up to 128 rows and 312 columns that are alike take one launch, whatever their limbs are.
#[test]
fn many_rows_and_columns() {
    let cuda = CudaBackend::emulated();
    for (case, log_n, limbs, launches) in [
        ((1, 312, 1), 3, 1, 1),
        ((9, 40, 1), 8, 3, 1),
        ((65, 30, 2), 4, 2, 4),
        ((130, 3, 1), 3, 1, 2),
        ((3, 630, 2), 3, 1, 8),
        ((2, 0, 1), 5, 2, 1),
    ] {
        agrees(&cuda, &bases(log_n, 50, limbs), case, 2 * launches);
    }
}

#[test]
fn residues_of_fewer_bytes() {
    for (width, bits) in [(Width::Six, 48), (Width::Four, 31)] {
        let cuda = CudaBackend::emulated().with_width(width);
        agrees(&cuda, &bases(6, bits, 2), (11, 150, 1), 2);
    }
}

/// Blocks of wide tiles: with few rows one thread has the words of a whole block to itself.
#[test]
fn shared_memory_limits_the_columns_of_a_step() {
    for kilobytes in [48, 99] {
        agrees(&CudaBackend::emulated_with_shared(kilobytes << 10), &bases(10, 45, 1), (4, 23, 1), 2);
    }
}

/// Residues whose halves are as large as those of any residue, and the largest odd weights: sums of several times
/// as many products as are exact, without an end between columns.
#[test]
fn sums_reach_their_bounds() {
    for bits in [50, 47, 31] {
        let [basis, _] = bases(3, bits, 2);
        let run = |b: &dyn Backend, columns: usize| {
            let mut x = b.alloc(2 * 2, basis.n()).unwrap();
            for limb in 0..4 {
                let (q, cut) = (basis.modulus(limb % 2).value(), bits.div_ceil(2));
                let low = (1 << (cut - 1)) - 1;
                b.upload(&mut x, limb, &vec![((q / 2 - low) >> cut << cut) | low; basis.n()]).unwrap();
            }
            let mut y = b.alloc(2 * 2, basis.n()).unwrap();
            let (weights, src) = (vec![MAX_WEIGHT - 1; columns], vec![x.view(2); columns]);
            let gemm = Gemm { src: &src, weights: &weights, factors: &[1, 1], constants: &[] };
            b.gemm(&mut [y.view_mut(2)], &gemm, &basis, false).unwrap();
            let mut words = vec![0; 4 * basis.n()];
            b.download(&y, 0, &mut words).unwrap();
            words
        };
        let cuda = CudaBackend::emulated();
        for columns in [26, 27, 28, 53, 54, 55, 108, 128, 129, 260] {
            assert!(run(&cuda, columns) == run(&Reference::default(), columns), "{bits} bits, {columns} columns");
        }
    }
}

/// Products in integers, and of larger primes, are composed of linear combinations.
#[test]
fn other_arithmetics_compose_products() {
    for a in [Arithmetic::U64Below50, Arithmetic::U64Below61] {
        // of each row: one combination; where there are constants, two more launches
        let cuda = CudaBackend::emulated().with_arithmetic(a);
        agrees(&cuda, &bases(4, a.bits(), 2), (3, 5, 1), 3 * 3 + 3);
    }
}

/// A recorded product: what it asks of a device, and that the predictor counts the bytes that the emulator does.
#[test]
fn the_matrix_is_copied_once_and_bytes_are_counted() {
    for a in [Arithmetic::F64, Arithmetic::F64Below48, Arithmetic::U32] {
        for (rows, columns, log_n) in [(20, 40, 9), (3, 17, 11), (140, 8, 6)] {
            let [basis, _] = bases(log_n, a.bits(), 2);
            let (weights, factors, constants) = matrix(rows, columns, &basis, 5);
            let run = |b: &CudaBackend, accumulate: bool| {
                let sources: Vec<Buf> = (0..columns).map(|_| b.alloc(4, basis.n()).unwrap()).collect();
                let mut bufs: Vec<Buf> = (0..rows).map(|_| b.alloc(4, basis.n()).unwrap()).collect();
                let src: Vec<View<'_>> = sources.iter().map(|buf| buf.view(2)).collect();
                let gemm = Gemm { src: &src, weights: &weights, factors: &factors, constants: &constants };
                let mut dst: Vec<ViewMut<'_>> = bufs.iter_mut().map(|buf| buf.view_mut(2)).collect();
                b.gemm(&mut dst, &gemm, &basis, accumulate).unwrap();
            };
            let emulator = CudaBackend::emulated().with_arithmetic(a);
            let (recording, recorder) = CudaBackend::recording();
            let recording = recording.with_arithmetic(a);
            for accumulate in [true, false] {
                emulator.record_traffic(true);
                run(&emulator, accumulate);
                let counted = emulator.take_traffic();
                run(&recording, accumulate);
                recorder.take();
                run(&recording, accumulate);
                let record = recorder.take();
                assert_eq!((record.allocations, record.uploads, record.waits), (0, 1, 0));
                let launched = Launched::all(record.launches, &recorder, Gpu::H200.cache).unwrap();
                let found: Vec<_> =
                    launched.iter().map(|l| (l.launch.kernel, l.work.bytes(false), l.work.bytes(true))).collect();
                let names: Vec<_> = counted.iter().map(|t| format!("ringjet_{}", t.kernel)).collect();
                let expected: Vec<_> = (names.iter().zip(&counted))
                    .map(|(name, t)| (name.as_str(), t.limbs.read as f64, t.limbs.written as f64))
                    .collect();
                assert_eq!(found, expected, "{a}: {rows} x {columns}, 2^{log_n}, accumulate {accumulate}");
                assert_eq!(found.len(), rows.div_ceil(128));
            }
        }
    }
}
