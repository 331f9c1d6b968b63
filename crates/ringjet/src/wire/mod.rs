//! Objects as bytes: one documented format, byte for byte in `docs/design/wire-format.md`.
//!
//! Every object that client and server exchange has `to_bytes`, `write_to` and `from_bytes`.
//! Loading checks before it allocates: the declared length against [`Limits`], the format version,
//! the fingerprint of the parameters, a checksum, every length against the parameters, every
//! residue against its modulus. Refusals are typed errors; no input can cause a panic.
//!
//! * Residues take as many bits as their prime, and uniform polynomials are sent as 32-byte seeds:
//!   a relinearisation key takes about a third of what whole words and both halves would take.
//! * The checksum detects accidents only: an attacker who can change the bytes can change the
//!   checksum. Bytes of which the sender matters need a signature or an authenticated channel.
//! * A secret key is written and read by functions of its own name ([`crate::SecretKey::to_secret_bytes`],
//!   [`crate::SecretKey::from_secret_bytes`]); no other loader takes its bytes.
//! * Keys for bootstrapping take gigabytes: [`crate::EvaluationKeys::read_from`] and
//!   [`crate::EvaluationKeys::write_to_observed`] stream them, [`crate::KeyMemory::Compressed`]
//!   halves their memory. The bytes of a mapped file can be loaded like any others.
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
mod held;
mod keys;
mod keyset;
mod object;
mod residues;
mod stream;
mod vectors;

pub(crate) use fields::{Field, record};
pub use header::{CHECKSUM_LEN, HEADER_LEN, Header, Kind, MAGIC, Object, Scheme, VERSION, peek};
pub(crate) use held::Held;
pub(crate) use keys::{SEED_LEN, read_halves, read_polys};
pub use keys::{secret_answers, set_secret_answers};
pub(crate) use keyset::{KeyBytes, total_of};
pub use object::Limits;
pub(crate) use object::{
    Body, Owned, ParameterSet, as_bytes, crc32, fingerprint_of, from_bytes, open_any, parameters_as_bytes,
    read_parameters, to_bytes, total, write_parameters, write_to,
};
pub(crate) use residues::{PolyModulus, Width, packed, write as write_polys};
pub(crate) use stream::{Input, Reader, Writer};
pub(crate) use vectors::{Head, Shape, Vector};
