//! Operations on a batch of ciphertexts.

use std::ops::RangeInclusive;

use ringjet_math::prime::ntt_primes;

use super::error::PimModelError;
use super::kernels::Command;
use super::machine::{PimMachine, within};

/// Bits of the primes of CPUs and GPUs at most.
const WIDE_BITS: u32 = 50;
/// Bytes of a residue on a DPU.
const WORD_BYTES: u64 = 4;

const LOG_N: RangeInclusive<u32> = 10..=15;
const LOG_Q: RangeInclusive<u32> = 20..=2000;
const PRIME_BITS: RangeInclusive<u32> = 16..=30;
const CIPHERTEXTS: RangeInclusive<u64> = 2..=1 << 32;

/// A batch of ciphertexts of two polynomials before it is checked. The default is the published
/// task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSpec {
    /// The ring degree.
    pub n: u64,
    /// Bits of the ciphertexts' modulus.
    pub log_q: u32,
    /// Bits of the primes on DPUs at most.
    pub prime_bits: u32,
    /// Ciphertexts. Operations on pairs have half as many results.
    pub ciphertexts: u64,
    /// Whether operands are moved to the DPUs before each operation and results back after it.
    /// Otherwise both stay in the DPUs' memory.
    pub moved: bool,
}

impl Default for TaskSpec {
    fn default() -> Self {
        Self { n: 4096, log_q: 72, prime_bits: 30, ciphertexts: 32768, moved: false }
    }
}

/// An operation on all ciphertexts of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Forward transforms of all polynomials.
    Ntt,
    /// Inverse transforms of all polynomials.
    Inverse,
    /// Sums of pairs of ciphertexts.
    Sums,
    /// The sum of all ciphertexts. The host adds what each DPU has summed up.
    SumOfAll,
    /// Each ciphertext times an integer.
    Weights,
    /// The sum of all ciphertexts, each times an integer below 256 in size.
    WeightedSum,
    /// Each ciphertext times a plaintext polynomial of its own, in evaluation form.
    PlainProducts,
    /// Products of pairs of ciphertexts in evaluation form, without relinearisation.
    Products,
    /// Relinearisation of these products, with one digit for each prime and one special prime.
    Relinearisation,
    /// Modulus switching of relinearised products: the last prime is divided out.
    ModulusSwitching,
}

impl Operation {
    /// All operations.
    pub const ALL: [Self; 10] = [
        Self::Ntt,
        Self::Inverse,
        Self::Sums,
        Self::SumOfAll,
        Self::Weights,
        Self::WeightedSum,
        Self::PlainProducts,
        Self::Products,
        Self::Relinearisation,
        Self::ModulusSwitching,
    ];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ntt => "NTT",
            Self::Inverse => "inverse NTT",
            Self::Sums => "sums of pairs",
            Self::SumOfAll => "sum of all",
            Self::Weights => "integer weights",
            Self::WeightedSum => "weighted sum of all",
            Self::PlainProducts => "plaintext products",
            Self::Products => "BGV products",
            Self::Relinearisation => "relinearisation",
            Self::ModulusSwitching => "modulus switching",
        }
    }
}

/// A checked batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    spec: TaskSpec,
    limbs: u64,
    wide_limbs: u64,
}

/// What an operation takes on a machine.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PimTime {
    /// Seconds in which DPUs compute.
    pub dpu_s: f64,
    /// Seconds of transfers between host and DPUs.
    pub transfer_s: f64,
    /// Seconds in all. Nothing overlaps.
    pub total_s: f64,
    /// Joules of the modules only.
    pub joules: f64,
    /// Joules of the modules and of the host's processor.
    pub joules_with_host: f64,
}

impl Task {
    /// Checks a batch: a ring degree of 2^10 to 2^15, 20 to 2000 bits, primes of 16 to 30 bits, 2
    /// to 2^32 ciphertexts.
    ///
    /// # Errors
    /// [`PimModelError`]; also if there are too few primes.
    pub fn new(spec: TaskSpec) -> Result<Self, PimModelError> {
        if !spec.n.is_power_of_two() || !LOG_N.contains(&spec.n.ilog2()) {
            let allowed = format!("a power of two from {} to {}", 1u64 << LOG_N.start(), 1u64 << LOG_N.end());
            return Err(PimModelError::Value { what: "N", value: spec.n.to_string(), allowed });
        }
        within("log Q", spec.log_q, LOG_Q)?;
        within("bits of a prime", spec.prime_bits, PRIME_BITS)?;
        within("number of ciphertexts", spec.ciphertexts, CIPHERTEXTS)?;
        let limbs = spec.log_q.div_ceil(spec.prime_bits);
        let task = Self { spec, limbs: limbs.into(), wide_limbs: spec.log_q.div_ceil(WIDE_BITS).into() };
        let (count, bits) = (limbs as usize, task.bits());
        match ntt_primes(spec.n.ilog2(), bits, count, &[]) {
            Ok(_) => Ok(task),
            Err(_) => Err(PimModelError::Primes { count, bits, n: spec.n }),
        }
    }

    /// The batch's figures.
    pub fn spec(&self) -> &TaskSpec {
        &self.spec
    }

    /// Primes on DPUs.
    pub fn limbs(&self) -> u64 {
        self.limbs
    }

    /// Bits of each prime on DPUs.
    pub fn bits(&self) -> u32 {
        self.spec.log_q.div_ceil(self.limbs as u32)
    }

    /// Primes of at most 50 bits, on CPUs and GPUs.
    pub fn wide_limbs(&self) -> u64 {
        self.wide_limbs
    }

    /// Polynomials modulo one prime, of all ciphertexts.
    fn polynomials(&self) -> u64 {
        2 * self.spec.ciphertexts
    }

    /// Refuses primes that the program does not take, more primes than DPUs, and ciphertexts that
    /// do not fit the DPUs' memory.
    ///
    /// # Errors
    /// [`PimModelError`].
    pub fn fits(&self, machine: &PimMachine) -> Result<(), PimModelError> {
        let program = machine.spec().program;
        within("bits of a prime", self.bits(), 2..=program.most_bits())?;
        let dpus = u64::from(machine.spec().dpus);
        if dpus < self.limbs {
            let (value, allowed) = (dpus.to_string(), format!("at least {}, one for each prime", self.limbs));
            return Err(PimModelError::Value { what: "number of DPUs", value, allowed });
        }
        // products of pairs: four polynomials, three of results, one of temporary values
        let needed = 8 * self.share(machine, self.spec.ciphertexts / 2);
        let room = machine.room(self.spec.n);
        if needed <= room {
            return Ok(());
        }
        let most = 2 * (room / 8) * (dpus / self.limbs);
        Err(PimModelError::Room { ciphertexts: self.spec.ciphertexts, needed, room, most })
    }

    /// The most of `things` on one DPU, if those of a prime are spread over the DPUs of that prime.
    fn share(&self, machine: &PimMachine, things: u64) -> u64 {
        things.div_ceil(self.group(machine))
    }

    /// DPUs of each prime.
    fn group(&self, machine: &PimMachine) -> u64 {
        (u64::from(machine.spec().dpus) / self.limbs).max(1)
    }

    /// DPUs of each prime that have any polynomials.
    fn used(&self, machine: &PimMachine) -> u64 {
        self.group(machine).min(self.polynomials())
    }

    /// Partial sums of each polynomial of a ciphertext that DPUs leave for the host to add.
    pub(super) fn partial_sums(&self, machine: &PimMachine) -> u64 {
        self.used(machine).div_ceil(2)
    }

    /// What an operation takes on DPUs. Each prime has DPUs of its own, and those that have most
    /// work decide. The batch must fit the machine ([`Task::fits`]).
    pub fn time(&self, machine: &PimMachine, operation: Operation) -> PimTime {
        let kernels = machine.kernels(self.bits());
        let cycles: f64 = (self.commands(machine, operation).iter())
            .map(|&(command, count)| kernels.cycles(command, self.spec.n, count))
            .sum();
        let dpu_s = machine.seconds(cycles);
        let [there, back] = self.moved(machine, operation);
        let transfer_s = machine.transfer_seconds(self.bytes(there + back));
        let total_s = dpu_s + transfer_s;
        let joules = machine.watts() * total_s;
        PimTime { dpu_s, transfer_s, total_s, joules, joules_with_host: joules + machine.spec().host_watts * total_s }
    }

    /// Seconds to bring the operands of an operation to the DPUs.
    pub fn bring_seconds(&self, machine: &PimMachine, operation: Operation) -> f64 {
        machine.transfer_seconds(self.bytes(self.operands(operation)))
    }

    /// Commands of a DPU with the most work, and on how many polynomials.
    fn commands(&self, machine: &PimMachine, operation: Operation) -> Vec<(Command, u64)> {
        let all = self.share(machine, self.polynomials());
        match operation {
            Operation::Ntt => vec![(Command::Forward, all)],
            Operation::Inverse => vec![(Command::Inverse, all)],
            Operation::Sums => vec![(Command::Add, self.share(machine, self.polynomials() / 2))],
            // one sum for each of the two polynomials of a ciphertext
            Operation::SumOfAll => vec![(Command::Sum, all.div_ceil(2)); 2],
            Operation::Weights => vec![(Command::MulScalar, all)],
            Operation::WeightedSum => vec![(Command::WeightedSum, all.div_ceil(2)); 2],
            Operation::PlainProducts => vec![(Command::Mul, all)],
            Operation::Products => {
                let products = self.share(machine, self.spec.ciphertexts / 2);
                vec![(Command::Mul, products); 4].into_iter().chain([(Command::Add, products)]).collect()
            }
            Operation::Relinearisation => on_one_dpu(relinearisation(self.limbs), self.whole(machine)),
            Operation::ModulusSwitching => on_one_dpu(division(self.limbs - 1, 2), self.whole(machine)),
        }
    }

    /// Products on a DPU that has all primes of its ciphertexts: relinearisation and modulus
    /// switching change primes, and would otherwise move every digit to the DPUs of all primes.
    fn whole(&self, machine: &PimMachine) -> u64 {
        (self.spec.ciphertexts / 2).div_ceil(machine.spec().dpus.into())
    }

    /// Polynomials on a DPU that relinearises: keys, extended digits and their sums, and products.
    fn relinearisation_room(&self, machine: &PimMachine) -> u64 {
        let (limbs, extended) = (self.limbs, self.limbs + 1);
        2 * limbs * extended + (limbs + 2) * extended + 3 * limbs * self.whole(machine)
    }

    /// The operations that are possible: relinearisation needs room for its keys, modulus switching a
    /// prime that can be left out.
    pub fn operations(&self, machine: &PimMachine) -> Vec<Operation> {
        let possible = |operation: &Operation| match operation {
            Operation::Relinearisation => self.relinearisation_room(machine) <= machine.room(self.spec.n),
            Operation::ModulusSwitching => self.limbs > 1 && self.wide_limbs > 1,
            _ => true,
        };
        Operation::ALL.into_iter().filter(possible).collect()
    }

    /// Polynomials modulo one prime that are operands, for all primes.
    fn operands(&self, operation: Operation) -> u64 {
        let pairs = self.spec.ciphertexts / 2;
        self.limbs
            * match operation {
                Operation::PlainProducts => self.polynomials() + self.spec.ciphertexts,
                Operation::Relinearisation => 3 * pairs,
                Operation::ModulusSwitching => 2 * pairs,
                _ => self.polynomials(),
            }
    }

    /// Polynomials modulo one prime that go to the DPUs, and that come back, for all primes.
    fn moved(&self, machine: &PimMachine, operation: Operation) -> [u64; 2] {
        let pairs = self.spec.ciphertexts / 2;
        let (results, leave) = match operation {
            Operation::Sums | Operation::Relinearisation => (self.limbs * 2 * pairs, false),
            // sums over all DPUs are of use to the host only
            Operation::SumOfAll | Operation::WeightedSum => (self.limbs * self.used(machine), true),
            Operation::Products => (self.limbs * 3 * pairs, false),
            Operation::ModulusSwitching => ((self.limbs - 1) * 2 * pairs, false),
            _ => (self.limbs * self.polynomials(), false),
        };
        let there = if self.spec.moved { self.operands(operation) } else { 0 };
        [there, if self.spec.moved || leave { results } else { 0 }]
    }

    /// Bytes of so many polynomials modulo one prime.
    fn bytes(&self, polynomials: u64) -> u64 {
        WORD_BYTES * self.spec.n * polynomials
    }
}

/// Commands for each polynomial of one ciphertext, done for `count` ciphertexts together.
fn on_one_dpu(commands: Vec<(Command, u64)>, count: u64) -> Vec<(Command, u64)> {
    commands.into_iter().flat_map(|(command, times)| (0..times).map(move |_| (command, count))).collect()
}

/// The commands of a relinearisation over `limbs` primes, each of which is a digit, with one
/// special prime, as `PimBackend` in `ringjet-pim` gives them: how often each.
pub fn relinearisation(limbs: u64) -> Vec<(Command, u64)> {
    let extended = limbs + 1;
    let mut commands = vec![
        // digits: coefficients of the last polynomial, extended to all other primes
        (Command::Copy, limbs + limbs * extended),
        (Command::InversePositions, limbs),
        (Command::MulScalar, limbs),
        (Command::Fraction(1), limbs),
        (Command::Combine(2), limbs * limbs),
        (Command::ForwardPositions, limbs * limbs),
        // times both polynomials of each key
        (Command::Mul, 2 * extended),
        (Command::MulAcc, 2 * extended * (limbs - 1)),
        // plus the first polynomials, times the special prime
        (Command::MulScalar, 2 * limbs),
        (Command::Add, 2 * limbs),
    ];
    commands.extend(division(limbs, 2));
    commands
}

/// The commands that divide `polynomials` polynomials by one prime; `kept` primes stay.
pub fn division(kept: u64, polynomials: u64) -> Vec<(Command, u64)> {
    [
        (Command::Copy, 1),
        (Command::InversePositions, 1),
        (Command::MulScalar, 1),
        (Command::Fraction(1), 1),
        (Command::Combine(2), kept),
        (Command::ForwardPositions, kept),
        (Command::Copy, kept),
        (Command::MulScalar, kept),
        (Command::Add, kept),
    ]
    .map(|(command, times)| (command, polynomials * times))
    .into()
}
