//! Follows one thread through a kernel's skeleton.

use super::PredictError;
use super::skeleton::{Function, KINDS, Operator, REGISTERS, Skeleton, Word};

/// Data: a value that is computed from residues. No other value is as small.
pub const DATA: i128 = i128::MIN;

/// Most blocks that a thread may go through.
const LONGEST: usize = 200_000;

/// What a thread executes. Reused from thread to thread, so that nothing is allocated anew.
#[derive(Debug, Default)]
pub struct Thread {
    /// Instructions of each kind.
    pub instructions: [u64; KINDS],
    /// Accesses to memory, in their order: number of the access, address.
    pub accesses: Vec<(usize, i128)>,
    stack: Vec<i128>,
}

/// Where a thread finds what it does not compute.
pub trait Surroundings {
    /// The word of 32 bits at this offset of the launch's arguments, in words.
    fn argument(&self, at: usize) -> Option<u32>;
    /// The word of 32 bits at an address; `None` if it is a residue.
    fn memory(&self, address: u64) -> Option<u32>;
}

/// Where control goes at the end of a block.
enum Next {
    Block(usize),
    End,
}

impl Thread {
    /// Follows the thread whose indices are `special`: in the block in both dimensions, and of the
    /// block in the second, the third and the first.
    pub fn follow(&mut self, kernel: &Skeleton, special: [u32; 5], at: &impl Surroundings) -> Result<(), PredictError> {
        let mut registers = [DATA; REGISTERS];
        self.instructions = [0; KINDS];
        self.accesses.clear();
        let mut block = 0;
        for _ in 0..LONGEST {
            let code = kernel.blocks.get(block).ok_or(PredictError::Skeleton("a jump to nowhere"))?;
            for (sum, &count) in self.instructions.iter_mut().zip(&code.instructions) {
                *sum += u64::from(count);
            }
            match self.block(&code.code, &mut registers, special, at)? {
                Next::Block(next) => block = next,
                Next::End => return Ok(()),
            }
        }
        Err(PredictError::Skeleton("a thread that does not end"))
    }

    fn block(
        &mut self,
        code: &[Word],
        registers: &mut [i128; REGISTERS],
        special: [u32; 5],
        at: &impl Surroundings,
    ) -> Result<Next, PredictError> {
        let (mut place, mut around) = (0, None);
        let jump = |to: Option<usize>| Ok(to.map_or(Next::End, Next::Block));
        self.stack.clear();
        while let Some(word) = code.get(place) {
            place += 1;
            match *word {
                Word::Number(number) => self.stack.push(number),
                Word::Data => self.stack.push(DATA),
                Word::Load(register) => self.stack.push(registers[register]),
                Word::Store(register) => registers[register] = self.pop()?,
                Word::Special(index) => self.stack.push(i128::from(special[index])),
                Word::Operator(operator) => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.stack.push(operate(operator, a, b));
                }
                Word::Function(function) => self.call(function)?,
                Word::Argument => {
                    let offset = usize::try_from(self.pop()?).ok();
                    let found = offset.and_then(|offset| at.argument(offset));
                    let found = found.ok_or(PredictError::Skeleton("an argument beyond the last"))?;
                    self.stack.push(i128::from(found));
                }
                Word::Memory => {
                    let address = u64::try_from(self.pop()?);
                    let address = address.map_err(|_| PredictError::Skeleton("data decides about an address"))?;
                    self.stack.push(at.memory(address).map_or(DATA, i128::from));
                }
                Word::Touch(access) => {
                    let address = self.pop()?;
                    self.accesses.push((access, address));
                }
                Word::Unless(count) => match (self.pop()?, around) {
                    (DATA, Some(to)) => return jump(to),
                    (DATA, None) => return Err(PredictError::Skeleton("data decides about a branch")),
                    (0, _) => place += count,
                    _ => {}
                },
                Word::Known(count) => {
                    if self.pop()? == DATA {
                        place += count;
                    }
                }
                Word::Skip(count) => place += count,
                Word::Go(to) => return jump(to),
                Word::Around(to) => around = Some(to),
            }
        }
        Err(PredictError::Skeleton("a block without an end"))
    }

    fn pop(&mut self) -> Result<i128, PredictError> {
        self.stack.pop().ok_or(PredictError::Skeleton("a word without its operand"))
    }

    fn call(&mut self, function: Function) -> Result<(), PredictError> {
        use Function as F;
        let c = if function == F::Choose { self.pop()? } else { 0 };
        let two = matches!(function, F::Both | F::Either | F::Choose | F::Least);
        let b = if two { self.pop()? } else { 0 };
        let a = self.pop()?;
        self.stack.push(match function {
            F::Both if a == 0 || b == 0 => 0,
            F::Either if [a, b].iter().any(|&x| x != 0 && x != DATA) => 1,
            F::Both | F::Either if a == DATA || b == DATA => DATA,
            F::Both => 1,
            F::Either => 0,
            _ if a == DATA => DATA,
            F::Not => i128::from(a == 0),
            F::Truth => i128::from(a != 0),
            F::Choose => {
                if a != 0 {
                    b
                } else {
                    c
                }
            }
            F::Least => a.min(b),
            F::Reversed => i128::from((a as u32).reverse_bits()),
            F::Highest => i128::from(31u32.wrapping_sub((a as u32).leading_zeros())),
            F::RoundUp => i128::from(rounded_up(a as u32)),
            F::Reciprocal => i128::from(((1.0 / f64::from(f32::from_bits(a as u32))) as f32).to_bits()),
            F::Truncated => i128::from(f32::from_bits(a as u32) as u32),
        });
        Ok(())
    }
}

/// The 32-bit floating-point number that is not less than `x`, as the kernels' divisions need it.
fn rounded_up(x: u32) -> u32 {
    let nearest = x as f32;
    nearest.to_bits() + u32::from(f64::from(nearest) < f64::from(x))
}

fn operate(operator: Operator, a: i128, b: i128) -> i128 {
    use Operator as O;
    if a == DATA || b == DATA {
        return DATA;
    }
    match operator {
        O::Add => a + b,
        O::Sub => a - b,
        O::Mul => a * b,
        O::And => a & b,
        O::Or => a | b,
        O::Xor => a ^ b,
        O::Left => a << b.clamp(0, 64),
        O::Right => a >> b.clamp(0, 127),
        O::Equal => i128::from(a == b),
        O::Different => i128::from(a != b),
        O::Less => i128::from(a < b),
        O::LessOrEqual => i128::from(a <= b),
        O::Greater => i128::from(a > b),
        O::GreaterOrEqual => i128::from(a >= b),
    }
}
