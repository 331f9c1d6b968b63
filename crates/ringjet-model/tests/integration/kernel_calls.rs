//! The model's numbers of kernel calls are those of the CPU backend, exactly: the same program runs on both.

use std::sync::Arc;

use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::rng::Seed;
use ringjet::{
    Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey,
};
use ringjet_cpu::{CpuBackend, KernelCalls};
use ringjet_math::fft::Complex64;
use ringjet_model::{Caching, Calls, CountingBackend, Policy, own_parts};

/// Both machines with the same parameters and keys for the same purpose.
struct Both {
    cpu: Arc<CpuBackend>,
    real: Evaluator,
    input: Ciphertext,
    model: Arc<CountingBackend>,
    counted: Evaluator,
    shape: Ciphertext,
}

impl Both {
    fn new(params: &Parameters, request: &KeyPlan, level: usize, log_slots: u32) -> Self {
        let seed = Seed::from_bytes([7; 32]);
        let cpu = Arc::new(CpuBackend::new(Default::default()).unwrap());
        let ctx = Context::new(params, cpu.clone());
        let secret = SecretKey::from_seed(params, &seed);
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

    /// Runs a program on both, and compares level, scale and calls.
    fn same(&self, what: &str, program: impl Fn(&Evaluator, &Ciphertext) -> ringjet::Result<Ciphertext>) {
        self.cpu.reset_kernel_calls();
        let real = program(&self.real, &self.input).unwrap();
        let KernelCalls { ntt, intt, base_conversion, products, permutations } = self.cpu.kernel_calls();
        self.model.take();
        let counted = program(&self.counted, &self.shape).unwrap();
        let trace = self.model.take();
        assert_eq!((real.level(), real.scale()), (counted.level(), counted.scale()), "{what}");
        let real = Calls { ntt, intt, base_conversion, products, permutations };
        assert!(real != Calls::default(), "{what}");
        for caching in [Caching::None, Caching::Limb, Caching::BetaLimbs, Caching::AlphaLimbs, Caching::Reordered] {
            let policy = Policy { caching, ..Policy::CPU };
            let counted = trace.total(|operation, n| own_parts(operation, n, policy)).calls;
            assert_eq!(counted, real, "{what}: the model's calls, and the CPU's ({caching:?})");
            let tree = trace.tree(|operation, n| own_parts(operation, n, policy));
            assert_eq!(tree.cost.calls, real, "{what}: the sum of the tree");
        }
    }
}

#[test]
fn leveled_operations() {
    for (spec, level) in [(ParamSpec::uniform(11, 50, 9, 40, 3), 9), (ParamSpec::uniform(10, 48, 5, 38, 2), 4)] {
        let params = Parameters::new(&spec.allow_insecure()).unwrap();
        let log_slots = params.log_n() - 1;
        let request = KeyPlan::rotations([1, 2, 3, 4, 5, 8]).conjugation();
        let both = Both::new(&params, &request, level, log_slots);
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

fn chain(log_n: u32, first: bool) -> BootstrapChain {
    let bootstrap = BootstrapSpec { slots_to_coeffs_first: first, ..BootstrapSpec::standard(log_n, 2) };
    BootstrapChain {
        log_n,
        message_levels: 3,
        scale_bits: 40,
        first_bits: 50,
        log_ratio: if first { 12.0 } else { 10.0 },
        eval_mod_bits: if first { 58.0 } else { 49.75 },
        coeffs_to_slots_bits: 49.0,
        special: 4,
        bootstrap,
    }
}

fn bootstraps(params: &Parameters, log_slots: u32) {
    let request = Bootstrapper::key_plan(params, log_slots).unwrap();
    let level = params.bootstrap().unwrap().input_level();
    let both = Both::new(params, &request, level, log_slots);
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
    for (first, log_slots) in [(true, 9), (true, 5), (false, 9)] {
        let params = Parameters::new(&chain(10, first).generate().unwrap().0.allow_insecure()).unwrap();
        bootstraps(&params, log_slots);
    }
}

#[test]
#[ignore = "full size: minutes and 10 GB"]
fn bootstrapping_at_full_size() {
    for name in ["n15-boot", "n16-boot"] {
        let params = ringjet::preset(name).unwrap();
        bootstraps(&params, params.log_n() - 1);
    }
}
