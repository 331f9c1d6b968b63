//! The model's kernel calls and traffic for HEAAN equal the CPU backend's counters exactly: the
//! same program runs on both backends.

use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::circuits::heaan::Bootstrapper;
use ringjet::heaan::{
    BootstrapSpec, Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, Secret, SecretKey,
};
use ringjet::rng::Seed;
use ringjet_backend::Backend;
use ringjet_cpu::CpuBackend;
use ringjet_model::{CountingBackend, KernelCalls};
use ringjet_papers::fusion::{Fusion, PartlyFused};

use crate::counters::assert_same;

/// The CPU backend and the counting backend, with the same parameters and keys.
struct Both {
    cpu: Arc<CpuBackend>,
    real: Evaluator,
    model: Arc<CountingBackend>,
    counted: Evaluator,
    secret: SecretKey,
    log_scale: u32,
}

impl Both {
    /// `big_products`: whether products are computed by digits instead of as in the papers.
    fn new(spec: ParamSpec, request: &KeyPlan, big_products: bool) -> Self {
        let (params, seed) = (Parameters::new(&spec.allow_insecure()).unwrap(), Seed::from_bytes([7; 32]));
        let (cpu, model) =
            (Arc::new(CpuBackend::new(Default::default()).unwrap()), Arc::new(CountingBackend::default()));
        let contexts = [cpu.clone() as Arc<dyn Backend>, model.clone()].map(|backend| {
            let fusion = Fusion { big_products, ..Fusion::ALL };
            Context::new(&params, Arc::new(PartlyFused::new(backend, fusion)))
        });
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let keys = secret.evaluation_keys(&contexts[0], request, &seed, |_, _| true).unwrap();
        let shapes = EvaluationKeys::uncomputed(&contexts[1], request).unwrap();
        assert_eq!(shapes.memory_bytes(), keys.memory_bytes());
        let real = Evaluator::new(&contexts[0], Arc::new(keys)).unwrap();
        let counted = Evaluator::new(&contexts[1], Arc::new(shapes)).unwrap();
        Self { cpu, real, model, counted, secret, log_scale: params.log_p() }
    }

    /// Runs a program on both backends with a ciphertext modulo `2^log_q`, and compares modulus,
    /// scale, calls and traffic.
    fn same(
        &self,
        what: &str,
        [log_q, log_slots]: [u32; 2],
        program: impl Fn(&Evaluator, &Ciphertext) -> ringjet::Result<Ciphertext>,
    ) -> KernelCalls {
        let values: Vec<f64> = (0..1 << log_slots).map(|i| (i as f64).sin() / 2.0).collect();
        let plain = Plaintext::encode_real(self.real.context(), &values, self.log_scale, log_slots).unwrap();
        let seed = Seed::from_bytes([9; 32]);
        let input = self.secret.encrypt(self.real.context(), &plain.clone().at(log_q), &seed).unwrap();
        let shape = Ciphertext::uncomputed(self.counted.context(), log_q, self.log_scale, log_slots).unwrap();
        self.cpu.reset_counters();
        let real = program(&self.real, &input).unwrap();
        self.model.take();
        let counted = program(&self.counted, &shape).unwrap();
        let trace = self.model.take();
        assert_eq!((real.log_q(), real.log_scale()), (counted.log_q(), counted.log_scale()), "{what}");
        assert_same(&format!("{what} modulo 2^{log_q}"), &self.cpu, &trace).calls
    }
}

#[test]
fn operations() {
    for (log_n, log_q, moduli) in [(9, 1200, &[1200, 1195, 640, 307, 306, 62][..]), (6, 300, &[300, 150])] {
        for big_products in [true, false] {
            let request = KeyPlan::rotations([1, 2, 4]).conjugation();
            let both = Both::new(ParamSpec::new(log_n, log_q), &request, big_products);
            for &q in moduli {
                let at = [q, log_n - 1];
                let product = both.same("multiply", at, |e, x| e.mul(x, &e.add(x, x)?.with_magnitude(0.5)));
                let square = both.same("square", at, |e, x| e.square(x));
                assert!(square.ntt < product.ntt && square.intt == product.intt);
                let rotation = both.same("rotate", at, |e, x| e.rotate(x, 2));
                assert_eq!(both.same("conjugate", at, |e, x| e.conjugate(x)), rotation);
                both.same("multiply and rescale", at, |e, x| e.rescale(&e.mul(x, x)?, 30));
                both.same("inner sum", at, |e, x| e.inner_sum(x, 1, 8));
                both.same("times a plaintext", at, |e, x| {
                    let p = Plaintext::encode_real(e.context(), &[0.5, 0.25], 20, x.log_slots())?;
                    e.mul_plain(x, &p)
                });
                both.same("times i", at, |e, x| e.times_i(x));
            }
        }
    }
}

/// The matrices of bootstrapping are prepared factors, too.
#[test]
fn bootstrapping() {
    let spec = ParamSpec { log_p: 23, log_slots: Some(3), secret: Secret::Weight(64), ..ParamSpec::new(10, 620) };
    let request = Bootstrapper::key_plan(&Parameters::new(&spec.clone().allow_insecure()).unwrap(), 3).unwrap();
    for big_products in [true, false] {
        let both = Both::new(spec.clone(), &request, big_products);
        let made = [&both.real, &both.counted].map(|e| {
            let (ctx, spec) = (e.context(), BootstrapSpec::new(e.context().params(), 3));
            Bootstrapper::new(ctx, &spec, |_, _| true).unwrap()
        });
        let [real, counted] = &made;
        assert_eq!(real.memory_bytes(), counted.memory_bytes());
        let of = |e: &Evaluator| if e.context().backend().computes() { real } else { counted };
        both.same("bootstrap", [real.spec().log_q, 3], |e, x| of(e).bootstrap(e, x));
    }
}
