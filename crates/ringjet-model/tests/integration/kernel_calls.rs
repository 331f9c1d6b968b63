//! The model's kernel calls and traffic equal the CPU backend's counters exactly: the same program
//! runs on both backends.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet::bgv;
use ringjet::circuits::{DiagonalForm, LinearTransform};
use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::rng::Seed;
use ringjet::{
    Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey,
};
use ringjet_cpu::blocking::FUSED_DIGITS;
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;
use ringjet_model::{Caching, CountingBackend, Policy, ringjet_parts};

use crate::counters::assert_same;

/// The CPU backend and the counting backend, with the same parameters and keys.
struct Both {
    cpu: Arc<CpuBackend>,
    real: Evaluator,
    input: Ciphertext,
    model: Arc<CountingBackend>,
    counted: Evaluator,
    shape: Ciphertext,
}

impl Both {
    fn new(params: &Parameters, request: &KeyPlan, level: usize, log_slots: u32, threads: usize) -> Self {
        let seed = Seed::from_bytes([7; 32]);
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads, path: None }).unwrap());
        let ctx = Context::new(params, cpu.clone());
        let secret = SecretKey::from_seed(params, &seed).unwrap();
        let keys = secret.evaluation_keys(&ctx, request, &seed, |_, _| true).unwrap();
        let values = vec![Complex64 { re: 0.25, im: 0.125 }; 1 << log_slots];
        let plain = Plaintext::encode(&ctx, &values, level, params.scale(level), log_slots).unwrap();
        let input = secret.encrypt(&ctx, &plain, &seed).unwrap();

        let model = Arc::new(CountingBackend::default());
        let uncomputed = Context::new(params, model.clone());
        let shapes = EvaluationKeys::uncomputed(&uncomputed, request).unwrap();
        assert_eq!(shapes.memory_bytes(), keys.memory_bytes());
        let shape = Ciphertext::uncomputed(&uncomputed, level, log_slots).unwrap();
        let real = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        Self { cpu, real, input, model, counted: Evaluator::new(&uncomputed, Arc::new(shapes)).unwrap(), shape }
    }

    /// Runs a program on both backends, and compares level, scale, calls and traffic.
    fn same(&self, what: &str, program: impl Fn(&Evaluator, &Ciphertext) -> ringjet::Result<Ciphertext>) {
        self.cpu.reset_counters();
        let real = program(&self.real, &self.input).unwrap();
        self.model.take();
        let counted = program(&self.counted, &self.shape).unwrap();
        let trace = self.model.take();
        assert_eq!((real.level(), real.scale()), (counted.level(), counted.scale()), "{what}");
        let cost = assert_same(what, &self.cpu, &trace);
        // with too many digits for the fused key switch, the CPU does one product more; see
        // `unfused`
        let unfused = trace.calls.iter().any(|c| c.operation.sizes(c.n).beta > FUSED_DIGITS);
        for caching in [Caching::None, Caching::Limb, Caching::BetaLimbs, Caching::AlphaLimbs, Caching::Reordered] {
            let policy = Policy::Cached { caching, seeded_keys: false };
            let calls = trace.total(|operation, n| ringjet_parts(operation, n, policy)).calls;
            assert!(calls == cost.calls || unfused, "{what}: calls do not depend on a cache ({caching:?})");
        }
    }
}

/// Four parameter sets. Two have one group of target primes. One has several groups (fewer with
/// three threads) and digits that exceed the caches, so that rotations come in batches. One has
/// more digits than the fused key switch supports.
#[test]
fn leveled_operations() {
    let shapes = [
        (ParamSpec::uniform(11, 50, 9, 40, 3), 9, 1),
        (ParamSpec::uniform(10, 48, 5, 38, 2), 4, 3),
        (ParamSpec::uniform(12, 48, 43, 40, 5), 42, 1),
        (ParamSpec::uniform(12, 48, 43, 40, 5), 42, 3),
        (ParamSpec::uniform(10, 48, 18, 40, 1), 18, 1),
    ];
    for (spec, level, threads) in shapes {
        let params = Parameters::new(&spec.allow_insecure()).unwrap();
        let log_slots = params.log_n() - 1;
        let request = KeyPlan::rotations([1, 2, 3, 4, 5, 8]).conjugation();
        let both = Both::new(&params, &request, level, log_slots, threads);
        both.same("multiply", |eval, x| eval.mul_relin_rescale(x, x));
        both.same("multiply, then rescale", |eval, x| eval.rescale(&eval.mul_relin(x, x)?));
        both.same("rotate", |eval, x| eval.rotate(x, 3));
        both.same("conjugate", |eval, x| eval.conjugate(x));
        both.same("hoisted rotations", |eval, x| {
            let all = eval.rotate_hoisted(x, &[1, 2, 0, 4, 8])?;
            all[1..].iter().try_fold(all[0].clone(), |sum, y| eval.add(&sum, y))
        });
        both.same("rescale", |eval, x| eval.rescale(&eval.mul_integer(x, 1 << 30)?));
        both.same("inner sum", |eval, x| eval.inner_sum(x, 1, 8));
        both.same("square of a sum, two levels down", |eval, x| {
            let y = eval.align(x, x.level() - 2)?;
            eval.mul_auto(&eval.add_auto(x, &y)?, &eval.add_scalar(x, 0.5)?)
        });
        both.same("times a vector", |eval, x| eval.mul_values(x, &[Complex64 { re: 0.5, im: 0.0 }]));
    }
}

/// Matrices whose diagonals are kept as polynomials or as coefficients.
#[test]
fn forms_of_diagonals() {
    let params = Parameters::new(&ParamSpec::uniform(10, 48, 5, 38, 2).allow_insecure()).unwrap();
    for (log_slots, threads) in [(9, 1), (8, 1), (5, 1)] {
        let slots = 1 << log_slots;
        let diagonal = |k: usize| (k, (0..slots).map(|j| Complex64 { re: (j * (k + 1)) as f64, im: 0.5 }).collect());
        let matrix = LinearTransform::from_diagonals(slots, (0..slots).step_by(4).map(diagonal).collect()).unwrap();
        let both = Both::new(&params, &KeyPlan::rotations(matrix.rotations()), 4, log_slots, threads);
        let [encoded, coefficients] = [DiagonalForm::Encoded, DiagonalForm::Coefficients].map(|form| {
            let matrix = matrix.clone().with_form(form);
            let before = both.model.trace().resident_bytes;
            let ready = [&both.real, &both.counted].map(|eval| matrix.encode(eval.context(), 4).unwrap());
            let memory = ready[1].memory_bytes() as u64;
            assert_eq!(both.model.trace().resident_bytes - before, memory);
            assert_eq!(ready[0].memory_bytes() as u64, memory);
            both.same(&format!("{slots} slots, {form:?}"), |eval, x| {
                ready[usize::from(eval.context().backend().meter().is_some())].apply(eval, x)
            });
            both.same(&format!("{slots} slots, encoded as {form:?}"), |eval, x| {
                matrix.encode(eval.context(), 4)?.apply(eval, x)
            });
            memory
        });
        // 5 primes, and 2 special ones where few diagonals make single hoisting dearer
        let primes = if log_slots == 9 { 5 } else { 7 };
        assert_eq!(encoded, primes * coefficients, "{slots} slots");
    }
}

/// An exact product with a vector that was a factor before takes no transform, on both backends.
#[test]
fn a_factor_of_integers_is_prepared_once() {
    let spec = bgv::ParamSpec::uniform(10, 12289, &[40, 40, 40], &[45]).allow_insecure();
    let params = bgv::Parameters::new(&spec).unwrap();
    let (cpu, model) = (Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()), Arc::new(CountingBackend::default()));
    let (ctx, uncomputed) = (bgv::Context::new(&params, cpu.clone()), bgv::Context::new(&params, model.clone()));
    let shapes = |ctx| Arc::new(bgv::EvaluationKeys::uncomputed(ctx, &KeyPlan::default()).unwrap());
    let counted = bgv::Evaluator::new(&uncomputed, shapes(&uncomputed)).unwrap();
    let secret = bgv::SecretKey::generate(&params).unwrap();
    let seed = Seed::from_bytes([7; 32]);
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::default(), &seed, |_, _| true).unwrap();
    let real = bgv::Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let x = secret.encrypt(&ctx, &bgv::Plaintext::encode(&ctx, &[5, 6], 2).unwrap(), &seed).unwrap();
    let shape = bgv::Ciphertext::uncomputed(&uncomputed, 2).unwrap();
    // one limb modulo t, three of the level
    for (factor, transforms) in [([7, 8], (1, 3)), ([7, 8], (0, 0)), ([7, 9], (1, 3)), ([7, 8], (0, 0))] {
        cpu.reset_counters();
        let product = real.mul_integers(&x, &factor).unwrap();
        model.take();
        counted.mul_integers(&shape, &factor).unwrap();
        let calls = assert_same("times integers", &cpu, &model.take()).calls;
        assert_eq!((calls.intt, calls.ntt, calls.products >= 6), (transforms.0, transforms.1, true));
        assert_eq!(secret.decrypt_integers(&ctx, &product).unwrap()[..3], [5 * factor[0], 6 * factor[1], 0]);
    }
}

fn chain(log_n: u32, first: bool) -> BootstrapChain {
    let bootstrap = BootstrapSpec { slots_to_coeffs_first: first, ..BootstrapSpec::standard(log_n, 2) };
    BootstrapChain {
        message_levels: 3,
        log_ratio: if first { 12.0 } else { 10.0 },
        eval_mod_bits: if first { 58.0 } else { 49.75 },
        coeffs_to_slots_bits: 49.0,
        special: 4,
        shared_primes: first,
        bootstrap,
        ..BootstrapChain::standard(log_n)
    }
}

fn bootstraps(params: &Parameters, log_slots: u32, threads: usize) {
    let request = Bootstrapper::key_plan(params, log_slots).unwrap();
    let level = params.bootstrap().unwrap().input_level();
    let both = Both::new(params, &request, level, log_slots, threads);
    let bootstrappers =
        [&both.real, &both.counted].map(|e| Bootstrapper::new(e.context(), log_slots, |_, _| true).unwrap());
    let [real, counted] = &bootstrappers;
    assert_eq!(real.matrix_bytes(), counted.matrix_bytes(), "{params:?}, 2^{log_slots} slots");
    let of = |eval: &Evaluator| if eval.context().backend().computes() { real } else { counted };
    both.same("bootstrap", |eval, x| of(eval).bootstrap(eval, x));
    both.same("bootstrap of real values", |eval, x| of(eval).bootstrap_observed(eval, x, true, |_| true));
}

#[test]
fn bootstrapping() {
    for (first, log_slots, threads) in [(true, 9, 1), (true, 8, 1), (true, 5, 2), (false, 9, 1), (false, 6, 1)] {
        let params = Parameters::new(&chain(10, first).generate().unwrap().0.allow_insecure()).unwrap();
        bootstraps(&params, log_slots, threads);
    }
    for (matrix_keys, log_slots) in [(true, 9), (true, 5), (false, 9)] {
        bootstraps(&with_few_keys(matrix_keys), log_slots, 2);
    }
}

/// Parameters whose giant steps share a key, with the first matrix in the keys or not.
fn with_few_keys(matrix_keys: bool) -> Parameters {
    let base = chain(10, true);
    let coeffs_to_slots = if matrix_keys { vec![3, 3, 3] } else { vec![5, 4] };
    let bootstrap = BootstrapSpec { baby_steps: 2, matrix_keys, coeffs_to_slots, ..base.bootstrap.clone() };
    Parameters::new(&BootstrapChain { bootstrap, ..base }.generate().unwrap().0.allow_insecure()).unwrap()
}

/// A bootstrap uses all keys of its plan and no others, at the levels of the plan.
#[test]
fn bootstraps_use_the_keys_of_their_plan() {
    let all = Parameters::new(&chain(10, true).generate().unwrap().0.allow_insecure()).unwrap();
    let few = [true, false].map(with_few_keys);
    let cases = [2, 5, 8, 9].map(|log_slots| (&all, log_slots));
    let cases = cases.into_iter().chain([5, 8, 9].into_iter().flat_map(|l| few.iter().map(move |few| (few, l))));
    for (params, log_slots) in cases {
        let (model, plan) = (Arc::new(CountingBackend::default()), Bootstrapper::key_plan(params, log_slots).unwrap());
        let ctx = Context::new(params, model.clone());
        let keys = EvaluationKeys::uncomputed(&ctx, &plan).unwrap();
        let planned: BTreeMap<u32, usize> =
            keys.keys().map(|(element, key)| (element, params.p().len() + params.limbs(key.level()))).collect();
        let boot = Bootstrapper::new(&ctx, log_slots, |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        let level = params.bootstrap().unwrap().input_level();
        model.take();
        boot.bootstrap(&eval, &Ciphertext::uncomputed(&ctx, level, log_slots).unwrap()).unwrap();
        assert_eq!(model.take().keys, planned, "2^{log_slots}");
    }
}

#[test]
#[ignore = "full size: minutes and 10 GB"]
fn bootstrapping_at_full_size() {
    for name in ["n15-boot", "n16-boot"] {
        let params = ringjet::preset(name).unwrap();
        bootstraps(&params, params.log_n() - 1, 1);
    }
}
