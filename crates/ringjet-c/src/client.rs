//! The client: it holds the secret key.

use std::ffi::c_char;

use ringjet::dynamic::{Context, KeyRequest, Parameters, Plaintext, SecretKey, StartModulus, Values};
use ringjet::files::SECRET_LIMIT;
use ringjet::rng::Seed;
use ringjet::wire::{Limits, Object};
use ringjet::{Error, Stated};
use ringjet_backend::host;
use ringjet_math::fft::Complex64;
use zeroize::Zeroizing;

use crate::border::{Out, RJ_ALLOW_INSECURE, Refusal, Result, array, array_mut, call, flag, free, handle, path, text};
use crate::ciphertext::rj_ciphertext;
use crate::files;
use crate::keys::rj_keys;
use crate::params::{self, rj_params};
use crate::program::rj_program;
use crate::status::rj_status;

/// The level of a fresh ciphertext: as many multiplications as the parameters have.
pub const RJ_TOP_LEVEL: i32 = -1;

/// Holds the secret key: encrypts, decrypts, and makes the keys that a server computes with. It stays with the
/// owner of the data.
pub struct rj_client {
    secret: SecretKey,
    context: Context,
    log_slots: u32,
}

/// What is encrypted, and how.
struct Fresh {
    values: Zeroizing<Values>,
    count: usize,
    stated: Stated,
    at: StartModulus,
    log_slots: u32,
}

impl rj_client {
    /// `slots`: 0 for the parameters' number.
    fn new(secret: SecretKey, slots: usize) -> Result<Self> {
        let params = secret.params();
        let log_slots = params.log_slots_of((slots > 0).then_some(slots))?;
        Ok(Self { context: params::context(&params)?, secret, log_slots })
    }

    fn params(&self) -> Parameters {
        self.context.params()
    }

    fn encrypt(&self, fresh: &Fresh) -> Result<rj_ciphertext> {
        let Fresh { values, count, stated, at, log_slots } = fresh;
        if *count == 0 {
            let slots = self.params().rows() << log_slots;
            return Err(Error::SlotCount { found: 0, slots, max: self.params().max_slots() }.into());
        }
        let plain: Plaintext = self.context.encode(values, *stated, *at, *log_slots)?.counted(*count)?;
        Ok(rj_ciphertext(self.secret.encrypt(&self.context, &plain, &fresh_seed()?)?))
    }

    /// Real or complex numbers. Slots without a value get the number nearest to 0 within the stated bounds.
    fn numbers(
        &self,
        given: impl ExactSizeIterator<Item = Complex64>,
        stated: Stated,
        at: StartModulus,
        log_slots: u32,
    ) -> Result<Fresh> {
        stated.expect_valid()?;
        let (count, slots, padding) = (given.len(), self.params().rows() << log_slots, stated.padding());
        // encoding adds zeros by itself
        let len = if padding == 0.0 { count } else { count.max(slots) };
        // with room for all: a vector that grows leaves copies in memory
        let mut values = host::capacity(len).map_err(Error::from)?;
        values.extend(given);
        values.resize(len, padding.into());
        Ok(Fresh { values: Zeroizing::new(Values::Numbers(values)), count, stated, at, log_slots })
    }

    fn integers(&self, given: &[i64], at: StartModulus) -> Fresh {
        let values = Zeroizing::new(Values::Integers(given.to_vec()));
        // integers wrap around, so that nothing is stated of them
        let stated = Stated::Magnitude(1.0);
        Fresh { values, count: given.len(), stated, at, log_slots: self.log_slots }
    }

    /// Decrypts a ciphertext, where there is room for `capacity` values. Refuses values without a right digit.
    fn decrypt(&self, ct: &rj_ciphertext, capacity: usize, count: &Out<usize>) -> Result<Zeroizing<Values>> {
        let (ct, noise) = (&ct.0, ct.0.noise());
        count.set(ct.count());
        if capacity < ct.count() {
            let expected = format!("room for the {} values of the ciphertext", ct.count());
            return Err(Refusal::Length { name: "values", found: capacity, expected });
        }
        if !ct.params().is_exact() && noise.is_drowned() {
            return Err(Refusal::Drowned { text: noise.precision_text() });
        }
        let values = self.secret.decrypt_values(&self.context, ct)?;
        Ok(Zeroizing::new(values.first(ct.count())))
    }

    /// Refuses values of the other kind than `kind`.
    fn expect_kind(&self, kind: &'static str) -> Result<()> {
        let own = if self.params().is_exact() { INTEGERS } else { NUMBERS };
        if own == kind { Ok(()) } else { Ok(self.params().lacks(kind)?) }
    }
}

/// The two kinds of values, as the library's errors call them.
const NUMBERS: &str = "real or complex numbers";
const INTEGERS: &str = "exact integers";

/// A seed that was not used before.
fn fresh_seed() -> Result<Seed> {
    Ok(Seed::from_os().map_err(Error::from)?)
}

/// A level of the interface.
fn start(level: i32) -> Result<StartModulus> {
    let level = match level {
        RJ_TOP_LEVEL => None,
        _ => Some(usize::try_from(level).map_err(|_| Error::Argument {
            name: "level",
            value: level.to_string(),
            expected: "RJ_TOP_LEVEL, or 0 and more".into(),
        })?),
    };
    Ok(StartModulus { level, log_q: None })
}

/// Makes a client with a fresh secret key.
/// slots: how many numbers its ciphertexts hold, a power of two; 0 for the parameters' number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_new(
    params: *const rj_params,
    slots: usize,
    client: *mut *mut rj_client,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, params) = unsafe { (Out::of_handle(client, "client")?, handle(params, "params")?) };
        out.give(rj_client::new(SecretKey::from_seed(&params.0, &fresh_seed()?)?, slots)?);
        Ok(())
    })
}

/// Writes the secret key to a new file that only its owner may read (mode 0600). Whoever has the file can
/// decrypt everything. A file that is there already is not replaced (RJ_OVERWRITE). Python's Client.load reads
/// it, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_save(client: *const rj_client, path: *const c_char) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (client, path) = unsafe { (handle(client, "client")?, self::path(path)?) };
        let (front, key) = (client.params().to_bytes()?, client.secret.to_secret_bytes());
        let mut data = Zeroizing::new(Vec::with_capacity(front.len() + key.len()));
        data.extend_from_slice(&front);
        data.extend_from_slice(&key);
        files::create_secret(path, &data)
    })
}

/// Reads a client from a file that rj_client_save, or Client.save of Python, wrote. slots: as for
/// rj_client_new. flags: 0 or RJ_ALLOW_INSECURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_load(
    path: *const c_char,
    slots: usize,
    flags: u32,
    client: *mut *mut rj_client,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, path) = unsafe { (Out::of_handle(client, "client")?, self::path(path)?) };
        let allow_insecure = flag(flags, RJ_ALLOW_INSECURE)?;
        let limits = Limits { max_bytes: Some(SECRET_LIMIT), allow_insecure };
        let data = files::read(path, SECRET_LIMIT)?;
        let (params, rest) = Parameters::split(&data, Object::SecretKey, limits, None)?;
        out.give(rj_client::new(SecretKey::from_secret_bytes(&params, rest, limits)?, slots)?);
        Ok(())
    })
}

/// The parameters of a client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_params(client: *const rj_client, params: *mut *mut rj_params) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(params, "params")?, handle(client, "client")?) };
        out.give(rj_params(client.params()));
        Ok(())
    })
}

/// Makes the keys that a server computes with. They are public.
/// request: which keys, as JSON: rj_program_keys gives those that a program takes. Every field may be left out:
/// {"rotations": [1, -2], "relinearization": true, "conjugation": false, "bootstrapping": [4096], "levels": {}}.
/// rotations: slots to the left, negative for the right. relinearization: the key for products of ciphertexts.
/// conjugation: for rj_conjugate and rj_swap_rows. bootstrapping: numbers of slots of the ciphertexts that are
/// bootstrapped. levels: the highest level at which a key is used, by "relinearization", "conjugation" or the
/// rotation. Null is "{}": the key for products alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_keys(
    client: *const rj_client,
    request: *const c_char,
    keys: *mut *mut rj_keys,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(keys, "keys")?, handle(client, "client")?) };
        let request = match request.is_null() {
            true => KeyRequest::default(),
            // SAFETY: the header says what pointers must be
            false => keys_of(unsafe { text(request, "request")? })?,
        };
        let plan = client.params().key_plan(&request)?;
        let made = client.secret.evaluation_keys(&client.context, &plan, &fresh_seed()?, |_, _| true)?;
        out.give(rj_keys(made));
        Ok(())
    })
}

fn keys_of(json: &str) -> Result<KeyRequest> {
    Ok(serde_json::from_str(json).map_err(|e| Error::Argument {
        name: "request",
        value: json.into(),
        expected: format!("JSON of a request for keys ({e})"),
    })?)
}

/// Encrypts 1 to slots real numbers between low and high, which are public; numbers outside are refused. Later
/// estimates of errors rely on them. Slots without a value get the number nearest to 0 in between.
/// level: how many multiplications in a row will be possible; lower levels make smaller ciphertexts.
/// RJ_TOP_LEVEL: as many as the parameters have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_encrypt(
    client: *const rj_client,
    values: *const f64,
    count: usize,
    low: f64,
    high: f64,
    level: i32,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be
        let values = unsafe { array(values, count, "values")? }.iter().map(|&x| x.into());
        let fresh = client.numbers(values, Stated::Interval(low, high), start(level)?, client.log_slots)?;
        out.give(client.encrypt(&fresh)?);
        Ok(())
    })
}

/// Encrypts 1 to slots complex numbers. pairs: real and imaginary parts, 2 * count numbers of at most magnitude
/// in absolute value. level: as for rj_client_encrypt.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_encrypt_complex(
    client: *const rj_client,
    pairs: *const f64,
    count: usize,
    magnitude: f64,
    level: i32,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be; a pair has the layout of two numbers
        let pairs = unsafe { array(pairs.cast::<[f64; 2]>(), count, "pairs")? };
        let values = pairs.iter().map(|&[re, im]| Complex64 { re, im });
        let fresh = client.numbers(values, Stated::Magnitude(magnitude), start(level)?, client.log_slots)?;
        out.give(client.encrypt(&fresh)?);
        Ok(())
    })
}

/// Encrypts 1 to slots integers, with BGV and BFV, modulo their plaintext modulus t: from -(t-1)/2 to t-1. Slots
/// without a value get 0. level: as for rj_client_encrypt.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_encrypt_integers(
    client: *const rj_client,
    values: *const i64,
    count: usize,
    level: i32,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be
        let values = unsafe { array(values, count, "values")? };
        out.give(client.encrypt(&client.integers(values, start(level)?))?);
        Ok(())
    })
}

/// Encrypts real numbers for the input number index of a program, from 0 on, with the bounds, the level and the
/// slots for which the program was recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_encrypt_input(
    client: *const rj_client,
    program: *const rj_program,
    index: usize,
    values: *const f64,
    count: usize,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be
        let (program, values) = unsafe { (handle(program, "program")?, array(values, count, "values")?) };
        let input = program.input(index, &client.params())?;
        let fresh = client.numbers(values.iter().map(|&x| x.into()), input.stated, input.at, input.log_slots)?;
        out.give(client.encrypt(&fresh).map_err(Refusal::of_program_input)?);
        Ok(())
    })
}

/// As rj_client_encrypt_input, for integers of BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_encrypt_input_integers(
    client: *const rj_client,
    program: *const rj_program,
    index: usize,
    values: *const i64,
    count: usize,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, client) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be
        let (program, values) = unsafe { (handle(program, "program")?, array(values, count, "values")?) };
        let input = program.input(index, &client.params())?;
        out.give(client.encrypt(&client.integers(values, input.at))?);
        Ok(())
    })
}

/// Decrypts real numbers, or the real parts of complex ones, into an array with room for capacity numbers; count
/// gets how many there are, also where the array is too short (RJ_LENGTH) and with RJ_DROWNED. The result is for
/// the owner of the key alone: its last bits can reveal the key.
/// Refused: a ciphertext that cannot be an encryption under this key (RJ_GARBAGE), and values whose errors are
/// larger than they can be (RJ_DROWNED).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_decrypt(
    client: *const rj_client,
    ciphertext: *const rj_ciphertext,
    values: *mut f64,
    capacity: usize,
    count: *mut usize,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (count, client) = unsafe { (Out::new(count, "count")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be
        let (ct, room) = unsafe { (handle(ciphertext, "ciphertext")?, array_mut(values, capacity, "values")?) };
        client.expect_kind(NUMBERS)?;
        if let Values::Numbers(all) = &*client.decrypt(ct, capacity, &count)? {
            room.iter_mut().zip(all).for_each(|(to, z)| _ = to.write(z.re));
        }
        Ok(())
    })
}

/// Decrypts complex numbers into an array with room for capacity pairs of real and imaginary parts. Otherwise as
/// rj_client_decrypt.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_decrypt_complex(
    client: *const rj_client,
    ciphertext: *const rj_ciphertext,
    pairs: *mut f64,
    capacity: usize,
    count: *mut usize,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (count, client) = unsafe { (Out::new(count, "count")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be; a pair has the layout of two numbers
        let room = unsafe { array_mut(pairs.cast::<[f64; 2]>(), capacity, "pairs")? };
        // SAFETY: the header says what pointers must be
        let ct = unsafe { handle(ciphertext, "ciphertext")? };
        client.expect_kind(NUMBERS)?;
        if let Values::Numbers(all) = &*client.decrypt(ct, capacity, &count)? {
            room.iter_mut().zip(all).for_each(|(to, z)| _ = to.write([z.re, z.im]));
        }
        Ok(())
    })
}

/// Decrypts integers of BGV and BFV, which are between -(t-1)/2 and (t-1)/2, into an array with room for capacity
/// of them; count gets how many there are, also where the array is too short (RJ_LENGTH). Refused where noise may
/// hide them (RJ_NOISE_BUDGET_SPENT).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_decrypt_integers(
    client: *const rj_client,
    ciphertext: *const rj_ciphertext,
    values: *mut i64,
    capacity: usize,
    count: *mut usize,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (count, client) = unsafe { (Out::new(count, "count")?, handle(client, "client")?) };
        // SAFETY: the header says what pointers must be
        let (ct, room) = unsafe { (handle(ciphertext, "ciphertext")?, array_mut(values, capacity, "values")?) };
        client.expect_kind(INTEGERS)?;
        if let Values::Integers(all) = &*client.decrypt(ct, capacity, &count)? {
            room.iter_mut().zip(all).for_each(|(to, &x)| _ = to.write(x));
        }
        Ok(())
    })
}

/// Frees a client. The secret key is wiped from memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_client_free(client: *mut rj_client) {
    // SAFETY: the header says what pointers must be
    unsafe { free(client) }
}
