//! Code shared by the fuzz targets: a small ring with all its keys, and inputs that pass the
//! checksum.
//!
//! Every input is loaded up to three times: unchanged, with length and checksum corrected, and with
//! the whole header corrected. So mutations of the body reach the code behind the checksum, and the
//! header is fuzzed as well. An object that loads must be written to the same bytes that it was
//! loaded from, and using it must not panic.

pub mod parties;

use std::sync::{Arc, OnceLock};

use ringjet::params::{BootstrapChain, BootstrapSpec, bootstrap_chain};
use ringjet::rng::Seed;
use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, Limits, MAGIC, Object, Scheme, VERSION};
use ringjet::{
    Bootstrapper, Context, Error, Evaluator, KeyId, KeyPlan, ParamSpec, Parameters, Plaintext, PublicKey, Result,
    SecretKey,
};
use ringjet_backend::Reference;

/// The limits that all targets load with.
pub const LIMITS: Limits = Limits { max_bytes: Some(1 << 16), allow_insecure: true };

/// Objects that are stored as bytes. `W` is the [`World`](ckks::World) of their scheme.
pub trait Stored<W>: Sized {
    /// Reads an object.
    fn read(world: &W, bytes: &[u8]) -> Result<Self>;
    /// The bytes of an object.
    fn written(&self, world: &W) -> Result<Vec<u8>>;
}

/// The client and server of a scheme, in the ring of a folder of `vectors/v2`.
macro_rules! scheme {
    ($module:ident, $($path:ident)::+, $scheme:ident, $folder:literal) => {
        /// A client and a server of one scheme, which all inputs of this process share.
        pub mod $module {
            use std::sync::{Arc, OnceLock};

            use ringjet::wire::{Object, Scheme};
            use ringjet::{KeyId, Result};
            use ringjet_backend::Reference;

            pub use $($path)::+::{
                Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, Plaintext, PublicKey, SecretKey, SwitchingKey,
            };

            use crate::{LIMITS, Stored};

            /// A client and a server.
            pub struct World {
                /// Context of the parameters on the reference backend.
                pub ctx: Context,
                /// The client's secret key.
                pub secret: SecretKey,
                /// An evaluator with keys for rotations by 1 and -3 and for conjugation.
                pub eval: Evaluator,
                /// A fresh ciphertext modulo the largest modulus.
                pub fresh: Ciphertext,
            }

            /// The client and the server.
            pub fn world() -> &'static World {
                static WORLD: OnceLock<World> = OnceLock::new();
                WORLD.get_or_init(|| {
                    let load = "a known-answer vector";
                    let bytes = include_bytes!(concat!("../../vectors/v2/", $folder, "/parameters.rjet"));
                    let params = Parameters::from_bytes(bytes, LIMITS).expect(load);
                    let ctx = Context::new(&params, Arc::new(Reference::default()));
                    let bytes = include_bytes!(concat!("../../vectors/v2/", $folder, "/secret_key.rjet"));
                    let secret = SecretKey::from_secret_bytes(&params, bytes, LIMITS).expect(load);
                    let bytes = include_bytes!(concat!("../../vectors/v2/", $folder, "/evaluation_keys.rjet"));
                    let keys = EvaluationKeys::from_bytes(&ctx, bytes, LIMITS).expect(load);
                    let bytes = include_bytes!(concat!("../../vectors/v2/", $folder, "/ciphertext_seeded.rjet"));
                    let fresh = Ciphertext::from_bytes(&ctx, bytes, LIMITS).expect(load);
                    let eval = Evaluator::new(&ctx, Arc::new(keys)).expect(load);
                    World { ctx, secret, eval, fresh }
                })
            }

            /// Whether the scheme's number in the header is this scheme's, modulo the number of schemes.
            pub fn named(bytes: &[u8]) -> bool {
                bytes.get(6).is_some_and(|number| number % 3 == Scheme::$scheme as u8 % 3)
            }

            /// [`crate::load_with_corrections`] for this scheme.
            pub fn load_with_corrections<T>(
                object: Object,
                data: &[u8],
                load: impl Fn(&[u8]) -> Result<(T, Vec<u8>)>,
                use_it: impl Fn(&T),
            ) {
                let (fingerprint, key) = (world().ctx.params().fingerprint(), world().secret.key_id());
                let key = if matches!(object, Object::Parameters | Object::Plaintext) { KeyId::ANY } else { key };
                crate::load_with_corrections(Scheme::$scheme, object, fingerprint, key, data, load, use_it);
            }

            impl Stored<World> for SecretKey {
                fn read(world: &World, bytes: &[u8]) -> Result<Self> {
                    Self::from_secret_bytes(world.ctx.params(), bytes, LIMITS)
                }

                fn written(&self, _: &World) -> Result<Vec<u8>> {
                    Ok(self.to_secret_bytes().to_vec())
                }
            }

            $crate::stored!(Ciphertext, EvaluationKeys, Plaintext, PublicKey, SwitchingKey);
        }
    };
}

/// Implements [`Stored`] for public objects.
macro_rules! stored {
    ($($object:ident),+) => {
        $(impl Stored<World> for $object {
            fn read(world: &World, bytes: &[u8]) -> Result<Self> {
                Self::from_bytes(&world.ctx, bytes, LIMITS)
            }

            fn written(&self, world: &World) -> Result<Vec<u8>> {
                self.to_bytes(&world.ctx)
            }
        })+
    };
}
use stored;

scheme!(ckks, ringjet, Ckks, "tiny");
scheme!(heaan, ringjet::heaan, Heaan, "heaan");
scheme!(bgv, ringjet::bgv, Bgv, "bgv_crt");

/// A fuzz target for one kind of object. The number of the scheme in the input's header says of which
/// scheme the object is; the block of that scheme works with the object.
#[macro_export]
macro_rules! target {
    ($object:ident, |$world:ident, $loaded:ident| $($($scheme:ident)|+ => $use_it:block)+) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            use $crate::Stored;
            $($(if $crate::$scheme::named(data) {
                let $world = $crate::$scheme::world();
                let load = |bytes: &[u8]| {
                    let loaded = $crate::$scheme::$object::read($world, bytes)?;
                    let again = loaded.written($world)?;
                    Ok((loaded, again))
                };
                let object = ringjet::wire::Object::$object;
                $crate::$scheme::load_with_corrections(object, data, load, |$loaded| $use_it);
            })+)+
        });
    };
}

/// Context and bytes of the evaluation keys in `vectors/v2/boot`, whose ring can bootstrap. Loaded
/// once in a process.
pub fn bootstrapping() -> &'static (Context, &'static [u8]) {
    static MADE: OnceLock<(Context, &[u8])> = OnceLock::new();
    MADE.get_or_init(|| {
        let bytes = include_bytes!("../../vectors/v2/boot/parameters.rjet");
        let params = Parameters::from_bytes(bytes, LIMITS).expect("a known-answer vector");
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        (ctx, include_bytes!("../../vectors/v2/boot/evaluation_keys.rjet"))
    })
}

/// As [`bootstrapping`], for a ring whose keys contain the first matrix of CoeffsToSlots. Made once
/// in a process, for two numbers of slots.
pub fn matrix_keys() -> &'static (Context, Vec<u8>) {
    static MADE: OnceLock<(Context, Vec<u8>)> = OnceLock::new();
    MADE.get_or_init(|| {
        let why = "a parameter set of the tests";
        let circuit = BootstrapSpec { matrix_keys: true, secret_weight: 8, ..BootstrapSpec::standard(5, 2) };
        let chain = BootstrapChain {
            log_n: 5,
            message_levels: 2,
            special: 5,
            bootstrap: circuit,
            ..bootstrap_chain("n16-boot").expect(why)
        };
        let params = Parameters::new(&chain.generate().expect(why).0.allow_insecure()).expect(why);
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        let seed = Seed::from_bytes([5; 32]);
        let plan = [3, 4].map(|log_slots| Bootstrapper::key_plan(&params, log_slots).expect(why));
        let plan = plan[0].clone().and(plan[1].clone());
        let keys =
            SecretKey::from_seed(&params, &seed).unwrap().evaluation_keys(&ctx, &plan, &seed, |_, _| true).expect(why);
        let bytes = keys.to_bytes(&ctx).expect(why);
        (ctx, bytes)
    })
}

/// Applies the changes that `data` encodes to `good`, then corrects length and checksum. Each
/// change has six bytes: an offset (3), two bytes to xor there, and a byte that is 0 if the object
/// is to end there instead.
pub fn edited(good: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for edit in data.chunks_exact(6) {
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize % good.len();
        match edit[5] {
            0 => bytes.truncate(at),
            _ => bytes.iter_mut().skip(at).zip(&edit[3..5]).for_each(|(byte, by)| *byte ^= by),
        }
    }
    correct_length_and_checksum(&mut bytes);
    bytes
}

/// Loads `data` unchanged, then with corrected length and checksum, then with a corrected header,
/// until it loads once. `load` returns the object and the bytes that it is written to; `use_it`
/// works with the object.
fn load_with_corrections<T>(
    scheme: Scheme,
    object: Object,
    fingerprint: &[u8; 16],
    key: KeyId,
    data: &[u8],
    load: impl Fn(&[u8]) -> Result<(T, Vec<u8>)>,
    use_it: impl Fn(&T),
) {
    let mut bytes = data.to_vec();
    for correction in 0..3 {
        if correction == 1 {
            correct_length_and_checksum(&mut bytes);
        } else if correction == 2 {
            if bytes.len() < HEADER_LEN + CHECKSUM_LEN {
                return;
            }
            bytes[..4].copy_from_slice(&MAGIC);
            bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
            bytes[6..8].copy_from_slice(&[scheme as u8, object as u8]);
            bytes[8..24].copy_from_slice(fingerprint);
            bytes[32..HEADER_LEN].copy_from_slice(key.as_bytes());
            correct_length_and_checksum(&mut bytes);
        }
        if let Ok((object, written)) = load(&bytes) {
            assert!(written == bytes, "the object is written to other bytes than it was loaded from");
            use_it(&object);
            return;
        }
    }
}

/// Loads parameters. Where only the fingerprint in the header is wrong, it is replaced by that of the
/// parameters. Parameters are written to the bytes that they were loaded from.
pub fn with_own_fingerprint<P>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<P>,
    write: impl Fn(&P) -> Result<Vec<u8>>,
) -> Result<(P, Vec<u8>)> {
    let mut corrected = bytes.to_vec();
    let params = match read(&corrected) {
        Err(Error::ParameterMismatch { expected, .. }) => {
            for (i, byte) in corrected[8..24].iter_mut().enumerate() {
                *byte = u8::from_str_radix(&expected[2 * i..2 * i + 2], 16).expect("hexadecimal");
            }
            correct_length_and_checksum(&mut corrected);
            read(&corrected)?
        }
        other => other?,
    };
    assert!(write(&params)? == corrected, "the parameters are written to other bytes than they were loaded from");
    Ok((params, bytes.to_vec()))
}

/// Corrects length and checksum.
fn correct_length_and_checksum(bytes: &mut [u8]) {
    let len = bytes.len();
    if len < HEADER_LEN + CHECKSUM_LEN {
        return;
    }
    bytes[24..32].copy_from_slice(&(len as u64).to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..len - CHECKSUM_LEN]);
    bytes[len - CHECKSUM_LEN..].copy_from_slice(&checksum.to_le_bytes());
}

/// Uses accepted parameters: makes keys, encrypts, computes and decrypts. Rings above 2^7 and long
/// chains are skipped, as they would be slow here.
pub fn use_parameters(params: &Parameters) {
    for level in 0..=params.top_level().min(8) {
        let _ = (params.level(level), params.scale(level));
    }
    let _ = (params.encryption_division(), params.security(), format!("{params:?}"));
    let ctx = Context::new(params, Arc::new(Reference::default()));
    prepare_bootstrapping(&ctx);
    if params.log_n() > 7 || params.extended().len() > 8 {
        return;
    }
    let seed = Seed::from_bytes([3; 32]);
    let secret = SecretKey::from_seed(params, &seed).unwrap();
    let Ok(public) = PublicKey::generate(&ctx, &secret, &seed) else { return };
    let request = KeyPlan::rotations([1]);
    let Ok(keys) = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true) else { return };
    let Ok(eval) = Evaluator::new(&ctx, Arc::new(keys)) else { return };
    let Ok(p) = Plaintext::encode_real(&ctx, &[0.5, -0.25], params.top_level(), 1) else { return };
    let Ok(c) = public.encrypt(&ctx, &p, &seed) else { return };
    let _ = eval.mul_auto(&c, &c).and_then(|c| secret.decrypt_values(&ctx, &c));
    let _ = eval.rotate(&c, 1).and_then(|c| secret.decrypt_values(&ctx, &c));
}

/// Uses accepted parameters of HEAAN: makes keys, encrypts, computes and decrypts. Large rings and
/// moduli are skipped.
pub fn use_heaan_parameters(params: &heaan::Parameters) {
    let _ = (params.security(), params.depth(), format!("{params:?}"));
    let (log_q, log_p) = (params.log_q(), params.log_p());
    let _ = (params.primes_for(log_q, log_q, 2), params.primes_for(log_q, 2 * log_q, 1));
    if params.log_n() > 6 || log_q > 300 {
        return;
    }
    let ctx = heaan::Context::new(params, Arc::new(Reference::default()));
    let seed = Seed::from_bytes([3; 32]);
    let secret = heaan::SecretKey::from_seed(params, &seed).unwrap();
    let Ok(public) = heaan::PublicKey::generate(&ctx, &secret, &seed) else { return };
    let request = KeyPlan::rotations([1]);
    let Ok(keys) = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true) else { return };
    let Ok(eval) = heaan::Evaluator::new(&ctx, Arc::new(keys)) else { return };
    let Ok(p) = heaan::Plaintext::encode_real(&ctx, &[0.5, -0.25], log_p, 1) else { return };
    let Ok(c) = public.encrypt(&ctx, &p, &seed) else { return };
    let _ = eval.mul_auto(&c, &c).and_then(|c| secret.decrypt_values(&ctx, &c));
    let _ = eval.rotate(&c, 1).and_then(|c| secret.decrypt_values(&ctx, &c));
}

/// Uses accepted parameters of BGV and BFV: makes keys, encrypts, computes and decrypts. Large rings and
/// long chains are skipped.
pub fn use_bgv_parameters(params: &bgv::Parameters) {
    let _ = (params.security(), format!("{params:?}"));
    if params.log_n() > 6 || params.extended().len() > 8 {
        return;
    }
    let _ = params.depth();
    let ctx = bgv::Context::new(params, Arc::new(Reference::default()));
    let seed = Seed::from_bytes([3; 32]);
    let secret = bgv::SecretKey::from_seed(params, &seed).unwrap();
    let Ok(public) = bgv::PublicKey::generate(&ctx, &secret, &seed) else { return };
    let request = KeyPlan::rotations([1]);
    let Ok(keys) = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true) else { return };
    let Ok(eval) = bgv::Evaluator::new(&ctx, Arc::new(keys)) else { return };
    let Ok(p) = bgv::Plaintext::encode(&ctx, &[3, -5], params.top_level()) else { return };
    let Ok(c) = public.encrypt(&ctx, &p, &seed) else { return };
    let first = |c: &bgv::Ciphertext| secret.decrypt_integers(&ctx, c).map(|values| values[..2].to_vec());
    if let Ok(product) = eval.mul_auto(&c, &c) {
        // t is at least 2N + 1, above 32
        let reduced = |x: i64| if 2 * x > params.t() as i64 { x - params.t() as i64 } else { x };
        assert_eq!(first(&product), Ok(vec![reduced(9), reduced(25)]));
    }
    let _ = eval.rotate(&c, 1).map(|c| assert_eq!(first(&c).map(|values| values[0]), Ok(-5)));
}

/// Does what a server does before it has keys. Any specification of bootstrapping must be refused
/// or accepted quickly in a small ring.
fn prepare_bootstrapping(ctx: &Context) {
    let params = ctx.params();
    for log_slots in 0..=params.log_n() {
        let _ = Bootstrapper::key_plan(params, log_slots).and_then(|plan| plan.sizes(params));
    }
    if params.bootstrap().is_some() && params.log_n() <= 5 && params.extended().len() <= 32 {
        let _ = Bootstrapper::new(ctx, params.log_n() - 1, |_, _| true);
    }
}

/// Loads a parameter specification written by hand as JSON.
pub fn parameters_by_hand(json: &[u8]) {
    if let Ok(spec) = serde_json::from_slice::<ParamSpec>(json)
        && let Ok(params) = Parameters::new(&spec)
    {
        let again = params.to_bytes().expect("accepted parameters can be written");
        assert!(Parameters::from_bytes(&again, LIMITS).expect("written parameters can be read") == params);
        use_parameters(&params);
    }
}
