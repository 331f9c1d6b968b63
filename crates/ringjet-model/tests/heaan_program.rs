//! A multiplication of HEAAN on the backend that counts, at the papers' parameters: N = 2^16, log q = 1200.

use std::sync::Arc;

use ringjet::KeyRequest;
use ringjet::heaan::{Ciphertext, Context, EvaluationKeys, Evaluator, Plaintext, preset};
use ringjet_model::{Calls, CountingBackend, Policy, own_parts};

/// Primes of the product of two ciphertexts, and of that with the key: 2400 + 17 and 3600 + 16 bits of 50 each.
const REGIONS: [u64; 2] = [49, 73];

struct Server {
    model: Arc<CountingBackend>,
    ctx: Context,
    eval: Evaluator,
}

impl Server {
    fn new() -> Self {
        let model = Arc::new(CountingBackend::default());
        let ctx = Context::new(&preset("heaan-n16-q1200").unwrap(), model.clone());
        let request = KeyRequest { conjugation: true, ..KeyRequest::rotations([1]) };
        let keys = EvaluationKeys::uncomputed(&ctx, &request).unwrap();
        // b in 47 words, and two polynomials over 73 primes
        assert_eq!(keys.memory_bytes(), 3 * (47 + 2 * 73) * 65536 * 8);
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        Self { model, ctx, eval }
    }

    fn ciphertext(&self, log_q: u32) -> Ciphertext {
        Ciphertext::uncomputed(&self.ctx, log_q, 30, 15).unwrap()
    }

    /// Transforms of what `program` does.
    fn calls<T>(&self, program: impl FnOnce(&Evaluator) -> ringjet::Result<T>) -> (u64, u64) {
        self.model.take();
        program(&self.eval).unwrap();
        let Calls { ntt, intt, .. } = self.model.take().total(|op, n| own_parts(op, n, Policy::CPU)).calls;
        (ntt, intt)
    }
}

#[test]
fn transforms_of_a_multiplication() {
    let (server, [r1, r2]) = (Server::new(), REGIONS);
    let (x, y) = (server.ciphertext(1200), server.ciphertext(1200));
    assert_eq!(server.calls(|e| e.mul(&x, &y)), (4 * r1 + r2, 3 * r1 + 2 * r2));
    assert_eq!(server.calls(|e| e.square(&x)), (2 * r1 + r2, 3 * r1 + 2 * r2));
    assert_eq!(server.calls(|e| e.rotate(&x, 1)), (r2, 2 * r2));
    assert_eq!(server.calls(|e| e.conjugate(&x)), (r2, 2 * r2));
    assert_eq!(server.calls(|e| e.rescale(&e.add(&x, &y)?, 30)), (0, 0));
    // 1200 + 31 + 16 bits: a plaintext of 30 bits of scale takes 25 primes
    let p = Plaintext::encode_real(&server.ctx, &[1.0; 4], 30, 15).unwrap();
    assert_eq!(server.calls(|e| e.mul_plain(&x, &p)), (3 * 25, 2 * 25));
}

/// The numbers of primes follow the modulus: 300 bits are 2 * 300 + 17 and 2400 + 300 + 16 bits of products.
#[test]
fn fewer_bits_take_fewer_primes() {
    let server = Server::new();
    let (x, y) = (server.ciphertext(300), server.ciphertext(300));
    let [r1, r2] = [13, 55];
    assert_eq!(server.calls(|e| e.mul(&x, &y)), (4 * r1 + r2, 3 * r1 + 2 * r2));
}

/// A key is one that the scheme names, whatever is turned: by Galois element, with the words of 1200 and of 300 bits.
#[test]
fn keys_are_those_that_are_used() {
    let server = Server::new();
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
    let server = Server::new();
    let p = Plaintext::encode_real(&server.ctx, &[0.5], 30, 15).unwrap();
    assert!(matches!(p.decode(&server.ctx), Err(ringjet::Error::Backend(_))));
    let all = EvaluationKeys::uncomputed_for_all(&server.ctx).unwrap();
    assert!(all.has_rotation(12345) && all.conjugation().is_ok());
}
