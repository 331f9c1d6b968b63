//! Runs programs with plain arithmetic: products of 128 bits and a division for each. It uses nothing
//! of ringjet's arithmetic, so it is an independent check of a program, and slow.

use std::collections::HashMap;

use crate::{FhetchError, Instruction, Op, Result, Words};

/// Runs `instructions` on polynomials of `degree` words, a power of two. `given` has the polynomials
/// that are not computed, by address. Returns those at the addresses `wanted`.
///
/// Except in `sr_mulps` and automorphisms, all words that an instruction reads must be below its
/// modulus.
///
/// # Errors
/// [`FhetchError::Words`], [`FhetchError::Unwritten`], [`FhetchError::Word`].
pub fn interpret(
    degree: usize,
    instructions: &[Instruction],
    given: HashMap<u32, Words>,
    wanted: &[u32],
) -> Result<HashMap<u32, Words>> {
    if let Some((&address, words)) = given.iter().find(|(_, words)| words.len() != degree) {
        return Err(FhetchError::Words { address, expected: degree, found: words.len() });
    }
    let mut last_use: HashMap<u32, usize> = HashMap::new();
    for (i, instruction) in instructions.iter().enumerate() {
        last_use.extend(instruction.sources().map(|address| (address, i)));
    }
    last_use.extend(wanted.iter().map(|&address| (address, usize::MAX)));
    let mut memory = given;
    for (i, instruction) in instructions.iter().enumerate() {
        let made = compute(&memory, instruction, i + 1)?;
        instruction.sources().filter(|x| last_use[x] == i).for_each(|x| drop(memory.remove(&x)));
        memory.insert(instruction.dst, made.into());
    }
    let found = wanted.iter().map(|&address| {
        let words = memory.get(&address).cloned();
        let missing = FhetchError::Unwritten { instruction: instructions.len() + 1, address };
        words.map(|words| (address, words)).ok_or(missing)
    });
    found.collect()
}

/// The polynomial that an instruction computes; `number` is for errors.
fn compute(memory: &HashMap<u32, Words>, instruction: &Instruction, number: usize) -> Result<Vec<u64>> {
    let q = instruction.modulus;
    let any = |address: u32| memory.get(&address).ok_or(FhetchError::Unwritten { instruction: number, address });
    let reduced = |address: u32| {
        let words = any(address)?;
        match words.iter().find(|&&word| word >= q) {
            None => Ok(words),
            Some(&word) => Err(FhetchError::Word { instruction: number, address, word, modulus: q }),
        }
    };
    let pairs = |b: u32, f: fn(u64, u64, u64) -> u64| -> Result<Vec<u64>> {
        Ok(reduced(instruction.src)?.iter().zip(reduced(b)?.iter()).map(|(&x, &y)| f(x, y, q)).collect())
    };
    let each = |words: &[u64], c: u64, f: fn(u64, u64, u64) -> u64| words.iter().map(|&x| f(x, c, q)).collect();
    match instruction.op {
        Op::Add(b) => pairs(b, add),
        Op::Sub(b) => pairs(b, |x, y, q| add(x, q - y, q)),
        Op::Mul(b) => pairs(b, mul),
        Op::AddScalar(c) => Ok(each(reduced(instruction.src)?, c, add)),
        Op::MulScalar(c) => Ok(each(any(instruction.src)?, c, mul)),
        Op::Negate => Ok(each(reduced(instruction.src)?, 0, |x, _, q| add(q - x, 0, q))),
        Op::Ntt { omega } => Ok(forward(reduced(instruction.src)?, omega, q)),
        Op::Intt { omega } => Ok(inverse(reduced(instruction.src)?, omega, q)),
        Op::Automorphism { k } => Ok(automorphism(any(instruction.src)?, k)),
    }
}

fn add(x: u64, y: u64, q: u64) -> u64 {
    ((u128::from(x) + u128::from(y)) % u128::from(q)) as u64
}

fn mul(x: u64, y: u64, q: u64) -> u64 {
    (u128::from(x) * u128::from(y) % u128::from(q)) as u64
}

fn power(x: u64, exponent: u64, q: u64) -> u64 {
    let square = |x| mul(x, x, q);
    match exponent {
        0 => 1 % q,
        odd if odd % 2 == 1 => mul(x, square(power(x, odd / 2, q)), q),
        even => square(power(x, even / 2, q)),
    }
}

/// The lowest `bits` bits of x in reverse order.
fn reversed(x: usize, bits: u32) -> usize {
    (0..bits).fold(0, |made, bit| made << 1 | x >> bit & 1)
}

/// The value at omega^(2 brv(j) + 1) for each j, as f(X) = even(X^2) + X odd(X^2), half by half.
fn forward(x: &[u64], omega: u64, q: u64) -> Vec<u64> {
    let bits = x.len().trailing_zeros();
    let values = evaluate(x, omega, mul(omega, omega, q), q);
    (0..x.len()).map(|j| values[reversed(j, bits)]).collect()
}

/// The values of a polynomial at `first * step^i` for i below its length, where step to the power of
/// half the length is -1.
fn evaluate(x: &[u64], first: u64, step: u64, q: u64) -> Vec<u64> {
    if x.len() == 1 {
        return x.to_vec();
    }
    let part = |from: usize| {
        let half: Vec<u64> = x.iter().skip(from).step_by(2).copied().collect();
        evaluate(&half, mul(first, first, q), mul(step, step, q), q)
    };
    let (even, odd) = (part(0), part(1));
    let mut point = first;
    let (mut low, mut high) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.len() / 2));
    for (&even, &odd) in even.iter().zip(&odd) {
        let odd = mul(point, odd, q);
        low.push(add(even, odd, q));
        high.push(add(even, q - odd, q));
        point = mul(point, step, q);
    }
    low.append(&mut high);
    low
}

/// The coefficients: coefficient i is the sum of the values times omega^-(2 e + 1)i over N, where e is
/// the index of a value in natural order.
fn inverse(x: &[u64], omega: u64, q: u64) -> Vec<u64> {
    let (n, bits) = (x.len(), x.len().trailing_zeros());
    let natural: Vec<u64> = (0..n).map(|e| x[reversed(e, bits)]).collect();
    let back = power(omega, 2 * n as u64 - 1, q);
    let sums = evaluate(&natural, 1 % q, mul(back, back, q), q);
    let over_n = power(n as u64 % q, q - 2, q);
    let twist = sums.iter().scan(over_n, |twist, &sum| {
        let made = mul(sum, *twist, q);
        *twist = mul(*twist, back, q);
        Some(made)
    });
    twist.collect()
}

/// x(X^k) has at omega^e the value of x at omega^(k e).
fn automorphism(x: &[u64], k: u64) -> Vec<u64> {
    let (n, bits) = (x.len(), x.len().trailing_zeros());
    let value = |e: usize| x[reversed(e % (2 * n) / 2, bits)];
    (0..n).map(|j| value((2 * reversed(j, bits) + 1).wrapping_mul(k as usize))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of 2 modulo 17 generate the subgroup of order 8; 3 generates all 16.
    const Q: u64 = 17;

    /// Transforms and automorphisms are what the definition by values says, for every root.
    #[test]
    fn transforms_are_values_at_odd_powers() {
        let n = 8;
        let x: Vec<u64> = (0..n).map(|i| (5 * i * i + 3 * i + 1) % Q).collect();
        for omega in (2..Q).filter(|&w| power(w, n, Q) == Q - 1) {
            let at = |point: u64| x.iter().rev().fold(0, |sum, &c| add(mul(sum, point, Q), c, Q));
            let points: Vec<u64> = (0..8).map(|j| power(omega, 2 * [0, 4, 2, 6, 1, 5, 3, 7][j] + 1, Q)).collect();
            let values: Vec<u64> = points.iter().map(|&point| at(point)).collect();
            assert_eq!(forward(&x, omega, Q), values, "omega {omega}");
            assert_eq!(inverse(&values, omega, Q), x, "omega {omega}");
            for k in [1, 3, 5, 15] {
                let turned: Vec<u64> = points.iter().map(|&point| at(power(point, k, Q))).collect();
                assert_eq!(automorphism(&values, k), turned, "omega {omega}, k {k}");
            }
        }
    }

    #[test]
    fn what_is_not_defined_is_refused() {
        let add = Instruction { op: Op::Add(2), dst: 3, src: 1, modulus: Q };
        let run = |given: &[(u32, Vec<u64>)], wanted: &[u32]| {
            interpret(2, &[add], given.iter().map(|(at, words)| (*at, words.clone().into())).collect(), wanted)
        };
        assert_eq!(*run(&[(1, vec![16, 2]), (2, vec![1, 3])], &[3]).unwrap()[&3], [0, 5]);
        let refused = |given: &[(u32, Vec<u64>)], wanted: &[u32]| run(given, wanted).unwrap_err();
        assert_eq!(refused(&[(1, vec![0, 0])], &[3]), FhetchError::Unwritten { instruction: 1, address: 2 });
        let both = [(1, vec![0, 0]), (2, vec![0, 17])];
        assert_eq!(refused(&both, &[3]), FhetchError::Word { instruction: 1, address: 2, word: 17, modulus: Q });
        let zeros = [(1, vec![0, 0]), (2, vec![0, 0])];
        assert_eq!(refused(&zeros, &[4]), FhetchError::Unwritten { instruction: 2, address: 4 });
        assert_eq!(refused(&[(1, vec![0; 3])], &[]), FhetchError::Words { address: 1, expected: 2, found: 3 });
    }
}
