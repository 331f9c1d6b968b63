//! Executes assembled routines.

use super::AssemblyError;
use super::parse::{Alu, Condition, Instruction, Operand, Operation, Program};

/// The value of the return address of the outermost call.
const RETURN: u32 = u32::MAX;

/// The registers, the carry flag and the WRAM of a tasklet.
#[derive(Debug, Clone)]
pub struct TaskletMachine {
    /// r0 to r23.
    pub registers: [u32; 24],
    /// Bytes, little-endian.
    pub wram: Vec<u8>,
    /// How many instructions a call may take.
    pub limit: u64,
    carry: bool,
}

/// What the condition of an instruction is computed from.
struct Flags {
    result: u32,
    /// The carry of a sum, the borrow of a difference.
    carry: bool,
}

impl TaskletMachine {
    /// A machine with WRAM of this many bytes, all zero.
    pub fn new(wram_bytes: usize) -> Self {
        Self { registers: [0; 24], wram: vec![0; wram_bytes], limit: 1 << 20, carry: false }
    }

    /// Calls a routine, and returns how many instructions were executed, the call and the return
    /// among them.
    ///
    /// Routines that call others return to r13, others to r23: both hold the return address.
    ///
    /// # Errors
    ///
    /// An unknown label, an address outside WRAM, a jump to nowhere, no return within the limit.
    pub fn call(&mut self, program: &Program, label: &str) -> Result<u64, AssemblyError> {
        let mut at = program.label(label)?;
        self.registers[13] = RETURN;
        self.registers[23] = RETURN;
        self.carry = false;
        let mut count = 1; // the call
        let mut line = 0;
        loop {
            if count == self.limit {
                return Err(AssemblyError::TooLong { limit: self.limit });
            }
            let outside = |target| AssemblyError::Jump { line, target, count: program.len() };
            let instruction = program.instructions.get(at).ok_or_else(|| outside(at as u32))?;
            line = instruction.line;
            count += 1;
            match self.execute(instruction, at)? {
                RETURN => return Ok(count),
                next => at = next as usize,
            }
        }
    }

    /// Executes the instruction at this index, and returns the index of the next.
    fn execute(&mut self, instruction: &Instruction, at: usize) -> Result<u32, AssemblyError> {
        let next = at as u32 + 1;
        match instruction.operation {
            Operation::JumpRegister(register) => return Ok(self.registers[register]),
            Operation::Call(link) => self.registers[link] = next,
            _ => {}
        }
        let flags = self.compute(instruction)?;
        match instruction.jump {
            Some((condition, target)) if holds(condition, &flags) => Ok(target as u32),
            _ => Ok(next),
        }
    }

    /// Does what an instruction does besides jumping.
    fn compute(&mut self, instruction: &Instruction) -> Result<Flags, AssemblyError> {
        let result = match instruction.operation {
            Operation::Alu(alu, to, a, b) => {
                let flags = self.alu(alu, self.value(a), self.value(b));
                self.carry = flags.carry;
                if let Some(to) = to {
                    self.registers[to] = flags.result;
                }
                return Ok(flags);
            }
            Operation::Set(alu, to, a, b, condition) => {
                let flags = self.alu(alu, self.value(a), self.value(b));
                self.carry = flags.carry;
                self.set(to, holds(condition, &flags).into())
            }
            Operation::Compare(a, b) => return Ok(self.alu(Alu::Sub, self.value(a), self.value(b))),
            Operation::Move(to, a) => self.set(to, self.value(a)),
            Operation::CountLeadingZeros(to, a) => self.set(to, self.value(a).leading_zeros()),
            Operation::LslAdd(to, a, b, shift) => {
                self.set(to, self.value(a).wrapping_add(self.value(b) << (shift & 31)))
            }
            Operation::MulStep(pair, factor, shift) => {
                if self.registers[pair] & 1 == 1 {
                    let term = self.value(factor) << (shift & 31);
                    self.registers[pair + 1] = self.registers[pair + 1].wrapping_add(term);
                }
                self.set(pair, self.registers[pair] >> 1)
            }
            Operation::Load(words, to, base, offset) => {
                let from = self.address(words, base, offset, instruction.line)?;
                self.load(words, to, from)
            }
            Operation::Store(words, base, offset, register) => {
                let to = self.address(words, base, offset, instruction.line)?;
                self.store(words, register, to)
            }
            Operation::JumpRegister(_) | Operation::Jump | Operation::Call(_) => 0,
        };
        Ok(Flags { result, carry: self.carry })
    }

    fn load(&mut self, words: u32, to: usize, from: usize) -> u32 {
        for i in 0..words as usize {
            let bytes = self.wram[from + 4 * i..][..4].try_into().expect("four bytes");
            self.registers[word_of_pair(to, words, i)] = u32::from_le_bytes(bytes);
        }
        self.registers[to]
    }

    fn store(&mut self, words: u32, register: usize, to: usize) -> u32 {
        for i in 0..words as usize {
            let value = self.registers[word_of_pair(register, words, i)];
            self.wram[to + 4 * i..][..4].copy_from_slice(&value.to_le_bytes());
        }
        self.registers[register]
    }

    fn value(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(register) => self.registers[register],
            Operand::Constant(value) => value,
        }
    }

    fn set(&mut self, register: usize, value: u32) -> u32 {
        self.registers[register] = value;
        value
    }

    fn alu(&self, alu: Alu, a: u32, b: u32) -> Flags {
        let carry_in = u64::from(self.carry && matches!(alu, Alu::Addc | Alu::Subc));
        let (wide_a, wide_b) = (u64::from(a), u64::from(b) + carry_in);
        let result = match alu {
            Alu::Add | Alu::Addc => {
                let sum = wide_a + wide_b;
                return Flags { result: sum as u32, carry: sum >> 32 != 0 };
            }
            Alu::Sub | Alu::Subc => {
                return Flags { result: wide_a.wrapping_sub(wide_b) as u32, carry: wide_a < wide_b };
            }
            Alu::And => a & b,
            Alu::Or => a | b,
            Alu::Xor => a ^ b,
            Alu::Lsl => a << (b & 31),
            Alu::Lslx => (u64::from(a) << (b & 31) >> 32) as u32,
            Alu::Lsr => a >> (b & 31),
            Alu::Asr => (a as i32 >> (b & 31)) as u32,
            Alu::Rol => a.rotate_left(b & 31),
            Alu::Mul(of_a, of_b) => (a >> of_a & 255) * (b >> of_b & 255),
        };
        Flags { result, carry: self.carry }
    }

    fn address(&self, words: u32, base: Operand, offset: u32, line: usize) -> Result<usize, AssemblyError> {
        let (address, bytes) = (self.value(base).wrapping_add(offset), 4 * words);
        if !address.is_multiple_of(bytes) || u64::from(address) + u64::from(bytes) > self.wram.len() as u64 {
            return Err(AssemblyError::Address { line, address: address.into(), bytes, size: self.wram.len() });
        }
        Ok(address as usize)
    }
}

/// The register of word `i` in memory. The even register of a pair is the high word, which comes
/// second in memory.
fn word_of_pair(register: usize, words: u32, i: usize) -> usize {
    register + words as usize - 1 - i
}

fn holds(condition: Condition, flags: &Flags) -> bool {
    match condition {
        Condition::True => true,
        Condition::Zero => flags.result == 0,
        Condition::NotZero => flags.result != 0,
        Condition::Carry | Condition::Less => flags.carry,
        Condition::NotCarry | Condition::GreaterEqual => !flags.carry,
        Condition::Negative => flags.result >> 31 == 1,
        Condition::NotNegative => flags.result >> 31 == 0,
        Condition::LessEqual => flags.carry || flags.result == 0,
        Condition::Greater => !flags.carry && flags.result != 0,
    }
}
