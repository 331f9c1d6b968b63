//! Compares the kernels' modular arithmetic, compiled for the host, with big integers over the
//! whole range of every function. These are the claims of `docs/proofs/gpu-arithmetic.md`.

use crate::modarith_calls::{
    Arithmetic, F64, F64Below48, U32, U32Unsigned, U64Below48, U64Below50, U64Below61, Word, fraction,
};
use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_math::Modulus;
use ringjet_math::prime::{is_prime, ntt_primes};

/// Number of random inputs of each function, spread over the primes.
const INPUTS: usize = 1_000_000;
const SEED: u64 = 0x7269_6e67_6a65_7401;

/// The prime closest to `start`, upwards (`step` = 1) or downwards (-1).
fn prime_near(start: u64, step: i64) -> u64 {
    (0..).map(|i| start.wrapping_add_signed(step * i)).find(|&n| is_prime(n)).unwrap()
}

/// Primes below `2^bits` to test an arithmetic with: the smallest and the largest, primes around
/// powers of two, and primes that have transforms.
fn primes(bits: u32) -> Vec<Modulus> {
    let mut all = vec![5, 7, prime_near((1 << bits) - 1, -1), prime_near(1 << (bits - 1), 1)];
    for k in [13, 24, 25, 26, 30, 31, 40, 49, 50, 60].into_iter().filter(|&k| k < bits) {
        all.extend([prime_near(1 << k, -1), prime_near(1 << k, 1)]);
    }
    all.extend(ntt_primes(16, bits, 2, &[]).unwrap());
    all.into_iter().map(|q| Modulus::new(q).unwrap()).collect()
}

/// Inputs from `lo` to `hi`: the edges of the range, then random inputs, of which a quarter lie
/// close to the ends.
struct Inputs {
    rng: ChaCha20Rng,
    m: Modulus,
}

impl Inputs {
    fn new(m: Modulus) -> Self {
        Self { rng: ChaCha20Rng::seed_from_u64(SEED ^ m.value()), m }
    }

    fn below(&mut self, n: i128) -> i128 {
        let x = u128::from(self.rng.next_u64()) << 64 | u128::from(self.rng.next_u64());
        (x % n as u128) as i128
    }

    fn edges(&self, (lo, hi): (i128, i128)) -> Vec<i128> {
        let q = i128::from(self.m.value());
        let around = [lo, hi, 0, q / 2, q, 2 * q, 4 * q, -q, -q / 2, hi / 2, lo / 2];
        let mut all: Vec<i128> = around.iter().flat_map(|&x| [x - 2, x - 1, x, x + 1, x + 2]).collect();
        all.retain(|&x| lo <= x && x <= hi);
        all.sort_unstable();
        all.dedup();
        all
    }

    fn random(&mut self, (lo, hi): (i128, i128)) -> i128 {
        match self.rng.next_u32() % 8 {
            0 => (lo + self.below(64)).min(hi),
            1 => (hi - self.below(64)).max(lo),
            _ => lo + self.below(hi - lo + 1),
        }
    }

    /// One of the largest x for which `x * w` is congruent to 0, 1, -1 or about q/2 modulo q. Wrong
    /// quotient estimates would show there first.
    fn critical(&mut self, (lo, hi): (i128, i128), w: i128) -> i128 {
        let q = i128::from(self.m.value());
        let w = w.rem_euclid(q) as u64;
        let Some(inverse) = self.m.inv(w) else { return hi };
        let target = [0, 1, q - 1, q / 2, q / 2 + 1][self.below(5) as usize];
        let x = i128::from(self.m.mul(target as u64, inverse)); // a solution; the others differ from it by multiples of q
        let top = hi - (hi - x).rem_euclid(q);
        let bottom = lo + (x - lo).rem_euclid(q);
        let x = if self.rng.next_u32().is_multiple_of(4) { bottom } else { top - q * self.below(3) };
        x.clamp(lo, hi)
    }

    fn pairs(&mut self, x: (i128, i128), y: (i128, i128), count: usize) -> (Vec<i128>, Vec<i128>) {
        let mut all = vec![];
        for a in self.edges(x) {
            all.extend(self.edges(y).into_iter().map(|b| (a, b)));
        }
        for i in 0..count {
            let b = self.random(y);
            all.push((if i % 4 == 0 { self.critical(x, b) } else { self.random(x) }, b));
        }
        all.into_iter().unzip()
    }

    fn singles(&mut self, x: (i128, i128), count: usize) -> Vec<i128> {
        let mut all = self.edges(x);
        all.extend((0..count).map(|_| self.random(x)));
        all
    }
}

/// Checks that each word of `got` is congruent to `want` modulo q and lies in its range.
fn check<A: Arithmetic>(
    what: &str,
    m: &Modulus,
    range: impl Fn(usize) -> (i128, i128),
    got: &[A::Word],
    want: impl Fn(usize) -> i128,
) {
    let q = i128::from(m.value());
    for (i, &word) in got.iter().enumerate() {
        let (lo, hi) = range(i);
        let x = word.integer();
        assert!(lo <= x && x <= hi, "{} {what}, q = {q}, input {i}: {x} outside of [{lo}, {hi}]", A::NAME);
        assert_eq!((x - want(i)).rem_euclid(q), 0, "{} {what}, q = {q}, input {i}: {x}", A::NAME);
    }
}

fn words<A: Arithmetic>(x: &[i128]) -> Vec<A::Word> {
    x.iter().map(|&x| A::Word::of(x)).collect()
}

/// `x / R modulo q`, in [0, q).
fn divided(m: &Modulus, x: i128, r: u128) -> i128 {
    let inverse = m.inv(m.reduce_u128(r)).unwrap();
    i128::from(m.mul(x.rem_euclid(i128::from(m.value())) as u64, inverse))
}

fn every_function<A: Arithmetic>() {
    let primes = primes(A::BITS);
    println!("{}: seed {SEED:#x}, {INPUTS} inputs of each function, {} primes", A::NAME, primes.len());
    let count = INPUTS.div_ceil(primes.len());
    for m in primes {
        products::<A>(&m, count);
        sums_and_reductions::<A>(&m, count);
        butterflies::<A>(&m, count);
        factors::<A>(&m, count);
        borders::<A>(&m, count);
        scalar_products::<A>(&m, count);
    }
}

fn products<A: Arithmetic>(m: &Modulus, count: usize) {
    let (mut inputs, q) = (Inputs::new(*m), i128::from(m.value()));
    let ranges = A::ranges(q);
    let constants = A::modulus(m);

    let (a, b) = inputs.pairs(ranges.mul.0, ranges.mul.1, count);
    let got = A::mul(&constants, &words::<A>(&a), &words::<A>(&b));
    let unit = divided(m, 1, A::MUL_R);
    check::<A>("mul", m, |_| ranges.mul_out, &got, |i| (a[i] * b[i]) % q * unit);

    let (x, w) = inputs.pairs(ranges.mul_const, (0, q - 1), count);
    let factors: Vec<_> = w.iter().map(|&w| A::constant(m, w as u64)).collect();
    let got = A::mul_const(&constants, &words::<A>(&x), &factors);
    let unit = divided(m, 1, A::CONSTANT_R);
    check::<A>("mul_const", m, |_| ranges.mul_const_out, &got, |i| (x[i] * w[i]) % q * unit);
}

fn sums_and_reductions<A: Arithmetic>(m: &Modulus, count: usize) {
    let (mut inputs, q) = (Inputs::new(*m), i128::from(m.value()));
    let ranges = A::ranges(q);
    let constants = A::modulus(m);
    let residues = (0, q - 1);

    let (a, b) = inputs.pairs(residues, residues, count);
    let (x, y) = (words::<A>(&a), words::<A>(&b));
    check::<A>("add", m, |_| residues, &A::add(&constants, &x, &y), |i| a[i] + b[i]);
    check::<A>("sub", m, |_| residues, &A::sub(&constants, &x, &y), |i| a[i] - b[i]);

    let a = inputs.singles(ranges.canonical, count);
    let x = words::<A>(&a);
    check::<A>("canonical", m, |_| residues, &A::canonical(&constants, &x), |i| a[i]);
    check::<A>("settle", m, |_| ranges.settled, &A::settle(&constants, &x), |i| a[i]);
}

/// Tests butterflies on the widest words that the kernels give them, and that the stated widths
/// contain all words of their kind.
fn butterflies<A: Arithmetic>(m: &Modulus, count: usize) {
    let (mut inputs, q) = (Inputs::new(*m), i128::from(m.value()));
    let (constants, ranges, shape) = (A::modulus(m), A::ranges(q), A::shape());
    let unit = divided(m, 1, A::CONSTANT_R);
    for width in [A::forward_width, A::inverse_width] {
        inside((0, q - 1), width(q, shape.canonical));
        inside(ranges.settled, width(q, shape.settled));
        inside(ranges.mul_const_out, width(q, shape.product));
        inside(width(q, shape.most), ranges.canonical);
        inside(width(q, shape.decoded), ranges.canonical);
    }
    inside(ranges.mul_out, A::forward_width(q, shape.mul));
    // Arithmetics are of two kinds: either the widths of words are tracked, or all butterflies
    // return words of one range.
    if shape.mul_in >= 0 {
        inside(A::forward_width(q, shape.mul_in), ranges.mul.1);
        inside(ranges.mul_out, A::inverse_width(q, shape.mul));
    } else {
        inside(ranges.settled, ranges.mul.0);
        assert!(shape.mul > shape.most); // so kernels settle products
    }

    let mut factors = |n: usize| {
        let w: Vec<u64> = (0..n).map(|_| inputs.random((0, q - 1)) as u64).collect();
        let constants: Vec<_> = w.iter().map(|&w| A::constant(m, w)).collect();
        (w, constants)
    };
    let mut ends = Inputs::new(*m);
    let most = A::forward_width(q, shape.most);
    let (x, y) = ends.pairs(most, most, count);
    let (w, known) = factors(x.len());
    let times = |z: i128, w: u64| (z % q * i128::from(w)) % q * unit;
    let (mut u, mut v) = (words::<A>(&x), words::<A>(&y));
    A::forward(&constants, &mut u, &mut v, &known);
    let out = A::forward_width(q, shape.most + shape.product);
    check::<A>("forward, sum", m, |_| out, &u, |i| x[i] + times(y[i], w[i]));
    check::<A>("forward, difference", m, |_| out, &v, |i| x[i] - times(y[i], w[i]));

    // The widest pairs of arguments, for different widths of the two.
    for one in [shape.most / 2, shape.settled, shape.most - shape.settled] {
        let (a, b) = (A::inverse_width(q, one), A::inverse_width(q, shape.most - one));
        let (x, y) = ends.pairs(a, b, count.div_ceil(3));
        let (w, known) = factors(x.len());
        let (mut u, mut v) = (words::<A>(&x), words::<A>(&y));
        A::inverse(&constants, &mut u, &mut v, &known);
        let out = A::inverse_width(q, shape.most);
        check::<A>("inverse, sum", m, |_| out, &u, |i| x[i] + y[i]);
        check::<A>("inverse, product", m, |_| ranges.mul_const_out, &v, |i| times(x[i] - y[i], w[i]));
    }
}

/// Tests `form`, `factor`, `centre` and `number`, which prepare factors of products and of sums.
fn factors<A: Arithmetic>(m: &Modulus, count: usize) {
    let (mut inputs, q) = (Inputs::new(*m), i128::from(m.value()));
    let (constants, ranges) = (A::modulus(m), A::ranges(q));
    let residues = (0, q - 1);
    let (a, b) = inputs.pairs(residues, residues, count);
    let (x, y) = (words::<A>(&a), words::<A>(&b));
    let product = A::mul(&constants, &A::form(&constants, &x), &y);
    check::<A>("mul of form", m, |_| ranges.mul_out, &product, |i| a[i] * b[i]);

    let unit = m.reduce_u128(A::CONSTANT_R);
    let known = |w: &[i128]| w.iter().map(|&w| A::constant(m, m.mul(w as u64, unit))).collect::<Vec<_>>();
    let made = A::factor(&constants, &known(&a), &known(&b));
    let wide = inputs.pairs(residues, ranges.mul.1, a.len()).1;
    let product = A::mul(&constants, &made, &words::<A>(&wide[..made.len()]));
    check::<A>("mul of factor", m, |_| ranges.mul_out, &product, |i| (a[i] * b[i]) % q * (wide[i] % q));

    let centred = A::centre(&constants, &x);
    check::<A>("centre", m, |i| (if a[i] > q / 2 { a[i] - q } else { 0 }, a[i]), &centred, |i| a[i]);
    let bits = A::shape().left_bits;
    let lowest = if centred[0].integer() < 0 || A::NAME.starts_with("F64") { -1 << bits } else { 0 };
    let y = inputs.singles((lowest, (1 << bits) - 1), count);
    let w: Vec<u64> = y.iter().map(|_| inputs.random(residues) as u64).collect();
    let numbers: Vec<i64> = y.iter().map(|&y| y as i64).collect();
    let right: Vec<u64> = w.iter().map(|&w| A::OWN.right(m, w)).collect();
    let got = A::numbers(&constants, &numbers, &right);
    check::<A>("number", m, |_| residues, &got, |i| y[i] % q * i128::from(w[i]));
}

fn inside(inner: (i128, i128), outer: (i128, i128)) {
    assert!(outer.0 <= inner.0 && inner.1 <= outer.1, "{inner:?} is not in {outer:?}");
}

fn borders<A: Arithmetic>(m: &Modulus, count: usize) {
    let (mut inputs, q) = (Inputs::new(*m), i128::from(m.value()));
    let constants = A::modulus(m);
    let a = inputs.singles((0, q - 1), count);
    let residues: Vec<u64> = a.iter().map(|&x| x as u64).collect();
    let encoded = A::encode(&constants, &residues);
    check::<A>("encode", m, |_| (0, q - 1), &encoded, |i| a[i]);
    assert_eq!(A::decode(&constants, &encoded), residues, "{} decode, q = {q}", A::NAME);
    let a = inputs.singles(A::ranges(q).canonical, count);
    let want: Vec<u64> = a.iter().map(|&x| x.rem_euclid(q) as u64).collect();
    assert_eq!(A::decode(&constants, &words::<A>(&a)), want, "{} decode, q = {q}", A::NAME);

    let shape = A::shape();
    let most = if shape.packed < 0 { A::forward_width(q, shape.most) } else { A::ranges(q).canonical };
    let a = inputs.singles(most, count);
    let packed = A::pack(&constants, &words::<A>(&a));
    assert!(packed.iter().all(|&bits| bits <= u64::MAX >> (64 - 8 * shape.bytes)), "{} pack, q = {q}", A::NAME);
    let unpacked = A::unpack(&constants, &packed);
    let range = |i: usize| if shape.packed < 0 { (a[i], a[i]) } else { A::forward_width(q, shape.packed) };
    check::<A>("unpack of pack", m, range, &unpacked, |i| a[i]);
    assert_eq!(shape.bytes, A::OWN.width().bytes());
}

/// Tests sums of products with residues of other primes of the class. The sums are as long as those
/// of base conversions, and longer.
fn scalar_products<A: Arithmetic>(m: &Modulus, count: usize) {
    let (mut inputs, q) = (Inputs::new(*m), i128::from(m.value()));
    let constants = A::modulus(m);
    let (left, right) = A::factors(q);
    let unit = divided(m, 1, A::MUL_R);
    for terms in [1, 2, 3, 7, 8, 9, 16, 17, 40, 70, 130] {
        let n = count / terms / 11 + 4;
        let mut y: Vec<i128> = (0..n * terms).map(|_| inputs.random(left)).collect();
        let mut w: Vec<i128> = (0..n * terms).map(|_| inputs.random(right)).collect();
        // The first four sums have the most extreme terms: the largest products, the smallest, and
        // products just below the largest.
        for (k, (a, b)) in
            [(left.1, right.1), (left.0, right.1), (left.1, right.0), (left.1 - 1, right.1)].iter().enumerate()
        {
            y[k * terms..(k + 1) * terms].fill(*a);
            w[k * terms..(k + 1) * terms].fill(*b);
        }
        let got = A::sums(&constants, &words::<A>(&y), &words::<A>(&w), terms);
        let want = |i: usize| {
            let at = i * terms..(i + 1) * terms;
            let sum: BigInt = y[at.clone()].iter().zip(&w[at]).map(|(&y, &w)| BigInt::from(y) * w).sum();
            i128::try_from(sum % q).unwrap() * unit
        };
        check::<A>(&format!("sums of {terms}"), m, |_| (0, q - 1), &got, want);
    }
    if A::shape().terms > 130 {
        let n = A::shape().terms + 3;
        let got = A::sums(&constants, &words::<A>(&vec![left.1; n]), &words::<A>(&vec![right.1; n]), n);
        check::<A>(
            "the longest sum",
            m,
            |_| (0, q - 1),
            &got,
            |_| i128::try_from(BigInt::from(left.1) * right.1 * n % q).unwrap() * unit,
        );
    }
}

macro_rules! exact {
    ($($name:ident: $arithmetic:ty;)+) => {
        $(#[test]
        fn $name() {
            every_function::<$arithmetic>();
        })+
    };
}

exact! {
    u32_is_exact: U32;
    u32_unsigned_is_exact: U32Unsigned;
    f64_is_exact: F64;
    u64_below_50_is_exact: U64Below50;
    f64_below_48_is_exact: F64Below48;
    u64_below_48_is_exact: U64Below48;
    u64_below_61_is_exact: U64Below61;
}

/// Tests the quotient's fraction as [`ringjet_math::BaseConversion`] defines it.
#[test]
fn fractions_are_those_of_base_conversion() {
    for m in primes(61) {
        let mut inputs = Inputs::new(m);
        let ratio = ((1u128 << (m.bits() + 50)) / u128::from(m.value())) as u64;
        let y: Vec<u64> = inputs.singles((0, i128::from(m.value()) - 1), 10_000).iter().map(|&y| y as u64).collect();
        for (&y, got) in y.iter().zip(fraction(&y, ratio, m.bits())) {
            let norm = ringjet_math::BaseConversion::norm(y, m.bits());
            assert_eq!(u128::from(got), (u128::from(norm) * u128::from(ratio)) >> 52, "q = {}, y = {y}", m.value());
        }
    }
}
