//! The objects of any scheme: enums over the schemes' own objects.

use std::sync::Arc;

use super::scheme::{self, Scheme};
use super::{Bgv, Ckks, Heaan};
use crate::{Error, Result};

/// Access to an object of the scheme `S`.
pub(super) trait SchemeObject<S: Scheme> {
    /// The scheme's own object.
    type Own;

    /// The scheme's own object. Refuses an object of other parameters than `params`.
    fn of(&self, params: &Parameters) -> Result<&Self::Own>;
}

/// Most objects are held by value, not in an `Arc`.
type Plain<T> = T;

/// Defines the enum of an object, the conversions into it, and the method `params`.
macro_rules! object {
    ([$($S:ident)*] ($(#[$doc:meta])* $Object:ident, $Held:ident, $what:literal, $own:ident => $params:expr)) => {
        $(#[$doc])*
        pub enum $Object {
            $(#[doc = concat!("Of [`", stringify!($S), "`].")] $S($Held<scheme::$Object<$S>>),)*
        }

        $(
            impl From<scheme::$Object<$S>> for $Object {
                fn from(own: scheme::$Object<$S>) -> Self {
                    Self::$S(own.into())
                }
            }

            impl SchemeObject<$S> for $Object {
                type Own = scheme::$Object<$S>;

                #[allow(unreachable_patterns, reason = "where there is one scheme")]
                fn of(&self, params: &Parameters) -> Result<&Self::Own> {
                    match self {
                        Self::$S(own) => Ok(own),
                        _ => Err(params.mismatch($what, &self.params())),
                    }
                }
            }
        )*

        impl $Object {
            /// The parameters.
            pub fn params(&self) -> Parameters {
                dispatch!(self, $Object, $own => $params.clone().into())
            }
        }
    };
    ($($(#[$doc:meta])* $Object:ident in $Held:ident, $what:literal, $own:ident => $params:expr;)*) => {
        $(schemes! { object! ($(#[$doc])* $Object, $Held, $what, $own => $params) })*
    };
}
object! {
    /// A checked, immutable parameter set.
    #[derive(Clone, Debug)]
    Parameters in Plain, "parameters", own => own;
    /// Parameters and the backend that computes on them.
    #[derive(Clone)]
    Context in Plain, "context", own => own.params();
    /// A secret key. It is wiped when it is dropped.
    SecretKey in Plain, "secret key", own => own.params();
    /// A public key, to encrypt with.
    #[derive(Clone)]
    PublicKey in Plain, "public key", own => own.params();
    /// The public keys that a server computes with; cheap to clone.
    #[derive(Clone)]
    EvaluationKeys in Arc, "evaluation keys", own => own.params();
    /// Values that are encoded but not encrypted.
    #[derive(Clone)]
    Plaintext in Plain, "plaintext", own => own.params();
    /// An encrypted vector.
    #[derive(Clone)]
    Ciphertext in Plain, "ciphertext", own => own.params();
    /// Computes on ciphertexts.
    #[derive(Clone)]
    Evaluator in Plain, "evaluator", own => own.context().params();
}

impl Parameters {
    /// Refuses an object of other parameters.
    pub fn expect_same(&self, what: &'static str, other: &Self) -> Result<()> {
        if self == other { Ok(()) } else { Err(self.mismatch(what, other)) }
    }

    fn mismatch(&self, what: &'static str, found: &Self) -> Error {
        Error::ParameterMismatch { what, expected: self.fingerprint_hex(), found: found.fingerprint_hex() }
    }
}
