//! Encryption, by a client or by whoever has its public key.

use std::sync::Arc;

use ringjet::dynamic::{self, Context, Plaintext, StartModulus, Values};
use ringjet::rng::Seed;
use ringjet::wire::{Limits, Object};
use ringjet::{Error, Result, Stated};
use ringjet_backend::{Reference, host};
use wasm_bindgen::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use crate::errors::Thrown;
use crate::options::{self, Encrypt};
use crate::params::Parameters;
use crate::values::numbers;

/// These parameters on the machine of a browser.
pub fn context(params: &dynamic::Parameters) -> Context {
    Context::new(params, Arc::new(Reference::default()))
}

/// Encodes and encrypts values. The slots that remain get the number nearest to 0 within the stated
/// bounds. Returns the bytes of the ciphertext.
pub fn encrypt(
    context: &Context,
    values: Values,
    options: &Encrypt,
    encrypt: impl FnOnce(&Plaintext) -> Result<dynamic::Ciphertext>,
) -> Result<Vec<u8>> {
    let params = context.params();
    let mut values = Zeroizing::new(values);
    let log_slots = params.log_slots_of(options.slots)?;
    let slots = params.rows() << log_slots;
    if values.is_empty() {
        return Err(Error::SlotCount { found: 0, slots, max: params.max_slots() });
    }
    let stated = Stated::from(options.magnitude);
    stated.expect_valid()?;
    let count = values.len();
    fill(&mut values, slots, stated.padding())?;
    let at = StartModulus { level: options.level, log_q: options.log_q };
    let plain = context.encode(&values, stated, at, log_slots)?.counted(count)?;
    encrypt(&plain)?.to_bytes(context)
}

/// Reads numbers and options, and encrypts by `encrypt`. The caller's copy of the numbers is wiped.
pub fn encrypt_numbers(
    values: Vec<f64>,
    options: &str,
    encrypt: impl FnOnce(Values, &Encrypt) -> Result<Vec<u8>>,
) -> Thrown<Vec<u8>> {
    let values = Zeroizing::new(values);
    let options: Encrypt = options::read(options)?;
    let values = numbers(&values, options.complex)?;
    Ok(encrypt(Values::Numbers(values), &options)?)
}

/// As [`encrypt_numbers`], for integers.
pub fn encrypt_integers(
    values: Vec<i64>,
    options: &str,
    encrypt: impl FnOnce(Values, &Encrypt) -> Result<Vec<u8>>,
) -> Thrown<Vec<u8>> {
    let mut values = Zeroizing::new(values);
    let options: Encrypt = options::read(options)?;
    Ok(encrypt(Values::Integers(std::mem::take(&mut *values)), &options)?)
}

/// Fills numbers up to `slots` with `padding`, unless it is 0: encoding adds zeros. The memory that a
/// growing vector leaves is wiped.
fn fill(values: &mut Values, slots: usize, padding: f64) -> Result<()> {
    let larger = match &*values {
        Values::Numbers(all) if padding != 0.0 => {
            let mut larger = host::capacity(slots.max(all.len()))?;
            larger.extend_from_slice(all);
            larger.resize(slots.max(all.len()), padding.into());
            larger
        }
        _ => return Ok(()),
    };
    values.zeroize();
    *values = Values::Numbers(larger);
    Ok(())
}

/// Encrypts for a client with the client's public key. It cannot decrypt.
#[wasm_bindgen]
pub struct Encryptor {
    key: dynamic::PublicKey,
    context: Context,
}

#[wasm_bindgen]
impl Encryptor {
    /// Reads a public key, whose parameters are in front of it.
    #[wasm_bindgen(constructor)]
    pub fn new(data: &[u8], allow_insecure: bool) -> Thrown<Encryptor> {
        let limits = Limits { max_bytes: Some(options::ciphertext_limit()), allow_insecure };
        let (params, rest) = dynamic::Parameters::split(data, Object::PublicKey, limits, None)?;
        let context = context(&params);
        Ok(Self { key: dynamic::PublicKey::from_bytes(&context, rest, limits)?, context })
    }

    /// The identity of the client's key.
    #[wasm_bindgen(getter, js_name = keyId)]
    pub fn key_id(&self) -> String {
        self.key.key_id().to_string()
    }

    /// The parameters.
    #[wasm_bindgen(getter)]
    pub fn params(&self) -> Parameters {
        Parameters(self.key.params())
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

    fn encrypt(&self, values: Values, options: &Encrypt) -> Result<Vec<u8>> {
        encrypt(&self.context, values, options, |plain| self.key.encrypt(&self.context, plain, &Seed::from_os()?))
    }
}
