//! Reads the text of a program.

use std::str::SplitWhitespace;

use crate::program::NO_MODULUS;
use crate::{FhetchError, Instruction, MAX_MODULI, Op, Result};

/// Characters of a token that an error has.
const MAX_FOUND: usize = 80;

/// The instructions that [`Program::text`](crate::Program::text) writes.
const KNOWN: &str = "sr_addp, sr_subp, sr_mulp, sr_addps, sr_mulps, sr_negp, sr_ntt, sr_intt, \
                     sr_automorph_eval, halt or a comment";

/// The instructions of a text: `modulus_count`, the primes, instructions of the kinds of [`Op`], each
/// with all its operands, and `halt`. What follows a `#` is a comment. The operands `mask` and `logn`
/// must fit the ring's `degree`.
///
/// # Errors
/// [`FhetchError::Text`] with the line, what it has, and what is expected; [`FhetchError::RingDegree`].
pub fn parse(text: &str, degree: usize) -> Result<Vec<Instruction>> {
    if !degree.is_power_of_two() {
        return Err(FhetchError::RingDegree { found: degree });
    }
    let mut lines = text.lines().enumerate().filter_map(|(i, line)| {
        let tokens = line.split('#').next().unwrap_or("").split_whitespace();
        tokens.clone().next().map(|_| Line { number: i + 1, tokens })
    });
    let end = Line { number: text.lines().count() + 1, tokens: "".split_whitespace() };
    let mut next = |expected: &str| lines.next().ok_or_else(|| end.unexpected("the end", expected));

    let mut line = next("modulus_count")?;
    line.word("modulus_count")?;
    let expected = format!("a number from 1 to {}", MAX_MODULI + 1);
    let count = line.number(&expected, "", 10, |n| (1..=MAX_MODULI as u64 + 1).contains(&n))?;
    line.end()?;
    let mut moduli = Vec::new();
    for i in 0..count {
        let entry = format!("m[{i}]");
        let mut line = next(&entry)?;
        line.word(&entry)?;
        moduli.push(match i {
            0 => line.number("0xFFFFFFFFFFFFFFFF", "0x", 16, |q| q == NO_MODULUS)?,
            _ => line.number("an odd hexadecimal prime below 0x4000000000000000", "0x", 16, |q| {
                q % 2 == 1 && q >> 62 == 0 && q > 2
            })?,
        });
        line.end()?;
    }
    let mut instructions = Vec::new();
    loop {
        let mut line = next(KNOWN)?;
        let name = line.next(KNOWN)?;
        if name == "halt" {
            line.end()?;
            break;
        }
        instructions.push(line.instruction(name, &moduli, degree)?);
        line.end()?;
    }
    match lines.next() {
        None => Ok(instructions),
        Some(mut line) => {
            let found = line.next("")?;
            Err(line.unexpected(found, "nothing after halt"))
        }
    }
}

/// The number after `prefix`.
fn number(token: &str, prefix: &str, base: u32) -> Option<u64> {
    let digits = token.strip_prefix(prefix).filter(|digits| !digits.starts_with('+'))?;
    u64::from_str_radix(digits, base).ok()
}

/// A line that is not empty.
#[derive(Clone)]
struct Line<'a> {
    number: usize,
    tokens: SplitWhitespace<'a>,
}

impl<'a> Line<'a> {
    fn unexpected(&self, found: &str, expected: &str) -> FhetchError {
        let found = found.chars().take(MAX_FOUND).collect();
        FhetchError::Text { line: self.number, found, expected: expected.into() }
    }

    /// The next token.
    fn next(&mut self, expected: &str) -> Result<&'a str> {
        self.tokens.next().ok_or_else(|| self.unexpected("the end of the line", expected))
    }

    /// Takes this word.
    fn word(&mut self, expected: &str) -> Result<()> {
        let found = self.next(expected)?;
        if found == expected { Ok(()) } else { Err(self.unexpected(found, expected)) }
    }

    /// A number after `prefix` that `fits`.
    fn number(&mut self, expected: &str, prefix: &str, base: u32, fits: impl Fn(u64) -> bool) -> Result<u64> {
        let found = self.next(expected)?;
        number(found, prefix, base).filter(|&value| fits(value)).ok_or_else(|| self.unexpected(found, expected))
    }

    /// A decimal number after `prefix`, and a comma if it is not the `last` operand.
    fn operand(&mut self, expected: &str, prefix: &str, last: bool, fits: impl Fn(u64) -> bool) -> Result<u64> {
        let found = self.next(expected)?;
        let token = if last { Some(found) } else { found.strip_suffix(',') };
        let value = token.and_then(|token| number(token, prefix, 10)).filter(|&value| fits(value));
        value.ok_or_else(|| self.unexpected(found, expected))
    }

    fn address(&mut self) -> Result<u32> {
        let expected = "%ADDRESS from 1 to 4294967295 and a comma";
        self.operand(expected, "%", false, |n| n != 0 && u32::try_from(n).is_ok()).map(|n| n as u32)
    }

    /// The prime of the operand `m=NUMBER`.
    fn modulus(&mut self, moduli: &[u64], last: bool) -> Result<u64> {
        let comma = if last { "" } else { " and a comma" };
        let expected = format!("m=NUMBER with a number from 1 to {}{comma}", moduli.len() - 1);
        let i = self.operand(&expected, "m=", last, |i| i != 0 && i < moduli.len() as u64)?;
        Ok(moduli[i as usize])
    }

    fn instruction(&mut self, name: &str, moduli: &[u64], degree: usize) -> Result<Instruction> {
        let pair: fn(u32) -> Op = match name {
            "sr_addp" => Op::Add,
            "sr_subp" => Op::Sub,
            "sr_mulp" => Op::Mul,
            _ => return self.unary(name, moduli, degree),
        };
        let (dst, src, second) = (self.address()?, self.address()?, self.address()?);
        Ok(Instruction { op: pair(second), dst, src, modulus: self.modulus(moduli, true)? })
    }

    /// An instruction with one source.
    fn unary(&mut self, name: &str, moduli: &[u64], degree: usize) -> Result<Instruction> {
        if !["sr_addps", "sr_mulps", "sr_negp", "sr_ntt", "sr_intt", "sr_automorph_eval"].contains(&name) {
            return Err(self.unexpected(name, KNOWN));
        }
        let (dst, src) = (self.address()?, self.address()?);
        let (op, modulus) = match name {
            "sr_addps" | "sr_mulps" => {
                let c = self.operand("a number and a comma", "", false, |_| true)?;
                (if name == "sr_addps" { Op::AddScalar(c) } else { Op::MulScalar(c) }, self.modulus(moduli, true)?)
            }
            "sr_negp" => (Op::Negate, self.modulus(moduli, true)?),
            "sr_ntt" | "sr_intt" => {
                let q = self.modulus(moduli, false)?;
                let omega = self.operand("omega=NUMBER below the modulus", "omega=", true, |w| w < q)?;
                (if name == "sr_ntt" { Op::Ntt { omega } } else { Op::Intt { omega } }, q)
            }
            _ => {
                let q = self.modulus(moduli, false)?;
                self.word(&format!("mask={},", degree - 1))?;
                self.word(&format!("logn={},", degree.trailing_zeros()))?;
                (Op::Automorphism { k: self.operand("k=NUMBER, an odd one", "k=", true, |k| k % 2 == 1)? }, q)
            }
        };
        Ok(Instruction { op, dst, src, modulus })
    }

    /// Refuses another token.
    fn end(&mut self) -> Result<()> {
        match self.tokens.next() {
            None => Ok(()),
            Some(found) => Err(self.unexpected(found, "the end of the line")),
        }
    }
}
