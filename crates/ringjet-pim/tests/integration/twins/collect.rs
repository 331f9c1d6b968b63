//! Sums of residues with small weights.

use super::*;

/// Words of a part, and how far the words of two polynomials are apart.
const PART: usize = 64;

struct Part {
    sums: [u64; PART],
    terms: [[u32; PART]; 8],
    weights: [u32; 8],
}

fn random(bench: &mut Bench) -> Part {
    let mut word = |limit: u32| match bench.rng.next_u32() % 16 {
        0 => 0,
        1 => limit - 1,
        _ => bench.rng.next_u32() % limit,
    };
    let sums = std::array::from_fn(|_| u64::from(word(1 << 28)) << 32 | u64::from(word(u32::MAX)));
    Part {
        sums,
        terms: std::array::from_fn(|_| std::array::from_fn(|_| word(1 << 30))),
        weights: std::array::from_fn(|_| word(256)),
    }
}

/// Compares a loop over a part with its C function and with the exact sum of some terms.
fn check(bench: &mut Bench, label: &str, twin: Function, terms: usize, weighted: bool) {
    let part = random(bench);
    const WORDS: u32 = 8 * PART as u32; // where the words begin in WRAM
    for (i, sum) in part.sums.iter().enumerate() {
        bench.machine.wram[8 * i..][..8].copy_from_slice(&sum.to_le_bytes());
    }
    for (i, word) in part.terms.iter().flatten().enumerate() {
        bench.machine.wram[WORDS as usize + 4 * i..][..4].copy_from_slice(&word.to_le_bytes());
    }
    let weights = part.weights.map(|w| if weighted { w } else { 1 });
    let mut registers = vec![(14, 0), (15, WORDS), (16, WORDS)];
    registers.extend(weights.iter().enumerate().map(|(k, &w)| (5 + k, w)));
    let (_, count) = bench.call(label, &registers);
    let mut charge = 0;
    for i in 0..PART {
        let column = part.terms.map(|term| term[i]);
        let products = column.iter().zip(&weights).take(terms).map(|(&x, &w)| u64::from(x) * u64::from(w));
        let expected = part.sums[i] + products.sum::<u64>();
        let found = u64::from_le_bytes(bench.machine.wram[8 * i..][..8].try_into().unwrap());
        let input = [&words(part.sums[i])[..], &column, &weights].concat();
        let (c, instructions) = charged(twin, &input);
        charge += instructions;
        assert_eq!((found, words(expected)), (expected, [c[0], c[1]]), "{label} of {column:?} and {weights:?}");
    }
    assert_eq!(count - CALL, charge, "instructions of {label}");
}

#[test]
fn sums_with_small_weights() {
    let mut bench = Bench::new();
    for _ in 0..RANDOM / PART {
        check(&mut bench, "collect_one", collect_one, 1, false);
        check(&mut bench, "collect_eight", collect_eight, 8, false);
        check(&mut bench, "collect_weighted", collect_weighted, 8, true);
    }
}

#[test]
fn negative_residues() {
    let mut bench = Bench::new();
    for _ in 0..RANDOM / PART {
        let m = bench.modulus(30).value;
        let data: [u32; PART] = std::array::from_fn(|_| bench.residue(m));
        for (i, word) in data.iter().enumerate() {
            bench.machine.wram[4 * i..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let (_, count) = bench.call("collect_negated", &[(8, m), (15, 0), (16, 4 * PART as u32)]);
        let mut charge = 0;
        for (i, &x) in data.iter().enumerate() {
            let found = u32::from_le_bytes(bench.machine.wram[4 * i..][..4].try_into().unwrap());
            let (c, instructions) = charged(collect_negated, &[x, m]);
            charge += instructions;
            assert_eq!([found, c[0]], [m - x; 2], "{m} - {x}");
        }
        assert_eq!(count - CALL, charge);
    }
}
