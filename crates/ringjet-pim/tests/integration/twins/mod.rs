//! The assembly, the C functions that charge its instructions, and plain arithmetic on wide integers
//! agree: results always, counts for every operand.

mod collect;
mod residues;
mod wide;
mod words;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_pim::assembly::{IRAM_INSTRUCTIONS, Program, ROUTINES, TaskletMachine};

/// Words in, words out; returns the charged instructions.
type Function = unsafe extern "C" fn(*const u32, *mut u32) -> u32;

/// Declares C functions of a configuration of `emulator/twins.c`.
macro_rules! twins {
    ($($name:ident = $symbol:literal),* $(,)?) => {
        unsafe extern "C" {
            $(#[link_name = concat!("ringjet_pim_twin_", $symbol)] fn $name(input: *const u32, output: *mut u32) -> u32;)*
        }
    };
}

twins! {
    mul_wide = "final_mul_wide", mul_low = "final_mul_low", mul_24 = "final_mul_24",
    product32 = "final_product32", product64 = "final_product64", remainder64 = "final_remainder64",
    add_coalesced = "final_mod_add", sub_coalesced = "final_mod_sub",
    add_plain = "plain_mod_add", sub_plain = "plain_mod_sub",
    barrett_reduce = "final_reduce", mod_mul = "final_mod_mul", mod_mul_plain = "plain_mod_mul",
    mod_mul_24 = "nine_mod_mul", shoup_mul = "final_shoup_mul", mul_factor_shoup = "shoup_mul_factor",
    mod_mul_compiler = "barrett_mod_mul", mod_mul_initial = "initial_mod_mul",
    pointwise = "final_pointwise", forward_barrett = "final_forward", inverse_barrett = "final_inverse",
    forward_shoup = "shoup_forward", inverse_shoup = "shoup_inverse",
    add128 = "final_add128", sub128 = "final_sub128",
    collect_one = "final_collect_one", collect_eight = "final_collect_eight",
    collect_weighted = "final_collect_weighted", collect_negated = "final_collect_negated",
}

/// Random operands of each routine.
const RANDOM: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
/// A call and a return, which routines have that the C program inlines.
const CALL: u64 = 2;

/// Calls a C function; returns four words of results, and what it charges.
fn charged(twin: Function, input: &[u32]) -> ([u32; 4], u64) {
    let (mut words, mut output) = ([0; 18], [0; 4]);
    words[..input.len()].copy_from_slice(input);
    // SAFETY: the functions read at most 18 words and write at most 4.
    let count = unsafe { twin(words.as_ptr(), output.as_mut_ptr()) };
    (output, count.into())
}

struct Bench {
    program: Program,
    machine: TaskletMachine,
    rng: ChaCha20Rng,
}

impl Bench {
    fn new() -> Self {
        let program = Program::parse(ROUTINES).unwrap();
        Self { program, machine: TaskletMachine::new(1 << 16), rng: ChaCha20Rng::seed_from_u64(37) }
    }

    /// Calls a routine with these registers; returns r0, r1 and the instructions.
    fn call(&mut self, label: &str, registers: &[(usize, u32)]) -> ([u32; 2], u64) {
        for &(register, value) in registers {
            self.machine.registers[register] = value;
        }
        let count = self.machine.call(&self.program, &format!("ringjet_{label}")).unwrap();
        ([self.machine.registers[0], self.machine.registers[1]], count)
    }

    /// A word of random length, so that small ones are frequent.
    fn word(&mut self) -> u32 {
        let length = self.rng.next_u32() % 32;
        self.rng.next_u32() >> length
    }

    /// An odd modulus of 3 to `most` bits.
    fn modulus(&mut self, most: u32) -> Modulus {
        let k = 3 + self.rng.next_u32() % (most - 2);
        let choice = self.rng.next_u32() % 16;
        Modulus::new(match choice {
            0 => (1 << (k - 1)) + 1,
            1 => (1 << k) - 1,
            _ => (1 << (k - 1)) | (self.rng.next_u32() % (1 << (k - 1))) | 1,
        })
    }

    /// A residue; the largest and zero are frequent.
    fn residue(&mut self, m: u32) -> u32 {
        match self.rng.next_u32() % 32 {
            0 => 0,
            1 => m - 1,
            _ => self.rng.next_u32() % m,
        }
    }
}

#[derive(Clone, Copy)]
struct Modulus {
    value: u32,
    bits: u32,
    factor: u32,
}

impl Modulus {
    fn new(value: u32) -> Self {
        let bits = 32 - value.leading_zeros();
        Self { value, bits, factor: u32::try_from((1_u64 << (bits + 31)) / u64::from(value)).unwrap() }
    }

    fn registers(self, w: u32) -> [(usize, u32); 6] {
        let Self { value, bits, factor } = self;
        [(8, value), (9, factor), (11, bits - 2), (12, 34 - bits), (17, w), (18, self.companion(w))]
    }

    fn companion(self, w: u32) -> u32 {
        ((u64::from(w) << 32) / u64::from(self.value)) as u32
    }

    /// Input of a C function: two operands and the constants.
    fn input(self, a: u32, b: u32, w: u32) -> [u32; 7] {
        [a, b, self.value, self.factor, self.bits, w, self.companion(w)]
    }

    fn mul(self, a: u32, b: u32) -> u32 {
        (u64::from(a) * u64::from(b) % u64::from(self.value)) as u32
    }
}

fn words(pair: u64) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}
