//! What the fuzz targets share: a small ring with all its keys, and bytes that get past the checksum.
//!
//! Every input is loaded three times: as it is; with length and checksum made right; and with the whole header made
//! right. So a mutation anywhere in the body reaches the code behind the checksum, and the header is fuzzed as well.
//! Whatever loads must write the very bytes it was loaded from, and must be usable without a panic.

use std::sync::{Arc, OnceLock};

use ringjet::heaan;
use ringjet::rng::Seed;
use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, Limits, MAGIC, Object, Scheme, VERSION};
use ringjet::{
    Bootstrapper, Ciphertext, Context, Error, EvaluationKeys, Evaluator, KeyId, KeyRequest, ParamSpec, Parameters, Plaintext, PublicKey, Result,
    SecretKey,
};
use ringjet_backend::Reference;

/// What the targets accept.
pub const LIMITS: Limits = Limits { max_bytes: Some(1 << 16), allow_insecure: true };

/// A client and a server on the ring of `vectors/v2/tiny`.
pub struct World {
    /// Parameters on the reference backend.
    pub ctx: Context,
    /// The client's key.
    pub secret: SecretKey,
    /// Evaluators with keys for rotations by 1 and -3 and conjugation.
    pub eval: Evaluator,
    /// A fresh ciphertext at the top level.
    pub fresh: Ciphertext,
}

/// Made once in a process.
pub fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let bytes = include_bytes!("../../vectors/v2/tiny/parameters.rjet");
        let params = Parameters::from_bytes(bytes, LIMITS).expect("a known-answer vector");
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        let load = "a known-answer vector";
        let bytes = include_bytes!("../../vectors/v2/tiny/secret_key.rjet");
        let secret = SecretKey::from_secret_bytes(&params, bytes, LIMITS).expect(load);
        let bytes = include_bytes!("../../vectors/v2/tiny/evaluation_keys.rjet");
        let keys = EvaluationKeys::from_bytes(&ctx, bytes, LIMITS).expect(load);
        let bytes = include_bytes!("../../vectors/v2/tiny/ciphertext_seeded.rjet");
        let fresh = Ciphertext::from_bytes(&ctx, bytes, LIMITS).expect(load);
        let eval = Evaluator::new(&ctx, Arc::new(keys)).expect(load);
        World { ctx, secret, eval, fresh }
    })
}

/// As [`World`], of HEAAN on the ring of `vectors/v2/heaan`.
pub struct HeaanWorld {
    /// Parameters on the reference backend.
    pub ctx: heaan::Context,
    /// The client's key.
    pub secret: heaan::SecretKey,
    /// Evaluators with keys for rotations by 1 and -3 and conjugation.
    pub eval: heaan::Evaluator,
    /// A fresh ciphertext of the largest modulus.
    pub fresh: heaan::Ciphertext,
}

/// Made once in a process.
pub fn heaan_world() -> &'static HeaanWorld {
    static WORLD: OnceLock<HeaanWorld> = OnceLock::new();
    WORLD.get_or_init(|| {
        let load = "a known-answer vector";
        let bytes = include_bytes!("../../vectors/v2/heaan/parameters.rjet");
        let params = heaan::Parameters::from_bytes(bytes, LIMITS).expect(load);
        let ctx = heaan::Context::new(&params, Arc::new(Reference::default()));
        let bytes = include_bytes!("../../vectors/v2/heaan/secret_key.rjet");
        let secret = heaan::SecretKey::from_secret_bytes(&params, bytes, LIMITS).expect(load);
        let bytes = include_bytes!("../../vectors/v2/heaan/evaluation_keys.rjet");
        let keys = heaan::EvaluationKeys::from_bytes(&ctx, bytes, LIMITS).expect(load);
        let bytes = include_bytes!("../../vectors/v2/heaan/ciphertext_seeded.rjet");
        let fresh = heaan::Ciphertext::from_bytes(&ctx, bytes, LIMITS).expect(load);
        let eval = heaan::Evaluator::new(&ctx, Arc::new(keys)).expect(load);
        HeaanWorld { ctx, secret, eval, fresh }
    })
}

/// The ring of `vectors/v2/boot`, which bootstraps, and the bytes of its keys. Made once in a process.
pub fn bootstrapping() -> &'static (Context, &'static [u8]) {
    static MADE: OnceLock<(Context, &[u8])> = OnceLock::new();
    MADE.get_or_init(|| {
        let bytes = include_bytes!("../../vectors/v2/boot/parameters.rjet");
        let params = Parameters::from_bytes(bytes, LIMITS).expect("a known-answer vector");
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        (ctx, include_bytes!("../../vectors/v2/boot/evaluation_keys.rjet"))
    })
}

/// `good` with the changes that `data` spells out, six bytes each: an offset, two bytes to be changed there, and 0 where it
/// is to end there instead. Length and checksum are made right.
pub fn edited(good: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for edit in data.chunks_exact(6) {
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize % good.len();
        match edit[5] {
            0 => bytes.truncate(at),
            _ => bytes.iter_mut().skip(at).zip(&edit[3..5]).for_each(|(byte, by)| *byte ^= by),
        }
    }
    mend(&mut bytes);
    bytes
}

/// Loads `data` in three states of repair; `load` gives the loaded object and its bytes, `use_it` works with it.
pub fn each_repair<T>(
    scheme: Scheme,
    object: Object,
    data: &[u8],
    load: impl Fn(&[u8]) -> Result<(T, Vec<u8>)>,
    use_it: impl Fn(&T),
) {
    let (fingerprint, key) = match scheme {
        Scheme::Heaan => (*heaan_world().ctx.params().fingerprint(), heaan_world().secret.key_id()),
        _ => (*world().ctx.params().fingerprint(), world().secret.key_id()),
    };
    let key = if matches!(object, Object::Parameters | Object::Plaintext) { KeyId::ANY } else { key };
    let mut bytes = data.to_vec();
    for repair in 0..3 {
        if repair == 1 {
            mend(&mut bytes);
        } else if repair == 2 {
            if bytes.len() < HEADER_LEN + CHECKSUM_LEN {
                return;
            }
            bytes[..4].copy_from_slice(&MAGIC);
            bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
            bytes[6..8].copy_from_slice(&[scheme as u8, object as u8]);
            bytes[8..24].copy_from_slice(&fingerprint);
            bytes[32..HEADER_LEN].copy_from_slice(key.as_bytes());
            mend(&mut bytes);
        }
        if let Ok((object, again)) = load(&bytes) {
            assert!(again == bytes, "written differently");
            use_it(&object);
            return;
        }
    }
}

/// Loads parameters, with the fingerprint that they have instead of the header's where only that is wrong. What is read is
/// written as the same bytes.
pub fn parameters_as_stated<P>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<P>,
    write: impl Fn(&P) -> Result<Vec<u8>>,
) -> Result<(P, Vec<u8>)> {
    let mut fitting = bytes.to_vec();
    let params = match read(&fitting) {
        Err(Error::ParameterMismatch { expected, .. }) => {
            for (i, byte) in fitting[8..24].iter_mut().enumerate() {
                *byte = u8::from_str_radix(&expected[2 * i..2 * i + 2], 16).expect("hexadecimal");
            }
            mend(&mut fitting);
            read(&fitting)?
        }
        other => other?,
    };
    assert!(write(&params)? == fitting, "written differently");
    Ok((params, bytes.to_vec()))
}

/// Makes length and checksum right.
fn mend(bytes: &mut [u8]) {
    let len = bytes.len();
    if len < HEADER_LEN + CHECKSUM_LEN {
        return;
    }
    bytes[24..32].copy_from_slice(&(len as u64).to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..len - CHECKSUM_LEN]);
    bytes[len - CHECKSUM_LEN..].copy_from_slice(&checksum.to_le_bytes());
}

/// A whole conversation with parameters that were accepted; rings above 2^7 and long chains would be slow here.
pub fn converse(params: &Parameters) {
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
    let secret = SecretKey::from_seed(params, &seed);
    let Ok(public) = PublicKey::generate(&ctx, &secret, &seed) else { return };
    let request = KeyRequest::rotations([1]);
    let Ok(keys) = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true) else { return };
    let Ok(eval) = Evaluator::new(&ctx, Arc::new(keys)) else { return };
    let Ok(p) = Plaintext::encode_real(&ctx, &[0.5, -0.25], params.top_level(), 1) else { return };
    let Ok(c) = public.encrypt(&ctx, &p, &seed) else { return };
    let _ = eval.mul_auto(&c, &c).and_then(|c| secret.decrypt_values(&ctx, &c));
    let _ = eval.rotate(&c, 1).and_then(|c| secret.decrypt_values(&ctx, &c));
}

/// A whole conversation with parameters of HEAAN that were accepted.
pub fn converse_heaan(params: &heaan::Parameters) {
    let _ = (params.security(), params.depth(), format!("{params:?}"));
    let (log_q, log_p) = (params.log_q(), params.log_p());
    let _ = (params.primes_for(log_q, log_q, 2), params.primes_for(log_q, 2 * log_q, 1));
    if params.log_n() > 6 || log_q > 300 {
        return;
    }
    let ctx = heaan::Context::new(params, Arc::new(Reference::default()));
    let seed = Seed::from_bytes([3; 32]);
    let Ok(secret) = heaan::SecretKey::from_seed(params, &seed) else { return };
    let Ok(public) = heaan::PublicKey::generate(&ctx, &secret, &seed) else { return };
    let request = KeyRequest::rotations([1]);
    let Ok(keys) = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true) else { return };
    let Ok(eval) = heaan::Evaluator::new(&ctx, Arc::new(keys)) else { return };
    let Ok(p) = heaan::Plaintext::encode_real(&ctx, &[0.5, -0.25], log_p, 1) else { return };
    let Ok(c) = public.encrypt(&ctx, &p, &seed) else { return };
    let _ = eval.mul_auto(&c, &c).and_then(|c| secret.decrypt_values(&ctx, &c));
    let _ = eval.rotate(&c, 1).and_then(|c| secret.decrypt_values(&ctx, &c));
}

/// What a server does before there are keys: a circuit of any numbers is refused or made, in a moment on a small ring.
fn prepare_bootstrapping(ctx: &Context) {
    let params = ctx.params();
    for log_slots in 0..=params.log_n() {
        let request = KeyRequest { bootstrapping: vec![log_slots], ..KeyRequest::default() };
        let _ = request.sizes(params);
    }
    if params.bootstrap().is_some() && params.log_n() <= 5 && params.extended().len() <= 32 {
        let _ = Bootstrapper::new(ctx, params.log_n() - 1, |_, _| true);
    }
}

/// A set as somebody writes it by hand.
pub fn parameters_by_hand(json: &[u8]) {
    if let Ok(spec) = serde_json::from_slice::<ParamSpec>(json)
        && let Ok(params) = Parameters::new(&spec)
    {
        let again = params.to_bytes().expect("accepted parameters can be written");
        assert!(Parameters::from_bytes(&again, LIMITS).expect("and read") == params);
        converse(&params);
    }
}
