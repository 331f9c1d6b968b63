//! [`Traffic`]: how much memory the launches of an emulated device read and write.

/// Bytes of one launch in the device's memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Bytes {
    /// What the launch reads, each word of 8 bytes counted once. Words that the launch has written
    /// before are not counted. A GPU has to read at least this much.
    pub read: u64,
    /// What the launch writes, each word counted once.
    pub written: u64,
    /// What all reads take, with repetitions.
    pub all_read: u64,
    /// What all writes take, with repetitions.
    pub all_written: u64,
}

/// What one launch read and wrote. Atomic accesses are not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// Name of the kernel, with its arithmetic.
    pub kernel: &'static str,
    /// Number of blocks in each dimension.
    pub blocks: [u32; 3],
    /// Threads of a block in each dimension.
    pub threads: [u32; 2],
    /// Residues and big coefficients, keys included.
    pub limbs: Bytes,
    /// Constants: moduli, roots of unity, tables of plans, lists of chosen limbs.
    pub constants: Bytes,
}
