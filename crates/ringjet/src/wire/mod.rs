//! Objects as bytes: one documented format, byte for byte in `docs/design/wire-format.md`.
//!
//! Everything a client and a server send each other has `to_bytes`, `write_to` and `from_bytes`. Loading checks
//! everything before it allocates: the declared length against [`Limits`], the format version, the fingerprint of the
//! parameters, a checksum, every length against the parameters, every residue against its modulus. What is refused is
//! refused with a typed error; nothing that is read can panic.
//!
//! * Residues take as many bits as their prime, and uniform polynomials travel as 32-byte seeds: a relinearisation
//!   key is about a third of what whole words and both halves would take.
//! * The checksum finds accidents. It is no protection against anybody: who can change the bytes can change the
//!   checksum. Bytes that must come from somebody need a signature or an authenticated channel around them.
//! * A secret key is written and read by functions of its own name ([`crate::SecretKey::to_secret_bytes`],
//!   [`crate::SecretKey::from_secret_bytes`]); no other loader takes its bytes.
//! * Keys for bootstrapping take gigabytes: [`crate::EvaluationKeys::read_from`] and
//!   [`crate::EvaluationKeys::write_to_observed`] stream them, [`crate::KeyMemory::Compressed`] halves them in memory. Files
//!   that are mapped into memory are bytes like any others.
//!
//! ```
//! # use std::sync::Arc;
//! # use ringjet::{Ciphertext, Context, ParamSpec, Parameters, Plaintext, SecretKey, rng::Seed, wire};
//! # fn main() -> ringjet::Result<()> {
//! # let params = Parameters::new(&ParamSpec::uniform(6, 50, 2, 40, 2).allow_insecure())?;
//! # let ctx = Context::new(&params, Arc::new(ringjet_backend::Reference::default()));
//! # let secret = SecretKey::generate(&params)?;
//! # let plaintext = Plaintext::encode_real(&ctx, &[0.5, -0.25], 2, 1)?;
//! let ciphertext = secret.encrypt(&ctx, &plaintext, &Seed::from_os()?)?;
//! let bytes = ciphertext.to_bytes(&ctx)?;
//! assert_eq!(wire::peek(&bytes)?.kind.object, wire::Object::Ciphertext);
//! let same = Ciphertext::from_bytes(&ctx, &bytes, wire::Limits::default())?;
//! assert_eq!(same.to_bytes(&ctx)?, bytes);
//! # Ok(()) }
//! ```

mod fields;
mod header;
mod keys;
mod keyset;
mod object;
mod pack;
pub(crate) mod residues;
mod secret;
mod stream;
mod vectors;

pub(crate) use fields::{Field, record};
pub(crate) use header::malformed;
pub use header::{Header, Kind, Object, Scheme, peek};
pub(crate) use keyset::{KeyBytes, total_of};
pub(crate) use object::{
    Body, Owned, ParameterSet, as_bytes, fingerprint_of, from_bytes, parameters_as_bytes, read_parameters, to_bytes,
    write_parameters, write_to,
};
pub(crate) use pack::Width;
pub(crate) use stream::{Input, Writer};
use stream::{Reader, Stream};
pub(crate) use vectors::{Encrypted, Head, Shape, Vector};

/// The first four bytes of every object.
pub const MAGIC: [u8; 4] = *b"RJET";

/// The format version, which is the one written and read.
pub const VERSION: u16 = 2;

/// Bytes of a header.
pub const HEADER_LEN: usize = 48;

/// Bytes of the checksum at the end.
pub const CHECKSUM_LEN: usize = 4;

/// What a loader accepts from a stranger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Most bytes of an object. `None` is 1 GiB, which holds every ciphertext and dozens of
    /// rotation keys of the largest preset, and for evaluation keys of parameters that bootstrap
    /// also what the keys to bootstrap all slots take ([`crate::KeyPlan::sizes`]): the reader's own
    /// parameters say so, not the sender. What is allocated is bounded by the bytes that are there:
    /// a residue of b bits becomes 8 bytes, and a seeded polynomial brings another one with it, so
    /// at 40 to 50 bits an object grows by a factor of 2.6 to 3.2.
    pub max_bytes: Option<u64>,
    /// Accept parameter sets that are flagged `allow_insecure` and are weaker than they say. Off by
    /// default: whoever sends parameters must not be the one who decides that they need no
    /// security.
    pub allow_insecure: bool,
}

impl Limits {
    /// At most `max_bytes`, and no insecure parameters.
    pub fn max_bytes(max_bytes: u64) -> Self {
        Self { max_bytes: Some(max_bytes), allow_insecure: false }
    }

    /// The same, with insecure parameters accepted: for tests and experiments.
    pub fn allow_insecure(self) -> Self {
        Self { allow_insecure: true, ..self }
    }
}

/// [`Limits::max_bytes`] where none is given.
const DEFAULT_BYTES: u64 = 1 << 30;
