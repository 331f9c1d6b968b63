//! The identity of the key to which an object belongs, and the objects that a seed makes.

mod backends;
mod keys;
mod seeds;

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Error, KeyId, KeyPlan, ParamSpec};
use ringjet_backend::Reference;

pub const SLOTS: u32 = 3;
pub const VALUES: [f64; 3] = [0.5, -0.25, 0.75];

pub fn request() -> KeyPlan {
    KeyPlan::rotations([1, 2]).conjugation()
}

/// Expects a refusal: the object belongs to `found`, while `expected` computes.
#[track_caller]
pub fn foreign<T: std::fmt::Debug>(what: &str, expected: KeyId, found: KeyId, result: Result<T, Error>) {
    match result {
        Err(Error::KeyMismatch { what: w, expected: e, found: f }) => {
            assert_eq!((w, e, f), (what, expected.to_string(), found.to_string()));
        }
        other => panic!("{what}: {other:?} where another key's was to be refused"),
    }
}

/// A client and a server of one scheme.
macro_rules! client {
    () => {
        pub struct Client {
            pub ctx: Context,
            pub secret: SecretKey,
            pub public: PublicKey,
            pub keys: EvaluationKeys,
            pub eval: Evaluator,
            pub seed: Seed,
        }

        impl Client {
            pub fn new(spec: &ParamSpec, seed: u8) -> Self {
                let params = Parameters::new(spec).unwrap();
                let ctx = Context::new(&params, Arc::new(Reference::default()));
                let seed = Seed::from_bytes([seed; 32]);
                let secret = SecretKey::from_seed(&params, &seed).unwrap();
                let public = PublicKey::generate(&ctx, &secret, &seed).unwrap();
                let keys = secret.evaluation_keys(&ctx, &request(), &seed, |_, _| true).unwrap();
                let eval = Evaluator::new(&ctx, Arc::new(keys.clone())).unwrap();
                Self { ctx, secret, public, keys, eval, seed }
            }

            pub fn encrypt(&self, values: &[f64]) -> Ciphertext {
                self.secret.encrypt(&self.ctx, &self.plain(values), &self.seed).unwrap()
            }
        }
    };
}

/// A client of CKKS on a ring of degree 64 with three levels.
pub mod ckks {
    use super::*;
    use ringjet::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, Plaintext, PublicKey, SecretKey};

    client!();

    pub fn spec() -> ParamSpec {
        ParamSpec::uniform(6, 50, 3, 40, 2).allow_insecure()
    }

    impl Client {
        pub fn plain(&self, values: &[f64]) -> Plaintext {
            Plaintext::encode_real(&self.ctx, values, self.ctx.params().top_level(), SLOTS).unwrap()
        }

        pub fn read(&self, ct: &Ciphertext) -> Vec<f64> {
            self.secret.decrypt_values(&self.ctx, ct).unwrap().real()
        }
    }
}

/// The same for HEAAN.
pub mod heaan {
    use super::*;
    use ringjet::heaan::{
        Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey,
    };

    client!();

    pub fn spec() -> ParamSpec {
        ParamSpec::new(6, 120).allow_insecure()
    }

    impl Client {
        pub fn plain(&self, values: &[f64]) -> Plaintext {
            Plaintext::encode_real(&self.ctx, values, 30, SLOTS).unwrap()
        }
    }
}
