//! Where header, commands and polynomials of `dpu/coefficients/program.c` lie in MRAM.

use crate::PimError;
use crate::program::Command;
use crate::program::layout::MRAM_WORDS;

/// Words of `struct header` in `dpu/coefficients/header.h`.
const HEADER_WORDS: u32 = 12;
/// Words of 32 bits of a coefficient.
const COEFFICIENT_WORDS: u32 = 4;

/// The words of MRAM of a DPU that works on polynomials with coefficients modulo one number of up
/// to 127 bits.
///
/// The header comes first, then commands, then polynomials of n coefficients of four words each. Of
/// the commands the program takes `Add`, `Sub`, `Mul`, `MulPolynomial`, `Repeat` and `Stop`. Each
/// tasklet has polynomials of its own, so only repeated commands use more than one tasklet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoefficientLayout {
    modulus: u128,
    log_n: u32,
    polynomials: u32,
    commands: u32,
}

impl CoefficientLayout {
    /// A layout for polynomials of 2^`log_n` coefficients modulo `modulus`, from 2 to 2^127 - 1.
    /// There is room for `polynomials` polynomials and `commands` commands.
    pub fn new(modulus: u128, log_n: u32, polynomials: u32, commands: u32) -> Result<Self, PimError> {
        if !(3..=15).contains(&log_n) {
            return Err(PimError::Degree { log_n });
        }
        if !(2..1 << 127).contains(&modulus) {
            return Err(PimError::WideModulus { modulus });
        }
        let layout = Self { modulus, log_n, polynomials, commands };
        let (data, log_words) = (u64::from(layout.data()), log_n + COEFFICIENT_WORDS.ilog2());
        let most = (MRAM_WORDS.saturating_sub(data) >> log_words).min(0xffff) as u32;
        if polynomials > most {
            let words = data + (u64::from(polynomials) << log_words);
            return Err(PimError::NoRoom { words, available: MRAM_WORDS, most });
        }
        Ok(layout)
    }

    /// The first word of a polynomial. The lowest word of a coefficient comes first.
    pub fn polynomial(&self, index: u32) -> u32 {
        self.data() + ((index * COEFFICIENT_WORDS) << self.log_n)
    }

    /// The header and commands: the words from the beginning of MRAM.
    pub fn words(&self, commands: &[Command]) -> Result<Vec<u32>, PimError> {
        if commands.len() > self.commands as usize {
            return Err(PimError::TooMany { what: "commands", count: commands.len(), room: self.commands });
        }
        let sizes = [1 << self.log_n, HEADER_WORDS, self.data(), commands.len() as u32, self.polynomials, 0, 0, 0];
        let mut words = sizes.to_vec();
        words.extend((0..COEFFICIENT_WORDS).map(|i| (self.modulus >> (32 * i)) as u32));
        words.extend(commands.iter().flat_map(Command::words));
        Ok(words)
    }

    /// The word where polynomials begin.
    fn data(&self) -> u32 {
        HEADER_WORDS + 2 * self.commands
    }
}
