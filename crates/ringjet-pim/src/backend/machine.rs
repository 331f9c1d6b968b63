//! DPUs with their memory, and the commands that wait to be run.

use std::collections::{BTreeMap, HashMap};

use ringjet_backend::plan::{AutomorphismPlan, PlanId};
use ringjet_math::ntt::NttTable;

use crate::backend::arena::Arena;
use crate::backend::traffic::Traffic;
use crate::program::layout::{HEADER_WORDS, Header, MRAM_WORDS, pair, twiddles};
use crate::{Command, DpuSet, Host, PimError, Rung};

/// Where headers, commands, scalars, twiddle factors and polynomials begin in MRAM. Polynomials
/// begin at a multiple of the largest ring degree.
const COMMANDS: u32 = HEADERS * HEADER_WORDS;
const SCALARS: u32 = COMMANDS + 2 * MOST_COMMANDS;
const TABLES: u32 = SCALARS + 2 * MOST_SCALARS;
const DATA: u32 = 1 << 22;

/// For how many headers, commands and scalars there is room.
const HEADERS: u32 = 64;
const MOST_COMMANDS: u32 = 4096;
pub const MOST_SCALARS: u32 = 2048;

/// How many maps of automorphisms a DPU keeps.
const MOST_MAPS: usize = 64;

/// Polynomials have indices of 16 bits, and ends of ranges as well.
const MOST_POLYNOMIALS: u64 = 0xffff;

/// A polynomial in the memory of a DPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub dpu: u32,
    /// Its first word.
    pub at: u32,
}

impl Place {
    /// Its index in commands, for a ring of degree n.
    pub fn index(self, n: usize) -> u16 {
        ((self.at - DATA) / n as u32) as u16
    }
}

#[derive(Debug)]
struct Dpu {
    arena: Arena,
    commands: Vec<Command>,
    /// Factors of `MulScalar`, with their Shoup companions.
    scalars: Vec<[u32; 2]>,
    /// The header of the last command.
    header: Option<u16>,
    /// Beginning and length of what was given back while commands waited, which may use it.
    given: Vec<(u32, u32)>,
}

/// The DPUs of a backend.
#[derive(Debug)]
pub struct DpuMachine {
    set: DpuSet,
    rung: Rung,
    dpus: Vec<Dpu>,
    /// Numbers of headers by ring degree and modulus. Modulus 0 stands for copies, which need none.
    headers: HashMap<(usize, u64), u16>,
    /// Where the twiddle factors of the next header begin.
    tables: u32,
    /// The DPUs of primes, where each prime has its own.
    primes: HashMap<u64, u32>,
    /// Maps of automorphisms on DPUs, with the ring degree.
    maps: BTreeMap<(PlanId, u32), (Place, usize)>,
    /// Why a launch failed. Commands were lost with it, so nothing is answered any more.
    failed: Option<PimError>,
    pub traffic: Traffic,
}

impl DpuMachine {
    pub fn new(host: &Host, mut set: DpuSet, rung: Rung) -> Result<Self, PimError> {
        set.load(&host.program(rung.name))?;
        let dpu = |_| Dpu {
            arena: Arena::new(DATA, MRAM_WORDS as u32),
            commands: Vec::new(),
            scalars: Vec::new(),
            header: None,
            given: Vec::new(),
        };
        let dpus = (0..set.count()).map(dpu).collect();
        let mut machine = Self {
            set,
            rung,
            dpus,
            headers: HashMap::new(),
            tables: TABLES,
            primes: HashMap::new(),
            maps: BTreeMap::new(),
            failed: None,
            traffic: Traffic::default(),
        };
        machine.header(8, None)?; // a program begins with header 0
        Ok(machine)
    }

    pub fn dpus(&self) -> u32 {
        self.dpus.len() as u32
    }

    /// The DPU of a prime: primes take turns, as they come.
    pub fn dpu_of(&mut self, modulus: u64) -> u32 {
        let next = self.primes.len() as u32 % self.dpus();
        *self.primes.entry(modulus).or_insert(next)
    }

    pub fn most_bits(&self) -> u32 {
        self.rung.most_bits
    }

    pub fn free_bytes(&self) -> usize {
        self.dpus.iter().map(|dpu| 4 * dpu.arena.free_words() as usize).sum()
    }

    /// The number of the header for a ring degree and a prime; without a prime for copies.
    pub fn header(&mut self, n: usize, table: Option<&NttTable>) -> Result<u16, PimError> {
        let key = (n, table.map_or(0, |table| table.modulus().value()));
        if let Some(&found) = self.headers.get(&key) {
            return Ok(found);
        }
        let [forward, inverse] = table.map_or([vec![], vec![]], |table| twiddles(self.rung, table));
        let words = (forward.len() + inverse.len()) as u32;
        if self.headers.len() == HEADERS as usize || self.tables + words > DATA {
            self.flush()?;
            self.headers.clear();
            self.tables = TABLES;
        }
        let number = self.headers.len() as u32;
        let header = Header {
            log_n: n.trailing_zeros(),
            modulus: key.1.max(7), // of at least three bits
            n_inverse: table.map_or(1, NttTable::n_inverse),
            offsets: [COMMANDS, self.tables, self.tables + forward.len() as u32, SCALARS, DATA],
            rooms: [
                MOST_COMMANDS,
                MOST_SCALARS,
                (u64::from(MRAM_WORDS as u32 - DATA) / n as u64).min(MOST_POLYNOMIALS) as u32,
            ],
        };
        let mut transfer = header.words().to_vec();
        self.set.broadcast(HEADER_WORDS * number, &transfer)?;
        if words > 0 {
            transfer = [forward, inverse].concat();
            self.set.broadcast(self.tables, &transfer)?;
        }
        self.tables += words;
        self.traffic.to_dpus += 4 * u64::from(self.dpus()) * u64::from(HEADER_WORDS + words);
        self.headers.insert(key, number as u16);
        Ok(number as u16)
    }

    /// Room for a polynomial on a DPU, if there is any. Maps of automorphisms make room.
    pub fn take(&mut self, dpu: u32, n: usize) -> Option<Place> {
        let limit = u64::from(DATA) + MOST_POLYNOMIALS * n as u64;
        let mut at = self.dpus[dpu as usize].arena.take(n as u32, limit);
        if at.is_none() {
            self.forget_maps(dpu);
            at = self.dpus[dpu as usize].arena.take(n as u32, limit);
        }
        Some(Place { dpu, at: at? })
    }

    fn forget_maps(&mut self, dpu: u32) {
        let old: Vec<_> = self.maps.extract_if(.., |&(_, of), _| of == dpu).collect();
        for (_, (place, n)) in old {
            self.give(place, n);
        }
    }

    /// Gives room back; overwrites it before if it holds what is secret. All room is given back also
    /// where that fails.
    pub fn give_all(
        &mut self,
        places: impl IntoIterator<Item = Place>,
        n: usize,
        secret: bool,
    ) -> Result<(), PimError> {
        let mut done = Ok(());
        for place in places {
            if secret {
                done = done.and(self.clear(place, n));
            }
            self.give(place, n);
        }
        done
    }

    /// Gives the room of a polynomial back. Commands that wait still use it: they come before all
    /// later ones.
    pub fn give(&mut self, place: Place, n: usize) {
        let dpu = &mut self.dpus[place.dpu as usize];
        dpu.arena.give(place.at, n as u32);
        if !dpu.commands.is_empty() {
            dpu.given.push((place.at, n as u32));
        }
    }

    /// The map of an automorphism on a DPU, if there is room for it. It stays there until there are
    /// too many.
    pub fn map(&mut self, dpu: u32, plan: &AutomorphismPlan) -> Result<Option<Place>, PimError> {
        let n = plan.n();
        if let Some(&(place, _)) = self.maps.get(&(plan.id, dpu)) {
            return Ok(Some(place));
        }
        if self.maps.keys().filter(|(_, of)| *of == dpu).count() >= MOST_MAPS {
            self.forget_maps(dpu);
        }
        let map = plan.map()?;
        let Some(place) = self.take(dpu, n) else { return Ok(None) };
        if let Err(error) = self.write(place, map) {
            self.give(place, n);
            return Err(error);
        }
        self.maps.insert((plan.id, dpu), (place, n));
        Ok(Some(place))
    }

    /// A command that waits for the next launch.
    pub fn push(&mut self, dpu: u32, header: u16, command: Command) -> Result<(), PimError> {
        self.expect_works()?;
        if is_full(&self.dpus[dpu as usize].commands) {
            self.flush()?;
        }
        let dpu = &mut self.dpus[dpu as usize];
        if dpu.header != Some(header) {
            dpu.header = Some(header);
            dpu.commands.push(Command::UseHeader(header));
        }
        dpu.commands.push(command);
        Ok(())
    }

    /// `out = value * a` on the next launch.
    pub fn push_scalar(
        &mut self,
        dpu: u32,
        header: u16,
        [out, a]: [u16; 2],
        value: u64,
        table: &NttTable,
    ) -> Result<(), PimError> {
        // A launch forgets the scalars. So it comes before the scalar is added, also where the list of
        // commands is full.
        let Dpu { commands, scalars, .. } = &self.dpus[dpu as usize];
        if scalars.len() == MOST_SCALARS as usize || is_full(commands) {
            self.flush()?;
        }
        let scalars = &mut self.dpus[dpu as usize].scalars;
        let words = pair(table, value);
        let scalar = scalars.iter().rposition(|&found| found == words).unwrap_or_else(|| {
            scalars.push(words);
            scalars.len() - 1
        });
        self.push(dpu, header, Command::MulScalar { out, a, scalar: scalar as u16 })
    }

    /// A command with scalars of its own on the next launch: `command(first)` gets the number of the
    /// first. There are at most `MOST_SCALARS`.
    pub fn push_with(
        &mut self,
        dpu: u32,
        header: u16,
        words: &[[u32; 2]],
        command: impl FnOnce(u16) -> Command,
    ) -> Result<(), PimError> {
        let Dpu { commands, scalars, .. } = &self.dpus[dpu as usize];
        if scalars.len() + words.len() > MOST_SCALARS as usize || is_full(commands) {
            self.flush()?;
        }
        let scalars = &mut self.dpus[dpu as usize].scalars;
        let first = scalars.len() as u16;
        scalars.extend(words);
        self.push(dpu, header, command(first))
    }

    /// The error of a launch that failed before.
    fn expect_works(&self) -> Result<(), PimError> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Runs all commands that wait.
    pub fn flush(&mut self) -> Result<(), PimError> {
        self.expect_works()?;
        let done = self.launch();
        self.failed = done.clone().err();
        done
    }

    fn launch(&mut self) -> Result<(), PimError> {
        let longest = self.dpus.iter().map(|dpu| dpu.commands.len()).max().unwrap_or(0);
        if longest == 0 {
            return Ok(());
        }
        let most_scalars = self.dpus.iter().map(|dpu| dpu.scalars.len()).max().unwrap_or(0);
        let commands: Vec<Vec<u32>> = self.dpus.iter().map(|dpu| commands(&dpu.commands, longest + 1)).collect();
        let scalars: Vec<Vec<u32>> = self.dpus.iter().map(|dpu| scalars(&dpu.scalars, most_scalars)).collect();
        for dpu in &mut self.dpus {
            dpu.commands.clear();
            dpu.scalars.clear();
            dpu.header = None;
            dpu.given.clear();
        }
        self.set.scatter(COMMANDS, &commands)?;
        if most_scalars > 0 {
            self.set.scatter(SCALARS, &scalars)?;
        }
        self.traffic.to_dpus += 8 * u64::from(self.dpus()) * (longest + 1 + most_scalars) as u64;
        let cycles = self.set.launch()?;
        self.traffic.launches += 1;
        self.traffic.cycles += cycles.into_iter().max().unwrap_or(0);
        Ok(())
    }

    /// Writes a polynomial to new room. Commands that wait run before only if they use the words.
    pub fn write(&mut self, place: Place, words: &[u32]) -> Result<(), PimError> {
        self.expect_works()?;
        let (begin, end) = (place.at, place.at + words.len() as u32);
        if self.dpus[place.dpu as usize].given.iter().any(|&(at, len)| at < end && begin < at + len) {
            self.flush()?;
        }
        self.put(place, words)
    }

    /// Overwrites a polynomial of n words with zeros, after all commands that wait.
    pub fn clear(&mut self, place: Place, n: usize) -> Result<(), PimError> {
        self.flush()?;
        self.put(place, &vec![0; n])
    }

    fn put(&mut self, place: Place, words: &[u32]) -> Result<(), PimError> {
        self.traffic.to_dpus += 4 * words.len() as u64;
        self.set.write(place.dpu, place.at, words)
    }

    /// Reads a polynomial, after all commands that wait.
    pub fn read(&mut self, place: Place, words: &mut [u32]) -> Result<(), PimError> {
        self.flush()?;
        self.traffic.from_dpus += 4 * words.len() as u64;
        self.set.read(place.dpu, place.at, words)
    }
}

/// Whether there is no room for a command, a change of the header before it, and the end.
fn is_full(commands: &[Command]) -> bool {
    commands.len() + 3 > MOST_COMMANDS as usize
}

/// The words of commands, with a `Stop` and as many zeros as make `length` commands.
fn commands(commands: &[Command], length: usize) -> Vec<u32> {
    let mut words: Vec<u32> = commands.iter().flat_map(Command::words).collect();
    words.resize(2 * length, 0); // Stop is zero
    words
}

fn scalars(scalars: &[[u32; 2]], length: usize) -> Vec<u32> {
    let mut words: Vec<u32> = scalars.iter().flatten().copied().collect();
    words.resize(2 * length, 0);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hardware, Refusal};

    #[test]
    fn nothing_is_answered_after_a_launch_that_failed() {
        let host = Host::emulator();
        let set = DpuSet::new(&host, 1, Hardware::default()).unwrap();
        let mut machine = DpuMachine::new(&host, set, Rung::named("resident").unwrap()).unwrap();
        let place = machine.take(0, 8).unwrap();
        machine.write(place, &[1; 8]).unwrap();
        let mut words = [0; 8];
        machine.read(place, &mut words).unwrap();
        let header = machine.header(8, None).unwrap();
        machine.push(0, header, Command::Copy { out: 0xffff, a: place.index(8) }).unwrap();
        let error = machine.read(place, &mut words).unwrap_err();
        assert!(matches!(error, PimError::Refused { reason: Refusal::NoSuchPolynomial, .. }), "{error}");
        let again = [
            machine.read(place, &mut words),
            machine.write(place, &words),
            machine.flush(),
            machine.push(0, header, Command::Stop),
        ];
        assert_eq!(again, [const { None::<()> }; 4].map(|_| Err(error.clone())));
    }
}
