//! HEAAN programs on the counting backend, at the parameters of Jung et al., "HEAAN Demystified": N
//! = 2^16, log q = 1200.

use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::heaan::{Ciphertext, Context, EvaluationKeys, Evaluator, Plaintext, preset};
use ringjet_backend::Backend;
use ringjet_model::{CountingBackend, KernelCalls, Operation, Policy, ringjet_parts};
use ringjet_papers::fusion::{Fusion, PartlyFused};

struct Server {
    model: Arc<CountingBackend>,
    ctx: Context,
    eval: Evaluator,
}

impl Server {
    /// `big_products`: whether products are computed by digits instead of as in the papers. Keys
    /// have `limbs` limbs in memory.
    fn new(big_products: bool, limbs: usize) -> Self {
        let model = Arc::new(CountingBackend::default());
        let backend: Arc<dyn Backend> = match big_products {
            true => model.clone(),
            false => Arc::new(PartlyFused::new(model.clone(), Fusion { big_products, ..Fusion::ALL })),
        };
        let ctx = Context::new(&preset("heaan-n16-q1200").unwrap(), backend);
        let request = KeyPlan::rotations([1]).conjugation();
        let keys = EvaluationKeys::uncomputed(&ctx, &request).unwrap();
        assert_eq!(keys.memory_bytes(), 3 * limbs * 65536 * 8);
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        Self { model, ctx, eval }
    }

    /// Products by digits. A key has b in 47 words, and both polynomials as residues of 8 digits
    /// modulo 13 primes.
    fn by_digits() -> Self {
        Self::new(true, 47 + 2 * 8 * 13)
    }

    /// Products as in the papers. A key has b in 47 words, and both polynomials as residues modulo
    /// 73 primes.
    fn plain() -> Self {
        Self::new(false, 47 + 2 * 73)
    }

    fn ciphertext(&self, log_q: u32) -> Ciphertext {
        Ciphertext::uncomputed(&self.ctx, log_q, 30, 15).unwrap()
    }

    /// The numbers of forward and inverse transforms that `program` calls.
    fn calls<T>(&self, program: impl FnOnce(&Evaluator) -> ringjet::Result<T>) -> (u64, u64) {
        self.model.take();
        program(&self.eval).unwrap();
        let KernelCalls { ntt, intt, .. } = self.model.take().total(|op, n| ringjet_parts(op, n, Policy::CPU)).calls;
        (ntt, intt)
    }
}

/// With 13 primes: four digits of each polynomial, four weights in region 1, six weights in region
/// 2.
#[test]
fn transforms_of_a_multiplication() {
    let server = Server::by_digits();
    let (x, y) = (server.ciphertext(1200), server.ciphertext(1200));
    let switch = (4 * 13, 2 * 6 * 13);
    assert_eq!(server.calls(|e| e.mul(&x, &y)), (16 * 13 + switch.0, 3 * 4 * 13 + switch.1));
    assert_eq!(server.calls(|e| e.square(&x)), (8 * 13 + switch.0, 3 * 4 * 13 + switch.1));
    assert_eq!(server.calls(|e| e.rotate(&x, 1)), switch);
    assert_eq!(server.calls(|e| e.conjugate(&x)), switch);
    assert_eq!(server.calls(|e| e.rescale(&e.add(&x, &y)?, 30)), (0, 0));
    // the numbers are those of docs/design/heaan.md
    let low = server.ciphertext(60);
    assert_eq!(server.calls(|e| e.rotate(&low, 1)), (8, 32));
    // two digits of each polynomial of the key are read
    server.eval.rotate(&low, 1).unwrap();
    let read = server.model.take().total(|op, n| ringjet_parts(op, n, Policy::CPU)).key_reads;
    assert_eq!(read, (2 * 2 * 8) << 16);
}

/// All other costs of a multiplication.
#[test]
fn costs_of_a_multiplication() {
    let server = Server::by_digits();
    let (x, y) = (server.ciphertext(1200), server.ciphertext(1200));
    server.model.take();
    server.eval.mul(&x, &y).unwrap();
    let trace = server.model.take();
    let shapes: Vec<_> = trace.calls.iter().map(|c| &c.operation).collect();
    let [Operation::BigMul(first), Operation::BigMul(second)] = shapes[..] else { panic!("{shapes:?}") };
    let costs = [first, second].map(|m| {
        let parts = ringjet_parts(&Operation::BigMul(*m), 1 << 16, Policy::CPU);
        let of = |name| parts.iter().find(|p| p.name == name).unwrap().cost;
        (of("crt_split"), of("mul_acc"), of("crt_join"))
    });
    // the table of docs/design/heaan.md, plus a quotient for each prime of each weight
    let limbs = |words: u64| words >> 16;
    assert_eq!(costs.map(|c| limbs(c.0.base_conversion.mul)), [1248, 312]);
    assert_eq!(costs.map(|c| limbs(c.2.base_conversion.mul)), [1848 + 3 * 4 * 13, 1624 + 2 * 6 * 13]);
    // pairs of digits: of weights 0 to 3, four products each; of weights 2 to 7, two each (3 + 4 +
    // 4 + 4 + 4 + 4)
    assert_eq!(costs.map(|c| c.1.calls.products), [4 * 10 * 13, 2 * 23 * 13]);
    assert_eq!(costs.map(|c| limbs(c.1.key_reads)), [0, 2 * 8 * 13]);
    // words of the factors: 24, and one more for each border between two digits; words of the
    // result and of the summand
    assert_eq!(costs.map(|c| limbs(c.0.reads)), [4 * 27, 27]);
    assert_eq!(costs.map(|c| (limbs(c.2.reads), limbs(c.2.writes))), [(156, 72), (156 + 48, 48)]);
}

/// The primes of the product of two ciphertexts have 2400 + 17 bits in all, those of the product
/// with the key 3600 + 16; each has 50 bits.
#[test]
fn transforms_of_a_multiplication_as_papers_make_it() {
    let (server, [r1, r2]) = (Server::plain(), [49, 73]);
    let (x, y) = (server.ciphertext(1200), server.ciphertext(1200));
    assert_eq!(server.calls(|e| e.mul(&x, &y)), (4 * r1 + r2, 3 * r1 + 2 * r2));
    assert_eq!(server.calls(|e| e.square(&x)), (2 * r1 + r2, 3 * r1 + 2 * r2));
    assert_eq!(server.calls(|e| e.rotate(&x, 1)), (r2, 2 * r2));
    assert_eq!(server.calls(|e| e.conjugate(&x)), (r2, 2 * r2));
    // 1200 + 31 + 16 bits: a plaintext with a scale of 30 bits takes 25 primes
    let p = Plaintext::encode_real(&server.ctx, &[1.0; 4], 30, 15).unwrap();
    assert_eq!(server.calls(|e| e.mul_plain(&x, &p)), (3 * 25, 2 * 25));
    // the numbers of primes follow the modulus: at 300 bits, products have 2 * 300 + 17 and 2400 +
    // 300 + 16 bits
    let (x, y) = (server.ciphertext(300), server.ciphertext(300));
    let [r1, r2] = [13, 55];
    assert_eq!(server.calls(|e| e.mul(&x, &y)), (4 * r1 + r2, 3 * r1 + 2 * r2));
}

/// The trace names keys as the scheme does: by Galois element, with the words per coefficient at
/// moduli of 1200 and 300 bits.
#[test]
fn keys_are_those_that_are_used() {
    let server = Server::by_digits();
    let (x, low, params) = (server.ciphertext(1200), server.ciphertext(300), server.ctx.params());
    let keys = |program: &dyn Fn(&Evaluator) -> ringjet::Result<Ciphertext>| {
        server.model.take();
        program(&server.eval).unwrap();
        server.model.take().keys
    };
    assert_eq!(keys(&|e| e.mul(&x, &x)), [(0, 24)].into());
    assert_eq!(keys(&|e| e.rotate(&low, 1)), [(params.rotation_element(1), 6)].into());
    assert_eq!(keys(&|e| e.conjugate(&e.rotate(&x, 0)?)), [(params.conjugation_element(), 24)].into());
    assert_eq!(keys(&|e| e.times_i(&e.add(&x, &x)?)), [].into());
    let (plan, b) = (params.automorphism(params.rotation_element(1)), server.ctx.backend());
    let (from, mut turned) = (b.alloc(48, params.n()).unwrap(), b.alloc(48, params.n()).unwrap());
    b.big_automorphism(turned.view_mut(2), from.view(2), 1200, &plan).unwrap();
    assert_eq!(server.model.take().keys, [].into(), "no product follows");
}

#[test]
fn nothing_is_read_from_what_only_counts() {
    let server = Server::by_digits();
    let p = Plaintext::encode_real(&server.ctx, &[0.5], 30, 15).unwrap();
    assert!(matches!(p.decode(&server.ctx), Err(ringjet::Error::Backend(_))));
    let all = EvaluationKeys::uncomputed_for_all(&server.ctx).unwrap();
    assert!(all.rotation(12345).is_ok() && all.conjugation().is_ok());
}
