//! The objects of any scheme, under one set of names. The Python classes and the command hold them.
//!
//! Each object ([`Parameters`], [`Context`], [`Ciphertext`], ...) is an enum with one variant for
//! each scheme. Its methods call the method of the same name of the scheme's own object, or a
//! function of the trait `Scheme` where schemes differ. An operation that a scheme lacks is refused
//! with [`Error::Unsupported`](crate::Error::Unsupported), which says what the scheme has instead.
//! Objects of two schemes belong to two parameter sets, and are refused with
//! [`Error::ParameterMismatch`](crate::Error::ParameterMismatch). Other errors are those of the
//! scheme's own method.
//!
//! To add a scheme, add its name to `schemes!` below and a module that implements `Scheme` for it;
//! `docs/design/architecture.md` lists the steps.

/// Calls another macro with the names of all schemes and the given tokens.
macro_rules! schemes {
    ($macro:ident! $input:tt) => {
        $macro! { [Ckks Heaan Bgv] $input }
    };
}

/// `dispatch!(value, Object, own => body)` evaluates `body` with the scheme's own object `own` of
/// `value`. In `body` the type `Own` is the scheme.
macro_rules! dispatch {
    ([$($S:ident)*] ($value:expr, $Object:ident, $own:ident => $body:expr)) => {
        match $value {
            $($Object::$S($own) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type Own = crate::dynamic::$S;
                $body
            })*
        }
    };
    ($value:expr, $Object:ident, $own:ident => $body:expr) => {
        schemes! { dispatch! ($value, $Object, $own => $body) }
    };
}

/// The call of one line of a table: `own.name`, a method of the scheme's own object, or
/// `Own::name`, a function of [`Scheme`].
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

/// Methods that can fail. Arguments before the semicolon are objects of the same scheme as `self`.
macro_rules! methods {
    ($Object:ident: $($(#[$doc:meta])*
        fn $of:ident $how:tt $name:ident($($object:ident: $Other:ident),*; $($arg:ident: $Arg:ty),*) -> $Out:ty;)*) => {
        impl $Object { $(
            $(#[$doc])*
            pub fn $name(&self, $($object: &$Other,)* $($arg: $Arg),*) -> Result<$Out> {
                #[allow(unused, reason = "some methods take no further object")]
                let params = self.params();
                dispatch!(self, $Object, own => {
                    $(let $object = SchemeObject::<Own>::of($object, &params)?;)*
                    let made = call!(own ($of $how $name) ($($object,)* $($arg),*));
                    Ok(made.map_err(|error| crate::dynamic::params::named(error, &params))?.into())
                })
            }
        )* }
    };
}

/// Functions that make an object. The first argument is an object that determines the scheme.
macro_rules! constructors {
    ($Object:ident: $($(#[$doc:meta])*
        $name:ident($first:ident: $First:ident $(, $object:ident: $Other:ident)*; $($arg:ident: $Arg:ty),*);)*) => {
        impl $Object { $(
            $(#[$doc])*
            pub fn $name($first: &$First, $($object: &$Other,)* $($arg: $Arg),*) -> Result<Self> {
                #[allow(unused, reason = "some constructors take no further object")]
                let params = $first.params();
                dispatch!($first, $First, own => {
                    $(let $object = SchemeObject::<Own>::of($object, &params)?;)*
                    Ok(<crate::dynamic::scheme::$Object<Own>>::$name(own, $($object,)* $($arg),*)?.into())
                })
            }
        )* }
    };
}

mod bgv;
mod ckks;
mod eval;
mod heaan;
mod keys;
mod objects;
mod params;
mod request;
mod scheme;
mod transform;
mod values;

pub use bgv::Bgv;
pub use ckks::Ckks;
pub use heaan::Heaan;
pub use objects::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, Plaintext, PublicKey, SecretKey};
pub use params::preset_names;
pub use request::KeyRequest;
pub use scheme::{Bootstrapping, Budget, Level, Sizes, StartModulus};
pub use transform::Transform;
pub use values::{Scalar, Values};
