//! How schemes count their modulus.

/// In what ciphertexts of a scheme count what is left of their modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Levels: rescalings that are left.
    Levels,
    /// Bits of a modulus that is a power of two.
    Bits,
}

impl Unit {
    /// The property of Python's ciphertexts that says how many are left.
    pub fn property(self) -> &'static str {
        match self {
            Self::Levels => "level",
            Self::Bits => "log_q",
        }
    }
}
