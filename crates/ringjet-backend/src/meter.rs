//! [`Meter`]: what the library tells a counting or profiling backend besides the operations.

/// Counts what a backend is asked for. Nothing that is computed depends on it.
pub trait Meter: Send + Sync {
    /// Whether the backend only counts: its buffers have shapes and no values.
    fn counts_only(&self) -> bool {
        false
    }

    /// What follows, up to the matching [`Meter::leave`], belongs to `scope`, a step of a scheme or
    /// of a circuit.
    fn enter(&self, scope: &'static str);

    /// The end of the scope that was entered last.
    fn leave(&self);

    /// The next product multiplies a polynomial of `limbs` limbs by the switching key for the
    /// Galois element `galois` (0: relinearisation). It is said before calls of
    /// [`Backend::big_mul`](crate::Backend::big_mul), to which a key is a factor like any other.
    fn uses_key(&self, galois: u32, limbs: usize);
}
