//! Plaintexts and ciphertexts as bytes.

use ringjet_backend::{Buf, View};

use super::{Approximate, Ciphertext, Plaintext};
use crate::rlwe::Context;
use crate::wire::{Encrypted, Head, Vector, as_bytes};
use crate::{KeyId, Range, Result};

as_bytes!({P: Approximate} Plaintext<P>, P, |_: &Self| KeyId::ANY);
as_bytes!({P: Approximate} Ciphertext<P>, P);

impl<P: Approximate> Vector for Plaintext<P> {
    type Content = Range;

    fn parts(&self) -> (Head<P, Range>, View<'_>) {
        (Head { log_slots: self.log_slots(), position: self.position(), content: self.range() }, self.view())
    }

    fn from_parts(ctx: &Context<P>, _: KeyId, head: Head<P, Range>, buf: Buf) -> Self {
        Self::new(ctx, buf, head.position, head.log_slots, head.content)
    }
}

impl<P: Approximate> Vector for Ciphertext<P> {
    type Content = Encrypted;

    fn parts(&self) -> (Head<P, Encrypted>, View<'_>) {
        let content = Encrypted { noise: self.noise(), polys: self.polys() as u8, seed: self.seed().copied() };
        (Head { log_slots: self.log_slots(), position: self.position(), content }, self.view())
    }

    fn from_parts(ctx: &Context<P>, key: KeyId, head: Head<P, Encrypted>, buf: Buf) -> Self {
        let Encrypted { noise, polys, seed } = head.content;
        let made = Self::new(ctx.params(), buf, polys.into(), head.position, head.log_slots, noise);
        match seed {
            Some(seed) => made.with_key(key).with_seed(seed),
            None => made.with_key(key),
        }
    }

    fn expect_readable(&self) -> Result<()> {
        P::expect_writable(self.position())
    }
}
