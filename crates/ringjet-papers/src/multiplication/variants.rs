//! The four functions in each variant, divided among threads as in Jung et al., "HEAAN
//! Demystified", Section V-B.

use std::marker::PhantomData;

use crate::multiplication::avx::crt::Crt;
use crate::multiplication::avx::icrt::{DivideToRows, DivideTransposed, SumRows, SumTransposed};
use crate::multiplication::avx::ntt::{Intt, Ntt};
use crate::multiplication::avx::{Avx512, Exact, Machine, Modified, Narrow, Shoup, narrow};
use crate::multiplication::integers::Integers;
use crate::multiplication::lines::{LANES, Line, Matrix};
use crate::multiplication::reference;
use crate::multiplication::setup::{Prime, System};
use crate::multiplication::threads::each;

/// The functions CRT, NTT, iNTT and iCRT. Residues are a matrix with a row for each prime.
pub trait Variant: Sync {
    /// The papers' name of the variant, or `AVX-32`.
    fn name(&self) -> &'static str;
    /// Bits of a word of the tables that the variant takes.
    fn word_bits(&self) -> u32 {
        u64::BITS
    }
    /// Converts big integers to residues.
    fn crt(&self, system: &System, input: &Integers, output: &mut Matrix, threads: usize);
    /// Transforms each row, in place.
    fn ntt(&self, primes: &[Prime], rows: &mut Matrix, threads: usize);
    /// Transforms each row back, in place.
    fn intt(&self, primes: &[Prime], rows: &mut Matrix, threads: usize);
    /// Memory that [`Self::icrt`] needs for `n` coefficients.
    fn temp(&self, system: &System, n: usize) -> Matrix;
    /// Converts residues to big integers: nearest to 0 modulo P, then modulo two to the bits of
    /// `output`.
    fn icrt(
        &self,
        system: &System,
        primes: &[Prime],
        rows: &Matrix,
        temp: &mut Matrix,
        output: &mut Integers,
        threads: usize,
    );
}

/// All variants that this processor can run, in the papers' order; `AVX-32` is the last.
pub fn all() -> Vec<Box<dyn Variant>> {
    let mut variants: Vec<Box<dyn Variant>> = vec![Box::new(Reference)];
    if let Some(avx) = Avx512::detect() {
        variants.push(Box::new(Avx::<_, Exact, false>::new(avx)));
        variants.push(Box::new(Avx::<_, Modified, false>::new(avx)));
        variants.push(Box::new(Avx::<_, Modified, true>::new(avx)));
        variants.push(Box::new(Avx::<_, Narrow, true>::new(avx)));
    }
    variants
}

/// The variant `Ref`. CRT is divided by primes, iCRT by coefficients.
#[derive(Debug, Clone, Copy)]
pub struct Reference;

impl Variant for Reference {
    fn name(&self) -> &'static str {
        "Ref"
    }

    fn crt(&self, system: &System, input: &Integers, output: &mut Matrix, threads: usize) {
        each(output.split_rows(threads), |(first, mut rows)| {
            reference::crt::crt(system, first, input, &mut rows, &mut ());
        });
    }

    fn ntt(&self, primes: &[Prime], rows: &mut Matrix, threads: usize) {
        each_row(primes, rows, threads, |prime, row| reference::ntt::ntt(prime, row, &mut ()));
    }

    fn intt(&self, primes: &[Prime], rows: &mut Matrix, threads: usize) {
        each_row(primes, rows, threads, |prime, row| reference::ntt::intt(prime, row, &mut ()));
    }

    fn temp(&self, system: &System, n: usize) -> Matrix {
        Matrix::new(system.count, n)
    }

    fn icrt(
        &self,
        system: &System,
        primes: &[Prime],
        rows: &Matrix,
        temp: &mut Matrix,
        output: &mut Integers,
        threads: usize,
    ) {
        let (limbs, bits) = (output.limbs(), output.bits());
        let parts: Vec<_> = temp.split_columns(threads).into_iter().zip(output.split(threads)).collect();
        each(parts, |((first, mut temp), (_, output))| {
            reference::icrt::divide(system, primes, rows, first, &mut temp, &mut ());
            reference::icrt::sum(system, &temp, limbs, bits, output, &mut ());
        });
    }
}

/// Transforms each row; the rows are divided among threads.
fn each_row(primes: &[Prime], rows: &mut Matrix, threads: usize, transform: impl Fn(&Prime, &mut [Line]) + Sync) {
    each(rows.split_rows(threads), |(first, rows)| {
        for (row, prime) in rows.into_iter().zip(&primes[first..]) {
            transform(prime, row);
        }
    });
}

/// The variants `AVX`, `AVX-M`, `AVX-MT` and `AVX-32`. `S` is the modular multiplication; with TRANSPOSE,
/// iCRT transposes. CRT and iCRT are divided by coefficients, transforms by primes.
#[derive(Debug, Clone, Copy)]
pub struct Avx<M, S, const TRANSPOSE: bool> {
    machine: M,
    shoup: PhantomData<S>,
}

impl<M: Machine, S: Shoup, const TRANSPOSE: bool> Avx<M, S, TRANSPOSE> {
    /// The variant on `machine`.
    pub fn new(machine: M) -> Self {
        Self { machine, shoup: PhantomData }
    }
}

impl<M: Machine, S: Shoup, const TRANSPOSE: bool> Variant for Avx<M, S, TRANSPOSE> {
    fn name(&self) -> &'static str {
        if TRANSPOSE && S::WORD_BITS == u64::BITS { "AVX-MT" } else { S::NAME }
    }

    fn word_bits(&self) -> u32 {
        S::WORD_BITS
    }

    fn crt(&self, system: &System, input: &Integers, output: &mut Matrix, threads: usize) {
        let limbs = input.limbs();
        each(output.split_columns(threads), |(first, mut columns)| {
            let input = input.range(first, LANES * columns[0].len());
            if S::WORD_BITS == u32::BITS {
                self.machine.run(narrow::Crt { system, input, limbs, output: &mut columns });
            } else {
                self.machine.run(Crt::<S>::new(system, input, limbs, &mut columns));
            }
        });
    }

    fn ntt(&self, primes: &[Prime], rows: &mut Matrix, threads: usize) {
        each_row(primes, rows, threads, |prime, row| self.machine.run(Ntt::<S>::new(prime, row)));
    }

    fn intt(&self, primes: &[Prime], rows: &mut Matrix, threads: usize) {
        each_row(primes, rows, threads, |prime, row| self.machine.run(Intt::<S>::new(prime, row)));
    }

    fn temp(&self, system: &System, n: usize) -> Matrix {
        if TRANSPOSE { Matrix::new(n, system.count) } else { Matrix::new(system.count, n) }
    }

    fn icrt(
        &self,
        system: &System,
        primes: &[Prime],
        rows: &Matrix,
        temp: &mut Matrix,
        output: &mut Integers,
        threads: usize,
    ) {
        let (machine, limbs, bits, residues, shoup) =
            (self.machine, output.limbs(), output.bits(), rows, PhantomData::<S>);
        if TRANSPOSE {
            let parts = output.split(threads);
            // Each thread gets as many lines of coefficients as of the output.
            let temp = split_in_lines(temp, threads);
            each(temp.into_iter().zip(parts).collect(), |(mut temp, (first, output))| {
                let first = first / LANES;
                machine.run(DivideTransposed { system, primes, residues, first, temp: &mut temp, shoup });
                if S::WORD_BITS == u32::BITS {
                    machine.run(narrow::Sum { system, temp: &temp, limbs, bits, output });
                } else {
                    machine.run(SumTransposed { system, temp: &temp, limbs, bits, output });
                }
            });
        } else {
            let parts: Vec<_> = temp.split_columns(threads).into_iter().zip(output.split(threads)).collect();
            each(parts, |((first, mut temp), (_, output))| {
                let first = first / LANES;
                machine.run(DivideToRows { system, primes, residues, first, temp: &mut temp, shoup });
                machine.run(SumRows { system, temp: &temp, limbs, bits, output });
            });
        }
    }
}

/// Splits the rows into runs of whole lines of coefficients, like [`Integers::split`].
fn split_in_lines(temp: &mut Matrix, threads: usize) -> Vec<Vec<&mut [Line]>> {
    let run = LANES * (temp.rows() / LANES).div_ceil(threads).max(1);
    let mut rows = temp.iter_mut().peekable();
    let mut parts = Vec::new();
    while rows.peek().is_some() {
        parts.push(rows.by_ref().take(run).collect());
    }
    parts
}
