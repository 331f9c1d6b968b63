//! Both schemes under one set of names: what the Python classes hold. CKKS's objects and HEAAN's have the same methods as far
//! as they do the same. Objects of two schemes are objects of two parameter sets, and are refused as such.

use std::io::Write;
use std::sync::Arc;

use pyo3::prelude::*;
use ringjet::ckks::Noise;
use ringjet::rng::Seed;
use ringjet::wire::{Kind, Limits, peek};
use ringjet::{Error, KeyMemory, KeyRequest, ParamSpec, Result, Values, heaan};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;
use zeroize::Zeroizing;

use crate::errors::raise_without;

/// An object of CKKS, or the one of HEAAN that does the same.
#[derive(Clone)]
pub enum Either<C, H> {
    Ckks(C),
    Heaan(H),
}
use Either::{Ckks, Heaan};

pub type Parameters = Either<ringjet::Parameters, heaan::Parameters>;
pub type Context = Either<ringjet::Context, heaan::Context>;
pub type SecretKey = Either<ringjet::SecretKey, heaan::SecretKey>;
pub type PublicKey = Either<ringjet::PublicKey, heaan::PublicKey>;
pub type EvaluationKeys = Either<Arc<ringjet::EvaluationKeys>, Arc<heaan::EvaluationKeys>>;
/// With HEAAN's the bits of the modulus under which it is to be encrypted.
pub type Plaintext = Either<ringjet::Plaintext, (heaan::Plaintext, u32)>;
pub type Ciphertext = Either<ringjet::Ciphertext, heaan::Ciphertext>;
pub type Evaluator = Either<ringjet::Evaluator, heaan::Evaluator>;

/// The same expression of either.
macro_rules! both {
    ($either:expr, $x:pat => $body:expr) => {
        match $either {
            Ckks($x) => $body,
            Heaan($x) => $body,
        }
    };
}

/// The same fallible expression of either, and of others of the same scheme: its value is again of that scheme.
macro_rules! each {
    ($either:expr, $x:pat => $body:expr) => {
        match $either {
            Ckks($x) => Ok(Ckks($body?)),
            Heaan($x) => Ok(Heaan($body?)),
        }
    };
    ($e:expr, $a:expr; $x:pat, $y:pat => $body:expr) => {
        match ($e, $a) {
            (Ckks($x), Ckks($y)) => Ok(Ckks($body?)),
            (Heaan($x), Heaan($y)) => Ok(Heaan($body?)),
            (e, a) => Err(foreign(&e.params(), a.what(), &a.params())),
        }
    };
}

fn foreign(expected: &Parameters, what: &'static str, found: &Parameters) -> Error {
    Error::ParameterMismatch { what, expected: expected.fingerprint_hex(), found: found.fingerprint_hex() }
}

impl<C, H> Either<C, H> {
    /// That of CKKS, for an operation that HEAAN lacks; `instead` says what there is.
    pub fn ckks(&self, op: &'static str, instead: &str) -> PyResult<&C> {
        match self {
            Ckks(x) => Ok(x),
            Heaan(_) => Err(raise_without("HEAAN", op, instead)),
        }
    }

    /// That of HEAAN, for an operation that CKKS lacks.
    pub fn heaan(&self, op: &'static str, instead: &str) -> PyResult<&H> {
        match self {
            Heaan(x) => Ok(x),
            Ckks(_) => Err(raise_without("CKKS", op, instead)),
        }
    }
}

/// Names and parameters of objects, for messages.
macro_rules! object {
    ($($of:ty, $what:literal, $x:ident => $params:expr;)*) => { $(
        impl $of {
            /// The parameters.
            pub fn params(&self) -> Parameters {
                match self {
                    Ckks($x) => Ckks($params.clone()),
                    Heaan($x) => Heaan($params.clone()),
                }
            }

            fn what(&self) -> &'static str {
                $what
            }
        }
    )* };
}
object! {
    Context, "context", x => x.params();
    SecretKey, "secret key", x => x.params();
    PublicKey, "public key", x => x.params();
    EvaluationKeys, "evaluation keys", x => x.params();
    Ciphertext, "ciphertext", x => x.params();
}

impl Plaintext {
    fn params(&self) -> Parameters {
        match self {
            Ckks(x) => Ckks(x.params().clone()),
            Heaan((x, _)) => Heaan(x.params().clone()),
        }
    }

    fn what(&self) -> &'static str {
        "plaintext"
    }
}

impl Parameters {
    /// As Python spells it.
    pub fn scheme(&self) -> &'static str {
        match self {
            Ckks(_) => "ckks",
            Heaan(_) => "heaan",
        }
    }

    pub fn fingerprint(&self) -> &[u8; 16] {
        both!(self, p => p.fingerprint())
    }

    pub fn fingerprint_hex(&self) -> String {
        both!(self, p => p.fingerprint_hex())
    }

    pub fn log_n(&self) -> u32 {
        both!(self, p => p.log_n())
    }

    pub fn max_slots(&self) -> usize {
        both!(self, p => p.max_slots())
    }

    /// Slots of a ciphertext unless another number is asked for.
    pub fn slots(&self) -> usize {
        match self {
            Ckks(p) => p.max_slots(),
            Heaan(p) => 1 << p.log_slots(),
        }
    }

    /// Multiplications in a row.
    pub fn depth(&self) -> usize {
        match self {
            Ckks(p) => p.top_level(),
            Heaan(p) => p.depth(),
        }
    }

    pub fn allow_insecure(&self) -> bool {
        both!(self, p => p.spec().allow_insecure)
    }

    pub fn can_bootstrap(&self) -> bool {
        matches!(self, Ckks(p) if p.bootstrap().is_some())
    }

    /// Refuses an object of other parameters.
    pub fn expect_same(&self, what: &'static str, other: &Self) -> Result<()> {
        if self.fingerprint() == other.fingerprint() { Ok(()) } else { Err(foreign(self, what, other)) }
    }

    /// The preset of this name, of either scheme.
    pub fn preset(name: &str) -> Result<Self> {
        if name.starts_with("heaan-") {
            return heaan::preset(name).map(Heaan);
        }
        match ringjet::preset(name) {
            Err(Error::UnknownPreset { name, known }) => {
                Err(Error::UnknownPreset { name, known: format!("{known}, {}", heaan::PRESET_NAMES.join(", ")) })
            }
            other => other.map(Ckks),
        }
    }

    pub fn to_json(&self) -> Result<String> {
        both!(self, p => serde_json::to_string(p.spec())).map_err(|e| Error::Parameters(e.to_string()))
    }

    /// HEAAN's have `log_q`, CKKS's a list of primes `q`.
    pub fn from_json(text: &str) -> Result<Self> {
        let wrong = |e: serde_json::Error| Error::Parameters(e.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
        if value.get("log_q").is_some() {
            return heaan::Parameters::new(&serde_json::from_value(value).map_err(wrong)?).map(Heaan);
        }
        let spec: ParamSpec = serde_json::from_str(text).map_err(wrong)?;
        ringjet::Parameters::new(&spec).map(Ckks)
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        both!(self, p => p.to_bytes())
    }

    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        both!(self, p => p.write_to(out))
    }

    pub fn from_bytes(data: &[u8], limits: Limits) -> Result<Self> {
        if peek(data).is_ok_and(|header| header.kind == Kind::HeaanParameters) {
            return heaan::Parameters::from_bytes(data, limits).map(Heaan);
        }
        ringjet::Parameters::from_bytes(data, limits).map(Ckks)
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl Eq for Parameters {}

impl Context {
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>) -> Self {
        match params {
            Ckks(p) => Ckks(ringjet::Context::new(p, backend)),
            Heaan(p) => Heaan(heaan::Context::new(p, backend)),
        }
    }

    /// Refuses HEAAN's keys in a form that they do not have.
    pub fn with_key_memory(self, memory: KeyMemory) -> Result<Self> {
        match (self, memory) {
            (Ckks(ctx), memory) => Ok(Ckks(ctx.with_key_memory(memory))),
            (ctx, KeyMemory::Expanded) => Ok(ctx),
            (Heaan(_), KeyMemory::Compressed) => {
                let expected = "expanded for HEAAN, whose keys are kept in no other form".into();
                Err(Error::Argument { name: "key_memory", value: "compressed".into(), expected })
            }
        }
    }

    /// For a level of CKKS, or a modulus of so many bits of HEAAN; the largest where nothing is said.
    pub fn encode(&self, values: &[Complex64], at: At, log_slots: u32) -> Result<Plaintext> {
        match self {
            Ckks(ctx) => {
                let top = ctx.params().top_level();
                let level = at.level.unwrap_or(top);
                if level > top {
                    return Err(Error::NoSuchLevel { level, top });
                }
                ringjet::Plaintext::encode(ctx, values, level, ctx.params().scale(level), log_slots).map(Ckks)
            }
            Heaan(ctx) => {
                let p = heaan::Plaintext::encode(ctx, values, ctx.params().log_p(), log_slots)?;
                Ok(Heaan((p, at.log_q.unwrap_or(ctx.params().log_q()))))
            }
        }
    }
}

/// Where a fresh ciphertext starts: at a level (CKKS), or modulo so many bits (HEAAN).
#[derive(Clone, Copy)]
pub struct At {
    level: Option<usize>,
    log_q: Option<u32>,
}

impl At {
    /// Refuses what the scheme does not have.
    pub fn new(params: &Parameters, level: Option<usize>, log_q: Option<u32>) -> PyResult<Self> {
        if level.is_some() {
            params.ckks("level", "log_q=... says how many bits the modulus has")?;
        }
        if log_q.is_some() {
            params.heaan("log_q", "level=... says how many rescalings are left")?;
        }
        Ok(Self { level, log_q })
    }

    /// A ciphertext without values on a backend that computes nothing.
    pub fn uncomputed(self, context: &Context, log_slots: u32) -> Result<Ciphertext> {
        match context {
            Ckks(ctx) => {
                let (level, top) = (self.level.unwrap_or(ctx.params().top_level()), ctx.params().top_level());
                if level > top {
                    return Err(Error::NoSuchLevel { level, top });
                }
                ringjet::Ciphertext::uncomputed(ctx, level, log_slots).map(Ckks)
            }
            Heaan(ctx) => {
                let log_q = self.log_q.unwrap_or(ctx.params().log_q());
                heaan::Ciphertext::uncomputed(ctx, log_q, ctx.params().log_p(), log_slots).map(Heaan)
            }
        }
    }
}

impl SecretKey {
    pub fn from_seed(params: &Parameters, seed: &Seed) -> Result<Self> {
        match params {
            Ckks(p) => Ok(Ckks(ringjet::SecretKey::from_seed(p, seed))),
            Heaan(p) => heaan::SecretKey::from_seed(p, seed).map(Heaan),
        }
    }

    pub fn encrypt(&self, ctx: &Context, plain: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        match (self, ctx, plain) {
            (Ckks(s), Ckks(ctx), Ckks(p)) => s.encrypt(ctx, p, seed).map(Ckks),
            (Heaan(s), Heaan(ctx), Heaan((p, log_q))) => s.encrypt_at(ctx, p, *log_q, seed).map(Heaan),
            _ => Err(foreign(&self.params(), plain.what(), &plain.params())),
        }
    }

    pub fn decrypt_values(&self, ctx: &Context, ct: &Ciphertext) -> Result<Values> {
        match (self, ctx, ct) {
            (Ckks(s), Ckks(ctx), Ckks(ct)) => s.decrypt_values(ctx, ct),
            (Heaan(s), Heaan(ctx), Heaan(ct)) => s.decrypt_values(ctx, ct),
            _ => Err(foreign(&self.params(), ct.what(), &ct.params())),
        }
    }

    pub fn decrypt_for_sharing(&self, ctx: &Context, ct: &Ciphertext, bits: u32, seed: &Seed) -> Result<Values> {
        match (self, ctx, ct) {
            (Ckks(s), Ckks(ctx), Ckks(ct)) => s.decrypt_for_sharing(ctx, ct, bits, seed),
            (Heaan(s), Heaan(ctx), Heaan(ct)) => s.decrypt_for_sharing(ctx, ct, bits, seed),
            _ => Err(foreign(&self.params(), ct.what(), &ct.params())),
        }
    }

    pub fn evaluation_keys(
        &self,
        ctx: &Context,
        request: &KeyRequest,
        seed: &Seed,
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EvaluationKeys> {
        each!(self, ctx; s, ctx => s.evaluation_keys(ctx, request, seed, progress).map(Arc::new))
    }

    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        both!(self, s => s.to_secret_bytes())
    }

    pub fn from_secret_bytes(params: &Parameters, data: &[u8], limits: Limits) -> Result<Self> {
        match params {
            Ckks(p) => ringjet::SecretKey::from_secret_bytes(p, data, limits).map(Ckks),
            Heaan(p) => heaan::SecretKey::from_secret_bytes(p, data, limits).map(Heaan),
        }
    }
}

impl PublicKey {
    pub fn generate(ctx: &Context, secret: &SecretKey, seed: &Seed) -> Result<Self> {
        match (ctx, secret) {
            (Ckks(ctx), Ckks(s)) => ringjet::PublicKey::generate(ctx, s, seed).map(Ckks),
            (Heaan(ctx), Heaan(s)) => heaan::PublicKey::generate(ctx, s, seed).map(Heaan),
            _ => Err(foreign(&ctx.params(), secret.what(), &secret.params())),
        }
    }

    pub fn encrypt(&self, ctx: &Context, plain: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        match (self, ctx, plain) {
            (Ckks(key), Ckks(ctx), Ckks(p)) => key.encrypt(ctx, p, seed).map(Ckks),
            (Heaan(key), Heaan(ctx), Heaan((p, log_q))) => key.encrypt_at(ctx, p, *log_q, seed).map(Heaan),
            _ => Err(foreign(&self.params(), plain.what(), &plain.params())),
        }
    }

    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        match (self, ctx) {
            (Ckks(key), Ckks(ctx)) => key.write_to(ctx, out),
            (Heaan(key), Heaan(ctx)) => key.write_to(ctx, out),
            _ => Err(foreign(&ctx.params(), self.what(), &self.params())),
        }
    }

    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        match ctx {
            Ckks(ctx) => ringjet::PublicKey::from_bytes(ctx, data, limits).map(Ckks),
            Heaan(ctx) => heaan::PublicKey::from_bytes(ctx, data, limits).map(Heaan),
        }
    }
}

impl EvaluationKeys {
    pub fn has_relinearization(&self) -> bool {
        both!(self, keys => keys.relinearization().is_ok())
    }

    pub fn has_conjugation(&self) -> bool {
        both!(self, keys => keys.conjugation().is_ok())
    }

    /// Whether there is a key of its own for this rotation, which serves all that is encrypted.
    pub fn has_rotation(&self, steps: i64) -> bool {
        match self {
            Ckks(keys) => keys.rotation(steps).is_ok_and(|key| key.level() >= keys.params().top_level()),
            Heaan(keys) => keys.rotation(steps).is_ok(),
        }
    }

    /// Binary logarithms of the numbers of slots that can be bootstrapped.
    pub fn bootstrapping(&self) -> Vec<u32> {
        match self {
            Ckks(keys) => keys.bootstrapping(),
            Heaan(_) => vec![],
        }
    }

    pub fn can_bootstrap(&self) -> bool {
        matches!(self, Ckks(keys) if keys.can_bootstrap())
    }

    pub fn len(&self) -> usize {
        both!(self, keys => keys.len())
    }

    pub fn memory_bytes(&self) -> usize {
        both!(self, keys => keys.memory_bytes())
    }

    pub fn bytes_at_rest(&self) -> u64 {
        both!(self, keys => keys.bytes_at_rest())
    }

    /// How they are kept, which is the same for all of them.
    pub fn memory(&self) -> KeyMemory {
        match self {
            Ckks(keys) => keys.keys().next().map_or_else(KeyMemory::default, |(_, key)| key.memory()),
            Heaan(_) => KeyMemory::Expanded,
        }
    }

    /// The same keys kept like this.
    pub fn kept(&self, memory: KeyMemory) -> Result<Self> {
        match self {
            _ if memory == self.memory() => Ok(self.clone()),
            Ckks(keys) if memory == KeyMemory::Compressed => Ok(Ckks(Arc::new((**keys).clone().compressed()?))),
            Ckks(keys) => Ok(Ckks(Arc::new((**keys).clone().expanded()?))),
            Heaan(keys) => {
                let context = heaan::Context::new(keys.params(), Arc::new(ringjet_backend::Reference::default()));
                Heaan(context).with_key_memory(memory).map(|_: Context| self.clone())
            }
        }
    }

    /// These and those of `other`.
    pub fn merged(&self, other: &Self) -> Result<Self> {
        each!(self, other; keys, other => {
            let mut keys = (**keys).clone();
            keys.merge((**other).clone()).map(|()| Arc::new(keys))
        })
    }

    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write, step: impl FnMut(u64, u64) -> bool) -> Result<()> {
        match (self, ctx) {
            (Ckks(keys), Ckks(ctx)) => keys.write_to_observed(ctx, out, step),
            (Heaan(keys), Heaan(ctx)) => keys.write_to(ctx, out, step),
            _ => Err(foreign(&ctx.params(), self.what(), &self.params())),
        }
    }

    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        match ctx {
            Ckks(ctx) => ringjet::EvaluationKeys::from_bytes(ctx, data, limits).map(|keys| Ckks(keys.into())),
            Heaan(ctx) => heaan::EvaluationKeys::from_bytes(ctx, data, limits).map(|keys| Heaan(keys.into())),
        }
    }

    pub fn read_from(
        ctx: &Context,
        from: &mut dyn std::io::Read,
        limits: Limits,
        step: impl FnMut(u64, u64) -> bool,
    ) -> Result<Self> {
        match ctx {
            Ckks(ctx) => ringjet::EvaluationKeys::read_from(ctx, from, limits, step).map(|keys| Ckks(keys.into())),
            Heaan(ctx) => heaan::EvaluationKeys::read_from(ctx, from, limits, step).map(|keys| Heaan(keys.into())),
        }
    }
}

impl Ciphertext {
    pub fn slots(&self) -> usize {
        both!(self, ct => ct.slots())
    }

    pub fn log_slots(&self) -> u32 {
        both!(self, ct => ct.log_slots())
    }

    pub fn noise(&self) -> Noise {
        both!(self, ct => ct.noise())
    }

    /// Binary logarithm of the scale.
    pub fn scale_log2(&self) -> f64 {
        match self {
            Ckks(ct) => ct.scale().log2(),
            Heaan(ct) => ct.log_scale().into(),
        }
    }

    pub fn with_magnitude(&self, magnitude: f64) -> Self {
        match self {
            Ckks(ct) => Ckks(ct.clone().with_magnitude(magnitude)),
            Heaan(ct) => Heaan(ct.clone().with_magnitude(magnitude)),
        }
    }

    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        each!(self, ct => ct.with_log_slots(log_slots))
    }

    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        match (self, ctx) {
            (Ckks(ct), Ckks(ctx)) => ct.to_bytes(ctx),
            (Heaan(ct), Heaan(ctx)) => ct.to_bytes(ctx),
            _ => Err(foreign(&ctx.params(), self.what(), &self.params())),
        }
    }

    /// Bytes of the other scheme belong to other parameters.
    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        let own = if matches!(ctx, Ckks(_)) { Kind::Ciphertext } else { Kind::HeaanCiphertext };
        let other = |kind: Kind| kind != own && matches!(kind, Kind::Ciphertext | Kind::HeaanCiphertext);
        match (ctx, peek(data)) {
            (ctx, Ok(header)) if other(header.kind) => {
                let (what, found) = (header.kind.name(), header.fingerprint_hex());
                Err(Error::ParameterMismatch { what, expected: ctx.params().fingerprint_hex(), found })
            }
            (Ckks(ctx), _) => ringjet::Ciphertext::from_bytes(ctx, data, limits).map(Ckks),
            (Heaan(ctx), _) => heaan::Ciphertext::from_bytes(ctx, data, limits).map(Heaan),
        }
    }
}

impl Evaluator {
    pub fn new(ctx: &Context, keys: EvaluationKeys) -> Result<Self> {
        match (ctx, keys) {
            (Ckks(ctx), Ckks(keys)) => ringjet::Evaluator::new(ctx, keys).map(Ckks),
            (Heaan(ctx), Heaan(keys)) => heaan::Evaluator::new(ctx, keys).map(Heaan),
            (_, keys) => Err(foreign(&ctx.params(), keys.what(), &keys.params())),
        }
    }

    /// The parameters.
    pub fn params(&self) -> Parameters {
        self.context().params()
    }

    pub fn context(&self) -> Context {
        match self {
            Ckks(e) => Ckks(e.context().clone()),
            Heaan(e) => Heaan(e.context().clone()),
        }
    }
}

/// Operations of one ciphertext, with the same name and arguments in both schemes.
macro_rules! unary {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        impl Evaluator { $(
            pub fn $name(&self, x: &Ciphertext, $($arg: $type),*) -> Result<Ciphertext> {
                each!(self, x; e, x => e.$name(x, $($arg),*))
            }
        )* }
    };
}
unary! {
    neg();
    mul_integer(factor: i64);
    add_values(values: &[Complex64]);
    mul_values(values: &[Complex64]);
    conjugate();
    inner_sum(stride: i64, count: usize);
    times_i();
}

/// Operations of two ciphertexts.
macro_rules! binary {
    ($($name:ident)*) => {
        impl Evaluator { $(
            pub fn $name(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
                match (self, a, b) {
                    (Ckks(e), Ckks(a), Ckks(b)) => e.$name(a, b).map(Ckks),
                    (Heaan(e), Heaan(a), Heaan(b)) => e.$name(a, b).map(Heaan),
                    _ => Err(self.stranger(&[a, b])),
                }
            }
        )* }
    };
}
binary! { add_auto sub_auto mul_auto }

impl Evaluator {
    /// Of ciphertexts of which at least one is of the other scheme.
    fn stranger(&self, cts: &[&Ciphertext]) -> Error {
        let params = self.params();
        let check = |ct: &&Ciphertext| params.expect_same(ct.what(), &ct.params()).err();
        cts.iter().find_map(check).unwrap_or(Error::Parameters("two schemes".into()))
    }

    pub fn add_scalar(&self, x: &Ciphertext, c: f64) -> Result<Ciphertext> {
        match (self, x) {
            (Ckks(e), Ckks(x)) => e.add_scalar(x, c).map(Ckks),
            (Heaan(e), Heaan(x)) => e.add_const(x, c).map(Heaan),
            _ => Err(self.stranger(&[x])),
        }
    }

    pub fn mul_scalar_auto(&self, x: &Ciphertext, c: f64) -> Result<Ciphertext> {
        match (self, x) {
            (Ckks(e), Ckks(x)) => e.mul_scalar_auto(x, c).map(Ckks),
            (Heaan(e), Heaan(x)) => e.mul_const_auto(x, c).map(Heaan),
            _ => Err(self.stranger(&[x])),
        }
    }

    /// By `k`, or by a rotation equal to it for this packing that there is a key for.
    pub fn rotate(&self, x: &Ciphertext, k: i64) -> Result<Ciphertext> {
        match (self, x) {
            (Ckks(e), Ckks(x)) => e.rotate(x, with_key(e, x, k)).map(Ckks),
            (Heaan(e), Heaan(x)) => e.rotate(x, k).map(Heaan),
            _ => Err(self.stranger(&[x])),
        }
    }

    pub fn rotations(&self, x: &Ciphertext, ks: &[i64]) -> Result<Vec<Ciphertext>> {
        if let (Ckks(e), Ckks(x)) = (self, x) {
            let ks: Vec<i64> = ks.iter().map(|&k| with_key(e, x, k)).collect();
            return Ok(e.rotate_hoisted(x, &ks)?.into_iter().map(Ckks).collect());
        }
        ks.iter().map(|&k| self.rotate(x, k)).collect()
    }

    /// The sum of `x y` over all pairs, of which there is at least one.
    pub fn mul_sum_auto(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        if let Ckks(e) = self {
            let own = pairs.iter().map(|pair| match pair {
                (Ckks(x), Ckks(y)) => Ok((x, y)),
                (x, y) => Err(self.stranger(&[x, y])),
            });
            return e.mul_sum_auto(&own.collect::<Result<Vec<_>>>()?).map(Ckks);
        }
        self.sum(pairs.iter().map(|(x, y)| self.mul_auto(x, y)))
    }

    /// The sum of `weight x`, of at least one term; at a level where CKKS is told one, by default one below the lowest.
    pub fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: Option<usize>) -> Result<Ciphertext> {
        if let Ckks(e) = self {
            let own = terms.iter().map(|(x, weight)| match x {
                Ckks(x) => Ok((x, *weight)),
                Heaan(_) => Err(self.stranger(&[x])),
            });
            let own = own.collect::<Result<Vec<_>>>()?;
            let lowest = own.iter().map(|(x, _)| x.level()).min().unwrap_or(0);
            let none = Error::LevelExhausted { op: "weighted_sum", needed: 1, left: 0 };
            return e.weighted_sum(&own, level.or(lowest.checked_sub(1)).ok_or(none)?).map(Ckks);
        }
        self.sum(terms.iter().map(|(x, weight)| self.mul_scalar_auto(x, *weight)))
    }

    fn sum(&self, mut terms: impl Iterator<Item = Result<Ciphertext>>) -> Result<Ciphertext> {
        let none = || Error::Argument { name: "terms", value: "[]".into(), expected: "at least one term".into() };
        let first = terms.next().ok_or_else(none)??;
        terms.try_fold(first, |sum, x| self.add_auto(&sum, &x?))
    }
}

/// A rotation equal to `k` for this packing that there is a key for; `k` itself where there is none.
fn with_key(eval: &ringjet::Evaluator, x: &ringjet::Ciphertext, k: i64) -> i64 {
    let slots = x.slots() as i64;
    let k_reduced = k.rem_euclid(slots);
    let turns = eval.context().params().max_slots() as i64 / slots;
    let known = |r: &i64| eval.keys().rotation(*r).is_ok_and(|key| key.level() >= x.level());
    Some(k).filter(known).or_else(|| (0..turns).map(|t| k_reduced + t * slots).find(known)).unwrap_or(k)
}
