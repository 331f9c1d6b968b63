//! Counts of what a backend has done.

/// What a backend has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Number of launches.
    pub launches: u64,
    /// Cycles of the slowest DPU of each launch, all together.
    pub cycles: u64,
    /// Bytes from the host to DPUs: polynomials, commands and twiddle factors.
    pub to_dpus: u64,
    /// Bytes from DPUs to the host.
    pub from_dpus: u64,
    /// Bytes of polynomials that went from one DPU to another through the host. `to_dpus` and
    /// `from_dpus` include them.
    pub between_dpus: u64,
}
