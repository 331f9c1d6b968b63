//! Kernels cut down to what decides about branches and addresses. `tools/predict.py` makes them from
//! machine code, and `tools/skeleton.py` describes their words.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, OnceLock};

use super::PredictError;

/// The skeletons of all kernels. The first line names the kernels' source, as that of the embedded
/// PTX does.
const COMPRESSED: &[u8] = include_bytes!("../../kernels/skeletons_90.txt.gz");

/// Number of kinds of instructions, by the unit that executes them.
pub const KINDS: usize = 7;

/// Where a kernel accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Global,
    Shared,
    /// A thread's own array.
    Local,
}

/// An instruction that accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub store: bool,
    /// Bytes of each thread.
    pub bytes: u32,
}

/// A word of a skeleton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Word {
    Number(i128),
    /// Data: what is computed from residues.
    Data,
    /// Pushes a register or temporary.
    Load(usize),
    /// Pops into a register or temporary.
    Store(usize),
    /// Pushes an index of the thread or block.
    Special(usize),
    Operator(Operator),
    Function(Function),
    /// Pops an offset, pushes a word of the launch's arguments.
    Argument,
    /// Pops an address, pushes the word there.
    Memory,
    /// Pops the address of this access.
    Touch(usize),
    /// Pops a condition, leaves out so many words if it is false.
    Unless(usize),
    /// Pops a value, leaves out so many words if it is data.
    Known(usize),
    /// Leaves out so many words.
    Skip(usize),
    /// Goes to a block; `None` ends the thread.
    Go(Option<usize>),
    /// Where to go if a condition is data.
    Around(Option<usize>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Left,
    Right,
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    Not,
    Both,
    Either,
    Truth,
    Choose,
    Least,
    Reversed,
    Highest,
    RoundUp,
    Reciprocal,
    Truncated,
}

/// A basic block.
#[derive(Debug)]
pub struct Block {
    /// Instructions of each kind.
    pub instructions: [u32; KINDS],
    pub code: Vec<Word>,
}

/// A kernel.
#[derive(Debug)]
pub struct Skeleton {
    pub accesses: Vec<Access>,
    pub blocks: Vec<Block>,
}

/// First index of each group of registers: R, P, U and Q, then the temporaries t, v, a and c.
const GROUPS: [(char, usize); 8] =
    [('R', 0), ('P', 256), ('U', 264), ('Q', 328), ('t', 336), ('v', 337), ('a', 338), ('c', 339)];
/// Number of registers and temporaries.
pub const REGISTERS: usize = 340;

/// The text of all skeletons.
fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let mut text = String::new();
        let read = flate2::read::GzDecoder::new(COMPRESSED).read_to_string(&mut text);
        if read.is_err() { String::new() } else { text }
    })
}

/// The line that names the source and the compiler.
#[cfg(test)]
pub fn header() -> &'static str {
    text().lines().next().unwrap_or_default()
}

/// The skeleton of a kernel.
pub fn skeleton(name: &str) -> Result<Skeleton, PredictError> {
    static PLACES: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    let places = PLACES.get_or_init(|| named(text()).collect());
    let unknown = || PredictError::Kernel(name.into());
    parse(places.get(name).ok_or_else(unknown)?).ok_or_else(unknown)
}

/// The names of the kernels of a text, and what follows each.
fn named(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("kernel ").skip(1).filter_map(|kernel| {
        let (first, rest) = kernel.split_once('\n')?;
        Some((first.split(' ').next()?, rest))
    })
}

/// The skeletons of a text; `None` if it is none.
pub fn skeletons(text: &'static str) -> Option<HashMap<&'static str, Arc<Skeleton>>> {
    named(text).map(|(name, rest)| Some((name, Arc::new(parse(rest)?)))).collect()
}

fn parse(text: &str) -> Option<Skeleton> {
    let mut lines = text.lines();
    let accesses = lines.next()?.split_whitespace().skip(1).map(access).collect::<Option<_>>()?;
    Some(Skeleton { accesses, blocks: lines.map(block).collect::<Option<_>>()? })
}

/// `gr8`: a read of 8 bytes of global memory; `sw4`: a write of 4 bytes of shared memory.
fn access(text: &str) -> Option<Access> {
    let space = match text.get(..1)? {
        "g" => Space::Global,
        "s" => Space::Shared,
        "l" => Space::Local,
        _ => return None,
    };
    Some(Access { space, store: text.get(1..2)? == "w", bytes: text.get(2..)?.parse().ok()? })
}

fn block(line: &str) -> Option<Block> {
    let mut words = line.split_whitespace();
    let mut instructions = [0; KINDS];
    for (count, text) in instructions.iter_mut().zip(words.next()?.split(',')) {
        *count = text.parse().ok()?;
    }
    Some(Block { instructions, code: words.map(word).collect::<Option<_>>()? })
}

fn register(text: &str) -> Option<usize> {
    let (group, number) = text.split_at_checked(1)?;
    let first = GROUPS.iter().find(|(name, _)| group.starts_with(*name))?.1;
    Some(first + if number.is_empty() { 0 } else { number.parse::<usize>().ok()? })
}

fn block_number(text: &str) -> Option<Option<usize>> {
    let number: i64 = text.parse().ok()?;
    Some(usize::try_from(number).ok())
}

fn word(text: &str) -> Option<Word> {
    use Function as F;
    use Operator as O;
    Some(match text {
        "D" => Word::Data,
        "K" => Word::Argument,
        "M" => Word::Memory,
        "+" => Word::Operator(O::Add),
        "-" => Word::Operator(O::Sub),
        "*" => Word::Operator(O::Mul),
        "&" => Word::Operator(O::And),
        "|" => Word::Operator(O::Or),
        "^" => Word::Operator(O::Xor),
        "<<" => Word::Operator(O::Left),
        ">>" => Word::Operator(O::Right),
        "==" => Word::Operator(O::Equal),
        "!=" => Word::Operator(O::Different),
        "<" => Word::Operator(O::Less),
        "<=" => Word::Operator(O::LessOrEqual),
        ">" => Word::Operator(O::Greater),
        ">=" => Word::Operator(O::GreaterOrEqual),
        "not" => Word::Function(F::Not),
        "both" => Word::Function(F::Both),
        "either" => Word::Function(F::Either),
        "truth" => Word::Function(F::Truth),
        "choose" => Word::Function(F::Choose),
        "least" => Word::Function(F::Least),
        "reversed" => Word::Function(F::Reversed),
        "highest" => Word::Function(F::Highest),
        "round_up" => Word::Function(F::RoundUp),
        "reciprocal" => Word::Function(F::Reciprocal),
        "truncated" => Word::Function(F::Truncated),
        _ => return with_operand(text),
    })
}

fn with_operand(text: &str) -> Option<Word> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(Word::Number(text.parse().ok()?));
    }
    if let Some(count) = text.strip_prefix("known?") {
        return Some(Word::Known(count.parse().ok()?));
    }
    if let Some(to) = text.strip_prefix("around") {
        return Some(Word::Around(block_number(to)?));
    }
    let (first, rest) = text.split_at_checked(1)?;
    Some(match first {
        "=" => Word::Store(register(rest)?),
        "?" => Word::Unless(rest.parse().ok()?),
        ":" => Word::Skip(rest.parse().ok()?),
        ">" => Word::Go(block_number(rest)?),
        "T" => Word::Touch(rest.parse().ok()?),
        "S" => Word::Special(rest.parse().ok()?),
        _ => Word::Load(register(text)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{compile, launch, portable};

    #[test]
    fn the_skeletons_are_of_the_embedded_kernels() {
        let of = format!("ringjet kernels {:016x}, sm_90", portable::fnv(compile::embedded().as_bytes()));
        let told = "kernels/skeletons_90.txt.gz is out of date: run tools/predict.py, as it says";
        assert!(header().starts_with(&of), "{told}");
        for name in launch::NAMES {
            let found = skeleton(name.to_str().unwrap()).unwrap();
            assert!(!found.blocks.is_empty(), "{name:?}");
        }
        assert_eq!(skeleton("ringjet_nothing").err(), Some(PredictError::Kernel("ringjet_nothing".into())));
    }
}
