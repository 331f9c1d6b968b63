//! Arithmetic of residues, alone and in loops.

use super::*;

#[test]
fn sums_and_differences_of_residues() {
    type Exact = fn(u64, u64, u64) -> u64;
    let cases: [(&str, Function, Exact, [u64; 2]); 4] = [
        ("mod_add_plain", add_plain, |a, b, m| (a + b) % m, [3, 4]),
        ("mod_add", add_coalesced, |a, b, m| (a + b) % m, [2, 3]),
        ("mod_sub_plain", sub_plain, |a, b, m| (a + m - b) % m, [3, 4]),
        ("mod_sub", sub_coalesced, |a, b, m| (a + m - b) % m, [1, 2]),
    ];
    let mut bench = Bench::new();
    for (label, twin, exact, counts) in cases {
        let mut seen = [false; 2];
        for _ in 0..RANDOM {
            let m = bench.modulus(30).value;
            let (a, b) = (bench.residue(m), bench.residue(m));
            let expected = exact(a.into(), b.into(), m.into()) as u32;
            let (found, count) = bench.call(label, &[(0, a), (1, b), (2, m)]);
            let (c, charge) = charged(twin, &[a, b, m]);
            assert_eq!([found[0], c[0]], [expected; 2], "{label} of {a} and {b} mod {m}");
            assert_eq!(count - CALL, charge, "instructions of {label} of {a} and {b} mod {m}");
            seen[counts.iter().position(|&n| n == charge).unwrap()] = true;
        }
        assert_eq!(seen, [true; 2], "{label} takes both paths");
    }
}

#[test]
fn reduction_of_products() {
    let mut bench = Bench::new();
    for i in 0..RANDOM {
        let m = bench.modulus(30);
        let square = u64::from(m.value) * u64::from(m.value);
        let v = match i % 8 {
            0 => square - 1,
            1 => square - u64::from(bench.word()) % square,
            2 => u64::from(m.value) * u64::from(bench.residue(m.value)),
            _ => (u64::from(bench.rng.next_u32()) << 32 | u64::from(bench.rng.next_u32())) % square,
        };
        let v = v.min(square - 1);
        let expected = (v % u64::from(m.value)) as u32;
        let [high, low] = words(v);
        bench.call("mod_sub", &m.registers(0)); // sets the constants
        let (found, count) = bench.call("barrett_reduce", &[(0, high), (1, low)]);
        let (c, charge) = charged(barrett_reduce, &[high, low, m.value, m.factor, m.bits]);
        assert_eq!([found[0], c[0]], [expected; 2], "{v} mod {}", m.value);
        assert_eq!(count - CALL, charge, "instructions of {v} mod {}", m.value);
        assert!(charge == 69 || charge == 70, "{charge}");
    }
}

#[test]
fn products_of_residues() {
    let cases: [(&str, Function, u32); 3] =
        [("mod_mul", mod_mul, 30), ("mod_mul_24", mod_mul_24, 24), ("shoup_mul", shoup_mul, 30)];
    let mut bench = Bench::new();
    for (label, twin, bits) in cases {
        for _ in 0..RANDOM {
            let m = bench.modulus(bits);
            let (a, w) = (bench.residue(m.value), bench.residue(m.value));
            let (found, count) = bench.call(label, &[&m.registers(w)[..], &[(0, a), (1, w)]].concat());
            let (c, charge) = charged(twin, &m.input(a, w, w));
            assert_eq!([found[0], c[0]], [m.mul(a, w); 2], "{label} of {a} and {w} mod {}", m.value);
            assert_eq!(count - CALL, charge, "instructions of {label} of {a} and {w} mod {}", m.value);
        }
    }
}

/// Builds of the C functions without routines of their own: their counts are sums of those above.
#[test]
fn products_of_residues_with_other_switches() {
    let mut bench = Bench::new();
    for _ in 0..RANDOM {
        let m = bench.modulus(30);
        let (a, b) = (bench.residue(m.value), bench.residue(m.value));
        let v = u64::from(a) * u64::from(b);
        let input = m.input(a, b, b);
        let [high, low] = words(v);
        let own = charged(mod_mul, &input).1;
        let q = (((v >> (m.bits - 2)) * u64::from(m.factor)) >> 33) as u32;
        let low_product = charged(product32, &[q, m.value]).1;
        let expected = [
            (mod_mul_plain as Function, own + 1),
            (mod_mul_compiler, own + 1 + 2 * (134 - 37) + low_product - 23),
            (mod_mul_initial, 134 + charged(remainder64, &[high, low, m.value]).1),
            (mul_factor_shoup, charged(shoup_mul, &input).1),
        ];
        for (i, (twin, count)) in expected.into_iter().enumerate() {
            let (c, charge) = charged(twin, &input);
            assert_eq!((c[0], charge), (m.mul(a, b), count), "case {i}: {a} times {b} mod {}", m.value);
        }
    }
}

/// Loops over words: routine, C function of one element, exact result of (u, v).
type Exact = fn(Modulus, u32, u32, u32) -> [u32; 2];

const LOOPS: [(&str, Function, Exact); 5] = [
    ("pointwise", pointwise, |m, u, v, _| [m.mul(u, v), v]),
    ("forward_barrett", forward_barrett, forward),
    ("forward_shoup", forward_shoup, forward),
    ("inverse_barrett", inverse_barrett, inverse),
    ("inverse_shoup", inverse_shoup, inverse),
];

fn forward(m: Modulus, u: u32, v: u32, w: u32) -> [u32; 2] {
    let product = m.mul(v, w);
    [(u + product) % m.value, (u + m.value - product) % m.value]
}

fn inverse(m: Modulus, u: u32, v: u32, w: u32) -> [u32; 2] {
    [(u + v) % m.value, m.mul((u + m.value - v) % m.value, w)]
}

const WORDS: usize = 250;

/// Runs a loop on `WORDS` random words; returns its instructions.
fn check_loop(bench: &mut Bench, (label, twin, exact): (&str, Function, Exact), m: Modulus) -> u64 {
    let w = bench.residue(m.value);
    let data: Vec<u32> = (0..2 * WORDS).map(|_| bench.residue(m.value)).collect();
    for (i, word) in data.iter().enumerate() {
        bench.machine.wram[4 * i..][..4].copy_from_slice(&word.to_le_bytes());
    }
    let half = 4 * WORDS as u32;
    let (_, count) = bench.call(label, &[&m.registers(w)[..], &[(14, 0), (15, half), (16, half)]].concat());
    let mut charge = 0;
    for i in 0..WORDS {
        let (u, v) = (data[i], data[i + WORDS]);
        let (c, part) = charged(twin, &m.input(u, v, w));
        charge += part;
        let expected = exact(m, u, v, w);
        let word = |at: usize| u32::from_le_bytes(bench.machine.wram[4 * at..][..4].try_into().unwrap());
        assert_eq!([word(i), word(i + WORDS)], expected, "{label} of {u} and {v}, factor {w}, mod {}", m.value);
        let results = if label == "pointwise" { 1 } else { 2 };
        assert_eq!(c[..results], expected[..results], "C {label} of {u} and {v}, factor {w}, mod {}", m.value);
    }
    assert_eq!(count - CALL, charge, "instructions of {label} mod {}", m.value);
    charge
}

#[test]
fn loops_over_words() {
    let mut bench = Bench::new();
    for case in LOOPS {
        for _ in 0..RANDOM / WORDS {
            let m = bench.modulus(30);
            check_loop(&mut bench, case, m);
        }
    }
}

/// As many samples in every profile, so that the means have the same digits.
const SAMPLES: usize = 100_000;

/// The mean instructions of a routine for moduli of 24 bits, over random residues.
fn mean(bench: &mut Bench, twin: Function, m: Modulus) -> f64 {
    let total: u64 = (0..SAMPLES)
        .map(|_| {
            let (a, b, w) = (bench.rng.next_u32() % m.value, bench.rng.next_u32() % m.value, bench.residue(m.value));
            charged(twin, &m.input(a, b, w)).1
        })
        .sum();
    total as f64 / SAMPLES as f64
}

/// The table of `docs/design/pim-arithmetic.md` has these figures.
#[test]
fn documented_counts() {
    let page = include_str!("../../../../../docs/design/pim-arithmetic.md");
    let (mut bench, m) = (Bench::new(), Modulus::new(0xff_c001));
    let rows: [(&str, Function); 12] = [
        ("product of residues, compiler's product and division", mod_mul_initial),
        ("product of residues, compiler's products, Barrett", mod_mul_compiler),
        ("product of residues, Barrett", mod_mul),
        ("product of residues, Barrett, 9 byte products", mod_mul_24),
        ("product of residues, Shoup", shoup_mul),
        ("sum of residues, plain", add_plain),
        ("sum of residues, coalesced", add_coalesced),
        ("difference of residues, plain", sub_plain),
        ("difference of residues, coalesced", sub_coalesced),
        ("pointwise product with its loop", pointwise),
        ("butterfly with its loop, Barrett", forward_barrett),
        ("butterfly with its loop, Shoup", forward_shoup),
    ];
    let missing: Vec<String> = rows
        .into_iter()
        .map(|(name, twin)| format!("| {name} | {:.1} |", mean(&mut bench, twin, m)))
        .filter(|row| !page.contains(row.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/design/pim-arithmetic.md lacks\n{}", missing.join("\n"));
}
