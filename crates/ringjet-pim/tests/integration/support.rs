//! A DPU with a program, and the exact arithmetic that it is compared with.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_math::Modulus;
use ringjet_math::ntt::NttTable;
use ringjet_pim::{Command, DpuSet, Hardware, Host, Layout, PimError, Rung};

/// Primes of 24, 27 and 30 bits for rings of degree 4096.
pub const PRIMES: [u64; 3] = [0xff_c001, 0x7ff_6001, 0x3fff_4001];

pub fn table(prime: u64, log_n: u32) -> NttTable {
    NttTable::new(Modulus::new(prime).unwrap(), log_n).unwrap()
}

pub fn hardware(tasklets: u32) -> Hardware {
    Hardware { tasklets, ..Hardware::default() }
}

/// One DPU with its data.
pub struct Case {
    pub table: NttTable,
    pub layout: Layout,
    pub dpus: DpuSet,
    rng: ChaCha20Rng,
}

impl Case {
    pub fn new(rung: Rung, table: &NttTable, polynomials: u32, scalars: &[u64], hardware: Hardware) -> Self {
        let layout = Layout::new(rung, table, scalars, polynomials, 8).unwrap();
        let mut dpus = DpuSet::new(&Host::emulator(), 1, hardware).unwrap();
        dpus.load(rung.name).unwrap();
        let seed = table.modulus().value() ^ u64::from(table.log_n()) << 32;
        Self { table: table.clone(), layout, dpus, rng: ChaCha20Rng::seed_from_u64(seed) }
    }

    /// Fills polynomial `p` with random residues, the largest among them, and returns it.
    pub fn random(&mut self, p: u32) -> Vec<u64> {
        let q = self.table.modulus().value();
        let mut values: Vec<u64> = (0..1 << self.table.log_n()).map(|_| self.rng.next_u64() % q).collect();
        values[0] = q - 1;
        values[3] = 0;
        self.put(p, &values);
        values
    }

    pub fn put(&mut self, p: u32, values: &[u64]) {
        let words: Vec<u32> = values.iter().map(|&v| v.try_into().unwrap()).collect();
        self.dpus.write(0, self.layout.polynomial(p), &words).unwrap();
    }

    pub fn get(&self, p: u32) -> Vec<u64> {
        let mut words = vec![0; 1 << self.table.log_n()];
        self.dpus.read(0, self.layout.polynomial(p), &mut words).unwrap();
        words.into_iter().map(u64::from).collect()
    }

    pub fn try_run(&mut self, commands: &[Command]) -> Result<u64, PimError> {
        self.dpus.broadcast(0, &self.layout.words(commands).unwrap()).unwrap();
        Ok(self.dpus.launch()?[0])
    }

    /// Runs commands, and returns the cycles.
    pub fn run(&mut self, commands: &[Command]) -> u64 {
        self.try_run(commands).unwrap()
    }
}

/// Applies a function to the words of two polynomials.
pub fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

/// Slow, exact arithmetic on numbers of 256 bits, modulo numbers below 2^127.
pub mod wide {
    /// The number (low, high) mod `m`, bit by bit.
    pub fn remainder([low, high]: [u128; 2], m: u128) -> u128 {
        let bits = |half: u128| (0..128).rev().map(move |i| half >> i & 1);
        bits(high).chain(bits(low)).fold(0, |sum, bit| (2 * sum + bit) % m)
    }

    /// `a b mod m`, bit by bit.
    pub fn mul_mod(a: u128, b: u128, m: u128) -> u128 {
        (0..128).rev().fold(0, |sum, i| {
            let twice = 2 * sum % m;
            if a >> i & 1 == 1 { (twice + b) % m } else { twice }
        })
    }
}
