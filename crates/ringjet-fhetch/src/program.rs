//! A program as a value, and its text.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use ringjet_backend::plan::Domain;

use crate::{FhetchError, Result};

/// Primes that a program may have: niobium-fhetch's index of a modulus has 8 bits, and number 0 is
/// taken.
pub const MAX_MODULI: usize = 255;

/// The modulus number 0 of every text: it stands for no modulus.
pub(crate) const NO_MODULUS: u64 = u64::MAX;

/// What an instruction computes of its source x, a polynomial modulo a prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `sr_addp`: x plus the polynomial at this address.
    Add(u32),
    /// `sr_subp`: x minus the polynomial at this address.
    Sub(u32),
    /// `sr_mulp`: x times the polynomial at this address, word by word.
    Mul(u32),
    /// `sr_addps`: every word plus a number.
    AddScalar(u64),
    /// `sr_mulps`: every word times a number. Words of x need not be below the modulus.
    MulScalar(u64),
    /// `sr_negp`: -x.
    Negate,
    /// `sr_ntt`: from coefficients to the values at odd powers of omega, a primitive 2N-th root of
    /// unity; word j becomes the value at omega^(2 brv(j) + 1), where brv reverses the bits of j.
    Ntt {
        /// The root of unity.
        omega: u64,
    },
    /// `sr_intt`: back from these values to coefficients.
    Intt {
        /// The root of unity.
        omega: u64,
    },
    /// `sr_automorph_eval`: x(X^k), where x is given by its values in the order of `sr_ntt`.
    Automorphism {
        /// An odd number.
        k: u64,
    },
}

/// An instruction: the polynomial at `dst` becomes what `op` computes of the one at `src`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The operation, with its other operand.
    pub op: Op,
    /// The address of the result.
    pub dst: u32,
    /// The address of the source.
    pub src: u32,
    /// The prime.
    pub modulus: u64,
}

/// The words of a polynomial; copies share memory.
pub type Words = Arc<Vec<u64>>;

/// The residues of a polynomial modulo one prime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polynomial {
    /// Its address, 1 or more.
    pub address: u32,
    /// Whether the words are coefficients, or values in the order of `sr_ntt`. A constant that is read
    /// as both has the domain of the first use.
    pub domain: Domain,
    /// N words.
    pub words: Words,
}

/// The polynomials of an input or a result, in the order in which the host wrote or read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its polynomials.
    pub polynomials: Vec<Polynomial>,
}

/// A program with its data. Each address is written once, by an instruction or as an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The ring's degree N.
    pub degree: usize,
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
    /// The inputs, with the data of this computation. A program is right for other data, too.
    pub inputs: Vec<Named>,
    /// Keys and numbers of the computation, by address.
    pub constants: Vec<Polynomial>,
    /// The results for the inputs' data.
    pub outputs: Vec<Named>,
}

impl Program {
    /// The text: comments, the primes in ascending order, an instruction a line, `halt`. Numbers are
    /// decimal, except for the primes.
    ///
    /// # Errors
    /// [`FhetchError::Moduli`] for more than [`MAX_MODULI`] primes, [`FhetchError::RingDegree`].
    pub fn text(&self) -> Result<String> {
        if !self.degree.is_power_of_two() {
            return Err(FhetchError::RingDegree { found: self.degree });
        }
        let moduli: BTreeSet<u64> = self.instructions.iter().map(|i| i.modulus).collect();
        if moduli.len() > MAX_MODULI {
            return Err(FhetchError::Moduli { found: moduli.len(), most: MAX_MODULI });
        }
        let table: Vec<u64> = [NO_MODULUS].into_iter().chain(moduli).collect();
        let numbers: HashMap<u64, usize> = table.iter().enumerate().map(|(i, &q)| (q, i)).collect();
        let mut out = format!(
            "# Program: ringjet v{}\n# Ring Dimension: {}\n# Instruction Count: {}\n# Modulus Count: {}\n",
            env!("CARGO_PKG_VERSION"),
            self.degree,
            self.instructions.len(),
            table.len(),
        );
        // writing to a string does not fail
        let _ = writeln!(out, "modulus_count {}", table.len());
        for (i, q) in table.iter().enumerate() {
            let _ = writeln!(out, "m[{i}] 0x{q:X}");
        }
        for instruction in &self.instructions {
            instruction.line(&mut out, numbers[&instruction.modulus], self.degree);
        }
        out.push_str("halt\n");
        Ok(out)
    }

    /// The data of inputs and constants, by address.
    pub fn given(&self) -> HashMap<u32, Words> {
        let inputs = self.inputs.iter().flat_map(|input| &input.polynomials);
        inputs.chain(&self.constants).map(|x| (x.address, x.words.clone())).collect()
    }

    /// The prime of each address: of the instruction that writes it, or of the first that reads it.
    pub(crate) fn primes(&self) -> HashMap<u32, u64> {
        let mut primes = HashMap::new();
        for instruction in &self.instructions {
            for address in instruction.sources().chain([instruction.dst]) {
                primes.entry(address).or_insert(instruction.modulus);
            }
        }
        primes
    }

    /// The addresses of the results, in order.
    pub fn results(&self) -> Vec<u32> {
        self.outputs.iter().flat_map(|output| &output.polynomials).map(|x| x.address).collect()
    }
}

impl Instruction {
    /// The addresses that the instruction reads.
    pub fn sources(&self) -> impl Iterator<Item = u32> {
        let second = match self.op {
            Op::Add(b) | Op::Sub(b) | Op::Mul(b) => Some(b),
            _ => None,
        };
        [self.src].into_iter().chain(second)
    }

    /// Appends the line of the instruction. `m` is the number of its modulus, `n` the degree.
    fn line(&self, out: &mut String, m: usize, n: usize) {
        let Self { op, dst, src, .. } = *self;
        let _ = match op {
            Op::Add(b) => writeln!(out, "sr_addp %{dst}, %{src}, %{b}, m={m}"),
            Op::Sub(b) => writeln!(out, "sr_subp %{dst}, %{src}, %{b}, m={m}"),
            Op::Mul(b) => writeln!(out, "sr_mulp %{dst}, %{src}, %{b}, m={m}"),
            Op::AddScalar(c) => writeln!(out, "sr_addps %{dst}, %{src}, {c}, m={m}"),
            Op::MulScalar(c) => writeln!(out, "sr_mulps %{dst}, %{src}, {c}, m={m}"),
            Op::Negate => writeln!(out, "sr_negp %{dst}, %{src}, m={m}"),
            Op::Ntt { omega } => writeln!(out, "sr_ntt %{dst}, %{src}, m={m}, omega={omega}"),
            Op::Intt { omega } => writeln!(out, "sr_intt %{dst}, %{src}, m={m}, omega={omega}"),
            Op::Automorphism { k } => {
                let (mask, log_n) = (n - 1, n.trailing_zeros());
                writeln!(out, "sr_automorph_eval %{dst}, %{src}, m={m}, mask={mask}, logn={log_n}, k={k}")
            }
        };
    }
}
