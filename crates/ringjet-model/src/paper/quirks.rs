//! What the published model counts in a way of its own, each as a switch.

use serde::Serialize;

use super::error::PaperError;

macro_rules! quirks {
    ($($(#[doc = $doc:literal])+ $name:ident: $summary:literal,)+) => {
        /// How the published model departs from what its algorithms do. All on: as published.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub struct Quirks {
            $($(#[doc = $doc])+ pub $name: bool,)+
        }

        impl Quirks {
            /// As published.
            pub const PAPER: Self = Self { $($name: true,)+ };

            /// Everything counted as the algorithms do it.
            pub const NONE: Self = Self { $($name: false,)+ };

            /// Their names and what they are, in a line.
            pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $summary),)+];

            /// The same without the quirk called `name`.
            ///
            /// # Errors
            /// [`PaperError::UnknownQuirk`].
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
    /// `alpha = ceil(l / dnum)` and P of `alpha + 1` limbs follow the level l. Off: both are those of the highest level.
    shrink_p: "digits and special limbs shrink with the level",
    /// dnum digits at every level. Off: `ceil(l / alpha)`; the same unless `shrink_p` is off.
    beta_dnum: "dnum digits at every level",
    /// Each digit is priced with alpha limbs. Off: the last one has what is left.
    full_digits: "every digit has alpha limbs",
    /// Rescalings that match scales or finish a sum of powers, and those of the sigmoid, are of one polynomial. Off: of both.
    one_poly: "rescalings in polynomials are of one polynomial of two",
    /// A sum of `2^e` coefficients of a polynomial has `2^e` products and a constant. Off: one product less.
    leaf_terms: "a sum of powers has a product for its constant, too",
    /// The first of the powers that are squared on comes down a level for nothing. Off: as other powers do.
    giant_align: "T_(2^e) comes down a level for nothing",
    /// Operands of the products in a polynomial's tree are not read. Off: they are.
    tree_reads: "operands of a polynomial's tree are not read",
    /// `T_i` of even i ends in a ciphertext's addition, that of odd i in a constant's. Off: the other way round, as the
    /// recurrence has it.
    cheb_parity: "additions of the Chebyshev recurrence change places",
    /// The constant after a double-angle step is added above the product's level. Off: at it.
    sq_add_level: "constants of double-angle steps are added a level too high",
    /// The first giant step is added to a sum that is read. Off: it is only written.
    acc_first: "the first giant step is added to something",
    /// Baby steps write and read their inner product whatever is cached. Off: re-ordering drops that.
    bsgs_digits_wr: "inner products of baby steps go to memory in any cache",
    /// A rotation's inner product stays in a cache of a few limbs. Off: only re-ordering drops it, as in a product.
    ks_order: "a rotation's inner product is kept from O(1) limbs on",
    /// Merged products without re-ordering do not write the limbs of P. Off: they do. In no published entry.
    merge_order: "merged products without re-ordering do not write P's limbs",
    /// Hoisted rotations by themselves never read their digits once beta limbs are cached. Off: the first one does.
    hrot_read: "hoisted rotations by themselves never read their digits",
    /// The first polynomial is multiplied by P once for all rotations of it. Off: for each.
    pmult_once: "P b is made once for a batch",
    /// The conjugation's sum and difference are written as one ciphertext. Off: as two.
    conj_write: "of the two results of the conjugation one is written",
    /// Both results of EvalMod are written once more. Off: not.
    evalmod_write: "results of EvalMod are written twice",
    /// Diagonals and masks are not read. Off: they are.
    plain_reads: "diagonals and masks are not read",
    /// Raising the modulus is free. Off: two conversions from one limb to the others.
    modraise: "raising the modulus is free",
    /// The switches to the ephemeral secret and back, which the published circuit lacks, cost nothing. Off: as key switches.
    encapsulation: "switches to the ephemeral secret and back are free",
    /// Multiplications by i, which the published circuit lacks, cost nothing. Off: as products with a plaintext.
    times_i: "multiplications by i are free",
    /// Giant steps of the double-hoisted form, one level lower, are over the basis of the level above. Off: of their own.
    dh_keep_k: "double-hoisted giant steps keep the extended basis of the level above",
    /// The second rotation sum of an inner product keeps its first basis while levels drop. Off: the basis follows.
    lr_keep_k: "the second rotation sum keeps its first extended basis",
    /// The product of an inner product loses no level and each round of its second rotation sum loses one. Off: the product
    /// loses one, and of the rounds the first.
    lr_drops: "levels of an inner product drop at other places",
    /// The sigmoid is at the level at which the iteration starts. Off: two lower, where the inner product would leave it.
    lr_sig_level: "the sigmoid is at the iteration's first level",
    /// The square in the sigmoid is a product of two. Off: a square.
    lr_square: "the sigmoid's square is priced as a product",
    /// 256 features and a constant are padded to 512. Off: 256 slots for each sample.
    lr_pad: "257 features are padded to 512",
    /// The sum over a batch's ciphertexts is free. Off: additions.
    lr_ct_sum: "the sum over a batch's ciphertexts is free",
    /// Two of the update's four polynomials are reduced and rescaled. Off: all.
    lr_update_polys: "half of the update's polynomials are reduced and rescaled",
    /// Of the update's reads the last ones alone count. Off: all.
    lr_nesterov: "most reads of the update are lost",
}

impl Default for Quirks {
    fn default() -> Self {
        Self::PAPER
    }
}
