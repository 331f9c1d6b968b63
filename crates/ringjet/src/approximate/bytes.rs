//! Plaintexts and ciphertexts as bytes.

use ringjet_backend::{Buf, View};

use super::{Approximate, Ciphertext, Plaintext};
use crate::rlwe::Context;
use crate::wire::{Head, Vector, as_bytes};
use crate::{KeyId, Noise, Range, Result};

as_bytes!({P: Approximate} Plaintext<P>, P, |_: &Self| KeyId::ANY);
as_bytes!({P: Approximate} Ciphertext<P>, P);

impl<P: Approximate> Vector for Plaintext<P> {
    type About = Range;

    fn parts(&self) -> (Head<P, Range>, View<'_>) {
        let (log_slots, position) = (self.log_slots(), self.position());
        (Head { log_slots, position, about: self.range(), polys: 1, seed: None }, self.view())
    }

    fn from_parts(ctx: &Context<P>, _: KeyId, head: Head<P, Range>, buf: Buf) -> Self {
        Self::new(ctx, buf, head.position, head.log_slots, head.about)
    }
}

impl<P: Approximate> Vector for Ciphertext<P> {
    type About = Noise;

    fn parts(&self) -> (Head<P, Noise>, View<'_>) {
        let (log_slots, position) = (self.log_slots(), self.position());
        let (polys, seed) = (self.polys() as u8, self.seed().copied());
        (Head { log_slots, position, about: self.noise(), polys, seed }, self.view())
    }

    fn from_parts(ctx: &Context<P>, key: KeyId, head: Head<P, Noise>, buf: Buf) -> Self {
        let Head { log_slots, position, about, polys, seed } = head;
        let made = Self::new(ctx.params(), buf, polys.into(), position, log_slots, about);
        match seed {
            Some(seed) => made.with_key(key).with_seed(seed),
            None => made.with_key(key),
        }
    }

    fn expect_readable(&self) -> Result<()> {
        P::expect_writable(self.position())
    }
}
