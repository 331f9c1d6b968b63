//! Writing and reading of objects, common to all schemes.

use std::io::Write;

use ringjet_backend::host;
use sha2::{Digest, Sha256};

use super::fields::Field;
use super::header::{CHECKSUM_LEN, HEADER_LEN, Header, Kind, Object, Scheme, VERSION, damaged, malformed};
use super::stream::{Input, Reader, Writer};
use crate::rlwe::{Context, SchemeParameters};
use crate::{Error, KeyId, Result};

/// The checked parameters of a scheme, which its objects belong to.
pub trait ParameterSet: SchemeParameters {
    const SCHEME: Scheme;

    /// The description that parameters are made from, and as which they are written.
    type Spec: Field;

    /// The description, with all derived values filled in.
    fn described(&self) -> &Self::Spec;

    /// Checks a description, including its security. Without `allow_insecure`, a description that
    /// asks to be accepted as insecure must be secure nevertheless.
    fn checked(spec: &Self::Spec, allow_insecure: bool) -> Result<Self>;

    /// The size in bytes of the keys to bootstrap all slots; 0 if the parameters do not bootstrap.
    fn bootstrapping_bytes(&self) -> u64;
}

/// Limits on the objects that a loader accepts from a sender that is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The largest size of an object in bytes. `None` is 1 GiB, enough for every ciphertext and
    /// dozens of rotation keys of the largest preset. For evaluation keys of parameters that
    /// bootstrap, `None` adds the size of the keys to bootstrap all slots
    /// ([`crate::KeyPlan::sizes`]), by the reader's own parameters. Allocation is bounded by the
    /// bytes that are there: a residue of b bits becomes 8 bytes and a seed another polynomial, so
    /// at 40 to 50 bits an object grows by a factor of 2.6 to 3.2.
    pub max_bytes: Option<u64>,
    /// Accept parameter sets that are flagged `allow_insecure` and weaker than they state. Off by
    /// default: the sender must not decide that the receiver needs no security.
    pub allow_insecure: bool,
}

impl Limits {
    /// Objects of at most `max_bytes` bytes, and no insecure parameters.
    pub fn max_bytes(max_bytes: u64) -> Self {
        Self { max_bytes: Some(max_bytes), allow_insecure: false }
    }

    /// The largest size in bytes of an object of these parameters.
    pub(super) fn of(self, object: Object, params: &impl ParameterSet) -> u64 {
        self.max_bytes.unwrap_or_else(|| match object {
            Object::EvaluationKeys => DEFAULT_BYTES + params.bootstrapping_bytes(),
            _ => DEFAULT_BYTES,
        })
    }

    /// The same limits, but insecure parameters are accepted: for tests and experiments.
    pub fn allow_insecure(self) -> Self {
        Self { allow_insecure: true, ..self }
    }
}

/// The default of [`Limits::max_bytes`].
const DEFAULT_BYTES: u64 = 1 << 30;

/// The fingerprint of parameters: 16 bytes of SHA-256 of scheme, format version and description.
pub(crate) fn fingerprint_of<P: ParameterSet>(spec: &P::Spec) -> Result<[u8; 16]> {
    let mut bytes = format!("ringjet {} parameters {VERSION}\0", P::SCHEME).into_bytes();
    spec.put(&mut bytes)?;
    let hash: [u8; 32] = Sha256::digest(&bytes).into();
    Ok(std::array::from_fn(|i| hash[i]))
}

/// An object that belongs to a parameter set and to a secret.
pub trait Owned: Sized {
    type Parameters: ParameterSet;

    fn owner(&self) -> &Self::Parameters;

    /// The identity of the object's secret; [`KeyId::ANY`] if there is none.
    fn secret(&self) -> KeyId;
}

/// An object with an encoding of its own.
pub trait Body: Owned {
    const OBJECT: Object;

    fn body_len(&self) -> usize;

    /// Refuses an object whose bytes readers would refuse.
    fn expect_readable(&self) -> Result<()> {
        Ok(())
    }

    fn write_body(&self, ctx: &Context<Self::Parameters>, w: &mut Writer<'_>) -> Result<()>;

    /// Reads the body of an object of the secret `key`, up to the end of its last field.
    fn read_body(ctx: &Context<Self::Parameters>, key: KeyId, r: &mut impl Input) -> Result<Self>;
}

/// The header of an object with a body of `body` bytes, which belongs to the secret `key`.
pub(super) fn header_of<P: ParameterSet>(object: Object, params: &P, key: KeyId, body: usize) -> Header {
    let (kind, bytes) = (Kind { scheme: P::SCHEME, object }, total(body) as u64);
    Header { kind, version: VERSION, fingerprint: *params.ring().fingerprint(), bytes, key }
}

/// Bytes of an object with a body of `body` bytes.
pub(crate) fn total(body: usize) -> usize {
    HEADER_LEN + body + CHECKSUM_LEN
}

pub(crate) fn to_bytes<B: Body>(object: &B, ctx: &Context<B::Parameters>) -> Result<Vec<u8>> {
    let mut out = host::capacity(total(object.body_len()))?;
    write_to(object, ctx, &mut out)?;
    Ok(out)
}

pub(crate) fn write_to<B: Body>(object: &B, ctx: &Context<B::Parameters>, out: &mut dyn Write) -> Result<()> {
    let mut w = begin(object, ctx, out)?;
    object.write_body(ctx, &mut w)?;
    w.finish()
}

/// Writes the header of an object whose parameters are those of `ctx`.
pub(super) fn begin<'a, B: Body>(
    object: &B,
    ctx: &Context<B::Parameters>,
    out: &'a mut dyn Write,
) -> Result<Writer<'a>> {
    let params = object.owner();
    ctx.params().ring().expect_same(B::OBJECT.name(), params.ring())?;
    object.expect_readable()?;
    Writer::new(out, &header_of(B::OBJECT, params, object.secret(), object.body_len()))
}

pub(crate) fn from_bytes<B: Body>(ctx: &Context<B::Parameters>, bytes: &[u8], limits: Limits) -> Result<B> {
    let (header, mut r) = open(B::OBJECT, ctx.params(), bytes, limits)?;
    let object = B::read_body(ctx, header.key, &mut r)?;
    r.expect_remaining(0)?;
    Ok(object)
}

/// Gives an object type `to_bytes`, `write_to` and `from_bytes`. `$generics`, in braces, are the
/// type's parameters. The type has `params()`, which returns `$params`. `$secret` returns the
/// `KeyId` of an object.
macro_rules! as_bytes {
    ({$($generics:tt)*} $object:ty, $params:ty) => {
        $crate::wire::as_bytes!({$($generics)*} $object, $params, |object: &Self| object.key_id());
    };
    ({$($generics:tt)*} $object:ty, $params:ty, $secret:expr) => {
        impl<$($generics)*> $crate::wire::Owned for $object {
            type Parameters = $params;

            fn owner(&self) -> &$params {
                self.params()
            }

            fn secret(&self) -> $crate::KeyId {
                $secret(self)
            }
        }

        impl<$($generics)*> $object
        where
            Self: $crate::wire::Body<Parameters = $params>,
        {
            /// The object in the wire format: uniform polynomials are 32-byte seeds.
            ///
            /// # Errors
            /// [`ParameterMismatch`](crate::Error::ParameterMismatch) for an object of other parameters than the context's;
            /// what the backend refuses; and what no reader would take.
            pub fn to_bytes(&self, ctx: &$crate::rlwe::Context<$params>) -> $crate::Result<Vec<u8>> {
                $crate::wire::to_bytes(self, ctx)
            }

            /// Writes what `to_bytes` gives.
            /// Fails as `to_bytes` does, and with [`Io`](crate::Error::Io).
            pub fn write_to(
                &self,
                ctx: &$crate::rlwe::Context<$params>,
                out: &mut dyn std::io::Write,
            ) -> $crate::Result<()> {
                $crate::wire::write_to(self, ctx, out)
            }

            /// Reads what `to_bytes` gave.
            ///
            /// # Errors
            /// [`ParameterMismatch`](crate::Error::ParameterMismatch) for an object of other parameters;
            /// [`Malformed`](crate::Error::Malformed), [`OldVersion`](crate::Error::OldVersion),
            /// [`NewerVersion`](crate::Error::NewerVersion), [`TooManyBytes`](crate::Error::TooManyBytes), and what the
            /// backend refuses.
            pub fn from_bytes(
                ctx: &$crate::rlwe::Context<$params>,
                bytes: &[u8],
                limits: $crate::wire::Limits,
            ) -> $crate::Result<Self> {
                $crate::wire::from_bytes(ctx, bytes, limits)
            }
        }
    };
}
pub(crate) use as_bytes;

/// Gives a scheme's parameters `to_bytes`, `write_to` and `from_bytes`. `$bootstrapping` computes
/// [`ParameterSet::bootstrapping_bytes`].
macro_rules! parameters_as_bytes {
    ($scheme:expr, $params:ty, $spec:ty, $bootstrapping:expr) => {
        impl $crate::wire::ParameterSet for $params {
            const SCHEME: $crate::wire::Scheme = $scheme;
            type Spec = $spec;

            fn described(&self) -> &$spec {
                self.spec()
            }

            fn checked(spec: &$spec, allow_insecure: bool) -> $crate::Result<Self> {
                if spec.allow_insecure && !allow_insecure {
                    let mut strict = <$spec>::clone(spec);
                    strict.allow_insecure = false;
                    Self::new(&strict)?;
                }
                Self::new(spec)
            }

            fn bootstrapping_bytes(&self) -> u64 {
                $bootstrapping(self)
            }
        }

        impl $params {
            /// The parameter set in the wire format: its spec, with everything that follows from it
            /// spelt out. Fails with [`Backend`](crate::Error::Backend) without memory for it.
            pub fn to_bytes(&self) -> $crate::Result<Vec<u8>> {
                let mut out = Vec::new();
                self.write_to(&mut out)?;
                Ok(out)
            }

            /// Writes what `to_bytes` gives. Fails with [`Io`](crate::Error::Io).
            pub fn write_to(&self, out: &mut dyn std::io::Write) -> $crate::Result<()> {
                $crate::wire::write_parameters(self, out)
            }

            /// Reads a parameter set and checks it as `new` does, security included.
            ///
            /// # Errors
            /// What `new` refuses, also for a set that asks to be accepted as insecure, unless
            /// [`Limits::allow_insecure`](crate::wire::Limits::allow_insecure) does;
            /// [`Malformed`](crate::Error::Malformed), [`OldVersion`](crate::Error::OldVersion),
            /// [`NewerVersion`](crate::Error::NewerVersion),
            /// [`TooManyBytes`](crate::Error::TooManyBytes).
            pub fn from_bytes(bytes: &[u8], limits: $crate::wire::Limits) -> $crate::Result<Self> {
                $crate::wire::read_parameters(bytes, limits)
            }
        }
    };
}
pub(crate) use parameters_as_bytes;

/// The largest description of parameters in bytes: 128 levels of up to 128 primes take half.
const MAX_PARAMETERS: u64 = 1 << 16;

pub(crate) fn write_parameters<P: ParameterSet>(params: &P, out: &mut dyn Write) -> Result<()> {
    let mut body = Vec::new();
    params.described().put(&mut body)?;
    let mut w = Writer::new(out, &header_of(Object::Parameters, params, KeyId::ANY, body.len()))?;
    w.put(&body)?;
    w.finish()
}

pub(crate) fn read_parameters<P: ParameterSet>(bytes: &[u8], limits: Limits) -> Result<P> {
    let most = (HEADER_LEN + CHECKSUM_LEN) as u64 + MAX_PARAMETERS;
    let limit = limits.max_bytes.map_or(most, |limit| limit.min(most));
    let kind = Kind { scheme: P::SCHEME, object: Object::Parameters };
    let (header, mut r) = open_any(kind, bytes, limit, |_| Ok(()))?;
    let spec = P::Spec::read(&mut r)?;
    r.expect_remaining(0)?;
    let params = P::checked(&spec, limits.allow_insecure)?;
    let mut again = Vec::new();
    params.described().put(&mut again)?;
    if again != bytes[HEADER_LEN..bytes.len() - CHECKSUM_LEN] {
        return Err(malformed(kind.object.name(), HEADER_LEN, "these parameters have another encoding"));
    }
    params.ring().expect_fingerprint(kind.object.name(), &header.fingerprint)?;
    Ok(params)
}

/// Checks header, length, parameters and checksum; returns the header and a reader of the body.
pub(super) fn open<'a, P: ParameterSet>(
    object: Object,
    params: &P,
    bytes: &'a [u8],
    limits: Limits,
) -> Result<(Header, Reader<'a>)> {
    let check = |header: &Header| params.ring().expect_fingerprint(object.name(), &header.fingerprint);
    open_any(Kind { scheme: P::SCHEME, object }, bytes, limits.of(object, params), check)
}

/// Like [`open`]; `check` is called with the header once the length is known to be right.
pub(crate) fn open_any(
    kind: Kind,
    bytes: &[u8],
    limit: u64,
    check: impl FnOnce(&Header) -> Result<()>,
) -> Result<(Header, Reader<'_>)> {
    let (what, given) = (kind.object.name(), bytes.len() as u64);
    if given > limit {
        return Err(Error::TooManyBytes { what, bytes: given, limit });
    }
    let header = Header::decode(bytes, what)?;
    header.expect(kind, limit)?;
    if header.bytes > given {
        return Err(malformed(what, bytes.len(), format!("truncated: {given} of {} bytes", header.bytes)));
    }
    if header.bytes < given {
        let reason = format!("{} bytes too many at the end", given - header.bytes);
        return Err(malformed(what, header.bytes as usize, reason));
    }
    check(&header)?;
    let end = bytes.len() - CHECKSUM_LEN;
    // the checksum of secrets must not look up a table at secret addresses
    let checksum = if kind.object.is_secret() { crc32 } else { crc32fast::hash };
    if checksum(&bytes[..end]).to_le_bytes() != bytes[end..] {
        return Err(damaged(what, end));
    }
    Ok((header, Reader::new(&bytes[HEADER_LEN..end], HEADER_LEN, what)))
}

/// CRC-32 (IEEE) bit by bit, without the tables that `crc32fast` may index by secret bytes.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| c >> 1 ^ 0xedb8_8320 & (c & 1).wrapping_neg())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn crc32_agrees_with_the_fast_one() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926); // the check value of CRC-32/ISO-HDLC
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for len in [0, 1, 7, 63, 64, 999] {
            assert_eq!(super::crc32(&bytes[..len]), crc32fast::hash(&bytes[..len]));
        }
    }
}
