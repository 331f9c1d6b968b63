//! Tests of the numbers in `docs/proofs/big.md`.

use ringjet_backend::View;
use ringjet_backend::big::digits::{self, Digits, WORD_BITS, words};
use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;

use crate::machine::CpuMachine;

const PAGE: &str = include_str!("../../../../../docs/proofs/big.md");
const LOG_N: u32 = 16;
/// Number of vectors of a limb.
const VECTORS: u64 = (1 << LOG_N) / 8;

fn basis(log_n: u32, count: usize) -> Basis {
    Basis::new(log_n, &ntt_primes(log_n, 50, count, &[]).unwrap()).unwrap()
}

/// Number of primes for products of `bits` bits, by the rule of `docs/design/heaan.md`.
fn primes(bits: u32) -> u64 {
    let mut log = 0.0;
    let enough = |q: &u64| {
        log += (*q as f64).log2();
        log >= f64::from(bits)
    };
    1 + ntt_primes(LOG_N, 50, 100, &[]).unwrap().iter().position(enough).unwrap() as u64
}

fn on_page(lines: &[String]) {
    let missing: Vec<_> = lines.iter().filter(|line| !PAGE.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "not on the page: {missing:#?}");
}

#[test]
fn multiply_adds_by_whole_integers() {
    let (few, many) = (primes(2400 + LOG_N + 1), primes(1200 + 2400 + LOG_N));
    assert_eq!((few, many, words(1200), words(2400)), (49, 73, 24, 48));
    let split = |primes: u64| primes * (2 * 24 + 5);
    let join = |primes: u64, words: u64| words * 2 * (primes + 1) + primes;
    let parts = [4 * split(few), split(many), 3 * join(few, 24), 2 * join(many, 48 - 21)];
    let sum: u64 = parts.iter().sum();
    on_page(&[
        format!("4 x 49 x (2 x 24 + 5) = {}", parts[0]),
        format!("73 x 53 = {}", parts[1]),
        format!("3 x (24 x 2 x 50 + 49) = {}", parts[2]),
        format!("2 x (27 x 2 x 74 + 73) = {}", parts[3]),
        format!("| all | {sum} |"),
        format!("| {:.1} M |", (sum * VECTORS / 2) as f64 / 1e6),
        format!("GHz | {:.1} |", (sum * VECTORS / 2) as f64 / 3.05e6),
    ]);
}

/// The digits of the products of both regions at the modulus `2^log_q`, with keys of 2400 bits, and
/// for each weight the numbers of words that are computed.
fn shapes(log_q: u32) -> [(Digits, Vec<u64>); 2] {
    let basis = basis(LOG_N, 16);
    let split = [log_q, 2400].map(|bits| CrtSplitPlan::new(&basis, bits));
    let machine = CpuMachine::new(1, None).unwrap();
    let buf = machine.alloc(2 * ringjet_math::big::words(log_q), 1 << LOG_N).unwrap();
    let view: View<'_> = buf.view(2);
    let tensor: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1), (1, 0)], &[(1, 1)]];
    let single: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1)]];
    [(log_q, 0, tensor, [log_q, log_q]), (log_q + 1200, 1200, single, [log_q, 2400])].map(
        |(bits, shift, sums, from)| {
            let join = CrtJoinPlan::new(&basis, bits);
            let right = if shift == 0 { BigFactor::Integers(view, &split[0]) } else { BigFactor::Prepared(view, 2400) };
            let m = BigMul { left: view, split: &split[0], right, sums, join: &join, shift, add: None };
            let d = Digits::new(&m, from).unwrap();
            let d = d.rounded(&m, from).unwrap_or(d);
            let counted = d.joined_words(&basis, bits).into_iter().map(|words| words as u64).collect();
            (d, counted)
        },
    )
}

/// Checks the table of `docs/design/heaan.md` and its statement on a small modulus.
#[test]
fn transforms_by_digits() {
    let [(first, one), (second, two)] = shapes(1200);
    let row = |name: &str, (sums, d, words): (usize, &Digits, &[u64]), inputs: usize| {
        let joins = sums as u64 * words.iter().sum::<u64>() * (d.primes as u64 + 1);
        let (forward, inverse) = (inputs * d.primes, sums * d.weights.len() * d.primes);
        format!("| digits, {name} | {forward} | {inverse} | {} | {joins} |", forward * digits::WORDS)
    };
    let rows = [row("region 1", (3, &first, &one), 16), row("region 2", (2, &second, &two), 4)];
    let [_, (small, _)] = shapes(60);
    let (forward, inverse) = (small.counts[0] * small.primes, 2 * small.weights.len() * small.primes);
    let plain = primes(60 + 2400 + LOG_N);
    let page = include_str!("../../../../../docs/design/heaan.md").replace('\n', " ");
    let follows = format!(
        "at log q = 60 it takes {forward} transforms forward and {inverse} inverse where the plain one takes {plain} and {}",
        2 * plain
    );
    for line in rows.iter().chain([&follows]) {
        assert!(page.contains(line), "not on the page: {line}");
    }
}

#[test]
fn operations_by_digits() {
    let [(first, one), (second, two)] = shapes(1200);
    assert_eq!((first.primes, first.counts, first.weights), (13, [4, 4], 0..4));
    assert_eq!((second.primes, second.counts, second.weights, second.skip), (13, [4, 8], 2..8, 21));
    assert_eq!(second.unsure.count_ones(), 43);
    let list = |words: &[u64]| words.iter().map(|w| w.to_string()).collect::<Vec<_>>().join(" + ");
    let (a, b) = (one.iter().sum::<u64>(), two.iter().sum::<u64>());
    let parts = [16 * 13 * (2 * 6 + 2), 4 * 13 * (2 * 6 + 2), 3 * (a * 2 * 14 + 4 * 13), 2 * (b * 2 * 14 + 6 * 13)];
    let pairs =
        [16 * (13 * (6 + 2) + 6), 4 * (13 * (6 + 2) + 6), 3 * (a * 14 + 4 * (14 + 13)), 2 * (b * 14 + 6 * (14 + 13))];
    let [sum, paired]: [u64; 2] = [parts, pairs].map(|parts| parts.iter().sum());
    let slow: u64 =
        [(16 + 4) * (13 * (6 * 6 + 30) + 6 * 3), 3 * (a * (6 * 14 + 12) + 52 * 17), 2 * (b * (6 * 14 + 12) + 78 * 17)]
            .iter()
            .sum();
    on_page(&[
        format!("{} = {a} words", list(&one)),
        format!("{} = {b}.", list(&two)),
        format!("16 x 13 x (2 x 6 + 2) = {}", parts[0]),
        format!("4 x 13 x 14 = {}", parts[1]),
        format!("3 x ({a} x 2 x 14 + 4 x 13) = {}", parts[2]),
        format!("2 x ({b} x 2 x 14 + 6 x 13) = {}", parts[3]),
        format!("16 x (13 x (6 + 2) + 6) = {}", pairs[0]),
        format!("4 x (13 x 8 + 6) = {}", pairs[1]),
        format!("3 x ({a} x 14 + 4 x (14 + 13)) = {}", pairs[2]),
        format!("2 x ({b} x 14 + 6 x (14 + 13)) = {}", pairs[3]),
        format!("| {sum} | {paired} |"),
        format!("| {:.1} M | {:.1} M |", (sum * VECTORS / 2) as f64 / 1e6, (paired * VECTORS / 2) as f64 / 1e6),
        format!("| {:.1} | {:.1} |", (sum * VECTORS / 2) as f64 / 3.05e6, (paired * VECTORS / 2) as f64 / 3.05e6),
        format!("together {slow}"),
        format!("{:.1} M cycles, {:.1} ms", (slow * VECTORS / 2) as f64 / 1e6, (slow * VECTORS / 2) as f64 / 3.05e6),
    ]);
}

#[test]
fn what_is_left_out_stays_below_its_bound() {
    for (bits, primes, weights) in
        [(50u32, 13u64, 8u64), (50, 73, 1), (61, 11, 8), (61, 110, 1), (56, 12, 40), (30, 25, 8)]
    {
        let loss = (bits + 1 + ((primes + 2) * weights).next_power_of_two().ilog2()).max(WORD_BITS - 1);
        // in units of the lowest word that is kept, if all words are all ones
        let most = u128::from((primes + 1) * weights) * ((1 << bits) - 1) + 1;
        assert!(most <= 1 << (loss - 1), "{bits} {primes} {weights}");
        assert!(loss + 1 + 30 <= 2 * WORD_BITS);
    }
}

/// Checks the ranges of sums in the AVX-512 kernels for the largest factors.
#[cfg(target_arch = "x86_64")]
#[test]
fn sums_without_ifma_fit() {
    use crate::kernels::avx512::big::Form;
    let all = |bits: u32| (1u128 << bits) - 1;
    let most = |bits| (1..=2048).rev().find(|&n| Form::new(bits, n) == Some(Form::Narrow)).unwrap_or(0);
    assert_eq!([50, 52, 56, 57, 58].map(most), [1024, 1024, 64, 32, 0]);
    for bits in [30, 50, 52, 56, 57] {
        let (n, m) = (most(bits) as u128, bits.saturating_sub(26).max(26));
        let ends = n * all(26) * all(m);
        let middle = n * all(26) * (all(26) + all(bits.saturating_sub(26).max(1)));
        assert!(ends <= 1 << 62 && middle <= 1 << 63);
        // `ends` bounds twice the sum of the high products
        let carry = ends + ((middle + (1 << 38)) >> 25);
        assert!(carry < (1 << 62) + (1 << 39) && ends + carry + (1 << 61) < 1 << 64);
    }
    assert_eq!([Form::new(61, 111), Form::new(61, 112), Form::new(62, 1)], [Some(Form::Wide), None, None]);
    assert!(111 * all(26) * all(31) + (1 << 61) + (1 << 38) < 1 << 64);
    assert!(111 * all(26) * all(30) < 1 << 63);
}

/// Checks the ranges of sums in the IFMA kernels, one by one and in pairs, for the largest factors.
#[cfg(target_arch = "x86_64")]
#[test]
fn sums_with_ifma_fit() {
    use crate::kernels::ifma::big::MOST;
    let (word, residue) = ((1u128 << WORD_BITS) - 1, (1u128 << 50) - 1);
    assert!(word + residue < 1 << 52);
    let (half, all) = (1u128 << 52, MOST as u128);
    let low = (all * half).max((3 * (all / 2) + 1) * half) + (1 << 51);
    let carry = (1u128 << 60) + (1 << 11);
    assert!(low + carry + word < 1 << 63);
    assert!((all * word * residue + word + carry) >> WORD_BITS < carry);
    for q in [ntt_primes(16, 50, 1, &[]).unwrap()[0], ntt_primes(10, 20, 1, &[]).unwrap()[0]].map(u128::from) {
        let most = digits::WORDS as u128 * word * (q - 1) + q - 1;
        assert!(most < 3 * q * half && 4 * q <= half);
    }
}

/// Checks the bound of `SplitPrime::new` and the range that it guarantees.
#[cfg(target_arch = "x86_64")]
#[test]
fn sums_of_words_are_folded_below_the_bound_of_the_reduction() {
    use crate::kernels::ifma::{arith::Reducer, big::SplitPrime};
    use ringjet_math::Modulus;
    use ringjet_math::prime::ntt_prime_nearest;
    let near = ntt_prime_nearest(4, 3 << 48, 1 << 50, &[]).unwrap();
    let cases = [(ntt_primes(16, 50, 1, &[]).unwrap()[0], 24, true), (near, 24, false)];
    for (q, words, fits) in cases.into_iter().chain([(ntt_primes(4, 40, 1, &[]).unwrap()[0], 1000, true)]) {
        let m = Modulus::new(q).unwrap();
        assert_eq!(SplitPrime::new(&Reducer::new(&m), &m, words).is_some(), fits, "{q}");
        if fits {
            let high = ((words as u128 + 1) * u128::from(q)).div_ceil(2); // V / 2^52 is below `high`
            let folded = (1 << 50) + (high >> 50) * u128::from((1u64 << 50) % q);
            assert!((folded << 52) + (u128::from(q) << 52) < 1 << 104);
        }
    }
}
