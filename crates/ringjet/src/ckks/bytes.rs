//! CKKS's parameters, plaintexts and ciphertexts as bytes.

use std::ops::RangeInclusive;

use ringjet_backend::{Backend, Buf, View};

use super::params::{BootstrapSpec, LevelSpec, ModulusSpec, ParamSpec};
use crate::rng::PublicSeed;
use crate::wire::residues::{self, poly_len};
use crate::wire::{
    Encrypted, Field, Head, Home, Input, Object, ParameterSet, Scheme, Shape, Vector, Writer, as_bytes,
    parameters_as_bytes, record,
};
use crate::{Ciphertext, Context, Error, KeyId, KeyRequest, Parameters, Plaintext, Range, Result, Scale};

parameters_as_bytes!(Parameters);
as_bytes!(Plaintext, Context);
as_bytes!(Ciphertext, Context);

record!(LevelSpec { primes, scale });
record!(BootstrapSpec {
    slots_to_coeffs, coeffs_to_slots, slots_to_coeffs_first, k, degree, double_angles, arcsine, passes, secret_weight
} without { levelled: false });

impl Field for ModulusSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Primes(primes) => primes.put(out),
            Self::Bits(_) => Err(Error::Parameters("primes must be spelt out".into())),
        }
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Vec::read(r).map(Self::Primes)
    }
}

/// With every prime and the number of limbs of a digit spelt out.
impl Field for ParamSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.log_n.put(out)?;
        self.q.put(out)?;
        self.p.put(out)?;
        self.scale_bits.put(out)?;
        self.alpha.unwrap_or(0).put(out)?;
        self.security.put(out)?;
        self.allow_insecure.put(out)?;
        self.levels.put(out)?;
        self.bootstrap.put(out)?;
        self.digits.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(Self {
            log_n: Field::read(r)?,
            q: Field::read(r)?,
            p: Field::read(r)?,
            scale_bits: Field::read(r)?,
            alpha: Some(Field::read(r)?),
            security: Field::read(r)?,
            allow_insecure: Field::read(r)?,
            levels: Field::read(r)?,
            bootstrap: Field::read(r)?,
            digits: Field::read(r)?,
        })
    }
}

impl ParameterSet for Parameters {
    const SCHEME: Scheme = Scheme::Ckks;
    type Spec = ParamSpec;

    fn fingerprint(&self) -> &[u8; 16] {
        self.fingerprint()
    }

    fn ring_log_n(&self) -> u32 {
        self.log_n()
    }

    fn described(&self) -> &ParamSpec {
        self.spec()
    }

    fn checked(spec: &ParamSpec, allow_insecure: bool) -> Result<Self> {
        if spec.allow_insecure && !allow_insecure {
            Self::new(&ParamSpec { allow_insecure: false, ..spec.clone() })?;
        }
        Self::new(spec)
    }

    fn bootstrapping_bytes(&self) -> u64 {
        let request = KeyRequest { bootstrapping: vec![self.log_n() - 1], ..KeyRequest::default() };
        request.sizes(self).map_or(0, |sizes| sizes.bytes_at_rest)
    }
}

impl Home for Context {
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        self.params()
    }

    fn machine(&self) -> &dyn Backend {
        self.backend()
    }
}

/// What vectors of CKKS say besides the common fields.
pub(crate) struct Levelled {
    level: u16,
    scale: Scale,
}

record!(Levelled { level, scale });

impl Levelled {
    fn basis<'a>(&self, params: &'a Parameters) -> &'a ringjet_math::Basis {
        &params.level(self.level.into()).basis
    }
}

impl Shape for Levelled {
    type Home = Context;
    const POLYS: RangeInclusive<u8> = 2..=3;

    fn check(&self, params: &Parameters, _: Object) -> std::result::Result<(), String> {
        let (level, highest) = (usize::from(self.level), params.max_level());
        if level > highest { Err(format!("level {level} is above the highest level {highest}")) } else { Ok(()) }
    }

    fn scale(&self) -> Scale {
        self.scale
    }

    fn poly_len(&self, params: &Parameters) -> usize {
        poly_len(self.basis(params))
    }

    fn alloc(&self, ctx: &Context, polys: usize) -> Result<Buf> {
        ctx.alloc(polys * self.basis(ctx.params()).len())
    }

    fn write_polys(&self, ctx: &Context, w: &mut Writer<'_>, view: View<'_>) -> Result<()> {
        residues::write(ctx, w, view, self.basis(ctx.params()))
    }

    fn read_poly(&self, ctx: &Context, r: &mut impl Input, buf: &mut Buf, poly: usize) -> Result<()> {
        let basis = self.basis(ctx.params());
        residues::read(ctx, r, buf, poly * basis.len(), basis)
    }

    fn expand(&self, ctx: &Context, buf: &mut Buf, seed: &PublicSeed) -> Result<()> {
        let basis = self.basis(ctx.params());
        ctx.expand_into(buf, basis.len(), seed, 0, basis)
    }
}

impl Vector for Plaintext {
    type Shape = Levelled;
    type Content = Range;

    fn owner(&self) -> (&Parameters, KeyId) {
        (self.params(), KeyId::ANY)
    }

    fn head(&self) -> Head<Levelled, Range> {
        let shape = Levelled { level: self.level() as u16, scale: self.scale() };
        Head { log_slots: self.log_slots(), shape, content: self.range() }
    }

    fn polynomials(&self) -> View<'_> {
        self.view()
    }

    fn from_head(ctx: &Context, _: KeyId, head: Head<Levelled, Range>, polys: Buf) -> Self {
        let Levelled { level, scale } = head.shape;
        Self::from_buf(ctx, polys, level.into(), scale, head.log_slots, head.content)
    }
}

impl Vector for Ciphertext {
    type Shape = Levelled;
    type Content = Encrypted;

    fn owner(&self) -> (&Parameters, KeyId) {
        (self.params(), self.key_id())
    }

    fn head(&self) -> Head<Levelled, Encrypted> {
        let shape = Levelled { level: self.level() as u16, scale: self.scale() };
        let content = Encrypted { noise: self.noise(), polys: self.polys() as u8, seed: self.seed().copied() };
        Head { log_slots: self.log_slots(), shape, content }
    }

    fn polynomials(&self) -> View<'_> {
        self.view()
    }

    fn from_head(ctx: &Context, key: KeyId, head: Head<Levelled, Encrypted>, buf: Buf) -> Self {
        let (Levelled { level, scale }, Encrypted { noise, polys, seed }) = (head.shape, head.content);
        let (params, polys) = (ctx.params(), polys.into());
        let ct = Self::from_parts(params, buf, polys, level.into(), scale, head.log_slots, noise).with_key(key);
        match seed {
            Some(seed) => ct.with_seed(seed),
            None => ct,
        }
    }
}
