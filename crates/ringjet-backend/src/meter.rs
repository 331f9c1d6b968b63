//! What counting and profiling backends are told beside the operations.

/// Counts what a backend is asked for. Nothing that is computed depends on it.
pub trait Meter: Send + Sync {
    /// Whether the backend only counts: its buffers have shapes and no values.
    fn counts_only(&self) -> bool {
        false
    }

    /// What follows, up to the matching [`Meter::leave`], belongs to `scope`, a step of a scheme or of
    /// a circuit.
    fn enter(&self, scope: &'static str);

    /// The end of the scope that was entered last.
    fn leave(&self);

    /// The next product takes the switching key for the Galois element `galois` (0: relinearisation)
    /// and a polynomial of `limbs` limbs. Said where the call does not: to
    /// [`Backend::big_mul`](crate::Backend::big_mul) a key is a factor like any other.
    fn uses_key(&self, galois: u32, limbs: usize);
}
