//! Programs of CKKS and BGV: the reader's results are ringjet's, bit for bit, and decrypt.

use std::collections::HashMap;
use std::sync::Arc;

use ringjet::circuits::LinearTransform;
use ringjet::dynamic::{
    Ciphertext, Context, EvaluationKeys, Evaluator, KeyRequest, Parameters, Scalar, SecretKey, StartModulus, Values,
};
use ringjet::params::BootstrapChain;
use ringjet::program::{Input, Op, Program, Value};
use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{ParamSpec, Stated, bgv};
use ringjet_backend::Backend;
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_fhetch::{Exporter, Words, interpret, parse};

const LIMITS: Limits = Limits { max_bytes: Some(u64::MAX), allow_insecure: true };

/// A random generator; tests print its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as i64 % n
    }

    fn seed(&mut self) -> Seed {
        Seed::from_bytes(std::array::from_fn(|_| self.below(256) as u8))
    }
}

fn cpu() -> Arc<dyn Backend> {
    Arc::new(CpuBackend::new(CpuConfig { threads: 1, ..Default::default() }).unwrap())
}

/// A program with what a client makes for it: keys, and ciphertexts of several sets of inputs.
struct Client {
    params: Parameters,
    program: Program,
    secret: SecretKey,
    context: Context,
    keys: Vec<u8>,
}

impl Client {
    fn new(params: Parameters, program: Program, request: &KeyRequest, random: &mut Random) -> Self {
        let context = Context::new(&params, cpu());
        let secret = SecretKey::from_seed(&params, &random.seed()).unwrap();
        let plan = params.key_plan(request).unwrap();
        let evaluation_keys = secret.evaluation_keys(&context, &plan, &random.seed(), |_, _| true).unwrap();
        let mut keys = vec![];
        EvaluationKeys::write_to_observed(&evaluation_keys, &context, &mut keys, |_, _| true).unwrap();
        Self { params, program, secret, context, keys }
    }

    fn encrypt(&self, values: &Values, log_slots: u32, random: &mut Random) -> Vec<u8> {
        let plain = self.context.encode(values, Stated::Magnitude(1.0), StartModulus::default(), log_slots).unwrap();
        self.secret.encrypt(&self.context, &plain, &random.seed()).unwrap().to_bytes(&self.context).unwrap()
    }

    /// The results on the CPU's backend.
    fn computed(&self, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let context = Context::new(&self.params, cpu());
        let keys = EvaluationKeys::from_bytes(&context, &self.keys, LIMITS).unwrap();
        let eval = Evaluator::new(&context, &keys).unwrap();
        let inputs = inputs.iter().map(|data| Ciphertext::from_bytes(&context, data, LIMITS).unwrap()).collect();
        let results = self.program.run(&eval, inputs, &mut |_, _| true).unwrap();
        results.iter().map(|ct| ct.to_bytes(&context).unwrap()).collect()
    }

    /// The results on an exporter, with what it wrote.
    fn exported(&self, inputs: &[Vec<u8>]) -> (Vec<Vec<u8>>, ringjet_fhetch::Program) {
        let exporter = Arc::new(Exporter::new(cpu()));
        let context = Context::new(&self.params, exporter.clone());
        let keys = EvaluationKeys::from_bytes(&context, &self.keys, LIMITS).unwrap();
        let eval = Evaluator::new(&context, &keys).unwrap();
        let read = |(i, data): (usize, &Vec<u8>)| {
            exporter.input(&i.to_string(), || Ciphertext::from_bytes(&context, data, LIMITS).unwrap())
        };
        let inputs = inputs.iter().enumerate().map(read).collect();
        let results = self.program.run(&eval, inputs, &mut |_, _| true).unwrap();
        let results = results.iter().zip(self.program.outputs());
        let results = results.map(|(ct, (name, _))| exporter.output(name, || ct.to_bytes(&context).unwrap()));
        (results.collect(), exporter.program())
    }

    /// Exports the program with the first set of inputs, runs the text with the data of both sets,
    /// and compares all words and bytes with those of the CPU's backend. Returns the results' bytes
    /// for the first set.
    fn check(&self, sets: [&[Vec<u8>]; 2]) -> Vec<Vec<u8>> {
        let [(bytes, program), (other_bytes, other)] = sets.map(|inputs| self.exported(inputs));
        assert!(bytes == self.computed(sets[0]), "results of the exporter differ");
        assert!(other_bytes == self.computed(sets[1]), "results of the exporter differ");

        let text = program.text().unwrap();
        let (ops, lines) = (program.instructions.len(), text.lines().count());
        println!("{ops} instructions, {lines} lines, {} constants", program.constants.len());
        assert!(text == other.text().unwrap() && program.constants == other.constants, "the inputs change the text");
        assert!(bytes != other_bytes, "both sets of inputs give the same results");
        let read = parse(&text, program.degree).unwrap();
        assert!(read == program.instructions, "the text has other instructions");
        for one in [&program, &other] {
            let constants = program.constants.iter().map(|x| (x.address, x.words.clone()));
            let inputs = one.inputs.iter().flat_map(|input| &input.polynomials);
            let given: HashMap<u32, Words> = constants.chain(inputs.map(|x| (x.address, x.words.clone()))).collect();
            let found = interpret(one.degree, &read, given, &one.results()).unwrap();
            let results: Vec<_> = one.outputs.iter().flat_map(|output| &output.polynomials).collect();
            assert!(results.len() >= 2 * one.outputs.len());
            for expected in results {
                assert!(found[&expected.address] == expected.words, "%{} differs", expected.address);
            }
        }
        bytes
    }

    /// Four random vectors of 512 numbers up to 1 in size, and their ciphertexts.
    fn numbers(&self, random: &mut Random) -> ([Vec<f64>; 4], Vec<Vec<u8>>) {
        let clear: [Vec<f64>; 4] =
            std::array::from_fn(|_| (0..512).map(|_| random.below(2001) as f64 / 1000.0 - 1.0).collect());
        let values = |v: &Vec<f64>| Values::Numbers(v.iter().map(|&c| c.into()).collect());
        let encrypted = clear.iter().map(|v| self.encrypt(&values(v), 9, random)).collect();
        (clear, encrypted)
    }

    /// Decrypts numbers that must be these, to within `2^-20`.
    fn expect_numbers(&self, bytes: &[u8], expected: &[f64]) {
        let Values::Numbers(found) = self.decrypt(bytes) else { panic!("numbers are expected") };
        let error = found.iter().zip(expected).map(|(z, c)| (z.re - c).abs().max(z.im.abs())).fold(0.0, f64::max);
        println!("largest error {error:e}");
        assert!(found.len() == expected.len() && error < 2f64.powi(-20), "{error:e}");
    }

    fn decrypt(&self, bytes: &[u8]) -> Values {
        let ct = Ciphertext::from_bytes(&self.context, bytes, LIMITS).unwrap();
        self.secret.decrypt_values(&self.context, &ct).unwrap()
    }
}

/// The inputs x and y, for vectors of `2^log_slots` values.
fn two_inputs(log_slots: u32) -> (Program, Value, Value) {
    let mut program = Program::default();
    let mut input = |name: &str| {
        program.input(Input {
            name: name.into(),
            log_slots,
            at: StartModulus::default(),
            stated: Stated::Magnitude(1.0),
            complex: false,
            public_key: false,
            count: None,
            zero_padded: false,
        })
    };
    let (x, y) = (input("x"), input("y"));
    (program, x, y)
}

fn apply(program: &mut Program, op: Op, operands: &[Value]) -> Value {
    let place = program.place_of("here:1");
    program.push(op, operands.to_vec(), place).unwrap().next().unwrap()
}

/// The key for products, and keys for rotations.
fn rotations_by(steps: &[i64]) -> KeyRequest {
    KeyRequest { rotations: steps.to_vec(), ..KeyRequest::default() }
}

/// `x * y` rotated, times a plaintext, plus x, minus a number; and the square of `x + y`.
#[test]
fn ckks() {
    let mut random = Random(0x5eed_0001);
    println!("seed {:#x}", random.0);
    let (mut p, x, y) = two_inputs(9);
    let plain: Vec<f64> = (0..512).map(|_| random.below(2001) as f64 / 1000.0 - 1.0).collect();
    let v = Arc::new(Values::Numbers(plain.iter().map(|&c| c.into()).collect()));
    let product = apply(&mut p, Op::Mul {}, &[x, y]);
    let rotated = apply(&mut p, Op::Rotate { k: 3 }, &[product]);
    let scaled = apply(&mut p, Op::MulValues { v }, &[rotated]);
    let sum = apply(&mut p, Op::Add {}, &[scaled, x]);
    let first = apply(&mut p, Op::SubScalar { c: Scalar::Number(0.25) }, &[sum]);
    let both = apply(&mut p, Op::Add {}, &[x, y]);
    let second = apply(&mut p, Op::Mul {}, &[both, both]);
    p.returns(vec![("first".into(), first), ("second".into(), second)]).unwrap();

    let spec = ParamSpec::uniform(10, 50, 3, 40, 2).allow_insecure();
    let params: Parameters = ringjet::Parameters::new(&spec).unwrap().into();
    let client = Client::new(params, p, &rotations_by(&[3]), &mut random);
    let (clear, encrypted) = client.numbers(&mut random);
    let bytes = client.check([&encrypted[..2], &encrypted[2..]]);

    let (x, y) = (&clear[0], &clear[1]);
    let first = (0..512).map(|i| x[(i + 3) % 512] * y[(i + 3) % 512] * plain[i] + x[i] - 0.25);
    let second = (0..512).map(|i| (x[i] + y[i]).powi(2));
    for (bytes, expected) in bytes.iter().zip([first.collect::<Vec<f64>>(), second.collect()]) {
        client.expect_numbers(bytes, &expected);
    }
}

/// A matrix times x, whose diagonals repeat in part, plus the sum of 4 neighbours of y.
#[test]
fn matrices() {
    let mut random = Random(0x5eed_0004);
    println!("seed {:#x}", random.0);
    let mut diagonal = |period: usize| -> Vec<f64> {
        let few: Vec<f64> = (0..period).map(|_| random.below(2001) as f64 / 4000.0 - 0.25).collect();
        (0..512).map(|i| few[i % period]).collect()
    };
    let diagonals = [(0, diagonal(512)), (1, diagonal(8)), (5, diagonal(1))];
    let maps = diagonals.iter().map(|(k, d)| (*k, d.iter().map(|&c| c.into()).collect()));
    let matrix = LinearTransform::from_diagonals(512, maps.collect()).unwrap();
    let rotations = [&matrix.rotations()[..], &[1, 2]].concat();
    let (mut p, x, y) = two_inputs(9);
    let product = apply(&mut p, Op::Matmul { matrix: Arc::new(matrix.into()) }, &[x]);
    let sum = apply(&mut p, Op::InnerSum { stride: 1, count: 4, terms: 4 }, &[y]);
    let result = apply(&mut p, Op::Add {}, &[product, sum]);
    p.returns(vec![("result".into(), result)]).unwrap();

    let spec = ParamSpec::uniform(10, 50, 2, 40, 2).allow_insecure();
    let params: Parameters = ringjet::Parameters::new(&spec).unwrap().into();
    let client = Client::new(params, p, &rotations_by(&rotations), &mut random);
    let (clear, encrypted) = client.numbers(&mut random);
    let bytes = client.check([&encrypted[..2], &encrypted[2..]]);

    let (x, y) = (&clear[0], &clear[1]);
    let at = |v: &[f64], i: usize| v[i % 512];
    let expected = (0..512).map(|i| {
        let product: f64 = diagonals.iter().map(|(k, d)| d[i] * at(x, i + k)).sum();
        product + (0..4).map(|k| at(y, i + k)).sum::<f64>()
    });
    client.expect_numbers(&bytes[0], &expected.collect::<Vec<f64>>());
}

/// x is bootstrapped and multiplied by y.
#[test]
fn bootstraps() {
    let mut random = Random(0x5eed_0005);
    println!("seed {:#x}", random.0);
    let (mut p, x, y) = two_inputs(9);
    let fresh = apply(&mut p, Op::Bootstrap { real: true }, &[x]);
    let result = apply(&mut p, Op::Mul {}, &[fresh, y]);
    p.returns(vec![("result".into(), result)]).unwrap();

    let (spec, _) = BootstrapChain::standard(10).generate().unwrap();
    let params: Parameters = ringjet::Parameters::new(&spec.allow_insecure()).unwrap().into();
    let request = KeyRequest { bootstrapping: vec![512], ..KeyRequest::default() };
    let client = Client::new(params, p, &request, &mut random);
    let (clear, encrypted) = client.numbers(&mut random);
    let bytes = client.check([&encrypted[..2], &encrypted[2..]]);
    let expected: Vec<f64> = clear[0].iter().zip(&clear[1]).map(|(x, y)| x * y).collect();
    client.expect_numbers(&bytes[0], &expected);
}

/// `x * y` rotated, times a plaintext, plus x; and `(x + y)^2 - 7`, modulo 12289.
#[test]
fn bgv_and_bfv() {
    const T: i64 = 12289;
    let spec = bgv::ParamSpec::uniform(10, T as u64, &[40; 4], &[50, 50]).allow_insecure();
    for (spec, seed) in [(spec.clone(), 0x5eed_0002), (spec.bfv(), 0x5eed_0003)] {
        let mut random = Random(seed);
        println!("seed {seed:#x}");
        let (mut p, x, y) = two_inputs(9);
        let plain: Vec<i64> = (0..1024).map(|_| random.below(T)).collect();
        let product = apply(&mut p, Op::Mul {}, &[x, y]);
        let rotated = apply(&mut p, Op::Rotate { k: 3 }, &[product]);
        let scaled = apply(&mut p, Op::MulValues { v: Arc::new(Values::Integers(plain.clone())) }, &[rotated]);
        let first = apply(&mut p, Op::Add {}, &[scaled, x]);
        let both = apply(&mut p, Op::Add {}, &[x, y]);
        let square = apply(&mut p, Op::Mul {}, &[both, both]);
        let second = apply(&mut p, Op::SubScalar { c: Scalar::Integer(7) }, &[square]);
        p.returns(vec![("first".into(), first), ("second".into(), second)]).unwrap();

        let params: Parameters = bgv::Parameters::new(&spec).unwrap().into();
        let client = Client::new(params, p, &rotations_by(&[3]), &mut random);
        let clear: [Vec<i64>; 4] = std::array::from_fn(|_| (0..1024).map(|_| random.below(T)).collect());
        let encrypted: Vec<Vec<u8>> =
            clear.iter().map(|v| client.encrypt(&Values::Integers(v.clone()), 9, &mut random)).collect();
        let bytes = client.check([&encrypted[..2], &encrypted[2..]]);

        let (x, y) = (&clear[0], &clear[1]);
        let rotated = |i: usize| i / 512 * 512 + (i + 3) % 512; // each row of 512 slots
        let first = (0..1024).map(|i| (x[rotated(i)] * y[rotated(i)] % T * plain[i] + x[i]) % T);
        let second = (0..1024).map(|i| ((x[i] + y[i]) * (x[i] + y[i]) - 7).rem_euclid(T));
        for (bytes, expected) in bytes.iter().zip([first.collect::<Vec<i64>>(), second.collect()]) {
            let Values::Integers(found) = client.decrypt(bytes) else { panic!("integers are expected") };
            let found: Vec<i64> = found.iter().map(|x| x.rem_euclid(T)).collect();
            assert!(found == expected, "wrong values");
        }
    }
}
