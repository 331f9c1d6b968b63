//! What an [`Exporter`](crate::Exporter) has recorded so far.

use std::collections::HashMap;

use crate::{FhetchError, Instruction, Named, Op, Polynomial, Program, Result, Words};

/// What uploads and downloads are at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// Uploads are constants, and computed values are not downloaded.
    #[default]
    Neither,
    /// Uploads are polynomials of the last input.
    Input,
    /// Downloads are polynomials of the last output.
    Output,
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
    /// Addresses of constants by their words: equal constants are stored once.
    constants: HashMap<Words, u32>,
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

    /// Begins an input or an output of this name. Returns the scope before.
    pub fn begin(&mut self, scope: Scope, name: &str) -> Scope {
        let named = Named { name: name.into(), polynomials: vec![] };
        match scope {
            Scope::Input => self.inputs.push(named),
            Scope::Output => self.outputs.push(named),
            Scope::Neither => {}
        }
        std::mem::replace(&mut self.scope, scope)
    }

    /// Adds an instruction and returns the address of its result.
    pub fn push(&mut self, op: Op, src: u32, modulus: u64) -> Result<u32> {
        let dst = self.next()?;
        self.instructions.push(Instruction { op, dst, src, modulus });
        Ok(dst)
    }

    /// Adds a polynomial to the last input and returns its address.
    pub fn input(&mut self, words: Vec<u64>) -> Result<u32> {
        self.expect_degree(words.len())?;
        let address = self.next()?;
        if let Some(last) = self.inputs.last_mut() {
            last.polynomials.push(Polynomial { address, words: words.into() });
        }
        Ok(address)
    }

    /// The address of a constant with these words.
    pub fn constant(&mut self, words: Vec<u64>) -> Result<u32> {
        if let Some(&address) = self.constants.get(&words) {
            return Ok(address);
        }
        self.expect_degree(words.len())?;
        let address = self.next()?;
        self.constants.insert(words.into(), address);
        Ok(address)
    }

    /// Adds a polynomial to the last output.
    pub fn output(&mut self, address: u32, words: Vec<u64>) {
        if let Some(last) = self.outputs.last_mut() {
            last.polynomials.push(Polynomial { address, words: words.into() });
        }
    }

    /// The program so far.
    pub fn program(&self) -> Program {
        let mut constants: Vec<Polynomial> =
            self.constants.iter().map(|(words, &address)| Polynomial { address, words: words.clone() }).collect();
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
