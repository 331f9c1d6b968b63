//! The client: it holds the secret key.

use std::cell::OnceCell;

use js_sys::Function;
use ringjet::dynamic::{self, Context, SecretKey, Values};
use ringjet::rng::{Seed, Seeds};
use ringjet::wire::Limits;
use ringjet::{Error, KeyMemory, Result, Unit};
use wasm_bindgen::prelude::*;

use crate::encryption::{self, context, encrypt_integers, encrypt_numbers};
use crate::errors::Thrown;
use crate::options::{self, Decrypt, Encrypt};
use crate::params::Parameters;
use crate::values::array;

/// Holds the secret key, which nothing returns: encrypts, decrypts, and makes the public keys.
#[wasm_bindgen]
pub struct Client {
    secret: SecretKey,
    public: OnceCell<dynamic::PublicKey>,
    context: Context,
    seeds: Seeds,
}

#[wasm_bindgen]
impl Client {
    /// Makes a fresh secret key. `seed`: 32 bytes, for tests: the same calls then give the same bytes,
    /// and those of the Python client with the same seed.
    #[wasm_bindgen(constructor)]
    pub fn new(params: &Parameters, seed: Option<Vec<u8>>) -> Thrown<Client> {
        let seeds = seed.map_or(Ok(Seeds::System), |bytes| match <[u8; 32]>::try_from(&bytes[..]) {
            Ok(root) => Ok(Seeds::fixed(Seed::from_bytes(root))),
            Err(_) => {
                let value = format!("{} bytes", bytes.len());
                Err(Error::Argument { name: "seed", value, expected: "32 bytes".into() })
            }
        })?;
        let secret = SecretKey::from_seed(&params.0, &seeds.next().map_err(Error::from)?)?;
        Ok(Self { secret, public: OnceCell::new(), context: context(&params.0), seeds })
    }

    /// The identity of the secret key in hexadecimal. It reveals nothing about the key.
    #[wasm_bindgen(getter, js_name = keyId)]
    pub fn key_id(&self) -> String {
        self.secret.key_id().to_string()
    }

    /// The parameters.
    #[wasm_bindgen(getter)]
    pub fn params(&self) -> Parameters {
        Parameters(self.context.params())
    }

    /// Encrypts real or complex numbers.
    #[wasm_bindgen(js_name = encryptNumbers)]
    pub fn encrypt_numbers(&self, values: Vec<f64>, options: &str) -> Thrown<Vec<u8>> {
        encrypt_numbers(values, options, |values, options| self.encrypt(values, options))
    }

    /// Encrypts integers.
    #[wasm_bindgen(js_name = encryptIntegers)]
    pub fn encrypt_integers(&self, values: Vec<i64>, options: &str) -> Thrown<Vec<u8>> {
        encrypt_integers(values, options, |values, options| self.encrypt(values, options))
    }

    /// Decrypts a ciphertext: a `Float64Array`, or a `BigInt64Array` of BGV and BFV. The result is
    /// for the owner of the key alone: its last bits can reveal the key.
    pub fn decrypt(&self, ciphertext: &[u8], options: &str) -> Thrown<JsValue> {
        let options: Decrypt = options::read(options)?;
        let ct = dynamic::Ciphertext::from_bytes(&self.context, ciphertext, Limits::max_bytes(options.max_bytes))?;
        let values = match options.check {
            true => self.secret.decrypt_values(&self.context, &ct)?,
            false => self.secret.decrypt_unchecked(&self.context, &ct)?,
        };
        let shown = if options.all_slots { ct.slots() } else { ct.count() };
        Ok(array(values.first(shown), options.complex))
    }

    /// The evaluation keys that a service computes with, in bytes: their parameters, then the keys
    /// with a seed in place of half of each. `progress(done, total)` counts keys.
    #[wasm_bindgen(js_name = evaluationKeys)]
    pub fn evaluation_keys(&self, keys: &str, progress: Option<Function>) -> Thrown<Vec<u8>> {
        let step = |done: usize, total: usize| {
            let told = progress.as_ref().map(|f| f.call2(&JsValue::NULL, &done.into(), &total.into()));
            // an exception in the callback stops the work
            told.is_none_or(|told| told.is_ok())
        };
        Ok(self.make_keys(keys, step)?)
    }

    /// The public key in bytes, with its parameters in front. Others encrypt with it for this client.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&self) -> Thrown<Vec<u8>> {
        let mut out = self.context.params().to_bytes()?;
        self.public()?.write_to(&self.context, &mut out)?;
        Ok(out)
    }
}

impl Client {
    fn public(&self) -> Result<&dynamic::PublicKey> {
        if let Some(key) = self.public.get() {
            return Ok(key);
        }
        let key = dynamic::PublicKey::generate(&self.context, &self.secret, &self.seeds.next()?)?;
        Ok(self.public.get_or_init(|| key))
    }

    fn encrypt(&self, values: Values, options: &Encrypt) -> Result<Vec<u8>> {
        encryption::encrypt(&self.context, values, options, |plain| {
            let seed = self.seeds.next()?;
            match options.public {
                true => self.public()?.encrypt(&self.context, plain, &seed),
                false => self.secret.encrypt(&self.context, plain, &seed),
            }
        })
    }

    fn make_keys(&self, keys: &str, progress: impl FnMut(usize, usize) -> bool) -> Result<Vec<u8>> {
        let params = self.context.params();
        let plan = params.key_plan(&options::read(keys)?)?;
        // HEAAN keeps keys in no other form than the expanded one; the bytes are the same in any case
        let memory = if params.unit() == Unit::Bits { KeyMemory::Expanded } else { KeyMemory::Compressed };
        let context = self.context.with_key_memory(memory)?;
        let made = self.secret.evaluation_keys(&context, &plan, &self.seeds.next()?, progress)?;
        let front = params.to_bytes()?;
        let mut out = Vec::with_capacity(front.len() + made.bytes_at_rest() as usize);
        out.extend_from_slice(&front);
        made.write_to_observed(&context, &mut out, |_, _| true)?;
        Ok(out)
    }
}
