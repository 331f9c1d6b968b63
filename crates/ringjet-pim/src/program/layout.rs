//! Where header, commands, factors and polynomials lie in MRAM.

use ringjet_math::ntt::{NttTable, bit_reverse};

use crate::PimError;
use crate::program::{Command, Rung};

/// Words of MRAM: 64 MiB.
pub(crate) const MRAM_WORDS: u64 = 1 << 24;
/// Words of `struct header` in `dpu/layout.h`.
pub(crate) const HEADER_WORDS: u32 = 16;

/// The words of MRAM of a DPU that works modulo one prime.
///
/// The header comes first, then commands, scalars, the twiddle factors of both transforms, and
/// polynomials of n words each.
#[derive(Debug, Clone)]
pub struct Layout {
    modulus: u64,
    log_n: u32,
    n_inverse: u64,
    rooms: Rooms,
    /// Scalars and factors: the words between commands and polynomials.
    tables: Vec<u32>,
    /// Begin of scalars, forward factors, inverse factors and polynomials.
    offsets: [u32; 4],
}

/// For how much there is room.
#[derive(Debug, Clone, Copy)]
struct Rooms {
    commands: u32,
    scalars: u32,
    polynomials: u32,
}

impl Layout {
    /// A layout for a rung and the prime and degree of `table`. `scalars` are the factors of
    /// `MulScalar`, below the modulus. There is room for `polynomials` polynomials and `commands`
    /// commands.
    pub fn new(
        rung: Rung,
        table: &NttTable,
        scalars: &[u64],
        polynomials: u32,
        commands: u32,
    ) -> Result<Self, PimError> {
        let (modulus, log_n) = (table.modulus().value(), table.log_n());
        if !(3..=15).contains(&log_n) {
            return Err(PimError::Degree { log_n });
        }
        if !(4..1 << rung.most_bits).contains(&modulus) {
            return Err(PimError::Modulus { modulus, most_bits: rung.most_bits });
        }
        let mut tables: Vec<u32> = scalars.iter().flat_map(|&s| pair(table, s % modulus)).collect();
        let begin = HEADER_WORDS + 2 * commands;
        let forward = begin + tables.len() as u32;
        let [of_forward, of_inverse] = twiddles(rung, table);
        tables.extend(of_forward);
        let inverse = begin + tables.len() as u32;
        tables.extend(of_inverse);
        let data = begin + tables.len() as u32;
        let needed = u64::from(data) + (u64::from(polynomials) << log_n);
        // indices of polynomials have 16 bits, and ends of ranges as well
        let most = (MRAM_WORDS.saturating_sub(u64::from(data)) >> log_n).min(0xffff) as u32;
        if polynomials > most {
            return Err(PimError::NoRoom { words: needed, available: MRAM_WORDS, most });
        }
        let rooms = Rooms { commands, scalars: scalars.len() as u32, polynomials };
        let offsets = [begin, forward, inverse, data];
        Ok(Self { modulus, log_n, n_inverse: table.n_inverse(), rooms, tables, offsets })
    }

    /// The first word of a polynomial.
    pub fn polynomial(&self, index: u32) -> u32 {
        self.offsets[3] + (index << self.log_n)
    }

    /// The first of the two words of a scalar.
    pub fn scalar(&self, index: u32) -> u32 {
        self.offsets[0] + 2 * index
    }

    /// For how many polynomials there is room.
    pub fn polynomials(&self) -> u32 {
        self.rooms.polynomials
    }

    /// All words from the beginning of MRAM to the polynomials.
    pub fn words(&self, commands: &[Command]) -> Result<Vec<u32>, PimError> {
        let mut words = self.command_words(commands)?;
        words.resize((HEADER_WORDS + 2 * self.rooms.commands) as usize, 0);
        words.extend(&self.tables);
        Ok(words)
    }

    /// The header and commands: the words from the beginning of MRAM that change between launches.
    pub fn command_words(&self, commands: &[Command]) -> Result<Vec<u32>, PimError> {
        let Rooms { commands: room, scalars, polynomials } = self.rooms;
        if commands.len() > room as usize {
            return Err(PimError::TooMany { what: "commands", count: commands.len(), room });
        }
        let [scalar_offset, forward, inverse, data] = self.offsets;
        let header = Header {
            log_n: self.log_n,
            modulus: self.modulus,
            n_inverse: self.n_inverse,
            offsets: [HEADER_WORDS, forward, inverse, scalar_offset, data],
            rooms: [commands.len() as u32, scalars, polynomials],
        };
        let mut words = header.words().to_vec();
        words.extend(commands.iter().flat_map(Command::words));
        Ok(words)
    }
}

/// `struct header` of `dpu/layout.h`.
pub(crate) struct Header {
    pub log_n: u32,
    pub modulus: u64,
    /// `1/n` modulo the modulus.
    pub n_inverse: u64,
    /// Words where commands, forward factors, inverse factors, scalars and polynomials begin.
    pub offsets: [u32; 5],
    /// Numbers of commands, scalars and polynomials.
    pub rooms: [u32; 3],
}

impl Header {
    pub(crate) fn words(&self) -> [u32; HEADER_WORDS as usize] {
        let Self { log_n, modulus, n_inverse, offsets, rooms } = *self;
        let bits = u64::BITS - modulus.leading_zeros();
        let barrett = ((1u64 << (bits + 31)) / modulus) as u32;
        let companion = ((n_inverse << 32) / modulus) as u32;
        let [a, b, c, d, e] = offsets;
        let [f, g, h] = rooms;
        [1 << log_n, log_n, modulus as u32, bits, barrett, n_inverse as u32, companion, a, b, c, d, e, f, g, h, 0]
    }
}

/// The factors of the forward and of the inverse transform.
pub(crate) fn twiddles(rung: Rung, table: &NttTable) -> [Vec<u32>; 2] {
    let forward = table.roots().iter().flat_map(|&(w, _)| factor(rung, table, w)).collect();
    let inverse = inverse_factors(rung, table).into_iter().flat_map(|w| factor(rung, table, w)).collect();
    [forward, inverse]
}

/// A factor with its Shoup companion, `floor(w 2^32 / q)`.
pub(crate) fn pair(table: &NttTable, w: u64) -> [u32; 2] {
    [w as u32, ((w << 32) / table.modulus().value()) as u32]
}

fn factor(rung: Rung, table: &NttTable, w: u64) -> impl Iterator<Item = u32> {
    pair(table, w).into_iter().take(if rung.companions { 2 } else { 1 })
}

/// The factors of the inverse transform in the order of their table. Scrambled, `psi^-i` is at
/// `1 + brv(i - 1)`; otherwise `psi^-brv(i)` is at i.
fn inverse_factors(rung: Rung, table: &NttTable) -> Vec<u64> {
    let (log_n, roots) = (table.log_n(), table.inverse_roots());
    if !rung.scrambled {
        return roots.iter().map(|&(w, _)| w).collect();
    }
    let mut factors = vec![1; roots.len()];
    for i in 1..roots.len() {
        factors[1 + bit_reverse(i - 1, log_n)] = roots[bit_reverse(i, log_n)].0;
    }
    factors
}
