//! What this layer knows of a scheme: its parameters.

use std::fmt;
use std::ops::Deref;

use super::{Chain, RaisingPlans, Ring};
use crate::{Error, Result};

/// The parameters of a scheme. Objects are generic over them, so two schemes cannot be mixed.
pub trait SchemeParameters: Clone + fmt::Debug {
    /// Stands before the names of the scheme's objects where they are printed.
    const PREFIX: &'static str = "";

    /// The ring of this parameter set.
    fn ring(&self) -> &Ring;

    /// The highest level of messages; 0 in schemes without levels.
    fn message_level(&self) -> usize {
        0
    }

    /// The number of non-zero coefficients of a secret; `None` where each is uniform in {-1, 0, 1}.
    fn secret_weight(&self) -> Option<u32> {
        None
    }
}

/// The parameters of a scheme whose polynomials are residues over a [`Chain`].
pub trait ChainParameters: SchemeParameters + Deref<Target = Chain> {
    /// Whether ciphertexts can be bootstrapped: their modulus is raised under an ephemeral secret.
    fn bootstraps(&self) -> bool {
        false
    }

    /// Plans that raise the modulus of the lowest level. Fails with [`Error::NoBootstrapping`].
    fn raising(&self) -> Result<&RaisingPlans> {
        if self.bootstraps() { Ok(self.raising_plans()) } else { Err(Error::no_bootstrapping(self)) }
    }
}

/// What every checked parameter set `$params(Arc<..>)` has: it is used like its field `$field`, and two sets are the same where
/// their fingerprints are.
macro_rules! parameter_set {
    ($params:ident is $field:ident: $target:ty) => {
        impl std::ops::Deref for $params {
            type Target = $target;

            fn deref(&self) -> &$target {
                &self.0.$field
            }
        }

        impl PartialEq for $params {
            fn eq(&self, other: &Self) -> bool {
                self.fingerprint() == other.fingerprint()
            }
        }

        impl Eq for $params {}
    };
}
pub(crate) use parameter_set;
