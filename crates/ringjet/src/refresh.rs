//! How an evaluator refreshes ciphertexts by itself, without knowing what bootstrapping is.

use std::any::Any;
use std::fmt;

use crate::Result;

/// Refreshes ciphertexts for an evaluator `E` that it is attached to: bootstrapping, in practice.
/// [`Bootstrappers`](crate::circuits::Bootstrappers) is one for each scheme.
pub trait Refresh<E, C>: Any + Send + Sync + fmt::Debug {
    /// The same message with more to spend.
    ///
    /// # Errors
    /// Those of bootstrapping.
    fn refresh(&self, eval: &E, a: &C) -> Result<C>;

    /// The same message, refreshed where it could not be refreshed any more once `amount` is spent: levels, or bits of a
    /// modulus. Where it cannot be refreshed for want of keys, or would gain less than `amount`, it stays as it is.
    ///
    /// # Errors
    /// As [`Refresh::refresh`].
    fn before_spending(&self, eval: &E, a: &C, amount: usize) -> Result<C>;
}
