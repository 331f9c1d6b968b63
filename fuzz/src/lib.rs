//! Code shared by the fuzz targets: a small ring with all its keys, and inputs that pass the
//! checksum.
//!
//! Every input is loaded up to three times: unchanged, with length and checksum corrected, and with
//! the whole header corrected. So mutations of the body reach the code behind the checksum, and the
//! header is fuzzed as well. An object that loads must be written to the same bytes that it was
//! loaded from, and using it must not panic.

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

/// Three parties in a small ring, and messages of theirs for fuzz targets to change.
pub mod parties {
    use std::sync::{Arc, OnceLock};

    use ringjet::dynamic::{Ciphertext, Context, KeyRequest, Parameters, StartModulus, Values};
    use ringjet::parties::{Party, Session, Spec};
    use ringjet::rlwe::Sharing;
    use ringjet::rng::Seed;
    use ringjet::{ParamSpec, Stated};
    use ringjet_backend::Reference;

    use crate::{LIMITS, edited};

    const WHY: &str = "honest parties";

    /// What the targets change, and what they need to read it.
    pub struct World {
        ctx: Context,
        /// A party before the hellos, after the commitments, and at the end.
        records: [Vec<u8>; 3],
        hello: Vec<u8>,
        /// A message of each round.
        messages: Vec<Vec<Vec<u8>>>,
        ct: Ciphertext,
        decryptions: Vec<Vec<u8>>,
        refreshed: Ciphertext,
        refreshes: Vec<Vec<u8>>,
    }

    /// The parties, made once in a process.
    pub fn world() -> &'static World {
        static WORLD: OnceLock<World> = OnceLock::new();
        WORLD.get_or_init(|| {
            let q = ringjet::params::ModulusSpec::Bits(vec![60, 58, 58]);
            let p = ringjet::params::ModulusSpec::Bits(vec![60]);
            let spec = ParamSpec { q, p, alpha: Some(1), ..ParamSpec::uniform(5, 60, 2, 58, 1) };
            let params = ringjet::Parameters::new(&spec.allow_insecure().pieces(3)).expect(WHY);
            let params = Parameters::from(params);
            let keys = params.key_plan(&KeyRequest { rotations: vec![1], ..KeyRequest::default() }).expect(WHY);
            let agreed = Spec::new(&params, &["A", "B", "C"], 2, &keys, &[[7; 32]], Sharing::default()).expect(WHY);
            let seed = Seed::from_bytes([4; 32]);
            let party = |name| Arc::new(Party::from_seed(agreed.clone(), name, &seed).expect(WHY));
            let all = ["A", "B", "C"].map(party);
            let first = all[0].to_secret_bytes().expect(WHY).to_vec();
            let mut hello = vec![];
            for to in &all {
                let sent = all.iter().flat_map(|from| from.hello().expect(WHY));
                let mine: Vec<_> = sent.filter(|(name, _)| name == to.name()).map(|(_, bytes)| bytes).collect();
                to.receive(&mine).expect(WHY);
                hello = mine[0].to_vec();
            }
            // the last one is to C
            let ctx = Context::new(&params, Arc::new(Reference::default()));
            let mut sessions = all.clone().map(|party| Session::new(party, &ctx).expect(WHY));
            let mut messages = vec![];
            let mut second = vec![];
            while !sessions[0].is_ready() {
                let sent: Vec<_> =
                    sessions.iter_mut().map(|session| session.next(&[""; 0], |_, _| true).expect(WHY)).collect();
                sessions.iter_mut().for_each(|session| session.receive(&sent).expect(WHY));
                if messages.is_empty() {
                    second = all[0].to_secret_bytes().expect(WHY).to_vec();
                }
                messages.push(sent);
            }
            let public = sessions[0].keys().expect(WHY).0;
            let encrypt = |number: u8| {
                let values = Values::Numbers(vec![0.5.into(), (-0.25).into()]);
                let plain = ctx.encode(&values, Stated::Magnitude(1.0), StartModulus::default(), 4).expect(WHY);
                public.encrypt(&ctx, &plain, &Seed::from_bytes([number; 32])).expect(WHY)
            };
            let (ct, refreshed) = (encrypt(1), encrypt(2));
            let decryptions = sessions.iter().map(|s| s.decryption_share(&ct, &ct, 4).expect(WHY)).collect();
            let refreshes = sessions.iter().map(|s| s.refresh_share(&refreshed, &refreshed).expect(WHY)).collect();
            let records = [first, second, all[0].to_secret_bytes().expect(WHY).to_vec()];
            World { ctx, records, hello, messages, ct, decryptions, refreshed, refreshes }
        })
    }

    fn party(record: &[u8]) -> Arc<Party> {
        Arc::new(Party::from_secret_bytes(record, LIMITS).expect(WHY))
    }

    /// Parties: what loads is written to the same bytes, and goes on.
    pub fn loads_party(data: &[u8]) {
        let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
        let bytes = edited(&w.records[usize::from(first % 3)], rest);
        let Ok(made) = Party::from_secret_bytes(&bytes, LIMITS) else { return };
        assert!(made.to_secret_bytes().expect(WHY)[..] == bytes, "it is written to other bytes than it was loaded from");
        let _ = (made.hello(), made.session_id(), made.answers_given(), format!("{made:?}"));
        // other parameters than the context's are refused
        let _ = Session::new(Arc::new(made), &w.ctx).map(|mut session| session.next(&["B"], |_, _| true));
    }

    /// Hellos: a party that has had none, and one that has had all.
    pub fn loads_hello(data: &[u8]) {
        let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
        let bytes = edited(&w.hello, rest);
        let agreed = party(&w.records[0]).spec().clone();
        let seed = Seed::from_bytes([if first % 2 == 0 { 4 } else { 5 }; 32]);
        let to = Party::from_seed(agreed, "C", &seed).expect(WHY);
        let _ = to.receive(&[&bytes]);
        let _ = to.session_id();
    }

    /// Messages of each round.
    pub fn loads_message(data: &[u8]) {
        let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
        let (round, from) = (usize::from(first % 3), usize::from(first / 3 % 3));
        let mut session = Session::new(party(&w.records[usize::from(round > 0)]), &w.ctx).expect(WHY);
        if round == 2 {
            session.receive(&w.messages[1]).expect(WHY);
        }
        let good = &w.messages[round];
        let changed = edited(&good[from], rest);
        if session.receive(&[&changed]).is_ok() || session.receive(good).is_ok() {
            let _ = session.next(&[""; 0], |_, _| true);
        }
    }

    /// Shares of decryptions and of refreshes.
    pub fn loads_answer(data: &[u8]) {
        let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
        let session = Session::new(party(&w.records[2]), &w.ctx).expect(WHY);
        let from = usize::from(first / 2 % 3);
        let other = (from + 1) % 3;
        if first % 2 == 0 {
            let _ = session.combine(&w.ct, &[edited(&w.decryptions[from], rest), w.decryptions[other].clone()], Some(4));
        } else {
            let shares = [edited(&w.refreshes[from], rest), w.refreshes[other].clone()];
            let _ = session.refresh(&w.refreshed, &shares).map(|ct| ct.to_bytes(&w.ctx));
        }
    }
}
