//! Evaluation keys: their bytes, which must not change, and their cost at full size.

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{
    Bootstrapper, Context, Error, EvaluationKeys, Evaluator, KeyMemory, KeyPlan, ParamSpec, Parameters, Plaintext,
    SecretKey, preset,
};
use ringjet_backend::Backend;
use ringjet_cpu::{CpuBackend, CpuConfig};

const LIMITS: Limits = Limits { max_bytes: Some(1 << 30), allow_insecure: true };

/// Small rings that bootstrap. In the second one keys contain a matrix.
fn smalls(log_n: u32) -> [Parameters; 2] {
    [false, true].map(|matrix_keys| small_with(log_n, matrix_keys))
}

fn small(log_n: u32) -> Parameters {
    small_with(log_n, false)
}

fn small_with(log_n: u32, matrix_keys: bool) -> Parameters {
    let chain = BootstrapChain {
        message_levels: 3,
        log_ratio: 12.0,
        eval_mod_bits: 58.0,
        special: 4,
        bootstrap: BootstrapSpec { matrix_keys, ..BootstrapSpec::standard(log_n, 2) },
        ..BootstrapChain::standard(log_n)
    };
    Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap()
}

fn cpu(threads: usize) -> Arc<dyn Backend> {
    Arc::new(CpuBackend::new(CpuConfig { threads, ..CpuConfig::default() }).unwrap())
}

fn request(params: &Parameters) -> KeyPlan {
    KeyPlan::rotations([5]).and(Bootstrapper::key_plan(params, params.log_n() - 1).unwrap())
}

fn secret(params: &Parameters) -> (SecretKey, Seed) {
    let seed = Seed::from_bytes([7; 32]);
    (SecretKey::from_seed(params, &seed).unwrap(), seed)
}

fn keys(ctx: &Context) -> EvaluationKeys {
    let (secret, seed) = secret(ctx.params());
    secret.evaluation_keys(ctx, &request(ctx.params()), &seed, |_, _| true).unwrap()
}

fn compressed(ctx: &Context) -> Context {
    ctx.clone().with_key_memory(KeyMemory::Compressed)
}

/// The tests of the wire format compare the bytes with those of earlier versions.
#[test]
fn bytes_are_those_of_the_seed_whatever_the_threads() {
    for params in smalls(6).into_iter().chain(smalls(10)) {
        let mut first = None;
        for threads in [1, 2, 3, 5] {
            let ctx = Context::new(&params, cpu(threads));
            for ctx in [compressed(&ctx), ctx] {
                let bytes = keys(&ctx).to_bytes(&ctx).unwrap();
                let first = first.get_or_insert_with(|| bytes.clone());
                assert!(*first == bytes, "{params:?}, {threads} threads, {:?}", ctx.key_memory());
            }
        }
    }
}

#[test]
fn sizes_are_foretold() {
    for params in smalls(6).into_iter().chain(smalls(9)) {
        let ctx = Context::new(&params, cpu(1));
        let (secret, seed) = secret(&params);
        let bootstrap = request(&params);
        let several = Bootstrapper::key_plan(&params, 3).unwrap().and(bootstrap.clone());
        let conjugation = KeyPlan::none().and_rotations([1, -1]).conjugation();
        for request in [bootstrap, several, conjugation, KeyPlan::default(), KeyPlan::rotations([0, 3, 3])] {
            let sizes = request.sizes(&params).unwrap();
            let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
            assert_eq!(sizes.count, keys.len());
            assert_eq!((sizes.bytes_at_rest, sizes.memory_bytes), (keys.bytes_at_rest(), keys.memory_bytes() as u64));
            assert_eq!(keys.to_bytes(&ctx).unwrap().len() as u64, sizes.bytes_at_rest);
            let keys = keys.in_memory_form(KeyMemory::Compressed).unwrap();
            assert_eq!(keys.memory_bytes() as u64, sizes.compressed_memory_bytes);
        }
    }
    // the stated goals of the preset
    let params = preset("n16-boot").unwrap();
    let sizes = Bootstrapper::key_plan(&params, 15).unwrap().sizes(&params).unwrap();
    assert!(sizes.compressed_memory_bytes < 4_000_000_000, "{sizes:?}");
    assert!(sizes.compressed_memory_bytes * 2 <= sizes.memory_bytes + (1 << 24), "{sizes:?}");
}

#[test]
fn plans_made_for_other_parameters_are_refused() {
    let [plain, keyed] = smalls(6);
    let ctx = Context::new(&plain, cpu(1));
    let (secret, seed) = secret(&plain);
    let matrix = request(&keyed);
    assert!(matches!(matrix.sizes(&plain), Err(Error::NoBootstrapping { .. })));
    let made = secret.evaluation_keys(&ctx, &matrix, &seed, |_, _| true);
    assert!(matches!(made, Err(Error::NoBootstrapping { .. })));
    let refused = request(&plain).sizes(&keyed);
    assert!(matches!(refused, Err(Error::NoBootstrapping { .. } | Error::NoSuchLevel { .. })));
}

/// Every use of a key gives the same bits with compressed keys.
#[test]
fn compressed_keys_compute_the_same() {
    smalls(8).iter().for_each(compressed_keys_compute_the_same_with);
}

fn compressed_keys_compute_the_same_with(params: &Parameters) {
    let ctx = Context::new(params, cpu(2));
    let (secret, seed) = secret(params);
    let expanded = keys(&ctx);
    let made = keys(&compressed(&ctx));
    let half = expanded.clone().in_memory_form(KeyMemory::Compressed).unwrap();
    let back = half.clone().in_memory_form(KeyMemory::Expanded).unwrap();
    assert_eq!(made.memory_bytes(), half.memory_bytes());
    assert_eq!(back.memory_bytes(), expanded.memory_bytes());
    assert!(half.keys().all(|(_, key)| key.memory() == KeyMemory::Compressed));
    let bytes = expanded.to_bytes(&ctx).unwrap();
    let read = EvaluationKeys::from_bytes(&compressed(&ctx), &bytes, LIMITS).unwrap();
    assert_eq!(read.memory_bytes(), half.memory_bytes());

    let values: Vec<f64> = (0..128).map(|i| f64::from(i).sin()).collect();
    let encrypt = |level: usize| {
        let plain = Plaintext::encode_real(&ctx, &values, level, 7).unwrap();
        secret.encrypt(&ctx, &plain, &seed.derive(b"c", level as u64)).unwrap()
    };
    let results = |keys: EvaluationKeys| -> Vec<Vec<u8>> {
        let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap();
        let mut all = Vec::new();
        for level in [params.top_level(), 1] {
            let x = encrypt(level);
            let y = eval.mul_relin_rescale(&x, &x).unwrap();
            all.extend([eval.rotate(&x, 5).unwrap(), eval.conjugate(&y).unwrap(), y]);
            all.extend(eval.rotate_hoisted(&x, &[1, 5]).unwrap());
        }
        all.push(eval.bootstrap(&encrypt(params.bootstrap().unwrap().input_level())).unwrap());
        all.iter().map(|ct| ct.to_bytes(&ctx).unwrap()).collect()
    };
    let want = results(expanded);
    for keys in [made, half, back, read] {
        let memory = keys.memory_bytes();
        assert!(results(keys) == want, "{memory} bytes of keys");
    }
}

#[test]
fn progress_is_told_of_each_key_and_stops_the_work() {
    let params = small(6);
    let ctx = Context::new(&params, cpu(2));
    let (secret, seed) = secret(&params);
    let count = request(&params).sizes(&params).unwrap().count;
    let make = |last: usize| {
        let mut seen = Vec::new();
        let keys = secret.evaluation_keys(&ctx, &request(&params), &seed, |done, total| {
            if seen.last().map_or(0, |&(last, _)| last) != done {
                seen.push((done, total));
            }
            done < last
        });
        (keys, seen)
    };
    let (keys, seen) = make(usize::MAX);
    assert_eq!((keys.unwrap().len(), seen), (count, (1..=count).map(|i| (i, count)).collect()));
    for last in [1, 7, count] {
        let (stopped, seen) = make(last);
        assert_eq!((stopped.unwrap_err(), seen.len()), (Error::Interrupted, last));
    }
    // and while a key is made, once for each digit: the first key has four
    for calls in 1..=4 {
        let mut seen = Vec::new();
        let made = secret.evaluation_keys(&ctx, &request(&params), &seed, |done, _| {
            seen.push(done);
            seen.len() < calls
        });
        assert_eq!((made.unwrap_err(), seen), (Error::Interrupted, vec![0; calls]));
    }
}

#[test]
fn streams_carry_the_same_bytes() {
    let [plain, keyed] = smalls(6);
    for params in [plain, keyed, Parameters::new(&ParamSpec::uniform(6, 50, 2, 40, 2).allow_insecure()).unwrap()] {
        let ctx = Context::new(&params, cpu(1));
        let (secret, seed) = secret(&params);
        let request = if params.bootstrap().is_some() { request(&params) } else { KeyPlan::rotations([1, 2]) };
        let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
        let (mut out, mut told) = (Vec::new(), Vec::new());
        let observe = |done: u64, total: u64| {
            told.push((done, total));
            true
        };
        keys.write_to_observed(&ctx, &mut out, observe).unwrap();
        assert_eq!(out, keys.to_bytes(&ctx).unwrap());
        let total = out.len() as u64;
        assert!(told.is_sorted_by(|a, b| a.0 < b.0) && told.iter().all(|t| t.1 == total));
        // after the last key: the checksum, and a byte if the ephemeral secret has no keys
        let rest = if keys.can_bootstrap() { 4 } else { 5 };
        assert_eq!(told.last(), Some(&(total - rest, total)));

        // the bytes that follow are left unread, whatever the sizes of the pieces read
        let sent = [&out[..], b"after"].concat();
        let mut from = Pieces(&sent, 1000);
        let mut seen = Vec::new();
        let read = EvaluationKeys::read_from(&compressed(&ctx), &mut from, LIMITS, |done, total| {
            seen.push((done, total));
            true
        });
        assert_eq!(from.0, b"after");
        assert_eq!((seen.len(), seen.last()), (told.len(), told.last()));
        let read = read.unwrap();
        assert_eq!(read.to_bytes(&ctx).unwrap(), out);
        assert!(read.keys().all(|(_, key)| key.memory() == KeyMemory::Compressed));

        // the caller stops the work
        for n in [1, 2] {
            let mut calls = 0;
            let mut stop = |_, _| {
                calls += 1;
                calls < n
            };
            let stopped = EvaluationKeys::read_from(&ctx, &mut &out[..], LIMITS, &mut stop);
            assert_eq!((stopped.unwrap_err(), calls), (Error::Interrupted, n));
            let (mut part, mut calls) = (Vec::new(), 0);
            let stopped = keys.write_to_observed(&ctx, &mut part, |_, _| {
                calls += 1;
                calls < n
            });
            assert_eq!((stopped, calls), (Err(Error::Interrupted), n));
            assert!(part.len() < out.len() && out.starts_with(&part));
            assert!(EvaluationKeys::read_from(&ctx, &mut &part[..], LIMITS, |_, _| true).is_err());
        }
        // limits that are too low, and streams that fail
        let small = Limits { max_bytes: Some(total - 1), ..LIMITS };
        let refused = EvaluationKeys::read_from(&ctx, &mut &out[..], small, |_, _| true).unwrap_err();
        assert_eq!(refused, Error::TooManyBytes { what: "evaluation keys", bytes: total, limit: total - 1 });
        let refused = EvaluationKeys::read_from(&ctx, &mut Broken(&out, 3000), LIMITS, |_, _| true).unwrap_err();
        assert_eq!(refused, Error::Io { what: "evaluation keys", reason: "unplugged".into() });
        let other = Context::new(&small_other(), cpu(1));
        let refused = EvaluationKeys::read_from(&other, &mut &out[..], LIMITS, |_, _| true).unwrap_err();
        assert!(matches!(refused, Error::ParameterMismatch { .. }), "{refused:?}");
    }
}

/// Keys of a preset load without a limit set by the caller; the default limit is little above their
/// size.
#[test]
fn the_default_limit_follows_from_the_parameters() {
    let limit_of = |params: &Parameters| {
        let ctx = Context::new(params, cpu(1));
        let load = |bytes: u64| {
            let header = [&b"RJET\x02\x00\x01\x04"[..], params.fingerprint(), &bytes.to_le_bytes(), &[0; 16]].concat();
            EvaluationKeys::read_from(&ctx, &mut &header[..], Limits::default(), |_, _| true).unwrap_err()
        };
        let Error::TooManyBytes { limit, .. } = load(u64::MAX) else { panic!("any length is taken") };
        assert!(matches!(load(limit + 1), Error::TooManyBytes { .. }));
        // refused because bytes are missing, not because of the announced size
        assert!(matches!(load(limit), Error::Malformed { .. }));
        limit
    };
    let params = preset("n16-boot").unwrap();
    let sizes = Bootstrapper::key_plan(&params, 15).unwrap().sizes(&params).unwrap();
    assert_eq!(limit_of(&params), sizes.bytes_at_rest + (1 << 30));
    assert_eq!(limit_of(&small_other()), 1 << 30);
}

fn small_other() -> Parameters {
    Parameters::new(&ParamSpec::uniform(7, 50, 2, 40, 2).allow_insecure()).unwrap()
}

/// A reader that gives at most so many bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = out.len().min(self.1);
        self.0.read(&mut out[..len])
    }
}

/// A reader that fails after so many bytes.
struct Broken<'a>(&'a [u8], usize);

impl Read for Broken<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.1 == 0 {
            return Err(std::io::Error::other("unplugged"));
        }
        let len = out.len().min(self.1);
        self.1 -= len;
        self.0.read(&mut out[..len])
    }
}

/// `cargo test --release -p ringjet --test integration keys::speed -- --ignored --nocapture`.
/// `RINGJET_KEYS=compressed` takes half the memory. `RINGJET_KEYS=few` makes a fifth of the keys
/// four times, after the first time in memory that is already allocated, which can be faster.
#[test]
#[ignore = "full size: eight gigabytes and half a minute"]
fn speed() {
    let kind = std::env::var("RINGJET_KEYS").unwrap_or_default();
    let params = preset("n16-boot").unwrap();
    let ctx = Context::new(&params, cpu(0));
    let ctx = if kind == "compressed" { compressed(&ctx) } else { ctx };
    let request = if kind == "few" { KeyPlan::rotations(1..19) } else { request(&params) };
    let (secret, seed) = secret(&params);
    let gb = |bytes: u64| bytes as f64 / 1e9;
    let make = || {
        let start = Instant::now();
        let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
        let s = start.elapsed().as_secs_f64();
        println!("{} keys, {:.2} GB in memory, made in {s:.1} s", keys.len(), gb(keys.memory_bytes() as u64));
        keys
    };
    (0..if kind == "few" { 3 } else { 0 }).for_each(|_| drop(make()));
    let keys = make();
    let start = Instant::now();
    keys.write_to(&ctx, &mut std::io::sink()).unwrap();
    println!("{:.2} GB written in {:.1} s", gb(keys.bytes_at_rest()), start.elapsed().as_secs_f64());
}

/// The cost of using compressed keys: `... keys::bootstrap_speed -- --ignored --nocapture`, with
/// another preset in `RINGJET_PRESET`.
#[test]
#[ignore = "full size: gigabytes and a minute"]
fn bootstrap_speed() {
    let name = std::env::var("RINGJET_PRESET").unwrap_or_else(|_| "n15-boot".into());
    let params = preset(&name).unwrap();
    let ctx = Context::new(&params, cpu(0));
    let (secret, seed) = secret(&params);
    let log_slots = params.log_n() - 1;
    let request = Bootstrapper::key_plan(&params, log_slots).unwrap();
    let mut keys = secret.evaluation_keys(&compressed(&ctx), &request, &seed, |_, _| true).unwrap();
    let boot = Arc::new(Bootstrapper::new(&ctx, log_slots, |_, _| true).unwrap());
    let level = params.bootstrap().unwrap().input_level();
    let plain = Plaintext::encode_real(&ctx, &[0.5, 0.25], level, log_slots).unwrap();
    let x = secret.encrypt(&ctx, &plain, &seed).unwrap();
    for memory in [KeyMemory::Compressed, KeyMemory::Expanded] {
        if memory == KeyMemory::Expanded {
            keys = keys.in_memory_form(KeyMemory::Expanded).unwrap();
        }
        let gb = keys.memory_bytes() as f64 / 1e9;
        let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys.clone())).unwrap();
        eval.set_bootstrapper(Arc::clone(&boot)).unwrap();
        let times: Vec<f64> = (0..3)
            .map(|_| {
                let start = Instant::now();
                eval.bootstrap(&x).unwrap();
                start.elapsed().as_secs_f64()
            })
            .collect();
        println!("{name}, {memory:?}: {gb:.2} GB of keys, bootstrapping in {times:.2?} s");
    }
}

/// A subset is what the plan names: the same keys, which compute the same, and those for fewer levels are
/// parts of those for more.
#[test]
fn a_subset_computes_the_same() {
    let params = Parameters::new(&ParamSpec::uniform(9, 50, 5, 40, 2).allow_insecure()).unwrap();
    for memory in [KeyMemory::Expanded, KeyMemory::Compressed] {
        let ctx = Context::new(&params, cpu(2)).with_key_memory(memory);
        let (secret, seed) = secret(&params);
        let all =
            secret.evaluation_keys(&ctx, &KeyPlan::rotations([1, 2, 3]).conjugation(), &seed, |_, _| true).unwrap();
        let plan = KeyPlan::rotations([2]).up_to(|_| Some(3));
        let some = all.subset(&plan).unwrap();
        assert_eq!((some.len(), some.relinearization().unwrap().level(), some.rotation(2).unwrap().level()), (2, 3, 3));
        assert!(some.rotation(1).is_err() && some.conjugation().is_err());
        assert!(some.memory_bytes() < all.memory_bytes() / 2);
        let read = EvaluationKeys::from_bytes(&ctx, &some.to_bytes(&ctx).unwrap(), LIMITS).unwrap();
        let values: Vec<_> = (0..256).map(|i| crate::common::complex(f64::from(i).sin(), 0.0)).collect();
        let ct = |level| {
            let p = Plaintext::encode(&ctx, &values, level, params.scale(level), 8).unwrap();
            secret.encrypt(&ctx, &p, &seed.derive(b"subset", 0)).unwrap()
        };
        let [whole, part, stored] = [all.clone(), some, read].map(|keys| Evaluator::new(&ctx, Arc::new(keys)).unwrap());
        for level in 1..=3 {
            let made = |eval: &Evaluator| {
                let x = eval.rotate(&ct(level), 2).unwrap();
                eval.relinearize(&eval.mul(&x, &x).unwrap()).unwrap().to_bytes(&ctx).unwrap()
            };
            assert!(made(&part) == made(&whole) && made(&stored) == made(&whole), "level {level}");
        }
        assert!(matches!(part.rotate(&ct(4), 2), Err(Error::KeyLevel { level: 4, key_level: 3 })));
        let refused = |plan: KeyPlan| all.subset(&plan).unwrap_err();
        assert!(matches!(refused(KeyPlan::rotations([2, 7])), Error::MissingRotationKey { rotation: 7 }));
        let several = refused(KeyPlan::rotations([7, 2, 9]));
        assert!(matches!(several, Error::MissingRotationKeys { ref rotations } if rotations == &[7, 9]), "{several}");
        let narrow = part.keys().subset(&KeyPlan::rotations([2])).unwrap_err();
        assert!(matches!(narrow, Error::KeyLevel { level: 5, key_level: 3 }), "{narrow}");
    }
}

/// Levels that share primes: a key for fewer levels is a part of another one where its primes come first,
/// and stays whole otherwise.
#[test]
fn a_subset_of_shared_primes_computes_the_same() {
    let chain = ringjet::params::bootstrap_chain("n16-boot").unwrap().shrunk(9).unwrap();
    let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
    for memory in [KeyMemory::Expanded, KeyMemory::Compressed] {
        let ctx = Context::new(&params, cpu(2)).with_key_memory(memory);
        let (secret, seed) = secret(&params);
        let plan = Bootstrapper::key_plan(&params, 8).unwrap().and(KeyPlan::rotations([5]));
        let all = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
        let values: Vec<_> = (0..256).map(|i| crate::common::complex(f64::from(i).sin(), 0.0)).collect();
        let ct = |level| {
            let p = Plaintext::encode(&ctx, &values, level, params.scale(level), 8).unwrap();
            secret.encrypt(&ctx, &p, &seed.derive(b"subset", 2)).unwrap()
        };
        let mut smaller = 0;
        for level in 1..=params.top_level() {
            let some = all.subset(&KeyPlan::rotations([5]).up_to(|_| Some(level))).unwrap();
            smaller += usize::from(some.rotation(5).unwrap().level() == level);
            let some = EvaluationKeys::from_bytes(&ctx, &some.to_bytes(&ctx).unwrap(), LIMITS).unwrap();
            let made = |keys: &EvaluationKeys| {
                let eval = Evaluator::new(&ctx, Arc::new(keys.clone())).unwrap();
                eval.rotate(&ct(level), 5).unwrap().to_bytes(&ctx).unwrap()
            };
            assert!(made(&some) == made(&all), "level {level}");
        }
        assert!(smaller > 3);
    }
}

/// Of keys for bootstrapping those for one number of slots are taken.
#[test]
fn a_subset_bootstraps() {
    for params in smalls(7) {
        let ctx = Context::new(&params, cpu(2));
        let (secret, seed) = secret(&params);
        let of = |slots| Bootstrapper::key_plan(&params, slots).unwrap();
        let all = secret.evaluation_keys(&ctx, &request(&params).and(of(3)), &seed, |_, _| true).unwrap();
        let some = all.subset(&of(3)).unwrap();
        assert!(some.len() < all.len() && some.rotation(5).is_err());
        let level = params.bootstrap().unwrap().input_level();
        let values: Vec<_> = (0..8).map(|i| crate::common::complex(f64::from(i).sin(), 0.0)).collect();
        let p = Plaintext::encode(&ctx, &values, level, params.scale(level), 3).unwrap();
        let ct = secret.encrypt(&ctx, &p, &seed.derive(b"subset", 1)).unwrap();
        let made = |keys: &EvaluationKeys| {
            let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys.clone())).unwrap();
            eval.bootstrap(&ct).unwrap().to_bytes(&ctx).unwrap()
        };
        assert!(made(&some) == made(&all));
        let refused = all.subset(&KeyPlan::rotations([2])).unwrap().subset(&of(3)).unwrap_err();
        assert!(matches!(refused, Error::MissingBootstrappingKeys { .. }), "{refused}");
    }
}
