//! How many values a ciphertext holds, and whether the slots after them are 0: random programs on all
//! schemes, whose padding is decrypted.

use std::sync::Arc;

use ringjet::dynamic::{
    Ciphertext, Context, Evaluator, KeyRequest, Parameters, Scalar, SecretKey, StartModulus, Values,
};
use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{Error, ParamSpec, Stated, bgv, heaan};
use ringjet_backend::Reference;

struct World {
    ctx: Context,
    secret: SecretKey,
    eval: Evaluator,
    state: u64,
}

impl World {
    fn new(params: Parameters) -> Self {
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        let seed = Seed::from_bytes([5; 32]);
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let plan = params
            .key_plan(&KeyRequest { rotations: vec![1, 2, 4, 8, -3], conjugation: true, ..KeyRequest::default() })
            .unwrap();
        let keys = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, &keys).unwrap();
        Self { ctx, secret, eval, state: 3 }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % n
    }

    fn exact(&self) -> bool {
        self.ctx.params().is_exact()
    }

    /// Small numbers, none of them 0.
    fn values(&mut self, len: usize) -> Values {
        let all: Vec<i64> = (0..len).map(|_| 1 + self.below(3) as i64).collect();
        match self.exact() {
            true => Values::Integers(all),
            false => Values::Numbers(all.iter().map(|&x| (x as f64 / 4.0).into()).collect()),
        }
    }

    fn encrypt(&mut self, len: usize) -> Ciphertext {
        let (values, log_slots) = (self.values(len), self.ctx.params().log_n() - 1);
        let plain = self.ctx.encode(&values, Stated::Magnitude(1.0), StartModulus::default(), log_slots).unwrap();
        let seed = Seed::from_bytes([self.below(250) as u8; 32]);
        self.secret.encrypt(&self.ctx, &plain, &seed).unwrap()
    }

    /// The largest value in the slots from `from` on.
    fn largest(&self, x: &Ciphertext, from: usize) -> f64 {
        match self.secret.decrypt_values(&self.ctx, x).unwrap() {
            Values::Numbers(all) => all[from..].iter().map(|z| z.abs()).fold(0.0, f64::max),
            Values::Integers(all) => all[from..].iter().map(|x| x.unsigned_abs() as f64).fold(0.0, f64::max),
        }
    }

    /// One random operation and the number of values that its result holds by the rule.
    fn step(&mut self, x: &Ciphertext, y: &Ciphertext) -> (ringjet::Result<Ciphertext>, usize) {
        let (slots, eval) = (x.slots(), self.eval.clone());
        let (one, few) = (if self.exact() { Scalar::Integer(1) } else { Scalar::Number(0.25) }, self.values(3));
        let both = x.count().min(y.count());
        match self.below(13) {
            0 => (eval.add_auto(x, y), both),
            1 => (eval.sub_auto(x, y), both),
            2 => (eval.mul_auto(x, y), both),
            3 => (eval.add_scalar(x, one), x.count()),
            4 => (eval.mul_scalar(x, one), x.count()),
            5 => (eval.add_values(x, &few), x.count()),
            6 => (eval.mul_values(x, &few), x.count()),
            7 => (eval.neg(x), x.count()),
            8 => (eval.power(x, 2), x.count()),
            9 => (eval.rotate(x, -3), slots),
            10 => (eval.inner_sum(x, 1, 4), slots),
            11 => (eval.mul_sum(&[(x, y), (x, x)]), both),
            _ if self.exact() => (eval.swap_rows(x), slots),
            _ => (eval.conjugate(x), x.count()),
        }
    }

    fn programs(mut self, rounds: usize) {
        let (mut zeros, mut others) = (0, 0);
        let slots = self.encrypt(1).slots();
        for _ in 0..rounds {
            let mut pool = vec![self.encrypt(5), self.encrypt(5), self.encrypt(slots)];
            assert_eq!(pool.iter().map(Ciphertext::count).collect::<Vec<_>>(), [5, 5, slots]);
            for _ in 0..4 {
                let pick = |world: &mut Self| pool[world.below(pool.len() as u64) as usize].clone();
                let (x, y) = (pick(&mut self), pick(&mut self));
                // levels and budgets are few
                let (Ok(made), count) = self.step(&x, &y) else { continue };
                assert_eq!(made.count(), count);
                let made = Ciphertext::from_bytes(&self.ctx, &made.to_bytes(&self.ctx).unwrap(), LIMITS).unwrap();
                assert_eq!(made.count(), count);
                if made.is_zero_padded() {
                    assert!(count < slots && self.largest(&made, count) < 1e-2, "{}", self.largest(&made, count));
                    zeros += 1;
                } else if count < slots {
                    others += 1;
                }
                pool.push(made);
            }
        }
        assert!(zeros > rounds / 4 && others > rounds / 4, "{zeros} with zeros, {others} with other padding");
    }
}

const LIMITS: Limits = Limits { max_bytes: None, allow_insecure: true };

#[test]
fn counts_follow_the_rule_in_ckks() {
    let spec = ParamSpec::uniform(5, 50, 4, 40, 2).allow_insecure();
    World::new(ringjet::Parameters::new(&spec).unwrap().into()).programs(60);
}

#[test]
fn counts_follow_the_rule_in_heaan() {
    let spec = heaan::ParamSpec::new(5, 180).allow_insecure();
    World::new(heaan::Parameters::new(&spec).unwrap().into()).programs(60);
}

#[test]
fn counts_follow_the_rule_in_bgv_and_bfv() {
    let bgv = bgv::ParamSpec::uniform(5, 65537, &[50, 50, 50, 50], &[60]).allow_insecure();
    for spec in [bgv.clone(), bgv.bfv()] {
        World::new(bgv::Parameters::new(&spec).unwrap().into()).programs(40);
    }
}

#[test]
fn different_counts_are_refused() {
    let spec = ParamSpec::uniform(5, 50, 2, 40, 2).allow_insecure();
    let mut world = World::new(ringjet::Parameters::new(&spec).unwrap().into());
    let (three, two) = (world.encrypt(3), world.encrypt(2));
    let refused = Some(Error::CountMismatch { lhs: 3, rhs: 2 });
    assert_eq!(world.eval.add_auto(&three, &two).err(), refused);
    assert_eq!(world.eval.mul_auto(&three, &two).err(), refused);
    assert_eq!(world.eval.mul_sum(&[(&three, &three), (&two, &two)]).err(), refused);
    assert_eq!(world.eval.weighted_sum(&[(&three, 0.5), (&two, 0.5)], None).err(), refused);
    let stated = two.counted(3).unwrap();
    let sum = world.eval.add_auto(&three, &stated).unwrap();
    assert_eq!((sum.count(), sum.is_zero_padded()), (3, true));
    // values become padding
    assert!(!three.counted(1).unwrap().is_zero_padded());
    let expected = "1 to 16, the number of slots".to_string();
    for count in [0, 17] {
        let value = count.to_string();
        assert_eq!(
            three.counted(count).err(),
            Some(Error::Argument { name: "count", value, expected: expected.clone() })
        );
    }
}

#[test]
fn an_interval_is_stated_and_carried() {
    let spec = ParamSpec::uniform(5, 50, 2, 40, 2).allow_insecure();
    let world = World::new(ringjet::Parameters::new(&spec).unwrap().into());
    let encode = |values: &[f64], low, high| {
        let values = Values::Numbers(values.iter().map(|&x| x.into()).collect());
        world.ctx.encode(&values, Stated::Interval(low, high), StartModulus::default(), 2)
    };
    let ct =
        world.secret.encrypt(&world.ctx, &encode(&[0.5, 4.0, 0.2, 0.2], 0.2, 5.0).unwrap(), &Seed::from_bytes([1; 32]));
    let ct = ct.unwrap().counted(2).unwrap();
    let read = Ciphertext::from_bytes(&world.ctx, &ct.to_bytes(&world.ctx).unwrap(), LIMITS).unwrap();
    assert_eq!((read.noise().range(), read.count()), (ringjet::Range::real(0.2, 5.0), 2));
    // padding with 0 is outside
    assert_eq!(encode(&[0.5], 0.2, 5.0).err(), Some(Error::OutsideStated { found: 0.0, low: 0.2, high: 5.0 }));
    assert_eq!(
        encode(&[0.5, 6.0, 1.0, 1.0], 0.2, 5.0).err(),
        Some(Error::OutsideStated { found: 6.0, low: 0.2, high: 5.0 })
    );
}
