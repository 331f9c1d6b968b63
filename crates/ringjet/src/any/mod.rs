//! The objects of whichever scheme, under one set of names: what the Python classes and the command
//! hold.
//!
//! Each object ([`Parameters`], [`Context`], [`Ciphertext`], ...) is an enum with one variant a
//! scheme. Its methods call what the scheme's own object does under the same name, or a function of
//! the trait `Scheme` where schemes differ. An operation that a scheme lacks is refused with
//! [`Error::Unsupported`], which says what the scheme has instead.
//! Objects of two schemes belong to two parameter sets, and are refused with
//! [`Error::ParameterMismatch`]. Other errors are those of the
//! scheme's own method.
//!
//! To add a scheme, add its name to `schemes!` below and a module that implements `Scheme` for it;
//! `docs/design/architecture.md` lists the steps.

/// Hands the names of all schemes to another macro, with what is written after it.
macro_rules! schemes {
    ($macro:ident! $input:tt) => {
        $macro! { [Ckks Heaan] $input }
    };
}

/// `dispatch!(value, Object, own => body)`: `body` with `own`, the scheme's own object in `value`,
/// and the type `Own`, its scheme.
macro_rules! dispatch {
    ([$($S:ident)*] ($value:expr, $Object:ident, $own:ident => $body:expr)) => {
        match $value {
            $($Object::$S($own) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type Own = crate::any::$S;
                $body
            })*
        }
    };
    ($value:expr, $Object:ident, $own:ident => $body:expr) => {
        schemes! { dispatch! ($value, $Object, $own => $body) }
    };
}

/// What a line of a table calls: `own.name`, a method of the scheme's own object, or `Own::name`, a
/// function of [`Scheme`].
macro_rules! call {
    ($own:ident (own.$name:ident) ($($arg:expr),* $(,)?)) => { $own.$name($($arg),*) };
    ($own:ident (Own::$name:ident) ($($arg:expr),* $(,)?)) => { Own::$name($own, $($arg),*) };
}

/// Methods that cannot fail.
macro_rules! getters {
    ($Object:ident: $($(#[$doc:meta])* fn $of:ident $how:tt $name:ident($($arg:ident: $Arg:ty),*) -> $Out:ty;)*) => {
        impl $Object { $(
            $(#[$doc])*
            pub fn $name(&self, $($arg: $Arg),*) -> $Out {
                dispatch!(self, $Object, own => call!(own ($of $how $name) ($($arg),*)).into())
            }
        )* }
    };
}

/// Methods that can fail. Before the semicolon: further objects, which must be of the same scheme.
macro_rules! methods {
    ($Object:ident: $($(#[$doc:meta])*
        fn $of:ident $how:tt $name:ident($($object:ident: $Other:ident),*; $($arg:ident: $Arg:ty),*) -> $Out:ty;)*) => {
        impl $Object { $(
            $(#[$doc])*
            pub fn $name(&self, $($object: &$Other,)* $($arg: $Arg),*) -> Result<$Out> {
                #[allow(unused, reason = "some methods take no further object")]
                let params = self.params();
                dispatch!(self, $Object, own => {
                    $(let $object = Of::<Own>::of($object, &params)?;)*
                    Ok(call!(own ($of $how $name) ($($object,)* $($arg),*))?.into())
                })
            }
        )* }
    };
}

/// Functions that make an object, of a first object that says which scheme it is.
macro_rules! constructors {
    ($Object:ident: $($(#[$doc:meta])*
        $name:ident($first:ident: $First:ident $(, $object:ident: $Other:ident)*; $($arg:ident: $Arg:ty),*);)*) => {
        impl $Object { $(
            $(#[$doc])*
            pub fn $name($first: &$First, $($object: &$Other,)* $($arg: $Arg),*) -> Result<Self> {
                #[allow(unused, reason = "some constructors take no further object")]
                let params = $first.params();
                dispatch!($first, $First, own => {
                    $(let $object = Of::<Own>::of($object, &params)?;)*
                    Ok(<<Own as Scheme>::$Object>::$name(own, $($object,)* $($arg),*)?.into())
                })
            }
        )* }
    };
}

mod ckks;
mod eval;
mod heaan;
mod keys;
mod params;
mod scheme;
mod transform;

pub use ckks::Ckks;
pub use eval::Budget;
pub use heaan::Heaan;
pub use params::{Bootstrapping, Level, Sizes, preset_names};
pub use scheme::At;
use scheme::Scheme;
pub use transform::Transform;

use std::sync::Arc;

use crate::{Error, Result};

/// An object as the scheme `S` has it.
trait Of<S: Scheme> {
    /// The scheme's own object.
    type Own;

    /// Refuses an object of another scheme than the one of `params`.
    fn of(&self, params: &Parameters) -> Result<&Self::Own>;
}

/// How most objects are held.
type Plain<T> = T;

/// The enum of an object, conversions into it, and its parameters.
macro_rules! object {
    ([$($S:ident)*] ($(#[$doc:meta])* $Object:ident, $Held:ident, $what:literal, $own:ident => $params:expr)) => {
        $(#[$doc])*
        pub enum $Object {
            $(#[doc = concat!("Of [`", stringify!($S), "`].")] $S($Held<<$S as Scheme>::$Object>),)*
        }

        $(
            impl From<<$S as Scheme>::$Object> for $Object {
                fn from(own: <$S as Scheme>::$Object) -> Self {
                    Self::$S(own.into())
                }
            }

            impl Of<$S> for $Object {
                type Own = <$S as Scheme>::$Object;

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
    #[derive(Clone)]
    Parameters in Plain, "parameters", own => own;
    /// Parameters on a machine.
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
    /// Values that are encoded and not encrypted.
    #[derive(Clone)]
    Plaintext in Plain, "plaintext", own => own.params();
    /// An encrypted vector.
    #[derive(Clone)]
    Ciphertext in Plain, "ciphertext", own => own.params();
    /// What computes on ciphertexts.
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
