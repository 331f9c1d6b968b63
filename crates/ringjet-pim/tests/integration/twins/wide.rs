//! Numbers of 128 and 256 bits: the assembly, the C functions of `dpu/coefficients`, and exact
//! arithmetic.

use super::*;
use crate::support::wide::{mul_mod, remainder};

/// The C functions of a build of `dpu/coefficients`.
macro_rules! builds {
    ($($build:ident = $name:literal: $($field:ident = $symbol:literal),*;)*) => { $(
        mod $build {
            unsafe extern "C" {
                $(
                    #[link_name = concat!("ringjet_pim_twin_wide_", $name, "_", $symbol)]
                    fn $field(input: *const u32, output: *mut u32) -> u32;
                )*
            }
            pub const TWINS: super::Twins = super::Twins { name: $name, $($field),* };
        }
    )* };
}

macro_rules! twins_of {
    ($($build:ident = $name:literal),*) => {
        builds! { $($build = $name:
            sum = "sum128", difference = "difference128", less = "less128", mod_add = "mod_add128",
            mod_sub = "mod_sub128", mod_mul = "mod_mul128", product = "mul128", wider_sum = "sum256",
            wider_difference = "difference256", remainder = "remainder256";)*
        }
    };
}

twins_of!(plain = "plain", carry = "carry", further = "further", initial = "initial", last = "final");

struct Twins {
    name: &'static str,
    sum: Function,
    difference: Function,
    less: Function,
    mod_add: Function,
    mod_sub: Function,
    mod_mul: Function,
    product: Function,
    wider_sum: Function,
    wider_difference: Function,
    remainder: Function,
}

/// Builds with assembly of their own; the others only charge other products of words.
const BUILDS: [Twins; 3] = [plain::TWINS, carry::TWINS, further::TWINS];

/// Where results, operands and the stack of a routine are in WRAM.
const OUT: u32 = 0;
const A: u32 = 64;
const B: u32 = 128;
const C: u32 = 192;
const STACK: u32 = 256;
/// The first registers of most routines.
const ARGUMENTS: [u32; 4] = [OUT, A, B, C];

/// The product of the three primes of a published ciphertext: 109 bits.
const MODULUS: u128 = 0xf_fffe_e001 * 0xf_fffc_4001 * 0x1f_fffe_0001;

struct Wide {
    bench: Bench,
    /// With the sums of the builds `plain` and `carry` in place of those with the most carries.
    plain: Program,
    halves: Program,
}

/// The routines, which call other versions of the sums and differences in `names`.
fn routines_with(names: &[&str], version: &str) -> Program {
    let replaced = names.iter().fold(ROUTINES.to_owned(), |text, name| {
        text.replace(&format!("call r23, ringjet_{name}\n"), &format!("call r23, ringjet_{name}_{version}\n"))
    });
    Program::parse(&replaced).unwrap()
}

impl Wide {
    fn new() -> Self {
        let plain = routines_with(&["add128", "sub128", "add256", "sub256"], "plain");
        Self { bench: Bench::new(), plain, halves: routines_with(&["add256", "sub256"], "halves") }
    }

    /// Calls the routine of a build with operands in memory and their addresses in registers;
    /// returns the instructions.
    fn call(&mut self, build: &Twins, label: &str, registers: &[u32], operands: &[&[u32]]) -> u64 {
        let machine = &mut self.bench.machine;
        for (words, at) in operands.iter().zip([A, B, C]) {
            for (i, word) in words.iter().enumerate() {
                machine.wram[at as usize + 4 * i..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
        machine.registers[..registers.len()].copy_from_slice(registers);
        machine.registers[22] = STACK;
        let program = match build.name {
            "plain" => &self.plain,
            "carry" => &self.halves,
            _ => &self.bench.program,
        };
        machine.call(program, &format!("ringjet_{label}")).unwrap()
    }

    /// Eight words of WRAM.
    fn words(&self, at: u32) -> Vec<u32> {
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        self.bench.machine.wram[at as usize..][..32].chunks(4).map(word).collect()
    }

    /// A number whose words are often all zeros or all ones, so that carries run.
    fn number(&mut self) -> u128 {
        let word = |bench: &mut Bench| match bench.rng.next_u32() % 4 {
            0 => 0,
            1 => u32::MAX,
            _ => bench.word(),
        };
        (0..4).fold(0, |sum, _| (sum << 32) | u128::from(word(&mut self.bench)))
    }

    /// A modulus of 2 to 127 bits; every other has 109 bits.
    fn modulus(&mut self) -> u128 {
        let rng = &mut self.bench.rng;
        let bits = if rng.next_u32().is_multiple_of(2) { 109 } else { 2 + rng.next_u32() % 126 };
        let random = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        match rng.next_u32() % 8 {
            0 => (1 << bits) - 1,
            1 => 1 << (bits - 1),
            2 => MODULUS,
            _ => (1 << (bits - 1)) | (random % (1 << (bits - 1))),
        }
    }

    /// A residue; the largest and zero are frequent.
    fn residue(&mut self, m: u128) -> u128 {
        let rng = &mut self.bench.rng;
        match rng.next_u32() % 16 {
            0 => 0,
            1 => m - 1,
            _ => (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())) % m,
        }
    }
}

fn low_words(x: u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (x >> shift) as u32)
}

fn number_of(words: &[u32]) -> u128 {
    words.iter().take(4).rev().fold(0, |sum, &word| (sum << 32) | u128::from(word))
}

/// Calls a C function with up to 16 words; returns eight words, and what it charges.
fn charged(twin: Function, input: &[u32]) -> ([u32; 8], u64) {
    let (mut words, mut output) = ([0; 16], [0; 8]);
    words[..input.len()].copy_from_slice(input);
    // SAFETY: the functions read at most 16 words and write at most 8.
    let count = unsafe { twin(words.as_ptr(), output.as_mut_ptr()) };
    (output, count.into())
}

#[test]
fn sums_differences_comparisons() {
    let mut wide = Wide::new();
    for build in &BUILDS[..2] {
        let suffix = if build.name == "plain" { "_plain" } else { "" };
        for _ in 0..RANDOM {
            let (a, b) = (wide.number(), wide.number());
            let operands: [&[u32]; 2] = [&low_words(a), &low_words(b)];
            let input = operands.concat();
            for (name, twin, exact) in
                [("add128", build.sum, a.wrapping_add(b)), ("sub128", build.difference, a.wrapping_sub(b))]
            {
                let count = wide.call(build, &format!("{name}{suffix}"), &ARGUMENTS, &operands);
                let (c, charge) = charged(twin, &input);
                let found = wide.words(OUT);
                assert_eq!([number_of(&found), number_of(&c)], [exact; 2], "{name}{suffix} of {a:#x} and {b:#x}");
                assert_eq!(count - CALL, charge, "instructions of {name}{suffix} of {a:#x} and {b:#x}");
            }
            let count = wide.call(build, "less128", &ARGUMENTS, &operands);
            let found = wide.bench.machine.registers[0];
            let (c, charge) = charged(build.less, &input);
            assert_eq!([found, c[0]], [u32::from(a < b); 2], "{a:#x} < {b:#x}");
            assert_eq!(count - CALL, charge, "instructions of {a:#x} < {b:#x}");
        }
    }
}

/// As published, where the high words of compared numbers differ.
#[test]
fn published_counts_of_sums() {
    let [a, b] = [0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00_u128, 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10];
    let input = [low_words(a), low_words(b)].concat();
    let count = |twin| charged(twin, &input).1;
    assert_eq!([count(plain::TWINS.sum), count(plain::TWINS.difference)], [17, 16]);
    assert_eq!([count(carry::TWINS.sum), count(carry::TWINS.difference)], [10, 10]);
}

#[test]
fn sums_and_differences_modulo_a_number() {
    let mut wide = Wide::new();
    for build in &BUILDS {
        let [add, sub] = match build.name {
            "plain" => ["mod_add128_plain", "mod_sub128_plain"],
            "carry" => ["mod_add128", "mod_sub128"],
            _ => ["mod_add128", "mod_sub128_coalesced"],
        };
        for _ in 0..RANDOM {
            let m = wide.modulus();
            let (a, b) = (wide.residue(m), wide.residue(m));
            let operands: [&[u32]; 3] = [&low_words(a), &low_words(b), &low_words(m)];
            let input = operands.concat();
            for (name, twin, exact) in [(add, build.mod_add, (a + b) % m), (sub, build.mod_sub, (a + m - b) % m)] {
                let count = wide.call(build, name, &ARGUMENTS, &operands);
                let found = wide.words(OUT);
                let (c, charge) = charged(twin, &input);
                assert_eq!([number_of(&found), number_of(&c)], [exact; 2], "{name} of {a:#x} and {b:#x} mod {m:#x}");
                assert_eq!(count, charge, "instructions of {name} of {a:#x} and {b:#x} mod {m:#x}");
            }
        }
    }
}

/// The low and the high half of the 256-bit sum or difference of numbers (low, high).
fn wider_sum(a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
    let (low, carry) = a[0].overflowing_add(b[0]);
    [low, a[1].wrapping_add(b[1]).wrapping_add(carry.into())]
}

fn wider_difference(a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
    let (low, borrow) = a[0].overflowing_sub(b[0]);
    [low, a[1].wrapping_sub(b[1]).wrapping_sub(borrow.into())]
}

#[test]
fn numbers_of_256_bits() {
    let mut wide = Wide::new();
    for (build, suffix) in BUILDS.iter().zip(["_plain", "_halves", ""]) {
        for _ in 0..RANDOM {
            let [a, b] = [0; 2].map(|_| [wide.number(), wide.number()]);
            let operands = [a, b].map(|x| x.map(low_words).concat());
            let operands: [&[u32]; 2] = [&operands[0], &operands[1]];
            let cases = [
                ("add256", build.wider_sum, wider_sum(a, b)),
                ("sub256", build.wider_difference, wider_difference(a, b)),
            ];
            for (name, twin, exact) in cases {
                let count = wide.call(build, &format!("{name}{suffix}"), &ARGUMENTS, &operands);
                let found = wide.words(OUT);
                let (c, charge) = charged(twin, &operands.concat());
                let expected = exact.map(low_words).concat();
                assert_eq!(found, expected, "{name}{suffix} of {a:x?} and {b:x?}");
                assert_eq!(c[..], expected, "C {name}{suffix} of {a:x?} and {b:x?}");
                assert_eq!(count, charge, "instructions of {name}{suffix} of {a:x?} and {b:x?}");
            }
        }
    }
}

/// The product as low and high half, from sums of shifted factors.
fn exact_product(a: u128, b: u128) -> [u128; 2] {
    (0..128).filter(|&i| a >> i & 1 == 1).fold([0; 2], |sum, i| {
        let high = if i == 0 { 0 } else { b >> (128 - i) };
        wider_sum(sum, [b << i, high])
    })
}

#[test]
fn products_by_karatsuba() {
    let mut wide = Wide::new();
    for build in &BUILDS {
        for _ in 0..RANDOM / 10 {
            let (a, b) = (wide.number(), wide.number());
            let expected = exact_product(a, b).map(low_words).concat();
            let operands: [&[u32]; 2] = [&low_words(a), &low_words(b)];
            let count = wide.call(build, "mul128", &[A, B], &operands);
            let (c, charge) = charged(build.product, &operands.concat());
            assert_eq!(wide.words(STACK), expected, "{} {a:#x} times {b:#x}", build.name);
            assert_eq!(c[..], expected, "C {} {a:#x} times {b:#x}", build.name);
            assert_eq!(count, charge, "instructions of {} {a:#x} times {b:#x}", build.name);
        }
    }
}

#[test]
fn remainders_by_shifts_and_subtractions() {
    let mut wide = Wide::new();
    for build in &BUILDS {
        for i in 0..RANDOM / 100 {
            let m = wide.modulus();
            let v = match i % 8 {
                0 => [0, 0],
                1 => [wide.number(), 0],
                2 => exact_product(m - 1, m - 1),
                3 => exact_product(m, wide.number()),
                _ => [wide.number(), wide.number()],
            };
            let expected = remainder(v, m);
            let operands: [&[u32]; 2] = [&v.map(low_words).concat(), &low_words(m)];
            let count = wide.call(build, "remainder256", &[A, B], &operands);
            let (c, charge) = charged(build.remainder, &operands.concat());
            let found = number_of(&wide.words(A));
            assert_eq!([found, number_of(&c)], [expected; 2], "{} {v:x?} mod {m:#x}", build.name);
            assert_eq!(count, charge, "instructions of {} {v:x?} mod {m:#x}", build.name);
        }
    }
}

/// Builds with the compiler's products of words take 97 instructions more for each of the nine.
#[test]
fn products_modulo_a_number() {
    let mut wide = Wide::new();
    for (build, with_compiler) in [(&plain::TWINS, &initial::TWINS), (&carry::TWINS, &last::TWINS)] {
        for _ in 0..RANDOM / 100 {
            let m = wide.modulus();
            let (a, b) = (wide.residue(m), wide.residue(m));
            let operands: [&[u32]; 3] = [&low_words(a), &low_words(b), &low_words(m)];
            let count = wide.call(build, "mod_mul128", &ARGUMENTS, &operands);
            let (c, charge) = charged(build.mod_mul, &operands.concat());
            let (other, of_compiler) = charged(with_compiler.mod_mul, &operands.concat());
            let found = number_of(&wide.words(OUT));
            let text = format!("{} {a:#x} times {b:#x} mod {m:#x}", build.name);
            assert_eq!([found, number_of(&c), number_of(&other)], [mul_mod(a, b, m); 3], "{text}");
            assert_eq!([count, of_compiler], [charge, charge + 9 * (134 - 37)], "instructions of {text}");
        }
    }
}

/// The mean instructions of a routine on random residues.
fn mean(wide: &mut Wide, twin: Function, samples: usize) -> f64 {
    let mut random = || {
        let rng = &mut wide.bench.rng;
        (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())) % MODULUS
    };
    let total: u64 =
        (0..samples).map(|_| charged(twin, &[random(), random(), MODULUS].map(low_words).concat()).1).sum();
    total as f64 / samples as f64
}

/// The table of `docs/design/pim-arithmetic.md` has these figures.
#[test]
fn documented_counts() {
    let page = include_str!("../../../../../docs/design/pim-arithmetic.md");
    let mut wide = Wide::new();
    let rows: [(&str, Function, usize); 10] = [
        ("modular sum, plain", initial::TWINS.mod_add, 100_000),
        ("modular sum, carries", last::TWINS.mod_add, 100_000),
        ("modular difference, plain", initial::TWINS.mod_sub, 100_000),
        ("modular difference, carries", carry::TWINS.mod_sub, 100_000),
        ("modular difference, carries, coalesced", further::TWINS.mod_sub, 100_000),
        ("product to 256 bits, plain", initial::TWINS.product, 10_000),
        ("product to 256 bits, carries", last::TWINS.product, 10_000),
        ("modular product, plain", initial::TWINS.mod_mul, 10_000),
        ("modular product, carries", last::TWINS.mod_mul, 10_000),
        ("modular product, carries through 256 bits, own product of words", further::TWINS.mod_mul, 10_000),
    ];
    let missing: Vec<String> = rows
        .into_iter()
        .map(|(name, twin, samples)| format!("| {name} | {:.1} |", mean(&mut wide, twin, samples)))
        .filter(|row| !page.contains(row.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/design/pim-arithmetic.md lacks\n{}", missing.join("\n"));
}
