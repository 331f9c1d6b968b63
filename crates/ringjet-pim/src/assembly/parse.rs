//! Parses assembly.

use std::collections::HashMap;

use super::AssemblyError;
use super::macros::expand;

/// Assembled routines.
#[derive(Debug, Clone)]
pub struct Program {
    pub(super) instructions: Vec<Instruction>,
    labels: HashMap<String, usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub line: usize,
    pub operation: Operation,
    /// If the condition holds, the instruction jumps to the target.
    pub jump: Option<(Condition, usize)>,
}

/// A register, or a constant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    Register(usize),
    Constant(u32),
}

/// Operations on two operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Alu {
    Add,
    Addc,
    Sub,
    Subc,
    And,
    Or,
    Xor,
    Lsl,
    /// The bits that `Lsl` shifts out.
    Lslx,
    Lsr,
    Asr,
    Rol,
    /// A product of bytes. The numbers say by how many bits each operand is shifted first.
    Mul(u32, u32),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    /// Destination (none if the result is dropped) and operands.
    Alu(Alu, Option<usize>, Operand, Operand),
    /// Destination, operands, and the condition of their difference: the result is 1 if it holds,
    /// otherwise 0.
    Set(Alu, usize, Operand, Operand, Condition),
    Move(usize, Operand),
    CountLeadingZeros(usize, Operand),
    /// rc = ra + (rb << shift)
    LslAdd(usize, Operand, Operand, u32),
    /// A step of a multiplication. The even register of the pair holds the bits of the multiplier
    /// that are left, the odd one the sum.
    MulStep(usize, Operand, u32),
    /// Words, register, base, offset.
    Load(u32, usize, Operand, u32),
    Store(u32, Operand, u32, usize),
    /// Compares; the jump of the instruction has the condition.
    Compare(Operand, Operand),
    JumpRegister(usize),
    Jump,
    /// The register for the return address.
    Call(usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Condition {
    True,
    Zero,
    NotZero,
    Carry,
    NotCarry,
    Negative,
    NotNegative,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Program {
    /// Assembles a source text.
    ///
    /// # Errors
    ///
    /// Words that the interpreter does not know, with their lines.
    pub fn parse(source: &str) -> Result<Self, AssemblyError> {
        let mut labels = HashMap::new();
        let mut lines = Vec::new();
        for (line, text) in expand(source)? {
            if let Some(label) = text.strip_suffix(':') {
                if labels.insert(label.to_owned(), lines.len()).is_some() {
                    return Err(AssemblyError::DuplicateLabel { line, label: label.to_owned() });
                }
            } else if !is_directive(&text) {
                lines.push((line, text));
            }
        }
        let instruction = |(line, text): &(usize, String)| Parser::new(*line, text, &labels).instruction();
        let instructions = lines.iter().map(instruction).collect::<Result<_, _>>()?;
        Ok(Self { instructions, labels })
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    pub(super) fn label(&self, label: &str) -> Result<usize, AssemblyError> {
        let unknown = || AssemblyError::UnknownLabel { line: 0, label: label.to_owned() };
        self.labels.get(label).copied().ok_or_else(unknown)
    }
}

/// Directives of the vendor's assembler that change no instruction.
fn is_directive(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    [".text", ".globl", ".section", ".type", ".size"].contains(&word)
}

struct Parser<'a> {
    line: usize,
    name: &'a str,
    /// Operands that are not yet parsed.
    rest: Vec<&'a str>,
    labels: &'a HashMap<String, usize>,
}

impl<'a> Parser<'a> {
    fn new(line: usize, text: &'a str, labels: &'a HashMap<String, usize>) -> Self {
        let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut rest: Vec<&str> = operands.split(',').map(str::trim).collect();
        rest.reverse();
        Self { line, name, rest, labels }
    }

    fn instruction(mut self) -> Result<Instruction, AssemblyError> {
        let line = self.line;
        let (operation, jump) = match self.name {
            "jump" if self.rest.last().is_some_and(|r| register(r, 'r').is_some()) => {
                (Operation::JumpRegister(self.register()?), None)
            }
            "jump" => (Operation::Jump, Some((Condition::True, self.target()?))),
            "call" => {
                let link = self.register()?;
                (Operation::Call(link), Some((Condition::True, self.target()?)))
            }
            name if name.starts_with('j') => {
                let condition = self.condition(&name[1..])?;
                let operation = Operation::Compare(self.operand()?, self.operand()?);
                (operation, Some((condition, self.target()?)))
            }
            _ => {
                let operation = self.operation()?;
                (operation, self.fused_jump()?)
            }
        };
        match self.rest.pop() {
            Some(found) if !found.is_empty() => Err(self.wrong(found, "nothing more")),
            _ => Ok(Instruction { line, operation, jump }),
        }
    }

    fn operation(&mut self) -> Result<Operation, AssemblyError> {
        Ok(match self.name {
            "move" => Operation::Move(self.register()?, self.operand()?),
            "clz" => Operation::CountLeadingZeros(self.register()?, self.operand()?),
            "lsl_add" => Operation::LslAdd(self.register()?, self.operand()?, self.operand()?, self.number()?),
            "mul_step" => {
                let (pair, factor, same) = (self.pair()?, self.operand()?, self.pair()?);
                if pair != same {
                    return Err(self.wrong(&format!("d{same}"), "the pair of the result"));
                }
                Operation::MulStep(pair, factor, self.number()?)
            }
            "lw" => Operation::Load(1, self.register()?, self.operand()?, self.number()?),
            "ld" => Operation::Load(2, self.pair()?, self.operand()?, self.number()?),
            "sw" => Operation::Store(1, self.operand()?, self.number()?, self.register()?),
            "sd" => Operation::Store(2, self.operand()?, self.number()?, self.pair()?),
            _ => {
                let alu = self.alu()?;
                let to = if self.rest.last() == Some(&"zero") { self.rest.pop().map(|_| None) } else { None };
                let to = to.map_or_else(|| self.register().map(Some), Ok)?;
                let (a, b) = (self.operand()?, self.operand()?);
                match (to, self.rest.as_slice()) {
                    (Some(to), [condition]) if matches!(alu, Alu::Sub | Alu::Subc) => {
                        let condition = self.condition(condition)?;
                        self.rest.clear();
                        Operation::Set(alu, to, a, b, condition)
                    }
                    _ => Operation::Alu(alu, to, a, b),
                }
            }
        })
    }

    fn alu(&self) -> Result<Alu, AssemblyError> {
        Ok(match self.name {
            "add" => Alu::Add,
            "addc" => Alu::Addc,
            "sub" => Alu::Sub,
            "subc" => Alu::Subc,
            "and" => Alu::And,
            "or" => Alu::Or,
            "xor" => Alu::Xor,
            "lsl" => Alu::Lsl,
            "lslx" => Alu::Lslx,
            "lsr" => Alu::Lsr,
            "asr" => Alu::Asr,
            "rol" => Alu::Rol,
            "mul_ul_ul" => Alu::Mul(0, 0),
            "mul_ul_uh" => Alu::Mul(0, 8),
            "mul_uh_ul" => Alu::Mul(8, 0),
            "mul_uh_uh" => Alu::Mul(8, 8),
            name => return Err(AssemblyError::UnknownInstruction { line: self.line, name: name.to_owned() }),
        })
    }

    /// The condition and target at the end of an instruction, if there is one.
    fn fused_jump(&mut self) -> Result<Option<(Condition, usize)>, AssemblyError> {
        match self.rest.pop() {
            None | Some("") => Ok(None),
            Some(word) => Ok(Some((self.condition(word)?, self.target()?))),
        }
    }

    /// Only the conditions that the instruction computes are accepted.
    fn condition(&self, word: &str) -> Result<Condition, AssemblyError> {
        use Condition::*;
        let has = |list: &[&str]| list.contains(&self.name);
        let compares = has(&["sub", "subc"]) || self.name.starts_with('j');
        // the zero flag of `subc` would be that of one word, so of the orders only these are exact
        let compares_one_word = compares && self.name != "subc";
        let found = match word {
            "true" if !self.name.starts_with('j') => Some(True),
            "z" if !self.name.starts_with('j') => Some(Zero),
            "nz" if !self.name.starts_with('j') => Some(NotZero),
            "eq" if self.name.starts_with('j') => Some(Zero),
            "neq" if self.name.starts_with('j') => Some(NotZero),
            "c" if has(&["add", "addc"]) => Some(Carry),
            "nc" if has(&["add", "addc"]) => Some(NotCarry),
            "mi" if has(&["add", "sub", "move"]) => Some(Negative),
            "pl" if has(&["add", "sub", "move"]) => Some(NotNegative),
            "ltu" if compares => Some(Less),
            "geu" if compares => Some(GreaterEqual),
            "leu" if compares_one_word => Some(LessEqual),
            "gtu" if compares_one_word => Some(Greater),
            _ => None,
        };
        found.ok_or_else(|| match self.name.strip_prefix('j') {
            Some(rest) if rest == word => {
                AssemblyError::UnknownInstruction { line: self.line, name: self.name.to_owned() }
            }
            _ => AssemblyError::Condition {
                line: self.line,
                instruction: self.name.to_owned(),
                condition: word.to_owned(),
            },
        })
    }

    fn register(&mut self) -> Result<usize, AssemblyError> {
        let word = self.rest.pop().unwrap_or_default();
        register(word, 'r').ok_or_else(|| self.wrong(word, "a register r0 to r23"))
    }

    fn pair(&mut self) -> Result<usize, AssemblyError> {
        let word = self.rest.pop().unwrap_or_default();
        let even = register(word, 'd').filter(|number| number % 2 == 0);
        even.ok_or_else(|| self.wrong(word, "a pair d0, d2 to d22"))
    }

    fn number(&mut self) -> Result<u32, AssemblyError> {
        let word = self.rest.pop().unwrap_or_default();
        number(word).ok_or_else(|| self.wrong(word, "a number of 32 bits"))
    }

    fn operand(&mut self) -> Result<Operand, AssemblyError> {
        let word = self.rest.pop().unwrap_or_default();
        let constant = if word == "zero" { Some(0) } else { number(word) };
        let operand = register(word, 'r').map(Operand::Register).or(constant.map(Operand::Constant));
        operand.ok_or_else(|| self.wrong(word, "a register, zero or a number of 32 bits"))
    }

    fn target(&mut self) -> Result<usize, AssemblyError> {
        let label = self.rest.pop().unwrap_or_default();
        let unknown = || AssemblyError::UnknownLabel { line: self.line, label: label.to_owned() };
        self.labels.get(label).copied().ok_or_else(unknown)
    }

    fn wrong(&self, found: &str, expected: &'static str) -> AssemblyError {
        AssemblyError::Operand { line: self.line, found: found.to_owned(), expected }
    }
}

fn register(word: &str, letter: char) -> Option<usize> {
    word.strip_prefix(letter)?.parse().ok().filter(|&number| number < 24)
}

fn number(word: &str) -> Option<u32> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}
