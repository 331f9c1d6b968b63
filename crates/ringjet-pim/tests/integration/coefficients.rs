//! The program on polynomials with wide coefficients, bit for bit.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_pim::{COEFFICIENT_BUILDS, CoefficientLayout, Command, DpuSet, FITTED_HERTZ, Host, PimError, Refusal};

use crate::support::{hardware, wide::mul_mod};

/// Moduli of 109 bits (the product of the primes of a published ciphertext), 127, 64 and 2 bits.
const MODULI: [u128; 4] = [0xf_fffe_e001 * 0xf_fffc_4001 * 0x1f_fffe_0001, (1 << 127) - 1, (1 << 64) - 59, 3];
const SEED: u64 = 109;

/// One DPU with its data.
struct Case {
    modulus: u128,
    n: usize,
    layout: CoefficientLayout,
    dpus: DpuSet,
    rng: ChaCha20Rng,
}

impl Case {
    fn new(build: &str, modulus: u128, log_n: u32, polynomials: u32, tasklets: u32) -> Self {
        let layout = CoefficientLayout::new(modulus, log_n, polynomials, 8).unwrap();
        let mut dpus = DpuSet::new(&Host::emulator(), 1, hardware(tasklets)).unwrap();
        dpus.load(build).unwrap();
        Self { modulus, n: 1 << log_n, layout, dpus, rng: ChaCha20Rng::seed_from_u64(SEED) }
    }

    /// Fills polynomial `p` with random residues, the largest and zero among them, and returns it.
    fn random(&mut self, p: u32) -> Vec<u128> {
        let values: Vec<u128> = (0..self.n as u32)
            .map(|i| match (i + p) % 5 {
                0 => self.modulus - 1,
                1 if i % 2 == 0 => 0,
                _ => (u128::from(self.rng.next_u64()) << 64 | u128::from(self.rng.next_u64())) % self.modulus,
            })
            .collect();
        let words: Vec<u32> = values.iter().flat_map(|v| [0, 32, 64, 96].map(|shift| (v >> shift) as u32)).collect();
        self.dpus.write(0, self.layout.polynomial(p), &words).unwrap();
        values
    }

    fn get(&self, p: u32) -> Vec<u128> {
        let mut words = vec![0; 4 * self.n];
        self.dpus.read(0, self.layout.polynomial(p), &mut words).unwrap();
        words.chunks(4).map(|word| word.iter().rev().fold(0, |sum, &w| (sum << 32) | u128::from(w))).collect()
    }

    fn run(&mut self, commands: &[Command]) -> Result<u64, PimError> {
        self.dpus.broadcast(0, &self.layout.words(commands).unwrap())?;
        Ok(self.dpus.launch()?[0])
    }
}

/// Coefficient by coefficient.
fn zip(a: &[u128], b: &[u128], f: impl Fn(u128, u128) -> u128) -> Vec<u128> {
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

/// `count` operations of each kind on random polynomials: the operands a and b, then the results.
fn check_element_wise(build: &str, m: u128, log_n: u32, count: u16, tasklets: u32) {
    let mut case = Case::new(build, m, log_n, 5 * u32::from(count), tasklets);
    let polynomials: Vec<_> = (0..2 * u32::from(count)).map(|p| case.random(p)).collect();
    let (a, b) = polynomials.split_at(count.into());
    let [x, y, sum, difference, product] = [0, 1, 2, 3, 4].map(|block| block * count);
    case.run(&[
        Command::Repeat(count),
        Command::Add { out: sum, a: x, b: y },
        Command::Repeat(count),
        Command::Sub { out: difference, a: x, b: y },
        Command::Repeat(count),
        Command::Mul { out: product, a: x, b: y },
        Command::Repeat(count),
        Command::Sub { out: x, a: x, b: x },
    ])
    .unwrap();
    for (i, (a, b)) in (0..).zip(a.iter().zip(b)) {
        let at = |block: u16| case.get(u32::from(block) + i);
        let text = format!("polynomial {i}: {build} mod {m} n = 2^{log_n} {tasklets} tasklets, seed {SEED}");
        assert_eq!(at(sum), zip(a, b, |x, y| (x + y) % m), "{text}");
        assert_eq!(at(difference), zip(a, b, |x, y| (x + m - y) % m), "{text}");
        assert_eq!(at(product), zip(a, b, |x, y| mul_mod(x, y, m)), "{text}");
        assert_eq!(at(x), vec![0; a.len()], "{text}");
        assert_eq!(&at(y), b, "{text}");
    }
}

#[test]
fn element_wise_operations_are_exact() {
    for build in COEFFICIENT_BUILDS {
        for (i, m) in MODULI.into_iter().enumerate() {
            for (j, tasklets) in [1, 5, 11, 16].into_iter().enumerate() {
                // a number of polynomials below, equal to and above that of tasklets
                check_element_wise(build, m, 3 + (i + j) as u32 % 4, [3, 11, 17][(i + j) % 3], tasklets);
            }
        }
        check_element_wise(build, MODULI[0], 12, 2, 16);
    }
}

/// The product modulo X^n + 1.
fn negacyclic(a: &[u128], b: &[u128], m: u128) -> Vec<u128> {
    let mut out = vec![0; a.len()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let (term, k) = (mul_mod(x, y, m), (i + j) % a.len());
            out[k] = (out[k] + if i + j < a.len() { term } else { m - term }) % m;
        }
    }
    out
}

#[test]
fn products_of_polynomials_are_exact() {
    for build in COEFFICIENT_BUILDS {
        for (m, tasklets) in MODULI.into_iter().zip([1, 5, 11, 16]) {
            let mut case = Case::new(build, m, 4, 9, tasklets);
            let polynomials: Vec<_> = (0..6).map(|p| case.random(p)).collect();
            case.run(&[Command::Repeat(3), Command::MulPolynomial { out: 6, a: 0, b: 3 }]).unwrap();
            for i in 0..3 {
                let expected = negacyclic(&polynomials[i], &polynomials[i + 3], m);
                assert_eq!(case.get(6 + i as u32), expected, "{build} mod {m}, seed {SEED}");
            }
        }
    }
}

#[test]
fn wrong_commands_are_refused() {
    let mut case = Case::new("coefficients-coalesced", MODULI[0], 3, 6, 16);
    let good = Command::Add { out: 0, a: 1, b: 2 };
    let mut refused = |command: Command, reason| {
        let error = case.run(&[good.clone(), Command::Repeat(2), command, good.clone()]).unwrap_err();
        assert_eq!(error, PimError::Refused { dpu: 0, command: 2, reason });
    };
    refused(Command::Add { out: 5, a: 0, b: 0 }, Refusal::NoSuchPolynomial);
    refused(Command::Sub { out: 0, a: 6, b: 0 }, Refusal::NoSuchPolynomial);
    refused(Command::Mul { out: 0, a: 0, b: u16::MAX }, Refusal::NoSuchPolynomial);
    refused(Command::Mul { out: 1, a: 0, b: 3 }, Refusal::Overlap);
    refused(Command::Add { out: 0, a: 0, b: 1 }, Refusal::Overlap);
    refused(Command::MulPolynomial { out: 0, a: 0, b: 2 }, Refusal::Overlap);
    refused(Command::Forward { out: 0 }, Refusal::UnknownCommand);
    refused(Command::UseHeader(0), Refusal::UnknownCommand);
    case.run(&[Command::Repeat(2), Command::Mul { out: 0, a: 0, b: 2 }, Command::Stop]).unwrap();
    // headers: an odd offset, a length of 12, a modulus of 1
    for (index, value) in [(2, 13), (0, 12), (8, 1)] {
        let mut words = CoefficientLayout::new(3, 3, 6, 8).unwrap().words(&[Command::Stop]).unwrap();
        words[index] = value;
        case.dpus.broadcast(0, &words).unwrap();
        let error = case.dpus.launch().unwrap_err();
        assert!(matches!(error, PimError::Refused { reason: Refusal::Header, .. }), "{error}");
    }
}

#[test]
fn layouts_that_do_not_fit_are_refused() {
    let new = CoefficientLayout::new;
    assert_eq!(new(1 << 127, 3, 1, 1).unwrap_err(), PimError::WideModulus { modulus: 1 << 127 });
    assert_eq!(new(1, 3, 1, 1).unwrap_err(), PimError::WideModulus { modulus: 1 });
    assert_eq!(new(3, 2, 1, 1).unwrap_err(), PimError::Degree { log_n: 2 });
    let PimError::NoRoom { most, .. } = new(3, 12, 4096, 8).unwrap_err() else { panic!() };
    assert_eq!(most, 1023);
    assert!(new(3, 12, most, 8).is_ok());
    let error = new(3, 3, 1, 1).unwrap().words(&[Command::Stop, Command::Stop]).unwrap_err();
    assert_eq!(error, PimError::TooMany { what: "commands", count: 2, room: 1 });
    let unknown = DpuSet::new(&Host::emulator(), 1, hardware(1)).unwrap().load("coefficients").unwrap_err();
    assert!(unknown.to_string().contains("coefficients-initial"), "{unknown}");
}

/// Each tasklet has polynomials of its own, so up to eleven products take as long as one.
#[test]
fn tasklets_have_polynomials_of_their_own() {
    let cycles = [1, 5, 11, 16].map(|count: u16| {
        let mut case = Case::new("coefficients-initial", MODULI[0], 6, 32, 16);
        case.random(0);
        let mut words = vec![0; 4 * case.n];
        case.dpus.read(0, case.layout.polynomial(0), &mut words).unwrap();
        (1..32).for_each(|p| case.dpus.write(0, case.layout.polynomial(p), &words).unwrap());
        case.run(&[Command::Repeat(count), Command::Mul { out: 0, a: 0, b: count }]).unwrap() as f64
    });
    assert!((cycles[1] / cycles[0] - 1.0).abs() < 0.01, "{cycles:?}");
    assert!((cycles[2] / cycles[0] - 1.0).abs() < 0.01, "{cycles:?}");
    assert!((cycles[3] / cycles[0] - 16.0 / 11.0).abs() < 0.02, "{cycles:?}");
}

/// The published steps, with 10 pairs on a DPU: those of 40,960 polynomials on 2220 DPUs. Figures of
/// all numbers of polynomials are in docs/design/pim.md.
#[test]
fn published_changes_of_time() {
    let cycles = |build: &str, operation: Command| {
        let mut case = Case::new(build, MODULI[0], 12, 20, 16);
        (0..20).for_each(|p| drop(case.random(p)));
        case.run(&[Command::Repeat(10), operation]).unwrap() as f64
    };
    let builds = ["coefficients-initial", "coefficients-buffered", "coefficients-carry"];
    let [initial, buffered, carry] = builds.map(|build| cycles(build, Command::Add { out: 0, a: 0, b: 10 }));
    let close = |ratio: f64, published: f64, points: f64| {
        assert!((100.0 * (ratio - 1.0) - published).abs() < points, "{ratio}, published {published} %");
    };
    assert!((0.26..0.52).contains(&(buffered / initial)), "buffers: -48 to -74 %; {buffered} {initial}");
    close(carry / initial, -70.0, 5.0);
    let [initial, buffered, carry] = builds.map(|build| cycles(build, Command::Mul { out: 0, a: 0, b: 10 }));
    close(buffered / initial, -0.15, 0.5);
    close(carry / buffered, -10.0, 5.0);
    let ms = initial / FITTED_HERTZ * 1e3;
    assert!((900.0..1150.0).contains(&ms), "about 1000 ms; {ms}");
}
