//! What an [`Exporter`](crate::Exporter) has recorded so far.

use std::collections::HashMap;

use ringjet_backend::plan::Domain;

use crate::{FhetchError, Instruction, Named, Op, Polynomial, Program, Result, Words};

/// What uploads and downloads are at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// Uploads are constants, and computed values are not downloaded.
    #[default]
    Neither,
    /// Uploads are polynomials of this input.
    Input(usize),
    /// Downloads are polynomials of this output.
    Output(usize),
}

/// The parts of a program.
#[derive(Debug, Default)]
pub struct Recording {
    pub scope: Scope,
    degree: Option<usize>,
    /// The address that was given last. niobium-fhetch's simulator takes address 0 for none.
    last: u32,
    instructions: Vec<Instruction>,
    inputs: Vec<Named>,
    /// Addresses of constants, and the domains of their first use, by their words: equal constants are
    /// stored once.
    constants: HashMap<Words, (u32, Domain)>,
    outputs: Vec<Named>,
}

impl Recording {
    fn next(&mut self) -> Result<u32> {
        self.last = self.last.checked_add(1).ok_or(FhetchError::Addresses { most: u32::MAX })?;
        Ok(self.last)
    }

    /// Refuses a polynomial of another length than the first one.
    fn expect_degree(&mut self, found: usize) -> Result<()> {
        let expected = *self.degree.get_or_insert(found);
        if expected == found { Ok(()) } else { Err(FhetchError::Degree { expected, found }) }
    }

    /// Adds an input, whose polynomials are uploaded from now on. Returns the scope before.
    pub fn begin_input(&mut self, name: &str) -> Scope {
        self.inputs.push(Named { name: name.into(), polynomials: vec![] });
        std::mem::replace(&mut self.scope, Scope::Input(self.inputs.len() - 1))
    }

    /// Adds an output, whose polynomials are downloaded from now on. Returns the scope before.
    pub fn begin_output(&mut self, name: &str) -> Scope {
        self.outputs.push(Named { name: name.into(), polynomials: vec![] });
        std::mem::replace(&mut self.scope, Scope::Output(self.outputs.len() - 1))
    }

    /// Adds an instruction and returns the address of its result.
    pub fn push(&mut self, op: Op, src: u32, modulus: u64) -> Result<u32> {
        let dst = self.next()?;
        self.instructions.push(Instruction { op, dst, src, modulus });
        Ok(dst)
    }

    /// Adds a polynomial, in the evaluation domain, to an input and returns its address.
    pub fn input(&mut self, input: usize, words: Vec<u64>) -> Result<u32> {
        self.expect_degree(words.len())?;
        let address = self.next()?;
        let polynomial = Polynomial { address, domain: Domain::Evaluation, words: words.into() };
        self.inputs[input].polynomials.push(polynomial);
        Ok(address)
    }

    /// The address of a constant with these words.
    pub fn constant(&mut self, domain: Domain, words: Vec<u64>) -> Result<u32> {
        if let Some(&(address, _)) = self.constants.get(&words) {
            return Ok(address);
        }
        self.expect_degree(words.len())?;
        let address = self.next()?;
        self.constants.insert(words.into(), (address, domain));
        Ok(address)
    }

    /// Adds a polynomial to an output.
    pub fn output(&mut self, output: usize, polynomial: Polynomial) {
        self.outputs[output].polynomials.push(polynomial);
    }

    /// The program so far.
    pub fn program(&self) -> Program {
        let constants = self.constants.iter();
        let constants =
            constants.map(|(words, &(address, domain))| Polynomial { address, domain, words: words.clone() });
        let mut constants: Vec<Polynomial> = constants.collect();
        constants.sort_by_key(|x| x.address);
        Program {
            degree: self.degree.unwrap_or(0),
            instructions: self.instructions.clone(),
            inputs: self.inputs.clone(),
            constants,
            outputs: self.outputs.clone(),
        }
    }
}
