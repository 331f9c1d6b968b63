//! Random programs against integers modulo T. Every result is exact, or refused by the operation with
//! a typed error: what an operation gives can be decrypted, whatever the messages are.

use std::sync::Arc;

use super::{Fixture, Random, rotated, several, small, swapped};
use ringjet::bgv::{Ciphertext, Evaluator, PRESET_NAMES, ParamSpec, Parameters, Product, preset};
use ringjet::{Error, KeyPlan, Result};

/// The number of ciphertexts from which operands are taken.
const POOL: usize = 8;
const STEPS: [i64; 3] = [1, 2, -3];

/// A ciphertext and its values.
#[derive(Clone)]
struct Known {
    ct: Ciphertext,
    clear: Vec<i64>,
}

/// Kinds of messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Message {
    Uniform,
    Constant,
    OneHot,
    /// T/2 in every slot: the largest constant polynomial.
    Half,
    /// The polynomial whose coefficients are all T/2. It is much larger in some slots than in
    /// others.
    Flat,
}

const MESSAGES: [Message; 5] = [Message::Uniform, Message::Constant, Message::OneHot, Message::Half, Message::Flat];

/// The values modulo the prime t of the polynomial whose coefficients are all -1/2, so that they
/// are `(T - 1)/2` modulo T. It is `1 / (X - 1)` where `X^N = -1`.
pub fn flat(params: &Parameters, t: u64) -> Vec<i64> {
    let n = params.n() as u64;
    let power = |x: u64, mut e: u64| {
        let (mut base, mut out) = (x, 1);
        while e > 0 {
            out = if e & 1 == 1 { out * base % t } else { out };
            (base, e) = (base * base % t, e >> 1);
        }
        out
    };
    let root = (2..t).map(|x| power(x, (t - 1) / (2 * n))).find(|&r| power(r, n) == t - 1).unwrap();
    // the smallest of all primitive roots of order 2N
    let psi = (1..2 * n).step_by(2).map(|e| power(root, e)).min().unwrap();
    let column = |x: u64| power(x + t - 1, t - 2) as i64;
    let exponents: Vec<u64> = std::iter::successors(Some(1), |e| Some(e * 5 % (2 * n))).take(params.n() / 2).collect();
    let row = |flip: bool| exponents.iter().map(move |&e| column(power(psi, if flip { 2 * n - e } else { e })));
    row(false).chain(row(true)).collect()
}

impl Fixture {
    pub fn message(&mut self, kind: Message) -> Vec<i64> {
        let (slots, half, one) = (self.params().slots(), (self.t() / 2) as i64, self.value());
        let values = match kind {
            Message::Uniform => return self.values(),
            Message::Constant => vec![one; slots],
            Message::OneHot => {
                let mut values = vec![0; slots];
                values[self.random.below(slots)] = one;
                values
            }
            Message::Half => vec![half; slots],
            Message::Flat => return self.flat(),
        };
        values.into_iter().map(|x| self.reduce(x.into())).collect()
    }

    /// The values of the polynomial whose coefficients are all T/2, by the Chinese remainder theorem.
    fn flat(&self) -> Vec<i64> {
        let t = self.t();
        let mut all = vec![0; self.params().slots()];
        for &prime in &self.params().spec().t {
            // 1 modulo this prime, 0 modulo the others
            let others = t / i128::from(prime);
            let unit = others * (1..).find(|x| others % i128::from(prime) * x % i128::from(prime) == 1).unwrap();
            let values = flat(self.params(), prime);
            all.iter_mut().zip(values).for_each(|(sum, x)| *sum = self.reduce(i128::from(*sum) + unit * i128::from(x)));
        }
        all
    }

    /// A uniform message half of the time.
    fn any_message(&mut self) -> Vec<i64> {
        let kind = MESSAGES[self.random.below(2 * MESSAGES.len()).saturating_sub(MESSAGES.len())];
        self.message(kind)
    }

    fn fresh(&mut self) -> Known {
        let (clear, public) = (self.any_message(), self.random.below(2) == 0);
        Known { ct: self.encrypt(&clear, public), clear }
    }

    /// Expects the values, and noise below its bounds.
    fn expect(&self, known: &Known, what: impl std::fmt::Display) {
        super::noise::margins(self, &known.ct);
        let got = self.secret.decrypt_integers(self.ctx(), &known.ct).unwrap_or_else(|e| panic!("{what}: {e}"));
        let wrong = got.iter().zip(&known.clear).position(|(a, b)| a != b);
        assert!(wrong.is_none(), "{what}: slot {wrong:?} of {:?}", known.ct);
    }

    /// One random operation. Several results share what made them.
    fn step(&mut self, op: usize, pool: &[Known]) -> Result<Vec<Known>> {
        let e: Evaluator = self.eval.clone();
        let pick = |r: &mut Random| pool[r.below(pool.len())].clone();
        let [a, b, c] = [(); 3].map(|()| pick(&mut self.random));
        let integer = self.value();
        let steps = STEPS[self.random.below(3)];
        let merge = self.random.below(2) == 0;
        let one = |ct: Ciphertext, clear: Vec<i64>| Ok(vec![Known { ct, clear }]);
        let each = |f: &dyn Fn(i128) -> i128| self.zip(&a.clear, &a.clear, |x, _| f(x));
        let both = |f: fn(i128, i128) -> i128| self.zip(&a.clear, &b.clear, f);
        match op {
            0 => one(e.add_auto(&a.ct, &b.ct)?, both(|x, y| x + y)),
            1 => one(e.sub_auto(&a.ct, &b.ct)?, both(|x, y| x - y)),
            2 => one(e.neg(&a.ct)?, each(&|x| -x)),
            3 => one(e.add_integer(&a.ct, integer)?, each(&|x| x + i128::from(integer))),
            4 => one(e.mul_integer(&a.ct, integer % 100)?, each(&|x| x * i128::from(integer % 100))),
            5 => one(e.mul_auto(&a.ct, &b.ct)?, both(|x, y| x * y)),
            6 => one(e.mul_auto(&a.ct, &a.ct)?, each(&|x| x * x)),
            7 => one(e.switch_to(&a.ct, self.random.below(a.ct.level() + 1))?, a.clear.clone()),
            8 => one(e.rotate(&a.ct, steps)?, rotated(&a.clear, steps)),
            9 => one(e.swap_rows(&a.ct)?, swapped(&a.clear)),
            10 => {
                let all = e.rotate_hoisted(&a.ct, &[steps, 0, 2])?;
                let clear = [steps, 0, 2].map(|by| rotated(&a.clear, by));
                Ok(all.into_iter().zip(clear).map(|(ct, clear)| Known { ct, clear }).collect())
            }
            11 => {
                let count = 1 + self.random.below(4);
                let sum = (0..count as i64).map(|i| rotated(&a.clear, i));
                let sum = sum.reduce(|x, y| self.zip(&x, &y, |x, y| x + y));
                one(e.inner_sum(&a.ct, 1, count)?, sum.unwrap())
            }
            12 => {
                let products = self.zip(&both(|x, y| x * y), &self.zip(&c.clear, &a.clear, |x, y| x * y), |x, y| x + y);
                one(e.mul_sum_auto(&[(&a.ct, &b.ct), (&c.ct, &a.ct)])?, products)
            }
            // products are summed, also with a ciphertext of two polynomials, and then relinearised
            13 => {
                let level = a.ct.level().min(b.ct.level()).min(c.ct.level());
                let low = |x: &Known| e.switch_to(&x.ct, level);
                let (x, y, z) = (low(&a)?, low(&b)?, low(&c)?);
                let sum = e.sub_auto(&e.mul(&x, &y)?, &e.mul(&z, &z)?)?;
                let sum = e.add_auto(&sum, &x)?;
                let squares = self.zip(&c.clear, &a.clear, |z, x| x - z * z);
                let sum = if merge && level > 0 { e.relinearize_switch(&sum)? } else { e.relinearize(&sum)? };
                one(sum, self.zip(&both(|x, y| x * y), &squares, |x, y| x + y))
            }
            _ => {
                let values = self.any_message();
                let p = self.plain(&values);
                let with = |f: fn(i128, i128) -> i128| self.zip(&a.clear, &values, f);
                match op {
                    14 => one(e.add_plain(&a.ct, &p)?, with(|x, y| x + y)),
                    15 => one(e.sub_plain(&a.ct, &p)?, with(|x, y| x - y)),
                    _ => one(e.mul_plain(&a.ct, &p)?, with(|x, y| x * y)),
                }
            }
        }
    }
}

const OPERATIONS: usize = 17;

/// Random operations on a pool. Every result replaces a ciphertext of the pool, which is decrypted
/// when it leaves.
fn run(params: &Parameters, operations: usize, seed: u64) {
    let mut f = Fixture::cpu(params, seed);
    let mut pool: Vec<Known> = (0..POOL).map(|_| f.fresh()).collect();
    let (mut done, mut refused) = ([0; OPERATIONS], 0);
    while done.iter().sum::<usize>() < operations {
        let op = f.random.below(OPERATIONS);
        let results = match f.step(op, &pool) {
            Ok(results) => {
                done[op] += 1;
                results
            }
            // a fresh ciphertext takes the place of one that has no budget left
            Err(Error::NoiseBudget { needed, available, .. }) => {
                assert!(needed > available);
                refused += 1;
                vec![f.fresh()]
            }
            Err(e) => panic!("operation {op}: {e}"),
        };
        for known in results {
            let leaves = f.random.below(POOL);
            f.expect(&pool[leaves], format_args!("after {done:?}"));
            pool[leaves] = known;
        }
    }
    pool.iter().for_each(|known| f.expect(known, "at the end"));
    println!("{done:?}, {refused} refused");
    // without refusals the programs would not reach the end of the budget
    assert!(done.iter().all(|&n| n > 0) && refused > 0);
}

#[test]
fn random_operations_are_exact() {
    run(&Parameters::new(&small()).unwrap(), 700, 11);
    run(&Parameters::new(&small().bfv()).unwrap(), 700, 12);
    run(&preset("bgv-n12").unwrap(), 100, 13);
    run(&preset("bfv-n12").unwrap(), 100, 14);
    run(&Parameters::new(&several()).unwrap(), 300, 15);
    run(&Parameters::new(&several().bfv()).unwrap(), 300, 16);
}

#[test]
#[ignore = "hours: make test-full"]
fn ten_thousand_operations_of_each_preset_are_exact() {
    for (i, name) in PRESET_NAMES.iter().enumerate() {
        run(&preset(name).unwrap(), 10_000, 20 + i as u64);
    }
    // several primes of the plaintext modulus
    for (i, name) in ["bgv-n13", "bfv-n13"].iter().enumerate() {
        let spec = preset(name).unwrap().spec().clone().t_bits(62).unwrap();
        run(&Parameters::new(&spec).unwrap(), 10_000, 40 + i as u64);
    }
}

/// Random primes of random sizes, so that circuits end with any number of bits left.
fn random_spec(r: &mut Random, log_n: u32, product: Product) -> ParamSpec {
    let t = [&[12289][..], &[65537], &[786_433], &[65537, 40961]][r.below(4)].to_vec();
    let q: Vec<u32> = (0..2 + r.below(3)).map(|_| 30 + r.below(20) as u32).collect();
    ParamSpec { product, t, ..ParamSpec::uniform(log_n, 2, &q, &[54]).allow_insecure() }
}

/// Multiplies until the library refuses, and returns the number of products.
fn until_refused(f: &mut Fixture) -> usize {
    let e = f.eval.clone();
    let kinds = [(); 2].map(|()| MESSAGES[f.random.below(MESSAGES.len())]);
    let mut all: Vec<Known> = vec![];
    for kind in kinds {
        let (clear, public) = (f.message(kind), f.random.below(2) == 0);
        all.push(Known { ct: f.encrypt(&clear, public), clear });
    }
    loop {
        // the last result is a factor of the next product
        let (a, b) = (all.last().unwrap().clone(), all[f.random.below(all.len())].clone());
        let product = f.zip(&a.clear, &b.clear, |x, y| x * y);
        let made = match f.random.below(6) {
            0 => e.mul_auto(&e.swap_rows(&a.ct).unwrap(), &b.ct).map(|ct| (ct, swapped(&a.clear), b.clear.clone())),
            1 => e
                .rotate(&a.ct, 2)
                .and_then(|a| e.mul_auto(&a, &b.ct))
                .map(|ct| (ct, rotated(&a.clear, 2), b.clear.clone())),
            2 => e
                .add_auto(&a.ct, &b.ct)
                .and_then(|s| e.mul_auto(&s, &b.ct))
                .map(|ct| (ct, f.zip(&a.clear, &b.clear, |x, y| x + y), b.clear.clone())),
            _ => e.mul_auto(&a.ct, &b.ct).map(|ct| (ct, product, vec![1; a.clear.len()])),
        };
        let (ct, x, y) = match made {
            Ok(made) => made,
            Err(Error::NoiseBudget { needed, available, .. }) => {
                assert!(needed > available);
                return all.len() - 2;
            }
            Err(e) => panic!("{kinds:?}: {e}"),
        };
        let clear = f.zip(&x, &y, |x, y| x * y);
        let made = Known { ct, clear };
        f.expect(&made, format_args!("{kinds:?}, product {}", all.len()));
        all.push(made);
    }
}

#[test]
fn circuits_multiply_until_they_are_refused() {
    let (mut products, mut r) = (0, Random(20261126));
    for set in 0..18 {
        let product = if set % 2 == 0 { Product::Bgv } else { Product::Bfv };
        let spec = random_spec(&mut r, [6, 10, 11][set % 3], product);
        let mut f = Fixture::cpu(&Parameters::new(&spec).unwrap(), 100 + set as u64);
        products += (0..10).map(|_| until_refused(&mut f)).sum::<usize>();
    }
    println!("{products} products");
    assert!(products > 250, "{products}");
}

/// The noise of a ciphertext times itself with swapped rows has one large coefficient: the sum of the
/// squares of all coefficients. The bound on coefficients is that of such a product; whatever is
/// multiplied, with whatever it was computed from, is exact or refused.
#[test]
fn products_with_swapped_and_rotated_rows_are_never_wrong() {
    let quarter = 1 << 11;
    let moves = [0, 1, quarter, 2 * quarter - 1];
    let mut refused = [0; 5];
    for bits in 40..=64 {
        let q = if bits > 60 { vec![30, bits - 30] } else { vec![bits] };
        let spec = ParamSpec::uniform(13, 65537, &q, &[60]).allow_insecure();
        let backend = Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap());
        let plan = KeyPlan::rotations(moves).conjugation();
        let mut f = Fixture::new(&Parameters::new(&spec).unwrap(), backend, &plan, bits.into());
        let (e, clear) = (f.eval.clone(), f.values());
        let x = f.encrypt(&clear, true);
        let rotated = moves.map(|by| (e.rotate(&x, by).unwrap(), rotated(&clear, by)));
        let others = rotated.into_iter().chain([(e.swap_rows(&x).unwrap(), swapped(&clear))]);
        for (i, (other, values)) in others.enumerate() {
            match e.mul_auto(&x, &other) {
                Ok(ct) => {
                    let clear = f.zip(&clear, &values, |x, y| x * y);
                    f.expect(&Known { ct, clear }, format_args!("{bits} bits, {i}"));
                }
                Err(Error::NoiseBudget { .. }) => refused[i] += 1,
                Err(e) => panic!("{bits} bits: {e}"),
            }
        }
    }
    println!("{refused:?}");
    assert!(refused.iter().all(|count| (10..25).contains(count)), "{refused:?}");
}
