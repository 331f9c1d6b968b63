//! Departures of the published counts (de Castro et al., ePrint 2021/1636) from the published
//! algorithms, each as a switch.

use serde::Serialize;

use super::error::PaperError;

macro_rules! quirks {
    ($($(#[doc = $doc:literal])+ $name:ident: $summary:literal,)+) => {
        /// Departures of the published counts from the algorithms. A switch that is on counts as
        /// the paper does; the text after "Off:" says how it counts otherwise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub struct Quirks {
            $($(#[doc = $doc])+ pub $name: bool,)+
        }

        impl Quirks {
            /// All switches on: the counts as published.
            pub const PAPER: Self = Self { $($name: true,)+ };

            /// All switches off: the counts of the algorithms.
            pub const NONE: Self = Self { $($name: false,)+ };

            /// The names of all switches, each with a summary in one line.
            pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $summary),)+];

            /// The same switches with the one called `name` off.
            ///
            /// # Errors
            /// [`PaperError::UnknownQuirk`] if no switch is called `name`.
            pub fn without(mut self, name: &str) -> Result<Self, PaperError> {
                match name {
                    $(stringify!($name) => self.$name = false,)+
                    _ => {
                        let known = Self::ALL.iter().map(|q| q.0).collect::<Vec<_>>().join(", ");
                        return Err(PaperError::UnknownQuirk { name: name.into(), known });
                    }
                }
                Ok(self)
            }
        }
    };
}

quirks! {
    /// At level l, a digit has `alpha = ceil(l / dnum)` limbs and P has `alpha + 1`. Off: digits
    /// and P have the sizes of the highest level at every level.
    shrink_p: "digits and special limbs shrink with the level",
    /// There are dnum digits at every level. Off: `ceil(l / alpha)` digits. The numbers differ only
    /// if `shrink_p` is off.
    beta_dnum: "dnum digits at every level",
    /// Each digit is priced with alpha limbs. Off: the last digit has the remaining limbs only.
    full_digits: "every digit has alpha limbs",
    /// Rescalings of one polynomial instead of both: those that match scales, that finish a sum of
    /// powers, and those of the sigmoid. Off: rescalings of both polynomials.
    one_poly: "rescalings in polynomials are of one polynomial of two",
    /// A sum of `2^e` coefficients of a polynomial has `2^e` products and an added constant. Off:
    /// one product less, since the constant needs none.
    leaf_terms: "a sum of powers has a product for its constant, too",
    /// The first power that is squared repeatedly moves to a lower level for free. Off: it is
    /// charged as other powers are.
    giant_align: "T_(2^e) comes down a level for nothing",
    /// Operands of the products in a polynomial's evaluation tree are not read. Off: they are read.
    tree_reads: "operands of a polynomial's tree are not read",
    /// For even i, the Chebyshev polynomial `T_i` ends with the addition of a ciphertext; for odd
    /// i, with that of a constant. Off: the other way round, as in the recurrence.
    cheb_parity: "additions of the Chebyshev recurrence change places",
    /// The constant of a double-angle step is added one level above the product. Off: it is added
    /// at the level of the product.
    sq_add_level: "constants of double-angle steps are added a level too high",
    /// The first giant step is added to a sum that is read from memory. Off: it is only written.
    acc_first: "the first giant step is added to something",
    /// Inner products of baby steps are written and read under every caching level. Off: not with
    /// re-ordering.
    bsgs_digits_wr: "inner products of baby steps go to memory in any cache",
    /// The inner product of a rotation stays in the cache from the caching level of a few limbs on.
    /// Off: only with re-ordering, as in a product.
    ks_order: "a rotation's inner product is kept from O(1) limbs on",
    /// Merged products without re-ordering do not write the limbs of P. Off: they write them. No
    /// published entry depends on it.
    merge_order: "merged products without re-ordering do not write P's limbs",
    /// Hoisted rotations outside matrix products do not read their digits once beta limbs are
    /// cached. Off: the first rotation reads them.
    hrot_read: "hoisted rotations by themselves never read their digits",
    /// The ciphertext's first polynomial b is multiplied by P once for all of its rotations. Off:
    /// once for each rotation.
    pmult_once: "P b is made once for a batch",
    /// Of the two results of the conjugation, sum and difference, one ciphertext is written. Off:
    /// both are written.
    conj_write: "of the two results of the conjugation one is written",
    /// Both results of EvalMod are written once more. Off: they are not.
    evalmod_write: "results of EvalMod are written twice",
    /// Diagonals and masks are not read from memory. Off: they are read.
    plain_reads: "diagonals and masks are not read",
    /// ModRaise is free. Off: it costs two conversions from one limb to the other limbs.
    modraise: "raising the modulus is free",
    /// The switches to the ephemeral secret and back are free; the published circuit does not have
    /// them. Off: they cost as much as key switches.
    encapsulation: "switches to the ephemeral secret and back are free",
    /// Multiplications by i are free; the published circuit does not have them. Off: they cost as
    /// much as products with a plaintext.
    times_i: "multiplications by i are free",
    /// Giant steps of double hoisting, one level lower, use the extended basis of the level above.
    /// Off: they use that of their own level.
    dh_keep_k: "double-hoisted giant steps keep the extended basis of the level above",
    /// The second rotation sum of an inner product keeps its first extended basis while levels
    /// drop. Off: the basis follows the level.
    lr_keep_k: "the second rotation sum keeps its first extended basis",
    /// The product of an inner product drops no level, and each round of its second rotation sum
    /// drops one. Off: the product drops one level, and the first of the rounds drops one.
    lr_drops: "levels of an inner product drop at other places",
    /// The sigmoid starts at the first level of the iteration. Off: two levels lower, where the
    /// inner product ends.
    lr_sig_level: "the sigmoid is at the iteration's first level",
    /// The square in the sigmoid is charged as a product of two ciphertexts. Off: as a square.
    lr_square: "the sigmoid's square is priced as a product",
    /// 256 features and a constant take 512 slots per sample. Off: 256 slots per sample.
    lr_pad: "257 features are padded to 512",
    /// The sum over the ciphertexts of a batch is free. Off: it costs additions.
    lr_ct_sum: "the sum over a batch's ciphertexts is free",
    /// Two of the four polynomials in the update are reduced and rescaled. Off: all four.
    lr_update_polys: "half of the update's polynomials are reduced and rescaled",
    /// Only the last reads of the update count. Off: all reads count.
    lr_nesterov: "most reads of the update are lost",
}

impl Default for Quirks {
    fn default() -> Self {
        Self::PAPER
    }
}
