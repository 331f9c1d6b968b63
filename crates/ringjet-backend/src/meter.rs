//! [`Meter`]: what the library tells a counting or profiling backend in addition to the operations.

/// Receives information for counting or profiling the calls of a backend. No result depends on it.
pub trait Meter: Send + Sync {
    /// Whether the backend only counts: its buffers have shapes and no values.
    fn counts_only(&self) -> bool {
        false
    }

    /// The work of the calls so far, without those that prepare matrices, which are kept: modular
    /// multiplications and additions, three for each word that is read or written, and twelve for each
    /// word of keys and plaintexts, about as a processor takes time. 0 for backends that compute.
    fn work(&self) -> u64 {
        0
    }

    /// Begins a scope: the operations up to the matching [`Meter::leave`] belong to `scope`, the
    /// name of a step of a scheme or of a circuit.
    fn enter(&self, scope: &'static str);

    /// Ends the scope that was entered last.
    fn leave(&self);

    /// Announces that the next product multiplies a polynomial of `limbs` limbs by the switching
    /// key for the Galois element `galois` (0: the relinearisation key). It is called before
    /// [`Backend::big_mul`](crate::Backend::big_mul), whose operands do not tell a key from other
    /// factors.
    fn uses_key(&self, galois: u32, limbs: usize);
}
