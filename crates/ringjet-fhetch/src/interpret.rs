//! Runs programs with plain arithmetic: products of 128 bits and a division for each. It uses nothing
//! of ringjet's arithmetic, so it is an independent check of a program, and slow.

use std::collections::HashMap;

use crate::{FhetchError, Instruction, Op, Result, Words};

/// Runs `instructions` on polynomials of `degree` words, a power of two. `given` has the polynomials
/// that are not computed, by address. Returns the polynomials at the addresses `wanted`.
///
/// Except in `sr_mulps` and automorphisms, all words that an instruction reads must be below its
/// modulus.
///
/// # Errors
/// [`FhetchError::RingDegree`], [`FhetchError::Words`], [`FhetchError::Unwritten`],
/// [`FhetchError::Word`], [`FhetchError::Modulus`], [`FhetchError::Root`],
/// [`FhetchError::MissingResult`].
pub fn interpret(
    degree: usize,
    instructions: &[Instruction],
    given: HashMap<u32, Words>,
    wanted: &[u32],
) -> Result<HashMap<u32, Words>> {
    if !degree.is_power_of_two() {
        return Err(FhetchError::RingDegree { found: degree });
    }
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
        let words = compute(&memory, instruction, i + 1)?;
        instruction.sources().filter(|x| last_use[x] == i).for_each(|x| drop(memory.remove(&x)));
        memory.insert(instruction.dst, words.into());
    }
    let found = wanted.iter().map(|&address| {
        let words = memory.get(&address).cloned();
        words.map(|words| (address, words)).ok_or(FhetchError::MissingResult { address })
    });
    found.collect()
}

/// The polynomial that an instruction computes; `number` is for errors.
fn compute(memory: &HashMap<u32, Words>, instruction: &Instruction, number: usize) -> Result<Vec<u64>> {
    let q = instruction.modulus;
    if q < 3 {
        return Err(FhetchError::Modulus { instruction: number, modulus: q });
    }
    let read = |address: u32| memory.get(&address).ok_or(FhetchError::Unwritten { instruction: number, address });
    let read_residues = |address: u32| {
        let words = read(address)?;
        match words.iter().find(|&&word| word >= q) {
            None => Ok(words),
            Some(&word) => Err(FhetchError::Word { instruction: number, address, word, modulus: q }),
        }
    };
    let with_second = |b: u32, f: fn(u64, u64, u64) -> u64| -> Result<Vec<u64>> {
        let (x, y) = (read_residues(instruction.src)?, read_residues(b)?);
        Ok(x.iter().zip(y.iter()).map(|(&x, &y)| f(x, y, q)).collect())
    };
    let with_scalar = |words: &[u64], c: u64, f: fn(u64, u64, u64) -> u64| words.iter().map(|&x| f(x, c, q)).collect();
    let to_transform = |omega: u64| {
        let words = read_residues(instruction.src)?;
        match power(omega, words.len() as u64, q) == q - 1 {
            true => Ok(words),
            false => Err(FhetchError::Root { instruction: number, omega, order: 2 * words.len(), modulus: q }),
        }
    };
    match instruction.op {
        Op::Add(b) => with_second(b, add),
        Op::Sub(b) => with_second(b, |x, y, q| add(x, q - y, q)),
        Op::Mul(b) => with_second(b, mul),
        Op::AddScalar(c) => Ok(with_scalar(read_residues(instruction.src)?, c, add)),
        Op::MulScalar(c) => Ok(with_scalar(read(instruction.src)?, c, mul)),
        Op::Negate => Ok(with_scalar(read_residues(instruction.src)?, 0, |x, _, q| add(q - x, 0, q))),
        Op::Ntt { omega } => Ok(forward(to_transform(omega)?, omega, q)),
        Op::Intt { omega } => {
            let words = to_transform(omega)?;
            inverse(words, omega, q).ok_or(FhetchError::Modulus { instruction: number, modulus: q })
        }
        Op::Automorphism { k } => Ok(automorphism(read(instruction.src)?, k)),
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
    (0..bits).fold(0, |result, bit| result << 1 | x >> bit & 1)
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
/// the index of a value in natural order. `None` if this N^-1 is none, because q is not prime.
fn inverse(x: &[u64], omega: u64, q: u64) -> Option<Vec<u64>> {
    let (n, bits) = (x.len(), x.len().trailing_zeros());
    let natural: Vec<u64> = (0..n).map(|e| x[reversed(e, bits)]).collect();
    let back = power(omega, 2 * n as u64 - 1, q);
    let sums = evaluate(&natural, 1 % q, mul(back, back, q), q);
    let mut factor = power(n as u64 % q, q - 2, q);
    if mul(factor, n as u64 % q, q) != 1 {
        return None;
    }
    let coefficient = |&sum| {
        let coefficient = mul(sum, factor, q);
        factor = mul(factor, back, q);
        coefficient
    };
    Some(sums.iter().map(coefficient).collect())
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
            assert_eq!(inverse(&values, omega, Q).unwrap(), x, "omega {omega}");
            for k in [1, 3, 5, 15] {
                let expected: Vec<u64> = points.iter().map(|&point| at(power(point, k, Q))).collect();
                assert_eq!(automorphism(&values, k), expected, "omega {omega}, k {k}");
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
        assert_eq!(refused(&zeros, &[4]), FhetchError::MissingResult { address: 4 });
        assert_eq!(refused(&[(1, vec![0; 3])], &[]), FhetchError::Words { address: 1, expected: 2, found: 3 });
    }

    #[test]
    fn degrees_moduli_and_roots_without_a_ring_are_refused() {
        let run = |degree: usize, op: Op, modulus: u64| {
            let given = [(1, vec![0; degree].into())].into();
            interpret(degree, &[Instruction { op, dst: 2, src: 1, modulus }], given, &[2]).map(drop)
        };
        let (forward, inverse) = (Op::Ntt { omega: 8 }, Op::Intt { omega: 8 });
        for degree in [0, 3] {
            assert_eq!(run(degree, forward, Q), Err(FhetchError::RingDegree { found: degree }));
        }
        for modulus in [0, 1, 2] {
            assert_eq!(run(4, Op::Negate, modulus), Err(FhetchError::Modulus { instruction: 1, modulus }));
        }
        // 8 has order 8 modulo 17, and 8^4 = -1
        for op in [forward, inverse] {
            assert_eq!(run(4, op, Q), Ok(()));
            let root = FhetchError::Root { instruction: 1, omega: 8, order: 16, modulus: Q };
            assert_eq!(run(8, op, Q), Err(root));
        }
        // 8^2 = -1 modulo 65, but 2^63 is not the inverse of 2
        assert_eq!(run(2, forward, 65), Ok(()));
        assert_eq!(run(2, inverse, 65), Err(FhetchError::Modulus { instruction: 1, modulus: 65 }));
    }
}
