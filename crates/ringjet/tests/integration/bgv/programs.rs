//! Random programs against integers modulo t: every result is exact, or refused with a typed error.

use super::{Fixture, rotated, small, swapped};
use ringjet::Error;
use ringjet::bgv::{Ciphertext, PRESET_NAMES, Parameters, preset};

/// A ciphertext and the values that it must hold.
type Known = (Ciphertext, Vec<i64>);

/// Ciphertexts that operations take operands from, and put results into.
struct Pool {
    f: Fixture,
    all: Vec<Known>,
    refused: usize,
}

impl Pool {
    const SIZE: usize = 4;

    fn new(params: &Parameters, seed: u64) -> Self {
        let mut pool = Self { f: Fixture::cpu(params, seed), all: vec![], refused: 0 };
        pool.all = (0..Self::SIZE).map(|_| pool.fresh()).collect();
        pool
    }

    /// A fresh encryption of random or structured values: estimates assume random ones.
    fn fresh(&mut self) -> Known {
        let t = self.f.params().t() as i64;
        let mut values = self.f.values();
        match self.f.random.below(6) {
            0 => values.fill(t / 2),
            1 => values.fill(1),
            2 => values.iter_mut().skip(1).for_each(|x| *x = 0),
            _ => {}
        }
        let public = self.f.random.below(2) == 0;
        (self.f.encrypt(&values, public), values)
    }

    fn pick(&mut self) -> Known {
        let i = self.f.random.below(Self::SIZE);
        self.all[i].clone()
    }

    /// Runs one random operation and checks its result.
    fn step(&mut self) {
        let ((x, a), (y, b)) = (self.pick(), self.pick());
        let (f, t) = (&self.f, self.f.params().t() as i64);
        let (e, n) = (&f.eval, a.len());
        let zip = |g: &dyn Fn(i64, i64) -> i64| f.zip(&a, &b, g);
        let op = self.f.random.0 as usize % 15;
        let integer = (self.f.random.0 >> 20) as i64 % t;
        let made = match op {
            0 => e.add_auto(&x, &y).map(|z| (z, zip(&|a, b| a + b))),
            1 => e.sub_auto(&x, &y).map(|z| (z, zip(&|a, b| a - b))),
            2 => e.neg(&x).map(|z| (z, zip(&|a, _| -a))),
            3 => e.add_plain(&x, &f.plain(&b)).map(|z| (z, zip(&|a, b| a + b))),
            4 => e.mul_plain(&x, &f.plain(&b)).map(|z| (z, zip(&|a, b| a * b))),
            5 => e.add_integer(&x, integer).map(|z| (z, zip(&|a, _| a + integer))),
            6 => e.mul_integer(&x, integer).map(|z| (z, zip(&|a, _| a * integer))),
            7 => e.mul_auto(&x, &y).map(|z| (z, zip(&|a, b| a * b))),
            8 => e.mul_auto(&x, &x).map(|z| (z, zip(&|a, _| a * a))),
            9 => self.late(&x, &y).map(|z| (z, zip(&|a, b| f.reduce(a * b) + f.reduce(a * a) - b))),
            10 => e.switch_to(&x, x.level() / 2).map(|z| (z, a.clone())),
            11 => e.rotate(&x, -3).map(|z| (z, rotated(&a, -3))),
            12 => e.swap_rows(&x).map(|z| (z, swapped(&a))),
            13 => e.mul_sum_auto(&[(&x, &y), (&y, &y)]).map(|z| (z, zip(&|a, b| f.reduce(a * b) + f.reduce(b * b)))),
            _ => e.inner_sum(&x, 1, 4).map(|z| {
                let turned: Vec<_> = (0..4).map(|k| rotated(&a, k)).collect();
                (z, (0..n).map(|i| f.reduce(turned.iter().map(|v| v[i]).sum())).collect())
            }),
        };
        self.f.random.next();
        let place = self.f.random.below(Self::SIZE);
        match made {
            Ok((z, want)) => match self.f.secret.decrypt_integers(self.f.ctx(), &z) {
                Ok(got) => {
                    assert!(got == want, "operation {op} on {x:?} and {y:?} is wrong");
                    self.all[place] = (z, want);
                }
                // an estimate for random messages can be too good for structured ones
                Err(Error::NoiseBudgetSpent { .. }) => self.all[place] = self.fresh(),
                Err(other) => panic!("operation {op}: {other}"),
            },
            Err(Error::NoiseBudget { needed, available, .. }) => {
                assert!(needed > available, "operation {op}");
                self.refused += 1;
                self.all[place] = self.fresh();
            }
            Err(other) => panic!("operation {op}: {other}"),
        }
    }

    /// `x * y + x * x - y`: products are added up and relinearised late.
    fn late(&self, x: &Ciphertext, y: &Ciphertext) -> ringjet::Result<Ciphertext> {
        let (e, level) = (&self.f.eval, x.level().min(y.level()));
        let (low, other) = (e.switch_to(x, level)?, e.switch_to(y, level)?);
        let sum = e.add_auto(&e.mul(&low, &other)?, &e.mul(&low, &low)?)?;
        e.relinearize(&e.sub_auto(&sum, &other)?)
    }
}

fn run(params: &Parameters, count: usize, seed: u64) {
    let mut pool = Pool::new(params, seed);
    (0..count).for_each(|_| pool.step());
    println!("{count} operations, {} refused", pool.refused);
    assert!(pool.refused * 4 < count, "{} of {count} operations were refused", pool.refused);
}

#[test]
fn random_operations_are_exact() {
    for (spec, seed) in [(small(), 11), (small().bfv(), 12)] {
        run(&Parameters::new(&spec).unwrap(), 1000, seed);
    }
    run(&preset("bgv-n12").unwrap(), 200, 13);
    run(&preset("bfv-n12").unwrap(), 200, 14);
}

#[test]
#[ignore = "minutes for each preset"]
fn random_operations_of_every_preset_are_exact() {
    for (i, name) in PRESET_NAMES.into_iter().enumerate() {
        run(&preset(name).unwrap(), 10_000, 20 + i as u64);
    }
}

/// Circuits that multiply until they are refused: all results before are right, and there are as
/// many products as the parameters promise.
fn to_the_limit(params: &Parameters, circuits: usize, seed: u64) {
    let mut pool = Pool::new(params, seed);
    let mut least = usize::MAX;
    for _ in 0..circuits {
        let ((mut x, mut a), rotates) = (pool.fresh(), pool.f.random.below(2) == 0);
        let mut products = 0;
        loop {
            let same = pool.f.random.below(3) == 0;
            let (y, b) = if same { (x.clone(), a.clone()) } else { pool.fresh() };
            let (f, e) = (&pool.f, &pool.f.eval);
            let mut next = e.mul_auto(&x, &y);
            let mut want = f.zip(&a, &b, |a, b| a * b);
            if rotates {
                next = next.and_then(|z| e.rotate(&z, 1));
                want = rotated(&want, 1);
            }
            match next {
                Ok(z) => match f.secret.decrypt_integers(f.ctx(), &z) {
                    Ok(got) => {
                        assert!(got == want, "product {products} of {z:?} is wrong");
                        (x, a) = (z, want);
                    }
                    Err(Error::NoiseBudgetSpent { .. }) => break,
                    Err(other) => panic!("{other}"),
                },
                Err(Error::NoiseBudget { .. }) => break,
                Err(other) => panic!("{other}"),
            }
            products += 1;
        }
        least = least.min(products);
    }
    println!("{circuits} circuits, at least {least} products, {} promised", params.depth());
    assert!(least >= params.depth().saturating_sub(1));
}

#[test]
fn circuits_up_to_the_limit_are_exact() {
    for (spec, seed) in [(small(), 31), (small().bfv(), 32)] {
        let params = Parameters::new(&spec).unwrap();
        to_the_limit(&params, 500, seed);
    }
}
