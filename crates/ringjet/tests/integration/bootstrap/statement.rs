//! The stated error of bootstrapped ciphertexts beside the true one: for every number of slots, for
//! real and complex values, and after many bootstraps.

use super::*;

/// Most bits between the stated deviation and the root of the mean square of true errors.
const WITHIN: f64 = 1.0;

/// The chain of a preset in a smaller ring.
fn shrunk(preset: &str, log_n: u32) -> BootstrapChain {
    bootstrap_chain(preset).unwrap().shrunk(log_n).unwrap()
}

impl Rig {
    fn encrypt_once(&self, values: &[Complex64], number: u64) -> Ciphertext {
        let (level, params) = (self.lowest(), self.params());
        let p = Plaintext::encode(&self.ctx, values, level, params.scale(level), self.log_slots).unwrap();
        self.secret.encrypt(&self.ctx, &p, &self.seed.derive(b"statement", number)).unwrap()
    }

    fn refreshed(&self, ct: &Ciphertext, real: bool) -> Ciphertext {
        let boot = self.eval.bootstrapper(self.log_slots).unwrap();
        boot.bootstrap_observed(&self.eval, ct, real, |_| true).unwrap()
    }

    /// Squares of the errors of all parts; of real parts only where values are real.
    fn squares(&self, ct: &Ciphertext, want: &[Complex64], real: bool) -> Vec<f64> {
        let got = self.secret.decrypt_values(&self.ctx, ct).unwrap().0;
        let parts = got.iter().zip(want).map(|(a, b)| [a.re - b.re, if real { 0.0 } else { a.im - b.im }]);
        parts.flat_map(|[re, im]| [re * re].into_iter().chain((!real).then_some(im * im))).collect()
    }
}

/// `-log2` of the root of the mean of the squares.
fn rms_bits(squares: &[f64]) -> f64 {
    -0.5 * (squares.iter().sum::<f64>() / squares.len() as f64).log2()
}

fn real_or(values: Vec<Complex64>, real: bool) -> Vec<Complex64> {
    values.into_iter().map(|z| if real { complex(z.re, 0.0) } else { z }).collect()
}

fn compare(what: &str, found: f64, stated: f64) -> bool {
    let holds = (found - stated).abs() <= WITHIN;
    println!("{what}: {found:.2} bits, stated {stated:.2}{}", if holds { "" } else { "   <-- off" });
    holds
}

/// The root of the mean square of `runs` bootstraps of random values.
fn expect_statement(rig: &Rig, runs: u64) -> bool {
    let slots = 1usize << rig.log_slots;
    [false, true].map(|real| {
        let (mut squares, mut stated) = (vec![], 0.0);
        for run in 0..runs {
            let values = real_or(random(slots, 100 + run), real);
            let out = rig.refreshed(&rig.encrypt_once(&values, run), real);
            squares.extend(rig.squares(&out, &values, real));
            stated = out.noise().precision_bits();
        }
        let kind = if real { "real" } else { "complex" };
        compare(&format!("{slots} slots, {kind}, {runs} runs"), rms_bits(&squares), stated)
    }) == [true; 2]
}

/// The error after each of `counts` bootstraps in a row.
fn expect_chain(rig: &Rig, counts: &[usize]) -> bool {
    let slots = 1usize << rig.log_slots;
    let mut holds = true;
    for (name, real, values) in [
        ("constant 1", true, vec![complex(1.0, 0.0); slots]),
        ("random real", true, real_or(random(slots, 9), true)),
        ("random complex", false, random(slots, 9)),
    ] {
        let mut ct = rig.encrypt_once(&values, 1000);
        for count in 1..=counts.iter().copied().max().unwrap() {
            ct = rig.refreshed(&ct, real);
            if counts.contains(&count) {
                let found = rms_bits(&rig.squares(&ct, &values, real));
                holds &= compare(&format!("{slots} slots, {name}, {count} times"), found, ct.noise().precision_bits());
            }
        }
    }
    holds
}

/// In larger rings with few slots more errors come together in the trace.
#[test]
fn few_slots_have_the_stated_error() {
    for (preset, log_n, log_slots) in [("n15-boot-fast", 12, 3), ("n16-boot", 10, 9)] {
        assert!(expect_statement(&Rig::new(&shrunk(preset, log_n), log_slots, 21), 3), "{preset}, {log_slots}");
    }
}

/// From the smallest number of slots, over N/4, up to which one EvalMod takes both parts, to N/2.
#[test]
fn every_number_of_slots_has_the_stated_error() {
    let chain = shrunk("n15-boot-fast", 9);
    for (log_slots, seeds) in [(3, 31..34), (5, 34..36), (7, 36..39), (8, 39..41)] {
        for seed in seeds {
            assert!(expect_statement(&Rig::new(&chain, log_slots, seed), 3), "{log_slots}, seed {seed}");
        }
    }
    // with 8 slots, in which the values repeat
    for log_slots in [0, 1, 2] {
        assert!(expect_statement(&Rig::new(&chain, log_slots, 41), 24), "{log_slots}");
    }
    // with CoeffsToSlots as a whole in the keys
    let few = shrunk("n15-boot-few", 9);
    for (log_slots, seed) in [(5, 42), (4, 43), (3, 44)] {
        assert!(expect_statement(&Rig::new(&few, log_slots, seed), 12), "few, {log_slots}");
    }
}

#[test]
fn many_bootstraps_have_the_stated_error() {
    assert!(expect_chain(&Rig::new(&shrunk("n15-boot-fast", 9), 6, 22), &[1, 10, 30]));
}

fn at_size(preset: &str, log_n: u32, slots: &[u32], chained: u32) {
    let chain = shrunk(preset, log_n);
    println!("{preset}, N = 2^{log_n}");
    let mut holds = true;
    for &log_slots in slots {
        let rig = Rig::new(&chain, log_slots, 23);
        holds &= expect_statement(&rig, 20);
        if log_slots == chained {
            holds &= expect_chain(&rig, &[1, 10, 100]);
        }
    }
    assert!(holds, "{preset}");
}

/// Ten minutes and 4 GiB.
#[test]
#[ignore = "full size: make test-full"]
fn statements_of_n15_boot() {
    at_size("n15-boot", 15, &[3, 4, 6, 8, 12, 14], 4);
}

/// The chain of the preset in a ring in which it takes a tenth of the time and of the memory.
#[test]
#[ignore = "long: make test-full"]
fn statements_of_n16_boot_in_a_smaller_ring() {
    at_size("n16-boot", 13, &[4, 6, 8, 12], 4);
}

/// Half an hour and 8 GiB.
#[test]
#[ignore = "full size: make test-full"]
fn statements_of_n16_boot() {
    at_size("n16-boot", 16, &[4, 6, 8, 12, 15], 4);
}
