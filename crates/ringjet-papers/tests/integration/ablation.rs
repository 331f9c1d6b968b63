//! An order of computation that leaves something out really does so, and its results stay right.
//! Runs in small rings and counts the calls of the backend.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use ringjet::params::BootstrapChain;
use ringjet::rng::Seed;
use ringjet::{Context, Evaluator, KeyMemory, Parameters, Plaintext, SecretKey};
use ringjet_backend::plan::{BaseConversionPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{
    Backend, KeySwitch, KeySwitchInput, Result, RotateSum, Rotation, View, ViewMut, conformance, delegate,
};
use ringjet_cpu::CpuBackend;
use ringjet_math::Basis;
use ringjet_math::fft::Complex64;
use ringjet_papers::fusion::{Fusion, PartlyFused};
use ringjet_papers::orders::{self, BabySteps, Hoisting, Order};

fn cpu() -> Arc<CpuBackend> {
    Arc::new(CpuBackend::new(Default::default()).unwrap())
}

/// A backend that counts calls.
#[derive(Debug)]
struct Counting {
    inner: Arc<CpuBackend>,
    calls: Mutex<BTreeMap<&'static str, usize>>,
}

impl Counting {
    fn count(&self, name: &'static str) {
        *self.calls.lock().unwrap().entry(name).or_default() += 1;
    }
}

impl Backend for Counting {
    delegate!(self => self.inner; all except hoisted_rotations, ntt, mul, base_convert, tensor, mod_up, key_inner_product, key_switch, hoisted_rotate_sum, rotate_into, divide_round);

    /// Counted as the key switches of which it consists.
    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], r: &ringjet_backend::HoistedRotations<'_>) -> Result<()> {
        ringjet_backend::Composed(self).hoisted_rotations(dst, r)
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.count("ntt");
        self.inner.ntt(x, basis)
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        self.count("mul");
        self.inner.mul(dst, a, b, basis, accumulate)
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        self.count("base_convert");
        self.inner.base_convert(dst, src, plan)
    }

    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        self.count("tensor");
        self.inner.tensor(dst, a, b, basis)
    }

    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        self.count("mod_up");
        self.inner.mod_up(dst, src, plan)
    }

    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        self.count("key_inner_product");
        self.inner.key_inner_product(acc, digits, key, basis)
    }

    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        self.count(match switch.input {
            KeySwitchInput::Polynomial(_) => "key_switch",
            KeySwitchInput::Digits(_) => "key_switch of digits",
            KeySwitchInput::Products(_) => "key_switch of products",
        });
        self.inner.key_switch(dst, switch)
    }

    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        self.count("hoisted_rotate_sum");
        self.inner.hoisted_rotate_sum(dst, sum, basis, accumulate)
    }

    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        self.count("rotate_into");
        self.inner.rotate_into(dst, src, rotation, accumulate)
    }

    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        self.count("divide_round");
        self.inner.divide_round(dst, src, plan, add)
    }
}

/// The part that is left out.
#[derive(Clone, Copy)]
struct Without {
    order: Order,
    fusion: Fusion,
    keys: KeyMemory,
}

const FULL: Without = Without { order: Order::LIBRARY, fusion: Fusion::ALL, keys: KeyMemory::Expanded };

/// Another order of computation; nothing else is left out.
fn by(order: Order) -> Without {
    Without { order, ..FULL }
}

/// The measurements and the result of a bootstrap.
struct Outcome {
    values: Vec<Complex64>,
    calls: BTreeMap<&'static str, usize>,
    keys: usize,
    key_bytes: usize,
    matrix_bytes: usize,
}

impl Outcome {
    fn calls(&self, name: &str) -> usize {
        self.calls.get(name).copied().unwrap_or(0)
    }
}

const LOG_N: u32 = 9;

fn input() -> Vec<Complex64> {
    (0..1 << (LOG_N - 1)).map(|i| Complex64::new((f64::from(i) * 1.3).sin(), (f64::from(i) * 0.7).cos())).collect()
}

/// Shared by the tests: the search for primes takes longer than a bootstrap.
fn parameters() -> &'static Parameters {
    static PARAMETERS: OnceLock<Parameters> = OnceLock::new();
    PARAMETERS.get_or_init(|| Parameters::new(&chain().generate().unwrap().0.allow_insecure()).unwrap())
}

fn chain() -> BootstrapChain {
    BootstrapChain { message_levels: 3, ..BootstrapChain::standard(LOG_N) }
}

fn bootstrap(without: Without) -> Outcome {
    let params = parameters();
    let counting = Arc::new(Counting { inner: cpu(), calls: Mutex::default() });
    let backend = Arc::new(PartlyFused::new(counting.clone(), without.fusion));
    let ctx = Context::new(params, backend).with_key_memory(without.keys);
    let (seed, log_slots) = (Seed::from_bytes([7; 32]), LOG_N - 1);
    let secret = SecretKey::from_seed(params, &seed).unwrap();
    let plan = without.order.key_plan(params, log_slots).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
    let (count, key_bytes) = (keys.len(), keys.memory_bytes());
    let eval = orders::Evaluator::new(Evaluator::new(&ctx, Arc::new(keys)).unwrap(), without.order);
    let boot = without.order.bootstrapper(&ctx, log_slots, |_, _| true).unwrap();
    let level = params.bootstrap().unwrap().input_level();
    let plain = Plaintext::encode(&ctx, &input(), level, params.scale(level), log_slots).unwrap();
    let ct = secret.encrypt(&ctx, &plain, &seed).unwrap();
    counting.calls.lock().unwrap().clear();
    let out = boot.bootstrap_observed(&eval, &ct, false, |_| true).unwrap();
    assert_eq!((out.level(), out.scale()), (params.top_level(), params.scale(params.top_level())));
    let calls = counting.calls.lock().unwrap().clone();
    let values = secret.decrypt_values(&ctx, &out).unwrap().0;
    Outcome { values, calls, keys: count, key_bytes, matrix_bytes: boot.matrix_bytes() }
}

fn difference(a: &[Complex64], b: &[Complex64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a.re - b.re).abs()).max((a.im - b.im).abs()))
}

/// The results differ by rounding only.
fn expect_same(full: &Outcome, found: &Outcome, what: &str) {
    let wrong = difference(&found.values, &input());
    assert!(wrong < 2f64.powi(-21), "{what}: an error of 2^{:.1}", wrong.log2());
    let between = difference(&found.values, &full.values);
    assert!(between < 2f64.powi(-21), "{what}: 2^{:.1} from the full version", between.log2());
}

#[test]
fn algorithms_are_left_out_and_results_stay() {
    let full = bootstrap(FULL);
    expect_same(&full, &full, "full");
    assert_eq!(full.calls("key_switch of digits"), 0);
    assert!(full.calls("rotate_into") > 0);

    let without = |what, w: Without| {
        let found = bootstrap(w);
        expect_same(&full, &found, what);
        assert_ne!(difference(&found.values, &full.values), 0.0, "{what}: not even rounding differs");
        found
    };
    let found = without("batched products", by(Order { batched_products: false, ..Order::LIBRARY }));
    assert!(found.calls("key_switch") > full.calls("key_switch"));
    assert_eq!(found.calls("tensor"), full.calls("tensor"));

    let hoisting = |hoisting| by(Order { hoisting, ..Order::LIBRARY });
    let single = without("hoisted ModDown", hoisting(Hoisting::Single));
    assert_eq!(single.calls("rotate_into"), 0);
    assert!(single.calls("key_switch of digits") > 0);
    let none = without("hoisted ModUp", hoisting(Hoisting::None));
    assert_eq!((none.calls("rotate_into"), none.calls("key_switch of digits")), (0, 0));
    let switches = single.calls("key_switch") + single.calls("key_switch of digits");
    assert_eq!(none.calls("key_switch"), switches);

    let steps = |baby_steps| by(Order { baby_steps, ..Order::LIBRARY });
    let all = without("giant steps", steps(BabySteps::All));
    assert_eq!(all.calls("rotate_into"), 0);
    assert!(all.keys > full.keys && all.key_bytes > full.key_bytes);
    let fewest = without("chosen baby steps", steps(BabySteps::Fewest));
    assert!(fewest.calls("rotate_into") > full.calls("rotate_into") && fewest.keys < full.keys);

    // the counts of published cost models: 31 diagonals in each of four matrices, 7 x 5 or one step
    let published = |baby_steps, hoisting| by(Order { baby_steps, hoisting, ..Order::LIBRARY });
    let root = without("band, single", published(BabySteps::Root, Hoisting::Single));
    assert_eq!(root.calls("key_switch of digits"), 4 * 6);
    let root = without("band, double", published(BabySteps::Root, Hoisting::DoubleRescaled));
    assert_eq!((root.calls("rotate_into"), root.calls("divide_round") - full.calls("divide_round") > 0), (4 * 4, true));
    let each = without("one step of a band", published(BabySteps::Each, Hoisting::Double));
    assert_eq!((each.calls("rotate_into"), each.keys), (0, all.keys));
    assert!(each.matrix_bytes > all.matrix_bytes);
}

/// Orders that only move work or memory have the same result, bit for bit.
#[test]
fn forms_and_fusions_are_left_out_and_bits_stay() {
    let full = bootstrap(FULL);
    let without = |what, w: Without| {
        let found = bootstrap(w);
        assert_eq!(difference(&found.values, &full.values), 0.0, "{what}");
        found
    };
    // two roundings differ from one only next to a half: in about one of q cases
    let found = without("merged rescaling", by(Order { merged_rescaling: false, ..Order::LIBRARY }));
    assert!(found.calls("divide_round") > full.calls("divide_round"));
    assert_eq!(found.calls("key_switch"), full.calls("key_switch"));

    let found = without("compressed diagonals", by(Order { compressed_diagonals: false, ..Order::LIBRARY }));
    assert!(found.matrix_bytes > full.matrix_bytes);
    assert_eq!(found.calls, full.calls);

    let found = without("expanded keys", Without { keys: KeyMemory::Compressed, ..FULL });
    assert!(3 * found.key_bytes < 2 * full.key_bytes && found.keys == full.keys);

    let fused = |fusion| Without { fusion, ..FULL };
    let all = Fusion::default();
    let found = without("key switches", fused(Fusion { key_switches: false, ..all }));
    assert_eq!((found.calls("key_switch"), found.calls("rotate_into"), found.calls("base_convert")), (0, 0, 0));
    assert!(found.calls("mod_up") > full.calls("mod_up") && found.calls("key_inner_product") > 0);
    let parts = found;
    let found = without("ModUp", fused(Fusion { key_switches: false, mod_up: false, ..all }));
    assert_eq!((found.calls("mod_up"), found.calls("divide_round")), (0, parts.calls("divide_round")));
    assert!(found.calls("base_convert") >= parts.calls("mod_up"));
    let found = without("inner products", fused(Fusion { key_switches: false, inner_products: false, ..all }));
    assert_eq!((found.calls("key_inner_product"), found.calls("mod_up")), (0, parts.calls("mod_up")));
    assert!(found.calls("mul") > parts.calls("mul"));
    let found = without("divisions", fused(Fusion { key_switches: false, divisions: false, ..all }));
    assert_eq!((found.calls("divide_round"), found.calls("mod_up")), (0, parts.calls("mod_up")));
    assert!(found.calls("base_convert") >= parts.calls("divide_round"));
    let found = without("sums of rotations", fused(Fusion { rotation_sums: false, ..all }));
    assert_eq!(found.calls("hoisted_rotate_sum"), 0);
    assert_eq!(found.calls("key_switch"), full.calls("key_switch"));
    let found = without("products", fused(Fusion { products: false, ..all }));
    assert_eq!(found.calls("tensor"), 0);
    assert!(found.calls("mul") > full.calls("mul"));
    let found = without("all fusions", fused(Fusion::NONE));
    assert_eq!(found.calls("key_inner_product") + found.calls("tensor") + found.calls("mod_up"), 0);
}

#[test]
fn a_backend_of_any_fusion_conforms() {
    let all = Fusion::default();
    let chain = conformance::Chain { p: vec![50, 50], q: vec![50, 50, 40, 50, 30], alpha: 2 };
    let options =
        conformance::Options { log_ns: vec![5], bases: vec![vec![50, 40]], chains: vec![chain], ..Default::default() };
    for fusion in [
        Fusion { key_switches: false, ..all },
        Fusion { mod_up: false, ..all },
        Fusion { divisions: false, ..all },
        Fusion { inner_products: false, ..all },
        Fusion { rotation_sums: false, ..all },
        Fusion { products: false, ..all },
        Fusion::NONE,
    ] {
        let report = conformance::run(&PartlyFused::new(cpu(), fusion), &options).unwrap();
        assert!(report.checks > 100, "{fusion:?}: {report}");
    }
}
